#include "ui/workspace.h"

namespace pelt::ui {

void apply(const Requests& requests, edit::Document& document) {
  for (const edit::Command& command : requests.commands) {
    edit::apply(document, command);
  }
  if (requests.end_merge) {
    edit::end_merge(document);
  }
  if (requests.undo) {
    edit::undo(document);
  }
  if (requests.redo) {
    edit::redo(document);
  }
  if (requests.select_joint) {
    document.selected_joint = *requests.select_joint;
  }
  if (requests.pin) {
    document.pinned_part = requests.pin->x;
    document.pinned_vertex = requests.pin->y;
  }
}

void select(Desk& desk, int joint) {
  desk.requests.select_joint = joint;
  if (desk.workspace.weights_follow_selection && desk.workspace.view.weight_joint >= 0 && joint >= 0) {
    desk.workspace.view.weight_joint = joint;
  }
}

void frame_all(Workspace& workspace, const Scene& scene) {
  // Once in a while is often enough for the exact shape.
  Bounds bounds = scene.deformed ? scene.deformed().bounds : scene.bounds;
  if (bounds.empty()) {
    for (const glm::mat4& matrix : scene.world) {
      bounds.add(glm::vec3(matrix[3]));
    }
  }
  if (bounds.empty()) {
    return;
  }
  const Rect& view = workspace.layout.viewport;
  const float aspect = view.empty() ? 1.0f : view.w / view.h;
  render::frame(workspace.camera, bounds, aspect);
  workspace.framed = workspace.camera;
}

}  // namespace pelt::ui
