#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mesh/influences.h"

namespace pelt::mesh {

/// Weight that a cut row loses before anybody is told.
inline constexpr double kLeastCut = 0.01;

/// What makes of influences others of as many vertices: the rows in which the two differ, and where nearly all rows of
/// a block differ, that block itself. Holds nothing of what it is applied to.
struct InfluencesPatch {
  /// A row of an edit that lost influences, since the vertex may have no more of them (Influences::most()).
  struct Cut {
    std::uint32_t vertex = 0;
    float lost = 0;  ///< weight, 0 to 1
  };
  struct WholeBlock {
    std::size_t block = 0;
    Shared<Influences::Block> rows;
  };
  std::vector<std::uint32_t> vertices;  ///< [R] ascending
  Influences::Block rows;               ///< row r is that of vertices[r]; any number of rows
  std::vector<WholeBlock> blocks;       ///< ascending; `vertices` has none of theirs
  std::vector<Cut> cuts;                ///< of an edit, ascending: more than kLeastCut; says nothing to patched()
  std::uint32_t budget = 0;             ///< that influences have afterwards; 0: what they had

  [[nodiscard]] bool empty() const { return vertices.empty() && blocks.empty(); }
  /// What it holds outside of itself.
  [[nodiscard]] std::size_t bytes() const;
};

/// Adds a row for a vertex behind those that the patch has. @pre  it has none of that vertex's block as a whole
void push_row(InfluencesPatch& patch, std::uint32_t vertex, const InfluenceRow& row);

/// What a block of rows holds outside of itself.
std::size_t bytes_of(const Influences::Block& block);

/// Blocks that both share are not read. @pre  equal numbers of vertices
/// @cost  O(blocks + rows of blocks that are not shared), these on all threads
InfluencesPatch patch_between(const Influences& from, const Influences& to);

/// `from` as the patch has it: blocks that it does not touch stay shared, whole blocks of the patch are shared with it.
/// @pre  `from` has the vertices that the patch was made for
Influences patched(Influences from, const InfluencesPatch& patch);

}  // namespace pelt::mesh
