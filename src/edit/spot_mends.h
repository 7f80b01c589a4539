#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/progress.h"
#include "edit/bind_edits.h"
#include "edit/commands.h"
#include "edit/document.h"
#include "edit/worst_spots.h"

namespace pelt::edit {

/// A way to change the weights round one of the worst spots.
struct SpotMend {
  std::string_view id;  ///< "smooth"
  std::string_view label;
  std::string_view help;
  std::string_view nothing;  ///< why it may change nothing, a clause
};
std::span<const SpotMend> spot_mends();

/// What a mend would do.
struct MendedSpot {
  std::optional<Change> change = {};  ///< one step; nothing: the mend cannot be used, or changes nothing
  std::string why = {};               ///< then it says so
  std::string label = {};             ///< of the step, see mend_label()
  WorstSpot now = {};                 ///< measured with the change, in the pose in which the spot was found
};

/// Makes a mend of the place and its neighbours up to three edges off, the less the farther off they are, on the file's
/// own surface: smoothed as ALGORITHMS.md §37; relaxed and pulled as §40, in the pose of the spot, towards the places
/// that keep each vertex where it lies among its neighbours as bound (relaxed: all of them, pulled: the middle one, and
/// the others go with it); or bound anew as `binding` says, whose vertices and meshes are replaced. Locked joints keep
/// their weights. Nothing where `progress` asked to stop.
/// @pre  `id` is that of a row; the spot is one of `found`
std::optional<MendedSpot> mend_spot(const Document& document, const WorstSpots& found, std::size_t spot,
                                    std::string_view id, const BindSkin& binding,
                                    const std::shared_ptr<deform::SkinCache>& cache, const Progress& progress);

}  // namespace pelt::edit
