#pragma once

#include <span>
#include <vector>

namespace pelt::app {

/// How long pictures took, and what follows from it for antialiasing while something moves.
class SampleChoice {
 public:
  /// A picture was drawn. @param milliseconds  wall clock  @param full  with all samples
  void note(double milliseconds, bool full);
  /// Whether pictures with all samples are really too slow to follow a hand.
  [[nodiscard]] bool too_slow() const { return too_slow(full_); }

  /// The same as a function of the last pictures with all samples, milliseconds: the median of at least three. One slow
  /// picture says nothing: it may have been the first, with shaders to compile, or the machine was busy.
  static bool too_slow(std::span<const double> full);

 private:
  std::vector<double> full_;  ///< the last ones, oldest first
};

inline constexpr double kSlowPicture = 60;  ///< milliseconds: below sixteen pictures a second a hand feels it

}  // namespace pelt::app
