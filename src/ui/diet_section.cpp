#include "ui/diet_section.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/pose_battery.h"
#include "ui/skinning_panel.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

void draw_palette(deform::SkinningSettings& settings, Desk& desk) {
  constexpr std::array kPalettes = {24, 64, 85, 256, 0};
  int current = -1;
  for (std::size_t i = 0; i < kPalettes.size(); ++i) {
    if (kPalettes[i] == settings.palette_limit) {
      current = static_cast<int>(i);
    }
  }
  // A limit that came from the command line may be none of these.
  const bool custom = current < 0;
  const int count = static_cast<int>(kPalettes.size()) + (custom ? 1 : 0);
  current = custom ? count - 1 : current;
  row_label(desk, "Palette limit",
            "Joints that one draw may use; a mesh that needs more is split into palette batches");
  const auto palette_label = [&](int i) {
    const int joints = i < static_cast<int>(kPalettes.size()) ? kPalettes[i] : settings.palette_limit;
    return joints == 0 ? std::string("Unlimited") : fmt::format("{} joints", joints);
  };
  if (combo(desk, "skinning.palette", count, current, palette_label) && current < static_cast<int>(kPalettes.size())) {
    settings.palette_limit = kPalettes[current];
  }
}

std::string small_length_text(double metres) {
  return metres == 0 ? std::string("0") : fmt::format("{:.4g}\u2009mm", 1e3 * metres);
}

// Two values beside each other, the second one dim.
void number_pair(Desk& desk, const char* label, const std::string& value, const std::string& other,
                 std::string_view help = {}, ImU32 ink = color::kText) {
  row_label(desk, label, help);
  const float start = ImGui::GetCursorPosX();
  const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const float half = std::floor((ImGui::GetContentRegionAvail().x - gap) / 2) + gap;
  ImGui::AlignTextToFramePadding();
  clipped_text(value, half - gap, ink);
  ImGui::SameLine(start + half, 0);
  ImGui::AlignTextToFramePadding();
  clipped_text(other, ImGui::GetContentRegionAvail().x, color::kTextDim);
}

void column_heads(Desk& desk, const char* label, const std::string& first, const std::string& second,
                  std::string_view help) {
  ImGui::PushFont(desk.theme.small);
  number_pair(desk, label, first, second, help, color::kTextDim);
  ImGui::PopFont();
}

void draw_diet_settings(deform::SkinningSettings& settings, std::string& merge, Desk& desk) {
  row_label(desk, "Limit influences", "Keeps the heaviest weights of each vertex and renormalises them");
  constexpr int kAll = 9;  // right of eight
  const int limit = settings.influence_limit == 0 ? kAll : settings.influence_limit;
  auto wanted_limit = static_cast<float>(limit);
  bool limit_ended = false;
  const SliderStyle limit_style{
      .lower = 1, .upper = kAll, .format = limit == kAll ? "All" : "%.0f", .origin = kAll, .step = 1};
  if (value_slider(desk, "skinning.influences", wanted_limit, limit_style, ImGui::GetContentRegionAvail().x,
                   limit_ended)) {
    const int whole = std::clamp(static_cast<int>(std::lround(wanted_limit)), 1, kAll);
    settings.influence_limit = whole == kAll ? 0 : whole;
    merge = "skinning.influences";
  }
  desk.requests.end_merge |= limit_ended;

  row_label(desk, "Prune below", "Drops weights below this and renormalises the others");
  bool ended = false;
  const SliderStyle style{0, 0.25f, 1, "%.3f", 0, 0};
  if (value_slider(desk, "skinning.prune", settings.prune_threshold, style, ImGui::GetContentRegionAvail().x, ended)) {
    settings.prune_threshold = std::clamp(settings.prune_threshold, 0.0f, 1.0f);
    merge = "skinning.prune";
  }
  desk.requests.end_merge |= ended;

  const auto& formats = deform::kWeightFormats;
  int format = static_cast<int>(std::ranges::find(formats, settings.weight_format, &deform::WeightFormatInfo::format) -
                                formats.begin());
  row_label(desk, "Stored as", "What a weight is rounded to; both backends use what is left of it");
  if (combo(desk, "skinning.format", static_cast<int>(formats.size()), format,
            [&](int i) { return formats[i].label; })) {
    settings.weight_format = formats[format].format;
  }
  draw_palette(settings, desk);
  row_label(desk, "");
  checkbox(desk, "skinning.partition", "Rigid triangles apart", settings.partition,
           "Draws triangles that follow one joint alone with its matrix and without weights, one draw per joint (GPU)");
  row_label(desk, "");
  checkbox(
      desk, "skinning.as-stored", "Weights as stored", settings.weights_as_stored,
      "Uses the file's weights as they are instead of dividing by their sum; fixed-point weights always sum to one");
}

DietFigures measure_figures(measure::DietMeter& meter, const rig::Character& character, const rig::Pose& pose,
                            DietFigures figures, bool costs_known) {
  const auto begun = std::chrono::steady_clock::now();
  const deform::SkinningSettings& settings = figures.settings;
  if (!costs_known) {
    figures.now = measure::diet_cost(character, settings);
    deform::SkinningSettings full = measure::full_precision(settings);
    full.partition = false;
    full.palette_limit = 0;
    figures.full = measure::diet_cost(character, full);
    figures.histogram = measure::influence_histogram(character, settings);
  }
  // What takes seconds to prepare is measured when asked for.
  figures.error.reset();
  if (deform::skinning_methods()[settings.method].prepare == nullptr) {
    try {
      figures.error = meter.measure(character, settings, std::span(&pose, 1));
    } catch (const std::bad_alloc&) {
      meter.reset();  // shown as not measured
    }
  }
  figures.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return figures;
}

// Small characters are measured while the picture waits a moment for them, others meanwhile.
void update_figures(SkinningPanel& panel, const deform::SkinningSettings& settings, const Desk& desk) {
  const edit::Document& document = desk.document();
  constexpr std::chrono::milliseconds kPatience(4);
  constexpr std::chrono::minutes kAsLongAsItTakes(10);
  if (panel.next_figures == nullptr) {
    panel.next_figures =
        std::make_shared<JobSlot<DietFigures>>(desk.workspace.jobs, Jobs::Kind::kLive, "Figures of a diet");
  }
  JobSlot<DietFigures>& next = *panel.next_figures;
  const auto collect = [&] {
    if (std::optional<DietFigures> figures = next.take()) {
      panel.figures = std::move(figures);
    }
  };
  collect();
  std::optional<DietFigures>& last = panel.figures;
  const bool same_character = last && last->character == document.character;
  if (!same_character) {
    last.reset();
  }
  const bool same_settings = same_character && last->settings == settings;
  if (next.active() || (same_settings && last->pose_version == desk.scene.pose_version)) {
    return;
  }
  if (panel.meter == nullptr || !same_character) {
    panel.meter = std::make_shared<measure::DietMeter>();  // what still runs keeps its own
  }
  DietFigures wanted = same_settings ? *last : DietFigures{};
  wanted.character = document.character;
  wanted.pose_version = desk.scene.pose_version;
  wanted.settings = settings;
  next.start([meter = panel.meter, character = document.character, pose = *desk.scene.pose, wanted = std::move(wanted),
              same_settings](const Progress&) {
    return std::optional(measure_figures(*meter, *character, pose, wanted, same_settings));
  });
  if (panel.patient) {
    next.wait(kAsLongAsItTakes);
  } else if (!same_character || last->seconds < std::chrono::duration<double>(kPatience).count()) {
    next.wait(kPatience);
  }
  collect();
}

void start_run(SkinningPanel& panel, const deform::SkinningSettings& settings, const Desk& desk, bool battery) {
  edit::Document document = edit::without_history(desk.document());
  std::vector<edit::TrialPose> poses;
  if (battery) {
    poses = edit::make_battery(document, desk.workspace.battery);
  } else {
    constexpr int kMoments = 60;
    const rig::Clip& clip = document.character->clips[document.content.clip];
    for (int i = 0; i < kMoments; ++i) {
      const float time = clip.start + clip.duration() * static_cast<float>(i) / (kMoments - 1);
      poses.push_back({fmt::format("{:.2f} s", time), edit::ClipMoment{document.content.clip, time}});
    }
  }
  panel.run_character = document.character;
  panel.run = std::make_shared<DietRun>(desk.workspace.jobs, std::move(document), settings, std::move(poses),
                                        battery ? "the battery" : "the clip",
                                        battery ? std::optional(desk.workspace.battery) : std::nullopt);
}

void draw_run_result(const DietRun::Result& result, const deform::SkinningSettings& settings, Desk& desk) {
  if (result.failed) {
    wrapped_text("There is not enough memory to measure this", color::kError);
    return;
  }
  const bool other_settings = !(result.settings == settings);
  const bool other_poses = result.battery && !(*result.battery == desk.workspace.battery);
  const bool stale = other_settings || other_poses;
  wrapped_text(fmt::format("Over {} ({} poses): at most {}, RMS {}{}", result.what, result.poses,
                           small_length_text(result.error.max), small_length_text(result.error.rms),
                           other_settings ? "; measured under other settings"
                           : other_poses  ? "; measured with other random poses"
                                          : ""),
               stale ? color::kTextDim : color::kText);
  if (!result.worst_pose) {
    return;
  }
  row_label(desk, "Worst pose");
  const float width = ImGui::GetContentRegionAvail().x;
  if (ImGui::Button(fmt::format("{}##worst-pose", printable(result.worst_pose->label)).c_str(), ImVec2(width, 0))) {
    desk.workspace.playback.playing = false;
    for (edit::Change& change : edit::changes_of(desk.document(), result.tried_from, *result.worst_pose)) {
      desk.change(std::move(change), "worst pose");
    }
    desk.requests.end_merge = true;
    desk.requests.pin = glm::ivec2(result.error.worst_part, static_cast<int>(result.error.worst_vertex));
  }
  report_item(desk, "skinning.diet.worst-pose");
  tip(fmt::format("{}: shows this pose and pins its worst vertex", printable(result.worst_pose->label)));
}

void draw_run(SkinningPanel& panel, const deform::SkinningSettings& settings, Desk& desk) {
  const edit::Document& document = desk.document();
  if (panel.run_character != document.character) {
    panel.run = nullptr;
  }
  row_label(desk, "Measure over", "Many poses take a while; the window goes on meanwhile");
  if (panel.run != nullptr && panel.run->active()) {
    const float cancel = desk.theme.px(72);
    const float width = ImGui::GetContentRegionAvail().x - cancel - ImGui::GetStyle().ItemSpacing.x;
    progress_bar(desk, panel.run->fraction(), std::max(width, desk.theme.px(24)),
                 fmt::format("{:.0f}\u2009%", 100 * panel.run->fraction()));
    ImGui::SameLine();
    if (ImGui::Button("Cancel", ImVec2(cancel, 0))) {
      panel.run = nullptr;
    }
    report_item(desk, "skinning.diet.cancel");
    return;
  }
  const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = std::floor((ImGui::GetContentRegionAvail().x - gap) / 2);
  ImGui::BeginDisabled(document.content.clip < 0);
  if (ImGui::Button("Clip", ImVec2(width, 0))) {
    start_run(panel, settings, desk, false);
  }
  ImGui::EndDisabled();
  report_item(desk, "skinning.diet.clip");
  tip(document.content.clip < 0 ? "No clip is chosen" : "Sixty moments of the clip");
  ImGui::SameLine(0, gap);
  if (ImGui::Button("Battery", ImVec2(width, 0))) {
    start_run(panel, settings, desk, true);
  }
  report_item(desk, "skinning.diet.battery");
  const edit::BatteryOptions& battery = desk.workspace.battery;
  tip(battery.moments > 0
          ? fmt::format("{} moments of the clips and {} random poses, as the Compare tab says", battery.moments,
                        battery.random)
          : fmt::format("Every slider at both limits, the extremes of all clips and {} random poses, as "
                        "the Compare tab says",
                        battery.random));
  if (panel.run != nullptr && panel.run->result() != nullptr) {
    draw_run_result(*panel.run->result(), settings, desk);
  }
}

void draw_error_map(SkinningPanel& panel, Desk& desk) {
  render::ViewSettings& view = desk.workspace.view;
  bool on = view.look == render::Look::kDifference && view.compare.reference == render::Reference::kFullPrecision;
  row_label(desk, "");
  if (!checkbox(desk, "skinning.diet.map", "Error on the surface", on,
                "Colours the pose by how far limit, threshold and format move each vertex")) {
    return;
  }
  if (on) {
    panel.look_before_map = view.look;
    view.look = render::Look::kDifference;
    view.compare = {.measure = measure::Measure::kDistance, .reference = render::Reference::kFullPrecision};
  } else {
    view.look = panel.look_before_map;
    view.compare = {};
  }
}

void draw_histogram(const measure::InfluenceHistogram& histogram, Desk& desk) {
  column_heads(desk, "Joints per vertex", fmt::format("mean {:.2f}", histogram.mean()),
               fmt::format("production {:.2f}", measure::kReferenceMean),
               "Skins of about 2000 triangles: 60 % of the vertices follow one joint, 35 % two, 5 % three");
  const std::size_t rows = std::max(histogram.vertices.size(), measure::kReferenceShares.size() + 1);
  for (std::size_t k = 0; k < rows; ++k) {
    const double reference = k >= 1 && k <= measure::kReferenceShares.size() ? measure::kReferenceShares[k - 1] : 0.0;
    const double share = histogram.share(k);
    if (share == 0 && reference == 0) {
      continue;
    }
    row_label(desk, k == 0 ? "none" : fmt::format("{}", k).c_str());
    const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
    const float width = std::floor((ImGui::GetContentRegionAvail().x - gap) / 2);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ImGui::GetStyle().FramePadding.y);  // a bar is as high as its text
    bar(desk, static_cast<float>(share), color::kAccent, width, fmt::format("{:.1f} %", 100 * share));
    tip("Of this character's vertices");
    ImGui::SameLine(0, gap);
    bar(desk, static_cast<float>(reference), color::kTextDim, width, fmt::format("{:.0f} %", 100 * reference));
    tip("In production skins of about 2000 triangles");
  }
}

}  // namespace

void draw_diet_section(SkinningPanel& panel, deform::SkinningSettings& settings, std::string& merge, Desk& desk) {
  if (!section(desk, "Simulate storage")) {
    return;
  }
  draw_diet_settings(settings, merge, desk);
  const deform::SkinningSettings& shown = edit::skinning_of(desk.document().content, desk.document().view.active_pane);
  update_figures(panel, shown, desk);
  if (!panel.figures) {
    dim_text("Measuring\u2026");
    return;
  }
  const DietFigures& figures = *panel.figures;
  const measure::DietCost& now = figures.now;
  const measure::DietCost& full = figures.full;
  column_heads(desk, "", "as set", "in full", "In full: all influences as floats, one palette, nothing drawn apart");
  const auto bytes_per_vertex = [](const measure::DietCost& cost) {
    return fmt::format("{:.3g} B", cost.bytes_per_vertex);
  };
  number_pair(desk, "Per vertex", bytes_per_vertex(now), bytes_per_vertex(full), "Joint indices and weights");
  number_pair(desk, "Resident", bytes_text(now.resident_bytes), bytes_text(full.resident_bytes),
              "Vertices and indices in GPU memory");
  number_pair(desk, "Batches", count_text(now.batches), count_text(full.batches), "Draws with a palette of their own");
  number_pair(desk, "Draw calls", count_text(now.draw_calls), count_text(full.draw_calls), "Of one pass");
  number_pair(desk, "Upload", bytes_text(now.upload_bytes), bytes_text(full.upload_bytes), "For each new pose");
  if (now.rigid_triangles > 0) {
    number_pair(desk, "Triangles", fmt::format("{} rigid", count_text(now.rigid_triangles)),
                fmt::format("{} skinned", count_text(now.skinned_triangles)), "Drawn apart, and the others");
  }
  if (now.reduced_vertices > 0) {
    number_line(desk, "Cut back", fmt::format("{} vertices", count_text(now.reduced_vertices)),
                "Vertices that follow more joints in the file than limit, threshold and format leave them");
  }
  if (figures.error) {
    const measure::DietError& error = *figures.error;
    number_line(desk, "Largest error", small_length_text(error.max),
                "How far limit, threshold and format move a vertex of the pose on screen");
    number_line(desk, "RMS error", small_length_text(error.rms));
    if (error.worst_vertex >= 0) {
      row_label(desk, "Worst vertex");
      if (ImGui::Button(fmt::format("part {}, vertex {}##diet", error.worst_part, error.worst_vertex).c_str())) {
        desk.requests.pin = glm::ivec2(error.worst_part, static_cast<int>(error.worst_vertex));
      }
      report_item(desk, "skinning.diet.worst");
      tip("Pins this vertex in the Weights tab");
    }
  } else {
    number_line(desk, "Error", "measured on demand",
                "This method prepares for its weights, which takes too long for every change");
  }
  draw_error_map(panel, desk);
  draw_run(panel, shown, desk);
  draw_histogram(figures.histogram, desk);
}

}  // namespace pelt::ui
