#include <algorithm>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "cli/open.h"
#include "cli/output.h"
#include "cli/shape.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "gltf/export.h"
#include "rig/clip_error.h"
#include "rig/conversions.h"
#include "rig/key_folding.h"

namespace pelt::cli {
namespace {

std::string clip_name(const rig::Character& character, int clip) {
  const std::string& name = character.clips[static_cast<std::size_t>(clip)].name;
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

}  // namespace

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

Result<int> run_convert(const ConvertOptions& options) {
  if (Status writable = check_output(options.output, options.evaluation); !writable) {
    return writable.error();
  }
  const Result<edit::Document> document = open_document(options.evaluation);
  if (!document) {
    return document.error();
  }
  const deform::SkinningSettings& skinning = options.evaluation.skinning;
  rig::Conversion conversion = options.conversion;
  conversion.influence_limit = skinning.influence_limit;
  conversion.prune_threshold = skinning.prune_threshold;
  float dropped = 0;
  Result<rig::Character> made =
      rig::converted(*document->character, conversion, edit::evaluate_pose(*document), &dropped);
  if (!made) {
    return made.error();
  }
  if (dropped > 0) {
    print_note(fmt::format("some vertex lost {:.3g} of its weights, none lost more", dropped));
  }
  const rig::Character character = with_fewer_keys(options, *std::move(made));
  gltf::ExportOptions how = options.format;
  how.weights = skinning.weight_format;
  how.sums_as_stored = skinning.weights_as_stored;
  Diagnostics notes;
  if (options.output == "-") {
    const Result<gltf::Exported> exported = gltf::export_character(character, how);
    if (!exported) {
      return exported.error();
    }
    notes = exported->notes;
    const std::vector<std::uint8_t>& bytes = exported->files.front().bytes;
    if (Status printed = print_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); !printed) {
      return printed.error();
    }
  } else {
    for (const ReadFile& file : noted_files()) {
      how.keep.push_back(file.path);
    }
    if (Status writable = check_output(options.output); !writable) {
      return writable.error();
    }
    if (Status written = gltf::export_file(character, options.output, how, &notes); !written) {
      return written.error();
    }
  }
  // What reading left out is not in the new file either.
  const auto& findings = document->character->diagnostics;
  const auto count = std::count_if(findings.begin(), findings.end(),
                                   [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::kInfo; });
  if (count > 0) {
    print_note(fmt::format("{} finding(s) on reading; `pelt lint` lists them", count));
  }
  for (const Diagnostic& note : notes) {
    print_note(fmt::format("{}: {}", note.place, note.message));
  }
  return 0;
}

}  // namespace pelt::cli
