// Gradients, kept poses and the mask look, by mouse.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "painting_window.h"
#include "ui/weights_panel.h"

namespace pelt::ui {
namespace {

class Gradient : public Painting {
 protected:
  void SetUp() override {
    Painting::SetUp();
    const auto modes = brush_modes();
    tool().mode = static_cast<int>(std::ranges::find_if(modes, &BrushMode::is_line) - modes.begin());
    tool().distance = BrushDistance::kVolume;
    tool().radius = 30;
    // The camera flies home, and a line is to stay where it is on the screen.
    for (render::Camera before; before != workspace_.camera;) {
      before = workspace_.camera;
      frames(1);
    }
    select_joint("elbow_l");  // nothing on the chest follows it, so that it can have any weight there
  }
  double weight_of(const rig::Character& character, std::size_t part, std::size_t v, int of_joint) const {
    const rig::Part& of = character.parts[part];
    const std::vector<int>& joints = character.skins[static_cast<std::size_t>(of.skin)].joints;
    const mesh::Influences& rows = character.primitive(of).influences;
    for (std::size_t k = 0; k < rows.count(v); ++k) {
      if (joints[rows.joints(v)[k]] == of_joint) {
        return double{rows.weights(v)[k]};
      }
    }
    return 0;
  }
  // Compares all weights of the active joint with what the line says, and the rows of others with what they were.
  // @returns how many vertices the line reached
  int expect_gradient(const rig::Character& before, float first, float last) {
    const glm::vec3 from = tool().grabbed;
    const glm::vec3 way = tool().line_end - from;
    Scene scene;
    scene.document = &document_;
    scene.world = evaluation_.world();
    scene.pose = &evaluation_.pose();
    Requests requests;
    const float radius = tool().radius * metres_per_pixel(Desk{scene, workspace_, requests, report_, theme_}, from);
    int reached = 0;
    for (std::size_t p = 0; p < before.parts.size(); ++p) {
      if (before.parts[p].mesh_node != tool().mesh_node) {
        continue;
      }
      const auto& positions = evaluation_.deformed(document_).parts[p].positions;
      for (std::size_t v = 0; v < positions.size(); ++v) {
        // At rest, so that painting moves nothing.
        const float t = glm::dot(positions[v] - from, way) / glm::dot(way, way);
        const float distance = glm::distance(positions[v], from + glm::clamp(t, 0.0f, 1.0f) * way);
        const double is = weight_of(*document_.character, p, v, active());
        if (std::abs(distance - radius) < 1e-4f || std::abs(t) < 1e-4f || std::abs(t - 1) < 1e-4f) {
          continue;  // rounding decides
        }
        if (t > 0 && t < 1 && distance < radius) {
          ++reached;
          EXPECT_NEAR(is, double{glm::mix(first, last, t)}, 2e-4) << p << " " << v;
        } else {
          EXPECT_EQ(is, weight_of(before, p, v, active())) << p << " " << v;
        }
      }
    }
    return reached;
  }
};

TEST_F(Gradient, TheWeightRunsFromTheStartToTheEndOfTheLine) {
  const auto before = document_.content.character;
  tool().value = 0.9f;
  tool().end_value = 0.2f;
  drag(on_chest(), on_chest() + glm::vec2(0, 60));
  ASSERT_NE(document_.content.character, before);
  EXPECT_GT(expect_gradient(*before, 0.9f, 0.2f), 10);
  EXPECT_EQ(document_.history.size(), 2u);
  EXPECT_EQ(workspace_.view.look, render::Look::kWeights);
  edit::undo(document_);
  EXPECT_EQ(document_.content.character, before);
}

TEST_F(Gradient, OnlyTheLineCountsAndNotTheWayToIt) {
  const glm::vec2 end = on_chest() + glm::vec2(0, 40);
  drag(on_chest(), end);
  const auto direct = document_.content.character;
  edit::undo(document_);
  const auto before = document_.content.character;
  const render::Camera camera = workspace_.camera;
  move(on_chest());
  button(true);
  for (const glm::vec2& way : {glm::vec2(70, 50), glm::vec2(-50, 90), glm::vec2(0, 0)}) {
    move(on_chest() + way);
  }
  EXPECT_EQ(document_.content.character, before) << "the mouse is where it began";
  EXPECT_EQ(workspace_.camera, camera) << "two quick strokes are no double click";
  move(end);
  button(false);
  for (std::size_t p = 0; p < direct->parts.size(); ++p) {
    const mesh::Influences& a = direct->primitive(direct->parts[p]).influences;
    const mesh::Influences& b = document_.character->primitive(document_.character->parts[p]).influences;
    EXPECT_EQ(a, b) << p;
  }
}

TEST_F(Gradient, AClickChangesNothingAndEscTakesTheLineBack) {
  const auto before = document_.content.character;
  click_at(on_chest());
  EXPECT_EQ(document_.content.character, before);
  EXPECT_EQ(document_.history.size(), 1u);
  move(on_chest());
  button(true);
  move(below_chest());
  EXPECT_NE(document_.content.character, before);
  ImGui::GetIO().KeyMap[ImGuiKey_Escape] = 1;
  press(1);
  button(false);
  EXPECT_EQ(document_.content.character, before);
  EXPECT_EQ(document_.history.size(), 1u);
}

TEST_F(Gradient, CtrlTurnsItRound) {
  const auto before = document_.content.character;
  tool().value = 0.9f;
  tool().end_value = 0.2f;
  ImGui::GetIO().KeyCtrl = true;
  drag(on_chest(), on_chest() + glm::vec2(0, 60));
  ImGui::GetIO().KeyCtrl = false;
  EXPECT_GT(expect_gradient(*before, 0.2f, 0.9f), 10);
}

TEST_F(Gradient, TheOtherSideGetsThePartnersWeight) {
  tool().symmetric = true;
  const auto before = document_.content.character;
  const glm::vec2 beside = on_chest() + glm::vec2(25, 0);
  drag(beside, beside + glm::vec2(0, 60));
  ASSERT_NE(document_.content.character, before);
  EXPECT_EQ(document_.history.undo_label(), "Paint weights of elbow_l, gradient") << "not of the partner";
  const int partner = joint("elbow_r");
  int compared = 0;
  for (std::size_t p = 0; p < before->parts.size(); ++p) {
    const auto& positions = before->primitive(before->parts[p]).positions;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      const double is = weight_of(*document_.character, p, v, active());
      if (is == weight_of(*before, p, v, active()) || std::abs(positions[v].x) < 1e-3f) {
        continue;
      }
      for (std::size_t w = 0; w < positions.size(); ++w) {
        if (glm::distance(positions[w], positions[v] * glm::vec3(-1, 1, 1)) < 1e-5f) {
          EXPECT_NEAR(weight_of(*document_.character, p, w, partner), is, 1e-5);
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 10);
}

TEST_F(Gradient, ItMayRunSmoothlyAndBeyondItsEnds) {
  const auto before = document_.content.character;
  tool().smooth_line = true;
  tool().beyond_line = true;
  drag(on_chest(), on_chest() + glm::vec2(0, 60));
  ASSERT_NE(document_.content.character, before);
  const glm::vec3 from = tool().grabbed;
  const glm::vec3 way = tool().line_end - from;
  int inside = 0;
  int beyond = 0;
  for (std::size_t p = 0; p < before->parts.size(); ++p) {
    const auto& positions = evaluation_.deformed(document_).parts[p].positions;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      const double is = weight_of(*document_.character, p, v, active());
      const float t = glm::dot(positions[v] - from, way) / glm::dot(way, way);
      if (is == weight_of(*before, p, v, active()) || std::abs(t) < 1e-3f || std::abs(t - 1) < 1e-3f) {
        continue;
      }
      const double s = std::clamp(double{t}, 0.0, 1.0);
      EXPECT_NEAR(is, 1 - s * s * (3 - 2 * s), 2e-4);
      ++(t > 0 && t < 1 ? inside : beyond);
    }
  }
  EXPECT_GT(inside, 10);
  EXPECT_GT(beyond, 0);
}

TEST_F(Gradient, LocksHold) {
  const int other = chest_joint();
  edit::apply(document_, {edit::LockJoints{{other}, true}, ""});
  const auto before = document_.content.character;
  frames(2);
  drag(on_chest(), on_chest() + glm::vec2(0, 60));
  ASSERT_NE(document_.content.character, before);
  for (std::size_t p = 0; p < before->parts.size(); ++p) {
    if (before->parts[p].skin < 0) {
      continue;
    }
    const std::size_t count = before->primitive(before->parts[p]).influences->vertex_count();
    for (std::size_t v = 0; v < count; ++v) {
      EXPECT_EQ(weight_of(*before, p, v, other), weight_of(*document_.character, p, v, other));
    }
  }
  // Where what is free has nothing to give, it says why nothing changes.
  act("edit.undo");
  std::vector<int> held;
  for (int j = 0; j < document_.character->skeleton->size(); ++j) {
    if (j != active() && j != joint("wrist_l")) {
      held.push_back(j);
    }
  }
  edit::apply(document_, {edit::LockJoints{held, true}, ""});
  frames(2);
  const auto held_by = document_.content.character;
  workspace_.notice.reset();
  drag(on_chest(), on_chest() + glm::vec2(0, 60));
  frames(2);
  EXPECT_EQ(document_.content.character, held_by);
  ASSERT_TRUE(workspace_.notice);
  EXPECT_TRUE(workspace_.notice->text.starts_with("Nothing changed: what is not locked")) << workspace_.notice->text;
}

TEST_F(Gradient, SelectedVerticesAloneChangeAndTheSkinIsFollowed) {
  tool().selected_only = true;
  tool().distance = BrushDistance::kSurface;
  const auto& parts = document_.character->parts;
  edit::VertexSelection odd;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    odd.push_back({static_cast<int>(p), {}});
    for (std::uint32_t v = 1; v < document_.character->primitive(parts[p]).vertex_count(); v += 2) {
      odd.back().vertices.push_back(v);
    }
  }
  document_.view.selected_vertices = odd;
  frames(2);
  const auto before = document_.content.character;
  drag(on_chest(), on_chest() + glm::vec2(0, 60));
  ASSERT_NE(document_.content.character, before);
  // Copies of a selected place are the place, so that some even ones change, too.
  int changed = 0;
  int left = 0;
  int far = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t v = 0; v < before->primitive(before->parts[p]).vertex_count(); ++v) {
      const bool is_other = weight_of(*before, p, v, active()) != weight_of(*document_.character, p, v, active());
      const glm::vec3 at = before->primitive(before->parts[p]).positions[v];
      const bool is_near = glm::distance(at, tool().grabbed) < 0.05f;
      changed += is_other ? 1 : 0;
      left += !is_other && is_near ? 1 : 0;
      far += is_other && glm::distance(at, tool().grabbed) > 0.5f ? 1 : 0;
    }
  }
  EXPECT_GT(changed, 5);
  EXPECT_GT(left, 0) << "what is not selected, at the line itself";
  EXPECT_EQ(far, 0) << "the brush reaches along the line alone";
}

class KeptPoses : public Painting {
 protected:
  void SetUp() override {
    Painting::SetUp();
    take_tool(workspace_, kPullTool);
    tool().radius = 10;
    tool().distance = BrushDistance::kVolume;
    bend(0.6f);
  }
  void bend(float angle) {
    edit::apply(document_, {edit::SetDof{joint("elbow_l"), 0, angle}, ""});
    frames(2);
  }
  void pull() {
    Scene scene;
    scene.document = &document_;
    scene.world = evaluation_.world();
    scene.pose = &evaluation_.pose();
    Requests requests;
    const Projector project(Desk{scene, workspace_, requests, report_, theme_});
    const glm::vec2 at = *project(glm::vec3(evaluation_.world()[static_cast<std::size_t>(joint("elbow_l"))][3]));
    drag(at, at + glm::vec2(12, 12));
  }
};

TEST_F(KeptPoses, APullSolvesForThePosesThatWereKept) {
  // Where the elbow bends further, the same change of weights moves the vertex further: that pose counts for more.
  bend(1.6f);
  ASSERT_TRUE(report_.contains("kept.keep"));
  click("kept.keep");
  const edit::KeptPoses kept = document_.content.kept_poses;
  ASSERT_EQ(kept.size(), 1u);
  bend(0.6f);
  const auto before = document_.content.character;
  pull();
  ASSERT_NE(document_.content.character, before);
  frames(2);
  const float with = tool().kept[0].off;
  edit::undo(document_);
  EXPECT_EQ(document_.content.character, before);
  edit::apply(document_, {edit::ForgetPose{0}, ""});
  pull();
  ASSERT_NE(document_.content.character, before);
  document_.content.kept_poses = kept;  // to measure what became of it
  frames(2);
  const float without = tool().kept[0].off;
  EXPECT_GT(without, 1e-3f);
  EXPECT_LT(with, 0.5f * without);
}

// What the brush touches next is of another surface, and renaming a joint leaves poses alone.
TEST_F(KeptPoses, AreOfTheMeshThatWasPulledWhateverIsTouchedNext) {
  click("kept.keep");
  bend(1.6f);
  pull();
  frames(2);
  const float off = tool().kept[0].off;
  tool().posed.surface = nullptr;
  tool().mesh = -1;
  tool().kept[0].measured = nullptr;
  frames(2);
  EXPECT_EQ(tool().kept[0].off, off);
  edit::apply(document_, {edit::RenameJoint{joint("elbow_l"), "bend"}, ""});
  frames(2);
  EXPECT_EQ(document_.content.kept_poses.size(), 1u);
}

TEST_F(KeptPoses, AClickGoesToThePoseAndTheCrossForgetsIt) {
  click("kept.keep");
  const std::vector<glm::mat4> world(evaluation_.world().begin(), evaluation_.world().end());
  bend(1.6f);
  const std::size_t steps = document_.history.size();
  click("kept.pose.0");
  frames(2);
  EXPECT_EQ(document_.history.size(), steps + 1);
  for (std::size_t j = 0; j < world.size(); ++j) {
    for (int c = 0; c < 4; ++c) {
      EXPECT_LT(glm::distance(evaluation_.world()[j][c], world[j][c]), 1e-5f) << j;
    }
  }
  bend(0.9f);
  click("kept.again.0");
  EXPECT_NE(tool().kept[0].world, std::vector<glm::mat4>(evaluation_.world().begin(), evaluation_.world().end()))
      << "it is another pose";
  click("kept.remove.0");
  EXPECT_TRUE(document_.content.kept_poses.empty());
  edit::undo(document_);
  EXPECT_EQ(document_.content.kept_poses.size(), 1u) << "each of them is a step";
}

TEST_F(Painting, TheMaskIsALookOfTheActiveJointAndStaysWhilePainting) {
  show_tab(workspace_, kWeightsTab);
  frames(3);
  click("weights.mask");
  EXPECT_EQ(workspace_.view.look, render::Look::kMask);
  EXPECT_EQ(workspace_.view.weight_joint, active());
  const double had = sum_of(active());
  drag(on_chest(), below_chest());
  EXPECT_GT(sum_of(active()), had);
  EXPECT_EQ(workspace_.view.look, render::Look::kMask);
  tap({'W'});
  EXPECT_NE(workspace_.view.look, render::Look::kMask) << "W leaves it as it leaves the ramp";
}

}  // namespace
}  // namespace pelt::ui
