// Whether inverse bind matrices are where the joints stand. Where the mesh as a whole stands elsewhere (a scale or
// quantisation folded into the matrices), all skin matrices of a skin are one matrix. A joint that is posed takes those
// below it along; a matrix that is wrong is wrong alone.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "rig/kinematics.h"
#include "rig/lint_checks.h"

namespace pelt::rig {
namespace {

constexpr double kFits = 1e-3;           // of elements, translations relative to the skeleton's size
constexpr double kMovesVertices = 2e-3;  // of the skeleton's size: what a wrong matrix does must be seen
constexpr double kMostFit = 0.8;         // of the joints with weight, so that the others are exceptions
constexpr std::size_t kLeastFit = 4;     // joints: of fewer none is the exception
constexpr std::size_t kCandidates = 64;  // for the matrix that most joints have
constexpr float kCarriedWeight = 0.01f;  // of a vertex that counts as the joint's

/// The largest difference of elements from identity, translations in units of `size`.
double off_identity(const glm::dmat4& matrix, double size) {
  double worst = 0;
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 3; ++r) {
      worst = std::max(worst, std::abs(matrix[c][r] - (c == r ? 1.0 : 0.0)) / (c == 3 ? size : 1.0));
    }
  }
  return worst;
}

/// How much an affine matrix turns, radians; its scale and shear are left out.
double turn_of(const glm::dmat4& matrix) {
  glm::dmat3 axes(matrix);
  for (int c = 0; c < 3; ++c) {
    axes[c] /= std::max(glm::length(axes[c]), 1e-300);
  }
  const double cosine = 0.5 * (axes[0][0] + axes[1][1] + axes[2][2] - 1);
  return std::acos(std::clamp(cosine, -1.0, 1.0));
}

/// One skin: the skin matrices of joints that some vertex follows, against that which most of them have.
class BindFit {
 public:
  BindFit(const Character& character, std::size_t s, std::span<const glm::mat4> world, double size,
          const std::vector<char>& weighted)
      : character_(character), skin_(character.skins[s]), skin_number_(static_cast<int>(s)), size_(size) {
    matrix_.resize(skin_.joints.size());
    fits_.resize(skin_.joints.size(), 0);
    for (std::size_t k = 0; k < skin_.joints.size(); ++k) {
      bool singular = false;
      affine_inverse(skin_.joint_from_mesh[k], &singular);
      const glm::dmat4 matrix = glm::dmat4(world[skin_.joints[k]]) * glm::dmat4(skin_.joint_from_mesh[k]);
      // A joint of scale 0 at rest is nothing to compare with.
      if (weighted[k] != 0 && !singular && std::abs(glm::determinant(glm::dmat3(matrix))) > 1e-30) {
        matrix_[k] = matrix;
        known_.push_back(k);
      }
    }
    find_common();
  }

  void report(const std::vector<int>& parents, Findings& findings) {
    if (odd_.empty()) {
      return;
    }
    const std::size_t alone = wrong_alone(parents).size();
    for (const auto& [k, distance] : wrong(parents)) {
      std::erase(odd_, k);
      add_finding(findings, character_, "inverse-bind-mismatch", place(k),
                  fmt::format("the inverse bind matrix of {} does not fit where it stands, as those of {} of {} joints "
                              "do: its vertices lie up to {} off",
                              label(k), known_.size() - alone, known_.size(), length_text(distance)));
    }
    if (odd_.empty()) {
      return;
    }
    const std::size_t worst =
        *std::ranges::max_element(odd_, {}, [&](std::size_t k) { return off_identity(relative(k), size_); });
    add_finding(findings, character_, "rest-not-bind", place(worst),
                fmt::format("{} of {} joints stand otherwise than when the mesh was bound, most of all {} by {} and "
                            "{:.3g} degrees relative to {}",
                            odd_.size(), skin_.joints.size(), label(worst), length_text(head_distance(worst)),
                            glm::degrees(turn_of(relative(worst))), label(common_)));
  }

  /// Joints whose matrices are wrong and nothing else, and how far that puts what follows them, metres.
  [[nodiscard]] std::vector<std::pair<std::size_t, double>> wrong(const std::vector<int>& parents) const {
    std::vector<std::pair<std::size_t, double>> out;
    const std::vector<std::size_t> alone = odd_.empty() ? std::vector<std::size_t>() : wrong_alone(parents);
    const std::vector<double> farthest = alone.empty() ? std::vector<double>() : farthest_carried(alone);
    for (const std::size_t k : alone) {
      if (farthest[k] >= kMovesVertices * size_) {
        out.emplace_back(k, farthest[k]);
      }
    }
    return out;
  }

  /// What the matrix of a joint would be if it were as most.
  [[nodiscard]] glm::mat4 implied(std::size_t k, std::span<const glm::mat4> world) const {
    return {glm::inverse(glm::dmat4(world[skin_.joints[k]])) * matrix_[common_]};
  }

 private:
  /// What the joint's matrix is beyond the common one, in the world.
  [[nodiscard]] glm::dmat4 relative(std::size_t k) const { return matrix_[k] * glm::inverse(matrix_[common_]); }
  [[nodiscard]] LintPlace place(std::size_t k) const {
    return {
        .node = character_.skeleton->source_node[skin_.joints[k]], .skin = skin_number_, .joint = static_cast<int>(k)};
  }
  [[nodiscard]] std::string label(std::size_t k) const { return character_.skeleton->label(skin_.joints[k]); }

  void find_common() {
    std::size_t most = 0;
    for (std::size_t i = 0; i < std::min(known_.size(), kCandidates); ++i) {
      const glm::dmat4 from_candidate = glm::inverse(matrix_[known_[i]]);
      const std::size_t count = std::ranges::count_if(
          known_, [&](std::size_t k) { return off_identity(matrix_[k] * from_candidate, size_) <= kFits; });
      if (count > most) {
        most = count;
        common_ = known_[i];
      }
    }
    for (const std::size_t k : known_) {
      fits_[k] = off_identity(relative(k), size_) <= kFits ? 1 : 0;
      if (fits_[k] == 0) {
        odd_.push_back(k);
      }
    }
  }

  /// How far the joint's head stands from where it was bound.
  [[nodiscard]] double head_distance(std::size_t k) const {
    const glm::dvec4 bound = glm::inverse(glm::dmat4(skin_.joint_from_mesh[k]))[3];
    return glm::length(glm::dvec3(matrix_[k] * bound - matrix_[common_] * bound));
  }

  /// The joints whose neighbours up and down the skeleton fit, where nearly all joints fit. A joint at the end of a
  /// chain may be turned, but no pose carries it away from the joint above.
  [[nodiscard]] std::vector<std::size_t> wrong_alone(const std::vector<int>& parents) const {
    std::vector<std::size_t> out;
    const std::size_t fitting = known_.size() - odd_.size();
    if (fitting < kLeastFit || static_cast<double>(fitting) < kMostFit * static_cast<double>(known_.size())) {
      return out;
    }
    std::vector<std::size_t> below(skin_.joints.size(), 0);  // of each joint: those known that hang on it
    std::vector<std::size_t> below_fit(skin_.joints.size(), 0);
    std::vector<char> is_known(skin_.joints.size(), 0);
    for (const std::size_t k : known_) {
      is_known[k] = 1;
      if (parents[k] >= 0) {
        ++below[parents[k]];
        below_fit[parents[k]] += fits_[k] != 0 ? 1U : 0U;
      }
    }
    for (const std::size_t k : odd_) {
      const bool above_fits = parents[k] < 0 || fits_[parents[k]] != 0 || is_known[parents[k]] == 0;
      const bool is_wrong = below[k] > 0 ? below_fit[k] == below[k] : head_distance(k) > kFits * size_;
      if (above_fits && is_wrong) {
        out.push_back(k);
      }
    }
    return out;
  }

  /// [joints] Of some joints, how far the vertices that follow them lie from where the common matrix would have them,
  /// metres.
  [[nodiscard]] std::vector<double> farthest_carried(const std::vector<std::size_t>& joints) const {
    std::vector<double> farthest(skin_.joints.size(), 0.0);
    std::vector<char> is_asked(skin_.joints.size(), 0);
    for (const std::size_t k : joints) {
      is_asked[k] = 1;
    }
    for (const SkinnedMesh& use : skinned_meshes(character_)) {
      if (use.skin != skin_number_) {
        continue;
      }
      for (const mesh::Primitive& primitive : character_.meshes[use.mesh].primitives) {
        const mesh::Influences& rows = primitive.influences;
        for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
          const mesh::InfluenceRow row = rows.row(v);
          for (std::size_t i = 0; i < row.joints.size(); ++i) {
            const std::size_t k = row.joints[i];
            if (is_asked[k] != 0 && row.weights[i] >= kCarriedWeight) {
              const glm::dvec4 moved = (matrix_[k] - matrix_[common_]) * glm::dvec4(primitive.positions[v], 1.0);
              farthest[k] = std::max(farthest[k], static_cast<double>(row.weights[i]) * glm::length(glm::dvec3(moved)));
            }
          }
        }
      }
    }
    return farthest;
  }

  const Character& character_;
  const Skin& skin_;
  int skin_number_;
  double size_;
  std::vector<glm::dmat4> matrix_;  ///< [joints] skin matrices of those known
  std::vector<char> fits_;          ///< [joints]
  std::vector<std::size_t> known_;  ///< joints with weight and a usable matrix
  std::vector<std::size_t> odd_;    ///< those of them that do not fit
  std::size_t common_ = 0;          ///< a joint with the matrix that most have
};

}  // namespace

RestSkeleton::RestSkeleton(const Character& character) : walk(walk_tree(character.skeleton)) {
  WorldMatrices matrices;
  matrices.evaluate(character.skeleton, rest_pose(character));
  world = matrices.world();
  Bounds heads;
  for (const Skin& skin : character.skins) {
    parents.push_back(nearest_listed(walk, skin.joints));
    for (const int j : skin.joints) {
      heads.add(glm::vec3(world[j][3]));
    }
  }
  size = heads.diagonal() > 0 ? static_cast<double>(heads.diagonal()) : 1.0;
}

void check_bind_fit(const Character& character, const RestSkeleton& rest, Findings& findings) {
  const JointUse use = joint_use(character);
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    BindFit(character, s, rest.world, rest.size, use.weighted[s]).report(rest.parents[s], findings);
  }
}

std::vector<WrongBind> wrong_binds(const Character& character) {
  std::vector<WrongBind> out;
  const RestSkeleton rest(character);
  const JointUse use = joint_use(character);
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    const BindFit fit(character, s, rest.world, rest.size, use.weighted[s]);
    for (const auto& [k, distance] : fit.wrong(rest.parents[s])) {
      out.push_back({static_cast<int>(s), k, fit.implied(k, rest.world)});
    }
  }
  return out;
}

}  // namespace pelt::rig
