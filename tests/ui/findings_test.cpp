// What is wrong with the open character: the banner over the picture, the Info tab in every mode, and a list whose rows
// stay where they are.
#include <cfloat>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <imgui_internal.h>

#include "edit/commands.h"
#include "gltf/bundled.h"
#include "headless_window.h"
#include "rig/surface_variants.h"
#include "ui/findings_banner.h"
#include "ui/handle_bar.h"
#include "ui/info_panel.h"
#include "ui/listed_findings.h"
#include "ui/modes.h"
#include "ui/tools.h"

namespace pelt::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

rig::Finding finding(const char* code, Severity severity, const char* message = "odd") {
  rig::Finding one{.code = code, .severity = severity, .where = "mesh 0, primitive 0", .message = message};
  one.place.mesh = one.place.primitive = 0;
  return one;
}

class BrokenRig : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    open(test::cylinder());
    found({finding("weight-sum", Severity::kError), finding("weight-negative", Severity::kWarning),
           finding("rogue-weight", Severity::kWarning), finding("duplicate-vertex", Severity::kInfo)});
  }
  // The search of the character as it is now has come to an end.
  void found(const rig::Findings& findings) { found(findings, document_.character); }
  void found(const rig::Findings& findings, const std::shared_ptr<const rig::Character>& character) {
    measurements_.lint = LintReport{character, findings};
    frames(2);
  }
  std::string said() {
    move({-1000, -1000});
    return words();
  }
  ListedFindings& list() { return workspace_.panel<ListedFindings>(); }
  bool can_undo_mend_of(std::size_t row) {
    Scene scene;
    scene.document = &document_;
    Requests requests;
    return can_undo_mend(Desk{scene, workspace_, requests, report_, theme_}, row);
  }
  void rename() { edit::apply(document_, {edit::RenameJoint{0, "renamed"}, {}}); }
};

TEST_F(BrokenRig, ABannerSaysItInEveryModeAtOnePlace) {
  ASSERT_TRUE(report_.contains("findings.banner"));
  const Rect first = report_["findings.banner"];
  for (const Mode& mode : modes()) {
    act(fmt::format("mode.{}", mode.id).c_str());
    EXPECT_THAT(said(), HasSubstr("1 error, 2 warnings")) << mode.id;
    ASSERT_TRUE(report_.contains("findings.banner")) << mode.id;
    const Rect banner = report_["findings.banner"];
    EXPECT_EQ(banner.y, first.y) << mode.id << ": it does not jump";
    const Rect& view = workspace_.layout.viewport;
    EXPECT_TRUE(view.contains(banner.x, banner.y) && view.contains(banner.x + banner.w - 1, banner.y + banner.h - 1));
    EXPECT_FALSE(meet(banner, workspace_.viewport.toolbar)) << mode.id;
    for (const char* button : {"findings.show", "findings.dismiss"}) {
      ASSERT_TRUE(report_.contains(button)) << mode.id;
      const Rect inside = report_[button];
      EXPECT_GE(inside.x, banner.x);
      EXPECT_LE(inside.x + inside.w, banner.x + banner.w) << button;
    }
  }
}

TEST_F(BrokenRig, ShowOpensTheInfoTabInTheSameMode) {
  for (const Mode& mode : modes()) {
    act(fmt::format("mode.{}", mode.id).c_str());
    workspace_.tab = tabs_of(mode).front()->id;
    frames(2);
    click("findings.show");
    EXPECT_EQ(workspace_.tab, kInfoTab);
    EXPECT_EQ(workspace_.mode, mode.id);
    frames(1);
    EXPECT_TRUE(report_.contains("finding.0")) << mode.id;
  }
}

TEST_F(BrokenRig, ShowUnfoldsTheListAndEndsTheHelp) {
  show_tab(workspace_, kInfoTab);
  frames(2);
  click("section.findings");
  ASSERT_FALSE(report_.contains("finding.0"));
  workspace_.help_open = true;
  frames(2);
  click("findings.show");
  frames(2);
  EXPECT_FALSE(workspace_.help_open);
  EXPECT_TRUE(report_.contains("finding.0"));
}

TEST_F(BrokenRig, ADismissedBannerComesWithTheNextCharacter) {
  click("findings.dismiss");
  frames(2);
  EXPECT_FALSE(report_.contains("findings.banner"));
  rename();
  found({finding("weight-sum", Severity::kError)});
  EXPECT_FALSE(report_.contains("findings.banner")) << "the same character";
  open(test::cylinder());
  found({finding("weight-sum", Severity::kError)});
  EXPECT_TRUE(report_.contains("findings.banner"));
}

TEST_F(BrokenRig, NoBannerWhereNothingIsLeftButRemarks) {
  rename();
  found({finding("duplicate-vertex", Severity::kInfo)});
  EXPECT_FALSE(report_.contains("findings.banner"));
  open(test::cylinder());
  found({});
  EXPECT_FALSE(report_.contains("findings.banner"));
}

TEST_F(BrokenRig, TheSearchBeginsOnOpeningAndSaysThatItRuns) {
  measurements_.lint.reset();
  now_ = 10;
  open(test::elbow());
  EXPECT_TRUE(frame().lint) << "in the tab " << workspace_.tab;
  measurements_.lint_work = {true, 0.5f, "weights"};
  frames(2);
  EXPECT_FALSE(report_.contains("findings.banner")) << "a moment is not worth a word";
  now_ = 11;
  EXPECT_THAT(said(), HasSubstr("Looking for faults"));
  EXPECT_FALSE(report_.contains("findings.show"));
  show_tab(workspace_, kInfoTab);
  EXPECT_THAT(said(), Not(HasSubstr("Nothing odd")));
  measurements_.lint_work = {};
  found({});
  EXPECT_THAT(said(), Not(HasSubstr("Looking")));
  EXPECT_THAT(said(), HasSubstr("Nothing odd was found"));
}

TEST_F(BrokenRig, AnEditIsLookedAtOnceEditsHaveEnded) {
  EXPECT_FALSE(frame().lint);
  now_ = 5;
  rename();
  Requests asked = frame();
  EXPECT_FALSE(asked.lint) << "a stroke of the brush would begin a hundred searches";
  EXPECT_TRUE(asked.next_picture) << "the window must not sleep over it";
  EXPECT_THAT(said(), HasSubstr("1 error, 2 warnings")) << "until something else is known";
  now_ = 7;
  EXPECT_TRUE(frame().lint);
}

// Nobody pays for searches whose results nobody is told.
TEST_F(BrokenRig, EditsOfASoundRigBeginNoSearchUntilTheListIsInFront) {
  open(test::cylinder());
  found({finding("duplicate-vertex", Severity::kInfo)});
  act("mode.pose");
  show_tab(workspace_, "pose");
  now_ = 20;
  rename();
  frame();
  now_ = 30;
  EXPECT_FALSE(frame().lint);
  show_tab(workspace_, kInfoTab);
  EXPECT_TRUE(frame().lint);
}

// The findings are those of the file's own surface, whatever is shown in its place.
TEST_F(BrokenRig, ASearchBeginsThoughAnotherSurfaceIsShown) {
  measurements_.lint.reset();
  open(test::cylinder());
  rig::SurfaceChoice finer;
  finer.subdivisions = 1;
  edit::show_surface(document_,
                     std::make_shared<const rig::Character>(*rig::with_surface(*edit::own_character(document_), finer)),
                     finer, 0);
  ASSERT_FALSE(edit::shows_own_surface(document_));
  EXPECT_TRUE(frame().lint);
  show_tab(workspace_, kInfoTab);
  found({}, edit::own_character(document_));
  EXPECT_THAT(said(), HasSubstr("Nothing odd was found"));
}

TEST_F(BrokenRig, TheBannerLeavesHandlesFree) {
  act("mode.pose");
  document_.view.select_only(1);
  frames(2);
  const Rect banner = report_["findings.banner"];
  const Rect& view = workspace_.layout.viewport;
  // The camera moves until the joint is behind the banner.
  const glm::mat3 from_world(workspace_.camera.view_from_world());
  const glm::vec3 right = glm::transpose(from_world)[0];
  const glm::vec3 up = glm::transpose(from_world)[1];
  const float metres = 2 * workspace_.camera.distance * std::tan(workspace_.camera.yfov / 2) / view.h;
  const glm::vec2 off = banner.center() - view.center();
  const glm::vec3 joint(evaluation_.world()[1][3]);
  workspace_.camera.pivot = joint - metres * (off.x * right - off.y * up);
  frames(3);
  ASSERT_TRUE(report_.contains("findings.banner"));
  const Rect moved = report_["findings.banner"];
  EXPECT_FALSE(meet(moved, {banner.center().x - 60, banner.center().y - 60, 120, 120}));
  EXPECT_GT(moved.y, view.center().y);
  workspace_.camera.pivot = joint;
  frames(3);
  EXPECT_EQ(report_["findings.banner"].y, moved.y) << "it stays until it would be in the way again";
}

TEST_F(BrokenRig, TheBannerFitsIntoSmallWindowsAndLargeScales) {
  for (const auto& [size, scale] : {std::pair(glm::vec2(640, 480), 1.0f), std::pair(glm::vec2(900, 600), 2.0f),
                                    std::pair(glm::vec2(480, 400), 1.5f), std::pair(glm::vec2(1800, 1200), 2.0f)}) {
    resize(size, scale);
    for (const Mode& mode : modes()) {
      act(fmt::format("mode.{}", mode.id).c_str());
      frames(2);
      const Rect& view = workspace_.layout.viewport;
      if (!report_.contains("findings.banner")) {
        EXPECT_LT(view.w, 160 * scale) << size.x << " " << mode.id;
        continue;
      }
      const Rect banner = report_["findings.banner"];
      EXPECT_GE(banner.x, view.x);
      EXPECT_LE(banner.x + banner.w, view.x + view.w);
      EXPECT_FALSE(meet(banner, workspace_.viewport.toolbar)) << size.x << " " << mode.id;
      EXPECT_TRUE(report_.contains("findings.show"));
      EXPECT_TRUE(report_.contains("findings.dismiss"));
    }
  }
}

TEST_F(BrokenRig, WithoutTheToolbarTheCharacterStandsBelowTheBanner) {
  resize({900, 600}, 2);
  act("mode.look");
  frames(2);
  ASSERT_TRUE(workspace_.viewport.toolbar.empty());
  ASSERT_TRUE(report_.contains("findings.banner"));
  act("view.home");
  frames(3);
  const Rect banner = report_["findings.banner"];
  const Rect& view = workspace_.layout.viewport;
  const Bounds bounds = evaluation_.deformed(document_).bounds;
  const glm::mat4 clip_from_world =
      workspace_.camera.clip_from_view(view.w / view.h) * workspace_.camera.view_from_world();
  float top = view.y + view.h;
  for (int corner = 0; corner < 8; ++corner) {
    const glm::vec3 at((corner & 1) != 0 ? bounds.upper.x : bounds.lower.x,
                       (corner & 2) != 0 ? bounds.upper.y : bounds.lower.y,
                       (corner & 4) != 0 ? bounds.upper.z : bounds.lower.z);
    const glm::vec4 clip = clip_from_world * glm::vec4(at, 1);
    top = std::min(top, view.y + (0.5f - 0.5f * clip.y / clip.w) * view.h);
  }
  EXPECT_GE(top, banner.y + banner.h);
}

TEST_F(BrokenRig, CaptionsOfPanesMakeRoomForTheBanner) {
  for (const int panes : {2, 3, 4}) {
    edit::apply(document_, {edit::SetPanes{panes}, {}});
    frames(3);
    for (int pane = 0; pane < panes; ++pane) {
      const std::string caption = fmt::format("pane.{}.caption", pane);
      if (report_.contains(caption) && report_.contains("findings.banner")) {
        EXPECT_FALSE(meet(report_[caption], report_["findings.banner"])) << panes << " " << caption;
      }
    }
  }
}

TEST_F(BrokenRig, InfoIsATabOfEveryModeAndAllTabsHaveRoom) {
  for (const auto& [size, scale] : {std::pair(glm::vec2(1440, 900), 1.0f), std::pair(glm::vec2(640, 480), 1.0f),
                                    std::pair(glm::vec2(900, 600), 2.0f)}) {
    resize(size, scale);
    for (const Mode& mode : modes()) {
      EXPECT_TRUE(has_tab(mode, kInfoTab)) << mode.id;
      act(fmt::format("mode.{}", mode.id).c_str());
      frames(2);
      for (const Tab* tab : tabs_of(mode)) {
        const std::string name = fmt::format("tab.{}", tab->id);
        ASSERT_TRUE(report_.contains(name)) << mode.id << " " << name;
        const float label = theme_.small->CalcTextSizeA(theme_.small->FontSize, FLT_MAX, 0, tab->label).x;
        EXPECT_GE(report_[name].w, label) << mode.id << " " << name << " at " << size.x;
      }
    }
  }
}

TEST_F(BrokenRig, RowsStayWhereTheyAreWhenOneIsMended) {
  show_tab(workspace_, kInfoTab);
  frames(2);
  const std::size_t before = document_.history.cursor();
  std::vector<Rect> rows;
  for (int i = 0; i < 4; ++i) {
    rows.push_back(report_[fmt::format("finding.{}", i)]);
  }
  const auto expect_rows = [&](const char* when) {
    frames(2);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(report_[fmt::format("finding.{}", i)], rows[static_cast<std::size_t>(i)]) << i << " " << when;
    }
  };
  rename();
  expect_rows("while the search runs again");
  found({finding("weight-sum", Severity::kError), finding("rogue-weight", Severity::kWarning, "less"),
         finding("duplicate-vertex", Severity::kInfo)});
  expect_rows("when one is mended");
  EXPECT_TRUE(list().rows[1].is_done);
  EXPECT_THAT(said(), HasSubstr("Done: weight-negative"));
  EXPECT_THAT(said(), HasSubstr("1 error, 1 warning"));
  EXPECT_EQ(list().findings[2].message, "less") << "what is left says what is known now";
  EXPECT_TRUE(report_.contains("finding.1.undo"));
  EXPECT_FALSE(report_.contains("finding.0.undo"));
  click("finding.1.undo");
  EXPECT_EQ(document_.history.cursor(), before);
  EXPECT_EQ(workspace_.panel<InfoPanel>().finding, -1) << "the button, not the row";
  found({finding("weight-sum", Severity::kError), finding("weight-negative", Severity::kWarning),
         finding("rogue-weight", Severity::kWarning), finding("duplicate-vertex", Severity::kInfo)});
  expect_rows("when the mend is taken back");
  EXPECT_FALSE(list().rows[1].is_done);
  EXPECT_THAT(said(), Not(HasSubstr("Done")));
}

TEST_F(BrokenRig, AnErrorOfTheFileStaysOneWhenSomethingElseIsMended) {
  rename();
  frames(2);
  found({finding("weight-sum", Severity::kWarning), finding("rogue-weight", Severity::kWarning)});
  EXPECT_EQ(list().findings[0].severity, Severity::kError);
  EXPECT_EQ(list().findings[2].severity, Severity::kWarning);
}

TEST_F(BrokenRig, WhatAMendLeavesIsCounted) {
  open(test::cylinder());
  show_tab(workspace_, kInfoTab);
  rig::Finding strays = finding("rogue-weight", Severity::kWarning);
  strays.mesh_vertices = {1, 2, 3, 4};
  found({strays});
  EXPECT_THAT(said(), Not(HasSubstr("left")));
  rename();
  frames(2);
  strays.mesh_vertices = {3};
  strays.place.primitive = 1;
  strays.where = "mesh 0, primitive 1";
  found({strays});
  EXPECT_THAT(said(), HasSubstr("rogue-weight: 1 of 4 vertices left"));
  EXPECT_EQ(list().findings.size(), 1u) << "of the same joint, though its first vertex lies in another primitive now";
  edit::apply(document_, {edit::RenameJoint{0, "again"}, {}});
  frames(2);
  found({});
  EXPECT_THAT(said(), HasSubstr("Done: rogue-weight"));
}

TEST_F(BrokenRig, OfSeveralStepsNoneIsNamed) {
  open(test::cylinder());
  show_tab(workspace_, kInfoTab);
  found({finding("rogue-weight", Severity::kWarning)});
  rename();
  edit::apply(document_, {edit::RenameJoint{0, "again"}, {}});
  frames(2);
  found({});
  click("finding.0");
  frames(2);
  move({-1000, -1000});
  EXPECT_THAT(said(), HasSubstr("Mended by one of the last 2 steps"));
  EXPECT_THAT(said(), Not(HasSubstr("Mended by \"")));
}

TEST_F(BrokenRig, WhatIsNewComesLastAndAnotherCharacterBeginsAnew) {
  show_tab(workspace_, kInfoTab);
  rename();
  found({finding("weight-zero", Severity::kError), finding("rogue-weight", Severity::kWarning)});
  ASSERT_EQ(list().findings.size(), 5u);
  EXPECT_EQ(list().findings[4].code, "weight-zero");
  EXPECT_TRUE(list().rows[0].is_done);
  open(test::cylinder());
  found({finding("rogue-weight", Severity::kWarning)});
  EXPECT_EQ(list().findings.size(), 1u);
  EXPECT_THAT(said(), Not(HasSubstr("Done")));
}

TEST_F(BrokenRig, TheUndoOfAMendTakesLaterStepsAlong) {
  show_tab(workspace_, kInfoTab);
  rename();
  found({finding("rogue-weight", Severity::kWarning)});
  edit::apply(document_, {edit::SetPanes{2}, {}});
  frames(2);
  ASSERT_TRUE(can_undo_mend_of(0));
  EXPECT_THAT(said(), HasSubstr("Undo 2 steps"));
  move(report_["finding.0.undo"].center());
  EXPECT_THAT(words(), HasSubstr("and 1 step after it"));
  click("finding.0.undo");
  EXPECT_EQ(edit::pane_count(document_.content), 1);
  frames(2);
  EXPECT_FALSE(can_undo_mend_of(0)) << "it is taken back already";
}

TEST_F(BrokenRig, NothingMovesUnderAClick) {
  show_tab(workspace_, kInfoTab);
  frames(2);
  for (const int i : {0, 3, 1, 2, 0, 3}) {
    const std::string name = fmt::format("finding.{}", i);
    const Rect before = report_[name];
    click(name);
    frames(2);
    EXPECT_EQ(report_[name].y, before.y) << i;
    EXPECT_EQ(report_[name].x, before.x) << i;
  }
}

// The vertices that two joints share, and lint's complaint about the second joint's weight there.
rig::Finding shared_by_two_joints(const rig::Character& character, const char* code) {
  rig::Finding one = finding(code, Severity::kWarning);
  const mesh::Influences& rows = character.meshes[0].primitives[0].influences;
  for (std::uint32_t v = 0; v < rows.vertex_count(); ++v) {
    if (rows.count(v) == 2) {
      one.mesh_vertices.push_back(v);
    }
  }
  one.place.vertices = one.mesh_vertices;
  one.place.skin = 0;
  one.place.joint = 1;
  return one;
}

class OneWrongJoint : public BrokenRig {
 protected:
  void SetUp() override {
    BrokenRig::SetUp();
    workspace_.panel<InfoPanel>().details.patient = true;
    open(test::cylinder());
    wrong_ = shared_by_two_joints(*document_.character, "far-joint-weight");
    count_ = wrong_.mesh_vertices.size();
    ASSERT_GT(count_, 1u);
    found({finding("weight-sum", Severity::kError), wrong_, finding("duplicate-vertex", Severity::kInfo)});
    show_tab(workspace_, kInfoTab);
    frames(2);
  }
  rig::Finding wrong_;
  std::size_t count_ = 0;
};

TEST_F(OneWrongJoint, ItsMendStandsBelowTheListAndSaysHowMuchItChanges) {
  EXPECT_THAT(said(), HasSubstr("Click a finding"));
  click("finding.1");
  ASSERT_TRUE(report_.contains("findings.repair"));
  EXPECT_GT(report_["findings.repair"].y, report_["finding.2"].y + report_["finding.2"].h);
  EXPECT_THAT(said(), HasSubstr(fmt::format("Would change {} vertices", count_)));
  click("findings.repair");
  ASSERT_TRUE(document_.history.can_undo());
  found({finding("weight-sum", Severity::kError), finding("duplicate-vertex", Severity::kInfo)});
  EXPECT_THAT(said(), HasSubstr(fmt::format("Done: far-joint-weight, {} vertices changed", count_)));
}

TEST_F(OneWrongJoint, AMendOfRigFixedSaysThatItMovesNoVertex) {
  click("finding.2");
  ASSERT_TRUE(report_.contains("findings.fix_these"));
  EXPECT_THAT(said(), HasSubstr("Moves no vertex."));
}

TEST_F(OneWrongJoint, ItsVerticesBecomeTheSelectionWhereToolsWorkOnIt) {
  click("finding.1");
  EXPECT_THAT(said(), HasSubstr(fmt::format("Select {} vertices", count_)));
  click("findings.select");
  EXPECT_EQ(document_.view.selected_vertices, (edit::VertexSelection{{0, wrong_.mesh_vertices}}));
  EXPECT_EQ(workspace_.mode, "weights");
  EXPECT_EQ(workspace_.tab, kInfoTab);
}

TEST_F(OneWrongJoint, NoVerticesAreSelectedWhereThereAreNoneOrAnotherSurfaceIsShown) {
  click("finding.2");
  ASSERT_TRUE(report_.contains("findings.select"));
  move(report_["findings.select"].center());
  EXPECT_THAT(words(), HasSubstr("This finding is about no vertices"));
  click("finding.1");
  rig::SurfaceChoice finer;
  finer.subdivisions = 1;
  edit::show_surface(document_,
                     std::make_shared<const rig::Character>(*rig::with_surface(*edit::own_character(document_), finer)),
                     finer, 0);
  frames(2);
  click("findings.select");
  EXPECT_THAT(words(), HasSubstr("Another surface than the file's own is shown"));
  EXPECT_TRUE(document_.view.selected_vertices.empty());
}

TEST_F(OneWrongJoint, MarkingMovesNoRowAndASecondClickKeepsTheMark) {
  std::vector<Rect> rows;
  for (int i = 0; i < 3; ++i) {
    rows.push_back(report_[fmt::format("finding.{}", i)]);
  }
  for (const int marked : {1, 1, 2, 0}) {
    click(fmt::format("finding.{}", marked));
    EXPECT_EQ(workspace_.panel<InfoPanel>().finding, marked);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(report_[fmt::format("finding.{}", i)], rows[static_cast<std::size_t>(i)]) << i << " of " << marked;
    }
  }
  click("findings.unmark");
  EXPECT_EQ(workspace_.panel<InfoPanel>().finding, -1);
  EXPECT_FALSE(report_.contains("findings.fix_these"));
}

TEST_F(OneWrongJoint, ARowWithFewerWordsKeepsItsHeight) {
  const std::string words =
      "30 vertices of many islands follow the joint, as far as 0.345 m from it, expected at most 93.1 mm";
  open(test::cylinder());
  found({finding("rogue-weight", Severity::kWarning, words.c_str()), finding("duplicate-vertex", Severity::kInfo)});
  const Rect next = report_["finding.1"];
  rename();
  frames(2);
  found({finding("rogue-weight", Severity::kWarning, "1 vertex"), finding("duplicate-vertex", Severity::kInfo)});
  EXPECT_EQ(report_["finding.1"], next);
}

TEST_F(OneWrongJoint, InLittleRoomTheListHasAllOfItUntilAFindingIsMarked) {
  resize({900, 600}, 2);
  frames(2);
  show_tab(workspace_, "pose");
  frames(2);
  click("findings.show");
  frames(3);
  EXPECT_THAT(said(), Not(HasSubstr("Click a finding")));
  ASSERT_TRUE(report_.contains("finding.0"));
  click("finding.0");
  frames(2);
  EXPECT_TRUE(report_.contains("findings.unmark"));
  EXPECT_TRUE(report_.contains("finding.0")) << "some of the list stays";
}

TEST_F(OneWrongJoint, ATooltipCoversNoRow) {
  move(report_["finding.0"].center());
  frames(2);
  const ImGuiWindow* const tooltip = ImGui::FindWindowByName("##Tooltip_00");
  ASSERT_NE(tooltip, nullptr);
  ASSERT_TRUE(tooltip->Active);
  const Rect at{tooltip->Pos.x, tooltip->Pos.y, tooltip->Size.x, tooltip->Size.y};
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(meet(at, report_[fmt::format("finding.{}", i)])) << i;
  }
}

TEST_F(OneWrongJoint, TheListOfFixesLeavesTheCountsSeen) {
  for (const auto& [size, scale] : {std::pair(glm::vec2(1440, 900), 1.0f), std::pair(glm::vec2(1280, 500), 1.0f)}) {
    resize(size, scale);
    frames(3);
    ASSERT_FALSE(report_.contains("fix")) << size.y;
    move(report_["findings.fix"].center());
    click("findings.fix");
    frames(2);
    ASSERT_TRUE(report_.contains("fix")) << size.y;
    for (const char* counts : {"findings.errors", "findings.warnings", "findings.remarks", "findings.fix"}) {
      EXPECT_FALSE(meet(report_["fix"], report_[counts])) << counts << " " << size.y;
    }
    EXPECT_LE(report_["fix"].y + report_["fix"].h, size.y);
    move({500, 300});  // a click beside it closes the list
    button(true);
    button(false);
  }
}

TEST_F(OneWrongJoint, ASignSaysWhichCauseNamesItsVertices) {
  rig::Finding sign = wrong_;
  sign.code = "rogue-weight";
  rig::Finding cause = wrong_;
  cause.code = "wrong-side-weight";
  rig::Finding elsewhere = wrong_;
  elsewhere.code = "rogue-weight";
  elsewhere.place.joint = 0;
  open(test::cylinder());
  found({sign, cause, elsewhere});
  EXPECT_EQ(list().rows[0].same_as, 1);
  EXPECT_EQ(list().rows[1].same_as, -1);
  EXPECT_EQ(list().rows[2].same_as, -1) << "of another joint";
  EXPECT_THAT(said(), HasSubstr("The same vertices as wrong-side-weight below"));
  sign.mesh_vertices.pop_back();
  open(test::cylinder());
  found({cause, sign});
  EXPECT_THAT(said(), HasSubstr("All are vertices of wrong-side-weight above"));
  rename();
  frames(2);
  found({});
  EXPECT_THAT(said(), HasSubstr("They were those of wrong-side-weight above"));
}

TEST_F(OneWrongJoint, TheBannerComesBackWhenAMendIsTakenBack) {
  open(test::cylinder());
  found({wrong_});
  act("mode.pose");
  show_tab(workspace_, "pose");
  now_ = 20;
  rename();
  frames(2);
  found({});
  ASSERT_FALSE(report_.contains("findings.banner"));
  edit::undo(document_);
  now_ = 30;
  frame();
  now_ = 40;
  EXPECT_TRUE(frame().lint) << "though the list is not in front";
  found({wrong_});
  EXPECT_TRUE(report_.contains("findings.banner"));
}

}  // namespace
}  // namespace pelt::ui
