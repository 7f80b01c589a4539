#include "render/look_colors.h"

// Lightness, chroma and hue: Bjoern Ottosson, "A perceptual color space for image processing" (OKLab), 2020.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <glm/gtc/constants.hpp>

#include "core/expect.h"
#include "core/index.h"

namespace pelt::render {
namespace {

glm::vec3 linear_from_oklab(float lightness, float a, float b) {
  const float l = lightness + 0.3963377774f * a + 0.2158037573f * b;
  const float m = lightness - 0.1055613458f * a - 0.0638541728f * b;
  const float s = lightness - 0.0894841775f * a - 1.2914855480f * b;
  const glm::vec3 lms(l * l * l, m * m * m, s * s * s);
  return {4.0767416621f * lms.x - 3.3077115913f * lms.y + 0.2309699292f * lms.z,
          -1.2684380046f * lms.x + 2.6097574011f * lms.y - 0.3413193965f * lms.z,
          -0.0041960863f * lms.x - 0.7034186147f * lms.y + 1.7076147010f * lms.z};
}

/// @param turns  hue, 1 for the full circle. Chroma shrinks until the colour can be shown.
glm::vec3 linear_from_oklch(float lightness, float chroma, float turns) {
  const float angle = turns * glm::two_pi<float>();
  for (;; chroma *= 0.96f) {
    const glm::vec3 rgb = linear_from_oklab(lightness, chroma * std::cos(angle), chroma * std::sin(angle));
    const bool fits = std::min({rgb.r, rgb.g, rgb.b}) >= 0.0f && std::max({rgb.r, rgb.g, rgb.b}) <= 1.0f;
    if (fits || chroma < 1e-3f) {
      return glm::clamp(rgb, 0.0f, 1.0f);
    }
  }
}

float fraction(double value) {
  return static_cast<float>(value - std::floor(value));
}

/// Additive recurrences with irrational steps spread any run of numbers evenly: hue by the golden ratio, and lightness
/// and chroma by steps that keep close hues apart.
glm::vec3 spread_color(int index, double hue_start) {
  constexpr double kGolden = 0.6180339887498949;
  constexpr double kLightnessStep = 0.7548776662466927;
  constexpr double kChromaStep = 0.5698402909980532;
  const float lightness = 0.56f + 0.26f * fraction(0.25 + index * kLightnessStep);
  const float chroma = 0.12f + 0.05f * fraction(index * kChromaStep);
  return linear_from_oklch(lightness, chroma, fraction(hue_start + index * kGolden));
}

glm::vec4 opaque(const glm::vec3& color) {
  return {color, 1.0f};
}

/// Between colours that are evenly spread over 0..1.
glm::vec3 mixed_of(std::span<const glm::vec3> stops, float value) {
  const float at = glm::clamp(value, 0.0f, 1.0f) * static_cast<float>(stops.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  return glm::mix(stops[i], stops[i + 1], at - static_cast<float>(i));
}

/// The slot of skeleton index `joint` in the part's skin, -1 where the skin does not list it.
int slot_of(const rig::Skin& skin, int joint) {
  const auto found = std::find(skin.joints.begin(), skin.joints.end(), joint);
  return found == skin.joints.end() ? -1 : static_cast<int>(found - skin.joints.begin());
}

}  // namespace

std::span<const glm::vec3> sequential_stops() {
  // OKLab lightness 0.36 to 0.95; hue 288 degrees over 360 to 105.
  static constexpr std::array<glm::vec3, kSequentialStops> kStops = {{
      {0.0470f, 0.0219f, 0.2174f},
      {0.0863f, 0.0211f, 0.2603f},
      {0.1434f, 0.0191f, 0.2909f},
      {0.2221f, 0.0155f, 0.3034f},
      {0.3250f, 0.0127f, 0.2888f},
      {0.4466f, 0.0175f, 0.2427f},
      {0.5793f, 0.0258f, 0.1909f},
      {0.7142f, 0.0403f, 0.1380f},
      {0.8321f, 0.0703f, 0.0907f},
      {0.9187f, 0.1217f, 0.0544f},
      {0.9756f, 0.1927f, 0.0280f},
      {0.9964f, 0.2858f, 0.0159f},
      {0.9991f, 0.4104f, 0.0347f},
      {0.9987f, 0.5559f, 0.0747f},
      {0.9982f, 0.7186f, 0.1232f},
      {0.9874f, 0.9047f, 0.1714f},
  }};
  return kStops;
}

std::span<const glm::vec3> mask_stops() {
  static const std::array<glm::vec3, kSequentialStops> kStops = [] {
    std::array<glm::vec3, kSequentialStops> stops{};
    for (std::size_t i = 0; i < stops.size(); ++i) {
      stops[i] = linear_from_srgb(glm::vec3(static_cast<float>(i) / static_cast<float>(stops.size() - 1)));
    }
    return stops;
  }();
  return kStops;
}

glm::vec3 sequential_ramp(float value) {
  return mixed_of(sequential_stops(), value);
}

glm::vec3 mask_ramp(float value) {
  return mixed_of(mask_stops(), value);
}

glm::vec3 diverging_ramp(float value) {
  const float t = std::sqrt(std::min(std::abs(value), 1.0f));
  // Straight lines in OKLab between equally light ends and a light grey.
  const glm::vec3 middle(0.86f, 0.0f, 0.005f);
  const glm::vec3 end = value < 0.0f ? glm::vec3(0.47f, -0.045f, -0.155f) : glm::vec3(0.54f, 0.175f, 0.105f);
  const glm::vec3 lab = glm::mix(middle, end, t);
  return glm::clamp(linear_from_oklab(lab.x, lab.y, lab.z), 0.0f, 1.0f);
}

glm::vec3 count_color(int count) {
  struct Step {
    float lightness, chroma, hue;  // hue in degrees
  };
  // Up to four (what every device takes at once) blue to green, growing lighter; above, yellow to crimson, growing
  // darker.
  static constexpr std::array<Step, kLookCounts> kSteps = {{{0.33f, 0.02f, 260},
                                                            {0.43f, 0.14f, 265},
                                                            {0.56f, 0.14f, 245},
                                                            {0.68f, 0.11f, 205},
                                                            {0.79f, 0.14f, 160},
                                                            {0.92f, 0.16f, 104},
                                                            {0.80f, 0.16f, 72},
                                                            {0.67f, 0.19f, 42},
                                                            {0.47f, 0.18f, 15}}};
  const Step& step = kSteps[std::clamp(count, 0, kLookCounts - 1)];
  return linear_from_oklch(step.lightness, step.chroma, step.hue / 360.0f);
}

glm::vec3 joint_color(int joint) {
  return srgb_from_linear(spread_color(joint, 0.08));
}

std::vector<BatchLook> batch_looks(const rig::Character& character, std::span<const BatchInfo> batches) {
  std::vector<BatchLook> looks;
  int next = 0;  // number of a part that is not in the table
  for (const BatchInfo& batch : batches) {
    next = std::max(next, batch.batch + 1);
  }
  const auto add_joint = [&](int part, int joint) {
    looks.push_back({part, joint_color(joint), character.skeleton->label(joint), joint});
  };
  const auto add_number = [&](int part, int number) {
    looks.push_back({part, batch_color(number), fmt::format("{}", number)});
  };
  std::size_t row = 0;
  for (int p = 0; p < static_cast<int>(character.parts.size()); ++p) {
    const rig::Part& part = character.parts[p];
    std::size_t end = row;
    bool parted = false;
    for (; end < batches.size() && batches[end].part == p; ++end) {
      parted = parted || batches[end].rigid_slot >= 0;
    }
    if (row == end && !deform::is_skinned(character, part)) {
      add_joint(p, part.joint);
    } else if (row == end) {
      add_number(p, next++);
    }
    for (; row < end; ++row) {
      const BatchInfo& batch = batches[row];
      if (batch.rigid_slot >= 0) {
        const rig::Skin& skin = character.skins[part.skin];
        add_joint(p, skin.joints[batch.rigid_slot]);
      } else if (parted) {
        looks.push_back({p, srgb_from_linear(kLookSkinnedRest), "several joints"});
      } else {
        add_number(p, batch.batch);
      }
    }
  }
  return looks;
}

glm::vec3 batch_color(int batch) {
  return srgb_from_linear(spread_color(batch, 0.60));
}

glm::vec3 srgb_from_linear(glm::vec3 linear) {
  for (int c = 0; c < 3; ++c) {
    const float x = linear[c];
    linear[c] = x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1.0f / 2.4f) - 0.055f;
  }
  return linear;
}

glm::vec3 linear_from_srgb(glm::vec3 srgb) {
  for (int c = 0; c < 3; ++c) {
    const float x = srgb[c];
    srgb[c] = x <= 0.04045f ? x / 12.92f : std::pow((x + 0.055f) / 1.055f, 2.4f);
  }
  return srgb;
}

std::vector<glm::vec4> look_colors(const rig::Character& character, int part_index, const ViewSettings& view,
                                   const deform::SkinningSettings& settings, const DifferenceMap* map,
                                   const DifferenceScale& scale) {
  PELT_EXPECT(has_index(character.parts, part_index), "a part");
  const rig::Part& part = character.parts[part_index];
  const mesh::Primitive& primitive = character.primitive(part);
  const std::size_t vertex_count = primitive.vertex_count();

  switch (view.look) {
    case Look::kShaded:
    case Look::kClay:
    case Look::kBatches:
    case Look::kNormals:
    case Look::kTangents:
    case Look::kBaseColor:
    case Look::kUvChecker:
    case Look::kOcclusion:
    case Look::kRoughness:
    case Look::kMetallic:
    case Look::kWireframe:
      return {};
    case Look::kDifference: {
      std::vector<glm::vec4> colors(vertex_count, opaque(kLookZero));
      if (map != nullptr) {
        PELT_EXPECT(map->values.size() == character.parts.size(), "values of every part");
        const std::vector<float>& values = map->values[part_index];
        PELT_EXPECT(values.size() == vertex_count, "one value per vertex");
        for (std::size_t v = 0; v < vertex_count; ++v) {
          colors[v] = opaque(difference_color(scale, values[v]));
        }
      }
      return colors;
    }
    case Look::kWeights:
    case Look::kMask:
    case Look::kInfluences:
    case Look::kWeightSum:
      break;
  }

  const bool is_mask = view.look == Look::kMask;
  std::vector<glm::vec4> colors(vertex_count, opaque(is_mask ? kLookZero : kLookNoInfluence));
  if (!deform::is_skinned(character, part)) {
    return colors;
  }
  const rig::Skin& skin = character.skins[part.skin];
  const mesh::Influences influences = deform::effective_influences(primitive, settings);
  const int slot = slot_of(skin, view.weight_joint);
  std::vector<glm::vec3> joint_colors;
  if (is_weight_look(view.look) && view.weight_joint < 0) {
    for (const int joint : skin.joints) {
      joint_colors.push_back(linear_from_srgb(joint_color(joint)));
    }
  }
  for (std::size_t v = 0; v < vertex_count; ++v) {
    const mesh::InfluenceRow row = influences.row(v);
    if (view.look == Look::kWeightSum) {
      colors[v] = opaque(diverging_ramp((row.stored_sum - 1.0f) / kLookSumRange));
    } else if (view.look == Look::kInfluences) {
      colors[v] = opaque(count_color(static_cast<int>(row.joints.size())));
    } else if (!joint_colors.empty()) {
      if (row.joints.empty()) {
        continue;
      }
      glm::vec3 blend(0.0f);
      for (std::size_t i = 0; i < row.joints.size(); ++i) {
        blend += row.weights[i] * joint_colors[row.joints[i]];
      }
      colors[v] = opaque(blend);
    } else {
      const float stored = settings.weights_as_stored ? row.stored_sum : 1.0f;
      float weight = 0.0f;
      for (std::size_t i = 0; i < row.joints.size(); ++i) {
        if (static_cast<int>(row.joints[i]) == slot) {
          weight = row.weights[i] * stored;
        }
      }
      colors[v] = glm::vec4(is_mask ? mask_ramp(weight) : weight > 0.0f ? sequential_ramp(weight) : kLookZero, weight);
    }
  }
  return colors;
}

}  // namespace pelt::render
