#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace pelt::gltf {

/// The bytes of a base64 data URI ("data:...;base64,..."), as it stands in JSON text.
Result<std::vector<std::uint8_t>> decode_data_uri(std::string_view uri);

/// The inverse, for bytes of no particular type.
std::string data_uri(std::span<const std::uint8_t> bytes);

/// A file's name as a relative URI.
std::string percent_encoded(std::string_view name);

/// Where a relative URI leads, percent signs decoded.
///
/// Refuses schemes, absolute paths, "..", and links that lead out of `base_folder` unless `allow_outside`; refuses all
/// where `base_folder` is empty. The file need not exist.
Result<std::filesystem::path> resolve_uri(std::string_view uri, const std::filesystem::path& base_folder,
                                          bool allow_outside);

/// The same place as the URI spells it, links not followed, steps that lead nowhere left out. @pre resolve_uri() took
/// it
std::filesystem::path spelled_uri(std::string_view uri, const std::filesystem::path& base_folder);

}  // namespace pelt::gltf
