#include "mesh/rigid_partition.h"

#include <map>

#include "core/expect.h"

namespace pelt::mesh {

RigidPartition partition_rigid(std::span<const std::uint32_t> indices, const Influences& influences) {
  PELT_EXPECT(indices.size() % 3 == 0, "whole triangles");
  // The joint a vertex hangs on, or -1. The heaviest influence comes first.
  const auto rigid_joint = [&](std::uint32_t v) {
    const InfluenceRow row = influences.row(v);
    return !row.weights.empty() && row.weights[0] >= 1.0f - kRigidTolerance ? static_cast<int>(row.joints[0]) : -1;
  };
  std::map<int, std::vector<std::uint32_t>> by_joint;
  for (std::size_t i = 0; i < indices.size(); i += 3) {
    const int joint = rigid_joint(indices[i]);
    const bool same = rigid_joint(indices[i + 1]) == joint && rigid_joint(indices[i + 2]) == joint;
    std::vector<std::uint32_t>& list = by_joint[same ? joint : -1];
    list.insert(list.end(), indices.begin() + static_cast<std::ptrdiff_t>(i),
                indices.begin() + static_cast<std::ptrdiff_t>(i + 3));
  }
  RigidPartition out;
  for (auto& [joint, list] : by_joint) {
    if (joint < 0) {
      out.skinned = std::move(list);
    } else {
      out.rigid.push_back({static_cast<std::uint16_t>(joint), std::move(list)});
    }
  }
  return out;
}

}  // namespace pelt::mesh
