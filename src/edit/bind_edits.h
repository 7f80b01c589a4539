#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bind/binders.h"
#include "bind/character_problem.h"
#include "edit/document.h"
#include "edit/selection.h"

namespace pelt::edit {

/// What a binder made of a character: work of seconds, done before the change that puts it into the document.
struct MadeBinding {
  std::shared_ptr<const rig::Character> character;  ///< that it was made of
  Shared<bind::CharacterProblem> problem;
  bind::Binding binding;
  /// Places whose rows may be others than `character` has, ascending; nothing: any. Counts for this very character.
  std::optional<std::vector<std::uint32_t>> changed = {};
};

/// Weights of bound meshes made anew by a binder, ALGORITHMS.md §31 to §36. In a pose
/// (Request::pose) weights alone change as well: inverse bind matrices and places stay. Meshes without a skin get one;
/// joints that a skin lacks are added to it. With another surface than the file's own shown, the own one comes back.
struct BindSkin {
  std::string binder;               ///< id of a row of bind::binders()
  std::vector<double> values = {};  ///< one for each of its fields; of another number: the fields as they stand
  bind::Request request = {};
  int limit = 4;  ///< influences of a vertex afterwards; 0: any number
  /// Only these of the surface shown, which has to be the file's own; empty: all. The others keep their weights.
  VertexSelection vertices = {};
  /// Only these share anew what they have of a vertex together; empty: all. The weights of others stay bit for bit.
  std::vector<int> joints = {};
  /// Made by the binder of a character with the same surface and skeleton; null: made here, which may take seconds.
  std::shared_ptr<const MadeBinding> made = nullptr;
};

/// Does what takes the time, for a job. Nothing where the watcher stopped it.
/// @pre  the binder is one of the table
Result<std::shared_ptr<const MadeBinding>> make_binding(const std::shared_ptr<const rig::Character>& character,
                                                        const BindSkin& change, const bind::Watcher& watcher = {});

/// The binder of which the volumes in Content::volumes are.
inline constexpr std::string_view kVolumesBinder = "containment";
/// What a binding by volumes leaves in Content::volumes.
bind::JointVolumes volumes_of(const BindSkin& change);

/// Whether what was made of one character can be put into another: surface and joints are the very same.
bool fits(const MadeBinding& made, const rig::Character& character);

/// The character with those weights. @pre  the binding was made of a character with the same surface and skeleton
/// @param locked  joints that keep their weights bit for bit
rig::Character with_made_binding(const rig::Character& character, const BindSkin& change, const MadeBinding& made,
                                 std::span<const int> locked = {});

/// The weights of the file again, in every mesh whose vertices are still the file's; those of locked joints stay.
struct UseFileWeights {};

/// Whether the file has weights for some mesh of the character whose vertices are still the file's.
bool has_file_weights(const rig::Character& character, const rig::Character& file);

/// The character with those weights. @param file  of the same joints
/// @param locked  joints that keep their weights bit for bit
rig::Character with_file_weights(const rig::Character& character, const rig::Character& file,
                                 std::span<const int> locked = {});

std::string label(const Document& document, const UseFileWeights& change);
void carry_out(const Document& document, const UseFileWeights& change, Content& content, View& view);
std::string remark(const Document& document, const UseFileWeights& change);
std::string refusal(const Document& document, const UseFileWeights& change);

std::string label(const Document& document, const BindSkin& change);
void carry_out(const Document& document, const BindSkin& change, Content& content, View& view);
std::string remark(const Document& document, const BindSkin& change);
std::string refusal(const Document& document, const BindSkin& change);

}  // namespace pelt::edit
