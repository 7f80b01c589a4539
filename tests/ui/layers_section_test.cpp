// The tab "Layers": switches, fields and the mark behind which nothing is seen.
#include <gtest/gtest.h>
#include <imgui.h>

#include "edit/layer_edits.h"
#include "headless_window.h"
#include "ui/layers_section.h"

namespace pelt::ui {
namespace {

class LayersSection : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    resize({1440, 2400}, 1);
    open(test::cylinder());
    workspace_.tab = kLayersTab;
    frames(3);
  }
  [[nodiscard]] const rig::Layer& layer(std::string_view kind) const {
    return edit::layer_at(document_.content, edit::find_layer(document_.content, kind));
  }
};

TEST_F(LayersSection, ListsEveryLayerInItsOrderWithTheFieldsOfWhatIsOn) {
  float above = 0;
  for (std::size_t k = 0; k < edit::layer_count(document_.content); ++k) {
    const rig::LayerKind& kind = *edit::layer_kind_at(document_.content, k);
    const std::string name = "layers." + std::string(kind.id);
    ASSERT_TRUE(report_.contains(name)) << name;
    EXPECT_GT(report_[name].y, above) << name;
    above = report_[name].y;
    ASSERT_TRUE(report_.contains(name + ".stop")) << name;
    EXPECT_EQ(report_[name + ".stop"].center().y, report_[name].center().y) << name;
    for (const rig::LayerField& field : kind.fields) {
      EXPECT_EQ(report_.contains(name + "." + std::string(field.id)), layer(kind.id).on) << name << " " << field.id;
    }
  }
}

TEST_F(LayersSection, ASwitchIsAStep) {
  click("layers.skin");
  EXPECT_FALSE(layer("skin").on);
  EXPECT_EQ(document_.history.undo_label(), "Layer Skin off");
  EXPECT_FALSE(evaluation_.pose().skinned);
  click("layers.skin");
  EXPECT_TRUE(layer("skin").on);
  const std::size_t steps = document_.history.size();
  click("layers.base");
  EXPECT_EQ(document_.history.size(), steps) << "nothing is seen without a base pose";
}

TEST_F(LayersSection, ADragOfAFieldIsOneStep) {
  click("layers.push");
  ASSERT_TRUE(report_.contains("layers.push.distance"));
  const std::size_t steps = document_.history.size();
  const Rect slider = report_["layers.push.distance"];
  drag({slider.x + slider.w * 0.55f, slider.center().y}, {slider.x + slider.w * 0.9f, slider.center().y});
  EXPECT_EQ(document_.history.size(), steps + 1);
  EXPECT_GT(layer("push").values[0], 0.05f);
  EXPECT_LE(layer("push").values[0], 0.1f);
  edit::undo(document_);
  EXPECT_EQ(layer("push").values[0], 0.005f);
}

TEST_F(LayersSection, ADoubleClickSetsTheStandardValue) {
  edit::SetLayer half{edit::find_layer(document_.content, "clip"), true, {0.5f}};
  edit::apply(document_, {half, {}, true});
  frames(2);
  click("layers.clip.weight");
  click("layers.clip.weight");
  EXPECT_EQ(layer("clip").values[0], 1.0f);
}

TEST_F(LayersSection, TheMarkStopsWhatIsSeenAndIsNoStep) {
  click("layers.clip.stop");
  EXPECT_EQ(document_.view.layer_limit, 2) << "base pose and clip";
  EXPECT_FALSE(edit::can_undo(document_));
  EXPECT_FALSE(evaluation_.pose().skinned);
  click("layers.skin.stop");
  EXPECT_EQ(document_.view.layer_limit, static_cast<int>(edit::find_layer(document_.content, "skin")) + 1);
  EXPECT_TRUE(evaluation_.pose().skinned);
  click("layers.skin.stop");
  EXPECT_EQ(document_.view.layer_limit, -1) << "the same mark again: all is seen";
}

}  // namespace
}  // namespace pelt::ui
