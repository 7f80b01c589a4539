#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace pelt::app {

/// Seconds between two looks at a watched file.
inline constexpr double kWatchInterval = 0.25;

/// Tells when a file has changed and has come to rest, by its size and time, and those of what stands beside it under
/// its name (.bin of a .gltf, .mtl of an .obj). A look costs a few system calls, and there are at most four a second.
class FileWatch {
 public:
  /// Watches that file from its present state on; nothing where `file` is empty.
  void watch(const std::filesystem::path& file);
  [[nodiscard]] bool active() const { return !file_.empty(); }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

  /// True once per change: when the file is another than at the last time and two looks in a row found it the same, so
  /// that nobody reads what is still being written. A file that is away is waited for.
  /// @param now  seconds, any origin
  bool changed(double now);

 private:
  struct Stamp {
    struct One {
      std::filesystem::file_time_type time = {};
      std::uintmax_t size = 0;
      bool operator==(const One&) const = default;
    };
    std::array<std::optional<One>, 3> files;
    bool operator==(const Stamp&) const = default;
  };
  [[nodiscard]] Stamp look() const;

  std::filesystem::path file_;
  Stamp known_;   ///< that changed() answered for last
  Stamp latest_;  ///< of the last look
  double last_look_ = 0;
};

}  // namespace pelt::app
