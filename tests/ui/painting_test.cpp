// Weights painted, pulled, locked and bound with the mouse.
#include <gtest/gtest.h>

#include "edit/paint_edits.h"
#include "painting_window.h"
#include "rig/character_parts.h"
#include "ui/bind_panel.h"
#include "ui/export_request.h"
#include "ui/tools.h"
#include "ui/viewport_geometry.h"
#include "ui/weight_tools_panel.h"
#include "ui/weights_panel.h"

namespace pelt::ui {
namespace {

TEST_F(Painting, AStrokeIsOneStepThatGivesTheJointMoreAndUndoRestoresTheWeights) {
  const auto before = document_.content.character;
  const double had = sum_of(active());
  drag(on_chest(), below_chest());
  EXPECT_GT(sum_of(active()), had);
  EXPECT_EQ(document_.history.size(), 2u);
  EXPECT_EQ(workspace_.view.look, render::Look::kWeights) << "what is painted is seen";
  edit::undo(document_);
  EXPECT_EQ(document_.content.character, before);
}

TEST_F(Painting, AClickIsADab) {
  click_at(on_chest());
  EXPECT_EQ(document_.history.size(), 2u);
}

TEST_F(Painting, CtrlTakesAwayAndShiftSmooths) {
  drag(on_chest(), below_chest());
  const double had = sum_of(active());
  ImGui::GetIO().KeyCtrl = true;
  drag(on_chest(), below_chest());
  ImGui::GetIO().KeyCtrl = false;
  EXPECT_LT(sum_of(active()), had);
  const auto before = document_.content.character;
  ImGui::GetIO().KeyShift = true;
  drag(on_chest(), below_chest());
  ImGui::GetIO().KeyShift = false;
  EXPECT_NE(document_.content.character, before);
}

TEST_F(Painting, SymmetricPaintingGivesBothSidesTheSame) {
  select_joint("shoulder_l");
  tool().symmetric = true;
  frames(2);
  const double left = sum_of(joint("shoulder_l"));
  const double right = sum_of(joint("shoulder_r"));
  tool().radius = 15;
  drag(on_chest() + glm::vec2(-45, 0), on_chest() + glm::vec2(-45, 20));
  const double more = sum_of(joint("shoulder_l")) - left;
  EXPECT_GT(more, 1e-3);
  EXPECT_NEAR(sum_of(joint("shoulder_r")) - right, more, 1e-3 * more);
}

TEST_F(Painting, EscTakesTheStrokeBack) {
  const auto before = document_.content.character;
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

TEST_F(Painting, BesideTheSkinTheDragOrbits) {
  const Rect& view = workspace_.layout.viewport;
  const float azimuth = workspace_.camera.azimuth;
  drag({view.x + view.w - 30, view.y + view.h - 40}, {view.x + view.w - 90, view.y + view.h - 40});
  EXPECT_NE(workspace_.camera.azimuth, azimuth);
  EXPECT_EQ(document_.history.size(), 1u);
}

// "Screen" paints what the circle covers in the picture, however far behind it lies; without front faces the back, too.
TEST_F(Painting, ReachedOnTheScreenIsWhatTheCircleCovers) {
  tool().distance = BrushDistance::kScreen;
  tool().mode = static_cast<int>(std::ranges::find(brush_modes(), std::string_view("replace"),
                                                   [](const auto& row) { return std::string_view(row.id); }) -
                                 brush_modes().begin());
  tool().value = 1;
  tool().strength = 1;
  // At rest and with the joint that moves nothing: what is painted stays where it is.
  const auto before = document_.content.character;
  const auto click_once = [&] {
    move(on_chest());
    button(true);
    frames(2);
    button(false);
    frames(2);
  };
  const Scene scene = [&] {
    Scene out;
    out.document = &document_;
    out.world = evaluation_.world();
    out.pose = &evaluation_.pose();
    return out;
  }();
  Requests requests;
  const Projector project(Desk{scene, workspace_, requests, report_, theme_});
  for (const bool front_only : {false, true}) {
    SCOPED_TRACE(front_only);
    tool().front_only = front_only;
    const auto positions = [&] {
      std::vector<std::vector<glm::vec3>> out;
      for (const auto& part : evaluation_.deformed(document_).parts) {
        out.emplace_back(part.positions.begin(), part.positions.end());
      }
      return out;
    }();
    click_once();
    ASSERT_TRUE(tool().hit);
    const glm::vec2 middle = *project(tool().hit->position);
    EXPECT_LT(glm::distance(middle, on_chest()), 30) << "the vertex under the mouse";
    int near = 0;
    int behind = 0;
    for (std::size_t p = 0; p < before->parts.size(); ++p) {
      if (before->parts[p].skin < 0) {
        continue;
      }
      const mesh::Influences& was = before->primitive(before->parts[p]).influences;
      const mesh::Influences& is = document_.character->primitive(document_.character->parts[p]).influences;
      for (std::size_t v = 0; v < was.vertex_count(); ++v) {
        const bool same =
            std::ranges::equal(was.joints(v), is.joints(v)) && std::ranges::equal(was.weights(v), is.weights(v));
        const auto at = project(positions[p][v]);
        if (same || !at) {
          continue;
        }
        EXPECT_LT(glm::distance(*at, middle), tool().radius * theme_.scale + 0.5f) << p << " " << v;
        ++near;
        behind += positions[p][v].z < 0 ? 1 : 0;
      }
    }
    EXPECT_GT(near, 20);
    EXPECT_EQ(behind > 5, !front_only) << behind;
    act("edit.undo");
    frames(2);
    ASSERT_TRUE(rig::equal(*document_.content.character, *before));
  }
}

TEST_F(Painting, LockedJointsKeepTheirWeightsBitForBit) {
  frame();
  click("paint.lock");
  EXPECT_TRUE(edit::is_locked(document_.content, active()));
  const auto before = document_.content.character;
  drag(on_chest(), below_chest());
  EXPECT_EQ(document_.content.character, before) << "the joint itself is locked";
  const int locked = active();
  const double had = sum_of(locked);
  for (int j = 0; j < document_.character->skeleton->size(); ++j) {
    if (j != locked && document_.character->skeleton->is_joint[static_cast<std::size_t>(j)] != 0) {
      document_.view.select_only(j);
      break;
    }
  }
  workspace_.view.weight_joint = active();
  frames(2);
  drag(on_chest(), below_chest());
  EXPECT_DOUBLE_EQ(sum_of(locked), had);
}

TEST_F(Painting, SmoothingLeavesLockedJointsAlone) {
  const int locked = active();
  edit::apply(document_, {edit::LockJoints{{locked}, true}, ""});
  const double had = sum_of(locked);
  const auto before = document_.content.character;
  show_tab(workspace_, kWeightsTab);
  frames(3);
  click("section.Smooth");
  frames(2);
  workspace_.panel<WeightsPanel>().smoothing.area = WeightEditSection::kAll;
  click("smooth.apply");
  frames(2);
  EXPECT_NE(document_.content.character, before);
  EXPECT_EQ(sum_of(locked), had);
}

TEST_F(Painting, FDraggedChangesTheSizeAndATapFrames) {
  const float before = tool().radius;
  move(on_chest());
  ImGui::GetIO().KeysDown['F'] = true;
  frame(nullptr, Chord{'F'});
  move(on_chest() + glm::vec2(30, 0));
  EXPECT_NEAR(tool().radius, before + 30, 0.5f);
  ImGui::GetIO().KeysDown['F'] = false;
  frames(2);
  move(on_chest() + glm::vec2(60, 0));
  EXPECT_NEAR(tool().radius, before + 30, 0.5f) << "let go";
  EXPECT_EQ(document_.history.size(), 1u);
}

TEST_F(Painting, FillGivesTheSelectedVerticesTheValue) {
  document_.view.selected_vertices = edit::VertexSelection{{0, {0, 1, 2, 3}}};
  tool().value = 0.25f;
  frames(2);
  click("paint.fill");
  const rig::Part& part = document_.character->parts[0];
  const std::vector<int>& joints = document_.character->skins[static_cast<std::size_t>(part.skin)].joints;
  const mesh::Influences& rows = document_.character->primitive(part).influences;
  for (std::size_t v = 0; v < 4; ++v) {
    double weight = 0;
    double sum = 0;
    for (std::size_t k = 0; k < rows.count(v); ++k) {
      sum += double{rows.weights(v)[k]};
      weight += joints[rows.joints(v)[k]] == active() ? double{rows.weights(v)[k]} : 0.0;
    }
    EXPECT_NEAR(weight, 0.25, 1e-6) << v;
    EXPECT_NEAR(sum, 1, 1e-6) << v;
  }
}

TEST_F(Painting, AVertexIsPulledInAPoseAndComesBackWithTheMouse) {
  const int elbow = joint("elbow_l");
  edit::apply(document_, {edit::SetDof{elbow, 0, 1.2f}, ""});
  frames(2);
  take_tool(workspace_, kPullTool);
  tool().radius = 10;
  const auto before = document_.content.character;
  const std::size_t steps = document_.history.size();
  Scene scene;
  scene.document = &document_;
  scene.world = evaluation_.world();
  scene.pose = &evaluation_.pose();
  Requests requests;
  const Projector project(Desk{scene, workspace_, requests, report_, theme_});
  const glm::vec2 at = *project(glm::vec3(evaluation_.world()[static_cast<std::size_t>(elbow)][3]));
  move(at);
  button(true);
  move(at + glm::vec2(12, 12));
  EXPECT_NE(document_.content.character, before);
  button(false);
  EXPECT_EQ(document_.history.size(), steps + 1);
  EXPECT_EQ(document_.history.undo_label().substr(0, 4), "Pull");
  edit::undo(document_);
  EXPECT_EQ(document_.content.character, before);
}

TEST_F(Painting, APullMayOfferTheJointThatIsPainted) {
  // The chest follows no arm: turned, that one draws it along only where it is offered.
  edit::apply(document_, {edit::SetDof{joint("shoulder_l"), 0, 1.2f}, ""});
  select_joint("shoulder_l");
  take_tool(workspace_, kPullTool);
  tool().radius = 10;
  frames(2);
  const int arm = joint("shoulder_l");
  const auto share_of_arm = [&] {
    double sum = 0;
    const rig::Character& character = *document_.content.character;
    for (const mesh::Primitive& primitive : character.meshes[0].primitives) {
      primitive.influences->for_each_entry([&](std::uint16_t k, float weight) {
        sum += character.skins[0].joints[k] == arm ? static_cast<double>(weight) : 0;
      });
    }
    return sum;
  };
  const double before = share_of_arm();
  const auto pull = [&] {
    move(on_chest());
    button(true);
    move(on_chest() + glm::vec2(25, 10));
    button(false);
    frames(2);
  };
  pull();
  EXPECT_NEAR(share_of_arm(), before, 1e-6);
  click("paint.offer");
  pull();
  EXPECT_GT(share_of_arm(), before + 1e-3);
}

TEST_F(Painting, AToolSaysWhatItWouldChangeAndChangesIt) {
  show_tab(workspace_, kWeightToolsTab);
  WeightToolsPanel& panel = workspace_.panel<WeightToolsPanel>();
  panel.tool = "limit";
  panel.values["limit"] = {1};
  frames(3);
  const auto before = document_.content.character;
  EXPECT_TRUE(panel.difference.starts_with("Would change")) << panel.difference;
  EXPECT_EQ(document_.content.character, before) << "it only says so";
  click("tools.apply");
  frames(2);
  EXPECT_EQ(document_.character->primitive(document_.character->parts[0]).influences->max_count(), 1u);
  EXPECT_EQ(document_.history.size(), 2u);
  EXPECT_EQ(panel.difference, "Nothing would change.");
  edit::undo(document_);
  EXPECT_EQ(document_.content.character, before);
}

TEST_F(Painting, AToolForTwoJointsAsksForThem) {
  show_tab(workspace_, kWeightToolsTab);
  WeightToolsPanel& panel = workspace_.panel<WeightToolsPanel>();
  panel.tool = "swap";
  frames(3);
  EXPECT_TRUE(panel.is_refused) << panel.difference;
  document_.view.selected_joints = {joint("shoulder_l"), joint("shoulder_r")};
  frames(2);
  EXPECT_FALSE(panel.is_refused) << panel.difference;
}

TEST_F(Painting, AToolInTheAreaOfAJointFollowsTheSelection) {
  show_tab(workspace_, kWeightToolsTab);
  WeightToolsPanel& panel = workspace_.panel<WeightToolsPanel>();
  panel.tool = "limit";
  panel.values["limit"] = {1};
  panel.area = WeightToolsPanel::kJoint;
  document_.view.select_only(-1);
  frames(3);
  EXPECT_TRUE(panel.is_refused) << panel.difference;
  select_joint("spine_2");
  frames(2);
  EXPECT_FALSE(panel.is_refused) << panel.difference;
  const std::string of_spine = panel.difference;
  select_joint("elbow_l");
  frames(2);
  EXPECT_NE(panel.difference, of_spine);
}

TEST_F(Painting, TheBrushWorksOnTheShapeOfNow) {
  edit::apply(document_, {edit::SetDof{joint("elbow_l"), 0, 1.2f}, ""});
  frames(2);
  drag_over_chest();
  const std::vector<glm::vec3> first = tool().posed.place;
  edit::apply(document_, {edit::BindSkin{.binder = "point-to-line", .limit = 1}, ""});
  frames(2);
  drag_over_chest();
  EXPECT_NE(tool().posed.place, first);
}

TEST_F(Painting, PartnersAreThoseOfTheSkinOfNow) {
  tool().symmetric = true;
  drag_over_chest();
  ASSERT_FALSE(tool().partner_slots.empty());
  auto longer = std::make_shared<rig::Character>(*document_.content.character);
  const int skin = longer->mesh_nodes[static_cast<std::size_t>(tool().mesh_node)].skin;
  rig::Skin& of = longer->skins.edit(static_cast<std::size_t>(skin));
  of.joints.push_back(of.joints[0]);
  of.joint_from_mesh.push_back(of.joint_from_mesh[0]);
  rig::finish(*longer);
  const std::size_t listed = longer->skins[static_cast<std::size_t>(skin)].joints.size();
  edit::apply(document_, {edit::ReplaceCharacter{longer}, ""});
  frames(2);
  drag_over_chest();
  EXPECT_TRUE(tool().partner_slots.empty() || tool().partner_slots.size() == listed) << tool().partner_slots.size();
}

TEST_F(Painting, ABinderIsRunAndItsWeightsAreOneStep) {
  show_tab(workspace_, kBindTab);
  frames(3);
  const auto before = document_.content.character;
  click("bind.bind");
  frames(4);
  EXPECT_NE(document_.content.character, before);
  EXPECT_EQ(document_.history.size(), 2u);
  EXPECT_EQ(document_.history.undo_label().substr(0, 4), "Bind");
  EXPECT_NE(workspace_.panel<BindPanel>().made, nullptr);
  edit::undo(document_);
  EXPECT_EQ(document_.content.character, before);
}

// A vertex that many strokes touch does not get more joints than engines read, unless somebody wants that.
TEST_F(Painting, AStrokeKeepsToTheInfluencesThatThereAre) {
  edit::apply(document_, {edit::BindSkin{.binder = "point-to-line", .limit = 4}, ""});
  frames(2);
  const auto most = [&] {
    std::uint32_t count = 0;
    for (const rig::Part& part : document_.character->parts) {
      count = std::max(count, part.skin < 0 ? 0 : document_.character->primitive(part).influences->max_count());
    }
    return count;
  };
  const auto paint_with_many = [&] {
    for (const char* const name : {"neck", "head", "clavicle_l", "clavicle_r", "shoulder_l", "shoulder_r"}) {
      select_joint(name);
      workspace_.view.weight_joint = joint(name);
      drag_over_chest();
    }
  };
  ASSERT_EQ(most(), 4u);
  tool().strength = 0.2f;
  paint_with_many();
  EXPECT_EQ(most(), 4u);
  EXPECT_EQ(tool().stroke_limit, 4);
  tool().limit = 0;
  paint_with_many();
  EXPECT_GT(most(), 4u) << "or else the strokes would not have needed a limit";
  // What there is now is no less than what a stroke keeps.
  tool().limit.reset();
  const std::uint32_t now = most();
  drag_over_chest();
  EXPECT_EQ(tool().stroke_limit, static_cast<int>(now));
  workspace_.panel<BindPanel>().limit = 2;
  show_tab(workspace_, kBindTab);
  frames(3);
  click("bind.bind");
  frames(4);
  show_tab(workspace_, kPaintTab);
  frames(2);
  ASSERT_EQ(most(), 2u);
  drag_over_chest();
  EXPECT_EQ(tool().stroke_limit, 2) << "the limit of the binding";
}

TEST_F(Painting, TheBrushBringsItsSettingsAndTheWeights) {
  take_tool(workspace_, kSelectTool);
  workspace_.view.look = render::Look::kShaded;
  show_tab(workspace_, kBindTab);
  frames(2);
  EXPECT_EQ(workspace_.view.look, render::Look::kShaded);
  take_tool(workspace_, kPaintTool);
  frames(2);
  EXPECT_EQ(workspace_.tab, kPaintTab);
  EXPECT_EQ(workspace_.view.look, render::Look::kWeights) << "nobody paints blind";
  EXPECT_EQ(workspace_.view.weight_joint, active());
  act("view.weights");
  frames(3);
  EXPECT_EQ(workspace_.view.look, render::Look::kShaded) << "W still goes back";
  // For as long as its key is held the tab is another one, too.
  take_tool(workspace_, kSelectTool);
  show_tab(workspace_, kBindTab);
  frames(2);
  frame(nullptr, Chord{'R'});
  EXPECT_EQ(workspace_.tab, kPaintTab);
  drag_over_chest();
  now_ += 1;
  {
    Scene scene;
    scene.document = &document_;
    scene.now = now_;
    Requests requests;
    Desk desk{scene, workspace_, requests, report_, theme_};
    release_tool('R', desk);
  }
  EXPECT_EQ(current_tool(workspace_).id, kSelectTool);
  EXPECT_EQ(workspace_.tab, kBindTab);
  EXPECT_EQ(workspace_.view.look, render::Look::kShaded);
  // A mode that is left and entered again takes no tool.
  take_tool(workspace_, kPaintTool);
  frames(2);
  act("view.weights");
  act("mode.pose");
  frames(2);
  act("mode.weights");
  frames(2);
  EXPECT_EQ(workspace_.view.look, render::Look::kShaded);
}

// F with the button down, as other programs want it, turns no camera.
TEST_F(Painting, TheSizeFollowsTheMouseWithTheButtonDownToo) {
  const float azimuth = workspace_.camera.azimuth;
  const auto before = document_.content.character;
  const float radius = tool().radius;
  for (const glm::vec2 at : {on_chest(), glm::vec2(workspace_.layout.viewport.x + 60, on_chest().y)}) {
    tool().radius = radius;
    move(at);
    ImGui::GetIO().KeysDown['F'] = true;
    frame(nullptr, Chord{'F'});
    move(at + glm::vec2(10, 0));
    button(true);
    const float pressed = tool().radius;
    move(at + glm::vec2(40, 4));
    EXPECT_NEAR(tool().radius, pressed + 30, 1.5f) << "from where the button went down";
    button(false);
    ImGui::GetIO().KeysDown['F'] = false;
    frames(2);
    EXPECT_EQ(workspace_.camera.azimuth, azimuth);
    EXPECT_EQ(document_.content.character, before);
  }
}

TEST_F(Painting, AStrokeIsCalledByItsBrush) {
  drag_over_chest();
  EXPECT_TRUE(document_.history.undo_label().ends_with(", add")) << document_.history.undo_label();
  ImGui::GetIO().KeyShift = true;
  drag_over_chest();
  ImGui::GetIO().KeyShift = false;
  EXPECT_TRUE(document_.history.undo_label().ends_with(", smooth")) << document_.history.undo_label();
}

TEST_F(Painting, PullHidesWhatOnlyABrushHas) {
  frames(2);
  EXPECT_FALSE(report_.contains("paint.front")) << "folded until it is wanted";
  click("section.paint.limits");
  frames(2);
  for (const char* const name : {"paint.mode", "paint.strength", "paint.airbrush", "paint.symmetric", "paint.weighted",
                                 "paint.fill", "paint.radius", "paint.front", "paint.limit"}) {
    EXPECT_TRUE(report_.contains(name)) << name;
  }
  take_tool(workspace_, kPullTool);
  frames(2);
  for (const char* const name :
       {"paint.mode", "paint.strength", "paint.airbrush", "paint.symmetric", "paint.weighted", "paint.fill"}) {
    EXPECT_FALSE(report_.contains(name)) << name;
  }
  for (const char* const name : {"paint.radius", "paint.front", "paint.selected", "paint.limit"}) {
    EXPECT_TRUE(report_.contains(name)) << name;
  }
}

TEST_F(Painting, AStrokeThatLocksHoldSaysSo) {
  const auto said = [&] { return workspace_.notice ? workspace_.notice->text : std::string(); };
  const auto lock = [&](const std::vector<int>& joints, bool locked) {
    edit::apply(document_, {edit::LockJoints{joints, locked}, ""});
    frames(2);
  };
  std::vector<int> others;
  for (int j = 0; j < document_.character->skeleton->size(); ++j) {
    if (j != active()) {
      others.push_back(j);
    }
  }
  lock(others, true);
  const auto before = document_.content.character;
  drag_over_chest();
  EXPECT_EQ(document_.content.character, before);
  EXPECT_NE(said().find("All other joints are locked"), std::string::npos) << said();
  // One far away is free, but has nothing to give here.
  lock({joint("wrist_l")}, false);
  workspace_.notice.reset();
  drag_over_chest();
  EXPECT_EQ(document_.content.character, before);
  EXPECT_EQ(said(), "Nothing changed: what is not locked has nothing to give there, or the weight is there already");
  // Locks elsewhere are not why nothing changes.
  lock(others, false);
  lock({joint("ankle_r")}, true);
  tool().factor = 1;
  tool().mode = static_cast<int>(std::ranges::find(brush_modes(), std::string_view("scale"),
                                                   [](const auto& row) { return std::string_view(row.id); }) -
                                 brush_modes().begin());
  workspace_.notice.reset();
  drag_over_chest();
  EXPECT_EQ(document_.content.character, before);
  EXPECT_EQ(said(), "");
  tool().mode = 0;
  // A stroke that Esc takes back has not been without effect.
  lock({joint("wrist_l")}, true);
  workspace_.notice.reset();
  move(on_chest());
  button(true);
  move(below_chest());
  EXPECT_NE(document_.content.character, before);
  ImGui::GetIO().KeyMap[ImGuiKey_Escape] = 1;
  press(1);
  button(false);
  frames(2);
  EXPECT_EQ(document_.content.character, before);
  EXPECT_EQ(said(), "");
}

TEST_F(Painting, ManyLocksFoldSoThatInfluencesStayInReach) {
  std::vector<int> all;
  for (int j = 0; j < document_.character->skeleton->size(); ++j) {
    all.push_back(j);
  }
  edit::apply(document_, {edit::LockJoints{all, true}, ""});
  frames(2);
  const std::string one = "paint.unlock." + document_.character->skeleton->label(all.back());
  EXPECT_FALSE(report_.contains(one));
  EXPECT_TRUE(report_.contains("section.Influences"));
  edit::apply(document_, {edit::LockJoints{{all.begin() + 2, all.end()}, false}, ""});
  frames(2);
  EXPECT_TRUE(report_.contains("paint.unlock." + document_.character->skeleton->label(all.front())))
      << "few are listed at once";
}

TEST_F(Painting, LLocksTheJointUnderTheMouseAndOpensNoLesson) {
  move(on_chest());
  frame(nullptr, Chord{'L'});
  frame();
  ASSERT_EQ(document_.content.locked_joints.size(), 1u);
  const int locked = document_.content.locked_joints[0];
  EXPECT_NE(workspace_.notice->text.find(" is locked"), std::string::npos);
  frame(nullptr, Chord{'L'});
  frame();
  EXPECT_TRUE(document_.content.locked_joints.empty()) << locked;
  for (const int key : {'L', 'K', 'U'}) {
    move(workspace_.layout.viewport.center() + glm::vec2(0, 10000));  // beside everything
    frame(nullptr, Chord{key});
    frame();
  }
  EXPECT_FALSE(taught_);
  take_tool(workspace_, kSelectTool);
  frame(nullptr, Chord{'K'});
  EXPECT_TRUE(taught_) << "without a brush in the hand the key does what it does elsewhere";
}

TEST_F(Painting, RingsStayOffTheSkinThatIsPainted) {
  workspace_.view.skeleton = true;
  frames(2);
  const auto turns_by_ring = [&] {
    for (const char* const name : {"elbow_l"}) {
      select_joint(name);
    }
    const edit::Content before = document_.content;
    const Rect& view = workspace_.layout.viewport;
    bool turned = false;
    for (int k = 1; k < 12 && !turned; ++k) {  // across the picture: some ring lies there
      const glm::vec2 at(view.x + view.w * static_cast<float>(k) / 12, view.y + view.h * 0.45f);
      drag(at, at + glm::vec2(9, 14));
      turned = !(*document_.content.overrides == *before.overrides);
    }
    return turned;
  };
  EXPECT_FALSE(turns_by_ring());
}

TEST_F(Painting, NumbersOfToolsSayTheirUnit) {
  show_tab(workspace_, kWeightToolsTab);
  WeightToolsPanel& panel = workspace_.panel<WeightToolsPanel>();
  panel.tool = "transfer";
  frames(2);
  const std::string of_transfer = words();
  EXPECT_NE(of_transfer.find("5.0\u2009%"), std::string::npos) << of_transfer;
  EXPECT_NE(of_transfer.find("60.0\u00b0"), std::string::npos) << of_transfer;
  panel.tool = "mirror";
  frames(3);
  EXPECT_NE(words().find("0.10\u2009%"), std::string::npos) << words();
  EXPECT_NE(words().find("No image"), std::string::npos) << words();
}

TEST(InfluencesWritten, SayWhatIsLostAndWhatFewReadersTake) {
  const auto written = [](std::vector<std::int64_t> vertices, int limit) {
    return influences_written({.vertices = std::move(vertices), .total = 0}, limit);
  };
  EXPECT_EQ(written({0, 5, 5, 5, 5}, 0), "") << "four at most";
  EXPECT_EQ(written({}, 4), "");
  EXPECT_EQ(written({0, 5, 5, 0, 0, 1}, 0),
            "1 vertex has more than 4 influences, up to 5: all are written, those after four as JOINTS_1, which some "
            "programs leave out");
  EXPECT_EQ(written({0, 0, 0, 0, 0, 2, 0, 0, 0, 7}, 8),
            "9 vertices have more than 4 influences: the heaviest 8 are written, those after four as JOINTS_1, which "
            "some programs leave out");
  EXPECT_EQ(written({0, 0, 0, 0, 0, 2, 1}, 4),
            "3 vertices have more than 4 influences: only the heaviest 4 are written");
  EXPECT_EQ(written({0, 0, 4, 2}, 2), "2 vertices have more than 2 influences: only the heaviest 2 are written");
  EXPECT_EQ(written({0, 1, 4}, 1), "4 vertices have more than 1 influence: only the heaviest is written");
}

}  // namespace
}  // namespace pelt::ui
