#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/progress.h"

namespace pelt {

/// Everything that takes long, off the thread that draws: one queue, a few threads, and a list of what goes on.
///
/// Work belongs to a slot (one per purpose: opening a file, a battery of poses ...). A slot's newest work replaces what
/// it had: what waits is dropped, what runs is asked to stop and the new work begins when that has ended, so that a
/// slot never runs twice at once. Use JobSlot, which keeps the result. Safe from any thread.
class Jobs {
 public:
  /// What somebody waits for goes first, and a thread is always left for it; likewise for what follows each picture
  /// before what takes as long as it takes.
  enum class Kind : std::uint8_t { kLong, kLive, kAsked };
  using SlotId = std::uint64_t;
  using Run = std::function<void(const Progress&)>;

  /// @param wake     called from other threads when there is something new to show, a few times a second and job at
  ///                 most; may be empty
  /// @param threads  at most that many at once, 3 at least; 0: two more than there are processors
  explicit Jobs(std::function<void()> wake = {}, unsigned threads = 0);
  /// Asks all work to stop and waits for it.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  SlotId new_slot();
  /// @param name  for lists, "Opening fox.glb"
  void start(SlotId slot, Kind kind, std::string name, Run run);
  /// What the slot has waiting is dropped, what runs is asked to stop. Never waits.
  void cancel(SlotId slot);

  struct Row {
    SlotId slot = 0;
    Kind kind = Kind::kLong;
    std::string name;
    std::string what;  ///< being done just now
    float fraction = 0;
    bool running = false;  ///< else it waits for a thread
    double seconds = 0;    ///< since it was asked for
  };
  /// Waits until the slot has nothing that runs or waits, that long at most; for pictures, which cannot show it later.
  void wait(SlotId slot, std::chrono::milliseconds longest) const;
  /// What runs or waits and was not cancelled, in the order in which it was asked for.
  [[nodiscard]] std::vector<Row> list() const;
  /// The slot's row of that list, if it has one.
  [[nodiscard]] std::optional<Row> row(SlotId slot) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The place of one kind of work in a queue, and of its last result. To be used by one thread. The work must own what
/// it uses: it may outlive the slot, but not the queue.
template <typename Result>
class JobSlot {
 public:
  /// Returns nothing when its progress asked it to stop.
  using Work = std::function<std::optional<Result>(const Progress&)>;

  JobSlot(std::shared_ptr<Jobs> jobs, Jobs::Kind kind, std::string name)
      : jobs_(std::move(jobs)), kind_(kind), name_(std::move(name)), slot_(jobs_->new_slot()) {}
  ~JobSlot() { jobs_->cancel(slot_); }
  JobSlot(const JobSlot&) = delete;
  JobSlot& operator=(const JobSlot&) = delete;

  /// The newest wins: nothing of earlier work is delivered any more.
  void start(Work work) { start(name_, std::move(work)); }
  void start(std::string name, Work work) {
    // Of this start alone, so that what was cancelled has nowhere to put its result.
    result_ = std::make_shared<Delivered>();
    jobs_->start(slot_, kind_, std::move(name), [into = result_, work = std::move(work)](const Progress& progress) {
      std::optional<Result> result;
      bool failed = false;
      try {
        result = work(progress);
      } catch (const std::bad_alloc&) {
        failed = true;
      } catch (const std::length_error&) {  // so says a vector that no memory could hold
        failed = true;
      }
      const std::lock_guard lock(into->mutex);
      into->result = std::move(result);
      into->failed = failed;
    });
  }
  void cancel() {
    jobs_->cancel(slot_);
    result_ = std::make_shared<Delivered>();
  }

  /// What has come to an end since the last call, once.
  std::optional<Result> take() {
    const std::lock_guard lock(result_->mutex);
    return std::exchange(result_->result, std::nullopt);
  }
  /// Whether work was started, neither ended nor was cancelled.
  [[nodiscard]] bool active() const { return jobs_->row(slot_).has_value(); }
  /// Waits for the end of the work, that long at most.
  void wait(std::chrono::milliseconds longest) const { jobs_->wait(slot_, longest); }
  /// As it stands in the list of the queue; nothing unless active().
  [[nodiscard]] std::optional<Jobs::Row> row() const { return jobs_->row(slot_); }
  /// The last work ran out of memory; until the next start() or cancel().
  [[nodiscard]] bool failed() const {
    const std::lock_guard lock(result_->mutex);
    return result_->failed;
  }
  [[nodiscard]] Jobs::SlotId id() const { return slot_; }

 private:
  struct Delivered {
    std::mutex mutex;
    std::optional<Result> result;
    bool failed = false;
  };

  std::shared_ptr<Jobs> jobs_;
  Jobs::Kind kind_;
  std::string name_;
  Jobs::SlotId slot_;
  std::shared_ptr<Delivered> result_ = std::make_shared<Delivered>();
};

}  // namespace pelt
