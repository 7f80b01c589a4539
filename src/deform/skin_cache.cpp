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

mesh::Influences effective_influences(const mesh::Primitive& primitive, const SkinningSettings& settings) {
  if (settings.influence_limit == 0 && settings.prune_threshold == 0) {
    return mesh::quantized_influences(primitive.influences, settings.weight_format);
  }
  const int limit = settings.influence_limit > 0 ? settings.influence_limit : std::numeric_limits<int>::max();
  return mesh::quantized_influences(mesh::limit_influences(primitive.influences, limit, settings.prune_threshold),
                                    settings.weight_format);
}

struct SkinCache::State {
  struct Entry {
    Key key;
    std::shared_ptr<const SkinData> data;  // null while a thread is at it
  };
  mutable std::mutex mutex;
  std::condition_variable done;
  const rig::Character* character = nullptr;
  std::uint64_t generation = 0;
  std::list<Entry> entries;                                  // last used first
  std::shared_ptr<const std::vector<SkinBinding>> bindings;  // null until asked for

  void bind(const rig::Character& c) {
    if (character != &c) {
      character = &c;
      ++generation;
      entries.clear();
      bindings.reset();
    }
  }
  void trim(int mesh) {
    std::size_t of_mesh = 0;
    std::erase_if(entries, [&](const Entry& e) {
      return e.key.mesh == mesh && e.data != nullptr && ++of_mesh > kEntriesPerMesh;
    });
  }
  std::list<Entry>::iterator find(const Key& key) {
    return std::ranges::find_if(entries, [&](const Entry& e) { return e.key == key; });
  }
};

SkinCache::SkinCache() : state_(std::make_unique<State>()) {}
SkinCache::~SkinCache() = default;

void SkinCache::reset() {
  const std::lock_guard lock(state_->mutex);
  state_->character = nullptr;
  ++state_->generation;
  state_->entries.clear();
  state_->bindings.reset();
  state_->done.notify_all();
}

std::shared_ptr<const std::vector<SkinBinding>> SkinCache::bindings(const rig::Character& character) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  s.bind(character);
  if (s.bindings != nullptr) {
    return s.bindings;
  }
  const std::uint64_t generation = s.generation;
  lock.unlock();
  // Another thread may do the same meanwhile; both get the same.
  auto made = std::make_shared<const std::vector<SkinBinding>>(skin_bindings(character));
  lock.lock();
  if (s.generation == generation) {
    s.bindings = made;
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

// Null when progress asked to stop. @param cache  whose bindings are read where the surface is welded
std::shared_ptr<SkinData> make_data(const rig::Character& character, SkinCache& cache, const Key& key,
                                    const SkinningSettings& settings, const Progress& progress) {
  const mesh::Mesh& mesh = character.meshes[static_cast<std::size_t>(key.mesh)];
  const SkinningMethod& method = skinning_methods()[static_cast<std::size_t>(settings.method)];
  auto data = std::make_shared<SkinData>();
  data->influences.reserve(mesh.primitives.size());
  for (const mesh::Primitive& primitive : mesh.primitives) {
    data->influences.push_back(effective_influences(primitive, settings));
  }
  if (key.welded) {
    std::vector<const mesh::Primitive*> primitives;
    std::vector<const mesh::Influences*> influences;
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      primitives.push_back(&mesh.primitives[p]);
      influences.push_back(&data->influences[p]);
    }
    data->surface = mesh::make_mesh_surface(primitives, influences,
                                            shape_from_mesh(character, *cache.bindings(character), key.mesh));
  }
  if (key.exact_normals) {
    data->weight_gradients = weight_gradients(data->surface);
  }
  if (method.prepare != nullptr) {
    data->prepared.resize(mesh.primitives.size());
    if (!method.prepare(data->surface, settings.parameters, progress, data->prepared)) {
      return nullptr;
    }
    if (key.exact_normals && method.has_centers) {
      add_center_gradients(data->surface, data->prepared, data->weight_gradients);
    }
  }
  return data;
}

}  // namespace

std::shared_ptr<const SkinData> SkinCache::get(const rig::Character& character, int mesh,
                                               const SkinningSettings& settings) {
  PELT_EXPECT(settings.method >= 0 && static_cast<std::size_t>(settings.method) < skinning_methods().size(),
              "a row of skinning_methods()");
  const Key key = key_of(mesh, settings);
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  s.bind(character);
  for (;;) {
    const auto found = s.find(key);
    if (found == s.entries.end()) {
      break;
    }
    if (found->data != nullptr) {
      s.entries.splice(s.entries.begin(), s.entries, found);
      return s.entries.front().data;
    }
    s.done.wait(lock);
    s.bind(character);
  }
  s.entries.push_front({key, nullptr});
  const std::uint64_t generation = s.generation;
  lock.unlock();
  std::shared_ptr<const SkinData> data;
  try {
    data = make_data(character, *this, key, settings, {});
  } catch (...) {  // out of memory: whoever waits for this must try for itself
    lock.lock();
    if (s.generation == generation) {
      s.entries.erase(s.find(key));
    }
    s.done.notify_all();
    throw;
  }
  lock.lock();
  if (s.generation == generation) {
    s.find(key)->data = data;
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
  if (state_->character != &character) {
    return false;
  }
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    if (has_influences(character.meshes[m])) {
      const auto found = state_->find(key_of(static_cast<int>(m), settings));
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
    std::uint64_t generation = 0;
    {
      const std::lock_guard lock(s.mutex);
      s.bind(character);
      if (s.find(key) != s.entries.end()) {
        continue;  // here already, or another thread is at it and get() will wait for it
      }
      generation = s.generation;
    }
    const Progress part = [&](float fraction, std::string_view what) {
      return report(progress, (static_cast<float>(m) + fraction) / count, what);
    };
    const std::shared_ptr<const SkinData> data = make_data(character, *this, key, settings, part);
    if (data == nullptr) {
      return false;
    }
    const std::lock_guard lock(s.mutex);
    if (s.generation == generation && s.find(key) == s.entries.end()) {
      s.entries.push_front({key, data});
      s.trim(static_cast<int>(m));
    }
  }
  return true;
}

}  // namespace pelt::deform
