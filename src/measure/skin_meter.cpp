#include "measure/skin_meter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <unordered_map>

#include "core/expect.h"
#include "core/parallel.h"
#include "deform/common_stretch.h"
#include "mesh/measures.h"
#include "mesh/triangle_bvh.h"
#include "rig/kinematics.h"
#include "rig/own_bindings.h"

namespace pelt::measure {
namespace {

constexpr std::size_t kMeasuredPerChunk = 2048;
constexpr double kShortestEdge = 1e-7;  // relative to the diagonal; shorter ones have no direction to be stretched in
constexpr double kThinnest = 1e-6;      // the same for heights: flatter triangles have no side that floats know
constexpr double kFlattest = 1.0 / 3;   // of a ball's volume; flatter zones have no volume to speak of
constexpr double kShared = 1e-3;        // less of a second joint's weight is rounding, or no more than that

double distance_to_segment(const glm::dvec3& p, const glm::dvec3& a, const glm::dvec3& b) {
  const glm::dvec3 along = b - a;
  const double length_squared = glm::dot(along, along);
  const double t = length_squared > 0 ? std::clamp(glm::dot(p - a, along) / length_squared, 0.0, 1.0) : 0.0;
  return glm::length(p - (a + t * along));
}

glm::dvec3 unit_or_zero(const glm::dvec3& v) {
  const double length = glm::length(v);
  return length > 0 && std::isfinite(length) ? v / length : glm::dvec3(0);
}

/// Calls `visit(joint of the skin, weight)` for each influence of a vertex of a surface, part by part in order.
template <typename Visit>
void for_each_influence(const mesh::Influences& influences, std::size_t v, Visit&& visit) {
  const mesh::InfluenceRow row = influences.row(v);
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    visit(row.joints[k], row.weights[k]);
  }
}

struct Stretch {
  double min = std::numeric_limits<double>::infinity();
  double max = 0;
  void add(double ratio) {
    min = std::min(min, ratio);
    max = std::max(max, ratio);
  }
  [[nodiscard]] bool any() const { return max > 0 || min < std::numeric_limits<double>::infinity(); }
};

/// Calls `visit(l / l0)` for the edges of triangle t.
template <typename Visit>
void for_each_stretch(const Surface& surface, std::size_t t, std::span<const glm::vec3> bind,
                      std::span<const glm::vec3> posed, double diagonal, Visit&& visit) {
  for (std::size_t corner = 0; corner < 3; ++corner) {
    const std::uint32_t a = surface.indices[3 * t + corner];
    const std::uint32_t b = surface.indices[3 * t + (corner + 1) % 3];
    const double before = glm::length(glm::dvec3(bind[a]) - glm::dvec3(bind[b]));
    if (before > kShortestEdge * diagonal) {
      visit(glm::length(glm::dvec3(posed[a]) - glm::dvec3(posed[b])) / before);
    }
  }
}

}  // namespace

double SkinMeter::Zone::volume_of(std::span<const glm::vec3> positions) const {
  return mesh::signed_volume(positions, indices) + fans.six_volumes(positions) / 6;
}

SkinMeter::SkinMeter(const rig::Character& character, bool with_zones)
    : character_(&character), with_zones_(with_zones) {
  for (Surface& surface : surfaces_of(character)) {
    if (surface.skin >= 0) {
      surfaces_.push_back(std::move(surface));
    }
  }
  const rig::Skeleton& skeleton = character.skeleton;
  for (int j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton.parent[j];
    depth_.push_back(parent < 0 ? 0 : depth_[parent] + 1);
  }
  const rig::Pose rest_pose = rig::rest_pose(character);
  const std::vector<glm::dmat3> stretches = deform::common_stretches(character);
  rig::WorldMatrices rest;
  rest.evaluate(skeleton, rest_pose);
  prepare_bones(rest.world());
  const deform::DeformedCharacter bind_character = bind_shape(character);
  for (const Surface& surface : surfaces_) {
    Prepared prepared;
    prepared.bind = surface.positions(bind_character);
    prepared.diagonal = static_cast<double>(bounds_of(prepared.bind).diagonal());
    prepared.fans = close_holes(surface);
    prepared.area = mesh::surface_area(prepared.bind, surface.indices);
    prepared.volume =
        mesh::signed_volume(prepared.bind, surface.indices) + prepared.fans.six_volumes(prepared.bind) / 6;
    prepare_weights(surface, with_zones, prepared);
    const rig::Skin& skin = character.skins[surface.skin];
    const glm::dmat3& stretch = stretches[surface.skin];
    std::unordered_map<int, glm::dmat4> bind_world;
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      bind_world.try_emplace(skin.joints[k], glm::dmat4(affine_inverse(skin.joint_from_mesh[k])));
    }
    prepared.bone_distances = distances_to_bones(surface, prepared.bind, [&](int joint, const glm::dvec3& local) {
      const auto found = bind_world.find(joint);
      if (found != bind_world.end()) {
        return stretch * glm::dvec3(found->second * glm::dvec4(local, 1));
      }
      // A child joint that only another skin lists: where the rest pose has it, seen from its parent, which is listed.
      const glm::dvec4 in_parent = glm::dmat4(rig::local_matrix(rest_pose, joint)) * glm::dvec4(local, 1);
      return stretch * glm::dvec3(bind_world.at(skeleton.parent[joint]) * in_parent);
    });
    for (double& d : prepared.bone_distances) {
      d = d > 1e-6 * prepared.diagonal ? d : 0.0;
    }
    prepared_.push_back(std::move(prepared));
  }
}

void SkinMeter::prepare_weights(const Surface& surface, bool with_zones, Prepared& prepared) const {
  const rig::Skin& skin = character_->skins[surface.skin];
  prepared.strongest.assign(surface.triangle_count(), -1);
  std::map<int, Zone> zones;   // by joint of the skeleton
  std::map<int, double> sums;  // by joint of the skin
  for (const Surface::Piece& piece : surface.pieces) {
    const mesh::Primitive& primitive = character_->primitive(character_->parts[piece.part]);
    for (std::size_t i = 0; i < primitive.triangle_count(); ++i) {
      sums.clear();
      for (std::size_t corner = 0; corner < 3; ++corner) {
        for_each_influence(primitive.influences, primitive.indices[3 * i + corner],
                           [&](std::uint16_t joint, float weight) { sums[joint] += static_cast<double>(weight); });
      }
      int first = -1;
      int second = -1;
      for (const auto& [joint, sum] : sums) {
        if (first < 0 || sum > sums[first]) {
          second = first;
          first = joint;
        } else if (second < 0 || sum > sums[second]) {
          second = joint;
        }
      }
      const std::size_t t = piece.first_triangle + i;
      prepared.strongest[t] = first;
      if (with_zones && second >= 0 && sums[second] > kShared * (sums[first] + sums[second])) {
        const int a = skin.joints[first];
        const int b = skin.joints[second];
        Zone& zone = zones[depth_[b] > depth_[a] ? b : a];
        zone.triangles.push_back(static_cast<std::uint32_t>(t));
        for (std::size_t corner = 0; corner < 3; ++corner) {
          zone.indices.push_back(surface.indices[3 * t + corner]);
        }
      }
    }
  }
  for (auto& [joint, zone] : zones) {
    zone.joint = joint;
    zone.fans = close_holes(zone.indices, surface.welded);
    zone.volume = zone.volume_of(prepared.bind);
    zone.area = mesh::surface_area(prepared.bind, zone.indices) + zone.fans.area(prepared.bind);
    prepared.zones.push_back(std::move(zone));
  }
}

void SkinMeter::prepare_bones(std::span<const glm::mat4> rest_world) {
  const rig::Skeleton& skeleton = character_->skeleton;
  bone_offset_.push_back(0);
  for (int j = 0; j < skeleton.size(); ++j) {
    bool has_child = false;
    for (const int child : skeleton.children(j)) {
      if (skeleton.is_joint[child] != 0) {
        bones_.push_back({j, child, {}});
        has_child = true;
      }
    }
    if (!has_child && skeleton.is_joint[j] != 0) {
      const glm::mat4& world = rest_world[j];
      const glm::dvec3 along = unit_or_zero(glm::dmat3(world) * glm::dvec3(rig::bone_direction(skeleton, j)));
      const glm::dvec3 tip = glm::dvec3(world[3]) + along * static_cast<double>(rig::bone_length(skeleton, j));
      bones_.push_back({j, -1, glm::dvec3(glm::dmat4(affine_inverse(world)) * glm::dvec4(tip, 1))});
    }
    bone_offset_.push_back(static_cast<int>(bones_.size()));
  }
}

template <typename Place>
std::vector<double> SkinMeter::distances_to_bones(const Surface& surface, std::span<const glm::vec3> positions,
                                                  Place&& place) const {
  const rig::Skin& skin = character_->skins[surface.skin];
  struct Segment {
    glm::dvec3 a;
    glm::dvec3 b;
  };
  std::vector<Segment> segments;  // of the bones of each joint of the skin
  std::vector<std::size_t> offset = {0};
  for (const int j : skin.joints) {
    for (int b = bone_offset_[j]; b < bone_offset_[j + 1]; ++b) {
      const Bone& bone = bones_[b];
      segments.push_back(
          {place(j, glm::dvec3(0)), bone.tail < 0 ? place(j, bone.tip) : place(bone.tail, glm::dvec3(0))});
    }
    offset.push_back(segments.size());
  }
  std::vector<double> out(surface.vertex_count(), 0.0);
  for (const Surface::Piece& piece : surface.pieces) {
    const mesh::Primitive& primitive = character_->primitive(character_->parts[piece.part]);
    parallel_for(primitive.vertex_count(), kMeasuredPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const glm::dvec3 p(positions[piece.first_vertex + v]);
        double nearest = std::numeric_limits<double>::infinity();
        for_each_influence(primitive.influences, v, [&](std::uint16_t joint, float) {
          for (std::size_t s = offset[joint]; s < offset[joint + std::size_t{1}]; ++s) {
            nearest = std::min(nearest, distance_to_segment(p, segments[s].a, segments[s].b));
          }
        });
        out[piece.first_vertex + v] = std::isfinite(nearest) ? nearest : 0.0;
      }
    });
  }
  return out;
}

CollapseMeasures SkinMeter::collapse(const deform::DeformedCharacter& shape) const {
  CollapseMeasures out;
  double bind_volume = 0;
  double posed_volume = 0;
  double bind_area = 0;
  double posed_area = 0;
  double volume_floor = 0;  // what rounding alone may enclose
  Stretch stretch;
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    const Surface& surface = surfaces_[s];
    const Prepared& prepared = prepared_[s];
    const std::vector<glm::vec3> posed = surface.positions(shape);
    bind_area += prepared.area;
    posed_area += mesh::surface_area(posed, surface.indices);
    bind_volume += prepared.volume;
    posed_volume += mesh::signed_volume(posed, surface.indices) + prepared.fans.six_volumes(posed) / 6;
    volume_floor += 1e-9 * prepared.diagonal * prepared.diagonal * prepared.diagonal;
    for (std::size_t t = 0; t < surface.triangle_count(); ++t) {
      for_each_stretch(surface, t, prepared.bind, posed, prepared.diagonal, [&](double ratio) { stretch.add(ratio); });
    }
  }
  if (std::abs(bind_volume) > volume_floor) {
    out.volume_ratio = posed_volume / bind_volume;
  }
  if (bind_area > 0) {
    out.area_ratio = posed_area / bind_area;
  }
  if (stretch.any()) {
    out.max_edge_stretch = stretch.max;
    out.min_edge_stretch = stretch.min;
  }
  return out;
}

std::vector<char> SkinMeter::flips(std::size_t s, std::span<const glm::vec3> positions, const rig::Pose& pose,
                                   std::span<const glm::mat4> world) const {
  const Surface& surface = surfaces_[s];
  const Prepared& prepared = prepared_[s];
  std::vector<glm::mat4> matrices(character_->skins[surface.skin].joints.size());
  rig::posed_skin_matrices(*character_, pose, world, surface.skin, matrices);
  // Zero where a triangle is so flat that rounding decides which side is out.
  const auto normal = [&](std::span<const glm::vec3> p, double size, std::size_t t) {
    const glm::dvec3 a(p[surface.indices[3 * t]]);
    const glm::dvec3 b(p[surface.indices[3 * t + 1]]);
    const glm::dvec3 c(p[surface.indices[3 * t + 2]]);
    const glm::dvec3 twice_area = glm::cross(b - a, c - a);
    const double longest = std::max({glm::distance(a, b), glm::distance(b, c), glm::distance(c, a)});
    return glm::length(twice_area) > kThinnest * size * longest ? twice_area : glm::dvec3(0.0);
  };
  const auto posed_size = static_cast<double>(bounds_of(positions).diagonal());
  // Cofactors take the normals of triangles whatever a joint does to them.
  std::vector<glm::dmat3> turns;
  for (const glm::mat4& m : matrices) {
    turns.push_back(cofactor(glm::dmat3(m)));
  }
  std::vector<char> out(surface.triangle_count(), 0);
  for (std::size_t t = 0; t < out.size(); ++t) {
    const glm::dvec3 bind = normal(prepared.bind, prepared.diagonal, t);
    const glm::dvec3 wanted = prepared.strongest[t] < 0 ? bind : turns[prepared.strongest[t]] * bind;
    out[t] = glm::dot(normal(positions, posed_size, t), wanted) < 0 ? 1 : 0;
  }
  return out;
}

std::int64_t SkinMeter::flipped_triangles(const deform::DeformedCharacter& shape, const rig::Pose& pose,
                                          std::span<const glm::mat4> world) const {
  std::int64_t count = 0;
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    const std::vector<char> flipped = flips(s, surfaces_[s].positions(shape), pose, world);
    count += std::count(flipped.begin(), flipped.end(), 1);
  }
  return count;
}

BoneDistance SkinMeter::bone_distance(const deform::DeformedCharacter& shape, const rig::Pose& pose,
                                      std::span<const glm::mat4> world) const {
  PELT_EXPECT(world.size() == character_->skeleton->parent.size(), "one world matrix per node");
  BoneDistance out;
  bool any = false;
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    const Surface& surface = surfaces_[s];
    std::unordered_map<int, glm::dmat4> bound;  // joints that the skin was bound to where the pose does not have them
    if (!pose.own_bindings.empty()) {
      const std::vector<int>& joints = character_->skins[surface.skin].joints;
      for (std::size_t k = 0; k < joints.size(); ++k) {
        bound.try_emplace(joints[k], rig::posed_world_from_joint(*character_, pose, world, surface.skin, k));
      }
    }
    const auto place_of = [&](int joint) {
      const glm::dmat4 posed(world[joint]);
      if (bound.empty()) {
        return posed;
      }
      if (const auto found = bound.find(joint); found != bound.end()) {
        return found->second;
      }
      // A child joint that only another skin lists, as seen from its parent, which is listed.
      const int parent = character_->skeleton->parent[joint];
      return bound.at(parent) * (glm::inverse(glm::dmat4(world[parent])) * posed);
    };
    const std::vector<double> distances = distances_to_bones(
        surface, surface.positions(shape),
        [&](int joint, const glm::dvec3& local) { return glm::dvec3(place_of(joint) * glm::dvec4(local, 1)); });
    for (std::size_t v = 0; v < distances.size(); ++v) {
      const double before = prepared_[s].bone_distances[v];
      if (before == 0.0) {
        continue;
      }
      const double ratio = distances[v] / before;
      out.min = any ? std::min(out.min, distances[v]) : distances[v];
      out.max = any ? std::max(out.max, distances[v]) : distances[v];
      out.min_ratio = any ? std::min(out.min_ratio, ratio) : ratio;
      out.max_ratio = any ? std::max(out.max_ratio, ratio) : ratio;
      any = true;
    }
  }
  return out;
}

std::int64_t SkinMeter::self_intersections(const deform::DeformedCharacter& shape) const {
  std::int64_t count = 0;
  for (const Surface& surface : surfaces_) {
    count += mesh::count_self_intersections(surface.positions(shape), surface.indices, surface.welded);
  }
  return count;
}

std::vector<ZoneMeasures> SkinMeter::zones(const deform::DeformedCharacter& shape, const rig::Pose& pose,
                                           std::span<const glm::mat4> world) const {
  PELT_EXPECT(with_zones_, "a meter made with zones");
  struct Sums {
    double before = 0;
    double after = 0;
    double area = 0;
    Stretch stretch;
    std::int64_t flipped = 0;
  };
  std::map<int, Sums> by_joint;
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    const Surface& surface = surfaces_[s];
    const Prepared& prepared = prepared_[s];
    const std::vector<glm::vec3> posed = surface.positions(shape);
    const std::vector<char> flipped = flips(s, posed, pose, world);
    for (const Zone& zone : prepared.zones) {
      Sums& sums = by_joint[zone.joint];
      sums.before += zone.volume;
      sums.after += zone.volume_of(posed);
      sums.area += zone.area;
      for (const std::uint32_t t : zone.triangles) {
        sums.flipped += flipped[t];
        for_each_stretch(surface, t, prepared.bind, posed, prepared.diagonal,
                         [&](double ratio) { sums.stretch.add(ratio); });
      }
    }
  }
  std::vector<ZoneMeasures> out;
  for (const auto& [joint, sums] : by_joint) {
    ZoneMeasures zone;
    zone.joint = joint;
    const double ball = std::pow(sums.area, 1.5) / (6 * std::sqrt(std::numbers::pi));
    if (sums.before > kFlattest * ball) {
      const double ratio = sums.after / sums.before;
      zone.volume_ratio = ratio < 0 ? 0.0 : ratio;  // what is not a number stays so, and is seen
    }
    if (sums.stretch.any()) {
      zone.max_edge_stretch = sums.stretch.max;
      zone.min_edge_stretch = sums.stretch.min;
    }
    zone.flipped_triangles = sums.flipped;
    out.push_back(zone);
  }
  return out;
}

namespace {

/// The loops in which a plane meets a surface; crossings are keyed by welded edges, so seams do not open a loop.
std::vector<std::vector<Ring::Point>> plane_loops(const Surface& surface, std::span<const glm::vec3> positions,
                                                  const glm::dvec3& origin, const glm::dvec3& normal) {
  std::vector<double> height(surface.vertex_count());
  for (std::size_t v = 0; v < height.size(); ++v) {
    height[v] = glm::dot(glm::dvec3(positions[surface.welded[v]]) - origin, normal);
  }
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // lower vertex first
  std::map<Key, std::vector<Key>> next;                 // ordered, so that the walk does not depend on hashing
  for (std::size_t t = 0; t < surface.triangle_count(); ++t) {
    std::vector<Key> crossed;
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::uint32_t a = surface.welded[surface.indices[3 * t + corner]];
      const std::uint32_t b = surface.welded[surface.indices[3 * t + (corner + 1) % 3]];
      if ((height[a] >= 0) != (height[b] >= 0)) {
        crossed.emplace_back(std::min(a, b), std::max(a, b));
      }
    }
    if (crossed.size() == 2) {
      next[crossed[0]].push_back(crossed[1]);
      next[crossed[1]].push_back(crossed[0]);
    }
  }
  std::vector<std::vector<Ring::Point>> loops;
  while (!next.empty()) {
    std::vector<Ring::Point> loop;
    const Key start = next.begin()->first;
    for (std::optional<Key> at = start; at;) {
      const auto [a, b] = *at;
      loop.push_back({a, b, height[a] / (height[a] - height[b])});
      const std::vector<Key> neighbours = std::move(next[*at]);
      next.erase(*at);
      at.reset();
      for (const Key& key : neighbours) {
        if (next.contains(key)) {
          at = key;
          break;
        }
      }
    }
    if (loop.size() >= 3) {
      loops.push_back(std::move(loop));
    }
  }
  return loops;
}

}  // namespace

Result<Ring> SkinMeter::ring(int joint) const {
  const rig::Skeleton& skeleton = character_->skeleton;
  PELT_EXPECT(joint >= 0 && joint < skeleton.size(), "joint index out of range");
  const std::string name = skeleton.label(joint);
  bool listed = false;
  bool directed = false;
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    const Surface& surface = surfaces_[s];
    const rig::Skin& skin = character_->skins[surface.skin];
    const auto place = [&](int j) -> std::optional<glm::dvec3> {
      const auto found = std::ranges::find(skin.joints, j);
      if (found == skin.joints.end()) {
        return std::nullopt;
      }
      return glm::dvec3(affine_inverse(skin.joint_from_mesh[found - skin.joints.begin()])[3]);
    };
    const std::optional<glm::dvec3> at = place(joint);
    if (!at) {
      continue;
    }
    listed = true;
    const int parent = skeleton.parent[joint];
    const std::optional<glm::dvec3> above = parent < 0 ? std::nullopt : place(parent);
    const glm::dvec3 before = above ? unit_or_zero(*at - *above) : glm::dvec3(0);
    glm::dvec3 after(0);
    for (const int child : skeleton.children(joint)) {
      if (const std::optional<glm::dvec3> below = place(child)) {
        after += unit_or_zero(*below - *at);
      }
    }
    const glm::dvec3 normal = unit_or_zero(before + unit_or_zero(after));
    if (normal == glm::dvec3(0)) {
      continue;
    }
    directed = true;
    // In the mesh's own size, where the inverse bind matrices are.
    std::vector<glm::vec3> positions;
    for (const Surface::Piece& piece : surface.pieces) {
      const std::vector<glm::vec3>& part = character_->primitive(character_->parts[piece.part]).positions;
      positions.insert(positions.end(), part.begin(), part.end());
    }
    const glm::dvec3 helper = std::abs(normal.x) < 0.8 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0);
    const glm::dvec3 x = glm::normalize(glm::cross(normal, helper));
    const glm::dvec3 y = glm::cross(normal, x);
    Ring best;
    double best_length = 0;
    double best_gap = 0;
    bool best_encloses = false;
    for (std::vector<Ring::Point>& loop : plane_loops(surface, positions, *at, normal)) {
      double turned = 0;
      double length = 0;
      double gap = std::numeric_limits<double>::infinity();
      const auto point = [&](std::size_t i) {
        const Ring::Point& p = loop[i % loop.size()];
        const glm::dvec3 a(positions[p.a]);
        const glm::dvec3 offset = a + (glm::dvec3(positions[p.b]) - a) * p.t - *at;
        return glm::dvec2(glm::dot(offset, x), glm::dot(offset, y));
      };
      for (std::size_t i = 0; i < loop.size(); ++i) {
        const glm::dvec2 p = point(i);
        const glm::dvec2 q = point(i + 1);
        turned += std::atan2(p.x * q.y - p.y * q.x, glm::dot(p, q));
        length += glm::length(q - p);
        gap = std::min(gap, glm::length(p));
      }
      const bool encloses = std::abs(turned) > 3.0;  // a full turn or none
      const bool better = best.points.empty() || (encloses && !best_encloses) ||
                          (encloses == best_encloses && (encloses ? length < best_length : gap < best_gap));
      if (better) {
        best = {joint, s, std::move(loop)};
        best_length = length;
        best_gap = gap;
        best_encloses = encloses;
      }
    }
    if (!best.points.empty()) {
      return best;
    }
  }
  return !listed     ? error("no skin lists the joint {}", name)
         : !directed ? error("the bones at the joint {} have no direction", name)
                     : error("no skin surrounds the joint {}", name);
}

RingRadius SkinMeter::radius_of(const Ring& ring, std::span<const glm::vec3> positions) const {
  std::vector<glm::dvec3> points;
  for (const Ring::Point& p : ring.points) {
    const glm::dvec3 a(positions[p.a]);
    points.push_back(a + (glm::dvec3(positions[p.b]) - a) * p.t);
  }
  // Each point stands for half of the ring's way to either neighbour.
  const std::size_t count = points.size();
  std::vector<double> share(count, 0.0);
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double length = glm::length(points[(i + 1) % count] - points[i]);
    share[i] += length / 2;
    share[(i + 1) % count] += length / 2;
    total += length;
  }
  if (!(total > 0)) {
    return {};
  }
  glm::dvec3 center(0);
  for (std::size_t i = 0; i < count; ++i) {
    center += points[i] * (share[i] / total);
  }
  RingRadius out;
  out.min = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    const double distance = glm::length(points[i] - center);
    out.mean += distance * (share[i] / total);
    out.min = std::min(out.min, distance);
    out.max = std::max(out.max, distance);
  }
  return out;
}

RingRadius SkinMeter::radius(const Ring& ring, const deform::DeformedCharacter& shape) const {
  return radius_of(ring, surfaces_[ring.surface].positions(shape));
}

RingRadius SkinMeter::bind_radius(const Ring& ring) const {
  return radius_of(ring, prepared_[ring.surface].bind);
}

CollapseMeasures collapse_measures(const rig::Character& character, const deform::DeformedCharacter& deformed) {
  return SkinMeter(character).collapse(deformed);
}

}  // namespace pelt::measure
