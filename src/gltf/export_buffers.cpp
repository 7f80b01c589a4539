// Buffers, views and accessors of a file that is written. EXT_meshopt_compression: views are encoded one by one and
// keep their place in a second buffer, which only says how large the decoded data is.

#include "gltf/export_buffers.h"

#include <algorithm>

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

bool BufferWriter::add_compressed_view(std::span<const std::uint8_t> bytes, ViewUse use, std::size_t stride,
                                       std::size_t count, Json& view) {
  std::vector<std::uint8_t> encoded;
  const char* mode = "ATTRIBUTES";
  if (use == ViewUse::kTriangles || use == ViewUse::kIndices) {
    std::vector<unsigned int> indices(count);
    std::size_t vertex_count = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t* at = bytes.data() + i * stride;
      indices[i] = at[0] | static_cast<unsigned int>(at[1]) << 8;
      if (stride == 4) {
        indices[i] |= static_cast<unsigned int>(at[2]) << 16 | static_cast<unsigned int>(at[3]) << 24;
      }
      vertex_count = std::max<std::size_t>(vertex_count, std::size_t{indices[i]} + 1);
    }
    if (use == ViewUse::kTriangles && count % 3 == 0) {
      mode = "TRIANGLES";
      encoded.resize(meshopt_encodeIndexBufferBound(count, vertex_count));
      encoded.resize(meshopt_encodeIndexBuffer(encoded.data(), encoded.size(), indices.data(), count));
    } else {
      mode = "INDICES";
      encoded.resize(meshopt_encodeIndexSequenceBound(count, vertex_count));
      encoded.resize(meshopt_encodeIndexSequence(encoded.data(), encoded.size(), indices.data(), count));
    }
  } else {
    encoded.resize(meshopt_encodeVertexBufferBound(count, stride));
    encoded.resize(meshopt_encodeVertexBuffer(encoded.data(), encoded.size(), bytes.data(), count, stride));
  }
  if (encoded.empty() || encoded.size() >= bytes.size()) {
    return false;
  }
  unpacked_size_ = next_multiple_of_four(unpacked_size_);
  view["buffer"] = 1;
  view["byteOffset"] = unpacked_size_;
  view["byteLength"] = bytes.size();
  view["extensions"][kMeshopt] = {{"buffer", 0},
                                  {"byteOffset", bin_.size()},
                                  {"byteLength", encoded.size()},
                                  {"byteStride", stride},
                                  {"count", count},
                                  {"mode", mode}};
  unpacked_size_ += bytes.size();
  bin_.insert(bin_.end(), encoded.begin(), encoded.end());
  return true;
}

int BufferWriter::add_view(std::span<const std::uint8_t> bytes, ViewUse use, std::size_t stride, std::size_t count) {
  bin_.resize(next_multiple_of_four(bin_.size()), 0);
  Json view = {{"buffer", 0}, {"byteOffset", bin_.size()}, {"byteLength", bytes.size()}};
  const bool indices = use == ViewUse::kTriangles || use == ViewUse::kIndices;
  const bool possible = compress_ && use != ViewUse::kBytes && count > 0 && stride <= 256 &&
                        (indices ? stride == 2 || stride == 4 : stride % 4 == 0) && count * stride == bytes.size();
  if (!possible || !add_compressed_view(bytes, use, stride, count, view)) {
    bin_.insert(bin_.end(), bytes.begin(), bytes.end());
  }
  if (use == ViewUse::kVertices || indices) {
    view["target"] = indices ? kIndexTarget : kVertexTarget;
  }
  views_.push_back(std::move(view));
  return static_cast<int>(views_.size()) - 1;
}

int BufferWriter::add_accessor(const Elements& elements, ViewUse use) {
  const std::size_t tight =
      bytes_per_component(elements.component_type) * static_cast<std::size_t>(elements.components * elements.columns);
  const std::size_t stride = elements.stride == 0 ? tight : elements.stride;
  const int view = add_view(elements.bytes, use, stride, elements.count);
  if (stride != tight) {
    views_.back()["byteStride"] = stride;
  }
  Json accessor = {{"bufferView", view},
                   {"componentType", elements.component_type},
                   {"count", elements.count},
                   {"type", type_name(elements)}};
  if (elements.normalized) {
    accessor["normalized"] = true;
  }
  return add_accessor(std::move(accessor));
}

int BufferWriter::add_accessor(Json accessor) {
  accessors_.push_back(std::move(accessor));
  return static_cast<int>(accessors_.size()) - 1;
}

int BufferWriter::add_shared(std::span<const float> values, int components, bool bounds) {
  const auto bytes = bytes_of(values);
  std::string content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto [entry, is_new] = shared_.try_emplace({bounds ? 0 : components, std::move(content)}, 0);
  if (is_new) {
    entry->second = add_accessor(
        {.bytes = bytes, .components = components, .count = values.size() / static_cast<std::size_t>(components)},
        ViewUse::kData);
  }
  Json& accessor = accessors_[static_cast<std::size_t>(entry->second)];
  if (bounds && !accessor.contains("min")) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    accessor["min"] = Json::array({*least});
    accessor["max"] = Json::array({*most});
  }
  return entry->second;
}

void BufferWriter::finish(Json& root, const std::string& uri) {
  bin_.resize(next_multiple_of_four(bin_.size()), 0);
  if (!accessors_.empty()) {
    root["accessors"] = std::move(accessors_);
  }
  if (views_.empty()) {
    return;
  }
  root["bufferViews"] = std::move(views_);
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
