// How a session is drawn: what is written reads back exactly, and what does not apply is left out.
#include "cli/session_view.h"

#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "edit/edit_fixtures.h"

namespace pelt::cli {
namespace {

using testing::HasSubstr;

// An arm with variants of its materials, of which two are called alike, seen in several panes.
edit::Document document(int panes) {
  rig::Character character = test::arm();
  character.variants = SharedArray<std::string>(std::vector<std::string>{"red", "", "blue", "blue"});
  edit::Document out = edit::make_document(std::make_shared<const rig::Character>(std::move(character)));
  test::apply(out, edit::SetPanes{panes});
  return out;
}

SessionView random_view(const edit::Document& document, test::Random& random) {
  const auto of = [&](const auto& list) {
    return static_cast<std::size_t>(random.below(static_cast<int>(list.size())));
  };
  const auto flip = [&] { return random.below(2) == 0; };
  const int panes = edit::pane_count(document.content);
  const int joints = document.character->skeleton->size();
  SessionView out;
  render::ViewSettings& view = out.view;
  view.look = render::kLooks[of(render::kLooks)].look;
  view.weight_joint = random.below(joints + 1) - 1;
  view.compare.measure = measure::kMeasures[of(measure::kMeasures)].measure;
  view.compare.reference = static_cast<render::Reference>(random.below(5));
  view.compare.pane = random.below(panes);
  view.compare.method = static_cast<int>(of(deform::skinning_methods()));
  view.compare.range = flip() ? 0 : random.real(0.0f, 1e-3f);
  view.wipe = panes > 1 && flip();
  view.wipe_position = random.real(0.0f, 1.0f);
  for (bool render::ViewSettings::*member :
       {&render::ViewSettings::ghost_points, &render::ViewSettings::skeleton, &render::ViewSettings::deforming_only,
        &render::ViewSettings::joint_names, &render::ViewSettings::joint_axes, &render::ViewSettings::wireframe,
        &render::ViewSettings::normal_lines, &render::ViewSettings::isolines, &render::ViewSettings::rotation_centers,
        &render::ViewSettings::cage, &render::ViewSettings::t_junctions, &render::ViewSettings::grid,
        &render::ViewSettings::ground, &render::ViewSettings::shadow, &render::ViewSettings::turntable,
        &render::ViewSettings::occlusion, &render::ViewSettings::lights}) {
    view.*member = flip();
  }
  view.ghosts = {.shown = flip(),
                 .before = random.below(render::kMostGhosts + 1),
                 .after = random.below(render::kMostGhosts + 1),
                 .step = 1 + random.below(render::kMostGhostStep),
                 .on_keys = flip(),
                 .opacity = random.real(0.0f, 1.0f)};
  view.environment = render::kEnvironments[of(render::kEnvironments)].environment;
  view.tone = render::kToneMappings[of(render::kToneMappings)].tone;
  view.exposure = random.real(-4.0f, 4.0f);
  if (flip()) {
    view.background = glm::vec4(random.vector(0, 1), random.real(0.0f, 1.0f));
  }
  view.variant = random.below(5) - 1;
  for (int node = 0; node < joints; ++node) {
    if (random.below(3) == 0) {
      view.toggled_nodes.push_back(node);
    }
  }
  if (flip()) {
    render::Camera camera;
    camera.pivot = random.vector(-100, 100);
    camera.azimuth = random.real(-10.0f, 10.0f);
    camera.elevation = std::numbers::pi_v<float> / 2 * (flip() ? 1.0f : random.real(-1.0f, 1.0f));
    camera.roll = random.real(-3.0f, 3.0f);
    camera.distance = flip() ? random.real(1e-4f, 0.01f) : random.real(1.0f, 1000.0f);
    camera.yfov = random.real(0.01f, 2.9f);
    camera.orthographic = flip();
    camera.near_far_radius = std::max(camera.near_far_radius, camera.distance);  // follows from what is shown
    out.camera = camera;
  }
  out.tab = flip() ? "" : "pose";
  return out;
}

TEST(SessionView, Law_RandomViewsReadBackExactly) {
  test::Random random(11);
  for (int round = 0; round < 400; ++round) {
    edit::Document shown = document(1 + random.below(edit::kPaneLimit));
    const SessionView view = random_view(shown, random);
    shown.origin.window = to_json(view, shown, {});
    const Result<SessionView> again = session_view(shown);
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(again->view, view.view) << shown.origin.window;
    ASSERT_EQ(again->camera, view.camera) << shown.origin.window;
    ASSERT_EQ(again->tab, view.tab);
    ASSERT_EQ(again->mode, view.mode);
    ASSERT_EQ(to_json(*again, shown, {}), shown.origin.window);
  }
}

TEST(SessionView, WhatTheCharacterDoesNotHaveIsLeftOut) {
  edit::Document shown = document(1);
  shown.origin.window =
      R"({"look": "x-ray", "weight_joint": "tail", "wipe": true, "variant": {"index": 9, "name": "green"},
    "toggled_nodes": ["tail", "hand_l", "hand_l", "root"],
    "compare": {"measure": "charm", "reference": "pane", "pane": 3, "method": "magic", "range": -1}})";
  const Result<SessionView> view = session_view(shown);
  ASSERT_TRUE(view) << view.error().message;
  render::ViewSettings expected;
  expected.toggled_nodes = {test::kHand, 0};
  EXPECT_EQ(view->view, expected);
}

TEST(SessionView, FaultsAreNamed) {
  edit::Document shown = document(1);
  const auto message = [&](const char* window) {
    shown.origin.window = window;
    const Result<SessionView> view = session_view(shown);
    return view ? std::string() : view.error().message;
  };
  EXPECT_EQ(message(R"({"grid": 1})"), "session, window, grid: expected true or false, got 1");
  EXPECT_THAT(message(R"({"background": [0, 0, 0]})"), HasSubstr("window, background: expected 4 numbers"));
  const std::string camera =
      R"({"camera": {"pivot": [0, 0, 0], "azimuth": 0, "elevation": 0, "roll": 0, "orthographic": false, )";
  EXPECT_THAT(message((camera + R"("distance": 0, "yfov": 1}})").c_str()), HasSubstr("a distance above 0, got 0"));
  EXPECT_THAT(message((camera + R"("distance": 1, "yfov": 3}})").c_str()), HasSubstr("above 0 and below 3, got 3"));
  EXPECT_EQ(message(camera.c_str()), "session, window: it is not JSON");
}

}  // namespace
}  // namespace pelt::cli
