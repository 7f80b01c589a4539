#include "measure/planted_faults.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "math/transform.h"
#include "mesh/weight_mirror.h"
#include "mesh/weight_rows.h"
#include "mesh/weld.h"
#include "mesh/welded_surface.h"
#include "rig/bound_bones.h"
#include "rig/skin_sides.h"

namespace pelt::measure {
namespace {

constexpr std::size_t kFewPlaces = 12;     // a joint with fewer of its own has no region
constexpr double kMirrorTolerance = 1e-4;  // of the diagonal
constexpr float kChanged = 0.1f;           // of a weight: what is less is not worth a word

/// The skinned mesh with the most vertices, and what each of its places follows most of all.
struct Patient {
  const rig::Character& character;
  rig::SkinnedMesh use;
  std::shared_ptr<const mesh::WeldedSurface> surface;
  std::vector<const mesh::Influences*> influences;
  rig::BoundBones bones;
  std::vector<int> heaviest;                       ///< [W] slot, -1 without weights
  std::vector<std::vector<std::uint32_t>> region;  ///< [slots] places where it is the heaviest

  Patient(const rig::Character& of, rig::SkinnedMesh used)
      : character(of),
        use(used),
        surface(mesh::welded_surface(of.meshes[used.mesh])),
        bones(of, of.skins[used.skin]),
        heaviest(surface->place_count(), -1),
        region(of.skins[used.skin].joints.size()) {
    for (const mesh::Primitive& primitive : of.meshes[use.mesh].primitives) {
      influences.push_back(&*primitive.influences);
    }
    for (std::uint32_t w = 0; w < surface->place_count(); ++w) {
      if (const mesh::InfluenceRow row = mesh::row_at(*surface, influences, w); !row.joints.empty()) {
        heaviest[w] = row.joints[0];
        region[row.joints[0]].push_back(w);
      }
    }
  }

  [[nodiscard]] glm::dvec3 position(std::uint32_t w) const { return {surface->position(w)}; }
  [[nodiscard]] double weight(std::uint32_t w, std::size_t k) const {
    return static_cast<double>(mesh::weight_on(mesh::row_at(*surface, influences, w), k));
  }
  [[nodiscard]] bool has_region(std::size_t k) const { return region[k].size() >= kFewPlaces && bones.heads[k]; }
  /// The slot right above in the skin, -1 at the top.
  [[nodiscard]] int above(std::size_t k) const { return bones.above[k]; }
  [[nodiscard]] double diagonal() const {
    Bounds bounds;
    for (std::uint32_t w = 0; w < surface->place_count(); ++w) {
      bounds.add(surface->position(w));
    }
    return static_cast<double>(bounds.diagonal());
  }
  /// Slots that are the heaviest at enough places, most places first.
  [[nodiscard]] std::vector<std::size_t> largest_regions() const {
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < region.size(); ++k) {
      if (has_region(k)) {
        out.push_back(k);
      }
    }
    std::ranges::stable_sort(out, std::ranges::greater{}, [&](std::size_t k) { return region[k].size(); });
    return out;
  }
  /// So many places round one, along edges; fewer where its shell is smaller.
  [[nodiscard]] std::vector<std::uint32_t> round(std::uint32_t middle, std::size_t count) const {
    std::vector<std::uint32_t> out = {middle};
    std::vector<char> is_taken(surface->place_count(), 0);
    is_taken[middle] = 1;
    for (std::size_t i = 0; i < out.size() && out.size() < count; ++i) {
      for (const std::uint32_t u : surface->adjacency.neighbors(out[i])) {
        if (out.size() < count && std::exchange(is_taken[u], char{1}) == 0) {
          out.push_back(u);
        }
      }
    }
    return out;
  }
};

std::optional<Patient> patient_of(const rig::Character& character) {
  const std::optional<rig::SkinnedMesh> use = largest_skin(character);
  return use ? std::optional<Patient>(std::in_place, character, *use) : std::nullopt;
}

/// What is done to a patient's weights.
class Edit {
 public:
  explicit Edit(const Patient& patient) : patient_(patient) {}

  /// Gives the vertices at a place another row. @param change  of what the place has now
  template <typename Change>
  void change(std::uint32_t w, Change change) {
    mesh::WeightRow row;
    row.read(mesh::row_at(*patient_.surface, patient_.influences, w));
    change(row);
    for (const std::uint32_t v : patient_.surface->copies(w)) {
      rows_.emplace_back(v, stored(row));
    }
  }
  /// The same with one vertex alone.
  template <typename Change>
  void change_vertex(std::uint32_t v, Change change) {
    const std::size_t p = patient_.surface->primitive_of(v);
    mesh::WeightRow row;
    row.read(patient_.influences[p]->row(v - patient_.surface->first[p]));
    change(row);
    rows_.emplace_back(v, stored(row));
  }

  /// @param vertices  that are wrong now; nothing: those that were changed
  std::optional<PlantedFault> planted(std::optional<std::vector<std::uint32_t>> vertices = std::nullopt) {
    if (rows_.empty() || (vertices && vertices->empty())) {
      return std::nullopt;
    }
    PlantedFault out{patient_.character, patient_.use.mesh, {}};
    mesh::Mesh& mesh = out.character.meshes.edit(static_cast<std::size_t>(patient_.use.mesh));
    for (const auto& [v, row] : rows_) {
      const std::size_t p = patient_.surface->primitive_of(v);
      mesh.primitives.edit(p).influences.edit().set_row(v - patient_.surface->first[p], row.joints, row.weights);
      out.vertices.push_back(v);
    }
    if (vertices) {
      out.vertices = *std::move(vertices);
    }
    std::ranges::sort(out.vertices);
    out.vertices.erase(std::unique(out.vertices.begin(), out.vertices.end()), out.vertices.end());
    rig::finish(out.character);
    return out;
  }

 private:
  struct Row {
    std::vector<std::uint16_t> joints;
    std::vector<float> weights;
  };
  static Row stored(mesh::WeightRow& row) {
    const mesh::InfluenceRow now = row.stored();
    return {{now.joints.begin(), now.joints.end()}, {now.weights.begin(), now.weights.end()}};
  }

  const Patient& patient_;
  std::vector<std::pair<std::uint32_t, Row>> rows_;
};

/// Takes a share of everything that the row has and gives it to one joint.
void give(mesh::WeightRow& row, std::size_t k, double share) {
  const auto slot = static_cast<std::uint16_t>(k);
  row.set(slot, row.weight(slot) + share * (1 - row.weight(slot)));
}

// Single vertices and small patches that follow a joint at the other end of the body.
std::optional<PlantedFault> plant_rogues(const rig::Character& character, std::size_t strength) {
  constexpr std::array<double, kFaultStrengths> kShare = {0.2, 0.5, 1.0};
  constexpr std::array<std::size_t, kFaultStrengths> kSize = {1, 3, 8};
  const std::optional<Patient> patient = patient_of(character);
  const std::vector<std::size_t> regions = patient ? patient->largest_regions() : std::vector<std::size_t>();
  if (regions.size() < 3) {
    return std::nullopt;
  }
  const std::size_t near = regions[strength % regions.size()];
  const std::vector<std::uint32_t>& places = patient->region[near];
  const std::size_t far = *std::ranges::max_element(
      regions, {}, [&](std::size_t k) { return patient->bones.distance(k, patient->position(places.front())); });
  if (far == near) {
    return std::nullopt;
  }
  Edit edit(*patient);
  for (std::size_t i = 0; i < 3; ++i) {
    for (const std::uint32_t w : patient->round(places[(2 * i + 1) * places.size() / 6], kSize[strength])) {
      edit.change(w, [&](mesh::WeightRow& row) { give(row, far, kShare[strength]); });
    }
  }
  return edit.planted();
}

// A patch of a limb, or all of it, that follows the limb of the other side.
std::optional<PlantedFault> plant_wrong_side(const rig::Character& character, std::size_t strength) {
  constexpr std::array<double, kFaultStrengths> kShare = {0.35, 0.6, 1.0};
  constexpr std::array<std::size_t, kFaultStrengths> kSize = {8, 30, std::numeric_limits<std::size_t>::max()};
  const std::optional<Patient> patient = patient_of(character);
  if (!patient) {
    return std::nullopt;
  }
  const rig::Skin& skin = character.skins[patient->use.skin];
  const std::vector<int> mirrored = rig::mirrored_joints(*character.skeleton);
  std::optional<std::pair<std::size_t, std::size_t>> pair;
  double apart = 0;
  for (const std::size_t k : patient->largest_regions()) {
    const int partner = mirrored[skin.joints[k]];
    const auto at = std::ranges::find(skin.joints, partner);
    if (partner < 0 || partner == skin.joints[k] || at == skin.joints.end() ||
        !patient->has_region(at - skin.joints.begin())) {
      continue;
    }
    const std::size_t other = at - skin.joints.begin();
    // The first pair has the most places; another one counts where it stands twice as far apart.
    const double distance = glm::length(*patient->bones.heads[k] - *patient->bones.heads[other]);
    if (distance > 0.1 * patient->diagonal() && distance > 2 * apart) {
      pair = std::pair(k, other);
      apart = distance;
    }
  }
  if (!pair) {
    return std::nullopt;
  }
  const auto [k, other] = *pair;
  const std::vector<std::uint32_t>& places = patient->region[k];
  const std::uint32_t middle = *std::ranges::max_element(
      places, {}, [&](std::uint32_t w) { return glm::length(patient->position(w) - *patient->bones.heads[other]); });
  Edit edit(*patient);
  for (const std::uint32_t w : patient->round(middle, std::min(kSize[strength], patient->surface->place_count()))) {
    if (patient->heaviest[w] == static_cast<int>(k)) {
      edit.change(w, [&](mesh::WeightRow& row) {
        row.move(static_cast<std::uint16_t>(k), static_cast<std::uint16_t>(other), kShare[strength]);
      });
    }
  }
  return edit.planted();
}

/// Slots from a joint up to the top, itself first.
std::vector<std::size_t> chain_of(const Patient& patient, std::size_t k) {
  std::vector<std::size_t> out = {k};
  for (int up = patient.above(k); up >= 0; up = patient.above(up)) {
    out.push_back(static_cast<std::size_t>(up));
  }
  return out;
}

// All of a limb follows a joint at the body's root as well.
std::optional<PlantedFault> plant_far_joint(const rig::Character& character, std::size_t strength) {
  constexpr std::array<double, kFaultStrengths> kShare = {0.15, 0.35, 0.7};
  constexpr std::size_t kSteps = 3;  // joints between, both ends not counted
  const std::optional<Patient> patient = patient_of(character);
  if (!patient) {
    return std::nullopt;
  }
  for (const std::size_t k : patient->largest_regions()) {
    // The highest joint of the chain that has vertices of its own.
    std::vector<std::size_t> chain = chain_of(*patient, k);
    while (chain.size() > 1 && !patient->has_region(chain.back())) {
      chain.pop_back();
    }
    if (chain.size() < kSteps + 2) {
      continue;
    }
    const std::size_t root = chain.back();
    Edit edit(*patient);
    for (const std::uint32_t w : patient->region[k]) {
      edit.change(w, [&](mesh::WeightRow& row) { give(row, root, kShare[strength]); });
    }
    return edit.planted();
  }
  return std::nullopt;
}

// The falloff between two joints cut off.
std::optional<PlantedFault> plant_hard_edge(const rig::Character& character, std::size_t strength) {
  constexpr std::array<double, kFaultStrengths> kSharp = {0.9, 0.96, 1.0};
  const std::optional<Patient> patient = patient_of(character);
  if (!patient) {
    return std::nullopt;
  }
  // The joint whose falloff to the one above is the softest: the most places have some of both.
  std::optional<std::size_t> softest;
  std::size_t most = kFewPlaces;
  for (const std::size_t k : patient->largest_regions()) {
    const int up = patient->above(k);
    if (up < 0 || !patient->has_region(up)) {
      continue;
    }
    std::size_t count = 0;
    for (std::uint32_t w = 0; w < patient->surface->place_count(); ++w) {
      count += std::min(patient->weight(w, k), patient->weight(w, up)) > 0.1 ? 1U : 0U;
    }
    if (count > most) {
      most = count;
      softest = k;
    }
  }
  if (!softest) {
    return std::nullopt;
  }
  const auto k = static_cast<std::uint16_t>(*softest);
  const auto up = static_cast<std::uint16_t>(patient->above(k));
  Edit edit(*patient);
  std::vector<std::uint32_t> wrong;
  for (std::uint32_t w = 0; w < patient->surface->place_count(); ++w) {
    const double own = patient->weight(w, k);
    const double above = patient->weight(w, up);
    if (own <= 0 || above <= 0 || own + above < 0.5) {
      continue;
    }
    edit.change(w, [&](mesh::WeightRow& row) {
      own > above ? row.move(up, k, kSharp[strength]) : row.move(k, up, kSharp[strength]);
    });
    if (std::min(own, above) * kSharp[strength] > static_cast<double>(kChanged)) {
      const std::span<const std::uint32_t> copies = patient->surface->copies(w);
      wrong.insert(wrong.end(), copies.begin(), copies.end());
    }
  }
  return edit.planted(std::move(wrong));
}

// One side of a symmetric skin whose weights are others than those of the other side.
std::optional<PlantedFault> plant_asymmetry(const rig::Character& character, std::size_t strength) {
  constexpr std::array<double, kFaultStrengths> kShare = {0.2, 0.4, 0.9};
  const std::optional<Patient> patient = patient_of(character);
  if (!patient) {
    return std::nullopt;
  }
  const double tolerance = kMirrorTolerance * patient->diagonal();
  const std::optional<rig::SkinSides> sides = rig::skin_sides(character, patient->use.skin, 10 * tolerance);
  if (!sides) {
    return std::nullopt;
  }
  const std::vector<std::uint32_t> image = mesh::mirrored_places(*patient->surface, sides->plane, tolerance);
  if (10 * std::ranges::count_if(image, [](std::uint32_t w) { return w != mesh::kNoPlace; }) < 9 * std::ssize(image)) {
    return std::nullopt;
  }
  for (const std::size_t k : patient->largest_regions()) {
    const int up = patient->above(k);
    if (sides->partner[k] == k || up < 0) {
      continue;
    }
    Edit edit(*patient);
    std::vector<std::uint32_t> wrong;
    for (const std::uint32_t w : patient->region[k]) {
      if (image[w] == mesh::kNoPlace ||
          patient->weight(w, k) * kShare[strength] < 1.5 * static_cast<double>(kChanged)) {
        continue;
      }
      edit.change(w, [&](mesh::WeightRow& row) {
        row.move(static_cast<std::uint16_t>(k), static_cast<std::uint16_t>(up), kShare[strength]);
      });
      for (const std::uint32_t side : {w, image[w]}) {
        const std::span<const std::uint32_t> copies = patient->surface->copies(side);
        wrong.insert(wrong.end(), copies.begin(), copies.end());
      }
    }
    return edit.planted(std::move(wrong));
  }
  return std::nullopt;
}

// Copies of vertices at a seam whose weights differ.
std::optional<PlantedFault> plant_open_seam(const rig::Character& character, std::size_t strength) {
  constexpr std::array<double, kFaultStrengths> kShare = {0.1, 0.4, 1.0};
  constexpr std::array<std::size_t, kFaultStrengths> kCount = {1, 5, 20};
  const std::optional<Patient> patient = patient_of(character);
  if (!patient) {
    return std::nullopt;
  }
  std::vector<std::uint32_t> seams;
  for (std::uint32_t w = 0; w < patient->surface->place_count(); ++w) {
    if (patient->surface->copies(w).size() > 1 && patient->heaviest[w] >= 0 &&
        patient->above(patient->heaviest[w]) >= 0) {
      seams.push_back(w);
    }
  }
  if (seams.empty()) {
    return std::nullopt;
  }
  Edit edit(*patient);
  std::vector<std::uint32_t> wrong;
  const std::size_t count = std::min(kCount[strength], seams.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t w = seams[(2 * i + 1) * seams.size() / (2 * count)];
    const auto k = static_cast<std::uint16_t>(patient->heaviest[w]);
    const std::span<const std::uint32_t> copies = patient->surface->copies(w);
    edit.change_vertex(copies.back(), [&](mesh::WeightRow& row) {
      row.move(k, static_cast<std::uint16_t>(patient->above(k)), kShare[strength]);
    });
    wrong.insert(wrong.end(), copies.begin(), copies.end());
  }
  return edit.planted(std::move(wrong));
}

/// Whether the normals of all of a triangle's corners say that it is wound as it should be.
bool goes_with_normals(const mesh::Primitive& primitive, std::uint32_t t) {
  const std::uint32_t* const corner = primitive.indices.data() + 3 * std::size_t{t};
  const glm::dvec3 a(primitive.positions[corner[0]]);
  const glm::dvec3 across =
      glm::cross(glm::dvec3(primitive.positions[corner[1]]) - a, glm::dvec3(primitive.positions[corner[2]]) - a);
  return std::all_of(corner, corner + 3, [&](std::uint32_t v) {
    return glm::dot(across, glm::dvec3(primitive.normals[v])) > 0.5 * glm::length(across);
  });
}

// Triangles turned round: one, a patch, and all of a shell or, where the surface is one shell, half of it.
std::optional<PlantedFault> plant_winding(const rig::Character& character, std::size_t strength) {
  constexpr std::array<std::size_t, kFaultStrengths> kCount = {1, 60, std::numeric_limits<std::size_t>::max()};
  const std::optional<Patient> patient = patient_of(character);
  if (!patient) {
    return std::nullopt;
  }
  const std::vector<mesh::Primitive>::size_type none = std::numeric_limits<std::size_t>::max();
  const mesh::Mesh& mesh = character.meshes[static_cast<std::size_t>(patient->use.mesh)];
  std::size_t p = none;
  for (std::size_t i = 0; i < mesh.primitives.size(); ++i) {
    const mesh::Primitive& primitive = mesh.primitives[i];
    if (!primitive.normals.empty() && primitive.triangle_count() > 100 &&
        (p == none || primitive.triangle_count() > mesh.primitives[p].triangle_count())) {
      p = i;
    }
  }
  if (p == none) {
    return std::nullopt;
  }
  const mesh::Primitive& primitive = mesh.primitives[p];
  const std::vector<std::uint32_t> weld = mesh::weld_by_position(primitive.positions);
  const std::size_t triangles = primitive.triangle_count();
  std::vector<std::vector<std::uint32_t>> at(weld.size());  // triangles by welded vertex
  for (std::uint32_t i = 0; i < 3 * triangles; ++i) {
    at[weld[primitive.indices[i]]].push_back(i / 3);
  }
  // From the middle of the list on, over common vertices. The first one is clearly right as it is.
  std::uint32_t seed = static_cast<std::uint32_t>(triangles / 2);
  while (seed + 1 < triangles && !goes_with_normals(primitive, seed)) {
    ++seed;
  }
  std::vector<std::uint32_t> turned = {seed};
  std::vector<char> is_turned(triangles, 0);
  is_turned[turned.front()] = 1;
  for (std::size_t i = 0; i < turned.size(); ++i) {
    for (std::uint32_t c = 0; c < 3; ++c) {
      for (const std::uint32_t t : at[weld[primitive.indices[3 * turned[i] + c]]]) {
        if (is_turned[t] == 0 && turned.size() < kCount[strength]) {
          is_turned[t] = 1;
          turned.push_back(t);
        }
      }
    }
  }
  if (turned.size() == triangles) {
    turned.resize(triangles / 3);
  }
  PlantedFault out{character, patient->use.mesh, {}};
  mesh::Primitive& changed = out.character.meshes.edit(static_cast<std::size_t>(patient->use.mesh)).primitives.edit(p);
  changed.drop_cage();
  std::vector<std::uint32_t>& indices = changed.indices.edit();
  for (const std::uint32_t t : turned) {
    std::swap(indices[3 * t + 1], indices[3 * t + 2]);
    for (std::uint32_t c = 0; c < 3; ++c) {
      out.vertices.push_back(patient->surface->first[p] + indices[3 * t + c]);
    }
  }
  std::ranges::sort(out.vertices);
  out.vertices.erase(std::unique(out.vertices.begin(), out.vertices.end()), out.vertices.end());
  rig::finish(out.character);
  return out;
}

// One inverse bind matrix moved away.
std::optional<PlantedFault> plant_shifted_bind(const rig::Character& character, std::size_t strength) {
  constexpr std::array<double, kFaultStrengths> kShift = {0.01, 0.05, 0.2};  // of the diagonal
  const std::optional<Patient> patient = patient_of(character);
  if (!patient) {
    return std::nullopt;
  }
  const std::vector<std::size_t> regions = patient->largest_regions();
  const auto has_neighbors = [&](std::size_t k) { return patient->above(k) >= 0 && !patient->bones.tips[k].empty(); };
  const auto at = std::ranges::find_if(regions, has_neighbors);
  if (at == regions.end()) {
    return std::nullopt;
  }
  const std::size_t k = *at;
  PlantedFault out{character, patient->use.mesh, {}};
  glm::mat4& bind = out.character.skins.edit(static_cast<std::size_t>(patient->use.skin)).joint_from_mesh[k];
  const glm::dvec3 shift = kShift[strength] * patient->diagonal() * glm::normalize(glm::dvec3(1, 2, -1));
  bind = glm::mat4(glm::dmat4(bind) * glm::dmat4(glm::dvec4(1, 0, 0, 0), glm::dvec4(0, 1, 0, 0), glm::dvec4(0, 0, 1, 0),
                                                 glm::dvec4(shift, 1)));
  for (std::uint32_t w = 0; w < patient->surface->place_count(); ++w) {
    if (patient->weight(w, k) >= static_cast<double>(kChanged)) {
      const std::span<const std::uint32_t> copies = patient->surface->copies(w);
      out.vertices.insert(out.vertices.end(), copies.begin(), copies.end());
    }
  }
  std::ranges::sort(out.vertices);
  rig::finish(out.character);
  return out;
}

constexpr std::array<FaultKind, 8> kKinds = {{
    {"rogue-weight", "three patches of 1, 3, 8 places follow a joint at the other end by 0.2, 0.5, 1", plant_rogues},
    {"wrong-side-weight", "8, 30, all places of a limb follow its mirror image by 0.35, 0.6, 1", plant_wrong_side},
    {"far-joint-weight", "a limb follows the joint at the top of its chain by 0.15, 0.35, 0.7", plant_far_joint},
    {"hard-edge-weight", "0.9, 0.96, all of the falloff between two joints is cut off", plant_hard_edge},
    {"weight-asymmetry", "0.2, 0.4, 0.9 of a limb's weight went to the joint above, on one side", plant_asymmetry},
    {"open-seam", "one copy at 1, 5, 20 places of seams gave 0.1, 0.4, 1 of its weight to the joint above",
     plant_open_seam},
    {"winding", "1, 60, all triangles that hang together are turned round", plant_winding},
    {"inverse-bind-mismatch", "one inverse bind matrix is 0.01, 0.05, 0.2 of the diagonal off", plant_shifted_bind},
}};

}  // namespace

std::optional<rig::SkinnedMesh> largest_skin(const rig::Character& character) {
  std::optional<rig::SkinnedMesh> most;
  std::size_t vertices = 0;
  for (const rig::SkinnedMesh& use : rig::skinned_meshes(character)) {
    std::size_t count = 0;
    for (const mesh::Primitive& primitive : character.meshes[use.mesh].primitives) {
      count += primitive.influences->vertex_count();
    }
    if (count > vertices) {
      vertices = count;
      most = use;
    }
  }
  return most;
}

std::span<const FaultKind> fault_kinds() {
  return kKinds;
}

}  // namespace pelt::measure
