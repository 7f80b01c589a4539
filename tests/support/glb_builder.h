#pragma once

// A small language to write glTF files in tests: good ones, and broken twins that differ in one place.

#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace pelt::test {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();  ///< a value that no accessor may hold

enum ComponentType : int { kI8 = 5120, kU8 = 5121, kI16 = 5122, kU16 = 5123, kU32 = 5125, kF32 = 5126 };

/// Collects bytes and JSON. `root` is open: a test breaks a file by assigning to it.
class GlbBuilder {
 public:
  nlohmann::json root = {{"asset", {{"version", "2.0"}}}};
  std::vector<std::uint8_t> bin;

  /// A buffer view of the bytes of `values`, aligned to four. @param stride  0: tight
  template <typename T>
  int view(const std::vector<T>& values, int stride = 0) {
    bin.resize((bin.size() + 3) / 4 * 4, 0);
    nlohmann::json entry = {{"buffer", 0}, {"byteOffset", bin.size()}, {"byteLength", values.size() * sizeof(T)}};
    if (stride != 0) {
      entry["byteStride"] = stride;
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
    bin.insert(bin.end(), bytes, bytes + values.size() * sizeof(T));
    return push("bufferViews", std::move(entry));
  }

  /// An accessor over a view of its own. @param type  "SCALAR", "VEC3", ...; the count follows from it
  template <typename T>
  int accessor(const std::vector<T>& values, ComponentType component, const std::string& type,
               bool normalized = false) {
    const std::size_t width = type == "SCALAR" ? 1 : type == "MAT4" ? 16 : static_cast<std::size_t>(type.back() - '0');
    nlohmann::json entry = {{"bufferView", view(values)},
                            {"componentType", static_cast<int>(component)},
                            {"count", values.size() / width},
                            {"type", type}};
    if (normalized) {
      entry["normalized"] = true;
    }
    return push("accessors", std::move(entry));
  }
  int floats(const std::vector<float>& values, const std::string& type) { return accessor(values, kF32, type); }

  /// Appends to a top-level array and returns the index.
  int push(const char* array, nlohmann::json entry) {
    root[array].push_back(std::move(entry));
    return static_cast<int>(root[array].size()) - 1;
  }

  /// Overwrites the floats of an accessor from element component `at` on.
  void poke(int accessor, std::size_t at, const std::vector<float>& values) {
    const auto& entry = root["accessors"][accessor];
    const auto& where = root["bufferViews"][entry["bufferView"].get<std::size_t>()];
    std::memcpy(bin.data() + where["byteOffset"].get<std::size_t>() + at * sizeof(float), values.data(),
                values.size() * sizeof(float));
  }

  [[nodiscard]] std::vector<std::uint8_t> glb() const {
    nlohmann::json whole = root;
    if (!bin.empty() && !whole.contains("buffers")) {
      whole["buffers"] = {{{"byteLength", bin.size()}}};
    }
    return glb_of(whole.dump(), bin);
  }

  /// A container around any text, however wrong.
  static std::vector<std::uint8_t> glb_of(std::string json, std::vector<std::uint8_t> chunk) {
    json.resize((json.size() + 3) / 4 * 4, ' ');
    chunk.resize((chunk.size() + 3) / 4 * 4, 0);
    std::vector<std::uint8_t> out;
    const auto put = [&out](std::size_t word) {
      for (int i = 0; i < 4; ++i) {
        out.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
      }
    };
    put(0x46546C67);
    put(2);
    put(20 + json.size() + (chunk.empty() ? 0 : 8 + chunk.size()));
    put(json.size());
    put(0x4E4F534A);
    out.insert(out.end(), json.begin(), json.end());
    if (!chunk.empty()) {
      put(chunk.size());
      put(0x004E4942);
      out.insert(out.end(), chunk.begin(), chunk.end());
    }
    return out;
  }
};

/// Where the parts of skinned_quad() are, so that a test can break one.
struct QuadFile : GlbBuilder {
  int positions = -1;
  int normals = -1;
  int indices = -1;
  int joints = -1;
  int weights = -1;
  int inverse_binds = -1;
  int times = -1;
  int rotations = -1;
  int target = -1;

  nlohmann::json& primitive() { return root["meshes"][0]["primitives"][0]; }
  nlohmann::json& attributes() { return primitive()["attributes"]; }
  nlohmann::json& accessor_entry(int accessor) { return root["accessors"][accessor]; }
};

/// Four vertices around (0,0,0)..(1,1,0) on two joints: node 0 "lower", its child node 1 "upper" at (0,1,0), node 2
/// carries the mesh. One morph target, one clip that turns node 1.
inline QuadFile skinned_quad() {
  QuadFile file;
  file.positions = file.floats({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, "VEC3");
  file.normals = file.floats({0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3");
  file.indices = file.accessor(std::vector<std::uint16_t>{0, 1, 2, 2, 1, 3}, kU16, "SCALAR");
  file.joints = file.accessor(std::vector<std::uint8_t>{0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, kU8, "VEC4");
  file.weights = file.floats({1, 0, 0, 0, 0.75f, 0.25f, 0, 0, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0}, "VEC4");
  file.inverse_binds = file.floats(
      {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1}, "MAT4");
  file.times = file.floats({0, 1}, "SCALAR");
  file.rotations = file.floats({0, 0, 0, 1, 0, 0, 1, 0}, "VEC4");
  file.target = file.floats({0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1}, "VEC3");
  file.push("meshes", {{"name", "quad"},
                       {"primitives",
                        {{{"attributes",
                           {{"POSITION", file.positions},
                            {"NORMAL", file.normals},
                            {"JOINTS_0", file.joints},
                            {"WEIGHTS_0", file.weights}}},
                          {"indices", file.indices},
                          {"targets", {{{"POSITION", file.target}}}}}}},
                       {"weights", {0.5}},
                       {"extras", {{"targetNames", {"lift"}}}}});
  file.push("nodes", {{"name", "lower"}, {"children", {1}}});
  file.push("nodes", {{"name", "upper"}, {"translation", {0, 1, 0}}});
  file.push("nodes", {{"name", "quad"}, {"mesh", 0}, {"skin", 0}});
  file.push("skins", {{"joints", {0, 1}}, {"inverseBindMatrices", file.inverse_binds}});
  file.push("animations", {{"name", "turn"},
                           {"channels", {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "rotation"}}}}}},
                           {"samplers", {{{"input", file.times}, {"output", file.rotations}}}}});
  file.push("scenes", {{"nodes", {0, 2}}});
  file.root["scene"] = 0;
  return file;
}

}  // namespace pelt::test
