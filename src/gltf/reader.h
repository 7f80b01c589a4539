#pragma once

// Internal to the importer: what its steps share. Nothing outside src/gltf includes this.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tiny_gltf.h>
#include <glm/glm.hpp>

#include "core/file.h"
#include "core/large_memory.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/text.h"
#include "gltf/import.h"
#include "rig/character.h"

namespace pelt::gltf {

/// No coordinate or matrix element of a file may be larger, so that products of a few of them stay finite in float.
inline constexpr float kLargest = 1e18f;
inline constexpr std::size_t kNameLimit = 200;
inline constexpr std::size_t kMostDiagnostics = 500;

template <typename V>
bool reasonable(const V& v) {
  for (int i = 0; i < V::length(); ++i) {
    if (!(std::abs(v[i]) <= kLargest)) {
      return false;
    }
  }
  return true;
}

/// The bytes of one buffer, in place wherever possible, or why there are none.
struct BufferData {
  std::span<const std::uint8_t> bytes;
  std::string problem;
};

/// What a compressed buffer view decoded to, or why it did not.
struct DecodedView {
  std::vector<std::uint8_t> bytes;
  std::string problem;
};

/// Elements of an accessor that do not lie in a buffer, one behind the other.
struct DecodedAccessor {
  std::vector<std::uint8_t> bytes;
  std::size_t count = 0;
  int component_type = 0;
};

/// An accessor whose every byte is known to lie inside its buffer.
struct AccessorView {
  int accessor = -1;
  std::size_t count = 0;
  int columns = 1;
  int rows = 1;
  int component_type = 0;
  bool normalized = false;
  std::size_t element_size = 0;
  std::size_t column_stride = 0;       ///< matrices: columns begin at multiples of four bytes
  const std::uint8_t* data = nullptr;  ///< null: all zeros
  std::size_t stride = 0;
  std::size_t sparse_count = 0;
  const std::uint8_t* sparse_indices = nullptr;
  int sparse_index_type = 0;
  const std::uint8_t* sparse_values = nullptr;

  [[nodiscard]] int components() const { return columns * rows; }
};

/// Bytes that this file may still make the importer allocate.
class Budget {
 public:
  void add(std::size_t bytes) { left_ += bytes; }
  Status take(std::size_t count, std::size_t size) {
    if (size != 0 && count > left_ / size) {
      return error("decoding {} elements would take more memory than a file of this size warrants", count);
    }
    left_ -= count * size;
    return {};
  }

 private:
  std::size_t left_ = 0;
};

/// Directions and rotations that reading has changed to make them unit, by what the file calls them.
struct MadeUnit {
  std::size_t normals = 0;
  std::size_t tangents = 0;
  std::size_t rotations = 0;  ///< of nodes and instances
  std::size_t keys = 0;       ///< rotations of clips
};

struct Reader {
  const ImportOptions& options;
  const Progress& progress;
  tinygltf::Model model = {};
  std::vector<BufferData> buffers = {};
  std::map<int, DecodedView> decoded_views = {};          ///< by buffer view; these stand for what lies in its buffer
  std::map<int, DecodedAccessor> decoded_accessors = {};  ///< by accessor; of the primitive that is being read
  FileBytes* file = nullptr;         ///< what buffer 0 lies in and may be given back; null: nothing is
  std::vector<int> reads_left = {};  ///< by buffer view: how often a mesh will read it yet; 0: it stays
  Budget budget = {};
  rig::Character character = {};
  std::size_t node_count = 0;           ///< of the file: those that are made of instances come after these
  std::vector<int> joint_of_node = {};  ///< skeleton index of each node, made ones with them
  std::vector<std::vector<char>> joint_is_used = {};  ///< [skin][joint]: some vertex has weight there
  std::map<int, std::vector<int>> instances = {};  ///< by node of the file: the nodes that carry its mesh in its place
  std::vector<int> node_of_made = {};  ///< the node of the file that each made one stands for, from node_count on
  std::map<int, rig::Instances> kept_instances = {};  ///< likewise: what is kept of them, without the nodes' numbers
  Budget kept_budget = {};  ///< of attributes that nothing here reads: they make no file too large to open
  std::set<std::string, std::less<>> extensions_used = {};  ///< as the file lists them
  MadeUnit made_unit = {};
  int texcoord_sets = 2;  ///< which the primitives of the material that is being read have, kept ones with them

  /// Whether the file has a node of that number: what it refers to must never be one that was made.
  [[nodiscard]] bool has_node(int n) const { return n >= 0 && std::cmp_less(n, node_count); }
  /// The node of the file that a node is or stands for. @pre n is a node
  [[nodiscard]] int file_node(int n) const { return has_node(n) ? n : node_of_made[n - node_count]; }
  /// Whether a node shows again what one made before it for the same node shows. @pre n is a node
  [[nodiscard]] bool repeats(int n) const { return !has_node(n) && instances.at(file_node(n)).front() != n; }
  /// "node 3", or "node 3, instance 5" for one that was made.
  [[nodiscard]] std::string node_place(int n) const;
  /// @param vertices  see Diagnostic
  void note(Severity severity, std::string_view code, std::string place, std::string message,
            std::vector<std::uint32_t> vertices = {});
  void warn(std::string_view code, std::string place, std::string message, std::vector<std::uint32_t> vertices = {}) {
    note(Severity::kWarning, code, std::move(place), std::move(message), std::move(vertices));
  }

  /// @param accessor  index in the file, checked
  Result<AccessorView> view_accessor(int accessor);
  /// The bytes of a buffer view, checked.
  Result<std::span<const std::uint8_t>> view_bytes(int view);
  /// Decodes all elements, columns after rows, to floats. @pre out.size() == count * components
  void read_floats(const AccessorView& view, std::span<float> out);
  /// The same for `count` elements from `first` on, without those that are sparse, and for unsigned integers. Safe to
  /// call from several threads at once.
  void read_floats(const AccessorView& view, std::size_t first, std::size_t count, float* out) const;
  void read_indices(const AccessorView& view, std::size_t first, std::size_t count, std::uint32_t* out) const;
  /// Puts the sparse elements over what has been read.
  void read_sparse(const AccessorView& view, std::span<float> out) const;
  /// Says that elements [first, last) will not be asked for again by this mention of the accessor: where it is the last
  /// one, the file's bytes go back to the system.
  void give_back(const AccessorView& view, std::size_t first, std::size_t last) const;

  /// Vectors of exactly N components.
  template <int N>
  Result<std::vector<glm::vec<N, float>>> read_vectors(int accessor);
  /// Scalars, or all components one after another where `any_type`.
  Result<std::vector<float>> read_scalars(int accessor, bool any_type = false);
  /// Elements of any kind as they are stored.
  Result<mesh::KeptAttribute> read_kept(int accessor, const std::string& name);
  /// Says that a mesh has read an accessor as often as one mention of it asks for.
  void finish_read(int accessor);
  /// Whether it holds unsigned integers of `components` each.
  Status check_indices(const AccessorView& view, int components);
  /// Unsigned integers of `components` each.
  Result<std::vector<std::uint32_t>> read_indices(int accessor, int components, int* component_type = nullptr);
};

/// Finds the buffer views that only meshes read, so that their bytes go back to the system as they are read.
/// @param image_views  the views that hold images
void count_reads(Reader& reader, std::span<const int> image_views);

std::string_view type_label(const AccessorView& view);

/// Elements are read in blocks of as many: they stay in the caches, and the file's bytes can be given back behind them.
inline constexpr std::size_t kElementsAtOnce = std::size_t{1} << 16;

/// `count` elements, made of blocks that `read(first, count, out)` fills; memory is touched only as it is filled.
template <typename T, typename Read>
std::vector<T> read_in_blocks(std::size_t count, const Read& read) {
  std::vector<T> out;
  out.reserve(count);
  prefer_large_pages(out.data(), count * sizeof(T));
  for (std::size_t at = 0; at < count; at += kElementsAtOnce) {
    const std::size_t some = std::min(kElementsAtOnce, count - at);
    out.resize(at + some);
    read(at, some, out.data() + at);
  }
  return out;
}

template <int N>
Result<std::vector<glm::vec<N, float>>> Reader::read_vectors(int accessor) {
  PELT_TRY_TO(const AccessorView view, view_accessor(accessor));
  if (view.columns != 1 || view.rows != N) {
    return error("accessor {}: expected VEC{}, got {}", accessor, N, type_label(view));
  }
  if (const Status status = budget.take(view.count, sizeof(glm::vec<N, float>)); !status) {
    return status.error().in(fmt::format("accessor {}", accessor));
  }
  using Vector = glm::vec<N, float>;
  static_assert(sizeof(Vector) == N * sizeof(float));
  auto out = read_in_blocks<Vector>(view.count, [&](std::size_t first, std::size_t count, Vector* block) {
    read_floats(view, first, count, reinterpret_cast<float*>(block));
    give_back(view, first, first + count);
  });
  read_sparse(view, {reinterpret_cast<float*>(out.data()), N * out.size()});
  return out;
}

/// A member that is a whole number of 0 or more, -1 where it is anything else or absent.
int whole_number(const tinygltf::Value& object, const std::string& member);

/// EXT_meshopt_compression and KHR_meshopt_compression: fills reader.decoded_views, on all threads.
void decode_meshopt_views(Reader& reader);
/// KHR_draco_mesh_compression: fills reader.decoded_accessors with the attributes and indices of a primitive.
Status decode_draco_primitive(Reader& reader, const tinygltf::Primitive& primitive);
/// KHR_texture_transform: fills ref.transform, and ref.texcoord where the extension names one.
/// @param from  the extension's object  @param name  of the reference, "baseColorTexture"
void read_texture_transform(Reader& reader, const tinygltf::Value& from, const char* name, const std::string& place,
                            rig::TextureRef& ref);
/// EXT_texture_webp, KHR_texture_basisu: the image that a texture shows, -1 for none. @pre images are opened
int choose_texture_image(Reader& reader, const tinygltf::Texture& from, const std::string& place);

/// What a channel of KHR_animation_pointer moves: a property of a node, as ordinary channels do, or another one.
struct PointerTarget {
  int node = -1;  ///< of the file, whose `path` moves
  int mesh = -1;  ///< of the file: that of the nodes that have its weights; where there is neither see `channel`
  std::string path = {};
  int morph_target = -1;              ///< see rig::Channel
  rig::PropertyChannel channel = {};  ///< without keys, but for their width
};

// The steps, in the order in which import calls them. Each fills its part of reader.character.
/// Makes a node of each instance of EXT_mesh_gpu_instancing; they come after the file's own nodes, and read_nodes()
/// hangs them below the one whose mesh they carry.
void expand_instances(Reader& reader);
Status read_nodes(Reader& reader);
void read_scenes(Reader& reader);
Status read_meshes(Reader& reader);
Status read_skins(Reader& reader);
void read_clips(Reader& reader);
void read_materials(Reader& reader);
/// @pre the nodes and scenes are read
void read_lights(Reader& reader);
/// What expand_instances() made, by the skeleton's numbers.
void read_instances(Reader& reader);
void read_visibility(Reader& reader);
/// Human bones and constraints.
void read_vrm(Reader& reader);
/// Chains of joints that swing, and what they do not pass.
void read_springs(Reader& reader);
void read_variants(Reader& reader);
void read_variant_materials(Reader& reader, const tinygltf::Primitive& from, const std::string& place,
                            mesh::Primitive& out);
Result<PointerTarget> resolve_pointer(const Reader& reader, const tinygltf::AnimationChannel& entry);
/// Material::emissive has the strength in it: so must the keys that move it.
void fold_emissive_strength(const Reader& reader, rig::PropertyChannel& channel);
/// KHR_materials_*, all but those that read_materials() reads itself.
void read_material_extensions(Reader& reader, const tinygltf::Material& from, const std::string& place,
                              rig::Material& out);
/// A reference to a texture, none (with a diagnostic) where the file's is not sound.
/// @param name  of the member, for diagnostics
rig::TextureRef texture_reference(Reader& reader, const tinygltf::TextureInfo& from, const char* name, double strength,
                                  const std::string& place);
/// The degrees of freedom in a node's extras, if it has sound ones.
void read_dofs(Reader& reader, const tinygltf::Value& extras, int joint);
/// Says where the layers in the file's extras have not the form of layers. What they mean is the matter of who
/// evaluates them: here they are kept as text.
void check_layers(Reader& reader);

}  // namespace pelt::gltf
