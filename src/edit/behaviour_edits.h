#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "edit/document.h"

namespace pelt::edit {

/// Other drivers, all of them. Those that cannot work change nothing: refusal() says why, a cycle by its names (C18.4).
/// Only what differs from the drivers of before is judged, so that one that a new file broke does not stand in the way.
struct SetDrivers {
  std::vector<motion::Driver> drivers;
};
/// Other semantic sliders, all of them; names are made unique, values go into their ranges.
struct SetSemanticSliders {
  std::vector<motion::SemanticSlider> sliders;
};
/// One of them goes to another value, within its range; nothing where there is none of that number.
struct SetSemanticValue {
  std::size_t slider;
  float value;
};
/// Other springs, all of them.
struct SetSprings {
  motion::SpringSet springs;
};
/// Other clip layers, all of them; numbers go into their ranges. More than kMostClipLayers, and new ones of clips or
/// joints that the character does not have, change nothing.
struct SetClipLayers {
  std::vector<motion::ClipLayer> layers;
};

// Each of them in words, and what it makes of the document's content and view.
std::string label(const Document& document, const SetDrivers& change);
void carry_out(const Document& document, const SetDrivers& change, Content& content, View& view);
std::string refusal(const Document& document, const SetDrivers& change);
std::string label(const Document& document, const SetSemanticSliders& change);
void carry_out(const Document& document, const SetSemanticSliders& change, Content& content, View& view);
std::string label(const Document& document, const SetSemanticValue& change);
void carry_out(const Document& document, const SetSemanticValue& change, Content& content, View& view);
std::string label(const Document& document, const SetSprings& change);
void carry_out(const Document& document, const SetSprings& change, Content& content, View& view);
std::string refusal(const Document& document, const SetSprings& change);
std::string label(const Document& document, const SetClipLayers& change);
void carry_out(const Document& document, const SetClipLayers& change, Content& content, View& view);
std::string refusal(const Document& document, const SetClipLayers& change);

/// A driver of the target, in place of the one that it has: what `--drive` and a text box ask for.
SetDrivers with_driver(const Document& document, std::string_view target, std::string_view expression);

/// The number of a semantic slider, -1 where there is none of that name.
int find_semantic_slider(const Document& document, std::string_view name);

/// A slider of that name that leads from the pose before what is posed by hand to the pose as it is, in place of the
/// one that has the name: "learn from the current pose". Fails where nothing is posed.
Result<SetSemanticSliders> learned_slider(const Document& document, std::string_view name);

}  // namespace pelt::edit
