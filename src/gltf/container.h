#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Numbers of the binary container (glTF 2.0, section 4), for what reads, judges and writes it.

namespace pelt::gltf {

inline constexpr std::uint32_t kGlbMagic = 0x46546C67;   ///< "glTF"
inline constexpr std::uint32_t kJsonChunk = 0x4E4F534A;  ///< "JSON"
inline constexpr std::uint32_t kBinChunk = 0x004E4942;   ///< "BIN"

/// The little-endian word of four bytes at a place. @pre  at + 4 <= bytes.size()
inline std::uint32_t little_word(std::span<const std::uint8_t> bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} | std::uint32_t{bytes[at + 1]} << 8 | std::uint32_t{bytes[at + 2]} << 16 |
         std::uint32_t{bytes[at + 3]} << 24;
}

}  // namespace pelt::gltf
