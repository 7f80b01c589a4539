#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs.h"
#include "core/result.h"
#include "edit/bind_edits.h"

namespace pelt::ui {

/// Of its row of tabs().
inline constexpr std::string_view kBindTab = "bind";
/// Preview::subject of the weights that a binder has made so far.
inline constexpr std::string_view kBindSubject = "bind";

struct Desk;

/// What a binder has made so far, written by its thread and read by the one that draws.
struct BindProgress {
  std::mutex mutex;
  std::shared_ptr<const bind::Binding> coarse;  ///< the last coarse result
  int count = 0;                                ///< of coarse results
};

/// Weights made by a binder: which one, its numbers, which joints deform, what of the mesh, and the report.
struct BindPanel {
  enum Area { kAll, kVertices, kJoints };
  using Made = Result<std::shared_ptr<const edit::MadeBinding>>;

  std::string binder;                                      ///< id of bind::binders(); empty: the first
  std::map<std::string, std::vector<double>> values = {};  ///< of the fields of each binder that was looked at
  int limit = 4;
  int area = kAll;

  Shared<rig::Skeleton> joints_of;   ///< whose joints the next is about
  std::vector<char> deforming = {};  ///< [J] by hand or as proposed

  std::unique_ptr<JobSlot<Made>> job = nullptr;
  edit::BindSkin running = {};                                 ///< what the job works on
  std::shared_ptr<const bind::CharacterProblem> problem = {};  ///< of the job, for its coarse results
  std::shared_ptr<const rig::Character> character = {};        ///< that the job binds
  std::shared_ptr<BindProgress> progress = {};
  double started = 0;

  std::shared_ptr<const edit::MadeBinding> made = {};  ///< the last one, for the report
  std::vector<std::string> report = {};                ///< its remarks as sentences
  std::string error = {};
  double seconds = 0;    ///< that it took
  int made_limit = 0;    ///< of influences, of `made`; 0: any number
  bool patient = false;  ///< pictures wait for the result

  Shared<bind::JointVolumes> volumes_of = {};  ///< of the document, whose numbers the fields have taken over
};

void draw(BindPanel& panel, Desk& desk);

/// The binder that is chosen there; the first where none is.
const bind::Binder& chosen_binder(const BindPanel& panel);
/// What the panel says of all vertices, under a binder with the numbers that were set for it.
/// @param binder  an id; of none of the table it is kept
edit::BindSkin binding_by(BindPanel& panel, const Desk& desk, std::string_view binder);

/// What the button would bind.
edit::BindSkin wished_binding(BindPanel& panel, const Desk& desk);
/// Why the button would do nothing, as a sentence; empty where it would.
std::string why_not_bind(BindPanel& panel, const Desk& desk);

/// Starts what the panel says. @param report_to  where it goes is in the panel
/// @param in_pose  posed surface and bones are bound, as they are seen
void start_binding(BindPanel& panel, Desk& desk, bool in_pose = false);
/// Shows coarse results and puts the last one into the document; in every picture, whichever tab is in front.
void follow_binding(Desk& desk);

}  // namespace pelt::ui
