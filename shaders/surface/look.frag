// Heat maps and normals. LOOK_NORMALS shows the shading normal; otherwise v_look is the colour. The hue is data: light only
// scales it, and it is neither exposed nor tone mapped.

#include "common/frame.glsl"
#define VARYING in
#include "surface/varyings.glsl"
#include "common/part.glsl"
#include "common/color.glsl"
#include "surface/material.glsl"
#include "surface/form.glsl"

uniform sampler2D t_openness;

out vec4 o_color;

void main() {
  if (u_textures.z == 1 && surface_color().a < u_emissive.w) {
    discard;
  }
  vec3 n = interpolated_normal();
#ifdef LOOK_NORMALS
  vec3 color = pow(n * 0.5 + 0.5, vec3(2.2));
#else
  vec3 color = v_look.rgb * form_light(view_normal(n));
#endif
  color *= mix(0.55, 1.0, texture(t_openness, gl_FragCoord.xy / u_viewport.xy).r);
  o_color = vec4(dithered(color, gl_FragCoord.xy), 1.0);
}
