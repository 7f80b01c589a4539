// What clips tell of a joint: how far each of its degrees of freedom goes, and how many it needs.
#include "rig/learned_limits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>

#include "core/expect.h"
#include "math/angle.h"
#include "math/polar.h"

namespace pelt::rig {
namespace {

constexpr double kSweepsForHalf = 4;   // so many sweeps give half of the confidence
constexpr double kUncounted = 0.1;     // of the range: a smaller move is no travel
constexpr double kLeastShift = 1e-3;   // of the joint's largest distance or scale: a smaller move is rounding
constexpr double kDegreeSlack = 1e-3;  // degrees: what rounding to whole degrees takes for rounding of numbers
constexpr double kHalfTurn = std::numbers::pi;

/// What one clip says about one joint.
struct ClipSamples {
  std::array<bool, 3> tells{};    ///< by DofKind: it has keys of it
  std::vector<Transform> locals;  ///< in the order of time
};

DofKind kind_of(ChannelPath path) {
  return path == ChannelPath::kRotation ? DofKind::kRotation
         : path == ChannelPath::kScale  ? DofKind::kScale
                                        : DofKind::kTranslation;
}

bool is_finite_local(const Transform& t) {
  const glm::quat& q = t.rotation;
  return pelt::is_finite(t.translation) && pelt::is_finite(t.scale) && pelt::is_finite({q.x, q.y, q.z}) &&
         std::isfinite(q.w);
}

// The keys and the middles between them, at most so many, both ends among them.
std::vector<float> times_of(std::span<const Channel* const> channels, std::size_t most) {
  std::vector<float> keys;
  for (const Channel* channel : channels) {
    keys.insert(keys.end(), channel->times.begin(), channel->times.end());
  }
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<float> all;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0) {
      all.push_back(keys[i - 1] + (keys[i] - keys[i - 1]) / 2);
    }
    all.push_back(keys[i]);
  }
  const std::size_t wanted = std::max<std::size_t>(most, 2);
  if (all.size() <= wanted) {
    return all;
  }
  std::vector<float> out;
  for (std::size_t i = 0; i < wanted; ++i) {
    out.push_back(all[i * (all.size() - 1) / (wanted - 1)]);
  }
  return out;
}

Transform local_at(std::span<const Channel* const> channels, float time, Transform local) {
  for (const Channel* channel : channels) {
    std::array<float, 4> v{};
    sample(*channel, time, std::span(v).first(channel->path == ChannelPath::kRotation ? 4 : 3));
    if (channel->path == ChannelPath::kRotation) {
      local.rotation = normalized_or_identity(quat_xyzw(v[0], v[1], v[2], v[3]));
    } else {
      (channel->path == ChannelPath::kScale ? local.scale : local.translation) = {v[0], v[1], v[2]};
    }
  }
  return local;
}

std::vector<ClipSamples> samples_of(const Character& character, int joint, std::size_t most) {
  std::vector<ClipSamples> out;
  const Transform& rest = character.skeleton->rest[joint];
  for (const Clip& clip : character.clips) {
    std::vector<const Channel*> channels;
    ClipSamples samples;
    for (const Channel& channel : clip.channels) {
      if (channel.joint == joint && channel.path != ChannelPath::kWeights && !channel.times.empty()) {
        channels.push_back(&channel);
        samples.tells[static_cast<std::size_t>(kind_of(channel.path))] = true;
      }
    }
    for (const float time : times_of(channels, most)) {
      const Transform local = local_at(channels, time, rest);
      if (is_finite_local(local)) {
        samples.locals.push_back(local);
      }
    }
    if (!samples.locals.empty()) {
      out.push_back(std::move(samples));
    }
  }
  return out;
}

/// The values of one DOF, clip by clip.
using Series = std::vector<std::vector<double>>;

struct Range {
  double lower = std::numeric_limits<double>::infinity();
  double upper = -std::numeric_limits<double>::infinity();

  void add(double value) {
    lower = std::min(lower, value);
    upper = std::max(upper, value);
  }
  void add(const Range& other) {
    lower = std::min(lower, other.lower);
    upper = std::max(upper, other.upper);
  }
  [[nodiscard]] bool is_empty() const { return lower > upper; }
  [[nodiscard]] double width() const { return is_empty() ? 0 : upper - lower; }
  [[nodiscard]] bool holds(double value) const { return value >= lower && value <= upper; }
};

Range range_of_values(std::span<const double> values) {
  Range out;
  for (const double value : values) {
    out.add(value);
  }
  return out;
}

/// How a range that is seen becomes limits.
struct Rule {
  double margin;
  bool whole_degrees;
  double start;  ///< the default value

  [[nodiscard]] Range limits(Range seen) const {
    if (!seen.is_empty()) {
      const double wider = margin * seen.width();
      seen.lower -= wider;
      seen.upper += wider;
      if (whole_degrees) {
        seen.lower = std::floor(seen.lower / kDegree + kDegreeSlack) * kDegree;
        seen.upper = std::ceil(seen.upper / kDegree - kDegreeSlack) * kDegree;
      }
    }
    seen.add(start);
    return seen;
  }
};

// The way that `values` go, from `at` on, without moves that are smaller than `least`.
double travel(std::span<const double> values, double least, double& at) {
  double way = 0;
  for (const double value : values) {
    if (std::abs(value - at) > least) {
      way += std::abs(value - at);
      at = value;
    }
  }
  return way;
}

// Where one clip alone moves the DOF, its halves are clips.
Series with_halves(Series series, double least) {
  std::size_t moving = series.size();
  int count = 0;
  for (std::size_t c = 0; c < series.size(); ++c) {
    if (range_of_values(series[c]).width() > least) {
      moving = c;
      ++count;
    }
  }
  if (count == 1 && series[moving].size() > 1) {
    const auto middle = series[moving].begin() + static_cast<std::ptrdiff_t>(series[moving].size() / 2);
    std::vector<double> second(middle, series[moving].end());
    series[moving].erase(middle, series[moving].end());
    series.insert(series.begin() + static_cast<std::ptrdiff_t>(moving) + 1, std::move(second));
  }
  return series;
}

// The limits that a series tells, with confidence; see learn_limits() for the formula. @pre it is moved
LearnedDof judged(Series series, const Rule& rule) {
  Range seen;
  for (const std::vector<double>& values : series) {
    seen.add(range_of_values(values));
  }
  Range reach = seen;
  reach.add(rule.start);
  const double least = kUncounted * reach.width();
  series = with_halves(std::move(series), least);
  std::vector<Range> before(series.size() + 1);  // of all clips before one
  std::vector<Range> after(series.size() + 1);   // and of it and all behind it
  for (std::size_t c = 0; c < series.size(); ++c) {
    before[c + 1] = before[c];
    before[c + 1].add(range_of_values(series[c]));
    const std::size_t back = series.size() - 1 - c;
    after[back] = after[back + 1];
    after[back].add(range_of_values(series[back]));
  }
  double at = rule.start;
  double way = 0;
  double covered = 0;
  for (std::size_t c = 0; c < series.size(); ++c) {
    const double own = travel(series[c], least, at);
    Range others = before[c];
    others.add(after[c + 1]);
    const Range limits = rule.limits(others);
    const auto inside = std::ranges::count_if(series[c], [&](double value) { return limits.holds(value); });
    covered += own * static_cast<double>(inside) / static_cast<double>(series[c].size());
    way += own;
  }
  const Range limits = rule.limits(seen);
  const double sweeps = way / reach.width();
  const double coverage = way > 0 ? covered / way : 0;
  return {.lower = static_cast<float>(limits.lower),
          .upper = static_cast<float>(limits.upper),
          .confidence = static_cast<float>(coverage * sweeps / (sweeps + kSweepsForHalf)),
          .seen_lower = static_cast<float>(seen.lower),
          .seen_upper = static_cast<float>(seen.upper),
          .sweeps = static_cast<float>(sweeps),
          .coverage = static_cast<float>(coverage)};
}

// What the clips must move a DOF by, so that it counts as moved.
double least_move(DofKind kind, const Transform& rest, std::span<const ClipSamples> clips) {
  if (kind == DofKind::kRotation) {
    return kStill * kDegree;
  }
  const auto part = [kind](const Transform& t) { return kind == DofKind::kScale ? t.scale : t.translation; };
  float largest = glm::length(part(rest));
  for (const ClipSamples& clip : clips) {
    for (const Transform& local : clip.locals) {
      largest = std::max(largest, glm::length(part(local)));
    }
  }
  return kLeastShift * static_cast<double>(largest);
}

bool is_moved(const Series& series, double start, double least) {
  Range reach;
  reach.add(start);
  for (const std::vector<double>& values : series) {
    reach.add(range_of_values(values));
  }
  return reach.width() > least;
}

// The values of all DOFs in a clip's samples, each next to those before it.
std::vector<std::vector<float>> values_of(const JointDofs& dofs, const ClipSamples& clip) {
  std::vector<std::vector<float>> out;
  std::vector<float> hint = default_values(dofs);
  for (const Transform& local : clip.locals) {
    hint = dofs_from_local(dofs, local, hint);
    out.push_back(hint);
  }
  return out;
}

// The angle between the twist axis and where the rotations take it, as clamp_to_limits() measures it.
double swing_of(const JointDofs& dofs, std::span<const float> values) {
  const int twist = std::max(dofs.find("twist"), 0);
  const glm::dvec3 axis = glm::normalize(glm::dvec3(dofs.dofs[twist].axis));
  const glm::dquat turn =
      glm::conjugate(glm::dquat(dofs.orientation)) * glm::dquat(local_from_dofs(dofs, values).rotation);
  return std::acos(std::clamp(glm::dot(axis, normalized_or_identity(turn) * axis), -1.0, 1.0));
}

LearnedDof untold(float lower, float upper) {
  return {.lower = lower, .upper = upper};
}

// Of the numbers of one kind: what `value_at(clip, sample)` is along the clips that tell of it.
template <typename Value>
Series series_of(std::span<const ClipSamples> clips, DofKind kind, const Value& value_at) {
  Series out;
  for (std::size_t c = 0; c < clips.size(); ++c) {
    if (!clips[c].tells[static_cast<std::size_t>(kind)]) {
      continue;
    }
    std::vector<double>& values = out.emplace_back();
    for (std::size_t s = 0; s < clips[c].locals.size(); ++s) {
      values.push_back(value_at(c, s));
    }
  }
  return out;
}

LearnedLimits learned_from(std::span<const ClipSamples> clips, const Transform& rest, const JointDofs& dofs,
                           const LimitOptions& options) {
  LearnedLimits out;
  out.clip_count = static_cast<int>(clips.size());
  std::vector<std::vector<std::vector<float>>> values;  // by clip, sample, DOF
  for (const ClipSamples& clip : clips) {
    values.push_back(values_of(dofs, clip));
    out.sample_count += clip.locals.size();
  }
  const auto margin = static_cast<double>(std::max(options.margin, 0.0f));
  for (std::size_t d = 0; d < dofs.dofs.size(); ++d) {
    const Dof& dof = dofs.dofs[d];
    const auto start = static_cast<double>(dof.default_value);
    Series series =
        series_of(clips, dof.kind, [&](std::size_t c, std::size_t s) { return static_cast<double>(values[c][s][d]); });
    out.dofs.push_back(is_moved(series, start, least_move(dof.kind, rest, clips))
                           ? judged(std::move(series), {margin, dof.kind == DofKind::kRotation, start})
                           : untold(dof.lower, dof.upper));
  }
  if (dofs.count(DofKind::kRotation) == 3) {
    const double start = swing_of(dofs, default_values(dofs));
    Series series = series_of(clips, DofKind::kRotation,
                              [&](std::size_t c, std::size_t s) { return swing_of(dofs, values[c][s]); });
    constexpr auto kAll = static_cast<float>(kHalfTurn);
    out.swing = is_moved(series, start, kStill * kDegree) ? judged(std::move(series), {margin, true, start})
                                                          : untold(0, dofs.swing_limit.value_or(kAll));
    out.swing->lower = 0;
    out.swing->upper = std::min(out.swing->upper, kAll);
  }
  return out;
}

/// Turns of a joint against rest, in its space at rest, clip by clip.
using Turns = std::vector<std::vector<glm::dquat>>;

Turns turns_of(std::span<const ClipSamples> clips, const Transform& rest) {
  Turns out;
  const glm::dquat back = glm::conjugate(normalized_or_identity(glm::dquat(rest.rotation)));
  for (const ClipSamples& clip : clips) {
    if (clip.tells[static_cast<std::size_t>(DofKind::kRotation)]) {
      std::vector<glm::dquat>& turns = out.emplace_back();
      for (const Transform& local : clip.locals) {
        turns.push_back(normalized_or_identity(back * glm::dquat(local.rotation)));
      }
    }
  }
  return out;
}

template <typename Each>
void for_each_turn(const Turns& turns, const Each& each) {
  for (const std::vector<glm::dquat>& clip : turns) {
    for (const glm::dquat& turn : clip) {
      each(turn);
    }
  }
}

// Angle of a rotation, radians, 0..pi.
double angle_of(const glm::dquat& q) {
  return 2 * std::atan2(glm::length(glm::dvec3(q.x, q.y, q.z)), std::abs(q.w));
}

// Axis, residual and range, as far as one axis tells.
void fit_hinge(const Turns& turns, JointRecognition& out) {
  glm::dmat3 moments(0.0);
  for_each_turn(turns, [&](const glm::dquat& turn) {
    const glm::dvec3 v(turn.x, turn.y, turn.z);
    moments += glm::outerProduct(v, v);
  });
  glm::dvec3 axis = singular_values(moments).v[0];
  Range range;
  double squares = 0;
  for (const std::vector<glm::dquat>& clip : turns) {
    double angle = 0;
    for (const glm::dquat& turn : clip) {
      const SwingTwist<double> parts = swing_twist(turn, axis);
      const double now = twist_angle(parts.twist, axis);
      angle = now + 2 * kHalfTurn * std::round((angle - now) / (2 * kHalfTurn));
      range.add(angle);
      const double off = angle_of(parts.swing);
      squares += off * off;
    }
  }
  if (range.upper < -range.lower) {
    axis = -axis;
    range = {-range.upper, -range.lower};
  }
  out.axis = glm::vec3(axis);
  out.lower = range.lower;
  out.upper = range.upper;
  out.residual = std::sqrt(squares / static_cast<double>(out.sample_count));
}

// The axes of a universal joint: `own` turns with the joint and is applied first, `outer` stays with the parent.
struct TwoAxes {
  glm::dvec3 own;
  glm::dvec3 outer;
  double residual = std::numeric_limits<double>::infinity();  // RMS angle, radians
};

// Least of sum (outer . R own)^2, each axis in turn the least principal direction of what the other makes.
TwoAxes improved(const Turns& turns, glm::dvec3 own, std::size_t count) {
  constexpr int kSteps = 30;
  TwoAxes out{own, own};
  for (int step = 0; step < kSteps; ++step) {
    glm::dmat3 around(0.0);
    around += glm::outerProduct(out.own, out.own);  // at rest they are perpendicular
    for_each_turn(turns, [&](const glm::dquat& turn) {
      const glm::dvec3 moved = turn * out.own;
      around += glm::outerProduct(moved, moved);
    });
    out.outer = singular_values(around).v[2];
    around = glm::outerProduct(out.outer, out.outer);
    for_each_turn(turns, [&](const glm::dquat& turn) {
      const glm::dvec3 seen = glm::conjugate(turn) * out.outer;
      around += glm::outerProduct(seen, seen);
    });
    out.own = singular_values(around).v[2];
  }
  out.own = glm::normalize(out.own - out.outer * glm::dot(out.own, out.outer));
  double squares = 0;
  for_each_turn(turns, [&](const glm::dquat& turn) {
    const double missing = std::asin(std::clamp(glm::dot(out.outer, turn * out.own), -1.0, 1.0));
    squares += missing * missing;
  });
  out.residual = std::sqrt(squares / static_cast<double>(count));
  return out;
}

TwoAxes fit_universal(const Turns& turns, const glm::dvec3& first, std::size_t count) {
  TwoAxes best;
  const glm::dmat3 frame = glm::mat3_cast(glm::dquat(shortest_rotation(glm::vec3(1, 0, 0), glm::vec3(first))));
  for (const glm::dvec3& start :
       {frame[0], frame[1], frame[2], glm::normalize(frame[1] + frame[2]), glm::normalize(frame[1] - frame[2])}) {
    const TwoAxes found = improved(turns, start, count);
    if (found.residual < best.residual) {
      best = found;
    }
  }
  return best;
}

Dof turning(std::string name, const glm::dvec3& axis) {
  constexpr auto kAll = static_cast<float>(kHalfTurn);
  return {.name = std::move(name), .axis = glm::vec3(glm::normalize(axis)), .lower = -kAll, .upper = kAll};
}

// The rotations of what was recognised, about axes in the frame of the rest pose; empty for a ball.
JointDofs recommended(const Transform& rest, const JointRecognition& found, const TwoAxes& two) {
  JointDofs out;
  out.offset = rest.translation;
  out.orientation = rest.rotation;
  out.scale = rest.scale;
  if (found.motion.type == JointType::kHinge) {
    out.dofs = {turning("bend", found.axis)};
  } else if (found.motion.type == JointType::kUniversal) {
    // "bend" is the axis that most of the turn is about.
    const glm::dvec3 main(found.axis);
    const bool is_own = std::abs(glm::dot(two.own, main)) >= std::abs(glm::dot(two.outer, main));
    out.dofs = {turning(is_own ? "bend" : "side", two.own), turning(is_own ? "side" : "bend", two.outer)};
  }
  return out;
}

// Whether limits learned for two axes show that both are needed.
bool turns_about_both(const LearnedLimits& learned) {
  return std::ranges::all_of(learned.dofs, [](const LearnedDof& dof) {
    return static_cast<double>(dof.seen_upper - dof.seen_lower) >= kLeastTurn * kDegree;
  });
}

}  // namespace

LearnedLimits learn_limits(const Character& character, int joint, const JointDofs& dofs, const LimitOptions& options) {
  PELT_EXPECT(joint >= 0 && joint < character.skeleton->size(), "joint index out of range");
  PELT_EXPECT(check_dofs(dofs).has_value(), "degrees of freedom that a joint can have");
  return learned_from(samples_of(character, joint, options.most_samples), character.skeleton->rest[joint], dofs,
                      options);
}

JointDofs with_limits(JointDofs dofs, const LearnedLimits& learned, float least_confidence) {
  PELT_EXPECT(learned.dofs.size() == dofs.dofs.size(), "limits of these degrees of freedom");
  const auto is_trusted = [least_confidence](const LearnedDof& dof) {
    return dof.confidence > 0 && dof.confidence >= least_confidence;
  };
  for (std::size_t d = 0; d < dofs.dofs.size(); ++d) {
    if (is_trusted(learned.dofs[d])) {
      dofs.dofs[d].lower = learned.dofs[d].lower;
      dofs.dofs[d].upper = learned.dofs[d].upper;
    }
  }
  if (learned.swing && is_trusted(*learned.swing)) {
    dofs.swing_limit = learned.swing->upper;
    if (learned.swing->upper >= static_cast<float>(kHalfTurn)) {
      dofs.swing_limit.reset();
    }
  }
  return dofs;
}

JointDofs without_limits(JointDofs dofs) {
  for (Dof& dof : dofs.dofs) {
    dof.lower = dof.upper = 0;
  }
  dofs.swing_limit.reset();
  dofs.authored = false;
  return dofs;
}

JointDofs recommended_dofs(const JointRecognition& found, const JointDofs& present, const glm::vec3& bone_direction) {
  JointDofs out = found.dofs;
  if (found.motion.type == JointType::kBall) {
    out = with_limits(change_type(present, found.motion, bone_direction), found.limits, 0);
  }
  out.authored = true;
  return out;
}

std::optional<JointRecognition> recognise_joint(const Character& character, int joint, const JointDofs& present,
                                                const LimitOptions& options) {
  PELT_EXPECT(joint >= 0 && joint < character.skeleton->size(), "joint index out of range");
  PELT_EXPECT(check_dofs(present).has_value(), "degrees of freedom that a joint can have");
  const std::size_t j = joint;
  const Transform& rest = character.skeleton->rest[j];
  const std::vector<ClipSamples> clips = samples_of(character, joint, options.most_samples);
  const Turns turns = turns_of(clips, rest);
  if (turns.empty()) {
    return std::nullopt;
  }
  JointRecognition out;
  double most = 0;
  for_each_turn(turns, [&](const glm::dquat& turn) {
    most = std::max(most, angle_of(turn));
    ++out.sample_count;
  });
  TwoAxes two;
  if (most <= kStill * kDegree) {
    out.motion.type = JointType::kFixed;
  } else {
    fit_hinge(turns, out);
    two = fit_universal(turns, glm::dvec3(out.axis), out.sample_count);
    out.two_axes = two.residual;
    const double range = out.upper - out.lower;
    const bool turns_enough = range >= kLeastTurn * kDegree;
    out.motion.type = turns_enough && out.residual <= kOffAxisShare * range   ? JointType::kHinge
                      : turns_enough && two.residual <= kOffAxisShare * range ? JointType::kUniversal
                                                                              : JointType::kBall;
  }
  out.dofs = recommended(rest, out, two);
  if (out.motion.type == JointType::kUniversal && !turns_about_both(learned_from(clips, rest, out.dofs, options))) {
    out.motion.type = JointType::kBall;
  }
  JointDofs shifted = default_dofs(rest, {});
  const LearnedLimits shifts = learned_from(clips, rest, shifted, options);
  out.motion.translates = false;
  for (std::size_t d = 0; d < shifted.dofs.size(); ++d) {
    out.motion.translates |= shifted.dofs[d].kind == DofKind::kTranslation && shifts.dofs[d].sweeps > 0;
  }
  const glm::vec3 bone = bone_direction(character.skeleton, joint);
  out.dofs = change_type(out.motion.type == JointType::kBall ? present : out.dofs, out.motion, bone);
  out.limits = learned_from(clips, rest, out.dofs, options);
  out.dofs = with_limits(std::move(out.dofs), out.limits, 0);
  out.confidence = out.motion.type == JointType::kFixed ? 0.0f : 1.0f;
  for (std::size_t d = 0; d < out.dofs.dofs.size(); ++d) {
    if (out.dofs.dofs[d].kind == DofKind::kRotation) {
      out.confidence = std::min(out.confidence, out.limits.dofs[d].confidence);
    }
  }
  out.dofs.authored = true;
  return out;
}

}  // namespace pelt::rig
