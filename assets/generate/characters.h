#pragma once

#include <span>
#include <string_view>

#include "rig/character.h"

namespace pelt::assets {

/// A smooth humanoid of 1.75 m, 56 joints, three morph targets, clips idle, walk and wave.
rig::Character make_mannequin();

/// The fixture F-CYL of the algorithm reference exactly: 1314 vertices, 2624 triangles, joints root and tip, degrees of
/// freedom tip.twist about +x and tip.bend about +z; a clip that sweeps both.
rig::Character make_cylinder();

/// The fixture F-ELBOW as an arm of 8 m: joints upper_arm and forearm, a hinge about z between them, a surface that has
/// its vertex A = (3,1,0) with weights 0.8 and 0.2; a clip that bends it as the textbook does.
rig::Character make_elbow();

/// A NURBS tube of one metre on the joints of the cylinder, as the mesh that it makes, with its control points: each
/// row of them follows one joint, root or tip, alone. Open at both ends; degrees of freedom and clip as the cylinder's.
rig::Character make_tube();

/// A centipede of 24 segments, more joints than one palette holds, with a walking clip.
rig::Character make_centipede();

/// A robot of rigid parts: meshes on nodes, no skin.
rig::Character make_robot();

struct BundledCharacter {
  std::string_view name;  ///< of the file, without ".glb"
  rig::Character (*make)();
};

/// The characters of assets/, one row each.
std::span<const BundledCharacter> bundled_characters();

}  // namespace pelt::assets
