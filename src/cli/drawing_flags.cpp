// The flags that say what is drawn, and the values that they take.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cli/flag_values.h"
#include "cli/options.h"
#include "cli/parsed_option.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/document.h"
#include "math/angle.h"

namespace pelt::cli {
namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 27;  // a gigabyte, in what they are drawn into and written from
constexpr int kLargestSide = 16384;                          // pixels; beyond this drivers refuse the framebuffer

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

const std::vector<std::string> kTabs = {"keys",    "clips",   "pose",  "skinning", "compare", "weights", "shapes",
                                        "display", "drivers", "info",  "joints",   "layers",  "lessons", "ik",
                                        "motion",  "library", "paint", "bind",     "tools"};

Result<render::GhostSettings> parse_ghosts(std::string_view text) {
  const std::vector<std::string_view> pieces = split(text, ',');
  render::GhostSettings ghosts{.shown = true};
  const auto wrong = [&] {
    return error("expected BEFORE,AFTER[,STEP|keys], two counts from 0 to {} and a step from 1 to {}, got \"{}\"",
                 render::kMostGhosts, render::kMostGhostStep, printable(text));
  };
  if (pieces.size() < 2 || pieces.size() > 3) {
    return wrong();
  }
  ghosts.on_keys = pieces.size() == 3 && pieces[2] == "keys";
  ghosts.before = parse_integer(pieces[0]).value_or(-1);
  ghosts.after = parse_integer(pieces[1]).value_or(-1);
  if (pieces.size() == 3 && !ghosts.on_keys) {
    ghosts.step = parse_integer(pieces[2]).value_or(-1);
  }
  const auto is_count = [](int count) { return count >= 0 && count <= render::kMostGhosts; };
  if (!is_count(ghosts.before) || !is_count(ghosts.after) || ghosts.step < 1 || ghosts.step > render::kMostGhostStep) {
    return wrong();
  }
  return ghosts;
}

Result<bool> parse_bones(std::string_view text) {
  if (text == "all" || text == "deforming") {
    return text == "deforming";
  }
  return error("expected all or deforming, got \"{}\"", printable(text));
}

Result<std::string> parse_part(std::string_view text) {
  return std::string(text);  // looked up once there is a character
}

Result<std::string> parse_tab(std::string_view text) {
  if (std::ranges::find(kTabs, text) != kTabs.end()) {
    return std::string(text);
  }
  return error("expected one of {}, got \"{}\"{}", joined(kTabs), printable(text), suggestion(text, kTabs));
}

void add_picture_flags(Command& group, DrawingOptions& options) {
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
  group.add_option("--behind", options.behind, "A PNG, JPEG or WebP picture behind the character, over the background")
      ->type_name("PICTURE");
  add_parsed_with<double>(
      group, "--behind-opacity", parse_share, [&](double share) { options.behind_opacity = static_cast<float>(share); },
      "0..1", "How much of that picture is seen (default 1)");
  add_repeated<std::string>(group, "--hide", parse_part, options.hide, "PART",
                            "Leave a part out, by its index or its name; several times");
  add_repeated<std::string>(group, "--only", parse_part, options.only, "PART", "Show only that part; several times");
}

void add_look_flags(Command& group, DrawingOptions& options) {
  add_parsed_with<render::Look>(
      group, "--show", parse_look, [&](render::Look look) { options.look = look; }, "LOOK",
      "shaded, clay, weights, influences, weight-sum, batches, normals, difference, base-color, tangents, uv-checker, "
      "occlusion, roughness, metallic, wireframe or mask (the weight of --joint from black to white)")
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
}

void add_pane_flags(Command& group, DrawingOptions& options) {
  add_repeated<PaneFlag>(group, "--pane", parse_pane, options.panes, "METHOD[:BACKEND[:NORMALS[:INFLUENCES[:REFINE]]]]",
                         "Another pane beside the one that --method describes, other settings as there; up to three");
  add_parsed_with<double>(
      group, "--wipe", parse_share, [&](double at) { options.wipe = static_cast<float>(at); }, "0..1",
      "The first two panes over each other, the line between them at this share of the width");
  add_parsed_with<measure::Measure>(
      group, "--measure", parse_measure, [&](measure::Measure measure) { options.measure = measure; }, "MEASURE",
      "What --show difference colours: distance, edge-strain, area-strain, volume-change or normal-angle")
      ->offers(ids_of(measure::kMeasures));
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
}

void add_overlay_flags(Command& group, DrawingOptions& options) {
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
  group.add_flag("--isolines", options.isolines, "Draw lines where the weight of --joint is 0.1, 0.2 ... 0.9");
  group.add_flag("--centers", options.centers, "Draw what each vertex turns about (--method cor)");
  group.add_flag(
      "--cage", options.cage,
      "Draw the file's own surface as lines (--subdivide, --lod), or the control points that --refine after skins");
  group.add_flag("--mark-t-junctions", options.mark_t_junctions, "Mark vertices that lie on edges of other triangles");
  group.add_flag("--grid,!--no-grid", options.grid, "Ground with grid (default), or without");
  add_parsed_with<render::GhostSettings>(
      group, "--ghosts", parse_ghosts, [&](const render::GhostSettings& ghosts) { options.ghosts = ghosts; },
      "BEFORE,AFTER[,STEP|keys]",
      "Silhouettes of the clip before and after the time shown, STEP frames apart (default 2), or at its keys");
  group.add_option("--instances", options.instances, "A crowd of N, each at another moment of the clip")
      ->type_name("N")
      ->between(1, 100000);
  group.add_flag("--ui", options.ui, "The window's panels in the picture");
  add_parsed_with<std::string>(
      group, "--tab", parse_tab, [&](std::string text) { options.tab = std::move(text); }, "TAB",
      "The panel in front: keys, clips, motion, pose, library, ik, skinning, compare, paint, weights, bind, tools, "
      "shapes, display, "
      "drivers, info, "
      "joints, layers or lessons")
      ->offers(kTabs);
  group.add_option("--plot", options.plot, "Plot of the panes over that slider in the Compare panel")
      ->type_name("JOINT.DOF");
}

}  // namespace

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

Result<measure::Measure> parse_measure(std::string_view text) {
  if (const std::optional<measure::Measure> measure = measure::find_measure(text)) {
    return *measure;
  }
  std::vector<std::string> ids;
  for (const measure::MeasureInfo& info : measure::kMeasures) {
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

void add_drawing_flags(Command& command, DrawingOptions& options) {
  Command& group = command.add_option_group("What is drawn");
  add_picture_flags(group, options);
  add_look_flags(group, options);
  add_pane_flags(group, options);
  add_overlay_flags(group, options);
}

void check_drawing(const DrawingOptions& options) {
  require((!options.measure && !options.against && !options.range) || !options.look ||
              options.look == render::Look::kShaded || options.look == render::Look::kDifference,
          "--measure, --against, --range", "are about --show difference");
  require(options.panes.size() < static_cast<std::size_t>(edit::kPaneLimit), "--pane",
          fmt::format("at most {} beside the first", edit::kPaneLimit - 1));
  require(!options.wipe || !options.panes.empty(), "--wipe", "needs --pane");
  require(!options.vertex || options.instances == 0, "--vertex", "excludes --instances");
  require(!options.ghosts || options.instances == 0, "--ghosts", "excludes --instances");
  require(options.instances == 0 || options.panes.empty(), "--instances", "excludes --pane");
  require(options.instances == 0 || render::draws_crowds(options.look.value_or(render::Look::kShaded)), "--instances",
          "needs --show shaded or another look of the surface");
  require(!options.against || options.against->reference != render::Reference::kPane ||
              options.against->pane <= static_cast<int>(options.panes.size()),
          "--against", fmt::format("expected a pane from 1 to {}", options.panes.size() + 1));
}

void check_crowd(const DrawingOptions& drawing, const EvaluationOptions& evaluation) {
  const std::string_view method = deform::skinning_methods()[evaluation.skinning.method].id;
  require(drawing.instances == 0 || method == "lbs", "--instances", "a crowd is skinned by lbs alone");
  require(drawing.instances == 0 || (!evaluation.pose && evaluation.sets.empty() && evaluation.morphs.empty()),
          "--instances", "excludes --pose, --set and --morph; a crowd plays clips");
  require(drawing.instances == 0 || (evaluation.layers.empty() && !evaluation.stop_after), "--instances",
          "excludes --layer and --stop-after; a crowd plays clips");
}

}  // namespace pelt::cli
