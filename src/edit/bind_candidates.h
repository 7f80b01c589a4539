#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "edit/commands.h"
#include "measure/binding_score.h"

namespace pelt::edit {

/// In place of a binder's id: the weights that the file has.
inline constexpr std::string_view kFileWeights = "file";

/// Weights that could take the place of a character's, held against those of its file before anybody takes them.
struct BindCandidate {
  std::string label;                                ///< of the binder
  BindSkin change;                                  ///< with `made`; of the file's weights with kFileWeights alone
  std::shared_ptr<const rig::Character> character;  ///< with these weights
  double seconds = 0;                               ///< of binding alone
  /// Against the weights of the file, on its joints and in its poses; nothing where it has none for these vertices.
  std::optional<measure::BindingScore> score = {};
  /// Strain and volume of the surface under them in the same poses, or in the character's where the file has no
  /// weights. Nothing where no problem can be made of the character.
  std::optional<measure::BindingShape> shape = {};
};

/// Makes the weights that a change would make, and holds them against those of the file. Fails as make_binding() does,
/// and where the watcher asks it to stop.
/// @param file    as Document::file
/// @param change  its binder may be kFileWeights; vertices and joints that limit it do so here, too
/// @param locked  joints that keep their weights bit for bit
Result<BindCandidate> make_candidate(const std::shared_ptr<const rig::Character>& character, const rig::Character& file,
                                     const BindSkin& change, std::span<const int> locked,
                                     const bind::Watcher& watcher = {});

/// What puts a candidate into the document, in one step.
Change use_of(const BindCandidate& candidate);

}  // namespace pelt::edit
