// Weights mirrored (ALGORITHMS.md §39) and rogue vertices brought back (§38).
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>

#include "mesh/rogues.h"
#include "mesh/weight_mirror.h"
#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

std::vector<const Influences*> influences_of(const Mesh& mesh) {
  std::vector<const Influences*> out;
  for (const Primitive& primitive : mesh.primitives) {
    out.push_back(&*primitive.influences);
  }
  return out;
}

Mesh with_patches(Mesh mesh, const std::vector<InfluencesPatch>& patches) {
  for (std::size_t p = 0; p < patches.size(); ++p) {
    if (!patches[p].empty()) {
      Shared<Influences>& rows = mesh.primitives.edit(p).influences;
      rows = patched(*rows, patches[p]);
    }
  }
  return mesh;
}

std::vector<std::uint32_t> places_of(const WeldedSurface& surface) {
  std::vector<std::uint32_t> places(surface.place_count());
  std::iota(places.begin(), places.end(), 0u);
  return places;
}

void put_random_rows(Primitive& primitive, int joint_count, std::uint32_t seed) {
  test::Random random(seed);
  Influences rows;
  for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
    std::vector<std::uint16_t> joints;
    std::vector<float> weights;
    for (int k = 0; k <= random.below(4); ++k) {
      joints.push_back(static_cast<std::uint16_t>(random.below(joint_count)));
      weights.push_back(random.real(0.01f, 1.0f));
    }
    append_row(rows, joints, weights);
  }
  primitive.influences = rows;
}

// F-CYL is its own mirror image about x = 0.5; joints 0 and 1, 2 and 3 are partners, 4 is in the middle.
struct MirroredCylinder {
  Mesh mesh;
  std::shared_ptr<const WeldedSurface> surface;
  std::vector<std::uint32_t> partner;
  const std::array<std::uint16_t, 5> partner_joint = {1, 0, 3, 2, 4};
  const MirrorPlane plane = {{1, 0, 0}, 0.5};

  explicit MirroredCylinder(std::uint32_t seed) {
    mesh.primitives.push_back(test::cylinder_primitive());
    put_random_rows(mesh.primitives.edit(0), 5, seed);
    surface = welded_surface(mesh);
    partner = mirrored_places(*surface, plane, 1e-5);
  }
  [[nodiscard]] Mesh mirrored(const Mesh& from, MirrorWay way, std::span<const std::uint16_t> locked = {}) const {
    return with_patches(
        from, mirrored_weights(
                  *surface, influences_of(from), places_of(*surface),
                  {.way = way, .plane = plane, .partner = partner, .partner_joint = partner_joint, .locked = locked}));
  }
};

float weight_of_slot(const InfluenceRow& row, std::uint16_t slot) {
  const auto at = std::ranges::find(row.joints, slot);
  return at == row.joints.end() ? 0 : row.weights[at - row.joints.begin()];
}

TEST(WeightMirror, PartnersLieAtTheMirroredPlaces) {
  const MirroredCylinder cylinder(1);
  for (int ring = 0; ring < test::kCylinderRings; ++ring) {
    for (int k = 0; k < test::kCylinderAround; ++k) {
      const std::uint32_t w = cylinder.surface->place[test::cylinder_vertex(ring, k)];
      EXPECT_EQ(cylinder.partner[w], cylinder.surface->place[test::cylinder_vertex(40 - ring, k)]);
    }
  }
  // Nothing is found on the other side of a plane elsewhere, but what lies in it.
  const std::vector<std::uint32_t> none = mirrored_places(*cylinder.surface, {{1, 0, 0}, 1.0}, 1e-5);
  EXPECT_EQ(std::ranges::count_if(none, [](std::uint32_t w) { return w != kNoPlace; }), 33);
  EXPECT_EQ(std::ranges::count(mirrored_places(*cylinder.surface, {}, 0), kNoPlace), std::ssize(none));
}

TEST(WeightMirror, C39_5_ExchangingTwiceIsTheIdentityAndOneWayIsIdempotent) {
  for (std::uint32_t seed = 1; seed < 6; ++seed) {
    const MirroredCylinder cylinder(seed);
    const Mesh once = cylinder.mirrored(cylinder.mesh, MirrorWay::kExchange);
    const Influences& before = cylinder.mesh.primitives[0].influences;
    const Influences& exchanged = once.primitives[0].influences;
    EXPECT_FALSE(before == exchanged);
    const Influences back = cylinder.mirrored(once, MirrorWay::kExchange).primitives[0].influences;
    for (std::size_t v = 0; v < before.vertex_count(); ++v) {
      EXPECT_TRUE(std::ranges::equal(before.joints(v), back.joints(v)) &&
                  std::ranges::equal(before.weights(v), back.weights(v)))
          << v;
    }
    for (const MirrorWay way : {MirrorWay::kLeftToRight, MirrorWay::kRightToLeft}) {
      const Mesh symmetric = cylinder.mirrored(cylinder.mesh, way);
      const Influences& rows = symmetric.primitives[0].influences;
      EXPECT_TRUE(*cylinder.mirrored(symmetric, way).primitives[0].influences == rows);
      for (int ring = 0; ring < test::kCylinderRings; ++ring) {
        const std::uint32_t v = test::cylinder_vertex(ring, 7);
        const std::uint32_t image = test::cylinder_vertex(40 - ring, 7);
        for (std::uint16_t slot = 0; slot < 5; ++slot) {
          EXPECT_EQ(weight_of_slot(rows.row(v), slot), weight_of_slot(rows.row(image), cylinder.partner_joint[slot]));
        }
        const bool is_source = way == MirrorWay::kLeftToRight ? ring > 20 : ring < 20;
        EXPECT_EQ(is_source, ring != 20 && same_row(rows.row(v), before.row(v))) << ring;
      }
    }
  }
}

TEST(WeightMirror, LockedJointsKeepTheirBits) {
  const MirroredCylinder cylinder(9);
  const std::vector<std::uint16_t> locked = {2};
  const Mesh after = cylinder.mirrored(cylinder.mesh, MirrorWay::kLeftToRight, locked);
  for (std::size_t v = 0; v < after.primitives[0].vertex_count(); ++v) {
    const InfluenceRow row = after.primitives[0].influences->row(v);
    EXPECT_EQ(weight_of_slot(row, 2), weight_of_slot(cylinder.mesh.primitives[0].influences->row(v), 2));
    EXPECT_NEAR(std::accumulate(row.weights.begin(), row.weights.end(), 0.0), 1, 1e-6);
  }
}

// Two copies of F-CYL at y = -0.3 and 0.3 with a bone each.
Mesh two_cylinders() {
  Primitive both;
  for (int copy = 0; copy < 2; ++copy) {
    const auto first = static_cast<std::uint32_t>(both.positions.size());
    const Primitive one = test::cylinder_primitive();
    for (const glm::vec3& p : one.positions) {
      both.positions.push_back(p + glm::vec3(0, copy == 0 ? -0.3f : 0.3f, 0));
      const auto joint = static_cast<std::uint16_t>(copy);
      const float weight = 1;
      append_row(both.influences.edit(), {&joint, 1}, {&weight, 1});
    }
    for (const std::uint32_t v : one.indices) {
      both.indices.push_back(first + v);
    }
  }
  Mesh mesh;
  mesh.primitives.push_back(std::move(both));
  return mesh;
}

double to_cylinder_bone(std::uint16_t slot, const glm::dvec3& p) {
  const glm::dvec3 off = p - glm::dvec3(std::clamp(p.x, 0.0, 1.0), slot == 0 ? -0.3 : 0.3, 0);
  return glm::length(off);
}

void bind_hard(Mesh& mesh, std::uint32_t v, std::uint16_t joint) {
  const float weight = 1;
  mesh.primitives.edit(0).influences.edit().set_row(v, {&joint, 1}, {&weight, 1});
}

TEST(Rogues, C38_1_FiveOfTwoCylindersAreFoundAndRepaired) {
  Mesh mesh = two_cylinders();
  const Mesh clean = mesh;
  std::set<std::uint32_t> strays;
  for (const auto& [ring, around] : std::map<int, int>{{3, 5}, {9, 30}, {17, 2}, {25, 11}, {38, 20}}) {
    strays.insert(test::cylinder_vertex(ring, around));
    bind_hard(mesh, test::cylinder_vertex(ring, around), 1);
  }
  const auto surface = welded_surface(mesh);
  const std::vector<RoguePatch> found = find_rogues(*surface, influences_of(mesh), to_cylinder_bone, {});
  ASSERT_EQ(found.size(), 5u);
  std::set<std::uint32_t> named;
  for (const RoguePatch& patch : found) {
    EXPECT_EQ(patch.joint, 1);
    EXPECT_FALSE(patch.is_island);
    ASSERT_EQ(patch.places.size(), 1u);
    named.insert(surface->copies(patch.places[0])[0]);
  }
  EXPECT_EQ(named, strays);
  const Mesh after = with_patches(mesh, repaired_rogues(*surface, influences_of(mesh), to_cylinder_bone, {}, {}));
  EXPECT_TRUE(*after.primitives[0].influences == *clean.primitives[0].influences);
}

TEST(Rogues, C38_2_CleanMeshesHaveNoneAndRepairIsIdempotent) {
  const Mesh clean = two_cylinders();
  const auto surface = welded_surface(clean);
  EXPECT_TRUE(find_rogues(*surface, influences_of(clean), to_cylinder_bone, {}).empty());
  // Soft strays in patches of several, some beside each other for different bones.
  Mesh mesh = clean;
  test::Random random(38);
  for (int n = 0; n < 120; ++n) {
    const std::array<std::uint16_t, 2> joints = {0, 1};
    const float share = random.real(0.05f, 0.95f);
    const std::array<float, 2> weights = {share, 1 - share};
    mesh.primitives.edit(0).influences.edit().set_row(random.raw() % clean.primitives[0].vertex_count(), joints,
                                                      weights);
  }
  const Mesh once = with_patches(mesh, repaired_rogues(*surface, influences_of(mesh), to_cylinder_bone, {}, {}));
  EXPECT_FALSE(find_rogues(*surface, influences_of(mesh), to_cylinder_bone, {}).empty());
  EXPECT_TRUE(find_rogues(*surface, influences_of(once), to_cylinder_bone, {}).empty());
  for (const InfluencesPatch& patch : repaired_rogues(*surface, influences_of(once), to_cylinder_bone, {}, {})) {
    EXPECT_TRUE(patch.empty());
  }
  for (std::size_t v = 0; v < once.primitives[0].vertex_count(); ++v) {
    const auto weights = once.primitives[0].influences->weights(v);
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-6);
  }
  // Locked joints are left alone.
  const std::vector<std::uint16_t> locked = {0, 1};
  for (const InfluencesPatch& patch : repaired_rogues(*surface, influences_of(mesh), to_cylinder_bone, locked, {})) {
    EXPECT_TRUE(patch.empty());
  }
}

TEST(Rogues, WholeShellsAreToldAndChangedOnlyWhenAsked) {
  Mesh mesh = two_cylinders();
  // A third shell, a buckle at the lower cylinder that follows the upper bone.
  Primitive& primitive = mesh.primitives.edit(0);
  const auto first = static_cast<std::uint32_t>(primitive.positions.size());
  for (const glm::vec3& p : {glm::vec3(0.5f, -0.45f, 0), glm::vec3(0.55f, -0.45f, 0), glm::vec3(0.5f, -0.5f, 0)}) {
    primitive.positions.push_back(p);
    const std::uint16_t joint = 1;
    const float weight = 1;
    append_row(primitive.influences.edit(), {&joint, 1}, {&weight, 1});
  }
  primitive.indices.append({first, first + 1, first + 2});
  const auto surface = welded_surface(mesh);
  const std::vector<RoguePatch> found = find_rogues(*surface, influences_of(mesh), to_cylinder_bone, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_island);
  EXPECT_TRUE(repaired_rogues(*surface, influences_of(mesh), to_cylinder_bone, {}, {})[0].empty());
  const Mesh after =
      with_patches(mesh, repaired_rogues(*surface, influences_of(mesh), to_cylinder_bone, {}, {.whole_islands = true}));
  for (std::uint32_t v = first; v < first + 3; ++v) {
    ASSERT_EQ(after.primitives[0].influences->count(v), 1u);
    EXPECT_EQ(after.primitives[0].influences->joints(v)[0], 0);
  }
  EXPECT_TRUE(
      repaired_rogues(*surface, influences_of(after), to_cylinder_bone, {}, {.whole_islands = true})[0].empty());
}

}  // namespace
}  // namespace pelt::mesh
