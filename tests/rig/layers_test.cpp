#include "rig/layers.h"

#include <array>

#include <gtest/gtest.h>

namespace pelt::rig {
namespace {

constexpr std::array kFields = {LayerField{.id = "distance",
                                           .label = "Distance",
                                           .unit = LayerUnit::kMetres,
                                           .minimum = -1,
                                           .maximum = 1,
                                           .standard = 0.25f,
                                           .help = ""},
                                kWeightField};
constexpr LayerKind kMoving = {
    .id = "moving", .label = "Moving", .help = "", .slot = LayerSlot::kPose, .fields = kFields};
constexpr LayerKind kSwitched = {
    .id = "switched", .label = "", .help = "", .slot = LayerSlot::kSkin, .starts_on = false};
constexpr LayerKind kAlways = {.id = "always", .label = "", .help = "", .slot = LayerSlot::kPose, .optional = false};

TEST(Layers, AStandardLayerHasTheStandardValuesOfItsKind) {
  const Layer layer = standard_layer(kMoving);
  EXPECT_EQ(layer, (Layer{"moving", true, {0.25f, 1}}));
  EXPECT_EQ(value_of(kMoving, layer, "distance"), 0.25f);
  EXPECT_EQ(standard_layer(kSwitched), (Layer{"switched", false, {}}));
}

TEST(Layers, TheShareIsTheWeightOfWhatIsOn) {
  EXPECT_EQ(share_of(kMoving, {"moving", true, {0, 0.5f}}), 0.5f);
  EXPECT_EQ(share_of(kMoving, {"moving", false, {0, 0.5f}}), 0.0f);
  EXPECT_EQ(share_of(kSwitched, {"switched", true, {}}), 1.0f);
  EXPECT_EQ(share_of(kSwitched, {"switched", false, {}}), 0.0f);
  EXPECT_EQ(share_of(kAlways, {"always", false, {}}), 1.0f) << "nothing is seen without it";
}

}  // namespace
}  // namespace pelt::rig
