// The manual page, in the macros of groff's man(7).
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/description.h"
#include "core/text.h"

namespace pelt::cli {
namespace {

// Text as groff prints it: its own signs spelled out, dashes that can be copied, words between backticks bold.
std::string roff(std::string_view text) {
  std::string out;
  bool bold = false;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\(rs";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '`':
        bold = !bold;
        out += bold ? "\\fB" : "\\fR";
        break;
      default:
        out += c;
    }
  }
  // A line that begins with a dot would be a macro.
  return out.starts_with('.') ? "\\&" + out : out;
}

// Paragraphs; lines that begin with two spaces are examples, shown as they are.
std::string roff_lines(std::string_view text) {
  std::string out;
  bool example = false;
  for (const std::string_view line : split(text, '\n')) {
    const bool code = line.starts_with("  ");
    if (code != example) {
      out += code ? ".PP\n.EX\n" : ".EE\n.PP\n";
      example = code;
    } else if (!code && !out.empty() && !line.empty()) {
      out += ".br\n";
    }
    if (!line.empty()) {
      out += roff(line) + "\n";
    }
  }
  return example ? out + ".EE\n" : out;
}

std::string roff_flag(const FlagDescription& flag) {
  std::vector<std::string> names;
  for (const std::string& name : flag.names) {
    const std::string value = flag.value_optional      ? roff(flag.value)
                              : flag.value.empty()     ? std::string()
                              : name.starts_with("--") ? "=" + roff(flag.value)
                                                       : " " + roff(flag.value);
    names.push_back(fmt::format("\\fB{}\\fR{}", roff(name), value));
  }
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "), flag.required ? " (required)" : "",
                     flag.help.empty() ? "\\&" : roff(flag.help));
}

// The groups that more than one verb has, alike, and are therefore listed once.
std::vector<FlagGroup> shared_groups(const ProgramDescription& program) {
  std::vector<FlagGroup> seen;
  std::vector<FlagGroup> shared;
  for (const VerbDescription& verb : program.verbs) {
    for (const FlagGroup& group : verb.groups) {
      if (group.title.empty()) {
        continue;
      }
      if (std::ranges::find(seen, group) == seen.end()) {
        seen.push_back(group);
      } else if (std::ranges::find(shared, group) == shared.end()) {
        shared.push_back(group);
      }
    }
  }
  return shared;
}

std::string roff_verb(const ProgramDescription& program, const VerbDescription& verb,
                      const std::vector<FlagGroup>& shared) {
  std::string arguments;
  std::string flags;
  std::vector<std::string> elsewhere;
  for (const FlagGroup& group : verb.groups) {
    if (std::ranges::find(shared, group) != shared.end()) {
      elsewhere.push_back("\\(lq" + roff(group.title) + "\\(rq");
      continue;
    }
    if (!group.title.empty()) {
      flags += fmt::format(".PP\n{}:\n", roff(group.title));
    }
    for (const FlagDescription& flag : group.flags) {
      if (flag.positional) {
        const std::string name = fmt::format("\\fI{}\\fR", roff(flag.names.front()));
        arguments += (flag.required ? " " + name : " [" + name + "]") + (flag.repeated ? " .\\|.\\|." : "");
      }
      flags += roff_flag(flag);
    }
  }
  std::string out = fmt::format(".SS {}\n.B {} {}\n[\\fIOPTION\\fR .\\|.\\|.]{}\n.PP\n{}.\n{}", roff(verb.name),
                                roff(program.name), roff(verb.name), arguments, roff(verb.help), flags);
  if (!elsewhere.empty()) {
    out += fmt::format(".PP\nAlso takes the options listed under {}.\n", fmt::join(elsewhere, " and "));
  }
  return out + ".PP\n" + roff_lines(verb.footer);
}

// "Pelt opens a file and shows it.\nMore" for the program "pelt": "opens a file and shows it".
std::string name_line(const ProgramDescription& program) {
  const std::string_view sentence = std::string_view(program.help).substr(0, program.help.find(".\n"));
  const std::size_t first_word_end = sentence.find(' ');
  return std::string(sentence.substr(first_word_end == std::string_view::npos ? 0 : first_word_end + 1));
}

}  // namespace

std::string manual_page(const ProgramDescription& program) {
  std::string upper = program.name;
  std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  std::string out = fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", roff(upper),
                                roff(program.version), roff(program.name), roff(name_line(program)));
  out += fmt::format(".SH SYNOPSIS\n.B {}\n[\\fIFILE\\fR]\n.br\n.B {}\n\\fIVERB\\fR [\\fIOPTION\\fR .\\|.\\|.]\n",
                     roff(program.name), roff(program.name));
  out += ".SH DESCRIPTION\n" + roff_lines(program.help);
  for (const FlagDescription& flag : program.flags) {
    out += roff_flag(flag);
  }
  const std::vector<FlagGroup> shared = shared_groups(program);
  out += ".SH VERBS\n";
  for (const VerbDescription& verb : program.verbs) {
    out += roff_verb(program, verb, shared);
  }
  out += ".SH OPTIONS OF SEVERAL VERBS\n";
  for (const FlagGroup& group : shared) {
    out += fmt::format(".SS {}\n", roff(group.title));
    for (const FlagDescription& flag : group.flags) {
      out += roff_flag(flag);
    }
  }
  return out + ".SH EXAMPLES AND EXIT STATUS\n" + roff_lines(program.footer);
}

}  // namespace pelt::cli
