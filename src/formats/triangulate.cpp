// Eberly, "Triangulation by Ear Clipping": a simple polygon has two ears at least; an ear is a convex corner whose
// triangle holds no other corner, and only reflex corners need to be looked at.

#include "formats/triangulate.h"

#include <algorithm>
#include <cmath>

#include "core/expect.h"

namespace pelt::formats {
namespace {

using Flat = std::vector<glm::dvec2>;

// Cutting an ear changes what its two neighbours are; beyond them only an outline that crosses or touches itself needs
// another look, and a hostile one would need one for each corner.
constexpr int kMostLooks = 4;

// Twice the signed area. Differences of floats are exact in double unless their sizes are far apart.
double turn(const glm::dvec2& a, const glm::dvec2& b, const glm::dvec2& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Inside of the closed triangle, which is counter-clockwise. Points that coincide with one of its corners do not count:
// outlines may touch themselves there.
bool blocks(const glm::dvec2& p, const glm::dvec2& a, const glm::dvec2& b, const glm::dvec2& c) {
  return p != a && p != b && p != c && turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0;
}

// The polygon seen along its normal, counter-clockwise: the axis of the normal's largest component is left out, which
// keeps coordinates as they are in the file. Empty where there is no normal.
Flat flattened(std::span<const glm::vec3> corners) {
  glm::dvec3 normal(0.0);  // Newell
  const glm::dvec3 origin(corners.front());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const glm::dvec3 a = glm::dvec3(corners[i]) - origin;
    const glm::dvec3 b = glm::dvec3(corners[(i + 1) % corners.size()]) - origin;
    normal += glm::cross(a, b);
  }
  const glm::dvec3 size = glm::abs(normal);
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  if (!(size[axis] > 0)) {
    return {};
  }
  const int u = (axis + 1) % 3;
  const int v = (axis + 2) % 3;
  Flat flat;
  flat.reserve(corners.size());
  for (const glm::vec3& corner : corners) {
    flat.emplace_back(normal[axis] > 0 ? corner[u] : -corner[u], corner[v]);
  }
  return flat;
}

bool strictly_convex(const Flat& flat) {
  const std::size_t count = flat.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!(turn(flat[i], flat[(i + 1) % count], flat[(i + 2) % count]) > 0)) {
      return false;
    }
    // A star turns left everywhere and still runs around twice.
    if (i > 0 && i + 1 < count && !(turn(flat[0], flat[i], flat[i + 1]) > 0)) {
      return false;
    }
  }
  return true;
}

void fan(std::size_t count, std::vector<std::uint32_t>& out) {
  for (std::uint32_t i = 2; i < count; ++i) {
    out.insert(out.end(), {0, i - 1, i});
  }
}

// The outline that is left, as a ring.
struct Ring {
  const Flat& flat;
  std::vector<std::uint32_t> previous, next;

  explicit Ring(const Flat& corners) : flat(corners), previous(corners.size()), next(corners.size()) {
    const auto count = static_cast<std::uint32_t>(corners.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      previous[i] = (i + count - 1) % count;
      next[i] = (i + 1) % count;
    }
  }
  [[nodiscard]] double turn_at(std::uint32_t i) const { return turn(flat[previous[i]], flat[i], flat[next[i]]); }
  [[nodiscard]] bool is_ear(std::uint32_t i) const {
    if (!(turn_at(i) > 0)) {
      return false;
    }
    const std::uint32_t a = previous[i];
    const std::uint32_t b = next[i];
    for (std::uint32_t p = next[b]; p != a; p = next[p]) {
      if (turn_at(p) <= 0 && blocks(flat[p], flat[a], flat[i], flat[b])) {
        return false;
      }
    }
    return true;
  }
  // The corner that turns least, the first from `at` on among equals.
  [[nodiscard]] std::uint32_t flattest(std::uint32_t at) const {
    std::uint32_t found = at;
    for (std::uint32_t i = next[at]; i != at; i = next[i]) {
      found = std::abs(turn_at(i)) < std::abs(turn_at(found)) ? i : found;
    }
    return found;
  }
  void cut(std::uint32_t i) {
    next[previous[i]] = next[i];
    previous[next[i]] = previous[i];
  }
};

}  // namespace

bool triangulate(std::span<const glm::vec3> corners, std::vector<std::uint32_t>& out) {
  PELT_EXPECT(corners.size() >= 3, "a polygon has three corners");
  const std::size_t count = corners.size();
  if (count == 3) {
    fan(count, out);
    return true;
  }
  const Flat flat = flattened(corners);
  const bool convex = !flat.empty() && strictly_convex(flat);
  if (convex || flat.empty() || count > kMostEarCorners) {
    fan(count, out);
    return convex;
  }
  Ring ring(flat);
  std::vector<char> is_ear(count);
  std::uint32_t at = 0;
  const auto look_again = [&] {
    std::uint32_t i = at;
    do {
      is_ear[i] = ring.is_ear(i) ? 1 : 0;
      i = ring.next[i];
    } while (i != at);
  };
  look_again();
  bool sound = true;
  int looks_left = kMostLooks;
  for (std::size_t left = count; left > 3; --left) {
    const auto find_ear = [&] {
      for (std::size_t looked = 0; looked < left; ++looked, at = ring.next[at]) {
        if (is_ear[at] != 0) {
          return true;
        }
      }
      return false;
    };
    bool found = find_ear();
    if (!found && looks_left > 0) {
      --looks_left;
      look_again();
      found = find_ear();
    }
    if (!found) {
      // Only corners in line are left, or the outline crosses itself.
      at = ring.flattest(at);
      sound = sound && ring.turn_at(at) == 0;
    }
    const std::uint32_t before = ring.previous[at];
    const std::uint32_t after = ring.next[at];
    out.insert(out.end(), {before, at, after});
    ring.cut(at);
    for (const std::uint32_t neighbour : {before, after}) {
      is_ear[neighbour] = ring.is_ear(neighbour) ? 1 : 0;
    }
    at = after;
  }
  out.insert(out.end(), {ring.previous[at], at, ring.next[at]});
  return sound && ring.turn_at(at) >= 0;
}

}  // namespace pelt::formats
