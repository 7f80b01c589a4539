// Edits of an older version of the file, carried over by the closest point of the surface that they were made on.
#include "edit/held_edits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/character_edits.h"
#include "edit/commands.h"
#include "edit/weight_area.h"
#include "mesh/weight_rows.h"
#include "mesh/weight_transfer.h"

namespace pelt::edit {
namespace {

constexpr std::uint32_t kNoVertex = std::numeric_limits<std::uint32_t>::max();
constexpr const char* kCarryMerge = "carry-over";

using Corners = std::span<const std::uint32_t>;

// The vertex normals that triangles give, unit; 0 where there is none.
std::vector<glm::dvec3> vertex_normals(std::span<const glm::vec3> positions, Corners corners) {
  std::vector<glm::dvec3> out(positions.size(), glm::dvec3(0));
  for (std::size_t k = 0; k + 2 < corners.size(); k += 3) {
    const glm::dvec3 a(positions[corners[k]]);
    const glm::dvec3 n =
        glm::cross(glm::dvec3(positions[corners[k + 1]]) - a, glm::dvec3(positions[corners[k + 2]]) - a);
    for (std::size_t c = 0; c < 3; ++c) {
      out[corners[k + c]] += n;
    }
  }
  for (glm::dvec3& n : out) {
    const double length = glm::length(n);
    n = length > 0 ? n / length : glm::dvec3(0);
  }
  return out;
}

using PlaceBits = std::array<std::uint32_t, 3>;
PlaceBits bits_of(const glm::vec3& p) {
  const glm::vec3 positive = p + glm::vec3(0.0f);  // -0 is where 0 is
  return {std::bit_cast<std::uint32_t>(positive.x), std::bit_cast<std::uint32_t>(positive.y),
          std::bit_cast<std::uint32_t>(positive.z)};
}

// The vertices of a surface by where they are.
class VerticesByPlace {
 public:
  explicit VerticesByPlace(const EditedSurface& surface)
      : normals_(vertex_normals(surface.positions, surface.corners)) {
    for (std::uint32_t v = 0; v < surface.positions.size(); ++v) {
      sorted_.emplace_back(bits_of(surface.positions[v]), v);
    }
    std::ranges::sort(sorted_);
  }
  // The one at the very place; of several the one whose normal is nearest, the first among equals. kNoVertex: none.
  [[nodiscard]] std::uint32_t at(const glm::vec3& position, const glm::dvec3& normal) const {
    constexpr double kRounding = 1e-9;  // sums of the same normals in another order
    const PlaceBits wanted = bits_of(position);
    std::uint32_t best = kNoVertex;
    double agreement = -2;
    for (auto one = std::ranges::lower_bound(sorted_, std::pair(wanted, 0u));
         one != sorted_.end() && one->first == wanted; ++one) {
      if (const double dot = glm::dot(normals_[one->second], normal); dot > agreement + kRounding) {
        agreement = dot;
        best = one->second;
      }
    }
    return best;
  }

 private:
  std::vector<glm::dvec3> normals_;
  std::vector<std::pair<PlaceBits, std::uint32_t>> sorted_;
};

// One mesh while edits of several surfaces are carried over to it. A vertex counts once, and the nearest surface gives
// it its row: where two meet, as a shirt and the body below it, the other one's vertices lie close by.
struct MeshTally {
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<char> is_looked_for;  // [V]
  std::vector<double> matched;      // [V] distance from the nearest surface on which it lies
  std::vector<double> taken;        // [V] distance from the surface that gave it a row
  std::vector<float> cut;           // [V] weight that the row lost for want of a place

  explicit MeshTally(std::size_t vertices)
      : is_looked_for(vertices, 0), matched(vertices, kNone), taken(vertices, kNone), cut(vertices, 0) {}
};

// Where the vertices of a mesh lie on an edited surface.
struct OnSurface {
  std::shared_ptr<const mesh::WeldedSurface> target;
  std::vector<char> is_target;      // [P] primitives whose vertices are looked for
  std::vector<std::uint32_t> same;  // [V] the surface's vertex at the very place, or kNoVertex
  mesh::Transfer closest;           // by place; means nothing where a vertex has the very place
  double diagonal = 0;

  template <typename F>  // f(primitive, vertex there, vertex of the mesh)
  void for_each(F f) const {
    for (std::size_t p = 0; p < is_target.size(); ++p) {
      for (std::uint32_t v = target->first[p]; is_target[p] != 0 && v < target->first[p + 1]; ++v) {
        f(p, v - target->first[p], v);
      }
    }
  }
  [[nodiscard]] bool is_matched(std::uint32_t v) const {
    const std::uint32_t w = target->place[v];
    return same[v] != kNoVertex || (closest.cause[w] == mesh::TransferCause::kMatched && !closest.rows[w].empty());
  }
  [[nodiscard]] double distance(std::uint32_t v) const {
    return same[v] != kNoVertex ? 0.0 : closest.distance[target->place[v]];
  }
  void note_in(MeshTally& tally) const {
    for_each([&](std::size_t, std::uint32_t, std::uint32_t v) {
      tally.is_looked_for[v] = 1;
      if (is_matched(v)) {
        tally.matched[v] = std::min(tally.matched[v], distance(v));
      }
    });
  }
};

mesh::TransferSurface transfer_surface(const EditedSurface& surface) {
  mesh::TransferSurface out;
  out.positions.assign(surface.positions.begin(), surface.positions.end());
  for (std::size_t k = 0; k + 2 < surface.corners.size(); k += 3) {
    const std::array<std::uint32_t, 3> t = {surface.corners[k], surface.corners[k + 1], surface.corners[k + 2]};
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) {
      out.triangles.push_back(t);
    }
  }
  return out;
}

mesh::TransferSurface transfer_surface(const mesh::WeldedSurface& surface) {
  mesh::TransferSurface out;
  for (std::uint32_t w = 0; w < surface.place_count(); ++w) {
    out.positions.emplace_back(surface.position(w));
  }
  for (std::size_t p = 0; p < surface.sources.size(); ++p) {
    const mesh::WeldedSurface::Source& source = surface.sources[p];
    for (std::size_t k = 0; source.topology == mesh::Topology::kTriangles && k + 2 < source.indices.size(); k += 3) {
      std::array<std::uint32_t, 3> t{};
      for (std::size_t c = 0; c < 3; ++c) {
        t[c] = surface.place[surface.first[p] + source.indices[k + c]];
      }
      if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) {
        out.triangles.push_back(t);
      }
    }
  }
  return out;
}

// @param rows  of the edited surface's vertices, none empty @param primitive  -1: all
OnSurface found_on(const EditedSurface& edited, const mesh::TransferRows& rows, const mesh::Mesh& mesh, int primitive) {
  OnSurface out;
  out.target = mesh::welded_surface(mesh);
  const mesh::WeldedSurface& target = *out.target;
  for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
    out.is_target.push_back(primitive < 0 || std::cmp_equal(p, primitive) ? 1 : 0);
  }
  out.same.assign(target.vertex_count(), kNoVertex);
  const VerticesByPlace by_place(edited);
  // Nobody looks for these.
  mesh::TransferRows fixed(target.place_count(), std::vector<mesh::WeightEntry>{{0, 1.0}});
  for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
    const mesh::Primitive& one = mesh.primitives[p];
    const Corners corners = one.topology == mesh::Topology::kTriangles ? Corners(one.indices.get()) : Corners();
    const std::vector<glm::dvec3> normals =
        out.is_target[p] != 0 ? vertex_normals(one.positions.get(), corners) : std::vector<glm::dvec3>();
    for (std::uint32_t v = 0; v < normals.size(); ++v) {
      const std::uint32_t in_mesh = target.first[p] + v;
      out.same[in_mesh] = by_place.at(one.positions[v], normals[v]);
      if (out.same[in_mesh] == kNoVertex) {
        fixed[target.place[in_mesh]].clear();
      }
    }
  }
  const mesh::TransferSurface to = transfer_surface(target);
  Bounds bounds;
  for (std::uint32_t w = 0; w < target.place_count(); ++w) {
    bounds.add(target.position(w));
  }
  out.diagonal = static_cast<double>(bounds.diagonal());
  out.closest =
      mesh::transferred_weights(transfer_surface(edited), rows, to, fixed,
                                {.distance = kHeldDistance * out.diagonal, .angle = kHeldAngle, .nearest = true});
  return out;
}

// Counts the edited vertices near which the mesh has nothing any more.
void count_beside(const EditedSurface& edited, std::span<const std::uint32_t> vertices, const OnSurface& found,
                  HeldTransfer& out) {
  out.edited += vertices.size();
  const mesh::TransferSurface now = transfer_surface(*found.target);
  if (now.triangles.empty()) {
    return;
  }
  mesh::TransferSurface places;
  for (const std::uint32_t v : vertices) {
    places.positions.emplace_back(edited.positions[v]);
  }
  const mesh::TransferRows rows(now.positions.size(), std::vector<mesh::WeightEntry>{{0, 1.0}});
  const mesh::Transfer closest = mesh::transferred_weights(now, rows, places, {}, {.nearest = true});
  for (const double distance : closest.distance) {
    if (distance > kGoneDistance * found.diagonal) {
      ++out.beside;
      out.farthest = std::max(out.farthest, distance);
    }
  }
}

HeldTransfer& of_mesh(std::vector<HeldTransfer>& transfers, int mesh) {
  const auto found = std::ranges::find(transfers, mesh, &HeldTransfer::mesh);
  if (found != transfers.end()) {
    return *found;
  }
  return transfers.emplace_back(HeldTransfer{.mesh = mesh});
}

// --- weights ---------------------------------------------------------------------------------------------------------

// The rows of the edited surface in the slots of a skin.
struct EditedRows {
  std::uint16_t own = 0;    // what stands for a vertex's own weights: no slot of the skin
  mesh::TransferRows rows;  // [V] of the surface; {own, 1} where nobody edited
  std::vector<float> sums;  // [V] stored sums
  std::size_t gone = 0;     // rows with joints that are none of the skin's
  [[nodiscard]] bool is_edited(std::uint32_t v) const { return rows[v].front().joint != own; }
};

EditedRows edited_rows_of(const HeldWeights& held, const std::vector<int>& listed) {
  EditedRows out;
  out.own = static_cast<std::uint16_t>(listed.size());
  out.rows.assign(held.surface->positions.size(), std::vector<mesh::WeightEntry>{{out.own, 1.0}});
  out.sums.assign(out.rows.size(), 1.0f);
  std::vector<int> slots;
  for (const int joint : held.joints) {
    const auto at = std::ranges::find(listed, joint);
    slots.push_back(joint < 0 || at == listed.end() ? -1 : static_cast<int>(at - listed.begin()));
  }
  for (std::size_t r = 0; r < held.vertices.size(); ++r) {
    std::vector<mesh::WeightEntry> row;
    bool is_whole = true;
    for (std::uint32_t k = held.rows.offset[r]; k < held.rows.offset[r + 1]; ++k) {
      const int slot = slots[held.rows.joint[k]];
      is_whole = is_whole && slot >= 0;
      row.push_back({static_cast<std::uint16_t>(std::max(slot, 0)), static_cast<double>(held.rows.weight[k])});
    }
    out.gone += is_whole ? 0 : 1;
    if (is_whole && !row.empty()) {
      out.rows[held.vertices[r]] = std::move(row);
      out.sums[held.vertices[r]] = held.rows.stored_sum[r];
    }
  }
  return out;
}

// Rows of weights while they are carried over.
class RowCarrier {
 public:
  RowCarrier(const OnSurface& found, const EditedRows& edited) : found_(found), edited_(edited) {}

  // The row of a vertex; `own` where nothing is carried over to it.
  mesh::InfluenceRow carried(std::uint32_t v, const mesh::InfluenceRow& own, std::size_t most) {
    row_.read(own);
    row_.set_most(most);
    takes_ = false;
    if (const std::uint32_t same = found_.same[v]; same != kNoVertex) {
      takes_ = edited_.is_edited(same);
      has_carried_ = has_carried_ || takes_;
      return takes_ ? whole(same, most) : own;
    }
    const std::uint32_t w = found_.target->place[v];
    const std::vector<mesh::WeightEntry>& closest = found_.closest.rows[w];
    const bool is_taken = found_.is_matched(v) || own.joints.empty();  // what has nothing takes what is nearest
    if (!is_taken || std::ranges::none_of(closest, [&](const auto& one) { return one.joint != edited_.own; })) {
      return own;
    }
    takes_ = has_carried_ = true;
    row_.towards(mixed(closest, own), 1);
    row_.prune(1e-4);
    row_.cut_to_most();
    return row_.stored();
  }
  [[nodiscard]] double lost() const { return row_.lost(); }
  // Tells whether the last vertex got a row that somebody had edited.
  [[nodiscard]] bool takes() const { return takes_; }
  // Tells whether any vertex got a row that somebody had edited.
  [[nodiscard]] bool has_carried() const { return has_carried_; }

 private:
  // The very row, bit for bit where it has no more influences than there may be.
  mesh::InfluenceRow whole(std::uint32_t from, std::size_t most) {
    std::vector<mesh::WeightEntry> row = edited_.rows[from];
    if (row.size() > most) {
      row_.towards(row, 1);
      row_.cut_to_most();
      return row_.stored();
    }
    std::ranges::sort(row, [](const mesh::WeightEntry& a, const mesh::WeightEntry& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
    });
    joints_.clear();
    weights_.clear();
    for (const mesh::WeightEntry& one : row) {
      joints_.push_back(one.joint);
      weights_.push_back(static_cast<float>(one.weight));
    }
    return {joints_, weights_, edited_.sums[from]};
  }
  // What of the closest row nobody edited is what the vertex has itself.
  [[nodiscard]] std::vector<mesh::WeightEntry> mixed(const std::vector<mesh::WeightEntry>& closest,
                                                     const mesh::InfluenceRow& own) const {
    std::vector<mesh::WeightEntry> out;
    const auto add = [&](std::uint16_t joint, double weight) {
      const auto at = std::ranges::find(out, joint, &mesh::WeightEntry::joint);
      if (at != out.end()) {
        at->weight += weight;
      } else {
        out.push_back({joint, weight});
      }
    };
    for (const mesh::WeightEntry& one : closest) {
      if (one.joint != edited_.own) {
        add(one.joint, one.weight);
        continue;
      }
      for (std::size_t k = 0; k < own.joints.size(); ++k) {
        add(own.joints[k], one.weight * static_cast<double>(own.weights[k]));
      }
    }
    return out;
  }

  const OnSurface& found_;
  const EditedRows& edited_;
  mesh::WeightRow row_;
  bool takes_ = false;
  bool has_carried_ = false;
  std::vector<std::uint16_t> joints_;
  std::vector<float> weights_;
};

// Rows of nothing for a primitive that has no weights yet, as a binder may have given it in the session.
void make_room_for_rows(mesh::Primitive& primitive, const HeldWeights& held) {
  mesh::Influences rows;
  rows.push_empty(primitive.vertex_count());
  std::uint32_t most = mesh::kInfluencesOfSet;
  for (std::size_t r = 0; r < held.vertices.size(); ++r) {
    most = std::max(most, held.rows.count(r));
  }
  rows.set_budget(most);
  primitive.influences = std::move(rows);
}

// @param original  the character before any of these edits @param tally  of the mesh
// @returns whether any vertex gets a row
bool carry_weights(const rig::Character& original, rig::Character& character, const HeldWeights& held, MeshTally& tally,
                   CarriedEdits& out) {
  const int skin = rig::first_skin_of(character, held.mesh);
  if (skin < 0 || character.skins[skin].joints.size() > std::numeric_limits<std::uint16_t>::max()) {
    return false;
  }
  const EditedRows edited = edited_rows_of(held, character.skins[skin].joints);
  const OnSurface found = found_on(*held.surface, edited.rows, character.meshes[held.mesh], held.primitive);
  HeldTransfer& told = of_mesh(out.transfers, held.mesh);
  found.note_in(tally);
  told.diagonal = found.diagonal;
  told.gone += edited.gone;
  count_beside(*held.surface, held.vertices, found, told);
  RowCarrier carrier(found, edited);
  for (std::size_t p = 0; p < found.is_target.size(); ++p) {
    if (found.is_target[p] == 0) {
      continue;
    }
    const bool is_new = character.meshes[held.mesh].primitives[p].influences->empty();
    if (is_new) {
      make_room_for_rows(character.meshes.edit(held.mesh).primitives.edit(p), held);
    }
    const mesh::Influences before = *character.meshes[held.mesh].primitives[p].influences;
    const mesh::Influences& file = original.meshes[held.mesh].primitives[p].influences;
    const mesh::Influences& own = file.empty() ? before : file;
    mesh::InfluencesPatch patch;
    for (std::uint32_t v = 0; v < before.vertex_count(); ++v) {
      const std::uint32_t in_mesh = found.target->first[p] + v;
      const mesh::InfluenceRow now = carrier.carried(in_mesh, own.row(v), own.most(v));
      if (!carrier.takes() || found.distance(in_mesh) > tally.taken[in_mesh]) {
        continue;
      }
      tally.taken[in_mesh] = found.distance(in_mesh);
      tally.cut[in_mesh] = static_cast<float>(carrier.lost());
      if (!mesh::same_row(before.row(v), now)) {
        mesh::push_row(patch, v, now);
      }
    }
    if (!patch.empty()) {
      character.meshes.edit(held.mesh).primitives.edit(p).influences = mesh::patched(before, patch);
    }
  }
  return carrier.has_carried();
}

// --- selections ------------------------------------------------------------------------------------------------------

// @returns whether any vertex is selected
bool carry_selection(const rig::Character& character, const HeldSelection& held, const NamedSelections& selections,
                     bool is_counted, MeshTally& tally, CarriedEdits& out) {
  constexpr std::uint16_t kSelected = 1;
  constexpr double kHalf = 0.5;
  const int mesh = character.mesh_nodes[held.mesh_node].mesh;
  mesh::TransferRows rows(held.surface->positions.size(), std::vector<mesh::WeightEntry>{{0, 1.0}});
  for (const std::uint32_t v : held.vertices) {
    rows[v] = {{kSelected, 1.0}};
  }
  const OnSurface found = found_on(*held.surface, rows, character.meshes[mesh], held.primitive);
  HeldTransfer& told = of_mesh(out.transfers, mesh);
  told.diagonal = found.diagonal;
  found.note_in(tally);
  if (!is_counted) {
    count_beside(*held.surface, held.vertices, found, told);
  }
  NodeVertices selected{held.mesh_node, held.primitive, {}};
  found.for_each([&](std::size_t, std::uint32_t v, std::uint32_t in_mesh) {
    const std::uint32_t same = found.same[in_mesh];
    const std::vector<mesh::WeightEntry>& row =
        same != kNoVertex ? rows[same] : found.closest.rows[found.target->place[in_mesh]];
    const auto at = std::ranges::find(row, kSelected, &mesh::WeightEntry::joint);
    if (found.is_matched(in_mesh) && at != row.end() && at->weight >= kHalf) {
      selected.vertices.push_back(v);
    }
  });
  if (selected.vertices.empty()) {
    return false;
  }
  const auto before = selections.find(held.name);
  auto [now, is_new] = out.selections.try_emplace(held.name);
  if (is_new && before != selections.end()) {
    now->second = before->second;
  }
  NamedVertices& vertices = now->second.vertices;
  std::erase_if(vertices, [&](const NodeVertices& one) {
    return one.mesh_node == selected.mesh_node && one.primitive == selected.primitive;
  });
  vertices.push_back(std::move(selected));
  std::ranges::sort(vertices, {}, [](const NodeVertices& one) { return std::pair(one.mesh_node, one.primitive); });
  return true;
}

// Whether the character has what the edits are of: it is the one that the session was opened with.
bool has_all_of(const rig::Character& character, const HeldEdits& held) {
  const auto has = [&](int mesh, int primitive) {
    return has_index(character.meshes, mesh) &&
           (primitive < 0 || has_index(character.meshes[static_cast<std::size_t>(mesh)].primitives, primitive));
  };
  return std::ranges::all_of(held.weights, [&](const HeldWeights& one) { return has(one.mesh, one.primitive); }) &&
         std::ranges::all_of(held.selections, [&](const HeldSelection& one) {
           return has_index(character.mesh_nodes, one.mesh_node) && one.primitive >= 0 &&
                  has(character.mesh_nodes[static_cast<std::size_t>(one.mesh_node)].mesh, one.primitive);
         });
}

std::string mesh_in_quotes(const rig::Character& character, int mesh) {
  return fmt::format("\"{}\"", printable(mesh_name(character, mesh)));
}

// What came of a mesh when all edits have been carried over to it.
void sum_up(const mesh::Mesh& before, const mesh::Mesh& after, const MeshTally& tally, HeldTransfer& out) {
  for (std::size_t v = 0; v < tally.matched.size(); ++v) {
    out.vertices += tally.is_looked_for[v] != 0 ? 1U : 0U;
    if (tally.matched[v] < MeshTally::kNone) {
      ++out.matched;
      out.largest = std::max(out.largest, tally.matched[v]);
    }
    if (static_cast<double>(tally.cut[v]) > mesh::kLeastCut) {
      ++out.cut;
      out.largest_cut = std::max(out.largest_cut, static_cast<double>(tally.cut[v]));
    }
  }
  for (std::size_t p = 0; p < before.primitives.size(); ++p) {
    const mesh::Influences& was = before.primitives[p].influences;
    const mesh::Influences& now = after.primitives[p].influences;
    if (was.empty()) {
      for (std::size_t v = 0; v < now.vertex_count(); ++v) {
        out.changed += now.count(v) > 0 ? 1U : 0U;
      }
    } else {
      mesh::for_changed_rows(was, now, [&](std::size_t) { ++out.changed; });
    }
  }
}

}  // namespace

CarriedEdits carried_edits(const rig::Character& character, const NamedSelections& selections, const HeldEdits& held) {
  CarriedEdits out;
  auto after = std::make_shared<rig::Character>(character);
  std::set<std::pair<int, int>> counted;  // mesh, primitive
  std::map<int, MeshTally> tallies;
  const auto tally_of = [&](int mesh) -> MeshTally& {
    return tallies.try_emplace(mesh, mesh::first_vertices(character.meshes[mesh]).back()).first->second;
  };
  for (const HeldWeights& one : held.weights) {
    out.takes_weights.push_back(carry_weights(character, *after, one, tally_of(one.mesh), out) ? 1 : 0);
    counted.emplace(one.mesh, one.primitive);
  }
  for (const HeldSelection& one : held.selections) {
    const int mesh = character.mesh_nodes[one.mesh_node].mesh;
    const bool is_counted = counted.contains({mesh, -1}) || !counted.emplace(mesh, one.primitive).second;
    out.takes_selections.push_back(carry_selection(character, one, selections, is_counted, tally_of(mesh), out) ? 1
                                                                                                                : 0);
  }
  for (HeldTransfer& transfer : out.transfers) {
    sum_up(character.meshes[transfer.mesh], after->meshes[transfer.mesh], tally_of(transfer.mesh), transfer);
  }
  const bool is_changed =
      std::ranges::any_of(out.transfers, [](const HeldTransfer& transfer) { return transfer.changed > 0; });
  out.character = is_changed ? std::move(after) : nullptr;
  return out;
}

std::string sentence(const HeldEdits& held, const rig::Character& character) {
  std::map<int, std::vector<std::string>> by_mesh;
  std::map<int, std::size_t> edited;
  for (const HeldWeights& one : held.weights) {
    edited[one.mesh] += one.vertices.size();
  }
  for (const auto& [mesh, count] : edited) {
    by_mesh[mesh].push_back(fmt::format("weights of {} {}", count, count == 1 ? "vertex" : "vertices"));
  }
  for (const HeldSelection& one : held.selections) {
    const int mesh = character.mesh_nodes[one.mesh_node].mesh;
    const std::string phrase = fmt::format("the selection \"{}\"", printable(one.name));
    if (std::vector<std::string>& phrases = by_mesh[mesh]; std::ranges::find(phrases, phrase) == phrases.end()) {
      phrases.push_back(phrase);
    }
  }
  std::string text;
  for (const auto& [mesh, phrases] : by_mesh) {
    text += fmt::format("{}{} {} of mesh {} {} of another version of the file: {}", text.empty() ? "" : "; ",
                        phrases.size(), phrases.size() == 1 ? "edit" : "edits", mesh_in_quotes(character, mesh),
                        phrases.size() == 1 ? "is" : "are", fmt::join(phrases, ", "));
  }
  return text;
}

std::string sentence(const HeldTransfer& transfer, const rig::Character& character) {
  std::string text =
      fmt::format("{}: {} of {} {} matched, at most {:.3g} m ({:.2g} % of the diagonal) away; {} changed",
                  printable(mesh_name(character, transfer.mesh)), transfer.matched, transfer.vertices,
                  transfer.vertices == 1 ? "vertex" : "vertices", transfer.largest,
                  transfer.diagonal > 0 ? 100 * transfer.largest / transfer.diagonal : 0.0, transfer.changed);
  if (transfer.matched < transfer.vertices) {
    const std::size_t others = transfer.vertices - transfer.matched;
    text += fmt::format("; {} without a match {} what the file gives", others, others == 1 ? "keeps" : "keep");
  }
  if (transfer.beside > 0) {
    text += fmt::format("; the mesh has nothing now at {} of {} edited vertices, the farthest {:.3g} m away",
                        transfer.beside, transfer.edited, transfer.farthest);
  }
  if (transfer.gone > 0) {
    text += fmt::format("; {} edited {} joints that are gone and {} left out", transfer.gone,
                        transfer.gone == 1 ? "vertex follows" : "vertices follow", transfer.gone == 1 ? "is" : "are");
  }
  if (transfer.cut > 0) {
    text += fmt::format("; {} lost influences for which there is no place, {:.3g} of the weight at most", transfer.cut,
                        transfer.largest_cut);
  }
  return text;
}

namespace {

// The phrases about edits of which each found a place.
std::set<std::string> placed_phrases(const HeldEdits& held, const CarriedEdits& carried) {
  std::set<std::string> placed;
  std::set<std::string> others;
  for (std::size_t k = 0; k < held.weights.size(); ++k) {
    (carried.takes_weights[k] != 0 ? placed : others).insert(held.weights[k].lost);
  }
  for (std::size_t k = 0; k < held.selections.size(); ++k) {
    (carried.takes_selections[k] != 0 ? placed : others).insert(held.selections[k].lost);
  }
  std::erase_if(placed, [&](const std::string& phrase) { return others.contains(phrase); });
  return placed;
}

// What of the edits of one mesh found no place, one phrase each.
void add_lost(const HeldTransfer& transfer, const std::string& mesh, std::vector<std::string>& out) {
  const auto vertices = [](std::size_t count) { return counted(count, "vertex", "vertices"); };
  if (transfer.gone > 0) {
    out.push_back(fmt::format("weights of {} of {}: joints that are gone", vertices(transfer.gone), mesh));
  }
  if (transfer.beside > 0) {
    out.push_back(fmt::format("edits of {} of {}: the mesh has nothing there now", vertices(transfer.beside), mesh));
  }
}

}  // namespace

Result<std::string> carry_over_held(Document& document, bool undoable) {
  const std::shared_ptr<const HeldEdits> held = document.origin.held;
  const rig::Character& character = *own_character(document);
  if (held == nullptr || held->empty() || !has_all_of(character, *held)) {
    return error("the session holds no edits of another version of its character's file");
  }
  CarriedEdits carried = carried_edits(character, *document.content.selections, *held);
  std::string text;
  std::size_t matched = 0;
  std::vector<std::string> still_lost;
  for (const HeldTransfer& transfer : carried.transfers) {
    matched += transfer.matched;
    text += (text.empty() ? "" : "; ") + sentence(transfer, character);
    add_lost(transfer, printable(mesh_name(character, transfer.mesh)), still_lost);
  }
  if (std::ranges::count(carried.takes_weights, 1) + std::ranges::count(carried.takes_selections, 1) == 0) {
    return error("no vertex lies near {}, so that nothing is carried over",
                 matched == 0 ? "the surface that was edited" : "the vertices that were edited");
  }
  end_merge(document);
  if (carried.character != nullptr) {
    apply(document,
          {ReplaceCharacter{std::move(carried.character), {}, "Carry over edits by position"}, kCarryMerge, undoable});
  }
  for (auto& [name, selection] : carried.selections) {
    apply(document, {NameSelection{name, std::move(selection)}, kCarryMerge, undoable});
  }
  end_merge(document);
  std::vector<std::string>& lost = document.origin.lost;
  const std::set<std::string> placed = placed_phrases(*held, carried);
  std::erase_if(lost, [&](const std::string& phrase) { return placed.contains(phrase); });
  lost.insert(lost.end(), still_lost.begin(), still_lost.end());
  document.origin.held = nullptr;
  return text;
}

}  // namespace pelt::edit
