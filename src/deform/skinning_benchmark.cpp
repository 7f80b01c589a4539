// Nanoseconds per vertex of every skinning method: 64 joints, four influences, positions and normals. "x_copy" is the
// time relative to streaming the same bytes through memory without arithmetic, measured in the same run.
#include <chrono>
#include <cstring>
#include <random>
#include <string>

#include <benchmark/benchmark.h>

#include <glm/gtc/quaternion.hpp>

#include "deform/deform.h"
#include "deform/skinning_methods.h"

namespace {

using namespace pelt;

constexpr std::size_t kJoints = 64;
constexpr std::size_t kInfluences = 4;

struct Load {
  mesh::Primitive primitive;
  std::vector<glm::mat4> matrices;
  std::vector<deform::Prepared> prepared = std::vector<deform::Prepared>(1);
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;

  deform::SkinInput input(deform::NormalVariant variant) const {
    deform::SkinInput in;
    in.positions = primitive.positions;
    in.normals = primitive.normals;
    in.influences = &primitive.influences;
    in.skin_matrices = matrices;
    in.normal_variant = variant;
    return in;
  }
  deform::SkinOutput output() { return {positions, normals, {}}; }
};

// Neighbouring vertices share joints, as in a real mesh.
Load make_load(std::size_t vertex_count, const deform::SkinningMethod& method) {
  std::mt19937 random(1);
  const auto real = [&] { return static_cast<float>(random()) / 4294967296.0f * 2.0f - 1.0f; };
  Load load;
  for (std::size_t j = 0; j < kJoints; ++j) {
    glm::mat4 m = glm::mat4_cast(glm::normalize(glm::quat(real(), real(), real(), real())));
    m[3] = glm::vec4(real(), real(), real(), 1.0f);
    load.matrices.push_back(m);
  }
  for (std::size_t v = 0; v < vertex_count; ++v) {
    load.primitive.positions.emplace_back(real(), real(), real());
    load.primitive.normals.push_back(glm::normalize(glm::vec3(real(), real(), real() + 2.0f)));
    std::uint16_t joints[kInfluences];
    float weights[kInfluences];
    for (std::size_t k = 0; k < kInfluences; ++k) {
      joints[k] = static_cast<std::uint16_t>((v * kJoints / vertex_count + k * 3) % kJoints);
      weights[k] = real() + 1.1f;
    }
    mesh::append_row(load.primitive.influences, joints, weights);
  }
  if (method.prepare != nullptr) {
    const mesh::Primitive* const primitives[] = {&load.primitive};
    const mesh::Influences* const influences[] = {&load.primitive.influences};
    method.prepare(deform::make_mesh_surface(primitives, influences), {}, {}, load.prepared);
  }
  load.positions.resize(vertex_count);
  load.normals.resize(vertex_count);
  return load;
}

double seconds_now(bool threads) {
  if (!threads) {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Processor seconds to read what skinning reads and write what it writes, on one thread.
double copy_seconds(Load& load, std::int64_t rounds) {
  const mesh::Influences& rows = load.primitive.influences;
  const std::size_t bytes = load.positions.size() * sizeof(glm::vec3);
  std::uint64_t sum = 0;
  const double start = seconds_now(false);
  for (std::int64_t round = 0; round < rounds; ++round) {
    std::memcpy(load.positions.data(), load.primitive.positions.data(), bytes);
    std::memcpy(load.normals.data(), load.primitive.normals.data(), bytes);
    for (std::size_t i = 0; i < rows.weight.size(); ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &rows.weight[i], sizeof(bits));
      sum += bits + rows.joint[i];
    }
    benchmark::DoNotOptimize(sum);
    benchmark::ClobberMemory();
  }
  return seconds_now(false) - start;
}

void skin(benchmark::State& state, std::size_t row, deform::NormalVariant variant, bool threads) {
  const deform::SkinningMethod& method = deform::skinning_methods()[row];
  const auto vertex_count = static_cast<std::size_t>(state.range(0));
  Load load = make_load(vertex_count, method);
  const deform::SkinInput input = load.input(variant);
  const double start = seconds_now(threads);
  for (auto step : state) {
    if (threads) {
      deform::skin_all(method, input, load.output());
    } else {
      method.skin(input, load.output(), 0, vertex_count);
    }
    benchmark::ClobberMemory();
  }
  const double seconds = seconds_now(threads) - start;
  const auto rounds = static_cast<std::int64_t>(state.iterations());
  state.counters["ns_per_vertex"] = seconds * 1e9 / static_cast<double>(rounds) / static_cast<double>(vertex_count);
  state.counters["x_copy"] = seconds / copy_seconds(load, rounds);
}

}  // namespace

int main(int argc, char** argv) {
  for (std::size_t row = 0; row < deform::skinning_methods().size(); ++row) {
    for (const deform::NormalVariantInfo& info : deform::kNormalVariants) {
      const bool is_default = info.variant == deform::SkinningSettings().normals;
      for (const bool threads : {false, true}) {
        if (threads && !is_default) {
          continue;
        }
        const std::string name = std::string(deform::skinning_methods()[row].id) + "/normals_" + info.letter +
                                 (threads ? "/all_threads" : "/one_thread");
        auto* registered = benchmark::RegisterBenchmark(
            name.c_str(), [=](benchmark::State& state) { skin(state, row, info.variant, threads); });
        registered->Arg(10000)->Unit(benchmark::kMicrosecond);
        if (threads) {
          registered->UseRealTime();
        }
        if (is_default) {
          registered->Arg(100000);
        }
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
