#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"
#include "edit/commands.h"
#include "edit/document.h"

namespace pelt::edit {

/// The pose as text (product.md, "A pose file is JSON"): what differs from the rest pose, keyed by joint name, by node
/// index where names are missing or repeated; stable order, one joint per line.
std::string pose_to_json(const Document& document);

/// Reads pose text against the document's character. Unknown joints are an error naming them with the nearest name.
Result<ReplacePose> pose_from_json(const Document& document, std::string_view text);

Status save_pose(const Document& document, const std::filesystem::path& path);
Result<ReplacePose> load_pose(const Document& document, const std::filesystem::path& path);

}  // namespace pelt::edit
