#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace pelt {

// Files on their way to their place bear temporary names in the same folder: ".pelt-", 16 random hexadecimal digits
// that one write has in common, "-", a number, ".new". Short, so that a name of any length can be written; of a kind
// that nobody gives by hand, so that what a killed program left there can be told from what a person made.

/// Digits that no other write has. Reads the system's randomness.
std::string new_write_id();
std::string temporary_name(std::string_view write_id, std::size_t number);
bool is_temporary_name(std::string_view name);
/// Removes what killed programs left of writes into a folder, as each write there does; leaves everything where another
/// write goes on there, or the folder cannot be read.
void remove_leftovers(const std::filesystem::path& folder);

/// Lets the temporary files of one write in one folder be removed when a signal ends the program. While it lives, files
/// `0` to `count - 1` are removed.
class SignalGuard {
 public:
  SignalGuard() = default;
  /// @param folder  open for as long as this lives; -1: guards nothing
  SignalGuard(int folder, std::string_view write_id);
  SignalGuard(SignalGuard&& other) noexcept;
  SignalGuard& operator=(SignalGuard&& other) noexcept;
  ~SignalGuard();

  /// One more file, before it is made.
  void add();

 private:
  int slot_ = -1;  ///< of a fixed table; -1 where all were taken, which the next write there makes up for
};

/// While it lives a signal waits: renames that belong together are all done or none. Must be short.
class SignalDelay {
 public:
  SignalDelay();
  ~SignalDelay();
  SignalDelay(const SignalDelay&) = delete;
  SignalDelay& operator=(const SignalDelay&) = delete;
};

/// What a program does once, before anything else. A signal that ends it (INT, TERM, HUP, QUIT, PIPE, XCPU, unless it
/// is ignored already) first removes what SignalGuards name, and ends it with its own status; a file that outgrows the
/// limit set for it fails as a write, not as a signal; standard streams that are closed are replaced by ones that fail,
/// so that no file gets their numbers.
void prepare_process();

}  // namespace pelt
