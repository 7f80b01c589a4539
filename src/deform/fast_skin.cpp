#include "deform/fast_skin.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/expect.h"
#include "core/parallel.h"
#include "deform/dual_quaternion_row.h"
#include "deform/morph.h"
#include "deform/skin_dqs.h"
#include "deform/skin_lbs.h"
#include "deform/vertex_frame.h"

namespace pelt::deform {
namespace {

// Vertices handed to a thread at a time: small, so that threads which the machine slows down keep no one waiting.
constexpr std::size_t kSkinnedPerChunk = 2048;

const FastKernels* find_kernels(std::string_view name) {
  for (const FastKernels& kernels : fast_kernels()) {
    if (name.empty() || kernels.name == name) {
      return &kernels;
    }
  }
  return nullptr;
}

std::size_t last_level_cache_bytes() {
  static const std::size_t bytes = [] {
    const long told = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return told > 0 ? static_cast<std::size_t>(told) : std::size_t{32} << 20;
  }();
  return bytes;
}

// What certainly stays in a second-level cache, bytes.
constexpr std::size_t kNear = std::size_t{1} << 20;

// Motions whose stretch differs less than this from the identity, in any element, are taken as rigid.
constexpr float kRigid = 1e-6f;

void write_reference(const SkinInput& input, std::size_t v, const glm::mat4& blended, const VertexRow& row,
                     float* position, float* normal, float* tangent) {
  const glm::vec3 p = transform_point(blended, input.positions[v]);
  std::copy_n(&p.x, 3, position);
  const VertexFrame frame = vertex_frame(blended, row);
  glm::vec3 n(0.0f);
  if (!input.normals.empty()) {
    n = skinned_normal(input.normal_variant, frame, row, input.normals[v]);
    std::copy_n(&n.x, 3, normal);
  }
  if (!input.tangents.empty()) {
    const glm::vec4 t = skinned_tangent(frame, n, input.tangents[v]);
    std::copy_n(&t.x, 4, tangent);
  }
}

void reference_matrices(const void* context, std::size_t v, float* position, float* normal, float* tangent) {
  const SkinInput& input = *static_cast<const SkinInput*>(context);
  const VertexRow row = row_of(input, v);
  write_reference(input, v, blended_matrix(row), row, position, normal, tangent);
}

void reference_motions(const void* context, std::size_t v, float* position, float* normal, float* tangent) {
  const SkinInput& input = *static_cast<const SkinInput*>(context);
  const VertexRow row = row_of(input, v);
  const bool follows = input.influences->count(v) > 0;
  const glm::mat4 blended =
      follows ? dual_quat_blend({row, input.palette.data(), input.parameters.antipodality}) : glm::mat4(1.0f);
  write_reference(input, v, blended, row, position, normal, tangent);
}

/// Appends the identity. @returns whether all joints are rigid
bool load_motions(std::span<const glm::vec4> palette, std::span<float> out) {
  static_assert(kMotionFloats == 4 * kDualQuatVec4s);
  constexpr std::array<float, kMotionFloats> kIdentity = {0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  // Element by element, which compilers turn into a few vector operations per joint.
  constexpr std::size_t kStretch = 8;  // where a joint's stretch begins
  std::array<float, kMotionFloats - kStretch> off{};
  const float* from = palette.empty() ? nullptr : &palette[0].x;
  float* to = out.data();
  for (std::size_t j = 0; j < palette.size() / kDualQuatVec4s; ++j, from += kMotionFloats, to += kMotionFloats) {
    std::memcpy(to, from, kMotionFloats * sizeof(float));
    for (std::size_t e = 0; e < off.size(); ++e) {
      off[e] = std::max(off[e], std::abs(from[kStretch + e] - kIdentity[kStretch + e]));
    }
  }
  std::copy(kIdentity.begin(), kIdentity.end(), out.end() - kMotionFloats);
  bool rigid = true;
  for (std::size_t e = 0; e < off.size(); ++e) {
    rigid = rigid && (e % 4 == 3 || off[e] <= kRigid);  // its translation follows from it
  }
  return rigid;
}

}  // namespace

struct FastSkin::State {
  const FastKernels* kernels = nullptr;
  FastSkinOptions options;
  SkinBlocks blocks;
  std::size_t joint_count = 0;
  bool normals = false;
  bool tangents = false;
  LineVector<float> shape;
  LineVector<float> palette;
  LineVector<float> motions;
  LineVector<float> size;
  LineVector<glm::mat4> matrices;       // of the skin, and the identity
  std::vector<std::uint16_t> heaviest;  // made when variant e or motions ask for it
  std::vector<FastRange> ranges;        // one per chunk

  [[nodiscard]] std::size_t components() const { return 3u + (normals ? 3u : 0u) + (tangents ? 4u : 0u); }
  void find_heaviest(const mesh::Influences& influences);
};

FastSkin::~FastSkin() = default;
FastSkin::FastSkin(FastSkin&&) noexcept = default;
FastSkin& FastSkin::operator=(FastSkin&&) noexcept = default;

bool FastSkin::covers(const SkinInput& input, FastMethod method) {
  const NormalVariant variant = input.normal_variant;
  if (fast_kernels().empty() || input.weights_as_stored || input.influences->max_count() > kMostBlockInfluences) {
    return false;
  }
  if (method == FastMethod::kDualQuaternion) {
    return variant == NormalVariant::kInverseTransposeOfBlend && (input.tangents.empty() || !input.normals.empty());
  }
  return method != FastMethod::kNone &&
         (variant == NormalVariant::kBlend || variant == NormalVariant::kInverseTransposeOfBlend ||
          variant == NormalVariant::kLargestWeight);
}

FastSkin::FastSkin(const SkinInput& input, std::span<const int> joint_ranks, const FastSkinOptions& options)
    : state_(std::make_unique<State>()) {
  PELT_EXPECT(covers(input, options.method), "what the kernels cover");
  PELT_EXPECT(input.influences->vertex_count() == input.positions.size(), "one influence row per vertex");
  state_->kernels = find_kernels(options.instruction_set);
  PELT_EXPECT(state_->kernels != nullptr, "an instruction set of this machine");
  state_->options = options;
  state_->joint_count = joint_ranks.size();
  state_->normals = !input.normals.empty();
  state_->tangents = !input.tangents.empty();
  state_->blocks = make_skin_blocks(*input.influences, joint_ranks, state_->kernels->lanes, options.weights);
  state_->palette.resize((joint_ranks.size() + 1) * kAffineFloats);
  if (options.method == FastMethod::kDualQuaternion) {
    state_->motions.resize((joint_ranks.size() + 1) * kMotionFloats);
  }
  state_->size.resize(joint_ranks.size() + 1);
  load_shape(input);
}

void FastSkin::load_shape(const SkinInput& input, std::span<const std::uint8_t> changed_groups) {
  State& state = *state_;
  const std::size_t vertex_count = state.blocks.vertex_count;
  PELT_EXPECT(input.positions.size() == vertex_count, "as many vertices as at construction");
  PELT_EXPECT(input.normals.size() == (state.normals ? vertex_count : 0), "normals as at construction");
  PELT_EXPECT(input.tangents.size() == (state.tangents ? vertex_count : 0), "tangents as at construction");
  const std::size_t per_window = state.blocks.vertices_per_window();
  static_assert(MorphedShape::kGroup % (2 * kMostBlockLanes) == 0, "no window lies in two groups");
  PELT_EXPECT(changed_groups.empty() || changed_groups.size() * MorphedShape::kGroup >= vertex_count,
              "all groups of the mesh");
  const std::size_t window_floats = state.components() * per_window;
  state.shape.resize(state.blocks.window_count() * window_floats);
  parallel_for(state.blocks.window_count(), kSkinnedPerChunk / per_window, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) {
      if (!changed_groups.empty() && changed_groups[w * per_window / MorphedShape::kGroup] == 0) {
        continue;
      }
      const std::uint8_t* order = state.blocks.order.data() + w * per_window;
      for (std::size_t at = 0; at < per_window; ++at) {
        const std::size_t v = std::min(w * per_window + at, vertex_count - 1);
        float* to = state.shape.data() + w * window_floats + order[at];
        const auto put = [&](const float* from, std::size_t count) {
          for (std::size_t c = 0; c < count; ++c, to += per_window) {
            *to = from[c];
          }
        };
        put(&input.positions[v].x, 3);
        if (state.normals) {
          put(&input.normals[v].x, 3);
        }
        if (state.tangents) {
          put(&input.tangents[v].x, 4);
        }
      }
    }
  });
}

void FastSkin::State::find_heaviest(const mesh::Influences& influences) {
  const std::size_t per_window = blocks.vertices_per_window();
  heaviest.resize(blocks.window_count() * per_window);
  for (std::size_t i = 0; i < heaviest.size(); ++i) {
    const std::size_t v = std::min(i, blocks.vertex_count - 1);
    const std::size_t lane = i / per_window * per_window + blocks.order[i];
    heaviest[lane] =
        influences.count(v) > 0 ? influences.joint[influences.offset[v]] : static_cast<std::uint16_t>(joint_count);
  }
}

void FastSkin::run(const SkinInput& input, const SkinOutput& output, Bounds* bounds) {
  State& state = *state_;
  const SkinBlocks& blocks = state.blocks;
  const bool motions = state.options.method == FastMethod::kDualQuaternion;
  PELT_EXPECT(covers(input, state.options.method), "what the kernels cover");
  PELT_EXPECT(!motions || input.palette.size() == state.joint_count * kDualQuatVec4s, "a palette of dual quaternions");
  PELT_EXPECT(input.skin_matrices.size() == state.joint_count, "as many joints as at construction");
  PELT_EXPECT(output.positions.size() == blocks.vertex_count, "one output position per vertex");
  PELT_EXPECT(output.normals.size() == input.normals.size(), "as many normals out as in");
  PELT_EXPECT(output.tangents.size() == input.tangents.size(), "as many tangents out as in");
  if (bounds != nullptr) {
    *bounds = Bounds();
  }
  if (blocks.vertex_count == 0) {
    return;
  }
  state.matrices.assign(input.skin_matrices.begin(), input.skin_matrices.end());
  state.matrices.emplace_back(1.0f);
  if (!state.kernels->pack_affine(&state.matrices[0][0].x, state.joint_count + 1, state.palette.data(),
                                  state.size.data())) {
    // Zero times what is not finite would spread through a block, to vertices that do not follow the joint.
    parallel_for(blocks.vertex_count, kSkinnedPerChunk, [&](std::size_t begin, std::size_t end) {
      (motions ? skin_dqs : skin_lbs)(input, output, begin, end);
    });
    if (bounds != nullptr) {
      *bounds = bounds_of(output.positions);
    }
    return;
  }
  FastCall call;
  call.blocks = &blocks;
  call.shape = state.shape.data();
  call.normals = state.normals;
  call.tangents = state.tangents;
  call.palette = state.palette.data();
  call.size = state.size.data();
  call.variant = input.normal_variant;
  call.antipodality = input.parameters.antipodality;
  if (motions) {
    call.blend = load_motions(input.palette, state.motions) ? FastBlend::kMotions : FastBlend::kStretchedMotions;
    call.palette = state.motions.data();
  }
  if (motions || call.variant == NormalVariant::kLargestWeight) {
    if (state.heaviest.empty()) {
      state.find_heaviest(*input.influences);
    }
    call.heaviest = state.heaviest.data();
  }
  const std::size_t written = blocks.vertex_count * state.components() * sizeof(float);
  call.far = bytes() + written > kNear;
  call.stream =
      state.options.streaming == FastSkinOptions::Streaming::kAlways ||
      (state.options.streaming == FastSkinOptions::Streaming::kAuto && bytes() + written > last_level_cache_bytes());
  call.out_positions = &output.positions.data()->x;
  call.out_normals = state.normals ? &output.normals.data()->x : nullptr;
  call.out_tangents = state.tangents ? &output.tangents.data()->x : nullptr;
  call.reference = motions ? reference_motions : reference_matrices;
  call.context = &input;

  const std::size_t grain = kSkinnedPerChunk / blocks.vertices_per_window();
  // One range per chunk, so that nothing is shared; their order does not matter to minima and maxima.
  if (bounds != nullptr) {
    constexpr float kMost = std::numeric_limits<float>::max();
    state.ranges.assign((blocks.window_count() + grain - 1) / grain,
                        FastRange{{kMost, kMost, kMost}, {-kMost, -kMost, -kMost}, true});
  }
  parallel_for(blocks.window_count(), grain, [&](std::size_t begin, std::size_t end) {
    state.kernels->skin(call, begin, end, bounds != nullptr ? &state.ranges[begin / grain] : nullptr);
  });
  if (bounds == nullptr) {
    return;
  }
  if (!std::all_of(state.ranges.begin(), state.ranges.end(), [](const FastRange& range) { return range.known; })) {
    *bounds = bounds_of(output.positions);
    return;
  }
  for (const FastRange& range : state.ranges) {
    bounds->lower = glm::min(bounds->lower, glm::vec3(range.lower[0], range.lower[1], range.lower[2]));
    bounds->upper = glm::max(bounds->upper, glm::vec3(range.upper[0], range.upper[1], range.upper[2]));
  }
}

std::size_t FastSkin::bytes() const {
  return state_->shape.size() * sizeof(float) + state_->blocks.bytes();
}

const SkinBlocks& FastSkin::blocks() const {
  return state_->blocks;
}

}  // namespace pelt::deform
