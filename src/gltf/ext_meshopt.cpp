// EXT_meshopt_compression, KHR_meshopt_compression: buffer views compressed one by one, by modes and filters of
// meshoptimizer. Of what the Khronos extension adds (version 1 of the vertex codec, the filter COLOR) the packaged
// library 0.18 knows nothing.

#include <algorithm>
#include <utility>

#include <meshoptimizer.h>

#include "core/index.h"
#include "core/parallel.h"
#include "gltf/reader.h"

namespace pelt::gltf {
namespace {

constexpr const char* kMeshoptNames[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};

enum class MeshoptMode : std::uint8_t { kAttributes, kTriangles, kIndices };
enum class MeshoptFilter : std::uint8_t { kNone, kOctahedral, kQuaternion, kExponential };

struct MeshoptView {
  int view = -1;
  const char* extension = nullptr;
  std::span<const std::uint8_t> encoded;
  std::size_t count = 0;
  std::size_t stride = 0;
  MeshoptMode mode = MeshoptMode::kAttributes;
  MeshoptFilter filter = MeshoptFilter::kNone;
};

std::string text_member(const tinygltf::Value& object, const char* member, const char* otherwise) {
  return object.Has(member) && object.Get(member).IsString() ? object.Get(member).Get<std::string>() : otherwise;
}

/// What the extension says, held to its text and to the bytes that are there.
Result<MeshoptView> meshopt_view(const Reader& reader, const tinygltf::Value& from, std::size_t byte_length) {
  MeshoptView out;
  const int buffer = whole_number(from, "buffer");
  if (!has_index(reader.buffers, buffer)) {
    return error("buffer {} does not exist, there are {}", buffer, reader.buffers.size());
  }
  const BufferData& data = reader.buffers[buffer];
  if (!data.problem.empty()) {
    return error("buffer {}: {}", buffer, data.problem);
  }
  const int offset = from.Has("byteOffset") ? whole_number(from, "byteOffset") : 0;
  const int length = whole_number(from, "byteLength");
  const int stride = whole_number(from, "byteStride");
  const int count = whole_number(from, "count");
  if (offset < 0 || length < 1 || stride < 1 || count < 1) {
    return error("expected byteLength, byteStride and count of 1 or more, got {}, {} and {}", length, stride, count);
  }
  if (std::cmp_greater(offset, data.bytes.size()) || std::cmp_greater(length, data.bytes.size() - offset)) {
    return error("{} bytes from byte {} do not fit buffer {} of {} bytes", length, offset, buffer, data.bytes.size());
  }
  out.encoded = data.bytes.subspan(offset, length);
  out.count = count;
  out.stride = stride;

  const std::string mode = text_member(from, "mode", "");
  const std::string filter = text_member(from, "filter", "NONE");
  if (mode == "ATTRIBUTES") {
    out.mode = MeshoptMode::kAttributes;
  } else if (mode == "TRIANGLES") {
    out.mode = MeshoptMode::kTriangles;
  } else if (mode == "INDICES") {
    out.mode = MeshoptMode::kIndices;
  } else {
    return error("mode: expected ATTRIBUTES, TRIANGLES or INDICES, got '{}'", printable(mode, 40));
  }
  if (out.mode == MeshoptMode::kAttributes && (stride % 4 != 0 || stride > 256)) {
    return error("byteStride: expected a multiple of 4 up to 256, got {}", stride);
  }
  if (out.mode != MeshoptMode::kAttributes && stride != 2 && stride != 4) {
    return error("byteStride: expected 2 or 4 for {}, got {}", mode, stride);
  }
  if (out.mode == MeshoptMode::kTriangles && count % 3 != 0) {
    return error("count: expected a multiple of 3 for TRIANGLES, got {}", count);
  }
  if (filter == "OCTAHEDRAL") {
    out.filter = MeshoptFilter::kOctahedral;
  } else if (filter == "QUATERNION") {
    out.filter = MeshoptFilter::kQuaternion;
  } else if (filter == "EXPONENTIAL") {
    out.filter = MeshoptFilter::kExponential;
  } else if (filter == "COLOR") {
    return error("not supported: the filter COLOR, which meshoptimizer 0.18 cannot decode");
  } else if (filter != "NONE") {
    return error("filter: expected NONE, OCTAHEDRAL, QUATERNION or EXPONENTIAL, got '{}'", printable(filter, 40));
  }
  if (out.filter != MeshoptFilter::kNone && out.mode != MeshoptMode::kAttributes) {
    return error("filter: expected NONE for {}, got {}", mode, filter);
  }
  if ((out.filter == MeshoptFilter::kOctahedral && stride != 4 && stride != 8) ||
      (out.filter == MeshoptFilter::kQuaternion && stride != 8)) {
    return error("byteStride: expected {} for {}, got {}", out.filter == MeshoptFilter::kQuaternion ? "8" : "4 or 8",
                 filter, stride);
  }
  if (byte_length > out.count * out.stride) {
    return error("byteLength: expected {} times {}, got {}", count, stride, byte_length);
  }
  // The first byte: the codec's mark above, its version below.
  if (out.mode == MeshoptMode::kAttributes && out.encoded[0] == 0xa1) {
    return error("not supported: version 1 of the vertex codec, which meshoptimizer 0.18 cannot decode");
  }
  return out;
}

/// @pre out.size() == count * stride
bool decode_meshopt(const MeshoptView& from, std::span<std::uint8_t> out) {
  const unsigned char* bytes = from.encoded.data();
  const std::size_t size = from.encoded.size();
  switch (from.mode) {
    case MeshoptMode::kTriangles:
      return meshopt_decodeIndexBuffer(out.data(), from.count, from.stride, bytes, size) == 0;
    case MeshoptMode::kIndices:
      return meshopt_decodeIndexSequence(out.data(), from.count, from.stride, bytes, size) == 0;
    case MeshoptMode::kAttributes:
      if (meshopt_decodeVertexBuffer(out.data(), from.count, from.stride, bytes, size) != 0) {
        return false;
      }
  }
  switch (from.filter) {
    case MeshoptFilter::kOctahedral:
      meshopt_decodeFilterOct(out.data(), from.count, from.stride);
      break;
    case MeshoptFilter::kQuaternion:
      meshopt_decodeFilterQuat(out.data(), from.count, from.stride);
      break;
    case MeshoptFilter::kExponential:
      meshopt_decodeFilterExp(out.data(), from.count, from.stride);
      break;
    case MeshoptFilter::kNone:
      break;
  }
  return true;
}

/// Whether the view lies in a buffer that is there, as well.
bool has_uncompressed_bytes(const Reader& reader, const tinygltf::BufferView& view) {
  if (!has_index(reader.buffers, view.buffer)) {
    return false;
  }
  const BufferData& buffer = reader.buffers[view.buffer];
  return buffer.problem.empty() && view.byteOffset <= buffer.bytes.size() &&
         view.byteLength <= buffer.bytes.size() - view.byteOffset;
}

}  // namespace

void decode_meshopt_views(Reader& reader) {
  std::vector<MeshoptView> views;
  std::vector<std::vector<std::uint8_t>> decoded;
  std::map<int, std::string> problems;
  for (std::size_t v = 0; v < reader.model.bufferViews.size(); ++v) {
    const tinygltf::BufferView& entry = reader.model.bufferViews[v];
    for (const char* name : kMeshoptNames) {
      const auto extension = entry.extensions.find(name);
      if (extension == entry.extensions.end()) {
        continue;
      }
      Result<MeshoptView> view = meshopt_view(reader, extension->second, entry.byteLength);
      Status status = view ? reader.budget.take(view->count, view->stride) : Status(view.error());
      if (!status) {
        problems[static_cast<int>(v)] = fmt::format("{}: {}", name, status.error().message);
        break;
      }
      view->view = static_cast<int>(v);
      view->extension = name;
      views.push_back(*view);
      decoded.emplace_back(view->count * view->stride);
      break;
    }
  }
  std::vector<char> good(views.size(), 0);
  parallel_for(views.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      good[i] = decode_meshopt(views[i], decoded[i]) ? 1 : 0;
    }
  });
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (good[i] != 0) {
      decoded[i].resize(std::min(decoded[i].size(), reader.model.bufferViews[views[i].view].byteLength));
      reader.decoded_views[views[i].view].bytes = std::move(decoded[i]);
    } else {
      problems[views[i].view] = fmt::format("{}: its data are malformed", views[i].extension);
    }
  }
  for (auto& [view, problem] : problems) {
    if (has_uncompressed_bytes(reader, reader.model.bufferViews[view])) {
      reader.warn("fallback", fmt::format("buffer view {}", view), problem + "; the uncompressed copy is used");
    } else {
      reader.decoded_views[view].problem = std::move(problem);
    }
  }
}

}  // namespace pelt::gltf
