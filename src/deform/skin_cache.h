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

/// What is computed once for a mesh under given settings and kept: influences as they are used, the welded surface,
/// what the method prepares, weight gradients. Immutable.
struct SkinData {
  std::vector<mesh::Influences> influences;       ///< [P] per primitive
  mesh::MeshSurface surface;                      ///< empty unless something needs it
  std::vector<Prepared> prepared;                 ///< [P], empty where the method prepares nothing
  std::vector<WeightGradients> weight_gradients;  ///< [P], empty unless normals are exact
};

/// Influences as they are used under these settings, algorithms.md §15 and §16: limited, pruned, then rounded as the
/// weight format stores them. The weight to use is `weight`, or `weight * stored_sum[v]` with weights as stored.
mesh::Influences effective_influences(const mesh::Primitive& primitive, const SkinningSettings& settings);

/// Keeps SkinData for one character, for both backends and all panes. Safe to use from several threads at once; the
/// character must not change while it is bound.
class SkinCache {
 public:
  SkinCache();
  ~SkinCache();
  SkinCache(const SkinCache&) = delete;
  SkinCache& operator=(const SkinCache&) = delete;

  /// Forgets everything.
  void reset();

  /// Computes what is missing, which may take long, and keeps the results of the last few settings.
  /// @pre  0 <= mesh < character.meshes.size(), settings.method is a row
  std::shared_ptr<const SkinData> get(const rig::Character& character, int mesh, const SkinningSettings& settings);

  /// skin_bindings() of the character, gathered once.
  std::shared_ptr<const std::vector<SkinBinding>> bindings(const rig::Character& character);

  /// True where get() would return at once for all meshes that are skinned. Methods that prepare nothing count as
  /// ready.
  [[nodiscard]] bool ready(const rig::Character& character, const SkinningSettings& settings) const;

  /// Computes for all skinned meshes what get() then returns at once. @returns false when `progress` asked to stop
  bool prepare(const rig::Character& character, const SkinningSettings& settings, const Progress& progress);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pelt::deform
