// The values of --layer and --stop-after.

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cli/flag_values.h"
#include "cli/options.h"
#include "core/text.h"
#include "deform/layers.h"
#include "motion/pose_layers.h"

namespace pelt::cli {
namespace {

std::vector<const rig::LayerKind*> kinds() {
  std::vector<const rig::LayerKind*> out;
  for (const motion::PoseLayerKind& kind : motion::pose_layer_kinds()) {
    out.push_back(&kind.about);
  }
  for (const deform::DeformerLayerKind& kind : deform::deformer_layer_kinds()) {
    out.push_back(&kind.about);
  }
  return out;
}

std::string range_of(const rig::LayerField& field) {
  return fmt::format("{:g} to {:g}{}", field.minimum, field.maximum,
                     field.unit == rig::LayerUnit::kMetres ? " metres" : "");
}

Result<const rig::LayerKind*> kind_of(std::string_view id) {
  const std::vector<const rig::LayerKind*> all = kinds();
  const auto found = std::ranges::find(all, id, &rig::LayerKind::id);
  if (found == all.end()) {
    const std::vector<std::string> ids = layer_ids();
    return error("expected a layer ({}), got \"{}\"{}", joined(ids), printable(id), suggestion(id, ids));
  }
  return *found;
}

}  // namespace

std::vector<std::string> layer_ids() {
  std::vector<std::string> ids;
  for (const rig::LayerKind* const kind : kinds()) {
    ids.emplace_back(kind->id);
  }
  return ids;
}

std::string layer_help() {
  std::vector<std::string> switches;
  std::vector<std::string> fields;
  for (const rig::LayerKind* const kind : kinds()) {
    if (kind->optional) {
      switches.emplace_back(kind->id);
    }
    for (const rig::LayerField& field : kind->fields) {
      if (field.id != rig::kWeightField.id) {
        fields.push_back(fmt::format("{}.{} ({})", kind->id, field.id, range_of(field)));
      }
    }
  }
  return fmt::format(
      "Switch a layer on or off, give it a weight from 0 to 1, or set one of its fields; may be repeated. Layers: {}. "
      "Fields: {}",
      fmt::join(switches, ", "), fmt::join(fields, ", "));
}

Result<LayerFlag> parse_layer(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return error("expected ID=on|off|WEIGHT or ID.FIELD=VALUE, got \"{}\"", printable(text));
  }
  const std::size_t dot = std::min(text.substr(0, equals).find('.'), equals);
  PELT_TRY_TO(const rig::LayerKind* const kind, kind_of(text.substr(0, dot)));
  LayerFlag flag{.kind = std::string(kind->id), .field = {}};
  const std::string_view word = text.substr(equals + 1);
  if (!kind->optional) {
    return error("{} is always on", flag.kind);
  }
  if (dot == equals && (word == "on" || word == "off")) {
    flag.on = word == "on";
    return flag;
  }
  flag.field = dot == equals ? std::string(rig::kWeightField.id) : std::string(text.substr(dot + 1, equals - dot - 1));
  const auto field = std::ranges::find(kind->fields, flag.field, &rig::LayerField::id);
  if (field == kind->fields.end()) {
    std::vector<std::string> ids;
    for (const rig::LayerField& one : kind->fields) {
      ids.emplace_back(one.id);
    }
    if (dot == equals) {
      return error("expected on or off for {}, got \"{}\"", flag.kind, printable(word));
    }
    return error("expected a field of {} ({}), got \"{}\"{}", flag.kind,
                 ids.empty() ? std::string("it has none") : joined(ids), printable(flag.field),
                 suggestion(flag.field, ids));
  }
  const std::optional<double> value = parse_number(word);
  const auto narrow = static_cast<float>(value.value_or(0));
  if (!value || !(narrow >= field->minimum && narrow <= field->maximum)) {
    return error("expected {}{} for {}, got \"{}\"", dot == equals ? "on, off or " : "", range_of(*field),
                 text.substr(0, equals), printable(word));
  }
  flag.value = narrow;
  return flag;
}

Result<std::string> parse_layer_id(std::string_view text) {
  PELT_TRY_TO(const rig::LayerKind* const kind, kind_of(text));
  return std::string(kind->id);
}

}  // namespace pelt::cli
