#include "cli/diet_benchmark.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/diet_report.h"
#include "cli/shape.h"
#include "cli/timed_runs.h"
#include "edit/pose_battery.h"
#include "measure/diet.h"

namespace pelt::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Timing {
  DietQuestion question;
  measure::DietCost cost;
  double cpu = 0;  ///< seconds for one pose
  double gpu = 0;  ///< likewise, reading back included
};

template <typename Once>
Result<double> median(double seconds, const Once& once) {
  Result<std::vector<double>> times = timed_runs(seconds, once);
  return times ? Result<double>(median_of(*times)) : times.error();
}

// Random poses, so that nothing can be reused.
std::vector<edit::Document> posed_documents(const edit::Document& document) {
  constexpr int kPoses = 8;
  std::vector<edit::Document> posed;
  for (const edit::TrialPose& pose : edit::random_poses(kPoses, 1)) {
    posed.push_back(edit::posed(document, pose));
    posed.back().state_version += posed.size();  // each another state of one document
  }
  return posed;
}

Status measure(Timing& row, std::vector<edit::Document>& poses, double seconds, render::GpuSkinner* gpu) {
  edit::Evaluation evaluation;
  const auto pose_of = [&](int run, deform::Backend backend) -> edit::Document& {
    edit::Document& document = poses[static_cast<std::size_t>(run) % poses.size()];
    document.content.skinning = row.question.settings;
    document.content.skinning.backend = backend;
    document.state_version += poses.size();
    return document;
  };
  const Result<double> cpu = median(seconds, [&](int run) -> Result<double> {
    evaluation.deformed(pose_of(run, deform::Backend::kCpu));
    return evaluation.cpu_seconds();
  });
  if (!cpu) {
    return cpu.error();
  }
  row.cpu = *cpu;
  if (gpu == nullptr) {
    return {};
  }
  const Result<double> on_gpu = median(seconds, [&](int run) -> Result<double> {
    const edit::Document& document = pose_of(run, deform::Backend::kGpu);
    evaluation.update(document);
    const auto start = std::chrono::steady_clock::now();
    PELT_TRY_TO(const auto shape, skin_on_gpu(*gpu, document, evaluation));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
  if (!on_gpu) {
    return on_gpu.error();
  }
  row.gpu = *on_gpu;
  return {};
}

std::string timings_json(const std::vector<Timing>& rows, std::string_view file, const std::string& device,
                         bool with_gpu) {
  Json json = {{"file", file}, {"gpu", device}, {"rows", Json::array()}};
  for (const Timing& row : rows) {
    Json one = {{"what", row.question.what},
                {"bytes_per_vertex", row.cost.bytes_per_vertex},
                {"draw_calls", row.cost.draw_calls},
                {"upload_bytes", row.cost.upload_bytes},
                {"cpu_milliseconds", 1e3 * row.cpu}};
    if (with_gpu) {
      one["gpu_milliseconds"] = 1e3 * row.gpu;
    }
    json["rows"].push_back(std::move(one));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string timings_text(const std::vector<Timing>& rows, std::string_view file, const std::string& device,
                         bool with_gpu) {
  std::string text = fmt::format("{}, {}\n", file, device);
  text +=
      fmt::format("{:<15}{:>9}{:>7}{:>12}{:>10}{:>10}\n", "what if", "B/vertex", "draws", "upload", "CPU ms", "GPU ms");
  for (const Timing& row : rows) {
    text += fmt::format("{:<15}{:>9.3g}{:>7}{:>12}{:>10.3f}{:>10}\n", row.question.what, row.cost.bytes_per_vertex,
                        row.cost.draw_calls, row.cost.upload_bytes, 1e3 * row.cpu,
                        with_gpu ? fmt::format("{:.3f}", 1e3 * row.gpu) : "-");
  }
  text += "Median of whole characters in random poses; GPU times include reading the result back.\n";
  return text;
}

}  // namespace

Result<std::string> benchmark_diet(const edit::Document& document, const std::string& file, double seconds, bool json) {
  const auto gpu = render::GpuSkinner::create();
  std::vector<edit::Document> poses = posed_documents(document);
  std::vector<Timing> rows;
  for (DietQuestion& question : diet_questions(document.content.skinning)) {
    Timing row{std::move(question), {}, 0, 0};
    row.cost = measure::diet_cost(*document.character, row.question.settings);
    if (Status measured = measure(row, poses, seconds, gpu ? gpu->get() : nullptr); !measured) {
      return measured.error().in(row.question.what);
    }
    rows.push_back(std::move(row));
  }
  const std::string device = gpu ? (*gpu)->device() : std::string();
  return json ? timings_json(rows, file, device, gpu.has_value())
              : timings_text(rows, file, gpu ? device : fmt::format("no GPU column ({})", gpu.error().message),
                             gpu.has_value());
}

}  // namespace pelt::cli
