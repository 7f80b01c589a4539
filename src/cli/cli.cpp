#include "cli/cli.h"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/parsed_option.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "core/version.h"
#include "deform/skinning_methods.h"
#include "render/view_settings.h"

namespace pelt::cli {
namespace {

constexpr int kWorkFailed = 1;
constexpr int kWrongCommandLine = 2;

const std::vector<std::string> kVerbs = {"view", "render", "bake",    "convert", "info",
                                         "lint", "bench",  "compare", "describe"};
const std::vector<std::string> kBakeFormats = {"json", "obj", "ply", "glb"};

bool is_help_or_version(std::string_view argument) {
  return argument == "--help" || argument == "-h" || argument == "--version" || argument == "--help-all";
}

// A word in a verb's place that is no verb: a file's name, or a verb mistyped.
bool looks_like_mistyped_verb(const std::string& word) {
  std::error_code ignored;
  return word.find_first_of("./@\\") == std::string::npos && word != "-" && !word.starts_with('-') &&
         !std::filesystem::exists(word, ignored) && !suggestion(word, kVerbs).empty();
}

int complain(int code, std::string_view message) {
  // One line, whatever names were in it; long enough for a path and what is wrong with it.
  std::fputs(fmt::format("pelt: {}\n", printable(message, 2000)).c_str(), stderr);
  return code;
}

void require(bool condition, const char* flag, const std::string& message) {
  if (!condition) {
    throw UsageError(flag, message);
  }
}

void check_bake_output(BakeOptions& options) {
  if (options.format.empty()) {
    options.format = options.output == "-" ? "json" : extension_of(options.output);
    require(
        std::ranges::find(kBakeFormats, options.format) != kBakeFormats.end(), "--output",
        fmt::format("expected a name that ends in .json, .obj, .ply or .glb, got \"{}\"", printable(options.output)));
  }
  const std::string ending = extension_of(options.output);
  require(ending == options.format || std::ranges::find(kBakeFormats, ending) == kBakeFormats.end(), "--format",
          fmt::format("{} contradicts the name, which ends in .{}", options.format, ending));
}

void check_convert(ConvertOptions& options, bool embed) {
  const EvaluationOptions& evaluation = options.evaluation;
  const std::string extension = options.output == "-" ? "glb" : extension_of(options.output);
  require(extension == "glb" || extension == "gltf", "--output",
          fmt::format("expected a name that ends in .glb or .gltf, got \"{}\"", printable(options.output)));
  require(!embed || extension == "gltf", "--embed", "needs a name that ends in .gltf; a .glb is one file in any case");
  options.format.form = extension == "glb" ? gltf::FileForm::kBinary
                        : embed            ? gltf::FileForm::kEmbedded
                                           : gltf::FileForm::kSeparate;
  require(evaluation.skinning.weight_format != deform::WeightFormat::kPacked56, "--weights",
          "glTF has float, 16bit and 8bit");
  const bool poses = evaluation.clip || evaluation.time || evaluation.pose || evaluation.bind_pose ||
                     evaluation.zero_pose || !evaluation.sets.empty() || !evaluation.morphs.empty();
  require(options.conversion.bake_pose || !poses, "--clip, --time, --pose, --set, --bind-pose, --zero-pose, --morph",
          "need --bake-pose");
  const deform::SkinningSettings defaults;
  require(!evaluation.backend_given && evaluation.skinning.method == defaults.method &&
              evaluation.skinning.normals == defaults.normals &&
              evaluation.skinning.palette_limit == defaults.palette_limit && evaluation.parameters.empty(),
          "--method, --backend, --normals, --palette, --parameter", "nothing is deformed here; see pelt bake");
}

// Endings that say what a file is, and say something else than the pictures that are written. A thumbnailer's name may
// end in anything else.
constexpr std::array<std::string_view, 32> kOtherEndings = {
    "jpg", "jpeg", "jpe", "jfif", "webp", "gif",  "bmp", "tga",  "tif",  "tiff", "ppm",
    "pgm", "pnm",  "svg", "pdf",  "psd",  "exr",  "hdr", "avif", "heic", "heif", "jxl",
    "jp2", "qoi",  "ico", "dds",  "ktx",  "ktx2", "glb", "gltf", "obj",  "ply"};

void check_render_output(const RenderOptions& options, bool sequence) {
  const std::string ending = options.output == "-" ? "" : extension_of(options.output);
  require(options.format.empty() || std::ranges::find(kOtherEndings, ending) == kOtherEndings.end(), "--format",
          fmt::format("{} contradicts the name, which ends in .{}", options.format, ending));
  require(options.output == "-" || !options.format.empty() || extension_of(options.output) == "png", "--output",
          fmt::format("expected a name that ends in .png, got \"{}\"", printable(options.output)));
  require(!sequence || options.output != "-", "--output", "a sequence of pictures needs a file name");
  require(!options.drawing.camera || !options.drawing.scene_camera, "--scene-camera", "excludes --camera");
}

void check_evaluation(const EvaluationOptions& options) {
  require(!options.pose || (!options.bind_pose && !options.zero_pose), "--pose",
          "excludes --bind-pose and --zero-pose");
}

// A crowd plays clips by linear blend; what would be dropped without a word is refused.
void check_crowd(const DrawingOptions& drawing, const EvaluationOptions& evaluation) {
  const std::string_view method = deform::skinning_methods()[static_cast<std::size_t>(evaluation.skinning.method)].id;
  require(drawing.instances == 0 || method == "lbs", "--instances", "a crowd is skinned by lbs alone");
  require(drawing.instances == 0 || (!evaluation.pose && evaluation.sets.empty() && evaluation.morphs.empty()),
          "--instances", "excludes --pose, --set and --morph; a crowd plays clips");
}

void check_bench(const BenchOptions& options) {
  const int kinds = (options.open ? 1 : 0) + (options.instances > 0 ? 1 : 0) + (options.diet ? 1 : 0) +
                    (options.kernels || !options.peer.empty() ? 1 : 0);
  require(kinds <= 1, "--open, --instances, --diet, --kernels", "exclude each other");
}

void check_drawing(const DrawingOptions& options) {
  require((!options.measure && !options.against && !options.range) || options.look == render::Look::kShaded ||
              options.look == render::Look::kDifference,
          "--measure, --against, --range", "are about --show difference");
  require(options.panes.size() < static_cast<std::size_t>(edit::kPaneLimit), "--pane",
          fmt::format("at most {} beside the first", edit::kPaneLimit - 1));
  require(!options.wipe || !options.panes.empty(), "--wipe", "needs --pane");
  require(!options.vertex || options.instances == 0, "--vertex", "excludes --instances");
  require(options.instances == 0 || options.panes.empty(), "--instances", "excludes --pane");
  require(options.instances == 0 || render::draws_crowds(options.look), "--instances",
          "needs --show shaded or another look of the surface");
  require(!options.against || options.against->reference != render::Reference::kPane ||
              options.against->pane <= static_cast<int>(options.panes.size()),
          "--against", fmt::format("expected a pane from 1 to {}", options.panes.size() + 1));
}

// --time without a clip would say nothing; view plays the first clip by itself.
void check_time(const EvaluationOptions& options) {
  require(!options.time || (options.clip && *options.clip != "none"), "--time", "needs --clip");
}

void add_random_flags(Command& command, RandomPosesFlags& flags) {
  command.add_option("--random", flags.count, "N random poses within limits")->type_name("N")->between(1, 100'000);
  command.add_option("--seed", flags.seed, "Of the random poses (default 1)")->type_name("S");
}

// For packagers, so help leaves it out.
void add_describe_verb(CommandLine& app, std::string& form) {
  std::vector<std::string> names;
  for (const DescriptionForm& known : kDescriptionForms) {
    names.emplace_back(known.name);
  }
  Command* verb = app.add_subcommand("describe", "Print the manual page, or what a shell reads to complete flags");
  verb->add_option("FORM", form, "man, or the shell's name")->required()->one_of(names);
  verb->hide();
}

std::string description_in(std::string_view form, const ProgramDescription& program) {
  return std::ranges::find(kDescriptionForms, form, &DescriptionForm::name)->write(program);
}

}  // namespace

int run(int argc, const char* const* argv, const WindowHooks& hooks) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && looks_like_mistyped_verb(arguments[0]) &&
      std::ranges::find(kVerbs, arguments[0]) == kVerbs.end()) {
    return complain(kWrongCommandLine, fmt::format("\"{}\" is neither a verb nor a file{} (see pelt --help)",
                                                   printable(arguments[0]), suggestion(arguments[0], kVerbs)));
  }
  if (arguments.empty() ||
      (!is_help_or_version(arguments[0]) && std::ranges::find(kVerbs, arguments[0]) == kVerbs.end())) {
    arguments.insert(arguments.begin(), "view");
  }

  CommandLine app("pelt", fmt::format("pelt {}", version()),
                  "Pelt opens a rigged glTF character and shows what its skin does.\n`pelt [FILE]` opens the window.",
                  "Examples:\n"
                  "  pelt fox.glb\n"
                  "  pelt render @mannequin -o mannequin.png\n"
                  "  pelt bake fox.glb --clip Walk --time 0.5 -o posed.obj\n"
                  "`pelt VERB --help` says more. Exit code 0: done, 1: the work failed, 2: the command line is wrong.");

  ViewOptions view;
  Command* view_app = app.add_subcommand("view", "Open the window (the default)");
  add_file_argument(*view_app, view.evaluation, false);
  add_evaluation_flags(*view_app, view.evaluation);
  add_drawing_flags(*view_app, view.drawing);
  view_app->add_flag("--watch", view.watch, "Reload the file when it changes; what is not whole yet is waited for");
  view_app->add_option("--report-widgets", view.widget_report, "")->group("");
  view_app->footer("Example:\n  pelt view fox.glb --clip Run --skeleton");

  RenderOptions render;
  FrameRange frames;
  Command* render_app = app.add_subcommand("render", "Draw a picture, or a numbered sequence, without a window");
  add_file_argument(*render_app, render.evaluation, true);
  render_app->add_option("-o,--output", render.output, "Picture to write; - for standard output")
      ->type_name("OUT.png")
      ->required();
  render_app
      ->add_option("--format", render.format, "Format where the name does not tell, as that of a thumbnailer's file")
      ->type_name("png")
      ->one_of({"png"});
  add_parsed<FrameRange>(*render_app, "--frames", parse_frames, frames, "N|A:B[:FPS]",
                         "A sequence over the clip: N frames, or frames A to B at FPS (default 30)");
  render_app->add_option("--turntable", render.turntable, "A sequence of N pictures all around the character")
      ->type_name("N")
      ->between(1, 100'000)
      ->excludes("--frames");
  add_evaluation_flags(*render_app, render.evaluation);
  add_drawing_flags(*render_app, render.drawing);
  render_app->footer(
      "Examples:\n"
      "  pelt render fox.glb -o fox.png --camera 30,10 --set tail.bend=40\n"
      "  pelt render fox.glb -o walk_%04d.png --clip Walk --frames 24\n"
      "  pelt render fox.glb -o weights.png --show weights --joint head --background transparent\n"
      "  pelt render @cylinder -o twist.png --set tip.twist=120 --pane dqs --measure volume-change --against bind");

  BakeOptions bake;
  bake.evaluation.decode_images = false;
  Command* bake_app = app.add_subcommand("bake", "Write the deformed geometry in world space");
  add_file_argument(*bake_app, bake.evaluation, true);
  bake_app
      ->add_option("-o,--output", bake.output, "File to write; its ending chooses the format; - for standard output")
      ->type_name("OUT.{glb,obj,ply,json}")
      ->required();
  bake_app->add_option("--format", bake.format, "Format where the name does not tell (default json)")
      ->type_name("json|obj|ply|glb")
      ->one_of(kBakeFormats);
  add_evaluation_flags(*bake_app, bake.evaluation);
  bake_app->footer(
      "The CPU computes unless --backend gpu is given.\n"
      "Examples:\n"
      "  pelt bake fox.glb -o posed.glb --clip Walk --time 0.35\n"
      "  pelt bake fox.glb -o - --pose sit.json > shape.json");

  ConvertOptions convert;
  bool embed = false;
  std::string inverse_binds = "keep";
  convert.evaluation.decode_images = false;
  Command* convert_app =
      app.add_subcommand("convert", "Write the character anew as glTF, with what is asked for changed");
  add_file_argument(*convert_app, convert.evaluation, true);
  convert_app
      ->add_option("-o,--output", convert.output,
                   "File to write; its ending chooses the form; - for a .glb on standard "
                   "output")
      ->type_name("OUT.{glb,gltf}")
      ->required();
  convert_app->add_flag("--embed", embed, "Everything in one .gltf instead of files beside it");
  convert_app->add_flag("--quantize", convert.format.quantize,
                        "Positions in 16 bits of their box, normals in 8 (KHR_mesh_quantization)");
  convert_app->add_flag("--meshopt", convert.format.meshopt, "Compress without loss (EXT_meshopt_compression)");
  FoldKeysFlag fold_keys;
  Option* fold_option = add_parsed<FoldKeysFlag>(
      *convert_app, "--fold-keys", parse_fold_keys, fold_keys, "MM[,DEGREES]",
      "Leave out the keys of clips that interpolation gives back: no vertex and no node's origin moves by more than MM "
      "millimetres (with a % sign: percent of the diagonal), no node turns by more than DEGREES (default 0.1). First "
      "and last keys stay");
  convert_app
      ->add_flag("--strip-channels", convert.strip_channels,
                 "Leave out channels that keep their node where it rests, within --fold-keys")
      ->needs(fold_option);
  std::string rotations = "float";
  convert_app->add_option("--rotations", rotations, "Rotation keys in 32 or 16 bits (default float)")
      ->type_name("float|16bit")
      ->one_of({"float", "16bit"});
  convert_app->add_flag("--strip-joints", convert.conversion.strip_joints,
                        "Take joints that no vertex follows out of the skins; they stay as nodes");
  convert_app->add_flag("--bake-pose", convert.conversion.bake_pose,
                        "Make the pose that --clip, --time, --pose, --set and so on describe the rest pose");
  convert_app
      ->add_option("--inverse-binds", inverse_binds,
                   "rebuild: bind the shape of the rest pose in the rest pose (default keep)")
      ->type_name("keep|rebuild")
      ->one_of({"keep", "rebuild"});
  convert_app->add_flag_callback(
      "--sort-influences", [] {}, "Heaviest influence first; always so, the flag is for scripts that want to say it");
  add_evaluation_flags(*convert_app, convert.evaluation);
  convert_app->footer(
      "--influences, --prune and --weights change what is written; weights sum to one unless --weights as-stored.\n"
      "What is not understood (extras, unknown extensions) is kept.\n"
      "Examples:\n"
      "  pelt convert fox.glb -o fox.gltf\n"
      "  pelt convert fox.glb -o small.glb --influences 4 --weights 8bit --quantize --meshopt\n"
      "  pelt convert fox.glb -o small.glb --fold-keys 0.1 --rotations 16bit --meshopt\n"
      "  pelt convert fox.glb -o sitting.glb --bake-pose --pose sit.json --inverse-binds rebuild");

  InfoOptions info;
  Command* info_app = app.add_subcommand("info", "Say what is inside a file");
  add_file_argument(*info_app, info.evaluation, false);
  info_app->add_flag("--json", info.json, "For programs; see src/cli/README.md");
  info_app->add_flag("--joints", info.joints, "List the joints with their degrees of freedom");
  info_app->add_flag("--methods", info.methods, "List the ids of the skinning methods, one per line, and nothing else");
  info_app->add_flag("--diet", info.diet,
                     "Simulate storage: what fewer influences, smaller weights and smaller palettes would save and "
                     "cost, over a battery "
                     "of poses (24 random ones among them unless --random says how many)");
  add_parsed_with<VertexFlag>(
      *info_app, "--vertex", parse_vertex, [&](VertexFlag flag) { info.vertex = std::move(flag); }, "PART,V",
      "How vertex V of a part (by name or index) gets to its place in the pose, step by step, and nothing else");
  add_random_flags(*info_app, info.random);
  add_evaluation_flags(*info_app, info.evaluation);
  info_app->footer(
      "Examples:\n  pelt info fox.glb\n  pelt info @mannequin --joints\n  pelt info @mannequin --diet\n  "
      "pelt info @elbow --vertex 0,544 --set forearm.bend=-90\n  pelt info --methods");

  LintOptions lint;
  lint.evaluation.check_conformance = true;
  Command* lint_app = app.add_subcommand("lint", "Say what is wrong or risky in files");
  add_files_argument(*lint_app, lint.files, lint.evaluation);
  lint_app->add_flag("--json", lint.json, "For programs; see src/cli/README.md");
  lint_app->add_option("--fail-on", lint.fail_on, "Exit with 1 from this severity on (default error)")
      ->type_name("warning|error|never")
      ->one_of({"warning", "error", "never"});
  lint_app->add_flag("--rules", lint.rules, "List what is looked for, with remedies, and nothing else");
  const auto take_code = [](std::vector<std::string>& codes, bool must_be_fixable) {
    return [&codes, must_be_fixable](const std::string& code) {
      const Status known = check_lint_code(code, must_be_fixable);
      if (known) {
        codes.push_back(code);
      }
      return known;
    };
  };
  lint_app
      ->add_repeated_option("--ignore", take_code(lint.ignore, false),
                            "Findings of this code are neither told nor counted; may be repeated")
      ->type_name("CODE");
  Option* lint_fix = lint_app->add_flag(
      "--fix", lint.fix, "Write a copy with everything mended that can be mended without moving a vertex");
  lint_app
      ->add_repeated_option("--fix-only", take_code(lint.fix_only, true),
                            "Mend findings of this code only, and what reading a file repairs; may be repeated")
      ->type_name("CODE")
      ->needs(lint_fix);
  lint_app->add_option("-o,--output", lint.output, "The mended copy (.glb); a folder where there are several files")
      ->type_name("OUT")
      ->needs(lint_fix);
  lint_app->footer(
      "Examples:\n"
      "  pelt lint fox.glb --fail-on warning\n"
      "  pelt lint fox.glb --fix -o sound.glb\n"
      "  pelt lint *.glb --json --ignore unused-joint\n"
      "  pelt lint --rules");

  BenchOptions bench;
  bench.evaluation.decode_images = false;
  Command* bench_app = app.add_subcommand("bench", "Measure every skinning path on this machine");
  add_file_argument(*bench_app, bench.evaluation, false);
  bench_app->add_flag("--json", bench.json, "For programs; see src/cli/README.md");
  bench_app->add_flag("--diet", bench.diet,
                      "The file's method under fewer influences, smaller weights and palettes, instead of all methods");
  bench_app->add_option("--seconds", bench.seconds, "Seconds per row (default 0.3)")
      ->type_name("S")
      ->between(0.001, 60.0);
  bench_app->add_option("--threads", bench.threads, "Worker threads (default: all)")->type_name("N")->between(1, 1024);
  bench_app->add_flag("--kernels", bench.kernels, "Kernels side by side on a made-up mesh, too: takes two minutes");
  bench_app->add_option("--peer", bench.peer, "Another library's kernel, for the frame and the kernels' table")
      ->type_name("LIB.so");
  bench_app->add_option("--instances", bench.instances, "Crowds of 1, 4, 16 ... N drawn by the GPU instead")
      ->type_name("N")
      ->between(1, 100000);
  bench_app->add_flag("--open", bench.open, "How fast made-up large files open, and in how much memory, instead");
  bench_app->footer(
      "Examples:\n"
      "  pelt bench fox.glb --json\n"
      "  pelt bench --kernels --threads 1\n"
      "  pelt bench @mannequin --instances 1024\n"
      "  pelt bench --open --seconds 3");

  CompareOptions compare;
  PaneFlag compare_a;
  PaneFlag compare_b;
  FrameRange compare_frames;
  SweepFlag compare_sweep;
  compare.evaluation.decode_images = false;
  Command* compare_app = app.add_subcommand(
      "compare", "Difference of methods or backends over a pose, a clip or a set of poses, in numbers");
  add_file_argument(*compare_app, compare.evaluation, true);
  const std::string side_form = "METHOD[:BACKEND[:NORMALS[:INFLUENCES]]]";
  Option* option_a = add_parsed<PaneFlag>(
      *compare_app, "--a", parse_pane, compare_a, side_form,
      "First side; the backend is cpu unless given, what else is not said is as --normals and --influences say");
  Option* option_b = add_parsed<PaneFlag>(*compare_app, "--b", parse_pane, compare_b, side_form, "Second side");
  Option* methods = add_parsed<std::vector<PaneFlag>>(
      *compare_app, "--methods", parse_sides, compare.sides, "all|METHOD,...",
      "Instead of --a and --b: any number of sides, measured against lbs where it is among them, else the first");
  methods->excludes(option_a)->excludes(option_b);
  PaneFlag compare_reference;
  Option* option_reference = add_parsed<PaneFlag>(*compare_app, "--reference", parse_pane, compare_reference, side_form,
                                                  "Which of --methods the others are measured against")
                                 ->needs(methods);
  add_parsed<StrainsAgainst>(
      *compare_app, "--against", parse_strains_against, compare.against, "bind|reference",
      "What edge strain, area strain and volume change are measured against: the bind shape (default), or --a or "
      "--reference");
  std::string battery;
  compare_app
      ->add_word_flag(
          "--battery", battery,
          "Each degree of freedom at both limits, the clips' extremes and random poses (24 unless --random "
          "says how many); lists the worst joints and names the method that keeps the volume best. --battery=clips: "
          "40 moments of the file's own clips instead")
      ->type_name("[=standard|clips]");
  add_parsed<SweepFlag>(*compare_app, "--sweep", parse_sweep, compare_sweep, "JOINT.DOF=FROM:TO[:STEPS]",
                        "One degree of freedom from one value to another (degrees, metres), both included");
  compare_app->add_option("--poses", compare.poses, "Every pose file (.json) in a folder")->type_name("FOLDER");
  add_random_flags(*compare_app, compare.random);
  add_parsed<FrameRange>(*compare_app, "--frames", parse_frames, compare_frames, "N|A:B[:FPS]",
                         "Moments of the clip (default: all of it at 30 per second, unless --time is given)");
  compare_app->add_option("--ring", compare.ring, "Measure the ring of skin at this joint (default: the one swept)")
      ->type_name("JOINT");
  compare_app->add_flag("--intersections", compare.intersections, "Count the triangles that cut through each other");
  Option* json_flag = compare_app->add_flag("--json", compare.json, "For programs; see src/cli/README.md");
  compare_app->add_option("--csv", compare.csv, "One line per pose and method; - for standard output")
      ->type_name("FILE")
      ->excludes(json_flag);
  add_evaluation_flags(*compare_app, compare.evaluation);
  compare_app->footer(
      "Sets of poses add up. Examples:\n"
      "  pelt compare fox.glb --a lbs:cpu --b lbs:gpu --clip Walk\n"
      "  pelt compare fox.glb --a lbs:cpu:d --b lbs:cpu:d:4 --clip Walk\n"
      "  pelt compare @mannequin --methods all --battery\n"
      "  pelt compare fox.glb --methods all --battery=clips\n"
      "  pelt compare @cylinder --methods all --sweep tip.twist=0:180:7 --csv twist.csv\n"
      "  pelt compare @mannequin --a rigid --b lbs --random 100 --seed 7 --json");

  std::string description_form;
  add_describe_verb(app, description_form);

  std::string verb;
  try {
    if (const std::optional<std::string> answer = app.parse(arguments)) {
      const Status printed = print_result(*answer, TextForm::kLines);
      return printed ? 0 : complain(kWorkFailed, printed.error().message);
    }
    verb = app.verb();
    const bool sequence = render_app->count("--frames") > 0 || render_app->count("--turntable") > 0;
    if (verb == "render") {
      check_render_output(render, sequence);
      require(render.drawing.ui || (render.drawing.tab.empty() && render.drawing.plot.empty()), "--tab, --plot",
              "need --ui");
      check_drawing(render.drawing);
      check_evaluation(render.evaluation);
      check_crowd(render.drawing, render.evaluation);
      check_time(render.evaluation);
    } else if (verb == "bake") {
      check_bake_output(bake);
      check_evaluation(bake.evaluation);
      check_time(bake.evaluation);
    } else if (verb == "convert") {
      convert.conversion.rebuild_binds = inverse_binds == "rebuild";
      convert.format.short_rotations = rotations == "16bit";
      if (fold_option->count() > 0) {
        convert.fold_keys = fold_keys;
      }
      check_convert(convert, embed);
      check_evaluation(convert.evaluation);
      check_time(convert.evaluation);
    } else if (verb == "compare") {
      check_evaluation(compare.evaluation);
      check_time(compare.evaluation);
      require(compare_app->count("--frames") == 0 || !compare.evaluation.time, "--frames", "excludes --time");
      compare.pair = compare.sides.empty();
      if (compare.pair) {
        for (const Option* side : {option_a, option_b}) {
          if (side->count() == 0) {
            throw UsageError(side->get_name() + " is required");
          }
        }
        compare.sides = {compare_a, compare_b};
      }
      if (option_reference->count() > 0) {
        compare.reference = compare_reference;
      }
      compare.battery = !battery.empty() && battery != "false";
      compare.battery_of_clips = battery == "clips";
      require(!compare.battery || compare.battery_of_clips || battery == "true" || battery == "standard", "--battery",
              fmt::format("expected standard or clips, got \"{}\"", printable(battery)));
    } else if (verb == "view") {
      check_evaluation(view.evaluation);
      check_drawing(view.drawing);
      check_crowd(view.drawing, view.evaluation);
      require(!view.drawing.ui, "--ui", "belongs to `pelt render`; the window always has its panels");
    } else if (verb == "info") {
      require(info.methods || !info.evaluation.file.empty(), "FILE", "is required");
      require(!info.vertex || !(info.methods || info.joints || info.diet), "--vertex",
              "excludes --methods, --joints and --diet");
      check_evaluation(info.evaluation);
      check_time(info.evaluation);
      require(info.diet || (info_app->count("--random") == 0 && info_app->count("--seed") == 0), "--random, --seed",
              "need --diet");
      require((info.methods ? 1 : 0) + (info.joints ? 1 : 0) + (info.diet ? 1 : 0) <= 1, "--methods, --joints, --diet",
              "exclude each other");
    } else if (verb == "bench") {
      check_bench(bench);
    } else if (verb == "lint") {
      const bool several = lint.files.size() > 1;
      require(lint.rules || !lint.files.empty(), "FILE", "is required");
      require(std::ranges::count(lint.files, "-") <= 1, "FILE", "standard input can be read once only");
      require(!lint.fix || (!lint.output.empty() && lint.output != "-"), "--fix",
              several ? "needs -o FOLDER" : "needs -o OUT.glb");
      const std::string ending = extension_of(lint.output);
      require(!lint.fix || several || ending == "glb", "--output", "expected a name that ends in .glb");
      require(!lint.fix || !several || ending != "glb", "--output", "expected a folder for several files");
    }
    if (render_app->count("--frames") > 0) {
      render.frames = frames;
    }
    if (compare_app->count("--frames") > 0) {
      compare.frames = compare_frames;
    }
    if (compare_app->count("--sweep") > 0) {
      compare.sweep = compare_sweep;
    }
  } catch (const UsageError& mistake) {
    const std::string asked = app.verb().empty() ? "" : app.verb() + " ";
    return complain(kWrongCommandLine, fmt::format("{} (see pelt {}--help)", mistake.what(), asked));
  }

  if (verb == "describe") {
    const Status printed =
        print_result(description_in(description_form, app.describe()), form_of(description_form == "json"));
    return printed ? 0 : complain(kWorkFailed, printed.error().message);
  }
  try {
    const Result<int> code = verb == "render"    ? run_render(render, hooks)
                             : verb == "bake"    ? run_bake(bake)
                             : verb == "convert" ? run_convert(convert)
                             : verb == "info"    ? run_info(info)
                             : verb == "lint"    ? run_lint(lint)
                             : verb == "bench"   ? (bench.diet ? run_diet_bench(bench) : run_bench(bench))
                             : verb == "compare" ? run_compare(compare)
                                                 : run_view(view, hooks);
    return code ? *code : complain(kWorkFailed, code.error().message);
  } catch (const std::bad_alloc&) {
    return complain(kWorkFailed, "out of memory");
  } catch (const std::exception& failure) {
    return complain(kWorkFailed, fmt::format("internal error: {}", failure.what()));
  }
}

}  // namespace pelt::cli
