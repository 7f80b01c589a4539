#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "deform/deform.h"
#include "measure/surface.h"
#include "rig/character.h"

namespace pelt::measure {

/// What a heat map may show of one deformation against another, or against the bind shape; one number per vertex.
enum class Measure {
  kDistance,      ///< |p - p_ref|
  kEdgeStrain,    ///< l / l_ref - 1 of that edge of the vertex which is stretched or shortened most, by |ln(l / l_ref)|
  kAreaStrain,    ///< sum A / sum A_ref - 1 over the triangles of the vertex: their strain, averaged by area
  kVolumeChange,  ///< the flesh under the skin, see SurfaceField
  kNormalAngle,   ///< between the normals
};

/// One row per measure, for menus, legends and --show.
struct MeasureInfo {
  Measure measure;
  std::string_view id;     ///< for flags
  std::string_view label;  ///< for menus and legends
  std::string_view help;   ///< one sentence
  std::string_view unit;   ///< as shown
  double
      shown_per_unit;  ///< times the value gives the number to show: metres to mm, fractions to %, radians to degrees
  bool diverging;      ///< around 0, negative is loss; else from 0 up
  /// The end of the colour scale (both ends where diverging) unless the user sets one, in the measure's own unit; of
  /// the distance: relative to the diagonal of the bind shape.
  float default_range;
};
inline constexpr std::array<MeasureInfo, 5> kMeasures = {{
    {Measure::kDistance, "distance", "Distance", "How far each vertex is from where the other shape has it.", "mm",
     1000.0, false, 0.02f},
    {Measure::kEdgeStrain, "edge-strain", "Edge strain", "The edge of each vertex that stretches or shrinks most.", "%",
     100.0, true, 0.5f},
    {Measure::kAreaStrain, "area-strain", "Area strain", "How much area the skin gains or loses around each vertex.",
     "%", 100.0, true, 0.5f},
    {Measure::kVolumeChange, "volume-change", "Volume change",
     "How much of the flesh between each vertex and the skin opposite to it is gained or lost.", "%", 100.0, true,
     0.5f},
    {Measure::kNormalAngle, "normal-angle", "Normal angle", "The angle between the normals.", "°", 57.29577951308232,
     false, 0.5235987756f},
}};
constexpr const MeasureInfo& info(Measure measure) {
  return kMeasures[static_cast<std::size_t>(measure)];
}
/// The measure of that id, nothing where there is none.
std::optional<Measure> find_measure(std::string_view id);

/// One measure of one character, prepared for many pairs of shapes.
///
/// Vertices at one place of the bind shape share their value, so seams do not show. What has no such measure (points
/// without edges, normals that a primitive lacks, numbers that are not finite) is 0.
///
/// Volume change: of the tetrahedra between the triangles of a vertex and the points of the skin opposite to them in
/// the bind shape (see Opposite), sum U / sum U_ref - 1. An affine map A gives det(A) - 1 everywhere; a tube of radius
/// r twisted to the radius r' gives (r' / r)^2 - 1; -1 is total collapse, less is turned inside out. Triangles with
/// nothing opposite (open sheets) count nothing.
class SurfaceField {
 public:
  /// @cost O(V + F); for kVolumeChange also one ray per triangle. The character is not kept.
  SurfaceField(const rig::Character& character, Measure measure);
  ~SurfaceField();
  SurfaceField(SurfaceField&&) noexcept;
  SurfaceField& operator=(SurfaceField&&) noexcept;

  /// The field, [P][V] in the order of Character::parts; distances in metres, angles in radians, else fractions.
  /// @pre both are deformations of the character
  [[nodiscard]] std::vector<std::vector<float>> values(const deform::DeformedCharacter& shape,
                                                       const deform::DeformedCharacter& reference) const;

 private:
  struct Prepared;
  Measure measure_;
  std::unique_ptr<const Prepared> prepared_;
};

/// One call of a fresh SurfaceField. @param reference  another deformation, or bind_shape(character)
std::vector<std::vector<float>> surface_field(const rig::Character& character, Measure measure,
                                              const deform::DeformedCharacter& shape,
                                              const deform::DeformedCharacter& reference);

}  // namespace pelt::measure
