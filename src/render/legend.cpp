#include "render/legend.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "deform/skinning_methods.h"
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

void add_zero(Legend& legend, std::string label, const glm::vec3& color = kLookZero) {
  legend.entries.push_back({srgb_from_linear(color), std::move(label)});
}

std::string reference_text(const Compare& compare) {
  switch (compare.reference) {
    case Reference::kBindShape:
      return "against the bind shape";
    case Reference::kPane:
      return fmt::format("against pane {}", compare.pane + 1);
    case Reference::kMethod:
      return fmt::format("against {}", deform::skinning_methods()[compare.method].label);
    case Reference::kFullPrecision:
      return "against full precision";
    case Reference::kOtherBackend:
      break;
  }
  return "between the CPU's and the GPU's result";
}

void add_difference(Legend& legend, const Compare& compare, const DifferenceScale& scale) {
  const measure::MeasureInfo& measure = measure::info(scale.measure);
  legend.title = fmt::format("{} {}", measure.label, reference_text(compare));
  if (scale.logarithmic) {
    legend.unit = "of the diagonal";
    legend.ramp = stops(sequential_ramp);
    legend.ticks = {{0.0f, "1e-8"}, {0.25f, "1e-7"}, {0.5f, "1e-6"}, {0.75f, "1e-5"}, {1.0f, "1e-4"}};
    add_zero(legend, "equal");
    return;
  }
  if (!(scale.end > 0.0f)) {
    legend.entries.push_back({srgb_from_linear(difference_color(scale, 0.0f)), "no difference"});
    return;
  }
  legend.unit = measure.unit;
  const float lower = measure.diverging ? -scale.end : 0.0f;
  legend.ramp = stops([&](float at) {
    // The colour of exactly 0 is an entry of its own where values do not go below.
    const float level = lower / scale.end;
    const float value = level + at * (1.0f - level);
    return measure.diverging ? diverging_ramp(value * std::abs(value)) : sequential_ramp(value);
  });
  for (const float at : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
    const double shown = static_cast<double>(lower + at * (scale.end - lower)) * measure.shown_per_unit;
    legend.ticks.push_back({at, short_number(shown, measure.diverging)});
  }
  if (scale.measure == measure::Measure::kDistance && scale.diagonal > 0.0f) {
    const double share = 100.0 * static_cast<double>(scale.end / scale.diagonal);
    legend.unit +=
        fmt::format(", {} = {} % of the diagonal",
                    short_number(static_cast<double>(scale.end) * measure.shown_per_unit), short_number(share));
  }
  if (!measure.diverging) {
    add_zero(legend, "equal");
  }
}

bool has_rigid_parts(const rig::Character& character) {
  return std::any_of(character.parts.begin(), character.parts.end(),
                     [&](const rig::Part& part) { return !deform::is_skinned(character, part); });
}

void add_batches(Legend& legend, const rig::Character& character, std::span<const BatchInfo> batches) {
  legend.title = batches.empty() ? "Palette batches (none)" : fmt::format("Palette batches ({})", batches.size());
  std::set<std::pair<int, std::string>> listed;  // names of nodes need not be unique
  std::vector<Legend::Entry> rigid;
  for (BatchLook& look : batch_looks(character, batches)) {
    if (listed.emplace(look.joint, look.label).second) {
      (look.joint >= 0 ? rigid : legend.entries).push_back({look.color, std::move(look.label)});
    }
  }
  constexpr std::size_t kMost = kMostEntries;
  if (legend.entries.size() + rigid.size() <= kMost) {
    std::ranges::move(rigid, std::back_inserter(legend.entries));
  } else if (!rigid.empty()) {
    legend.title += ", rigid parts in their joint's colour";
  }
  if (legend.entries.size() > kMost) {
    const glm::vec3 rest = srgb_from_linear(kLookSkinnedRest);
    std::erase_if(legend.entries, [&](const Legend::Entry& entry) { return entry.color != rest; });
  }
}

}  // namespace

Legend legend(const rig::Character& character, const ViewSettings& view, std::span<const BatchInfo> batches,
              const DifferenceScale& scale) {
  Legend result;
  switch (view.look) {
    case Look::kShaded:
    case Look::kClay:
    case Look::kBaseColor:
    case Look::kUvChecker:
    case Look::kOcclusion:
    case Look::kRoughness:
    case Look::kMetallic:
    case Look::kWireframe:
      return result;
    case Look::kWeights:
    case Look::kMask:
      if (view.weight_joint >= 0 && view.weight_joint < character.skeleton->size()) {
        result.title = fmt::format("Weight of {}", character.skeleton->label(view.weight_joint));
        result.ramp = stops(view.look == Look::kMask ? mask_ramp : sequential_ramp);
        result.ticks = {{0.0f, "0"}, {0.25f, "0.25"}, {0.5f, "0.5"}, {0.75f, "0.75"}, {1.0f, "1"}};
        for (int tenth = 1; tenth < 10 && shows_isolines(view); ++tenth) {
          result.lines.push_back(static_cast<float>(tenth) / 10.0f);
        }
        add_zero(result, "not moved by it", view.look == Look::kMask ? kLookMaskZero : kLookZero);
      } else {
        result.title = "Weights of all joints, mixed";
        const auto& is_joint = character.skeleton->is_joint;
        if (std::count(is_joint.begin(), is_joint.end(), char{1}) <= kMostEntries) {
          for (int j = 0; j < character.skeleton->size(); ++j) {
            if (is_joint[j] != 0) {
              result.entries.push_back({joint_color(j), character.skeleton->label(j)});
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
      add_batches(result, character, batches);
      return result;
    case Look::kNormals:
    case Look::kTangents:
      result.title = view.look == Look::kNormals ? "Normal, world axes" : "Tangent, world axes";
      result.entries = {{{1.0f, 0.5f, 0.5f}, "+x"}, {{0.5f, 1.0f, 0.5f}, "+y"}, {{0.5f, 0.5f, 1.0f}, "+z"}};
      return result;
    case Look::kDifference:
      add_difference(result, view.compare, scale);
      return result;
  }
  if (has_rigid_parts(character)) {
    result.entries.push_back({srgb_from_linear(kLookNoInfluence), "no skin"});
  }
  return result;
}

}  // namespace pelt::render
