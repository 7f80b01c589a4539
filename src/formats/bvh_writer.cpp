// "Biovision BVH" (see bvh.cpp) from a skeleton and a clip, ALGORITHMS.md §48.
#include "formats/bvh_writer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "math/angle.h"
#include "math/euler.h"
#include "rig/mirror.h"

namespace pelt::formats {
namespace {

constexpr double kEvenFrames = 1e-3;  // of a frame, by which keys may be off
constexpr double kDefaultBvhRate = 60;
constexpr std::size_t kMostBvhFrames = std::size_t{1} << 22;

/// Everything in the world.
struct BvhFrames {
  std::vector<glm::dmat3> orientation;
  std::vector<glm::dmat3> linear;
  std::vector<glm::dvec3> position;

  void place(const rig::Skeleton& skeleton, std::span<const Transform> local) {
    orientation.resize(local.size());
    linear.resize(local.size());
    position.resize(local.size());
    for (std::size_t j = 0; j < local.size(); ++j) {
      const int parent = skeleton.parent[j];
      const glm::dmat3 above = parent < 0 ? glm::dmat3(1.0) : linear[parent];
      glm::dmat3 own = glm::mat3_cast(normalized_or_identity(glm::dquat(local[j].rotation)));
      for (int c = 0; c < 3; ++c) {
        own[c] *= static_cast<double>(local[j].scale[c]);
      }
      position[j] = (parent < 0 ? glm::dvec3(0) : position[parent]) + above * glm::dvec3(local[j].translation);
      linear[j] = above * own;
      orientation[j] = (parent < 0 ? glm::dmat3(1.0) : orientation[parent]) *
                       rig::oriented(glm::dquat(local[j].rotation), local[j].scale);
    }
  }
};

class BvhWriter {
 public:
  BvhWriter(const rig::Character& character, const rig::Clip& clip, const BvhForm& form)
      : character_(character), skeleton_(character.skeleton), clip_(clip), form_(form) {}

  Result<std::string> write() {
    choose_joints();
    if (std::ranges::none_of(written_, [](char w) { return w != 0; })) {
      return error("a BVH file holds a skeleton, and \"{}\" has none", printable(character_.name, 80));
    }
    PELT_TRY(choose_frames());
    rest_.place(skeleton_, skeleton_.rest);
    out_ = "HIERARCHY\n";
    write_hierarchy();
    out_ += fmt::format("MOTION\nFrames: {}\nFrame Time: {:.9g}\n", times_.size(), frame_time_);
    write_motion();
    return std::move(out_);
  }

 private:
  // All joints and what is above them; of a skeleton without skins all nodes.
  void choose_joints() {
    const bool has_joints = std::ranges::any_of(skeleton_.is_joint, [](char is) { return is != 0; });
    written_.assign(static_cast<std::size_t>(skeleton_.size()), has_joints ? 0 : 1);
    moves_.assign(written_.size(), 0);
    for (int j = skeleton_.size(); j-- > 0 && has_joints;) {
      written_[j] = written_[j] != 0 || skeleton_.is_joint[j] != 0 ? 1 : 0;
      if (written_[j] != 0 && skeleton_.parent[j] >= 0) {
        written_[skeleton_.parent[j]] = 1;
      }
    }
    for (int j = 0; j < skeleton_.size(); ++j) {
      moves_[j] = skeleton_.parent[j] < 0 ? 1 : 0;
    }
    for (const rig::Channel& channel : clip_.channels) {
      moves_[channel.joint] |= channel.path == rig::ChannelPath::kTranslation ? 1 : 0;
    }
  }

  Status choose_frames() {
    std::vector<float> keys;
    for (const rig::Channel& channel : clip_.channels) {
      keys = channel.times.size() > keys.size() ? channel.times : keys;
    }
    const double duration = static_cast<double>(clip_.end) - static_cast<double>(clip_.start);
    double rate = form_.rate.value_or(kDefaultBvhRate);
    if (!form_.rate && keys.size() > 1 && duration > 0) {
      const double even = duration / static_cast<double>(keys.size() - 1);
      bool is_even = true;
      for (std::size_t f = 0; f < keys.size(); ++f) {
        const double wanted = static_cast<double>(clip_.start) + even * static_cast<double>(f);
        is_even = is_even && std::abs(static_cast<double>(keys[f]) - wanted) < kEvenFrames * even;
      }
      rate = is_even ? 1 / even : rate;
      if (is_even) {
        times_ = keys;
      }
    }
    frame_time_ = 1 / rate;
    if (times_.empty()) {
      const double frames = std::floor(duration * rate + kEvenFrames) + 1;
      if (!(frames < static_cast<double>(kMostBvhFrames))) {
        return error("a BVH file of {:.3g} frames is too long; expected at most {}", frames, kMostBvhFrames);
      }
      for (int f = 0; f < static_cast<int>(frames); ++f) {
        times_.push_back(static_cast<float>(static_cast<double>(clip_.start) + f / rate));
      }
    }
    return {};
  }

  [[nodiscard]] std::string bvh_name(int j) const {
    std::string name = single_line(skeleton_.label(j), 200);
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isspace(c) != 0; }, '_');
    return name;
  }
  [[nodiscard]] std::vector<int> below(int j) const {
    std::vector<int> out;
    for (const int child : skeleton_.children(j)) {
      if (written_[child] != 0) {
        out.push_back(child);
      }
    }
    return out;
  }
  [[nodiscard]] bool is_end_site(int j) const {
    const int parent = skeleton_.parent[j];
    return parent >= 0 && below(j).empty() && skeleton_.name[j] == skeleton_.name[parent] + "_end";
  }

  void write_offset(int j, std::string_view indent) {
    const int parent = skeleton_.parent[j];
    const glm::dvec3 offset =
        (rest_.position[j] - (parent < 0 ? glm::dvec3(0) : rest_.position[parent])) / form_.metres_per_unit;
    out_ += fmt::format("{}OFFSET {:.6f} {:.6f} {:.6f}\n", indent, offset.x, offset.y, offset.z);
  }

  // Depth first without recursion: chains of hostile files are long.
  void write_hierarchy() {
    struct Open {
      int joint;
      std::size_t done;
    };
    for (int root = 0; root < skeleton_.size(); ++root) {
      if (skeleton_.parent[root] >= 0 || written_[root] == 0) {
        continue;
      }
      std::vector<Open> open;
      const auto begin = [&](int j) {
        const std::string indent(open.size(), '\t');
        const std::string inner = indent + '\t';
        out_ += is_end_site(j)            ? indent + "End Site\n"
                : skeleton_.parent[j] < 0 ? fmt::format("ROOT {}\n", bvh_name(j))
                                          : fmt::format("{}JOINT {}\n", indent, bvh_name(j));
        out_ += indent + "{\n";
        write_offset(j, inner);
        if (!is_end_site(j)) {
          order_.push_back(j);
          out_ += fmt::format("{}CHANNELS {} {}Zrotation Xrotation Yrotation\n", inner, moves_[j] != 0 ? 6 : 3,
                              moves_[j] != 0 ? "Xposition Yposition Zposition " : "");
          if (below(j).empty()) {
            out_ += fmt::format("{0}End Site\n{0}{{\n{0}\tOFFSET 0 0 0\n{0}}}\n", inner);
          }
        }
        open.push_back({j, 0});
      };
      begin(root);
      while (!open.empty()) {
        const std::vector<int> children = below(open.back().joint);
        if (open.back().done < children.size()) {
          begin(children[open.back().done++]);
        } else {
          open.pop_back();
          out_ += std::string(open.size(), '\t') + "}\n";
        }
      }
    }
  }

  void write_motion() {
    rig::Pose pose = rig::rest_pose(character_);
    BvhFrames frames;
    std::vector<glm::dmat3> turned(written_.size());  // since rest, in the world
    for (const float time : times_) {
      rig::apply(clip_, time, character_.morph_offset, pose);
      frames.place(skeleton_, pose.local);
      for (std::size_t j = 0; j < turned.size(); ++j) {
        turned[j] = frames.orientation[j] * glm::transpose(rest_.orientation[j]);
      }
      const char* before = "";
      for (const int j : order_) {
        const int parent = skeleton_.parent[j];
        const glm::dmat3 above = parent < 0 ? glm::dmat3(1.0) : glm::transpose(turned[parent]);
        if (moves_[j] != 0) {
          const glm::dvec3 origin = parent < 0 ? glm::dvec3(0) : frames.position[parent];
          const glm::dvec3 at = above * (frames.position[j] - origin) / form_.metres_per_unit;
          out_ += fmt::format("{}{:.6f} {:.6f} {:.6f}", before, at.x, at.y, at.z);
          before = " ";
        }
        // R = Rz Rx Ry: y is applied first.
        const glm::dquat rotation = normalized_or_identity(glm::quat_cast(above * turned[j]));
        const glm::dvec3 angles = euler_from_quat(rotation, EulerOrder::kYXZ) / kDegree;
        out_ += fmt::format("{}{:.6f} {:.6f} {:.6f}", before, angles.z, angles.x, angles.y);
        before = " ";
      }
      out_ += "\n";
    }
  }

  const rig::Character& character_;
  const rig::Skeleton& skeleton_;
  const rig::Clip& clip_;
  const BvhForm& form_;
  std::vector<char> written_;  // [J]
  std::vector<char> moves_;    // [J] has position channels
  std::vector<int> order_;     // joints with channels as they are listed
  std::vector<float> times_;
  double frame_time_ = kDefaultBvhRate;
  BvhFrames rest_;
  std::string out_;
};

}  // namespace

Result<std::string> bvh_text(const rig::Character& character, int clip, const BvhForm& form) {
  if (!has_index(character.clips, clip)) {
    return error("there is no clip {}, there are {}", clip, character.clips.size());
  }
  return BvhWriter(character, character.clips[clip], form).write();
}

}  // namespace pelt::formats
