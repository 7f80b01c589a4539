#include "ui/weights_panel.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "render/legend.h"
#include "render/look_colors.h"
#include "ui/icons.h"
#include "ui/selecting.h"
#include "ui/vertex_section.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

using render::Look;

const mesh::InfluenceTally& tally_of(WeightsPanel& panel, const rig::Part& part) {
  return panel.tallies[{part.mesh, part.primitive}];
}

void count_joint(WeightsPanel& panel, const rig::Character& character, int joint) {
  mesh::InfluenceTally::OfJoint all;
  for (const rig::Part& part : character.parts) {
    if (part.skin < 0) {
      continue;
    }
    const auto& joints = character.skins[part.skin].joints;
    const auto found = std::ranges::find(joints, joint);
    if (found != joints.end()) {
      const std::size_t place = found - joints.begin();
      const mesh::InfluenceTally::OfJoint of_part = tally_of(panel, part).of_joint(place);
      all = {all.vertices + of_part.vertices, std::max(all.largest, of_part.largest), all.sum + of_part.sum};
    }
  }
  panel.vertices = all.vertices;
  panel.largest = all.largest;
  panel.sum = all.sum;
}

void count_all(WeightsPanel& panel, const rig::Character& character) {
  std::map<std::pair<int, int>, mesh::InfluenceTally> before = std::exchange(panel.tallies, {});
  panel.influence_counts.clear();
  panel.worst_sum_error = 0;
  panel.bad_sums = 0;
  for (const rig::Part& part : character.parts) {
    if (part.skin < 0) {
      continue;
    }
    const std::pair key(part.mesh, part.primitive);
    const auto [of_part, is_new] = panel.tallies.try_emplace(key);
    if (is_new) {  // another node may carry the same mesh
      of_part->second = std::move(before[key]);
      of_part->second.update(character.primitive(part).influences);
    }
    const mesh::InfluenceTally& tally = of_part->second;
    panel.influence_counts.resize(std::max(panel.influence_counts.size(), tally.rows().size()));
    for (std::size_t k = 0; k < tally.rows().size(); ++k) {
      panel.influence_counts[k] += tally.rows()[k];
    }
    panel.worst_sum_error = std::max(panel.worst_sum_error, tally.worst_sum_error());
    panel.bad_sums += tally.bad_sums();
  }
}

void draw_choice(Desk& desk) {
  render::ViewSettings& view = desk.workspace.view;
  struct Choice {
    const char* name;
    const char* label;
    Look look;
    int joints;  ///< 0 not asked, 1 the selected one, 2 all
  };
  constexpr std::array kChoices = {
      Choice{"weights.off", "Off", Look::kShaded, 0},
      Choice{"weights.joint", "One joint", Look::kWeights, 1},
      Choice{"weights.mask", "One joint, black to white", Look::kMask, 1},
      Choice{"weights.all", "All joints at once", Look::kWeights, 2},
      Choice{"weights.count", "Influence count", Look::kInfluences, 0},
      Choice{"weights.sum", "Weight-sum error", Look::kWeightSum, 0},
  };
  for (const Choice& choice : kChoices) {
    bool on = view.look == choice.look;
    if (choice.joints != 0) {
      on = on && (choice.joints == 1) == (view.weight_joint >= 0);
    } else if (choice.look == Look::kShaded) {
      on = !render::is_weight_look(view.look) && view.look != Look::kInfluences && view.look != Look::kWeightSum;
    }
    if (radio(desk, choice.name, choice.label, on) && !on) {
      if (choice.look == Look::kShaded) {
        view.look = desk.workspace.look_before_weights;
      } else {
        if (view.look == Look::kShaded || view.look == Look::kClay) {
          desk.workspace.look_before_weights = view.look;
        }
        view.look = choice.look;
      }
      if (choice.joints == 1) {
        const auto& skins = desk.character().skins;
        const int first = skins.empty() || skins.front().joints.empty() ? 0 : skins.front().joints.front();
        view.weight_joint = desk.document().view.selected_joint() >= 0 ? desk.document().view.selected_joint() : first;
      } else if (choice.joints == 2) {
        view.weight_joint = -1;
      }
    }
  }
}

void draw_joint(WeightsPanel& panel, Desk& desk) {
  render::ViewSettings& view = desk.workspace.view;
  const rig::Skeleton& skeleton = desk.character().skeleton;
  row_label(desk, "Joint");
  const std::string shown = printable(skeleton.label(view.weight_joint));
  if (ImGui::BeginCombo("##joint", fitted_in_combo(shown).c_str(), ImGuiComboFlags_HeightLarge)) {
    for (int j = 0; j < skeleton.size(); ++j) {
      if (skeleton.is_joint[j] == 0) {
        continue;
      }
      ImGui::PushID(j);
      if (ImGui::Selectable(printable(skeleton.label(j)).c_str(), j == view.weight_joint)) {
        view.weight_joint = j;
        if (desk.workspace.weights_follow_selection) {
          select(desk, j);
        }
      }
      ImGui::PopID();
    }
    ImGui::EndCombo();
  } else {
    report_item(desk, "weights.joint-choice");
  }
  row_label(desk, "");
  checkbox(desk, "weights.follow", "Follows the selection", desk.workspace.weights_follow_selection);
  row_label(desk, "");
  checkbox(desk, "weights.isolines", "Isolines", view.isolines,
           "Lines on the surface where the weight is 0.1, 0.2 and so on to 0.9; that of 0.5 is the widest (Shift+W)");
  const auto line = [&](const char* label, const std::string& value) {
    row_label(desk, label);
    ImGui::AlignTextToFramePadding();
    clipped_text(value, ImGui::GetContentRegionAvail().x);
  };
  line("Moves", fmt::format("{} vertices", count_text(panel.vertices)));
  line("Largest weight", fmt::format("{:.3f}", panel.largest));
  line("Sum of weights", fmt::format("{:.1f}", panel.sum));
}

void draw_statistics(const WeightsPanel& panel, Desk& desk) {
  if (!section(desk, "Influences per vertex", false)) {
    return;
  }
  const std::int64_t most = panel.influence_counts.empty()
                                ? 1
                                : *std::max_element(panel.influence_counts.begin(), panel.influence_counts.end());
  for (std::size_t k = 0; k < panel.influence_counts.size(); ++k) {
    if (panel.influence_counts[k] == 0) {
      continue;
    }
    const std::string label = k == 0 ? "none" : fmt::format("{}", k);
    row_label(desk, label.c_str());
    bar(desk, static_cast<float>(panel.influence_counts[k]) / static_cast<float>(std::max<std::int64_t>(1, most)),
        color::kAccent, ImGui::GetContentRegionAvail().x, count_text(panel.influence_counts[k]));
  }
  row_label(desk, "Stored sums");
  if (panel.bad_sums == 0) {
    ImGui::PushStyleColor(ImGuiCol_Text, color::kGood);
    text(fmt::format("{}  all are 1", icon::kCheck));
    ImGui::PopStyleColor();
  } else {
    wrapped_text(
        fmt::format("{} vertices are not 1, by up to {:.3f}", count_text(panel.bad_sums), panel.worst_sum_error),
        color::kWarning);
  }
}

}  // namespace

void draw(WeightsPanel& panel, Desk& desk) {
  const edit::Document& document = desk.document();
  const int joint = desk.workspace.view.weight_joint;
  if (panel.character_version != document.character_version) {
    panel.character_version = document.character_version;
    panel.joint = -2;
    count_all(panel, *document.character);
  }
  if (document.character->skins.empty()) {
    wrapped_text("This character has no skin, so no weights.", color::kTextDim);
    return;
  }
  if (panel.joint != joint) {
    panel.joint = joint;
    count_joint(panel, *document.character, joint);
  }
  draw_choice(desk);
  if (render::is_weight_look(desk.workspace.view.look) && joint >= 0 && joint < document.character->skeleton->size()) {
    draw_joint(panel, desk);
  }
  draw_selection_section(desk.workspace.panel<SelectionSection>(), desk);
  draw_weight_edit_section(panel.smoothing, desk);  // above what grows with the vertex that it is about
  draw_vertex_section(desk);
  draw_statistics(panel, desk);
}

void draw_legend(Desk& desk, const Rect& pane) {
  const render::RenderStats& stats = *desk.scene.stats;
  if (desk.workspace.view.look == render::Look::kDifference && !stats.difference) {
    return;  // what is compared with is still being prepared
  }
  const render::Legend legend = render::legend(desk.character(), desk.workspace.view, stats.batches,
                                               stats.difference.value_or(render::DifferenceScale{}));
  if (legend.empty() || pane.w < desk.theme.px(110) || pane.h < desk.theme.px(110)) {
    return;
  }
  const float margin = desk.theme.px(pane.w < desk.theme.px(240) ? 4 : 10);
  const ImVec2 lower_left(pane.x + margin, pane.y + pane.h - margin);
  ImGui::PushFont(desk.theme.small);
  const float pad = desk.theme.px(9);
  const float line = ImGui::GetTextLineHeight();
  const float gap = desk.theme.px(5);
  const float chip = desk.theme.px(9);
  // No wider than the pane allows: a long title goes on in a second line, entries flow into rows.
  const float room = pane.w - 2 * pad - 2 * margin;
  // Of several panes it takes the side: the character stands in the middle.
  const bool alone = pane.w > 0.6f * desk.workspace.layout.viewport.w;
  const float widest =
      std::min({desk.theme.px(340), room, alone ? room : std::max(desk.theme.px(104), 0.36f * pane.w)});
  const float ramp_width = legend.ramp.empty() ? 0.0f : std::min(desk.theme.px(216), widest);
  const float bar_height = desk.theme.px(9);
  const std::string title = in_lines(
      printable(legend.unit.empty() ? legend.title : fmt::format("{}, {}", legend.title, legend.unit)), widest);
  const ImVec2 title_size = ImGui::CalcTextSize(title.c_str(), nullptr, false, widest);

  struct Placed {
    float x;
    int row;
  };
  std::vector<Placed> placed;
  float x = 0;
  float entries_width = 0;
  int row = 0;
  for (const render::Legend::Entry& entry : legend.entries) {
    const float width = chip + gap + ImGui::CalcTextSize(printable(entry.label).c_str()).x;
    if (x > 0 && x + width > widest) {
      x = 0;
      ++row;
    }
    placed.push_back({x, row});
    entries_width = std::max(entries_width, x + width);
    x += width + 2 * gap + desk.theme.px(2);
  }
  const float rows = legend.entries.empty() ? 0.0f : static_cast<float>(row + 1);
  const float width = std::max({title_size.x, ramp_width, entries_width}) + 2 * pad;
  const float height =
      2 * pad + title_size.y + gap + (legend.ramp.empty() ? 0.0f : bar_height + line + desk.theme.px(2)) +
      (rows > 0 ? rows * (line + desk.theme.px(2)) : 0.0f) + (rows > 0 && !legend.ramp.empty() ? gap : 0.0f);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at(lower_left.x, lower_left.y - height);
  list.AddRectFilled(at, ImVec2(at.x + width, lower_left.y), faded(color::kPanel, 0.9f), desk.theme.px(5));
  float y = at.y + pad;
  const float left = at.x + pad;
  list.AddText(ImGui::GetFont(), ImGui::GetFontSize(), ImVec2(left, y), color::kText, title.c_str(), nullptr, widest);
  y += title_size.y + gap;
  if (!legend.ramp.empty()) {
    for (std::size_t i = 0; i + 1 < legend.ramp.size(); ++i) {
      const ImU32 a = packed(legend.ramp[i].color);
      const ImU32 b = packed(legend.ramp[i + 1].color);
      list.AddRectFilledMultiColor(ImVec2(left + legend.ramp[i].at * ramp_width, y),
                                   ImVec2(left + legend.ramp[i + 1].at * ramp_width, y + bar_height), a, b, b, a);
    }
    // As the surface has them: light on the dark half of the ramp, dark on the other.
    for (const float line_at : legend.lines) {
      const auto stop = static_cast<std::size_t>(line_at * static_cast<float>(legend.ramp.size() - 1));
      const glm::vec3& under = legend.ramp[stop].color;
      const bool is_dark = 0.2126f * under.r + 0.7152f * under.g + 0.0722f * under.b < 0.37f;
      const float line_x = std::floor(left + line_at * ramp_width);
      list.AddRectFilled(ImVec2(line_x, y), ImVec2(line_x + std::max(1.0f, desk.theme.px(1)), y + bar_height),
                         is_dark ? IM_COL32(232, 232, 232, 220) : IM_COL32(10, 10, 12, 220));
    }
    struct Label {
      float begin;
      float end;
    };
    const auto label_of = [&](const render::Legend::Tick& tick) {
      const float text_width = ImGui::CalcTextSize(tick.label.c_str()).x;
      const float begin = std::floor(left + tick.at * (ramp_width - text_width));
      return Label{begin, begin + text_width};
    };
    // The ends are always named, what lies between them where all of it has room.
    bool fits = true;
    for (std::size_t i = 1; i < legend.ticks.size(); ++i) {
      fits = fits && label_of(legend.ticks[i - 1]).end + gap <= label_of(legend.ticks[i]).begin;
    }
    for (std::size_t i = 0; i < legend.ticks.size(); ++i) {
      const render::Legend::Tick& tick = legend.ticks[i];
      const float tick_x = std::floor(left + tick.at * ramp_width);
      list.AddRectFilled(ImVec2(tick_x, y + bar_height), ImVec2(tick_x + 1, y + bar_height + desk.theme.px(3)),
                         color::kTextDim);
      if (fits || i == 0 || i + 1 == legend.ticks.size()) {
        list.AddText(ImVec2(label_of(tick).begin, y + bar_height + desk.theme.px(3)), color::kTextDim,
                     tick.label.c_str());
      }
    }
    y += bar_height + line + gap + desk.theme.px(2);
  }
  for (std::size_t i = 0; i < legend.entries.size(); ++i) {
    const float entry_x = left + placed[i].x;
    const float entry_y = y + static_cast<float>(placed[i].row) * (line + desk.theme.px(2));
    const float top = std::floor(entry_y + (line - chip) * 0.5f);
    list.AddRectFilled(ImVec2(entry_x, top), ImVec2(entry_x + chip, top + chip), packed(legend.entries[i].color),
                       desk.theme.px(2));
    list.AddText(ImVec2(entry_x + chip + gap, entry_y), color::kTextDim, printable(legend.entries[i].label).c_str());
  }
  ImGui::PopFont();
  desk.report["legend"] = {at.x, at.y, width, height};
}

}  // namespace pelt::ui
