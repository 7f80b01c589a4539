// Tests the cost of posing very many joints of a clip at once.
#include "edit/key_edits.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "edit/edit_fixtures.h"
#include "support/effort.h"

namespace pelt::edit {
namespace {

// A handle over many joints costs one pose, as sliders do, and not one for each joint.
TEST(KeyEdits, ManyJointsCostOnePose) {
  constexpr int kJoints = 600;
  rig::Character character;
  for (int j = 0; j < kJoints; ++j) {
    test::add_node(character, fmt::format("j{}", j), j - 1, {.translation = {0, 0.01f, 0}});
  }
  rig::Clip clip;
  clip.name = "still";
  character.clips.push_back(clip);
  rig::finish(character);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  edit::apply(document, {SetClip{0}, {}, true});
  document.view.timing.auto_key = true;
  SetDofs sliders;
  SetJointLocals handles;
  for (int j = 0; j < kJoints; ++j) {
    sliders.sliders.push_back({j, 0, 0.1f});
    handles.joints.push_back({j, {.translation = {0, 0.01f, 0}, .rotation = glm::angleAxis(0.1f, glm::vec3(1, 0, 0))}});
  }
  const auto seconds = [&](const Change& change) {
    double best = 1e9;
    for (int n = 0; n < 3; ++n) {
      Document copy = document;
      best = std::min(best, test::processor_seconds([&] { edit::apply(copy, {change, {}, true}); }));
      EXPECT_GE(copy.content.character->clips[0].channels.size(), static_cast<std::size_t>(kJoints));
    }
    return best;
  };
  EXPECT_LT(seconds(handles), 3 * seconds(sliders));
}

}  // namespace
}  // namespace pelt::edit
