// One walk over everything that a character is made of, for whoever has to look at all of it.
//
// Each struct is taken apart by a structured binding, so that one with another member does not compile before the walk
// knows it too.
#include "rig/character_parts.h"

#include <algorithm>
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
auto members(const mesh::Primitive& x) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = x;
  return refer(a, b, c, d, e, f, g, h, i, j, k, l);
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
auto members(const Scene& x) { const auto& [a, b] = x; return refer(a, b); }
auto members(const KeptJson& x) { const auto& [a, b, c] = x; return refer(a, b, c); }
auto members(const Part& x) { const auto& [a, b, c, d, e] = x; return refer(a, b, c, d, e); }
auto members(const Channel& x) {
  const auto& [a, b, c, d, e, f, g, h, i] = x;
  return refer(a, b, c, d, e, f, g, h, i);
}
auto members(const PropertyChannel& x) { const auto& [a, b, c, d] = x; return refer(a, b, c, d); }
auto members(const Clip& x) { const auto& [a, b, c, d, e] = x; return refer(a, b, c, d, e); }
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
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z, aa, ab, ac, ad, ae] = x;
  return refer(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z, aa, ab, ac, ad, ae);
}
// clang-format on

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
    if constexpr (kIsPlain<T>) {
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
    if constexpr (kIsPlain<T>) {
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
  template <typename T>
  struct IsOfNumbers : std::bool_constant<std::is_arithmetic_v<T> || std::is_enum_v<T>> {};
  template <glm::length_t L, typename T, glm::qualifier Q>
  struct IsOfNumbers<glm::vec<L, T, Q>> : std::true_type {};
  template <glm::length_t C, glm::length_t R, typename T, glm::qualifier Q>
  struct IsOfNumbers<glm::mat<C, R, T, Q>> : std::true_type {};
  template <typename T, glm::qualifier Q>
  struct IsOfNumbers<glm::qua<T, Q>> : std::true_type {};
  template <typename T>
  static constexpr bool kIsPlain = IsOfNumbers<T>::value;

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
  std::vector<const void*> known;             ///< ascending
  std::unordered_set<const void*> seen = {};  ///< what several parts share counts once
  std::size_t bytes = 0;

  template <typename T>
  void plain(const T&) {}
  void block(std::span<const std::byte> held) { bytes += held.size(); }
  void list(std::size_t, std::size_t size) { bytes += size; }
  bool enter(const void* address) { return !std::ranges::binary_search(known, address) && seen.insert(address).second; }
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
  Addresses addresses;
  Walk walk_before(addresses);
  walk_before(before);
  std::ranges::sort(addresses.all);
  Unshared unshared{std::move(addresses.all)};
  Walk walk_after(unshared);
  walk_after(after);
  return unshared.bytes;
}

std::uint64_t content_hash(const Character& character) {
  Hashed hashed;
  Walk walk(hashed);
  walk(character);
  return hashed.hash.value();
}

}  // namespace pelt::rig
