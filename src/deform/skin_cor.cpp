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

}  // namespace

void skin_cor(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end) {
  skin_dual_quat_rows(input, output, begin, end, [&input](const DualQuatRow& row, std::size_t v) {
    const glm::mat4 blended = linear_blend(row);
    const glm::vec4 center = input.prepared->per_vertex[v];
    DualQuat<float> rigid;
    if (!(center.w > 0.0f) || !blended_rigid(row, rigid)) {
      return blended;
    }
    const glm::mat4x3 moved =
        about_center(rigid.real, glm::mat3(blended_stretch(row)), glm::mat4x3(blended), glm::vec3(center));
    return glm::mat4(moved);
  });
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

bool prepare_cor(const MeshSurface& surface, const MethodParameters& parameters, const Progress& progress,
                 std::span<Prepared> out) {
  std::vector<glm::dvec3> positions;
  positions.reserve(surface.welded_count());
  mesh::Influences influences;
  for (const std::uint32_t vertex : surface.representative) {
    const auto primitive = static_cast<std::size_t>(
        std::upper_bound(surface.first.begin(), surface.first.end(), vertex) - surface.first.begin() - 1);
    const std::size_t v = vertex - surface.first[primitive];
    positions.emplace_back(surface.primitives[primitive]->positions[v]);
    const mesh::Influences& rows = *surface.influences[primitive];
    if (!rows.empty()) {
      influences.joint.insert(influences.joint.end(), rows.joint.begin() + rows.offset[v],
                              rows.joint.begin() + rows.offset[v + 1]);
      influences.weight.insert(influences.weight.end(), rows.weight.begin() + rows.offset[v],
                               rows.weight.begin() + rows.offset[v + 1]);
    }
    influences.offset.push_back(static_cast<std::uint32_t>(influences.joint.size()));
    influences.stored_sum.push_back(1.0f);
  }
  const auto sorting = [&](float fraction, std::string_view what) {
    return report(progress, fraction * kSortingShare, what);
  };
  const auto centers = RotationCenters::make(positions, surface.triangles, influences,
                                             static_cast<double>(parameters.center_sigma), sorting);
  if (!centers) {
    return false;
  }
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
          const std::span<const std::uint16_t> joints(rows.joint.data() + rows.offset[v], rows.count(v));
          const std::span<const float> weights(rows.weight.data() + rows.offset[v], rows.count(v));
          const RotationCenters::Center found = centers->center(joints, weights);
          if (found.similarity > 0) {
            out[p].per_vertex[v] = glm::vec4(glm::vec3(found.point), 1.0f);
          }
        }
      });
    }
  }
  return true;
}

}  // namespace pelt::deform
