#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace pelt {

/// Why something failed: one sentence naming the thing, its index, the expected and the actual.
struct Error {
  std::string message;

  /// The same error seen from one level up: "context: message".
  [[nodiscard]] Error in(std::string_view context) const { return {fmt::format("{}: {}", context, message)}; }
};

/// Makes an Error from a format string.
template <typename... Args>
[[nodiscard]] Error error(fmt::format_string<Args...> format, Args&&... args) {
  return {fmt::format(format, std::forward<Args>(args)...)};
}

/// A value or the reason why there is none, in the spelling of std::expected (which GCC 12 lacks).
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }

  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace pelt

#define PELT_JOINED_AGAIN(a, b) a##b
#define PELT_JOINED(a, b) PELT_JOINED_AGAIN(a, b)

/// Returns the error of a Status from the function around it, if it is one.
#define PELT_TRY(...)                                                                                         \
  if (const auto PELT_JOINED(pelt_status_, __LINE__) = (__VA_ARGS__); !PELT_JOINED(pelt_status_, __LINE__)) { \
    return PELT_JOINED(pelt_status_, __LINE__).error();                                                       \
  }                                                                                                           \
  static_assert(true, "a semicolon follows")

/// Declares a variable with the value of a Result, or returns its error from the function around it:
/// PELT_TRY_TO(const auto text, read_text(path));
#define PELT_TRY_TO(declaration, ...)                     \
  auto PELT_JOINED(pelt_result_, __LINE__) = __VA_ARGS__; \
  if (!PELT_JOINED(pelt_result_, __LINE__)) {             \
    return PELT_JOINED(pelt_result_, __LINE__).error();   \
  }                                                       \
  declaration = *std::move(PELT_JOINED(pelt_result_, __LINE__))
