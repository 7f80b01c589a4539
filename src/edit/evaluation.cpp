#include "edit/evaluation.h"

#include <chrono>
#include <utility>

namespace pelt::edit {
namespace {

constexpr int kNone = -1;
constexpr int kSeveral = -2;

// The only joint whose local matrix differs, kNone, or kSeveral.
int changed_joint(const rig::Pose& before, const rig::Pose& after) {
  if (before.local.size() != after.local.size() || before.residual != after.residual) {
    return kSeveral;
  }
  int changed = kNone;
  for (std::size_t j = 0; j < after.local.size(); ++j) {
    if (before.local[j] != after.local[j]) {
      if (changed != kNone) {
        return kSeveral;
      }
      changed = static_cast<int>(j);
    }
  }
  return changed;
}

}  // namespace

bool Evaluation::update(const Document& document) {
  const bool other_character = document.character_version != character_version_;
  if (!other_character && document.state_version == state_version_) {
    return false;
  }
  rig::Pose pose = evaluate_pose(document);
  const int changed = other_character ? kSeveral : changed_joint(pose_, pose);
  const bool same_settings = !other_character && skinning_ == document.state.skinning;
  const bool same_morphs = !other_character && pose_.morph_weights == pose.morph_weights;
  character_version_ = document.character_version;
  state_version_ = document.state_version;
  if (changed == kNone && same_settings && same_morphs) {
    return false;
  }
  pose_ = std::move(pose);
  skinning_ = document.state.skinning;
  if (other_character) {
    deformer_.reset();
  }
  if (changed == kSeveral) {
    world_.evaluate(document.character->skeleton, pose_);
  } else if (changed != kNone) {
    world_.update(document.character->skeleton, pose_, changed);
  }
  ++version_;
  return true;
}

const deform::DeformedCharacter& Evaluation::deformed(const Document& document) {
  update(document);
  if (deformed_version_ != version_) {
    const auto start = std::chrono::steady_clock::now();
    deformer_.deform(*document.character, pose_, world_.world(), skinning_, deformed_);
    cpu_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    deformed_version_ = version_;
  }
  return deformed_;
}

}  // namespace pelt::edit
