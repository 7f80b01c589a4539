#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <glm/glm.hpp>

namespace pelt::render {

/// A picture that was opened to stand behind the character.
struct BackPicture {
  std::string path;  ///< of its file
  std::string hash;  ///< of its bytes, SHA-256 in hexadecimal
  int width = 0;     ///< pixels; 0 where the file could not be opened: then nothing is drawn
  int height = 0;
  std::vector<std::uint8_t> pixels = {};  ///< [height][width][4], sRGB, rows top to bottom, straight alpha
};

/// How it stands there: fixed to the picture, the same in all panes, over background and ground and under the
/// character.
struct Behind {
  std::shared_ptr<const BackPicture> picture;  ///< null: none
  bool shown = true;
  float opacity = 1;                   ///< 0 to 1
  float scale = 1;                     ///< 1: as large as it fits whole
  glm::vec2 offset = glm::vec2(0.0f);  ///< of its middle from the pane's, in heights of the pane, y up
  bool without_background = false;     ///< also where the background is transparent
  bool operator==(const Behind&) const = default;
};

inline constexpr float kLeastBehindScale = 0.05f;
inline constexpr float kMostBehindScale = 20.0f;
inline constexpr float kMostBehindOffset = 10.0f;

/// Whether something of it is drawn. @param transparent  the background lets what is behind the whole picture through
bool is_drawn(const Behind& behind, bool transparent);

/// Where it lies in a pane: x and y of the lower left corner, width and height, pixels, y up. @pre is_drawn()
glm::vec4 place_of(const Behind& behind, glm::vec2 pane);

}  // namespace pelt::render
