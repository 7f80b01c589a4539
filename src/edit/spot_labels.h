#pragma once

#include <string>
#include <string_view>

#include "edit/worst_spots.h"

namespace pelt::edit {

/// How the history calls the step that brings the document into the pose of a spot: "Pose: worst spot of elbow_l".
std::string look_label(const WorstSpots& found, const WorstSpot& spot);
/// How the history calls a mend of a spot: "Relax weights round elbow_l". @param verb  SpotMend::label
std::string mend_label(std::string_view verb, const WorstSpots& found, const WorstSpot& spot);

}  // namespace pelt::edit
