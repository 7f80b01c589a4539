// Where a body has its parts, by shortest ways through its volume. That the ends of limbs are what is farthest by such
// ways, and that what is equally far from an end hangs together along a limb, is the idea of level sets of geodesic
// distance: F. Lazarus, A. Verroust, "Level Set Diagrams of Polyhedral Objects", SMA 1999.
#include "bind/body_landmarks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

namespace pelt::bind {
namespace {

// Ways from centre to centre in thousandths of an edge: whole numbers add up alike in any order.
constexpr std::array<std::int32_t, 4> kWay = {0, 1000, 1414, 1732};  // by how many coordinates change
constexpr std::int32_t kFar = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kBand = 1500;

// All lengths are shares of the height, unless they say something else.
constexpr double kFeet = 0.06;
constexpr double kLowestCrotch = 0.12;
constexpr double kHighestCrotch = 0.6;
constexpr double kUsualCrotch = 0.46;
constexpr double kJoined = 0.5;  // of the thickness: legs are one where their middle is so thick
constexpr double kHipAbove = 0.05;
constexpr double kHipInwards = 0.1;  // of the way to the middle
constexpr double kNeckShare = 0.45;  // of the way from the shoulders to the top of the head
constexpr double kAnkle = 0.045;
constexpr double kTrunk = 0.12;  // from the middle
constexpr double kBesideHead = 0.1;
constexpr double kShortestArm = 0.2;
constexpr double kLongestArm = 0.55;
constexpr double kUsualArm = 0.42;
constexpr double kHandLength = 0.12;   // from the tip: fingers say nothing of how thick an arm is
constexpr double kThickestArm = 0.35;  // radius, of its length: more is a belly
constexpr double kGrowth = 2.5;        // where an arm ends

class BodyVolume {
 public:
  explicit BodyVolume(const RestVolume& volume) : voxels_(volume.voxels) {
    for (std::size_t i = 0; i < voxels_.cell.size(); ++i) {
      if (voxels_.cell[i] != Voxel::kOutside) {
        solid_.push_back(static_cast<std::uint32_t>(i));
      }
    }
  }

  [[nodiscard]] const VoxelGrid& grid() const { return voxels_.grid; }
  [[nodiscard]] bool is_solid(std::size_t i) const { return voxels_.cell[i] != Voxel::kOutside; }
  [[nodiscard]] glm::dvec3 center(std::size_t i) const { return grid().center(grid().cell(i)); }
  [[nodiscard]] const std::vector<std::uint32_t>& solid() const { return solid_; }

  // The mean of the cubes between two heights of which something is true; nothing where there are none.
  template <typename Wanted>
  std::optional<glm::dvec3> mean(double lower, double upper, const Wanted& wanted) const {
    glm::dvec3 sum(0.0);
    double count = 0;
    for (const std::uint32_t i : solid_) {
      const glm::dvec3 at = center(i);
      if (at.y >= lower && at.y <= upper && wanted(i, at)) {
        sum += at;
        ++count;
      }
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
  }

  // The solid cube nearest to a point; among equals the one that `before` names.
  template <typename Before>
  std::uint32_t nearest(const glm::dvec3& p, const Before& before) const {
    std::uint32_t best = solid_.front();
    for (const std::uint32_t i : solid_) {
      const double a = glm::distance(center(i), p);
      const double b = glm::distance(center(best), p);
      if (a < b - 1e-9 * grid().edge || (a <= b + 1e-9 * grid().edge && before(center(i), center(best)))) {
        best = i;
      }
    }
    return best;
  }

  // [cubes] of the grid: ways through the volume from a cube, kFar where there is none.
  [[nodiscard]] std::vector<std::int32_t> ways_from(std::uint32_t start) const {
    std::vector<std::int32_t> way(voxels_.cell.size(), kFar);
    using Entry = std::pair<std::int32_t, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;
    way[start] = 0;
    waiting.emplace(0, start);
    while (!waiting.empty()) {
      const auto [so_far, i] = waiting.top();
      waiting.pop();
      if (so_far > way[i]) {
        continue;
      }
      for_each_neighbour(i, [&](std::size_t n, int changed) {
        const std::int32_t to = so_far + kWay[static_cast<std::size_t>(changed)];
        if (is_solid(n) && to < way[n]) {
          way[n] = to;
          waiting.emplace(to, static_cast<std::uint32_t>(n));
        }
      });
    }
    return way;
  }

  // f(cube, how many coordinates change)
  template <typename F>
  void for_each_neighbour(std::size_t i, const F& f) const {
    const glm::ivec3 at = grid().cell(i);
    for (int z = -1; z <= 1; ++z) {
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
          const int changed = (x != 0) + (y != 0) + (z != 0);
          const glm::ivec3 to = at + glm::ivec3(x, y, z);
          if (changed > 0 && grid().contains(to)) {
            f(grid().index(to), changed);
          }
        }
      }
    }
  }

  // Metres.
  [[nodiscard]] double metres(std::int32_t way) const { return static_cast<double>(way) / kWay[1] * grid().edge; }

 private:
  const Voxels& voxels_;
  std::vector<std::uint32_t> solid_;
};

// Cubes by how far they are from an end: how many, and where their mean is.
struct Bands {
  std::vector<double> count;
  std::vector<glm::dvec3> mean;
};

Bands bands_of(const BodyVolume& volume, const std::vector<std::int32_t>& way) {
  Bands bands;
  for (const std::uint32_t i : volume.solid()) {
    if (way[i] == kFar) {
      continue;
    }
    const auto k = static_cast<std::size_t>(way[i] / kBand);
    if (k >= bands.count.size()) {
      bands.count.resize(k + 1, 0);
      bands.mean.resize(k + 1, glm::dvec3(0.0));
    }
    ++bands.count[k];
    bands.mean[k] += volume.center(i);
  }
  for (std::size_t k = 0; k < bands.count.size(); ++k) {
    bands.mean[k] /= std::max(bands.count[k], 1.0);
  }
  return bands;
}

double middle_value(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n == 0 ? 0 : 0.5 * (values[n / 2] + values[(n - 1) / 2]);
}

class Body {
 public:
  explicit Body(const RestVolume& volume) : volume_(volume) {
    double top = -std::numeric_limits<double>::max();
    out_.floor = std::numeric_limits<double>::max();
    for (const glm::dvec3& p : volume.surface.positions) {
      out_.floor = std::min(out_.floor, p.y);
      top = std::max(top, p.y);
    }
    out_.height = top - out_.floor;
  }

  BodyLandmarks find() {
    if (volume_.solid().empty() || !(out_.height > 0)) {
      return out_;
    }
    find_middle();
    find_crotch();
    find_legs();
    for (const int which : {0, 1}) {
      find_arm(which);
    }
    find_neck();
    return out_;
  }

 private:
  [[nodiscard]] double y_at(double share) const { return out_.floor + share * out_.height; }
  [[nodiscard]] bool is_in_trunk(const glm::dvec3& at) const {
    return std::abs(at.x - out_.middle.x) < kTrunk * out_.height;
  }

  // The median over layers: what is held in one hand counts as little as its layers are many.
  void find_middle() {
    const VoxelGrid& grid = volume_.grid();
    std::vector<glm::dvec3> sum(static_cast<std::size_t>(grid.size.y), glm::dvec3(0.0));
    std::vector<double> count(sum.size(), 0);
    for (const std::uint32_t i : volume_.solid()) {
      const auto layer = static_cast<std::size_t>(grid.cell(i).y);
      sum[layer] += volume_.center(i);
      ++count[layer];
    }
    std::vector<double> x;
    std::vector<double> z;
    for (std::size_t k = 0; k < sum.size(); ++k) {
      const double y = grid.center({0, static_cast<int>(k), 0}).y;
      if (count[k] > 0 && y > y_at(0.3) && y < y_at(0.95)) {
        x.push_back(sum[k].x / count[k]);
      }
      if (count[k] > 0 && y > y_at(0.5) && y < y_at(0.75)) {
        z.push_back(sum[k].z / count[k]);
      }
    }
    out_.middle = {middle_value(std::move(x)), middle_value(std::move(z))};
    const auto all = [](std::uint32_t, const glm::dvec3&) { return true; };
    const auto feet = volume_.mean(y_at(0), y_at(0.05), all);
    const auto shins = volume_.mean(y_at(0.1), y_at(0.18), all);
    out_.front = feet && shins && feet->z < shins->z - 0.005 * out_.height ? -1 : 1;
  }

  // From below, the first layer whose middle is thick.
  void find_crotch() {
    const VoxelGrid& grid = volume_.grid();
    out_.crotch = y_at(kUsualCrotch);
    const int middle = grid.cell_at({out_.middle.x, 0, 0}).x;
    bool was_air = false;
    for (int y = 0; y < grid.size.y; ++y) {
      const double at = grid.center({0, y, 0}).y;
      if (at < y_at(kLowestCrotch) || at > y_at(kHighestCrotch)) {
        continue;
      }
      int thickest = 0;
      int between = 0;
      for (int x = 0; x < grid.size.x; ++x) {
        int count = 0;
        for (int z = 0; z < grid.size.z; ++z) {
          count += volume_.is_solid(grid.index({x, y, z})) ? 1 : 0;
        }
        thickest = std::max(thickest, count);
        between = x == middle ? count : between;
      }
      if (thickest > 0 && between >= kJoined * thickest) {
        if (was_air) {
          out_.crotch = at - 0.5 * grid.edge;
          out_.has_legs = true;
        }
        return;
      }
      was_air = true;
    }
  }

  // What stands on the floor below the crotch; hands that hang there do not.
  [[nodiscard]] std::vector<char> legs() const {
    std::vector<char> leg(volume_.grid().count(), 0);
    std::vector<std::uint32_t> waiting;
    for (const std::uint32_t i : volume_.solid()) {
      if (volume_.center(i).y < y_at(kFeet)) {
        leg[i] = 1;
        waiting.push_back(i);
      }
    }
    while (!waiting.empty()) {
      const std::uint32_t i = waiting.back();
      waiting.pop_back();
      volume_.for_each_neighbour(i, [&](std::size_t n, int) {
        if (volume_.is_solid(n) && leg[n] == 0 && volume_.center(n).y < out_.crotch) {
          leg[n] = 1;
          waiting.push_back(static_cast<std::uint32_t>(n));
        }
      });
    }
    return leg;
  }

  void find_legs() {
    leg_ = legs();
    for (const int which : {0, 1}) {
      const double side = out_.side(which);
      const auto is_mine = [&](std::uint32_t i, const glm::dvec3& at) {
        return leg_[i] != 0 && side * (at.x - out_.middle.x) > 0;
      };
      const double height = out_.height;
      const glm::dvec3 usual(out_.middle.x + 0.06 * side * height, out_.floor, out_.middle.y);
      glm::dvec3 hip = volume_.mean(out_.crotch - 0.06 * height, out_.crotch, is_mine).value_or(usual);
      hip.x = glm::mix(hip.x, out_.middle.x, kHipInwards);  // thighs lean in where they meet the pelvis
      hip.y = out_.crotch + kHipAbove * height;
      glm::dvec3 ankle = volume_.mean(y_at(0.07), y_at(0.1), is_mine).value_or(usual);
      ankle.y = y_at(kAnkle);
      double tip = ankle.z;
      for (const std::uint32_t i : volume_.solid()) {
        const glm::dvec3 at = volume_.center(i);
        if (at.y < y_at(kFeet) && is_mine(i, at) && out_.front * (at.z - tip) > 0) {
          tip = at.z;
        }
      }
      const double ball = ankle.z + 0.62 * (tip - ankle.z);
      const auto is_ball = [&](std::uint32_t i, const glm::dvec3& at) {
        return is_mine(i, at) && std::abs(at.z - ball) <= std::max(0.015 * height, volume_.grid().edge);
      };
      glm::dvec3 toe = volume_.mean(y_at(0) - volume_.grid().edge, y_at(kAnkle), is_ball).value_or(ankle);
      toe.z = ball;
      const auto at = static_cast<std::size_t>(which);
      out_.hips[at] = hip;
      out_.ankles[at] = ankle;
      out_.toes[at] = toe;
    }
  }

  void find_arm(int which) {
    const double side = out_.side(which);
    // Equals are told apart alike on both sides.
    const auto before = [&](const glm::dvec3& a, const glm::dvec3& b) {
      return std::tuple(side * a.x, a.y, out_.front * a.z) > std::tuple(side * b.x, b.y, out_.front * b.z);
    };
    const double chest = out_.crotch + 0.45 * (out_.floor + out_.height - out_.crotch);
    const std::uint32_t trunk = volume_.nearest({out_.middle.x, chest, out_.middle.y}, before);
    const std::vector<std::int32_t> from_trunk = volume_.ways_from(trunk);
    std::optional<std::uint32_t> tip;
    for (const std::uint32_t i : volume_.solid()) {
      const glm::dvec3 at = volume_.center(i);
      if (from_trunk[i] == kFar || leg_[i] != 0 || side * (at.x - out_.middle.x) < kBesideHead * out_.height) {
        continue;
      }
      if (!tip || from_trunk[i] > from_trunk[*tip] ||
          (from_trunk[i] == from_trunk[*tip] && before(at, volume_.center(*tip)))) {
        tip = i;
      }
    }
    if (!tip || volume_.metres(from_trunk[*tip]) < 0.25 * out_.height) {
      return;
    }
    take_arm(*tip, which);
  }

  void take_arm(std::uint32_t tip, int which) {
    const std::vector<std::int32_t> way = volume_.ways_from(tip);
    const Bands bands = bands_of(volume_, way);
    const auto metres = [&](std::size_t k) { return volume_.metres(static_cast<std::int32_t>(k) * kBand + kBand / 2); };
    MiddleLine line;
    line.points.push_back(volume_.center(tip));
    line.distance.push_back(0);
    line.section.push_back(0);
    std::vector<double> counts;  // of the arm so far
    bool has_ended = false;
    for (std::size_t k = 0; k < bands.count.size() && metres(k) < kLongestArm * out_.height; ++k) {
      if (metres(k) > kHandLength * out_.height) {
        if (metres(k) > kShortestArm * out_.height && bands.count[k] > kGrowth * middle_value(counts)) {
          has_ended = true;
          break;
        }
        counts.push_back(bands.count[k]);
      }
      line.points.push_back(bands.mean[k]);
      line.distance.push_back(metres(k));
      line.section.push_back(bands.count[k] * volume_.grid().edge * volume_.grid().edge * kWay[1] / kBand);
    }
    while (!has_ended && line.points.size() > 2 && line.length() > kUsualArm * out_.height) {
      line.points.pop_back();
      line.distance.pop_back();
      line.section.pop_back();
    }
    const double radius = std::sqrt(middle_value(line.section) / std::numbers::pi);
    if (line.length() > kShortestArm * out_.height && radius < kThickestArm * line.length()) {
      out_.arms[static_cast<std::size_t>(which)] = std::move(line);
    }
  }

  void find_neck() {
    const VoxelGrid& grid = volume_.grid();
    double shoulders = y_at(0.75);
    for (const MiddleLine& arm : out_.arms) {
      if (!arm.points.empty()) {
        shoulders = std::clamp(arm.points.back().y, out_.crotch + 0.2 * out_.height, y_at(0.88));
      }
    }
    out_.neck = shoulders + 0.07 * out_.height;
    std::vector<double> count(static_cast<std::size_t>(grid.size.y), 0);
    for (const std::uint32_t i : volume_.solid()) {
      const glm::dvec3 at = volume_.center(i);
      count[static_cast<std::size_t>(grid.cell(i).y)] += is_in_trunk(at) ? 1 : 0;
    }
    const double way = y_at(1) - shoulders;
    double least = std::numeric_limits<double>::max();
    for (std::size_t y = 0; y < count.size(); ++y) {
      const double at = grid.center({0, static_cast<int>(y), 0}).y;
      const double doubt = ((at - shoulders) / way - kNeckShare) / 0.5;
      const double thickness = count[y] * (1 + doubt * doubt);
      if (count[y] > 0 && at > shoulders + 0.01 * out_.height && at < y_at(0.9) && thickness < least) {
        least = thickness;
        out_.neck = at;
      }
    }
  }

  BodyVolume volume_;
  std::vector<char> leg_;  // [cubes]
  BodyLandmarks out_;
};

}  // namespace

glm::dvec3 MiddleLine::at(double from_end) const {
  std::size_t k = 1;
  while (k + 1 < points.size() && distance[k] < from_end) {
    ++k;
  }
  if (points.size() < 2) {
    return points.front();
  }
  const double gap = distance[k] - distance[k - 1];
  const double t = gap > 0 ? std::clamp((from_end - distance[k - 1]) / gap, 0.0, 1.0) : 0;
  return glm::mix(points[k - 1], points[k], t);
}

BodyLandmarks body_landmarks(const RestVolume& volume) {
  return Body(volume).find();
}

MiddleLine longest_line(const RestVolume& rest) {
  const BodyVolume volume(rest);
  MiddleLine line;
  if (volume.solid().empty()) {
    return line;
  }
  const auto before = [](const glm::dvec3& a, const glm::dvec3& b) {
    return std::tuple(a.y, a.z, a.x) < std::tuple(b.y, b.z, b.x);
  };
  const auto farthest = [&](const std::vector<std::int32_t>& way) {
    std::optional<std::uint32_t> best;
    for (const std::uint32_t i : volume.solid()) {
      if (way[i] != kFar &&
          (!best || way[i] > way[*best] || (way[i] == way[*best] && before(volume.center(i), volume.center(*best))))) {
        best = i;
      }
    }
    return *best;
  };
  const std::uint32_t seed =
      volume.nearest(*volume.mean(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max(),
                                  [](std::uint32_t, const glm::dvec3&) { return true; }),
                     before);
  const std::uint32_t one = farthest(volume.ways_from(seed));
  const std::uint32_t other = farthest(volume.ways_from(one));
  const glm::dvec3 a = volume.center(one);
  const glm::dvec3 b = volume.center(other);
  const double same = 0.05 * rest.surface.diagonal;  // so little decides nothing
  const bool one_first = std::abs(a.y - b.y) > same ? a.y < b.y : std::abs(a.z - b.z) > same ? a.z < b.z : a.x < b.x;
  const Bands bands = bands_of(volume, volume.ways_from(one_first ? one : other));
  const auto add = [&](const glm::dvec3& point, double count) {
    line.points.push_back(point);
    line.section.push_back(count * volume.grid().edge * volume.grid().edge * kWay[1] / kBand);
  };
  add(one_first ? a : b, 0);
  for (std::size_t k = 0; k < bands.count.size(); ++k) {
    if (bands.count[k] > 0) {
      add(bands.mean[k], bands.count[k]);
    }
  }
  add(one_first ? b : a, 0);
  double length = 0;
  line.distance.push_back(0);
  for (std::size_t k = 1; k < line.points.size(); ++k) {
    length += glm::distance(line.points[k], line.points[k - 1]);
    line.distance.push_back(length);
  }
  return line;
}

}  // namespace pelt::bind
