#include "cli/binder_choice.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/text.h"

namespace pelt::cli {
namespace {

Status set_named_field(const bind::Binder& binder, std::string_view piece, std::vector<double>& values) {
  const std::size_t equals = piece.find('=');
  const std::string_view id = piece.substr(0, equals);
  std::vector<std::string> ids;
  for (std::size_t f = 0; f < binder.fields.size(); ++f) {
    if (binder.fields[f].id == id && equals != std::string_view::npos) {
      return set_field(binder, f, piece.substr(equals + 1), values);
    }
    ids.emplace_back(binder.fields[f].id);
  }
  return error("expected FIELD=VALUE with a number that {} has, got \"{}\"{}", binder.id, printable(piece),
               suggestion(std::string(id), ids));
}

}  // namespace

std::vector<std::string> binder_ids() {
  std::vector<std::string> ids;
  for (const bind::Binder& binder : bind::binders()) {
    ids.emplace_back(binder.id);
  }
  return ids;
}

Status set_field(const bind::Binder& binder, std::size_t field, std::string_view text, std::vector<double>& values) {
  const bind::Field& row = binder.fields[field];
  const bool is_switch = row.kind == bind::Field::Kind::kSwitch;
  const std::optional<double> value = is_switch && text == "on"    ? std::optional(1.0)
                                      : is_switch && text == "off" ? std::optional(0.0)
                                                                   : parse_number(text);
  if (const auto chosen = std::ranges::find(row.choices, text); chosen != row.choices.end()) {
    values[field] = static_cast<double>(chosen - row.choices.begin());
    return {};
  }
  const bool whole = is_switch || row.kind == bind::Field::Kind::kInteger;
  if (!value || !(*value >= row.minimum && *value <= row.maximum) || (whole && *value != std::round(*value))) {
    return !row.choices.empty()
               ? error("{}: expected {}, got \"{}\"", row.id, fmt::join(row.choices, ", "), printable(text))
           : is_switch ? error("{}: expected on or off, got \"{}\"", row.id, printable(text))
                       : error("{}: expected a {} from {:g} to {:g}, got \"{}\"", row.id,
                               whole ? "whole number" : "number", row.minimum, row.maximum, printable(text));
  }
  values[field] = *value;
  return {};
}

Result<BinderChoice> parse_binder(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string id(text.substr(0, colon));
  BinderChoice choice;
  choice.binder = bind::find_binder(id);
  if (choice.binder == nullptr) {
    return error("there is no binder \"{}\"{}", printable(id), suggestion(id, binder_ids()));
  }
  choice.values = bind::standard_values(*choice.binder);
  choice.label = std::string(text);
  if (colon != std::string_view::npos) {
    for (const std::string_view piece : split(text.substr(colon + 1), ',')) {
      PELT_TRY(set_named_field(*choice.binder, piece, choice.values));
    }
  }
  return choice;
}

std::vector<BinderChoice> usual_binders() {
  std::vector<BinderChoice> choices;
  if (Result<BinderChoice> nearest = parse_binder("point-to-line:bones=1")) {
    choices.push_back(*std::move(nearest));
  }
  for (const bind::Binder& binder : bind::binders()) {
    choices.push_back({&binder, bind::standard_values(binder), std::string(binder.id)});
  }
  return choices;
}

}  // namespace pelt::cli
