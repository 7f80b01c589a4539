// Kept poses, in a session: as poses of the library are, with where the skins were in files beside it.
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/guarded_json.h"
#include "core/index.h"
#include "core/sha256.h"
#include "core/text.h"
#include "edit/session_data.h"
#include "edit/session_parts.h"

namespace pelt::edit {
namespace {

// Nothing where the mesh is another one now, or the file beside the session is gone: then it is said.
void read_kept_places(SessionReader& from, const Place& entry, const ReferredNames& names, KeptPose& kept) {
  const Place reference = entry.at("mesh");
  const int m = names.find(reference);
  const rig::Character& character = *from.document.content.character;
  if (m < 0 || entry.at("places").text() != positions_hash(character.meshes[static_cast<std::size_t>(m)])) {
    return;
  }
  const std::size_t count = entry.at("vertices").size_up_to(std::numeric_limits<std::uint32_t>::max());
  std::size_t vertices = 0;
  for (const mesh::Primitive& primitive : character.meshes[static_cast<std::size_t>(m)].primitives) {
    vertices += primitive.vertex_count();
  }
  if (count != vertices) {
    entry.at("vertices").fail(fmt::format("{}, as many as the mesh has", vertices));
  }
  std::string bytes;
  try {
    bytes = read_data(from, entry);
  } catch (const SessionFault&) {
    return;  // nobody loses a session by it
  }
  std::size_t at = 0;
  std::vector<glm::vec3> places = DataReader(bytes).get<glm::vec3>(at, count, entry.at("data"));
  if (!std::ranges::all_of(places, [](const glm::vec3& place) { return is_finite(place); })) {
    entry.at("data").fail("finite numbers");
  }
  if (!kept.places.emplace(m, std::move(places)).second) {
    reference.fail("each mesh once");
  }
}

// Who hangs on whom, of the joints of the pose: under other parents the same transforms are another pose.
// Joints are named as in the file, those that were added as they are called now.
std::string tree_of(const KeptPose& kept, const rig::Skeleton& file, const rig::Skeleton& now) {
  const auto name = [&](int j) -> std::string {
    return j < 0 ? "" : has_index(file.name, j) ? file.name[static_cast<std::size_t>(j)] : now.label(j);
  };
  std::string out;
  for (const auto& [joint, local] : kept.pose->joints) {
    if (has_index(now.parent, joint)) {
      out += name(joint) + "\n" + name(now.parent[static_cast<std::size_t>(joint)]) + "\n";
    }
  }
  Sha256 hash;
  hash.add(std::as_bytes(std::span(out)));
  return hash.hex().substr(0, 16);
}

}  // namespace

void write_kept_poses(SessionWriter& to) {
  const rig::Character& character = *to.document.content.character;
  std::map<int, std::string> hashes;  // of all poses
  for (const KeptPose& kept : to.document.content.kept_poses) {
    SessionJson entry = stored_pose_json(to, kept.pose);
    entry["tree"] = tree_of(kept, to.file->skeleton, character.skeleton);
    entry["places"] = SessionJson::array();
    for (const auto& [mesh, places] : kept.places) {
      const auto m = static_cast<std::size_t>(mesh);
      std::string& hash = hashes[mesh];
      hash = hash.empty() ? positions_hash(character.meshes[m]) : hash;
      DataWriter data;
      data.put(std::span<const glm::vec3>(places.get()));
      entry["places"].push_back({{"mesh", session_reference(mesh, to.file->meshes[m].name)},
                                 {"vertices", places.size()},
                                 {"places", hash},
                                 {"data", add_data(to, data.take())}});
    }
    to.json["kept_poses"].push_back(std::move(entry));
  }
}

void read_kept_poses(SessionReader& from) {
  if (!from.root.has("kept_poses")) {
    return;
  }
  const Place list = from.root.at("kept_poses");
  if (list.json().size() > kMostKeptPoses) {
    list.fail(fmt::format("at most {} poses", kMostKeptPoses));
  }
  std::vector<std::string> names;
  for (const mesh::Mesh& mesh : from.file.meshes) {
    names.push_back(mesh.name);
  }
  const ReferredNames meshes(std::move(names));
  const ShapeNames shapes(*from.document.content.character);
  list.each([&](const Place& entry) {
    const std::size_t lost_before = from.lost.size();
    KeptPose kept;
    kept.pose = read_stored_pose(from, shapes, entry);
    const bool is_whole =
        from.lost.size() == lost_before &&
        entry.at("tree").text() == tree_of(kept, from.file.skeleton, from.document.content.character->skeleton);
    const Place places = entry.at("places");
    places.each([&](const Place& place) { read_kept_places(from, place, meshes, kept); });
    const bool has_all = kept.places.size() == places.json().size();
    if (is_whole && !kept.places.empty()) {
      from.document.content.kept_poses.push_back(kept);
    }
    if (!is_whole || !has_all) {
      from.lost.resize(lost_before);
      from.lost.push_back(fmt::format("{} {}",
                                      is_whole && !kept.places.empty() ? "some of the kept pose" : "the kept pose",
                                      printable(kept.pose->name)));
    }
  });
}

}  // namespace pelt::edit
