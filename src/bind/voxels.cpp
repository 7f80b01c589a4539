#include "bind/voxels.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "bind/winding.h"
#include "core/parallel.h"

namespace pelt::bind {
namespace {

// The longest side is a whole number of cubes and this more, so that no fraction of it falls on a border of cubes:
// rounding must not decide to which cube a wall of a box belongs.
constexpr double kOverhang = 0.381966;
constexpr double kTouch = 1e-6;    // edges: nearer than that a triangle touches a cube
constexpr int kSamplesAlong = 64;  // of winding numbers, along the longest side
constexpr double kInsideWinding = 0.5;
constexpr double kCloseWinding = 0.06;  // so near to it a number is looked at again
constexpr double kCloseReaches = 8;
constexpr double kStepOff = 1.8;  // edges from a triangle to where its two sides are looked at
constexpr std::uint32_t kLooksAtSheet = 64;
constexpr double kWithinView = 0.2;   // cosine to the normal of the directions looked in
constexpr double kClearlySeen = 1.5;  // so much more of one side must be seen than of the other

bool overlaps_along(const glm::dvec3& axis, const std::array<glm::dvec3, 3>& corners) {
  const double reach = (0.5 + kTouch) * (std::abs(axis.x) + std::abs(axis.y) + std::abs(axis.z));
  const double a = glm::dot(axis, corners[0]);
  const double b = glm::dot(axis, corners[1]);
  const double c = glm::dot(axis, corners[2]);
  return std::min({a, b, c}) <= reach && std::max({a, b, c}) >= -reach;
}

// By separating axes (T. Akenine-Moeller, "Fast 3D Triangle-Box Overlap Testing", Journal of Graphics Tools 6(1),
// 2001): the cube is the unit one about the origin. Its own axes and the plane are left to the caller.
bool edges_overlap(const std::array<glm::dvec3, 3>& corners) {
  for (int k = 0; k < 3; ++k) {
    const glm::dvec3 along = corners[static_cast<std::size_t>((k + 1) % 3)] - corners[static_cast<std::size_t>(k)];
    if (!overlaps_along({0, -along.z, along.y}, corners) || !overlaps_along({along.z, 0, -along.x}, corners) ||
        !overlaps_along({-along.y, along.x, 0}, corners)) {
      return false;
    }
  }
  return true;
}

constexpr std::array<glm::ivec3, 6> kSides = {{{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};

// What can be reached from the corner of the grid without passing the surface.
void flood_from_outside(Voxels& voxels) {
  const VoxelGrid& grid = voxels.grid;
  std::vector<std::uint32_t> waiting = {0};
  voxels.cell[0] = Voxel::kOutside;
  const std::ptrdiff_t row = grid.size.x;
  const std::ptrdiff_t layer = row * grid.size.y;
  const auto enter = [&](std::ptrdiff_t at) {
    Voxel& cell = voxels.cell[static_cast<std::size_t>(at)];
    if (cell == Voxel::kInside) {
      cell = Voxel::kOutside;
      waiting.push_back(static_cast<std::uint32_t>(at));
    }
  };
  while (!waiting.empty()) {
    const std::size_t at = waiting.back();
    waiting.pop_back();
    const glm::ivec3 where = grid.cell(at);
    const auto here = static_cast<std::ptrdiff_t>(at);
    if (where.x > 0) enter(here - 1);
    if (where.x + 1 < grid.size.x) enter(here + 1);
    if (where.y > 0) enter(here - row);
    if (where.y + 1 < grid.size.y) enter(here + row);
    if (where.z > 0) enter(here - layer);
    if (where.z + 1 < grid.size.z) enter(here + layer);
  }
}

// Sheets: triangles that hang together over edges that two of them share. `against` says which of a sheet's triangles
// go round the other way than its first.
struct Sheets {
  std::vector<std::uint32_t> sheet;  // [T]
  std::vector<char> against;         // [T]
  std::size_t count = 0;
};

struct HalfEdge {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::uint32_t triangle = 0;
  bool forward = false;
};

std::vector<HalfEdge> half_edges(const Problem& problem) {
  std::vector<HalfEdge> edges;
  edges.reserve(3 * problem.triangles.size());
  for (std::uint32_t t = 0; t < problem.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = problem.triangles[t][k];
      const std::uint32_t b = problem.triangles[t][(k + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), t, a < b});
    }
  }
  std::ranges::sort(edges, [](const HalfEdge& one, const HalfEdge& two) {
    return std::tie(one.low, one.high, one.triangle) < std::tie(two.low, two.high, two.triangle);
  });
  return edges;
}

Sheets sheets_of(const Problem& problem) {
  constexpr std::uint32_t kNone = 0xffffffffu;
  const std::size_t count = problem.triangles.size();
  std::vector<std::array<std::pair<std::uint32_t, bool>, 3>> across(count);  // a neighbour, and whether it agrees
  for (auto& three : across) {
    three.fill({kNone, true});
  }
  const std::vector<HalfEdge> edges = half_edges(problem);
  const auto link = [&](std::uint32_t from, std::uint32_t to, bool agrees) {
    for (auto& [neighbour, same] : across[from]) {
      if (neighbour == kNone) {
        neighbour = to;
        same = agrees;
        return;
      }
    }
  };
  for (std::size_t e = 0; e < edges.size();) {
    std::size_t end = e + 1;
    while (end < edges.size() && edges[end].low == edges[e].low && edges[end].high == edges[e].high) {
      ++end;
    }
    if (end - e == 2 && edges[e].triangle != edges[e + 1].triangle) {
      const bool agrees = edges[e].forward != edges[e + 1].forward;
      link(edges[e].triangle, edges[e + 1].triangle, agrees);
      link(edges[e + 1].triangle, edges[e].triangle, agrees);
    }
    e = end;
  }
  Sheets out;
  out.sheet.assign(count, kNone);
  out.against.assign(count, 0);
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t seed = 0; seed < count; ++seed) {
    if (out.sheet[seed] != kNone) {
      continue;
    }
    const auto number = static_cast<std::uint32_t>(out.count++);
    out.sheet[seed] = number;
    waiting.push_back(seed);
    while (!waiting.empty()) {
      const std::uint32_t t = waiting.back();
      waiting.pop_back();
      for (const auto& [neighbour, agrees] : across[t]) {
        if (neighbour != kNone && out.sheet[neighbour] == kNone) {
          out.sheet[neighbour] = number;
          out.against[neighbour] = static_cast<char>((out.against[t] != 0) == agrees);
          waiting.push_back(neighbour);
        }
      }
    }
  }
  return out;
}

// How much of a sheet's two sides is seen from afar, by area and direction.
struct SheetView {
  double area = 0;
  double against = 0;  // area of the triangles that go round the other way than its first
  double front = 0;
  double back = 0;
};

// How much of the space before a point is open: of 26 directions those within the half space, up to the end of the
// grid past no surface.
double open_directions(const Voxels& voxels, const glm::dvec3& from, const glm::dvec3& normal) {
  if (voxels.at(from) == Voxel::kSurface) {
    return 0;
  }
  const double far = 2 * voxels.grid.edge * std::max({voxels.grid.size.x, voxels.grid.size.y, voxels.grid.size.z});
  double open = 0;
  for (int k = 0; k < 27; ++k) {
    const glm::dvec3 direction(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
    const double length = glm::length(direction);
    if (length > 0 && glm::dot(direction, normal) > kWithinView * length) {
      bool is_open = true;
      walk_cubes(voxels.grid, from, from + far / length * direction, [&](const glm::ivec3& at) {
        if (!voxels.grid.contains(at)) {
          return false;
        }
        is_open = voxels.cell[voxels.grid.index(at)] != Voxel::kSurface;
        return is_open;
      });
      open += is_open ? 1 : 0;
    }
  }
  return open;
}

// Which triangles are to be turned: those of a sheet that is seen from afar at its back rather than at its front.
// After K. Takayama, A. Jacobson, L. Kavan, O. Sorkine-Hornung, "A Simple Method for Correcting Facet Orientations in
// Polygon Meshes Based on Ray Casting", Journal of Computer Graphics Techniques 3(4), 2014.
std::vector<char> seen_from_behind(const Problem& problem, const Voxels& voxels) {
  const Sheets sheets = sheets_of(problem);
  const std::size_t count = problem.triangles.size();
  std::vector<SheetView> views(sheets.count);
  std::vector<std::uint32_t> triangle_count(sheets.count, 0);
  std::vector<double> areas(count);
  std::vector<glm::dvec3> normals(count);
  for (std::size_t t = 0; t < count; ++t) {
    const auto& [a, b, c] = problem.triangles[t];
    const glm::dvec3 normal =
        0.5 * glm::cross(problem.positions[b] - problem.positions[a], problem.positions[c] - problem.positions[a]);
    areas[t] = glm::length(normal);
    normals[t] = areas[t] > 0 ? (sheets.against[t] != 0 ? -1.0 : 1.0) / areas[t] * normal : glm::dvec3(0.0);
    SheetView& view = views[sheets.sheet[t]];
    view.area += areas[t];
    view.against += sheets.against[t] != 0 ? areas[t] : 0.0;
    ++triangle_count[sheets.sheet[t]];
  }
  std::vector<std::uint32_t> looked_at;
  std::vector<std::uint32_t> passed(sheets.count, 0);
  for (std::uint32_t t = 0; t < count; ++t) {
    const std::uint32_t sheet = sheets.sheet[t];
    if (passed[sheet]++ % (triangle_count[sheet] / kLooksAtSheet + 1) == 0 && areas[t] > 0) {
      looked_at.push_back(t);
    }
  }
  std::vector<std::pair<double, double>> seen(looked_at.size());
  parallel_for(looked_at.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t t = looked_at[k];
      const auto& [a, b, c] = problem.triangles[t];
      const glm::dvec3 middle = (problem.positions[a] + problem.positions[b] + problem.positions[c]) / 3.0;
      const glm::dvec3 off = kStepOff * voxels.grid.edge * normals[t];
      seen[k] = {areas[t] * open_directions(voxels, middle + off, normals[t]),
                 areas[t] * open_directions(voxels, middle - off, -normals[t])};
    }
  });
  for (std::size_t k = 0; k < looked_at.size(); ++k) {
    SheetView& view = views[sheets.sheet[looked_at[k]]];
    view.front += seen[k].first;
    view.back += seen[k].second;
  }
  // 1: faces the outside as its first triangle does, -1: the other way, 0: nobody sees.
  const auto side_of = [](const SheetView& view) {
    if (std::max(view.front, view.back) <= kClearlySeen * std::min(view.front, view.back)) {
      return 0;
    }
    return view.front > view.back ? 1 : -1;
  };
  double right = 0;  // area as the file has it
  double wrong = 0;
  for (const SheetView& view : views) {
    const int side = side_of(view);
    right += side > 0 ? view.area - view.against : side < 0 ? view.against : 0.0;
    wrong += side < 0 ? view.area - view.against : side > 0 ? view.against : 0.0;
  }
  std::vector<char> turned(count, 0);
  for (std::size_t t = 0; t < count; ++t) {
    const SheetView& view = views[sheets.sheet[t]];
    const int side = side_of(view);
    // One that nobody sees faces as most of its area does, and is turned where most of the rest is.
    const bool turn = side != 0 ? side < 0 : (view.against > 0.5 * view.area) != (wrong > right);
    turned[t] = static_cast<char>((sheets.against[t] != 0) != turn);
  }
  return turned;
}

// Which of the cubes that can be reached from outside lie within by the winding number: asked of every few cubes, and
// carried on from these to the others as the nearest of them says, not past the surface. Within wins where both meet.
void add_open_inside(const Problem& problem, Voxels& voxels) {
  const VoxelGrid& grid = voxels.grid;
  const glm::ivec3 middle = grid.size / 2;
  const int step = std::max(1, std::max({grid.size.x, grid.size.y, grid.size.z}) / kSamplesAlong);
  std::vector<std::uint32_t> samples;
  const auto is_inner = [&](const glm::ivec3& at) { return grid.contains(at - 1) && grid.contains(at + 1); };
  for (int z = middle.z % step; z < grid.size.z; z += step) {
    for (int y = middle.y % step; y < grid.size.y; y += step) {
      for (int x = middle.x % step; x < grid.size.x; x += step) {
        const std::size_t at = grid.index({x, y, z});
        if (voxels.cell[at] == Voxel::kOutside && is_inner({x, y, z})) {
          samples.push_back(static_cast<std::uint32_t>(at));
        }
      }
    }
  }
  const WindingTree winding(problem.positions, problem.triangles, voxels.turned);
  std::vector<char> within(samples.size(), 0);
  parallel_for(samples.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const glm::dvec3 p = grid.center(grid.cell(samples[s]));
      double around = winding.at(p);
      if (std::abs(around - kInsideWinding) < kCloseWinding) {
        around = winding.at(p, kCloseReaches);
      }
      within[s] = static_cast<char>(around >= kInsideWinding);
    }
  });
  std::array<std::vector<std::uint32_t>, 2> front;  // inside, outside
  std::vector<char> known(grid.count(), 0);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    front[within[s] != 0 ? 0 : 1].push_back(samples[s]);
    known[samples[s]] = 1;
  }
  if (front[0].empty()) {
    return;
  }
  for (const std::uint32_t at : front[0]) {
    voxels.cell[at] = Voxel::kInside;
  }
  std::vector<std::uint32_t> next;
  while (!front[0].empty() || !front[1].empty()) {
    for (std::size_t side = 0; side < 2; ++side) {
      next.clear();
      for (const std::uint32_t at : front[side]) {
        const glm::ivec3 where = grid.cell(at);
        for (const glm::ivec3& by : kSides) {
          if (!is_inner(where + by)) {
            continue;
          }
          const std::size_t there = grid.index(where + by);
          if (known[there] == 0 && voxels.cell[there] == Voxel::kOutside) {
            known[there] = 1;
            voxels.cell[there] = side == 0 ? Voxel::kInside : Voxel::kOutside;
            next.push_back(static_cast<std::uint32_t>(there));
          }
        }
      }
      std::swap(front[side], next);
    }
  }
}

}  // namespace

VoxelGrid grid_round(std::span<const glm::dvec3> positions, int n) {
  VoxelGrid grid;
  glm::dvec3 lower(0.0);
  glm::dvec3 upper(0.0);
  if (!positions.empty()) {
    lower = upper = positions[0];
  }
  for (const glm::dvec3& p : positions) {
    lower = glm::min(lower, p);
    upper = glm::max(upper, p);
  }
  const glm::dvec3 side = upper - lower;
  const double longest = std::max({side.x, side.y, side.z});
  if (longest > 0) {
    grid.edge = longest / (n - 4 + kOverhang);
  }
  for (int axis = 0; axis < 3; ++axis) {
    // Half of the side beyond the cube in the middle, in cubes, and an empty one.
    const double half = std::max(0.0, 0.5 * side[axis] / grid.edge - 0.5);
    grid.size[axis] = 2 * (static_cast<int>(std::ceil(half - 1e-6)) + 1) + 1;
  }
  grid.lower = 0.5 * (lower + upper) - 0.5 * grid.edge * glm::dvec3(grid.size);
  return grid;
}

std::array<glm::dvec3, 3> corners_in_grid(const VoxelGrid& grid, const Problem& problem, std::size_t t) {
  const auto& [a, b, c] = problem.triangles[t];
  return {grid.to_grid(problem.positions[a]), grid.to_grid(problem.positions[b]), grid.to_grid(problem.positions[c])};
}

void for_each_cube(const VoxelGrid& grid, const std::array<glm::dvec3, 3>& corners,
                   const std::function<void(std::size_t)>& visit) {
  const auto mark = [&](const glm::ivec3& at) {
    if (grid.contains(at)) {
      visit(grid.index(at));
    }
  };
  const glm::dvec3 normal = glm::cross(corners[1] - corners[0], corners[2] - corners[0]);
  const glm::dvec3 size = glm::abs(normal);
  const int along = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  if (!(size[along] > 1e-12)) {  // as good as a line
    const VoxelGrid cubes{grid.size, 1, {}};
    for (std::size_t k = 0; k < 3; ++k) {
      walk_cubes(cubes, corners[k], corners[(k + 1) % 3], [&](const glm::ivec3& at) {
        mark(at);
        return true;
      });
    }
    return;
  }
  const int u = (along + 1) % 3;
  const int v = (along + 2) % 3;
  const glm::dvec3 lower = glm::min(glm::min(corners[0], corners[1]), corners[2]);
  const glm::dvec3 upper = glm::max(glm::max(corners[0], corners[1]), corners[2]);
  const glm::ivec3 first(glm::floor(lower - kTouch));
  const glm::ivec3 last(glm::floor(upper + kTouch));
  // The plane's height over the middle of a column, and by how much it rises within.
  const double slope_u = -normal[u] / normal[along];
  const double slope_v = -normal[v] / normal[along];
  const double rise = 0.5 * (std::abs(slope_u) + std::abs(slope_v)) + kTouch;
  glm::ivec3 at(0);
  for (at[u] = first[u]; at[u] <= last[u]; ++at[u]) {
    for (at[v] = first[v]; at[v] <= last[v]; ++at[v]) {
      const double height =
          corners[0][along] + slope_u * (at[u] + 0.5 - corners[0][u]) + slope_v * (at[v] + 0.5 - corners[0][v]);
      const int low = std::max(first[along], static_cast<int>(std::floor(height - rise)));
      const int high = std::min(last[along], static_cast<int>(std::floor(height + rise)));
      for (at[along] = low; at[along] <= high; ++at[along]) {
        const glm::dvec3 center = glm::dvec3(at) + 0.5;
        if (edges_overlap({corners[0] - center, corners[1] - center, corners[2] - center})) {
          mark(at);
        }
      }
    }
  }
}

bool walk_cubes(const VoxelGrid& grid, const glm::dvec3& a, const glm::dvec3& b,
                const std::function<bool(const glm::ivec3&)>& visit) {
  const glm::dvec3 from = grid.to_grid(a);
  const glm::dvec3 to = grid.to_grid(b);
  const glm::dvec3 by = to - from;
  glm::ivec3 at(glm::floor(from));
  const glm::ivec3 end(glm::floor(to));
  glm::ivec3 step(0);
  glm::dvec3 next(2.0);     // where along the segment the next border is, by axis
  glm::dvec3 between(0.0);  // from one border to the next
  for (int axis = 0; axis < 3; ++axis) {
    if (at[axis] != end[axis]) {
      step[axis] = by[axis] > 0 ? 1 : -1;
      between[axis] = 1 / std::abs(by[axis]);
      next[axis] = (by[axis] > 0 ? at[axis] + 1 - from[axis] : from[axis] - at[axis]) * between[axis];
    }
  }
  int left = std::abs(end.x - at.x) + std::abs(end.y - at.y) + std::abs(end.z - at.z);
  for (;;) {
    if (!visit(at)) {
      return false;
    }
    if (left-- == 0) {
      return true;
    }
    // Counted by steps: rounding must not lead past the end.
    int axis = -1;
    for (int k = 0; k < 3; ++k) {
      if (at[k] != end[k] && (axis < 0 || next[k] < next[axis])) {
        axis = k;
      }
    }
    at[axis] += step[axis];
    next[axis] += between[axis];
  }
}

bool within(const Voxels& voxels, const glm::dvec3& a, const glm::dvec3& b) {
  return walk_cubes(voxels.grid, a, b, [&](const glm::ivec3& at) { return voxels.at(at) != Voxel::kOutside; });
}

namespace {

// The cubes of the surface, what is reached from outside past those, and which triangles are turned.
std::optional<Voxels> surface_as_voxels(const Problem& problem, int n, const Progress& progress) {
  Voxels out;
  out.grid = grid_round(problem.positions, n);
  out.cell.assign(out.grid.count(), Voxel::kInside);
  for (std::size_t t = 0; t < problem.triangles.size(); ++t) {
    if (t % 4096 == 0 && !report(progress, 0.4f * static_cast<float>(t) / static_cast<float>(problem.triangles.size()),
                                 "surface as voxels")) {
      return std::nullopt;
    }
    for_each_cube(out.grid, corners_in_grid(out.grid, problem, t),
                  [&](std::size_t at) { out.cell[at] = Voxel::kSurface; });
  }
  for (const glm::dvec3& p : problem.positions) {
    if (out.grid.contains(out.grid.cell_at(p))) {
      out.cell[out.grid.index(out.grid.cell_at(p))] = Voxel::kSurface;
    }
  }
  if (!report(progress, 0.4f, "inside of the volume")) {
    return std::nullopt;
  }
  flood_from_outside(out);
  out.turned = seen_from_behind(problem, out);
  return out;
}

}  // namespace

std::optional<std::vector<char>> turned_triangles(const Problem& problem, int n, const Progress& progress) {
  std::optional<Voxels> voxels = surface_as_voxels(problem, n, progress);
  return voxels ? std::optional(std::move(voxels->turned)) : std::nullopt;
}

std::optional<Voxels> voxelised(const Problem& problem, int n, const Progress& progress) {
  std::optional<Voxels> out = surface_as_voxels(problem, n, progress);
  if (!out || !report(progress, 0.7f, "inside of the volume")) {
    return std::nullopt;
  }
  add_open_inside(problem, *out);
  for (const Voxel cell : out->cell) {
    out->inside_count += cell == Voxel::kInside ? 1 : 0;
    out->surface_count += cell == Voxel::kSurface ? 1 : 0;
  }
  return out;
}

std::vector<glm::dvec3> outward_normals(const Problem& problem, std::span<const char> turned) {
  std::vector<glm::dvec3> normals(problem.place_count(), glm::dvec3(0.0));
  for (std::size_t t = 0; t < problem.triangles.size(); ++t) {
    const auto& triangle = problem.triangles[t];
    const glm::dvec3& a = problem.positions[triangle[0]];
    glm::dvec3 normal = glm::cross(problem.positions[triangle[1]] - a, problem.positions[triangle[2]] - a);
    const double twice = glm::length(normal);
    if (!(twice > 0)) {
      continue;
    }
    normal *= (turned[t] != 0 ? -1.0 : 1.0) / twice;
    for (std::size_t k = 0; k < 3; ++k) {
      const glm::dvec3 one = problem.positions[triangle[(k + 1) % 3]] - problem.positions[triangle[k]];
      const glm::dvec3 two = problem.positions[triangle[(k + 2) % 3]] - problem.positions[triangle[k]];
      const double lengths = glm::length(one) * glm::length(two);
      const double angle = lengths > 0 ? std::acos(std::clamp(glm::dot(one, two) / lengths, -1.0, 1.0)) : 0.0;
      normals[triangle[k]] += angle * normal;
    }
  }
  for (glm::dvec3& normal : normals) {
    const double length = glm::length(normal);
    normal = length > 1e-9 ? normal / length : glm::dvec3(0.0);
  }
  return normals;
}

}  // namespace pelt::bind
