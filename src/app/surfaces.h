#pragma once

#include <memory>
#include <optional>

#include "app/session.h"
#include "core/jobs.h"
#include "core/result.h"
#include "ui/workspace.h"

namespace pelt::app {

/// Makes other surfaces of the open character and looks for its T-junctions in the background.
class Surfaces {
 public:
  explicit Surfaces(std::shared_ptr<Jobs> jobs);

  /// Shows what has come to an end, and starts what was asked for. The error says why a surface cannot be made; the one
  /// that is shown stays.
  Status update(Session& session, const ui::Requests& requests);
  /// What is shown stays. Tells whether a surface was being made.
  bool cancel(Session& session);
  [[nodiscard]] ui::Loading loading() const;
  /// Of the surface being made.
  [[nodiscard]] Jobs::SlotId id() const { return maker_.id(); }

 private:
  struct Made {
    rig::SurfaceChoice choice;
    Result<std::shared_ptr<const rig::Character>> character;
    double detail_error = 0;
  };
  struct Found {
    SharedList<mesh::Mesh> meshes;
    edit::TJunctionLists lists;
  };
  Status take_made(Session& session);
  void make(Session& session, const rig::SurfaceChoice& choice);

  std::shared_ptr<const rig::Character> making_of_;  ///< null: nothing is made
  bool quiet_ = false;          ///< only the explosion is another: quick, and asked for at every step of a drag
  std::uint64_t searched_ = 0;  ///< character_version
  JobSlot<Made> maker_;
  JobSlot<Found> searcher_;
};

}  // namespace pelt::app
