#include "deform/skin_data.h"

#include <algorithm>
#include <limits>

#include "core/expect.h"
#include "deform/skin_cor.h"

namespace pelt::deform {

SkinDataKey key_of(int mesh, const SkinningSettings& settings) {
  const SkinningMethod& method = skinning_methods()[settings.method];
  SkinDataKey key;
  key.mesh = mesh;
  key.influence_limit = settings.influence_limit;
  key.prune_threshold = settings.prune_threshold;
  key.weight_format = settings.weight_format;
  if (method.prepare != nullptr) {
    key.method = settings.method;
    key.parameters = preparing_parameters(method, settings.parameters);
  }
  const NormalVariant normals = normals_under(method, settings.normals);
  key.exact_normals = normals == NormalVariant::kExact;
  key.welded = method.prepare != nullptr || method.finish != nullptr || key.exact_normals ||
               normals == NormalVariant::kRecomputed || settings.refine == Refine::kAfterSkin;
  return key;
}

namespace {

bool changes_rows(const SkinningSettings& settings) {
  return settings.influence_limit != 0 || settings.prune_threshold != 0 ||
         settings.weight_format != WeightFormat::kFloat;
}

Shared<mesh::Influences::Block> effective_block(const Shared<mesh::Influences::Block>& block,
                                                const SkinningSettings& settings) {
  if (settings.influence_limit == 0 && settings.prune_threshold == 0) {
    return mesh::quantized_block(block, settings.weight_format);
  }
  const int limit = settings.influence_limit > 0 ? settings.influence_limit : std::numeric_limits<int>::max();
  return mesh::quantized_block(mesh::limit_block(block, limit, settings.prune_threshold), settings.weight_format);
}

}  // namespace

Shared<mesh::Influences> effective_influences(const mesh::Primitive& primitive, const SkinningSettings& settings) {
  Shared<mesh::Influences> effective = primitive.influences;
  if (changes_rows(settings) && !effective->empty()) {
    update_effective({}, primitive.influences, settings, effective.edit());
  }
  return effective;
}

std::size_t update_effective(const mesh::Influences& before, const mesh::Influences& now,
                             const SkinningSettings& settings, mesh::Influences& effective) {
  PELT_EXPECT(effective.vertex_count() == now.vertex_count(), "as many vertices as before");
  std::size_t count = 0;
  mesh::for_changed_blocks(before, now, [&](std::size_t b, std::size_t, std::size_t) {
    effective.put_block(b, effective_block(now.blocks()[b], settings));
    ++count;
  });
  return count;
}

namespace {

// Whether both have the same points, joined by the same triangles, with a skin at the same of them.
bool welds_alike(const mesh::Mesh& a, const mesh::Mesh& b) {
  return std::ranges::equal(a.primitives, b.primitives, [](const mesh::Primitive& p, const mesh::Primitive& q) {
    return p.topology == q.topology && p.positions.is(q.positions) && p.indices.is(q.indices) &&
           p.influences->empty() == q.influences->empty();
  });
}

void make_influences(const SkinningSettings& settings, const SkinData* earlier, SkinData& data, SkinCache::Work& work) {
  for (std::size_t p = 0; p < data.mesh->primitives.size(); ++p) {
    const mesh::Primitive& primitive = data.mesh->primitives[p];
    const mesh::Primitive* before =
        earlier != nullptr && p < earlier->mesh->primitives.size() ? &earlier->mesh->primitives[p] : nullptr;
    if (!changes_rows(settings)) {
      data.influences.push_back(primitive.influences);
    } else if (before != nullptr && before->influences.is(primitive.influences)) {
      data.influences.push_back(earlier->influences.shared(p));
    } else if (before != nullptr && before->influences->vertex_count() == primitive.influences->vertex_count()) {
      Shared<mesh::Influences> effective = earlier->influences.shared(p);
      work.blocks += update_effective(before->influences, primitive.influences, settings, effective.edit());
      data.influences.push_back(effective);
    } else {
      data.influences.push_back(effective_influences(primitive, settings));
      work.blocks += primitive.influences->block_count();
    }
  }
}

void make_surface(const SkinData* earlier, const glm::dmat3& shape_from_mesh, SkinData& data, SkinCache::Work& work) {
  std::vector<const mesh::Primitive*> primitives;
  std::vector<const mesh::Influences*> influences;
  for (std::size_t p = 0; p < data.mesh->primitives.size(); ++p) {
    primitives.push_back(&data.mesh->primitives[p]);
    influences.push_back(&data.influences[p]);
  }
  // What is welded does not depend on weights.
  if (earlier != nullptr && earlier->surface.shape_from_mesh == shape_from_mesh &&
      welds_alike(*earlier->mesh, *data.mesh)) {
    data.surface = earlier->surface;
    data.surface.primitives = std::move(primitives);
    data.surface.influences = std::move(influences);
  } else {
    data.surface = mesh::make_mesh_surface(primitives, influences, shape_from_mesh);
    ++work.surfaces;
  }
}

}  // namespace

std::shared_ptr<SkinData> make_skin_data(const Shared<mesh::Mesh>& mesh, const SkinDataKey& key,
                                         const glm::dmat3& shape_from_mesh, const SkinData* earlier,
                                         const SkinningSettings& settings, const Progress& progress,
                                         SkinCache::Work& work) {
  const SkinningMethod& method = skinning_methods()[settings.method];
  auto data = std::make_shared<SkinData>();
  data->mesh = mesh;
  make_influences(settings, earlier, *data, work);
  if (key.welded) {
    make_surface(earlier, shape_from_mesh, *data, work);
  }
  if (key.exact_normals) {
    data->weight_gradients = weight_gradients(data->surface);
  }
  if (method.prepare != nullptr) {
    ++work.prepared;
    data->prepared.resize(mesh->primitives.size());
    if (!method.prepare(data->surface, settings.parameters, progress, data->prepared.edit())) {
      return nullptr;
    }
    if (key.exact_normals && method.has_centers) {
      add_center_gradients(data->surface, data->prepared.get(), data->weight_gradients.edit());
    }
  }
  return data;
}

std::shared_ptr<SkinData> make_outdated(const Shared<mesh::Mesh>& mesh, const SkinData& earlier,
                                        const SkinningSettings& settings, SkinCache::Work& work) {
  auto data = std::make_shared<SkinData>();
  data->mesh = mesh;
  data->outdated = true;
  make_influences(settings, &earlier, *data, work);
  const SkinningMethod& method = skinning_methods()[settings.method];
  if (method.finish != nullptr || normals_under(method, settings.normals) == NormalVariant::kRecomputed ||
      settings.refine == Refine::kAfterSkin) {
    make_surface(&earlier, earlier.surface.shape_from_mesh, *data, work);
  }
  data->prepared = earlier.prepared;
  data->weight_gradients = earlier.weight_gradients;
  return data;
}

bool can_go_on_with(const mesh::Mesh& mesh, const SkinData& earlier) {
  return welds_alike(mesh, *earlier.mesh);
}

namespace {

template <typename T>
std::size_t array_bytes(const SharedArray<T>& array, const SharedArray<T>& beside) {
  return array.is(beside) ? 0 : array.size() * sizeof(T);
}

std::size_t rows_bytes(const Shared<mesh::Influences>& rows, const Shared<mesh::Influences>& beside) {
  std::size_t bytes = 0;
  if (!rows.is(beside)) {
    mesh::for_changed_blocks(*beside, *rows, [&](std::size_t b, std::size_t, std::size_t) {
      const mesh::Influences::Block& block = rows->block(b);
      bytes += block.joint.size() * (sizeof(std::uint16_t) + sizeof(float)) +
               block.stored_sum.size() * (sizeof(float) + sizeof(std::uint32_t));
    });
    bytes += rows->block_count() * sizeof(rows->blocks()[0]);
  }
  return bytes;
}

std::size_t primitive_bytes(const mesh::Primitive& p, const mesh::Primitive& beside) {
  std::size_t bytes = array_bytes(p.indices, beside.indices) + array_bytes(p.positions, beside.positions) +
                      array_bytes(p.normals, beside.normals) + array_bytes(p.tangents, beside.tangents) +
                      array_bytes(p.texcoords[0], beside.texcoords[0]) +
                      array_bytes(p.texcoords[1], beside.texcoords[1]) + array_bytes(p.colors, beside.colors) +
                      rows_bytes(p.influences, beside.influences);
  if (!p.morph_targets.is(beside.morph_targets)) {
    for (const mesh::MorphTarget& target : p.morph_targets) {
      bytes += (target.position_deltas.size() + target.normal_deltas.size() + target.tangent_deltas.size()) *
               sizeof(glm::vec3);
    }
  }
  return bytes;
}

std::size_t prepared_bytes(const SkinData& data) {
  std::size_t bytes = 0;
  for (const Prepared& p : data.prepared) {
    bytes += (p.per_vertex.size() + p.row_data.size()) * sizeof(glm::vec4) +
             p.rows.joint.size() * (sizeof(std::uint16_t) + sizeof(float)) + p.rows.offset.size() * 8;
  }
  for (const WeightGradients& g : data.weight_gradients) {
    bytes += g.offset.size() * sizeof(std::uint32_t) + g.joint.size() * (sizeof(std::uint16_t) + sizeof(glm::vec3)) +
             g.center.size() * sizeof(glm::mat3);
  }
  return bytes;
}

}  // namespace

std::size_t bytes_alone(const SkinData& data, const SkinData& beside) {
  std::size_t bytes =
      (data.surface.welded.size() + data.surface.representative.size() + data.surface.triangles.size()) *
      sizeof(std::uint32_t);
  if (!data.prepared.is(beside.prepared) || !data.weight_gradients.is(beside.weight_gradients)) {
    bytes += prepared_bytes(data);
  }
  static const mesh::Primitive kNone;
  static const Shared<mesh::Influences> kNoRows;
  for (std::size_t p = 0; p < data.mesh->primitives.size(); ++p) {
    const bool both = p < beside.mesh->primitives.size();
    bytes += primitive_bytes(data.mesh->primitives[p], both ? beside.mesh->primitives[p] : kNone);
    if (!data.influences.shared(p).is(data.mesh->primitives[p].influences)) {
      bytes += rows_bytes(data.influences.shared(p), both ? beside.influences.shared(p) : kNoRows);
    }
  }
  return bytes;
}

}  // namespace pelt::deform
