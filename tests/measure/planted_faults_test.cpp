#include "measure/planted_faults.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gltf/import.h"
#include "mesh/influences_patch.h"

namespace pelt::measure {
namespace {

rig::Character mannequin() {
  Result<rig::Character> character =
      gltf::import_file(std::filesystem::path(PELT_SOURCE_DIR) / "assets" / "mannequin.glb");
  EXPECT_TRUE(character);
  return character ? *std::move(character) : rig::Character();
}

// Vertices with other weights, counted through all primitives.
std::vector<std::uint32_t> changed_rows(const rig::Character& before, const PlantedFault& fault) {
  std::vector<std::uint32_t> out;
  const mesh::Mesh& was = before.meshes[static_cast<std::size_t>(fault.mesh)];
  const mesh::Mesh& now = fault.character.meshes[static_cast<std::size_t>(fault.mesh)];
  const std::vector<std::uint32_t> first = mesh::first_vertices(was);
  for (std::size_t p = 0; p < was.primitives.size(); ++p) {
    mesh::for_changed_rows(*was.primitives[p].influences, *now.primitives[p].influences,
                           [&](std::size_t v) { out.push_back(first[p] + static_cast<std::uint32_t>(v)); });
  }
  std::ranges::sort(out);
  return out;
}

TEST(PlantedFaults, ChangeWhatTheySayAndTheSameEachTime) {
  const rig::Character sound = mannequin();
  for (const FaultKind& kind : fault_kinds()) {
    std::size_t before = 0;
    for (std::size_t strength = 0; strength < kFaultStrengths; ++strength) {
      SCOPED_TRACE(fmt::format("{} {}", kind.code, strength));
      const std::optional<PlantedFault> fault = kind.plant(sound, strength);
      const std::optional<PlantedFault> again = kind.plant(sound, strength);
      ASSERT_TRUE(fault && again);
      EXPECT_EQ(fault->vertices, again->vertices);
      EXPECT_TRUE(std::ranges::is_sorted(fault->vertices));
      EXPECT_EQ(std::ranges::adjacent_find(fault->vertices), fault->vertices.end());
      EXPECT_GE(fault->vertices.size(), before) << "stronger faults break no less";
      before = fault->vertices.size();
      const std::vector<std::uint32_t> rows = changed_rows(sound, *fault);
      if (kind.code == "winding") {
        EXPECT_TRUE(rows.empty());
        EXPECT_NE(fault->character.meshes[static_cast<std::size_t>(fault->mesh)].primitives[0].indices,
                  sound.meshes[static_cast<std::size_t>(fault->mesh)].primitives[0].indices);
      } else if (kind.code == "inverse-bind-mismatch") {
        EXPECT_TRUE(rows.empty());
        EXPECT_FALSE(fault->character.skins[0].joint_from_mesh == sound.skins[0].joint_from_mesh);
      } else if (kind.code == "weight-asymmetry" || kind.code == "open-seam") {
        // The other side, or the copy beside it, is as wrong as what was changed.
        EXPECT_FALSE(rows.empty());
        EXPECT_TRUE(std::ranges::includes(fault->vertices, rows));
      } else if (kind.code == "hard-edge-weight") {
        EXPECT_TRUE(std::ranges::includes(rows, fault->vertices));
      } else {
        EXPECT_EQ(rows, fault->vertices);
      }
    }
  }
}

// Nothing to plant into is no fault.
TEST(PlantedFaults, NeedASkin) {
  for (const FaultKind& kind : fault_kinds()) {
    EXPECT_FALSE(kind.plant(rig::Character(), 0)) << kind.code;
  }
}

}  // namespace
}  // namespace pelt::measure
