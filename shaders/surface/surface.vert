// The one vertex shader of all parts: morph, then skin or place. Defines: SKINNING (the file with skin_vertex), MORPHS,
// FEEDBACK (varyings are captured, nothing is drawn), WEIGHT_LOOK (heat maps of weights), and those of the skinning files.

#include "common/interface.glsl"
#include "common/part.glsl"
#define VARYING out
#include "surface/varyings.glsl"

layout(location = ATTRIBUTE_POSITION) in vec3 a_position;
layout(location = ATTRIBUTE_NORMAL) in vec3 a_normal;
layout(location = ATTRIBUTE_TANGENT) in vec4 a_tangent;
layout(location = ATTRIBUTE_TEXCOORD0) in vec2 a_texcoord0;
layout(location = ATTRIBUTE_TEXCOORD1) in vec2 a_texcoord1;
layout(location = ATTRIBUTE_COLOR) in vec4 a_color;
layout(location = ATTRIBUTE_LOOK) in vec4 a_look;

#ifdef MORPHS
#include "skinning/morph.glsl"
#endif
#include SKINNING
#ifdef WEIGHT_LOOK
#include "surface/weight_look.glsl"
#endif
#ifndef FEEDBACK
#include "common/frame.glsl"
#endif

void main() {
  vec3 position = a_position;
  vec3 normal = a_normal;
  vec4 tangent = a_tangent;
#ifdef MORPHS
  morph_vertex(position, normal, tangent);
#endif
  skin_vertex(position, normal, tangent);

  v_position_world = position;
  v_normal_world = normal;
  v_tangent_world = tangent;
  v_texcoord0 = a_texcoord0;
  v_texcoord1 = a_texcoord1;
  v_color = a_color;
#ifdef INSTANCED
  v_color.rgb *= instance_tint();
#endif
#ifdef WEIGHT_LOOK
  v_look = weight_look(a_look);
#else
  v_look = a_look;
#endif
#ifndef FEEDBACK
  gl_Position = u_clip_from_world * vec4(position, 1.0);
#endif
}
