#pragma once

#include <optional>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "core/progress.h"
#include "core/result.h"
#include "motion/foot_contacts.h"
#include "motion/human_body.h"
#include "motion/joint_map.h"
#include "motion/world_frames.h"
#include "rig/character.h"

namespace pelt::motion {

/// How the reference poses of two skeletons are brought to match before motion is carried over.
enum class Alignment {
  kNone,   ///< they are taken to match as they are
  kLimbs,  ///< arms, legs, fingers point where the source's do; soles and palms face as the source's; trunks stay
  kAll,    ///< trunk, neck and collarbones as well
};

enum class UpAxis { kFromShape, kX, kY, kZ };

struct RetargetSettings {
  Alignment alignment = Alignment::kLimbs;
  bool hold_feet = false;
  std::optional<double> rate = {};            ///< keys a second; none: the moments of the source's own keys
  std::optional<double> reference_time = {};  ///< seconds in the source's clip; none: its rest pose
  UpAxis up = UpAxis::kFromShape;             ///< of the source
};

/// A skeleton in the pose that is held against another skeleton's.
struct RetargetRig {
  rig::Character character;               ///< shared parts: cheap
  int clip = -1;                          ///< of a source
  std::vector<Transform> reference = {};  ///< [J] local
  glm::dmat3 world = glm::dmat3(1.0);     ///< turns everything so that up is +y
  WorldFrames frames = {};                ///< of the reference pose
  HumanBody body = {};
  std::string note = {};  ///< what was decided that a person should know, or empty
};

/// The source at rest. Where its body does not stand there at all (legs beside the trunk, as in files whose zero pose
/// is a star), the first moment of the clip is the reference. Fails where there is no such clip.
Result<RetargetRig> source_rig(const rig::Character& character, int clip, const RetargetSettings& settings);
RetargetRig target_rig(const rig::Character& character);
JointMap make_joint_map(const RetargetRig& source, const RetargetRig& target);

/// Local transforms of joints of the target, frame by frame.
struct RetargetTracks {
  std::vector<float> times;                          ///< [F] seconds
  std::vector<int> joints;                           ///< ascending
  std::vector<std::vector<glm::quat>> rotations;     ///< [joints][F]
  std::vector<std::vector<glm::vec3>> translations;  ///< [joints][F] or empty where a joint stays in its place
  std::vector<std::vector<glm::vec3>> scales;        ///< [joints][F] or empty

  /// Writes frame `f` into local transforms; joints without a track stay.
  void pose(int f, std::vector<Transform>& local) const;
  /// The place of a joint in `joints`, or -1.
  [[nodiscard]] int find(int joint) const;
};

struct Retargeted {
  rig::Clip clip;                     ///< of the target, linear keys
  double size = 1;                    ///< by which the root's way is multiplied
  double stride = 1;                  ///< the same over the ground; another one only where feet are held
  double sunk = 0;                    ///< how far the root comes down at most so that held feet are reached, metres
  std::vector<FootContact> contacts;  ///< of the source, frames of the clip
  std::vector<float> times;           ///< [F]
};

/// Carries the source's clip over to the target, ALGORITHMS.md §48: each mapped joint turns in the world as much as its
/// source does since the reference pose, G_tgt(t) = F G_src(t) G_src(ref)⁻¹ F⁻¹ A G_tgt(ref), where F turns the source
/// to face as the target does and A is the alignment of the reference poses; local = G_parent⁻¹ G. Joints without a row
/// keep their rest local transforms, but for those in a forearm, which take their share of its twist. The root's way is
/// multiplied by the ratio of the heights of the hips above the lowest joint, so that the feet stand where they do in
/// the source. Own lengths of bones stay; moves and scales of single joints are taken over where a joint rests in both
/// alike. Fails where no row is left or where `progress` stops it.
Result<Retargeted> retarget(const RetargetRig& source, const RetargetRig& target, const JointMap& map,
                            const RetargetSettings& settings, const Progress& progress = {});

/// The local transforms of the target's reference pose as it is held against the source's, [J]: what a preview of the
/// alignment shows.
std::vector<Transform> aligned_reference(const RetargetRig& source, const RetargetRig& target, const JointMap& map,
                                         const RetargetSettings& settings);

/// The moments at which a clip has keys, ascending, or `rate` a second from its first to its last key. Without a rate,
/// linear keys at these moments say what the clip says: values that are held have a key just before the next one, and
/// where something moves along a spline there are keys at the clip's own frame rate, too.
std::vector<float> retarget_times(const rig::Clip& clip, std::optional<double> rate);

/// Frames of a rig at a moment of its clip. @param local  scratch, [J]
void frames_at(const RetargetRig& rig, float time, rig::Pose& pose, WorldFrames& out);

}  // namespace pelt::motion
