#include "cli/crowd_benchmark.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/draw.h"
#include "cli/output.h"
#include "core/text.h"
#include "deform/crowd.h"
#include "edit/evaluation.h"
#include "render/offscreen_context.h"
#include "render/renderer.h"

namespace pelt::cli {
namespace {

constexpr glm::ivec2 kSize(1280, 720);
// Beyond this a limb placed by 16-bit floats visibly trembles.
constexpr double kVisibleMetres = 1e-3;

struct CrowdRow {
  render::CrowdStats crowd;
  int draw_calls = 0;
  std::int64_t uploaded_bytes = 0;
  double milliseconds = 0;  ///< median of one picture
  int runs = 0;
};

// What 16-bit floats would do to this character, metres.
double half_precision_error(const edit::Document& document) {
  std::vector<int> clips = {document.content.clip};
  if (document.content.clip < 0 && !document.character->clips.empty()) {
    clips.resize(document.character->clips.size());
    std::iota(clips.begin(), clips.end(), 0);
  }
  const deform::BakedPalettes baked = deform::bake_palettes(*document.character, clips);
  return deform::largest_distance(*document.character, baked, deform::in_half_precision(baked));
}

Result<CrowdRow> measure(render::Renderer& renderer, render::Frame frame, double seconds) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (int run = 0; times.size() < 3 || Clock::now() < end; ++run) {
    frame.clip_seconds += 1.0 / 60;
    const auto start = Clock::now();
    PELT_TRY_TO(const render::ImageRgba image, renderer.render_image(frame));
    if (run > 0) {  // the first one bakes and uploads
      times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  const render::RenderStats& stats = renderer.stats();
  if (!stats.crowd || !stats.crowd->refused.empty()) {
    return error("--instances {}: {}", frame.view.instances,
                 stats.crowd ? stats.crowd->refused : "the character has nothing to draw");
  }
  return CrowdRow{*stats.crowd, stats.draw_calls, stats.vertex_bytes, times[times.size() / 2] * 1e3,
                  static_cast<int>(times.size())};
}

// 1, 4, 16 ... and the last itself.
std::vector<int> crowd_sizes(int last) {
  std::vector<int> counts;
  for (int count = 1; count < last; count *= 4) {
    counts.push_back(count);
  }
  counts.push_back(last);
  return counts;
}

Result<std::vector<CrowdRow>> measure_crowds(const edit::Document& document, int instances, double seconds,
                                             render::Renderer& renderer) {
  edit::Evaluation evaluation;
  evaluation.update(document);
  std::vector<CrowdRow> rows;
  for (const int count : crowd_sizes(instances)) {
    render::ViewSettings view;
    view.instances = count;
    FrameRequest request{
        .view = std::move(view), .size = kSize, .bounds = deform::crowd_bounds(*document.character, count)};
    render::frame(request.camera, request.bounds, static_cast<float>(kSize.x) / static_cast<float>(kSize.y));
    render::Frame frame =
        make_frame(document, evaluation, std::move(request), 0, nullptr, [](const render::Frame&) { return true; });
    PELT_TRY_TO(CrowdRow row, measure(renderer, std::move(frame), seconds));
    rows.push_back(std::move(row));
  }
  return rows;
}

double vertices_per_second(const CrowdRow& row) {
  return row.milliseconds > 0 ? static_cast<double>(row.crowd.vertices) / row.milliseconds * 1e3 : 0;
}

/// @param half  metres by which 16-bit floats would move vertices
std::string crowd_json(const std::vector<CrowdRow>& rows, const std::string& file, const std::string& device,
                       double half) {
  nlohmann::ordered_json out;
  out["file"] = file;
  out["gpu"] = device;
  out["size"] = {kSize.x, kSize.y};
  out["matrix_bytes"] = rows.back().crowd.matrix_bytes;
  out["half_precision_error"] = half;
  out["half_precision_visible"] = half > kVisibleMetres;
  out["crowds"] = nlohmann::ordered_json::array();
  for (const CrowdRow& row : rows) {
    out["crowds"].push_back({{"instances", row.crowd.instances},
                             {"visible", row.crowd.visible},
                             {"draw_calls", row.draw_calls},
                             {"uploaded_bytes", row.uploaded_bytes},
                             {"resident_bytes", row.crowd.resident_bytes},
                             {"vertices", row.crowd.vertices},
                             {"milliseconds", row.milliseconds},
                             {"vertices_per_second", vertices_per_second(row)},
                             {"runs", row.runs}});
  }
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string crowd_text(const std::vector<CrowdRow>& rows, const std::string& file, const std::string& device,
                       double half) {
  std::string text = fmt::format("{}: crowds of {} x {} pixels, {}\n", file, kSize.x, kSize.y, device);
  text += fmt::format("{:>9} {:>8} {:>11} {:>12} {:>10} {:>10} {:>11} {:>18} {:>5}\n", "instances", "visible",
                      "draw calls", "uploaded", "resident", "vertices", "ms/picture", "million vertices/s", "runs");
  for (const CrowdRow& row : rows) {
    text += fmt::format("{:>9} {:>8} {:>11} {:>10} B {:>7.1f} MB {:>10} {:>11.2f} {:>18.1f} {:>5}\n",
                        row.crowd.instances, row.crowd.visible, row.draw_calls, row.uploaded_bytes,
                        static_cast<double>(row.crowd.resident_bytes) / 1e6, row.crowd.vertices, row.milliseconds,
                        vertices_per_second(row) / 1e6, row.runs);
  }
  text += fmt::format(
      "Median of whole pictures, shadows and reading the picture back included; vertices counted once.\n"
      "Baked matrices: {} bytes. As 16-bit floats they would move vertices by up to {:.3g} mm.\n",
      rows.back().crowd.matrix_bytes, half * 1e3);
  return text;
}

}  // namespace

Result<std::string> benchmark_crowd(const edit::Document& document, const std::string& file, int instances,
                                    double seconds, bool json) {
  const auto context = render::OffscreenContext::create();
  if (!context) {
    return context.error().in("OpenGL");
  }
  const auto renderer = render::Renderer::create();
  if (!renderer) {
    return renderer.error().in("OpenGL");
  }
  PELT_TRY_TO(const std::vector<CrowdRow> rows, measure_crowds(document, instances, seconds, **renderer));
  const double half = half_precision_error(document);
  if (half > kVisibleMetres) {
    print_note(
        fmt::format("{}: 16-bit floats would move vertices by up to {:.3g} mm, which is visible", file, half * 1e3));
  }
  const std::string device((*renderer)->device());
  return json ? crowd_json(rows, file, device, half) : crowd_text(rows, file, device, half);
}

}  // namespace pelt::cli
