#include "formats/source_hash.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/sha256.h"
#include "gltf/bundled.h"

namespace pelt::formats {
namespace {

bool is_picture(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 8> kEndings = {".png",  ".jpg", ".jpeg", ".webp",
                                                        ".ktx2", ".tga", ".bmp",  ".gif"};
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::ranges::find(kEndings, ending) != kEndings.end();
}

}  // namespace

Result<std::string> source_hash(const std::string& name, std::span<const StampedFile> beside) {
  Sha256 hash;
  if (name.starts_with('@')) {
    for (const EmbeddedFile& file : gltf::bundled_characters()) {
      if (file.name.substr(0, file.name.rfind('.')) == std::string_view(name).substr(1)) {
        hash.add(std::as_bytes(std::span(file.bytes)));
      }
    }
    return "sha256:" + hash.hex();
  }
  std::vector<std::filesystem::path> paths = {name};
  for (const StampedFile& file : beside) {
    if (!is_picture(file.path)) {
      paths.push_back(file.path);
    }
  }
  std::sort(paths.begin() + 1, paths.end());
  paths.erase(std::unique(paths.begin() + 1, paths.end()), paths.end());
  for (const std::filesystem::path& path : paths) {
    PELT_TRY_TO(const FileBytes bytes, read_file_bytes(path));
    hash.add(fmt::format("{}\n", bytes.bytes().size()));
    hash.add(std::as_bytes(bytes.bytes()));
  }
  return "sha256:" + hash.hex();
}

}  // namespace pelt::formats
