#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edit/session_json.h"

// Arrays in the files beside a session: numbers as they lie in memory, little-endian, each array at a multiple of four.
// Only session*.cpp include this.

namespace pelt::edit {

static_assert(std::endian::native == std::endian::little);

class DataWriter {
 public:
  /// @returns where the array begins
  template <typename T>
  std::size_t put(std::span<const T> values) {
    const std::size_t at = bytes_.size();
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
    return at;
  }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class DataReader {
 public:
  explicit DataReader(std::string_view bytes) : bytes_(bytes) {}
  /// `count` values from `at` on, which then stands behind them. @param where  what an error names
  template <typename T>
  std::vector<T> get(std::size_t& at, std::size_t count, const Place& where) const {
    if (at % 4 != 0 || at > bytes_.size() || count > (bytes_.size() - at) / sizeof(T)) {
      where.fail("an array within its file");
    }
    std::vector<T> out(count);
    if (count > 0) {
      std::memcpy(out.data(), bytes_.data() + at, count * sizeof(T));
    }
    at += (count * sizeof(T) + 3) / 4 * 4;
    return out;
  }

 private:
  std::string_view bytes_;
};

}  // namespace pelt::edit
