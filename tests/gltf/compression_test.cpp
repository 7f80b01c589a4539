// EXT_meshopt_compression, KHR_meshopt_compression, KHR_draco_mesh_compression, EXT_texture_webp, KHR_texture_basisu,
// KHR_texture_transform: files that the libraries' own encoders make, and broken twins of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <meshoptimizer.h>
#include <webp/encode.h>

#include <cstring>
#include <string>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <draco/compression/encode.h>
#include <draco/mesh/mesh.h>
#pragma GCC diagnostic pop

#include "gltf/image_codec.h"
#include "gltf/import.h"
#include "support/glb_builder.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::GlbBuilder;
using test::QuadFile;
using test::skinned_quad;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

rig::Character open_compressed(const GlbBuilder& file) {
  auto character = gltf::import_memory(file.glb(), {});
  EXPECT_TRUE(character) << (character ? "" : character.error().message);
  return character ? *std::move(character) : rig::Character();
}

std::string compressed_refusal(const GlbBuilder& file) {
  const auto character = gltf::import_memory(file.glb(), {});
  EXPECT_FALSE(character);
  return character ? "" : character.error().message;
}

std::vector<std::string> messages(const rig::Character& character) {
  std::vector<std::string> out;
  for (const Diagnostic& diagnostic : character.diagnostics) {
    out.push_back(diagnostic.place + ": " + diagnostic.message);
  }
  return out;
}

const mesh::Primitive& only_primitive(const rig::Character& character) {
  return character.meshes.at(0).primitives.at(0);
}

// Meshopt.

std::vector<unsigned char> encoded_vertices(const void* vertices, std::size_t count, std::size_t stride) {
  std::vector<unsigned char> out(meshopt_encodeVertexBufferBound(count, stride));
  out.resize(meshopt_encodeVertexBuffer(out.data(), out.size(), vertices, count, stride));
  return out;
}

/// Moves the data of a view to the buffer that holds none, and their compressed form to the end of the chunk.
/// @return  the extension's object
json& compress_meshopt(GlbBuilder& file, int view, const char* mode, std::size_t stride,
                       const std::vector<unsigned char>& encoded, const char* name = "EXT_meshopt_compression") {
  json& entry = file.root["bufferViews"][view];
  const std::size_t length = entry["byteLength"];
  for (std::size_t i = 0; i < length; ++i) {
    file.bin[entry["byteOffset"].get<std::size_t>() + i] = 0xff;  // whoever reads these notices
  }
  const int at = file.view(encoded);
  json& compressed = file.root["bufferViews"][view];
  compressed["buffer"] = 1;
  compressed["extensions"][name] = {{"buffer", 0},          {"byteOffset", file.root["bufferViews"][at]["byteOffset"]},
                                    {"mode", mode},         {"byteLength", encoded.size()},
                                    {"byteStride", stride}, {"count", length / stride}};
  file.root["buffers"] = {{{"byteLength", file.bin.size()}},
                          {{"byteLength", file.bin.size()}, {"extensions", {{name, {{"fallback", true}}}}}}};
  return compressed["extensions"][name];
}

int view_of(QuadFile& file, int accessor) {
  return file.accessor_entry(accessor)["bufferView"];
}

struct MeshoptQuad {
  QuadFile file = skinned_quad();
  json* positions = nullptr;
  json* indices = nullptr;
};

MeshoptQuad meshopt_quad(const char* name = "EXT_meshopt_compression") {
  MeshoptQuad quad;
  const std::vector<float> positions = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  compress_meshopt(quad.file, view_of(quad.file, quad.file.positions), "ATTRIBUTES", 12,
                   encoded_vertices(positions.data(), 4, 12), name);
  const std::vector<unsigned int> indices = {0, 1, 2, 2, 1, 3};
  std::vector<unsigned char> triangles(meshopt_encodeIndexBufferBound(6, 4));
  triangles.resize(meshopt_encodeIndexBuffer(triangles.data(), triangles.size(), indices.data(), indices.size()));
  compress_meshopt(quad.file, view_of(quad.file, quad.file.indices), "TRIANGLES", 2, triangles, name);
  const auto extension = [&](int accessor) {
    return &quad.file.root["bufferViews"][view_of(quad.file, accessor)]["extensions"][name];
  };
  quad.positions = extension(quad.file.positions);
  quad.indices = extension(quad.file.indices);
  return quad;
}

TEST(Meshopt, AttributesAndTrianglesAreThoseOfTheUncompressedTwin) {
  const rig::Character plain = open_compressed(skinned_quad());
  for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
    SCOPED_TRACE(name);
    MeshoptQuad quad = meshopt_quad(name);
    quad.file.root["extensionsUsed"] = quad.file.root["extensionsRequired"] = {name};
    const rig::Character character = open_compressed(quad.file);
    EXPECT_THAT(character.diagnostics, IsEmpty());
    EXPECT_EQ(only_primitive(character).positions, only_primitive(plain).positions);
    EXPECT_EQ(flat(only_primitive(character).influences).joint, flat(only_primitive(plain).influences).joint);
    // The codec may turn a triangle, never turn it round.
    EXPECT_THAT(only_primitive(character).indices, ElementsAre(0, 1, 2, 2, 1, 3));
  }
}

TEST(Meshopt, IndexSequencesKeepTheirOrder) {
  QuadFile file = skinned_quad();
  const std::vector<unsigned int> indices = {3, 0, 1, 2, 0, 3};
  std::vector<unsigned char> sequence(meshopt_encodeIndexSequenceBound(6, 4));
  sequence.resize(meshopt_encodeIndexSequence(sequence.data(), sequence.size(), indices.data(), indices.size()));
  compress_meshopt(file, view_of(file, file.indices), "INDICES", 2, sequence);
  EXPECT_THAT(only_primitive(open_compressed(file)).indices, ElementsAre(3, 0, 1, 2, 0, 3));
}

TEST(Meshopt, FiltersGiveNormalsRotationsAndPositions) {
  QuadFile file = skinned_quad();
  // Octahedral: (0, 0, 1) is the centre, (1, 0, 0) the edge of the square, in eight bits.
  const std::vector<float> normals = {0, 0, 1, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0};
  std::vector<std::uint8_t> octahedral(16);
  meshopt_encodeFilterOct(octahedral.data(), 4, 4, 8, normals.data());
  const int bytes = file.view(std::vector<std::uint8_t>(16), 4);
  file.accessor_entry(file.normals).update({{"bufferView", bytes}, {"componentType", 5120}, {"normalized", true}});
  compress_meshopt(file, bytes, "ATTRIBUTES", 4, encoded_vertices(octahedral.data(), 4, 4))["filter"] = "OCTAHEDRAL";
  // Quaternions: the largest component is left out, the others have 16 bits over [-1/sqrt(2), 1/sqrt(2)].
  const float half = std::sqrt(0.5f);
  const std::vector<float> rotations = {0, 0, 0, 1, 0, 0, half, half};
  std::vector<std::int16_t> quaternions(8);
  meshopt_encodeFilterQuat(quaternions.data(), 2, 8, 16, rotations.data());
  const int shorts = file.view(std::vector<std::int16_t>(8));
  file.accessor_entry(file.rotations).update({{"bufferView", shorts}, {"componentType", 5122}, {"normalized", true}});
  compress_meshopt(file, shorts, "ATTRIBUTES", 8, encoded_vertices(quaternions.data(), 2, 8))["filter"] = "QUATERNION";
  // Exponential: what has few bits comes back as it was.
  const std::vector<float> positions = {0, 0, 0, 1, 0, 0, 0, 1.5f, 0, 1, 0.25f, -3};
  std::vector<std::uint32_t> exponential(12);
  meshopt_encodeFilterExp(exponential.data(), 4, 12, 24, positions.data());
  compress_meshopt(file, view_of(file, file.positions), "ATTRIBUTES", 12,
                   encoded_vertices(exponential.data(), 4, 12))["filter"] = "EXPONENTIAL";

  const rig::Character character = open_compressed(file);
  EXPECT_THAT(character.diagnostics, IsEmpty());
  const mesh::Primitive& primitive = only_primitive(character);
  EXPECT_THAT(primitive.normals,
              ElementsAre(glm::vec3(0, 0, 1), glm::vec3(1, 0, 0), glm::vec3(0, -1, 0), glm::vec3(0, 0, -1)));
  EXPECT_THAT(primitive.positions,
              ElementsAre(glm::vec3(0), glm::vec3(1, 0, 0), glm::vec3(0, 1.5f, 0), glm::vec3(1, 0.25f, -3)));
  const std::vector<float>& keys = character.clips.at(0).channels.at(0).values;
  ASSERT_EQ(keys.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(keys[i], rotations[i], 1e-4f) << i;
  }
}

TEST(Meshopt, AnUncompressedCopyIsUsedWhereDecodingFails) {
  MeshoptQuad quad = meshopt_quad();
  (*quad.positions)["mode"] = "NEWER";
  EXPECT_THAT(compressed_refusal(quad.file),
              HasSubstr("buffer view 0: EXT_meshopt_compression: mode: expected ATTRIBUTES, TRIANGLES or INDICES, got "
                        "'NEWER'"));
  json& view = quad.file.root["bufferViews"][0];
  view["buffer"] = 0;
  const std::vector<float> positions = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 2, 0};
  quad.file.poke(quad.file.positions, 0, positions);
  const rig::Character character = open_compressed(quad.file);
  EXPECT_THAT(messages(character),
              ElementsAre("buffer view 0: EXT_meshopt_compression: mode: expected ATTRIBUTES, TRIANGLES or INDICES, "
                          "got 'NEWER'; the uncompressed copy is used"));
  EXPECT_EQ(only_primitive(character).positions[3], glm::vec3(1, 2, 0));
}

TEST(Meshopt, WhatTheExtensionForbidsIsRefused) {
  const auto with = [](const json& changes, bool indices = false) {
    MeshoptQuad quad = meshopt_quad();
    (indices ? quad.indices : quad.positions)->update(changes);
    return compressed_refusal(quad.file);
  };
  EXPECT_THAT(with({{"buffer", 7}}), HasSubstr("buffer 7 does not exist, there are 2"));
  EXPECT_THAT(with({{"buffer", 1}}), HasSubstr("buffer 1: it stands for decoded data and holds none"));
  EXPECT_THAT(with({{"byteLength", 100000}}), HasSubstr("100000 bytes from byte "));
  EXPECT_THAT(with({{"byteOffset", -4}}), HasSubstr("expected byteLength, byteStride and count"));
  EXPECT_THAT(with({{"count", 0}}), HasSubstr("of 1 or more, got "));
  EXPECT_THAT(with({{"count", "four"}}), HasSubstr("and -1"));
  EXPECT_THAT(with({{"byteStride", 10}}), HasSubstr("byteStride: expected a multiple of 4 up to 256, got 10"));
  EXPECT_THAT(with({{"byteStride", 260}}), HasSubstr("byteStride: expected a multiple of 4 up to 256, got 260"));
  EXPECT_THAT(with({{"byteStride", 12}}, true), HasSubstr("byteStride: expected 2 or 4 for TRIANGLES, got 12"));
  EXPECT_THAT(with({{"count", 5}}, true), HasSubstr("count: expected a multiple of 3 for TRIANGLES, got 5"));
  EXPECT_THAT(with({{"filter", "EXPONENTIAL"}}, true),
              HasSubstr("filter: expected NONE for TRIANGLES, got EXPONENTIAL"));
  EXPECT_THAT(with({{"filter", "QUATERNION"}}), HasSubstr("byteStride: expected 8 for QUATERNION, got 12"));
  EXPECT_THAT(with({{"filter", "OCTAHEDRAL"}}), HasSubstr("byteStride: expected 4 or 8 for OCTAHEDRAL, got 12"));
  EXPECT_THAT(with({{"filter", "COLOR"}}), HasSubstr("not supported: the filter COLOR"));
  EXPECT_THAT(with({{"filter", "PEPPER"}}), HasSubstr("filter: expected NONE, OCTAHEDRAL, "));
  EXPECT_THAT(with({{"count", 3}}), HasSubstr("byteLength: expected 3 times 12, got 48"));
  EXPECT_THAT(with({{"count", 1000}}), HasSubstr("its data are malformed"));
  EXPECT_THAT(with({{"count", 2000000000}, {"byteStride", 256}}),
              HasSubstr("decoding 2000000000 elements would take more memory than a file of this size warrants"));
  MeshoptQuad quad = meshopt_quad();
  quad.file.bin[(*quad.positions)["byteOffset"].get<std::size_t>()] = 0xa1;
  EXPECT_THAT(compressed_refusal(quad.file), HasSubstr("not supported: version 1 of the vertex codec"));
  for (std::size_t size = 1; size < (*quad.positions)["byteLength"].get<std::size_t>(); ++size) {
    EXPECT_THAT(with({{"byteLength", size}}), HasSubstr("its data are malformed")) << size;
  }
}

// Draco.

struct DracoQuad {
  QuadFile file = skinned_quad();
  int ids = file.accessor(std::vector<std::uint16_t>(4, 0), test::kU16, "SCALAR");
  std::vector<char> encoded;

  json& extension() { return file.primitive()["extensions"]["KHR_draco_mesh_compression"]; }
  /// Puts the encoded bytes in and lets the accessors name no views.
  void finish() {
    const int view = file.view(encoded);
    extension()["bufferView"] = view;
    for (const int accessor : {file.positions, file.normals, file.joints, file.weights, ids, file.indices}) {
      file.accessor_entry(accessor).erase("bufferView");
    }
    file.root["extensionsUsed"] = file.root["extensionsRequired"] = {"KHR_draco_mesh_compression"};
  }
};

/// @param values  [points][components]
template <typename T>
int add_draco_attribute(draco::Mesh& mesh, draco::GeometryAttribute::Type type, draco::DataType data_type,
                        int components, const std::vector<T>& values) {
  draco::GeometryAttribute attribute;
  const std::size_t size = sizeof(T) * static_cast<std::size_t>(components);
  attribute.Init(type, nullptr, static_cast<std::int8_t>(components), data_type, false, static_cast<std::int64_t>(size),
                 0);
  const auto count = static_cast<std::uint32_t>(values.size() / static_cast<std::size_t>(components));
  const int id = mesh.AddAttribute(attribute, true, count);
  for (std::uint32_t v = 0; v < count; ++v) {
    mesh.attribute(id)->SetAttributeValue(draco::AttributeValueIndex(v),
                                          values.data() + v * static_cast<std::size_t>(components));
  }
  return static_cast<int>(mesh.attribute(id)->unique_id());
}

DracoQuad draco_quad(int method) {
  DracoQuad quad;
  draco::Mesh mesh;
  mesh.set_num_points(4);
  mesh.SetNumFaces(2);
  using draco::PointIndex;
  mesh.SetFace(draco::FaceIndex(0), {PointIndex(0), PointIndex(1), PointIndex(2)});
  mesh.SetFace(draco::FaceIndex(1), {PointIndex(2), PointIndex(1), PointIndex(3)});
  json attributes;
  attributes["POSITION"] = add_draco_attribute<float>(mesh, draco::GeometryAttribute::POSITION, draco::DT_FLOAT32, 3,
                                                      {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0});
  attributes["NORMAL"] = add_draco_attribute<float>(mesh, draco::GeometryAttribute::NORMAL, draco::DT_FLOAT32, 3,
                                                    {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1});
  attributes["JOINTS_0"] = add_draco_attribute<std::uint8_t>(mesh, draco::GeometryAttribute::GENERIC, draco::DT_UINT8,
                                                             4, {0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  attributes["WEIGHTS_0"] = add_draco_attribute<float>(mesh, draco::GeometryAttribute::GENERIC, draco::DT_FLOAT32, 4,
                                                       {1, 0, 0, 0, 0.75f, 0.25f, 0, 0, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0});
  attributes["_ID"] = add_draco_attribute<std::uint16_t>(mesh, draco::GeometryAttribute::GENERIC, draco::DT_UINT16, 1,
                                                         {7, 65535, 8, 9});
  quad.file.attributes()["_ID"] = quad.ids;
  draco::Encoder encoder;
  encoder.SetEncodingMethod(method);
  draco::EncoderBuffer buffer;
  EXPECT_TRUE(encoder.EncodeMeshToBuffer(mesh, &buffer).ok());
  quad.encoded.assign(buffer.data(), buffer.data() + buffer.size());
  quad.extension() = {{"attributes", attributes}};
  return quad;
}

TEST(Draco, SequentialKeepsOrderInfluencesAndTheMorphTargetBeside) {
  DracoQuad quad = draco_quad(draco::MESH_SEQUENTIAL_ENCODING);
  quad.finish();
  const rig::Character plain = open_compressed(skinned_quad());
  const rig::Character character = open_compressed(quad.file);
  EXPECT_THAT(messages(character), IsEmpty());
  const mesh::Primitive& actual = only_primitive(character);
  const mesh::Primitive& expected = only_primitive(plain);
  EXPECT_EQ(actual.positions, expected.positions);
  EXPECT_EQ(actual.normals, expected.normals);
  EXPECT_EQ(actual.indices, expected.indices);
  EXPECT_EQ(flat(actual.influences).joint, flat(expected.influences).joint);
  EXPECT_EQ(flat(actual.influences).weight, flat(expected.influences).weight);
  ASSERT_EQ(actual.kept.size(), 1U);
  EXPECT_THAT(actual.kept[0].bytes, ElementsAre(7, 0, 255, 255, 8, 0, 9, 0));
  ASSERT_EQ(actual.morph_targets.size(), 1U);
  EXPECT_EQ(actual.morph_targets[0].position_deltas, expected.morph_targets[0].position_deltas);
}

TEST(Draco, EdgebreakerGivesTheSameTrianglesInItsOwnOrder) {
  DracoQuad quad = draco_quad(draco::MESH_EDGEBREAKER_ENCODING);
  quad.finish();
  quad.file.primitive()["mode"] = 5;  // a strip where it is not compressed; what is decoded are triangles
  const rig::Character plain = open_compressed(skinned_quad());
  const rig::Character character = open_compressed(quad.file);
  EXPECT_THAT(messages(character), IsEmpty());
  const mesh::Primitive& actual = only_primitive(character);
  const mesh::Primitive& expected = only_primitive(plain);
  ASSERT_EQ(actual.vertex_count(), 4U);
  EXPECT_EQ(actual.indices.size(), 6U);
  for (std::size_t v = 0; v < 4; ++v) {
    const auto found = std::find(expected.positions.begin(), expected.positions.end(), actual.positions[v]);
    ASSERT_NE(found, expected.positions.end()) << v;
    const std::size_t w = found - expected.positions.begin();
    const auto row = [](const mesh::Influences& rows, std::size_t at) {
      return std::vector<float>(rows.weights(at).begin(), rows.weights(at).end());
    };
    EXPECT_EQ(row(actual.influences, v), row(expected.influences, w)) << v;
  }
}

TEST(Draco, AnUncompressedCopyBesideIsPreferred) {
  DracoQuad quad = draco_quad(draco::MESH_EDGEBREAKER_ENCODING);
  quad.extension()["bufferView"] = quad.file.view(quad.encoded);
  EXPECT_THAT(messages(open_compressed(quad.file)),
              ElementsAre("mesh 0, primitive 0: the uncompressed copy is used, not that of "
                          "KHR_draco_mesh_compression"));
}

TEST(Draco, WhatIsBrokenIsRefused) {
  const auto with = [](const auto& change) {
    DracoQuad quad = draco_quad(draco::MESH_SEQUENTIAL_ENCODING);
    change(quad);
    quad.finish();
    return compressed_refusal(quad.file);
  };
  const std::string place = "mesh 0, primitive 0: KHR_draco_mesh_compression: ";
  EXPECT_EQ(with([](DracoQuad& quad) { quad.encoded.resize(4); }), place + "its data are malformed (no header)");
  EXPECT_EQ(with([](DracoQuad& quad) { quad.encoded[6] = 1; }),
            place + "expected version 2.2 of the bitstream, got 2.1");
  EXPECT_EQ(with([](DracoQuad& quad) { quad.encoded[7] = 0; }), place + "expected a mesh, got a point cloud");
  EXPECT_EQ(with([](DracoQuad& quad) { quad.extension()["attributes"] = 3; }),
            place + "attributes: expected an object");
  EXPECT_EQ(with([](DracoQuad& quad) { quad.extension()["attributes"]["POSITION"] = 9; }),
            place + "POSITION: its data have no attribute with the id 9");
  EXPECT_EQ(with([](DracoQuad& quad) { quad.extension()["attributes"]["POSITION"] = "first"; }),
            place + "POSITION: its data have no attribute with the id -1");
  EXPECT_EQ(with([](DracoQuad& quad) { quad.extension()["attributes"]["COLOR_0"] = 0; }),
            place + "COLOR_0: the primitive has no attribute of that name");
  EXPECT_EQ(with([](DracoQuad& quad) { quad.file.accessor_entry(quad.file.positions)["type"] = "VEC4"; }),
            place + "POSITION: expected 4 components, got 3");
  EXPECT_EQ(with([](DracoQuad& quad) { quad.file.primitive()["mode"] = 1; }),
            place + "mode: expected triangles (4 or 5), got 1");
  // Counts that the bytes do not warrant: 2^28 faces of edgebreaker, 2^31 points of a sequential mesh.
  const std::vector<char> header = {'D', 'R', 'A', 'C', 'O', 2, 2, 1};
  const auto lie = [&](std::vector<char> rest) {
    return with([&](DracoQuad& quad) {
      quad.encoded = header;
      quad.encoded.insert(quad.encoded.end(), rest.begin(), rest.end());
    });
  };
  const char all = static_cast<char>(0x80);
  EXPECT_EQ(lie({1, 0, 0, 0, all, all, all, all, 1, all, all, all, all, 1, 1, 9, 9, 9}),
            place + "decoding 268435456 elements would take more memory than a file of this size warrants");
  EXPECT_EQ(lie({0, 0, 0, 0, all, all, all, all, 8, 1, 9, 9, 9}),
            place + "decoding 2147483648 elements would take more memory than a file of this size warrants");
  // Cut anywhere, it is refused and read no further.
  const std::size_t size = draco_quad(draco::MESH_SEQUENTIAL_ENCODING).encoded.size();
  for (std::size_t length = 11; length < size; ++length) {
    EXPECT_THAT(with([&](DracoQuad& quad) { quad.encoded.resize(length); }), HasSubstr("its data are malformed"))
        << length;
  }
}

TEST(Draco, ACountThatDiffersIsThatOfTheData) {
  DracoQuad quad = draco_quad(draco::MESH_SEQUENTIAL_ENCODING);
  quad.finish();
  quad.file.accessor_entry(quad.file.normals)["count"] = 9;
  const rig::Character character = open_compressed(quad.file);
  EXPECT_THAT(messages(character), ElementsAre("accessor 1: expected 9 elements, its Draco data hold 4"));
  EXPECT_EQ(only_primitive(character).normals.size(), 4U);
}

// Textures.

const std::vector<std::uint8_t> kTwoPixels = {255, 0, 0, 255, 0, 64, 128, 192};

std::vector<std::uint8_t> encoded_webp() {
  std::uint8_t* bytes = nullptr;
  const std::size_t size = WebPEncodeLosslessRGBA(kTwoPixels.data(), 2, 1, 8, &bytes);
  std::vector<std::uint8_t> out(bytes, bytes + size);
  WebPFree(bytes);
  return out;
}

/// A quad with one texture; `image` 0 is a PNG of one white pixel, 1 has the bytes given.
QuadFile textured_quad(const std::vector<std::uint8_t>& encoded, json texture) {
  QuadFile file = skinned_quad();
  const std::vector<std::uint8_t> white = {255, 255, 255, 255};
  file.push("images", {{"bufferView", file.view(gltf::encode_png(white, {1, 1}))}, {"mimeType", "image/png"}});
  file.push("images", {{"bufferView", file.view(encoded)}, {"mimeType", "image/webp"}});
  file.push("textures", std::move(texture));
  file.push("materials", {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}});
  file.primitive()["material"] = 0;
  return file;
}

TEST(TextureExtensions, WebpIsDecodedAndPreferredToItsFallback) {
  const json texture = {{"source", 0}, {"extensions", {{"EXT_texture_webp", {{"source", 1}}}}}};
  QuadFile file = textured_quad(encoded_webp(), texture);
  file.root["extensionsRequired"] = {"EXT_texture_webp"};
  const rig::Character character = open_compressed(file);
  EXPECT_THAT(messages(character), IsEmpty());
  EXPECT_EQ(character.textures.at(0).image, 1);
  EXPECT_EQ(character.images.at(1).mime_type, "image/webp");
  EXPECT_EQ(character.images.at(1).width, 2);
  EXPECT_EQ(character.images.at(1).pixels, kTwoPixels);
  // Without an extension as well, since what it is shows by its first bytes.
  EXPECT_EQ(open_compressed(textured_quad(encoded_webp(), {{"source", 1}})).images.at(1).pixels, kTwoPixels);
}

TEST(TextureExtensions, BrokenWebpLeavesTheFallback) {
  std::vector<std::uint8_t> broken = encoded_webp();
  broken.resize(16);
  const json texture = {{"source", 0}, {"extensions", {{"EXT_texture_webp", {{"source", 1}}}}}};
  const rig::Character character = open_compressed(textured_quad(broken, texture));
  EXPECT_THAT(messages(character), ElementsAre("image 1: not a readable WebP; shown without it"));
  EXPECT_EQ(character.textures.at(0).image, 0);
  // The header is sound, the pixels are not.
  broken = encoded_webp();
  broken.resize(broken.size() - 8);
  EXPECT_THAT(messages(open_compressed(textured_quad(broken, {{"source", 1}}))),
              ElementsAre("image 1: cannot be decoded (malformed WebP); shown without it"));
  EXPECT_THAT(messages(open_compressed(
                  textured_quad(encoded_webp(), {{"extensions", {{"EXT_texture_webp", {{"source", 5}}}}}}))),
              ElementsAre("texture 0: image 5 does not exist, there are 2"));
}

TEST(TextureExtensions, WebpMayNotPromiseMorePixelsThanTheFileWarrants) {
  // A lossless header of 16384 x 16384 pixels: 14 bits of each side less one.
  const std::vector<std::uint8_t> huge = {'R', 'I', 'F', 'F', 20, 0, 0,    0,    'W',  'E',  'B',  'P', 'V', 'P',
                                          '8', 'L', 8,   0,   0,  0, 0x2f, 0xff, 0xff, 0xff, 0x0f, 0,   0,   0};
  EXPECT_THAT(
      messages(open_compressed(textured_quad(huge, {{"source", 1}}))),
      ElementsAre("image 1: 16384 x 16384 pixels are more than a picture of 28 bytes warrants; shown without it"));
}

TEST(TextureExtensions, BasisUniversalIsReplacedOrSaidToBeMissing) {
  const std::vector<std::uint8_t> ktx = {0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a, '\n', 0, 0, 0, 0};
  const json extensions = {{"KHR_texture_basisu", {{"source", 1}}}};
  rig::Character character = open_compressed(textured_quad(ktx, {{"source", 0}, {"extensions", extensions}}));
  EXPECT_THAT(messages(character), IsEmpty());
  EXPECT_EQ(character.textures.at(0).image, 0);
  QuadFile file = textured_quad(ktx, {{"extensions", extensions}});
  file.root["extensionsRequired"] = {"KHR_texture_basisu"};
  EXPECT_THAT(messages(open_compressed(file)),
              ElementsAre("file: the file requires KHR_texture_basisu, which is not supported; it may look different",
                          "texture 0: image 1 is KTX2, and a transcoder for Basis Universal is missing here; shown "
                          "without it"));
}

TEST(TextureExtensions, TransformsAreReadWithTheirTextureCoordinateSet) {
  QuadFile file = textured_quad(encoded_webp(), {{"source", 0}});
  json& reference = file.root["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"];
  json& transform = reference["extensions"]["KHR_texture_transform"];
  transform = {{"offset", {0.25, -0.5}}, {"rotation", 1.5}, {"scale", {2, 4}}, {"texCoord", 1}};
  rig::Character character = open_compressed(file);
  EXPECT_THAT(messages(character), IsEmpty());
  const rig::TextureRef& whole = character.materials.at(0).base_color_texture;
  EXPECT_EQ(whole.transform, (rig::TextureTransform{{0.25f, -0.5f}, 1.5f, {2, 4}}));
  EXPECT_EQ(whole.texcoord, 1);
  transform = json::object();
  character = open_compressed(file);
  EXPECT_EQ(character.materials.at(0).base_color_texture.transform, rig::TextureTransform());
  EXPECT_EQ(character.materials.at(0).base_color_texture.texcoord, 0);
  for (const json& bad : {json{{"offset", {1}}}, json{{"scale", 2}}, json{{"rotation", "right"}},
                          json{{"rotation", 1e300}}, json{{"offset", {0, nullptr}}}}) {
    transform = bad;
    EXPECT_THAT(messages(open_compressed(file)),
                ElementsAre("material 0: baseColorTexture: KHR_texture_transform: expected numbers of offset, rotation "
                            "and scale; ignored"))
        << bad;
  }
  transform = {{"texCoord", 7}};
  EXPECT_THAT(messages(open_compressed(file)),
              ElementsAre("material 0: baseColorTexture: there is no texture coordinate set 7; set 0 is used"));
}

}  // namespace
}  // namespace pelt
