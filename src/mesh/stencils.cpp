#include "mesh/stencils.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/expect.h"
#include "core/parallel.h"

namespace pelt::mesh {
namespace {

constexpr std::size_t kRowsPerChunk = 8192;

// Sums in double: what is far from the origin keeps its last bits.
template <typename T>
void sums_into(const Stencils& rows, std::span<const T> values, std::span<T> out) {
  using Wide = glm::vec<T::length(), double>;
  parallel_for(out.size(), kRowsPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      Wide sum(0.0);
      for (std::size_t i = rows.offset[r]; i < rows.offset[r + 1]; ++i) {
        sum += Wide(values[rows.source[i]]) * static_cast<double>(rows.weight[i]);
      }
      out[r] = T(sum);
    }
  });
}

template <typename T>
std::vector<T> sums(const Stencils& rows, std::span<const T> values) {
  std::vector<T> out(values.empty() ? 0 : rows.row_count());
  sums_into(rows, values, std::span(out));
  return out;
}

template <typename T>
std::vector<T> sums(const Stencils& rows, const std::vector<T>& values) {
  return sums(rows, std::span<const T>(values));
}

bool copies(const Stencils& rows, std::size_t r) {
  return rows.offset[r + 1] - rows.offset[r] == 1;
}

Influences blend_influences(const Stencils& rows, const Influences& in) {
  Influences out;
  if (in.empty()) {
    return out;
  }
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
  for (std::size_t r = 0; r < rows.row_count(); ++r) {
    joints.clear();
    weights.clear();
    double stored_sum = 0;
    for (std::size_t i = rows.offset[r]; i < rows.offset[r + 1]; ++i) {
      const std::uint32_t v = rows.source[i];
      stored_sum += static_cast<double>(rows.weight[i]) * static_cast<double>(in.stored_sum(v));
      joints.insert(joints.end(), in.joints(v).begin(), in.joints(v).end());
      for (const float weight : in.weights(v)) {
        weights.push_back(rows.weight[i] * weight);
      }
    }
    if (copies(rows, r)) {  // append_row() would divide by a sum that rounding has moved off 1
      out.push_row({joints, weights, static_cast<float>(stored_sum)});
    } else {
      append_row(out, joints, weights);
      out.set_stored_sum(r, static_cast<float>(stored_sum));
    }
  }
  return out;
}

// Rows of several sources as sums of what is stored; integers to the nearest.
template <typename T>
void sum_stored(const Stencils& rows, const KeptAttribute& from, KeptAttribute& out) {
  const std::size_t width = from.rows;
  for (std::size_t r = 0; r < rows.row_count(); ++r) {
    for (std::size_t c = 0; c < width && !copies(rows, r); ++c) {
      double sum = 0;
      for (std::size_t i = rows.offset[r]; i < rows.offset[r + 1]; ++i) {
        T value;
        std::memcpy(&value, from.bytes.data() + (rows.source[i] * width + c) * sizeof(T), sizeof(T));
        sum += static_cast<double>(rows.weight[i]) * static_cast<double>(value);
      }
      if constexpr (std::is_integral_v<T>) {
        sum = std::clamp(std::round(sum), static_cast<double>(std::numeric_limits<T>::min()),
                         static_cast<double>(std::numeric_limits<T>::max()));
      }
      const auto value = static_cast<T>(sum);
      std::memcpy(out.bytes.data() + (r * width + c) * sizeof(T), &value, sizeof(T));
    }
  }
}

std::vector<KeptAttribute> blend_kept(const Stencils& rows, const std::vector<KeptAttribute>& in) {
  std::vector<KeptAttribute> out;
  if (in.empty()) {
    return out;
  }
  std::vector<std::uint32_t> heaviest(rows.row_count());
  for (std::size_t r = 0; r < heaviest.size(); ++r) {
    const auto begin = rows.weight.begin() + static_cast<std::ptrdiff_t>(rows.offset[r]);
    const auto end = rows.weight.begin() + static_cast<std::ptrdiff_t>(rows.offset[r + 1]);
    heaviest[r] = rows.source[std::max_element(begin, end) - rows.weight.begin()];
  }
  for (const KeptAttribute& from : in) {
    // Of what the file's maker alone understands, no value is invented: between two numbers of things lies no thing.
    out.push_back(gathered(from, heaviest));
    if (!is_summed(from)) {
      continue;
    }
    switch (from.type) {
      case NumberType::kByte:
        sum_stored<std::int8_t>(rows, from, out.back());
        break;
      case NumberType::kUnsignedByte:
        sum_stored<std::uint8_t>(rows, from, out.back());
        break;
      case NumberType::kShort:
        sum_stored<std::int16_t>(rows, from, out.back());
        break;
      case NumberType::kUnsignedShort:
        sum_stored<std::uint16_t>(rows, from, out.back());
        break;
      case NumberType::kUnsignedInt:
        sum_stored<std::uint32_t>(rows, from, out.back());
        break;
      case NumberType::kFloat:
        sum_stored<float>(rows, from, out.back());
        break;
    }
  }
  return out;
}

// Makes the blended directions unit. Returns what each was divided by.
template <typename T>
std::vector<float> make_unit(const Stencils& rows, std::vector<T>& directions) {
  std::vector<float> divisors(directions.size(), 1.0f);
  for (std::size_t r = 0; r < directions.size(); ++r) {
    const glm::vec3 direction(directions[r]);
    const float length = glm::length(direction);
    if (copies(rows, r)) {
      continue;
    }
    // Opposite directions cancel: there is no better one than the first source's, which the caller keeps.
    if (length > 1e-6f) {
      divisors[r] = length;
      directions[r].x /= length;
      directions[r].y /= length;
      directions[r].z /= length;
    } else {
      divisors[r] = 0.0f;
    }
  }
  return divisors;
}

std::vector<glm::vec3> blend_deltas(const Stencils& rows, const std::vector<glm::vec3>& deltas,
                                    const std::vector<float>& divisors) {
  std::vector<glm::vec3> out = sums(rows, deltas);
  if (divisors.size() == out.size()) {
    for (std::size_t r = 0; r < out.size(); ++r) {
      out[r] /= divisors[r] > 0.0f ? divisors[r] : 1.0f;
    }
  }
  return out;
}

}  // namespace

std::vector<glm::vec3> apply(const Stencils& stencils, std::span<const glm::vec3> points) {
  return sums(stencils, points);
}

void apply(const Stencils& stencils, std::span<const glm::vec3> points, std::span<glm::vec3> out) {
  PELT_EXPECT(out.size() == stencils.row_count(), "one new point per row");
  sums_into(stencils, points, out);
}

bool is_summed(const KeptAttribute& kept) {
  return kept.name.starts_with("TEXCOORD_") || kept.name.starts_with("COLOR_");
}

Primitive blend(const Primitive& source, const Stencils& motion, const Stencils& surface) {
  PELT_EXPECT(motion.row_count() == surface.row_count(), "one row of each kind per vertex");
  Primitive out;
  out.topology = source.topology;
  out.material = source.material;
  out.variant_materials = source.variant_materials;
  out.positions = sums(motion, source.positions.get());
  out.influences = blend_influences(motion, source.influences);
  std::vector<glm::vec3> normals = sums(surface, source.normals.get());
  const std::vector<float> normal_divisors = make_unit(surface, normals);
  std::vector<glm::vec4> tangents = sums(surface, source.tangents.get());
  const std::vector<float> tangent_divisors = make_unit(surface, tangents);
  for (std::size_t r = 0; r < surface.row_count(); ++r) {
    const std::uint32_t first = surface.source[surface.offset[r]];
    if (!normals.empty() && normal_divisors[r] == 0.0f) {
      normals[r] = source.normals[first];
    }
    if (!tangents.empty()) {
      tangents[r] = tangent_divisors[r] == 0.0f ? source.tangents[first]
                                                : glm::vec4(glm::vec3(tangents[r]), source.tangents[first].w);
    }
  }
  out.normals = std::move(normals);
  out.tangents = std::move(tangents);
  for (std::size_t set = 0; set < 2; ++set) {
    out.texcoords[set] = sums(surface, source.texcoords[set].get());
  }
  out.colors = sums(surface, source.colors.get());
  out.kept = blend_kept(surface, source.kept);
  for (const MorphTarget& target : source.morph_targets) {
    MorphTarget deltas;
    deltas.name = target.name;
    deltas.position_deltas = sums(motion, target.position_deltas.get());
    deltas.normal_deltas = blend_deltas(surface, target.normal_deltas, normal_divisors);
    deltas.tangent_deltas = blend_deltas(surface, target.tangent_deltas, tangent_divisors);
    deltas.kept = blend_kept(surface, target.kept);
    out.morph_targets.push_back(std::move(deltas));
  }
  return out;
}

}  // namespace pelt::mesh
