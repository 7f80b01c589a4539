#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "render/view_settings.h"

namespace pelt::render {

/// Radiance from everywhere: longitude from left to right (-z a quarter from the left), the zenith on top. Linear.
struct EnvironmentImage {
  std::string name;  ///< of the file
  int width = 0;
  int height = 0;
  std::vector<glm::vec3> pixels;  ///< [height][width]
};

/// Reads a Radiance picture (.hdr), run-length encoded or not, in the usual order of rows (-Y H +X W), and halves it
/// until it is at most 2048 wide: more is not seen in reflections. Negative and infinite values cannot occur; the
/// largest is clamped to what 16-bit floats hold.
/// Source: Ward, "Real Pixels", Graphics Gems II, 1991; the Radiance reference manual, "Picture file format".
/// Fails on anything else, naming what was expected; allocates in proportion to the file.
Result<EnvironmentImage> read_radiance_hdr(std::span<const std::byte> bytes);

/// The same from a file. Fails also where it cannot be read.
Result<EnvironmentImage> load_environment(const std::string& path);

/// Where most of the upper half's light comes from, at least 25 degrees above the horizon: there a shadow is thrown
/// from. Unit; straight up for an image that is equally bright everywhere.
glm::vec3 brightest_direction(const EnvironmentImage& image);

/// What an environment is made of besides what its shader says.
struct EnvironmentLight {
  std::string_view shader;                       ///< below shaders/, defines environment_radiance()
  glm::vec3 key_direction = glm::vec3(0, 1, 0);  ///< towards the light that throws the shadow, unit
  float key_half_angle = 0.07f;                  ///< radians
  glm::vec3 key_color = glm::vec3(0.0f);         ///< radiance times pi; black where the environment holds all light
  glm::vec3 rim_color = glm::vec3(0.0f);      ///< radiance at silhouettes of light from behind, as the camera sees it
  glm::vec3 ground_color = glm::vec3(0.35f);  ///< albedo; in the studio the colour itself
  bool sweep = false;                         ///< a backdrop of its own instead of the environment, out of focus
};
EnvironmentLight environment_light(const ViewSettings& view);

}  // namespace pelt::render
