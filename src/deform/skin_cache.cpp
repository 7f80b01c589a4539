#include "deform/skin_cache.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <list>
#include <tuple>

#include "core/expect.h"
#include "deform/skin_cor.h"

namespace pelt::deform {
namespace {

// Panes, what they are compared with, and the settings before the last few clicks.
constexpr std::size_t kEntriesPerMesh = 16;

// Settings that make no difference to SkinData are left out, so that they share an entry.
struct Key {
  int mesh = 0;
  int influence_limit = 0;
  float prune_threshold = 0;
  WeightFormat weight_format = WeightFormat::kFloat;
  int method = -1;  // only where it prepares or finishes
  MethodParameters parameters;
  bool exact_normals = false;
  bool welded = false;
  auto operator<=>(const Key&) const = default;
};

Key key_of(int mesh, const SkinningSettings& settings) {
  const SkinningMethod& method = skinning_methods()[static_cast<std::size_t>(settings.method)];
  Key key;
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
               normals == NormalVariant::kRecomputed;
  return key;
}

bool has_influences(const mesh::Mesh& mesh) {
  return std::ranges::any_of(mesh.primitives, [](const mesh::Primitive& p) { return !p.influences->empty(); });
}

}  // namespace

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

struct SkinCache::State {
  struct Entry {
    Key key;
    Shared<mesh::Mesh> mesh;
    glm::dmat3 shape_from_mesh;            // where something is welded
    std::shared_ptr<const SkinData> data;  // null while a thread is at it
  };
  // What skin_bindings() reads of a character.
  struct Bound {
    Shared<rig::Skeleton> skeleton;
    SharedList<rig::Skin> skins;
    SharedList<mesh::Mesh> meshes;
    SharedArray<rig::MeshNode> mesh_nodes;
    std::shared_ptr<const std::vector<SkinBinding>> bindings;

    [[nodiscard]] bool is_of(const rig::Character& c) const {
      return skeleton.is(c.skeleton) && skins.is(c.skins) && meshes.is(c.meshes) && mesh_nodes.is(c.mesh_nodes);
    }
  };
  mutable std::mutex mutex;
  std::condition_variable done;
  std::list<Entry> entries;  // last used first
  std::list<Bound> bound;    // likewise
  Work work;

  void trim(int mesh) {
    std::size_t of_mesh = 0;
    std::erase_if(entries, [&](const Entry& e) {
      return e.key.mesh == mesh && e.data != nullptr && ++of_mesh > kEntriesPerMesh;
    });
  }
  std::list<Entry>::iterator find(const Key& key, const Shared<mesh::Mesh>& mesh, const glm::dmat3& shape_from_mesh) {
    return std::ranges::find_if(entries, [&](const Entry& e) {
      return e.key == key && e.mesh.is(mesh) && e.shape_from_mesh == shape_from_mesh;
    });
  }
  // The last data under the same settings of what the mesh was before, or null.
  [[nodiscard]] std::shared_ptr<const SkinData> earlier(const Key& key) const {
    const auto found = std::ranges::find_if(entries, [&](const Entry& e) { return e.key == key && e.data != nullptr; });
    return found != entries.end() ? found->data : nullptr;
  }
  [[nodiscard]] std::shared_ptr<const std::vector<SkinBinding>> bindings_of(const rig::Character& character) {
    const auto found = std::ranges::find_if(bound, [&](const Bound& b) { return b.is_of(character); });
    if (found == bound.end()) {
      return nullptr;
    }
    bound.splice(bound.begin(), bound, found);
    return bound.front().bindings;
  }
};

SkinCache::SkinCache() : state_(std::make_unique<State>()) {}
SkinCache::~SkinCache() = default;

void SkinCache::reset() {
  const std::lock_guard lock(state_->mutex);
  state_->entries.clear();
  state_->bound.clear();
  state_->done.notify_all();
}

SkinCache::Work SkinCache::work() const {
  const std::lock_guard lock(state_->mutex);
  return state_->work;
}

std::shared_ptr<const std::vector<SkinBinding>> SkinCache::bindings(const rig::Character& character) {
  State& s = *state_;
  {
    const std::lock_guard lock(s.mutex);
    if (auto known = s.bindings_of(character)) {
      return known;
    }
  }
  // Another thread may do the same meanwhile; both get the same.
  auto made = std::make_shared<const std::vector<SkinBinding>>(skin_bindings(character));
  const std::lock_guard lock(s.mutex);
  if (auto known = s.bindings_of(character)) {
    return known;
  }
  s.bound.push_front({character.skeleton, character.skins, character.meshes, character.mesh_nodes, made});
  if (s.bound.size() > kEntriesPerMesh) {
    s.bound.pop_back();
  }
  return made;
}

namespace {

// Of the first skin that a mesh hangs on: what is prepared is shared by all.
glm::dmat3 shape_from_mesh(const rig::Character& character, std::span<const SkinBinding> bindings, int mesh) {
  const auto node = std::ranges::find_if(
      character.mesh_nodes, [&](const rig::MeshNode& other) { return other.mesh == mesh && other.skin >= 0; });
  return node != character.mesh_nodes.end() ? bindings[static_cast<std::size_t>(node->skin)].shape_from_mesh
                                            : glm::dmat3(1.0);
}

// Where an entry's surface is welded; the identity where none is.
glm::dmat3 welded_shape_of(const rig::Character& character, SkinCache& cache, const Key& key) {
  return key.welded ? shape_from_mesh(character, *cache.bindings(character), key.mesh) : glm::dmat3(1.0);
}

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

// Null when progress asked to stop.
// @param earlier  null, or data of the same key, of another mesh
std::shared_ptr<SkinData> make_data(const Shared<mesh::Mesh>& mesh, const Key& key, const glm::dmat3& shape_from_mesh,
                                    const SkinData* earlier, const SkinningSettings& settings, const Progress& progress,
                                    SkinCache::Work& work) {
  const SkinningMethod& method = skinning_methods()[static_cast<std::size_t>(settings.method)];
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
    if (!method.prepare(data->surface, settings.parameters, progress, data->prepared)) {
      return nullptr;
    }
    if (key.exact_normals && method.has_centers) {
      add_center_gradients(data->surface, data->prepared, data->weight_gradients);
    }
  }
  return data;
}

void add(SkinCache::Work& sum, const SkinCache::Work& more) {
  sum.blocks += more.blocks;
  sum.surfaces += more.surfaces;
  sum.prepared += more.prepared;
}

}  // namespace

std::shared_ptr<const SkinData> SkinCache::get(const rig::Character& character, int mesh,
                                               const SkinningSettings& settings) {
  PELT_EXPECT(settings.method >= 0 && static_cast<std::size_t>(settings.method) < skinning_methods().size(),
              "a row of skinning_methods()");
  const Key key = key_of(mesh, settings);
  const Shared<mesh::Mesh> source = character.meshes.shared(static_cast<std::size_t>(mesh));
  const glm::dmat3 shape = welded_shape_of(character, *this, key);
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  for (;;) {
    const auto found = s.find(key, source, shape);
    if (found == s.entries.end()) {
      break;
    }
    if (found->data != nullptr) {
      s.entries.splice(s.entries.begin(), s.entries, found);
      return s.entries.front().data;
    }
    s.done.wait(lock);
  }
  const std::shared_ptr<const SkinData> earlier = s.earlier(key);
  s.entries.push_front({key, source, shape, nullptr});
  lock.unlock();
  std::shared_ptr<const SkinData> data;
  Work work;
  try {
    data = make_data(source, key, shape, earlier.get(), settings, {}, work);
  } catch (...) {  // out of memory: whoever waits for this must try for itself
    lock.lock();
    if (const auto own = s.find(key, source, shape); own != s.entries.end() && own->data == nullptr) {
      s.entries.erase(own);
    }
    s.done.notify_all();
    throw;
  }
  lock.lock();
  add(s.work, work);
  // After a reset() there is no entry, or one of who asked since: that one gets the same.
  if (const auto own = s.find(key, source, shape); own != s.entries.end()) {
    own->data = data;
    s.trim(mesh);
  }
  s.done.notify_all();
  return data;
}

bool SkinCache::ready(const rig::Character& character, const SkinningSettings& settings) const {
  const SkinningMethod& method = skinning_methods()[static_cast<std::size_t>(settings.method)];
  if (method.prepare == nullptr) {
    return true;
  }
  const std::lock_guard lock(state_->mutex);
  const auto bindings = state_->bindings_of(character);
  if (bindings == nullptr) {
    return std::ranges::none_of(character.meshes, has_influences);
  }
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    if (has_influences(character.meshes[m])) {
      const int mesh = static_cast<int>(m);
      const auto found =
          state_->find(key_of(mesh, settings), character.meshes.shared(m), shape_from_mesh(character, *bindings, mesh));
      if (found == state_->entries.end() || found->data == nullptr) {
        return false;
      }
    }
  }
  return true;
}

bool SkinCache::prepare(const rig::Character& character, const SkinningSettings& settings, const Progress& progress) {
  State& s = *state_;
  const auto count = static_cast<float>(character.meshes.size());
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    if (!has_influences(character.meshes[m])) {
      continue;
    }
    const Key key = key_of(static_cast<int>(m), settings);
    const Shared<mesh::Mesh> source = character.meshes.shared(m);
    const glm::dmat3 shape = welded_shape_of(character, *this, key);
    std::shared_ptr<const SkinData> earlier;
    {
      const std::lock_guard lock(s.mutex);
      if (s.find(key, source, shape) != s.entries.end()) {
        continue;  // here already, or another thread is at it and get() will wait for it
      }
      earlier = s.earlier(key);
    }
    const Progress part = [&](float fraction, std::string_view what) {
      return report(progress, (static_cast<float>(m) + fraction) / count, what);
    };
    Work work;
    const std::shared_ptr<const SkinData> data = make_data(source, key, shape, earlier.get(), settings, part, work);
    const std::lock_guard lock(s.mutex);
    add(s.work, work);
    if (data == nullptr) {
      return false;
    }
    if (s.find(key, source, shape) == s.entries.end()) {
      s.entries.push_front({key, source, shape, data});
      s.trim(static_cast<int>(m));
    }
  }
  return true;
}

}  // namespace pelt::deform
