#include "motion/expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "math/angle.h"
#include "motion/expression_parser.h"

namespace pelt::motion {
namespace {

using Arguments = std::span<const double>;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double smooth_step(Arguments a) {
  if (a[0] == a[1]) {
    return kNothing;
  }
  const double x = std::clamp((a[2] - a[0]) / (a[1] - a[0]), 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

double ramp(Arguments a) {
  return a[1] == a[2] ? kNothing : std::clamp((a[0] - a[1]) / (a[2] - a[1]), 0.0, 1.0);
}

double tent(Arguments a) {
  if (!(a[1] < a[2] && a[2] < a[3])) {
    return kNothing;
  }
  return std::max(0.0, a[0] < a[2] ? (a[0] - a[1]) / (a[2] - a[1]) : (a[3] - a[0]) / (a[3] - a[2]));
}

// Piecewise linear through points (x, y) in ascending order of x, level beyond the first and the last.
double keys(Arguments a) {
  const Arguments points = a.subspan(1);
  for (std::size_t k = 2; k < points.size(); k += 2) {
    if (!(points[k - 2] < points[k])) {
      return kNothing;
    }
  }
  if (points.size() % 2 != 0) {
    return kNothing;
  }
  std::size_t k = 0;
  while (k < points.size() && points[k] <= a[0]) {
    k += 2;
  }
  if (k == 0) {
    return points[1];
  }
  if (k == points.size()) {
    return points[k - 1];
  }
  const double share = (a[0] - points[k - 2]) / (points[k] - points[k - 2]);
  return points[k - 1] + (points[k + 1] - points[k - 1]) * share;
}

constexpr int kMostKeys = 64;

// Operators first, in the order of Operator. What is not finite is no value.
constexpr std::array kOperations = {
    Operation{"+", 2, 2, [](Arguments a) { return a[0] + a[1]; }},
    Operation{"-", 2, 2, [](Arguments a) { return a[0] - a[1]; }},
    Operation{"*", 2, 2, [](Arguments a) { return a[0] * a[1]; }},
    Operation{"/", 2, 2, [](Arguments a) { return a[0] / a[1]; }},
    Operation{"-", 1, 1, [](Arguments a) { return -a[0]; }},
    Operation{"min", 2, 16, [](Arguments a) { return *std::ranges::min_element(a); }},
    Operation{"max", 2, 16, [](Arguments a) { return *std::ranges::max_element(a); }},
    Operation{"clamp", 3, 3, [](Arguments a) { return std::min(std::max(a[0], a[1]), a[2]); }},
    Operation{"abs", 1, 1, [](Arguments a) { return std::abs(a[0]); }},
    Operation{"sqrt", 1, 1, [](Arguments a) { return std::sqrt(a[0]); }},
    Operation{"sin", 1, 1, [](Arguments a) { return std::sin(a[0] * kDegree); }},
    Operation{"cos", 1, 1, [](Arguments a) { return std::cos(a[0] * kDegree); }},
    Operation{"smoothstep", 3, 3, smooth_step},
    Operation{"mix", 3, 3, [](Arguments a) { return a[0] + (a[1] - a[0]) * a[2]; }},
    Operation{"ramp", 3, 3, ramp},
    Operation{"tent", 4, 4, tent},
    Operation{"keys", 5, 2 * kMostKeys + 1, keys},
};

constexpr std::array kFunctions = {
    ExpressionFunction{"min", "min(a, b, ...)", "The smallest of 2 to 16 numbers"},
    ExpressionFunction{"max", "max(a, b, ...)", "The largest of 2 to 16 numbers"},
    ExpressionFunction{"clamp", "clamp(x, low, high)", "x, but at least low and at most high"},
    ExpressionFunction{"abs", "abs(x)", "The number without its sign"},
    ExpressionFunction{"sqrt", "sqrt(x)", "The square root"},
    ExpressionFunction{"sin", "sin(degrees)", "The sine of an angle in degrees"},
    ExpressionFunction{"cos", "cos(degrees)", "The cosine of an angle in degrees"},
    ExpressionFunction{"smoothstep", "smoothstep(a, b, x)", "From 0 at a to 1 at b, level at both ends"},
    ExpressionFunction{"mix", "mix(a, b, share)", "From a with share 0 to b with share 1"},
    ExpressionFunction{"ramp", "ramp(x, a, b)", "From 0 at a to 1 at b, straight"},
    ExpressionFunction{"tent", "tent(x, a, b, c)", "0 up to a, 1 at b, 0 from c on, straight between them"},
    ExpressionFunction{"keys", "keys(x, x0, y0, x1, y1, ...)", "Straight lines through points, ascending in x"},
    ExpressionFunction{"swing", "swing(joint, axis)", "How far a joint turned the axis x, y or z, degrees"},
    ExpressionFunction{"twist", "twist(joint, axis)", "How far a joint turned about the axis, degrees"},
    ExpressionFunction{"distance", "distance(joint, joint)", "Between the origins of two joints, metres"},
    ExpressionFunction{"shape", "shape(name)", "The weight of a shape"},
};

}  // namespace

std::span<const ExpressionFunction> expression_functions() {
  return kFunctions;
}

std::span<const Operation> operations() {
  return kOperations;
}

bool ExpressionInput::reads_same(const ExpressionInput& other_input) const {
  return kind == other_input.kind && joint == other_input.joint && other == other_input.other &&
         axis == other_input.axis;
}

Result<Expression> Expression::parse(std::string_view text) {
  return ExpressionParser(text).parse();
}

std::optional<double> run_expression(std::span<const Expression::Step> program, std::span<const double> inputs) {
  // Values that wait for their operation; most expressions need fewer than a dozen.
  std::vector<double> stack;
  stack.reserve(program.size());
  for (const Expression::Step& step : program) {
    if (step.kind == Expression::Step::Kind::kNumber) {
      stack.push_back(step.number);
      continue;
    }
    if (step.kind == Expression::Step::Kind::kInput) {
      stack.push_back(inputs[step.index]);
      continue;
    }
    const std::size_t first = stack.size() - static_cast<std::size_t>(step.argument_count);
    const double value = kOperations[step.index].call(Arguments(stack).subspan(first));
    if (!std::isfinite(value)) {
      return std::nullopt;
    }
    stack.resize(first);
    stack.push_back(value);
  }
  return stack.back();
}

std::optional<double> Expression::value(std::span<const double> inputs) const {
  const std::optional<double> value = run_expression(program_, inputs);
  constexpr double kLargest = std::numeric_limits<float>::max();  // what poses are made of
  return value && std::abs(*value) <= kLargest ? value : std::nullopt;
}

std::string name_in_expression(std::string_view name) {
  return is_bare_name(name) ? std::string(name) : fmt::format("\"{}\"", name);
}

std::string with_joints_renamed(std::string_view text, const std::map<std::string, std::string>& names) {
  std::string out(text);
  const Result<Expression> parsed = Expression::parse(text);
  if (!parsed) {
    return out;
  }
  for (auto mention = parsed->mentions().rbegin(); mention != parsed->mentions().rend(); ++mention) {
    if (const auto now = names.find(mention->joint); now != names.end()) {
      out.replace(mention->offset, mention->length, name_in_expression(now->second));
    }
  }
  return out;
}

}  // namespace pelt::motion
