// Quilez, "Distance functions" and "Smooth minimum" (the cubic polynomial family), iquilezles.org, 2008-2021.
#include "sdf.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/expect.h"

namespace pelt::assets {
namespace {

double distance_to(const RoundCone& s, const glm::dvec3& p) {
  const glm::dvec3 ba = s.b - s.a;
  const double l2 = glm::dot(ba, ba);
  const double rr = s.radius_a - s.radius_b;
  const double a2 = l2 - rr * rr;
  const double il2 = 1.0 / l2;
  const glm::dvec3 pa = p - s.a;
  const double y = glm::dot(pa, ba);
  const double z = y - l2;
  const glm::dvec3 off = pa * l2 - ba * y;
  const double x2 = glm::dot(off, off);
  const double y2 = y * y * l2;
  const double z2 = z * z * l2;
  const double k = (rr > 0 ? 1.0 : rr < 0 ? -1.0 : 0.0) * rr * rr * x2;
  if ((z > 0 ? 1.0 : z < 0 ? -1.0 : 0.0) * a2 * z2 > k) {
    return std::sqrt(x2 + z2) * il2 - s.radius_b;
  }
  if ((y > 0 ? 1.0 : y < 0 ? -1.0 : 0.0) * a2 * y2 < k) {
    return std::sqrt(x2 + y2) * il2 - s.radius_a;
  }
  return (std::sqrt(x2 * a2 * il2) + y * rr) * il2 - s.radius_a;
}

double distance_to(const Ellipsoid& s, const glm::dvec3& p) {
  const glm::dvec3 q = glm::transpose(s.axes) * (p - s.center);
  const double k0 = glm::length(q / s.radii);
  const double k1 = glm::length(q / (s.radii * s.radii));
  if (k1 < 1e-9) {
    return -std::min({s.radii.x, s.radii.y, s.radii.z});
  }
  return k0 * (k0 - 1.0) / k1;
}

struct Section {
  double center_u, center_v, radius_u, radius_v;
};

// Cubic Hermite through the keys with finite-difference tangents.
Section section_at(const std::vector<LoftKey>& keys, double t) {
  std::size_t i = 0;
  while (i + 2 < keys.size() && t > keys[i + 1].t) {
    ++i;
  }
  const LoftKey& k0 = keys[i];
  const LoftKey& k1 = keys[i + 1];
  const LoftKey& before = keys[i > 0 ? i - 1 : 0];
  const LoftKey& after = keys[std::min(i + 2, keys.size() - 1)];
  const double h = k1.t - k0.t;
  const double x = std::clamp((t - k0.t) / h, 0.0, 1.0);
  const double x2 = x * x;
  const double x3 = x2 * x;
  const auto curve = [&](double LoftKey::*m) {
    const double m0 = (k1.*m - before.*m) / (k1.t - before.t) * h;
    const double m1 = (after.*m - k0.*m) / (after.t - k0.t) * h;
    return (2 * x3 - 3 * x2 + 1) * (k0.*m) + (x3 - 2 * x2 + x) * m0 + (3 * x2 - 2 * x3) * (k1.*m) + (x3 - x2) * m1;
  };
  const double ul = curve(&LoftKey::u_low);
  const double uh = curve(&LoftKey::u_high);
  const double vl = curve(&LoftKey::v_low);
  const double vh = curve(&LoftKey::v_high);
  constexpr double kThinnest = 1e-3;
  return {(ul + uh) / 2, (vl + vh) / 2, std::max((uh - ul) / 2, kThinnest), std::max((vh - vl) / 2, kThinnest)};
}

double distance_to(const Loft& s, const glm::dvec3& p) {
  const glm::dvec3 q = glm::transpose(s.axes) * (p - s.origin);
  const double t0 = s.keys.front().t + s.round;
  const double t1 = s.keys.back().t - s.round;
  Section c = section_at(s.keys, std::clamp(q.x, s.keys.front().t, s.keys.back().t));
  c.radius_u = std::max(c.radius_u - s.round, 1e-3);
  c.radius_v = std::max(c.radius_v - s.round, 1e-3);
  const double u = std::abs(q.y - c.center_u) / c.radius_u;
  const double v = std::abs(q.z - c.center_v) / c.radius_v;
  double radial = 0;
  if (s.exponent == 2) {
    const double r = std::sqrt(u * u + v * v);
    const double g = std::sqrt(u * u / (c.radius_u * c.radius_u) + v * v / (c.radius_v * c.radius_v));
    radial = g < 1e-9 ? -std::min(c.radius_u, c.radius_v) : r * (r - 1) / g;
  } else {
    const double n = s.exponent;
    const double sum = std::pow(u, n) + std::pow(v, n);
    const double r = std::pow(sum, 1 / n);
    // |grad r| = r^(1-n) |(u^(n-1)/ru, v^(n-1)/rv)|
    const double gu = std::pow(u, n - 1) / c.radius_u;
    const double gv = std::pow(v, n - 1) / c.radius_v;
    const double g = r < 1e-9 ? 0 : std::sqrt(gu * gu + gv * gv) * std::pow(r, 1 - n);
    radial = g < 1e-9 ? -std::min(c.radius_u, c.radius_v) : (r - 1) / g;
  }
  const double along = std::max(t0 - q.x, q.x - t1);
  const double out_radial = std::max(radial, 0.0);
  const double out_along = std::max(along, 0.0);
  return std::sqrt(out_radial * out_radial + out_along * out_along) + std::min(std::max(radial, along), 0.0) - s.round;
}

double distance_to(const HalfSpace& s, const glm::dvec3& p) {
  return glm::dot(p - s.point, s.normal);
}

// Cubic polynomial smooth minimum: C2, differs from min only where |a - b| < k.
double smooth_min(double a, double b, double k) {
  const double h = std::max(k - std::abs(a - b), 0.0);
  return std::min(a, b) - (k > 0 ? h * h * h / (6 * k * k) : 0.0);
}

double distance_to(const Cap& s, const glm::dvec3& p) {
  return -smooth_min(-distance_to(s.ball, p), -distance_to(s.side, p), 2 * s.round);
}

glm::dvec3 reflect(const glm::dvec3& v) {
  return {-v.x, v.y, v.z};
}

glm::dmat3 reflect(const glm::dmat3& m) {
  return {reflect(m[0]), reflect(m[1]), reflect(m[2])};
}

}  // namespace

double distance(const Solid& solid, const glm::dvec3& p) {
  return std::visit([&](const auto& s) { return distance_to(s, p); }, solid);
}

Solid mirrored(const Solid& solid) {
  Solid out = solid;
  if (auto* cone = std::get_if<RoundCone>(&out)) {
    cone->a = reflect(cone->a);
    cone->b = reflect(cone->b);
  } else if (auto* ellipsoid = std::get_if<Ellipsoid>(&out)) {
    ellipsoid->center = reflect(ellipsoid->center);
    ellipsoid->axes = reflect(ellipsoid->axes);
  } else if (auto* loft = std::get_if<Loft>(&out)) {
    loft->origin = reflect(loft->origin);
    loft->axes = reflect(loft->axes);
  } else if (auto* half = std::get_if<HalfSpace>(&out)) {
    half->point = reflect(half->point);
    half->normal = reflect(half->normal);
  } else if (auto* cap = std::get_if<Cap>(&out)) {
    cap->ball.center = reflect(cap->ball.center);
    cap->ball.axes = reflect(cap->ball.axes);
    cap->side.point = reflect(cap->side.point);
    cap->side.normal = reflect(cap->side.normal);
  }
  return out;
}

void Body::add(Solid solid, double blend, int group, Blend operation) {
  all_.push_back(static_cast<std::uint16_t>(items_.size()));
  items_.push_back({std::move(solid), blend, group, operation});
}

void Body::add_both(const Solid& solid, double blend, int group, int mirror_offset, Blend operation) {
  add(solid, blend, group, operation);
  add(mirrored(solid), blend, group + mirror_offset, operation);
}

double Body::evaluate(const glm::dvec3& p, const std::vector<std::uint16_t>& items) const {
  double d = 1e3;
  for (const std::uint16_t i : items) {
    const Item& item = items_[i];
    const double s = distance(item.solid, p);
    switch (item.operation) {
      case Blend::kUnion:
        d = smooth_min(d, s, item.blend);
        break;
      case Blend::kSubtract:
        d = -smooth_min(-d, s, item.blend);
        break;
      case Blend::kIntersect:
        d = -smooth_min(-d, -s, item.blend);
        break;
    }
  }
  return d;
}

const std::vector<std::uint16_t>& Body::items_near(const glm::dvec3& p) const {
  if (cells_.empty()) {
    return all_;
  }
  const glm::ivec3 c(glm::floor((p - lower_) / size_));
  if (c.x < 0 || c.y < 0 || c.z < 0 || c.x >= counts_.x || c.y >= counts_.y || c.z >= counts_.z) {
    return all_;
  }
  const auto& items = cells_[static_cast<std::size_t>((c.z * counts_.y + c.y) * counts_.x + c.x)];
  return items.empty() ? all_ : items;
}

double Body::operator()(const glm::dvec3& p) const {
  return evaluate(p, items_near(p));
}

double Body::group_distance(const glm::dvec3& p, int group) const {
  double d = 1e3;
  for (const Item& item : items_) {
    if (item.group == group && item.operation == Blend::kUnion) {
      d = smooth_min(d, distance(item.solid, p), item.blend);
    }
  }
  return d;
}

glm::dvec3 Body::gradient(const glm::dvec3& p) const {
  constexpr double h = 4e-4;
  const auto& items = items_near(p);
  glm::dvec3 g;
  for (int i = 0; i < 3; ++i) {
    glm::dvec3 step(0.0);
    step[i] = h;
    g[i] = (evaluate(p + step, items) - evaluate(p - step, items)) / (2 * h);
  }
  return g;
}

glm::dvec3 Body::project(glm::dvec3 p, bool in_plane) const {
  for (int i = 0; i < 3; ++i) {
    glm::dvec3 g = gradient(p);
    if (in_plane) {
      g.x = 0;
    }
    const double d = (*this)(p);
    const double l2 = std::max(glm::dot(g, g), 0.05);
    p -= g * (std::clamp(d, -0.01, 0.01) / l2);
    if (std::abs(d) < 1e-6) {
      break;
    }
  }
  return p;
}

std::vector<glm::ivec3> Body::prepare(const glm::dvec3& lower, const glm::dvec3& upper, double size) {
  PELT_EXPECT(size > 0, "cells have a size");
  cells_.clear();
  lower_ = lower;
  size_ = size;
  counts_ = glm::ivec3(glm::ceil((upper - lower) / size));
  std::vector<std::vector<std::uint16_t>> cells(static_cast<std::size_t>(counts_.x * counts_.y * counts_.z));
  std::vector<glm::ivec3> crossed;
  // First-order distances of ellipsoids and lofts may be off by about this factor away from the surface.
  const double reach = 1.6 * size * std::sqrt(3.0) / 2;
  for (int z = 0; z < counts_.z; ++z) {
    for (int y = 0; y < counts_.y; ++y) {
      for (int x = 0; x < counts_.x; ++x) {
        const glm::dvec3 center = lower + (glm::dvec3(x, y, z) + 0.5) * size;
        const double d = evaluate(center, all_);
        if (std::abs(d) > reach) {
          continue;
        }
        auto& items = cells[static_cast<std::size_t>((z * counts_.y + y) * counts_.x + x)];
        for (const std::uint16_t i : all_) {
          const Item& item = items_[i];
          const double s = distance(item.solid, center);
          const bool matters = item.operation == Blend::kIntersect || s < d + 2 * reach + item.blend;
          if (matters) {
            items.push_back(i);
          }
        }
        crossed.emplace_back(x, y, z);
      }
    }
  }
  cells_ = std::move(cells);
  return crossed;
}

}  // namespace pelt::assets
