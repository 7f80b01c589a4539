#include "ui/tabs.h"

#include <algorithm>
#include <array>

#include "ui/compare_panel.h"
#include "ui/display_panel.h"
#include "ui/info_panel.h"
#include "ui/layers_section.h"
#include "ui/lessons_panel.h"
#include "ui/pose_panel.h"
#include "ui/shapes_panel.h"
#include "ui/skinning_panel.h"
#include "ui/weights_panel.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

template <typename Panel>
void draw_panel(Desk& desk) {
  draw(desk.workspace.panel<Panel>(), desk);
}

constexpr std::array kTabs = {
    Tab{kPoseTab, "Pose", draw_panel<PosePanel>},
    Tab{kSkinningTab, "Skinning", draw_panel<SkinningPanel>},
    Tab{kCompareTab, "Compare", draw_panel<ComparePanel>},
    Tab{kWeightsTab, "Weights", draw_panel<WeightsPanel>},
    Tab{kShapesTab, "Shapes", draw_panel<ShapesPanel>},
    Tab{kDisplayTab, "Display", draw_panel<DisplayPanel>},
    Tab{kInfoTab, "Info", draw_panel<InfoPanel>, worst_finding},
    Tab{kLayersTab, "Layers", draw_panel<LayersPanel>},
    Tab{kLessonsTab, "Lessons", draw_panel<LessonsPanel>},
};

}  // namespace

std::span<const Tab> tabs() {
  return kTabs;
}

const Tab* find_tab(std::string_view id) {
  const auto found = std::ranges::find(kTabs, id, &Tab::id);
  return found != kTabs.end() ? &*found : nullptr;
}

}  // namespace pelt::ui
