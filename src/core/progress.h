#pragma once

#include <functional>
#include <string_view>

namespace pelt {

/// Called by long work with the fraction done (0..1) and what is being done; returning false asks the work to stop.
/// May be called from any thread. An empty function means nobody is watching.
using Progress = std::function<bool(float fraction, std::string_view what)>;

/// Reports to `progress` if there is one. Returns false when the work should stop.
inline bool report(const Progress& progress, float fraction, std::string_view what) {
  return !progress || progress(fraction, what);
}

}  // namespace pelt
