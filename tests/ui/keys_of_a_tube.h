#pragma once

// A window in the Animate mode with a few keys.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <imgui.h>

#include "headless_window.h"
#include "ui/key_editor.h"
#include "ui/modes.h"

namespace pelt::ui {

/// A tube whose tip turns in a clip of two seconds, with a key every half of one.
class KeysOfATube : public HeadlessWindow {
 protected:
  static constexpr int kEscapeCode = 1;

  void SetUp() override {
    HeadlessWindow::SetUp();
    ImGui::GetIO().KeyMap[ImGuiKey_Escape] = kEscapeCode;
    rig::Character character = test::cylinder();
    ASSERT_EQ(character.skeleton->name[1], "tip");
    rig::Clip clip;
    clip.name = "turn";
    clip.channels.push_back(
        {.joint = 0, .path = rig::ChannelPath::kTranslation, .times = {0, 2}, .values = {0, 0, 0, 1, 0, 0}});
    rig::Channel turn{.joint = 1, .path = rig::ChannelPath::kRotation, .times = {}, .values = {}, .width = 4};
    for (int k = 0; k <= 4; ++k) {
      const glm::quat q = glm::angleAxis(0.2f * static_cast<float>(k * (4 - k)), glm::vec3(1, 0, 0));
      turn.times.push_back(0.5f * static_cast<float>(k));
      turn.values.insert(turn.values.end(), {q.x, q.y, q.z, q.w});
    }
    clip.channels.push_back(std::move(turn));
    clip.end = 2;
    character.clips.push_back(std::move(clip));
    rig::finish(character);
    open(std::move(character));
    edit::apply(document_, {edit::SetClip{0}, {}, false});
    edit::open_character(document_, document_.character);
    edit::apply(document_, {edit::SetClip{0}, {}, false});
    document_.view.timing.frame_rate = 20;
    enter_mode(workspace_, "animate");
    frames(4);
  }
  KeyEditor& editor() { return workspace_.panel<KeyEditor>(); }
  const rig::Channel& channel(const edit::ChannelId& id) {
    return *edit::find_channel(document_.character->clips[document_.content.clip], id);
  }
  std::vector<float> times(const edit::ChannelId& id) { return channel(id).times; }
  /// Width in pixels of a time span in seconds.
  glm::vec2 seconds(double count) { return {static_cast<float>(count * editor().per_second), 0}; }
  glm::vec2 key_at(int joint, const char* frame) {
    const std::string name = std::string("key.") + std::to_string(joint) + "." + frame;
    EXPECT_TRUE(report_.contains(name)) << name;
    return report_[name].center();
  }
};

}  // namespace pelt::ui
