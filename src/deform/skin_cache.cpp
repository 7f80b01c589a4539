#include "deform/skin_cache.h"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <optional>

#include "core/expect.h"
#include "core/index.h"
#include "deform/followed_joints.h"
#include "deform/skin_data.h"

namespace pelt::deform {
namespace {

// Panes, what they are compared with, and the settings before the last few clicks.
constexpr std::size_t kSettingsPerMesh = 16;
// Entries of one mesh, current or not: what is looked through.
constexpr std::size_t kEntriesPerMesh = 256;
// Characters that are asked for in turn, such as one and the same with another surface.
constexpr std::size_t kBoundKept = 4;
constexpr std::size_t kCagesKept = 4;

// Meshes and settings of panes that go on with what was prepared before; of more each asks anew.
constexpr std::size_t kOutdatedKept = 16;

using Key = SkinDataKey;

bool has_influences(const mesh::Mesh& mesh) {
  return std::ranges::any_of(mesh.primitives, [](const mesh::Primitive& p) { return !p.influences->empty(); });
}

bool as_many_rows(const SharedList<mesh::Mesh>& a, const SharedList<mesh::Mesh>& b) {
  return std::ranges::equal(a, b, [](const mesh::Mesh& m, const mesh::Mesh& n) {
    return std::ranges::equal(
        m.primitives, n.primitives, {}, [](const mesh::Primitive& p) { return p.influences->vertex_count(); },
        [](const mesh::Primitive& p) { return p.influences->vertex_count(); });
  });
}

}  // namespace

struct SkinCache::State {
  struct Entry {
    Key key;
    Shared<mesh::Mesh> mesh;
    SharedList<rig::Skin> skins;
    glm::dmat3 shape_from_mesh;            // where something is welded
    std::shared_ptr<const SkinData> data;  // null while a thread is at it
    // What it holds and the next newer one of its key does not, once that was asked.
    std::shared_ptr<const SkinData> beside;
    std::size_t bytes_alone = 0;
  };
  // What skin_bindings() reads of a character. Joints that vertices follow are counted, so that an edit of weights
  // costs its blocks.
  struct Bound {
    Shared<rig::Skeleton> skeleton;
    SharedList<rig::Skin> skins;
    SharedList<mesh::Mesh> meshes;
    SharedArray<rig::MeshNode> mesh_nodes;
    FollowedJoints joints;
    std::vector<std::vector<char>> follows;
    std::shared_ptr<const std::vector<SkinBinding>> bindings;

    [[nodiscard]] bool is_of(const rig::Character& c) const {
      return skeleton.is(c.skeleton) && skins.is(c.skins) && mesh_nodes.is(c.mesh_nodes);
    }
  };
  // The control points of a character, as long as those and what they hang on are the same.
  struct Caged {
    Shared<rig::Skeleton> skeleton;
    SharedList<rig::Skin> skins;
    SharedArray<rig::MeshNode> mesh_nodes;
    SharedArray<rig::Part> parts;
    CageList cages;
    std::shared_ptr<const Cages> made;

    [[nodiscard]] bool is_of(const rig::Character& c, const CageList& of) const {
      return skeleton.is(c.skeleton) && skins.is(c.skins) && mesh_nodes.is(c.mesh_nodes) && parts.is(c.parts) &&
             std::ranges::equal(cages, of, [](const auto& a, const auto& b) { return a.is(b); });
    }
  };
  mutable std::mutex mutex;
  std::condition_variable done;
  std::list<Caged> caged;                     // last used first
  std::shared_ptr<SkinCache> cache_of_cages;  // null until one is asked for
  std::list<Entry> entries;                   // last used first
  std::list<Entry> outdated;                  // likewise; one of each key
  std::list<Bound> bound;                     // likewise
  bool serves_outdated = false;
  std::size_t most_superseded_bytes = 0;
  std::size_t superseded_bytes = 0;
  Work work;

  void trim(int mesh);
  static std::list<Entry>::iterator find_in(std::list<Entry>& list, const Key& key, const Shared<mesh::Mesh>& mesh,
                                            const glm::dmat3& shape_from_mesh) {
    return std::ranges::find_if(
        list, [&](const Entry& e) { return e.key == key && e.mesh.is(mesh) && e.shape_from_mesh == shape_from_mesh; });
  }
  std::list<Entry>::iterator find(const Key& key, const Shared<mesh::Mesh>& mesh, const glm::dmat3& shape_from_mesh) {
    return find_in(entries, key, mesh, shape_from_mesh);
  }
  // The last data under the same settings of what the mesh was before, or null.
  [[nodiscard]] std::shared_ptr<const SkinData> earlier(const Key& key) const {
    const auto found = std::ranges::find_if(entries, [&](const Entry& e) { return e.key == key && e.data != nullptr; });
    return found != entries.end() ? found->data : nullptr;
  }
  [[nodiscard]] std::shared_ptr<const SkinData> to_go_on_with(const rig::Character& character, const Key& key) const;
  [[nodiscard]] std::shared_ptr<const std::vector<SkinBinding>> bindings_of(const rig::Character& character);
  void put(Entry entry);
};

// Keeps of one mesh the current entry of each of the last settings, and of others as many as the bytes allow.
void SkinCache::State::trim(int mesh) {
  std::vector<std::list<Entry>::iterator> newest;  // of each key
  std::size_t count = 0;
  superseded_bytes = 0;
  for (auto e = entries.begin(); e != entries.end();) {
    const auto at = e++;
    if (at->data == nullptr) {
      continue;
    }
    const auto same_key =
        std::ranges::find_if(newest, [&](const std::list<Entry>::iterator& n) { return n->key == at->key; });
    bool drop = false;
    if (same_key == newest.end()) {
      drop = at->key.mesh == mesh && std::ranges::count_if(newest, [&](const auto& n) {
                                       return n->key.mesh == mesh;
                                     }) >= static_cast<std::ptrdiff_t>(kSettingsPerMesh);
      if (!drop) {
        newest.push_back(at);
      }
    } else {
      if (at->beside != (*same_key)->data) {
        at->beside = (*same_key)->data;
        at->bytes_alone = bytes_alone(*at->data, *at->beside);
      }
      count += static_cast<std::size_t>(at->key.mesh == mesh);
      drop = count > kEntriesPerMesh || superseded_bytes + at->bytes_alone > most_superseded_bytes;
      if (!drop) {
        superseded_bytes += at->bytes_alone;
        *same_key = at;
      }
    }
    if (drop) {
      entries.erase(at);
    }
  }
}

// What the mesh can go on with, of its own key, until its own is prepared. Null where it need not or cannot.
std::shared_ptr<const SkinData> SkinCache::State::to_go_on_with(const rig::Character& character, const Key& key) const {
  if (!key.prepares()) {
    return nullptr;
  }
  const mesh::Mesh& mesh = character.meshes[key.mesh];
  for (const std::list<Entry>* list : {&outdated, &entries}) {
    const auto found = std::ranges::find_if(*list, [&](const Entry& e) {
      return e.key == key && e.data != nullptr && e.skins.is(character.skins) && can_go_on_with(mesh, *e.data);
    });
    if (found != list->end()) {
      return found->data;
    }
  }
  return nullptr;
}

std::shared_ptr<const std::vector<SkinBinding>> SkinCache::State::bindings_of(const rig::Character& character) {
  auto found = std::ranges::find_if(
      bound, [&](const Bound& b) { return b.is_of(character) && as_many_rows(b.meshes, character.meshes); });
  if (found == bound.end()) {
    bound.push_front({character.skeleton, character.skins, {}, character.mesh_nodes, {}, {}, nullptr});
    if (bound.size() > kBoundKept) {
      bound.pop_back();
    }
  } else {
    bound.splice(bound.begin(), bound, found);
  }
  Bound& b = bound.front();
  if (b.bindings == nullptr || !b.meshes.is(character.meshes)) {
    b.joints.follow(character.meshes);
    b.meshes = character.meshes;
    std::vector<std::vector<char>> follows = b.joints.of_skins(character);
    if (b.bindings == nullptr || follows != b.follows) {
      b.follows = std::move(follows);
      b.bindings = std::make_shared<const std::vector<SkinBinding>>(skin_bindings(character, b.follows));
      ++work.bound;
    }
  }
  return b.bindings;
}

// Keeps what was prepared, and lets go of what stood in for it.
void SkinCache::State::put(Entry entry) {
  std::erase_if(outdated, [&](const Entry& e) { return e.key == entry.key && e.mesh.is(entry.mesh); });
  const int mesh = entry.key.mesh;
  entries.push_front(std::move(entry));
  trim(mesh);
}

SkinCache::SkinCache(std::size_t most_superseded_bytes) : state_(std::make_unique<State>()) {
  state_->most_superseded_bytes = most_superseded_bytes;
}
SkinCache::~SkinCache() = default;

void SkinCache::reset() {
  const std::lock_guard lock(state_->mutex);
  state_->entries.clear();
  state_->outdated.clear();
  state_->bound.clear();
  state_->caged.clear();
  state_->cache_of_cages = nullptr;
  state_->superseded_bytes = 0;
  state_->done.notify_all();
}

void SkinCache::serve_outdated(bool served) {
  const std::lock_guard lock(state_->mutex);
  state_->serves_outdated = served;
  if (state_->cache_of_cages != nullptr) {
    state_->cache_of_cages->serve_outdated(served);
  }
}

SkinCache::Work SkinCache::work() const {
  const std::lock_guard lock(state_->mutex);
  return state_->work;
}

SkinCache::Kept SkinCache::kept() const {
  const std::lock_guard lock(state_->mutex);
  return {state_->entries.size(), state_->superseded_bytes};
}

std::shared_ptr<const Cages> SkinCache::cages(const rig::Character& character) const {
  if (!has_cages(character)) {
    return nullptr;
  }
  CageList of = cages_in(character);
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  const auto found = std::ranges::find_if(s.caged, [&](const State::Caged& c) { return c.is_of(character, of); });
  if (found != s.caged.end()) {
    s.caged.splice(s.caged.begin(), s.caged, found);
    return s.caged.front().made;
  }
  if (s.cache_of_cages == nullptr) {
    s.cache_of_cages = std::make_shared<SkinCache>(s.most_superseded_bytes);
    s.cache_of_cages->serve_outdated(s.serves_outdated);
  }
  auto made = std::make_shared<Cages>(make_cages(character));
  made->cache = s.cache_of_cages;
  s.caged.push_front(
      {character.skeleton, character.skins, character.mesh_nodes, character.parts, std::move(of), std::move(made)});
  if (s.caged.size() > kCagesKept) {
    s.caged.pop_back();
  }
  return s.caged.front().made;
}

std::shared_ptr<const std::vector<SkinBinding>> SkinCache::bindings(const rig::Character& character) {
  const std::lock_guard lock(state_->mutex);
  return state_->bindings_of(character);
}

namespace {

// Of the first skin that a mesh hangs on: what is prepared is shared by all.
glm::dmat3 shape_from_mesh(const rig::Character& character, std::span<const SkinBinding> bindings, int mesh) {
  const auto node = std::ranges::find_if(
      character.mesh_nodes, [&](const rig::MeshNode& other) { return other.mesh == mesh && other.skin >= 0; });
  return node != character.mesh_nodes.end() ? bindings[node->skin].shape_from_mesh : glm::dmat3(1.0);
}

// Where an entry's surface is welded; the identity where none is.
glm::dmat3 welded_shape_of(const rig::Character& character, SkinCache& cache, const Key& key) {
  return key.welded ? shape_from_mesh(character, *cache.bindings(character), key.mesh) : glm::dmat3(1.0);
}

void add(SkinCache::Work& sum, const SkinCache::Work& more) {
  sum.blocks += more.blocks;
  sum.surfaces += more.surfaces;
  sum.prepared += more.prepared;
}

}  // namespace

// The data that stand in for those of the mesh's own weights, or null.
std::shared_ptr<const SkinData> SkinCache::stand_in(const rig::Character& character, const SkinDataKey& key,
                                                    const glm::dmat3& shape, const SkinningSettings& settings) {
  State& s = *state_;
  const Shared<mesh::Mesh> source = character.meshes.shared(static_cast<std::size_t>(key.mesh));
  std::shared_ptr<const SkinData> earlier;
  {
    const std::lock_guard lock(s.mutex);
    const auto own = s.find(key, source, shape);
    if (!s.serves_outdated || (own != s.entries.end() && own->data != nullptr)) {
      return nullptr;
    }
    if (const auto found = State::find_in(s.outdated, key, source, shape); found != s.outdated.end()) {
      return found->data;
    }
    earlier = s.to_go_on_with(character, key);
  }
  if (earlier == nullptr) {
    return nullptr;
  }
  Work work;
  std::shared_ptr<const SkinData> data = make_outdated(source, *earlier, settings, work);
  const std::lock_guard lock(s.mutex);
  add(s.work, work);
  std::erase_if(s.outdated, [&](const State::Entry& e) { return e.key == key; });
  s.outdated.push_front({key, source, character.skins, shape, data, nullptr, 0});
  if (s.outdated.size() > kOutdatedKept) {
    s.outdated.pop_back();
  }
  return data;
}

std::shared_ptr<const SkinData> SkinCache::get(const rig::Character& character, int mesh,
                                               const SkinningSettings& settings) {
  PELT_EXPECT(has_index(skinning_methods(), settings.method), "a row of skinning_methods()");
  const Key key = key_of(mesh, settings);
  const Shared<mesh::Mesh> source = character.meshes.shared(static_cast<std::size_t>(mesh));
  const glm::dmat3 shape = welded_shape_of(character, *this, key);
  if (std::shared_ptr<const SkinData> outdated = stand_in(character, key, shape, settings)) {
    return outdated;
  }
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
  s.entries.push_front({key, source, character.skins, shape, nullptr, nullptr, 0});
  lock.unlock();
  std::shared_ptr<const SkinData> data;
  Work work;
  try {
    data = make_skin_data(source, key, shape, earlier.get(), settings, {}, work);
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

Readiness SkinCache::readiness(const rig::Character& character, const SkinningSettings& settings) const {
  State& s = *state_;
  Readiness out = Readiness::kReady;
  if (!key_of(0, settings).prepares()) {
    return out;
  }
  if (settings.refine == Refine::kAfterSkin) {
    if (const std::shared_ptr<const Cages> points = cages(character)) {
      out = points->cache->readiness(points->character, settings_of_points(settings));
    }
  }
  if (out == Readiness::kMissing) {
    return out;
  }
  const std::lock_guard lock(s.mutex);
  const auto bindings = s.bindings_of(character);
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    if (!has_influences(character.meshes[m])) {
      continue;
    }
    const Key key = key_of(static_cast<int>(m), settings);
    const auto found =
        s.find(key, character.meshes.shared(m), shape_from_mesh(character, *bindings, static_cast<int>(m)));
    if (found != s.entries.end() && found->data != nullptr) {
      continue;
    }
    if (s.to_go_on_with(character, key) != nullptr) {
      out = Readiness::kOutdated;
    } else if (key.method >= 0) {
      return Readiness::kMissing;  // exact normals alone are made when they are asked for
    }
  }
  return out;
}

bool SkinCache::ready(const rig::Character& character, const SkinningSettings& settings) const {
  const SkinningMethod& method = skinning_methods()[settings.method];
  return method.prepare == nullptr || readiness(character, settings) == Readiness::kReady;
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
    const std::shared_ptr<const SkinData> data =
        make_skin_data(source, key, shape, earlier.get(), settings, part, work);
    const std::lock_guard lock(s.mutex);
    add(s.work, work);
    if (data == nullptr) {
      return false;
    }
    if (s.find(key, source, shape) == s.entries.end()) {
      s.put({key, source, character.skins, shape, data, nullptr, 0});
    }
  }
  const std::shared_ptr<const Cages> points =
      settings.refine == Refine::kAfterSkin ? cages(character) : std::shared_ptr<const Cages>();
  return points == nullptr || points->cache->prepare(points->character, settings_of_points(settings), progress);
}

}  // namespace pelt::deform
