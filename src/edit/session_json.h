#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>
#include <nlohmann/json_fwd.hpp>

#include "core/indexed_map.h"
#include "math/transform.h"
#include "rig/character.h"

// What reading and writing of sessions have in common; they, layer_stacks.h and cli/session_view.cpp include this.

namespace pelt::edit {

/// Members stay in the order in which they were written.
using SessionJson = nlohmann::basic_json<IndexedMap>;

/// Text with members and entities each on a line of their own, so that two sessions can be compared line by line.
std::string laid_out(const SessionJson& json);

/// A number that reads back as the same float and is written as the shortest text that does.
SessionJson session_number(float value);
SessionJson session_numbers(std::span<const float> values);
SessionJson session_numbers(const glm::vec3& v);
SessionJson session_numbers(const glm::vec4& v);
SessionJson session_numbers(const glm::quat& q);  ///< x, y, z, w
SessionJson session_transform(const Transform& transform);

/// Why a session cannot be read. Thrown by Place and caught where a session is opened or the layers of a file
/// are read, nowhere else.
struct SessionFault {
  std::string message;
};

/// A value of a session and where it stands, which errors name. Refers to the JSON that it is made of.
class Place {
 public:
  Place(const SessionJson& value, std::string path) : value_(&value), path_(std::move(path)) {}

  [[noreturn]] void fail(std::string_view expected) const;  ///< "pose, clip: expected ..., got ..."
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const SessionJson& json() const { return *value_; }

  [[nodiscard]] bool has(const char* member) const;
  [[nodiscard]] Place at(const char* member) const;  ///< fails where there is none
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] int integer(int lowest, int highest) const;
  [[nodiscard]] std::size_t size_up_to(std::size_t most) const;  ///< a number from 0 on
  [[nodiscard]] float number() const;                            ///< finite
  [[nodiscard]] std::vector<float> numbers(std::size_t count) const;
  [[nodiscard]] glm::vec3 vector() const;
  [[nodiscard]] glm::quat rotation() const;  ///< unit but for rounding, else normalised
  [[nodiscard]] Transform transform() const;

  /// Calls it with key and place of each member of an object.
  void each_member(const std::function<void(const std::string&, const Place&)>& call) const;
  /// Calls it with the place of each element of an array.
  void each(const std::function<void(const Place&)>& call) const;

 private:
  void expect(bool condition, std::string_view what) const;
  static std::string shown(std::string_view key);

  const SessionJson* value_;
  std::string path_;
};

/// Ascending vertices as runs: a first one and a count, one pair after the other.
SessionJson vertex_runs(const std::vector<std::uint32_t>& vertices);
/// Those below `vertex_count` that the runs name; fails where they do not come in ascending order.
std::vector<std::uint32_t> read_vertex_runs(const Place& place, std::size_t vertex_count);

/// How sessions call joints: by the name that the file gives them where no other joint has it, else "node 12" by their
/// glTF node, else "joint 12" by their place.
class JointKeys {
 public:
  explicit JointKeys(const rig::Skeleton& file);
  [[nodiscard]] const std::string& key(int joint) const { return keys_[joint]; }
  /// -1 where there is none.
  [[nodiscard]] int find(const std::string& key) const;

 private:
  std::vector<std::string> keys_;
  std::map<std::string, int> joints_;
};

/// How sessions call clips, meshes and the like: by number, and by name where that can be written.
SessionJson session_reference(int index, const std::string& name);
/// The names of things of one kind, to find what sessions refer to.
class ReferredNames {
 public:
  explicit ReferredNames(std::vector<std::string> names);
  /// The one of that number if it has the name, else the only one of the name; -1 where there is none.
  [[nodiscard]] int find(const Place& reference) const;

 private:
  std::vector<std::string> names_;
  std::map<std::string, int> only_;  ///< -1 of names that several have
};
/// For a single reference.
int referred(const Place& reference, std::span<const std::string> names);

/// The name of a file as it stands in a session: itself, or where that cannot stand in JSON "percent:" and its bytes as
/// in a URI.
std::string written_name(const std::string& name);
/// The inverse, of whatever stands there.
std::string name_written(const std::string& text);

/// Whether text can stand in JSON.
bool is_utf8(const std::string& text);

}  // namespace pelt::edit
