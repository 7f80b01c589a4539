#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <vector>

#include "deform/skin_cache.h"

// How SkinCache makes what it keeps. For its own sources alone.

namespace pelt::deform {

/// Settings that make no difference to SkinData are left out, so that they share an entry.
struct SkinDataKey {
  int mesh = 0;
  int influence_limit = 0;
  float prune_threshold = 0;
  WeightFormat weight_format = WeightFormat::kFloat;
  int method = -1;  ///< only where it prepares
  MethodParameters parameters;
  bool exact_normals = false;
  bool welded = false;
  auto operator<=>(const SkinDataKey&) const = default;

  /// Whether something is made of the whole mesh, which takes long and follows from its weights.
  [[nodiscard]] bool prepares() const { return method >= 0 || exact_normals; }
};
SkinDataKey key_of(int mesh, const SkinningSettings& settings);

/// @param earlier  null, or data of the same key, of another mesh
/// @returns null when `progress` asked to stop
std::shared_ptr<SkinData> make_skin_data(const Shared<mesh::Mesh>& mesh, const SkinDataKey& key,
                                         const glm::dmat3& shape_from_mesh, const SkinData* earlier,
                                         const SkinningSettings& settings, const Progress& progress,
                                         SkinCache::Work& work);

/// The mesh's own rows with what was prepared for `earlier`. @pre  can_go_on_with(mesh, earlier)
std::shared_ptr<SkinData> make_outdated(const Shared<mesh::Mesh>& mesh, const SkinData& earlier,
                                        const SkinningSettings& settings, SkinCache::Work& work);
/// Whether what was prepared for an earlier mesh fits another until its own is made: they differ in weights alone.
bool can_go_on_with(const mesh::Mesh& mesh, const SkinData& earlier);

/// The control points of all primitives, mesh by mesh; an empty cage where one has none.
using CageList = std::vector<Shared<mesh::ControlCage>>;
CageList cages_in(const rig::Character& character);
/// What skins control points under settings that skin them; layers aside.
SkinningSettings settings_of_points(SkinningSettings settings);
/// See Cages; without a cache.
Cages make_cages(const rig::Character& character);

/// Bytes that `data` keeps alive and `beside` does not: blocks of rows, arrays of the mesh, and what was prepared.
/// @cost O(blocks)
std::size_t bytes_alone(const SkinData& data, const SkinData& beside);

}  // namespace pelt::deform
