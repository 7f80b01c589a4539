#include "bind/character_binding.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "bind/bind_space.h"
#include "core/expect.h"
#include "core/index.h"
#include "mesh/influences.h"

namespace pelt::bind {
namespace {

constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

// Which slot of a skin a joint has, [J]; -1 where none.
std::vector<int> slots_of(const rig::Skin& skin, std::size_t joint_count) {
  std::vector<int> slots(joint_count, -1);
  for (std::size_t k = skin.joints.size(); k-- > 0;) {
    slots[skin.joints[k]] = static_cast<int>(k);
  }
  return slots;
}

// Inverse bind matrices end in (0, 0, 0, 1), which a product of doubles only nearly does.
glm::mat4 as_inverse_bind(const glm::dmat4& joint_from_mesh) {
  glm::mat4 out(joint_from_mesh);
  for (int c = 0; c < 4; ++c) {
    out[c][3] = c == 3 ? 1.0f : 0.0f;
  }
  return out;
}

bool lists_all(const rig::Skin& skin, const CharacterProblem& problem) {
  const std::vector<int> slots = slots_of(skin, problem.bind_from_joint.size());
  return std::ranges::all_of(problem.problem.bones, [&](const Bone& bone) { return slots[bone.joint] >= 0; });
}

// Makes sure that a skin lists the joints of all bones, from where its mesh is: where the joints that it has say.
void add_joints(rig::Skin& skin, const CharacterProblem& problem, const glm::dmat4& usual_place) {
  const std::vector<std::optional<glm::dmat4>> joints(problem.bind_from_joint.begin(), problem.bind_from_joint.end());
  const glm::dmat4 from_mesh = mesh_by_joints(skin, joints).value_or(usual_place);
  const std::vector<int> slots = slots_of(skin, problem.bind_from_joint.size());
  for (const Bone& bone : problem.problem.bones) {
    if (slots[bone.joint] < 0) {
      skin.joints.push_back(bone.joint);
      skin.joint_from_mesh.push_back(as_inverse_bind(glm::inverse(problem.bind_from_joint[bone.joint]) * from_mesh));
    }
  }
}

// [W] which of the rows of some places is each one's, kNoRow where none; no places: of all.
std::vector<std::uint32_t> rows_at(std::span<const std::uint32_t> places, std::size_t place_count) {
  std::vector<std::uint32_t> rows(place_count, kNoRow);
  if (places.empty()) {
    std::iota(rows.begin(), rows.end(), 0u);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    rows[places[i]] = static_cast<std::uint32_t>(i);
  }
  return rows;
}

// The skins of a mesh with the joints of all bones, the one that the problem was made in first. A mesh without a skin
// gets one; beside a skin, nodes without one stay as they are.
int skin_for(rig::Character& character, const CharacterProblem& problem, int mesh) {
  std::vector<int> skins;
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.mesh == mesh && node.skin >= 0 && std::ranges::find(skins, node.skin) == skins.end()) {
      skins.push_back(node.skin);
    }
  }
  if (skins.empty()) {
    rig::Skin skin;
    skin.name = character.meshes[mesh].name;
    skins.push_back(static_cast<int>(character.skins.size()));
    character.skins.push_back(std::move(skin));
    for (rig::MeshNode& node : character.mesh_nodes.edit()) {
      if (node.mesh == mesh) {
        node.skin = skins[0];
      }
    }
  }
  for (const int skin : skins) {
    if (!lists_all(character.skins[static_cast<std::size_t>(skin)], problem)) {
      add_joints(character.skins.edit(static_cast<std::size_t>(skin)), problem, problem.bind_from_mesh[mesh]);
    }
  }
  return skins[0];
}

}  // namespace

rig::Character with_binding(const rig::Character& character, const CharacterProblem& problem, const Binding& binding,
                            int limit, std::span<const std::uint32_t> only) {
  rig::Character out = character;
  const Rows rows = only.empty() ? limited(binding.rows, limit) : limited(binding.rows, only, limit);
  const std::vector<std::uint32_t> row_of = rows_at(only, problem.problem.place_count());
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
  std::vector<int> slots;
  int mesh = -1;
  for (const CharacterProblem::Part& part : problem.parts) {
    if (part.mesh != mesh) {
      mesh = part.mesh;
      slots =
          slots_of(out.skins[static_cast<std::size_t>(skin_for(out, problem, mesh))], problem.bind_from_joint.size());
    }
    const mesh::Primitive& source = character.meshes[mesh].primitives[part.primitive];
    mesh::Influences influences = source.influences;
    const bool is_new = influences.empty();
    PELT_EXPECT(only.empty() || !is_new, "rows of all places where there are none");
    bool is_changed = only.empty();
    for (std::size_t v = 0; v < source.vertex_count(); ++v) {
      const std::uint32_t row = row_of[problem.place[part.first + v]];
      if (row == kNoRow) {
        continue;
      }
      joints.clear();
      weights.clear();
      for (const Share& share : rows[row]) {
        joints.push_back(static_cast<std::uint16_t>(slots[problem.problem.bones[share.bone].joint]));
        weights.push_back(static_cast<float>(share.weight));
      }
      if (is_new) {
        mesh::append_row(influences, joints, weights);
      } else {
        mesh::Influences one;
        mesh::append_row(one, joints, weights);
        if (!mesh::same_row(one.row(0), influences.row(v))) {
          influences.put_row(v, one.row(0));
          is_changed = true;
        }
      }
    }
    if (is_changed) {
      mesh::Mesh& target = out.meshes.edit(static_cast<std::size_t>(mesh));
      mesh::Primitive& primitive = target.primitives.edit(static_cast<std::size_t>(part.primitive));
      primitive.drop_cage();
      const std::uint32_t budget = limit > 0 ? static_cast<std::uint32_t>(limit) : influences.max_count();
      influences.set_budget(only.empty() ? budget : std::max(budget, influences.budget()));
      primitive.influences = std::move(influences);
    }
  }
  if (only.empty() || !out.skins.is(character.skins)) {
    rig::finish(out);
  }
  return out;
}

Rows rows_of(const rig::Character& character, const CharacterProblem& problem) {
  std::vector<int> bone_of_joint(problem.bind_from_joint.size(), -1);
  for (std::size_t b = 0; b < problem.problem.bone_count(); ++b) {
    bone_of_joint[problem.problem.bones[b].joint] = static_cast<int>(b);
  }
  std::vector<std::vector<Share>> shares(problem.problem.place_count());
  for (const CharacterProblem::Part& part : problem.parts) {
    const rig::MeshNode* node = node_of(character, part.mesh);
    const mesh::Influences& influences = character.meshes[part.mesh].primitives[part.primitive].influences;
    if (node == nullptr || node->skin < 0 || influences.empty()) {
      continue;
    }
    const rig::Skin& skin = character.skins[node->skin];
    for (std::size_t v = 0; v < influences.vertex_count(); ++v) {
      std::vector<Share>& row = shares[problem.place[part.first + v]];
      if (!row.empty()) {
        continue;
      }
      const mesh::InfluenceRow from = influences.row(v);
      for (std::size_t k = 0; k < from.joints.size(); ++k) {
        const int bone = has_index(skin.joints, from.joints[k]) ? bone_of_joint[skin.joints[from.joints[k]]] : -1;
        if (bone >= 0) {
          row.push_back({static_cast<std::uint16_t>(bone), from.weights[k]});
        }
      }
    }
  }
  Rows rows;
  for (const std::vector<Share>& row : shares) {
    rows.push(row);
  }
  return rows;
}

}  // namespace pelt::bind
