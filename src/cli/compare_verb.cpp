#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "cli/compare_report.h"
#include "cli/open.h"
#include "cli/output.h"
#include "cli/shape.h"
#include "cli/verbs.h"
#include "core/parallel.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/commands.h"
#include "edit/pose_battery.h"
#include "edit/pose_file.h"
#include "edit/sweep.h"

namespace pelt::cli {
namespace {

/// Runs every side over poses and collects what there is to say.
class Runner {
 public:
  Runner(const CompareOptions& options, const std::vector<ComparedSide>& sides, std::size_t reference,
         const edit::Document& document, render::GpuSkinner* gpu)
      : options_(options),
        sides_(sides),
        reference_(reference),
        bind_(deform::bind_shape(*document.character)),
        meter_(*document.character, options.battery) {
    for (const ComparedSide& side : sides) {
      shapers_.emplace_back(gpu);
      battery_.methods.push_back(side.settings.method);
    }
    for (const deform::Measure measure : kSurfaceMeasures) {
      fields_.emplace_back(*document.character, measure);
    }
  }

  [[nodiscard]] const deform::SkinMeter& meter() const { return meter_; }
  void set_ring(deform::Ring ring) { ring_ = std::move(ring); }

  /// Computes what the methods need once, with its progress.
  void prepare(edit::Document document) {
    for (std::size_t m = 0; m < shapers_.size(); ++m) {
      use(document, m);
      shapers_[m].prepare(document);
    }
  }

  Status add(edit::Document document, std::string label, std::optional<double> value) {
    PoseResult pose;
    pose.label = std::move(label);
    pose.value = value;
    use(document, reference_);
    const Result<deform::DeformedCharacter> reference = shapers_[reference_].shape(document);
    if (!reference) {
      return reference.error().in(pose.label);
    }
    for (std::size_t m = 0; m < shapers_.size(); ++m) {
      use(document, m);
      const Result<deform::DeformedCharacter> other =
          m == reference_ ? Result<deform::DeformedCharacter>(deform::DeformedCharacter())
                          : shapers_[m].shape(document);
      if (!other) {
        return other.error().in(pose.label);
      }
      const deform::DeformedCharacter& shape = m == reference_ ? *reference : *other;
      const edit::Evaluation& evaluation = shapers_[m].evaluation();
      pose.methods.push_back(measured(document, *reference, shape, evaluation));
      if (options_.battery) {
        battery_.enter(meter_.zones(shape, evaluation.pose(), evaluation.world()), m, static_cast<int>(poses_.size()));
      }
    }
    poses_.push_back(std::move(pose));
    return {};
  }

  std::vector<PoseResult> take_poses() { return std::move(poses_); }
  edit::MethodBattery take_battery() { return std::move(battery_); }

 private:
  void use(edit::Document& document, std::size_t m) {
    document.state.skinning = sides_[m].settings;
    document.state_version = ++version_;
  }

  MethodResult measured(const edit::Document& document, const deform::DeformedCharacter& reference,
                        const deform::DeformedCharacter& shape, const edit::Evaluation& evaluation) const {
    MethodResult result;
    result.difference = deform::difference(reference, shape);
    parallel_for(fields_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        // Normals turn with the pose: against the bind shape their angle says nothing of a method.
        const bool bind =
            options_.against == StrainsAgainst::kBind && kSurfaceMeasures[i] != deform::Measure::kNormalAngle;
        result.surface[i] = deform::summary_of(fields_[i].values(shape, bind ? bind_ : reference));
      }
    });
    result.collapse = meter_.collapse(shape);
    result.flipped_triangles = meter_.flipped_triangles(shape, evaluation.pose(), evaluation.world());
    result.bones = meter_.bone_distance(shape, evaluation.pose(), evaluation.world());
    if (ring_) {
      result.ring = meter_.radius(*ring_, shape);
    }
    if (options_.intersections) {
      result.self_intersections = meter_.self_intersections(shape);
    }
    result.teaching = edit::teaching_rows(document, shape);
    return result;
  }

  const CompareOptions& options_;
  const std::vector<ComparedSide>& sides_;
  std::size_t reference_;
  deform::DeformedCharacter bind_;
  deform::SkinMeter meter_;
  std::vector<deform::SurfaceField> fields_;  ///< of kSurfaceMeasures
  std::vector<Shaper> shapers_;               ///< one per side
  std::optional<deform::Ring> ring_;
  std::uint64_t version_ = 1;
  std::vector<PoseResult> poses_;
  edit::MethodBattery battery_;
};

/// What the others are measured against: the one asked for, else linear blending where it is among them, else the
/// first.
Result<std::size_t> reference_of(const CompareOptions& options) {
  const auto begin = options.sides.begin();
  const auto row = [&](auto found) { return static_cast<std::size_t>(found - begin); };
  if (options.reference) {
    const PaneFlag& wanted = *options.reference;
    const auto same = [](const auto& asked, const auto& said) { return !asked || asked == said; };
    const auto fits = [&](const PaneFlag& side) {
      return side.method == wanted.method &&
             side.backend.value_or(deform::Backend::kCpu) == wanted.backend.value_or(deform::Backend::kCpu) &&
             same(wanted.normals, side.normals) && same(wanted.influences, side.influences);
    };
    const auto first = std::ranges::find_if(options.sides, fits);
    if (first == options.sides.end()) {
      return error("--reference: is none of the methods compared");
    }
    // The one that says no more than was asked for, else the only one.
    const auto alike = std::ranges::find_if(options.sides, [&](const PaneFlag& side) {
      return fits(side) && side.normals == wanted.normals && side.influences == wanted.influences;
    });
    if (alike == options.sides.end() && std::ranges::count_if(options.sides, fits) > 1) {
      return error("--reference: fits several of the methods compared; name its normals or influences, too");
    }
    return row(alike == options.sides.end() ? first : alike);
  }
  const auto linear = std::ranges::find(options.sides, deform::find_method("lbs"), &PaneFlag::method);
  return options.pair || linear == options.sides.end() ? std::size_t{0} : row(linear);
}

/// What the sides are under the document's settings.
std::vector<ComparedSide> sides_of(const CompareOptions& options, deform::SkinningSettings settings) {
  settings.backend = deform::Backend::kCpu;
  std::vector<ComparedSide> sides;
  for (const PaneFlag& flag : options.sides) {
    ComparedSide side{with_pane(settings, flag), {}, {}};
    const deform::SkinningMethod& method = deform::skinning_methods()[static_cast<std::size_t>(flag.method)];
    const bool gpu = side.settings.backend == deform::Backend::kGpu;
    side.id = fmt::format("{}:{}", method.id, gpu ? "gpu" : "cpu");
    side.label = fmt::format("{}, {}", method.label, gpu ? "GPU" : "CPU");
    if (flag.normals) {
      side.id += fmt::format(":{}", deform::letter_of(*flag.normals));
      side.label += fmt::format(", normals {}", deform::letter_of(*flag.normals));
    }
    if (flag.influences) {
      side.id += fmt::format(":{}", *flag.influences);
      side.label += *flag.influences == 0
                        ? std::string(", all influences")
                        : fmt::format(", {} influence{}", *flag.influences, *flag.influences == 1 ? "" : "s");
    }
    sides.push_back(std::move(side));
  }
  return sides;
}

Result<edit::Sweep> resolve_sweep(const edit::Document& document, const SweepFlag& flag, double& unit) {
  const std::string what = fmt::format("--sweep {}.{}", printable(flag.joint), printable(flag.dof));
  const Result<ResolvedDof> slider = resolve_dof(document, flag.joint, flag.dof);
  if (!slider) {
    return slider.error().in(what);
  }
  const rig::Dof& dof = slider->dof;
  unit = slider->unit;
  edit::Sweep sweep{slider->joint, slider->index, static_cast<float>(flag.from * unit),
                    static_cast<float>(flag.to * unit), flag.steps};
  // The range ends at the limit, so that no value is there twice.
  for (float* value : {&sweep.from, &sweep.to}) {
    if (!std::isfinite(*value)) {
      return error("{}: the value is too large", what);
    }
    const float used = std::clamp(*value, dof.lower, dof.upper);
    if (std::abs(used - *value) > 1e-4f) {
      print_note(fmt::format("{}: {:g} is outside of the limits; {:.6g} is used", what,
                             static_cast<double>(*value) / unit, static_cast<double>(used) / unit));
    }
    *value = used;
  }
  return sweep;
}

Result<std::vector<edit::TrialPose>> pose_files(const edit::Document& document, const EvaluationOptions& options,
                                                const std::string& folder) {
  std::error_code failed;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".json") {
      paths.push_back(entry.path());
    }
  }
  if (failed) {
    return error("--poses {}: {}", printable(folder), failed.message());
  }
  if (paths.empty()) {
    return error("--poses {}: no pose file (.json) is in this folder", printable(folder));
  }
  std::ranges::sort(paths);
  std::vector<edit::TrialPose> poses;
  for (const std::filesystem::path& path : paths) {
    note_read(path, "--poses");
    std::vector<std::string> notes;
    Result<edit::ReplacePose> pose = open_pose(document, path, options, notes);
    if (!pose) {
      return pose.error().in("--poses");
    }
    std::ranges::for_each(notes, print_note);
    poses.push_back({path.stem().string(), *std::move(pose)});
  }
  return poses;
}

/// The moments that --clip and --frames ask for.
std::vector<edit::TrialPose> clip_moments(const CompareOptions& options, const edit::Document& document) {
  const rig::Clip& clip = document.character->clips[static_cast<std::size_t>(document.state.clip)];
  // All of a clip with its end, at 30 frames per second unless that is very many.
  const double steps = std::clamp(std::ceil(static_cast<double>(clip.duration()) * 30), 1.0, 1000.0);
  const FrameRange whole{.last = clip.duration() > 0 ? static_cast<int>(steps) : 0,
                         .fps = clip.duration() > 0 ? steps / static_cast<double>(clip.duration()) : 30};
  std::vector<edit::TrialPose> poses;
  for (const float time : frame_times(clip, options.frames.value_or(whole))) {
    poses.push_back({fmt::format("{:g} s", time), edit::ClipMoment{document.state.clip, time}});
  }
  return poses;
}

}  // namespace

Result<std::vector<PaneFlag>> parse_sides(std::string_view text) {
  std::vector<PaneFlag> sides;
  for (const std::string_view piece : split(text, ',')) {
    const std::string_view method = piece.substr(0, piece.find(':'));
    const std::string rest(piece.substr(method.size()));
    std::vector<std::string> wanted = {std::string(piece)};
    if (method == "all") {
      wanted.clear();
      for (const deform::SkinningMethod& row : deform::skinning_methods()) {
        wanted.push_back(std::string(row.id) + rest);
      }
    }
    for (const std::string& one : wanted) {
      const Result<PaneFlag> side = parse_pane(one);
      if (!side) {
        return side.error();
      }
      sides.push_back(*side);
    }
  }
  if (sides.empty()) {
    return error("expected all or methods separated by commas, got \"{}\"", printable(text));
  }
  return sides;
}

Result<StrainsAgainst> parse_strains_against(std::string_view text) {
  if (text == "bind" || text == "reference") {
    return text == "bind" ? StrainsAgainst::kBind : StrainsAgainst::kReference;
  }
  return error("expected bind or reference, got \"{}\"", printable(text));
}

Result<SweepFlag> parse_sweep(std::string_view text) {
  const Error wrong = error("expected JOINT.DOF=FROM:TO[:STEPS], got \"{}\"", printable(text));
  const std::size_t equals = text.rfind('=');
  const std::size_t dot = equals == std::string_view::npos ? equals : text.substr(0, equals).rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == equals) {
    return wrong;
  }
  const std::vector<std::string_view> range = split(text.substr(equals + 1), ':');
  if (range.size() < 2 || range.size() > 3) {
    return wrong;
  }
  SweepFlag flag{std::string(text.substr(0, dot)), std::string(text.substr(dot + 1, equals - dot - 1))};
  const std::optional<double> from = parse_number(range[0]);
  const std::optional<double> to = parse_number(range[1]);
  if (!from || !to) {
    return wrong;
  }
  flag.from = *from;
  flag.to = *to;
  if (range.size() == 3) {
    const std::optional<int> steps = parse_integer(range[2]);
    if (!steps || *steps < 2 || *steps > 100'000) {
      return error("expected from 2 to 100000 steps, got \"{}\"", printable(range[2]));
    }
    flag.steps = *steps;
  }
  return flag;
}

Result<int> run_compare(const CompareOptions& options) {
  const Result<edit::Document> opened = open_document(options.evaluation);
  if (!opened) {
    return opened.error();
  }
  const edit::Document& document = *opened;
  const rig::Character& character = *document.character;
  if (options.frames && document.state.clip < 0) {
    return error("--frames: needs a clip; choose one with --clip");
  }
  const Result<std::size_t> reference = reference_of(options);
  if (!reference) {
    return reference.error();
  }
  Comparison out;
  out.sides = sides_of(options, document.state.skinning);
  std::vector<int> rows;
  std::vector<deform::SkinningSettings> settings;
  for (const ComparedSide& side : out.sides) {
    rows.push_back(side.settings.method);
    settings.push_back(side.settings);
  }
  note_unread_parameters(options.evaluation, rows);
  note_left_out(character, settings);
  if (!options.csv.empty()) {
    if (Status writable = check_output(options.csv, options.evaluation); !writable) {
      return writable.error();
    }
  }
  if (options.battery && character.skins.empty()) {
    print_note("--battery: the character has no skin; no joint has flesh around it to judge");
  }
  std::unique_ptr<render::GpuSkinner> gpu;
  if (std::ranges::any_of(settings, [](const auto& one) { return one.backend == deform::Backend::kGpu; })) {
    auto made = render::GpuSkinner::create();
    if (!made) {
      return made.error().in("OpenGL");
    }
    gpu = *std::move(made);
  }
  out.pair = options.pair;
  out.against = options.against;
  out.reference = *reference;
  out.diagonal = rest_diagonal(character);

  // The sets of poses, one after the other; the values of the sweep come first.
  std::vector<edit::TrialPose> poses;
  double unit = 1;
  int swept_joint = -1;
  if (options.sweep) {
    const Result<edit::Sweep> sweep = resolve_sweep(document, *options.sweep, unit);
    if (!sweep) {
      return sweep.error();
    }
    poses = edit::make_sweep(document, *sweep);
    swept_joint = sweep->joint;
    out.swept = fmt::format("{}.{}", printable(options.sweep->joint), printable(options.sweep->dof));
  }
  const std::size_t swept_count = poses.size();
  const auto append = [&](std::vector<edit::TrialPose> more) { std::ranges::move(more, std::back_inserter(poses)); };
  if (!options.poses.empty()) {
    Result<std::vector<edit::TrialPose>> files = pose_files(document, options.evaluation, options.poses);
    if (!files) {
      return files.error();
    }
    append(*std::move(files));
  }
  if (options.battery) {
    edit::BatteryOptions battery = options.random.battery();
    if (options.battery_of_clips) {
      if (character.clips.empty()) {
        return error("--battery=clips: the file has no clips");
      }
      battery = edit::kClipBattery;
      battery.random = options.random.count;
      battery.seed = options.random.battery().seed;
    }
    append(edit::make_battery(document, battery));
  } else if (options.random.count > 0) {
    append(edit::random_poses(options.random.count, options.random.battery().seed));
  }
  const bool whole_clip = document.state.clip >= 0 && !options.evaluation.time && poses.empty();
  if (options.frames || whole_clip) {
    append(clip_moments(options, document));
  }

  Runner runner(options, out.sides, *reference, document, gpu.get());
  runner.prepare(document);
  if (options.ring || swept_joint >= 0) {
    const Result<int> joint =
        options.ring ? resolve_joint(character.skeleton, *options.ring) : Result<int>(swept_joint);
    if (!joint) {
      return joint.error().in("--ring");
    }
    Result<deform::Ring> ring = runner.meter().ring(*joint);
    if (ring) {
      out.ring_joint = character.skeleton->label(*joint);
      out.ring_rest = runner.meter().bind_radius(*ring).mean;
      runner.set_ring(*std::move(ring));
    } else if (options.ring) {
      return ring.error().in("--ring");
    }
  }
  if (poses.empty()) {
    if (Status status = runner.add(document, "pose", std::nullopt); !status) {
      return status.error();
    }
  }
  ProgressLine line;
  for (std::size_t p = 0; p < poses.size(); ++p) {
    line.show(static_cast<float>(p) / static_cast<float>(poses.size()), "measuring poses");
    std::optional<double> value;
    if (p < swept_count) {
      value = std::round(static_cast<double>(std::get<edit::SetDof>(poses[p].what).value) / unit * 1e4) / 1e4 + 0.0;
    }
    if (Status status = runner.add(edit::posed(document, poses[p]), poses[p].label, value); !status) {
      return status.error();
    }
  }
  line.clear();
  out.poses = runner.take_poses();
  if (options.battery) {
    out.battery = runner.take_battery();
  }

  if (!options.csv.empty()) {
    if (Status written = write_output(options.csv, csv_of(out, character)); !written) {
      return written.error();
    }
    if (options.csv == "-") {
      return 0;
    }
  }
  if (Status printed =
          print_result(options.json ? json_of(out, character) : text_of(out, character), form_of(options.json));
      !printed) {
    return printed.error();
  }
  return 0;
}

}  // namespace pelt::cli
