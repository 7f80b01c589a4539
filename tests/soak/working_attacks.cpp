// What ends a window while somebody works in it: little is lost, and nothing is left lying about.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "soak/soak.h"
#include "support/program.h"
#include "support/program_path.h"

namespace pelt::soak {
namespace {

constexpr double kMostLost = 30;  // seconds

// What the worker said that it did before it was killed.
struct Told {
  std::set<std::string> recent;  // contents that were there within the last 30 s
  std::string opened;            // the first
  std::string last;              // the newest
  std::set<std::string> saved;   // what the session may hold; empty: nobody saved
  std::size_t edits = 0;
};

Told read_journal(const std::filesystem::path& path) {
  struct Line {
    std::string what;
    double time = 0;
    std::string hash;
  };
  std::vector<Line> lines;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    std::istringstream words(text);
    Line line;
    if (words >> line.what >> line.time >> line.hash && line.hash.size() == 16) {
      lines.push_back(line);
    }
  }
  Told told;
  const double end = lines.empty() ? 0 : lines.back().time;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const double until = i + 1 < lines.size() ? lines[i + 1].time : end;
    if (until >= end - kMostLost) {
      told.recent.insert(line.hash);
    }
    if (line.what == "saved") {
      told.saved = {line.hash};
    } else if (line.what == "saves") {
      told.saved.insert(line.hash);
    }
    told.edits += line.what == "worked" ? 1 : 0;
    told.opened = i == 0 ? line.hash : told.opened;
    told.last = line.hash;
  }
  return told;
}

// A line of what `look` says; empty where it says nothing of that.
std::string said(const Ran& look, const std::string& what) {
  std::istringstream lines(look.out);
  for (std::string word, value; lines >> word >> value;) {
    if (word == what) {
      return value;
    }
  }
  return {};
}

void judge(Attack& attack, const Told& told, const std::string& session_before, const Ran& look) {
  if (look.code != 0) {
    attack.fail(fmt::format("what is left cannot be opened: {}", look.text()));
    return;
  }
  const std::string session = said(look, "session");
  const std::string recovered = said(look, "recovered");
  if (session != session_before && !told.saved.contains(session)) {
    attack.fail(fmt::format("the session holds {}, which is neither what it held nor what was saved", session));
  }
  const std::string& got = !recovered.empty() ? recovered : !session.empty() ? session : told.opened;
  if (!told.recent.empty() && !told.recent.contains(got)) {
    attack.fail(fmt::format("more than {} s of work are lost: {} is older", kMostLost, got));
  }
  attack.count("recovered", recovered.empty() ? 0 : 1);
  attack.count("with all edits", got == told.last ? 1 : 0);
  if (said(look, "kept") != "0" || said(look, "data") != "0" || !said(look, "temporary").empty()) {
    attack.fail(fmt::format("something is left lying about: {}", look.out));
  }
}

}  // namespace

void kill_while_working(Attack& attack) {
  RunOptions calm;
  calm.folder = attack.folder();
  calm.program = test::program_path("PELT_SESSION_WORKER", "session_worker");
  calm.environment = {"XDG_STATE_HOME=" + (attack.folder() / "state").string()};
  const std::filesystem::path journal = attack.folder() / "journal";
  // The first look makes the session, the second says what it holds.
  run_pelt({"look"}, calm);
  std::string session = said(run_pelt({"look"}, calm), "session");
  while (attack.next(200)) {
    std::filesystem::remove(journal);
    if (attack.below(4) == 0) {
      // Work on a character that nobody has saved yet.
      std::filesystem::remove(attack.folder() / "work/cylinder.pelt");
      std::filesystem::remove_all(attack.folder() / "work/cylinder.pelt.d");
      session.clear();
    }
    RunOptions hindered = calm;
    hindered.signal = SIGKILL;
    hindered.after = 0.1 + static_cast<double>(attack.below(1000)) / 500;
    const Ran ran = run_pelt({"work", std::to_string(attack.round())}, hindered);
    if (ran.signal != SIGKILL) {
      attack.fail(fmt::format("it ends before it is killed: {}", ran.text()));
      continue;
    }
    attack.count("killed");
    const Told told = read_journal(journal);
    attack.count("edits", told.edits);
    const Ran look = run_pelt({"look"}, calm);
    judge(attack, told, session, look);
    // `look` has saved what it found, and nothing else.
    session = said(run_pelt({"look"}, calm), "session");
    const std::string found = said(look, "recovered").empty() ? said(look, "session") : said(look, "recovered");
    if (!found.empty() && session != found) {
      attack.fail(fmt::format("{} was recovered and saved, and {} opens", found, session));
    }
  }
}

}  // namespace pelt::soak
