// Binders compared in the Bind tab with the mouse: candidates, panes, using one, dropping them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "bind/character_binding.h"
#include "bind/deforming_joints.h"
#include "rig/character_parts.h"
#include "selecting_window.h"
#include "support/bare.h"
#include "ui/bind_comparison.h"
#include "ui/bind_panel.h"
#include "ui/candidate_columns.h"
#include "ui/pose_panel.h"
#include "ui/volume_handles.h"
#include "ui/weight_curves.h"

namespace pelt::ui {
namespace {

using testing::HasSubstr;

class ComparedBinders : public Selecting {
 protected:
  void SetUp() override {
    Selecting::SetUp();
    resize({1440, 1400}, 1);
    act("mode.weights");
    show_tab(workspace_, kBindTab);
    frames(2);
    compared().patient = true;
    workspace_.panel<VolumeHandles>().patient = true;  // the section of the binder used grows with them
    compared().wanted = {std::string(edit::kFileWeights), "point-to-line", "containment", ""};
    click("section.Compare binders");
    frames(2);
  }
  BindComparison& compared() { return workspace_.panel<BindComparison>(); }
  void compare() {
    click("bind.compare");
    frames(3);
    ASSERT_EQ(compared().rows.size(), 3u);
    for (const BindComparison::Row& row : compared().rows) {
      ASSERT_NE(row.candidate, nullptr) << row.label << row.error;
    }
  }
  const rig::Character& candidate(std::size_t row) { return *compared().rows[row].candidate->character; }
  const measure::BindingScore& score(std::size_t row) { return *compared().rows[row].candidate->score; }
  // What the next picture asks to be shown.
  Preview preview() { return frame().preview; }
};

TEST_F(ComparedBinders, AreScoredAndTheDocumentHasNoneOfThem) {
  const edit::Content before = document_.content;
  compare();
  EXPECT_EQ(document_.content, before);
  EXPECT_EQ(document_.history.size(), 1u);
  EXPECT_LT(score(0).rms, 1e-6) << "the file's weights are the measure";
  EXPECT_NEAR(score(0).strain_ratio, 1, 1e-6);
  for (const std::size_t row : {1, 2}) {
    EXPECT_GT(score(row).rms, 0.01);
    EXPECT_GT(score(row).worst, score(row).p95);
    EXPECT_GT(score(row).p95, score(row).rms * 0.5);
    EXPECT_EQ(score(row).unbound, 0u);
  }
  for (const char* column : {"rms", "max", "strain", "unbound", "time"}) {
    EXPECT_TRUE(report_.contains(fmt::format("bind.candidate.2.{}", column))) << column;
  }
  move({-1000, -1000});  // a tooltip would be the end of what is said
  EXPECT_THAT(words(), HasSubstr(fmt::format("{:.2f}", score(1).rms)));
}

TEST_F(ComparedBinders, TheScoreIsThatOfTheVerb) {
  compare();
  // As `pelt bind @mannequin --truth @mannequin --binder point-to-line` holds its rows against the file.
  const rig::Character& file = *document_.file;
  bind::Request request;
  request.joints = bind::proposed_joints(file);
  const auto problem = bind::make_problem(file, request);
  ASSERT_TRUE(problem);
  const bind::Binder& binder = *bind::find_binder("point-to-line");
  const auto binding = bind::run(binder, problem->problem, bind::standard_values(binder));
  ASSERT_TRUE(binding);
  const auto direct = measure::score_binding(*problem, binding->rows, bind::rows_of(file, *problem),
                                             measure::benchmark_poses(file, *problem));
  ASSERT_TRUE(direct);
  for (const measure::ScoreColumn& column : measure::score_columns()) {
    // Weights are kept as floats: of joints that share a vertex evenly either may come out as the strongest.
    const double tolerance = column.member == &measure::BindingScore::agreement ? 5e-3 : 1e-3;
    EXPECT_NEAR((*direct).*column.member, score(1).*column.member, tolerance) << column.id;
  }
}

TEST_F(ComparedBinders, AClickOnARowShowsItsWeights) {
  compare();
  Preview shown = preview();
  EXPECT_EQ(shown.subject, kCandidatesSubject);
  EXPECT_EQ(shown.stand_ins.at(0).get(), &candidate(0)) << "the first that came";
  const std::string first = shown.key;
  click("bind.candidate.2");
  shown = preview();
  EXPECT_EQ(shown.stand_ins.at(0).get(), &candidate(2));
  EXPECT_TRUE(edit::can_stand_in(candidate(2), *document_.character));
  EXPECT_FALSE(edit::same_weights(candidate(2), *document_.character));
  EXPECT_NE(shown.key, first) << "equal keys are equal pictures";
  EXPECT_THAT(words(), HasSubstr("Volumes"));
  EXPECT_EQ(edit::pane_count(document_.content), 1);
  EXPECT_FALSE(edit::can_undo(document_));
}

TEST_F(ComparedBinders, UseIsOneStepAndTheTableStaysForAnother) {
  compare();
  const auto before = document_.content.character;
  click("bind.compare.use");
  EXPECT_FALSE(edit::can_undo(document_)) << "the character has these weights already";
  click("bind.candidate.1");
  click("bind.compare.use");
  frames(2);
  ASSERT_EQ(document_.history.size(), 2u);
  EXPECT_EQ(document_.history.undo_label().substr(0, 4), "Bind");
  EXPECT_TRUE(rig::equal(*document_.content.character, candidate(1)));
  ASSERT_EQ(compared().rows.size(), 3u);
  click("bind.candidate.2");
  click("bind.compare.use");
  frames(2);
  ASSERT_EQ(document_.history.size(), 3u);
  EXPECT_TRUE(rig::equal(*document_.content.character, candidate(2)));
  click("bind.candidate.0");
  click("bind.compare.use");
  frames(2);
  EXPECT_EQ(document_.history.size(), 4u);
  EXPECT_TRUE(rig::equal(*document_.content.character, *before)) << "the weights of the file";
  act("edit.undo");
  act("edit.undo");
  act("edit.undo");
  EXPECT_TRUE(rig::equal(*document_.content.character, *before));
}

// Rows of a table that nobody has to compute.
BindComparison made_up(std::span<const std::pair<const char*, measure::BindingScore>> scores) {
  BindComparison out;
  for (const auto& [binder, score] : scores) {
    edit::BindCandidate one;
    one.change.binder = binder;
    one.score = score;
    out.rows.push_back({.change = one.change, .label = binder});
    out.rows.back().candidate = std::make_shared<const edit::BindCandidate>(one);
  }
  return out;
}

TEST(CandidateTable, SortsMarksAndSaysWhereBestIsNotTheBest) {
  const std::pair<const char*, measure::BindingScore> kScores[] = {
      {"best", {.rms = 2.0, .worst = 9, .strain_ratio = 1.5}},
      {"heat", {.rms = 1.0, .worst = 9, .strain_ratio = 1.2}},
      {"file", {.rms = 0.0, .worst = 0, .strain_ratio = 1.0}},
      {"point-to-line", {.rms = 1.001, .worst = 12, .strain_ratio = 3.0}}};
  BindComparison table = made_up(kScores);
  const auto columns = columns_of(table);
  const auto column = [&](std::string_view id) -> const CandidateColumn& {
    return **std::ranges::find(columns, id, [](const auto* one) { return std::string_view(one->id); });
  };
  EXPECT_EQ(&sorting_column(table, columns), &column("rms"));
  EXPECT_EQ(ranked_rows(table, column("rms")), (std::vector<std::size_t>{2, 1, 3, 0}));
  EXPECT_EQ(ranked_rows(table, column("max")), (std::vector<std::size_t>{2, 0, 1, 3})) << "equal ones keep their order";
  EXPECT_EQ(winners(table, column("rms")), (std::vector<char>{0, 1, 0, 1})) << "alike as shown; not the measure itself";
  EXPECT_EQ(winners(table, column("strain")), (std::vector<char>{0, 1, 0, 0}));
  EXPECT_EQ(winners(table, column("unbound")), (std::vector<char>{0, 0, 0, 0})) << "all are alike";
  EXPECT_THAT(judgement(table, columns), HasSubstr("Sorted by RMS %, the best first"));
  EXPECT_THAT(judgement(table, columns), HasSubstr("Better here: heat in RMS %, strain; point-to-line in RMS %."));
  table.sorted_by = "strain";
  EXPECT_THAT(judgement(table, columns), HasSubstr("Sorted by strain"));
  table.running = 0;
  EXPECT_EQ(ranked_rows(table, column("rms")), (std::vector<std::size_t>{0, 1, 2, 3})) << "no row moves meanwhile";
}

TEST_F(ComparedBinders, AClickOnAHeadingSortsByIt) {
  compare();
  EXPECT_LT(report_["bind.candidate.0"].y, report_["bind.candidate.1"].y) << "the measure itself";
  for (const char* id : {"volume", "time", "rms"}) {
    click(fmt::format("bind.candidates.by.{}", id));
    frames(2);
    const auto columns = columns_of(compared());
    EXPECT_STREQ(sorting_column(compared(), columns).id, id);
    float below = 0;
    for (const std::size_t r : ranked_rows(compared(), sorting_column(compared(), columns))) {
      const Rect row = report_[fmt::format("bind.candidate.{}", r)];
      EXPECT_GT(row.y, below) << id << " " << r;
      below = row.y;
    }
    EXPECT_THAT(words(), HasSubstr("Click: sorts by it")) << "the heading says what it measures";
  }
  EXPECT_TRUE(report_.contains("bind.candidates.judgement"));
}

TEST_F(ComparedBinders, UseSaysWhatItDid) {
  compare();
  click("bind.candidate.1");
  EXPECT_FALSE(report_.contains("bind.compare.said"));
  click("bind.compare.use");
  frames(2);
  ASSERT_TRUE(report_.contains("bind.compare.said"));
  EXPECT_THAT(compared().said, testing::StartsWith("Bound with Point to line: "));
  EXPECT_THAT(compared().said, testing::EndsWith(" vertices changed; Ctrl+Z takes it back"));
  move({-1000, -1000});
  EXPECT_THAT(words(), HasSubstr("Bound with Point to line: "));
  act("edit.undo");
  frames(2);
  EXPECT_FALSE(report_.contains("bind.compare.said")) << "it was taken back";
}

TEST_F(ComparedBinders, EscAndCloseDropThem) {
  for (const bool by_key : {true, false}) {
    compare();
    EXPECT_FALSE(preview().subject.empty());
    if (by_key) {
      press_escape();
    } else {
      click("bind.compare.close");
    }
    frames(2);
    EXPECT_TRUE(compared().rows.empty());
    EXPECT_TRUE(preview().subject.empty());
    EXPECT_TRUE(preview().stand_ins.empty());
    EXPECT_FALSE(edit::can_undo(document_));
  }
}

TEST_F(ComparedBinders, NoneOutlivesItsCharacter) {
  const auto none_left = [&] {
    frames(2);
    return compared().rows.empty() && preview().stand_ins.empty();
  };
  compare();
  edit::apply(document_, {edit::BindSkin{.binder = "point-to-line", .values = {8, 1}}, {}});
  EXPECT_TRUE(none_left()) << "weights that somebody else changed";
  compare();
  act("edit.undo");
  EXPECT_TRUE(none_left());
  compare();
  open(test::elbow());
  EXPECT_TRUE(none_left());
}

TEST_F(ComparedBinders, OutliveClipsButNoLocks) {
  compare();
  edit::apply(document_, {edit::AddClip{"later"}, {}});
  frames(2);
  EXPECT_EQ(compared().rows.size(), 3u);
  EXPECT_FALSE(preview().stand_ins.empty()) << "weights are what they are made of";
  const auto clips = document_.character->clips;
  click("bind.candidate.1");
  click("bind.compare.use");
  frames(2);
  EXPECT_TRUE(document_.character->clips.is(clips));
  EXPECT_TRUE(edit::same_weights(*document_.content.character, candidate(1)));
  act("edit.undo");
  EXPECT_EQ(compared().rows.size(), 3u) << "the weights beside which they were made";
  edit::apply(document_, {edit::LockJoints{{joint("spine_02")}, true}, {}});
  frames(2);
  EXPECT_TRUE(compared().rows.empty()) << "binders would make others now";
}

TEST_F(ComparedBinders, StandSideBySideInPanesThatGoWithThem) {
  compare();
  click("bind.candidate.2");
  click("bind.compare.show.1");
  frames(3);
  ASSERT_EQ(edit::pane_count(document_.content), 3);
  EXPECT_EQ(compared().shown, 2) << "the row that was chosen stays chosen";
  EXPECT_FALSE(edit::can_undo(document_)) << "nobody made a step";
  for (const int pane : {1, 2}) {
    EXPECT_EQ(edit::skinning_of(document_.content, pane), edit::skinning_of(document_.content, 0)) << "only weights";
  }
  const Preview shown = preview();
  for (const std::size_t pane : {0, 1, 2}) {
    EXPECT_EQ(shown.stand_ins.at(pane).get(), &candidate(pane));
  }
  frames(2);
  const std::string said = words();
  for (const char* name : {"Weights of the file", "Point to line", "Volumes"}) {
    EXPECT_THAT(said, HasSubstr(name));
  }
  for (const char* caption : {"pane.0.caption", "pane.1.caption", "pane.2.caption"}) {
    EXPECT_TRUE(report_.contains(caption)) << caption;
  }
  click("pane.1.caption");
  frames(2);
  EXPECT_EQ(compared().shown, 1) << "the active pane is what Use takes";
  click("bind.compare.close");
  frames(2);
  EXPECT_EQ(edit::pane_count(document_.content), 1);
  EXPECT_FALSE(edit::can_undo(document_));
}

TEST_F(ComparedBinders, TheDifferenceIsAgainstAnyOfThem) {
  compare();
  EXPECT_FALSE(report_.contains("bind.compare.against")) << "panes are what differs";
  click("bind.compare.show.1");
  frames(3);
  const render::Look look = workspace_.view.look;
  click("bind.compare.against");
  frames(2);
  click("bind.compare.against.2");
  frames(2);
  EXPECT_EQ(workspace_.view.look, render::Look::kDifference);
  EXPECT_EQ(workspace_.view.compare.reference, render::Reference::kPane);
  EXPECT_EQ(workspace_.view.compare.pane, 1);
  press_escape();
  frames(2);
  EXPECT_EQ(workspace_.view.look, look);
  EXPECT_EQ(edit::pane_count(document_.content), 1);
}

TEST_F(ComparedBinders, WhoeverChoosesAnotherNumberOfPanesHasIt) {
  compare();
  click("bind.compare.show.1");
  frames(3);
  edit::apply(document_, {edit::SetPanes{2}, {}});
  frames(3);
  EXPECT_EQ(edit::pane_count(document_.content), 2);
  EXPECT_FALSE(compared().side_by_side);
  EXPECT_EQ(compared().rows.size(), 3u);
}

// A skin that lists one more joint makes another skeleton of the same joints.
TEST_F(ComparedBinders, ABindingThatAddsAJointLeavesTheChoiceOfBonesAsItIs) {
  BindPanel& panel = workspace_.panel<BindPanel>();
  panel.binder = "point-to-line";
  panel.patient = true;
  const std::vector<int>& listed = document_.character->skins[0].joints;
  int more = 0;
  while (std::ranges::find(listed, more) != listed.end()) {
    ++more;
  }
  ASSERT_LT(more, document_.character->skeleton->size());
  panel.deforming[static_cast<std::size_t>(more)] = 1;
  panel.deforming[static_cast<std::size_t>(joint("wrist_l"))] = 0;
  const std::vector<char> chosen = panel.deforming;
  frames(2);
  const auto skeleton = document_.character->skeleton;
  click("bind.bind");
  frames(3);
  ASSERT_EQ(document_.history.size(), 2u) << panel.error;
  ASSERT_FALSE(document_.character->skeleton.is(skeleton));
  EXPECT_EQ(panel.deforming, chosen);
  open(test::cylinder());
  EXPECT_NE(panel.deforming, chosen) << "other joints";
}

// The curves that lectures draw: on a tube heat lies on its closed form, the others beside it.
TEST_F(ComparedBinders, C34_1_CurvesAlongATubeBesideTheClosedForm) {
  open(test::cylinder());
  frames(2);
  workspace_.view.weight_joint = -1;
  workspace_.view.look = render::Look::kShaded;
  compared().wanted = {"heat", "point-to-line", "containment", ""};
  document_.view.selected_joints = {1};
  compare();
  const Plot& plot = workspace_.panel<WeightCurves>().made.plot;
  ASSERT_EQ(plot.curves.size(), 4u) << words();
  EXPECT_TRUE(plot.curves[3].dashed);
  std::array<float, 3> apart = {};
  for (std::size_t k = 0; k < plot.x.size(); ++k) {
    for (std::size_t c = 0; c < 3 && std::abs(plot.x[k]) <= 0.25f; ++c) {
      apart[c] = std::max(apart[c], std::abs(plot.curves[c].y[k] - plot.curves[3].y[k]));
    }
  }
  EXPECT_LT(apart[0], 0.01f);
  EXPECT_GT(apart[1], 0.03f);
  EXPECT_GT(apart[2], 0.03f);
  EXPECT_TRUE(report_.contains("bind.curves"));
  document_.view.selected_joints = {0};
  move({-1000, -1000});
  EXPECT_THAT(words(), HasSubstr("No limb leads to"));
}

TEST_F(ComparedBinders, SaysWhyNothingCanBeCompared) {
  compared().wanted = {"best", "", "", ""};
  EXPECT_THAT(words(), HasSubstr("Choose two or more"));
  click("bind.compare");
  EXPECT_TRUE(compared().rows.empty());
}

TEST_F(ComparedBinders, FitInASmallWindowAndALargeScale) {
  compare();
  for (const auto& [size, scale] : {std::pair(glm::vec2(640, 480), 1.0f), std::pair(glm::vec2(1800, 1600), 2.0f)}) {
    resize(size, scale);
    frames(3);
    const Rect& room = workspace_.layout.right;
    for (const auto& [name, rect] : report_) {
      if (name.starts_with("bind.") && !room.empty()) {
        EXPECT_GE(rect.x, room.x - 1) << name;
        EXPECT_LE(rect.x + rect.w, room.x + room.w + 1) << name;
      }
    }
  }
}

// A mesh with joints, but without weights.
class ComparedOnABareMesh : public ComparedBinders {
 protected:
  void SetUp() override {
    ComparedBinders::SetUp();
    compared().wanted = BindComparison::usual(true);
    open(test::without_weights(test::cylinder()));
    frames(2);
  }
};

TEST_F(ComparedOnABareMesh, BeginsWithCandidatesThatCanBeCompared) {
  for (const std::string& one : compared().wanted) {
    EXPECT_NE(one, edit::kFileWeights);
  }
  EXPECT_EQ(compared().wanted, BindComparison::usual(false));
  move({-1000, -1000});
  EXPECT_THAT(words(), testing::Not(HasSubstr("The file has no weights")));
  compare();
  open(test::cylinder());
  EXPECT_EQ(compared().wanted, BindComparison::usual(true)) << "these weights are worth a row";
}

TEST_F(ComparedOnABareMesh, KeepsCandidatesThatWereChosen) {
  open(test::cylinder());
  compared().wanted = {"containment", "heat", std::string(edit::kFileWeights), ""};
  open(test::without_weights(test::cylinder()));
  EXPECT_EQ(compared().wanted, (BindComparison::Wanted{"containment", "heat", "best", ""}));
  open(test::cylinder());
  EXPECT_EQ(compared().wanted, (BindComparison::Wanted{"containment", "heat", "best", ""}));
}

TEST_F(ComparedOnABareMesh, StrainAndVolumeAreShownWithoutATruth) {
  compare();
  for (const char* column : {"stretch", "volume", "unbound", "time"}) {
    EXPECT_TRUE(report_.contains(fmt::format("bind.candidate.0.{}", column))) << column;
  }
  for (const char* column : {"rms", "max", "strain"}) {
    EXPECT_FALSE(report_.contains(fmt::format("bind.candidate.0.{}", column))) << column;
  }
  move({-1000, -1000});
  const std::string said = words();
  for (const BindComparison::Row& row : compared().rows) {
    ASSERT_TRUE(row.candidate->shape && row.candidate->shape->volume) << row.label;
    EXPECT_THAT(said, HasSubstr(fmt::format("{:.2f}", row.candidate->shape->stretch)));
    EXPECT_THAT(said, HasSubstr(fmt::format("{:.0f}", 100 * *row.candidate->shape->volume)));
  }
  move(report_["bind.candidate.1"].center());
  EXPECT_THAT(words(), HasSubstr(fmt::format("longest stretch of the edges: {:.3f}",
                                             compared().rows[1].candidate->shape->stretch)));
}

TEST_F(ComparedOnABareMesh, NobodySaysThatNoPoseBendsItWhileOneDoes) {
  act("mode.pose");
  show_tab(workspace_, kPoseTab);
  EXPECT_THAT(words(), HasSubstr("no pose bends it"));
  act("mode.weights");
  show_tab(workspace_, kBindTab);
  frames(2);
  compare();
  act("mode.pose");
  show_tab(workspace_, kPoseTab);
  const std::string said = words();
  EXPECT_THAT(said, testing::Not(HasSubstr("no pose bends it")));
  EXPECT_THAT(said, HasSubstr(compared().rows[0].label));
  press_escape();
  frames(2);
  EXPECT_THAT(words(), HasSubstr("no pose bends it"));
}

}  // namespace
}  // namespace pelt::ui
