#include "edit/skin_numbers.h"
#include "edit/csv.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/edit_fixtures.h"
#include "support/two_skins.h"

namespace pelt::edit {
namespace {

constexpr int kTip = 1;

/// The tube under linear blending and dual quaternions, side by side.
Document tube() {
  Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
  test::apply(document, SetPanes{2});
  deform::SkinningSettings settings;
  settings.method = deform::find_method("lbs");
  test::apply(document, SetSkinning{settings, 0});
  settings.method = deform::find_method("dqs");
  test::apply(document, SetSkinning{settings, 1});
  return document;
}

int twist_of(const Document& document) {
  return joint_dofs(document, kTip).find("twist");
}

const SkinQuantity& quantity(std::string_view id) {
  return *std::ranges::find(skin_quantities(), id, &SkinQuantity::id);
}

SkinSeries twisted(const Document& document, SkinNumberMeter& meter) {
  SeriesAxis axis = sweep_of(document, kTip, twist_of(document));
  axis.from = -170 * test::kDegree;
  axis.to = 170 * test::kDegree;
  axis.samples = 35;
  return *measure_series(meter, document, axis, {});
}

TEST(Csv, CellsAreQuotedOnOneLineAndNoFormulas) {
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell(""), "");
  EXPECT_EQ(csv_cell(0.25), "0.25");
  EXPECT_EQ(csv_cell(std::numeric_limits<double>::quiet_NaN()), "");
  EXPECT_EQ(csv_cell(-std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv_cell("a\nb\u202e\x1b"), "a?b??");
  EXPECT_EQ(csv_cell("=1+2"), "'=1+2");
  EXPECT_EQ(csv_cell("+cmd,x"), "\"'+cmd,x\"");
  EXPECT_EQ(csv_cell("-"), "'-");
  EXPECT_EQ(csv_cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_cell("-4.5e-3"), "-4.5e-3");
  EXPECT_EQ(csv_cell("+7"), "+7");
  EXPECT_EQ(csv_cell("\t=1"), "?=1");
  EXPECT_EQ(csv_cell(""), "");
}

TEST(SkinNumbers, RowsAreWhatTheirNamesSay) {
  EXPECT_EQ(skin_quantities()[kVolumeQuantity].id, "volume_ratio");
  EXPECT_EQ(skin_quantities()[kRingQuantity].id, "ring_radius");
}

// The candy wrapper: a ring half way between two joints shrinks with cos(theta/2) under linear blending and not at all
// under dual quaternions.
TEST(SkinNumbers, C7_3_C22_3_TheRingOverTheTwist) {
  const Document document = tube();
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  const SkinSeries series = twisted(document, meter);
  EXPECT_EQ(series.axis_id, "tip.twist");
  EXPECT_EQ(series.axis_unit, "deg");
  ASSERT_EQ(series.x.size(), 35u);
  ASSERT_EQ(series.numbers.size(), 2u);
  EXPECT_TRUE(series.ring_error.empty()) << series.ring_error;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    EXPECT_NEAR(series.x[i], -170 + 10 * static_cast<double>(i), 1e-4);
    const double theta = series.x[i] * std::numbers::pi / 180;
    EXPECT_NEAR(quantity("ring_radius").value(series.numbers[0][i]), std::abs(std::cos(theta / 2)), 1e-5) << theta;
    EXPECT_NEAR(quantity("ring_radius").value(series.numbers[1][i]), 1, 1e-5) << theta;
    EXPECT_EQ(series.numbers[0][i].flipped_triangles, 0);
  }
}

TEST(SkinNumbers, TheoryStandsBesideTheMeasuredCurve) {
  const Document document = tube();
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  const SkinSeries series = twisted(document, meter);
  const auto ring = std::ranges::find(series.closed_forms, "ring_radius", &ClosedForm::quantity);
  ASSERT_NE(ring, series.closed_forms.end());
  ASSERT_EQ(ring->values.size(), series.x.size());
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    EXPECT_NEAR(ring->values[i], std::cos(series.x[i] / 2 * std::numbers::pi / 180), 1e-6);
  }
}

TEST(SkinNumbers, TheBindPoseIsAllOnes) {
  const Document document = tube();
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  const std::vector<deform::SkinningSettings> panes = {document.state.skinning};
  const std::vector<SkinNumbers> rows = meter.measure(document, panes, kTip);
  ASSERT_EQ(rows.size(), 1u);
  for (const char* id : {"volume_ratio", "area_ratio", "max_edge_stretch", "min_edge_stretch", "ring_radius"}) {
    EXPECT_NEAR(quantity(id).value(rows[0]), 1, 1e-5) << id;
  }
  EXPECT_EQ(rows[0].flipped_triangles, 0);
}

TEST(SkinNumbers, TheWorstEdgeIsWhereTheLargestStretchIs) {
  Document document = tube();
  test::apply(document, SetDof{kTip, twist_of(document), 120 * test::kDegree});
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  const std::vector<deform::SkinningSettings> panes = {skinning_of(document.state, 1)};
  const SkinNumbers row = meter.measure(document, panes, -1).front();
  EXPECT_FALSE(row.ring.has_value());
  EXPECT_TRUE(std::isnan(quantity("ring_radius").value(row)));
  ASSERT_EQ(row.worst_edge.x, 0);
  // The twist is all in the middle of the tube.
  const rig::Character& character = *document.character;
  const glm::vec3 at = character.primitive(character.parts[0]).positions[static_cast<std::size_t>(row.worst_edge.y)];
  const float length = character.primitive(character.parts[0]).positions.back().x;
  EXPECT_NEAR(at.x, length / 2, 0.15f * std::max(length, 1.0f));
}

TEST(SkinNumbers, StopsWhenAsked) {
  const Document document = tube();
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  int calls = 0;
  const auto series = measure_series(meter, document, sweep_of(document, kTip, twist_of(document)),
                                     [&](float, std::string_view) { return ++calls < 3; });
  EXPECT_FALSE(series.has_value());
  EXPECT_EQ(calls, 3);
}

TEST(SkinNumbers, TheFileHasALinePerPaneAndSample) {
  const Document document = tube();
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  const SkinSeries series = twisted(document, meter);
  const std::string csv = to_csv(series);
  const std::vector<std::string_view> lines = split(csv, '\n');
  ASSERT_EQ(lines.size(), 2u + 2 * series.x.size()) << "a header, and nothing behind the last line";
  EXPECT_TRUE(lines.back().empty());
  EXPECT_THAT(std::string(lines[0]),
              testing::StartsWith("tip.twist (deg),pane,method,backend,normals,influence_limit,volume_ratio,"));
  const std::size_t columns = split(lines[0], ',').size();
  EXPECT_EQ(columns, 6 + skin_quantities().size() + series.closed_forms.size());
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
    EXPECT_EQ(split(lines[i], ',').size(), columns) << lines[i];
  }
  EXPECT_THAT(std::string(lines[1]), testing::StartsWith("-170,1,lbs,cpu,d,0,"))
      << "drawn by the GPU, measured on the CPU";
}

TEST(SkinNumbers, PanesAreNamedByWhatTellsThemApart) {
  deform::SkinningSettings settings;
  settings.method = deform::find_method("lbs");
  EXPECT_EQ(pane_label(settings), "Linear blend");
  settings.influence_limit = 2;
  EXPECT_EQ(pane_label(settings), "Linear blend, 2 influences");
}

TEST(SkinNumbers, ThePinnedVertexIsMeasuredFromTheJoint) {
  Document document = make_document(std::make_shared<rig::Character>(test::elbow()));
  test::apply(document,
              SetJointLocal{
                  1, {.translation = {4, 0, 0}, .rotation = test::elbow_bent(*document.character).local[1].rotation}});
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  std::vector<deform::SkinningSettings> settings(2);
  settings[0].method = deform::find_method("lbs");
  settings[1].method = deform::find_method("dqs");
  const SkinQuantity& quantity = skin_quantities()[kPinnedQuantity];
  EXPECT_FALSE(std::isfinite(quantity.value(meter.measure(document, settings, 1)[0]))) << "none is pinned";
  document.pinned_part = 0;
  document.pinned_vertex = 0;
  const std::vector<SkinNumbers> numbers = meter.measure(document, settings, 1);
  EXPECT_NEAR(quantity.value(numbers[0]), std::sqrt(0.68), 1e-6);  // 1 - 0.64 sin^2 45
  EXPECT_NEAR(quantity.value(numbers[1]), 1, 1e-6);
  EXPECT_FALSE(std::isfinite(quantity.value(meter.measure(document, settings, -1)[0]))) << "from no joint";
}

TEST(SkinNumbers, C3_3_APinnedVertexIsAsFarAsItWasBoundInTheBindPose) {
  Document document = make_document(std::make_shared<rig::Character>(test::two_skins()));
  test::apply(document, SetBasePose{BasePose::kBind});
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  const std::vector<deform::SkinningSettings> settings(1);
  document.pinned_vertex = static_cast<int>(test::cylinder_vertex(30, 2));
  for (document.pinned_part = 0; document.pinned_part < 2; ++document.pinned_part) {
    const SkinNumbers numbers = meter.measure(document, settings, kTip)[0];
    EXPECT_NEAR(skin_quantities()[kPinnedQuantity].value(numbers), 1, 1e-5) << "part " << document.pinned_part;
  }
}

}  // namespace
}  // namespace pelt::edit
