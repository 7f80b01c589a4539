#include "rig/pose_builder.h"

#include <algorithm>

#include "core/expect.h"

namespace pelt::rig {

PoseBuilder::PoseBuilder(const Skeleton& skeleton, Pose& pose) : skeleton_(&skeleton), pose_(&pose) {
  PELT_EXPECT(pose.local.size() == skeleton.parent.size(), "the pose is of this skeleton");
}

void PoseBuilder::set_local(int j, const Transform& local) {
  PELT_EXPECT(j >= 0 && j < skeleton_->size(), "joint index in range");
  pose_->local[j] = local;
  if (!set_.empty()) {
    set_[j] = ++now_;
  }
}

const glm::dmat4& PoseBuilder::world(int j) {
  PELT_EXPECT(j >= 0 && j < skeleton_->size(), "joint index in range");
  if (set_.empty()) {
    set_.assign(skeleton_->parent.size(), now_);
    made_.assign(skeleton_->parent.size(), 0);
    world_.resize(skeleton_->parent.size());
  }
  path_.clear();
  for (int above = j; above >= 0; above = skeleton_->parent[above]) {
    path_.push_back(above);
  }
  std::uint64_t newest = 0;
  for (auto joint = path_.rbegin(); joint != path_.rend(); ++joint) {
    const std::size_t at = *joint;
    newest = std::max(newest, set_[at]);
    if (made_[at] < newest) {
      const glm::dmat4 local(local_matrix(*pose_, *joint));
      const int above = skeleton_->parent[at];
      world_[at] = above < 0 ? local : world_[above] * local;
      made_[at] = now_;
      ++computed_;
    }
  }
  return world_[j];
}

Pose& PoseBuilder::edit() {
  set_.clear();
  return *pose_;
}

}  // namespace pelt::rig
