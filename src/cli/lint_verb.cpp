#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/open.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "rig/surface_lint.h"

namespace pelt::cli {
namespace {

std::string_view name_of(Severity severity) {
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

}  // namespace

Result<int> run_lint(const LintOptions& options) {
  const auto character = open_character_file(options.evaluation);
  if (!character) {
    return character.error();
  }
  Diagnostics findings = (*character)->diagnostics;
  const Diagnostics surface = rig::surface_findings(**character);
  findings.insert(findings.end(), surface.begin(), surface.end());
  std::ranges::stable_sort(findings, std::greater<>(), &Diagnostic::severity);
  std::array<std::size_t, 3> counts{};
  for (const Diagnostic& finding : findings) {
    ++counts[static_cast<std::size_t>(finding.severity)];
  }
  const std::size_t warnings = counts[static_cast<std::size_t>(Severity::kWarning)];
  const std::size_t errors = counts[static_cast<std::size_t>(Severity::kError)];
  std::string text;
  if (options.json) {
    nlohmann::ordered_json json;
    json["file"] = shown_name(options.evaluation);
    json["counts"] = {
        {"error", errors}, {"warning", warnings}, {"info", counts[static_cast<std::size_t>(Severity::kInfo)]}};
    json["findings"] = nlohmann::ordered_json::array();
    for (const Diagnostic& finding : findings) {
      json["findings"].push_back({{"severity", name_of(finding.severity)},
                                  {"code", finding.code},
                                  {"place", finding.place},
                                  {"message", finding.message}});
    }
    text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  } else {
    for (const Diagnostic& finding : findings) {
      text += fmt::format("{}: {}: {} [{}]\n", name_of(finding.severity), printable(finding.place, 200),
                          printable(finding.message, 500), finding.code);
    }
    text += findings.empty() ? "no findings\n" : fmt::format("{} error(s), {} warning(s)\n", errors, warnings);
  }
  if (Status printed = print_result(text); !printed) {
    return printed.error();
  }
  const bool failed =
      (options.fail_on == "warning" && errors + warnings > 0) || (options.fail_on == "error" && errors > 0);
  if (failed) {
    return error("{}: {} error(s) and {} warning(s)", shown_name(options.evaluation), errors, warnings);
  }
  return 0;
}

}  // namespace pelt::cli
