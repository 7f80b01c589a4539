// The room around the character, as light arriving from a direction: a grey room with a bright floor, a large soft box above,
// a key side, a cool fill and two narrow strips behind that draw the silhouette. Everything is analytic, so the same function
// fills the reflection maps at any roughness. Radiance is relative: a white wall is about 0.5.

float soft_box(vec3 direction, vec3 center, vec3 right, vec2 half_size, float softness) {
  float along = dot(direction, center);
  if (along <= 0.0) {
    return 0.0;
  }
  vec3 up = cross(center, right);
  vec2 p = vec2(dot(direction, right), dot(direction, up)) / along;
  vec2 edge = smoothstep(half_size + softness, half_size - softness, abs(p));
  return edge.x * edge.y;
}

vec3 environment_radiance(vec3 d, float solid_angle) {
  // Floor, walls, ceiling.
  float up = d.y;
  vec3 wall = mix(vec3(0.345, 0.355, 0.370), vec3(0.195, 0.200, 0.212), smoothstep(-0.1, 0.9, up));
  vec3 floor_color = vec3(0.350, 0.338, 0.325);
  vec3 light = mix(floor_color, wall, smoothstep(-0.25, 0.08, up));
  // Above, a little to the front.
  light += vec3(2.45, 2.40, 2.35) *
           soft_box(d, normalize(vec3(-0.1, 1.0, 0.2)), vec3(1.0, 0.1, 0.0) / length(vec3(1.0, 0.1, 0.0)),
                    vec2(0.45, 0.34), 0.12);
  // Key side, front right of the character: on the left of most pictures.
  light += vec3(2.1, 2.0, 1.88) *
           soft_box(d, normalize(vec3(-0.75, 0.45, 0.80)), normalize(vec3(0.80, 0.0, 0.75)), vec2(0.26, 0.40), 0.08);
  // Cool fill from the other side.
  light += vec3(0.50, 0.57, 0.69) *
           soft_box(d, normalize(vec3(1.0, 0.25, 0.45)), normalize(vec3(-0.45, 0.0, 1.0)), vec2(0.5, 0.8), 0.2);
  // Strips behind.
  light += vec3(3.2, 3.3, 3.6) *
           soft_box(d, normalize(vec3(0.75, 0.35, -0.85)), normalize(vec3(0.85, 0.0, 0.75)), vec2(0.14, 0.9), 0.06);
  light += vec3(2.6, 2.5, 2.4) *
           soft_box(d, normalize(vec3(-0.9, 0.25, -0.7)), normalize(vec3(0.7, 0.0, -0.9)), vec2(0.10, 0.8), 0.06);
  return light * 0.67;
}
