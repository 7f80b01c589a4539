#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs.h"
#include "core/result.h"
#include "edit/bind_candidates.h"

namespace pelt::ui {

struct BindPanel;
struct Desk;

/// What the preview of candidates is about, see Preview::subject: Esc drops them.
inline constexpr std::string_view kCandidatesSubject = "bind candidates";

/// Binders run one after the other on one character, and what they made until one is used: the document has none of it.
struct BindComparison {
  static constexpr std::size_t kMost = 4;

  using Wanted = std::array<std::string, kMost>;

  /// Ids of binders, or edit::kFileWeights; empty: none there.
  Wanted wanted = usual(true);
  bool had_file_weights = true;  ///< of the character that `wanted` was chosen for

  /// What is compared unless the user chooses. @param has_file_weights  the file has weights that can be a candidate
  static Wanted usual(bool has_file_weights);

  struct Row {
    edit::BindSkin change;                                      ///< what it is to be made by
    std::string label = {};                                     ///< of the binder
    std::shared_ptr<const edit::BindCandidate> candidate = {};  ///< null: still to be made
    std::string error = {};                                     ///< why there will be none
  };
  std::vector<Row> rows = {};
  std::unique_ptr<JobSlot<Result<edit::BindCandidate>>> job = nullptr;
  std::optional<std::size_t> running = {};  ///< the row that the job makes

  std::shared_ptr<const rig::Character> of = {};    ///< with the weights that all were made beside
  std::vector<int> locked = {};                     ///< joints that were locked then
  std::shared_ptr<const rig::Character> used = {};  ///< after one was used: of any other they are dropped
  int using_for = 0;                                ///< pictures in which its change may arrive

  std::string_view sorted_by = {};  ///< id of the column; empty: the first
  std::string said = {};            ///< what using one did

  int shown = -1;  ///< row whose weights are seen, -1: those of the document
  bool side_by_side = false;
  int panes_before = 1;   ///< how many there were before
  int pane_to_show = -1;  ///< once the panes are there
  int panes_set = 0;      ///< how many were asked for; 0: none yet
  bool coloured = false;  ///< the look of differences was turned on here
  int serial = 0;         ///< of what is shown: another one for other weights
  bool patient = false;   ///< pictures wait for the results
};

/// The section of the Bind tab.
void draw_comparison(BindComparison& comparison, BindPanel& panel, Desk& desk);

/// Takes what has been made, starts the next, and asks for the preview; in every picture, whichever tab is in front.
/// Call after all that may ask for a preview, before it is looked at.
void follow_comparison(Desk& desk);

/// What a pane shows in place of the document's weights, by name; empty: nothing.
std::string candidate_in_pane(const Desk& desk, int pane);
/// Label of the candidate whose weights the last picture showed in the active pane; empty: it showed none.
std::string candidate_in_picture(const Desk& desk);

}  // namespace pelt::ui
