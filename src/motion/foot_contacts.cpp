#include "motion/foot_contacts.h"

#include <algorithm>
#include <cmath>

namespace pelt::motion {
namespace {

// Metres a second at frame `f`, over a window around it.
double speed_at(std::span<const glm::dvec3> positions, std::span<const float> times, int f, double window) {
  const int last = static_cast<int>(times.size()) - 1;
  constexpr int kMostFrames = 64;  // to each side; more say the same and take long
  int before = std::max(f - 1, 0);
  int after = std::min(f + 1, last);
  while (before > 0 && f - before < kMostFrames && static_cast<double>(times[f] - times[before - 1]) <= window / 2) {
    --before;
  }
  while (after < last && after - f < kMostFrames && static_cast<double>(times[after + 1] - times[f]) <= window / 2) {
    ++after;
  }
  const double seconds = static_cast<double>(times[after] - times[before]);
  return seconds > 0 ? glm::distance(positions[after], positions[before]) / seconds : 0;
}

}  // namespace

double low_height(std::span<const glm::dvec3> positions, double share) {
  std::vector<double> heights;
  heights.reserve(positions.size());
  for (const glm::dvec3& position : positions) {
    heights.push_back(position.y);
  }
  const auto place = heights.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(heights.size() - 1));
  std::ranges::nth_element(heights, place);
  return *place;
}

std::vector<FootContact> find_contacts(std::span<const glm::dvec3> positions, std::span<const float> times, double leg,
                                       const ContactLimits& limits) {
  std::vector<FootContact> out;
  if (positions.empty() || !(leg > 0)) {
    return out;
  }
  const double floor = low_height(positions, limits.low_share);
  const int count = static_cast<int>(positions.size());
  for (int f = 0; f < count; ++f) {
    const bool stands = positions[f].y <= floor + limits.height * leg &&
                        speed_at(positions, times, f, limits.speed_window) <= limits.speed * leg;
    if (!stands) {
      continue;
    }
    const bool goes_on = !out.empty() && (out.back().last == f - 1 ||
                                          static_cast<double>(times[f] - times[out.back().last]) <= limits.bridged);
    if (goes_on) {
      out.back().last = f;
    } else {
      out.push_back({.first = f, .last = f});
    }
  }
  std::erase_if(out, [&](const FootContact& one) {
    return static_cast<double>(times[one.last] - times[one.first]) < limits.shortest;
  });
  return out;
}

}  // namespace pelt::motion
