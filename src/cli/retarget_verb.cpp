#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/parsed_option.h"
#include "cli/verbs.h"
#include "cli/write_character.h"
#include "core/file.h"
#include "core/index.h"
#include "core/text.h"
#include "edit/file_layers.h"
#include "formats/bvh.h"
#include "formats/bvh_writer.h"
#include "formats/open.h"
#include "motion/certificate.h"
#include "motion/retarget.h"
#include "motion/vrm_animation.h"

namespace pelt::cli {
namespace {

using RetargetJson = nlohmann::ordered_json;

template <typename T>
struct RetargetWord {
  const char* word;
  T value;
};
constexpr std::array kAlignmentWords = {RetargetWord<motion::Alignment>{"none", motion::Alignment::kNone},
                                        RetargetWord<motion::Alignment>{"limbs", motion::Alignment::kLimbs},
                                        RetargetWord<motion::Alignment>{"all", motion::Alignment::kAll}};
constexpr std::array kUpWords = {RetargetWord<motion::UpAxis>{"auto", motion::UpAxis::kFromShape},
                                 RetargetWord<motion::UpAxis>{"x", motion::UpAxis::kX},
                                 RetargetWord<motion::UpAxis>{"y", motion::UpAxis::kY},
                                 RetargetWord<motion::UpAxis>{"z", motion::UpAxis::kZ}};

struct RetargetOptions {
  EvaluationOptions evaluation;    ///< of the character
  std::vector<std::string> files;  ///< the motions, and the character last
  std::string output;
  bool embed = false;
  std::optional<std::string> map;
  std::optional<std::string> write_map;
  std::optional<std::string> motion_clip;
  std::string align = "limbs";
  std::string up = "auto";
  std::optional<double> scale;  ///< metres per unit of a BVH file
  motion::RetargetSettings settings;
  bool json = false;

  [[nodiscard]] std::size_t motions() const { return files.size() - 1; }
};

/// One motion on the character.
struct RetargetedMotion {
  std::string name;   ///< of the file, as it is shown
  std::string notes;  ///< what the source's skeleton made necessary
  rig::Clip clip;
  motion::Certificate certificate;
  std::string output;  ///< where it is written to
};

template <typename T, std::size_t N>
T value_of_word(const std::array<RetargetWord<T>, N>& words, const std::string& word) {
  const auto found = std::ranges::find_if(words, [&](const RetargetWord<T>& one) { return word == one.word; });
  return found == words.end() ? words.front().value : found->value;
}

template <typename T, std::size_t N>
std::vector<std::string> words_of(const std::array<RetargetWord<T>, N>& words) {
  std::vector<std::string> out;
  for (const RetargetWord<T>& one : words) {
    out.emplace_back(one.word);
  }
  return out;
}

Result<double> parse_positive(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value || !(*value > 0 && *value <= 1e6)) {
    return error("expected a number above 0, got \"{}\"", printable(text));
  }
  return *value;
}

Result<double> parse_seconds(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value) {
    return error("expected a number of seconds, got \"{}\"", printable(text));
  }
  return *value;
}

Result<std::shared_ptr<const rig::Character>> open_motion(const RetargetOptions& options, const std::string& file) {
  if (options.scale) {
    PELT_TRY_TO(const std::string text, read_file(file));
    note_read(file, "the input");
    PELT_TRY_TO(rig::Character read, formats::import_bvh(text, file, options.scale));
    return std::make_shared<const rig::Character>(std::move(read));
  }
  EvaluationOptions opening = options.evaluation;
  opening.file = file;
  return open_character_file(opening);
}

Result<int> motion_clip(const RetargetOptions& options, const rig::Character& motion) {
  if (motion.clips.empty()) {
    return error("there is no motion in it");
  }
  return options.motion_clip ? resolve_clip(motion, *options.motion_clip) : Result<int>(0);
}

Result<motion::JointMap> joint_map_of(const RetargetOptions& options, const motion::RetargetRig& source,
                                      const motion::RetargetRig& target) {
  if (!options.map) {
    return motion::make_joint_map(source, target);
  }
  PELT_TRY_TO(const std::string text, read_file(*options.map));
  note_read(*options.map, "the joint map");
  Result<motion::JointMap> map = motion::read_joint_map(text, source.character.skeleton, target.character.skeleton);
  return map ? std::move(map) : map.error().in(*options.map);
}

Result<RetargetedMotion> retarget_motion(const RetargetOptions& options, const std::string& file,
                                         const motion::RetargetRig& target) {
  RetargetedMotion out;
  out.name = file.starts_with('@') ? file : printable(std::filesystem::path(file).filename().string(), 200);
  PELT_TRY_TO(const auto motion, open_motion(options, file));
  PELT_TRY_TO(const int clip, motion_clip(options, *motion));
  PELT_TRY_TO(const motion::RetargetRig source, motion::source_rig(*motion, clip, options.settings));
  for (const Diagnostic& one : motion->diagnostics) {
    out.notes += one.code == "unit" ? one.message : "";
  }
  out.notes += (out.notes.empty() || source.note.empty() ? "" : "; ") + source.note;
  PELT_TRY_TO(const motion::JointMap map, joint_map_of(options, source, target));
  if (options.write_map) {
    PELT_TRY(
        write_output(*options.write_map, motion::to_json(map, source.character.skeleton, target.character.skeleton)));
  }
  ProgressLine line;
  PELT_TRY_TO(motion::Retargeted made,
              motion::retarget(source, target, map, options.settings, [&](float fraction, std::string_view what) {
                line.show(fraction, what);
                return true;
              }));
  out.certificate = motion::certify(source, target, map, made);
  out.clip = std::move(made.clip);
  if (out.clip.name.empty()) {
    out.clip.name = single_line(std::filesystem::path(file).stem().string(), 200);
  }
  return out;
}

// The new clips come first, in the order of the motions; what the file said of its own clips moves along.
rig::Character with_clips(const rig::Character& read, const std::vector<const rig::Clip*>& clips) {
  rig::Character out = read;
  SharedList<rig::Clip> all;
  for (const rig::Clip* clip : clips) {
    all.push_back(*clip);
  }
  for (std::size_t c = 0; c < read.clips.size(); ++c) {
    all.push_back(read.clips[c]);
  }
  out.clips = std::move(all);
  constexpr std::string_view kPlace = "/animations/";
  for (std::size_t n = 0; n < read.kept.size(); ++n) {
    const std::string& place = read.kept[n].place;
    const std::size_t at = place.find(kPlace);
    if (at == std::string::npos) {
      continue;
    }
    const std::size_t digits = at + kPlace.size();
    const std::size_t end = std::min(place.find('/', digits), place.size());
    if (const std::optional<int> number = parse_integer(std::string_view(place).substr(digits, end - digits))) {
      out.kept.edit()[n].place =
          fmt::format("{}{}{}", place.substr(0, digits), *number + static_cast<int>(clips.size()), place.substr(end));
    }
  }
  return out;
}

Status write_motions(const RetargetOptions& options, const edit::Document& document,
                     const std::vector<const rig::Clip*>& clips, const std::string& output) {
  rig::Character character = with_clips(*document.character, clips);
  if (extension_of(output) == "bvh") {
    PELT_TRY_TO(const std::string text, formats::bvh_text(character, 0));
    return write_output(output, text);
  }
  gltf::ExportOptions how;
  if (extension_of(output) == "vrma") {
    PELT_TRY_TO(const motion::RetargetRig moved, motion::source_rig(character, 0, {}));
    PELT_TRY_TO(const rig::Character animation, motion::make_vrm_animation(moved));
    how.stem = std::filesystem::path(output).stem().string();
    return write_character(*document.character, animation, output, how);
  }
  if (const Status layers = edit::put_layers(character, document.content); !layers) {
    print_note(layers.error().message);
  }
  how.form = form_of_output(output, options.embed);
  how.stem = std::filesystem::path(output).stem().string();
  return write_character(*document.character, character, output, how);
}

bool is_folder_output(const RetargetOptions& options) {
  return options.output != "-" && extension_of(options.output).empty();
}

/// One for each motion: all the same file, or files of the output's folder that are named after the motions.
Result<std::vector<std::string>> output_names(const RetargetOptions& options) {
  std::vector<std::string> out;
  for (std::size_t n = 0; n < options.motions(); ++n) {
    std::string name = options.output;
    if (is_folder_output(options)) {
      const std::string stem = std::filesystem::path(options.files[n]).stem().string();
      name = (std::filesystem::path(options.output) / (stem.substr(stem.starts_with('@') ? 1 : 0) + ".glb")).string();
      if (const auto same = std::ranges::find(out, name); same != out.end()) {
        return error("{}: {} and {} would both be written there", printable(name, 200),
                     printable(options.files[same - out.begin()], 200), printable(options.files[n], 200));
      }
    }
    out.push_back(std::move(name));
  }
  return out;
}

std::string report_of_motions(const RetargetOptions& options, const std::vector<RetargetedMotion>& motions,
                              const std::string& character) {
  if (!options.json) {
    std::string text;
    for (const RetargetedMotion& one : motions) {
      text += fmt::format("{} on {}: {}\n", one.name, printable(character, 200), printable(one.clip.name, 200));
      text += one.notes.empty() ? "" : fmt::format("  {}\n", printable(one.notes, 400));
      text += motion::summary_text(one.certificate);
    }
    return text;
  }
  RetargetJson rows = RetargetJson::array();
  for (const RetargetedMotion& one : motions) {
    RetargetJson row = {{"motion", one.name}, {"clip", one.clip.name}};
    row["output"] = std::filesystem::path(one.output).filename().string();
    row["certificate"] = RetargetJson::parse(motion::to_json(one.certificate));
    rows.push_back(std::move(row));
  }
  const RetargetJson json = {{"character", character}, {"retargets", std::move(rows)}};
  return json.dump(2, ' ', false, RetargetJson::error_handler_t::replace) + "\n";
}

Result<int> run_retarget(const RetargetOptions& asked) {
  RetargetOptions options = asked;
  options.settings.alignment = value_of_word(kAlignmentWords, options.align);
  options.settings.up = value_of_word(kUpWords, options.up);
  options.evaluation.file = options.files.back();
  PELT_TRY_TO(const std::vector<std::string> outputs, output_names(options));
  for (std::size_t n = 0; n < options.motions(); ++n) {
    if (!options.files[n].starts_with('@')) {
      note_read(options.files[n], "the motion");
    }
  }
  if (options.map) {
    note_read(*options.map, "the joint map");
  }
  if (is_folder_output(options)) {
    std::error_code failure;
    std::filesystem::create_directories(options.output, failure);
    if (failure) {
      return error("{}: {}", printable(options.output, 200), failure.message());
    }
  }
  for (const std::string& output : outputs) {
    PELT_TRY(check_output(output, options.evaluation));
  }
  PELT_TRY_TO(const edit::Document document, open_document(options.evaluation));
  const motion::RetargetRig target = motion::target_rig(*document.character);
  std::vector<RetargetedMotion> motions;
  for (std::size_t n = 0; n < options.motions(); ++n) {
    Result<RetargetedMotion> made = retarget_motion(options, options.files[n], target);
    if (!made) {
      return made.error().in(printable(options.files[n], 200));
    }
    made->output = outputs[n];
    motions.push_back(*std::move(made));
  }
  std::vector<const rig::Clip*> together;
  for (const RetargetedMotion& one : motions) {
    together.push_back(&one.clip);
    if (is_folder_output(options)) {
      PELT_TRY(write_motions(options, document, {&one.clip}, one.output));
    }
  }
  if (!is_folder_output(options)) {
    PELT_TRY(write_motions(options, document, together, options.output));
  }
  if (options.output != "-") {
    PELT_TRY(print_result(report_of_motions(options, motions, shown_name(options.evaluation)), form_of(options.json)));
  }
  return 0;
}

void add_retarget_flags(Command& verb, RetargetOptions& options) {
  verb.add_option(
          "-o,--output", options.output,
          "File to write, with the motions as its first clips: its ending chooses the form, .bvh and .vrma a "
          "skeleton without a mesh; a name without an ending is a folder with a .glb for each motion; - for a .glb on "
          "standard output")
      ->type_name("OUT.{glb,gltf,bvh,vrma}|FOLDER")
      ->required();
  verb.add_flag("--embed", options.embed, "Everything in one .gltf instead of files beside it");
  verb.add_option("--map", options.map, "Which joint follows which, as --write-map writes it")->type_name("MAP.json");
  verb.add_option("--write-map", options.write_map, "Write the joint map that was used, to be changed by hand")
      ->type_name("MAP.json");
  verb.add_option("--motion-clip", options.motion_clip, "Clip of the motion (default: its first)")
      ->type_name("NAME|INDEX");
  verb.add_flag("--hold-feet", options.settings.hold_feet,
                "Hold the feet where they stand in the motion; the root's way over the ground is fitted to the legs");
  verb.add_option("--align", options.align,
                  "What of the character's rest pose is turned to match the motion's first (default limbs)")
      ->type_name("none|limbs|all")
      ->one_of(words_of(kAlignmentWords));
  add_parsed_with<double>(
      verb, "--reference", parse_seconds, [&](double seconds) { options.settings.reference_time = seconds; }, "SECONDS",
      "The moment of the motion that matches the character's rest pose (default: the motion's own rest pose)");
  verb.add_option("--up", options.up, "The axis of the motion that is up (default auto: along its body)")
      ->type_name("auto|x|y|z")
      ->one_of(words_of(kUpWords));
  add_parsed_with<double>(
      verb, "--scale", parse_positive, [&](double metres) { options.scale = metres; }, "METRES",
      "What a unit of a BVH file is (default: guessed from the size of a person)");
  add_parsed_with<double>(
      verb, "--rate", parse_positive, [&](double rate) { options.settings.rate = rate; }, "HZ",
      "Keys a second (default: the motion's own moments)");
  verb.add_flag("--json", options.json, "Certificates for programs; see src/cli/machine_output.md");
  verb.footer(
      "Prints a certificate for each motion: how well limbs point as in the motion, how far feet slide, and more.\n"
      "Examples:\n"
      "  pelt retarget walk.bvh knight.glb -o walking.glb --hold-feet\n"
      "  pelt retarget walk.bvh run.bvh knight.glb -o moves.glb --json\n"
      "  pelt retarget dance.glb knight.glb -o dance.glb --write-map map.json\n"
      "  pelt retarget takes/one.bvh takes/two.bvh knight.glb -o folder");
}

}  // namespace

Verb add_retarget_verb(Command& verb) {
  const auto options = std::make_shared<RetargetOptions>();
  options->evaluation.decode_images = false;
  add_files_argument(verb, options->files, options->evaluation);
  add_retarget_flags(verb, *options);
  return {[options] {
            require(options->files.size() >= 2, "FILE",
                    fmt::format("expected one or more motions and a character, got {}",
                                options->files.empty() ? "nothing" : "one file"));
            require(!options->scale ||
                        std::ranges::all_of(options->files.begin(), options->files.end() - 1,
                                            [](const std::string& file) { return extension_of(file) == "bvh"; }),
                    "--scale", "needs motions that are BVH files");
            const std::string ending = extension_of(options->output);
            const bool is_motion = ending == "bvh" || ending == "vrma";
            require(!is_motion || options->motions() == 1, "--output", "a ." + ending + " holds one motion");
            if (!is_folder_output(*options) && !is_motion) {
              form_of_output(options->output, options->embed);
            }
          },
          [options](const Surroundings&) { return run_retarget(*options); }};
}

}  // namespace pelt::cli
