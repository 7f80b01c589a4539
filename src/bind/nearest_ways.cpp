// E. Dijkstra, "A Note on Two Problems in Connexion with Graphs", Numerische Mathematik 1, 1959; here each node is
// settled once for each of its nearest goals.

#include "bind/nearest_ways.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace pelt::bind {
namespace {

struct OpenWay {
  double length;
  std::uint32_t node;
  std::uint32_t goal;
  // For a queue that gives the greatest first.
  bool operator<(const OpenWay& other) const {
    return std::tie(other.length, other.node, other.goal) < std::tie(length, node, goal);
  }
};

// Whether a way of that length to a goal adds anything to a node.
bool is_wanted(const std::vector<WayEnd>& settled, std::uint32_t goal, double length, std::size_t count, double equal) {
  if (settled.size() >= count && length > settled[count - 1].length + equal) {
    return false;
  }
  return std::ranges::none_of(settled, [&](const WayEnd& end) { return end.goal == goal; });
}

}  // namespace

WayGraph make_way_graph(std::size_t node_count, std::vector<WayBetween> ways) {
  const std::size_t given = ways.size();
  ways.reserve(2 * given);
  for (std::size_t i = 0; i < given; ++i) {
    ways.push_back({ways[i].b, ways[i].a, ways[i].length});
  }
  std::ranges::sort(ways, [](const WayBetween& x, const WayBetween& y) {
    return std::tie(x.a, x.b, x.length) < std::tie(y.a, y.b, y.length);
  });
  const auto repeated =
      std::ranges::unique(ways, [](const WayBetween& x, const WayBetween& y) { return x.a == y.a && x.b == y.b; });
  ways.erase(repeated.begin(), repeated.end());
  WayGraph graph;
  graph.first.assign(node_count + 1, 0);
  graph.ways.reserve(ways.size());
  for (const WayBetween& way : ways) {
    ++graph.first[way.a + 1];
    graph.ways.push_back({way.b, way.length});
  }
  for (std::size_t n = 0; n < node_count; ++n) {
    graph.first[n + 1] += graph.first[n];
  }
  return graph;
}

std::vector<std::vector<WayEnd>> nearest_goals(const WayGraph& graph, std::span<const WayStart> starts,
                                               std::size_t count, double equal) {
  std::vector<std::vector<WayEnd>> settled(graph.size());
  std::priority_queue<OpenWay> open;
  for (const WayStart& start : starts) {
    open.push({0.0, start.node, start.goal});
  }
  while (!open.empty()) {
    const OpenWay now = open.top();
    open.pop();
    if (!is_wanted(settled[now.node], now.goal, now.length, count, equal)) {
      continue;
    }
    settled[now.node].push_back({now.goal, now.length});
    for (std::uint32_t i = graph.first[now.node]; i < graph.first[now.node + 1]; ++i) {
      const WayGraph::Way& way = graph.ways[i];
      const double length = now.length + way.length;
      if (is_wanted(settled[way.to], now.goal, length, count, equal)) {
        open.push({length, way.to, now.goal});
      }
    }
  }
  return settled;
}

}  // namespace pelt::bind
