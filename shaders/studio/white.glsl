// The same white from everywhere: what a material gives back of it is its albedo, and energy that it makes or loses shows.

vec3 environment_radiance(vec3 d, float solid_angle) {
  return vec3(1.0);
}
