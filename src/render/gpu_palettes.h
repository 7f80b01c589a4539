#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "deform/common_stretch.h"
#include "deform/skinning_methods.h"
#include "render/gl_objects.h"
#include "render/gpu_rows.h"
#include "rig/character.h"

namespace pelt::render {

/// The bytes of the uniform buffer, block after block on the device's alignment.
struct UniformWriter {
  std::vector<std::byte>& bytes;
  std::size_t alignment;

  /// Starts a block of `count` bytes and returns where.
  std::size_t open(std::size_t count) {
    const std::size_t at = (bytes.size() + alignment - 1) / alignment * alignment;
    bytes.resize(at + count);
    return at;
  }
  template <typename T>
  GLintptr put(const T& block) {
    const std::size_t at = open(sizeof(T));
    std::memcpy(bytes.data() + at, &block, sizeof(T));
    return static_cast<GLintptr>(at);
  }
};

/// The skins of a character in one pose: what all parts and batches that follow them copy from. Joints are taken apart
/// (polar decompositions, where the method blends rotations) once per pose however many parts and batches read them,
/// and those that no vertex follows not at all.
class SkinPalettes {
 public:
  using Bindings = std::shared_ptr<const std::vector<deform::SkinBinding>>;

  /// Takes other bindings, one per skin.
  void bind(Bindings bindings);
  [[nodiscard]] bool is_bound() const { return bindings_ != nullptr; }
  [[nodiscard]] const deform::SkinBinding& binding(int skin) const { return (*bindings_)[skin]; }

  /// From now on it is another pose, or another method's palette, or other vertices follow.
  /// @param uploads_all  palettes count as not uploaded; else those that are what the texture holds stay
  void begin(bool uploads_all);
  /// Whether the skin turns surfaces inside out.
  bool mirrored(const rig::Character& character, const rig::Pose& pose, std::span<const glm::mat4> world, int skin);
  /// By joint, as the method packs them. @pre mirrored() was asked since begin()
  const std::vector<glm::vec4>& palette(int skin, const deform::SkinningMethod& method);
  /// Makes texture() hold the palette. @returns bytes uploaded, 0 where it holds it already
  std::int64_t upload(int skin, const deform::SkinningMethod& method);
  [[nodiscard]] const BufferTexture& texture(int skin) const { return skins_[skin].texture; }
  /// Since begin().
  [[nodiscard]] std::int64_t packed_joints() const { return packed_joints_; }

 private:
  struct Skin {
    std::vector<glm::mat4> matrices;
    std::vector<glm::vec4> palette;
    std::vector<glm::vec4> uploaded;  // what the texture holds
    BufferTexture texture;
    bool is_uploaded = false;
    bool mirrored = false;
    // Whether it is that of this pose.
    bool posed = false;
    bool packed = false;
  };
  Bindings bindings_;
  std::vector<Skin> skins_;
  std::int64_t packed_joints_ = 0;
};

}  // namespace pelt::render
