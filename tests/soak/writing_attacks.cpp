// What ends or hinders the program while it writes: afterwards there is the whole old or the whole new content.
#include <sys/mount.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "core/file.h"
#include "core/leftovers.h"
#include "soak/session_data.h"
#include "soak/soak.h"
#include "support/program.h"
#include "support/write_faults.h"

namespace pelt::soak {
namespace {

namespace fs = std::filesystem;

using test::files_in;
using Files = std::map<std::string, std::string>;

// A write that is hindered, and what was there before it.
struct Writer {
  RunOptions calm;
  std::vector<std::string> write_old = {"convert", "@elbow", "-o", "arm.gltf"};
  std::vector<std::string> write_new = {"convert", "@elbow", "-o", "arm.gltf", "--quantize"};
  Files before;
  Files after;
  double seconds = 0;

  // Why nothing can be tried, else nothing.
  std::string prepare(const fs::path& folder) {
    calm.folder = folder;
    const Ran first = run_pelt(write_new, calm);
    after = files_in(folder);
    const Ran second = run_pelt(write_old, calm);
    before = files_in(folder);
    seconds = first.seconds;
    const bool fine = first.code == 0 && second.code == 0 && before.size() == 2 && after.size() == 2 && before != after;
    return fine ? std::string() : fmt::format("the program does not write: {}", first.text());
  }

  // The document and what it names are old or new; what else is there the next write removes.
  void judge(Attack& attack, bool nothing_else) const {
    const Files now = files_in(calm.folder);
    const auto holds = [&](const Files& all) {
      return std::ranges::all_of(all, [&](const auto& file) {
        const auto found = now.find(file.first);
        return found != now.end() && found->second == file.second;
      });
    };
    if (!holds(before) && !holds(after)) {
      attack.fail("the files are neither the old nor the new ones");
    } else if (nothing_else && now != before && now != after) {
      attack.fail(fmt::format("{} files are left where two belong", now.size()));
    }
    const Ran again = run_pelt(write_old, calm);
    if (again.code != 0 || files_in(calm.folder) != before) {
      attack.fail(fmt::format("the next write does not tidy up: {}", again.text()));
    }
  }
};

}  // namespace

void kill_while_writing(Attack& attack) {
  Writer writer;
  if (const std::string reason = writer.prepare(attack.folder()); !reason.empty()) {
    attack.skip(reason);
  }
  while (attack.next(400)) {
    RunOptions hindered = writer.calm;
    hindered.signal = SIGKILL;
    // Most of the time goes into the character; the end is what matters.
    hindered.after = writer.seconds * (0.5 + static_cast<double>(attack.below(1000)) / 1600.0);
    const Ran ran = run_pelt(writer.write_new, hindered);
    attack.count(ran.signal == SIGKILL ? "killed" : "done before");
    writer.judge(attack, false);
  }
}

// A session with weights beside it, saved over itself.
void kill_while_saving(Attack& attack) {
  RunOptions calm;
  calm.folder = attack.folder();
  const auto save = [](const char* strength) {
    return std::vector<std::string>{"weights", "@cylinder", "-o", "work.pelt", "smooth", "--strength", strength};
  };
  const std::vector<std::string> read = {"convert", "work.pelt", "-o", "-"};
  const Ran first = run_pelt(save("0.9"), calm);
  const std::string after = run_pelt(read, calm).out;
  run_pelt(save("0.3"), calm);
  const std::string before = run_pelt(read, calm).out;
  if (first.code != 0 || before.empty() || before == after) {
    attack.skip(fmt::format("the program saves no session: {}", first.text()));
  }
  while (attack.next(200)) {
    RunOptions hindered = calm;
    hindered.signal = SIGKILL;
    hindered.after = first.seconds * (0.3 + static_cast<double>(attack.below(1000)) / 1250.0);
    const Ran ran = run_pelt(save("0.9"), hindered);
    attack.count(ran.signal == SIGKILL ? "killed" : "done before");
    const Ran opened = run_pelt(read, calm);
    if (opened.out != before && opened.out != after) {
      attack.fail(fmt::format("the session is neither the old nor the new one: {}", opened.text()));
    }
    const Ran again = run_pelt(save("0.3"), calm);
    const std::size_t left = unnamed_data(attack.folder() / "work.pelt");
    if (again.code != 0 || left != 0) {
      attack.fail(fmt::format("the next save leaves {} files of data that it does not name: {}", left, again.text()));
    }
  }
}

void signal_while_writing(Attack& attack) {
  Writer writer;
  if (const std::string reason = writer.prepare(attack.folder()); !reason.empty()) {
    attack.skip(reason);
  }
  constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  while (attack.next(200)) {
    RunOptions hindered = writer.calm;
    hindered.signal = kSignals[attack.below(kSignals.size())];
    hindered.after = writer.seconds * (0.5 + static_cast<double>(attack.below(1000)) / 1600.0);
    const Ran ran = run_pelt(writer.write_new, hindered);
    attack.count(ran.signal != 0 ? "ended by a signal" : "done before");
    if (ran.signal != 0 && ran.signal != hindered.signal) {
      attack.fail(fmt::format("signal {} is answered by {}", hindered.signal, ran.text()));
    }
    writer.judge(attack, false);
    for (const auto& [name, bytes] : files_in(attack.folder())) {
      if (is_temporary_name(name)) {
        attack.fail(fmt::format("{} is left", name));
      }
    }
  }
}

void outgrow_the_limit(Attack& attack) {
  Writer writer;
  if (const std::string reason = writer.prepare(attack.folder()); !reason.empty()) {
    attack.skip(reason);
  }
  while (attack.next(60)) {
    RunOptions hindered = writer.calm;
    hindered.largest_file = static_cast<long>(attack.below(40000));
    const Ran ran = run_pelt(writer.write_new, hindered);
    attack.count(ran.code == 0 ? "written" : "refused");
    if (!ran.orderly()) {
      attack.fail(ran.text());
    }
    writer.judge(attack, true);
  }
}

void fill_the_disk(Attack& attack) {
  if (mount("pelt-soak", attack.folder().c_str(), "tmpfs", 0, "size=512k") != 0) {
    attack.skip(fmt::format("no small file system can be mounted: {}", std::strerror(errno)));
    return;
  }
  Writer writer;
  if (const std::string reason = writer.prepare(attack.folder()); !reason.empty()) {
    attack.skip(reason);
  }
  while (attack.next(60)) {
    // What somebody else wrote leaves less and less room.
    const std::size_t filled = 300000 + attack.below(212000);
    std::ofstream(attack.folder() / ".filler", std::ios::binary) << std::string(filled, 'x');
    const Ran ran = run_pelt(writer.write_new, writer.calm);
    attack.count(ran.code == 0 ? "written" : "refused");
    std::error_code ignored;
    fs::remove(attack.folder() / ".filler", ignored);
    if (!ran.orderly()) {
      attack.fail(ran.text());
    }
    writer.judge(attack, true);
  }
  umount2(attack.folder().c_str(), MNT_DETACH);
}

}  // namespace pelt::soak
