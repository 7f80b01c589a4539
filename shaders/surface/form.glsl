// Light fixed to the camera, so that shape reads the same from every side.

vec3 view_normal(vec3 world_normal) {
  return normalize(mat3(u_view_from_world) * world_normal);
}

// About 1 on surfaces turned to the upper left, falling to 0.35 at the lower right; a little darker at grazing angles.
float form_light(vec3 n) {
  float key = clamp(dot(n, normalize(vec3(-0.45, 0.6, 0.66))) * 0.5 + 0.5, 0.0, 1.0);
  return mix(0.35, 1.06, key * key) * mix(0.72, 1.0, smoothstep(0.0, 0.55, n.z));
}
