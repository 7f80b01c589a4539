#include "ui/info_panel.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/commands.h"
#include "edit/weight_repairs.h"
#include "rig/lint.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

template <typename Array>
std::int64_t bytes_of(const Array& array) {
  return static_cast<std::int64_t>(array.size() * sizeof(typename Array::value_type));
}

std::string joined(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) {
    result += (result.empty() ? "" : ", ") + printable(name);
  }
  return result;
}

void count(InfoPanel& panel, const rig::Character& character) {
  std::int64_t vertices = 0;
  std::int64_t triangles = 0;
  std::int64_t primitives = 0;
  std::int64_t targets = 0;
  std::int64_t mesh_bytes = 0;
  std::int64_t influence_bytes = 0;
  std::int64_t target_bytes = 0;
  std::uint32_t most_influences = 0;
  std::set<std::string> kept;
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      ++primitives;
      vertices += static_cast<std::int64_t>(primitive.vertex_count());
      triangles += static_cast<std::int64_t>(primitive.triangle_count());
      most_influences =
          std::max(most_influences, primitive.influences->empty() ? 0 : primitive.influences->max_count());
      mesh_bytes += bytes_of(primitive.indices) + bytes_of(primitive.positions) + bytes_of(primitive.normals) +
                    bytes_of(primitive.tangents) + bytes_of(primitive.texcoords[0]) + bytes_of(primitive.texcoords[1]) +
                    bytes_of(primitive.colors);
      for (const mesh::KeptAttribute& attribute : primitive.kept) {
        mesh_bytes += bytes_of(attribute.bytes);
        kept.insert(mesh::label(attribute));
      }
      influence_bytes += static_cast<std::int64_t>(primitive.influences->bytes());
      targets = std::max(targets, static_cast<std::int64_t>(primitive.morph_targets.size()));
      for (const mesh::MorphTarget& target : primitive.morph_targets) {
        target_bytes +=
            bytes_of(target.position_deltas) + bytes_of(target.normal_deltas) + bytes_of(target.tangent_deltas);
      }
    }
  }
  for (const rig::Instances& instances : character.instances) {
    for (const mesh::KeptAttribute& attribute : instances.kept) {
      kept.insert(mesh::label(attribute) + " of instances");
    }
  }
  std::int64_t clip_bytes = 0;
  for (const rig::Clip& clip : character.clips) {
    for (const rig::Channel& channel : clip.channels) {
      clip_bytes += bytes_of(channel.times) + bytes_of(channel.values);
    }
  }
  std::int64_t image_bytes = 0;
  for (const rig::Image& image : character.images) {
    image_bytes += bytes_of(image.pixels) + bytes_of(image.encoded);
  }
  const auto joints = std::count_if(character.skeleton->is_joint.begin(), character.skeleton->is_joint.end(),
                                    [](char joint) { return joint != 0; });
  const auto number = [](auto value) { return count_text(static_cast<std::int64_t>(value)); };
  panel.file = {{"Name", printable(character.name)}};
  if (!character.source.empty()) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(character.source, failure);
    panel.file.emplace_back("File", printable(character.source.filename().string()));
    panel.file.emplace_back("Folder", printable(character.source.parent_path().string(), 400));
    if (!failure) {
      panel.file.emplace_back("Size", bytes_text(static_cast<std::int64_t>(size)));
    }
  }
  if (!character.generator.empty()) {
    panel.file.emplace_back("Made by", printable(character.generator));
  }
  panel.counts = {{"Vertices", number(vertices)},
                  {"Triangles", number(triangles)},
                  {"Meshes", fmt::format("{} with {} primitives", number(character.meshes.size()), number(primitives))},
                  {"Joints", fmt::format("{} of {} nodes", number(joints), number(character.skeleton->size()))},
                  {"Skins", number(character.skins.size())},
                  {"Influences", fmt::format("up to {} per vertex", most_influences)},
                  {"Morph targets", number(targets)},
                  {"Clips", number(character.clips.size())},
                  {"Materials", number(character.materials.size())},
                  {"Images", number(character.images.size())},
                  {"Cameras", number(character.cameras.size())},
                  {"Scenes", number(character.scenes.size())}};
  if (!kept.empty()) {
    panel.counts.emplace_back("Kept unread", fmt::format("{}", fmt::join(kept, ", ")));
  }
  panel.memory = {{"Attributes", bytes_text(mesh_bytes)},
                  {"Influences", bytes_text(influence_bytes)},
                  {"Morph targets", bytes_text(target_bytes)},
                  {"Clips", bytes_text(clip_bytes)},
                  {"Images", bytes_text(image_bytes)},
                  {"Together", bytes_text(mesh_bytes + influence_bytes + target_bytes + clip_bytes + image_bytes)}};
}

/// The findings of the open character; null until they are known.
const rig::Findings* findings_of(const Desk& desk) {
  const Measurements* measured = desk.scene.measurements;
  return measured != nullptr && measured->lint && measured->lint->character == desk.document().character
             ? &measured->lint->findings
             : nullptr;
}

constexpr std::array kSeverityIcons = {icon::kInfo, icon::kWarning, icon::kError};
constexpr std::array kSeverityNames = {"remarks", "warnings", "errors"};

// What is shown of each severity, and the button that mends.
void draw_filters(InfoPanel& panel, const rig::Findings& findings, Desk& desk) {
  std::array<std::size_t, 3> counts{};
  std::size_t fixable = 0;
  for (const rig::Finding& finding : findings) {
    ++counts[static_cast<std::size_t>(finding.severity)];
    const rig::LintRule* rule = rig::find_lint_rule(finding.code);
    fixable += rule != nullptr && rule->is_usually_fixed() ? 1U : 0U;
  }
  for (std::size_t i = counts.size(); i-- > 0;) {
    const bool on = panel.shown[i];
    ImGui::PushStyleColor(ImGuiCol_Text, on ? severity_color(static_cast<int>(i)) : color::kTextDim);
    if (ImGui::Button(fmt::format("{} {}###severity{}", kSeverityIcons[i], counts[i], i).c_str())) {
      panel.shown[i] = !on;
    }
    ImGui::PopStyleColor();
    report_item(desk, fmt::format("findings.{}", kSeverityNames[i]));
    tip(fmt::format("{} {}", on ? "Hide" : "Show", kSeverityNames[i]));
    ImGui::SameLine();
  }
  ImGui::BeginDisabled(fixable == 0);
  if (ImGui::Button(fmt::format("Fix {}###fix", fixable).c_str())) {
    desk.requests.fix = true;
  }
  ImGui::EndDisabled();
  report_item(desk, "findings.fix");
  tip("Mend what can be mended without moving a vertex; Ctrl+Z takes it back");
}

void draw_finding(const rig::Finding& finding, int i, bool marked, Desk& desk) {
  const auto severity = static_cast<std::size_t>(finding.severity);
  const rig::LintRule* rule = rig::find_lint_rule(finding.code);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  ImGui::BeginGroup();
  ImGui::PushStyleColor(ImGuiCol_Text, severity_color(static_cast<int>(finding.severity)));
  text(kSeverityIcons[severity]);
  ImGui::PopStyleColor();
  ImGui::SameLine(0, desk.theme.px(6));
  ImGui::BeginGroup();
  clipped_text(finding.code, ImGui::GetContentRegionAvail().x);
  wrapped_text(printable(finding.where, 200));
  wrapped_text(printable(finding.message, 600), color::kTextDim);
  if (marked && rule != nullptr) {
    wrapped_text(std::string(rule->remedy), color::kAccent);
  }
  ImGui::EndGroup();
  ImGui::EndGroup();
  const ImVec2 end(start.x + width, ImGui::GetItemRectMax().y);
  ImGui::SetCursorScreenPos(start);
  if (ImGui::InvisibleButton(fmt::format("##finding{}", i).c_str(), ImVec2(width, std::max(1.0f, end.y - start.y)))) {
    mark_finding(desk, i);
  }
  report_item(desk, fmt::format("finding.{}", i));
  list.ChannelsSetCurrent(0);
  if (marked || ImGui::IsItemHovered()) {
    const float pad = desk.theme.px(3);
    list.AddRectFilled(ImVec2(start.x - pad, start.y - pad), ImVec2(end.x + pad, end.y + pad),
                       marked ? faded(color::kAccentSoft, 0.6f) : color::kRaised, desk.theme.px(3));
  }
  list.ChannelsMerge();
  tip(rule != nullptr ? fmt::format("{} {}", rule->explanation, rule->remedy) : std::string());
  ImGui::Dummy(ImVec2(0, desk.theme.px(2)));
}

// Weights that lint complains of have a tool that mends them, which changes how the mesh moves.
void draw_weight_repair(InfoPanel& panel, const rig::Findings& findings, Desk& desk) {
  const std::shared_ptr<const rig::Character>& character = edit::own_character(desk.document());
  if (panel.repair_finding != panel.finding || panel.repair_of != character) {
    panel.repair_finding = panel.finding;
    panel.repair_of = character;
    panel.repair = has_index(findings, panel.finding)
                       ? edit::repair_of(*character, findings[static_cast<std::size_t>(panel.finding)])
                       : std::nullopt;
  }
  if (!panel.repair) {
    return;
  }
  edit::UseWeightTool repair = *panel.repair;
  repair.locked.assign(desk.document().content.locked_joints.begin(), desk.document().content.locked_joints.end());
  const std::string why = edit::why_refused(desk.document(), repair);
  const edit::WeightTool* const tool = edit::find_weight_tool(repair.tool);
  ImGui::BeginDisabled(!why.empty());
  if (ImGui::Button(fmt::format("{} here###repair", tool->label).c_str(),
                    ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    desk.change(std::move(repair));
  }
  ImGui::EndDisabled();
  report_item(desk, "findings.repair");
  tip(why.empty() ? fmt::format("{}. Changes how the mesh moves; Ctrl+Z takes it back", tool->help) : why);
}

void draw_findings(InfoPanel& panel, Desk& desk) {
  desk.requests.lint = true;
  const rig::Findings* findings = findings_of(desk);
  if (findings == nullptr) {
    const Measurements* measured = desk.scene.measurements;
    dim_text(measured != nullptr && !measured->lint_work.what.empty() ? measured->lint_work.what + " \u2026"
                                                                      : std::string("Looking \u2026"));
    return;
  }
  if (findings->empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, color::kGood);
    text(fmt::format("{}  Nothing odd was found", icon::kCheck));
    ImGui::PopStyleColor();
    return;
  }
  draw_filters(panel, *findings, desk);
  draw_weight_repair(panel, *findings, desk);
  constexpr std::size_t kMostShown = 200;
  std::size_t count = 0;
  for (std::size_t i = 0; i < findings->size(); ++i) {
    const rig::Finding& finding = (*findings)[i];
    if (panel.shown[static_cast<std::size_t>(finding.severity)] && ++count <= kMostShown) {
      draw_finding(finding, static_cast<int>(i), panel.finding == static_cast<int>(i), desk);
    }
  }
  if (count > kMostShown) {
    dim_text(fmt::format("and {} more", count - kMostShown));
  }
}

void rows(const std::vector<std::pair<std::string, std::string>>& lines, Desk& desk) {
  for (const auto& [label, value] : lines) {
    row_label(desk, label.c_str());
    ImGui::AlignTextToFramePadding();
    clipped_text(value, ImGui::GetContentRegionAvail().x);
    tip(value.size() > 28 ? value : std::string());
  }
}

}  // namespace

void draw(InfoPanel& panel, Desk& desk) {
  const rig::Character& character = desk.character();
  if (panel.character != desk.document().character) {
    panel.character = desk.document().character;
    count(panel, character);
  }
  const rig::Findings* findings = findings_of(desk);
  if (const auto reported = findings != nullptr ? panel.character : nullptr; panel.reported != reported) {
    panel.reported = reported;
    panel.finding = -1;
  }
  rows(panel.file, desk);
  const std::string title = findings == nullptr || findings->empty()
                                ? "Findings###findings"
                                : fmt::format("Findings ({})###findings", findings->size());
  if (section(desk, title.c_str())) {
    draw_findings(panel, desk);
  }
  if (section(desk, "Contents")) {
    rows(panel.counts, desk);
  }
  if (section(desk, "Memory", false)) {
    rows(panel.memory, desk);
  }
  if (section(desk, "Extensions", false)) {
    if (character.extensions_used.empty()) {
      dim_text("none");
    } else {
      wrapped_text(joined(character.extensions_used));
    }
    if (!character.extensions_required.empty()) {
      wrapped_text("Required: " + joined(character.extensions_required), color::kTextDim);
    }
  }
  if (section(desk, "Machine", false)) {
    wrapped_text(desk.scene.device);
  }
}

std::optional<Severity> worst_finding(const Desk& desk) {
  std::optional<Severity> worst;
  const auto take = [&worst](const auto& all) {
    for (const auto& one : all) {
      worst = std::max(worst, std::optional(one.severity));
    }
  };
  if (const rig::Findings* findings = findings_of(desk)) {
    take(*findings);
  } else {
    take(desk.character().diagnostics);
  }
  return worst;
}

std::vector<glm::vec3> marked_points(const Desk& desk, int pane) {
  const InfoPanel& panel = desk.workspace.panel<InfoPanel>();
  const rig::Findings* findings = findings_of(desk);
  std::vector<glm::vec3> points;
  if (desk.workspace.tab != kInfoTab || desk.workspace.panels_hidden || findings == nullptr ||
      !has_index(*findings, panel.finding)) {
    return points;
  }
  const rig::Character& character = desk.character();
  const rig::LintPlace& place = (*findings)[panel.finding].place;
  if (!place.vertices.empty() && desk.scene.deformed) {
    const deform::DeformedCharacter& shape = desk.scene.deformed(pane);
    for (std::size_t p = 0; p < std::min(character.parts.size(), shape.parts.size()); ++p) {
      if (character.parts[p].mesh != place.mesh || character.parts[p].primitive != place.primitive) {
        continue;
      }
      for (const std::uint32_t v : place.vertices) {
        if (v < shape.parts[p].positions.size()) {
          points.push_back(shape.parts[p].positions[v]);
        }
      }
    }
  }
  const int joint = place.node >= 0 ? character.skeleton->from_source_node(place.node) : -1;
  if (points.empty() && joint >= 0 && joint < static_cast<int>(desk.scene.world.size())) {
    points.emplace_back(desk.scene.world[joint][3]);
  }
  return points;
}

void mark_finding(Desk& desk, int finding) {
  InfoPanel& panel = desk.workspace.panel<InfoPanel>();
  const rig::Findings* findings = findings_of(desk);
  if (findings == nullptr || !has_index(*findings, finding) || finding == panel.finding) {
    panel.finding = -1;
    return;
  }
  panel.finding = finding;
  const rig::Character& character = desk.character();
  const rig::LintPlace& place = (*findings)[finding].place;
  if (const int joint = place.node >= 0 ? character.skeleton->from_source_node(place.node) : -1; joint >= 0) {
    select(desk, joint);
  }
  Bounds bounds;
  for (const glm::vec3& point : marked_points(desk, desk.document().view.active_pane)) {
    bounds.add(point);
  }
  if (bounds.empty() && place.mesh >= 0 && desk.scene.deformed) {
    const deform::DeformedCharacter& shape = desk.scene.deformed(desk.document().view.active_pane);
    for (std::size_t p = 0; p < std::min(character.parts.size(), shape.parts.size()); ++p) {
      if (character.parts[p].mesh == place.mesh &&
          (place.primitive < 0 || character.parts[p].primitive == place.primitive)) {
        bounds.add(bounds_of(shape.parts[p].positions));
      }
    }
  }
  if (bounds.empty()) {
    return;
  }
  // A point has no size of its own: show what is around it.
  const float room = std::max(0.1f * desk.scene.bounds.diagonal(), 1e-3f);
  bounds.lower -= room;
  bounds.upper += room;
  frame_box(desk.workspace, desk.document(), bounds);
}

}  // namespace pelt::ui
