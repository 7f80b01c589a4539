// What surface.vert hands to every fragment shader of a part. Define VARYING as `out` or `in` before including.

VARYING vec3 v_position_world;
VARYING vec3 v_normal_world;   // unit at the vertices; zero where the part has no normals: shade flat
VARYING vec4 v_tangent_world;  // w: handedness; zero where the part has no tangents
VARYING vec2 v_texcoord0;
VARYING vec2 v_texcoord1;
VARYING vec4 v_color;  // linear, white where the part has none
VARYING vec4 v_look;   // heat-map colour, linear; alpha: the weight in a map of one joint; zero where none is set
