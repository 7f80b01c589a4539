#include "fuzz/targets.h"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace pelt::fuzz {

std::span<const Target> targets() {
  static constexpr auto kTargets = std::to_array<Target>({
      {"import", read_import, import_seeds},
      {"obj", read_obj, obj_seeds},
      {"ply", read_ply, ply_seeds},
      {"bvh", read_bvh, bvh_seeds},
      {"write", read_and_write, import_seeds},
      {"pose", read_pose, pose_seeds},
      {"weights", read_weights, weights_seeds},
      {"session", read_session, session_seeds},
      {"environment", read_environment, environment_seeds},
#ifdef PELT_WINDOW
      {"preferences", read_preferences, preferences_seeds},
#endif
  });
  return kTargets;
}

void demand(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "a promise is broken: %s\n", what);
    std::abort();
  }
}

void demand_sentence(std::string_view message) {
  demand(!message.empty() && message.find('\n') == std::string_view::npos, "an error is one sentence");
}

}  // namespace pelt::fuzz
