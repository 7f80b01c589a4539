#include "render/crowd_scene.h"

#include <array>
#include <numeric>

#include "rig/surface_variants.h"

namespace pelt::render {
namespace {

// Fewer vertices than this in all are drawn as they are.
constexpr std::int64_t kVerticesWithoutLevels = 200'000;
// Distances at which levels change, in diagonals of the character: at a picture of 1000 pixels and 35 degrees it is
// then about 200 and 80 pixels tall.
constexpr std::array kLevelDistances = {8.0f, 20.0f};
// A clip may carry a character this many diagonals beyond its box at rest before it is culled too early.
constexpr float kReach = 1.5f;

std::int64_t vertex_count(const rig::Character& character) {
  std::int64_t count = 0;
  for (const rig::Part& part : character.parts) {
    count += static_cast<std::int64_t>(character.primitive(part).vertex_count());
  }
  return count;
}

std::vector<int> clips_of(const Frame& frame) {
  if (frame.clip >= 0) {
    return {frame.clip};
  }
  if (frame.character->clips.empty()) {
    return {-1};
  }
  std::vector<int> all(frame.character->clips.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

bool shows_crowd(const Frame& frame) {
  return frame.view.instances > 0 && frame.pane == 0 && !frame.character->parts.empty() &&
         draws_crowds(frame.view.look);
}

bool CrowdScene::update(const Frame& frame, const DeviceLimits& limits) {
  if (frame.view.hiding != nullptr && !frame.view.hiding->vertices.empty()) {
    stats_.refused = "faces are hidden, which a crowd cannot show";  // its levels of detail have other faces
    return false;
  }
  const Key key{SurfaceParts(*frame.character), frame.character->clips, frame.clip, frame.view.instances};
  if (key_ != key) {
    const rig::Character& character = *frame.character;
    const Bounds rest = deform::deform_once(character, rig::rest_pose(character), {}).bounds;
    if (!key_ || !(key.of == key_->of)) {
      coarser_.clear();
    }
    gpu_.reset();
    key_ = key;
    stats_ = {.instances = frame.view.instances};
    std::vector<const rig::Character*> levels = {&character};
    limits_.clear();
    if (vertex_count(character) * frame.view.instances > kVerticesWithoutLevels) {
      for (std::size_t level = coarser_.size(); level < kLevelDistances.size(); ++level) {
        coarser_.push_back(rig::with_detail(character, static_cast<int>(level) + 1));
      }
      for (std::size_t level = 0; level < kLevelDistances.size(); ++level) {
        levels.push_back(&coarser_[level]);
        limits_.push_back(kLevelDistances[level] * rest.diagonal());
      }
    }
    level_vertices_.clear();
    for (const rig::Character* level : levels) {
      level_vertices_.push_back(vertex_count(*level));
    }
    const std::vector<int> clips = clips_of(frame);
    Result<GpuCrowd> made = GpuCrowd::create(levels, clips, limits);
    if (!made) {
      stats_.refused = made.error().message;
      return false;
    }
    gpu_.emplace(*std::move(made));
    instances_ = deform::arrange_crowd(frame.view.instances, static_cast<int>(clips.size()), rest);
    ball_ = glm::vec4(rest.center(), 0.5f * kReach * rest.diagonal());
    stats_.bounds = deform::crowd_bounds(character, frame.view.instances);
    stats_.resident_bytes = gpu_->resident_bytes();
    stats_.matrix_bytes = gpu_->baked().bytes();
  }
  if (!gpu_) {
    return false;
  }
  stats_.refused.clear();
  const float aspect = static_cast<float>(frame.size.x) / static_cast<float>(frame.size.y);
  const glm::mat4 clip_from_world = frame.camera.clip_from_view(aspect) * frame.camera.view_from_world();
  const std::vector<int> visible = deform::visible_instances(instances_, ball_, clip_from_world);
  gpu_->place(instances_, visible, frame.clip_seconds, frame.camera.eye(), limits_);
  stats_.visible = static_cast<int>(visible.size());
  stats_.vertices = 0;
  for (std::size_t level = 0; level < level_vertices_.size(); ++level) {
    stats_.vertices += gpu_->per_level()[level] * level_vertices_[level];
  }
  return true;
}

}  // namespace pelt::render
