#include "measure/surface_fields.h"

#include <algorithm>
#include <cmath>

#include "core/expect.h"
#include "measure/thickness.h"

namespace pelt::measure {
namespace {

using Field = std::vector<std::vector<float>>;

/// Per welded vertex to per vertex of the parts.
void spread(const Surface& surface, std::span<const float> welded_values, Field& field) {
  for (const Surface::Piece& piece : surface.pieces) {
    std::vector<float>& part = field[piece.part];
    for (std::size_t v = 0; v < part.size(); ++v) {
      part[v] = welded_values[surface.welded[piece.first_vertex + v]];
    }
  }
}

void distances(const deform::DeformedCharacter& shape, const deform::DeformedCharacter& reference, Field& field) {
  for (std::size_t p = 0; p < field.size(); ++p) {
    for (std::size_t v = 0; v < field[p].size(); ++v) {
      const double d =
          glm::length(glm::dvec3(shape.parts[p].positions[v]) - glm::dvec3(reference.parts[p].positions[v]));
      field[p][v] = std::isfinite(d) ? static_cast<float>(d) : 0.0f;
    }
  }
}

void normal_angles(const deform::DeformedCharacter& shape, const deform::DeformedCharacter& reference, Field& field) {
  for (std::size_t p = 0; p < field.size(); ++p) {
    const std::span<const glm::vec3> normals = shape.parts[p].normals;
    const std::span<const glm::vec3> others = reference.parts[p].normals;
    if (normals.size() != field[p].size() || others.size() != field[p].size()) {
      continue;
    }
    for (std::size_t v = 0; v < normals.size(); ++v) {
      const glm::dvec3 m(normals[v]);
      const glm::dvec3 n(others[v]);
      // By the tangent: acos loses small angles.
      const double angle = std::atan2(glm::length(glm::cross(m, n)), glm::dot(m, n));
      field[p][v] = std::isfinite(angle) ? static_cast<float>(angle) : 0.0f;
    }
  }
}

void edge_strains(const Surface& surface, std::span<const glm::vec3> shape, std::span<const glm::vec3> reference,
                  Field& field) {
  // By vertex, the length ratio farthest from 1 on a logarithmic scale; of a ratio and its inverse the larger counts.
  const double floor = 1e-7 * static_cast<double>(bounds_of(reference).diagonal());
  std::vector<double> extremity(surface.vertex_count(), 1.0);
  std::vector<float> strain(surface.vertex_count(), 0.0f);
  for (std::size_t i = 0; i + 2 < surface.indices.size(); i += 3) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::uint32_t a = surface.indices[i + corner];
      const std::uint32_t b = surface.indices[i + (corner + 1) % 3];
      const double before = glm::length(glm::dvec3(reference[a]) - glm::dvec3(reference[b]));
      const double after = glm::length(glm::dvec3(shape[a]) - glm::dvec3(shape[b]));
      if (!(before > floor) || !std::isfinite(before) || !std::isfinite(after)) {
        continue;
      }
      const double ratio = after / before;
      const double extreme = ratio >= 1 ? ratio : 1 / ratio;
      for (const std::uint32_t v : {surface.welded[a], surface.welded[b]}) {
        const bool stretch_wins_tie = extreme == extremity[v] && ratio > 1;
        if (extreme > extremity[v] || stretch_wins_tie) {
          extremity[v] = extreme;
          strain[v] = static_cast<float>(ratio - 1);
        }
      }
    }
  }
  spread(surface, strain, field);
}

/// sum f(shape, t) / sum f(reference, t) - 1 over the triangles of each vertex.
template <typename OfTriangle>
void ratios_by_vertex(const Surface& surface, std::span<const glm::vec3> shape, std::span<const glm::vec3> reference,
                      OfTriangle&& of_triangle, Field& field) {
  std::vector<double> after(surface.vertex_count(), 0.0);
  std::vector<double> before(surface.vertex_count(), 0.0);
  for (std::size_t t = 0; t < surface.triangle_count(); ++t) {
    const double a = of_triangle(shape, t);
    const double b = of_triangle(reference, t);
    if (!std::isfinite(a) || !std::isfinite(b)) {
      continue;
    }
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::uint32_t v = surface.welded[surface.indices[3 * t + corner]];
      after[v] += a;
      before[v] += b;
    }
  }
  std::vector<float> change(surface.vertex_count(), 0.0f);
  for (std::size_t v = 0; v < change.size(); ++v) {
    const auto value = static_cast<float>(after[v] / before[v] - 1);
    change[v] = before[v] > 0 && std::isfinite(value) ? value : 0.0f;
  }
  spread(surface, change, field);
}

}  // namespace

std::optional<Measure> find_measure(std::string_view id) {
  for (const MeasureInfo& row : kMeasures) {
    if (row.id == id) {
      return row.measure;
    }
  }
  return std::nullopt;
}

struct SurfaceField::Prepared {
  std::vector<Surface> surfaces;
  std::vector<std::vector<Opposite>> opposites;  ///< one list per surface; kVolumeChange only
};

SurfaceField::SurfaceField(const rig::Character& character, Measure measure) : measure_(measure) {
  auto prepared = std::make_unique<Prepared>();
  if (measure != Measure::kDistance && measure != Measure::kNormalAngle) {
    prepared->surfaces = surfaces_of(character);
  }
  if (measure == Measure::kVolumeChange) {
    const deform::DeformedCharacter bind = bind_shape(character);
    for (const Surface& surface : prepared->surfaces) {
      prepared->opposites.push_back(find_opposites(surface, surface.positions(bind)));
    }
  }
  prepared_ = std::move(prepared);
}

SurfaceField::~SurfaceField() = default;
SurfaceField::SurfaceField(SurfaceField&&) noexcept = default;
SurfaceField& SurfaceField::operator=(SurfaceField&&) noexcept = default;

std::vector<std::vector<float>> SurfaceField::values(const deform::DeformedCharacter& shape,
                                                     const deform::DeformedCharacter& reference) const {
  PELT_EXPECT(shape.parts.size() == reference.parts.size(), "two deformations of one character");
  Field field(shape.parts.size());
  for (std::size_t p = 0; p < field.size(); ++p) {
    PELT_EXPECT(shape.parts[p].positions.size() == reference.parts[p].positions.size(),
                "two deformations of one character");
    field[p].resize(shape.parts[p].positions.size(), 0.0f);
  }
  if (measure_ == Measure::kDistance) {
    distances(shape, reference, field);
  } else if (measure_ == Measure::kNormalAngle) {
    normal_angles(shape, reference, field);
  }
  for (std::size_t s = 0; s < prepared_->surfaces.size(); ++s) {
    const Surface& surface = prepared_->surfaces[s];
    const std::vector<std::uint32_t>& indices = surface.indices;
    const std::vector<glm::vec3> now = surface.positions(shape);
    const std::vector<glm::vec3> then = surface.positions(reference);
    if (measure_ == Measure::kEdgeStrain) {
      edge_strains(surface, now, then, field);
    } else if (measure_ == Measure::kAreaStrain) {
      ratios_by_vertex(
          surface, now, then,
          [&](std::span<const glm::vec3> p, std::size_t t) {
            const glm::dvec3 a(p[indices[3 * t]]);
            return glm::length(
                glm::cross(glm::dvec3(p[indices[3 * t + 1]]) - a, glm::dvec3(p[indices[3 * t + 2]]) - a));
          },
          field);
    } else {
      const std::vector<Opposite>& opposites = prepared_->opposites[s];
      ratios_by_vertex(
          surface, now, then,
          [&](std::span<const glm::vec3> p, std::size_t t) { return six_local_volumes(surface, opposites[t], p, t); },
          field);
    }
  }
  return field;
}

std::vector<std::vector<float>> surface_field(const rig::Character& character, Measure measure,
                                              const deform::DeformedCharacter& shape,
                                              const deform::DeformedCharacter& reference) {
  return SurfaceField(character, measure).values(shape, reference);
}

}  // namespace pelt::measure
