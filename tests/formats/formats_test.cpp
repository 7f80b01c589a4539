#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "formats/bvh.h"
#include "formats/obj.h"
#include "formats/open.h"
#include "formats/ply.h"
#include "formats/triangulate.h"
#include "rig/kinematics.h"
#include "support/output_folder.h"
#include "support/requirements.h"

namespace pelt::formats {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

const mesh::Primitive& only_primitive(const rig::Character& character) {
  return character.primitive(character.parts.at(0));
}

// ---- polygons

double area_of(std::span<const glm::vec3> corners, std::span<const std::uint32_t> triangles, bool& negative) {
  double area = 0;
  negative = false;
  for (std::size_t i = 0; i < triangles.size(); i += 3) {
    const glm::dvec3 a(corners[triangles[i]]);
    const glm::dvec3 b(corners[triangles[i + 1]]);
    const glm::dvec3 c(corners[triangles[i + 2]]);
    const double twice = glm::cross(b - a, c - a).z;
    negative = negative || twice < 0;
    area += 0.5 * twice;
  }
  return area;
}

double outline_area(std::span<const glm::vec3> corners) {
  double twice = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const glm::dvec3 a(corners[i]);
    const glm::dvec3 b(corners[(i + 1) % corners.size()]);
    twice += a.x * b.y - a.y * b.x;
  }
  return 0.5 * twice;
}

// Covering without a negative triangle and with the outline's area means: no overlap, nothing outside.
void expect_sound(const std::vector<glm::vec3>& corners) {
  std::vector<std::uint32_t> triangles;
  EXPECT_TRUE(triangulate(corners, triangles));
  ASSERT_EQ(triangles.size(), 3 * (corners.size() - 2));
  bool negative = false;
  const double area = area_of(corners, triangles, negative);
  EXPECT_FALSE(negative);
  EXPECT_NEAR(area, outline_area(corners), 1e-9 * std::abs(area) + 1e-12);
}

TEST(Polygons, ConcaveOnesAreCutInside) {
  expect_sound({{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {1, 0.2f, 0}});                     // an arrow head
  expect_sound({{1, 0.2f, 0}, {0, 0, 0}, {2, 0, 0}, {2, 2, 0}});                     // begun at its reflex corner
  expect_sound({{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}});  // an L
  expect_sound({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}});             // a corner in line
  // A square with a square hole, bridged: the outline touches itself.
  expect_sound(
      {{0, 0, 0}, {3, 0, 0}, {3, 3, 0}, {0, 3, 0}, {0, 0, 0}, {1, 1, 0}, {1, 2, 0}, {2, 2, 0}, {2, 1, 0}, {1, 1, 0}});
  // A comb, whose teeth are in each other's way, and a spiral.
  std::vector<glm::vec3> comb = {{0, 0, 0}, {40, 0, 0}};
  for (int tooth = 39; tooth >= 0; --tooth) {
    const auto x = static_cast<float>(tooth);
    comb.insert(comb.end(), {{x + 0.9f, 5, 0}, {x + 0.5f, 1, 0}, {x + 0.1f, 5, 0}});
  }
  expect_sound(comb);
  std::vector<glm::vec3> spiral;
  for (int i = 0; i <= 100; ++i) {
    const float angle = 0.2f * static_cast<float>(i);
    spiral.emplace_back((1 + angle) * std::cos(angle), (1 + angle) * std::sin(angle), 0);
  }
  for (int i = 100; i >= 0; --i) {
    const float angle = 0.2f * static_cast<float>(i);
    spiral.emplace_back((0.5f + angle) * std::cos(angle), (0.5f + angle) * std::sin(angle), 0);
  }
  expect_sound(spiral);
}

TEST(Polygons, AnyOrientationInSpaceAndRandomStars) {
  std::mt19937 random(11);
  const auto unit = [&] { return static_cast<float>(random()) / 4294967296.0f; };
  for (int round = 0; round < 50; ++round) {
    std::vector<glm::vec3> star;
    const int corners = 5 + static_cast<int>(random() % 40u);
    for (int i = 0; i < corners; ++i) {
      const float angle = 6.2831853f * (static_cast<float>(i) + 0.9f * unit()) / static_cast<float>(corners);
      const float radius = 0.1f + unit();
      star.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0);
    }
    expect_sound(star);
    std::vector<std::uint32_t> flat;
    std::vector<std::uint32_t> turned;
    triangulate(star, flat);
    for (glm::vec3& corner : star) {
      corner = glm::vec3(corner.y, corner.z, corner.x);
    }
    EXPECT_TRUE(triangulate(star, turned));
    EXPECT_EQ(flat, turned) << "the choice of axes does not matter";
  }
}

TEST(Polygons, HostileOnesEndAndAreReported) {
  std::vector<std::uint32_t> out;
  const std::vector<glm::vec3> bow = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1.5f, 0}};
  EXPECT_FALSE(triangulate(bow, out));
  EXPECT_EQ(out.size(), 6u);
  out.clear();
  EXPECT_FALSE(triangulate(std::vector<glm::vec3>(7, glm::vec3(1, 2, 3)), out));
  EXPECT_EQ(out.size(), 15u);
  out.clear();
  std::mt19937 random(3);
  std::vector<glm::vec3> noise(kMostEarCorners);
  for (glm::vec3& corner : noise) {
    corner = {static_cast<float>(random() % 1000u), static_cast<float>(random() % 1000u), 0};
  }
  EXPECT_FALSE(triangulate(noise, out));
  EXPECT_EQ(out.size(), 3 * (noise.size() - 2));
  noise.resize(100000, glm::vec3(0.5f, 0, 0));
  out.clear();
  EXPECT_FALSE(triangulate(noise, out));
}

// ---- OBJ

TEST(Obj, CornersBecomeVerticesAndGroupsPrimitives) {
  const auto character = import_obj(
      "# a house\n"
      "o walls\n"
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 2 0 1 0 0\n"
      "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
      "vn 0 0 2\n"
      "g front\n"
      "f 1/1/1 2/2/1 3/3/1 4/4/1\n"
      "g gable\n"
      "f -3//1 \\\n -1//1 -2//1\n"
      "o fence\n"
      "l 1 2 3\n"
      "p 4 5\n",
      "house.obj");
  ASSERT_TRUE(character) << character.error().message;
  EXPECT_EQ(character->name, "house");
  ASSERT_EQ(character->meshes.size(), 2u);
  EXPECT_EQ(character->meshes[0].name, "walls");
  EXPECT_EQ(character->skeleton->name, (std::vector<std::string>{"walls", "fence"}));
  ASSERT_EQ(character->meshes[0].primitives.size(), 2u);
  const mesh::Primitive& front = character->meshes[0].primitives[0];
  EXPECT_THAT(front.indices, ElementsAre(0, 1, 2, 0, 2, 3));
  EXPECT_EQ(front.positions[2], glm::vec3(1, 1, 0));
  EXPECT_EQ(front.texcoords[0][0], glm::vec2(0, 1)) << "v grows upwards in the file";
  EXPECT_EQ(front.normals[0], glm::vec3(0, 0, 1)) << "of length one";
  const mesh::Primitive& gable = character->meshes[0].primitives[1];
  EXPECT_EQ(gable.positions, (std::vector<glm::vec3>{{1, 1, 0}, {0.5f, 2, 0}, {0, 1, 0}}));
  EXPECT_EQ(gable.colors[1], glm::vec4(1, 0, 0, 1));
  EXPECT_EQ(gable.colors[0], glm::vec4(1));
  const mesh::Primitive& lines = character->meshes[1].primitives[0];
  EXPECT_EQ(lines.topology, mesh::Topology::kLines);
  EXPECT_THAT(lines.indices, ElementsAre(0, 1, 1, 2));
  EXPECT_EQ(character->meshes[1].primitives[1].topology, mesh::Topology::kPoints);
  EXPECT_EQ(character->parts.size(), 4u);
}

TEST(Obj, SmoothingGroupsDecideWhereNormalsAreShared) {
  const std::string roof = "v 0 0 0\nv 2 0 0\nv 2 0 1\nv 0 0 1\nv 2 -1 0\nv 2 -1 1\n";
  const std::string faces = "f 1 4 3 2\n";
  const auto smooth = import_obj(roof + "s 1\n" + faces + "f 2 3 6 5\n", {});
  ASSERT_TRUE(smooth) << smooth.error().message;
  const mesh::Primitive& both = only_primitive(*smooth);
  EXPECT_EQ(both.vertex_count(), 6u);
  // Both faces have a right angle at each end of the common edge, wherever they are cut: (1, 1, 0) / sqrt 2.
  for (const std::size_t v : {2, 3}) {
    EXPECT_NEAR(both.normals[v].x, std::sqrt(0.5), 1e-6);
    EXPECT_NEAR(both.normals[v].y, std::sqrt(0.5), 1e-6);
  }
  const auto hard = import_obj(roof + "s 1\n" + faces + "s off\nf 2 3 6 5\n", {});
  EXPECT_EQ(only_primitive(*hard).vertex_count(), 10u) << "flat triangles share no corner with others";
  const auto flat = import_obj(roof + faces, {});
  EXPECT_TRUE(only_primitive(*flat).normals.empty());
}

TEST(Obj, BrokenStatementsNameTheirLine) {
  const auto message = [](const std::string& text) {
    const auto character = import_obj(text, {});
    return character ? std::string() : character.error().message;
  };
  const std::string three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  EXPECT_EQ(message(three + "f 1 2 4\n"), "line 4: vertex 4 does not exist, there are 3 so far");
  EXPECT_EQ(message(three + "f 1 2 -4\n"), "line 4: vertex -4 does not exist, there are 3 so far");
  EXPECT_EQ(message(three + "f 1 2 0\n"), "line 4: expected the number of a vertex, got \"0\"");
  EXPECT_EQ(message(three + "f 1 2 99999999999999999999\n"),
            "line 4: expected the number of a vertex, got \"99999999999999999999\"");
  EXPECT_EQ(message(three + "f 1/1 2 3\n"), "line 4: texture vertex 1 does not exist, there are 0 so far");
  EXPECT_EQ(message(three + "f 1 2\n"), "line 4: expected at least 3 vertices, got 2");
  EXPECT_EQ(message("v 0 nan 0\n"), "line 1: expected a coordinate, got \"nan\"");
  EXPECT_EQ(message("v 0 1e39 0\n"), "line 1: expected a coordinate, got \"1e39\"");
  EXPECT_EQ(message("v 0 1\n"), "line 1: expected at least 3 coordinates, got 2");
  EXPECT_EQ(message("\n# nothing\n"), "expected vertices (lines that begin with v), got none");
}

TEST(Obj, MaterialsAndPicturesStayInTheFolder) {
  const fs::path folder = test::output_folder() / "obj";
  fs::remove_all(folder);
  fs::create_directories(folder / "inner");
  ASSERT_TRUE(write_file_atomically(folder / "secret.mtl", "newmtl stolen\nKd 1 0 0\n"));
  ASSERT_TRUE(
      write_file_atomically(folder / "inner" / "a b.mtl",
                            "newmtl glass\nKd 0.25 0.5 1\nd 0.5\nNs 0\nKe 0.5\nmap_Kd -s 1 1 1 -clamp on ..\\x.png\n"
                            "newmtl steel\nPm 1\nPr 0.25\n"));
  const std::string text =
      "mtllib ../secret.mtl\nmtllib a b.mtl\nmtllib ./a b.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"
      "usemtl glass\nf 1 2 3\nusemtl steel\nf 3 2 1\nusemtl stolen\nf 1 2 3\n";
  ASSERT_TRUE(write_file_atomically(folder / "inner" / "thing.obj", text));
  const auto character = open_character((folder / "inner" / "thing.obj").string());
  ASSERT_TRUE(character) << character.error().message;
  ASSERT_EQ(character->materials.size(), 2u) << "a library named twice is read once";
  const rig::Material& glass = character->materials[0];
  EXPECT_EQ(glass.base_color, glm::vec4(0.25f, 0.5f, 1, 0.5f));
  EXPECT_EQ(glass.alpha_mode, rig::AlphaMode::kBlend);
  EXPECT_EQ(glass.emissive, glm::vec3(0.5f));
  EXPECT_EQ(glass.roughness, 1);
  EXPECT_EQ(glass.base_color_texture.texture, -1);
  EXPECT_EQ(character->materials[1].metallic, 1);
  EXPECT_EQ(character->meshes[0].primitives[1].material, 1);
  EXPECT_EQ(character->meshes[0].primitives[2].material, -1);
  std::vector<std::string> messages;
  for (const Diagnostic& diagnostic : character->diagnostics) {
    messages.push_back(diagnostic.message);
  }
  EXPECT_THAT(messages, testing::Contains(HasSubstr("secret.mtl' leaves the folder")));
  EXPECT_THAT(messages, testing::Contains(HasSubstr("x.png' leaves the folder")));
  EXPECT_THAT(messages, testing::Contains(HasSubstr("\"stolen\" is in no library")));
}

// ---- PLY

std::string ply_header(const std::string& format, std::size_t vertices, std::size_t faces) {
  return fmt::format(
      "ply\nformat {} 1.0\ncomment made by hand\nelement vertex {}\nproperty float x\nproperty double y\n"
      "property short z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
      "element face {}\nproperty uchar flags\nproperty list uchar int vertex_indices\nend_header\n",
      format, vertices, faces);
}

template <typename T>
void put(std::string& out, T value, bool big) {
  std::array<char, sizeof(T)> bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  if (big == (std::endian::native == std::endian::little)) {
    std::ranges::reverse(bytes);
  }
  out.append(bytes.data(), bytes.size());
}

TEST(Ply, AsciiAndBothByteOrdersSayTheSame) {
  struct Row {
    float x;
    double y;
    std::int16_t z;
    std::array<std::uint8_t, 3> color;
  };
  const std::array<Row, 5> rows = {{{0, 0, 0, {255, 0, 0}},
                                    {2, 0.5, 0, {0, 255, 0}},
                                    {2, 2, -1, {0, 0, 255}},
                                    {0.5f, 2, 1, {0, 0, 0}},
                                    {9, 9, -300, {1, 2, 3}}}};
  std::string ascii = ply_header("ascii", rows.size(), 2);
  for (const Row& row : rows) {
    ascii += fmt::format("{} {} {} {} {} {}\r\n", row.x, row.y, row.z, row.color[0], row.color[1], row.color[2]);
  }
  ascii += "0 4 0 1 2 3\n1 3 2 1 0";  // no line end
  const auto expected = import_ply(bytes_of(ascii), "scan.ply");
  ASSERT_TRUE(expected) << expected.error().message;
  const mesh::Primitive& primitive = only_primitive(*expected);
  EXPECT_EQ(primitive.positions[4], glm::vec3(9, 9, -300));
  EXPECT_EQ(primitive.colors[1], glm::vec4(0, 1, 0, 1));
  EXPECT_EQ(primitive.vertex_count(), 5u) << "as in the file, used or not";
  EXPECT_THAT(primitive.indices, ElementsAre(0, 1, 2, 0, 2, 3, 2, 1, 0));
  for (const bool big : {false, true}) {
    std::string binary = ply_header(big ? "binary_big_endian" : "binary_little_endian", rows.size(), 2);
    for (const Row& row : rows) {
      put(binary, row.x, big);
      put(binary, row.y, big);
      put(binary, row.z, big);
      binary.append(reinterpret_cast<const char*>(row.color.data()), 3);
    }
    const std::vector<std::vector<std::int32_t>> faces = {{0, 1, 2, 3}, {2, 1, 0}};
    for (const std::vector<std::int32_t>& face : faces) {
      put(binary, std::uint8_t{10}, big);  // "\n": no line end may be looked for in here
      put(binary, static_cast<std::uint8_t>(face.size()), big);
      for (const std::int32_t index : face) {
        put(binary, index, big);
      }
    }
    const auto character = import_ply(bytes_of(binary), "scan.ply");
    ASSERT_TRUE(character) << character.error().message;
    EXPECT_EQ(only_primitive(*character).positions, primitive.positions);
    EXPECT_EQ(only_primitive(*character).colors, primitive.colors);
    EXPECT_EQ(only_primitive(*character).indices, primitive.indices);
    std::string two_byte_line_ends = binary;
    const std::size_t header_end = binary.find("end_header\n") + 11;
    for (std::size_t i = header_end; i-- > 0;) {
      if (two_byte_line_ends[i] == '\n') {
        two_byte_line_ends.insert(i, "\r");
      }
    }
    const auto from_windows = import_ply(bytes_of(two_byte_line_ends), "scan.ply");
    ASSERT_TRUE(from_windows) << from_windows.error().message;
    EXPECT_EQ(only_primitive(*from_windows).positions, primitive.positions);
    // Every shorter file is refused in a sentence.
    for (std::size_t size = 0; size < binary.size(); ++size) {
      EXPECT_FALSE(import_ply(bytes_of(binary.substr(0, size)), {})) << size;
    }
  }
}

TEST(Ply, PointsStripsAndEdges) {
  const std::string four = "property float x\nproperty float y\nproperty float z\n";
  const std::string positions = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n";
  const auto points =
      import_ply(bytes_of("ply\nformat ascii 1.0\nelement vertex 4\n" + four + "end_header\n" + positions), {});
  ASSERT_TRUE(points) << points.error().message;
  EXPECT_EQ(only_primitive(*points).topology, mesh::Topology::kPoints);
  EXPECT_EQ(only_primitive(*points).indices.size(), 4u);
  const auto strip =
      import_ply(bytes_of("ply\nformat ascii 1.0\nelement vertex 4\n" + four +
                          "element tristrips 1\nproperty list int int vertex_indices\nelement edge 1\nproperty int "
                          "vertex1\nproperty int vertex2\nend_header\n" +
                          positions + "8 0 1 2 3 -1 0 2 3\n0 3\n"),
                 {});
  ASSERT_TRUE(strip) << strip.error().message;
  EXPECT_THAT(strip->meshes[0].primitives[0].indices, ElementsAre(0, 1, 2, 2, 1, 3, 0, 2, 3));
  EXPECT_THAT(strip->meshes[0].primitives[1].indices, ElementsAre(0, 3));
}

TEST(Ply, PromisesBeyondTheFileAreRefused) {
  const auto message = [](const std::string& text) {
    const auto character = import_ply(bytes_of(text), {});
    return character ? std::string() : character.error().message;
  };
  EXPECT_EQ(message("plx\n"), "line 1: expected \"ply\"");
  EXPECT_EQ(message("ply\nformat ascii 1.0\n"), "the header has no end_header");
  EXPECT_THAT(message("ply\nformat ascii 2.0\nend_header\n"), HasSubstr("line 2: expected format ascii"));
  EXPECT_THAT(message(ply_header("ascii", 4000000000u, 0)), HasSubstr("vertex: expected 4000000000 of them"));
  EXPECT_THAT(message(ply_header("binary_little_endian", 4000000000u, 0)), HasSubstr("at least 17 bytes each, got 0"));
  const std::string vertices = "0 0 0 1 1 1\n1 0 0 1 1 1\n0 1 0 1 1 1\n";
  EXPECT_EQ(message(ply_header("ascii", 3, 1) + vertices + "0 3 0 1 3\n"),
            "line 18: face 0: vertex 3 does not exist, there are 3");
  EXPECT_THAT(message(ply_header("ascii", 3, 1) + vertices + "0 200 0 1 2\n"),
              HasSubstr("line 18: face 0: vertex_indices"));
  EXPECT_EQ(message(ply_header("ascii", 3, 1) + "0 0 0 1 1 1\n1 zero 0 1 1 1\n0 1 0 1 1 1\n0 3 0 1 2\n"),
            "line 16: vertex 1: y: expected a number, got \"zero\"");
  EXPECT_THAT(message("ply\nformat ascii 1.0\nelement vertex 1\nproperty list float float x\nend_header\n1\n"),
              HasSubstr("line 4: expected the type of a list's count"));
}

// ---- BVH

constexpr const char* kTwoBones =
    "HIERARCHY\nROOT hip\n{{\n  OFFSET 0 0 0\n  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
    "Yrotation\n"
    "  JOINT left knee\n  {{\n    OFFSET 0 10 0\n    CHANNELS 3 Zrotation Xrotation Yrotation\n    End Site\n    {{\n"
    "      OFFSET 5 0 0\n    }}\n  }}\n}}\nMOTION\nFrames: 2\nFrame Time: 0.5\n{}\n{}\n";

std::vector<glm::vec3> joints_at(const rig::Character& character, float time) {
  rig::Pose pose = rig::rest_pose(character);
  rig::apply(character.clips.at(0), time, character.morph_offset, pose);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  std::vector<glm::vec3> out;
  for (const glm::mat4& matrix : world.world()) {
    out.emplace_back(matrix[3]);
  }
  return out;
}

void expect_near(const glm::vec3& actual, const glm::dvec3& expected, double tolerance) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(actual[i], expected[i], tolerance);
  }
}

TEST(Bvh, C48_1_ChannelsTurnInTheOrderOfTheFile) {
  const std::string text = fmt::format(fmt::runtime(kTwoBones), "1 2 3 90 0 0 0 90 0", "1 2 3 30 40 50 10 20 30");
  const auto character = import_bvh(text, "two.bvh", 1.0);
  ASSERT_TRUE(character) << character.error().message;
  EXPECT_EQ(character->skeleton->name, (std::vector<std::string>{"hip", "left knee", "left knee_end"}));
  EXPECT_EQ(character->skeleton->parent, (std::vector<int>{-1, 0, 1}));
  ASSERT_EQ(character->clips.size(), 1u);
  EXPECT_EQ(character->clips[0].end, 0.5f);
  const std::vector<glm::vec3> first = joints_at(*character, 0);
  expect_near(first[1], {-9, 2, 3}, 1e-5);
  expect_near(first[2], {-9, 7, 3}, 1e-5);
  const std::vector<glm::vec3> second = joints_at(*character, 0.5f);
  expect_near(second[1], {-2.830222, 8.634139, 9.427876}, 1e-5);
  expect_near(second[2], {-4.206741, 12.710363, 6.880407}, 1e-5);
  EXPECT_EQ(rig::euler_order(character->skeleton->dofs[1]), EulerOrder::kYXZ) << "R = Rz Rx Ry: y is applied first";
  EXPECT_TRUE(character->parts.empty());
  EXPECT_TRUE(character->diagnostics.empty()) << "the unit was given";
}

TEST(Bvh, LengthsAreGuessedFromAPersonsSize) {
  // 15 units at rest: with 0.254 m per ten of them it is 0.38 m, with metres 10.
  const std::string text = fmt::format(fmt::runtime(kTwoBones), "1 2 3 0 0 0 0 0 0", "1 2 3 0 0 0 0 0 0");
  std::string in_centimetres = text;
  in_centimetres.replace(in_centimetres.find("0 10 0"), 6, "0 175 0");
  const auto character = import_bvh(in_centimetres, {});
  ASSERT_TRUE(character);
  EXPECT_NEAR(joints_at(*character, 0)[1].y, 0.02 + 1.75, 1e-6);
  ASSERT_EQ(character->diagnostics.size(), 1u);
  EXPECT_EQ(character->diagnostics[0].code, "unit");
  EXPECT_THAT(character->diagnostics[0].message, HasSubstr("taken for centimetres"));
  EXPECT_THAT(character->diagnostics[0].message, HasSubstr("1.75 m"));
}

TEST(Bvh, BrokenFilesNameTheirLine) {
  const auto message = [](const std::string& text) {
    const auto character = import_bvh(text, {}, 1.0);
    return character ? std::string() : character.error().message;
  };
  const std::string good = fmt::format(fmt::runtime(kTwoBones), "1 2 3 90 0 0 0 90 0", "1 2 3 30 40 50 10 20 30");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return message(text);
  };
  EXPECT_EQ(message(""), "line 1: expected HIERARCHY, got \"\"");
  EXPECT_EQ(with("ROOT", "RUT"), "line 2: expected ROOT or MOTION, got \"RUT\"");
  EXPECT_EQ(with("Zrotation", "Wrotation"),
            "line 5: channel 4 of \"hip\": expected Xposition to Zrotation, got \"Wrotation\"");
  EXPECT_EQ(with("CHANNELS 6", "CHANNELS 700"), "line 5: CHANNELS of \"hip\": expected 0 to 6, got \"700\"");
  EXPECT_EQ(with("OFFSET 0 10 0", "OFFSET 0 ten 0"),
            "line 8: OFFSET of \"left knee\": expected 3 numbers, got \"ten\" as number 2");
  EXPECT_THAT(with("Frames: 2", "Frames: 3000000000"), HasSubstr("expected 3000000000 frames of 9 numbers"));
  EXPECT_THAT(with("Frames: 2", "Frames: 3"), HasSubstr("expected 3 frames of 9 numbers, got 45 bytes"));
  EXPECT_THAT(with("30 40", "30 fourty"), HasSubstr("frame 1: expected 9 numbers, got \"fourty\" as number 5"));
  EXPECT_EQ(with("OFFSET 5 0 0", "JOINT x"), "line 12: expected OFFSET or }, got \"JOINT\"");
  std::string deep = "HIERARCHY\nROOT a\n{\n";
  for (int i = 0; i < 20000; ++i) {
    deep += "JOINT b {\n";
  }
  EXPECT_THAT(message(deep), HasSubstr("expected OFFSET, CHANNELS, JOINT, End Site or }, got \"\""));
  for (int i = 0; i < 60000; ++i) {
    deep += "JOINT b {\n";
  }
  EXPECT_EQ(message(deep), "line 65539: more than 65536 joints");
}

// ---- all of them

TEST(Formats, AreToldByContentBeforeExtension) {
  const auto format = [](const std::string& text, const char* path) { return format_of(bytes_of(text), path); };
  EXPECT_EQ(format("ply\nformat", "wrong.obj"), Format::kPly);
  EXPECT_EQ(format("\n HIERARCHY\n", "wrong.obj"), Format::kBvh);
  EXPECT_EQ(format("glTF", "wrong.ply"), Format::kGltf);
  EXPECT_EQ(format(" {}", "wrong.bvh"), Format::kGltf);
  EXPECT_EQ(format("v 1 2 3", "right.OBJ"), Format::kObj);
  EXPECT_EQ(format("# no extension\n\nv 1 2 3", ""), Format::kObj);
  EXPECT_EQ(format("whatever", ""), Format::kGltf);
  EXPECT_THAT(open_character("nowhere.obj").error().message, HasSubstr("nowhere.obj"));
}

// Mutated files end in a character or in a sentence, whatever they say.
TEST(Formats, MutationsNeverCrash) {
  const std::vector<std::pair<const char*, std::string>> seeds = {
      {"a.obj",
       "mtllib m.mtl\no a\ns 1\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl x\nf 1/1/1 2 3//1 "
       "4\nl 1 2 3\np 1\n"},
      {"a.ply", ply_header("ascii", 3, 1) + "0 0 0 1 1 1\n1 0 0 1 1 1\n0 1 0 1 1 1\n0 3 0 1 2\n"},
      {"b.ply", ply_header("binary_big_endian", 2, 1) + std::string(40, '\1')},
      {"a.bvh", fmt::format(fmt::runtime(kTwoBones), "1 2 3 90 0 0 0 90 0", "1 2 3 30 40 50 10 20 30")}};
  std::mt19937 random(7);
  for (const auto& [name, seed] : seeds) {
    for (int round = 0; round < 400; ++round) {
      std::string text = seed;
      for (int edits = 1 + static_cast<int>(random() % 4u); edits > 0; --edits) {
        const std::size_t at = random() % text.size();
        switch (random() % 4u) {
          case 0:
            text[at] = static_cast<char>(random());
            break;
          case 1:
            text.erase(at, 1 + random() % 8u);
            break;
          case 2:
            text.insert(at, text.substr(random() % text.size(), 1 + random() % 12u));
            break;
          default:
            text[at] = "0123456789-. \n/e"[random() % 16u];
            break;
        }
        if (text.empty()) {
          text = " ";
        }
      }
      const auto character = import_memory(bytes_of(text), {});
      EXPECT_TRUE(character || !character.error().message.empty());
    }
  }
}

struct CorpusMesh {
  const char* file;
  std::size_t triangles;
};

TEST(FormatsCorpus, UnriggedMeshesAndMotions) {
  const fs::path corpus = PELT_CORPUS_DIR;
  PELT_NEEDS_CORPUS("unrigged");
  // Counts from the corpus' own README; cesium_man from the lines that begin with f, all triangles.
  for (const CorpusMesh& wanted : {CorpusMesh{"human_tpose.obj", 13757}, CorpusMesh{"zombie.obj", 1604},
                                   CorpusMesh{"cesium_man.obj", 4672}, CorpusMesh{"pirate.obj", 0}}) {
    const auto character = open_character((corpus / "unrigged" / wanted.file).string());
    ASSERT_TRUE(character) << character.error().message;
    std::size_t triangles = 0;
    for (const rig::Part& part : character->parts) {
      triangles += character->primitive(part).triangle_count();
    }
    EXPECT_TRUE(wanted.triangles == 0 ? triangles > 0 : triangles == wanted.triangles) << wanted.file << triangles;
  }
  struct Motion {
    const char* file;
    std::size_t joints, frames;
    double lower, upper;  // height of a person above its lowest joint, metres
  };
  for (const Motion& wanted :
       {Motion{"cmu_01_01.bvh", 31, 2752, 1.2, 2.1}, Motion{"walk_meredith.bvh", 23, 1064, 1.2, 2.1},
        Motion{"freebvh.bvh", 55, 69, 1.2, 2.1}}) {
    const auto character = open_character((corpus / "mocap" / wanted.file).string());
    ASSERT_TRUE(character) << character.error().message;
    const std::size_t ends = std::ranges::count_if(character->skeleton->name,
                                                   [](const std::string& name) { return name.ends_with("_end"); });
    EXPECT_EQ(character->skeleton->parent.size() - ends, wanted.joints) << wanted.file;
    ASSERT_EQ(character->clips.size(), 1u);
    EXPECT_EQ(character->clips[0].channels[0].times.size(), wanted.frames) << wanted.file;
    float lowest = 1e9f;
    float highest = -1e9f;
    for (const glm::vec3& at : joints_at(*character, 0)) {
      lowest = std::min(lowest, at.y);
      highest = std::max(highest, at.y);
    }
    EXPECT_GT(highest - lowest, wanted.lower) << wanted.file;
    EXPECT_LT(highest - lowest, wanted.upper) << wanted.file;
  }
}

// Whoever brings another program's file learns how it becomes one that is read.
TEST(OtherPrograms, AreAnsweredWithAWay) {
  const std::filesystem::path folder = test::output_folder() / "other_programs";
  std::filesystem::create_directories(folder);
  const std::pair<const char*, const char*> files[] = {{"a.fbx", "Kaydara FBX Binary  "},
                                                       {"b.bin", "Kaydara FBX Binary  "},
                                                       {"c.blend", "BLENDER-v300"},
                                                       {"d.dae", "<?xml version=\"1.0\"?>"},
                                                       {"e.usdz", "PK"},
                                                       {"F.FBX", "; FBX 7.4.0"}};
  for (const auto& [name, content] : files) {
    std::ofstream(folder / name) << content;
    const Result<rig::Character> opened = open_character((folder / name).string());
    ASSERT_FALSE(opened) << name;
    EXPECT_NE(opened.error().message.find("is not read here"), std::string::npos) << opened.error().message;
    EXPECT_NE(opened.error().message.find("glTF 2.0"), std::string::npos) << opened.error().message;
  }
}

}  // namespace
}  // namespace pelt::formats
