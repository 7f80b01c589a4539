// The pose library, in a session: joints by their keys, shapes by node and name, pictures in files beside it.
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/guarded_json.h"
#include "core/text.h"
#include "edit/character_edits.h"
#include "edit/session_parts.h"

namespace pelt::edit {
namespace {

// A picture that is not there, or is none any more, is made again: nobody loses a session by it.
std::string picture_beside(SessionReader& from, const Place& entry) {
  try {
    std::string bytes = read_data(from, entry);
    return bytes.size() <= kLargestPicture ? bytes : std::string();
  } catch (const SessionFault&) {
    return {};
  }
}

}  // namespace

StoredPose read_stored_pose(SessionReader& from, const ShapeNames& names, const Place& entry) {
  StoredPose pose{.name = single_line(entry.at("name").text(), kLongestName), .joints = {}, .shapes = {}};
  const std::size_t lost_before = from.lost.size();
  if (entry.has("joints")) {
    entry.at("joints").each_member([&](const std::string& key, const Place& local) {
      const Transform value = local.transform();
      if (const int joint = from.keys.find(key); joint >= 0) {
        pose.joints[joint] = value;
      } else {
        from.lost.push_back(key);
      }
    });
  }
  if (entry.has("shapes")) {
    entry.at("shapes").each([&](const Place& value) { names.read(from, value, pose.shapes); });
  }
  if (from.lost.size() > lost_before) {
    from.lost.resize(lost_before);  // one phrase for all of them
    from.lost.push_back(fmt::format("some of the stored pose {}", printable(pose.name)));
  }
  if (entry.has("note")) {
    pose.note = single_line(entry.at("note").text(), kLongestNote);
  }
  if (entry.has("data")) {
    pose.picture = picture_beside(from, entry);
  }
  return pose;
}

SessionJson stored_pose_json(SessionWriter& to, const StoredPose& pose) {
  SessionJson entry = {{"name", pose.name}};
  SessionJson joints = SessionJson::object();
  for (const auto& [joint, local] : pose.joints) {
    joints[to.keys.key(joint)] = session_transform(local);
  }
  if (!joints.empty()) {
    entry["joints"] = std::move(joints);
  }
  if (SessionJson shapes = shapes_json(to, pose.shapes); !shapes.empty()) {
    entry["shapes"] = std::move(shapes);
  }
  if (!pose.note.empty()) {
    entry["note"] = pose.note;
  }
  if (!pose.picture->empty()) {
    entry["data"] = add_data(to, *pose.picture);
  }
  return entry;
}

void write_library(SessionWriter& to) {
  SessionJson library = SessionJson::array();
  for (const StoredPose& pose : to.document.content.library) {
    library.push_back(stored_pose_json(to, pose));
  }
  if (!library.empty()) {
    to.json["library"] = std::move(library);
  }
}

void read_library(SessionReader& from) {
  if (!from.root.has("library")) {
    return;
  }
  const Place list = from.root.at("library");
  if (list.json().size() > kMostPoses) {
    list.fail(fmt::format("at most {} poses", kMostPoses));
  }
  const ShapeNames names(*from.document.content.character);
  std::set<std::string> taken;
  std::vector<Shared<StoredPose>> poses;
  list.each([&](const Place& entry) {
    StoredPose pose = read_stored_pose(from, names, entry);
    if (pose.name.empty() || !taken.insert(pose.name).second) {
      entry.at("name").fail("a name that no other pose has");
    }
    poses.emplace_back(std::move(pose));
  });
  from.document.content.library.edit_items() = std::move(poses);
}

}  // namespace pelt::edit
