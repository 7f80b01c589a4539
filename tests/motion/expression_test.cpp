#include "motion/expression.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::motion {
namespace {

constexpr double kExact = 1e-9;

// The value of a text of which `x.a` is `x` and `t` is `t`; not a number where it has none.
double value_of(const std::string& text, double x = 0, double t = 0) {
  const Result<Expression> parsed = Expression::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().message);
  if (!parsed) {
    return NAN;
  }
  std::vector<double> inputs;
  for (const ExpressionInput& input : parsed->inputs()) {
    inputs.push_back(input.kind == InputKind::kTime ? t : x);
  }
  return parsed->value(inputs).value_or(NAN);
}

std::string fault_of(const std::string& text) {
  const Result<Expression> parsed = Expression::parse(text);
  return parsed ? "" : parsed.error().message;
}

TEST(Expression, ComputesAsSchoolTeaches) {
  EXPECT_EQ(value_of("1 + 2 * 3 - 4 / 8"), 6.5);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("10 - 2 - 3"), 5);
  EXPECT_EQ(value_of("64 / 4 / 2"), 8);
  EXPECT_EQ(value_of("-2 * -3 + +1"), 7);
  EXPECT_EQ(value_of("--5"), 5);
  EXPECT_EQ(value_of("1.5e2 + .5"), 150.5);
  EXPECT_EQ(value_of("x.a - 1", 5), 4);
  EXPECT_EQ(value_of("2-x.a", 5), -3);
}

TEST(Expression, FunctionsMeanWhatTheirHelpSays) {
  EXPECT_EQ(value_of("min(3, x.a, 2)", 5), 2);
  EXPECT_EQ(value_of("max(3, x.a)", 5), 5);
  EXPECT_EQ(value_of("clamp(x.a, 0, 1)", 5), 1);
  EXPECT_EQ(value_of("clamp(x.a, 0, 1)", -5), 0);
  EXPECT_EQ(value_of("abs(x.a)", -5), 5);
  EXPECT_EQ(value_of("sqrt(x.a)", 9), 3);
  EXPECT_NEAR(value_of("sin(x.a)", 30), 0.5, kExact);  // degrees
  EXPECT_NEAR(value_of("cos(x.a)", 60), 0.5, kExact);
  EXPECT_NEAR(value_of("smoothstep(10, 20, x.a)", 12.5), 0.15625, kExact);
  EXPECT_EQ(value_of("smoothstep(10, 20, x.a)", 25), 1);
  EXPECT_EQ(value_of("mix(10, 20, x.a)", 0.25), 12.5);
  EXPECT_EQ(value_of("ramp(x.a, 10, 30)", 15), 0.25);
  EXPECT_EQ(value_of("ramp(x.a, 30, 10)", 15), 0.75);
  EXPECT_EQ(value_of("ramp(x.a, 10, 30)", 90), 1);
}

TEST(Expression, KeysAreStraightLinesAndLevelOutside) {
  const std::string keys = "keys(x.a, 0, 5, 10, 15, 30, -5)";
  EXPECT_EQ(value_of(keys, -1), 5);
  EXPECT_EQ(value_of(keys, 0), 5);
  EXPECT_EQ(value_of(keys, 4), 9);
  EXPECT_EQ(value_of(keys, 10), 15);
  EXPECT_EQ(value_of(keys, 20), 5);
  EXPECT_EQ(value_of(keys, 30), -5);
  EXPECT_EQ(value_of(keys, 99), -5);
  EXPECT_TRUE(std::isnan(value_of("keys(x.a, x.a, 1, 0, 2)", 3))) << "not ascending";
}

// C17.5: tents over one slider, ramps at the ends.
TEST(Expression, C17_5_TentsOverASliderSumToOne) {
  const std::string sum = "(1 - ramp(x.a, 0, 45)) + tent(x.a, 0, 45, 90) + tent(x.a, 45, 90, 140) + ramp(x.a, 90, 140)";
  for (double x = -20; x < 160; x += 0.37) {
    EXPECT_NEAR(value_of(sum, x), 1, 1e-7) << x;
  }
  EXPECT_EQ(value_of("tent(x.a, 0, 45, 90)", 45), 1);
  EXPECT_NEAR(value_of("tent(x.a, 0, 45, 90)", 30), 2.0 / 3, kExact);
  EXPECT_NEAR(value_of("tent(x.a, 0, 45, 90)", 60), 2.0 / 3, kExact);
  EXPECT_EQ(value_of("tent(x.a, 0, 45, 90)", 95), 0);
}

TEST(Expression, C19_1_BicepsFollowsTheElbow) {
  const std::map<double, double> expected = {{0, 0}, {10, 0}, {75, 0.01}, {140, 0.02}, {160, 0.02}};
  for (const auto& [theta, metres] : expected) {
    EXPECT_NEAR(value_of("0.02 * clamp((elbow_l.bend - 10) / (140 - 10), 0, 1)", theta), metres, kExact) << theta;
    EXPECT_NEAR(value_of("0.02 * ramp(elbow_l.bend, 10, 140)", theta), metres, kExact) << theta;
  }
}

TEST(Expression, C19_2_Breathing) {
  const double expected[] = {1, 1.02, 1.04, 1.02, 1};
  for (int t = 0; t <= 4; ++t) {
    EXPECT_NEAR(value_of("1 + 0.04 * (1 - cos(360 * t / 4)) / 2", 0, t), expected[t], kExact) << t;
  }
}

TEST(Expression, C49_5_SquashByTwo) {
  const double across = value_of("1 / sqrt(x.a)", 2);
  EXPECT_NEAR(across, 0.707107, 5e-7);
  EXPECT_NEAR(2 * across * across, 1, kExact);
}

TEST(Expression, C19_3_SquashKeepsTheVolume) {
  for (double a = 0.1; a < 5; a += 0.13) {
    const double across = value_of("1 / sqrt(x.a)", a);
    EXPECT_NEAR(a * across * across, 1, kExact) << a;
  }
}

TEST(Expression, WhatOnlyHoldsNumbersIsComputedOnce) {
  EXPECT_EQ(Expression::parse("2 * (3 + 4) - sin(90)")->step_count(), 1u);
  // x, then 130 in place of its subtraction, then the division.
  EXPECT_EQ(Expression::parse("x.a / (140 - 10)")->step_count(), 3u);
}

TEST(Expression, DivisionByZeroAndRootsHaveNoValue) {
  EXPECT_TRUE(std::isnan(value_of("1 / x.a", 0)));
  EXPECT_TRUE(std::isnan(value_of("min(1 / x.a, 5)", 0)));
  EXPECT_TRUE(std::isnan(value_of("sqrt(x.a)", -1)));
  EXPECT_TRUE(std::isnan(value_of("x.a * x.a", 1e200))) << "beyond all bounds";
  EXPECT_TRUE(std::isnan(value_of("ramp(5, x.a, x.a)", 1)));
  EXPECT_TRUE(std::isnan(value_of("smoothstep(x.a, x.a, 5)", 1)));
  EXPECT_TRUE(std::isnan(value_of("tent(5, x.a, 1, 2)", 1)));
  EXPECT_EQ(value_of("1 / x.a", 4), 0.25);
}

TEST(Expression, NamesMayStandInQuotationMarks) {
  const Result<Expression> parsed = Expression::parse(R"("hand.L".bend + mixamorig:Arm."my slider" + knöchel.bend)");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->inputs().size(), 3u);
  EXPECT_EQ(parsed->inputs()[0].joint, "hand.L");
  EXPECT_EQ(parsed->inputs()[0].other, "bend");
  EXPECT_EQ(parsed->inputs()[1].joint, "mixamorig:Arm");
  EXPECT_EQ(parsed->inputs()[1].other, "my slider");
  EXPECT_EQ(parsed->inputs()[2].joint, "knöchel");
  EXPECT_EQ(parsed->inputs()[2].column, 45u);
}

TEST(Expression, ReadsEachInputOnce) {
  const Result<Expression> parsed =
      Expression::parse("a.b + a.b + t * t + dt + twist(a, x) + twist(a, y) + swing(a, x) + distance(a, b) + shape(s)");
  ASSERT_TRUE(parsed);
  std::vector<InputKind> kinds;
  for (const ExpressionInput& input : parsed->inputs()) {
    kinds.push_back(input.kind);
  }
  using enum InputKind;
  EXPECT_EQ(kinds, (std::vector{kDof, kTime, kStep, kTwist, kTwist, kSwing, kDistance, kShape}));
  EXPECT_EQ(parsed->inputs()[4].axis, 1);
  EXPECT_EQ(parsed->inputs()[6].joint, "a");
  EXPECT_EQ(parsed->inputs()[6].other, "b");
  EXPECT_EQ(parsed->inputs()[7].other, "s");
}

TEST(Expression, FaultsNameTheColumn) {
  EXPECT_EQ(fault_of(""), "the expression is empty");
  EXPECT_EQ(fault_of("  "), "the expression is empty");
  EXPECT_EQ(fault_of("1 +"), "column 4: expected a number, a name or '(', got the end");
  EXPECT_EQ(fault_of("(1 + 2"), "column 7: expected ')', got the end");
  EXPECT_EQ(fault_of("1 2"), "column 3: expected an operator or the end, got '2'");
  EXPECT_EQ(fault_of("1 + )"), "column 5: expected a number, a name or '(', got ')'");
  EXPECT_EQ(fault_of("1 $ 2"), "column 3: expected a number, a name or an operator, got '$'");
  EXPECT_EQ(fault_of("2 * clmp(1, 2, 3)"), "column 5: there is no function 'clmp' (did you mean \"clamp\"?)");
  EXPECT_EQ(fault_of("clamp(1, 2)"), "column 1: clamp: expected 3 arguments, got 2 arguments");
  EXPECT_EQ(fault_of("abs()"), "column 1: abs: expected 1 argument, got 0 arguments");
  EXPECT_EQ(fault_of("min(1)"), "column 1: min: expected 2 to 16 arguments, got 1 argument");
  EXPECT_EQ(fault_of("keys(t, 0, 1, 2)"),
            "column 1: keys: expected a number and 2 to 64 pairs of numbers, got 4 arguments");
  EXPECT_EQ(fault_of("elbow + 1"), "column 1: expected a slider such as elbow.bend, a function, t or dt, got 'elbow'");
  EXPECT_EQ(fault_of("elbow. + 1"), "column 8: expected the name of a slider, got '+'");
  EXPECT_EQ(fault_of("twist(a, w)"), "column 10: expected an axis, x, y or z, got 'w'");
  EXPECT_EQ(fault_of("twist(3, x)"), "column 7: expected the name of a joint, got '3'");
  EXPECT_EQ(fault_of("shape()"), "column 7: expected the name of a shape, got ')'");
  EXPECT_EQ(fault_of("1 + \"hand"), "column 5: a name in quotation marks does not end");
  EXPECT_EQ(fault_of("t + 1 / 0"), "column 7: '/' has no value for these numbers");
  EXPECT_EQ(fault_of("sqrt(-1)"), "column 1: 'sqrt' has no value for these numbers");
  EXPECT_EQ(fault_of("keys(t, 1, 0, 1, 2) + ramp(3, 2, 2)"), "column 23: 'ramp' has no value for these numbers");
  EXPECT_EQ(fault_of("1e999"), "column 1: expected a finite number, got '1e999'");
  EXPECT_EQ(fault_of("1.2.3"), "column 1: expected a finite number, got '1.2.3'");
  EXPECT_EQ(fault_of("\"ä\".b + \x01"), "column 9: expected a number, a name or an operator, got '?'");
}

TEST(Expression, HostileTextsAreRefusedInASentence) {
  const std::string deep(2000, '(');
  EXPECT_EQ(fault_of(deep + "1"), "column 101: expected parentheses, calls and signs at most 100 deep");
  EXPECT_EQ(fault_of(std::string(2000, '-') + "1"),
            "column 101: expected parentheses, calls and signs at most 100 deep");
  std::string calls;
  for (int i = 0; i < 500; ++i) {
    calls += "abs(";
  }
  EXPECT_EQ(fault_of(calls), "column 401: expected parentheses, calls and signs at most 100 deep");
  EXPECT_EQ(fault_of(std::string(5000, '1')), "expected an expression of at most 4096 bytes, got 5000");
  std::string sum = "1";
  while (sum.size() + 4 <= Expression::kLongestText) {
    sum += "+x.a";
  }
  EXPECT_EQ(value_of(sum, 1), static_cast<double>((sum.size() + 3) / 4));
  const std::string fits = std::string(99, '(') + "1" + std::string(99, ')');
  EXPECT_EQ(value_of(fits), 1) << "depth counts what is open, not what was";
  EXPECT_EQ(value_of(fits + "+" + fits), 2);
}

TEST(Expression, AnyBytesEndInAValueOrASentence) {
  test::Random random(19);
  const std::string letters = "0123456789.eE+-*/(),\" \ttdxyzabs_:min\xC3\xA4\xFF\n$";
  int parsed = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (int n = random.below(24); n >= 0; --n) {
      text += letters[static_cast<std::size_t>(random.below(static_cast<int>(letters.size())))];
    }
    const Result<Expression> result = Expression::parse(text);
    if (result) {
      ++parsed;
      const std::vector<double> inputs(result->inputs().size(), 0.5);
      const std::optional<double> value = result->value(inputs);
      EXPECT_TRUE(!value || std::isfinite(*value)) << text;
    } else {
      EXPECT_FALSE(result.error().message.empty());
    }
  }
  EXPECT_GT(parsed, 100);
}

TEST(Expression, RenamingAJointRenamesItWhereverItIsRead) {
  EXPECT_EQ(
      with_joints_renamed("arm.bend + twist(arm, x) - distance(\"arm\", hand) + armour.bend", {{"arm", "upper arm"}}),
      "\"upper arm\".bend + twist(\"upper arm\", x) - distance(\"upper arm\", hand) + armour.bend");
  EXPECT_EQ(with_joints_renamed("arm.arm + shape(arm)", {{"arm", "leg"}}), "leg.arm + shape(arm)");
  EXPECT_EQ(with_joints_renamed("arm.bend +", {{"arm", "leg"}}), "arm.bend +");
}

TEST(Expression, EveryFunctionOfTheHelpIsKnown) {
  for (const ExpressionFunction& function : expression_functions()) {
    const std::string fault = fault_of(std::string(function.name) + "($)");
    EXPECT_EQ(fault.find("there is no function"), std::string::npos) << fault;
    EXPECT_EQ(function.signature.substr(0, function.name.size() + 1), std::string(function.name) + "(");
  }
}

}  // namespace
}  // namespace pelt::motion
