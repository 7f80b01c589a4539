#pragma once

#include "edit/document.h"
#include "motion/pose_sources.h"

namespace pelt::edit {

/// What pose layers read of a document, but for what behaviours prepared (MotionCache). Holds as long as the document
/// does and is not changed.
motion::PoseSources pose_sources(const Document& document);

}  // namespace pelt::edit
