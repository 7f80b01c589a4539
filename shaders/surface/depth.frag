// Depth alone, for the shadow maps and occlusion; masked materials (WITH_HOLES) cut their holes. Others look nothing up.

#ifdef WITH_HOLES
#define VARYING in
#include "surface/varyings.glsl"
#include "common/frame.glsl"
#include "surface/material.glsl"

void main() {
  mask_coverage(surface_color().a);
}
#else
void main() {}
#endif
