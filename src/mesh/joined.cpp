#include "mesh/joined.h"

#include <algorithm>
#include <cstring>

#include "core/expect.h"
#include "mesh/stencils.h"

namespace pelt::mesh {
namespace {

constexpr std::uint32_t kUnused = 0xffffffffu;

// Appends `values`, or zeros where there are none; nothing as long as no primitive has had any.
template <typename T>
void append(std::vector<T>& out, const std::vector<T>& values, std::size_t before, std::size_t count) {
  if (values.empty() && out.empty()) {
    return;
  }
  out.resize(before, T(0.0f));
  out.insert(out.end(), values.begin(), values.end());
  out.resize(before + count, T(0.0f));
}

void append(Influences& out, const Influences& rows, std::size_t before, std::size_t count) {
  if (rows.empty() && out.empty()) {
    return;
  }
  out.push_empty(before - out.vertex_count());
  out.append(rows);
  out.push_empty(before + count - out.vertex_count());
}

// Padded to all vertices, the differently named attributes of many primitives could be any multiple of what a file
// holds. Only what is summed must be; all else is taken from the source, for which a vertex needs its number there.
constexpr const char* kSourceVertex = "source vertex";  // no name that a file's attribute may have
constexpr std::size_t kMostSummedBytes = std::size_t{64} << 20;
constexpr std::size_t kMostSummed = 1024;  // are looked up one by one

using Attributes = std::vector<KeptAttribute>;

auto find_like(Attributes& all, const KeptAttribute& wanted) {
  return std::find_if(all.begin(), all.end(), [&](const KeptAttribute& other) { return other.is_like(wanted); });
}

// What blend() sums, without elements: those of the primitives, and of their morph targets.
struct SummedAttributes {
  Attributes of_vertices;
  std::vector<Attributes> of_targets;
  std::size_t element_size = 0, count = 0;

  void add(Attributes& out, const Attributes& from) {
    for (const KeptAttribute& kept : from) {
      if (is_summed(kept) && find_like(out, kept) == out.end()) {
        out.push_back({kept.name, kept.type, kept.normalized, kept.rows, kept.columns});
        element_size += kept.element_size();
        ++count;
      }
    }
  }
  void add(const Primitive& part) {
    add(of_vertices, part.kept);
    of_targets.resize(std::max(of_targets.size(), part.morph_targets.size()));
    for (std::size_t m = 0; m < part.morph_targets.size(); ++m) {
      add(of_targets[m], part.morph_targets[m].kept);
    }
  }
};

bool keeps_any(const Primitive& part) {
  return !part.kept.empty() || std::any_of(part.morph_targets.begin(), part.morph_targets.end(),
                                           [](const MorphTarget& target) { return !target.kept.empty(); });
}

// Puts the elements of a primitive into the arrays of all.
void put_elements(Attributes& all, const Attributes& from, std::size_t first) {
  for (const KeptAttribute& kept : from) {
    if (const auto to = find_like(all, kept); to != all.end()) {
      std::copy(kept.bytes.begin(), kept.bytes.end(),
                to->bytes.begin() + static_cast<std::ptrdiff_t>(first * kept.element_size()));
    }
  }
}

void join_kept(const Mesh& mesh, std::span<const std::uint32_t> first_vertex, Primitive& whole) {
  const std::size_t count = whole.vertex_count();
  SummedAttributes summed;
  bool fits = true;
  bool keeps = false;
  for (const Primitive& part : mesh.primitives) {
    if (part.topology == Topology::kTriangles && fits) {
      keeps = keeps || keeps_any(part);
      summed.add(part);
      fits = summed.element_size * count <= kMostSummedBytes && summed.count <= kMostSummed;
    }
  }
  if (!keeps) {
    return;
  }
  if (fits) {
    const auto take = [count](Attributes& out, Attributes& from) {
      out = std::move(from);
      for (KeptAttribute& kept : out) {
        kept.bytes.resize(count * kept.element_size(), 0);
      }
    };
    take(whole.kept.edit(), summed.of_vertices);
    for (std::size_t m = 0; m < summed.of_targets.size(); ++m) {
      take(whole.morph_targets.edit(m).kept.edit(), summed.of_targets[m]);
    }
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      const Primitive& part = mesh.primitives[p];
      if (part.topology != Topology::kTriangles) {
        continue;
      }
      put_elements(whole.kept.edit(), part.kept, first_vertex[p]);
      for (std::size_t m = 0; m < part.morph_targets.size(); ++m) {
        put_elements(whole.morph_targets.edit(m).kept.edit(), part.morph_targets[m].kept, first_vertex[p]);
      }
    }
  }
  KeptAttribute numbers{kSourceVertex, NumberType::kUnsignedInt};
  numbers.bytes.resize(count * sizeof(std::uint32_t));
  for (std::uint32_t v = 0; v < count; ++v) {
    std::memcpy(numbers.bytes.data() + v * sizeof v, &v, sizeof v);
  }
  whole.kept.push_back(std::move(numbers));
}

// The attributes that `like` has, in its order: sums from `blended`, else those of the source vertices.
// @param source  [V] vertices of `like`; others have no values there and get zeros
void separate_kept(const Attributes& like, std::span<const std::uint32_t> source, Attributes& blended) {
  Attributes out;
  for (const KeptAttribute& wanted : like) {
    if (const auto found = find_like(blended, wanted); found != blended.end()) {
      out.push_back(std::move(*found));
      continue;
    }
    const std::size_t size = wanted.element_size();
    out.push_back({wanted.name, wanted.type, wanted.normalized, wanted.rows, wanted.columns});
    KeptAttribute& taken = out.back();
    taken.bytes.resize(source.size() * size, 0);
    for (std::size_t v = 0; v < source.size(); ++v) {
      if (source[v] < wanted.count()) {
        std::memcpy(taken.bytes.data() + v * size, wanted.bytes.data() + source[v] * size, size);
      }
    }
  }
  blended = std::move(out);
}

// Which of the source's vertices, counted from `first`, each vertex is, or is nearest to.
std::vector<std::uint32_t> source_vertices(Attributes& kept, std::uint32_t first) {
  std::vector<std::uint32_t> out;
  const auto numbers = find_like(kept, {kSourceVertex, NumberType::kUnsignedInt});
  PELT_EXPECT(numbers != kept.end(), "the surface is of the primitives");
  out.resize(numbers->count());
  for (std::size_t v = 0; v < out.size(); ++v) {
    std::memcpy(&out[v], numbers->bytes.data() + v * sizeof out[v], sizeof out[v]);
    out[v] -= first;  // of one before the first: beyond the last
  }
  return out;
}

}  // namespace

JoinedMesh::Place JoinedMesh::place(std::uint32_t vertex) const {
  // The last primitive that begins at or before the vertex: empty ones begin where the next does.
  const auto after = std::upper_bound(first_vertex.begin(), first_vertex.end(), vertex);
  const auto primitive = static_cast<std::uint32_t>(after - first_vertex.begin() - 1);
  return {primitive, vertex - first_vertex[primitive]};
}

JoinedMesh join(const Mesh& mesh) {
  JoinedMesh out;
  Primitive& whole = out.whole;
  for (std::uint32_t p = 0; p < mesh.primitives.size(); ++p) {
    const Primitive& part = mesh.primitives[p];
    const std::size_t before = whole.vertex_count();
    if (part.topology == Topology::kTriangles) {
      const std::size_t count = part.vertex_count();
      append(whole.normals.edit(), part.normals.get(), before, count);
      append(whole.tangents.edit(), part.tangents.get(), before, count);
      for (std::size_t set = 0; set < 2; ++set) {
        append(whole.texcoords[set].edit(), part.texcoords[set].get(), before, count);
      }
      append(whole.colors.edit(), part.colors.get(), before, count);
      append(whole.influences.edit(), *part.influences, before, count);
      whole.morph_targets.resize(std::max(whole.morph_targets.size(), part.morph_targets.size()));
      for (std::size_t m = 0; m < whole.morph_targets.size(); ++m) {
        const MorphTarget none;
        const MorphTarget& from = m < part.morph_targets.size() ? part.morph_targets[m] : none;
        MorphTarget& to = whole.morph_targets.edit(m);
        append(to.position_deltas.edit(), from.position_deltas.get(), before, count);
        append(to.normal_deltas.edit(), from.normal_deltas.get(), before, count);
        append(to.tangent_deltas.edit(), from.tangent_deltas.get(), before, count);
      }
      whole.positions.append(part.positions);
      for (const std::uint32_t index : part.indices) {
        whole.indices.push_back(static_cast<std::uint32_t>(before) + index);
      }
      out.triangle_primitive.insert(out.triangle_primitive.end(), part.triangle_count(), p);
    }
    out.first_vertex.push_back(static_cast<std::uint32_t>(whole.vertex_count()));
  }
  join_kept(mesh, out.first_vertex, whole);
  return out;
}

Mesh separate(const Mesh& source, const Primitive& whole, std::span<const std::uint32_t> triangle_primitive) {
  PELT_EXPECT(triangle_primitive.size() == whole.triangle_count(), "one primitive per triangle");
  Mesh out;
  out.name = source.name;
  out.morph_names = source.morph_names;
  out.morph_weights = source.morph_weights;
  std::vector<std::vector<std::uint32_t>> triangles(source.primitives.size());
  for (std::uint32_t t = 0; t < triangle_primitive.size(); ++t) {
    triangles[triangle_primitive[t]].push_back(t);
  }
  std::vector<std::uint32_t> new_index(whole.vertex_count(), kUnused);
  std::uint32_t first_vertex = 0;
  for (std::size_t p = 0; p < source.primitives.size(); ++p) {
    const Primitive& like = source.primitives[p];
    if (like.topology != Topology::kTriangles) {
      out.primitives.push_back(like);
      continue;
    }
    std::vector<std::uint32_t> indices;
    for (const std::uint32_t t : triangles[p]) {
      for (std::size_t c = 0; c < 3; ++c) {
        indices.push_back(whole.indices[3 * std::size_t{t} + c]);
      }
    }
    std::vector<std::uint32_t> used = indices;
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    Stencils rows;
    for (std::uint32_t v = 0; v < used.size(); ++v) {
      new_index[used[v]] = v;
      rows.copy(used[v]);
    }
    Primitive part = blend(whole, rows, rows);
    for (std::uint32_t& index : indices) {
      index = new_index[index];
    }
    part.indices = std::move(indices);
    part.material = like.material;
    part.variant_materials = like.variant_materials;
    const auto drop_unless = [](bool kept, auto& values) {
      if (!kept) {
        values = {};
      }
    };
    drop_unless(!like.normals.empty(), part.normals);
    drop_unless(!like.tangents.empty(), part.tangents);
    drop_unless(!like.texcoords[0].empty(), part.texcoords[0]);
    drop_unless(!like.texcoords[1].empty(), part.texcoords[1]);
    drop_unless(!like.colors.empty(), part.colors);
    drop_unless(!like.influences->empty(), part.influences);
    std::vector<std::uint32_t> vertices;
    if (keeps_any(like)) {
      vertices = source_vertices(part.kept.edit(), first_vertex);
    }
    first_vertex += static_cast<std::uint32_t>(like.vertex_count());
    separate_kept(like.kept, vertices, part.kept.edit());
    part.morph_targets.resize(like.morph_targets.size());
    for (std::size_t m = 0; m < like.morph_targets.size(); ++m) {
      const MorphTarget& like_target = like.morph_targets[m];
      MorphTarget& target = part.morph_targets.edit(m);
      target.name = like_target.name;
      drop_unless(!like_target.position_deltas.empty(), target.position_deltas);
      drop_unless(!like_target.normal_deltas.empty(), target.normal_deltas);
      drop_unless(!like_target.tangent_deltas.empty(), target.tangent_deltas);
      separate_kept(like_target.kept, vertices, target.kept.edit());
    }
    out.primitives.push_back(std::move(part));
  }
  return out;
}

}  // namespace pelt::mesh
