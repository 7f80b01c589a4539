#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bind/character_binding.h"
#include "bind/character_problem.h"
#include "bind/deforming_joints.h"
#include "bind/mesh_on_skeleton.h"
#include "bind/skeleton_template.h"
#include "cli/bind_report.h"
#include "cli/binder_choice.h"
#include "cli/command_line.h"
#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "cli/write_character.h"
#include "core/text.h"
#include "edit/bind_edits.h"
#include "edit/evaluation.h"

namespace pelt::cli {
namespace {

constexpr int kMostInfluences = 255;

struct BindOptions {
  EvaluationOptions evaluation;  ///< of the mesh
  std::optional<std::string> skeleton;
  std::optional<bind::TemplateChoice> fitted;  ///< a template instead of another file's
  bool symmetric = true;
  std::string output;
  bool embed = false;
  std::string binder;
  std::map<std::string, std::string> fields;  ///< as given, by the id of the field
  std::optional<std::string> deforming;
  std::string tails = "each";
  int limit = 4;
  std::optional<std::string> truth;
  bool json = false;
  std::vector<std::pair<std::string, std::string>> volumes;  ///< joint and file
};

// What binds where nobody says it.
std::string usual_binder() {
  return bind::find_binder("best") != nullptr ? "best" : std::string(bind::binders().back().id);
}

Result<BinderChoice> binder_of(const BindOptions& options) {
  PELT_TRY_TO(BinderChoice choice, parse_binder(options.binder));
  for (const auto& [id, text] : options.fields) {
    const auto fields = choice.binder->fields;
    const auto field = std::ranges::find(fields, id, &bind::Field::id);
    if (field == fields.end()) {
      return error("--{}: is no number of {}", id, choice.binder->id);
    }
    PELT_TRY(set_field(*choice.binder, static_cast<std::size_t>(field - fields.begin()), text, choice.values));
  }
  return choice;
}

// A flag for each field of any binder; binders that have one of the same id share the flag.
void add_field_flags(Command& verb, BindOptions& options) {
  Command& group = verb.add_option_group("Numbers of binders");
  std::map<std::string, std::string> help;
  std::vector<std::string> order;
  for (const bind::Binder& binder : bind::binders()) {
    for (const bind::Field& field : binder.fields) {
      const std::string id(field.id);
      const bool is_switch = field.kind == bind::Field::Kind::kSwitch;
      if (!help.contains(id)) {
        order.push_back(id);
        help[id] = fmt::format("{}{}{}", field.help, field.unit.empty() ? "" : ", ", field.unit);
      }
      help[id] += !field.choices.empty()
                      ? fmt::format("; {}: {}, default {}", binder.id, fmt::join(field.choices, ", "),
                                    field.choices[static_cast<std::size_t>(field.standard)])
                  : is_switch ? fmt::format("; {}: on or off, default {}", binder.id, field.standard > 0 ? "on" : "off")
                              : fmt::format("; {}: {:g} to {:g}, default {:g}", binder.id, field.minimum, field.maximum,
                                            field.standard);
    }
  }
  for (const std::string& id : order) {
    group
        .add_text_option(
            "--" + id,
            [&options, id](const std::string& text) -> Status {
              options.fields[id] = text;
              return {};
            },
            help[id])
        ->type_name("X");
  }
}

// Names between commas; a name that has one itself is given alone.
Result<std::vector<int>> deforming_joints(const rig::Skeleton& skeleton, const std::string& text) {
  if (const Result<int> whole = resolve_joint(skeleton, text)) {
    return std::vector<int>{*whole};
  }
  std::vector<int> joints;
  for (const std::string_view name : split(text, ',')) {
    const Result<int> joint = resolve_joint(skeleton, std::string(name));
    if (!joint) {
      return error("--deforming: {}", joint.error().message);
    }
    joints.push_back(*joint);
  }
  return joints;
}

Result<std::shared_ptr<const rig::Character>> open_other(const BindOptions& options, const std::string& file) {
  EvaluationOptions evaluation = options.evaluation;
  evaluation.file = file;
  if (file != "-" && !file.starts_with('@')) {
    note_read(file, "the input");
  }
  return open_character_file(evaluation);
}

// What is to be bound, and to which joints.
struct BindInput {
  std::shared_ptr<const rig::Character> read;  ///< the mesh's file
  rig::Character character;
  bind::Request request;
};

bool has_other_skeleton(const BindOptions& options) {
  return options.skeleton && *options.skeleton != options.evaluation.file;
}

// Gives a mesh that nobody has rigged the joints of a template.
Status add_template(const BindOptions& options, BindInput& input) {
  if (!input.read->skins.empty()) {
    return error("--template: expected a file without a skin, got one with {} joints in its first skin",
                 input.read->skins[0].joints.size());
  }
  PELT_TRY_TO(const bind::RestVolume volume, bind::rest_volume(*input.read));
  const bind::FittedTemplate fitted = bind::fitted_template(*options.fitted, volume, options.symmetric);
  for (const std::string& note : fitted.notes) {
    print_note(note);
  }
  const int first = input.read->skeleton->size();
  input.character = rig::with_new_joints(*input.read, bind::new_joints(fitted.joints));
  for (int j = first; j < input.character.skeleton->size(); ++j) {
    input.request.joints.push_back(j);
  }
  return {};
}

Result<BindInput> open_input(const BindOptions& options) {
  BindInput input;
  PELT_TRY_TO(input.read, open_character_file(options.evaluation));
  input.character = *input.read;
  if (options.fitted) {
    PELT_TRY(add_template(options, input));
  }
  if (has_other_skeleton(options)) {
    PELT_TRY_TO(const std::shared_ptr<const rig::Character> skeleton, open_other(options, *options.skeleton));
    PELT_TRY_TO(bind::MeshOnSkeleton made, bind::mesh_on_skeleton(*input.read, *skeleton));
    input.character = std::move(made.character);
    for (const int j : bind::proposed_joints(*skeleton)) {
      if (made.moved[j] >= 0) {
        input.request.joints.push_back(made.moved[j]);
      }
    }
  }
  input.request.mean_tails = options.tails == "mean";
  if (options.deforming) {
    PELT_TRY_TO(input.request.joints, deforming_joints(input.character.skeleton, *options.deforming));
  }
  return input;
}

// Meshes of files become the volumes of joints.
Status take_volumes(const BindOptions& options, BindInput& input) {
  if (options.volumes.empty()) {
    return {};
  }
  bind::Request as_bound = input.request;
  as_bound.pose.clear();
  PELT_TRY_TO(const bind::CharacterProblem problem, bind::make_problem(input.character, as_bound));
  for (const auto& [name, file] : options.volumes) {
    const Result<int> joint = resolve_joint(input.character.skeleton, name);
    if (!joint) {
      return error("--volume: {}", joint.error().message);
    }
    PELT_TRY_TO(const std::shared_ptr<const rig::Character> other, open_other(options, file));
    Result<bind::JointVolume> volume = bind::volume_of_surface(
        std::filesystem::path(file).filename().string(), bind::rest_surface(*other), input.character, problem, *joint);
    if (!volume) {
      return volume.error().in("--volume");
    }
    input.request.volumes.push_back(*std::move(volume));
  }
  std::ranges::stable_sort(input.request.volumes, {}, &bind::JointVolume::joint);
  return {};
}

bool has_pose(const EvaluationOptions& options) {
  return options.pose || options.clip || options.time || options.bind_pose || options.zero_pose ||
         !options.sets.empty() || !options.morphs.empty() || !options.sliders.empty() || !options.drives.empty();
}

// The pose that the flags say becomes the one to bind in.
Status take_pose(const BindOptions& options, BindInput& input) {
  if (!has_pose(options.evaluation)) {
    return {};
  }
  edit::Document document = edit::make_document(std::make_shared<const rig::Character>(input.character));
  std::vector<std::string> notes;
  PELT_TRY(apply_evaluation_flags(document, options.evaluation, notes));
  for (const std::string& note : notes) {
    print_note(note);
  }
  edit::Evaluation evaluation;
  evaluation.update(document);
  input.request.pose = evaluation.world();
  return {};
}

void note_pose(const bind::Request& request, const bind::CharacterProblem& problem) {
  if (!request.pose.empty()) {
    print_note(problem.is_posed ? "bound in the pose: weights alone change, inverse bind matrices and vertices stay"
                                : "the pose bends nothing: bound as without one");
  }
}

// Says where a skeleton is so far off that it is another mesh's, or in another unit.
void note_misfit(const bind::Problem& problem) {
  double longest = 0;
  for (const bind::Bone& one : problem.bones) {
    longest = std::max(longest, glm::distance(one.head, problem.bones.front().head));
  }
  const double ratio = problem.diagonal > 0 ? longest / problem.diagonal : 1;
  if (problem.bone_count() > 2 && (ratio < 0.1 || ratio > 3)) {
    print_note(fmt::format("the skeleton's size is {:.3g} of the mesh's: are both in the same unit?", ratio));
  }
}

void note_report(const bind::CharacterProblem& problem, const bind::Binding& binding) {
  const std::vector<bind::Remark>& remarks = binding.remarks;
  for (std::size_t r = 0, end = 0; r < remarks.size(); r = end) {
    end = bind::end_of_run(remarks, r);
    print_note(end - r > 1
                   ? bind::sentence_of_run(std::span(remarks).subspan(r, end - r)) + "; --json lists the largest"
                   : bind::sentence(remarks[r], problem.names));
  }
}

// The score is about the shape as bound, whatever pose the weights were made in.
Result<TruthScore> score_as_bound(const rig::Character& truth, const BindInput& input,
                                  const bind::CharacterProblem& posed, const bind::Binding& binding, int limit) {
  bind::Request request = input.request;
  request.pose.clear();
  PELT_TRY_TO(const bind::CharacterProblem problem, bind::make_problem(input.character, request));
  const rig::Character bound = bind::with_binding(input.character, posed, binding, limit);
  return score_against(truth, problem, bind::rows_of(bound, problem));
}

Result<int> run_bind(const BindOptions& options) {
  PELT_TRY_TO(const BinderChoice choice, binder_of(options));
  PELT_TRY(check_output(options.output, options.evaluation));
  PELT_TRY_TO(BindInput input, open_input(options));
  PELT_TRY(take_volumes(options, input));
  PELT_TRY(take_pose(options, input));
  PELT_TRY_TO(const bind::CharacterProblem problem, bind::make_problem(input.character, input.request));
  note_misfit(problem.problem);
  note_pose(input.request, problem);
  ProgressLine line;
  const bind::Watcher watcher{[&line](float fraction, std::string_view what) {
                                line.show(fraction, what);
                                return true;
                              },
                              {}};
  const auto start = std::chrono::steady_clock::now();
  const std::optional<bind::Binding> binding = bind::run(*choice.binder, problem.problem, choice.values, watcher);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  line.clear();
  if (!binding) {
    return error("binding was stopped");
  }
  note_report(problem, *binding);
  BindReport report;
  report.file = shown_name(options.evaluation);
  if (has_other_skeleton(options)) {
    EvaluationOptions named;
    named.file = *options.skeleton;
    report.skeleton = shown_name(named);
  }
  report.choice = choice;
  report.limit = options.limit;
  report.seconds = spent.count();
  report.problem = &problem;
  report.binding = &*binding;
  if (options.truth) {
    PELT_TRY_TO(const std::shared_ptr<const rig::Character> truth, open_other(options, *options.truth));
    Result<TruthScore> score = problem.is_posed
                                   ? score_as_bound(*truth, input, problem, *binding, options.limit)
                                   : score_against(*truth, problem, bind::limited(binding->rows, options.limit));
    if (!score) {
      return score.error().in("--truth");
    }
    report.truth = *std::move(score);
  }
  gltf::ExportOptions how;
  how.form = form_of_output(options.output, options.embed);
  const rig::Character bound = bind::with_binding(input.character, problem, *binding, options.limit);
  PELT_TRY(write_character(*input.read, bound, options.output, std::move(how)));
  if (options.json || report.truth) {
    PELT_TRY(print_result(options.json ? bind_json(report) : bind_text(report), form_of(options.json)));
  }
  return 0;
}

void check_bind(const BindOptions& options) {
  form_of_output(options.output, options.embed);
  require(!options.fitted || !options.skeleton, "--template", "SKELETON says already what to bind to");
  require(options.output != "-" || (!options.json && !options.truth), "--output",
          "- leaves no standard output for --json and --truth");
  const Result<BinderChoice> choice = binder_of(options);
  if (!choice) {
    throw UsageError("--binder", choice.error().message);
  }
  require(options.volumes.empty() || choice->binder->id == edit::kVolumesBinder, "--volume",
          "needs --binder containment, the one by volumes");
}

void add_bind_flags(Command& verb, BindOptions& options) {
  add_file_argument(verb, options.evaluation, true);
  verb.add_option("SKELETON", options.skeleton,
                  "File of the joints to bind to (default: those of FILE, whose weights are ignored)")
      ->type_name("");
  verb.add_text_option(
          "--template",
          [&options](const std::string& text) -> Status {
            PELT_TRY_TO(options.fitted, bind::parse_template(text));
            return {};
          },
          "A skeleton put into a mesh that has none: a standing body, or a chain of N joints along the longest way")
      ->type_name("humanoid|chain:N");
  verb.add_flag_callback(
      "--asymmetric", [&options] { options.symmetric = false; },
      "The sides of --template humanoid each where the mesh has them, instead of mirror images");
  verb.add_option("-o,--output", options.output,
                  "File to write; its ending chooses the form; - for a .glb on standard output")
      ->type_name("OUT.{glb,gltf}")
      ->required();
  verb.add_flag("--embed", options.embed, "Everything in one .gltf instead of files beside it");
  options.binder = usual_binder();
  verb.add_option("--binder", options.binder,
                  fmt::format("How weights are made (default {}); numbers of it behind a colon", options.binder))
      ->type_name("ID[:FIELD=VALUE,...]")
      ->offers(binder_ids());
  verb.add_option(
          "--deforming", options.deforming,
          "Joints that deform (default: those that the weights of the skeleton's file use, else all but helpers)")
      ->type_name("JOINT,...");
  verb.add_text_option(
          "--volume",
          [&options](const std::string& text) -> Status {
            const std::size_t at = text.find('=');
            if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
              return error("expected JOINT=FILE, got {}", printable(text));
            }
            options.volumes.emplace_back(text.substr(0, at), text.substr(at + 1));
            return {};
          },
          "A closed mesh (OBJ, PLY, glTF) as the volume of a joint, for the binder containment; may be repeated. It "
          "lies "
          "round the character at rest, in metres, and hangs on the joint; what is inside counts by its winding "
          "number, "
          "also of an open mesh")
      ->type_name("JOINT=FILE");
  verb.add_option("--tails", options.tails,
                  "Bones go from a joint to each of its children (default), or to their mean, as in the benchmark")
      ->one_of({"each", "mean"});
  verb.add_option("--limit", options.limit, "Influences of a vertex, 0 for any number (default 4)")
      ->type_name("N")
      ->between(0, kMostInfluences);
  verb.add_option("--truth", options.truth, "Hold the weights against those of this file, as bench --bind does")
      ->type_name("FILE");
  verb.add_flag("--json", options.json, "For programs; see src/cli/machine_output.md");
  add_field_flags(verb, options);
  add_pose_flags(verb.add_option_group("Pose to bind in (default: as the skin was bound)"), options.evaluation);
  verb.footer(
      "Examples:\n"
      "  pelt bind zombie.obj zombie.glb -o bound.glb --truth zombie.glb\n"
      "  pelt bind fox.glb -o again.glb --binder point-to-line --power 6\n"
      "  pelt bind crossed.glb -o parted.glb --pose arms_apart.json\n"
      "  pelt bind fox.glb -o again.glb --binder containment --volume b_Head_05=skull.obj\n"
      "  pelt bind human.obj --template humanoid -o human.glb");
}

}  // namespace

Verb add_bind_verb(Command& verb) {
  const auto options = std::make_shared<BindOptions>();
  add_bind_flags(verb, *options);
  return {[options] { check_bind(*options); }, [options](const Surroundings&) { return run_bind(*options); }};
}

}  // namespace pelt::cli
