#include "cli/frame_benchmark.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <optional>

#include "cli/timed_runs.h"
#include "core/parallel.h"
#include "deform/deform.h"
#include "deform/fast_skin.h"
#include "deform/morph.h"
#include "rig/kinematics.h"

namespace pelt::cli {
namespace {

using Clock = std::chrono::steady_clock;

// What the peer is given for one part, and what it gives back.
struct PeerPart {
  PeerInfluences influences;
  std::vector<glm::mat4> matrices;
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
};

// What the plain loop fills.
struct PlainlyMorphed {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
};

// Peers have no tangents.
rig::Character without_tangents(rig::Character character) {
  for (mesh::Mesh& mesh : character.meshes.edit_each()) {
    for (mesh::Primitive& primitive : mesh.primitives.edit_each()) {
      primitive.tangents.clear();
      for (mesh::MorphTarget& target : primitive.morph_targets.edit_each()) {
        target.tangent_deltas.clear();
      }
    }
  }
  return character;
}

// The character in one pose after the other, and the steps of a frame that are timed.
class TimedFrames {
 public:
  TimedFrames(const rig::Character& character, const Peer& peer)
      : character_(without_tangents(character)),
        peer_(peer),
        pose_(rig::rest_pose(character_)),
        joint_(static_cast<std::size_t>(busiest_joint(character_))),
        still_(pose_.local[joint_].rotation),
        kernels_(character_.parts.size()),
        peer_shapes_(character_.parts.size()),
        morphed_(character_.parts.size()) {
    for (const rig::Part& part : character_.parts) {
      peer_parts_.push_back(peer_part(part));
    }
  }

  // Goes to another pose, so that nothing can be reused.
  void turn(int run) {
    pose_.local[joint_].rotation =
        still_ * glm::angleAxis(0.001f * static_cast<float>(run % 1000 + 1), glm::vec3(0, 1, 0));
    for (std::size_t j = 0; j + 1 < character_.morph_offset.size(); ++j) {
      const int end = std::min(character_.morph_offset[j] + 2, character_.morph_offset[j + 1]);
      for (int m = character_.morph_offset[j]; m < end; ++m) {
        pose_.morph_weights[m] = 0.001f * static_cast<float>(run % 1000 + 1);
      }
    }
  }
  void evaluate_world() { world_.evaluate(character_.skeleton, pose_); }
  void our_frame() {
    evaluate_world();
    deformer_.deform(character_, pose_, world_.world(), settings_, ours_);
  }
  void peer_frame();
  void morph_in_kernels();
  void morph_plainly();
  // Fails where the peer's shape is not ours.
  [[nodiscard]] Status check_peer() const;

 private:
  [[nodiscard]] PeerPart peer_part(const rig::Part& part) const;
  [[nodiscard]] const mesh::Primitive& primitive(std::size_t p) const {
    return character_.primitive(character_.parts[p]);
  }
  [[nodiscard]] std::span<const float> morph_weights(std::size_t p) const {
    return character_.morph_weights(pose_, character_.parts[p].joint);
  }
  void make_palettes();
  void morph_for_peer();

  const rig::Character character_;
  const Peer& peer_;
  rig::Pose pose_;
  std::size_t joint_;
  glm::quat still_;
  rig::WorldMatrices world_;
  deform::CpuDeformer deformer_;
  deform::DeformedCharacter ours_;
  const deform::SkinningSettings settings_;
  std::vector<PeerPart> peer_parts_;
  // Each row has its own: shapes that another one has brought to these weights would cost nothing.
  std::vector<std::optional<deform::FastSkin>> kernels_;
  std::vector<std::optional<deform::MorphedShape>> peer_shapes_;
  std::vector<PlainlyMorphed> morphed_;
};

PeerPart TimedFrames::peer_part(const rig::Part& part) const {
  const mesh::Primitive& from = character_.primitive(part);
  const bool skinned = deform::is_skinned(character_, part);
  PeerPart out;
  out.influences = make_peer_influences(skinned ? *from.influences : deform::rows_of_one(from.positions.size()));
  out.matrices.resize(skinned ? character_.skins[part.skin].joints.size() : 1);
  out.positions.resize(from.positions.size());
  out.normals.resize(from.normals.size());
  return out;
}

void TimedFrames::make_palettes() {
  for (std::size_t p = 0; p < peer_parts_.size(); ++p) {
    const rig::Part& part = character_.parts[p];
    if (deform::is_skinned(character_, part)) {
      rig::skin_matrices(character_.skins[part.skin], world_.world(), peer_parts_[p].matrices);
    } else {
      peer_parts_[p].matrices.assign(1, world_.world()[part.joint]);
    }
  }
}

void TimedFrames::morph_in_kernels() {
  for (std::size_t p = 0; p < kernels_.size(); ++p) {
    const rig::Part& part = character_.parts[p];
    const mesh::Primitive& from = primitive(p);
    if (from.morph_targets.empty() || !deform::is_skinned(character_, part)) {
      continue;
    }
    if (!kernels_[p]) {
      deform::SkinInput input;
      input.positions = from.positions;
      input.normals = from.normals;
      input.influences = &*from.influences;
      if (!deform::FastSkin::covers(input)) {
        continue;
      }
      kernels_[p].emplace(input, character_.skins[part.skin].joints);
    }
    kernels_[p]->set_morph_weights(from.morph_targets, morph_weights(p));
  }
}

void TimedFrames::morph_for_peer() {
  for (std::size_t p = 0; p < peer_shapes_.size(); ++p) {
    if (primitive(p).morph_targets.empty()) {
      continue;
    }
    if (!peer_shapes_[p]) {
      peer_shapes_[p].emplace(primitive(p));
    }
    peer_shapes_[p]->set_weights(morph_weights(p));
  }
}

void TimedFrames::morph_plainly() {
  for (std::size_t p = 0; p < morphed_.size(); ++p) {
    const mesh::Primitive& from = primitive(p);
    if (from.morph_targets.empty()) {
      continue;
    }
    morphed_[p].positions.resize(from.positions.size());
    morphed_[p].normals.resize(from.normals.size());
    deform::apply_morph_targets(from, morph_weights(p), morphed_[p].positions, morphed_[p].normals, {});
  }
}

void TimedFrames::peer_frame() {
  evaluate_world();
  make_palettes();
  morph_for_peer();
  for (std::size_t p = 0; p < peer_parts_.size(); ++p) {
    PeerPart& part = peer_parts_[p];
    if (part.positions.empty()) {
      continue;
    }
    const std::span<const glm::vec3> positions =
        peer_shapes_[p] ? peer_shapes_[p]->positions() : std::span<const glm::vec3>(primitive(p).positions);
    const std::span<const glm::vec3> normals =
        peer_shapes_[p] ? peer_shapes_[p]->normals() : std::span<const glm::vec3>(primitive(p).normals);
    peer_.skin(&positions[0].x, normals.empty() ? nullptr : &normals[0].x, part.influences.joints.data(),
               part.influences.weights.data(), &part.matrices[0][0].x, static_cast<int>(part.matrices.size()),
               static_cast<int>(positions.size()), part.influences.influence_count, &part.positions[0].x,
               normals.empty() ? nullptr : &part.normals[0].x);
  }
}

Status TimedFrames::check_peer() const {
  const double diagonal = static_cast<double>(std::max(ours_.bounds.diagonal(), 1e-30f));
  for (std::size_t p = 0; p < peer_parts_.size(); ++p) {
    for (std::size_t v = 0; v < peer_parts_[p].positions.size(); ++v) {
      const bool follows =
          !deform::is_skinned(character_, character_.parts[p]) || primitive(p).influences->count(v) > 0;
      const auto distance =
          static_cast<double>(glm::distance(peer_parts_[p].positions[v], ours_.parts[p].positions[v]));
      if (follows && !(distance <= kPeerTolerance * diagonal)) {
        return error("{}: part {} vertex {}: {} m from ours, at most {} expected", peer_.name, p, v, distance,
                     kPeerTolerance * diagonal);
      }
    }
  }
  return {};
}

}  // namespace

BenchRow bench_row(std::string path, std::size_t vertices, std::vector<double>& times) {
  const double median = median_of(times);
  return {std::move(path), static_cast<int>(times.size()), median * 1e3,
          median > 0 ? static_cast<double>(vertices) / median : 0};
}

int busiest_joint(const rig::Character& character) {
  const rig::Skeleton& skeleton = character.skeleton;
  std::vector<double> following(skeleton.parent.size());  // vertices, by weight
  for (const rig::Part& part : character.parts) {
    if (!deform::is_skinned(character, part)) {
      following[part.joint] += static_cast<double>(character.primitive(part).positions.size());
      continue;
    }
    const rig::Skin& skin = character.skins[part.skin];
    const mesh::Influences& influences = character.primitive(part).influences;
    influences.for_each_entry(
        [&](std::uint16_t joint, float weight) { following[skin.joints[joint]] += static_cast<double>(weight); });
  }
  for (std::size_t node = following.size(); node-- > 0;) {  // children stand behind their parents
    if (skeleton.parent[node] >= 0) {
      following[skeleton.parent[node]] += following[node];
    }
  }
  const bool any_joint = std::ranges::count(skeleton.is_joint, 0) < std::ssize(skeleton.is_joint);
  int busiest = -1;
  for (int node = 0; node < skeleton.size(); ++node) {
    const std::size_t at = node;
    if ((!any_joint || skeleton.is_joint[at] != 0) && (busiest < 0 || following[at] > following[busiest])) {
      busiest = node;
    }
  }
  return std::max(busiest, 0);
}

Result<Peer> load_peer(const std::string& path) {
  // A name without a slash would be looked for among the system's libraries.
  const std::string at = path.find('/') == std::string::npos ? "./" + path : path;
  void* const library = dlopen(at.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return error("{}: cannot be loaded ({})", path, dlerror());
  }
  Peer peer;
  peer.library = {library, [](void* handle) { dlclose(handle); }};
  peer.skin = reinterpret_cast<PeerSkin>(dlsym(library, "peer_skin"));
  if (peer.skin == nullptr) {
    return error("{}: has no function peer_skin", path);
  }
  peer.local_to_world = reinterpret_cast<PeerLocalToWorld>(dlsym(library, "peer_local_to_world"));
  const auto name = reinterpret_cast<const char* (*)()>(dlsym(library, "peer_name"));
  peer.name = name != nullptr ? name() : "peer";
  return peer;
}

Result<std::vector<BenchRow>> measure_frames(const edit::Document& document, std::size_t vertices, double seconds,
                                             int threads, const Peer& peer) {
  const bool with_peer = peer.skin != nullptr;
  if (with_peer) {
    set_thread_limit(1);
  }
  TimedFrames frames(*document.character, peer);
  frames.turn(0);
  frames.our_frame();
  if (with_peer) {
    frames.peer_frame();
    PELT_TRY(frames.check_peer());
  }
  struct Step {
    std::string path;
    std::function<void()> run;
    std::vector<double> times;
  };
  std::vector<Step> steps = {{"frame:lbs", [&] { frames.our_frame(); }, {}},
                             {"frame:world", [&] { frames.evaluate_world(); }, {}},
                             {"frame:morph", [&] { frames.morph_in_kernels(); }, {}},
                             {"frame:morph, plain", [&] { frames.morph_plainly(); }, {}}};
  if (with_peer) {
    steps.push_back({"frame:" + peer.name, [&] { frames.peer_frame(); }, {}});
  }
  const auto end = Clock::now() + std::chrono::duration<double>(seconds * static_cast<double>(steps.size()));
  for (int run = 1; run < 6 || Clock::now() < end; ++run) {
    frames.turn(run);
    for (Step& step : steps) {
      const auto start = Clock::now();
      step.run();
      step.times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
  }
  set_thread_limit(threads);
  std::vector<BenchRow> rows;
  for (Step& step : steps) {
    rows.push_back(bench_row(step.path, vertices, step.times));
  }
  return rows;
}

}  // namespace pelt::cli
