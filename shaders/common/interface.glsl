// Attribute locations, uniform block bindings and texture units. src/render/shader_interface.h mirrors this file and a
// test compares the two. GLSL 3.30 can state only the locations itself; the program linker connects the rest by name.

#define ATTRIBUTE_POSITION 0
#define ATTRIBUTE_NORMAL 1
#define ATTRIBUTE_TANGENT 2
#define ATTRIBUTE_TEXCOORD0 3
#define ATTRIBUTE_TEXCOORD1 4
#define ATTRIBUTE_COLOR 5
#define ATTRIBUTE_BLEND_INDICES 6
#define ATTRIBUTE_ROW 6
#define ATTRIBUTE_BLEND_WEIGHTS 7
#define ATTRIBUTE_BLEND_INDICES1 8
#define ATTRIBUTE_BLEND_WEIGHTS1 9
#define ATTRIBUTE_SOURCE_VERTEX 10
#define ATTRIBUTE_LOOK 11
#define ATTRIBUTE_PREPARED 12
#define ATTRIBUTE_INSTANCE 12

#define BINDING_FRAME 0
#define BINDING_PART 1
#define BINDING_PALETTE 2
#define BINDING_MORPH 3
#define BINDING_MATERIAL 4
#define BINDING_STUDIO 5

#define UNIT_BASE_COLOR 0
#define UNIT_METALLIC_ROUGHNESS 1
#define UNIT_NORMAL 2
#define UNIT_OCCLUSION 3
#define UNIT_EMISSIVE 4
#define UNIT_MORPH_DELTAS 5
#define UNIT_IRRADIANCE 6
#define UNIT_RADIANCE 7
#define UNIT_BRDF 8
#define UNIT_SHADOW 9
#define UNIT_SOURCE 10
#define UNIT_SHADOW_DEPTH 11
#define UNIT_CONTACT 12
#define UNIT_OPENNESS 13
#define UNIT_GROUND_SHADOW 14
#define UNIT_BAKED 15
#define UNIT_ROWS 16
#define UNIT_PALETTE 17

#define MORPH_LIMIT 64
