#include "ui/surface_section.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "deform/skin_cache.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

void surface_line(Desk& desk, const char* label, const std::string& value, std::string_view help) {
  row_label(desk, label, help);
  ImGui::AlignTextToFramePadding();
  clipped_text(value, ImGui::GetContentRegionAvail().x);
}

// Each surface is a copy of the character, so that a drag asks for the next one when the last is seen, and only where
// that keeps up with the hand; else for the one on which the slider is let go.
void follow_explosion(SurfaceSection& state, rig::SurfaceChoice& choice, const Desk& desk) {
  constexpr double kKeepsUp = 0.1;  // seconds
  SurfaceSection::Explosion& drag = *state.exploding;
  const bool under_way = desk.scene.surface_to_come.has_value();
  if (drag.asked_at && !under_way) {
    drag.seconds = desk.scene.now - *drag.asked_at;
    drag.asked_at.reset();
  }
  const bool held = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  if (held && (under_way || drag.seconds > kKeepsUp)) {
    return;
  }
  if (choice.explode != drag.wanted) {
    choice.explode = drag.wanted;
    drag.asked_at = desk.scene.now;
  }
  if (!held) {
    state.exploding.reset();
  }
}

// Rigid parts pulled apart, and the look that tells them by their joints.
void draw_explosion(SurfaceSection& state, rig::SurfaceChoice& choice, Desk& desk) {
  row_label(
      desk, "Explode",
      "Pulls what follows one joint alone away from the middle, each part as one piece; what needs skinning stays");
  float wanted = state.exploding ? state.exploding->wanted : choice.explode;
  bool ended = false;
  if (value_slider(desk, "surface.explode", wanted,
                   {.lower = 0, .upper = rig::kMostExploded, .factor = 1, .format = "%.2f"},
                   ImGui::GetContentRegionAvail().x, ended)) {
    if (!state.exploding) {
      state.exploding.emplace();
    }
    state.exploding->wanted = std::clamp(wanted, 0.0f, rig::kMostExploded);
  }
  if (state.exploding) {
    follow_explosion(state, choice, desk);
  }
}

void draw_colors_by_joint(SurfaceSection& state, Desk& desk) {
  const int pane = desk.document().view.active_pane;
  deform::SkinningSettings settings = edit::skinning_of(desk.document().content, pane);
  render::ViewSettings& view = desk.workspace.view;
  bool colored = view.look == render::Look::kBatches && settings.partition;
  row_label(desk, "");
  if (!checkbox(
          desk, "surface.rigid-colors", "Colours by joint", colored,
          "Rigid parts in the colours of their joints, drawn with one matrix each; the skinned rest by its batches")) {
    return;
  }
  if (colored) {
    state.before_colors = {view.look, settings.partition};
  }
  const SurfaceSection::Plain wanted =
      colored ? SurfaceSection::Plain{render::Look::kBatches, true} : state.before_colors;
  view.look = wanted.look;
  if (settings.partition != wanted.partition) {
    settings.partition = wanted.partition;
    desk.change(edit::SetSkinning{settings, pane});
  }
}

std::string millimetres(double metres) {
  return metres == 0 ? std::string("0 mm") : fmt::format("{:.3g} mm", 1e3 * metres);
}

void draw_t_junctions(rig::SurfaceChoice& choice, Desk& desk) {
  constexpr const char* kHelp =
      "Vertices that lie on an edge of another triangle without splitting it: there the skin tears when joints move";
  desk.requests.find_t_junctions = true;
  const auto cracks = desk.scene.cracks ? desk.scene.cracks(desk.document().view.active_pane) : std::nullopt;
  if (!cracks) {
    surface_line(desk, "T-junctions", "looking for them\u2026", kHelp);
  } else if (cracks->empty()) {
    surface_line(desk, "T-junctions", choice.split_t_junctions ? "none left" : "none", kHelp);
  } else {
    const double widest = std::ranges::max(*cracks, {}, &measure::PosedCrack::size).size;
    surface_line(desk, "T-junctions", count_text(static_cast<std::int64_t>(cracks->size())), kHelp);
    surface_line(desk, "Widest crack", millimetres(widest), "Of all T-junctions in the pose shown");
  }
  row_label(desk, "");
  checkbox(desk, "surface.mark", "Mark them", desk.workspace.view.t_junctions, "A dot on each, through the surface");
  row_label(desk, "");
  checkbox(desk, "surface.split", "Split them", choice.split_t_junctions,
           "Splits the edges they lie on, so that nothing tears; the picture at rest stays the same");
}

}  // namespace

void draw_surface_section(SurfaceSection& state, Desk& desk) {
  if (!section(desk, "Surface")) {
    return;
  }
  const edit::Document& document = desk.document();
  const rig::SurfaceChoice before = desk.scene.surface_to_come.value_or(document.surface);
  rig::SurfaceChoice choice = before;
  row_label(desk, "Subdivision", "Loop subdivision, each level four triangles for one; weights are interpolated");
  constexpr const char* kLevels[] = {"0", "1", "2", "3"};
  static_assert(std::size(kLevels) == rig::kMostSubdivisions + 1);
  segmented(desk, "surface.subdivision", kLevels, choice.subdivisions);
  row_label(desk, "Detail", "Triangles left by collapsing edges; the vertices that remain keep their weights");
  constexpr const char* kShares[] = {"Full", "1/2", "1/4", "1/8"};
  static_assert(std::size(kShares) == rig::kDetailLevels);
  segmented(desk, "surface.detail", kShares, choice.detail);
  const auto triangles = static_cast<std::int64_t>(rig::triangle_count(*document.character));
  const auto own = static_cast<std::int64_t>(rig::triangle_count(*edit::own_character(document)));
  surface_line(desk, "Triangles",
               triangles == own ? count_text(own) : fmt::format("{} of {}", count_text(triangles), count_text(own)),
               "Shown, of those in the file");
  if (document.surface.detail > 0) {
    surface_line(desk, "Deviation", millimetres(document.detail_error),
                 "The largest geometric error of the level of detail, at binding");
  }
  row_label(desk, "");
  const int pane = document.view.active_pane;
  const bool shows_points = edit::shows_own_surface(document) && deform::has_cages(*document.character) &&
                            edit::skinning_of(document.content, pane).refine == deform::Refine::kAfterSkin;
  ImGui::BeginDisabled(edit::shows_own_surface(document) && !shows_points);
  checkbox(desk, "surface.cage", "Control cage", desk.workspace.view.cage,
           shows_points ? "The control points that were skinned, with the lines between them"
                        : "The file's own surface as lines, in the same pose");
  ImGui::EndDisabled();
  draw_explosion(state, choice, desk);
  draw_colors_by_joint(state, desk);
  draw_t_junctions(choice, desk);
  if (choice != before) {
    desk.requests.surface = choice;
  }
}

}  // namespace pelt::ui
