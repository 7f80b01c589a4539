#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rig/character.h"

namespace pelt::deform {

/// Which joints vertices follow, counted by entries of influences, so that an edit costs the blocks that it wrote.
class FollowedJoints {
 public:
  /// Brings the counts to these meshes. @cost O(entries of blocks that are others than in the last call)
  void follow(const SharedList<mesh::Mesh>& meshes);
  /// [skins] of [J] whether a vertex of a mesh that hangs on the skin has weight for the joint, in whatever scene.
  /// @pre  follow() saw the character's meshes
  [[nodiscard]] std::vector<std::vector<char>> of_skins(const rig::Character& character) const;
  /// Blocks counted so far.
  [[nodiscard]] std::size_t blocks_read() const { return blocks_read_; }

 private:
  // Of one primitive.
  struct Counts {
    Shared<mesh::Influences> rows;
    std::vector<std::uint32_t> entries;  // [joint]
  };
  void follow_rows(const Shared<mesh::Influences>& now, Counts& counts);

  std::vector<std::vector<Counts>> meshes_;  // of their primitives
  std::size_t blocks_read_ = 0;
};

}  // namespace pelt::deform
