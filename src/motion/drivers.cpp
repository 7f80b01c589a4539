// J. Parks, "Helper joints: advanced deformations on runtime characters", GDC 2005.
#include "motion/drivers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "math/angle.h"
#include "motion/held_drivers.h"
#include "rig/dofs.h"

namespace pelt::motion {
namespace {

constexpr std::size_t kMostDriverInputs = 10'000;  // of all drivers together

// Which joints are the ends of a distance or above them. Made anew for each distance, since drivers may read many.
class DistanceEnds {
 public:
  explicit DistanceEnds(const rig::Skeleton& skeleton)
      : skeleton_(skeleton), one_(skeleton.parent.size(), 0), other_(skeleton.parent.size(), 0) {}

  void set(const FoundInput& input) {
    if (input.kind == InputKind::kDistance) {
      mark(one_, std::exchange(ends_[0], input.joint), input.joint);
      mark(other_, std::exchange(ends_[1], input.other), input.other);
    }
  }
  // Whether a change of one DOF of `joint` can change the distance: what stands above both ends carries both along,
  // unless it scales them, and turning a joint does not move its own origin.
  [[nodiscard]] bool moves_apart(int joint, rig::DofKind kind) const {
    if (one_[joint] == 0 && other_[joint] == 0) {
      return false;
    }
    if (one_[joint] != 0 && other_[joint] != 0) {
      return kind == rig::DofKind::kScale;
    }
    const bool is_end = joint == ends_[0] || joint == ends_[1];
    return !is_end || kind == rig::DofKind::kTranslation;
  }

 private:
  void mark(std::vector<char>& marks, int before, int now) const {
    for (; before >= 0; before = skeleton_.parent[before]) {
      marks[before] = 0;
    }
    for (; now >= 0; now = skeleton_.parent[now]) {
      marks[now] = 1;
    }
  }

  const rig::Skeleton& skeleton_;
  std::vector<char> one_;
  std::vector<char> other_;
  std::array<int, 2> ends_ = {-1, -1};
};

// Returns true if setting the control may change the input. @param ends  ends of the distance that the input measures
bool depends_on(const rig::Character& character, const FoundInput& input, const DistanceEnds& ends,
                const Control& control) {
  if (control.joint < 0 || input.kind == InputKind::kDof || input.kind == InputKind::kShape) {
    return (input.kind == InputKind::kDof || input.kind == InputKind::kShape) && input.control == control;
  }
  const rig::DofKind kind = character.skeleton->dofs[control.joint].dofs[control.dof].kind;
  if (input.kind == InputKind::kDistance) {
    return ends.moves_apart(control.joint, kind);
  }
  const bool is_turn = input.kind == InputKind::kSwing || input.kind == InputKind::kTwist;
  return is_turn && input.joint == control.joint && kind == rig::DofKind::kRotation;
}

Result<DriverRig::Row> make_row(const rig::Character& character, const Driver& driver, int index) {
  Result<Control> target = find_control(character, driver.target);
  if (!target) {
    return target.error().in("target");
  }
  PELT_TRY_TO(Expression expression, Expression::parse(driver.expression));
  PELT_TRY_TO(std::vector<FoundInput> inputs, find_inputs(expression, character));
  return DriverRig::Row{index, *std::move(target), std::move(expression), std::move(inputs)};
}

// Rows in an order in which each comes behind those that it reads; the others are left over.
class RowOrder {
 public:
  RowOrder(const rig::Character& character, std::span<const DriverRig::Row> rows)
      : needs_(rows.size()), waits_(rows.size(), 0), done_(rows.size(), 0) {
    std::vector<std::vector<std::size_t>> readers(rows.size());
    DistanceEnds ends(character.skeleton);
    for (std::size_t a = 0; a < rows.size(); ++a) {
      std::vector<char> reads(rows.size(), 0);
      for (const FoundInput& input : rows[a].inputs) {
        ends.set(input);
        for (std::size_t b = 0; b < rows.size(); ++b) {
          reads[b] = reads[b] != 0 || depends_on(character, input, ends, rows[b].target) ? 1 : 0;
        }
      }
      for (std::size_t b = 0; b < rows.size(); ++b) {
        if (reads[b] != 0) {
          needs_[a].push_back(b);
          readers[b].push_back(a);
        }
      }
      waits_[a] = needs_[a].size();
    }
    for (std::size_t a = 0; a < rows.size(); ++a) {
      add_if_ready(a);
    }
    for (std::size_t next = 0; next < order_.size(); ++next) {
      for (const std::size_t reader : readers[order_[next]]) {
        --waits_[reader];
        add_if_ready(reader);
      }
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }
  [[nodiscard]] bool has(std::size_t row) const { return done_[row] != 0; }

  // The rows of a cycle that a row without a place is on or behind, each reading the next and the last the first.
  [[nodiscard]] std::vector<std::size_t> cycle(std::size_t row) const {
    std::vector<std::size_t> path;
    std::vector<std::size_t> place(done_.size(), done_.size());
    while (place[row] == done_.size()) {
      place[row] = path.size();
      path.push_back(row);
      row = *std::ranges::find_if(needs_[row], [&](std::size_t b) { return done_[b] == 0; });
    }
    path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(place[row]));
    return path;
  }

 private:
  void add_if_ready(std::size_t row) {
    if (waits_[row] == 0 && done_[row] == 0) {
      done_[row] = 1;
      order_.push_back(row);
    }
  }

  std::vector<std::vector<std::size_t>> needs_;
  std::vector<std::size_t> waits_;
  std::vector<char> done_;
  std::vector<std::size_t> order_;
};

std::string cycle_sentence(std::span<const Driver> drivers, std::span<const DriverRig::Row> rows,
                           std::vector<std::size_t> cycle, std::size_t row) {
  constexpr std::size_t kMostNames = 8;
  const auto own = std::ranges::find(cycle, row);
  if (own != cycle.end()) {
    std::rotate(cycle.begin(), own, cycle.end());
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(cycle.size(), kMostNames); ++i) {
    names.push_back(printable(drivers[rows[cycle[i]].driver].target, 40));
  }
  if (cycle.size() > kMostNames) {
    names.push_back(fmt::format("{} more", cycle.size() - kMostNames));
  }
  names.push_back(names.front());
  return fmt::format("{}: {}", own == cycle.end() ? "it reads targets that read each other" : "it reads its own target",
                     fmt::join(names, " -> "));
}

double swing_degrees(const glm::dquat& turn, const glm::dvec3& axis) {
  const glm::dvec3 taken = turn * axis;
  return std::atan2(glm::length(glm::cross(axis, taken)), glm::dot(axis, taken)) / kDegree;
}

double read_input(const FoundInput& input, const PoseSources& sources, rig::PoseBuilder& pose) {
  switch (input.kind) {
    case InputKind::kDof:
    case InputKind::kShape:
      return control_value(sources, input.control, pose);
    case InputKind::kSwing:
    case InputKind::kTwist: {
      glm::dvec3 axis(0);
      axis[input.axis] = 1;
      const glm::dquat rest = normalized_or_identity(glm::dquat(pose.skeleton().rest[input.joint].rotation));
      const glm::dquat turn =
          glm::conjugate(rest) * normalized_or_identity(glm::dquat(pose.local(input.joint).rotation));
      return input.kind == InputKind::kSwing ? swing_degrees(turn, axis)
                                             : twist_angle(swing_twist(turn, axis).twist, axis) / kDegree;
    }
    case InputKind::kDistance: {
      const glm::dvec3 one(pose.world(input.joint)[3]);
      return glm::distance(one, glm::dvec3(pose.world(input.other)[3]));
    }
    case InputKind::kTime:
      return sources.clip_seconds();
    case InputKind::kStep:
      break;
  }
  return 1 / kDriverFrameRate;
}

}  // namespace

Result<std::vector<FoundInput>> find_inputs(const Expression& expression, const rig::Character& character) {
  std::vector<FoundInput> out;
  for (const ExpressionInput& input : expression.inputs()) {
    FoundInput found = {.kind = input.kind, .axis = input.axis};
    Status problem;
    const auto take = [&](auto result, auto& into) {
      if (!result) {
        problem = result.error();
      } else {
        into = *std::move(result);
      }
    };
    const bool names_joint = input.kind == InputKind::kDof || input.kind == InputKind::kSwing ||
                             input.kind == InputKind::kTwist || input.kind == InputKind::kDistance;
    if (names_joint) {
      take(find_named_joint(character, input.joint), found.joint);
    }
    if (problem && input.kind == InputKind::kDof) {
      found.control.joint = std::exchange(found.joint, -1);
      take(find_named_dof(character, found.control.joint, input.other), found.control.dof);
    } else if (problem && input.kind == InputKind::kDistance) {
      take(find_named_joint(character, input.other), found.other);
    } else if (input.kind == InputKind::kShape) {
      take(find_named_shape(character, input.other), found.control.morphs);
    }
    if (!problem) {
      return problem.error().in(fmt::format("column {}", input.column));
    }
    out.push_back(std::move(found));
  }
  return out;
}

void read_inputs(std::span<const FoundInput> inputs, const PoseSources& sources, rig::PoseBuilder& pose,
                 std::vector<double>& out) {
  out.clear();
  for (const FoundInput& input : inputs) {
    out.push_back(read_input(input, sources, pose));
  }
}

DriverRig make_driver_rig(const rig::Character& character, std::span<const Driver> drivers) {
  DriverRig out;
  out.faults.resize(drivers.size());
  std::vector<DriverRig::Row> rows;
  std::size_t input_count = 0;
  for (std::size_t d = 0; d < drivers.size(); ++d) {
    if (!drivers[d].on) {
      continue;
    }
    if (rows.size() == kMostDrivers || input_count > kMostDriverInputs) {
      out.faults[d] = fmt::format("expected at most {} drivers that read {} things", kMostDrivers, kMostDriverInputs);
      continue;
    }
    Result<DriverRig::Row> row = make_row(character, drivers[d], static_cast<int>(d));
    if (!row) {
      out.faults[d] = row.error().message;
      continue;
    }
    if (std::ranges::any_of(rows, [&](const DriverRig::Row& other) { return other.target == row->target; })) {
      out.faults[d] = fmt::format("another driver before it has the target {}", printable(drivers[d].target, 40));
      continue;
    }
    input_count += row->inputs.size();
    rows.push_back(*std::move(row));
  }
  const RowOrder order(character, rows);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!order.has(r)) {
      out.faults[rows[r].driver] = cycle_sentence(drivers, rows, order.cycle(r), r);
    }
  }
  for (const std::size_t r : order.order()) {
    out.rows.push_back(std::move(rows[r]));
  }
  return out;
}

std::vector<double> apply_driver_rig(const DriverRig& drivers, const PoseSources& sources, const LastValue& last,
                                     rig::PoseBuilder& pose) {
  std::vector<double> counted;
  std::vector<double> inputs;
  for (std::size_t r = 0; r < drivers.rows.size(); ++r) {
    const DriverRig::Row& row = drivers.rows[r];
    read_inputs(row.inputs, sources, pose, inputs);
    const std::optional<double> value = row.expression.value(inputs);
    counted.push_back(value ? *value : last(r));
    const std::optional<ControlRange> range = control_range(sources, row.target);
    set_control(sources, row.target, range ? std::clamp(counted[r], range->lower, range->upper) : counted[r], pose);
  }
  return counted;
}

DriverReading read_driver(const DriverRig::Row& row, const PoseSources& sources, rig::PoseBuilder& pose) {
  DriverReading out;
  read_inputs(row.inputs, sources, pose, out.inputs);
  out.value = row.expression.value(out.inputs);
  return out;
}

void apply_driver_layer(const PoseSources& sources, std::span<const float>, rig::PoseBuilder& pose) {
  if (sources.drivers == nullptr || sources.drivers->rows.empty() || sources.base == BasePose::kBind) {
    return;
  }
  std::vector<double> held;  // found when the first driver has no value
  apply_driver_rig(
      *sources.drivers, sources,
      [&](std::size_t row) {
        if (held.empty()) {
          held = held_before_playhead(sources);
        }
        return held[row];
      },
      pose);
}

}  // namespace pelt::motion
