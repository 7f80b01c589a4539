#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "cli/draw.h"
#include "cli/open.h"
#include "cli/output.h"
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
      Result<std::string> path = numbered(options.output, i);
      if (!path) {
        return path.error();
      }
      const float turn =
          2.0f * std::numbers::pi_v<float> * static_cast<float>(i) / static_cast<float>(options.turntable);
      list.push_back({*path, std::nullopt, turn});
    }
  } else if (options.frames) {
    if (document.state.clip < 0) {
      return error("--frames: needs a clip; choose one with --clip");
    }
    const rig::Clip& clip = document.character->clips[static_cast<std::size_t>(document.state.clip)];
    const FrameRange& range = *options.frames;
    const std::vector<float> times = frame_times(clip, range);
    for (std::size_t i = 0; i < times.size(); ++i) {
      Result<std::string> path = numbered(options.output, range.first + static_cast<int>(i));
      if (!path) {
        return path.error();
      }
      list.push_back({*path, times[i]});
    }
  } else {
    list.push_back({options.output, std::nullopt});
  }
  return list;
}

// The box that holds the character in up to sixteen of the shots, so that a sequence does not wobble.
// @param evaluation  of the document; afterwards of another moment
Bounds framing(edit::Document document, const std::vector<Shot>& list, edit::Evaluation& evaluation) {
  Bounds bounds;
  const std::size_t step = std::max<std::size_t>(1, (list.size() + 15) / 16);
  for (std::size_t i = 0; i < list.size(); i += step) {
    if (list[i].time) {
      edit::apply(document, {edit::SetTime{*list[i].time}, "", false});
    }
    bounds.add(shown_bounds(document, evaluation));
    if (!list[i].time) {
      break;
    }
  }
  return bounds;
}

// What was asked for and changes nothing is said, so that nobody looks for it in the picture.
void note_what_is_unread(const RenderOptions& options, const edit::Document& document) {
  std::vector<int> methods;
  for (int pane = 0; pane < edit::pane_count(document.state); ++pane) {
    methods.push_back(edit::skinning_of(document.state, pane).method);
  }
  if (options.drawing.against && options.drawing.against->reference == render::Reference::kMethod) {
    methods.push_back(options.drawing.against->method);
  }
  note_unread_parameters(options.evaluation, methods);
  note_unshown_instances(*document.character);
  note_left_out(document);
  if (options.drawing.instances > 0 && document.state.clip < 0) {
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
    const deform::Measure measure = scale->measure;
    const std::string place = panes > 1 ? fmt::format(" in pane {}", pane + 1) : "";
    const std::string end = scale->logarithmic ? fmt::format("{:g} % of the diagonal",
                                                             100 * static_cast<double>(render::kLookLargestDifference))
                                               : render::difference_text(measure, scale->end, 0);
    return fmt::format("difference: largest {}, at vertex {} of part {}{}; colours end at {}",
                       render::difference_text(measure, value, diagonal), vertex, part, place, end);
  }
};

}  // namespace

Result<int> run_render(const RenderOptions& options, const WindowHooks& hooks) {
  prefer_huge_pages();
  if (options.drawing.ui && !hooks.render_with_panels) {
    return error("--ui: this build has no window panels");
  }
  if (Status writable = check_output(options.output, options.evaluation); !writable) {
    return writable.error();
  }
  Result<edit::Document> document = open_document(options.evaluation);
  if (!document) {
    return document.error();
  }
  const rig::Character& character = *document->character;
  const Result<std::vector<Shot>> list = shots(options, *document);
  if (!list) {
    return list.error();
  }
  if (Status pinned = pin_vertex(*document, options.drawing.vertex); !pinned) {
    return pinned.error();
  }
  open_panes(*document, options.drawing);
  const Result<render::ViewSettings> view = view_settings(*document, options.drawing);
  if (!view) {
    return view.error();
  }
  // Again, and every one: by now it is known which pictures were read.
  for (const Shot& shot : *list) {
    if (Status writable = check_output(shot.path); !writable) {
      return writable.error();
    }
  }
  const Result<std::optional<edit::SeriesAxis>> plot = plot_axis(*document, options.drawing);
  if (!plot) {
    return plot.error();
  }
  note_what_is_unread(options, *document);
  if (!hooks.write_texts && (view->joint_names || options.drawing.vertex)) {
    print_note("--joint-names, --vertex: this build has no letters; `pelt info --vertex` has the numbers");
  }
  edit::Evaluation evaluation;
  prepare_methods(*document, evaluation);
  Bounds bounds = framing(*document, *list, evaluation);
  if (options.drawing.instances > 0) {
    bounds = deform::crowd_bounds(character, options.drawing.instances);
  }
  evaluation.update(*document);
  const render::PaneLayout layout =
      render::pane_layout(options.drawing.size, edit::pane_count(document->state), *view, 1);
  const Result<render::Camera> camera = make_camera(*document, evaluation.world(), bounds, options.drawing);
  if (!camera) {
    return camera.error();
  }
  const auto context = render::OffscreenContext::create();
  if (!context) {
    return context.error().in("OpenGL");
  }
  const auto renderer = render::Renderer::create();
  if (!renderer) {
    return renderer.error().in("OpenGL");
  }
  edit::SurfaceMarks marks;
  if (view->t_junctions) {
    marks.set_t_junctions(document->character_version, edit::t_junction_lists(character));
  }
  LargestDifference largest;
  ProgressLine progress(ProgressLine::Where::kTerminal);
  for (std::size_t n = 0; n < list->size(); ++n) {
    const Shot& shot = (*list)[n];
    progress.show(static_cast<float>(n) / static_cast<float>(list->size()),
                  fmt::format("picture {} of {}:", n + 1, list->size()));
    if (shot.time) {
      edit::apply(*document, {edit::SetTime{*shot.time}, "", false});
    }
    std::vector<render::Frame> frames = pane_frames(*document, evaluation, *view, layout.pictures.size());
    for (render::Frame& frame : frames) {
      set_surface_marks(frame, *document, evaluation, marks);
      frame.camera = *camera;
      frame.camera.azimuth += shot.turn;
      frame.size = options.drawing.size;
      frame.bounds.add(bounds);
    }
    Result<render::ImageRgba> image = error("no picture");
    if (options.drawing.ui) {
      ViewRequest request;
      request.file = options.evaluation.file;
      request.document = *document;
      request.view = *view;
      request.tab = options.drawing.tab;
      request.plot = *plot;
      request.camera = frames.front().camera;
      request.camera_given = options.drawing.camera || options.drawing.scene_camera;
      request.scene_camera = options.drawing.scene_camera.value_or(-1);
      request.size = options.drawing.size;
      request.autoplay = false;
      image = hooks.render_with_panels(**renderer, request, frames.front());
    } else {
      const std::vector<render::PictureText> texts =
          picture_texts(frames, layout, [&](int pane) { return marks.cracks(*document, evaluation, pane); });
      const auto write = [&](unsigned) { hooks.write_texts(texts, layout.size); };
      image = (*renderer)->render_image(
          frames, layout,
          texts.empty() || !hooks.write_texts ? std::function<void(unsigned)>() : std::function<void(unsigned)>(write));
    }
    if (!image) {
      return image.error();
    }
    if (const auto& crowd = (*renderer)->stats().crowd; crowd && !crowd->refused.empty()) {
      return error("--instances {}: {}", crowd->instances, crowd->refused);
    }
    for (std::size_t pane = 0; pane < frames.size() && frames[pane].view.look == render::Look::kDifference; ++pane) {
      if (const render::DifferenceMap* map = (*renderer)->difference(static_cast<int>(pane))) {
        largest.take(*map, pane, (*renderer)->stats().difference);
      }
    }
    const std::vector<std::uint8_t> png = gltf::encode_png(image->pixels, {image->width, image->height});
    const std::string_view bytes(reinterpret_cast<const char*>(png.data()), png.size());
    if (Status written = write_output(shot.path, bytes); !written) {
      return written.error();
    }
  }
  progress.clear();
  if (largest.scale) {
    print_note(largest.text(layout.pictures.size()));
  }
  for (const std::string& note : (*renderer)->stats().notes) {
    print_note(note);
  }
  return 0;
}

}  // namespace pelt::cli
