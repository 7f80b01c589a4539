#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "deform/settings.h"
#include "measure/degenerate_normals.h"
#include "rig/character.h"

namespace pelt::cli {

// What is inside a character, as src/cli/machine_output.md describes it. Palette batches are counted under `settings`.

nlohmann::ordered_json info_json(const rig::Character& character, const std::string& file,
                                 const deform::SkinningSettings& settings);
/// @param lost  normals that the blend loses in the pose that the flags describe
std::string info_text(const rig::Character& character, const std::string& file,
                      const deform::SkinningSettings& settings, const std::optional<measure::DegenerateNormals>& lost);

}  // namespace pelt::cli
