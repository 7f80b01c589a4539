#include "edit/history.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/expect.h"
#include "rig/character_delta.h"

namespace pelt::edit {
namespace {

// Goes from the cursor outwards and makes of each step's content that of the next one.
class Way {
 public:
  explicit Way(const Content& shown, std::vector<std::string>* lost = nullptr)
      : content_(shown), unmapped_(shown), lost_(lost) {}

  void go_on_to(const Step& step) {
    if (!step.maps.empty()) {
      unmapped_ = *step.maps.front().neighbour;
      pending_.insert(pending_.begin(), step.maps.begin(), step.maps.end());
    }
    Content next = step.content;
    if (!step.is_whole) {
      next.character = step.character == nullptr ? unmapped_.character : step.held_elsewhere.lock();
      if (next.character == nullptr) {
        next.character = std::make_shared<const rig::Character>(rig::applied(*step.character, *unmapped_.character));
      }
    }
    unmapped_ = std::move(next);
    content_ = unmapped_;
    std::vector<MetMap> pending;
    for (const MetMap& met : pending_) {
      pending.push_back({met.map, std::make_shared<const Content>(content_)});
      content_ = met.map->mapped(content_, lost_);
    }
    pending_ = std::move(pending);
  }

  [[nodiscard]] const Content& content() const { return content_; }  ///< of the last step, as it means now
  /// What came since the step beyond it met it.
  [[nodiscard]] const std::vector<MetMap>& pending() const { return pending_; }

 private:
  Content content_;
  Content unmapped_;             // as the step beyond it knows it
  std::vector<MetMap> pending_;  // with what they made of the last step, for the next one with the same character
  std::vector<std::string>* lost_;
};

}  // namespace

Content History::content(std::size_t i, const Content& shown) const {
  PELT_EXPECT(i < steps_.size(), "step index out of range");
  Way way(shown);
  for (std::size_t at = cursor_; at != i;) {
    at = i < at ? at - 1 : at + 1;
    way.go_on_to(steps_[at]);
  }
  return way.content();
}

// Says anew what a step holds alone. @param neighbour  the content of the next one towards the cursor
void History::measure(std::size_t i, const Content& neighbour) {
  Step& step = steps_[i];
  bytes_ -= step.bytes;
  step.bytes = sizeof(Step) + step.label.size() + step.bytes_of_maps +
               exclusive_bytes(step.content, step.maps.empty() ? neighbour : *step.maps.front().neighbour);
  step.bytes += step.character != nullptr ? step.character->bytes : 0;
  bytes_ += step.bytes;
}

// Says anew what was met before maps came. Steps between may keep of it no more than rows, so that it is compared with
// what is shown and not with them.
void History::measure_maps(const Content& shown) {
  std::set<const void*> seen;
  const auto measure_one = [&](Step& step) {
    bytes_ -= step.bytes_of_maps;
    step.bytes -= step.bytes_of_maps;
    step.bytes_of_maps = 0;
    for (std::size_t k = 0; k < step.maps.size(); ++k) {
      const auto& [map, met] = step.maps[k];
      const Content& next = k + 1 < step.maps.size() ? *step.maps[k + 1].neighbour : shown;
      if (seen.insert(met.get()).second) {
        step.bytes_of_maps += sizeof(Content) + exclusive_bytes(*met, next);
      }
      if (seen.insert(map.get()).second) {
        step.bytes_of_maps += map->bytes(*step.maps.front().neighbour);
      }
    }
    step.bytes += step.bytes_of_maps;
    bytes_ += step.bytes_of_maps;
  };
  std::ranges::for_each(steps_, measure_one);
  std::ranges::for_each(set_aside_, measure_one);
}

// Keeps a content as what differs from that of the neighbour towards the cursor, which the step has met as it is now.
void History::keep(std::size_t i, Content content, const Content& neighbour) {
  Step& step = steps_[i];
  step.maps.clear();
  step.bytes_of_maps = 0;
  step.character = nullptr;
  step.held_elsewhere = content.character;
  step.is_whole = content.character == nullptr || neighbour.character == nullptr;
  if (!step.is_whole) {
    if (content.character != neighbour.character) {
      step.character =
          std::make_shared<const rig::CharacterDelta>(rig::delta_between(*neighbour.character, *content.character));
    }
    content.character = nullptr;
  }
  step.content = std::move(content);
  measure(i, neighbour);
}

void History::erase(std::size_t i) {
  bytes_ -= steps_[i].bytes;
  steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(i));
}

void History::forget_set_aside(std::size_t kept) {
  while (set_aside_.size() > kept) {
    bytes_ -= set_aside_.back().bytes;
    set_aside_.pop_back();
  }
}

void History::trim() {
  while (bytes_ > limit_ && !set_aside_.empty()) {
    forget_set_aside(set_aside_.size() - 1);
  }
  while (bytes_ > limit_ && cursor_ > 1) {
    erase(0);
    --cursor_;
  }
  while (bytes_ > limit_ && can_redo()) {
    erase(steps_.size() - 1);
  }
}

void History::set_limit(std::size_t bytes) {
  limit_ = bytes;
  trim();
}

void History::record(const Content& before, const Content& after, std::string label) {
  close(before);
  const auto redo = steps_.begin() + static_cast<std::ptrdiff_t>(cursor_) + 1;
  set_aside_.assign(std::move_iterator(redo), std::move_iterator(steps_.end()));
  steps_.erase(redo, steps_.end());
  steps_[cursor_].content = before;
  steps_[cursor_].is_whole = true;
  steps_.push_back({.label = std::move(label)});
  ++cursor_;
  measure(cursor_ - 1, after);
  trim();
}

void History::go_on(const Content& after) {
  PELT_EXPECT(can_undo(), "a change that goes on has begun");
  measure(cursor_ - 1, after);
  if (!steps_[cursor_ - 1].maps.empty()) {
    measure_maps(after);
  }
  trim();
}

void History::close(const Content& shown) {
  forget_set_aside();
  if (keep_begun(shown)) {
    measure_maps(shown);
  }
}

// @return whether what the last change began with was still whole
bool History::keep_begun(const Content& shown) {
  // Once a map has come, the step goes on being told from what was shown before it.
  if (!can_undo() || !steps_[cursor_ - 1].is_whole || !steps_[cursor_ - 1].maps.empty()) {
    return false;
  }
  keep(cursor_ - 1, std::move(steps_[cursor_ - 1].content), shown);
  return true;
}

Content History::take_back(const Content& shown) {
  PELT_EXPECT(can_undo() && !can_redo(), "the last change of the list is taken back");
  std::vector<Step> redo = std::exchange(set_aside_, {});
  Content before = travel(shown, cursor_ - 1);
  erase(cursor_ + 1);
  if (!redo.empty()) {
    steps_.insert(steps_.end(), std::move_iterator(redo.begin()), std::move_iterator(redo.end()));
    measure(cursor_ + 1, before);
    measure_maps(before);
  }
  return before;
}

Content History::travel(const Content& shown, std::size_t index, std::vector<std::string>* lost) {
  PELT_EXPECT(index < steps_.size(), "step index out of range");
  forget_set_aside();
  if (index == cursor_) {
    return shown;
  }
  const bool back = index < cursor_;
  if (!back) {
    close(shown);
  }
  const auto beyond = [back](std::size_t i) { return back ? i - 1 : i + 1; };
  const std::size_t from = cursor_;
  Way way(shown, lost);
  for (std::size_t i = from; i != index; i = beyond(i)) {
    Content here = way.content();
    way.go_on_to(steps_[beyond(i)]);
    keep(i, std::move(here), way.content());
  }
  cursor_ = index;
  Step& now = steps_[index];
  bytes_ -= now.bytes;
  now = {.label = std::move(now.label)};
  if (const std::size_t next = beyond(index); next < steps_.size()) {  // -1 is none of them
    Step& step = steps_[next];
    step.maps.insert(step.maps.end(), way.pending().begin(), way.pending().end());
    measure(next, way.content());
  }
  if (const std::size_t behind = back ? from + 1 : from - 1; behind < steps_.size()) {
    measure(behind, shown);
  }
  measure_maps(way.content());
  return way.content();
}

void History::show_other(const Content& before, const Content& after) {
  for (const std::size_t i : {cursor_ - 1, cursor_ + 1}) {
    if (i >= steps_.size()) {
      continue;  // -1 is none of them
    }
    if (!steps_[i].is_whole && steps_[i].maps.empty() && before.character != after.character) {
      keep(i, content(i, before), after);
    } else {
      measure(i, after);
    }
  }
  measure_maps(after);
  trim();
}

void History::map(const Content& before, const Content& after, std::shared_ptr<const ContentMap> map) {
  if (!set_aside_.empty()) {  // from before the change it is mapped alike
    set_aside_.front().maps.push_back({map, std::make_shared<const Content>(content(cursor_ - 1, before))});
  }
  keep_begun(before);
  const auto met = std::make_shared<const Content>(before);
  for (const std::size_t i : {cursor_ - 1, cursor_ + 1}) {
    if (i >= steps_.size()) {
      continue;  // -1 is none of them
    }
    steps_[i].maps.push_back({map, met});
    measure(i, after);
  }
  measure_maps(after);
  trim();
}

}  // namespace pelt::edit
