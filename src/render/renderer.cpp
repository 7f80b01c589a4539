#include "render/renderer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "core/expect.h"
#include "render/gl_objects.h"
#include "render/gpu_character.h"
#include "render/gpu_materials.h"
#include "render/gpu_plan.h"
#include "render/gpu_timer.h"
#include "render/look_colors.h"
#include "render/openness.h"
#include "render/overlay.h"
#include "render/program_cache.h"
#include "render/shader_interface.h"
#include "render/studio.h"

namespace pelt::render {
namespace {

// Below the origin by more than this share of the diagonal, a character does not stand on y = 0 and the ground goes
// under it.
constexpr float kStandingTolerance = 0.05f;

// How far off a surface darkens another, of the diagonal of the bounds.
constexpr float kOpennessRadius = 0.07f;

/// The picture before it is presented: drawn with several samples per pixel, resolved into textures.
struct Targets {
  glm::ivec2 size = glm::ivec2(0);
  int samples = 0;
  Renderbuffer color;
  Renderbuffer depth;
  Framebuffer drawn;
  Texture resolved_color;
  Texture resolved_depth;
  Framebuffer resolved;

  Status make(glm::ivec2 wanted_size, int wanted_samples) {
    if (size == wanted_size && samples == wanted_samples) {
      return {};
    }
    const auto storage = [&](Renderbuffer& buffer, GLenum format) {
      buffer = Renderbuffer::make();
      glBindRenderbuffer(GL_RENDERBUFFER, buffer.id());
      glRenderbufferStorageMultisample(GL_RENDERBUFFER, wanted_samples > 1 ? wanted_samples : 0, format, wanted_size.x,
                                       wanted_size.y);
    };
    storage(color, GL_SRGB8_ALPHA8);
    storage(depth, GL_DEPTH_COMPONENT24);
    drawn = Framebuffer::make();
    glBindFramebuffer(GL_FRAMEBUFFER, drawn.id());
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color.id());
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth.id());
    if (Status status = check_framebuffer("the picture"); !status) {
      size = glm::ivec2(0);
      return status;
    }
    const auto texture = [&](Texture& out, GLint internal, GLenum format, GLenum type) {
      out = Texture::make();
      glBindTexture(GL_TEXTURE_2D, out.id());
      glTexImage2D(GL_TEXTURE_2D, 0, internal, wanted_size.x, wanted_size.y, 0, format, type, nullptr);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    };
    texture(resolved_color, GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE);
    texture(resolved_depth, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT);
    resolved = Framebuffer::make();
    glBindFramebuffer(GL_FRAMEBUFFER, resolved.id());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, resolved_color.id(), 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, resolved_depth.id(), 0);
    if (Status status = check_framebuffer("the resolved picture"); !status) {
      size = glm::ivec2(0);
      return status;
    }
    size = wanted_size;
    samples = wanted_samples;
    return {};
  }

  void resolve() const {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, drawn.id());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved.id());
    glBlitFramebuffer(0, 0, size.x, size.y, 0, 0, size.x, size.y, GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT,
                      GL_NEAREST);
  }
};

/// What the look colours on the GPU were made from.
struct LookKey {
  std::uint64_t plan_version = 0;
  Look look = Look::kShaded;
  int weight_joint = -1;
  deform::SkinningSettings skinning;
  std::uint64_t pose_version = 0;  ///< of the difference look only
  bool operator==(const LookKey&) const = default;
};

bool shows_look_colors(Look look) {
  return look == Look::kWeights || look == Look::kInfluences || look == Look::kWeightSum || look == Look::kBatches ||
         look == Look::kDifference;
}

}  // namespace

struct Renderer::Impl {
  Impl(ProgramCache cache, const DeviceLimits& device_limits, Studio room, Overlay lines)
      : programs(std::move(cache)),
        limits(device_limits),
        studio(std::move(room)),
        overlay(std::move(lines)),
        character(device_limits) {}

  ProgramCache programs;
  DeviceLimits limits;
  Studio studio;
  Overlay overlay;
  GpuCharacter character;
  GpuMaterials materials;
  Targets targets;
  Openness openness;
  GpuTimer timer;
  Buffer frame_block = Buffer::make();
  VertexArray empty = VertexArray::make();
  Texture image;  ///< of render_image()
  Framebuffer image_target;
  glm::ivec2 image_size = glm::ivec2(0);
  std::uint64_t character_version = 0;
  bool has_character = false;
  float ground_height = 0;
  LookKey look_key;
  RenderStats stats;

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

  Status update(const Frame& frame) {
    if (programs.refresh()) {
      // References into the cache are gone; nothing here keeps any.
    }
    if (!has_character || character_version != frame.character_version) {
      materials.upload(*frame.character, limits);
      const Bounds rest = deform::deform_once(*frame.character, rig::rest_pose(*frame.character), {}).bounds;
      ground_height = !rest.empty() && rest.lower.y < -kStandingTolerance * rest.diagonal() ? rest.lower.y : 0.0f;
      character_version = frame.character_version;
      has_character = true;
      look_key = {};
    }
    return character.update(input_of(frame));
  }

  Status update_look_colors(const Frame& frame) {
    if (!shows_look_colors(frame.view.look)) {
      return {};
    }
    LookKey key{character.plan_version(), frame.view.look, frame.view.weight_joint, frame.skinning, 0};
    if (frame.view.look == Look::kDifference) {
      key.pose_version = frame.pose_version;
    }
    if (key == look_key) {
      return {};
    }
    const rig::Character& model = *frame.character;
    LookDistances distances;
    if (frame.view.look == Look::kDifference) {
      Result<deform::DeformedCharacter> gpu = character.read_back(programs);
      if (!gpu) {
        return gpu.error();
      }
      distances = look_distances(*gpu, *frame.deformed);
    }
    for (int p = 0; p < static_cast<int>(model.parts.size()); ++p) {
      if (frame.view.look == Look::kBatches) {
        std::vector<glm::vec4> colors(static_cast<std::size_t>(character.batch_count(p)));
        for (std::size_t b = 0; b < colors.size(); ++b) {
          colors[b] = glm::vec4(linear_from_srgb(batch_color(static_cast<int>(b))), 1.0f);
        }
        character.set_look_batch_colors(p, colors);
      } else {
        character.set_look_colors(p, look_colors(model, p, frame.view, frame.skinning, &distances));
      }
    }
    look_key = key;
    return {};
  }

  void bind_frame(const Frame& frame, const glm::mat4& clip_from_world) const {
    FrameBlock block{};
    block.clip_from_world = clip_from_world;
    block.view_from_world = frame.camera.view_from_world();
    const glm::vec3 eye = frame.camera.eye();
    block.eye_world =
        frame.camera.orthographic ? glm::vec4(glm::normalize(eye - frame.camera.pivot), 0.0f) : glm::vec4(eye, 1.0f);
    block.viewport = glm::vec4(frame.size, frame.pixel_scale, std::exp2(frame.view.exposure));
    upload(frame_block, std::span<const FrameBlock>(&block, 1), GL_DYNAMIC_DRAW);
    glBindBufferBase(GL_UNIFORM_BUFFER, kBindingFrame, frame_block.id());
  }

  [[nodiscard]] const rig::Material* material_of(const Frame& frame, int part) const {
    const int index = frame.character->primitive(frame.character->parts[static_cast<std::size_t>(part)]).material;
    return index >= 0 && static_cast<std::size_t>(index) < frame.character->materials.size()
               ? &frame.character->materials[static_cast<std::size_t>(index)]
               : nullptr;
  }

  Status draw_part(const Frame& frame, int part, std::string_view fragment, const std::vector<Define>& defines) {
    const Result<const Program*> program = programs.get(character.variant(part), fragment, defines);
    if (!program) {
      return program.error();
    }
    glUseProgram((*program)->id());
    materials.bind(frame.character->primitive(frame.character->parts[static_cast<std::size_t>(part)]).material);
    stats.draw_calls += character.draw(part);
    return {};
  }

  /// Opaque and masked parts in order; blended ones from back to front.
  Status draw_surfaces(const Frame& frame, bool blended) {
    std::string_view fragment = "surface/look.frag";
    std::vector<Define> defines;
    const bool shaded = frame.view.look == Look::kShaded;
    if (shaded) {
      fragment = "surface/surface.frag";
    } else if (frame.view.look == Look::kClay) {
      fragment = "surface/clay.frag";
    } else if (frame.view.look == Look::kNormals) {
      defines.emplace_back("LOOK_NORMALS", "1");
    }
    std::vector<int> order;
    for (int p = 0; p < static_cast<int>(frame.character->parts.size()); ++p) {
      const rig::Material* material = material_of(frame, p);
      const bool blends = shaded && material != nullptr && material->alpha_mode == rig::AlphaMode::kBlend;
      if (blends == blended) {
        order.push_back(p);
      }
    }
    if (blended) {
      const glm::vec3 eye = frame.camera.eye();
      std::vector<float> distance(frame.character->parts.size(), 0.0f);
      for (const int p : order) {
        const rig::Part& part = frame.character->parts[static_cast<std::size_t>(p)];
        Bounds bounds;
        if (frame.deformed != nullptr && static_cast<std::size_t>(p) < frame.deformed->parts.size()) {
          bounds = bounds_of(frame.deformed->parts[static_cast<std::size_t>(p)].positions);
        } else {
          bounds.add(glm::vec3(frame.world[static_cast<std::size_t>(part.joint)] *
                               glm::vec4(bounds_of(frame.character->primitive(part).positions).center(), 1.0f)));
        }
        distance[static_cast<std::size_t>(p)] = glm::length(bounds.center() - eye);
      }
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return distance[static_cast<std::size_t>(a)] > distance[static_cast<std::size_t>(b)];
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
      const rig::Material* material = material_of(frame, p);
      const bool cull = shaded && material != nullptr && !material->double_sided;
      if (blended && !cull) {
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
      if (Status status = draw_part(frame, p, fragment, defines); !status) {
        return status;
      }
    }
    glDisable(GL_CULL_FACE);
    return {};
  }

  Status draw_wireframe(const Frame& frame) {
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glEnable(GL_POLYGON_OFFSET_LINE);
    glPolygonOffset(-1.0f, -1.0f);
    Status status;
    for (int p = 0; p < static_cast<int>(frame.character->parts.size()) && status; ++p) {
      const Result<const Program*> program = programs.get(character.variant(p), "surface/wire.frag");
      if (!program) {
        status = program.error();
        break;
      }
      glUseProgram((*program)->id());
      // Dark lines read on light skins, light ones on the dark end of the heat maps.
      const bool on_dark = frame.view.look == Look::kWeights;
      glUniform4f(uniform(**program, "u_color"), on_dark ? 0.75f : 0.01f, on_dark ? 0.78f : 0.012f,
                  on_dark ? 0.85f : 0.016f, on_dark ? 0.3f : 0.55f);
      stats.draw_calls += character.draw(p);
    }
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDisable(GL_POLYGON_OFFSET_LINE);
    glDepthFunc(GL_LESS);
    return status;
  }

  /// All triangle parts with surface/depth.frag. @param glass  blended parts too
  Status draw_depth(const Frame& frame, bool glass) {
    for (int p = 0; p < static_cast<int>(frame.character->parts.size()); ++p) {
      const mesh::Topology topology =
          frame.character->primitive(frame.character->parts[static_cast<std::size_t>(p)]).topology;
      const rig::Material* material = material_of(frame, p);
      const bool blends = material != nullptr && material->alpha_mode == rig::AlphaMode::kBlend;
      if (topology != mesh::Topology::kTriangles || (blends && !glass)) {
        continue;
      }
      if (Status part = draw_part(frame, p, "surface/depth.frag", {}); !part) {
        return part;
      }
    }
    return {};
  }

  Status draw_scene(const Frame& frame, const glm::mat4& clip_from_world) {
    Bounds bounds = frame.bounds;
    if (bounds.empty()) {
      bounds.add(glm::vec3(-0.5f));
      bounds.add(glm::vec3(0.5f));
    }
    studio.place(frame, bounds, ground_height);
    if (Status status = studio.draw_shadows(programs, [&] { return draw_depth(frame, true); }); !status) {
      return status;
    }
    const int samples = std::clamp(frame.view.samples, 1, std::max(limits.samples, 1));
    if (Status status = targets.make(frame.size, samples); !status) {
      return status;
    }
    bind_frame(frame, clip_from_world);
    if (Status status = openness.draw(programs, frame.camera, frame.size, kOpennessRadius * bounds.diagonal(),
                                      [&] { return draw_depth(frame, false); });
        !status) {
      return status;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, targets.drawn.id());
    glViewport(0, 0, frame.size.x, frame.size.y);
    glEnable(GL_FRAMEBUFFER_SRGB);
    glDepthMask(GL_TRUE);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    studio.bind();
    openness.bind();
    glPointSize(std::max(2.0f, 3.0f * frame.pixel_scale));
    Status status = studio.draw_backdrop(programs, frame, clip_from_world);
    if (status) {
      status = draw_surfaces(frame, false);
    }
    if (status) {
      status = studio.draw_ground(programs, frame);
    }
    if (status) {
      status = draw_surfaces(frame, true);
    }
    if (status && frame.view.wireframe) {
      status = draw_wireframe(frame);
    }
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    if (status) {
      targets.resolve();
    }
    glDisable(GL_FRAMEBUFFER_SRGB);
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
         frame.view.normal_lines || (frame.pinned_vertex >= 0 && frame.view.ghost_points);
}

Status Renderer::draw(const Frame& wanted, unsigned target, glm::ivec2 origin) {
  PELT_EXPECT(wanted.character != nullptr && wanted.pose != nullptr, "a frame has a character and a pose");
  // Panning and then orbiting leaves the pivot beside the character, which must not be clipped for it.
  Frame frame = wanted;
  if (!frame.bounds.empty()) {
    const float reach = glm::distance(frame.camera.pivot, frame.bounds.center()) + 0.5f * frame.bounds.diagonal();
    frame.camera.near_far_radius = std::max(frame.camera.near_far_radius, reach);
  }
  PELT_EXPECT(!needs_cpu(frame) || frame.deformed != nullptr, "this frame needs the CPU result");
  if (frame.size.x <= 0 || frame.size.y <= 0) {
    return {};
  }
  if (frame.size.x > impl_->limits.texture_size || frame.size.y > impl_->limits.texture_size) {
    return error("the picture is {} x {} pixels, this device draws at most {} x {}", frame.size.x, frame.size.y,
                 impl_->limits.texture_size, impl_->limits.texture_size);
  }
  impl_->stats.draw_calls = 0;
  if (Status status = impl_->update(frame); !status) {
    return status;
  }
  if (Status status = impl_->update_look_colors(frame); !status) {
    return status;
  }
  const float aspect = static_cast<float>(frame.size.x) / static_cast<float>(frame.size.y);
  const glm::mat4 clip_from_world = frame.camera.clip_from_view(aspect) * frame.camera.view_from_world();
  impl_->timer.begin();
  Status status = impl_->draw_scene(frame, clip_from_world);
  impl_->timer.end();
  if (!status) {
    return status;
  }
  const Result<const Program*> present =
      impl_->programs.get(ProgramSource{"screen/triangle.vert", "screen/present.frag", {}, {}});
  if (!present) {
    return present.error();
  }
  glBindFramebuffer(GL_FRAMEBUFFER, target);
  glViewport(origin.x, origin.y, frame.size.x, frame.size.y);
  glUseProgram((*present)->id());
  glActiveTexture(GL_TEXTURE0 + kUnitSource);
  glBindTexture(GL_TEXTURE_2D, impl_->targets.resolved_color.id());
  glActiveTexture(GL_TEXTURE0);
  glBindVertexArray(impl_->empty.id());
  glDrawArrays(GL_TRIANGLES, 0, 3);
  const OverlayInput overlay{frame, clip_from_world, impl_->targets.resolved_depth.id(), origin};
  status = impl_->overlay.draw(overlay, impl_->programs);
  glBindVertexArray(0);
  glUseProgram(0);

  impl_->stats.batches = impl_->character.batches();
  impl_->stats.palette_bytes = impl_->character.uploads().palette_bytes;
  impl_->stats.vertex_bytes = impl_->character.uploads().vertex_bytes;
  impl_->stats.upload_milliseconds = impl_->character.uploads().milliseconds;
  impl_->stats.gpu_milliseconds = impl_->timer.milliseconds();
  impl_->stats.notes = impl_->character.notes();
  if (!status) {
    return status;
  }
  return check_gl("drawing the picture");
}

Result<ImageRgba> Renderer::render_image(const Frame& frame, const std::function<void(unsigned framebuffer)>& overlay) {
  if (frame.size.x <= 0 || frame.size.y <= 0) {
    return error("the picture is {} x {} pixels, expected at least 1 x 1", frame.size.x, frame.size.y);
  }
  if (impl_->image_size != frame.size) {
    impl_->image = Texture::make();
    glBindTexture(GL_TEXTURE_2D, impl_->image.id());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, frame.size.x, frame.size.y, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    impl_->image_target = Framebuffer::make();
    glBindFramebuffer(GL_FRAMEBUFFER, impl_->image_target.id());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, impl_->image.id(), 0);
    if (Status status = check_framebuffer(fmt::format("a picture of {} x {}", frame.size.x, frame.size.y)); !status) {
      impl_->image_size = glm::ivec2(0);
      return status.error();
    }
    impl_->image_size = frame.size;
  }
  if (Status status = draw(frame, impl_->image_target.id()); !status) {
    return status.error();
  }
  glBindFramebuffer(GL_FRAMEBUFFER, impl_->image_target.id());
  if (overlay) {
    overlay(impl_->image_target.id());
  }
  glBindFramebuffer(GL_READ_FRAMEBUFFER, impl_->image_target.id());
  ImageRgba image;
  image.width = frame.size.x;
  image.height = frame.size.y;
  const std::size_t row = static_cast<std::size_t>(frame.size.x) * 4;
  std::vector<std::uint8_t> upside_down(row * static_cast<std::size_t>(frame.size.y));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, frame.size.x, frame.size.y, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
  image.pixels.resize(upside_down.size());
  for (std::size_t y = 0; y < static_cast<std::size_t>(frame.size.y); ++y) {
    const std::size_t from = (static_cast<std::size_t>(frame.size.y) - 1 - y) * row;
    std::copy_n(upside_down.begin() + static_cast<std::ptrdiff_t>(from), row,
                image.pixels.begin() + static_cast<std::ptrdiff_t>(y * row));
  }
  if (Status status = check_gl("reading the picture"); !status) {
    return status.error();
  }
  return image;
}

Result<deform::DeformedCharacter> Renderer::read_back(const Frame& frame) {
  if (Status status = impl_->update(frame); !status) {
    return status.error();
  }
  return impl_->character.read_back(impl_->programs);
}

const RenderStats& Renderer::stats() const {
  return impl_->stats;
}

std::string Renderer::device() const {
  return device_name();
}

}  // namespace pelt::render
