// Faces and parts out of sight: what is drawn, picked and uploaded then.
#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gltf/bundled.h"
#include "render/box_picking.h"
#include "render/gpu_character.h"
#include "render/large_grid.h"
#include "render/picking.h"
#include "render/picture_test.h"
#include "render/shown_elements.h"
#include "support/effort.h"
#include "support/fixtures.h"

namespace pelt::render {
namespace {

constexpr glm::ivec2 kHidingSize = {160, 200};

/// Each vertex with a chance of one in `of`; where parts share a place they are hidden apart.
std::vector<char> some(std::size_t count, int of, test::Random& random) {
  std::vector<char> marks(count, 0);
  for (char& mark : marks) {
    mark = random.below(of) == 0 ? 1 : 0;
  }
  return marks;
}

/// A whole region hidden: what lies above a share of the primitive's height in the bind shape.
std::vector<char> above(const mesh::Primitive& primitive, float share) {
  std::vector<char> marks;
  const Bounds bounds = bounds_of(primitive.positions);
  const float height = glm::mix(bounds.lower.y, bounds.upper.y, share);
  for (const glm::vec3& position : primitive.positions) {
    marks.push_back(position.y > height ? 1 : 0);
  }
  return marks;
}

template <typename Marks>
rig::SharedHiding hiding_of(const rig::Character& character, const Marks& marks) {
  rig::Hiding hiding;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    rig::hide_vertices(hiding, character, static_cast<int>(p), marks(character.primitive(character.parts[p])));
  }
  return std::make_shared<const rig::Hiding>(std::move(hiding));
}

bool is_hidden(const rig::Hiding& hiding, const rig::Character& character, int part, int triangle) {
  const std::span<const char> hidden = hiding.of_part(part);
  const mesh::Primitive& primitive = character.primitive(character.parts[part]);
  bool any = false;
  for (int k = 0; k < 3 && !hidden.empty(); ++k) {
    any = any || hidden[primitive.indices[3 * triangle + k]] != 0;
  }
  return any;
}

/// The character as a file would have it that has only the faces that are shown.
rig::Character without_hidden(const rig::Character& character, const rig::Hiding& hiding) {
  rig::Character out = character;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    const mesh::Primitive& primitive = character.primitive(part);
    std::vector<std::uint32_t> indices;
    for (int t = 0; 3 * t < static_cast<int>(primitive.indices.size()); ++t) {
      if (!is_hidden(hiding, character, static_cast<int>(p), t)) {
        indices.insert(indices.end(),
                       {primitive.indices[3 * t], primitive.indices[3 * t + 1], primitive.indices[3 * t + 2]});
      }
    }
    out.meshes.edit(part.mesh).primitives.edit(part.primitive).indices = std::move(indices);
  }
  return out;
}

/// Mean over all channels.
double mean_difference(const ImageRgba& a, const ImageRgba& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    sum += std::abs(int{a.pixels[i]} - int{b.pixels[i]});
  }
  return sum / static_cast<double>(a.pixels.size());
}

/// A posed character in a frame of its own.
struct ShownCharacter {
  rig::Character character;
  rig::Pose pose;
  rig::WorldMatrices world;
  deform::DeformedCharacter deformed;
  Frame frame;

  explicit ShownCharacter(rig::Character shown) : character(std::move(shown)) {
    test::Random random(4);
    pose = test::random_pose(character, random, 0.3);
    world.evaluate(character.skeleton, pose);
    deformed = deform::deform_once(character, pose, {});
    frame.character = &character;
    frame.pose = &pose;
    frame.world = world.world();
    frame.pose_version = 1;
    frame.deformed = &deformed;
    frame.bounds = deformed.bounds;
    frame.size = kHidingSize;
    render::frame(frame.camera, frame.bounds, static_cast<float>(kHidingSize.x) / static_cast<float>(kHidingSize.y));
  }
  ShownCharacter(const ShownCharacter&) = delete;
  ShownCharacter& operator=(const ShownCharacter&) = delete;

  /// The same picture of another character with the same joints.
  [[nodiscard]] Frame with(const rig::Character& other) const {
    Frame out = frame;
    out.character = &other;
    return out;
  }
};

struct Way {
  const char* name;
  void (*choose)(Frame&);
};
constexpr Way kWays[] = {
    {"in batches", [](Frame&) {}},
    {"in small and rigid batches",
     [](Frame& frame) {
       frame.skinning.palette_limit = 12;
       frame.skinning.partition = true;
     }},
    {"in the paint layout", [](Frame& frame) { frame.paint = true; }},
    {"streamed", [](Frame& frame) { frame.skinning.backend = deform::Backend::kCpu; }},
};

class HidingPictures : public PictureTest {
 protected:
  ImageRgba image(const Frame& frame) {
    auto drawn = renderer_->render_image(frame);
    EXPECT_TRUE(drawn) << drawn.error().message;
    return drawn ? *std::move(drawn) : ImageRgba{};
  }
};

TEST(ShownElements, AreThoseWithoutAHiddenCornerInEveryLayout) {
  test::Random random(2);
  for (const bool partition : {false, true}) {
    for (const bool paint : {false, true}) {
      auto character = gltf::import_bundled("mannequin");
      ASSERT_TRUE(character) << character.error().message;
      deform::SkinningSettings settings;
      settings.palette_limit = 14;
      settings.partition = partition;
      DeviceLimits limits;
      const auto plan = plan_character(*character, settings, paint, limits);
      ASSERT_TRUE(plan) << plan.error().message;
      for (std::size_t p = 0; p < character->parts.size(); ++p) {
        const mesh::Primitive& primitive = character->primitive(character->parts[p]);
        const Layout& layout = *(*plan)->layouts.at((*plan)->keys[p]).layout;
        const std::vector<char> hidden = some(primitive.vertex_count(), 30, random);
        const ShownElements shown = shown_elements(layout, primitive, hidden);
        ASSERT_EQ(shown.batches.size(), layout.batches.size());
        ASSERT_EQ(shown.indices.size(), 3 * shown.elements.size());
        std::set<std::uint32_t> seen;
        std::size_t next = 0;
        for (std::size_t b = 0; b < layout.batches.size(); ++b) {
          EXPECT_EQ(shown.batches[b].first_index, next);
          next += shown.batches[b].index_count;
          for (std::size_t i = shown.batches[b].first_index; i < next; ++i) {
            const std::uint32_t v = shown.indices[i];
            EXPECT_GE(static_cast<int>(v), layout.batches[b].first_vertex) << "a vertex of its own batch";
            EXPECT_LT(static_cast<int>(v), layout.batches[b].first_vertex + layout.batches[b].vertex_count);
            EXPECT_EQ(layout.source_of(v), primitive.indices[3 * shown.elements[i / 3] + i % 3]);
            EXPECT_EQ(hidden[layout.source_of(v)], 0);
          }
        }
        EXPECT_EQ(next, shown.indices.size());
        seen.insert(shown.elements.begin(), shown.elements.end());
        EXPECT_EQ(seen.size(), shown.elements.size()) << "each once";
        std::size_t out_of_sight = 0;
        for (std::uint32_t t = 0; 3 * t < primitive.indices.size(); ++t) {
          const bool any = (hidden[primitive.indices[3 * t]] | hidden[primitive.indices[3 * t + 1]] |
                            hidden[primitive.indices[3 * t + 2]]) != 0;
          out_of_sight += any ? 1 : 0;
          EXPECT_NE(seen.contains(t), any);
        }
        EXPECT_EQ(out_of_sight + seen.size(), primitive.indices.size() / 3) << "hidden and shown are all";
        EXPECT_GT(out_of_sight, 0u);
      }
    }
  }
}

TEST_F(HidingPictures, AreThoseOfAFileWithoutTheHiddenFaces) {
  for (const char* name : test::last_or_all({"mannequin", "robot"})) {
    for (const Way& way : kWays) {
      for (const Look look : test::last_or_all({Look::kNormals, Look::kWeights, Look::kWireframe, Look::kShaded})) {
        auto character = gltf::import_bundled(name);
        ASSERT_TRUE(character) << character.error().message;
        ShownCharacter shown(*std::move(character));
        way.choose(shown.frame);
        shown.frame.view.look = look;
        const ImageRgba all = image(shown.frame);
        const rig::SharedHiding hiding =
            hiding_of(shown.character, [&](const mesh::Primitive& primitive) { return above(primitive, 0.5f); });
        ASSERT_FALSE(hiding->vertices.empty());
        shown.frame.view.hiding = hiding;
        const ImageRgba hidden = image(shown.frame);
        const std::string what = fmt::format("{} {}, look {}", name, way.name, static_cast<int>(look));
        EXPECT_GT(mean_difference(all, hidden), 0.5) << what << ": something is gone";
        const rig::Character rest = without_hidden(shown.character, *hiding);
        Frame of_rest = shown.with(rest);
        of_rest.view.hiding = nullptr;
        EXPECT_EQ(difference(hidden, image(of_rest)), 0) << what;
        shown.frame.view.hiding = nullptr;
        EXPECT_EQ(difference(all, image(shown.frame)), 0) << what << ": shown again it is the very picture";
      }
    }
  }
}

TEST_F(HidingPictures, OfTheTwoBackendsAgree) {
  auto character = gltf::import_bundled("mannequin");
  ASSERT_TRUE(character) << character.error().message;
  ShownCharacter shown(*std::move(character));
  shown.frame.view.hiding =
      hiding_of(shown.character, [](const mesh::Primitive& primitive) { return above(primitive, 0.6f); });
  const ImageRgba on_gpu = image(shown.frame);
  shown.frame.skinning.backend = deform::Backend::kCpu;
  // Rounding moves edges by less than a pixel; the noise of dithering stays where it is.
  EXPECT_LE(mean_difference(on_gpu, image(shown.frame)), 0.1);
}

TEST_F(HidingPictures, OfAnIsolatedPartAreThoseOfAFileWithThatPartAlone) {
  auto character = gltf::import_bundled("robot");
  ASSERT_TRUE(character) << character.error().message;
  ShownCharacter shown(*std::move(character));
  shown.frame.view.ground = shown.frame.view.grid = false;
  const int parts = static_cast<int>(shown.character.parts.size());
  ASSERT_GT(parts, 2);
  for (const int only : {0, parts / 2, parts - 1}) {
    rig::Hiding hiding;
    for (int p = 0; p < parts; ++p) {
      rig::hide_part(hiding, shown.character, p, p != only);
    }
    shown.frame.view.hiding = std::make_shared<const rig::Hiding>(hiding);
    const ImageRgba isolated = image(shown.frame);
    rig::Character alone = shown.character;
    alone.parts = {shown.character.parts[only]};
    deform::DeformedCharacter deformed = shown.deformed;
    deformed.parts = {shown.deformed.parts[only]};
    Frame of_alone = shown.with(alone);
    of_alone.deformed = &deformed;
    of_alone.view.hiding = nullptr;
    EXPECT_EQ(difference(isolated, image(of_alone)), 0) << only;
  }
}

TEST_F(HidingPictures, PickingNeverFindsAHiddenFaceByAnyWay) {
  for (const char* name : test::last_or_all({"mannequin", "robot"})) {
    for (const Way& way : kWays) {
      auto character = gltf::import_bundled(name);
      ASSERT_TRUE(character) << character.error().message;
      ShownCharacter shown(*std::move(character));
      way.choose(shown.frame);
      test::Random random(8);
      const rig::SharedHiding hiding = hiding_of(shown.character, [&](const mesh::Primitive& primitive) {
        return some(primitive.vertex_count(), 12, random);
      });
      shown.frame.view.hiding = hiding;
      const rig::HiddenSurface unseen{{}, hiding};
      int hits = 0;
      int same = 0;
      for (int y = 8; y < kHidingSize.y; y += test::sanitized() ? 20 : 13) {
        for (int x = 5; x < kHidingSize.x; x += 11) {
          const auto picked = renderer_->pick(shown.frame, {x, y});
          ASSERT_TRUE(picked) << picked.error().message;
          const glm::vec2 at = (glm::vec2(x, y) + 0.5f) / glm::vec2(kHidingSize) * 2.0f - 1.0f;
          const auto met = pick_vertex(
              shown.character, shown.deformed,
              pick_ray(shown.frame.camera, {at.x, -at.y}, static_cast<float>(kHidingSize.x) / kHidingSize.y), unseen);
          for (const std::optional<VertexHit>& hit : {*picked, met}) {
            if (hit) {
              EXPECT_FALSE(is_hidden(*hiding, shown.character, hit->part, hit->triangle)) << name << " " << way.name;
            }
          }
          hits += met ? 1 : 0;
          same += met && *picked && (*picked)->part == met->part && (*picked)->triangle == met->triangle ? 1 : 0;
        }
      }
      EXPECT_GT(hits, 20) << name << " " << way.name;
      EXPECT_GE(same, hits * 3 / 4) << name << " " << way.name << ": but for edges both find the same";
    }
  }
}

TEST(HidingBoxes, ABoxTakesNoHiddenVertexAndSeesThroughHiddenFaces) {
  ShownCharacter shown(test::cylinder());
  const float aspect = static_cast<float>(kHidingSize.x) / static_cast<float>(kHidingSize.y);
  const PictureBox whole{glm::vec2(-1), glm::vec2(1)};
  const auto in_box = [&](const rig::SharedHiding& hiding) {
    return vertices_in_box(shown.character, shown.deformed, shown.frame.camera, aspect, whole, false,
                           rig::HiddenSurface{{}, hiding})[0];
  };
  const std::vector<std::uint32_t> front = in_box(nullptr);
  ASSERT_LT(front.size(), shown.deformed.parts[0].positions.size());
  rig::Hiding hiding;
  std::vector<char> marks(shown.deformed.parts[0].positions.size(), 0);
  for (const std::uint32_t v : front) {
    marks[v] = 1;
  }
  rig::hide_vertices(hiding, shown.character, 0, marks);
  const std::vector<std::uint32_t> back = in_box(std::make_shared<const rig::Hiding>(hiding));
  EXPECT_EQ(front.size() + back.size(), marks.size());
  for (const std::uint32_t v : back) {
    EXPECT_EQ(marks[v], 0);
  }
}

TEST_F(HidingPictures, AnotherCharactersHidingIsPassedOver) {
  auto character = gltf::import_bundled("mannequin");
  ASSERT_TRUE(character) << character.error().message;
  ShownCharacter shown(*std::move(character));
  const ImageRgba all = image(shown.frame);
  const rig::Character other = test::cylinder();
  rig::Hiding hiding;
  rig::hide_vertices(hiding, other, 0, std::vector<char>(other.primitive(other.parts[0]).vertex_count(), 1));
  shown.frame.view.hiding = std::make_shared<const rig::Hiding>(hiding);
  EXPECT_EQ(difference(all, image(shown.frame)), 0);
}

TEST_F(HidingPictures, ACrowdIsRefusedInASentenceAndComesBack) {
  ShownCharacter shown(test::cylinder());
  shown.frame.view.instances = 4;
  image(shown.frame);
  ASSERT_TRUE(renderer_->stats().crowd && renderer_->stats().crowd->refused.empty());
  shown.frame.view.hiding =
      hiding_of(shown.character, [](const mesh::Primitive& primitive) { return above(primitive, 0.5f); });
  image(shown.frame);
  ASSERT_TRUE(renderer_->stats().crowd);
  EXPECT_EQ(renderer_->stats().crowd->refused, "faces are hidden, which a crowd cannot show");
  shown.frame.view.hiding = nullptr;
  image(shown.frame);
  ASSERT_TRUE(renderer_->stats().crowd);
  EXPECT_EQ(renderer_->stats().crowd->refused, "");
}

class HidingUploads : public GlTest {};

// hiding_cost_test.cpp measures the time.
TEST_F(HidingUploads, AreOneIndexBufferAlsoForAMillionTriangles) {
  LargeGrid grid;
  const mesh::Primitive& primitive = grid.primitive();
  ASSERT_GE(primitive.indices.size(), 3'000'000u);
  GpuCharacter gpu(device_limits());
  ASSERT_TRUE(gpu.update(grid.input));
  const std::uint64_t plan = gpu.plan_version();
  grid.hide_a_third();
  ASSERT_TRUE(gpu.update(grid.input));
  EXPECT_EQ(gpu.plan_version(), plan);
  EXPECT_EQ(gpu.uploads().static_bytes, 0);
  EXPECT_EQ(gpu.uploads().palette_bytes, 0);
  EXPECT_EQ(gpu.uploads().vertex_bytes, 0);
  const std::int64_t shown = static_cast<std::int64_t>(primitive.indices.size() / 3) -
                             rig::hidden_face_count(*grid.input.hiding, grid.character);
  EXPECT_EQ(gpu.uploads().element_bytes, shown * 12);
  ASSERT_TRUE(gpu.update(grid.input));
  EXPECT_EQ(gpu.uploads().element_bytes, 0) << "hidden twice is hidden once";
  grid.input.hiding = nullptr;
  ASSERT_TRUE(gpu.update(grid.input));
  EXPECT_EQ(gpu.uploads().element_bytes, 0) << "the file's own elements are still there";
}

}  // namespace
}  // namespace pelt::render
