#include "ui/springs_section.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "core/text.h"
#include "ui/colliders_section.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kFullTurn = 2 * std::numbers::pi_v<float>;
constexpr float kEarth = 9.81f;

// Swings per second without damping, and how much of the critical damping there is: what people mean by stiffness.
float swings_of(const motion::SpringJoint& joint) {
  return std::sqrt(joint.stiffness / joint.mass) / kFullTurn;
}
// Without stiffness there is no critical damping: then that of one swing per second counts, so that damping
// survives when the swings go to 0 and back.
float critical_damping(const motion::SpringJoint& joint) {
  const float stiffness = joint.stiffness > 0 ? joint.stiffness : joint.mass * kFullTurn * kFullTurn;
  return 2 * std::sqrt(stiffness * joint.mass);
}
float damping_of(const motion::SpringJoint& joint) {
  return joint.damping / critical_damping(joint);
}
void set_swing(motion::SpringJoint& joint, float swings, float damping) {
  joint.stiffness = joint.mass * (kFullTurn * swings) * (kFullTurn * swings);
  joint.damping = damping * critical_damping(joint);
}

// A number of a chain: that of its first joint, given to all of them.
struct ChainField {
  const char* id;
  const char* label;
  SliderStyle style;
  const char* help;
  float (*get)(const motion::SpringJoint& joint);
  void (*set)(motion::SpringJoint& joint, float value);
};
const std::array<ChainField, 6>& chain_fields() {
  static const std::array<ChainField, 6> kFields = {
      ChainField{"swings",
                 "Swings",
                 {.lower = 0, .upper = 8, .format = "%.2f Hz"},
                 "Swings per second: the stiffer, the faster",
                 swings_of,
                 [](motion::SpringJoint& joint, float value) { set_swing(joint, value, damping_of(joint)); }},
      ChainField{"damping",
                 "Damping",
                 {.lower = 0, .upper = 2},
                 "0 swings for ever, 1 comes back without swinging, more is slower",
                 damping_of,
                 [](motion::SpringJoint& joint, float value) { set_swing(joint, swings_of(joint), value); }},
      ChainField{"gravity",
                 "Gravity",
                 {.lower = -1, .upper = 2},
                 "Of the earth's",
                 [](const motion::SpringJoint& joint) { return -joint.gravity.y / kEarth; },
                 [](motion::SpringJoint& joint, float value) {
                   joint.gravity = {0, -kEarth * value, 0};
                 }},
      ChainField{"wind",
                 "Wind",
                 {.lower = 0, .upper = 2},
                 "How much of the wind it feels",
                 [](const motion::SpringJoint& joint) { return joint.wind; },
                 [](motion::SpringJoint& joint, float value) { joint.wind = value; }},
      ChainField{"cone",
                 "Cone",
                 {.lower = 0, .upper = std::numbers::pi_v<float>, .factor = kDegreesPerRadian, .format = "%.0f°"},
                 "It turns no further from the pose",
                 [](const motion::SpringJoint& joint) { return joint.cone; },
                 [](motion::SpringJoint& joint, float value) { joint.cone = value; }},
      ChainField{"radius",
                 "Radius",
                 {.lower = 0, .upper = 0.2f, .factor = 1000, .format = "%.0f mm"},
                 "Colliders keep so far away from its tips",
                 [](const motion::SpringJoint& joint) { return joint.radius; },
                 [](motion::SpringJoint& joint, float value) { joint.radius = value; }}};
  return kFields;
}

// One slider that changes a set of springs.
void spring_slider(const std::string& name, const char* label, const char* help, float now, const SliderStyle& style,
                   const std::function<void(motion::SpringSet&, float)>& set, Desk& desk) {
  row_label(desk, label, help);
  SliderStyle wide = style;
  wide.upper = std::max(style.upper, now);
  wide.lower = std::min(style.lower, now);
  float value = now;
  bool ended = false;
  if (value_slider(desk, name.c_str(), value, wide, ImGui::GetContentRegionAvail().x, ended)) {
    edit::SetSprings change{desk.document().content.behaviour->springs};
    set(change.springs, value);
    desk.change(std::move(change), name);
  }
  desk.requests.end_merge |= ended;
}

void draw_chain(std::size_t c, const std::string& fault, Desk& desk) {
  const motion::SpringSet& springs = desk.document().content.behaviour->springs;
  const motion::SpringChain& chain = springs.chains[c];
  const std::string name = fmt::format("springs.{}", c);
  bool on = chain.on;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight();
  const std::string what = fmt::format("{} ({})", printable(chain.name.empty() ? "springs" : chain.name, 40),
                                       count_of(static_cast<std::int64_t>(chain.joints.size()), "joint", "joints"));
  if (checkbox(desk, name.c_str(), what.c_str(), on)) {
    edit::SetSprings change{springs};
    change.springs.chains[c].on = on;
    desk.change(std::move(change));
  }
  ImGui::SameLine(right, 0);
  if (icon_button(desk, (name + ".remove").c_str(), icon::kClose, "Remove this chain")) {
    edit::SetSprings change{springs};
    change.springs.chains.erase(change.springs.chains.begin() + static_cast<std::ptrdiff_t>(c));
    desk.change(std::move(change));
    return;
  }
  if (!fault.empty()) {
    wrapped_text(fault, severity_color(static_cast<int>(Severity::kError)));
  }
  if (!on || chain.joints.empty()) {
    return;
  }
  ImGui::Indent(desk.theme.px(12));
  for (const ChainField& field : chain_fields()) {
    spring_slider(
        fmt::format("{}.{}", name, field.id), field.label, field.help, field.get(chain.joints.front()), field.style,
        [&](motion::SpringSet& changed, float value) {
          for (motion::SpringJoint& joint : changed.chains[c].joints) {
            field.set(joint, value);
          }
        },
        desk);
  }
  ImGui::Unindent(desk.theme.px(12));
}

void draw_wind(Desk& desk) {
  const motion::Wind& wind = desk.document().content.behaviour->springs.wind;
  constexpr std::array kNames = {"Wind x", "Wind y", "Wind z"};
  for (int i = 0; i < 3; ++i) {
    spring_slider(
        fmt::format("springs.wind.{}", i), kNames[static_cast<std::size_t>(i)],
        "How the air pushes what feels all of it", wind.acceleration[i],
        {.lower = -20, .upper = 20, .format = "%.1f m/s²"},
        [i](motion::SpringSet& changed, float value) { changed.wind.acceleration[i] = value; }, desk);
  }
  spring_slider(
      "springs.wind.gusts", "Gusts", "How much the wind comes and goes", wind.gusts, {.lower = 0, .upper = 1},
      [](motion::SpringSet& changed, float value) { changed.wind.gusts = value; }, desk);
  spring_slider(
      "springs.wind.period", "Period", "From one gust to the next", wind.period,
      {.lower = 0.1f, .upper = 10, .format = "%.1f s"},
      [](motion::SpringSet& changed, float value) { changed.wind.period = std::max(value, 0.05f); }, desk);
}

void draw_spring_baking(Desk& desk) {
  const std::string why = edit::refusal(desk.document(), edit::BakeSprings{});
  ImGui::BeginDisabled(!why.empty());
  if (ImGui::Button("Bake to keys", ImVec2(-1, 0))) {
    desk.change(edit::BakeSprings{});
  }
  ImGui::EndDisabled();
  report_item(desk, "springs.bake");
  tip(why.empty() ? "Keys of the clip at each frame of the work range; the springs are then switched off" : why);
}

// From a joint down as long as there is one way: its first child where there are several.
motion::SpringChain chain_from(const rig::Skeleton& skeleton, int joint) {
  motion::SpringChain chain{.name = skeleton.label(joint)};
  for (std::vector<int> below = {joint}; !below.empty(); below = skeleton.children(below.front())) {
    chain.joints.push_back({.joint = motion::joint_reference(skeleton, below.front())});
    set_swing(chain.joints.back(), 1.5f, 0.3f);
  }
  return chain;
}

void draw_spring_adding(Desk& desk) {
  const int joint = desk.document().view.selected_joint();
  if (joint < 0) {
    dim_text("Select a joint to let it swing with all below it.");
    return;
  }
  edit::SetSprings change{desk.document().content.behaviour->springs};
  change.springs.chains.push_back(chain_from(desk.character().skeleton, joint));
  const std::string why = edit::refusal(desk.document(), change);
  ImGui::BeginDisabled(!why.empty());
  const std::string label = fmt::format("Let {} swing", printable(desk.character().skeleton->label(joint), 40));
  if (ImGui::Button((label + "###springs.add").c_str(), ImVec2(-1, 0))) {
    desk.change(change);
  }
  ImGui::EndDisabled();
  report_item(desk, "springs.add");
  tip(why.empty() ? "With the joints below it, one after the other; play a clip to see them" : why);
}

}  // namespace

void draw(SpringsSection&, Desk& desk) {
  ImGui::PushID("springs");
  wrapped_text(
      "Springs let joints swing behind the rest, as hair and tails do. Wind moves them; they keep off colliders.",
      color::kTextDim);
  const motion::SpringSet& springs = desk.document().content.behaviour->springs;
  const motion::SpringRig rig = motion::make_spring_rig(desk.character(), springs);
  for (std::size_t c = 0; c < springs.chains.size(); ++c) {
    ImGui::PushID(static_cast<int>(c));
    draw_chain(c, rig.faults[c], desk);
    ImGui::PopID();
  }
  if (!springs.chains.empty()) {
    draw_wind(desk);
    draw_spring_baking(desk);
  }
  draw_spring_adding(desk);
  draw(desk.workspace.panel<CollidersSection>(), desk);
  ImGui::PopID();
}

}  // namespace pelt::ui
