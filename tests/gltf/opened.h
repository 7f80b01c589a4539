#pragma once

// What becomes of a file written by a test.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gltf/import.h"
#include "support/glb_builder.h"

namespace pelt::test {

/// The character of a file that must open.
inline rig::Character opened(const std::vector<std::uint8_t>& glb) {
  auto character = gltf::import_memory(glb, {});
  EXPECT_TRUE(character) << (character ? "" : character.error().message);
  return character ? *std::move(character) : rig::Character();
}
inline rig::Character opened(const GlbBuilder& file) {
  return opened(file.glb());
}

/// A file without a folder, as JSON alone.
inline Result<rig::Character> read_text(const std::string& text) {
  return gltf::import_memory({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, {});
}

/// The sentence with which a file is refused.
inline std::string refused(const GlbBuilder& file) {
  const auto character = gltf::import_memory(file.glb(), {});
  EXPECT_FALSE(character);
  return character ? "" : character.error().message;
}

/// "code: place: message" of each diagnostic.
inline std::vector<std::string> remarks(const rig::Character& character) {
  std::vector<std::string> out;
  for (const Diagnostic& diagnostic : character.diagnostics) {
    out.push_back(diagnostic.code + ": " + diagnostic.place + ": " + diagnostic.message);
  }
  return out;
}
/// The same of a file that must open.
inline std::vector<std::string> remarks(const GlbBuilder& file) {
  return remarks(opened(file));
}

}  // namespace pelt::test
