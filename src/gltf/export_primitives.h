#pragma once

// Internal to the exporter: attributes, influences and morph targets of a primitive.

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "gltf/export.h"
#include "gltf/export_buffers.h"
#include "gltf/source_form.h"
#include "mesh/mesh.h"

namespace pelt::gltf {

/// The extensions that a file uses, and those of them without which it cannot be read.
struct ExtensionLists {
  std::set<std::string> used;
  std::set<std::string> required;

  void require(const std::string& name) {
    used.insert(name);
    required.insert(name);
  }
};

/// Values from -1 or 0 to 1 as normalised integers, elements padded to multiples of four bytes.
struct Integers {
  std::vector<std::uint8_t> bytes;
  std::size_t stride = 0;
  std::vector<int> lower, upper;  ///< per component
};

/// The member "nurbs" of extras.pelt. @pre  cage.nurbs.is_one()
Json nurbs_json(const mesh::ControlCage& cage);

/// Writes what lies in one primitive's arrays.
class PrimitiveWriter {
 public:
  /// @param options, form, buffers, extensions  outlive it
  PrimitiveWriter(const ExportOptions& options, const SourceForm& form, BufferWriter& buffers,
                  ExtensionLists& extensions)
      : options_(options), form_(form), buffers_(buffers), extensions_(extensions) {}

  /// Fails where arrays do not fit one another.
  /// @param place         JSON pointer of the primitive in the source file
  /// @param target_count  of morph targets, as in the mesh's first primitive
  /// @param on_grid       coordinates lie between 0 and 1, to be written as integers
  /// @param out           receives everything but what the source file had there that is not understood
  Status write(const mesh::Primitive& primitive, const std::string& place, std::size_t target_count, bool on_grid,
               Json& out);
  /// As it is. @param is_delta  it is a morph target's
  int add_kept(const mesh::KeptAttribute& values, const std::string& place, bool is_delta = false);

 private:
  // `place` is where the source file names the accessor: its last part is the attribute.
  int add_integers(const Integers& integers, int components, int component_type, const std::string& place);
  /// As integers where the options want it and all values lie between `lower` and 1, else as they are.
  template <int N>
  int add_rounded(const std::vector<glm::vec<N, float>>& values, int component_type, float lower,
                  const std::string& place);
  /// Unit vectors, as signed bytes where the options want it; w is -1 or 1 where there is one.
  template <int N>
  int add_directions(const std::vector<glm::vec<N, float>>& values, const std::string& place);
  int add_positions(const std::vector<glm::vec3>& values, bool on_grid, const std::string& place);
  /// Without alpha where the source had none.
  int add_colors(const std::vector<glm::vec4>& values, const std::string& primitive);
  /// @param values  [V] or empty, which stands for zeros
  int add_deltas(const std::vector<glm::vec3>& values, std::size_t vertex_count, bool bounds, bool on_grid,
                 const std::string& place);
  static void add_bounds(Json& accessor, std::span<const glm::vec3> values, bool include_zero);

  // The next take `place` of the primitive.
  Json attributes_json(const mesh::Primitive& primitive, const std::string& place, bool on_grid);
  void write_texcoords_and_colors(const mesh::Primitive& primitive, const std::string& place, Json& attributes);
  void write_influences(const mesh::Influences& influences, const std::string& place, Json& attributes);
  int add_indices(const mesh::Primitive& primitive, const std::string& place);
  /// @param place       of the target
  /// @param attributes  of the primitive: a kept one of a target needs its like there
  Json target_json(const mesh::Primitive& primitive, const mesh::MorphTarget& target, const std::string& place,
                   bool on_grid, const Json& attributes);

  const ExportOptions& options_;
  const SourceForm& form_;
  BufferWriter& buffers_;
  ExtensionLists& extensions_;
};

}  // namespace pelt::gltf
