// KHR_draco_mesh_compression. What a bitstream makes the decoder allocate follows from counts inside it, so the decoder
// is stopped at the two places where these are known and little is allocated: before it builds the connectivity, and
// before it decodes the attributes.

#include <cstring>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <draco/compression/decode.h>
#include <draco/compression/mesh/mesh_edgebreaker_decoder.h>
#include <draco/compression/mesh/mesh_sequential_decoder.h>
#include <draco/core/varint_decoding.h>
#pragma GCC diagnostic pop

#include "core/index.h"
#include "gltf/reader.h"

namespace pelt::gltf {
namespace {

/// @param Base  one of Draco's two mesh decoders
template <typename Base>
class BoundedDracoDecoder : public Base {
 public:
  explicit BoundedDracoDecoder(Budget& budget) : budget_(budget) {}
  [[nodiscard]] const Status& status() const { return status_; }

 protected:
  bool DecodeConnectivity() override {
    constexpr bool kIsSequential = std::is_same_v<Base, draco::MeshSequentialDecoder>;
    draco::DecoderBuffer ahead = *this->buffer();
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    std::uint8_t seams = 0;
    if (!draco::DecodeVarint(&first, &ahead) || !draco::DecodeVarint(&second, &ahead) ||
        (!kIsSequential && !ahead.Decode(&seams))) {
      return false;
    }
    const std::size_t faces = kIsSequential ? first : second;
    const std::size_t vertices = kIsSequential ? second : first;
    // A face is three indices, and with edgebreaker three corners with their opposites and vertices, and a symbol;
    // every set of attributes with seams has a table of corners more.
    const std::size_t face_size = 3 * sizeof(std::uint32_t) * (kIsSequential ? 2U : 5U + 2U * seams);
    status_ = budget_.take(faces, face_size);
    if (status_) {
      status_ = budget_.take(vertices, 4 * sizeof(std::uint32_t));
    }
    return status_.has_value() && Base::DecodeConnectivity();
  }

  bool DecodeAllAttributes() override {
    std::size_t point_size = 0;
    for (int a = 0; a < this->point_cloud()->num_attributes(); ++a) {
      const draco::PointAttribute& attribute = *this->point_cloud()->attribute(a);
      // The values, the integers that they are made of, and which value is whose.
      point_size += static_cast<std::size_t>(attribute.byte_stride()) +
                    (attribute.num_components() + std::size_t{1}) * sizeof(std::uint32_t);
    }
    status_ = budget_.take(this->point_cloud()->num_points(), point_size);
    return status_.has_value() && Base::DecodeAllAttributes();
  }

 private:
  Budget& budget_;
  Status status_;
};

template <typename Base>
Result<std::unique_ptr<draco::Mesh>> decode_bounded(draco::DecoderBuffer& buffer, Budget& budget) {
  BoundedDracoDecoder<Base> decoder(budget);
  const draco::DecoderOptions options;
  auto out = std::make_unique<draco::Mesh>();
  const draco::Status status = decoder.Decode(options, &buffer, out.get());
  if (!decoder.status()) {
    return decoder.status().error();
  }
  if (!status.ok()) {
    return error("its data are malformed ({})", printable(status.error_msg_string(), 80));
  }
  return out;
}

Result<std::unique_ptr<draco::Mesh>> decode_draco(std::span<const std::uint8_t> bytes, Budget& budget) {
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  draco::DecoderBuffer ahead = buffer;
  draco::DracoHeader header = {};
  if (!draco::PointCloudDecoder::DecodeHeader(&ahead, &header).ok()) {
    return error("its data are malformed (no header)");
  }
  // The extension asks for this version; older ones lay their counts out in other ways.
  if (header.version_major != 2 || header.version_minor != 2) {
    return error("expected version 2.2 of the bitstream, got {}.{}", header.version_major, header.version_minor);
  }
  if (header.encoder_type != draco::TRIANGULAR_MESH) {
    return error("expected a mesh, got a point cloud");
  }
  return header.encoder_method == draco::MESH_SEQUENTIAL_ENCODING
             ? decode_bounded<draco::MeshSequentialDecoder>(buffer, budget)
             : decode_bounded<draco::MeshEdgebreakerDecoder>(buffer, budget);
}

template <typename T>
bool copy_draco_values(const draco::PointAttribute& from, std::size_t count, std::uint8_t* out) {
  std::array<T, 4> values = {};
  const std::size_t size = sizeof(T) * static_cast<std::size_t>(from.num_components());
  for (std::size_t point = 0; point < count; ++point, out += size) {
    const draco::AttributeValueIndex value = from.mapped_index(draco::PointIndex(static_cast<std::uint32_t>(point)));
    if (value.value() >= from.size() || !from.ConvertValue<T>(value, from.num_components(), values.data())) {
      return false;
    }
    std::memcpy(out, values.data(), size);
  }
  return true;
}

Result<DecodedAccessor> decoded_attribute(const draco::PointAttribute& from, std::size_t count,
                                          const tinygltf::Accessor& accessor, Budget& budget) {
  const int components = tinygltf::GetNumComponentsInType(static_cast<std::uint32_t>(accessor.type));
  const int size = tinygltf::GetComponentSizeInBytes(static_cast<std::uint32_t>(accessor.componentType));
  if (components < 1 || components > 4 || components != from.num_components()) {
    return error("expected {} components, got {}", components, from.num_components());
  }
  const std::size_t element_size = static_cast<std::size_t>(components) * std::max(size, 1);
  PELT_TRY(budget.take(count, element_size));
  if (from.buffer() == nullptr ||
      from.buffer()->data_size() < from.size() * static_cast<std::size_t>(from.byte_stride())) {
    return error("its data are malformed (an attribute without values)");
  }
  DecodedAccessor out{std::vector<std::uint8_t>(count * element_size), count, accessor.componentType};
  bool good = false;
  switch (accessor.componentType) {
    case TINYGLTF_COMPONENT_TYPE_BYTE:
      good = copy_draco_values<std::int8_t>(from, count, out.bytes.data());
      break;
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
      good = copy_draco_values<std::uint8_t>(from, count, out.bytes.data());
      break;
    case TINYGLTF_COMPONENT_TYPE_SHORT:
      good = copy_draco_values<std::int16_t>(from, count, out.bytes.data());
      break;
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
      good = copy_draco_values<std::uint16_t>(from, count, out.bytes.data());
      break;
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
      good = copy_draco_values<std::uint32_t>(from, count, out.bytes.data());
      break;
    case TINYGLTF_COMPONENT_TYPE_FLOAT:
      good = copy_draco_values<float>(from, count, out.bytes.data());
      break;
    default:
      return error("component type {} is not one of glTF's", accessor.componentType);
  }
  if (!good) {
    return error("its values do not fit component type {}", accessor.componentType);
  }
  return out;
}

}  // namespace

Status decode_draco_primitive(Reader& reader, const tinygltf::Primitive& primitive) {
  const tinygltf::Value& extension = primitive.extensions.at("KHR_draco_mesh_compression");
  if (!extension.Has("attributes") || !extension.Get("attributes").IsObject()) {
    return error("attributes: expected an object");
  }
  if (primitive.mode != TINYGLTF_MODE_TRIANGLES && primitive.mode != TINYGLTF_MODE_TRIANGLE_STRIP) {
    return error("mode: expected triangles (4 or 5), got {}", primitive.mode);
  }
  PELT_TRY_TO(const auto bytes, reader.view_bytes(whole_number(extension, "bufferView")));
  PELT_TRY_TO(const auto mesh, decode_draco(bytes, reader.budget));
  const std::size_t point_count = mesh->num_points();
  const auto note_count = [&](int accessor, std::size_t count) {
    if (const std::size_t declared = reader.model.accessors[accessor].count; declared != count) {
      reader.warn("draco-count", fmt::format("accessor {}", accessor),
                  fmt::format("expected {} elements, its Draco data hold {}", declared, count));
    }
  };
  for (const std::string& name : extension.Get("attributes").Keys()) {
    const auto attribute = primitive.attributes.find(name);
    const std::string label = printable(name, 40);
    if (attribute == primitive.attributes.end()) {
      return error("{}: the primitive has no attribute of that name", label);
    }
    if (!has_index(reader.model.accessors, attribute->second)) {
      return error("{}: accessor {} does not exist, there are {}", label, attribute->second,
                   reader.model.accessors.size());
    }
    const int id = whole_number(extension.Get("attributes"), name);
    const draco::PointAttribute* from = id < 0 ? nullptr : mesh->GetAttributeByUniqueId(static_cast<std::uint32_t>(id));
    if (from == nullptr) {
      return error("{}: its data have no attribute with the id {}", label, id);
    }
    auto decoded = decoded_attribute(*from, point_count, reader.model.accessors[attribute->second], reader.budget);
    if (!decoded) {
      return decoded.error().in(label);
    }
    note_count(attribute->second, point_count);
    reader.decoded_accessors[attribute->second] = *std::move(decoded);
  }
  if (has_index(reader.model.accessors, primitive.indices)) {
    const std::size_t count = std::size_t{3} * mesh->num_faces();
    if (const Status status = reader.budget.take(count, sizeof(std::uint32_t)); !status) {
      return status;
    }
    note_count(primitive.indices, count);
    DecodedAccessor indices{std::vector<std::uint8_t>(count * sizeof(std::uint32_t)), count,
                            TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT};
    for (std::uint32_t f = 0; f < mesh->num_faces(); ++f) {
      const draco::Mesh::Face& face = mesh->face(draco::FaceIndex(f));
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t point = face[k].value();
        std::memcpy(indices.bytes.data() + (3 * std::size_t{f} + k) * sizeof(point), &point, sizeof(point));
      }
    }
    reader.decoded_accessors[primitive.indices] = std::move(indices);
  }
  return {};
}

}  // namespace pelt::gltf
