#include "cli/behaviour_report.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "edit/behaviour_readings.h"

namespace pelt::cli {
namespace {

using ReportJson = nlohmann::ordered_json;

// Those of the character, then those that could be added.
std::vector<motion::SemanticSlider> all_sliders(const edit::Document& document, std::size_t& own) {
  std::vector<motion::SemanticSlider> out = document.content.behaviour->sliders;
  own = out.size();
  for (motion::SemanticSlider& proposed : motion::proposed_sliders(*document.character)) {
    if (std::ranges::find(out, proposed.name, &motion::SemanticSlider::name) == out.end()) {
      out.push_back(std::move(proposed));
    }
  }
  return out;
}

std::string row_text(const motion::SliderRow& row) {
  return fmt::format("{} {:+.4g}{}", printable(row.target, 60), row.amount,
                     row.curve == 0 ? std::string() : fmt::format(" {:+.4g} c^2", row.curve));
}

std::string sliders_text(const edit::Document& document) {
  std::size_t own = 0;
  std::string out;
  const std::vector<motion::SemanticSlider> sliders = all_sliders(document, own);
  for (std::size_t s = 0; s < sliders.size(); ++s) {
    std::vector<std::string> rows;
    for (const motion::SliderRow& row : sliders[s].rows) {
      rows.push_back(row_text(row));
    }
    out += fmt::format("  {:<24} {:>7} {:g}..{:g}  {}\n", printable(sliders[s].name, 40),
                       s < own ? fmt::format("{:.4g}", sliders[s].value) : "proposed", sliders[s].lower,
                       sliders[s].upper, fmt::join(rows, ", "));
  }
  return out.empty() ? out : "\nsliders that mean something\n" + out;
}

std::string drivers_text(const edit::Document& document) {
  std::string out;
  const std::vector<motion::Driver>& drivers = document.content.behaviour->drivers;
  const std::vector<edit::DriverState> states = edit::driver_states(document);
  for (std::size_t d = 0; d < drivers.size(); ++d) {
    const edit::DriverState& state = states[d];
    const std::string value = !drivers[d].on         ? "off"
                              : !state.fault.empty() ? "fault"
                              : state.value          ? fmt::format("{:.6g}", *state.value)
                                                     : "no value";
    out += fmt::format("  {:<24} {:>10}  = {}\n", printable(drivers[d].target, 60), value,
                       printable(drivers[d].expression, 200));
    out += state.fault.empty() ? "" : fmt::format("  {:<24} {:>10}  {}\n", "", "", state.fault);
  }
  return out.empty() ? out : "\ndrivers\n" + out;
}

std::string springs_text(const edit::Document& document) {
  std::string out;
  const motion::SpringSet& springs = document.content.behaviour->springs;
  const motion::SpringRig rig = motion::make_spring_rig(*document.character, springs);
  for (std::size_t c = 0; c < springs.chains.size(); ++c) {
    const motion::SpringChain& chain = springs.chains[c];
    std::vector<std::string> joints;
    for (const motion::SpringJoint& joint : chain.joints) {
      joints.push_back(printable(joint.joint, 40));
    }
    out += fmt::format("  {:<24} {:>10}  {}{}\n", printable(chain.name, 40), chain.on ? "on" : "off",
                       fmt::join(joints, ", "),
                       rig.faults[c].empty() ? "" : fmt::format("; does not work: {}", rig.faults[c]));
  }
  return out.empty() ? out : "\nsprings\n" + out;
}

std::string constraints_text(const edit::Document& document) {
  std::string out;
  const std::vector<motion::Constraint>& constraints = document.content.behaviour->constraints;
  const motion::ConstraintRig rig = motion::make_constraint_rig(*document.character, constraints);
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const motion::Constraint& constraint = constraints[c];
    out += fmt::format("  {:<24} {:>10}  {}{}, weight {:g}{}\n", printable(constraint.joint, 40),
                       constraint.on ? "on" : "off",
                       motion::constraint_kinds()[static_cast<std::size_t>(constraint.kind)].id,
                       constraint.target.empty() ? "" : " to " + printable(constraint.target, 40), constraint.weight,
                       rig.faults[c].empty() ? "" : fmt::format("; does not work: {}", rig.faults[c]));
  }
  return out.empty() ? out : "\nconstraints\n" + out;
}

std::string clip_layers_text(const edit::Document& document) {
  std::string out;
  const std::vector<motion::ClipLayer>& layers = document.content.behaviour->clip_layers;
  const motion::ClipLayerRig rig = motion::make_clip_layer_rig(*document.character, layers);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const motion::ClipLayer& layer = layers[l];
    out +=
        fmt::format("  {:<24} {:>10}  {}, weight {:g}, speed {:g}{}\n", printable(layer.clip, 40),
                    layer.on ? "on" : "off", layer.mode == motion::ClipLayerMode::kAdditive ? "additive" : "override",
                    layer.weight, layer.speed, rig.faults[l].empty() ? "" : fmt::format("; {}", rig.faults[l]));
  }
  return out.empty() ? out : "\nclip layers\n" + out;
}

ReportJson sliders_json(const edit::Document& document) {
  ReportJson out = ReportJson::array();
  std::size_t own = 0;
  const std::vector<motion::SemanticSlider> sliders = all_sliders(document, own);
  for (std::size_t s = 0; s < sliders.size(); ++s) {
    ReportJson rows = ReportJson::array();
    for (const motion::SliderRow& row : sliders[s].rows) {
      rows.push_back({{"target", row.target}, {"amount", row.amount}, {"curve", row.curve}});
    }
    out.push_back({{"name", sliders[s].name},
                   {"proposed", s >= own},
                   {"lower", sliders[s].lower},
                   {"upper", sliders[s].upper},
                   {"value", sliders[s].value},
                   {"rows", std::move(rows)}});
  }
  return out;
}

}  // namespace

std::string behaviour_text(const edit::Document& document) {
  const std::string out = sliders_text(document) + drivers_text(document) + springs_text(document) +
                          clip_layers_text(document) + constraints_text(document);
  return out.empty() ? "nothing drives this character, and nothing is proposed\n" : out.substr(1);
}

std::string behaviour_json_text(const edit::Document& document) {
  const motion::Behaviour& behaviour = document.content.behaviour;
  const std::vector<edit::DriverState> states = edit::driver_states(document);
  ReportJson drivers = ReportJson::array();
  for (std::size_t d = 0; d < behaviour.drivers.size(); ++d) {
    ReportJson& out = drivers.emplace_back(ReportJson{{"target", behaviour.drivers[d].target},
                                                      {"expression", behaviour.drivers[d].expression},
                                                      {"on", behaviour.drivers[d].on},
                                                      {"fault", states[d].fault}});
    out["value"] = states[d].value ? ReportJson(*states[d].value) : ReportJson();
  }
  const motion::SpringRig rig = motion::make_spring_rig(*document.character, behaviour.springs);
  ReportJson springs = ReportJson::array();
  for (std::size_t c = 0; c < behaviour.springs.chains.size(); ++c) {
    const motion::SpringChain& chain = behaviour.springs.chains[c];
    ReportJson joints = ReportJson::array();
    for (const motion::SpringJoint& joint : chain.joints) {
      joints.push_back(joint.joint);
    }
    springs.push_back({{"name", chain.name},
                       {"on", chain.on},
                       {"joints", std::move(joints)},
                       {"colliders", chain.colliders},
                       {"fault", rig.faults[c]}});
  }
  const motion::ClipLayerRig layer_rig = motion::make_clip_layer_rig(*document.character, behaviour.clip_layers);
  ReportJson layers = ReportJson::array();
  for (std::size_t l = 0; l < behaviour.clip_layers.size(); ++l) {
    const motion::ClipLayer& layer = behaviour.clip_layers[l];
    layers.push_back({{"clip", layer.clip},
                      {"on", layer.on},
                      {"mode", layer.mode == motion::ClipLayerMode::kAdditive ? "additive" : "override"},
                      {"weight", layer.weight},
                      {"speed", layer.speed},
                      {"joints", layer.joints},
                      {"fault", layer_rig.faults[l]}});
  }
  const motion::ConstraintRig constraint_rig = motion::make_constraint_rig(*document.character, behaviour.constraints);
  ReportJson constraints = ReportJson::array();
  for (std::size_t c = 0; c < behaviour.constraints.size(); ++c) {
    const motion::Constraint& constraint = behaviour.constraints[c];
    constraints.push_back(
        {{"kind", std::string(motion::constraint_kinds()[static_cast<std::size_t>(constraint.kind)].id)},
         {"joint", constraint.joint},
         {"target", constraint.target},
         {"on", constraint.on},
         {"weight", constraint.weight},
         {"fault", constraint_rig.faults[c]}});
  }
  return ReportJson{{"sliders", sliders_json(document)},
                    {"drivers", std::move(drivers)},
                    {"springs", std::move(springs)},
                    {"clip_layers", std::move(layers)},
                    {"constraints", std::move(constraints)}}
      .dump();
}

}  // namespace pelt::cli
