#include <array>
#include <set>
#include <string>

#include <fmt/format.h>

#include "cli/geometry.h"
#include "cli/open.h"
#include "cli/output.h"
#include "cli/shape.h"
#include "cli/verbs.h"

namespace pelt::cli {

Result<int> run_bake(const BakeOptions& options) {
  if (Status writable = check_output(options.output, options.evaluation); !writable) {
    return writable.error();
  }
  Result<edit::Document> document = open_document(options.evaluation);
  if (!document) {
    return document.error();
  }
  if (Status writable = check_output(options.output); !writable) {
    return writable.error();
  }
  if (document->character->parts.empty()) {
    return error("{}: there is nothing to bake: the character has no geometry", shown_name(options.evaluation));
  }
  note_unread_parameters(options.evaluation, std::array{document->state.skinning.method});
  note_unshown_instances(*document->character);
  note_left_out(*document);
  // Without a wish the CPU path is taken: it is the reference and needs no driver.
  if (!options.evaluation.backend_given) {
    document->state.skinning.backend = deform::Backend::kCpu;
  }
  std::unique_ptr<render::GpuSkinner> gpu;
  if (document->state.skinning.backend == deform::Backend::kGpu) {
    auto made = render::GpuSkinner::create();
    if (!made) {
      return made.error().in("--backend gpu");
    }
    gpu = *std::move(made);
  }
  Shaper shaper(gpu.get());
  const Result<deform::DeformedCharacter> deformed = shaper.shape(*document);
  if (!deformed) {
    return deformed.error();
  }
  const std::string file = shown_name(options.evaluation);
  const BakedPose baked{&*document, &*deformed, shaper.evaluation().world(), file};
  std::string bytes;
  if (options.format == "json") {
    bytes = bake_json(baked);
  } else if (options.format == "obj") {
    bytes = bake_obj(baked);
  } else if (options.format == "ply") {
    bytes = bake_ply(baked);
  } else {
    std::set<std::string> left_out;
    const Result<std::vector<std::uint8_t>> glb = bake_glb(baked, left_out);
    if (!glb) {
      return glb.error();
    }
    if (!left_out.empty()) {
      print_note(fmt::format("left out, as the pose does not turn them: {}", fmt::join(left_out, ", ")));
    }
    bytes.assign(glb->begin(), glb->end());
  }
  if (Status written = write_output(options.output, bytes); !written) {
    return written.error();
  }
  return 0;
}

}  // namespace pelt::cli
