#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.h"
#include "cli/options.h"
#include "core/result.h"
#include "edit/pose_battery.h"
#include "gltf/export.h"
#include "rig/conversions.h"

namespace pelt::cli {

// One struct of options and one function per verb. A function returns the exit code, or why the work failed (exit code
// 1).

struct ViewOptions {
  EvaluationOptions evaluation;
  DrawingOptions drawing;
  std::string widget_report;
  bool watch = false;
};
Result<int> run_view(const ViewOptions& options, const WindowHooks& hooks);

struct RenderOptions {
  EvaluationOptions evaluation;
  DrawingOptions drawing;
  std::string output;
  std::string format;  ///< png, or empty: as the name of the output says
  std::optional<FrameRange> frames;
  int turntable = 0;  ///< pictures of one turn; 0: no turntable
};
Result<int> run_render(const RenderOptions& options, const WindowHooks& hooks);

struct BakeOptions {
  EvaluationOptions evaluation;
  std::string output;
  std::string format;  ///< json, obj, ply or glb
};
Result<int> run_bake(const BakeOptions& options);

/// `--fold-keys MM[,DEGREES]` or `--fold-keys P%[,DEGREES]`.
struct FoldKeysFlag {
  double distance = 0.1;  ///< millimetres, or percent of the diagonal
  bool percent = false;
  double degrees = 0.1;
};
Result<FoldKeysFlag> parse_fold_keys(std::string_view text);

struct ConvertOptions {
  EvaluationOptions evaluation;  ///< influences, threshold and format of weights are those of its skinning settings
  std::string output;
  rig::Conversion conversion;
  std::optional<FoldKeysFlag> fold_keys;
  bool strip_channels = false;
  gltf::ExportOptions format;
};
Result<int> run_convert(const ConvertOptions& options);

/// `--random` and `--seed`: the random poses of a battery, or alone.
struct RandomPosesFlags {
  int count = 0;  ///< 0: not said
  int seed = 1;
  [[nodiscard]] edit::BatteryOptions battery() const {
    edit::BatteryOptions options = edit::kStandardBattery;
    options.random = count > 0 ? count : options.random;
    options.seed = static_cast<std::uint32_t>(seed);
    return options;
  }
};

struct InfoOptions {
  EvaluationOptions evaluation;
  bool json = false;
  bool methods = false;
  bool joints = false;
  bool diet = false;
  std::optional<VertexFlag> vertex;  ///< this one step by step, and nothing else
  RandomPosesFlags random;           ///< of the diet's battery
};
Result<int> run_info(const InfoOptions& options);

struct LintOptions {
  EvaluationOptions evaluation;  ///< of each file
  std::vector<std::string> files;
  bool json = false;
  bool rules = false;  ///< list the rules, and nothing else
  bool fix = false;
  std::string output;                 ///< the mended copy; a folder for them where there are several files
  std::string fail_on = "error";      ///< "error", "warning" or "never"
  std::vector<std::string> ignore;    ///< codes that are not told
  std::vector<std::string> fix_only;  ///< codes that are mended; empty: all
};
/// Fails where there is no rule of that code, or none that --fix mends, and lists those that there are.
Status check_lint_code(const std::string& code, bool must_be_fixable);
Result<int> run_lint(const LintOptions& options);

struct BenchOptions {
  EvaluationOptions evaluation;
  bool json = false;
  double seconds = 0.3;  ///< measured per row
  int threads = 0;       ///< 0: all
  bool kernels = false;  ///< kernels side by side on a made-up mesh, too
  std::string peer;      ///< shared object with another library's kernel; empty: none
  bool diet = false;     ///< see run_diet_bench()
  int instances = 0;     ///< more: crowds of up to so many instead of the skinning paths
  bool open = false;     ///< how fast large files open instead
};
Result<int> run_bench(const BenchOptions& options);
/// `pelt bench --diet`: what fewer influences, smaller weights and palettes do to the time of one pose.
Result<int> run_diet_bench(const BenchOptions& options);

/// Sides of a comparison, separated by commas, each as parse_pane() takes it; for METHOD may stand `all`.
Result<std::vector<PaneFlag>> parse_sides(std::string_view text);

/// `--against bind|reference`: what the strains of `pelt compare` are measured against.
enum class StrainsAgainst { kBind, kReference };
Result<StrainsAgainst> parse_strains_against(std::string_view text);

/// JOINT.DOF=FROM:TO[:STEPS], split like `--set`.
struct SweepFlag {
  std::string joint;
  std::string dof;
  double from = 0;  ///< degrees, metres or factor as typed
  double to = 0;
  int steps = 13;
};
Result<SweepFlag> parse_sweep(std::string_view text);

struct CompareOptions {
  EvaluationOptions evaluation;
  std::vector<PaneFlag> sides;        ///< on the CPU unless they say otherwise
  std::optional<PaneFlag> reference;  ///< one of `sides`; without it lbs where it is among them, or the first
  bool pair = false;                  ///< --a and --b; the first is the reference
  StrainsAgainst against = StrainsAgainst::kBind;
  bool json = false;
  std::string csv;  ///< file, "-" for standard output; empty: none
  std::optional<FrameRange> frames;
  bool battery = false;
  bool battery_of_clips = false;  ///< edit::kClipBattery instead of the standard one
  std::optional<SweepFlag> sweep;
  std::string poses;  ///< folder of pose files; empty: none
  RandomPosesFlags random;
  std::optional<std::string> ring;  ///< joint
  bool intersections = false;
};
Result<int> run_compare(const CompareOptions& options);

}  // namespace pelt::cli
