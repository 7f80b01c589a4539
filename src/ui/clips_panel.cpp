#include "ui/clips_panel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/commands.h"
#include "ui/clip_layers_section.h"
#include "ui/dope_sheet.h"
#include "ui/motion_path.h"
#include "ui/selecting.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

std::string label_of(const rig::Clip& clip, std::size_t number) {
  return clip.name.empty() ? fmt::format("clip {}", number) : printable(clip.name);
}

bool clip_button(Desk& desk, const char* id, const char* label, bool enabled, const char* help) {
  ImGui::BeginDisabled(!enabled);
  const bool clicked = ImGui::Button(label);
  ImGui::EndDisabled();
  report_item(desk, id);
  tip(help);
  return clicked;
}

void draw_list(Desk& desk) {
  const SharedList<rig::Clip>& clips = desk.character().clips;
  for (std::size_t c = 0; c < clips.size(); ++c) {
    ImGui::PushID(static_cast<int>(c));
    const bool on = desk.document().content.clip == static_cast<int>(c);
    const std::string length = fmt::format("{:.2f} s", clips[c].duration());
    const float right = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(length.c_str()).x;
    const float left = ImGui::GetCursorPosX();
    if (ImGui::Selectable(fitted(label_of(clips[c], c), right - desk.theme.px(8)).c_str(), on)) {
      desk.change(edit::SetClip{static_cast<int>(c)});
    }
    report_item(desk, fmt::format("clips.{}", c));
    ImGui::SameLine(left + right, 0);
    dim_text(length);
    ImGui::PopID();
  }
}

void draw_name(ClipsPanel& panel, int clip, Desk& desk) {
  if (panel.named != clip) {
    panel.named = clip;
    panel.name = desk.character().clips[clip].name;
  }
  row_label(desk, "Name");
  constexpr std::size_t kRoom = 256;
  std::string buffer = panel.name;
  buffer.resize(kRoom, '\0');
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (ImGui::InputText("##name", buffer.data(), buffer.size())) {
    panel.name = buffer.c_str();
  }
  report_item(desk, "clips.name");
  if (ImGui::IsItemDeactivatedAfterEdit()) {
    desk.change(edit::RenameClip{clip, panel.name});
    panel.named = -1;
  } else if (!ImGui::IsItemActive()) {
    panel.name = desk.character().clips[clip].name;
  }
}

void draw_operation(ClipsPanel& panel, std::size_t index, int clip, Desk& desk) {
  const edit::ClipOperation& operation = edit::clip_operations()[index];
  edit::ClipNumbers& numbers = panel.numbers[index];
  ImGui::PushID(static_cast<int>(index));
  const std::string id = fmt::format("clips.{}", operation.id);
  const edit::ChangeClip change{clip, static_cast<int>(index), numbers};
  if (clip_button(desk, id.c_str(), operation.label, true, operation.help)) {
    desk.change(change);
  }
  for (std::size_t f = 0; f < operation.fields.size(); ++f) {
    const edit::ClipField& field = operation.fields[f];
    ImGui::SameLine(0, desk.theme.px(6));
    auto value = static_cast<float>(numbers[f]);
    ImGui::SetNextItemWidth(desk.theme.px(74));
    ImGui::DragFloat(
        fmt::format("##{}", field.id).c_str(), &value, static_cast<float>(std::max(0.005, field.standard / 50)),
        static_cast<float>(field.minimum), static_cast<float>(field.maximum),
        *field.unit == '\0' ? "%.3g\u00d7" : fmt::format("%.4g {}", field.unit).c_str(), ImGuiSliderFlags_AlwaysClamp);
    numbers[f] = static_cast<double>(value);
    report_item(desk, fmt::format("{}.{}", id, field.id));
    tip(field.label);
  }
  ImGui::PopID();
}

void draw_seam(ClipsPanel& panel, int clip, Desk& desk) {
  const SharedList<rig::Clip>& clips = desk.character().clips;
  if (!panel.measured.is(clips.shared(clip))) {
    panel.measured = clips.shared(clip);
    panel.seam = rig::loop_seam(clips[clip]);
    std::ranges::sort(panel.seam, std::greater(), &rig::SeamJump::jump);
  }
  constexpr double kSeen = 1e-3;  // metres or radians: what nobody sees
  constexpr std::size_t kListed = 6;
  std::size_t listed = 0;
  for (const rig::SeamJump& one : panel.seam) {
    if (one.jump < kSeen || listed == kListed) {
      continue;
    }
    ImGui::PushID(static_cast<int>(listed));
    const bool is_turn = one.path == rig::ChannelPath::kRotation;
    const bool is_move = one.path == rig::ChannelPath::kTranslation;
    const std::string amount = is_turn ? fmt::format("{:.1f}\u00b0", one.jump * static_cast<double>(kDegreesPerRadian))
                               : is_move ? fmt::format("{:.1f} mm", one.jump * 1000)
                                         : fmt::format("{:.3f}", one.jump);
    const float right = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(amount.c_str()).x;
    const float left = ImGui::GetCursorPosX();
    if (ImGui::Selectable(
            fitted(printable(desk.character().skeleton->label(one.joint)), right - desk.theme.px(8)).c_str())) {
      select(desk, one.joint);
    }
    report_item(desk, fmt::format("clips.seam.{}", listed++));
    ImGui::SameLine(left + right, 0);
    text(amount);
    ImGui::PopID();
  }
  if (listed == 0) {
    dim_text("The end is the start: it loops without a jump");
    report_item(desk, "clips.seam.closed");
  } else {
    dim_text("Jumps from the end to the start, the largest first");
  }
}

}  // namespace

void draw(ClipsPanel& panel, Desk& desk) {
  const SharedList<rig::Clip>& clips = desk.character().clips;
  const int clip = desk.document().content.clip;
  const bool is_one = has_index(clips, clip);
  if (panel.numbers.empty()) {
    for (const edit::ClipOperation& operation : edit::clip_operations()) {
      panel.numbers.push_back(edit::standard_numbers(operation));
    }
  }
  draw_list(desk);
  const float gap = desk.theme.px(4);
  if (clip_button(desk, "clips.new", "New", true, "A clip without keys")) {
    desk.change(edit::AddClip{"clip", -1});
  }
  ImGui::SameLine(0, gap);
  if (clip_button(desk, "clips.duplicate", "Duplicate", is_one, "A copy of this clip")) {
    desk.change(edit::AddClip{clips[clip].name, clip});
  }
  ImGui::SameLine(0, gap);
  if (clip_button(desk, "clips.remove", "Remove", is_one, "This clip from the character; undo brings it back")) {
    desk.change(edit::RemoveClip{clip});
    return;
  }
  if (!is_one) {
    return;
  }
  draw_name(panel, clip, desk);
  draw(desk.workspace.panel<ClipLayersSection>(), desk);
  if (section(desk, "Change the whole clip")) {
    for (std::size_t k = 0; k < edit::clip_operations().size(); ++k) {
      draw_operation(panel, k, clip, desk);
    }
  }
  checkbox(desk, "clips.way", "Show the way", desk.workspace.panel<MotionPath>().shown,
           "Where the topmost joint that the clip moves goes, over the picture");
  if (section(desk, "Seam of the loop")) {
    draw_seam(panel, clip, desk);
  }
}

}  // namespace pelt::ui
