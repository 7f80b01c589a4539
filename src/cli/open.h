#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/options.h"
#include "core/file.h"
#include "core/result.h"
#include "edit/commands.h"
#include "edit/document.h"
#include "edit/session.h"

namespace pelt::cli {

/// Whether the file of the command line is a session.
bool names_session(const EvaluationOptions& options);

/// What the character of the command line was read with.
std::vector<StampedFile> files_of_input();
/// The file that a session of this document is about: the character's own, also where the input is a session.
Result<edit::SessionSource> source_of(const edit::Document& document, const EvaluationOptions& options);

/// Reads the character named on the command line: a path, "-" for standard input, or "@name" for a bundled one; its
/// surface as the flags want it.
Result<std::shared_ptr<const rig::Character>> open_character_file(const EvaluationOptions& options);

/// The same as a document in its rest pose, which keeps the file's own surface beside the one that the flags want.
Result<edit::Document> open_unposed(const EvaluationOptions& options);

/// Applies what the flags ask for: settings, base pose, pose file, clip and time, sliders, morph targets, layers, in
/// this order. Names that the character does not have are errors with the nearest name. What was changed on the way (a
/// value clamped to its limits) is added to `notes`.
Status apply_evaluation_flags(edit::Document& document, const EvaluationOptions& options,
                              std::vector<std::string>& notes);

/// Reads a pose file. What of it the character lacks, or has by another name, becomes a note; an error with `--strict`.
Result<edit::ReplacePose> open_pose(const edit::Document& document, const std::filesystem::path& path,
                                    const EvaluationOptions& options, std::vector<std::string>& notes);

/// Notes on stderr which of `--parameter` none of these methods reads. @param methods  rows of skinning_methods()
void note_unread_parameters(const EvaluationOptions& options, std::span<const int> methods);

/// Prints a note to stderr where a picture or shape of the character lacks instances that its file has.
void note_unshown_instances(const rig::Character& character);

/// Notes on stderr what settings leave out of the file, ALGORITHMS.md C16.4, and which normals their methods do not
/// offer; each once, whatever the backend.
void note_left_out(const rig::Character& character, std::span<const deform::SkinningSettings> settings);
/// The same for all panes.
void note_left_out(const edit::Document& document);

/// Opens the file and applies the flags; prints notes to stderr.
Result<edit::Document> open_document(const EvaluationOptions& options);

/// Fails where `output` is the session that was opened, and some of that did not apply to its character: written over
/// it, that would be gone for good.
Status check_keeps_session(const edit::Document& document, const std::string& output);

/// A joint by name, or by "node 12" where names are missing or repeated.
Result<int> resolve_joint(const rig::Skeleton& skeleton, const std::string& name);
/// A slider by the names of joint and degree of freedom.
struct ResolvedDof {
  int joint = 0;
  int index = 0;  ///< of the joint's degrees of freedom
  rig::Dof dof;
  double unit = 1;  ///< radians or metres per unit that flags count in
};
/// @returns an error that names the degrees of freedom the joint has
Result<ResolvedDof> resolve_dof(const edit::Document& document, const std::string& joint, const std::string& dof);
/// A clip by name, else by index; -1 for "none".
Result<int> resolve_clip(const rig::Character& character, const std::string& name);
/// A variant of the materials by name, else by index.
Result<int> resolve_variant(const rig::Character& character, const std::string& name);
/// "idle" or "clip 2".
std::string clip_label(const rig::Character& character, int clip);

/// The moments of `range` on the axis of the document's clip, seconds; those beyond its end are not cut off here. Fails
/// where `all` would be more than kMostFrames. @pre the document shows a clip
Result<std::vector<float>> frame_times(const edit::Document& document, const FrameRange& range);

/// The file's name without folders, for output that must not depend on the machine.
std::string shown_name(const EvaluationOptions& options);

}  // namespace pelt::cli
