// A clip that was made elsewhere comes into a document.
#include <memory>

#include <gtest/gtest.h>

#include "edit/commands.h"
#include "edit/document.h"
#include "edit_fixtures.h"

namespace pelt::edit {
namespace {

std::shared_ptr<const rig::Clip> made_clip(const char* name, int joint) {
  auto clip = std::make_shared<rig::Clip>();
  clip->name = name;
  clip->start = 1;
  clip->end = 2;
  for (const int j : {joint, 4000}) {
    rig::Channel channel;
    channel.joint = j;
    channel.path = rig::ChannelPath::kRotation;
    channel.width = 4;
    channel.times = {1, 2};
    channel.values = {0, 0, 0, 1, 0, 0, 1, 0};
    channel.source = 7;  // of another file
    clip->channels.push_back(channel);
  }
  return clip;
}

TEST(InsertClip, ComesBehindAllOthersAndPlays) {
  Document document = make_document(std::make_shared<rig::Character>(test::arm()));
  const std::size_t before = document.character->clips.size();
  apply(document, {InsertClip{made_clip("captured", 1)}, "", true});
  ASSERT_EQ(document.character->clips.size(), before + 1);
  const rig::Clip& clip = document.character->clips[before];
  EXPECT_EQ(clip.name, "captured");
  ASSERT_EQ(clip.channels.size(), 1u) << "without that of a joint that is not there";
  EXPECT_EQ(clip.channels[0].joint, 1);
  EXPECT_EQ(clip.channels[0].source, -1);
  EXPECT_EQ(document.content.clip, static_cast<int>(before));
  EXPECT_EQ(document.view.time, 1.0f);
  EXPECT_EQ(document.history.undo_label(), "Add motion captured");
  apply(document, {InsertClip{made_clip("captured", 1)}, "", true});
  EXPECT_EQ(document.character->clips[before + 1].name, "captured 2");
  apply(document, {InsertClip{made_clip("", 1)}, "", true});
  EXPECT_EQ(document.character->clips[before + 2].name, "motion");
  for (int steps = 0; steps < 3; ++steps) {
    undo(document);
  }
  EXPECT_EQ(document.character->clips.size(), before);
  EXPECT_FALSE(can_undo(document));
}

}  // namespace
}  // namespace pelt::edit
