#include "bind/united_places.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "bind/voxels.h"

namespace pelt::bind {
namespace {

constexpr double kTouching = 1e-4;      // diagonals
constexpr double kTouchingAlike = 0.5;  // cosine: neither the two sides of a sheet nor what sticks in the surface
constexpr std::uint32_t kAlone = 0xffffffffu;

// The places that others may become one with, by cubes of the reach.
class TouchingPlaces {
 public:
  TouchingPlaces(const Problem& problem, std::span<const glm::dvec3> normals)
      : problem_(problem), normals_(normals), reach_(kTouching * problem.diagonal), first_(problem.positions[0]) {}

  // The nearest of them that the place touches, without a place of the same island; else the place joins them.
  std::uint32_t find_or_add(std::uint32_t w) {
    const glm::dvec3& p = problem_.positions[w];
    const glm::i64vec3 at(glm::floor((p - first_) / reach_));
    std::uint32_t best = kAlone;
    double least = reach_;
    for (int k = 0; k < 27; ++k) {
      const auto found = by_cube_.find(key_of(at + glm::i64vec3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)));
      if (found == by_cube_.end()) {
        continue;
      }
      for (const std::uint32_t other : found->second) {
        const double distance = glm::length(problem_.positions[other] - p);
        if (distance <= least && (best == kAlone || distance < least) &&
            glm::dot(normals_[other], normals_[w]) > kTouchingAlike && !has_island(other, problem_.island[w])) {
          best = other;
          least = distance;
        }
      }
    }
    if (best == kAlone) {
      best = w;
      by_cube_[key_of(at)].push_back(w);
    }
    islands_[best].push_back(problem_.island[w]);
    return best;
  }

 private:
  // A diagonal has ten thousand cubes, and 21 bits a sign and a million.
  static std::uint64_t key_of(const glm::i64vec3& at) {
    constexpr std::uint64_t kMask = (1u << 21) - 1;
    return (static_cast<std::uint64_t>(at.x) & kMask) | (static_cast<std::uint64_t>(at.y) & kMask) << 21 |
           (static_cast<std::uint64_t>(at.z) & kMask) << 42;
  }
  [[nodiscard]] bool has_island(std::uint32_t place, std::uint32_t island) const {
    return std::ranges::find(islands_.at(place), island) != islands_.at(place).end();
  }

  const Problem& problem_;
  std::span<const glm::dvec3> normals_;
  double reach_;
  glm::dvec3 first_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_cube_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> islands_;  // of what became one with a place
};

}  // namespace

UnitedPlaces united_places(const Problem& problem, std::span<const char> turned) {
  UnitedPlaces out{problem, std::vector<std::uint32_t>(problem.place_count())};
  std::iota(out.place.begin(), out.place.end(), 0u);
  if (problem.island_count() < 2 || !(problem.diagonal > 0)) {
    return out;
  }
  const std::vector<glm::dvec3> normals = outward_normals(problem, turned);
  TouchingPlaces touching(problem, normals);
  std::uint32_t count = 0;
  for (std::uint32_t w = 0; w < problem.place_count(); ++w) {
    const std::uint32_t with = touching.find_or_add(w);
    if (with == w) {
      out.problem.positions[count] = problem.positions[w];
    }
    out.place[w] = with == w ? count++ : out.place[with];  // which comes before it
  }
  if (count == problem.place_count()) {
    return out;
  }
  out.problem.positions.resize(count);
  for (auto& triangle : out.problem.triangles) {
    for (std::uint32_t& corner : triangle) {
      corner = out.place[corner];
    }
  }
  finish(out.problem);
  out.problem.diagonal = problem.diagonal;
  return out;
}

Binding parted(const Problem& problem, const UnitedPlaces& united, Binding binding) {
  if (united.problem.place_count() == problem.place_count()) {
    return binding;
  }
  std::vector<std::uint32_t> first(united.problem.island_count(), kAlone);
  std::vector<std::size_t> places(first.size(), 0);
  Binding out;
  out.rows.reserve(problem.place_count(), 0);
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    const std::uint32_t place = united.place[w];
    const std::uint32_t island = united.problem.island[place];
    first[island] = std::min(first[island], problem.island[w]);
    ++places[island];
    out.rows.push(binding.rows[place]);
    out.cause.push_back(binding.cause[place]);
  }
  out.remarks = std::move(binding.remarks);
  for (Remark& remark : out.remarks) {
    if (remark.island >= 0) {
      const auto island = static_cast<std::size_t>(remark.island);
      remark.places = remark.places == united.problem.island_size[island] ? places[island] : remark.places;
      remark.island = static_cast<int>(first[island]);
    }
    if (remark.other >= 0) {
      remark.other = static_cast<int>(first[static_cast<std::size_t>(remark.other)]);
    }
  }
  return out;
}

}  // namespace pelt::bind
