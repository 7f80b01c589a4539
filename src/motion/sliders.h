#pragma once

#include <span>
#include <string>
#include <vector>

#include "motion/controls.h"
#include "motion/pose_sources.h"
#include "rig/character.h"
#include "rig/pose_builder.h"

namespace pelt::motion {

/// What a semantic slider does to one DOF or shape: `amount * c + curve * c^2` is added with the slider at c. Degrees,
/// metres, factors, weights.
struct SliderRow {
  std::string target;  ///< as find_control() takes it
  float amount = 0;
  float curve = 0;
  bool operator==(const SliderRow&) const = default;
};

/// ALGORITHMS.md §50: one slider that means something, such as "smile", and moves many.
struct SemanticSlider {
  std::string name;  ///< unique
  float lower = 0;   ///< <= 0, which is neutral
  float upper = 1;
  std::vector<SliderRow> rows = {};
  float value = 0;
  bool operator==(const SemanticSlider&) const = default;
};

inline constexpr std::size_t kMostSliderRows = 10'000;

/// Semantic sliders as they work on one character, all of them together: phi = clamp(phi_0 + A c).
struct SliderRig {
  struct Term {
    int slider;
    float amount;
    float curve;
  };
  struct Row {
    Control control;
    std::string target;
    std::vector<Term> terms;
  };
  std::vector<Row> rows;            ///< one per control that some slider moves
  std::vector<float> values;        ///< [sliders]
  std::vector<std::string> faults;  ///< [sliders] which of its targets the character does not have; empty: none
};
SliderRig make_slider_rig(const rig::Character& character, std::span<const SemanticSlider> sliders);

/// Adds what the sliders say to the pose. A DOF is clamped to its limits; one to which nothing is added is left alone,
/// bit by bit (C50.1). @returns the targets whose limits held the sliders back (C50.3)
std::vector<std::string> apply_sliders(const SliderRig& sliders, const PoseSources& sources, rig::PoseBuilder& pose);

/// The layer: PoseSources::sliders. Nothing in the bind pose.
void apply_slider_layer(const PoseSources& sources, std::span<const float> values, rig::PoseBuilder& pose);

/// The rows that lead from one pose to another with a slider at 1: each DOF and shape that differs.
/// @param values  what the sources have of rotation orders and poses by hand holds for `to`
std::vector<SliderRow> learned_rows(const PoseSources& sources, rig::Pose from, rig::Pose to);

/// Sliders that names of joints and shapes suggest: fists and spread fingers of either side, where the eyes look, jaw,
/// and one for every shape whose name means something (smile, blink and so on).
std::vector<SemanticSlider> proposed_sliders(const rig::Character& character);

}  // namespace pelt::motion
