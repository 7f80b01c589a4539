#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/crowd_benchmark.h"
#include "cli/diet_benchmark.h"
#include "cli/edit_benchmark.h"
#include "cli/ik_benchmark.h"
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
  double seconds = 0.3;  ///< measured per row
  int threads = 0;       ///< 0: all
  bool kernels = false;  ///< kernels side by side on a made-up mesh, too
  std::string peer;      ///< shared object with another library's kernel; empty: none
  bool diet = false;     ///< see benchmark_diet()
  int instances = 0;     ///< more: crowds of up to so many instead of the skinning paths
  bool open = false;     ///< how fast large files open instead
  bool edit = false;     ///< what a dab of a brush costs instead
  bool ik = false;       ///< solvers of inverse kinematics instead
  bool springs = false;  ///< springs over frame rates instead
  int targets = 10000;   ///< of each chain, with ik
};

void add_bench_flags(Command& verb, BenchOptions& options) {
  add_file_argument(verb, options.evaluation, false);
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
  verb.footer(
      "Examples:\n"
      "  pelt bench fox.glb --json\n"
      "  pelt bench --kernels --threads 1\n"
      "  pelt bench @mannequin --instances 1024\n"
      "  pelt bench --open --seconds 3\n"
      "  pelt bench --edit --json\n"
      "  pelt bench --ik --targets 1000\n"
      "  pelt bench --springs --json");
}

void check_bench(const BenchOptions& options) {
  const int kinds = (options.open ? 1 : 0) + (options.edit ? 1 : 0) + (options.instances > 0 ? 1 : 0) +
                    (options.diet ? 1 : 0) + (options.ik ? 1 : 0) + (options.springs ? 1 : 0) +
                    (options.kernels || (!options.peer.empty() && !options.ik) ? 1 : 0);
  require(kinds <= 1, "--open, --edit, --ik, --springs, --instances, --diet, --kernels", "exclude each other");
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
  EvaluationOptions evaluation = options.evaluation;
  if (evaluation.file.empty()) {
    evaluation.file = "@mannequin";
  }
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
