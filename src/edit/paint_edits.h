#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "edit/document.h"
#include "mesh/dab.h"
#include "mesh/welded_surface.h"

namespace pelt::edit {

/// Locks joints, or lets them go: edits of weights leave what they have alone, bit for bit (ALGORITHMS.md §39).
struct LockJoints {
  std::vector<int> joints;
  bool locked;
};

/// What one joint has of a row, by skeleton index.
struct JointShare {
  int joint = -1;
  double weight = 0;
};

/// One touch of a brush, ALGORITHMS.md §39. Places are those of the mesh's welded surface.
struct PaintDab {
  mesh::DabMode mode = mesh::DabMode::kAdd;
  std::vector<std::uint32_t> places;
  std::vector<float> amounts;  ///< one per place, 0 to 1
  float value = 1;
  std::vector<float> values = {};      ///< by place, or empty: `value` everywhere
  int joint = -1;                      ///< that is painted, skeleton index
  std::vector<JointShare> first = {};  ///< rows that mesh::DabMode::kBlend blends between
  std::vector<JointShare> second = {};
};

/// A limit of those that paint: no limit.
inline constexpr int kAnyInfluences = std::numeric_limits<int>::max();

/// Touches of a brush, one after the other, on the file's own surface. The weights of every node that carries the mesh
/// change, since they are its own; a joint that its skin lacks changes nothing. Locked joints keep theirs.
struct PaintWeights {
  int mesh = 0;
  std::vector<PaintDab> dabs = {};
  /// Influences of a vertex afterwards; 0: as many as it has, or as its file has a place for (Influences::budget()).
  int limit = 0;
  /// Whose weights are painted, as they were when a drag began; null: the document's own.
  std::shared_ptr<const rig::Character> from = nullptr;
  /// The mesh's, from whoever keeps it from one dab to the next; made anew where it is null or of other arrays.
  std::shared_ptr<const mesh::WeldedSurface> surface = nullptr;
};

/// Where the vertices of a pull are to be in one pose.
struct PullTo {
  std::vector<glm::mat4> world;  ///< [J] of the pose
  glm::vec3 displacement = {};   ///< of the vertex in the middle, world, metres
  float importance = 1;
  /// Where each place is to be instead, world; empty: the displacement says it.
  std::vector<glm::vec3> targets = {};
};

/// Vertices pulled in the world by their weights, ALGORITHMS.md §40, under linear blend skinning in one or several
/// poses. Each goes where its amount times the displacement puts it, as far as its joints let it.
struct PullWeights {
  int mesh = 0;
  std::vector<std::uint32_t> places = {};
  std::vector<float> amounts = {};  ///< 1 in the middle
  std::vector<PullTo> poses = {};
  std::vector<int> more = {};  ///< joints that vertices may follow beside their own
  int limit = 0;
  /// Whose weights are pulled, as they were when a drag began; null: the document's own.
  std::shared_ptr<const rig::Character> from = nullptr;
  std::shared_ptr<const mesh::WeldedSurface> surface = nullptr;
};

/// The character with what the change makes of it; null where that is nothing. For the window's benchmark and tests,
/// too.
std::shared_ptr<const rig::Character> painted(const rig::Character& character, std::span<const int> locked,
                                              const PaintWeights& change);
std::shared_ptr<const rig::Character> pulled(const rig::Character& character, std::span<const int> locked,
                                             const PullWeights& change);

/// Where linear blend skinning puts places of a mesh in a pose, world, without morph targets; where nothing moves a
/// place, it stays where it is bound. Empty where the mesh hangs on no skin.
/// @param world  [J] of the pose @pre  the surface is the mesh's, and has the places
std::vector<glm::vec3> posed_places(const rig::Character& character, int mesh, const mesh::WeldedSurface& surface,
                                    std::span<const std::uint32_t> places, std::span<const glm::mat4> world);

bool is_locked(const Content& content, int joint);

// Each of them in words, what it makes of the document, and what whoever asked for it should know.
std::string label(const Document& document, const LockJoints& change);
void carry_out(const Document& document, const LockJoints& change, Content& content, View& view);
std::string label(const Document& document, const PaintWeights& change);
void carry_out(const Document& document, const PaintWeights& change, Content& content, View& view);
std::string remark(const Document& document, const PaintWeights& change);
std::string label(const Document& document, const PullWeights& change);
void carry_out(const Document& document, const PullWeights& change, Content& content, View& view);
std::string remark(const Document& document, const PullWeights& change);

}  // namespace pelt::edit
