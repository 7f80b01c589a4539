// glTF 2.0, section 3.6 "Binary data storage".

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "core/index.h"
#include "gltf/reader.h"

namespace pelt::gltf {
namespace {

static_assert(std::endian::native == std::endian::little, "accessors are read as they lie in the file");

constexpr int kGivenBack = -1;  ///< in Reader::reads_left

std::size_t component_size(int type) {
  switch (type) {
    case TINYGLTF_COMPONENT_TYPE_BYTE:
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
      return 1;
    case TINYGLTF_COMPONENT_TYPE_SHORT:
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
      return 2;
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
    case TINYGLTF_COMPONENT_TYPE_FLOAT:
      return 4;
    default:
      return 0;
  }
}

/// @pre component_size(type) > 0
mesh::NumberType number_type(int type) {
  switch (type) {
    case TINYGLTF_COMPONENT_TYPE_BYTE:
      return mesh::NumberType::kByte;
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
      return mesh::NumberType::kUnsignedByte;
    case TINYGLTF_COMPONENT_TYPE_SHORT:
      return mesh::NumberType::kShort;
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
      return mesh::NumberType::kUnsignedShort;
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
      return mesh::NumberType::kUnsignedInt;
    default:
      return mesh::NumberType::kFloat;
  }
}

template <typename T>
T load(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
float decode(const std::uint8_t* from, bool normalized) {
  const auto value = static_cast<float>(load<T>(from));
  if constexpr (std::is_integral_v<T>) {
    if (normalized) {
      return std::max(value / static_cast<float>(std::numeric_limits<T>::max()), -1.0f);
    }
  }
  return value;
}

template <typename T>
void decode_elements(const AccessorView& view, const std::uint8_t* from, std::size_t stride, std::size_t count,
                     float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    for (int column = 0; column < view.columns; ++column) {
      const std::uint8_t* at = from + i * stride + static_cast<std::size_t>(column) * view.column_stride;
      for (int row = 0; row < view.rows; ++row) {
        *out++ = decode<T>(at + static_cast<std::size_t>(row) * sizeof(T), view.normalized);
      }
    }
  }
}

void decode_floats(const AccessorView& view, const std::uint8_t* from, std::size_t stride, std::size_t count,
                   float* out) {
  const auto tight = static_cast<std::size_t>(view.components()) * sizeof(float);
  switch (view.component_type) {
    case TINYGLTF_COMPONENT_TYPE_BYTE:
      return decode_elements<std::int8_t>(view, from, stride, count, out);
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
      return decode_elements<std::uint8_t>(view, from, stride, count, out);
    case TINYGLTF_COMPONENT_TYPE_SHORT:
      return decode_elements<std::int16_t>(view, from, stride, count, out);
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
      return decode_elements<std::uint16_t>(view, from, stride, count, out);
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
      return decode_elements<std::uint32_t>(view, from, stride, count, out);
    default:
      if (stride == tight && count > 0) {
        std::memcpy(out, from, count * tight);
      } else {
        decode_elements<float>(view, from, stride, count, out);
      }
  }
}

std::uint32_t load_index(const std::uint8_t* from, int type) {
  switch (type) {
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
      return *from;
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
      return load<std::uint16_t>(from);
    default:
      return load<std::uint32_t>(from);
  }
}

bool is_index_type(int type) {
  return type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE || type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT ||
         type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT;
}

template <typename T>
void copy_indices(const std::uint8_t* from, std::size_t stride, std::size_t count, std::size_t width,
                  std::uint32_t* out) {
  if (stride == width * sizeof(T)) {
    // As one loop, which compilers turn into vectors.
    for (std::size_t i = 0; i < count * width; ++i) {
      out[i] = load<T>(from + i * sizeof(T));
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      *out++ = load<T>(from + i * stride + k * sizeof(T));
    }
  }
}

/// `count` elements of `size` bytes, `stride` apart from `offset`, in a view of `available` bytes.
Status check_extent(std::size_t available, std::size_t offset, std::size_t stride, std::size_t size,
                    std::size_t count) {
  const bool fits = count == 0 || (offset <= available && size <= available - offset &&
                                   (count - 1 <= (available - offset - size) / stride));
  if (!fits) {
    return error("{} elements of {} bytes, {} apart from byte {}, do not fit its buffer view of {} bytes", count, size,
                 stride, offset, available);
  }
  return {};
}

}  // namespace

std::string_view type_label(const AccessorView& view) {
  constexpr std::array<std::string_view, 4> kVectors = {"SCALAR", "VEC2", "VEC3", "VEC4"};
  constexpr std::array<std::string_view, 5> kMatrices = {"", "", "MAT2", "MAT3", "MAT4"};
  return view.columns == 1 ? kVectors[view.rows - 1] : kMatrices[view.columns];
}

void Reader::note(Severity severity, std::string_view code, std::string place, std::string message,
                  std::vector<std::uint32_t> vertices) {
  Diagnostics& all = character.diagnostics;
  if (all.size() < kMostDiagnostics) {
    all.push_back({severity, std::string(code), std::move(place), std::move(message), std::move(vertices)});
  } else if (all.size() == kMostDiagnostics) {
    all.push_back(
        {Severity::kWarning, "more-diagnostics", "file", fmt::format("only the first {} are kept", kMostDiagnostics)});
  }
}

int whole_number(const tinygltf::Value& object, const std::string& member) {
  return object.Has(member) && object.Get(member).IsInt() ? std::max(object.Get(member).Get<int>(), -1) : -1;
}

Result<std::span<const std::uint8_t>> Reader::view_bytes(int view) {
  if (!has_index(model.bufferViews, view)) {
    return error("buffer view {} does not exist, there are {}", view, model.bufferViews.size());
  }
  if (const auto decoded = decoded_views.find(view); decoded != decoded_views.end()) {
    if (!decoded->second.problem.empty()) {
      return error("buffer view {}: {}", view, decoded->second.problem);
    }
    return std::span<const std::uint8_t>(decoded->second.bytes);
  }
  if (!reads_left.empty() && reads_left[view] == kGivenBack) {
    return error("buffer view {}: its bytes have been read and given back", view);
  }
  const tinygltf::BufferView& entry = model.bufferViews[view];
  if (!has_index(buffers, entry.buffer)) {
    return error("buffer view {}: buffer {} does not exist, there are {}", view, entry.buffer, buffers.size());
  }
  const BufferData& buffer = buffers[entry.buffer];
  if (!buffer.problem.empty()) {
    return error("buffer {}: {}", entry.buffer, buffer.problem);
  }
  if (entry.byteOffset > buffer.bytes.size() || entry.byteLength > buffer.bytes.size() - entry.byteOffset) {
    return error("buffer view {}: {} bytes from byte {} do not fit buffer {} of {} bytes", view, entry.byteLength,
                 entry.byteOffset, entry.buffer, buffer.bytes.size());
  }
  return buffer.bytes.subspan(entry.byteOffset, entry.byteLength);
}

void count_reads(Reader& reader, std::span<const int> image_views) {
  const tinygltf::Model& model = reader.model;
  reader.reads_left.assign(model.bufferViews.size(), 0);
  std::vector<char> kept(model.bufferViews.size(), 0);
  const auto keep_view = [&](int view) {
    if (has_index(kept, view)) {
      kept[view] = 1;
    }
  };
  const auto view_of = [&](int accessor) {
    return has_index(model.accessors, accessor) ? model.accessors[accessor].bufferView : -1;
  };
  const auto count_read = [&](int accessor) {
    if (const int view = view_of(accessor); has_index(kept, view)) {
      ++reader.reads_left[view];
    }
  };
  // Views that share bytes stay, as do those that lie elsewhere.
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < model.bufferViews.size(); ++v) {
    const tinygltf::BufferView& view = model.bufferViews[v];
    if (view.buffer != 0 || !view.extensions.empty()) {
      kept[v] = 1;
    }
    if (view.buffer == 0 && reader.view_bytes(static_cast<int>(v)).has_value()) {
      order.push_back(v);
    } else {
      kept[v] = 1;
    }
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return model.bufferViews[a].byteOffset < model.bufferViews[b].byteOffset;
  });
  std::size_t longest = 0;  // of the views so far, that which ends last
  for (std::size_t i = 1; i < order.size(); ++i) {
    const tinygltf::BufferView& before = model.bufferViews[order[longest]];
    const tinygltf::BufferView& view = model.bufferViews[order[i]];
    const std::size_t end = before.byteOffset + before.byteLength;
    if (view.byteOffset < end) {
      kept[order[i]] = kept[order[longest]] = 1;
    }
    longest = view.byteOffset + view.byteLength > end ? i : longest;
  }
  std::for_each(image_views.begin(), image_views.end(), keep_view);
  for (const tinygltf::Accessor& accessor : model.accessors) {
    if (accessor.sparse.isSparse) {
      keep_view(accessor.sparse.indices.bufferView);
      keep_view(accessor.sparse.values.bufferView);
    }
  }
  for (const tinygltf::Skin& skin : model.skins) {
    keep_view(view_of(skin.inverseBindMatrices));
  }
  for (const tinygltf::Animation& animation : model.animations) {
    for (const tinygltf::AnimationSampler& sampler : animation.samplers) {
      keep_view(view_of(sampler.input));
      keep_view(view_of(sampler.output));
    }
  }
  for (const tinygltf::Mesh& mesh : model.meshes) {
    for (const tinygltf::Primitive& primitive : mesh.primitives) {
      count_read(primitive.indices);
      for (const auto& [name, accessor] : primitive.attributes) {
        count_read(accessor);
      }
      for (const auto& target : primitive.targets) {
        for (const auto& [name, accessor] : target) {
          count_read(accessor);
        }
      }
      if (const auto draco = primitive.extensions.find("KHR_draco_mesh_compression");
          draco != primitive.extensions.end()) {
        keep_view(whole_number(draco->second, "bufferView"));
      }
    }
  }
  for (std::size_t v = 0; v < kept.size(); ++v) {
    reader.reads_left[v] = kept[v] != 0 ? 0 : reader.reads_left[v];
  }
}

void Reader::finish_read(int accessor) {
  if (reads_left.empty() || !has_index(model.accessors, accessor)) {
    return;
  }
  const int view = model.accessors[accessor].bufferView;
  if (!has_index(reads_left, view) || reads_left[view] <= 0) {
    return;
  }
  if (--reads_left[view] == 0) {
    reads_left[view] = kGivenBack;
    const tinygltf::BufferView& entry = model.bufferViews[view];
    const auto start = static_cast<std::size_t>(buffers[0].bytes.data() - file->bytes().data()) + entry.byteOffset;
    file->release(start, start + entry.byteLength);
  }
}

Result<AccessorView> Reader::view_accessor(int accessor) {
  if (!has_index(model.accessors, accessor)) {
    return error("accessor {} does not exist, there are {}", accessor, model.accessors.size());
  }
  const auto at = [&] { return fmt::format("accessor {}", accessor); };
  const tinygltf::Accessor& entry = model.accessors[accessor];
  AccessorView out;
  out.accessor = accessor;
  out.count = entry.count;
  out.component_type = entry.componentType;
  out.normalized = entry.normalized;
  switch (entry.type) {
    case TINYGLTF_TYPE_MAT2:
    case TINYGLTF_TYPE_MAT3:
    case TINYGLTF_TYPE_MAT4:
      out.rows = out.columns = entry.type - TINYGLTF_TYPE_MAT2 + 2;
      break;
    case TINYGLTF_TYPE_VEC2:
    case TINYGLTF_TYPE_VEC3:
    case TINYGLTF_TYPE_VEC4:
      out.rows = entry.type - TINYGLTF_TYPE_VEC2 + 2;
      break;
    default:
      out.rows = 1;
  }
  const std::size_t size = component_size(entry.componentType);
  if (size == 0) {
    return error("{}: component type {} is not one of glTF's", at(), entry.componentType);
  }
  const std::size_t column = out.rows * size;
  out.column_stride = out.columns > 1 ? (column + 3) / 4 * 4 : column;
  // The padding behind the last column may be missing.
  out.element_size = (out.columns - 1) * out.column_stride + column;

  if (const auto decoded = decoded_accessors.find(accessor); decoded != decoded_accessors.end()) {
    out.count = decoded->second.count;
    out.component_type = decoded->second.component_type;
    out.column_stride = out.rows * component_size(out.component_type);
    out.element_size = out.stride = out.columns * out.column_stride;
    out.data = out.count > 0 ? decoded->second.bytes.data() : nullptr;
  } else if (entry.bufferView >= 0) {
    const auto bytes = view_bytes(entry.bufferView);
    if (!bytes) {
      return bytes.error().in(at());
    }
    const std::size_t declared = model.bufferViews[entry.bufferView].byteStride;
    out.stride = declared != 0 ? declared : out.columns * out.column_stride;
    if (out.stride < out.element_size) {
      return error("{}: byteStride {} is less than the {} bytes of one element", at(), out.stride, out.element_size);
    }
    if (const Status status = check_extent(bytes->size(), entry.byteOffset, out.stride, out.element_size, out.count);
        !status) {
      return status.error().in(at());
    }
    out.data = out.count > 0 ? bytes->data() + entry.byteOffset : nullptr;
  }
  if (entry.sparse.isSparse) {
    if (entry.sparse.count < 0 || entry.sparse.indices.byteOffset < 0 || entry.sparse.values.byteOffset < 0 ||
        !is_index_type(entry.sparse.indices.componentType)) {
      return error("{}: its sparse part is malformed", at());
    }
    out.sparse_count = entry.sparse.count;
    out.sparse_index_type = entry.sparse.indices.componentType;
    if (out.sparse_count > out.count) {
      return error("{}: {} sparse elements of {}", at(), out.sparse_count, out.count);
    }
    const auto part = [&](int view, int offset, std::size_t part_size, const std::uint8_t*& data) -> Status {
      const auto bytes = view_bytes(view);
      if (!bytes) {
        return bytes.error().in(at());
      }
      if (const Status status = check_extent(bytes->size(), offset, part_size, part_size, out.sparse_count); !status) {
        return status.error().in(at() + ", sparse");
      }
      data = out.sparse_count > 0 ? bytes->data() + offset : nullptr;
      return {};
    };
    const std::size_t index_size = component_size(out.sparse_index_type);
    PELT_TRY(part(entry.sparse.indices.bufferView, entry.sparse.indices.byteOffset, index_size, out.sparse_indices));
    PELT_TRY(part(entry.sparse.values.bufferView, entry.sparse.values.byteOffset, out.columns * out.column_stride,
                  out.sparse_values));
    for (std::size_t i = 0; i < out.sparse_count; ++i) {
      const std::uint32_t target = load_index(out.sparse_indices + i * index_size, out.sparse_index_type);
      if (target >= out.count) {
        return error("{}: sparse index {} is {}, expected less than {}", at(), i, target, out.count);
      }
    }
  }
  return out;
}

void Reader::give_back(const AccessorView& view, std::size_t first, std::size_t last) const {
  if (reads_left.empty() || view.data == nullptr || first == last || decoded_accessors.count(view.accessor) != 0) {
    return;
  }
  const int buffer_view = model.accessors[view.accessor].bufferView;
  if (buffer_view >= 0 && reads_left[buffer_view] == 1) {
    const std::size_t start = view.data - file->bytes().data();
    file->release(start + first * view.stride, start + (last - 1) * view.stride + view.element_size);
  }
}

void Reader::read_floats(const AccessorView& view, std::size_t first, std::size_t count, float* out) const {
  if (view.data == nullptr) {
    std::fill_n(out, count * view.components(), 0.0f);
  } else {
    decode_floats(view, view.data + first * view.stride, view.stride, count, out);
  }
}

void Reader::read_indices(const AccessorView& view, std::size_t first, std::size_t count, std::uint32_t* out) const {
  if (view.data == nullptr) {
    std::fill_n(out, count * view.rows, 0U);
    return;
  }
  const std::uint8_t* from = view.data + first * view.stride;
  switch (view.component_type) {
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
      return copy_indices<std::uint8_t>(from, view.stride, count, view.rows, out);
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
      return copy_indices<std::uint16_t>(from, view.stride, count, view.rows, out);
    default:
      return copy_indices<std::uint32_t>(from, view.stride, count, view.rows, out);
  }
}

void Reader::read_sparse(const AccessorView& view, std::span<float> out) const {
  const std::size_t width = view.components();
  const std::size_t index_size = component_size(view.sparse_index_type);
  const std::size_t value_size = view.columns * view.column_stride;
  for (std::size_t i = 0; i < view.sparse_count; ++i) {
    const std::uint32_t target = load_index(view.sparse_indices + i * index_size, view.sparse_index_type);
    decode_floats(view, view.sparse_values + i * value_size, value_size, 1, out.data() + target * width);
  }
}

void Reader::read_floats(const AccessorView& view, std::span<float> out) {
  read_floats(view, 0, view.count, out.data());
  give_back(view, 0, view.count);
  read_sparse(view, out);
}

Result<mesh::KeptAttribute> Reader::read_kept(int accessor, const std::string& name) {
  PELT_TRY_TO(const AccessorView view, view_accessor(accessor));
  mesh::KeptAttribute out{name, number_type(view.component_type), view.normalized, view.rows, view.columns};
  out.normalized = out.normalized && mesh::size_of(out.type) < 4;  // it means nothing elsewhere
  const std::size_t size = out.element_size();
  const std::size_t count = view.count;
  if (const Status status = kept_budget.take(count, size); !status) {
    return status.error().in(fmt::format("accessor {}", accessor));
  }
  out.bytes.resize(count * size, 0);
  const std::size_t column = out.rows * mesh::size_of(out.type);
  const auto copy = [&](const std::uint8_t* from, std::size_t element) {
    for (std::size_t c = 0; std::cmp_less(c, out.columns); ++c) {
      std::memcpy(out.bytes.data() + element * size + c * (size / out.columns), from + c * view.column_stride, column);
    }
  };
  for (std::size_t i = 0; view.data != nullptr && i < count; ++i) {
    copy(view.data + i * view.stride, i);
  }
  give_back(view, 0, view.count);
  const std::size_t index_size = component_size(view.sparse_index_type);
  for (std::size_t i = 0; i < view.sparse_count; ++i) {
    const std::size_t element = load_index(view.sparse_indices + i * index_size, view.sparse_index_type);
    copy(view.sparse_values + i * view.columns * view.column_stride, element);
  }
  return out;
}

Result<std::vector<float>> Reader::read_scalars(int accessor, bool any_type) {
  PELT_TRY_TO(const AccessorView view, view_accessor(accessor));
  if (!any_type && view.components() != 1) {
    return error("accessor {}: expected SCALAR, got {}", accessor, type_label(view));
  }
  const std::size_t width = view.components();
  if (const Status status = budget.take(view.count, width * sizeof(float)); !status) {
    return status.error().in(fmt::format("accessor {}", accessor));
  }
  std::vector<float> out(view.count * width);
  read_floats(view, out);
  return out;
}

Status Reader::check_indices(const AccessorView& view, int components) {
  if (view.columns != 1 || view.rows != components) {
    return error("accessor {}: expected {}, got {}", view.accessor, components == 1 ? "SCALAR" : "VEC4",
                 type_label(view));
  }
  if (!is_index_type(view.component_type)) {
    return error("accessor {}: expected unsigned integers, got component type {}", view.accessor, view.component_type);
  }
  return {};
}

Result<std::vector<std::uint32_t>> Reader::read_indices(int accessor, int components, int* component_type) {
  PELT_TRY_TO(const AccessorView view, view_accessor(accessor));
  PELT_TRY(check_indices(view, components));
  const std::size_t width = components;
  if (const Status status = budget.take(view.count, width * sizeof(std::uint32_t)); !status) {
    return status.error().in(fmt::format("accessor {}", accessor));
  }
  std::vector<std::uint32_t> out;
  if (width == 1) {
    out = read_in_blocks<std::uint32_t>(view.count, [&](std::size_t first, std::size_t count, std::uint32_t* block) {
      read_indices(view, first, count, block);
      give_back(view, first, first + count);
    });
  } else {
    out.resize(view.count * width);
    read_indices(view, 0, view.count, out.data());
    give_back(view, 0, view.count);
  }
  const std::size_t size = component_size(view.component_type);
  for (std::size_t i = 0; i < view.sparse_count; ++i) {
    const std::size_t element =
        load_index(view.sparse_indices + i * component_size(view.sparse_index_type), view.sparse_index_type);
    for (std::size_t k = 0; k < width; ++k) {
      out[element * width + k] = load_index(view.sparse_values + (i * width + k) * size, view.component_type);
    }
  }
  if (component_type != nullptr) {
    *component_type = view.component_type;
  }
  return out;
}

}  // namespace pelt::gltf
