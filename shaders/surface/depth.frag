// Depth alone, for the shadow maps; masked materials cut their holes.

#define VARYING in
#include "surface/varyings.glsl"
#include "common/frame.glsl"
#include "surface/material.glsl"

void main() {
  if (u_textures.z == 1 && surface_color().a < u_emissive.w) {
    discard;
  }
}
