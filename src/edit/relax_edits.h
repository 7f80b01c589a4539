#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "edit/document.h"
#include "mesh/welded_surface.h"

namespace pelt::edit {

/// Weights of some places of a mesh relaxed as ALGORITHMS.md §40, on the file's own surface: those with which the skin
/// there stretches and shortens least in several poses together, under linear blend skinning, while what lies round
/// them stays. Locked joints keep their weights.
struct RelaxWeights {
  int mesh = 0;
  std::vector<std::uint32_t> places = {};
  std::vector<float> amounts = {};                  ///< one per place, 0 to 1: the rest pulls it to where it was
  std::vector<std::vector<glm::mat4>> worlds = {};  ///< by pose: [J]
  std::vector<int> more = {};                       ///< joints that vertices may follow beside their own
  std::shared_ptr<const mesh::WeldedSurface> surface = nullptr;
  /// What the change made of `from` under these locks, from whoever tried it before; anew where these are others.
  std::shared_ptr<const rig::Character> made = nullptr;
  std::shared_ptr<const rig::Character> from = nullptr;
  SharedArray<int> locked = {};
};

// In words, what it makes of the document, and what whoever asked for it should know.
std::string label(const Document& document, const RelaxWeights& change);
void carry_out(const Document& document, const RelaxWeights& change, Content& content, View& view);
std::string remark(const Document& document, const RelaxWeights& change);

}  // namespace pelt::edit
