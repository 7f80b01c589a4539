// What one part needs besides its palette.

layout(std140) uniform Part {
  mat4 u_from_mesh;        // to the world, of a part that follows a node; the identity where vertices are streamed in
                           // world space; of a part that follows a skin, its binding's shape_from_mesh
  ivec4 u_part;            // x: normal variant, as deform::NormalVariant counts them: 0 is a, 7 is h,
                           // y: 1 where the part has normals, z: tangents,
                           // w: influence slots in the attributes, 0: full sets of four, negative: the last weight is implied
  vec4 u_method;           // what the method's row says in shader_parameters
};
