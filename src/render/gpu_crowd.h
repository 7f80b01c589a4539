#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "deform/crowd.h"
#include "deform/deform.h"
#include "render/gl_objects.h"
#include "render/program_cache.h"
#include "rig/character.h"

namespace pelt::render {

/// Many characters of one kind, ALGORITHMS.md §51: geometry and baked matrices lie on the GPU once, and per picture
/// only 64 bytes per visible instance move. Linear blend skinning with normals d; morph targets stay at their rest
/// weights. Create and use on the thread of the context, which must outlive it.
class GpuCrowd {
 public:
  /// Uploads everything that does not change.
  /// @param levels  the character, then coarser versions of it: same skeleton, skins and parts
  /// @param clips   indices into the character's clips; -1 is the rest pose
  /// @returns an error where the matrices exceed a texture of the device, or a vertex has more than eight influences
  static Result<GpuCrowd> create(std::span<const rig::Character* const> levels, std::span<const int> clips,
                                 const DeviceLimits& limits, float rate = deform::kLeastBakeRate);
  GpuCrowd(GpuCrowd&&) noexcept;
  GpuCrowd& operator=(GpuCrowd&&) noexcept;
  ~GpuCrowd();

  /// What is drawn from now on.
  /// @param visible  indices into `instances`
  /// @param level_limits  distances, metres, beyond which the next coarser level is drawn; ascending
  void place(std::span<const deform::CrowdInstance> instances, std::span<const int> visible, double time,
             const glm::vec3& eye, std::span<const float> level_limits);

  [[nodiscard]] VertexVariant variant(int part) const;
  /// All placed instances of a part, one call per level that anybody is drawn in. As GpuCharacter::draw().
  /// @returns draw calls issued
  int draw(int part) const;
  /// How many draw() issues: at most one per level, whatever the number of instances.
  [[nodiscard]] int draw_calls(int part) const;

  [[nodiscard]] const deform::BakedPalettes& baked() const;
  [[nodiscard]] std::int64_t resident_bytes() const;     ///< geometry and matrices
  [[nodiscard]] std::int64_t uploaded_bytes() const;     ///< by the last place()
  [[nodiscard]] std::span<const int> per_level() const;  ///< instances drawn in each level
  [[nodiscard]] std::int64_t triangles() const;          ///< of all placed instances

  /// The shape of one placed instance in the finest level, as the shader makes it; for tests.
  /// @param instance  index into the `visible` of the last place()
  Result<deform::DeformedCharacter> read_back(ProgramCache& programs, int instance) const;

 private:
  struct State;
  explicit GpuCrowd(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::render
