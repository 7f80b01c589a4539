#include "bind/voxel_gaps.h"

#include <map>
#include <utility>

namespace pelt::bind {

std::vector<VoxelGap> closed_gaps(const Problem& problem, const VoxelGrid& grid) {
  std::vector<VoxelGap> gaps;
  if (problem.island_count() < 2) {
    return gaps;
  }
  constexpr std::uint32_t kNone = 0xffffffffu;
  struct Contact {
    std::size_t cubes = 0;
    glm::dvec3 sum = {};
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Contact> contacts;
  std::vector<std::uint32_t> owner(grid.count(), kNone);
  const auto touch = [&](std::uint32_t a, std::uint32_t b, std::size_t cube) {
    const bool a_is_small =
        problem.island_size[a] != problem.island_size[b] ? problem.island_size[a] < problem.island_size[b] : a > b;
    Contact& contact = contacts[a_is_small ? std::pair(a, b) : std::pair(b, a)];
    ++contact.cubes;
    contact.sum += grid.center(grid.cell(cube));
  };
  for (std::size_t t = 0; t < problem.triangles.size(); ++t) {
    const std::uint32_t island = problem.island[problem.triangles[t][0]];
    for_each_cube(grid, corners_in_grid(grid, problem, t), [&](std::size_t cube) {
      if (owner[cube] == kNone) {
        owner[cube] = island;
      } else if (owner[cube] != island) {
        touch(owner[cube], island, cube);
      }
    });
  }
  for (std::size_t cube = 0; cube < owner.size(); ++cube) {
    if (owner[cube] == kNone) {
      continue;
    }
    const glm::ivec3 at = grid.cell(cube);
    for (int k = 14; k < 27; ++k) {  // the later half of the 27 cubes round it
      const glm::ivec3 there = at + glm::ivec3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
      if (grid.contains(there)) {
        const std::uint32_t other = owner[grid.index(there)];
        if (other != kNone && other != owner[cube]) {
          touch(owner[cube], other, cube);
        }
      }
    }
  }
  for (const auto& [pair, contact] : contacts) {
    const VoxelGap gap{pair.first, pair.second, contact.cubes, contact.sum / static_cast<double>(contact.cubes)};
    if (gaps.empty() || gaps.back().small != gap.small) {
      gaps.push_back(gap);
    } else if (gaps.back().cubes < gap.cubes) {
      gaps.back() = gap;
    }
  }
  return gaps;
}

void remark_on_gaps(const Problem& problem, const VoxelGrid& grid, Binding& binding) {
  for (const VoxelGap& gap : closed_gaps(problem, grid)) {
    binding.remarks.push_back({.kind = RemarkKind::kGapCloses,
                               .island = static_cast<int>(gap.small),
                               .places = problem.island_size[gap.small],
                               .where = gap.where,
                               .amount = grid.edge,
                               .other = static_cast<int>(gap.large)});
  }
}

}  // namespace pelt::bind
