#pragma once

// Internal to the exporter: materials, lights and texture samplers as JSON.

#include <set>
#include <string>

#include "gltf/export_buffers.h"
#include "rig/character.h"

namespace pelt::gltf {

/// What differs from the specification's defaults.
/// @param strength    what KHR_materials_emissive_strength takes out of the emissive colour: at least 1
/// @param extensions  receives the names of those used
Json material_json(const rig::Material& material, float strength, std::set<std::string>& extensions);

/// An entry of KHR_lights_punctual.
Json light_json(const rig::Light& light);

Json camera_json(const rig::Camera& camera);

/// @param filters  what the source's sampler says besides its wrapping (SourceForm), null: all is the texture's
Json sampler_json(const rig::Texture& texture, Json filters);
/// False where a texture without a sampler means the same.
bool needs_sampler(const rig::Texture& texture);

}  // namespace pelt::gltf
