#include "edit/worst_spots.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <variant>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "core/text.h"
#include "deform/deform.h"
#include "measure/surface.h"
#include "measure/surface_fields.h"
#include "mesh/welded_surface.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

// The skinned parts of one node as one surface.
struct SpotSurface {
  std::shared_ptr<const mesh::WeldedSurface> surface;
  std::vector<int> part;              // by primitive, -1: none
  std::vector<std::uint32_t> source;  // by place the vertex that stands for it, among all
  std::vector<glm::dvec3> rest;       // by place, as bound
  std::vector<char> was_flipped;      // by place, as bound
  std::vector<WorstSpot> worst;       // by place
};

// Where each place is in a shape.
std::vector<glm::dvec3> places_in(const SpotSurface& of, const deform::DeformedCharacter& shape) {
  std::vector<glm::dvec3> out;
  out.reserve(of.source.size());
  for (const std::uint32_t v : of.source) {
    const std::size_t p = of.surface->primitive_of(v);
    out.emplace_back(shape.parts[of.part[p]].positions[v - of.surface->first[p]]);
  }
  return out;
}

// Whether a triangle at the place faces away from the others there.
bool is_flipped(const SpotSurface& of, std::span<const glm::dvec3> at, std::uint32_t w) {
  const auto corners = of.surface->adjacency.corners_at(w);
  const auto normal = [&](const auto& corner) { return glm::cross(at[corner[0]] - at[w], at[corner[1]] - at[w]); };
  glm::dvec3 sum(0);
  for (const auto& corner : corners) {
    sum += normal(corner);
  }
  return std::ranges::any_of(corners, [&](const auto& corner) { return glm::dot(normal(corner), sum) < 0; });
}

std::vector<SpotSurface> spot_surfaces(const rig::Character& character, const deform::DeformedCharacter& bound) {
  std::map<int, SpotSurface> by_node;
  for (std::size_t k = 0; k < character.parts.size(); ++k) {
    const rig::Part& part = character.parts[k];
    if (part.skin < 0) {
      continue;
    }
    SpotSurface& of = by_node[part.mesh_node];
    if (of.surface == nullptr) {
      of.surface = mesh::welded_surface(character.meshes[part.mesh]);
      of.part.assign(of.surface->sources.size(), -1);
    }
    of.part[part.primitive] = static_cast<int>(k);
  }
  std::vector<SpotSurface> out;
  for (auto& [node, of] : by_node) {
    const std::size_t count = of.surface->place_count();
    if (std::ranges::find(of.part, -1) != of.part.end()) {
      continue;  // a primitive that is not drawn has no shape
    }
    of.worst.resize(count);
    for (std::uint32_t w = 0; w < count; ++w) {
      of.source.push_back(of.surface->copies(w)[0]);
    }
    of.rest = places_in(of, bound);
    for (std::uint32_t w = 0; w < count; ++w) {
      of.was_flipped.push_back(is_flipped(of, of.rest, w) ? 1 : 0);
    }
    out.push_back(std::move(of));
  }
  return out;
}

// What one pose makes of each place, kept where it is worse than the poses before.
void take_pose(SpotSurface& of, const deform::DeformedCharacter& shape, const std::vector<std::vector<float>>& strain,
               int pose) {
  const std::size_t count = of.surface->place_count();
  const std::vector<glm::dvec3> at = places_in(of, shape);
  // The mean over the edges, since the worst edge is as bad at its other end.
  std::vector<double> size(count, 0.0);
  const auto strain_at = [&](std::uint32_t w) {
    const std::uint32_t v = of.source[w];
    const std::size_t p = of.surface->primitive_of(v);
    return strain[of.part[p]][v - of.surface->first[p]];
  };
  for (std::uint32_t w = 0; w < count; ++w) {
    const auto neighbors = of.surface->adjacency.neighbors(w);
    for (const std::uint32_t u : neighbors) {
      const double rest = glm::distance(of.rest[w], of.rest[u]);
      const double now = glm::distance(at[w], at[u]);
      // An edge that vanishes is as bad as one that becomes a thousand times as long.
      const double ratio = rest > 0 ? now / rest : 1;
      size[w] += std::abs(std::log(std::clamp(ratio, 1e-3, 1e3))) / static_cast<double>(neighbors.size());
    }
  }
  for (std::uint32_t w = 0; w < count; ++w) {
    const auto neighbors = of.surface->adjacency.neighbors(w);
    double mean = size[w];
    if (!neighbors.empty()) {
      mean = 0;
      for (const std::uint32_t u : neighbors) {
        mean += size[u] / static_cast<double>(neighbors.size());
      }
    }
    const double jump = std::max(0.0, size[w] - mean);
    WorstSpot& worst = of.worst[w];
    const double without_flip = size[w] + jump;
    if (without_flip + 1 <= worst.badness) {
      continue;  // worse by no means
    }
    const bool flipped = of.was_flipped[w] == 0 && is_flipped(of, at, w);
    const double badness = without_flip + (flipped ? 1 : 0);
    if (badness > worst.badness) {
      worst.pose = pose;
      worst.strain = strain_at(w);
      worst.jump = static_cast<float>(jump);
      worst.flipped = flipped;
      worst.badness = badness;
    }
  }
}

// The places that are worse than all round them; of equal ones the first.
void add_peaks(const rig::Character& character, const SpotSurface& of, std::vector<WorstSpot>& out) {
  constexpr double kNoticed = 1e-3;  // a thousandth of strain is rounding
  for (std::uint32_t w = 0; w < of.surface->place_count(); ++w) {
    const auto is_worse = [&](std::uint32_t u) {
      return of.worst[u].badness > of.worst[w].badness || (of.worst[u].badness == of.worst[w].badness && u < w);
    };
    if (of.worst[w].badness < kNoticed || std::ranges::any_of(of.surface->adjacency.neighbors(w), is_worse)) {
      continue;
    }
    WorstSpot spot = of.worst[w];
    const std::size_t p = of.surface->primitive_of(of.source[w]);
    spot.part = of.part[p];
    spot.vertex = of.source[w] - of.surface->first[p];
    const rig::Part& part = character.parts[spot.part];
    const mesh::Influences& rows = character.meshes[part.mesh].primitives[part.primitive].influences;
    if (spot.vertex < rows.vertex_count() && rows.count(spot.vertex) > 0) {
      spot.joint = character.skins[part.skin].joints[rows.joints(spot.vertex)[0]];
    }
    out.push_back(spot);
  }
}

Document resting(const Document& document) {
  Document out = without_history(document);
  apply(out, {ReplacePose{}, "", false});
  return out;
}

// Poses the character and judges the skin there, one pose after the other.
class SpotSearch {
 public:
  SpotSearch(const Document& document, const std::shared_ptr<deform::SkinCache>& cache)
      : character_(*document.character),
        settings_(in_effect(document, skinning_of(document.content, document.view.active_pane))),
        cache_(cache),
        bound_(measure::bind_shape(character_)),
        field_(character_, measure::Measure::kEdgeStrain),
        surfaces_(spot_surfaces(character_, bound_)),
        deformer_(cache) {
    settings_.backend = deform::Backend::kCpu;
  }
  [[nodiscard]] bool prepare(const Progress& progress) { return cache_->prepare(character_, settings_, progress); }
  void take(const Document& document, int pose_index) {
    const rig::Pose pose = deformed_pose(document, evaluate_pose(document));
    world_.evaluate(character_.skeleton, pose);
    deformer_.deform(character_, pose, world_.world(), settings_, shape_);
    const std::vector<std::vector<float>> strain = field_.values(shape_, bound_);
    for (SpotSurface& of : surfaces_) {
      take_pose(of, shape_, strain, pose_index);
    }
  }
  // Poses a resting document in some of the poses. @return false where `progress` asked to stop
  [[nodiscard]] bool take(const Document& resting, std::span<const TrialPose> poses, std::span<const int> which,
                          const Progress& progress) {
    for (std::size_t i = 0; i < which.size(); ++i) {
      const TrialPose& pose = poses[static_cast<std::size_t>(which[i])];
      if (!report(progress, static_cast<float>(i) / static_cast<float>(which.size()), pose.label)) {
        return false;
      }
      take(posed(resting, pose), which[i]);
    }
    return true;
  }
  // What was judged so far at a vertex, and nothing where its surface is not looked at.
  [[nodiscard]] std::optional<WorstSpot> at(int part, std::uint32_t vertex) const {
    for (const SpotSurface& of : surfaces_) {
      const auto p = std::ranges::find(of.part, part) - of.part.begin();
      if (has_index(of.part, p)) {
        return of.worst[of.surface->place[of.surface->first[static_cast<std::size_t>(p)] + vertex]];
      }
    }
    return std::nullopt;
  }
  void forget() {
    for (SpotSurface& of : surfaces_) {
      std::ranges::fill(of.worst, WorstSpot());
    }
  }
  [[nodiscard]] const std::vector<SpotSurface>& surfaces() const { return surfaces_; }

 private:
  const rig::Character& character_;
  deform::SkinningSettings settings_;
  std::shared_ptr<deform::SkinCache> cache_;
  deform::DeformedCharacter bound_;
  measure::SurfaceField field_;
  std::vector<SpotSurface> surfaces_;
  deform::CpuDeformer deformer_;
  deform::DeformedCharacter shape_;
  rig::WorldMatrices world_;
};

}  // namespace

std::optional<WorstSpots> find_worst_spots(const Document& document, const BatteryOptions& options, std::size_t most,
                                           const std::shared_ptr<deform::SkinCache>& cache, const Progress& progress) {
  PELT_EXPECT(cache != nullptr, "a search needs a cache");
  const rig::Character& character = *document.character;
  WorstSpots out;
  out.character = document.character;
  const Document lean = resting(document);
  out.poses = make_battery(lean, options, &out.ranges);
  SpotSearch search(document, cache);
  if (!search.prepare(progress)) {
    return std::nullopt;
  }
  std::vector<int> all(out.poses.size());
  std::iota(all.begin(), all.end(), 0);
  if (!search.take(lean, out.poses, all, progress)) {
    return std::nullopt;
  }
  for (const SpotSurface& of : search.surfaces()) {
    add_peaks(character, of, out.spots);
  }
  std::ranges::stable_sort(out.spots, std::greater<>(), &WorstSpot::badness);
  out.spots.resize(std::min(out.spots.size(), most));
  return out;
}

std::vector<Change> changes_of(const Document& document, const WorstSpots& found, const WorstSpot& spot) {
  const TrialPose& pose = found.poses[spot.pose];
  if (std::holds_alternative<ClipMoment>(pose.what)) {
    std::vector<Change> changes = changes_of(document, pose);
    changes.insert(changes.begin(), ReplacePose{});
    return changes;
  }
  // Whole, since symmetric posing would let the other side follow a slider.
  const Document there = posed(resting(document), pose);
  return {ReplacePose{there.content.overrides, there.content.morph_overrides}};
}

std::optional<std::vector<WorstSpot>> measure_spots(const Document& document, const WorstSpots& found,
                                                    std::span<const std::size_t> which,
                                                    const std::shared_ptr<deform::SkinCache>& cache,
                                                    const Progress& progress) {
  PELT_EXPECT(document.character->parts == found.character->parts, "the parts that were searched");
  SpotSearch search(document, cache);
  if (!search.prepare(progress)) {
    return std::nullopt;
  }
  const Document lean = resting(document);
  std::vector<WorstSpot> out;
  int seen = -1;
  for (std::size_t i = 0; i < which.size(); ++i) {
    const WorstSpot& before = found.spots[which[i]];
    if (!report(progress, static_cast<float>(i) / static_cast<float>(which.size()), found.poses[before.pose].label)) {
      return std::nullopt;
    }
    if (before.pose != seen) {
      search.forget();
      search.take(posed(lean, found.poses[before.pose]), before.pose);
      seen = before.pose;
    }
    WorstSpot now = search.at(before.part, before.vertex).value_or(before);
    now.part = before.part;
    now.vertex = before.vertex;
    now.joint = before.joint;
    now.pose = before.pose;
    out.push_back(now);
  }
  return out;
}

std::optional<std::vector<WorstSpot>> measure_vertices(const Document& document, const WorstSpots& found,
                                                       std::span<const PartVertex> vertices, std::span<const int> poses,
                                                       const std::shared_ptr<deform::SkinCache>& cache,
                                                       const Progress& progress) {
  PELT_EXPECT(document.character->parts == found.character->parts, "the parts that were searched");
  SpotSearch search(document, cache);
  if (!search.prepare(progress)) {
    return std::nullopt;
  }
  if (!search.take(resting(document), found.poses, poses, progress)) {
    return std::nullopt;
  }
  std::vector<WorstSpot> out;
  for (const PartVertex& vertex : vertices) {
    WorstSpot& worst = out.emplace_back(search.at(vertex.part, vertex.vertex).value_or(WorstSpot()));
    worst.part = vertex.part;
    worst.vertex = vertex.vertex;
  }
  return out;
}

int joint_of(const TrialPose& pose) {
  if (const auto* const slider = std::get_if<SetDof>(&pose.what)) {
    return slider->joint;
  }
  const auto* const turned = std::get_if<SetJointLocal>(&pose.what);
  return turned != nullptr ? turned->joint : -1;
}

int joint_of(const WorstSpots& spots, const WorstSpot& spot) {
  const int joint = has_index(spots.poses, spot.pose) ? joint_of(spots.poses[static_cast<std::size_t>(spot.pose)]) : -1;
  return joint >= 0 ? joint : spot.joint;
}

std::vector<SpotGroup> grouped_by_joint(const WorstSpots& spots) {
  std::vector<SpotGroup> out;
  for (std::size_t i = 0; i < spots.spots.size(); ++i) {
    const int joint = joint_of(spots, spots.spots[i]);
    const auto group = std::ranges::find(out, joint, &SpotGroup::joint);
    SpotGroup& of = group != out.end() ? *group : out.emplace_back();
    of.joint = joint;
    of.spots.push_back(i);
  }
  return out;
}

std::string strain_in_words(const WorstSpot& spot) {
  return fmt::format("{:.0f} % {}{}", std::abs(static_cast<double>(spot.strain)) * 100,
                     spot.strain < 0 ? "shorter" : "longer", spot.flipped ? ", flipped" : "");
}

std::string sentence(const WorstSpots& spots, const WorstSpot& spot) {
  const rig::Character& character = *spots.character;
  const rig::Part& part = character.parts[spot.part];
  const std::string& name = character.meshes[part.mesh].name;
  return fmt::format("{}, vertex {}{}: {:.0f} % {} at {}{}",
                     name.empty() ? fmt::format("mesh {}", part.mesh) : printable(name), spot.vertex,
                     spot.joint < 0 ? "" : ", " + printable(character.skeleton->label(spot.joint)),
                     std::abs(static_cast<double>(spot.strain)) * 100, spot.strain < 0 ? "shorter" : "longer",
                     spots.poses[spot.pose].label, spot.flipped ? ", flipped" : "");
}

std::string short_sentence(const WorstSpots& spots, const WorstSpot& spot) {
  const TrialPose& pose = spots.poses[spot.pose];
  std::string where = pose.label;
  const int joint = joint_of(spots, spot);
  const auto* const slider = std::get_if<SetDof>(&pose.what);
  if (const std::size_t at = where.rfind('='); slider != nullptr && at != std::string::npos) {
    const auto& dofs = spots.character->skeleton->dofs[slider->joint].dofs;
    const bool turns = has_index(dofs, slider->dof) && dofs[slider->dof].kind == rig::DofKind::kRotation;
    where = fmt::format("{} {}{}", where.substr(0, at), where.substr(at + 1), turns ? "\u00b0" : "\u2009m");
  }
  // The heading has the joint's name.
  if (const std::string name = joint < 0 ? std::string() : spots.character->skeleton->label(joint);
      !name.empty() && where.size() > name.size() + 1 && where.starts_with(name)) {
    where = where.substr(name.size() + 1);
  }
  // The number of the vertex last: it is what can be done without where there is little room.
  return fmt::format("{:.2f}: {}, {}, vertex {}", spot.badness, strain_in_words(spot), where, spot.vertex);
}

}  // namespace pelt::edit
