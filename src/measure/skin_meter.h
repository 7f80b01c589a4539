#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "deform/deform.h"
#include "measure/surface.h"
#include "rig/character.h"

namespace pelt::measure {

// Numbers of one deformed shape against the bind shape, ALGORITHMS.md §53, over all skinned triangle parts. Sums are
// kept in double precision and do not depend on the number of threads.

struct CollapseMeasures {
  double volume_ratio = 1;  ///< 1 where the bind shape encloses nothing
  double area_ratio = 1;
  double max_edge_stretch = 1;  ///< largest l / l0
  double min_edge_stretch = 1;  ///< smallest: compression
};

/// Distance of the skin to the posed bones: bulge and pinch. Each vertex against the bones of the joints that move it,
/// so that an arm that passes the chest is no pinch; a bone runs from a joint to each child joint, at the end of a
/// chain on as far as from its parent. Vertices that lie on a bone in the bind shape are left out.
struct BoneDistance {
  double min = 0;        ///< metres
  double max = 0;        ///< metres
  double min_ratio = 1;  ///< smallest d / d0 of a vertex: pinch
  double max_ratio = 1;  ///< largest: bulge
};

/// A ring of skin around a joint, followed through deformations: in the bind shape it lies in the plane through the
/// joint perpendicular to the bone (where the bones before and after the joint differ, halfway between them). Of
/// several loops in that plane the smallest that goes round the joint, else the nearest.
struct Ring {
  struct Point {
    std::uint32_t a = 0;  ///< vertices of the surface; the point is a + (b - a) * t
    std::uint32_t b = 0;
    double t = 0;
  };
  int joint = -1;
  std::size_t surface = 0;    ///< of SkinMeter::surfaces()
  std::vector<Point> points;  ///< in order around the loop
};
/// Distances of a ring to its centroid, metres; the mean by length along the ring.
struct RingRadius {
  double mean = 0;
  double min = 0;
  double max = 0;
};

/// What happens around one joint: in its zone, the triangles that it shares with another joint. A triangle belongs to
/// the deeper of its two heaviest joints; one that follows a single joint to a thousandth belongs to no zone.
struct ZoneMeasures {
  int joint = -1;
  /// Of what the zone encloses when fans close its ends; 0 where the pose turns it inside out. None where the zone
  /// encloses less than a third of what a ball of the same area would: a leaf, a strip or the rim of a garment. The
  /// volume under those is a difference of large numbers and says nothing about flesh.
  std::optional<double> volume_ratio = {};
  double max_edge_stretch = 1;
  double min_edge_stretch = 1;
  std::int64_t flipped_triangles = 0;
};

/// The measures of one character, prepared for many shapes.
///
/// Parts of one skin make one surface, welded where bind positions coincide; its holes are closed by fans for the
/// enclosed volume alone. Where the file folds scale into inverse bind matrices, the bind shape is taken at the size of
/// the rest pose.
class SkinMeter {
 public:
  /// @param character   must outlive the meter
  /// @param with_zones  zones() will be asked for
  explicit SkinMeter(const rig::Character& character, bool with_zones = false);

  [[nodiscard]] CollapseMeasures collapse(const deform::DeformedCharacter& shape) const;
  /// Triangles whose normal points away (negative dot product) from where the triangle's strongest joint alone would
  /// turn it. @param pose  in which `shape` is  @param world  [J] of it
  [[nodiscard]] std::int64_t flipped_triangles(const deform::DeformedCharacter& shape, const rig::Pose& pose,
                                               std::span<const glm::mat4> world) const;
  /// In a bind pose bones are where each skin was bound to them.
  [[nodiscard]] BoneDistance bone_distance(const deform::DeformedCharacter& shape, const rig::Pose& pose,
                                           std::span<const glm::mat4> world) const;
  /// Pairs of triangles of one surface that cut through each other, see count_self_intersections().
  [[nodiscard]] std::int64_t self_intersections(const deform::DeformedCharacter& shape) const;
  /// One row per joint that has a zone, by joint. @pre made with zones
  [[nodiscard]] std::vector<ZoneMeasures> zones(const deform::DeformedCharacter& shape, const rig::Pose& pose,
                                                std::span<const glm::mat4> world) const;

  /// Fails where no skin lists the joint, its bones have no direction or no skin surrounds it.
  [[nodiscard]] Result<Ring> ring(int joint) const;
  [[nodiscard]] RingRadius radius(const Ring& ring, const deform::DeformedCharacter& shape) const;
  /// Of the bind shape.
  [[nodiscard]] RingRadius bind_radius(const Ring& ring) const;

  /// Skinned surfaces only.
  [[nodiscard]] std::span<const Surface> surfaces() const { return surfaces_; }

 private:
  struct Bone {
    int head = -1;        ///< joint
    int tail = -1;        ///< child joint, -1 at the end of a chain
    glm::dvec3 tip{0.0};  ///< joint local, where there is no child
  };
  struct Zone {
    int joint = -1;
    std::vector<std::uint32_t> triangles;
    std::vector<std::uint32_t> indices;  ///< 3 per triangle
    HoleFans fans;
    double volume = 0;  ///< of the bind shape, closed
    double area = 0;    ///< with the fans
    /// @param positions  [V] of its surface
    [[nodiscard]] double volume_of(std::span<const glm::vec3> positions) const;
  };
  struct Prepared {
    std::vector<glm::vec3> bind;
    std::vector<int> strongest;          ///< [F] index into the skin's joints, -1: none
    std::vector<Zone> zones;             ///< by joint; empty unless asked for
    std::vector<double> bone_distances;  ///< [V] in the bind shape; 0: on a bone, or not skinned
    HoleFans fans;
    double volume = 0;  ///< of the bind shape, holes closed
    double area = 0;
    double diagonal = 0;
  };

  void prepare_weights(const Surface& surface, bool with_zones, Prepared& prepared) const;
  void prepare_bones(std::span<const glm::mat4> rest_world);
  [[nodiscard]] std::vector<char> flips(std::size_t surface, std::span<const glm::vec3> positions,
                                        const rig::Pose& pose, std::span<const glm::mat4> world) const;
  template <typename Place>
  [[nodiscard]] std::vector<double> distances_to_bones(const Surface& surface, std::span<const glm::vec3> positions,
                                                       Place&& place) const;
  [[nodiscard]] RingRadius radius_of(const Ring& ring, std::span<const glm::vec3> positions) const;

  const rig::Character* character_;
  std::vector<Surface> surfaces_;
  std::vector<Prepared> prepared_;  ///< one per surface
  bool with_zones_ = false;
  std::vector<int> depth_;        ///< [J]
  std::vector<Bone> bones_;       ///< by head joint
  std::vector<int> bone_offset_;  ///< [J + 1]
};

/// One call of a fresh SkinMeter.
CollapseMeasures collapse_measures(const rig::Character& character, const deform::DeformedCharacter& deformed);

}  // namespace pelt::measure
