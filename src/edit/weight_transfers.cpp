// Weights from another character by the closest surface, both as they are bound; and from those round a place.
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numbers>

#include "edit/weight_foresight.h"
#include "edit/weight_tool_run.h"
#include "math/transform.h"
#include "mesh/weight_transfer.h"
#include "rig/joint_matching.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

// Where a mesh is while it is bound, carried rigidly by the uppermost joint of its skin to where that is at rest: files
// differ in units and in how their meshes hang, and agree in the world.
glm::dmat4 world_from_bound(const rig::Character& character, const rig::Skin& skin) {
  std::vector<glm::dmat4> local;
  for (const Transform& rest : character.skeleton->rest) {
    local.emplace_back(to_matrix(rest));
  }
  std::vector<glm::dmat4> world(local.size());
  rig::local_to_world<double>(character.skeleton->parent, local, world);
  const auto top = std::ranges::min_element(skin.joints) - skin.joints.begin();
  return world[skin.joints[top]] * glm::dmat4(skin.joint_from_mesh[top]);
}

// The places of a mesh and its triangles, put in the world.
void add_places(const mesh::WeldedSurface& surface, const glm::dmat4& world, mesh::TransferSurface& out) {
  const auto first = static_cast<std::uint32_t>(out.positions.size());
  for (std::size_t w = 0; w < surface.place_count(); ++w) {
    out.positions.emplace_back(world * glm::dvec4(surface.position(w), 1));
  }
  for (std::size_t p = 0; p < surface.sources.size(); ++p) {
    const mesh::WeldedSurface::Source& source = surface.sources[p];
    for (std::size_t k = 0; source.topology == mesh::Topology::kTriangles && k + 2 < source.indices.size(); k += 3) {
      std::array<std::uint32_t, 3> corners{};
      for (std::size_t c = 0; c < 3; ++c) {
        corners[c] = first + surface.place[surface.first[p] + source.indices[k + c]];
      }
      if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0]) {
        out.triangles.push_back(corners);
      }
    }
  }
}

// For each joint of the source its partner, or that of the nearest joint above it; -1: none.
std::vector<int> partners_of(const rig::Character& source, std::span<const rig::JointMatch> matches) {
  std::vector<int> out;
  for (std::size_t j = 0; j < matches.size(); ++j) {
    const int parent = source.skeleton->parent[j];
    out.push_back(matches[j].joint >= 0 ? matches[j].joint : parent >= 0 ? out[parent] : -1);
  }
  return out;
}

// A row with the target's slots, from the source's; what has no partner in the skin is left out.
std::vector<mesh::WeightEntry> row_in_slots(const mesh::InfluenceRow& row, std::span<const int> slot) {
  std::vector<mesh::WeightEntry> out;
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    const int to = slot[row.joints[k]];
    const auto at = std::ranges::find(out, to, &mesh::WeightEntry::joint);
    if (to >= 0 && at != out.end()) {
      at->weight += static_cast<double>(row.weights[k]);
    } else if (to >= 0) {
      out.push_back({static_cast<std::uint16_t>(to), static_cast<double>(row.weights[k])});
    }
  }
  return out;
}

// The slot of each joint of the target's skeleton, or of the nearest joint above it that has one; -1: none.
std::vector<int> slots_by_joint(const rig::Character& target, const rig::Skin& skin) {
  std::vector<int> out(target.skeleton->parent.size(), -1);
  for (std::size_t slot = skin.joints.size(); slot-- > 0;) {
    out[skin.joints[slot]] = static_cast<int>(slot);
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    const int parent = target.skeleton->parent[j];
    out[j] = out[j] < 0 && parent >= 0 ? out[parent] : out[j];
  }
  return out;
}

void add_source(const rig::Character& source, const rig::MeshNode& node, std::span<const int> target_slot,
                mesh::TransferSurface& out, mesh::TransferRows& rows) {
  const rig::Skin& skin = source.skins[node.skin];
  const auto surface = mesh::welded_surface(source.meshes[node.mesh]);
  const std::vector<const mesh::Influences*> influences = influences_of(source.meshes[node.mesh]);
  std::vector<int> slot;
  for (const int joint : skin.joints) {
    slot.push_back(target_slot[joint]);
  }
  add_places(*surface, world_from_bound(source, skin), out);
  for (std::uint32_t w = 0; w < surface->place_count(); ++w) {
    rows.push_back(row_in_slots(mesh::row_at(*surface, influences, w), slot));
  }
}

double span_of(std::span<const glm::dvec3> positions) {
  glm::dvec3 lower(std::numeric_limits<double>::max());
  glm::dvec3 upper(std::numeric_limits<double>::lowest());
  for (const glm::dvec3& p : positions) {
    lower = glm::min(lower, p);
    upper = glm::max(upper, p);
  }
  return positions.empty() ? 0 : glm::length(upper - lower);
}

// What it found of the places that were asked for.
TransferMatch match_of(const WeightToolRun& run, const mesh::Transfer& transfer) {
  TransferMatch out;
  out.places = run.area.places.size();
  for (const std::uint32_t w : run.area.places) {
    if (transfer.cause[w] == mesh::TransferCause::kMatched) {
      continue;
    }
    ++(transfer.rows[w].empty()                               ? out.kept
       : transfer.cause[w] == mesh::TransferCause::kInpainted ? out.inpainted
                                                              : out.nearest);
    out.unmatched.insert(out.unmatched.end(), run.surface->copies(w).begin(), run.surface->copies(w).end());
  }
  std::ranges::sort(out.unmatched);
  return out;
}

// [W] What was not chosen stays, and holds what has no match; empty rows for the rest.
mesh::TransferRows rows_outside(const WeightToolRun& run) {
  mesh::TransferRows out(run.surface->place_count());
  for (std::uint32_t w = 0; w < out.size() && !run.is_whole(); ++w) {
    if (!std::ranges::binary_search(run.area.places, w)) {
      const mesh::InfluenceRow row = mesh::row_at(*run.surface, run.influences, w);
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        out[w].push_back({row.joints[k], static_cast<double>(row.weights[k])});
      }
    }
  }
  return out;
}

std::vector<mesh::InfluencesPatch> with_rows(const WeightToolRun& run, const mesh::TransferRows& rows) {
  return edited_rows(run, mesh::Copies::kTogether, [&](std::size_t t, mesh::WeightRow& row) {
    row.towards(rows[run.area.places[t]], 1);
    row.prune(1e-4);
  });
}

}  // namespace

std::vector<JointPartner> joint_partners(const rig::Character& source, const rig::Character& target) {
  const std::vector<rig::JointMatch> matches = rig::match_joints(rig::named_joints(source), target);
  const std::vector<int> partner = partners_of(source, matches);
  std::vector<JointPartner> out;
  for (const rig::Skin& skin : source.skins) {
    for (const int joint : skin.joints) {
      out.push_back({joint, partner[joint], matches[joint].joint >= 0});
    }
  }
  std::ranges::sort(out, {}, &JointPartner::from);
  const auto repeated = std::ranges::unique(out, {}, &JointPartner::from);
  out.erase(repeated.begin(), repeated.end());
  return out;
}

std::string refuses_source(const WeightToolRun& run) {
  const rig::Character& source = *run.change.source;
  const bool has_weights = std::ranges::any_of(source.mesh_nodes, [&](const rig::MeshNode& node) {
    return node.skin >= 0 && std::ranges::any_of(source.meshes[node.mesh].primitives, [](const auto& primitive) {
             return primitive.influences->vertex_count() > 0;
           });
  });
  return has_weights ? "" : "the other character has no weights";
}

std::vector<mesh::InfluencesPatch> transferred(const WeightToolRun& run) {
  const rig::Character& source = *run.change.source;
  const rig::Skin& skin = run.character.skins[run.skin];
  const std::vector<int> partner = partners_of(source, rig::match_joints(rig::named_joints(source), run.character));
  const std::vector<int> slot_of_joint = slots_by_joint(run.character, skin);
  std::vector<int> slot;  // by joint of the source
  for (const int joint : partner) {
    slot.push_back(joint < 0 ? -1 : slot_of_joint[joint]);
  }
  mesh::TransferSurface from;
  mesh::TransferRows rows;
  std::vector<int> done;
  for (const rig::MeshNode& node : source.mesh_nodes) {
    if (node.skin >= 0 && std::ranges::find(done, node.mesh) == done.end()) {
      done.push_back(node.mesh);
      add_source(source, node, slot, from, rows);
    }
  }
  mesh::TransferSurface to;
  add_places(*run.surface, world_from_bound(run.character, skin), to);
  const mesh::Transfer transfer = mesh::transferred_weights(from, rows, to, rows_outside(run),
                                                            {.distance = run.values[0] * span_of(to.positions),
                                                             .angle = run.values[1] * std::numbers::pi / 180,
                                                             .nearest = run.values[2] > 0.5},
                                                            run.progress);
  if (!report(run.progress, 1, "Weights")) {
    return std::vector<mesh::InfluencesPatch>(run.own_mesh().primitives.size());
  }
  if (run.out_match != nullptr) {
    *run.out_match = match_of(run, transfer);
  }
  return with_rows(run, transfer.rows);
}

std::vector<mesh::InfluencesPatch> inpainted(const WeightToolRun& run) {
  mesh::TransferSurface to;
  add_places(*run.surface, glm::dmat4(1), to);
  mesh::TransferRows rows = mesh::transferred_weights({}, {}, to, rows_outside(run), {}, run.progress).rows;
  // A shell that was chosen whole has nothing round it: it goes with what it lies on.
  const auto has_row = [&](std::uint32_t w) { return !rows[w].empty(); };
  if (std::ranges::any_of(run.area.places, std::not_fn(has_row))) {
    mesh::TransferSurface known = to;
    std::erase_if(known.triangles, [&](const auto& corners) { return !std::ranges::all_of(corners, has_row); });
    rows = mesh::transferred_weights(known, rows, to, rows, {.nearest = true}, run.progress).rows;
  }
  return with_rows(run, rows);
}

}  // namespace pelt::edit
