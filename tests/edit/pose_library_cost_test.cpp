// Tests the cost of very many stored poses, and of poses of very many shapes.
#include "edit/pose_library.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "edit/commands.h"
#include "edit/edit_fixtures.h"
#include "edit/pose_file.h"
#include "support/effort.h"

namespace pelt::edit {
namespace {

// A file may have any number of entries of one name: one step stores them all.
TEST(PoseLibraryCost, ThousandsOfOneNameAreStoredAtOnce) {
  const Document document = test::arm_document();
  const auto seconds = [&](std::size_t count) {
    StorePoses change;
    change.poses.assign(count, Shared<StoredPose>(StoredPose{.name = "P", .joints = {}, .shapes = {}}));
    return test::processor_seconds([&] {
      Document stored = document;
      apply(stored, {change, {}, true});
      EXPECT_EQ(stored.content.library.size(), count);
    });
  };
  const double few = std::min(seconds(3000), seconds(3000));
  const double many = std::min(seconds(12'000), seconds(12'000));
  EXPECT_LT(many, 10 * few) << "of four times as many";
}

// Four times as many shapes take four times as long to write, not sixteen times.
TEST(PoseLibrary, ManyShapesCostALookUpEach) {
  const auto seconds = [](int count) {
    rig::Character character = test::arm();
    mesh::Mesh& mesh = character.meshes.edit(0);
    mesh.morph_names.clear();
    mesh.morph_weights.assign(static_cast<std::size_t>(count), 0);
    auto& targets = mesh.primitives.edit(0).morph_targets;
    targets = {};
    for (int i = 0; i < count; ++i) {
      const std::string name = fmt::format("shape {}", i);
      mesh.morph_names.push_back(name);
      targets.push_back({name, {{0, 0, 0.1f}, {0, 0.1f, 0}}, {}, {}});
    }
    character.clips.edit_items().clear();
    character.mesh_nodes.edit()[0].morph_weights.clear();
    rig::finish(character);
    const Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
    PoseLibrary poses;
    StoredPose pose = stored_pose(document, "all");
    for (auto& [shape, weight] : pose.shapes) {
      weight = static_cast<float>(shape % 7) / 8;
    }
    poses.edit_items().emplace_back(std::move(pose));
    double best = 1e9;
    for (int n = 0; n < 9; ++n) {
      std::string text;
      best = std::min(best, test::processor_seconds([&] { text = poses_to_json(document, poses); }));
      EXPECT_NE(text.find(fmt::format("\"shape {}\"", count - 1)), std::string::npos);
    }
    return best;
  };
  EXPECT_LT(seconds(4000), 10 * seconds(1000));
}

}  // namespace
}  // namespace pelt::edit
