#pragma once

#include "rig/character.h"

namespace pelt::render {

/// The shared parts that a character's drawn surface follows from in any pose, its materials aside. Whoever keeps
/// something made of them keeps this too and compares: while it is held nothing else comes to lie at their addresses.
/// Names are no part of it, so after a rename two are equal though the pointers of what carries the names differ.
struct SurfaceParts {
  Shared<rig::Skeleton> skeleton;
  SharedList<rig::Skin> skins;
  SharedList<mesh::Mesh> meshes;
  SharedArray<rig::MeshNode> mesh_nodes;
  SharedArray<rig::Part> parts;

  SurfaceParts() = default;
  explicit SurfaceParts(const rig::Character& character);
  /// @cost  O(1) where nothing was edited; else O(J + primitives + morph targets), no array of vertices is read
  friend bool operator==(const SurfaceParts& a, const SurfaceParts& b);
};

/// True where nothing but weights differs: no joint, no vertex, no element, and who is skinned.
bool same_but_weights(const SurfaceParts& a, const SurfaceParts& b);

/// The shared parts that a picture of a character follows from: its surface, and what rig::appearance() and materials
/// read.
struct AppearanceParts {
  SurfaceParts surface;
  SharedArray<rig::Material> materials;
  SharedArray<rig::Texture> textures;
  SharedList<rig::Image> images;
  SharedArray<rig::Light> lights;
  SharedArray<rig::Camera> cameras;
  SharedArray<char> node_hidden;
  SharedList<rig::Clip> clips;
  SharedArray<rig::Scene> scenes;
  int scene = 0;

  AppearanceParts() = default;
  explicit AppearanceParts(const rig::Character& character);
  friend bool operator==(const AppearanceParts& a, const AppearanceParts& b);
};

}  // namespace pelt::render
