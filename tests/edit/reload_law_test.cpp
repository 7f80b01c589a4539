// Newer versions of a file among edits: each place of the history equals the place remapped at once.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "edit/reload.h"
#include "edit_fixtures.h"
#include "newer_arm.h"
#include "rig/newer_version.h"
#include "support/effort.h"

namespace pelt::edit {
namespace {

mesh::Influences& weights_of_arm(rig::Character& character) {
  return character.meshes.edit(0).primitives.edit(0).influences.edit();
}

// A version of the arm: joints in front, renamed or gone from sight, targets and clips in another order, other places,
// more vertices, the skin's list the other way round.
std::shared_ptr<const rig::Character> random_version(test::Random& random) {
  rig::Character character = random.below(2) == 0 ? test::arm() : test::newer_arm();
  const auto perhaps = [&] { return random.below(3) == 0; };
  if (perhaps()) {
    character.skeleton.edit().name[random.below(9)] = "other";
  }
  if (perhaps()) {
    std::swap(character.meshes.edit(0).morph_names[1], character.meshes.edit(0).morph_names[0]);
  }
  if (perhaps()) {
    character.clips.edit(0).name = "walk";
  }
  if (perhaps()) {
    character.clips.clear();
  }
  if (perhaps()) {
    character.meshes.edit(0).primitives.edit(0).positions.edit()[0] = random.vector(-1, 1);
  }
  if (perhaps()) {
    mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
    primitive.positions.push_back(glm::vec3(1.0f));
    weights_of_arm(character).push_row(mesh::Influences(primitive.influences).row(0));
    primitive.morph_targets.clear();
    character.meshes.edit(0).morph_names.clear();
    character.meshes.edit(0).morph_weights.clear();
    character.mesh_nodes.edit()[0].morph_weights.clear();
    character.clips.clear();
  }
  if (perhaps()) {
    rig::Skin& skin = character.skins.edit(0);
    std::ranges::reverse(skin.joints);
    std::ranges::reverse(skin.joint_from_mesh);
    weights_of_arm(character).renumber_joints([](int k) { return 5 - k; });
  }
  rig::finish(character);
  return std::make_shared<const rig::Character>(std::move(character));
}

void edit_arm_at_random(Document& document, test::Random& random) {
  const rig::Character& now = *own_character(document);
  const int joint = random.below(now.skeleton->size());
  auto character = std::make_shared<rig::Character>(now);
  switch (random.below(9)) {
    case 0:
      character->skeleton.edit().name[joint] += "'";
      break;
    case 1:
      character->meshes.edit(0).primitives.edit(0).positions.edit()[1] = random.vector(-1, 1);
      break;
    case 2:
      character->skins.edit(0).joint_from_mesh[2][3] = glm::vec4(random.vector(-1, 1), 1);
      break;
    case 3:
    case 4:
      weights_of_arm(*character)
          .set_row(
              static_cast<std::size_t>(random.below(2)),
              std::array{static_cast<std::uint16_t>(random.below(3)), static_cast<std::uint16_t>(3 + random.below(3))},
              std::array{random.real(0.1f, 1.0f), random.real(0.1f, 1.0f)});
      break;
    case 5:
      test::apply(document,
                  SetJointLocal{joint, {random.vector(-1, 1), glm::quat(random.rotation()), glm::vec3(1)}, false});
      return;
    case 6:
      if (now.morph_offset.back() > 0) {
        test::apply(document, SetMorph{random.below(now.morph_offset.back()), random.real(0.0f, 1.0f)});
      }
      return;
    case 7:
      test::apply(document, SetEulerOrder{joint, kEulerOrders[random.below(6)]});
      return;
    default:
      test::apply(document, SetClip{random.below(static_cast<int>(now.clips.size()) + 1) - 1});
      return;
  }
  test::apply(document, ReplaceCharacter{character});
}

// Returns the content after a reload, made at once and alone.
Content reloaded(const Content& content, const std::shared_ptr<const rig::Character>& file,
                 const std::shared_ptr<const rig::Character>& newer) {
  const Remap numbers = matching(*content.character, *file, *newer);
  return remap(content, numbers,
               content.character == file ? newer
                                         : std::make_shared<const rig::Character>(
                                               rig::carried_over(*file, *content.character, *newer, numbers.joints,
                                                                 numbers.skins, numbers.meshes)
                                                   .character));
}

// Copies the content with a character of its own, so that the document cannot recognise its own objects.
Content copy_of_content(const Content& content) {
  Content copy = content;
  copy.character = std::make_shared<const rig::Character>(*content.character);
  return copy;
}

TEST(Reload, Law_EachPlaceIsWhatRemappingItAtOnceMakes) {
  for (std::uint32_t seed = 0; seed < static_cast<std::uint32_t>(test::rounds(60)); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    Document document = test::arm_document();
    std::vector<Content> expected = {copy_of_content(document.content)};
    for (int i = 0; i < 60; ++i) {
      const std::size_t cursor = document.history.cursor();
      const int what = random.below(10);
      if (what < 5) {
        edit_arm_at_random(document, random);
        if (document.history.cursor() > cursor) {
          expected.resize(cursor + 1);
          expected.push_back(copy_of_content(document.content));
        }
      } else if (what < 8) {
        travel(document, static_cast<std::size_t>(random.below(static_cast<int>(document.history.size()))));
      } else if (what < 9) {
        const auto file = document.file;
        reload_character(document, random_version(random));
        if (document.file != file) {
          for (Content& content : expected) {
            content = reloaded(content, file, document.file);
          }
        }
      } else {
        std::vector<std::uint64_t> hashes;
        for (std::size_t place = 0; place < document.history.size(); ++place) {
          hashes.push_back(content_hash(document.history.content(place, document.content)));
        }
        reload_character(document, std::make_shared<const rig::Character>(rig::Character(*document.file)));
        for (std::size_t place = 0; place < document.history.size(); ++place) {
          ASSERT_EQ(content_hash(document.history.content(place, document.content)), hashes[place])
              << "the very same file";
        }
      }
      ASSERT_EQ(content_hash(document.content), content_hash(expected[document.history.cursor()])) << "after " << i;
    }
    ASSERT_EQ(expected.size(), document.history.size());
    for (std::size_t place = 0; place < expected.size(); ++place) {
      ASSERT_EQ(content_hash(document.history.content(place, document.content)), content_hash(expected[place]))
          << "place " << place;
      travel(document, place);
      ASSERT_EQ(content_hash(document.content), content_hash(expected[place])) << "place " << place;
    }
  }
}

TEST(Remap, Law_OneAfterTheOtherIsTheirComposition) {
  test::Random random(99);
  for (int i = 0; i < test::rounds(200); ++i) {
    const auto a = random_version(random);
    const auto b = random_version(random);
    const auto c = random_version(random);
    const Remap first = matching(*a, *a, *b);
    const Remap then = matching(*b, *b, *c);
    const Remap both = composed(first, then);
    ASSERT_EQ(composed(identity(*a), first), first);
    ASSERT_EQ(composed(first, identity(*b)), first);
    for (int joint = -1; joint < a->skeleton->size(); ++joint) {
      View view{.selected_joints = {joint}, .pinned_part = random.below(2) - 1, .pinned_vertex = 0};
      view.pinned_vertex = view.pinned_part;
      View at_once = view;
      remap(at_once, both);
      remap(view, first);
      remap(view, then);
      ASSERT_EQ(view, at_once);
    }
  }
}

}  // namespace
}  // namespace pelt::edit
