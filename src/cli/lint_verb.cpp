#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/open.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "gltf/export.h"
#include "rig/lint.h"
#include "rig/lint_fix.h"

namespace pelt::cli {
namespace {

using LintJson = nlohmann::ordered_json;

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

std::string rules_text(bool json) {
  if (!json) {
    std::string text;
    for (const rig::LintRule& rule : rig::lint_rules()) {
      text += fmt::format("{} ({}{})\n  {}\n  {}\n", rule.code, severity_name(rule.severity),
                          rule.fixable ? ", --fix" : "", rule.explanation, rule.remedy);
    }
    return text;
  }
  LintJson rows = LintJson::array();
  for (const rig::LintRule& rule : rig::lint_rules()) {
    rows.push_back({{"code", rule.code},
                    {"severity", severity_name(rule.severity)},
                    {"explanation", rule.explanation},
                    {"remedy", rule.remedy},
                    {"fixable", rule.fixable}});
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
    rows.push_back({{"severity", severity_name(finding.severity)},
                    {"code", finding.code},
                    {"place", finding.where},
                    {"at", place_json(finding.place)},
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

}  // namespace

Result<int> run_lint(const LintOptions& options) {
  if (options.rules) {
    const Status printed = print_result(rules_text(options.json));
    return printed ? Result<int>(0) : printed.error();
  }
  if (options.fix) {
    if (Status writable = check_output(options.output, options.evaluation); !writable) {
      return writable.error();
    }
  }
  const auto character = open_character_file(options.evaluation);
  if (!character) {
    return character.error();
  }
  Result<rig::Findings> findings = rig::lint(**character);
  if (!findings) {
    return findings.error();
  }
  rig::Findings mended;
  if (options.fix) {
    const rig::Character sound = rig::fixed(**character);
    const Result<std::vector<std::uint8_t>> glb = gltf::export_glb(sound);
    if (!glb) {
      return glb.error().in(options.output);
    }
    const std::string_view bytes(reinterpret_cast<const char*>(glb->data()), glb->size());
    if (const Status written = write_output(options.output, bytes); !written) {
      return written.error();
    }
    std::ranges::copy_if(*findings, std::back_inserter(mended), is_fixable);
    findings = rig::lint(sound);
    if (!findings) {
      return findings.error();
    }
  }
  std::array<std::size_t, 3> counts{};
  for (const rig::Finding& finding : *findings) {
    ++counts[static_cast<std::size_t>(finding.severity)];
  }
  const std::size_t infos = counts[static_cast<std::size_t>(Severity::kInfo)];
  const std::size_t warnings = counts[static_cast<std::size_t>(Severity::kWarning)];
  const std::size_t errors = counts[static_cast<std::size_t>(Severity::kError)];
  std::string text;
  if (options.json) {
    LintJson json;
    json["file"] = shown_name(options.evaluation);
    json["counts"] = {{"error", errors}, {"warning", warnings}, {"info", infos}};
    json["findings"] = findings_json(*findings);
    if (options.fix) {
      json["fixed"] = findings_json(mended);
    }
    text = dump_lint(json);
  } else {
    for (const rig::Finding& finding : mended) {
      text += finding_line("fixed", finding);
    }
    for (const rig::Finding& finding : *findings) {
      text += finding_line(severity_name(finding.severity), finding);
    }
    text += findings->empty() ? "no findings\n"
                              : fmt::format("{} error(s), {} warning(s), {} remark(s)\n", errors, warnings, infos);
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
