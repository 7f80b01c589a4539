#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "deform/skinning_methods.h"
#include "mesh/adjacency.h"

namespace pelt::deform {

/// Delta mush for one closed or open triangle surface, ALGORITHMS.md §24: whatever moved the vertices, the surface is
/// smoothed, and the detail that smoothing takes from the rest shape is put back in frames that follow the smoothed
/// one.
///
/// Smooths over joints, so that even weights of 0 and 1 bend softly; restores no volume. Double precision throughout:
/// shells of few vertices shrink to a fraction of their size under many steps, and their frames come from what is left.
/// A frame is the normal, and in the tangent plane the turn that brings the rest shape's edges nearest to the posed
/// ones: no single edge is chosen, so that a rest shape which differs by rounding makes a result which does.
/// Source: Mancewicz, Derksen, Rijpkema, Wilson, "Delta Mush: Smoothing Deformations While Preserving Detail",
///         DigiPro 2014.
class DeltaMush {
 public:
  /// @param rest        [W] finite; metres, or whatever `sizes` of apply() leads from
  /// @param triangles   3 per triangle, no corner twice, every index < W
  /// @param iterations  smoothing steps, >= 0
  /// @param lambda      share of the neighbours' mean per step, 0..1
  /// @cost O((V + T) * iterations)
  DeltaMush(std::span<const glm::dvec3> rest, std::span<const std::uint32_t> triangles, int iterations, double lambda);

  /// Vertices without a frame (of no triangle, or of none with area once smoothed) stay as posed.
  /// @param posed   [W] the skinned surface
  /// @param sizes   [W] by how much the skin enlarges round a vertex, 1 where it is rigid; negative where it mirrors
  /// @param deltas  put the detail back; else the result is the smoothed surface
  /// @param out     [W] must not alias posed
  /// @cost O((V + T) * iterations), on all threads, the same for any number of them; no allocation from the second
  ///       call on, as long as calls do not overlap. Safe to call concurrently.
  void apply(std::span<const glm::dvec3> posed, std::span<const double> sizes, bool deltas,
             std::span<glm::dvec3> out) const;

  [[nodiscard]] std::size_t vertex_count() const { return adjacency_.vertex_count(); }

 private:
  friend void finish_delta_mush(const mesh::MeshSurface&, const MethodParameters&, std::span<const Prepared>,
                                std::span<const glm::mat4>, std::span<const SkinOutput>);

  struct Scratch {
    std::vector<glm::dvec3> points;
    std::vector<glm::dvec3> posed;
    std::vector<glm::dvec3> result;
    std::vector<double> sizes;
  };
  // Lends a set of buffers to one call; they are kept for the next.
  class Loan {
   public:
    explicit Loan(const DeltaMush& owner);
    ~Loan();
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Scratch* operator->() { return scratch_.get(); }

   private:
    const DeltaMush& owner_;
    std::unique_ptr<Scratch> scratch_;
  };

  void smooth(std::span<const glm::dvec3> points, std::span<glm::dvec3> out) const;
  [[nodiscard]] double largest_square_round(std::span<const glm::dvec3> points, std::size_t v) const;
  [[nodiscard]] bool frame(std::span<const glm::dvec3> smoothed, std::size_t v, double orientation,
                           glm::dmat3& out) const;

  mesh::Adjacency adjacency_;
  int iterations_;
  double lambda_;
  std::vector<glm::dvec2> along_;  // [as adjacency_.neighbor] the rest edge in the tangent plane
  std::vector<glm::dvec3> delta_;  // [W] in the frame
  std::vector<char> has_frame_;    // [W]
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> free_;
};

/// PrepareFunction and FinishFunction of the row "delta-mush"; single vertices are skinned by skin_lbs().
bool prepare_delta_mush(const mesh::MeshSurface& surface, const MethodParameters& parameters, const Progress& progress,
                        std::span<Prepared> out);
void finish_delta_mush(const mesh::MeshSurface& surface, const MethodParameters& parameters,
                       std::span<const Prepared> prepared, std::span<const glm::mat4> skin_matrices,
                       std::span<const SkinOutput> inout);

}  // namespace pelt::deform
