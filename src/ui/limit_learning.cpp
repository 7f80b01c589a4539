#include "ui/limit_learning.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "core/index.h"
#include "edit/commands.h"
#include "rig/character_parts.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr std::chrono::milliseconds kPatience(4);
constexpr std::chrono::minutes kAsLongAsItTakes(10);

LimitSource source_of(const Desk& desk, int joint, const rig::JointDofs& dofs) {
  const rig::Character& character = desk.character();
  return {joint, character.clips, character.skeleton->rest[joint], rig::bone_direction(character.skeleton, joint),
          rig::without_limits(dofs)};
}

template <typename Result>
std::shared_ptr<JobSlot<Result>> slot(const Desk& desk, Jobs::Kind kind, const char* name) {
  return std::make_shared<JobSlot<Result>>(desk.workspace.jobs, kind, name);
}

void start_looking(LimitLearning& learning, const LimitSource& source, const rig::JointDofs& dofs, const Desk& desk) {
  learning.wanted = source;
  learning.looking->start([source, dofs, character = desk.document().character](const Progress& progress) {
    JointFindings found{source, rig::learn_limits(*character, source.joint, dofs), std::nullopt};
    if (!report(progress, 0.3f, "what kind of joint it is")) {
      return std::optional<JointFindings>();
    }
    found.recognised = rig::recognise_joint(*character, source.joint, dofs);
    return std::optional(std::move(found));
  });
}

// Makes one step of those limits that are trusted, of joints that are still what they were learned for.
void take(const LimitsOfJoints& learned, Desk& desk) {
  edit::SetSlidersOfJoints change;
  float surest = 0;
  bool all_the_same = true;
  for (std::size_t i = 0; i < learned.of.size(); ++i) {
    const int joint = learned.of[i].joint;
    const bool is_there = has_index(desk.character().skeleton->parent, joint);
    const rig::JointDofs dofs = is_there ? edit::joint_dofs(desk.document(), joint) : rig::JointDofs{};
    if (!is_there || !same(source_of(desk, joint, dofs), learned.of[i])) {
      all_the_same = false;
      continue;
    }
    for (const rig::LearnedDof& dof : learned.limits[i].dofs) {
      surest = std::max(surest, dof.confidence);
    }
    rig::JointDofs limited = rig::with_limits(dofs, learned.limits[i]);
    if (!rig::equal(limited, dofs)) {
      change.joints.push_back({joint, std::move(limited)});
    }
  }
  if (!all_the_same) {
    desk.workspace.notice =
        Notice{Severity::kWarning, "Joints or clips have changed since, so that not all limits could be taken",
               desk.scene.now};
  } else if (change.joints.empty()) {
    desk.workspace.notice = Notice{
        Severity::kInfo,
        surest < rig::kTrustedConfidence
            ? fmt::format("The clips tell too little to take limits from them: they are {:.0f} % sure at best, and "
                          "{:.0f} % are needed",
                          100 * surest, 100 * rig::kTrustedConfidence)
            : std::string("The limits are what the clips tell already"),
        desk.scene.now};
  } else {
    desk.workspace.notice =
        Notice{Severity::kInfo,
               fmt::format("{} took limits from the clips", count_of(std::ssize(change.joints), "joint", "joints")),
               desk.scene.now};
  }
  if (!change.joints.empty()) {
    desk.change(std::move(change));
  }
}

}  // namespace

bool same(const LimitSource& a, const LimitSource& b) {
  return a.joint == b.joint && a.clips.is(b.clips) && a.rest == b.rest && a.bone == b.bone &&
         rig::equal(a.dofs, b.dofs);
}

ClipLook look_at_clips(LimitLearning& learning, int joint, const rig::JointDofs& dofs, const Desk& desk) {
  if (learning.looking == nullptr) {
    learning.looking = slot<JointFindings>(desk, Jobs::Kind::kLive, "What the clips show");
  }
  const auto collect = [&] {
    if (std::optional<JointFindings> found = learning.looking->take()) {
      learning.findings = std::move(found);
    }
  };
  const LimitSource source = source_of(desk, joint, dofs);
  collect();
  const auto known = [&] { return learning.findings && same(learning.findings->of, source); };
  if (!known()) {
    if (!learning.wanted || !same(*learning.wanted, source)) {
      start_looking(learning, source, dofs, desk);
      learning.looking->wait(kPatience);
    }
    if (learning.patient) {
      learning.looking->wait(kAsLongAsItTakes);
    }
    collect();
  }
  if (!learning.findings || learning.findings->of.joint != joint || !learning.findings->of.clips.is(source.clips) ||
      learning.findings->limits.dofs.size() != dofs.dofs.size()) {
    return {};
  }
  return {&*learning.findings, known()};
}

void take_limits(LimitLearning& learning, Desk& desk) {
  const std::vector<int>& joints = desk.document().view.selected_joints;
  LimitsOfJoints wanted;
  std::vector<rig::JointDofs> dofs;
  for (const int joint : joints) {
    dofs.push_back(edit::joint_dofs(desk.document(), joint));
    wanted.of.push_back(source_of(desk, joint, dofs.back()));
  }
  if (joints.size() == 1 && learning.findings && same(learning.findings->of, wanted.of.front())) {
    wanted.limits.push_back(learning.findings->limits);
    take(wanted, desk);
    return;
  }
  if (learning.collecting == nullptr) {
    learning.collecting = slot<LimitsOfJoints>(desk, Jobs::Kind::kAsked, "Limits from clips");
  }
  learning.collecting->start([wanted = std::move(wanted), dofs = std::move(dofs),
                              character = desk.document().character](const Progress& progress) mutable {
    for (std::size_t i = 0; i < dofs.size(); ++i) {
      const int joint = wanted.of[i].joint;
      const float done = static_cast<float>(i) / static_cast<float>(dofs.size());
      if (!report(progress, done, fmt::format("joint {} of {}", i + 1, dofs.size()))) {
        return std::optional<LimitsOfJoints>();
      }
      wanted.limits.push_back(rig::learn_limits(*character, joint, dofs[i]));
    }
    return std::optional(std::move(wanted));
  });
  learning.collecting->wait(kPatience);
  follow_learning(learning, desk);
}

void follow_learning(LimitLearning& learning, Desk& desk) {
  if (learning.collecting == nullptr) {
    return;
  }
  if (learning.patient) {
    learning.collecting->wait(kAsLongAsItTakes);
  }
  if (const std::optional<LimitsOfJoints> learned = learning.collecting->take()) {
    take(*learned, desk);
  } else if (learning.collecting->failed()) {
    learning.collecting->cancel();
    desk.workspace.error = Notice{Severity::kError, "There is not enough memory to learn limits", desk.scene.now};
  }
}

}  // namespace pelt::ui
