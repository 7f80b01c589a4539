#include "render/renderer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "core/expect.h"
#include "render/crowd_scene.h"
#include "render/gl_objects.h"
#include "render/gpu_character.h"
#include "render/gpu_materials.h"
#include "render/gpu_plan.h"
#include "render/gpu_timer.h"
#include "render/look_colors.h"
#include "render/openness.h"
#include "render/overlay.h"
#include "render/program_cache.h"
#include "render/section.h"
#include "render/shader_interface.h"
#include "render/studio.h"
#include "rig/appearance.h"
#include "rig/own_bindings.h"

namespace pelt::render {
namespace {

// Below the origin by more than this share of the diagonal, a character does not stand on y = 0 and the ground goes
// under it.
constexpr float kStandingTolerance = 0.05f;

// How far off a surface darkens another, of the diagonal of the bounds.
constexpr float kOpennessRadius = 0.07f;

Error no_room(glm::ivec2 size, int samples) {
  return error(
      "the OpenGL driver has no room for a picture of {} x {} pixels with {} sample(s) each; make it smaller, or take "
      "fewer samples",
      size.x, size.y, samples);
}

/// The picture before it is presented: drawn with several samples per pixel, resolved into textures. Where only a
/// section needs several samples, only that has them, and no depth is resolved.
struct Targets {
  Section section;
  int samples = 0;
  bool in_shader = false;   ///< resolve colours by a program of ours, and depth only where it is asked for
  Texture samples_texture;  ///< instead of `color` then
  Renderbuffer color;
  Renderbuffer depth;
  Framebuffer drawn;
  Texture resolved_color;
  Texture resolved_depth;
  Framebuffer resolved;

  Status make(const Section& wanted, int wanted_samples, bool software) {
    if (section == wanted && samples == wanted_samples) {
      return {};
    }
    if (!make_drawn(wanted.size, wanted_samples, software && wanted_samples > 1)) {
      section = {};
      return no_room(wanted.picture, wanted_samples);
    }
    if (section.picture != wanted.picture || section.is_whole() != wanted.is_whole()) {
      if (!make_resolved(wanted)) {
        section = {};
        return no_room(wanted.picture, wanted_samples);
      }
    }
    section = wanted;
    samples = wanted_samples;
    return {};
  }

  Status make_drawn(glm::ivec2 size, int count, bool for_shader) {
    const auto storage = [&](Renderbuffer& buffer, GLenum format) {
      buffer = Renderbuffer::make();
      glBindRenderbuffer(GL_RENDERBUFFER, buffer.id());
      glRenderbufferStorageMultisample(GL_RENDERBUFFER, count > 1 ? count : 0, format, size.x, size.y);
    };
    in_shader = for_shader;
    drawn = Framebuffer::make();
    glBindFramebuffer(GL_FRAMEBUFFER, drawn.id());
    if (in_shader) {
      color = {};
      samples_texture = Texture::make();
      glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, samples_texture.id());
      glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, count, GL_SRGB8_ALPHA8, size.x, size.y, GL_TRUE);
      glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, 0);
      depth = Renderbuffer::make();
      glBindRenderbuffer(GL_RENDERBUFFER, depth.id());
      glRenderbufferStorageMultisample(GL_RENDERBUFFER, count, GL_DEPTH24_STENCIL8, size.x, size.y);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, samples_texture.id(), 0);
    } else {
      samples_texture = {};
      storage(color, GL_SRGB8_ALPHA8);
      storage(depth, GL_DEPTH24_STENCIL8);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color.id());
    }
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth.id());
    return check_framebuffer("the picture");
  }

  Status make_resolved(const Section& wanted) {
    const auto texture = [&](Texture& out, GLint internal, GLenum format, GLenum type) {
      out = Texture::make();
      glBindTexture(GL_TEXTURE_2D, out.id());
      glTexImage2D(GL_TEXTURE_2D, 0, internal, wanted.picture.x, wanted.picture.y, 0, format, type, nullptr);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    };
    resolved = Framebuffer::make();
    glBindFramebuffer(GL_FRAMEBUFFER, resolved.id());
    texture(resolved_color, GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, resolved_color.id(), 0);
    resolved_depth = {};
    if (wanted.is_whole()) {
      texture(resolved_depth, GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_TEXTURE_2D, resolved_depth.id(), 0);
    }
    return check_framebuffer("the resolved picture");
  }

  /// Colours into their place in resolved_color; the depth of a whole picture where `with_depth` asks for it.
  Status resolve(ProgramCache& programs, const VertexArray& empty, bool with_depth) const {
    const glm::ivec2 size = section.size;
    const GLbitfield blitted = (in_shader ? 0u : GL_COLOR_BUFFER_BIT) | (with_depth ? GL_DEPTH_BUFFER_BIT : 0u);
    PELT_EXPECT(section.is_whole() || blitted == 0, "a section is resolved by our program and without depth");
    if (blitted != 0) {
      glBindFramebuffer(GL_READ_FRAMEBUFFER, drawn.id());
      glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved.id());
      glBlitFramebuffer(0, 0, size.x, size.y, 0, 0, size.x, size.y, blitted, GL_NEAREST);
    }
    if (!in_shader) {
      return {};
    }
    const Result<const Program*> program =
        programs.get(ProgramSource{"screen/triangle.vert", "screen/resolve.frag", {}, {}});
    if (!program) {
      return program.error();
    }
    glBindFramebuffer(GL_FRAMEBUFFER, resolved.id());
    glViewport(section.origin.x, section.origin.y, size.x, size.y);
    glUseProgram((*program)->id());
    glUniform1i(uniform(**program, "t_samples"), kUnitSource);
    glUniform1i(uniform(**program, "u_sample_count"), samples);
    glUniform2i(uniform(**program, "u_origin"), section.origin.x, section.origin.y);
    glActiveTexture(GL_TEXTURE0 + kUnitSource);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, samples_texture.id());
    glBindVertexArray(empty.id());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, 0);
    glActiveTexture(GL_TEXTURE0);
    return {};
  }
};

/// What stands behind transmitting surfaces: exposed, before tone mapping, in halves of its size down to a pixel.
struct SceneCopy {
  glm::ivec2 size = glm::ivec2(0);
  Texture color;
  Renderbuffer depth;
  Framebuffer target;

  Status make(glm::ivec2 wanted_size) {
    if (size == wanted_size) {
      return {};
    }
    size = glm::ivec2(0);
    color = Texture::make();
    glActiveTexture(GL_TEXTURE0 + kUnitScene);
    glBindTexture(GL_TEXTURE_2D, color.id());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16F, wanted_size.x, wanted_size.y, 0, GL_RGBA, GL_FLOAT, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    depth = Renderbuffer::make();
    glBindRenderbuffer(GL_RENDERBUFFER, depth.id());
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, wanted_size.x, wanted_size.y);
    target = Framebuffer::make();
    glBindFramebuffer(GL_FRAMEBUFFER, target.id());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color.id(), 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth.id());
    if (Status status = check_framebuffer("what stands behind glass"); !status) {
      return status;
    }
    size = wanted_size;
    return {};
  }

  void bind() const {
    glActiveTexture(GL_TEXTURE0 + kUnitScene);
    glBindTexture(GL_TEXTURE_2D, color.id());
    glActiveTexture(GL_TEXTURE0);
  }
};

/// Surfaces by when they are drawn.
enum class SurfacePass {
  kSolid,         ///< opaque and masked
  kTransmitting,  ///< opaque, with what was drawn before showing through
  kBlended,
};

/// The define that look.frag shows a look by; null: look colours, or a shader of its own.
const char* look_define(Look look) {
  switch (look) {
    case Look::kNormals:
      return "LOOK_NORMALS";
    case Look::kTangents:
      return "LOOK_TANGENTS";
    case Look::kBaseColor:
      return "LOOK_BASE_COLOR";
    case Look::kUvChecker:
      return "LOOK_UV_CHECKER";
    case Look::kOcclusion:
      return "LOOK_OCCLUSION";
    case Look::kRoughness:
      return "LOOK_ROUGHNESS";
    case Look::kMetallic:
      return "LOOK_METALLIC";
    case Look::kWireframe:
      return "LOOK_WIREFRAME";
    default:
      return nullptr;
  }
}

// Vertices that say where a part is; more change nothing about which of two parts is nearer.
constexpr std::size_t kCenterSamples = 64;

/// About where the middle of a part is in its pose, world, by linear blending: enough to say which part is nearer.
glm::vec3 posed_center(const Frame& frame, int p) {
  const rig::Part& part = frame.character->parts[static_cast<std::size_t>(p)];
  Bounds bounds;
  if (frame.deformed != nullptr && static_cast<std::size_t>(p) < frame.deformed->parts.size()) {
    return bounds_of(frame.deformed->parts[static_cast<std::size_t>(p)].positions).center();
  }
  const mesh::Primitive& primitive = frame.character->primitive(part);
  const glm::mat4& world = frame.world[static_cast<std::size_t>(part.joint)];
  const bool skinned = deform::is_skinned(*frame.character, part);
  const std::size_t step = std::max<std::size_t>(primitive.positions.size() / kCenterSamples, 1);
  for (std::size_t v = 0; v < primitive.positions.size(); v += step) {
    const glm::vec4 position(primitive.positions[v], 1.0f);
    if (!skinned) {
      bounds.add(glm::vec3(world * position));
      continue;
    }
    glm::vec3 sum(0.0f);
    float weight = 0.0f;
    const mesh::InfluenceRow row = primitive.influences->row(v);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      const glm::mat4 matrix =
          rig::posed_skin_matrix(*frame.character, *frame.pose, frame.world, part.skin, row.joints[k]);
      sum += row.weights[k] * glm::vec3(matrix * position);
      weight += row.weights[k];
    }
    if (weight > 0.0f) {
      bounds.add(sum / weight);
    }
  }
  return bounds.empty() ? glm::vec3(world[3]) : bounds.center();
}

/// What the look colours on the GPU were made from.
struct LookKey {
  std::uint64_t plan_version = 0;
  Look look = Look::kShaded;
  int weight_joint = -1;
  deform::SkinningSettings skinning;
  std::uint64_t map = 0;  ///< of the difference look only, as the next one
  DifferenceScale scale;
  bool operator==(const LookKey&) const = default;
};

/// What a difference map was made from.
struct MapKey {
  std::uint64_t character = 0;
  std::uint64_t pose = 0;
  deform::SkinningSettings skinning;
  Compare compare;  ///< the range apart
  const deform::DeformedCharacter* reference = nullptr;
  bool operator==(const MapKey&) const = default;
};

bool shows_look_colors(Look look) {
  return look == Look::kWeights || look == Look::kInfluences || look == Look::kWeightSum || look == Look::kBatches ||
         look == Look::kDifference;
}

/// What is kept for one pane.
struct PaneState {
  explicit PaneState(const DeviceLimits& limits) : character(limits) {}
  GpuCharacter character;
  LookKey look_key;
  MapKey map_key;
  DifferenceMap map;
  std::uint64_t map_version = 0;  ///< grows with each map; 0: none was made
  bool shows_map = false;
  GpuTimer drawing_timer;
  GpuTimer skinning_timer;
  double software_skinning = 0;  ///< milliseconds, instead of skinning_timer
  std::uint64_t timed_plan = 0;
  RenderStats stats;
};

/// The separator between panes, sRGB.
constexpr glm::vec4 kSeparator = glm::vec4(0.055f, 0.06f, 0.07f, 1.0f);
/// The line of a wipe, sRGB.
constexpr glm::vec4 kWipeLine = glm::vec4(0.93f, 0.94f, 0.96f, 1.0f);

// Rectangles are given from the upper left of a picture of `size`, OpenGL counts from the lower left of `origin`.
void scissor(const PixelRect& rect, glm::ivec2 size, glm::ivec2 origin) {
  glScissor(origin.x + rect.origin.x, origin.y + size.y - rect.origin.y - rect.size.y, rect.size.x, rect.size.y);
}

void fill(const PixelRect& rect, glm::ivec2 size, glm::ivec2 origin, const glm::vec4& color) {
  glEnable(GL_SCISSOR_TEST);
  scissor(rect, size, origin);
  glClearColor(color.r, color.g, color.b, color.a);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace

struct Renderer::Impl {
  Impl(ProgramCache cache, const DeviceLimits& device_limits, Studio room, Overlay lines)
      : programs(std::move(cache)), limits(device_limits), studio(std::move(room)), overlay(std::move(lines)) {}

  ProgramCache programs;
  DeviceLimits limits;
  Studio studio;
  Overlay overlay;
  std::array<std::unique_ptr<PaneState>, kMostPanes> panes;
  GpuMaterials materials;
  Targets targets;
  SceneCopy behind;
  Openness openness;
  Buffer frame_block = Buffer::make();
  VertexArray empty = VertexArray::make();
  Texture image;  ///< of render_image()
  Framebuffer image_target;
  glm::ivec2 image_size = glm::ivec2(0);
  std::uint64_t character_version = 0;
  bool has_character = false;
  rig::AppearanceChoice appearance_choice;
  rig::Appearance looks;  ///< of the character under that choice
  float ground_height = 0;
  std::map<measure::Measure, measure::SurfaceField> fields;  ///< of this character
  CrowdScene crowd;
  bool crowded = false;  ///< the picture in work shows the crowd
  /// The picture in work is one pane for itself. Windows keep whole targets, whose size does not change with the pose.
  bool alone = false;

  PaneState& pane(int index) {
    PELT_EXPECT(index >= 0 && index < kMostPanes, "a pane");
    std::unique_ptr<PaneState>& state = panes[static_cast<std::size_t>(index)];
    if (state == nullptr) {
      state = std::make_unique<PaneState>(limits);
    }
    return *state;
  }
  PaneState& pane(const Frame& frame) { return pane(frame.pane); }
  GpuCharacter& gpu(const Frame& frame) { return pane(frame).character; }

  GpuInput input_of(const Frame& frame) const {
    GpuInput input;
    input.character = frame.character;
    input.character_version = frame.character_version;
    input.pose = frame.pose;
    input.world = frame.world;
    input.pose_version = frame.pose_version;
    input.skinning = frame.skinning;
    input.cache = frame.cache;
    input.deformed = frame.deformed;
    return input;
  }

  /// What all panes share of a character.
  Status update_character(const Frame& frame) {
    programs.refresh();  // references into the cache are gone then; nothing here keeps any
    if (!has_character || character_version != frame.character_version) {
      materials.upload(*frame.character, limits);
      const Bounds rest = deform::deform_once(*frame.character, rig::rest_pose(*frame.character), {}).bounds;
      ground_height = !rest.empty() && rest.lower.y < -kStandingTolerance * rest.diagonal() ? rest.lower.y : 0.0f;
      character_version = frame.character_version;
      has_character = true;
      fields.clear();
      looks = {};
    }
    update_looks(frame);
    return {};
  }

  void update_looks(const Frame& frame) {
    const rig::Character& character = *frame.character;
    rig::AppearanceChoice choice{.variant = frame.view.variant, .toggled = frame.view.toggled_nodes};
    if (frame.clip >= 0 && !character.clips[static_cast<std::size_t>(frame.clip)].properties.empty()) {
      choice.clip = frame.clip;
      choice.time =
          character.clips[static_cast<std::size_t>(frame.clip)].start + static_cast<float>(frame.clip_seconds);
    }
    if (choice == appearance_choice && looks.part_materials.size() == character.parts.size() &&
        looks.hidden.size() == character.skeleton->parent.size()) {
      return;
    }
    looks = rig::appearance(character, choice);
    studio.forget_shadows();
    if (choice.clip >= 0 || appearance_choice.clip >= 0) {
      materials.update(character, looks.materials, limits);
    }
    appearance_choice = std::move(choice);
  }

  /// Brings the map that the look kDifference shows of a pane up to date.
  Status update_difference(const Frame& frame) {
    PaneState& state = pane(frame);
    state.shows_map = frame.view.look == Look::kDifference;
    if (!state.shows_map) {
      return {};
    }
    MapKey key{frame.character_version, frame.pose_version, frame.skinning, frame.view.compare, frame.reference};
    key.compare.range = 0;
    if (key == state.map_key) {
      return {};
    }
    state.map_key = {};
    const Compare& compare = frame.view.compare;
    const bool backends = compare.reference == Reference::kOtherBackend;
    // The shape is the one that the pane shows, also where backends are not what is compared; but against full
    // precision rounding between backends would be mistaken for that of weights.
    std::optional<deform::DeformedCharacter> gpu_shape;
    if (backends ||
        (frame.skinning.backend == deform::Backend::kGpu && compare.reference != Reference::kFullPrecision)) {
      Frame on_gpu = frame;
      on_gpu.skinning.backend = deform::Backend::kGpu;
      Result<deform::DeformedCharacter> read = read_back(on_gpu);
      if (!read) {
        return read.error();
      }
      gpu_shape = *std::move(read);
    }
    const deform::DeformedCharacter& shape = gpu_shape ? *gpu_shape : *frame.deformed;
    const deform::DeformedCharacter* reference = backends ? frame.deformed : frame.reference;
    if (reference == nullptr) {
      reference = &shape;
    }
    if (backends && compare.measure == measure::Measure::kDistance) {
      state.map = backend_difference(shape, *reference);
    } else {
      auto field = fields.find(compare.measure);
      if (field == fields.end()) {
        field = fields.try_emplace(compare.measure, *frame.character, compare.measure).first;
      }
      state.map = difference_map(field->second, compare.measure, shape, *reference);
    }
    state.map_key = key;
    ++state.map_version;
    return {};
  }

  Result<deform::DeformedCharacter> read_back(const Frame& frame) {
    GpuCharacter& character = gpu(frame);
    if (Status status = character.update(input_of(frame)); !status) {
      return status.error();
    }
    return character.read_back(programs);
  }

  Status update_look_colors(const Frame& frame, const DifferenceScale& scale) {
    PaneState& state = pane(frame);
    state.stats.difference.reset();
    if (!shows_look_colors(frame.view.look)) {
      return {};
    }
    const bool difference = frame.view.look == Look::kDifference;
    LookKey key{state.character.plan_version(), frame.view.look, frame.view.weight_joint, frame.skinning, 0, {}};
    if (difference) {
      key.map = state.map_version;
      key.scale = scale;
      state.stats.difference = scale;
    }
    if (key == state.look_key) {
      return {};
    }
    const rig::Character& model = *frame.character;
    const std::vector<BatchLook> batches =
        frame.view.look == Look::kBatches ? batch_looks(model, state.character.batches()) : std::vector<BatchLook>();
    auto batch = batches.begin();
    for (int p = 0; p < static_cast<int>(model.parts.size()); ++p) {
      if (frame.view.look == Look::kBatches) {
        std::vector<glm::vec4> colors;
        for (; batch != batches.end() && batch->part == p; ++batch) {
          if (static_cast<int>(colors.size()) < state.character.batch_count(p)) {  // none of a part without triangles
            colors.emplace_back(linear_from_srgb(batch->color), 1.0f);
          }
        }
        state.character.set_look_batch_colors(p, colors);
      } else {
        state.character.set_look_colors(
            p, look_colors(model, p, frame.view, frame.skinning, difference ? &state.map : nullptr, scale));
      }
    }
    state.look_key = key;
    return {};
  }

  /// @param scene_linear  for SceneCopy: no tone mapping, one sample per pixel
  /// @param origin  the pixel of the picture at the lower left of what is drawn into
  void bind_frame(const Frame& frame, const glm::mat4& clip_from_world, bool scene_linear = false,
                  glm::ivec2 origin = glm::ivec2(0)) const {
    FrameBlock block{};
    block.clip_from_world = clip_from_world;
    block.view_from_world = frame.camera.view_from_world();
    const glm::vec3 eye = frame.camera.eye();
    block.eye_world =
        frame.camera.orthographic ? glm::vec4(glm::normalize(eye - frame.camera.pivot), 0.0f) : glm::vec4(eye, 1.0f);
    block.viewport = glm::vec4(frame.size, frame.pixel_scale, std::exp2(frame.view.exposure));
    block.picture = glm::vec4(static_cast<float>(scene_linear ? ToneMapping::kNone : frame.view.tone),
                              !scene_linear && targets.samples > 1 ? 1.0f : 0.0f, glm::vec2(origin));
    upload(frame_block, std::span<const FrameBlock>(&block, 1), GL_DYNAMIC_DRAW);
    glBindBufferBase(GL_UNIFORM_BUFFER, kBindingFrame, frame_block.id());
  }

  [[nodiscard]] const rig::Material* material_of(int part) const {
    const int index = looks.part_materials[static_cast<std::size_t>(part)];
    return index >= 0 && static_cast<std::size_t>(index) < looks.materials.size()
               ? &looks.materials[static_cast<std::size_t>(index)]
               : nullptr;
  }

  VertexVariant variant_of(const Frame& frame, int part) {
    return crowded ? crowd.gpu().variant(part) : gpu(frame).variant(part);
  }
  int draw_geometry(const Frame& frame, int part) { return crowded ? crowd.gpu().draw(part) : gpu(frame).draw(part); }

  [[nodiscard]] bool hides(const Frame& frame, int part) const {
    return looks.hides(frame.character->parts[static_cast<std::size_t>(part)]);
  }

  Status draw_part(const Frame& frame, int part, std::string_view fragment, const std::vector<Define>& defines) {
    if (hides(frame, part)) {
      return {};
    }
    const Result<const Program*> program = programs.get(variant_of(frame, part), fragment, defines);
    if (!program) {
      return program.error();
    }
    glUseProgram((*program)->id());
    materials.bind(looks.part_materials[static_cast<std::size_t>(part)]);
    pane(frame).stats.draw_calls += draw_geometry(frame, part);
    return {};
  }

  [[nodiscard]] SurfacePass pass_of(const Frame& frame, int part) const {
    const rig::Material* material = material_of(part);
    if (frame.view.look != Look::kShaded || material == nullptr) {
      return SurfacePass::kSolid;
    }
    return material->alpha_mode == rig::AlphaMode::kBlend                              ? SurfacePass::kBlended
           : materials.transmits(looks.part_materials[static_cast<std::size_t>(part)]) ? SurfacePass::kTransmitting
                                                                                       : SurfacePass::kSolid;
  }

  [[nodiscard]] bool shows_through(const Frame& frame) const {
    for (int p = 0; p < static_cast<int>(frame.character->parts.size()); ++p) {
      if (frame.view.look == Look::kShaded && !hides(frame, p) &&
          materials.transmits(looks.part_materials[static_cast<std::size_t>(p)])) {
        return true;
      }
    }
    return false;
  }

  /// Solid parts in order, others from back to front by where their middles are; of a two-sided one the far sides
  /// first. Triangles of one part keep the file's order.
  /// @param multisampled  masks may cover some samples of a pixel
  Status draw_surfaces(const Frame& frame, SurfacePass pass, bool multisampled) {
    std::string_view fragment = "surface/look.frag";
    std::vector<Define> look_defines;
    const bool shaded = frame.view.look == Look::kShaded;
    const bool blended = pass == SurfacePass::kBlended;
    if (shaded) {
      fragment = "surface/surface.frag";
    } else if (frame.view.look == Look::kClay) {
      fragment = "surface/clay.frag";
    } else if (const char* define = look_define(frame.view.look); define != nullptr) {
      look_defines.emplace_back(define, "1");
    }
    std::vector<int> order;
    for (int p = 0; p < static_cast<int>(frame.character->parts.size()); ++p) {
      if (pass_of(frame, p) == pass) {
        order.push_back(p);
      }
    }
    if (pass != SurfacePass::kSolid) {
      const glm::mat4 view_from_world = frame.camera.view_from_world();
      std::vector<float> height(frame.character->parts.size(), 0.0f);  // towards the eye
      for (const int p : order) {
        height[static_cast<std::size_t>(p)] = (view_from_world * glm::vec4(posed_center(frame, p), 1.0f)).z;
      }
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return height[static_cast<std::size_t>(a)] < height[static_cast<std::size_t>(b)];
      });
    }
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glDepthMask(blended ? GL_FALSE : GL_TRUE);
    if (blended) {
      glEnable(GL_BLEND);
      glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    } else {
      glDisable(GL_BLEND);
    }
    glCullFace(GL_BACK);
    for (const int p : order) {
      const rig::Material* material = material_of(p);
      std::vector<Define> defines = look_defines;
      if (shaded) {
        defines = materials.defines(looks.part_materials[static_cast<std::size_t>(p)]);
        if (studio.light_count() > 0 && (material == nullptr || !material->unlit)) {
          defines.emplace_back("PUNCTUAL", "1");
        }
      }
      const mesh::Primitive& primitive =
          frame.character->primitive(frame.character->parts[static_cast<std::size_t>(p)]);
      const bool triangles = primitive.topology == mesh::Topology::kTriangles;
      if (!triangles && primitive.normals.empty()) {
        defines.emplace_back("NO_SURFACE", "1");
      }
      const bool masked = multisampled && material != nullptr && material->alpha_mode == rig::AlphaMode::kMask;
      if (masked) {
        glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
        glEnable(GL_SAMPLE_ALPHA_TO_ONE);
      }
      const bool cull = shaded && material != nullptr && !material->double_sided;
      if (blended && !cull && triangles) {
        // Two-sided glass: its far side first.
        glEnable(GL_CULL_FACE);
        glCullFace(GL_FRONT);
        if (Status status = draw_part(frame, p, fragment, defines); !status) {
          return status;
        }
        glCullFace(GL_BACK);
      } else if (cull) {
        glEnable(GL_CULL_FACE);
      } else {
        glDisable(GL_CULL_FACE);
      }
      const Status status = draw_part(frame, p, fragment, defines);
      if (masked) {
        glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
        glDisable(GL_SAMPLE_ALPHA_TO_ONE);
      }
      if (!status) {
        return status;
      }
    }
    glDisable(GL_CULL_FACE);
    return {};
  }

  /// Each sample is darkened once, however many triangles share an edge.
  Status draw_wireframe(const Frame& frame) {
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glEnable(GL_POLYGON_OFFSET_LINE);
    glPolygonOffset(-1.0f, -1.0f);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_EQUAL, 0, 1);
    glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
    Status status;
    for (int p = 0; p < static_cast<int>(frame.character->parts.size()) && status; ++p) {
      if (hides(frame, p)) {
        continue;
      }
      const Result<const Program*> program = programs.get(variant_of(frame, p), "surface/wire.frag");
      if (!program) {
        status = program.error();
        break;
      }
      glUseProgram((*program)->id());
      // Dark lines read on light skins, light ones on the dark end of the heat maps.
      const bool on_dark = frame.view.look == Look::kWeights;
      glUniform4f(uniform(**program, "u_color"), on_dark ? 0.75f : 0.01f, on_dark ? 0.78f : 0.012f,
                  on_dark ? 0.85f : 0.016f, on_dark ? 0.45f : 0.7f);
      pane(frame).stats.draw_calls += draw_geometry(frame, p);
    }
    glDisable(GL_STENCIL_TEST);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDisable(GL_POLYGON_OFFSET_LINE);
    glDepthFunc(GL_LESS);
    return status;
  }

  /// All triangle parts with surface/depth.frag. @param glass  blended and transmitting parts too
  Status draw_depth(const Frame& frame, bool glass) {
    for (int p = 0; p < static_cast<int>(frame.character->parts.size()); ++p) {
      const mesh::Topology topology =
          frame.character->primitive(frame.character->parts[static_cast<std::size_t>(p)]).topology;
      const rig::Material* material = material_of(p);
      const bool blends =
          material != nullptr && (material->alpha_mode == rig::AlphaMode::kBlend ||
                                  materials.transmits(looks.part_materials[static_cast<std::size_t>(p)]));
      if (topology != mesh::Topology::kTriangles || (blends && !glass)) {
        continue;
      }
      std::vector<Define> defines;
      if (material != nullptr && material->alpha_mode == rig::AlphaMode::kMask) {
        defines.emplace_back("WITH_HOLES", "1");
      }
      if (Status part = draw_part(frame, p, "surface/depth.frag", defines); !part) {
        return part;
      }
    }
    return {};
  }

  /// Backdrop, solid surfaces and ground into what is bound.
  Status draw_solid(const Frame& frame, const glm::mat4& clip_from_world, bool multisampled) {
    Status status = studio.draw_backdrop(programs, frame, clip_from_world);
    if (status) {
      status = draw_surfaces(frame, SurfacePass::kSolid, multisampled);
    }
    if (status) {
      status = studio.draw_ground(programs, frame);
    }
    return status;
  }

  /// Fills SceneCopy; the picture's Frame block is bound again afterwards.
  Status draw_behind(const Frame& frame, const glm::mat4& clip_from_world) {
    if (Status status = behind.make(frame.size); !status) {
      return status;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, behind.target.id());
    glDepthMask(GL_TRUE);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    bind_frame(frame, clip_from_world, true);
    if (Status status = draw_solid(frame, clip_from_world, false); !status) {
      return status;
    }
    behind.bind();
    glActiveTexture(GL_TEXTURE0 + kUnitScene);
    glGenerateMipmap(GL_TEXTURE_2D);
    glActiveTexture(GL_TEXTURE0);
    bind_frame(frame, clip_from_world);
    return {};
  }

  /// Where the character is: only there does a picture need several samples a pixel, occlusion and depth. Backdrop and
  /// ground have no edges.
  [[nodiscard]] Section section_of(const Frame& frame, const glm::mat4& clip_from_world) const {
    // Points are drawn larger than they are, and what smooths occlusion looks a few pixels around.
    constexpr float kMargin = 8.0f;
    const bool known = frame.deformed != nullptr && !crowded;
    if (!alone || !known || !limits.software || frame.view.samples < 2 || limits.samples < 2 || shows_overlay(frame) ||
        shows_through(frame)) {
      return Section::whole(frame.size);
    }
    return section_around(frame.deformed->bounds, clip_from_world, frame.size,
                          static_cast<int>(std::ceil(kMargin * std::max(frame.pixel_scale, 1.0f))));
  }

  /// Backdrop and ground around a section, one sample a pixel.
  Status draw_around(const Frame& frame, const glm::mat4& clip_from_world, const Section& section) {
    const glm::ivec2 end = section.origin + section.size;
    const glm::ivec2 size = frame.size;
    const std::array<PixelRect, 4> around = {{{{0, 0}, {size.x, section.origin.y}},
                                              {{0, end.y}, {size.x, size.y - end.y}},
                                              {{0, section.origin.y}, {section.origin.x, section.size.y}},
                                              {{end.x, section.origin.y}, {size.x - end.x, section.size.y}}}};
    glBindFramebuffer(GL_FRAMEBUFFER, targets.resolved.id());
    glViewport(0, 0, size.x, size.y);
    glEnable(GL_SCISSOR_TEST);
    Status status;
    for (const PixelRect& rect : around) {
      if (status && rect.size.x > 0 && rect.size.y > 0) {
        glScissor(rect.origin.x, rect.origin.y, rect.size.x, rect.size.y);
        status = studio.draw_backdrop(programs, frame, clip_from_world);
        if (status) {
          status = studio.draw_ground(programs, frame);
        }
      }
    }
    glDisable(GL_SCISSOR_TEST);
    return status;
  }

  /// @param shown  the part of the picture that is wanted
  Status draw_scene(const Frame& frame, const glm::mat4& clip_from_world, const PixelRect& shown) {
    Bounds bounds = frame.bounds;
    if (bounds.empty()) {
      bounds.add(glm::vec3(-0.5f));
      bounds.add(glm::vec3(0.5f));
    }
    if (Status status = studio.prepare(programs, frame.view, materials.has_sheen()); !status) {
      return status;
    }
    std::vector<rig::Light> lights;
    for (const rig::Light& light : looks.lights) {
      if (frame.view.lights && light.joint >= 0 && looks.hidden[static_cast<std::size_t>(light.joint)] == 0) {
        lights.push_back(light);
      }
    }
    if (Status status = studio.place(frame, bounds, ground_height, lights); !status) {
      return status;
    }
    if (Status status = studio.draw_shadows(programs, [&] { return draw_depth(frame, true); }); !status) {
      return status;
    }
    const int samples = std::clamp(frame.view.samples, 1, std::max(limits.samples, 1));
    const Section section = section_of(frame, clip_from_world);
    if (Status status = targets.make(section, samples, limits.software); !status) {
      return status;
    }
    bind_frame(frame, clip_from_world);
    if (frame.view.occlusion) {
      if (Status status = openness.draw(programs, frame.camera, section, kOpennessRadius * bounds.diagonal(),
                                        studio.rim_direction(frame.camera), [&] { return draw_depth(frame, false); });
          !status) {
        return status;
      }
    }
    studio.bind();
    if (frame.view.occlusion) {
      openness.bind();
    } else {
      openness.bind_open();
    }
    glPointSize(std::max(2.0f, 3.0f * frame.pixel_scale));
    glViewport(-section.origin.x, -section.origin.y, frame.size.x, frame.size.y);
    glEnable(GL_SCISSOR_TEST);
    scissor(shown, frame.size, glm::ivec2(0));
    if (!section.is_whole()) {
      glEnable(GL_FRAMEBUFFER_SRGB);
      if (Status status = draw_around(frame, clip_from_world, section); !status) {
        return status;
      }
      glViewport(-section.origin.x, -section.origin.y, frame.size.x, frame.size.y);
      bind_frame(frame, clip_from_world, false, section.origin);
    }
    if (shows_through(frame)) {
      if (Status status = draw_behind(frame, clip_from_world); !status) {
        glDisable(GL_SCISSOR_TEST);
        return status;
      }
    }
    glBindFramebuffer(GL_FRAMEBUFFER, targets.drawn.id());
    glEnable(GL_FRAMEBUFFER_SRGB);
    glDepthMask(GL_TRUE);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    Status status = draw_solid(frame, clip_from_world, samples > 1);
    if (status) {
      status = draw_surfaces(frame, SurfacePass::kTransmitting, samples > 1);
    }
    if (status) {
      status = draw_surfaces(frame, SurfacePass::kBlended, samples > 1);
    }
    if (status && (frame.view.wireframe || frame.view.look == Look::kWireframe)) {
      status = draw_wireframe(frame);
    }
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    if (status) {
      status = targets.resolve(programs, empty, shows_overlay(frame));
    }
    glDisable(GL_FRAMEBUFFER_SRGB);
    glDisable(GL_SCISSOR_TEST);
    return status;
  }

  /// One pane into its place in the target.
  Status draw_pane(const Frame& frame, const PixelRect& picture, const PixelRect& shown, glm::ivec2 size,
                   unsigned target, glm::ivec2 origin) {
    const float aspect = static_cast<float>(frame.size.x) / static_cast<float>(frame.size.y);
    const glm::mat4 clip_from_world = frame.camera.clip_from_view(aspect) * frame.camera.view_from_world();
    if (Status status = draw_scene(frame, clip_from_world, {shown.origin - picture.origin, shown.size}); !status) {
      return status;
    }
    const Result<const Program*> present =
        programs.get(ProgramSource{"screen/triangle.vert", "screen/present.frag", {}, {}});
    if (!present) {
      return present.error();
    }
    const glm::ivec2 corner(origin.x + picture.origin.x, origin.y + size.y - picture.origin.y - picture.size.y);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glViewport(corner.x, corner.y, frame.size.x, frame.size.y);
    glEnable(GL_SCISSOR_TEST);
    scissor(shown, size, origin);
    glUseProgram((*present)->id());
    glActiveTexture(GL_TEXTURE0 + kUnitSource);
    glBindTexture(GL_TEXTURE_2D, targets.resolved_color.id());
    glActiveTexture(GL_TEXTURE0);
    glBindVertexArray(empty.id());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    const OverlayInput input{frame, clip_from_world, targets.resolved_depth.id(), corner};
    Status status = overlay.draw(input, programs);
    glDisable(GL_SCISSOR_TEST);
    glBindVertexArray(0);
    glUseProgram(0);
    return status;
  }

  void collect_stats(const Frame& frame) {
    PaneState& state = pane(frame);
    const UploadStats& uploads = state.character.uploads();
    state.stats.batches = state.character.batches();
    state.stats.palette_bytes = uploads.palette_bytes;
    state.stats.vertex_bytes = uploads.vertex_bytes;
    state.stats.upload_milliseconds = uploads.milliseconds;
    state.stats.has_gpu_timer = limits.has_timer;
    state.stats.software = limits.software;
    state.stats.notes = state.character.notes();
    state.stats.notes.insert(state.stats.notes.end(), materials.notes().begin(), materials.notes().end());
    if (frame.view.lights && frame.character->lights.size() > static_cast<std::size_t>(kLightLimit)) {
      state.stats.notes.push_back(
          fmt::format("the file has {} lights, the first {} shine", frame.character->lights.size(), kLightLimit));
    }
    state.stats.crowd.reset();
    if (crowded || (shows_crowd(frame) && !crowd.stats().refused.empty())) {
      state.stats.crowd = crowd.stats();
    }
    if (crowded) {
      state.stats.palette_bytes = 0;
      state.stats.vertex_bytes = crowd.gpu().uploaded_bytes();
      state.stats.batches.clear();
      state.stats.notes.clear();
    }
  }

  /// Times what the vertices alone cost, which a picture spends several times over, mixed with everything else.
  Status time_skinning(const Frame& frame) {
    PaneState& state = pane(frame);
    if (std::exchange(state.timed_plan, state.character.plan_version()) != state.character.plan_version()) {
      // What drivers do with a program when it first runs is not skinning.
      if (Status status = state.character.skin_once(programs); !status) {
        return status;
      }
    }
    if (!limits.software) {
      state.skinning_timer.begin();
      const Status status = state.character.skin_once(programs);
      state.skinning_timer.end();
      return status;
    }
    const auto start = std::chrono::steady_clock::now();
    const Status status = state.character.skin_once(programs);
    state.software_skinning =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return status;
  }
};

Renderer::Renderer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Renderer::~Renderer() = default;

Result<std::unique_ptr<Renderer>> Renderer::create() {
  ProgramCache programs(ShaderLibrary::from_environment());
  Result<Studio> studio = Studio::create(programs);
  if (!studio) {
    return studio.error().in("cannot start drawing");
  }
  Result<Overlay> overlay = Overlay::create(programs);
  if (!overlay) {
    return overlay.error().in("cannot start drawing");
  }
  auto impl = std::make_unique<Impl>(std::move(programs), device_limits(), std::move(*studio), std::move(*overlay));
  return std::unique_ptr<Renderer>(new Renderer(std::move(impl)));
}

bool Renderer::needs_cpu(const Frame& frame) const {
  return render::needs_cpu(*frame.character, frame.skinning) || frame.view.look == Look::kDifference ||
         frame.view.normal_lines || shows_centers(frame) || (frame.pinned_vertex >= 0 && frame.view.ghost_points);
}

Status Renderer::draw(const Frame& frame, unsigned target, glm::ivec2 origin) {
  return draw(std::span(&frame, 1), pane_layout(frame.size, 1, frame.view, frame.pixel_scale), target, origin);
}

Status Renderer::draw(std::span<const Frame> wanted, const PaneLayout& layout, unsigned target, glm::ivec2 origin) {
  PELT_EXPECT(!wanted.empty() && wanted.size() == layout.pictures.size() && wanted.size() == layout.shown.size(),
              "one frame for each pane of the layout");
  if (layout.size.x <= 0 || layout.size.y <= 0) {
    return {};
  }
  if (layout.size.x > impl_->limits.texture_size || layout.size.y > impl_->limits.texture_size) {
    return error("the picture is {} x {} pixels, this device draws at most {} x {}", layout.size.x, layout.size.y,
                 impl_->limits.texture_size, impl_->limits.texture_size);
  }
  std::vector<Frame> frames(wanted.begin(), wanted.end());
  std::vector<const DifferenceMap*> maps;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    Frame& frame = frames[i];
    PELT_EXPECT(frame.character != nullptr && frame.pose != nullptr, "a frame has a character and a pose");
    PELT_EXPECT(!needs_cpu(frame) || frame.deformed != nullptr, "this frame needs the CPU result");
    frame.size = layout.pictures[i].size;
    impl_->crowded = frames.size() == 1 && shows_crowd(frame) && impl_->crowd.update(frame, impl_->limits);
    if (impl_->crowded) {
      frame.bounds.add(impl_->crowd.stats().bounds);
    }
    // Panning and then orbiting leaves the pivot beside the character, which must not be clipped for it.
    if (!frame.bounds.empty()) {
      const float reach = glm::distance(frame.camera.pivot, frame.bounds.center()) + 0.5f * frame.bounds.diagonal();
      frame.camera.near_far_radius = std::max(frame.camera.near_far_radius, reach);
    }
    impl_->pane(frame).stats.draw_calls = 0;
    if (Status status = impl_->update_character(frame); !status) {
      return status;
    }
    if (Status status = impl_->update_difference(frame); !status) {
      return status;
    }
    if (Status status = impl_->gpu(frame).update(impl_->input_of(frame)); !status) {
      return status;
    }
    if (impl_->pane(frame).shows_map) {
      maps.push_back(&impl_->pane(frame).map);
    }
  }
  // A pane may show backends against each other where others show methods.
  const auto backends = std::ranges::find_if(
      frames, [](const Frame& frame) { return frame.view.compare.reference == Reference::kOtherBackend; });
  const Compare& compare = (backends != frames.end() ? *backends : frames.front()).view.compare;
  const DifferenceScale scale = maps.empty() ? DifferenceScale{} : difference_scale(maps, compare);
  for (const Frame& frame : frames) {
    if (Status status = impl_->update_look_colors(frame, scale); !status) {
      return status;
    }
  }
  if (frames.size() > 1) {
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    fill({{0, 0}, layout.size}, layout.size, origin, kSeparator);
  }
  Status status;
  for (std::size_t i = 0; i < frames.size() && status; ++i) {
    if (frames[i].time_skinning) {
      status = impl_->time_skinning(frames[i]);
    }
    if (status && layout.shown[i].size.x > 0 && layout.shown[i].size.y > 0) {
      GpuTimer& timer = impl_->pane(frames[i]).drawing_timer;
      timer.begin();
      status = impl_->draw_pane(frames[i], layout.pictures[i], layout.shown[i], layout.size, target, origin);
      timer.end();
    }
  }
  if (status && layout.wipe) {
    const int width = std::max(1, static_cast<int>(std::lround(frames.front().pixel_scale)));
    fill({{layout.shown[1].origin.x - width / 2, 0}, {width, layout.size.y}}, layout.size, origin, kWipeLine);
  }
  for (const Frame& frame : frames) {
    impl_->collect_stats(frame);
  }
  if (!status) {
    return status;
  }
  return check_gl("drawing the picture");
}

Result<ImageRgba> Renderer::render_image(const Frame& frame, const std::function<void(unsigned framebuffer)>& overlay) {
  return render_image(std::span(&frame, 1), pane_layout(frame.size, 1, frame.view, frame.pixel_scale), overlay);
}

Result<ImageRgba> Renderer::render_image(std::span<const Frame> panes, const PaneLayout& layout,
                                         const std::function<void(unsigned framebuffer)>& overlay) {
  if (layout.size.x <= 0 || layout.size.y <= 0) {
    return error("the picture is {} x {} pixels, expected at least 1 x 1", layout.size.x, layout.size.y);
  }
  if (impl_->image_size != layout.size) {
    impl_->image = Texture::make();
    glBindTexture(GL_TEXTURE_2D, impl_->image.id());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, layout.size.x, layout.size.y, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    impl_->image_target = Framebuffer::make();
    glBindFramebuffer(GL_FRAMEBUFFER, impl_->image_target.id());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, impl_->image.id(), 0);
    if (!check_framebuffer("the image")) {
      impl_->image_size = glm::ivec2(0);
      return no_room(layout.size, 1);
    }
    impl_->image_size = layout.size;
  }
  impl_->alone = panes.size() == 1;
  const Status drawn = draw(panes, layout, impl_->image_target.id());
  impl_->alone = false;
  if (!drawn) {
    return drawn.error();
  }
  glBindFramebuffer(GL_FRAMEBUFFER, impl_->image_target.id());
  if (overlay) {
    overlay(impl_->image_target.id());
  }
  glBindFramebuffer(GL_READ_FRAMEBUFFER, impl_->image_target.id());
  ImageRgba image;
  image.width = layout.size.x;
  image.height = layout.size.y;
  const std::size_t row = static_cast<std::size_t>(layout.size.x) * 4;
  std::vector<std::uint8_t> upside_down(row * static_cast<std::size_t>(layout.size.y));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, layout.size.x, layout.size.y, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
  image.pixels.resize(upside_down.size());
  for (std::size_t y = 0; y < static_cast<std::size_t>(layout.size.y); ++y) {
    const std::size_t from = (static_cast<std::size_t>(layout.size.y) - 1 - y) * row;
    std::copy_n(upside_down.begin() + static_cast<std::ptrdiff_t>(from), row,
                image.pixels.begin() + static_cast<std::ptrdiff_t>(y * row));
  }
  if (Status status = check_gl("reading the picture"); !status) {
    return status.error();
  }
  return image;
}

Result<deform::DeformedCharacter> Renderer::read_back(const Frame& frame) {
  if (Status status = impl_->update_character(frame); !status) {
    return status.error();
  }
  return impl_->read_back(frame);
}

const RenderStats& Renderer::stats(int pane) const {
  PaneState& state = impl_->pane(pane);
  state.stats.drawing_milliseconds = state.drawing_timer.milliseconds();
  state.stats.skinning_milliseconds =
      impl_->limits.software ? state.software_skinning : state.skinning_timer.milliseconds();
  return state.stats;
}

const DifferenceMap* Renderer::difference(int pane) const {
  const PaneState& state = impl_->pane(pane);
  return state.shows_map && state.map_version > 0 ? &state.map : nullptr;
}

std::string Renderer::device() const {
  return device_name();
}

}  // namespace pelt::render
