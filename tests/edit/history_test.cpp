// The list of contents: what is in it, what it holds, and that every place of it is what was there.
#include "edit/history.h"

#include <array>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "edit/edits.h"
#include "edit/reload.h"
#include "edit_fixtures.h"
#include "random_changes.h"
#include "support/effort.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;
using test::kElbow;
using test::kHand;
using test::kKinds;
using test::kMakers;
using test::made;
using test::random_change;

// What the document shows at a place of its history.
Content content_at(const Document& document, std::size_t place) {
  return document.history.content(place, document.content);
}

TEST(History, IsAListWithACursor) {
  Document document = arm_document();
  EXPECT_EQ(document.history.size(), 1u);
  for (const float angle : {0.25f, 0.5f, 0.75f}) {
    apply(document, SetDof{kElbow, 0, angle});
  }
  EXPECT_EQ(document.history.size(), 4u);
  EXPECT_EQ(document.history.cursor(), 3u);
  EXPECT_EQ(document.history.step(0).label, "");
  EXPECT_EQ(document.history.step(1).label, "Rotate elbow_l");
  travel(document, 1);
  EXPECT_EQ(dof_values(document, kElbow)[0], 0.25f);
  EXPECT_EQ(document.history.size(), 4u) << "the later ones stay";
  EXPECT_EQ(document.history.redo_label(), "Rotate elbow_l");
  travel(document, 3);
  EXPECT_EQ(dof_values(document, kElbow)[0], 0.75f);
  const std::uint64_t version = document.state_version;
  travel(document, 3);
  EXPECT_EQ(document.state_version, version) << "there already";
  travel(document, 0);
  EXPECT_TRUE(document.content.overrides->empty());
  apply(document, SetMorph{0, 0.5f});
  EXPECT_EQ(document.history.size(), 2u) << "another way from there";
  EXPECT_EQ(document.history.undo_label(), "Set smile");
}

TEST(History, TravellingKeepsTheViewAsFarAsItMeansSomething) {
  Document document = arm_document();
  apply(document, SetPanes{3});
  apply(document, SetClip{0});
  document.view = {.selected_joints = {3}, .pinned_part = 0, .pinned_vertex = 1, .active_pane = 2, .time = 2.5f};
  View expected = document.view;
  travel(document, 0);
  expected.active_pane = 0;
  EXPECT_EQ(document.view, expected);
}

// A step costs what it does not share with the next one: the places that it changes, and nothing else of the mesh.
TEST(History, AStepHoldsWhatItChanged) {
  Document document = make_document(std::make_shared<const rig::Character>(test::cylinder()));
  auto character = std::make_shared<rig::Character>(*document.character);
  SharedArray<glm::vec3>& positions = character->meshes.edit(0).primitives.edit(0).positions;
  positions.edit()[0].x += 1;
  const std::size_t places = positions.size() * sizeof(glm::vec3);
  ASSERT_GT(places, 8192u);
  apply(document, ReplaceCharacter{character});
  const std::size_t bytes = document.history.bytes();
  EXPECT_GE(bytes, places);
  EXPECT_LT(bytes, places + 4096) << "names, lists of pointers and the step itself";
  EXPECT_EQ(document.history.step(0).bytes, bytes);
  undo(document);
  EXPECT_EQ(document.history.step(0).bytes, 0u) << "it is what is shown";
  EXPECT_EQ(document.history.step(1).bytes, document.history.bytes());
  EXPECT_GE(document.history.bytes(), places);
  redo(document);
  EXPECT_EQ(document.history.bytes(), bytes);
  apply(document, SetDof{1, 0, 0.5f});
  EXPECT_LT(document.history.bytes(), bytes + 1024) << "the character is shared by both";
}

TEST(History, TheOldestStepsAreForgottenAboveTheLimit) {
  Document document = arm_document();
  document.history.set_limit(100 * sizeof(Step));
  for (int i = 1; i <= 500; ++i) {
    apply(document, SetMorph{0, static_cast<float>(i)});
    ASSERT_LE(document.history.bytes(), document.history.limit());
  }
  EXPECT_GT(document.history.size(), 40u);
  EXPECT_LT(document.history.size(), 100u);
  const auto oldest = 501 - static_cast<float>(document.history.size());
  travel(document, 0);
  EXPECT_EQ(document.content.morph_overrides->at(0), oldest);
  EXPECT_EQ(document.history.step(0).label, "Set smile") << "not as it was opened";
}

TEST(History, TheLastChangeCanAlwaysBeUndone) {
  Document document = arm_document();
  document.history.set_limit(1);
  for (const float value : {0.25f, 0.5f, 0.75f}) {
    apply(document, SetMorph{0, value}, "drag");
    EXPECT_EQ(document.history.size(), 2u);
  }
  undo(document);
  EXPECT_TRUE(document.content.morph_overrides->empty());
  ASSERT_TRUE(can_redo(document)) << "nothing new has come";
  document.history.set_limit(2);
  EXPECT_FALSE(can_redo(document));
}

TEST(History, ADragThatGoesOnIsMeasuredAgain) {
  Document document = arm_document();
  auto character = std::make_shared<rig::Character>(*document.character);
  character->name = "another";
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  const std::size_t before = document.history.bytes();
  apply(document, ReplaceCharacter{character}, "drag");
  EXPECT_EQ(document.history.size(), 2u);
  EXPECT_GE(document.history.bytes(), before + sizeof(rig::Character));
  cancel_merge(document, "drag");
  EXPECT_EQ(document.history.size(), 1u);
  EXPECT_EQ(document.history.bytes(), 0u);
}

// ---------------------------------------------------------------------------------------------------------------------

// A document to which something was done already, so that resets have something to do.
Document posed_document(test::Random& random) {
  rig::Character character = test::arm();
  character.constraints.push_back({.joint = kHand, .source = test::kRoot});
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  for (const Change& change :
       {Change(SetPanes{2}), Change(SetClip{0}), Change(SetMorph{1, 0.75f}), Change(SetDof{kElbow, 0, 0.5f}),
        Change(made<PaintWeights>(document, random)), Change(NameSelection{"a", {{kElbow}, {}}}),
        Change(made<SetJointLocal>(document, random)),
        Change(
            SetInterpolation{0, {id_of(document.character->clips[0].channels[1])}, rig::Interpolation::kCubicSpline}),
        Change(SetKeys{0, {{{kHand, rig::ChannelPath::kTranslation}, 1.5f, {1, 2, 3}}}}),
        Change(SetSemanticSliders{{{"flex", 0, 1, {{"elbow_l.bend", 50}}, 0.5f}}}),
        Change(StorePoses{{stored_pose(document, "open hand"), stored_pose(document, "hand", {kHand}),
                           stored_pose(document, "Fist")}}),
        Change(SetSprings{{.chains = {{.name = "arm", .joints = {{.joint = "elbow_l"}}, .end = "hand_l"}},
        .colliders = {},
        .wind = {}}}),
        Change(SetClipLayers{{{.clip = "wave", .weight = 0.5f}}}), Change(PinJoints{{test::kRoot}, true}),
        Change(KeepPose{}), Change(AddJoints{{{"extra", -1, {}}}})}) {
    edit::apply(document, {change, "", false});
  }
  return document;
}

// Without what stands in the way of baking springs.
Document quieter(Document document) {
  for (const Change& change :
       {Change(SetSemanticValue{0, 0}), Change(PinJoints{{test::kRoot}, false}), Change(SetClipLayers{})}) {
    edit::apply(document, {change, "", false});
  }
  return document;
}

TEST(Edits, EachRowHasAnIdALabelAndAnInverse) {
  ASSERT_EQ(edits().size(), kKinds);
  std::set<std::string_view> ids;
  test::Random random(16);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const Edit& edit = edits()[kind];
    SCOPED_TRACE(edit.id);
    EXPECT_FALSE(edit.id.empty());
    EXPECT_TRUE(ids.insert(edit.id).second) << "named once";
    int steps = 0;
    for (int i = 0; i < test::rounds(40); ++i) {
      Document document = i % 2 == 0 ? posed_document(random) : quieter(posed_document(random));
      const Change change = kMakers[kind](document, random);
      ASSERT_EQ(change.index(), kind);
      ASSERT_EQ(&edit_of(change), &edit);
      const std::string words = label(document, change);
      EXPECT_FALSE(words.empty());
      const std::uint64_t before = content_hash(document.content);
      apply(document, change);
      const std::uint64_t after = content_hash(document.content);
      EXPECT_EQ(can_undo(document), before != after) << "what changes content is a step, and nothing else";
      if (!can_undo(document)) {
        continue;
      }
      ++steps;
      EXPECT_EQ(document.history.undo_label(), words);
      undo(document);
      EXPECT_EQ(content_hash(document.content), before);
      redo(document);
      EXPECT_EQ(content_hash(document.content), after);
    }
    EXPECT_EQ(steps > 0, edit.is_step);
  }
}

// What each step holds by its own account is what all of them hold, and nothing at the cursor.
void expect_measured(const Document& document) {
  const History& history = document.history;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < history.size(); ++i) {
    sum += history.step(i).bytes;
    ASSERT_EQ(i == history.cursor(), history.step(i).bytes == 0) << "step " << i;
    ASSERT_TRUE(i != history.cursor() || history.step(i).content == Content{}) << "step " << i;
  }
  ASSERT_EQ(history.bytes(), sum);
}

TEST(History, Law_TenThousandRandomEditsAreRestoredExactly) {
  test::Random random(10000);
  Document document = arm_document();
  std::vector<std::uint64_t> hashes = {content_hash(document.content)};  // by place
  std::vector<std::uint64_t> before_drag;
  int cancelled_with_redo = 0;
  const char* const kKeys[] = {"", "", "drag", "ring"};
  int edited = 0;
  std::size_t longest = 0;
  const auto change = [&](const char* key) {
    const std::size_t size = document.history.size();
    const std::size_t cursor = document.history.cursor();
    ++edited;
    apply(document, random_change(document, random), key);
    if (document.history.cursor() == cursor + 1) {
      before_drag = hashes;
      hashes.resize(cursor + 1);
      hashes.push_back(content_hash(document.content));
    } else if (document.history.cursor() < cursor) {
      hashes = before_drag;  // a drag that returned
    } else if (document.history.size() == size && !document.open_merge_key.empty()) {
      hashes[cursor] = content_hash(document.content);  // a drag that went on
    }
  };
  for (int i = 0; edited < test::rounds(10000); ++i) {
    const std::size_t size = document.history.size();
    longest = std::max(longest, size);
    const int what = random.below(100);
    if (what < 78) {
      change(kKeys[random.below(4)]);
    } else if (what < 86) {
      undo(document);
    } else if (what < 92) {
      redo(document);
    } else if (what < 94) {
      travel(document, static_cast<std::size_t>(random.below(static_cast<int>(size))));
    } else if (what < 97) {
      if (document.open_merge_key.empty()) {
        // A drag that begins after an undo has something to bring back when it is cancelled.
        undo(document);
        change("drag");
      }
      if (!document.open_merge_key.empty()) {
        hashes = before_drag;
      }
      const std::size_t cursor = document.history.cursor();
      cancel_merge(document, document.open_merge_key);
      cancelled_with_redo += document.history.cursor() < cursor && can_redo(document) ? 1 : 0;
    } else if (what < 98) {
      edit::apply(document, {random_change(document, random), "", false});
      hashes[document.history.cursor()] = content_hash(document.content);
    } else if (what == 98 && random.below(20) == 0) {
      reload_character(document, std::make_shared<const rig::Character>(test::arm()));  // says what it said
      for (std::size_t place = 0; place < document.history.size(); ++place) {
        ASSERT_EQ(content_hash(content_at(document, place)), hashes[place]) << "place " << place;
      }
    } else {
      end_merge(document);
    }
    ASSERT_EQ(hashes.size(), document.history.size()) << "after " << i;
    ASSERT_EQ(content_hash(document.content), hashes[document.history.cursor()]) << "after " << i;
    ASSERT_EQ(document.character, document.content.character);
  }
  EXPECT_GT(longest, 20u);
  EXPECT_GT(cancelled_with_redo, 3);
  end_merge(document);  // what a drag has set aside is counted until it ends
  expect_measured(document);
  for (int i = 0; i < 500; ++i) {
    const std::size_t place = random.below(static_cast<int>(document.history.size()));
    travel(document, place);
    ASSERT_EQ(content_hash(document.content), hashes[place]) << "place " << place;
  }
  expect_measured(document);
}

}  // namespace
}  // namespace pelt::edit
