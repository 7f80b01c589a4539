#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::fuzz {

/// A way into the program for bytes that nobody vouches for. `./dev fuzz NAME` tries it for long, a test of each build
/// for a moment.
struct Target {
  std::string_view name;
  /// Reads the bytes and ends the program where what came out breaks its promise.
  void (*run)(std::span<const std::uint8_t> bytes);
  /// Whole files to begin with.
  std::vector<std::string> (*seeds)();
};

std::span<const Target> targets();

/// Ends the program unless the condition holds.
void demand(bool condition, const char* what);
/// An error is one sentence.
void demand_sentence(std::string_view message);

void read_import(std::span<const std::uint8_t> bytes);
void read_obj(std::span<const std::uint8_t> bytes);
void read_ply(std::span<const std::uint8_t> bytes);
void read_bvh(std::span<const std::uint8_t> bytes);
void read_and_write(std::span<const std::uint8_t> bytes);
std::vector<std::string> import_seeds();
std::vector<std::string> obj_seeds();
std::vector<std::string> ply_seeds();
std::vector<std::string> bvh_seeds();

void read_pose(std::span<const std::uint8_t> bytes);
void read_weights(std::span<const std::uint8_t> bytes);
std::vector<std::string> weights_seeds();
void read_session(std::span<const std::uint8_t> bytes);
std::vector<std::string> session_seeds();
void read_environment(std::span<const std::uint8_t> bytes);
std::vector<std::string> pose_seeds();
std::vector<std::string> environment_seeds();

#ifdef PELT_WINDOW
void read_preferences(std::span<const std::uint8_t> bytes);
std::vector<std::string> preferences_seeds();
#endif

}  // namespace pelt::fuzz
