#pragma once

#include "cli/cli.h"

namespace pelt::app {

/// Opens the window and runs it until it is closed. Returns the exit code: 1 where no window can be made, with one line
/// on stderr that says why.
int run_window(cli::ViewRequest request);

}  // namespace pelt::app
