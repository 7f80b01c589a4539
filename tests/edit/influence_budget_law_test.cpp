// No edit of weights leaves a vertex with more influences than it had, or than its file has a place for.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "edit/weight_text.h"
#include "edit_fixtures.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "mesh/weight_rows.h"
#include "rig/kinematics.h"
#include "trousers.h"

namespace pelt::edit {
namespace {

namespace fs = std::filesystem;
using SharedCharacter = std::shared_ptr<const rig::Character>;

// The bundled characters and those of the corpus.
std::vector<fs::path> character_files() {
  std::vector<fs::path> files;
  for (const char* const name : {"mannequin", "centipede", "robot", "elbow", "cylinder", "tube"}) {
    files.push_back(fs::path(PELT_SOURCE_DIR) / "assets" / fmt::format("{}.glb", name));
  }
  const fs::path corpus = fs::path(PELT_CORPUS_DIR) / "characters";
  for (const auto& entry : fs::exists(corpus) ? fs::directory_iterator(corpus) : fs::directory_iterator()) {
    if (entry.path().extension() == ".glb" || entry.path().extension() == ".gltf") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

// As many influences as may be: each vertex follows six more joints a little.
SharedCharacter smeared(const rig::Character& character) {
  rig::Character out = character;
  test::Random random(35);
  for (std::size_t m = 0; m < out.meshes.size(); ++m) {
    const int skin = rig::first_skin_of(out, static_cast<int>(m));
    for (std::size_t p = 0; skin >= 0 && p < out.meshes[m].primitives.size(); ++p) {
      mesh::Influences rows = *out.meshes[m].primitives[p].influences;
      const auto joints = static_cast<int>(out.skins[skin].joints.size());
      for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
        std::vector<std::uint16_t> joint(rows.joints(v).begin(), rows.joints(v).end());
        std::vector<float> weight(rows.weights(v).begin(), rows.weights(v).end());
        for (int k = 0; k < 6; ++k) {
          joint.push_back(static_cast<std::uint16_t>(random.below(joints)));
          weight.push_back(random.real(0.02f, 0.1f));
        }
        rows.set_row(v, joint, weight);
      }
      rows.set_budget(0);
      out.meshes.edit(m).primitives.edit(p).influences = std::move(rows);
    }
  }
  return std::make_shared<const rig::Character>(std::move(out));
}

// The same as before there was a budget.
SharedCharacter without_budgets(const rig::Character& character) {
  rig::Character out = character;
  for (std::size_t m = 0; m < out.meshes.size(); ++m) {
    for (std::size_t p = 0; p < out.meshes[m].primitives.size(); ++p) {
      out.meshes.edit(m).primitives.edit(p).influences.edit().set_budget(0);
    }
  }
  return std::make_shared<const rig::Character>(std::move(out));
}

using Counts = std::map<std::string, std::size_t>;  // vertices with too many influences, by edit

// Uses every edit of weights on one mesh of a character and counts what each leaves with too many influences.
class EveryEdit {
 public:
  EveryEdit(SharedCharacter file, SharedCharacter character, int mesh, Counts& out)
      : file_(std::move(file)), document_(make_document(std::move(character))), mesh_(mesh), out_(out) {
    first_ = document_.content.character;
    dense_ = smeared(*file_);
    surface_ = mesh::welded_surface(first_->meshes[mesh]);
    const std::vector<int>& listed = first_->skins[rig::first_skin_of(*first_, mesh)].joints;
    const std::size_t step = std::max<std::size_t>(listed.size() / 4, 1);
    for (std::size_t k = 0; k < listed.size(); k += step) {
      joints_.push_back(listed[k]);
    }
    for (std::uint32_t v = 0; v < surface_->first.back() / 3; ++v) {
      some_.push_back(v);
    }
  }

  void run() {
    for (const WeightTool& tool : weight_tools()) {
      use_tool(tool);
    }
    for (const int iterations : {1, 5}) {
      for (const std::vector<int>& locked : {std::vector<int>{}, std::vector<int>{joints_[0]}}) {
        SmoothWeights change{.mesh = mesh_, .iterations = iterations, .locked = locked, .surface = surface_};
        change.cotangents = iterations == 5;
        count("smooth", change);
      }
    }
    for (int mode = 0; mode <= static_cast<int>(mesh::DabMode::kBlend); ++mode) {
      stroke(static_cast<mesh::DabMode>(mode));
    }
    pull();
    count_last("file weights under a lock", [&] {
      test::apply(document_, SmoothWeights{.mesh = mesh_, .iterations = 3, .surface = surface_});
      test::apply(document_, LockJoints{.joints = joints_, .locked = true});
      test::apply(document_, UseFileWeights{});
    });
  }

 private:
  void use_tool(const WeightTool& tool) {
    UseWeightTool change{.tool = std::string(tool.id), .mesh = mesh_, .surface = surface_};
    if (tool.id == "rogues") {
      change.values = {0.001, 1, 1, 0, 1};
    } else if (tool.id == "mirror" || tool.id == "exchange-sides") {
      change.values = tool.id == "mirror" ? std::vector<double>{0, 0.1} : std::vector<double>{0.1};
    } else if (tool.id == "limit") {
      change.values = {64};
    }
    if (tool.id == "hammer" || tool.id == "average" || tool.id == "inpaint") {
      change.vertices = some_;
    }
    change.source = tool.needs_source ? dense_ : nullptr;
    if (tool.needs_table) {
      change.table = std::make_shared<const WeightTable>(*read_weights_text(weights_as_text(*dense_)));
    }
    const std::size_t wanted = tool.joints == ToolJoints::kOne ? 1 : tool.joints == ToolJoints::kTwo ? 2 : 3;
    for (std::size_t k = 0; k < joints_.size() && tool.joints != ToolJoints::kNone; ++k) {
      if (tool.joints == ToolJoints::kAny) {
        break;
      }
      change.joints.clear();
      for (std::size_t j = 0; j < wanted; ++j) {
        change.joints.push_back(joints_[(k + j) % joints_.size()]);
      }
      count(std::string(tool.id), change);
    }
    if (tool.joints == ToolJoints::kNone || tool.joints == ToolJoints::kAny) {
      count(std::string(tool.id), change);
      change.locked = {joints_[0]};
      count(std::string(tool.id), change);
      change.locked.clear();
      if (change.vertices.empty()) {
        change.vertices = some_;
        std::vector<float> strengths(some_.size(), 0.5f);
        change.strengths = SharedArray<float>(std::move(strengths));
        change.only_chosen = true;
        count(std::string(tool.id), change);
      }
    }
  }

  // All of the mesh under the brush, half as strong as it can be, with each of the joints.
  void stroke(mesh::DabMode mode) {
    PaintDab dab{.mode = mode, .places = {}, .amounts = {}};
    for (std::uint32_t w = 0; w < surface_->place_count(); ++w) {
      dab.places.push_back(w);
      dab.amounts.push_back(0.5f);
    }
    for (const int joint : joints_) {
      dab.first.push_back({joint, 1.0 / static_cast<double>(joints_.size())});
    }
    dab.second = {{joints_[0], 1.0}};
    dab.value = mode == mesh::DabMode::kScale ? 2.0f : 0.3f;
    PaintWeights change{.mesh = mesh_, .surface = surface_};
    for (const int joint : joints_) {
      dab.joint = joint;
      change.dabs.push_back(dab);
    }
    count(fmt::format("paint {}", static_cast<int>(mode)), change);
  }

  void pull() {
    rig::Pose pose = rig::rest_pose(*first_);
    test::Random random(5);
    for (Transform& local : pose.local) {
      local.rotation = local.rotation * glm::quat(random.rotation(0.5));
    }
    rig::WorldMatrices world;
    world.evaluate(first_->skeleton, pose);
    PullWeights change{.mesh = mesh_, .more = joints_, .surface = surface_};
    const std::size_t step = surface_->place_count() / 200 + 1;
    for (std::uint32_t w = 0; w < surface_->place_count(); w += static_cast<std::uint32_t>(step)) {
      change.places.push_back(w);
      change.amounts.push_back(1);
    }
    change.poses.push_back({{world.world().begin(), world.world().end()}, {0.02f, 0.05f, -0.03f}});
    count("pull", change);
    count("relax", RelaxWeights{.mesh = mesh_,
                                .places = change.places,
                                .amounts = change.amounts,
                                .worlds = {change.poses[0].world},
                                .more = joints_,
                                .surface = surface_});
  }

  void count(const std::string& name, Change change) {
    count_last(name, [&] { test::apply(document_, std::move(change)); });
  }

  template <typename F>
  void count_last(const std::string& name, F edit) {
    const std::size_t at = document_.history.cursor();
    edit();
    const rig::Character& after = *document_.content.character;
    for (std::size_t p = 0; p < after.meshes[mesh_].primitives.size(); ++p) {
      const mesh::Influences& was = first_->meshes[mesh_].primitives[p].influences;
      const mesh::Influences& now = after.meshes[mesh_].primitives[p].influences;
      const std::size_t budget = file_->meshes[mesh_].primitives[p].influences->budget();
      for (std::size_t v = 0; v < now.vertex_count(); ++v) {
        out_[name] += now.count(v) > std::max<std::size_t>(was.count(v), budget) ? 1 : 0;
      }
    }
    travel(document_, at);
  }

  SharedCharacter file_;
  Document document_;
  SharedCharacter first_;
  SharedCharacter dense_;
  std::shared_ptr<const mesh::WeldedSurface> surface_;
  int mesh_;
  std::vector<int> joints_;
  SharedArray<std::uint32_t> some_;
  Counts& out_;
};

TEST(InfluenceBudget, NoEditLeavesMoreInfluencesThanThereIsAPlaceFor) {
  Counts kept;
  Counts without;
  int meshes = 0;
  for (const fs::path& path : character_files()) {
    Result<rig::Character> read = gltf::import_file(path);
    if (!read) {
      continue;
    }
    const auto file = std::make_shared<const rig::Character>(*std::move(read));
    for (int m = 0; m < static_cast<int>(file->meshes.size()); ++m) {
      if (rig::first_skin_of(*file, m) < 0) {
        continue;
      }
      ++meshes;
      EveryEdit(file, file, m, kept).run();
      if (meshes <= 12) {  // enough to see that the edits ask for more
        EveryEdit(file, without_budgets(*file), m, without).run();
      }
    }
  }
  ASSERT_GT(meshes, 4);
  std::size_t total = 0;
  for (const auto& [name, count] : without) {
    std::cout << fmt::format("{:26} {:8} without a budget, {} with one\n", name, count, kept[name]);
    total += count;
  }
  EXPECT_GT(total, 10000u) << "or else the edits would need no budget";
  for (const auto& [name, count] : kept) {
    EXPECT_EQ(count, 0u) << name;
  }
}

}  // namespace
}  // namespace pelt::edit
