#pragma once

#include <memory>

#include "rig/character.h"
#include "ui/export_request.h"

namespace pelt::ui {

struct Desk;

/// How many influences the vertices of a character have, counted once.
struct CountedInfluences {
  std::shared_ptr<const rig::Character> of = nullptr;
  measure::InfluenceHistogram histogram = {};
};

/// How a character is written, in as many rows of the file dialog as there must be. @return how many those are
int draw_export_choices(ExportRequest& choices, CountedInfluences& counted, Desk& desk);

}  // namespace pelt::ui
