#pragma once

#include <string>

#include "edit/mend_foresight.h"
#include "edit/weight_foresight.h"

namespace pelt::ui {

/// What a mend would do: "Would take out 1 405 vertices. Moves no vertex."
std::string mend_in_words(const edit::MendedParts& parts);
/// What a mend has done: "12 vertices changed, 3 triangles turned"; empty where nothing of this changed.
std::string done_in_words(const edit::MendedParts& parts);
/// What tools of weights would do: "Would change 12 vertices, by 0.31 of the weight at most ..."
std::string foreseen_in_words(const edit::ForeseenWeights& weights);

}  // namespace pelt::ui
