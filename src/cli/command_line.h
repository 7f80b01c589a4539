#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/description.h"
#include "core/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace pelt::cli {

// The command line as the verbs describe it. CLI11 reads it, but only command_line.cpp knows: its header takes ten
// seconds to compile.

/// The command line is wrong: exit code 2. The sentence starts with the flag.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
  UsageError(const std::string& flag, const std::string& message) : std::runtime_error(flag + ": " + message) {}
};

/// Throws UsageError unless the condition holds.
inline void require(bool condition, const char* flag, const std::string& message) {
  if (!condition) {
    throw UsageError(flag, message);
  }
}

/// One flag or argument. What returns the option itself changes it.
class Option {
 public:
  explicit Option(CLI::Option* parsed) : parsed_(parsed) {}

  /// What help shows as its value: "N", "NAME|INDEX". Shells complete by it: FILE, FOLDER, OUT and names with an ending
  /// ("POSE.json") are paths, small words between bars are choices.
  Option* type_name(const std::string& name);
  /// Words that shells offer beside those of type_name(); others are taken as well.
  Option* offers(const std::vector<std::string>& words);
  Option* required(bool value = true);
  /// The heading it stands under in help; empty: it is left out there.
  Option* group(const std::string& title);
  Option* between(int least, int most);
  Option* between(double least, double most);
  Option* one_of(const std::vector<std::string>& words);
  Option* needs(Option* other);
  Option* excludes(Option* other);
  Option* excludes(const std::string& flag);

  /// How often it was given.
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] std::string get_name() const;
  /// Nothing for one that help leaves out.
  [[nodiscard]] std::optional<FlagDescription> describe() const;

 private:
  CLI::Option* parsed_;
  std::vector<std::string> words_;
};

/// A verb, or a group of flags under a heading of its own. Targets must outlive the reading.
class Command {
 public:
  explicit Command(CLI::App* parsed) : parsed_(parsed) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Option* add_flag(const std::string& names, bool& target, const std::string& help);
  /// A flag that may carry a word behind an equals sign; alone it says "true".
  Option* add_word_flag(const std::string& names, std::string& target, const std::string& help);
  Option* add_flag_callback(const std::string& names, std::function<void()> callback, const std::string& help);
  Option* add_option(const std::string& names, std::string& target, const std::string& help);
  Option* add_option(const std::string& names, std::optional<std::string>& target, const std::string& help);
  Option* add_option(const std::string& names, int& target, const std::string& help);
  Option* add_option(const std::string& names, double& target, const std::string& help);
  /// A name without dashes takes all values; a flag may be repeated, and each takes one.
  Option* add_option(const std::string& names, std::vector<std::string>& target, const std::string& help);
  /// Each value goes through `read`, whose error becomes "--flag: expected ..., got ...".
  Option* add_text_option(const std::string& names, std::function<Status(const std::string&)> read,
                          const std::string& help);
  /// The same for a flag that may be repeated.
  Option* add_repeated_option(const std::string& names, std::function<Status(const std::string&)> read,
                              const std::string& help);
  Command& add_option_group(const std::string& title);
  /// A word behind which flags of its own stand, any number of times: `done` is called for each occurrence in the order
  /// given, once its flags are read; those that were not given then have what `begin` put there.
  Command& add_operation(const std::string& id, const std::string& help, std::function<void()> begin,
                         std::function<void()> done);
  /// Examples, below the flags in help.
  void footer(const std::string& text);
  /// Leaves the verb out of help and of descriptions.
  void hide();
  /// Nothing for a hidden one.
  [[nodiscard]] std::optional<VerbDescription> describe() const;

  /// How often a flag was given.
  [[nodiscard]] std::size_t count(const std::string& flag) const;

 protected:
  Option* keep(CLI::Option* option);
  Command& keep(CLI::App* app);

 private:
  CLI::App* parsed_;
  std::list<Option> options_;
  std::list<std::unique_ptr<Command>> groups_;
};

/// The program's command line: its verbs, and what was asked for.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& version, const std::string& help, const std::string& footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command* add_subcommand(const std::string& verb, const std::string& help);

  /// Reads the words behind the program's name. Throws UsageError.
  /// @return the text that --help or --version ask for; nothing: do what verb() says
  std::optional<std::string> parse(const std::vector<std::string>& arguments);
  /// Empty until parse() found one.
  [[nodiscard]] std::string verb() const;
  /// All that help shows, as data.
  [[nodiscard]] ProgramDescription describe() const;

 private:
  std::unique_ptr<CLI::App> app_;
  std::string version_;
  std::list<Command> verbs_;
};

}  // namespace pelt::cli
