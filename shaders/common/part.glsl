// What one part needs besides its palette.

layout(std140) uniform Part {
  mat4 u_world_from_mesh;  // of a part that follows a node; identity where vertices are streamed in world space
  ivec4 u_part;            // x: normal variant 0..4 (a..e), y: 1 where the part has normals, z: tangents
};
