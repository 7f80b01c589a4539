#pragma once

#include "edit/document.h"
#include "edit/motion_cache.h"
#include "motion/pose_sources.h"

namespace pelt::edit {

/// What pose layers read of a document, but for what behaviours prepared (MotionCache). Holds as long as the document
/// does and is not changed.
motion::PoseSources pose_sources(const Document& document);
/// With all of that. @param prepared  of the document's content and character; outlives what is returned
motion::PoseSources pose_sources(const Document& document, const MotionCache::Prepared& prepared);

}  // namespace pelt::edit
