#include "deform/skin_cor.h"

#include <algorithm>

#include "core/expect.h"
#include "core/parallel.h"
#include "deform/dual_quaternion_row.h"
#include "deform/rotation_centers.h"
#include "deform/vertex_frame.h"

namespace pelt::deform {
namespace {

constexpr std::size_t kVerticesPerReport = 1u << 13;
constexpr std::size_t kCentersPerChunk = 128;
constexpr float kSortingShare = 0.2f;  // of the whole time, about

glm::mat4 center_blend(const DualQuatRow& row, const glm::vec4& center) {
  const glm::mat4 blended = linear_blend(row);
  DualQuat<float> rigid;
  if (!(center.w > 0.0f) || !blended_rigid(row, rigid)) {
    return blended;
  }
  const glm::mat4x3 moved =
      about_center(rigid.real, glm::mat3(blended_stretch(row)), glm::mat4x3(blended), glm::vec3(center));
  return glm::mat4(moved);
}

/// The derivative of where center_blend() takes a point by the weight of a joint, the centre held. With s = sum w S (v
/// - p), L = sum w M and b = sum w q, v' = R(b / |b|) s + L p.
auto center_change(const DualQuatRow& row, const glm::vec4& center, const glm::vec3& point) {
  DualQuat<float> c = summed_rigid(row);
  const float length = glm::length(c.real);
  const bool turned = normalize(c) && center.w > 0.0f;
  const glm::mat3 rotation = rotation_matrix(c.real);
  const glm::vec3 from_center = point - glm::vec3(center);
  const glm::vec3 stretched = glm::mat3(blended_stretch(row)) * from_center;
  const glm::vec3 arm = rotation * stretched;
  return [=](std::uint16_t joint) {
    const glm::mat4& matrix = row.joints.matrices[joint];
    if (!turned) {
      return transform_point(matrix, point);
    }
    const glm::vec4* entry = row.palette + joint * kDualQuatVec4s;
    const glm::vec4 real = entry[0] * (row.side(entry[0]) / length);
    // R(b) s |b|^2 = b s b*, by the product rule.
    const glm::vec3 turn(quat_product(quat_product(real, glm::vec4(stretched, 0.0f)), quat_conjugate(c.real)));
    const glm::vec3 grown = glm::vec4(from_center, 0.0f) * glm::mat3x4(entry[2], entry[3], entry[4]);
    return rotation * grown + turn * 2.0f - arm * (2.0f * glm::dot(c.real, real)) +
           transform_point(matrix, glm::vec3(center));
  };
}

}  // namespace

void skin_cor(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end) {
  const std::span<const glm::vec4> centers = input.prepared->per_vertex;
  if (input.normal_variant != NormalVariant::kExact) {
    skin_dual_quat_rows(input, output, begin, end,
                        [&](const DualQuatRow& row, std::size_t v) { return center_blend(row, centers[v]); });
    return;
  }
  for (std::size_t v = begin; v < end; ++v) {
    const VertexRow joints = row_of(input, v);
    if (input.influences->count(v) == 0) {
      write_vertex(input, output, v, glm::mat4(1.0f), joints);
      continue;
    }
    const DualQuatRow row = {joints, input.palette.data(), input.parameters.antipodality};
    const glm::mat4 moved = center_blend(row, centers[v]);
    // v' = A (v - p) + L p: a centre that moves by dp moves the point by (L - A) dp.
    const glm::mat3 by_center = (glm::mat3(linear_blend(row)) - glm::mat3(moved)) * input.weight_gradients->center[v];
    write_exact_vertex(input, output, v, moved, joints, center_change(row, centers[v], input.positions[v]), by_center);
  }
}

void add_center_gradients(const mesh::MeshSurface& surface, std::span<const Prepared> centers,
                          std::span<WeightGradients> inout) {
  PELT_EXPECT(centers.size() == surface.primitives.size() && inout.size() == centers.size(), "one per primitive");
  std::vector<glm::dmat3> sums(surface.welded_count(), glm::dmat3(0.0));
  std::vector<double> areas(surface.welded_count(), 0.0);
  for (std::size_t p = 0; p < centers.size(); ++p) {
    const mesh::Primitive& primitive = *surface.primitives[p];
    if (surface.influences[p]->empty()) {
      continue;
    }
    for (std::size_t t = 0; t < primitive.triangle_count(); ++t) {
      const std::uint32_t* corner = &primitive.indices[3 * t];
      const auto center_at = [&](std::size_t i) { return centers[p].per_vertex[corner[i]]; };
      if (!(center_at(0).w > 0.0f && center_at(1).w > 0.0f && center_at(2).w > 0.0f)) {
        continue;
      }
      const CornerGradients across =
          corner_gradients(glm::dvec3(primitive.positions[corner[0]]), glm::dvec3(primitive.positions[corner[1]]),
                           glm::dvec3(primitive.positions[corner[2]]), surface.shape_from_mesh);
      glm::dmat3 gradient(0.0);
      for (std::size_t i = 0; i < 3; ++i) {
        gradient += glm::outerProduct(glm::dvec3(center_at(i)), across.of[i]);
      }
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t w = surface.welded[surface.first[p] + corner[i]];
        sums[w] += gradient * across.twice_area;
        areas[w] += across.twice_area;
      }
    }
  }
  for (std::size_t p = 0; p < inout.size(); ++p) {
    if (surface.influences[p]->empty()) {
      continue;
    }
    inout[p].center.reserve(surface.first[p + 1] - surface.first[p]);
    for (std::uint32_t v = surface.first[p]; v < surface.first[p + 1]; ++v) {
      const std::uint32_t w = surface.welded[v];
      inout[p].center.emplace_back(areas[w] > 0 ? sums[w] / areas[w] : glm::dmat3(0.0));
    }
  }
}

void pose_centers(const SkinInput& input, std::span<glm::vec4> out) {
  PELT_EXPECT(out.size() == input.influences->vertex_count(), "one centre per vertex");
  PELT_EXPECT(input.prepared->per_vertex.size() == out.size(), "what prepare_cor() gives");
  parallel_for(out.size(), kCentersPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const glm::vec4& center = input.prepared->per_vertex[v];
      out[v] = center.w > 0.0f ? glm::vec4(transform_point(blended_matrix(row_of(input, v)), glm::vec3(center)), 1.0f)
                               : glm::vec4(0.0f);
    }
  });
}

bool prepare_cor(const mesh::MeshSurface& surface, const MethodParameters& parameters, const Progress& progress,
                 std::span<Prepared> out) {
  std::vector<glm::dvec3> positions;
  positions.reserve(surface.welded_count());
  mesh::Influences influences;
  for (const std::uint32_t vertex : surface.representative) {
    const std::size_t primitive =
        std::upper_bound(surface.first.begin(), surface.first.end(), vertex) - surface.first.begin() - 1;
    const std::size_t v = vertex - surface.first[primitive];
    positions.push_back(surface.shape_from_mesh * glm::dvec3(surface.primitives[primitive]->positions[v]));
    const mesh::Influences& rows = *surface.influences[primitive];
    influences.push_row(rows.empty() ? mesh::InfluenceRow() : rows.row(v));
  }
  const auto sorting = [&](float fraction, std::string_view what) {
    return report(progress, fraction * kSortingShare, what);
  };
  const auto centers = RotationCenters::make(positions, surface.triangles, influences,
                                             static_cast<double>(parameters.center_sigma), sorting);
  if (!centers) {
    return false;
  }
  const glm::dmat3 mesh_from_shape = glm::inverse(surface.shape_from_mesh);
  const auto vertex_count = static_cast<float>(surface.vertex_count());
  for (std::size_t p = 0; p < surface.primitives.size(); ++p) {
    const mesh::Influences& rows = *surface.influences[p];
    if (rows.empty()) {
      continue;
    }
    out[p].per_vertex.assign(rows.vertex_count(), glm::vec4(0.0f));
    for (std::size_t block = 0; block < rows.vertex_count(); block += kVerticesPerReport) {
      const float done = static_cast<float>(surface.first[p] + block) / vertex_count;
      if (!report(progress, kSortingShare + done * (1.0f - kSortingShare), "centres of rotation")) {
        return false;
      }
      const std::size_t count = std::min(kVerticesPerReport, rows.vertex_count() - block);
      parallel_for(count, kCentersPerChunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = block + begin; v < block + end; ++v) {
          const std::span<const std::uint16_t> joints = rows.joints(v);
          const std::span<const float> weights = rows.weights(v);
          const RotationCenters::Center found = centers->center(joints, weights);
          if (found.similarity > 0) {
            out[p].per_vertex[v] = glm::vec4(glm::vec3(mesh_from_shape * found.point), 1.0f);
          }
        }
      });
    }
  }
  return true;
}

}  // namespace pelt::deform
