// Influences in few bytes, ALGORITHMS.md §15.
//
// Fixed point follows the rules of glTF 2.0 (§3.7.3.3): integers that sum to 255 or 65535 exactly. Dropping the last of
// four weights, since it is what the others leave, is the storage scheme of the UCSD course (CSE 169, skinning).

#include "mesh/weight_formats.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/expect.h"

namespace pelt::mesh {
namespace {

using Slot = std::pair<std::uint16_t, std::uint16_t>;  // joint, units

// One row in integers: no zeros, heaviest first, equal ones in their old order.
void quantize_row(std::span<const std::uint16_t> joints, std::span<const float> weights, WeightFormat format,
                  std::vector<std::uint16_t>& units, std::vector<Slot>& out) {
  out.clear();
  if (joints.empty()) {
    return;
  }
  units.resize(joints.size());
  // With fewer than four nothing is left to be implied: the three that are stored sum to one by themselves.
  if (format == WeightFormat::kPacked56 && joints.size() == kPacked56Slots) {
    round_weights_implied(weights, units);
  } else {
    round_weights(weights, weight_total(format), units);
  }
  for (std::size_t k = 0; k < joints.size(); ++k) {
    if (units[k] > 0) {
      out.emplace_back(joints[k], units[k]);
    }
  }
  // An implied weight carries the rounding of the three others and may overtake them.
  std::stable_sort(out.begin(), out.end(), [](const Slot& a, const Slot& b) { return a.second > b.second; });
}

const Influences& cut(const Influences& influences, WeightFormat format, Influences& storage) {
  if (format != WeightFormat::kPacked56 || influences.max_count() <= kPacked56Slots) {
    return influences;
  }
  storage = limit_influences(influences, kPacked56Slots);
  return storage;
}

void put(std::span<std::uint8_t> bytes, std::size_t at, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) {
    bytes[at + static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(value >> (8 * i) & 0xFFu);
  }
}

std::uint32_t take(std::span<const std::uint8_t> bytes, std::size_t at, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) {
    value |= static_cast<std::uint32_t>(bytes[at + static_cast<std::size_t>(i)]) << (8 * i);
  }
  return value;
}

// How many bytes there will be, without the bytes. Vertices without influences need a slot that says so.
PackedInfluences layout_of(WeightFormat format, int longest_row, std::size_t joint_count) {
  const int slots = std::max(longest_row, 1);
  PackedInfluences layout;
  layout.format = format;
  layout.slots = format == WeightFormat::kPacked56 ? kPacked56Slots : slots;
  layout.index_bytes = joint_count <= 256 ? 1 : 2;
  layout.stored_weights = format == WeightFormat::kPacked56 ? kPacked56Slots - 1 : slots;
  return layout;
}

}  // namespace

std::uint32_t weight_total(WeightFormat format) {
  PELT_EXPECT(format != WeightFormat::kFloat, "a fixed-point format");
  return format == WeightFormat::kUnorm16 ? 65535 : 255;
}

void round_weights(std::span<const float> weights, std::uint32_t total, std::span<std::uint16_t> out) {
  PELT_EXPECT(!weights.empty() && weights.size() == out.size(), "one integer per weight");
  double sum = 0;
  for (const float weight : weights) {
    sum += static_cast<double>(weight);
  }
  PELT_EXPECT(sum > 0, "weights that sum to one");
  const auto exact = [&](std::size_t k) { return static_cast<double>(weights[k]) / sum * static_cast<double>(total); };
  // An integer that arrives a rounding error below itself is floored to its predecessor, and is then the first to get
  // a missing unit back.
  std::uint32_t missing = total;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    out[k] = static_cast<std::uint16_t>(std::floor(exact(k)));
    missing -= out[k];
  }
  PELT_EXPECT(missing <= weights.size(), "no more units are missing than were floored away");
  // Rows are short and there are millions of them: looking through one again beats memory for an order.
  for (; missing > 0; --missing) {
    std::size_t largest = 0;
    for (std::size_t k = 1; k < weights.size(); ++k) {
      largest = exact(k) - out[k] > exact(largest) - out[largest] ? k : largest;
    }
    ++out[largest];
  }
}

void round_weights_implied(std::span<const float> weights, std::span<std::uint16_t> out) {
  PELT_EXPECT(weights.size() == kPacked56Slots && out.size() == kPacked56Slots, "four weights");
  constexpr int kTotal = 255;
  double sum = 0;
  for (const float weight : weights) {
    sum += static_cast<double>(weight);
  }
  PELT_EXPECT(sum > 0, "weights that sum to one");
  std::array<int, kPacked56Slots> units{};
  int implied = kTotal;
  for (std::size_t k = 0; k + 1 < units.size(); ++k) {
    units[k] = static_cast<int>(std::floor(static_cast<double>(weights[k]) / sum * kTotal + 0.5));
    implied -= units[k];
  }
  for (; implied < 0; ++implied) {
    const auto first = units.rbegin() + 1;  // the highest slot first, so that the order stays
    --*std::max_element(first, units.rend());
  }
  units.back() = implied;
  std::ranges::transform(units, out.begin(), [](int k) { return static_cast<std::uint16_t>(k); });
}

Shared<Influences::Block> quantized_block(const Shared<Influences::Block>& block, WeightFormat format) {
  if (format == WeightFormat::kFloat) {
    return block;
  }
  const Shared<Influences::Block> rows =
      format == WeightFormat::kPacked56 ? limit_block(block, kPacked56Slots, 0.0f) : block;
  const auto total = static_cast<float>(weight_total(format));
  Influences::Block out;
  out.offset.reserve(rows->offset.size());
  out.joint.reserve(rows->joint.size());
  out.weight.reserve(rows->weight.size());
  out.stored_sum.reserve(rows->row_count());
  std::vector<std::uint16_t> units;
  std::vector<Slot> slots;
  for (std::size_t r = 0; r < rows->row_count(); ++r) {
    const InfluenceRow row = rows->row(r);
    quantize_row(row.joints, row.weights, format, units, slots);
    for (const Slot& slot : slots) {
      out.joint.push_back(slot.first);
      out.weight.push_back(static_cast<float>(slot.second) / total);
    }
    out.offset.push_back(static_cast<std::uint32_t>(out.joint.size()));
    out.stored_sum.push_back(slots.empty() ? 0.0f : 1.0f);
  }
  // Rows of one joint, and what was rounded before, come back as they were.
  return out == *block ? block : Shared<Influences::Block>(std::move(out));
}

Influences quantized_influences(const Influences& influences, WeightFormat format) {
  if (format == WeightFormat::kFloat) {
    return influences;
  }
  Influences out = influences;
  for (std::size_t b = 0; b < out.block_count(); ++b) {
    out.put_block(b, quantized_block(out.blocks()[b], format));
  }
  return out;
}

int PackedInfluences::weight_bytes() const {
  switch (format) {
    case WeightFormat::kFloat:
      return 4;
    case WeightFormat::kUnorm16:
      return 2;
    case WeightFormat::kUnorm8:
    case WeightFormat::kPacked56:
      break;
  }
  return 1;
}

PackedInfluences packed_layout(WeightFormat format, int longest_row, std::size_t joint_count) {
  return layout_of(format, longest_row, joint_count);
}

RowPacker::RowPacker(const PackedInfluences& layout)
    : format_(layout.format),
      slots_(static_cast<std::size_t>(layout.slots)),
      stored_weights_(static_cast<std::size_t>(layout.stored_weights)),
      index_bytes_(layout.index_bytes),
      weight_bytes_(layout.weight_bytes()) {}

void RowPacker::pack(std::span<const std::uint16_t> joints, std::span<const float> weights,
                     std::span<std::uint8_t> out_indices, std::span<std::uint8_t> out_weights) {
  PELT_EXPECT(joints.size() <= slots_, "a row that fits the layout");
  std::ranges::fill(out_indices, std::uint8_t{0});
  std::ranges::fill(out_weights, std::uint8_t{0});
  const std::size_t index_bytes = index_bytes_;
  const std::size_t weight_bytes = weight_bytes_;
  const auto put_index = [&](std::size_t k, std::uint16_t joint) {
    PELT_EXPECT(index_bytes_ == 2 || joint < 256, "a joint below joint_count");
    put(out_indices, k * index_bytes, joint, index_bytes_);
  };
  if (format_ == WeightFormat::kFloat) {
    for (std::size_t k = 0; k < joints.size(); ++k) {
      put_index(k, joints[k]);
      put(out_weights, k * weight_bytes, std::bit_cast<std::uint32_t>(weights[k]), 4);
    }
    return;
  }
  quantize_row(joints, weights, format_, units_, row_);
  for (std::size_t k = 0; k < row_.size(); ++k) {
    put_index(k, row_[k].first);
    if (k < stored_weights_) {
      put(out_weights, k * weight_bytes, row_[k].second, weight_bytes_);
    }
  }
}

PackedInfluences pack_influences(const Influences& influences, WeightFormat format, std::size_t joint_count) {
  Influences storage;
  const Influences& rows = cut(influences, format, storage);
  PackedInfluences packed = layout_of(format, static_cast<int>(rows.max_count()), joint_count);
  const auto index_row = static_cast<std::size_t>(packed.slots) * static_cast<std::size_t>(packed.index_bytes);
  const auto weight_row =
      static_cast<std::size_t>(packed.stored_weights) * static_cast<std::size_t>(packed.weight_bytes());
  packed.indices.resize(rows.vertex_count() * index_row);
  packed.weights.resize(rows.vertex_count() * weight_row);
  RowPacker packer(packed);
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    const InfluenceRow row = rows.row(v);
    PELT_EXPECT(std::ranges::all_of(row.joints, [&](std::uint16_t joint) { return joint < joint_count; }),
                "joints below joint_count");
    packer.pack(row.joints, row.weights, std::span(packed.indices).subspan(v * index_row, index_row),
                std::span(packed.weights).subspan(v * weight_row, weight_row));
  }
  return packed;
}

Influences unpack_influences(const PackedInfluences& packed) {
  Influences out;
  const std::size_t slots = packed.slots;
  const std::size_t index_bytes = packed.index_bytes;
  const std::size_t stored = packed.stored_weights;
  const std::size_t weight_bytes = packed.weight_bytes();
  const std::size_t vertex_count = packed.indices.size() / (slots * index_bytes);
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    joints.clear();
    weights.clear();
    const auto index = [&](std::size_t k) {
      return static_cast<std::uint16_t>(take(packed.indices, (v * slots + k) * index_bytes, packed.index_bytes));
    };
    const auto stored_bits = [&](std::size_t k) {
      return take(packed.weights, (v * stored + k) * weight_bytes, packed.weight_bytes());
    };
    float sum = 0;
    const auto add = [&](std::uint16_t joint, float weight) {
      if (weight > 0) {
        joints.push_back(joint);
        weights.push_back(weight);
        sum += weight;
      }
    };
    if (packed.format == WeightFormat::kFloat) {
      for (std::size_t k = 0; k < slots; ++k) {
        add(index(k), std::bit_cast<float>(stored_bits(k)));
      }
    } else {
      const std::uint32_t total = weight_total(packed.format);
      std::uint32_t left = total;
      for (std::size_t k = 0; k < slots && stored_bits(0) > 0; ++k) {
        const std::uint32_t units = k < stored ? stored_bits(k) : left;
        left -= units;
        add(index(k), static_cast<float>(units) / static_cast<float>(total));
      }
    }
    out.push_row({joints, weights, sum > 0 ? 1.0f : 0.0f});
  }
  return out;
}

int influence_bytes_per_vertex(WeightFormat format, int slots, std::size_t joint_count) {
  return layout_of(format, slots, joint_count).bytes_per_vertex();
}

}  // namespace pelt::mesh
