#include "measure/posed_cracks.h"

#include <array>

#include "core/expect.h"

namespace pelt::measure {

std::vector<PosedCrack> posed_cracks(const rig::Character& character,
                                     const std::vector<std::vector<rig::PlacedTJunction>>& junctions,
                                     const deform::DeformedCharacter& deformed) {
  PELT_EXPECT(junctions.size() == character.meshes.size(), "one list per mesh");
  PELT_EXPECT(deformed.parts.size() == character.parts.size(), "a deformation of this character");
  std::vector<PosedCrack> out;
  // The parts of a node follow one another, one per primitive of its mesh.
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    if (part.primitive != 0) {
      continue;
    }
    const auto at = [&](const mesh::JoinedMesh::Place& place) {
      return deformed.parts[p + place.primitive].positions[place.vertex];
    };
    for (const rig::PlacedTJunction& junction : junctions[part.mesh]) {
      const std::array posed = {at(junction.vertex), at(junction.a), at(junction.b)};
      out.push_back(
          {part.mesh_node, posed[0], posed[1], posed[2], mesh::posed_crack({0, 1, 2, junction.parameter}, posed)});
    }
  }
  return out;
}

}  // namespace pelt::measure
