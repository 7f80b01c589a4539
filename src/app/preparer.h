#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/jobs.h"
#include "deform/settings.h"
#include "deform/skin_cache.h"
#include "rig/character.h"

namespace pelt::app {

/// Lets a skinning method prepare a character in the background; see SkinCache::prepare().
class Preparer {
 public:
  explicit Preparer(std::shared_ptr<Jobs> jobs);

  /// Starts preparing unless that very work is going on; other work is asked to stop. Never waits.
  void start(std::shared_ptr<deform::SkinCache> cache, std::shared_ptr<const rig::Character> character,
             const deform::SkinningSettings& settings);
  /// Asks the work to stop.
  void cancel();

  [[nodiscard]] bool active() const { return slot_.active(); }
  /// The last work ran out of memory.
  [[nodiscard]] bool failed() const { return slot_.failed(); }
  [[nodiscard]] Jobs::SlotId id() const { return slot_.id(); }

 private:
  std::shared_ptr<const rig::Character> character_;   ///< of the last start()
  std::optional<deform::SkinningSettings> settings_;  ///< likewise
  JobSlot<bool> slot_;
};

}  // namespace pelt::app
