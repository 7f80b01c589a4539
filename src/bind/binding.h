#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "bind/problem.h"
#include "core/progress.h"

namespace pelt::bind {

/// One weight of a place.
struct Share {
  std::uint16_t bone = 0;
  double weight = 0;
  bool operator==(const Share&) const = default;
};

/// Weights by place in compressed rows: bones distinct and ascending, weights > 0, each row sums to 1 but for rounding.
class Rows {
 public:
  [[nodiscard]] std::size_t size() const { return offset_.size() - 1; }
  /// Of all rows together.
  [[nodiscard]] std::size_t share_count() const { return shares_.size(); }
  [[nodiscard]] std::span<const Share> operator[](std::size_t w) const {
    return std::span(shares_).subspan(offset_[w], offset_[w + 1] - offset_[w]);
  }
  /// What one bone has of a place, 0 where nothing.
  [[nodiscard]] double weight(std::size_t w, std::size_t bone) const;
  /// The bone of the largest weight, the first among equals. @pre  the row is not empty
  [[nodiscard]] std::size_t strongest(std::size_t w) const;
  /// Appends a row made of these: merges repeated bones, drops what is not above 0 or not finite, sorts, normalises.
  /// The row stays empty where nothing is left.
  void push(std::span<const Share> shares);
  /// Appends the rows [begin, end) of another list bit for bit.
  void append(const Rows& from, std::size_t begin, std::size_t end);
  void reserve(std::size_t rows, std::size_t shares);
  bool operator==(const Rows&) const = default;

 private:
  std::vector<std::size_t> offset_ = {0};
  std::vector<Share> shares_;
};

/// Keeps the `limit` largest weights of each place (the first bone among equals) that are at least `threshold`,
/// renormalised; never fewer than one. @param limit  0: any number
Rows limited(const Rows& rows, int limit, double threshold = 0.0);
/// Those of these places alone, in their order: row i is that of places[i].
Rows limited(const Rows& rows, std::span<const std::uint32_t> places, int limit, double threshold = 0.0);

/// How a place came to its weights, for the report and for markers.
enum class Cause : std::uint8_t {
  kSolved,    ///< as the binder means it
  kNearest,   ///< by the nearest bone, since the binder had nothing to say
  kGeodesic,  ///< by ways within the volume, since no bone is seen
  kRigid,     ///< its whole island moves with one bone or as what it sits on
  kBody,      ///< taken from the surface below
  kProxy,     ///< from a coarser surface
};
inline constexpr std::size_t kCauseCount = 6;

/// What a report is about. `bone` and `island` are -1 where they are not meant.
enum class RemarkKind : std::uint8_t {
  kMeshLeftOut,       ///< a mesh that cannot be bound as it is used; `text` says why
  kSkeletonShifted,   ///< the skeleton lies beside the surface and was moved into it
  kIslandSeesNoBone,  ///< no bone can be seen from the island
  kIslandRigid,       ///< a small island was bound rigidly
  kIslandFromBody,    ///< a layer took its weights from the body below
  kBoneUnused,        ///< no place follows the bone
  kBoneOutside,       ///< the bone lies outside of the volume
  kBoneWithoutLength,
  kGapCloses,      ///< two islands share or touch voxels: the gap between them closes at this resolution
  kCoarseSurface,  ///< solved on a coarser surface
  kCoarseVolume,   ///< solved on a coarser grid than asked for: so many voxels along the longest side
  kInsideOut,      ///< faces of the island point inwards
  kNegative,       ///< the solution went below 0 (obtuse triangles) and was cut off
  kVolumeOpen,     ///< a mesh as a volume that is not closed or crosses itself; `text` says how it is taken
  kFallback,       ///< places that were bound by other means than asked for
};
struct Remark {
  RemarkKind kind = RemarkKind::kFallback;
  int bone = -1;
  int island = -1;
  std::size_t places = 0;  ///< how many it concerns
  glm::dvec3 where = {};   ///< for a marker
  double amount = 0;       ///< metres outside, the most negative weight, the voxel's size ...: what the kind says
  Cause instead = Cause::kSolved;  ///< what was done instead
  int other = -1;                  ///< the other island that a gap lies between
  std::size_t islands = 0;         ///< so many islands are meant together, none by its number; 0: `island` alone
  std::string text = {};           ///< of the kinds kMeshLeftOut, the sentence's beginning, and kVolumeOpen
  bool operator==(const Remark&) const = default;
};

/// What a binder makes. No row is empty.
struct Binding {
  Rows rows;                    ///< [W]
  std::vector<Cause> cause;     ///< [W]
  std::vector<Remark> remarks;  ///< by kind, the most places first; of many small islands the rest in one
};

/// Whoever waits for a binder.
struct Watcher {
  Progress progress = {};                         ///< says how far it is, and may ask it to stop
  std::function<void(const Binding&)> show = {};  ///< gets coarse results on the way, complete ones; may be empty
};

/// A remark as a sentence, without the full stop. @param names  [B] what the bones are called
std::string sentence(const Remark& remark, std::span<const std::string> names);

/// Where the run of remarks ends that one sentence is to stand for: after all of a kind where these name more than
/// three islands, as for a soup of triangles, else after `first` alone.
std::size_t end_of_run(std::span<const Remark> remarks, std::size_t first);
/// Such a run as one sentence: how many islands, and how many places they have.
/// @pre  run.size() > 1, as end_of_run() says
std::string sentence_of_run(std::span<const Remark> run);

/// Adds a remark for each island with places that only the nearest bone could be found for.
void remark_on_unreached(const Problem& problem, Binding& binding);

/// Adds a remark for each bone that no place follows, and for each without length.
void remark_on_bones(const Problem& problem, Binding& binding);

}  // namespace pelt::bind
