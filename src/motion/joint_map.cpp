#include "motion/joint_map.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "rig/joint_matching.h"

namespace pelt::motion {
namespace {

/// Joints of a trunk or a neck with their share of its length; the ends are joints of other rows.
struct ChainPlaces {
  std::vector<int> joints;
  std::vector<double> shares;

  void add(int joint, double share) {
    if (joint >= 0) {
      joints.push_back(joint);
      shares.push_back(share);
    }
  }
};

class MapMaker {
 public:
  MapMaker(const rig::Character& source, const HumanBody& source_body, const rig::Character& target,
           const HumanBody& target_body)
      : source_(source), target_(target), theirs_(source_body), ours_(target_body) {}

  JointMap make() {
    for (const std::string& role : human_body_roles()) {
      const auto their = theirs_.roles.find(role);
      const auto our = ours_.roles.find(role);
      if (their != theirs_.roles.end() && our != ours_.roles.end()) {
        set({.target = our->second.joint,
             .source = their->second.joint,
             .role = role,
             .confidence = std::min(their->second.confidence, our->second.confidence),
             .reason = their->second.reason == our->second.reason
                           ? our->second.reason
                           : fmt::format("{}; the source {}", our->second.reason, their->second.reason)});
      }
    }
    pair_trunks();
    pair_necks();
    pair_names();
    JointMap map;
    for (auto& [target, row] : rows_) {
      map.rows.push_back(std::move(row));
    }
    return map;
  }

 private:
  // One row a target: the last one set counts.
  void set(MappedJoint row) {
    const int target = row.target;
    rows_[target] = std::move(row);
  }

  // The hips are at 0 and the chest at 1: both chests turn alike.
  void pair_trunks() {
    ChainPlaces places;
    places.add(theirs_.find("hips"), 0);
    const double count = static_cast<double>(theirs_.torso.size());
    for (std::size_t n = 0; n < theirs_.torso.size(); ++n) {
      places.add(theirs_.torso[n], static_cast<double>(n + 1) / count);
    }
    const double ours = static_cast<double>(ours_.torso.size());
    for (std::size_t n = 0; n < ours_.torso.size(); ++n) {
      follow_between(places, ours_.torso[n], static_cast<double>(n + 1) / ours, fmt::format("spine {}", n));
    }
  }

  // The chest is at 0 and the head at 1, the joints of a neck between them.
  void pair_necks() {
    ChainPlaces places;
    places.add(theirs_.chest(), 0);
    const double count = static_cast<double>(theirs_.neck.size() + 1);
    for (std::size_t n = 0; n < theirs_.neck.size(); ++n) {
      places.add(theirs_.neck[n], static_cast<double>(n + 1) / count);
    }
    places.add(theirs_.find("head"), 1);
    const double ours = static_cast<double>(ours_.neck.size() + 1);
    for (std::size_t n = 0; n < ours_.neck.size(); ++n) {
      follow_between(places, ours_.neck[n], static_cast<double>(n + 1) / ours, fmt::format("neck {}", n));
    }
  }

  void follow_between(const ChainPlaces& places, int joint, double share, std::string role) {
    if (places.joints.size() < 2 || rows_.contains(joint)) {
      return;
    }
    const auto reached = std::lower_bound(places.shares.begin() + 1, places.shares.end() - 1, share - 1e-9);
    const std::size_t upper = static_cast<std::size_t>(reached - places.shares.begin());
    const double length = places.shares[upper] - places.shares[upper - 1];
    const double part = std::clamp((share - places.shares[upper - 1]) / length, 0.0, 1.0);
    MappedJoint row{.target = joint, .source = places.joints[upper], .role = std::move(role), .confidence = 0.9};
    row.reason = "by its place";
    if (part < 1 - 1e-9) {
      row.other = places.joints[upper - 1];
      row.share = part;
      row.confidence = 0.8;
      row.reason = "between two joints of the source";
    }
    set(std::move(row));
  }

  void pair_names() {
    std::set<int> theirs;
    for (const auto& [role, joint] : theirs_.roles) {
      theirs.insert(joint.joint);
    }
    theirs.insert(theirs_.torso.begin(), theirs_.torso.end());
    theirs.insert(theirs_.neck.begin(), theirs_.neck.end());
    const std::vector<rig::JointMatch> matches = rig::match_joints(rig::named_joints(source_), target_);
    for (std::size_t i = 0; i < matches.size(); ++i) {
      const int j = matches[i].joint;
      if (j >= 0 && !rows_.contains(j) && !theirs.contains(static_cast<int>(i))) {
        set({.target = j,
             .source = static_cast<int>(i),
             .confidence = matches[i].exact ? 1.0 : 0.7,
             .reason = matches[i].exact ? "the same name" : "a like name"});
      }
    }
  }

  const rig::Character& source_;
  const rig::Character& target_;
  const HumanBody& theirs_;
  const HumanBody& ours_;
  std::map<int, MappedJoint> rows_;  // by target
};

}  // namespace

const MappedJoint* JointMap::find(int target) const {
  const auto found = std::ranges::lower_bound(rows, target, {}, &MappedJoint::target);
  return found != rows.end() && found->target == target ? &*found : nullptr;
}

void JointMap::set(MappedJoint row) {
  const auto found = std::ranges::lower_bound(rows, row.target, {}, &MappedJoint::target);
  if (found != rows.end() && found->target == row.target) {
    *found = std::move(row);
  } else {
    rows.insert(found, std::move(row));
  }
}

void JointMap::erase(int target) {
  std::erase_if(rows, [&](const MappedJoint& row) { return row.target == target; });
}

JointMap make_joint_map(const rig::Character& source, const HumanBody& source_body, const rig::Character& target,
                        const HumanBody& target_body) {
  return MapMaker(source, source_body, target, target_body).make();
}

}  // namespace pelt::motion
