#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/cli.h"
#include "cli/draw.h"
#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/parsed_option.h"
#include "cli/shape.h"
#include "cli/verbs.h"
#include "cli/vertex_report.h"
#include "core/huge_pages.h"
#include "core/text.h"
#include "deform/crowd.h"
#include "edit/commands.h"
#include "edit/evaluation.h"
#include "gltf/image_codec.h"
#include "render/difference_map.h"
#include "render/offscreen_context.h"
#include "render/renderer.h"

namespace pelt::cli {
namespace {

struct RenderOptions {
  EvaluationOptions evaluation;
  DrawingOptions drawing;
  std::string output;
  std::string format;  ///< png, or empty: as the name of the output says
  std::optional<FrameRange> frames;
  int turntable = 0;  ///< pictures of one turn; 0: no turntable
};

void add_render_flags(Command& verb, RenderOptions& options) {
  add_file_argument(verb, options.evaluation, true);
  verb.add_option("-o,--output", options.output, "Picture to write; - for standard output")
      ->type_name("OUT.png")
      ->required();
  verb.add_option("--format", options.format, "Format where the name does not tell, as that of a thumbnailer's file")
      ->type_name("png")
      ->one_of({"png"});
  add_parsed_with<FrameRange>(
      verb, "--frames", parse_frames, [&](FrameRange frames) { options.frames = frames; }, "all|N|A:B[:FPS]",
      "A sequence over the clip: all frames of the work range at the session's rate, N evenly spread ones, or A to B "
      "at FPS (default 30)");
  verb.add_option("--turntable", options.turntable, "A sequence of N pictures all around the character")
      ->type_name("N")
      ->between(1, 100'000)
      ->excludes("--frames");
  add_evaluation_flags(verb, options.evaluation);
  add_drawing_flags(verb, options.drawing);
  verb.footer(
      "Examples:\n"
      "  pelt render fox.glb -o fox.png --camera 30,10 --set tail.bend=40\n"
      "  pelt render fox.glb -o walk_%04d.png --clip Walk --frames 24\n"
      "  pelt render fox.glb -o weights.png --show weights --joint head --background transparent\n"
      "  pelt render fox.glb -o ghosts.png --clip Walk --time 0.4 --ghosts 3,3,4\n"
      "  pelt render @cylinder -o twist.png --set tip.twist=120 --pane dqs --measure volume-change --against bind");
}

// Endings that say what a file is, and say something else than the pictures that are written. A thumbnailer's name may
// end in anything else.
constexpr std::array<std::string_view, 32> kOtherEndings = {
    "jpg", "jpeg", "jpe", "jfif", "webp", "gif",  "bmp", "tga",  "tif",  "tiff", "ppm",
    "pgm", "pnm",  "svg", "pdf",  "psd",  "exr",  "hdr", "avif", "heic", "heif", "jxl",
    "jp2", "qoi",  "ico", "dds",  "ktx",  "ktx2", "glb", "gltf", "obj",  "ply"};

void check_render(const RenderOptions& options) {
  const bool is_sequence = options.frames || options.turntable > 0;
  const std::string ending = options.output == "-" ? "" : extension_of(options.output);
  require(options.format.empty() || std::ranges::find(kOtherEndings, ending) == kOtherEndings.end(), "--format",
          fmt::format("{} contradicts the name, which ends in .{}", options.format, ending));
  require(options.output == "-" || !options.format.empty() || extension_of(options.output) == "png", "--output",
          fmt::format("expected a name that ends in .png, got \"{}\"", printable(options.output)));
  require(!is_sequence || options.output != "-", "--output", "a sequence of pictures needs a file name");
  require(!options.drawing.camera || !options.drawing.scene_camera, "--scene-camera", "excludes --camera");
  require(options.drawing.ui || (options.drawing.tab.empty() && options.drawing.plot.empty()), "--tab, --plot",
          "need --ui");
  check_drawing(options.drawing);
  check_evaluation(options.evaluation);
  check_crowd(options.drawing, options.evaluation);
  check_time(options.evaluation);
}

// One picture of a sequence.
struct Shot {
  std::string path;
  std::optional<float> time;  ///< on the clip's axis
  float turn = 0;             ///< added to the azimuth, radians
};

// `name_%04d.png` with the number in place, or `name.png` as `name_0012.png`. Nothing but one %d or %0Nd is understood.
Result<std::string> numbered(const std::string& pattern, int number) {
  const std::size_t percent = pattern.find('%');
  if (percent == std::string::npos) {
    const std::string ending = std::filesystem::path(pattern).extension().string();
    return fmt::format("{}_{:04}{}", pattern.substr(0, pattern.size() - ending.size()), number, ending);
  }
  std::size_t end = percent + 1;
  int width = 0;
  while (end < pattern.size() && pattern[end] >= '0' && pattern[end] <= '9' && width < 100) {
    width = width * 10 + (pattern[end++] - '0');
  }
  if (end >= pattern.size() || pattern[end] != 'd' || width > 20 || pattern.find('%', end) != std::string::npos) {
    return error("-o: expected at most one %d or %04d in the name, got \"{}\"", printable(pattern));
  }
  return fmt::format("{}{:0{}}{}", pattern.substr(0, percent), number, std::max(width, 1), pattern.substr(end + 1));
}

Result<std::vector<Shot>> shots(const RenderOptions& options, const edit::Document& document) {
  std::vector<Shot> list;
  if (options.turntable > 0) {
    for (int i = 0; i < options.turntable; ++i) {
      PELT_TRY_TO(std::string path, numbered(options.output, i));
      const float turn =
          2.0f * std::numbers::pi_v<float> * static_cast<float>(i) / static_cast<float>(options.turntable);
      list.push_back({path, std::nullopt, turn});
    }
  } else if (options.frames) {
    if (document.content.clip < 0) {
      return error("--frames: needs a clip; choose one with --clip");
    }
    const FrameRange& range = *options.frames;
    PELT_TRY_TO(const std::vector<float> times, frame_times(document, range));
    for (std::size_t i = 0; i < times.size(); ++i) {
      PELT_TRY_TO(std::string path, numbered(options.output, range.first + static_cast<int>(i)));
      list.push_back({path, times[i]});
    }
  } else {
    list.push_back({options.output, std::nullopt});
  }
  return list;
}

// The box that holds the character in up to sixteen of the shots, so that a sequence does not wobble.
// @param evaluation  of the document; afterwards of another moment
// @param ghosts  whose joints are in the picture as well
Bounds framing(edit::Document document, const std::vector<Shot>& list, edit::Evaluation& evaluation,
               const render::GhostSettings& ghosts) {
  Bounds bounds;
  const std::size_t step = std::max<std::size_t>(1, (list.size() + 15) / 16);
  for (std::size_t i = 0; i < list.size(); i += step) {
    if (list[i].time) {
      edit::apply(document, {edit::SetTime{*list[i].time}, "", false});
    }
    bounds.add(shown_bounds(document, evaluation));
    if (ghosts.shown) {
      for (const edit::GhostPose& pose : evaluation.ghosts(document, ghost_moments(ghosts))) {
        for (const glm::mat4& joint : pose.world) {
          bounds.add(glm::vec3(joint[3]));
        }
      }
    }
    if (!list[i].time) {
      break;
    }
  }
  return bounds;
}

// What was asked for and changes nothing is said, so that nobody looks for it in the picture.
void note_what_is_unread(const RenderOptions& options, const edit::Document& document) {
  std::vector<int> methods;
  for (int pane = 0; pane < edit::pane_count(document.content); ++pane) {
    methods.push_back(edit::skinning_of(document.content, pane).method);
  }
  if (options.drawing.against && options.drawing.against->reference == render::Reference::kMethod) {
    methods.push_back(options.drawing.against->method);
  }
  note_unread_parameters(options.evaluation, methods);
  note_unshown_instances(*document.character);
  note_left_out(document);
  if (options.drawing.ghosts && document.content.clip < 0) {
    print_note("--ghosts: without --clip there are none");
  }
  if (options.drawing.instances > 0 && document.content.clip < 0) {
    print_note("--instances: without --clip all stand in the same pose");
  }
}

// The largest value of a difference map, in whatever picture and pane it is.
struct LargestDifference {
  float value = 0;
  float diagonal = 0;
  int part = -1;
  int vertex = -1;
  std::size_t pane = 0;
  std::optional<render::DifferenceScale> scale;  // of its picture

  void take(const render::DifferenceMap& map, std::size_t of_pane,
            const std::optional<render::DifferenceScale>& of_picture) {
    for (std::size_t p = 0; p < map.values.size(); ++p) {
      for (std::size_t v = 0; v < map.values[p].size(); ++v) {
        const float here = map.values[p][v];
        if (std::isfinite(here) && (part < 0 || std::abs(here) > std::abs(value))) {
          *this = {here, map.diagonal, static_cast<int>(p), static_cast<int>(v), of_pane, of_picture};
        }
      }
    }
  }

  [[nodiscard]] std::string text(std::size_t panes) const {
    const measure::Measure measure = scale->measure;
    const std::string place = panes > 1 ? fmt::format(" in pane {}", pane + 1) : "";
    const std::string end = scale->logarithmic ? fmt::format("{:g} % of the diagonal",
                                                             100 * static_cast<double>(render::kLookLargestDifference))
                                               : render::difference_text(measure, scale->end, 0);
    return fmt::format("difference: largest {}, at vertex {} of part {}{}; colours end at {}",
                       render::difference_text(measure, value, diagonal), vertex, part, place, end);
  }
};

// What is the same in all pictures of one run.
struct Studio {
  const RenderOptions& options;
  const WindowHooks& hooks;
  render::ViewSettings view;
  std::optional<edit::SeriesAxis> plot;
  render::PaneLayout layout;
  render::Camera camera;
  Bounds bounds;
};

// The picture with the window's panels around it.
Result<render::ImageRgba> picture_with_panels(const Studio& studio, const edit::Document& document,
                                              render::Renderer& renderer, const render::Frame& frame) {
  const DrawingOptions& drawing = studio.options.drawing;
  ViewRequest request;
  request.file = studio.options.evaluation.file;
  request.document = document;
  request.view = studio.view;
  request.tab = drawing.tab;
  request.plot = studio.plot;
  request.camera = frame.camera;
  request.camera_given = drawing.camera || drawing.scene_camera;
  request.scene_camera = drawing.scene_camera.value_or(-1);
  request.size = drawing.size;
  request.autoplay = false;
  return studio.hooks.render_with_panels(renderer, request, frame);
}

// Draws the shots of one run, one after the other, and remembers the largest difference.
class ShotPainter {
 public:
  ShotPainter(const Studio& studio, edit::Document& document, edit::Evaluation& evaluation, render::Renderer& renderer)
      : studio_(studio), document_(document), evaluation_(evaluation), renderer_(renderer) {
    if (studio.view.t_junctions) {
      marks_.set_t_junctions(document.character->meshes, edit::t_junction_lists(*document.character));
    }
  }

  Status paint(const Shot& shot) {
    if (shot.time) {
      edit::apply(document_, {edit::SetTime{*shot.time}, "", false});
    }
    const std::vector<render::Frame> frames = frames_of(shot);
    PELT_TRY_TO(const render::ImageRgba image, studio_.options.drawing.ui
                                                   ? picture_with_panels(studio_, document_, renderer_, frames.front())
                                                   : picture(frames));
    if (const auto& crowd = renderer_.stats().crowd; crowd && !crowd->refused.empty()) {
      return error("--instances {}: {}", crowd->instances, crowd->refused);
    }
    for (std::size_t pane = 0; pane < frames.size() && frames[pane].view.look == render::Look::kDifference; ++pane) {
      if (const render::DifferenceMap* map = renderer_.difference(static_cast<int>(pane))) {
        largest_.take(*map, pane, renderer_.stats().difference);
      }
    }
    const std::vector<std::uint8_t> png = gltf::encode_png(image.pixels, {image.width, image.height});
    return write_output(shot.path, {reinterpret_cast<const char*>(png.data()), png.size()});
  }

  [[nodiscard]] const LargestDifference& largest() const { return largest_; }

 private:
  std::vector<render::Frame> frames_of(const Shot& shot) {
    FrameRequest request{
        .view = studio_.view, .camera = studio_.camera, .size = studio_.options.drawing.size, .bounds = studio_.bounds};
    request.camera.azimuth += shot.turn;
    return pane_frames(document_, evaluation_, request, studio_.layout.pictures.size(), &marks_);
  }

  Result<render::ImageRgba> picture(const std::vector<render::Frame>& frames) {
    const std::vector<render::PictureText> texts =
        picture_texts(frames, studio_.layout, [&](int pane) { return marks_.cracks(document_, evaluation_, pane); });
    std::function<void(unsigned)> write;
    if (!texts.empty() && studio_.hooks.write_texts) {
      write = [&](unsigned) { studio_.hooks.write_texts(texts, studio_.layout.size); };
    }
    return renderer_.render_image(frames, studio_.layout, write);
  }

  const Studio& studio_;
  edit::Document& document_;
  edit::Evaluation& evaluation_;
  render::Renderer& renderer_;
  edit::SurfaceMarks marks_;
  LargestDifference largest_;
};

// Opens OpenGL and draws all shots.
Status paint_all(const Studio& studio, const std::vector<Shot>& list, edit::Document& document,
                 edit::Evaluation& evaluation) {
  const auto context = render::OffscreenContext::create();
  if (!context) {
    return context.error().in("OpenGL");
  }
  const auto renderer = render::Renderer::create();
  if (!renderer) {
    return renderer.error().in("OpenGL");
  }
  ShotPainter painter(studio, document, evaluation, **renderer);
  ProgressLine progress(ProgressLine::Where::kTerminal);
  for (std::size_t n = 0; n < list.size(); ++n) {
    progress.show(static_cast<float>(n) / static_cast<float>(list.size()),
                  fmt::format("picture {} of {}:", n + 1, list.size()));
    if (Status painted = painter.paint(list[n]); !painted) {
      return painted;
    }
  }
  progress.clear();
  if (painter.largest().scale) {
    print_note(painter.largest().text(studio.layout.pictures.size()));
  }
  for (const std::string& note : (*renderer)->stats().notes) {
    print_note(note);
  }
  return {};
}

// Opens the document with its pinned vertex and its panes, and finds the shots of the run.
Result<edit::Document> open_drawn(const RenderOptions& options, std::vector<Shot>& list) {
  Result<edit::Document> document = open_document(options.evaluation);
  if (!document) {
    return document;
  }
  PELT_TRY_TO(std::vector<Shot> found, shots(options, *document));
  list = std::move(found);
  PELT_TRY(pin_vertex(*document, options.drawing.vertex));
  open_panes(*document, options.drawing);
  return document;
}

Result<int> run_render(const RenderOptions& options, const WindowHooks& hooks) {
  prefer_huge_pages();
  const DrawingOptions& drawing = options.drawing;
  if (drawing.ui && !hooks.render_with_panels) {
    return error("--ui: this build has no window panels");
  }
  PELT_TRY(check_output(options.output, options.evaluation));
  std::vector<Shot> list;
  PELT_TRY_TO(edit::Document document, open_drawn(options, list));
  PELT_TRY_TO(const render::ViewSettings view, view_settings(document, drawing));
  // Again, and every one: by now it is known which pictures were read.
  for (const Shot& shot : list) {
    PELT_TRY(check_output(shot.path));
  }
  PELT_TRY_TO(const std::optional<edit::SeriesAxis> plot, plot_axis(document, drawing));
  note_what_is_unread(options, document);
  if (!hooks.write_texts && (view.joint_names || drawing.vertex)) {
    print_note("--joint-names, --vertex: this build has no letters; `pelt info --vertex` has the numbers");
  }
  edit::Evaluation evaluation;
  prepare_methods(document, evaluation);
  Bounds bounds = framing(document, list, evaluation, view.ghosts);
  if (drawing.instances > 0) {
    bounds = deform::crowd_bounds(*document.character, drawing.instances);
  }
  evaluation.update(document);
  PELT_TRY_TO(const render::Camera camera, make_camera(document, evaluation.world(), bounds, drawing));
  const Studio studio{
      options, hooks, view, plot, render::pane_layout(drawing.size, edit::pane_count(document.content), view, 1),
      camera,  bounds};
  PELT_TRY(paint_all(studio, list, document, evaluation));
  return 0;
}

}  // namespace

Verb add_render_verb(Command& verb) {
  const auto options = std::make_shared<RenderOptions>();
  add_render_flags(verb, *options);
  return {[options] { check_render(*options); },
          [options](const Surroundings& around) { return run_render(*options, around.hooks); }};
}

}  // namespace pelt::cli
