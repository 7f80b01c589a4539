#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/geometry.h"
#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/shape.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "deform/skin_cache.h"

namespace pelt::cli {
namespace {

const std::vector<std::string> kBakeFormats = {"json", "obj", "ply", "glb"};

struct BakeOptions {
  EvaluationOptions evaluation;
  std::string output;
  std::string format;  ///< of kBakeFormats; empty until check_bake(): as the name of the output says
};

void add_bake_flags(Command& verb, BakeOptions& options) {
  add_file_argument(verb, options.evaluation, true);
  verb.add_option("-o,--output", options.output, "File to write; its ending chooses the format; - for standard output")
      ->type_name("OUT.{glb,obj,ply,json}")
      ->required();
  verb.add_option("--format", options.format, "Format where the name does not tell (default json)")
      ->type_name("json|obj|ply|glb")
      ->one_of(kBakeFormats);
  add_evaluation_flags(verb, options.evaluation);
  verb.footer(
      "The CPU computes unless --backend gpu is given.\n"
      "Examples:\n"
      "  pelt bake fox.glb -o posed.glb --clip Walk --time 0.35\n"
      "  pelt bake fox.glb -o - --pose sit.json > shape.json");
}

void check_bake(BakeOptions& options) {
  if (options.format.empty()) {
    options.format = options.output == "-" ? "json" : extension_of(options.output);
    require(
        std::ranges::find(kBakeFormats, options.format) != kBakeFormats.end(), "--output",
        fmt::format("expected a name that ends in .json, .obj, .ply or .glb, got \"{}\"", printable(options.output)));
  }
  const std::string ending = extension_of(options.output);
  require(ending == options.format || std::ranges::find(kBakeFormats, ending) == kBakeFormats.end(), "--format",
          fmt::format("{} contradicts the name, which ends in .{}", options.format, ending));
  check_evaluation(options.evaluation);
  check_time(options.evaluation);
}

// The bytes of the file.
Result<std::string> baked_bytes(const BakedPose& baked, const std::string& format) {
  if (format == "json") {
    return bake_json(baked);
  }
  if (format == "obj") {
    return bake_obj(baked);
  }
  if (format == "ply") {
    return bake_ply(baked);
  }
  std::set<std::string> left_out;
  PELT_TRY_TO(const std::vector<std::uint8_t> glb, bake_glb(baked, left_out));
  if (!left_out.empty()) {
    print_note(fmt::format("left out, as the pose does not turn them: {}", fmt::join(left_out, ", ")));
  }
  return std::string(glb.begin(), glb.end());
}

Result<int> run_bake(const BakeOptions& options) {
  PELT_TRY(check_output(options.output, options.evaluation));
  PELT_TRY_TO(edit::Document document, open_document(options.evaluation));
  PELT_TRY(check_output(options.output));
  if (document.character->parts.empty()) {
    return error("{}: there is nothing to bake: the character has no geometry", shown_name(options.evaluation));
  }
  note_unread_parameters(options.evaluation, std::array{document.content.skinning.method});
  note_unshown_instances(*document.character);
  note_left_out(document);
  if (deform::has_cages(*document.character)) {
    print_note("control points are left out: the surface that they make is written");
  }
  // Without a wish the CPU path is taken: it is the reference and needs no driver.
  if (!options.evaluation.backend_given) {
    document.content.skinning.backend = deform::Backend::kCpu;
  }
  std::unique_ptr<render::GpuSkinner> gpu;
  if (document.content.skinning.backend == deform::Backend::kGpu) {
    auto made = render::GpuSkinner::create();
    if (!made) {
      return made.error().in("--backend gpu");
    }
    gpu = *std::move(made);
  }
  Shaper shaper(gpu.get());
  PELT_TRY_TO(const deform::DeformedCharacter deformed, shaper.shape(document));
  const std::string file = shown_name(options.evaluation);
  const BakedPose baked{&document, &deformed, shaper.evaluation().world(), file};
  PELT_TRY_TO(const std::string bytes, baked_bytes(baked, options.format));
  PELT_TRY(write_output(options.output, bytes));
  return 0;
}

}  // namespace

Verb add_bake_verb(Command& verb) {
  const auto options = std::make_shared<BakeOptions>();
  options->evaluation.decode_images = false;
  add_bake_flags(verb, *options);
  return {[options] { check_bake(*options); }, [options](const Surroundings&) { return run_bake(*options); }};
}

}  // namespace pelt::cli
