// The schema of extras.pelt is in extras_pelt.md.

#include <utility>

#include <fmt/format.h>

#include "gltf/export_buffers.h"
#include "gltf/export_primitives.h"

namespace pelt::gltf {
namespace {

// Knots and rational weights are doubles: what a float does not hold is written with all its digits.
Json number_json(double value) {
  const auto rounded = static_cast<float>(value);
  return static_cast<double>(rounded) == value ? Json(rounded) : raw_json(fmt::format("{}", value));
}

Json direction_json(const mesh::NurbsDirection& direction, int steps) {
  Json knots = Json::array();
  for (const double knot : direction.knots) {
    knots.push_back(number_json(knot));
  }
  return {{"degree", direction.degree}, {"knots", std::move(knots)}, {"steps", steps}};
}

}  // namespace

Json nurbs_json(const mesh::ControlCage& cage) {
  Json points = Json::array();
  Json joints = Json::array();
  Json weights = Json::array();
  for (std::size_t c = 0; c < cage.positions.size(); ++c) {
    const glm::vec3& at = cage.positions[c];
    Json point = json_of(at);
    point.push_back(number_json(cage.nurbs.weights[c]));
    points.push_back(std::move(point));
    const mesh::InfluenceRow row = cage.influences->row(c);
    joints.push_back(std::vector<std::uint16_t>(row.joints.begin(), row.joints.end()));
    weights.push_back(std::vector<float>(row.weights.begin(), row.weights.end()));
  }
  Json out = {{"u", direction_json(cage.nurbs.u, cage.nurbs.u_steps)},
              {"v", direction_json(cage.nurbs.v, cage.nurbs.v_steps)},
              {"points", std::move(points)},
              {"joints", std::move(joints)},
              {"weights", std::move(weights)}};
  for (const std::vector<glm::vec3>& deltas : cage.morph_deltas) {
    Json shape = Json::array();
    for (const glm::vec3& delta : deltas) {
      shape.push_back(json_of(delta));
    }
    out["shapes"].push_back(std::move(shape));
  }
  return out;
}

}  // namespace pelt::gltf
