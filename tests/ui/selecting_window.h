#pragma once

// A window in which joints and vertices are selected with mouse and keys.

#include <algorithm>
#include <vector>

#include "gltf/bundled.h"
#include "headless_window.h"

namespace pelt::ui {

using Joints = std::vector<int>;

/// The mannequin from the front, with its skeleton.
class Selecting : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    open(*gltf::import_bundled("mannequin"));
    workspace_.view.skeleton = true;
    act("view.front");
    act("view.home");
    frames(2);
  }
  void TearDown() override {
    ImGui::GetIO().KeyShift = ImGui::GetIO().KeyCtrl = ImGui::GetIO().KeyAlt = false;
    HeadlessWindow::TearDown();
  }
  int joint(const char* name) const { return document_.character->skeleton->find(name); }
  glm::vec2 bone(const char* name) { return report_["bone." + std::string(name)].center(); }
  void click_at(glm::vec2 at, int which = 0) {
    move(at);
    ImGui::GetIO().MouseDown[which] = true;
    frames(2);
    ImGui::GetIO().MouseDown[which] = false;
    frames(2);
  }
  const Joints& selected() const { return document_.view.selected_joints; }
  bool has(const char* name) const { return std::ranges::count(selected(), joint(name)) == 1; }
  void tap(Chord chord) {
    const Action* action = find_action(chord, workspace_.mode);
    ASSERT_NE(action, nullptr) << name_of(chord);
    frame(action);
    frame();
  }
  /// A place on the chest.
  glm::vec2 on_chest() const {
    const Rect& view = workspace_.layout.viewport;
    return {view.x + view.w * 0.5f, view.y + view.h * 0.38f};
  }
};

}  // namespace pelt::ui
