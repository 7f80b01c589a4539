// The manual page and the completions name what help names, and shells take them.
#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/description.h"
#include "cli/run_pelt.h"
#include "core/text.h"

namespace pelt::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

bool has_program(const std::string& name) {
  return std::system(fmt::format("command -v {} >/dev/null 2>&1", name).c_str()) == 0;
}

// What a command prints, and its exit code.
Outcome shell(const std::filesystem::path& folder, const std::string& command) {
  const std::filesystem::path out = folder / "shell.out";
  const std::filesystem::path err = folder / "shell.err";
  const int status = std::system(
      fmt::format("cd '{}' && {{ {}\n}} >'{}' 2>'{}' </dev/null", folder.string(), command, out.string(), err.string())
          .c_str());
  return {WEXITSTATUS(status), content_of(out), content_of(err)};
}

class Describe : public PeltTest {
 protected:
  std::string described(const std::string& form) {
    const Outcome run = pelt({"describe", form});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return run.out;
  }

  std::filesystem::path written(const std::string& form) {
    const std::filesystem::path path = base_ / form;
    std::ofstream(path) << described(form);
    return path;
  }

  // Returns the text of `pelt WORDS --help`. The program is started once for the same words.
  const std::string& help_of(std::vector<std::string> words) {
    words.emplace_back("--help");
    const auto [place, is_new] = helps_.try_emplace(words);
    if (is_new) {
      place->second = pelt(words).out;
    }
    return place->second;
  }

  // The verbs that `pelt --help` lists.
  std::vector<std::string> verbs() {
    const std::string help = help_of({});
    const std::size_t start = help.find("Subcommands:\n");
    EXPECT_NE(start, std::string::npos) << help;
    const std::string list = help.substr(start, help.find("\n\n", start) - start);
    const std::regex verb("\n  ([a-z]+) ");
    std::vector<std::string> names;
    for (std::sregex_iterator match(list.begin(), list.end(), verb), end; match != end; ++match) {
      names.push_back((*match)[1]);
    }
    return names;
  }

  // What a verb does one after the other, as `pelt VERB --help` lists it; most verbs list nothing.
  std::vector<std::string> operations(const std::string& verb) {
    const std::string help = help_of({verb});
    const std::size_t start = help.find("\nOperations:");
    std::vector<std::string> names;
    if (start != std::string::npos) {
      const std::string list = help.substr(start, help.find("\n\n", start + 1) - start);
      const std::regex operation("\n  ([a-z-]+) ");
      for (std::sregex_iterator match(list.begin(), list.end(), operation), end; match != end; ++match) {
        names.push_back((*match)[1]);
      }
    }
    return names;
  }

  // The flags that `pelt VERB --help` lists, with their dashes, and those of its operations.
  std::set<std::string> flags(const std::string& verb) {
    std::set<std::string> names = flags_in(help_of({verb}));
    for (const std::string& operation : operations(verb)) {
      names.merge(flags_in(help_of({verb, "-", "-o", "-", operation})));
    }
    return names;
  }
  static std::set<std::string> flags_in(const std::string& help) {
    const std::regex line("\n +(-[a-zA-Z],)?(--[a-z][a-z-]*)(,--[a-z-]+)?");
    std::set<std::string> names;
    for (std::sregex_iterator match(help.begin(), help.end(), line), end; match != end; ++match) {
      const std::string small = (*match)[1];
      const std::string other = (*match)[3];
      names.insert((*match)[2]);
      if (!small.empty()) {
        names.insert(small.substr(0, 2));
      }
      if (!other.empty()) {
        names.insert(other.substr(1));
      }
    }
    return names;
  }

  // What bash offers at the end of a line. Its words are cut as readline cuts them.
  std::vector<std::string> offered(const std::string& line, const std::vector<std::string>& words) {
    std::ofstream(base_ / "offer.bash") << R"(
COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'
. ./bash
COMP_LINE=$1
shift
COMP_POINT=${#COMP_LINE} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_pelt
printf '%s\n' "${COMPREPLY[@]}"
)";
    std::string quoted = fmt::format("'{}'", line);
    for (const std::string& word : words) {
      quoted += fmt::format(" '{}'", word);
    }
    const Outcome run = shell(base_, "bash offer.bash " + quoted);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    std::vector<std::string> replies;
    for (const std::string_view reply : split(run.out, '\n')) {
      if (!reply.empty()) {
        replies.emplace_back(reply);
      }
    }
    return replies;
  }

 private:
  std::map<std::vector<std::string>, std::string> helps_;
};

TEST_F(Describe, ManualNamesEveryVerbAndFlag) {
  const std::string page = described("man");
  EXPECT_THAT(page, AllOf(HasSubstr(".TH PELT 1 "), HasSubstr("\npelt \\- "), HasSubstr("EXIT STATUS")));
  ASSERT_GE(verbs().size(), 8u);
  for (const std::string& verb : verbs()) {
    const std::size_t start = page.find(".SS " + verb + "\n");
    ASSERT_NE(start, std::string::npos) << verb;
    ASSERT_GE(flags(verb).size(), 3u) << verb;
    for (std::string flag : flags(verb)) {
      flag = std::regex_replace(flag, std::regex("-"), "\\-");
      EXPECT_NE(page.find("\\fB" + flag + "\\fR"), std::string::npos) << verb << " " << flag;
    }
  }
  // What several verbs share is listed once; help belongs to the program and each verb.
  std::size_t operations_of_all = 0;
  for (const std::string& verb : verbs()) {
    operations_of_all += operations(verb).size();
  }
  EXPECT_GE(operations_of_all, 1u);
  std::size_t helps = 0;
  for (std::size_t at = page.find("\n\\fB\\-h"); at != std::string::npos; at = page.find("\n\\fB\\-h", at + 1)) {
    ++helps;
  }
  EXPECT_EQ(helps, verbs().size() + operations_of_all + 1);
  EXPECT_EQ(page.find("\\fB\\-\\-method\\fR"), page.rfind("\\fB\\-\\-method\\fR"));
}

TEST_F(Describe, BashOffersEveryVerbAndFlag) {
  written("bash");
  EXPECT_THAT(offered("pelt ", {"pelt", ""}), IsSupersetOf(verbs()));
  for (const std::string& verb : verbs()) {
    const std::set<std::string> wanted = flags(verb);
    const std::vector<std::string> got =
        offered(fmt::format("pelt {} fox.glb -", verb), {"pelt", verb, "fox.glb", "-"});
    EXPECT_EQ(std::set<std::string>(got.begin(), got.end()), wanted) << verb;
  }
}

TEST_F(Describe, BashOffersValuesFilesAndCharacters) {
  written("bash");
  EXPECT_THAT(offered("pelt re", {"pelt", "re"}), UnorderedElementsAre("render", "retarget"));
  EXPECT_THAT(offered("pelt render --backend ", {"pelt", "render", "--backend", ""}),
              UnorderedElementsAre("cpu", "gpu"));
  EXPECT_THAT(offered("pelt render --backend=c", {"pelt", "render", "--backend", "=", "c"}),
              UnorderedElementsAre("cpu"));
  EXPECT_THAT(offered("pelt compare --battery=", {"pelt", "compare", "--battery", "="}),
              UnorderedElementsAre("clips", "standard"));
  EXPECT_THAT(offered("pelt compare --battery -", {"pelt", "compare", "--battery", "-"}), Contains("--json"));
  EXPECT_THAT(offered("pelt info --method lb", {"pelt", "info", "--method", "lb"}), Contains("lbs"));
  EXPECT_THAT(offered("pelt render --against b", {"pelt", "render", "--against", "b"}),
              UnorderedElementsAre("bind", "backend"));
  // readline replaces the @ with what follows it, although it cuts words there.
  EXPECT_THAT(offered("pelt bake @ma", {"pelt", "bake", "@", "ma"}), UnorderedElementsAre("@mannequin"));
  EXPECT_THAT(offered("pelt @ro", {"pelt", "@", "ro"}), UnorderedElementsAre("@robot"));
  // Paths are left to readline.
  EXPECT_THAT(offered("pelt bake fox.glb -o ", {"pelt", "bake", "fox.glb", "-o", ""}), IsEmpty());
  EXPECT_THAT(offered("pelt bake fo", {"pelt", "bake", "fo"}), IsEmpty());
  // Without a verb the flags are those of view.
  EXPECT_THAT(offered("pelt fox.glb --wat", {"pelt", "fox.glb", "--wat"}), UnorderedElementsAre("--watch"));
}

TEST_F(Describe, ZshAndFishNameEveryVerbAndFlag) {
  const std::string zsh = described("zsh");
  const std::string fish = described("fish");
  for (const std::string& verb : verbs()) {
    const std::size_t start = zsh.find("\n_pelt_" + verb + "() {");
    ASSERT_NE(start, std::string::npos) << verb;
    const std::string body = zsh.substr(start, zsh.find("\n}\n", start) - start);
    const std::string condition = verb == "view" ? "'not __fish_seen_subcommand_from render "
                                                 : fmt::format("'__fish_seen_subcommand_from {}'", verb);
    std::string lines;
    for (const std::string_view line : split(fish, '\n')) {
      lines += line.find(condition) != std::string_view::npos ? std::string(line) + " \n" : "";
    }
    EXPECT_THAT(fish, HasSubstr(fmt::format("-a {} -d ", verb)));
    for (const std::string& flag : flags(verb)) {
      EXPECT_TRUE(std::regex_search(body, std::regex("[)*]" + flag + "[=+[-]"))) << verb << " " << flag;
      const std::string in_fish = flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
      EXPECT_THAT(lines, HasSubstr(in_fish + " ")) << verb;
    }
  }
  EXPECT_THAT(zsh, HasSubstr("--backend=["));
  EXPECT_THAT(zsh, HasSubstr(":gpu|cpu:(cpu gpu)'"));
  EXPECT_THAT(zsh, HasSubstr("POSE.json:_files'"));
  EXPECT_THAT(fish, HasSubstr("-l backend -x -a 'cpu gpu' -d "));
  EXPECT_THAT(fish, HasSubstr("-l pose -r -F -d "));
}

TEST_F(Describe, ShellsAndManTakeThem) {
  const std::map<std::string, std::string> checks = {
      {"bash", "bash -n"}, {"zsh", "zsh -n"}, {"fish", "fish --no-execute"}, {"man", "man --warnings -l"}};
  for (const auto& [form, check] : checks) {
    const std::filesystem::path path = written(form);
    if (!has_program(form)) {
      continue;
    }
    const Outcome run = shell(base_, fmt::format("MANWIDTH=100 LC_ALL=C.UTF-8 {} '{}'", check, path.string()));
    EXPECT_EQ(run.code, 0) << form;
    EXPECT_EQ(run.err, "") << form;
    if (form == "man") {
      EXPECT_THAT(run.out, AllOf(HasSubstr("--backend=gpu|cpu"), HasSubstr("pelt render fox.glb -o fox.png"),
                                 HasSubstr("[FILE]")));
    }
  }
}

TEST_F(Describe, IsForPackagersAndTakesNoOtherForm) {
  EXPECT_THAT(pelt({"--help"}).out, Not(HasSubstr("describe")));
  EXPECT_THAT(described("bash"), Not(HasSubstr(" describe)")));
  const Outcome run = pelt({"describe", "tcsh"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("FORM: tcsh not in {man,bash,zsh,fish}"));
}

TEST(Description, ValuesTellChoicesAndPaths) {
  EXPECT_THAT(cli::words_of_value("gpu|cpu"), UnorderedElementsAre("gpu", "cpu"));
  EXPECT_THAT(cli::words_of_value("bind|full|PANE|METHOD"), UnorderedElementsAre("bind", "full"));
  EXPECT_THAT(cli::words_of_value("[=standard|clips]"), UnorderedElementsAre("standard", "clips"));
  EXPECT_THAT(cli::words_of_value("all|METHOD,..."), UnorderedElementsAre("all"));
  EXPECT_THAT(cli::words_of_value("float|16bit"), UnorderedElementsAre("float", "16bit"));
  for (const char* value : {"", "N", "a..g", "0..1", "N|A:B[:FPS]", "word"}) {
    EXPECT_THAT(cli::words_of_value(value), IsEmpty()) << value;
  }
  for (const char* value : {"FILE", "FOLDER", "OUT.{glb,gltf}", "POSE.json", "LIB.so", "NAME|FILE.hdr"}) {
    EXPECT_TRUE(cli::is_path_value(value)) << value;
  }
  for (const char* value : {"", "N", "a..g", "0..1", "JOINT.DOF", "JOINT.DOF=FROM:TO[:STEPS]", "COLOR|transparent"}) {
    EXPECT_FALSE(cli::is_path_value(value)) << value;
  }
}

}  // namespace
}  // namespace pelt::test
