// K. Perlin, "Layered compositing of facial expression", SIGGRAPH 1997 sketch, for sliders that mean something.
#include "motion/sliders.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/text.h"
#include "rig/skeleton.h"

namespace pelt::motion {
namespace {

// Smaller differences are roundings of what reads sliders off transforms: degrees, metres, factors, weights.
constexpr double kSmallestAmount = 1e-3;
constexpr double kSmallestShare = 1e-5;

bool is_moved(double by, bool is_angle) {
  return std::abs(by) > (is_angle ? kSmallestAmount : kSmallestShare);
}

}  // namespace

SliderRig make_slider_rig(const rig::Character& character, std::span<const SemanticSlider> sliders) {
  SliderRig out;
  std::size_t count = 0;
  std::map<std::tuple<int, int, int>, std::size_t> row_of;  // by joint, DOF and first shape
  for (std::size_t s = 0; s < sliders.size(); ++s) {
    const SemanticSlider& slider = sliders[s];
    out.values.push_back(slider.value);
    std::string& fault = out.faults.emplace_back();
    for (const SliderRow& row : slider.rows) {
      if (++count > kMostSliderRows) {
        fault = fmt::format("expected at most {} rows", kMostSliderRows);
        break;
      }
      const Result<Control> control = find_control(character, row.target);
      if (!control) {
        fault += (fault.empty() ? "" : "; ") + control.error().message;
        continue;
      }
      const int morph = control->morphs.empty() ? -1 : control->morphs.front();
      const auto [found, is_new] = row_of.try_emplace({control->joint, control->dof, morph}, out.rows.size());
      if (is_new) {
        out.rows.push_back({*control, row.target, {}});
      }
      out.rows[found->second].terms.push_back({static_cast<int>(s), row.amount, row.curve});
    }
  }
  return out;
}

std::vector<std::string> apply_sliders(const SliderRig& sliders, const PoseSources& sources, rig::PoseBuilder& pose) {
  std::vector<std::string> held;
  for (const SliderRig::Row& row : sliders.rows) {
    double added = 0;
    for (const SliderRig::Term& term : row.terms) {
      const double c = static_cast<double>(sliders.values[term.slider]);
      added += static_cast<double>(term.amount) * c + static_cast<double>(term.curve) * c * c;
    }
    if (added == 0) {
      continue;
    }
    const double before = control_value(sources, row.control, pose);
    double value = before + added;
    if (const std::optional<ControlRange> range = control_range(sources, row.control); range) {
      // A joint that stands outside of its limits may stay, but goes no further out.
      const double within = std::clamp(value, std::min(range->lower, before), std::max(range->upper, before));
      if (within != value) {
        held.push_back(row.target);
      }
      value = within;
    }
    set_control(sources, row.control, value, pose);
  }
  return held;
}

void apply_slider_layer(const PoseSources& sources, std::span<const float>, rig::PoseBuilder& pose) {
  if (sources.sliders != nullptr && sources.base != BasePose::kBind) {
    apply_sliders(*sources.sliders, sources, pose);
  }
}

std::vector<SliderRow> learned_rows(const PoseSources& sources, rig::Pose from, rig::Pose to) {
  const rig::Character& character = sources.character;
  const rig::PoseBuilder before(character.skeleton, from);
  const rig::PoseBuilder after(character.skeleton, to);
  std::vector<SliderRow> out;
  for (int j = 0; j < character.skeleton->size(); ++j) {
    if (from.local[j] == to.local[j]) {
      continue;
    }
    const rig::JointDofs& dofs = character.skeleton->dofs[j];
    for (int d = 0; d < static_cast<int>(dofs.dofs.size()); ++d) {
      const Control control{.joint = j, .dof = d};
      const double by = control_value(sources, control, after) - control_value(sources, control, before);
      if (is_moved(by, dofs.dofs[d].kind == rig::DofKind::kRotation)) {
        out.push_back({control_text(character, j, d), static_cast<float>(by)});
      }
    }
  }
  for (const std::string& shape : shape_names(character)) {
    const Result<std::vector<int>> morphs = find_named_shape(character, shape);
    const double by = static_cast<double>(to.morph_weights[morphs->front()]) -
                      static_cast<double>(from.morph_weights[morphs->front()]);
    if (is_moved(by, false)) {
      out.push_back({shape_text(shape), static_cast<float>(by)});
    }
  }
  return out;
}

}  // namespace pelt::motion
