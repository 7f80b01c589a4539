// A history of random weight edits: each place of the list is unchanged and frees the memory that it reports.
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "edit/commands.h"
#include "edit/history.h"
#include "edit/point_meshes.h"
#include "edit/reload.h"
#include "rig/merge.h"
#include "support/effort.h"
#include "support/fixtures.h"

namespace pelt::edit {
namespace {

// Makes a random change of a character: rows of one or several places, with other numbers of entries, alone or in runs;
// weights shared by two primitives; another number of vertices; places, names, whole meshes anew.
void change_character_at_random(rig::Character& character, test::Random& random, bool may_share) {
  const std::size_t mesh = random.below(static_cast<int>(character.meshes.size()));
  const auto primitive =
      static_cast<std::size_t>(random.below(static_cast<int>(character.meshes[mesh].primitives.size())));
  const std::size_t vertex_count = character.meshes[mesh].primitives[primitive].vertex_count();
  const int what = random.below(10);
  switch (!may_share && what == 3 ? 0 : what) {
    case 0:
      character.name = "number " + std::to_string(random.below(1000));
      break;
    case 1:
      character.skeleton.edit().name[random.below(test::kPointJoints)] += "'";
      break;
    case 2:
      character.meshes.edit(mesh).primitives.edit(primitive).positions.edit()[0] = random.vector(-1, 1);
      break;
    case 3:
      character.meshes.edit(0).primitives.edit(0).influences = character.meshes[1].primitives[0].influences;
      character.meshes.edit(0).primitives.edit(0).positions = character.meshes[1].primitives[0].positions;
      character.meshes.edit(0).primitives.edit(0).indices = character.meshes[1].primitives[0].indices;
      break;
    case 4:
      character.meshes.edit(mesh).primitives.edit(primitive) =
          test::skinned_points(static_cast<std::size_t>(1 + random.below(1500)), test::kPointJoints, random);
      break;
    default: {
      mesh::Influences& rows = test::weights_in(character, mesh, primitive);
      const bool run = random.below(2) == 0;
      const int first = random.below(static_cast<int>(vertex_count));
      for (int i = random.below(run ? 400 : 20); i >= 0; --i) {
        const int v = run ? first + i : random.below(static_cast<int>(vertex_count));
        std::vector<std::uint16_t> joint;
        std::vector<float> weight;
        for (int k = random.below(6); k > 0; --k) {
          joint.push_back(static_cast<std::uint16_t>(random.below(test::kPointJoints)));
          weight.push_back(random.real(0.0f, 1.0f));
        }
        rows.set_row(std::min(static_cast<std::size_t>(v), vertex_count - 1), joint, weight);
        test::fit_block(rows, std::min(static_cast<std::size_t>(v), vertex_count - 1) / mesh::Influences::kBlockRows);
      }
    }
  }
}

std::size_t heap_in_use() {
  return mallinfo2().uordblks;
}

// Letting go of the history frees as much memory as the history reports.
void expect_holds_what_it_says(Document& document) {
  document.file = nullptr;  // else it would hold what it shares with steps
  const std::size_t said = document.history.bytes();
  const std::size_t steps = document.history.size();
  const std::size_t before = heap_in_use();
  document.history = {};
  const std::size_t freed = before - heap_in_use();
  if (before == 0) {
    return;  // another allocator, as that of a sanitizer
  }
  // Each allocation costs the allocator up to 24 bytes, and a deque its table: a slack per step.
  EXPECT_NEAR(static_cast<double>(freed), static_cast<double>(said),
              0.02 * static_cast<double>(said) + 2500.0 * static_cast<double>(steps) + 4096.0)
      << steps << " steps";
}

// The same where steps may share an object: no more is freed than the history reports.
void expect_holds_no_more_than_it_says(Document& document) {
  const std::size_t said = document.history.bytes();
  const std::size_t steps = document.history.size();
  const auto before = static_cast<double>(heap_in_use());
  document.history = {};
  const double freed = before - static_cast<double>(heap_in_use());
  // A step that tells of a character keeps the place of one that is gone.
  const double slack = (static_cast<double>(sizeof(rig::Character)) + 64) * static_cast<double>(steps);
  EXPECT_LE(freed, static_cast<double>(said) + slack) << steps << " steps";
}

// Copies the content with a character of its own, so that the document cannot recognise its own objects.
Content with_own_character(const Content& content) {
  Content copy = content;
  copy.character = std::make_shared<const rig::Character>(*content.character);
  return copy;
}

void edit_weights_at_random(std::uint32_t seed, bool is_everything) {
  test::Random random(seed);
  Document document = test::document_of_points({{900, 700}, {800}, {300, 1, 256}}, random);
  std::vector<Content> expected = {with_own_character(document.content)};
  std::vector<Content> before_drag;
  std::shared_ptr<const rig::Character> snapshot = own_character(document);  // snapshot that a job works on
  for (int i = 0; i < 150; ++i) {
    const std::size_t cursor = document.history.cursor();
    const int what = random.below(100);
    if (what < 45) {
      auto character = std::make_shared<rig::Character>(*own_character(document));
      change_character_at_random(*character, random, is_everything);
      edit::apply(document, {ReplaceCharacter{character}, random.below(3) == 0 ? "stroke" : ""});
    } else if (what < 50) {
      edit::apply(document, {SetDof{random.below(test::kPointJoints), 0, random.real(-1.0f, 1.0f)}, ""});
    } else if (what < 54) {
      edit::apply(document, {SetPanes{1 + random.below(3)}, ""});
    } else if (what < 58) {
      // A job's result comes in between.
      rig::Character result = *snapshot;
      change_character_at_random(result, random, is_everything);
      if (Result<rig::Character> merged = rig::merged(*snapshot, result, *own_character(document))) {
        edit::apply(document, {ReplaceCharacter{std::make_shared<const rig::Character>(*std::move(merged))}, ""});
      }
      snapshot = own_character(document);
    } else if (what < 60) {
      auto character = std::make_shared<rig::Character>(*own_character(document));
      change_character_at_random(*character, random, is_everything);
      edit::apply(document, {ReplaceCharacter{character}, "", false});
      expected[cursor] = with_own_character(document.content);
    } else if (what < 62) {
      cancel_merge(document, "stroke");
      expected = document.history.cursor() < cursor ? before_drag : expected;
    } else if (what < 64 && is_everything) {
      show_scene(document, random.below(2));
      for (std::vector<Content>* const contents : {&expected, &before_drag}) {
        for (Content& content : *contents) {
          auto character = std::make_shared<rig::Character>(*content.character);
          rig::show_scene(*character, document.character->scene);
          content.character = character;
        }
      }
    } else if (what < 78) {
      undo(document);
    } else if (what < 90) {
      redo(document);
    } else if (what < 95) {
      travel(document, static_cast<std::size_t>(random.below(static_cast<int>(document.history.size()))));
    } else {
      end_merge(document);
    }
    if (what < 58 && document.history.cursor() < cursor) {
      expected = before_drag;  // a drag that returned
    } else if (what < 58 && document.history.cursor() > cursor) {
      before_drag = expected;
      expected.resize(cursor + 1);
      expected.push_back(with_own_character(document.content));
    } else if (what < 58 && !document.open_merge_key.empty()) {
      expected[cursor] = with_own_character(document.content);
    }
    ASSERT_EQ(expected.size(), document.history.size()) << "after " << i;
    ASSERT_EQ(content_hash(document.content), content_hash(expected[document.history.cursor()])) << "after " << i;
  }
  for (int i = 0; i < 20; ++i) {
    const std::size_t place = random.below(static_cast<int>(document.history.size()));
    ASSERT_EQ(content_hash(document.history.content(place, document.content)), content_hash(expected[place]));
    travel(document, place);
    ASSERT_EQ(content_hash(document.content), content_hash(expected[place])) << "place " << place;
  }
  snapshot = own_character(document);
  expected.clear();
  before_drag.clear();
  if (is_everything) {
    // A part that a character shows at two places counts at each, and so does what was met before another scene came.
    expect_holds_no_more_than_it_says(document);
    return;
  }
  expect_holds_what_it_says(document);
}

TEST(WeightHistory, Law_EveryPlaceIsWhatItWasAndHoldsWhatItSays) {
  for (std::uint32_t seed = 1600; seed < 1600 + static_cast<std::uint32_t>(test::rounds(40)); ++seed) {
    SCOPED_TRACE(seed);
    edit_weights_at_random(seed, seed % 2 == 0);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

// Scenes and newer versions of the file come in between, drags go on, end and are taken back.
void hold_weights_at_random(std::uint32_t seed) {
  test::Random random(seed);
  Document document = test::document_of_points({{900, 700}, {800}, {300, 1, 256}}, random);
  for (int i = 3 + random.below(40); i > 0; --i) {
    const int what = random.below(100);
    if (what < 50) {
      auto character = std::make_shared<rig::Character>(*own_character(document));
      change_character_at_random(*character, random, true);
      edit::apply(document, {ReplaceCharacter{character}, random.below(2) == 0 ? "stroke" : "", random.below(8) != 0});
    } else if (what < 55) {
      cancel_merge(document, "stroke");
    } else if (what < 65) {
      show_scene(document, random.below(2));
    } else if (what < 75) {
      rig::Character newer = *document.file;
      change_character_at_random(newer, random, true);
      rig::finish(newer);
      reload_character(document, std::make_shared<const rig::Character>(std::move(newer)));
    } else if (what < 85) {
      undo(document);
    } else if (what < 90) {
      redo(document);
    } else if (what < 96) {
      travel(document, static_cast<std::size_t>(random.below(static_cast<int>(document.history.size()))));
    } else {
      end_merge(document);
    }
    std::size_t sum = 0;
    for (std::size_t place = 0; place < document.history.size(); ++place) {
      sum += document.history.step(place).bytes;
    }
    ASSERT_GE(document.history.bytes(), sum) << "after " << i;
    ASSERT_TRUE(document.history.bytes() == sum || !document.open_merge_key.empty()) << "after " << i;
  }
  expect_holds_no_more_than_it_says(document);
}

TEST(WeightHistory, Law_ItHoldsNoMoreThanItSays) {
  for (std::uint32_t seed = 4000; seed < 4000 + static_cast<std::uint32_t>(test::rounds(200)); ++seed) {
    SCOPED_TRACE(seed);
    hold_weights_at_random(seed);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

}  // namespace
}  // namespace pelt::edit
