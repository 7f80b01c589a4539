#include "deform/fast_skin.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "core/expect.h"
#include "core/parallel.h"
#include "deform/dual_quaternion_row.h"
#include "deform/fast_skin_state.h"
#include "deform/skin_dqs.h"
#include "deform/skin_lbs.h"
#include "deform/vertex_frame.h"

namespace pelt::deform {
namespace {

const FastKernels* find_kernels(std::string_view name) {
  for (const FastKernels& kernels : fast_kernels()) {
    if (name.empty() || kernels.name == name) {
      return &kernels;
    }
  }
  return nullptr;
}

// What certainly stays in a second-level cache, bytes.
constexpr std::size_t kNear = std::size_t{1} << 20;

// Motions whose stretch differs less than this from the identity, in any element, are taken as rigid.
constexpr float kRigid = 1e-6f;

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

/// What FastSkin::covers() says, but for the influences, which it would have to count.
bool has_kernel(const SkinInput& input, FastMethod method) {
  const NormalVariant variant = input.normal_variant;
  if (fast_kernels().empty() || input.weights_as_stored) {
    return false;
  }
  if (method == FastMethod::kDualQuaternion) {
    return variant == NormalVariant::kInverseTransposeOfBlend && (input.tangents.empty() || !input.normals.empty());
  }
  return method != FastMethod::kNone &&
         (variant == NormalVariant::kBlend || variant == NormalVariant::kInverseTransposeOfBlend ||
          variant == NormalVariant::kLargestWeight);
}

/// `n` one long; nothing where the plain kernel, which squares it in single precision, sees no direction.
std::optional<glm::vec3> unit_normal(const glm::vec3& n) {
  const float square = glm::dot(n, n);
  if (!(square > kLeastSquare) || !std::isfinite(square)) {
    return {};
  }
  return glm::vec3(glm::normalize(glm::dvec3(n)));
}

bool begins_on_line(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % 64 == 0;
}

}  // namespace

void FastSkin::State::read(std::size_t v, glm::vec3& position, glm::vec3& normal, glm::vec4& tangent) const {
  const float* from = shape.data() + place(slot(v));
  const auto next = [&] {
    const float value = *from;
    from += blocks.lanes;
    return value;
  };
  for (int c = 0; c < 3; ++c) {
    position[c] = next();
  }
  for (int c = 0; normals && c < 3; ++c) {
    normal[c] = next();
  }
  for (int c = 0; tangents && c < 4; ++c) {
    tangent[c] = next();
  }
}

// The plain kernels on the shape as it is loaded.
void FastSkin::State::skin_plainly(const SkinInput& input, const SkinOutput& output) const {
  std::vector<glm::vec3> positions(blocks.vertex_count);
  std::vector<glm::vec3> normal(blocks.vertex_count);
  std::vector<glm::vec4> tangent(blocks.vertex_count);
  for (std::size_t v = 0; v < blocks.vertex_count; ++v) {
    read(v, positions[v], normal[v], tangent[v]);
  }
  SkinInput plain = input;
  plain.positions = positions;
  plain.normals = std::span<const glm::vec3>(normal).first(input.normals.size());
  plain.tangents = std::span<const glm::vec4>(tangent).first(input.tangents.size());
  const bool moves = options.method == FastMethod::kDualQuaternion;
  parallel_for(blocks.vertex_count, kSkinnedPerChunk,
               [&](std::size_t begin, std::size_t end) { (moves ? skin_dqs : skin_lbs)(plain, output, begin, end); });
}

void FastSkin::State::write_reference(const SkinInput& input, std::size_t v, const glm::mat4& blended,
                                      const VertexRow& row, float* position, float* normal, float* tangent) const {
  glm::vec3 bind_position(0.0f);
  glm::vec3 bind_normal(0.0f);
  glm::vec4 bind_tangent(0.0f);
  read(v, bind_position, bind_normal, bind_tangent);
  const glm::vec3 p = transform_point(blended, bind_position);
  std::copy_n(&p.x, 3, position);
  const VertexFrame frame = vertex_frame(blended, row);
  glm::vec3 n(0.0f);
  if (normals) {
    n = skinned_normal(input.normal_variant, frame, row, bind_normal);
    std::copy_n(&n.x, 3, normal);
  }
  if (tangents) {
    const glm::vec4 t = skinned_tangent(frame, n, bind_tangent);
    std::copy_n(&t.x, 4, tangent);
  }
}

FastSkin::~FastSkin() = default;
FastSkin::FastSkin(FastSkin&&) noexcept = default;
FastSkin& FastSkin::operator=(FastSkin&&) noexcept = default;

bool FastSkin::covers(const SkinInput& input, FastMethod method) {
  return has_kernel(input, method) && input.influences->max_count() <= kMostBlockInfluences;
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
  state_->joint_ranks.assign(joint_ranks.begin(), joint_ranks.end());
  state_->named.assign(joint_ranks.size() + 1, 0);
  for (std::size_t b = 0; b < state_->blocks.blocks.size(); ++b) {
    for (const std::uint16_t joint : state_->list(b)) {
      ++state_->named[joint];
    }
  }
  state_->find_used();
  state_->stale.assign(state_->chunk_count(), 0);
  state_->loose.assign(state_->blocks.window_count(), 0);
  state_->palette.resize((joint_ranks.size() + 1) * kAffineFloats);
  for (std::size_t row = 0; row < 3; ++row) {
    state_->palette[joint_ranks.size() * kAffineFloats + row * 5] = 1.0f;
  }
  if (options.weights == BlockWeights::kUnorm16) {
    state_->palette_per_unit.resize(state_->palette.size());
    for (std::size_t row = 0; row < 3; ++row) {
      state_->palette_per_unit[joint_ranks.size() * kAffineFloats + row * 5] = 1.0f / kWeightUnits;
    }
  }
  if (options.method == FastMethod::kDualQuaternion) {
    state_->motions.resize((joint_ranks.size() + 1) * kMotionFloats);
  }
  state_->size.resize(joint_ranks.size() + 1, 1.0f);
  load_shape(input);
}

void FastSkin::load_shape(const SkinInput& input) {
  State& state = *state_;
  const std::size_t vertex_count = state.blocks.vertex_count;
  PELT_EXPECT(input.positions.size() == vertex_count, "as many vertices as at construction");
  PELT_EXPECT(input.normals.size() == (state.normals ? vertex_count : 0), "normals as at construction");
  PELT_EXPECT(input.tangents.size() == (state.tangents ? vertex_count : 0), "tangents as at construction");
  const std::size_t lanes = state.blocks.lanes;
  state.shape.resize(state.blocks.blocks.size() * state.block_floats());
  std::atomic<bool> all_unit = true;
  parallel_for(state.blocks.blocks.size(), kSkinnedPerChunk / lanes, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin * lanes; at < end * lanes; ++at) {
      const std::size_t v = std::min(at, vertex_count - 1);  // lanes beyond the last vertex repeat it
      float* to = state.shape.data() + state.place(state.slot(at));
      const auto put = [&](const float* from, std::size_t count) {
        for (std::size_t c = 0; c < count; ++c, to += lanes) {
          *to = from[c];
        }
      };
      put(&input.positions[v].x, 3);
      if (state.normals && state.options.morphs_normals) {
        put(&input.normals[v].x, 3);
      } else if (state.normals) {
        const std::optional<glm::vec3> unit = unit_normal(input.normals[v]);
        put(unit ? &unit->x : &input.normals[v].x, 3);
        if (!unit) {
          all_unit = false;
        }
      }
      if (state.tangents) {
        put(&input.tangents[v].x, 4);
      }
    }
  });
  state.unit_normals = state.normals && !state.options.morphs_normals && all_unit;
}

void FastSkin::State::load_target(const mesh::MorphTarget& target, FastMorphTarget& out) const {
  const auto delta = [](const std::vector<glm::vec3>& deltas, std::size_t v) {
    return deltas.empty() ? glm::vec3(0.0f) : deltas[v];
  };
  const auto fits = [&](const std::vector<glm::vec3>& deltas) {
    return deltas.empty() || deltas.size() == blocks.vertex_count;
  };
  PELT_EXPECT(fits(target.position_deltas) && fits(target.normal_deltas) && fits(target.tangent_deltas),
              "one delta per vertex");
  out.loaded = true;
  out.components = target.normal_deltas.empty() && target.tangent_deltas.empty() ? 3 : components();
  out.at.assign(blocks.blocks.size(), kUnmoved);
  std::int32_t moved = 0;
  for (std::size_t v = 0; v < blocks.vertex_count; ++v) {
    std::int32_t& at = out.at[slot(v) / blocks.lanes];
    // What is not finite moves, too.
    const auto moves = [&](const std::vector<glm::vec3>& deltas) { return !(delta(deltas, v) == glm::vec3(0.0f)); };
    if (at == kUnmoved &&
        (moves(target.position_deltas) || moves(target.normal_deltas) || moves(target.tangent_deltas))) {
      at = moved++;
    }
  }
  out.deltas.assign(static_cast<std::size_t>(moved) * out.components * blocks.lanes, 0.0f);
  for (std::size_t i = 0; i < blocks.lane.size(); ++i) {
    const std::size_t v = std::min(i, blocks.vertex_count - 1);
    const std::size_t lane = slot(i);
    const std::int32_t at = out.at[lane / blocks.lanes];
    if (at == kUnmoved) {
      continue;
    }
    float* to = out.deltas.data() + static_cast<std::size_t>(at) * out.components * blocks.lanes + lane % blocks.lanes;
    const auto put = [&](const std::vector<glm::vec3>& deltas) {
      const glm::vec3 from = delta(deltas, v);
      for (int c = 0; c < 3; ++c, to += blocks.lanes) {
        *to = from[c];
      }
    };
    put(target.position_deltas);
    if (normals && out.components > 3) {
      put(target.normal_deltas);
    }
    if (tangents && out.components > 3) {
      put(target.tangent_deltas);  // its handedness stays
    }
  }
}

void FastSkin::set_morph_weights(const SharedList<mesh::MorphTarget>& targets, std::span<const float> weights) {
  State& state = *state_;
  const auto weight_of = [&](std::size_t target) { return target < weights.size() ? weights[target] : 0.0f; };
  if (state.targets.size() != targets.size()) {
    PELT_EXPECT(state.targets.empty(), "the same targets as before");
    state.targets.resize(targets.size());
    state.morph_weights.assign(targets.size(), 0.0f);
  }
  std::vector<std::size_t> active;
  bool any = false;
  state.changed.assign(state.blocks.blocks.size(), 0);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const float weight = weight_of(t);
    if (weight != 0.0f) {
      active.push_back(t);
    }
    if (weight == state.morph_weights[t]) {
      continue;
    }
    state.morph_weights[t] = weight;
    FastMorphTarget& target = state.targets[t];
    if (!target.loaded) {
      PELT_EXPECT(state.options.morphs_normals || !state.normals || targets[t].normal_deltas.empty(),
                  "normals that do not morph");
      state.load_target(targets[t], target);
    }
    for (std::size_t b = 0; b < state.changed.size(); ++b) {
      state.changed[b] |= static_cast<std::uint8_t>(target.at[b] != kUnmoved);
    }
    any = true;
  }
  if (!any) {
    return;
  }
  if (state.base.empty()) {
    state.base = state.shape;
  }
  const std::size_t lanes = state.blocks.lanes;
  const std::size_t all = state.components();
  parallel_for(state.changed.size(), 4 * kSkinnedPerChunk / lanes, [&](std::size_t begin, std::size_t end) {
    std::vector<const float*> deltas(active.size());
    std::vector<float> factors(active.size());
    for (std::size_t b = begin; b < end; ++b) {
      if (state.changed[b] == 0) {
        continue;
      }
      // Targets that move positions alone, or everything: the first three components take both, the others the latter.
      const std::size_t at = b * state.block_floats();
      for (const std::size_t first : {std::size_t{0}, std::size_t{3}}) {
        const std::size_t last = first == 0 ? 3 : all;
        if (first == last) {
          break;
        }
        std::size_t count = 0;
        for (const std::size_t t : active) {
          const FastMorphTarget& target = state.targets[t];
          if (target.at[b] != kUnmoved && target.components >= last) {
            deltas[count] =
                target.deltas.data() + (static_cast<std::size_t>(target.at[b]) * target.components + first) * lanes;
            factors[count++] = state.morph_weights[t];
          }
        }
        state.kernels->add_deltas(state.base.data() + at + first * lanes, deltas.data(), factors.data(), count,
                                  (last - first) * lanes, state.shape.data() + at + first * lanes);
      }
    }
  });
}

void FastSkin::State::find_heaviest(const mesh::Influences& influences) {
  heaviest.resize(blocks.lane.size());
  for (std::size_t i = 0; i < heaviest.size(); ++i) {
    const std::size_t v = std::min(i, blocks.vertex_count - 1);
    heaviest[slot(i)] = influences.count(v) > 0 ? influences.joints(v)[0] : static_cast<std::uint16_t>(joint_count);
  }
}

FastCall FastSkin::State::call_of(const SkinOutput& output) const {
  PELT_EXPECT(output.positions.size() == blocks.vertex_count, "one output position per vertex");
  PELT_EXPECT(output.normals.size() == (normals ? blocks.vertex_count : 0), "as many normals out as in the shape");
  PELT_EXPECT(output.tangents.size() == (tangents ? blocks.vertex_count : 0), "as many tangents out as in the shape");
  FastCall call;
  call.blocks = &blocks;
  call.shape = shape.data();
  call.normals = normals;
  call.unit_normals = unit_normals;
  call.tangents = tangents;
  const std::size_t bytes = bytes_read() + blocks.vertex_count * components() * sizeof(float);
  call.far = bytes > kNear;
  call.stream = bytes > options.cache_bytes && begins_on_line(output.positions.data()) &&
                begins_on_line(output.normals.data()) && begins_on_line(output.tangents.data());
  call.out_positions = &output.positions.data()->x;
  call.out_normals = normals ? &output.normals.data()->x : nullptr;
  call.out_tangents = tangents ? &output.tangents.data()->x : nullptr;
  return call;
}

void FastSkin::run_floor(const SkinOutput& output, bool stream) const {
  const State& state = *state_;
  if (state.blocks.vertex_count == 0) {
    return;
  }
  FastCall call = state.call_of(output);
  call.stream = stream;
  PELT_EXPECT(
      begins_on_line(call.out_positions) && begins_on_line(call.out_normals) && begins_on_line(call.out_tangents),
      "outputs on cache lines");
  parallel_for(state.blocks.window_count(), state.windows_per_chunk(),
               [&](std::size_t begin, std::size_t end) { state.kernels->floor(call, begin, end); });
}

// Palette, motions and what else a call takes from the pose. @returns false where the kernels cannot
bool FastSkin::State::load_pose(const SkinInput& input, FastCall& call) {
  const bool motions_blend = options.method == FastMethod::kDualQuaternion;
  const std::span<const std::uint16_t> matrices(used.data(), used.size() - (used.back() == joint_count));
  if (!kernels->pack_affine(matrices.empty() ? nullptr : &input.skin_matrices[0][0].x, matrices.data(), matrices.size(),
                            palette.data(), size.data(),
                            palette_per_unit.empty() ? nullptr : palette_per_unit.data())) {
    return false;  // zero times what is not finite would spread through a block, to vertices that do not follow it
  }
  call.palette = palette.data();
  call.palette_per_unit = palette_per_unit.empty() ? call.palette : palette_per_unit.data();
  call.size = size.data();
  call.smallest = call.largest = size[used[0]];
  for (const std::uint16_t joint : used) {
    call.smallest = std::min(call.smallest, size[joint]);
    call.largest = std::max(call.largest, size[joint]);
  }
  call.variant = input.normal_variant;
  call.antipodality = input.parameters.antipodality;
  if (motions_blend) {
    call.blend = load_motions(input.palette, motions) ? FastBlend::kMotions : FastBlend::kStretchedMotions;
    call.palette = motions.data();
  }
  if (motions_blend || call.variant == NormalVariant::kLargestWeight) {
    if (heaviest.empty()) {
      find_heaviest(*input.influences);
    }
    call.heaviest = heaviest.data();
  }
  return true;
}

// Runs the kernels on some chunks; where `ranged`, each gets its range anew.
void FastSkin::State::skin_chunks(const SkinInput& input, FastCall& call, std::span<const std::uint32_t> chunks,
                                  bool ranged) {
  struct Context {
    const State& state;
    const SkinInput& input;
  };
  const Context context{*this, input};
  call.context = &context;
  call.reference = [](const void* of, std::size_t v, float* position, float* normal, float* tangent) {
    const Context& c = *static_cast<const Context*>(of);
    const VertexRow row = row_of(c.input, v);
    glm::mat4 blended(1.0f);
    if (c.state.options.method != FastMethod::kDualQuaternion) {
      blended = blended_matrix(row);
    } else if (c.input.influences->count(v) > 0) {
      blended = dual_quat_blend({row, c.input.palette.data(), c.input.parameters.antipodality});
    }
    c.state.write_reference(c.input, v, blended, row, position, normal, tangent);
  };
  const std::size_t grain = windows_per_chunk();
  // One range per chunk, so that nothing is shared; their order does not matter to minima and maxima.
  constexpr float kMost = std::numeric_limits<float>::max();
  ranges.resize(chunk_count());
  parallel_for(chunks.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      FastRange& range = ranges[chunks[i]];
      range = FastRange{{kMost, kMost, kMost}, {-kMost, -kMost, -kMost}, true};
      const std::size_t first = chunks[i] * grain;
      kernels->skin(call, first, std::min(first + grain, blocks.window_count()), ranged ? &range : nullptr);
    }
  });
}

void FastSkin::run(const SkinInput& input, const SkinOutput& output, Bounds* bounds) {
  skin(input, output, bounds, false);
}

std::span<const std::uint32_t> FastSkin::run_changed(const SkinInput& input, const SkinOutput& output, Bounds* bounds) {
  skin(input, output, bounds, state_->complete);
  return state_->written;
}

void FastSkin::skin(const SkinInput& input, const SkinOutput& output, Bounds* bounds, bool changed_alone) {
  State& state = *state_;
  const SkinBlocks& blocks = state.blocks;
  const bool motions = state.options.method == FastMethod::kDualQuaternion;
  PELT_EXPECT(has_kernel(input, state.options.method), "what the kernels cover");
  PELT_EXPECT(!motions || input.palette.size() == state.joint_count * kDualQuatVec4s, "a palette of dual quaternions");
  PELT_EXPECT(input.skin_matrices.size() == state.joint_count, "as many joints as at construction");
  PELT_EXPECT(input.normals.size() == (state.normals ? blocks.vertex_count : 0), "normals as at construction");
  PELT_EXPECT(input.tangents.size() == (state.tangents ? blocks.vertex_count : 0), "tangents as at construction");
  state.written.clear();
  for (std::uint32_t c = 0; c < state.chunk_count(); ++c) {
    if (!changed_alone || state.stale[c] != 0) {
      state.written.push_back(c);
    }
  }
  std::ranges::fill(state.stale, char{0});
  if (bounds != nullptr) {
    *bounds = Bounds();
  }
  if (blocks.vertex_count == 0) {
    return;
  }
  FastCall call = state.call_of(output);
  if (!state.load_pose(input, call)) {
    state.skin_plainly(input, output);
    state.complete = false;
    if (bounds != nullptr) {
      *bounds = bounds_of(output.positions);
    }
    return;
  }
  state.skin_chunks(input, call, state.written, bounds != nullptr);
  state.complete = bounds != nullptr && std::ranges::all_of(state.ranges, &FastRange::known);
  if (bounds == nullptr) {
    return;
  }
  if (!state.complete) {
    *bounds = bounds_of(output.positions);
    return;
  }
  for (const FastRange& range : state.ranges) {
    bounds->lower = glm::min(bounds->lower, glm::vec3(range.lower[0], range.lower[1], range.lower[2]));
    bounds->upper = glm::max(bounds->upper, glm::vec3(range.upper[0], range.upper[1], range.upper[2]));
  }
}

std::size_t FastSkin::bytes() const {
  return state_->bytes_read();
}

const SkinBlocks& FastSkin::blocks() const {
  return state_->blocks;
}

}  // namespace pelt::deform
