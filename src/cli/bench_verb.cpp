#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/open.h"
#include "cli/output.h"
#include "cli/shape.h"
#include "cli/verbs.h"
#include "core/parallel.h"
#include "deform/skinning_methods.h"
#include "edit/commands.h"

namespace pelt::cli {
namespace {

struct Row {
  std::string path;  ///< "lbs:cpu"
  int runs = 0;
  double milliseconds = 0;  ///< median of one whole character
  double vertices_per_second = 0;
};

// Turns a joint by a little more each time, so that nothing can be reused.
void disturb(edit::Document& document, int run) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  int joint = 0;
  while (joint + 1 < skeleton.size() && skeleton.is_joint[static_cast<std::size_t>(joint)] == 0) {
    ++joint;
  }
  Transform local = skeleton.rest[static_cast<std::size_t>(joint)];
  local.rotation = local.rotation * glm::angleAxis(0.001f * static_cast<float>(run % 1000 + 1), glm::vec3(0, 1, 0));
  edit::apply(document, {edit::SetJointLocal{joint, local, false}, "", false});
}

// Calls `once` for about `seconds` and keeps the median, which a busy machine disturbs least.
template <typename Once>
Result<Row> measure(std::string path, std::size_t vertices, double seconds, const Once& once) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (int run = 0; times.size() < 5 || Clock::now() < end; ++run) {
    const Result<double> took = once(run);
    if (!took) {
      return took.error().in(path);
    }
    if (run > 0) {  // the first one allocates
      times.push_back(*took);
    }
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  const double median = times[times.size() / 2];
  return Row{std::move(path), static_cast<int>(times.size()), median * 1e3,
             median > 0 ? static_cast<double>(vertices) / median : 0};
}

}  // namespace

Result<int> run_bench(const BenchOptions& options) {
  set_thread_limit(options.threads);
  BenchOptions effective = options;
  if (effective.evaluation.file.empty()) {
    effective.evaluation.file = "@mannequin";
  }
  Result<edit::Document> opened = open_document(effective.evaluation);
  if (!opened) {
    return opened.error();
  }
  edit::Document& document = *opened;
  std::size_t vertices = 0;
  for (const rig::Part& part : document.character->parts) {
    vertices += document.character->primitive(part).vertex_count();
  }
  const auto gpu = render::GpuSkinner::create();
  std::vector<Row> rows;
  for (int m = 0; m < static_cast<int>(deform::skinning_methods().size()); ++m) {
    const std::string id(deform::skinning_methods()[static_cast<std::size_t>(m)].id);
    document.state.skinning.method = m;
    document.state.skinning.backend = deform::Backend::kCpu;
    edit::Evaluation evaluation;
    const auto row = measure(id + ":cpu", vertices, options.seconds, [&](int run) -> Result<double> {
      disturb(document, run);
      evaluation.deformed(document);
      return evaluation.cpu_seconds();
    });
    if (!row) {
      return row.error();
    }
    rows.push_back(*row);
    if (!gpu) {
      continue;
    }
    document.state.skinning.backend = deform::Backend::kGpu;
    ++document.state_version;
    const auto gpu_row = measure(id + ":gpu", vertices, options.seconds, [&](int run) -> Result<double> {
      disturb(document, run);
      evaluation.update(document);
      const auto start = std::chrono::steady_clock::now();
      const auto result = skin_on_gpu(**gpu, document, evaluation);
      if (!result) {
        return result.error();
      }
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    });
    if (!gpu_row) {
      return gpu_row.error();
    }
    rows.push_back(*gpu_row);
  }
  const std::string file = shown_name(effective.evaluation);
  const std::string device = gpu ? (*gpu)->device() : std::string();
  const unsigned threads =
      options.threads > 0 ? static_cast<unsigned>(options.threads) : std::max(1u, std::thread::hardware_concurrency());
  std::string text;
  if (options.json) {
    nlohmann::ordered_json json;
    json["file"] = file;
    json["vertices"] = vertices;
    json["threads"] = threads;
    json["gpu"] = device;
    json["rows"] = nlohmann::ordered_json::array();
    for (const Row& row : rows) {
      json["rows"].push_back({{"path", row.path},
                              {"runs", row.runs},
                              {"milliseconds", row.milliseconds},
                              {"vertices_per_second", row.vertices_per_second}});
    }
    text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  } else {
    text = fmt::format("{}: {} vertices, {} threads, {}\n", file, vertices, threads,
                       gpu ? device : fmt::format("no GPU rows ({})", gpu.error().message));
    text += fmt::format("{:<12} {:>12} {:>18} {:>7}\n", "path", "ms/frame", "million vertices/s", "runs");
    for (const Row& row : rows) {
      text += fmt::format("{:<12} {:>12.3f} {:>18.1f} {:>7}\n", row.path, row.milliseconds,
                          row.vertices_per_second / 1e6, row.runs);
    }
    text += "Median of whole characters: positions, normals and tangents; GPU rows include reading the result back.\n";
  }
  if (Status printed = print_result(text); !printed) {
    return printed.error();
  }
  return 0;
}

}  // namespace pelt::cli
