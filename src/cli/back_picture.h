#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/result.h"
#include "render/behind.h"

namespace pelt::cli {

/// Opens a PNG, JPEG or WebP to stand behind the character, and halves it until no side is above 4096 pixels. Pictures
/// are held to the limits of a character's textures.
/// Fails where it cannot be read, is none of these, or is larger than kLargestBackPicture allows.
Result<std::shared_ptr<const render::BackPicture>> load_back_picture(const std::filesystem::path& path);

/// Opens the picture that a session names, see session_view(): one in the session's folder or below, or the very one
/// that it was saved with; for another one elsewhere nobody was asked.
/// @param session  the session's file
/// @returns a sentence about why it is not shown, empty where it is; the session goes on naming it
std::string open_session_picture(render::Behind& behind, const std::filesystem::path& session);

/// Sides of a file that is opened, pixels.
inline constexpr int kLargestBackPicture = 16384;

}  // namespace pelt::cli
