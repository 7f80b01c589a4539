#include "rig/character_delta.h"

#include <optional>
#include <unordered_map>
#include <utility>

#include "core/expect.h"
#include "rig/character_parts.h"
#include "rig/clip_changes.h"

namespace pelt::rig {
namespace {

using MeshDelta = CharacterDelta::MeshDelta;
using PrimitiveDelta = CharacterDelta::PrimitiveDelta;

struct Place {
  std::size_t mesh = 0;
  std::size_t primitive = 0;
};

class Differ {
 public:
  Differ(const Character& from, const Character& to) : from_(from), to_(to) {
    delta_.rest = to;
    delta_.rest.meshes = {};
    delta_.rest.clips = {};
    delta_.bytes = sizeof(CharacterDelta) + bytes_changed(from, delta_.rest);
    delta_.has_same_clips = to.clips.is(from.clips);
    for (std::size_t c = 0; !delta_.has_same_clips && c < to.clips.size(); ++c) {
      add_clip(c);
    }
    delta_.has_same_meshes = to.meshes.is(from.meshes);
    delta_.mesh_count = to.meshes.size();
    for (std::size_t m = 0; !delta_.has_same_meshes && m < to.meshes.size(); ++m) {
      if (m >= from.meshes.size() || !to.meshes.shared(m).is(from.meshes.shared(m))) {
        add_mesh(m);
      }
    }
    for (const CharacterDelta::Weights& weights : delta_.weights) {
      delta_.bytes += sizeof(weights) + weights.patch.bytes();
    }
  }

  CharacterDelta take() { return std::move(delta_); }

 private:
  void add_clip(std::size_t c) {
    CharacterDelta::ClipDelta clip;
    for (std::size_t f = 0; f < from_.clips.size() && !clip.is_same; ++f) {
      clip.is_same = to_.clips.shared(c).is(from_.clips.shared(f));
      clip.from = clip.is_same ? static_cast<int>(f) : -1;
    }
    delta_.bytes += sizeof(clip);
    if (!clip.is_same) {
      clip.rest = to_.clips[c];
      clip.from = c < from_.clips.size() ? static_cast<int>(c) : -1;
      clip.kept.assign(clip.rest.channels.size(), 0);
      for (std::size_t i = 0; i < clip.kept.size(); ++i) {
        Channel& channel = clip.rest.channels[i];
        if (clip.from >= 0 && i < from_.clips[c].channels.size() && same_channel(channel, from_.clips[c].channels[i])) {
          clip.kept[i] = 1;
          channel = {};
        }
        delta_.bytes += sizeof(Channel) + 1 + (channel.times.size() + channel.values.size()) * sizeof(float);
      }
      for (const PropertyChannel& property : clip.rest.properties) {
        delta_.bytes += sizeof(property) + property.property.size() +
                        (property.keys.times.size() + property.keys.values.size()) * sizeof(float);
      }
    }
    delta_.clips.push_back(std::move(clip));
  }

  void add_mesh(std::size_t m) {
    static const mesh::Mesh kNone;
    const mesh::Mesh& from = m < from_.meshes.size() ? from_.meshes[m] : kNone;
    const mesh::Mesh& to = to_.meshes[m];
    MeshDelta mesh{.mesh = m, .rest = to};
    mesh.rest.primitives = {};
    mesh.has_same_primitives = m < from_.meshes.size() && to.primitives.is(from.primitives);
    mesh.primitive_count = to.primitives.size();
    delta_.bytes += sizeof(MeshDelta) + bytes_changed(from, mesh.rest);
    for (std::size_t p = 0; !mesh.has_same_primitives && p < to.primitives.size(); ++p) {
      if (p >= from.primitives.size() || !to.primitives.shared(p).is(from.primitives.shared(p))) {
        add_primitive({m, p}, mesh);
      }
    }
    delta_.meshes.push_back(std::move(mesh));
  }

  void add_primitive(Place place, MeshDelta& mesh) {
    static const mesh::Primitive kNone;
    const mesh::Primitive* const there = primitive_of_from(place);
    PrimitiveDelta primitive{.primitive = place.primitive, .rest = to_.meshes[place.mesh].primitives[place.primitive]};
    primitive.weights = weights_of(primitive.rest.influences, place, there);
    if (primitive.weights >= 0) {
      primitive.rest.influences = {};
    }
    // Of its own weights all blocks count: `from` may be kept without those that both share.
    mesh::Primitive shared = there != nullptr ? *there : kNone;
    shared.influences = {};
    delta_.bytes += sizeof(PrimitiveDelta) + bytes_changed(shared, primitive.rest);
    mesh.primitives.push_back(std::move(primitive));
  }

  [[nodiscard]] const mesh::Primitive* primitive_of_from(Place place) const {
    const bool is_there =
        place.mesh < from_.meshes.size() && place.primitive < from_.meshes[place.mesh].primitives.size();
    return is_there ? &from_.meshes[place.mesh].primitives[place.primitive] : nullptr;
  }

  // @return index into weights; -1 where nothing of `from` helps
  int weights_of(const Shared<mesh::Influences>& to, Place place, const mesh::Primitive* there) {
    const auto [known, is_new] = known_.try_emplace(&*to, -1);
    if (!is_new) {
      return known->second;
    }
    if (const std::optional<Place> same = where_in_from(to, place, there)) {
      known->second = add_weights({same->mesh, same->primitive, {}});
    } else if (there != nullptr && !to->empty() && there->influences->vertex_count() == to->vertex_count()) {
      known->second = add_weights({place.mesh, place.primitive, mesh::patch_between(there->influences, to)});
    }
    return known->second;
  }

  int add_weights(CharacterDelta::Weights weights) {
    delta_.weights.push_back(std::move(weights));
    return static_cast<int>(delta_.weights.size()) - 1;
  }

  // A primitive of `from` that has the very same weights.
  std::optional<Place> where_in_from(const Shared<mesh::Influences>& to, Place place, const mesh::Primitive* there) {
    if (there != nullptr && there->influences.is(to)) {
      return place;
    }
    if (places_.empty()) {
      for (std::size_t m = 0; m < from_.meshes.size(); ++m) {
        for (std::size_t p = 0; p < from_.meshes[m].primitives.size(); ++p) {
          places_.try_emplace(&*from_.meshes[m].primitives[p].influences, Place{m, p});
        }
      }
    }
    const auto found = places_.find(&*to);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

  const Character& from_;
  const Character& to_;
  CharacterDelta delta_;
  std::unordered_map<const mesh::Influences*, int> known_;     // of `to`: index into weights
  std::unordered_map<const mesh::Influences*, Place> places_;  // of `from`; made when it is asked
};

SharedList<Clip> applied_clips(const CharacterDelta& delta, const Character& from) {
  SharedList<Clip> out;
  for (const CharacterDelta::ClipDelta& clip : delta.clips) {
    if (clip.is_same) {
      out.push_back(from.clips.shared(clip.from));
      continue;
    }
    Clip made = clip.rest;
    for (std::size_t i = 0; i < made.channels.size(); ++i) {
      if (clip.kept[i] != 0) {
        made.channels[i] = from.clips[clip.from].channels[i];
      }
    }
    out.push_back(std::move(made));
  }
  return out;
}

}  // namespace

CharacterDelta delta_between(const Character& from, const Character& to) {
  return Differ(from, to).take();
}

Character applied(const CharacterDelta& delta, const Character& from) {
  std::vector<Shared<mesh::Influences>> weights;
  for (const CharacterDelta::Weights& each : delta.weights) {
    const Shared<mesh::Influences>& there = from.meshes.at(each.mesh).primitives.at(each.primitive).influences;
    weights.push_back(each.patch.empty() ? there : Shared<mesh::Influences>(mesh::patched(there, each.patch)));
  }
  Character out = delta.rest;
  out.clips = delta.has_same_clips ? from.clips : applied_clips(delta, from);
  out.meshes = from.meshes;
  if (delta.has_same_meshes) {
    return out;
  }
  std::vector<Shared<mesh::Mesh>>& meshes = out.meshes.edit_items();
  meshes.resize(delta.mesh_count);
  for (const MeshDelta& mesh : delta.meshes) {
    mesh::Mesh made = mesh.rest;
    if (mesh.mesh < from.meshes.size()) {
      made.primitives = from.meshes[mesh.mesh].primitives;
    }
    if (!mesh.has_same_primitives) {
      std::vector<Shared<mesh::Primitive>>& primitives = made.primitives.edit_items();
      primitives.resize(mesh.primitive_count);
      for (const PrimitiveDelta& primitive : mesh.primitives) {
        mesh::Primitive whole = primitive.rest;
        if (primitive.weights >= 0) {
          whole.influences = weights[primitive.weights];
        }
        primitives[primitive.primitive] = std::move(whole);
      }
    }
    meshes[mesh.mesh] = std::move(made);
  }
  return out;
}

}  // namespace pelt::rig
