#pragma once

#include <span>
#include <string_view>

namespace pelt {

/// A file that pelt_embed() (third_party/embed.cmake) put into the program.
struct EmbeddedFile {
  std::string_view name;  ///< relative to the embedding call's BASE
  std::string_view bytes;
};

/// The file of that name, or null.
inline const EmbeddedFile* find_embedded(std::span<const EmbeddedFile> files, std::string_view name) {
  for (const EmbeddedFile& file : files) {
    if (file.name == name) {
      return &file;
    }
  }
  return nullptr;
}

}  // namespace pelt
