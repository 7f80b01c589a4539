#include "mesh/surface_disc.h"

#include <algorithm>
#include <utility>

#include "core/expect.h"

namespace pelt::mesh {

float brush_falloff(float distance, float radius) {
  const float share = distance / radius;
  const float rest = 1 - share * share;
  return share < 1 ? rest * rest : 0.0f;
}

SurfaceDisc DiscSearch::find(const Adjacency& adjacency, const PlacePosition& position, std::uint32_t middle,
                             float radius) {
  PELT_EXPECT(middle < adjacency.vertex_count(), "the middle is a place");
  if (mark_.size() < adjacency.vertex_count() || ++search_ == 0) {
    mark_.assign(adjacency.vertex_count(), 0);
    distance_.resize(adjacency.vertex_count());
    search_ = 1;
  }
  SurfaceDisc disc;
  using Reached = std::pair<float, std::uint32_t>;
  std::vector<Reached> heap = {{0.0f, middle}};
  mark_[middle] = search_;
  distance_[middle] = 0;
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, std::greater<>());
    const auto [reached, w] = heap.back();
    heap.pop_back();
    if (reached > distance_[w]) {
      continue;  // a shorter way was found since
    }
    disc.place.push_back(w);
    disc.distance.push_back(reached);
    const glm::vec3 here = position(w);
    for (const std::uint32_t u : adjacency.neighbors(w)) {
      const float way = reached + glm::distance(here, position(u));
      if (way < radius && (mark_[u] != search_ || way < distance_[u])) {  // false where a place is not a number
        mark_[u] = search_;
        distance_[u] = way;
        heap.emplace_back(way, u);
        std::ranges::push_heap(heap, std::greater<>());
      }
    }
  }
  return disc;
}

}  // namespace pelt::mesh
