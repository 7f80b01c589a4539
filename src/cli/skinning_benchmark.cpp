// ./dev bench: nanoseconds per vertex of every kernel, every method and every variant of normals, and of what stands
// beside them in a frame. "x_copy" is the time relative to moving as many bytes through memory without arithmetic, in
// the same run.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <string>

#include <benchmark/benchmark.h>

#include "cli/kernel_benchmark.h"
#include "core/parallel.h"
#include "deform/deform.h"
#include "deform/morph.h"
#include "deform/skinning_methods.h"
#include "rig/kinematics.h"

namespace {

using namespace pelt;

double seconds_now(bool threads) {
  if (!threads) {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Kernel and copies in turn, so that both meet the same machine.
void kernel(benchmark::State& state, std::size_t which, int influences, bool threads) {
  const std::size_t vertex_count = state.range(0);
  const cli::KernelCases cases = cli::make_kernel_cases(vertex_count, influences, true, false);
  set_thread_limit(threads ? 0 : 1);
  double seconds = 0;
  double copy_seconds = 0;
  for (auto step : state) {
    const double start = seconds_now(threads);
    cases.cases[which].run();
    const double middle = seconds_now(threads);
    double fastest = std::numeric_limits<double>::max();
    for (std::size_t copy = 0; copy < cli::kCopies; ++copy) {
      const double copy_start = seconds_now(threads);
      cases.cases[copy].run();
      fastest = std::min(fastest, seconds_now(threads) - copy_start);
    }
    copy_seconds += fastest;
    seconds += middle - start;
    state.SetIterationTime(middle - start);
  }
  set_thread_limit(0);
  const double vertices = static_cast<double>(state.iterations()) * static_cast<double>(vertex_count);
  state.counters["ns_per_vertex"] = seconds * 1e9 / vertices;
  state.counters["x_copy"] = seconds / copy_seconds;
}

void method(benchmark::State& state, std::size_t row, deform::NormalVariant variant) {
  const std::size_t vertex_count = state.range(0);
  const cli::BenchmarkLoad load = cli::make_benchmark_load(vertex_count, 4);
  set_thread_limit(1);
  for (auto step : state) {
    benchmark::DoNotOptimize(deform::skin_once(deform::skinning_methods()[row], load.primitive,
                                               load.primitive.influences, load.matrices, {}, variant));
  }
  set_thread_limit(0);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void local_to_world(benchmark::State& state) {
  rig::Skeleton skeleton;
  rig::Pose pose;
  for (int j = 0; j < 64; ++j) {
    skeleton.parent.push_back(j == 0 ? -1 : (j - 1) / 2);
    skeleton.name.emplace_back("joint");
    skeleton.rest.push_back({.translation = {0.1f, 0.2f, 0.3f}});
  }
  pose.local = skeleton.rest;
  rig::WorldMatrices world;
  for (auto step : state) {
    world.evaluate(skeleton, pose);
    benchmark::ClobberMemory();
  }
}

void morph(benchmark::State& state) {
  cli::BenchmarkLoad load = cli::make_benchmark_load(static_cast<std::size_t>(state.range(0)), 1);
  mesh::Primitive& primitive = load.primitive;
  std::vector<float> weights(8, 0.5f);
  for (std::size_t target = 0; target < weights.size(); ++target) {
    primitive.morph_targets.push_back({.name = "target",
                                       .position_deltas = primitive.positions,
                                       .normal_deltas = primitive.normals,
                                       .tangent_deltas = {}});
  }
  std::vector<glm::vec3> positions(primitive.positions.size());
  std::vector<glm::vec3> normals(primitive.normals.size());
  std::vector<glm::vec4> tangents(primitive.tangents.size());
  for (auto step : state) {
    deform::apply_morph_targets(primitive, weights, positions, normals, tangents);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * static_cast<std::int64_t>(weights.size()));
}

}  // namespace

int main(int argc, char** argv) {
  const cli::KernelCases names = cli::make_kernel_cases(64, 4, true, false);
  for (std::size_t which = 0; which < names.cases.size(); ++which) {
    if (names.cases[which].method.empty()) {
      continue;  // what kernels are compared with
    }
    const std::string kernel_name = "kernel/" + names.cases[which].method + "/" + names.cases[which].kernel;
    for (const bool threads : {false, true}) {
      const std::string name = kernel_name + (threads ? "/all_threads" : "/one_thread");
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { kernel(state, which, 4, threads); })
          ->Arg(10'000)
          ->Arg(100'000)
          ->Arg(1'000'000)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
    const std::string mixed = kernel_name + "/influences_60_35_5";
    benchmark::RegisterBenchmark(mixed.c_str(),
                                 [=](benchmark::State& state) { kernel(state, which, cli::kMixedInfluences, false); })
        ->Arg(100'000)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  for (std::size_t row = 0; row < deform::skinning_methods().size(); ++row) {
    const deform::SkinningMethod& of = deform::skinning_methods()[row];
    if (of.prepare != nullptr || of.finish != nullptr) {
      continue;  // theirs is a whole mesh's time, not a kernel's
    }
    for (const deform::NormalVariantInfo& info : deform::kNormalVariants) {
      if ((of.normals & deform::one_of(info.variant)) == 0) {
        continue;
      }
      const std::string name = "method/" + std::string(of.id) + "/normals_" + info.letter;
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { method(state, row, info.variant); })
          ->Arg(10'000)
          ->Unit(benchmark::kMicrosecond);
    }
  }
  benchmark::RegisterBenchmark("local_to_world/64_joints", local_to_world);
  benchmark::RegisterBenchmark("morph/8_targets", morph)->Arg(100'000)->Unit(benchmark::kMicrosecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
