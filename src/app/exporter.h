#pragma once

#include <optional>
#include <string>

#include "core/progress.h"
#include "core/result.h"
#include "rig/character.h"
#include "ui/export_request.h"

namespace pelt::app {

/// Writes a character as the request wants it. Safe on any thread.
/// @param pose  the one shown, for `request.conversion.bake_pose`
/// @returns a line for the user that names the file and what could not be kept; nothing where `progress` stopped it
///          before anything was written
std::optional<Result<std::string>> export_character(const rig::Character& character, const rig::Pose& pose,
                                                    const ui::ExportRequest& request, const Progress& progress);

}  // namespace pelt::app
