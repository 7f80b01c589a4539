#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <glm/glm.hpp>

#include "core/progress.h"
#include "deform/common_stretch.h"
#include "deform/settings.h"
#include "deform/skinning_methods.h"
#include "mesh/mesh_surface.h"
#include "rig/character.h"

namespace pelt::deform {

struct SkinDataKey;

/// What is computed once for a mesh under given settings and kept: influences as they are used, the welded surface,
/// what the method prepares, weight gradients. Immutable.
struct SkinData {
  Shared<mesh::Mesh> mesh;                        ///< what it was computed from; the surface points into it
  SharedList<mesh::Influences> influences;        ///< [P] per primitive
  mesh::MeshSurface surface;                      ///< empty unless something needs it
  SharedArray<Prepared> prepared;                 ///< [P], empty where the method prepares nothing
  SharedArray<WeightGradients> weight_gradients;  ///< [P], empty unless normals are exact
  /// Whether the last two were made for the weights of before an edit: good enough until those of these weights are
  /// there, for which get() is to be asked again.
  bool outdated = false;
};

/// Influences as they are used under these settings, ALGORITHMS.md §15 and §16: limited, pruned, then rounded as the
/// weight format stores them. The weight to use is `weight`, or `weight * stored_sum[v]` with weights as stored.
/// Blocks that the settings leave as they are are those of the primitive, and so are all together where they change
/// nothing.
Shared<mesh::Influences> effective_influences(const mesh::Primitive& primitive, const SkinningSettings& settings);

/// Makes the effective influences of `before` those of `now`, reading the blocks alone that the two do not share.
/// @pre  as many vertices in both; `effective` is that of `before` under the same settings
/// @returns how many blocks were computed again
std::size_t update_effective(const mesh::Influences& before, const mesh::Influences& now,
                             const SkinningSettings& settings, mesh::Influences& effective);

class SkinCache;

/// The control points of a character (mesh::ControlCage), as a character that they are the vertices of: what deforms
/// any character deforms them, by any method. Immutable.
struct Cages {
  rig::Character character;  ///< its parts are those of the character; those without control points are empty
  std::vector<Shared<mesh::ControlCage>> of_part = {};  ///< [parts] what they are of; empty where there are none
  std::vector<int> part = {};        ///< [parts] in which of them the control points of a part stand; -1: it has none
  std::shared_ptr<SkinCache> cache;  ///< of their own
};

/// Whether some part that follows a skin has control points.
bool has_cages(const rig::Character& character);

/// Whether SkinData can be had at once: as wanted, with what was prepared for the weights of before an edit, or not.
enum class Readiness { kReady, kOutdated, kMissing };

/// Keeps SkinData, for both backends and all panes, with the shared parts of the character that it was computed from:
/// a mesh that was edited gets data of its own, taken over from what it was before where parts are shared, and who goes
/// back to the earlier one finds that one's again. Safe to use from several threads at once.
///
/// What is kept: of each mesh the data under the last 16 settings. Data of meshes that an edit has replaced stay,
/// newest first, as long as all that they hold and their successors do not is below kMostSupersededBytes; a stroke on a
/// large mesh keeps hundreds of its steps, a mesh replaced as a whole goes.
class SkinCache {
 public:
  static constexpr std::size_t kMostSupersededBytes = std::size_t{64} << 20;

  explicit SkinCache(std::size_t most_superseded_bytes = kMostSupersededBytes);
  ~SkinCache();
  SkinCache(const SkinCache&) = delete;
  SkinCache& operator=(const SkinCache&) = delete;

  /// Forgets everything.
  void reset();

  /// With `served`, get() gives what was prepared for earlier weights, marked outdated, where preparing would take long
  /// and the mesh differs in weights alone; prepare() then makes what belongs to these.
  void serve_outdated(bool served);

  /// Computes what is missing, which may take long, and keeps the results of the last few settings.
  /// @pre  0 <= mesh < character.meshes.size(), settings.method is a row
  std::shared_ptr<const SkinData> get(const rig::Character& character, int mesh, const SkinningSettings& settings);

  /// skin_bindings() of the character, gathered once for the parts that they follow from.
  std::shared_ptr<const std::vector<SkinBinding>> bindings(const rig::Character& character);

  /// The character's control points; null where it has none. Made once for the cages that it has, whatever else of it
  /// is edited.
  std::shared_ptr<const Cages> cages(const rig::Character& character) const;

  /// True where get() would return at once for all meshes that are skinned. Methods that prepare nothing count as
  /// ready.
  [[nodiscard]] bool ready(const rig::Character& character, const SkinningSettings& settings) const;

  /// What get() would give for the skinned mesh that lacks most, if serve_outdated(). These three ask of control
  /// points, too, where the settings skin those.
  [[nodiscard]] Readiness readiness(const rig::Character& character, const SkinningSettings& settings) const;

  /// Computes for all skinned meshes what get() then returns at once. @returns false when `progress` asked to stop
  bool prepare(const rig::Character& character, const SkinningSettings& settings, const Progress& progress);

  /// What was computed so far, for whoever wants to know that little was.
  struct Work {
    std::size_t blocks = 0;    ///< of effective influences, not counting those that settings leave as they are
    std::size_t surfaces = 0;  ///< welded
    std::size_t prepared = 0;  ///< meshes
    std::size_t bound = 0;     ///< times that skin_bindings() were made
  };
  [[nodiscard]] Work work() const;
  /// Entries kept, and bytes of those that an edit has superseded.
  struct Kept {
    std::size_t entries = 0;
    std::size_t superseded_bytes = 0;
  };
  [[nodiscard]] Kept kept() const;

 private:
  struct State;
  std::shared_ptr<const SkinData> stand_in(const rig::Character& character, const SkinDataKey& key,
                                           const glm::dmat3& shape_from_mesh, const SkinningSettings& settings);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::deform
