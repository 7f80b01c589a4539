#pragma once

// Internal to expression*.cpp.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "motion/expression.h"

namespace pelt::motion {

/// What a step of a program computes of numbers.
struct Operation {
  std::string_view name;
  int fewest;  ///< arguments
  int most;
  double (*call)(std::span<const double> arguments);  ///< not finite: no value
};
/// The four operators and the sign in this order, then the functions of numbers.
std::span<const Operation> operations();
enum Operator : int { kAdd, kSubtract, kMultiply, kDivide, kNegate, kFirstFunction };

std::optional<double> run_expression(std::span<const Expression::Step> program, std::span<const double> inputs);

/// Whether a name needs no quotation marks.
bool is_bare_name(std::string_view name);

/// Recursive descent over the text; leaves a program for a stack.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text);
  Result<Expression> parse();

 private:
  struct Token {
    enum class Kind { kEnd, kNumber, kName, kQuoted, kSign } kind = Kind::kEnd;
    std::size_t offset = 0;
    std::size_t length = 0;
    double number = 0;
    std::string name = {};
  };

  Status next();
  Status take_number();
  Status take_quoted();
  [[nodiscard]] bool is_sign(char sign) const;
  Status expect(char sign);
  [[nodiscard]] Error fault(const Token& at, std::string_view expected) const;
  [[nodiscard]] Error fault_at(std::size_t offset, std::string_view sentence) const;
  [[nodiscard]] std::size_t column_of(std::size_t offset) const;

  Status sum();
  Status product();
  Status signed_factor();
  Status factor();
  Status named();
  Status call(const Token& name);
  Status reading(const Token& name, InputKind kind);
  Result<std::string> joint_argument();
  Status number_call(const Token& name, std::size_t operation);
  void read(ExpressionInput input);
  void push_number(double number);
  Status push_call(int operation, int argument_count, std::size_t first_step, std::size_t offset);

  std::string_view text_;
  std::size_t at_ = 0;
  Token token_;
  int depth_ = 0;
  Expression out_;
};

}  // namespace pelt::motion
