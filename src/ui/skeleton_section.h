#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bind/skeleton_template.h"
#include "core/jobs.h"
#include "core/result.h"
#include "edit/document.h"

namespace pelt::ui {

struct Desk;

/// The tab Bind: joints of a template are put into a mesh and moved before it is bound, or bound anew to them.
struct SkeletonSection {
  /// What the job makes.
  struct Fitted {
    std::shared_ptr<const bind::RestVolume> volume;
    bind::FittedTemplate skeleton;  ///< no joints: only the volume was asked for
    std::string what;
  };
  using Made = Result<Fitted>;

  int kind = 0;  ///< 0: humanoid, 1: chain
  int chain_joints = 5;
  bool symmetric = true;  ///< what is placed on one side is placed on the other as well
  bool snaps = true;      ///< what is dragged stays in the middle of the volume

  std::unique_ptr<JobSlot<Made>> job = nullptr;
  SharedList<mesh::Mesh> job_of = {};  ///< whose volume the job makes
  std::shared_ptr<const bind::RestVolume> volume = nullptr;
  SharedList<mesh::Mesh> volume_of = {};
  std::vector<std::string> notes = {};  ///< of the template that was put in last
  std::string error = {};
  bool patient = false;        ///< pictures wait for the result
  bool had_placeable = false;  ///< joints that could be placed, in the last picture
};

/// Whether a mesh is there that hangs on no skin, and no other does.
bool is_bare(const edit::Document& document);
/// Joints of skeletons that were added and of which no skin lists any joint.
std::vector<int> placeable_joints(const edit::Document& document);

/// Where a joint is in the pose that is shown.
glm::vec3 place_in_world(const Desk& desk, int joint);

void draw_skeleton(SkeletonSection& section, Desk& desk);
/// Puts what a job has made into the document; in every picture, whichever tab is in front.
void follow_skeleton_job(Desk& desk);
/// What was said and is being made is about a character that is not there any more.
void forget_skeleton(SkeletonSection& section);
/// The volume of the open character; null until it is made.
const bind::RestVolume* rest_volume_of(SkeletonSection& section, Desk& desk);

/// Moves joints to other places and, where the section is symmetric, their partners to the mirrored ones.
void place_joints(const SkeletonSection& section, std::vector<int> joints, std::vector<glm::vec3> places,
                  const std::string& merge_key, Desk& desk);

}  // namespace pelt::ui
