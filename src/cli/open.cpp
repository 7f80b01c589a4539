#include "cli/open.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/session_file.h"
#include "core/file.h"
#include "core/index.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/commands.h"
#include "edit/file_layers.h"
#include "edit/held_edits.h"
#include "edit/pose_file.h"
#include "formats/open.h"
#include "formats/source_hash.h"
#include "math/angle.h"
#include "measure/diet.h"
#include "rig/surface_variants.h"

namespace pelt::cli {
namespace {

gltf::ImportOptions import_options(const EvaluationOptions& options) {
  gltf::ImportOptions import;
  import.allow_outside_uris = options.allow_outside_uris;
  import.decode_images = options.decode_images;
  import.check_conformance = options.check_conformance;
  return import;
}

Result<rig::Character> read_character(const EvaluationOptions& options) {
  gltf::ImportOptions import = import_options(options);
  std::vector<StampedFile> files;
  import.files = &files;
  if (options.file == "-") {
    const Result<std::string> bytes = read_stream(STDIN_FILENO);
    if (!bytes) {
      return bytes.error().in("standard input");
    }
    Result<rig::Character> character =
        formats::import_memory({reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()}, import);
    if (!character) {
      return character.error().in("standard input");
    }
    edit::note_file_layers(*character);
    return character;
  }
  Result<rig::Character> character = formats::open_character(options.file, import);
  for (const StampedFile& file : files) {
    note_read(file.path, kFileOfInput, file.stamp);
  }
  if (character) {
    edit::note_file_layers(*character);
  }
  return character;
}

// The index of what has that name, else what it is as an index.
Result<int> resolve_named(std::string_view flag, const std::string& name, const std::vector<std::string>& names,
                          std::string_view things) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) {
    return static_cast<int>(found - names.begin());
  }
  const std::optional<int> index = parse_integer(name);
  if (index && has_index(names, *index)) {
    return *index;
  }
  return error("{} {}: the character has {}{}", flag, printable(name),
               names.empty() ? fmt::format("no {}", things)
                             : fmt::format("{} {} and none of that name or index", names.size(), things),
               suggestion(name, names));
}

template <typename List>
std::vector<std::string> names_of(const List& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) {
    names.push_back(thing.name);
  }
  return names;
}

// Carries over by position what a session holds of another version of its character's file, where that is asked for.
Status carry_over(edit::Document& document, bool is_wanted) {
  const edit::SessionOrigin& origin = document.origin;
  if (origin.held == nullptr) {
    if (is_wanted) {
      print_note("transfer: the session holds no edits of another version of its character's file");
    }
    return {};
  }
  const std::string held = edit::sentence(*origin.held, *edit::own_character(document));
  if (!is_wanted) {
    print_note(
        fmt::format("{}; `pelt session --transfer` takes {} over by position, by the closest point of the "
                    "surface that was edited",
                    held, origin.held->weights.size() + origin.held->selections.size() == 1 ? "it" : "them"));
    return {};
  }
  const Result<std::string> done = edit::carry_over_held(document, false);
  if (!done) {
    return done.error().in("--transfer");
  }
  print_note(fmt::format("transfer: {}", *done));
  return {};
}

// What of a session does not apply to its character any more is said, since the file is another than it was.
Result<edit::Document> open_session(const EvaluationOptions& options) {
  SessionOpening how;
  how.import = import_options(options);
  how.allow_outside = options.allow_outside_uris;
  SessionFailure failure;
  Result<OpenedSessionFile> opened = open_session_file(options.file, how, {}, &failure);
  if (!opened) {
    return failure.kind == SessionFailure::Kind::kOutside
               ? error("{}; --allow-outside-uris opens it all the same", opened.error().message)
               : opened.error();
  }
  if (opened->session.document.origin.packed == nullptr) {
    note_read(opened->source.file, "the session's character");
  }
  for (const StampedFile& file : opened->beside) {
    note_read(file.path, kFileOfInput, file.stamp);
  }
  if (opened->is_changed) {
    print_note(fmt::format("{} is another file than the session was saved with", printable(opened->source.file, 200)));
  }
  edit::Document& document = opened->session.document;
  const Status carried = carry_over(document, options.transfer);
  for (const std::string& lost : document.origin.lost) {
    print_note(fmt::format("no longer applies: {}", printable(lost, 400)));
  }
  if (!carried) {
    return carried.error();
  }
  return std::move(document);
}

// The surface that the flags want, of a document that shows its own.
Status show_wanted_surface(edit::Document& document, const EvaluationOptions& options) {
  const rig::SurfaceChoice surface{options.split_t_junctions, options.lod, options.subdivide, options.explode};
  if (surface == rig::SurfaceChoice{}) {
    return {};
  }
  double detail_error = 0;
  Result<rig::Character> shown = rig::with_surface(*edit::own_character(document), surface, &detail_error);
  if (!shown) {
    return shown.error().in("--subdivide");
  }
  edit::show_surface(document, std::make_shared<const rig::Character>(*std::move(shown)), surface, detail_error);
  return {};
}

}  // namespace

bool names_session(const EvaluationOptions& options) {
  return options.file != "-" && !options.file.starts_with('@') && is_session_file(options.file);
}

std::vector<StampedFile> files_of_input() {
  std::vector<StampedFile> files;
  for (const ReadFile& read : noted_files()) {
    if (read.role == kFileOfInput) {
      files.push_back({read.path, read.stamp});
    }
  }
  return files;
}

Result<edit::SessionSource> source_of(const edit::Document& document, const EvaluationOptions& options) {
  if (!document.origin.path.empty()) {
    return edit::SessionSource{document.origin.file, document.origin.hash, document.origin.outside_uris};
  }
  PELT_TRY_TO(const std::string hash, formats::source_hash(options.file, files_of_input()));
  return edit::SessionSource{options.file, hash, reads_outside(options.file, files_of_input())};
}

Status check_keeps_session(const edit::Document& document, const std::string& output) {
  const edit::SessionOrigin& origin = document.origin;
  const std::vector<ReadFile> read = {{origin.path, "the session"}};
  if (origin.lost.empty() || check_not_read(output, read)) {
    return {};
  }
  return error(
      "{}: would lose {} of the session that {} not apply to its character any more, such as {}; choose another "
      "name for the output, or lose it with --allow-loss",
      output, origin.lost.size() == 1 ? "something" : fmt::format("{} things", origin.lost.size()),
      origin.lost.size() == 1 ? "does" : "do", printable(origin.lost.front(), 200));
}

std::string shown_name(const EvaluationOptions& options) {
  return options.file == "-" || options.file.starts_with('@')
             ? options.file
             : printable(std::filesystem::path(options.file).filename().string(), 200);
}

std::string clip_label(const rig::Character& character, int clip) {
  const std::string& name = character.clips[clip].name;
  return name.empty() ? fmt::format("clip {}", clip) : printable(name);
}

Result<int> resolve_joint(const rig::Skeleton& skeleton, const std::string& name) {
  const auto count = std::ranges::count(skeleton.name, name);
  if (count == 1 && !name.empty()) {
    return skeleton.find(name);
  }
  if (name.starts_with("node ")) {
    const std::optional<int> node = parse_integer(std::string_view(name).substr(5));
    if (node && skeleton.from_source_node(*node) >= 0) {
      return skeleton.from_source_node(*node);
    }
  }
  if (count > 1) {
    return error("{} joints are named \"{}\"; say \"node INDEX\" instead", count, printable(name));
  }
  return error("the character has no joint \"{}\"{}", printable(name), suggestion(name, skeleton.name));
}

Result<ResolvedDof> resolve_dof(const edit::Document& document, const std::string& joint_name,
                                const std::string& dof_name) {
  const Result<int> joint = resolve_joint(document.character->skeleton, joint_name);
  if (!joint) {
    return joint.error();
  }
  const rig::JointDofs dofs = edit::joint_dofs(document, *joint);
  const int index = dofs.find(dof_name);
  if (index < 0) {
    std::vector<std::string> names;
    for (const rig::Dof& dof : dofs.dofs) {
      names.push_back(dof.name);
    }
    return error("the joint has no such degree of freedom; it has {}",
                 names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", ")));
  }
  const rig::Dof& dof = dofs.dofs[index];
  return ResolvedDof{*joint, index, dof, dof.kind == rig::DofKind::kRotation ? kDegree : 1.0};
}

Result<int> resolve_clip(const rig::Character& character, const std::string& name) {
  return name == "none" ? Result<int>(-1) : resolve_named("--clip", name, names_of(character.clips), "clips");
}

Result<int> resolve_variant(const rig::Character& character, const std::string& name) {
  return resolve_named("--variant", name, character.variants, "variants");
}

Result<std::vector<float>> frame_times(const edit::Document& document, const FrameRange& range) {
  const rig::Clip& clip = document.character->clips[document.content.clip];
  std::vector<float> times;
  if (range.all) {
    const edit::TimeRange played = edit::played_range(document, document.content.clip);
    const double rate = edit::frame_rate(document);
    // A last key that lies a rounding error before its frame counts.
    const double last = std::floor((static_cast<double>(played.end) - static_cast<double>(played.start)) * rate + 1e-3);
    if (!(last < kMostFrames)) {
      return error("--frames all: expected at most {} frames, got {:g} at {:g} per second; choose with --frames A:B",
                   kMostFrames, last + 1, rate);
    }
    for (double frame = 0; frame <= last; ++frame) {
      times.push_back(std::min(played.end, static_cast<float>(static_cast<double>(played.start) + frame / rate)));
    }
    return times;
  }
  for (int i = 0; i < range.count; ++i) {
    times.push_back(clip.start + clip.duration() * static_cast<float>(i) / static_cast<float>(range.count));
  }
  for (int i = 0; range.count == 0 && i <= range.last - range.first; ++i) {
    times.push_back(clip.start + static_cast<float>((range.first + i) / range.fps));
  }
  return times;
}

Result<std::shared_ptr<const rig::Character>> open_character_file(const EvaluationOptions& options) {
  PELT_TRY_TO(edit::Document document, open_unposed(options));
  return document.character;
}

Result<edit::Document> open_unposed(const EvaluationOptions& options) {
  if (names_session(options)) {
    Result<edit::Document> document = open_session(options);
    if (!document) {
      return document;
    }
    if (options.scene) {
      PELT_TRY_TO(const int scene,
                  resolve_named("--scene", *options.scene, names_of(document->file->scenes), "scenes"));
      edit::show_scene(*document, scene);
    }
    const Status shown = show_wanted_surface(*document, options);
    return shown ? std::move(document) : shown.error();
  }
  PELT_TRY_TO(rig::Character character, read_character(options));
  if (options.scene) {
    PELT_TRY_TO(const int scene, resolve_named("--scene", *options.scene, names_of(character.scenes), "scenes"));
    rig::show_scene(character, scene);
  }
  edit::Document document = edit::make_document(std::make_shared<const rig::Character>(std::move(character)));
  PELT_TRY(show_wanted_surface(document, options));
  return document;
}

Result<edit::ReplacePose> open_pose(const edit::Document& document, const std::filesystem::path& path,
                                    const EvaluationOptions& options, std::vector<std::string>& notes) {
  constexpr std::size_t kMostNames = 12;
  edit::PoseReport report;
  Result<edit::ReplacePose> pose = edit::load_pose(document, path, &report);
  if (!pose || report.exact()) {
    return pose;
  }
  const std::string what = fmt::format("{}: {} ({})", printable(path.string(), 200), edit::summary(report),
                                       edit::details(report, kMostNames));
  if (options.strict && report.missing() > 0) {
    return error("{}", what);
  }
  notes.push_back(what);
  return pose;
}

void note_unread_parameters(const EvaluationOptions& options, std::span<const int> methods) {
  for (const std::string& id : options.parameters) {
    const bool read = std::ranges::any_of(methods, [&](int row) {
      const auto parameters = deform::skinning_methods()[row].parameters;
      return std::ranges::find(parameters, id, &deform::MethodParameter::id) != parameters.end();
    });
    if (!read) {
      std::vector<std::string_view> names;
      for (const int row : methods) {
        names.push_back(deform::skinning_methods()[row].id);
      }
      print_note(fmt::format("--parameter {}: {} does not read it", id, fmt::join(names, ", ")));
    }
  }
}

void note_unshown_instances(const rig::Character& character) {
  for (const rig::Instances& instances : character.instances) {
    if (!instances.unshown.empty()) {
      print_note(fmt::format("{}: {} of {} instances are not shown",
                             printable(character.skeleton->label(instances.joint)), instances.unshown.size(),
                             instances.joints.size() + instances.unshown.size()));
    }
  }
}

void note_left_out(const rig::Character& character, std::span<const deform::SkinningSettings> settings) {
  std::vector<std::string> notes;
  const auto add = [&](std::string note) {
    if (std::ranges::find(notes, note) == notes.end()) {
      notes.push_back(std::move(note));
    }
  };
  for (const deform::SkinningSettings& one : settings) {
    const measure::ReducedInfluences reduced = measure::reduced_influences(character, one);
    if (reduced.vertices > 0) {
      const std::string kept = one.influence_limit == 0   ? std::string("fewer")
                               : one.prune_threshold == 0 ? fmt::format("{}", one.influence_limit)
                                                          : fmt::format("{} or fewer", one.influence_limit);
      add(fmt::format("{} {} {} of up to {} influences", reduced.vertices,
                      reduced.vertices == 1 ? "vertex keeps" : "vertices keep", kept, reduced.most));
    }
    const deform::SkinningMethod& method = deform::skinning_methods()[one.method];
    const deform::NormalVariant used = deform::normals_under(method, one.normals);
    if (used != one.normals && one.normals != deform::SkinningSettings{}.normals) {
      add(fmt::format("normals {}: {} does not offer them; {} is used", deform::letter_of(one.normals), method.id,
                      deform::letter_of(used)));
    }
  }
  for (const std::string& note : notes) {
    print_note(note);
  }
}

void note_left_out(const edit::Document& document) {
  std::vector<deform::SkinningSettings> settings;
  for (int pane = 0; pane < edit::pane_count(document.content); ++pane) {
    settings.push_back(edit::skinning_of(document.content, pane));
  }
  note_left_out(*document.character, settings);
}

Result<edit::Document> open_document(const EvaluationOptions& options) {
  Result<edit::Document> document = open_unposed(options);
  if (!document) {
    return document;
  }
  std::vector<std::string> notes;
  PELT_TRY(apply_evaluation_flags(*document, options, notes));
  for (const std::string& note : notes) {
    print_note(note);
  }
  return document;
}

}  // namespace pelt::cli
