#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "rig/character.h"
#include "rig/hiding.h"

namespace pelt::rig {

/// What someone chose to see of a character, besides its pose.
struct AppearanceChoice {
  int variant = -1;               ///< of Character::variants; -1, or one that there is not: none
  std::vector<int> toggled = {};  ///< skeleton indices: shown where the file hides them, hidden where it shows them
  int clip = -1;                  ///< whose PropertyChannels count; -1: none
  float time = 0;                 ///< seconds on the clip's own axis
  SharedHiding by_hand = {};      ///< parts and faces out of sight, as far as it fits the character
  bool operator==(const AppearanceChoice&) const = default;
};

/// How a character looks then.
struct Appearance {
  std::vector<int> part_materials;  ///< [P] into materials, -1: none
  std::vector<char> hidden;  ///< [J] neither meshes nor lights of the node are shown; also outside the scene shown
  std::vector<Material> materials;  ///< as Character::materials
  std::vector<Light> lights;        ///< as Character::lights, hidden ones too
  std::vector<Camera> cameras;      ///< as Character::cameras
  SharedHiding by_hand;             ///< what fits the character

  /// @param p  the number of `part` in its character
  [[nodiscard]] bool hides(const Part& part, int p) const {
    return hidden[part.joint] != 0 || (by_hand != nullptr && by_hand->hides_part(p));
  }
};
Appearance appearance(const Character& character, const AppearanceChoice& choice);

/// Appearance::hidden alone. @cost O(J)
std::vector<char> hidden_nodes(const Character& character, const AppearanceChoice& choice);
/// All that is out of sight under a choice. @cost O(J + P)
HiddenSurface hidden_surface(const Character& character, const AppearanceChoice& choice);

/// The material of each part under a variant. @param variant  see AppearanceChoice
std::vector<int> part_materials(const Character& character, int variant);

// Numbers that a clip may move, by the names that JSON pointers of the glTF 2.0 object model give them; empty where
// there is no such number here.
std::span<float> material_property(Material& material, std::string_view name);
std::span<float> light_property(Light& light, std::string_view name);
std::span<float> camera_property(Camera& camera, std::string_view name);
/// KHR_node_visibility's: 0 hides the node, another number shows it.
inline constexpr std::string_view kVisibleProperty = "extensions/KHR_node_visibility/visible";

}  // namespace pelt::rig
