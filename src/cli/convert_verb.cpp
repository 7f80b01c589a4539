#include <algorithm>

#include "cli/open.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "gltf/export.h"
#include "rig/conversions.h"

namespace pelt::cli {

Result<int> run_convert(const ConvertOptions& options) {
  if (Status writable = check_output(options.output, options.evaluation); !writable) {
    return writable.error();
  }
  const Result<edit::Document> document = open_document(options.evaluation);
  if (!document) {
    return document.error();
  }
  const deform::SkinningSettings& skinning = options.evaluation.skinning;
  rig::Conversion conversion = options.conversion;
  conversion.influence_limit = skinning.influence_limit;
  conversion.prune_threshold = skinning.prune_threshold;
  float dropped = 0;
  const Result<rig::Character> made =
      rig::converted(*document->character, conversion, edit::evaluate_pose(*document), &dropped);
  if (!made) {
    return made.error();
  }
  if (dropped > 0) {
    print_note(fmt::format("some vertex lost {:.3g} of its weights, none lost more", dropped));
  }
  gltf::ExportOptions how = options.format;
  how.weights = skinning.weight_format;
  how.sums_as_stored = skinning.weights_as_stored;
  Diagnostics notes;
  if (options.output == "-") {
    const Result<gltf::Exported> exported = gltf::export_character(*made, how);
    if (!exported) {
      return exported.error();
    }
    notes = exported->notes;
    const std::vector<std::uint8_t>& bytes = exported->files.front().bytes;
    if (Status printed = print_result({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); !printed) {
      return printed.error();
    }
  } else {
    for (const ReadFile& file : noted_files()) {
      how.keep.push_back(file.path);
    }
    if (Status writable = check_output(options.output); !writable) {
      return writable.error();
    }
    if (Status written = gltf::export_file(*made, options.output, how, &notes); !written) {
      return written.error();
    }
  }
  // What reading left out is not in the new file either.
  const auto& findings = document->character->diagnostics;
  const auto count = std::count_if(findings.begin(), findings.end(),
                                   [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::kInfo; });
  if (count > 0) {
    print_note(fmt::format("{} finding(s) on reading; `pelt lint` lists them", count));
  }
  for (const Diagnostic& note : notes) {
    print_note(fmt::format("{}: {}", note.place, note.message));
  }
  return 0;
}

}  // namespace pelt::cli
