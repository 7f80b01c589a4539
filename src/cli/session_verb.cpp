#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/draw.h"
#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session_file.h"
#include "cli/session_view.h"
#include "cli/verbs.h"
#include "cli/vertex_report.h"
#include "edit/evaluation.h"

namespace pelt::cli {
namespace {

struct SessionOptions {
  EvaluationOptions evaluation;
  DrawingOptions drawing;
  std::string output;
  bool pack = false;
};

Result<int> run_session(const SessionOptions& options) {
  EvaluationOptions opening = options.evaluation;
  opening.decode_images = options.pack;  // pictures travel along, so that they must be known
  PELT_TRY_TO(edit::Document document, open_document(opening));
  if (!names_session(options.evaluation)) {  // a session may be written over
    note_read(options.evaluation.file, "the input");
  }
  PELT_TRY(check_output(options.output));
  if (!options.evaluation.allow_loss) {
    PELT_TRY(check_keeps_session(document, options.output));
  }
  PELT_TRY(pin_vertex(document, options.drawing.vertex));
  open_panes(document, options.drawing);
  PELT_TRY_TO(const render::ViewSettings view, view_settings(document, options.drawing));
  SessionView shown{view, {}, options.drawing.tab, {}};
  const Result<SessionView> before = session_view(document);
  shown.camera = before ? before->camera : std::nullopt;
  if (shown.tab.empty() && before) {
    shown.tab = before->tab;
    shown.mode = before->mode;
  }
  if (options.drawing.camera || options.drawing.scene_camera) {
    edit::Evaluation evaluation;
    evaluation.update(document);
    const Bounds bounds = shown_bounds(document, evaluation);
    PELT_TRY_TO(const render::Camera camera, make_camera(document, evaluation.world(), bounds, options.drawing));
    shown.camera = camera;
  }
  PELT_TRY_TO(const edit::SessionSource source, source_of(document, options.evaluation));
  const std::string window = to_json(shown, document, options.output);
  const Status saved = options.pack ? pack_session_file(document, source, files_of_input(), options.output, window)
                                    : save_session_file(document, source, options.output, window);
  return saved ? Result<int>(0) : saved.error();
}

}  // namespace

Verb add_session_verb(Command& verb) {
  const auto options = std::make_shared<SessionOptions>();
  options->evaluation.decode_images = false;
  add_file_argument(verb, options->evaluation, true);
  verb.add_option("-o,--output", options->output, "The session: NAME.pelt; weights go to NAME.pelt.d beside it")
      ->type_name("NAME.pelt")
      ->required();
  verb.add_flag("--pack", options->pack, "In one file that has the character, too, to be mailed");
  add_loss_flag(verb, options->evaluation);
  verb.add_flag("--transfer", options->evaluation.transfer,
                "Take over edits of another version of the character's file by position: weights and selections by the "
                "closest point of the surface that was edited");
  add_evaluation_flags(verb, options->evaluation);
  add_drawing_flags(verb, options->drawing);
  verb.footer(
      "Examples:\n  pelt session fox.glb --set Head.twist=20 --show weights --joint Head -o head.pelt\n"
      "  pelt session head.pelt --transfer -o newer.pelt");
  return {[options] {
            check_evaluation(options->evaluation);
            check_drawing(options->drawing);
            require(options->evaluation.file != "-", "FILE",
                    "a session names its character's file, got standard input");
            require(extension_of(options->output) == "pelt", "--output", "expected a name that ends in .pelt");
          },
          [options](const Surroundings&) { return run_session(*options); }};
}

}  // namespace pelt::cli
