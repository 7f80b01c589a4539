// What ends or hinders the program while it writes: afterwards there is the whole old or the whole new content.
#include <csignal>
#include <map>

#include <fmt/format.h>

#include "core/file.h"
#include "soak/program.h"
#include "soak/soak.h"

namespace pelt::soak {
namespace {

namespace fs = std::filesystem;

// Names and contents of a folder.
std::map<std::string, std::string> content_of_folder(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const Result<std::string> bytes = read_file(entry.path());
    files[entry.path().filename().string()] = bytes ? *bytes : bytes.error().message;
  }
  return files;
}

}  // namespace

void kill_while_writing(Attack& attack) {
  const RunOptions calm{.folder = attack.folder()};
  const std::vector<std::string> write_old = {"convert", "@elbow", "-o", "arm.glb"};
  const std::vector<std::string> write_new = {"convert", "@elbow", "-o", "arm.glb", "--quantize"};
  const Ran first = run_pelt(write_new, calm);
  const auto after = content_of_folder(attack.folder());
  const Ran second = run_pelt(write_old, calm);
  const auto before = content_of_folder(attack.folder());
  if (first.code != 0 || second.code != 0 || before == after) {
    attack.skip(fmt::format("the program does not write: {}", first.text()));
  }
  while (attack.next(300)) {
    RunOptions hindered = calm;
    hindered.signal = SIGKILL;
    hindered.after = first.seconds * static_cast<double>(attack.below(1000)) / 900.0;
    const Ran ran = run_pelt(write_new, hindered);
    attack.count(ran.signal == SIGKILL ? "killed" : "done before");
    const std::string now = content_of_folder(attack.folder())["arm.glb"];
    if (now != before.at("arm.glb") && now != after.at("arm.glb")) {
      attack.fail(fmt::format("arm.glb is neither old nor new but has {} bytes", now.size()));
    }
    if (const Ran again = run_pelt(write_old, calm);
        again.code != 0 || content_of_folder(attack.folder())["arm.glb"] != before.at("arm.glb")) {
      attack.fail(fmt::format("the next write does not leave what it should: {}", again.text()));
    }
  }
}

}  // namespace pelt::soak
