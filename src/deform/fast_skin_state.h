#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/large_memory.h"
#include "deform/fast_kernels.h"
#include "deform/fast_skin.h"

// What FastSkin keeps. For its own sources alone.

namespace pelt::deform {

// Vertices handed to a thread at a time: small, so that threads which the machine slows down keep no one waiting.
inline constexpr std::size_t kSkinnedPerChunk = FastSkin::kChunkVertices;

inline constexpr std::int32_t kUnmoved = -1;

struct VertexRow;

// A morph target in the layout of the shape, for those blocks alone that it moves.
struct FastMorphTarget {
  bool loaded = false;
  std::size_t components = 0;    // the first ones of the shape's: positions alone, or all
  std::vector<std::int32_t> at;  // [blocks] which piece of `deltas`, or kUnmoved
  LineVector<float> deltas;      // [blocks moved][components][lanes]
};

struct FastSkin::State {
  const FastKernels* kernels = nullptr;
  FastSkinOptions options;
  SkinBlocks blocks;
  std::size_t joint_count = 0;
  bool normals = false;
  bool unit_normals = false;  // all of the shape's
  bool tangents = false;
  LineVector<float> shape;  // as it is skinned
  LineVector<float> base;   // before morphing, once a target was active
  std::vector<FastMorphTarget> targets;
  std::vector<float> morph_weights;
  std::vector<std::uint8_t> changed;  // [blocks] by the last weights
  std::vector<int> joint_ranks;
  std::vector<std::uint32_t> named;  // [joint_count + 1] by how many blocks
  std::vector<std::uint16_t> used;   // joints that vertices follow, ascending; the identity's is joint_count
  LineVector<float> palette;
  LineVector<float> palette_per_unit;  // see FastCall; with weights of 16 bits alone
  LineVector<float> motions;
  LineVector<float> size;
  std::vector<std::uint16_t> heaviest;  // made when variant e or motions ask for it
  std::vector<FastRange> ranges;        // one per chunk
  // Since the last run(): what update_rows() wrote, and whether what it had found holds for the rest.
  std::vector<char> stale;             // [chunks]
  bool complete = false;               // `ranges` are all of the kernels
  std::vector<std::uint32_t> written;  // chunks, by the last run
  // Windows whose vertices stand in lanes that earlier rows had asked for.
  std::vector<char> loose;  // [windows]
  std::size_t loose_count = 0;

  [[nodiscard]] std::size_t components() const { return 3u + (normals ? 3u : 0u) + (tangents ? 4u : 0u); }
  [[nodiscard]] std::size_t block_floats() const { return components() * blocks.lanes; }
  // Of all blocks' lanes, the one that holds vertex v; lanes beyond the last vertex hold it, too.
  [[nodiscard]] std::size_t slot(std::size_t v) const {
    const std::size_t per_window = blocks.vertices_per_window();
    return v / per_window * per_window + blocks.lane[v];
  }
  // Where the first component of a slot stands; the others follow at a distance of as many floats as there are lanes.
  [[nodiscard]] std::size_t place(std::size_t slot) const {
    return slot / blocks.lanes * block_floats() + slot % blocks.lanes;
  }
  void read(std::size_t v, glm::vec3& position, glm::vec3& normal, glm::vec4& tangent) const;
  void load_target(const mesh::MorphTarget& target, FastMorphTarget& out) const;
  void find_heaviest(const mesh::Influences& influences);
  [[nodiscard]] std::size_t bytes_read() const { return shape.size() * sizeof(float) + blocks.bytes(); }
  // What does not depend on the pose.
  [[nodiscard]] FastCall call_of(const SkinOutput& output) const;
  [[nodiscard]] std::size_t windows_per_chunk() const { return kSkinnedPerChunk / blocks.vertices_per_window(); }
  [[nodiscard]] std::size_t chunk_count() const {
    return (blocks.vertex_count + kSkinnedPerChunk - 1) / kSkinnedPerChunk;
  }
  [[nodiscard]] std::span<const std::uint16_t> list(std::size_t block) const {
    return {blocks.joints.data() + blocks.blocks[block].first_joint, blocks.blocks[block].joint_count};
  }
  // The vertex that a slot holds; beyond the last one, that.
  [[nodiscard]] std::size_t vertex_of(std::size_t slot) const {
    const std::size_t per_window = blocks.vertices_per_window();
    return std::min(slot / per_window * per_window + blocks.vertex[slot], blocks.vertex_count - 1);
  }
  bool find_used();
  void rewrite(const mesh::Influences& now, std::span<const std::uint32_t> which);
  void move_lanes(std::size_t window, std::span<const std::uint8_t> lane_before);
  void move_deltas(FastMorphTarget& target, std::size_t window, std::span<const std::uint8_t> lane_before) const;
  void settle(const mesh::Influences& now, std::span<const std::uint32_t> windows,
              std::vector<std::uint32_t>& to_rewrite);
  void skin_chunks(const SkinInput& input, FastCall& call, std::span<const std::uint32_t> chunks, bool ranged);
  bool load_pose(const SkinInput& input, FastCall& call);
  void skin_plainly(const SkinInput& input, const SkinOutput& output) const;
  void write_reference(const SkinInput& input, std::size_t v, const glm::mat4& blended, const VertexRow& row,
                       float* position, float* normal, float* tangent) const;
};

}  // namespace pelt::deform
