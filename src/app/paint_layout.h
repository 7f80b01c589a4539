#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/session.h"
#include "core/jobs.h"
#include "render/renderer.h"
#include "render/surface_parts.h"

namespace pelt::app {

/// Decides how the window has characters drawn: in palette batches, or, from an edit of weights on and as long as
/// weights are worked on, in the layout that takes the rows that changed. How to draw in batches again is computed in
/// the background when that is over; until then the paint layout stays.
class PaintLayout {
 public:
  explicit PaintLayout(std::shared_ptr<Jobs> jobs);

  /// Sets Session::paint and Session::plans. Never waits.
  /// @param working  whether what edits weights is in front
  void update(Session& session, const render::Renderer& renderer, bool working);
  /// The frames of the last update() have been drawn.
  static void drawn(Session& session) { session.plans.clear(); }

  [[nodiscard]] bool planning() const { return slot_.active(); }

 private:
  void plan(const Session& session, const render::Renderer& renderer);

  render::SurfaceParts seen_;                         // of the last update()
  render::SurfaceParts planned_;                      // what the work is about
  std::vector<deform::SkinningSettings> planned_of_;  // likewise, one of each pane on the GPU
  JobSlot<BatchPlans> slot_;
};

/// What stands at a place of a pane's picture, found by the GPU. Nothing, too, where it cannot say.
/// @param at  from the picture's upper left corner, 0..1
/// @pre update() saw that pane
std::optional<render::VertexHit> vertex_at(Session& session, render::Renderer& renderer,
                                           const render::PaneLayout& layout, float pixel_scale, int pane, glm::vec2 at);

}  // namespace pelt::app
