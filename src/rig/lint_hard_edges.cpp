// Falloffs that are cut off where the rest of the skin is soft. Edges are taken by the two joints between which most of
// the weight changes over them: how soft a skin is differs from one to the next, but within one the falloffs between
// all pairs of joints are alike, and both sides of a body all the more.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mesh/weight_rows.h"
#include "mesh/welded_surface.h"
#include "rig/lint_checks.h"

namespace pelt::rig {
namespace {

constexpr double kCounts = 0.02;         // of an edge in a falloff: less is noise
constexpr double kHardJump = 0.85;       // over one edge
constexpr double kRunJump = 0.5;         // of edges that go on with a run
constexpr std::size_t kHardRun = 4;      // hard edges that hang together
constexpr double kCutOff = 0.8;          // steepness of a run that is no falloff
constexpr double kSoft = 0.5;            // the middle one of the others' steepness
constexpr double kVerySoft = 0.25;       // where both sides are cut off alike, so that it may be meant
constexpr std::size_t kLeastOthers = 3;  // pairs to compare with
constexpr double kLeastChange = 2;       // weight over all of a pair's edges, for its steepness to say something
constexpr float kInFalloff = 0.1f;       // of both joints, for a place to be in a falloff's middle
constexpr double kWide = 0.75;     // the quantile of widths: a band too wide does no harm, one too narrow stays hard
constexpr double kWidest = 2;      // times as wide as usual: more is no falloff of the other side
constexpr double kHalf = 0.65;     // of the width, to each side, and somewhat more
constexpr double kOwnShare = 0.5;  // of a place in the band that both joints must have

using Pair = std::pair<std::uint16_t, std::uint16_t>;

/// An edge over which weight goes from one joint of a pair to the other.
struct Step {
  std::uint32_t w, u;
  double change;  ///< as a share of what the two joints have there, 0 to 1
};

/// The mean change over an edge, each weighed by itself: 1 of a cut, a tenth of a falloff over ten edges. 0 where too
/// little changes to say it.
double steepness_of(std::span<const Step> steps) {
  double sum = 0;
  double squares = 0;
  for (const Step& step : steps) {
    sum += step.change;
    squares += step.change * step.change;
  }
  return sum >= kLeastChange ? squares / sum : 0;
}

/// The falloff between two joints.
struct Falloff {
  std::vector<Step> steps;
  double steepness = 0;  ///< see steepness_of()
  double width = 0;      ///< mesh space: the way on which a weight goes from 0 to 1; 0 where no place is in its middle
  double radius = 0;     ///< how far those places are from the bones
};

double value_at(std::vector<double> values, double quantile) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(quantile * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

/// The falloffs of one mesh.
class Falloffs {
 public:
  Falloffs(const BoundMesh& bound, std::vector<int> partner)
      : surface_(*bound.surface), influences_(bound.influences), bones_(bound.bones), partner_(std::move(partner)) {
    for (std::uint32_t w = 0; w < surface_.place_count(); ++w) {
      for (const std::uint32_t u : surface_.adjacency.neighbors(w)) {
        if (w < u) {
          add_edge(w, u);
        }
      }
    }
    for (auto& [pair, falloff] : falloffs_) {
      measure(pair, falloff);
    }
  }

  struct Cut {
    Pair joints;
    std::size_t hard = 0;  ///< edges
    bool on_both_sides = false;
    std::vector<std::uint32_t> vertices;  ///< in the falloff that would be there, ascending
  };

  [[nodiscard]] std::vector<Cut> find() const {
    std::map<Pair, std::vector<std::vector<Step>>> runs;
    for (const auto& [pair, falloff] : falloffs_) {
      if (std::vector<std::vector<Step>> cut = cut_runs(falloff); !cut.empty()) {
        runs.emplace(pair, std::move(cut));
      }
    }
    std::vector<Cut> out;
    for (const auto& [pair, of_pair] : runs) {
      const bool both = mirrored(pair) != pair && runs.contains(mirrored(pair));
      if (!is_soft_beside(pair, both ? kVerySoft : kSoft)) {
        continue;
      }
      const std::vector<std::uint32_t> places = places_of(pair);
      for (const std::vector<Step>& run : of_pair) {
        const auto hard = std::ranges::count_if(run, [](const Step& step) { return step.change >= kHardJump; });
        out.push_back({pair, static_cast<std::size_t>(hard), both, vertices_round(pair, run, places)});
      }
    }
    return out;
  }

 private:
  [[nodiscard]] mesh::InfluenceRow row(std::uint32_t w) const { return mesh::row_at(surface_, influences_, w); }
  [[nodiscard]] double length(std::uint32_t w, std::uint32_t u) const {
    return glm::length(glm::dvec3(surface_.position(w)) - glm::dvec3(surface_.position(u)));
  }

  // Joints further apart in the skeleton have no falloff between them: what jumps there is astray.
  [[nodiscard]] bool are_near(const Pair& pair) const {
    const std::vector<int>& above = bones_.above;
    const int a = above[pair.first];
    const int b = above[pair.second];
    return std::cmp_equal(a, pair.second) || std::cmp_equal(b, pair.first) || (a >= 0 && a == b) ||
           (a >= 0 && std::cmp_equal(above[a], pair.second)) || (b >= 0 && std::cmp_equal(above[b], pair.first));
  }

  [[nodiscard]] static double share_of(const Pair& pair, const mesh::InfluenceRow& of) {
    return static_cast<double>(mesh::weight_on(of, pair.first) + mesh::weight_on(of, pair.second));
  }

  void add_edge(std::uint32_t w, std::uint32_t u) {
    const mesh::InfluenceRow a = row(w);
    const mesh::InfluenceRow b = row(u);
    if (a.joints.empty() || b.joints.empty()) {
      return;
    }
    // The joint that loses most from w to u, and the one that gains most.
    std::pair<double, std::uint16_t> loss = {0, 0};
    std::pair<double, std::uint16_t> gain = {0, 0};
    for (std::size_t i = 0; i < a.joints.size(); ++i) {
      loss = std::max(loss, {static_cast<double>(a.weights[i] - mesh::weight_on(b, a.joints[i])), a.joints[i]});
    }
    for (std::size_t i = 0; i < b.joints.size(); ++i) {
      gain = std::max(gain, {static_cast<double>(b.weights[i] - mesh::weight_on(a, b.joints[i])), b.joints[i]});
    }
    // A third joint that fades in there keeps its share on both sides of a cut, so the change is relative to the two.
    const Pair pair = std::minmax(loss.second, gain.second);
    const double both = std::max(share_of(pair, a), share_of(pair, b));
    const double change = std::min(loss.first, gain.first);
    if (both >= kOwnShare && change >= kCounts * both && are_near(pair)) {
      falloffs_[pair].steps.push_back({w, u, change / both});
    }
  }

  void measure(const Pair& pair, Falloff& falloff) const {
    falloff.steepness = steepness_of(falloff.steps);
    // Across the falloff the steepest edge of a place tells its width, edges along it do not.
    std::unordered_map<std::uint32_t, double> width;
    for (const Step& step : falloff.steps) {
      for (const std::uint32_t w : {step.w, step.u}) {
        const mesh::InfluenceRow at = row(w);
        if (mesh::weight_on(at, pair.first) >= kInFalloff && mesh::weight_on(at, pair.second) >= kInFalloff) {
          const double here = length(step.w, step.u) / step.change;
          const auto [known, is_new] = width.emplace(w, here);
          known->second = std::min(known->second, here);
        }
      }
    }
    std::vector<double> widths;
    std::vector<double> radii;
    for (const auto& [w, here] : width) {
      widths.push_back(here);
      if (const double radius = radius_at(pair, w); std::isfinite(radius)) {
        radii.push_back(radius);
      }
    }
    if (!widths.empty()) {
      falloff.width = value_at(std::move(widths), kWide);
      falloff.radius = radii.empty() ? 0 : value_at(std::move(radii), 0.5);
    }
  }

  [[nodiscard]] double radius_at(const Pair& pair, std::uint32_t w) const {
    double out = std::numeric_limits<double>::infinity();
    for (const std::uint16_t k : {pair.first, pair.second}) {
      if (bones_.heads[k]) {
        out = std::min(out, bones_.distance(k, glm::dvec3(surface_.position(w))));
      }
    }
    return out;
  }

  [[nodiscard]] Pair mirrored(const Pair& pair) const {
    const int a = partner_[pair.first];
    const int b = partner_[pair.second];
    return a < 0 || b < 0 ? pair : Pair(std::minmax(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b)));
  }

  // Steps that share a place are one run. Those are cut off over which the weight goes at once.
  [[nodiscard]] static std::vector<std::vector<Step>> cut_runs(const Falloff& falloff) {
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> at;
    for (std::size_t s = 0; s < falloff.steps.size(); ++s) {
      at[falloff.steps[s].w].push_back(s);
      at[falloff.steps[s].u].push_back(s);
    }
    std::vector<std::vector<Step>> out;
    std::vector<char> is_taken(falloff.steps.size(), 0);
    for (std::size_t start = 0; start < falloff.steps.size(); ++start) {
      if (falloff.steps[start].change < kHardJump || std::exchange(is_taken[start], char{1}) != 0) {
        continue;
      }
      std::vector<Step> run = {falloff.steps[start]};
      std::vector<Step> beside;  // softer ones at the same places
      for (std::size_t i = 0; i < run.size(); ++i) {
        for (const std::uint32_t w : {run[i].w, run[i].u}) {
          for (const std::size_t s : at.at(w)) {
            if (falloff.steps[s].change < kRunJump) {
              beside.push_back(falloff.steps[s]);
            } else if (std::exchange(is_taken[s], char{1}) == 0) {
              run.push_back(falloff.steps[s]);
            }
          }
        }
      }
      const auto hard = std::ranges::count_if(run, [](const Step& step) { return step.change >= kHardJump; });
      beside.insert(beside.end(), run.begin(), run.end());
      if (std::cmp_greater_equal(hard, kHardRun) && steepness_of(beside) >= kCutOff) {
        out.push_back(std::move(run));
      }
    }
    return out;
  }

  /// Tells whether the falloffs of the other pairs are at most so steep.
  [[nodiscard]] bool is_soft_beside(const Pair& pair, double most) const {
    std::vector<double> others;
    for (const auto& [other, falloff] : falloffs_) {
      if (other != pair && other != mirrored(pair) && falloff.steepness > 0) {
        others.push_back(falloff.steepness);
      }
    }
    return others.size() >= kLeastOthers && value_at(std::move(others), 0.5) <= most;
  }

  /// The width that the falloff of a pair should have: that of the other side where there is one, which may be broken,
  /// too, or else that of most others by its radius.
  [[nodiscard]] double width_for(const Pair& pair, std::span<const Step> run) const {
    std::vector<double> ratios;
    for (const auto& [joints, falloff] : falloffs_) {
      if (joints != pair && falloff.width > 0 && falloff.radius > 0 && falloff.steepness > 0) {
        ratios.push_back(falloff.width / falloff.radius);
      }
    }
    std::vector<double> radii;
    for (const Step& step : run) {
      if (const double radius = radius_at(pair, step.w); std::isfinite(radius)) {
        radii.push_back(radius);
      }
    }
    if (ratios.empty() || radii.empty()) {
      return 0;
    }
    const double usual = value_at(std::move(ratios), kWide) * value_at(std::move(radii), 0.5);
    const Pair other = mirrored(pair);
    const auto across = falloffs_.find(other);
    const bool has_other =
        other != pair && across != falloffs_.end() && across->second.width > 0 && across->second.steepness <= kSoft;
    return has_other ? std::min(across->second.width, kWidest * usual) : usual;
  }

  /// The places that follow the two most of all.
  [[nodiscard]] std::vector<std::uint32_t> places_of(const Pair& pair) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t w = 0; w < surface_.place_count(); ++w) {
      if (share_of(pair, row(w)) >= kOwnShare) {
        out.push_back(w);
      }
    }
    return out;
  }

  /// Those of the places that lie within half of the falloff's width from the run. They are of every shell, since
  /// clothes are cut off with what they lie on.
  [[nodiscard]] std::vector<std::uint32_t> vertices_round(const Pair& pair, std::span<const Step> run,
                                                          std::span<const std::uint32_t> places) const {
    std::set<std::uint32_t> ends;
    for (const Step& step : run) {
      ends.insert({step.w, step.u});
    }
    const double most = kHalf * width_for(pair, run);
    Bounds bounds;
    for (const std::uint32_t end : ends) {
      bounds.add(surface_.position(end));
    }
    const glm::dvec3 lower = glm::dvec3(bounds.lower) - most;
    const glm::dvec3 upper = glm::dvec3(bounds.upper) + most;
    std::vector<std::uint32_t> out;
    for (const std::uint32_t w : places) {
      const glm::dvec3 at(surface_.position(w));
      if (glm::all(glm::lessThanEqual(lower, at)) && glm::all(glm::lessThanEqual(at, upper)) &&
          std::ranges::any_of(ends, [&](std::uint32_t end) { return length(w, end) <= most; })) {
        const std::span<const std::uint32_t> copies = surface_.copies(w);
        out.insert(out.end(), copies.begin(), copies.end());
      }
    }
    std::ranges::sort(out);
    return out;
  }

  const mesh::WeldedSurface& surface_;
  const std::vector<const mesh::Influences*>& influences_;
  const BoundBones& bones_;
  std::vector<int> partner_;
  std::map<Pair, Falloff> falloffs_;  ///< lower slot first
};

}  // namespace

void check_hard_edges(const Character& character, const BoundMesh& bound, Findings& findings) {
  const Skin& skin = character.skins[bound.use.skin];
  for (Falloffs::Cut& cut : Falloffs(bound, partners_in(skin, mirrored_joints(character.skeleton))).find()) {
    if (cut.vertices.empty()) {
      continue;  // positions that are no numbers lie near nothing
    }
    std::string message = fmt::format(
        "over {} in a row {:.2g} of the weight and more goes at once from {} to {}{}; between most other joints it "
        "goes "
        "over several edges",
        counted(cut.hard, "edge"), kHardJump, character.skeleton->label(skin.joints[cut.joints.first]),
        character.skeleton->label(skin.joints[cut.joints.second]), cut.on_both_sides ? ", on both sides" : "");
    add_finding(findings, character, "hard-edge-weight", cut.on_both_sides ? Severity::kInfo : Severity::kWarning,
                joint_place(character, bound.use.skin, cut.joints.first, bound.use.mesh), std::move(message),
                std::move(cut.vertices));
  }
}

}  // namespace pelt::rig
