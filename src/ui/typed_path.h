#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace pelt::ui {

/// The home folder of the user, "/" where none is set.
std::filesystem::path home_folder();

/// A path as people type or paste it: blanks and quotes around it go, a "file://" address is decoded, "~" is `home`,
/// what is not absolute stands in `folder`. Without "." and "..", and without a slash at its end.
std::filesystem::path typed_path(std::string_view text, const std::filesystem::path& folder,
                                 const std::filesystem::path& home);

/// Whether the text can only be meant as a path, and not as a part of a name.
bool looks_like_path(std::string_view text);

/// The text with its last name completed as far as all that begin with it agree; a folder that is alone gets its slash.
/// What is hidden comes only after a dot.
/// @param accepts  whether a file counts; folders always do
std::string completed_path(std::string_view text, const std::filesystem::path& folder,
                           const std::filesystem::path& home,
                           const std::function<bool(const std::filesystem::path&)>& accepts);

}  // namespace pelt::ui
