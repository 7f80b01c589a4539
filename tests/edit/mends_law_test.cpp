// Mends change what was found and nothing else, and what is sound they leave alone.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "deform/deform.h"
#include "edit/weight_repairs.h"
#include "edit_fixtures.h"
#include "gltf/import.h"
#include "measure/planted_faults.h"
#include "rig/kinematics.h"
#include "rig/skin_sides.h"
#include "support/effort.h"

namespace pelt::edit {
namespace {

namespace fs = std::filesystem;

using Character = std::shared_ptr<const rig::Character>;

// The bundled characters and those of the corpus, by file name.
std::map<std::string, Character> all_characters() {
  std::vector<fs::path> files;
  for (const char* const name : {"mannequin", "centipede", "elbow", "cylinder", "tube"}) {
    files.push_back(fs::path(PELT_SOURCE_DIR) / "assets" / fmt::format("{}.glb", name));
  }
  const fs::path corpus = fs::path(PELT_CORPUS_DIR) / "characters";
  for (const auto& entry : fs::exists(corpus) ? fs::directory_iterator(corpus) : fs::directory_iterator()) {
    if (entry.path().extension() == ".glb" || entry.path().extension() == ".gltf") {
      files.push_back(entry.path());
    }
  }
  std::map<std::string, Character> out;
  for (const fs::path& file : files) {
    if (Result<rig::Character> character = gltf::import_file(file); character) {
      out[file.filename().string()] = std::make_shared<const rig::Character>(*std::move(character));
    }
  }
  return out;
}

bool is_skinned(const rig::Character& character) {
  return std::ranges::any_of(character.mesh_nodes, [](const rig::MeshNode& node) { return node.skin >= 0; });
}

// Rest, moments of the clips, and joints turned at random.
std::vector<rig::Pose> some_poses(const rig::Character& character) {
  std::vector<rig::Pose> poses = {rig::rest_pose(character)};
  for (std::size_t c = 0; c < std::min<std::size_t>(character.clips.size(), 3); ++c) {
    const rig::Clip& clip = character.clips[c];
    for (const float share : {0.1f, 0.4f, 0.8f}) {
      rig::Pose pose = rig::rest_pose(character);
      rig::apply(clip, clip.start + share * (clip.end - clip.start), character.morph_offset, pose);
      poses.push_back(std::move(pose));
    }
  }
  test::Random random(7);
  for (int i = 0; i < 4; ++i) {
    rig::Pose pose = rig::rest_pose(character);
    for (int j = 0; j < character.skeleton->size(); ++j) {
      if (character.skeleton->parent[j] >= 0) {
        pose.local[j].rotation = pose.local[j].rotation * glm::quat(random.rotation(0.8));
      }
    }
    poses.push_back(std::move(pose));
  }
  return poses;
}

// How far a vertex of one is at most from the same of the other, over some poses, in parts of the height of a body of
// 1.8 m.
double largest_move(const rig::Character& a, const rig::Character& b) {
  deform::CpuDeformer first;
  deform::CpuDeformer second;
  deform::DeformedCharacter was;
  deform::DeformedCharacter now;
  rig::WorldMatrices world;
  double largest = 0;
  double size = 0;
  for (const rig::Pose& pose : some_poses(a)) {
    world.evaluate(a.skeleton, pose);
    first.deform(a, pose, world.world(), {}, was);
    second.deform(b, pose, world.world(), {}, now);
    size = std::max(size, static_cast<double>((was.bounds.upper - was.bounds.lower).y));
    for (std::size_t p = 0; p < was.parts.size(); ++p) {
      for (std::size_t v = 0; v < was.parts[p].positions.size(); ++v) {
        largest =
            std::max(largest, static_cast<double>(glm::distance(was.parts[p].positions[v], now.parts[p].positions[v])));
      }
    }
  }
  return largest / size * 1.8;
}

// The character after a tool as its fields stand, on all of its meshes.
Character after_tool(const Character& character, std::string_view tool) {
  Character now = character;
  for (int m = 0; m < static_cast<int>(character->meshes.size()); ++m) {
    const auto after = with_weight_tool(*now, {.tool = std::string(tool), .mesh = m});
    now = after && *after != nullptr ? *after : now;
  }
  return now;
}

using MeshVertices = std::set<std::pair<int, std::uint32_t>>;  // mesh, vertex through all of its primitives

MeshVertices changed_vertices(const rig::Character& before, const rig::Character& after) {
  MeshVertices out;
  for (int m = 0; m < static_cast<int>(before.meshes.size()); ++m) {
    std::uint32_t first = 0;
    for (std::size_t p = 0; p < before.meshes[m].primitives.size(); ++p) {
      const mesh::Influences& was = before.meshes[m].primitives[p].influences;
      const mesh::Influences& now = after.meshes[m].primitives[p].influences;
      for (std::uint32_t v = 0; v < was.vertex_count(); ++v) {
        if (!std::ranges::equal(was.joints(v), now.joints(v)) || !std::ranges::equal(was.weights(v), now.weights(v)) ||
            was.stored_sum(v) != now.stored_sum(v)) {
          out.insert({m, first + v});
        }
      }
      first += static_cast<std::uint32_t>(before.meshes[m].primitives[p].vertex_count());
    }
  }
  return out;
}

MeshVertices named_by_lint(const rig::Character& character, std::string_view code) {
  MeshVertices out;
  const Result<rig::Findings> findings = rig::lint(character);
  for (const rig::Finding& finding : *findings) {
    for (const std::uint32_t v : finding.code == code ? finding.mesh_vertices : std::vector<std::uint32_t>()) {
      out.insert({finding.place.mesh, v});
    }
  }
  return out;
}

// A tool that nobody adjusted finds what lint finds, which on a sound character is nothing; what only rounds or drops
// moves no vertex of a body by more than a millimetre.
TEST(MendsLaw, WhatIsSoundStaysUnderEveryToolAsItStands) {
  int sound = 0;
  for (const auto& [name, character] : all_characters()) {
    SCOPED_TRACE(name);
    if (!is_skinned(*character)) {
      continue;
    }
    const MeshVertices strays = named_by_lint(*character, "rogue-weight");
    sound += strays.empty() ? 1 : 0;
    EXPECT_EQ(changed_vertices(*character, *after_tool(character, "rogues")), strays);
    EXPECT_EQ(changed_vertices(*character, *after_tool(character, "weld")), named_by_lint(*character, "open-seam"));
    for (const std::string_view tool : strays.empty()
                                           ? std::vector<std::string_view>{"prune", "limit", "normalise", "quantise"}
                                           : std::vector<std::string_view>()) {
      EXPECT_LT(largest_move(*character, *after_tool(character, tool)), 1e-3) << tool;
    }
    for (const char* const tool : {"hammer", "inpaint", "average"}) {
      EXPECT_FALSE(with_weight_tool(*character, {.tool = tool, .mesh = character->mesh_nodes[0].mesh}).has_value())
          << tool << " of a whole mesh";
    }
  }
  EXPECT_GE(sound, 4);
}

// A rig of which nothing of this kind is told, with something wrong in the first mesh that is skinned.
class Planting {
 public:
  Planting(const rig::Character& sound, test::Random& random) : character_(sound), random_(random) {
    const auto node = std::ranges::find_if(sound.mesh_nodes, [](const rig::MeshNode& one) { return one.skin >= 0; });
    mesh_ = node->mesh;
    skin_ = node->skin;
  }

  // Single vertices on the joint whose bone is farthest, of those that have vertices of their own.
  void stray_vertices() {
    for (int i = 0; i < 3; ++i) {
      const std::uint32_t v = any_vertex();
      const std::uint16_t joint = farthest_joint(v);
      const std::span<const glm::vec3> positions = character_.meshes[mesh_].primitives[0].positions;
      for (std::uint32_t copy = 0; copy < positions.size(); ++copy) {
        if (positions[copy] == positions[v]) {
          put(copy, {joint}, {1});
        }
      }
    }
  }
  void other_side() {
    const std::vector<int> partner = rig::mirrored_joints(*character_.skeleton);
    const std::vector<int>& joints = character_.skins[skin_].joints;
    for (int i = 0; i < 40; ++i) {
      const std::uint32_t v = any_vertex();
      if (rows().count(v) == 0) {
        continue;
      }
      const std::uint16_t k = rows().joints(v)[0];
      const auto other = std::ranges::find(joints, partner[joints[k]]);
      if (other != joints.end()) {
        put(v, {static_cast<std::uint16_t>(other - joints.begin())}, {1});
      }
    }
  }
  void no_weights() {
    for (int i = 0; i < 3; ++i) {
      put(any_vertex(), {}, {});
    }
    tell("weight-zero");
  }
  void many_influences() {
    const int count = static_cast<int>(character_.skins[skin_].joints.size());
    if (count >= 6) {
      const int first = random_.below(count - 5);
      std::vector<std::uint16_t> joints;
      for (int k = 0; k < 6; ++k) {
        joints.push_back(static_cast<std::uint16_t>(first + k));
      }
      put(any_vertex(), joints, {.3f, .2f, .15f, .15f, .1f, .1f});
    }
  }
  void wrong_sums() {
    for (int i = 0; i < 3; ++i) {
      character_.meshes.edit(mesh_).primitives.edit(0).influences.edit().set_stored_sum(any_vertex(), 0.5f);
    }
    tell("weight-sum");
  }
  void tear() {
    const std::uint32_t v = any_vertex();
    put(v, {static_cast<std::uint16_t>(random_.below(static_cast<int>(character_.skins[skin_].joints.size())))}, {1});
  }

  [[nodiscard]] Character planted() const { return std::make_shared<const rig::Character>(character_); }

 private:
  [[nodiscard]] const mesh::Influences& rows() const { return character_.meshes[mesh_].primitives[0].influences; }
  std::uint32_t any_vertex() { return random_.raw() % static_cast<std::uint32_t>(rows().vertex_count()); }
  void put(std::uint32_t v, const std::vector<std::uint16_t>& joints, const std::vector<float>& weights) {
    character_.meshes.edit(mesh_).primitives.edit(0).influences.edit().set_row(v, joints, weights);
  }
  void tell(const char* code) {
    character_.diagnostics.push_back({Severity::kError, code, fmt::format("mesh {}, primitive 0", mesh_), "planted"});
  }
  std::uint16_t farthest_joint(std::uint32_t v) {
    const mesh::BoneDistance distance = rig::bone_distances(character_, skin_);
    const glm::dvec3 at(character_.meshes[mesh_].primitives[0].positions[v]);
    std::vector<int> followers(character_.skins[skin_].joints.size(), 0);
    rows().for_each_entry([&](std::uint16_t k, float) { ++followers[k]; });
    constexpr int kOwn = 20;
    std::uint16_t best = 0;
    double farthest = 0;
    for (std::uint16_t k = 0; k < character_.skins[skin_].joints.size(); ++k) {
      if (const double here = distance(k, at); std::isfinite(here) && here > farthest && followers[k] >= kOwn) {
        farthest = here;
        best = k;
      }
    }
    return best;
  }

  rig::Character character_;
  test::Random& random_;
  int mesh_ = 0;
  int skin_ = 0;
};

// What was told when the file was read names no vertices: those are the rows that are so.
MeshVertices named_by(const rig::Character& character, const rig::Finding& finding) {
  MeshVertices out;
  for (const std::uint32_t v : finding.mesh_vertices) {
    out.insert({finding.place.mesh, v});
  }
  if (finding.code != "weight-zero" && finding.code != "weight-sum") {
    return out;
  }
  const mesh::Influences& rows = character.meshes[finding.place.mesh].primitives[0].influences;
  for (std::uint32_t v = 0; v < rows.vertex_count(); ++v) {
    if ((finding.code == "weight-zero" && rows.count(v) == 0) ||
        (finding.code == "weight-sum" && rows.count(v) > 0 && rows.stored_sum(v) != 1.0f)) {
      out.insert({finding.place.mesh, v});
    }
  }
  return out;
}

// Each fault by itself: what names it mends it, there and nowhere else, and nothing of it is told afterwards.
TEST(MendsLaw, PlantedFaultsAreMendedWhereTheyAreNamed) {
  const Character sound = all_characters().at("mannequin.glb");
  const std::vector<std::string_view> repairable = repairable_codes();
  for (const measure::FaultKind& kind : measure::fault_kinds()) {
    const bool is_of_weights = std::ranges::find(repairable, kind.code) != repairable.end();
    for (std::size_t strength = 0; is_of_weights && strength < measure::kFaultStrengths; ++strength) {
      SCOPED_TRACE(fmt::format("{} {}", kind.code, strength));
      const std::optional<measure::PlantedFault> fault = kind.plant(*sound, strength);
      ASSERT_TRUE(fault);
      const auto broken = std::make_shared<const rig::Character>(fault->character);
      MeshVertices named;
      const Result<rig::Findings> findings = rig::lint(*broken);
      for (const rig::Finding& finding : *findings) {
        EXPECT_TRUE(repair_of(*broken, finding) || finding.mesh_vertices.empty()) << finding.code;
        named.merge(named_by(*broken, finding));
      }
      const auto mended = with_repaired_weights(broken, {});
      ASSERT_TRUE(mended);
      const MeshVertices changed = changed_vertices(*broken, *mended->first);
      EXPECT_FALSE(changed.empty());
      EXPECT_TRUE(std::ranges::includes(named, changed));
      for (const WeightRepair& repair : mended->second) {
        EXPECT_EQ(repair.beyond, 0u) << sentence(repair);
        EXPECT_EQ(repair.left, 0u) << sentence(repair);
      }
      EXPECT_TRUE(named_by_lint(*mended->first, kind.code).empty());
      // What a fault took a share of comes back as it was, by what is left of it.
      if (kind.code == "far-joint-weight" || (kind.code == "rogue-weight" && strength == 0)) {
        EXPECT_LT(weight_difference(*sound, *mended->first, fault->mesh).largest, 1e-5);
      }
    }
  }
}

TEST(MendsLaw, AMendChangesNoVertexThatItsFindingDoesNotName) {
  test::Random random(352);
  std::map<std::string, int> mended;
  for (const auto& [name, character] : all_characters()) {
    for (int round = 0; is_skinned(*character) && round < test::rounds(4); ++round) {
      SCOPED_TRACE(fmt::format("{}, round {}", name, round));
      Planting planting(*character, random);
      void (Planting::*const kinds[])() = {&Planting::stray_vertices,  &Planting::other_side, &Planting::no_weights,
                                           &Planting::many_influences, &Planting::wrong_sums, &Planting::tear};
      for (const auto kind : kinds) {
        if (random.below(2) == 0) {
          (planting.*kind)();
        }
      }
      const Character before = planting.planted();
      const Result<rig::Findings> findings = rig::lint(*before);
      for (const rig::Finding& finding : *findings) {
        const std::optional<UseWeightTool> repair = repair_of(*before, finding);
        const auto after = repair ? with_weight_tool(*before, *repair) : Result<Character>(nullptr);
        if (!after || *after == nullptr) {
          continue;
        }
        const MeshVertices changed = changed_vertices(*before, **after);
        const MeshVertices named = named_by(*before, finding);
        EXPECT_TRUE(std::ranges::includes(named, changed)) << finding.code << ": " << finding.message;
        ++mended[finding.code];
      }
      const auto all = with_repaired_weights(before, {});
      ASSERT_TRUE(all);
      for (const WeightRepair& repair : all->second) {
        EXPECT_EQ(repair.beyond, 0u) << repair.finding.code;
        EXPECT_LE(repair.difference.vertices, repair.named);
        // Of two findings of sums the first one mends what both name; sums are no part of the difference.
        EXPECT_TRUE(repair.difference.vertices == 0 || repair.why.empty()) << repair.finding.code;
        EXPECT_TRUE(repair.difference.vertices > 0 || !repair.why.empty() || repair.finding.code == "weight-sum")
            << repair.finding.code;
      }
      const Result<rig::Findings> still = rig::lint(*all->first);
      for (const rig::Finding& finding : *still) {
        EXPECT_TRUE(finding.code != "weight-sum" && finding.code != "weight-zero") << finding.message;
      }
    }
  }
  for (const char* const code :
       {"rogue-weight", "wrong-side-weight", "weight-zero", "many-influences", "weight-sum", "open-seam"}) {
    EXPECT_GT(mended[code], 0) << code;
  }
}

// Three vertices of a whole body: these come back, and nothing else moves.
TEST(MendsLaw, ThreeStraysAreThreeVertices) {
  int tried = 0;
  for (const auto& [name, character] : all_characters()) {
    if (name != "human.glb" && name != "mannequin.glb" && name != "mannequiny.glb") {
      continue;
    }
    SCOPED_TRACE(name);
    ++tried;
    test::Random random(3);
    Planting planting(*character, random);
    planting.stray_vertices();
    const Character broken = planting.planted();
    const std::vector<std::string> codes = {"rogue-weight"};
    const auto mended = with_repaired_weights(broken, codes);
    ASSERT_TRUE(mended);
    const MeshVertices changed = changed_vertices(*broken, *mended->first);
    EXPECT_GE(changed.size(), 3u);
    EXPECT_LE(changed.size(), 12u) << "and their copies at seams";
    std::size_t claimed = 0;
    for (const WeightRepair& repair : mended->second) {
      claimed += repair.difference.vertices;
      EXPECT_EQ(repair.left, 0u);
      EXPECT_NE(sentence(repair).find("none beyond"), std::string::npos) << sentence(repair);
    }
    EXPECT_EQ(claimed, changed.size());
    EXPECT_LT(largest_move(*character, *mended->first), 0.02) << "as it was, nearly";
  }
  EXPECT_GE(tried, 1);
}

// A stroke of the wrong hand: what is clearly wrong and, round it, what fades out.
TEST(MendsLaw, AWrongSideIsNamedAndMendedAsAWholePatch) {
  const Character sound = all_characters().at("mannequin.glb");
  int skin = -1;
  int mesh = -1;
  for (const rig::MeshNode& node : sound->mesh_nodes) {
    if (node.skin >= 0 && skin < 0) {
      skin = node.skin;
      mesh = node.mesh;
    }
  }
  const std::vector<int>& joints = sound->skins[skin].joints;
  const std::vector<int> partner = rig::mirrored_joints(*sound->skeleton);
  const mesh::BoneDistance distance = rig::bone_distances(*sound, skin);
  int tried = 0;
  for (std::uint16_t k = 0; k < joints.size(); ++k) {
    const std::string& name = sound->skeleton->name[joints[k]];
    const auto across = std::ranges::find(joints, partner[joints[k]]);
    if ((!name.starts_with("elbow") && !name.starts_with("knee")) || across == joints.end() ||
        partner[joints[k]] == joints[k]) {
      continue;
    }
    SCOPED_TRACE(name);
    ++tried;
    rig::Character broken = *sound;
    mesh::Influences& rows = broken.meshes.edit(mesh).primitives.edit(0).influences.edit();
    const auto other = static_cast<std::uint16_t>(across - joints.begin());
    const std::span<const glm::vec3> positions = sound->meshes[mesh].primitives[0].positions;
    MeshVertices bled;
    for (std::uint32_t v = 0; v < rows.vertex_count(); ++v) {
      const double away = distance(k, glm::dvec3(positions[v]));
      if (away < 0.08 && rows.joints(v)[0] == k) {
        const float wrong = away < 0.04 ? 0.6f : 0.06f;
        const std::uint16_t both[] = {k, other};
        const float weights[] = {1 - wrong, wrong};
        rows.set_row(v, both, weights);
        bled.insert({mesh, v});
      }
    }
    ASSERT_GT(bled.size(), 10u);
    EXPECT_TRUE(std::ranges::includes(named_by_lint(broken, "wrong-side-weight"), bled));
    const std::vector<std::string> codes = {"wrong-side-weight"};
    const auto mended = with_repaired_weights(std::make_shared<const rig::Character>(broken), codes);
    ASSERT_TRUE(mended);
    EXPECT_TRUE(named_by_lint(*mended->first, "wrong-side-weight").empty());
    EXPECT_EQ(changed_vertices(broken, *mended->first), bled);
  }
  EXPECT_GE(tried, 2);
}

// The wider searches of the tool, each by its own field, and the joints that it is held to.
TEST(MendsLaw, TheToolFindsMoreWhereItIsToldTo) {
  const Character centipede = all_characters().at("centipede.glb");
  const int mesh = std::ranges::find_if(centipede->mesh_nodes, [](const auto& node) { return node.skin >= 0; })->mesh;
  UseWeightTool change{.tool = "rogues", .mesh = mesh};
  const auto changed = [&](double reach, double fading) {
    change.values = {0.01, 0.1, 0, reach, fading};
    const auto after = with_weight_tool(*centipede, change);
    return *after == nullptr ? MeshVertices() : changed_vertices(*centipede, **after);
  };
  EXPECT_TRUE(changed(1.5, 0).empty());
  const MeshVertices all = changed(0, 1);
  EXPECT_GT(all.size(), 1000u) << "every patch away from its joint's own, as somebody painted them";
  EXPECT_LT(changed(0, 0).size(), all.size()) << "those that end at once";
  EXPECT_LT(changed(1.5, 1).size(), all.size()) << "those that are far";
  change.joints = {centipede->skins[0].joints[0]};
  const MeshVertices of_one = changed(0, 1);
  EXPECT_LT(of_one.size(), all.size());
  change.joints = centipede->skins[0].joints;
  EXPECT_EQ(changed(0, 1), all);
}

// Copies of a place that differ by less than the tolerance stay as they are.
TEST(MendsLaw, WeldingHasATolerance) {
  rig::Character torn = test::cylinder();
  torn.meshes.edit(0).primitives.push_back(torn.meshes[0].primitives[0]);
  const std::uint16_t both[] = {0, 1};
  for (const auto& [v, share] : {std::pair(5u, 0.5f), std::pair(6u, 0.50005f)}) {
    for (const std::size_t p : {0, 1}) {
      const float weights[] = {p == 0 ? 0.5f : share, p == 0 ? 0.5f : 1 - share};
      torn.meshes.edit(0).primitives.edit(p).influences.edit().set_row(v, both, weights);
    }
  }
  const auto changed = [&](std::vector<double> values) {
    const auto after = with_weight_tool(torn, {.tool = "weld", .values = std::move(values)});
    return *after == nullptr ? MeshVertices() : changed_vertices(torn, **after);
  };
  EXPECT_TRUE(changed({}).empty());
  EXPECT_EQ(changed({1e-5}).size(), 2u) << "both copies of the one place";
}

// What cannot be mended says why.
TEST(MendsLaw, AMendThatChangesNothingSaysWhy) {
  rig::Character lonely = test::cylinder();
  for (std::uint32_t v = 0; v < lonely.meshes[0].primitives[0].vertex_count(); ++v) {
    lonely.meshes.edit(0).primitives.edit(0).influences.edit().set_row(v, {}, {});
  }
  lonely.diagnostics.push_back({Severity::kError, "weight-zero", "mesh 0, primitive 0", "planted"});
  const auto mended = with_repaired_weights(std::make_shared<const rig::Character>(lonely), {});
  ASSERT_TRUE(mended);
  ASSERT_EQ(mended->second.size(), 1u);
  EXPECT_EQ(sentence(mended->second[0]), "nothing changes: the tool leaves each of its vertices as it is");
}

}  // namespace
}  // namespace pelt::edit
