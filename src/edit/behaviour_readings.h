#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edit/document.h"

namespace pelt::edit {

/// The pose that the layers before one of a kind make, wherever the view stops; that of all where there is none of it.
rig::Pose pose_before(const Document& document, std::string_view kind);

/// What a driver does in the document's pose.
struct DriverState {
  std::string fault;                ///< why it does not work, a sentence; empty where it does or is off
  std::optional<double> value;      ///< nothing: off, at fault, or without a value here
  std::vector<double> inputs = {};  ///< of its expression, in the order of Expression::inputs()
};
/// Of all drivers, as they read the pose: each behind those whose targets it reads.
std::vector<DriverState> driver_states(const Document& document);

/// Targets whose limits hold the semantic sliders back in the document's pose (C50.3), each once.
std::vector<std::string> held_back(const Document& document);

}  // namespace pelt::edit
