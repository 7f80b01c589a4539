#include "edit/spot_mends.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "edit/paint_edits.h"
#include "edit/spot_labels.h"
#include "edit/weight_area.h"
#include "edit/weight_edits.h"
#include "mesh/surface_disc.h"
#include "mesh/weight_rows.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

constexpr float kEdgesRound = 3.5f;         // radius of what is mended, in edges: three rings
constexpr int kRelaxingPasses = 10;         // until three rings have felt each other
constexpr int kSmoothingPasses = 4;         // each reaches one ring further
constexpr std::size_t kJointsToFollow = 6;  // beside a vertex's own; a pull costs the fourth power of them

constexpr std::array kMends = {
    SpotMend{.id = "smooth",
             .label = "Smooth",
             .help = "Brings the weights there nearer to those round them",
             .nothing = "the weights there are as even as those round them, or locked"},
    SpotMend{.id = "relax",
             .label = "Relax",
             .help = "Lets the posed skin there slide until each vertex lies among its neighbours as it was bound, and "
                     "finds weights that put it there",
             .nothing = "the joints of these vertices cannot put them anywhere better in this pose, or are locked"},
    SpotMend{.id = "rebind",
             .label = "Re-bind",
             .help = "Makes the weights there anew by the binder of the tab Bind",
             .nothing = "the binder makes the weights that are there, or they are locked"},
    SpotMend{
        .id = "pull",
        .label = "Pull",
        .help = "Pulls the vertex to where its neighbours have it as it was bound, and those round it with it, "
                "by their weights",
        .nothing = "the vertex lies among its neighbours already, or its joints cannot take it there in this pose"},
};

// What is mended: places of one mesh.
struct SpotArea {
  int mesh = -1;
  std::shared_ptr<const mesh::WeldedSurface> surface = nullptr;
  std::vector<std::uint32_t> places = {};  // the spot first
  std::vector<float> amounts = {};         // 1 at the spot
};

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
  out.places = disc.place;
  for (const float distance : disc.distance) {
    out.amounts.push_back(radius > 0 ? mesh::brush_falloff(distance, radius) : 1.0f);
  }
  return out;
}

std::vector<std::uint32_t> vertices_of(const SpotArea& area) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t w : area.places) {
    out.push_back(area.surface->copies(w).front());
  }
  return out;
}

SmoothWeights smoothing_of(const Document& document, const SpotArea& area) {
  SmoothWeights change;
  change.mesh = area.mesh;
  change.vertices = vertices_of(area);
  change.strengths = area.amounts;
  change.iterations = kSmoothingPasses;
  change.locked.assign(document.content.locked_joints.begin(), document.content.locked_joints.end());
  change.surface = area.surface;
  return change;
}

// All copies of each place, as parts count them.
VertexSelection selection_of(const rig::Character& character, const SpotArea& area) {
  std::map<int, std::vector<std::uint32_t>> by_part;
  for (const std::uint32_t w : area.places) {
    for (const std::uint32_t v : area.surface->copies(w)) {
      const std::size_t p = area.surface->primitive_of(v);
      for (std::size_t k = 0; k < character.parts.size(); ++k) {
        if (character.parts[k].mesh == area.mesh && std::cmp_equal(character.parts[k].primitive, p)) {
          by_part[static_cast<int>(k)].push_back(v - area.surface->first[p]);
        }
      }
    }
  }
  VertexSelection out;
  for (auto& [part, vertices] : by_part) {
    std::ranges::sort(vertices);
    out.push_back({part, std::move(vertices)});
  }
  return out;
}

// The skin in the pose of a spot, and where its places would lie among their neighbours as they were bound.
class PosedArea {
 public:
  PosedArea(const rig::Character& character, const SpotArea& area, std::vector<glm::mat4> world)
      : character_(character),
        area_(area),
        world_(std::move(world)),
        influences_(influences_of(character.meshes[area.mesh])),
        skin_(character.skins[rig::first_skin_of(character, area.mesh)]) {
    for (const std::uint32_t w : area.places) {
      place(w);
      for (const std::uint32_t u : area.surface->adjacency.neighbors(w)) {
        place(u);
      }
    }
  }

  // Each place goes to where its neighbours have it, in several passes; those round the area stay.
  [[nodiscard]] std::vector<glm::vec3> relaxed(int passes) const {
    std::map<std::uint32_t, glm::vec3> at = at_;
    for (int pass = 0; pass < passes; ++pass) {
      const std::map<std::uint32_t, glm::vec3> before = at;
      for (const std::uint32_t w : area_.places) {
        at[w] = wanted(w, before);
      }
    }
    std::vector<glm::vec3> out;
    for (const std::uint32_t w : area_.places) {
      out.push_back(at[w]);
    }
    return out;
  }
  [[nodiscard]] glm::vec3 present(std::uint32_t w) const { return at_.at(w); }
  [[nodiscard]] const std::vector<glm::mat4>& world() const { return world_; }

  // The joints that most of the area and what lies round it follow: a stray vertex has none of them.
  [[nodiscard]] std::vector<int> joints() const {
    std::map<int, double> share;
    for (const auto& [w, at] : at_) {
      const mesh::InfluenceRow row = mesh::row_at(*area_.surface, influences_, w);
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        share[skin_.joints[row.joints[k]]] += static_cast<double>(row.weights[k]);
      }
    }
    std::vector<std::pair<double, int>> order;
    for (const auto& [joint, weight] : share) {
      order.emplace_back(-weight, joint);
    }
    std::ranges::sort(order);
    std::vector<int> out;
    for (std::size_t i = 0; i < std::min(order.size(), kJointsToFollow); ++i) {
      out.push_back(order[i].second);
    }
    return out;
  }

 private:
  void place(std::uint32_t w) {
    if (at_.contains(w)) {
      return;
    }
    const std::array one = {w};
    at_[w] = posed_places(character_, area_.mesh, *area_.surface, one, world_)[0];
    glm::mat3 turn(0.0f);
    const mesh::InfluenceRow row = mesh::row_at(*area_.surface, influences_, w);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      turn += row.weights[k] * glm::mat3(world_[skin_.joints[row.joints[k]]] * skin_.joint_from_mesh[row.joints[k]]);
    }
    turn_[w] = row.joints.empty() ? glm::mat3(1.0f) : turn;
  }

  // The mean of the neighbours, and beyond it what the place stood out from them as bound, turned as they are.
  [[nodiscard]] glm::vec3 wanted(std::uint32_t w, const std::map<std::uint32_t, glm::vec3>& at) const {
    const auto neighbors = area_.surface->adjacency.neighbors(w);
    if (neighbors.empty()) {
      return at.at(w);
    }
    const float share = 1 / static_cast<float>(neighbors.size());
    glm::vec3 mean(0);
    glm::vec3 bound = area_.surface->position(w);
    glm::mat3 turn(0.0f);
    for (const std::uint32_t u : neighbors) {
      mean += share * at.at(u);
      bound -= share * area_.surface->position(u);
      turn += share * turn_.at(u);
    }
    return mean + turn * bound;
  }

  const rig::Character& character_;
  const SpotArea& area_;
  std::vector<glm::mat4> world_;
  std::vector<const mesh::Influences*> influences_;
  const rig::Skin& skin_;
  std::map<std::uint32_t, glm::vec3> at_;    // world
  std::map<std::uint32_t, glm::mat3> turn_;  // world from mesh space
};

PullWeights pull_of(const SpotArea& area, const PosedArea& posed, bool relaxes) {
  PullWeights change{.mesh = area.mesh, .places = area.places, .amounts = area.amounts};
  PullTo& to = change.poses.emplace_back();
  to.world = posed.world();
  if (relaxes) {
    to.targets = posed.relaxed(kRelaxingPasses);
    for (std::size_t i = 0; i < area.places.size(); ++i) {
      const glm::vec3 now = posed.present(area.places[i]);
      to.targets[i] = now + area.amounts[i] * (to.targets[i] - now);
    }
  } else {
    to.displacement = posed.relaxed(1)[0] - posed.present(area.places[0]);
  }
  change.more = posed.joints();
  change.surface = area.surface;
  return change;
}

// The change, before anybody knows what it does. Fails with why there is none.
Result<Change> change_of(const Document& document, const WorstSpots& found, const WorstSpot& spot, std::string_view id,
                         const BindSkin& binding, const Progress& progress) {
  const std::shared_ptr<const rig::Character>& character = own_character(document);
  const SpotArea area = area_round(*character, spot);
  if (id == "smooth") {
    return Change(smoothing_of(document, area));
  }
  if (id == "rebind") {
    BindSkin change = binding;
    change.vertices = selection_of(*character, area);
    change.joints.clear();
    change.request.meshes = {area.mesh};
    PELT_TRY_TO(change.made, make_binding(character, change, {.progress = progress}));
    return Change(std::move(change));
  }
  Document there = without_history(document);
  for (Change& change : changes_of(document, found, spot)) {
    apply(there, {std::move(change), "", false});
  }
  rig::WorldMatrices world;
  world.evaluate(character->skeleton, evaluate_pose(there));
  const PosedArea posed(*character, area, {world.world().begin(), world.world().end()});
  return Change(pull_of(area, posed, id == "relax"));
}

}  // namespace

std::span<const SpotMend> spot_mends() {
  return kMends;
}

std::optional<MendedSpot> mend_spot(const Document& document, const WorstSpots& found, std::size_t spot,
                                    std::string_view id, const BindSkin& binding,
                                    const std::shared_ptr<deform::SkinCache>& cache, const Progress& progress) {
  const auto row = std::ranges::find(kMends, id, &SpotMend::id);
  PELT_EXPECT(row != kMends.end() && spot < found.spots.size(), "a mend and a spot that there are");
  MendedSpot out{.label = mend_label(row->label, found, found.spots[spot]), .now = found.spots[spot]};
  if (!shows_own_surface(document)) {
    out.why = fmt::format(
        "{} needs the file's own surface: set subdivision, detail and explosion back in the Skinning "
        "tab",
        row->label);
    return out;
  }
  Result<Change> change = change_of(document, found, found.spots[spot], id, binding, progress);
  if (!report(progress, 0.9f, "measuring")) {
    return std::nullopt;
  }
  if (!change) {
    out.why = fmt::format("{}: {}", row->label, change.error().message);
    return out;
  }
  Document after = without_history(document);
  apply(after, {*change, "", false});
  if (same_weights(*own_character(after), *own_character(document))) {
    out.why = fmt::format("{} changes nothing: {}", row->label, row->nothing);
    return out;
  }
  const std::array which = {spot};
  const auto now = measure_spots(after, found, which, cache, progress);
  if (!now) {
    return std::nullopt;
  }
  out.now = now->front();
  out.change = *std::move(change);
  return out;
}

}  // namespace pelt::edit
