#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bind/binders.h"
#include "core/result.h"

namespace pelt::cli {

/// A binder with the numbers that it is to use.
struct BinderChoice {
  const bind::Binder* binder = nullptr;
  std::vector<double> values;  ///< one per field
  std::string label;           ///< as it was asked for: "point-to-line:bones=1"
};

/// Reads "ID" or "ID:FIELD=VALUE,...". Fails, with the nearest name, on what the tables lack, and on values out of
/// range.
Result<BinderChoice> parse_binder(std::string_view text);

/// What is measured where nobody says it: the nearest bone, and every binder as it stands.
std::vector<BinderChoice> usual_binders();

/// Puts a value in its place. Fails, naming the field, where it is out of range or no whole number that is to be one.
Status set_field(const bind::Binder& binder, std::size_t field, std::string_view text, std::vector<double>& values);

std::vector<std::string> binder_ids();

}  // namespace pelt::cli
