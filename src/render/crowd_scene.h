#pragma once

#include <optional>
#include <vector>

#include "core/result.h"
#include "deform/crowd.h"
#include "render/gpu_crowd.h"
#include "render/renderer.h"
#include "render/surface_parts.h"

namespace pelt::render {

/// True where the picture shows ViewSettings::instances characters: surfaces yes, heat maps of one of them no.
bool shows_crowd(const Frame& frame);

/// What a crowd in the picture needs besides the character: where everybody stands, coarser levels, who is in sight.
class CrowdScene {
 public:
  /// Brings everything up to date with the frame. Everybody plays the frame's clip, or all clips where there is none.
  /// @returns false where the device cannot draw this crowd, and stats().refused says why
  bool update(const Frame& frame, const DeviceLimits& limits);

  [[nodiscard]] const GpuCrowd& gpu() const { return *gpu_; }
  [[nodiscard]] const CrowdStats& stats() const { return stats_; }

 private:
  struct Key {
    SurfaceParts of;
    SharedList<rig::Clip> clips;
    int clip = -1;
    int instances = 0;
    friend bool operator==(const Key& a, const Key& b) {
      return a.of == b.of && a.clips.is(b.clips) && a.clip == b.clip && a.instances == b.instances;
    }
  };
  std::optional<Key> key_;
  std::optional<GpuCrowd> gpu_;
  std::vector<deform::CrowdInstance> instances_;
  std::vector<rig::Character> coarser_;
  std::vector<float> limits_;  // of the levels of detail, metres
  glm::vec4 ball_ = glm::vec4(0.0f);
  std::vector<std::int64_t> level_vertices_;  // of one character
  CrowdStats stats_;
};

}  // namespace pelt::render
