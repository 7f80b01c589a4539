#pragma once

#include <array>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "bind/volume_middle.h"

namespace pelt::bind {

/// A line through the middle of a volume, along the shortest way from one of its ends: the mean of what is equally far
/// from there, by whole steps.
struct MiddleLine {
  std::vector<glm::dvec3> points;  ///< from the end on
  std::vector<double> distance;    ///< [points] from the end, metres, ascending
  std::vector<double> section;     ///< [points] how much is there, square metres

  [[nodiscard]] double length() const { return distance.empty() ? 0 : distance.back(); }
  /// @param from_end  metres; the line ends where it begins and ends. @pre  points
  [[nodiscard]] glm::dvec3 at(double from_end) const;
};

/// What is seen of a standing body. Index 0: its left, 1: its right.
struct BodyLandmarks {
  double floor = 0;                     ///< y
  double height = 0;                    ///< metres
  glm::dvec2 middle = {};               ///< x and z of the trunk
  double front = 1;                     ///< it faces +z or -z
  double crotch = 0;                    ///< y
  bool has_legs = false;                ///< there is air between them
  std::array<MiddleLine, 2> arms = {};  ///< from the tip of the hand to the shoulder; empty: not found
  std::array<glm::dvec3, 2> hips = {};  ///< where the thighs begin
  std::array<glm::dvec3, 2> ankles = {};
  std::array<glm::dvec3, 2> toes = {};
  double neck = 0;  ///< y of the thinnest place above the shoulders

  /// The world's x that is on that side of the body.
  [[nodiscard]] double side(int which) const { return which == 0 ? front : -front; }
};

/// Looks where the volume is. The crotch is where the air between the legs ends; the hands are what is farthest from
/// the trunk by ways through the volume beside the legs and the head; an arm ends where the part of the volume that is
/// equally far from the tip grows to a multiple. @cost O(cubes log cubes)
BodyLandmarks body_landmarks(const RestVolume& volume);

/// The line through the longest way of a volume, from the lower end (else that of smaller z, then x).
MiddleLine longest_line(const RestVolume& volume);

}  // namespace pelt::bind
