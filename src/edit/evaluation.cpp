#include "edit/evaluation.h"

#include <algorithm>
#include <chrono>
#include <ranges>
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
      before.own_bindings != after.own_bindings || before.skinned != after.skinned) {
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

// What decides poses and deformed shapes, by pointer.
bool same_parts(const rig::Character& a, const rig::Character& b) {
  return a.skeleton.is(b.skeleton) && a.skins.is(b.skins) && a.meshes.is(b.meshes) && a.mesh_nodes.is(b.mesh_nodes) &&
         a.parts.is(b.parts) && a.clips.is(b.clips);
}

// Whether nothing of one character's meshes is the other's.
bool nothing_shared(const rig::Character& a, const rig::Character& b) {
  return !a.skeleton.is(b.skeleton) &&
         std::ranges::none_of(std::views::iota(std::size_t{0}, a.meshes.size()), [&](std::size_t m) {
           return m < b.meshes.size() && a.meshes.shared(m).is(b.meshes.shared(m));
         });
}

// Whether meshes have the same points, with a skin at the same of them: what a bind shape shows.
bool same_points(const SharedList<mesh::Mesh>& a, const SharedList<mesh::Mesh>& b) {
  return a.is(b) || std::ranges::equal(a, b, [](const mesh::Mesh& m, const mesh::Mesh& n) {
           return m.morph_weights == n.morph_weights &&
                  std::ranges::equal(
                      m.primitives, n.primitives, [](const mesh::Primitive& p, const mesh::Primitive& q) {
                        return p.positions.is(q.positions) && p.normals.is(q.normals) && p.tangents.is(q.tangents) &&
                               p.morph_targets.is(q.morph_targets) && p.influences->empty() == q.influences->empty();
                      });
         });
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
    Shape& shape = panes_[pane];
    const deform::SkinningSettings wanted = in_effect(document, skinning_of(document.content, pane));
    deform::SkinningSettings next = wanted;
    const deform::Readiness readiness =
        hold_unprepared_ ? cache_->readiness(shown_character(document, pane), wanted) : deform::Readiness::kReady;
    shape.waits = readiness == deform::Readiness::kMissing;
    const bool outdated = readiness == deform::Readiness::kOutdated;
    any_waits_ = any_waits_ || shape.waits || outdated;
    changed = changed || shape.outdated != outdated;  // what was prepared meanwhile is another shape
    shape.outdated = outdated;
    if (shape.waits) {
      const bool had_one = pane < before && !other_character;
      next = had_one ? shape.settings : deform::SkinningSettings{.backend = wanted.backend};
    }
    changed = changed || shape.settings != next;
    shape.settings = next;
  }
  // What panes are compared with, as long as it is asked for.
  for (int pane = 0; pane < kPaneLimit; ++pane) {
    Shape& other = others_[pane];
    if (other.outdated && other.version == version_) {
      other.outdated = hold_unprepared_ && cache_->readiness(shown_character(document, pane), other.settings) ==
                                               deform::Readiness::kOutdated;
      changed = changed || !other.outdated;
      any_waits_ = any_waits_ || other.outdated;
    }
  }
  return changed;
}

void Evaluation::hold_unprepared(bool held) {
  hold_unprepared_ = held;
  cache_->serve_outdated(held);
}

// Takes the character's parts. @returns whether any is another; their results are found again by who kept them
bool Evaluation::follow(const rig::Character& character) {
  if (known_ && same_parts(character_, character)) {
    return false;
  }
  if (known_ && nothing_shared(character_, character)) {
    cache_->reset();  // gives memory back: nothing of it is asked for again soon
  }
  character_ = character;
  known_ = true;
  return true;
}

bool Evaluation::follow_stand_ins(const Document& document) {
  if (stand_ins_ == document.stand_ins) {
    return false;
  }
  stand_ins_ = document.stand_ins;
  return true;
}

bool Evaluation::update(const Document& document) {
  const rig::Character& character = *document.character;
  const bool same_skeleton = known_ && character_.skeleton.is(character.skeleton);
  const bool same_rig = same_skeleton && character_.skins.is(character.skins);
  const bool other_weights = follow_stand_ins(document);
  const bool other_character = follow(character) || other_weights;
  computed_joints_ = 0;
  if (!other_character && document.state_version == state_version_) {
    // Nothing but the cache, filled elsewhere, can have changed.
    if (any_waits_ && take_settings(document, false)) {
      ++version_;
      return true;
    }
    return false;
  }
  rig::Pose pose = deformed_pose(document, evaluate_pose(document));
  const int changed = same_skeleton ? changed_joint(pose_, pose) : kSeveral;
  const bool same_morphs = pose_.morph_weights == pose.morph_weights;
  const bool same_settings = !take_settings(document, !same_rig) && !other_character;
  state_version_ = document.state_version;
  const int clip = document.content.clip;
  const bool moves_looks = clip >= 0 && !document.character->clips[clip].properties.empty();
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

const deform::DeformedCharacter& Evaluation::bring_up_to_date(const Document& document, int pane, Shape& shape) {
  if (shape.version != version_) {
    const auto start = std::chrono::steady_clock::now();
    // The deformer skips what did not change, such as the other panes after a change of one.
    if (shape.deformer.deform(shown_character(document, pane), pose_, world_.world(), shape.settings, shape.deformed)) {
      shape.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    shape.version = version_;
  }
  return shape.deformed;
}

const deform::DeformedCharacter& Evaluation::deformed(const Document& document, int pane) {
  update(document);
  PELT_EXPECT(pane >= 0 && pane < pane_count_, "pane index out of range");
  return bring_up_to_date(document, pane, panes_[pane]);
}

const deform::DeformedCharacter& Evaluation::deformed_under(const Document& document,
                                                            const deform::SkinningSettings& settings, int pane) {
  update(document);
  PELT_EXPECT(pane >= 0 && pane < pane_count_, "pane index out of range");
  Shape& other = others_[pane];
  if (const deform::SkinningSettings wanted = in_effect(document, settings); other.settings != wanted) {
    other.settings = wanted;
    other.version = 0;
  }
  if (other.version != version_) {
    other.outdated = hold_unprepared_ &&
                     cache_->readiness(shown_character(document, pane), other.settings) == deform::Readiness::kOutdated;
    any_waits_ = any_waits_ || other.outdated;
  }
  return bring_up_to_date(document, pane, other);
}

const deform::DeformedCharacter& Evaluation::bound(const Document& document) {
  const rig::Character& c = *document.character;
  const auto bindings = cache_->bindings(c);
  const rig::Character& of = bound_of_;
  if (bindings != bound_bindings_ || !of.skeleton.is(c.skeleton) || !of.skins.is(c.skins) ||
      !of.mesh_nodes.is(c.mesh_nodes) || !of.parts.is(c.parts) || !same_points(of.meshes, c.meshes)) {
    bound_ = measure::bind_shape(c);
    bound_of_ = c;
    bound_bindings_ = bindings;
  }
  return bound_;
}

bool Evaluation::available(const Document& document, const deform::SkinningSettings& settings, int pane) const {
  return !hold_unprepared_ || cache_->readiness(shown_character(document, pane), in_effect(document, settings)) !=
                                  deform::Readiness::kMissing;
}

bool Evaluation::prepared(const Document& document, const deform::SkinningSettings& settings, int pane) const {
  return cache_->readiness(shown_character(document, pane), in_effect(document, settings)) == deform::Readiness::kReady;
}

const deform::SkinningSettings& Evaluation::skinning(int pane) const {
  PELT_EXPECT(pane >= 0 && pane < pane_count_, "pane index out of range");
  return panes_[pane].settings;
}

}  // namespace pelt::edit
