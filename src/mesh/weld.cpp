#include "mesh/weld.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <type_traits>
#include <unordered_set>

#include "core/expect.h"

namespace pelt::mesh {
namespace {

using Bits = std::array<std::uint32_t, 3>;

// A key that equals itself even where a coordinate is not a number; adding zero makes -0 and +0 one.
Bits bits_of(const glm::vec3& p) {
  return std::bit_cast<Bits>(p + glm::vec3(0.0f));
}

void mix(std::uint64_t& hash, std::uint32_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  hash ^= hash >> 29;
}

void mix(std::uint64_t& hash, const glm::vec3& p) {
  for (const std::uint32_t word : bits_of(p)) {
    mix(hash, word);
  }
}

// The first vertex of each class, where `hash` and `equal` look at the attributes of vertices.
template <typename Hash, typename Equal>
std::vector<std::uint32_t> first_of_class(std::size_t vertex_count, Hash hash, Equal equal) {
  std::unordered_set<std::uint32_t, Hash, Equal> first(vertex_count, hash, equal);
  std::vector<std::uint32_t> group(vertex_count);
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    group[v] = *first.insert(v).first;
  }
  return group;
}

}  // namespace

std::vector<std::uint32_t> weld_by_position(std::span<const glm::vec3> positions) {
  const auto hash = [positions](std::uint32_t v) {
    std::uint64_t sum = 0;
    mix(sum, positions[v]);
    return static_cast<std::size_t>(sum);
  };
  const auto equal = [positions](std::uint32_t v, std::uint32_t w) {
    return bits_of(positions[v]) == bits_of(positions[w]);
  };
  return first_of_class(positions.size(), hash, equal);
}

std::vector<std::uint32_t> weld_by_motion(const Primitive& primitive) {
  const Influences& rows = primitive.influences;
  const auto hash = [&](std::uint32_t v) {
    std::uint64_t sum = 0;
    mix(sum, primitive.positions[v]);
    const InfluenceRow row = rows.empty() ? InfluenceRow() : rows.row(v);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      mix(sum, row.joints[k]);
      mix(sum, std::bit_cast<std::uint32_t>(row.weights[k]));
    }
    for (const MorphTarget& target : primitive.morph_targets) {
      if (!target.position_deltas.empty()) {
        mix(sum, target.position_deltas[v]);
      }
    }
    return static_cast<std::size_t>(sum);
  };
  const auto equal = [&](std::uint32_t v, std::uint32_t w) {
    if (bits_of(primitive.positions[v]) != bits_of(primitive.positions[w])) {
      return false;
    }
    if (!rows.empty() && !same_row(rows.row(v), rows.row(w))) {
      return false;
    }
    return std::ranges::all_of(primitive.morph_targets, [&](const MorphTarget& target) {
      return target.position_deltas.empty() || bits_of(target.position_deltas[v]) == bits_of(target.position_deltas[w]);
    });
  };
  return first_of_class(primitive.vertex_count(), hash, equal);
}

std::vector<std::uint32_t> weld_copies(const Primitive& primitive) {
  // Few vertices move alike and differ, so classes of motion are told apart by attributes one after another.
  std::vector<std::uint32_t> group = weld_by_motion(primitive);
  const auto split_by = [&group](const auto& values) {
    constexpr int kWidth = std::remove_cvref_t<decltype(values)>::value_type::length();
    if (values.empty()) {
      return;
    }
    const auto word = [&values](std::uint32_t v, int i) { return std::bit_cast<std::uint32_t>(values[v][i] + 0.0f); };
    const auto hash = [&](std::uint32_t v) {
      std::uint64_t sum = 0;
      mix(sum, group[v]);
      for (int i = 0; i < kWidth; ++i) {
        mix(sum, word(v, i));
      }
      return static_cast<std::size_t>(sum);
    };
    const auto equal = [&](std::uint32_t v, std::uint32_t w) {
      for (int i = 0; i < kWidth; ++i) {
        if (word(v, i) != word(w, i)) {
          return false;
        }
      }
      return group[v] == group[w];
    };
    group = first_of_class(group.size(), hash, equal);
  };
  const auto split_by_kept = [&group](const std::vector<KeptAttribute>& all) {
    for (const KeptAttribute& values : all) {
      const auto bytes = [&values, size = values.element_size()](std::uint32_t v) {
        return std::span(values.bytes).subspan(v * size, size);
      };
      const auto hash = [&](std::uint32_t v) {
        std::uint64_t sum = 0;
        mix(sum, group[v]);
        for (const std::uint8_t byte : bytes(v)) {
          mix(sum, byte);
        }
        return static_cast<std::size_t>(sum);
      };
      const auto equal = [&](std::uint32_t v, std::uint32_t w) {
        return group[v] == group[w] && std::ranges::equal(bytes(v), bytes(w));
      };
      group = first_of_class(group.size(), hash, equal);
    }
  };
  split_by(primitive.normals);
  split_by(primitive.tangents);
  split_by(primitive.texcoords[0]);
  split_by(primitive.texcoords[1]);
  split_by(primitive.colors);
  for (const MorphTarget& target : primitive.morph_targets) {
    split_by(target.normal_deltas);
    split_by(target.tangent_deltas);
    split_by_kept(target.kept);
  }
  split_by_kept(primitive.kept);
  return group;
}

std::vector<EdgeUse> edge_uses(std::span<const std::uint32_t> indices, std::span<const std::uint32_t> weld) {
  PELT_EXPECT(indices.size() % 3 == 0, "whole triangles");
  std::vector<EdgeUse> uses;
  uses.reserve(indices.size());
  for (std::size_t t = 0; t < indices.size(); t += 3) {
    const std::uint32_t at[3] = {weld[indices[t]], weld[indices[t + 1]], weld[indices[t + 2]]};
    if (at[0] == at[1] || at[1] == at[2] || at[2] == at[0]) {
      continue;
    }
    for (std::size_t c = 0; c < 3; ++c) {
      const auto [low, high] = std::minmax(at[c], at[(c + 1) % 3]);
      uses.push_back({low, high, at[(c + 2) % 3], static_cast<std::uint32_t>(t + c)});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& a, const EdgeUse& b) {
    return std::tie(a.low, a.high, a.opposite, a.corner) < std::tie(b.low, b.high, b.opposite, b.corner);
  });
  return uses;
}

std::size_t edge_end(std::span<const EdgeUse> uses, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < uses.size() && uses[end].same_edge(uses[begin])) {
    ++end;
  }
  return end;
}

}  // namespace pelt::mesh
