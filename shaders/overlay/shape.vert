// Triangles that the CPU placed in clip space; see src/render/overlay.cpp for what a_shape holds.

layout(location = 0) in vec4 a_clip;
layout(location = 1) in vec4 a_color;
layout(location = 2) in vec4 a_shape;
layout(location = 3) in vec3 a_style;

noperspective out vec4 v_color;
noperspective out vec4 v_shape;
flat out vec3 v_style;

void main() {
  v_color = a_color;
  v_shape = a_shape;
  v_style = a_style;
  gl_Position = a_clip;
}
