#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/progress.h"
#include "edit/held_edits.h"
#include "edit/session.h"
#include "edit/session_json.h"
#include "rig/new_joints.h"

// The parts of a session: each is written from a document and read into one. Only session*.cpp include this.

namespace pelt::edit {

/// A session while it is written.
struct SessionWriter {
  const Document& document;
  std::shared_ptr<const rig::Character> file;  ///< with the joints that were added
  JointKeys keys;
  SessionJson& json;
  std::vector<SessionFile> files = {};
  /// Primitives of which weights are edited or vertices selected, by the hash of their positions in the file.
  std::map<std::string, std::pair<std::size_t, std::size_t>> surfaces = {};
};

/// A session while it is read.
struct SessionReader {
  const Place root;
  const rig::Character& file;  ///< with the joints that were added
  JointKeys keys;
  const SessionFiles& files;
  const Progress& progress;
  Document document;
  std::vector<rig::NewJoint> new_joints = {};
  rig::SurfaceChoice surface = {};
  std::vector<std::string> lost = {};
  HeldEdits held = {};                   ///< of another version of the file
  std::set<std::string> held_data = {};  ///< arrays of primitives that the file has no longer
  /// A surface that the session holds: where it stands, and what it is once it was asked for.
  struct HeldSurface {
    Place entry;
    std::shared_ptr<const EditedSurface> read = nullptr;
    bool is_asked = false;
  };
  std::optional<std::map<std::string, HeldSurface>> surfaces = std::nullopt;  ///< by hash, once one was asked for
  std::size_t surface_size = 0;                                               ///< of those that were read
  std::map<const mesh::Primitive*, std::string> places = {};                  ///< places_hash() of those of the file

  /// Says how far it is. Throws SessionFault where nobody waits for it any more.
  void report(float fraction) const;
  /// The joint that is called so; -1, and `what` is lost, where the file has none.
  int joint(const std::string& key, const char* what);
};

// session_character.cpp: what was done to the character itself.
void write_character(SessionWriter& to);
void read_character(SessionReader& from);
/// Joints that were added to those of the file.
std::vector<rig::NewJoint> read_new_joints(const Place& root);
/// For each joint of `now` its place in `before`, -1 where it has none there; of one that is listed several times the
/// places in their order.
std::vector<int> places_in(std::span<const int> before, std::span<const int> now);
bool same_findings(const Diagnostics& a, const Diagnostics& b);
// session_meshes.cpp: to its meshes.
/// Whether a file beside a session may be called so: no path, and nothing that a person would give.
bool is_data_name(std::string_view name);
/// Puts bytes into a file beside the session. @return its name
std::string add_data(SessionWriter& to, std::string bytes);
/// The bytes of the file that the entry's member "data" names, which must be what the name says.
std::string read_data(SessionReader& from, const Place& entry);
/// The positions of a primitive's vertices as a short hash, which says whether edits of it still mean something.
std::string places_hash(const mesh::Primitive& primitive);
void write_meshes(SessionWriter& to);
void read_meshes(SessionReader& from, rig::Character& character);
// session_surfaces.cpp: the surfaces on which this was done.
void write_surfaces(SessionWriter& to);
/// The surface of edits that say this hash of a primitive's positions; null where the session does not hold it.
std::shared_ptr<const EditedSurface> edited_surface(SessionReader& from, const std::string& places);
// session_clips.cpp: to its clips.
void write_clips(SessionWriter& to);
void read_clips(SessionReader& from, rig::Character& character);
/// Whether a session needs the version that has clips.
bool has_clips(const SessionJson& json);
// session_pose.cpp: what was done with it.
void write_pose(SessionWriter& to);
void read_pose_section(SessionReader& from);
/// Weights by flat index, each by its node and name.
SessionJson shapes_json(const SessionWriter& to, const std::map<int, float>& weights);
/// Shapes by their nodes and names.
class ShapeNames {
 public:
  explicit ShapeNames(const rig::Character& character);
  /// Puts the weight that stands there to `weights`; what the character has not is lost.
  void read(SessionReader& from, const Place& value, std::map<int, float>& weights) const;

 private:
  struct OfNode {
    int first = 0;  ///< flat
    ReferredNames names;
  };
  std::map<int, OfNode> nodes_;  ///< by joint
};
void write_view(SessionWriter& to);
void read_view(SessionReader& from);
// session_selections.cpp
void write_selections(SessionWriter& to);
void read_selections(SessionReader& from);
// session_volumes.cpp
void write_volumes(SessionWriter& to);
void read_volumes(SessionReader& from);
// session_library.cpp
void write_library(SessionWriter& to);
void read_library(SessionReader& from);
SessionJson stored_pose_json(SessionWriter& to, const StoredPose& pose);
/// What the character has not is lost, in one phrase.
StoredPose read_stored_pose(SessionReader& from, const ShapeNames& names, const Place& entry);
// session_kept_poses.cpp
void write_kept_poses(SessionWriter& to);
void read_kept_poses(SessionReader& from);
// session_layers.cpp
void write_layers(SessionWriter& to);
void read_layers(SessionReader& from);
void write_panes(SessionWriter& to);
void read_panes(SessionReader& from);
// session_behaviour.cpp
void write_behaviour(SessionWriter& to);
void read_behaviour(SessionReader& from);

}  // namespace pelt::edit
