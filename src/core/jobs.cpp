#include "core/jobs.h"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <thread>

#include "core/expect.h"

namespace pelt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kFewestThreads = 3;  // one for each kind
constexpr std::chrono::milliseconds kWakeInterval{100};

struct Task {
  Jobs::SlotId slot = 0;
  Jobs::Kind kind = Jobs::Kind::kLong;
  std::string name;
  Jobs::Run run;
  std::string what;
  float fraction = 0;
  bool running = false;
  bool cancelled = false;
  Clock::time_point asked = Clock::now();
};

}  // namespace

struct Jobs::State {
  std::function<void()> wake;
  std::size_t limit = 0;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::list<std::shared_ptr<Task>> tasks;  // as they were asked for; guarded by mutex, as all below
  SlotId last_slot = 0;
  std::size_t idle = 0;
  bool leaving = false;
  std::vector<std::jthread> threads;

  // Whether so many of that kind or a lesser one leave threads for those above it.
  [[nodiscard]] bool has_room(Kind kind) const {
    const auto running =
        std::ranges::count_if(tasks, [&](const auto& task) { return task->running && task->kind <= kind; });
    return static_cast<std::size_t>(running) +
               (static_cast<std::size_t>(Kind::kAsked) - static_cast<std::size_t>(kind)) <
           limit;
  }

  // The next to run, null: none may. Of one kind the first that was asked for.
  [[nodiscard]] std::shared_ptr<Task> next() const {
    std::shared_ptr<Task> best;
    for (const auto& task : tasks) {
      const bool waits = !task->running && !task->cancelled && (best == nullptr || task->kind > best->kind);
      if (waits && has_room(task->kind) &&
          std::ranges::none_of(tasks, [&](const auto& other) { return other->running && other->slot == task->slot; })) {
        best = task;
      }
    }
    return best;
  }

  [[nodiscard]] static Row row_of(const Task& task) {
    return {task.slot,
            task.kind,
            task.name,
            task.what,
            task.fraction,
            task.running,
            std::chrono::duration<double>(Clock::now() - task.asked).count()};
  }

  // Returns what waited, to be let go without the lock: what it owns may end in this queue.
  std::vector<std::shared_ptr<Task>> drop(SlotId slot) {
    std::vector<std::shared_ptr<Task>> dropped;
    std::ranges::copy_if(tasks, std::back_inserter(dropped),
                         [&](const auto& task) { return task->slot == slot && !task->running; });
    std::erase_if(tasks, [&](const auto& task) { return task->slot == slot && !task->running; });
    for (const auto& task : tasks) {
      task->cancelled = task->cancelled || task->slot == slot;
    }
    return dropped;
  }

  // Told without the lock: whoever is woken may ask for the list.
  void tell() const {
    if (wake) {
      wake();
    }
  }

  void run(Task& task) {
    Clock::time_point told{};
    task.run([&](float fraction, std::string_view what) {
      bool wanted = false;
      bool tells = false;
      {
        const std::lock_guard lock(mutex);
        wanted = !task.cancelled && !leaving;
        task.fraction = fraction;
        task.what = what;
        const auto now = Clock::now();
        tells = wanted && now - told > kWakeInterval;
        told = tells ? now : told;
      }
      if (tells) {
        tell();
      }
      return wanted;
    });
  }

  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      std::shared_ptr<Task> task;
      ++idle;
      changed.wait(lock, [&] { return leaving || (task = next()) != nullptr; });
      --idle;
      if (leaving) {
        return;
      }
      task->running = true;
      lock.unlock();
      run(*task);
      task->run = nullptr;  // what it owns goes while nobody waits for the lock
      lock.lock();
      std::erase(tasks, task);
      const bool told = !task->cancelled && !leaving;
      changed.notify_all();  // its slot and its thread are free
      if (told) {
        lock.unlock();
        tell();
        lock.lock();
      }
    }
  }
};

Jobs::Jobs(std::function<void()> wake, unsigned threads) : state_(std::make_unique<State>()) {
  state_->wake = std::move(wake);
  state_->limit = std::max(kFewestThreads, threads > 0 ? threads : std::thread::hardware_concurrency() + 2);
}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->leaving = true;
  }
  state_->changed.notify_all();
  state_->threads.clear();  // joined
}

Jobs::SlotId Jobs::new_slot() {
  const std::lock_guard lock(state_->mutex);
  return ++state_->last_slot;
}

void Jobs::start(SlotId slot, Kind kind, std::string name, Run run) {
  PELT_EXPECT(run != nullptr, "there is something to do");
  auto task = std::make_shared<Task>();
  task->slot = slot;
  task->kind = kind;
  task->name = std::move(name);
  task->run = std::move(run);
  std::vector<std::shared_ptr<Task>> dropped;
  const std::lock_guard lock(state_->mutex);
  dropped = state_->drop(slot);
  state_->tasks.push_back(std::move(task));
  // Threads come as they are needed, and stay.
  const auto waiting = std::ranges::count_if(state_->tasks, [](const auto& one) { return !one->running; });
  if (state_->idle < static_cast<std::size_t>(waiting) && state_->threads.size() < state_->limit) {
    state_->threads.emplace_back([state = state_.get()] { state->work(); });
  }
  state_->changed.notify_all();
}

void Jobs::cancel(SlotId slot) {
  std::vector<std::shared_ptr<Task>> dropped;
  const std::lock_guard lock(state_->mutex);
  dropped = state_->drop(slot);
}

void Jobs::wait(SlotId slot, std::chrono::milliseconds longest) const {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, longest, [&] {
    return std::ranges::none_of(state_->tasks,
                                [&](const auto& task) { return task->slot == slot && !task->cancelled; });
  });
}

std::vector<Jobs::Row> Jobs::list() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<Row> rows;
  for (const auto& task : state_->tasks) {
    if (!task->cancelled) {
      rows.push_back(State::row_of(*task));
    }
  }
  return rows;
}

std::optional<Jobs::Row> Jobs::row(SlotId slot) const {
  const std::lock_guard lock(state_->mutex);
  const auto found =
      std::ranges::find_if(state_->tasks, [&](const auto& task) { return task->slot == slot && !task->cancelled; });
  return found == state_->tasks.end() ? std::nullopt : std::optional(State::row_of(**found));
}

}  // namespace pelt
