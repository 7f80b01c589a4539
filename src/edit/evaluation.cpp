#include "edit/evaluation.h"

#include <chrono>
#include <utility>

#include "core/expect.h"
#include "measure/surface.h"

namespace pelt::edit {
namespace {

constexpr int kNone = -1;
constexpr int kSeveral = -2;

// The only joint whose local matrix differs, kNone, or kSeveral.
int changed_joint(const rig::Pose& before, const rig::Pose& after) {
  if (before.local.size() != after.local.size() || before.residual != after.residual ||
      before.own_bindings != after.own_bindings) {
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

Evaluation::Evaluation()
    : cache_(std::make_shared<deform::SkinCache>()),
      panes_{Shape(cache_), Shape(cache_), Shape(cache_), Shape(cache_)},
      others_{Shape(cache_), Shape(cache_), Shape(cache_), Shape(cache_)} {}

// Takes over what the document says about panes; tells whether anything changed.
bool Evaluation::take_settings(const Document& document, bool other_character) {
  const int before = std::exchange(pane_count_, pane_count(document.content));
  bool changed = before != pane_count_;
  any_waits_ = false;
  for (int pane = 0; pane < pane_count_; ++pane) {
    Shape& shape = panes_[static_cast<std::size_t>(pane)];
    const deform::SkinningSettings& wanted = skinning_of(document.content, pane);
    deform::SkinningSettings next = wanted;
    shape.waits = hold_unprepared_ && !cache_->ready(*document.character, wanted);
    if (shape.waits) {
      any_waits_ = true;
      const bool had_one = pane < before && !other_character;
      next = had_one ? shape.settings : deform::SkinningSettings{.backend = wanted.backend};
    }
    changed = changed || shape.settings != next;
    shape.settings = next;
  }
  return changed;
}

bool Evaluation::update(const Document& document) {
  const bool other_character = document.character_version != character_version_;
  computed_joints_ = 0;
  if (!other_character && document.state_version == state_version_) {
    // Nothing but the cache, filled elsewhere, can have changed.
    if (any_waits_ && take_settings(document, false)) {
      ++version_;
      return true;
    }
    return false;
  }
  rig::Pose pose = evaluate_pose(document);
  const int changed = other_character ? kSeveral : changed_joint(pose_, pose);
  const bool same_morphs = !other_character && pose_.morph_weights == pose.morph_weights;
  if (other_character) {
    for (Shape& shape : panes_) {
      shape.deformer.reset();
    }
    for (Shape& shape : others_) {
      shape.deformer.reset();
    }
  }
  const bool same_settings = !take_settings(document, other_character) && !other_character;
  character_version_ = document.character_version;
  state_version_ = document.state_version;
  const int clip = document.content.clip;
  const bool moves_looks = clip >= 0 && !document.character->clips[static_cast<std::size_t>(clip)].properties.empty();
  const bool moved_looks = std::exchange(moved_looks_, moves_looks);
  if (changed == kNone && same_settings && same_morphs && !moves_looks && !moved_looks) {
    return false;
  }
  pose_ = std::move(pose);
  if (changed == kSeveral) {
    world_.evaluate(document.character->skeleton, pose_);
  } else if (changed != kNone) {
    world_.update(document.character->skeleton, pose_, changed);
  }
  computed_joints_ = changed == kNone ? 0 : world_.computed();
  ++version_;
  return true;
}

const deform::DeformedCharacter& Evaluation::bring_up_to_date(const Document& document, Shape& shape) {
  if (shape.version != version_) {
    const auto start = std::chrono::steady_clock::now();
    // The deformer skips what did not change, such as the other panes after a change of one.
    if (shape.deformer.deform(*document.character, pose_, world_.world(), shape.settings, shape.deformed)) {
      shape.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    shape.version = version_;
  }
  return shape.deformed;
}

const deform::DeformedCharacter& Evaluation::deformed(const Document& document, int pane) {
  update(document);
  PELT_EXPECT(pane >= 0 && pane < pane_count_, "pane index out of range");
  return bring_up_to_date(document, panes_[static_cast<std::size_t>(pane)]);
}

const deform::DeformedCharacter& Evaluation::deformed_under(const Document& document,
                                                            const deform::SkinningSettings& settings, int pane) {
  update(document);
  PELT_EXPECT(pane >= 0 && pane < pane_count_, "pane index out of range");
  Shape& other = others_[static_cast<std::size_t>(pane)];
  if (other.settings != settings) {
    other.settings = settings;
    other.version = 0;
  }
  return bring_up_to_date(document, other);
}

const deform::DeformedCharacter& Evaluation::bound(const Document& document) {
  if (bound_character_ != document.character_version) {
    bound_ = measure::bind_shape(*document.character);
    bound_character_ = document.character_version;
  }
  return bound_;
}

bool Evaluation::available(const Document& document, const deform::SkinningSettings& settings) const {
  return !hold_unprepared_ || cache_->ready(*document.character, settings);
}

const deform::SkinningSettings& Evaluation::skinning(int pane) const {
  PELT_EXPECT(pane >= 0 && pane < pane_count_, "pane index out of range");
  return panes_[static_cast<std::size_t>(pane)].settings;
}

}  // namespace pelt::edit
