#pragma once

#include <string>
#include <string_view>

#include "edit/document.h"

namespace pelt::edit {

/// Gives a layer another switch or other values. Values are clamped to their fields' ranges; a layer that is not
/// optional stays on.
struct SetLayer {
  std::size_t layer;  ///< below layer_count()
  bool on = true;
  std::vector<float> values;  ///< one per field of its kind
};

// In words, and what it makes of the document's content and view.
std::string label(const Document& document, const SetLayer& change);
void carry_out(const Document& document, const SetLayer& change, Content& content, View& view);

// All layers as one list: the pose layers in order, then the deformer layers.
std::size_t layer_count(const Content& content);
/// @pre k < layer_count(content), here and below
const rig::Layer& layer_at(const Content& content, std::size_t k);
/// Null where this version of the program does not know it.
const rig::LayerKind* layer_kind_at(const Content& content, std::size_t k);
/// The first layer of a kind; layer_count() where there is none.
std::size_t find_layer(const Content& content, std::string_view kind);
/// Whether it works: on, with a weight above 0, and not behind the view's limit.
bool layer_works(const Document& document, std::size_t k);

/// Lets what is seen stop behind layer k; -1: nowhere. Not a step of the history.
void stop_after(Document& document, int k);

}  // namespace pelt::edit
