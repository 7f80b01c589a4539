#include "rig/newer_version.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "rig/character_parts.h"

namespace pelt::rig {
namespace {

std::size_t as_index(int i) {
  return static_cast<std::size_t>(i);
}

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
    skeleton();
    for (std::size_t s = 0; s < edited.skins.size(); ++s) {
      skin(s);
    }
    std::vector<char> taken(newer.meshes.size(), 0);
    for (std::size_t m = 0; m < edited.meshes.size(); ++m) {
      mesh(m, taken);
    }
    the_rest();
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
      const bool is_named = edited.name[j] != file.name[as_index(o)];
      const bool is_moved = edited.rest[j] != file.rest[as_index(o)];
      const bool has_other_dofs = !equal(edited.dofs[j], file.dofs[as_index(o)]);
      const int parent = edited.parent[j] < 0 ? -1 : in_file_[as_index(edited.parent[j])];
      if (parent != file.parent[as_index(o)]) {
        lose("another parent of \"{}\"", label);
      }
      if (n < 0) {
        if (is_named || is_moved || has_other_dofs) {
          lose("edits of joint \"{}\"", label);
        }
        continue;
      }
      if (is_named) {
        out.name[as_index(n)] = edited.name[j];  // whatever the file calls it now
      }
      if (conflicts(file.rest[as_index(o)], edited.rest[j], newer.rest[as_index(n)], out.rest[as_index(n)])) {
        lose("rest transform of \"{}\"", label);
      }
      if (has_other_dofs) {
        if (equal(newer.dofs[as_index(n)], file.dofs[as_index(o)])) {
          out.dofs[as_index(n)] = edited.dofs[j];
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

  // The place of an edited joint in a list of the newer version's, -1 where it is not there.
  [[nodiscard]] int place_in(const Skin& newer, int edited_joint) const {
    const auto found = std::ranges::find(newer.joints, joints_[as_index(edited_joint)]);
    return joints_[as_index(edited_joint)] < 0 || found == newer.joints.end()
               ? -1
               : static_cast<int>(found - newer.joints.begin());
  }

  void skin(std::size_t s) {
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
    if (n < 0) {
      lose("binding of skin \"{}\"", edited.name);
      return;
    }
    const Skin& newer = newer_.skins[as_index(n)];
    Skin& out = out_.character.skins.edit(as_index(n));
    if (conflicts(file.name, edited.name, newer.name, out.name)) {
      lose("name of skin \"{}\"", edited.name);
    }
    std::vector<glm::mat4> matrices = newer.joint_from_mesh;
    bool applies = newer.joints.size() == file.joints.size();
    for (std::size_t k = 0; k < edited.joints.size(); ++k) {
      const auto was = std::ranges::find(file.joints, in_file_[as_index(edited.joints[k])]);
      const int place = place_in(newer, edited.joints[k]);
      applies = applies && was != file.joints.end() && place >= 0 &&
                file.joint_from_mesh[static_cast<std::size_t>(was - file.joints.begin())] ==
                    newer.joint_from_mesh[as_index(place)];
      if (applies) {
        matrices[as_index(place)] = edited.joint_from_mesh[k];
      }
    }
    if (!applies) {
      lose("binding of skin \"{}\"", edited.name);
      return;
    }
    out.joint_from_mesh = std::move(matrices);
    out.has_inverse_binds = edited.has_inverse_binds;
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
    if (o < 0 || n < 0 || taken[as_index(n)] != 0 ||
        file_.meshes[as_index(o)].primitives.size() != edited.primitives.size() ||
        newer_.meshes[as_index(n)].primitives.size() != edited.primitives.size()) {
      lose("edits of {}", label);
      return;
    }
    taken[as_index(n)] = 1;
    const mesh::Mesh& file = file_.meshes[as_index(o)];
    const mesh::Mesh& newer = newer_.meshes[as_index(n)];
    mesh::Mesh& out = out_.character.meshes.edit(as_index(n));
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
      return node == character.mesh_nodes.end() || node->skin < 0 ? nullptr : &character.skins[as_index(node->skin)];
    };
    const Skins skins{skin_of(file_, o), skin_of(edited_, static_cast<int>(m)), skin_of(newer_, n)};
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
      from_edited.push_back(place_in(*skins.newer, j));
    }
    std::vector<int> in_edited(skins.file->joints.size(), -1);  // place in the edited list by place in the file's
    for (std::size_t k = 0; k < skins.edited->joints.size(); ++k) {
      const auto found = std::ranges::find(skins.file->joints, in_file_[as_index(skins.edited->joints[k])]);
      if (found != skins.file->joints.end()) {
        in_edited[static_cast<std::size_t>(found - skins.file->joints.begin())] = static_cast<int>(k);
      }
    }
    std::vector<int> in_newer;  // place in the newer list by place in the file's
    for (const int k : in_edited) {
      in_newer.push_back(k < 0 ? -1 : from_edited[as_index(k)]);
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
      same = found != newer.joints.end() &&
             newer.weights[static_cast<std::size_t>(found - newer.joints.begin())] == row.weights[k];
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

  // What is taken whole or not at all; what has indices of joints or meshes only where those have kept their numbers.
  void the_rest() {
    const auto part = [&](auto member, const char* name, bool has_indices) {
      const auto& edited = edited_.*member;
      const auto& file = file_.*member;
      if (edited.is(file)) {
        return;
      }
      if ((newer_.*member).is(file) && (keeps_numbers_ || !has_indices)) {
        out_.character.*member = edited;
      } else {
        lose("{}", name);
      }
    };
    part(&Character::clips, "edits of clips", true);
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
  std::vector<int> in_file_;  // joints of the file by edited ones
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
