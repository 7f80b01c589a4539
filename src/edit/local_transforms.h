#pragma once

#include "edit/document.h"

namespace pelt::edit {

/// Whether two transforms are the same to the eye and to the skin; an override that differs less from its base is
/// dropped.
bool same_translation(const Transform& a, const Transform& b);
bool same_rotation(const Transform& a, const Transform& b);
bool same_scale(const Transform& a, const Transform& b);
bool same(const Transform& a, const Transform& b);

const Transform& local_of(const rig::Pose& pose, int joint);

/// The joint's present transform without evaluating the whole pose where an override says it.
Transform current_local(const Document& document, int joint);
/// The same for who asks about many joints. @param base  evaluate_base_pose(document)
Transform current_local(const Document& document, int joint, const rig::Pose& base);

}  // namespace pelt::edit
