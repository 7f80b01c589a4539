// Depth alone, for the shadow maps; masked materials cut their holes.

#define VARYING in
#include "surface/varyings.glsl"
#include "common/frame.glsl"
#include "surface/material.glsl"

void main() {
  mask_coverage(surface_color().a);
}
