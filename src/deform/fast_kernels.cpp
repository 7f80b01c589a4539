// Skinning of whole registers of vertices: matrices or dual quaternions. Source of the layout and the palette lookup:
// measurements in cli/kernel_benchmark.md. Formulas and thresholds are those of vertex_frame.h, in the same order but
// for fused multiply-adds, the normals of blocks of one joint, and matrices that are divided by the units of 16-bit
// weights, which moves a last bit; a lane close to a threshold, where one could decide otherwise, is handed to the
// plain kernel.

#include "deform/fast_kernels.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/fast_kernels.cpp"
// Each set costs compile time, so SSSE3 goes without, and under the sanitizers, which see the same lines with AVX2,
// SSE4 too; vectors whose length only the machine knows cannot be kept in arrays.
#ifdef __SANITIZE_ADDRESS__
#define PELT_SPARED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#else
#define PELT_SPARED_TARGETS HWY_SSSE3
#endif
#define HWY_DISABLED_TARGETS (PELT_SPARED_TARGETS | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// The target of this pass over the file has AVX-512: better ones have lower numbers.
#undef PELT_AVX512
#define PELT_AVX512 (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)

HWY_BEFORE_NAMESPACE();
namespace pelt::deform::HWY_NAMESPACE {
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR

// Without vector registers the plain kernels are as good.
FastKernels kernels() {
  return {.name = {},
          .lanes = 0,
          .pack_affine = nullptr,
          .add_deltas = nullptr,
          .skin = nullptr,
          .floor = nullptr,
          .copy = nullptr};
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
using Integers = hn::Rebind<std::int32_t, D>;
constexpr std::size_t kLanes = hn::MaxLanes(D());
static_assert(kLanes == 4 || kLanes == 8 || kLanes == 16);
constexpr std::size_t kBlocks = blocks_per_window(kLanes);
constexpr std::size_t kWindow = kBlocks * kLanes;
// Blocks that go through a kernel's passes together: see skin_windows().
constexpr std::size_t kBatch = kLanes == 16 ? 1 : 8;
static_assert(kBlocks % kBatch == 0);

constexpr std::size_t kBlocksAhead = 8;  // in which memory answers

// Directions that a blend shortens below a thousandth (squared here) are the plain kernel's: there the last bits, which
// differ, would show.
constexpr float kShortened = 1e-6f;
// |cof(A) n| is at least |det A| / |A| for |n| = 1, and |A| at most the square root of three times the size of the
// largest joint, as weights are positive and their sum is one. So determinants above this, over that size cubed,
// shorten no direction by more than a thousandth, though `upright` moves them by a millionth.
constexpr float kFlattened = 1.8e-3f;
static_assert(kFlattened > 1.7321f * 1e-3f + 1e-6f && kShortened <= 1e-3f * 1e-3f * 1.0001f);
// kLeastSquare of vertex_frame.h: squares below are as good as zero.
constexpr float kNoLength = 1e-30f;
// A sum of dual quaternions that cancels to less than a tenth (squared here) has lost a digit.
constexpr float kCancelledMotion = 1e-2f;

/// 1 / sqrt(x), to about 2e-7 relative, from a first guess; x > 0 and normal.
HWY_INLINE V refined_inverse_root(V x, V guess) {
  const D d;
  V y = guess;
  const int steps = HWY_ARCH_ARM ? 2 : 1;
  for (int step = 0; step < steps; ++step) {
    // Halved by its exponent, in units that do not multiply.
    const Integers integers;
    const V half = hn::BitCast(d, hn::Sub(hn::BitCast(integers, y), hn::Set(integers, 1 << 23)));
    y = hn::MulAdd(half, hn::NegMulAdd(hn::Mul(x, y), y, hn::Set(d, 1.0f)), y);
  }
  return y;
}

/// The same without one.
HWY_INLINE V inverse_root(V x) {
  return refined_inverse_root(x, hn::ApproximateReciprocalSqrt(x));
}

/// 1 / x, to about 2e-7 relative; x normal.
HWY_INLINE V inverse(V x) {
  const D d;
  V y = hn::ApproximateReciprocal(x);
  const int steps = HWY_ARCH_ARM ? 2 : 1;
  for (int step = 0; step < steps; ++step) {
    y = hn::Mul(y, hn::NegMulAdd(x, y, hn::Set(d, 2.0f)));
  }
  return y;
}

/// Lanes where x > least does not hold, those of what is not a number among them.
HWY_INLINE M not_above(V x, V least) {
#if PELT_AVX512
  return M{_mm512_cmp_ps_mask(x.raw, least.raw, _CMP_NGT_UQ)};
#else
  return hn::Not(hn::Gt(x, least));
#endif
}

HWY_INLINE V dot(const V a[3], const V b[3]) {
  return hn::MulAdd(a[2], b[2], hn::MulAdd(a[1], b[1], hn::Mul(a[0], b[0])));
}

HWY_INLINE void cross(const V a[3], const V b[3], V out[3]) {
  out[0] = hn::MulSub(a[1], b[2], hn::Mul(a[2], b[1]));
  out[1] = hn::MulSub(a[2], b[0], hn::Mul(a[0], b[2]));
  out[2] = hn::MulSub(a[0], b[1], hn::Mul(a[1], b[0]));
}

HWY_INLINE V times_row(const V row[3], const V v[3]) {
  return hn::MulAdd(row[2], v[2], hn::MulAdd(row[1], v[1], hn::Mul(row[0], v[0])));
}

/// A group of weights in the units in which they are stored.
HWY_INLINE V load_units(const float* HWY_RESTRICT weights) {
  return hn::Load(D(), weights);
}

HWY_INLINE V load_units(const std::uint16_t* HWY_RESTRICT weights) {
  const hn::Rebind<std::uint16_t, D> halves;
  return hn::ConvertTo(D(), hn::PromoteTo(Integers(), hn::Load(halves, weights)));
}

/// Group `group` of weights as parts of one.
HWY_INLINE V load_weights(const SkinBlocks& blocks, std::size_t group) {
  if (blocks.format == BlockWeights::kFloat) {
    return load_units(blocks.weights.data() + group * kLanes);
  }
  return hn::Mul(load_units(blocks.weights16.data() + group * kLanes), hn::Set(D(), 1.0f / kWeightUnits));
}

/// Each lane's blend of the matrices of several joints, by rows.
/// @param joints   `count` of them, at least two
/// @param weights  as many groups
/// @param between  called with 0, 1, 2 and 3, in this order, among the multiplications: what else there is to do, so
///                 that it waits for its own results while those go on
template <class Weight, class Between>
HWY_INLINE void blend_several(const float* HWY_RESTRICT palette_per_unit, const std::uint16_t* HWY_RESTRICT joints,
                              std::size_t count, const Weight* HWY_RESTRICT weights, V b[kAffineFloats],
                              Between&& between) {
  const D d;
  const auto add = [&](std::size_t u) {
    const V weight = load_units(weights + u * kLanes);
    const float* HWY_RESTRICT matrix = palette_per_unit + joints[u] * kAffineFloats;
    for (std::size_t e = 0; e < kAffineFloats; ++e) {
      b[e] = u == 0 ? hn::Mul(weight, hn::Set(d, matrix[e])) : hn::MulAdd(weight, hn::Set(d, matrix[e]), b[e]);
    }
  };
  add(0);
  between(0);
  add(1);
  between(1);
  if (count > 2) {
    add(2);
  }
  between(2);
  for (std::size_t u = 3; u < count; ++u) {
    add(u);
  }
  between(3);
}

/// Every lane's matrix is that of one joint.
HWY_INLINE void blend_one(const float* HWY_RESTRICT matrix, V b[kAffineFloats]) {
  for (std::size_t e = 0; e < kAffineFloats; ++e) {
    b[e] = hn::Set(D(), matrix[e]);
  }
}

/// Each lane's blend of the matrices of the block's joints, by rows.
HWY_INLINE void blend(const FastCall& call, const SkinBlocks::Block& block, V b[kAffineFloats]) {
  const SkinBlocks& blocks = *call.blocks;
  const std::uint16_t* joints = blocks.joints.data() + block.first_joint;
  const std::size_t first = block.weight_group * kLanes;
  const auto nothing = [](int) {};
  if (block.joint_count == 1) {
    blend_one(call.palette + joints[0] * kAffineFloats, b);
  } else if (blocks.format == BlockWeights::kFloat) {
    blend_several(call.palette_per_unit, joints, block.joint_count, blocks.weights.data() + first, b, nothing);
  } else {
    blend_several(call.palette_per_unit, joints, block.joint_count, blocks.weights16.data() + first, b, nothing);
  }
}

#if PELT_AVX512
// Of 16 lanes of x, y and z interleaved each of the three registers takes every third lane of a component, and as 16 is
// no multiple of 3, the lanes it takes never meet. So each component is permuted once and the registers are blended.
struct Interleaving {
  std::int32_t lane[3][16];  // of component c, output lane i: the vertex it takes
};
constexpr Interleaving make_interleaving() {
  Interleaving out{};
  for (int i = 0; i < 48; ++i) {
    out.lane[i % 3][i % 16] = i / 3;
  }
  return out;
}
alignas(64) constexpr Interleaving kInterleaving = make_interleaving();

/// Every third lane, from lane 0, 1 and 2 on, made once for a kernel: compilers would otherwise make them anew with
/// each block, in the units that multiply.
struct Thirds {
  __mmask16 first = 0x9249;
  __mmask16 second = 0x2492;
  __mmask16 third = 0x4924;
  Thirds() { asm("" : "+Yk"(first), "+Yk"(second), "+Yk"(third)); }  // no longer constants
};

HWY_INLINE void store_line(__m512 line, bool stream, float* HWY_RESTRICT out) {
  if (stream) {
    _mm512_stream_ps(out, line);
  } else {
    _mm512_storeu_ps(out, line);
  }
}

HWY_INLINE void store_blended(const __m512 turned[3], const Thirds& thirds, bool stream, float* HWY_RESTRICT out) {
  // Register j begins with component j.
  const __m512 xy[3] = {_mm512_mask_blend_ps(thirds.second, turned[0], turned[1]),
                        _mm512_mask_blend_ps(thirds.first, turned[0], turned[1]),
                        _mm512_mask_blend_ps(thirds.third, turned[0], turned[1])};
  store_line(_mm512_mask_blend_ps(thirds.third, xy[0], turned[2]), stream, out);
  store_line(_mm512_mask_blend_ps(thirds.second, xy[1], turned[2]), stream, out + 16);
  store_line(_mm512_mask_blend_ps(thirds.first, xy[2], turned[2]), stream, out + 32);
}
#else
struct Thirds {};
#endif

/// Writes one block of three-component vectors.
HWY_INLINE void store_three(const V v[3], [[maybe_unused]] const Thirds& thirds, [[maybe_unused]] bool stream,
                            float* HWY_RESTRICT out) {
#if PELT_AVX512
  __m512 turned[3];
  for (int c = 0; c < 3; ++c) {
    turned[c] = _mm512_permutexvar_ps(_mm512_load_si512(kInterleaving.lane[c]), v[c].raw);
  }
  store_blended(turned, thirds, stream, out);
#else
  hn::StoreInterleaved3(v[0], v[1], v[2], D(), out);
#endif
}

/// Writes three-component vectors of one block to the places of their vertices.
/// @param vertices  of each lane, within its window
HWY_INLINE void scatter_three(const V v[3], const std::uint8_t* HWY_RESTRICT vertices,
                              [[maybe_unused]] const Thirds& thirds, float* HWY_RESTRICT window) {
#if PELT_AVX512
  // Rows of x, y, z and z again, each fourth lane's in one register; the fourth element is not written.
  const __m512 low = _mm512_unpacklo_ps(v[0].raw, v[1].raw);
  const __m512 high = _mm512_unpackhi_ps(v[0].raw, v[1].raw);
  const __m512 rows[4] = {_mm512_shuffle_ps(low, v[2].raw, _MM_SHUFFLE(0, 0, 1, 0)),
                          _mm512_shuffle_ps(low, v[2].raw, _MM_SHUFFLE(1, 1, 3, 2)),
                          _mm512_shuffle_ps(high, v[2].raw, _MM_SHUFFLE(2, 2, 1, 0)),
                          _mm512_shuffle_ps(high, v[2].raw, _MM_SHUFFLE(3, 3, 3, 2))};
  constexpr __mmask8 kThree = 7;
  for (std::size_t i = 0; i < 4; ++i) {
    _mm_mask_storeu_ps(window + std::size_t{3} * vertices[i], kThree, _mm512_castps512_ps128(rows[i]));
    _mm_mask_storeu_ps(window + std::size_t{3} * vertices[i + 4], kThree, _mm512_extractf32x4_ps(rows[i], 1));
    _mm_mask_storeu_ps(window + std::size_t{3} * vertices[i + 8], kThree, _mm512_extractf32x4_ps(rows[i], 2));
    _mm_mask_storeu_ps(window + std::size_t{3} * vertices[i + 12], kThree, _mm512_extractf32x4_ps(rows[i], 3));
  }
#else
  HWY_ALIGN float rows[3 * kLanes];
  store_three(v, thirds, false, rows);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::memcpy(window + std::size_t{3} * vertices[lane], rows + 3 * lane, 3 * sizeof(float));
  }
#endif
}

/// The same of four components.
HWY_INLINE void scatter_four(const V v[4], const std::uint8_t* HWY_RESTRICT vertices, float* HWY_RESTRICT window) {
  HWY_ALIGN float rows[4 * kLanes];
  hn::StoreInterleaved4(v[0], v[1], v[2], v[3], D(), rows);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::memcpy(window + std::size_t{4} * vertices[lane], rows + 4 * lane, 4 * sizeof(float));
  }
}

/// Writes vectors of `kFloats` components of the block `at` to where its vertices go.
/// @param window  of the block's window, its first vertex
template <std::size_t kFloats>
HWY_INLINE void put(const SkinBlocks& blocks, std::size_t at, const V v[kFloats], const Thirds& thirds,
                    float* HWY_RESTRICT window) {
  const auto store = [&](float* HWY_RESTRICT to) {
    if constexpr (kFloats == 3) {
      store_three(v, thirds, false, to);
    } else {
      hn::StoreInterleaved4(v[0], v[1], v[2], v[3], D(), to);
    }
  };
  if (kLanes == kMostBlockLanes && blocks.blocks[at].scattered) {
    const std::uint8_t* const vertices = blocks.vertex.data() + at * kLanes;
    if constexpr (kFloats == 3) {
      scatter_three(v, vertices, thirds, window);
    } else {
      scatter_four(v, vertices, window);
    }
    return;
  }
  float* const to = window + at % kBlocks * kLanes * kFloats;
  const std::size_t left = blocks.vertex_count - at * kLanes;
  if (HWY_LIKELY(left >= kLanes)) {
    store(to);
    return;
  }
  HWY_ALIGN float last[kFloats * kLanes];
  store(last);
  std::memcpy(to, last, left * kFloats * sizeof(float));
}

/// Positions of the lanes seen so far. No arrays: compilers keep those in memory from block to block.
struct LaneRange {
  V lower_x, lower_y, lower_z;
  V upper_x, upper_y, upper_z;
  V odd;  // zero, or not a number once a position was not finite
  LaneRange() {
    const D d;
    lower_x = lower_y = lower_z = hn::Set(d, std::numeric_limits<float>::max());
    upper_x = upper_y = upper_z = hn::Set(d, std::numeric_limits<float>::lowest());
    odd = hn::Zero(d);
  }
  HWY_INLINE void add(const V p[3]) {
    lower_x = hn::Min(lower_x, p[0]);
    lower_y = hn::Min(lower_y, p[1]);
    lower_z = hn::Min(lower_z, p[2]);
    upper_x = hn::Max(upper_x, p[0]);
    upper_y = hn::Max(upper_y, p[1]);
    upper_z = hn::Max(upper_z, p[2]);
    const V sum = hn::Add(hn::Add(p[0], p[1]), p[2]);
    odd = hn::Add(odd, hn::Sub(sum, sum));
  }
  void widen(FastRange& range) const {
    const D d;
    const V lower[3] = {lower_x, lower_y, lower_z};
    const V upper[3] = {upper_x, upper_y, upper_z};
    for (int c = 0; c < 3; ++c) {
      range.lower[c] = HWY_MIN(range.lower[c], hn::GetLane(hn::MinOfLanes(d, lower[c])));
      range.upper[c] = HWY_MAX(range.upper[c], hn::GetLane(hn::MaxOfLanes(d, upper[c])));
    }
    range.known = range.known && hn::AllTrue(d, hn::Eq(odd, odd));
  }
};

/// Which attributes a kernel computes besides positions, and how.
/// @tparam kUnitNormals  whether it counts on FastCall::unit_normals
template <bool kNormals, bool kTangents, NormalVariant kVariant, FastBlend kBlend = FastBlend::kMatrices,
          bool kUnitNormals = false>
struct Work {
  static constexpr bool motions = kBlend != FastBlend::kMatrices;
  static constexpr bool stretched = kBlend == FastBlend::kStretchedMotions;
  static constexpr bool normals = kNormals;
  static constexpr bool tangents = kTangents;
  static constexpr bool directions = kNormals || kTangents;
  static constexpr bool turns_only = kBlend == FastBlend::kMotions;  // lengths stay
  static constexpr bool unit_normals = kUnitNormals;
  static constexpr bool normals_stay_unit = turns_only && kUnitNormals;
  static constexpr bool by_cofactor = kNormals && kVariant == NormalVariant::kInverseTransposeOfBlend;
  static constexpr bool by_heaviest = kNormals && kVariant == NormalVariant::kLargestWeight;
  static constexpr bool asks_twice = by_cofactor && kUnitNormals && !kTangents;  // see doubts_among()
  static constexpr bool orientation = by_cofactor || (kTangents && kBlend != FastBlend::kMotions);
  static constexpr std::size_t components = 3u + (kNormals ? 3u : 0u) + (kTangents ? 4u : 0u);
};

/// Thresholds of a block, for squares and determinants of matrices that are not divided by the heaviest joint's size
/// (vertex_frame.h, step 4). That size differs between the lanes, so a lane counts as doubtful when it is for any
/// joint.
struct Thresholds {
  float upright;      // what is added to a determinant, so that its sign tells what mirrors
  float orientation;  // sums closer to zero are doubtful
  float cofactor;     // |cof(A) n|^2 over |n|^2
  float flattens;     // a larger |orientation| is neither doubtful nor goes with a cof(A) that shortens so much
  float linear;       // |A n|^2 over |n|^2
  bool all_doubtful;  // sizes so different or small that single precision here would lose what the plain kernel keeps
};

HWY_INLINE Thresholds thresholds_between(float smallest, float largest) {
  const float most = largest * largest;
  // Determinants below surely mirror, those above surely do not.
  const float mirrors = -1.5e-6f * most * largest;
  const float does_not = -0.5e-6f * smallest * smallest * smallest;
  return {.upright = -0.5f * (mirrors + does_not),
          .orientation = 0.5f * (does_not - mirrors),
          .cofactor = kShortened * most * most,
          .flattens = kFlattened * most * largest,
          .linear = kShortened * most,
          .all_doubtful = !(largest <= 16.0f * smallest && smallest > 1e-6f && largest < 1e6f)};
}

HWY_INLINE Thresholds thresholds_of(const FastCall& call, const SkinBlocks::Block& block) {
  const std::uint16_t* joints = call.blocks->joints.data() + block.first_joint;
  float smallest = call.size[joints[0]];
  float largest = smallest;
  for (std::size_t u = 1; u < block.joint_count; ++u) {
    smallest = HWY_MIN(smallest, call.size[joints[u]]);
    largest = HWY_MAX(largest, call.size[joints[u]]);
  }
  return thresholds_between(smallest, largest);
}

/// What turns the normals of a block whose vertices all follow one joint alone.
struct OneJoint {
  float cofactors[3][3];  // of its linear part, by rows
  float determinant;
};

HWY_INLINE OneJoint one_joint(const float* matrix) {
  OneJoint out;
  for (std::size_t r = 0; r < 3; ++r) {
    const float* a = matrix + (r + 1) % 3 * 4;
    const float* b = matrix + (r + 2) % 3 * 4;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t d = (c + 1) % 3;
      const std::size_t e = (c + 2) % 3;
      out.cofactors[r][c] = a[d] * b[e] - a[e] * b[d];
    }
  }
  const float* by_row = out.cofactors[0];
  out.determinant = matrix[0] * by_row[0] + matrix[1] * by_row[1] + matrix[2] * by_row[2];
  return out;
}

/// What its matrices have made of a block, before lengths are made one.
template <class W>
struct Turned {
  V position[3];
  V normal[W::normals ? 3 : 1];
  V tangent[W::tangents ? 3 : 1];
  V orientation;  // where W::orientation: negative where the matrix mirrors
  V scale;        // where W::normals_stay_unit: what makes the normal one long
  Thresholds thresholds;
  HWY_INLINE Turned() {}  // NOLINT: compilers for ARM make the implicit one for a processor without vectors
};

/// Turns the directions of one block by its blended matrix, by rows: steps 4 to 6 of vertex_frame.h without lengths.
/// @param one       by variant d only: what turns the normals where the block has one joint, else null
/// @param heaviest  by variant e only: the linear part of the heaviest joint, row by row
template <class W>
HWY_INLINE void turn_directions(const V b[kAffineFloats], const V heaviest[9], const OneJoint* one,
                                const float* HWY_RESTRICT shape, Turned<W>& out) {
  const D d;
  const V column0[3] = {b[0], b[4], b[8]};
  const V column1[3] = {b[1], b[5], b[9]};
  const V column2[3] = {b[2], b[6], b[10]};
  V across[3];
  if (W::by_cofactor && one != nullptr) {
    out.orientation = hn::Set(d, one->determinant + out.thresholds.upright);
  } else if constexpr (W::orientation) {
    cross(column2, column0, across);
    out.orientation = hn::MulAdd(
        column1[2], across[2],
        hn::MulAdd(column1[1], across[1], hn::MulAdd(column1[0], across[0], hn::Set(d, out.thresholds.upright))));
  }
  if constexpr (W::normals) {
    const V n[3] = {hn::Load(d, shape + 3 * kLanes), hn::Load(d, shape + 4 * kLanes), hn::Load(d, shape + 5 * kLanes)};
    V* const turned = out.normal;
    if (W::by_cofactor && one != nullptr) {
      for (std::size_t r = 0; r < 3; ++r) {
        const float* row = one->cofactors[r];
        turned[r] = hn::MulAdd(hn::Set(d, row[2]), n[2],
                               hn::MulAdd(hn::Set(d, row[1]), n[1], hn::Mul(hn::Set(d, row[0]), n[0])));
      }
    } else if constexpr (W::by_cofactor) {
      // The cofactors times n, a sum of three cross products, with two of them in one: a quarter fewer operations.
      V between[3];
      for (int r = 0; r < 3; ++r) {
        between[r] = hn::NegMulAdd(column0[r], n[2], hn::Mul(column2[r], n[0]));
      }
      for (int r = 0; r < 3; ++r) {
        const int s = (r + 1) % 3;
        const int t = (r + 2) % 3;
        turned[r] = hn::NegMulAdd(column1[t], between[s], hn::MulAdd(column1[s], between[t], hn::Mul(across[r], n[1])));
      }
    } else {
      for (int r = 0; r < 3; ++r) {
        turned[r] = times_row(W::by_heaviest ? heaviest + 3 * r : b + 4 * r, n);
      }
    }
  }
  if constexpr (W::tangents) {
    const float* from = shape + (W::normals ? 6 : 3) * kLanes;
    const V t[3] = {hn::Load(d, from), hn::Load(d, from + kLanes), hn::Load(d, from + 2 * kLanes)};
    for (std::size_t r = 0; r < 3; ++r) {
      out.tangent[r] = times_row(b + 4 * r, t);
    }
  }
}

template <class W>
HWY_INLINE M doubtful_orientation(const Turned<W>& block) {
  const Thresholds& thresholds = block.thresholds;
  return not_above(hn::Abs(block.orientation),
                   hn::Set(D(), W::asks_twice ? thresholds.flattens : thresholds.orientation));
}

/// Lanes whose normals, of this squared length, the plain kernel is to compute; where W::asks_twice, those among which
/// doubts_among() finds them.
template <class W>
HWY_INLINE M doubtful_normals(const Turned<W>& block, const float* HWY_RESTRICT shape, V square) {
  if constexpr (W::asks_twice) {
    return doubtful_orientation<W>(block);
  } else {
    const D d;
    const Thresholds& thresholds = block.thresholds;
    V least = hn::Set(d, W::turns_only ? kNoLength : W::by_cofactor ? thresholds.cofactor : thresholds.linear);
    if constexpr (!W::turns_only && !W::unit_normals) {
      const float* from = shape + 3 * kLanes;
      const V n[3] = {hn::Load(d, from), hn::Load(d, from + kLanes), hn::Load(d, from + 2 * kLanes)};
      least = hn::Max(hn::Mul(dot(n, n), least), hn::Set(d, kNoLength));
    }
    const M shortened = not_above(square, least);
    if constexpr (W::orientation) {
      return hn::Or(doubtful_orientation<W>(block), shortened);
    } else {
      return shortened;
    }
  }
}

/// Makes what turn_directions() left one long, and tangents perpendicular to their normals.
/// @return lanes that the plain kernel is to compute; where W::asks_twice, those among which doubts_among() finds them
template <class W>
HWY_INLINE M finish_directions(const Turned<W>& block, const float* HWY_RESTRICT shape, V out_normal[3],
                               V out_tangent[4]) {
  const D d;
  const Thresholds& thresholds = block.thresholds;
  M doubtful;
  if constexpr (W::normals) {
    const V square = dot(block.normal, block.normal);
    doubtful = doubtful_normals<W>(block, shape, square);
    V length = inverse_root(square);
    if constexpr (W::by_cofactor) {
      length = hn::CopySignToAbs(length, block.orientation);
    }
    for (int r = 0; r < 3; ++r) {
      out_normal[r] = hn::Mul(block.normal[r], length);
    }
  }
  if constexpr (W::tangents) {
    const float* from = shape + (W::normals ? 6 : 3) * kLanes;
    const V t[3] = {hn::Load(d, from), hn::Load(d, from + kLanes), hn::Load(d, from + 2 * kLanes)};
    V turned[3] = {block.tangent[0], block.tangent[1], block.tangent[2]};
    const V square = dot(turned, turned);
    const V least = W::turns_only ? hn::Set(d, kNoLength)
                                  : hn::Max(hn::Mul(dot(t, t), hn::Set(d, thresholds.linear)), hn::Set(d, kNoLength));
    M shortened = not_above(square, least);
    if constexpr (W::normals) {
      shortened = hn::Or(shortened, doubtful);
    } else if constexpr (W::orientation) {
      shortened = hn::Or(shortened, doubtful_orientation<W>(block));
    }
    doubtful = shortened;
    V length = inverse_root(square);
    for (int r = 0; r < 3; ++r) {
      turned[r] = hn::Mul(turned[r], length);
    }
    if constexpr (W::normals) {
      const V along = dot(turned, out_normal);
      for (int r = 0; r < 3; ++r) {
        turned[r] = hn::NegMulAdd(out_normal[r], along, turned[r]);
      }
      const V across = dot(turned, turned);
      doubtful = hn::Or(doubtful, not_above(across, hn::Set(d, kShortened)));
      length = inverse_root(across);
      for (int r = 0; r < 3; ++r) {
        turned[r] = hn::Mul(turned[r], length);
      }
      // Twice, since the first difference may have lost digits.
      const V rest = dot(turned, out_normal);
      for (int r = 0; r < 3; ++r) {
        turned[r] = hn::NegMulAdd(out_normal[r], rest, turned[r]);
      }
      length = inverse_root(dot(turned, turned));
      for (int r = 0; r < 3; ++r) {
        turned[r] = hn::Mul(turned[r], length);
      }
    }
    for (int r = 0; r < 3; ++r) {
      out_tangent[r] = turned[r];
    }
    const V handedness = hn::Load(d, from + 3 * kLanes);
    if constexpr (W::orientation) {
      out_tangent[3] = hn::Xor(handedness, hn::And(block.orientation, hn::SignBit(d)));
    } else {
      out_tangent[3] = handedness;
    }
  }
  return doubtful;
}

/// Of the lanes that one comparison could not clear of doubt, those that are to be doubted: both at once cost every
/// block what only few need.
template <class W>
HWY_INLINE M doubts_among(M lanes, const Turned<W>& block) {
  const D d;
  const M doubtful = hn::Or(not_above(hn::Abs(block.orientation), hn::Set(d, block.thresholds.orientation)),
                            not_above(dot(block.normal, block.normal), hn::Set(d, block.thresholds.cofactor)));
  return block.thresholds.all_doubtful ? lanes : hn::And(lanes, doubtful);
}

/// The motions of a list's joints, each turned to the side of the first one's.
struct Sides {
  bool shared = true;  // whether those sides are any pivot's: all lie within a right angle of each other
  HWY_ALIGN float motion[kMostBlockJoints * 8];
};

HWY_INLINE void find_sides(const FastCall& call, const SkinBlocks::Block& block, Sides& sides) {
  constexpr float kEighthTurn = 0.7072f;  // above the cosine: two of them stay below a right angle
  const hn::CappedTag<float, 4> four;
  const std::uint16_t* joints = call.blocks->joints.data() + block.first_joint;
  const float* first = call.palette + joints[0] * kMotionFloats;
  float least = 1.0f;
  for (std::size_t u = 0; u < block.joint_count; ++u) {
    const float* q = call.palette + joints[u] * kMotionFloats;
    const float cosine = first[0] * q[0] + first[1] * q[1] + first[2] * q[2] + first[3] * q[3];
    // Without branches: signs come in no order that a processor could learn.
    const auto sign = hn::Set(four, std::copysign(0.0f, call.antipodality ? cosine : 1.0f));
    hn::Store(hn::Xor(hn::Load(four, q), sign), four, sides.motion + u * 8);
    hn::Store(hn::Xor(hn::Load(four, q + 4), sign), four, sides.motion + u * 8 + 4);
    least = HWY_MIN(least, std::abs(cosine));
  }
  sides.shared = !call.antipodality || least >= kEighthTurn;
}

/// The first four floats of the joints that a block's lanes follow most.
HWY_INLINE void load_pivots(const FastCall& call, const std::uint16_t* HWY_RESTRICT joints, V pivot[4]) {
  const hn::CappedTag<float, 4> four;
  HWY_ALIGN float rows[kLanes * 4];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    hn::Store(hn::Load(four, call.palette + joints[lane] * kMotionFloats), four, rows + lane * 4);
  }
  hn::LoadInterleaved4(D(), rows, pivot[0], pivot[1], pivot[2], pivot[3]);
}

/// Each lane's blend of the motions of the block's joints, as a matrix by rows: dual_quat_blend(). A blend turned to
/// the other side is the same motion, so one side serves all lanes of a block where that can be.
/// @param heaviest  the joints that the block's lanes follow most
/// @param scale     out; where nothing is stretched, what the matrix has yet to be multiplied by
/// @return lanes that the plain kernel is to compute
template <class W>
HWY_INLINE M blend_motions(const FastCall& call, const SkinBlocks::Block& block, const Sides& sides,
                           const std::uint16_t* HWY_RESTRICT heaviest, V b[kAffineFloats], V& scale) {
  const D d;
  const SkinBlocks& blocks = *call.blocks;
  const std::uint16_t* HWY_RESTRICT joints = blocks.joints.data() + block.first_joint;
  V q[8];
  V stretch[kAffineFloats];
  M doubtful = hn::MaskFromVec(hn::Zero(d));
  V weight = block.joint_count == 1 ? hn::Set(d, 1.0f) : load_weights(blocks, block.weight_group);
  if constexpr (W::stretched) {
    const float* HWY_RESTRICT joint = call.palette + joints[0] * kMotionFloats;
    for (std::size_t e = 0; e < kAffineFloats; ++e) {
      stretch[e] = hn::Mul(weight, hn::Set(d, joint[8 + e]));
    }
  }
  const auto add_stretch = [&](std::size_t u) {
    if constexpr (W::stretched) {
      const float* HWY_RESTRICT joint = call.palette + joints[u] * kMotionFloats;
      for (std::size_t e = 0; e < kAffineFloats; ++e) {
        stretch[e] = hn::MulAdd(weight, hn::Set(d, joint[8 + e]), stretch[e]);
      }
    }
  };
  if (HWY_LIKELY(sides.shared)) {
    const float* HWY_RESTRICT motion = sides.motion;
    for (std::size_t c = 0; c < 8; ++c) {
      q[c] = hn::Mul(weight, hn::Set(d, motion[c]));
    }
    for (std::size_t u = 1; u < block.joint_count; ++u) {
      motion += 8;
      weight = load_weights(blocks, block.weight_group + u);
      for (std::size_t c = 0; c < 8; ++c) {
        q[c] = hn::MulAdd(weight, hn::Set(d, motion[c]), q[c]);
      }
      add_stretch(u);
    }
  } else {
    V pivot[4];
    load_pivots(call, heaviest, pivot);
    for (V& component : q) {
      component = hn::Zero(d);
    }
    for (std::size_t u = 0; u < block.joint_count; ++u) {
      const float* HWY_RESTRICT joint = call.palette + joints[u] * kMotionFloats;
      if (u > 0) {
        weight = load_weights(blocks, block.weight_group + u);
        add_stretch(u);
      }
      V cosine = hn::Mul(pivot[0], hn::Set(d, joint[0]));
      for (std::size_t c = 1; c < 4; ++c) {
        cosine = hn::MulAdd(pivot[c], hn::Set(d, joint[c]), cosine);
      }
      const V beyond = hn::Add(cosine, hn::Set(d, 1e-6f));  // side_of()
      const V turned = hn::IfThenElse(hn::Lt(beyond, hn::Zero(d)), hn::Neg(weight), weight);
      doubtful = hn::Or(doubtful, hn::And(hn::Lt(hn::Abs(beyond), hn::Set(d, 5e-7f)), hn::Gt(weight, hn::Zero(d))));
      for (std::size_t c = 0; c < 8; ++c) {
        q[c] = hn::MulAdd(turned, hn::Set(d, joint[c]), q[c]);
      }
    }
  }
  const V ww = hn::Mul(q[3], q[3]);
  const V square = hn::Add(dot(q, q), ww);
  doubtful = hn::Or(doubtful, hn::Not(hn::Gt(square, hn::Set(d, kCancelledMotion))));
  // Everything below is `square` times what it stands for, so nothing waits for the division.
  scale = inverse(square);
  const V x2 = hn::Add(q[0], q[0]);
  const V y2 = hn::Add(q[1], q[1]);
  const V z2 = hn::Add(q[2], q[2]);
  const V xy = hn::Mul(q[0], y2);
  const V xz = hn::Mul(q[0], z2);
  const V yz = hn::Mul(q[1], z2);
  const V xx = hn::Mul(q[0], q[0]);
  const V yy = hn::Mul(q[1], q[1]);
  const V zz = hn::Mul(q[2], q[2]);
  b[0] = hn::Sub(hn::Add(ww, xx), hn::Add(yy, zz));
  b[1] = hn::NegMulAdd(q[3], z2, xy);
  b[2] = hn::MulAdd(q[3], y2, xz);
  b[4] = hn::MulAdd(q[3], z2, xy);
  b[5] = hn::Sub(hn::Add(ww, yy), hn::Add(xx, zz));
  b[6] = hn::NegMulAdd(q[3], x2, yz);
  b[8] = hn::NegMulAdd(q[3], y2, xz);
  b[9] = hn::MulAdd(q[3], x2, yz);
  b[10] = hn::Sub(hn::Add(ww, zz), hn::Add(xx, yy));
  V across[3];
  cross(q, q + 4, across);
  for (std::size_t r = 0; r < 3; ++r) {
    const V half = hn::NegMulAdd(q[7], q[r], hn::MulAdd(q[3], q[4 + r], across[r]));
    b[4 * r + 3] = hn::Add(half, half);
  }
  if constexpr (W::stretched) {
    for (std::size_t r = 0; r < 3; ++r) {
      const V turn[3] = {b[4 * r], b[4 * r + 1], b[4 * r + 2]};
      for (std::size_t c = 0; c < 4; ++c) {
        const V column[3] = {stretch[c], stretch[4 + c], stretch[8 + c]};
        const V product = times_row(turn, column);
        b[4 * r + c] = hn::Mul(c == 3 ? hn::Add(product, b[4 * r + 3]) : product, scale);
      }
    }
  }
  return doubtful;
}

/// By variant e: the linear parts of the joints that a block's lanes follow most, row by row.
HWY_INLINE void load_heaviest(const FastCall& call, const std::uint16_t* HWY_RESTRICT joints, V heaviest[9]) {
  const hn::CappedTag<float, 4> four;
  HWY_ALIGN float rows[3][kLanes * 4];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t r = 0; r < 3; ++r) {
      hn::Store(hn::Load(four, call.palette + joints[lane] * kAffineFloats + r * 4), four, rows[r] + lane * 4);
    }
  }
  for (std::size_t r = 0; r < 3; ++r) {
    V translation;
    hn::LoadInterleaved4(D(), rows[r], heaviest[3 * r], heaviest[3 * r + 1], heaviest[3 * r + 2], translation);
  }
}

/// What the plain kernel is to compute of a lane.
constexpr float kDirectionsInDoubt = 1.0f;
constexpr float kAllInDoubt = 2.0f;

/// Lets the plain kernel compute the lanes that `doubtful` flags, and writes them into the finished window.
/// @return whether any position was among what it wrote
HWY_NOINLINE bool refer(const FastCall& call, std::size_t window, const float* doubtful, float* positions,
                        float* normals, float* tangents) {
  bool moved = false;
  const std::uint8_t* lane_of = call.blocks->lane.data() + window * kWindow;
  for (std::size_t at = 0; at < kWindow; ++at) {
    const std::size_t v = window * kWindow + at;
    if (v >= call.blocks->vertex_count) {
      break;
    }
    if (doubtful[lane_of[at]] == 0.0f) {
      continue;
    }
    float position[3] = {};
    float normal[3] = {};
    float tangent[4] = {};
    call.reference(call.context, v, position, normal, tangent);
    if (doubtful[lane_of[at]] == kAllInDoubt) {
      std::memcpy(positions + at * 3, position, sizeof(position));
      moved = true;
    }
    if (call.normals) {
      std::memcpy(normals + at * 3, normal, sizeof(normal));
    }
    if (call.tangents) {
      std::memcpy(tangents + at * 4, tangent, sizeof(tangent));
    }
  }
  return moved;
}

/// Where what is read of blocks lies.
struct Source {
  const SkinBlocks::Block* blocks;
  std::size_t block_count;
  const float* shape;
  const char* weights;
  std::size_t block_bytes;  // of the shape
  std::size_t group_bytes;  // of weights

  Source(const FastCall& call, std::size_t components)
      : blocks(call.blocks->blocks.data()),
        block_count(call.blocks->blocks.size()),
        shape(call.shape),
        block_bytes(components * kLanes * sizeof(float)) {
    const bool floats = call.blocks->format == BlockWeights::kFloat;
    weights = floats ? reinterpret_cast<const char*>(call.blocks->weights.data())
                     : reinterpret_cast<const char*>(call.blocks->weights16.data());
    group_bytes = kLanes * (floats ? sizeof(float) : sizeof(std::uint16_t));
  }

  /// Asks for what the block kBlocksAhead of this one reads. The hardware does so by itself, but stops at the end of
  /// each page.
  HWY_INLINE void fetch_ahead(std::size_t this_one) const {
    const std::size_t at = HWY_MIN(this_one + kBlocksAhead, block_count - 1);
    const char* const from = reinterpret_cast<const char*>(shape) + at * block_bytes;
    for (std::size_t byte = 0; byte < block_bytes; byte += 64) {
      hwy::Prefetch(from + byte);
    }
    const SkinBlocks::Block& block = blocks[at];
    if (block.joint_count > 1) {
      const char* const group = weights + block.weight_group * group_bytes;
      for (std::size_t byte = 0; byte < block.joint_count * group_bytes; byte += 64) {
        hwy::Prefetch(group + byte);
      }
    }
  }
};

/// Lanes of one window that the plain kernel is to compute, and what of them.
struct Doubts {
  bool any = false;  // otherwise `lanes` means nothing
  HWY_ALIGN float lanes[kWindow];

  HWY_INLINE void add(std::size_t block, M doubtful, float what) {
    const D d;
    if (!any) {
      for (std::size_t lane = 0; lane < kWindow; lane += kLanes) {
        hn::Store(hn::Zero(d), d, lanes + lane);
      }
      any = true;
    }
    float* const of = lanes + block % kBlocks * kLanes;
    hn::Store(hn::Max(hn::IfThenElseZero(doubtful, hn::Set(d, what)), hn::Load(d, of)), d, of);
  }
};

/// What depends on a block's list of joints alone, so that blocks in a row that share one share this.
struct List {
  std::uint32_t first_joint = std::numeric_limits<std::uint32_t>::max();
  Thresholds thresholds;
  OneJoint one;
  Sides sides;
};

/// Finds what depends on the block's list of joints, unless `list` is of the same one.
/// @param alike  whether the list's thresholds are those of all lists
template <class W>
HWY_INLINE void renew(const FastCall& call, const SkinBlocks::Block& block, bool alike, List& list) {
  if (block.first_joint == list.first_joint) {
    return;
  }
  list.first_joint = block.first_joint;
  if constexpr (W::directions && !W::turns_only) {
    if (!alike) {
      list.thresholds = thresholds_of(call, block);
    }
  }
  if constexpr (W::by_cofactor && !W::motions) {
    if (block.joint_count == 1) {
      list.one = one_joint(call.palette + call.blocks->joints[block.first_joint] * kAffineFloats);
    }
  }
  if constexpr (W::motions) {
    find_sides(call, block, list.sides);
  }
}

/// Moves positions by blended matrices.
HWY_INLINE void move_positions(const V b[kAffineFloats], const float* HWY_RESTRICT shape, V out[3]) {
  const D d;
  const V bind[3] = {hn::Load(d, shape), hn::Load(d, shape + kLanes), hn::Load(d, shape + 2 * kLanes)};
  for (std::size_t r = 0; r < 3; ++r) {
    out[r] = hn::MulAdd(b[4 * r], bind[0],
                        hn::MulAdd(b[4 * r + 1], bind[1], hn::MulAdd(b[4 * r + 2], bind[2], b[4 * r + 3])));
  }
}

/// Blends the matrices of the block `at` and applies them.
template <class W>
HWY_INLINE void turn(const FastCall& call, const Source& source, std::size_t at, bool alike, List& list, Doubts& doubts,
                     Turned<W>& out) {
  const D d;
  const SkinBlocks::Block& block = source.blocks[at];
  if (kLanes == 16 && call.far) {
    source.fetch_ahead(at);
  }
  renew<W>(call, block, alike, list);
  const float* HWY_RESTRICT shape = call.shape + at * W::components * kLanes;
  V b[kAffineFloats];
  V scale = hn::Zero(d);
  if constexpr (W::motions) {
    const M lost = blend_motions<W>(call, block, list.sides, call.heaviest + at * kLanes, b, scale);
    if (HWY_UNLIKELY(!hn::AllFalse(d, lost))) {
      doubts.add(at, lost, kAllInDoubt);
    }
  } else {
    blend(call, block, b);
  }
  move_positions(b, shape, out.position);
  for (std::size_t r = 0; W::turns_only && r < 3; ++r) {
    out.position[r] = hn::Mul(out.position[r], scale);
  }
  if constexpr (W::normals_stay_unit) {
    out.scale = scale;
  }
  if constexpr (W::directions) {
    out.thresholds = list.thresholds;
    V heaviest[9];
    if constexpr (W::by_heaviest) {
      load_heaviest(call, call.heaviest + at * kLanes, heaviest);
    }
    turn_directions<W>(b, heaviest, W::by_cofactor && !W::motions && block.joint_count == 1 ? &list.one : nullptr,
                       shape, out);
  }
}

/// Writes the block's positions into their window, and counts them as seen where `ranged`.
template <class W>
HWY_INLINE void put_positions(const SkinBlocks& blocks, std::size_t at, const Turned<W>& block, const Thirds& thirds,
                              float* HWY_RESTRICT window, bool ranged, LaneRange& seen) {
  if (ranged) {
    seen.add(block.position);
  }
  put<3>(blocks, at, block.position, thirds, window);
}

/// Notes the lanes of the block `at` that the plain kernel is to compute.
template <class W>
HWY_INLINE void note_doubts(std::size_t at, M doubtful, const Turned<W>& block, Doubts& doubts) {
  const D d;
  if (!W::turns_only && block.thresholds.all_doubtful) {
    doubtful = hn::Eq(hn::Zero(d), hn::Zero(d));
  }
  if (HWY_UNLIKELY(!hn::AllFalse(d, doubtful))) {
    if constexpr (W::asks_twice) {
      doubtful = doubts_among<W>(doubtful, block);
    }
    if (!hn::AllFalse(d, doubtful)) {
      doubts.add(at, doubtful, kDirectionsInDoubt);
    }
  }
}

/// Makes the block's directions one long and writes them into their windows.
template <class W>
HWY_INLINE void put_directions(const FastCall& call, std::size_t at, const Turned<W>& block, const Thirds& thirds,
                               float* HWY_RESTRICT normals, float* HWY_RESTRICT tangents, Doubts& doubts) {
  V normal[3];
  if constexpr (W::normals_stay_unit) {
    for (int r = 0; r < 3; ++r) {
      normal[r] = hn::Mul(block.normal[r], block.scale);
    }
  } else {
    V tangent[4];
    const M doubtful = finish_directions<W>(block, call.shape + at * W::components * kLanes, normal, tangent);
    note_doubts<W>(at, doubtful, block, doubts);
    if constexpr (W::tangents) {
      put<4>(*call.blocks, at, tangent, thirds, tangents);
    }
  }
  if constexpr (W::normals) {
    put<3>(*call.blocks, at, normal, thirds, normals);
  }
}

/// Batch by batch in passes: blend and turn, place positions, finish directions. Within a pass little waits for
/// anything else, so that a processor works at several blocks at once, where one pass over everything fills its queues
/// with what waits. Blocks of 16 lanes go through by themselves: they have registers enough, and take longer by way of
/// memory.
template <class W>
HWY_NOINLINE void skin_windows(const FastCall& call, std::size_t begin, std::size_t end, FastRange* range) {
  const SkinBlocks& blocks = *call.blocks;
  // Joints about as large as each other share one set of thresholds.
  const bool alike = call.largest <= 1.0625f * call.smallest;
  List list;
  list.thresholds = thresholds_between(call.smallest, call.largest);
  Turned<W> batch[kBatch];
  Doubts doubts;
  const bool ranged = range != nullptr;
  LaneRange seen;
  bool any_lost = false;
  const Thirds thirds;
  const Source source(call, W::components);

  for (std::size_t w = begin; w < end; ++w) {
    const std::size_t vertex = w * kWindow;
    float* const to_positions = call.out_positions + vertex * 3;
    float* const to_normals = call.out_normals + (W::normals ? vertex * 3 : 0);
    float* const to_tangents = call.out_tangents + (W::tangents ? vertex * 4 : 0);
    const std::size_t last = HWY_MIN((w + 1) * kBlocks, blocks.blocks.size());
    doubts.any = false;
    for (std::size_t first = w * kBlocks; first < last; first += kBatch) {
      if constexpr (kBatch == 1) {
        Turned<W> block;
        turn<W>(call, source, first, alike, list, doubts, block);
        put_positions<W>(blocks, first, block, thirds, to_positions, ranged, seen);
        if constexpr (W::directions) {
          put_directions<W>(call, first, block, thirds, to_normals, to_tangents, doubts);
        }
        continue;
      }
      const std::size_t count = HWY_MIN(kBatch, last - first);
      for (std::size_t i = 0; i < count; ++i) {
        turn<W>(call, source, first + i, alike, list, doubts, batch[i]);
      }
      LaneRange so_far = seen;  // in registers
      for (std::size_t i = 0; i < count; ++i) {
        put_positions<W>(blocks, first + i, batch[i], thirds, to_positions, ranged, so_far);
      }
      seen = so_far;
      if constexpr (W::directions) {
        for (std::size_t i = 0; i < count; ++i) {
          put_directions<W>(call, first + i, batch[i], thirds, to_normals, to_tangents, doubts);
        }
      }
    }
    if (HWY_UNLIKELY(doubts.any)) {
      any_lost |= refer(call, w, doubts.lanes, to_positions, to_normals, to_tangents);
    }
  }
  if (ranged) {
    seen.widen(*range);
    range->known = range->known && !any_lost;
  }
}

#if PELT_AVX512
/// Weights as blocks store them, in groups of kLanes.
template <BlockWeights kFormat>
using Stored = std::conditional_t<kFormat == BlockWeights::kFloat, float, std::uint16_t>;

template <BlockWeights kFormat>
HWY_INLINE const Stored<kFormat>* stored_weights(const SkinBlocks& blocks) {
  if constexpr (kFormat == BlockWeights::kFloat) {
    return blocks.weights.data();
  } else {
    return blocks.weights16.data();
  }
}

/// Where a block's vectors of three go.
struct Place {
  float* to = nullptr;                     // its first vertex, or its window's where they scatter
  const std::uint8_t* vertices = nullptr;  // of each lane where they scatter
  bool stream = false;                     // past the caches, where they do not scatter
};

HWY_INLINE void put_at(const Place& place, const V v[3], const Thirds& thirds) {
  if (place.vertices == nullptr) {
    store_three(v, thirds, place.stream, place.to);
  } else {
    scatter_three(v, place.vertices, thirds, place.to);
  }
}

/// Normals of one block that are turned but not yet one long. Making them so is a chain of operations that each wait
/// for the one before; it goes on among the multiplications of the next block, which wait for nothing. No arrays:
/// compilers keep those in memory from block to block.
template <class W>
struct Pending {
  V x, y, z;
  V square;       // of their length
  V orientation;  // where W::by_cofactor
  V inverse_length;
  Place place;  // none where nothing is pending

  Pending() { x = y = z = square = orientation = inverse_length = hn::Set(D(), 1.0f); }
  /// One of the four steps in which blend_several() makes room.
  HWY_INLINE void go_on(int step, const Thirds& thirds) {
    if (step == 0) {
      inverse_length = hn::ApproximateReciprocalSqrt(square);
    } else if (step == 1) {
      inverse_length = refined_inverse_root(square, inverse_length);
    } else if (step == 2) {
      if constexpr (W::by_cofactor) {
        inverse_length = hn::CopySignToAbs(inverse_length, orientation);
      }
      x = hn::Mul(x, inverse_length);
      y = hn::Mul(y, inverse_length);
      z = hn::Mul(z, inverse_length);
    } else if (place.to != nullptr) {
      const V normal[3] = {x, y, z};
      put_at(place, normal, thirds);
    }
  }
  HWY_INLINE void finish(const Thirds& thirds) {
    for (int step = 0; step < 4; ++step) {
      go_on(step, thirds);
    }
    place.to = nullptr;
  }
};

/// skin_windows() for positions and normals by matrices, block by block, with the normals of one finished among the
/// multiplications of the next.
template <class W, BlockWeights kFormat, bool kRanged>
HWY_NOINLINE void skin_overlapped(const FastCall& call, std::size_t begin, std::size_t end, FastRange* range) {
  constexpr std::size_t kFloats = 3 * kLanes;  // written of a block
  const Source source(call, W::components);
  const std::size_t whole = call.blocks->vertex_count / kLanes;
  const std::uint16_t* const joints = call.blocks->joints.data();
  const Stored<kFormat>* const weights = stored_weights<kFormat>(*call.blocks);
  const std::uint8_t* const vertices = call.blocks->vertex.data();
  const float* const palette_per_unit = call.palette_per_unit;
  float* const positions = call.out_positions;
  float* const normals = call.out_normals;
  const bool far = call.far;
  const bool stream = call.stream;
  const bool alike = call.largest <= 1.0625f * call.smallest;
  List list;
  list.thresholds = thresholds_between(call.smallest, call.largest);
  Doubts doubts;
  LaneRange seen;
  const Thirds thirds;
  Pending<W> pending;
  HWY_ALIGN float partial[2 * kFloats];  // a last block that is not whole

  for (std::size_t w = begin; w < end; ++w) {
    const std::size_t first = w * kBlocks;
    const std::size_t last = HWY_MIN(first + kBlocks, source.block_count);
    for (std::size_t at = first; at < last; ++at) {
      const SkinBlocks::Block& block = source.blocks[at];
      const float* const shape = source.shape + at * W::components * kLanes;
      if (far) {
        source.fetch_ahead(at);
      }
      renew<W>(call, block, alike, list);
      V b[kAffineFloats];
      const bool one = block.joint_count == 1;
      const auto between = [&](int step) { pending.go_on(step, thirds); };
      if (HWY_LIKELY(!one)) {
        blend_several(palette_per_unit, joints + block.first_joint, block.joint_count,
                      weights + block.weight_group * kLanes, b, between);
      } else {
        blend_one(call.palette + joints[block.first_joint] * kAffineFloats, b);
        for (int step = 0; step < 4; ++step) {
          between(step);
        }
      }
      Turned<W> turned;
      turned.thresholds = list.thresholds;
      move_positions(b, shape, turned.position);
      turn_directions<W>(b, nullptr, W::by_cofactor && one ? &list.one : nullptr, shape, turned);
      const std::size_t offset = (block.scattered ? first : at) * kFloats;
      const std::uint8_t* const scatter = block.scattered ? vertices + at * kLanes : nullptr;
      const bool in_part = HWY_UNLIKELY(at == whole);
      const bool streams = stream && !in_part;
      put_at({in_part ? partial : positions + offset, scatter, streams}, turned.position, thirds);
      if constexpr (kRanged) {
        seen.add(turned.position);
      }
      pending.square = dot(turned.normal, turned.normal);
      note_doubts<W>(at, doubtful_normals<W>(turned, shape, pending.square), turned, doubts);
      pending.x = turned.normal[0];
      pending.y = turned.normal[1];
      pending.z = turned.normal[2];
      if constexpr (W::by_cofactor) {
        pending.orientation = turned.orientation;
      }
      pending.place = {in_part ? partial + kFloats : normals + offset, scatter, streams};
    }
    const bool holds_part = last > whole;
    if (HWY_UNLIKELY(holds_part || doubts.any)) {
      pending.finish(thirds);
      if (holds_part) {
        const std::size_t bytes = (call.blocks->vertex_count - whole * kLanes) * 3 * sizeof(float);
        std::memcpy(positions + whole * kFloats, partial, bytes);
        std::memcpy(normals + whole * kFloats, partial + kFloats, bytes);
      }
      if (doubts.any) {
        refer(call, w, doubts.lanes, positions + first * kFloats, normals + first * kFloats, nullptr);
        doubts.any = false;
      }
    }
  }
  pending.finish(thirds);
  if (stream) {
    hwy::FlushStream();
  }
  if constexpr (kRanged) {
    seen.widen(*range);
  }
}

template <class W>
void overlapped(const FastCall& call, std::size_t begin, std::size_t end, FastRange* range) {
  constexpr BlockWeights kFloat = BlockWeights::kFloat;
  constexpr BlockWeights kUnorm16 = BlockWeights::kUnorm16;
  using Skin = void (*)(const FastCall&, std::size_t, std::size_t, FastRange*);
  constexpr Skin kAll[2][2] = {{skin_overlapped<W, kFloat, false>, skin_overlapped<W, kFloat, true>},
                               {skin_overlapped<W, kUnorm16, false>, skin_overlapped<W, kUnorm16, true>}};
  kAll[call.blocks->format == kFloat ? 0 : 1][range == nullptr ? 0 : 1](call, begin, end, range);
}
#else
template <class W>
void overlapped(const FastCall& call, std::size_t begin, std::size_t end, FastRange* range) {
  skin_windows<W>(call, begin, end, range);
}
#endif

/// Moves `count` registers past the caches, or to where they will soon be read.
HWY_INLINE void move_lines(const float* HWY_RESTRICT from, std::size_t count, bool stream, float* HWY_RESTRICT to) {
  const D d;
  for (std::size_t at = 0; at < count * kLanes; at += kLanes) {
    const V moved = hn::Load(d, from + at);
    if (stream) {
      hn::Stream(moved, d, to + at);
    } else {
      hn::Store(moved, d, to + at);
    }
  }
}

float floor(const FastCall& call, std::size_t begin, std::size_t end) {
  const D d;
  const SkinBlocks& blocks = *call.blocks;
  const std::size_t components = 3u + (call.normals ? 3u : 0u) + (call.tangents ? 4u : 0u);
  const Source source(call, components);
  V passed = hn::Zero(d);
  for (std::size_t at = begin * kBlocks; at < HWY_MIN(end * kBlocks, blocks.vertex_count / kLanes); ++at) {
    if (kLanes == 16 && call.far) {
      source.fetch_ahead(at);
    }
    const SkinBlocks::Block& block = blocks.blocks[at];
    for (std::size_t u = 0; block.joint_count > 1 && u < block.joint_count; ++u) {
      passed = hn::Max(passed, load_weights(blocks, block.weight_group + u));
    }
    const float* from = call.shape + at * components * kLanes;
    move_lines(from, 3, call.stream, call.out_positions + at * 3 * kLanes);
    from += 3 * kLanes;
    if (call.normals) {
      move_lines(from, 3, call.stream, call.out_normals + at * 3 * kLanes);
      from += 3 * kLanes;
    }
    if (call.tangents) {
      move_lines(from, 4, call.stream, call.out_tangents + at * 4 * kLanes);
    }
  }
  if (call.stream) {
    hwy::FlushStream();
  }
  return hn::GetLane(hn::MaxOfLanes(d, passed));
}

float copy(const float* HWY_RESTRICT from, std::size_t from_count, float* HWY_RESTRICT to, std::size_t to_count,
           bool stream) {
  // Runs of cache lines, between which the rest of what is read is spread evenly, as a kernel reads weights between
  // vertices. Memory takes streamed lines best a dozen at a time.
  constexpr std::size_t kRun = 12 * 16;
  const D d;
  const std::size_t whole = to_count / kLanes * kLanes;
  const float* extra = from + whole;
  const std::size_t extra_count = (from_count - whole) / kLanes * kLanes;
  V passed = hn::Zero(d);
  std::size_t read = 0;
  for (std::size_t first = 0; first < whole; first += kRun) {
    const std::size_t last = HWY_MIN(first + kRun, whole);
    move_lines(from + first, (last - first) / kLanes, stream, to + first);
    for (const std::size_t share = extra_count * last / whole; read + kLanes <= share; read += kLanes) {
      passed = hn::Max(passed, hn::Load(d, extra + read));
    }
  }
  if (stream) {
    hwy::FlushStream();
  }
  return hn::GetLane(hn::MaxOfLanes(d, passed));
}

bool pack_affine(const float* matrices, const std::uint16_t* joints, std::size_t count, float* rows, float* size,
                 float* rows_per_unit) {
  const hn::CappedTag<float, 4> four;
  auto odd = hn::Zero(four);  // becomes not a number where an element is not finite
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = joints[i];
    hn::Vec<decltype(four)> row[4];
    hn::LoadInterleaved4(four, matrices + j * 16, row[0], row[1], row[2], row[3]);
    auto squares = hn::Zero(four);
    for (std::size_t r = 0; r < 3; ++r) {
      const std::size_t at = j * kAffineFloats + r * 4;
      if (rows_per_unit == nullptr) {
        hn::Store(row[r], four, rows + at);
      } else {
        const auto unit = hn::Mul(row[r], hn::Set(four, 1.0f / kWeightUnits));
        hn::Store(unit, four, rows_per_unit + at);
        hn::Store(hn::Mul(unit, hn::Set(four, kWeightUnits)), four, rows + at);
      }
      squares = hn::MulAdd(row[r], row[r], squares);
      odd = hn::Add(odd, hn::Sub(row[r], row[r]));
    }
    HWY_ALIGN float sum[4];
    hn::Store(squares, four, sum);
    const float square = (sum[0] + sum[1] + sum[2]) * (1.0f / 3.0f);
    size[j] = square > 1e-30f ? std::sqrt(square) : 1.0f;
  }
  return hn::AllTrue(four, hn::Eq(odd, odd));
}

void add_deltas(const float* HWY_RESTRICT base, const float* const* HWY_RESTRICT deltas,
                const float* HWY_RESTRICT weights, std::size_t target_count, std::size_t count,
                float* HWY_RESTRICT out) {
  const D d;
  for (std::size_t i = 0; i < count; i += kLanes) {
    V sum = hn::Load(d, base + i);
    for (std::size_t t = 0; t < target_count; ++t) {
      sum = hn::Add(sum, hn::Mul(hn::Load(d, deltas[t] + i), hn::Set(d, weights[t])));
    }
    hn::Store(sum, d, out + i);
  }
}

void skin(const FastCall& call, std::size_t begin, std::size_t end, FastRange* range) {
  using Skin = void (*)(const FastCall&, std::size_t, std::size_t, FastRange*);
  constexpr NormalVariant kA = NormalVariant::kBlend;
  constexpr NormalVariant kD = NormalVariant::kInverseTransposeOfBlend;
  constexpr NormalVariant kE = NormalVariant::kLargestWeight;
  constexpr Skin kWithNormals[2][3] = {
      {overlapped<Work<true, false, kA>>, overlapped<Work<true, false, kD>>, skin_windows<Work<true, false, kE>>},
      {skin_windows<Work<true, true, kA>>, skin_windows<Work<true, true, kD>>, skin_windows<Work<true, true, kE>>}};
  constexpr Skin kWithoutNormals[2] = {skin_windows<Work<false, false, kD>>, skin_windows<Work<false, true, kD>>};
  // A rotation is its own inverse transpose.
  constexpr FastBlend kM = FastBlend::kMotions;
  constexpr FastBlend kS = FastBlend::kStretchedMotions;
  constexpr Skin kMotions[2][3] = {{skin_windows<Work<false, false, kD, kM>>, skin_windows<Work<true, false, kA, kM>>,
                                    skin_windows<Work<true, true, kA, kM>>},
                                   {skin_windows<Work<false, false, kD, kS>>, skin_windows<Work<true, false, kD, kS>>,
                                    skin_windows<Work<true, true, kD, kS>>}};
  Skin chosen = kWithoutNormals[call.tangents ? 1 : 0];
  const bool unit_normals_alone = call.normals && call.unit_normals && !call.tangents;
  if (unit_normals_alone && call.blend == kM) {
    chosen = skin_windows<Work<true, false, kA, kM, true>>;
  } else if (unit_normals_alone && call.blend == FastBlend::kMatrices && call.variant == kA) {
    chosen = overlapped<Work<true, false, kA, FastBlend::kMatrices, true>>;
  } else if (unit_normals_alone && call.blend == FastBlend::kMatrices && call.variant == kD) {
    chosen = overlapped<Work<true, false, kD, FastBlend::kMatrices, true>>;
  } else if (call.blend != FastBlend::kMatrices) {
    chosen = kMotions[call.blend == kM ? 0 : 1][call.tangents ? 2 : call.normals ? 1 : 0];
  } else if (call.normals) {
    chosen = kWithNormals[call.tangents ? 1 : 0][call.variant == kA ? 0 : call.variant == kD ? 1 : 2];
  }
  chosen(call, begin, end, range);
}

FastKernels kernels() {
  return {.name = hwy::TargetName(HWY_TARGET),
          .lanes = kLanes,
          .pack_affine = pack_affine,
          .add_deltas = add_deltas,
          .skin = skin,
          .floor = floor,
          .copy = copy};
}

#endif
}  // namespace pelt::deform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::deform {

HWY_EXPORT(kernels);

std::span<const FastKernels> fast_kernels() {
  static const std::vector<FastKernels> all = [] {
    std::vector<FastKernels> out;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::GetChosenTarget().Update(target);
      const FastKernels found = HWY_DYNAMIC_DISPATCH(kernels)();
      if (found.lanes > 0) {
        out.push_back(found);
      }
    }
    hwy::GetChosenTarget().DeInit();
    return out;
  }();
  return all;
}

}  // namespace pelt::deform
#endif
