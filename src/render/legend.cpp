#include "render/legend.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "render/look_colors.h"

namespace pelt::render {
namespace {

constexpr int kMostEntries = 12;  // more colours are not told apart by a list
constexpr int kStops = 61;        // four for each step of the ramp's table

template <typename Color>
std::vector<Legend::Stop> stops(const Color& linear_color) {
  std::vector<Legend::Stop> result;
  for (int i = 0; i < kStops; ++i) {
    const float at = static_cast<float>(i) / static_cast<float>(kStops - 1);
    result.push_back({at, srgb_from_linear(linear_color(at))});
  }
  return result;
}

void add_zero(Legend& legend, std::string label) {
  legend.entries.push_back({srgb_from_linear(kLookZero), std::move(label)});
}

bool has_rigid_parts(const rig::Character& character) {
  return std::any_of(character.parts.begin(), character.parts.end(),
                     [&](const rig::Part& part) { return !deform::is_skinned(character, part); });
}

}  // namespace

Legend legend(const rig::Character& character, const ViewSettings& view, int batch_count) {
  Legend result;
  switch (view.look) {
    case Look::kShaded:
    case Look::kClay:
      return result;
    case Look::kWeights:
      if (view.weight_joint >= 0 && view.weight_joint < character.skeleton.size()) {
        result.title = fmt::format("Weight of {}", character.skeleton.label(view.weight_joint));
        result.ramp = stops(sequential_ramp);
        result.ticks = {{0.0f, "0"}, {0.25f, "0.25"}, {0.5f, "0.5"}, {0.75f, "0.75"}, {1.0f, "1"}};
        add_zero(result, "not moved by it");
      } else {
        result.title = "Weights of all joints, mixed";
        const auto& is_joint = character.skeleton.is_joint;
        if (std::count(is_joint.begin(), is_joint.end(), char{1}) <= kMostEntries) {
          for (int j = 0; j < character.skeleton.size(); ++j) {
            if (is_joint[static_cast<std::size_t>(j)] != 0) {
              result.entries.push_back({joint_color(j), character.skeleton.label(j)});
            }
          }
        }
      }
      break;
    case Look::kInfluences:
      result.title = "Joints per vertex";
      for (int count = 0; count < kLookCounts; ++count) {
        result.entries.push_back({srgb_from_linear(count_color(count)),
                                  count + 1 < kLookCounts ? fmt::format("{}", count) : fmt::format("{}+", count)});
      }
      break;
    case Look::kWeightSum:
      result.title = "Stored weight sum minus 1";
      result.ramp =
          stops([](float at) { return diverging_ramp((at < 0.5f ? -1.0f : 1.0f) * std::pow(2 * at - 1, 2.0f)); });
      // The ramp widens small errors by a square root: a quarter of the range lies half way.
      result.ticks = {{0.0f, fmt::format("-{}", kLookSumRange)},
                      {0.25f, fmt::format("-{}", kLookSumRange / 4)},
                      {0.5f, "0"},
                      {0.75f, fmt::format("{}", kLookSumRange / 4)},
                      {1.0f, fmt::format("{}", kLookSumRange)}};
      break;
    case Look::kBatches:
      result.title = batch_count > 0 ? fmt::format("Palette batches ({})", batch_count) : "Palette batches";
      for (int batch = 0; batch < batch_count && batch_count <= kMostEntries; ++batch) {
        result.entries.push_back({batch_color(batch), fmt::format("{}", batch)});
      }
      return result;
    case Look::kNormals:
      result.title = "Normal, world axes";
      result.entries = {{{1.0f, 0.5f, 0.5f}, "+x"}, {{0.5f, 1.0f, 0.5f}, "+y"}, {{0.5f, 0.5f, 1.0f}, "+z"}};
      return result;
    case Look::kDifference:
      result.title = "Distance between CPU and GPU result";
      result.unit = "of the diagonal";
      result.ramp = stops(sequential_ramp);
      result.ticks = {{0.0f, "1e-8"}, {0.25f, "1e-7"}, {0.5f, "1e-6"}, {0.75f, "1e-5"}, {1.0f, "1e-4"}};
      add_zero(result, "equal");
      return result;
  }
  if (has_rigid_parts(character)) {
    result.entries.push_back({srgb_from_linear(kLookNoInfluence), "no skin"});
  }
  return result;
}

}  // namespace pelt::render
