#include "cli/command_line.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "core/result.h"
#include "core/text.h"

namespace pelt::cli {
namespace {

constexpr int kHelpColumn = 34;  // where what is said of a flag begins

// The long flags of a verb, with those of its option groups, which CLI11 keeps as subcommands without a name.
std::vector<std::string> flags_of(const CLI::App& verb) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      flags.push_back("--" + name);
    }
  }
  for (const CLI::App* group : verb.get_subcommands([](const CLI::App* app) { return app->get_name().empty(); })) {
    const std::vector<std::string> more = flags_of(*group);
    flags.insert(flags.end(), more.begin(), more.end());
  }
  return flags;
}

// One line that starts with the flag. CLI11's own wording except for what it did not expect, where it names no
// alternative.
// The verb, or the operation of a verb, that was read last.
const CLI::App& innermost(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.back());
}

std::vector<std::string> operations_of(const CLI::App& app) {
  std::vector<std::string> ids;
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (!chosen.empty()) {
    for (const CLI::App* operation : std::as_const(*chosen.front()).get_subcommands([](const CLI::App* sub) {
           return !sub->get_name().empty();  // groups of flags have none
         })) {
      ids.push_back(operation->get_name());
    }
  }
  return ids;
}

std::string usage_message(const CLI::ParseError& failure, const CLI::App& app) {
  std::string message = failure.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&failure) != nullptr) {
    const std::vector<std::string> operations = operations_of(app);
    const std::vector<std::string> extras = app.remaining(true);
    const std::string first = extras.empty() ? std::string() : extras.front();
    message = operations.empty() || first.starts_with('-')
                  ? fmt::format("unexpected \"{}\"{}", printable(first), suggestion(first, flags_of(innermost(app))))
                  : fmt::format("unknown operation \"{}\"{}; there are: {}", printable(first),
                                suggestion(first, operations), fmt::join(operations, ", "));
  }
  return message.substr(0, message.find('\n'));
}

FlagDescription described(const CLI::Option& option, const std::vector<std::string>& words) {
  FlagDescription flag;
  for (const std::string& name : option.get_snames()) {
    flag.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    flag.names.push_back("--" + name);
  }
  flag.positional = flag.names.empty();
  if (flag.positional) {
    flag.names.push_back(option.get_name());
  }
  flag.help = option.get_description();
  flag.required = option.get_required();
  flag.repeated = option.get_expected_max() > 1;
  // A flag that may carry a word says so by its type; what CLI11 calls the type of other flags says nothing.
  const std::string value = option.get_type_name();
  flag.value_optional = value.starts_with("[=");
  const bool takes_value = option.get_items_expected_min() > 0 || flag.value_optional;
  flag.value = takes_value && !flag.positional ? value : "";
  flag.words = words_of_value(flag.value);
  flag.words.insert(flag.words.end(), words.begin(), words.end());
  std::ranges::sort(flag.words);
  flag.words.erase(std::unique(flag.words.begin(), flag.words.end()), flag.words.end());
  return flag;
}

}  // namespace

Option* Option::type_name(const std::string& name) {
  parsed_->type_name(name);
  return this;
}

Option* Option::required(bool value) {
  parsed_->required(value);
  return this;
}

Option* Option::group(const std::string& title) {
  parsed_->group(title);
  return this;
}

Option* Option::between(int least, int most) {
  parsed_->check([least, most](const std::string& text) {
    const std::optional<int> value = parse_integer(text);
    return value && *value >= least && *value <= most
               ? std::string()
               : fmt::format("expected a whole number from {} to {}, got \"{}\"", least, most, printable(text));
  });
  return this;
}

Option* Option::between(double least, double most) {
  parsed_->check([least, most](const std::string& text) {
    const std::optional<double> value = parse_number(text);
    return value && *value >= least && *value <= most
               ? std::string()
               : fmt::format("expected a number from {:g} to {:g}, got \"{}\"", least, most, printable(text));
  });
  return this;
}

Option* Option::offers(const std::vector<std::string>& words) {
  words_.insert(words_.end(), words.begin(), words.end());
  return this;
}

Option* Option::one_of(const std::vector<std::string>& words) {
  words_ = words;
  parsed_->check(CLI::IsMember(words).description(""));
  return this;
}

Option* Option::needs(Option* other) {
  parsed_->needs(other->parsed_);
  return this;
}

Option* Option::excludes(Option* other) {
  parsed_->excludes(other->parsed_);
  return this;
}

Option* Option::excludes(const std::string& flag) {
  parsed_->excludes(flag);
  return this;
}

std::size_t Option::count() const {
  return parsed_->count();
}

std::string Option::get_name() const {
  return parsed_->get_name();
}

std::optional<FlagDescription> Option::describe() const {
  return parsed_->get_group().empty() ? std::nullopt : std::optional(described(*parsed_, words_));
}

Option* Command::keep(CLI::Option* option) {
  return &options_.emplace_back(option);
}

Command& Command::keep(CLI::App* app) {
  return *groups_.emplace_back(std::make_unique<Command>(app));
}

Option* Command::add_flag(const std::string& names, bool& target, const std::string& help) {
  return keep(parsed_->add_flag(names, target, help));
}

Option* Command::add_word_flag(const std::string& names, std::string& target, const std::string& help) {
  return keep(parsed_->add_flag(names, target, help));
}

Option* Command::add_flag_callback(const std::string& names, std::function<void()> callback, const std::string& help) {
  return keep(parsed_->add_flag_callback(names, std::move(callback), help));
}

Option* Command::add_option(const std::string& names, std::string& target, const std::string& help) {
  return keep(parsed_->add_option(names, target, help));
}

Option* Command::add_option(const std::string& names, std::optional<std::string>& target, const std::string& help) {
  return keep(parsed_->add_option(names, target, help));
}

Option* Command::add_option(const std::string& names, int& target, const std::string& help) {
  return keep(parsed_->add_option(names, target, help));
}

Option* Command::add_option(const std::string& names, double& target, const std::string& help) {
  return keep(parsed_->add_option(names, target, help));
}

Option* Command::add_option(const std::string& names, std::vector<std::string>& target, const std::string& help) {
  CLI::Option* option = parsed_->add_option(names, target, help);
  return keep(names.starts_with('-') ? option->allow_extra_args(false) : option);
}

Option* Command::add_text_option(const std::string& names, std::function<Status(const std::string&)> read,
                                 const std::string& help) {
  return keep(parsed_->add_option_function<std::string>(
      names,
      [names, read = std::move(read)](const std::string& text) {
        if (const Status status = read(text); !status) {
          throw CLI::ValidationError(names, status.error().message);
        }
      },
      help));
}

Option* Command::add_repeated_option(const std::string& names, std::function<Status(const std::string&)> read,
                                     const std::string& help) {
  return keep(parsed_
                  ->add_option_function<std::vector<std::string>>(
                      names,
                      [names, read = std::move(read)](const std::vector<std::string>& texts) {
                        for (const std::string& text : texts) {
                          if (const Status status = read(text); !status) {
                            throw CLI::ValidationError(names, status.error().message);
                          }
                        }
                      },
                      help)
                  ->allow_extra_args(false));
}

Command& Command::add_option_group(const std::string& title) {
  return keep(parsed_->add_option_group(title));
}

Command& Command::add_operation(const std::string& id, const std::string& help, std::function<void()> begin,
                                std::function<void()> done) {
  // As many as one likes, where the program takes one verb alone.
  parsed_->require_subcommand(0);
  const auto formatter = std::make_shared<CLI::Formatter>();
  formatter->column_width(kHelpColumn);
  formatter->label("SUBCOMMAND", "OPERATION...");
  parsed_->formatter(formatter);
  CLI::App* operation = parsed_->add_subcommand(id, help);
  operation->footer("");
  operation->immediate_callback();
  operation->preparse_callback([begin = std::move(begin)](std::size_t) { begin(); });
  operation->parse_complete_callback(std::move(done));
  operation->group("Operations");
  return keep(operation);
}

void Command::footer(const std::string& text) {
  parsed_->footer(text);
}

void Command::hide() {
  parsed_->group("");
}

std::optional<VerbDescription> Command::describe() const {
  if (parsed_->get_group().empty()) {
    return std::nullopt;
  }
  VerbDescription verb{parsed_->get_name(), parsed_->get_description(), parsed_->get_footer(), {}};
  FlagGroup& own = verb.groups.emplace_back();
  for (const Option& option : options_) {
    if (std::optional<FlagDescription> flag = option.describe()) {
      own.flags.push_back(*std::move(flag));
    }
  }
  // CLI11 gives one to groups as well.
  if (const CLI::Option* help = parsed_->get_help_ptr(); help != nullptr && !verb.name.empty()) {
    own.flags.push_back(described(*help, {}));
  }
  for (const std::unique_ptr<Command>& group : groups_) {
    FlagGroup described_group = std::move(group->describe()->groups.front());
    const std::string name = group->parsed_->get_name();  // of an operation; other groups have none
    described_group.title = name.empty() ? group->parsed_->get_group()
                                         : fmt::format("Operation {} ({})", name, group->parsed_->get_description());
    verb.groups.push_back(std::move(described_group));
  }
  return verb;
}

std::size_t Command::count(const std::string& flag) const {
  return parsed_->count(flag);
}

CommandLine::CommandLine(const std::string& name, const std::string& version, const std::string& help,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(help, name)), version_(version) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->get_formatter()->column_width(kHelpColumn);
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

Command* CommandLine::add_subcommand(const std::string& verb, const std::string& help) {
  return &verbs_.emplace_back(app_->add_subcommand(verb, help));
}

std::optional<std::string> CommandLine::parse(const std::vector<std::string>& arguments) {
  try {
    app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForVersion&) {
    return version_ + "\n";
  } catch (const CLI::Success& wish) {  // --help
    const bool all = dynamic_cast<const CLI::CallForAllHelp*>(&wish) != nullptr;
    const CLI::AppFormatMode mode = all ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal;
    const CLI::App& asked = innermost(*app_);
    std::string before;  // the names that lead to it
    for (const CLI::App* app = asked.get_parent(); app != nullptr; app = app->get_parent()) {
      before = before.empty() ? app->get_name() : app->get_name() + " " + before;
    }
    return asked.help(before, mode);
  } catch (const CLI::ParseError& failure) {
    throw UsageError(usage_message(failure, *app_));
  }
  return std::nullopt;
}

std::string CommandLine::verb() const {
  const std::vector<CLI::App*> chosen = app_->get_subcommands();
  return chosen.empty() ? std::string() : chosen.back()->get_name();
}

ProgramDescription CommandLine::describe() const {
  ProgramDescription program{app_->get_name(), version_, app_->get_description(), app_->get_footer(), {}, {}};
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    program.flags.push_back(described(*option, {}));
  }
  for (const Command& command : verbs_) {
    if (std::optional<VerbDescription> verb = command.describe()) {
      program.verbs.push_back(*std::move(verb));
    }
  }
  return program;
}

}  // namespace pelt::cli
