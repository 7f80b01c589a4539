#include "edit/spot_labels.h"

#include <fmt/format.h>

namespace pelt::edit {
namespace {

// The joint, as the list of spots is headed; the vertex where there is no joint.
std::string place_of(const WorstSpots& found, const WorstSpot& spot) {
  const int joint = joint_of(found, spot);
  return joint >= 0 && found.character != nullptr ? found.character->skeleton->label(joint)
                                                  : fmt::format("vertex {}", spot.vertex);
}

}  // namespace

std::string look_label(const WorstSpots& found, const WorstSpot& spot) {
  return fmt::format("Pose: worst spot of {}", place_of(found, spot));
}

std::string mend_label(std::string_view verb, const WorstSpots& found, const WorstSpot& spot) {
  return fmt::format("{} weights round {}", verb, place_of(found, spot));
}

}  // namespace pelt::edit
