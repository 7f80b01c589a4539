#pragma once

// What the mends of a worst spot share; nothing outside src/edit and its tests includes this.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "edit/worst_spots.h"
#include "mesh/influences.h"
#include "mesh/welded_surface.h"
#include "rig/character.h"

namespace pelt::edit {

/// What is mended round a spot: places of one mesh within three and a half of its edges, the nearest where these are
/// very many.
struct SpotArea {
  int mesh = -1;
  std::shared_ptr<const mesh::WeldedSurface> surface = nullptr;
  std::vector<std::uint32_t> places = {};  ///< the spot first
  std::vector<float> amounts = {};         ///< 1 at the spot, the less the farther off
  std::vector<std::uint32_t> rim = {};     ///< places beside them, which stay as they are
  std::vector<std::uint32_t> beside = {};  ///< places beside the rim
};
SpotArea area_round(const rig::Character& character, const WorstSpot& spot);

/// The joints that the area belongs to, those with most weight first: of the places and their rim together each has at
/// least a twentieth. A stray vertex, or a joint that reaches in from afar, has none of them. Skeleton indices.
std::vector<int> joints_of(const rig::Character& character, const SpotArea& area);

/// How far the spot lies from where its neighbours have it: their middle, and beyond that what the spot stood out from
/// it as bound, turned as they are. World, metres, under linear blend skinning.
/// @param world  [J] of a pose
glm::vec3 way_among_neighbors(const rig::Character& character, const SpotArea& area, std::span<const glm::mat4> world);

}  // namespace pelt::edit
