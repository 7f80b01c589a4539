#include "cli/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cli/parsed_option.h"
#include "core/embedded.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/document.h"
#include "gltf/bundled.h"
#include "math/angle.h"
#include "rig/surface_variants.h"

namespace pelt::cli {
namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 27;  // a gigabyte, in what they are drawn into and written from
constexpr int kLargestSide = 16384;                          // pixels; beyond this drivers refuse the framebuffer

Result<double> parse_finite(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value) {
    return error("expected a number, got \"{}\"", printable(text));
  }
  return *value;
}

Result<int> parse_bounded(std::string_view text, int lower, int upper, std::string_view what) {
  const std::optional<int> value = parse_integer(text);
  if (!value || *value < lower || *value > upper) {
    return error("expected {} from {} to {}, got \"{}\"", what, lower, upper, printable(text));
  }
  return *value;
}

Result<int> parse_samples(std::string_view text) {
  return parse_bounded(text, 1, 64, "samples per pixel");
}
Result<double> parse_share(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value || !(*value >= 0 && *value <= 1)) {
    return error("expected a number from 0 to 1, got \"{}\"", printable(text));
  }
  return *value;
}
Result<float> parse_exposure(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value || !(*value >= -20 && *value <= 20)) {
    return error("expected stops from -20 to 20, got \"{}\"", printable(text));
  }
  return static_cast<float>(*value);
}
Result<double> parse_range(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value || !(*value > 0 && *value < 1e9)) {
    return error("expected a number above 0, got \"{}\"", printable(text));
  }
  return *value;
}
Result<int> parse_camera_index(std::string_view text) {
  return parse_bounded(text, 0, 1'000'000, "an index");
}

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

float linear_from_srgb(int byte) {
  const double c = byte / 255.0;
  return static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
}

glm::vec4 linear_color(int r, int g, int b, int a) {
  return {linear_from_srgb(r), linear_from_srgb(g), linear_from_srgb(b), static_cast<float>(a) / 255.0f};
}

struct NamedColor {
  std::string_view name;
  int r, g, b, a;
};
constexpr std::array kColors = {NamedColor{"transparent", 0, 0, 0, 0},   NamedColor{"black", 0, 0, 0, 255},
                                NamedColor{"white", 255, 255, 255, 255}, NamedColor{"gray", 128, 128, 128, 255},
                                NamedColor{"grey", 128, 128, 128, 255},  NamedColor{"red", 255, 0, 0, 255},
                                NamedColor{"green", 0, 128, 0, 255},     NamedColor{"blue", 0, 0, 255, 255},
                                NamedColor{"yellow", 255, 255, 0, 255},  NamedColor{"cyan", 0, 255, 255, 255},
                                NamedColor{"magenta", 255, 0, 255, 255}};

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// "@mannequin" and the like.
std::vector<std::string> bundled_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : gltf::bundled_characters()) {
    names.push_back(fmt::format("@{}", file.name.substr(0, file.name.rfind('.'))));
  }
  return names;
}

// The ids of the rows of a table.
template <typename Rows>
std::vector<std::string> ids_of(const Rows& rows) {
  std::vector<std::string> ids;
  for (const auto& row : rows) {
    ids.emplace_back(row.id);
  }
  return ids;
}

const std::vector<std::string> kTabs = {"pose", "skinning", "compare", "weights", "shapes", "display", "info"};

Result<bool> parse_bones(std::string_view text) {
  if (text == "all" || text == "deforming") {
    return text == "deforming";
  }
  return error("expected all or deforming, got \"{}\"", printable(text));
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

Result<glm::ivec2> parse_size(std::string_view text) {
  const std::vector<std::string_view> sides = split(text, 'x');
  glm::ivec2 size(0);
  if (sides.size() == 2) {
    size = {parse_integer(sides[0]).value_or(0), parse_integer(sides[1]).value_or(0)};
  }
  if (size.x < 1 || size.y < 1 || size.x > kLargestSide || size.y > kLargestSide) {
    return error("expected WxH with sides from 1 to {} pixels, got \"{}\"", kLargestSide, printable(text));
  }
  if (std::int64_t{size.x} * size.y > kMostPixels) {
    return error("expected at most {} pixels together, got {} in \"{}\"", kMostPixels, std::int64_t{size.x} * size.y,
                 printable(text));
  }
  return size;
}

Result<DrawingOptions::Orbit> parse_camera(std::string_view text) {
  std::vector<double> numbers;
  for (const std::string_view piece : split(text, ',')) {
    const std::optional<double> number = parse_number(piece);
    if (!number) {
      numbers.clear();
      break;
    }
    numbers.push_back(*number);
  }
  if (numbers.size() < 2 || numbers.size() > 3 || std::abs(numbers[1]) > 90 ||
      (numbers.size() == 3 && !(numbers[2] > 0 && numbers[2] < 1e6))) {
    return error("expected AZIMUTH,ELEVATION[,DISTANCE] in degrees (elevation within 90) and metres, got \"{}\"",
                 printable(text));
  }
  DrawingOptions::Orbit orbit;
  orbit.azimuth = static_cast<float>(std::remainder(numbers[0], 360.0) * kDegree);
  orbit.elevation = static_cast<float>(numbers[1] * kDegree);
  if (numbers.size() == 3) {
    orbit.distance = static_cast<float>(numbers[2]);
  }
  return orbit;
}

Result<glm::vec4> parse_color(std::string_view text) {
  std::vector<std::string> names;
  for (const NamedColor& color : kColors) {
    if (text == color.name) {
      return linear_color(color.r, color.g, color.b, color.a);
    }
    names.emplace_back(color.name);
  }
  if (!text.empty() && text[0] == '#') {
    const std::string_view digits = text.substr(1);
    unsigned value = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    const bool all_hex = failure == std::errc{} && end == digits.data() + digits.size();
    const auto byte = [&](int shift) { return static_cast<int>(value >> shift & 0xFFu); };
    const auto nibble = [&](int shift) { return static_cast<int>((value >> shift & 0xFu) * 17u); };
    if (all_hex && digits.size() == 3) {
      return linear_color(nibble(8), nibble(4), nibble(0), 255);
    }
    if (all_hex && digits.size() == 6) {
      return linear_color(byte(16), byte(8), byte(0), 255);
    }
    if (all_hex && digits.size() == 8) {
      return linear_color(byte(24), byte(16), byte(8), byte(0));
    }
  }
  return error("expected #rrggbb, #rrggbbaa or a name ({}), got \"{}\"{}", joined(names), printable(text),
               suggestion(text, names));
}

Result<render::Look> parse_look(std::string_view text) {
  std::vector<std::string> ids;
  for (const render::LookInfo& info : render::kLooks) {
    if (text == info.id) {
      return info.look;
    }
    ids.emplace_back(info.id);
  }
  return error("expected one of {}, got \"{}\"{}", joined(ids), printable(text), suggestion(text, ids));
}

Result<EnvironmentFlag> parse_environment(std::string_view text) {
  std::vector<std::string> ids;
  for (const render::EnvironmentInfo& info : render::kEnvironments) {
    if (text == info.id) {
      return EnvironmentFlag{info.environment, {}};
    }
    ids.emplace_back(info.id);
  }
  if (text.find('.') != std::string_view::npos || text.find('/') != std::string_view::npos) {
    return EnvironmentFlag{render::Environment::kImage, std::string(text)};
  }
  return error("expected a .hdr file or one of {}, got \"{}\"{}", joined(ids), printable(text), suggestion(text, ids));
}

Result<render::ToneMapping> parse_tone(std::string_view text) {
  std::vector<std::string> ids;
  for (const render::ToneMappingInfo& info : render::kToneMappings) {
    if (text == info.id) {
      return info.tone;
    }
    ids.emplace_back(info.id);
  }
  return error("expected one of {}, got \"{}\"{}", joined(ids), printable(text), suggestion(text, ids));
}

deform::SkinningSettings with_pane(deform::SkinningSettings settings, const PaneFlag& flag) {
  settings.method = flag.method;
  settings.backend = flag.backend.value_or(settings.backend);
  settings.normals = flag.normals.value_or(settings.normals);
  settings.influence_limit = flag.influences.value_or(settings.influence_limit);
  return settings;
}

Result<PaneFlag> parse_pane(std::string_view text) {
  const std::vector<std::string_view> pieces = split(text, ':');
  if (pieces.empty() || pieces.size() > 4) {
    return error("expected METHOD[:BACKEND[:NORMALS[:INFLUENCES]]], got \"{}\"", printable(text));
  }
  PaneFlag pane;
  const Result<int> method = parse_method(pieces[0]);
  if (!method) {
    return method.error();
  }
  pane.method = *method;
  if (pieces.size() > 1) {
    const Result<deform::Backend> backend = parse_backend(pieces[1]);
    if (!backend) {
      return backend.error();
    }
    pane.backend = *backend;
  }
  if (pieces.size() > 2) {
    const Result<deform::NormalVariant> normals = parse_normals(pieces[2]);
    if (!normals) {
      return normals.error();
    }
    pane.normals = *normals;
  }
  if (pieces.size() > 3) {
    const Result<int> influences = parse_influences(pieces[3]);
    if (!influences) {
      return influences.error();
    }
    pane.influences = *influences;
  }
  return pane;
}

Result<deform::Measure> parse_measure(std::string_view text) {
  if (const std::optional<deform::Measure> measure = deform::find_measure(text)) {
    return *measure;
  }
  std::vector<std::string> ids;
  for (const deform::MeasureInfo& info : deform::kMeasures) {
    ids.emplace_back(info.id);
  }
  return error("expected one of {}, got \"{}\"{}", joined(ids), printable(text), suggestion(text, ids));
}

Result<AgainstFlag> parse_against(std::string_view text) {
  AgainstFlag against;
  if (text == "backend") {
    return against;
  }
  if (text == "bind") {
    against.reference = render::Reference::kBindShape;
    return against;
  }
  if (text == "full") {
    against.reference = render::Reference::kFullPrecision;
    return against;
  }
  if (const std::optional<int> pane = parse_integer(text)) {
    if (*pane < 1 || *pane > edit::kPaneLimit) {
      return error("expected a pane from 1 to {}, got \"{}\"", edit::kPaneLimit, printable(text));
    }
    against.reference = render::Reference::kPane;
    against.pane = *pane - 1;
    return against;
  }
  const Result<int> method = parse_method(text);
  if (!method) {
    return error("expected bind, backend, full, the number of a pane or a skinning method, got \"{}\"",
                 printable(text));
  }
  against.reference = render::Reference::kMethod;
  against.method = *method;
  return against;
}

Result<std::string> parse_tab(std::string_view text) {
  if (std::ranges::find(kTabs, text) != kTabs.end()) {
    return std::string(text);
  }
  return error("expected one of {}, got \"{}\"{}", joined(kTabs), printable(text), suggestion(text, kTabs));
}

Result<FrameRange> parse_frames(std::string_view text) {
  constexpr int kMost = 100'000;
  const std::vector<std::string_view> pieces = split(text, ':');
  FrameRange range;
  if (pieces.size() == 1) {
    const std::optional<int> count = parse_integer(pieces[0]);
    if (count && *count >= 1 && *count <= kMost) {
      range.count = *count;
      return range;
    }
  } else if (pieces.size() == 2 || pieces.size() == 3) {
    const std::optional<int> first = parse_integer(pieces[0]);
    const std::optional<int> last = parse_integer(pieces[1]);
    const std::optional<double> fps = pieces.size() == 3 ? parse_number(pieces[2]) : 30.0;
    const bool frames_fit = first && last && *first >= 0 && *last >= *first && *last - *first < kMost;
    if (frames_fit && fps && *fps > 0 && *fps <= 1000) {
      range.first = *first;
      range.last = *last;
      range.fps = *fps;
      return range;
    }
  }
  return error("expected N frames or A:B[:FPS] with 0 <= A <= B, got \"{}\"", printable(text));
}

namespace {

constexpr const char* kFileHelp =
    "A .gltf, .glb, .obj, .ply or .bvh file, - for standard input, or a bundled character: @mannequin, @cylinder, "
    "@elbow, "
    "@centipede, @robot";

void add_uri_flag(Command& command, EvaluationOptions& options) {
  command.add_flag("--allow-outside-uris", options.allow_outside_uris,
                   "Follow URIs that leave the file's own folder (only for files you trust)");
}

}  // namespace

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

void add_evaluation_flags(Command& command, EvaluationOptions& options) {
  Command& group = command.add_option_group("What is evaluated");
  group.add_option("--scene", options.scene, "Scene by name or index in the file (default: the file's own choice)")
      ->type_name("NAME|INDEX");
  group.add_option("--clip", options.clip, "Clip by name or index in the file; none for the rest pose")
      ->type_name("NAME|INDEX");
  add_parsed_with<double>(
      group, "--time", parse_finite, [&](double value) { options.time = value; }, "SECONDS",
      "Time on the clip's own axis (default: its start)");
  group
      .add_option("--pose", options.pose,
                  "Pose file, also of another character: joints are found by names, also in other spellings")
      ->type_name("POSE.json");
  group.add_flag("--strict", options.strict, "Fail where the character lacks something that a pose file poses");
  add_repeated<SetFlag>(group, "--set", parse_set, options.sets, "JOINT.DOF=VALUE",
                        "Move one slider, in degrees or metres; may be repeated. `pelt info FILE --joints` lists them");
  Option* bind = group.add_flag("--bind-pose", options.bind_pose, "Start from the pose in which the skin was bound");
  Option* zero = group.add_flag("--zero-pose", options.zero_pose, "Start from all sliders at zero");
  bind->excludes(zero);
  add_repeated<MorphFlag>(group, "--morph", parse_morph, options.morphs, "NAME=WEIGHT",
                          "Set a morph target's weight; may be repeated");
  add_parsed_with<int>(
      group, "--method", parse_method, [&](int row) { options.skinning.method = row; }, "ID",
      "Skinning method; `pelt info --methods` lists them (default lbs)")
      ->offers(ids_of(deform::skinning_methods()));
  add_parsed_with<deform::Backend>(
      group, "--backend", parse_backend,
      [&](deform::Backend backend) {
        options.skinning.backend = backend;
        options.backend_given = true;
      },
      "gpu|cpu", "Where the skin is computed");
  add_parsed_with<deform::NormalVariant>(
      group, "--normals", parse_normals, [&](deform::NormalVariant v) { options.skinning.normals = v; }, "a..h",
      "How normals follow the skin (default d, inverse transpose of the blend)");
  add_parsed_with<int>(
      group, "--palette", parse_palette, [&](int n) { options.skinning.palette_limit = n; }, "N",
      "Joints per palette batch, 12 to 256; 0 for no limit (default 64)");
  add_parsed_with<int>(
      group, "--influences", parse_influences, [&](int k) { options.skinning.influence_limit = k; }, "K",
      "Limit influences to the K heaviest of each vertex, 1 to 8; 0 for all (default)");
  add_parsed_with<float>(
      group, "--prune", parse_prune, [&](float threshold) { options.skinning.prune_threshold = threshold; }, "EPS",
      "Drop weights below EPS and renormalise the others (default 0)");
  add_parsed_with<WeightsFlag>(
      group, "--weights", parse_weights,
      [&](const WeightsFlag& flag) {
        options.skinning.weight_format = flag.format.value_or(options.skinning.weight_format);
        options.skinning.weights_as_stored = flag.as_stored.value_or(options.skinning.weights_as_stored);
      },
      "float|16bit|8bit|56bit|as-stored|normalised",
      "How weights are stored, and whether the file's are normalised; both may be said, with a comma (default "
      "float,normalised)");
  group.add_flag("--partition", options.skinning.partition,
                 "Draw triangles that follow one joint alone with its matrix (GPU)");
  group
      .add_repeated_option("--parameter",
                           parsed_into<ParameterFlag>(parse_parameter,
                                                      [&options](const ParameterFlag& flag) {
                                                        set_parameter(flag, options.skinning.parameters);
                                                        options.parameters.push_back(flag.id);
                                                      }),
                           "Adjust a method; may be repeated. `pelt info --methods --json` lists them")
      ->type_name("ID=VALUE");
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

void add_drawing_flags(Command& command, DrawingOptions& options) {
  Command& group = command.add_option_group("What is drawn");
  add_parsed_with<glm::ivec2>(
      group, "--size", parse_size,
      [&](glm::ivec2 size) {
        options.size = size;
        options.size_given = true;
      },
      "WxH", "Pixels (default 1280x720)");
  add_parsed_with<int>(
      group, "--samples", parse_samples, [&](int n) { options.samples = n; }, "N",
      "Samples per pixel, reduced to what the driver offers (default 4)");
  add_parsed_with<DrawingOptions::Orbit>(
      group, "--camera", parse_camera, [&](DrawingOptions::Orbit orbit) { options.camera = orbit; }, "AZ,EL[,DIST]",
      "Orbit angles in degrees (0,0 looks at the front), distance in metres (default: "
      "as far as the character needs)");
  add_parsed_with<int>(
      group, "--scene-camera", parse_camera_index, [&](int n) { options.scene_camera = n; }, "N",
      "Use the file's camera of that index");
  group.add_option("--variant", options.variant, "The file's other materials of that name (KHR_materials_variants)")
      ->type_name("NAME|INDEX");
  group.add_flag("--ortho", options.ortho, "Orthographic projection");
  add_parsed_with<glm::vec4>(
      group, "--background", parse_color, [&](glm::vec4 color) { options.background = color; }, "COLOR|transparent",
      "#rrggbb, #rrggbbaa or a colour's name instead of the studio backdrop");
  add_parsed_with<render::Look>(
      group, "--show", parse_look, [&](render::Look look) { options.look = look; }, "LOOK",
      "shaded, clay, weights, influences, weight-sum, batches, normals, difference, base-color, tangents, uv-checker, "
      "occlusion, roughness, metallic or wireframe")
      ->offers(ids_of(render::kLooks));
  add_parsed_with<EnvironmentFlag>(
      group, "--environment", parse_environment, [&](EnvironmentFlag flag) { options.environment = std::move(flag); },
      "NAME|FILE.hdr", "What shines from all around: studio (default), overcast, sunset, white, or a Radiance picture")
      ->offers(ids_of(render::kEnvironments));
  add_parsed_with<float>(
      group, "--exposure", parse_exposure, [&](float stops) { options.exposure = stops; }, "EV",
      "In stops: one more is twice as bright (default 0)");
  add_parsed_with<render::ToneMapping>(
      group, "--tone", parse_tone, [&](render::ToneMapping tone) { options.tone = tone; }, "khronos|aces|none",
      "How light becomes display colours (default khronos, PBR neutral)");
  group.add_flag_callback(
      "--no-occlusion", [&options] { options.occlusion = false; }, "Without ambient occlusion in screen space");
  group.add_option("--joint", options.joint, "The joint whose weights --show weights colours (default: all at once)")
      ->type_name("NAME");
  add_parsed_with<VertexFlag>(
      group, "--vertex", parse_vertex, [&](VertexFlag flag) { options.vertex = std::move(flag); }, "PART,V",
      "Pin vertex V of a part (by name or index): where each of its joints alone would take it, with their weights; "
      "`pelt info FILE --vertex PART,V` has the numbers");
  add_repeated<PaneFlag>(group, "--pane", parse_pane, options.panes, "METHOD[:BACKEND[:NORMALS[:INFLUENCES]]]",
                         "Another pane beside the one that --method describes, other settings as there; up to three");
  add_parsed_with<double>(
      group, "--wipe", parse_share, [&](double at) { options.wipe = static_cast<float>(at); }, "0..1",
      "The first two panes over each other, the line between them at this share of the width");
  add_parsed_with<deform::Measure>(
      group, "--measure", parse_measure, [&](deform::Measure measure) { options.measure = measure; }, "MEASURE",
      "What --show difference colours: distance, edge-strain, area-strain, volume-change or normal-angle")
      ->offers(ids_of(deform::kMeasures));
  add_parsed_with<AgainstFlag>(
      group, "--against", parse_against, [&](AgainstFlag against) { options.against = against; },
      "bind|backend|full|PANE|METHOD",
      "What --show difference compares with: the bind shape, the other backend (default), all influences as floats, a "
      "pane by its number, or the same settings with another method");
  add_parsed_with<double>(
      group, "--range", parse_range, [&](double range) { options.range = range; }, "VALUE",
      "Where the colours of --show difference end, in mm, % or degrees (default: the next of 1, 2, 2.5, 5, 10 ... from "
      "the "
      "largest value on)");
  group.add_flag("--skeleton", options.skeleton, "Draw the bones through the mesh");
  add_parsed_with<bool>(
      group, "--bones", parse_bones,
      [&](bool deforming_only) {
        options.skeleton = true;
        options.deforming_only = deforming_only;
      },
      "all|deforming", "Draw all bones, or those of joints that some weight uses");
  group.add_flag("--joint-names", options.joint_names, "Write the joints' names beside them");
  group.add_flag("--wireframe", options.wireframe, "Draw the edges");
  group.add_flag("--normal-lines", options.normals, "Draw the normals");
  group.add_flag("--centers", options.centers, "Draw what each vertex turns about (--method cor)");
  group.add_flag("--cage", options.cage, "Draw the file's own surface as lines (--subdivide, --lod)");
  group.add_flag("--mark-t-junctions", options.mark_t_junctions, "Mark vertices that lie on edges of other triangles");
  group.add_flag("--grid,!--no-grid", options.grid, "Ground with grid (default), or without");
  group.add_option("--instances", options.instances, "A crowd of N, each at another moment of the clip")
      ->type_name("N")
      ->between(1, 100000);
  group.add_flag("--ui", options.ui, "The window's panels in the picture");
  add_parsed_with<std::string>(
      group, "--tab", parse_tab, [&](std::string text) { options.tab = std::move(text); }, "TAB",
      "The panel in front: pose, skinning, compare, weights, shapes, display or info")
      ->offers(kTabs);
  group.add_option("--plot", options.plot, "Plot of the panes over that slider in the Compare panel")
      ->type_name("JOINT.DOF");
}

}  // namespace pelt::cli
