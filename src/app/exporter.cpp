#include "app/exporter.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>

#include "core/text.h"
#include "gltf/export.h"
#include "rig/clip_changes.h"
#include "ui/widgets.h"

namespace pelt::app {
namespace {

constexpr std::size_t kNotesTold = 3;

// True where the file gets the character as it is, but for what notes tell.
bool keeps_all(const ui::ExportRequest& request) {
  const rig::Conversion& conversion = request.conversion;
  return conversion.influence_limit == 0 && conversion.prune_threshold == 0 && !conversion.bake_pose &&
         !conversion.rebuild_binds && !conversion.strip_joints && request.weights == mesh::WeightFormat::kFloat &&
         request.only_clip < 0 && !request.quantize;
}

std::optional<Result<ExportReport>> convert_and_write(const rig::Character& character, const rig::Pose& pose,
                                                      const ui::ExportRequest& request, const Progress& progress) {
  const std::filesystem::path path = request.file;
  std::error_code ignored;
  if (std::filesystem::equivalent(path, character.source, ignored)) {
    return error("{}: is the open file; choose another name", printable(path.filename().string(), 200));
  }
  if (!report(progress, 0.1f, "Converting")) {
    return std::nullopt;
  }
  const measure::InfluenceHistogram counts = measure::influence_histogram(character, {});
  PELT_TRY_TO(rig::Character converted, rig::converted(character, request.conversion, pose));
  const rig::Character made =
      request.only_clip < 0 ? std::move(converted) : rig::with_clips(std::move(converted), {request.only_clip});
  if (!report(progress, 0.5f, "Encoding")) {
    return std::nullopt;
  }
  gltf::ExportOptions options;
  options.form = path.extension() != ".gltf" ? gltf::FileForm::kBinary
                 : request.embed             ? gltf::FileForm::kEmbedded
                                             : gltf::FileForm::kSeparate;
  options.weights = request.weights;
  options.sums_as_stored = false;
  options.quantize = request.quantize;
  options.meshopt = request.meshopt;
  Diagnostics notes;
  bool stopped = false;
  const Progress watched = [&](float fraction, std::string_view what) {
    stopped = !report(progress, fraction, what);
    return !stopped;
  };
  if (const Status written = gltf::export_file(made, path, options, &notes, watched); !written) {
    return stopped ? std::nullopt : std::optional<Result<ExportReport>>(written.error());
  }
  std::string line = fmt::format("Exported {}", path.string());
  if (const std::string influences = ui::influences_written(counts, request.conversion.influence_limit);
      !influences.empty()) {
    line += "; " + influences;
  }
  const auto is_info = [](const Diagnostic& one) { return one.severity == Severity::kInfo; };
  const auto found = std::ranges::count_if(character.diagnostics, [&](const Diagnostic& one) { return !is_info(one); });
  if (found > 0) {
    line += fmt::format("; written as it was mended on reading: {}, see the tab Info",
                        ui::count_of(found, "finding", "findings"));
  }
  const std::size_t told = std::min(notes.size(), kNotesTold);
  for (std::size_t i = 0; i < told; ++i) {
    line += fmt::format("; {}: {}", notes[i].place, notes[i].message);
  }
  if (notes.size() > told) {
    line += fmt::format(" (and {} more)", notes.size() - told);
  }
  return ExportReport{std::move(line), keeps_all(request) && std::ranges::all_of(notes, is_info)};
}

}  // namespace

std::optional<Result<ExportReport>> export_character(const rig::Character& character, const rig::Pose& pose,
                                                     const ui::ExportRequest& request, const Progress& progress) {
  try {
    return convert_and_write(character, pose, request, progress);
  } catch (const std::exception& failure) {  // out of memory, for example
    return error("{}: {}", request.file, failure.what());
  }
}

}  // namespace pelt::app
