// One walk over everything that a character is made of, for whoever has to look at all of it.
//
// Each struct is taken apart by a structured binding, so that one with another member does not compile before the walk
// knows it too.
#include "rig/character_parts.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/content_hash.h"

namespace pelt::rig {
namespace {

template <typename... T>
auto refer(const T&... members) {
  return std::tuple<const T&...>(members...);
}

// clang-format off
auto members(const Transform& x) { const auto& [a, b, c] = x; return refer(a, b, c); }
auto members(const Diagnostic& x) { const auto& [a, b, c, d, e] = x; return refer(a, b, c, d, e); }
auto members(const mesh::KeptAttribute& x) { const auto& [a, b, c, d, e, f] = x; return refer(a, b, c, d, e, f); }
auto members(const mesh::MorphTarget& x) { const auto& [a, b, c, d, e] = x; return refer(a, b, c, d, e); }
auto members(const mesh::Influences& x) { return refer(x.blocks()); }
auto members(const mesh::Influences::Block& x) { const auto& [a, b, c, d] = x; return refer(a, b, c, d); }
auto members(const mesh::VariantMaterial& x) { const auto& [a, b] = x; return refer(a, b); }
auto members(const mesh::NurbsDirection& x) { const auto& [a, b, c] = x; return refer(a, b, c); }
auto members(const mesh::NurbsForm& x) { const auto& [a, b, c, d, e] = x; return refer(a, b, c, d, e); }
auto members(const mesh::ControlCage& x) { const auto& [a, b, c, d, e] = x; return refer(a, b, c, d, e); }
auto members(const mesh::Stencils& x) { const auto& [a, b, c] = x; return refer(a, b, c); }
auto members(const mesh::Primitive& x) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = x;
  return refer(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
}
auto members(const mesh::Mesh& x) { const auto& [a, b, c, d] = x; return refer(a, b, c, d); }
auto members(const Dof& x) { const auto& [a, b, c, d, e, f, g] = x; return refer(a, b, c, d, e, f, g); }
auto members(const JointDofs& x) { const auto& [a, b, c, d, e, f, g] = x; return refer(a, b, c, d, e, f, g); }
auto members(const Skeleton& x) {
  const auto& [a, b, c, d, e, f, g, h, i] = x;
  return refer(a, b, c, d, e, f, g, h, i);
}
auto members(const Skin& x) { const auto& [a, b, c, d, e] = x; return refer(a, b, c, d, e); }
auto members(const MeshNode& x) { const auto& [a, b, c, d] = x; return refer(a, b, c, d); }
auto members(const Instances& x) { const auto& [a, b, c, d] = x; return refer(a, b, c, d); }
auto members(const Camera& x) {
  const auto& [a, b, c, d, e, f, g, h, i, j] = x;
  return refer(a, b, c, d, e, f, g, h, i, j);
}
auto members(const Light& x) {
  const auto& [a, b, c, d, e, f, g, h, i] = x;
  return refer(a, b, c, d, e, f, g, h, i);
}
auto members(const HumanBone& x) { const auto& [a, b] = x; return refer(a, b); }
auto members(const NodeConstraint& x) { const auto& [a, b, c, d, e] = x; return refer(a, b, c, d, e); }
auto members(const SpringBoneJoint& x) { const auto& [a, b, c, d, e, f] = x; return refer(a, b, c, d, e, f); }
auto members(const SpringBone& x) { const auto& [a, b, c, d] = x; return refer(a, b, c, d); }
auto members(const SpringBoneCollider& x) {
  const auto& [a, b, c, d, e, f, g] = x;
  return refer(a, b, c, d, e, f, g);
}
auto members(const Scene& x) { const auto& [a, b] = x; return refer(a, b); }
auto members(const KeptJson& x) { const auto& [a, b, c] = x; return refer(a, b, c); }
auto members(const Part& x) { const auto& [a, b, c, d, e] = x; return refer(a, b, c, d, e); }
auto members(const Channel& x) {
  const auto& [a, b, c, d, e, f, g, h, i] = x;
  return refer(a, b, c, d, e, f, g, h, i);
}
auto members(const PropertyChannel& x) { const auto& [a, b, c, d] = x; return refer(a, b, c, d); }
auto members(const Clip& x) { const auto& [a, b, c, d, e, f, g] = x; return refer(a, b, c, d, e, f, g); }
auto members(const Image& x) { const auto& [a, b, c, d, e, f] = x; return refer(a, b, c, d, e, f); }
auto members(const Texture& x) {
  const auto& [a, b, c, d, e, f, g, h, i] = x;
  return refer(a, b, c, d, e, f, g, h, i);
}
auto members(const TextureTransform& x) { const auto& [a, b, c] = x; return refer(a, b, c); }
auto members(const TextureRef& x) { const auto& [a, b, c, d] = x; return refer(a, b, c, d); }
auto members(const Specular& x) { const auto& [a, b, c, d] = x; return refer(a, b, c, d); }
auto members(const Clearcoat& x) { const auto& [a, b, c, d, e] = x; return refer(a, b, c, d, e); }
auto members(const Sheen& x) { const auto& [a, b, c, d] = x; return refer(a, b, c, d); }
auto members(const Transmission& x) { const auto& [a, b] = x; return refer(a, b); }
auto members(const Material& x) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = x;
  return refer(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
}
auto members(const Character& x) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z, aa, ab, ac, ad, ae, af, ag] = x;
  return refer(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z, aa, ab, ac, ad, ae, af, ag);
}
// clang-format on

template <typename T>
struct IsPlain : std::bool_constant<std::is_arithmetic_v<T> || std::is_enum_v<T>> {};
template <glm::length_t L, typename T, glm::qualifier Q>
struct IsPlain<glm::vec<L, T, Q>> : std::true_type {};
template <glm::length_t C, glm::length_t R, typename T, glm::qualifier Q>
struct IsPlain<glm::mat<C, R, T, Q>> : std::true_type {};
template <typename T, glm::qualifier Q>
struct IsPlain<glm::qua<T, Q>> : std::true_type {};

// Calls the visitor's
//   plain(value)            for a number, an enumeration, a vector or a matrix of numbers
//   block(bytes)            for what a vector of those, a string or a path holds
//   list(count, bytes)      for what a vector of anything else holds, before its elements
//   enter(address) -> bool  for what copies share, before it; false: leave it out
template <typename Visitor>
class Walk {
 public:
  explicit Walk(Visitor& visitor) : visitor_(visitor) {}

  template <typename T>
  void operator()(const T& value) {
    if constexpr (IsPlain<T>::value) {
      visitor_.plain(value);
    } else {
      std::apply([&](const auto&... each) { ((*this)(each), ...); }, members(value));
    }
  }
  void operator()(const std::string& text) { visitor_.block(std::as_bytes(std::span(text))); }
  void operator()(const std::filesystem::path& path) { (*this)(path.native()); }
  template <typename T>
  void operator()(const std::optional<T>& value) {
    visitor_.plain(value.has_value());
    if (value) {
      (*this)(*value);
    }
  }
  template <typename T, std::size_t N>
  void operator()(const T (&values)[N]) {
    for (const T& value : values) {
      (*this)(value);
    }
  }
  template <typename T>
  void operator()(const std::vector<T>& values) {
    if constexpr (IsPlain<T>::value) {
      visitor_.block(std::as_bytes(std::span(values)));
    } else {
      visitor_.list(values.size(), values.size() * sizeof(T));
      for (const T& value : values) {
        (*this)(value);
      }
    }
  }
  template <typename T>
  void operator()(const Shared<T>& value) {
    if (visitor_.enter(&*value)) {
      (*this)(*value);
    }
  }
  template <typename T>
  void operator()(const SharedArray<T>& values) {
    if (visitor_.enter(&values.get())) {
      (*this)(values.get());
    }
  }
  template <typename T>
  void operator()(const SharedList<T>& items) {
    const void* place = items.empty() ? nullptr : &items.shared(0);
    if (!visitor_.enter(place)) {
      return;
    }
    visitor_.list(items.size(), items.size() * sizeof(Shared<T>));
    for (std::size_t i = 0; i < items.size(); ++i) {
      (*this)(items.shared(i));
    }
  }

 private:
  Visitor& visitor_;
};

// The addresses of all that a character may share.
struct Addresses {
  std::vector<const void*> all;

  template <typename T>
  void plain(const T&) {}
  void block(std::span<const std::byte>) {}
  void list(std::size_t, std::size_t) {}
  bool enter(const void* address) {
    all.push_back(address);
    return true;
  }
};

struct Unshared {
  std::vector<const void*> known = {};        ///< ascending
  std::unordered_set<const void*> seen = {};  ///< what several parts share counts once
  std::size_t bytes = 0;

  template <typename T>
  void plain(const T&) {}
  void block(std::span<const std::byte> held) { bytes += held.size(); }
  void list(std::size_t, std::size_t size) { bytes += size; }
  bool enter(const void* address) { return !std::ranges::binary_search(known, address) && seen.insert(address).second; }
};

// Walks over two of a kind side by side and leaves out what both share at the same place, unread. Calls the visitor as
// Walk does for the later one, and
//   meet(before, after) -> bool  for what differs: addresses of what copies share; false: leave it out
//   uneven()                     where one has another number of things that may be shared; what follows is void
template <typename Visitor>
class PairWalk {
 public:
  explicit PairWalk(Visitor& visitor) : visitor_(visitor) {}

  template <typename T>
  void operator()(const T& before, const T& after) {
    if constexpr (!IsPlain<T>::value) {
      each(members(before), members(after));
    }
  }
  void operator()(const std::string&, const std::string& after) { visitor_.block(std::as_bytes(std::span(after))); }
  void operator()(const std::filesystem::path& before, const std::filesystem::path& after) {
    (*this)(before.native(), after.native());
  }
  template <typename T>
  void operator()(const std::optional<T>&, const std::optional<T>& after) {
    Walk<Visitor> walk(visitor_);
    walk(after);
  }
  template <typename T, std::size_t N>
  void operator()(const T (&before)[N], const T (&after)[N]) {
    for (std::size_t i = 0; i < N; ++i) {
      (*this)(before[i], after[i]);
    }
  }
  template <typename T>
  void operator()(const std::vector<T>& before, const std::vector<T>& after) {
    if constexpr (IsPlain<T>::value) {
      visitor_.block(std::as_bytes(std::span(after)));
    } else if (even(before.size(), after.size())) {
      visitor_.list(after.size(), after.size() * sizeof(T));
      for (std::size_t i = 0; i < after.size(); ++i) {
        (*this)(before[i], after[i]);
      }
    }
  }
  template <typename T>
  void operator()(const Shared<T>& before, const Shared<T>& after) {
    if (!after.is(before) && visitor_.meet(&*before, &*after)) {
      (*this)(*before, *after);
    }
  }
  template <typename T>
  void operator()(const SharedArray<T>& before, const SharedArray<T>& after) {
    if (!after.is(before) && visitor_.meet(&before.get(), &after.get())) {
      (*this)(before.get(), after.get());
    }
  }
  template <typename T>
  void operator()(const SharedList<T>& before, const SharedList<T>& after) {
    if (after.is(before) || !even(before.size(), after.size()) || !visitor_.meet(&before.shared(0), &after.shared(0))) {
      return;
    }
    visitor_.list(after.size(), after.size() * sizeof(Shared<T>));
    for (std::size_t i = 0; i < after.size(); ++i) {
      (*this)(before.shared(i), after.shared(i));
    }
  }

 private:
  template <typename... T>
  void each(const std::tuple<const T&...>& before, const std::tuple<const T&...>& after) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((*this)(std::get<I>(before), std::get<I>(after)), ...);
    }
    (std::index_sequence_for<T...>());
  }
  // Whether there is something to walk over: nothing holds nothing.
  bool even(std::size_t before, std::size_t after) {
    if (before != after && after != 0) {
      visitor_.uneven();
    }
    return before == after && after != 0;
  }

  Visitor& visitor_;
};

// What the earlier one has where the later one has something else: that may have changed places.
struct Moved {
  std::vector<const void*> known = {};
  bool is_uneven = false;

  template <typename T>
  void plain(const T&) {}
  void block(std::span<const std::byte>) {}
  void list(std::size_t, std::size_t) {}
  bool enter(const void*) { return true; }
  bool meet(const void* before, const void*) {
    known.push_back(before);
    return true;
  }
  void uneven() { is_uneven = true; }
};

struct UnsharedInPlace : Unshared {
  bool meet(const void*, const void* after) { return enter(after); }
  void uneven() {}
};

template <typename T>
std::size_t bytes_of_what_differs(const T& before, const T& after) {
  Moved moved;
  PairWalk meeting(moved);
  meeting(before, after);
  if (!moved.is_uneven) {
    UnsharedInPlace unshared;
    std::ranges::sort(moved.known);
    unshared.known = std::move(moved.known);
    PairWalk counting(unshared);
    counting(before, after);
    return unshared.bytes;
  }
  Addresses addresses;
  Walk walk_before(addresses);
  walk_before(before);
  std::ranges::sort(addresses.all);
  Unshared unshared{.known = std::move(addresses.all)};
  Walk walk_after(unshared);
  walk_after(after);
  return unshared.bytes;
}

// Whether two say the same, to the bit of their numbers; what they share is not read.
struct Equal {
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    if constexpr (IsPlain<T>::value) {
      return std::memcmp(&a, &b, sizeof(T)) == 0;
    } else {
      return each(members(a), members(b));
    }
  }
  bool operator()(const std::string& a, const std::string& b) const { return a == b; }
  bool operator()(const std::filesystem::path& a, const std::filesystem::path& b) const {
    return a.native() == b.native();
  }
  template <typename T>
  bool operator()(const std::optional<T>& a, const std::optional<T>& b) const {
    return a.has_value() == b.has_value() && (!a || (*this)(*a, *b));
  }
  template <typename T, std::size_t N>
  bool operator()(const T (&a)[N], const T (&b)[N]) const {
    return std::equal(a, a + N, b, *this);
  }
  template <typename T>
  bool operator()(const std::vector<T>& a, const std::vector<T>& b) const {
    if constexpr (IsPlain<T>::value) {
      return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
    } else {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), *this);
    }
  }
  template <typename T>
  bool operator()(const Shared<T>& a, const Shared<T>& b) const {
    return a.is(b) || (*this)(*a, *b);
  }
  template <typename T>
  bool operator()(const SharedArray<T>& a, const SharedArray<T>& b) const {
    return a.is(b) || (*this)(a.get(), b.get());
  }
  template <typename T>
  bool operator()(const SharedList<T>& a, const SharedList<T>& b) const {
    return a.is(b) || std::equal(a.begin(), a.end(), b.begin(), b.end(), *this);
  }

 private:
  template <typename... T>
  bool each(const std::tuple<const T&...>& a, const std::tuple<const T&...>& b) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return ((*this)(std::get<I>(a), std::get<I>(b)) && ...);
    }
    (std::index_sequence_for<T...>());
  }
};

// Makes one share with the other what both say alike, from the inside outwards.
struct Sharing {
  template <typename T>
  void operator()(const T& with, T& own) const {
    if (!own.is(with) && Equal()(with, own)) {
      own = with;
    }
  }
  void operator()(const Shared<mesh::Influences>& with, Shared<mesh::Influences>& own) const {
    if (!own.is(with) && with->vertex_count() == own->vertex_count()) {
      for (std::size_t b = 0; b < own->block_count(); ++b) {
        if (Equal()(with->blocks()[b], own->blocks()[b])) {
          own.edit().put_block(b, Shared<mesh::Influences::Block>(with->blocks()[b]));
        }
      }
    }
    whole(with, own);
  }
  template <typename T, typename Inside>
  void list(const SharedList<T>& with, SharedList<T>& own, const Inside& inside) const {
    for (std::size_t i = 0; !own.is(with) && i < std::min(with.size(), own.size()); ++i) {
      if (!own.shared(i).is(with.shared(i))) {
        inside(with[i], own.edit(i));
        whole(with.shared(i), own.edit_items()[i]);
      }
    }
    whole(with, own);
  }
  template <typename T>
  void list(const SharedList<T>& with, SharedList<T>& own) const {
    list(with, own, [](const T&, T&) {});
  }
  void operator()(const mesh::MorphTarget& with, mesh::MorphTarget& own) const {
    (*this)(with.position_deltas, own.position_deltas);
    (*this)(with.normal_deltas, own.normal_deltas);
    (*this)(with.tangent_deltas, own.tangent_deltas);
    (*this)(with.kept, own.kept);
  }
  void operator()(const mesh::Primitive& with, mesh::Primitive& own) const {
    (*this)(with.indices, own.indices);
    (*this)(with.positions, own.positions);
    (*this)(with.normals, own.normals);
    (*this)(with.tangents, own.tangents);
    for (std::size_t set = 0; set < std::size(own.texcoords); ++set) {
      (*this)(with.texcoords[set], own.texcoords[set]);
    }
    (*this)(with.colors, own.colors);
    (*this)(with.influences, own.influences);
    list(with.morph_targets, own.morph_targets, *this);
    (*this)(with.kept, own.kept);
    whole(with.cage, own.cage);
    whole(with.cage_rows, own.cage_rows);
  }
  void operator()(const mesh::Mesh& with, mesh::Mesh& own) const { list(with.primitives, own.primitives, *this); }
  void operator()(const Character& with, Character& own) const {
    (*this)(with.skeleton, own.skeleton);
    list(with.skins, own.skins);
    list(with.meshes, own.meshes, *this);
    list(with.images, own.images);
    list(with.clips, own.clips);
    const auto arrays = [this](const auto& x, auto& y, auto... member) { ((*this)(x.*member, y.*member), ...); };
    using C = Character;
    arrays(with, own, &C::mesh_nodes, &C::instances, &C::materials, &C::textures, &C::cameras, &C::lights,
           &C::spare_cameras, &C::spare_lights, &C::scenes, &C::variants, &C::node_hidden, &C::humanoid,
           &C::constraints, &C::spring_bones, &C::spring_colliders, &C::extensions_used, &C::extensions_required,
           &C::kept, &C::parts, &C::morph_offset);
  }

 private:
  template <typename T>
  static void whole(const T& with, T& own) {
    if (!own.is(with) && Equal()(with, own)) {
      own = with;
    }
  }
};

struct Hashed {
  ContentHash hash;

  template <typename T>
  void plain(const T& value) {
    hash.add(value);
  }
  void block(std::span<const std::byte> held) { hash.add_bytes(held); }
  void list(std::size_t count, std::size_t) { hash.add(count); }
  static bool enter(const void*) { return true; }
};

}  // namespace

std::size_t bytes_changed(const Character& before, const Character& after) {
  return bytes_of_what_differs(before, after);
}

std::size_t bytes_changed(const mesh::Mesh& before, const mesh::Mesh& after) {
  return bytes_of_what_differs(before, after);
}

std::size_t bytes_changed(const mesh::Primitive& before, const mesh::Primitive& after) {
  return bytes_of_what_differs(before, after);
}

bool equal(const Character& a, const Character& b) {
  return Equal()(a, b);
}

bool equal(const mesh::Primitive& a, const mesh::Primitive& b) {
  return Equal()(a, b);
}

bool equal(const Skeleton& a, const Skeleton& b) {
  return Equal()(a, b);
}

bool equal(const JointDofs& a, const JointDofs& b) {
  return Equal()(a, b);
}

Character sharing(Character character, const Character& with) {
  Sharing()(with, character);
  return character;
}

std::uint64_t content_hash(const Character& character) {
  Hashed hashed;
  Walk walk(hashed);
  walk(character);
  return hashed.hash.value();
}

}  // namespace pelt::rig
