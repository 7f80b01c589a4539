#pragma once

#include <optional>
#include <string>

#include "core/progress.h"
#include "core/result.h"
#include "rig/character.h"
#include "ui/export_request.h"

namespace pelt::app {

/// The outcome of an export.
struct ExportReport {
  std::string line;       ///< for the user: the file, what could not be kept, and what was changed unasked
  bool is_whole = false;  ///< nothing of the character was left out, rounded or made anew
};

/// Writes a character as the request wants it. Safe on any thread.
/// @param pose  the one shown, for `request.conversion.bake_pose`
/// @returns nothing where `progress` stopped it before anything was written
std::optional<Result<ExportReport>> export_character(const rig::Character& character, const rig::Pose& pose,
                                                     const ui::ExportRequest& request, const Progress& progress);

}  // namespace pelt::app
