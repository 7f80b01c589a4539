#include "render/gpu_palettes.h"

#include <algorithm>
#include <utility>

#include "core/expect.h"
#include "rig/own_bindings.h"

namespace pelt::render {

void SkinPalettes::bind(Bindings bindings) {
  bindings_ = std::move(bindings);
  skins_.resize(bindings_->size());
}

void SkinPalettes::begin(bool uploads_all) {
  for (Skin& skin : skins_) {
    skin.posed = skin.packed = false;
    skin.is_uploaded = skin.is_uploaded && !uploads_all;
  }
  packed_joints_ = 0;
}

bool SkinPalettes::mirrored(const rig::Character& character, const rig::Pose& pose, std::span<const glm::mat4> world,
                            int s) {
  Skin& skin = skins_[s];
  if (!skin.posed) {
    skin.matrices.resize(character.skins[s].joints.size());
    rig::posed_skin_matrices(character, pose, world, s, skin.matrices);
    // A skin under a mirroring root has only mirrored joints; single ones do not turn the whole surface inside out.
    const std::size_t turned =
        std::ranges::count_if(skin.matrices, [](const glm::mat4& m) { return glm::determinant(glm::mat3(m)) < 0.0f; });
    skin.mirrored = 2 * turned > skin.matrices.size();
    skin.posed = true;
  }
  return skin.mirrored;
}

const std::vector<glm::vec4>& SkinPalettes::palette(int s, const deform::SkinningMethod& method) {
  Skin& skin = skins_[s];
  PELT_EXPECT(skin.posed, "the skin's matrices are known");
  if (!skin.packed) {
    deform::pack_palette(method, binding(s), skin.matrices, skin.palette);
    skin.packed = true;
    packed_joints_ += static_cast<std::int64_t>(binding(s).order.size());
  }
  return skin.palette;
}

std::int64_t SkinPalettes::upload(int s, const deform::SkinningMethod& method) {
  const std::vector<glm::vec4>& wanted = palette(s, method);
  Skin& skin = skins_[s];
  // Bytes, so that what is not a number counts as equal to itself.
  if (skin.is_uploaded && skin.uploaded.size() == wanted.size() &&
      (wanted.empty() || std::memcmp(skin.uploaded.data(), wanted.data(), wanted.size() * sizeof(glm::vec4)) == 0)) {
    return 0;
  }
  skin.texture.set(wanted, GL_STREAM_DRAW);
  skin.uploaded = wanted;
  skin.is_uploaded = true;
  return static_cast<std::int64_t>(wanted.size() * sizeof(glm::vec4));
}

}  // namespace pelt::render
