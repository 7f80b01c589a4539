// Skinning of whole registers of vertices: matrices or dual quaternions. Source of the layout and the palette lookup:
// measurements in README.md. Formulas and thresholds are those of vertex_frame.h and README.md, in the same order but
// for fused multiply-adds and the normals of blocks of one joint; a lane close to a threshold, where a last bit could
// decide otherwise, is handed to the plain kernel.

#include "deform/fast_kernels.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/fast_kernels.cpp"
// Each set costs compile time, so SSSE3 goes without; vectors whose length only the machine knows cannot be kept in
// arrays.
#define HWY_WITHOUT (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#ifdef __SANITIZE_ADDRESS__
// Under the sanitizers this file takes longer than any other, so there SSE4 leaves its four lanes to SSE2.
#define HWY_DISABLED_TARGETS (HWY_WITHOUT | HWY_SSE4)
#else
#define HWY_DISABLED_TARGETS HWY_WITHOUT
#endif
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
// Squares below are as good as zero; a rotation shortens nothing.
constexpr float kNoLength = 1e-30f;
// A sum of dual quaternions that cancels to less than a tenth (squared here) has lost a digit.
constexpr float kCancelledMotion = 1e-2f;

/// 1 / sqrt(x), to about 2e-7 relative; x > 0 and normal.
HWY_INLINE V inverse_root(V x) {
  const D d;
  V y = hn::ApproximateReciprocalSqrt(x);
  const int steps = HWY_ARCH_ARM ? 2 : 1;
  for (int step = 0; step < steps; ++step) {
    // Halved by its exponent, in units that do not multiply.
    const Integers integers;
    const V half = hn::BitCast(d, hn::Sub(hn::BitCast(integers, y), hn::Set(integers, 1 << 23)));
    y = hn::MulAdd(half, hn::NegMulAdd(hn::Mul(x, y), y, hn::Set(d, 1.0f)), y);
  }
  return y;
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

/// Group `group` of stored weights.
HWY_INLINE V load_weights(const SkinBlocks& blocks, std::size_t group) {
  const D d;
  if (blocks.format == BlockWeights::kFloat) {
    return hn::Load(d, blocks.weights.data() + group * kLanes);
  }
  const hn::Rebind<std::uint16_t, D> halves;
  const auto units = hn::PromoteTo(Integers(), hn::Load(halves, blocks.weights16.data() + group * kLanes));
  return hn::Mul(hn::ConvertTo(d, units), hn::Set(d, 1.0f / 65535.0f));
}

/// Each lane's blend of the matrices of the block's joints, by rows.
HWY_INLINE void blend(const FastCall& call, const SkinBlocks::Block& block, V b[kAffineFloats]) {
  const D d;
  const SkinBlocks& blocks = *call.blocks;
  const std::uint16_t* HWY_RESTRICT joints = blocks.joints.data() + block.first_joint;
  const float* HWY_RESTRICT matrix = call.palette + joints[0] * kAffineFloats;
  if (block.joint_count == 1) {
    for (std::size_t e = 0; e < kAffineFloats; ++e) {
      b[e] = hn::Set(d, matrix[e]);
    }
    return;
  }
  V weight = load_weights(blocks, block.weight_group);
  for (std::size_t e = 0; e < kAffineFloats; ++e) {
    b[e] = hn::Mul(weight, hn::Set(d, matrix[e]));
  }
  for (std::size_t u = 1; u < block.joint_count; ++u) {
    weight = load_weights(blocks, block.weight_group + u);
    matrix = call.palette + joints[u] * kAffineFloats;
    for (std::size_t e = 0; e < kAffineFloats; ++e) {
      b[e] = hn::MulAdd(weight, hn::Set(d, matrix[e]), b[e]);
    }
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

/// Every third lane, from lane 0, 1 and 2 on, in registers throughout a kernel: compilers would otherwise load them
/// anew with each block, in the units that multiply.
struct Thirds {
  __mmask16 of[3] = {0x9249, 0x2492, 0x4924};
  Thirds() {
    for (__mmask16& mask : of) {
      asm("" : "+Yk"(mask));  // no longer a constant
    }
  }
};

HWY_INLINE void store_blended(const __m512 turned[3], const Thirds& thirds, float* HWY_RESTRICT out) {
  // Register j begins with component j.
  const __m512 xy[3] = {_mm512_mask_blend_ps(thirds.of[1], turned[0], turned[1]),
                        _mm512_mask_blend_ps(thirds.of[0], turned[0], turned[1]),
                        _mm512_mask_blend_ps(thirds.of[2], turned[0], turned[1])};
  _mm512_storeu_ps(out, _mm512_mask_blend_ps(thirds.of[2], xy[0], turned[2]));
  _mm512_storeu_ps(out + 16, _mm512_mask_blend_ps(thirds.of[1], xy[1], turned[2]));
  _mm512_storeu_ps(out + 32, _mm512_mask_blend_ps(thirds.of[0], xy[2], turned[2]));
}
#else
struct Thirds {};
#endif

/// Writes one block of three-component vectors.
HWY_INLINE void store_three(const V v[3], [[maybe_unused]] const Thirds& thirds, float* HWY_RESTRICT out) {
#if PELT_AVX512
  __m512 turned[3];
  for (int c = 0; c < 3; ++c) {
    turned[c] = _mm512_permutexvar_ps(_mm512_load_si512(kInterleaving.lane[c]), v[c].raw);
  }
  store_blended(turned, thirds, out);
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
  store_three(v, thirds, rows);
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
      store_three(v, thirds, to);
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
/// (README.md, step 4). That size differs between the lanes, so a lane counts as doubtful when it is for any joint.
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

/// Turns the directions of one block by its blended matrix, by rows: steps 4 to 6 of README.md's list without lengths.
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

/// Makes what turn_directions() left one long, and tangents perpendicular to their normals.
/// @return lanes that the plain kernel is to compute; where W::asks_twice, those among which doubts_among() finds them
template <class W>
HWY_INLINE M finish_directions(const Turned<W>& block, const float* HWY_RESTRICT shape, V out_normal[3],
                               V out_tangent[4]) {
  const D d;
  const Thresholds& thresholds = block.thresholds;
  M doubtful;
  if constexpr (W::orientation) {
    doubtful =
        not_above(hn::Abs(block.orientation), hn::Set(d, W::asks_twice ? thresholds.flattens : thresholds.orientation));
  }
  const auto doubt = [&doubtful](M more, bool first) { doubtful = first ? more : hn::Or(doubtful, more); };
  if constexpr (W::normals) {
    const V square = dot(block.normal, block.normal);
    if constexpr (!W::asks_twice) {
      V least = hn::Set(d, W::turns_only ? kNoLength : W::by_cofactor ? thresholds.cofactor : thresholds.linear);
      if constexpr (!W::turns_only && !W::unit_normals) {
        const float* from = shape + 3 * kLanes;
        const V n[3] = {hn::Load(d, from), hn::Load(d, from + kLanes), hn::Load(d, from + 2 * kLanes)};
        least = hn::Mul(dot(n, n), least);
      }
      doubt(not_above(square, least), !W::orientation);
    }
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
    const V least = W::turns_only ? hn::Set(d, kNoLength) : hn::Mul(dot(t, t), hn::Set(d, thresholds.linear));
    doubt(not_above(square, least), !W::orientation && !W::normals);
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
      doubt(not_above(across, hn::Set(d, kShortened)), false);
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

/// Asks for what the block kBlocksAhead of this one reads. The hardware does so by itself, but stops at the end of each
/// page.
HWY_INLINE void fetch_ahead(const FastCall& call, std::size_t this_one, std::size_t components) {
  const SkinBlocks& blocks = *call.blocks;
  const std::size_t at = HWY_MIN(this_one + kBlocksAhead, blocks.blocks.size() - 1);
  const char* const shape = reinterpret_cast<const char*>(call.shape + at * components * kLanes);
  for (std::size_t byte = 0; byte < components * kLanes * sizeof(float); byte += 64) {
    hwy::Prefetch(shape + byte);
  }
  const SkinBlocks::Block& block = blocks.blocks[at];
  if (block.joint_count == 1) {
    return;
  }
  const bool floats = blocks.format == BlockWeights::kFloat;
  const std::size_t first = block.weight_group * kLanes;
  const char* const weights = floats ? reinterpret_cast<const char*>(blocks.weights.data() + first)
                                     : reinterpret_cast<const char*>(blocks.weights16.data() + first);
  const std::size_t bytes = block.joint_count * kLanes * (floats ? sizeof(float) : sizeof(std::uint16_t));
  for (std::size_t byte = 0; byte < bytes; byte += 64) {
    hwy::Prefetch(weights + byte);
  }
}

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

/// Blends the matrices of the block `at` and applies them.
/// @param alike  whether the list's thresholds are those of all lists
template <class W>
HWY_INLINE void turn(const FastCall& call, std::size_t at, bool alike, List& list, Doubts& doubts, Turned<W>& out) {
  const D d;
  const SkinBlocks& blocks = *call.blocks;
  const SkinBlocks::Block& block = blocks.blocks[at];
  if (kLanes == 16 && call.far) {
    fetch_ahead(call, at, W::components);
  }
  if (block.first_joint != list.first_joint) {
    list.first_joint = block.first_joint;
    if constexpr (W::directions && !W::turns_only) {
      if (!alike) {
        list.thresholds = thresholds_of(call, block);
      }
    }
    if constexpr (W::by_cofactor && !W::motions) {
      if (block.joint_count == 1) {
        list.one = one_joint(call.palette + blocks.joints[block.first_joint] * kAffineFloats);
      }
    }
    if constexpr (W::motions) {
      find_sides(call, block, list.sides);
    }
  }
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
  const V bind[3] = {hn::Load(d, shape), hn::Load(d, shape + kLanes), hn::Load(d, shape + 2 * kLanes)};
  for (std::size_t r = 0; r < 3; ++r) {
    out.position[r] = hn::MulAdd(b[4 * r], bind[0],
                                 hn::MulAdd(b[4 * r + 1], bind[1], hn::MulAdd(b[4 * r + 2], bind[2], b[4 * r + 3])));
    if constexpr (W::turns_only) {
      out.position[r] = hn::Mul(out.position[r], scale);
    }
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

/// Makes the block's directions one long and writes them into their windows.
template <class W>
HWY_INLINE void put_directions(const FastCall& call, std::size_t at, const Turned<W>& block, const Thirds& thirds,
                               float* HWY_RESTRICT normals, float* HWY_RESTRICT tangents, Doubts& doubts) {
  const D d;
  V normal[3];
  if constexpr (W::normals_stay_unit) {
    for (int r = 0; r < 3; ++r) {
      normal[r] = hn::Mul(block.normal[r], block.scale);
    }
  } else {
    V tangent[4];
    M doubtful = finish_directions<W>(block, call.shape + at * W::components * kLanes, normal, tangent);
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
        turn<W>(call, first, alike, list, doubts, block);
        put_positions<W>(blocks, first, block, thirds, to_positions, ranged, seen);
        if constexpr (W::directions) {
          put_directions<W>(call, first, block, thirds, to_normals, to_tangents, doubts);
        }
        continue;
      }
      const std::size_t count = HWY_MIN(kBatch, last - first);
      for (std::size_t i = 0; i < count; ++i) {
        turn<W>(call, first + i, alike, list, doubts, batch[i]);
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

float floor(const FastCall& call, std::size_t begin, std::size_t end, bool stream) {
  const D d;
  const SkinBlocks& blocks = *call.blocks;
  const std::size_t components = 3u + (call.normals ? 3u : 0u) + (call.tangents ? 4u : 0u);
  V passed = hn::Zero(d);
  for (std::size_t at = begin * kBlocks; at < HWY_MIN(end * kBlocks, blocks.vertex_count / kLanes); ++at) {
    if (kLanes == 16 && call.far) {
      fetch_ahead(call, at, components);
    }
    const SkinBlocks::Block& block = blocks.blocks[at];
    for (std::size_t u = 0; block.joint_count > 1 && u < block.joint_count; ++u) {
      passed = hn::Max(passed, load_weights(blocks, block.weight_group + u));
    }
    const float* from = call.shape + at * components * kLanes;
    move_lines(from, 3, stream, call.out_positions + at * 3 * kLanes);
    from += 3 * kLanes;
    if (call.normals) {
      move_lines(from, 3, stream, call.out_normals + at * 3 * kLanes);
      from += 3 * kLanes;
    }
    if (call.tangents) {
      move_lines(from, 4, stream, call.out_tangents + at * 4 * kLanes);
    }
  }
  if (stream) {
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

bool pack_affine(const float* matrices, const std::uint16_t* joints, std::size_t count, float* rows, float* size) {
  const hn::CappedTag<float, 4> four;
  auto odd = hn::Zero(four);  // becomes not a number where an element is not finite
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = joints[i];
    hn::Vec<decltype(four)> row[4];
    hn::LoadInterleaved4(four, matrices + j * 16, row[0], row[1], row[2], row[3]);
    auto squares = hn::Zero(four);
    for (std::size_t r = 0; r < 3; ++r) {
      hn::Store(row[r], four, rows + j * kAffineFloats + r * 4);
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
      {skin_windows<Work<true, false, kA>>, skin_windows<Work<true, false, kD>>, skin_windows<Work<true, false, kE>>},
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
    chosen = skin_windows<Work<true, false, kA, FastBlend::kMatrices, true>>;
  } else if (unit_normals_alone && call.blend == FastBlend::kMatrices && call.variant == kD) {
    chosen = skin_windows<Work<true, false, kD, FastBlend::kMatrices, true>>;
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
