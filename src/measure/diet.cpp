#include "measure/diet.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "deform/deform.h"
#include "deform/draw_batches.h"
#include "deform/skinning_methods.h"
#include "rig/kinematics.h"

namespace pelt::measure {
namespace {

const deform::SkinningMethod& method_of(const deform::SkinningSettings& settings) {
  return deform::skinning_methods()[settings.method];
}

// Bytes of everything that a vertex of the primitive has besides its influences.
std::int64_t attribute_bytes(const mesh::Primitive& primitive, int vec4s_per_vertex) {
  std::size_t bytes = sizeof(glm::vec3) + static_cast<std::size_t>(vec4s_per_vertex) * sizeof(glm::vec4);
  bytes += primitive.normals.empty() ? 0 : sizeof(glm::vec3);
  bytes += primitive.tangents.empty() ? 0 : sizeof(glm::vec4);
  bytes += primitive.texcoords[0].empty() ? 0 : sizeof(glm::vec2);
  bytes += primitive.texcoords[1].empty() ? 0 : sizeof(glm::vec2);
  bytes += primitive.colors.empty() ? 0 : sizeof(glm::vec4);
  bytes += primitive.morph_targets.empty() ? 0 : sizeof(std::uint32_t);
  return static_cast<std::int64_t>(bytes);
}

// What is streamed where the CPU skins.
std::int64_t streamed_bytes(const mesh::Primitive& primitive) {
  return static_cast<std::int64_t>(std::as_bytes(std::span(primitive.positions)).size() +
                                   std::as_bytes(std::span(primitive.normals)).size() +
                                   std::as_bytes(std::span(primitive.tangents)).size());
}

// Influence rows and batches of one primitive under one skin.
struct PrimitiveCost {
  std::int64_t influence_bytes = 0;
  std::int64_t vertices_with_influences = 0;
  std::int64_t resident_bytes = 0;
  std::int64_t palette_joints = 0;
  int drawn_batches = 0;
  std::int64_t rigid_triangles = 0;
  std::int64_t skinned_triangles = 0;
};

PrimitiveCost primitive_cost(const mesh::Primitive& primitive, std::size_t joint_count,
                             const deform::SkinningSettings& settings) {
  const mesh::Influences influences = deform::effective_influences(primitive, settings);
  int cap = settings.palette_limit;
  if (cap > 0 && joint_count > static_cast<std::size_t>(cap)) {
    cap = std::max(cap, deform::widest_element(primitive, influences));
  }
  const auto batches = deform::make_draw_batches(primitive, influences, cap,
                                                 settings.partition && deform::can_partition(primitive, settings));
  PrimitiveCost cost;
  if (!batches) {
    return cost;  // the cap is at least the widest element
  }
  const std::int64_t per_vertex = attribute_bytes(primitive, method_of(settings).vec4s_per_vertex);
  int slots = 0;
  std::size_t largest_palette = 0;
  for (const deform::DrawBatch& batch : *batches) {
    const auto vertices = static_cast<std::int64_t>(batch.vertices.size());
    const auto triangles = static_cast<std::int64_t>(
        primitive.topology == mesh::Topology::kTriangles ? batch.elements.size() : std::size_t{0});
    cost.palette_joints += static_cast<std::int64_t>(batch.palette.size());
    cost.drawn_batches += batch.indices.empty() ? 0 : 1;
    cost.resident_bytes += vertices * per_vertex;
    cost.resident_bytes += static_cast<std::int64_t>(batch.indices.size() * sizeof(std::uint32_t));
    if (batch.rigid) {
      cost.rigid_triangles += triangles;
      continue;
    }
    cost.skinned_triangles += triangles;
    cost.vertices_with_influences += vertices;
    largest_palette = std::max(largest_palette, batch.palette.size());
    for (const std::uint32_t v : batch.vertices) {
      slots = std::max(slots, static_cast<int>(influences.count(v)));
    }
  }
  cost.influence_bytes =
      cost.vertices_with_influences * mesh::influence_bytes_per_vertex(settings.weight_format, slots, largest_palette);
  cost.resident_bytes += cost.influence_bytes;
  return cost;
}

// Weights that differ by less are one weight, divided and normalised in another order: a fortieth of the finest step
// that a format rounds to.
constexpr float kSameWeight = 4e-7f;

// [V] whether the diet changes what a vertex follows.
std::vector<char> changed_rows(const mesh::Influences& full, const mesh::Influences& diet, bool as_stored) {
  std::vector<char> out(full.vertex_count(), 0);
  for (std::size_t v = 0; v < out.size(); ++v) {
    const mesh::InfluenceRow before = full.row(v);
    const mesh::InfluenceRow after = diet.row(v);
    const float full_sum = as_stored ? before.stored_sum : 1.0f;
    const float diet_sum = as_stored ? after.stored_sum : 1.0f;
    bool same = before.joints.size() == after.joints.size();
    for (std::size_t k = 0; same && k < before.joints.size(); ++k) {
      // Equal weights may change places.
      const auto found = std::ranges::find(after.joints, before.joints[k]);
      same = found != after.joints.end() && std::abs(after.weights[found - after.joints.begin()] * diet_sum -
                                                     before.weights[k] * full_sum) <= kSameWeight;
    }
    out[v] = same ? 0 : 1;
  }
  return out;
}

// [parts][V] whether the diet may move a vertex: where its own row changes, and under methods that look at neighbours
// anywhere in a mesh where one does. Other vertices differ by the order of sums alone, which is no cost of a diet.
std::vector<std::vector<char>> changed_vertices(const rig::Character& character, const deform::SkinningSettings& diet,
                                                const deform::SkinningSettings& full) {
  const deform::SkinningMethod& method = method_of(diet);
  const bool by_mesh = method.prepare != nullptr || method.finish != nullptr;
  std::vector<char> mesh_changes(character.meshes.size(), 0);
  std::vector<std::vector<char>> out(character.parts.size());
  for (std::size_t p = 0; p < out.size(); ++p) {
    const rig::Part& part = character.parts[p];
    if (deform::is_skinned(character, part)) {
      const mesh::Primitive& primitive = character.primitive(part);
      out[p] = changed_rows(deform::effective_influences(primitive, full),
                            deform::effective_influences(primitive, diet), diet.weights_as_stored);
      char& of_mesh = mesh_changes[part.mesh];
      of_mesh = of_mesh != 0 || std::ranges::find(out[p], 1) != out[p].end() ? 1 : 0;
    }
  }
  for (std::size_t p = 0; by_mesh && p < out.size(); ++p) {
    std::ranges::fill(out[p], mesh_changes[character.parts[p].mesh]);
  }
  return out;
}

std::int64_t reduced_vertices(const mesh::Primitive& primitive, const deform::SkinningSettings& settings) {
  const mesh::Influences kept = deform::effective_influences(primitive, settings);
  std::int64_t reduced = 0;
  for (std::size_t v = 0; v < kept.vertex_count(); ++v) {
    reduced += kept.count(v) < primitive.influences->count(v) ? 1 : 0;
  }
  return reduced;
}

}  // namespace

double InfluenceHistogram::share(std::size_t k) const {
  return k < vertices.size() && total > 0 ? static_cast<double>(vertices[k]) / static_cast<double>(total) : 0.0;
}

double InfluenceHistogram::mean() const {
  double sum = 0;
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    sum += static_cast<double>(k) * share(k);
  }
  return sum;
}

ReducedInfluences reduced_influences(const rig::Character& character, const deform::SkinningSettings& settings) {
  ReducedInfluences reduced;
  if (settings.influence_limit == 0 && settings.prune_threshold == 0) {
    return reduced;
  }
  deform::SkinningSettings asked = settings;
  asked.weight_format = deform::WeightFormat::kFloat;  // rounding to nothing is the format's doing
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      const mesh::Influences kept = deform::effective_influences(primitive, asked);
      for (std::size_t v = 0; v < kept.vertex_count(); ++v) {
        const std::uint32_t before = primitive.influences->count(v);
        if (kept.count(v) < before) {
          ++reduced.vertices;
          reduced.most = std::max(reduced.most, static_cast<int>(before));
        }
      }
    }
  }
  return reduced;
}

InfluenceHistogram influence_histogram(const rig::Character& character, const deform::SkinningSettings& settings) {
  InfluenceHistogram histogram;
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      const mesh::Influences rows = deform::effective_influences(primitive, settings);
      for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
        const std::size_t count = rows.count(v);
        histogram.vertices.resize(std::max(histogram.vertices.size(), count + 1));
        ++histogram.vertices[count];
        ++histogram.total;
      }
    }
  }
  return histogram;
}

DietCost diet_cost(const rig::Character& character, const deform::SkinningSettings& settings) {
  const deform::SkinningMethod& method = method_of(settings);
  const deform::NormalVariant normals = deform::normals_under(method, settings.normals);
  const bool shader = !method.shader.empty() && normals != deform::NormalVariant::kExact &&
                      normals != deform::NormalVariant::kRecomputed;
  DietCost cost;
  std::int64_t vertices_with_influences = 0;
  // Parts that show the same primitive share its buffers.
  std::set<std::tuple<int, int, bool>> counted;
  for (const rig::Part& part : character.parts) {
    const mesh::Primitive& primitive = character.primitive(part);
    const bool skinned = deform::is_skinned(character, part);
    const bool in_shader = skinned && shader &&
                           !(settings.refine == deform::Refine::kAfterSkin && primitive.has_cage()) &&
                           deform::influence_limit_of(primitive, settings) <= deform::kShaderInfluences;
    const bool is_new = counted.insert({part.mesh, part.primitive, in_shader}).second;
    if (skinned && is_new && !(settings == full_precision(settings))) {
      cost.reduced_vertices += reduced_vertices(primitive, settings);
    }
    if (!in_shader) {
      cost.draw_calls += primitive.indices.empty() ? 0 : 1;
      cost.upload_bytes += skinned ? streamed_bytes(primitive) : 0;
      cost.skinned_triangles += skinned ? static_cast<std::int64_t>(primitive.triangle_count()) : 0;
      if (is_new) {
        cost.resident_bytes += static_cast<std::int64_t>(primitive.vertex_count()) * attribute_bytes(primitive, 0) +
                               static_cast<std::int64_t>(primitive.indices.size() * sizeof(std::uint32_t));
      }
      continue;
    }
    const PrimitiveCost of_part = primitive_cost(primitive, character.skins[part.skin].joints.size(), settings);
    cost.batches += of_part.drawn_batches;
    cost.draw_calls += of_part.drawn_batches;
    cost.upload_bytes += of_part.palette_joints * method.vec4s_per_joint * static_cast<std::int64_t>(sizeof(glm::vec4));
    cost.rigid_triangles += of_part.rigid_triangles;
    cost.skinned_triangles += of_part.skinned_triangles;
    if (is_new) {
      cost.influence_bytes += of_part.influence_bytes;
      cost.resident_bytes += of_part.resident_bytes;
      vertices_with_influences += of_part.vertices_with_influences;
    }
  }
  if (vertices_with_influences > 0) {
    cost.bytes_per_vertex = static_cast<double>(cost.influence_bytes) / static_cast<double>(vertices_with_influences);
  }
  return cost;
}

deform::SkinningSettings full_precision(const deform::SkinningSettings& settings) {
  deform::SkinningSettings full = settings;
  full.influence_limit = 0;
  full.prune_threshold = 0;
  full.weight_format = deform::WeightFormat::kFloat;
  return full;
}

struct DietMeter::State {
  std::shared_ptr<deform::SkinCache> cache;
  deform::CpuDeformer on_diet;
  deform::CpuDeformer full;
  deform::DeformedCharacter diet_shape;
  deform::DeformedCharacter full_shape;
  rig::WorldMatrices world;
};

DietMeter::DietMeter(std::shared_ptr<deform::SkinCache> cache) : state_(std::make_unique<State>()) {
  state_->cache = cache != nullptr ? std::move(cache) : std::make_shared<deform::SkinCache>();
  reset();
}
DietMeter::~DietMeter() = default;
DietMeter::DietMeter(DietMeter&&) noexcept = default;
DietMeter& DietMeter::operator=(DietMeter&&) noexcept = default;

void DietMeter::reset() {
  state_->cache->reset();
  state_->on_diet = deform::CpuDeformer(state_->cache);
  state_->full = deform::CpuDeformer(state_->cache);
  state_->world = {};
}

std::optional<DietError> DietMeter::measure(const rig::Character& character, const deform::SkinningSettings& settings,
                                            std::span<const rig::Pose> poses, const Progress& progress) {
  return measure(
      character, settings, poses.size(), [poses](std::size_t n) { return poses[n]; }, progress);
}

std::optional<DietError> DietMeter::measure(const rig::Character& character, const deform::SkinningSettings& settings,
                                            std::size_t pose_count,
                                            const std::function<rig::Pose(std::size_t)>& pose_of,
                                            const Progress& progress) {
  State& s = *state_;
  DietError error;
  const deform::SkinningSettings full = full_precision(settings);
  if (full == settings) {
    return error;
  }
  // What is made only for others of the same settings; positions do not depend on it.
  deform::SkinningSettings diet = settings;
  deform::SkinningSettings reference = full;
  diet.normals = reference.normals = deform::NormalVariant::kInverseTransposeOfBlend;
  for (const deform::SkinningSettings* side : {&diet, &reference}) {
    if (!s.cache->prepare(character, *side, progress)) {
      return std::nullopt;
    }
  }

  const std::vector<std::vector<char>> changed = changed_vertices(character, diet, reference);
  double squares = 0;
  std::int64_t count = 0;
  for (std::size_t n = 0; n < pose_count; ++n) {
    if (!report(progress, static_cast<float>(n) / static_cast<float>(pose_count), "Measuring poses")) {
      return std::nullopt;
    }
    const rig::Pose pose = pose_of(n);
    s.world.evaluate(character.skeleton, pose);
    s.on_diet.deform(character, pose, s.world.world(), diet, s.diet_shape);
    s.full.deform(character, pose, s.world.world(), reference, s.full_shape);
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      if (!deform::is_skinned(character, character.parts[p])) {
        continue;
      }
      for (std::size_t v = 0; v < s.full_shape.parts[p].positions.size(); ++v) {
        const glm::dvec3 shift =
            glm::dvec3(s.diet_shape.parts[p].positions[v]) - glm::dvec3(s.full_shape.parts[p].positions[v]);
        const double distance = glm::length(shift);
        if (!std::isfinite(distance)) {
          continue;
        }
        if (changed[p][v] == 0) {
          ++count;
          continue;
        }
        squares += distance * distance;
        ++count;
        if (distance > error.max) {
          error.max = distance;
          error.worst_pose = static_cast<int>(n);
          error.worst_part = static_cast<int>(p);
          error.worst_vertex = static_cast<std::int64_t>(v);
        }
      }
    }
  }
  error.rms = count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0.0;
  report(progress, 1.0f, "Measuring poses");
  return error;
}

}  // namespace pelt::measure
