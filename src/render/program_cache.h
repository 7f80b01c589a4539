#pragma once

#include <compare>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "render/shader_library.h"

namespace pelt::render {

/// How the vertices of a part are moved, as far as it needs another program. One draw's variant is
/// GpuCharacter::variant(part); every pass that draws parts (surface, shadow, identifiers) compiles its fragment shader
/// against it.
struct VertexVariant {
  int method = -1;          ///< row of deform::skinning_methods(), -1: placed by a node, or streamed in world space
  int influence_sets = 1;   ///< attribute sets of four: 1 or 2; 1 where nothing reads them
  int palette_joints = 64;  ///< size of the palette block; 0 where method is -1 or the palette is in a texture
  bool palette_texture = false;  ///< of a method without rows of its own: the whole palette, for the paint layout
  bool morphs = false;
  bool instanced = false;  ///< many at once, see GpuCrowd; method is -1
  auto operator<=>(const VertexVariant&) const = default;
};

/// The sizes of palette block that programs are compiled for: the default limit, the largest one offered, and what one
/// block of this device holds.
/// @param block_bytes  DeviceLimits::uniform_block_bytes
std::vector<int> palette_block_sizes(int vec4s_per_joint, int block_bytes);

/// Smallest of palette_block_sizes() that holds `joints`, 0 where none does.
int palette_block_for(int joints, int vec4s_per_joint, int block_bytes);

/// The closed list of variants that a device can meet.
std::vector<VertexVariant> all_vertex_variants(int block_bytes);

/// The defines that compile surface/surface.vert for a variant.
std::vector<Define> defines_of(const VertexVariant& variant);

/// Programs made when first asked for and kept. References stay valid until clear() or a refresh() that returned true.
class ProgramCache {
 public:
  explicit ProgramCache(ShaderLibrary library);

  /// surface/surface.vert with a fragment shader.
  /// @param defines  seen by both stages, besides those of the variant
  Result<const Program*> get(const VertexVariant& variant, std::string_view fragment,
                             const std::vector<Define>& defines = {});
  /// surface/surface.vert without a fragment shader, capturing v_position_world, v_normal_world and v_tangent_world.
  Result<const Program*> get_feedback(const VertexVariant& variant);
  /// Any other program.
  Result<const Program*> get(const ProgramSource& source);

  /// While shaders are read live: drops all programs when a file changed since the last call, and says so.
  bool refresh();
  void clear() { programs_.clear(); }

  [[nodiscard]] const ShaderLibrary& library() const { return library_; }

 private:
  ShaderLibrary library_;
  std::filesystem::file_time_type newest_;
  std::map<std::string, std::unique_ptr<Program>> programs_;
};

}  // namespace pelt::render
