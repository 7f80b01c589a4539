#pragma once

// A session that is written and read again.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "edit/session.h"

namespace pelt::test {

inline const edit::SessionSource kSessionSource = {"arm.glb", "sha256:0"};

/// The data files beside the text of the session.
inline edit::SessionFiles files_of(const edit::SessionText& text) {
  return [&text](const std::string& name) -> Result<std::string> {
    const auto found = std::ranges::find(text.files, name, &edit::SessionFile::name);
    return found == text.files.end() ? Result<std::string>(error("no such file")) : found->bytes;
  };
}

/// Writes the session and reads it again, for the character as its file has it.
inline edit::OpenedSession reopened(const edit::Document& document, std::string_view window = {}) {
  const Result<edit::SessionText> text = edit::session_to_text(document, kSessionSource, window);
  EXPECT_TRUE(text) << (text ? "" : text.error().message);
  Result<edit::OpenedSession> again = edit::session_from_text(text->json, document.file, files_of(*text));
  EXPECT_TRUE(again) << (again ? "" : again.error().message);
  return *std::move(again);
}

}  // namespace pelt::test
