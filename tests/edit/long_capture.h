#pragma once

// A character of the corpus that plays its first clip, and edits of one joint of a long capture.

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "edit/commands.h"
#include "formats/open.h"

namespace pelt::test {

inline constexpr int kCaptureEdits = 100;  ///< number of edits of each kind

inline std::shared_ptr<const rig::Character> opened_from_corpus(const std::filesystem::path& below) {
  Result<rig::Character> character = formats::open_character((std::filesystem::path(PELT_CORPUS_DIR) / below).string());
  EXPECT_TRUE(character) << character.error().message;
  return std::make_shared<const rig::Character>(*std::move(character));
}

inline edit::Document playing_document(std::shared_ptr<const rig::Character> character) {
  edit::Document document = edit::make_document(std::move(character));
  edit::apply(document, {edit::SetClip{0}, {}, false});
  return document;
}

/// The first joint that the first clip turns.
inline edit::ChannelId first_turn(const edit::Document& document) {
  const rig::Clip& clip = document.character->clips[0];
  for (const rig::Channel& channel : clip.channels) {
    if (channel.path == rig::ChannelPath::kRotation) {
      return edit::id_of(channel);
    }
  }
  ADD_FAILURE() << "the clip turns no joint";
  return edit::id_of(clip.channels[0]);
}

/// A key of the joint's first slider, at each of many moments.
inline void pose_keys(edit::Document& document, const edit::ChannelId& id) {
  document.view.timing.auto_key = true;
  for (int i = 0; i < kCaptureEdits; ++i) {
    edit::apply(document, {edit::SetTime{0.1f * static_cast<float>(i)}, {}, false});
    edit::apply(document, {edit::SetDof{id.joint, 0, 0.01f * static_cast<float>(i)}, {}, true});
  }
  document.view.timing.auto_key = false;
}

inline void move_keys(edit::Document& document, const edit::ChannelId& id) {
  for (int i = 0; i < kCaptureEdits; ++i) {
    const std::vector<float>& times = edit::find_channel(document.character->clips[0], id)->times;
    edit::apply(document, {edit::MoveKeys{0, {{id, {times[20 * i + 10]}}}, {.offset = 0.003}}, {}, true});
  }
}

inline void undo_all(edit::Document& document) {
  while (edit::can_undo(document)) {
    edit::undo(document);
  }
}

}  // namespace pelt::test
