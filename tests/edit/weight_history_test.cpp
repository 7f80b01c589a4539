// A history of weight edits: a step costs the rows that changed, not their blocks, and every place of the list is what
// it was.
#include <malloc.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "edit/commands.h"
#include "edit/history.h"
#include "edit/reload.h"
#include "rig/merge.h"
#include "support/effort.h"
#include "support/fixtures.h"

namespace pelt::edit {
namespace {

constexpr std::size_t kBlock = mesh::Influences::kBlockRows;

// Lets a block hold what it says and no more: arrays that grew hold up to twice of it.
void fit(mesh::Influences& rows, std::size_t b) {
  rows.put_block(b, mesh::Influences::Block(rows.block(b)));
}

mesh::Primitive points(std::size_t vertex_count, int joints, test::Random& random) {
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kPoints;
  std::vector<std::uint32_t> indices(vertex_count);
  std::iota(indices.begin(), indices.end(), 0u);
  primitive.indices = std::move(indices);
  primitive.positions = SharedArray<glm::vec3>(vertex_count, glm::vec3(1.0f));
  mesh::Influences& rows = primitive.influences.edit();
  for (std::size_t v = 0; v < vertex_count; ++v) {
    const auto first = static_cast<std::uint16_t>(random.below(joints - 3));
    const std::uint16_t joint[] = {first, std::uint16_t(first + 1), std::uint16_t(first + 2), std::uint16_t(first + 3)};
    const float weight[] = {0.4f, 0.3f, 0.2f, 0.1f};
    rows.push_row({joint, weight, 1.0f});
  }
  fit(rows, rows.block_count() - 1);
  return primitive;
}

constexpr int kStripJoints = 60;

Document document_of(const std::vector<std::vector<std::size_t>>& meshes, test::Random& random) {
  rig::Character character;
  std::vector<int> joints;
  for (int j = 0; j < kStripJoints; ++j) {
    joints.push_back(test::add_node(character, "joint_" + std::to_string(j), j - 1, {}));
  }
  for (const std::vector<std::size_t>& primitives : meshes) {
    test::add_skinned_mesh(character, "mesh", joints, points(primitives.front(), kStripJoints, random));
    for (std::size_t p = 1; p < primitives.size(); ++p) {
      character.meshes.edit_back().primitives.push_back(points(primitives[p], kStripJoints, random));
    }
  }
  // Two nodes carry the first mesh.
  character.mesh_nodes.push_back(rig::MeshNode(character.mesh_nodes[0]));
  character.mesh_nodes.edit().back().joint = test::add_node(character, "again", -1, {});
  character.scenes = {{.name = "all", .roots = {}}, {.name = "bones", .roots = {0}}};
  for (int j = 0; j < character.skeleton->size(); ++j) {
    if (character.skeleton->parent[j] < 0) {
      character.scenes.edit()[0].roots.push_back(j);
    }
  }
  rig::finish(character);
  character.skeleton = rig::Skeleton(*character.skeleton);  // in arrays that did not grow
  return make_document(std::make_shared<const rig::Character>(std::move(character)));
}

mesh::Influences& weights_of(rig::Character& character, std::size_t mesh, std::size_t primitive) {
  return character.meshes.edit(mesh).primitives.edit(primitive).influences.edit();
}

// Bytes of a row with `entries` entries: where it begins, joints, weights, its sum.
std::size_t row_bytes(std::size_t entries) {
  return sizeof(std::uint32_t) + sizeof(float) + entries * (sizeof(float) + sizeof(std::uint16_t));
}

// A dab: other weights for these vertices. @return bytes of the rows that changed
std::size_t dab(Document& document, const std::vector<std::size_t>& vertices, float share,
                const std::string& key = {}) {
  auto character = std::make_shared<rig::Character>(*own_character(document));
  mesh::Influences& rows = weights_of(*character, 0, 0);
  std::size_t bytes = 0;
  for (const std::size_t v : vertices) {
    const std::vector<std::uint16_t> joint(rows.joints(v).begin(), rows.joints(v).end());
    std::vector<float> weight(rows.weights(v).begin(), rows.weights(v).end());
    weight.front() += share;
    rows.set_row(v, joint, weight);
    bytes += row_bytes(rows.count(v));
  }
  edit::apply(document, {ReplaceCharacter{character}, key});
  return bytes;
}

std::vector<std::size_t> one_after_the_other(std::size_t first, std::size_t count) {
  std::vector<std::size_t> vertices(count);
  std::iota(vertices.begin(), vertices.end(), first);
  return vertices;
}
std::vector<std::size_t> spread(std::size_t vertex_count, std::size_t count, test::Random& random) {
  std::vector<std::size_t> vertices;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * vertex_count / count;
    vertices.push_back(first + static_cast<std::size_t>(random.below(static_cast<int>(vertex_count / count))));
  }
  return vertices;
}

TEST(WeightHistory, AStepOfAMillionVerticesCostsTheRowsThatChanged) {
  test::Random random(16);
  constexpr std::size_t kVertices = 1000000;
  constexpr std::size_t kDab = 1000;
  Document document = document_of({{kVertices}}, random);
  std::size_t touched = dab(document, one_after_the_other(499000, kDab), 0.5f);
  EXPECT_LE(document.history.step(0).bytes, 2 * touched);
  EXPECT_GT(document.history.step(0).bytes, touched) << "it does say them";
  undo(document);
  EXPECT_LE(document.history.step(1).bytes, 2 * touched);
  redo(document);
  // In random order a thousand vertices lie in a thousand blocks.
  const auto before = own_character(document);
  touched = dab(document, spread(kVertices, kDab, random), 0.5f);
  std::size_t blocks = 0;
  mesh::for_changed_blocks(before->meshes[0].primitives[0].influences,
                           own_character(document)->meshes[0].primitives[0].influences,
                           [&](std::size_t, std::size_t, std::size_t) { ++blocks; });
  ASSERT_GT(blocks, 900u);
  EXPECT_LE(document.history.step(1).bytes, 2 * touched);
  // A stroke is one step, and as cheap once the button is released.
  for (int i = 0; i < 3; ++i) {
    touched = dab(document, spread(kVertices, kDab, random), 0.25f, "stroke");
  }
  end_merge(document);
  EXPECT_LE(document.history.step(2).bytes, 3 * 2 * touched);
  for (int i = 0; i < 253; ++i) {
    dab(document, spread(kVertices, kDab, random), 0.25f);
  }
  EXPECT_EQ(document.history.size(), 257u) << "none is forgotten";
  EXPECT_LT(document.history.bytes(), kHistoryBytes / 16);
}

TEST(WeightHistory, TravellingKeepsTheBlocksThatNoStepTouched) {
  test::Random random(17);
  Document document = document_of({{10 * kBlock}, {3 * kBlock, kBlock}}, random);
  document.file = nullptr;
  const auto first = std::make_shared<const rig::Character>(*own_character(document));  // its parts
  dab(document, {0, 5 * kBlock + 3}, 0.5f);
  auto second = own_character(document);
  edit::apply(document, {SetDof{1, 0, 0.5f}, ""});
  ASSERT_EQ(own_character(document), second);
  undo(document);
  EXPECT_EQ(own_character(document), second) << "one character is one";
  second.reset();
  undo(document);
  ASSERT_FALSE(own_character(document)->meshes.shared(0).is(first->meshes.shared(0))) << "made anew";
  const mesh::Influences& now = own_character(document)->meshes[0].primitives[0].influences;
  const mesh::Influences& was = first->meshes[0].primitives[0].influences;
  EXPECT_EQ(now, was);
  mesh::for_changed_blocks(was, now, [](std::size_t b, std::size_t, std::size_t) { EXPECT_TRUE(b == 0 || b == 5); });
  EXPECT_TRUE(own_character(document)->meshes.shared(1).is(first->meshes.shared(1)));
  EXPECT_TRUE(own_character(document)->meshes[0].primitives[0].positions.is(first->meshes[0].primitives[0].positions));
  EXPECT_TRUE(own_character(document)->skeleton.is(first->skeleton));
  redo(document);
  const auto again = own_character(document);
  redo(document);
  EXPECT_EQ(own_character(document), again) << "shared by both again";
}

// What the document goes on holding is not made anew: undoing all is showing the file.
TEST(WeightHistory, TheFilesOwnCharacterIsTheVerySameAgain) {
  test::Random random(19);
  Document document = document_of({{4 * kBlock}}, random);
  dab(document, {1, 2, 3}, 0.5f);
  undo(document);
  EXPECT_EQ(own_character(document), document.file);
}

TEST(WeightHistory, TakingAStrokeBackGivesTheVerySame) {
  test::Random random(18);
  Document document = document_of({{4 * kBlock}}, random);
  const auto before = own_character(document);
  dab(document, {1, 2, 3}, 0.5f, "stroke");
  dab(document, {3, 400}, 0.5f, "stroke");
  cancel_merge(document, "stroke");
  EXPECT_EQ(own_character(document), before);
  EXPECT_EQ(document.history.size(), 1u);
  EXPECT_EQ(document.history.bytes(), 0u);
}

// ---------------------------------------------------------------------------------------------------------------------

// What may be done to a character: rows of one or several places, with other numbers of entries, alone or in runs;
// weights shared by two primitives; another number of vertices; places, names, whole meshes anew.
void change_at_random(rig::Character& character, test::Random& random, bool may_share) {
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
      character.skeleton.edit().name[random.below(kStripJoints)] += "'";
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
          points(static_cast<std::size_t>(1 + random.below(1500)), kStripJoints, random);
      break;
    default: {
      mesh::Influences& rows = weights_of(character, mesh, primitive);
      const bool run = random.below(2) == 0;
      const int first = random.below(static_cast<int>(vertex_count));
      for (int i = random.below(run ? 400 : 20); i >= 0; --i) {
        const int v = run ? first + i : random.below(static_cast<int>(vertex_count));
        std::vector<std::uint16_t> joint;
        std::vector<float> weight;
        for (int k = random.below(6); k > 0; --k) {
          joint.push_back(static_cast<std::uint16_t>(random.below(kStripJoints)));
          weight.push_back(random.real(0.0f, 1.0f));
        }
        rows.set_row(std::min(static_cast<std::size_t>(v), vertex_count - 1), joint, weight);
        fit(rows, std::min(static_cast<std::size_t>(v), vertex_count - 1) / kBlock);
      }
    }
  }
}

std::size_t heap_in_use() {
  return mallinfo2().uordblks;
}

// What letting go of the history frees is what it says that it holds.
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

// The same where steps may hold one thing twice: no more is freed than what it says.
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

// The same in a character of its own, so that the document does not find its own again.
Content copy_of(const Content& content) {
  Content copy = content;
  copy.character = std::make_shared<const rig::Character>(*content.character);
  return copy;
}

void edit_at_random(std::uint32_t seed, bool is_everything) {
  test::Random random(seed);
  Document document = document_of({{900, 700}, {800}, {300, 1, 256}}, random);
  std::vector<Content> expected = {copy_of(document.content)};
  std::vector<Content> before_drag;
  std::shared_ptr<const rig::Character> snapshot = own_character(document);  // of a job
  for (int i = 0; i < 150; ++i) {
    const std::size_t cursor = document.history.cursor();
    const int what = random.below(100);
    if (what < 45) {
      auto character = std::make_shared<rig::Character>(*own_character(document));
      change_at_random(*character, random, is_everything);
      edit::apply(document, {ReplaceCharacter{character}, random.below(3) == 0 ? "stroke" : ""});
    } else if (what < 50) {
      edit::apply(document, {SetDof{random.below(kStripJoints), 0, random.real(-1.0f, 1.0f)}, ""});
    } else if (what < 54) {
      edit::apply(document, {SetPanes{1 + random.below(3)}, ""});
    } else if (what < 58) {
      // A job's result comes in between.
      rig::Character result = *snapshot;
      change_at_random(result, random, is_everything);
      if (Result<rig::Character> merged = rig::merged(*snapshot, result, *own_character(document))) {
        edit::apply(document, {ReplaceCharacter{std::make_shared<const rig::Character>(*std::move(merged))}, ""});
      }
      snapshot = own_character(document);
    } else if (what < 60) {
      auto character = std::make_shared<rig::Character>(*own_character(document));
      change_at_random(*character, random, is_everything);
      edit::apply(document, {ReplaceCharacter{character}, "", false});
      expected[cursor] = copy_of(document.content);
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
      expected.push_back(copy_of(document.content));
    } else if (what < 58 && !document.open_merge_key.empty()) {
      expected[cursor] = copy_of(document.content);
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
    edit_at_random(seed, seed % 2 == 0);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

// Scenes and newer versions of the file come in between, drags go on, end and are taken back.
void hold_at_random(std::uint32_t seed) {
  test::Random random(seed);
  Document document = document_of({{900, 700}, {800}, {300, 1, 256}}, random);
  for (int i = 3 + random.below(40); i > 0; --i) {
    const int what = random.below(100);
    if (what < 50) {
      auto character = std::make_shared<rig::Character>(*own_character(document));
      change_at_random(*character, random, true);
      edit::apply(document, {ReplaceCharacter{character}, random.below(2) == 0 ? "stroke" : "", random.below(8) != 0});
    } else if (what < 55) {
      cancel_merge(document, "stroke");
    } else if (what < 65) {
      show_scene(document, random.below(2));
    } else if (what < 75) {
      rig::Character newer = *document.file;
      change_at_random(newer, random, true);
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
    hold_at_random(seed);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

}  // namespace
}  // namespace pelt::edit
