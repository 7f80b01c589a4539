#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/result.h"
#include "deform/settings.h"
#include "deform/skin_cache.h"
#include "mesh/weight_formats.h"
#include "render/gl_objects.h"
#include "render/gpu_plan.h"
#include "render/surface_parts.h"
#include "rig/character.h"

namespace pelt::render {

/// An index or a count, for containers. @pre  n >= 0

/// Which buffers a part reads: what decides their content besides the shared parts that they were made from. Fields
/// that make no difference to a primitive that is not skinned are left at their defaults, so that both backends share
/// it.
struct GeometryKey {
  int mesh = 0;
  int primitive = 0;
  bool skinned = false;
  bool paint = false;
  int palette_cap = 0;
  bool partition = false;
  int influence_limit = 0;
  float prune_threshold = 0;
  deform::WeightFormat weight_format = deform::WeightFormat::kFloat;
  bool weights_as_stored = false;
  int method = -1;                           // where it prepares anything
  deform::MethodParameters parameters = {};  // likewise
  auto operator<=>(const GeometryKey&) const = default;
};

/// Where one batch lies in the buffers.
struct BatchRange {
  std::vector<std::uint16_t> palette;  ///< slot -> joint of the skin
  int first_vertex = 0;
  int vertex_count = 0;
  std::size_t first_index = 0;
  int index_count = 0;
  bool rigid = false;
};

/// The order of a primitive's vertices and elements in the buffers. Immutable, so that whoever holds the very same one
/// knows that nothing has to be put into another order.
struct Layout {
  SharedArray<std::uint32_t> made_of_indices;
  Shared<mesh::Influences> made_of_influences;  ///< of batches alone, which follow from weights
  std::vector<BatchRange> batches;              ///< skinned ones, perhaps one without elements, rigid ones
  std::vector<std::uint32_t> source;            ///< buffer vertex -> vertex of the primitive; empty: as they are
  std::vector<std::uint32_t> elements;          ///< buffer element -> element of the primitive; empty: as they are
  std::size_t vertex_count = 0;                 ///< in the buffers
  int drawn_batches = 0;                        ///< those with elements
  bool has_rigid = false;

  [[nodiscard]] std::uint32_t source_of(std::size_t i) const {
    return source.empty() ? static_cast<std::uint32_t>(i) : source[i];
  }
};

/// The bytes that a layout needs besides those of the primitive, until they are uploaded.
struct LayoutBytes {
  std::vector<std::uint32_t> indices;  ///< empty: those of the primitive
  mesh::PackedInfluences influences;   ///< of batches alone
};

struct PlannedLayout {
  std::shared_ptr<const Layout> layout;
  std::shared_ptr<const LayoutBytes> bytes;  ///< null where the layout is one that was known
};

/// How all parts of a character are drawn under given settings: all of it that needs no OpenGL. A pure function of the
/// character and the settings, which may be computed on any thread and given to GpuCharacter::update() later; that
/// takes it where the parts are still the very same, and plans for itself where they are not.
struct CharacterPlan {
  SurfaceParts of;
  deform::SkinningSettings skinning;
  bool paint = false;
  std::vector<PartPlan> parts;    ///< [P]
  std::vector<GeometryKey> keys;  ///< [P]
  std::map<GeometryKey, PlannedLayout> layouts;
};

/// Layouts that are in use and taken over where they are what would be made.
using KnownLayouts = std::map<GeometryKey, std::shared_ptr<const Layout>>;

/// @param paint  the layout for weights that are being edited: vertices in the file's order, one batch per part, no
///               rigid partition, the whole palette in a buffer texture
/// @param cache  where the influences under these settings are kept; null: computed here
Result<std::shared_ptr<const CharacterPlan>> plan_character(const rig::Character& character,
                                                            const deform::SkinningSettings& settings, bool paint,
                                                            const DeviceLimits& limits,
                                                            deform::SkinCache* cache = nullptr,
                                                            const KnownLayouts& known = {});

}  // namespace pelt::render
