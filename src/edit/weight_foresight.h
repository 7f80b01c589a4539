#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/progress.h"
#include "edit/weight_tools.h"

namespace pelt::edit {

/// What a tool made of a character before the change that puts it into the document: on large meshes that takes long.
struct MadeWeights {
  std::shared_ptr<const rig::Character> from;    ///< of whom it was made
  std::shared_ptr<const rig::Character> result;  ///< null: nothing changes
};

/// To whom a joint of another character gives its weights in a transfer.
struct JointPartner {
  int from = -1;    ///< joint of the other character that a skin of it lists
  int to = -1;      ///< joint here, or that of the nearest joint above `from` that has one; -1: they are lost
  bool own = true;  ///< false: `from` has none itself
};
/// For all joints of the source's skins, ascending by `from`.
std::vector<JointPartner> joint_partners(const rig::Character& source, const rig::Character& target);

/// What a transfer found for the places that it was asked for, or a mirror: places without a match are there those
/// without a mirror image, and are kept. Vertices at one place count once.
struct TransferMatch {
  std::size_t places = 0;
  std::vector<std::uint32_t> unmatched;  ///< vertices of places without a match, counted through all primitives
  std::size_t inpainted = 0;             ///< of these places: between those round them
  std::size_t nearest = 0;               ///< of the others: the closest point, though it is no match
  std::size_t kept = 0;  ///< the rest: they keep their weights, since the closest point has none for them
};

/// What edits would do, one after the other, and the same edits with what was made of them.
struct ForeseenWeights {
  std::vector<UseWeightTool> edits;
  WeightDifference difference;         ///< of all meshes together; part and vertex are not set
  std::vector<TransferMatch> matches;  ///< one per edit; empty where the tool looks for none
};
/// Does the edits beforehand, for a job. Nothing where the progress asked it to stop.
/// @pre  each is of another mesh, and none is refused
std::optional<ForeseenWeights> foreseen_weights(const std::shared_ptr<const rig::Character>& character,
                                                std::vector<UseWeightTool> edits, const Progress& progress = {});

}  // namespace pelt::edit
