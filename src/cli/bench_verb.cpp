#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/bind_benchmark.h"
#include "cli/binder_choice.h"
#include "cli/command_line.h"
#include "cli/crowd_benchmark.h"
#include "cli/diet_benchmark.h"
#include "cli/edit_benchmark.h"
#include "cli/ik_benchmark.h"
#include "cli/lint_benchmark.h"
#include "cli/open.h"
#include "cli/open_benchmark.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/path_benchmark.h"
#include "cli/springs_benchmark.h"
#include "cli/verbs.h"
#include "core/parallel.h"

namespace pelt::cli {
namespace {

struct BenchOptions {
  EvaluationOptions evaluation;
  bool json = false;
  double seconds = 0.3;               ///< measured per row
  int threads = 0;                    ///< 0: all
  bool kernels = false;               ///< kernels side by side on a made-up mesh, too
  std::string peer;                   ///< shared object with another library's kernel; empty: none
  bool diet = false;                  ///< see benchmark_diet()
  int instances = 0;                  ///< more: crowds of up to so many instead of the skinning paths
  bool open = false;                  ///< how fast large files open instead
  bool edit = false;                  ///< what a dab of a brush costs instead
  bool ik = false;                    ///< solvers of inverse kinematics instead
  bool springs = false;               ///< springs over frame rates instead
  int targets = 10000;                ///< of each chain, with ik
  bool bind = false;                  ///< binders against the weights of the files instead
  bool hard = false;                  ///< damaged copies, too, with bind
  bool lint = false;                  ///< planted faults instead
  std::vector<BinderChoice> binders;  ///< empty: usual_binders()
  std::vector<std::string> files;     ///< several with bind and lint alone
};

void add_binders(Command& verb, BenchOptions& options) {
  verb.add_repeated_option(
          "--binder",
          [&options](const std::string& text) -> Status {
            PELT_TRY_TO(BinderChoice choice, parse_binder(text));
            options.binders.push_back(std::move(choice));
            return {};
          },
          "Only this binder, with --bind; numbers of it behind a colon. May be repeated")
      ->type_name("ID[:FIELD=VALUE,...]")
      ->offers(binder_ids());
}

void add_bench_flags(Command& verb, BenchOptions& options) {
  add_files_argument(verb, options.files, options.evaluation);
  verb.add_flag("--json", options.json, "For programs; see src/cli/machine_output.md");
  verb.add_flag("--diet", options.diet,
                "The file's method under fewer influences, smaller weights and palettes, instead of all methods");
  verb.add_option("--seconds", options.seconds, "Seconds per row (default 0.3)")->type_name("S")->between(0.001, 60.0);
  verb.add_option("--threads", options.threads, "Worker threads (default: all)")->type_name("N")->between(1, 1024);
  verb.add_flag("--kernels", options.kernels, "Kernels side by side on a made-up mesh, too: takes two minutes");
  verb.add_option("--peer", options.peer,
                  "Another library's kernel, for the frame and the kernels' table, or its solver with --ik")
      ->type_name("LIB.so");
  verb.add_option("--instances", options.instances, "Crowds of 1, 4, 16 ... N drawn by the GPU instead")
      ->type_name("N")
      ->between(1, 100000);
  verb.add_flag("--open", options.open, "How fast made-up large files open, and in how much memory, instead");
  verb.add_flag(
      "--edit", options.edit,
      "What a dab of a smoothing brush costs on a made-up mesh of a million vertices, stage by stage, instead");
  verb.add_flag("--ik", options.ik,
                "How often and how fast each solver of inverse kinematics reaches its targets, instead");
  verb.add_flag("--springs", options.springs,
                "How far VRM's springs and the exact ones come apart over frame rates, instead");
  verb.add_option("--targets", options.targets, "Targets for each chain of --ik (default 10000)")
      ->type_name("N")
      ->between(1, 1000000);
  verb.add_flag("--bind", options.bind, "Weights by every binder, held against those of the files, instead");
  add_binders(verb, options);
  verb.add_flag("--hard", options.hard, "With --bind: the same files damaged in thirteen ways, too");
  verb.add_flag("--lint", options.lint, "How much of planted faults lint names, and how much of sound files, instead");
  verb.footer(
      "Examples:\n"
      "  pelt bench fox.glb --json\n"
      "  pelt bench --kernels --threads 1\n"
      "  pelt bench @mannequin --instances 1024\n"
      "  pelt bench --open --seconds 3\n"
      "  pelt bench --edit --json\n"
      "  pelt bench --ik --targets 1000\n"
      "  pelt bench --springs --json\n"
      "  pelt bench --bind fox.glb @mannequin --binder point-to-line:power=6 --binder point-to-line:bones=1\n"
      "  pelt bench --lint fox.glb @mannequin");
}

void check_bench(const BenchOptions& options) {
  const int kinds = (options.open ? 1 : 0) + (options.edit ? 1 : 0) + (options.instances > 0 ? 1 : 0) +
                    (options.diet ? 1 : 0) + (options.ik ? 1 : 0) + (options.springs ? 1 : 0) + (options.bind ? 1 : 0) +
                    (options.lint ? 1 : 0) + (options.kernels || (!options.peer.empty() && !options.ik) ? 1 : 0);
  require(kinds <= 1, "--open, --edit, --ik, --springs, --bind, --lint, --instances, --diet, --kernels",
          "exclude each other");
  require(options.bind || options.lint || options.files.size() <= 1, "FILE",
          "expected one; --bind and --lint take several");
  require(!options.bind || !options.files.empty(), "--bind", "needs a FILE with weights");
  require(options.bind || options.binders.empty(), "--binder", "needs --bind");
  require(options.bind || !options.hard, "--hard", "needs --bind");
}

Result<std::vector<BenchmarkedCharacter>> opened(const BenchOptions& options, const std::vector<std::string>& files) {
  std::vector<BenchmarkedCharacter> characters;
  for (const std::string& file : files) {
    EvaluationOptions evaluation = options.evaluation;
    evaluation.file = file;
    PELT_TRY_TO(std::shared_ptr<const rig::Character> character, open_character_file(evaluation));
    characters.push_back({shown_name(evaluation), std::move(character)});
  }
  return characters;
}

Result<std::string> measured_binders(const BenchOptions& options) {
  PELT_TRY_TO(const std::vector<BenchmarkedCharacter> characters, opened(options, options.files));
  return benchmark_binders(characters, options.binders.empty() ? usual_binders() : options.binders, options.hard,
                           options.json);
}

Result<std::string> measured_lint(const BenchOptions& options) {
  const std::vector<std::string> bundled = {"@mannequin", "@centipede", "@tube", "@elbow", "@robot"};
  PELT_TRY_TO(const std::vector<BenchmarkedCharacter> characters,
              opened(options, options.files.empty() ? bundled : options.files));
  return benchmark_lint(characters, options.json);
}

// What one kind of measurement says.
Result<std::string> measured(const BenchOptions& options) {
  set_thread_limit(options.threads);
  if (options.open) {
    return benchmark_opening(options.seconds, options.json);
  }
  if (options.edit) {
    return benchmark_edits({}, options.json);
  }
  if (options.springs) {
    return benchmark_springs(options.json);
  }
  if (options.ik) {
    return benchmark_ik(options.targets, options.peer, options.json);
  }
  if (options.bind) {
    return measured_binders(options);
  }
  if (options.lint) {
    return measured_lint(options);
  }
  EvaluationOptions evaluation = options.evaluation;
  evaluation.file = options.files.empty() ? "@mannequin" : options.files.front();
  PELT_TRY_TO(edit::Document document, open_document(evaluation));
  const std::string file = shown_name(evaluation);
  if (options.diet) {
    return benchmark_diet(document, file, options.seconds, options.json);
  }
  if (options.instances > 0) {
    return benchmark_crowd(document, file, options.instances, options.seconds, options.json);
  }
  return benchmark_paths(document, file, {options.seconds, options.threads, options.kernels, options.peer},
                         options.json);
}

Result<int> run_bench(const BenchOptions& options) {
  PELT_TRY_TO(const std::string table, measured(options));
  PELT_TRY(print_result(table, form_of(options.json)));
  return 0;
}

}  // namespace

Verb add_bench_verb(Command& verb) {
  const auto options = std::make_shared<BenchOptions>();
  options->evaluation.decode_images = false;
  add_bench_flags(verb, *options);
  return {[options] { check_bench(*options); }, [options](const Surroundings&) { return run_bench(*options); }};
}

}  // namespace pelt::cli
