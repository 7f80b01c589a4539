#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/progress.h"
#include "deform/skin_cache.h"
#include "edit/document.h"
#include "edit/pose_battery.h"

namespace pelt::edit {

/// A place of the skin that deforms worse than all places round it.
struct WorstSpot {
  int part = -1;             ///< of Character::parts
  std::uint32_t vertex = 0;  ///< of its primitive
  int joint = -1;            ///< of those that the vertex follows the one with the largest weight; a skeleton index
  int pose = -1;             ///< of WorstSpots::poses, where it is worst
  float strain = 0;          ///< l / l0 - 1 of the edge that is stretched or shortened most
  float jump = 0;            ///< the mean of |ln(l / l0)| over its edges above that of its neighbours, not below 0
  bool flipped = false;      ///< a triangle there faces away from those round it, which it did not as bound
  double badness = 0;        ///< the mean of |ln(l / l0)| over its edges, plus jump, plus 1 where it is flipped
};

struct WorstSpots {
  std::vector<TrialPose> poses;
  BatteryRanges ranges;          ///< of those that turn one joint
  std::vector<WorstSpot> spots;  ///< worst first
  std::shared_ptr<const rig::Character> character;
};

/// Poses the character as make_battery() does by these options, in the skinning of the active pane on the CPU, and
/// ranks the skinned vertices by the worst pose of each. Of an area that deforms badly only its worst place is listed.
/// Each pose starts from the rest pose without a clip, whatever the document shows: a joint answers for its own turn
/// alone.
/// @param most  spots  @return nothing where `progress` asked to stop
/// @cost O(poses * V)
std::optional<WorstSpots> find_worst_spots(const Document& document, const BatteryOptions& options, std::size_t most,
                                           const std::shared_ptr<deform::SkinCache>& cache, const Progress& progress);

/// How bad some of the spots are now, in the pose in which each was found: `which` of found.spots, in their order, with
/// pose and joint as they were. Nothing where `progress` asked to stop.
/// @param document  with the weights of now; its character has the parts of the one that was searched
/// @cost O(poses of these spots * V)
std::optional<std::vector<WorstSpot>> measure_spots(const Document& document, const WorstSpots& found,
                                                    std::span<const std::size_t> which,
                                                    const std::shared_ptr<deform::SkinCache>& cache,
                                                    const Progress& progress);

/// A vertex of a part of the character.
struct PartVertex {
  int part = -1;
  std::uint32_t vertex = 0;
};
/// What the worst of some poses of `found` is at each of some vertices, in their order. Nothing where `progress` asked
/// to stop.
/// @param poses  of found.poses  @cost O(poses * V)
std::optional<std::vector<WorstSpot>> measure_vertices(const Document& document, const WorstSpots& found,
                                                       std::span<const PartVertex> vertices, std::span<const int> poses,
                                                       const std::shared_ptr<deform::SkinCache>& cache,
                                                       const Progress& progress);

/// The joint that the spot's pose turns; of a pose of many joints the one that the vertex follows most. -1: none.
int joint_of(const WorstSpots& spots, const WorstSpot& spot);
/// The joint that a pose turns; -1: it turns many.
int joint_of(const TrialPose& pose);
/// The changes that bring the document from any pose into that of a spot, to be applied in this order.
std::vector<Change> changes_of(const Document& document, const WorstSpots& found, const WorstSpot& spot);

/// Spots of one joint.
struct SpotGroup {
  int joint = -1;                  ///< joint_of()
  std::vector<std::size_t> spots;  ///< of WorstSpots::spots, worst first
};
/// The joint with the worst spot first. @cost O(spots * joints that have some)
std::vector<SpotGroup> grouped_by_joint(const WorstSpots& spots);

/// "85 % longer, flipped".
std::string strain_in_words(const WorstSpot& spot);
/// "body, vertex 12, elbow_l: 85 % longer at elbow_l.bend=140, flipped".
std::string sentence(const WorstSpots& spots, const WorstSpot& spot);
/// "2.31: 85 % longer, flipped, bend 140°, vertex 12": badness first, for a narrow list under its joint's name.
std::string short_sentence(const WorstSpots& spots, const WorstSpot& spot);

}  // namespace pelt::edit
