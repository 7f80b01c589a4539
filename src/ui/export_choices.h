#pragma once

#include "ui/export_request.h"

namespace pelt::ui {

struct Desk;

/// How a character is written, in as many rows of the file dialog as there must be. @return how many those are
int draw_export_choices(ExportRequest& choices, Desk& desk);

}  // namespace pelt::ui
