#pragma once

// Drives the real program in a real window: Xvfb for the screen, xdotool for mouse and keys, ImageMagick's import for
// the eyes. Where to click comes from the report the program keeps up to date, not from guessed coordinates.

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <glm/glm.hpp>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "gltf/bundled.h"
#include "gltf/image_codec.h"
#include "support/output_folder.h"
#include "support/patience.h"
#include "support/program_path.h"
#include "support/requirements.h"

namespace pelt::app {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using test::kPatience;

inline constexpr int kScreenWidth = 1440;
inline constexpr int kScreenHeight = 900;

inline bool has_program(const char* name) {
  return std::system(fmt::format("command -v {} >/dev/null 2>&1", name).c_str()) == 0;
}

/// A child process that ends with its owner.
class Process {
 public:
  Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() { stop(SIGKILL); }

  void start(const std::vector<std::string>& command,
             const std::vector<std::pair<std::string, std::string>>& environment, const fs::path& log,
             int keep_fd = -1) {
    std::vector<char*> argv;
    for (const std::string& word : command) {
      argv.push_back(const_cast<char*>(word.c_str()));
    }
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      for (const auto& [name, value] : environment) {
        setenv(name.c_str(), value.c_str(), 1);
      }
      const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      dup2(out, 1);
      dup2(out, 2);
      if (keep_fd >= 0) {
        dup2(keep_fd, 9);
      }
      execvp(argv[0], argv.data());
      _exit(127);
    }
  }
  /// The exit status once it has ended, -1 while it runs.
  int poll() {
    if (pid_ <= 0) {
      return status_;
    }
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return pid_ > 0 ? -1 : status_;
  }
  void stop(int signal) {
    if (pid_ > 0) {
      kill(pid_, signal);
      int status = 0;
      waitpid(pid_, &status, 0);
      pid_ = -1;
    }
  }
  /// Processor time used so far, seconds.
  [[nodiscard]] double cpu_seconds() const {
    std::ifstream stat(fmt::format("/proc/{}/stat", pid_));
    std::string line;
    std::getline(stat, line);
    std::istringstream fields(line.substr(line.rfind(')') + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i) {
      fields >> skipped;
    }
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

 private:
  pid_t pid_ = -1;
  int status_ = -1;
};

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

/// Mean absolute difference per colour channel in a rectangle, 0..255.
inline double difference(const Picture& a, const Picture& b, const json& rect) {
  double sum = 0;
  int count = 0;
  const int x1 = std::min(a.width, rect[0].get<int>() + rect[2].get<int>());
  const int y1 = std::min(a.height, rect[1].get<int>() + rect[3].get<int>());
  for (int y = rect[1].get<int>(); y < y1; ++y) {
    for (int x = rect[0].get<int>(); x < x1; ++x) {
      for (int c = 0; c < 3; ++c) {
        const std::size_t at = (y * a.width + x) * 4 + c;
        sum += std::abs(int{a.pixels[at]} - int{b.pixels[at]});
        ++count;
      }
    }
  }
  return count > 0 ? sum / count : 0;
}

/// Returns whether days in the window leave steps out that take minutes, as with the program under sanitizers.
inline bool is_short_day() {
  return std::getenv("PELT_SHORT_DAYS") != nullptr;
}

class RealWindow : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {"Xvfb", "xdotool", "import"}) {
      PELT_NEEDS(has_program(program), "PELT_REQUIRE_WINDOW", fmt::format("{} is not installed", program));
    }
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = test::output_folder() / (is_short_day() ? "window_watched" : "window") / name;
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "config/pelt");
    // Plain pictures, with `launch`: thousands of them are drawn in software. The rigger's day in a small window has
    // full ones.
    ASSERT_TRUE(write_file_atomically(folder_ / "config/pelt/state.json",
                                      R"({"pelt": "state", "light": {"occlusion": false}})"));
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const std::string screen = fmt::format("{}x{}x24", kScreenWidth, kScreenHeight);
    server_.start({"Xvfb", "-displayfd", "9", "-screen", "0", screen, "-nolisten", "tcp"}, {}, folder_ / "xvfb.log",
                  ends[1]);
    close(ends[1]);
    char digits[16] = {};
    ASSERT_GT(read(ends[0], digits, sizeof(digits) - 1), 0) << "Xvfb did not start";
    close(ends[0]);
    display_ = fmt::format(":{}", std::atoi(digits));
    setenv("DISPLAY", display_.c_str(), 1);
  }

  void launch(std::vector<std::string> arguments, std::vector<std::pair<std::string, std::string>> environment = {}) {
    report_path_ = folder_ / "report.json";
    fs::remove(report_path_);  // an earlier program's would be believed
    std::vector<std::string> command = {test::program_path(), "view", "--report-widgets", report_path_.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    if (!full_pictures_ && std::ranges::count(arguments, "--samples") == 0) {
      command.insert(command.end(), {"--samples", "1"});
    }
    environment.emplace_back("XDG_CONFIG_HOME", (folder_ / "config").string());
    environment.emplace_back("XDG_STATE_HOME", (folder_ / "state").string());
    environment.emplace_back("HOME", folder_.string());
    const fs::path before = fs::current_path();
    fs::current_path(folder_);
    program_.start(command, environment, folder_ / "pelt.log");
    fs::current_path(before);
    ASSERT_TRUE(until([](const json& r) {
      return r["widgets"].contains("panel.tabs") || r["widgets"].contains("viewport");
    })) << log();
    // Without a window manager nobody gives the keyboard to a window.
    run("xdotool search --sync --onlyvisible --class pelt windowfocus");
  }

  std::string log() const {
    const auto text = read_file(folder_ / "pelt.log");
    return text ? *text : std::string();
  }

  void run(const std::string& command) {
    const int status = std::system((command + " >/dev/null 2>&1").c_str());
    EXPECT_EQ(status, 0) << command;
  }

  /// Reads the report if it was written since the last call: a report is large, and tests ask for it many times a
  /// second.
  bool refresh() {
    struct stat file {};
    if (stat(report_path_.c_str(), &file) != 0) {
      return false;
    }
    const Written written{file.st_ino, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
    if (written == report_written_) {
      return true;
    }
    const auto text = read_file(report_path_);
    if (!text) {
      return false;
    }
    json parsed = json::parse(*text, nullptr, false);
    if (parsed.is_discarded()) {
      return false;
    }
    report_ = std::move(parsed);
    report_written_ = written;
    return true;
  }

  /// Waits until the report meets the condition. @returns  false if it does not within kPatience
  bool until(const std::function<bool(const json&)>& condition) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
      if (refresh() && condition(report_)) {
        return true;
      }
      if (program_.poll() >= 0) {
        ADD_FAILURE() << "the program ended: " << log();
        return false;
      }
      std::this_thread::sleep_for(20ms);
    }
    return false;
  }
  bool until_widget(const std::string& name) {
    return until([&](const json& r) { return r["widgets"].contains(name); });
  }
  /// Waits until the program has ended. @returns  its exit status, -1 if it does not end
  int ended() {
    test::eventually([&] { return program_.poll() >= 0; }, 20ms);
    return program_.poll();
  }
  /// Returns true if a file with unsaved work lies in the recovery folder.
  [[nodiscard]] bool has_recovery() const {
    std::error_code none;
    for (auto at = fs::directory_iterator(folder_ / "state/pelt/recovery", none);
         !none && at != fs::directory_iterator(); ++at) {
      if (at->path().extension() == ".pelt") {
        return true;
      }
    }
    return false;
  }
  /// Waits for that file. The program promises it after 30 s of its own clock.
  [[nodiscard]] bool until_recovery() const {
    return test::eventually([&] { return has_recovery(); }, 200ms);
  }
  /// Waits until three reports in a row are the same: nothing moves any more. Must not be called while a clip plays.
  void settle() {
    json last;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    for (int same = 0; same < 3;) {
      if (std::chrono::steady_clock::now() > end) {
        FAIL() << "the window does not come to rest: " << state();
      }
      std::this_thread::sleep_for(150ms);
      refresh();
      same = report_ == last ? same + 1 : 0;
      last = report_;
    }
  }
  const json& state() { return report_["state"]; }

  glm::ivec2 center(const std::string& widget) {
    const json& rect = report_["widgets"][widget];
    return {static_cast<int>(rect[0].get<double>() + rect[2].get<double>() / 2),
            static_cast<int>(rect[1].get<double>() + rect[3].get<double>() / 2)};
  }
  /// Each step waits until a frame has seen it: several at once mean something else, and a busy machine draws late.
  void move_mouse(glm::ivec2 at) {
    run(fmt::format("xdotool mousemove {} {}", at.x, at.y));
    ASSERT_TRUE(until([at](const json& r) {
      const json& mouse = r["state"]["mouse"];
      return std::abs(mouse["x"].get<double>() - at.x) < 1 && std::abs(mouse["y"].get<double>() - at.y) < 1;
    })) << "the mouse does not arrive at "
        << at.x << ", " << at.y << ": " << state();
  }
  void press(bool down) {
    run(down ? "xdotool mousedown 1" : "xdotool mouseup 1");
    ASSERT_TRUE(until([down](const json& r) { return r["state"]["mouse"]["down"].get<bool>() == down; }))
        << "the button stays as it is: " << state();
    std::this_thread::sleep_for(100ms);
  }
  void click_at(glm::ivec2 at) {
    ASSERT_NO_FATAL_FAILURE(move_mouse(at));
    ASSERT_NO_FATAL_FAILURE(press(true));
    ASSERT_NO_FATAL_FAILURE(press(false));
  }
  void click(const std::string& widget) {
    ASSERT_TRUE(until_widget(widget)) << widget << " is not on screen";
    // What has just appeared may still be finding its place.
    json last;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    // A report from before the window became smaller has it outside.
    const auto is_inside = [&] {
      return report_["widgets"].contains(widget) && center(widget).x < report_["size"][0].get<int>() &&
             center(widget).y < report_["size"][1].get<int>();
    };
    while ((report_["widgets"].value(widget, json()) != last || !is_inside()) &&
           std::chrono::steady_clock::now() < end) {
      last = report_["widgets"].value(widget, json());
      std::this_thread::sleep_for(300ms);
      refresh();
    }
    ASSERT_TRUE(is_inside()) << widget << " went away, or stays outside of the window";
    click_at(center(widget));
  }
  void drag(glm::ivec2 from, glm::ivec2 to) {
    const glm::ivec2 middle = (from + to) / 2;
    ASSERT_NO_FATAL_FAILURE(move_mouse(from));
    ASSERT_NO_FATAL_FAILURE(press(true));
    ASSERT_NO_FATAL_FAILURE(move_mouse(middle));
    ASSERT_NO_FATAL_FAILURE(move_mouse(to));
    ASSERT_NO_FATAL_FAILURE(press(false));
  }
  /// Brings a tab to the front, in the mode that the key of Ctrl leads to.
  void open_tab(char mode, const std::string& tab) {
    key(fmt::format("ctrl+{}", mode));
    ASSERT_TRUE(until_widget("tab." + tab)) << tab;
    click("tab." + tab);
  }
  /// Turns the wheel over the panel on the right until all of the widget shows.
  void scroll_to(const std::string& widget) {
    const json beside = report_["widgets"]["viewport"];  // as high as the panel
    json tab;                                            // above what scrolls, as all tabs are
    for (const auto& [name, rect] : report_["widgets"].items()) {
      tab = name.starts_with("tab.") ? rect : tab;
    }
    const double bottom = beside[1].get<double>() + beside[3].get<double>();
    const double top = tab[1].get<double>() + tab[3].get<double>();
    ASSERT_NO_FATAL_FAILURE(move_mouse(
        {static_cast<int>(beside[0].get<double>() + beside[2].get<double>()) + 60, static_cast<int>(bottom) - 30}));
    const auto above = [&](const json& r) {
      return r["widgets"].contains(widget) && r["widgets"][widget][1].get<double>() < top;
    };
    const auto shows = [&](const json& r) {
      return r["widgets"].contains(widget) && !above(r) &&
             r["widgets"][widget][1].get<double>() + r["widgets"][widget][3].get<double>() < bottom;
    };
    bool up = false;
    for (int turns = 0; turns < 40 && !shows(report_); ++turns) {
      up = up || above(report_);
      const json before = report_["widgets"];
      run(up ? "xdotool click 4" : "xdotool click 5");
      // A busy machine draws late; where nothing moves the panel has come to its end.
      const auto end = std::chrono::steady_clock::now() + 3s;
      do {
        std::this_thread::sleep_for(20ms);
        refresh();
      } while (report_["widgets"] == before && std::chrono::steady_clock::now() < end);
      up = up != (report_["widgets"] == before);
    }
    ASSERT_TRUE(shows(report_)) << widget << " does not come up";
  }
  void key(const std::string& name) { run(fmt::format("xdotool key {}", name)); }
  void rest_mouse() { run(fmt::format("xdotool mousemove {} {}", kScreenWidth - 2, kScreenHeight - 2)); }

  Picture screenshot(const std::string& name) {
    const fs::path path = folder_ / (name + ".png");
    run(fmt::format("import -display {} -window root -depth 8 PNG32:{}", display_, path.string()));
    const auto bytes = read_file(path);
    if (!bytes) {
      ADD_FAILURE() << bytes.error().message;
      return {};
    }
    const std::span<const std::uint8_t> encoded(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size());
    const auto size = gltf::image_size(encoded, 8192);
    const auto pixels = size ? gltf::decode_image(encoded, *size) : Result<std::vector<std::uint8_t>>(size.error());
    if (!pixels) {
      ADD_FAILURE() << pixels.error().message;
      return {};
    }
    return {size->width, size->height, *pixels};
  }

  /// The mannequin as a file of its own in the program's working folder.
  fs::path mannequin_file() {
    const fs::path path = folder_ / "hero.glb";
    const auto files = gltf::bundled_characters();
    const EmbeddedFile* found = find_embedded(files, "mannequin.glb");
    EXPECT_NE(found, nullptr);
    if (found != nullptr) {
      EXPECT_TRUE(write_file_atomically(path, found->bytes));
    }
    return path;
  }

  struct Written {
    ino_t file = 0;
    time_t seconds = 0;
    long nanoseconds = 0;
    bool operator==(const Written&) const = default;
  };

  bool full_pictures_ = false;
  Written report_written_;  ///< the file that report_ was read from
  fs::path folder_;
  fs::path report_path_;
  std::string display_;
  Process server_;
  Process program_;
  json report_;
};

}  // namespace pelt::app
