#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "edit/content.h"

namespace pelt::rig {
struct CharacterDelta;
}

namespace pelt::edit {

/// What all steps together may hold besides what the document shows.
inline constexpr std::size_t kHistoryBytes = std::size_t{512} << 20;

/// What makes of each content of a document one that means the same from then on: as another version of its file came,
/// or another scene is shown. Steps are mapped when they are travelled to.
class ContentMap {
 public:
  ContentMap() = default;
  ContentMap(const ContentMap&) = delete;
  ContentMap& operator=(const ContentMap&) = delete;
  virtual ~ContentMap() = default;
  /// Contents with one character get one; see MappedCharacters.
  /// @param lost  is told, one phrase each, what cannot be taken over
  [[nodiscard]] virtual Content mapped(const Content& content, std::vector<std::string>* lost) const = 0;
  /// What it holds besides `met`, or besides what came after it. @param met  a content that it is applied to
  [[nodiscard]] virtual std::size_t bytes(const Content& /*met*/) const { return 0; }
};
/// What became of characters, as long as somebody holds both: those that were one stay one.
class MappedCharacters {
 public:
  using Pointer = std::shared_ptr<const rig::Character>;
  /// @param make  gives what becomes of `character` where nobody has it any more
  template <typename Make>
  Pointer mapped(const Pointer& character, const Make& make) const {
    std::erase_if(pairs_, [](const auto& pair) { return pair.first.expired() || pair.second.expired(); });
    for (const auto& [before, after] : pairs_) {
      if (before.lock() == character) {
        return after.lock();
      }
    }
    const Pointer made = make();
    pairs_.emplace_back(character, made);
    return made;
  }

 private:
  mutable std::vector<std::pair<std::weak_ptr<const rig::Character>, std::weak_ptr<const rig::Character>>> pairs_;
};

/// A map, and what the neighbour of a step was when it came.
struct MetMap {
  std::shared_ptr<const ContentMap> map;
  /// Holding it also keeps one what was one between two maps; see MappedCharacters.
  std::shared_ptr<const Content> neighbour;
};

/// One place of the list.
struct Step {
  std::string label;  ///< what led here, for example "Rotate elbow_l"; empty for where the document began
  /// What it does not share with its neighbour towards the cursor, and bytes_of_maps; 0 at the cursor.
  std::size_t bytes = 0;
  /// What `maps` hold besides what is shown; steps that have the same count it once.
  std::size_t bytes_of_maps = 0;
  bool is_whole = true;  ///< `content` has its character
  Content content = {};  ///< of nothing at the cursor: there the document has its own
  /// What makes its character of the neighbour's towards the cursor; null: nothing, where it is not whole.
  std::shared_ptr<const rig::CharacterDelta> character = nullptr;
  /// The character itself, for as long as somebody else holds it, as the document that of its file.
  std::weak_ptr<const rig::Character> held_elsewhere = {};
  /// To be applied one after the other; the first knows the neighbour as the step does.
  std::vector<MetMap> maps = {};
};

/// The contents that a document had and may have again: a list in the order in which they came about, and a cursor that
/// says which of them the document shows. Where the steps hold more than the limit, the oldest are forgotten first,
/// then the farthest to be redone; never the one before the cursor, so that the last change can always be undone.
///
/// What could be redone when a change began is set aside until the change is over, so that taking it back leaves the
/// list as it was. What is set aside counts as steps do, and is forgotten before any of them.
///
/// A step keeps of its character what differs from its neighbour towards the cursor (rig::CharacterDelta): for weights
/// the rows that changed, not their blocks. Travelling makes one content of the next. Only what a drag in progress
/// began with is kept whole, so that taking it back gives the very same.
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
  /// What the document shows at a place. @param shown  what it shows now. @pre i < size()
  /// @cost  that of the steps between, of which none is changed
  [[nodiscard]] Content content(std::size_t i, const Content& shown) const;
  /// What all steps hold, with those that are set aside: at least what letting go of them frees. What a step met before
  /// a map came is held whole, and counts as far as it is not shown now, or was not when a drag in progress began.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t limit() const { return limit_; }
  void set_limit(std::size_t bytes);

  /// A change: a new step behind the cursor, which goes there; what could be redone is set aside. The change may go on
  /// until close(), or until another begins.
  void record(const Content& before, const Content& after, std::string label);
  /// The last change went on to `after`. @pre can_undo()
  void go_on(const Content& after);
  /// The last change is over: what was there before it is kept as what differs from `shown`, and what could be redone
  /// then is forgotten.
  void close(const Content& shown);
  /// Takes the last change out of the list; what could be redone before it can be redone again, unless the change was
  /// over. @return the content before it. @pre can_undo() and not can_redo()
  Content take_back(const Content& shown);
  /// Goes to another place; a change that went on is over. @param shown  what the document shows
  /// @param lost  is told what maps could not take over on the way
  /// @return what to show now. @pre index < size()
  Content travel(const Content& shown, std::size_t index, std::vector<std::string>* lost = nullptr);
  /// What the document shows at the cursor becomes another without a step.
  void show_other(const Content& before, const Content& after);
  /// The same, and all other places are to be mapped alike. @pre  `after` is what the map makes of `before`
  void map(const Content& before, const Content& after, std::shared_ptr<const ContentMap> map);

 private:
  void keep(std::size_t i, Content content, const Content& neighbour);
  bool keep_begun(const Content& shown);
  void measure(std::size_t i, const Content& neighbour);
  void measure_maps(const Content& shown);
  void erase(std::size_t i);
  void forget_set_aside(std::size_t kept = 0);
  void trim();

  std::deque<Step> steps_ = std::deque<Step>(1);
  /// What could be redone when the change in progress began; the first is told from what the change began with.
  std::vector<Step> set_aside_ = {};
  std::size_t cursor_ = 0;
  std::size_t bytes_ = 0;
  std::size_t limit_ = kHistoryBytes;
};

}  // namespace pelt::edit
