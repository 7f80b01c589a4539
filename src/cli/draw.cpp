#include "cli/draw.h"

#include <algorithm>
#include <cmath>

#include "cli/open.h"
#include "core/text.h"

namespace pelt::cli {
namespace {

// An orbit camera that stands where the scene's camera stands and looks the same way; roll is not kept.
Result<render::Camera> scene_camera(const rig::Character& character, std::span<const glm::mat4> world,
                                    const Bounds& bounds, int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= character.cameras.size()) {
    return error("--scene-camera {}: the file has {} camera(s)", index, character.cameras.size());
  }
  const rig::Camera& source = character.cameras[static_cast<std::size_t>(index)];
  if (source.joint < 0) {
    return error("--scene-camera {}: no node carries that camera", index);
  }
  const glm::mat4& node = world[static_cast<std::size_t>(source.joint)];
  const glm::vec3 eye(node[3]);
  const glm::vec3 back(node[2]);  // glTF cameras look along -Z
  if (!(glm::length(back) > 0.0f)) {
    return error("--scene-camera {}: its node has no direction", index);
  }
  const glm::vec3 outward = glm::normalize(back);
  render::Camera camera;
  // The point beside the character, so that the near and far planes enclose it.
  camera.distance = std::max(0.01f, glm::dot(eye - bounds.center(), outward));
  camera.pivot = eye - outward * camera.distance;
  camera.azimuth = std::atan2(outward.x, outward.z);
  camera.elevation = std::asin(std::clamp(outward.y, -1.0f, 1.0f));
  camera.orthographic = !source.perspective;
  camera.yfov = source.perspective ? source.yfov : 2.0f * std::atan(source.ymag / camera.distance);
  camera.near_far_radius = glm::length(camera.pivot - bounds.center()) + bounds.diagonal();
  return camera;
}

}  // namespace

Bounds shown_bounds(const edit::Document& document, edit::Evaluation& evaluation) {
  Bounds bounds = evaluation.deformed(document).bounds;
  if (bounds.empty()) {
    for (const glm::mat4& world : evaluation.world()) {
      bounds.add(glm::vec3(world[3]));
    }
  }
  return bounds;
}

Result<render::ViewSettings> view_settings(const rig::Character& character, const DrawingOptions& options) {
  render::ViewSettings view;
  view.look = options.look;
  if (!options.joint.empty()) {
    const Result<int> joint = resolve_joint(character.skeleton, options.joint);
    if (!joint) {
      return joint.error().in("--joint");
    }
    view.weight_joint = *joint;
  }
  view.skeleton = options.skeleton || character.parts.empty();
  view.joint_names = options.joint_names;
  view.wireframe = options.wireframe;
  view.normal_lines = options.normals;
  view.grid = options.grid;
  view.ground = options.grid;
  view.samples = options.samples;
  view.background = options.background;
  return view;
}

Result<render::Camera> make_camera(const rig::Character& character, std::span<const glm::mat4> world,
                                   const Bounds& bounds, const DrawingOptions& options) {
  if (options.scene_camera) {
    return scene_camera(character, world, bounds, *options.scene_camera);
  }
  render::Camera camera;
  camera.orthographic = options.ortho;
  if (options.camera) {
    camera.azimuth = options.camera->azimuth;
    camera.elevation = options.camera->elevation;
  }
  render::frame(camera, bounds, static_cast<float>(options.size.x) / static_cast<float>(options.size.y));
  if (options.camera && options.camera->distance) {
    camera.distance = *options.camera->distance;
  }
  return camera;
}

}  // namespace pelt::cli
