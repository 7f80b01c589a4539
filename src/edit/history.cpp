#include "edit/history.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/expect.h"

namespace pelt::edit {

const Content& History::content(std::size_t i, const Content& shown) const {
  return i == cursor_ ? shown : steps_[i].content;
}

// Says anew what a step holds alone.
void History::measure(std::size_t i, const Content& shown) {
  Step& step = steps_[i];
  bytes_ -= step.bytes;
  step.bytes = 0;
  if (i != cursor_) {
    step.bytes =
        sizeof(Step) + step.label.size() + exclusive_bytes(step.content, content(i < cursor_ ? i + 1 : i - 1, shown));
  }
  bytes_ += step.bytes;
}

void History::erase(std::size_t i) {
  bytes_ -= steps_[i].bytes;
  steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(i));
}

void History::trim() {
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
  while (can_redo()) {
    erase(steps_.size() - 1);
  }
  steps_[cursor_].content = before;
  steps_.push_back({.content = {}, .label = std::move(label)});
  ++cursor_;
  measure(cursor_ - 1, after);
  trim();
}

void History::go_on(const Content& after) {
  PELT_EXPECT(can_undo(), "a change that goes on has begun");
  measure(cursor_ - 1, after);
  trim();
}

Content History::take_back() {
  PELT_EXPECT(can_undo() && !can_redo(), "the last change of the list is taken back");
  erase(cursor_);
  --cursor_;
  bytes_ -= std::exchange(steps_[cursor_].bytes, 0);
  return std::exchange(steps_[cursor_].content, {});
}

Content History::travel(const Content& shown, std::size_t index) {
  PELT_EXPECT(index < steps_.size(), "step index out of range");
  const std::size_t from = std::exchange(cursor_, index);
  if (from == index) {
    return shown;
  }
  steps_[from].content = shown;
  Content target = std::exchange(steps_[index].content, {});
  for (std::size_t i = std::min(from, index); i <= std::max(from, index); ++i) {
    measure(i, target);
  }
  return target;
}

void History::replace_each(const Content& shown, const std::function<Content(const Content&)>& replaced) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (i != cursor_) {
      steps_[i].content = replaced(steps_[i].content);
    }
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    measure(i, shown);
  }
  trim();
}

void History::forget_other_characters(const Content& shown) {
  std::vector<bool> leads_to_another(steps_.size(), false);
  for (std::size_t i = 1; i < steps_.size(); ++i) {
    leads_to_another[i] = content(i, shown).character != content(i - 1, shown).character;
  }
  for (std::size_t i = steps_.size() - 1; i > 0; --i) {
    if (!leads_to_another[i]) {
      continue;
    }
    // The cursor's place is never taken out, since the document shows it: the one before goes, and its name with it.
    if (i == cursor_) {
      steps_[i].label = steps_[i - 1].label;
      erase(i - 1);
    } else {
      erase(i);
    }
    cursor_ -= i <= cursor_ ? 1 : 0;
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    measure(i, shown);
  }
}

}  // namespace pelt::edit
