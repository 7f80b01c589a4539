// Image-based light: Karis, "Real Shading in Unreal Engine 4", SIGGRAPH 2013 course (split sum).
#include "render/studio.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <glm/gtc/matrix_transform.hpp>

#include "core/embedded.h"
#include "render/shader_interface.h"

namespace pelt::embedded {
std::span<const EmbeddedFile> studio();
}  // namespace pelt::embedded

namespace pelt::render {
namespace {

constexpr int kRadianceSize = 128;  // pixels of a face, sharpest level
constexpr int kRadianceLevels = 6;  // roughness 0, 0.2 ... 1; mirrored in surface.frag
constexpr int kSheenSize = 32;
constexpr int kSheenLevels = 4;  // roughness 0, 1/3, 2/3, 1; mirrored in surface.frag
constexpr int kIrradianceSize = 16;
constexpr int kBrdfSize = 64;
constexpr int kShadowSize = 2048;
constexpr int kContactHeightSize = 1024;
constexpr int kSoftContactSize = 128;
constexpr int kContactSize = 512;
constexpr int kGroundShadowSize = 400;
// How far the two contact shadows spread, of the height that they see, which is a quarter of the diagonal.
constexpr float kSoftReach = 0.30f;
constexpr float kTightReach = 0.13f;

// std140 image of the block in shaders/studio/lights.glsl.
struct StudioBlock {
  glm::mat4 shadow_from_world;
  glm::mat4 contact_from_world;
  glm::vec4 key_direction;
  glm::vec4 key_color;
  glm::vec4 shadow_size;
  glm::vec4 ground;
  glm::vec4 backdrop_low;
  glm::vec4 backdrop_high;
  glm::vec4 ground_color;
  glm::vec4 ground_center;
  glm::vec4 ground_map;
  glm::vec4 rim_color;
};

const glm::vec3 kBackdropLow = glm::vec3(0.150f, 0.156f, 0.168f);
const glm::vec3 kBackdropHigh = glm::vec3(0.047f, 0.050f, 0.057f);

// std140 image of the block in shaders/studio/punctual.glsl.
struct PunctualLightBlock {
  glm::vec4 position;
  glm::vec4 color;
  glm::vec4 direction;
  glm::vec4 cone;
};
struct LightsBlock {
  glm::ivec4 count;
  std::array<PunctualLightBlock, kLightLimit> lights;
};

const glm::mat4 kHalfFromClip(glm::vec4(0.5f, 0, 0, 0), glm::vec4(0, 0.5f, 0, 0), glm::vec4(0, 0, 0.5f, 0),
                              glm::vec4(0.5f, 0.5f, 0.5f, 1));

Texture make_texture_2d(GLenum internal, int size, GLenum format, GLenum type, GLenum filter, GLenum wrap) {
  Texture texture = Texture::make();
  glBindTexture(GL_TEXTURE_2D, texture.id());
  glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(internal), size, size, 0, format, type, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, static_cast<GLint>(filter));
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, static_cast<GLint>(filter));
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, static_cast<GLint>(wrap));
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, static_cast<GLint>(wrap));
  return texture;
}

Texture make_cube(int size, int levels) {
  Texture texture = Texture::make();
  glBindTexture(GL_TEXTURE_CUBE_MAP, texture.id());
  for (int level = 0; level < levels; ++level) {
    for (unsigned face = 0; face < 6; ++face) {
      glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, GL_RGBA16F, size >> level, size >> level, 0, GL_RGBA,
                   GL_FLOAT, nullptr);
    }
  }
  glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAX_LEVEL, levels - 1);
  glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, levels > 1 ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
  glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
  return texture;
}

void draw_triangle(const VertexArray& empty) {
  glBindVertexArray(empty.id());
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

Sampler make_depth_sampler(bool compare) {
  Sampler sampler = Sampler::make();
  const GLint filter = compare ? GL_LINEAR : GL_NEAREST;
  glSamplerParameteri(sampler.id(), GL_TEXTURE_MIN_FILTER, filter);
  glSamplerParameteri(sampler.id(), GL_TEXTURE_MAG_FILTER, filter);
  glSamplerParameteri(sampler.id(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
  glSamplerParameteri(sampler.id(), GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
  constexpr std::array<float, 4> kFar = {1, 1, 1, 1};
  glSamplerParameterfv(sampler.id(), GL_TEXTURE_BORDER_COLOR, kFar.data());
  if (compare) {
    glSamplerParameteri(sampler.id(), GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glSamplerParameteri(sampler.id(), GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
  }
  return sampler;
}

void bind_texture(int unit, GLenum target, const Texture& texture, const Sampler* sampler = nullptr) {
  glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
  glBindTexture(target, texture.id());
  glBindSampler(static_cast<GLuint>(unit), sampler != nullptr ? sampler->id() : 0);
}

// assets/studio.light: what gathering takes longest. Its sharpest level is one look at the environment per texel.
constexpr std::size_t kRecordedBrdfBytes = sizeof(std::uint16_t) * 2 * kBrdfSize * kBrdfSize;
constexpr std::size_t kRecordedBytes = [] {
  std::size_t texels = 6 * kIrradianceSize * kIrradianceSize;
  for (int level = 1; level < kRadianceLevels; ++level) {
    texels += static_cast<std::size_t>(6 * (kRadianceSize >> level) * (kRadianceSize >> level));
  }
  return sizeof(std::uint16_t) * 3 * texels + kRecordedBrdfBytes;
}();

std::string_view recorded_studio() {
  const EmbeddedFile* const file = find_embedded(embedded::studio(), "studio.light");
  return file != nullptr ? file->bytes : std::string_view();
}

/// @param use  (of the radiance, face, level, side in texels, where its first value stands)
void each_recorded_face(const std::function<void(bool, unsigned, int, int, std::size_t)>& use) {
  std::size_t at = 0;
  const auto faces = [&](bool radiance, int level, int size) {
    for (unsigned face = 0; face < 6; ++face, at += static_cast<std::size_t>(3 * size * size)) {
      use(radiance, face, level, size, at);
    }
  };
  faces(false, 0, kIrradianceSize);
  for (int level = 1; level < kRadianceLevels; ++level) {
    faces(true, level, kRadianceSize >> level);
  }
}

// A power of ten so that about ten to a hundred lines cross the character.
float grid_spacing(float radius) {
  return std::pow(10.0f, std::round(std::log10(std::max(radius, 1e-6f) * 0.12f)));
}

}  // namespace

Result<Studio> Studio::create(ProgramCache& programs, bool recorded) {
  Studio studio;
  studio.recorded_ = recorded && !programs.library().is_live() && recorded_studio().size() == kRecordedBytes;
  studio.empty_ = VertexArray::make();
  studio.block_ = Buffer::make();
  studio.shadow_frame_ = Buffer::make();
  studio.contact_frame_ = Buffer::make();
  studio.compare_sampler_ = make_depth_sampler(true);
  studio.plain_sampler_ = make_depth_sampler(false);

  studio.lights_block_ = Buffer::make();
  studio.light_ = environment_light({});
  PELT_TRY(studio.fill_environment(programs, false));
  PELT_TRY(studio.fill_brdf(programs, false));

  PELT_TRY_TO(std::unique_ptr<Maps> maps, make_maps());
  studio.maps_[0] = std::move(maps);
  glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  PELT_TRY(check_gl("making the studio"));
  return studio;
}

Status Studio::prepare(ProgramCache& programs, const ViewSettings& view, bool sheen) {
  const bool other = view.environment != environment_ ||
                     (view.environment == Environment::kImage && view.environment_image != environment_image_);
  const bool fibres = sheen && !sheen_;
  if (!other && !fibres && has_maps_) {
    return {};
  }
  environment_ = view.environment;
  environment_image_ = view.environment == Environment::kImage ? view.environment_image : nullptr;
  light_ = environment_light(view);
  if (Status status = fill_environment(programs, sheen || static_cast<bool>(sheen_)); !status) {
    return status;
  }
  if (fibres) {
    if (Status status = fill_brdf(programs, true); !status) {
      return status;
    }
  }
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  return {};
}

Status Studio::fill_environment(ProgramCache& programs, bool sheen) {
  has_maps_ = false;
  if (environment_image_ != nullptr) {
    const EnvironmentImage& image = *environment_image_;
    image_ = Texture::make();
    glActiveTexture(GL_TEXTURE0 + kUnitSource);
    glBindSampler(kUnitSource, 0);
    glBindTexture(GL_TEXTURE_2D, image_.id());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB16F, image.width, image.height, 0, GL_RGB, GL_FLOAT, image.pixels.data());
    glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  }
  const Framebuffer target = Framebuffer::make();
  glBindFramebuffer(GL_FRAMEBUFFER, target.id());
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_BLEND);
  glDisable(GL_CULL_FACE);
  const std::string shader = fmt::format("\"{}\"", light_.shader);
  const auto program_for = [&](bool fibres) {
    std::vector<Define> defines = {{"ENVIRONMENT", shader}};
    if (fibres) {
      defines.emplace_back("GATHER_SHEEN", "1");
    }
    return programs.get(ProgramSource{"screen/triangle.vert", "studio/environment.frag", defines, {}});
  };
  const auto fill = [&](const Program& gather, const Texture& cube, int size, int level, float alpha, int samples) {
    glUseProgram(gather.id());
    glViewport(0, 0, size, size);
    glUniform1f(uniform(gather, "u_alpha"), alpha);
    glUniform1i(uniform(gather, "u_sample_count"), samples);
    glUniform1f(uniform(gather, "u_texel"), 4.0f * 3.14159265f / (6.0f * static_cast<float>(size * size)));
    for (int face = 0; face < 6; ++face) {
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                             GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(face), cube.id(), level);
      glUniform1i(uniform(gather, "u_face"), face);
      draw_triangle(empty_);
    }
  };
  PELT_TRY_TO(const Program* const gather, program_for(false));
  irradiance_ = make_cube(kIrradianceSize, 1);
  radiance_ = make_cube(kRadianceSize, kRadianceLevels);
  if (image_) {
    glActiveTexture(GL_TEXTURE0 + kUnitSource);
    glBindTexture(GL_TEXTURE_2D, image_.id());
  }
  const bool computed = !has_recording();
  if (computed) {
    fill(*gather, irradiance_, kIrradianceSize, 0, -1.0f, 256);
  } else {
    take_recorded_cubes();
  }
  for (int level = 0; level < (computed ? kRadianceLevels : 1); ++level) {
    const float roughness = static_cast<float>(level) / static_cast<float>(kRadianceLevels - 1);
    // Wide lobes need many samples and few texels.
    fill(*gather, radiance_, kRadianceSize >> level, level, roughness * roughness, 32 << std::min(level, 3));
  }
  if (sheen) {
    PELT_TRY_TO(const Program* const fibres, program_for(true));
    sheen_ = make_cube(kSheenSize, kSheenLevels);
    for (int level = 0; level < kSheenLevels; ++level) {
      const float roughness = std::max(static_cast<float>(level) / static_cast<float>(kSheenLevels - 1), 0.07f);
      fill(*fibres, sheen_, kSheenSize >> level, level, roughness * roughness, 128);
    }
  }
  image_ = Texture();
  PELT_TRY(check_framebuffer("the studio's reflection map"));
  has_maps_ = true;
  return {};
}

bool Studio::has_recording() const {
  return recorded_ && environment_ == Environment::kStudio;
}

void Studio::take_recorded_cubes() const {
  glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
  each_recorded_face([&](bool radiance, unsigned face, int level, int size, std::size_t at) {
    glBindTexture(GL_TEXTURE_CUBE_MAP, (radiance ? radiance_ : irradiance_).id());
    glTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, 0, 0, size, size, GL_RGB, GL_HALF_FLOAT,
                    recorded_studio().data() + sizeof(std::uint16_t) * at);
  });
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

Status Studio::take_recorded_brdf() {
  brdf_ = make_texture_2d(GL_RG16F, kBrdfSize, GL_RG, GL_FLOAT, GL_LINEAR, GL_CLAMP_TO_EDGE);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kBrdfSize, kBrdfSize, GL_RG, GL_HALF_FLOAT,
                  recorded_studio().data() + kRecordedBytes - kRecordedBrdfBytes);
  return check_gl("the table of reflection");
}

std::vector<std::uint16_t> Studio::recording() const {
  std::vector<std::uint16_t> values(kRecordedBytes / sizeof(std::uint16_t));
  glPixelStorei(GL_PACK_ALIGNMENT, 2);
  each_recorded_face([&](bool radiance, unsigned face, int level, int, std::size_t at) {
    glBindTexture(GL_TEXTURE_CUBE_MAP, (radiance ? radiance_ : irradiance_).id());
    glGetTexImage(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, GL_RGB, GL_HALF_FLOAT, values.data() + at);
  });
  glBindTexture(GL_TEXTURE_2D, brdf_.id());
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RG, GL_HALF_FLOAT,
                values.data() + values.size() - kRecordedBrdfBytes / sizeof(std::uint16_t));
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  return values;
}

Status Studio::fill_brdf(ProgramCache& programs, bool sheen) {
  if (!sheen && recorded_) {
    return take_recorded_brdf();
  }
  std::vector<Define> defines;
  if (sheen) {
    defines.emplace_back("SHEEN", "1");
  }
  const Result<const Program*> table =
      programs.get(ProgramSource{"screen/triangle.vert", "studio/brdf.frag", defines, {}});
  if (!table) {
    return table.error();
  }
  brdf_ = make_texture_2d(sheen ? GL_RGBA16F : GL_RG16F, kBrdfSize, sheen ? GL_RGBA : GL_RG, GL_FLOAT, GL_LINEAR,
                          GL_CLAMP_TO_EDGE);
  const Framebuffer target = Framebuffer::make();
  glBindFramebuffer(GL_FRAMEBUFFER, target.id());
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_BLEND);
  glDisable(GL_CULL_FACE);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, brdf_.id(), 0);
  PELT_TRY(check_framebuffer("the table of reflection"));
  glViewport(0, 0, kBrdfSize, kBrdfSize);
  glUseProgram((*table)->id());
  draw_triangle(empty_);
  return {};
}

void Studio::place_lights(std::span<const rig::Light> lights, std::span<const glm::mat4> world_matrices) {
  LightsBlock block{};
  light_count_ = 0;
  for (const rig::Light& light : lights) {
    if (light_count_ == kLightLimit) {
      break;
    }
    const glm::mat4& world = world_matrices[light.joint];
    const glm::vec3 along = -glm::vec3(world[2]);
    const float length = glm::length(along);
    PunctualLightBlock& row = block.lights[light_count_++];
    const bool spot = light.kind == rig::LightKind::kSpot;
    row.position = glm::vec4(glm::vec3(world[3]), light.kind == rig::LightKind::kDirectional ? 0.0f : 1.0f);
    row.color = glm::vec4(light.color * light.intensity, light.range);
    row.direction = glm::vec4(length > 0.0f ? along / length : glm::vec3(0, 0, -1), 0.0f);
    const float scale = spot ? 1.0f / std::max(0.001f, std::cos(light.inner_cone) - std::cos(light.outer_cone)) : 0.0f;
    row.cone = glm::vec4(scale, spot ? -std::cos(light.outer_cone) * scale : 1.0f, 0.0f, 0.0f);
  }
  block.count.x = light_count_;
  if (light_count_ > 0) {
    upload(lights_block_, std::span<const LightsBlock>(&block, 1), GL_DYNAMIC_DRAW);
  }
}

Result<std::unique_ptr<Studio::Maps>> Studio::make_maps() {
  auto maps = std::make_unique<Maps>();
  const auto make_depth_target = [](const Texture& depth) {
    Framebuffer framebuffer = Framebuffer::make();
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth.id(), 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    return framebuffer;
  };
  maps->shadow_depth = make_texture_2d(GL_DEPTH_COMPONENT24, kShadowSize, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT,
                                       GL_NEAREST, GL_CLAMP_TO_EDGE);
  maps->shadow_target = make_depth_target(maps->shadow_depth);
  maps->contact_height = make_texture_2d(GL_DEPTH_COMPONENT24, kContactHeightSize, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT,
                                         GL_NEAREST, GL_CLAMP_TO_EDGE);
  maps->contact_height_target = make_depth_target(maps->contact_height);
  PELT_TRY(check_framebuffer("the shadow map"));
  const auto make_grey = [](Texture& texture, Framebuffer& target, int size, const char* what) -> Status {
    texture = make_texture_2d(GL_R8, size, GL_RED, GL_UNSIGNED_BYTE, GL_LINEAR, GL_CLAMP_TO_EDGE);
    target = Framebuffer::make();
    glBindFramebuffer(GL_FRAMEBUFFER, target.id());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture.id(), 0);
    return check_framebuffer(what);
  };
  Status status = make_grey(maps->soft_contact, maps->soft_contact_target, kSoftContactSize, "the contact shadow");
  if (status) {
    status = make_grey(maps->contact, maps->contact_target, kContactSize, "the contact shadow");
  }
  if (status) {
    status = make_grey(maps->ground_shadow, maps->ground_shadow_target, kGroundShadowSize, "the shadow on the ground");
  }
  if (!status) {
    return status.error();
  }
  return maps;
}

bool Studio::ShadowKey::is_of_other_weights(const ShadowKey& other) const {
  return same_but_weights(of, other.of) && skinning == other.skinning && key_direction == other.key_direction;
}

Status Studio::place(const Frame& frame, const Bounds& posed_bounds, float posed_ground_height,
                     std::span<const rig::Light> lights) {
  pane_ = static_cast<std::size_t>(frame.pane);
  if (maps_[pane_] == nullptr) {
    PELT_TRY_TO(std::unique_ptr<Maps> made, make_maps());
    maps_[pane_] = std::move(made);
  }
  place_lights(lights, frame.world);
  wanted_ = {.of = SurfaceParts(*frame.character),
             .pose = frame.pose_version,
             .skinning = frame.skinning,
             .lower = posed_bounds.lower,
             .upper = posed_bounds.upper,
             .ground_height = posed_ground_height,
             .key_direction = light_.key_direction};
  const std::optional<ShadowKey>& drawn = maps_[pane_]->drawn;
  if (frame.hold_shadows && drawn && drawn->is_of_other_weights(wanted_)) {
    wanted_ = *drawn;  // with its bounds, as the maps are read where they were drawn
  }
  const Bounds bounds{wanted_.lower, wanted_.upper};
  const float ground_height = wanted_.ground_height;
  const glm::vec3 key_direction = light_.key_direction;
  const glm::vec3 center = bounds.center();
  const float radius = std::max(0.5f * bounds.diagonal(), 1e-4f);
  shadows_ = frame.view.shadow && frame.view.look != Look::kNormals;

  // A square around the character's sphere as the light sees it. Receivers beyond it lie in the light's direction
  // behind it, so the depth range reaches far past the sphere.
  const float half = 1.05f * radius;
  const float range = 8.0f * radius;
  const glm::vec3 up = key_direction.y < 0.999f ? glm::vec3(0, 1, 0) : glm::vec3(0, 0, -1);
  glm::mat4 light_from_world = glm::lookAt(center + key_direction * half, center, up);
  // Whole texels only, so that shadow edges do not crawl while the character moves.
  const float texel = 2.0f * half / static_cast<float>(kShadowSize);
  light_from_world[3].x = std::round(light_from_world[3].x / texel) * texel;
  light_from_world[3].y = std::round(light_from_world[3].y / texel) * texel;
  const glm::mat4 clip_from_light = glm::ortho(-half, half, -half, half, 0.0f, range);
  const glm::mat4 shadow_clip = clip_from_light * light_from_world;

  contact_reach_ = 0.5f * radius;
  contact_radius_ =
      std::max({bounds.upper.x - bounds.lower.x, bounds.upper.z - bounds.lower.z, 0.02f * radius}) * 0.5f +
      0.35f * radius;
  glm::mat4 contact_clip(0.0f);
  contact_clip[0][0] = 1.0f / contact_radius_;
  contact_clip[2][1] = 1.0f / contact_radius_;
  contact_clip[1][2] = 2.0f / contact_reach_;
  contact_clip[3] = glm::vec4(-center.x / contact_radius_, -center.z / contact_radius_,
                              -1.0f - 2.0f * ground_height / contact_reach_, 1.0f);

  StudioBlock block{};
  block.shadow_from_world = kHalfFromClip * shadow_clip;
  block.contact_from_world = kHalfFromClip * contact_clip;
  block.key_direction = glm::vec4(key_direction, std::tan(light_.key_half_angle));
  // What the file's author has lit needs no key light; its shadow stays, for the ground to be one.
  block.key_color = glm::vec4(light_count_ > 0 ? glm::vec3(0.0f) : light_.key_color, shadows_ ? 1.0f : 0.0f);
  block.shadow_size = glm::vec4(2.0f * half, texel, range, radius);
  const float reach = std::max(7.0f * radius, 2.5f * frame.camera.distance);
  block.ground = glm::vec4(ground_height, reach, grid_spacing(radius), frame.view.grid ? 1.0f : 0.0f);
  const bool surface = frame.view.ground && !frame.view.background.has_value();
  const float exposure = std::exp2(frame.view.exposure);
  block.backdrop_low = glm::vec4(kBackdropLow * exposure, surface ? 1.0f : 0.0f);
  block.backdrop_high = glm::vec4(kBackdropHigh * exposure, light_.sweep ? 0.0f : 1.0f);
  block.ground_color = glm::vec4(light_.ground_color * (light_.sweep ? exposure : 1.0f), 0.0f);
  block.ground_center = glm::vec4(center, 0.0f);
  // Where the box's shadow falls, and room for its penumbra.
  Bounds fall;
  for (int corner = 0; corner < 8; ++corner) {
    glm::vec3 p((corner & 1) != 0 ? bounds.upper.x : bounds.lower.x,
                (corner & 2) != 0 ? bounds.upper.y : bounds.lower.y,
                (corner & 4) != 0 ? bounds.upper.z : bounds.lower.z);
    const float height = std::max(p.y - ground_height, 0.0f);
    p -= key_direction * (height / key_direction.y);
    fall.add(glm::vec3(p.x, 0.0f, p.z));
  }
  const glm::vec3 extent = fall.upper - fall.lower;
  const float side = std::max(extent.x, extent.z) + 0.3f * radius;
  const glm::vec3 corner = fall.center() - 0.5f * side;
  block.ground_map = glm::vec4(corner.x, corner.z, side, shadows_ ? 1.0f : 0.0f);
  block.rim_color = glm::vec4(light_count_ > 0 ? glm::vec3(0.0f) : light_.rim_color, 0.0f);
  upload(block_, std::span<const StudioBlock>(&block, 1), GL_DYNAMIC_DRAW);

  const auto upload_frame = [](const Buffer& buffer, const glm::mat4& clip_from_world) {
    FrameBlock pass{};
    pass.clip_from_world = clip_from_world;
    pass.view_from_world = glm::mat4(1.0f);
    upload(buffer, std::span<const FrameBlock>(&pass, 1), GL_DYNAMIC_DRAW);
  };
  upload_frame(shadow_frame_, shadow_clip);
  upload_frame(contact_frame_, contact_clip);
  return {};
}

glm::vec3 Studio::rim_direction(const Camera& camera) const {
  const glm::mat3 world_from_view = glm::transpose(glm::mat3(camera.view_from_world()));
  const float key_side = glm::dot(world_from_view[0], light_.key_direction);
  return glm::normalize(world_from_view * glm::vec3(-glm::clamp(2.0f * key_side, -1.0f, 1.0f), 0.55f, -0.45f));
}

void Studio::forget_shadows() {
  for (const std::unique_ptr<Maps>& maps : maps_) {
    if (maps != nullptr) {
      maps->drawn.reset();
    }
  }
}

Status Studio::draw_shadows(ProgramCache& programs, const std::function<Status()>& draw_casters) {
  Maps& maps = *maps_[pane_];
  if (!shadows_ || maps.drawn == wanted_) {
    return {};
  }
  maps.drawn.reset();
  glDisable(GL_BLEND);
  glDisable(GL_CULL_FACE);
  glEnable(GL_DEPTH_TEST);
  glDepthMask(GL_TRUE);
  glDepthFunc(GL_LESS);
  // What reaches out of the maps' depth range is flattened onto its ends instead of losing its shadow.
  glEnable(GL_DEPTH_CLAMP);
  const auto draw_map = [&](const Framebuffer& target, int size, const Buffer& frame_block) {
    glBindFramebuffer(GL_FRAMEBUFFER, target.id());
    glViewport(0, 0, size, size);
    glClear(GL_DEPTH_BUFFER_BIT);
    glBindBufferBase(GL_UNIFORM_BUFFER, kBindingFrame, frame_block.id());
    return draw_casters();
  };
  Status status = draw_map(maps.shadow_target, kShadowSize, shadow_frame_);
  if (status) {
    status = draw_map(maps.contact_height_target, kContactHeightSize, contact_frame_);
  }
  glDisable(GL_DEPTH_CLAMP);
  if (!status) {
    return status;
  }
  glDisable(GL_DEPTH_TEST);
  if (Status contact = draw_contact(programs, maps); !contact) {
    return contact;
  }

  const Result<const Program*> ground =
      programs.get(ProgramSource{"screen/triangle.vert", "studio/ground_shadow.frag", {}, {}});
  if (!ground) {
    return ground.error();
  }
  glBindFramebuffer(GL_FRAMEBUFFER, maps.ground_shadow_target.id());
  glViewport(0, 0, kGroundShadowSize, kGroundShadowSize);
  glUseProgram((*ground)->id());
  glBindBufferBase(GL_UNIFORM_BUFFER, kBindingStudio, block_.id());
  bind_texture(kUnitShadow, GL_TEXTURE_2D, maps.shadow_depth, &compare_sampler_);
  bind_texture(kUnitShadowDepth, GL_TEXTURE_2D, maps.shadow_depth, &plain_sampler_);
  draw_triangle(empty_);
  maps.drawn = wanted_;
  return {};
}

Status Studio::draw_contact(ProgramCache& programs, const Maps& maps) const {
  bind_texture(kUnitSource, GL_TEXTURE_2D, maps.contact_height, &plain_sampler_);
  bind_texture(kUnitContact, GL_TEXTURE_2D, maps.soft_contact);
  for (const bool tight : {false, true}) {
    std::vector<Define> defines;
    if (tight) {
      defines.emplace_back("CONTACT_TIGHT", "1");
    }
    const Result<const Program*> program =
        programs.get(ProgramSource{"screen/triangle.vert", "studio/contact.frag", defines, {}});
    if (!program) {
      return program.error();
    }
    glBindFramebuffer(GL_FRAMEBUFFER, tight ? maps.contact_target.id() : maps.soft_contact_target.id());
    const int size = tight ? kContactSize : kSoftContactSize;
    glViewport(0, 0, size, size);
    glUseProgram((*program)->id());
    const float radius = (tight ? kTightReach : kSoftReach) * contact_reach_;
    glUniform4f(uniform(**program, "u_contact"), radius / (2.0f * contact_radius_), radius, contact_reach_, 0.0f);
    draw_triangle(empty_);
  }
  glBindSampler(kUnitSource, 0);
  return {};
}

void Studio::bind() const {
  const Maps& maps = *maps_[pane_];
  glBindBufferBase(GL_UNIFORM_BUFFER, kBindingStudio, block_.id());
  if (light_count_ > 0) {
    glBindBufferBase(GL_UNIFORM_BUFFER, kBindingLights, lights_block_.id());
  }
  if (sheen_) {
    bind_texture(kUnitSheenRadiance, GL_TEXTURE_CUBE_MAP, sheen_);
  }
  bind_texture(kUnitIrradiance, GL_TEXTURE_CUBE_MAP, irradiance_);
  bind_texture(kUnitRadiance, GL_TEXTURE_CUBE_MAP, radiance_);
  bind_texture(kUnitBrdf, GL_TEXTURE_2D, brdf_);
  bind_texture(kUnitShadow, GL_TEXTURE_2D, maps.shadow_depth, &compare_sampler_);
  bind_texture(kUnitShadowDepth, GL_TEXTURE_2D, maps.shadow_depth, &plain_sampler_);
  bind_texture(kUnitContact, GL_TEXTURE_2D, maps.contact);
  bind_texture(kUnitGroundShadow, GL_TEXTURE_2D, maps.ground_shadow);
  glActiveTexture(GL_TEXTURE0);
}

Status Studio::draw_backdrop(ProgramCache& programs, const Frame& frame, const glm::mat4& clip_from_world) const {
  const Result<const Program*> program =
      programs.get(ProgramSource{"screen/triangle.vert", "studio/backdrop.frag", {}, {}});
  if (!program) {
    return program.error();
  }
  glUseProgram((*program)->id());
  const glm::mat4 world_from_clip = glm::mat4(glm::inverse(glm::dmat4(clip_from_world)));
  glUniformMatrix4fv(uniform(**program, "u_world_from_clip"), 1, GL_FALSE, &world_from_clip[0][0]);
  const glm::vec4 flat = frame.view.background.value_or(glm::vec4(0, 0, 0, light_.sweep ? -1 : -2));
  glUniform4fv(uniform(**program, "u_flat_color"), 1, &flat[0]);
  glDisable(GL_DEPTH_TEST);
  glDepthMask(GL_FALSE);
  glDisable(GL_BLEND);
  draw_triangle(empty_);
  return {};
}

Status Studio::draw_ground(ProgramCache& programs, const Frame& frame) const {
  const bool from_below = frame.camera.orthographic ? frame.camera.elevation < 0 : false;
  if ((!frame.view.ground && !frame.view.grid) || from_below) {
    return {};
  }
  const Result<const Program*> program =
      programs.get(ProgramSource{"studio/ground.vert", "studio/ground.frag", {}, {}});
  if (!program) {
    return program.error();
  }
  glUseProgram((*program)->id());
  glEnable(GL_DEPTH_TEST);
  glDepthMask(GL_FALSE);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  // Corners 0 1 2 3 make a strip that is counter-clockwise seen from above in this order: from below it is culled.
  glEnable(GL_CULL_FACE);
  glFrontFace(GL_CW);
  // What lies flat on the ground is seen, not the ground through it.
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1.0f, 2.0f);
  glBindVertexArray(empty_.id());
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glDisable(GL_POLYGON_OFFSET_FILL);
  glFrontFace(GL_CCW);
  glDisable(GL_CULL_FACE);
  return {};
}

}  // namespace pelt::render
