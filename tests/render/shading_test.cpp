// What materials, lights, environments and tone mappings do to light, against closed forms: in even light a surface
// gives back its albedo, one light on a matte surface follows Lambert, and so on.

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/environment.h"
#include "render/gpu_materials.h"
#include "render/picture_test.h"
#include "render/shader_interface.h"

namespace pelt::render {
namespace {

constexpr int kMiddle = kSide / 2;

double shading_linear(int code) {
  const double c = code / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

/// Linear colour of a pixel.
glm::dvec3 shaded(const ImageRgba& image, int x = kMiddle, int y = kMiddle) {
  const glm::ivec4 p = pixel(image, x, y);
  return {shading_linear(p.r), shading_linear(p.g), shading_linear(p.b)};
}

/// Half a step of noise and half of rounding at this level, linear.
double code_step(double level) {
  return 2.0 * std::sqrt(std::max(level, 1e-4)) / 255.0 * 1.2;
}

/// Even white light at half the display's range, nothing else, seen from the front.
void even_light(Frame& frame) {
  frame.view.environment = Environment::kWhite;
  frame.view.tone = ToneMapping::kNone;
  frame.view.exposure = -1;
  frame.view.occlusion = false;
  frame.view.shadow = false;
  frame.view.ground = false;
  frame.view.background = glm::vec4(0.0f);
  frame.camera.azimuth = 0;
  frame.camera.elevation = 0;
  render::frame(frame.camera, frame.bounds, 1.0f);
}

/// A square of two metres on the ground that faces the front, with texture coordinates as in an image.
mesh::Primitive shading_square(float z = 0, bool mirrored_uv = false) {
  mesh::Primitive primitive;
  primitive.positions = {{-1, 0, z}, {1, 0, z}, {1, 2, z}, {-1, 2, z}};
  primitive.normals.assign(4, glm::vec3(0, 0, 1));
  primitive.texcoords[0] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  for (glm::vec2& uv : primitive.texcoords[0].edit()) {
    uv.x = mirrored_uv ? 1 - uv.x : uv.x;
  }
  primitive.indices = {0, 1, 2, 0, 2, 3};
  return primitive;
}

/// Adds a texture of width x 1 texels to a character.
int add_texture(rig::Character& character, const std::vector<std::array<std::uint8_t, 4>>& texels,
                rig::Filter filter = rig::Filter::kNearest) {
  rig::Image image;
  image.width = static_cast<int>(texels.size());
  image.height = 1;
  for (const auto& texel : texels) {
    image.pixels.insert(image.pixels.end(), texel.begin(), texel.end());
  }
  character.images.push_back(std::move(image));
  character.textures.push_back(
      {.image = static_cast<int>(character.images.size()) - 1, .magnify = filter, .minify = filter, .mipmaps = false});
  return static_cast<int>(character.textures.size()) - 1;
}

rig::Clearcoat shading_coat(float factor, float roughness = 0) {
  rig::Clearcoat coat;
  coat.factor = factor;
  coat.roughness = roughness;
  return coat;
}
rig::Sheen shading_sheen(const glm::vec3& color, float roughness) {
  rig::Sheen sheen;
  sheen.color = color;
  sheen.roughness = roughness;
  return sheen;
}
rig::Light shading_light(rig::LightKind kind, float intensity, float range = 0) {
  rig::Light light;
  light.kind = kind;
  light.intensity = intensity;
  light.range = range;
  light.inner_cone = 0.2f;
  light.outer_cone = 0.4f;
  light.joint = 0;
  return light;
}

class ShadingTest : public GlTest {
 protected:
  static void TearDownTestSuite() {
    renderer_.reset();
    GlTest::TearDownTestSuite();
  }
  void SetUp() override {
    GlTest::SetUp();
    if (!IsSkipped() && renderer_ == nullptr) {
      auto made = Renderer::create();
      ASSERT_TRUE(made.has_value()) << made.error().message;
      renderer_ = std::move(*made);
    }
  }
  static ImageRgba draw(const PictureScene& scene) {
    auto image = renderer_->render_image(scene.frame);
    EXPECT_TRUE(image.has_value()) << image.error().message;
    return image ? std::move(*image) : ImageRgba{};
  }
  /// A ball in even light of radiance 0.5.
  static ImageRgba furnace(const rig::Material& material) {
    PictureScene scene(ball(material));
    even_light(scene.frame);
    return draw(scene);
  }
  static inline std::unique_ptr<Renderer> renderer_;
};

TEST_F(ShadingTest, WhiteFurnaceGivesBackWhatItGets) {
  struct Row {
    const char* name;
    rig::Material material;
    bool lossless = true;  ///< gives back all light; others may lose some and must not make any
  };
  std::vector<Row> rows = {
      {"rough metal", white(1, 1)},
      {"satin metal", white(1, 0.5f)},
      {"mirror", white(1, 0.05f)},
      {"rough dielectric", white(0, 1)},
      {"satin dielectric", white(0, 0.4f)},  // The two kinds share one F0, which loses where they mix.
      {"half metal", white(0.5f, 0.7f), false}};
  const auto add = [&](const char* name, bool lossless, const std::function<void(rig::Material&)>& change) {
    rows.push_back({name, white(0, 0.6f), lossless});
    change(rows.back().material);
  };
  add("diamond", true, [](rig::Material& m) { m.ior = 2.4f; });
  add("no specular", true, [](rig::Material& m) { m.specular.factor = 0; });
  add("coloured specular", true, [](rig::Material& m) { m.specular.color = glm::vec3(2); });
  add("smooth coat", true, [](rig::Material& m) { m.clearcoat.factor = 1; });
  add("rough coat", true, [](rig::Material& m) { m.clearcoat = shading_coat(1, 0.8f); });
  add("white fibres", true, [](rig::Material& m) { m.sheen = shading_sheen(glm::vec3(1), 0.5f); });
  add("all", true, [](rig::Material& m) {
    m.sheen = shading_sheen(glm::vec3(1), 0.9f);
    m.clearcoat = shading_coat(0.6f, 0.3f);
    m.specular.factor = 0.7f;
    m.specular.color = glm::vec3(0.5f);
  });
  add("red fibres", false, [](rig::Material& m) { m.sheen = shading_sheen(glm::vec3(1, 0, 0), 0.7f); });
  for (const Row& row : rows) {
    const ImageRgba image = furnace(row.material);
    double lowest = 1;
    double highest = 0;
    for (int i = 0; i < kSide * kSide; ++i) {
      if (pixel(image, i % kSide, i / kSide).a == 255) {
        const glm::dvec3 c = shaded(image, i % kSide, i / kSide);
        lowest = std::min({lowest, c.r, c.g, c.b});
        highest = std::max({highest, c.r, c.g, c.b});
      }
    }
    // Two per cent of white, of which dithering and rounding take 0.7.
    EXPECT_LE(highest, 0.5 * 1.02) << row.name;
    EXPECT_GE(lowest, row.lossless ? 0.5 * 0.98 : 0.0) << row.name;
  }
}

TEST_F(ShadingTest, SmoothSurfacesReflectTheirF0) {
  // Black below: what is left at normal incidence is F0 of each layer.
  struct Row {
    const char* name;
    std::function<void(rig::Material&)> change;
    glm::dvec3 expected;
  };
  const std::array<Row, 7> rows = {{
      {"glass", [](rig::Material&) {}, glm::dvec3(0.04)},
      {"ior 2", [](rig::Material& m) { m.ior = 2; }, glm::dvec3(1.0 / 9)},
      {"ior 0", [](rig::Material& m) { m.ior = 0; }, glm::dvec3(1)},
      {"half specular", [](rig::Material& m) { m.specular.factor = 0.5f; }, glm::dvec3(0.02)},
      {"coloured",
       [](rig::Material& m) {
         m.specular.color = {2, 1, 0.5f};
       },
       {0.08, 0.04, 0.02}},
      {"coat", [](rig::Material& m) { m.specular.factor = 0, m.clearcoat.factor = 1; }, glm::dvec3(0.04)},
      {"coat on glass", [](rig::Material& m) { m.clearcoat.factor = 1; }, glm::dvec3(0.04 + 0.96 * 0.04)},
  }};
  for (const Row& row : rows) {
    rig::Material material = white(0, 0);
    material.base_color = {0, 0, 0, 1};
    row.change(material);
    PictureScene scene(rigid(shading_square(), material));
    even_light(scene.frame);
    scene.frame.view.exposure = 0;
    const glm::dvec3 c = shaded(draw(scene));
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(c[i], row.expected[i], code_step(row.expected[i]) + 0.02 * row.expected[i]) << row.name;
    }
  }
}

TEST_F(ShadingTest, FibresScatterTheIntegralOfTheirLobe) {
  // Seen along the normal the half vector lies at half the light's angle, and the albedo is one integral.
  const double alpha = 0.6 * 0.6;
  const auto fit = [&](double x) {
    const double t = (1 - alpha) * (1 - alpha);
    const auto mix = [&](double rough, double smooth) { return rough + (smooth - rough) * t; };
    return mix(21.5473, 25.3245) / (1 + mix(3.82987, 3.32435) * std::pow(x, mix(0.19823, 0.16801))) +
           mix(-1.97760, -1.27393) * x + mix(-4.32054, -4.85967);
  };
  const auto lambda = [&](double c) { return c < 0.5 ? std::exp(fit(c)) : std::exp(2 * fit(0.5) - fit(1 - c)); };
  double albedo = 0;
  constexpr int kSteps = 4000;
  for (int i = 0; i < kSteps; ++i) {
    const double theta = (i + 0.5) / kSteps * std::numbers::pi / 2;
    const double d = (2 + 1 / alpha) * std::pow(std::sin(theta / 2), 1 / alpha) / (2 * std::numbers::pi);
    const double v = 1 / ((1 + lambda(1) + lambda(std::cos(theta))) * 4 * std::cos(theta));
    albedo +=
        d * std::min(v, 1.0) * std::cos(theta) * 2 * std::numbers::pi * std::sin(theta) * std::numbers::pi / 2 / kSteps;
  }
  rig::Material material = white(0, 1);
  material.base_color = {0, 0, 0, 1};
  material.specular.factor = 0;
  material.sheen = shading_sheen(glm::vec3(1, 0.5f, 0), 0.6f);
  PictureScene scene(rigid(shading_square(), material));
  even_light(scene.frame);
  scene.frame.view.exposure = 2;
  const glm::dvec3 c = shaded(draw(scene));
  // A table of 64 x 64 has its last texel seven degrees off the normal.
  EXPECT_NEAR(c.r, 4 * albedo, code_step(4 * albedo) + 0.03 * 4 * albedo);
  EXPECT_NEAR(c.g, 2 * albedo, code_step(2 * albedo) + 0.03 * 2 * albedo);
  EXPECT_LT(c.b, 0.001);
}

TEST_F(ShadingTest, RougherSurfacesHaveDimmerHighlights) {
  // The grid of balls: along roughness the key light's spot fades, on metal and on black plastic.
  for (const float metallic : {0.0f, 1.0f}) {
    double before = 1;
    for (const float roughness : {0.3f, 0.45f, 0.6f, 0.75f}) {
      rig::Material material = white(metallic, roughness);
      material.base_color = glm::vec4(glm::vec3(0.5f * metallic), 1);
      PictureScene scene(ball(material));
      even_light(scene.frame);
      scene.frame.view.environment = Environment::kStudio;
      scene.frame.view.exposure = metallic > 0 ? -6 : -2;
      const ImageRgba image = draw(scene);
      double brightest = 0;
      for (int i = 0; i < kSide * kSide; ++i) {
        brightest = std::max(brightest, shaded(image, i % kSide, i / kSide).g);
      }
      EXPECT_LT(brightest, 0.8 * before) << metallic << ", " << roughness;
      before = brightest;
    }
  }
}

TEST_F(ShadingTest, LightsOfTheFileFollowTheirFormulas) {
  // On a matte square of albedo 0.5 one lux gives 0.5 / pi.
  bool in_scene = true;
  const auto lit_by = [&](const rig::Light* light, const Transform& at) {
    rig::Material material = white(0, 1);
    material.base_color = {0.5f, 0.5f, 0.5f, 1};
    material.specular.factor = 0;
    rig::Character character = rigid(shading_square(), material);
    test::add_node(character, "lamp", -1, at);
    if (in_scene) {
      character.scenes.edit()[0].roots.push_back(1);
    }
    if (light != nullptr) {
      character.lights.push_back(*light);
      character.lights.edit().back().joint = 1;
    }
    rig::finish(character);
    PictureScene scene(std::move(character));
    even_light(scene.frame);
    return shaded(draw(scene)).g;
  };
  const double without = lit_by(nullptr, {});
  const auto check = [&](const char* name, const rig::Light& light, const Transform& at, double lux) {
    // Exposed by half.
    const double expected = 0.5 * lux * 0.5 / std::numbers::pi;
    EXPECT_NEAR(lit_by(&light, at) - without, expected, 2 * code_step(without + expected)) << name;
  };
  const Transform before{.translation = {0, 1, 2}};
  using rig::LightKind;
  check("directional", shading_light(LightKind::kDirectional, 2), {}, 2);
  check("point", shading_light(LightKind::kPoint, 8), before, 8.0 / 4);
  check("range", shading_light(LightKind::kPoint, 8, 4), before, 8.0 / 4 * (1 - std::pow(0.5, 4)));
  check("beyond its range", shading_light(LightKind::kPoint, 8, 2), before, 0);
  check("spot, inside", shading_light(LightKind::kSpot, 8), before, 8.0 / 4);
  // Turned by 0.3 radians the middle of the square lies between the cones.
  const Transform turned{.translation = {0, 1, 2}, .rotation = glm::angleAxis(0.3f, glm::vec3(0, 1, 0))};
  const double share = (std::cos(0.3) - std::cos(0.4)) / (std::cos(0.2) - std::cos(0.4));
  check("spot, between", shading_light(LightKind::kSpot, 8), turned, 8.0 / 4 * share * share);
  const Transform away{.translation = {0, 1, 2}, .rotation = glm::angleAxis(0.5f, glm::vec3(0, 1, 0))};
  check("spot, outside", shading_light(LightKind::kSpot, 8), away, 0);
  in_scene = false;
  check("of another scene", shading_light(LightKind::kPoint, 8), before, 0);
}

TEST_F(ShadingTest, MoreLightsThanFitAreNoted) {
  rig::Character character = rigid(shading_square(), white(0, 1));
  character.lights.assign(kLightLimit + 1, shading_light(rig::LightKind::kPoint, 1));
  PictureScene scene(std::move(character));
  draw(scene);
  EXPECT_THAT(renderer_->stats().notes, ::testing::Contains("the file has 17 lights, the first 16 shine"));
}

TEST_F(ShadingTest, ToneMappingsFollowTheirFormulas) {
  const auto neutral = [](glm::dvec3 c) {
    const double low = std::min({c.r, c.g, c.b});
    c -= low < 0.08 ? low - 6.25 * low * low : 0.04;
    const double peak = std::max({c.r, c.g, c.b});
    if (peak < 0.8 - 0.04) {
      return c;
    }
    const double d = 1 - (0.8 - 0.04);
    const double to = 1 - d * d / (peak + d - (0.8 - 0.04));
    const double g = 1 - 1 / (0.15 * (peak - to) + 1);
    return glm::mix(c * (to / peak), glm::dvec3(to), g);
  };
  const auto aces = [](glm::dvec3 c) { return c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14); };
  for (const float stops : {-2.0f, 0.0f, 3.0f}) {
    const glm::dvec3 color(0.8, 0.4, 0.05);
    rig::Material material;
    material.base_color = glm::vec4(color, 1);
    material.unlit = true;
    PictureScene scene(rigid(shading_square(), material));
    even_light(scene.frame);
    scene.frame.view.exposure = stops;
    const glm::dvec3 light = color * std::exp2(double{stops});
    const std::array<glm::dvec3, 3> expected = {neutral(light), aces(light), light};
    for (const ToneMappingInfo& row : kToneMappings) {
      scene.frame.view.tone = row.tone;
      const glm::dvec3 shown = shaded(draw(scene));
      const glm::dvec3 wanted =
          glm::min(expected[static_cast<std::size_t>(static_cast<std::size_t>(row.tone))], glm::dvec3(1));
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(shown[i], wanted[i], code_step(wanted[i])) << row.id << " at " << stops << ", channel " << i;
      }
    }
  }
}

TEST_F(ShadingTest, TexturesAreMovedEachByItsOwnTransform) {
  // Four texels in a row; where uv' = T R S uv falls, by the extension's text.
  const std::vector<std::array<std::uint8_t, 4>> texels = {
      {255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}};
  const std::array<rig::TextureTransform, 5> transforms = {
      {{},
       {.offset = {0.25f, 0}},
       {.scale = {2, 1}},
       {.rotation = 1.5707963f},
       {.offset = {0.5f, 0.1f}, .rotation = 0.7f, .scale = {1.5f, 0.5f}}}};
  for (const rig::TextureTransform& t : transforms) {
    rig::Material material;
    rig::Character character = rigid(shading_square(), material);
    character.materials.edit()[0].base_color_texture = {.texture = add_texture(character, texels), .transform = t};
    PictureScene scene(std::move(character));
    even_light(scene.frame);
    scene.frame.view.look = Look::kBaseColor;
    scene.frame.camera.orthographic = true;
    const ImageRgba image = draw(scene);
    const float aspect = 1;
    const glm::mat4 world_from_clip =
        glm::inverse(scene.frame.camera.clip_from_view(aspect) * scene.frame.camera.view_from_world());
    int compared = 0;
    for (int y = 3; y < kSide; y += 7) {
      for (int x = 3; x < kSide; x += 7) {
        const glm::vec2 ndc = (glm::vec2(x, kSide - 1 - y) + 0.5f) / static_cast<float>(kSide) * 2.0f - 1.0f;
        const glm::vec3 p(world_from_clip * glm::vec4(ndc, 0, 1));
        const glm::vec2 uv = glm::vec2(0.5f * (p.x + 1), 1 - 0.5f * p.y) * t.scale;
        const float u = t.offset.x + std::cos(t.rotation) * uv.x + std::sin(t.rotation) * uv.y;
        const float texel = (u - std::floor(u)) * 4;
        if (pixel(image, x, y).a < 255 || std::abs(texel - std::round(texel)) < 0.15f) {
          continue;  // beside the square, or close to where texels meet
        }
        const auto& wanted = texels[static_cast<std::size_t>(texel)];
        const glm::ivec4 shown = pixel(image, x, y);
        EXPECT_LE(std::abs(shown.r - wanted[0]) + std::abs(shown.g - wanted[1]) + std::abs(shown.b - wanted[2]), 6)
            << x << ", " << y;
        ++compared;
      }
    }
    EXPECT_GT(compared, 60);
  }
}

TEST_F(ShadingTest, MirroredTextureCoordinatesShadeAsGeometryDoes) {
  // A normal map that tilts towards growing u: where u runs backwards, so does the normal. Both with tangents and
  // without, where they come from derivatives.
  const double x = (191 / 255.0) * 2 - 1;
  const auto tilted = [&](bool mirrored) {
    mesh::Primitive primitive = shading_square();
    primitive.normals.assign(4, glm::normalize(glm::vec3(mirrored ? -x : x, 0, std::sqrt(1 - x * x))));
    PictureScene scene(rigid(std::move(primitive), white(0, 0.9f)));
    even_light(scene.frame);
    scene.frame.view.environment = Environment::kStudio;
    scene.frame.view.exposure = -2;
    return shaded(draw(scene));
  };
  for (const bool mirrored : {false, true}) {
    const glm::dvec3 expected = tilted(mirrored);
    for (const bool tangents : {true, false}) {
      mesh::Primitive primitive = shading_square(0, mirrored);
      if (tangents) {
        primitive.tangents.assign(4, mirrored ? glm::vec4(-1, 0, 0, -1) : glm::vec4(1, 0, 0, 1));
      }
      rig::Character character = rigid(std::move(primitive), white(0, 0.9f));
      const auto z = static_cast<std::uint8_t>(std::lround((std::sqrt(1 - x * x) * 0.5 + 0.5) * 255));
      // 0 lies between two codes; this is the nearer one.
      character.materials.edit()[0].normal_texture = {.texture = add_texture(character, {{191, 128, z, 255}})};
      PictureScene scene(std::move(character));
      even_light(scene.frame);
      scene.frame.view.environment = Environment::kStudio;
      scene.frame.view.exposure = -2;
      const glm::dvec3 shown = shaded(draw(scene));
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(shown[i], expected[i], 2 * code_step(expected[i])) << mirrored << ", tangents " << tangents;
      }
    }
  }
}

TEST_F(ShadingTest, AMirroredNodeIsNotInsideOut) {
  PictureScene plain(ball(white(0, 0.5f)));
  rig::Character character = ball(white(0, 0.5f));
  character.skeleton.edit().rest[0].scale = {-1, 1, 1};
  PictureScene mirrored(std::move(character));
  for (PictureScene* scene : {&plain, &mirrored}) {
    even_light(scene->frame);
    scene->frame.view.environment = Environment::kStudio;
  }
  EXPECT_LE(difference(draw(plain), draw(mirrored)), 4) << "edges round anew";
}

TEST_F(ShadingTest, MasksCoverWhatReachesTheCutoff) {
  // Alpha grows from 0 to 1 across the square: what is above the cutoff is 1 - cutoff of its width.
  for (const int samples : {1, 4}) {
    for (const float cutoff : {0.25f, 0.5f, 0.8f}) {
      rig::Material material;
      material.alpha_mode = rig::AlphaMode::kMask;
      material.alpha_cutoff = cutoff;
      rig::Character character = rigid(shading_square(), material);
      std::vector<std::array<std::uint8_t, 4>> ramp;
      for (int i = 0; i < 256; ++i) {
        ramp.push_back({255, 255, 255, static_cast<std::uint8_t>(i)});
      }
      character.materials.edit()[0].base_color_texture = {.texture =
                                                              add_texture(character, ramp, rig::Filter::kLinear)};
      PictureScene scene(std::move(character));
      even_light(scene.frame);
      scene.frame.view.samples = samples;
      const ImageRgba image = draw(scene);
      PictureScene whole(rigid(shading_square(), {}));
      even_light(whole.frame);
      whole.frame.view.samples = samples;
      const ImageRgba all = draw(whole);
      double covered = 0;
      double of = 0;
      for (int px = 0; px < kSide; ++px) {
        covered += pixel(image, px, kMiddle).a / 255.0;
        of += pixel(all, px, kMiddle).a / 255.0;
      }
      EXPECT_NEAR(covered / of, 1 - cutoff, 0.6 / of + 1.0 / 255) << samples << " samples, cutoff " << cutoff;
    }
  }
}

TEST_F(ShadingTest, HolesHaveSmoothEdgesWhereSamplesAllow) {
  // An edge that leans: with four samples some pixels of it are covered in part, with the surface's own colour.
  rig::Material material;
  material.alpha_mode = rig::AlphaMode::kMask;
  material.unlit = true;
  material.base_color = {0.5f, 0.5f, 0.5f, 1};
  rig::Character character = rigid(shading_square(), material);
  const int mask = add_texture(character, {{255, 255, 255, 0}, {255, 255, 255, 255}}, rig::Filter::kLinear);
  character.materials.edit()[0].base_color_texture = {
      .texture = mask, .transform = {.offset = {0.2f, 0}, .rotation = 0.2f, .scale = {0.5f, 0.5f}}};
  PictureScene scene(std::move(character));
  even_light(scene.frame);
  scene.frame.view.exposure = 0;
  const ImageRgba image = draw(scene);
  int partly = 0;
  for (int y = kSide / 4; y < 3 * kSide / 4; ++y) {
    for (int x = kSide / 4; x < 3 * kSide / 4; ++x) {
      const glm::ivec4 p = pixel(image, x, y);
      if (p.a > 30 && p.a < 225) {
        ++partly;
        EXPECT_NEAR(shading_linear(p.g), 0.5, 0.03);  // straight alpha
      }
    }
  }
  EXPECT_GT(partly, kSide / 8);
}

TEST_F(ShadingTest, GlassShowsWhatStandsBehindIt) {
  // Red glass without reflection before a square that shines.
  const auto through = [&](float transmission, float roughness, int x) {
    rig::Material lamp;
    lamp.base_color = {0.8f, 0.6f, 0.4f, 1};
    lamp.unlit = true;
    rig::Character character = rigid(shading_square(-1), lamp);
    rig::Material glass = white(0, roughness);
    glass.base_color = {0.5f, 0.25f, 1, 1};
    glass.specular.factor = 0;
    glass.transmission.factor = transmission;
    character.materials.push_back(glass);
    mesh::Primitive pane = shading_square(0);
    pane.material = 1;
    std::vector<Shared<mesh::Primitive>>& primitives = character.meshes.edit(0).primitives.edit_items();
    primitives.insert(primitives.begin(), std::move(pane));
    rig::finish(character);
    PictureScene scene(std::move(character));
    even_light(scene.frame);
    scene.frame.view.background = glm::vec4(0, 0, 0, 1);
    scene.frame.view.exposure = 0;
    return shaded(draw(scene), x);
  };
  const std::array<double, 3> tint = {0.5, 0.25, 1};
  const std::array<double, 3> lamp = {0.8, 0.6, 0.4};
  const glm::dvec3 clear = through(1, 0, kMiddle);
  const glm::dvec3 half = through(0.5f, 0, kMiddle);
  for (int i = 0; i < 3; ++i) {
    const double passed = tint[i] * lamp[i];
    EXPECT_NEAR(clear[i], passed, code_step(passed) + 0.01) << i;
    const double mixed = 0.5 * passed + 0.5 * tint[i];  // the other half scatters white light
    EXPECT_NEAR(half[i], mixed, code_step(mixed) + 0.01) << i;
  }
  // Rough glass spreads the lamp: just within its edge it loses light to what surrounds it, which is dark.
  EXPECT_LT(through(1, 0.6f, kMiddle + 28).g, 0.9 * through(1, 0, kMiddle + 28).g);
}

TEST_F(ShadingTest, BlendedSurfacesAreDrawnFromBackToFront) {
  // Whatever the file's order, red lies over blue.
  std::vector<ImageRgba> pictures;
  for (const bool near_first : {true, false}) {
    rig::Material front;
    front.alpha_mode = rig::AlphaMode::kBlend;
    front.unlit = true;
    front.base_color = {1, 0, 0, 0.5f};
    rig::Material back = front;
    back.base_color = {0, 0, 1, 1};
    rig::Character character = rigid(shading_square(near_first ? 0.5f : -0.5f), near_first ? front : back);
    character.materials.push_back(near_first ? back : front);
    mesh::Primitive other = shading_square(near_first ? -0.5f : 0.5f);
    other.material = 1;
    character.meshes.edit(0).primitives.push_back(std::move(other));
    rig::finish(character);
    PictureScene scene(std::move(character));
    even_light(scene.frame);
    scene.frame.deformed = nullptr;
    scene.frame.view.exposure = 0;
    const glm::dvec3 c = shaded(draw(scene));
    EXPECT_NEAR(c.r, 0.5, 2 * code_step(0.5));
    EXPECT_NEAR(c.b, 0.5, 2 * code_step(0.5));
  }
}

TEST_F(ShadingTest, PointsAndLinesWithoutNormalsAreNotLit) {
  // glTF 2.0, 3.9.7: base colour and emissive, whatever the light.
  rig::Material material = white(0, 1);
  material.base_color = {0.5f, 0.25f, 0, 1};
  material.emissive = {0, 0, 0.5f};
  for (const mesh::Topology topology : {mesh::Topology::kPoints, mesh::Topology::kLines}) {
    mesh::Primitive primitive;
    primitive.topology = topology;
    primitive.positions = {{-1, 0, 0}, {0, 1, 0}, {1, 2, 0}};
    primitive.indices = {0, 1, 2};
    if (topology == mesh::Topology::kLines) {
      primitive.positions.clear();
      primitive.indices.clear();
      for (std::uint32_t row = 0; row < 100; ++row) {  // as close as pixels
        const float y = 0.02f * static_cast<float>(row);
        primitive.positions.append({{-1, y, 0}, {1, y, 0}});
        primitive.indices.append({2 * row, 2 * row + 1});
      }
    }
    PictureScene scene(rigid(std::move(primitive), material));
    even_light(scene.frame);
    scene.frame.view.exposure = 0;
    for (const Environment light : {Environment::kWhite, Environment::kStudio}) {
      scene.frame.view.environment = light;
      const glm::dvec3 c = shaded(draw(scene));
      EXPECT_NEAR(c.r, 0.5, 2 * code_step(0.5));
      EXPECT_NEAR(c.g, 0.25, 2 * code_step(0.25));
      EXPECT_NEAR(c.b, 0.5, 2 * code_step(0.5));
    }
  }
}

TEST_F(ShadingTest, WhatLiesFlatOnTheGroundIsSeen) {
  rig::Material material;
  material.unlit = true;
  material.base_color = {1, 0, 0, 1};
  mesh::Primitive floor;
  floor.positions = {{-1, 0, 1}, {1, 0, 1}, {1, 0, -1}, {-1, 0, -1}};
  floor.normals.assign(4, glm::vec3(0, 1, 0));
  floor.indices = {0, 1, 2, 0, 2, 3};
  PictureScene scene(rigid(std::move(floor), material));
  scene.frame.camera.elevation = 0.3f;
  scene.frame.view.shadow = false;  // which would darken what the plate's outermost pixels are mixed with
  std::array<int, 2> red{};
  for (const bool ground : {false, true}) {
    scene.frame.view.ground = ground;
    scene.frame.view.grid = ground;
    const ImageRgba image = draw(scene);
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const glm::ivec4 p = pixel(image, x, y);
        red[ground ? 1 : 0] += p.r > 200 && p.g < 40 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(red[0], kSide * kSide / 20);
  EXPECT_EQ(red[1], red[0]);
}

TEST_F(ShadingTest, AnImageOfOneColourLightsAsEvenLightDoes) {
  PictureScene scene(ball(white(0.3f, 0.4f)));
  even_light(scene.frame);
  const ImageRgba even = draw(scene);
  auto image = std::make_shared<EnvironmentImage>();
  image->width = 8;
  image->height = 4;
  image->pixels.assign(32, glm::vec3(1));
  scene.frame.view.environment = Environment::kImage;
  scene.frame.view.environment_image = image;
  EXPECT_LE(difference(draw(scene), even), 1);
}

TEST_F(ShadingTest, AnImageIsSeenWhereItsDirectionsSay) {
  // Longitude 0 is -x on the left edge, -z a quarter on, +x in the middle: a mirror that faces +z, seen from +z, shows
  // +z.
  auto image = std::make_shared<EnvironmentImage>();
  image->width = 64;
  image->height = 32;
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 64; ++x) {
      image->pixels.emplace_back(x >= 40 && x < 56 ? 0.5f : 0.0f, y < 16 ? 0.5f : 0.0f, 0.1f);
    }
  }
  PictureScene scene(ball(white(1, 0)));
  even_light(scene.frame);
  scene.frame.view.exposure = 0;
  scene.frame.view.environment = Environment::kImage;
  scene.frame.view.environment_image = image;
  const ImageRgba picture = draw(scene);
  EXPECT_NEAR(shaded(picture).r, 0.5, 0.03);
  EXPECT_GT(shaded(picture, kMiddle, kMiddle - 12).g, 0.4);
  EXPECT_LT(shaded(picture, kMiddle, kMiddle + 12).g, 0.1);
}

TEST_F(ShadingTest, EnvironmentsDifferAndShowThemselves) {
  PictureScene scene(ball(white(0, 0.5f)));
  std::vector<ImageRgba> pictures;
  for (const EnvironmentInfo& row : kEnvironments) {
    scene.frame.view.environment = row.environment;
    pictures.push_back(draw(scene));
    for (std::size_t other = 0; other + 1 < pictures.size(); ++other) {
      EXPECT_GT(difference(pictures[other], pictures.back()), 40) << row.id << " and " << kEnvironments[other].id;
    }
  }
}

TEST_F(ShadingTest, EdgesAreDarkenedOnce) {
  PictureScene scene(ball(white(0, 0.5f)));
  even_light(scene.frame);
  scene.frame.view.look = Look::kWireframe;
  scene.frame.view.background = glm::vec4(1);
  const ImageRgba image = draw(scene);
  double darkest = 1;
  for (int i = 0; i < kSide * kSide; ++i) {
    darkest = std::min(darkest, shaded(image, i % kSide, i / kSide).r);
  }
  // Paper of at least 0.62 x 0.88 under an edge that takes 0.7; a second one would leave 0.05.
  EXPECT_GT(darkest, 0.62 * 0.88 * 0.3 - 0.01);
  EXPECT_LT(darkest, 0.25);
}

TEST_F(ShadingTest, OcclusionCanBeLeftOut) {
  rig::Character two = ball(white(0, 1));
  mesh::Primitive second = two.meshes[0].primitives[0];
  for (glm::vec3& p : second.positions.edit()) {
    p.x += 1.9f;
  }
  two.meshes.edit(0).primitives.push_back(std::move(second));
  rig::finish(two);
  PictureScene scene(std::move(two));
  even_light(scene.frame);
  const ImageRgba without = draw(scene);
  scene.frame.view.occlusion = true;
  const ImageRgba with = draw(scene);
  EXPECT_GT(difference(with, without), 8);
  for (int i = 0; i < kSide * kSide; ++i) {
    const glm::ivec4 p = pixel(without, i % kSide, i / kSide);
    if (p.a == 255) {
      EXPECT_NEAR(p.g, 188, 2);  // 0.5
    }
  }
}

TEST_F(ShadingTest, LayersDoWithoutTexturesThatADeviceCannotReadAtOnce) {
  rig::Character character = rigid(shading_square(), white(0, 1));
  const int texture = add_texture(character, {{255, 255, 255, 255}});
  rig::Material& m = character.materials.edit()[0];
  m.specular.factor = 0.5f;
  m.clearcoat.factor = 1;
  m.sheen.color = glm::vec3(1);
  m.transmission.factor = 1;
  for (rig::TextureRef* reference :
       {&m.specular.texture, &m.specular.color_texture, &m.clearcoat.texture, &m.clearcoat.roughness_texture,
        &m.clearcoat.normal_texture, &m.sheen.color_texture, &m.sheen.roughness_texture, &m.transmission.texture}) {
    reference->texture = texture;
  }
  DeviceLimits limits = device_limits();
  limits.texture_units = 16;
  GpuMaterials materials;
  materials.upload(character, limits);
  EXPECT_THAT(materials.notes(),
              ::testing::ElementsAre("material 0 has 5 textures more than the 16 this device reads at "
                                     "once; its layers are drawn without them"));
  // With all of them the picture is that of the factors alone, white being what they multiply.
  const auto shown = [&](bool textured) {
    rig::Character copy = character;
    if (!textured) {
      rig::Material& plain = copy.materials.edit()[0];
      plain.specular.texture = plain.specular.color_texture = {};
      plain.clearcoat.texture = plain.clearcoat.roughness_texture = {};
      plain.sheen.color_texture = plain.sheen.roughness_texture = {};
      plain.transmission.texture = {};
    }
    copy.materials.edit()[0].clearcoat.normal_texture.texture =
        textured ? add_texture(copy, {{128, 128, 255, 255}}) : -1;
    PictureScene scene(std::move(copy));
    even_light(scene.frame);
    scene.frame.view.environment = Environment::kStudio;
    return draw(scene);
  };
  EXPECT_LE(difference(shown(true), shown(false)), 2);
}

std::vector<std::byte> radiance_bytes(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}
const std::string kRadianceHead = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n";

TEST(RadiancePicture, IsReadInAllItsEncodings) {
  // (128, 64, 0) at exponent 129 are 1, 0.5 and 0.
  const std::string p("\x80\x40\x00\x81", 4);
  const std::string black("\0\0\0\0", 4);
  const auto flat = read_radiance_hdr(radiance_bytes(kRadianceHead + "-Y 1 +X 2\n" + p + black));
  ASSERT_TRUE(flat) << flat.error().message;
  EXPECT_EQ(flat->width, 2);
  EXPECT_EQ(flat->height, 1);
  EXPECT_EQ(flat->pixels[0], glm::vec3(1, 0.5f, 0));
  EXPECT_EQ(flat->pixels[1], glm::vec3(0));
  // The older runs: one pixel, repeated thrice.
  const auto repeated =
      read_radiance_hdr(radiance_bytes(kRadianceHead + "-Y 1 +X 4\n" + p + std::string("\1\1\1\3", 4)));
  ASSERT_TRUE(repeated) << repeated.error().message;
  EXPECT_EQ(repeated->pixels[3], glm::vec3(1, 0.5f, 0));
  // The newer ones: each component alone, runs and literals.
  std::string row("\2\2\0\x8", 4);
  row += std::string("\x88\x80", 2) + std::string("\x88\x40", 2) + std::string("\x88\0", 2) +
         std::string("\x4\x81\x81\x81\x81\x84\x82", 7);
  const auto runs = read_radiance_hdr(radiance_bytes(kRadianceHead + "-Y 1 +X 8\n" + row));
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ(runs->pixels[0], glm::vec3(1, 0.5f, 0));
  EXPECT_EQ(runs->pixels[7], glm::vec3(2, 1, 0));
}

TEST(RadiancePicture, BrokenOnesAreNamed) {
  const auto message = [](const std::string& text) {
    const auto image = read_radiance_hdr(radiance_bytes(text));
    return image ? std::string("read") : image.error().message;
  };
  EXPECT_THAT(message(""), ::testing::HasSubstr("expected #?RADIANCE"));
  EXPECT_THAT(message("#?RADIANCE\n"), ::testing::HasSubstr("ends within its header"));
  EXPECT_THAT(message("#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n"), ::testing::HasSubstr("32-bit_rle_xyze"));
  EXPECT_THAT(message(kRadianceHead + "+X 2 -Y 2\n"), ::testing::HasSubstr("expected -Y HEIGHT +X WIDTH"));
  EXPECT_THAT(message(kRadianceHead + "-Y 1 +X 99999\n"), ::testing::HasSubstr("99999"));
  EXPECT_THAT(message(kRadianceHead + "-Y 16000 +X 16000\nabcd"), ::testing::HasSubstr("need at least"));
  EXPECT_THAT(message(kRadianceHead + "-Y 1 +X 2\n\x80\x40"), ::testing::HasSubstr("need at least"));
  EXPECT_THAT(message(kRadianceHead + "-Y 1 +X 4\n" + std::string("\1\1\1\4", 4)), ::testing::HasSubstr("row 0 of 1"));
  EXPECT_THAT(message(kRadianceHead + "-Y 1 +X 8\n" + std::string("\2\2\0\x8\x89\x80\0\0\0\0\0\0", 12)),
              ::testing::HasSubstr("row 0 of 1"));
}

TEST(RadiancePicture, OnesNarrowerOrLowerThanABlockKeepTheirBrightness) {
  std::string pixels;
  for (int i = 0; i < 8192; ++i) {
    pixels += std::string("\x80\x40\x00\x81", 4);
  }
  const auto narrow = read_radiance_hdr(radiance_bytes(kRadianceHead + "-Y 8192 +X 1\n" + pixels));
  ASSERT_TRUE(narrow) << narrow.error().message;
  EXPECT_EQ(narrow->width, 1);
  EXPECT_EQ(narrow->height, 2048);
  for (const glm::vec3& pixel : narrow->pixels) {
    ASSERT_EQ(pixel, glm::vec3(1, 0.5f, 0));
  }
}

TEST(RadiancePicture, LargeOnesAreHalved) {
  std::string text = kRadianceHead + "-Y 2 +X 4096\n";
  for (int y = 0; y < 2; ++y) {
    text += std::string("\2\2\x10\0", 4);
    for (const char value : {'\x80', '\x80', '\x80', y == 0 ? '\x81' : '\x82'}) {
      for (int i = 0; i < 32; ++i) {
        text += '\xff';
        text += value;
      }
      text += std::string(1, '\xa0') + value;  // 32 x 127 + 32 = 4096
    }
  }
  const auto image = read_radiance_hdr(radiance_bytes(text));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->width, 2048);
  EXPECT_EQ(image->height, 1);
  EXPECT_EQ(image->pixels[1000], glm::vec3(1.5f));
}

TEST(EnvironmentImage, KnowsWhereItsSunStands) {
  EnvironmentImage image;
  image.width = 32;
  image.height = 16;
  image.pixels.assign(512, glm::vec3(0.1f));
  EXPECT_NEAR(brightest_direction(image).y, 1, 1e-3);
  image.pixels[4 * 32 + 8] = glm::vec3(100);  // latitude 49.4 degrees, longitude -84.4: almost -z
  const glm::vec3 d = brightest_direction(image);
  const double latitude = std::numbers::pi * (0.5 - 4.5 / 16);
  EXPECT_NEAR(d.y, std::sin(latitude), 1e-2);
  EXPECT_NEAR(d.z, std::cos(latitude) * std::sin(2 * std::numbers::pi * (8.5 / 32 - 0.5)), 1e-2);
}

}  // namespace
}  // namespace pelt::render
