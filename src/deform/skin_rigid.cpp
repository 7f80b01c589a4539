#include "deform/skin_rigid.h"

#include "deform/vertex_frame.h"

namespace pelt::deform {

void skin_rigid(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end) {
  static constexpr float kWhole = 1.0f;
  for (std::size_t v = begin; v < end; ++v) {
    VertexRow row = row_of(input, v, 1);
    row.weight = &kWhole;
    row.sum = 1.0f;
    write_vertex(input, output, v, row.matrices[row.joint[0]], row);
  }
}

}  // namespace pelt::deform
