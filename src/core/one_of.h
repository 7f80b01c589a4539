#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>

namespace pelt {

/// A value of one of many types. A std::variant of n types is compiled as n nested unions in each source that touches
/// it, which for dozens of types is most of what that source costs; this one is an index and a place on the heap,
/// shared by copies until one of them is changed.
template <typename... Kinds>
class OneOf {
 public:
  template <typename Kind>
  static constexpr bool kHas = (std::same_as<Kind, Kinds> || ...);
  static constexpr std::size_t kCount = sizeof...(Kinds);
  template <std::size_t I>
  using Alternative = std::tuple_element_t<I, std::tuple<Kinds...>>;

  template <typename Kind>
  requires kHas<Kind> OneOf(Kind value)  // NOLINT(google-explicit-constructor): as that of std::variant
      : index_(kIndex<Kind>), value_(std::make_shared<Kind>(std::move(value))) {}

  /// Which of the types it is, counted as they stand in the list.
  [[nodiscard]] std::size_t index() const { return index_; }

  template <typename Kind>
  requires kHas<Kind>
  [[nodiscard]] bool is() const { return index_ == kIndex<Kind>; }

  /// Null where it is of another type.
  template <typename Kind>
  requires kHas<Kind>
  [[nodiscard]] const Kind* get_if() const { return is<Kind>() ? static_cast<const Kind*>(value_.get()) : nullptr; }

  /// The same to be changed: no other copy sees that.
  template <typename Kind>
  requires kHas<Kind>
  [[nodiscard]] Kind* edit_if() {
    if (!is<Kind>()) {
      return nullptr;
    }
    if (value_.use_count() > 1) {
      value_ = std::make_shared<Kind>(*static_cast<const Kind*>(value_.get()));
    }
    return static_cast<Kind*>(value_.get());
  }

 private:
  template <typename Kind>
  static constexpr std::size_t place() {
    const std::array<bool, kCount> matches = {std::same_as<Kind, Kinds>...};
    std::size_t i = 0;
    while (!matches[i]) {
      ++i;
    }
    return i;
  }
  template <typename Kind>
  static constexpr std::size_t kIndex = place<Kind>();

  std::size_t index_;
  std::shared_ptr<void> value_;
};

}  // namespace pelt
