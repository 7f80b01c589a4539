// Point sets and distributions for the studio's tables. Karis, "Real Shading in Unreal Engine 4", SIGGRAPH 2013 course.

const float kPi = 3.14159265359;

// The i-th of n points of the Hammersley set.
vec2 hammersley(uint i, uint n) {
  uint bits = i;
  bits = (bits << 16u) | (bits >> 16u);
  bits = ((bits & 0x55555555u) << 1u) | ((bits & 0xAAAAAAAAu) >> 1u);
  bits = ((bits & 0x33333333u) << 2u) | ((bits & 0xCCCCCCCCu) >> 2u);
  bits = ((bits & 0x0F0F0F0Fu) << 4u) | ((bits & 0xF0F0F0F0u) >> 4u);
  bits = ((bits & 0x00FF00FFu) << 8u) | ((bits & 0xFF00FF00u) >> 8u);
  return vec2((float(i) + 0.5) / float(n), float(bits) * 2.3283064365386963e-10);
}

// Half vector about +z, GGX of the given alpha.
vec3 sample_ggx(vec2 point, float alpha) {
  float phi = 2.0 * kPi * point.x;
  float cosine = sqrt((1.0 - point.y) / (1.0 + (alpha * alpha - 1.0) * point.y));
  float sine = sqrt(max(0.0, 1.0 - cosine * cosine));
  return vec3(cos(phi) * sine, sin(phi) * sine, cosine);
}

// Columns: two tangents and n.
mat3 basis(vec3 n) {
  vec3 helper = abs(n.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0);
  vec3 t = normalize(cross(helper, n));
  return mat3(t, cross(n, t), n);
}

// Direction through a texel of a cube map's face, faces in OpenGL's order.
vec3 cube_direction(int face, vec2 uv) {
  vec2 p = uv * 2.0 - 1.0;
  vec3 d = face == 0   ? vec3(1.0, -p.y, -p.x)
           : face == 1 ? vec3(-1.0, -p.y, p.x)
           : face == 2 ? vec3(p.x, 1.0, p.y)
           : face == 3 ? vec3(p.x, -1.0, -p.y)
           : face == 4 ? vec3(p.x, -p.y, 1.0)
                       : vec3(-p.x, -p.y, -1.0);
  return normalize(d);
}
