#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace pelt::motion {

/// What an expression reads.
enum class InputKind {
  kDof,       ///< `elbow_l.bend`: degrees, metres or a factor
  kSwing,     ///< `swing(joint, axis)`: how far the joint's turn since its rest takes the axis away, degrees
  kTwist,     ///< `twist(joint, axis)`: how far it turns about the axis, -180 to 180 degrees
  kDistance,  ///< `distance(joint, joint)`: between the origins of two joints in the world, metres
  kShape,     ///< `shape(name)`: the weight of a morph target
  kTime,      ///< `t`: seconds since the start of the clip, 0 without one
  kStep,      ///< `dt`: seconds from frame to frame
};

/// One of the things that an expression reads, by the names that it gives them.
struct ExpressionInput {
  InputKind kind = InputKind::kTime;
  std::string joint = {};  ///< of kDof, kSwing, kTwist, kDistance
  std::string other = {};  ///< kDof: the DOF; kDistance: the second joint; kShape: the morph target
  int axis = 0;            ///< of kSwing and kTwist: 0 x, 1 y, 2 z of the joint's own space
  std::size_t column = 1;  ///< where it is first named, from 1, in characters
  /// Whether both read the same, wherever that is named.
  [[nodiscard]] bool reads_same(const ExpressionInput& other_input) const;
};

/// Where an expression names a joint: bytes of its text, quotation marks included.
struct JointMention {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string joint;
};

/// A function of the language, for help.
struct ExpressionFunction {
  std::string_view name;       ///< "clamp"
  std::string_view signature;  ///< "clamp(x, low, high)"
  std::string_view help;       ///< one sentence
};
/// Every function, those that read a character included.
std::span<const ExpressionFunction> expression_functions();

/// ALGORITHMS.md §19. A formula over what a character does, parsed once: numbers, + - * /, parentheses, functions and
/// inputs. Angles are degrees everywhere, in sin and cos too. A name of letters, digits, '_' and ':' stands as it is,
/// any other in quotation marks: `"hand.L".bend`.
class Expression {
 public:
  static constexpr std::size_t kLongestText = 4096;  ///< bytes
  static constexpr int kDeepest = 100;               ///< parentheses, calls and signs within each other

  /// Fails with the column of what is wrong: "column 5: expected a number, a name or '(', got ')'". Parts that hold
  /// only numbers are computed here; one that has no value is an error.
  static Result<Expression> parse(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// What it reads, each once; value() wants one number for each.
  [[nodiscard]] const std::vector<ExpressionInput>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<JointMention>& mentions() const { return mentions_; }
  /// Steps of the program that it became; 1 where all of it was computed while parsing.
  [[nodiscard]] std::size_t step_count() const { return program_.size(); }

  /// Nothing where there is no value: a division by zero, a root of a negative number, a number beyond all bounds.
  /// @param inputs  finite, one per inputs()
  [[nodiscard]] std::optional<double> value(std::span<const double> inputs) const;

  /// One operation of a program that works on a stack.
  struct Step {
    enum class Kind { kNumber, kInput, kCall } kind = Kind::kNumber;
    double number = 0;       ///< of kNumber
    int index = 0;           ///< kInput: which input; kCall: which operation
    int argument_count = 0;  ///< of kCall
  };

 private:
  friend class ExpressionParser;
  std::string text_;
  std::vector<ExpressionInput> inputs_;
  std::vector<JointMention> mentions_;
  std::vector<Step> program_;
};

/// The name as it stands in an expression: as it is, or in quotation marks. @pre has none of those, nor a line feed
std::string name_in_expression(std::string_view name);

/// The text with other names wherever it names joints; as it is where it cannot be parsed.
/// @param names  what joints are called now, by what they were called
std::string with_joints_renamed(std::string_view text, const std::map<std::string, std::string>& names);

}  // namespace pelt::motion
