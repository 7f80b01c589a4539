#pragma once

// A window whose tab "Joints" is about the left elbow of the mannequin.

#include <cmath>
#include <utility>

#include <gtest/gtest.h>
#include <imgui.h>

#include "gltf/bundled.h"
#include "headless_window.h"
#include "ui/joints_panel.h"

namespace pelt::ui {

class JointsTab : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    resize({1440, 1600}, 1);
    open(*gltf::import_bundled("mannequin"));
    elbow_ = document_.character->skeleton->find("elbow_l");
    workspace_.tab = kJointsTab;
    document_.view.select_only(elbow_);
    frames(3);
  }
  [[nodiscard]] const rig::JointDofs& dofs(int joint) const { return document_.character->skeleton->dofs[joint]; }
  /// Returns the number of vertices that are drawn over the picture while the panels beside it are hidden.
  int picture_vertices() {
    workspace_.panels_hidden = true;
    frames(2);
    const int count = ImGui::GetDrawData()->TotalVtxCount;
    workspace_.panels_hidden = false;
    return count;
  }
  int elbow_ = -1;
};

/// The mannequin with a clip that turns every joint, in ten thousand keys.
inline rig::Character long_motion() {
  rig::Character character = *gltf::import_bundled("mannequin");
  rig::Clip clip{.name = "long", .channels = {}, .properties = {}, .start = 0, .end = 100};
  for (int j = 0; j < character.skeleton->size(); ++j) {
    rig::Channel channel{.joint = j, .path = rig::ChannelPath::kRotation, .times = {}, .values = {}, .width = 4};
    for (int k = 0; k < 10000; ++k) {
      const float t = static_cast<float>(k) * 0.01f;
      const glm::quat turned = glm::normalize(
          character.skeleton->rest[j].rotation *
          glm::quat(glm::vec3(0.3f * std::sin(t), 0.2f * std::sin(1.7f * t), 0.4f * std::sin(2.3f * t))));
      channel.times.push_back(t);
      channel.values.insert(channel.values.end(), {turned.x, turned.y, turned.z, turned.w});
    }
    clip.channels.push_back(std::move(channel));
  }
  for (int i = 0; i < 8; ++i) {
    character.clips.push_back(clip);
  }
  return character;
}

}  // namespace pelt::ui
