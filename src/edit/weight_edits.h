#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edit/document.h"
#include "mesh/weight_smoothing.h"
#include "mesh/welded_surface.h"

namespace pelt::edit {

/// Smooths weights, ALGORITHMS.md §37, on the file's own surface: with another one shown, the own one comes back.
/// Vertices at one place change together, whatever primitives they belong to; weights of every node that carries the
/// mesh change, since they are its own.
struct SmoothWeights {
  int mesh = 0;
  int primitive = -1;                        ///< -1: vertices are counted through all primitives of the mesh
  SharedArray<std::uint32_t> vertices = {};  ///< which, in any order; empty: all
  SharedArray<float> strengths = {};         ///< one per vertex, 0 to 1; empty: 1 each
  float strength = 0.5f;                     ///< lambda; see weight_smoothing_fields() for these five
  int iterations = 1;
  int limit = 0;
  float threshold = 1e-4f;
  bool cotangents = false;
  std::vector<int> locked = {};  ///< joints that keep their weights bit for bit
  std::vector<int> across = {};  ///< only these joints exchange weights; empty: all
  /// The mesh's, from whoever keeps it from one edit to the next; made anew where it is null or of other arrays.
  std::shared_ptr<const mesh::WeldedSurface> surface = nullptr;
};

/// A number that smoothing is adjusted by: a slider and a flag. Both are made of these rows.
struct WeightSmoothingField {
  enum class Kind { kReal, kInteger, kSwitch };
  std::string_view id;     ///< of the flag: "strength"
  std::string_view label;  ///< of the slider
  std::string_view unit;   ///< "" where it has none
  std::string_view help;
  Kind kind;
  float minimum;
  float maximum;
  float (*get)(const SmoothWeights& smoothing);
  void (*set)(SmoothWeights& smoothing, float value);
};
std::span<const WeightSmoothingField> weight_smoothing_fields();
/// As one of the fields says it before anybody changed it.
float standard_value(const WeightSmoothingField& field);

/// Which of the character's nodes carry the mesh.
int node_count(const rig::Character& character, int mesh);

struct WeightCuts;

/// The character with what smoothing changes; null where it changes nothing.
/// @param out_cuts  gets what was cut, where it is not null
/// @pre  the mesh, primitive and vertices are the character's
/// @cost O(vertices named), and O(mesh) where the surface is not given
std::shared_ptr<const rig::Character> with_smoothed_weights(const rig::Character& character,
                                                            const SmoothWeights& smoothing,
                                                            WeightCuts* out_cuts = nullptr);

/// The vertices of a mesh, through all its primitives, for which any of the skins that it hangs on names the joint with
/// some weight. @cost O(mesh)
std::vector<std::uint32_t> vertices_of_joint(const rig::Character& character, int mesh, int joint);

// In words, what it makes of the document, and what whoever asked for it should know beside its label.
std::string label(const Document& document, const SmoothWeights& change);
void carry_out(const Document& document, const SmoothWeights& change, Content& content, View& view);
std::string remark(const Document& document, const SmoothWeights& change);

}  // namespace pelt::edit
