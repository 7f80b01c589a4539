#pragma once

// Internal to the exporter: JSON as it is written, and the bytes that accessors name.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
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
  std::string_view stream = {};  ///< what they are: accessors of one stream, use and stride share a view
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

/// Where bytes lie: a buffer view and how far from its beginning.
struct PlaceInView {
  int view = 0;
  std::size_t offset = 0;
};

/// Collects accessors and what they name. What is of one kind (the same stream, use and stride) lies in one buffer
/// view, so that a file of a thousand short tracks does not describe a thousand views.
class BufferWriter {
 public:
  /// @param compress  views are written by EXT_meshopt_compression where that makes them smaller
  explicit BufferWriter(bool compress) : compress_(compress) {}

  /// Bytes in a view of their own.
  int add_view(std::span<const std::uint8_t> bytes);
  /// Bytes of which some accessor says more than a view and an offset; of `stride` each.
  PlaceInView add_bytes(std::span<const std::uint8_t> bytes, std::string_view stream, std::size_t stride);
  /// @param name  of the accessor; empty: none
  int add_accessor(const Elements& elements, ViewUse use, std::string_view name = {});
  /// Of vertices, as they are.
  template <int N>
  int add_vectors(const std::vector<glm::vec<N, float>>& values, std::string_view stream, std::string_view name = {}) {
    return add_accessor({.stream = stream, .bytes = bytes_of(values), .components = N, .count = values.size()},
                        ViewUse::kVertices, name);
  }
  /// An accessor that is made elsewhere: without a view, or sparse.
  int add_accessor(Json accessor, std::string_view name = {});
  /// One of clips, once for equal content and name: clips share their key times and often whole tracks.
  /// @param bounds  they are key times (floats), which need bounds and must not be shared with values
  int add_shared(const Elements& elements, bool bounds, std::string_view name = {});
  /// Of the last accessor that was added.
  Json& last_accessor() { return accessors_.back(); }

  /// Lays the views out in bin(), compressed where that was asked for; nothing can be added from then on.
  void lay_out();
  /// Puts accessors, views and buffers into the file's JSON. @param uri  of the binary data; empty: none is needed
  /// @pre  lay_out() was called
  void finish(Json& root, const std::string& uri);
  [[nodiscard]] std::vector<std::uint8_t>& bin() { return bin_; }
  /// True where some view can only be read by EXT_meshopt_compression. @pre  lay_out() was called
  [[nodiscard]] bool compressed() const { return unpacked_size_ > 0; }

 private:
  struct View {
    ViewUse use = ViewUse::kBytes;
    std::size_t stride = 0;  ///< 0: bytes without elements
    std::vector<std::uint8_t> bytes;
  };
  /// Content that several tracks have, and its accessors by their names.
  struct Shared {
    PlaceInView place;
    std::map<std::string, int, std::less<>> accessors;
  };
  PlaceInView add_to_view(std::span<const std::uint8_t> bytes, ViewUse use, std::string_view stream,
                          std::size_t stride);
  Json accessor_json(const Elements& elements, const PlaceInView& place) const;
  bool add_compressed_view(const View& view, Json& out);

  bool compress_;
  std::vector<View> views_;
  std::map<std::tuple<std::string, ViewUse, std::size_t>, int> view_of_;  ///< by stream, use and stride
  Json laid_out_ = Json::array();
  Json accessors_ = Json::array();
  std::vector<std::uint8_t> bin_;
  std::size_t unpacked_size_ = 0;                         ///< of the buffer that compressed views stand for
  std::map<std::pair<int, std::string>, Shared> shared_;  ///< by type, 0 for key times, and content
};

}  // namespace pelt::gltf
