#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bind/binding.h"
#include "bind/character_problem.h"
#include "cli/binder_choice.h"
#include "core/progress.h"
#include "core/result.h"
#include "measure/binding_score.h"
#include "rig/character.h"

namespace pelt::cli {

/// How near weights come to those of another file of the same mesh.
struct TruthScore {
  measure::BindingScore score;
  std::size_t unmatched = 0;        ///< places of the other file at which this mesh has no vertex; they do not count
  std::size_t unmatched_bones = 0;  ///< bones that the other skeleton lacks by name; their weights count as unbound
};

/// Holds a binding against the weights of another file: places are found by position, bones by name. All weights count.
/// Fails where the other file has no weights, no joint of the same name or no vertex at the same place.
Result<TruthScore> score_against(const rig::Character& truth, const bind::CharacterProblem& problem,
                                 const bind::Rows& rows);

/// What `pelt bind` did.
struct BindReport {
  std::string file;
  std::string skeleton;  ///< empty: the file's own
  BinderChoice choice;
  int limit = 0;
  double seconds = 0;
  const bind::CharacterProblem* problem = nullptr;
  const bind::Binding* binding = nullptr;
  std::optional<TruthScore> truth;
};

/// machine_output.md says which members.
std::string bind_json(const BindReport& report);
/// The score, for people; empty without one.
std::string bind_text(const BindReport& report);

}  // namespace pelt::cli
