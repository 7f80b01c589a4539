#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "deform/settings.h"
#include "deform/skin_blocks.h"

// The vector kernels behind FastSkin: one source, compiled once per instruction set.

namespace pelt::deform {

/// Floats per joint of a fast palette: a matrix as three rows of four, or what pack_dual_quats() writes.
inline constexpr std::size_t kAffineFloats = 12;
inline constexpr std::size_t kMotionFloats = 20;

/// Units of 16-bit weights (BlockWeights::kUnorm16) that make one.
inline constexpr float kWeightUnits = 65535.0f;

/// What a kernel blends: matrices, or dual quaternions, with or without stretches before them.
enum class FastBlend { kMatrices, kMotions, kStretchedMotions };

/// What a fast kernel reads and writes. Nothing is owned.
struct FastCall {
  const SkinBlocks* blocks = nullptr;
  const float* shape = nullptr;  ///< [blocks][components][lanes]: position xyz, normal xyz, tangent xyzw
  bool normals = false;
  bool unit_normals = false;  ///< all of the shape are one long; tells nothing new where tangents are asked for, too
  bool tangents = false;
  FastBlend blend = FastBlend::kMatrices;
  bool antipodality = true;        ///< of motions
  const float* palette = nullptr;  ///< [joint_count + 1] of kAffineFloats or kMotionFloats
  /// [joint_count + 1] of kAffineFloats, where matrices are blended: those of the palette divided by kWeightUnits where
  /// weights have 16 bits, so that they can be taken as they are stored, else the palette itself. Times kWeightUnits
  /// these are the palette bit by bit, so copies of a vertex meet whatever lists their blocks have.
  const float* palette_per_unit = nullptr;
  const float* size = nullptr;  ///< [joint_count + 1] 1 / VertexFrame::inverse_size
  float smallest = 1.0f;        ///< the smallest and the largest size of joints that vertices follow
  float largest = 1.0f;
  const std::uint16_t* heaviest = nullptr;  ///< [blocks][lanes] joint each lane follows most; variant e, motions
  NormalVariant variant = NormalVariant::kInverseTransposeOfBlend;
  bool far = false;                ///< what is read lies beyond the second-level cache, so it is asked for early
  bool stream = false;             ///< results go past the caches where a kernel can; they begin on 64 bytes then
  float* out_positions = nullptr;  ///< [V * 3]
  float* out_normals = nullptr;    ///< [V * 3] or null
  float* out_tangents = nullptr;   ///< [V * 4] or null
  /// Computes the vertex by the plain kernel: lanes whose blend is close to a threshold.
  void (*reference)(const void* context, std::size_t v, float* position, float* normal, float* tangent) = nullptr;
  const void* context = nullptr;
};

/// Range of positions; means nothing unless `known`: where all were finite and the kernel's own.
struct FastRange {
  float lower[3];
  float upper[3];
  bool known = true;
};

/// The kernels of one instruction set.
struct FastKernels {
  std::string_view name;  ///< as Highway calls it: SSE4, AVX2, AVX3, NEON
  std::uint32_t lanes;    ///< of SkinBlocks
  /// Joint matrices (16 floats each, by columns) as rows, and their sizes, of the `count` joints named; each stands in
  /// the place its number says.
  /// @param rows_per_unit  null, or the rows divided by kWeightUnits; `rows` are then these times kWeightUnits
  /// @return whether all are finite
  bool (*pack_affine)(const float* matrices, const std::uint16_t* joints, std::size_t count, float* rows, float* size,
                      float* rows_per_unit);
  /// Morph targets: out = base + sum of weight times delta, each rounded as the plain loop does.
  /// @pre  count is a multiple of `lanes`, all pointers are aligned to a vector
  void (*add_deltas)(const float* base, const float* const* deltas, const float* weights, std::size_t target_count,
                     std::size_t count, float* out);
  /// Skins windows [begin, end); `range`, if given, is widened.
  void (*skin)(const FastCall& call, std::size_t begin, std::size_t end, FastRange* range);
  /// Reads what skin() reads of windows [begin, end) and writes as much as it writes, in its order and almost without
  /// arithmetic, past the caches where call.stream: what memory alone would take. A last block that is not full stays.
  /// @return  something of all weights, so that no compiler can leave their reading out
  /// @pre  what is written is aligned to 64 bytes
  float (*floor)(const FastCall& call, std::size_t begin, std::size_t end);
  /// Reads all of `from` and writes all of `to`, past the caches where `stream`, without arithmetic: what a kernel is
  /// measured against.
  /// @return  something of all that was read, so that no compiler can leave the reading out
  /// @pre  from_count >= to_count, both multiples of 16, both pointers aligned to 64 bytes
  float (*copy)(const float* from, std::size_t from_count, float* to, std::size_t to_count, bool stream);
};

/// Those this machine can run, best first; empty where there is none (a processor without SSE4).
std::span<const FastKernels> fast_kernels();

}  // namespace pelt::deform
