#include "edit/weight_repairs.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/index.h"
#include "rig/skeleton.h"

namespace pelt::edit {
namespace {

// Code of the finding, id of the tool.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kRepairs = {{
    {"weight-sum", "normalise"},
    {"weight-integer-sum", "normalise"},
    {"many-influences", "limit"},
    {"rogue-weight", "rogues"},
    {"weight-asymmetry", "mirror"},
    {"open-seam", "weld"},
    {"weight-zero", "hammer"},
    {"neutral-bone", "hammer"},
    {"wrong-side-weight", "replace"},
    {"far-joint-weight", "set"},  // to 0
    {"hard-edge-weight", "inpaint"},
}};

// A mend may bring about what another one mends: a seam, where only some of the vertices at a place were named.
constexpr int kMostRounds = 4;

// Of the finding's skin, -1 where it does not say.
int joint_at(const rig::Character& character, const rig::LintPlace& place) {
  if (!has_index(character.skins, place.skin)) {
    return -1;
  }
  const std::vector<int>& joints = character.skins[static_cast<std::size_t>(place.skin)].joints;
  return has_index(joints, place.joint) ? joints[static_cast<std::size_t>(place.joint)] : -1;
}

// Gives the repair the joints of its finding. Tells whether it has all that its tool needs.
bool give_joints(UseWeightTool& repair, const rig::Character& character, const rig::Finding& finding) {
  if (finding.code != "rogue-weight" && finding.code != "wrong-side-weight" && finding.code != "far-joint-weight") {
    return true;
  }
  const int joint = joint_at(character, finding.place);
  if (joint < 0) {
    return false;
  }
  repair.joints = {joint};
  if (finding.code == "far-joint-weight") {
    repair.values = {0};
  }
  if (finding.code == "wrong-side-weight") {
    const int partner = rig::mirrored_joints(*character.skeleton)[static_cast<std::size_t>(joint)];
    repair.joints.push_back(partner);
    return partner >= 0 && partner != joint;
  }
  return true;
}

// The row of a repair that was made.
WeightRepair carried_out(const rig::Character& before, const rig::Character& after, const rig::Finding& finding,
                         const UseWeightTool& repair) {
  WeightRepair out{.finding = finding,
                   .tool = repair.tool,
                   .difference = weight_difference(before, after, repair.mesh),
                   .named = repair.vertices.size()};
  const mesh::Mesh& was = before.meshes[static_cast<std::size_t>(repair.mesh)];
  const mesh::Mesh& now = after.meshes[static_cast<std::size_t>(repair.mesh)];
  const std::vector<std::uint32_t> first = mesh::first_vertices(now);
  for (std::size_t p = 0; p < now.primitives.size(); ++p) {
    mesh::for_changed_rows(*was.primitives[p].influences, *now.primitives[p].influences, [&](std::size_t v) {
      const std::uint32_t in_mesh = first[p] + static_cast<std::uint32_t>(v);
      out.beyond += std::ranges::binary_search(repair.vertices, in_mesh) ? 0U : 1U;
    });
  }
  return out;
}

// Mends one finding. @param character  becomes the mended one
WeightRepair mend(std::shared_ptr<const rig::Character>& character, const rig::Finding& finding) {
  const std::optional<UseWeightTool> repair = repair_of(*character, finding);
  if (!repair) {
    return {.finding = finding, .tool = {}, .why = "none of its vertices is so any more, or its joints are not there"};
  }
  WeightRepair row{.finding = finding, .tool = repair->tool, .named = repair->vertices.size()};
  const auto after = with_weight_tool(*character, *repair);
  if (!after) {
    row.why = after.error().message;
  } else if (*after == nullptr) {
    row.why = "the tool leaves each of its vertices as it is";
  } else {
    row = carried_out(*character, **after, finding, *repair);
    character = *after;
  }
  return row;
}

// How many vertices findings of the same kind name.
std::size_t vertices_left(const rig::Character& character, const rig::Findings& findings, const rig::Finding& of) {
  std::size_t count = 0;
  for (const rig::Finding& finding : findings) {
    const rig::LintPlace& place = finding.place;
    if (finding.code == of.code && place.mesh == of.place.mesh && place.skin == of.place.skin &&
        place.joint == of.place.joint) {
      count += found_vertices(character, finding).size();
    }
  }
  return count;
}

}  // namespace

std::vector<std::uint32_t> found_vertices(const rig::Character& character, const rig::Finding& finding) {
  if (!has_index(character.meshes, finding.place.mesh)) {
    return {};
  }
  if (auto so = rig::vertices_still_so(character, finding.code, finding.place)) {
    return *std::move(so);
  }
  std::vector<std::uint32_t> found = finding.mesh_vertices;
  const std::uint32_t count =
      mesh::first_vertices(character.meshes[static_cast<std::size_t>(finding.place.mesh)]).back();
  std::erase_if(found, [&](std::uint32_t v) { return v >= count; });
  return found;
}

std::vector<std::uint32_t> listed_vertices(const rig::Character& character, const rig::LintPlace& place) {
  if (!has_index(character.meshes, place.mesh) ||
      !has_index(character.meshes[static_cast<std::size_t>(place.mesh)].primitives, place.primitive)) {
    return {};
  }
  const std::vector<std::uint32_t> first = mesh::first_vertices(character.meshes[static_cast<std::size_t>(place.mesh)]);
  const auto primitive = static_cast<std::size_t>(place.primitive);
  std::vector<std::uint32_t> listed;
  for (const std::uint32_t v : place.vertices) {
    if (v < first[primitive + 1] - first[primitive]) {
      listed.push_back(first[primitive] + v);
    }
  }
  return listed;
}

VertexSelection selection_of(const rig::Character& character, int mesh, std::span<const std::uint32_t> mesh_vertices) {
  VertexSelection out;
  if (!has_index(character.meshes, mesh)) {
    return out;
  }
  const std::vector<std::uint32_t> first = mesh::first_vertices(character.meshes[static_cast<std::size_t>(mesh)]);
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    if (character.parts[p].mesh != mesh) {
      continue;
    }
    PartVertices of_part{.part = static_cast<int>(p), .vertices = {}};
    const auto primitive = static_cast<std::size_t>(character.parts[p].primitive);
    for (const std::uint32_t v : mesh_vertices) {
      if (v >= first[primitive] && v < first[primitive + 1]) {
        of_part.vertices.push_back(v - first[primitive]);
      }
    }
    if (!of_part.vertices.empty()) {
      std::ranges::sort(of_part.vertices);
      out.push_back(std::move(of_part));
    }
  }
  return out;
}

std::optional<UseWeightTool> repair_of(const rig::Character& character, const rig::Finding& finding) {
  const auto at = std::ranges::find(kRepairs, std::string_view(finding.code), &decltype(kRepairs)::value_type::first);
  if (at == kRepairs.end()) {
    return std::nullopt;
  }
  UseWeightTool repair{.tool = std::string(at->second), .mesh = finding.place.mesh, .only_chosen = true};
  repair.vertices = SharedArray<std::uint32_t>(found_vertices(character, finding));
  return !repair.vertices.empty() && give_joints(repair, character, finding) ? std::optional(std::move(repair))
                                                                             : std::nullopt;
}

std::vector<std::string_view> repairable_codes() {
  std::vector<std::string_view> out;
  for (const auto& [code, tool] : kRepairs) {
    out.push_back(code);
  }
  return out;
}

std::string sentence(const WeightRepair& repair) {
  if (!repair.why.empty()) {
    return fmt::format("nothing changes: {}", repair.why);
  }
  const WeightDifference& difference = repair.difference;
  return fmt::format(
      "{} of the {} {} named and {} beyond, by {:.3g} of the weight at most and {:.3g} on average; {} left",
      difference.vertices - repair.beyond, repair.named, repair.named == 1 ? "vertex" : "vertices",
      repair.beyond == 0 ? "none" : fmt::format("{}", repair.beyond), difference.largest, difference.mean,
      repair.left == 0 ? "none" : fmt::format("{}", repair.left));
}

Result<std::pair<std::shared_ptr<const rig::Character>, std::vector<WeightRepair>>> with_repaired_weights(
    std::shared_ptr<const rig::Character> character, std::span<const std::string> codes) {
  const std::vector<std::string_view> repairable = repairable_codes();
  const auto is_meant = [&](const rig::Finding& finding) {
    return codes.empty() ? std::ranges::find(repairable, finding.code) != repairable.end()
                         : std::ranges::find(codes, finding.code) != codes.end();
  };
  std::vector<WeightRepair> done;
  PELT_TRY_TO(rig::Findings findings, rig::lint(*character));
  bool changed = true;
  for (int round = 0; round < kMostRounds && changed; ++round) {
    changed = false;
    for (const rig::Finding& finding : findings) {
      if (!is_meant(finding)) {
        continue;
      }
      WeightRepair row = mend(character, finding);
      changed = changed || row.why.empty();
      // Failures are told once, in the first round.
      if (row.why.empty() || round == 0) {
        done.push_back(std::move(row));
      }
    }
    if (changed) {
      PELT_TRY_TO(findings, rig::lint(*character));
    }
  }
  for (WeightRepair& row : done) {
    row.left = vertices_left(*character, findings, row.finding);
  }
  return std::pair{std::move(character), std::move(done)};
}

}  // namespace pelt::edit
