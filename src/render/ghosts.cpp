#include "render/ghosts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/index.h"
#include "render/gpu_plan.h"
#include "render/renderer_impl.h"
#include "render/shader_interface.h"

namespace pelt::render {
namespace {

constexpr glm::vec3 kGhostBefore = {0.92f, 0.33f, 0.06f};  // linear
constexpr glm::vec3 kGhostAfter = {0.05f, 0.40f, 0.86f};
constexpr float kFaintest = 0.25f;  // share of the nearest one's opacity that the farthest keeps
constexpr GLint kCharacterMark = 255;

}  // namespace

glm::vec4 ghost_color(const GhostSettings& settings, int place) {
  const int count = std::max(place < 0 ? settings.before : settings.after, 1);
  const float away = count > 1 ? static_cast<float>(std::abs(place) - 1) / static_cast<float>(count - 1) : 0.0f;
  const float share = std::lerp(1.0f, kFaintest, std::clamp(away, 0.0f, 1.0f));
  return {place < 0 ? kGhostBefore : kGhostAfter, settings.opacity * share};
}

deform::SkinningSettings ghost_skinning(const rig::Character& character, deform::SkinningSettings of_pane) {
  of_pane.backend = deform::Backend::kGpu;
  if (!needs_cpu(character, of_pane)) {
    return of_pane;
  }
  deform::SkinningSettings plain;
  plain.influence_limit = kShaderInfluences;
  plain.weights_as_stored = of_pane.weights_as_stored;
  return plain;
}

/// Nothing of the character's own pixels is touched: they are marked first, whatever is nearer. Each ghost colours a
/// sample once, however many of its triangles lie there.
Status Renderer::Impl::draw_ghosts(const Frame& frame) {
  PaneState& state = pane(frame);
  if (frame.ghosts.empty() || crowded) {
    if (!frame.view.ghosts.shown) {
      state.ghosts.reset();
    }
    return {};
  }
  if (state.ghosts == nullptr) {
    state.ghosts = std::make_unique<GpuCharacter>(limits);
  }
  glDisable(GL_DEPTH_TEST);
  glDepthMask(GL_FALSE);
  glDisable(GL_CULL_FACE);
  glEnable(GL_DEPTH_CLAMP);  // they may walk out of what the camera was set for
  glEnable(GL_STENCIL_TEST);
  glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
  glStencilFunc(GL_ALWAYS, kCharacterMark, 0xFF);
  glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
  Status status;
  const int parts = static_cast<int>(frame.character->parts.size());
  for (int p = 0; p < parts && status; ++p) {
    status = draw_part(frame, p, "surface/depth.frag", hole_defines(p));
  }
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  const std::size_t count = std::min<std::size_t>(frame.ghosts.size(), kCharacterMark - 1);
  for (std::size_t i = 0; i < count && status; ++i) {
    glStencilFunc(GL_GREATER, static_cast<GLint>(i) + 1, 0xFF);
    status = draw_ghost(frame, frame.ghosts[i]);
  }
  glClear(GL_STENCIL_BUFFER_BIT);
  glDisable(GL_STENCIL_TEST);
  glDisable(GL_DEPTH_CLAMP);
  glDisable(GL_BLEND);
  glEnable(GL_DEPTH_TEST);
  glDepthMask(GL_TRUE);
  return status;
}

std::vector<Define> Renderer::Impl::hole_defines(int part) const {
  const rig::Material* material = material_of(part);
  std::vector<Define> defines;
  if (material != nullptr && material->alpha_mode == rig::AlphaMode::kMask) {
    defines.emplace_back("WITH_HOLES", "1");
  }
  return defines;
}

Status Renderer::Impl::draw_ghost(const Frame& frame, const Ghost& ghost) {
  GpuCharacter& character = *pane(frame).ghosts;
  GpuInput input = input_of(frame);
  input.pose = ghost.pose;
  input.world = ghost.world;
  input.pose_version = ghost.version;
  input.skinning = ghost_skinning(*frame.character, frame.skinning);
  input.deformed = nullptr;
  input.paint = false;
  input.plan = nullptr;
  PELT_TRY(character.update(input));
  for (int p = 0; p < static_cast<int>(frame.character->parts.size()); ++p) {
    const bool is_surface =
        frame.character->primitive(frame.character->parts[p]).topology == mesh::Topology::kTriangles;
    if (hides(frame, p) || !is_surface) {
      continue;
    }
    PELT_TRY_TO(const Program* const program,
                programs.get(character.variant(p), "surface/ghost.frag", hole_defines(p)));
    glUseProgram(program->id());
    glUniform4fv(uniform(*program, "u_color"), 1, &ghost.color.x);
    materials.bind(looks.part_materials[p]);
    pane(frame).stats.draw_calls += character.draw(p);
  }
  return {};
}

}  // namespace pelt::render
