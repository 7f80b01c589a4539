#include "measure/degenerate_normals.h"

#include <array>
#include <vector>

#include "deform/deform.h"
#include "deform/morph.h"
#include "deform/vertex_frame.h"
#include "rig/own_bindings.h"

namespace pelt::measure {
namespace {

bool sums_over_joints(deform::NormalVariant variant) {
  return variant != deform::NormalVariant::kLargestWeight && variant != deform::NormalVariant::kExact &&
         variant != deform::NormalVariant::kRecomputed;
}

// The linear part that a method places each vertex by: how it moves three axes and the origin, far from rounding by
// any translation.
// @param binding  of the skin, where there is one
std::vector<glm::mat3> linear_parts(const deform::SkinningMethod& method, deform::SkinInput input,
                                    std::span<const glm::mat4> skin_matrices, const deform::SkinBinding* binding) {
  std::vector<glm::mat4> turned(skin_matrices.begin(), skin_matrices.end());
  for (glm::mat4& matrix : turned) {
    matrix[3] = glm::vec4(0, 0, 0, 1);
  }
  std::vector<glm::vec4> palette;
  if (method.reads_palette) {
    deform::pack_palette(method, *binding, turned, palette);
  }
  const std::size_t count = input.influences->vertex_count();
  input.skin_matrices = turned;
  input.palette = palette;
  input.normals = {};
  input.tangents = {};
  input.normal_variant = deform::NormalVariant::kLargestWeight;
  std::array<std::vector<glm::vec3>, 4> images;
  for (std::size_t axis = 0; axis < images.size(); ++axis) {
    glm::vec3 point(0.0f);
    if (axis < 3) {
      point[static_cast<glm::length_t>(axis)] = 1.0f;
    }
    const std::vector<glm::vec3> points(count, point);
    images[axis].resize(count);
    input.positions = points;
    deform::skin_all(method, input, {images[axis], {}, {}});
  }
  std::vector<glm::mat3> out(count);
  for (std::size_t v = 0; v < count; ++v) {
    const glm::vec3& origin = images[3][v];
    out[v] = glm::mat3(images[0][v] - origin, images[1][v] - origin, images[2][v] - origin);
  }
  return out;
}

}  // namespace

bool has_degenerate_normals(const deform::SkinningSettings& settings) {
  const deform::SkinningMethod& method = deform::skinning_methods()[settings.method];
  return sums_over_joints(deform::normals_under(method, settings.normals)) && method.finish == nullptr &&
         method.vec4s_per_row == 0;
}

std::optional<DegenerateNormals> count_degenerate_normals(const rig::Character& character, const rig::Pose& pose,
                                                          std::span<const glm::mat4> world,
                                                          const deform::SkinningSettings& settings,
                                                          deform::SkinCache& cache) {
  if (!has_degenerate_normals(settings)) {
    return std::nullopt;
  }
  const deform::SkinningMethod& method = deform::skinning_methods()[settings.method];
  const deform::NormalVariant variant = deform::normals_under(method, settings.normals);
  const deform::SkinningMethod& plain = deform::skinning_methods()[deform::find_method("lbs")];
  const std::shared_ptr<const std::vector<deform::SkinBinding>> bindings = cache.bindings(character);
  DegenerateNormals out;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    const mesh::Primitive& primitive = character.primitive(part);
    if (primitive.normals.empty()) {
      continue;
    }
    const bool skinned = deform::is_skinned(character, part);
    mesh::Influences rows;
    std::shared_ptr<const deform::SkinData> data;
    std::vector<glm::mat4> matrices = {world[part.joint]};
    deform::SkinInput input;
    if (skinned) {
      matrices.resize((*bindings)[part.skin].joint_count());
      rig::posed_skin_matrices(character, pose, world, part.skin, matrices);
      data = cache.get(character, part.mesh, settings);
      input.influences = &data->influences[part.primitive];
      input.prepared = data->prepared.empty() ? nullptr : &data->prepared[part.primitive];
      input.parameters = settings.parameters;
      input.weights_as_stored = settings.weights_as_stored;
    } else {
      rows = deform::rows_of_one(primitive.vertex_count());
      input.influences = &rows;
    }
    const std::vector<glm::mat3> linear =
        linear_parts(skinned ? method : plain, input, matrices, skinned ? &(*bindings)[part.skin] : nullptr);
    input.skin_matrices = matrices;
    deform::MorphedShape morphed(primitive);
    morphed.set_weights(character.morph_weights(pose, part.joint));
    const std::span<const glm::vec3> normals = morphed.normals();
    for (std::size_t v = 0; v < normals.size(); ++v) {
      const deform::VertexRow row = deform::row_of(input, v);
      const deform::VertexFrame frame = deform::vertex_frame(glm::mat4(linear[v]), row);
      ++out.vertices;
      if (deform::is_cancelled(
              normal_sum(skinned ? variant : deform::NormalVariant::kInverseTransposeOfBlend, frame, row, normals[v]),
              normals[v])) {
        ++out.count;
        if (out.part < 0) {
          out.part = static_cast<int>(p);
          out.vertex = static_cast<int>(v);
        }
      }
    }
  }
  return out;
}

}  // namespace pelt::measure
