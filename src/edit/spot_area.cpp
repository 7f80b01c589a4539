#include "edit/spot_area.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "edit/weight_area.h"
#include "mesh/surface_disc.h"
#include "mesh/weight_rows.h"

namespace pelt::edit {
namespace {

constexpr float kEdgesRound = 3.5f;  // radius of what is mended, in edges: three rings
constexpr std::size_t kMostPlaces = 300;
constexpr std::size_t kMostJoints = 6;    // a fit costs the fourth power of them
constexpr double kLeastShare = 1.0 / 20;  // of all weight of the area and its rim, of a joint that belongs there

// Places beside some that are none of `known`, which they join.
std::vector<std::uint32_t> ring_round(const mesh::WeldedSurface& surface, std::span<const std::uint32_t> places,
                                      std::set<std::uint32_t>& known) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t w : places) {
    for (const std::uint32_t u : surface.adjacency.neighbors(w)) {
      if (known.insert(u).second) {
        out.push_back(u);
      }
    }
  }
  return out;
}

}  // namespace

SpotArea area_round(const rig::Character& character, const WorstSpot& spot) {
  const rig::Part& part = character.parts[spot.part];
  SpotArea out{.mesh = part.mesh, .surface = mesh::welded_surface(character.meshes[part.mesh])};
  const mesh::WeldedSurface& surface = *out.surface;
  const std::uint32_t middle = surface.place[surface.first[part.primitive] + spot.vertex];
  const auto neighbors = surface.adjacency.neighbors(middle);
  float edge = 0;
  for (const std::uint32_t u : neighbors) {
    edge += glm::distance(surface.position(middle), surface.position(u)) / static_cast<float>(neighbors.size());
  }
  const float radius = kEdgesRound * edge;
  mesh::DiscSearch search;
  const mesh::SurfaceDisc disc = search.find(
      surface.adjacency, [&](std::uint32_t w) { return surface.position(w); }, middle, radius);
  // A spot of long edges beside short ones has thousands within reach.
  const std::size_t count = std::min(disc.place.size(), kMostPlaces);
  out.places.assign(disc.place.begin(), disc.place.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    out.amounts.push_back(radius > 0 ? mesh::brush_falloff(disc.distance[i], radius) : 1.0f);
  }
  std::set<std::uint32_t> known(out.places.begin(), out.places.end());
  out.rim = ring_round(surface, out.places, known);
  out.beside = ring_round(surface, out.rim, known);
  return out;
}

std::vector<int> joints_of(const rig::Character& character, const SpotArea& area) {
  const rig::Skin& skin = character.skins[rig::first_skin_of(character, area.mesh)];
  const std::vector<const mesh::Influences*> influences = influences_of(character.meshes[area.mesh]);
  std::map<int, double> share;
  double all = 0;
  for (const std::vector<std::uint32_t>* places : {&area.places, &area.rim}) {
    for (const std::uint32_t w : *places) {
      const mesh::InfluenceRow row = mesh::row_at(*area.surface, influences, w);
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        share[skin.joints[row.joints[k]]] += static_cast<double>(row.weights[k]);
        all += static_cast<double>(row.weights[k]);
      }
    }
  }
  std::vector<std::pair<double, int>> order;
  for (const auto& [joint, weight] : share) {
    if (weight >= kLeastShare * all) {
      order.emplace_back(-weight, joint);
    }
  }
  std::ranges::sort(order);
  std::vector<int> out;
  for (std::size_t i = 0; i < std::min(order.size(), kMostJoints); ++i) {
    out.push_back(order[i].second);
  }
  return out;
}

glm::vec3 way_among_neighbors(const rig::Character& character, const SpotArea& area, std::span<const glm::mat4> world) {
  const mesh::WeldedSurface& surface = *area.surface;
  const std::uint32_t spot = area.places.front();
  const auto neighbors = surface.adjacency.neighbors(spot);
  if (neighbors.empty()) {
    return {};
  }
  const std::vector<const mesh::Influences*> influences = influences_of(character.meshes[area.mesh]);
  const std::vector<glm::dmat4> matrices =
      skin_matrices(character.skins[rig::first_skin_of(character, area.mesh)], world);
  const auto matrix_at = [&](std::uint32_t w) {
    const mesh::InfluenceRow row = mesh::row_at(surface, influences, w);
    glm::dmat4 out(row.joints.empty() ? 1.0 : 0.0);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      out += static_cast<double>(row.weights[k]) * matrices[row.joints[k]];
    }
    return out;
  };
  const double share = 1 / static_cast<double>(neighbors.size());
  glm::dvec3 mean(0);
  glm::dvec3 bound(surface.position(spot));
  glm::dmat3 turn(0);
  for (const std::uint32_t u : neighbors) {
    const glm::dmat4 matrix = matrix_at(u);
    mean += share * glm::dvec3(matrix * glm::dvec4(surface.position(u), 1));
    bound -= share * glm::dvec3(surface.position(u));
    turn += share * glm::dmat3(matrix);
  }
  return glm::vec3(mean + turn * bound - glm::dvec3(matrix_at(spot) * glm::dvec4(surface.position(spot), 1)));
}

}  // namespace pelt::edit
