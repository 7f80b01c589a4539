#pragma once

#include <cstddef>
#include <vector>

#include "mesh/influences_patch.h"
#include "rig/character.h"

namespace pelt::rig {

/// What makes of one character another that came of it: the parts that they do not share, of weights no more than
/// the rows that differ, and of clips no more than the channels. It keeps nothing of the one that it is applied to but
/// what both share, meshes not even that.
struct CharacterDelta {
  /// Where the other's weights come from.
  struct Weights {
    std::size_t mesh = 0;  ///< of the one, as `primitive`
    std::size_t primitive = 0;
    mesh::InfluencesPatch patch;
  };
  struct PrimitiveDelta {
    std::size_t primitive = 0;
    mesh::Primitive rest;  ///< without influences, unless they are its own
    int weights = -1;      ///< of CharacterDelta::weights; -1: its own
  };
  struct MeshDelta {
    std::size_t mesh = 0;
    mesh::Mesh rest;                  ///< without primitives
    bool has_same_primitives = true;  ///< all those of the one's mesh at this place
    std::size_t primitive_count = 0;  ///< where it has not
    std::vector<PrimitiveDelta> primitives = {};
  };

  /// A clip of the other's.
  struct ClipDelta {
    int from = -1;                ///< of the one, which has the very same clip, or channels of it; -1: none of it
    bool is_same = false;         ///< the whole clip is
    Clip rest = {};               ///< else: where a channel is that of `from` at its place, without keys
    std::vector<char> kept = {};  ///< [channels] whether it is
  };

  Character rest;  ///< without meshes and clips
  bool has_same_clips = true;
  std::vector<ClipDelta> clips = {};  ///< where it has not: all of them
  bool has_same_meshes = true;
  std::size_t mesh_count = 0;  ///< where it has not
  std::vector<MeshDelta> meshes = {};
  std::vector<Weights> weights = {};
  std::size_t bytes = 0;  ///< what it holds, itself included, and `from` does not
};

/// @cost  O(parts that differ + rows of weight blocks that are not shared)
CharacterDelta delta_between(const Character& from, const Character& to);

/// `to` as it was: parts and blocks of weights that `from` and `to` shared are those of `from`, and primitives that
/// shared their weights share them. @pre  `from` says what the delta was made from
Character applied(const CharacterDelta& delta, const Character& from);

}  // namespace pelt::rig
