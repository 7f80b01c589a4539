// How accessors lie in buffer views and these in buffers, and who uses them for what.

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "gltf/conformance_checks.h"

namespace pelt::gltf {
namespace {

enum class Use : std::uint8_t { kNone, kVertices, kIndices, kInverseBinds, kKeyTimes, kKeyValues, kImage, kOther };

std::string_view use_name(Use use) {
  constexpr std::array<std::string_view, 8> kNames = {"nothing",   "vertices",   "indices",  "inverse bind matrices",
                                                      "key times", "key values", "an image", "other data"};
  return kNames[static_cast<std::size_t>(use)];
}

/// What buffer views hold: key times and values are alike there.
Use view_use(Use use) {
  return use == Use::kKeyTimes || use == Use::kKeyValues ? Use::kOther : use;
}

/// Layout and use of everything in buffers.
class Layout {
 public:
  explicit Layout(Conformance& check)
      : check_(check),
        view_uses_(check.count("bufferViews"), Use::kNone),
        uses_(check.count("accessors"), Use::kNone) {}

  void check() {
    check_views();
    check_accessors();
    check_uses();
  }

 private:
  [[nodiscard]] const FileJson* view(std::int64_t v) const { return check_.item("bufferViews", v); }
  [[nodiscard]] bool is_strided(std::int64_t v) const { return member(view(v), "byteStride") != nullptr; }

  void check_views();
  void check_accessors();
  void check_sparse(const FileJson& sparse, const AccessorShape& shape, const std::string& place);
  void check_place(std::int64_t v, std::int64_t offset, std::int64_t component_size, std::int64_t length,
                   const std::string& place);
  void check_uses();
  void use_view(std::int64_t v, Use use);
  void use(std::int64_t accessor, Use use);
  void use_vertices(const FileJson& attributes);

  Conformance& check_;
  std::vector<Use> view_uses_;
  std::vector<Use> uses_;
  std::map<std::int64_t, std::int64_t> tight_vertices_;  ///< by view without stride: the accessor of vertices in it
};

void Layout::check_views() {
  for (std::size_t v = 0; v < view_uses_.size(); ++v) {
    const FileJson* one = view(static_cast<std::int64_t>(v));
    const std::string place = place_in("bufferViews", v);
    const std::int64_t target = whole_member(one, "target");
    view_uses_[v] = target == 34962 ? Use::kVertices : target == 34963 ? Use::kIndices : Use::kNone;
    const std::int64_t stride = whole_member(one, "byteStride");
    const std::int64_t length = whole_member(one, "byteLength");
    const std::int64_t offset = std::max<std::int64_t>(whole_member(one, "byteOffset"), 0);
    if (stride >= 4 && stride <= kLargestStride) {
      if (length >= 1 && stride > length) {
        check_.tell("byte-stride", place,
                    fmt::format("expected byteStride of at most the {} bytes of the view, got {}", length, stride));
      }
      if (stride % 4 != 0) {
        check_.tell("byte-stride", place, fmt::format("expected byteStride to be a multiple of 4, got {}", stride));
      }
      if (target == 34963) {
        check_.tell("byte-stride", place, "byteStride is given for indices, expected none");
      }
    }
    const FileJson* buffer = check_.item("buffers", whole_member(one, "buffer"));
    const std::int64_t bytes = whole_member(buffer, "byteLength");
    if (bytes >= 1 && (offset >= bytes || offset + std::max<std::int64_t>(length, 0) > bytes)) {
      check_.tell("accessor-range", place,
                  fmt::format("its {} bytes from byte {} on do not fit the {} bytes of buffer {}",
                              std::max<std::int64_t>(length, 0), offset, bytes, whole_member(one, "buffer")));
    }
  }
}

void Layout::check_place(std::int64_t v, std::int64_t offset, std::int64_t component_size, std::int64_t length,
                         const std::string& place) {
  const FileJson* one = view(v);
  if (one == nullptr) {
    return;
  }
  const std::int64_t total = offset + std::max<std::int64_t>(whole_member(one, "byteOffset"), 0);
  if (offset % component_size != 0 || total % component_size != 0) {
    check_.tell(
        "alignment", place,
        fmt::format("it begins at byte {} of its buffer view and byte {} of the buffer, expected multiples of {}",
                    offset, total, component_size));
  }
  const std::int64_t bytes = whole_member(one, "byteLength");
  if (offset + length > std::max<std::int64_t>(bytes, 0)) {
    check_.tell("accessor-range", place,
                fmt::format("its {} bytes from byte {} on do not fit the {} bytes of buffer view {}", length, offset,
                            std::max<std::int64_t>(bytes, 0), v));
  }
}

void Layout::check_sparse(const FileJson& sparse, const AccessorShape& shape, const std::string& place) {
  const std::int64_t count = whole_member(&sparse, "count");
  const FileJson* indices = object_member(&sparse, "indices");
  const FileJson* values = object_member(&sparse, "values");
  if (count < 1 || indices == nullptr || values == nullptr) {
    return;
  }
  if (count > shape.count) {
    check_.tell("sparse", place,
                fmt::format("expected at most the {} elements of the accessor, got {}", shape.count, count));
    return;
  }
  AccessorShape index_shape;
  index_shape.component_type = whole_member(indices, "componentType");
  for (const FileJson* part : {indices, values}) {
    const std::int64_t v = whole_member(part, "bufferView");
    use_view(v, Use::kOther);
    if (view(v) != nullptr && is_strided(v)) {
      check_.tell("byte-stride", place,
                  fmt::format("buffer view {} of its sparse elements has byteStride, expected none", v));
    }
    const std::int64_t offset = std::max<std::int64_t>(whole_member(part, "byteOffset"), 0);
    const std::int64_t size = part == indices ? index_shape.component_size() : shape.component_size();
    check_place(v, offset, size, count * size * (part == indices ? 1 : shape.components()), place);
  }
}

void Layout::check_accessors() {
  for (std::size_t a = 0; a < uses_.size(); ++a) {
    const FileJson* one = check_.item("accessors", static_cast<std::int64_t>(a));
    const AccessorShape shape = accessor_shape(one);
    const std::string place = place_in("accessors", a);
    if (one == nullptr) {
      continue;
    }
    if (member(one, "bufferView") == nullptr && member(one, "byteOffset") != nullptr) {
      check_.tell("schema", place, "byteOffset is given, but bufferView is missing");
    }
    if (shape.normalized && (shape.component_type == 5126 || shape.component_type == 5125)) {
      check_.tell("accessor-format", place,
                  fmt::format("{} cannot be normalized", shape.component_type == 5126 ? "FLOAT" : "UNSIGNED_INT"));
    }
    if (shape.type.starts_with("MAT") && shape.offset % 4 != 0) {
      check_.tell("alignment", place, fmt::format("matrices begin at byte {}, expected a multiple of 4", shape.offset));
    }
    if (!shape.is_known()) {
      continue;
    }
    std::int64_t stride = whole_member(view(shape.view), "byteStride");
    if (stride >= 4 && stride < shape.element_size()) {
      check_.tell("byte-stride", place,
                  fmt::format("buffer view {} has a byteStride of {}, expected {} or more", shape.view, stride,
                              shape.element_size()));
    }
    stride = stride > 0 && stride <= kLargestStride ? stride : shape.tight_stride();
    check_place(shape.view, shape.offset, shape.component_size(),
                shape.count > (std::int64_t{1} << 40) ? std::int64_t{1} << 50
                                                      : stride * (shape.count - 1) + shape.element_size(),
                place);
    if (const FileJson* sparse = object_member(one, "sparse")) {
      check_sparse(*sparse, shape, place);
    }
  }
}

void Layout::use_view(std::int64_t v, Use use) {
  if (view(v) == nullptr) {
    return;
  }
  Use& known = view_uses_[v];
  if (known == Use::kNone) {
    known = use;
  } else if (known != use) {
    check_.tell("accessor-use", place_in("bufferViews", static_cast<std::size_t>(v)),
                fmt::format("it holds {} and {}, expected one kind", use_name(known), use_name(use)));
  }
}

void Layout::use(std::int64_t accessor, Use use) {
  const FileJson* one = check_.item("accessors", accessor);
  if (one == nullptr) {
    return;
  }
  Use& known = uses_[accessor];
  if (known == Use::kNone) {
    known = use;
  } else if (known != use) {
    check_.tell("accessor-use", place_in("accessors", static_cast<std::size_t>(accessor)),
                fmt::format("it is used for {} and {}, expected one of them", use_name(known), use_name(use)));
  }
  const std::int64_t v = whole_member(one, "bufferView");
  use_view(v, view_use(use));
  if (use != Use::kVertices && view(v) != nullptr && is_strided(v)) {
    check_.tell("byte-stride", place_in("accessors", static_cast<std::size_t>(accessor)),
                fmt::format("buffer view {} of {} has byteStride, expected none", v, use_name(use)));
  }
}

void Layout::use_vertices(const FileJson& attributes) {
  for (const auto& [semantic, number] : attributes.items()) {
    const std::int64_t accessor = whole(&number);
    const FileJson* one = check_.item("accessors", accessor);
    if (one == nullptr) {
      continue;
    }
    use(accessor, Use::kVertices);
    const std::int64_t v = whole_member(one, "bufferView");
    if (view(v) == nullptr || is_strided(v)) {
      continue;
    }
    const auto [known, is_first] = tight_vertices_.try_emplace(v, accessor);
    if (!is_first && known->second != accessor) {
      check_.tell("byte-stride", place_in("bufferViews", static_cast<std::size_t>(v)),
                  "it holds vertices of several accessors, but byteStride is missing");
    }
  }
}

void Layout::check_uses() {
  for (std::size_t i = 0; i < check_.count("images"); ++i) {
    const std::int64_t v = whole_member(check_.item("images", static_cast<std::int64_t>(i)), "bufferView");
    use_view(v, Use::kImage);
    if (view(v) != nullptr && is_strided(v)) {
      check_.tell("byte-stride", place_in("images", i),
                  fmt::format("buffer view {} of an image has byteStride, expected none", v));
    }
  }
  for (const FileJson& mesh : list_member(&check_.file, "meshes")) {
    for (const FileJson& primitive : list_member(&mesh, "primitives")) {
      if (const FileJson* attributes = object_member(&primitive, "attributes")) {
        use_vertices(*attributes);
      }
      use(whole_member(&primitive, "indices"), Use::kIndices);
      for (const FileJson& target : list_member(&primitive, "targets")) {
        if (target.is_object()) {
          use_vertices(target);
        }
      }
    }
  }
  for (const FileJson& skin : list_member(&check_.file, "skins")) {
    use(whole_member(&skin, "inverseBindMatrices"), Use::kInverseBinds);
  }
  for (const FileJson& animation : list_member(&check_.file, "animations")) {
    if (list_member(&animation, "channels").empty()) {
      continue;
    }
    for (const FileJson& sampler : list_member(&animation, "samplers")) {
      use(whole_member(&sampler, "input"), Use::kKeyTimes);
      use(whole_member(&sampler, "output"), Use::kKeyValues);
    }
  }
}

}  // namespace

void check_layout(Conformance& check) {
  Layout(check).check();
}

}  // namespace pelt::gltf
