#include "edit/weight_repairs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/index.h"
#include "rig/skeleton.h"

namespace pelt::edit {
namespace {

// Code of the finding, id of the tool.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kRepairs = {{
    {"weight-sum", "normalise"},
    {"weight-integer-sum", "normalise"},
    {"many-influences", "limit"},
    {"rogue-weight", "rogues"},
    {"weight-asymmetry", "mirror"},
    {"open-seam", "weld"},
    {"weight-zero", "hammer"},
    {"neutral-bone", "hammer"},
    {"wrong-side-weight", "replace"},
}};

// Lint lists at most so many thousands of vertices of one finding.
constexpr int kMostRounds = 20;

// Vertices of a primitive whose row is as wanted.
template <typename Wanted>
SharedArray<std::uint32_t> vertices_where(const rig::Character& character, const rig::LintPlace& place,
                                          const Wanted& wanted) {
  std::vector<std::uint32_t> out;
  const mesh::Influences& rows = character.meshes[static_cast<std::size_t>(place.mesh)]
                                     .primitives[static_cast<std::size_t>(place.primitive)]
                                     .influences;
  for (std::uint32_t v = 0; v < rows.vertex_count(); ++v) {
    if (wanted(rows.row(v))) {
      out.push_back(v);
    }
  }
  return SharedArray<std::uint32_t>(std::move(out));
}

// Of the finding's skin, -1 where it does not say.
int joint_at(const rig::Character& character, const rig::LintPlace& place) {
  if (!has_index(character.skins, place.skin)) {
    return -1;
  }
  const std::vector<int>& joints = character.skins[static_cast<std::size_t>(place.skin)].joints;
  return has_index(joints, place.joint) ? joints[static_cast<std::size_t>(place.joint)] : -1;
}

// Whether the repair has vertices to work on, and joints where it needs them.
bool narrow(UseWeightTool& repair, const rig::Character& character, const rig::Finding& finding) {
  const rig::LintPlace& place = finding.place;
  const bool is_empty = finding.code == "weight-zero";
  const bool is_neutral = finding.code == "neutral-bone";
  const bool is_wrong_side = finding.code == "wrong-side-weight";
  if (!is_empty && !is_neutral && !is_wrong_side) {
    return true;
  }
  if (!has_index(character.meshes, place.mesh) ||
      !has_index(character.meshes[static_cast<std::size_t>(place.mesh)].primitives, place.primitive)) {
    return false;
  }
  repair.primitive = place.primitive;
  if (is_empty) {
    repair.vertices =
        vertices_where(character, place, [](const mesh::InfluenceRow& row) { return row.joints.empty(); });
  } else if (is_neutral) {
    repair.vertices = vertices_where(character, place, [&](const mesh::InfluenceRow& row) {
      return !row.joints.empty() && static_cast<int>(row.joints[0]) == place.joint;
    });
  } else {
    const int joint = joint_at(character, place);
    const int partner = joint < 0 ? -1 : rig::mirrored_joints(*character.skeleton)[static_cast<std::size_t>(joint)];
    if (partner < 0 || partner == joint) {
      return false;
    }
    repair.joints = {joint, partner};
    const auto stray = static_cast<std::uint16_t>(place.joint);
    std::vector<std::uint32_t> vertices;
    for (const std::uint32_t v : place.vertices) {
      const mesh::Influences& rows = character.meshes[static_cast<std::size_t>(place.mesh)]
                                         .primitives[static_cast<std::size_t>(place.primitive)]
                                         .influences;
      if (v < rows.vertex_count() && std::ranges::find(rows.joints(v), stray) != rows.joints(v).end()) {
        vertices.push_back(v);
      }
    }
    repair.vertices = SharedArray<std::uint32_t>(std::move(vertices));
  }
  return !repair.vertices.empty();
}

}  // namespace

std::optional<UseWeightTool> repair_of(const rig::Character& character, const rig::Finding& finding) {
  const auto at = std::ranges::find(kRepairs, std::string_view(finding.code), &decltype(kRepairs)::value_type::first);
  if (at == kRepairs.end() || finding.place.mesh < 0) {
    return std::nullopt;
  }
  UseWeightTool repair{.tool = std::string(at->second), .mesh = finding.place.mesh};
  return narrow(repair, character, finding) ? std::optional(std::move(repair)) : std::nullopt;
}

std::vector<std::string_view> repairable_codes() {
  std::vector<std::string_view> out;
  for (const auto& [code, tool] : kRepairs) {
    out.push_back(code);
  }
  return out;
}

Result<std::pair<std::shared_ptr<const rig::Character>, std::vector<WeightRepair>>> with_repaired_weights(
    std::shared_ptr<const rig::Character> character, std::span<const std::string> codes) {
  std::vector<WeightRepair> done;
  bool changed = true;
  for (int round = 0; round < kMostRounds && changed; ++round) {
    changed = false;
    PELT_TRY_TO(const rig::Findings findings, rig::lint(*character));
    for (const rig::Finding& finding : findings) {
      if (!codes.empty() && std::ranges::find(codes, finding.code) == codes.end()) {
        continue;
      }
      const std::optional<UseWeightTool> repair = repair_of(*character, finding);
      if (!repair) {
        continue;
      }
      const auto after = with_weight_tool(*character, *repair);
      if (!after || *after == nullptr) {
        continue;  // refused here, such as a mirror of a mesh without sides: the finding stays and is told
      }
      const WeightDifference difference = weight_difference(*character, **after, repair->mesh);
      if (difference.vertices == 0) {
        continue;
      }
      done.push_back({finding, repair->tool, difference});
      character = *after;
      changed = true;
    }
  }
  return std::pair{std::move(character), std::move(done)};
}

}  // namespace pelt::edit
