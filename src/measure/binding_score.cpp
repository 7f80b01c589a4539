#include "measure/binding_score.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include <glm/gtc/matrix_transform.hpp>

#include "bind/rest_world.h"
#include "core/parallel.h"
#include "measure/surface.h"
#include "mesh/measures.h"

namespace pelt::measure {
namespace {

constexpr std::uint64_t kRandomSeed = 0x50454C54;  // "PELT"
constexpr double kSmallTurn = std::numbers::pi / 6;
constexpr double kBigTurn = std::numbers::pi / 2;
constexpr int kBigJoints = 2;
constexpr double kCountedWeight = 1e-4;  // of precision and recall
constexpr double kShortEdge = 1e-4;      // of the diagonal: its stretch is rounding
constexpr double kStrainShare = 0.999;
constexpr double kLeastFlesh = 0.01;  // share of a ball of the same area; a surface of less volume is open or flat

// Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// In [0, 1), of 53 bits.
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

// The joints of all skins, parents first, each with the next one above it among them.
struct JointTree {
  std::vector<int> joint;
  std::vector<int> parent;       // positions in `joint`, -1 for roots
  std::vector<int> in_the_file;  // positions of those with a parent, in the order in which the skins list them
};

JointTree joint_tree(const rig::Character& character) {
  const rig::Skeleton& skeleton = *character.skeleton;
  JointTree tree;
  std::vector<int> at(skeleton.parent.size(), -1);
  for (int j = 0; j < skeleton.size(); ++j) {
    if (skeleton.is_joint[j] == 0) {
      continue;
    }
    int above = skeleton.parent[j];
    while (above >= 0 && at[above] < 0) {
      above = skeleton.parent[above];
    }
    at[j] = static_cast<int>(tree.joint.size());
    tree.joint.push_back(j);
    tree.parent.push_back(above >= 0 ? at[above] : -1);
  }
  std::vector<char> listed(tree.joint.size(), 0);
  for (const rig::Skin& skin : character.skins) {
    for (const int j : skin.joints) {
      if (listed[at[j]] == 0 && tree.parent[at[j]] >= 0) {
        tree.in_the_file.push_back(at[j]);
      }
      listed[at[j]] = 1;
    }
  }
  return tree;
}

BenchmarkPose benchmark_pose(const bind::CharacterProblem& problem, const JointTree& tree,
                             const std::vector<glm::dmat4>& joint_from_bind, const std::vector<glm::dmat4>& world,
                             double scale) {
  BenchmarkPose pose;
  const auto matrix = [&](int j) {
    return glm::scale(glm::dmat4(1.0), glm::dvec3(1 / scale)) * world[j] * joint_from_bind[j];
  };
  for (const bind::Bone& bone : problem.problem.bones) {
    pose.bones.push_back(matrix(bone.joint));
  }
  pose.root = matrix(tree.joint.empty() ? 0 : tree.joint[0]);
  return pose;
}

// Which clips at which shares of their lengths.
std::vector<std::pair<std::size_t, double>> clip_samples(std::size_t clips) {
  std::vector<std::pair<std::size_t, double>> samples;
  if (clips >= kClipPoses) {
    for (std::size_t i = 0; i < kClipPoses; ++i) {
      samples.emplace_back((2 * i + 1) * clips / (2 * kClipPoses), 0.5);
    }
    return samples;
  }
  const std::size_t each = clips > 0 ? kClipPoses / clips : 0;
  for (std::size_t c = 0; c < clips; ++c) {
    for (std::size_t i = 0; i < each; ++i) {
      samples.emplace_back(c, (static_cast<double>(i) + 0.5) / static_cast<double>(each));
    }
  }
  return samples;
}

// [joints of the tree] whether it deforms, or stands above one that does.
std::vector<char> joints_that_move(const bind::Problem& problem, const JointTree& tree) {
  std::vector<char> moves(tree.joint.size(), 0);
  for (std::size_t i = tree.joint.size(); i-- > 0;) {
    const auto is_mine = [&](const bind::Bone& bone) { return bone.joint == tree.joint[i]; };
    moves[i] = static_cast<char>(moves[i] != 0 || std::ranges::any_of(problem.bones, is_mine));
    if (moves[i] != 0 && tree.parent[i] >= 0) {
      moves[tree.parent[i]] = 1;
    }
  }
  return moves;
}

// [joints of the tree] which turn far. Fewer than wanted where there are no more.
std::vector<char> big_joints(const JointTree& tree, const std::vector<char>& moves, SplitMix64& random) {
  std::vector<char> big(tree.joint.size(), 0);
  const auto candidates = std::ranges::count_if(tree.in_the_file, [&](int i) { return moves[i] != 0; });
  for (int k = 0; k < kBigJoints && k < candidates; ++k) {
    int chosen = 0;
    do {
      chosen = tree.in_the_file[random.next() % tree.in_the_file.size()];
    } while (moves[chosen] == 0 || big[chosen] != 0);
    big[chosen] = 1;
  }
  return big;
}

glm::dmat4 random_turn(double largest, SplitMix64& random) {
  const double z = 2 * random.unit() - 1;
  const double phi = 2 * std::numbers::pi * random.unit();
  const double angle = random.unit() * largest;
  const double ring = std::sqrt(std::max(0.0, 1 - z * z));
  return glm::rotate(glm::dmat4(1.0), angle, glm::dvec3(ring * std::cos(phi), ring * std::sin(phi), z));
}

void add_random_poses(const bind::CharacterProblem& problem, const JointTree& tree,
                      const std::vector<glm::dmat4>& joint_from_bind, std::vector<BenchmarkPose>& poses) {
  const std::vector<char> moves = joints_that_move(problem.problem, tree);
  std::vector<glm::dmat4> turn(tree.joint.size(), glm::dmat4(1.0));
  std::vector<glm::dmat4> world = problem.bind_from_joint;
  for (int r = 0; r < kRandomPoses; ++r) {
    SplitMix64 random(kRandomSeed + static_cast<std::uint64_t>(r));
    const std::vector<char> big = big_joints(tree, moves, random);
    for (const int i : tree.in_the_file) {
      turn[i] = random_turn(big[i] != 0 ? kBigTurn : kSmallTurn, random);
    }
    for (std::size_t i = 0; i < tree.joint.size(); ++i) {
      if (tree.parent[i] >= 0) {
        const int j = tree.joint[i];
        const int above = tree.joint[tree.parent[i]];
        world[j] = world[above] * joint_from_bind[above] * problem.bind_from_joint[j] * turn[i];
      }
    }
    poses.push_back(benchmark_pose(problem, tree, joint_from_bind, world, 1.0));
  }
}

constexpr ScoreColumn kScoreColumns[] = {
    {"rms_percent", "RMS %",
     "How far vertices are from where the artist's weights take them, root mean square over all poses, in percent of "
     "the diagonal",
     &BindingScore::rms, false},
    {"p95_percent", "p95 %", "The distance that 95 % of the vertices stay below, in percent of the diagonal",
     &BindingScore::p95, false},
    {"max_percent", "max %", "The largest distance of a vertex in any pose, in percent of the diagonal",
     &BindingScore::worst, false},
    {"l1_mean", "L1", "The sum of the differences of a vertex's weights, on average", &BindingScore::l1_mean, false},
    {"l1_p95", "L1 p95", "The sum of the differences that 95 % of the vertices stay below", &BindingScore::l1_p95,
     false},
    {"agreement", "agree", "Share of the vertices that follow the same joint most", &BindingScore::agreement, true},
    {"precision", "prec.", "Share of the weights made that the artist has, too", &BindingScore::precision, true},
    {"recall", "recall", "Share of the artist's weights that were made", &BindingScore::recall, true},
    {"strain_ratio", "strain", "The longest stretch of the edges in any pose, divided by the artist's: 1 is as smooth",
     &BindingScore::strain_ratio, false},
};

}  // namespace

std::span<const ScoreColumn> score_columns() {
  return kScoreColumns;
}

std::vector<BenchmarkPose> benchmark_poses(const rig::Character& character, const bind::CharacterProblem& problem) {
  const JointTree tree = joint_tree(character);
  std::vector<glm::dmat4> joint_from_bind;
  for (const glm::dmat4& bind_from_joint : problem.bind_from_joint) {
    joint_from_bind.push_back(glm::inverse(bind_from_joint));
  }
  std::vector<BenchmarkPose> poses;
  rig::Pose pose = rig::rest_pose(character);
  const std::vector<glm::dmat4> rest = bind::posed_world(character, pose);
  double scale = 0;
  for (const int j : tree.joint) {
    scale += std::cbrt(std::abs(glm::determinant(glm::dmat3(rest[j] * joint_from_bind[j])))) /
             static_cast<double>(tree.joint.size());
  }
  for (const auto& [c, share] : clip_samples(character.clips.size())) {
    const rig::Clip& clip = character.clips[c];
    pose = rig::rest_pose(character);
    rig::apply(clip, static_cast<float>(clip.start + share * clip.duration()), character.morph_offset, pose);
    poses.push_back(benchmark_pose(problem, tree, joint_from_bind, bind::posed_world(character, pose), scale));
  }
  add_random_poses(problem, tree, joint_from_bind, poses);
  return poses;
}

double percentile(std::vector<float>& values, double share) {
  if (values.empty()) {
    return 0;
  }
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(at);
  std::ranges::nth_element(values, below);
  if (below + 1 == values.end()) {
    return *below;
  }
  const float above = *std::min_element(below + 1, values.end());
  return *below + (at - std::floor(at)) * (above - *below);
}

namespace {

// Each edge once.
std::vector<std::array<std::uint32_t, 2>> edges_of(const bind::Problem& problem) {
  std::vector<std::array<std::uint32_t, 2>> edges;
  for (const auto& [a, b, c] : problem.triangles) {
    for (const auto& [p, q] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
      if (glm::distance(problem.positions[p], problem.positions[q]) > kShortEdge * problem.diagonal) {
        edges.push_back({std::min(p, q), std::max(p, q)});
      }
    }
  }
  std::ranges::sort(edges);
  edges.erase(std::ranges::unique(edges).begin(), edges.end());
  return edges;
}

glm::dvec3 posed_place(const glm::dvec3& position, std::span<const bind::Share> row, const BenchmarkPose& pose) {
  const glm::dvec4 p(position, 1.0);
  if (row.empty()) {
    return glm::dvec3(pose.root * p);
  }
  glm::dvec3 out(0.0);
  for (const bind::Share& share : row) {
    out += share.weight * glm::dvec3(pose.bones[share.bone] * p);
  }
  return out;
}

struct Strain {
  std::vector<std::array<std::uint32_t, 2>> edges;
  std::vector<float> largest;  // [edges] squared

  void stretch(const bind::Problem& problem, const std::vector<glm::dvec3>& shape) {
    parallel_for(edges.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end; ++e) {
        const auto [a, b] = edges[e];
        const double ratio =
            glm::distance(shape[a], shape[b]) / glm::distance(problem.positions[a], problem.positions[b]);
        largest[e] = std::max(largest[e], static_cast<float>(ratio));
      }
    });
  }
};

void score_weights(const bind::Rows& candidate, const bind::Rows& truth, const std::vector<std::uint32_t>& vertices,
                   BindingScore& score) {
  std::vector<float> l1;
  std::size_t same = 0;
  std::size_t found = 0;
  std::size_t claimed = 0;
  std::size_t wanted = 0;
  for (std::size_t w = 0; w < truth.size(); ++w) {
    if (vertices[w] == 0) {
      continue;
    }
    double sum = 0;
    for (const bind::Share& share : candidate[w]) {
      sum += std::abs(share.weight - truth.weight(w, share.bone));
      if (share.weight > kCountedWeight) {
        claimed += vertices[w];
        found += truth.weight(w, share.bone) > kCountedWeight ? vertices[w] : 0;
      }
    }
    for (const bind::Share& share : truth[w]) {
      sum += candidate.weight(w, share.bone) > 0 ? 0 : share.weight;
      wanted += share.weight > kCountedWeight ? vertices[w] : 0;
    }
    if (candidate[w].empty()) {
      score.unbound += vertices[w];
      sum += 1;
    } else if (candidate.strongest(w) == truth.strongest(w)) {
      same += vertices[w];
    }
    l1.insert(l1.end(), vertices[w], static_cast<float>(sum));
    score.l1_mean += sum * vertices[w];
  }
  const auto ratio = [](double a, std::size_t b) { return b > 0 ? a / static_cast<double>(b) : 0.0; };
  score.l1_mean = ratio(score.l1_mean, score.vertices);
  score.l1_p95 = percentile(l1, 0.95);
  score.agreement = ratio(static_cast<double>(same), score.vertices);
  score.precision = ratio(static_cast<double>(found), claimed);
  score.recall = ratio(static_cast<double>(found), wanted);
}

}  // namespace

std::optional<BindingScore> score_binding(const bind::CharacterProblem& character, const bind::Rows& candidate,
                                          const bind::Rows& truth, const std::vector<BenchmarkPose>& poses,
                                          const Progress& progress, int limit) {
  const bind::Problem& problem = character.problem;
  const std::size_t count = problem.place_count();
  std::vector<char> in_triangle(count, 0);
  for (const auto& corners : problem.triangles) {
    for (const std::uint32_t w : corners) {
      in_triangle[w] = 1;
    }
  }
  std::vector<std::uint32_t> vertices(count, 0);  // [W] that count
  for (const std::uint32_t w : character.place) {
    if (in_triangle[w] != 0 && !truth[w].empty()) {
      ++vertices[w];
    }
  }
  BindingScore score;
  score.poses = poses.size();
  for (const std::uint32_t n : vertices) {
    score.vertices += n;
  }
  const bind::Rows kept = bind::limited(candidate, limit);
  score_weights(kept, truth, vertices, score);
  Strain ours{edges_of(problem), {}};
  std::erase_if(ours.edges, [&](const auto& edge) { return vertices[edge[0]] == 0 || vertices[edge[1]] == 0; });
  ours.largest.assign(ours.edges.size(), 0);
  Strain theirs = ours;
  std::vector<float> distances;
  distances.reserve(poses.size() * score.vertices);
  std::vector<glm::dvec3> one(count);
  std::vector<glm::dvec3> other(count);
  double squares = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (!report(progress, static_cast<float>(i) / static_cast<float>(poses.size()), "poses")) {
      return std::nullopt;
    }
    parallel_for(count, 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t w = begin; w < end; ++w) {
        one[w] = posed_place(problem.positions[w], kept[w], poses[i]);
        other[w] = posed_place(problem.positions[w], truth[w], poses[i]);
      }
    });
    for (std::size_t w = 0; w < count; ++w) {
      if (vertices[w] > 0) {
        const double percent = 100 * glm::distance(one[w], other[w]) / problem.diagonal;
        squares += vertices[w] * percent * percent;
        score.worst = std::max(score.worst, percent);
        distances.insert(distances.end(), vertices[w], static_cast<float>(percent));
      }
    }
    ours.stretch(problem, one);
    theirs.stretch(problem, other);
  }
  score.rms = distances.empty() ? 0 : std::sqrt(squares / static_cast<double>(distances.size()));
  score.p95 = percentile(distances, 0.95);
  const double artist = percentile(theirs.largest, kStrainShare);
  score.strain_ratio = artist > 0 ? percentile(ours.largest, kStrainShare) / artist : 0;
  return score;
}

namespace {

// The volume that a surface encloses, its holes closed.
struct Enclosed {
  std::vector<std::uint32_t> indices;
  HoleFans fans;

  explicit Enclosed(const bind::Problem& problem) {
    for (const auto& corners : problem.triangles) {
      indices.insert(indices.end(), corners.begin(), corners.end());
    }
    std::vector<std::uint32_t> welded(problem.place_count());
    std::iota(welded.begin(), welded.end(), 0u);
    fans = close_holes(indices, welded);
  }
  [[nodiscard]] double volume(std::span<const glm::vec3> shape) const {
    return mesh::signed_volume(shape, indices) + fans.six_volumes(shape) / 6;
  }
  [[nodiscard]] bool has_flesh(std::span<const glm::vec3> shape) const {
    const double area = mesh::surface_area(shape, indices) + fans.area(shape);
    const double ball = area * std::sqrt(area / std::numbers::pi) / 6;
    return std::abs(volume(shape)) > kLeastFlesh * ball;
  }
};

// Beside the origin, where single precision is finest.
std::vector<glm::vec3> near_origin(const std::vector<glm::dvec3>& shape) {
  std::vector<glm::vec3> out;
  out.reserve(shape.size());
  for (const glm::dvec3& p : shape) {
    out.emplace_back(p - shape[0]);
  }
  return out;
}

void count_vertices(const bind::CharacterProblem& character, const bind::Rows& rows, BindingShape& shape) {
  std::vector<char> in_triangle(rows.size(), 0);
  for (const auto& corners : character.problem.triangles) {
    for (const std::uint32_t w : corners) {
      in_triangle[w] = 1;
    }
  }
  for (const std::uint32_t w : character.place) {
    shape.vertices += in_triangle[w] != 0 ? 1 : 0;
    shape.unbound += in_triangle[w] != 0 && rows[w].empty() ? 1 : 0;
  }
}

}  // namespace

std::optional<BindingShape> measure_binding(const bind::CharacterProblem& character, const bind::Rows& rows,
                                            const std::vector<BenchmarkPose>& poses, const Progress& progress) {
  const bind::Problem& problem = character.problem;
  BindingShape out{.poses = poses.size()};
  count_vertices(character, rows, out);
  Strain strain{edges_of(problem), {}};
  strain.largest.assign(strain.edges.size(), 0);
  const Enclosed enclosed(problem);
  const std::vector<glm::vec3> bound = near_origin(problem.positions);
  const bool has_volume = !problem.triangles.empty() && enclosed.has_flesh(bound);
  const double volume = has_volume ? enclosed.volume(bound) : 0;
  std::vector<glm::dvec3> posed(problem.place_count());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (!report(progress, static_cast<float>(i) / static_cast<float>(poses.size()), "poses")) {
      return std::nullopt;
    }
    parallel_for(posed.size(), 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t w = begin; w < end; ++w) {
        posed[w] = posed_place(problem.positions[w], rows[w], poses[i]);
      }
    });
    strain.stretch(problem, posed);
    if (has_volume) {
      const double ratio = enclosed.volume(near_origin(posed)) / volume;
      out.volume = !out.volume || std::abs(ratio - 1) > std::abs(*out.volume - 1) ? ratio : *out.volume;
    }
  }
  out.stretch = strain.largest.empty() || poses.empty() ? 1 : percentile(strain.largest, kStrainShare);
  return out;
}

}  // namespace pelt::measure
