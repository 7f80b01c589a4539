#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bind/problem.h"
#include "core/progress.h"

namespace pelt::bind {

/// How bones heat the surface.
struct Heat {
  double c = 1.0;  ///< of H = k c / d²: larger is sharper
  /// As the published programs do it: distances are divided by ½ (1 + cos) of the angle between normal and bone, only
  /// outer sides of triangles hide a bone, edges have the mean of their cotangents, and c counts four times.
  bool compatible = false;
};

/// Where the heat of each place comes from.
struct HeatSources {
  std::vector<double> heat;               ///< [W] H, 1 / m²; 0 where the nearest bone cannot be seen
  std::vector<std::uint32_t> first;       ///< [W + 1] into `bones`
  std::vector<std::uint16_t> bones;       ///< those that are equally near and seen
  std::vector<std::uint32_t> inside_out;  ///< islands whose faces were taken the other way round
  [[nodiscard]] std::span<const std::uint16_t> of(std::size_t w) const {
    return std::span(bones).subspan(first[w], first[w + 1] - first[w]);
  }
};

/// A bone is seen where no triangle lies between and, unless compatible, within 60 degrees of the inward normal. A
/// place at a bone sees it. Closed islands with a negative volume count as turned inside out, unless compatible.
/// @return nothing where progress asks it to stop @cost O(W (B + log T))
std::optional<HeatSources> heat_sources(const Problem& problem, const Heat& how, const Progress& progress = {});

/// (L + M H) w = M H p on a surface, factored once and solved for each bone.
///
/// L from cotangents, M areas of places. Triangles without area count as equilateral ones of area 0, so that what hangs
/// together by them stays together. Places in components without heat are left out; see `component_of`.
/// Source: I. Baran, J. Popović, "Automatic Rigging and Animation of 3D Characters", ACM TOG 26(3), 2007, section 4.
class HeatSystem {
 public:
  static constexpr std::size_t kBonesAtOnce = 8;

  /// Borrows problem and sources. @cost about O(W^1.5)
  HeatSystem(const Problem& problem, const HeatSources& sources, const Heat& how);
  ~HeatSystem();
  HeatSystem(const HeatSystem&) = delete;
  HeatSystem& operator=(const HeatSystem&) = delete;

  /// What belongs together by edges that carry heat, numbered by the lowest place; [W].
  [[nodiscard]] const std::vector<std::uint32_t>& component_of() const;
  [[nodiscard]] bool has_heat(std::uint32_t component) const;
  /// The solution as it is, for up to kBonesAtOnce bones: out[w * bones.size() + k], 0 in components without heat.
  /// Safe to call concurrently.
  void solve(std::span<const std::uint16_t> bones, std::vector<double>& out) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pelt::bind
