#include "ui/skeleton_section.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "bind/deforming_joints.h"
#include "core/text.h"
#include "edit/skeleton_edits.h"
#include "ui/icons.h"
#include "ui/tools.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr std::chrono::seconds kSkeletonPatience(120);  // for pictures, of machines that are busy
constexpr int kChainSliderEnd = 30;

void start_skeleton_job(SkeletonSection& section, bool adds, Desk& desk) {
  const std::shared_ptr<const rig::Character> character = edit::own_character(desk.document());
  if (section.job == nullptr) {
    section.job =
        std::make_unique<JobSlot<SkeletonSection::Made>>(desk.workspace.jobs, Jobs::Kind::kLong, "Fitting a skeleton");
  }
  bind::TemplateChoice choice;
  if (section.kind == 1) {
    choice = {.kind = bind::TemplateChoice::Kind::kChain, .joints = section.chain_joints};
  }
  section.error.clear();
  section.job_of = character->meshes;
  section.job->start([character, choice, adds,
                      symmetric = section.symmetric](const Progress& progress) -> std::optional<SkeletonSection::Made> {
    Result<bind::RestVolume> volume = bind::rest_volume(*character, bind::kRestVolumeCubes, progress);
    if (!volume) {
      return SkeletonSection::Made(volume.error());
    }
    SkeletonSection::Fitted made;
    made.volume = std::make_shared<const bind::RestVolume>(*std::move(volume));
    if (adds) {
      made.skeleton = bind::fitted_template(choice, *made.volume, symmetric);
      made.what = choice.kind == bind::TemplateChoice::Kind::kHumanoid ? "a humanoid skeleton"
                                                                       : fmt::format("a chain of {}", choice.joints);
    }
    return SkeletonSection::Made(std::move(made));
  });
}

void take_fitted(SkeletonSection& section, SkeletonSection::Made made, Desk& desk) {
  if (!made) {
    section.error = made.error().message;
    return;
  }
  if (!section.job_of.is(edit::own_character(desk.document())->meshes)) {
    section.error = "the character has changed meanwhile; add the skeleton again";
    return;
  }
  section.volume = made->volume;
  section.volume_of = section.job_of;
  if (made->skeleton.joints.empty()) {
    return;
  }
  if (!placeable_joints(desk.document()).empty()) {
    section.error = "a skeleton was added meanwhile";
    return;
  }
  section.notes = made->skeleton.notes;
  desk.change(edit::AddJoints{bind::new_joints(made->skeleton.joints), made->what});
  desk.workspace.view.skeleton = true;
  take_tool(desk.workspace, kPlaceTool);
}

// The way that the bone of a joint leads: to the mean of its children, else on from its parent.
glm::dvec3 bone_way(const Desk& desk, int joint) {
  const rig::Skeleton& skeleton = edit::own_character(desk.document())->skeleton;
  const std::vector<int> children = skeleton.children(joint);
  const int parent = skeleton.parent[static_cast<std::size_t>(joint)];
  glm::dvec3 way(0.0);
  for (const int child : children) {
    way += glm::dvec3(place_in_world(desk, child) - place_in_world(desk, joint));
  }
  if (parent >= edit::first_new_joint(desk.document())) {
    const glm::dvec3 from_parent(place_in_world(desk, joint) - place_in_world(desk, parent));
    way = children.size() == 1 && glm::length(from_parent) > 0 && glm::length(way) > 0
              ? glm::normalize(way) + glm::normalize(from_parent)
          : children.empty() ? from_parent
                             : way;
  }
  return glm::length(way) > 0 ? glm::normalize(way) : glm::dvec3(0, 1, 0);
}

void move_to_the_middle(SkeletonSection& section, std::span<const int> joints, Desk& desk) {
  const bind::RestVolume* const volume = rest_volume_of(section, desk);
  if (volume == nullptr) {
    return;
  }
  std::vector<glm::vec3> places;
  for (const int j : joints) {
    places.emplace_back(
        bind::middle_of_section(volume->voxels, glm::dvec3(place_in_world(desk, j)), bone_way(desk, j)));
  }
  place_joints(section, {joints.begin(), joints.end()}, std::move(places), {}, desk);
}

void draw_template_choice(SkeletonSection& section, Desk& desk) {
  wrapped_text(!is_bare(desk.document())
                   ? "This mesh is bound. Another skeleton can be put into it and bound in place of the present one, "
                     "whose joints stay."
               : bind::proposed_joints(*edit::own_character(desk.document())).empty()
                   ? "This mesh has no skeleton. Put one into it, move its joints, then bind."
                   : "This mesh is not bound yet. Bind it to the bones below, or put a skeleton into it first.",
               color::kTextDim);
  constexpr const char* kKinds[] = {"Humanoid", "Chain"};
  row_label(desk, "Skeleton", "A standing body, or a chain of joints along the longest way of the mesh");
  segmented(desk, "skeleton.kind", kKinds, section.kind);
  if (section.kind == 1) {
    row_label(desk, "Joints", "How many joints the chain has, with bones of one length");
    auto count = static_cast<float>(section.chain_joints);
    bool ended = false;
    const SliderStyle style{.lower = 1, .upper = kChainSliderEnd, .format = "%.0f", .origin = 5, .step = 1};
    if (value_slider(desk, "skeleton.joints", count, style, ImGui::GetContentRegionAvail().x, ended)) {
      section.chain_joints = std::clamp(static_cast<int>(count), 1, bind::kMostChainJoints);
    }
  } else {
    row_label(desk, "");
    checkbox(desk, "skeleton.symmetric", "Symmetric", section.symmetric, "Left and right become mirror images");
  }
  const float width = ImGui::GetContentRegionAvail().x;
  if (section.job != nullptr && section.job->active()) {
    const std::optional<Jobs::Row> row = section.job->row();
    progress_bar(desk, row ? row->fraction : 1.0f, width);
    if (ImGui::Button("Cancel##skeleton", ImVec2(width, 0))) {
      section.job->cancel();
    }
    report_item(desk, "skeleton.cancel");
  } else {
    if (ImGui::Button(fmt::format("{}  Add the skeleton", icon::kJoint).c_str(), ImVec2(width, 0))) {
      start_skeleton_job(section, true, desk);
    }
    report_item(desk, "skeleton.add");
    tip("Joints go to the middle of the volume. Undo takes them away");
  }
}

void draw_placing(SkeletonSection& section, Desk& desk) {
  const std::vector<int> joints = placeable_joints(desk.document());
  wrapped_text(fmt::format("{} to be bound. Drag them in the picture to where the body bends.",
                           count_of(static_cast<std::int64_t>(joints.size()), "joint", "joints")),
               color::kTextDim);
  row_label(desk, "");
  checkbox(desk, "skeleton.symmetric", "Symmetric", section.symmetric,
           "What is placed on one side is placed on the other as well");
  row_label(desk, "");
  checkbox(desk, "skeleton.snap", "In the middle", section.snaps,
           "A joint that is dragged stays in the middle of the volume, seen from here");
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = (ImGui::GetContentRegionAvail().x - spacing) / 2;
  std::vector<int> chosen;
  std::ranges::copy_if(desk.document().view.selected_joints, std::back_inserter(chosen),
                       [&](int j) { return std::ranges::find(joints, j) != joints.end(); });
  const bool places = current_tool(desk.workspace).id == kPlaceTool;
  if (ImGui::Button(places ? "Placing" : "Place joints", ImVec2(width, 0))) {
    take_tool(desk.workspace, places ? kSelectTool : kPlaceTool);
  }
  report_item(desk, "skeleton.place");
  tip("The tool that drags joints; others move nothing before the mesh is bound");
  ImGui::SameLine(0, spacing);
  ImGui::BeginDisabled(chosen.empty() || rest_volume_of(section, desk) == nullptr);
  if (ImGui::Button("To the middle", ImVec2(width, 0))) {
    move_to_the_middle(section, chosen, desk);
  }
  ImGui::EndDisabled();
  report_item(desk, "skeleton.middle");
  tip("Moves the selected joints to the middle of the volume, across their bones");
  const std::string why_not = edit::why_refused(desk.document(), edit::RemoveNewJoints{});
  ImGui::BeginDisabled(!why_not.empty());
  if (ImGui::Button("Take the skeleton away", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    section.notes.clear();
    desk.change(edit::RemoveNewJoints{});
  }
  report_item(desk, "skeleton.remove");
  ImGui::EndDisabled();
  tip(why_not.empty() ? "The mesh is as it was before, and another template can be chosen"
                      : fmt::format("Undo takes it away: {}", why_not));
  for (const std::string& note : section.notes) {
    wrapped_text(fmt::format("{}  {}", icon::kWarning, note), color::kWarning);
  }
}

}  // namespace

glm::vec3 place_in_world(const Desk& desk, int joint) {
  return glm::vec3(desk.scene.world[static_cast<std::size_t>(joint)][3]);
}

bool is_bare(const edit::Document& document) {
  const rig::Character& character = *edit::own_character(document);
  return character.skins.empty() && !character.mesh_nodes.empty();
}

std::vector<int> placeable_joints(const edit::Document& document) {
  const rig::Skeleton& skeleton = edit::own_character(document)->skeleton;
  const int first = edit::first_new_joint(document);
  // What is left over of a skeleton that is bound stays where it is: bound joints hang on it, or it on them.
  std::vector<int> tree(static_cast<std::size_t>(skeleton.size()), -1);
  std::vector<char> is_bound(tree.size(), 0);
  for (int j = first; j < skeleton.size(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const int parent = skeleton.parent[at];
    tree[at] = parent >= first ? tree[static_cast<std::size_t>(parent)] : j;
    auto& bound = is_bound[static_cast<std::size_t>(tree[at])];
    bound = bound != 0 || skeleton.is_joint[at] != 0 ? 1 : 0;
  }
  std::vector<int> out;
  for (int j = first; j < skeleton.size(); ++j) {
    if (is_bound[static_cast<std::size_t>(tree[static_cast<std::size_t>(j)])] == 0) {
      out.push_back(j);
    }
  }
  return out;
}

void place_joints(const SkeletonSection& section, std::vector<int> joints, std::vector<glm::vec3> places,
                  const std::string& merge_key, Desk& desk) {
  const rig::Skeleton& skeleton = edit::own_character(desk.document())->skeleton;
  const std::vector<int> placeable = placeable_joints(desk.document());
  const std::vector<int> mirrored = rig::mirrored_joints(skeleton);
  // What has no sides has no plane between them either.
  const bool has_sides = std::ranges::any_of(placeable, [&](int j) {
    const int partner = mirrored[static_cast<std::size_t>(j)];
    return partner >= 0 && partner != j;
  });
  const std::size_t count = joints.size();
  for (std::size_t k = 0; section.symmetric && has_sides && k < count; ++k) {
    const int partner = mirrored[static_cast<std::size_t>(joints[k])];
    if (partner < 0 || std::ranges::find(placeable, partner) == placeable.end()) {
      continue;
    }
    // The plane between both as they are; what is its own partner stays in it.
    const float middle = 0.5f * (place_in_world(desk, joints[k]).x + place_in_world(desk, partner).x);
    if (partner == joints[k]) {
      places[k].x = middle;
    } else if (std::ranges::find(joints, partner) == joints.end()) {
      joints.push_back(partner);
      places.emplace_back(2 * middle - places[k].x, places[k].y, places[k].z);
    }
  }
  desk.change(edit::PlaceJoints{std::move(joints), std::move(places)}, merge_key);
}

const bind::RestVolume* rest_volume_of(SkeletonSection& section, Desk& desk) {
  const SharedList<mesh::Mesh>& meshes = edit::own_character(desk.document())->meshes;
  if (section.volume != nullptr && section.volume_of.is(meshes)) {
    return section.volume.get();
  }
  const bool is_asked = section.job_of.is(meshes) && (!section.error.empty() || section.job != nullptr);
  if (!is_asked && (is_bare(desk.document()) || !placeable_joints(desk.document()).empty())) {
    start_skeleton_job(section, false, desk);
  }
  return nullptr;
}

void forget_skeleton(SkeletonSection& section) {
  section.notes.clear();
  section.error.clear();
  if (section.job != nullptr) {
    section.job->cancel();
  }
  section.volume = nullptr;
  section.volume_of = {};
  section.job_of = {};
}

void follow_skeleton_job(Desk& desk) {
  SkeletonSection& section = desk.workspace.panel<SkeletonSection>();
  const bool has_any = !placeable_joints(desk.document()).empty();
  if (section.had_placeable && !has_any && current_tool(desk.workspace).id == kPlaceTool) {
    take_tool(desk.workspace, kSelectTool);  // they were bound, or are gone: from here on joints are posed
  }
  section.had_placeable = has_any;
  if (section.job == nullptr) {
    return;
  }
  if (section.patient && section.job->active()) {
    section.job->wait(kSkeletonPatience);
  }
  if (std::optional<SkeletonSection::Made> made = section.job->take()) {
    take_fitted(section, *std::move(made), desk);
  } else if (section.job->failed()) {
    section.error = "not enough memory to fit a skeleton";
    section.job->cancel();
  }
}

void draw_skeleton(SkeletonSection& state, Desk& desk) {
  // Folded where a skin is there: most people who bind anew keep their joints.
  const bool is_wanted = is_bare(desk.document()) || !placeable_joints(desk.document()).empty();
  if (edit::own_character(desk.document())->mesh_nodes.empty() ||
      !section(desk, is_wanted ? "Skeleton" : "Put in a skeleton", is_wanted)) {
    return;
  }
  if (placeable_joints(desk.document()).empty()) {
    draw_template_choice(state, desk);
  } else {
    draw_placing(state, desk);
  }
  if (!state.error.empty()) {
    wrapped_text(printable(state.error, 400), severity_color(static_cast<int>(Severity::kError)));
  }
}

}  // namespace pelt::ui
