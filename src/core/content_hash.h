#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace pelt {

/// Hashes what values say, bit by bit: equal values added in the same order give the same hash. For laws and for names
/// of content, not against anyone who means harm.
class ContentHash {
 public:
  /// Numbers, enumerations, and vectors and quaternions of numbers: what has no gaps between its members.
  template <typename... T>
  void add(const T&... values) {
    (add_one(values), ...);
  }
  void add_bytes(std::span<const std::byte> bytes) {
    add_word(bytes.size());
    for (; bytes.size() >= sizeof(std::uint64_t); bytes = bytes.subspan(sizeof(std::uint64_t))) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), sizeof(word));
      add_word(word);
    }
    std::uint64_t rest = 0;
    if (!bytes.empty()) {
      std::memcpy(&rest, bytes.data(), bytes.size());
    }
    add_word(rest);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  template <typename T>
  void add_one(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>, "of its bytes");
    if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, &value, sizeof(T));
      add_word(word);
    } else {
      add_bytes(std::as_bytes(std::span(&value, 1)));
    }
  }
  // Multiplied by an odd number and folded onto itself, so that every bit reaches every other within two words.
  void add_word(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15u;
    value_ ^= value_ >> 32;
  }

  std::uint64_t value_ = 0x2545f4914f6cdd1du;
};

}  // namespace pelt
