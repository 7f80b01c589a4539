#include "ui/backend_switch.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "ui/actions.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr const char* kBackends[] = {"GPU", "CPU"};

}  // namespace

bool backend_switch(Desk& desk, const char* name, deform::Backend& backend, float width) {
  int chosen = backend == deform::Backend::kCpu ? 1 : 0;
  const bool changed = segmented(desk, name, kBackends, chosen, width);
  tip(fmt::format("Where the skin is computed; the shape is the same ({})",
                  name_of(find_action("skinning.backend")->key)));
  if (changed) {
    backend = chosen == 1 ? deform::Backend::kCpu : deform::Backend::kGpu;
  }
  return changed;
}

float backend_switch_width(const Desk& desk) {
  return std::ceil(ImGui::CalcTextSize(kBackends[0]).x + ImGui::CalcTextSize(kBackends[1]).x) + desk.theme.px(20);
}

}  // namespace pelt::ui
