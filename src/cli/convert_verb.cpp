#include <algorithm>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/parsed_option.h"
#include "cli/shape.h"
#include "cli/verbs.h"
#include "cli/write_character.h"
#include "core/text.h"
#include "deform/skin_cache.h"
#include "edit/file_layers.h"
#include "gltf/export.h"
#include "rig/clip_changes.h"
#include "rig/clip_error.h"
#include "rig/conversions.h"
#include "rig/key_folding.h"
#include "rig/learned_limits.h"
#include "rig/mirror.h"

namespace pelt::cli {
namespace {

/// `--fold-keys MM[,DEGREES]` or `--fold-keys P%[,DEGREES]`.
struct FoldKeysFlag {
  double distance = 0.1;  ///< millimetres, or percent of the diagonal
  bool percent = false;
  double degrees = 0.1;
};

/// `--rename-joint OLD=NEW`: split at the last equals sign, as `--set` is.
struct RenameFlag {
  std::string joint;
  std::string name;
};

struct ConvertOptions {
  EvaluationOptions evaluation;  ///< influences, threshold and format of weights are those of its skinning settings
  std::string output;
  bool embed = false;
  std::string inverse_binds = "keep";  ///< or "rebuild"
  std::string rotations = "float";     ///< or "16bit"
  rig::Conversion conversion;          ///< but for the binds
  std::optional<FoldKeysFlag> fold_keys;
  bool strip_channels = false;
  std::vector<RenameFlag> renames;
  std::vector<std::string> only_clips;
  bool learn_limits = false;
  bool mirror_limits = false;  ///< to the other side, where the clips tell nothing of that
  gltf::ExportOptions format;  ///< but for the form and the rotations, until check_convert()
};

Result<FoldKeysFlag> parse_fold_keys(std::string_view text) {
  FoldKeysFlag flag;
  const std::size_t comma = std::min(text.find(','), text.size());
  std::string_view distance = text.substr(0, comma);
  flag.percent = distance.ends_with('%');
  distance.remove_suffix(flag.percent ? 1 : 0);
  const std::optional<double> length = parse_number(distance);
  const std::optional<double> degrees =
      comma < text.size() ? parse_number(text.substr(comma + 1)) : std::optional(flag.degrees);
  if (!length || !degrees || !(*length > 0 && *length <= 1e6) || !(*degrees > 0 && *degrees <= 180)) {
    return error("expected MM[,DEGREES] or P%[,DEGREES], both more than 0, got \"{}\"", printable(text));
  }
  flag.distance = *length;
  flag.degrees = *degrees;
  return flag;
}

Result<RenameFlag> parse_rename(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) {
    return error("expected OLD=NEW, got \"{}\"", printable(text));
  }
  return RenameFlag{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

// How it is stored.
void add_storage_flags(Command& verb, ConvertOptions& options) {
  verb.add_option("-o,--output", options.output,
                  "File to write; its ending chooses the form; - for a .glb on standard "
                  "output")
      ->type_name("OUT.{glb,gltf}")
      ->required();
  verb.add_flag("--embed", options.embed, "Everything in one .gltf instead of files beside it");
  verb.add_flag("--quantize", options.format.quantize,
                "Positions in 16 bits of their box, normals in 8 (KHR_mesh_quantization)");
  verb.add_flag("--meshopt", options.format.meshopt, "Compress without loss (EXT_meshopt_compression)");
  Option* fold_option = add_parsed_with<FoldKeysFlag>(
      verb, "--fold-keys", parse_fold_keys, [&](FoldKeysFlag flag) { options.fold_keys = flag; }, "MM[,DEGREES]",
      "Leave out the keys of clips that interpolation gives back: no vertex and no node's origin moves by more than MM "
      "millimetres (with a % sign: percent of the diagonal), no node turns by more than DEGREES (default 0.1). First "
      "and last keys stay");
  verb.add_flag("--strip-channels", options.strip_channels,
                "Leave out channels that keep their node where it rests, within --fold-keys")
      ->needs(fold_option);
  verb.add_option("--rotations", options.rotations, "Rotation keys in 32 or 16 bits (default float)")
      ->type_name("float|16bit")
      ->one_of({"float", "16bit"});
}

// What is changed, and what is evaluated.
void add_conversion_flags(Command& verb, ConvertOptions& options) {
  verb.add_flag("--strip-joints", options.conversion.strip_joints,
                "Take joints that no vertex follows out of the skins; they stay as nodes");
  add_repeated(verb, "--rename-joint", parse_rename, options.renames, "OLD=NEW",
               "Another name for a joint or node; an empty one takes it away, one that others have is said");
  verb.add_option("--only-clip", options.only_clips, "Write only that clip of the file; several times")
      ->type_name("NAME|INDEX");
  Option* learn_option = verb.add_flag(
      "--learn-limits", options.learn_limits,
      "Give joints the limits that the clips tell with a confidence of at least 50 %; they go into extras.pelt.dofs");
  verb.add_flag("--mirror-limits", options.mirror_limits,
                "Give the same to joints of the other side of which the clips tell too little")
      ->needs(learn_option);
  verb.add_flag("--bake-pose", options.conversion.bake_pose,
                "Make the pose that --clip, --time, --pose, --set and so on describe the rest pose");
  verb.add_option("--inverse-binds", options.inverse_binds,
                  "rebuild: bind the shape of the rest pose in the rest pose (default keep)")
      ->type_name("keep|rebuild")
      ->one_of({"keep", "rebuild"});
  verb.add_flag_callback(
      "--sort-influences", [] {}, "Heaviest influence first; always so, the flag is for scripts that want to say it");
  add_evaluation_flags(verb, options.evaluation);
  verb.footer(
      "--influences, --prune and --weights change what is written; weights sum to one unless --weights as-stored.\n"
      "What is not understood (extras, unknown extensions) is kept. Layers that --layer changes are written too, in\n"
      "extras.pelt, and count when Pelt opens the file.\n"
      "Examples:\n"
      "  pelt convert fox.glb -o fox.gltf\n"
      "  pelt convert fox.glb -o small.glb --influences 4 --weights 8bit --quantize --meshopt\n"
      "  pelt convert fox.glb -o small.glb --fold-keys 0.1 --rotations 16bit --meshopt\n"
      "  pelt convert fox.glb -o run.glb --only-clip Run\n"
      "  pelt convert fox.glb -o renamed.glb --rename-joint b_Head_05=head\n"
      "  pelt convert fox.glb -o sitting.glb --bake-pose --pose sit.json --inverse-binds rebuild");
}

// Says what follows from the flags together, too.
void check_convert(ConvertOptions& options) {
  options.conversion.rebuild_binds = options.inverse_binds == "rebuild";
  options.format.short_rotations = options.rotations == "16bit";
  const EvaluationOptions& evaluation = options.evaluation;
  options.format.form = form_of_output(options.output, options.embed);
  require(evaluation.skinning.weight_format != deform::WeightFormat::kPacked56, "--weights",
          "glTF has float, 16bit and 8bit");
  const bool poses = evaluation.clip || evaluation.time || evaluation.pose || evaluation.bind_pose ||
                     evaluation.zero_pose || !evaluation.sets.empty() || !evaluation.morphs.empty();
  require(options.conversion.bake_pose || !poses, "--clip, --time, --pose, --set, --bind-pose, --zero-pose, --morph",
          "need --bake-pose");
  require(!evaluation.stop_after, "--stop-after", "nothing is deformed here; see pelt bake");
  const deform::SkinningSettings defaults;
  require(!evaluation.backend_given && evaluation.skinning.method == defaults.method &&
              evaluation.skinning.normals == defaults.normals &&
              evaluation.skinning.palette_limit == defaults.palette_limit && evaluation.parameters.empty(),
          "--method, --backend, --normals, --palette, --parameter", "nothing is deformed here; see pelt bake");
  check_evaluation(evaluation);
  check_time(evaluation);
}

std::string clip_name(const rig::Character& character, int clip) {
  const std::string& name = character.clips[clip].name;
  return name.empty() ? fmt::format("clip {}", clip) : printable(name, 40);
}

/// Folds and rounds the keys of clips as asked, and says what that did to the whole posed shape.
rig::Character with_fewer_keys(const ConvertOptions& options, rig::Character character) {
  const bool folds = options.fold_keys.has_value();
  if (character.clips.empty() || (!folds && !options.format.short_rotations)) {
    return character;
  }
  ProgressLine line;
  const Progress progress = [&line](float fraction, std::string_view what) {
    line.show(fraction, what);
    return true;
  };
  rig::Character changed = character;
  if (folds) {
    const FoldKeysFlag& flag = *options.fold_keys;
    const double distance = flag.percent ? flag.distance / 100 * rest_diagonal(character) : flag.distance / 1000;
    // A character without extent has nothing that could move too far.
    const rig::KeyTolerance tolerance{distance > 0 ? distance : 1, flag.degrees * std::numbers::pi / 180};
    changed = rig::with_folded_keys(character, tolerance, options.strip_channels, progress);
  }
  if (options.format.short_rotations) {
    changed = rig::with_short_rotations(changed);
  }
  const rig::ClipError error = rig::clip_error(character, changed, progress);
  line.clear();
  const double diagonal = rest_diagonal(character);
  std::string text = fmt::format("clips: {} of {} keys and {} of {} channels are left", rig::key_count(changed),
                                 rig::key_count(character), rig::channel_count(changed), rig::channel_count(character));
  text += error.clip < 0
              ? ", nothing moves"
              : fmt::format(", the shape moves by at most {:.3g} mm ({:.2g} % of the diagonal; {} at {:.4g} s)",
                            error.distance * 1000, diagonal > 0 ? error.distance / diagonal * 100 : 0.0,
                            clip_name(character, error.clip), error.time);
  print_note(text + fmt::format(", nodes turn by at most {:.3g} degrees", error.angle * 180 / std::numbers::pi));
  return changed;
}

// In the order given, so that names may be exchanged by way of a third one.
Status rename_joints(edit::Document& document, std::span<const RenameFlag> renames) {
  for (const RenameFlag& flag : renames) {
    const Result<int> joint = resolve_joint(document.character->skeleton, flag.joint);
    if (!joint) {
      return error("--rename-joint: {}", joint.error().message);
    }
    const edit::RenameJoint change{*joint, flag.name};
    if (const std::string remark = edit::notice(document, change); !remark.empty()) {
      print_note(fmt::format("{}: {}", printable(edit::label(document, change)), printable(remark, 400)));
    }
    edit::apply(document, {change, "", false});
  }
  return {};
}

// What is written of the clips: all, or those that were named. Layers of the others go from the content.
Result<rig::Character> with_only_clips(rig::Character character, std::span<const std::string> names,
                                       edit::Content& content) {
  std::vector<int> clips;
  for (const std::string& name : names) {
    const Result<int> clip = resolve_clip(character, name);
    if (!clip) {
      return error("--only-clip: {}", clip.error().message);
    }
    clips.push_back(*clip);
  }
  if (names.empty()) {
    return character;
  }
  std::vector<std::string> lost;
  content = edit::with_layers_of_clips(std::move(content), clips, lost);
  for (const std::string& what : lost) {
    print_note(what + " is left out with its clip");
  }
  return rig::with_clips(std::move(character), clips);
}

/// The limits that clips tell, in one step of the document, and what was learned in one line.
void learn_limits(edit::Document& document, bool mirror) {
  const auto character = document.character;  // as the clips are judged by
  const int count = character->skeleton->size();
  edit::SetSlidersOfJoints learned;
  std::vector<char> is_limited(count, 0);
  double sum = 0;
  double least = 1;
  int numbers = 0;
  for (int j = 0; j < count; ++j) {
    const rig::JointDofs dofs = edit::joint_dofs(document, j);
    const rig::LearnedLimits told = rig::learn_limits(*character, j, dofs);
    for (const rig::LearnedDof& dof : told.dofs) {
      if (dof.confidence >= rig::kTrustedConfidence) {
        is_limited[j] = 1;
        sum += static_cast<double>(dof.confidence);
        least = std::min(least, static_cast<double>(dof.confidence));
        ++numbers;
      }
    }
    if (is_limited[j] != 0) {
      learned.joints.push_back({j, rig::with_limits(dofs, told)});
    }
  }
  const std::size_t told = learned.joints.size();
  edit::apply(document, {std::move(learned), "", false});
  edit::SetSlidersOfJoints mirrored;
  const std::vector<int> partners = rig::mirrored_joints(character->skeleton);
  const rig::Mirror across(*document.character);
  for (int j = 0; mirror && j < count; ++j) {
    const int partner = partners[j];
    if (is_limited[j] != 0 && partner >= 0 && is_limited[partner] == 0 && partners[partner] == j) {
      mirrored.joints.push_back({partner, rig::mirrored_dofs(across, document.character->skeleton, j, partner,
                                                             edit::joint_dofs(document, j))});
    }
  }
  const std::size_t copied = mirrored.joints.size();
  edit::apply(document, {std::move(mirrored), "", false});
  print_note(numbers == 0
                 ? fmt::format("the clips tell too little of all {} joints to take limits from them", count)
                 : fmt::format("{} of {} joints got limits from {} clip(s), with a confidence of {:.0f} % on "
                               "average and {:.0f} % at least{}",
                               told, count, character->clips.size(), 100 * sum / numbers, 100 * least,
                               copied > 0 ? fmt::format("; {} more got those of their other side", copied) : ""));
}

Result<int> run_convert(const ConvertOptions& options) {
  PELT_TRY(check_output(options.output, options.evaluation));
  PELT_TRY_TO(edit::Document document, open_document(options.evaluation));
  PELT_TRY(rename_joints(document, options.renames));
  if (options.learn_limits) {
    learn_limits(document, options.mirror_limits);
  }
  const deform::SkinningSettings& skinning = options.evaluation.skinning;
  rig::Conversion conversion = options.conversion;
  conversion.influence_limit = skinning.influence_limit;
  conversion.prune_threshold = skinning.prune_threshold;
  float dropped = 0;
  PELT_TRY_TO(rig::Character made,
              rig::converted(*document.character, conversion, edit::evaluate_pose(document), &dropped));
  if (deform::has_cages(*document.character) && !deform::has_cages(made)) {
    print_note(
        "control points are given up: bound in another pose they would make another shape than the mesh has there");
  }
  if (dropped > 0) {
    print_note(fmt::format("some vertex lost {:.3g} of its weights, none lost more", dropped));
  }
  edit::Content written = document.content;
  PELT_TRY_TO(rig::Character of_clips, with_only_clips(std::move(made), options.only_clips, written));
  rig::Character character = with_fewer_keys(options, std::move(of_clips));
  if (const Status layers = edit::put_layers(character, written); !layers) {
    print_note(layers.error().message);
  }
  gltf::ExportOptions how = options.format;
  how.weights = skinning.weight_format;
  how.sums_as_stored = skinning.weights_as_stored;
  PELT_TRY(write_character(*document.character, character, options.output, how));
  return 0;
}

}  // namespace

Verb add_convert_verb(Command& verb) {
  const auto options = std::make_shared<ConvertOptions>();
  options->evaluation.decode_images = false;
  add_file_argument(verb, options->evaluation, true);
  add_storage_flags(verb, *options);
  add_conversion_flags(verb, *options);
  return {[options] { check_convert(*options); }, [options](const Surroundings&) { return run_convert(*options); }};
}

}  // namespace pelt::cli
