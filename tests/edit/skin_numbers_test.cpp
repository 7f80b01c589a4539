#include "edit/skin_numbers.h"
#include "edit/csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/edit_fixtures.h"
#include "measure/skin_meter.h"
#include "rig/kinematics.h"
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
  const std::vector<deform::SkinningSettings> panes = {document.content.skinning};
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
  const std::vector<deform::SkinningSettings> panes = {skinning_of(document.content, 1)};
  const SkinNumbers row = meter.measure(document, panes, -1).front();
  EXPECT_FALSE(row.ring.has_value());
  EXPECT_TRUE(std::isnan(quantity("ring_radius").value(row)));
  ASSERT_EQ(row.worst_edge.x, 0);
  // The twist is all in the middle of the tube.
  const rig::Character& character = *document.character;
  const glm::vec3 at = character.primitive(character.parts[0]).positions[row.worst_edge.y];
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
  settings.influence_limit = 1;
  EXPECT_EQ(pane_label(settings), "Linear blend, 1 influence");
}

// Of made-up numbers, which all differ.
TEST(SkinNumbers, EveryRowIsTheNumberThatItsNameSays) {
  SkinNumbers numbers;
  numbers.collapse.volume_ratio = 0.75;
  numbers.collapse.area_ratio = 0.875;
  numbers.collapse.max_edge_stretch = 3;
  numbers.collapse.min_edge_stretch = 0.5;
  numbers.flipped_triangles = 17;
  numbers.bones.min = 0.0625;
  numbers.bones.max = 0.25;
  const std::pair<const char*, double> always[] = {
      {"volume_ratio", 0.75},    {"area_ratio", 0.875},         {"max_edge_stretch", 3},    {"min_edge_stretch", 0.5},
      {"flipped_triangles", 17}, {"bone_distance_min", 0.0625}, {"bone_distance_max", 0.25}};
  for (const auto& [id, value] : always) {
    EXPECT_EQ(quantity(id).value(numbers), value) << id;
  }
  const std::pair<const char*, double> others[] = {
      {"ring_radius", 0.5}, {"ring_smallest", 0.125}, {"pinned_distance", 1.5}, {"refine_distance", 2.5}};
  ASSERT_EQ(std::size(always) + std::size(others), skin_quantities().size());
  const auto expect_none = [&] {
    for (const auto& [id, value] : others) {
      EXPECT_TRUE(std::isnan(quantity(id).value(numbers))) << id;
    }
  };
  expect_none();
  numbers.ring.emplace();
  numbers.ring->mean = 2;
  numbers.ring->min = 0.5;
  numbers.pinned = 6;
  expect_none();  // nothing to compare them with
  numbers.bind_ring.mean = 4;
  numbers.bind_pinned = 4;
  numbers.refine_distance = 2.5;
  for (const auto& [id, value] : others) {
    EXPECT_EQ(quantity(id).value(numbers), value) << id;
  }
}

TEST(SkinNumbers, RowsAreWhatIsMeasuredOfEachWay) {
  Document document = tube();
  test::apply(document, SetDof{kTip, joint_dofs(document, kTip).find("bend"), 120 * test::kDegree});
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  const measure::SkinMeter direct(*document.character);
  const measure::Ring ring = *direct.ring(kTip);
  const rig::Pose pose = evaluate_pose(document);
  rig::WorldMatrices world;
  world.evaluate(document.character->skeleton, pose);
  std::vector<deform::SkinningSettings> ways;
  for (const char* id : {"lbs", "rigid", "dqs"}) {
    ways.push_back({.method = deform::find_method(id)});
  }
  const std::vector<SkinNumbers> rows = meter.measure(document, ways, kTip);
  ASSERT_EQ(rows.size(), ways.size());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const deform::DeformedCharacter shape = deform::deform_once(*document.character, pose, ways[i]);
    const measure::CollapseMeasures collapse = direct.collapse(shape);
    const measure::BoneDistance bones = direct.bone_distance(shape, pose, world.world());
    const std::pair<const char*, double> expected[] = {
        {"volume_ratio", collapse.volume_ratio},
        {"area_ratio", collapse.area_ratio},
        {"max_edge_stretch", collapse.max_edge_stretch},
        {"min_edge_stretch", collapse.min_edge_stretch},
        {"flipped_triangles", static_cast<double>(direct.flipped_triangles(shape, pose, world.world()))},
        {"ring_radius", direct.radius(ring, shape).mean / direct.bind_radius(ring).mean},
        {"ring_smallest", direct.radius(ring, shape).min / direct.bind_radius(ring).mean},
        {"bone_distance_min", bones.min},
        {"bone_distance_max", bones.max}};
    for (const auto& [id, value] : expected) {
      EXPECT_DOUBLE_EQ(quantity(id).value(rows[i]), value) << id;
    }
  }
  EXPECT_GT(rows[1].flipped_triangles, 0) << "rigid parts go through each other";
  EXPECT_NE(rows[0].collapse.volume_ratio, rows[2].collapse.volume_ratio);
  // Theory is told of the way that was measured, not of that of the document.
  ASSERT_FALSE(rows[0].teaching.empty());
  EXPECT_NE(rows[0].teaching[0].formula, rows[2].teaching[0].formula);
}

TEST(SkinNumbers, TheRingIsThatOfTheJointAskedForLast) {
  const Document document = tube();
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  const std::vector<deform::SkinningSettings> ways(1);
  const measure::SkinMeter direct(*document.character);
  EXPECT_TRUE(meter.measure(document, ways, kTip)[0].ring);
  EXPECT_EQ(meter.ring_error(), "");
  for (const int joint : {0, 2}) {  // the root, whose ring is at the cap, and the node of the mesh
    const Result<measure::Ring> ring = direct.ring(joint);
    const SkinNumbers numbers = meter.measure(document, ways, joint)[0];
    ASSERT_EQ(numbers.ring.has_value(), ring.has_value());
    EXPECT_EQ(meter.ring_error(), ring ? "" : ring.error().message);
    if (ring) {
      EXPECT_EQ(numbers.bind_ring.mean, direct.bind_radius(*ring).mean);
    }
  }
  EXPECT_NE(meter.ring_error(), "") << "no skin lists the node";
  EXPECT_FALSE(meter.measure(document, ways, -1)[0].ring);
  EXPECT_EQ(meter.ring_error(), "");
  EXPECT_TRUE(meter.measure(document, ways, kTip)[0].ring);
}

/// Triangles of their own, each vertex on a joint of its own: 3 n to 3 n + 2 of mesh node n.
Document triangles(std::size_t count) {
  rig::Character character;
  std::vector<int> joints;
  const glm::vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0.5f, 0.75f, 0}};
  for (std::size_t n = 0; n < count; ++n) {
    for (const glm::vec3& corner : corners) {
      joints.push_back(test::add_node(character, "", -1, {.translation = corner + glm::vec3(0, 0, n)}));
    }
  }
  for (std::size_t n = 0; n < count; ++n) {
    mesh::Primitive primitive;
    for (std::uint16_t c = 0; c < 3; ++c) {
      primitive.positions.push_back(corners[c] + glm::vec3(0, 0, n));
      mesh::append_row(primitive.influences.edit(), std::array{static_cast<std::uint16_t>(3 * n + c)},
                       std::array{1.0f});
    }
    primitive.indices = {0, 1, 2};
    test::add_skinned_mesh(character, "triangle", joints, std::move(primitive));
  }
  rig::finish(character);
  return make_document(std::make_shared<const rig::Character>(std::move(character)));
}

// One edge of one triangle is longer and no other is: a vertex is moved on a circle about another.
TEST(SkinNumbers, TheWorstEdgeIsNamedByItsPartAndFirstVertex) {
  const Document rest = triangles(3);
  SkinNumberMeter meter(rest.character, std::make_shared<deform::SkinCache>());
  const std::vector<deform::SkinningSettings> ways(1);
  EXPECT_EQ(meter.measure(rest, ways, -1)[0].worst_edge, glm::ivec2(0, 0)) << "the first, where none is stretched";
  for (int part = 0; part < 3; ++part) {
    for (int edge = 0; edge < 3; ++edge) {  // from vertex `edge` to the next one, which turns about the third
      const int moved = 3 * part + (edge + 1) % 3;
      const auto place = [&](int j) { return rest.character->skeleton->rest[j].translation; };
      const glm::vec3 about = place(3 * part + (edge + 2) % 3);
      const glm::quat turn = glm::angleAxis(0.6f, glm::vec3(0, 0, 1));
      Document document = rest;
      test::apply(document, SetJointLocal{moved, {.translation = about + turn * (place(moved) - about)}, false});
      EXPECT_EQ(meter.measure(document, ways, -1)[0].worst_edge, glm::ivec2(part, edge));
    }
  }
  // Of two edges the longer one, wherever it stands; an edge that had no length does not count.
  Document both = rest;
  test::apply(both, SetJointLocal{0, {.translation = {-1, 0, 0}}, false});
  test::apply(both, SetJointLocal{7, {.translation = {4, 0, 2}}, false});
  EXPECT_EQ(meter.measure(both, ways, -1)[0].worst_edge.x, 2);
  test::apply(both, SetJointLocal{0, {.translation = {-9, 0, 0}}, false});
  EXPECT_EQ(meter.measure(both, ways, -1)[0].worst_edge.x, 0);
  const Document points = test::arm_document();
  SkinNumberMeter of_points(points.character, std::make_shared<deform::SkinCache>());
  EXPECT_EQ(of_points.measure(points, ways, -1)[0].worst_edge, glm::ivec2(-1)) << "there are no edges";
}

TEST(SkinNumbers, APinnedVertexWithoutTheJointHasNoDistance) {
  Document document = test::arm_document();
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  const std::vector<deform::SkinningSettings> ways(1);
  const auto pinned = [&](int part, int vertex, int joint) {
    document.view.pinned_part = part;
    document.view.pinned_vertex = vertex;
    return meter.measure(document, ways, joint)[0].pinned;
  };
  EXPECT_NEAR(pinned(0, 0, test::kRoot).value_or(-1), 0.025, 1e-7) << "0.1 up, of which a quarter is shown";
  EXPECT_TRUE(pinned(0, 1, test::kElbow));
  EXPECT_FALSE(pinned(0, 2, test::kRoot)) << "there are two";
  EXPECT_FALSE(pinned(1, 0, test::kRoot)) << "there is one part";
  EXPECT_FALSE(pinned(-1, -1, test::kRoot));
  EXPECT_FALSE(pinned(0, 0, 7)) << "no joint of the skin";
  EXPECT_FALSE(pinned(0, 0, -1));
}

TEST(SkinNumbers, ASeriesSaysWhatItRunsOver) {
  Document document = tube();
  document.view.pinned_part = 0;
  document.view.pinned_vertex = 5;
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  SeriesAxis axis = sweep_of(document, kTip, joint_dofs(document, kTip).find("tx"));
  EXPECT_EQ(axis.from, joint_dofs(document, kTip).dofs[axis.dof].lower);
  EXPECT_EQ(axis.to, joint_dofs(document, kTip).dofs[axis.dof].upper);
  axis.from = -0.25f;
  axis.to = 0.25f;
  axis.samples = 3;
  std::vector<float> told;
  const SkinSeries moved = *measure_series(meter, document, axis, [&](float done, std::string_view) {
    told.push_back(done);
    return true;
  });
  EXPECT_THAT(told, testing::ElementsAre(0.0f, testing::FloatEq(1.0f / 3), testing::FloatEq(2.0f / 3)));
  EXPECT_EQ(moved.axis.joint, kTip);
  EXPECT_EQ(moved.axis.samples, 3);
  EXPECT_EQ(moved.axis_unit, "m");
  EXPECT_EQ(moved.character, document.character);
  EXPECT_EQ(moved.pinned, glm::ivec2(0, 5));
  EXPECT_THAT(moved.x, testing::ElementsAre(-0.25f, 0.0f, 0.25f));
  axis = sweep_of(document, kTip, joint_dofs(document, kTip).find("sx"));
  axis.from = 1;
  axis.to = 2;
  axis.samples = 2;
  const SkinSeries grown = *measure_series(meter, document, axis, {});
  EXPECT_EQ(grown.axis_unit, "1");
  EXPECT_THAT(grown.x, testing::ElementsAre(1.0f, 2.0f));
}

TEST(SkinNumbers, ASeriesOverAClipIsItsMoments) {
  rig::Character character = test::arm();
  character.clips.push_back(character.clips[0]);
  character.clips.edit(1).name = "";
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  document.view.pinned_part = 0;
  document.view.pinned_vertex = 1;
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  const SeriesAxis axis = {
      .kind = SeriesAxis::Kind::kClip, .joint = test::kRoot, .from = 1, .to = 3, .clip = 0, .samples = 5};
  const SkinSeries series = *measure_series(meter, document, axis, {});
  EXPECT_EQ(series.axis_id, "wave");
  EXPECT_EQ(series.axis_unit, "s");
  EXPECT_THAT(series.x, testing::ElementsAre(1.0f, 1.5f, 2.0f, 2.5f, 3.0f));
  EXPECT_NE(series.ring_error, "") << "points have no ring";
  ASSERT_EQ(series.numbers.size(), 1u);
  for (std::size_t i = 0; i < 5; ++i) {
    Document moment = document;
    test::apply(moment, SetClip{0});
    test::apply(moment, SetTime{series.x[i]});
    EXPECT_EQ(series.numbers[0][i].pinned, meter.measure(moment, series.panes, test::kRoot)[0].pinned) << i;
  }
  EXPECT_NE(series.numbers[0][0].pinned, series.numbers[0][4].pinned);
  SeriesAxis unnamed = axis;
  unnamed.clip = 1;
  EXPECT_EQ(measure_series(meter, document, unnamed, {})->axis_id, "clip 1");
}

// Each formula once, for what it is about, where theory knows most of the samples.
TEST(SkinNumbers, ClosedFormsAreToldOnceAndWhereTheyAreKnown) {
  Document document = tube();
  test::apply(document, SetPanes{3});
  test::apply(document, SetSkinning{{.method = deform::find_method("lbs-sum")}, 2});
  SkinNumberMeter meter(document.character, std::make_shared<deform::SkinCache>());
  const auto over = [&](const char* dof, float degrees, int samples) {
    SeriesAxis axis = sweep_of(document, kTip, joint_dofs(document, kTip).find(dof));
    axis.from = -degrees * test::kDegree;
    axis.to = degrees * test::kDegree;
    axis.samples = samples;
    return *measure_series(meter, document, axis, {});
  };
  const SkinSeries twist = over("twist", 180, 5);
  std::vector<std::pair<std::string, std::string>> told;
  for (const ClosedForm& form : twist.closed_forms) {
    told.emplace_back(form.quantity, form.label);
    ASSERT_EQ(form.values.size(), 5u);
  }
  EXPECT_THAT(told, testing::UnorderedElementsAre(testing::Pair("volume_ratio", "1 \u2212 2/15 sin\u00b2(\u03b8/2)"),
                                                  testing::Pair("ring_radius", "r |cos(\u03b8/2)|"),
                                                  testing::Pair("ring_radius", "r")));
  for (const ClosedForm& form : twist.closed_forms) {
    for (std::size_t i = 1; i < 4; ++i) {
      const double theta = twist.x[i] * std::numbers::pi / 180;
      const double s = std::sin(theta / 2);
      const double expected = form.quantity == "volume_ratio" ? 1 - 2.0 / 15 * s * s
                              : form.label == "r"             ? 1
                                                              : std::abs(std::cos(theta / 2));
      EXPECT_NEAR(form.values[i], expected, 1e-6) << form.label;
    }
  }
  // About an axis of which theory knows nothing, but for where it has not turned.
  const SkinSeries side = over("side", 90, 3);
  EXPECT_TRUE(side.closed_forms.empty());
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
  document.view.pinned_part = 0;
  document.view.pinned_vertex = 0;
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
  document.view.pinned_vertex = static_cast<int>(test::cylinder_vertex(30, 2));
  for (document.view.pinned_part = 0; document.view.pinned_part < 2; ++document.view.pinned_part) {
    const SkinNumbers numbers = meter.measure(document, settings, kTip)[0];
    EXPECT_NEAR(skin_quantities()[kPinnedQuantity].value(numbers), 1, 1e-5) << "part " << document.view.pinned_part;
  }
}

}  // namespace
}  // namespace pelt::edit
