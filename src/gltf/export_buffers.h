#pragma once

// Internal to the exporter: JSON as it is written, and the bytes that accessors name.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <glm/glm.hpp>
#include <nlohmann/json.hpp>

namespace pelt::gltf {

// Members keep the order in which they are written, and a float prints as the shortest text that reads back as itself:
// together these make the bytes of a file depend on the character alone.
using Json =
    nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

/// JSON text that is to be written as it is. Numbers in it may have more digits than a float holds.
Json raw_json(std::string_view text);

/// The text of a tree that may hold raw_json(). Invalid UTF-8 is replaced.
std::string json_text(const Json& json);

template <int N>
Json json_of(const glm::vec<N, float>& v) {
  Json out = Json::array();
  for (int i = 0; i < N; ++i) {
    out.push_back(v[i]);
  }
  return out;
}

template <typename V>
bool finite(const V& v) {
  for (int i = 0; i < V::length(); ++i) {
    if (!std::isfinite(v[i])) {
      return false;
    }
  }
  return true;
}

// Component types of accessors.
inline constexpr int kSignedByte = 5120;
inline constexpr int kByte = 5121;
inline constexpr int kSignedShort = 5122;
inline constexpr int kShort = 5123;
inline constexpr int kInt = 5125;
inline constexpr int kFloat = 5126;

/// What lies in a buffer view: decides its target and how it can be compressed.
enum class ViewUse { kBytes, kData, kVertices, kTriangles, kIndices };

/// Values of an accessor. Elements begin every `stride` bytes.
struct Elements {
  std::span<const std::uint8_t> bytes;
  int component_type = kFloat;
  int components = 1;  ///< 1 to 4, of one column
  int columns = 1;     ///< 2 to 4: a matrix
  std::size_t count = 0;
  std::size_t stride = 0;  ///< 0: one after another without gaps
  bool normalized = false;
};

template <typename T>
std::span<const std::uint8_t> bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}
template <typename T>
std::span<const std::uint8_t> bytes_of(const std::vector<T>& values) {
  return bytes_of(std::span<const T>(values));
}

/// Collects buffer views and accessors, one view per accessor.
class BufferWriter {
 public:
  /// @param compress  views are written by EXT_meshopt_compression where that makes them smaller
  explicit BufferWriter(bool compress) : compress_(compress) {}

  int add_view(std::span<const std::uint8_t> bytes, ViewUse use, std::size_t stride = 0, std::size_t count = 0);
  int add_accessor(const Elements& elements, ViewUse use);
  /// Of vertices, as they are.
  template <int N>
  int add_vectors(const std::vector<glm::vec<N, float>>& values) {
    return add_accessor({.bytes = bytes_of(values), .components = N, .count = values.size()}, ViewUse::kVertices);
  }
  /// An accessor that is made elsewhere: without a view, or sparse.
  int add_accessor(Json accessor);
  /// Floats, once for equal content: clips share their key times and often whole tracks.
  /// @param bounds  they are key times, which need bounds and must not be shared with values
  int add_shared(std::span<const float> values, int components, bool bounds);
  /// Of the last accessor that was added.
  Json& last_accessor() { return accessors_.back(); }

  /// Puts accessors, views and buffers into the file's JSON. @param uri  of the binary data; empty: none is needed
  void finish(Json& root, const std::string& uri);
  [[nodiscard]] std::vector<std::uint8_t>& bin() { return bin_; }
  /// True where some view can only be read by EXT_meshopt_compression.
  [[nodiscard]] bool compressed() const { return unpacked_size_ > 0; }

 private:
  bool add_compressed_view(std::span<const std::uint8_t> bytes, ViewUse use, std::size_t stride, std::size_t count,
                           Json& view);

  bool compress_;
  Json views_ = Json::array();
  Json accessors_ = Json::array();
  std::vector<std::uint8_t> bin_;
  std::size_t unpacked_size_ = 0;                      ///< of the buffer that compressed views stand for
  std::map<std::pair<int, std::string>, int> shared_;  ///< by components, 0 for key times, and content
};

}  // namespace pelt::gltf
