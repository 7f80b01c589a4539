#include "rig/newer_version.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "rig/character_parts.h"
#include "rig/clip_changes.h"
#include "rig/newer_clips.h"

namespace pelt::rig {
namespace {

bool is_identity(std::span<const int> numbers, std::size_t count) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != static_cast<int>(i)) {
      return false;
    }
  }
  return numbers.size() == count;
}

class CarryOver {
 public:
  CarryOver(const Character& file, const Character& edited, const Character& newer, std::span<const int> joints,
            std::span<const int> skins, std::span<const int> meshes)
      : file_(file), edited_(edited), newer_(newer), joints_(joints), skins_(skins), meshes_(meshes) {
    out_.character = newer;
    in_file_ = joints_in_file(file.skeleton, edited.skeleton);
    keeps_numbers_ = is_identity(joints, newer.skeleton->parent.size()) && is_identity(skins, newer.skins.size()) &&
                     is_identity(meshes, newer.meshes.size());
    edited_of_.assign(file.skeleton->parent.size(), -1);
    for (std::size_t j = in_file_.size(); j-- > 0;) {
      if (in_file_[j] >= 0) {
        edited_of_[in_file_[j]] = static_cast<int>(j);
      }
    }
    skeleton();
    dropped_.resize(newer.skins.size());
    std::vector<char> taken(newer.skins.size(), 0);
    for (std::size_t s = 0; s < edited.skins.size(); ++s) {
      skin(s, taken);
    }
    taken.assign(newer.meshes.size(), 0);
    for (std::size_t m = 0; m < edited.meshes.size(); ++m) {
      mesh(m, taken);
    }
    the_rest();
    clips();
    drop_joints();
  }

  CarriedOver take() {
    std::ranges::sort(out_.lost);
    out_.lost.erase(std::ranges::unique(out_.lost).begin(), out_.lost.end());
    return std::move(out_);
  }

 private:
  template <typename... T>
  void lose(fmt::format_string<const T&...> format, const T&... values) {
    out_.lost.push_back(fmt::format(format, values...));
  }

  // One value of three: the edited one where the newer version left it as it was.
  // @return whether it was changed and cannot be
  template <typename T>
  static bool conflicts(const T& file, const T& edited, const T& newer, T& out) {
    if (edited == file) {
      return false;
    }
    if (newer != file && newer != edited) {
      return true;
    }
    out = edited;
    return false;
  }

  void skeleton() {
    if (equal(edited_.skeleton, file_.skeleton)) {
      return;
    }
    const Skeleton& edited = edited_.skeleton;
    const Skeleton& file = file_.skeleton;
    const Skeleton& newer = newer_.skeleton;
    Skeleton& out = out_.character.skeleton.edit();
    for (std::size_t j = 0; j < edited.parent.size(); ++j) {
      const int o = in_file_[j];
      const int n = joints_[j];
      const std::string label = edited.label(static_cast<int>(j));
      if (o < 0) {
        lose("joint \"{}\", which the file has not", label);
        continue;
      }
      const bool is_named = edited.name[j] != file.name[o];
      const bool is_moved = edited.rest[j] != file.rest[o];
      const bool has_other_dofs = !equal(edited.dofs[j], file.dofs[o]);
      const int parent = edited.parent[j] < 0 ? -1 : in_file_[edited.parent[j]];
      if (parent != file.parent[o]) {
        lose("another parent of \"{}\"", label);
      }
      if (n < 0) {
        if (is_named || is_moved || has_other_dofs) {
          lose("edits of joint \"{}\"", label);
        }
        continue;
      }
      if (is_named) {
        out.name[n] = edited.name[j];  // whatever the file calls it now
      }
      if (conflicts(file.rest[o], edited.rest[j], newer.rest[n], out.rest[n])) {
        lose("rest transform of \"{}\"", label);
      }
      if (has_other_dofs) {
        if (equal(newer.dofs[n], file.dofs[o])) {
          out.dofs[n] = edited.dofs[j];
        } else {
          lose("sliders of \"{}\"", label);
        }
      }
    }
    if (edited.rest_residual != file.rest_residual) {
      if (keeps_numbers_ && newer.rest_residual == file.rest_residual) {
        out.rest_residual = edited.rest_residual;
      } else {
        lose("shear of joints");
      }
    }
  }

  // The place of a joint in a list; -1: not in it, as no joint is.
  static int place_in(const std::vector<int>& list, int joint) {
    const auto found = std::ranges::find(list, joint);
    return joint < 0 || found == list.end() ? -1 : static_cast<int>(found - list.begin());
  }

  void skin(std::size_t s, std::vector<char>& taken) {
    if (s >= file_.skins.size()) {
      lose("skin {}, which the file has not", s);
      return;
    }
    const Skin& edited = edited_.skins[s];
    const Skin& file = file_.skins[s];
    if (edited_.skins.shared(s).is(file_.skins.shared(s)) ||
        (edited.joints == file.joints && edited.joint_from_mesh == file.joint_from_mesh && edited.name == file.name &&
         edited.has_inverse_binds == file.has_inverse_binds)) {
      return;
    }
    const int n = skins_[s];
    if (n < 0 || taken[n] != 0) {
      lose("binding of skin \"{}\"", edited.name);
      return;
    }
    taken[n] = 1;
    const Skin& newer = newer_.skins[n];
    Skin& out = out_.character.skins.edit(n);
    if (conflicts(file.name, edited.name, newer.name, out.name)) {
      lose("name of skin \"{}\"", edited.name);
    }
    bool has_other_matrices = false;
    bool applies = newer.joints.size() == file.joints.size();
    std::vector<glm::mat4> matrices = newer.joint_from_mesh;
    for (std::size_t k = 0; k < edited.joints.size(); ++k) {
      const int was = place_in(file.joints, in_file_[edited.joints[k]]);
      const int place = place_in(newer.joints, joints_[edited.joints[k]]);
      if (was < 0) {  // a binder has added it
        if (place < 0 && joints_[edited.joints[k]] >= 0) {
          out.joints.push_back(joints_[edited.joints[k]]);
          out.joint_from_mesh.push_back(edited.joint_from_mesh[k]);
          out_.character.skeleton.edit().is_joint[joints_[edited.joints[k]]] = 1;
        }
        continue;
      }
      has_other_matrices = has_other_matrices || file.joint_from_mesh[was] != edited.joint_from_mesh[k];
      applies = applies && place >= 0 &&
                (newer.joint_from_mesh[place] == file.joint_from_mesh[was] ||
                 newer.joint_from_mesh[place] == edited.joint_from_mesh[k]);
      if (applies) {
        matrices[place] = edited.joint_from_mesh[k];
      }
    }
    if (has_other_matrices && !applies) {
      lose("binding of skin \"{}\"", edited.name);
    } else if (has_other_matrices) {
      std::ranges::copy(matrices, out.joint_from_mesh.begin());  // added ones follow
    }
    if (applies || !has_other_matrices) {
      conflicts(file.has_inverse_binds, edited.has_inverse_binds, newer.has_inverse_binds, out.has_inverse_binds);
    }
    for (const int j : file.joints) {
      const int e = edited_of_[j];
      const int place = e < 0 || place_in(edited.joints, e) >= 0 ? -1 : place_in(newer.joints, joints_[e]);
      if (place >= 0) {
        dropped_[n].resize(newer.joints.size(), 0);
        dropped_[n][place] = 1;
      }
    }
  }

  // The number in the file of an edited mesh: one that was parted from another is that one.
  [[nodiscard]] int mesh_in_file(std::size_t m) const {
    if (m < file_.meshes.size()) {
      return static_cast<int>(m);
    }
    for (std::size_t i = 0; i < std::min(edited_.mesh_nodes.size(), file_.mesh_nodes.size()); ++i) {
      if (edited_.mesh_nodes[i].mesh == static_cast<int>(m)) {
        return file_.mesh_nodes[i].mesh;
      }
    }
    return -1;
  }

  void mesh(std::size_t m, std::vector<char>& taken) {
    const int o = mesh_in_file(m);
    const mesh::Mesh& edited = edited_.meshes[m];
    const std::string label = edited.name.empty() ? fmt::format("mesh {}", m) : fmt::format("\"{}\"", edited.name);
    if (o == static_cast<int>(m) && edited_.meshes.shared(m).is(file_.meshes.shared(m))) {
      return;
    }
    const int n = meshes_[m];
    if (o < 0 || n < 0 || taken[n] != 0 || file_.meshes[o].primitives.size() != edited.primitives.size() ||
        newer_.meshes[n].primitives.size() != edited.primitives.size()) {
      lose("edits of {}", label);
      return;
    }
    taken[n] = 1;
    const mesh::Mesh& file = file_.meshes[o];
    const mesh::Mesh& newer = newer_.meshes[n];
    mesh::Mesh& out = out_.character.meshes.edit(n);
    if (conflicts(file.name, edited.name, newer.name, out.name)) {
      lose("name of {}", label);
    }
    if (edited.morph_names.size() == newer.morph_names.size() &&
        !conflicts(file.morph_names, edited.morph_names, newer.morph_names, out.morph_names)) {
    } else if (edited.morph_names != file.morph_names) {
      lose("names of shapes of {}", label);
    }
    if (conflicts(file.morph_weights, edited.morph_weights, newer.morph_weights, out.morph_weights)) {
      lose("weights of shapes of {}", label);
    }
    const auto skin_of = [](const Character& character, int of_mesh) -> const Skin* {
      const auto node = std::ranges::find(character.mesh_nodes, of_mesh, &MeshNode::mesh);
      return node == character.mesh_nodes.end() || node->skin < 0 ? nullptr : &character.skins[node->skin];
    };
    const Skins skins{skin_of(file_, o), skin_of(edited_, static_cast<int>(m)),
                      skin_of(out_.character, n)};  // with the joints that were added
    for (std::size_t p = 0; p < edited.primitives.size(); ++p) {
      if (!edited.primitives.shared(p).is(file.primitives.shared(p)) &&
          !equal(edited.primitives[p], file.primitives[p])) {
        primitive(file.primitives[p], edited.primitives[p], newer.primitives[p], out.primitives.edit(p), skins,
                  edited.primitives.size() == 1 ? label : fmt::format("{}, primitive {}", label, p));
      }
    }
  }

  struct Skins {
    const Skin* file;
    const Skin* edited;
    const Skin* newer;
  };

  void primitive(const mesh::Primitive& file, const mesh::Primitive& edited, const mesh::Primitive& newer,
                 mesh::Primitive& out, const Skins& skins, const std::string& label) {
    if (keeps_numbers_ && equal(newer, file) &&
        (skins.newer == nullptr || skins.edited == nullptr || skins.newer->joints == skins.edited->joints)) {
      out = edited;
      return;
    }
    if (edited.vertex_count() != file.vertex_count() || newer.vertex_count() != file.vertex_count()) {
      lose("edits of {}: {} vertices, now {}", label, edited.vertex_count(), newer.vertex_count());
      return;
    }
    const auto part = [&](const auto& member, const char* name) {
      if (conflicts(file.*member, edited.*member, newer.*member, out.*member)) {
        lose("{} of {}", name, label);
      }
    };
    part(&mesh::Primitive::indices, "triangles");
    part(&mesh::Primitive::positions, "positions");
    part(&mesh::Primitive::normals, "normals");
    part(&mesh::Primitive::tangents, "tangents");
    part(&mesh::Primitive::colors, "colours");
    part(&mesh::Primitive::kept, "other attributes");
    part(&mesh::Primitive::material, "material");
    part(&mesh::Primitive::variant_materials, "materials of variants");
    part(&mesh::Primitive::cage, "control points");
    part(&mesh::Primitive::cage_rows, "sums of control points");
    for (std::size_t set = 0; set < std::size(out.texcoords); ++set) {
      if (conflicts(file.texcoords[set], edited.texcoords[set], newer.texcoords[set], out.texcoords[set])) {
        lose("texture coordinates of {}", label);
      }
    }
    mesh::Primitive shapes = file;
    shapes.morph_targets = edited.morph_targets;
    if (!equal(shapes, file)) {
      shapes.morph_targets = newer.morph_targets;
      if (equal(shapes, file)) {
        out.morph_targets = edited.morph_targets;
      } else {
        lose("shapes of {}", label);
      }
    }
    weights(file, edited, newer, out, skins, label);
  }

  void weights(const mesh::Primitive& file, const mesh::Primitive& edited, const mesh::Primitive& newer,
               mesh::Primitive& out, const Skins& skins, const std::string& label) {
    if (edited.influences == file.influences &&
        (skins.edited == nullptr || skins.file == nullptr || skins.edited->joints == skins.file->joints)) {
      return;
    }
    const std::size_t count = edited.influences->vertex_count();
    if (skins.file == nullptr || skins.edited == nullptr || skins.newer == nullptr ||
        count != file.influences->vertex_count() || count != newer.influences->vertex_count() ||
        newer.positions != file.positions) {
      lose("weights of {}", label);
      return;
    }
    std::vector<int> from_edited;  // place in the newer skin's list by place in the edited one's
    for (const int j : skins.edited->joints) {
      from_edited.push_back(place_in(skins.newer->joints, joints_[j]));
    }
    std::vector<int> in_edited;  // place in the edited list by place in the file's
    std::vector<int> in_newer;   // place in the newer list by place in the file's
    for (const int j : skins.file->joints) {
      const int e = edited_of_[j];
      in_edited.push_back(place_in(skins.edited->joints, e));
      in_newer.push_back(e < 0 ? -1 : place_in(skins.newer->joints, joints_[e]));
    }
    const bool same_list = skins.edited->joints == skins.file->joints;
    std::size_t lost = 0;
    std::size_t changed_in_both = 0;
    for (std::size_t b = 0; b < edited.influences->block_count(); ++b) {
      if (same_list && edited.influences->blocks()[b].is(file.influences->blocks()[b])) {
        continue;
      }
      const mesh::Influences::Block& rows = edited.influences->block(b);
      for (std::size_t r = 0; r < rows.row_count(); ++r) {
        const mesh::InfluenceRow row = rows.row(r);
        const mesh::InfluenceRow was = file.influences->block(b).row(r);
        const std::size_t v = b * mesh::Influences::kBlockRows + r;
        if (says(row, was, in_edited)) {
          continue;
        }
        const mesh::InfluenceRow now = newer.influences->row(v);
        if (!says_in_any_order(now, was, in_newer)) {
          changed_in_both += says_in_any_order(now, row, from_edited) ? 0 : 1;
        } else if (!put(out.influences, v, row, from_edited)) {
          ++lost;
        }
      }
    }
    if (lost > 0) {
      lose("weights of {} {} of {}: joints that are gone", lost, lost == 1 ? "vertex" : "vertices", label);
    }
    if (changed_in_both > 0) {
      lose("weights of {} {} of {}: changed in the file, too", changed_in_both,
           changed_in_both == 1 ? "vertex" : "vertices", label);
    }
  }

  // Whether a row of the newer version is another row with these places for its own; ties may have changed their order.
  static bool says_in_any_order(const mesh::InfluenceRow& newer, const mesh::InfluenceRow& row,
                                const std::vector<int>& in_newer) {
    bool same = newer.stored_sum == row.stored_sum && newer.joints.size() == row.joints.size();
    for (std::size_t k = 0; k < row.joints.size() && same; ++k) {
      const auto found = std::ranges::find_if(
          newer.joints, [&](std::uint16_t joint) { return static_cast<int>(joint) == in_newer[row.joints[k]]; });
      same = found != newer.joints.end() && newer.weights[found - newer.joints.begin()] == row.weights[k];
    }
    return same;
  }

  // Whether an edited row is the file's.
  static bool says(const mesh::InfluenceRow& edited, const mesh::InfluenceRow& file,
                   const std::vector<int>& in_edited) {
    return edited.stored_sum == file.stored_sum && std::ranges::equal(edited.weights, file.weights) &&
           std::ranges::equal(edited.joints, file.joints,
                              [&](std::uint16_t e, std::uint16_t f) { return in_edited[f] == static_cast<int>(e); });
  }

  // Heaviest first, ties by the joint's place, as rows are.
  static bool put(Shared<mesh::Influences>& out, std::size_t v, const mesh::InfluenceRow& row,
                  const std::vector<int>& places) {
    std::vector<std::pair<float, std::uint16_t>> entries;
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      if (places[row.joints[k]] < 0) {
        return false;
      }
      entries.emplace_back(-row.weights[k], static_cast<std::uint16_t>(places[row.joints[k]]));
    }
    if (!std::ranges::equal(entries, row.joints, {}, &std::pair<float, std::uint16_t>::second)) {
      std::ranges::sort(entries);
    }
    std::vector<std::uint16_t> joints;
    std::vector<float> weights;
    for (const auto& [weight, joint] : entries) {
      joints.push_back(joint);
      weights.push_back(-weight);
    }
    out.edit().put_row(v, {joints, weights, row.stored_sum});
    return true;
  }

  // Takes joints from the lists of skins as it was done to the edited ones. One that a row names by now stays, in the
  // lists of all skins of the mesh, since rows index them.
  void drop_joints() {
    if (std::ranges::all_of(dropped_, &std::vector<char>::empty)) {
      return;
    }
    std::vector<std::vector<char>> stays(out_.character.meshes.size());  // places of lists by mesh
    for (std::size_t m = 0; m < stays.size(); ++m) {
      for (const mesh::Primitive& primitive : out_.character.meshes[m].primitives) {
        mesh::for_each_entry(primitive, [&](std::uint16_t k, float) { mark(stays[m], k); });
      }
    }
    for (bool again = true; again;) {
      again = false;
      for (const MeshNode& node : out_.character.mesh_nodes) {
        if (node.skin < 0) {
          continue;
        }
        std::vector<char>& places = stays[node.mesh];
        std::vector<char>& dropped = dropped_[node.skin];
        for (std::size_t k = 0; k < out_.character.skins[node.skin].joints.size(); ++k) {
          const bool is_dropped = k < dropped.size() && dropped[k] != 0;
          const bool is_needed = k < places.size() && places[k] != 0;
          if (is_dropped && is_needed) {
            dropped[k] = 0;
            again = true;
            lose("removal of \"{}\" from skin \"{}\"",
                 newer_.skeleton->label(out_.character.skins[node.skin].joints[k]),
                 out_.character.skins[node.skin].name);
          } else if (!is_dropped && !is_needed) {
            mark(places, k);
            again = true;
          }
        }
      }
    }
    if (std::ranges::none_of(dropped_, [](const auto& places) { return std::ranges::count(places, 1) > 0; })) {
      return;
    }
    std::vector<char> is_renumbered(out_.character.meshes.size(), 0);
    for (const MeshNode& node : out_.character.mesh_nodes) {
      // Once for a mesh: all of its skins keep the same numbers.
      if (node.skin >= 0 && std::exchange(is_renumbered[node.mesh], char{1}) == 0) {
        renumber(out_.character.meshes.edit(node.mesh), stays[node.mesh]);
      }
    }
    for (std::size_t s = 0; s < dropped_.size(); ++s) {
      for (std::size_t k = dropped_[s].size(); k-- > 0;) {
        if (dropped_[s][k] != 0) {
          Skin& skin = out_.character.skins.edit(s);
          skin.joints.erase(skin.joints.begin() + static_cast<std::ptrdiff_t>(k));
          skin.joint_from_mesh.erase(skin.joint_from_mesh.begin() + static_cast<std::ptrdiff_t>(k));
        }
      }
    }
    std::vector<char>& is_joint = out_.character.skeleton.edit().is_joint;
    std::ranges::fill(is_joint, 0);
    for (const Skin& skin : out_.character.skins) {
      for (const int j : skin.joints) {
        is_joint[j] = 1;
      }
    }
  }

  static void mark(std::vector<char>& places, std::size_t k) {
    places.resize(std::max(places.size(), k + 1), 0);
    places[k] = 1;
  }

  // Gives places their numbers among those that stay.
  static void renumber(mesh::Mesh& mesh, const std::vector<char>& stays) {
    std::vector<std::uint16_t> number(stays.size(), 0);
    std::uint16_t next = 0;
    for (std::size_t k = 0; k < stays.size(); ++k) {
      number[k] = next;
      next = static_cast<std::uint16_t>(next + (stays[k] != 0 ? 1 : 0));
    }
    for (mesh::Primitive& primitive : mesh.primitives.edit_each()) {
      mesh::renumber_joints(primitive, [&](std::uint16_t k) { return number[k]; });
    }
  }

  // After the rest: what is kept for the file is numbered by its animations.
  void clips() {
    if (edited_.clips.is(file_.clips)) {
      return;
    }
    std::vector<int> newer_of_file;
    for (const int e : edited_of_) {
      newer_of_file.push_back(e < 0 ? -1 : joints_[e]);
    }
    const CarriedClips carried = carried_clips(file_.clips, edited_.clips, newer_.clips, newer_of_file, joints_);
    if (out_.character.kept.is(newer_.kept)) {
      for (std::size_t i = carried.removed.size(); i-- > 0;) {
        remove_clip(out_.character, carried.removed[i]);
      }
    }
    out_.character.clips = carried.clips;
    out_.lost.insert(out_.lost.end(), carried.lost.begin(), carried.lost.end());
  }

  // What is taken whole or not at all; what has indices of joints or meshes only where those have kept their numbers.
  void the_rest() {
    const auto part = [&](auto member, const char* name, bool has_indices) {
      // That of a character which has nothing else.
      const auto same_as_file = [&](const Character& character) {
        Character one;
        one.*member = character.*member;
        Character other;
        other.*member = file_.*member;
        return (character.*member).is(file_.*member) || equal(one, other);
      };
      if (same_as_file(edited_)) {
        return;
      }
      if (same_as_file(newer_) && (keeps_numbers_ || !has_indices)) {
        out_.character.*member = edited_.*member;
      } else {
        lose("{}", name);
      }
    };
    part(&Character::images, "edits of images", false);
    part(&Character::materials, "edits of materials", false);
    part(&Character::textures, "edits of textures", false);
    part(&Character::mesh_nodes, "edits of nodes with meshes", true);
    part(&Character::instances, "edits of instances", true);
    part(&Character::cameras, "edits of cameras", true);
    part(&Character::lights, "edits of lights", true);
    part(&Character::spare_cameras, "edits of cameras without a node", false);
    part(&Character::spare_lights, "edits of lights without a node", false);
    part(&Character::scenes, "edits of scenes", true);
    part(&Character::variants, "edits of variants", false);
    part(&Character::node_hidden, "edits of the visibility of nodes", true);
    part(&Character::humanoid, "edits of roles of joints", true);
    part(&Character::constraints, "edits of constraints", true);
    part(&Character::spring_bones, "edits of spring bones", true);
    part(&Character::spring_colliders, "edits of colliders of spring bones", true);
    part(&Character::extensions_used, "edits of extensions", false);
    part(&Character::extensions_required, "edits of required extensions", false);
    part(&Character::kept, "edits of data kept for the file", true);
    if (conflicts(file_.name, edited_.name, newer_.name, out_.character.name)) {
      lose("name of the character");
    }
    if (conflicts(file_.copyright, edited_.copyright, newer_.copyright, out_.character.copyright)) {
      lose("copyright");
    }
  }

  const Character& file_;
  const Character& edited_;
  const Character& newer_;
  std::span<const int> joints_;
  std::span<const int> skins_;
  std::span<const int> meshes_;
  std::vector<int> in_file_;    // joints of the file by edited ones
  std::vector<int> edited_of_;  // edited joints by those of the file
  /// By skin of the newer version: whether the joint at a place of its list is to go; empty: none is.
  std::vector<std::vector<char>> dropped_;
  bool keeps_numbers_ = false;
  CarriedOver out_;
};

}  // namespace

std::vector<int> joints_in_file(const Skeleton& file, const Skeleton& edited) {
  std::vector<int> out(edited.parent.size());
  if (edited.source_node == file.source_node) {
    std::iota(out.begin(), out.end(), 0);
    return out;
  }
  std::unordered_map<int, int> of_node;
  for (std::size_t j = 0; j < file.source_node.size(); ++j) {
    of_node.try_emplace(file.source_node[j], static_cast<int>(j));
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    const auto found = of_node.find(edited.source_node[j]);
    out[j] = edited.source_node[j] < 0 || found == of_node.end() ? -1 : found->second;
  }
  return out;
}

CarriedOver carried_over(const Character& file, const Character& edited, const Character& newer,
                         std::span<const int> joints, std::span<const int> skins, std::span<const int> meshes) {
  return CarryOver(file, edited, newer, joints, skins, meshes).take();
}

}  // namespace pelt::rig
