#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/jobs.h"
#include "core/progress.h"
#include "core/result.h"
#include "edit/weight_foresight.h"
#include "edit/weight_text.h"

namespace pelt::ui {

struct Desk;
struct Workspace;

/// Where tools take weights from that need another file: a character, or a text of weights.
struct WeightSource {
  using Opened = Result<std::shared_ptr<const rig::Character>>;
  using Read = Result<std::shared_ptr<const edit::WeightTable>>;

  std::shared_ptr<const rig::Character> character = nullptr;
  std::string character_name = {};  ///< of its file, without folders
  std::shared_ptr<const edit::WeightTable> table = nullptr;
  std::string table_name = {};

  std::unique_ptr<JobSlot<Opened>> opening = nullptr;  ///< null: nothing was opened yet
  std::unique_ptr<JobSlot<Read>> reading = nullptr;
  /// The name of what is being opened, and why the last could not be.
  struct Coming {
    std::string name = {};
    std::string error = {};
  };
  Coming next_character = {};
  Coming next_table = {};

  /// Of joints, with those first that give their weights to nobody, or to a joint above their own.
  std::vector<edit::JointPartner> partners = {};
  std::shared_ptr<const rig::Character> partners_of = nullptr;  ///< the source that they are of
  Shared<rig::Skeleton> partners_in = {};                       ///< and the skeleton here
};

/// Opens the character that gives weights, or the text, in the background, and puts the tool that takes them into the
/// hand. @param open  reads the file, on another thread
void open_weights_from(Workspace& workspace, const std::string& file,
                       std::function<WeightSource::Opened(const Progress&)> open);
void open_weight_text(Workspace& workspace, const std::string& file,
                      std::function<WeightSource::Read(const Progress&)> read);

/// Takes what has been opened. @param patient  waits for it
void follow_weight_source(WeightSource& source, bool patient);

/// The row that names the file, for a tool that needs one; a click asks for another.
void draw_weight_source(WeightSource& source, const edit::WeightTool& tool, Desk& desk);
/// Which joint here gets what a joint of the other character gives.
void draw_joint_partners(WeightSource& source, Desk& desk);
/// The vertices without a match, or without a mirror image, with a button that selects them.
/// @param foreseen  by the tool
void draw_unmatched(const edit::ForeseenWeights& foreseen, const edit::WeightTool& tool, Desk& desk);
/// Buttons for weights as a text, to and from a file.
void draw_weight_text(Desk& desk);

}  // namespace pelt::ui
