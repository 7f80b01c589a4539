// The flags that say what is evaluated, and the values that they take.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/flag_values.h"
#include "cli/options.h"
#include "cli/parsed_option.h"
#include "core/embedded.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "gltf/bundled.h"
#include "rig/surface_variants.h"

namespace pelt::cli {
namespace {

Result<int> parse_lod(std::string_view text) {
  return parse_bounded(text, 0, rig::kDetailLevels - 1, "a level of detail");
}

Result<int> parse_subdivide(std::string_view text) {
  return parse_bounded(text, 0, rig::kMostSubdivisions, "steps");
}

Result<float> parse_explode(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value || !(*value >= 0 && *value <= double{rig::kMostExploded})) {
    return error("expected a number from 0 to {:g}, got \"{}\"", rig::kMostExploded, printable(text));
  }
  return static_cast<float>(*value);
}

// Whether the parameter takes this value.
bool takes(const deform::MethodParameter& parameter, double value) {
  using Kind = deform::MethodParameter::Kind;
  return value >= static_cast<double>(parameter.minimum) && value <= static_cast<double>(parameter.maximum) &&
         (parameter.kind == Kind::kReal || value == std::round(value));
}

std::string range_of(const deform::MethodParameter& parameter) {
  switch (parameter.kind) {
    case deform::MethodParameter::Kind::kSwitch:
      return "0 or 1";
    case deform::MethodParameter::Kind::kInteger:
      return fmt::format("a whole number from {:g} to {:g}", parameter.minimum, parameter.maximum);
    case deform::MethodParameter::Kind::kReal:
      break;
  }
  return fmt::format("{:g} to {:g}", parameter.minimum, parameter.maximum);
}

// Parameters of all methods: which one is used may be said later on the command line. Rows may share a parameter.
template <typename Visit>
void for_each_parameter(const Visit& visit) {
  for (const deform::SkinningMethod& method : deform::skinning_methods()) {
    for (const deform::MethodParameter& parameter : method.parameters) {
      visit(method, parameter);
    }
  }
}

void set_parameter(const ParameterFlag& flag, deform::MethodParameters& parameters) {
  for_each_parameter([&](const deform::SkinningMethod&, const deform::MethodParameter& parameter) {
    if (parameter.id == flag.id && takes(parameter, static_cast<double>(flag.value))) {
      parameter.set(parameters, flag.value);
    }
  });
}

// "@mannequin" and the like.
std::vector<std::string> bundled_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : gltf::bundled_characters()) {
    names.push_back(fmt::format("@{}", file.name.substr(0, file.name.rfind('.'))));
  }
  return names;
}

constexpr const char* kFileHelp =
    "A .gltf, .glb, .obj, .ply or .bvh file, a session (.pelt), - for standard input, or a bundled character: "
    "@mannequin, @cylinder, "
    "@elbow, "
    "@tube, @centipede, @robot";

void add_uri_flag(Command& command, EvaluationOptions& options) {
  command.add_flag("--allow-outside-uris", options.allow_outside_uris,
                   "Follow URIs that leave the file's own folder (only for files you trust)");
}

void flags_of_pose(Command& group, EvaluationOptions& options) {
  group.add_option("--scene", options.scene, "Scene by name or index in the file (default: the file's own choice)")
      ->type_name("NAME|INDEX");
  group.add_option("--clip", options.clip, "Clip by name or index in the file; none for the rest pose")
      ->type_name("NAME|INDEX");
  add_parsed_with<double>(
      group, "--time", parse_finite, [&](double value) { options.time = value; }, "SECONDS",
      "Time on the clip's own axis (default: its start)");
  group
      .add_option("--pose", options.pose,
                  "Pose file, also of another character: joints are found by names, also in other spellings. "
                  "POSES.json#NAME: a pose of a library, #NAME: of that of the session")
      ->type_name("POSE.json");
  group.add_flag("--strict", options.strict, "Fail where the character lacks something that a pose file poses");
  add_repeated<SetFlag>(group, "--set", parse_set, options.sets, "JOINT.DOF=VALUE",
                        "Move one slider, in degrees or metres; may be repeated. `pelt info FILE --joints` lists them");
  Option* bind = group.add_flag("--bind-pose", options.bind_pose, "Start from the pose in which the skin was bound");
  Option* zero = group.add_flag("--zero-pose", options.zero_pose, "Start from all sliders at zero");
  bind->excludes(zero);
  add_repeated<MorphFlag>(group, "--morph", parse_morph, options.morphs, "NAME=WEIGHT",
                          "Set a morph target's weight; may be repeated");
  add_repeated<SliderFlag>(
      group, "--slider", parse_slider, options.sliders, "NAME=VALUE",
      "Move a slider that means something, such as \"fist left\"; may be repeated. `pelt info FILE "
      "--behaviour` lists them");
  add_repeated<DriveFlag>(
      group, "--drive", parse_drive, options.drives, "TARGET=EXPRESSION",
      "Let a slider (JOINT.DOF) or shape(NAME) follow an expression over sliders, shapes, swing, twist, distance and "
      "t, "
      "in degrees and metres; may be repeated. `pelt info FILE --behaviour` lists what drives what");
}

void add_layer_flags(Command& group, EvaluationOptions& options) {
  add_repeated<LayerFlag>(group, "--layer", parse_layer, options.layers, "ID=VALUE", layer_help());
  add_parsed_with<std::string>(
      group, "--stop-after", parse_layer_id, [&](std::string id) { options.stop_after = std::move(id); }, "ID",
      "Show what the layers up to this one make; those behind it do nothing")
      ->offers(layer_ids());
}

// A flag that says something of the skinning, remembered as what it does to settings.
void set_skinning(EvaluationOptions& options, std::function<void(deform::SkinningSettings&)> flag) {
  flag(options.skinning);
  options.skinning_flags.push_back(std::move(flag));
}

void add_skinning_flags(Command& group, EvaluationOptions& options) {
  using Settings = deform::SkinningSettings;
  add_parsed_with<int>(
      group, "--method", parse_method, [&](int row) { set_skinning(options, [row](Settings& s) { s.method = row; }); },
      "ID", "Skinning method; `pelt info --methods` lists them (default lbs)")
      ->offers(ids_of(deform::skinning_methods()));
  add_parsed_with<deform::Backend>(
      group, "--backend", parse_backend,
      [&](deform::Backend backend) {
        set_skinning(options, [backend](Settings& s) { s.backend = backend; });
        options.backend_given = true;
      },
      "gpu|cpu", "Where the skin is computed");
  add_parsed_with<deform::NormalVariant>(
      group, "--normals", parse_normals,
      [&](deform::NormalVariant v) { set_skinning(options, [v](Settings& s) { s.normals = v; }); }, "a..h",
      "How normals follow the skin (default d, inverse transpose of the blend)");
  add_parsed_with<int>(
      group, "--palette", parse_palette,
      [&](int n) { set_skinning(options, [n](Settings& s) { s.palette_limit = n; }); }, "N",
      "Joints per palette batch, 12 to 256; 0 for no limit (default 64)");
  add_parsed_with<int>(
      group, "--influences", parse_influences,
      [&](int k) { set_skinning(options, [k](Settings& s) { s.influence_limit = k; }); }, "K",
      "Limit influences to the K heaviest of each vertex, 1 to 8; 0 for all (default)");
  add_parsed_with<float>(
      group, "--prune", parse_prune,
      [&](float eps) { set_skinning(options, [eps](Settings& s) { s.prune_threshold = eps; }); }, "EPS",
      "Drop weights below EPS and renormalise the others (default 0)");
  add_parsed_with<WeightsFlag>(
      group, "--weights", parse_weights,
      [&](const WeightsFlag& flag) {
        set_skinning(options, [flag](Settings& s) {
          s.weight_format = flag.format.value_or(s.weight_format);
          s.weights_as_stored = flag.as_stored.value_or(s.weights_as_stored);
        });
      },
      "float|16bit|8bit|56bit|as-stored|normalised",
      "How weights are stored, and whether the file's are normalised; both may be said, with a comma (default "
      "float,normalised)");
  add_parsed_with<deform::Refine>(
      group, "--refine", parse_refine,
      [&](deform::Refine when) { set_skinning(options, [when](Settings& s) { s.refine = when; }); }, "before|after",
      "Make surfaces of their control points before the skin moves the mesh (default), or of control points that were "
      "skinned; makes a difference only where a file has some, as @tube")
      ->offers({"before", "after"});
  group.add_flag("--partition", options.skinning.partition,
                 "Draw triangles that follow one joint alone with its matrix (GPU)");
  group
      .add_repeated_option("--parameter",
                           parsed_into<ParameterFlag>(parse_parameter,
                                                      [&options](const ParameterFlag& flag) {
                                                        set_skinning(options, [flag](Settings& s) {
                                                          set_parameter(flag, s.parameters);
                                                        });
                                                        options.parameters.push_back(flag.id);
                                                      }),
                           "Adjust a method; may be repeated. `pelt info --methods --json` lists them")
      ->type_name("ID=VALUE");
}

void add_surface_flags(Command& group, EvaluationOptions& options) {
  add_parsed_with<int>(
      group, "--lod", parse_lod, [&](int level) { options.lod = level; }, "N",
      "Level of detail: 1 to 3 keep a half, a quarter, an eighth of the triangles (default 0, all)");
  add_parsed_with<int>(
      group, "--subdivide", parse_subdivide, [&](int levels) { options.subdivide = levels; }, "N",
      "Refine the surface by 1 to 3 steps of Loop subdivision (default 0)");
  add_parsed_with<float>(
      group, "--explode", parse_explode, [&](float amount) { options.explode = amount; }, "0..2",
      "Pull parts that follow one joint alone away from the middle; 1 puts them twice as far from it (default 0). With "
      "--partition --show batches in the joints' colours");
  group.add_flag("--split-t-junctions", options.split_t_junctions,
                 "Split edges that have vertices of others inside them, so that no crack opens there");
}

}  // namespace

Result<SetFlag> parse_set(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  const std::size_t dot = equals == std::string_view::npos ? equals : text.substr(0, equals).rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == equals) {
    return error("expected JOINT.DOF=VALUE, got \"{}\"", printable(text));
  }
  const std::optional<double> value = parse_number(text.substr(equals + 1));
  if (!value) {
    return error("expected JOINT.DOF=VALUE with a number as VALUE, got \"{}\"", printable(text));
  }
  return SetFlag{std::string(text.substr(0, dot)), std::string(text.substr(dot + 1, equals - dot - 1)), *value};
}

Result<MorphFlag> parse_morph(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  const std::optional<double> value =
      equals == std::string_view::npos ? std::nullopt : parse_number(text.substr(equals + 1));
  if (!value || equals == 0 || !std::isfinite(static_cast<float>(*value))) {
    return error("expected NAME=WEIGHT, got \"{}\"", printable(text));
  }
  return MorphFlag{std::string(text.substr(0, equals)), *value};
}

Result<DriveFlag> parse_drive(std::string_view text) {
  std::size_t equals = 0;
  for (bool quoted = false; equals < text.size() && (quoted || text[equals] != '='); ++equals) {
    quoted = quoted != (text[equals] == '"');
  }
  if (equals == 0 || equals + 1 >= text.size()) {
    return error("expected TARGET=EXPRESSION, got \"{}\"", printable(text));
  }
  return DriveFlag{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Result<SliderFlag> parse_slider(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  const std::optional<double> value =
      equals == std::string_view::npos ? std::nullopt : parse_number(text.substr(equals + 1));
  if (!value || equals == 0 || !std::isfinite(static_cast<float>(*value))) {
    return error("expected NAME=VALUE, got \"{}\"", printable(text));
  }
  return SliderFlag{std::string(text.substr(0, equals)), static_cast<float>(*value)};
}

Result<int> parse_method(std::string_view text) {
  const int row = deform::find_method(text);
  if (row < 0) {
    std::vector<std::string> ids;
    for (const deform::SkinningMethod& method : deform::skinning_methods()) {
      ids.emplace_back(method.id);
    }
    return error("expected a skinning method ({}), got \"{}\"{}", joined(ids), printable(text), suggestion(text, ids));
  }
  return row;
}

Result<deform::Backend> parse_backend(std::string_view text) {
  if (text == "gpu") {
    return deform::Backend::kGpu;
  }
  if (text == "cpu") {
    return deform::Backend::kCpu;
  }
  return error("expected gpu or cpu, got \"{}\"", printable(text));
}

Result<deform::Refine> parse_refine(std::string_view text) {
  if (text == "before") {
    return deform::Refine::kBeforeSkin;
  }
  if (text == "after") {
    return deform::Refine::kAfterSkin;
  }
  return error("expected before or after, got \"{}\"", printable(text));
}

Result<deform::NormalVariant> parse_normals(std::string_view text) {
  for (const deform::NormalVariantInfo& info : deform::kNormalVariants) {
    if (text.size() == 1 && text[0] == info.letter) {
      return info.variant;
    }
  }
  return error("expected a letter from {} to {}, got \"{}\"", deform::kNormalVariants.front().letter,
               deform::kNormalVariants.back().letter, printable(text));
}

Result<int> parse_palette(std::string_view text) {
  const std::optional<int> value = parse_integer(text);
  if (!value || (*value != 0 && (*value < 12 || *value > 256))) {
    return error("expected 12 to 256 joints per palette, or 0 for no limit, got \"{}\"", printable(text));
  }
  return *value;
}

Result<int> parse_influences(std::string_view text) {
  const std::optional<int> value = parse_integer(text);
  if (!value || *value < 0 || *value > 8) {
    return error("expected 1 to 8 influences, or 0 for all, got \"{}\"", printable(text));
  }
  return *value;
}

Result<WeightsFlag> parse_weights(std::string_view text) {
  WeightsFlag flag;
  std::vector<std::string> ids;
  for (const deform::WeightFormatInfo& info : deform::kWeightFormats) {
    ids.emplace_back(info.id);
  }
  for (std::string_view word : split(text, ',')) {
    word = word == "u16" ? "16bit" : word == "u8" ? "8bit" : word;
    const auto format = std::ranges::find(deform::kWeightFormats, word, &deform::WeightFormatInfo::id);
    if (format != deform::kWeightFormats.end()) {
      flag.format = format->format;
    } else if (word == "as-stored" || word == "normalised" || word == "normalized") {
      flag.as_stored = word == "as-stored";
    } else {
      return error("expected {}, as-stored or normalised, got \"{}\"", joined(ids), printable(word));
    }
  }
  return flag;
}

Result<float> parse_prune(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value || !(*value >= 0 && *value <= 1)) {
    return error("expected a weight from 0 to 1, got \"{}\"", printable(text));
  }
  return static_cast<float>(*value);
}

Result<ParameterFlag> parse_parameter(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  const std::optional<double> value =
      equals == std::string_view::npos ? std::nullopt : parse_number(text.substr(equals + 1));
  if (!value || equals == 0) {
    return error("expected ID=VALUE, got \"{}\"", printable(text));
  }
  const std::string_view id = text.substr(0, equals);
  bool fits = false;
  std::vector<std::string> ids;
  std::vector<std::string> all;
  std::vector<std::string> ranges;
  for_each_parameter([&](const deform::SkinningMethod& method, const deform::MethodParameter& parameter) {
    ids.emplace_back(parameter.id);
    all.push_back(fmt::format("{} {} ({})", parameter.id, range_of(parameter), method.id));
    if (parameter.id == id) {
      fits = fits || takes(parameter, *value);
      ranges.push_back(fmt::format("{} ({})", range_of(parameter), method.id));
    }
  });
  if (ranges.empty()) {
    return error("expected a parameter of some method ({}), got \"{}\"{}", joined(all), printable(id),
                 suggestion(id, ids));
  }
  if (!fits) {
    return error("expected {} for {}, got \"{}\"", joined(ranges), id, printable(text.substr(equals + 1)));
  }
  return ParameterFlag{std::string(id), static_cast<float>(*value)};
}

Result<VertexFlag> parse_vertex(std::string_view text) {
  const std::size_t comma = text.rfind(',');
  const std::optional<int> vertex =
      comma == std::string_view::npos ? std::nullopt : parse_integer(text.substr(comma + 1));
  if (!vertex || *vertex < 0 || comma == 0) {
    return error("expected PART,V with the name or index of a part and the number of one of its vertices, got \"{}\"",
                 printable(text));
  }
  return VertexFlag{std::string(text.substr(0, comma)), *vertex};
}

deform::SkinningSettings with_pane(deform::SkinningSettings settings, const PaneFlag& flag) {
  settings.method = flag.method;
  settings.backend = flag.backend.value_or(settings.backend);
  settings.normals = flag.normals.value_or(settings.normals);
  settings.influence_limit = flag.influences.value_or(settings.influence_limit);
  settings.refine = flag.refine.value_or(settings.refine);
  return settings;
}

Result<PaneFlag> parse_pane(std::string_view text) {
  const std::vector<std::string_view> pieces = split(text, ':');
  if (pieces.empty() || pieces.size() > 5) {
    return error("expected METHOD[:BACKEND[:NORMALS[:INFLUENCES[:REFINE]]]], got \"{}\"", printable(text));
  }
  PaneFlag pane;
  PELT_TRY_TO(const int method, parse_method(pieces[0]));
  pane.method = method;
  if (pieces.size() > 1) {
    PELT_TRY_TO(const deform::Backend backend, parse_backend(pieces[1]));
    pane.backend = backend;
  }
  if (pieces.size() > 2) {
    PELT_TRY_TO(const deform::NormalVariant normals, parse_normals(pieces[2]));
    pane.normals = normals;
  }
  if (pieces.size() > 3) {
    PELT_TRY_TO(const int influences, parse_influences(pieces[3]));
    pane.influences = influences;
  }
  if (pieces.size() > 4) {
    PELT_TRY_TO(const deform::Refine refine, parse_refine(pieces[4]));
    pane.refine = refine;
  }
  return pane;
}

Result<FrameRange> parse_frames(std::string_view text) {
  const std::vector<std::string_view> pieces = split(text, ':');
  FrameRange range;
  if (text == "all") {
    range.all = true;
    return range;
  }
  if (pieces.size() == 1) {
    const std::optional<int> count = parse_integer(pieces[0]);
    if (count && *count >= 1 && *count <= kMostFrames) {
      range.count = *count;
      return range;
    }
  } else if (pieces.size() == 2 || pieces.size() == 3) {
    const std::optional<int> first = parse_integer(pieces[0]);
    const std::optional<int> last = parse_integer(pieces[1]);
    const std::optional<double> fps = pieces.size() == 3 ? parse_number(pieces[2]) : 30.0;
    const bool frames_fit = first && last && *first >= 0 && *last >= *first && *last - *first < kMostFrames;
    if (frames_fit && fps && *fps > 0 && *fps <= 1000) {
      range.first = *first;
      range.last = *last;
      range.fps = *fps;
      return range;
    }
  }
  return error("expected all, N frames or A:B[:FPS] with 0 <= A <= B, got \"{}\"", printable(text));
}

void add_loss_flag(Command& verb, EvaluationOptions& options) {
  verb.add_flag("--allow-loss", options.allow_loss,
                "Write over the session that was read also where some of it does not apply to its character any more");
}

void add_file_argument(Command& command, EvaluationOptions& options, bool required) {
  command.add_option("FILE", options.file, kFileHelp)->type_name("")->offers(bundled_names())->required(required);
  add_uri_flag(command, options);
}

void add_files_argument(Command& command, std::vector<std::string>& files, EvaluationOptions& options) {
  command.add_option("FILE", files, std::string(kFileHelp) + "; several at once")
      ->type_name("")
      ->offers(bundled_names());
  add_uri_flag(command, options);
}

void add_pose_flags(Command& command, EvaluationOptions& options) {
  flags_of_pose(command, options);
}

void add_evaluation_flags(Command& command, EvaluationOptions& options) {
  Command& group = command.add_option_group("What is evaluated");
  flags_of_pose(group, options);
  add_layer_flags(group, options);
  add_skinning_flags(group, options);
  add_surface_flags(group, options);
}

void check_evaluation(const EvaluationOptions& options) {
  require(!options.pose || (!options.bind_pose && !options.zero_pose), "--pose",
          "excludes --bind-pose and --zero-pose");
}

void check_time(const EvaluationOptions& options) {
  require(!options.time || (options.clip && *options.clip != "none"), "--time", "needs --clip");
}

}  // namespace pelt::cli
