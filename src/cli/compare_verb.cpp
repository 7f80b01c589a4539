#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/compare_options.h"
#include "cli/compare_poses.h"
#include "cli/compare_report.h"
#include "cli/compare_runner.h"
#include "cli/open.h"
#include "cli/output.h"
#include "cli/parsed_option.h"
#include "cli/shape.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "deform/skinning_methods.h"

namespace pelt::cli {
namespace {

/// What is read before it is known what it means together.
struct CompareFlags {
  CompareOptions options;
  std::optional<PaneFlag> a, b;
  std::string battery;  ///< "true" where the flag stands alone
};

/// Sides of a comparison, separated by commas, each as parse_pane() takes it; for METHOD may stand `all`.
Result<std::vector<PaneFlag>> parse_sides(std::string_view text) {
  std::vector<PaneFlag> sides;
  for (const std::string_view piece : split(text, ',')) {
    const std::string_view method = piece.substr(0, piece.find(':'));
    const std::string rest(piece.substr(method.size()));
    std::vector<std::string> wanted = {std::string(piece)};
    if (method == "all") {
      wanted.clear();
      for (const deform::SkinningMethod& row : deform::skinning_methods()) {
        wanted.push_back(std::string(row.id) + rest);
      }
    }
    for (const std::string& one : wanted) {
      PELT_TRY_TO(const PaneFlag side, parse_pane(one));
      sides.push_back(side);
    }
  }
  if (sides.empty()) {
    return error("expected all or methods separated by commas, got \"{}\"", printable(text));
  }
  return sides;
}

Result<StrainsAgainst> parse_strains_against(std::string_view text) {
  if (text == "bind" || text == "reference") {
    return text == "bind" ? StrainsAgainst::kBind : StrainsAgainst::kReference;
  }
  return error("expected bind or reference, got \"{}\"", printable(text));
}

Result<SweepFlag> parse_sweep(std::string_view text) {
  const Error wrong = error("expected JOINT.DOF=FROM:TO[:STEPS], got \"{}\"", printable(text));
  const std::size_t equals = text.rfind('=');
  const std::size_t dot = equals == std::string_view::npos ? equals : text.substr(0, equals).rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == equals) {
    return wrong;
  }
  const std::vector<std::string_view> range = split(text.substr(equals + 1), ':');
  if (range.size() < 2 || range.size() > 3) {
    return wrong;
  }
  SweepFlag flag{std::string(text.substr(0, dot)), std::string(text.substr(dot + 1, equals - dot - 1))};
  const std::optional<double> from = parse_number(range[0]);
  const std::optional<double> to = parse_number(range[1]);
  if (!from || !to) {
    return wrong;
  }
  flag.from = *from;
  flag.to = *to;
  if (range.size() == 3) {
    const std::optional<int> steps = parse_integer(range[2]);
    if (!steps || *steps < 2 || *steps > 100'000) {
      return error("expected from 2 to 100000 steps, got \"{}\"", printable(range[2]));
    }
    flag.steps = *steps;
  }
  return flag;
}

void add_side_flags(Command& verb, CompareFlags& flags) {
  const std::string side_form = "METHOD[:BACKEND[:NORMALS[:INFLUENCES[:REFINE]]]]";
  Option* option_a = add_parsed_with<PaneFlag>(
      verb, "--a", parse_pane, [&](PaneFlag side) { flags.a = side; }, side_form,
      "First side; the backend is cpu unless given, what else is not said is as --normals and --influences say");
  Option* option_b = add_parsed_with<PaneFlag>(
      verb, "--b", parse_pane, [&](PaneFlag side) { flags.b = side; }, side_form, "Second side");
  Option* methods = add_parsed<std::vector<PaneFlag>>(
      verb, "--methods", parse_sides, flags.options.sides, "all|METHOD,...",
      "Instead of --a and --b: any number of sides, measured against lbs where it is among them, else the first");
  methods->excludes(option_a)->excludes(option_b);
  add_parsed_with<PaneFlag>(
      verb, "--reference", parse_pane, [&](PaneFlag side) { flags.options.reference = side; }, side_form,
      "Which of --methods the others are measured against")
      ->needs(methods);
  add_parsed<StrainsAgainst>(
      verb, "--against", parse_strains_against, flags.options.against, "bind|reference",
      "What edge strain, area strain and volume change are measured against: the bind shape (default), or --a or "
      "--reference");
}

void add_pose_set_flags(Command& verb, CompareFlags& flags) {
  verb.add_word_flag(
          "--battery", flags.battery,
          "Each degree of freedom at both limits, the clips' extremes and random poses (24 unless --random "
          "says how many); lists the worst joints and names the method that keeps the volume best. --battery=clips: "
          "40 moments of the file's own clips instead")
      ->type_name("[=standard|clips]");
  add_parsed_with<SweepFlag>(
      verb, "--sweep", parse_sweep, [&](SweepFlag sweep) { flags.options.sweep = std::move(sweep); },
      "JOINT.DOF=FROM:TO[:STEPS]", "One degree of freedom from one value to another (degrees, metres), both included");
  verb.add_option("--poses", flags.options.poses, "Every pose file (.json) in a folder")->type_name("FOLDER");
  add_random_flags(verb, flags.options.random);
  add_parsed_with<FrameRange>(
      verb, "--frames", parse_frames, [&](FrameRange frames) { flags.options.frames = frames; }, "all|N|A:B[:FPS]",
      "Moments of the clip (default: all of it at 30 per second, unless --time is given)");
  verb.add_option("--ring", flags.options.ring, "Measure the ring of skin at this joint (default: the one swept)")
      ->type_name("JOINT");
  verb.add_flag("--intersections", flags.options.intersections, "Count the triangles that cut through each other");
  Option* json_flag = verb.add_flag("--json", flags.options.json, "For programs; see src/cli/machine_output.md");
  verb.add_option("--csv", flags.options.csv, "One line per pose and method; - for standard output")
      ->type_name("FILE")
      ->excludes(json_flag);
  add_evaluation_flags(verb, flags.options.evaluation);
  verb.footer(
      "Sets of poses add up. Examples:\n"
      "  pelt compare fox.glb --a lbs:cpu --b lbs:gpu --clip Walk\n"
      "  pelt compare fox.glb --a lbs:cpu:d --b lbs:cpu:d:4 --clip Walk\n"
      "  pelt compare @mannequin --methods all --battery\n"
      "  pelt compare fox.glb --methods all --battery=clips\n"
      "  pelt compare @cylinder --methods all --sweep tip.twist=0:180:7 --csv twist.csv\n"
      "  pelt compare @mannequin --a rigid --b lbs --random 100 --seed 7 --json");
}

// Works out what the flags mean together.
void check_compare(CompareFlags& flags) {
  CompareOptions& options = flags.options;
  check_evaluation(options.evaluation);
  check_time(options.evaluation);
  require(!options.frames || !options.evaluation.time, "--frames", "excludes --time");
  options.pair = options.sides.empty();
  if (options.pair) {
    if (!flags.a || !flags.b) {
      throw UsageError(std::string(flags.a ? "--b" : "--a") + " is required");
    }
    options.sides = {*flags.a, *flags.b};
  }
  options.battery = !flags.battery.empty() && flags.battery != "false";
  options.battery_of_clips = flags.battery == "clips";
  require(!options.battery || options.battery_of_clips || flags.battery == "true" || flags.battery == "standard",
          "--battery", fmt::format("expected standard or clips, got \"{}\"", printable(flags.battery)));
}

/// What the others are measured against: the one asked for, else linear blending where it is among them, else the
/// first.
Result<std::size_t> reference_of(const CompareOptions& options) {
  const auto begin = options.sides.begin();
  const auto row = [&](auto found) { return static_cast<std::size_t>(found - begin); };
  if (options.reference) {
    const PaneFlag& wanted = *options.reference;
    const auto same = [](const auto& asked, const auto& said) { return !asked || asked == said; };
    const auto fits = [&](const PaneFlag& side) {
      return side.method == wanted.method &&
             side.backend.value_or(deform::Backend::kCpu) == wanted.backend.value_or(deform::Backend::kCpu) &&
             same(wanted.normals, side.normals) && same(wanted.influences, side.influences) &&
             same(wanted.refine, side.refine);
    };
    const auto first = std::ranges::find_if(options.sides, fits);
    if (first == options.sides.end()) {
      return error("--reference: is none of the methods compared");
    }
    // The one that says no more than was asked for, else the only one.
    const auto alike = std::ranges::find_if(options.sides, [&](const PaneFlag& side) {
      return fits(side) && side.normals == wanted.normals && side.influences == wanted.influences &&
             side.refine == wanted.refine;
    });
    if (alike == options.sides.end() && std::ranges::count_if(options.sides, fits) > 1) {
      return error("--reference: fits several of the methods compared; name its normals or influences, too");
    }
    return row(alike == options.sides.end() ? first : alike);
  }
  const auto linear = std::ranges::find(options.sides, deform::find_method("lbs"), &PaneFlag::method);
  return options.pair || linear == options.sides.end() ? std::size_t{0} : row(linear);
}

/// What the sides are under the document's settings.
std::vector<ComparedSide> sides_of(const CompareOptions& options, deform::SkinningSettings settings) {
  settings.backend = deform::Backend::kCpu;
  std::vector<ComparedSide> sides;
  for (const PaneFlag& flag : options.sides) {
    ComparedSide side{with_pane(settings, flag), {}, {}};
    const deform::SkinningMethod& method = deform::skinning_methods()[flag.method];
    const bool gpu = side.settings.backend == deform::Backend::kGpu;
    side.id = fmt::format("{}:{}", method.id, gpu ? "gpu" : "cpu");
    side.label = fmt::format("{}, {}", method.label, gpu ? "GPU" : "CPU");
    if (flag.normals) {
      side.id += fmt::format(":{}", deform::letter_of(*flag.normals));
      side.label += fmt::format(", normals {}", deform::letter_of(*flag.normals));
    }
    if (flag.influences) {
      side.id += fmt::format(":{}", *flag.influences);
      side.label += *flag.influences == 0
                        ? std::string(", all influences")
                        : fmt::format(", {} influence{}", *flag.influences, *flag.influences == 1 ? "" : "s");
    }
    sides.push_back(std::move(side));
  }
  return sides;
}

// Says what the flags ask for and what nothing comes of.
void note_what_changes_nothing(const CompareOptions& options, const std::vector<ComparedSide>& sides,
                               const rig::Character& character) {
  std::vector<int> rows;
  std::vector<deform::SkinningSettings> settings;
  for (const ComparedSide& side : sides) {
    rows.push_back(side.settings.method);
    settings.push_back(side.settings);
  }
  note_unread_parameters(options.evaluation, rows);
  note_left_out(character, settings);
}

// The ring of skin that is measured in each pose: the one asked for, else that of the swept joint, where it has one.
Status choose_ring(const CompareOptions& options, int swept_joint, const rig::Character& character,
                   CompareRunner& runner, Comparison& out) {
  if (!options.ring && swept_joint < 0) {
    return {};
  }
  const Result<int> joint = options.ring ? resolve_joint(character.skeleton, *options.ring) : Result<int>(swept_joint);
  if (!joint) {
    return joint.error().in("--ring");
  }
  Result<measure::Ring> ring = runner.meter().ring(*joint);
  if (!ring) {
    return options.ring ? Status(ring.error().in("--ring")) : Status();
  }
  out.ring_joint = character.skeleton->label(*joint);
  out.ring_rest = runner.meter().bind_radius(*ring).mean;
  runner.set_ring(*std::move(ring));
  return {};
}

Status measure_poses(const ComparedPoses& poses, const edit::Document& document, CompareRunner& runner) {
  if (poses.poses.empty()) {
    return runner.add(document, "pose", std::nullopt);
  }
  ProgressLine line;
  for (std::size_t p = 0; p < poses.poses.size(); ++p) {
    line.show(static_cast<float>(p) / static_cast<float>(poses.poses.size()), "measuring poses");
    const edit::TrialPose& pose = poses.poses[p];
    if (Status added = runner.add(edit::posed(document, pose), pose.label, poses.value(p)); !added) {
      return added;
    }
  }
  return {};
}

Status compare_poses(const CompareOptions& options, const edit::Document& document, Comparison& out) {
  const rig::Character& character = *document.character;
  std::unique_ptr<render::GpuSkinner> gpu;
  if (std::ranges::any_of(out.sides,
                          [](const ComparedSide& side) { return side.settings.backend == deform::Backend::kGpu; })) {
    auto made = render::GpuSkinner::create();
    if (!made) {
      return made.error().in("OpenGL");
    }
    gpu = *std::move(made);
  }
  PELT_TRY_TO(const ComparedPoses poses, compared_poses(options, document));
  CompareRunner runner(options, out.sides, out.reference, document, gpu.get());
  runner.prepare(document);
  if (Status chosen = choose_ring(options, poses.swept_joint, character, runner, out); !chosen) {
    return chosen;
  }
  if (Status measured = measure_poses(poses, document, runner); !measured) {
    return measured;
  }
  out.poses = runner.take_poses();
  if (options.battery) {
    out.battery = runner.take_battery();
  }
  return {};
}

Status write_comparison(const CompareOptions& options, const Comparison& comparison, const rig::Character& character) {
  if (!options.csv.empty()) {
    Status written = write_output(options.csv, csv_of(comparison, character));
    if (!written || options.csv == "-") {
      return written;
    }
  }
  return print_result(options.json ? json_of(comparison, character) : text_of(comparison, character),
                      form_of(options.json));
}

Result<int> run_compare(const CompareOptions& options) {
  PELT_TRY_TO(const edit::Document document, open_document(options.evaluation));
  const rig::Character& character = *document.character;
  if (options.frames && document.content.clip < 0) {
    return error("--frames: needs a clip; choose one with --clip");
  }
  PELT_TRY_TO(const std::size_t reference, reference_of(options));
  Comparison out;
  out.sides = sides_of(options, document.content.skinning);
  out.pair = options.pair;
  out.against = options.against;
  out.reference = reference;
  out.diagonal = rest_diagonal(character);
  if (options.sweep) {
    out.swept = fmt::format("{}.{}", printable(options.sweep->joint), printable(options.sweep->dof));
  }
  note_what_changes_nothing(options, out.sides, character);
  if (!options.csv.empty()) {
    PELT_TRY(check_output(options.csv, options.evaluation));
  }
  if (options.battery && character.skins.empty()) {
    print_note("--battery: the character has no skin; no joint has flesh around it to judge");
  }
  PELT_TRY(compare_poses(options, document, out));
  PELT_TRY(write_comparison(options, out, character));
  return 0;
}
}  // namespace

Verb add_compare_verb(Command& verb) {
  const auto flags = std::make_shared<CompareFlags>();
  flags->options.evaluation.decode_images = false;
  add_file_argument(verb, flags->options.evaluation, true);
  add_side_flags(verb, *flags);
  add_pose_set_flags(verb, *flags);
  return {[flags] { check_compare(*flags); }, [flags](const Surroundings&) { return run_compare(flags->options); }};
}

}  // namespace pelt::cli
