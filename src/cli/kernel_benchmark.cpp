#include "cli/kernel_benchmark.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <memory>
#include <numeric>
#include <random>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/quaternion.hpp>

#include "cli/output.h"
#include "core/expect.h"
#include "core/large_memory.h"
#include "core/parallel.h"
#include "deform/fast_skin.h"
#include "deform/skin_dqs.h"
#include "deform/skin_lbs.h"
#include "math/transform.h"
#include "rig/kinematics.h"

namespace pelt::cli {
namespace {

constexpr std::size_t kBenchedPerChunk = 2048;
constexpr std::string_view kFloor = "floor";

/// Raw values only: distributions differ between standard libraries.
class Random {
 public:
  float real(float lower, float upper) {
    return lower + (upper - lower) * (static_cast<float>(engine_()) / 4294967296.0f);
  }
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(engine_()) % count; }

 private:
  std::mt19937 engine_{1};
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);  // std::clock() counts microseconds, of which a kernel takes twenty
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Everything that cases point to.
struct Bench {
  BenchmarkLoad load;
  deform::JointVertices joint_vertices;
  std::vector<int> joint_ranks;
  std::vector<glm::vec4> palette;  // of dual quaternions
  PeerInfluences peer;
  LineVector<glm::vec3> positions;
  LineVector<glm::vec3> normals;
  LineVector<glm::vec4> tangents;
  std::vector<deform::FastSkin> fast;
  LineVector<float> copied_from;
  LineVector<float> copied_to;
  std::size_t bytes_read = 0;
  std::size_t bytes_written = 0;

  [[nodiscard]] deform::SkinInput input() const {
    deform::SkinInput in;
    in.positions = load.primitive.positions;
    in.normals = load.primitive.normals;
    in.tangents = load.primitive.tangents;
    in.influences = &*load.primitive.influences;
    in.skin_matrices = load.matrices;
    in.palette = palette;
    return in;
  }
  deform::SkinOutput output() { return {positions, normals, tangents}; }
};

std::shared_ptr<Bench> make_bench(std::size_t vertex_count, int influences, bool normals, bool tangents) {
  auto bench = std::make_shared<Bench>();
  bench->load = make_benchmark_load(vertex_count, influences);
  mesh::Primitive& primitive = bench->load.primitive;
  if (!normals) {
    primitive.normals.clear();
  }
  if (!tangents) {
    primitive.tangents.clear();
  }
  bench->joint_vertices = deform::make_joint_vertices(primitive.influences, bench->load.matrices.size());
  bench->joint_ranks.resize(bench->load.matrices.size());
  std::iota(bench->joint_ranks.begin(), bench->joint_ranks.end(), 0);
  const std::vector<glm::vec3> pivots(bench->load.matrices.size(), glm::vec3(0.0f));
  deform::pack_palette(deform::skinning_methods()[deform::find_method("dqs")], deform::loose_binding(pivots),
                       bench->load.matrices, bench->palette);
  bench->peer = make_peer_influences(primitive.influences);
  bench->positions.resize(vertex_count);
  bench->normals.resize(primitive.normals.size());
  bench->tangents.resize(primitive.tangents.size());
  bench->bytes_written = bench->positions.size() * sizeof(glm::vec3) + bench->normals.size() * sizeof(glm::vec3) +
                         bench->tangents.size() * sizeof(glm::vec4);
  // The shape, and weights (the last implied) of 16 bits with joints of 8 bits: what a kernel cannot do without.
  const std::size_t rows = primitive.influences->entry_count();
  bench->bytes_read = bench->bytes_written + (rows - vertex_count) * sizeof(std::uint16_t) + rows;
  bench->copied_from.resize(bench->bytes_read / sizeof(float), 1.0f);
  bench->copied_to.resize(bench->bytes_written / sizeof(float));
  return bench;
}

void copy(const float* from, std::size_t from_count, float* to, std::size_t to_count, bool stream) {
  if (deform::fast_kernels().empty()) {
    std::copy_n(from, to_count, to);
  } else {
    deform::fast_kernels().front().copy(from, from_count, to, to_count, stream);
  }
}

std::vector<KernelCase> cases_of(Bench& bench) {
  const double bytes = static_cast<double>(bench.bytes_read + bench.bytes_written);
  std::vector<KernelCase> cases;
  const bool tangents = !bench.tangents.empty();
  for (const bool stream : {false, true}) {
    cases.push_back({"", stream ? "copy past the caches" : "copy", bytes, [&bench, stream] {
                       // Whole cache lines per chunk, the same share of what is read and what is written.
                       const std::size_t lines = bench.copied_to.size() / 16;
                       const std::size_t lines_read = bench.copied_from.size() / 16;
                       parallel_for(lines, 1024, [&](std::size_t begin, std::size_t end) {
                         const std::size_t from = begin * lines_read / lines;
                         const std::size_t to = end * lines_read / lines;
                         copy(bench.copied_from.data() + from * 16, (to - from) * 16,
                              bench.copied_to.data() + begin * 16, (end - begin) * 16, stream);
                       });
                     }});
  }
  cases.push_back({"lbs", "plain", bytes, [&bench] {
                     const deform::SkinInput input = bench.input();
                     parallel_for(input.positions.size(), kBenchedPerChunk, [&](std::size_t begin, std::size_t end) {
                       deform::skin_lbs(input, bench.output(), begin, end);
                     });
                   }});
  cases.push_back({"lbs", "plain, sum of points", bytes, [&bench] {
                     const deform::SkinInput input = bench.input();
                     parallel_for(input.positions.size(), kBenchedPerChunk, [&](std::size_t begin, std::size_t end) {
                       deform::skin_lbs_sum_of_points(input, bench.output(), begin, end);
                     });
                   }});
  if (!tangents) {
    cases.push_back({"lbs", "plain, bone-major", bytes, [&bench] {
                       deform::skin_lbs_bone_major(bench.input(), bench.joint_vertices, bench.positions, bench.normals);
                     }});
  }
  cases.push_back({"dqs", "plain", bytes, [&bench] {
                     const deform::SkinInput input = bench.input();
                     parallel_for(input.positions.size(), kBenchedPerChunk, [&](std::size_t begin, std::size_t end) {
                       deform::skin_dqs(input, bench.output(), begin, end);
                     });
                   }});
  struct Fast {
    std::string_view method;
    deform::FastMethod kernel;
    deform::BlockWeights weights;
    deform::NormalVariant normals;
    std::string_view text;
  };
  constexpr deform::NormalVariant kA = deform::NormalVariant::kBlend;
  constexpr deform::NormalVariant kD = deform::NormalVariant::kInverseTransposeOfBlend;
  std::vector<Fast> kinds = {
      {"lbs", deform::FastMethod::kLinear, deform::BlockWeights::kFloat, kD, "float"},
      {"lbs", deform::FastMethod::kLinear, deform::BlockWeights::kUnorm16, kD, "16-bit"},
      {"dqs", deform::FastMethod::kDualQuaternion, deform::BlockWeights::kFloat, kD, "float"},
      {"dqs", deform::FastMethod::kDualQuaternion, deform::BlockWeights::kUnorm16, kD, "16-bit"}};
  if (!bench.normals.empty()) {
    kinds.push_back({"lbs", deform::FastMethod::kLinear, deform::BlockWeights::kUnorm16, kA, "16-bit, normals a"});
  }
  bench.fast.reserve(kinds.size() * deform::fast_kernels().size());
  for (const deform::FastKernels& kernels : deform::fast_kernels()) {
    for (const Fast& kind : kinds) {
      bench.fast.emplace_back(bench.input(), bench.joint_ranks,
                              deform::FastSkinOptions{.method = kind.kernel,
                                                      .weights = kind.weights,
                                                      .instruction_set = kernels.name,
                                                      .morphs_normals = false});
      cases.push_back({std::string(kind.method), fmt::format("{} {}", kernels.name, kind.text), bytes,
                       [&bench, at = bench.fast.size() - 1, normals = kind.normals] {
                         deform::SkinInput input = bench.input();
                         input.normal_variant = normals;
                         bench.fast[at].run(input, bench.output());
                       }});
    }
  }
  if (!bench.fast.empty()) {
    const std::size_t at = std::ranges::find(kinds, "16-bit", &Fast::text) - kinds.begin();
    for (const bool stream : {false, true}) {
      cases.push_back({"", fmt::format("{}{}", kFloor, stream ? " past the caches" : ""), bytes,
                       [&bench, at, stream] { bench.fast[at].run_floor(bench.output(), stream); }});
    }
  }
  return cases;
}

/// Largest distance of two results over the diagonal of the second.
double relative_difference(std::span<const glm::vec3> a, std::span<const glm::vec3> b) {
  float largest = 0;
  for (std::size_t v = 0; v < a.size(); ++v) {
    const float distance = glm::distance(a[v], b[v]);
    // Negated, so that what is not a number counts as far away.
    largest = !(distance <= largest) ? distance : largest;
  }
  const Bounds bounds = bounds_of(b);
  return static_cast<double>(largest) / static_cast<double>(std::max(bounds.diagonal(), 1e-30f));
}

/// Appends a peer's case, with arrays of its own, and runs it once.
/// @return its positions
template <template <typename> class Allocator>
std::shared_ptr<const std::vector<glm::vec3, Allocator<glm::vec3>>> add_peer(PeerSkin peer, std::string name,
                                                                             const Bench& bench,
                                                                             std::vector<KernelCase>& cases) {
  using Vectors = std::vector<glm::vec3, Allocator<glm::vec3>>;
  struct Arrays {
    Vectors positions;
    Vectors normals;
    std::vector<std::uint16_t, Allocator<std::uint16_t>> joints;
    std::vector<float, Allocator<float>> weights;
    std::vector<glm::mat4> matrices;
    int influence_count;
    Vectors out_positions;
    Vectors out_normals;
  };
  const mesh::Primitive& primitive = bench.load.primitive;
  const auto arrays =
      std::make_shared<Arrays>(Arrays{.positions = {primitive.positions.begin(), primitive.positions.end()},
                                      .normals = {primitive.normals.begin(), primitive.normals.end()},
                                      .joints = {bench.peer.joints.begin(), bench.peer.joints.end()},
                                      .weights = {bench.peer.weights.begin(), bench.peer.weights.end()},
                                      .matrices = bench.load.matrices,
                                      .influence_count = bench.peer.influence_count,
                                      .out_positions = Vectors(primitive.positions.size()),
                                      .out_normals = Vectors(primitive.positions.size())});
  cases.push_back({"lbs", std::move(name), cases.front().bytes, [peer, arrays] {
                     Arrays& of = *arrays;
                     peer(&of.positions[0].x, &of.normals[0].x, of.joints.data(), of.weights.data(),
                          &of.matrices[0][0].x, static_cast<int>(of.matrices.size()),
                          static_cast<int>(of.positions.size()), of.influence_count, &of.out_positions[0].x,
                          &of.out_normals[0].x);
                   }});
  cases.back().run();
  return {arrays, &arrays->out_positions};
}

/// A tree of joints with long chains and bushy parts, in a few poses.
struct WorldBench {
  rig::Skeleton skeleton;
  std::vector<rig::Pose> poses;
  // The same as arrays, per pose.
  std::vector<std::vector<float>> translations;
  std::vector<std::vector<float>> rotations;
  std::vector<std::vector<float>> scales;
};

WorldBench make_world_bench(std::size_t joint_count) {
  constexpr std::size_t kPoses = 8;
  Random random;
  WorldBench bench;
  for (std::size_t j = 0; j < joint_count; ++j) {
    const auto at = static_cast<int>(j);
    bench.skeleton.parent.push_back(
        j == 0 ? -1 : at - 1 - static_cast<int>(random.below(static_cast<std::uint32_t>(std::min(at, 4)))));
  }
  bench.poses.resize(kPoses);
  bench.translations.resize(kPoses);
  bench.rotations.resize(kPoses);
  bench.scales.resize(kPoses);
  for (std::size_t i = 0; i < kPoses; ++i) {
    for (std::size_t j = 0; j < joint_count; ++j) {
      Transform local;
      local.translation = glm::vec3(random.real(-0.3f, 0.3f), random.real(-0.3f, 0.3f), random.real(-0.3f, 0.3f));
      local.rotation =
          glm::normalize(glm::quat(1.0f, random.real(-0.4f, 0.4f), random.real(-0.4f, 0.4f), random.real(-0.4f, 0.4f)));
      local.scale = glm::vec3(random.real(0.97f, 1.03f));
      const glm::quat& q = local.rotation;
      bench.translations[i].insert(bench.translations[i].end(), &local.translation.x, &local.translation.x + 3);
      bench.rotations[i].insert(bench.rotations[i].end(), {q.x, q.y, q.z, q.w});
      bench.scales[i].insert(bench.scales[i].end(), &local.scale.x, &local.scale.x + 3);
      bench.poses[i].local.push_back(local);
    }
  }
  return bench;
}

/// What one writes without thinking of speed.
void plain_local_to_world(const WorldBench& bench, std::size_t pose, std::vector<glm::mat4>& world) {
  const std::vector<Transform>& local = bench.poses[pose].local;
  for (std::size_t j = 0; j < local.size(); ++j) {
    const glm::mat4 own = glm::translate(glm::mat4(1.0f), local[j].translation) * glm::mat4_cast(local[j].rotation) *
                          glm::scale(glm::mat4(1.0f), local[j].scale);
    const int parent = bench.skeleton.parent[j];
    world[j] = parent < 0 ? own : world[parent] * own;
  }
}

}  // namespace

PeerInfluences make_peer_influences(const mesh::Influences& influences) {
  PeerInfluences out;
  const std::uint32_t count = std::max(influences.max_count(), 1u);
  out.influence_count = static_cast<int>(count);
  for (std::size_t v = 0; v < influences.vertex_count(); ++v) {
    const mesh::InfluenceRow row = influences.row(v);
    for (std::uint32_t k = 0; k < count; ++k) {
      const bool there = k < row.joints.size();
      out.joints.push_back(there ? row.joints[k] : std::uint16_t{0});
      if (k + 1 < count) {
        out.weights.push_back(there ? row.weights[k] : 0.0f);
      }
    }
  }
  return out;
}

BenchmarkLoad make_benchmark_load(std::size_t vertex_count, int influences, std::size_t joint_count) {
  Random random;
  BenchmarkLoad load;
  load.primitive.positions = large_vector<glm::vec3>(vertex_count);
  load.primitive.positions.edit().clear();
  load.primitive.normals = large_vector<glm::vec3>(vertex_count);
  load.primitive.normals.edit().clear();
  for (std::size_t j = 0; j < joint_count; ++j) {
    const glm::quat turn(1.0f, random.real(-0.35f, 0.35f), random.real(-0.35f, 0.35f), random.real(-0.35f, 0.35f));
    glm::mat4 m = glm::mat4_cast(glm::normalize(turn));
    m[3] = glm::vec4(random.real(-1, 1), random.real(-1, 1), random.real(-1, 1), 1.0f);
    load.matrices.push_back(m);
  }
  for (std::size_t v = 0; v < vertex_count; ++v) {
    load.primitive.positions.emplace_back(random.real(-1, 1), random.real(-1, 1), random.real(-1, 1));
    const glm::vec3 normal = glm::normalize(glm::vec3(random.real(-1, 1), random.real(-1, 1), random.real(1, 3)));
    load.primitive.normals.push_back(normal);
    load.primitive.tangents.emplace_back(glm::normalize(glm::cross(normal, glm::vec3(0, 1, 0))), 1.0f);
    std::array<std::uint16_t, 8> joints{};
    std::array<float, 8> weights{};
    const std::uint32_t draw = random.below(100);
    const std::size_t count = influences != kMixedInfluences ? static_cast<std::size_t>(influences)
                              : draw < 60                    ? 1
                              : draw < 95                    ? 2
                                                             : 3;
    for (std::size_t k = 0; k < count; ++k) {
      joints[k] = static_cast<std::uint16_t>((v * joint_count / vertex_count + k * 3) % joint_count);
      weights[k] = random.real(0.1f, 2.1f);
    }
    mesh::append_row(load.primitive.influences.edit(), {joints.data(), count}, {weights.data(), count});
  }
  return load;
}

KernelCases make_kernel_cases(std::size_t vertex_count, int influences, bool normals, bool tangents) {
  const std::shared_ptr<Bench> bench = make_bench(vertex_count, influences, normals, tangents);
  return {bench, cases_of(*bench)};
}

std::vector<BenchmarkGoal> kernel_goals(std::span<const KernelTiming> timings) {
  constexpr std::size_t kSmall = 10'000;
  constexpr std::size_t kMiddle = 100'000;
  constexpr std::size_t kLarge = 1'000'000;
  enum class Normals { kA, kD };  // variants of ALGORITHMS.md §13
  const auto row = [&](std::size_t count, bool all_threads, std::string_view method, auto&& wanted) {
    const KernelTiming* best = nullptr;
    for (const KernelTiming& timing : timings) {
      if (timing.vertex_count == count && timing.all_threads == all_threads && timing.method == method &&
          timing.influences == 4 && timing.attributes == "pn" && wanted(std::string_view(timing.kernel)) &&
          (best == nullptr || timing.ns_per_vertex < best->ns_per_vertex)) {
        best = &timing;
      }
    }
    return best;
  };
  const auto fast = [&](std::string_view set, std::size_t count, std::string_view method, Normals normals,
                        bool all_threads = false) {
    return row(count, all_threads, method, [&](std::string_view kernel) {
      return kernel.starts_with(set) && kernel.ends_with(", normals a") == (normals == Normals::kA);
    });
  };
  const auto named = [&](std::size_t count, std::string_view method, std::string_view name) {
    return row(count, false, method, [&](std::string_view kernel) { return kernel == name; });
  };
  std::vector<BenchmarkGoal> goals;
  const auto add = [&](std::string text, double wanted, const KernelTiming* slow, const KernelTiming* quick,
                       bool at_most = false) {
    if (slow != nullptr && quick != nullptr && quick->ns_per_vertex > 0) {
      goals.push_back({std::move(text), wanted, slow->ns_per_vertex / quick->ns_per_vertex, at_most});
    }
  };
  const std::string_view best_set =
      deform::fast_kernels().empty() ? std::string_view() : deform::fast_kernels().front().name;
  struct PerSet {
    std::string_view set;
    std::string_view label;
    double small, middle, large, plain;
  };
  for (const PerSet& set : {PerSet{"AVX3", "AVX-512", 1.8, 1.9, 2.4, 4}, PerSet{"AVX2", "AVX2", 1.35, 1.45, 1.7, 3}}) {
    struct AtCount {
      std::size_t count;
      double wanted;
    };
    for (const AtCount at : {AtCount{kSmall, set.small}, AtCount{kMiddle, set.middle}, AtCount{kLarge, set.large}}) {
      const KernelTiming* ours = fast(set.set, at.count, "lbs", Normals::kA);
      if (ours != nullptr && ours->times_peer > 0) {
        goals.push_back(
            {fmt::format("{}: times the peer, {} vertices", set.label, at.count), at.wanted, ours->times_peer, false});
      }
    }
    add(fmt::format("{}: times the plain kernel, {} vertices", set.label, kMiddle), set.plain,
        named(kMiddle, "lbs", "plain"), fast(set.set, kMiddle, "lbs", Normals::kD));
  }
  for (const bool all_threads : {false, true}) {
    const KernelTiming* ours = fast(best_set, kLarge, "lbs", Normals::kA, all_threads);
    const std::string_view threads = all_threads ? "all threads" : "one thread";
    add(fmt::format("share of the floor, {} vertices, {}", kLarge, threads), 0.9,
        row(kLarge, all_threads, "", [](std::string_view kernel) { return kernel.starts_with(kFloor); }), ours);
  }
  for (const std::size_t count : {kSmall, kMiddle, kLarge}) {
    add(fmt::format("exact over plain normals, {} vertices", count), 1.1, fast(best_set, count, "lbs", Normals::kD),
        fast(best_set, count, "lbs", Normals::kA), true);
  }
  for (const std::size_t count : {kSmall, kMiddle}) {
    add(fmt::format("dual quaternions over linear blending, {} vertices", count), 1.15,
        fast(best_set, count, "dqs", Normals::kD), fast(best_set, count, "lbs", Normals::kD), true);
  }
  add(fmt::format("dual quaternions: times the plain kernel, {} vertices", kMiddle), 14, named(kMiddle, "dqs", "plain"),
      fast(best_set, kMiddle, "dqs", Normals::kD));
  if (std::thread::hardware_concurrency() == 2) {
    add(fmt::format("two threads over one, {} vertices", kMiddle), 1.85, fast(best_set, kMiddle, "lbs", Normals::kD),
        fast(best_set, kMiddle, "lbs", Normals::kD, true));
  }
  return goals;
}

Result<std::vector<WorldTiming>> measure_local_to_world(const WorldBenchmarkOptions& options) {
  PELT_EXPECT(options.joint_count > 0, "at least one joint");
  constexpr int kRepeats = 256;  // of a microsecond or two: the clock alone takes a tenth of one
  const WorldBench bench = make_world_bench(options.joint_count);
  rig::WorldMatrices ours;
  std::vector<glm::mat4> plain(options.joint_count);
  std::vector<glm::mat4> theirs(options.joint_count);
  struct Case {
    std::string name;
    std::function<void(std::size_t)> run;
    std::vector<double> times;
  };
  std::vector<Case> cases = {
      {"rig::WorldMatrices", [&](std::size_t i) { ours.evaluate(bench.skeleton, bench.poses[i]); }, {}},
      {"plain GLM loop", [&](std::size_t i) { plain_local_to_world(bench, i, plain); }, {}}};
  if (options.peer != nullptr) {
    cases.push_back({options.peer_name,
                     [&](std::size_t i) {
                       options.peer(bench.translations[i].data(), bench.rotations[i].data(), bench.scales[i].data(),
                                    bench.skeleton.parent.data(), static_cast<int>(options.joint_count),
                                    &theirs[0][0].x);
                     },
                     {}});
    for (std::size_t i = 0; i < bench.poses.size(); ++i) {
      cases.front().run(i);
      cases.back().run(i);
      for (std::size_t j = 0; j < options.joint_count; ++j) {
        for (int column = 0; column < 4; ++column) {
          const float distance = glm::distance(theirs[j][column], ours.world()[j][column]);
          const float size = 1.0f + glm::length(ours.world()[j][column]);
          if (!(static_cast<double>(distance) <= kPeerTolerance * static_cast<double>(size))) {
            return Error{fmt::format(
                "{}: the world matrix of joint {} differs from ours by {:.2g} in column {}, at most {:.2g} expected",
                options.peer_name, j, distance, column, kPeerTolerance * static_cast<double>(size))};
          }
        }
      }
    }
  }
  const double end = wall_seconds() + options.seconds * static_cast<double>(cases.size());
  for (int round = 0; round < 4 || wall_seconds() < end; ++round) {
    for (Case& one : cases) {
      const double start = processor_seconds();
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        one.run(static_cast<std::size_t>(repeat) % bench.poses.size());
      }
      if (round > 0) {  // the first touches memory for the first time
        one.times.push_back((processor_seconds() - start) / (kRepeats * static_cast<double>(options.joint_count)));
      }
    }
  }
  std::vector<WorldTiming> rows;
  for (Case& one : cases) {
    rows.push_back({one.name, options.joint_count, median(one.times) * 1e9, 0});
    rows.back().times_ours = rows.front().ns_per_joint > 0 ? rows.back().ns_per_joint / rows.front().ns_per_joint : 0;
  }
  return rows;
}

std::vector<BenchmarkGoal> world_goals(std::span<const WorldTiming> timings) {
  std::vector<BenchmarkGoal> goals;
  if (timings.size() > 1) {
    goals.push_back({fmt::format("world matrices: times the plain loop, {} joints", timings[1].joint_count), 2.5,
                     timings[1].times_ours, false});
  }
  if (timings.size() > 2 && timings[2].times_ours > 0) {
    goals.push_back({fmt::format("world matrices over the peer's, {} joints", timings[2].joint_count), 1.3,
                     1 / timings[2].times_ours, true});
  }
  return goals;
}

Result<std::vector<KernelTiming>> measure_kernels(const KernelBenchmarkOptions& options) {
  struct Table {
    std::size_t vertex_count;
    int influences;
    bool normals;
    bool tangents;
    bool all_threads;
  };
  std::vector<Table> tables;
  for (const std::size_t count : options.vertex_counts) {
    for (const bool all_threads : {false, true}) {
      tables.push_back({count, 4, true, false, all_threads});
    }
  }
  if (!options.vertex_counts.empty()) {
    const std::size_t middle = options.vertex_counts[options.vertex_counts.size() / 2];
    for (const int influences : {1, 2, 8, kMixedInfluences}) {
      tables.push_back({middle, influences, true, false, false});
    }
    tables.push_back({middle, 4, false, false, false});
    tables.push_back({middle, 4, true, true, false});
  }
  std::vector<KernelTiming> rows;
  ProgressLine line;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const Table& table = tables[t];
    line.show(static_cast<float>(t) / static_cast<float>(tables.size()), "measuring kernels,");
    const std::shared_ptr<Bench> bench =
        make_bench(table.vertex_count, table.influences, table.normals, table.tangents);
    std::vector<KernelCase> cases = cases_of(*bench);
    const bool has_peer = options.peer != nullptr && table.normals && !table.tangents && !table.all_threads;
    if (has_peer) {
      // In memory as its callers have it, and in such as ours.
      add_peer<std::allocator>(options.peer, options.peer_name, *bench, cases);
      const auto result = add_peer<LineAllocator>(options.peer, options.peer_name + ", our memory", *bench, cases);
      deform::skin_lbs(bench->input(), bench->output(), 0, table.vertex_count);
      const double difference = relative_difference(*result, bench->positions);
      if (!(difference <= kPeerTolerance)) {
        return Error{fmt::format("{}: positions differ from ours by {:.2g} of the diagonal, at most {:.2g} expected",
                                 options.peer_name, difference, kPeerTolerance)};
      }
    }
    set_thread_limit(table.all_threads ? 0 : 1);
    std::vector<std::vector<double>> times(cases.size());
    const double end = wall_seconds() + options.seconds * static_cast<double>(cases.size());
    for (int round = 0; round < 4 || wall_seconds() < end; ++round) {
      for (std::size_t c = 0; c < cases.size(); ++c) {
        cases[c].run();  // into the caches, as far as they reach: the others have been there
        const double start = table.all_threads ? wall_seconds() : processor_seconds();
        cases[c].run();
        const double took = (table.all_threads ? wall_seconds() : processor_seconds()) - start;
        if (round > 0) {  // the first round touches memory for the first time
          times[c].push_back(took);
        }
      }
    }
    set_thread_limit(0);
    const double copy = std::min(median(times[0]), median(times[1]));
    const double peer = has_peer ? std::min(median(times[times.size() - 2]), median(times.back())) : 0;
    for (std::size_t c = 0; c < cases.size(); ++c) {
      const double seconds = median(times[c]);
      KernelTiming row;
      row.method = cases[c].method;
      row.kernel = cases[c].kernel;
      row.vertex_count = table.vertex_count;
      row.influences = table.influences;
      row.attributes = !table.normals ? "p" : !table.tangents ? "pn" : "pnt";
      row.all_threads = table.all_threads;
      row.ns_per_vertex = seconds * 1e9 / static_cast<double>(table.vertex_count);
      row.gigabytes_per_second = seconds > 0 ? cases[c].bytes / seconds * 1e-9 : 0;
      row.times_copy = copy > 0 ? seconds / copy : 0;
      row.times_peer = seconds > 0 ? peer / seconds : 0;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace pelt::cli
