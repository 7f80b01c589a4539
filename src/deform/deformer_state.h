#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "deform/deform.h"
#include "deform/fast_skin.h"
#include "deform/morph.h"

// What CpuDeformer keeps between calls, and the stages of a call. For the sources of deform alone.

namespace pelt::deform {

/// What a kernel gets in place of a variant that is made afterwards: tangents are perpendicular to these first, and
/// where triangles have no normal, these stay.
NormalVariant kernel_normals(NormalVariant normals);

/// The matrices of a skin, for all parts that follow it; or the one that places parts without a skin.
struct Placement {
  int skin = -1;
  int joint = -1;             ///< that parts without a skin hang on
  std::vector<char> follows;  ///< [joints of the skin] whether anything does; the matrices of others stay the identity
  std::vector<glm::mat4> matrices;
  bool changed = true;  ///< in this call
};

/// What is kept of one part.
struct PartState {
  std::shared_ptr<const SkinData> data;  ///< where skinned
  std::size_t placement = 0;
  std::vector<float> morph_weights;     ///< of the last call
  bool valid = false;                   ///< the output holds what these give, but for edited rows
  bool edited = false;                  ///< `fast` follows rows since that the output does not show yet
  bool changed = false;                 ///< in this call
  bool whole = false;                   ///< in this call: by more than edited rows
  bool plain = false;                   ///< nothing fast covers it; asked once for the rows
  std::optional<FastSkin> fast;         ///< where it covers settings and influences
  mesh::Influences rows;                ///< what it follows where that is the heaviest joint, or a node, alone
  std::optional<MorphedShape> morphed;  ///< once a target was active, where nothing is fast
  std::vector<glm::vec3> moved;         ///< the shape as layers in bind space leave it, where there are any
  SkinInput input;                      ///< of this call, while it lasts
  Bounds bounds;
  std::vector<std::uint64_t> written;  ///< [chunks of FastSkin::kChunkVertices] serial of the call that wrote them last

  /// What was kept of the primitive.
  void forget();
  /// Its rows under the settings are others.
  void follow_rows(const mesh::Influences& before, const mesh::Influences& now, FastMethod method);
};

/// What one call of CpuDeformer::deform() is given.
struct DeformCall {
  const rig::Character& character;
  const rig::Pose& pose;
  std::span<const glm::mat4> world;
  const SkinningSettings& settings;
  const SkinningMethod& method;
  NormalVariant normals;  ///< under the method
  DeformedCharacter& out;

  [[nodiscard]] SkinOutput output_of(std::size_t part) const;
  [[nodiscard]] std::span<const float> morph_weights_of(std::size_t part) const;
};

struct CpuDeformer::State {
  std::shared_ptr<SkinCache> cache;
  // What the character's shape follows from besides the pose, as it was in the last call.
  bool known = false;
  Shared<rig::Skeleton> skeleton;
  SharedList<rig::Skin> skins;
  SharedList<mesh::Mesh> meshes;
  SharedArray<rig::MeshNode> mesh_nodes;
  SharedArray<rig::Part> character_parts;
  const DeformedCharacter* out = nullptr;
  SkinningSettings settings;
  std::vector<PartState> parts;
  std::vector<Placement> placements;
  std::shared_ptr<const std::vector<SkinBinding>> bindings;  // per skin
  std::vector<glm::vec4> palette;
  std::uint64_t serial = 0;  // of the last call that computed something
  // Of a call that makes surfaces of posed control points.
  std::shared_ptr<const Cages> cages;  // null: of any other call
  std::unique_ptr<CpuDeformer> cage_deformer;
  DeformedCharacter posed_cages;
  bool cages_moved = false;  // in this call

  [[nodiscard]] bool has_cage(std::size_t p) const { return cages != nullptr && cages->part[p] >= 0; }

  // Before the stages: keeps of the last call what holds for this one, takes the pose's matrices, and finds out which
  // parts have to be computed. deformer_state.cpp.
  void follow(const DeformCall& call);
  void place(const DeformCall& call);
  void pose_cages(const DeformCall& call);
  bool find_changed(const DeformCall& call);

  // The stages, each for all parts that changed. Between two of them every part stands where the earlier one put it.
  // Layers in bind space work at the end of the first, those on the posed skin between skin and smooth. deform.cpp.
  void shape(const DeformCall& call);           // 1. bind shapes, morphed; into input, or into what is fast
  void skin(const DeformCall& call);            // 2. each vertex by itself; into the output
  void move_posed(const DeformCall& call);      //    layers on the posed skin
  void smooth(const DeformCall& call);          // 3. what a method does to the posed surface
  void refine(const DeformCall& call);          // 4. surfaces of the control points that were posed
  void remake_normals(const DeformCall& call);  // 5. normals of the posed triangles
  void bound(const DeformCall& call);           // 6. bounds

 private:
  void begin(const rig::Character& character);
  void follow_bindings(const rig::Character& character);
  void follow_meshes(const rig::Character& character);
  void take_prepared(const rig::Character& character);
  void read_primitive(const DeformCall& call, std::size_t p);
  void follow_layers(const SharedArray<rig::Layer>& layers);
  bool make_fast(const DeformCall& call, std::size_t p);
  void note_written(std::size_t p, std::span<const std::uint32_t> chunks);
  template <typename F>
  void for_changed_surfaces(const DeformCall& call, F f);
};

}  // namespace pelt::deform
