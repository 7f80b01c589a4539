#include "cli/path_benchmark.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/frame_benchmark.h"
#include "cli/goals.h"
#include "cli/kernel_benchmark.h"
#include "cli/shape.h"
#include "cli/timed_runs.h"
#include "core/parallel.h"
#include "deform/skinning_methods.h"
#include "edit/commands.h"

namespace pelt::cli {
namespace {

using BenchJson = nlohmann::ordered_json;

// What is said of one run.
struct PathReport {
  std::string file;
  std::size_t vertices = 0;
  unsigned threads = 0;
  std::string device;  // of the GPU; empty without one
  std::string no_gpu;  // why there is none
  std::vector<BenchRow> rows;
  bool with_kernels = false;
  std::vector<KernelTiming> kernels;
  std::vector<WorldTiming> worlds;
  std::vector<BenchmarkGoal> goals;
};

// Turns a joint by a little more each time, so that nothing can be reused.
void disturb(edit::Document& document, int joint, int run) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  Transform local = skeleton.rest[joint];
  local.rotation = local.rotation * glm::angleAxis(0.001f * static_cast<float>(run % 1000 + 1), glm::vec3(0, 1, 0));
  edit::apply(document, {edit::SetJointLocal{joint, local, false}, "", false});
}

template <typename Once>
Result<BenchRow> measure_row(std::string path, std::size_t vertices, double seconds, const Once& once) {
  Result<std::vector<double>> times = timed_runs(seconds, once);
  if (!times) {
    return times.error().in(path);
  }
  return bench_row(std::move(path), vertices, *times);
}

Result<BenchRow> measure_on_cpu(edit::Document& document, int joint, const PathReport& report, const std::string& id,
                                double seconds, edit::Evaluation& evaluation) {
  document.content.skinning.backend = deform::Backend::kCpu;
  return measure_row(id + ":cpu", report.vertices, seconds, [&](int run) -> Result<double> {
    disturb(document, joint, run);
    evaluation.deformed(document);
    return evaluation.cpu_seconds();
  });
}

Result<BenchRow> measure_on_gpu(edit::Document& document, int joint, const PathReport& report, const std::string& id,
                                double seconds, edit::Evaluation& evaluation, render::GpuSkinner& gpu) {
  document.content.skinning.backend = deform::Backend::kGpu;
  ++document.state_version;
  return measure_row(id + ":gpu", report.vertices, seconds, [&](int run) -> Result<double> {
    disturb(document, joint, run);
    evaluation.update(document);
    const auto start = std::chrono::steady_clock::now();
    PELT_TRY_TO(const auto result, skin_on_gpu(gpu, document, evaluation));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
}

// Every method on both backends. @param gpu  null: the CPU alone
Status measure_methods(edit::Document& document, double seconds, render::GpuSkinner* gpu, PathReport& report) {
  const int joint = busiest_joint(*document.character);
  for (int m = 0; m < static_cast<int>(deform::skinning_methods().size()); ++m) {
    const std::string id(deform::skinning_methods()[m].id);
    document.content.skinning.method = m;
    edit::Evaluation evaluation;
    PELT_TRY_TO(const BenchRow on_cpu, measure_on_cpu(document, joint, report, id, seconds, evaluation));
    report.rows.push_back(on_cpu);
    if (gpu == nullptr) {
      continue;
    }
    PELT_TRY_TO(const BenchRow on_gpu, measure_on_gpu(document, joint, report, id, seconds, evaluation, *gpu));
    report.rows.push_back(on_gpu);
  }
  return {};
}

Status measure_all_kernels(const PathBenchmark& options, const Peer& peer, PathReport& report) {
  Result<std::vector<WorldTiming>> worlds =
      measure_local_to_world({.seconds = options.seconds, .peer = peer.local_to_world, .peer_name = peer.name});
  if (!worlds) {
    return worlds.error();
  }
  report.worlds = *std::move(worlds);
  Result<std::vector<KernelTiming>> kernels =
      measure_kernels({.seconds = options.seconds, .peer = peer.skin, .peer_name = peer.name});
  if (!kernels) {
    return kernels.error();
  }
  report.kernels = *std::move(kernels);
  set_thread_limit(options.threads);
  return {};
}

std::vector<BenchmarkGoal> goals_of(const PathReport& report, const Peer& peer) {
  std::vector<BenchmarkGoal> goals = kernel_goals(report.kernels);
  std::ranges::move(world_goals(report.worlds), std::back_inserter(goals));
  if (report.with_kernels && peer.skin != nullptr) {
    const auto frame = [&](const std::string& path) { return std::ranges::find(report.rows, path, &BenchRow::path); };
    const auto ours = frame("frame:lbs");
    const auto theirs = frame("frame:" + peer.name);
    if (ours != report.rows.end() && theirs != report.rows.end() && ours->milliseconds > 0) {
      goals.push_back({"a whole frame: times the peer", 1.5, theirs->milliseconds / ours->milliseconds});
    }
  }
  return goals;
}

std::string influences_text(int influences) {
  return influences == kMixedInfluences ? "60/35/5" : fmt::format("{}", influences);
}

std::string kernel_table(const std::vector<KernelTiming>& timings) {
  std::string text =
      fmt::format("\n{:<6} {:<28} {:>9} {:>10} {:>5} {:>7} {:>10} {:>7} {:>7} {:>7}\n", "method", "kernel", "vertices",
                  "influences", "attr", "threads", "ns/vertex", "GB/s", "x copy", "peer/x");
  for (const KernelTiming& row : timings) {
    text += fmt::format("{:<6} {:<28} {:>9} {:>10} {:>5} {:>7} {:>10.2f} {:>7.1f} {:>7.2f} {:>7}\n", row.method,
                        row.kernel, row.vertex_count, influences_text(row.influences), row.attributes,
                        row.all_threads ? "all" : "one", row.ns_per_vertex, row.gigabytes_per_second, row.times_copy,
                        row.times_peer > 0 ? fmt::format("{:.2f}", row.times_peer) : "-");
  }
  text +=
      "Medians of interleaved runs; one thread: processor time. GB/s and copies count the bytes that have to move.\n"
      "floor: what lbs with 16-bit weights reads and writes, in its order and almost without arithmetic. peer/x: the "
      "peer where it is faster.\n";
  return text;
}

std::string world_table(const std::vector<WorldTiming>& timings) {
  std::string text = fmt::format("\n{:<24} {:>7} {:>9} {:>7}\n", "world matrices", "joints", "ns/joint", "x ours");
  for (const WorldTiming& row : timings) {
    text +=
        fmt::format("{:<24} {:>7} {:>9.2f} {:>7.2f}\n", row.kernel, row.joint_count, row.ns_per_joint, row.times_ours);
  }
  return text;
}

BenchJson kernels_json(const PathReport& report) {
  BenchJson out = BenchJson::array();
  for (const KernelTiming& row : report.kernels) {
    out.push_back({{"method", row.method},
                   {"kernel", row.kernel},
                   {"vertices", row.vertex_count},
                   {"influences", influences_text(row.influences)},
                   {"attributes", row.attributes},
                   {"all_threads", row.all_threads},
                   {"ns_per_vertex", row.ns_per_vertex},
                   {"gigabytes_per_second", row.gigabytes_per_second},
                   {"times_copy", row.times_copy},
                   {"times_peer", row.times_peer}});
  }
  return out;
}

BenchJson worlds_json(const PathReport& report) {
  BenchJson out = BenchJson::array();
  for (const WorldTiming& row : report.worlds) {
    out.push_back({{"kernel", row.kernel},
                   {"joints", row.joint_count},
                   {"ns_per_joint", row.ns_per_joint},
                   {"times_ours", row.times_ours}});
  }
  return out;
}

std::string path_json(const PathReport& report) {
  BenchJson json;
  json["file"] = report.file;
  json["vertices"] = report.vertices;
  json["threads"] = report.threads;
  json["gpu"] = report.device;
  json["rows"] = BenchJson::array();
  for (const BenchRow& row : report.rows) {
    json["rows"].push_back({{"path", row.path},
                            {"runs", row.runs},
                            {"milliseconds", row.milliseconds},
                            {"vertices_per_second", row.vertices_per_second}});
  }
  if (report.with_kernels) {
    json["kernels"] = kernels_json(report);
    json["world_matrices"] = worlds_json(report);
    json["goals"] = goal_json(report.goals);
  }
  return json.dump(2, ' ', false, BenchJson::error_handler_t::replace) + "\n";
}

std::string path_text(const PathReport& report) {
  std::string text =
      fmt::format("{}: {} vertices, {} threads, {}\n", report.file, report.vertices, report.threads,
                  report.no_gpu.empty() ? report.device : fmt::format("no GPU rows ({})", report.no_gpu));
  text += fmt::format("{:<20} {:>12} {:>18} {:>7}\n", "path", "ms/frame", "million vertices/s", "runs");
  for (const BenchRow& row : report.rows) {
    text += fmt::format("{:<20} {:>12.4f} {:>18.1f} {:>7}\n", row.path, row.milliseconds, row.vertices_per_second / 1e6,
                        row.runs);
  }
  text +=
      "Median of whole characters: positions, normals and tangents; GPU rows include reading the result back.\n"
      "frame: a whole one without tangents, two morph targets active where there are some; world and morph are parts "
      "of "
      "it.\n";
  if (report.with_kernels) {
    text += kernel_table(report.kernels);
    text += world_table(report.worlds);
    text += goal_table(report.goals);
    text +=
        "Ratios within this run. Kernels: 4 influences, positions and normals, the peer against normals a, as peers "
        "make them.\n";
  }
  return text;
}

}  // namespace

Result<std::string> benchmark_paths(edit::Document& document, const std::string& file, const PathBenchmark& options,
                                    bool json) {
  PathReport report;
  report.file = file;
  report.with_kernels = options.kernels;
  for (const rig::Part& part : document.character->parts) {
    report.vertices += document.character->primitive(part).vertex_count();
  }
  Peer peer;
  if (!options.peer.empty()) {
    PELT_TRY_TO(Peer loaded, load_peer(options.peer));
    peer = loaded;
  }
  PELT_TRY_TO(std::vector<BenchRow> frames,
              measure_frames(document, report.vertices, options.seconds, options.threads, peer));
  report.rows = std::move(frames);
  const auto gpu = render::GpuSkinner::create();
  report.device = gpu ? (*gpu)->device() : std::string();
  report.no_gpu = gpu ? std::string() : gpu.error().message;
  PELT_TRY(measure_methods(document, options.seconds, gpu ? gpu->get() : nullptr, report));
  if (options.kernels) {
    PELT_TRY(measure_all_kernels(options, peer, report));
  }
  report.goals = goals_of(report, peer);
  report.threads =
      options.threads > 0 ? static_cast<unsigned>(options.threads) : std::max(1u, std::thread::hardware_concurrency());
  return json ? path_json(report) : path_text(report);
}

}  // namespace pelt::cli
