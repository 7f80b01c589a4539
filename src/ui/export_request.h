#pragma once

#include <string>

#include "measure/diet.h"
#include "mesh/weight_formats.h"
#include "rig/conversions.h"

namespace pelt::ui {

/// What File > Export writes, and how.
struct ExportRequest {
  std::string file;  ///< .glb or .gltf
  rig::Conversion conversion;
  mesh::WeightFormat weights = mesh::WeightFormat::kFloat;
  int only_clip = -1;  ///< no other is written; -1: all are
  bool quantize = false;
  bool meshopt = false;
  bool embed = false;  ///< a .gltf without files beside it
};

/// What becomes of vertices with more influences than a limit or than four, which is what every reader takes; empty
/// where no vertex has more. @param limit  of ExportRequest::conversion
std::string influences_written(const measure::InfluenceHistogram& histogram, int limit);

}  // namespace pelt::ui
