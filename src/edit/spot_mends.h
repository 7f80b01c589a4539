#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/progress.h"
#include "edit/bind_edits.h"
#include "edit/commands.h"
#include "edit/document.h"
#include "edit/weight_tools.h"
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

/// A vertex of the skin before and after a mend.
struct SpotChange {
  WorstSpot before = {};
  WorstSpot now = {};
};

/// What a mend would do.
struct MendedSpot {
  std::optional<Change> change = {};  ///< one step; nothing: the mend cannot be used, or changes nothing
  std::string why = {};               ///< then it says so
  std::string_view verdict = {};      ///< and in two or three words: "no better"
  std::string label = {};             ///< of the step, see mend_label()
  WorstSpot before = {};              ///< as it is with the weights of now, in the pose in which it was found
  WorstSpot now = {};                 ///< measured with the change, in the pose in which the spot was found
  WeightDifference difference = {};   ///< of the mesh
  std::vector<int> gained = {};       ///< joints that vertices of the area follow now and none of them did; skeleton
  std::size_t flips_before = 0;       ///< places of the area that are flipped in the pose of the spot
  std::size_t flips_now = 0;          ///< the same with the change
  std::size_t poses = 0;              ///< in which the area was judged: those that turn the joints it follows
  double area_before = 0;  ///< mean badness over the area and what lies round it: fourth root of the mean of fourth
                           ///< powers of each place's worst in these poses
  double area_now = 0;     ///< the same with the change
  std::size_t better = 0;  ///< places there that are better by a tenth (and 0.05) in the worst of these poses
  std::size_t worse = 0;   ///< and those that are as much worse
  SpotChange worst = {};   ///< of these the one that grew most; of no part where there is none
};

/// Makes a mend of the place and what lies within three and a half of its edges, the less the farther off they are, on
/// the file's own surface: smoothed as ALGORITHMS.md §37; relaxed as §40 (all of them alike) in all poses of the search
/// that turn joints of the place; pulled as §40 in the pose of the spot, the middle one to where it lies among its
/// neighbours as bound and the others with it; or bound anew as `binding` says, whose vertices and meshes are replaced.
/// But by binding no vertex gets a joint that has less than a twentieth of the weight there. Of the whole, the half and
/// a quarter of a mend, but of binding, that one is made which leaves the area best in all these poses; none that does
/// not make the spot better by a twentieth and the area better as a whole, and none that flips more of it in the pose
/// of the spot. Locked joints keep their weights. Nothing where `progress` asked to stop.
/// @pre  `id` is that of a row; the spot is one of `found`
std::optional<MendedSpot> mend_spot(const Document& document, const WorstSpots& found, std::size_t spot,
                                    std::string_view id, const BindSkin& binding,
                                    const std::shared_ptr<deform::SkinCache>& cache, const Progress& progress);

/// What a mend leaves of the badness of the area, of 1: below it is better.
double area_left(const MendedSpot& mended);

/// "63 vertices, by 0.31 of the weight at most and 0.08 on average; new joints there: hand_l. In 42 poses that turn
/// joints of this place 30 places become better, and 1 place worse, most of all vertex 40: 0.37 → 1.18 at
/// elbow_l.bend=140", of a mend that changes something.
std::string difference_in_words(const WorstSpots& spots, const MendedSpot& mended);

}  // namespace pelt::edit
