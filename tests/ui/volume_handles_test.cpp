// Volumes round the bones with the mouse: drawn and dragged in the picture, with the weights that follow.
#include <chrono>
#include <future>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "bind/deforming_joints.h"
#include "edit/session.h"
#include "rig/character_parts.h"
#include "selecting_window.h"
#include "support/bare.h"
#include "support/patience.h"
#include "support/surfaces.h"
#include "ui/bind_panel.h"
#include "ui/volume_handles.h"
#include "ui/volume_jobs.h"

namespace pelt::ui {
namespace {

constexpr int kEscapeOfVolumes = 1;

class DraggedVolumes : public Selecting {
 protected:
  void SetUp() override {
    Selecting::SetUp();
    ImGui::GetIO().KeyMap[ImGuiKey_Escape] = kEscapeOfVolumes;
    open(*gltf::import_bundled("mannequin"));
    act("view.front");
    act("view.home");
    act("mode.weights");
    workspace_.view.skeleton = false;
    show_tab(workspace_, kBindTab);
    handles().patient = true;
    workspace_.panel<BindPanel>().patient = true;
    workspace_.panel<BindPanel>().binder = edit::kVolumesBinder;
    frames(3);
    select_joint("elbow_l");
  }
  VolumeHandles& handles() { return workspace_.panel<VolumeHandles>(); }
  void select_joint(const char* name) {
    document_.view.select_only(joint(name));
    frames(2);
  }
  const std::vector<bind::JointVolume>& by_hand() const { return document_.content.volumes->of_joints; }
  glm::vec2 handle(const std::string& name) {
    EXPECT_TRUE(report_.contains("volume." + name)) << name;
    return report_["volume." + name].center();
  }
  // What a binding from the beginning makes of the volumes that the document has.
  rig::Character bound_anew() const {
    edit::BindSkin change{.binder = std::string(edit::kVolumesBinder)};
    change.values = bind::containment_values(document_.content.volumes->numbers);
    change.request.joints = bind::proposed_joints(*document_.file);
    change.request.volumes = by_hand();
    const auto made = edit::make_binding(document_.file, change);
    EXPECT_TRUE(made);
    return edit::with_made_binding(*document_.file, change, **made);
  }
};

TEST_F(DraggedVolumes, AreDrawnAndOneDragIsOneStepWithTheWeightsBehindIt) {
  const edit::Content before = document_.content;
  for (const char* name : {"elbow_l.0.head", "elbow_l.0.tail", "elbow_l.0.head_radius", "elbow_l.0.tail_radius"}) {
    EXPECT_TRUE(report_.contains(fmt::format("volume.{}", name))) << name;
  }
  const glm::vec2 from = handle("elbow_l.0.head_radius");
  const glm::vec2 outward = glm::normalize(from - handle("elbow_l.0.head"));
  drag(from, from + 12.0f * outward);
  frames(2);
  EXPECT_EQ(document_.history.size(), 2u) << "a drag is one step";
  ASSERT_EQ(by_hand().size(), 2u) << "and its partner's";
  EXPECT_LT(glm::distance(handle("elbow_l.0.head_radius"), from + 12.0f * outward), 1.5f) << "it is where the mouse is";
  EXPECT_TRUE(rig::equal(*document_.content.character, bound_anew()))
      << "weights that followed are those of a binding from the beginning";

  // The same again, and all of it back.
  const auto first = document_.content.character;
  const glm::vec2 tail = handle("elbow_l.0.tail");
  drag(tail, tail + glm::vec2(9, 14));
  frames(2);
  EXPECT_EQ(document_.history.size(), 3u);
  EXPECT_LT(glm::distance(handle("elbow_l.0.tail"), tail + glm::vec2(9, 14)), 1.5f);
  EXPECT_TRUE(rig::equal(*document_.content.character, bound_anew()));
  edit::undo(document_);
  frames(2);
  EXPECT_EQ(document_.content.character, first);
  EXPECT_LT(glm::distance(handle("elbow_l.0.tail"), tail), 0.1f) << "handles show what the document has";
  edit::undo(document_);
  frames(2);
  EXPECT_EQ(document_.content, before);
  EXPECT_LT(glm::distance(handle("elbow_l.0.head_radius"), from), 0.1f);
}

TEST_F(DraggedVolumes, TheWeightsFollowWhileTheButtonIsDown) {
  const glm::vec2 from = handle("elbow_l.0.tail_radius");
  move(from);
  button(true);
  std::vector<std::shared_ptr<const rig::Character>> seen = {document_.content.character};
  for (int i = 1; i <= 3; ++i) {
    move(from + glm::vec2(0, 8.0f * static_cast<float>(i)));
    EXPECT_NE(document_.content.character, seen.back()) << i;
    seen.push_back(document_.content.character);
    EXPECT_TRUE(rig::equal(*document_.content.character, bound_anew())) << i;
    if (i > 1) {
      EXPECT_TRUE(handles().live->made->changed) << "only rows that a volume reaches";
      EXPECT_TRUE(document_.content.character->skeleton.is(seen[1]->skeleton));
    }
  }
  button(false);
  frames(1);
  EXPECT_EQ(document_.history.size(), 2u);
}

TEST_F(DraggedVolumes, EscTakesADragBack) {
  const edit::Content before = document_.content;
  const glm::vec2 from = handle("elbow_l.0.tail");
  move(from);
  button(true);
  move(from + glm::vec2(0, 30));
  EXPECT_NE(document_.content.character, before.character);
  press(kEscapeOfVolumes);
  button(false);
  frames(2);
  EXPECT_EQ(document_.content, before);
  EXPECT_EQ(document_.history.size(), 1u);
  EXPECT_LT(glm::distance(handle("elbow_l.0.tail"), from), 0.1f);
  // And the next drag is a new one.
  drag(from, from + glm::vec2(0, 10));
  frames(2);
  EXPECT_EQ(document_.history.size(), 2u);
  EXPECT_TRUE(rig::equal(*document_.content.character, bound_anew()));
}

TEST_F(DraggedVolumes, TheOtherSideFollowsOnlyWhereItIsAsked) {
  const glm::vec2 from = handle("elbow_l.0.head_radius");
  drag(from, from + glm::vec2(0, 10));
  frames(2);
  ASSERT_EQ(by_hand().size(), 2u);
  const auto shown = [&](const char* name) {
    const VolumeWork& work = *handles().work;
    for (const bind::JointVolume& one : by_hand()) {
      if (one.joint == joint(name)) {
        return bind::placed(one, 0, work.problem->bind_from_joint[static_cast<std::size_t>(one.joint)]);
      }
    }
    return bind::Volume{};
  };
  const bind::Volume left = shown("elbow_l");
  const bind::Volume right = shown("elbow_r");
  EXPECT_LT(glm::distance(left.center * glm::dvec3(-1, 1, 1), right.center), 1e-5);
  EXPECT_NEAR(left.head_radius, right.head_radius, 1e-6);
  handles().symmetric = false;
  const glm::vec2 again = handle("elbow_l.0.head_radius");
  drag(again, again + glm::vec2(0, 10));
  frames(2);
  EXPECT_EQ(shown("elbow_r").head_radius, right.head_radius);
  EXPECT_NE(shown("elbow_l").head_radius, left.head_radius);
}

TEST_F(DraggedVolumes, HaveAKindAndSizesInThePanel) {
  click("volume.kind");
  frames(2);
  click("volume.kind.5");
  frames(3);
  ASSERT_EQ(by_hand().size(), 2u);
  EXPECT_EQ(by_hand()[0].kind, bind::VolumeKind::kBox);
  EXPECT_TRUE(rig::equal(*document_.content.character, bound_anew()));
  ASSERT_TRUE(report_.contains("volume.side_y"));
  const Rect slider = report_["volume.side_y"];
  const float half = by_hand()[0].half.y;
  drag(slider.center(), slider.center() + glm::vec2(20, 0));
  frames(3);
  EXPECT_NE(by_hand()[0].half.y, half);
  EXPECT_TRUE(report_.contains("volume.elbow_l.0.side_y")) << "a box is taken by its sides";
  EXPECT_TRUE(rig::equal(*document_.content.character, bound_anew()));
  EXPECT_EQ(document_.history.size(), 3u) << "a kind and a slider";
  click("volume.fit_all");
  frames(3);
  EXPECT_TRUE(by_hand().empty());
  EXPECT_TRUE(rig::equal(*document_.content.character, bound_anew()));
}

TEST_F(DraggedVolumes, AMeshOfTheSceneIsAKind) {
  handles().symmetric = false;
  click("volume.kind");
  frames(2);
  click("volume.kind.6");
  frames(3);
  ASSERT_EQ(by_hand().size(), 1u);
  EXPECT_EQ(by_hand()[0].kind, bind::VolumeKind::kMesh);
  EXPECT_EQ(document_.history.size(), 2u);
  EXPECT_TRUE(rig::equal(*document_.content.character, bound_anew()));
  EXPECT_TRUE(handles().error.empty() || !handles().is_error) << handles().error;
  const glm::vec2 from = handle("elbow_l.0.tail");
  drag(from, from + glm::vec2(12, 0));
  frames(2);
  EXPECT_EQ(document_.history.size(), 3u);
  EXPECT_TRUE(rig::equal(*document_.content.character, bound_anew()));
}

TEST_F(DraggedVolumes, AMeshOfAFileIsOneToo) {
  click("volume.kind");
  frames(2);
  click("volume.kind.7");
  frames(2);
  EXPECT_TRUE(workspace_.browser.visible);
  EXPECT_EQ(workspace_.browser.purpose, BrowserPurpose::kOpenVolume);
  workspace_.browser.visible = false;
  const auto ball = std::make_shared<const rig::Character>(test::bare(test::sphere(3)));
  open_volume(workspace_, "folder/ball.obj", [ball](const Progress&) -> VolumeHandles::Opened { return ball; });
  frames(4);
  ASSERT_EQ(by_hand().size(), 2u) << handles().error;
  EXPECT_EQ(by_hand()[0].shape->name, "ball.obj");
  EXPECT_EQ(by_hand()[0].flipped || by_hand()[1].flipped, true) << "the other side has its mirror image";
  EXPECT_TRUE(rig::equal(*document_.content.character, bound_anew()));
  open_volume(workspace_, "no.obj", [](const Progress&) -> VolumeHandles::Opened { return error("no.obj: is none"); });
  frames(3);
  EXPECT_EQ(handles().error, "no.obj: is none");
  EXPECT_THAT(words(), testing::HasSubstr("no.obj: is none"));
  EXPECT_EQ(document_.history.size(), 2u);
}

// The mesh is read and its form made in the background, while anything may happen to what it was meant for.
TEST_F(DraggedVolumes, AMeshThatComesTooLateChangesNothing) {
  handles().patient = false;
  const auto ball = std::make_shared<const rig::Character>(test::bare(test::sphere(2)));
  const auto open_slowly = [&](std::promise<void>& allow) {
    take_mesh_as_volume(
        workspace_,
        [ball, allowed = allow.get_future().share()](const Progress&) -> VolumeHandles::Opened {
          allowed.wait();
          return ball;
        },
        -1, "ball", joint("elbow_l"));
    frames(2);
    ASSERT_TRUE(handles().shaping->active());
  };
  const auto until = [&](const auto& is_so) {
    return is_so() || test::eventually([&] {
             frames(1);
             return is_so();
           });
  };
  const auto settle = [&] {
    for (int k = 0; k < 20; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      frames(1);
    }
  };
  {
    std::promise<void> allow;
    open_slowly(allow);
    workspace_.panel<BindPanel>().binder = "point-to-line";
    frames(2);
    allow.set_value();
    workspace_.panel<BindPanel>().binder = edit::kVolumesBinder;
    settle();
    EXPECT_TRUE(by_hand().empty()) << "another binder was chosen meanwhile";
  }
  {
    std::promise<void> allow;
    open_slowly(allow);
    const auto mannequin = document_.file;
    rig::Character other = *mannequin;  // of the same joints
    other.meshes.edit(0).primitives.edit(0).positions.edit()[0].x += 1e-3f;
    open(std::move(other));
    frames(2);
    allow.set_value();
    settle();
    EXPECT_TRUE(by_hand().empty()) << "another character";
    EXPECT_FALSE(document_.history.can_undo());
    open(rig::Character(*mannequin));
  }
  {
    ASSERT_TRUE(until([&] { return handles().work != nullptr; }));
    select_joint("elbow_l");
    frames(2);
    click("volume.kind");
    frames(2);
    click("volume.kind.5");
    ASSERT_TRUE(until([&] { return by_hand().size() == 2; }));
    const std::size_t step = document_.history.cursor();
    std::promise<void> allow;
    open_slowly(allow);
    edit::undo(document_);
    frames(2);
    allow.set_value();
    settle();
    EXPECT_TRUE(by_hand().empty()) << "undone meanwhile";
    EXPECT_EQ(document_.history.cursor(), step - 1);
    EXPECT_TRUE(document_.history.can_redo());
    edit::redo(document_);
    frames(2);
  }
  {
    std::promise<void> allow;
    open_slowly(allow);
    click("volume.kind");
    frames(2);
    click("volume.kind.4");
    ASSERT_TRUE(until([&] { return by_hand().size() == 2 && by_hand()[0].kind == bind::VolumeKind::kSphere; }));
    allow.set_value();
    settle();
    EXPECT_EQ(by_hand()[0].kind, bind::VolumeKind::kSphere) << "the newest choice counts";
    click("volume.fit_all");
    ASSERT_TRUE(until([&] { return by_hand().empty(); }));
  }
  std::promise<void> allow;
  ASSERT_TRUE(until([&] { return handles().work != nullptr; }));
  open_slowly(allow);
  allow.set_value();
  EXPECT_TRUE(until([&] { return by_hand().size() == 2; })) << "nothing stands in its way";
}

TEST_F(DraggedVolumes, TheFormOfAllIsChosenByItsName) {
  workspace_.panel<BindPanel>().values[std::string(edit::kVolumesBinder)] =
      bind::standard_values(*bind::find_binder(edit::kVolumesBinder));
  frames(2);
  click("bind.shape");
  frames(2);
  ASSERT_TRUE(report_.contains("bind.shape.3"));
  click("bind.shape.3");
  frames(3);
  EXPECT_EQ(workspace_.panel<BindPanel>().values[std::string(edit::kVolumesBinder)][0], 3);
  EXPECT_THAT(words(), testing::HasSubstr("Sphere"));
  ASSERT_FALSE(handles().work->fitted.empty());
  EXPECT_EQ(handles().work->fitted[0].kind, bind::VolumeKind::kSphere);
}

TEST_F(DraggedVolumes, AClickOnALineSelectsItsJoint) {
  document_.view.select_only(-1);
  frames(2);
  EXPECT_FALSE(report_.contains("volume.elbow_l.0.tail")) << "handles are of selected joints";
  select_joint("knee_l");
  const glm::vec2 on_rim = handle("knee_l.0.head_radius");
  select_joint("elbow_l");
  click_at(on_rim);
  EXPECT_EQ(selected(), (Joints{joint("knee_l")}));
}

TEST_F(DraggedVolumes, OpenedAgainTheSameHandlesAreThere) {
  const glm::vec2 from = handle("elbow_l.0.tail");
  workspace_.panel<BindPanel>().values[std::string(edit::kVolumesBinder)] = {0, 1.5, 1, 2.5, 4};
  frames(2);
  drag(from, from + glm::vec2(7, 16));
  frames(2);
  const std::vector<bind::Volume> shown = [&] {
    std::vector<bind::Volume> out;
    for (const bind::JointVolume& one : by_hand()) {
      out.push_back(
          bind::placed(one, 0, handles().work->problem->bind_from_joint[static_cast<std::size_t>(one.joint)]));
    }
    return out;
  }();
  ASSERT_EQ(shown.size(), 2u);
  const auto text = edit::session_to_text(document_, {"mannequin.glb", "hash", false}, "");
  ASSERT_TRUE(text) << text.error().message;
  const auto again =
      edit::session_from_text(text->json, document_.file, [&](const std::string& name) -> Result<std::string> {
        return std::ranges::find(text->files, name, &edit::SessionFile::name)->bytes;
      });
  ASSERT_TRUE(again) << again.error().message;
  const edit::Content content = document_.content;
  const glm::vec2 tail = handle("elbow_l.0.tail");
  const glm::vec2 fitted = [&] {
    select_joint("knee_l");
    return handle("knee_l.0.head_radius");
  }();
  handles() = {};
  workspace_.panel<BindPanel>() = {};
  workspace_.panel<BindPanel>().binder = edit::kVolumesBinder;
  handles().patient = true;
  document_ = again->document;
  EXPECT_EQ(document_.content.volumes, content.volumes);
  select_joint("knee_l");
  EXPECT_LT(glm::distance(handle("knee_l.0.head_radius"), fitted), 0.1f) << "fitted with the numbers of the session";
  select_joint("elbow_l");
  EXPECT_LT(glm::distance(handle("elbow_l.0.tail"), tail), 0.1f);
}

TEST_F(DraggedVolumes, BindInThisPoseBindsWhatIsSeen) {
  workspace_.panel<BindPanel>().binder = "point-to-line";
  resize({1440, 1400}, 1);
  frames(2);
  const auto before = document_.content.character;
  click("bind.in_pose");
  frames(3);
  const auto at_rest = document_.content.character;
  EXPECT_EQ(document_.history.undo_label(), "Bind mannequin by Point to line in this pose");
  EXPECT_THAT(workspace_.notice->text, testing::HasSubstr("as without a pose: this one bends nothing"));
  edit::undo(document_);
  click("bind.bind");
  frames(3);
  EXPECT_TRUE(rig::equal(*document_.content.character, *at_rest)) << "in the rest pose both are the same";
  edit::undo(document_);
  Transform bent = document_.character->skeleton->rest[static_cast<std::size_t>(joint("elbow_l"))];
  bent.rotation = bent.rotation * glm::angleAxis(1.5f, glm::vec3(0, 0, 1));
  edit::apply(document_, {edit::SetJointLocal{joint("elbow_l"), bent}, ""});
  frames(2);
  click("bind.in_pose");
  frames(3);
  EXPECT_THAT(workspace_.notice->text, testing::HasSubstr("weights alone, in this pose"));
  EXPECT_FALSE(rig::equal(*document_.content.character, *at_rest));
  EXPECT_TRUE(
      document_.content.character->meshes[0].primitives[0].positions.is(before->meshes[0].primitives[0].positions));
  EXPECT_EQ(document_.content.character->skins[0].joint_from_mesh, before->skins[0].joint_from_mesh);
}

TEST_F(DraggedVolumes, AreInNobodysWayElsewhere) {
  workspace_.panel<BindPanel>().binder = "heat";
  frames(2);
  EXPECT_FALSE(report_.contains("volume.elbow_l.0.tail"));
  workspace_.panel<BindPanel>().binder = edit::kVolumesBinder;
  act("mode.pose");
  EXPECT_FALSE(report_.contains("volume.elbow_l.0.tail"));
  EXPECT_EQ(document_.history.size(), 1u);
}

TEST_F(DraggedVolumes, AreAllThereInASmallWindowAndALargeScale) {
  for (const auto& [size, scale] : {std::pair(glm::vec2(640, 480), 1.0f), std::pair(glm::vec2(1440, 900), 2.0f)}) {
    resize(size, scale);
    frames(3);
    EXPECT_TRUE(report_.contains("volume.elbow_l.0.tail")) << scale;
  }
}

}  // namespace
}  // namespace pelt::ui
