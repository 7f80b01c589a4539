#pragma once

#include <array>
#include <string_view>

namespace pelt::render {

// Mirror of shaders/common/interface.glsl; the test ShaderInterface.MirrorsTheGlslFile compares name by name.

/// A vertex attribute of surface/surface.vert.
struct AttributeRow {
  std::string_view define;  ///< in interface.glsl
  std::string_view name;
  unsigned location;
};
enum Attribute : unsigned {
  kAttributePosition = 0,       ///< vec3, mesh space (world space where streamed)
  kAttributeNormal = 1,         ///< vec3, (0,0,0) where the primitive has none
  kAttributeTangent = 2,        ///< vec4, (0,0,0,0) where the primitive has none
  kAttributeTexcoord0 = 3,      ///< vec2
  kAttributeTexcoord1 = 4,      ///< vec2
  kAttributeColor = 5,          ///< vec4, linear, white where the primitive has none
  kAttributeBlendIndices = 6,   ///< uvec4, slots of the batch's palette
  kAttributeRow = 6,            ///< uvec2, of methods that have rows of their own: first entry, number of entries
  kAttributeBlendWeights = 7,   ///< vec4
  kAttributeBlendIndices1 = 8,  ///< uvec4, influences five to eight
  kAttributeBlendWeights1 = 9,  ///< vec4
  kAttributeSourceVertex = 10,  ///< uint, which vertex of the primitive this is
  kAttributeLook = 11,          ///< vec4, linear colour of heat maps
  kAttributePrepared = 12,      ///< vec4[1..4], what the skinning method prepared for the vertex
  kAttributeInstance = 12,      ///< vec4[4], one of a crowd, which no method prepares anything for
};
inline constexpr std::array<AttributeRow, 15> kAttributes = {{
    {"ATTRIBUTE_POSITION", "a_position", kAttributePosition},
    {"ATTRIBUTE_NORMAL", "a_normal", kAttributeNormal},
    {"ATTRIBUTE_TANGENT", "a_tangent", kAttributeTangent},
    {"ATTRIBUTE_TEXCOORD0", "a_texcoord0", kAttributeTexcoord0},
    {"ATTRIBUTE_TEXCOORD1", "a_texcoord1", kAttributeTexcoord1},
    {"ATTRIBUTE_COLOR", "a_color", kAttributeColor},
    {"ATTRIBUTE_BLEND_INDICES", "a_blend_indices", kAttributeBlendIndices},
    {"ATTRIBUTE_ROW", "a_row", kAttributeRow},
    {"ATTRIBUTE_BLEND_WEIGHTS", "a_blend_weights", kAttributeBlendWeights},
    {"ATTRIBUTE_BLEND_INDICES1", "a_blend_indices1", kAttributeBlendIndices1},
    {"ATTRIBUTE_BLEND_WEIGHTS1", "a_blend_weights1", kAttributeBlendWeights1},
    {"ATTRIBUTE_SOURCE_VERTEX", "a_source_vertex", kAttributeSourceVertex},
    {"ATTRIBUTE_LOOK", "a_look", kAttributeLook},
    {"ATTRIBUTE_PREPARED", "a_prepared", kAttributePrepared},
    {"ATTRIBUTE_INSTANCE", "a_instance", kAttributeInstance},
}};

/// A uniform block; make_program() connects it by name.
struct BlockRow {
  std::string_view define;
  std::string_view name;
  unsigned binding;
};
enum BlockBinding : unsigned {
  kBindingFrame = 0,     ///< camera, light: one per picture
  kBindingPart = 1,      ///< placement of one part
  kBindingPalette = 2,   ///< skin matrices of one batch
  kBindingMorph = 3,     ///< active morph targets of one part
  kBindingMaterial = 4,  ///< one material
  kBindingStudio = 5,    ///< lights, ground and backdrop: one per picture
  kBindingLights = 6,    ///< the file's own lights: one per picture
};
inline constexpr std::array<BlockRow, 7> kBlocks = {{
    {"BINDING_FRAME", "Frame", kBindingFrame},
    {"BINDING_PART", "Part", kBindingPart},
    {"BINDING_PALETTE", "Palette", kBindingPalette},
    {"BINDING_MORPH", "Morph", kBindingMorph},
    {"BINDING_MATERIAL", "Material", kBindingMaterial},
    {"BINDING_STUDIO", "Studio", kBindingStudio},
    {"BINDING_LIGHTS", "Lights", kBindingLights},
}};

/// A sampler; make_program() sets its texture unit by name.
struct SamplerRow {
  std::string_view define;
  std::string_view name;
  int unit;
};
enum TextureUnit : int {
  kUnitBaseColor = 0,
  kUnitMetallicRoughness = 1,
  kUnitNormal = 2,
  kUnitOcclusion = 3,
  kUnitEmissive = 4,
  kUnitMorphDeltas = 5,    ///< RGBA32F, see surface/surface.vert
  kUnitIrradiance = 6,     ///< diffuse studio light
  kUnitRadiance = 7,       ///< specular studio light
  kUnitBrdf = 8,           ///< split-sum table
  kUnitShadow = 9,         ///< the key light's depth, compared
  kUnitSource = 10,        ///< of full-screen passes
  kUnitShadowDepth = 11,   ///< the same depth, as it is
  kUnitContact = 12,       ///< how much of the ground is covered from close above
  kUnitOpenness = 13,      ///< how much of the room a pixel's surface sees
  kUnitGroundShadow = 14,  ///< the key light's shadow on the ground, seen from above
  kUnitBaked = 15,         ///< RGBA32F, matrices of a crowd, see skinning/crowd.glsl
  kUnitRows = 16,          ///< buffer of RGBA32F, what vertices follow in place of influences
  kUnitPalette = 17,       ///< buffer of RGBA32F, all joints of their skin
  kUnitSpecular = 18,      ///< this and the next seven: textures of material extensions
  kUnitSpecularColor = 19,
  kUnitClearcoat = 20,
  kUnitClearcoatRoughness = 21,
  kUnitClearcoatNormal = 22,
  kUnitSheenColor = 23,
  kUnitSheenRoughness = 24,
  kUnitTransmission = 25,
  kUnitSheenRadiance = 26,  ///< studio light as fibres scatter it
  kUnitScene = 27,          ///< what stands behind transmitting surfaces
  kUnitLookColors = 28,     ///< buffer of RGBA32F, colours of weight looks
};
inline constexpr std::array<SamplerRow, 29> kSamplers = {{
    {"UNIT_BASE_COLOR", "t_base_color", kUnitBaseColor},
    {"UNIT_METALLIC_ROUGHNESS", "t_metallic_roughness", kUnitMetallicRoughness},
    {"UNIT_NORMAL", "t_normal", kUnitNormal},
    {"UNIT_OCCLUSION", "t_occlusion", kUnitOcclusion},
    {"UNIT_EMISSIVE", "t_emissive", kUnitEmissive},
    {"UNIT_MORPH_DELTAS", "t_morph_deltas", kUnitMorphDeltas},
    {"UNIT_IRRADIANCE", "t_irradiance", kUnitIrradiance},
    {"UNIT_RADIANCE", "t_radiance", kUnitRadiance},
    {"UNIT_BRDF", "t_brdf", kUnitBrdf},
    {"UNIT_SHADOW", "t_shadow", kUnitShadow},
    {"UNIT_SOURCE", "t_source", kUnitSource},
    {"UNIT_SHADOW_DEPTH", "t_shadow_depth", kUnitShadowDepth},
    {"UNIT_CONTACT", "t_contact", kUnitContact},
    {"UNIT_OPENNESS", "t_openness", kUnitOpenness},
    {"UNIT_GROUND_SHADOW", "t_ground_shadow", kUnitGroundShadow},
    {"UNIT_BAKED", "t_baked", kUnitBaked},
    {"UNIT_ROWS", "t_rows", kUnitRows},
    {"UNIT_PALETTE", "t_palette", kUnitPalette},
    {"UNIT_SPECULAR", "t_specular", kUnitSpecular},
    {"UNIT_SPECULAR_COLOR", "t_specular_color", kUnitSpecularColor},
    {"UNIT_CLEARCOAT", "t_clearcoat", kUnitClearcoat},
    {"UNIT_CLEARCOAT_ROUGHNESS", "t_clearcoat_roughness", kUnitClearcoatRoughness},
    {"UNIT_CLEARCOAT_NORMAL", "t_clearcoat_normal", kUnitClearcoatNormal},
    {"UNIT_SHEEN_COLOR", "t_sheen_color", kUnitSheenColor},
    {"UNIT_SHEEN_ROUGHNESS", "t_sheen_roughness", kUnitSheenRoughness},
    {"UNIT_TRANSMISSION", "t_transmission", kUnitTransmission},
    {"UNIT_SHEEN_RADIANCE", "t_sheen_radiance", kUnitSheenRadiance},
    {"UNIT_SCENE", "t_scene", kUnitScene},
    {"UNIT_LOOK_COLORS", "t_look_colors", kUnitLookColors},
}};

/// Active morph targets of one draw; more are morphed on the CPU.
inline constexpr int kMorphLimit = 64;

/// Lights of a file that shine; more are left out with a note.
inline constexpr int kLightLimit = 16;

}  // namespace pelt::render
