#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "edit/weight_repairs.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "rig/lint.h"
#include "rig/lint_fix.h"

namespace pelt::cli {
namespace {

using LintJson = nlohmann::ordered_json;

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
  bool fix_weights = false;           ///< what the tools of weights mend, too
};

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "";
}

std::string dump_lint(const LintJson& json) {
  return json.dump(2, ' ', false, LintJson::error_handler_t::replace) + "\n";
}

bool is_repairable(std::string_view code) {
  const std::vector<std::string_view> codes = edit::repairable_codes();
  return std::ranges::find(codes, code) != codes.end();
}

std::string rules_text(bool json) {
  if (!json) {
    std::string text;
    for (const rig::LintRule& rule : rig::lint_rules()) {
      text += fmt::format("{} ({}{})\n  {}\n  {}\n", rule.code, severity_name(rule.severity),
                          rule.only_named            ? ", --fix-only"
                          : rule.fixable             ? ", --fix"
                          : is_repairable(rule.code) ? ", --fix-weights"
                                                     : "",
                          rule.explanation, rule.remedy);
    }
    return text;
  }
  LintJson rows = LintJson::array();
  for (const rig::LintRule& rule : rig::lint_rules()) {
    rows.push_back({{"code", rule.code},
                    {"severity", severity_name(rule.severity)},
                    {"explanation", rule.explanation},
                    {"remedy", rule.remedy},
                    {"fixable", rule.fixable},
                    {"only_named", rule.only_named},
                    {"weights_fixable", is_repairable(rule.code)}});
  }
  return dump_lint({{"rules", rows}});
}

bool is_fixable(const rig::Finding& finding) {
  const rig::LintRule* rule = rig::find_lint_rule(finding.code);
  return rule != nullptr && rule->fixable;
}

std::string_view remedy_of(const rig::Finding& finding) {
  const rig::LintRule* rule = rig::find_lint_rule(finding.code);
  return rule != nullptr ? rule->remedy : std::string_view();
}

// Indices that are said, in a fixed order.
LintJson place_json(const rig::LintPlace& place) {
  LintJson json = LintJson::object();
  for (const auto& [name, value] :
       {std::pair{"scene", place.scene}, std::pair{"node", place.node}, std::pair{"mesh", place.mesh},
        std::pair{"primitive", place.primitive}, std::pair{"skin", place.skin}, std::pair{"joint", place.joint},
        std::pair{"clip", place.clip}, std::pair{"channel", place.channel}, std::pair{"material", place.material},
        std::pair{"texture", place.texture}, std::pair{"image", place.image}, std::pair{"buffer", place.buffer}}) {
    if (value >= 0) {
      json[name] = value;
    }
  }
  if (!place.vertices.empty()) {
    json["vertices"] = place.vertices;
  }
  return json;
}

LintJson findings_json(const rig::Findings& findings) {
  LintJson rows = LintJson::array();
  for (const rig::Finding& finding : findings) {
    LintJson others = LintJson::array();
    for (const rig::LintPlace& place : finding.others) {
      others.push_back(place_json(place));
    }
    rows.push_back({{"severity", severity_name(finding.severity)},
                    {"code", finding.code},
                    {"place", finding.where},
                    {"at", place_json(finding.place)},
                    {"also_at", std::move(others)},
                    {"message", finding.message},
                    {"remedy", remedy_of(finding)},
                    {"fixable", is_fixable(finding)}});
  }
  return rows;
}

std::string finding_line(std::string_view first, const rig::Finding& finding) {
  const std::string_view remedy = remedy_of(finding);
  return fmt::format("{}: {}: {}. {}{}[{}]\n", first, printable(finding.where, 200), printable(finding.message, 500),
                     remedy, remedy.empty() ? "" : " ", finding.code);
}

/// Findings of one file by severity.
struct LintCounts {
  std::size_t infos = 0;
  std::size_t warnings = 0;
  std::size_t errors = 0;
};

LintCounts count_findings(const rig::Findings& findings) {
  LintCounts out;
  for (const rig::Finding& finding : findings) {
    ++(finding.severity == Severity::kError     ? out.errors
       : finding.severity == Severity::kWarning ? out.warnings
                                                : out.infos);
  }
  return out;
}

/// What is said of one file.
struct LintReport {
  std::string name;
  std::string unreadable;  ///< why there is nothing else to say
  std::string unwritten;   ///< why there is no mended copy, where one was asked for
  rig::Findings findings;
  rig::Findings mended;  ///< what the copy no longer has
  std::vector<edit::WeightRepair> repairs;
};

bool contains_code(const std::vector<std::string>& codes, std::string_view code) {
  return std::ranges::find(codes, code) != codes.end();
}

/// Everything there is to say but what is not to be told.
Result<rig::Findings> told_findings(const rig::Character& character, const std::vector<std::string>& ignore) {
  Result<rig::Findings> findings = rig::lint(character);
  if (findings) {
    std::erase_if(*findings, [&](const rig::Finding& finding) { return contains_code(ignore, finding.code); });
  }
  return findings;
}

/// Of findings that tools of weights are to mend. Mirroring writes a whole side over, and which one is the better one
/// nobody knows here: it is done where it is named.
std::vector<std::string> repaired_codes(const LintOptions& options) {
  std::vector<std::string> out;
  for (const std::string_view code : edit::repairable_codes()) {
    const bool is_named = contains_code(options.fix_only, code);
    const bool is_meant = options.fix_only.empty() ? code != "weight-asymmetry" : is_named;
    if (options.fix_weights && is_meant && !contains_code(options.ignore, code)) {
      out.emplace_back(code);
    }
  }
  return out;
}

/// Writes the mended copy and reads it again: what is left is what the copy says.
Status mend_file(const LintOptions& options, std::shared_ptr<const rig::Character> character, const std::string& output,
                 LintReport& report) {
  if (const std::vector<std::string> codes = repaired_codes(options); !codes.empty()) {
    PELT_TRY_TO(auto repaired, edit::with_repaired_weights(character, codes));
    character = std::move(repaired.first);
    report.repairs = std::move(repaired.second);
  }
  const Result<std::vector<std::uint8_t>> glb = gltf::export_glb(rig::fixed(*character, options.fix_only));
  if (!glb) {
    return glb.error().in(output);
  }
  gltf::ImportOptions import;
  import.check_conformance = true;
  const Result<rig::Character> copy = gltf::import_memory(*glb, {}, import);
  if (!copy) {
    return copy.error().in(output);
  }
  PELT_TRY_TO(rig::Findings left, told_findings(*copy, options.ignore));
  const std::string_view bytes(reinterpret_cast<const char*>(glb->data()), glb->size());
  PELT_TRY(write_output(output, bytes));
  for (const rig::Finding& finding : report.findings) {
    const bool is_left = std::ranges::any_of(
        left, [&](const rig::Finding& other) { return other.code == finding.code && other.where == finding.where; });
    if ((is_fixable(finding) || (options.fix_weights && is_repairable(finding.code))) && !is_left) {
      report.mended.push_back(finding);
    }
  }
  report.findings = std::move(left);
  return {};
}

/// @param output  of the mended copy, where one is asked for
LintReport lint_file(const LintOptions& options, const std::string& file, const std::string& output) {
  EvaluationOptions evaluation = options.evaluation;
  evaluation.file = file;
  LintReport report{shown_name(evaluation), {}, {}, {}, {}, {}};
  const auto character = open_character_file(evaluation);
  if (!character) {
    report.unreadable = character.error().message;
    return report;
  }
  Result<rig::Findings> findings = told_findings(**character, options.ignore);
  if (!findings) {
    report.unreadable = findings.error().in(report.name).message;
    return report;
  }
  report.findings = *std::move(findings);
  if (options.fix) {
    if (const Status mended = mend_file(options, *character, output, report); !mended) {
      report.unwritten = mended.error().message;
    }
  }
  return report;
}

LintJson report_json(const LintReport& report, bool fix) {
  LintJson json;
  json["file"] = report.name;
  if (!report.unreadable.empty()) {
    json["error"] = report.unreadable;
    return json;
  }
  const LintCounts counts = count_findings(report.findings);
  json["counts"] = {{"error", counts.errors}, {"warning", counts.warnings}, {"info", counts.infos}};
  json["findings"] = findings_json(report.findings);
  if (!report.unwritten.empty()) {
    json["error"] = report.unwritten;
  } else if (fix) {
    json["fixed"] = findings_json(report.mended);
    LintJson repairs = LintJson::array();
    for (const edit::WeightRepair& repair : report.repairs) {
      repairs.push_back({{"code", repair.finding.code},
                         {"at", place_json(repair.finding.place)},
                         {"tool", repair.tool},
                         {"named", repair.named},
                         {"vertices", repair.difference.vertices},
                         {"beyond", repair.beyond},
                         {"left", repair.left},
                         {"largest", repair.difference.largest},
                         {"mean", repair.difference.mean},
                         {"unchanged_because", repair.why}});
    }
    if (!repairs.empty()) {
      json["repairs"] = std::move(repairs);
    }
  }
  return json;
}

/// @param named  each line begins with the file's name
std::string report_text(const LintReport& report, bool named) {
  const std::string name = named ? printable(report.name, 200) + ": " : "";
  if (!report.unreadable.empty()) {
    return named ? fmt::format("{}cannot be read\n", name) : "";
  }
  std::string text;
  for (const rig::Finding& finding : report.mended) {
    text += finding_line(name + "fixed", finding);
  }
  for (const edit::WeightRepair& repair : report.repairs) {
    text += fmt::format("{}weights: {}: {}{}{} [{}]\n", name, printable(repair.finding.where, 200), repair.tool,
                        repair.tool.empty() ? "" : ": ", edit::sentence(repair), repair.finding.code);
  }
  for (const rig::Finding& finding : report.findings) {
    text += finding_line(name + std::string(severity_name(finding.severity)), finding);
  }
  const LintCounts counts = count_findings(report.findings);
  text += report.findings.empty() ? name + "no findings\n"
                                  : fmt::format("{}{} error(s), {} warning(s), {} remark(s)\n", name, counts.errors,
                                                counts.warnings, counts.infos);
  text += report.unwritten.empty() ? "" : name + "no mended copy was written\n";
  return text;
}

/// Why a report makes the verb fail; empty where it does not.
std::string failure_of(const LintReport& report, const std::string& fail_on) {
  if (!report.unreadable.empty()) {
    return report.unreadable;
  }
  if (!report.unwritten.empty()) {
    return report.unwritten;
  }
  const LintCounts counts = count_findings(report.findings);
  const bool failed =
      (fail_on == "warning" && counts.errors + counts.warnings > 0) || (fail_on == "error" && counts.errors > 0);
  return failed ? fmt::format("{}: {} error(s) and {} warning(s)", report.name, counts.errors, counts.warnings) : "";
}

/// Where the mended copies go: the output itself, or files in it named after the inputs.
Result<std::vector<std::string>> copy_names(const LintOptions& options) {
  std::vector<std::string> out;
  for (const std::string& file : options.files) {
    if (options.files.size() == 1 || !options.fix) {
      out.push_back(options.output);
      continue;
    }
    const std::string stem = file == "-" ? "standard_input" : std::filesystem::path(file).stem().string();
    const std::string name =
        (std::filesystem::path(options.output) / (stem.substr(stem.starts_with('@') ? 1 : 0) + ".glb")).string();
    if (const auto same = std::ranges::find(out, name); same != out.end()) {
      return error("{}: the copies of {} and {} would both be written there", printable(name, 200),
                   printable(options.files[same - out.begin()], 200), printable(file, 200));
    }
    out.push_back(name);
  }
  return out;
}

/// Fails where there is no rule of that code, or none that --fix mends, and lists those that there are.
Status check_lint_code(const std::string& code, bool must_be_fixable) {
  std::vector<std::string> codes;
  for (const rig::LintRule& rule : rig::lint_rules()) {
    if (rule.fixable || is_repairable(rule.code) || !must_be_fixable) {
      codes.emplace_back(rule.code);
    }
  }
  if (contains_code(codes, code)) {
    return {};
  }
  std::string list;
  for (const std::string& one : codes) {
    list += (list.empty() ? "" : ", ") + one;
  }
  return error("there is no {}code \"{}\"{}; there are {}", must_be_fixable ? "fixable " : "", printable(code, 80),
               suggestion(code, codes), list);
}

Result<int> run_lint(const LintOptions& options) {
  if (options.rules) {
    const Status printed = print_result(rules_text(options.json), form_of(options.json));
    return printed ? Result<int>(0) : printed.error();
  }
  for (const std::string& file : options.files) {
    if (!file.starts_with('@')) {
      note_read(file, "the input");
    }
  }
  PELT_TRY_TO(const std::vector<std::string> copies, copy_names(options));
  for (const std::string& copy : copies) {
    PELT_TRY(options.fix ? check_output(copy) : Status());
  }
  const bool several = options.files.size() > 1;
  std::string text;
  LintJson reports = LintJson::array();
  std::vector<std::string> failures;
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    const LintReport report = lint_file(options, options.files[i], copies[i]);
    if (options.json) {
      reports.push_back(report_json(report, options.fix));
    } else {
      text += report_text(report, several);
    }
    if (std::string failure = failure_of(report, options.fail_on); !failure.empty()) {
      failures.push_back(std::move(failure));
    }
  }
  if (options.json) {
    text = dump_lint(several ? reports : reports[0]);
  }
  PELT_TRY(text.empty() ? Status() : print_result(text, form_of(options.json)));
  if (!failures.empty()) {
    return failures.size() == 1
               ? error("{}", failures.front())
               : error("{} of {} files failed, the first {}", failures.size(), options.files.size(), failures.front());
  }
  return 0;
}

// Adds a code to the list.
auto code_taker(std::vector<std::string>& codes, bool must_be_fixable) {
  return [&codes, must_be_fixable](const std::string& code) {
    const Status known = check_lint_code(code, must_be_fixable);
    if (known) {
      codes.push_back(code);
    }
    return known;
  };
}

void add_lint_flags(Command& verb, LintOptions& options) {
  add_files_argument(verb, options.files, options.evaluation);
  verb.add_flag("--json", options.json, "For programs; see src/cli/machine_output.md");
  verb.add_option("--fail-on", options.fail_on, "Exit with 1 from this severity on (default error)")
      ->type_name("warning|error|never")
      ->one_of({"warning", "error", "never"});
  verb.add_flag("--rules", options.rules, "List what is looked for, with remedies, and nothing else");
  verb.add_repeated_option("--ignore", code_taker(options.ignore, false),
                           "Findings of this code are neither told nor counted; may be repeated")
      ->type_name("CODE");
  Option* fix = verb.add_flag("--fix", options.fix,
                              "Write a copy with everything mended that can be mended without moving a vertex");
  verb.add_repeated_option("--fix-only", code_taker(options.fix_only, true),
                           "Mend findings of this code only, and what reading a file repairs; may be repeated")
      ->type_name("CODE")
      ->needs(fix);
  verb.add_flag(
          "--fix-weights", options.fix_weights,
          "Mend in that copy also what the tools of `pelt weights` can, which changes how the mesh moves; each "
          "is told with what it changed. weight-asymmetry, by mirroring left to right, only where --fix-only names "
          "it")
      ->needs(fix);
  verb.add_option("-o,--output", options.output, "The mended copy (.glb); a folder where there are several files")
      ->type_name("OUT")
      ->needs(fix);
  verb.footer(
      "Examples:\n"
      "  pelt lint fox.glb --fail-on warning\n"
      "  pelt lint fox.glb --fix -o sound.glb\n"
      "  pelt lint fox.glb --fix --fix-weights --fix-only rogue-weight -o tidy.glb\n"
      "  pelt lint *.glb --json --ignore unused-joint\n"
      "  pelt lint --rules");
}

void check_lint(const LintOptions& options) {
  const bool several = options.files.size() > 1;
  require(options.rules || !options.files.empty(), "FILE", "is required");
  require(std::ranges::count(options.files, "-") <= 1, "FILE", "standard input can be read once only");
  require(!options.fix || (!options.output.empty() && options.output != "-"), "--fix",
          several ? "needs -o FOLDER" : "needs -o OUT.glb");
  const std::string ending = extension_of(options.output);
  const bool changes_weights = std::ranges::any_of(options.fix_only, [](const std::string& code) {
    const rig::LintRule* const rule = rig::find_lint_rule(code);
    return is_repairable(code) && rule != nullptr && !rule->fixable;
  });
  require(!changes_weights || options.fix_weights, "--fix-only",
          "some of these findings are mended by changing weights: add --fix-weights");
  require(!options.fix || several || ending == "glb", "--output", "expected a name that ends in .glb");
  require(!options.fix || !several || ending != "glb", "--output", "expected a folder for several files");
}

}  // namespace

Verb add_lint_verb(Command& verb) {
  const auto options = std::make_shared<LintOptions>();
  options->evaluation.check_conformance = true;
  add_lint_flags(verb, *options);
  return {[options] { check_lint(*options); }, [options](const Surroundings&) { return run_lint(*options); }};
}

}  // namespace pelt::cli
