#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "math/transform.h"
#include "rig/dofs.h"

namespace pelt::rig {

/// All nodes of a file as parallel arrays, parents before children; read-only once built. Joints are the nodes that
/// some skin lists; the others (parents between joints, carriers of rigid meshes, cameras) are posed alike. Index
/// letter j. Everywhere "joint index" without further word means an index here, not into a skin's list.
struct Skeleton {
  std::vector<int> parent;        ///< parent[j] < j, -1 for roots
  std::vector<std::string> name;  ///< as in the file, may be empty or repeated
  std::vector<Transform> rest;    ///< the file's own local transforms
  std::vector<glm::mat4>
      rest_residual;             ///< shear of nodes given by matrices, applied after TRS; empty when there is none
  std::vector<char> is_joint;    ///< listed by some skin
  std::vector<int> source_node;  ///< glTF node index
  std::vector<JointDofs> dofs;   ///< degrees of freedom

  // Derived by link_children(), which finish() calls; children() and subtree() then cost what they return, else O(J).
  std::vector<int> child;         ///< children of joint j, ascending: child_offset[j] up to child_offset[j + 1]
  std::vector<int> child_offset;  ///< [J + 1] or empty

  [[nodiscard]] int size() const { return static_cast<int>(parent.size()); }
  /// First joint of that name, -1 where there is none.
  [[nodiscard]] int find(std::string_view joint_name) const;
  /// The index of a glTF node, -1 where there is none.
  [[nodiscard]] int from_source_node(int node) const;
  /// "name", or "node 12" where the name is empty.
  [[nodiscard]] std::string label(int j) const;
  [[nodiscard]] std::vector<int> children(int j) const;
  /// One past the last descendant is not contiguous in general, so: j and all of its descendants, ascending.
  [[nodiscard]] std::vector<int> subtree(int j) const;
  /// True where `ancestor` is j or above it.
  [[nodiscard]] bool is_within(int j, int ancestor) const;
  void link_children();
};

/// An order of nodes with parents before children: `order[new] = old`, siblings and roots in file order, depth first.
/// @param parents   [N] any order, -1 for roots
/// @param sequence  [N] a permutation of the nodes that says in which order siblings (and roots) follow each other, for
///                  files whose lists of children are not ascending; empty: ascending
/// Fails, naming the node, on a parent out of range or a cycle.
Result<std::vector<int>> parents_first_order(std::span<const int> parents, std::span<const int> sequence = {});

/// The joint on the other side by name ("elbow_l" and "elbow_r", "LeftArm" and "RightArm", "L_Hand", "hand.L" ...); j
/// itself where the name has no side, -1 where the partner does not exist.
/// @cost O(J); for many joints use mirrored_joints()
int mirrored_joint(const Skeleton& skeleton, int j);

/// mirrored_joint() of every joint, [J]. @cost O(J)
std::vector<int> mirrored_joints(const Skeleton& skeleton);

}  // namespace pelt::rig
