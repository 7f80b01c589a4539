#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/index.h"
#include "render/look_colors.h"
#include "render/renderer_impl.h"
#include "render/shader_interface.h"
#include "rig/own_bindings.h"

namespace pelt::render {
namespace {

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
    case Look::kMask:
      return "LOOK_MASK";
    default:
      return nullptr;
  }
}

// Vertices that say where a part is; more change nothing about which of two parts is nearer.
constexpr std::size_t kCenterSamples = 64;

/// About where the middle of a part is in its pose, world, by linear blending: enough to say which part is nearer.
glm::vec3 posed_center(const Frame& frame, int p) {
  const rig::Part& part = frame.character->parts[p];
  Bounds bounds;
  if (frame.deformed != nullptr && has_index(frame.deformed->parts, p)) {
    return bounds_of(frame.deformed->parts[p].positions).center();
  }
  const mesh::Primitive& primitive = frame.character->primitive(part);
  const glm::mat4& world = frame.world[part.joint];
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

}  // namespace

void Renderer::Impl::bind_frame(const Frame& frame, const glm::mat4& clip_from_world, bool scene_linear,
                                glm::ivec2 origin) const {
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

const rig::Material* Renderer::Impl::material_of(int part) const {
  const int index = looks.part_materials[part];
  return has_index(looks.materials, index) ? &looks.materials[index] : nullptr;
}

VertexVariant Renderer::Impl::variant_of(const Frame& frame, int part) {
  return crowded ? crowd.gpu().variant(part) : gpu(frame).variant(part);
}

bool Renderer::Impl::hides(const Frame& frame, int part) const {
  return looks.hides(frame.character->parts[part], part);
}

Status Renderer::Impl::draw_part(const Frame& frame, int part, std::string_view fragment,
                                 const std::vector<Define>& defines) {
  if (hides(frame, part)) {
    return {};
  }
  std::vector<Define> all = defines;
  if (shows_weights(frame, part)) {
    all.emplace_back("WEIGHT_LOOK", fmt::format("{}", kSequentialStops));
  }
  PELT_TRY_TO(const Program* const program, programs.get(variant_of(frame, part), fragment, all));
  glUseProgram(program->id());
  materials.bind(looks.part_materials[part]);
  pane(frame).stats.draw_calls += draw_geometry(frame, part);
  return {};
}

SurfacePass Renderer::Impl::pass_of(const Frame& frame, int part) const {
  const rig::Material* material = material_of(part);
  if (frame.view.look != Look::kShaded || material == nullptr) {
    return SurfacePass::kSolid;
  }
  return material->alpha_mode == rig::AlphaMode::kBlend    ? SurfacePass::kBlended
         : materials.transmits(looks.part_materials[part]) ? SurfacePass::kTransmitting
                                                           : SurfacePass::kSolid;
}

bool Renderer::Impl::shows_through(const Frame& frame) const {
  for (int p = 0; p < static_cast<int>(frame.character->parts.size()); ++p) {
    if (frame.view.look == Look::kShaded && !hides(frame, p) && materials.transmits(looks.part_materials[p])) {
      return true;
    }
  }
  return false;
}

Status Renderer::Impl::draw_surfaces(const Frame& frame, SurfacePass pass, bool multisampled) {
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
  if (shows_isolines(frame.view)) {
    look_defines.emplace_back("ISOLINES", "1");
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
      height[p] = (view_from_world * glm::vec4(posed_center(frame, p), 1.0f)).z;
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return height[a] < height[b]; });
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
      defines = materials.defines(looks.part_materials[p]);
      if (studio.light_count() > 0 && (material == nullptr || !material->unlit)) {
        defines.emplace_back("PUNCTUAL", "1");
      }
    }
    const mesh::Primitive& primitive = frame.character->primitive(frame.character->parts[p]);
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

Status Renderer::Impl::draw_wireframe(const Frame& frame) {
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
    const bool on_dark = is_weight_look(frame.view.look);
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

Status Renderer::Impl::draw_depth(const Frame& frame, bool glass) {
  for (int p = 0; p < static_cast<int>(frame.character->parts.size()); ++p) {
    const mesh::Topology topology = frame.character->primitive(frame.character->parts[p]).topology;
    const rig::Material* material = material_of(p);
    const bool blends = material != nullptr && (material->alpha_mode == rig::AlphaMode::kBlend ||
                                                materials.transmits(looks.part_materials[p]));
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

Status Renderer::Impl::draw_solid(const Frame& frame, const glm::mat4& clip_from_world, bool multisampled) {
  Status status = studio.draw_backdrop(programs, frame, clip_from_world);
  if (status) {
    status = draw_surfaces(frame, SurfacePass::kSolid, multisampled);
  }
  if (status) {
    status = studio.draw_ground(programs, frame);
  }
  if (status) {
    status = draw_back_picture(frame);
  }
  return status;
}

Status Renderer::Impl::draw_behind(const Frame& frame, const glm::mat4& clip_from_world) {
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

}  // namespace pelt::render
