// Any bytes as a glTF file. What begins like Draco's bitstream is put into a file around it, so that the decoder behind
// the container is reached as well. Beyond what the sanitizers find, a character that opens must be one that can be
// posed and drawn: indices in range, numbers finite.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/parallel.h"
#include "formats/open.h"
#include "rig/kinematics.h"

namespace pelt {
namespace {

void demand(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "a character that opened breaks its promise: %s\n", what);
    std::abort();
  }
}

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

void check_character(const rig::Character& character) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, rig::rest_pose(character));
  std::vector<glm::mat4> matrices;
  for (const rig::Part& part : character.parts) {
    const mesh::Primitive& primitive = character.primitive(part);
    for (const std::uint32_t i : primitive.indices) {
      demand(i < primitive.vertex_count(), "an index names no vertex");
    }
    const auto fits = [&](std::size_t size) { return size == 0 || size == primitive.vertex_count(); };
    demand(fits(primitive.normals.size()) && fits(primitive.tangents.size()) && fits(primitive.colors.size()) &&
               fits(primitive.texcoords[0].size()) && fits(primitive.texcoords[1].size()),
           "an attribute has another count than the vertices");
    const mesh::Influences& rows = primitive.influences;
    const bool skinned = part.skin >= 0 && !rows.empty();
    if (skinned) {
      const rig::Skin& skin = character.skins[static_cast<std::size_t>(part.skin)];
      matrices.resize(skin.joints.size());
      rig::skin_matrices(skin, world.world(), matrices);
    }
    for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
      const glm::vec4 bound(primitive.positions[v], 1.0f);
      glm::vec4 posed = skinned ? glm::vec4(0.0f) : world[part.joint] * bound;
      for (std::size_t k = skinned ? rows.offset[v] : 0; skinned && k < rows.offset[v + 1]; ++k) {
        demand(rows.joint[k] < matrices.size(), "an influence names no joint");
        posed += rows.weight[k] * (matrices[rows.joint[k]] * bound);
      }
      demand(std::isfinite(posed.x) && std::isfinite(posed.y) && std::isfinite(posed.z), "a vertex is not finite");
    }
  }
  for (const rig::Image& image : character.images) {
    demand(image.pixels.size() == 4 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height),
           "an image has other pixels than its size");
  }
}

}  // namespace
}  // namespace pelt

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  pelt::set_thread_limit(1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kDraco = "DRACO";
  std::vector<std::uint8_t> wrapped;
  std::span<const std::uint8_t> bytes(data, size);
  if (size >= kDraco.size() && std::equal(kDraco.begin(), kDraco.end(), data)) {
    wrapped = pelt::file_around_draco(bytes);
    bytes = wrapped;
  }
  if (const auto character = pelt::formats::import_memory(bytes); character) {
    pelt::check_character(*character);
  }
  return 0;
}
