#include "edit/pose_by_map.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/index.h"
#include "motion/retarget.h"
#include "rig/clip.h"

namespace pelt::edit {
namespace {

rig::Channel key_of(int joint, rig::ChannelPath path, std::vector<float> value) {
  rig::Channel channel;
  channel.joint = joint;
  channel.path = path;
  channel.times = {0};
  channel.width = static_cast<int>(value.size());
  channel.values = std::move(value);
  return channel;
}

// The rig with its pose as the only moment of a clip.
rig::Character posed_character(const PosedRig& from) {
  rig::Character out;
  rig::Skeleton& skeleton = out.skeleton.edit();
  const std::size_t count = from.rest.size();
  skeleton.parent = from.joints.parent;
  skeleton.parent.resize(count, -1);
  skeleton.name = from.joints.name;
  skeleton.name.resize(count);
  skeleton.rest = from.rest;
  skeleton.is_joint.assign(count, 1);
  skeleton.source_node.resize(count);
  std::iota(skeleton.source_node.begin(), skeleton.source_node.end(), 0);
  for (std::size_t i = 0; i < count && i < from.joints.role.size(); ++i) {
    if (!from.joints.role[i].empty()) {
      out.humanoid.push_back({from.joints.role[i], static_cast<int>(i)});
    }
  }
  rig::Clip clip;
  for (const auto& [i, posed] : from.posed) {
    if (posed.rotation) {
      const glm::quat& q = *posed.rotation;
      clip.channels.push_back(key_of(i, rig::ChannelPath::kRotation, {q.x, q.y, q.z, q.w}));
    }
    if (posed.translation) {
      const glm::vec3& t = *posed.translation;
      clip.channels.push_back(key_of(i, rig::ChannelPath::kTranslation, {t.x, t.y, t.z}));
    }
  }
  out.clips.push_back(std::move(clip));
  rig::finish(out);
  return out;
}

// A motion has no scales: joints grow as transfer_pose() lets them grow.
void take_scales(const PosedRig& from, const rig::Character& to, MappedPose& out) {
  std::vector<rig::JointMatch> matches(from.rest.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    matches[i].joint = out.follows[i];
  }
  const std::map<int, Transform> transferred = transfer_pose(from, matches, to);
  for (const auto& [i, posed] : from.posed) {
    const int joint = out.follows[static_cast<std::size_t>(i)];
    if (const auto grown = transferred.find(joint); posed.scale && grown != transferred.end()) {
      out.locals.try_emplace(joint, to.skeleton->rest[joint]).first->second.scale = grown->second.scale;
    }
  }
}

}  // namespace

std::optional<MappedPose> pose_by_joint_map(const PosedRig& from, const rig::Character& to) {
  const bool turns = std::ranges::any_of(from.posed, [](const auto& entry) {
    return entry.second.rotation.has_value() || entry.second.translation.has_value();
  });
  if (from.rest.empty() || !turns) {
    return std::nullopt;
  }
  const motion::RetargetSettings settings;
  const Result<motion::RetargetRig> source = motion::source_rig(posed_character(from), 0, settings);
  if (!source) {
    return std::nullopt;
  }
  const motion::RetargetRig target = motion::target_rig(to);
  const motion::JointMap map = motion::make_joint_map(*source, target);
  const Result<motion::Retargeted> made = motion::retarget(*source, target, map, settings);
  if (!made) {
    return std::nullopt;
  }
  MappedPose out;
  out.follows.assign(from.rest.size(), -1);
  std::vector<char> is_posed(static_cast<std::size_t>(to.skeleton->size()), 0);
  for (const motion::MappedJoint& row : map.rows) {
    for (const int i : {row.source, row.other}) {
      if (from.posed.contains(i)) {
        is_posed[row.target] = 1;
        out.follows[i] = out.follows[i] < 0 ? row.target : out.follows[i];
      }
    }
  }
  rig::Pose pose = rig::rest_pose(to);
  rig::apply(made->clip, made->clip.start, to.morph_offset, pose);
  for (const rig::Channel& channel : made->clip.channels) {
    const int j = channel.joint;
    const int above = to.skeleton->parent[j];
    const bool is_between = map.find(j) == nullptr && above >= 0 && is_posed[above] != 0;  // has a share of a twist
    if (is_posed[j] != 0 || is_between) {
      out.locals[j] = pose.local[j];
    }
  }
  take_scales(from, to, out);
  return out;
}

}  // namespace pelt::edit
