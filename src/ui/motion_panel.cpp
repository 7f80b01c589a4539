#include "ui/motion_panel.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/document.h"
#include "edit/motion_edits.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr std::chrono::seconds kMotionPatience(60);  // for pictures, of machines that are busy
constexpr std::array<const char*, 3> kAlignmentLabels = {"As they are", "Limbs", "All"};
constexpr std::array<const char*, 4> kUpLabels = {"by its shape", "x", "y", "z"};

std::string clip_name(const rig::Character& motion, int clip) {
  const std::string& name = motion.clips[clip].name;
  return name.empty() ? fmt::format("clip {}", clip) : printable(name, 80);
}

void take_opened(MotionPanel& panel) {
  if (panel.opening == nullptr) {
    return;
  }
  if (panel.patient) {
    panel.opening->wait(kMotionPatience);
  }
  std::optional<Result<rig::Character>> opened = panel.opening->take();
  if (!opened) {
    return;
  }
  if (!*opened || (*opened)->clips.empty()) {
    panel.error = *opened ? panel.name + ": there is no motion in it" : opened->error().message;
    return;
  }
  panel.motion = std::make_shared<const rig::Character>(**std::move(opened));
  panel.clip = 0;
  panel.map.reset();
  panel.shown.reset();
  panel.time = panel.motion->clips[0].start;
  panel.changed = true;
}

// Starts to try what is chosen where that is not what is shown, and takes what was made.
void follow(MotionPanel& panel, Desk& desk) {
  const std::shared_ptr<const rig::Character> character = edit::own_character(desk.document());
  const bool other_skeleton = panel.tried_on == nullptr || !panel.tried_on->skeleton.is(character->skeleton);
  if (other_skeleton && panel.tried_on != nullptr) {
    panel.map.reset();  // its joints are those of another skeleton
  }
  if (panel.motion != nullptr && (panel.changed || other_skeleton)) {
    panel.changed = false;
    panel.tried_on = character;
    if (panel.trying == nullptr) {
      panel.trying =
          std::make_shared<JobSlot<MotionPreview>>(desk.workspace.jobs, Jobs::Kind::kLive, "Trying a motion");
    }
    panel.trying->start([motion = panel.motion, clip = panel.clip, character, map = panel.map,
                         settings = panel.settings](const Progress& progress) -> std::optional<MotionPreview> {
      return make_motion_preview(*motion, clip, *character, map ? &*map : nullptr, settings, progress);
    });
  }
  if (panel.trying != nullptr) {
    if (panel.patient) {
      panel.trying->wait(kMotionPatience);
    }
    if (std::optional<MotionPreview> made = panel.trying->take()) {
      panel.shown = std::make_shared<const MotionPreview>(*std::move(made));
    }
  }
}

void draw_source(MotionPanel& panel, Desk& desk) {
  const bool busy = panel.opening != nullptr && panel.opening->active();
  if (ImGui::Button(busy                      ? "Opening\u2026"
                    : panel.motion != nullptr ? "Another motion\u2026"
                                              : "Open a motion\u2026",
                    ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    open(desk.workspace.browser, BrowserPurpose::kOpenMotion, desk);
  }
  report_item(desk, "motion.open");
  tip("BVH, glTF or VRM animation: motion of any skeleton, to be put on this character");
  if (!panel.error.empty()) {
    wrapped_text(printable(panel.error, 400), severity_color(static_cast<int>(Severity::kError)));
  }
  if (panel.motion == nullptr) {
    return;
  }
  number_line(desk, "Motion", printable(panel.name, 120));
  if (panel.motion->clips.size() > 1) {
    row_label(desk, "Clip");
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    if (combo(desk, "motion.clip", static_cast<int>(panel.motion->clips.size()), panel.clip,
              [&](int clip) { return clip_name(*panel.motion, clip); })) {
      panel.changed = true;
      panel.time = panel.motion->clips[panel.clip].start;
    }
  }
}

void draw_settings(MotionPanel& panel, Desk& desk) {
  row_label(desk, "Rest pose", "What of this character's rest pose is turned to match the motion's before it moves");
  int alignment = static_cast<int>(panel.settings.alignment);
  if (segmented(desk, "motion.align", kAlignmentLabels, alignment, ImGui::GetContentRegionAvail().x)) {
    panel.settings.alignment = static_cast<motion::Alignment>(alignment);
    panel.changed = true;
  }
  row_label(desk, "Up axis", "Of the motion");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  int up = static_cast<int>(panel.settings.up);
  if (combo(desk, "motion.up", static_cast<int>(kUpLabels.size()), up, [](int i) { return kUpLabels[i]; })) {
    panel.settings.up = static_cast<motion::UpAxis>(up);
    panel.changed = true;
  }
  if (checkbox(desk, "motion.hold-feet", "Hold feet where they stand", panel.settings.hold_feet,
               "Fits the way over the ground to the legs; limbs then point a little elsewhere")) {
    panel.changed = true;
  }
}

void draw_certificate(const motion::Certificate& certificate, Desk& desk) {
  if (!section(desk, "Certificate")) {
    return;
  }
  const auto millimetres = [](double metres) { return fmt::format("{:.1f}\u2009mm", 1000 * metres); };
  number_line(desk, "Directions",
              fmt::format("mean {:.2f}°, p95 {:.2f}°, most {:.2f}°", certificate.all.mean, certificate.all.p95,
                          certificate.all.max),
              "Between upper and lower arms and legs of the motion and of this character");
  const int contacts = certificate.ankles.contacts + certificate.toes.contacts;
  number_line(desk, "Feet slide",
              contacts == 0 ? "they never stand"
                            : fmt::format("{} ({:.1f}\u2009% of the leg)",
                                          millimetres(std::max(certificate.ankles.max, certificate.toes.max)),
                                          100 * certificate.slide_share()),
              "The farthest way over the ground while a foot of the motion stands");
  number_line(desk, "Below ground", millimetres(certificate.penetration));
  if (certificate.sunk > 0) {
    number_line(desk, "Hips lowered", millimetres(certificate.sunk), "At most, so that legs reach held feet");
  }
  number_line(desk, "Limits", count_of(certificate.limit_hits, "time beyond", "times beyond"),
              fmt::format("{}", fmt::join(certificate.limited, ", ")));
  number_line(desk, "Jumps", count_text(certificate.jumps), fmt::format("{}", fmt::join(certificate.jumping, ", ")));
  number_line(desk, "Unmapped",
              count_of(static_cast<std::int64_t>(certificate.unmapped_target.size()), "joint", "joints"),
              fmt::format("{}", fmt::join(certificate.unmapped_target, ", ")));
}

void draw_map(MotionPanel& panel, const MotionPreview& preview, Desk& desk) {
  if (!section(desk, "Joint map")) {
    return;
  }
  if (panel.map) {
    const bool anew = ImGui::Button("Match anew", ImVec2(ImGui::GetContentRegionAvail().x, 0));
    report_item(desk, "motion.match");
    if (anew) {
      panel.map.reset();
      panel.changed = true;
    }
  }
  const rig::Skeleton& ours = preview.target.character.skeleton;
  const rig::Skeleton& theirs = preview.source.character.skeleton;
  for (int j = 0; j < ours.size(); ++j) {
    const motion::MappedJoint* row = preview.map.find(j);
    if (row == nullptr && ours.is_joint[j] == 0) {
      continue;
    }
    row_label(desk, printable(ours.label(j), 60).c_str(),
              row == nullptr ? std::string("Follows nothing")
                             : fmt::format("{}{}{}, {:.0f} % sure", row->role, row->role.empty() ? "" : ": ",
                                           row->reason, 100 * row->confidence));
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    int choice = row == nullptr ? 0 : row->source + 1;
    std::string closed = row != nullptr && row->other >= 0
                             ? fmt::format("{} + {}", theirs.label(row->other), theirs.label(row->source))
                             : std::string();
    const auto name_of = [&](int i) { return i == 0 ? std::string("\u2013") : printable(theirs.label(i - 1), 60); };
    if (combo(desk, fmt::format("motion.map.{}", j).c_str(), theirs.size() + 1, choice, name_of, std::move(closed))) {
      motion::JointMap map = preview.map;
      if (choice == 0) {
        map.erase(j);
      } else {
        map.set({.target = j,
                 .source = choice - 1,
                 .role = row == nullptr ? std::string() : row->role,
                 .confidence = 1,
                 .reason = "chosen by hand"});
      }
      panel.map = std::move(map);
      panel.changed = true;
    }
  }
}

void draw_shown(MotionPanel& panel, Desk& desk) {
  const MotionPreview& preview = *panel.shown;
  if (!preview.error.empty()) {
    wrapped_text(printable(preview.error, 400), severity_color(static_cast<int>(Severity::kError)));
    return;
  }
  if (!preview.note.empty()) {
    wrapped_text(printable(preview.note, 400), color::kTextDim);
  }
  draw_motion_preview(preview, panel.time, panel.azimuth, desk);
  bool ended = false;
  row_label(desk, "Time");
  value_slider(desk, "motion.time", panel.time,
               {.lower = preview.clip().start, .upper = preview.clip().end, .format = "%.2f s"},
               ImGui::GetContentRegionAvail().x, ended);
  if (ImGui::Button("Apply", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    desk.change(edit::InsertClip{std::make_shared<const rig::Clip>(preview.clip())});
  }
  report_item(desk, "motion.apply");
  tip("Adds the motion to this character's clips, as one step");
  draw_certificate(preview.certificate, desk);
  draw_map(panel, preview, desk);
}

}  // namespace

void open_motion(MotionPanel& panel, Workspace& workspace, const std::string& file,
                 std::function<Result<rig::Character>(const Progress&)> open) {
  panel.name = std::filesystem::path(file).filename().string();
  panel.error.clear();
  if (panel.opening == nullptr) {
    panel.opening = std::make_shared<JobSlot<Result<rig::Character>>>(workspace.jobs, Jobs::Kind::kAsked, "");
  }
  panel.opening->start("Opening " + printable(panel.name, 80),
                       [open = std::move(open)](const Progress& progress) -> std::optional<Result<rig::Character>> {
                         return open(progress);
                       });
}

void draw(MotionPanel& panel, Desk& desk) {
  take_opened(panel);
  follow(panel, desk);
  draw_source(panel, desk);
  if (panel.motion == nullptr) {
    dim_text("Motion capture (BVH), clips of another glTF file, VRM animations.");
    return;
  }
  draw_settings(panel, desk);
  if (panel.shown != nullptr) {
    draw_shown(panel, desk);
  } else {
    dim_text("Trying it on this character\u2026");
  }
}

}  // namespace pelt::ui
