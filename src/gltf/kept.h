#pragma once

// Internal to importer and exporter: what a file says that nothing here understands, on its way through.

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "gltf/outline.h"
#include "rig/character.h"

namespace pelt::gltf {

/// The extras and unknown extensions of an outline, in the file's order, those inside the objects of known extensions
/// too. Extensions that the writer makes from the character itself are left out.
std::vector<rig::KeptJson> read_kept(const Outline& outline);

/// Which of the file's numbers the writer could not give again, so that what is kept must not refer to them.
struct Renumbered {
  bool nodes = false;
  bool meshes = false;
  bool images = false;
  bool clips = false;
  bool lights = false;
};

/// A member of an object as JSON text.
struct KeptMember {
  std::string name;
  std::string text;
};

/// The extensions that can be written back. Those that refer to accessors, buffers, views or samplers, or to anything
/// that was renumbered, are left out and noted.
/// @param image_of    what a texture's extension calls the image `source` in the new file; -1: it is not there
/// @param extensions  receives the names of the extensions used in what is returned
std::vector<KeptMember> kept_extensions(const rig::KeptJson& kept, const Renumbered& renumbered,
                                        const std::function<int(int)>& image_of, std::set<std::string>& extensions,
                                        Diagnostics& notes);

/// What to say of objects that the new file does not have: accessors, buffers, views, what was left out.
/// @param count  of them, of which `first` is the first
Diagnostic kept_nowhere(const rig::KeptJson& first, std::size_t count);

/// The number of a set of attributes, "TEXCOORD_2" with "TEXCOORD_"; -1 where the name is none of these.
int set_number(std::string_view name, std::string_view prefix);

/// Takes a member of extras.pelt out of what is kept of the object at `pointer`: the character holds what it says, and
/// a copy of the text would only contradict it.
void drop_kept_extras(SharedArray<rig::KeptJson>& kept, std::string_view pointer, const std::string& member);

/// The members of an object; none where `text` is another value.
std::vector<KeptMember> members_of(std::string_view text);

}  // namespace pelt::gltf
