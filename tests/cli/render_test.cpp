// `pelt render` as a user meets it. Pictures are compared with each other, not with stored ones.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "deform/settings.h"
#include "gltf/image_codec.h"
#include "render/offscreen_context.h"
#include "render/view_settings.h"
#include "run_pelt.h"
#include "support/glb_builder.h"
#include "support/requirements.h"

namespace pelt {
namespace {

using test::Outcome;
using testing::ElementsAre;
using testing::HasSubstr;

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;

  [[nodiscard]] const std::uint8_t* at(int x, int y) const {
    return pixels.data() +
           4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  }
};

// Mean difference over channels, 0..255.
double difference(const Picture& a, const Picture& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.pixels.size(), b.pixels.size()); ++i) {
    sum += std::abs(static_cast<double>(a.pixels[i]) - static_cast<double>(b.pixels[i]));
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, a.pixels.size()));
}

// Share of pixels that differ visibly.
double changed(const Picture& a, const Picture& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i + 3 < std::min(a.pixels.size(), b.pixels.size()); i += 4) {
    int largest = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      largest = std::max(largest, std::abs(static_cast<int>(a.pixels[i + c]) - static_cast<int>(b.pixels[i + c])));
    }
    count += largest > 8;
  }
  return static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(1, a.pixels.size() / 4));
}

class RenderVerb : public test::PeltTest {
 protected:
  void SetUp() override {
    const auto context = render::OffscreenContext::create();
    PELT_NEEDS_GL(context);
    PeltTest::SetUp();
  }

  static Picture decoded(const std::string& png) {
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(png.data()), png.size());
    const auto size = gltf::image_size(bytes, 16384);
    EXPECT_TRUE(size) << "not a PNG";
    if (!size) {
      return {};
    }
    auto pixels = gltf::decode_image(bytes, *size);
    EXPECT_TRUE(pixels);
    return pixels ? Picture{size->width, size->height, *std::move(pixels)} : Picture{};
  }

  // The picture of the cylinder with these flags, small and without multisampling.
  Picture picture(std::vector<std::string> flags, const std::string& size = "160x120") {
    std::vector<std::string> arguments = {"render", cylinder_, "-o", "-", "--size", size, "--samples", "1"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = pelt(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    // A difference map says how large it is, an influence limit what it cuts; nothing else is to be noted.
    const bool limited = outcome.err.find(" keep 1 of up to 2 influences\n") != std::string::npos;
    if ((outcome.err.rfind("pelt: note: difference: largest ", 0) != 0 && !limited) ||
        std::count(outcome.err.begin(), outcome.err.end(), '\n') != 1) {
      EXPECT_EQ(outcome.err, "");
    }
    return decoded(outcome.out);
  }
};

TEST_F(RenderVerb, DrawsAPictureOfTheSizeAskedFor) {
  const Outcome outcome = pelt({"render", cylinder_, "-o", "x.png", "--size", "200x100"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(files(), ElementsAre("x.png"));
  const Picture picture = decoded(test::content_of(folder_ / "x.png"));
  EXPECT_EQ(picture.width, 200);
  EXPECT_EQ(picture.height, 100);
  int darkest = 255;
  int brightest = 0;
  for (int x = 0; x < 200; ++x) {
    darkest = std::min<int>(darkest, picture.at(x, 50)[1]);
    brightest = std::max<int>(brightest, picture.at(x, 50)[1]);
  }
  EXPECT_GT(brightest - darkest, 40) << "something must be seen";
}

TEST_F(RenderVerb, TwiceTheSamePicture) {
  EXPECT_EQ(picture({}).pixels, picture({}).pixels);
}

TEST_F(RenderVerb, BackendsLookTheSame) {
  const Picture gpu = picture({"--set", "tip.bend=70", "--backend", "gpu"});
  const Picture cpu = picture({"--set", "tip.bend=70", "--backend", "cpu"});
  EXPECT_LT(difference(gpu, cpu), 0.05);
  EXPECT_GT(changed(gpu, picture({})), 0.01) << "the pose must be seen";
}

TEST_F(RenderVerb, BackgroundIsTheColourAskedFor) {
  const Picture clear = picture({"--background", "transparent", "--no-grid", "--camera", "0,0"});
  EXPECT_EQ(clear.at(0, 0)[3], 0);
  EXPECT_EQ(clear.at(80, 60)[3], 255) << "the cylinder is in the middle";
  const Picture blue = picture({"--background", "#336699", "--no-grid", "--camera", "0,0"});
  EXPECT_NEAR(blue.at(0, 0)[0], 0x33, 2);
  EXPECT_NEAR(blue.at(0, 0)[1], 0x66, 2);
  EXPECT_NEAR(blue.at(0, 0)[2], 0x99, 2);
  EXPECT_EQ(blue.at(0, 0)[3], 255);
}

TEST_F(RenderVerb, APictureStandsBehind) {
  const std::vector<std::uint8_t> png = gltf::encode_png(std::vector<std::uint8_t>(4, 255), {1, 1});
  std::ofstream(folder_ / "white.png", std::ios::binary)
      .write(reinterpret_cast<const char*>(png.data()), static_cast<std::streamsize>(png.size()));
  const Picture behind = picture({"--behind", "white.png", "--background", "black", "--no-grid", "--camera", "0,0"});
  EXPECT_EQ(behind.at(80, 2)[0], 255) << "fitted whole, it is as high as the picture";
  EXPECT_EQ(behind.at(2, 60)[0], 0) << "and as wide as it is high";
  const Picture half = picture(
      {"--behind", "white.png", "--behind-opacity", "0.5", "--background", "black", "--no-grid", "--camera", "0,0"});
  EXPECT_NEAR(half.at(80, 2)[0], 188, 2) << "half the light";
  const Picture asked =
      picture({"--behind", "white.png", "--background", "transparent", "--no-grid", "--camera", "0,0"});
  EXPECT_EQ(asked.at(80, 2)[3], 255) << "asked for by name, it is part of a cut-out";
  EXPECT_EQ(asked.at(2, 60)[3], 0);
  // In a session, from where the picture lies; without it there is a sentence and the same picture otherwise.
  ASSERT_EQ(
      pelt({"session", cylinder_, "--behind", "white.png", "--background", "black", "--no-grid", "-o", "a.pelt"}).code,
      0);
  const std::vector<std::string> draw = {"render",  "a.pelt",    "-o", "-",        "--size",
                                         "160x120", "--samples", "1",  "--camera", "0,0"};
  EXPECT_EQ(decoded(pelt(draw).out).pixels, behind.pixels);
  std::filesystem::remove(folder_ / "white.png");
  const Outcome gone = pelt(draw);
  EXPECT_EQ(gone.code, 0);
  EXPECT_THAT(gone.err, HasSubstr("pelt: note: The picture behind is not shown: "));
  EXPECT_EQ(decoded(gone.out).pixels, picture({"--background", "black", "--no-grid", "--camera", "0,0"}).pixels);
  const Outcome missing = pelt({"render", cylinder_, "-o", "-", "--behind", "nowhere.png"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("--behind: "));
}

TEST_F(RenderVerb, PartsAreLeftOutOrShownAlone) {
  const std::vector<std::string> plain = {"--background", "black", "--no-grid", "--camera", "0,0"};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), plain.begin(), plain.end());
    return picture(flags);
  };
  const Picture all = with({});
  const Picture none = with({"--hide", "0"});
  EXPECT_GT(changed(all, none), 0.01);
  EXPECT_TRUE(std::ranges::all_of(none.pixels, [](std::uint8_t byte) { return byte == 0 || byte == 255; }));
  EXPECT_EQ(with({"--only", "0"}).pixels, all.pixels) << "it has no other";
  const Outcome wrong = pelt({"render", cylinder_, "-o", "-", "--hide", "7"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("--hide: expected a part from 0 to 0"));
}

TEST_F(RenderVerb, EveryLookAndOverlayShows) {
  const std::vector<std::string> plain = {"--background", "black", "--no-grid"};
  const Picture shaded = picture(plain);
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), plain.begin(), plain.end());
    return picture(flags);
  };
  for (const render::LookInfo& look : render::kLooks) {
    const Picture other = with({"--show", std::string(look.id)});
    if (look.look == render::Look::kShaded) {
      EXPECT_EQ(other.pixels, shaded.pixels);
    } else {
      EXPECT_GT(changed(other, shaded), 0.01) << look.id;
    }
  }
  const Picture all = with({"--show", "weights"});
  EXPECT_GT(changed(with({"--show", "weights", "--joint", "tip"}), all), 0.01);
  // Large enough for lines that would else be too close to each other, and fade.
  const std::string large = "480x360";
  const Picture tip = picture({"--show", "weights", "--joint", "tip"}, large);
  EXPECT_GT(changed(picture({"--isolines", "--joint", "tip"}, large), tip), 0.001);
  EXPECT_EQ(
      pelt({"render", cylinder_, "-o", "-", "--isolines"}).err,
      "pelt: --isolines: the lines are of one joint's weights; add --joint NAME, and no other look than weights\n");
  EXPECT_GT(changed(with({"--skeleton"}), shaded), 0.001);
  EXPECT_GT(changed(with({"--wireframe"}), shaded), 0.005);
  EXPECT_GT(changed(with({"--normal-lines"}), shaded), 0.005);
  EXPECT_GT(changed(with({"--method", "cor", "--centers"}), with({"--method", "cor"})), 0.005);
  const Outcome without = pelt({"render", cylinder_, "-o", "-", "--centers"});
  EXPECT_EQ(without.code, 1);
  EXPECT_EQ(without.err, "pelt: --centers: lbs has none; add --method cor\n");
  EXPECT_GT(changed(with({"--ortho", "--camera", "50,30"}), with({"--camera", "50,30"})), 0.001);
  EXPECT_GT(changed(with({"--camera", "30,10,9"}), with({"--camera", "30,10,3"})), 0.01);
}

// A square of half side 1 in the plane x = 0, seen from (4,0,0) with a field of view that is 4 m tall there: it fills
// half of the picture's height; standing on a corner, by the root of two more.
TEST_F(RenderVerb, SceneCameraStandsWhereTheFileSays) {
  test::GlbBuilder builder;
  const int positions = builder.floats({0, -1, -1, 0, -1, 1, 0, 1, 1, 0, 1, -1}, "VEC3");
  builder.root["accessors"][positions]["min"] = {0, -1, -1};
  builder.root["accessors"][positions]["max"] = {0, 1, 1};
  const int indices = builder.accessor(std::vector<std::uint16_t>{0, 1, 2, 0, 2, 3}, test::kU16, "SCALAR");
  builder.root["materials"] = {{{"doubleSided", true}}};
  builder.root["meshes"] = {
      {{"primitives", {{{"attributes", {{"POSITION", positions}}}, {"indices", indices}, {"material", 0}}}}}};
  builder.root["cameras"] = {
      {{"type", "perspective"}, {"perspective", {{"yfov", 2 * std::atan(0.5)}, {"znear", 0.1}}}},
      {{"type", "orthographic"}, {"orthographic", {{"xmag", 2}, {"ymag", 2}, {"znear", 0.1}, {"zfar", 10}}}}};
  const double half = std::sqrt(0.5);  // a quarter turn about +y: the camera's -z becomes -x
  builder.root["nodes"] = {{{"mesh", 0}},
                           {{"camera", 0}, {"translation", {4, 0, 0}}, {"rotation", {0, half, 0, half}}},
                           {{"camera", 1}, {"translation", {4, 0, 0}}, {"rotation", {0, half, 0, half}}}};
  const double s = half * std::sin(std::numbers::pi / 8);  // then an eighth about its own line of sight
  const double c = half * std::cos(std::numbers::pi / 8);
  builder.push("nodes", {{"camera", 0}, {"translation", {4, 0, 0}}, {"rotation", {s, c, s, c}}});
  builder.root["scenes"] = {{{"nodes", {0, 1, 2, 3}}}};
  builder.root["scene"] = 0;
  const std::vector<std::uint8_t> glb = builder.glb();
  std::ofstream(folder_ / "quad.glb", std::ios::binary)
      .write(reinterpret_cast<const char*>(glb.data()), static_cast<std::streamsize>(glb.size()));
  for (const char* index : {"0", "1", "2"}) {
    const double expected = index[0] == '2' ? 40 * std::numbers::sqrt2 : 40;
    const Outcome outcome = pelt({"render", "quad.glb", "-o", "-", "--size", "120x80", "--samples", "1", "--no-grid",
                                  "--background", "transparent", "--scene-camera", index});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Picture seen = decoded(outcome.out);
    int opaque = 0;
    for (int y = 0; y < 80; ++y) {
      opaque += seen.at(60, y)[3] == 255;
    }
    EXPECT_NEAR(opaque, expected, 1) << "camera " << index;
    opaque = 0;
    for (int x = 0; x < 120; ++x) {
      opaque += seen.at(x, 40)[3] == 255;
    }
    EXPECT_NEAR(opaque, expected, 1) << "camera " << index;
  }
}

// A square that fills the picture's middle, white or by variant red, which a clip makes green; in the second scene a
// hidden one.
TEST_F(RenderVerb, VariantsScenesHiddenNodesAndMovedMaterials) {
  test::GlbBuilder builder;
  const int positions = builder.floats({-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0}, "VEC3");
  const int indices = builder.accessor(std::vector<std::uint16_t>{0, 1, 2, 0, 2, 3}, test::kU16, "SCALAR");
  const auto unlit = [&](const std::vector<float>& color) {
    builder.push("materials", {{"pbrMetallicRoughness", {{"baseColorFactor", color}}},
                               {"extensions", {{"KHR_materials_unlit", nlohmann::json::object()}}}});
  };
  unlit({1, 1, 1, 1});
  unlit({1, 0, 0, 1});
  builder.root["extensions"]["KHR_materials_variants"]["variants"] = {{{"name", "fire"}}};
  builder.push(
      "meshes",
      {{"primitives",
        {{{"attributes", {{"POSITION", positions}}},
          {"indices", indices},
          {"material", 0},
          {"extensions", {{"KHR_materials_variants", {{"mappings", {{{"material", 1}, {"variants", {0}}}}}}}}}}}}});
  builder.push("nodes", {{"mesh", 0}});
  builder.push("nodes", {{"mesh", 0}, {"extensions", {{"KHR_node_visibility", {{"visible", false}}}}}});
  builder.push("scenes", {{"nodes", {0}}});
  builder.push("scenes", {{"name", "empty"}, {"nodes", {1}}});
  const int times = builder.floats({0, 1}, "SCALAR");
  const int colors = builder.floats({1, 1, 1, 1, 0, 1, 0, 1}, "VEC4");
  const nlohmann::json pointer = {
      {"KHR_animation_pointer", {{"pointer", "/materials/0/pbrMetallicRoughness/baseColorFactor"}}}};
  builder.push("animations",
               {{"channels", {{{"sampler", 0}, {"target", {{"path", "pointer"}, {"extensions", pointer}}}}}},
                {"samplers", {{{"input", times}, {"output", colors}}}}});
  const std::vector<std::uint8_t> glb = builder.glb();
  std::ofstream(folder_ / "quad.glb", std::ios::binary)
      .write(reinterpret_cast<const char*>(glb.data()), static_cast<std::streamsize>(glb.size()));
  const auto middle = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"render",    "quad.glb", "-o",           "-",           "--size",   "32x32",
                                          "--samples", "1",        "--background", "transparent", "--camera", "0,0",
                                          "--no-grid"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = pelt(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const Picture seen = decoded(outcome.out);
    return std::vector<int>(seen.at(16, 16), seen.at(16, 16) + 4);
  };
  const std::vector<int> white = middle({});
  EXPECT_EQ(white[0], white[1]);
  EXPECT_EQ(white[3], 255);
  const std::vector<int> red = middle({"--variant", "fire"});
  EXPECT_GT(red[0], 2 * red[1]);
  EXPECT_EQ(middle({"--scene", "empty"})[3], 0);
  EXPECT_EQ(middle({"--clip", "0"}), white);
  const std::vector<int> green = middle({"--clip", "0", "--time", "1"});
  EXPECT_GT(green[1], 2 * green[0]);
}

TEST_F(RenderVerb, SkeletonWithoutMeshIsShown) {
  rig::Character character = test::arm();
  character.mesh_nodes.clear();
  character.meshes.clear();
  rig::finish(character);
  ASSERT_TRUE(gltf::export_file(character, folder_ / "bones.glb"));
  const Outcome outcome = pelt({"render", "bones.glb", "-o", "-", "--size", "160x120", "--samples", "1", "--no-grid",
                                "--background", "transparent"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Picture seen = decoded(outcome.out);
  int opaque = 0;
  for (std::size_t i = 3; i < seen.pixels.size(); i += 4) {
    opaque += seen.pixels[i] > 128;
  }
  EXPECT_GT(opaque, 100);
}

TEST_F(RenderVerb, SequencesAreNumbered) {
  const std::vector<std::string> base = {"render", arm_, "--size", "64x64", "--samples", "1", "--skeleton"};
  const auto run = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), base.begin(), base.end());
    const Outcome outcome = pelt(flags);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  };
  run({"-o", "n.png", "--clip", "wave", "--frames", "3"});
  EXPECT_THAT(files(), ElementsAre("n_0000.png", "n_0001.png", "n_0002.png"));
  EXPECT_NE(test::content_of(folder_ / "n_0000.png"), test::content_of(folder_ / "n_0002.png"));
  run({"-o", "r-%02d.png", "--clip", "wave", "--frames", "7:9:24"});
  run({"-o", "t%d.png", "--turntable", "2"});
  run({"-o", "../work/plain", "--format", "png", "--turntable", "2"});
  EXPECT_THAT(files(), ElementsAre("n_0000.png", "n_0001.png", "n_0002.png", "plain_0000", "plain_0001", "r-07.png",
                                   "r-08.png", "r-09.png", "t0.png", "t1.png"));
  EXPECT_NE(test::content_of(folder_ / "t0.png"), test::content_of(folder_ / "t1.png"));
}

// A session's work range at its own frame rate: the same pictures as of those moments named by hand.
TEST_F(RenderVerb, AllFramesOfASessionAreItsWorkRange) {
  const std::vector<std::string> flags = {"--size", "64x64", "--samples", "1", "--skeleton", "--camera", "0,0,4"};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), flags.begin(), flags.end());
    const Outcome outcome = pelt(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  };
  ASSERT_EQ(pelt({"session", arm_, "--clip", "wave", "-o", "plain.pelt"}).code, 0);
  std::string text = test::content_of(folder_ / "plain.pelt");
  const std::string view = "\"view\": {";
  const std::size_t at = text.find(view);
  ASSERT_NE(at, std::string::npos);
  text.insert(at + view.size(), R"("timing": {"frame_rate": 10.0, "work_range": [1.2, 1.5]}, )");
  std::ofstream(folder_ / "work.pelt") << text;
  run({"render", "work.pelt", "-o", "w.png", "--frames", "all"});
  EXPECT_THAT(files(), ElementsAre("plain.pelt", "w_0000.png", "w_0001.png", "w_0002.png", "w_0003.png", "work.pelt"));
  run({"render", arm_, "--clip", "wave", "-o", "n.png", "--frames", "2:5:10"});
  const auto is_same = [&](const char* one, const char* other) {
    return test::content_of(folder_ / one) == test::content_of(folder_ / other);
  };
  for (const auto& [all, named] : {std::pair("w_0000.png", "n_0002.png"), {"w_0003.png", "n_0005.png"}}) {
    EXPECT_TRUE(is_same(all, named)) << all << ' ' << named;
  }
  EXPECT_FALSE(is_same("w_0002.png", "w_0003.png"));
}

TEST_F(RenderVerb, PanesStandBesideEachOtherOrAreWiped) {
  const std::vector<std::string> base = {"--set", "tip.twist=120", "--camera", "0,0", "--no-grid"};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), base.begin(), base.end());
    return picture(flags);
  };
  const Picture first = with({});
  const Picture second = with({"--method", "rigid"});
  EXPECT_GT(changed(first, second), 0.01);
  // The line at one end shows one pane alone.
  const Picture left = with({"--pane", "rigid", "--wipe", "0"});
  const Picture right = with({"--pane", "rigid", "--wipe", "1"});
  EXPECT_LT(changed(left, second), 0.02);
  EXPECT_LT(changed(right, first), 0.02);
  const Picture half = with({"--pane", "rigid", "--wipe", "0.5"});
  EXPECT_GT(changed(half, first), 0.002);
  EXPECT_GT(changed(half, second), 0.002);
  EXPECT_GT(changed(with({"--pane", "rigid"}), half), 0.02);
  // Fields of a pane that repeat what the first pane has change nothing; another influence limit does.
  EXPECT_EQ(with({"--pane", "rigid:gpu:d:0"}).pixels, with({"--pane", "rigid"}).pixels);
  EXPECT_GT(changed(with({"--pane", "lbs:gpu:d:1"}), with({"--pane", "lbs"})), 0.001);
}

TEST_F(RenderVerb, DifferenceMapsAreWhatTheFlagsSay) {
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--set", "tip.twist=120", "--no-grid"});
    return picture(flags);
  };
  const Picture bind = with({"--against", "bind"});
  EXPECT_EQ(bind.pixels, with({"--show", "difference", "--against", "bind", "--measure", "distance"}).pixels);
  EXPECT_GT(changed(bind, with({"--measure", "volume-change", "--against", "bind"})), 0.01);
  EXPECT_GT(changed(bind, with({"--against", "bind", "--range", "1"})), 0.005);
  EXPECT_GT(changed(bind, with({"--against", "rigid"})), 0.005);
  EXPECT_EQ(with({"--pane", "rigid", "--against", "2"}).pixels.size(), bind.pixels.size());
}

TEST_F(RenderVerb, PanelsAreInThePictureOnRequest) {
  const std::vector<std::string> base = {"render", arm_, "-o", "-", "--size", "900x600", "--samples", "1"};
  std::vector<std::string> with_panels = base;
  with_panels.push_back("--ui");
  const Outcome outcome = pelt(with_panels);
  if (outcome.code == 1) {
    EXPECT_THAT(outcome.err, HasSubstr("--ui: this build has no window panels"));
    return;
  }
  const Picture panels = decoded(outcome.out);
  EXPECT_EQ(panels.width, 900);
  EXPECT_EQ(panels.height, 600);
  EXPECT_GT(changed(panels, decoded(pelt(base).out)), 0.3);
  EXPECT_THAT(files(), testing::IsEmpty()) << "a picture leaves no preferences behind";
}

TEST_F(RenderVerb, AVertexIsDrawnStepByStep) {
  const std::vector<std::string> bent = {"--set", "tip.bend=90", "--background", "black", "--no-grid"};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), bent.begin(), bent.end());
    return picture(flags);
  };
  const Picture plain = with({});
  const Picture pinned = with({"--vertex", "0,640"});
  EXPECT_GT(changed(plain, pinned), 0.01) << "ghost points, chord, arc and letters";
  EXPECT_EQ(pinned.pixels, with({"--vertex", "cylinder,640"}).pixels);
  EXPECT_GT(changed(pinned, with({"--vertex", "0,672"})), 0.001) << "another vertex";
  EXPECT_GT(changed(plain, with({"--joint-names"})), 0.002) << "names";
}

TEST_F(RenderVerb, CrowdsAreFramedAndMeasured) {
  const std::vector<std::string> base = {"render", "@cylinder", "--no-grid", "-o", "-", "--size", "320x240"};
  const auto crowd = [&](const std::string& count) {
    std::vector<std::string> flags = base;
    flags.insert(flags.end(), {"--instances", count});
    const Outcome outcome = pelt(flags);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return decoded(outcome.out);
  };
  EXPECT_GT(changed(crowd("9"), crowd("1")), 0.05);
  const Outcome bench = pelt({"bench", "@cylinder", "--instances", "5", "--seconds", "0.001", "--json"});
  ASSERT_EQ(bench.code, 0) << bench.err;
  const auto table = nlohmann::json::parse(bench.out);
  std::vector<int> counts;
  for (const auto& row : table["crowds"]) {
    counts.push_back(row["instances"]);
    EXPECT_EQ(row["visible"], row["instances"]) << "the camera sees everybody";
    EXPECT_EQ(row["uploaded_bytes"], 64 * row["instances"].get<int>());
    EXPECT_EQ(row["draw_calls"], table["crowds"][0]["draw_calls"]) << "whatever the number of instances";
  }
  EXPECT_THAT(counts, ElementsAre(1, 4, 5));
  // C51.5: a tube one metre long, whose numbers 16 bits hold to less than a millimetre.
  EXPECT_GT(table["half_precision_error"].get<double>(), 0.0);
  EXPECT_LE(table["half_precision_error"].get<double>(), 1e-3);
  EXPECT_EQ(table["half_precision_visible"], false);
  EXPECT_EQ(bench.err, "");
}

TEST_F(RenderVerb, C51_5_HalfPrecisionThatShowsIsNoted) {
  // An arm of eight metres.
  const Outcome bench = pelt({"bench", "@elbow", "--instances", "1", "--seconds", "0.001", "--json"});
  ASSERT_EQ(bench.code, 0) << bench.err;
  const auto table = nlohmann::json::parse(bench.out);
  EXPECT_GT(table["half_precision_error"].get<double>(), 1e-3);
  EXPECT_EQ(table["half_precision_visible"], true);
  EXPECT_THAT(bench.err, testing::StartsWith("pelt: note: @elbow: 16-bit floats would move vertices by up to "));
  EXPECT_EQ(std::ranges::count(bench.err, '\n'), 1) << bench.err;
}

TEST_F(RenderVerb, LightGhostsAndMarksOfTheSurfaceShow) {
  // Compares the picture with all of the flags to the one without so many words at the end.
  const auto shows = [&](std::vector<std::string> flags, std::size_t words) {
    const auto drawn = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.begin(), "render");
      for (const char* word : {"-o", "-", "--samples", "1", "--size"}) {
        arguments.emplace_back(word);
      }
      arguments.emplace_back(std::ranges::find(flags, "--ui") == flags.end() ? "160x120" : "800x600");
      const Outcome outcome = pelt(arguments);
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      return decoded(outcome.out);
    };
    SCOPED_TRACE(testing::PrintToString(flags));
    const Picture with = drawn(flags);
    flags.resize(flags.size() - words);
    EXPECT_GT(changed(with, drawn(flags)), 0.002);
  };
  shows({"@elbow", "--environment", "sunset"}, 2);
  shows({"@elbow", "--tone", "aces"}, 2);
  shows({"@elbow", "--exposure", "0.5"}, 2);
  shows({"@cylinder", "--clip", "sweep", "--time", "0.6", "--ghosts", "1,1,2"}, 2);
  shows({"@elbow", "--subdivide", "1", "--cage"}, 1);
  shows({"@tube", "--set", "tip.bend=100", "--refine", "after", "--cage"}, 1);
  shows({"@cylinder", "--weights", "8bit", "--against", "full"}, 2);
  shows({"@cylinder", "--ui", "--plot", "tip.twist"}, 2);
  shows({"@elbow", "--ui", "--show", "weights"}, 2);
}

TEST_F(RenderVerb, C16_4_BothBackendsSayWhatAnInfluenceLimitCuts) {
  const EightInfluences eight = eight_influences();
  for (const char* backend : {"gpu", "cpu"}) {
    const Outcome outcome = pelt({"render", eight.path, "-o", "x.png", "--size", "64x64", "--samples", "1", "--backend",
                                  backend, "--influences", "4"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, fmt::format("pelt: note: {} vertices keep 4 of up to 8 influences\n", eight.above_four));
  }
}

TEST_F(RenderVerb, BackendsAgreeInNumbers) {
  const Outcome outcome = pelt({"compare", cylinder_, "--a", "lbs:cpu", "--b", "lbs:gpu", "--random", "10", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t at = outcome.out.find("\"max_over_diagonal\": ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LE(std::stod(outcome.out.substr(at + 21)), 1e-5);
}

}  // namespace
}  // namespace pelt
