// What the glTF 2.0 specification forbids: one file for each rule, sound but for one place, with the exact words. The
// Khronos validator refuses each of these files and accepts the sound one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "gltf/conformance.h"
#include "gltf/export.h"
#include "gltf/image_codec.h"
#include "gltf/import.h"
#include "gltf/outline.h"
#include "rig/lint.h"
#include "support/glb_builder.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::GlbBuilder;
using testing::ElementsAreArray;
using testing::IsEmpty;

// A PNG of one white pixel, uncompressed: the file is as long whatever encodes pictures.
constexpr std::uint8_t kWhitePixel[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1f, 0x15, 0xc4, 0x89, 0x00, 0x00, 0x00, 0x10, 0x49,
    0x44, 0x41, 0x54, 0x78, 0x01, 0x01, 0x05, 0x00, 0xfa, 0xff, 0x00, 0xff, 0xff, 0xff, 0xff, 0x09, 0xfb, 0x03, 0xfd,
    0xa3, 0xd1, 0x49, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

/// The skinned quad with everything that the specification wants, a texture and a camera.
struct SoundFile : test::QuadFile {
  int texcoords = -1;
  int image_view = -1;

  SoundFile() : test::QuadFile(test::skinned_quad()) {
    texcoords = floats({0, 0, 1, 0, 0, 1, 1, 1}, "VEC2");
    attributes()["TEXCOORD_0"] = texcoords;
    image_view = view(std::vector(std::begin(kWhitePixel), std::end(kWhitePixel)));
    push("images", {{"bufferView", image_view}, {"mimeType", "image/png"}});
    push("samplers", json::object());
    push("textures", {{"source", 0}, {"sampler", 0}});
    push("materials", {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}});
    primitive()["material"] = 0;
    push("cameras", {{"type", "perspective"}, {"perspective", {{"yfov", 1}, {"znear", 0.1}, {"zfar", 10}}}});
    push("nodes", {{"camera", 0}});
    root["scenes"][0]["nodes"].push_back(3);
    bound(positions, {0, 0, 0}, {1, 1, 0});
    bound(target, {0, 0, 0}, {0, 0, 1});
    bound(times, {0}, {1});
  }
  void bound(int accessor, const std::vector<float>& least, const std::vector<float>& most) {
    accessor_entry(accessor)["min"] = least;
    accessor_entry(accessor)["max"] = most;
  }
  json& node(std::size_t n) { return root["nodes"][n]; }
  json& skin() { return root["skins"][0]; }
  json& material() { return root["materials"][0]; }
  json& view_of(int accessor) { return root["bufferViews"][accessor_entry(accessor)["bufferView"].get<std::size_t>()]; }
  json& channel() { return root["animations"][0]["channels"][0]; }
  json& sampler() { return root["animations"][0]["samplers"][0]; }
  /// Overwrites bytes of an accessor.
  template <typename T>
  void put(int accessor, std::size_t at, std::vector<T> values) {
    std::memcpy(bin.data() + view_of(accessor)["byteOffset"].get<std::size_t>() + at * sizeof(T), values.data(),
                values.size() * sizeof(T));
  }
  void use(const char* extension) { root["extensionsUsed"].push_back(extension); }
  /// An extension's object on another.
  static void extend(json& object, const char* extension, json content) {
    object["extensions"][extension] = std::move(content);
  }
  json with_buffers() const {
    json whole = root;
    if (!whole.contains("buffers")) {
      whole["buffers"] = {{{"byteLength", bin.size()}}};
    }
    return whole;
  }
};

/// "code: place: message" of everything that a container's file must not have.
std::vector<std::string> faults(const std::vector<std::uint8_t>& bytes) {
  const auto container = gltf::split_container(bytes);
  EXPECT_TRUE(container) << (container ? "" : container.error().message);
  if (!container) {
    return {};
  }
  gltf::ConformanceInput input{.bytes = bytes,
                               .json = container->json,
                               .is_binary = container->binary,
                               .has_bin = !container->bin.empty(),
                               .buffers = {container->bin},
                               .buffer_problems = {""},
                               .image_problems = {},
                               .images = {}};
  const json file = json::parse(container->json, nullptr, false);
  for (const json& image : file.value("images", json::array())) {
    const auto view = image.value("bufferView", std::size_t{0});
    const json& where = file["bufferViews"][view];
    input.image_problems.emplace_back();
    input.images.push_back(container->bin.subspan(where["byteOffset"], where["byteLength"]));
  }
  std::vector<std::string> out;
  for (const Diagnostic& one : gltf::check_conformance(input)) {
    EXPECT_EQ(one.severity, one.code == "unchecked" ? Severity::kWarning : Severity::kError);
    EXPECT_NE(rig::find_lint_rule(one.code), nullptr) << one.code;
    out.push_back(one.code + ": " + one.place + ": " + one.message);
  }
  return out;
}
std::vector<std::string> faults(const SoundFile& file) {
  return faults(file.glb());
}

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

struct Fault {
  const char* name;
  std::function<void(SoundFile&)> spoil;
  std::vector<std::string> told;
};

const std::vector<Fault>& schema_faults();
const std::vector<Fault>& layout_faults();
const std::vector<Fault>& scene_faults();
const std::vector<Fault>& data_faults();

const std::vector<Fault>& schema_faults() {
  static const std::vector<Fault> kFaults = {
      {"member missing",
       [](SoundFile& f) { f.accessor_entry(f.normals).erase("count"); },
       {"schema: accessor 1: count is missing"}},
      {"member of the wrong kind",
       [](SoundFile& f) { f.node(1)["translation"] = "up"; },
       {"schema: node 1: translation: expected a list of numbers, got a text"}},
      {"null",
       [](SoundFile& f) { f.node(1)["translation"] = nullptr; },
       {"schema: node 1: translation: expected a list of numbers, got null"}},
      {"too few numbers",
       [](SoundFile& f) {
         f.node(1)["scale"] = {1, 1};
       },
       {"schema: node 1: scale: expected 3 numbers, got 2"}},
      {"number out of range",
       [](SoundFile& f) { f.material()["pbrMetallicRoughness"]["metallicFactor"] = 2; },
       {"schema: material 0: metallicFactor: expected from 0 to 1, got 2"}},
      {"number that may be zero or from one on",
       [](SoundFile& f) {
         f.use("KHR_materials_ior");
         SoundFile::extend(f.material(), "KHR_materials_ior", {{"ior", 0.5}});
       },
       {"schema: material 0: ior: expected at least 1 or 0, got 0.5"}},
      {"no whole number",
       [](SoundFile& f) {
         f.root["scenes"][0]["nodes"] = {0, 2, 1.5};
       },
       {"schema: scene 0: nodes: expected indices, got 1.5"}},
      {"repeated index",
       [](SoundFile& f) {
         f.node(0)["children"] = {1, 1};
       },
       {"schema: node 0: children: 1 is listed twice, expected each once",
        "node-tree: node 1: it is a child of node 0 and of node 0, expected one parent"}},
      {"empty list",
       [](SoundFile& f) {
         f.root["cameras"] = json::array();
         f.node(3).erase("camera");
       },
       {"schema: file: cameras: expected a list of one object or more, got an empty one"}},
      {"element that is no object",
       [](SoundFile& f) { f.root["samplers"].push_back(3); },
       {"schema: sampler 1: expected an object, got a number"}},
      {"index of nothing",
       [](SoundFile& f) { f.primitive()["indices"] = 99; },
       {"reference: mesh 0, primitive 0: indices: there is no accessor 99"}},
      {"material of nothing",
       [](SoundFile& f) { f.primitive()["material"] = 7; },
       {"material: mesh 0, primitive 0: material: there is no material 7"}},
      {"texture of nothing",
       [](SoundFile& f) {
         f.material()["normalTexture"] = {{"index", 5}};
       },
       {"texture: material 0: index: there is no texture 5"}},
      {"sampler of nothing",
       [](SoundFile& f) { f.root["textures"][0]["sampler"] = 5; },
       {"sampler: texture 0: sampler: there is no sampler 5"}},
      {"scene of nothing",
       [](SoundFile& f) { f.root["scene"] = 4; },
       {"default-scene: file: scene: there is no scene 4"}},
      {"scene root twice",
       [](SoundFile& f) { f.root["scenes"][0]["nodes"].push_back(2); },
       {"scene-root: scene 0: nodes: 2 is listed twice, expected each once"}},
      {"skeleton of nothing",
       [](SoundFile& f) { f.skin()["skeleton"] = 99; },
       {"skeleton-root: skin 0: skeleton: there is no node 99"}},
      {"joint twice",
       [](SoundFile& f) {
         f.skin()["joints"] = {0, 1, 0};
         f.skin().erase("inverseBindMatrices");
       },
       {"joint-listed-twice: skin 0: joints: 0 is listed twice, expected each once"}},
      {"version",
       [](SoundFile& f) { f.root["asset"]["minVersion"] = "2.1"; },
       {"schema: file: asset.minVersion: expected at most the version 2.0, got 2.1"}},
      {"no version",
       [](SoundFile& f) { f.root["asset"]["minVersion"] = "two"; },
       {"schema: file: asset.minVersion: expected a version such as 2.0, got two"}},
      {"extension that is not listed",
       [](SoundFile& f) { SoundFile::extend(f.material(), "KHR_materials_unlit", json::object()); },
       {"extension-undeclared: material 0: KHR_materials_unlit is used, but not listed in extensionsUsed"}},
      {"required extension that is not used",
       [](SoundFile& f) {
         f.use("KHR_materials_unlit");
         f.root["extensionsRequired"] = {"KHR_materials_ior"};
       },
       {"extension-undeclared: file: KHR_materials_ior is required, but not listed in extensionsUsed"}},
      {"quantization that is not required",
       [](SoundFile& f) { f.use("KHR_mesh_quantization"); },
       {"extension-undeclared: file: KHR_mesh_quantization is used, but not listed in extensionsRequired"}},
      {"extension in the wrong place",
       [](SoundFile& f) {
         f.use("KHR_materials_unlit");
         SoundFile::extend(f.node(0), "KHR_materials_unlit", json::object());
       },
       {"extension-place: node 0: KHR_materials_unlit does not belong here"}},
      {"camera of two kinds",
       [](SoundFile& f) {
         f.root["cameras"][0]["orthographic"] = {{"xmag", 1}, {"ymag", 1}, {"zfar", 1}, {"znear", 0}};
       },
       {"schema: camera 0: expected either perspective or orthographic, got both"}},
      {"camera that sees nothing",
       [](SoundFile& f) { f.root["cameras"][0]["perspective"]["zfar"] = 0.05; },
       {"camera: camera 0: expected zfar beyond znear 0.1, got 0.05"}},
      {"camera without width",
       [](SoundFile& f) {
         f.root["cameras"][0] = {{"type", "orthographic"},
                                 {"orthographic", {{"xmag", 0}, {"ymag", 1}, {"zfar", 1}, {"znear", 0}}}};
       },
       {"camera: camera 0: xmag: expected another number than 0"}},
      {"light",
       [](SoundFile& f) {
         f.use("KHR_lights_punctual");
         SoundFile::extend(f.root, "KHR_lights_punctual",
                           {{"lights", {{{"type", "spot"}, {"spot", {{"innerConeAngle", 1}}}}}}});
       },
       {"light: light 0: expected an outer cone wider than the inner one of 1 radians, got 0.7854"}},
      {"light of nothing",
       [](SoundFile& f) {
         f.use("KHR_lights_punctual");
         SoundFile::extend(f.root, "KHR_lights_punctual", {{"lights", {{{"type", "point"}}}}});
         SoundFile::extend(f.node(0), "KHR_lights_punctual", {{"light", 1}});
       },
       {"reference: node 0: there is no light 1"}},
      {"image without a type",
       [](SoundFile& f) { f.root["images"][0].erase("mimeType"); },
       {"schema: image 0: it lies in a buffer view, but mimeType is missing"}},
      {"image of another type",
       [](SoundFile& f) { f.root["images"][0]["mimeType"] = "image/jpeg"; },
       {"image-type: image 0: it says image/jpeg, but it is image/png"}},
      {"image that ends early",
       [](SoundFile& f) { f.root["bufferViews"][f.image_view]["byteLength"] = 20; },
       {"image: image 0: PNG: it ends before its pixels"}},
      {"image in two places",
       [](SoundFile& f) { f.root["images"][0]["uri"] = "picture.png"; },
       {"schema: image 0: expected either uri or bufferView, got both"}},
      {"buffer that is too long",
       [](SoundFile& f) {
         f.root["buffers"] = {{{"byteLength", f.bin.size() + 400}}};
       },
       {"buffer-length: buffer 0: expected 909 bytes, got 512"}},
  };
  return kFaults;
}

const std::vector<Fault>& layout_faults() {
  static const std::vector<Fault> kFaults = {
      {"positions without bounds",
       [](SoundFile& f) { f.accessor_entry(f.positions).erase("max"); },
       {"accessor-bounds: mesh 0, primitive 0: POSITION: expected min and max, max is missing"}},
      {"morph positions without bounds",
       [](SoundFile& f) {
         f.accessor_entry(f.target).erase("min");
         f.accessor_entry(f.target).erase("max");
       },
       {"accessor-bounds: mesh 0, primitive 0: POSITION: expected min and max, both are missing"}},
      {"key times without bounds",
       [](SoundFile& f) { f.accessor_entry(f.times).erase("min"); },
       {"accessor-bounds: animation 0, sampler 0: key times: expected min and max, min is missing"}},
      {"bounds that are not those",
       [](SoundFile& f) {
         f.bound(f.positions, {0, 0, 0}, {1, 2, 0});
       },
       {"accessor-bounds: accessor 0: max of component 1 is 2, expected 1"}},
      {"bounds of the wrong length",
       [](SoundFile& f) { f.accessor_entry(f.texcoords)["min"] = {0}; },
       {"schema: accessor 9: min: expected 2 numbers, got 1"}},
      {"accessor beyond its view",
       [](SoundFile& f) { f.accessor_entry(f.texcoords)["count"] = 5; },
       {"accessor-range: accessor 9: its 40 bytes from byte 0 on do not fit the 32 bytes of buffer view 9",
        "attribute-count: mesh 0, primitive 0: TEXCOORD_0: expected 4 elements as in the other attributes, got 5"}},
      {"view beyond its buffer",
       [](SoundFile& f) {
         f.root["bufferViews"].push_back({{"buffer", 0}, {"byteLength", 100000}});
       },
       {"accessor-range: buffer view 11: its 100000 bytes from byte 0 on do not fit the 509 bytes of buffer 0"}},
      {"unaligned elements",
       [](SoundFile& f) {
         f.accessor_entry(f.times)["byteOffset"] = 2;
         f.accessor_entry(f.times)["count"] = 1;
       },
       {"alignment: accessor 6: it begins at byte 2 of its buffer view and byte 318 of the buffer, expected multiples "
        "of 4",
        "channel: animation 0, channel 0: expected 1 values for each of 1 keys, got 2 in all"}},
      {"unaligned vertices",
       [](SoundFile& f) {
         f.attributes()["COLOR_0"] = f.accessor(std::vector<std::uint8_t>(12, 9), test::kU8, "VEC3", true);
       },
       {"alignment: mesh 0, primitive 0: COLOR_0: elements begin at byte 0 and every 3 bytes, expected multiples of "
        "4"}},
      {"stride of key times",
       [](SoundFile& f) { f.view_of(f.times)["byteStride"] = 4; },
       {"byte-stride: accessor 6: buffer view 6 of key times has byteStride, expected none"}},
      {"stride of key values",
       [](SoundFile& f) { f.view_of(f.rotations)["byteStride"] = 16; },
       {"byte-stride: accessor 7: buffer view 7 of key values has byteStride, expected none"}},
      {"stride of inverse bind matrices",
       [](SoundFile& f) { f.view_of(f.inverse_binds)["byteStride"] = 64; },
       {"byte-stride: accessor 5: buffer view 5 of inverse bind matrices has byteStride, expected none"}},
      {"stride of indices",
       [](SoundFile& f) {
         f.view_of(f.indices)["byteStride"] = 4;
         f.accessor_entry(f.indices)["count"] = 3;
       },
       {"byte-stride: accessor 2: buffer view 2 of indices has byteStride, expected none"}},
      {"stride of an image",
       [](SoundFile& f) { f.root["bufferViews"][f.image_view]["byteStride"] = 4; },
       {"byte-stride: image 0: buffer view 10 of an image has byteStride, expected none"}},
      {"stride that is too small",
       [](SoundFile& f) { f.view_of(f.positions)["byteStride"] = 8; },
       {"byte-stride: accessor 0: buffer view 0 has a byteStride of 8, expected 12 or more"}},
      {"stride that is no multiple of four",
       [](SoundFile& f) {
         f.view_of(f.texcoords)["byteStride"] = 10;
         f.accessor_entry(f.texcoords)["count"] = 1;
       },
       {"byte-stride: buffer view 9: expected byteStride to be a multiple of 4, got 10",
        "attribute-count: mesh 0, primitive 0: TEXCOORD_0: expected 4 elements as in the other attributes, got 1"}},
      {"missing stride",
       [](SoundFile& f) { f.attributes()["_COPY"] = f.push("accessors", f.accessor_entry(f.texcoords)); },
       {"byte-stride: buffer view 9: it holds vertices of several accessors, but byteStride is missing"}},
      {"accessor for two purposes",
       [](SoundFile& f) { f.attributes()["_TIMES"] = f.times; },
       {"accessor-use: accessor 6: it is used for vertices and key times, expected one of them",
        "accessor-use: buffer view 6: it holds vertices and other data, expected one kind",
        "attribute-count: mesh 0, primitive 0: _TIMES: expected 4 elements as in the other attributes, got 2"}},
      {"view for two purposes",
       [](SoundFile& f) { f.view_of(f.times)["target"] = 34962; },
       {"accessor-use: buffer view 6: it holds vertices and other data, expected one kind"}},
      {"type that an attribute cannot have",
       [](SoundFile& f) { f.attributes()["NORMAL"] = f.texcoords; },
       {"accessor-format: mesh 0, primitive 0: NORMAL: VEC2 of FLOAT is no form that glTF allows for it"}},
      {"quantized without the extension",
       [](SoundFile& f) {
         f.attributes()["TEXCOORD_0"] = f.accessor(std::vector<std::uint16_t>(8, 0), test::kU16, "VEC2");
       },
       {"accessor-format: mesh 0, primitive 0: TEXCOORD_0: VEC2 of UNSIGNED_SHORT is no form that glTF allows for it"}},
      {"attribute of long integers",
       [](SoundFile& f) {
         f.attributes()["_IDS"] = f.accessor(std::vector<std::uint32_t>(4, 0), test::kU32, "SCALAR");
       },
       {"accessor-format: mesh 0, primitive 0: _IDS: attributes cannot be UNSIGNED_INT"}},
      {"indices of floats",
       [](SoundFile& f) {
         f.primitive()["indices"] = f.floats({0, 1, 2}, "SCALAR");
       },
       {"accessor-format: mesh 0, primitive 0: indices: expected SCALAR of UNSIGNED_BYTE, UNSIGNED_SHORT or "
        "UNSIGNED_INT, got SCALAR of FLOAT"}},
      {"key times of integers",
       [](SoundFile& f) {
         f.sampler()["input"] = f.accessor(std::vector<std::uint32_t>{0, 1}, test::kU32, "SCALAR");
         f.bound(static_cast<int>(f.root["accessors"].size()) - 1, {0}, {1});
       },
       {"accessor-format: animation 0, sampler 0: key times: expected SCALAR of FLOAT, got SCALAR of UNSIGNED_INT"}},
      {"key values of another type",
       [](SoundFile& f) { f.channel()["target"]["path"] = "translation"; },
       {"accessor-format: animation 0, channel 0: VEC4 of FLOAT is no form that glTF allows for keys of translation"}},
      {"inverse bind matrices of another type",
       [](SoundFile& f) {
         f.skin()["inverseBindMatrices"] = f.rotations;
         f.root.erase("animations");
       },
       {"accessor-format: skin 0: inverse bind matrices: expected MAT4 of FLOAT, got VEC4 of FLOAT"}},
      {"normalized floats",
       [](SoundFile& f) { f.accessor_entry(f.texcoords)["normalized"] = true; },
       {"accessor-format: accessor 9: FLOAT cannot be normalized",
        "accessor-format: mesh 0, primitive 0: TEXCOORD_0: VEC2 of FLOAT, normalized is no form that glTF allows for "
        "it"}},
      {"name of an attribute",
       [](SoundFile& f) { f.attributes()["UV"] = f.texcoords; },
       {"attribute-name: mesh 0, primitive 0: UV: expected a name of glTF's own, or one that begins with an "
        "underscore"}},
      {"gap in the sets",
       [](SoundFile& f) { f.attributes()["TEXCOORD_2"] = f.texcoords; },
       {"attribute-name: mesh 0, primitive 0: TEXCOORD sets: expected them to be numbered from 0 without gaps, got 2 "
        "up to TEXCOORD_2",
        "texcoord: mesh 0, primitive 0: material 0 wants TEXCOORD_0, which the primitive does not have"}},
      {"joints without weights",
       [](SoundFile& f) { f.attributes()["JOINTS_1"] = f.joints; },
       {"attribute-name: mesh 0, primitive 0: expected as many sets of weights as of joints, got 1 and 2"}},
      {"attributes of different lengths",
       [](SoundFile& f) {
         f.attributes()["_SHORT"] = f.floats({0, 0, 0}, "SCALAR");
       },
       {"attribute-count: mesh 0, primitive 0: _SHORT: expected 4 elements as in the other attributes, got 3"}},
      {"morph target of what there is not",
       [](SoundFile& f) { f.primitive()["targets"][0]["TANGENT"] = f.target; },
       {"attribute-count: mesh 0, primitive 0: morph target 0, TANGENT: the primitive has no such attribute"}},
      {"morph target of another length",
       [](SoundFile& f) {
         f.primitive()["targets"][0] = {{"NORMAL", f.floats({0, 0, 0}, "VEC3")}};
       },
       {"attribute-count: mesh 0, primitive 0: morph target 0, NORMAL: expected 4 elements as in the primitive, got "
        "1"}},
      {"sparse elements",
       [](SoundFile& f) {
         const int order = f.view(std::vector<std::uint16_t>{2, 1});
         const int values = f.view(std::vector<float>{0, 0, 1, 1});
         f.accessor_entry(f.texcoords)["sparse"] = {{"count", 2},
                                                    {"indices", {{"bufferView", order}, {"componentType", 5123}}},
                                                    {"values", {{"bufferView", values}}}};
       },
       {"sparse: accessor 9: sparse index 1 is 1, expected more than the 2 before"}},
      {"more sparse elements than elements",
       [](SoundFile& f) {
         const int order = f.view(std::vector<std::uint16_t>{0, 1, 2, 3, 4});
         const int values = f.view(std::vector<float>(10, 0));
         f.accessor_entry(f.texcoords)["sparse"] = {{"count", 5},
                                                    {"indices", {{"bufferView", order}, {"componentType", 5123}}},
                                                    {"values", {{"bufferView", values}}}};
       },
       {"sparse: accessor 9: expected at most the 4 elements of the accessor, got 5",
        "sparse: accessor 9: sparse index 4 is 4, expected less than the 4 elements of the accessor"}},
  };
  return kFaults;
}

const std::vector<Fault>& scene_faults() {
  static const std::vector<Fault> kFaults = {
      {"several roots",
       [](SoundFile& f) {
         f.node(0).erase("children");
         f.root["scenes"][0]["nodes"].push_back(1);
       },
       {"several-roots: skin 0: no node is above all of its joints, expected one"}},
      {"skeleton that is not above the joints",
       [](SoundFile& f) { f.skin()["skeleton"] = 1; },
       {"skeleton-root-not-common: skin 0: expected a node above all joints, but node 1 is not"}},
      {"skeleton outside the scene",
       [](SoundFile& f) {
         f.root["scenes"][0]["nodes"] = {2, 3};
       },
       {"skeleton-outside-scene: skin 0, node 2: scene 0 shows its mesh, but has no node 0, above its joints"}},
      {"skeleton in another scene",
       [](SoundFile& f) {
         f.root["scenes"].push_back({{"nodes", {2}}});
       },
       {"skeleton-outside-scene: skin 0, node 2: scene 1 shows its mesh, but has no node 0, above its joints"}},
      {"skin without mesh",
       [](SoundFile& f) { f.node(1)["skin"] = 0; },
       {"skin-without-mesh: node 1: it has a skin but no mesh"}},
      {"skin without weights",
       [](SoundFile& f) {
         f.attributes().erase("JOINTS_0");
         f.attributes().erase("WEIGHTS_0");
       },
       {"skin-without-weights: node 2: it has a skin, but its mesh has no joints and weights"}},
      {"too few inverse bind matrices",
       [](SoundFile& f) { f.accessor_entry(f.inverse_binds)["count"] = 1; },
       {"inverse-bind-count: skin 0: inverse bind matrices: expected 2, got 1"}},
      {"matrix beside a translation",
       [](SoundFile& f) {
         f.node(1)["matrix"] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
         f.root.erase("animations");
       },
       {"node-transform: node 1: expected either a matrix or translation, got both"}},
      {"matrix with shear",
       [](SoundFile& f) { f.node(0)["matrix"] = {1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}; },
       {"node-transform: node 0: its matrix is no translation, rotation and scale"}},
      {"matrix with shear that keeps its norm",
       [](SoundFile& f) { f.node(0)["matrix"] = {1, 0, 0, 0, 0, 1, 34962, 0, 0, 0, 1, 0, 0, 0, 0, 1}; },
       {"node-transform: node 0: its matrix is no translation, rotation and scale"}},
      {"matrix of another last row",
       [](SoundFile& f) { f.node(0)["matrix"] = {1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}; },
       {"node-transform: node 0: its matrix is no translation, rotation and scale"}},
      {"two parents",
       [](SoundFile& f) { f.node(3)["children"] = {1}; },
       {"node-tree: node 1: it is a child of node 0 and of node 3, expected one parent",
        "several-roots: skin 0: no node is above all of its joints, expected one"}},
      {"child as a scene's root",
       [](SoundFile& f) { f.root["scenes"][0]["nodes"].push_back(1); },
       {"scene-root: scene 0: node 1 is a child of node 0, expected a root"}},
      {"rotation that is no unit",
       [](SoundFile& f) {
         f.node(0)["rotation"] = {0, 0, 0.5, 0.5};
       },
       {"rotation-length: node 0: expected a unit quaternion, got length 0.7071"}},
      {"morph weights of a node",
       [](SoundFile& f) {
         f.node(2)["weights"] = {0, 1};
       },
       {"morph-weights: node 2: expected 1 weights, got 2"}},
      {"morph weights of a mesh",
       [](SoundFile& f) {
         f.root["meshes"][0]["weights"] = {0, 1};
       },
       {"morph-weights: mesh 0: expected 1 weights, got 2"}},
      {"morph weights without a mesh",
       [](SoundFile& f) { f.node(0)["weights"] = {1}; },
       {"morph-weights: node 0: it has morph weights but no mesh"}},
      {"numbers of morph targets",
       [](SoundFile& f) {
         json other = f.primitive();
         other.erase("targets");
         f.root["meshes"][0]["primitives"].push_back(other);
       },
       {"morph-count: mesh 0, primitive 1: expected 1 morph targets as in the first primitive, got 0"}},
      {"texture coordinates that are not there",
       [](SoundFile& f) { f.material()["pbrMetallicRoughness"]["baseColorTexture"]["texCoord"] = 1; },
       {"texcoord: mesh 0, primitive 0: material 0 wants TEXCOORD_1, which the primitive does not have"}},
      {"tangents that are not there",
       [](SoundFile& f) {
         f.use("KHR_materials_clearcoat");
         SoundFile::extend(f.material(), "KHR_materials_clearcoat", {{"clearcoatNormalTexture", {{"index", 0}}}});
       },
       {"tangent-space: mesh 0, primitive 0: material 0 needs normals and tangents, which the primitive does not "
        "have"}},
      {"variant twice",
       [](SoundFile& f) {
         f.use("KHR_materials_variants");
         SoundFile::extend(f.root, "KHR_materials_variants", {{"variants", {{{"name", "red"}}}}});
         SoundFile::extend(
             f.primitive(), "KHR_materials_variants",
             {{"mappings", {{{"variants", {0}}, {"material", 0}}, {{"variants", {0}}, {"material", 0}}}}});
       },
       {"variant: mesh 0, primitive 0: variant 0 is mapped twice, expected once"}},
      {"channel of a node with a matrix",
       [](SoundFile& f) {
         f.node(1) = {{"name", "upper"}, {"matrix", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1}}};
       },
       {"channel: animation 0, channel 0: it moves the rotation of a node with a matrix"}},
      {"channel of morph weights that are not there",
       [](SoundFile& f) {
         f.channel()["target"] = {{"node", 0}, {"path", "weights"}};
         f.sampler()["output"] = f.floats({0, 1}, "SCALAR");
       },
       {"channel: animation 0, channel 0: it moves morph weights, but the node has no morph targets"}},
      {"two channels of one target",
       [](SoundFile& f) { f.root["animations"][0]["channels"].push_back(f.channel()); },
       {"channel: animation 0, channel 1: it moves what channel 0 moves, expected one channel for each target"}},
      {"too few values",
       [](SoundFile& f) {
         f.sampler()["output"] = f.floats({0, 0, 0, 1}, "VEC4");
       },
       {"channel: animation 0, channel 0: expected 1 values for each of 2 keys, got 1 in all"}},
      {"cubic curve of one key",
       [](SoundFile& f) {
         f.sampler() = {{"input", f.floats({0}, "SCALAR")},
                        {"output", f.floats({0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}, "VEC4")},
                        {"interpolation", "CUBICSPLINE"}};
         f.bound(static_cast<int>(f.root["accessors"].size()) - 2, {0}, {0});
       },
       {"channel: animation 0, sampler 0: CUBICSPLINE: expected 2 keys or more, got 1"}},
      {"channel's sampler that is not there",
       [](SoundFile& f) { f.channel()["sampler"] = 3; },
       {"reference: animation 0, channel 0: there is no sampler 3"}},
      {"pointer beside a node",
       [](SoundFile& f) {
         f.use("KHR_animation_pointer");
         f.channel()["target"]["path"] = "pointer";
         SoundFile::extend(f.channel()["target"], "KHR_animation_pointer", {{"pointer", "/nodes/0/rotation"}});
       },
       {"channel: animation 0, channel 0: it has a pointer and a node, expected one of them"}},
  };
  return kFaults;
}

const std::vector<Fault>& data_faults() {
  static const std::vector<Fault> kFaults = {
      {"weights that do not sum to 1",
       [](SoundFile& f) { f.poke(f.weights, 4, {0.74f}); },
       {"weight-sum: mesh 0, primitive 0: the weights of 1 of 4 vertices do not sum to 1, the worst to 0.99"}},
      {"weight below zero",
       [](SoundFile& f) {
         f.poke(f.weights, 0, {1.25f, -0.25f});
       },
       {"weight-sum: mesh 0, primitive 0: the weights of 1 of 4 vertices do not sum to 1, the worst to 1.25",
        "weight-negative: mesh 0, primitive 0: 1 weights are below 0"}},
      {"joint beyond the skin",
       [](SoundFile& f) { f.put<std::uint8_t>(f.joints, 3, {7}); },
       {"joint-index: mesh 0, primitive 0: 1 joints are beyond the 2 that the skin has, with or without weight"}},
      {"joint twice in a vertex",
       [](SoundFile& f) {
         f.put<std::uint8_t>(f.joints, 4, {1, 1});
       },
       {"weight-sum: mesh 0, primitive 0: the weights of 1 of 4 vertices do not sum to 1, the worst to 0.75",
        "duplicate-joint: mesh 0, primitive 0: 1 joints have weight twice in one vertex"}},
      {"normal that is no unit",
       [](SoundFile& f) {
         f.poke(f.normals, 3, {0, 0, 2});
       },
       {"normal-length: mesh 0, primitive 0: 1 of 4 normals are not of length 1, the worst 2"}},
      {"tangent without a sign",
       [](SoundFile& f) {
         f.attributes()["TANGENT"] = f.floats({1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0.5f, 1, 0, 0, -1}, "VEC4");
       },
       {"tangent: mesh 0, primitive 0: 1 of 4 tangents have a sign other than 1 or -1"}},
      {"colour beyond 1",
       [](SoundFile& f) {
         f.attributes()["COLOR_0"] = f.floats({0, 0, 0, 1, 1, 1, 1.5f, 0, 0, 0, 0, 0}, "VEC3");
       },
       {"color-range: mesh 0, primitive 0: COLOR_0: component 6 is 1.5, expected 0 to 1"}},
      {"not a number",
       [](SoundFile& f) { f.poke(f.texcoords, 2, {kNotANumber}); },
       {"not-finite: accessor 9: component 2 is nan, expected finite numbers"}},
      {"index of no vertex",
       [](SoundFile& f) { f.put<std::uint16_t>(f.indices, 2, {4}); },
       {"index-value: mesh 0, primitive 0: index 2 is 4, expected less than the 4 vertices"}},
      {"index that starts anew",
       [](SoundFile& f) { f.put<std::uint16_t>(f.indices, 2, {65535}); },
       {"index-value: mesh 0, primitive 0: index 2 is 65535, which starts primitives anew in some software"}},
      {"keys that do not grow",
       [](SoundFile& f) {
         f.poke(f.times, 0, {1, 1});
         f.bound(f.times, {1}, {1});
       },
       {"key-order: animation 0, sampler 0: key 1 is at 1 s, expected later than the 1 s of the key before"}},
      {"key before zero",
       [](SoundFile& f) {
         f.poke(f.times, 0, {-1, 1});
         f.bound(f.times, {-1}, {1});
       },
       {"key-order: animation 0, sampler 0: key 0 is at -1 s, expected 0 or later"}},
      {"rotation key that is no unit",
       [](SoundFile& f) {
         f.poke(f.rotations, 4, {0, 0, 0.5f, 0.5f});
       },
       {"rotation-length: animation 0, channel 0: 1 of 2 rotation keys are not of length 1, the worst 0.7071"}},
      {"last row of an inverse bind matrix",
       [](SoundFile& f) { f.poke(f.inverse_binds, 19, {0.5f}); },
       {"inverse-bind-row: skin 0: inverse bind matrix 1: expected (0, 0, 0, 1) as its last row, got 0.5 in column 0"}},
  };
  return kFaults;
}

std::vector<Fault> all_faults() {
  std::vector<Fault> out;
  for (const auto* some : {&schema_faults(), &layout_faults(), &scene_faults(), &data_faults()}) {
    out.insert(out.end(), some->begin(), some->end());
  }
  return out;
}

TEST(Conformance, ASoundFileHasNoFaults) {
  EXPECT_THAT(faults(SoundFile()), IsEmpty());
  EXPECT_TRUE(gltf::import_memory(SoundFile().glb(), {}));
}

TEST(Conformance, EachFaultIsToldInTheseWords) {
  for (const Fault& fault : all_faults()) {
    SCOPED_TRACE(fault.name);
    SoundFile file;
    fault.spoil(file);
    EXPECT_THAT(faults(file), ElementsAreArray(fault.told));
  }
}

TEST(Conformance, EachRuleOfTheFileHasAFault) {
  std::set<std::string> codes = {"data-uri"};  // below
  for (const Fault& fault : all_faults()) {
    for (const std::string& told : fault.told) {
      codes.insert(told.substr(0, told.find(':')));
    }
  }
  for (const char* code : {"schema",          "reference",      "accessor-bounds",
                           "accessor-format", "accessor-range", "accessor-use",
                           "alignment",       "byte-stride",    "attribute-name",
                           "attribute-count", "index-value",    "joint-index",
                           "sparse",          "color-range",    "inverse-bind-count",
                           "tangent-space",   "node-transform", "node-tree",
                           "camera",          "light",          "variant",
                           "image-type",      "data-uri",       "extension-undeclared",
                           "extension-place"}) {
    EXPECT_TRUE(codes.contains(code)) << code;
  }
}

TEST(Conformance, ChunksAreJudged) {
  const SoundFile file;
  const std::string text = file.with_buffers().dump();
  std::vector<std::uint8_t> glb = GlbBuilder::glb_of(text, file.bin);
  // A second BIN chunk of four bytes.
  std::vector<std::uint8_t> twice = glb;
  for (const std::uint32_t word : {4U, 0x004E4942U, 0U}) {
    for (int i = 0; i < 4; ++i) {
      twice.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
    }
  }
  const auto length = static_cast<std::uint32_t>(twice.size());
  std::memcpy(twice.data() + 8, &length, sizeof(length));
  EXPECT_THAT(faults(twice), testing::ElementsAre("glb-chunk: file: chunk 2: expected one BIN chunk, got another"));
}

/// "code: place: message" of the errors of a text that is no container.
std::vector<std::string> errors_of_text(const std::string& text) {
  gltf::ImportOptions options;
  options.check_conformance = true;
  const auto character =
      gltf::import_memory({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, {}, options);
  EXPECT_TRUE(character) << (character ? "" : character.error().message);
  std::vector<std::string> out;
  for (const Diagnostic& one : character ? character->diagnostics : Diagnostics()) {
    if (one.severity == Severity::kError) {
      out.push_back(one.code + ": " + one.place + ": " + one.message);
    }
  }
  return out;
}

TEST(Conformance, TextsAreJudged) {
  const json sound = {{"asset", {{"version", "2.0"}}},
                      {"buffers", {{{"byteLength", 2}, {"uri", "data:application/octet-stream;base64,AAA="}}}}};
  EXPECT_THAT(errors_of_text(sound.dump()), IsEmpty());
  EXPECT_THAT(errors_of_text("\xef\xbb\xbf" + sound.dump()),
              testing::ElementsAre("schema: file: the text begins with a byte order mark, expected none"));
  json file = sound;
  file["buffers"][0]["uri"] = "data:image/png;base64,AAA=";
  EXPECT_THAT(errors_of_text(file.dump()),
              testing::ElementsAre("data-uri: buffer 0: expected data of the type application/octet-stream or "
                                   "application/gltf-buffer, got image/png"));
  file["buffers"][0]["uri"] = "data:application/octet-stream;;base64,AAA=";
  EXPECT_THAT(errors_of_text(file.dump()), testing::Contains("data-uri: buffer 0: its URI cannot be read: "
                                                             "data:application/octet-stream;;base64,AAA="));
  file = sound;
  file["buffers"][0]["byteLength"] = 3;
  EXPECT_THAT(errors_of_text(file.dump()), testing::ElementsAre("buffer-length: buffer 0: expected 3 bytes, got 2"));
  file = sound;
  file["images"] = {{{"uri", "absent.png"}}};
  EXPECT_EQ(errors_of_text(file.dump()).size(), 1u);
}

TEST(Conformance, WhatReadingNotedWeighsMore) {
  SoundFile file;
  file.poke(file.weights, 4, {0.74f});
  gltf::ImportOptions options;
  const auto plain = gltf::import_memory(file.glb(), {}, options);
  options.check_conformance = true;
  const auto judged = gltf::import_memory(file.glb(), {}, options);
  ASSERT_TRUE(plain);
  ASSERT_TRUE(judged);
  ASSERT_EQ(plain->diagnostics.size(), 1u);
  ASSERT_EQ(judged->diagnostics.size(), 1u);
  EXPECT_EQ(plain->diagnostics[0].severity, Severity::kWarning);
  EXPECT_EQ(judged->diagnostics[0].severity, Severity::kError);
  EXPECT_EQ(judged->diagnostics[0].message, plain->diagnostics[0].message);
  EXPECT_EQ(judged->diagnostics[0].vertices, plain->diagnostics[0].vertices);
}

// Numbers of strangers, and a mesh that is shared by skins of different sizes.
TEST(Conformance, TheSmallestSkinThatShowsAMeshCounts) {
  SoundFile file;
  file.push("skins", {{"joints", {0}}});
  file.push("nodes", {{"mesh", 0}, {"skin", 1}});
  file.root["scenes"][0]["nodes"].push_back(4);
  EXPECT_THAT(faults(file), testing::Contains(testing::StartsWith("joint-index: mesh 0, primitive 0: ")));
}

TEST(Conformance, HugeCountsCostNothing) {
  SoundFile file;
  const int indices = file.view(std::vector<std::uint8_t>{0});
  const int values = file.view(std::vector<float>{1});
  json sparse = {{"count", 1},
                 {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
                 {"values", {{"bufferView", values}}}};
  for (const std::uint64_t count : {std::uint64_t{1} << 31, std::uint64_t{1} << 53, ~std::uint64_t{0}}) {
    file.push("accessors", {{"count", count}, {"type", "SCALAR"}, {"componentType", 5126}, {"sparse", sparse}});
  }
  EXPECT_THAT(faults(file), testing::ElementsAre(
                                testing::AllOf(testing::StartsWith("unchecked: file: its accessors have more than 8"),
                                               testing::EndsWith("what is in the others was not checked"))));
}

// What was not looked at is said: no file passes for sound because it asks for too much.
TEST(Conformance, NumbersBeyondTheBudgetAreSaidToBeUnchecked) {
  SoundFile file;
  constexpr int kTooMany = 12'000'000;  // for a file of a few kilobytes
  const int values = file.view(std::vector<float>{1});
  const int indices = file.view(std::vector<std::uint8_t>{0});
  file.push("accessors", {{"count", kTooMany / 3},
                          {"type", "VEC3"},
                          {"componentType", 5126},
                          {"sparse",
                           {{"count", 1},
                            {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
                            {"values", {{"bufferView", values}}}}}});
  EXPECT_THAT(faults(file), testing::Contains(testing::StartsWith("unchecked: file: ")));
  file.root["accessors"].back()["count"] = 1000;
  EXPECT_THAT(faults(file), testing::Not(testing::Contains(testing::StartsWith("unchecked"))));
}

// Times the count the stride is 0 in 64 bits.
TEST(Conformance, AStrideBeyondAllSenseIsNotFollowed) {
  SoundFile file;
  const int view = file.view(std::vector<float>{1});
  file.root["bufferViews"][view]["byteStride"] = 17592186044416;
  file.push("accessors", {{"bufferView", view}, {"componentType", 5126}, {"type", "SCALAR"}, {"count", 1048577}});
  EXPECT_THAT(faults(file), testing::Contains(testing::HasSubstr("byteStride")));
}

TEST(Conformance, SoManyFaultsAndNoMoreAreListed) {
  SoundFile file;
  for (int i = 0; i < 1000; ++i) {
    file.push("samplers", 3);
  }
  EXPECT_EQ(faults(file).size(), gltf::kMostNonconformities);
}

}  // namespace
}  // namespace pelt
