// glTF 2.0, section 3.7.3.3 "Skinned Mesh Attributes".

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "core/parallel.h"
#include "gltf/import_meshes.h"
#include "gltf/kept.h"
#include "mesh/row_divisor.h"
#include "mesh/surface_checks.h"

namespace pelt::gltf {
namespace {

/// One pair of JOINTS_n and WEIGHTS_n. What is sparse, and joints that are floats, is decoded at once; everything else
/// in blocks, when its turn comes.
struct InfluenceSet {
  AccessorView joints;
  AccessorView weights;
  std::vector<std::uint32_t> decoded_joints;  ///< [V][4] or empty
  std::vector<float> decoded_weights;         ///< [V][4] or empty
  float step = 0;                             ///< of weights stored as integers, 0 where they are floats
};

/// The faults of one primitive's influences, each told once.
struct InfluenceFaults {
  OddVertices not_finite, negative, stray, padding, sum, integer_sum, empty, duplicate, order;
  float most_negative = 0;
  float least_sum = std::numeric_limits<float>::max();
  float most_sum = 0;
  float largest_step_off = 0;
  std::uint32_t largest_index = 0;  ///< that names no joint

  /// Those of vertices that come after these.
  void add(const InfluenceFaults& later) {
    for (OddVertices InfluenceFaults::*const of :
         {&InfluenceFaults::not_finite, &InfluenceFaults::negative, &InfluenceFaults::stray, &InfluenceFaults::padding,
          &InfluenceFaults::sum, &InfluenceFaults::integer_sum, &InfluenceFaults::empty, &InfluenceFaults::duplicate,
          &InfluenceFaults::order}) {
      (this->*of).add(later.*of);
    }
    most_negative = std::min(most_negative, later.most_negative);
    least_sum = std::min(least_sum, later.least_sum);
    most_sum = std::max(most_sum, later.most_sum);
    largest_step_off = std::max(largest_step_off, later.largest_step_off);
    largest_index = std::max(largest_index, later.largest_index);
  }
};

Result<InfluenceSet> open_influence_set(PrimitiveContext& context, const tinygltf::Primitive& from, std::size_t set,
                                        std::size_t vertex_count) {
  Reader& reader = context.reader;
  InfluenceSet out;
  const std::string joints_name = fmt::format("JOINTS_{}", set);
  const std::string weights_name = fmt::format("WEIGHTS_{}", set);
  const int joints_accessor = find_attribute(from.attributes, joints_name);
  const int weights_accessor = find_attribute(from.attributes, weights_name);
  if (joints_accessor < 0 || weights_accessor < 0) {
    return error("{} without {}", joints_accessor < 0 ? weights_name : joints_name,
                 joints_accessor < 0 ? joints_name : weights_name);
  }
  const auto joints = reader.view_accessor(joints_accessor);
  if (!joints) {
    return joints.error().in(joints_name);
  }
  out.joints = *joints;
  if (joints->component_type == TINYGLTF_COMPONENT_TYPE_FLOAT) {
    const auto values = reader.read_vectors<4>(joints_accessor);
    if (!values) {
      return values.error().in(joints_name);
    }
    out.decoded_joints.reserve(4 * values->size());
    for (std::size_t v = 0; v < values->size(); ++v) {
      for (int k = 0; k < 4; ++k) {
        const float joint = (*values)[v][k];
        if (!(joint >= 0 && joint <= 65535) || joint != std::floor(joint)) {
          return error("{}: vertex {}: expected a joint index, got {}", joints_name, v, joint);
        }
        out.decoded_joints.push_back(static_cast<std::uint32_t>(joint));
      }
    }
  } else if (const Status status = reader.check_indices(*joints, 4); !status) {
    return status.error().in(joints_name);
  } else if (joints->sparse_count > 0) {
    auto values = reader.read_indices(joints_accessor, 4);
    if (!values) {
      return values.error().in(joints_name);
    }
    out.decoded_joints = *std::move(values);
  }
  const auto weights = reader.view_accessor(weights_accessor);
  if (!weights) {
    return weights.error().in(weights_name);
  }
  out.weights = *weights;
  if (weights->rows != 4 || weights->columns != 1) {
    return error("{}: accessor {}: expected VEC4, got {}", weights_name, weights_accessor, type_label(*weights));
  }
  if (weights->component_type != TINYGLTF_COMPONENT_TYPE_FLOAT && !weights->normalized) {
    reader.warn("weight-type", context.place,
                fmt::format("{}: integers are not marked as normalised; taken as normalised", weights_name));
    out.weights.normalized = true;
  }
  out.step = weights->component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE    ? 1.0f / 255
             : weights->component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT ? 1.0f / 65535
                                                                                 : 0.0f;
  for (const auto& [name, count] : {std::pair{&joints_name, joints->count}, std::pair{&weights_name, weights->count}}) {
    if (const Status status = check_count(count, vertex_count); !status) {
      return status.error().in(*name);
    }
  }
  if (weights->sparse_count > 0) {
    PELT_TRY(reader.budget.take(vertex_count, 4 * sizeof(float)));
    out.decoded_weights.resize(4 * vertex_count);
    reader.read_floats(out.weights, out.decoded_weights);
  }
  return out;
}

Result<std::vector<InfluenceSet>> open_influence_sets(PrimitiveContext& context, const tinygltf::Primitive& from,
                                                      std::size_t vertex_count) {
  std::vector<InfluenceSet> sets;
  for (std::size_t set = 0; from.attributes.count(fmt::format("JOINTS_{}", set)) != 0 ||
                            from.attributes.count(fmt::format("WEIGHTS_{}", set)) != 0;
       ++set) {
    PELT_TRY_TO(auto opened, open_influence_set(context, from, set, vertex_count));
    sets.push_back(std::move(opened));
  }
  return sets;
}

void report_faults(PrimitiveContext& context, InfluenceFaults& faults, std::size_t vertex_count,
                   std::size_t joint_count) {
  Reader& reader = context.reader;
  const auto tell = [&](Severity severity, const char* code, OddVertices& vertices, const std::string& what) {
    if (vertices.count > 0) {
      reader.note(severity, code, context.place, what, std::move(vertices.listed));
    }
  };
  const auto some = [&](const OddVertices& vertices) { return fmt::format("{} of {}", vertices.count, vertex_count); };
  tell(Severity::kError, "weight-not-finite", faults.not_finite,
       fmt::format("{} vertices have a weight that is no finite number, expected 0 to 1; taken as 0",
                   some(faults.not_finite)));
  tell(Severity::kError, "weight-negative", faults.negative,
       fmt::format("{} vertices have a weight below 0, down to {:.3g}, expected 0 to 1; taken as 0",
                   some(faults.negative), faults.most_negative));
  tell(Severity::kError, "weight-on-no-joint", faults.stray,
       fmt::format("{} vertices have weight on a joint that skin {} does not have: it has {}, the largest index is {}; "
                   "that weight is dropped",
                   some(faults.stray), context.use.skin, joint_count, faults.largest_index));
  tell(Severity::kInfo, "padding-joint", faults.padding,
       fmt::format("{} vertices name a joint that skin {} does not have, where the weight is 0; software that reads "
                   "its matrix all the same reads beyond the {} there are",
                   some(faults.padding), context.use.skin, joint_count));
  const std::string least = fmt::format("{:.3g}", faults.least_sum);
  const std::string most = fmt::format("{:.3g}", faults.most_sum);
  tell(Severity::kWarning, "weight-sum", faults.sum,
       fmt::format("the weights of {} vertices sum to {}, expected 1; renormalised", some(faults.sum),
                   least == most ? least : least + " to " + most));
  tell(Severity::kWarning, "weight-integer-sum", faults.integer_sum,
       fmt::format("the integer weights of {} vertices miss 1 by up to {:.0f} steps, expected none; renormalised",
                   some(faults.integer_sum), faults.largest_step_off));
  tell(Severity::kWarning, "weight-zero", faults.empty,
       fmt::format("{} vertices have no weight at all; they follow no joint", some(faults.empty)));
  tell(Severity::kWarning, "duplicate-joint", faults.duplicate,
       fmt::format("{} vertices list a joint twice; the weights are added", some(faults.duplicate)));
  tell(Severity::kInfo, "influence-order", faults.order,
       fmt::format("{} vertices have heavier weights behind the first four; software that reads one set keeps the "
                   "lighter ones; sorted",
                   some(faults.order)));
}

/// Rows of consecutive vertices, read without knowing of the others.
struct InfluenceBlock {
  std::vector<Shared<mesh::Influences::Block>> rows;
  InfluenceFaults faults;
  std::vector<char> used;  ///< [joints that a row can name]; empty for blocks shorter than that

  // Scratch.
  mesh::FlatInfluences flat;
  std::vector<std::uint32_t> file_joints;  ///< [sets][vertices][4]
  std::vector<float> file_weights;
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
  std::vector<std::uint16_t> one_joints;
  std::vector<float> one_weights;
};

/// A row of four as nearly all are: joints that exist, none twice, weights of 0 or more. What mesh::append_row() makes
/// of it, bit by bit.
/// @returns its length; 5 where it is no such row
std::size_t plain_row(const std::uint32_t* joints, const float* weights, std::size_t joint_count,
                      std::uint16_t* out_joints, float* out_weights, double& sum) {
  constexpr std::size_t kNone = 5;
  // Sorted as whole numbers, heaviest first and then by joint: floats above zero are in the order of their bits.
  std::array<std::uint64_t, 4> key{};
  bool plain = true;
  for (std::size_t k = 0; k < 4; ++k) {
    plain = plain && joints[k] < joint_count && weights[k] >= 0 && weights[k] <= kLargest;
    const float weight = weights[k] + 0.0f;  // -0 becomes 0
    key[k] = std::uint64_t{std::bit_cast<std::uint32_t>(weight)} << 16 | (0xffffU - (joints[k] & 0xffffU));
  }
  if (!plain) {
    return kNone;
  }
  constexpr std::array<std::array<std::size_t, 2>, 5> kNetwork = {{{0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 2}}};
  for (const auto& [a, b] : kNetwork) {
    const std::uint64_t larger = std::max(key[a], key[b]);
    key[b] = std::min(key[a], key[b]);
    key[a] = larger;
  }
  sum = mesh::row_divisor(static_cast<double>(weights[0]) + static_cast<double>(weights[1]) +
                          static_cast<double>(weights[2]) + static_cast<double>(weights[3]));
  std::size_t count = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const float weight = std::bit_cast<float>(static_cast<std::uint32_t>(key[k] >> 16));
    count += weight > 0 ? 1 : 0;
    out_joints[k] = static_cast<std::uint16_t>(0xffffU - (key[k] & 0xffffU));
    out_weights[k] = static_cast<float>(static_cast<double>(weight) / sum);
  }
  for (std::size_t a = 1; a < count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (out_joints[a] == out_joints[b]) {
        return kNone;
      }
    }
  }
  return count > 0 && !(out_weights[count - 1] > 0) ? kNone : count;
}

/// Parts rows into blocks. Entries beyond the last row are room that was not needed.
void part_rows(const mesh::FlatInfluences& flat, std::vector<Shared<mesh::Influences::Block>>& out) {
  constexpr std::size_t kRows = mesh::Influences::kBlockRows;
  out.clear();
  for (std::size_t first = 0; first < flat.vertex_count(); first += kRows) {
    const std::size_t last = std::min(first + kRows, flat.vertex_count());
    const auto at = [](const auto& values, std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::uint32_t begin = flat.offset[first];
    const std::uint32_t end = flat.offset[last];
    mesh::Influences::Block block;
    block.offset.assign(at(flat.offset, first), at(flat.offset, last + 1));
    for (std::uint32_t& offset : block.offset) {
      offset -= begin;
    }
    block.joint.assign(at(flat.joint, begin), at(flat.joint, end));
    block.weight.assign(at(flat.weight, begin), at(flat.weight, end));
    block.stored_sum.assign(at(flat.stored_sum, first), at(flat.stored_sum, last));
    out.emplace_back(std::move(block));
  }
}

/// Reads the rows of vertices [begin, end).
/// @param step         the smallest of all sets
/// @param joint_count  those of the skin that a row can name
void read_influence_rows(Reader& reader, std::span<const InfluenceSet> sets, float step, std::size_t joint_count,
                         std::size_t begin, std::size_t end, InfluenceBlock& out) {
  constexpr float kNoise = 1e-5f;  // below zero, from writers that subtract to make the sum right
  const std::size_t width = 4 * sets.size();
  const std::size_t some = end - begin;
  mesh::FlatInfluences& rows = out.flat;
  rows.joint.resize(width * some);
  rows.weight.resize(width * some);
  rows.offset.resize(some + 1);
  rows.offset[0] = 0;
  rows.stored_sum.resize(some);
  std::size_t filled = 0;
  out.faults = {};
  out.used.assign(width * some >= joint_count ? joint_count : 0, 0);
  out.file_joints.resize(width * some);
  out.file_weights.resize(width * some);
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const InfluenceSet& opened = sets[set];
    const std::size_t at = 4 * some * set;
    if (opened.decoded_joints.empty()) {
      reader.read_indices(opened.joints, begin, some, out.file_joints.data() + at);
    } else {
      std::copy_n(opened.decoded_joints.data() + 4 * begin, 4 * some, out.file_joints.data() + at);
    }
    if (opened.decoded_weights.empty()) {
      reader.read_floats(opened.weights, begin, some, out.file_weights.data() + at);
    } else {
      std::copy_n(opened.decoded_weights.data() + 4 * begin, 4 * some, out.file_weights.data() + at);
    }
  }
  InfluenceFaults& faults = out.faults;
  for (std::size_t v = begin; v < end; ++v) {
    double double_sum = 0;
    // Rows never grow, so four slots are left.
    std::uint16_t* const row_joints = rows.joint.data() + filled;
    float* const row_weights = rows.weight.data() + filled;
    std::size_t count =
        width != 4 ? 5
                   : plain_row(out.file_joints.data() + 4 * (v - begin), out.file_weights.data() + 4 * (v - begin),
                               joint_count, row_joints, row_weights, double_sum);
    float sum = static_cast<float>(double_sum);
    if (count > 4) {
      out.joints.clear();
      out.weights.clear();
      float lightest_of_first = std::numeric_limits<float>::max();
      for (std::size_t k = 0; k < width; ++k) {
        const std::size_t at = 4 * some * (k / 4) + 4 * (v - begin) + k % 4;
        const std::uint32_t joint = out.file_joints[at];
        const float weight = out.file_weights[at];
        lightest_of_first = k < 4 ? std::min(lightest_of_first, weight) : lightest_of_first;
        const bool exists = joint < joint_count;
        if (!std::isfinite(weight) || weight > kLargest) {
          faults.not_finite.add(v);
          continue;
        }
        if (weight <= 0) {
          if (weight < -kNoise) {
            faults.negative.add(v);
            faults.most_negative = std::min(faults.most_negative, weight);
          } else if (!exists) {
            faults.padding.add(v);
          }
          continue;
        }
        if (!exists) {
          faults.stray.add(v);
          faults.largest_index = std::max(faults.largest_index, joint);
          continue;
        }
        if (std::find(out.joints.begin(), out.joints.end(), joint) != out.joints.end()) {
          faults.duplicate.add(v);
        }
        if (k >= 4 && weight > lightest_of_first) {
          faults.order.add(v);
        }
        out.joints.push_back(static_cast<std::uint16_t>(joint));
        out.weights.push_back(weight);
      }
      out.one_joints.clear();
      out.one_weights.clear();
      sum = mesh::append_normalised(out.joints, out.weights, out.one_joints, out.one_weights);
      count = out.one_joints.size();
      std::copy_n(out.one_joints.begin(), count, row_joints);
      std::copy_n(out.one_weights.begin(), count, row_weights);
    }
    for (std::size_t k = 0; k < count && !out.used.empty(); ++k) {
      out.used[row_joints[k]] = 1;
    }
    filled += count;
    rows.offset[v - begin + 1] = static_cast<std::uint32_t>(filled);
    rows.stored_sum[v - begin] = sum;
    const float off = std::abs(sum - 1);
    // Integers that were each rounded alone miss by half a step each.
    const float rounding = 0.5f * step * static_cast<float>(width);
    if (sum == 0) {
      faults.empty.add(v);
    } else if (off > std::max(mesh::kSumTolerance, rounding)) {
      faults.sum.add(v);
      faults.least_sum = std::min(faults.least_sum, sum);
      faults.most_sum = std::max(faults.most_sum, sum);
    } else if (step > 0 && off > 0.5f * step) {
      faults.integer_sum.add(v);
      faults.largest_step_off = std::max(faults.largest_step_off, off / step);
    }
  }
  part_rows(rows, out.rows);
}

}  // namespace

Status read_influences(PrimitiveContext& context, const tinygltf::Primitive& from, mesh::Primitive& out) {
  Reader& reader = context.reader;
  const bool present = std::any_of(from.attributes.begin(), from.attributes.end(), [](const auto& attribute) {
    return set_number(attribute.first, "JOINTS_") >= 0 || set_number(attribute.first, "WEIGHTS_") >= 0;
  });
  if (!present) {
    return {};
  }
  if (context.use.skin < 0) {
    reader.note(Severity::kInfo, "unused-influences", context.place,
                "it has joints and weights but no node gives it a skin");
    return {};
  }
  const std::size_t vertex_count = out.vertex_count();
  PELT_TRY_TO(const auto sets, open_influence_sets(context, from, vertex_count));
  report_gap(context, from, "JOINTS_", static_cast<int>(sets.size()));
  report_gap(context, from, "WEIGHTS_", static_cast<int>(sets.size()));
  if (sets.empty()) {
    return {};
  }
  const std::size_t width = 4 * sets.size();
  constexpr std::size_t kSlotBytes = sizeof(std::uint16_t) + sizeof(float);
  constexpr std::size_t kRowBytes = sizeof(std::uint32_t) + sizeof(float);
  if (const Status status = reader.budget.take(vertex_count, width * kSlotBytes + kRowBytes); !status) {
    return status;
  }
  float step = 1;  // the smallest of all sets
  for (const InfluenceSet& set : sets) {
    step = std::min(step, set.step);
  }
  const std::size_t joint_count = reader.model.skins[context.use.skin].joints.size();
  // Rows name joints by 16 bits.
  const std::size_t nameable = std::min(joint_count, std::numeric_limits<std::uint16_t>::max() + std::size_t{1});
  mesh::Influences& all = out.influences.edit();
  all.set_budget(static_cast<std::uint32_t>(width));
  // Blocks of rows are read on all threads, some at a time so that they stay in the caches, and joined in order.
  constexpr std::size_t kSlotsPerBlock = std::size_t{1} << 14;
  constexpr std::size_t kBlocksAtOnce = 16;
  constexpr std::size_t kRows = mesh::Influences::kBlockRows;
  const std::size_t rows_per_block = std::max<std::size_t>(kSlotsPerBlock / width / kRows, 1) * kRows;
  const std::size_t block_count = (vertex_count + rows_per_block - 1) / rows_per_block;
  std::vector<InfluenceBlock> blocks(std::min(block_count, kBlocksAtOnce));
  InfluenceFaults faults;
  for (std::size_t first = 0; first < block_count; first += kBlocksAtOnce) {
    const std::size_t some = std::min(kBlocksAtOnce, block_count - first);
    parallel_for(some, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        const std::size_t row = (first + b) * rows_per_block;
        read_influence_rows(reader, sets, step, nameable, row, std::min(row + rows_per_block, vertex_count), blocks[b]);
      }
    });
    for (const InfluenceSet& set : sets) {
      const std::size_t last = std::min((first + some) * rows_per_block, vertex_count);
      reader.give_back(set.joints, first * rows_per_block, last);
      reader.give_back(set.weights, first * rows_per_block, last);
    }
    for (const InfluenceBlock& block : std::span(blocks).first(some)) {
      for (const Shared<mesh::Influences::Block>& rows : block.rows) {
        all.push_block(rows);
        for (std::size_t k = 0; block.used.empty() && k < rows->joint.size(); ++k) {
          context.used.add(rows->joint[k]);
        }
      }
      faults.add(block.faults);
      for (std::size_t joint = 0; joint < block.used.size(); ++joint) {
        if (block.used[joint] != 0) {
          context.used.add(static_cast<std::uint16_t>(joint));
        }
      }
    }
  }
  for (const InfluenceSet& set : sets) {
    reader.finish_read(set.joints.accessor);
    reader.finish_read(set.weights.accessor);
  }
  report_faults(context, faults, vertex_count, joint_count);
  return {};
}

}  // namespace pelt::gltf
