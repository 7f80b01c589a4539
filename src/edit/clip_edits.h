#pragma once

#include <string>

#include "edit/document.h"

namespace pelt::edit {

/// Keeps overrides, which win over the clip; the playhead goes to the clip's start.
struct SetClip {
  int clip;  ///< -1: none
};
/// Moves the playhead, which is clamped to the clip; without a clip nothing changes. Never a step of the history.
struct SetTime {
  float time;
};

// Each of them in words, and what it makes of the document's content and view.
std::string label(const Document& document, const SetClip& change);
void carry_out(const Document& document, const SetClip& change, Content& content, View& view);
std::string label(const Document& document, const SetTime& change);
void carry_out(const Document& document, const SetTime& change, Content& content, View& view);

}  // namespace pelt::edit
