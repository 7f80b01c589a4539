#include "app/sample_choice.h"

#include <algorithm>
#include <cstddef>

namespace pelt::app {
namespace {

constexpr std::size_t kRemembered = 5;
constexpr std::size_t kLeastPictures = 3;
constexpr double kSampleCost = 4;  // times as long as a picture with one sample takes one with the usual four, at most

}  // namespace

bool SampleChoice::too_slow(std::span<const double> full) {
  if (full.size() < kLeastPictures) {
    return false;
  }
  std::vector<double> sorted(full.begin(), full.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle > kSlowPicture;
}

void SampleChoice::note(double milliseconds, bool full) {
  if (full) {
    if (full_.size() == kRemembered) {
      full_.erase(full_.begin());
    }
    full_.push_back(milliseconds);
  } else if (milliseconds < kSlowPicture / kSampleCost) {
    full_.clear();  // all samples could not be slow any more: try them again
  }
}

}  // namespace pelt::app
