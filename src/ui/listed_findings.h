#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rig/lint.h"

namespace pelt::ui {

struct Desk;

/// What there is to say of a finding besides itself.
struct ListedFinding {
  bool is_done = false;  ///< the last search has not found it any more
  /// The place of the history before the step that mended it, and the step's label; nothing where no step did.
  struct Mend {
    std::size_t before = 0;
    std::string label;
    std::size_t steps = 1;     ///< since the search before; of several nobody knows which mended it
    std::string changed = {};  ///< what differs since that search, in words
    bool is_alone = false;     ///< it is the only row that was mended since
  };
  std::optional<Mend> mend = {};
  /// Vertices that it named before the last step which left another number of them; 0: no step did.
  std::size_t named_before = 0;
  /// The row with a more precise cause that names all vertices of this one, too; -1: none, or never.
  int same_as = -1;
  float height = 0;        ///< pixels that it took: a row does not shrink
  float height_width = 0;  ///< at this width
};

/// The findings of the open character in the order in which they were first listed. A row keeps its place until another
/// character is opened: what is mended stays as done, what is new comes last.
struct ListedFindings {
  rig::Findings findings = {};
  std::vector<ListedFinding> rows = {};                       ///< one for each finding
  std::shared_ptr<const rig::Character> file = nullptr;       ///< Document::file that the rows are about
  std::shared_ptr<const rig::Character> looked_at = nullptr;  ///< the last that was searched; null: none yet
  std::shared_ptr<const rig::Character> seen = nullptr;       ///< the character of the last picture
  double seen_since = 0;                                      ///< seconds, as Scene::now
  std::optional<ListedFinding::Mend> changed = {};            ///< the first step after the last search
  std::size_t place = 0;                                      ///< of the history, when `looked_at` was shown last
  bool is_dismissed = false;                                  ///< nobody wants to be told of them
};

/// Asks for a search of the open character where there was none, and of the edited one once its edits have ended, as
/// long as the list or the banner is there to tell of it; takes the findings into the list. Call in each picture,
/// before panels are drawn.
void follow_findings(Desk& desk);

/// Whether a search is under way whose result is not known yet.
bool is_looking_for_findings(const Desk& desk);

/// How many rows of each severity are not done.
std::array<std::size_t, 3> count_findings(const ListedFindings& list);

/// Takes back what mended a row. @param row  an index of the list; nothing happens where no step mended it
void undo_mend(Desk& desk, std::size_t row);
/// Whether undo_mend() would do something.
bool can_undo_mend(const Desk& desk, std::size_t row);

}  // namespace pelt::ui
