#pragma once

// A window in the Weights mode with a brush in the hand.

#include <cstdint>
#include <vector>

#include <imgui.h>

#include "edit/paint_edits.h"
#include "selecting_window.h"
#include "ui/bind_panel.h"
#include "ui/brush_tool.h"
#include "ui/paint_panel.h"
#include "ui/tools.h"
#include "ui/weight_tools_panel.h"
#include "ui/worst_spots_section.h"

namespace pelt::ui {

/// The mannequin from the front, and a joint of its chest that is painted.
class Painting : public Selecting {
 protected:
  void SetUp() override {
    Selecting::SetUp();
    workspace_.view.skeleton = false;
    act("mode.weights");
    show_tab(workspace_, kPaintTab);
    take_tool(workspace_, kPaintTool);
    workspace_.panel<BindPanel>().patient = true;
    workspace_.panel<WeightToolsPanel>().patient = true;
    workspace_.panel<WorstSpotsSection>().patient = true;
    select_joint("spine_2");
  }
  [[nodiscard]] BrushTool& tool() { return workspace_.panel<BrushTool>(); }
  void select_joint(const char* name) {
    const int found = joint(name);
    document_.view.select_only(found >= 0 ? found : chest_joint());
    workspace_.view.weight_joint = active();  // it follows a click, too
    frames(2);
  }
  // The joint that moves the chest.
  int chest_joint() {
    for (int j = 0; j < document_.character->skeleton->size(); ++j) {
      if (document_.character->skeleton->name[static_cast<std::size_t>(j)].starts_with("spine")) {
        return j;
      }
    }
    return 0;
  }
  // Of all vertices together.
  double sum_of(int of_joint) {
    double sum = 0;
    for (const rig::Part& part : document_.character->parts) {
      if (part.skin < 0) {
        continue;
      }
      const std::vector<int>& joints = document_.character->skins[static_cast<std::size_t>(part.skin)].joints;
      document_.character->primitive(part).influences->for_each_entry(
          [&](std::uint16_t k, float weight) { sum += joints[k] == of_joint ? double{weight} : 0.0; });
    }
    return sum;
  }
  int active() const { return document_.view.selected_joint(); }
  void drag_over_chest() {
    move(on_chest());
    button(true);
    move(below_chest());
    button(false);
    frames(2);
  }
  glm::vec2 below_chest() { return on_chest() + glm::vec2(0, 30); }
};

}  // namespace pelt::ui
