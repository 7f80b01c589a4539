#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pelt {

/// SHA-256 (FIPS 180-4), which tells files apart by their content: nobody can make one that passes for another.
class Sha256 {
 public:
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  /// 64 hexadecimal digits. Nothing may be added afterwards.
  std::string hex();

 private:
  void add_block(const std::byte* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> block_ = {};
  std::uint64_t count_ = 0;  ///< bytes
};

}  // namespace pelt
