#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pelt::bind {

/// Nodes and ways between them, both directions, in compressed rows.
struct WayGraph {
  struct Way {
    std::uint32_t to = 0;
    double length = 0;
  };
  std::vector<std::uint32_t> first;  ///< [N + 1] into `ways`
  std::vector<Way> ways;             ///< of each node, by where they lead
  [[nodiscard]] std::size_t size() const { return first.size() - 1; }
};

/// An undirected way; of several between the same nodes the shortest counts.
struct WayBetween {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double length = 0;
};
WayGraph make_way_graph(std::size_t node_count, std::vector<WayBetween> ways);

/// Something that ways are counted from, beginning at a node.
struct WayStart {
  std::uint32_t node = 0;
  std::uint32_t goal = 0;
};
/// A goal that a node reaches.
struct WayEnd {
  std::uint32_t goal = 0;
  double length = 0;
};

/// The `count` nearest goals of each node by the length of the shortest way, nearest first, each goal once. Those as
/// far as the last one, but for `equal`, come along, so that what is equally near is never parted by its number.
/// @param equal  a length, of the size of rounding errors
/// @cost O(count * ways * log)
std::vector<std::vector<WayEnd>> nearest_goals(const WayGraph& graph, std::span<const WayStart> starts,
                                               std::size_t count, double equal);

}  // namespace pelt::bind
