#pragma once

// Internal to the exporter: the writer of one file, whose parts stand in export.cpp, export_nodes.cpp and
// export_clips.cpp.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/index.h"
#include "gltf/export.h"
#include "gltf/export_buffers.h"
#include "gltf/export_primitives.h"
#include "gltf/kept.h"
#include "gltf/source_form.h"

namespace pelt::gltf {

/// What nodes carry and what none carries, in the order of the file's numbers; those that are from no file come last.
template <typename T>
std::vector<const T*> by_source(const SharedArray<T>& carried, const SharedArray<T>& spare) {
  std::vector<const T*> out;
  for (const SharedArray<T>* list : {&carried, &spare}) {
    for (const T& one : *list) {
      out.push_back(&one);
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const T* a, const T* b) {
    return static_cast<unsigned>(a->source) < static_cast<unsigned>(b->source);
  });
  return out;
}

/// Writes one character: the parts of the file one after the other, then all bytes.
class Writer {
 public:
  Writer(const rig::Character& character, const ExportOptions& options, std::vector<char> on_grid,
         const Progress& progress);

  Result<Exported> write();

 private:
  /// Makes a channel of keys, the accessors of their times and values, and what they move.
  using AddChannel = std::function<void(const rig::Channel& keys, int input, int output, Json target)>;

  /// Where the writer puts the node that is joint j.
  [[nodiscard]] int node_of(int j) const { return node_of_[j]; }
  [[nodiscard]] std::vector<int> nodes_of(const std::vector<int>& joints) const;
  /// Finds those that need no nodes, and numbers the others.
  void take_out_instances();
  /// The number in the new file of an image, -1 where it has none.
  [[nodiscard]] int image_of(int image) const { return has_index(image_index_, image) ? image_index_[image] : -1; }
  /// Gives an object, and those that are members of it at any depth, the extras and extensions that the source file had
  /// there. Elements of lists have numbers of their own: theirs are given to them one by one.
  void restore(Json& object, const std::string& place);
  void restore_one(Json& object, const rig::KeptJson& kept);
  /// The object that a JSON pointer names below `object`, null where there is none. In a material those are made that
  /// say nothing while they are empty.
  Json* object_at(Json& object, std::string_view pointer, bool of_material);
  /// The place in `list` of what several nodes may share: the same for one `source`, or, without one, for equal
  /// content.
  /// @param list_place  JSON pointer of the list in the source file
  std::size_t add_shared(Json& list, Json value, int source, const char* list_place,
                         std::map<int, std::size_t>& index_of_source);
  /// The object of EXT_mesh_gpu_instancing.
  Json instances_json(const rig::Instances& instances);
  Status write_meshes();
  /// Nodes, and the cameras and lights that they carry.
  Status write_nodes();
  [[nodiscard]] Result<Json> node_json(std::size_t j) const;
  /// Give nodes, by joint, what they carry.
  Status carry_meshes(std::vector<Json>& nodes);
  Status carry_cameras(std::vector<Json>& nodes);
  Status carry_lights(std::vector<Json>& nodes);
  void carry_instances(std::vector<Json>& nodes);
  void add_constraints(std::vector<Json>& nodes);
  Status write_skins();
  void write_materials();
  void write_textures();
  Status write_images();
  Status write_clips();
  Status write_channels(std::size_t c, const AddChannel& add_channel);
  /// The target of a channel of KHR_animation_pointer.
  Json pointer_json(std::string pointer);
  /// The same of a property; null where that is not in the file.
  Json pointer_target(const rig::PropertyChannel& channel);
  /// Key times and values. @param sampler  its place in the source file
  int add_key_times(const rig::Channel& keys, const std::string& sampler) {
    return buffers_.add_shared({.stream = "times", .bytes = bytes_of(keys.times), .count = keys.times.size()}, true,
                               form_.string_at(sampler + "/input"));
  }
  int add_key_values(const rig::Channel& keys, std::string_view stream, const std::string& sampler);
  int add_property_keys(const rig::PropertyChannel& channel, const std::string& sampler);
  void write_scenes();
  void write_extensions();
  /// Notes what differs from the source file although nobody has edited it.
  void note_unasked_changes();
  Result<Exported> pack();

  const rig::Character& character_;
  const ExportOptions& options_;
  const Progress& progress_;
  std::vector<char> on_grid_;       ///< [meshes] coordinates lie between 0 and 1, to be written as integers
  std::vector<char> on_grid_node_;  ///< [J] the mesh there is written in the units of its grid
  Json root_ = Json::object();
  SourceForm form_;
  BufferWriter buffers_;
  ExtensionLists extensions_;
  PrimitiveWriter primitives_;
  std::vector<const rig::Instances*> instances_;  ///< those that are no nodes in the file
  std::vector<int> node_of_;                      ///< [J], -1 for these
  std::vector<int> image_index_;                  ///< of each image in the file, -1 where it has no bytes
  std::vector<int> mesh_index_;                   ///< of each mesh in the file, -1 where it has no vertices
  std::map<int, std::size_t> camera_index_;       ///< by Camera::source
  std::map<int, std::size_t> light_index_;        ///< by Light::source
  std::vector<float> emissive_strength_;          ///< of each material, see material_json()
  std::set<std::pair<int, std::string>> moved_;   ///< material and the object in it of which a clip moves a member
  Renumbered renumbered_;
  std::multimap<std::string_view, const rig::KeptJson*> kept_;
  Exported exported_;
};

}  // namespace pelt::gltf
