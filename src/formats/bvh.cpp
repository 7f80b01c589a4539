// "Biovision BVH", the format's description by Biovision as kept by the University of Wisconsin (J. Thingvold, 1999);
// ALGORITHMS.md §48.

#include "formats/bvh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "formats/text_reader.h"
#include "formats/unrigged.h"
#include "math/angle.h"
#include "math/euler.h"
#include "rig/dofs.h"

namespace pelt::formats {
namespace {

constexpr int kMostBvhChannels = 6;                           // of one joint
constexpr std::size_t kMostBvhJoints = std::size_t{1} << 16;  // a joint takes a few letters and a kilobyte of memory
constexpr double kDefaultFrameTime = 1.0 / 30.0;
constexpr std::size_t kFramesBetweenReports = 256;

struct BvhChannel {
  bool is_rotation = false;
  int axis = 0;
};

struct BvhJoint {
  int parent = -1;
  std::string name;
  glm::vec3 offset = glm::vec3(0.0f);
  std::vector<BvhChannel> channels;
  std::size_t first_value = 0;  // of its channels in a frame
};

// What files are written in. A unit of the CMU library's skeletons is 1 / 0.45 inch.
struct BvhUnit {
  double metres;
  const char* name;
};
constexpr std::array kBvhUnits = {BvhUnit{1.0, "metres"}, BvhUnit{0.0254 / 0.45, "units of 1/0.45 inch"},
                                  BvhUnit{0.0254, "inches"}, BvhUnit{0.01, "centimetres"},
                                  BvhUnit{0.001, "millimetres"}};
constexpr double kPersonMetres = 1.7;

class BvhImporter {
 public:
  BvhImporter(std::string_view text, const std::filesystem::path& path, std::optional<double> metres_per_unit,
              const Progress& progress)
      : text_(text), reader_(text), path_(path), metres_per_unit_(metres_per_unit), progress_(progress) {}

  Result<rig::Character> run();

 private:
  Status read_hierarchy();
  Status read_joint(int parent, bool is_end_site);
  Status read_offset(BvhJoint& joint);
  Status read_channels(BvhJoint& joint);
  Status read_motion();
  Status expect(std::string_view wanted);
  double guess_scale();
  rig::Character make_character();
  rig::Clip make_clip(const rig::Skeleton& skeleton) const;
  void set_slider_orders(rig::Character& character) const;
  [[nodiscard]] Error wrong(std::string_view message) const { return error("line {}: {}", reader_.line(), message); }

  std::string_view text_;
  TextReader reader_;
  std::filesystem::path path_;
  std::optional<double> metres_per_unit_;
  const Progress& progress_;
  std::vector<BvhJoint> joints_;
  std::size_t values_per_frame_ = 0;
  std::size_t frames_ = 0;
  double frame_time_ = 0;
  double scale_ = 1;
  std::vector<float> values_;  // [frames][values_per_frame]
  Diagnostics diagnostics_;
};

Status BvhImporter::expect(std::string_view wanted) {
  const std::string_view word = reader_.word();
  if (word != wanted) {
    return wrong(fmt::format("expected {}, got \"{}\"", wanted, printable(word, 40)));
  }
  return {};
}

Status BvhImporter::read_offset(BvhJoint& joint) {
  for (int i = 0; i < 3; ++i) {
    const std::string_view word = reader_.word();
    const std::optional<float> value = float_of(word);
    if (!value) {
      return wrong(fmt::format("OFFSET of \"{}\": expected 3 numbers, got \"{}\" as number {}", joint.name,
                               printable(word, 40), i + 1));
    }
    joint.offset[i] = *value;
  }
  return {};
}

Status BvhImporter::read_channels(BvhJoint& joint) {
  const std::string_view count_word = reader_.word();
  const std::optional<std::int64_t> count = whole_number_of(count_word);
  if (!count || *count < 0 || *count > kMostBvhChannels) {
    return wrong(fmt::format("CHANNELS of \"{}\": expected 0 to {}, got \"{}\"", joint.name, kMostBvhChannels,
                             printable(count_word, 40)));
  }
  if (!joint.channels.empty()) {
    return wrong(fmt::format("\"{}\" has its CHANNELS twice", joint.name));
  }
  joint.first_value = values_per_frame_;
  for (std::int64_t i = 0; i < *count; ++i) {
    const std::string_view word = reader_.word();
    const std::string_view kind = word.substr(std::min<std::size_t>(1, word.size()));
    const int axis = word.empty() ? -1 : (word[0] | 0x20) - 'x';
    const bool is_rotation = kind == "rotation" || kind == "Rotation";
    if (axis < 0 || axis > 2 || (!is_rotation && kind != "position" && kind != "Position")) {
      return wrong(fmt::format("channel {} of \"{}\": expected Xposition to Zrotation, got \"{}\"", i + 1, joint.name,
                               printable(word, 40)));
    }
    joint.channels.push_back({is_rotation, axis});
  }
  values_per_frame_ += joint.channels.size();
  return {};
}

// From its name to its opening brace.
Status BvhImporter::read_joint(int parent, bool is_end_site) {
  if (joints_.size() == kMostBvhJoints) {
    return wrong(fmt::format("more than {} joints", kMostBvhJoints));
  }
  BvhJoint joint;
  joint.parent = parent;
  // Names may hold blanks: they end with the line, or with a brace on it.
  std::string_view name = reader_.rest_of_line();
  const bool brace = name.ends_with('{');
  name.remove_suffix(brace ? 1 : 0);
  while (!name.empty() && is_blank(name.back())) {
    name.remove_suffix(1);
  }
  joint.name = is_end_site ? joints_[parent].name + "_end" : single_line(name, 200);
  if (!brace) {
    if (Status found = expect("{"); !found) {
      return found;
    }
  }
  joints_.push_back(std::move(joint));
  return {};
}

// Nested braces without recursion: a hostile file may nest as deep as it is long.
Status BvhImporter::read_hierarchy() {
  if (Status found = expect("HIERARCHY"); !found) {
    return found;
  }
  std::vector<int> open;
  bool in_end_site = false;
  for (;;) {
    if (joints_.size() % kFramesBetweenReports == 0 && !report(progress_, 0.0f, "reading")) {
      return error("cancelled");
    }
    const std::string_view word = reader_.word();
    if (word == "}" && !open.empty()) {
      open.pop_back();
      in_end_site = false;
    } else if (word == "OFFSET" && !open.empty()) {
      if (Status read = read_offset(joints_[open.back()]); !read) {
        return read;
      }
    } else if (word == "CHANNELS" && !open.empty() && !in_end_site) {
      if (Status read = read_channels(joints_[open.back()]); !read) {
        return read;
      }
    } else if ((word == "ROOT" && open.empty()) || (word == "JOINT" && !open.empty() && !in_end_site) ||
               (word == "End" && !open.empty() && !in_end_site)) {
      in_end_site = word == "End";
      if (Status read = read_joint(open.empty() ? -1 : open.back(), in_end_site); !read) {
        return read;
      }
      open.push_back(static_cast<int>(joints_.size()) - 1);
    } else if (word == "MOTION" && open.empty()) {
      break;
    } else {
      return wrong(fmt::format("expected {}, got \"{}\"",
                               open.empty()  ? "ROOT or MOTION"
                               : in_end_site ? "OFFSET or }"
                                             : "OFFSET, CHANNELS, JOINT, End Site or }",
                               printable(word, 40)));
    }
  }
  if (joints_.empty()) {
    return wrong("expected at least one ROOT, got none");
  }
  return {};
}

Status BvhImporter::read_motion() {
  if (Status found = expect("Frames:"); !found) {
    return found;
  }
  const std::string_view count_word = reader_.word();
  const std::optional<std::int64_t> count = whole_number_of(count_word);
  if (!count || *count < 0) {
    return wrong(fmt::format("expected the number of frames, got \"{}\"", printable(count_word, 40)));
  }
  for (const std::string_view wanted : {"Frame", "Time:"}) {
    if (Status found = expect(wanted); !found) {
      return found;
    }
  }
  const std::string_view time_word = reader_.word();
  const std::optional<float> time = float_of(time_word);
  if (!time) {
    return wrong(fmt::format("expected the frame time in seconds, got \"{}\"", printable(time_word, 40)));
  }
  frame_time_ = static_cast<double>(*time);
  if (!(frame_time_ >= 1e-6 && frame_time_ <= 1e3)) {
    note(diagnostics_, Severity::kWarning, "frame-time", fmt::format("line {}", reader_.line()),
         fmt::format("a frame of {} s cannot be; 1/30 s is used", frame_time_));
    frame_time_ = kDefaultFrameTime;
  }
  // Each number takes a digit and what stands before it.
  const std::size_t most = reader_.bytes_left() / 2;
  frames_ = static_cast<std::size_t>(*count);
  if (values_per_frame_ == 0 || frames_ > most / values_per_frame_) {
    if (values_per_frame_ > 0) {
      return wrong(fmt::format("expected {} frames of {} numbers, got {} bytes for all of them", frames_,
                               values_per_frame_, reader_.bytes_left()));
    }
    frames_ = 0;
  }
  values_.reserve(frames_ * values_per_frame_);
  for (std::size_t f = 0; f < frames_; ++f) {
    if (f % kFramesBetweenReports == 0 &&
        !report(progress_, 0.9f * static_cast<float>(f) / static_cast<float>(frames_), "reading the motion")) {
      return error("cancelled");
    }
    for (std::size_t i = 0; i < values_per_frame_; ++i) {
      const std::string_view word = reader_.word();
      const std::optional<float> value = float_of(word);
      if (!value) {
        return wrong(fmt::format("frame {}: expected {} numbers, got \"{}\" as number {}", f, values_per_frame_,
                                 printable(word, 40), i + 1));
      }
      values_.push_back(*value);
    }
  }
  if (const std::string_view more = reader_.word(); !more.empty()) {
    note(diagnostics_, Severity::kWarning, "frames", fmt::format("line {}", reader_.line()),
         fmt::format("there are numbers after the {} frames that were announced; left out", frames_));
  }
  return {};
}

double BvhImporter::guess_scale() {
  std::vector<glm::dvec3> at(joints_.size());
  glm::dvec3 lower(std::numeric_limits<double>::infinity());
  glm::dvec3 upper(-lower);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    // A root's OFFSET, where there is one at all, says where it stands and not how large it is.
    const int parent = joints_[j].parent;
    at[j] = parent < 0 ? glm::dvec3(0.0) : at[parent] + glm::dvec3(joints_[j].offset);
    lower = glm::min(lower, at[j]);
    upper = glm::max(upper, at[j]);
  }
  const glm::dvec3 size = upper - lower;
  const double extent = std::max({size.x, size.y, size.z});
  if (!(extent > 0)) {
    return 1;
  }
  const auto misfit = [&](const BvhUnit& unit) { return std::abs(std::log(extent * unit.metres / kPersonMetres)); };
  const BvhUnit& unit = *std::ranges::min_element(kBvhUnits, {}, misfit);
  note(diagnostics_, Severity::kInfo, "unit", "file",
       fmt::format("lengths are taken for {}, with which the skeleton at rest measures {:.2f} m; BVH files do not say",
                   unit.name, extent * unit.metres));
  return unit.metres;
}

rig::Clip BvhImporter::make_clip(const rig::Skeleton& skeleton) const {
  rig::Clip clip;
  clip.name = single_line(path_.stem().string(), 200);
  std::vector<float> times(frames_);
  for (std::size_t f = 0; f < frames_; ++f) {
    times[f] = static_cast<float>(static_cast<double>(f) * frame_time_);
  }
  clip.end = times.back();
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const BvhJoint& joint = joints_[j];
    const auto has = [&](bool rotation) {
      return std::ranges::any_of(joint.channels, [&](const BvhChannel& c) { return c.is_rotation == rotation; });
    };
    rig::Channel moves{static_cast<int>(j), rig::ChannelPath::kTranslation, rig::Interpolation::kLinear, {}, {}, 3};
    rig::Channel turns{static_cast<int>(j), rig::ChannelPath::kRotation, rig::Interpolation::kLinear, {}, {}, 4};
    const bool has_moves = has(false);
    const bool has_turns = has(true);
    glm::dquat before(1, 0, 0, 0);
    for (std::size_t f = 0; f < frames_; ++f) {
      const float* values = &values_[f * values_per_frame_ + joint.first_value];
      glm::vec3 position = skeleton.rest[j].translation;
      glm::dquat rotation(1, 0, 0, 0);
      for (std::size_t c = 0; c < joint.channels.size(); ++c) {
        const BvhChannel& channel = joint.channels[c];
        if (channel.is_rotation) {
          glm::dvec3 axis(0.0);
          axis[channel.axis] = 1;
          // Whole turns first: the sine of a huge angle in float says nothing.
          const double degrees = std::remainder(static_cast<double>(values[c]), 720.0);
          rotation = rotation * glm::angleAxis(degrees * kDegree, axis);
        } else {
          position[channel.axis] = static_cast<float>(scale_ * static_cast<double>(values[c]));
        }
      }
      if (glm::dot(rotation, before) < 0) {
        rotation = -rotation;
      }
      before = rotation;
      if (has_moves) {
        moves.values.insert(moves.values.end(), {position.x, position.y, position.z});
      }
      if (has_turns) {
        for (const double component : {rotation.x, rotation.y, rotation.z, rotation.w}) {
          turns.values.push_back(static_cast<float>(component));
        }
      }
    }
    for (rig::Channel* channel : {&moves, &turns}) {
      if (channel == &moves ? has_moves : has_turns) {
        channel->times = times;
        clip.channels.push_back(std::move(*channel));
      }
    }
  }
  return clip;
}

// Three rotations about three axes are an order of the sliders: the one listed last is applied first.
void BvhImporter::set_slider_orders(rig::Character& character) const {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    std::string order;
    for (const BvhChannel& channel : joints_[j].channels) {
      if (channel.is_rotation) {
        order.insert(order.begin(), static_cast<char>('X' + channel.axis));
      }
    }
    rig::JointDofs& dofs = character.skeleton.edit().dofs[j];
    if (const auto found = euler_order_from_name(order); found && rig::euler_order(dofs)) {
      rig::set_euler_order(dofs, *found);
    }
  }
}

rig::Character BvhImporter::make_character() {
  rig::Character character;
  character.name = single_line(path_.stem().string(), 200);
  character.source = path_;
  rig::Skeleton& skeleton = character.skeleton.edit();
  rig::Scene scene;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const BvhJoint& joint = joints_[j];
    skeleton.parent.push_back(joint.parent);
    skeleton.name.push_back(joint.name);
    Transform rest;
    rest.translation = glm::vec3(scale_ * glm::dvec3(joint.offset));
    skeleton.rest.push_back(rest);
    skeleton.source_node.push_back(static_cast<int>(j));
    if (joint.parent < 0) {
      scene.roots.push_back(static_cast<int>(j));
    }
  }
  character.scenes.push_back(std::move(scene));
  if (frames_ > 0) {
    rig::Clip clip = make_clip(character.skeleton);
    clip.source = 0;
    character.clips.push_back(std::move(clip));
  }
  rig::finish(character);
  set_slider_orders(character);
  character.diagnostics = std::move(diagnostics_);
  return character;
}

Result<rig::Character> BvhImporter::run() {
  PELT_TRY(read_hierarchy());
  PELT_TRY(read_motion());
  scale_ = metres_per_unit_ ? *metres_per_unit_ : guess_scale();
  return make_character();
}

}  // namespace

Result<rig::Character> import_bvh(std::string_view text, const std::filesystem::path& path,
                                  std::optional<double> metres_per_unit, const Progress& progress) {
  return BvhImporter(text, path, metres_per_unit, progress).run();
}

}  // namespace pelt::formats
