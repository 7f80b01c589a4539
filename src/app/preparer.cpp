#include "app/preparer.h"

#include <utility>

#include "deform/skinning_methods.h"

namespace pelt::app {

Preparer::Preparer(std::shared_ptr<Jobs> jobs) : slot_(std::move(jobs), Jobs::Kind::kAsked, "Preparing") {}

void Preparer::start(std::shared_ptr<deform::SkinCache> cache, std::shared_ptr<const rig::Character> character,
                     const deform::SkinningSettings& settings) {
  if (slot_.active() && character_ == character && settings_ == settings) {
    return;
  }
  character_ = character;
  settings_ = settings;
  const std::size_t method = settings.method;
  slot_.start("Preparing " + std::string(deform::skinning_methods()[method].label),
              [cache = std::move(cache), character = std::move(character), settings](const Progress& progress) {
                return std::optional(cache->prepare(*character, settings, progress));
              });
}

void Preparer::cancel() {
  slot_.cancel();
  character_ = nullptr;
  settings_.reset();
}

}  // namespace pelt::app
