#include "ui/volume_section.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "core/text.h"
#include "ui/bind_panel.h"
#include "ui/file_browser.h"
#include "ui/tools.h"
#include "ui/volume_jobs.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

using bind::Volume;
using bind::VolumeKind;

// In the order of the list, which is not that of the numbers.
constexpr std::array kKinds = {VolumeKind::kEvenCapsule, VolumeKind::kCapsule, VolumeKind::kCylinder,
                               VolumeKind::kEllipsoid,   VolumeKind::kSphere,  VolumeKind::kBox};
constexpr std::array kKindLabels = {"Capsule", "Tapered capsule", "Cylinder", "Ellipsoid", "Sphere", "Box"};

struct SizeRow {
  const char* id;
  const char* label;
  const char* help;
  double& (*of)(Volume&);
};

// What the form has of sizes.
std::vector<SizeRow> size_rows(VolumeKind kind) {
  const SizeRow length{"length", "Half length", "From the middle to each end of the axis",
                       [](Volume& volume) -> double& { return volume.half.x; }};
  const SizeRow radius{"head_radius", "Radius", "All along the axis",
                       [](Volume& volume) -> double& { return volume.head_radius; }};
  const SizeRow side_y{"side_y", "Half width", "Across the axis, towards the first handle",
                       [](Volume& volume) -> double& { return volume.half.y; }};
  const SizeRow side_z{"side_z", "Half depth", "Across the axis, towards the second handle",
                       [](Volume& volume) -> double& { return volume.half.z; }};
  switch (kind) {
    case VolumeKind::kMesh:
      return {length};
    case VolumeKind::kSphere:
      return {{"length", "Radius", "From the middle to the surface", length.of}};
    case VolumeKind::kEllipsoid:
    case VolumeKind::kBox:
      return {length, side_y, side_z};
    case VolumeKind::kCapsule:
      return {length,
              {"head_radius", "Radius at head", "At the end that is nearer to the joint", radius.of},
              {"tail_radius", "Radius at tail", "At the other end",
               [](Volume& volume) -> double& { return volume.tail_radius; }}};
    default:
      return {length, radius};
  }
}

// Meshes that hang on no skin: what stands beside a character to be a volume. All where there are none.
std::vector<int> meshes_for_volumes(const rig::Character& character) {
  std::vector<int> bare;
  std::vector<int> all;
  for (int m = 0; m < static_cast<int>(character.meshes.size()); ++m) {
    all.push_back(m);
    if (std::ranges::none_of(character.mesh_nodes,
                             [&](const rig::MeshNode& node) { return node.mesh == m && node.skin >= 0; })) {
      bare.push_back(m);
    }
  }
  return bare.empty() ? all : bare;
}

std::string volume_mesh_name(const rig::Character& character, int m) {
  const std::string& name = character.meshes[static_cast<std::size_t>(m)].name;
  return name.empty() ? fmt::format("mesh {}", m) : name;
}

// Kinds, then meshes of the scene, then a file.
void draw_kind(VolumeHandles& handles, std::size_t k, const Volume& volume, Desk& desk) {
  const rig::Character& character = *edit::own_character(desk.document());
  const std::vector<int> meshes = meshes_for_volumes(character);
  const int joint = desk.document().view.selected_joint();
  const int kinds = static_cast<int>(kKinds.size());
  const int file = kinds + static_cast<int>(meshes.size());
  const auto label = [&](int i) {
    return i < kinds ? std::string(kKindLabels[static_cast<std::size_t>(i)])
           : i < file
               ? "Mesh " + printable(volume_mesh_name(character, meshes[static_cast<std::size_t>(i - kinds)]), 60)
               : std::string("Mesh of a file...");
  };
  const bool is_mesh = volume.kind == VolumeKind::kMesh;
  int kind = is_mesh ? -1 : static_cast<int>(std::ranges::find(kKinds, volume.kind) - kKinds.begin());
  row_label(desk, "Kind", "The form of the volume round the active joint's bone");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (!combo(desk, "volume.kind", file + 1, kind, label,
             is_mesh ? "Mesh " + printable(volume.shape->name, 60) : std::string())) {
    return;
  }
  if (kind < kinds) {
    change_volumes(handles, {{k, bind::as_kind(volume, kKinds[static_cast<std::size_t>(kind)])}}, {}, desk);
  } else if (kind < file) {
    const int mesh = meshes[static_cast<std::size_t>(kind - kinds)];
    const std::shared_ptr<const rig::Character> own = edit::own_character(desk.document());
    take_mesh_as_volume(
        desk.workspace, [own](const Progress&) { return VolumeHandles::Opened(own); }, mesh,
        volume_mesh_name(character, mesh), joint);
  } else {
    handles.opened_for = joint;
    open(desk.workspace.browser, BrowserPurpose::kOpenVolume, desk);
  }
}

void draw_sizes(VolumeHandles& handles, std::size_t k, const Volume& volume, Desk& desk) {
  const double diagonal = handles.work->problem->problem.diagonal;
  for (const SizeRow& row : size_rows(volume.kind)) {
    Volume changed = volume;
    double& size = row.of(changed);
    row_label(desk, row.label, row.help);
    const std::string name = fmt::format("volume.{}", row.id);
    auto value = static_cast<float>(size);
    bool ended = false;
    const SliderStyle style{.lower = 0,
                            .upper = std::max(static_cast<float>(0.25 * diagonal), value),
                            .format = diagonal > 0.5 ? "%.3f" : "%.5f",
                            .number = glm::vec2(0, static_cast<float>(std::max(10 * diagonal, 1.0)))};
    if (value_slider(desk, name.c_str(), value, style, ImGui::GetContentRegionAvail().x, ended)) {
      size = double{value};
      change_volumes(handles, {{k, changed}}, name, desk);
    }
    handles.ending |= ended;
  }
}

// Those of the active joint, by their place among the volumes shown.
std::vector<std::size_t> volumes_of_joint(const VolumeHandles& handles, std::span<const Volume> shown, int joint) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    if (handles.work->problem->problem.bones[shown[k].bone].joint == joint) {
      out.push_back(k);
    }
  }
  return out;
}

void draw_active_volume(VolumeHandles& handles, Desk& desk) {
  const int joint = desk.document().view.selected_joint();
  const std::vector<Volume> shown = shown_volumes(handles, desk);
  const std::vector<std::size_t> own = volumes_of_joint(handles, shown, joint);
  if (own.empty()) {
    dim_text(joint < 0 ? "Click a volume to select its joint." : "The active joint has no volume.");
    return;
  }
  const int last = static_cast<int>(own.size()) - 1;
  handles.chosen = std::clamp(handles.chosen, 0, last);
  if (last > 0) {
    row_label(desk, "Bone", "A joint has a volume for each of its bones");
    auto chosen = static_cast<float>(handles.chosen + 1);
    bool ended = false;
    const SliderStyle style{
        .lower = 1, .upper = static_cast<float>(last + 1), .format = "%.0f", .origin = 1, .step = 1};
    if (value_slider(desk, "volume.bone", chosen, style, ImGui::GetContentRegionAvail().x, ended)) {
      handles.chosen = std::clamp(static_cast<int>(chosen) - 1, 0, last);
    }
  }
  const std::size_t k = own[static_cast<std::size_t>(handles.chosen)];
  draw_kind(handles, k, shown[k], desk);
  draw_sizes(handles, k, shown[k], desk);
}

}  // namespace

void draw_volume_section(Desk& desk) {
  VolumeHandles& handles = desk.workspace.panel<VolumeHandles>();
  const std::vector<bind::JointVolume>& by_hand = desk.document().content.volumes->of_joints;
  std::set<int> joints;
  for (const bind::JointVolume& volume : by_hand) {
    joints.insert(volume.joint);
  }
  if (!section(desk, fmt::format("Volumes ({} by hand)###bind.volumes", joints.size()).c_str())) {
    return;
  }
  if (!handles.error.empty()) {
    wrapped_text(printable(handles.error, 400),
                 handles.is_error ? severity_color(static_cast<int>(Severity::kError)) : color::kWarning);
  }
  if (handles.work == nullptr) {
    return;
  }
  wrapped_text(current_tool(desk.workspace).id == kSelectTool
                   ? "Drag their ends and radii in the picture: the weights follow."
                   : "Take the tool Select (V) to drag them in the picture.",
               color::kTextDim);
  row_label(desk, "");
  checkbox(desk, "volume.symmetric", "Symmetric", handles.symmetric,
           "What is done to a volume on one side is done on the other as well");
  draw_active_volume(handles, desk);
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = (ImGui::GetContentRegionAvail().x - spacing) / 2;
  const int joint = desk.document().view.selected_joint();
  ImGui::BeginDisabled(!joints.contains(joint));
  if (ImGui::Button("Fit this again", ImVec2(width, 0))) {
    fit_volumes_again(handles, joint, desk);
  }
  ImGui::EndDisabled();
  report_item(desk, "volume.fit");
  tip("The volumes of the active joint follow the surface again");
  ImGui::SameLine(0, spacing);
  ImGui::BeginDisabled(joints.empty());
  if (ImGui::Button("Fit all again", ImVec2(width, 0))) {
    fit_volumes_again(handles, -1, desk);
  }
  ImGui::EndDisabled();
  report_item(desk, "volume.fit_all");
  tip("All volumes follow the surface again, with the numbers above");
}

}  // namespace pelt::ui
