#include "ui/bind_panel.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "bind/deforming_joints.h"
#include "core/text.h"
#include "edit/commands.h"
#include "ui/bind_comparison.h"
#include "ui/field_row.h"
#include "ui/icons.h"
#include "ui/selecting.h"
#include "ui/skeleton_section.h"
#include "ui/volume_section.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr std::chrono::seconds kBindPatience(120);  // for pictures, of machines that are busy
constexpr int kMostBoundInfluences = 16;
constexpr std::size_t kMostReported = 200;

std::vector<double>& values_of(BindPanel& panel, const bind::Binder& binder) {
  std::vector<double>& values = panel.values[std::string(binder.id)];
  if (values.size() != binder.fields.size()) {
    values = bind::standard_values(binder);
  }
  return values;
}

// Other joints: which of them deform is proposed again. A binding that adds joints to a skin leaves the choice as it
// is.
void follow_skeleton(BindPanel& panel, const rig::Character& character, const Desk& desk) {
  const bool is_known = !panel.deforming.empty() && edit::same_joints(panel.joints_of, character.skeleton);
  panel.joints_of = character.skeleton;
  if (is_known) {
    return;
  }
  panel.deforming.assign(character.skeleton->parent.size(), 0);
  std::vector<int> proposed = placeable_joints(desk.document());
  if (proposed.empty()) {
    proposed = bind::proposed_joints(character);
  }
  for (const int j : proposed) {
    panel.deforming[static_cast<std::size_t>(j)] = 1;
  }
}

// Another binding by volumes in the document, or another document: the fields say what it was made with.
void follow_volumes_of(BindPanel& panel, const Desk& desk) {
  const Shared<bind::JointVolumes>& volumes = desk.document().content.volumes;
  if (!panel.volumes_of.is(volumes)) {
    panel.volumes_of = volumes;
    const bool is_none = *volumes == bind::JointVolumes{};  // the binding that brought them was undone
    panel.values[std::string(edit::kVolumesBinder)] =
        is_none ? bind::standard_values(*bind::find_binder(edit::kVolumesBinder))
                : bind::containment_values(volumes->numbers);
    if (panel.binder.empty() && !(*volumes == bind::JointVolumes{})) {
      panel.binder = edit::kVolumesBinder;  // of a session whose volumes are to be gone on with
    }
  }
}

// Nodes that carry no mesh.
int character_joint_count(const edit::Document& document) {
  const rig::Character& character = *edit::own_character(document);
  std::vector<char> carries(character.skeleton->parent.size(), 0);
  for (const rig::MeshNode& node : character.mesh_nodes) {
    carries[static_cast<std::size_t>(node.joint)] = 1;
  }
  return static_cast<int>(std::ranges::count(carries, char{0}));
}

void draw_binder_choice(BindPanel& panel, Desk& desk) {
  const auto rows = bind::binders();
  const bind::Binder& binder = chosen_binder(panel);
  int choice = static_cast<int>(&binder - rows.data());
  row_label(desk, "Binder", "How weights are made from the surface and the bones");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (combo(desk, "bind.binder", static_cast<int>(rows.size()), choice,
            [&](int i) { return std::string(rows[static_cast<std::size_t>(i)].label); })) {
    panel.binder = rows[static_cast<std::size_t>(choice)].id;
  }
  wrapped_text(std::string(rows[static_cast<std::size_t>(choice)].help) + ".", color::kTextDim);
}

void draw_limit(BindPanel& panel, Desk& desk) {
  row_label(desk, "Influences", "The heaviest of a vertex that are kept; 0 keeps all");
  auto limit = static_cast<float>(panel.limit);
  bool ended = false;
  const SliderStyle style{.lower = 0, .upper = kMostBoundInfluences, .format = "%.0f", .origin = 4, .step = 1};
  if (value_slider(desk, "bind.limit", limit, style, ImGui::GetContentRegionAvail().x, ended)) {
    panel.limit = std::clamp(static_cast<int>(limit), 0, kMostBoundInfluences);
  }
}

void draw_joint_list(BindPanel& panel, Desk& desk) {
  const auto count = std::ranges::count_if(panel.deforming, [](char on) { return on != 0; });
  if (!section(desk, fmt::format("Bones ({})###bind.bones", count).c_str(), false)) {
    return;
  }
  wrapped_text("What deforms the skin. Helpers, IK targets and ends are better left out.", color::kTextDim);
  const rig::Character& character = *edit::own_character(desk.document());
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = (ImGui::GetContentRegionAvail().x - spacing) / 2;
  if (ImGui::Button("As proposed", ImVec2(width, 0))) {
    panel.deforming.clear();
    follow_skeleton(panel, character, desk);
  }
  report_item(desk, "bind.proposed");
  ImGui::SameLine(0, spacing);
  ImGui::BeginDisabled(desk.document().view.selected_joints.empty());
  if (ImGui::Button("Selected only", ImVec2(width, 0))) {
    std::ranges::fill(panel.deforming, char{0});
    for (const int j : desk.document().view.selected_joints) {
      panel.deforming[static_cast<std::size_t>(j)] = 1;
    }
  }
  ImGui::EndDisabled();
  report_item(desk, "bind.selected");
  for (std::size_t j = 0; j < panel.deforming.size(); ++j) {
    const bool is_listed = character.skins.empty() || character.skeleton->is_joint[j] != 0;
    if (!is_listed) {
      continue;
    }
    bool on = panel.deforming[j] != 0;
    ImGui::PushID(static_cast<int>(j));
    const std::string label = printable(character.skeleton->label(static_cast<int>(j)), 80);
    if (checkbox(desk, fmt::format("bind.joint.{}", character.skeleton->label(static_cast<int>(j))).c_str(),
                 fitted(label, ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight()).c_str(), on)) {
      panel.deforming[j] = static_cast<char>(on);
    }
    ImGui::PopID();
  }
}

void draw_running(BindPanel& panel, Desk& desk) {
  const std::optional<Jobs::Row> row = panel.job->row();
  progress_bar(desk, row ? row->fraction : 1.0f, ImGui::GetContentRegionAvail().x,
               row ? std::string_view(row->what) : std::string_view());
  if (ImGui::Button("Cancel", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    panel.job->cancel();
    panel.progress.reset();
  }
  report_item(desk, "bind.cancel");
}

// The vertices of an island, or all that came to their weights in some way.
template <typename Wanted>
edit::VertexSelection vertices_where(const BindPanel& panel, const rig::Character& character, const Wanted& wanted) {
  const bind::CharacterProblem& problem = panel.made->problem;
  edit::VertexSelection out;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    for (const bind::CharacterProblem::Part& bound : problem.parts) {
      if (bound.mesh != part.mesh || bound.primitive != part.primitive) {
        continue;
      }
      edit::PartVertices of_part{static_cast<int>(p), {}};
      const std::size_t count = std::min(character.primitive(part).vertex_count(), problem.place.size() - bound.first);
      for (std::size_t v = 0; v < count; ++v) {
        if (wanted(problem.place[bound.first + v])) {
          of_part.vertices.push_back(static_cast<std::uint32_t>(v));
        }
      }
      if (!of_part.vertices.empty()) {
        out.push_back(std::move(of_part));
      }
    }
  }
  return out;
}

void show_remark(const BindPanel& panel, const bind::Remark& remark, Desk& desk) {
  const bind::Problem& problem = panel.made->problem->problem;
  const rig::Character& character = *edit::own_character(desk.document());
  if (remark.bone >= 0) {
    select(desk, problem.bones[static_cast<std::size_t>(remark.bone)].joint);
  }
  if (remark.island >= 0) {
    select_vertices(
        desk,
        vertices_where(panel, character,
                       [&](std::uint32_t w) { return problem.island[w] == static_cast<std::uint32_t>(remark.island); }),
        edit::SelectBy::kReplace);
  } else if (remark.bone < 0 && remark.instead != bind::Cause::kSolved) {
    select_vertices(desk,
                    vertices_where(panel, character,
                                   [&](std::uint32_t w) { return panel.made->binding.cause[w] == remark.instead; }),
                    edit::SelectBy::kReplace);
  }
}

void draw_remark(const BindPanel& panel, std::size_t r, Desk& desk) {
  ImGui::PushID(static_cast<int>(r));
  if (clickable_sentence(desk, fmt::format("bind.remark.{}", r), panel.report[r] + ".") &&
      edit::fits(*panel.made, *edit::own_character(desk.document()))) {
    show_remark(panel, panel.made->binding.remarks[r], desk);
  }
  tip("A click selects what this is about");
  ImGui::PopID();
}

// Of many islands one line that opens.
void draw_run(const BindPanel& panel, std::size_t first, std::size_t end, Desk& desk) {
  const std::string all = bind::sentence_of_run(std::span(panel.made->binding.remarks).subspan(first, end - first));
  const std::string id = fmt::format("bind.remarks.{}", static_cast<int>(panel.made->binding.remarks[first].kind));
  const float width = ImGui::GetContentRegionAvail().x - ImGui::GetTreeNodeToLabelSpacing();
  const bool is_open =
      ImGui::TreeNodeEx(id.c_str(), ImGuiTreeNodeFlags_SpanAvailWidth, "%s", in_lines(all + ".", width).c_str());
  report_item(desk, id);
  tip("A click lists the largest");
  if (is_open) {
    for (std::size_t r = first; r < end; ++r) {
      draw_remark(panel, r, desk);
    }
    ImGui::TreePop();
  }
}

void draw_report(BindPanel& panel, Desk& desk) {
  if (panel.made == nullptr || !section(desk, "Report")) {
    return;
  }
  const bind::Binding& binding = panel.made->binding;
  const auto solved = std::ranges::count(binding.cause, bind::Cause::kSolved);
  number_line(desk, "Bound", count_of(static_cast<std::int64_t>(binding.cause.size()), "place", "places"),
              "Vertices at one place count once");
  number_line(
      desk, "By this binder",
      fmt::format("{:.1f}\u2009%", binding.cause.empty() ? 100.0
                                                         : 100.0 * static_cast<double>(solved) /
                                                               static_cast<double>(binding.cause.size())),
      "The others took their weights from neighbours, the surface below or the nearest bone, for the reasons below");
  number_line(desk, "Took", fmt::format("{:.2f}\u2009s", panel.seconds));
  if (panel.report.empty()) {
    wrapped_text(fmt::format("{}  Nothing to remark", icon::kCheck), color::kGood);
  }
  const std::vector<bind::Remark>& remarks = binding.remarks;
  const std::size_t shown = std::min(panel.report.size(), kMostReported);
  for (std::size_t r = 0; r < shown;) {
    const std::size_t end = std::min(shown, bind::end_of_run(remarks, r));
    end - r > 1 ? draw_run(panel, r, end, desk) : draw_remark(panel, r, desk);
    r = end;
  }
  if (panel.report.size() > kMostReported) {
    dim_text(fmt::format("and {} more", panel.report.size() - kMostReported));
  }
}

// How it is said in the status line.
std::string summary(const BindPanel& panel) {
  std::string text = fmt::format("Bound in {:.2f} s", panel.seconds);
  if (!panel.running.request.pose.empty()) {
    text +=
        panel.made->problem->is_posed ? ", weights alone, in this pose" : ", as without a pose: this one bends nothing";
  }
  return panel.report.empty()
             ? text
             : text + ": " + count_of(static_cast<std::int64_t>(panel.report.size()), "remark", "remarks");
}

void take_made(BindPanel& panel, BindPanel::Made made, Desk& desk) {
  panel.progress.reset();
  panel.seconds = desk.scene.now - panel.started;
  if (!made) {
    panel.error = made.error().message;
    return;
  }
  panel.made = *std::move(made);
  panel.made_limit = panel.running.limit;
  panel.error.clear();
  panel.report.clear();
  for (const bind::Remark& remark : panel.made->binding.remarks) {
    panel.report.push_back(printable(bind::sentence(remark, panel.made->problem->names), 400));
  }
  if (!edit::fits(*panel.made, *edit::own_character(desk.document()))) {
    panel.error = "the character has changed meanwhile; bind it again";
    return;
  }
  edit::BindSkin change = panel.running;
  change.made = panel.made;
  desk.change(std::move(change));
  desk.workspace.notice = Notice{Severity::kInfo, summary(panel), desk.scene.now};
}

// The picture shows what there is so far.
void show_coarse(BindPanel& panel, Desk& desk) {
  std::shared_ptr<const bind::Binding> coarse;
  int count = 0;
  {
    const std::lock_guard lock(panel.progress->mutex);
    coarse = panel.progress->coarse;
    count = panel.progress->count;
  }
  if (coarse == nullptr || panel.character != edit::own_character(desk.document())) {
    return;
  }
  auto made = std::make_shared<edit::MadeBinding>();
  made->character = panel.character;
  made->problem = *panel.problem;
  made->binding = *coarse;
  edit::BindSkin change = panel.running;
  change.made = std::move(made);
  desk.requests.preview = {std::string(kBindSubject), fmt::format("bind.{}", count), {std::move(change)}, {}, true};
}

}  // namespace

const bind::Binder& chosen_binder(const BindPanel& panel) {
  const bind::Binder* const binder = bind::find_binder(panel.binder);
  return binder != nullptr ? *binder : bind::binders().front();
}

edit::BindSkin binding_by(BindPanel& panel, const Desk& desk, std::string_view binder) {
  follow_volumes_of(panel, desk);
  follow_skeleton(panel, *edit::own_character(desk.document()), desk);
  edit::BindSkin change{.binder = std::string(binder)};
  if (const bind::Binder* const row = bind::find_binder(binder)) {
    change.values = values_of(panel, *row);
  }
  if (binder == edit::kVolumesBinder) {
    change.request.volumes = desk.document().content.volumes->of_joints;
  }
  change.limit = panel.limit;
  for (std::size_t j = 0; j < panel.deforming.size(); ++j) {
    if (panel.deforming[j] != 0) {
      change.request.joints.push_back(static_cast<int>(j));
    }
  }
  return change;
}

edit::BindSkin wished_binding(BindPanel& panel, const Desk& desk) {
  edit::BindSkin change = binding_by(panel, desk, chosen_binder(panel).id);
  if (panel.area == BindPanel::kVertices) {
    change.vertices = desk.document().view.selected_vertices;
  } else if (panel.area == BindPanel::kJoints) {
    change.joints = desk.document().view.selected_joints;
  }
  return change;
}

std::string why_not_bind(BindPanel& panel, const Desk& desk) {
  follow_volumes_of(panel, desk);
  follow_skeleton(panel, *edit::own_character(desk.document()), desk);
  const edit::View& view = desk.document().view;
  if (is_bare(desk.document()) && character_joint_count(desk.document()) == 0) {
    return "There is no joint to bind to: add a skeleton above.";
  }
  if (std::ranges::none_of(panel.deforming, [](char on) { return on != 0; })) {
    return "No joint is to deform: choose some below.";
  }
  if (panel.area == BindPanel::kVertices && view.selected_vertices.empty()) {
    return "Select vertices of a skin: click, or drag a box (O).";
  }
  if (panel.area == BindPanel::kVertices && !edit::shows_own_surface(desk.document())) {
    return "Vertices are selected on the surface shown, not on the file's own.";
  }
  if (panel.area == BindPanel::kJoints && view.selected_joints.size() < 2) {
    return "Select two or more joints: they share anew what they have together.";
  }
  return {};
}

void start_binding(BindPanel& panel, Desk& desk, bool in_pose) {
  panel.character = edit::own_character(desk.document());
  panel.running = wished_binding(panel, desk);
  if (in_pose) {
    panel.running.request.pose.assign(desk.scene.world.begin(), desk.scene.world.end());
  }
  panel.started = desk.scene.now;
  panel.error.clear();
  auto progress = std::make_shared<BindProgress>();
  panel.progress = progress;
  Result<bind::CharacterProblem> problem = bind::make_problem(*panel.character, panel.running.request);
  if (!problem) {
    panel.error = problem.error().message;
    panel.progress.reset();
    return;
  }
  panel.problem = std::make_shared<const bind::CharacterProblem>(*std::move(problem));
  if (panel.job == nullptr) {
    panel.job = std::make_unique<JobSlot<BindPanel::Made>>(desk.workspace.jobs, Jobs::Kind::kLong, "Binding");
  }
  panel.job->start([character = panel.character, change = panel.running,
                    progress](const Progress& watched) -> std::optional<BindPanel::Made> {
    const bind::Watcher watcher{watched, [&](const bind::Binding& binding) {
                                  auto coarse = std::make_shared<const bind::Binding>(binding);
                                  const std::lock_guard lock(progress->mutex);
                                  progress->coarse = std::move(coarse);
                                  ++progress->count;
                                }};
    return edit::make_binding(character, change, watcher);
  });
}

void follow_binding(Desk& desk) {
  BindPanel& panel = desk.workspace.panel<BindPanel>();
  if (panel.job == nullptr) {
    return;
  }
  if (panel.patient && panel.progress != nullptr) {
    panel.job->wait(kBindPatience);
  }
  if (std::optional<BindPanel::Made> made = panel.job->take()) {
    take_made(panel, *std::move(made), desk);
  } else if (panel.job->failed()) {
    panel.error = "not enough memory to bind the character";
    panel.job->cancel();
    panel.progress.reset();
  } else if (panel.progress != nullptr) {
    show_coarse(panel, desk);
  }
}

void draw(BindPanel& panel, Desk& desk) {
  const rig::Character& character = *edit::own_character(desk.document());
  follow_skeleton(panel, character, desk);
  if (character.meshes.empty() || character.skeleton->size() == 0) {
    wrapped_text("There is no mesh and skeleton to bind.", color::kTextDim);
    return;
  }
  draw_skeleton(desk.workspace.panel<SkeletonSection>(), desk);
  draw_binder_choice(panel, desk);
  follow_volumes_of(panel, desk);
  const bind::Binder& binder = chosen_binder(panel);
  std::vector<double>& values = values_of(panel, binder);
  for (std::size_t f = 0; f < binder.fields.size(); ++f) {
    field_row(desk, "bind", binder.fields[f], values[f]);
  }
  draw_limit(panel, desk);
  row_label(desk, "What",
            "All weights, those of the selected vertices, or what the selected joints have of each vertex together");
  constexpr const char* kAreas[] = {"All", "Vertices", "Joints"};
  segmented(desk, "bind.area", kAreas, panel.area);
  const bool runs = panel.job != nullptr && panel.job->active();
  if (runs) {
    draw_running(panel, desk);
  } else {
    const std::string reason = why_not_bind(panel, desk);
    ImGui::BeginDisabled(!reason.empty());
    if (ImGui::Button(fmt::format("{}  Bind", icon::kWeights).c_str(), ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
      start_binding(panel, desk);
    }
    report_item(desk, "bind.bind");
    tip("As the skin was bound: the pose does not matter");
    if (!is_bare(desk.document())) {
      if (ImGui::Button("Bind in this pose", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
        start_binding(panel, desk, true);
      }
      report_item(desk, "bind.in_pose");
      tip("Surface and bones are bound as they stand now, so that what touches at rest can be parted first. Weights "
          "alone "
          "change: vertices and inverse bind matrices stay");
    }
    ImGui::EndDisabled();
    if (!reason.empty()) {
      wrapped_text(reason, color::kTextDim);
    }
  }
  if (!panel.error.empty()) {
    wrapped_text(printable(panel.error, 400), severity_color(static_cast<int>(Severity::kError)));
  }
  if (binder.id == edit::kVolumesBinder && why_not_bind(panel, desk).empty()) {
    draw_volume_section(desk);
  }
  draw_report(panel, desk);
  draw_comparison(desk.workspace.panel<BindComparison>(), panel, desk);
  draw_joint_list(panel, desk);
}

}  // namespace pelt::ui
