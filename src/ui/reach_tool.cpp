#include "ui/reach_tool.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "core/text.h"
#include "edit/bake_edits.h"
#include "edit/reach_edits.h"
#include "ui/icons.h"
#include "ui/selecting.h"
#include "ui/tools.h"
#include "ui/viewport.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kDotReach = 9;  // layout units around the pole's dot
constexpr const char* kMerge = "reach";

glm::vec3 place_of(const Desk& desk, int joint) {
  return glm::vec3(desk.scene.world[joint][3]);
}

// The joint that hangs furthest down from another, which is where its bone leads; -1: none.
int main_child(const Desk& desk, int joint) {
  int best = -1;
  std::size_t most = 0;
  for (const int child : desk.character().skeleton->children(joint)) {
    const std::size_t below = desk.character().skeleton->subtree(child).size();
    if (below > most) {
      most = below;
      best = child;
    }
  }
  return best;
}

// Whether a point of a bone is nearer to its far end.
bool is_near_tail(const glm::vec3& head, const glm::vec3& tail, const glm::vec3& point) {
  return glm::distance(point, tail) < glm::distance(point, head);
}

// The place under the mouse and the joint that is meant by it; joint -1: nothing.
struct Grip {
  int joint = -1;
  glm::vec3 point = glm::vec3(0);
};

Grip grip_at(ReachTool& tool, glm::vec2 at, Desk& desk) {
  const motion::Limbs& limbs = limbs_of(tool, desk);
  if (desk.workspace.view.skeleton) {
    const int joint = joint_under(desk, at);
    const render::Ray ray = ray_at(desk, at);
    for (const render::Bone& bone : render::bones(desk.character(), desk.scene.world, drawn_joints(desk))) {
      if (bone.joint == joint && joint >= 0) {
        // By pixels: what is nearer to the mouse, its head or its tail.
        const float t = glm::dot(0.5f * (bone.head + bone.tail) - ray.origin, ray.direction);
        const glm::vec3 point = ray.origin + t * ray.direction;
        return {limbs.dragged_joint(joint, bone.child, is_near_tail(bone.head, bone.tail, point)), point};
      }
    }
  }
  const std::optional<render::VertexHit> hit = vertex_under(desk, at);
  if (!hit) {
    return {};
  }
  const int joint = joint_of(desk, *hit);
  const int child = main_child(desk, joint);
  const bool near_child = child >= 0 && is_near_tail(place_of(desk, joint), place_of(desk, child), hit->position);
  return {limbs.dragged_joint(joint, child, near_child), hit->position};
}

// Where the ray through a pixel meets the plane that the grabbed point moves in.
glm::vec3 in_plane(const ReachTool& tool, const Desk& desk, glm::vec2 at) {
  const render::Ray ray = ray_at(desk, at);
  const float slope = glm::dot(ray.direction, tool.facing);
  if (std::abs(slope) < 1e-4f) {
    return tool.grabbed;
  }
  return ray.origin + glm::dot(tool.grabbed - ray.origin, tool.facing) / slope * ray.direction;
}

void begin(ReachTool& tool, int joint, const glm::vec3& grabbed, Desk& desk) {
  tool.joint = joint;
  tool.start = place_of(desk, joint);
  tool.wish = tool.start;
  tool.asked = tool.start;
  tool.grabbed = grabbed;
  tool.facing = towards_eye(desk, grabbed);
  tool.dragging = true;
}

std::vector<ImVec2> on_screen(const Projector& project, const Desk& desk, std::span<const int> joints) {
  std::vector<ImVec2> points;
  for (const int joint : joints) {
    if (const auto at = project(place_of(desk, joint))) {
      points.emplace_back(at->x, at->y);
    }
  }
  return points;
}

void draw_chain(ReachTool& tool, const Projector& project, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const motion::Limbs& limbs = limbs_of(tool, desk);
  const std::vector<int> joints = limbs.between(tool.chain.root, tool.joint);
  const std::vector<ImVec2> points = on_screen(project, desk, joints);
  for (std::size_t i = 1; i < points.size(); ++i) {
    list.AddLine(points[i - 1], points[i], faded(color::kBackground, 0.6f), desk.theme.px(6));
    list.AddLine(points[i - 1], points[i], color::kAccent, desk.theme.px(3));
  }
  for (const ImVec2& point : points) {
    list.AddCircleFilled(point, desk.theme.px(4.5f), faded(color::kBackground, 0.7f));
    list.AddCircleFilled(point, desk.theme.px(3), color::kAccent);
  }
  if (const auto at = project(place_of(desk, tool.joint))) {
    list.AddCircle(ImVec2(at->x, at->y), desk.theme.px(8), IM_COL32_WHITE, 24, desk.theme.px(1.5f));
    const std::string name = printable(desk.character().skeleton->label(tool.joint));
    const std::string what = tool.swivelling ? fmt::format("{} turns about its limb", name)
                             : tool.chain.root_slides
                                 ? fmt::format("{} moves, with what hangs on it", name)
                                 : fmt::format("{} \u00b7 {}", name, count_of(joints.size(), "joint", "joints"));
    const float off = tool.dragging ? glm::distance(place_of(desk, tool.joint), tool.asked) : 0.0f;
    const bool short_of = off > 0.002f * glm::distance(desk.workspace.camera.eye(), tool.wish);
    const std::string text = short_of ? fmt::format("{} \u00b7 {:.3g} m short", what, off) : what;
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    const float pad = desk.theme.px(4);
    const float beside = desk.theme.px(14);
    const Rect& view = desk.workspace.layout.viewport;
    const bool fits = at->x + beside + size.x + pad <= view.x + view.w;
    const ImVec2 corner(fits ? at->x + beside : at->x - beside - size.x,
                        at->y - desk.theme.px(8) - ImGui::GetTextLineHeight());
    desk.report["reach.name"] = {corner.x, corner.y, size.x, size.y};
    list.AddRectFilled(ImVec2(corner.x - pad, corner.y - pad * 0.5f),
                       ImVec2(corner.x + size.x + pad, corner.y + size.y + pad * 0.5f),
                       faded(color::kBackground, 0.88f), desk.theme.px(3));
    list.AddText(corner, short_of ? color::kWarning : color::kText, text.c_str());
    if (short_of) {
      if (const auto wish = project(tool.wish)) {
        list.AddLine(ImVec2(at->x, at->y), ImVec2(wish->x, wish->y), color::kWarning, desk.theme.px(1.5f));
        list.AddCircle(ImVec2(wish->x, wish->y), desk.theme.px(4), color::kWarning, 16, desk.theme.px(1.5f));
      }
    }
  }
}

void draw_pins(const Projector& project, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float size = desk.theme.px(7);
  for (const motion::Pin& pin : desk.document().content.pins) {
    if (const auto at = project(pin.position)) {
      const ImVec2 p(at->x, at->y);
      const auto diamond = [&](float r, ImU32 ink) {
        list.AddQuadFilled(ImVec2(p.x, p.y - r), ImVec2(p.x + r, p.y), ImVec2(p.x, p.y + r), ImVec2(p.x - r, p.y), ink);
      };
      diamond(size + desk.theme.px(1.5f), faded(color::kBackground, 0.8f));
      diamond(size, color::kWarning);
      desk.report[fmt::format("pin.{}", desk.character().skeleton->label(pin.joint))] = {p.x - 2, p.y - 2, 4, 4};
    }
  }
}

}  // namespace

const motion::Limbs& limbs_of(ReachTool& tool, const Desk& desk) {
  if (tool.limbs == nullptr || !tool.limbs_of.is(desk.character().skeleton)) {
    tool.limbs = std::make_shared<const motion::Limbs>(desk.character());
    tool.limbs_of = desk.character().skeleton;
    tool.chains.clear();
  }
  return *tool.limbs;
}

motion::ReachChain chain_of(ReachTool& tool, int joint, const Desk& desk) {
  const motion::Limbs& limbs = limbs_of(tool, desk);
  const auto chosen = tool.chains.find(joint);
  return chosen != tool.chains.end() ? chosen->second : limbs.natural_chain(joint);
}

bool reaches(const Desk& desk) {
  return current_tool(desk.workspace).id == kReachTool;
}

std::optional<PoleDot> pole_dot(ReachTool& tool, const Desk& desk) {
  const int tip = desk.document().view.selected_joint();
  if (!reaches(desk) || tip < 0 || tip >= static_cast<int>(desk.scene.world.size())) {
    return std::nullopt;
  }
  const motion::Limbs& limbs = limbs_of(tool, desk);
  const motion::ReachChain chain = limbs.natural_chain(tip);
  const std::vector<int> joints = limbs.between(chain.root, tip);
  constexpr std::size_t kMost = 5;  // a tail has no elbow
  if (chain.root_slides || joints.size() < 3 || joints.size() > kMost) {
    return std::nullopt;
  }
  PoleDot dot;
  dot.tip = tip;
  dot.root = place_of(desk, chain.root);
  const glm::vec3 line = place_of(desk, tip) - dot.root;
  const float length = glm::length(line);
  if (!(length > 0)) {
    return std::nullopt;
  }
  dot.along = line / length;
  float widest = -1;
  glm::vec3 side(0);
  for (std::size_t i = 1; i + 1 < joints.size(); ++i) {
    const glm::vec3 off = place_of(desk, joints[i]) - dot.root;
    const glm::vec3 across = off - dot.along * glm::dot(dot.along, off);
    if (glm::length(across) > widest) {
      widest = glm::length(across);
      side = across;
      dot.middle = joints[i];
    }
  }
  if (widest < 0.01f * length) {
    return std::nullopt;  // straight: there is nothing to be turned
  }
  dot.chain = {chain.root, false};
  dot.at = place_of(desk, dot.middle) + glm::normalize(side) * (0.35f * length);
  return dot;
}

void hover_reach(ReachTool& tool, glm::vec2 at, Desk& desk) {
  if (tool.dragging) {
    return;
  }
  tool.swivelling = false;
  tool.joint = -1;
  if (const std::optional<PoleDot> dot = pole_dot(tool, desk)) {
    const auto there = Projector(desk)(dot->at);
    if (there && glm::distance(*there, at) < kDotReach * desk.theme.scale) {
      tool.swivelling = true;
      tool.joint = dot->middle;
      tool.tip = dot->tip;
      tool.chain = dot->chain;
      return;
    }
  }
  tool.joint = grip_at(tool, at, desk).joint;
  if (tool.joint >= 0) {
    tool.chain = chain_of(tool, tool.joint, desk);
  }
}

bool begin_reach(ReachTool& tool, glm::vec2 pressed_at, Desk& desk) {
  hover_reach(tool, pressed_at, desk);
  if (tool.joint < 0) {
    return false;
  }
  if (tool.swivelling) {
    const std::optional<PoleDot> dot = pole_dot(tool, desk);
    begin(tool, tool.joint, dot->at, desk);
    tool.direction.reset();
    return true;
  }
  const Grip grip = grip_at(tool, pressed_at, desk);
  begin(tool, tool.joint, grip.point, desk);
  tool.direction.reset();
  if (tool.keep_direction && limbs_of(tool, desk).ends_limb(tool.joint, tool.chain)) {
    tool.direction = glm::quat(motion::rotation_of(glm::dmat4(desk.scene.world[tool.joint])));
  }
  select(desk, tool.joint);
  return true;
}

void drag_reach(ReachTool& tool, Desk& desk) {
  const glm::vec3 point = in_plane(tool, desk, mouse());
  edit::DragJoint change{.joint = tool.joint, .target = {}, .chain = tool.chain};
  change.solver = tool.solver;
  change.limits = tool.limits;
  change.iterations = tool.iterations;
  change.at_once = false;
  if (tool.swivelling) {
    const std::optional<PoleDot> dot = pole_dot(tool, desk);
    if (!dot) {
      return;
    }
    // The middle keeps its distance from the line through root and tip, and turns to the side of the mouse.
    const auto across = [&](const glm::vec3& p) {
      return (p - dot->root) - dot->along * glm::dot(dot->along, p - dot->root);
    };
    const glm::vec3 now = across(place_of(desk, dot->middle));
    const glm::vec3 side = across(point);
    if (glm::length(side) < 1e-6f) {
      return;
    }
    const glm::vec3 on_line = place_of(desk, dot->middle) - now;
    tool.wish = on_line + glm::normalize(side) * glm::length(now);
    change.hold = {tool.tip};
  } else {
    tool.wish = tool.start + (point - tool.grabbed);
    change.direction = tool.direction;
  }
  change.target = tool.wish;
  desk.change(change, kMerge);
}

void change_chain(ReachTool& tool, int joint, int more, Desk& desk) {
  const motion::Limbs& limbs = limbs_of(tool, desk);
  motion::ReachChain chain = chain_of(tool, joint, desk);
  chain = more > 0 ? limbs.longer_chain(chain) : limbs.shorter_chain(joint, chain);
  tool.chains[joint] = chain;
  if (tool.joint == joint && !tool.swivelling) {
    tool.chain = chain;
  }
}

void draw_reach(ReachTool& tool, const Projector& project, Desk& desk) {
  draw_pins(project, desk);
  if (!reaches(desk)) {
    return;
  }
  if (const std::optional<PoleDot> dot = pole_dot(tool, desk)) {
    const auto middle = project(place_of(desk, dot->middle));
    const auto at = project(dot->at);
    if (middle && at) {
      ImDrawList& list = *ImGui::GetWindowDrawList();
      const bool hot = tool.swivelling;
      list.AddLine(ImVec2(middle->x, middle->y), ImVec2(at->x, at->y), faded(color::kAccent, 0.7f),
                   desk.theme.px(1.5f));
      list.AddCircleFilled(ImVec2(at->x, at->y), desk.theme.px(hot ? 8 : 6), faded(color::kBackground, 0.8f));
      list.AddCircleFilled(ImVec2(at->x, at->y), desk.theme.px(hot ? 6 : 4.5f), hot ? IM_COL32_WHITE : color::kAccent);
      desk.report["reach.pole"] = {at->x - 2, at->y - 2, 4, 4};
    }
  }
  const bool is_there = tool.joint >= 0 && tool.joint < static_cast<int>(desk.scene.world.size());
  if (is_there && (tool.dragging || desk.workspace.viewport.hovered)) {
    draw_chain(tool, project, desk);
  }
  tool.asked = tool.wish;
}

void toggle_pins(Desk& desk) {
  const std::vector<int>& joints = desk.document().view.selected_joints;
  if (joints.empty()) {
    return;
  }
  const bool all = std::ranges::all_of(joints, [&](int j) { return edit::is_pinned(desk.document().content, j); });
  desk.change(edit::PinJoints{joints, !all});
}

void pin_limbs(Desk& desk) {
  const std::vector<int> ends = limbs_of(desk.workspace.panel<ReachTool>(), desk).limb_ends();
  if (ends.empty()) {
    desk.workspace.notice =
        Notice{Severity::kInfo, "This skeleton has no limbs that end: select joints and pin them", desk.scene.now};
    return;
  }
  desk.change(edit::PinJoints{ends, true});
}

void unpin_all(Desk& desk) {
  std::vector<int> joints;
  for (const motion::Pin& pin : desk.document().content.pins) {
    joints.push_back(pin.joint);
  }
  desk.change(edit::PinJoints{joints, false});
}

void bake_pins(Desk& desk) {
  if (const std::string why = edit::refusal(desk.document(), edit::BakePins{}); !why.empty()) {
    desk.workspace.notice = Notice{Severity::kInfo, "Not now: " + why, desk.scene.now};
    return;
  }
  desk.change(edit::BakePins{});
}

}  // namespace pelt::ui
