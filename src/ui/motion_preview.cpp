#include "ui/motion_preview.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <imgui.h>

#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kPreviewHeight = 210;    // before scaling by the monitor's
constexpr double kPreviewMargin = 0.06;  // of that height

/// A skeleton as it is drawn.
struct Figure {
  const rig::Skeleton* skeleton = nullptr;
  motion::WorldFrames rest;
  motion::WorldFrames posed;
  std::set<int> bright;
  int root = -1;
  std::vector<int> body = {};  ///< the root and all below it, ascending
};

Figure figure_of(const motion::RetargetRig& rig, float time, std::set<int> bright) {
  Figure out{.skeleton = &static_cast<const rig::Skeleton&>(rig.character.skeleton),
             .rest = rig.frames,
             .posed = {},
             .bright = std::move(bright)};
  rig::Pose pose = rig::rest_pose(rig.character);
  motion::frames_at(rig, time, pose, out.posed);
  const int hips = rig.body.find("hips");
  out.root = hips >= 0 ? hips : 0;
  out.body = out.skeleton->subtree(out.root);
  return out;
}

// Feet on the ground line, as high as the room, wherever the body has gone.
void draw_figure(const Figure& figure, ImVec2 foot, float height, float azimuth) {
  if (figure.posed.size() == 0) {
    return;
  }
  double low = figure.rest.position[figure.root].y;
  double high = low;
  for (const int j : figure.body) {
    low = std::min(low, figure.rest.position[j].y);
    high = std::max(high, figure.rest.position[j].y);
  }
  const double scale = high > low ? static_cast<double>(height) * (1 - 2 * kPreviewMargin) / (high - low) : 1;
  const glm::dvec3 middle = figure.posed.position[figure.root];
  // A skeleton whose zero pose hangs anywhere stands by its own height.
  const double ground = figure.rest.position[figure.root].y - low;
  const double sink = std::abs(low) < 0.15 * (high - low) ? middle.y - low : ground;
  const double c = std::cos(static_cast<double>(azimuth));
  const double s = std::sin(static_cast<double>(azimuth));
  const auto place = [&](int j) {
    const glm::dvec3 at = figure.posed.position[j] - middle;
    return ImVec2(foot.x + static_cast<float>((at.x * c - at.z * s) * scale),
                  foot.y - static_cast<float>((at.y + sink) * scale));
  };
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const bool bright : {false, true}) {
    for (const int j : figure.body) {
      const int parent = figure.skeleton->parent[j];
      if (j != figure.root && figure.bright.contains(j) == bright) {
        list.AddLine(place(parent), place(j), bright ? color::kAccent : faded(color::kTextDim, 0.5f),
                     bright ? 2.0f : 1.0f);
      }
    }
  }
}

}  // namespace

MotionPreview make_motion_preview(const rig::Character& motion, int clip, const rig::Character& character,
                                  const motion::JointMap* map, const motion::RetargetSettings& settings,
                                  const Progress& progress) {
  MotionPreview out;
  Result<motion::RetargetRig> source = motion::source_rig(motion, clip, settings);
  if (!source) {
    out.error = source.error().message;
    return out;
  }
  out.source = *std::move(source);
  out.note = out.source.note;
  out.target = motion::target_rig(character);
  out.map = map != nullptr ? *map : motion::make_joint_map(out.source, out.target);
  Result<motion::Retargeted> made = motion::retarget(out.source, out.target, out.map, settings, progress);
  if (!made) {
    out.error = made.error().message;
    return out;
  }
  out.size = made->size;
  out.reference = motion::aligned_reference(out.source, out.target, out.map, settings);
  out.certificate = motion::certify(out.source, out.target, out.map, *made);
  out.target.character.clips = {};
  out.target.character.clips.push_back(std::move(made->clip));
  out.target.clip = 0;
  return out;
}

std::vector<glm::vec3> source_lines(const MotionPreview& preview, float time, float aside) {
  const Figure source = figure_of(preview.source, time, {});
  if (source.posed.size() == 0) {
    return {};
  }
  const motion::WorldFrames& ours = preview.target.frames;
  const auto ground_of = [](const motion::WorldFrames& frames, const std::vector<int>& body) {
    double low = std::numeric_limits<double>::max();
    for (const int j : body) {
      low = std::min(low, frames.position[j].y);
    }
    return low;
  };
  const int hips = std::max(0, preview.target.body.find("hips"));
  const double from = ground_of(source.rest, source.body);
  const double to = ground_of(ours, preview.target.character.skeleton->subtree(hips));
  const glm::dvec3 start = source.rest.position[source.root];
  const auto place = [&](int j) {
    const glm::dvec3& at = source.posed.position[j];
    return glm::vec3(ours.position[hips].x + (at.x - start.x) * preview.size + static_cast<double>(aside),
                     to + (at.y - from) * preview.size, ours.position[hips].z + (at.z - start.z) * preview.size);
  };
  std::vector<glm::vec3> lines;
  for (const int j : source.body) {
    if (j != source.root) {
      lines.push_back(place(source.skeleton->parent[j]));
      lines.push_back(place(j));
    }
  }
  return lines;
}

void draw_motion_preview(const MotionPreview& preview, float time, float& azimuth, Desk& desk) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::GetContentRegionAvail().x, desk.theme.px(kPreviewHeight));
  ImGui::InvisibleButton("motion.preview", size);
  report_item(desk, "motion.preview");
  if (ImGui::IsItemActive()) {
    constexpr float kTurnPerPixel = 0.01f;
    azimuth += ImGui::GetIO().MouseDelta.x * kTurnPerPixel;
  }
  tip("Left the motion's own skeleton, right this character's. Drag to turn both. Dim bones follow nothing");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(origin, ImVec2(origin.x + size.x, origin.y + size.y), true);
  list.AddRectFilled(origin, ImVec2(origin.x + size.x, origin.y + size.y), color::kRaised, desk.theme.px(3));
  std::set<int> theirs;
  std::set<int> ours;
  for (const motion::MappedJoint& row : preview.map.rows) {
    ours.insert(row.target);
    theirs.insert(row.source);
    if (row.other >= 0) {
      theirs.insert(row.other);
    }
  }
  const float ground = origin.y + size.y * static_cast<float>(1 - kPreviewMargin);
  list.AddLine(ImVec2(origin.x, ground), ImVec2(origin.x + size.x, ground), faded(color::kTextDim, 0.4f));
  draw_figure(figure_of(preview.source, time, std::move(theirs)), ImVec2(origin.x + size.x * 0.27f, ground), size.y,
              azimuth);
  draw_figure(figure_of(preview.target, time, std::move(ours)), ImVec2(origin.x + size.x * 0.73f, ground), size.y,
              azimuth);
  list.PopClipRect();
}

}  // namespace pelt::ui
