// The closed forms stand in ALGORITHMS.md §7 (linear blending: every vertex lies on the chord between the places
// where its joints would put it), §22 (dual quaternions: on the arc) and §53.

#include "edit/teaching.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "deform/skinning_methods.h"
#include "math/angle.h"
#include "measure/diet.h"
#include "measure/skin_meter.h"

namespace pelt::edit {
namespace {

constexpr std::size_t kCylinderVertices = 1314;
constexpr std::uint32_t kAround = 32;  // vertices of a ring of F-CYL
constexpr double kRadius = 0.1;        // metres
constexpr double kNoTurn = 1e-6;       // radians
constexpr float kMarkSlack = 1e-4f;    // radians: limits are rounded

const mesh::Primitive* only_primitive(const rig::Character& character) {
  return character.parts.size() == 1 && deform::is_skinned(character, character.parts[0])
             ? &character.primitive(character.parts[0])
             : nullptr;
}

/// How far joint j is turned about an axis of its own since the rest pose, radians; nothing where another turn or any
/// shift is in it.
std::optional<double> turned_about(const Document& document, int j, const glm::dvec3& axis) {
  const Transform& rest = document.character->skeleton->rest[j];
  const Transform now = evaluate_pose(document).local[j];
  if (now.translation != rest.translation || now.scale != rest.scale) {
    return std::nullopt;
  }
  const glm::dquat q = normalized_or_identity(glm::conjugate(glm::dquat(rest.rotation)) * glm::dquat(now.rotation));
  const SwingTwist<double> parts = swing_twist(q, axis);
  // Half a turn about another axis has no twist to speak of.
  if (glm::length(rotation_vector(parts.swing)) > kNoTurn) {
    return std::nullopt;
  }
  return twist_angle(parts.twist, axis);
}

bool is_linear(std::string_view method) {
  return method == "lbs" || method == "lbs-sum";
}

/// Where a point goes that follows a joint with weight w, turned by `angle` about `axis` through `pivot`, and otherwise
/// stays; nothing where the method has no closed form.
std::optional<glm::dvec3> blended(std::string_view method, double w, double angle, const glm::dvec3& axis,
                                  const glm::dvec3& pivot, const glm::dvec3& point) {
  const auto turned = [&](double by) { return pivot + glm::angleAxis(by, axis) * (point - pivot); };
  if (method == "rigid") {
    return w > 0.5 ? turned(angle) : point;
  }
  if (is_linear(method)) {
    return (1 - w) * point + w * turned(angle);
  }
  if (method == "dqs") {
    return turned(2 * std::atan2(w * std::sin(angle / 2), 1 - w + w * std::cos(angle / 2)));  // C22.3
  }
  if (method == "dqs-exact") {
    return turned(w * angle);
  }
  return std::nullopt;
}

std::vector<TeachingRow> cylinder_rows(const Document& document, const deform::DeformedCharacter& shape, int tip) {
  const rig::Character& character = *document.character;
  const std::string_view method = deform::skinning_methods()[document.content.skinning.method].id;
  const bool linear = is_linear(method);
  const bool keeps_rings = method == "dqs" || method == "dqs-exact" || method == "cor" || method == "rigid";
  const std::span<const glm::vec3> positions = shape.parts[0].positions;
  const auto at = [&](std::uint32_t ring, std::uint32_t k) { return glm::dvec3(positions[ring * kAround + k]); };
  const measure::SkinMeter meter(character);
  std::vector<TeachingRow> rows;
  const auto add_volume = [&](const std::string& name, double ratio, const std::string& formula) {
    rows.push_back({name, "", linear ? std::optional(ratio) : std::nullopt, meter.collapse(shape).volume_ratio, formula,
                    "volume_ratio"});
  };
  if (const std::optional<double> twist = turned_about(document, tip, {1, 0, 0})) {
    const double s = std::sin(*twist / 2);
    const auto add_ring = [&](const std::string& name, std::uint32_t i, double w, const std::string& formula,
                              const std::string& quantity) {
      measure::Ring ring;
      for (std::uint32_t k = 0; k < kAround; ++k) {
        ring.points.push_back({i * kAround + k, i * kAround + k, 0.0});
      }
      const std::optional<double> closed_form = linear ? std::optional(kRadius * std::sqrt(1 - 4 * w * (1 - w) * s * s))
                                                : keeps_rings ? std::optional(kRadius)
                                                              : std::nullopt;
      rows.push_back(
          {name, "m", closed_form, meter.radius(ring, shape).mean, linear ? formula : "r", quantity, kRadius});
    };
    add_ring("ring radius where the weights are 1/2, 1/2", 20, 0.5, "r |cos(\u03b8/2)|", "ring_radius");
    add_ring("ring radius where the weights are 3/4, 1/4", 18, 0.25, "r \u221a(1 \u2212 \u00be sin\u00b2(\u03b8/2))",
             {});
    add_volume("volume against rest (of a tube without facets)", 1 - 0.2 * 2 / 3 * s * s,
               "1 \u2212 2/15 sin\u00b2(\u03b8/2)");
  }
  if (const std::optional<double> bend = turned_about(document, tip, {0, 0, 1})) {
    const double s = std::sin(*bend / 2);
    const std::optional<double> narrowed = linear        ? std::optional(kRadius * std::cos(*bend / 2))
                                           : keeps_rings ? std::optional(kRadius)
                                                         : std::nullopt;
    const std::optional<double> kept = linear || keeps_rings ? std::optional(kRadius) : std::nullopt;
    rows.push_back({"half width at the joint, in the plane of the bend", "m", narrowed,
                    glm::length(at(20, 0) - at(20, kAround / 2)) / 2, linear ? "r cos(\u03b8/2)" : "r"});
    rows.push_back({"half width at the joint, across it", "m", kept,
                    glm::length(at(20, kAround / 4) - at(20, 3 * kAround / 4)) / 2, "r"});
    add_volume("volume against rest (of this tube)", 1 - 0.06875 * s * s, "1 \u2212 0.06875 sin\u00b2(\u03b8/2)");
  }
  return rows;
}

constexpr std::size_t kTubeVertices = 1353;
constexpr std::uint32_t kTubeAround = 33;  // vertices of a ring of the tube, the last one on the first
constexpr std::uint32_t kTubeMiddle = 20;  // ring
// Covariance of place along the tube and weight of the tip over the control points of the middle ring, metres: rows
// stand 0.1 and 0.3 on either side of the joint, with shares 23/48 and 1/48 each.
constexpr double kTubeCovariance = 13.0 / 240;

/// Two surfaces of linear blending differ by (R - 1) Cov(w, x) of each ring, §52; a twist leaves the axis alone.
std::vector<TeachingRow> tube_rows(const Document& document, const deform::DeformedCharacter& shape, int tip) {
  const std::optional<double> twist = turned_about(document, tip, {1, 0, 0});
  const std::optional<double> bend = turned_about(document, tip, {0, 0, 1});
  if (!twist && !bend) {
    return {};
  }
  const deform::SkinningSettings& skinning = document.content.skinning;
  const std::string_view method = deform::skinning_methods()[skinning.method].id;
  const bool linear = is_linear(method);
  const bool keeps_rings = method == "dqs" || method == "dqs-exact" || method == "cor";
  deform::SkinningSettings other = in_effect(document, skinning);
  const bool after = skinning.refine == deform::Refine::kAfterSkin;
  other.refine = after ? deform::Refine::kBeforeSkin : deform::Refine::kAfterSkin;
  const deform::DeformedCharacter other_shape =
      deform::deform_once(*document.character, deformed_pose(document, evaluate_pose(document)), other);
  const std::span<const glm::vec3> positions = shape.parts[0].positions;
  const auto at = [&](std::uint32_t k) { return glm::dvec3(positions[kTubeMiddle * kTubeAround + k]); };
  double apart = 0;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    apart = std::max(apart, glm::distance(glm::dvec3(positions[v]), glm::dvec3(other_shape.parts[0].positions[v])));
  }
  const double s = std::abs(std::sin((bend ? *bend : *twist) / 2));
  std::vector<TeachingRow> rows;
  rows.push_back({.name = "largest distance of the two surfaces",
                  .unit = "m",
                  .closed_form = linear ? std::optional(bend ? 2 * kTubeCovariance * s : 0.0) : std::nullopt,
                  .measured = apart,
                  .formula = bend ? "13/120 |sin(\u03b8/2)|" : "0",
                  .quantity = "refine_distance"});
  // Rows of one joint each leave every method the chord between them.
  const bool rigid_rows = linear || keeps_rings || method == "rigid" || method == "lbs-dqs";
  const double chord = kRadius * std::abs(std::cos((bend ? *bend : *twist) / 2));
  const std::optional<double> width = after         ? (rigid_rows ? std::optional(chord) : std::nullopt)
                                      : linear      ? std::optional(chord)
                                      : keeps_rings ? std::optional(kRadius)
                                                    : std::nullopt;
  rows.push_back({.name = bend ? "half width at the joint, in the plane of the bend" : "radius at the joint",
                  .unit = "m",
                  .closed_form = width,
                  .measured = glm::length(at(0) - at(kTubeAround / 2)) / 2,
                  .formula = width == std::optional(kRadius) && !after && keeps_rings ? "r" : "r |cos(\u03b8/2)|",
                  .rest = kRadius});
  return rows;
}

bool is_tube(const rig::Character& character) {
  const mesh::Primitive* primitive = only_primitive(character);
  return primitive != nullptr && primitive->has_cage() && primitive->vertex_count() == kTubeVertices &&
         glm::distance(primitive->positions[kTubeMiddle * kTubeAround], glm::vec3(0.5f, 0.1f, 0)) < 1e-5f &&
         character.skeleton->find("root") >= 0 && character.skeleton->find("tip") >= 0;
}

/// A = (3, 1) follows the forearm, which turns about (4, 0), by a fifth.
struct ElbowFormulas {
  std::string x;
  std::string y;
  std::string distance;
};
ElbowFormulas elbow_formulas(std::string_view method) {
  if (is_linear(method)) {
    return {"3.2 \u2212 0.2 (cos \u03b8 + sin \u03b8)", "0.8 + 0.2 (cos \u03b8 \u2212 sin \u03b8)",
            "\u221a2 \u221a(1 \u2212 0.64 sin\u00b2(\u03b8/2))"};
  }
  if (method == "dqs" || method == "dqs-exact") {
    const std::string turn =
        method == "dqs" ? "\u03c6 = 2 atan(0.2 sin(\u03b8/2) / (0.8 + 0.2 cos(\u03b8/2)))" : "\u03c6 = 0.2 \u03b8";
    return {"4 \u2212 cos \u03c6 \u2212 sin \u03c6, " + turn, "cos \u03c6 \u2212 sin \u03c6", "\u221a2"};
  }
  return {"3", "1", "\u221a2"};  // rigid: the upper arm alone
}

std::vector<TeachingRow> elbow_rows(const Document& document, const deform::DeformedCharacter& shape, int forearm,
                                    std::size_t vertex) {
  const std::optional<double> bend = turned_about(document, forearm, {0, 0, 1});
  if (!bend) {
    return {};
  }
  const rig::Skeleton& skeleton = document.character->skeleton;
  const rig::Pose pose = evaluate_pose(document);
  for (int j = 0; j < skeleton.size(); ++j) {
    const std::size_t i = j;
    if (j != forearm && !(pose.local[i] == skeleton.rest[i])) {
      return {};  // the closed form holds the upper arm still
    }
  }
  const std::string_view method = deform::skinning_methods()[document.content.skinning.method].id;
  const glm::dvec3 pivot(4, 0, 0);
  const std::optional<glm::dvec3> expected = blended(method, 0.2, *bend, {0, 0, 1}, pivot, {3, 1, 0});
  const glm::dvec3 measured(shape.parts[0].positions[vertex]);
  const auto of_expected = [&](auto&& value) {
    return expected ? std::optional<double>(value(*expected)) : std::nullopt;
  };
  const auto distance = [&](const glm::dvec3& p) { return glm::length(p - pivot); };
  const ElbowFormulas formulas = elbow_formulas(method);
  // A plot of the pinned vertex is about A only where A is what is pinned.
  const bool pinned = document.view.pinned_part == 0 && document.view.pinned_vertex == static_cast<int>(vertex);
  return {{.name = "vertex A, x",
           .unit = "m",
           .closed_form = of_expected([](const glm::dvec3& p) { return p.x; }),
           .measured = measured.x,
           .formula = formulas.x},
          {.name = "vertex A, y",
           .unit = "m",
           .closed_form = of_expected([](const glm::dvec3& p) { return p.y; }),
           .measured = measured.y,
           .formula = formulas.y},
          {.name = "distance of A to the hinge",
           .unit = "m",
           .closed_form = of_expected(distance),
           .measured = distance(measured),
           .formula = formulas.distance,
           .quantity = pinned ? "pinned_distance" : "",
           .rest = std::numbers::sqrt2}};
}

bool is_cylinder(const rig::Character& character) {
  const mesh::Primitive* primitive = only_primitive(character);
  // Bound anew in another pose it is a tube of another shape.
  return primitive != nullptr && primitive->vertex_count() == kCylinderVertices &&
         glm::distance(primitive->positions[20 * kAround], glm::vec3(0.5f, 0.1f, 0)) < 1e-5f &&
         character.skeleton->find("root") >= 0 && character.skeleton->find("tip") >= 0;
}

}  // namespace

std::vector<TeachingRow> teaching_rows(const Document& document, const deform::DeformedCharacter& shape) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  const mesh::Primitive* primitive = only_primitive(*document.character);
  if (primitive == nullptr || shape.parts.size() != 1) {
    return {};
  }
  // The formulas are those of the weights as they are.
  const deform::SkinningSettings& skinning = document.content.skinning;
  if (!(measure::full_precision(skinning) == skinning)) {
    return {};
  }
  if (is_cylinder(*document.character)) {
    return cylinder_rows(document, shape, skeleton.find("tip"));
  }
  if (is_tube(*document.character)) {
    return tube_rows(document, shape, skeleton.find("tip"));
  }
  if (const std::optional<glm::ivec2> a = teaching_vertex(*document.character)) {
    return elbow_rows(document, shape, skeleton.find("forearm"), static_cast<std::size_t>(a->y));
  }
  return {};
}

std::optional<glm::ivec2> teaching_vertex(const rig::Character& character) {
  const mesh::Primitive* primitive = only_primitive(character);
  if (primitive == nullptr || character.skeleton->find("upper_arm") < 0 || character.skeleton->find("forearm") < 0) {
    return std::nullopt;
  }
  const auto a = std::ranges::find(primitive->positions, glm::vec3(3, 1, 0));
  return a == primitive->positions.end()
             ? std::nullopt
             : std::optional(glm::ivec2(0, static_cast<int>(a - primitive->positions.begin())));
}

std::vector<float> teaching_marks(const rig::Character& character, const rig::Dof& dof) {
  if (dof.kind != rig::DofKind::kRotation ||
      !(is_cylinder(character) || is_tube(character) || teaching_vertex(character))) {
    return {};
  }
  std::vector<float> marks;
  for (const double degrees : {-180.0, -60.0, 60.0, 180.0}) {
    const auto mark = static_cast<float>(degrees * kDegree);
    if (mark >= dof.lower - kMarkSlack && mark <= dof.upper + kMarkSlack) {
      marks.push_back(mark);
    }
  }
  return marks;
}

}  // namespace pelt::edit
