#include "render/box_picking.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/expect.h"
#include "core/parallel.h"
#include "mesh/triangle_bvh.h"
#include "render/picking.h"

namespace pelt::render {
namespace {

/// How much nearer than the vertex a surface has to be to hide it, of the vertex's distance: its own triangles meet the
/// ray there but for rounding.
constexpr double kNearer = 5e-4;

constexpr float kBehind = 1e-6f;  ///< of w: what is not in front of the eye
constexpr std::size_t kVerticesAtOnce = 8192;

// Where a point lies in the picture; nothing behind the eye.
std::optional<glm::vec2> in_picture(const glm::vec4& clip) {
  return clip.w > kBehind ? std::optional(glm::vec2(clip) / clip.w) : std::nullopt;
}

bool holds(const PictureBox& box, const std::optional<glm::vec2>& at) {
  return at && at->x >= box.lower.x && at->x <= box.upper.x && at->y >= box.lower.y && at->y <= box.upper.y;
}

// Distance along the ray to a triangle, from either side (Möller and Trumbore 1997).
std::optional<double> distance_to(const glm::dvec3& origin, const glm::dvec3& direction,
                                  const std::array<glm::dvec3, 3>& corner) {
  const glm::dvec3 u = corner[1] - corner[0];
  const glm::dvec3 v = corner[2] - corner[0];
  const glm::dvec3 p = glm::cross(direction, v);
  const double determinant = glm::dot(u, p);
  if (determinant == 0) {
    return std::nullopt;
  }
  const glm::dvec3 s = origin - corner[0];
  const double a = glm::dot(s, p) / determinant;
  const glm::dvec3 q = glm::cross(s, u);
  const double b = glm::dot(direction, q) / determinant;
  if (a < 0 || b < 0 || a + b > 1) {
    return std::nullopt;
  }
  return glm::dot(v, q) / determinant;
}

/// The triangles without a hidden vertex. @param hidden  [V] or empty
SharedArray<std::uint32_t> shown_triangles(const SharedArray<std::uint32_t>& indices, std::span<const char> hidden) {
  if (hidden.empty()) {
    return indices;
  }
  std::vector<std::uint32_t> shown;
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    if ((hidden[indices[i]] | hidden[indices[i + 1]] | hidden[indices[i + 2]]) == 0) {
      shown.insert(shown.end(), {indices[i], indices[i + 1], indices[i + 2]});
    }
  }
  return shown;
}

/// Where a point or a triangle may lie in the picture.
struct Extent {
  glm::vec2 lower = glm::vec2(std::numeric_limits<float>::infinity());
  glm::vec2 upper = glm::vec2(-std::numeric_limits<float>::infinity());
  void add(const glm::vec2& at) {
    lower = glm::min(lower, at);
    upper = glm::max(upper, at);
  }
};

// Of a triangle, with what rounding may move it by. Of one that reaches behind the eye: of what lies before it.
Extent extent_of(const std::array<glm::vec4, 3>& clip) {
  Extent out;
  for (std::size_t k = 0; k < 3; ++k) {
    const glm::vec4& a = clip[k];
    const glm::vec4& b = clip[(k + 1) % 3];
    if (a.w > kBehind) {
      out.add(glm::vec2(a) / a.w);
    }
    if ((a.w > kBehind) != (b.w > kBehind)) {
      const float t = (kBehind - a.w) / (b.w - a.w);
      out.add(glm::vec2(glm::mix(a, b, t)) / kBehind);
    }
  }
  constexpr float kRounding = 3e-6f;
  const glm::vec2 slack = kRounding * (1.0f + glm::abs(out.lower) + glm::abs(out.upper));
  return {out.lower - slack, out.upper + slack};
}

/// The triangles that lie over a box of the picture, listed by the cells of a grid that they may touch: what hides a
/// point is among those of its cell. Made in one pass over all triangles, without an order of depth, since few lie over
/// one cell; where many do, as where a sheet is seen from its edge, the cell has a tree of them.
class Occluders {
 public:
  Occluders(const PictureBox& box, std::size_t triangle_count)
      : lower_(box.lower),
        side_(std::clamp(static_cast<int>(std::sqrt(static_cast<double>(triangle_count))), 1, 1024)) {
    const glm::vec2 size = glm::max(box.upper - box.lower, glm::vec2(1e-6f));
    cells_per_unit_ = glm::vec2(static_cast<float>(side_)) / size;
    first_.assign(static_cast<std::size_t>(side_) * side_ + 1, 0);
  }

  /// @param clip  [V] @param positions  [V]; both stay where they are
  void add(std::span<const glm::vec4> clip, std::span<const glm::vec3> positions,
           const SharedArray<std::uint32_t>& indices) {
    Sheet& sheet = sheets_.emplace_back(Sheet{positions, indices, std::vector<Cells>(indices.size() / 3)});
    parallel_for(sheet.cells.size(), kTrianglesAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; ++t) {
        const std::array<glm::vec4, 3> corners = {clip[indices[3 * t]], clip[indices[3 * t + 1]],
                                                  clip[indices[3 * t + 2]]};
        sheet.cells[t] = cells_of(extent_of(corners));
      }
    });
  }
  /// To be called once, after all were added.
  void finish() {
    for_each_cell([&](std::size_t cell, std::uint32_t, std::uint32_t) { ++first_[cell + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    entries_.resize(first_.back());
    std::vector<std::ptrdiff_t> next(first_.begin(), first_.end() - 1);
    for_each_cell([&](std::size_t cell, std::uint32_t sheet, std::uint32_t t) { entries_[next[cell]++] = {sheet, t}; });
    std::vector<std::size_t> crowded;
    for (std::size_t cell = 0; cell + 1 < first_.size(); ++cell) {
      if (is_crowded(cell)) {
        crowded.push_back(cell);
        crowded_[cell] = {};
      }
    }
    parallel_for(crowded.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        crowded_.find(crowded[i])->second = trees_of(crowded[i]);
      }
    });
  }
  /// Whether some triangle lies between the ray's origin and `distance`. @param at  where the ray goes in the picture
  [[nodiscard]] bool between(const glm::vec2& at, const Ray& ray, double distance) const {
    const glm::dvec3 origin(ray.origin);
    const glm::dvec3 direction(ray.direction);
    double limit = distance * (1 - kNearer);
    const auto hides = [&](const Sheet& sheet, std::span<const std::uint32_t> indices, std::size_t t) {
      std::array<glm::dvec3, 3> corner;
      for (std::size_t k = 0; k < 3; ++k) {
        corner[k] = glm::dvec3(sheet.positions[indices[3 * t + k]]);
      }
      const std::optional<double> found = distance_to(origin, direction, corner);
      return found && *found > 0 && *found < limit;
    };
    const std::size_t cell = index_of(cell_of(at));
    if (is_crowded(cell)) {
      bool found = false;
      for (const Tree& tree : crowded_.find(cell)->second) {
        const Sheet& sheet = sheets_[tree.sheet];
        tree.boxes.for_each_along(origin, direction, limit, [&](std::uint32_t t) {
          if (!found && hides(sheet, tree.indices, t)) {
            found = true;
            limit = 0;  // which ends the walk
          }
        });
      }
      return found;
    }
    return std::any_of(entries_.begin() + first_[cell], entries_.begin() + first_[cell + 1], [&](const Entry& entry) {
      return hides(sheets_[entry.sheet], sheets_[entry.sheet].indices, entry.triangle);
    });
  }

 private:
  static constexpr std::size_t kTrianglesAtOnce = 16384;
  static constexpr std::ptrdiff_t kMostInCell = 64;  // so many are looked through one by one
  struct Cells {  // columns and rows from lower to upper, both included; none where upper < lower
    std::int16_t lower[2] = {0, 0};
    std::int16_t upper[2] = {-1, -1};
  };
  struct Sheet {
    std::span<const glm::vec3> positions;
    SharedArray<std::uint32_t> indices;
    std::vector<Cells> cells;
  };
  struct Entry {
    std::uint32_t sheet;
    std::uint32_t triangle;
  };
  // What a crowded cell has of one sheet.
  struct Tree {
    std::uint32_t sheet;
    std::vector<std::uint32_t> indices;
    mesh::TriangleBvh boxes;
  };

  [[nodiscard]] bool is_crowded(std::size_t cell) const { return first_[cell + 1] - first_[cell] > kMostInCell; }
  // Entries of a cell are in the order of sheets.
  [[nodiscard]] std::vector<Tree> trees_of(std::size_t cell) const {
    std::vector<Tree> out;
    for (std::ptrdiff_t i = first_[cell]; i < first_[cell + 1];) {
      const std::uint32_t sheet = entries_[i].sheet;
      std::vector<std::uint32_t> indices;
      for (; i < first_[cell + 1] && entries_[i].sheet == sheet; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          indices.push_back(sheets_[sheet].indices[3 * std::size_t{entries_[i].triangle} + k]);
        }
      }
      mesh::TriangleBvh boxes(sheets_[sheet].positions, indices);
      out.push_back({sheet, std::move(indices), std::move(boxes)});
    }
    return out;
  }

  [[nodiscard]] glm::ivec2 cell_of(const glm::vec2& at) const {
    const glm::vec2 cell = glm::floor((at - lower_) * cells_per_unit_);
    return glm::clamp(cell, glm::vec2(0.0f), glm::vec2(static_cast<float>(side_ - 1)));
  }
  [[nodiscard]] std::size_t index_of(const glm::ivec2& cell) const {
    return static_cast<std::size_t>(cell.y) * side_ + cell.x;
  }
  [[nodiscard]] Cells cells_of(const Extent& extent) const {
    Cells out;
    const glm::vec2 end = lower_ + static_cast<float>(side_) / cells_per_unit_;
    // What is not a number is none of them.
    if (extent.upper.x >= lower_.x && extent.upper.y >= lower_.y && extent.lower.x <= end.x &&
        extent.lower.y <= end.y) {
      const glm::ivec2 lower = cell_of(extent.lower);
      const glm::ivec2 upper = cell_of(extent.upper);
      for (int c = 0; c < 2; ++c) {
        out.lower[c] = static_cast<std::int16_t>(lower[c]);
        out.upper[c] = static_cast<std::int16_t>(upper[c]);
      }
    }
    return out;
  }
  // Calls f(cell, sheet, triangle).
  template <typename F>
  void for_each_cell(const F& f) const {
    for (std::uint32_t s = 0; s < sheets_.size(); ++s) {
      const std::vector<Cells>& cells = sheets_[s].cells;
      for (std::uint32_t t = 0; t < cells.size(); ++t) {
        for (int y = cells[t].lower[1]; y <= cells[t].upper[1]; ++y) {
          for (int x = cells[t].lower[0]; x <= cells[t].upper[0]; ++x) {
            f(index_of({x, y}), s, t);
          }
        }
      }
    }
  }

  glm::vec2 lower_;
  int side_;
  glm::vec2 cells_per_unit_ = glm::vec2(1.0f);
  std::vector<Sheet> sheets_;
  std::vector<std::ptrdiff_t> first_;  // [cells + 1]
  std::vector<Entry> entries_;
  std::unordered_map<std::size_t, std::vector<Tree>> crowded_;  // by cell
};

using ClipSpace = std::vector<glm::vec4>;

// [V] of each part that is not hidden.
std::vector<ClipSpace> in_clip_space(const rig::Character& character, const deform::DeformedCharacter& deformed,
                                     const glm::mat4& clip_from_world, const rig::HiddenSurface& hidden) {
  std::vector<ClipSpace> out(character.parts.size());
  for (std::size_t p = 0; p < out.size(); ++p) {
    if (hidden.hides(character.parts[p], static_cast<int>(p))) {
      continue;
    }
    const std::span<const glm::vec3> positions = deformed.parts[p].positions;
    out[p].resize(positions.size());
    parallel_for(positions.size(), kVerticesAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        out[p][v] = clip_from_world * glm::vec4(positions[v], 1.0f);
      }
    });
  }
  return out;
}

// As much of the box as vertices lie in: a character far away must not fall into a few cells.
PictureBox filled(const PictureBox& box, std::span<const ClipSpace> clip) {
  Extent extent;
  for (const ClipSpace& of_part : clip) {
    for (const glm::vec4& vertex : of_part) {
      if (const std::optional<glm::vec2> at = in_picture(vertex); holds(box, at)) {
        extent.add(*at);
      }
    }
  }
  return {extent.lower, extent.upper};
}

Occluders occluders_over(const PictureBox& box, const rig::Character& character,
                         const deform::DeformedCharacter& deformed, std::span<const ClipSpace> clip,
                         const rig::HiddenSurface& hidden) {
  const auto hides = [&](std::size_t p) {
    return character.primitive(character.parts[p]).topology == mesh::Topology::kTriangles && !clip[p].empty();
  };
  std::size_t count = 0;
  for (std::size_t p = 0; p < clip.size(); ++p) {
    count += hides(p) ? character.primitive(character.parts[p]).triangle_count() : 0;
  }
  Occluders out(box, count);
  for (std::size_t p = 0; p < clip.size(); ++p) {
    if (hides(p)) {
      out.add(clip[p], deformed.parts[p].positions, shown_triangles(character.primitive(character.parts[p]).indices, hidden.vertices(static_cast<int>(p))));
    }
  }
  out.finish();
  return out;
}

}  // namespace

std::vector<int> joints_in_box(const rig::Character& character, std::span<const glm::mat4> world, const Camera& camera,
                               float aspect, const PictureBox& box, std::span<const char> only) {
  const glm::mat4 clip_from_world = camera.clip_from_view(aspect) * camera.view_from_world();
  std::vector<int> joints;
  for (const Bone& bone : bones(character, world, only)) {
    if (holds(box, in_picture(clip_from_world * glm::vec4(bone.head, 1.0f)))) {
      joints.push_back(bone.joint);
    }
  }
  std::ranges::sort(joints);
  const auto again = std::ranges::unique(joints);
  joints.erase(again.begin(), again.end());
  return joints;
}

std::vector<std::vector<std::uint32_t>> vertices_in_box(const rig::Character& character,
                                                        const deform::DeformedCharacter& deformed, const Camera& camera,
                                                        float aspect, const PictureBox& box, bool through,
                                                        const rig::HiddenSurface& hidden) {
  PELT_EXPECT(deformed.parts.size() == character.parts.size(), "the shape of this character");
  const std::vector<ClipSpace> clip =
      in_clip_space(character, deformed, camera.clip_from_view(aspect) * camera.view_from_world(), hidden);
  std::optional<Occluders> occluders;
  if (const PictureBox part = filled(box, clip); !through && part.lower.x <= part.upper.x) {
    occluders = occluders_over(part, character, deformed, clip, hidden);
  }
  std::vector<std::vector<std::uint32_t>> out(character.parts.size());
  for (std::size_t p = 0; p < out.size(); ++p) {
    const std::span<const glm::vec3> positions = deformed.parts[p].positions;
    const std::span<const char> hidden_vertices = hidden.vertices(static_cast<int>(p));
    std::vector<char> taken(clip[p].size(), 0);
    parallel_for(taken.size(), kVerticesAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const std::optional<glm::vec2> at = in_picture(clip[p][v]);
        if (!holds(box, at) || (!hidden_vertices.empty() && hidden_vertices[v] != 0)) {
          continue;
        }
        if (occluders) {
          const Ray ray = pick_ray(camera, *at, aspect);
          const double distance = glm::dot(glm::dvec3(positions[v] - ray.origin), glm::dvec3(ray.direction));
          taken[v] = static_cast<char>(!occluders->between(*at, ray, distance));
        } else {
          taken[v] = 1;
        }
      }
    });
    for (std::size_t v = 0; v < taken.size(); ++v) {
      if (taken[v] != 0) {
        out[p].push_back(static_cast<std::uint32_t>(v));
      }
    }
  }
  return out;
}

}  // namespace pelt::render
