#include "cli/cli.h"
#include "core/leftovers.h"

#ifdef PELT_WINDOW
#include "app/panels_in_picture.h"
#include "app/window.h"
#endif

int main(int argc, char** argv) {
  pelt::prepare_process();
  pelt::cli::WindowHooks hooks;
#ifdef PELT_WINDOW
  hooks.view = pelt::app::run_window;
  hooks.render_with_panels = pelt::app::render_with_panels;
  hooks.write_texts = pelt::app::write_texts;
#endif
  return pelt::cli::run(argc, argv, hooks);
}
