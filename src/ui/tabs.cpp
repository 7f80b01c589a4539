#include "ui/tabs.h"

#include <algorithm>
#include <array>

#include "ui/bind_panel.h"
#include "ui/clips_panel.h"
#include "ui/compare_panel.h"
#include "ui/constraints_section.h"
#include "ui/display_panel.h"
#include "ui/drivers_panel.h"
#include "ui/ik_panel.h"
#include "ui/info_panel.h"
#include "ui/joints_panel.h"
#include "ui/keys_panel.h"
#include "ui/layers_section.h"
#include "ui/lessons_panel.h"
#include "ui/library_panel.h"
#include "ui/motion_panel.h"
#include "ui/paint_panel.h"
#include "ui/pose_panel.h"
#include "ui/shapes_panel.h"
#include "ui/skinning_panel.h"
#include "ui/springs_section.h"
#include "ui/weight_tools_panel.h"
#include "ui/weights_panel.h"
#include "ui/workspace.h"
#include "ui/worst_spots_section.h"

namespace pelt::ui {
namespace {

template <typename Panel>
void draw_panel(Desk& desk) {
  draw(desk.workspace.panel<Panel>(), desk);
}

constexpr std::array kTabs = {
    Tab{kLessonsTab, "Lessons", draw_panel<LessonsPanel>, "learn"},
    Tab{kKeysTab, "Keys", draw_panel<KeysPanel>, "animate"},
    Tab{kClipsTab, "Clips", draw_panel<ClipsPanel>, "animate"},
    Tab{kMotionTab, "Motion", draw_panel<MotionPanel>, "animate"},
    Tab{kPoseTab, "Pose", draw_panel<PosePanel>, "pose animate"},
    Tab{kLibraryTab, "Library", draw_panel<LibraryPanel>, "pose"},
    Tab{kIkTab, "IK", draw_panel<IkPanel>, "pose"},
    Tab{kSkinningTab, "Skinning", draw_panel<SkinningPanel>, "look learn"},
    Tab{kCompareTab, "Compare", draw_panel<ComparePanel>, "look learn"},
    Tab{kWeightsTab, "Weights", draw_panel<WeightsPanel>, "weights"},
    Tab{kPaintTab, "Paint", draw_panel<PaintPanel>, "weights"},
    Tab{kBindTab, "Bind", draw_panel<BindPanel>, "weights"},
    Tab{kWeightToolsTab, "Tools", draw_panel<WeightToolsPanel>, "weights"},
    Tab{kWorstSpotsTab, "Spots", draw_panel<WorstSpotsSection>, "weights"},
    Tab{kShapesTab, "Shapes", draw_panel<ShapesPanel>, "look pose animate"},
    Tab{kDisplayTab, "Display", draw_panel<DisplayPanel>, "look"},
    Tab{kJointsTab, "Joints", draw_panel<JointsPanel>, "rig"},
    Tab{kDriversTab, "Drivers", draw_panel<DriversPanel>, "rig"},
    Tab{kConstraintsTab, "Constraints", draw_panel<ConstraintsSection>, "rig"},
    Tab{kSpringsTab, "Springs", draw_panel<SpringsSection>, "rig"},
    Tab{kLayersTab, "Layers", draw_panel<LayersPanel>, "rig"},
    Tab{kInfoTab, "Info", draw_panel<InfoPanel>, "look pose animate weights rig learn", worst_finding},
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
