#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bind/binding.h"

namespace pelt::bind {

/// A number that a binder is adjusted by: a slider and a flag. Both are made of these rows.
struct Field {
  enum class Kind : std::uint8_t { kReal, kInteger, kSwitch };
  std::string_view id;     ///< of the flag: "alpha"
  std::string_view label;  ///< of the slider
  std::string_view unit;   ///< "" where it has none
  std::string_view help;
  Kind kind = Kind::kReal;
  double minimum = 0;
  double maximum = 1;
  double standard = 0;
  std::span<const std::string_view> choices = {};  ///< what the whole numbers from 0 on mean: "tapered-capsule"
};

/// A way to make weights from a surface and bones. Rows of a table: a new one is a file pair and a row.
struct Binder {
  std::string_view id;
  std::string_view label;
  std::string_view help;
  std::span<const Field> fields;
  /// @param values  one per field, in range
  /// @return nothing where the watcher asked it to stop, else weights for every place
  std::optional<Binding> (*bind)(const Problem& problem, std::span<const double> values, const Watcher& watcher);
};

std::span<const Binder> binders();
/// Null where there is none of that id.
const Binder* find_binder(std::string_view id);
/// The fields as they are before anybody changed them.
std::vector<double> standard_values(const Binder& binder);

/// Runs a binder and adds what can be said of any binding: bones that nothing follows or that have no length.
/// @pre  problem is finished and has a bone; values are in range
std::optional<Binding> run(const Binder& binder, const Problem& problem, std::span<const double> values,
                           const Watcher& watcher = {});

}  // namespace pelt::bind
