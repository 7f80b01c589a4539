#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::cli {

// What the verbs and flags are, as data: the manual and what shells complete are made of it, so that a new flag appears
// there by itself.

/// One flag, or one argument.
struct FlagDescription {
  std::vector<std::string> names;  ///< with their dashes; of an argument its one name
  std::string value;               ///< as help shows it, "N"; empty where it takes none
  std::string help;
  std::vector<std::string> words;  ///< that the value may be, sorted; not always all
  bool positional = false;
  bool required = false;
  bool repeated = false;
  bool value_optional = false;  ///< the value follows an equals sign or is left out; `value` is then "[=A|B]"
  bool operator==(const FlagDescription&) const = default;
};

/// Flags under a heading; those of a verb itself have none.
struct FlagGroup {
  std::string title;
  std::vector<FlagDescription> flags;
  bool operator==(const FlagGroup&) const = default;
};

struct VerbDescription {
  std::string name;
  std::string help;
  std::string footer;
  std::vector<FlagGroup> groups;  ///< the first is the verb's own
};

struct ProgramDescription {
  std::string name;
  std::string version;  ///< as --version prints it, "pelt 0.1.0"
  std::string help;
  std::string footer;
  std::vector<FlagDescription> flags;
  std::vector<VerbDescription> verbs;  ///< the first is meant where none is said
};

/// The choices in a value: "bind|full|PANE" has bind and full.
std::vector<std::string> words_of_value(std::string_view value);
/// Whether a value is a path: FILE, FOLDER, OUT, or a name with an ending such as POSE.json.
bool is_path_value(std::string_view value);

/// The manual page in section 1, for man.
std::string manual_page(const ProgramDescription& program);

/// What shells read to complete the command line. An argument offers its words beside the names of files.
std::string bash_completion(const ProgramDescription& program);
std::string zsh_completion(const ProgramDescription& program);
std::string fish_completion(const ProgramDescription& program);

/// What `pelt describe` prints.
struct DescriptionForm {
  std::string_view name;
  std::string (*write)(const ProgramDescription&);
};
inline constexpr std::array kDescriptionForms{
    DescriptionForm{"man", manual_page}, DescriptionForm{"bash", bash_completion},
    DescriptionForm{"zsh", zsh_completion}, DescriptionForm{"fish", fish_completion}};

}  // namespace pelt::cli
