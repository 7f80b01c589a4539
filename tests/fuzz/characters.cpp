// Any bytes as the file of a character. Beyond what the sanitizers find, a character that opens must be one that can be
// posed and drawn: indices in range, numbers finite; and one that can be written and read again.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "edit/file_layers.h"
#include "formats/bvh.h"
#include "formats/obj.h"
#include "formats/open.h"
#include "formats/ply.h"
#include "fuzz/targets.h"
#include "gltf/export.h"
#include "gltf/sample_character.h"
#include "rig/kinematics.h"

namespace pelt::fuzz {
namespace {

void put_word(std::vector<std::uint8_t>& out, std::size_t word) {
  for (int i = 0; i < 4; ++i) {
    out.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
  }
}

/// A binary glTF with one primitive whose attributes 0 and 1 are in the bitstream.
std::vector<std::uint8_t> file_around_draco(std::span<const std::uint8_t> bitstream) {
  const std::string length = std::to_string(bitstream.size());
  std::string json =
      R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":)" + length +
      R"(}],"bufferViews":[{"buffer":0,"byteLength":)" + length +
      R"(}],"accessors":[{"componentType":5126,"count":24,"type":"VEC3"},{"componentType":5126,"count":24,"type":"VEC3"},
      {"componentType":5123,"count":36,"type":"SCALAR"}],"meshes":[{"primitives":[{"attributes":{"POSITION":0,"NORMAL":1},
      "indices":2,"extensions":{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":{"POSITION":0,"NORMAL":1}}}}]}],
      "nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}]})";
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::vector<std::uint8_t> out;
  const std::size_t padding = (4 - bitstream.size() % 4) % 4;
  for (const std::size_t word : {std::size_t{0x46546C67}, std::size_t{2}, 28 + json.size() + bitstream.size() + padding,
                                 json.size(), std::size_t{0x4E4F534A}}) {
    put_word(out, word);
  }
  out.insert(out.end(), json.begin(), json.end());
  put_word(out, bitstream.size() + padding);
  put_word(out, 0x004E4942);
  out.insert(out.end(), bitstream.begin(), bitstream.end());
  out.insert(out.end(), padding, 0);
  return out;
}

bool finite(const glm::vec4& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

void check_part(const rig::Character& character, const rig::Part& part, const rig::WorldMatrices& world) {
  const mesh::Primitive& primitive = character.primitive(part);
  demand(std::ranges::all_of(primitive.indices, [&](std::uint32_t i) { return i < primitive.vertex_count(); }),
         "an index names a vertex");
  const auto fits = [&](std::size_t size) { return size == 0 || size == primitive.vertex_count(); };
  demand(fits(primitive.normals.size()) && fits(primitive.tangents.size()) && fits(primitive.colors.size()) &&
             fits(primitive.texcoords[0].size()) && fits(primitive.texcoords[1].size()),
         "an attribute has as many rows as there are vertices");
  const mesh::Influences& rows = primitive.influences;
  const bool skinned = part.skin >= 0 && !rows.empty();
  std::vector<glm::mat4> matrices;
  if (skinned) {
    const rig::Skin& skin = character.skins[part.skin];
    matrices.resize(skin.joints.size());
    rig::skin_matrices(skin, world.world(), matrices);
  }
  for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
    const glm::vec4 bound(primitive.positions[v], 1.0f);
    glm::vec4 posed = skinned ? glm::vec4(0.0f) : world[part.joint] * bound;
    const mesh::InfluenceRow row = skinned ? rows.row(v) : mesh::InfluenceRow();
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      demand(row.joints[k] < matrices.size(), "an influence names a joint");
      posed += row.weights[k] * (matrices[row.joints[k]] * bound);
    }
    demand(finite(posed), "a vertex is finite");
  }
}

void check_character(const rig::Character& character) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, rig::rest_pose(character));
  for (const rig::Part& part : character.parts) {
    check_part(character, part, world);
  }
  rig::Pose pose = rig::rest_pose(character);
  for (const rig::Clip& clip : character.clips) {
    rig::apply(clip, 0.5f * (clip.start + clip.end), character.morph_offset, pose);
  }
  for (const rig::Image& image : character.images) {
    demand(image.pixels.size() == 4 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) ||
               image.pixels.empty(),
           "an image has the pixels of its size");
  }
}

void check(const Result<rig::Character>& character) {
  if (character) {
    check_character(*character);
  } else {
    demand_sentence(character.error().message);
  }
}

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Layers that a file says can be written again, and open as the same.
void check_layers(const rig::Character& character) {
  const edit::FileLayers layers = edit::file_layers(character);
  for (const std::string& remark : layers.remarks) {
    demand_sentence(remark);
  }
  edit::Content content;
  content.pose_layers = layers.pose_layers;
  content.deformer_layers = layers.deformer_layers;
  rig::Character written = character;
  if (edit::put_layers(written, content) && !layers.refused) {
    const edit::FileLayers again = edit::file_layers(written);
    demand(again.remarks.empty(), "layers that were written can be read");
    demand(again.pose_layers == layers.pose_layers && again.deformer_layers == layers.deformer_layers,
           "layers that were written are the same ones");
  }
}

// Of the parts that draw anything: glTF has no form for others.
std::vector<std::size_t> vertex_counts(const rig::Character& character) {
  std::vector<std::size_t> counts;
  for (const rig::Part& part : character.parts) {
    if (!character.primitive(part).indices.empty()) {
      counts.push_back(character.primitive(part).vertex_count());
    }
  }
  return counts;
}

}  // namespace

// What begins like Draco's bitstream is put into a file around it, so that the decoder behind the container is reached
// as well.
void read_import(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDraco = "DRACO";
  if (text_of(bytes).starts_with(kDraco)) {
    const std::vector<std::uint8_t> wrapped = file_around_draco(bytes);
    check(formats::import_memory(wrapped));
  } else {
    check(formats::import_memory(bytes));
  }
}

void read_obj(std::span<const std::uint8_t> bytes) {
  check(formats::import_obj(text_of(bytes), {}));
}

void read_ply(std::span<const std::uint8_t> bytes) {
  check(formats::import_ply(bytes, {}));
}

void read_bvh(std::span<const std::uint8_t> bytes) {
  check(formats::import_bvh(text_of(bytes), {}));
}

// What can be read can be written in every form, and read again with as much in it.
void read_and_write(std::span<const std::uint8_t> bytes) {
  const auto character = formats::import_memory(bytes);
  if (!character) {
    return;
  }
  check_layers(*character);
  static const std::vector<gltf::ExportOptions> kForms = {
      {.sums_as_stored = false},
      {.form = gltf::FileForm::kEmbedded, .weights = mesh::WeightFormat::kUnorm8},
      {.quantize = true, .short_rotations = true, .meshopt = true},
  };
  for (const gltf::ExportOptions& form : kForms) {
    const Result<gltf::Exported> written = gltf::export_character(*character, form);
    if (!written) {
      demand_sentence(written.error().message);
      continue;
    }
    const Result<rig::Character> again = formats::import_memory(written->files.front().bytes);
    demand(again.has_value(), again ? "" : again.error().message.c_str());
    check_character(*again);
    // Quantised positions may need a node more, which scales them back.
    demand(again->skeleton->size() >= character->skeleton->size(), "what is written has all nodes");
    demand(vertex_counts(*again) == vertex_counts(*character), "what is written has all parts and their vertices");
    demand(again->skins.size() == character->skins.size(), "what is written has all skins");
  }
}

std::vector<std::string> import_seeds() {
  std::vector<std::string> seeds;
  rig::Character sample = test::sample_character();
  sample.kept.push_back(
      {.place = "",
       .extensions = "",
       .extras = R"({"pelt":{"layers":{"version":1,"pose":[{"kind":"base","on":true},{"kind":"clip","on":false,)"
                 R"("weight":0.5}],"deformers":[{"kind":"jiggle","on":true,"strength":[1]},{"kind":"push","on":true,)"
                 R"("distance":0.01,"weight":2},{"kind":"skin","on":true}]}}})"});
  for (const gltf::ExportOptions& form :
       {gltf::ExportOptions{}, gltf::ExportOptions{.form = gltf::FileForm::kEmbedded},
        gltf::ExportOptions{.quantize = true, .short_rotations = true, .meshopt = true}}) {
    const Result<gltf::Exported> file = gltf::export_character(sample, form);
    demand(file.has_value(), "the sample can be written");
    const std::vector<std::uint8_t>& bytes = file->files.front().bytes;
    seeds.emplace_back(bytes.begin(), bytes.end());
  }
  return seeds;
}

std::vector<std::string> obj_seeds() {
  return {
      "# a box\nmtllib box.mtl\no box\nv 0 0 0\nv 1 0 0\nv 1 1 0 1 0.5 0\nv 0 1 0\nv 0.5 0.5 1\nvt 0 0\nvt 1 1\n"
      "vn 0 0 1\ng side\nusemtl red\ns 1\nf 1/1/1 2/2/1 3/1/1 4/2/1\nf -1 -2 -3\ns off\nl 1 2 3\np 4 5\n",
      "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.2 0\nv 0 2 0\nf 1 2 3 4 5\no \xc3\xa9\nf 1//  2//  3//\n"};
}

std::vector<std::string> ply_seeds() {
  std::string binary =
      "ply\nformat binary_little_endian 1.0\ncomment x\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nproperty uchar red\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
  for (const std::array<float, 3>& v :
       {std::array{0.f, 0.f, 0.f}, std::array{1.f, 0.f, 0.f}, std::array{0.f, 1.f, 0.f}}) {
    binary.append(reinterpret_cast<const char*>(v.data()), sizeof(v));
    binary += '\x80';
  }
  binary += '\3';
  for (const std::int32_t corner : {0, 1, 2}) {
    binary.append(reinterpret_cast<const char*>(&corner), sizeof(corner));
  }
  return {
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty float "
      "nx\nproperty float ny\nproperty float nz\nelement face 2\nproperty list uchar int vertex_indices\nelement edge "
      "1\nproperty int vertex1\nproperty int vertex2\nend_header\n0 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0 0 0 1\n0 1 0 0 0 "
      "1\n3 0 1 2\n4 0 1 2 3\n0 2\n",
      binary};
}

std::vector<std::string> bvh_seeds() {
  return {
      "HIERARCHY\nROOT hips\n{\n  OFFSET 0 0 0\n  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
      "Yrotation\n  JOINT leg {\n    OFFSET 0 -40 0\n    CHANNELS 3 Zrotation Xrotation Yrotation\n    End Site\n  "
      "  {\n      OFFSET 0 -40 0\n    }\n  }\n}\nMOTION\nFrames: 2\nFrame Time: 0.0333\n0 90 0 0 0 0 10 20 30\n1 "
      "91 0 5 5 5 15 25 35\n"};
}

}  // namespace pelt::fuzz
