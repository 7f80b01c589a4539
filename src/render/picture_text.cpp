#include "render/picture_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/text.h"
#include "render/look_colors.h"
#include "render/overlay.h"

namespace pelt::render {

std::optional<glm::vec3> on_screen(const Frame& frame, const glm::vec3& point) {
  const glm::vec2 size(frame.size);
  const glm::mat4 view_from_world = frame.camera.view_from_world();
  const glm::vec4 position(point, 1.0f);
  const glm::vec4 clip = frame.camera.clip_from_view(size.x / std::max(size.y, 1.0f)) * view_from_world * position;
  const glm::vec2 at = glm::vec2(clip) / clip.w;
  if (!(clip.w > 0.0f && std::abs(at.x) <= 1.0f && std::abs(at.y) <= 1.0f)) {
    return std::nullopt;
  }
  return glm::vec3((glm::vec2(at.x, -at.y) * 0.5f + 0.5f) * size, -(view_from_world * position).z);
}

std::optional<deform::VertexSteps> pinned_steps(const Frame& frame) {
  PELT_EXPECT(frame.character != nullptr && frame.pose != nullptr, "a posed character");
  const rig::Character& character = *frame.character;
  const auto p = static_cast<std::size_t>(frame.pinned_part);
  const auto v = static_cast<std::size_t>(frame.pinned_vertex);
  if (frame.pinned_part < 0 || frame.pinned_vertex < 0 || p >= character.parts.size() ||
      v >= character.primitive(character.parts[p]).vertex_count() || frame.deformed == nullptr ||
      frame.deformed->parts.size() != character.parts.size()) {
    return std::nullopt;
  }
  return deform::vertex_steps(character, *frame.pose, frame.world, frame.skinning, *frame.deformed, frame.pinned_part,
                              frame.pinned_vertex);
}

std::string ghost_text(const rig::Character& character, const deform::JointStep& step) {
  return fmt::format("{}  {:.3g}", printable(character.skeleton->label(step.joint), 40), step.weight);
}

std::vector<PictureText> vertex_texts(const Frame& frame) {
  const std::optional<deform::VertexSteps> steps = pinned_steps(frame);
  if (!steps || !frame.view.ghost_points) {
    return {};
  }
  constexpr glm::vec3 kWhite(1.0f);
  std::vector<PictureText> texts;
  const auto add = [&](const glm::vec3& point, std::string text, const glm::vec3& color) {
    if (const std::optional<glm::vec3> at = on_screen(frame, point)) {
      texts.push_back({glm::vec2(*at), std::move(text), color});
    }
  };
  add(steps->result, fmt::format("vertex {}", steps->vertex), kWhite);
  for (const deform::JointStep& step : steps->joints) {
    add(step.ghost, ghost_text(*frame.character, step), joint_color(step.joint));
  }
  return texts;
}

std::vector<std::size_t> told_cracks(std::span<const measure::PosedCrack> cracks) {
  constexpr std::size_t kMost = 20;
  constexpr double kOpen = 1e-6;  // metres: what rounding makes is no crack
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < cracks.size(); ++i) {
    if (cracks[i].size > kOpen) {
      order.push_back(i);
    }
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min(kMost, order.size()));
  std::ranges::partial_sort(order, order.begin() + count, [&](std::size_t a, std::size_t b) {
    return cracks[a].size != cracks[b].size ? cracks[a].size > cracks[b].size : a < b;
  });
  order.resize(static_cast<std::size_t>(count));
  return order;
}

std::string crack_text(const measure::PosedCrack& crack) {
  return fmt::format("{:.3g} mm", 1e3 * crack.size);
}

std::vector<PictureText> crack_texts(const Frame& frame, std::span<const measure::PosedCrack> cracks) {
  constexpr glm::vec3 kOrange(1.0f, 0.62f, 0.45f);
  std::vector<PictureText> texts;
  for (const std::size_t i : told_cracks(cracks)) {
    if (const std::optional<glm::vec3> at = on_screen(frame, cracks[i].vertex)) {
      texts.push_back({glm::vec2(*at), crack_text(cracks[i]), kOrange, true});
    }
  }
  return texts;
}

std::vector<PictureText> joint_texts(const Frame& frame) {
  constexpr glm::vec3 kPale(0.86f, 0.87f, 0.9f);
  std::vector<PictureText> texts;
  for (const ScreenLabel& label : joint_labels(frame)) {
    texts.push_back({label.pixel, printable(frame.character->skeleton->label(label.joint), 40), kPale});
  }
  return texts;
}

}  // namespace pelt::render
