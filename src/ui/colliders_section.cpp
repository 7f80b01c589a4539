#include "ui/colliders_section.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/collider_edits.h"
#include "motion/controls.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

using motion::SpringCollider;
using rig::ColliderShape;

constexpr std::array kShapeLabels = {"Sphere", "Capsule", "Plane"};

const char* shape_label(ColliderShape shape) {
  return kShapeLabels[static_cast<std::size_t>(shape)];
}

// The springs with one collider changed, as one step for a drag.
template <typename Change>
void change_collider(std::size_t c, const Change& change, const std::string& merge_key, Desk& desk) {
  edit::SetSprings springs{desk.document().content.behaviour->springs};
  change(springs.springs.colliders[c]);
  desk.change(std::move(springs), merge_key);
}

template <typename Set>
void collider_slider(std::size_t c, const std::string& name, const char* label, const char* help, float now,
                     SliderStyle style, const Set& set, Desk& desk) {
  row_label(desk, label, help);
  style.upper = std::max(style.upper, now);
  style.lower = std::min(style.lower, now);
  float value = now;
  bool ended = false;
  if (value_slider(desk, name.c_str(), value, style, ImGui::GetContentRegionAvail().x, ended)) {
    change_collider(
        c, [&](SpringCollider& changed) { set(changed, value); }, name, desk);
  }
  desk.requests.end_merge |= ended;
}

// A place in the space of the joint, as three rows.
void draw_collider_place(std::size_t c, const std::string& name, const std::array<const char*, 3>& labels,
                         const char* help, glm::vec3 SpringCollider::*member, float reach, Desk& desk) {
  const glm::vec3 now = desk.document().content.behaviour->springs.colliders[c].*member;
  constexpr float kFarthest = 1000;
  for (int i = 0; i < 3; ++i) {
    collider_slider(
        c, fmt::format("{}.{}", name, i), labels[static_cast<std::size_t>(i)], help, now[i],
        {.lower = -reach, .upper = reach, .format = "%.3f", .number = glm::vec2(-kFarthest, kFarthest)},
        [&](SpringCollider& changed, float value) { (changed.*member)[i] = value; }, desk);
  }
}

// The way that a plane leaves free: an axis of its joint, or the world's up at rest.
void draw_collider_normal(std::size_t c, const std::string& name, const SpringCollider& fitting, Desk& desk) {
  constexpr std::array kNames = {"Up", "+x", "+y", "+z", "-x", "-y", "-z"};
  const glm::vec3 now = glm::normalize(desk.document().content.behaviour->springs.colliders[c].normal);
  const auto direction_of = [&](int choice) {
    if (choice == 0) {
      return fitting.normal;
    }
    glm::vec3 axis(0.0f);
    axis[(choice - 1) % 3] = choice <= 3 ? 1.0f : -1.0f;
    return axis;
  };
  int current = -1;
  for (int choice = static_cast<int>(kNames.size()) - 1; choice >= 0; --choice) {
    current = glm::dot(direction_of(choice), now) > 0.9999f ? choice : current;
  }
  row_label(desk, "Normal", "The side where tips may be, in the space of the joint; Up: the world's at rest");
  if (combo(
          desk, name.c_str(), static_cast<int>(kNames.size()), current,
          [&](int choice) { return std::string(kNames[static_cast<std::size_t>(choice)]); },
          current < 0 ? fmt::format("{:.2f}, {:.2f}, {:.2f}", now.x, now.y, now.z) : std::string())) {
    change_collider(
        c, [&](SpringCollider& changed) { changed.normal = direction_of(current); }, "", desk);
  }
}

void draw_collider_shape(std::size_t c, const std::string& name, int joint, Desk& desk) {
  const SpringCollider& collider = desk.document().content.behaviour->springs.colliders[c];
  row_label(desk, "Shape", "What keeps the tips away");
  int shape = static_cast<int>(collider.shape);
  if (segmented(desk, (name + ".shape").c_str(), kShapeLabels, shape)) {
    const auto wanted = static_cast<ColliderShape>(shape);
    const SpringCollider fitting = edit::fitting_collider(desk.character(), wanted, joint);
    change_collider(
        c,
        [&](SpringCollider& changed) {
          changed.shape = wanted;
          // What the other shape did not need is as a new one has it.
          changed.tail = changed.tail == glm::vec3(0) ? fitting.tail : changed.tail;
          changed.radius = changed.radius == 0 ? fitting.radius : changed.radius;
          changed.normal = wanted == ColliderShape::kPlane ? fitting.normal : changed.normal;
        },
        "", desk);
  }
}

// Which chains keep off it.
void draw_kept_off(std::size_t c, const std::string& name, Desk& desk) {
  const motion::SpringSet& springs = desk.document().content.behaviour->springs;
  const std::string& collider = springs.colliders[c].name;
  for (std::size_t k = 0; k < springs.chains.size(); ++k) {
    const motion::SpringChain& chain = springs.chains[k];
    bool keeps_off = std::ranges::find(chain.colliders, collider) != chain.colliders.end();
    const std::string label = fmt::format("Holds back {}", printable(chain.name.empty() ? "springs" : chain.name, 30));
    if (checkbox(desk, fmt::format("{}.chain.{}", name, k).c_str(),
                 fitted(label, ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() - desk.theme.px(8)).c_str(),
                 keeps_off, label)) {
      edit::SetSprings change{springs};
      std::vector<std::string>& names = change.springs.chains[k].colliders;
      if (keeps_off) {
        names.push_back(collider);
      } else {
        std::erase(names, collider);
      }
      desk.change(std::move(change));
    }
  }
}

void draw_collider_numbers(std::size_t c, const std::string& name, Desk& desk) {
  const SpringCollider collider = desk.document().content.behaviour->springs.colliders[c];
  const Result<int> joint = motion::find_named_joint(desk.character(), collider.joint);
  if (!joint) {
    wrapped_text(joint.error().message, severity_color(static_cast<int>(Severity::kError)));
    return;
  }
  // As the joint's own space counts, which may have another unit than the world.
  const SpringCollider capsule = edit::fitting_collider(desk.character(), ColliderShape::kCapsule, *joint);
  const float reach = std::max(2 * glm::length(capsule.tail), 1e-3f);
  ImGui::Indent(desk.theme.px(12));
  draw_collider_shape(c, name, *joint, desk);
  const bool is_plane = collider.shape == ColliderShape::kPlane;
  if (!is_plane) {
    constexpr float kWidest = 1000;
    collider_slider(
        c, name + ".radius", "Radius", "Of the shape, in the world", collider.radius,
        {.lower = 0,
         .upper = std::max(4 * capsule.radius, 1e-3f),
         .factor = 1000,
         .format = "%.1f mm",
         .number = glm::vec2(0, kWidest)},
        [](SpringCollider& changed, float value) { changed.radius = value; }, desk);
  }
  const bool is_capsule = collider.shape == ColliderShape::kCapsule;
  draw_collider_place(
      c, name + ".offset",
      {is_capsule ? "Start x" : "Place x", is_capsule ? "Start y" : "Place y", is_capsule ? "Start z" : "Place z"},
      is_capsule ? "One end of the capsule, in the space of the joint"
      : is_plane ? "A point of the plane, in the space of the joint"
                 : "The middle, in the space of the joint",
      &SpringCollider::offset, reach, desk);
  if (is_capsule) {
    draw_collider_place(c, name + ".tail", {"End x", "End y", "End z"},
                        "The other end of the capsule, in the space of the joint", &SpringCollider::tail, reach, desk);
  }
  if (is_plane) {
    draw_collider_normal(c, name + ".normal", edit::fitting_collider(desk.character(), ColliderShape::kPlane, *joint),
                         desk);
  } else {
    bool inside = collider.inside;
    if (checkbox(desk, (name + ".inside").c_str(), "Keeps tips inside", inside,
                 "Tips stay within the shape; else outside of it")) {
      change_collider(
          c, [inside](SpringCollider& changed) { changed.inside = inside; }, "", desk);
    }
  }
  draw_kept_off(c, name, desk);
  ImGui::Unindent(desk.theme.px(12));
}

// @returns whether the list is as long as before
bool draw_collider(CollidersSection& state, std::size_t c, Desk& desk) {
  const SpringCollider& collider = desk.document().content.behaviour->springs.colliders[c];
  const std::string name = fmt::format("colliders.{}", c);
  const bool chosen = state.chosen == static_cast<int>(c);
  const float remove = ImGui::GetFrameHeight();
  const float width = ImGui::GetContentRegionAvail().x - remove - desk.theme.px(6);
  const std::string what = fmt::format("{}: {} on {}", printable(collider.name, 30), shape_label(collider.shape),
                                       printable(collider.joint, 30));
  ImGui::AlignTextToFramePadding();
  if (ImGui::Selectable((fitted(what, width - desk.theme.px(8)) + "###" + name).c_str(), chosen, 0,
                        ImVec2(width, remove))) {
    state.chosen = chosen ? -1 : static_cast<int>(c);
  }
  report_item(desk, name);
  tip(what + ". Click for its numbers");
  ImGui::SameLine(0, desk.theme.px(6));
  if (icon_button(desk, (name + ".remove").c_str(), icon::kClose, "Remove this collider")) {
    state.chosen = -1;
    desk.change(edit::without_collider(desk.document(), c));
    return false;
  }
  if (chosen) {
    draw_collider_numbers(c, name, desk);
  }
  return true;
}

void draw_collider_adding(CollidersSection& state, Desk& desk) {
  const int joint = desk.document().view.selected_joint();
  if (!has_index(desk.character().skeleton->parent, joint)) {
    dim_text("Select a joint to give it a collider.");
    return;
  }
  row_label(desk, "New", "A shape that the active joint carries and that tips of springs do not enter");
  segmented(desk, "colliders.shape", kShapeLabels, state.shape);
  const edit::SetSprings change = edit::with_collider(desk.document(), static_cast<ColliderShape>(state.shape), joint);
  const std::string why = edit::refusal(desk.document(), change);
  const std::string label = fmt::format("Collider on {}", printable(desk.character().skeleton->label(joint), 40));
  ImGui::BeginDisabled(!why.empty());
  if (ImGui::Button((fitted(label, ImGui::GetContentRegionAvail().x - desk.theme.px(16)) + "###colliders.add").c_str(),
                    ImVec2(-1, 0))) {
    state.chosen = static_cast<int>(change.springs.colliders.size()) - 1;
    desk.change(change);
  }
  ImGui::EndDisabled();
  report_item(desk, "colliders.add");
  tip(why.empty() ? label : why);
}

}  // namespace

void draw(CollidersSection& state, Desk& desk) {
  const motion::SpringSet& springs = desk.document().content.behaviour->springs;
  if (springs.chains.empty() && springs.colliders.empty()) {
    return;  // nothing could meet one
  }
  ImGui::PushID("colliders");
  ImGui::Spacing();
  dim_text("Colliders");
  const std::size_t count = springs.colliders.size();
  state.chosen = state.chosen < static_cast<int>(count) ? state.chosen : -1;
  for (std::size_t c = 0; c < count; ++c) {
    ImGui::PushID(static_cast<int>(c));
    const bool is_whole = draw_collider(state, c, desk);
    ImGui::PopID();
    if (!is_whole) {
      break;  // the next picture shows the other list
    }
  }
  draw_collider_adding(state, desk);
  ImGui::PopID();
}

}  // namespace pelt::ui
