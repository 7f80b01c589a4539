#pragma once

#include <glm/glm.hpp>

#include "polygonize.h"
#include "rig_builder.h"
#include "sdf.h"

namespace pelt::assets {

/// Body parts, as groups of the signed-distance body; those of the right side are kMirror more.
enum Group : int {
  kTorso = 0,
  kHead = 1,
  kArm = 10,
  kPalm = 11,
  kThumb = 12,  // then index, middle, ring, pinky
  kLeg = 20,
  kMirror = 100,
};

/// 56 joints: root, hips, spine, neck, head, arms with forearm twist, five fingers each, legs with toes.
RigBuilder make_humanoid_rig();

/// The body in the rest pose of the rig, metres, facing +Z, feet on y = 0.
Body make_humanoid_body(const RigBuilder& rig);

/// The head, the last shapes of make_humanoid_body().
void add_humanoid_head(Body& body);

/// Edge lengths of the mesh over the body.
double humanoid_edge_length(const RigBuilder& rig, const glm::dvec3& p);

/// Materials of the mannequin.
enum HumanoidMaterial : int { kSkin, kWhite, kGraphite, kCoral, kEyes };

/// Lines where one material meets another, and the material at a point of the surface. The rig must outlive the lines.
std::vector<FeatureLine> humanoid_feature_lines(const RigBuilder& rig);
int humanoid_material(const RigBuilder& rig, const glm::dvec3& p);

/// Rows of joint weights, one per vertex of a symmetric mesh, at most four entries each.
mesh::Influences humanoid_influences(const RigBuilder& rig, const Body& body, const SymmetricMesh& mesh);

/// Morph targets of the mannequin, in this order.
enum HumanoidMorph : int { kBreathe, kBicepsLeft, kBicepsRight, kSmile, kHumanoidMorphs };

/// breathe, biceps_bulge_l, biceps_bulge_r, smile: displacements of a symmetric mesh. @param normals  [V] unit
std::vector<mesh::MorphTarget> humanoid_morphs(const RigBuilder& rig, const SymmetricMesh& mesh,
                                               const std::vector<glm::vec3>& normals,
                                               const mesh::Influences& influences);

/// idle, walk, wave. @param mesh_joint  node that carries the mesh, for morph channels
std::vector<rig::Clip> humanoid_clips(const rig::Skeleton& skeleton, int mesh_joint);

}  // namespace pelt::assets
