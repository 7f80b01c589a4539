#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "deform/deform.h"
#include "edit/document.h"

namespace pelt::cli {

/// One evaluated pose, ready to be written. Nothing is owned.
struct BakedPose {
  const edit::Document* document;
  const deform::DeformedCharacter* deformed;
  std::span<const glm::mat4> world;  ///< [J]
  std::string_view file;             ///< shown name of the source
};

/// "skin-expected/1": see src/cli/machine_output.md. Floats as the shortest text that reads back the same.
std::string bake_json(const BakedPose& baked);
/// formats::write_obj() of the posed shape: groups are called NODE.PRIMITIVE.
std::string bake_obj(const BakedPose& baked);
/// formats::write_ply() of the posed shape.
std::string bake_ply(const BakedPose& baked);
/// The posed shape as a static GLB with materials and textures.
/// @param left_out  receives the names of kept attributes that say something of the shape before it was posed:
///                  tangents, and those of extensions
Result<std::vector<std::uint8_t>> bake_glb(const BakedPose& baked, std::set<std::string>& left_out);

}  // namespace pelt::cli
