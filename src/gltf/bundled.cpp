#include "gltf/bundled.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"

namespace pelt::embedded {
std::span<const EmbeddedFile> characters();
}

namespace pelt::gltf {

std::span<const EmbeddedFile> bundled_characters() {
  return embedded::characters();
}

Result<rig::Character> import_bundled(std::string_view name, const ImportOptions& options, const Progress& progress) {
  const EmbeddedFile* file = find_embedded(bundled_characters(), std::string(name) + ".glb");
  if (file == nullptr) {
    std::vector<std::string> names;
    for (const EmbeddedFile& other : bundled_characters()) {
      names.push_back(fmt::format("@{}", other.name.substr(0, other.name.rfind('.'))));
    }
    return error("@{}: no such bundled character; there are {}", printable(name), fmt::join(names, ", "));
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(file->bytes.data());
  Result<rig::Character> character = import_memory({bytes, file->bytes.size()}, {}, options, progress);
  if (!character) {
    return character.error().in(fmt::format("@{}", name));
  }
  character->name = std::string(name);
  return character;
}

Result<rig::Character> open_character(const std::string& name, const ImportOptions& options, const Progress& progress) {
  return name.starts_with('@') ? import_bundled(std::string_view(name).substr(1), options, progress)
                               : import_file(name, options, progress);
}

}  // namespace pelt::gltf
