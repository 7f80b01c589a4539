#pragma once

// Internal to importer and exporter: how the source file says what could be said in other ways, too. Kept beside extras
// and unknown extensions as rig::KeptJson, in places that begin with kFormPlace:
//   form:/asset/minVersion                             the version
//   form:/meshes/0/primitives/0/attributes/POSITION    the name of the accessor; likewise indices, targets, inverse
//                                                      bind matrices, input and output of the samplers of clips
//   form:/meshes/0/primitives/0/colors                 "VEC3": COLOR_0 has no alpha
//   form:/made-unit                                    how many normals, tangents, rotations and keys reading changed
//   form:/samplers/0                                   name and filters of a texture's sampler, as far as it has them

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gltf/export_buffers.h"
#include "rig/character.h"

namespace pelt::gltf {

struct Reader;

inline constexpr std::string_view kFormPlace = "form:";

/// Adds to Character::kept as far as the memory goes that such a file warrants.
void read_source_form(Reader& reader);

/// What was kept, for the writer.
class SourceForm {
 public:
  /// @param kept  outlives it
  explicit SourceForm(const std::vector<rig::KeptJson>& kept);

  /// The text that is kept for a place, empty where there is none. @param place  without kFormPlace
  [[nodiscard]] std::string string_at(const std::string& place) const;
  /// The same of an object; null where there is none.
  [[nodiscard]] Json object_at(const std::string& place) const;

 private:
  std::map<std::string_view, const rig::KeptJson*> at_;
};

}  // namespace pelt::gltf
