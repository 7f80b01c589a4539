// Weights of another character and of a text, by mouse.
#include "ui/weight_source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/weight_edits.h"
#include "painting_window.h"
#include "support/output_folder.h"

namespace pelt::ui {
namespace {

using testing::HasSubstr;

class TakingWeights : public Painting {
 protected:
  void SetUp() override {
    Painting::SetUp();
    show_tab(workspace_, kWeightToolsTab);
    frames(3);
  }
  WeightToolsPanel& panel() { return workspace_.panel<WeightToolsPanel>(); }
  // By the drop-down.
  void choose(std::string_view tool) {
    const auto tools = edit::weight_tools();
    const auto at = std::ranges::find(tools, tool, &edit::WeightTool::id) - tools.begin();
    click("tools.tool");
    frames(2);
    click("tools.tool." + std::to_string(at));
    frames(3);
  }
  // The same character with one influence per vertex.
  std::shared_ptr<const rig::Character> limited() {
    std::shared_ptr<const rig::Character> now = document_.character;
    for (std::size_t m = 0; m < document_.character->meshes.size(); ++m) {
      const edit::UseWeightTool change{.tool = "limit", .values = {1}, .mesh = static_cast<int>(m)};
      if (const auto after = edit::with_weight_tool(*now, change); after && *after != nullptr) {
        now = *after;
      }
    }
    return now;
  }
  void open_source(std::shared_ptr<const rig::Character> source) {
    open_weights_from(workspace_, "/folder/other.glb", [source](const Progress&) { return source; });
    frames(3);
  }
  // Chooses a file by its path in the dialog that is open.
  void choose_file(const std::string& path) {
    frames(3);  // until the line has the keyboard
    ImGui::GetIO().AddInputCharactersUTF8(path.c_str());
    frames(3);
    click("browser.accept");
    frames(2);
  }
  std::string file_of_this_test() {
    const auto folder = test::output_folder() / "weights";
    std::filesystem::create_directories(folder);
    return (folder / testing::UnitTest::GetInstance()->current_test_info()->name()).string();
  }
};

TEST_F(TakingWeights, ATransferAsksForAFileShowsItsJointsAndIsOneStep) {
  choose("transfer");
  EXPECT_EQ(panel().difference, "Open the character that gives its weights.");
  click("tools.from");
  frames(2);
  ASSERT_TRUE(workspace_.browser.visible);
  EXPECT_EQ(workspace_.browser.purpose, BrowserPurpose::kOpenWeightsFrom);
  const std::string file = file_of_this_test() + ".glb";
  std::ofstream(file) << "any";
  choose_file(file);
  EXPECT_EQ(asked_.open_weights_from, file);
  EXPECT_FALSE(workspace_.browser.visible);
  const auto source = limited();
  open_source(source);
  EXPECT_EQ(panel().source.character_name, "other.glb");
  EXPECT_THAT(panel().difference, HasSubstr("Would change"));
  EXPECT_THAT(words(), HasSubstr("none of"));
  const auto before = document_.content.character;
  click("tools.apply");
  frames(3);
  ASSERT_NE(document_.content.character, before);
  EXPECT_EQ(document_.history.size(), 2u);
  EXPECT_EQ(document_.history.undo_label().substr(0, 8), "Transfer");
  EXPECT_EQ(panel().difference, "Nothing would change.");
  // The source lies on the very places, so its rows come over but for rounding.
  double off = 0;
  for (const rig::Part& part : document_.character->parts) {
    const mesh::Influences& is = document_.character->primitive(part).influences;
    const mesh::Influences& wanted = source->primitive(part).influences;
    ASSERT_EQ(is.vertex_count(), wanted.vertex_count());
    for (std::size_t v = 0; v < is.vertex_count(); ++v) {
      ASSERT_FALSE(is.joints(v).empty());
      off = std::max(off, std::abs(double{is.weights(v)[0]} - double{wanted.weights(v)[0]}));
    }
  }
  EXPECT_LT(off, 1e-3);
  edit::undo(document_);
  EXPECT_EQ(document_.content.character, before);
}

// Esc and the list of jobs end a transfer, and a button asks for it again.
TEST_F(TakingWeights, ATransferIsCancelledAndAskedForAgain) {
  choose("transfer");
  const auto source = limited();
  open_source(source);
  ASSERT_NE(panel().outcome, nullptr);
  panel().patient = false;
  panel().values["transfer"] = {0.04, 60, 0};  // another wish
  frame();
  const auto cancelled = [&] {
    frames(2);
    return panel().is_cancelled && panel().outcome == nullptr && report_.contains("tools.again") &&
           !report_.contains("tools.apply");
  };
  if (cancel_foresight(panel())) {  // unless it was done in the time of one picture
    EXPECT_TRUE(cancelled());
    EXPECT_EQ(panel().difference, "Cancelled: nothing was changed.");
    panel().patient = true;
    click("tools.again");
    frames(3);
  }
  panel().patient = true;
  frames(2);
  ASSERT_NE(panel().outcome, nullptr);
  EXPECT_FALSE(cancel_foresight(panel())) << "nothing is computed any more";
  // In the list of jobs the slot itself is cancelled.
  panel().patient = false;
  panel().foreseen = {};
  panel().outcome.reset();
  frame();
  workspace_.jobs->cancel(panel().foreseeing->id());
  if (panel().outcome == nullptr) {
    EXPECT_TRUE(cancelled());
  }
}

TEST_F(TakingWeights, TheJointMapNamesThoseWithoutAPartnerFirst) {
  rig::Character other = *limited();
  rig::Skeleton& skeleton = other.skeleton.edit();
  const int elbow = joint("elbow_l");
  ASSERT_GE(elbow, 0);
  skeleton.name[static_cast<std::size_t>(elbow)] = "qx";
  choose("transfer");
  open_source(std::make_shared<const rig::Character>(std::move(other)));
  ASSERT_FALSE(panel().source.partners.empty());
  const edit::JointPartner& first = panel().source.partners.front();
  EXPECT_EQ(first.from, elbow);
  EXPECT_FALSE(first.own);
  EXPECT_EQ(first.to, document_.character->skeleton->parent[static_cast<std::size_t>(elbow)]);
  ASSERT_TRUE(report_.contains("tools.map.qx"));
  EXPECT_THAT(words(), HasSubstr("qx \u2192 " + document_.character->skeleton->label(first.to)));
  click("tools.map.qx");
  EXPECT_EQ(document_.view.selected_joint(), first.to);
}

TEST_F(TakingWeights, WhatHasNoMatchIsCountedAndSelected) {
  rig::Character other = *limited();
  for (std::size_t m = 0; m < other.meshes.size(); ++m) {
    for (std::size_t p = 0; p < other.meshes[m].primitives.size(); ++p) {
      for (glm::vec3& position : other.meshes.edit(m).primitives.edit(p).positions.edit()) {
        position.y += position.y > 1.2f ? 3.0f : 0.0f;
      }
    }
  }
  choose("transfer");
  open_source(std::make_shared<const rig::Character>(std::move(other)));
  ASSERT_NE(panel().outcome, nullptr);
  ASSERT_TRUE(report_.contains("tools.unmatched"));
  click("tools.unmatched");
  frames(2);
  std::size_t expected = 0;
  for (const edit::TransferMatch& match : panel().outcome->matches) {
    expected += match.unmatched.size();
  }
  EXPECT_GT(expected, 0u);
  EXPECT_EQ(edit::vertex_count(edit::VertexSelection(document_.view.selected_vertices)), expected);
  for (const edit::PartVertices& of_part : document_.view.selected_vertices) {
    const auto& positions =
        document_.character->primitive(document_.character->parts[static_cast<std::size_t>(of_part.part)]).positions;
    for (const std::uint32_t v : of_part.vertices) {
      EXPECT_GT(positions[v].y, 1.15f);
    }
  }
}

TEST_F(TakingWeights, ATextIsSavedLoadedAndRefused) {
  click("tools.text.save");
  frames(2);
  ASSERT_TRUE(workspace_.browser.visible);
  EXPECT_EQ(workspace_.browser.purpose, BrowserPurpose::kSaveWeightText);
  const std::string file = file_of_this_test() + ".txt";
  std::filesystem::remove(file);
  choose_file(file);
  EXPECT_EQ(asked_.save_weight_text, file);
  std::ofstream(file) << "any";
  click("tools.text.load");
  frames(2);
  EXPECT_EQ(workspace_.browser.purpose, BrowserPurpose::kOpenWeightText);
  choose_file(file);
  EXPECT_EQ(asked_.open_weight_text, file);
  const std::string wanted = edit::weights_as_text(*limited());
  open_weight_text(workspace_, file, [&wanted](const Progress&) -> WeightSource::Read {
    return std::make_shared<const edit::WeightTable>(*edit::read_weights_text(wanted));
  });
  frames(3);
  EXPECT_EQ(panel().tool, "load");
  click("tools.apply");
  frames(3);
  EXPECT_EQ(edit::weights_as_text(*document_.content.character), wanted);
  EXPECT_EQ(document_.history.size(), 2u);
  open_weight_text(workspace_, "/folder/broken.txt",
                   [](const Progress&) -> WeightSource::Read { return error("broken.txt: line 3: no row"); });
  frames(3);
  EXPECT_THAT(words(), HasSubstr("line 3: no row"));
}

TEST_F(TakingWeights, PadlocksInTreeAndListAreOneTruth) {
  std::vector<std::string> names;  // of joints whose rows are on the screen
  for (int j = 0; j < document_.character->skeleton->size(); ++j) {
    const std::string name = document_.character->skeleton->label(j);
    if (j != active() && report_.contains("tree.joint." + name) &&
        document_.character->skeleton->is_joint[static_cast<std::size_t>(j)] != 0) {
      names.push_back(name);
    }
  }
  ASSERT_GE(names.size(), 2u);
  const int before = active();
  const int locked = document_.character->skeleton->find(names[0]);
  move(report_["tree.joint." + names[0]].center());
  ASSERT_TRUE(report_.contains("tree.lock." + names[0])) << "where the mouse points";
  click("tree.lock." + names[0]);
  EXPECT_TRUE(edit::is_locked(document_.content, locked));
  EXPECT_EQ(document_.history.size(), 2u);
  EXPECT_EQ(active(), before) << "a padlock selects nothing";
  move({700, 400});
  EXPECT_TRUE(report_.contains("tree.lock." + names[0])) << "a locked joint shows it";
  EXPECT_FALSE(report_.contains("tree.lock." + names[1]));
  show_tab(workspace_, kPaintTab);
  frames(3);
  click("paint.unlock." + names[0]);
  move({700, 400});
  EXPECT_FALSE(edit::is_locked(document_.content, locked));
  EXPECT_FALSE(report_.contains("tree.lock." + names[0]));
  act("mode.pose");
  move(report_["tree.joint." + names[0]].center());
  EXPECT_FALSE(report_.contains("tree.lock." + names[0])) << "of the Weights mode";
}

}  // namespace
}  // namespace pelt::ui
