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
#include "edit/pose_edits.h"
#include "ui/icons.h"
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
  panel.good.reset();
  panel.time = panel.motion->clips[0].start;
  panel.changed = true;
}

// Starts to try what is chosen where that is not what is shown, and takes what was made.
void follow(MotionPanel& panel, Desk& desk) {
  const std::shared_ptr<const rig::Character> character = edit::own_character(desk.document());
  const bool other_skeleton = panel.tried_on == nullptr || !panel.tried_on->skeleton.is(character->skeleton);
  if (panel.tried_on != nullptr && panel.tried_on->skeleton->parent != character->skeleton->parent) {
    panel.map.reset();  // its joints are those of another skeleton
    panel.good.reset();
    panel.shown.reset();
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
      panel.good = panel.shown->error.empty() ? panel.shown : panel.good;
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

// Beside "Match anew": a map in a file, as `pelt retarget --map` takes it.
void draw_map_files(Desk& desk) {
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = std::floor((ImGui::GetContentRegionAvail().x - spacing) / 2);
  if (ImGui::Button(fmt::format("{}  Open\u2026", icon::kFolderOpen).c_str(), ImVec2(width, 0))) {
    open(desk.workspace.browser, BrowserPurpose::kOpenJointMap, desk);
  }
  report_item(desk, "motion.map.open");
  tip("A joint map as it was saved here, or written by pelt retarget --write-map");
  ImGui::SameLine(0, spacing);
  if (ImGui::Button(fmt::format("{}  Save\u2026", icon::kSave).c_str(), ImVec2(width, 0))) {
    open(desk.workspace.browser, BrowserPurpose::kSaveJointMap, desk);
  }
  report_item(desk, "motion.map.save");
  tip("For pelt retarget --map, or for another motion of the same skeleton");
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
  draw_map_files(desk);
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

edit::Change reference_change(const MotionPreview& preview, const Desk& desk) {
  edit::ReplacePose change;
  const std::vector<Transform>& rest = desk.character().skeleton->rest;
  for (std::size_t j = 0; j < preview.reference.size() && j < rest.size(); ++j) {
    if (preview.reference[j] != rest[j]) {
      change.overrides[static_cast<int>(j)] = {preview.reference[j], {}};
    }
  }
  return change;
}

// The character itself in the motion, or in the pose that is held against the motion's, as long as the tab is in front.
void preview_on_character(MotionPanel& panel, Desk& desk) {
  const std::shared_ptr<const MotionPreview>& good = panel.good;
  if (good == nullptr || !(panel.on_character || panel.reference)) {
    return;
  }
  Preview preview{.subject = fmt::format("motion {}", static_cast<const void*>(good.get())), .moves = panel.playing};
  preview.key = fmt::format("{} {}", preview.subject, panel.reference);
  if (panel.reference) {
    preview.changes = {reference_change(*good, desk)};
  } else {
    preview.changes = {edit::InsertClip{std::shared_ptr<const rig::Clip>(good, &good->clip())}};
    preview.time = panel.time;
  }
  desk.requests.preview = std::move(preview);
}

void step_time(MotionPanel& panel, const Desk& desk) {
  const double passed = std::clamp(desk.scene.now - panel.played_until, 0.0, 0.25);  // a pause makes no leap
  panel.played_until = desk.scene.now;
  const rig::Clip& clip = panel.good->clip();
  if (panel.playing && clip.end > clip.start) {
    panel.time += static_cast<float>(passed);
    panel.time = panel.time > clip.end ? clip.start : panel.time;
  }
}

void draw_on_character(MotionPanel& panel, Desk& desk) {
  checkbox(desk, "motion.on-character", "Show it on the character", panel.on_character,
           "The character moves so while this tab is in front; nothing is changed before you apply it");
  checkbox(desk, "motion.beside", "Skeleton of the motion beside it", panel.beside,
           "In the picture, as large as the character, at the same moment");
  checkbox(desk, "motion.reference", "Show the reference pose", panel.reference,
           "The character as its rest pose is brought to match that of the motion, before it moves");
  preview_on_character(panel, desk);
}

void draw_shown(MotionPanel& panel, Desk& desk) {
  const MotionPreview& preview = *panel.shown;
  if (!preview.error.empty()) {
    wrapped_text(printable(preview.error, 400), severity_color(static_cast<int>(Severity::kError)));
    preview_on_character(panel, desk);  // the last that could be made
    return;
  }
  if (!preview.note.empty()) {
    wrapped_text(printable(preview.note, 400), color::kTextDim);
  }
  draw_motion_preview(preview, panel.time, panel.azimuth, desk);
  step_time(panel, desk);
  bool ended = false;
  row_label(desk, "Time");
  if (icon_button(desk, "motion.play", panel.playing ? icon::kPause : icon::kPlay,
                  panel.playing ? "Pause" : "Play it in the preview")) {
    panel.playing = !panel.playing;
  }
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  value_slider(desk, "motion.time", panel.time,
               {.lower = preview.clip().start, .upper = preview.clip().end, .format = "%.2f s"},
               ImGui::GetContentRegionAvail().x, ended);
  draw_on_character(panel, desk);
  // While something else is tried, what is shown is not what is chosen.
  ImGui::BeginDisabled(panel.changed || (panel.trying != nullptr && panel.trying->active()));
  if (ImGui::Button("Apply", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    desk.change(edit::InsertClip{std::make_shared<const rig::Clip>(preview.clip())});
  }
  ImGui::EndDisabled();
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

void draw_motion_source(const std::function<std::optional<glm::vec2>(const glm::vec3&)>& project, Desk& desk) {
  const MotionPanel& panel = desk.workspace.panel<MotionPanel>();
  if (desk.workspace.tab != kMotionTab || desk.workspace.panels_hidden || !panel.beside || panel.good == nullptr) {
    return;
  }
  Bounds room;
  for (const glm::dvec3& at : panel.good->target.frames.position) {
    room.add(glm::vec3(at));
  }
  constexpr float kAside = 1.15f;  // widths of the character
  const float aside = kAside * std::max(room.upper.x - room.lower.x, 0.35f * room.diagonal());
  const std::vector<glm::vec3> lines = source_lines(*panel.good, panel.time, aside);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  Bounds drawn;
  for (std::size_t i = 0; i + 1 < lines.size(); i += 2) {
    const std::optional<glm::vec2> a = project(lines[i]);
    const std::optional<glm::vec2> b = project(lines[i + 1]);
    if (a && b) {
      list.AddLine(ImVec2(a->x, a->y), ImVec2(b->x, b->y), color::kWarning, desk.theme.px(2));
      list.AddCircleFilled(ImVec2(b->x, b->y), desk.theme.px(2.5f), color::kWarning, 10);
      drawn.add(glm::vec3(*a, 0));
      drawn.add(glm::vec3(*b, 0));
    }
  }
  if (!drawn.empty()) {
    desk.report["motion.source"] = {drawn.lower.x, drawn.lower.y, drawn.upper.x - drawn.lower.x,
                                    drawn.upper.y - drawn.lower.y};
  }
}

void draw(MotionPanel& panel, Desk& desk) {
  take_opened(panel);
  follow(panel, desk);
  draw_source(panel, desk);
  if (panel.motion == nullptr) {
    wrapped_text("Motion capture (BVH), clips of another glTF file, VRM animations.", color::kTextDim);
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
