#include "ui/info_panel.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/commands.h"
#include "rig/lint.h"
#include "ui/finding_details.h"
#include "ui/fix_popup.h"
#include "ui/icons.h"
#include "ui/ink.h"
#include "ui/listed_findings.h"
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

constexpr std::array kSeverityIcons = {icon::kInfo, icon::kWarning, icon::kError};
constexpr ImU32 kMarkedGround = IM_COL32(58, 92, 138, 153);  // kAccentSoft, 0.6 of it
constexpr std::array kSeverityNames = {"remarks", "warnings", "errors"};

// What is shown of each severity, and the button that mends.
void draw_filters(InfoPanel& panel, const ListedFindings& list, Desk& desk) {
  const std::array<std::size_t, 3> counts = count_findings(list);
  for (std::size_t i = counts.size(); i-- > 0;) {
    const bool on = panel.shown[i];
    const ImU32 ink = on ? severity_color(static_cast<int>(i)) : color::kTextDim;
    ImGui::PushStyleColor(ImGuiCol_Text, ink_on(color::kHover, ink));  // read under the mouse as well
    if (ImGui::Button(fmt::format("{} {}###severity{}", kSeverityIcons[i], counts[i], i).c_str())) {
      panel.shown[i] = !on;
    }
    ImGui::PopStyleColor();
    report_item(desk, fmt::format("findings.{}", kSeverityNames[i]));
    tip(fmt::format("{} {}", on ? "Hide" : "Show", kSeverityNames[i]));
    ImGui::SameLine();
  }
  draw_fix(panel.fix, list, desk);
}

// The first line of a finding: what is left of it once a step has mended some.
std::string first_words(const rig::Finding& finding, const ListedFinding& row) {
  if (row.is_done) {
    const bool says_count = row.mend && row.mend->is_alone && !row.mend->changed.empty();
    return fmt::format("Done: {}{}", finding.code, says_count ? ", " + row.mend->changed : std::string());
  }
  const std::size_t now = finding.mesh_vertices.size();
  return now < row.named_before ? fmt::format("{}: {} of {} vertices left", finding.code, now, row.named_before)
                                : finding.code;
}

// The line about a finding with a more precise cause that names the same vertices.
std::string cause_words(const ListedFindings& list, std::size_t i) {
  const auto cause = static_cast<std::size_t>(list.rows[i].same_as);
  const rig::Finding& finding = list.findings[i];
  const std::string where = fmt::format("{} {}", list.findings[cause].code, cause < i ? "above" : "below");
  // No wording is longer than the first one, so that the row keeps its height.
  return list.rows[cause].is_done ? fmt::format("They were those of {}", where)
         : list.findings[cause].mesh_vertices.size() > finding.mesh_vertices.size()
             ? fmt::format("All are vertices of {}", where)
             : fmt::format("The same vertices as {}", where);
}

// The words of a finding in a group. What is mended keeps its words.
// @param room  at the right end of the first line, for a button
void draw_finding_words(std::size_t i, bool marked, float room, Desk& desk) {
  const ListedFindings& all = desk.workspace.panel<ListedFindings>();
  const rig::Finding& finding = all.findings[i];
  const ListedFinding& row = all.rows[i];
  const auto severity = static_cast<int>(finding.severity);
  const ImU32 ground = marked ? laid_over(color::kPanel, kMarkedGround) : color::kRaised;
  const ImU32 plain = ink_on(ground, row.is_done ? color::kTextDim : color::kText);
  ImGui::BeginGroup();
  ImGui::PushStyleColor(ImGuiCol_Text, ink_on(ground, row.is_done ? color::kGood : severity_color(severity)));
  text(row.is_done ? icon::kCheck : kSeverityIcons[static_cast<std::size_t>(severity)]);
  ImGui::PopStyleColor();
  ImGui::SameLine(0, desk.theme.px(6));
  ImGui::BeginGroup();
  clipped_text(first_words(finding, row), ImGui::GetContentRegionAvail().x - room,
               row.is_done ? ink_on(ground, color::kGood) : plain);
  wrapped_text(printable(finding.where, 200), plain);
  wrapped_text(printable(finding.message, 600), ink_on(ground, color::kTextDim));
  if (row.same_as >= 0) {
    wrapped_text(cause_words(all, i), plain);
  }
  ImGui::EndGroup();
  ImGui::EndGroup();
}

// The steps that an undo of a mended row takes back.
std::size_t steps_to_undo(std::size_t i, const Desk& desk) {
  const ListedFinding& row = desk.workspace.panel<ListedFindings>().rows[i];
  return can_undo_mend(desk, i) ? desk.document().history.cursor() - row.mend->before : 1;
}

std::string undo_label(std::size_t i, const Desk& desk) {
  const ListedFinding& row = desk.workspace.panel<ListedFindings>().rows[i];
  const std::size_t steps = row.is_done && row.mend ? steps_to_undo(i, desk) : 0;
  return steps == 0 ? std::string() : steps == 1 ? std::string("Undo") : fmt::format("Undo {} steps", steps);
}

// The way back from a mended finding, at the right end of its first line.
void draw_undo(std::size_t i, const std::string& label, ImVec2 at, Desk& desk) {
  const ListedFinding& row = desk.workspace.panel<ListedFindings>().rows[i];
  const bool can_undo = can_undo_mend(desk, i);
  ImGui::SetCursorScreenPos(at);
  ImGui::BeginDisabled(!can_undo);
  if (ImGui::SmallButton(fmt::format("{}###undo{}", label, i).c_str())) {
    undo_mend(desk, i);
  }
  ImGui::EndDisabled();
  report_item(desk, fmt::format("finding.{}.undo", i));
  const std::size_t later = steps_to_undo(i, desk) - 1;
  const std::string step = printable(row.mend->label, 120);
  tip(!can_undo    ? fmt::format("\"{}\" mended this, and is not among the steps that can be taken back", step)
      : later == 0 ? fmt::format("Takes back \"{}\"", step)
                   : fmt::format("Takes back \"{}\" and {} after it; Ctrl+Shift+Z does them again", step,
                                 count_of(static_cast<std::int64_t>(later), "step", "steps")));
}

// Where the row ends: once it has been taller at this width it stays so, and no row below it moves.
float lower_end(std::size_t i, float top, float width, float lower, Desk& desk) {
  ListedFinding& row = desk.workspace.panel<ListedFindings>().rows[i];
  row.height = std::max(lower - top, row.height_width == width ? row.height : 1.0f);
  row.height_width = width;
  return top + row.height;
}

void draw_finding(InfoPanel& panel, std::size_t i, Desk& desk) {
  const ListedFindings& all = desk.workspace.panel<ListedFindings>();
  const bool marked = std::cmp_equal(panel.finding, i);
  const rig::LintRule* rule = rig::find_lint_rule(all.findings[i].code);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string back = undo_label(i, desk);
  const float undo = back.empty() ? 0 : ImGui::CalcTextSize(back.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  draw_finding_words(i, marked, undo, desk);
  const ImVec2 end(start.x + width, lower_end(i, start.y, width, ImGui::GetItemRectMax().y, desk));
  ImGui::SetCursorScreenPos(start);
  if (ImGui::InvisibleButton(fmt::format("##finding{}", i).c_str(), ImVec2(width, end.y - start.y))) {
    mark_finding(desk, static_cast<int>(i));
  }
  report_item(desk, fmt::format("finding.{}", i));
  ImGui::SetItemAllowOverlap();
  list.ChannelsSetCurrent(0);
  if (marked || ImGui::IsItemHovered()) {
    const float pad = desk.theme.px(3);
    list.AddRectFilled(ImVec2(start.x - pad, start.y - pad), ImVec2(end.x + pad, end.y + pad),
                       marked ? kMarkedGround : color::kRaised, desk.theme.px(3));
  }
  list.ChannelsSetCurrent(1);
  const ImVec2 undo_at(end.x - undo, start.y);
  const bool is_undo =
      undo > 0 && ImGui::IsMouseHoveringRect(undo_at, ImVec2(end.x, undo_at.y + ImGui::GetTextLineHeight()));
  if (rule != nullptr && !is_undo && !marked) {  // below the list the marked one says the same
    tip_beside_window(fmt::format("{} {}", rule->explanation, rule->remedy));
  }
  const ImVec2 below = ImGui::GetCursorScreenPos();
  if (undo > 0) {
    draw_undo(i, back, undo_at, desk);
    ImGui::SetCursorScreenPos(below);
  }
  list.ChannelsMerge();
  ImGui::Dummy(ImVec2(0, desk.theme.px(2)));
}

// What the search is doing; the line is always there, so that the rows below it stay where they are.
void draw_search(const ListedFindings& list, Desk& desk) {
  const Measurements* measured = desk.scene.measurements;
  const bool is_current = list.looked_at == edit::own_character(desk.document());
  const std::array<std::size_t, 3> counts = count_findings(list);
  const bool is_clean = counts == std::array<std::size_t, 3>{};
  if (!is_current) {
    clipped_text(measured != nullptr && !measured->lint_work.what.empty() ? measured->lint_work.what + " \u2026"
                                                                          : std::string("Looking \u2026"),
                 ImGui::GetContentRegionAvail().x, color::kTextDim);
  } else {
    clipped_text(!is_clean           ? std::string("A click shows where it is; below stands what helps")
                 : list.rows.empty() ? fmt::format("{}  Nothing odd was found", icon::kCheck)
                                     : fmt::format("{}  Nothing odd is left", icon::kCheck),
                 ImGui::GetContentRegionAvail().x, is_clean ? color::kGood : color::kTextDim);
  }
}

void draw_findings(InfoPanel& panel, Desk& desk) {
  const ListedFindings& list = desk.workspace.panel<ListedFindings>();
  draw_search(list, desk);
  if (list.rows.empty()) {
    return;
  }
  draw_filters(panel, list, desk);
  constexpr std::size_t kMostShown = 200;
  std::size_t count = 0;
  for (std::size_t i = 0; i < list.rows.size(); ++i) {
    if (panel.shown[static_cast<std::size_t>(list.findings[i].severity)] && ++count <= kMostShown) {
      draw_finding(panel, i, desk);
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

void draw_sections(InfoPanel& panel, Desk& desk) {
  const rig::Character& character = desk.character();
  const ListedFindings& list = desk.workspace.panel<ListedFindings>();
  rows(panel.file, desk);
  const std::array<std::size_t, 3> counts = count_findings(list);
  const std::size_t left = counts[0] + counts[1] + counts[2];
  const std::string title = left == 0 ? "Findings###findings" : fmt::format("Findings ({})###findings", left);
  if (std::exchange(panel.reveals, false)) {
    ImGui::GetStateStorage()->SetInt(ImGui::GetID(title.c_str()), 1);
    // The list has less room than the tab.
    ImGui::SetScrollFromPosY(ImGui::GetCursorScreenPos().y - ImGui::GetWindowPos().y, 0);
  }
  panel.lists_findings = section(desk, title.c_str());
  if (panel.lists_findings) {
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

}  // namespace

void draw(InfoPanel& panel, Desk& desk) {
  if (panel.character != desk.document().character) {
    panel.character = desk.document().character;
    count(panel, desk.character());
  }
  const ListedFindings& list = desk.workspace.panel<ListedFindings>();
  if (panel.reported != list.file) {
    panel.reported = list.file;
    panel.finding = -1;
  }
  // The list scrolls above the details of the marked finding, from edge to edge of the tab.
  const float pad = ImGui::GetCursorPosX();
  const float details =
      panel.lists_findings ? finding_details_height(panel.finding, ImGui::GetContentRegionAvail().y, desk) : 0;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, 0));
  ImGui::SetCursorPosX(0);
  const bool is_visible = ImGui::BeginChild("##list", ImVec2(ImGui::GetWindowWidth(), -details), false,
                                            ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  if (is_visible) {
    draw_sections(panel, desk);
  }
  ImGui::EndChild();
  if (details > 0) {
    draw_finding_details(panel.details, panel.finding, desk);
  }
}

std::optional<Severity> worst_finding(const Desk& desk) {
  std::optional<Severity> worst;
  const ListedFindings& list = desk.workspace.panel<ListedFindings>();
  for (std::size_t r = 0; r < list.rows.size(); ++r) {
    worst = list.rows[r].is_done ? worst : std::max(worst, std::optional(list.findings[r].severity));
  }
  if (list.looked_at == nullptr) {
    for (const Diagnostic& said : desk.character().diagnostics) {
      worst = std::max(worst, std::optional(said.severity));
    }
  }
  return worst;
}

void show_findings(Desk& desk) {
  show_tab(desk.workspace, kInfoTab);
  desk.workspace.panel<InfoPanel>().reveals = true;
}

std::vector<glm::vec3> marked_points(const Desk& desk, int pane) {
  const InfoPanel& panel = desk.workspace.panel<InfoPanel>();
  const ListedFindings& list = desk.workspace.panel<ListedFindings>();
  std::vector<glm::vec3> points;
  if (desk.workspace.tab != kInfoTab || desk.workspace.panels_hidden || !has_index(list.rows, panel.finding) ||
      list.rows[panel.finding].is_done) {
    return points;
  }
  const rig::Character& character = desk.character();
  const rig::LintPlace& place = list.findings[panel.finding].place;
  // Another surface than the searched one has other vertices.
  if (!place.vertices.empty() && desk.scene.deformed && edit::shows_own_surface(desk.document())) {
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
  const ListedFindings& list = desk.workspace.panel<ListedFindings>();
  if (!has_index(list.rows, finding)) {
    panel.finding = -1;
    return;
  }
  panel.finding = finding;
  const rig::Character& character = desk.character();
  const rig::LintPlace& place = list.findings[finding].place;
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
