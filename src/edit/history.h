#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>

#include "edit/content.h"

namespace pelt::edit {

/// What all steps together may hold besides what the document shows.
inline constexpr std::size_t kHistoryBytes = std::size_t{512} << 20;

/// One place of the list.
struct Step {
  Content content;        ///< of nothing at the cursor: there the document has its own
  std::string label;      ///< what led here, for example "Rotate elbow_l"; empty for where the document began
  std::size_t bytes = 0;  ///< what it does not share with its neighbour towards the cursor; 0 at the cursor
  bool operator==(const Step&) const = default;
};

/// The contents that a document had and may have again: a list in the order in which they came about, and a cursor that
/// says which of them the document shows. Where the steps hold more than the limit, the oldest are forgotten first,
/// then the farthest to be redone; never the one before the cursor, so that the last change can always be undone.
class History {
 public:
  [[nodiscard]] std::size_t size() const { return steps_.size(); }  ///< at least 1
  [[nodiscard]] std::size_t cursor() const { return cursor_; }
  /// @pre i < size()
  [[nodiscard]] const Step& step(std::size_t i) const { return steps_[i]; }
  [[nodiscard]] bool can_undo() const { return cursor_ > 0; }
  [[nodiscard]] bool can_redo() const { return cursor_ + 1 < steps_.size(); }
  /// What undo() would take back. @pre can_undo()
  [[nodiscard]] const std::string& undo_label() const { return steps_[cursor_].label; }
  /// @pre can_redo()
  [[nodiscard]] const std::string& redo_label() const { return steps_[cursor_ + 1].label; }
  /// The content before the last change. @pre can_undo()
  [[nodiscard]] const Content& before() const { return steps_[cursor_ - 1].content; }
  /// What all steps hold.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t limit() const { return limit_; }
  void set_limit(std::size_t bytes);

  /// A change: a new step behind the cursor, which goes there; what could be redone is forgotten.
  void record(const Content& before, const Content& after, std::string label);
  /// The last change went on to `after`. @pre can_undo()
  void go_on(const Content& after);
  /// Takes the last change out of the list. @return the content before it. @pre can_undo() and not can_redo()
  Content take_back();
  /// Goes to another place. @param shown  what the document shows
  /// @return what to show now. @pre index < size()
  Content travel(const Content& shown, std::size_t index);
  /// Makes another content of that of each step, as of another version of the character. What the document shows is its
  /// owner's. @param shown  what it shows after that
  void replace_each(const Content& shown, const std::function<Content(const Content&)>& replaced);
  /// Takes out the steps that lead from one character to another. @param shown  what the document shows
  void forget_other_characters(const Content& shown);

  bool operator==(const History&) const = default;

 private:
  [[nodiscard]] const Content& content(std::size_t i, const Content& shown) const;
  void measure(std::size_t i, const Content& shown);
  void erase(std::size_t i);
  void trim();

  std::deque<Step> steps_ = std::deque<Step>(1);
  std::size_t cursor_ = 0;
  std::size_t bytes_ = 0;
  std::size_t limit_ = kHistoryBytes;
};

}  // namespace pelt::edit
