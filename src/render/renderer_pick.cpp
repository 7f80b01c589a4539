#include <algorithm>
#include <array>

#include "core/expect.h"
#include "render/renderer_impl.h"

namespace pelt::render {
namespace {

// Drawn around what is asked for, so that a cursor that moves a little finds it there.
constexpr int kAround = 16;

PixelRect around(glm::ivec2 pixel, int reach, glm::ivec2 size) {
  const glm::ivec2 first = glm::max(pixel - reach, glm::ivec2(0));
  return {first, glm::max(glm::min(pixel + reach + 1, size) - first, glm::ivec2(0))};
}

/// Leaves framebuffers and viewport as they were.
class TargetScope {
 public:
  TargetScope() {
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw_framebuffer_);
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read_framebuffer_);
    glGetIntegerv(GL_VIEWPORT, viewport_.data());
  }
  ~TargetScope() {
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_framebuffer_));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_framebuffer_));
    glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
  }
  TargetScope(const TargetScope&) = delete;
  TargetScope& operator=(const TargetScope&) = delete;

 private:
  GLint draw_framebuffer_ = 0;
  GLint read_framebuffer_ = 0;
  std::array<GLint, 4> viewport_ = {};
};

}  // namespace

/// Triangles of all parts that are shown, their numbers, into a tile of the picture.
Status Renderer::Impl::draw_ids(const Frame& frame, const PixelRect& rect) {
  IdTile& tile = pane(frame).ids;
  if (Status begun = tile.begin(rect); !begun) {
    return begun;
  }
  const float aspect = static_cast<float>(frame.size.x) / static_cast<float>(frame.size.y);
  bind_frame(frame, frame.camera.clip_from_view(aspect) * frame.camera.view_from_world());
  glViewport(-rect.origin.x, rect.origin.y + rect.size.y - frame.size.y, frame.size.x, frame.size.y);
  glEnable(GL_SCISSOR_TEST);
  glScissor(0, 0, rect.size.x, rect.size.y);
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LESS);
  glDisable(GL_BLEND);
  glDisable(GL_CULL_FACE);
  const GpuCharacter& character = gpu(frame);
  Status status;
  for (int p = 0; p < static_cast<int>(frame.character->parts.size()) && status; ++p) {
    const rig::Part& part = frame.character->parts[p];
    if (hides(frame, p) || frame.character->primitive(part).topology != mesh::Topology::kTriangles) {
      continue;
    }
    const Result<const Program*> program = programs.get(character.variant(p), "surface/identify.frag");
    if (!program) {
      status = program.error();
      break;
    }
    glUseProgram((*program)->id());
    character.draw_ids(p, **program);
  }
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_DEPTH_TEST);
  glUseProgram(0);
  return status;
}

/// The triangle that a pixel shows, met by the ray through the pixel's middle.
Result<std::optional<VertexHit>> Renderer::Impl::hit_at(const Frame& frame, glm::ivec2 pixel, const IdTile::Ids& ids) {
  const int p = static_cast<int>(ids.x) - 1;
  const GpuCharacter& character = gpu(frame);
  PELT_TRY_TO(const auto corners, character.posed_triangle(p, ids.y, programs));
  const std::uint32_t triangle = character.source_element(p, ids.y);
  const mesh::Primitive& primitive = frame.character->primitive(frame.character->parts[p]);
  const std::array<std::uint32_t, 3> vertices = {primitive.indices[3 * std::size_t{triangle}],
                                                 primitive.indices[3 * std::size_t{triangle} + 1],
                                                 primitive.indices[3 * std::size_t{triangle} + 2]};
  const glm::vec2 size(frame.size);
  const glm::vec2 middle = (glm::vec2(pixel) + 0.5f) / size * 2.0f - 1.0f;
  const Ray ray = pick_ray(frame.camera, {middle.x, -middle.y}, size.x / size.y);
  return hit_on_triangle(ray, p, static_cast<int>(triangle), corners, vertices);
}

Result<std::optional<VertexHit>> Renderer::Impl::pick(const Frame& wanted, glm::ivec2 pixel, int radius) {
  Frame frame = wanted;
  keep_in_view(frame);
  const PixelRect rect = around(pixel, std::max(radius, 0), frame.size);
  if (rect.size.x <= 0 || rect.size.y <= 0) {
    return std::optional<VertexHit>();
  }
  update_character(frame);
  PELT_TRY(gpu(frame).update(input_of(frame)));
  PaneState& state = pane(frame);
  IdTile::Key key{SurfaceParts(*frame.character),
                  frame.pose_version,
                  state.character.plan_version(),
                  frame.skinning,
                  frame.camera,
                  frame.size,
                  {looks.hidden, looks.by_hand}};
  if (!state.ids.covers(key, rect)) {
    const TargetScope scope;
    Status drawn = draw_ids(frame, around(pixel, std::max(radius, 0) + kAround, frame.size));
    if (drawn) {
      drawn = state.ids.end(std::move(key));
    }
    if (!drawn) {
      return drawn.error();
    }
  }
  const std::optional<glm::ivec2> nearest = state.ids.nearest(pixel, std::max(radius, 0));
  if (!nearest) {
    return std::optional<VertexHit>();
  }
  return hit_at(frame, *nearest, state.ids.at(*nearest));
}

}  // namespace pelt::render
