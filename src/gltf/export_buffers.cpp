// Buffers, views and accessors of a file that is written. glTF 2.0, section 3.6.2: elements of a view with a target are
// vertices, which need a stride where several accessors share the view, or indices, which must have none; other data
// has neither. Whatever lies in a view has its stride, so that offsets are multiples of it and of the component's size.
// EXT_meshopt_compression: views are encoded one by one and keep their place in a second buffer, which only says how
// large the decoded data is.

#include "gltf/export_buffers.h"

#include <algorithm>
#include <cstring>

#include <meshoptimizer.h>

namespace pelt::gltf {
namespace {

constexpr int kVertexTarget = 34962;
constexpr int kIndexTarget = 34963;
constexpr const char* kMeshopt = "EXT_meshopt_compression";

std::size_t bytes_per_component(int type) {
  return type == kFloat || type == kInt ? 4 : type == kShort || type == kSignedShort ? 2 : 1;
}

std::size_t next_multiple_of_four(std::size_t size) {
  return (size + 3) / 4 * 4;
}

void append_text(const Json& json, std::string& out) {
  if (json.is_binary()) {
    out.append(json.get_binary().begin(), json.get_binary().end());
  } else if (json.is_object()) {
    out += '{';
    for (const auto& [name, member] : json.items()) {
      out += out.back() == '{' ? "" : ",";
      out += Json(name).dump(-1, ' ', false, Json::error_handler_t::replace) + ':';
      append_text(member, out);
    }
    out += '}';
  } else if (json.is_array()) {
    out += '[';
    bool first = true;
    for (const Json& element : json) {
      out += first ? "" : ",";
      first = false;
      append_text(element, out);
    }
    out += ']';
  } else {
    out += json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

std::size_t tight_stride(const Elements& elements) {
  return bytes_per_component(elements.component_type) *
         static_cast<std::size_t>(elements.components * elements.columns);
}

const char* type_name(const Elements& elements) {
  constexpr const char* kVectors[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
  constexpr const char* kMatrices[] = {"MAT2", "MAT3", "MAT4"};
  return elements.columns > 1 ? kMatrices[elements.columns - 2] : kVectors[elements.components - 1];
}

}  // namespace

Json raw_json(std::string_view text) {
  return Json::binary({text.begin(), text.end()});
}

std::string json_text(const Json& json) {
  std::string out;
  append_text(json, out);
  return out;
}

PlaceInView BufferWriter::add_to_view(std::span<const std::uint8_t> bytes, ViewUse use, std::string_view stream,
                                      std::size_t stride) {
  const auto [entry, is_new] =
      view_of_.try_emplace({std::string(stream), use, stride}, static_cast<int>(views_.size()));
  if (is_new) {
    views_.push_back({use, stride, {}});
  }
  std::vector<std::uint8_t>& all = views_[entry->second].bytes;
  const PlaceInView place{entry->second, all.size()};
  all.insert(all.end(), bytes.begin(), bytes.end());
  return place;
}

int BufferWriter::add_view(std::span<const std::uint8_t> bytes) {
  views_.push_back({ViewUse::kBytes, 0, {bytes.begin(), bytes.end()}});
  return static_cast<int>(views_.size()) - 1;
}

PlaceInView BufferWriter::add_bytes(std::span<const std::uint8_t> bytes, std::string_view stream, std::size_t stride) {
  return add_to_view(bytes, ViewUse::kData, stream, stride);
}

Json BufferWriter::accessor_json(const Elements& elements, const PlaceInView& place) const {
  Json accessor = {{"bufferView", place.view}};
  if (place.offset > 0) {
    accessor["byteOffset"] = place.offset;
  }
  accessor["componentType"] = elements.component_type;
  accessor["count"] = elements.count;
  accessor["type"] = type_name(elements);
  if (elements.normalized) {
    accessor["normalized"] = true;
  }
  return accessor;
}

int BufferWriter::add_accessor(const Elements& elements, ViewUse use, std::string_view name) {
  const std::size_t tight = tight_stride(elements);
  const std::size_t stride = elements.stride == 0 ? tight : elements.stride;
  return add_accessor(accessor_json(elements, add_to_view(elements.bytes, use, elements.stream, stride)), name);
}

int BufferWriter::add_accessor(Json accessor, std::string_view name) {
  if (!name.empty()) {
    accessor["name"] = name;
  }
  accessors_.push_back(std::move(accessor));
  return static_cast<int>(accessors_.size()) - 1;
}

int BufferWriter::add_shared(const Elements& elements, bool bounds, std::string_view name) {
  std::string content(reinterpret_cast<const char*>(elements.bytes.data()), elements.bytes.size());
  const int type = bounds ? 0 : 8 * elements.component_type + elements.components;
  const auto [entry, is_new] = shared_.try_emplace({type, std::move(content)});
  Shared& shared = entry->second;
  if (is_new) {
    shared.place = add_to_view(elements.bytes, ViewUse::kData, elements.stream, tight_stride(elements));
  }
  if (const auto known = shared.accessors.find(name); known != shared.accessors.end()) {
    return known->second;
  }
  Json accessor = accessor_json(elements, shared.place);
  if (bounds) {
    std::vector<float> times(elements.count);
    std::memcpy(times.data(), elements.bytes.data(), elements.bytes.size());
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    accessor["min"] = Json::array({*least});
    accessor["max"] = Json::array({*most});
  }
  const int index = add_accessor(std::move(accessor), name);
  shared.accessors.emplace(name, index);
  return index;
}

bool BufferWriter::add_compressed_view(const View& view, Json& out) {
  const bool indices = view.use == ViewUse::kTriangles || view.use == ViewUse::kIndices;
  const bool possible = compress_ && view.use != ViewUse::kBytes && !view.bytes.empty() && view.stride <= 256 &&
                        (indices ? view.stride == 2 || view.stride == 4 : view.stride % 4 == 0);
  if (!possible) {
    return false;
  }
  const std::size_t count = view.bytes.size() / view.stride;
  std::vector<std::uint8_t> encoded;
  const char* mode = "ATTRIBUTES";
  if (indices) {
    std::vector<unsigned int> numbers(count);
    std::size_t vertex_count = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t* at = view.bytes.data() + i * view.stride;
      numbers[i] = at[0] | static_cast<unsigned int>(at[1]) << 8;
      if (view.stride == 4) {
        numbers[i] |= static_cast<unsigned int>(at[2]) << 16 | static_cast<unsigned int>(at[3]) << 24;
      }
      vertex_count = std::max<std::size_t>(vertex_count, std::size_t{numbers[i]} + 1);
    }
    if (view.use == ViewUse::kTriangles) {
      mode = "TRIANGLES";
      encoded.resize(meshopt_encodeIndexBufferBound(count, vertex_count));
      encoded.resize(meshopt_encodeIndexBuffer(encoded.data(), encoded.size(), numbers.data(), count));
    } else {
      mode = "INDICES";
      encoded.resize(meshopt_encodeIndexSequenceBound(count, vertex_count));
      encoded.resize(meshopt_encodeIndexSequence(encoded.data(), encoded.size(), numbers.data(), count));
    }
  } else {
    encoded.resize(meshopt_encodeVertexBufferBound(count, view.stride));
    encoded.resize(meshopt_encodeVertexBuffer(encoded.data(), encoded.size(), view.bytes.data(), count, view.stride));
  }
  if (encoded.empty() || encoded.size() >= view.bytes.size()) {
    return false;
  }
  unpacked_size_ = next_multiple_of_four(unpacked_size_);
  out["buffer"] = 1;
  out["byteOffset"] = unpacked_size_;
  out["extensions"][kMeshopt] = {{"buffer", 0},
                                 {"byteOffset", bin_.size()},
                                 {"byteLength", encoded.size()},
                                 {"byteStride", view.stride},
                                 {"count", count},
                                 {"mode", mode}};
  unpacked_size_ += view.bytes.size();
  bin_.insert(bin_.end(), encoded.begin(), encoded.end());
  return true;
}

void BufferWriter::lay_out() {
  for (View& view : views_) {
    bin_.resize(next_multiple_of_four(bin_.size()), 0);
    Json out = {{"buffer", 0}, {"byteOffset", bin_.size()}, {"byteLength", view.bytes.size()}};
    if (!add_compressed_view(view, out)) {
      bin_.insert(bin_.end(), view.bytes.begin(), view.bytes.end());
    }
    const bool indices = view.use == ViewUse::kTriangles || view.use == ViewUse::kIndices;
    if (view.use == ViewUse::kVertices) {
      out["byteStride"] = view.stride;  // which a view of several attributes must say
    }
    if (view.use == ViewUse::kVertices || indices) {
      out["target"] = indices ? kIndexTarget : kVertexTarget;
    }
    laid_out_.push_back(std::move(out));
    view.bytes = {};
  }
}

void BufferWriter::finish(Json& root, const std::string& uri) {
  bin_.resize(next_multiple_of_four(bin_.size()), 0);
  if (!accessors_.empty()) {
    root["accessors"] = std::move(accessors_);
  }
  if (laid_out_.empty()) {
    return;
  }
  root["bufferViews"] = std::move(laid_out_);
  Json buffer = Json::object();
  if (!uri.empty()) {
    buffer["uri"] = uri;
  }
  buffer["byteLength"] = bin_.size();
  root["buffers"].push_back(std::move(buffer));
  if (compressed()) {
    root["buffers"].push_back(
        {{"byteLength", next_multiple_of_four(unpacked_size_)}, {"extensions", {{kMeshopt, {{"fallback", true}}}}}});
  }
}

}  // namespace pelt::gltf
