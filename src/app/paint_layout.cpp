#include "app/paint_layout.h"

#include <utility>

#include "core/progress.h"

namespace pelt::app {
namespace {

std::vector<deform::SkinningSettings> settings_on_gpu(const Session& session) {
  std::vector<deform::SkinningSettings> out;
  for (int pane = 0; pane < edit::pane_count(session.document.content); ++pane) {
    const deform::SkinningSettings& settings = session.evaluation.skinning(pane);
    if (settings.backend == deform::Backend::kGpu) {
      out.push_back(settings);
    }
  }
  return out;
}

}  // namespace

PaintLayout::PaintLayout(std::shared_ptr<Jobs> jobs)
    : slot_(std::move(jobs), Jobs::Kind::kLive, "Rebuilding palettes") {}

void PaintLayout::plan(const Session& session, const render::Renderer& renderer) {
  planned_ = seen_;
  planned_of_ = settings_on_gpu(session);
  using Planner = decltype(renderer.planner(*session.document.character, {}));
  std::vector<std::pair<deform::SkinningSettings, Planner>> planners;
  for (const deform::SkinningSettings& settings : planned_of_) {
    planners.emplace_back(settings, renderer.planner(*session.document.character, settings));
  }
  slot_.start([planners = std::move(planners)](const Progress& progress) -> std::optional<BatchPlans> {
    BatchPlans plans;
    for (const auto& [settings, planner] : planners) {
      const auto share = static_cast<float>(plans.size()) / static_cast<float>(planners.size());
      if (!report(progress, share, "Grouping triangles by joints")) {
        return std::nullopt;
      }
      // Where none can be made the renderer, which then tries for itself, says why.
      auto made = planner();
      plans.emplace_back(settings, made ? *std::move(made) : nullptr);
    }
    return plans;
  });
}

void PaintLayout::update(Session& session, const render::Renderer& renderer, bool working) {
  const render::SurfaceParts before = std::exchange(seen_, render::SurfaceParts(*session.document.character));
  if (!(seen_ == before)) {
    session.paint = same_but_weights(before, seen_);  // of another surface no buffer is of use
  }
  if (!session.paint || working) {
    if (slot_.active()) {
      slot_.cancel();
    }
    planned_ = {};
    return;
  }
  if (!(planned_ == seen_) || planned_of_ != settings_on_gpu(session)) {
    plan(session, renderer);
    return;
  }
  std::optional<BatchPlans> plans = slot_.take();
  if (plans || slot_.failed()) {
    session.paint = false;
    session.plans = std::move(plans).value_or(BatchPlans());
    planned_ = {};
  }
}

std::optional<render::VertexHit> vertex_at(Session& session, render::Renderer& renderer,
                                           const render::PaneLayout& layout, float pixel_scale, int pane,
                                           glm::vec2 at) {
  const glm::ivec2 size = layout.pictures[pane].size;
  const render::Frame frame = make_frame(session, renderer, size, pixel_scale, pane);
  const glm::ivec2 pixel = glm::clamp(glm::ivec2(at * glm::vec2(size)), glm::ivec2(0), size - 1);
  const Result<std::optional<render::VertexHit>> hit = renderer.pick(frame, pixel);
  return hit ? *hit : std::nullopt;
}

}  // namespace pelt::app
