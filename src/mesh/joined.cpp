#include "mesh/joined.h"

#include <algorithm>

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
  const auto pad = [&out](std::size_t vertices) {
    out.offset.resize(vertices + 1, static_cast<std::uint32_t>(out.joint.size()));
    out.stored_sum.resize(vertices, 0.0f);
  };
  pad(before);
  const auto base = static_cast<std::uint32_t>(out.joint.size());
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    out.offset.push_back(base + rows.offset[v + 1]);
  }
  out.joint.insert(out.joint.end(), rows.joint.begin(), rows.joint.end());
  out.weight.insert(out.weight.end(), rows.weight.begin(), rows.weight.end());
  out.stored_sum.insert(out.stored_sum.end(), rows.stored_sum.begin(), rows.stored_sum.end());
  pad(before + count);
}

void append(std::vector<KeptAttribute>& out, const std::vector<KeptAttribute>& values, std::size_t before,
            std::size_t count) {
  for (const KeptAttribute& from : values) {
    auto to = std::find_if(out.begin(), out.end(), [&](const KeptAttribute& other) { return other.is_like(from); });
    if (to == out.end()) {
      out.push_back({from.name, from.type, from.normalized, from.rows, from.columns});
      to = out.end() - 1;
    }
    to->bytes.resize(before * from.element_size(), 0);
    to->bytes.insert(to->bytes.end(), from.bytes.begin(), from.bytes.end());
  }
  for (KeptAttribute& kept : out) {
    kept.bytes.resize((before + count) * kept.element_size(), 0);
  }
}

// Those of `values` that `like` has, in its order.
void keep_as_in(const std::vector<KeptAttribute>& like, std::vector<KeptAttribute>& values) {
  std::vector<KeptAttribute> out;
  for (const KeptAttribute& wanted : like) {
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const KeptAttribute& other) { return other.is_like(wanted); });
    PELT_EXPECT(found != values.end(), "the surface has the attributes of its primitives");
    out.push_back(std::move(*found));
  }
  values = std::move(out);
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
      append(whole.normals, part.normals, before, count);
      append(whole.tangents, part.tangents, before, count);
      for (std::size_t set = 0; set < 2; ++set) {
        append(whole.texcoords[set], part.texcoords[set], before, count);
      }
      append(whole.colors, part.colors, before, count);
      append(whole.influences, part.influences, before, count);
      append(whole.kept, part.kept, before, count);
      whole.morph_targets.resize(std::max(whole.morph_targets.size(), part.morph_targets.size()));
      for (std::size_t m = 0; m < whole.morph_targets.size(); ++m) {
        const MorphTarget none;
        const MorphTarget& from = m < part.morph_targets.size() ? part.morph_targets[m] : none;
        MorphTarget& to = whole.morph_targets[m];
        append(to.position_deltas, from.position_deltas, before, count);
        append(to.normal_deltas, from.normal_deltas, before, count);
        append(to.tangent_deltas, from.tangent_deltas, before, count);
        append(to.kept, from.kept, before, count);
      }
      whole.positions.insert(whole.positions.end(), part.positions.begin(), part.positions.end());
      for (const std::uint32_t index : part.indices) {
        whole.indices.push_back(static_cast<std::uint32_t>(before) + index);
      }
      out.triangle_primitive.insert(out.triangle_primitive.end(), part.triangle_count(), p);
    }
    out.first_vertex.push_back(static_cast<std::uint32_t>(whole.vertex_count()));
  }
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
    drop_unless(!like.influences.empty(), part.influences);
    keep_as_in(like.kept, part.kept);
    part.morph_targets.resize(like.morph_targets.size());
    for (std::size_t m = 0; m < like.morph_targets.size(); ++m) {
      part.morph_targets[m].name = like.morph_targets[m].name;
      drop_unless(!like.morph_targets[m].position_deltas.empty(), part.morph_targets[m].position_deltas);
      drop_unless(!like.morph_targets[m].normal_deltas.empty(), part.morph_targets[m].normal_deltas);
      drop_unless(!like.morph_targets[m].tangent_deltas.empty(), part.morph_targets[m].tangent_deltas);
      keep_as_in(like.morph_targets[m].kept, part.morph_targets[m].kept);
    }
    out.primitives.push_back(std::move(part));
  }
  return out;
}

}  // namespace pelt::mesh
