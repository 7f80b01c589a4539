#include "cli/vertex_report.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/shape.h"
#include "core/index.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "deform/vertex_steps.h"
#include "edit/evaluation.h"

namespace pelt::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kArcPoints = 17;

// Parts whose node or mesh has that name.
std::vector<int> parts_named(const rig::Character& character, const std::string& name) {
  std::vector<int> found;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    if (name == character.skeleton->name[part.joint] || name == character.meshes[part.mesh].name) {
      found.push_back(static_cast<int>(p));
    }
  }
  return found;
}

Json to_json(const glm::vec3& v) {
  return Json::array({v.x, v.y, v.z});
}

std::string to_text(const glm::vec3& v) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x, v.y, v.z);
}

// What the report is made of.
struct Reported {
  const edit::Document& document;
  const deform::SkinningMethod& method;
  char normals;
  deform::VertexSteps steps;
  std::vector<glm::vec3> arc;
};

std::string step_json(const Reported& r, const std::string& file) {
  const rig::Character& character = *r.document.character;
  const rig::Part& part = character.parts[r.steps.part];
  const auto node_of = [&](int joint) { return character.skeleton->source_node[joint]; };
  Json out;
  out["file"] = file;
  out["part"] = r.steps.part;
  out["node"] = node_of(part.joint);
  out["mesh"] = part.mesh;
  out["primitive"] = part.primitive;
  out["skin"] = part.skin;
  out["vertex"] = r.steps.vertex;
  out["method"] = r.method.id;
  out["normals"] = std::string(1, r.normals);
  out["position"] = to_json(r.steps.bind);
  if (r.steps.bind_normal) {
    out["normal"] = to_json(*r.steps.bind_normal);
  }
  out["stored_sum"] = r.steps.stored_sum;
  out["joints"] = Json::array();
  for (const deform::JointStep& step : r.steps.joints) {
    out["joints"].push_back({{"node", node_of(step.joint)},
                             {"name", character.skeleton->name[step.joint]},
                             {"slot", step.slot},
                             {"weight", step.weight},
                             {"in_joint", to_json(step.in_joint)},
                             {"ghost", to_json(step.ghost)},
                             {"weighted", to_json(step.contribution)}});
  }
  out["sum"] = to_json(r.steps.weighted_sum);
  out["result"] = to_json(r.steps.result);
  out["of_control_points"] = r.steps.of_control_points;
  if (r.steps.result_normal) {
    out["result_normal"] = to_json(*r.steps.result_normal);
  }
  if (!r.arc.empty()) {
    out["arc"] = Json::array();
    for (const glm::vec3& point : r.arc) {
      out["arc"].push_back(to_json(point));
    }
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string step_lines(const Reported& r, const std::string& file) {
  const rig::Character& character = *r.document.character;
  const rig::Part& part = character.parts[r.steps.part];
  std::string out;
  const auto line = [&](std::string_view what, const std::string& value) {
    out += fmt::format("{:<14} {}\n", what, value);
  };
  line("file", file);
  line("vertex", fmt::format("{} of part {}, {}", r.steps.vertex, r.steps.part,
                             printable(character.skeleton->label(part.joint), 40)));
  line("v", to_text(r.steps.bind) + " m in mesh space");
  for (const deform::JointStep& step : r.steps.joints) {
    out += fmt::format("\n{}\n", printable(character.skeleton->label(step.joint), 60));
    line("  w", fmt::format("{:.6g}", step.weight));
    line("  B\u207b\u00b9 v", to_text(step.in_joint) + " m in the joint's space");
    line("  M v", to_text(step.ghost) + " m, where this joint alone would take it");
    line("  w M v", to_text(step.contribution));
  }
  out += '\n';
  if (r.steps.joints.empty()) {
    line("joints", "none: the vertex follows its node");
  } else {
    line("stored sum", fmt::format("{:.6g}", r.steps.stored_sum));
    line("\u03a3 w M v", to_text(r.steps.weighted_sum) + " m, the linear blend");
  }
  line("result", to_text(r.steps.result) +
                     fmt::format(" m by {}{}", r.method.id, r.steps.of_control_points ? " of control points" : ""));
  if (r.steps.bind_normal) {
    line("normal, bound", to_text(*r.steps.bind_normal));
  }
  if (r.steps.result_normal) {
    line("normal, posed", to_text(*r.steps.result_normal) + fmt::format(" by variant {}", r.normals));
  }
  return out;
}

}  // namespace

Result<int> resolve_part(const rig::Character& character, const std::string& name) {
  const std::vector<int> named = parts_named(character, name);
  if (named.size() == 1) {
    return named.front();
  }
  const std::optional<int> index = parse_integer(name);
  if (named.empty() && index && has_index(character.parts, *index)) {
    return *index;
  }
  if (!named.empty()) {
    return error("\"{}\" names {} parts: {}; say which by its index", printable(name), named.size(),
                 fmt::join(named, ", "));
  }
  if (character.parts.empty()) {
    return error("the character has no part, so no vertex");
  }
  std::vector<std::string> names;
  for (const rig::Part& part : character.parts) {
    names.push_back(character.meshes[part.mesh].name);
    names.push_back(character.skeleton->name[part.joint]);
  }
  return error("expected a part from 0 to {} or its name, got \"{}\"{}", character.parts.size() - 1, printable(name),
               suggestion(name, names));
}

Result<glm::ivec2> resolve_vertex(const rig::Character& character, const VertexFlag& flag) {
  const Result<int> part = resolve_part(character, flag.part);
  if (!part) {
    return part.error().in("--vertex");
  }
  const std::size_t count = character.primitive(character.parts[*part]).vertex_count();
  if (static_cast<std::size_t>(flag.vertex) >= count) {
    return error("--vertex: part {} has {} vertices, from 0 on; got vertex {}", *part, count, flag.vertex);
  }
  return glm::ivec2(*part, flag.vertex);
}

Status pin_vertex(edit::Document& document, const std::optional<VertexFlag>& flag) {
  if (!flag) {
    return {};
  }
  PELT_TRY_TO(const glm::ivec2 vertex, resolve_vertex(*document.character, *flag));
  document.view.pinned_part = vertex.x;
  document.view.pinned_vertex = vertex.y;
  return {};
}

Result<std::string> vertex_report(const edit::Document& document, const VertexFlag& flag, const std::string& file,
                                  bool json) {
  const Result<glm::ivec2> vertex = resolve_vertex(*document.character, flag);
  if (!vertex) {
    return vertex.error();
  }
  edit::Evaluation evaluation;
  prepare_methods(document, evaluation);
  const deform::DeformedCharacter& shape = evaluation.deformed(document);
  const deform::SkinningSettings& settings = document.content.skinning;
  const deform::SkinningMethod& method = deform::skinning_methods()[settings.method];
  Reported reported{document,
                    method,
                    deform::letter_of(deform::normals_under(method, settings.normals)),
                    deform::vertex_steps(*document.character, evaluation.pose(), evaluation.world(), settings, shape,
                                         vertex->x, vertex->y),
                    {}};
  for (const glm::vec3& v : {reported.steps.bind, reported.steps.weighted_sum, reported.steps.result}) {
    if (!std::isfinite(v.x + v.y + v.z)) {
      return error("part {}: vertex {} has a coordinate that is not finite", vertex->x, vertex->y);
    }
  }
  reported.arc = deform::blend_arc(*document.character, evaluation.pose(), evaluation.world(),
                                   *evaluation.cache()->bindings(*document.character), settings.method,
                                   settings.parameters, reported.steps, kArcPoints);
  return json ? step_json(reported, file) : step_lines(reported, file);
}

}  // namespace pelt::cli
