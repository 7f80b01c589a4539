#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/behaviour_report.h"
#include "cli/diet_report.h"
#include "cli/info_report.h"
#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/parsed_option.h"
#include "cli/random_flags.h"
#include "cli/shape.h"
#include "cli/verbs.h"
#include "cli/vertex_report.h"
#include "cli/worst_report.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/evaluation.h"
#include "edit/layer_edits.h"
#include "measure/degenerate_normals.h"

namespace pelt::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string methods_text(bool json) {
  if (!json) {
    std::string text;
    for (const deform::SkinningMethod& method : deform::skinning_methods()) {
      text += fmt::format("{}\n", method.id);
    }
    return text;
  }
  Json rows = Json::array();
  for (const deform::SkinningMethod& method : deform::skinning_methods()) {
    Json parameters = Json::array();
    for (const deform::MethodParameter& parameter : method.parameters) {
      parameters.push_back({{"id", parameter.id},
                            {"help", parameter.help},
                            {"minimum", parameter.minimum},
                            {"maximum", parameter.maximum},
                            {"default", parameter.get({})}});
    }
    rows.push_back({{"id", method.id}, {"label", method.label}, {"help", method.help}, {"parameters", parameters}});
  }
  return dump({{"methods", rows}});
}

// A number in the unit that people read: degrees for rotations.
double shown(const rig::Dof& dof, float value) {
  const double factor = dof.kind == rig::DofKind::kRotation ? 180 / std::numbers::pi : 1.0;
  return std::round(static_cast<double>(value) * factor * 1e4) / 1e4;
}

std::string_view unit_of(const rig::Dof& dof) {
  return dof.kind == rig::DofKind::kRotation ? "deg" : dof.kind == rig::DofKind::kTranslation ? "m" : "x";
}

Json joints_json(const rig::Skeleton& skeleton) {
  Json joints = Json::array();
  for (int j = 0; j < skeleton.size(); ++j) {
    const std::size_t i = j;
    Json dofs = Json::array();
    for (const rig::Dof& dof : skeleton.dofs[i].dofs) {
      dofs.push_back({{"name", dof.name},
                      {"unit", unit_of(dof)},
                      {"lower", shown(dof, dof.lower)},
                      {"upper", shown(dof, dof.upper)},
                      {"default", shown(dof, dof.default_value)}});
    }
    joints.push_back({{"node", skeleton.source_node[i]},
                      {"name", skeleton.name[i]},
                      {"parent", skeleton.parent[i] < 0 ? -1 : skeleton.source_node[skeleton.parent[i]]},
                      {"is_joint", skeleton.is_joint[i] != 0},
                      {"authored_dofs", skeleton.dofs[i].authored},
                      {"dofs", dofs}});
  }
  return joints;
}

std::string joints_text(const rig::Skeleton& skeleton) {
  std::string text;
  for (int j = 0; j < skeleton.size(); ++j) {
    const std::size_t i = j;
    int depth = 0;
    for (int above = skeleton.parent[i]; above >= 0; above = skeleton.parent[above]) {
      ++depth;
    }
    // Deep chains would push their names off the screen.
    text += fmt::format("{:{}}{}", "", 2 * std::min(depth, 20), printable(skeleton.label(j)));
    bool first = true;
    for (const rig::Dof& dof : skeleton.dofs[i].dofs) {
      if (!dof.folded) {
        text += fmt::format("{}{} {:g}..{:g} {}", first ? "  [" : ", ", dof.name, shown(dof, dof.lower),
                            shown(dof, dof.upper), unit_of(dof));
        first = false;
      }
    }
    text += first ? "\n" : "]\n";
  }
  return text;
}

std::string value_text(const rig::LayerField& field, float value) {
  return fmt::format("{} {:g}{}", field.id, value, field.unit == rig::LayerUnit::kMetres ? " m" : "");
}

// The layers that are other than in the standard stacks.
std::string layers_text(const edit::Content& content) {
  const edit::Content standard;
  if (content.pose_layers == standard.pose_layers && content.deformer_layers == standard.deformer_layers) {
    return "";
  }
  std::string out = "\nlayers that are not as usual\n";
  for (std::size_t k = 0; k < edit::layer_count(content); ++k) {
    const rig::Layer& layer = edit::layer_at(content, k);
    const rig::LayerKind* const kind = edit::layer_kind_at(content, k);
    if (kind != nullptr && layer == rig::standard_layer(*kind)) {
      continue;
    }
    std::string values = kind == nullptr ? ", not known to this version of Pelt" : "";
    for (std::size_t f = 0; kind != nullptr && f < kind->fields.size(); ++f) {
      values += ", " + value_text(kind->fields[f], layer.values[f]);
    }
    out += fmt::format("  {:<24} {}{}\n", printable(layer.kind, 40), layer.on ? "on" : "off", values);
  }
  return out;
}

Json layers_json(const edit::Content& content) {
  Json out = Json::array();
  for (std::size_t k = 0; k < edit::layer_count(content); ++k) {
    const rig::Layer& layer = edit::layer_at(content, k);
    const rig::LayerKind* const kind = edit::layer_kind_at(content, k);
    Json values = Json::object();
    for (std::size_t f = 0; kind != nullptr && f < kind->fields.size(); ++f) {
      values[std::string(kind->fields[f].id)] = layer.values[f];
    }
    out.push_back({{"stack", k < content.pose_layers.size() ? "pose" : "deformers"},
                   {"kind", layer.kind},
                   {"known", kind != nullptr},
                   {"on", layer.on},
                   {"values", std::move(values)}});
  }
  return out;
}

// Normals that the blend cancels out in the document's pose; nothing where its method or variant blends none.
std::optional<measure::DegenerateNormals> lost_normals(const edit::Document& document) {
  edit::Evaluation evaluation;
  evaluation.update(document);
  return measure::count_degenerate_normals(*document.character, evaluation.pose(), evaluation.world(),
                                           document.content.skinning, *evaluation.cache());
}

struct InfoOptions {
  EvaluationOptions evaluation;
  bool json = false;
  bool methods = false;
  bool joints = false;
  bool behaviour = false;
  bool diet = false;
  int worst = 0;                     ///< so many of the worst places, and nothing else; 0: not asked for
  std::optional<VertexFlag> vertex;  ///< this one step by step, and nothing else
  RandomPosesFlags random;           ///< of the diet's battery
};

void add_info_flags(Command& verb, InfoOptions& options) {
  add_file_argument(verb, options.evaluation, false);
  verb.add_flag("--json", options.json, "For programs; see src/cli/machine_output.md");
  verb.add_flag("--joints", options.joints, "List the joints with their degrees of freedom");
  verb.add_flag("--methods", options.methods, "List the ids of the skinning methods, one per line, and nothing else");
  verb.add_flag(
      "--behaviour", options.behaviour,
      "List drivers with what they say in the pose, sliders that mean something, and springs, and nothing else");
  verb.add_flag("--diet", options.diet,
                "Simulate storage: what fewer influences, smaller weights and smaller palettes would save and "
                "cost, over a battery "
                "of poses (24 random ones among them unless --random says how many)");
  verb.add_option("--worst", options.worst,
                  "The N places of the skin that deform worst where each joint is turned to its limits one at a time "
                  "(--random adds poses), and nothing else")
      ->type_name("N")
      ->between(1, 10000);
  add_parsed_with<VertexFlag>(
      verb, "--vertex", parse_vertex, [&](VertexFlag flag) { options.vertex = std::move(flag); }, "PART,V",
      "How vertex V of a part (by name or index) gets to its place in the pose, step by step, and nothing else");
  add_random_flags(verb, options.random);
  add_evaluation_flags(verb, options.evaluation);
  verb.footer(
      "Examples:\n  pelt info fox.glb\n  pelt info @mannequin --joints\n  pelt info @mannequin --diet\n  "
      "pelt info @mannequin --behaviour\n  pelt info @mannequin --worst 5\n  "
      "pelt info @elbow --vertex 0,544 --set forearm.bend=-90\n  pelt info --methods");
}

/// @param verb  tells which flags were given
void check_info(const InfoOptions& options, const Command& verb) {
  require(options.methods || !options.evaluation.file.empty(), "FILE", "is required");
  const int others = (options.methods ? 1 : 0) + (options.joints ? 1 : 0) + (options.diet ? 1 : 0) +
                     (options.behaviour ? 1 : 0) + (options.worst > 0 ? 1 : 0);
  require(!options.vertex || others == 0, "--vertex", "excludes --methods, --joints, --diet, --behaviour and --worst");
  check_evaluation(options.evaluation);
  check_time(options.evaluation);
  require(options.diet || options.worst > 0 || (verb.count("--random") == 0 && verb.count("--seed") == 0),
          "--random, --seed", "need --diet or --worst");
  require(others <= 1, "--methods, --joints, --diet, --behaviour, --worst", "exclude each other");
}

// What is said of the character as a whole.
Result<std::string> report_of(const InfoOptions& options) {
  PELT_TRY_TO(const edit::Document document, open_document(options.evaluation));
  const std::string file = shown_name(options.evaluation);
  if (options.diet || options.vertex) {
    note_left_out(document);
    return options.diet ? diet_report(document, file, options.random.battery(), options.json)
                        : vertex_report(document, *options.vertex, file, options.json);
  }
  if (options.worst > 0) {
    note_left_out(document);
    const edit::BatteryOptions battery{.clips = false,
                                       .random = options.random.count,
                                       .seed = static_cast<std::uint32_t>(options.random.seed),
                                       .plausible = true};
    return worst_report(document, file, options.worst, battery, options.json);
  }
  if (options.behaviour) {
    return options.json ? dump(Json::parse(behaviour_json_text(document))) : behaviour_text(document);
  }
  const rig::Character& c = *document.character;
  const bool shows_lost = options.json || !options.joints;
  const std::optional<measure::DegenerateNormals> lost = shows_lost ? lost_normals(document) : std::nullopt;
  note_left_out(c, std::array{options.evaluation.skinning});
  if (!options.json) {
    return options.joints ? joints_text(c.skeleton)
                          : info_text(c, file, options.evaluation.skinning, lost) + layers_text(document.content);
  }
  Json json = info_json(c, file, options.evaluation.skinning);
  if (lost) {
    json["degenerate_normals"] = lost->count;
  }
  json["layers"] = layers_json(document.content);
  json["behaviour"] = Json::parse(behaviour_json_text(document));
  if (options.joints) {
    json["skeleton"] = joints_json(c.skeleton);
  }
  return dump(json);
}

Result<int> run_info(const InfoOptions& options) {
  PELT_TRY_TO(const std::string text, options.methods ? methods_text(options.json) : report_of(options));
  PELT_TRY(print_result(text, form_of(options.json)));
  return 0;
}

}  // namespace

Verb add_info_verb(Command& verb) {
  const auto options = std::make_shared<InfoOptions>();
  add_info_flags(verb, *options);
  return {[options, &verb] { check_info(*options, verb); },
          [options](const Surroundings&) { return run_info(*options); }};
}

}  // namespace pelt::cli
