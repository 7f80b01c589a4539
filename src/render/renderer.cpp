#include "render/renderer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "render/gpu_plan.h"
#include "render/renderer_impl.h"
#include "render/shader_interface.h"

namespace pelt::render {
namespace {

/// The separator between panes, sRGB.
constexpr glm::vec4 kSeparator = glm::vec4(0.055f, 0.06f, 0.07f, 1.0f);
/// The line of a wipe, sRGB.
constexpr glm::vec4 kWipeLine = glm::vec4(0.93f, 0.94f, 0.96f, 1.0f);

}  // namespace

PaneState& Renderer::Impl::pane(int index) {
  PELT_EXPECT(index >= 0 && index < kMostPanes, "a pane");
  std::unique_ptr<PaneState>& state = panes[index];
  if (state == nullptr) {
    state = std::make_unique<PaneState>(limits);
  }
  return *state;
}

GpuInput Renderer::Impl::input_of(const Frame& frame) const {
  GpuInput input;
  input.character = frame.character;
  input.pose = frame.pose;
  input.world = frame.world;
  input.pose_version = frame.pose_version;
  input.skinning = frame.skinning;
  input.cache = frame.cache;
  input.deformed = frame.deformed;
  input.paint = frame.paint;
  input.plan = frame.plan;
  input.hiding = looks.by_hand;
  return input;
}

void Renderer::Impl::collect_stats(const Frame& frame) {
  PaneState& state = pane(frame);
  const UploadStats& uploads = state.character.uploads();
  state.stats.batches = state.character.batches();
  state.stats.palette_bytes = uploads.palette_bytes;
  state.stats.vertex_bytes = uploads.vertex_bytes;
  state.stats.static_bytes = uploads.static_bytes;
  state.stats.row_bytes = uploads.row_bytes;
  state.stats.row_ranges = uploads.row_ranges;
  state.stats.look_bytes = uploads.look_bytes;
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

Status Renderer::Impl::time_skinning(const Frame& frame) {
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
  state.software_skinning = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return status;
}

void Renderer::Impl::keep_in_view(Frame& frame) {
  // Panning and then orbiting leaves the pivot beside the character, which must not be clipped for it.
  if (!frame.bounds.empty()) {
    const float reach = glm::distance(frame.camera.pivot, frame.bounds.center()) + 0.5f * frame.bounds.diagonal();
    frame.camera.near_far_radius = std::max(frame.camera.near_far_radius, reach);
  }
}

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

Status Renderer::upload_character(const Frame& frame) {
  PELT_EXPECT(frame.character != nullptr && frame.pose != nullptr, "a frame has a character and a pose");
  impl_->update_character(frame);
  Status status = impl_->gpu(frame).update(impl_->input_of(frame));
  impl_->collect_stats(frame);
  return status;
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
    Impl::keep_in_view(frame);
    impl_->pane(frame).stats.draw_calls = 0;
    impl_->update_character(frame);
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
  PELT_TRY(check_gl("reading the picture"));
  return image;
}

Result<deform::DeformedCharacter> Renderer::read_back(const Frame& frame) {
  impl_->update_character(frame);
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

Result<std::optional<VertexHit>> Renderer::pick(const Frame& frame, glm::ivec2 pixel, int radius) {
  PELT_EXPECT(frame.character != nullptr && frame.pose != nullptr, "a frame has a character and a pose");
  return impl_->pick(frame, pixel, radius);
}

std::int64_t Renderer::picking_draws(int pane) const {
  return impl_->pane(pane).ids.drawn();
}

std::function<Result<std::shared_ptr<const CharacterPlan>>()> Renderer::planner(
    const rig::Character& character, const deform::SkinningSettings& settings) const {
  return [character, settings, limits = impl_->limits] { return plan_character(character, settings, false, limits); };
}

std::string Renderer::device() const {
  return device_name();
}

}  // namespace pelt::render
