// What bash, zsh and fish read to complete the command line.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/description.h"
#include "core/text.h"

namespace pelt::cli {
namespace {

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_choice(std::string_view piece) {
  return piece.size() > 1 && std::ranges::any_of(piece, is_lower) &&
         std::ranges::all_of(piece, [](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '-'; });
}

template <typename Visit>
void for_each_flag(const VerbDescription& verb, const Visit& visit) {
  for (const FlagGroup& group : verb.groups) {
    for (const FlagDescription& flag : group.flags) {
      visit(flag);
    }
  }
}

// The flags of the program, which is all that is said before a verb.
VerbDescription before_verbs(const ProgramDescription& program) {
  VerbDescription none;
  none.groups.push_back({"", program.flags});
  return none;
}

// The words that a verb's argument may be beside a file's name.
std::vector<std::string> argument_words(const VerbDescription& verb) {
  std::vector<std::string> words;
  for_each_flag(verb, [&](const FlagDescription& flag) {
    if (flag.positional) {
      words.insert(words.end(), flag.words.begin(), flag.words.end());
    }
  });
  return words;
}

std::vector<std::string> verb_names(const ProgramDescription& program) {
  std::vector<std::string> names;
  for (const VerbDescription& verb : program.verbs) {
    names.push_back(verb.name);
  }
  return names;
}

// Between single quotes: `escape` is what a quote becomes there.
std::string quoted(std::string_view text, std::string_view escape) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "'";
}

constexpr std::string_view kPosixQuote = "'\\''";

std::string escaped(std::string_view text, std::string_view signs) {
  std::string out;
  for (const char c : text) {
    if (signs.find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c;
  }
  return out;
}

// One verb's branch: the flags, then what may follow the flag before the cursor.
std::string bash_branch(std::string_view pattern, const VerbDescription& verb) {
  std::vector<std::string> flags;
  std::string cases;
  for_each_flag(verb, [&](const FlagDescription& flag) {
    if (flag.positional) {
      return;
    }
    flags.insert(flags.end(), flag.names.begin(), flag.names.end());
    if (flag.value.empty()) {
      return;
    }
    std::vector<std::string> patterns;
    for (const std::string& name : flag.names) {
      if (!flag.value_optional) {
        patterns.push_back(name);
      }
      patterns.push_back(name + "=");
    }
    const std::string what = !flag.words.empty()
                                 ? "words " + quoted(fmt::format("{}", fmt::join(flag.words, " ")), kPosixQuote)
                             : is_path_value(flag.value) ? "path"
                                                         : "nothing";
    cases += fmt::format("        {}) _pelt_value {}; return ;;\n", fmt::join(patterns, " | "), what);
  });
  return fmt::format("    {})\n      flags={}\n      arguments={}\n      case $previous in\n{}      esac\n      ;;\n",
                     pattern, quoted(fmt::format("{}", fmt::join(flags, " ")), kPosixQuote),
                     quoted(fmt::format("{}", fmt::join(argument_words(verb), " ")), kPosixQuote), cases);
}

constexpr std::string_view kBashStart = R"(# bash completion for pelt, made by `pelt describe bash`

# Offers what may stand as a flag's value: words, a path (which readline completes by itself), or nothing.
_pelt_value() {
  case $1 in
    words) _pelt_offer "$2" ;;
    nothing) compopt +o default +o bashdefault 2>/dev/null ;;
  esac
}

# Offers those of the words that begin as the one before the cursor; readline replaces what stands behind = or :.
_pelt_offer() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
  local breaks=${COMP_WORDBREAKS//[^:=]/}
  if [[ -n $breaks && $word == *["$breaks"]* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*["$breaks"]}"}"}")
  fi
}

_pelt() {
  # The words up to the cursor; readline cuts them at @ and = and :, here they are put together again.
  local -a typed=()
  local rest=$COMP_LINE piece i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    if [[ $i -eq 0 || $rest == [[:space:]]* || -z $rest ]]; then
      typed+=("$piece")
    else
      typed[-1]+=$piece
    fi
    rest=${rest#"${rest%%[![:space:]]*}"}
    rest=${rest#"$piece"}
  done
  local word=${typed[-1]} previous= verb= flags= arguments=
  [[ ${#typed[@]} -lt 2 ]] || previous=${typed[-2]}
  [[ ${#typed[@]} -lt 3 ]] || verb=${typed[1]}
  if [[ $word == --*=* ]]; then
    previous=${word%%=*}=
    word=${word#*=}
  fi
  COMPREPLY=()
  case $verb in
)";

constexpr std::string_view kBashEnd = R"(  if [[ $word == -* ]]; then
    _pelt_offer "$flags"
  elif [[ ${#typed[@]} -eq 2 ]]; then
    _pelt_offer "$verbs $arguments"
  elif [[ $word == @* ]]; then
    _pelt_offer "$arguments"
  fi
}

complete -o bashdefault -o default -F _pelt pelt
)";

// One line of zsh's _arguments.
std::string zsh_flag(const FlagDescription& flag) {
  const std::string action = !flag.words.empty() && flag.positional
                                 ? fmt::format(" _pelt_argument {}", fmt::join(flag.words, " "))
                             : !flag.words.empty() ? fmt::format("({})", fmt::join(flag.words, " "))
                             : flag.positional || is_path_value(flag.value) ? "_files"
                                                                            : " ";
  if (flag.positional) {
    return quoted(fmt::format("{}:{}:{}", flag.repeated ? "*" : "", escaped(flag.names.front(), ":\\"), action),
                  kPosixQuote);
  }
  const std::string message = escaped(flag.value, ":\\");
  const std::string value = flag.value.empty()    ? std::string()
                            : flag.value_optional ? fmt::format("::{}:{}", message, action)
                                                  : fmt::format(":{}:{}", message, action);
  const std::string help = "[" + escaped(flag.help, "[]\\") + "]";
  std::string lines;
  for (const std::string& name : flag.names) {
    const bool is_long = name.starts_with("--");
    const std::string_view attached = flag.value.empty() ? "" : flag.value_optional ? "=-" : is_long ? "=" : "+";
    const std::string others = flag.repeated ? "*" : fmt::format("({})", fmt::join(flag.names, " "));
    lines +=
        (lines.empty() ? "" : " \\\n    ") + quoted(others + name + std::string(attached) + help + value, kPosixQuote);
  }
  return lines;
}

std::string zsh_function(std::string_view name, const VerbDescription& verb) {
  std::string lines;
  for_each_flag(verb, [&](const FlagDescription& flag) { lines += " \\\n    " + zsh_flag(flag); });
  return fmt::format("{}() {{\n  _arguments -S{}\n}}\n\n", name, lines);
}

// One command of fish for one flag. @param condition  under which it is offered
std::string fish_flag(const FlagDescription& flag, std::string_view condition) {
  std::string line = fmt::format("complete -c pelt -n {}", quoted(condition, "\\'"));
  for (const std::string& name : flag.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (flag.value_optional) {
    line += fmt::format(" -a {}", quoted(fmt::format("{}", fmt::join(flag.words, " ")), "\\'"));
  } else if (!flag.words.empty()) {
    line += fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(flag.words, " ")), "\\'"));
  } else if (!flag.value.empty()) {
    line += is_path_value(flag.value) ? " -r -F" : " -x";
  }
  return line + fmt::format(" -d {}\n", quoted(escaped(flag.help, "\\"), "\\'"));
}

std::string fish_verb(const VerbDescription& verb, std::string_view condition) {
  std::string out;
  for_each_flag(verb, [&](const FlagDescription& flag) {
    if (!flag.positional) {
      out += fish_flag(flag, condition);
    }
  });
  if (const std::vector<std::string> words = argument_words(verb); !words.empty()) {
    out += fmt::format("complete -c pelt -n {} -a {}\n", quoted(condition, "\\'"),
                       quoted(fmt::format("{}", fmt::join(words, " ")), "\\'"));
  }
  return out;
}

}  // namespace

std::vector<std::string> words_of_value(std::string_view value) {
  if (value.starts_with("[=") && value.ends_with(']')) {
    value = value.substr(2, value.size() - 3);
  }
  std::vector<std::string> words;
  for (const std::string_view piece : split(value, '|')) {
    if (value.find('|') != std::string_view::npos && is_choice(piece)) {
      words.emplace_back(piece);
    }
  }
  return words;
}

bool is_path_value(std::string_view value) {
  for (const std::string_view word : {"FILE", "FOLDER", "OUT"}) {
    if (value.find(word) != std::string_view::npos) {
      return true;
    }
  }
  const std::size_t dot = value.find('.');
  return dot != std::string_view::npos && dot + 1 < value.size() && is_lower(value[dot + 1]);
}

std::string bash_completion(const ProgramDescription& program) {
  std::string out(kBashStart);
  for (const VerbDescription& verb : program.verbs) {
    if (&verb != &program.verbs.front()) {
      out += bash_branch(verb.name, verb);
    }
  }
  // The first verb is meant where none is said; the program's own flags stand there, too.
  VerbDescription first = program.verbs.front();
  out += bash_branch(first.name, first);
  first.groups.push_back(before_verbs(program).groups.front());
  out += bash_branch("*", first);
  return out +
         fmt::format("  esac\n  local verbs={}\n",
                     quoted(fmt::format("{}", fmt::join(verb_names(program), " ")), kPosixQuote)) +
         std::string(kBashEnd);
}

std::string zsh_completion(const ProgramDescription& program) {
  std::string out =
      "#compdef pelt\n# zsh completion for pelt, made by `pelt describe zsh`\n\n"
      "_pelt_argument() {\n  compadd -- \"$@\"\n  _files\n}\n\n";
  std::string verbs;
  std::string cases;
  for (const VerbDescription& verb : program.verbs) {
    out += zsh_function("_pelt_" + verb.name, verb);
    verbs += fmt::format("    {}\n", quoted(escaped(verb.name, ":") + ":" + verb.help, kPosixQuote));
    cases += fmt::format("{}{}", cases.empty() ? "" : " | ", verb.name);
  }
  out += zsh_function("_pelt_program", before_verbs(program));
  return out + fmt::format(
                   "_pelt() {{\n"
                   "  local -a verbs=(\n{}  )\n"
                   "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
                   "    _describe -t verbs verb verbs\n"
                   "    _pelt_argument {}\n"
                   "    return\n"
                   "  fi\n"
                   "  case $words[2] in\n"
                   "    {})\n"
                   "      local verb=$words[2]\n"
                   "      shift words\n"
                   "      (( CURRENT-- ))\n"
                   "      _pelt_$verb\n"
                   "      ;;\n"
                   "    *)\n"
                   "      (( CURRENT > 2 )) || _pelt_program\n"
                   "      _pelt_{}\n"
                   "      ;;\n"
                   "  esac\n"
                   "}}\n\n"
                   "_pelt \"$@\"\n",
                   verbs, fmt::join(argument_words(program.verbs.front()), " "), cases, program.verbs.front().name);
}

std::string fish_completion(const ProgramDescription& program) {
  std::string out = "# fish completion for pelt, made by `pelt describe fish`\n";
  for (const FlagDescription& flag : program.flags) {
    out += fish_flag(flag, "__fish_use_subcommand");
  }
  std::vector<std::string> others;
  for (const VerbDescription& verb : program.verbs) {
    out += fmt::format("complete -c pelt -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                       quoted(escaped(verb.help, "\\"), "\\'"));
    if (&verb != &program.verbs.front()) {
      others.push_back(verb.name);
    }
  }
  for (const VerbDescription& verb : program.verbs) {
    const bool is_first = &verb == &program.verbs.front();
    out += fish_verb(verb, is_first ? fmt::format("not __fish_seen_subcommand_from {}", fmt::join(others, " "))
                                    : fmt::format("__fish_seen_subcommand_from {}", verb.name));
  }
  return out;
}

}  // namespace pelt::cli
