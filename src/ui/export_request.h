#pragma once

#include <string>

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

}  // namespace pelt::ui
