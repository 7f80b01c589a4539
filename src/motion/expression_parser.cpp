#include "motion/expression_parser.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"

namespace pelt::motion {
namespace {

// Bytes of UTF-8 beyond ASCII are letters of some language.
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool continues_name(char c) {
  return begins_name(c) || is_digit(c) || c == ':';
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Functions that read a character instead of numbers.
struct Reading {
  std::string_view name;
  InputKind kind;
};
constexpr std::array kReadings = {Reading{"swing", InputKind::kSwing}, Reading{"twist", InputKind::kTwist},
                                  Reading{"distance", InputKind::kDistance}, Reading{"shape", InputKind::kShape}};
constexpr std::array kClocks = {Reading{"t", InputKind::kTime}, Reading{"dt", InputKind::kStep}};
constexpr std::array<std::string_view, 3> kAxes = {"x", "y", "z"};

std::string arguments(int count) {
  return fmt::format("{} argument{}", count, count == 1 ? "" : "s");
}

}  // namespace

bool is_bare_name(std::string_view name) {
  return !name.empty() && begins_name(name.front()) && std::ranges::all_of(name, continues_name);
}

ExpressionParser::ExpressionParser(std::string_view text) : text_(text) {}

Result<Expression> ExpressionParser::parse() {
  if (text_.size() > Expression::kLongestText) {
    return error("expected an expression of at most {} bytes, got {}", Expression::kLongestText, text_.size());
  }
  out_.text_ = text_;
  PELT_TRY(next());
  if (token_.kind == Token::Kind::kEnd) {
    return error("the expression is empty");
  }
  PELT_TRY(sum());
  if (token_.kind != Token::Kind::kEnd) {
    return fault(token_, "an operator or the end");
  }
  return std::move(out_);
}

std::size_t ExpressionParser::column_of(std::size_t offset) const {
  const std::string_view before = text_.substr(0, offset);
  return 1 + static_cast<std::size_t>(
                 std::ranges::count_if(before, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Error ExpressionParser::fault_at(std::size_t offset, std::string_view sentence) const {
  return error("column {}: {}", column_of(offset), sentence);
}

Error ExpressionParser::fault(const Token& at, std::string_view expected) const {
  const std::string got =
      at.kind == Token::Kind::kEnd ? "the end" : fmt::format("'{}'", printable(text_.substr(at.offset, at.length), 40));
  return fault_at(at.offset, fmt::format("expected {}, got {}", expected, got));
}

Status ExpressionParser::next() {
  while (at_ < text_.size() && is_space(text_[at_])) {
    ++at_;
  }
  token_ = {.offset = at_};
  if (at_ == text_.size()) {
    return {};
  }
  const char c = text_[at_];
  if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
    return take_number();
  }
  if (c == '"') {
    return take_quoted();
  }
  if (begins_name(c)) {
    while (at_ < text_.size() && continues_name(text_[at_])) {
      ++at_;
    }
    token_.kind = Token::Kind::kName;
    token_.length = at_ - token_.offset;
    token_.name = text_.substr(token_.offset, token_.length);
    return {};
  }
  token_.kind = Token::Kind::kSign;
  token_.length = 1;
  ++at_;
  if (std::string_view("+-*/(),.").find(c) == std::string_view::npos) {
    return fault(token_, "a number, a name or an operator");
  }
  return {};
}

Status ExpressionParser::take_number() {
  std::size_t end = at_;
  while (end < text_.size() && (is_digit(text_[end]) || text_[end] == '.')) {
    ++end;
  }
  if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) {
      ++exponent;
    }
    if (exponent < text_.size() && is_digit(text_[exponent])) {
      end = exponent;
      while (end < text_.size() && is_digit(text_[end])) {
        ++end;
      }
    }
  }
  token_.kind = Token::Kind::kNumber;
  token_.length = end - at_;
  at_ = end;
  const std::string_view digits = text_.substr(token_.offset, token_.length);
  const std::optional<double> number = parse_number(digits);
  if (!number) {
    return fault(token_, "a finite number");
  }
  token_.number = *number;
  return {};
}

Status ExpressionParser::take_quoted() {
  const std::size_t end = text_.find('"', at_ + 1);
  if (end == std::string_view::npos) {
    return fault_at(token_.offset, "a name in quotation marks does not end");
  }
  token_.kind = Token::Kind::kQuoted;
  token_.length = end + 1 - at_;
  token_.name = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  return {};
}

bool ExpressionParser::is_sign(char sign) const {
  return token_.kind == Token::Kind::kSign && text_[token_.offset] == sign;
}

Status ExpressionParser::expect(char sign) {
  if (!is_sign(sign)) {
    return fault(token_, fmt::format("'{}'", sign));
  }
  return next();
}

Status ExpressionParser::sum() {
  const std::size_t first = out_.program_.size();
  PELT_TRY(product());
  while (is_sign('+') || is_sign('-')) {
    const Token sign = token_;
    const int operation = is_sign('+') ? kAdd : kSubtract;
    PELT_TRY(next());
    PELT_TRY(product());
    PELT_TRY(push_call(operation, 2, first, sign.offset));
  }
  return {};
}

Status ExpressionParser::product() {
  const std::size_t first = out_.program_.size();
  PELT_TRY(signed_factor());
  while (is_sign('*') || is_sign('/')) {
    const Token sign = token_;
    const int operation = is_sign('*') ? kMultiply : kDivide;
    PELT_TRY(next());
    PELT_TRY(signed_factor());
    PELT_TRY(push_call(operation, 2, first, sign.offset));
  }
  return {};
}

Status ExpressionParser::signed_factor() {
  // Every way into depth leads through here.
  if (++depth_ > Expression::kDeepest) {
    return fault_at(token_.offset,
                    fmt::format("expected parentheses, calls and signs at most {} deep", Expression::kDeepest));
  }
  if (is_sign('-') || is_sign('+')) {
    const std::size_t first = out_.program_.size();
    const Token sign = token_;
    const bool negates = is_sign('-');
    PELT_TRY(next());
    PELT_TRY(signed_factor());
    if (negates) {
      PELT_TRY(push_call(kNegate, 1, first, sign.offset));
    }
  } else {
    PELT_TRY(factor());
  }
  --depth_;
  return {};
}

Status ExpressionParser::factor() {
  if (token_.kind == Token::Kind::kNumber) {
    push_number(token_.number);
    return next();
  }
  if (token_.kind == Token::Kind::kName || token_.kind == Token::Kind::kQuoted) {
    return named();
  }
  if (is_sign('(')) {
    PELT_TRY(next());
    PELT_TRY(sum());
    return expect(')');
  }
  return fault(token_, "a number, a name or '('");
}

// A call, a DOF of a joint, or a clock.
Status ExpressionParser::named() {
  const Token name = token_;
  PELT_TRY(next());
  if (is_sign('(') && name.kind == Token::Kind::kName) {
    return call(name);
  }
  if (is_sign('.')) {
    PELT_TRY(next());
    if (token_.kind != Token::Kind::kName && token_.kind != Token::Kind::kQuoted) {
      return fault(token_, "the name of a slider");
    }
    out_.mentions_.push_back({name.offset, name.length, name.name});
    read({.kind = InputKind::kDof, .joint = name.name, .other = token_.name, .column = column_of(name.offset)});
    return next();
  }
  const auto clock = std::ranges::find(kClocks, name.name, &Reading::name);
  if (name.kind == Token::Kind::kName && clock != kClocks.end()) {
    read({.kind = clock->kind, .column = column_of(name.offset)});
    return {};
  }
  return fault_at(name.offset, fmt::format("expected a slider such as {}.bend, a function, t or dt, got '{}'",
                                           printable(name_in_expression(name.name), 40), printable(name.name, 40)));
}

Status ExpressionParser::call(const Token& name) {
  PELT_TRY(next());
  if (const auto reads = std::ranges::find(kReadings, name.name, &Reading::name); reads != kReadings.end()) {
    return reading(name, reads->kind);
  }
  const std::span<const Operation> all = operations();
  for (std::size_t k = kFirstFunction; k < all.size(); ++k) {
    if (all[k].name == name.name) {
      return number_call(name, k);
    }
  }
  std::vector<std::string> known;
  for (const ExpressionFunction& function : expression_functions()) {
    known.emplace_back(function.name);
  }
  return fault_at(name.offset,
                  fmt::format("there is no function '{}'{}", printable(name.name, 40), suggestion(name.name, known)));
}

Status ExpressionParser::number_call(const Token& name, std::size_t operation) {
  const Operation& function = operations()[operation];
  const std::size_t first = out_.program_.size();
  int count = 0;
  while (!is_sign(')')) {
    if (count > 0) {
      PELT_TRY(expect(','));
    }
    PELT_TRY(sum());
    ++count;
  }
  if (count < function.fewest || count > function.most || (function.name == "keys" && count % 2 == 0)) {
    const std::string expected =
        function.name == "keys"            ? fmt::format("a number and 2 to {} pairs of numbers", function.most / 2)
        : function.fewest == function.most ? arguments(function.fewest)
                                           : fmt::format("{} to {}", function.fewest, arguments(function.most));
    return fault_at(name.offset, fmt::format("{}: expected {}, got {}", name.name, expected, arguments(count)));
  }
  PELT_TRY(next());
  return push_call(static_cast<int>(operation), count, first, name.offset);
}

Result<std::string> ExpressionParser::joint_argument() {
  if (token_.kind != Token::Kind::kName && token_.kind != Token::Kind::kQuoted) {
    return fault(token_, "the name of a joint");
  }
  std::string joint = token_.name;
  out_.mentions_.push_back({token_.offset, token_.length, joint});
  PELT_TRY(next());
  return joint;
}

Status ExpressionParser::reading(const Token& name, InputKind kind) {
  ExpressionInput input = {.kind = kind, .column = column_of(name.offset)};
  if (kind == InputKind::kShape) {
    if (token_.kind != Token::Kind::kName && token_.kind != Token::Kind::kQuoted) {
      return fault(token_, "the name of a shape");
    }
    input.other = token_.name;
    PELT_TRY(next());
  } else {
    PELT_TRY_TO(input.joint, joint_argument());
    PELT_TRY(expect(','));
    if (kind == InputKind::kDistance) {
      PELT_TRY_TO(input.other, joint_argument());
    } else {
      const auto axis = std::ranges::find(kAxes, token_.name);
      if (token_.kind != Token::Kind::kName || axis == kAxes.end()) {
        return fault(token_, "an axis, x, y or z");
      }
      input.axis = static_cast<int>(axis - kAxes.begin());
      PELT_TRY(next());
    }
  }
  PELT_TRY(expect(')'));
  read(std::move(input));
  return {};
}

void ExpressionParser::read(ExpressionInput input) {
  auto found = std::ranges::find_if(out_.inputs_, [&](const ExpressionInput& i) { return i.reads_same(input); });
  if (found == out_.inputs_.end()) {
    out_.inputs_.push_back(std::move(input));
    found = out_.inputs_.end() - 1;
  }
  out_.program_.push_back(
      {.kind = Expression::Step::Kind::kInput, .index = static_cast<int>(found - out_.inputs_.begin())});
}

void ExpressionParser::push_number(double number) {
  out_.program_.push_back({.kind = Expression::Step::Kind::kNumber, .number = number});
}

// Adds an operation on what was added since `first_step`; where that holds only numbers their value takes its place.
Status ExpressionParser::push_call(int operation, int argument_count, std::size_t first_step, std::size_t offset) {
  std::vector<Expression::Step>& program = out_.program_;
  program.push_back({.kind = Expression::Step::Kind::kCall, .index = operation, .argument_count = argument_count});
  const std::span<const Expression::Step> own = std::span(program).subspan(first_step);
  const bool is_constant = std::ranges::none_of(
      own, [](const Expression::Step& step) { return step.kind == Expression::Step::Kind::kInput; });
  if (is_constant) {
    const std::optional<double> value = run_expression(own, {});
    if (!value) {
      return fault_at(offset, fmt::format("'{}' has no value for these numbers", operations()[operation].name));
    }
    program.resize(first_step);
    push_number(*value);
  }
  return {};
}

}  // namespace pelt::motion
