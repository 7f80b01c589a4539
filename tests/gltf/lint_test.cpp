// A good and a bad twin for every rule of lint: the bad one reports the rule's code and the companions named, the good
// one, which differs in one place, nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <numeric>
#include <ranges>
#include <regex>
#include <set>

#include "core/file.h"
#include "gltf/export.h"
#include "gltf/image_codec.h"
#include "gltf/opened.h"
#include "mesh/orientation.h"
#include "rig/kinematics.h"
#include "rig/lint.h"
#include "rig/lint_fix.h"
#include "support/fixtures.h"
#include "support/glb_builder.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::GlbBuilder;
using test::kNan;
using test::opened;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kColumns = 9;  // of vertices from x = -2 to 2
constexpr float kSpacing = 0.5f;

/// A sheet of 9 by 2 vertices on three joints, "arm_r" at x = -1, "root" at 0 and "arm_l" at 1, symmetric about x = 0,
/// with a clip and a textured material. There is nothing to say of it.
struct SheetFile : GlbBuilder {
  int positions, normals, tangents, texcoords, joints, weights, indices, inverse_binds, times, rotations;
  std::vector<float> weight_values;
  std::vector<std::uint8_t> joint_values;

  SheetFile() {
    std::vector<float> position_values;
    std::vector<float> normal_values;
    std::vector<float> tangent_values;
    std::vector<float> texcoord_values;
    std::vector<std::uint16_t> index_values;
    for (int column = 0; column < kColumns; ++column) {
      const float x = kSpacing * static_cast<float>(column) - 2;
      const float arm = std::abs(x) < 0.75f ? 0.0f : std::abs(x) < 1.25f ? 0.5f : 1.0f;
      for (int row = 0; row < 2; ++row) {
        position_values.insert(position_values.end(), {x, static_cast<float>(row), 0});
        normal_values.insert(normal_values.end(), {0, 0, 1});
        tangent_values.insert(tangent_values.end(), {1, 0, 0, 1});
        texcoord_values.insert(texcoord_values.end(), {(x + 2) / 4, static_cast<float>(row)});
        joint_values.insert(joint_values.end(), {0, static_cast<std::uint8_t>(x > 0 ? 1 : 2), 0, 0});
        weight_values.insert(weight_values.end(), {1 - arm, arm, 0, 0});
      }
      if (column > 0) {
        const auto a = static_cast<std::uint16_t>(2 * column - 2);
        for (const int i : {0, 2, 1, 1, 2, 3}) {
          index_values.push_back(static_cast<std::uint16_t>(a + i));
        }
      }
    }
    positions = floats(position_values, "VEC3");
    normals = floats(normal_values, "VEC3");
    tangents = floats(tangent_values, "VEC4");
    texcoords = floats(texcoord_values, "VEC2");
    joints = accessor(joint_values, test::kU8, "VEC4");
    weights = floats(weight_values, "VEC4");
    indices = accessor(index_values, test::kU16, "SCALAR");
    inverse_binds = floats(binds({0, 1, -1}), "MAT4");
    times = floats({0, 0.05f, 0.1f, 0.15f, 0.2f}, "SCALAR");
    rotations = floats(turns({0, 0.1f, 0.25f, 0.35f, 0.4f}), "VEC4");
    push("images", {{"bufferView", view(gltf::encode_png(std::vector<std::uint8_t>(4, 255), {1, 1}))},
                    {"mimeType", "image/png"}});
    push("textures", {{"source", 0}});
    push("materials", {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}});
    push("meshes", {{"name", "sheet"},
                    {"primitives",
                     {{{"attributes",
                        {{"POSITION", positions},
                         {"NORMAL", normals},
                         {"TANGENT", tangents},
                         {"TEXCOORD_0", texcoords},
                         {"JOINTS_0", joints},
                         {"WEIGHTS_0", weights}}},
                       {"indices", indices},
                       {"material", 0}}}}});
    push("nodes", {{"name", "root"}, {"children", {1, 2}}});
    push("nodes", {{"name", "arm_l"}, {"translation", {1, 0, 0}}});
    push("nodes", {{"name", "arm_r"}, {"translation", {-1, 0, 0}}});
    push("nodes", {{"name", "sheet"}, {"mesh", 0}, {"skin", 0}});
    push("skins", {{"joints", {0, 1, 2}}, {"inverseBindMatrices", inverse_binds}});
    push("animations", {{"name", "turn"},
                        {"channels", {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "rotation"}}}}}},
                        {"samplers", {{{"input", times}, {"output", rotations}}}}});
    push("scenes", {{"nodes", {0, 3}}});
    root["scene"] = 0;
  }

  json& primitive() { return root["meshes"][0]["primitives"][0]; }
  json& attributes() { return primitive()["attributes"]; }
  json& node(std::size_t n) { return root["nodes"][n]; }

  /// Inverse bind matrices of joints on the x axis.
  static std::vector<float> binds(const std::vector<float>& x) {
    std::vector<float> out;
    for (const float at : x) {
      out.insert(out.end(), {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -at, 0, 0, 1});
    }
    return out;
  }
  /// Rotations about z.
  static std::vector<float> turns(const std::vector<float>& angles) {
    std::vector<float> out;
    for (const float angle : angles) {
      out.insert(out.end(), {0, 0, std::sin(angle / 2), std::cos(angle / 2)});
    }
    return out;
  }
  void set_weights(std::size_t v, std::vector<float> values) { poke(weights, 4 * v, values); }
  void set_joint(std::size_t v, std::size_t k, std::uint8_t joint) {
    joint_values[4 * v + k] = joint;
    attributes()["JOINTS_0"] = accessor(joint_values, test::kU8, "VEC4");
  }
  /// Appends a joint as a child of node `parent`, bound where it stands; no vertex follows it.
  std::size_t add_joint(const char* name, std::size_t parent, float x_from_parent, float x) {
    const int n = push("nodes", {{"name", name}, {"translation", {x_from_parent, 0, 0}}});
    node(parent)["children"].push_back(n);
    root["skins"][0]["joints"].push_back(n);
    bound_.push_back(x);
    root["skins"][0]["inverseBindMatrices"] = floats(binds(bound_), "MAT4");
    return root["skins"][0]["joints"].size() - 1;
  }
  /// Three more joints, and a second set of influences that vertex 12 alone uses.
  /// @param first  of vertex 12 on root, arm_l and two of the new joints @param second  on the third
  void add_second_set(const std::vector<float>& first, float second) {
    for (const float x : {1.2f, 1.4f, 1.6f}) {
      add_joint("finger", 1, x - 1, x);
    }
    // Some vertex follows each of them.
    for (std::uint8_t k = 0; k < 3; ++k) {
      const std::size_t v = 17U - k;
      joint_values[4 * v + 2] = static_cast<std::uint8_t>(3 + k);
      weight_values[4 * v + 2] = 0.05f;
      weight_values[4 * v + 1] -= 0.05f;
    }
    std::ranges::copy(std::vector<std::uint8_t>{0, 1, 3, 4}, joint_values.begin() + 48);
    std::ranges::copy(first, weight_values.begin() + 48);
    std::vector<std::uint8_t> others(joint_values.size(), 0);
    std::vector<float> more(weight_values.size(), 0.0f);
    others[48] = 5;
    more[48] = second;
    attributes()["JOINTS_0"] = accessor(joint_values, test::kU8, "VEC4");
    attributes()["WEIGHTS_0"] = floats(weight_values, "VEC4");
    attributes()["JOINTS_1"] = accessor(others, test::kU8, "VEC4");
    attributes()["WEIGHTS_1"] = floats(more, "VEC4");
  }
  /// Joints for a body with a left and a right: a second pair, which no vertex follows.
  void add_legs() {
    add_joint("leg_l", 0, 0.25f, 0.25f);
    add_joint("leg_r", 0, -0.25f, -0.25f);
  }
  /// Moves joint k of the skin, a joint at the end of a chain, up, and its inverse bind matrix with it.
  void lift_joint(std::size_t k, float y) {
    const std::size_t n = root["skins"][0]["joints"][k];
    node(n)["translation"][1] = y;
    poke(root["skins"][0]["inverseBindMatrices"], 16 * k + 13, {-y});
  }
  /// The sheet with so many columns, each vertex on one joint; `blended` of them follow two.
  void set_columns(std::size_t columns, std::size_t blended) {
    std::vector<float> place, normal, tangent, texcoord, weight;
    std::vector<std::uint8_t> joint;
    std::vector<std::uint16_t> index;
    for (std::size_t c = 0; c < columns; ++c) {
      const float x = 4 * static_cast<float>(c) / static_cast<float>(columns - 1) - 2;
      for (int row = 0; row < 2; ++row) {
        place.insert(place.end(), {x, static_cast<float>(row), 0});
        normal.insert(normal.end(), {0, 0, 1});
        tangent.insert(tangent.end(), {1, 0, 0, 1});
        texcoord.insert(texcoord.end(), {(x + 2) / 4, static_cast<float>(row)});
        const bool is_arm = std::abs(x) > 1;
        joint.insert(joint.end(), {static_cast<std::uint8_t>(is_arm ? (x > 0 ? 1 : 2) : 0), 1, 0, 0});
        joint.end()[-3] = joint.end()[-4] == 1 ? 0 : 1;
        const float most = c < blended ? 0.75f : 1.0f;
        weight.insert(weight.end(), {most, 1 - most, 0, 0});
      }
      if (c > 0) {
        for (const int i : {0, 2, 1, 1, 2, 3}) {
          index.push_back(static_cast<std::uint16_t>(2 * c - 2 + static_cast<std::size_t>(i)));
        }
      }
    }
    attributes() = {{"POSITION", floats(place, "VEC3")},
                    {"NORMAL", floats(normal, "VEC3")},
                    {"TANGENT", floats(tangent, "VEC4")},
                    {"TEXCOORD_0", floats(texcoord, "VEC2")},
                    {"JOINTS_0", accessor(joint, test::kU8, "VEC4")},
                    {"WEIGHTS_0", floats(weight, "VEC4")}};
    set_indices(index);
  }
  /// A strip of four rows along a chain of five joints, each falling off to the next over as long as a bone is.
  /// @param is_cut  but for the falloff to the third @param far  weight of the root at the chain's end
  void set_chain(bool is_cut, float far) {
    constexpr std::size_t kColumnsOfChain = 37;
    add_joint("elbow", 1, 1, 2);
    add_joint("hand", root["nodes"].size() - 1, 1, 3);
    add_joint("finger", root["nodes"].size() - 1, 1, 4);
    constexpr std::array<std::uint8_t, 5> kChain = {0, 1, 3, 4, 5};
    std::vector<float> place, normal, texcoord, weight;
    std::vector<std::uint8_t> joint;
    std::vector<std::uint16_t> index;
    for (std::size_t c = 0; c < kColumnsOfChain; ++c) {
      const float x = static_cast<float>(c) / 8;
      const std::size_t next = std::min<std::size_t>(static_cast<std::size_t>(x + 0.5f), 4);
      const float w = std::min(x + 0.5f - static_cast<float>(next), 1.0f);
      const float own = next == 0 ? 1 : is_cut && next == 2 ? (w < 0.5f ? 0.0f : 1.0f) : w;
      const float into = std::clamp((x - 3) / 1.5f, 0.0f, 1.0f);
      const float taken = far * into * into;  // without a border at which it ends at once
      for (int row = 0; row < 4; ++row) {
        const float y = 0.2f * static_cast<float>(row) - 0.3f;
        place.insert(place.end(), {x, y, 0});
        normal.insert(normal.end(), {0, 0, 1});
        texcoord.insert(texcoord.end(), {x / 5, y + 0.5f});
        joint.insert(joint.end(), {kChain[next], kChain[next == 0 ? 1 : next - 1], 0, 0});
        weight.insert(weight.end(), {(1 - taken) * own, (1 - taken) * (1 - own), taken, 0});
        for (const int i : {0, 4, 1, 1, 4, 5}) {
          if (c + 1 < kColumnsOfChain && row < 3) {
            index.push_back(static_cast<std::uint16_t>(4 * c + static_cast<std::size_t>(row + i)));
          }
        }
      }
    }
    // No vertex follows the other arm.
    attributes() = {{"POSITION", floats(place, "VEC3")},
                    {"NORMAL", floats(normal, "VEC3")},
                    {"TEXCOORD_0", floats(texcoord, "VEC2")},
                    {"JOINTS_0", accessor(joint, test::kU8, "VEC4")},
                    {"WEIGHTS_0", floats(weight, "VEC4")}};
    set_indices(index);
  }
  /// Names without a side, so that nothing is expected to be symmetric.
  void forget_sides() {
    node(1)["name"] = "one";
    node(2)["name"] = "other";
  }
  void set_indices(const std::vector<std::uint16_t>& values) {
    primitive()["indices"] = accessor(values, test::kU16, "SCALAR");
  }
  void set_turns(const std::vector<float>& angles) { poke(rotations, 0, turns(angles)); }

 private:
  std::vector<float> bound_ = {0, 1, -1};
};

using Edit = std::function<void(SheetFile&)>;

struct Twin {
  const char* code;
  Edit spoil;
  std::vector<std::string> companions = {};  ///< that cannot be had without
  Edit good = {};                            ///< on the good twin, too: what the fault needs to stand beside
};

/// The same vertices as a second primitive, or a part of it.
json second_primitive(SheetFile& file, const json& changes) {
  json out = file.primitive();
  out.update(changes);
  return out;
}

const std::vector<Twin>& twins() {
  static const std::vector<Twin> kTwins = {
      {"weight-sum", [](SheetFile& f) { f.set_weights(8, {0.9f}); }},
      {"weight-integer-sum",
       [](SheetFile& f) {
         std::vector<std::uint8_t> bytes;
         for (const float w : f.weight_values) {
           bytes.push_back(static_cast<std::uint8_t>(w == 0.5f ? 127 : 255 * w));
         }
         f.attributes()["WEIGHTS_0"] = f.accessor(bytes, test::kU8, "VEC4", true);
       },
       {},
       [](SheetFile& f) {
         std::vector<std::uint8_t> bytes;
         for (const float w : f.weight_values) {
           bytes.push_back(static_cast<std::uint8_t>(w == 0.5f ? 127 + bytes.size() % 2 : 255U * (w > 0 ? 1U : 0U)));
         }
         f.attributes()["WEIGHTS_0"] = f.accessor(bytes, test::kU8, "VEC4", true);
       }},
      {"weight-negative",
       [](SheetFile& f) {
         f.set_weights(8, {1, 0, -0.25f});
       }},
      {"weight-not-finite",
       [](SheetFile& f) {
         f.set_weights(8, {1, 0, kNan});
       }},
      {"weight-on-no-joint", [](SheetFile& f) { f.set_joint(4, 1, 3); }, {"weight-sum", "weight-asymmetry"}},
      {"weight-type",
       [](SheetFile& f) {
         f.attributes()["WEIGHTS_0"] = f.accessor(std::vector<std::uint8_t>(72, 0), test::kU8, "VEC4", false);
       },
       {"weight-zero"},
       [](SheetFile& f) {
         f.attributes()["WEIGHTS_0"] = f.accessor(std::vector<std::uint8_t>(72, 0), test::kU8, "VEC4", true);
       }},
      {"weight-zero", [](SheetFile& f) { f.set_weights(8, {0}); }},
      {"neutral-bone",
       [](SheetFile& f) { f.node(2)["name"] = "neutral_bone"; },
       {},
       [](SheetFile& f) { f.node(2)["name"] = "bone"; }},
      {"duplicate-joint",
       [](SheetFile& f) {
         f.set_weights(8, {0.5f, 0, 0.5f});
       },
       {},
       [](SheetFile& f) {
         f.set_weights(8, {1, 0, 0, 0});
       }},
      {"padding-joint", [](SheetFile& f) { f.set_joint(8, 3, 200); }},
      {"influence-order",
       [](SheetFile& f) {
         f.add_second_set({0.5f, 0.41f, 0.05f, 0}, 0.04f);
       },
       {},
       [](SheetFile& f) {
         f.add_second_set({0.5f, 0.41f, 0.05f, 0.04f}, 0);
       }},
      {"many-influences",
       [](SheetFile& f) {
         f.add_second_set({0.5f, 0.41f, 0.03f, 0.03f}, 0.03f);
       },
       {},
       [](SheetFile& f) {
         f.add_second_set({0.5f, 0.41f, 0.05f, 0.04f}, 0);
       }},
      {"unused-influences",
       [](SheetFile& f) {
         f.push("meshes", f.root["meshes"][0]);
         f.push("nodes", {{"mesh", 1}});
         f.root["scenes"][0]["nodes"].push_back(4);
       }},
      {"attachment-joint", [](SheetFile& f) { f.add_joint("weapon_socket", 1, 0.5f, 1.5f); }},
      {"unused-joint", [](SheetFile& f) { f.add_joint("hand_l", 1, 0.5f, 1.5f); }},
      {"joint-without-weight",
       [](SheetFile& f) {
         f.forget_sides();
         for (std::size_t v = 0; v < 18; ++v) {
           f.set_joint(v, 0, v < 9 ? 2 : 1);
         }
         for (std::size_t v = 0; v < 18; ++v) {
           f.set_weights(v, {1, 0});
         }
       }},
      {"rogue-weight",
       // The last columns follow joint 2, whose own vertices are at the other end.
       [](SheetFile& f) {
         f.forget_sides();
         f.set_joint(14, 0, 2);
         f.set_weights(14, {0.1f, 0.9f});
       },
       {},
       [](SheetFile& f) {
         f.forget_sides();
         f.set_joint(14, 0, 0);
         f.set_weights(14, {0.1f, 0.9f});
       }},
      {"wrong-side-weight", [](SheetFile& f) { f.set_joint(14, 1, 2); }, {"rogue-weight", "weight-asymmetry"}},
      {"far-joint-weight",
       [](SheetFile& f) { f.set_chain(false, 0.3f); },
       {"unused-joint"},
       [](SheetFile& f) { f.set_chain(false, 0); }},
      {"hard-edge-weight",
       [](SheetFile& f) { f.set_chain(true, 0); },
       {"unused-joint"},
       [](SheetFile& f) { f.set_chain(false, 0); }},
      {"weight-asymmetry",
       [](SheetFile& f) {
         f.set_weights(4, {0.8f, 0.2f});
       }},
      {"inverse-bind-missing",
       [](SheetFile& f) { f.root["skins"][0].erase("inverseBindMatrices"); },
       {"rest-not-bind"}},
      {"inverse-bind",
       [](SheetFile& f) {
         f.add_joint("hand_l", 1, 0.5f, 1.5f);
         std::vector<float> values = SheetFile::binds({0, 1, -1, 1.5f});
         values[48] = 1e30f;
         f.root["skins"][0]["inverseBindMatrices"] = f.floats(values, "MAT4");
       },
       {"unused-joint"}},
      {"inverse-bind-row", [](SheetFile& f) { f.poke(f.inverse_binds, 3, {0.5f}); }},
      {"inverse-bind-singular", [](SheetFile& f) { f.poke(f.inverse_binds, 32, {0}); }},
      {"inverse-bind-inconsistent",
       [](SheetFile& f) {
         f.push("meshes", f.root["meshes"][0]);
         f.push("nodes", {{"mesh", 1}, {"skin", 1}});
         f.root["scenes"][0]["nodes"].push_back(4);
         f.push("skins", {{"joints", {0, 1, 2}}, {"inverseBindMatrices", f.floats(f.binds({0, 1.5f, -1}), "MAT4")}});
       },
       {"rest-not-bind"},
       // Bound in another space, but in the same pose.
       [](SheetFile& f) {
         f.push("meshes", f.root["meshes"][0]);
         f.push("nodes", {{"mesh", 1}, {"skin", 1}});
         f.root["scenes"][0]["nodes"].push_back(4);
         f.push("skins", {{"joints", {0, 1, 2}}, {"inverseBindMatrices", f.floats(f.binds({3, 4, 2}), "MAT4")}});
       }},
      {"inverse-bind-mismatch",
       [](SheetFile& f) {
         f.add_second_set({0.5f, 0.41f, 0.05f, 0.04f}, 0);
         f.poke(f.root["skins"][0]["inverseBindMatrices"], 16 * 2 + 12, {1.3f});
       },
       {},
       [](SheetFile& f) {
         f.add_second_set({0.5f, 0.41f, 0.05f, 0.04f}, 0);
       }},
      {"rest-not-bind",
       [](SheetFile& f) {
         f.node(1)["translation"] = {1, 0.25f, 0};
       }},
      {"bind-shear", [](SheetFile& f) { f.poke(f.inverse_binds, 20, {0.5f}); }, {"rest-not-bind"}},
      {"joint-scale",
       [](SheetFile& f) {
         f.node(0)["scale"] = {1, 2, 1};
         std::vector<float> values = SheetFile::binds({0, 1, -1});
         for (const std::size_t k : {0U, 1U, 2U}) {
           values[16 * k + 5] = 0.5f;
         }
         f.poke(f.inverse_binds, 0, values);
       },
       {},
       [](SheetFile& f) {
         f.node(0)["scale"] = {2, 2, 2};
         std::vector<float> values = SheetFile::binds({0, 1, -1});
         for (const std::size_t k : {0U, 1U, 2U}) {
           values[16 * k] = values[16 * k + 5] = values[16 * k + 10] = 0.5f;
         }
         f.poke(f.inverse_binds, 0, values);
       }},
      {"joint-mirrored",
       [](SheetFile& f) {
         f.node(1)["scale"] = {1, 1, -1};
         f.poke(f.inverse_binds, 16 + 10, {-1});
       }},
      {"mesh-node-transform",
       [](SheetFile& f) {
         f.node(3)["translation"] = {0, 5, 0};
       }},
      {"skeleton-outside-scene", [](SheetFile& f) { f.root["scenes"][0]["nodes"] = {3}; }},
      {"skeleton-root",
       [](SheetFile& f) { f.root["skins"][0]["skeleton"] = 99; },
       {},
       [](SheetFile& f) { f.root["skins"][0]["skeleton"] = 0; }},
      {"skeleton-root-not-common", [](SheetFile& f) { f.root["skins"][0]["skeleton"] = 1; }},
      {"joint-listed-twice",
       [](SheetFile& f) {
         f.root["skins"][0]["joints"] = {0, 1, 2, 0};
         f.root["skins"][0]["inverseBindMatrices"] = f.floats(SheetFile::binds({0, 1, -1, 0}), "MAT4");
         f.set_joint(8, 0, 3);
       },
       {"weight-asymmetry"}},
      {"several-roots",
       [](SheetFile& f) {
         f.node(0)["children"] = {1};
         f.root["scenes"][0]["nodes"] = {0, 2, 3};
       }},
      {"zero-length-bone",
       [](SheetFile& f) {
         f.node(1)["translation"] = {0, 0, 0};
         f.node(2)["translation"] = {0, 0, 0};
         f.node(2)["name"] = "other";
         f.poke(f.inverse_binds, 0, SheetFile::binds({0, 0, 0}));
       }},
      {"skin-without-mesh", [](SheetFile& f) { f.node(1)["skin"] = 0; }},
      {"skin-without-weights",
       [](SheetFile& f) {
         json plain = f.root["meshes"][0];
         plain["primitives"][0]["attributes"].erase("JOINTS_0");
         plain["primitives"][0]["attributes"].erase("WEIGHTS_0");
         f.push("meshes", plain);
         f.push("nodes", {{"mesh", 1}, {"skin", 0}});
         f.root["scenes"][0]["nodes"].push_back(4);
       }},
      {"matrix-row",
       [](SheetFile& f) {
         f.node(1).erase("translation");
         f.node(1)["matrix"] = {1, 0, 0, 0.5f, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1};
       }},
      {"rotation-length",
       [](SheetFile& f) {
         f.node(1)["rotation"] = {0, 0, 0, 2};
       }},
      {"dofs", [](SheetFile& f) { f.node(1)["extras"]["pelt"]["dofs"] = 3; }},
      {"layers", [](SheetFile& f) { f.root["extras"]["pelt"]["layers"] = 3; }},
      {"control-points",
       [](SheetFile& f) { f.root["meshes"][0]["primitives"][0]["extras"]["pelt"]["nurbs"]["points"] = 3; }},
      // Below the edge from 6 to 10, in the middle of which 8 stands.
      {"t-junction",
       [](SheetFile& f) {
         f.forget_sides();
         f.poke(f.positions, 3 * 16, {-0.25f, -1, 0, 0.25f, -1, 0});
         f.set_indices({0, 2,  1,  1,  2,  3,  2,  4,  3,  3,  4,  5,  4,  6,  5,  5, 6,  7, 6, 10, 7,  7, 10, 9,
                        9, 10, 11, 10, 12, 11, 11, 12, 13, 12, 14, 13, 13, 14, 15, 6, 16, 8, 8, 16, 17, 8, 17, 10});
       },
       {},
       [](SheetFile& f) {
         f.forget_sides();
         f.poke(f.positions, 3 * 16, {-0.25f, -1, 0, 0.25f, -1, 0});
         f.set_indices({0, 2, 1,  1,  2,  3,  2,  4,  3,  3,  4,  5,  4,  6,  5,  5,  6, 7,  6, 8, 7,  7,  8, 9,  8, 10,
                        9, 9, 10, 11, 10, 12, 11, 11, 12, 13, 12, 14, 13, 13, 14, 15, 6, 16, 8, 8, 16, 17, 8, 17, 10});
       }},
      {"open-seam",
       [](SheetFile& f) {
         f.forget_sides();
         f.poke(f.positions, 3 * 10, {0, 0, 0});
         f.set_weights(10, {0.7f, 0.3f});
       },
       {"zero-area-triangle"},
       [](SheetFile& f) {
         f.forget_sides();
         f.poke(f.positions, 3 * 10, {0, 0, 0});
       }},
      {"non-manifold-edge",
       [](SheetFile& f) {
         f.set_indices({0,  2,  1,  1,  2,  3,  2,  4,  3,  3,  4,  5,  4,  6,  5,  5,  6,
                        7,  6,  8,  7,  7,  8,  9,  8,  10, 9,  9,  10, 11, 10, 12, 11, 11,
                        12, 13, 12, 14, 13, 13, 14, 15, 14, 16, 15, 15, 16, 17, 2,  3,  5});
       }},
      {"zero-area-triangle",
       [](SheetFile& f) {
         f.set_indices({0,  2,  1,  1,  2,  3,  2,  4,  3,  3,  4,  5,  4,  6,  5,  5,  6,
                        7,  6,  8,  7,  7,  8,  9,  8,  10, 9,  9,  10, 11, 10, 12, 11, 11,
                        12, 13, 12, 14, 13, 13, 14, 15, 14, 16, 15, 15, 16, 17, 3,  3,  4});
       }},
      {"duplicate-vertex",
       [](SheetFile& f) {
         // The last but one again, for the last triangle.
         for (int* one : {&f.positions, &f.normals, &f.tangents, &f.texcoords, &f.joints, &f.weights}) {
           const json& entry = f.root["accessors"][*one];
           const json& where = f.root["bufferViews"][entry["bufferView"].get<std::size_t>()];
           const auto begin = f.bin.begin() + where["byteOffset"].get<std::ptrdiff_t>();
           std::vector<std::uint8_t> bytes(begin, begin + where["byteLength"].get<std::ptrdiff_t>());
           const std::size_t size = bytes.size() / 18;
           const std::vector<std::uint8_t> copied(bytes.end() - static_cast<std::ptrdiff_t>(2 * size),
                                                  bytes.end() - static_cast<std::ptrdiff_t>(size));
           bytes.insert(bytes.end(), copied.begin(), copied.end());
           const int view = f.view(bytes);
           f.root["accessors"][*one]["bufferView"] = view;
           f.root["accessors"][*one]["count"] = 19;
         }
         const std::uint16_t copy = 18;
         const json& entry = f.root["accessors"][f.indices];
         const json& where = f.root["bufferViews"][entry["bufferView"].get<std::size_t>()];
         std::memcpy(f.bin.data() + where["byteOffset"].get<std::size_t>() + 46 * sizeof(copy), &copy, sizeof(copy));
       }},
      {"unused-vertex", [](SheetFile& f) { f.root["accessors"][f.indices]["count"] = 45; }},
      {"winding",
       [](SheetFile& f) {
         f.set_indices({0, 2,  1, 1, 2,  3,  2,  4,  3,  3,  4,  5,  4,  6,  5,  5,  6,  7,  6,  8,  7,  7,  8,  9,
                        8, 10, 9, 9, 10, 11, 10, 12, 11, 11, 12, 13, 12, 14, 13, 13, 14, 15, 14, 16, 15, 15, 17, 16});
       }},
      {"normal-length",
       [](SheetFile& f) {
         f.poke(f.normals, 0, {0, 0, 2});
       }},
      {"tangent", [](SheetFile& f) { f.poke(f.tangents, 3, {0.5f}); }},
      {"not-finite", [](SheetFile& f) { f.poke(f.texcoords, 3, {kNan}); }},
      {"attribute", [](SheetFile& f) { f.root["accessors"][f.texcoords]["count"] = 17; }},
      {"index-count",
       [](SheetFile& f) {
         f.root["meshes"][0]["primitives"].push_back(second_primitive(f, {{"mode", 1}}));
         f.root["meshes"][0]["primitives"][1]["indices"] =
             f.accessor(std::vector<std::uint16_t>{0, 1, 2}, test::kU16, "SCALAR");
       },
       {"unused-vertex"},
       [](SheetFile& f) {
         f.root["meshes"][0]["primitives"].push_back(second_primitive(f, {{"mode", 1}}));
         f.root["meshes"][0]["primitives"][1]["indices"] =
             f.accessor(std::vector<std::uint16_t>{0, 1}, test::kU16, "SCALAR");
       }},
      {"no-position",
       [](SheetFile& f) {
         f.root["meshes"][0]["primitives"].push_back(second_primitive(f, json::object()));
         f.root["meshes"][0]["primitives"][1]["attributes"] = {{"NORMAL", f.normals}};
       }},
      {"morph-count",
       [](SheetFile& f) {
         f.root["meshes"][0]["primitives"].push_back(second_primitive(f, json::object()));
         f.root["meshes"][0]["primitives"][1]["targets"] = {{{"POSITION", f.normals}}};
       },
       {"non-manifold-edge"},
       [](SheetFile& f) { f.root["meshes"][0]["primitives"].push_back(second_primitive(f, json::object())); }},
      {"morph-weights", [](SheetFile& f) { f.root["meshes"][0]["weights"] = {1}; }},
      {"clip-jump",
       [](SheetFile& f) {
         f.set_turns({0, 0.1f, 0.2f, 2.2f, 2.3f});
       },
       {},
       [](SheetFile& f) {
         f.set_turns({0, 0.5f, 1.1f, 1.7f, 2.3f});
       }},
      {"track-constant",
       [](SheetFile& f) {
         f.set_turns({0.3f, 0.3f, 0.3f, 0.3f, 0.3f});
       }},
      {"track-redundant",
       [](SheetFile& f) {
         f.set_turns({0, 0.1f, 0.2f, 0.3f, 0.4f});
       }},
      {"off-ground",
       [](SheetFile& f) {
         f.add_legs();
         f.node(0)["translation"] = {0, 0.5f, 0};
       },
       {"unused-joint"},
       [](SheetFile& f) { f.add_legs(); }},
      {"off-centre",
       [](SheetFile& f) {
         f.add_legs();
         f.node(0)["translation"] = {0.5f, 0, 0};
       },
       {"unused-joint"},
       [](SheetFile& f) { f.add_legs(); }},
      {"straight-elbow",
       [](SheetFile& f) {
         f.node(1)["name"] = "upperarm_l";
         f.add_joint("lowerarm_l", 1, 0.5f, 1.5f);
         f.add_joint("hand_l", 4, 0.25f, 1.75f);
       },
       {"unused-joint"},
       [](SheetFile& f) {
         f.node(1)["name"] = "upperarm_l";
         f.add_joint("lowerarm_l", 1, 0.5f, 1.5f);
         f.lift_joint(f.add_joint("hand_l", 4, 0.25f, 1.75f), 0.1f);
       }},
      {"closed-fingers",
       [](SheetFile& f) {
         for (const char* finger : {"index", "pinky"}) {
           f.add_joint((finger + std::string("_01_l")).c_str(), 1, 0.2f, 1.2f);
           f.add_joint((finger + std::string("_02_l")).c_str(), f.root["nodes"].size() - 1, 0.2f, 1.4f);
         }
       },
       {"unused-joint"},
       [](SheetFile& f) {
         std::size_t last = 0;
         for (const char* finger : {"index", "pinky"}) {
           f.add_joint((finger + std::string("_01_l")).c_str(), 1, 0.2f, 1.2f);
           last = f.add_joint((finger + std::string("_02_l")).c_str(), f.root["nodes"].size() - 1, 0.2f, 1.4f);
         }
         f.lift_joint(last, 0.1f);
       }},
      {"many-joints",
       [](SheetFile& f) {
         for (int i = 0; i < 62; ++i) {
           f.add_joint("spare", 0, 0.1f, 0.1f);
         }
       },
       {"unused-joint"},
       [](SheetFile& f) {
         for (int i = 0; i < 61; ++i) {
           f.add_joint("spare", 0, 0.1f, 0.1f);
         }
       }},
      {"rigid-binding", [](SheetFile& f) { f.set_columns(502, 0); }, {}, [](SheetFile& f) { f.set_columns(502, 1); }},
      {"wide-turn",
       [](SheetFile& f) {
         f.set_turns({0, 0.7f, 1.4f, 2.15f, 2.9f});
       }},
      {"clip-empty", [](SheetFile& f) { f.root["animations"][0]["channels"] = json::array(); }},
      {"key-order",
       [](SheetFile& f) {
         f.poke(f.times, 1, {0.1f, 0.05f});
       }},
      {"channel",
       [](SheetFile& f) {
         f.root["animations"][0]["channels"].push_back({{"sampler", 0}, {"target", {{"node", 2}, {"path", "colour"}}}});
       }},
      {"material", [](SheetFile& f) { f.primitive()["material"] = 7; }, {"unused-data"}},
      {"alpha-mode",
       [](SheetFile& f) { f.root["materials"][0]["alphaMode"] = "GLASS"; },
       {},
       [](SheetFile& f) { f.root["materials"][0]["alphaMode"] = "MASK"; }},
      {"texture",
       [](SheetFile& f) {
         f.root["materials"][0]["normalTexture"] = {{"index", 5}};
       }},
      {"texcoord",
       [](SheetFile& f) { f.root["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["texCoord"] = 5; }},
      {"texcoord-unshown",
       [](SheetFile& f) {
         f.attributes()["TEXCOORD_1"] = f.attributes()["TEXCOORD_2"] = f.texcoords;
         f.root["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["texCoord"] = 2;
       }},
      {"sampler", [](SheetFile& f) { f.root["textures"][0]["sampler"] = 5; }},
      {"image",
       [](SheetFile& f) {
         f.root["images"][0] = {{"uri", "absent.png"}};
       }},
      {"image-format",
       [](SheetFile& f) {
         const std::vector<std::uint8_t> ktx = {0xAB, 'K', 'T', 'X', ' ', '2', '0', 0xBB, '\r', '\n', 0x1A, '\n'};
         f.push("images", {{"bufferView", f.view(ktx)}, {"mimeType", "image/ktx2"}});
         f.push("textures", {{"extensions", {{"KHR_texture_basisu", {{"source", 1}}}}}});
         f.root["materials"][0]["normalTexture"] = {{"index", 1}};
       }},
      {"texture-transform",
       [](SheetFile& f) {
         f.root["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] = {
             {"KHR_texture_transform", {{"scale", "double"}}}};
       },
       {},
       [](SheetFile& f) {
         f.root["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] = {
             {"KHR_texture_transform", {{"scale", {2, 2}}}}};
       }},
      {"scene-root", [](SheetFile& f) { f.root["scenes"][0]["nodes"].push_back(3); }},
      {"default-scene", [](SheetFile& f) { f.root["scene"] = 4; }},
      {"unused-data",
       [](SheetFile& f) {
         f.push("materials", {{"name", "spare"}});
       }},
      {"extension-required",
       [](SheetFile& f) { f.root["extensionsUsed"] = f.root["extensionsRequired"] = {"VENDOR_unheard_of"}; },
       {},
       [](SheetFile& f) { f.root["extensionsUsed"] = {"VENDOR_unheard_of"}; }},
      {"extension-unknown",
       [](SheetFile& f) { f.root["extensionsUsed"] = {"VENDOR_unheard_of"}; },
       {},
       [](SheetFile& f) { f.root["extensionsUsed"] = {"KHR_materials_unlit"}; }},
      {"instances-unshown",
       [](SheetFile& f) {
         const int translations = f.floats({1, 0, 0, 2, 0, 0}, "VEC3");
         f.node(3)["extensions"] = {{"EXT_mesh_gpu_instancing", {{"attributes", {{"TRANSLATION", translations}}}}}};
       }},
      {"extension-value",
       [](SheetFile& f) {
         f.root["materials"][0]["extensions"] = {{"KHR_materials_ior", {{"ior", "glass"}}}};
       },
       {},
       [](SheetFile& f) {
         f.root["materials"][0]["extensions"] = {{"KHR_materials_ior", {{"ior", 1.4}}}};
       }},
      {"constraint-cycle",
       [](SheetFile& f) {
         for (const int n : {1, 2}) {
           f.node(static_cast<std::size_t>(n))["extensions"]["VRMC_node_constraint"] = {
               {"specVersion", "1.0"}, {"constraint", {{"rotation", {{"source", 3 - n}}}}}};
         }
       },
       {},
       [](SheetFile& f) {
         f.node(1)["extensions"]["VRMC_node_constraint"] = {{"specVersion", "1.0"},
                                                            {"constraint", {{"rotation", {{"source", 2}}}}}};
       }},
      {"fallback",
       [](SheetFile& f) {
         f.primitive()["extensions"] = {{"KHR_draco_mesh_compression", json::object()}};
       }},
      {"channel-target",
       [](SheetFile& f) {
         f.root["animations"][0]["channels"].push_back({{"sampler", 0}, {"target", {{"path", "rotation"}}}});
       }},
      {"buffer",
       [](SheetFile& f) {
         f.root["buffers"] = {{{"byteLength", f.bin.size()}}, {{"byteLength", 4}, {"uri", "absent.bin"}}};
       }},
      {"buffer-length",
       [](SheetFile& f) {
         f.root["buffers"] = {{{"byteLength", f.bin.size() + 4000}}};
       }},
      {"more-diagnostics",
       [](SheetFile& f) {
         for (int i = 0; i < 600; ++i) {
           f.root["scenes"][0]["nodes"].push_back(99);
         }
       },
       {"scene-root"}},
  };
  return kTwins;
}

/// Files that other tests of this folder make, since they are large, compressed or in no plain container; of the schema
/// the parser passes over nothing that a file could be made for here.
const std::set<std::string> kToldElsewhere = {"extras", "glb-chunk", "draco-count", "schema"};
/// What only a file can have, not the character made of it: conformance_test.cpp has a file for each.
const std::set<std::string> kOfTheFileAlone = {"reference",       "unchecked",      "accessor-bounds",
                                               "accessor-format", "accessor-range", "accessor-use",
                                               "alignment",       "byte-stride",    "attribute-name",
                                               "attribute-count", "index-value",    "joint-index",
                                               "sparse",          "color-range",    "inverse-bind-count",
                                               "tangent-space",   "node-transform", "node-tree",
                                               "camera",          "light",          "variant",
                                               "image-type",      "data-uri",       "extension-undeclared",
                                               "extension-place"};

std::set<std::string> codes_of(const rig::Character& character) {
  std::set<std::string> codes;
  const auto findings = rig::lint(character);
  EXPECT_TRUE(findings);
  for (const rig::Finding& finding : *findings) {
    codes.insert(finding.code);
    EXPECT_FALSE(finding.message.empty());
    EXPECT_FALSE(finding.where.empty());
    if (!finding.place.vertices.empty()) {
      EXPECT_GE(finding.place.mesh, 0) << finding.code;
      EXPECT_GE(finding.place.primitive, 0) << finding.code;
    }
  }
  return codes;
}

/// Every corner of every triangle in a pose that moves all nodes, linear blending.
std::vector<glm::vec3> posed_corners(const rig::Character& character) {
  rig::Pose pose = rig::rest_pose(character);
  for (std::size_t j = 0; j < pose.local.size(); ++j) {
    // By name, since nodes may come back in another order.
    const std::string& name = character.skeleton->name[j];
    const float angle = 0.3f + 0.1f * static_cast<float>(name.empty() ? 0 : name.back() % 8);
    pose.local[j].rotation = pose.local[j].rotation * glm::angleAxis(angle, glm::normalize(glm::vec3(1, 2, 3)));
  }
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  std::vector<glm::vec3> corners;
  std::vector<glm::mat4> matrices;
  for (const rig::Part& part : character.parts) {
    const mesh::Primitive& primitive = character.primitive(part);
    if (part.skin >= 0) {
      const rig::Skin& skin = character.skins[part.skin];
      matrices.resize(skin.joints.size());
      rig::skin_matrices(skin, world.world(), matrices);
    }
    for (const std::uint32_t v : primitive.indices) {
      const glm::vec4 bound(primitive.positions[v], 1.0f);
      glm::vec4 position(0.0f);
      const mesh::Influences& rows = primitive.influences;
      if (part.skin < 0 || rows.empty()) {
        position = world[part.joint] * bound;
      } else {
        const mesh::InfluenceRow row = rows.row(v);
        for (std::size_t i = 0; i < row.joints.size(); ++i) {
          position += row.weights[i] * (matrices[row.joints[i]] * bound);
        }
      }
      corners.emplace_back(position);
    }
  }
  // Turning a triangle round exchanges its corners and moves none.
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
    std::sort(corners.begin() + static_cast<std::ptrdiff_t>(i), corners.begin() + static_cast<std::ptrdiff_t>(i) + 3,
              [](const glm::vec3& a, const glm::vec3& b) { return a.x + 2 * a.y + 4 * a.z < b.x + 2 * b.y + 4 * b.z; });
  }
  return corners;
}

TEST(Lint, EveryRuleHasTwins) {
  std::set<std::string> codes = kToldElsewhere;
  codes.insert(kOfTheFileAlone.begin(), kOfTheFileAlone.end());
  for (const Twin& twin : twins()) {
    EXPECT_TRUE(codes.insert(twin.code).second) << twin.code;
  }
  std::set<std::string> rules;
  for (const rig::LintRule& rule : rig::lint_rules()) {
    EXPECT_TRUE(rules.insert(std::string(rule.code)).second) << rule.code;
    EXPECT_FALSE(rule.explanation.empty());
    EXPECT_FALSE(rule.remedy.empty());
  }
  EXPECT_EQ(codes, rules);
}

TEST(Lint, ThePageListsTheRules) {
  const Result<std::string> page = read_file(PELT_SOURCE_DIR "/src/rig/lint_rules.md");
  ASSERT_TRUE(page);
  constexpr const char* kSeverities[] = {"info", "warning", "error"};
  for (const rig::LintRule& rule : rig::lint_rules()) {
    EXPECT_THAT(*page, testing::HasSubstr(fmt::format("| `{}` | {} | {} | {} | {} |\n", rule.code,
                                                      kSeverities[static_cast<int>(rule.severity)],
                                                      rule.only_named ? "named"
                                                      : rule.fixable  ? "yes"
                                                                      : "",
                                                      rule.explanation, rule.remedy)));
  }
}

TEST(Lint, EveryCodeOfTheImporterHasARule) {
  const std::regex call("(?:warn|note|tell)\\(\\s*(?:Severity::\\w+,\\s*)?\"([a-z][a-z-]+)\"");
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PELT_SOURCE_DIR "/src/gltf")) {
    const Result<std::string> text = read_file(entry.path());
    for (std::sregex_iterator at(text->begin(), text->end(), call); at != std::sregex_iterator(); ++at) {
      ++count;
      EXPECT_NE(rig::find_lint_rule((*at)[1].str()), nullptr) << entry.path() << ": " << (*at)[1];
    }
  }
  EXPECT_GT(count, 50u);
}

TEST(Lint, BadTwinsReportTheirCodeAndGoodOnesNothing) {
  EXPECT_THAT(codes_of(opened(SheetFile())), IsEmpty());
  for (const Twin& twin : twins()) {
    SCOPED_TRACE(twin.code);
    SheetFile good;
    if (twin.good) {
      twin.good(good);
    }
    EXPECT_THAT(codes_of(opened(good)), testing::Not(testing::Contains(twin.code)));
    SheetFile bad;
    twin.spoil(bad);
    std::set<std::string> expected(twin.companions.begin(), twin.companions.end());
    expected.insert(twin.code);
    EXPECT_EQ(codes_of(opened(bad)), expected);
  }
}

// Joints without an inverse have no place, and a falloff no width: lint goes on, and what it names is the cut itself.
TEST(Lint, HardEdgesNeedNoPlaceOfAJoint) {
  const auto named = [](bool singular) {
    SheetFile file;
    file.set_chain(true, 0);
    if (singular) {
      file.root["skins"][0]["inverseBindMatrices"] = file.floats(std::vector<float>(6 * 16, 0.0f), "MAT4");
    }
    std::size_t count = 0;
    const Result<rig::Findings> findings = rig::lint(opened(file));
    for (const rig::Finding& finding : *findings) {
      count += finding.code == "hard-edge-weight" ? finding.mesh_vertices.size() : 0;
    }
    return count;
  };
  EXPECT_EQ(named(true), 8u);  // both ends of four rows
  EXPECT_GT(named(false), 8u);
  EXPECT_LT(named(false), 60u);  // of 148
}

TEST(Lint, FixingRemovesWhatIsFixableAndMovesNothing) {
  for (const Twin& twin : twins()) {
    SCOPED_TRACE(twin.code);
    SheetFile bad;
    twin.spoil(bad);
    const rig::Character before = opened(bad);
    // What is mended only where it is asked for, too.
    const std::vector<std::string> named = {twin.code};
    const bool only_named = rig::find_lint_rule(twin.code)->only_named;
    const rig::Character sound = rig::fixed(only_named ? rig::fixed(before, named) : before);
    const auto glb = gltf::export_glb(sound);
    ASSERT_TRUE(glb) << glb.error().message;
    const rig::Character after = opened(*glb);
    const std::set<std::string> left = codes_of(after);
    for (const std::string& code : codes_of(sound)) {
      EXPECT_FALSE(rig::find_lint_rule(code)->is_usually_fixed() ||
                   (code == twin.code && rig::find_lint_rule(code)->fixable))
          << code;
    }
    for (const std::string& code : left) {
      EXPECT_FALSE(rig::find_lint_rule(code)->is_usually_fixed() ||
                   (code == twin.code && rig::find_lint_rule(code)->fixable))
          << code;
    }
    // A matrix that is right again brings what followed the wrong one back to where it belongs.
    SheetFile good;
    if (twin.good) {
      twin.good(good);
    }
    const bool brings_back = std::string_view(twin.code) == "inverse-bind-mismatch";
    const std::vector<glm::vec3> there = posed_corners(brings_back ? opened(good) : before);
    for (const rig::Character* one : {&sound, &after}) {
      const std::vector<glm::vec3> here = posed_corners(*one);
      ASSERT_EQ(here.size(), there.size());
      float largest = 0;
      for (std::size_t i = 0; i < here.size(); ++i) {
        largest = std::max(largest, glm::length(here[i] - there[i]));
      }
      EXPECT_LE(largest, 1e-6f);
    }
  }
}

/// The findings of one code: "severity: place: message".
std::vector<std::string> told(const SheetFile& file, std::string_view code) {
  constexpr const char* kSeverities[] = {"info", "warning", "error"};
  std::vector<std::string> out;
  const auto findings = rig::lint(opened(file));
  for (const rig::Finding& finding : *findings) {
    if (finding.code == code) {
      out.push_back(
          fmt::format("{}: {}: {}", kSeverities[static_cast<int>(finding.severity)], finding.where, finding.message));
    }
  }
  return out;
}

// A patch that was turned round in a smooth surface is found and turned back as a whole, whatever the normals at its
// border say; so is one that only a few triangles betray.
TEST(Lint, PatchesAreWoundTheWrongWayAsAWhole) {
  for (const double radius : {0.08, 0.2, 0.35}) {
    SCOPED_TRACE(radius);
    rig::Character character = test::cylinder();
    mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
    const std::vector<std::uint32_t> before = primitive.indices;
    std::vector<std::uint32_t> turned;
    for (std::uint32_t t = 0; t < primitive.triangle_count(); ++t) {
      const glm::vec3 at = primitive.positions[primitive.indices[3 * t]];
      if (glm::distance(at, primitive.positions[test::cylinder_vertex(15, 4)]) < static_cast<float>(radius)) {
        turned.push_back(t);
      }
    }
    ASSERT_GT(turned.size(), 10u);
    mesh::turn_round(primitive, turned);
    // Normals made anew from the triangles: at the border they are anything.
    std::vector<glm::vec3>& normals = primitive.normals.edit();
    for (const std::uint32_t t : turned) {
      for (int c = 0; c < 3; ++c) {
        const std::uint32_t v = primitive.indices[3 * t + c];
        const bool is_at_border = std::ranges::any_of(
            std::views::iota(0u, 3 * static_cast<std::uint32_t>(primitive.triangle_count())), [&](std::uint32_t i) {
              return primitive.indices[i] == v && std::ranges::find(turned, i / 3) == turned.end();
            });
        normals[v] = is_at_border ? glm::normalize(glm::vec3(1, normals[v].z, -normals[v].y)) : normals[v];
      }
    }
    EXPECT_EQ(mesh::wrongly_wound(primitive), turned);
    rig::finish(character);
    const rig::Character sound = rig::fixed(character);
    const auto left = rig::lint(sound);
    EXPECT_TRUE(std::ranges::none_of(*left, [](const rig::Finding& finding) { return finding.code == "winding"; }));
    EXPECT_EQ(sound.meshes[0].primitives[0].indices, before);
  }
}

// A whole shell that is inside out is found though it has no neighbour; a triangle that stands alone against its
// normals inside a mouth is not.
TEST(Lint, WindingIsJudgedByNeighboursAndShells) {
  rig::Character inside_out = test::cylinder();
  mesh::Primitive& whole = inside_out.meshes.edit(0).primitives.edit(0);
  std::vector<std::uint32_t> all(whole.triangle_count());
  std::iota(all.begin(), all.end(), 0u);
  mesh::turn_round(whole, all);
  EXPECT_EQ(mesh::wrongly_wound(whole), all);
  rig::Character mouth = test::cylinder();
  mesh::Primitive& wall = mouth.meshes.edit(0).primitives.edit(0);
  // A third triangle on an edge of two, turned against the normals of its corners.
  std::vector<std::uint32_t>& indices = wall.indices.edit();
  const std::uint32_t corners[] = {indices[0], indices[2], indices[1]};
  indices.insert(indices.end(), std::begin(corners), std::end(corners));
  EXPECT_EQ(mesh::wrongly_wound(wall), std::vector<std::uint32_t>());
}

// The same words about many skins are one row, with all places as data.
TEST(Lint, TheSameOfManyPlacesIsSaidOnce) {
  rig::Character character = opened(SheetFile());
  for (int skin = 0; skin < 3; ++skin) {
    character.diagnostics.push_back(
        {Severity::kError, "inverse-bind-row", fmt::format("skin {}", skin), "got 0.99999994 in column 3"});
  }
  character.diagnostics.push_back({Severity::kError, "inverse-bind-row", "skin 3", "got 0.5 in column 3"});
  character.diagnostics.push_back({Severity::kError, "weight-negative", "mesh 0, primitive 0", "odd", {1}});
  character.diagnostics.push_back({Severity::kError, "weight-negative", "mesh 0, primitive 0", "odd", {2}});
  std::vector<std::string> where;
  std::vector<std::size_t> others;
  const auto findings = rig::lint(character);
  for (const rig::Finding& finding : *findings) {
    if (finding.severity == Severity::kError) {
      where.push_back(finding.where);
      others.push_back(finding.others.size());
    }
  }
  EXPECT_THAT(where, ElementsAre("skin 0 and 2 others like it", "skin 3", "mesh 0 (\"sheet\"), primitive 0",
                                 "mesh 0 (\"sheet\"), primitive 0"))
      << "what names vertices is mended one by one";
  EXPECT_THAT(others, ElementsAre(2u, 0u, 0u, 0u));
  EXPECT_EQ(findings->front().others[1].skin, 2);
}

TEST(Lint, OneInverseBindAmongManyThatDoesNotFitIsNamed) {
  SheetFile file;
  file.add_second_set({0.5f, 0.41f, 0.05f, 0.04f}, 0);
  file.poke(file.root["skins"][0]["inverseBindMatrices"], 16 * 2 + 12, {1.3f});
  EXPECT_THAT(told(file, "inverse-bind-mismatch"),
              ElementsAre("warning: skin 0, joint 2, node 2 (\"arm_r\"): the inverse bind matrix of arm_r does not fit "
                          "where it stands, as those of 5 of 6 joints do: its vertices lie up to 0.3 m off"));
  // In the middle of a chain turning is as wrong as moving, since those below stay where they were.
  SheetFile turned;
  turned.add_second_set({0.5f, 0.41f, 0.05f, 0.04f}, 0);
  turned.poke(turned.root["skins"][0]["inverseBindMatrices"], 16, {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1});
  EXPECT_EQ(told(turned, "inverse-bind-mismatch").size(), 1u);
  // A finger that is turned at rest is a pose.
  SheetFile posed;
  posed.add_second_set({0.5f, 0.41f, 0.05f, 0.04f}, 0);
  posed.node(5)["rotation"] = {0, 0, std::sqrt(0.5f), std::sqrt(0.5f)};
  EXPECT_THAT(told(posed, "inverse-bind-mismatch"), IsEmpty());
  EXPECT_THAT(
      told(posed, "rest-not-bind"),
      ElementsAre("info: skin 0, joint 4, node 5 (\"finger\"): 1 of 6 joints stand otherwise than when the mesh "
                  "was bound, most of all finger by 0 mm and 90 degrees relative to root"));
}

TEST(Lint, AnArmThatIsPosedAtRestIsNoWrongMatrix) {
  SheetFile file;
  file.add_second_set({0.5f, 0.41f, 0.05f, 0.04f}, 0);
  file.node(1)["translation"] = {1, 0.25f, 0};  // and three fingers with it
  EXPECT_THAT(told(file, "inverse-bind-mismatch"), IsEmpty());
  EXPECT_EQ(told(file, "rest-not-bind").size(), 1u);
}

TEST(Lint, WeightOnTheWrongSideNamesBothJoints) {
  SheetFile file;
  file.set_joint(14, 1, 2);
  EXPECT_THAT(
      told(file, "wrong-side-weight"),
      ElementsAre("warning: mesh 0 (\"sheet\"), primitive 0, skin 0, joint 2, node 2 (\"arm_r\"): 1 vertex with "
                  "weight on arm_r, up to 1, but 2.5 m from its bone and 0.5 m from that of its mirror image "
                  "arm_l"));
  SheetFile nameless = file;
  nameless.forget_sides();
  EXPECT_THAT(told(nameless, "wrong-side-weight"), IsEmpty());
}

TEST(Lint, ASmoothFalloffIsNotRogue) {
  SheetFile file;
  file.forget_sides();
  // A trace of the joint at the far end, and next to nothing of it on all the way there.
  for (std::size_t v = 6; v < 18; ++v) {
    file.set_joint(v, 2, 2);
    const float trace = v < 14 ? 0.005f : 0.02f;
    const std::vector<float> own(file.weight_values.begin() + static_cast<std::ptrdiff_t>(4 * v),
                                 file.weight_values.begin() + static_cast<std::ptrdiff_t>(4 * v + 2));
    file.set_weights(
        v, own[1] > 0.5f ? std::vector<float>{0, 1 - trace, trace} : std::vector<float>{own[0] - trace, own[1], trace});
  }
  EXPECT_THAT(told(file, "rogue-weight"), IsEmpty());
  for (std::size_t v = 6; v < 14; ++v) {
    file.set_weights(v, {0.5f, 0.5f, 0});
  }
  EXPECT_THAT(
      told(file, "rogue-weight"),
      ElementsAre("warning: mesh 0 (\"sheet\"), primitive 0, skin 0, joint 2, node 2 (\"other\"): 1 island of 4 "
                  "vertices with weight on other, as far as 2.5 m from it, expected at most 1.41 m as for its "
                  "own"));
}

TEST(Lint, JumpsAreJudgedByContrast) {
  const auto jump = [](const std::vector<float>& degrees, const std::vector<float>& times = {}) {
    SheetFile file;
    std::vector<float> angles;
    for (const float angle : degrees) {
      angles.push_back(glm::radians(angle));
    }
    file.set_turns(angles);
    if (!times.empty()) {
      file.poke(file.times, 0, times);
    }
    const std::vector<std::string> all = told(file, "clip-jump");
    return all.empty() ? std::string() : all.front().substr(all.front().find("the first ") + 10);
  };
  EXPECT_EQ(jump({0, 1, 2, 64, 65}),
            "the rotation of arm_l between key 2 at 0.1 s and the next at 0.15 s, by 62 degrees");
  EXPECT_EQ(jump({0, 1, 2, 72, 73}),
            "the rotation of arm_l between key 2 at 0.1 s and the next at 0.15 s, by 70 degrees");
  EXPECT_EQ(jump({0, 1, 72, 3, 4}), "the rotation of arm_l at key 2 at 0.1 s, out and back by 69 degrees");
  EXPECT_EQ(jump({0, 2, 4, 66, 68}), "");     // 31 times
  EXPECT_EQ(jump({0, 0.5f, 1, 41, 42}), "");  // 40 degrees
  EXPECT_EQ(jump({0, 10, 20, 120, 130}),
            "the rotation of arm_l between key 2 at 0.1 s and the next at 0.15 s, by 100 degrees");
  EXPECT_EQ(jump({0, 1, 2, 64, 65}, {0, 1, 2, 2.05f, 3}), "");  // held, then moved: keys far apart
}

TEST(Lint, FixingKeepsWhatThingsHangOn) {
  SheetFile file;
  file.add_joint("hand_l", 1, 0.5f, 1.5f);
  file.add_joint("WeaponSocket", 4, 0.1f, 1.6f);
  const std::size_t lamp = file.add_joint("lamp", 1, 0.5f, 1.5f);
  file.add_joint("tip", 1, 0.5f, 1.5f);
  file.push("cameras", {{"type", "perspective"}, {"perspective", {{"yfov", 1}, {"znear", 0.1}}}});
  file.push("nodes", {{"camera", 0}});
  file.node(file.root["skins"][0]["joints"][lamp])["children"] = {file.root["nodes"].size() - 1};
  EXPECT_THAT(told(file, "attachment-joint"),
              ElementsAre("info: skin 0, joint 4, node 5 (\"WeaponSocket\"): 2 of 7 joints have no vertex that follows "
                          "them, but things hang on them or are to be hung there: WeaponSocket, lamp"));
  EXPECT_THAT(told(file, "unused-joint"), ElementsAre("info: skin 0, joint 6, node 7 (\"tip\"): 1 of 7 joints have no "
                                                      "vertex that follows them or a joint below: tip"));
  EXPECT_EQ(rig::fixed(opened(file)).skins[0].joints.size(), 7u) << "other files may share the skeleton";
  const std::vector<std::string> named = {"unused-joint"};
  const rig::Character sound = rig::fixed(opened(file), named);
  std::vector<std::string> joints;
  for (const int j : sound.skins[0].joints) {
    joints.push_back(sound.skeleton->name[j]);
  }
  EXPECT_THAT(joints, ElementsAre("root", "arm_l", "arm_r", "hand_l", "WeaponSocket", "lamp"));
}

TEST(Lint, PlacesAreData) {
  SheetFile file;
  file.set_weights(8, {0.9f});
  file.set_weights(11, {0.9f});
  file.node(1)["translation"] = {1, 0.25f, 0};
  const auto findings = rig::lint(opened(file));
  ASSERT_TRUE(findings);
  ASSERT_EQ(findings->size(), 2u);
  const rig::Finding& sum = (*findings)[0];
  EXPECT_EQ(sum.where, "mesh 0 (\"sheet\"), primitive 0");
  EXPECT_EQ(sum.place.mesh, 0);
  EXPECT_EQ(sum.place.primitive, 0);
  EXPECT_THAT(sum.place.vertices, ElementsAre(8, 11));
  EXPECT_EQ(sum.message, "the weights of 2 of 18 vertices sum to 0.9, expected 1; renormalised");
  const rig::Finding& pose = (*findings)[1];
  EXPECT_EQ(pose.where, "skin 0, joint 1, node 1 (\"arm_l\")");
  EXPECT_EQ(pose.place.skin, 0);
  EXPECT_EQ(pose.place.joint, 1);
  EXPECT_EQ(pose.place.node, 1);
  EXPECT_EQ(rig::place_of({Severity::kInfo, "", "animation 2, channel 7", ""}).clip, 2);
  EXPECT_EQ(rig::place_of({Severity::kInfo, "", "animation 2, channel 7", ""}).channel, 7);
  EXPECT_EQ(rig::place_of({Severity::kInfo, "", "file", ""}), rig::LintPlace());
}

}  // namespace
}  // namespace pelt
