// Linear blend skinning as a sum of points, ALGORITHMS.md section 7: normals and tangents are those of the blended matrix.

#define SUM_OF_POINTS
#include "skinning/lbs.glsl"
