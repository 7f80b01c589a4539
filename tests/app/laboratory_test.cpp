#include "app/laboratory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/file.h"
#include "deform/skinning_methods.h"
#include "formats/open.h"
#include "gltf/bundled.h"
#include "gltf/export.h"
#include "rig/lint.h"
#include "support/fixtures.h"
#include "support/output_folder.h"
#include "support/patience.h"
#include "ui/compare_panel.h"

namespace pelt::app {
namespace {

// ---------------------------------------------------------------------------------------------------------------------

Session session_of(rig::Character character) {
  Session session;
  session.document = edit::make_document(std::make_shared<rig::Character>(std::move(character)));
  update(session);
  return session;
}

/// As the window does it, until nothing is going on any more.
void run(Laboratory& laboratory, Session& session, ui::Requests requests) {
  laboratory.update(session, requests);
  requests = {};
  EXPECT_TRUE(test::eventually([&] {
    laboratory.update(session, requests);
    return !session.measurements.series_work.active && !session.measurements.battery_work.active &&
           session.measurements.numbers;
  }));
}

TEST(Laboratory, MeasuresNumbersPlotAndBattery) {
  Session session = session_of(test::cylinder());
  Laboratory laboratory(std::make_shared<Jobs>());
  const int twist = edit::joint_dofs(session.document, 1).find("twist");
  ui::Requests requests;
  requests.measure_numbers = true;
  requests.measure_series = edit::sweep_of(session.document, 1, twist);
  run(laboratory, session, requests);
  ASSERT_TRUE(session.measurements.numbers.has_value());
  EXPECT_EQ(session.measurements.numbers->panes.size(), 1u);
  EXPECT_EQ(session.measurements.numbers->pose_version, session.evaluation.version());
  ASSERT_TRUE(session.measurements.series.has_value());
  EXPECT_EQ(session.measurements.series->axis_id, "tip.twist");
  EXPECT_FALSE(session.measurements.numbers->panes[0].pinned);

  // Another vertex is pinned: its numbers are measured though the pose is the same.
  session.document.view.select_only(1);
  session.document.view.pinned_part = 0;
  session.document.view.pinned_vertex = static_cast<int>(test::cylinder_vertex(20, 0));
  requests = {};
  requests.measure_numbers = true;
  ASSERT_TRUE(test::eventually([&] {
    laboratory.update(session, requests);
    return session.measurements.numbers->panes[0].pinned.has_value();
  }));
  EXPECT_NEAR(session.measurements.numbers->panes[0].bind_pinned, 0.1, 1e-6);

  requests = {};
  requests.run_battery = std::vector<int>{deform::find_method("lbs"), deform::find_method("dqs")};
  requests.battery = {.random = 3, .seed = 7};
  run(laboratory, session, requests);
  ASSERT_TRUE(session.measurements.battery.has_value());
  EXPECT_EQ(session.measurements.battery->methods.size(), 2u);
  const edit::TrialPose& last = session.measurements.battery->poses.back();
  EXPECT_EQ(last.label, "random 2");
  EXPECT_EQ(std::get<edit::RandomPose>(last.what).seed, 7u);

  laboratory.forget(session);
  EXPECT_FALSE(session.measurements.numbers.has_value());
  EXPECT_FALSE(session.measurements.series.has_value());
}

TEST(Laboratory, ALessonShowsBothMethodsAndWhatToPlot) {
  for (const ui::TeachingRig rig :
       {ui::TeachingRig::kElbow, ui::TeachingRig::kCandyWrapper, ui::TeachingRig::kControlPoints}) {
    Result<rig::Character> character = gltf::open_character(std::string(lesson_file(rig)));
    ASSERT_TRUE(character) << character.error().message;
    Session session = session_of(*std::move(character));
    session.workspace.view.look = render::Look::kDifference;  // of another character
    session.workspace.view.compare.reference = render::Reference::kFullPrecision;
    session.workspace.help_open = true;
    const edit::SeriesAxis axis = begin_lesson(session, rig);
    EXPECT_EQ(session.workspace.view.look, render::Look::kShaded);
    EXPECT_EQ(session.workspace.view.compare, render::Compare{});
    EXPECT_FALSE(session.workspace.help_open) << "it would hide the lesson's numbers";
    update(session);
    EXPECT_EQ(axis.joint, session.document.view.selected_joint());
    ASSERT_EQ(edit::pane_count(session.document.content), 2);
    measure_now(session, axis);
    ASSERT_TRUE(session.measurements.numbers.has_value());
    for (const edit::SkinNumbers& numbers : session.measurements.numbers->panes) {
      ASSERT_FALSE(numbers.teaching.empty()) << lesson_file(rig);
      ASSERT_TRUE(numbers.teaching.front().closed_form.has_value());
      EXPECT_NEAR(numbers.teaching.front().measured, *numbers.teaching.front().closed_form, 1e-5);
      EXPECT_FALSE(numbers.teaching.front().formula.empty());
    }
    ASSERT_TRUE(session.measurements.series.has_value());
    // What is plotted lies on the dashed curves of its formulas, one for each pane.
    const edit::SkinSeries& series = *session.measurements.series;
    const edit::SkinQuantity& quantity = edit::skin_quantities()[session.workspace.panel<ui::ComparePanel>().quantity];
    std::vector<const edit::ClosedForm*> forms;
    for (const edit::ClosedForm& form : series.closed_forms) {
      if (form.quantity == quantity.id) {
        forms.push_back(&form);
      }
    }
    const bool control_points = rig == ui::TeachingRig::kControlPoints;
    ASSERT_EQ(forms.size(), control_points ? 1u : 2u) << lesson_file(rig) << ": equal formulas are one curve";
    for (std::size_t pane = 0; pane < 2; ++pane) {
      int known = 0;
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        const edit::ClosedForm& form = *forms[std::min(pane, forms.size() - 1)];
        if (std::isfinite(form.values[i])) {
          EXPECT_NEAR(quantity.value(series.numbers[pane][i]), form.values[i], 1e-5) << series.x[i];
          ++known;
        }
      }
      EXPECT_GT(known, 40);
    }
    EXPECT_EQ(session.workspace.view.cage, control_points);
    EXPECT_EQ(session.document.content.skinning.refine,
              control_points ? deform::Refine::kAfterSkin : deform::Refine::kBeforeSkin);
    EXPECT_EQ(session.document.content.panes[0].refine, deform::Refine::kBeforeSkin);
    if (control_points) {
      const std::span<const glm::vec3> points =
          session.surface_marks.cage_points(session.document, session.evaluation, 0);
      EXPECT_EQ(points.size(), 72u) << "one sees what the joints move";
      // What is tried from here on can be taken back to the stage.
      deform::SkinningSettings tried = session.document.content.skinning;
      tried.refine = deform::Refine::kBeforeSkin;
      edit::apply(session.document, {edit::SetSkinning{tried, 0}, {}, true});
      update(session);
      EXPECT_TRUE(session.surface_marks.cage_points(session.document, session.evaluation, 0).empty());
      edit::undo(session.document);
      EXPECT_EQ(session.document.content.skinning.refine, deform::Refine::kAfterSkin);
    }
    if (rig == ui::TeachingRig::kElbow) {
      EXPECT_EQ(glm::ivec2(session.document.view.pinned_part, session.document.view.pinned_vertex),
                edit::teaching_vertex(*session.document.character));
      EXPECT_TRUE(session.workspace.view.ghost_points);
    }
  }
}

TEST(Laboratory, FindsAndMendsAsOneStep) {
  rig::Character odd = test::cylinder();
  odd.meshes.edit(0).primitives.edit(0).positions.emplace_back(0, 3, 0);  // that no triangle uses
  odd.meshes.edit(0).primitives.edit(0).normals.emplace_back(0, 1, 0);
  mesh::append_row(odd.meshes.edit(0).primitives.edit(0).influences.edit(), std::array<std::uint16_t, 1>{0},
                   std::array{1.0f});
  Session session = session_of(std::move(odd));
  Laboratory laboratory(std::make_shared<Jobs>());
  ui::Requests requests;
  requests.lint = true;
  std::string told;
  const auto wait = [&](const auto& done) {
    EXPECT_TRUE(done() || test::eventually([&] {
                  told += laboratory.update(session, requests);
                  requests.fix.clear();
                  return done();
                }));
  };
  const auto up_to_date = [&] {
    return session.measurements.lint && session.measurements.lint->character == session.document.character;
  };
  wait(up_to_date);
  ASSERT_EQ(session.measurements.lint->findings.size(), 1u);
  EXPECT_EQ(session.measurements.lint->findings[0].code, "unused-vertex");
  requests.fix = {"unused-vertex"};
  wait([&] { return session.document.history.can_undo() && up_to_date(); });
  EXPECT_TRUE(session.measurements.lint->findings.empty());
  EXPECT_EQ(told, "Fixed 1 finding, Ctrl+Z takes it back: unused-vertex");
  EXPECT_EQ(session.document.history.undo_label(), "Fix unused-vertex");
  edit::undo(session.document);
  wait(up_to_date);
  EXPECT_EQ(session.measurements.lint->findings.size(), 1u);
}

TEST(Laboratory, MendingKeepsVerticesThatHaveAName) {
  rig::Character character = test::cylinder();
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  const auto count = static_cast<std::uint32_t>(primitive.vertex_count());
  // A copy of the first vertex, which a triangle uses instead of it.
  const auto append_first = [](auto& array) {
    if (!array.empty()) {
      const auto first = array[0];
      array.edit().push_back(first);
    }
  };
  append_first(primitive.positions);
  append_first(primitive.normals);
  append_first(primitive.texcoords[0]);
  append_first(primitive.texcoords[1]);
  const mesh::Influences rows = primitive.influences;
  primitive.influences.edit().push_row(rows.row(0));
  *std::ranges::find(primitive.indices.edit(), 0u) = count;
  rig::finish(character);
  Session session = session_of(std::move(character));
  edit::apply(session.document, {edit::NameSelection{"copy", {{}, {{0, 0, {count - 1, count}}}}}, {}, true});
  Laboratory laboratory(std::make_shared<Jobs>());
  ui::Requests requests;
  requests.fix = {"duplicate-vertex"};
  std::string notice = laboratory.update(session, requests);
  EXPECT_TRUE(!notice.empty() || test::eventually([&] {
    notice = laboratory.update(session, {});
    return !notice.empty();
  }));
  ASSERT_EQ(session.document.character->primitive(session.document.character->parts[0]).vertex_count(), count);
  EXPECT_EQ(session.document.content.selections->at("copy").vertices, (edit::NamedVertices{{0, 0, {0, count - 1}}}))
      << notice;
  EXPECT_EQ(notice.find("lost"), std::string::npos) << notice;
}

TEST(Laboratory, FindsWhatLintFindsInTheFile) {
  std::filesystem::create_directories(test::output_folder());
  const std::filesystem::path path = test::output_folder() / "nonconforming.gltf";
  ASSERT_TRUE(gltf::export_file(test::cylinder(), path));
  std::string text = *read_file(path);
  text.replace(text.find("\"max\""), 5, "\"mox\"");  // POSITION without its maximum
  ASSERT_TRUE(write_file_atomically(path, text));
  gltf::ImportOptions options;
  options.check_conformance = true;
  const Result<rig::Character> checked = formats::open_character(path.string(), options);
  ASSERT_TRUE(checked) << checked.error().message;
  const rig::Findings expected = *rig::lint(*checked);

  Result<rig::Character> opened = formats::open_character(path.string());
  ASSERT_TRUE(opened);
  ASSERT_GT(expected.size(), rig::lint(*opened)->size()) << "the file says more than the character keeps";
  Session session = session_of(*std::move(opened));
  session.opened = {.name = path.string(), .stamp = file_stamp(path), .character = session.document.character};
  Laboratory laboratory(std::make_shared<Jobs>());
  ui::Requests requests;
  requests.lint = true;
  const auto found = [&] {
    session.measurements.lint.reset();
    laboratory.forget(session);
    test::eventually([&] {
      laboratory.update(session, requests);
      return session.measurements.lint.has_value();
    });
    return session.measurements.lint ? session.measurements.lint->findings : rig::Findings{};
  };
  const auto lines = [](const rig::Findings& findings) {
    std::vector<std::string> out;
    for (const rig::Finding& finding : findings) {
      out.push_back(finding.code + ": " + finding.where + ": " + finding.message);
    }
    return out;
  };
  EXPECT_EQ(lines(found()), lines(expected));
  lint_now(session);
  EXPECT_EQ(lines(session.measurements.lint->findings), lines(expected)) << "without threads, too";
  // Mended or bound anew it is no longer that file, nor where the file has become another.
  const rig::Findings plain = *rig::lint(*session.document.character);
  session.opened.character.reset();
  EXPECT_EQ(lines(found()), lines(plain));
  session.opened.character = session.document.character;
  ASSERT_TRUE(write_file_atomically(path, text + " "));
  EXPECT_EQ(lines(found()), lines(plain));
}

}  // namespace
}  // namespace pelt::app
