#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/crowd_benchmark.h"
#include "cli/goals.h"
#include "cli/open.h"
#include "cli/open_benchmark.h"
#include "cli/output.h"
#include "cli/shape.h"
#include "cli/verbs.h"
#include "core/parallel.h"
#include "deform/deform.h"
#include "deform/fast_skin.h"
#include "deform/kernel_benchmark.h"
#include "deform/morph.h"
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

// The joint that most of the skin follows, itself or by those below: turning it leaves hardly anything as it was.
int busiest_joint(const rig::Character& character) {
  const rig::Skeleton& skeleton = character.skeleton;
  std::vector<double> following(skeleton.parent.size());  // vertices, by weight
  for (const rig::Part& part : character.parts) {
    if (!deform::is_skinned(character, part)) {
      following[static_cast<std::size_t>(part.joint)] +=
          static_cast<double>(character.primitive(part).positions.size());
      continue;
    }
    const rig::Skin& skin = character.skins[static_cast<std::size_t>(part.skin)];
    const mesh::Influences& influences = character.primitive(part).influences;
    for (std::size_t i = 0; i < influences.joint.size(); ++i) {
      following[static_cast<std::size_t>(skin.joints[influences.joint[i]])] +=
          static_cast<double>(influences.weight[i]);
    }
  }
  for (std::size_t node = following.size(); node-- > 0;) {  // children stand behind their parents
    if (skeleton.parent[node] >= 0) {
      following[static_cast<std::size_t>(skeleton.parent[node])] += following[node];
    }
  }
  const bool any_joint = std::ranges::count(skeleton.is_joint, 0) < std::ssize(skeleton.is_joint);
  int busiest = -1;
  for (int node = 0; node < skeleton.size(); ++node) {
    const auto at = static_cast<std::size_t>(node);
    if ((!any_joint || skeleton.is_joint[at] != 0) &&
        (busiest < 0 || following[at] > following[static_cast<std::size_t>(busiest)])) {
      busiest = node;
    }
  }
  return std::max(busiest, 0);
}

// Turns a joint by a little more each time, so that nothing can be reused.
void disturb(edit::Document& document, int joint, int run) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  Transform local = skeleton.rest[static_cast<std::size_t>(joint)];
  local.rotation = local.rotation * glm::angleAxis(0.001f * static_cast<float>(run % 1000 + 1), glm::vec3(0, 1, 0));
  edit::apply(document, {edit::SetJointLocal{joint, local, false}, "", false});
}

Row row_of(std::string path, std::size_t vertices, std::vector<double>& times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  const double median = times[times.size() / 2];
  return {std::move(path), static_cast<int>(times.size()), median * 1e3,
          median > 0 ? static_cast<double>(vertices) / median : 0};
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
  return row_of(std::move(path), vertices, times);
}

/// Another library's kernel, loaded at run time.
struct Peer {
  std::shared_ptr<void> library;
  deform::PeerSkin skin = nullptr;
  deform::PeerLocalToWorld local_to_world = nullptr;  ///< null: it has none
  std::string name;
};

Result<Peer> load_peer(const std::string& path) {
  // A name without a slash would be looked for among the system's libraries.
  const std::string at = path.find('/') == std::string::npos ? "./" + path : path;
  void* const library = dlopen(at.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return error("{}: cannot be loaded ({})", path, dlerror());
  }
  Peer peer;
  peer.library = {library, [](void* handle) { dlclose(handle); }};
  peer.skin = reinterpret_cast<deform::PeerSkin>(dlsym(library, "peer_skin"));
  if (peer.skin == nullptr) {
    return error("{}: has no function peer_skin", path);
  }
  peer.local_to_world = reinterpret_cast<deform::PeerLocalToWorld>(dlsym(library, "peer_local_to_world"));
  const auto name = reinterpret_cast<const char* (*)()>(dlsym(library, "peer_name"));
  peer.name = name != nullptr ? name() : "peer";
  return peer;
}

/// A frame of the CPU path: world matrices, palette, two morph targets where there are some, linear blend skinning of
/// positions and normals, parts without a skin placed as if by one joint; and its first two steps alone, morphing by
/// the plain loop as well. Given a peer, the same with its kernel in turn, all on one thread since peers have no more;
/// the peer gets our matrices and a morphed shape that is kept as ours is.
Result<std::vector<Row>> measure_frames(const edit::Document& document, std::size_t vertices, double seconds,
                                        int threads, const Peer& peer) {
  if (peer.skin != nullptr) {
    set_thread_limit(1);
  }
  rig::Character character = *document.character;
  for (mesh::Mesh& mesh : character.meshes.edit_each()) {
    for (mesh::Primitive& primitive : mesh.primitives.edit_each()) {
      primitive.tangents.clear();  // peers have none
      for (mesh::MorphTarget& target : primitive.morph_targets.edit_each()) {
        target.tangent_deltas.clear();
      }
    }
  }
  rig::Pose pose = rig::rest_pose(character);
  const int joint = busiest_joint(character);
  const glm::quat still = pose.local[static_cast<std::size_t>(joint)].rotation;
  const auto turn = [&](int run) {
    pose.local[static_cast<std::size_t>(joint)].rotation =
        still * glm::angleAxis(0.001f * static_cast<float>(run % 1000 + 1), glm::vec3(0, 1, 0));
    for (std::size_t j = 0; j + 1 < character.morph_offset.size(); ++j) {
      const int end = std::min(character.morph_offset[j] + 2, character.morph_offset[j + 1]);
      for (int m = character.morph_offset[j]; m < end; ++m) {
        pose.morph_weights[static_cast<std::size_t>(m)] = 0.001f * static_cast<float>(run % 1000 + 1);
      }
    }
  };
  rig::WorldMatrices world;
  deform::CpuDeformer deformer;
  deform::DeformedCharacter ours;
  const deform::SkinningSettings settings;
  const auto our_frame = [&] {
    world.evaluate(character.skeleton, pose);
    deformer.deform(character, pose, world.world(), settings, ours);
  };

  struct PeerPart {
    deform::PeerInfluences influences;
    std::vector<glm::mat4> matrices;
    std::vector<glm::vec3> positions;
    std::vector<glm::vec3> normals;
    std::vector<glm::vec3> morphed_positions;
    std::vector<glm::vec3> morphed_normals;
  };
  std::vector<PeerPart> parts(character.parts.size());
  const auto make_palettes = [&] {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const rig::Part& part = character.parts[p];
      if (deform::is_skinned(character, part)) {
        rig::skin_matrices(character.skins[static_cast<std::size_t>(part.skin)], world.world(), parts[p].matrices);
      } else {
        parts[p].matrices.assign(1, world.world()[static_cast<std::size_t>(part.joint)]);
      }
    }
  };
  // Each row has its own: shapes that another one has brought to these weights would cost nothing.
  std::vector<std::optional<deform::FastSkin>> kernels(parts.size());
  const auto morph_in_kernels = [&] {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const rig::Part& part = character.parts[p];
      const mesh::Primitive& primitive = character.primitive(part);
      if (primitive.morph_targets.empty() || !deform::is_skinned(character, part)) {
        continue;
      }
      if (!kernels[p]) {
        deform::SkinInput input;
        input.positions = primitive.positions;
        input.normals = primitive.normals;
        input.influences = &*primitive.influences;
        if (!deform::FastSkin::covers(input)) {
          continue;
        }
        kernels[p].emplace(input, character.skins[static_cast<std::size_t>(part.skin)].joints);
      }
      kernels[p]->set_morph_weights(primitive.morph_targets, character.morph_weights(pose, part.joint));
    }
  };
  std::vector<std::optional<deform::MorphedShape>> peer_shapes(parts.size());
  const auto morph_for_peer = [&] {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const mesh::Primitive& primitive = character.primitive(character.parts[p]);
      if (primitive.morph_targets.empty()) {
        continue;
      }
      if (!peer_shapes[p]) {
        peer_shapes[p].emplace(primitive);
      }
      peer_shapes[p]->set_weights(character.morph_weights(pose, character.parts[p].joint));
    }
  };
  const auto morph_plainly = [&] {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const mesh::Primitive& primitive = character.primitive(character.parts[p]);
      if (primitive.morph_targets.empty()) {
        continue;
      }
      PeerPart& part = parts[p];
      part.morphed_positions.resize(primitive.positions.size());
      part.morphed_normals.resize(primitive.normals.size());
      deform::apply_morph_targets(primitive, character.morph_weights(pose, character.parts[p].joint),
                                  part.morphed_positions, part.morphed_normals, {});
    }
  };
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const mesh::Primitive& primitive = character.primitive(character.parts[p]);
    const bool skinned = deform::is_skinned(character, character.parts[p]);
    parts[p].influences =
        deform::make_peer_influences(skinned ? *primitive.influences : deform::rows_of_one(primitive.positions.size()));
    parts[p].matrices.resize(skinned ? character.skins[static_cast<std::size_t>(character.parts[p].skin)].joints.size()
                                     : 1);
    parts[p].positions.resize(primitive.positions.size());
    parts[p].normals.resize(primitive.normals.size());
  }
  const auto peer_frame = [&] {
    world.evaluate(character.skeleton, pose);
    make_palettes();
    morph_for_peer();
    for (std::size_t p = 0; p < parts.size(); ++p) {
      PeerPart& part = parts[p];
      const mesh::Primitive& primitive = character.primitive(character.parts[p]);
      if (part.positions.empty()) {
        continue;
      }
      const std::span<const glm::vec3> positions =
          peer_shapes[p] ? peer_shapes[p]->positions() : std::span<const glm::vec3>(primitive.positions);
      const std::span<const glm::vec3> normals =
          peer_shapes[p] ? peer_shapes[p]->normals() : std::span<const glm::vec3>(primitive.normals);
      peer.skin(&positions[0].x, normals.empty() ? nullptr : &normals[0].x, part.influences.joints.data(),
                part.influences.weights.data(), &part.matrices[0][0].x, static_cast<int>(part.matrices.size()),
                static_cast<int>(positions.size()), part.influences.influence_count, &part.positions[0].x,
                normals.empty() ? nullptr : &part.normals[0].x);
    }
  };
  turn(0);
  our_frame();
  if (peer.skin != nullptr) {
    peer_frame();
    const double diagonal = static_cast<double>(std::max(ours.bounds.diagonal(), 1e-30f));
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (std::size_t v = 0; v < parts[p].positions.size(); ++v) {
        const bool follows = !deform::is_skinned(character, character.parts[p]) ||
                             character.primitive(character.parts[p]).influences->count(v) > 0;
        const auto distance = static_cast<double>(glm::distance(parts[p].positions[v], ours.parts[p].positions[v]));
        if (follows && !(distance <= deform::kPeerTolerance * diagonal)) {
          return error("{}: part {} vertex {}: {} m from ours, at most {} expected", peer.name, p, v, distance,
                       deform::kPeerTolerance * diagonal);
        }
      }
    }
  }
  using Clock = std::chrono::steady_clock;
  const auto seconds_of = [](const auto& step) {
    const auto start = Clock::now();
    step();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  struct Step {
    std::string path;
    std::function<void()> run;
    std::vector<double> times;
  };
  std::vector<Step> steps = {{"frame:lbs", our_frame, {}},
                             {"frame:world", [&] { world.evaluate(character.skeleton, pose); }, {}},
                             {"frame:morph", morph_in_kernels, {}},
                             {"frame:morph, plain", morph_plainly, {}}};
  if (peer.skin != nullptr) {
    steps.push_back({"frame:" + peer.name, peer_frame, {}});
  }
  const auto end = Clock::now() + std::chrono::duration<double>(seconds * static_cast<double>(steps.size()));
  for (int run = 1; run < 6 || Clock::now() < end; ++run) {
    turn(run);
    for (Step& step : steps) {
      step.times.push_back(seconds_of(step.run));
    }
  }
  set_thread_limit(threads);
  std::vector<Row> rows;
  for (Step& step : steps) {
    rows.push_back(row_of(step.path, vertices, step.times));
  }
  return rows;
}

std::string influences_text(int influences) {
  return influences == deform::kMixedInfluences ? "60/35/5" : fmt::format("{}", influences);
}

std::string kernel_table(const std::vector<deform::KernelTiming>& timings) {
  std::string text =
      fmt::format("\n{:<6} {:<28} {:>9} {:>10} {:>5} {:>7} {:>10} {:>7} {:>7} {:>7}\n", "method", "kernel", "vertices",
                  "influences", "attr", "threads", "ns/vertex", "GB/s", "x copy", "peer/x");
  for (const deform::KernelTiming& row : timings) {
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

std::string world_table(const std::vector<deform::WorldTiming>& timings) {
  std::string text = fmt::format("\n{:<24} {:>7} {:>9} {:>7}\n", "world matrices", "joints", "ns/joint", "x ours");
  for (const deform::WorldTiming& row : timings) {
    text +=
        fmt::format("{:<24} {:>7} {:>9.2f} {:>7.2f}\n", row.kernel, row.joint_count, row.ns_per_joint, row.times_ours);
  }
  return text;
}

}  // namespace

Result<int> run_bench(const BenchOptions& options) {
  set_thread_limit(options.threads);
  if (options.open) {
    const Result<std::string> table = benchmark_opening(options.seconds, options.json);
    const Status printed = table ? print_result(*table, form_of(options.json)) : Status(table.error());
    return printed ? Result<int>(0) : Result<int>(printed.error());
  }
  BenchOptions effective = options;
  if (effective.evaluation.file.empty()) {
    effective.evaluation.file = "@mannequin";
  }
  Result<edit::Document> opened = open_document(effective.evaluation);
  if (!opened) {
    return opened.error();
  }
  if (options.instances > 0) {
    const Result<std::string> table =
        benchmark_crowd(*opened, shown_name(effective.evaluation), options.instances, options.seconds, options.json);
    if (!table) {
      return table.error();
    }
    if (Status printed = print_result(*table, form_of(options.json)); !printed) {
      return printed.error();
    }
    return 0;
  }
  edit::Document& document = *opened;
  std::size_t vertices = 0;
  for (const rig::Part& part : document.character->parts) {
    vertices += document.character->primitive(part).vertex_count();
  }
  Peer peer;
  if (!options.peer.empty()) {
    Result<Peer> loaded = load_peer(options.peer);
    if (!loaded) {
      return loaded.error();
    }
    peer = *loaded;
  }
  Result<std::vector<Row>> frames = measure_frames(document, vertices, options.seconds, options.threads, peer);
  if (!frames) {
    return frames.error();
  }
  const auto gpu = render::GpuSkinner::create();
  std::vector<Row> rows = std::move(*frames);
  const int joint = busiest_joint(*document.character);
  for (int m = 0; m < static_cast<int>(deform::skinning_methods().size()); ++m) {
    const std::string id(deform::skinning_methods()[static_cast<std::size_t>(m)].id);
    document.state.skinning.method = m;
    document.state.skinning.backend = deform::Backend::kCpu;
    edit::Evaluation evaluation;
    const auto row = measure(id + ":cpu", vertices, options.seconds, [&](int run) -> Result<double> {
      disturb(document, joint, run);
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
      disturb(document, joint, run);
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
  std::vector<deform::KernelTiming> kernels;
  std::vector<deform::WorldTiming> worlds;
  if (options.kernels) {
    Result<std::vector<deform::WorldTiming>> world_rows = deform::measure_local_to_world(
        {.seconds = options.seconds, .peer = peer.local_to_world, .peer_name = peer.name});
    if (!world_rows) {
      return world_rows.error();
    }
    worlds = std::move(*world_rows);
    Result<std::vector<deform::KernelTiming>> measured =
        deform::measure_kernels({.seconds = options.seconds, .peer = peer.skin, .peer_name = peer.name});
    if (!measured) {
      return measured.error();
    }
    kernels = std::move(*measured);
    set_thread_limit(options.threads);
  }
  std::vector<BenchmarkGoal> goals = deform::kernel_goals(kernels);
  std::ranges::move(deform::world_goals(worlds), std::back_inserter(goals));
  if (options.kernels && peer.skin != nullptr) {
    const auto frame = [&](const std::string& path) { return std::ranges::find(rows, path, &Row::path); };
    const auto ours = frame("frame:lbs");
    const auto theirs = frame("frame:" + peer.name);
    if (ours != rows.end() && theirs != rows.end() && ours->milliseconds > 0) {
      goals.push_back({"a whole frame: times the peer", 1.5, theirs->milliseconds / ours->milliseconds});
    }
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
    if (options.kernels) {
      json["kernels"] = nlohmann::ordered_json::array();
      json["world_matrices"] = nlohmann::ordered_json::array();
    }
    for (const deform::WorldTiming& row : worlds) {
      json["world_matrices"].push_back({{"kernel", row.kernel},
                                        {"joints", row.joint_count},
                                        {"ns_per_joint", row.ns_per_joint},
                                        {"times_ours", row.times_ours}});
    }
    for (const deform::KernelTiming& row : kernels) {
      json["kernels"].push_back({{"method", row.method},
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
    if (options.kernels) {
      json["goals"] = goal_json(goals);
    }
    text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  } else {
    text = fmt::format("{}: {} vertices, {} threads, {}\n", file, vertices, threads,
                       gpu ? device : fmt::format("no GPU rows ({})", gpu.error().message));
    text += fmt::format("{:<20} {:>12} {:>18} {:>7}\n", "path", "ms/frame", "million vertices/s", "runs");
    for (const Row& row : rows) {
      text += fmt::format("{:<20} {:>12.4f} {:>18.1f} {:>7}\n", row.path, row.milliseconds,
                          row.vertices_per_second / 1e6, row.runs);
    }
    text +=
        "Median of whole characters: positions, normals and tangents; GPU rows include reading the result back.\n"
        "frame: a whole one without tangents, two morph targets active where there are some; world and morph are parts "
        "of "
        "it.\n";
    if (options.kernels) {
      text += kernel_table(kernels);
      text += world_table(worlds);
      text += goal_table(goals);
      text +=
          "Ratios within this run. Kernels: 4 influences, positions and normals, the peer against normals a, as peers "
          "make them.\n";
    }
  }
  if (Status printed = print_result(text, form_of(options.json)); !printed) {
    return printed.error();
  }
  return 0;
}

}  // namespace pelt::cli
