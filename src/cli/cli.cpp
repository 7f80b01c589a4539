#include "cli/cli.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "core/version.h"

namespace pelt::cli {
namespace {

constexpr int kWorkFailed = 1;
constexpr int kWrongCommandLine = 2;

bool is_help_or_version(std::string_view argument) {
  return argument == "--help" || argument == "-h" || argument == "--version" || argument == "--help-all";
}

bool is_verb(std::string_view word) {
  return std::ranges::any_of(kVerbs, [&](const VerbRow& row) { return row.id == word; });
}

// The end of an error message: the verb that a word may be meant as.
std::string verb_suggestion(std::string_view word) {
  std::vector<std::string> ids;
  for (const VerbRow& row : kVerbs) {
    ids.emplace_back(row.id);
  }
  return suggestion(word, ids);
}

// A word in a verb's place that is no verb: a file's name, or a verb mistyped.
bool looks_like_mistyped_verb(const std::string& word) {
  std::error_code ignored;
  return word.find_first_of("./@\\") == std::string::npos && word != "-" && !word.starts_with('-') &&
         !std::filesystem::exists(word, ignored) && !is_verb(word) && !verb_suggestion(word).empty();
}

int complain(int code, std::string_view message) {
  // One line, whatever names were in it; long enough for a path and what is wrong with it.
  std::fputs(fmt::format("pelt: {}\n", printable(message, 2000)).c_str(), stderr);
  return code;
}

// Runs the work; what it throws is no fault of the command line.
int run_verb(const Verb& verb, const Surroundings& around) {
  try {
    const Result<int> code = verb.run(around);
    return code ? *code : complain(kWorkFailed, code.error().message);
  } catch (const std::bad_alloc&) {
    return complain(kWorkFailed, "out of memory");
  } catch (const std::exception& failure) {
    return complain(kWorkFailed, fmt::format("internal error: {}", failure.what()));
  }
}

}  // namespace

int run(int argc, const char* const* argv, const WindowHooks& hooks) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && looks_like_mistyped_verb(arguments[0])) {
    return complain(kWrongCommandLine, fmt::format("\"{}\" is neither a verb nor a file{} (see pelt --help)",
                                                   printable(arguments[0]), verb_suggestion(arguments[0])));
  }
  if (arguments.empty() || (!is_help_or_version(arguments[0]) && !is_verb(arguments[0]))) {
    arguments.insert(arguments.begin(), kVerbs.front().id);
  }
  CommandLine line(
      "pelt", fmt::format("pelt {}", version()),
      "Pelt opens a rigged glTF character and shows what its skin does.\n`pelt [FILE]` opens the window.",
      "Examples:\n"
      "  pelt fox.glb\n"
      "  pelt render @mannequin -o mannequin.png\n"
      "  pelt bake fox.glb --clip Walk --time 0.5 -o posed.obj\n"
      "`pelt VERB --help` says more. Exit code 0: done, 1: the work failed, 2: the command line is wrong.");
  std::map<std::string, Verb> verbs;
  for (const VerbRow& row : kVerbs) {
    verbs.emplace(row.id, row.add(*line.add_subcommand(row.id, row.help)));
  }
  try {
    if (const std::optional<std::string> answer = line.parse(arguments)) {
      const Status printed = print_result(*answer, TextForm::kLines);
      return printed ? 0 : complain(kWorkFailed, printed.error().message);
    }
    if (const auto& check = verbs[line.verb()].check) {
      check();
    }
  } catch (const UsageError& mistake) {
    const std::string asked = line.verb().empty() ? "" : line.verb() + " ";
    return complain(kWrongCommandLine, fmt::format("{} (see pelt {}--help)", mistake.what(), asked));
  }
  return run_verb(verbs[line.verb()], {hooks, line});
}

}  // namespace pelt::cli
