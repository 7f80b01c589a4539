// What is the same for all parts of one picture. A shadow pass binds another range whose u_clip_from_world is the light's.

layout(std140) uniform Frame {
  mat4 u_clip_from_world;
  mat4 u_view_from_world;
  vec4 u_eye_world;   // w: 1 perspective, 0 orthographic
  vec4 u_viewport;    // width, height, pixel scale, exposure factor
  vec4 u_picture;     // x: tone mapping, 0 Khronos, 1 ACES, 2 none; y: 1 where alpha becomes coverage of samples; zw: the
                      // pixel of the picture at the lower left of what is drawn into
};

// Of fragment shaders. A macro, since vertex shaders read this file too.
#define picture_pixel() (gl_FragCoord.xy + u_picture.zw)
