#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "characters.h"
#include "gltf/export.h"

// pelt_generate_assets FOLDER [NAME...]: writes the bundled characters, all or those named, there.
int main(int argc, char** argv) {
  using pelt::assets::BundledCharacter;
  if (argc < 2) {
    fmt::print(stderr, "usage: pelt_generate_assets FOLDER [NAME...]\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const std::vector<std::string_view> wanted(argv + 2, argv + argc);
  const std::span<const BundledCharacter> characters = pelt::assets::bundled_characters();
  for (const std::string_view name : wanted) {
    if (std::none_of(characters.begin(), characters.end(), [&](const auto& entry) { return entry.name == name; })) {
      fmt::print(stderr, "no bundled character is called '{}'\n", name);
      return 2;
    }
  }
  for (const BundledCharacter& entry : characters) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), entry.name) == wanted.end()) {
      continue;
    }
    const std::filesystem::path path = folder / (std::string(entry.name) + ".glb");
    if (const pelt::Status written = pelt::gltf::export_file(entry.make(), path); !written) {
      fmt::print(stderr, "{}\n", written.error().message);
      return 1;
    }
    fmt::print("{}\n", path.string());
  }
  return 0;
}
