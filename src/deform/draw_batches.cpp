#include "deform/draw_batches.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "core/expect.h"
#include "deform/skinning_methods.h"
#include "mesh/rigid_partition.h"

namespace pelt::deform {
namespace {

// Gives each vertex of no element to the first skinned batch with room for its joints.
void add_unused_vertices(const mesh::Primitive& primitive, const mesh::Influences& influences, int cap,
                         std::vector<DrawBatch>& batches) {
  std::vector<char> used(primitive.vertex_count(), 0);
  for (const std::uint32_t v : primitive.indices) {
    used[v] = 1;
  }
  const std::size_t room = cap == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(cap);
  std::vector<std::uint16_t> joints;
  std::vector<std::uint16_t> missing;
  for (std::uint32_t v = 0; v < used.size(); ++v) {
    if (used[v] != 0) {
      continue;
    }
    joints.assign(influences.joints(v).begin(), influences.joints(v).end());
    std::sort(joints.begin(), joints.end());
    auto batch = batches.begin();
    for (;; ++batch) {
      if (batch == batches.end()) {
        batch = batches.insert(batch, DrawBatch());
      }
      missing.clear();
      std::set_difference(joints.begin(), joints.end(), batch->palette.begin(), batch->palette.end(),
                          std::back_inserter(missing));
      if (batch->palette.size() + missing.size() <= room || batch->palette.empty()) {
        break;
      }
    }
    const auto middle = static_cast<std::ptrdiff_t>(batch->palette.size());
    batch->palette.insert(batch->palette.end(), missing.begin(), missing.end());
    std::inplace_merge(batch->palette.begin(), batch->palette.begin() + middle, batch->palette.end());
    batch->vertices.push_back(v);
  }
}

// The triangles of `list` among those of the source, both in the same order.
std::vector<std::uint32_t> elements_of(std::span<const std::uint32_t> list, std::span<const std::uint32_t> source) {
  std::vector<std::uint32_t> elements;
  std::size_t at = 0;
  for (std::size_t t = 0; 3 * t < source.size() && at < list.size(); ++t) {
    if (std::ranges::equal(source.subspan(3 * t, 3), list.subspan(at, 3))) {
      elements.push_back(static_cast<std::uint32_t>(t));
      at += 3;
    }
  }
  return elements;
}

DrawBatch rigid_batch(const mesh::RigidPart& part, std::span<const std::uint32_t> source) {
  DrawBatch batch;
  batch.rigid = true;
  batch.palette = {part.joint};
  batch.vertices = part.indices;
  std::ranges::sort(batch.vertices);
  const auto repeated = std::ranges::unique(batch.vertices);
  batch.vertices.erase(repeated.begin(), repeated.end());
  for (const std::uint32_t v : part.indices) {
    batch.indices.push_back(
        static_cast<std::uint32_t>(std::ranges::lower_bound(batch.vertices, v) - batch.vertices.begin()));
  }
  batch.elements = elements_of(part.indices, source);
  return batch;
}

}  // namespace

int influence_limit_of(const mesh::Primitive& primitive, const SkinningSettings& settings) {
  int most = static_cast<int>(primitive.influences->max_count());
  if (settings.influence_limit > 0) {
    most = std::min(most, settings.influence_limit);
  }
  return settings.weight_format == WeightFormat::kPacked56 ? std::min(most, mesh::kPacked56Slots) : most;
}

int corners_of(mesh::Topology topology) {
  switch (topology) {
    case mesh::Topology::kPoints:
      return 1;
    case mesh::Topology::kLines:
      return 2;
    case mesh::Topology::kTriangles:
      break;
  }
  return 3;
}

int widest_element(const mesh::Primitive& primitive, const mesh::Influences& influences) {
  const std::size_t corners = corners_of(primitive.topology);
  std::size_t widest = 0;
  std::vector<std::uint16_t> joints;
  for (std::size_t i = 0; i + corners <= primitive.indices.size(); i += corners) {
    joints.clear();
    for (std::size_t c = 0; c < corners; ++c) {
      const std::uint32_t v = primitive.indices[i + c];
      const std::span<const std::uint16_t> of_vertex = influences.joints(v);
      joints.insert(joints.end(), of_vertex.begin(), of_vertex.end());
    }
    std::sort(joints.begin(), joints.end());
    widest = std::max(widest, static_cast<std::size_t>(std::unique(joints.begin(), joints.end()) - joints.begin()));
  }
  return static_cast<int>(widest);
}

bool can_partition(const mesh::Primitive& primitive, const SkinningSettings& settings) {
  const SkinningMethod& method = skinning_methods()[settings.method];
  return primitive.topology == mesh::Topology::kTriangles && has(method.laws, Law::kOneHotIsRigid) &&
         !(settings.weights_as_stored && settings.weight_format == WeightFormat::kFloat);
}

Result<std::vector<DrawBatch>> make_draw_batches(const mesh::Primitive& primitive, const mesh::Influences& influences,
                                                 int cap, bool partition) {
  const int corners = corners_of(primitive.topology);
  PELT_EXPECT(!partition || corners == 3, "only triangles are parted");
  mesh::RigidPartition parts;
  if (partition) {
    parts = mesh::partition_rigid(primitive.indices, influences);
  }
  PELT_TRY_TO(auto split,
              split_into_batches(partition ? parts.skinned : primitive.indices.get(), corners, influences, cap));
  std::vector<DrawBatch> batches;
  const std::vector<std::uint32_t> skinned =
      partition ? elements_of(parts.skinned, primitive.indices) : std::vector<std::uint32_t>();
  for (PaletteBatch& batch : split) {
    for (std::size_t e = 0; partition && e < batch.elements.size(); ++e) {
      batch.elements[e] = skinned[batch.elements[e]];
    }
    batches.push_back({std::move(batch), false});
  }
  add_unused_vertices(primitive, influences, cap, batches);
  for (const mesh::RigidPart& part : parts.rigid) {
    batches.push_back(rigid_batch(part, primitive.indices));
  }
  return batches;
}

}  // namespace pelt::deform
