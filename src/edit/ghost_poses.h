#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "edit/document.h"

namespace pelt::edit {

/// Moments of the clip before and after the playhead.
struct GhostMoments {
  int before = 0;  ///< how many
  int after = 0;
  int step = 1;          ///< frames between them, at least 1
  bool on_keys = false;  ///< instead, the moments at which the clip has keys
  bool operator==(const GhostMoments&) const = default;
};

/// One of them.
struct GhostMoment {
  float time = 0;  ///< seconds on the clip's own axis
  int place = 0;   ///< -1 the last one before the playhead, 1 the first one after it
  bool operator==(const GhostMoment&) const = default;
};

/// Those that lie within the reach of the playhead, from the farthest to the nearest on either side, the ones before
/// first; none without a clip. With a step of 0 all are the playhead itself.
std::vector<GhostMoment> ghost_moments(const Document& document, const GhostMoments& wanted);

/// The pose of one of them, as the pose layers make it at that time from what the document says now: with clip layers,
/// pins, drivers and springs.
struct GhostPose {
  GhostMoment moment = {};
  rig::Pose pose = {};
  std::vector<glm::mat4> world = {};  ///< [J]
  std::uint64_t version = 0;          ///< another one for each pose that was made
};

/// What moments need to know of a clip, which costs all its keys to find out.
struct ClipTimes {
  Shared<rig::Clip> clip = {};   ///< of which
  std::vector<float> keys = {};  ///< times at which some channel has a key, ascending, each once
  float frame_rate = 0;          ///< that its keys suggest
};

/// Keeps poses of such moments: as long as nothing changes but the playhead, each is made once.
class GhostPoses {
 public:
  /// Valid until a call that finds the document, the playhead or what is wanted changed. Where nothing is wanted,
  /// nothing of the document is kept.
  std::span<const GhostPose> at(const Document& document, const GhostMoments& wanted);
  /// How many poses were made since the beginning.
  [[nodiscard]] std::size_t made() const { return made_; }

 private:
  Content content_;  ///< that the poses are of; the character that is shown and the layers' limit beside it
  std::shared_ptr<const rig::Character> character_;
  int layer_limit_ = -1;
  ClipTimes times_;
  std::vector<GhostPose> kept_;
  std::size_t made_ = 0;
};

}  // namespace pelt::edit
