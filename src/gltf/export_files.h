#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::gltf {

// Buffers and pictures beside a .gltf are named after it and after their content: "fox-0123456789abcdef.bin",
// "fox_skin-0123456789abcdef.png". So a new document never needs a file replaced that the old one, or another's, uses;
// and what an earlier write of the same document left can be told from what anybody else made.

/// @param stem   of the document; long ones are cut
/// @param label  of the picture; empty for the buffer
/// @param ending without its dot
std::string content_name(std::string_view stem, std::string_view label, std::span<const std::uint8_t> bytes,
                         std::string_view ending);

/// Names in `folder` that documents of this stem were given by content_name(), with that content, and that nothing
/// there mentions any more. None where something lies there that may mention them and cannot be looked through, a
/// .blend for example.
/// @param keep  files that stay in any case
std::vector<std::string> unused_content_names(const std::filesystem::path& folder, std::string_view stem,
                                              std::span<const std::filesystem::path> keep);

}  // namespace pelt::gltf
