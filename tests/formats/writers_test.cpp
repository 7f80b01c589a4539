// What is written: its text, and what the readers make of it.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "formats/bvh.h"
#include "formats/bvh_writer.h"
#include "formats/obj.h"
#include "formats/obj_writer.h"
#include "formats/open.h"
#include "formats/ply.h"
#include "formats/ply_writer.h"
#include "rig/kinematics.h"
#include "support/requirements.h"

namespace pelt::formats {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::array<std::uint32_t, 3> kOneTriangle = {0, 1, 2};

// The unit triangle in the plane z = `z`.
struct WrittenTriangle {
  explicit WrittenTriangle(float z) : positions{{0, 0, z}, {1, 0, z}, {0, 1, z}} {}
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  std::vector<glm::vec2> texcoords = {{0, 0}, {0.25f, 0}, {0, 0.5f}};

  [[nodiscard]] WrittenPart plain(std::string name) const {
    return {std::move(name), mesh::Topology::kTriangles, positions, {}, {}, kOneTriangle};
  }
  [[nodiscard]] WrittenPart whole(std::string name) const {
    return {std::move(name), mesh::Topology::kTriangles, positions, normals, texcoords, kOneTriangle};
  }
};

// All parts of a character one after the other, in the order of their indices.
struct Corners {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::vec2> texcoords;
};

Corners corners_of(const rig::Character& character) {
  Corners out;
  for (const rig::Part& part : character.parts) {
    const mesh::Primitive& primitive = character.primitive(part);
    for (const std::uint32_t i : primitive.indices) {
      out.positions.push_back(primitive.positions[i]);
      if (!primitive.normals.empty()) {
        out.normals.push_back(primitive.normals[i]);
      }
      if (!primitive.texcoords[0].empty()) {
        out.texcoords.push_back(primitive.texcoords[0][i]);
      }
    }
  }
  return out;
}

std::vector<glm::vec3> all_of(const WrittenTriangle& first, const WrittenTriangle& second) {
  std::vector<glm::vec3> out = first.positions;
  out.insert(out.end(), second.positions.begin(), second.positions.end());
  return out;
}

Result<rig::Character> read_ply(const std::string& bytes) {
  return import_ply({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, "x.ply");
}

TEST(ObjWriter, CountsFromOneOverAllPartsAndTurnsTexcoordsUpwards) {
  const WrittenTriangle low(0);
  const WrittenTriangle high(1);
  EXPECT_EQ(write_obj("two", std::array{low.plain("a b"), high.whole("c")}),
            "# two\n"
            "g a_b\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
            "g c\nv 0 0 1\nv 1 0 1\nv 0 1 1\nvt 0 1\nvt 0.25 1\nvt 0 0.5\nvn 0 0 1\nvn 0 0 1\nvn 0 0 1\n"
            "f 4/1/1 5/2/2 6/3/3\n");
  WrittenPart only_texcoords = low.whole("t");
  only_texcoords.normals = {};
  WrittenPart only_normals = high.whole("n");
  only_normals.texcoords = {};
  const std::string text = write_obj("", std::array{low.whole("w"), only_texcoords, only_normals});
  EXPECT_THAT(text, HasSubstr("\nf 1/1/1 2/2/2 3/3/3\n"));
  EXPECT_THAT(text, HasSubstr("\nf 4/4 5/5 6/6\n"));
  EXPECT_THAT(text, HasSubstr("\nf 7//4 8//5 9//6\n")) << "what a part lacks is not counted";
}

TEST(ObjWriter, LinesPointsAndWhatDoesNotFit) {
  const WrittenTriangle from(0);
  WrittenPart lines = from.whole("l");
  lines.topology = mesh::Topology::kLines;
  const std::array<std::uint32_t, 5> ends = {0, 1, 1, 2, 0};  // the last makes no line
  lines.indices = ends;
  WrittenPart points = from.plain("p");
  points.topology = mesh::Topology::kPoints;
  const std::array<std::uint32_t, 1> second = {1};
  points.indices = second;
  points.texcoords = std::span(from.texcoords).first(2);
  const std::string text = write_obj("", std::array{lines, points});
  EXPECT_THAT(text, HasSubstr("\nl 1 2\nl 2 3\ng p\n"));
  EXPECT_TRUE(text.ends_with("v 0 1 0\np 5\n")) << text;
  EXPECT_EQ(write_obj("nothing", {}), "# nothing\n");
  WrittenPart empty;
  empty.name = "empty";
  EXPECT_EQ(write_obj("", std::span(&empty, 1)), "# \ng empty\n");
}

TEST(ObjWriter, IsReadBackAsItWas) {
  WrittenTriangle low(0.1f);
  low.positions[1].x = 1.0f / 3;
  const WrittenTriangle high(1e-20f);
  const auto read = import_obj(write_obj("two", std::array{low.whole("a"), high.whole("b")}), "x.obj");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->parts.size(), 2u);
  const Corners corners = corners_of(*read);
  EXPECT_EQ(corners.positions, all_of(low, high));
  EXPECT_EQ(corners.normals, std::vector<glm::vec3>(6, glm::vec3(0, 0, 1)));
  ASSERT_EQ(corners.texcoords.size(), 6u);
  EXPECT_EQ(corners.texcoords[1], glm::vec2(0.25f, 0));
  EXPECT_EQ(corners.texcoords[5], glm::vec2(0, 0.5f));
}

TEST(PlyWriter, HeaderThenVerticesThenTriangles) {
  const WrittenTriangle low(0);
  const std::string bytes = write_ply("one", std::array{low.whole("a")});
  const std::string header =
      "ply\nformat binary_little_endian 1.0\ncomment one\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nproperty float nx\nproperty float ny\nproperty float nz\nelement face 1\n"
      "property list uchar uint vertex_indices\nend_header\n";
  ASSERT_EQ(bytes.substr(0, header.size()), header);
  ASSERT_EQ(bytes.size(), header.size() + 3 * 24 + 13);
  std::array<float, 6> second = {};
  std::memcpy(second.data(), bytes.data() + header.size() + 24, sizeof(second));
  EXPECT_THAT(second, ElementsAre(1, 0, 0, 0, 0, 1));
  EXPECT_EQ(bytes.substr(header.size() + 72), std::string("\3\0\0\0\0\1\0\0\0\2\0\0\0", 13));
}

TEST(PlyWriter, NormalsOnlyWhereAllHaveThem) {
  const WrittenTriangle low(0);
  const WrittenTriangle high(1);
  const std::string mixed = write_ply("", std::array{low.whole("a"), high.plain("b")});
  EXPECT_THAT(mixed, Not(HasSubstr("nx")));
  const auto read = read_ply(mixed);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(corners_of(*read).positions, all_of(low, high));
  const auto whole = read_ply(write_ply("", std::array{low.whole("a"), high.whole("b")}));
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(corners_of(*whole).positions, all_of(low, high));
  EXPECT_EQ(corners_of(*whole).normals, std::vector<glm::vec3>(6, glm::vec3(0, 0, 1)));
}

TEST(PlyWriter, LinesAndPointsGiveVerticesOnly) {
  const WrittenTriangle low(0);
  const WrittenTriangle high(1);
  WrittenPart lines = low.plain("l");
  lines.topology = mesh::Topology::kLines;
  const std::string bytes = write_ply("", std::array{lines, high.plain("t")});
  EXPECT_THAT(bytes, HasSubstr("element vertex 6\n"));
  EXPECT_THAT(bytes, HasSubstr("element face 1\n"));
  const auto read = read_ply(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(corners_of(*read).positions, high.positions) << "its indices begin after the lines' vertices";
  const std::string nothing = write_ply("", {});
  EXPECT_THAT(nothing, HasSubstr("element vertex 0\n"));
  EXPECT_THAT(nothing, Not(HasSubstr("nx")));
}

// World matrices in double precision, as no rounding of the check itself is wanted.
std::vector<glm::dmat4> bvh_world(const rig::Character& character, int clip, float time) {
  rig::Pose pose = rig::rest_pose(character);
  rig::apply(character.clips.at(static_cast<std::size_t>(clip)), time, character.morph_offset, pose);
  std::vector<glm::dmat4> local;
  for (const Transform& one : pose.local) {
    glm::dmat4 matrix = glm::mat4_cast(glm::normalize(glm::dquat(one.rotation)));
    matrix[3] = glm::dvec4(glm::dvec3(one.translation), 1);
    for (int c = 0; c < 3; ++c) {
      matrix[c] *= static_cast<double>(one.scale[c]);
    }
    local.push_back(matrix);
  }
  std::vector<glm::dmat4> world(local.size());
  rig::local_to_world<double>(character.skeleton->parent, local, world);
  return world;
}

// Positions in units of the file, and rotations since rest: those are what a file of that format holds.
void expect_same_motion(const rig::Character& wrote, int clip, const rig::Character& read, double metres_per_unit) {
  ASSERT_EQ(read.clips.size(), 1u);
  const auto since_rest = [](const rig::Character& character, const std::vector<glm::dmat4>& world, int j) {
    std::vector<glm::dquat> rest(character.skeleton->rest.size());
    for (std::size_t k = 0; k < rest.size(); ++k) {
      const int parent = character.skeleton->parent[k];
      rest[k] = (parent < 0 ? glm::dquat(1, 0, 0, 0) : rest[parent]) *
                glm::normalize(glm::dquat(character.skeleton->rest[k].rotation));
    }
    glm::dmat3 linear(world[j]);
    for (int c = 0; c < 3; ++c) {
      linear[c] = glm::normalize(linear[c]);
    }
    return linear * glm::transpose(glm::mat3_cast(rest[j]));
  };
  const std::vector<float>& times = read.clips[0].channels[0].times;
  double farthest = 0;
  double most_turned = 0;
  int compared = 0;
  for (std::size_t f = 0; f < times.size(); f += 1 + times.size() / 40) {
    const auto ours = bvh_world(wrote, clip, wrote.clips[static_cast<std::size_t>(clip)].start + times[f]);
    const auto theirs = bvh_world(read, 0, times[f]);
    for (int j = 0; j < wrote.skeleton->size(); ++j) {
      const int k = read.skeleton->find(wrote.skeleton->name[j]);
      if (k < 0) {
        continue;
      }
      ++compared;
      farthest = std::max(farthest, glm::distance(glm::dvec3(ours[j][3]), glm::dvec3(theirs[k][3])) / metres_per_unit);
      const glm::dmat3 apart = since_rest(wrote, ours, j) - since_rest(read, theirs, k);
      for (int c = 0; c < 3; ++c) {
        most_turned = std::max({most_turned, std::abs(apart[c].x), std::abs(apart[c].y), std::abs(apart[c].z)});
      }
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_LT(farthest, 1e-4) << "units of the file";
  EXPECT_LT(most_turned, 1e-4) << "elements of rotation matrices";
}

class BvhRoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(BvhRoundTrip, C48_6_MotionComesBack) {
  PELT_NEEDS_CORPUS(GetParam());
  const auto text = read_file(std::string(PELT_CORPUS_DIR) + "/" + GetParam());
  ASSERT_TRUE(text);
  const auto first = import_bvh(*text, "first.bvh", 1.0);
  ASSERT_TRUE(first) << first.error().message;
  const auto written = bvh_text(*first, 0, {.metres_per_unit = 1.0});
  ASSERT_TRUE(written) << written.error().message;
  const auto second = import_bvh(*written, "second.bvh", 1.0);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->skeleton->parent, first->skeleton->parent) << "end sites as well";
  EXPECT_EQ(second->skeleton->name, first->skeleton->name);
  EXPECT_EQ(second->clips[0].channels[0].times.size(), first->clips[0].channels[0].times.size());
  expect_same_motion(*first, 0, *second, 1);
}

INSTANTIATE_TEST_SUITE_P(All, BvhRoundTrip,
                         testing::Values("mocap/cmu_01_01.bvh", "mocap/walk_meredith.bvh", "mocap/freebvh.bvh"));

TEST(BvhWriter, C48_6_JointsOfAnyAxesStandAtRestInTheZeroPose) {
  const auto mannequin = open_character("@mannequin");
  ASSERT_TRUE(mannequin);
  const auto written = bvh_text(*mannequin, 1);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_THAT(*written, HasSubstr("ROOT root\n{\n\tOFFSET 0.000000 0.000000 0.000000\n\tCHANNELS 6 Xposition"));
  EXPECT_THAT(*written, Not(HasSubstr("JOINT mannequin\n"))) << "nodes of meshes are no joints";
  const auto read = import_bvh(*written, "walk.bvh", 0.01);
  ASSERT_TRUE(read) << read.error().message;
  expect_same_motion(*mannequin, 1, *read, 0.01);
  // Zero rotations are the rest pose.
  rig::WorldMatrices theirs;
  rig::WorldMatrices ours;
  theirs.evaluate(read->skeleton, rig::rest_pose(*read));
  ours.evaluate(mannequin->skeleton, rig::rest_pose(*mannequin));
  for (int j = 0; j < 56; ++j) {
    const int k = read->skeleton->find(mannequin->skeleton->name[j]);
    ASSERT_GE(k, 0) << mannequin->skeleton->name[j];
    EXPECT_LT(glm::distance(theirs[k][3], ours[j][3]), 1e-5f) << mannequin->skeleton->name[j];
  }
}

TEST(BvhWriter, SaysWhatItCannotWrite) {
  const auto tube = open_character("@tube");
  ASSERT_TRUE(tube);
  const auto none = bvh_text(*tube, 7);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("there is no clip 7, there are"));
}

}  // namespace
}  // namespace pelt::formats
