#include "motion/certificate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "core/index.h"
#include "math/angle.h"
#include "motion/retarget_alignment.h"
#include "rig/joint_names.h"

namespace pelt::motion {
namespace {

constexpr std::array kCertifiedSides = {"left", "right"};
constexpr double kJump = 10 * kDegree;
constexpr float kLimitRounding = 1e-3f;  // radians or metres
constexpr double kDeep = 0.01;           // of the leg

/// Two joints of each skeleton.
struct CertifiedLimb {
  std::string role;
  int from = -1;
  int to = -1;
  int their_from = -1;
  int their_to = -1;
  bool counts = true;  ///< in the figure of all limbs
};

LimbError summary(std::string limb, std::vector<double> angles) {
  LimbError out{.limb = std::move(limb)};
  if (angles.empty()) {
    return out;
  }
  std::ranges::sort(angles);
  double sum = 0;
  for (const double angle : angles) {
    sum += angle;
  }
  out.mean = sum / static_cast<double>(angles.size()) / kDegree;
  out.p95 = angles[static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(angles.size()))) - 1] / kDegree;
  out.max = angles.back() / kDegree;
  return out;
}

std::vector<CertifiedLimb> certified_limbs(const RetargetRig& source, const RetargetRig& target, const JointMap& map) {
  std::vector<CertifiedLimb> out;
  const auto their = [&](int joint) {
    const MappedJoint* row = joint < 0 ? nullptr : map.find(joint);
    return row == nullptr ? -1 : row->source;
  };
  for (const Limb& limb : human_limbs()) {
    const int from = target.body.find(limb.role);
    const int to = target.body.find(limb.next);
    out.push_back({std::string(limb.role), from, to, their(from), their(to)});
  }
  for (int side = 0; side < 2; ++side) {
    const std::string role = std::string(kCertifiedSides[side]) + "Foot";
    const int foot = target.body.find(role);
    out.push_back({role, foot, toe_joint(target, side), their(foot), toe_joint(source, side), false});
  }
  std::erase_if(out, [](const CertifiedLimb& limb) {
    return limb.from < 0 || limb.to < 0 || limb.their_from < 0 || limb.their_to < 0;
  });
  return out;
}

class Examiner {
 public:
  Examiner(const RetargetRig& source, const RetargetRig& target, const JointMap& map, const Retargeted& retargeted)
      : source_(source), target_(target), map_(map), retargeted_(retargeted), facing_(facing_turn(source, target)) {}

  Certificate run() {
    out_.frames = static_cast<int>(retargeted_.times.size());
    out_.duration = static_cast<double>(retargeted_.clip.duration());
    out_.size = retargeted_.size;
    out_.stride = retargeted_.stride;
    out_.sunk = retargeted_.sunk;
    out_.leg = target_.body.leg_length(target_.frames);
    limbs_ = certified_limbs(source_, target_, map_);
    angles_.resize(limbs_.size());
    for (int side = 0; side < 2; ++side) {
      feet_[side] = target_.body.find(std::string(kCertifiedSides[side]) + "Foot");
      toes_[side] = toe_joint(target_, side);
    }
    floor_ = lowest(target_.frames);
    walk();
    finish_limbs();
    finish_slides();
    name_unmapped();
    return std::move(out_);
  }

 private:
  void walk() {
    rig::Pose their_pose = rig::rest_pose(source_.character);
    rig::Pose our_pose = rig::rest_pose(target_.character);
    WorldFrames theirs;
    WorldFrames ours;
    WorldFrames their_last;
    WorldFrames our_last;
    for (const float time : retargeted_.times) {
      frames_at(source_, time, their_pose, theirs);
      rig::apply(retargeted_.clip, time, target_.character.morph_offset, our_pose);
      world_frames(target_.character.skeleton, our_pose.local, ours);
      compare_limbs(theirs, ours);
      look_at_feet(ours);
      look_at_limits(our_pose);
      if (our_last.size() > 0) {
        look_for_jumps(theirs, their_last, ours, our_last);
      }
      std::swap(theirs, their_last);
      std::swap(ours, our_last);
    }
    const auto named = [&](const std::set<int>& joints) {
      std::vector<std::string> names;
      for (const int j : joints) {
        names.push_back(map_reference(target_.character.skeleton, j));
      }
      return names;
    };
    out_.limited = named(limited_);
    out_.jumping = named(jumping_);
  }

  void compare_limbs(const WorldFrames& theirs, const WorldFrames& ours) {
    for (std::size_t n = 0; n < limbs_.size(); ++n) {
      const CertifiedLimb& limb = limbs_[n];
      const glm::dvec3 their = facing_ * (theirs.position[limb.their_to] - theirs.position[limb.their_from]);
      angles_[n].push_back(angle_between(their, ours.position[limb.to] - ours.position[limb.from]));
    }
  }

  [[nodiscard]] double lowest(const WorldFrames& frames) const {
    double low = std::numeric_limits<double>::max();
    for (int side = 0; side < 2; ++side) {
      for (const int j : {feet_[side], toes_[side]}) {
        low = j >= 0 ? std::min(low, frames.position[j].y) : low;
      }
    }
    return low;
  }

  void look_at_feet(const WorldFrames& ours) {
    for (int side = 0; side < 2; ++side) {
      for (const bool is_toe : {false, true}) {
        const int joint = is_toe ? toes_[side] : feet_[side];
        track_[side][is_toe ? 1 : 0].push_back(joint < 0 ? glm::dvec3(0) : ours.position[joint]);
      }
    }
    if (out_.leg > 0) {
      const double depth = floor_ - lowest(ours);
      out_.penetration = std::max(out_.penetration, depth);
      out_.penetrating_frames += depth > kDeep * out_.leg ? 1 : 0;
    }
  }

  void look_at_limits(const rig::Pose& pose) {
    const rig::Skeleton& skeleton = target_.character.skeleton;
    for (const MappedJoint& row : map_.rows) {
      const rig::JointDofs& dofs = skeleton.dofs[row.target];
      if (!dofs.authored) {
        continue;
      }
      const std::vector<float> values = rig::dofs_from_local(dofs, pose.local[row.target]);
      std::vector<float> within = values;
      rig::clamp_to_limits(dofs, within);
      bool outside = false;
      for (std::size_t n = 0; n < values.size(); ++n) {
        outside = outside ||
                  (dofs.dofs[n].kind == rig::DofKind::kRotation && std::abs(values[n] - within[n]) > kLimitRounding);
      }
      if (outside) {
        ++out_.limit_hits;
        limited_.insert(row.target);
      }
    }
  }

  void look_for_jumps(const WorldFrames& theirs, const WorldFrames& their_last, const WorldFrames& ours,
                      const WorldFrames& our_last) {
    for (const MappedJoint& row : map_.rows) {
      const auto turn = [](const WorldFrames& now, const WorldFrames& last, int j) {
        return turn_angle(now.orientation[j] * glm::transpose(last.orientation[j]));
      };
      double allowed = turn(theirs, their_last, row.source);
      allowed = row.other < 0 ? allowed : std::max(allowed, turn(theirs, their_last, row.other));
      if (turn(ours, our_last, row.target) > allowed + kJump) {
        ++out_.jumps;
        jumping_.insert(row.target);
      }
    }
  }

  void finish_limbs() {
    std::vector<double> all;
    for (std::size_t n = 0; n < limbs_.size(); ++n) {
      if (limbs_[n].counts) {
        all.insert(all.end(), angles_[n].begin(), angles_[n].end());
      }
      out_.limbs.push_back(summary(limbs_[n].role, std::move(angles_[n])));
    }
    out_.all = summary("all", std::move(all));
  }

  void finish_slides() {
    std::vector<std::array<char, 2>> stands(retargeted_.times.size(), {0, 0});
    for (const FootContact& contact : retargeted_.contacts) {
      for (int f = contact.first; f <= contact.last && !contact.is_toe; ++f) {
        stands[f][contact.side] = 1;
      }
    }
    for (const FootContact& contact : retargeted_.contacts) {
      const int joint = contact.is_toe ? toes_[contact.side] : feet_[contact.side];
      if (joint < 0) {
        continue;
      }
      SlideReport& report = contact.is_toe ? out_.toes : out_.ankles;
      const std::vector<glm::dvec3>& at = track_[contact.side][contact.is_toe ? 1 : 0];
      double farthest = 0;
      int begin = -1;
      for (int f = contact.first; f <= contact.last; ++f) {
        if (contact.is_toe && stands[f][contact.side] != 0) {
          begin = -1;
          continue;
        }
        begin = begin < 0 ? f : begin;
        farthest = std::max(farthest, std::hypot(at[f].x - at[begin].x, at[f].z - at[begin].z));
      }
      ++report.contacts;
      report.mean += farthest;
      report.max = std::max(report.max, farthest);
    }
    for (SlideReport* report : {&out_.ankles, &out_.toes}) {
      report->mean /= std::max(report->contacts, 1);
    }
  }

  void name_unmapped() {
    const std::vector<char> deforming = rig::deforming_joints(target_.character);
    std::set<int> ours;
    for (const auto& [role, joint] : target_.body.roles) {
      ours.insert(joint.joint);
    }
    std::set<int> moved;
    for (const rig::Channel& channel : retargeted_.clip.channels) {
      moved.insert(channel.joint);
    }
    for (int j = 0; j < target_.character.skeleton->size(); ++j) {
      if ((ours.contains(j) || (has_index(deforming, j) && deforming[j] != 0)) && !moved.contains(j)) {
        out_.unmapped_target.push_back(map_reference(target_.character.skeleton, j));
      }
    }
    std::set<int> turning;
    for (const rig::Channel& channel : source_.character.clips[source_.clip].channels) {
      if (channel.path == rig::ChannelPath::kRotation) {
        turning.insert(channel.joint);
      }
    }
    for (const MappedJoint& row : map_.rows) {
      turning.erase(row.source);
      turning.erase(row.other);
    }
    for (const int i : turning) {
      out_.unmapped_source.push_back(map_reference(source_.character.skeleton, i));
    }
  }

  const RetargetRig& source_;
  const RetargetRig& target_;
  const JointMap& map_;
  const Retargeted& retargeted_;
  glm::dmat3 facing_;
  Certificate out_;
  std::vector<CertifiedLimb> limbs_;
  std::vector<std::vector<double>> angles_;  // [limbs][F]
  std::array<int, 2> feet_ = {-1, -1};
  std::array<int, 2> toes_ = {-1, -1};
  std::array<std::array<std::vector<glm::dvec3>, 2>, 2> track_;  // [side][ankle, toe][F]
  double floor_ = 0;
  std::set<int> limited_;
  std::set<int> jumping_;
};

}  // namespace

double Certificate::slide_share() const {
  return leg > 0 ? std::max(ankles.max, toes.max) / leg : 0;
}

Certificate certify(const RetargetRig& source, const RetargetRig& target, const JointMap& map,
                    const Retargeted& retargeted) {
  return Examiner(source, target, map, retargeted).run();
}

}  // namespace pelt::motion
