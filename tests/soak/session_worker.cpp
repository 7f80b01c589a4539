// Works in a window without a screen: edits, saves and is saved unasked, as fast as it can, until somebody kills it.
// The attack "work" (working_attacks.cpp) runs it, and runs it again to see what is left.
//
//   session_worker work SEED   goes on where the last one ended, for ever; says in `journal` what it has done
//   session_worker look        says what the session holds, and what there is to recover; then recovers and saves that
//
// Both in the working folder. A line of the journal is one write, so that a kill leaves whole lines but for the last.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "app/window_state.h"
#include "core/leftovers.h"
#include "edit/commands.h"
#include "edit/edit_fixtures.h"
#include "gltf/export.h"
#include "soak/session_data.h"
#include "support/patience.h"

namespace pelt::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCharacter = "work/cylinder.glb";
constexpr const char* kSession = "work/cylinder.pelt";
constexpr double kStep = 1;  // seconds of the window's clock that one edit takes

[[noreturn]] void give_up(std::string_view what) {
  fmt::print(stderr, "session_worker: {}\n", what);
  std::exit(1);
}

void wait_until(const std::function<bool()>& condition, std::string_view what) {
  if (!test::eventually(condition)) {
    give_up(fmt::format("{} takes more than {} s", what, test::kPatience.count()));
  }
}

std::unique_ptr<Window> begin() {
  auto app = std::make_unique<Window>();
  app->kept.file = fs::absolute("state.json");
  app->session.document = edit::make_document(std::make_shared<const rig::Character>(test::elbow()));
  keep_all(app->session, app->session.document.content);
  offer_recovery(*app);
  return app;
}

// Nothing is asked: `file` opens, or this ends.
void open(Window& app, const std::string& file) {
  start_opening(app, file);
  wait_until([&] { return !app.opening.loader.slot().active(); }, "opening");
  collect_loaded(app);
  if (app.session.workspace.error) {
    give_up(fmt::format("{} does not open: {}", file, app.session.workspace.error->text));
  }
}

void save(Window& app) {
  ui::Requests requests;
  requests.save_session = fs::absolute(kSession).string();
  save_session(app, requests);
  wait_until(
      [&] {
        keep_saving(app);
        return !app.saving.waiting;
      },
      "saving");
  if (app.session.workspace.error) {
    give_up(fmt::format("it does not save: {}", app.session.workspace.error->text));
  }
}

std::uint64_t hash_of(const Window& app) {
  return edit::content_hash(app.session.document.content);
}

class Journal {
 public:
  Journal() : fd_(::open("journal", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {}
  ~Journal() { close(fd_); }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  void say(std::string_view what, double time, std::uint64_t hash) const {
    const std::string line = fmt::format("{} {:.1f} {:016x}\n", what, time, hash);
    if (write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
      give_up("the journal cannot be written");
    }
  }

 private:
  int fd_;
};

// One edit of those that sessions keep in different places.
void edit_something(Window& app, std::mt19937& random) {
  edit::Document& document = app.session.document;
  const std::vector<Transform>& rest = document.content.character->skeleton->rest;
  switch (random() % 4) {
    case 0:
      edit::apply(document, {edit::SmoothWeights{.iterations = 1 + static_cast<int>(random() % 3)}, "", true});
      break;
    case 1:
      if (edit::can_undo(document)) {
        edit::undo(document);
      }
      break;
    default: {
      const int joint = static_cast<int>(random() % rest.size());
      Transform local = rest[joint];
      local.rotation = glm::angleAxis(static_cast<float>(random() % 1000) * 1e-3f, glm::vec3(0, 0, 1));
      edit::apply(document, {edit::SetJointLocal{joint, local, false}, "", true});
    }
  }
}

int work(std::uint32_t seed) {
  std::mt19937 random(seed);
  const Journal journal;
  const std::unique_ptr<Window> app = begin();
  const auto& left = app->session.workspace.recoverable;
  open(*app, !left.empty() ? left[0].file : fs::absolute(fs::exists(kSession) ? kSession : kCharacter).string());
  double now = 100;
  journal.say("opened", now, hash_of(*app));
  for (;;) {
    // Announced first: what a kill prevents from being said was done after that.
    journal.say("works", now, hash_of(*app));
    edit_something(*app, random);
    journal.say("worked", now, hash_of(*app));
    if (random() % 25 == 0) {
      journal.say("saves", now, hash_of(*app));
      save(*app);
      journal.say("saved", now, hash_of(*app));
    }
    keep_autosaved(*app, now);
    // The promise is one of the clock, and this one runs a thousand times too fast for the disk: it waits for it.
    now += app->saving.autosave.active() ? 0 : kStep;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
  }
}

int look() {
  const fs::path session = fs::absolute(kSession);
  std::unique_ptr<Window> app = begin();
  const auto left = app->session.workspace.recoverable;
  const auto recovery = app->saving.recovery.folder();
  if (fs::exists(session)) {
    open(*app, session.string());
    fmt::print("session {:016x}\n", hash_of(*app));
  }
  for (const auto& one : left) {
    app = begin();
    open(*app, one.file);
    fmt::print("recovered {:016x}\n", hash_of(*app));
  }
  if (!fs::exists(session) && left.empty()) {
    open(*app, fs::absolute(kCharacter).string());
  }
  // The stamp of the session is another where a kill came between saving and knowing it: the second attempt writes.
  ui::Requests requests;
  requests.save_session = session.string();
  for (int attempt = 0; attempt < 2; ++attempt) {
    save_session(*app, requests);
    wait_until(
        [&] {
          keep_saving(*app);
          return !app->saving.waiting;
        },
        "saving");
  }
  end_autosaving(*app);
  app.reset();
  std::error_code none;
  std::size_t kept = 0;
  for (auto at = fs::directory_iterator(recovery, none); !none && at != fs::directory_iterator(); ++at) {
    fmt::print("left {}\n", at->path().filename().string());
    ++kept;
  }
  fmt::print("kept {}\n", kept);
  fmt::print("data {}\n", soak::unnamed_data(session));
  for (const auto& entry : fs::directory_iterator("work")) {
    if (is_temporary_name(entry.path().filename().string())) {
      fmt::print("temporary {}\n", entry.path().filename().string());
    }
  }
  return 0;
}

}  // namespace
}  // namespace pelt::app

int main(int argc, char** argv) {
  using namespace pelt;
  if (!std::filesystem::exists(app::kCharacter)) {
    std::filesystem::create_directories("work");
    if (!gltf::export_file(test::cylinder(), app::kCharacter)) {
      app::give_up("the character cannot be written");
    }
  }
  if (argc == 3 && std::string_view(argv[1]) == "work") {
    return app::work(static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)));
  }
  if (argc == 2 && std::string_view(argv[1]) == "look") {
    return app::look();
  }
  app::give_up("work SEED or look");
}
