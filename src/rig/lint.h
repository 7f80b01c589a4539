#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "core/progress.h"
#include "core/result.h"
#include "rig/character.h"

namespace pelt::rig {

/// One kind of finding. The command line, the window, lint_rules.md and the tests go by the table of
/// these.
struct LintRule {
  std::string_view code;  ///< stable, kebab-case
  Severity severity;      ///< usual; a single finding may weigh less
  std::string_view explanation;
  std::string_view remedy;
  bool fixable = false;  ///< fixed() mends it, and moves nothing unless it is of those next
  /// Only where it is asked for by its code: the mend moves what the fault has moved, or what is wrong with it here may
  /// be right for the files beside it.
  bool only_named = false;

  /// Whether fixed() mends it unless it is told what to mend.
  [[nodiscard]] bool is_usually_fixed() const { return fixable && !only_named; }
};

/// All rules, by what they look at.
std::span<const LintRule> lint_rules();
/// Null where there is none of that code.
const LintRule* find_lint_rule(std::string_view code);

/// Where a finding is, by the file's indices; -1: not said.
struct LintPlace {
  int scene = -1;
  int node = -1;
  int mesh = -1;
  int primitive = -1;
  int skin = -1;
  int joint = -1;  ///< index into the skin's list of joints; `node` is the same joint as a node
  int clip = -1;
  int channel = -1;
  int material = -1;
  int texture = -1;
  int image = -1;
  int buffer = -1;
  std::vector<std::uint32_t> vertices = {};  ///< of the primitive; at most kMostListedVertices

  bool operator==(const LintPlace&) const = default;
};

/// One thing that is wrong or risky in a character.
struct Finding {
  std::string code;
  Severity severity = Severity::kWarning;
  LintPlace place = {};
  std::string where;    ///< the place in words: `mesh 2 ("body"), primitive 0`, or "file"
  std::string message;  ///< one sentence: what was expected, what is there
  /// Every vertex that a finding of weights or windings is about, ascending and counted through all primitives of
  /// place.mesh: what a mend of it may change. place.vertices are the first of them that lie in place.primitive. Empty
  /// where the finding is about something else, or was made when the file was read.
  std::vector<std::uint32_t> mesh_vertices = {};
  std::vector<LintPlace> others = {};  ///< more places of which the same is to be said, word for word
};
using Findings = std::vector<Finding>;

/// Everything there is to say of a character: what was repaired when it was read (its diagnostics) and what the checks
/// of lint_checks.h find. Worst first, then in the order of the checks. Fails only where `progress` asks it to stop.
/// @cost O((V + T) log V + V K): for a verb or a thread, not for each frame
Result<Findings> lint(const Character& character, const Progress& progress = {});
/// The same with more that was said of the file than the character keeps.
/// @param said  in place of its diagnostics
Result<Findings> lint(const Character& character, std::span<const Diagnostic> said, const Progress& progress = {});

/// The vertices that are as was said of weights when the file was read, in the place or in all of its mesh, counted
/// through all primitives of the mesh; nothing for codes other than weight-zero, weight-sum and weight-integer-sum, and
/// for places that name no mesh.
std::optional<std::vector<std::uint32_t>> vertices_still_so(const Character& character, std::string_view code,
                                                            const LintPlace& place);

/// The place of a diagnostic ("mesh 2, primitive 0"); words that name nothing known are passed over.
LintPlace place_of(const Diagnostic& diagnostic);

}  // namespace pelt::rig
