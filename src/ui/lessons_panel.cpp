#include "ui/lessons_panel.h"

#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "ui/actions.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

struct Lesson {
  const char* action;  ///< that sets the stage, whose label is the title
  const char* what;
  const char* try_this;
};
constexpr std::array kLessons = {
    Lesson{"learn.elbow",
           "Two bones, one hinge, weights of one half at the joint. Linear blending averages two matrices there, and "
           "the average of two rotations is a rotation times something shorter: the elbow loses volume, by the cosine "
           "of half the angle.",
           "Bend the forearm between 0\u00b0 and -150\u00b0 and watch the pinned vertex leave its circle; the pane "
           "beside it "
           "does the same with dual quaternions."},
    Lesson{"learn.candy-wrapper",
           "A tube whose end is turned about its own axis. Half way along, linear blending mixes a point with its "
           "mirror image: at 180\u00b0 the tube closes to a point. Two panes show it beside a method that keeps the "
           "radius.",
           "Drag in the curve to 180\u00b0. The closed form of the radius is drawn with what is measured."},
    Lesson{
        "learn.control-points",
        "A NURBS tube is a smooth sum of few control points. On the left the joints move these, and the tube is made "
        "of them anew in each pose; each row of points follows one joint alone, so that no weights are painted, and "
        "the surface blends by itself. On the right the tube was made once, and its mesh follows the same two joints "
        "by weights summed in the same way. At rest they are one.",
        "Bend the tip: the rows stay rigid, the left tube rounds the corner, and the curve says how far the two are "
        "apart. Press M on either side: rows of one joint leave a method nothing to blend. Then twist: both shrink "
        "alike, and the curve stays at zero."},
};

}  // namespace

void draw(LessonsPanel&, Desk& desk) {
  for (const Lesson& lesson : kLessons) {
    const Action& action = *find_action(lesson.action);
    heading(desk, action.label);
    wrapped_text(lesson.what);
    ImGui::Spacing();
    wrapped_text(lesson.try_this, color::kTextDim);
    ImGui::Spacing();
    const std::string label = fmt::format("{}  Set the stage###{}", icon::kTeach, lesson.action);
    if (ImGui::Button(label.c_str(), ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
      run(action, desk);
    }
    report_item(desk, fmt::format("lesson.{}", std::string_view(lesson.action).substr(6)));
    ImGui::Spacing();
  }
}

}  // namespace pelt::ui
