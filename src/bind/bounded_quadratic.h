#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace pelt::bind {

/// Entries that are eliminated at once, [begin, end). What they couple of the later ones lies in `parent` and in its
/// parents.
struct EliminationBlock {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::int32_t parent = -1;  ///< a later block; -1 at the last
};

/// A symmetric matrix in compressed rows: both halves, columns of a row ascending, a diagonal in each row.
struct SymmetricRows {
  std::vector<std::uint32_t> offset = {0};
  std::vector<std::uint32_t> column;
  std::vector<double> value;
  std::vector<EliminationBlock> blocks;  ///< all entries in order; empty: every few entries, one after the other

  [[nodiscard]] std::size_t size() const { return offset.size() - 1; }
};

/// How the smallest value within bounds was found.
struct BoundedReport {
  bool converged = false;  ///< else what the last round had, cut off at the bounds
  int rounds = 0;          ///< of factorising and solving
};

/// Finds the x in [0, 1] for which 1/2 x^T A x is smallest, some of its entries being given.
///
/// An active set that changes in blocks: the entries that are neither given nor at a bound solve a linear system; then
/// all that lie beyond a bound are put there, and all at a bound that are pulled away from it come free. Where that
/// makes no progress for some rounds, only the last of these entries changes, which ends for any positive definite
/// matrix. The systems are solved by a multifrontal Cholesky factorisation over the matrix's blocks.
/// Source: J. J. Júdice, F. M. Pires, "A block principal pivoting algorithm for large-scale strictly monotone linear
/// complementarity problems", Computers & Operations Research 21(5), 1994; I. S. Duff, J. K. Reid, "The Multifrontal
/// Solution of Indefinite Sparse Symmetric Linear Equations", ACM TOMS 9(3), 1983.
/// @param a        [N], positive definite over the entries that are not given
/// @param given    [N] 1: x is given and stays as it is, whatever that is
/// @param x        [N] in: where to begin: at most 0 or at least 1 begins at that bound; out: the result
/// @param go_on    asked before each round; may be empty
/// @return nothing where go_on said no
std::optional<BoundedReport> bounded_minimum(const SymmetricRows& a, std::span<const char> given, std::span<double> x,
                                             const std::function<bool()>& go_on = {});

/// A x. @param out  [N]
void multiply(const SymmetricRows& a, std::span<const double> x, std::span<double> out);

/// 1/2 x^T A x.
double energy(const SymmetricRows& a, std::span<const double> x);

}  // namespace pelt::bind
