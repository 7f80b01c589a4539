#include "ui/skinning_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "deform/skin_cache.h"
#include "deform/skinning_methods.h"
#include "ui/backend_switch.h"
#include "ui/diet_section.h"
#include "ui/fast_normals_section.h"
#include "ui/icons.h"
#include "ui/surface_section.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr const char* kNotKnownYet = "not known yet";

// What a drag of one slider is merged under, so that it is one step of undo.
using MergeKey = std::string;

void draw_parameters(deform::SkinningSettings& settings, MergeKey& merge, Desk& desk) {
  const deform::SkinningMethod& method = deform::skinning_methods()[settings.method];
  using Kind = deform::MethodParameter::Kind;
  for (const deform::MethodParameter& parameter : method.parameters) {
    const std::string name = fmt::format("skinning.parameter.{}", parameter.id);
    float value = parameter.get(settings.parameters);
    if (parameter.kind == Kind::kSwitch) {
      bool on = value != 0;
      row_label(desk, "");
      if (checkbox(desk, name.c_str(), std::string(parameter.label).c_str(), on, parameter.help)) {
        parameter.set(settings.parameters, on ? 1.0f : 0.0f);
      }
      continue;
    }
    row_label(desk, std::string(parameter.label).c_str(), parameter.help);
    const bool whole = parameter.kind == Kind::kInteger;
    bool ended = false;
    const SliderStyle style{.lower = parameter.minimum,
                            .upper = parameter.maximum,
                            .format = whole ? "%.0f" : "%.3f",
                            .origin = parameter.get({}),
                            .step = whole ? 1.0f : 0.0f};
    if (value_slider(desk, name.c_str(), value, style, ImGui::GetContentRegionAvail().x, ended)) {
      const float wanted = std::clamp(value, parameter.minimum, parameter.maximum);
      if (wanted != parameter.get(settings.parameters)) {
        parameter.set(settings.parameters, wanted);
        merge = name;
      }
    }
    desk.requests.end_merge |= ended;
  }
}

// Which of several panes this tab is about.
void draw_pane_choice(Desk& desk) {
  const int panes = edit::pane_count(desk.document().content);
  if (panes < 2) {
    return;
  }
  constexpr std::array<const char*, edit::kPaneLimit> kNumbers = {"1", "2", "3", "4"};
  int pane = desk.document().view.active_pane;
  row_label(desk, "Pane", "What this tab shows and changes: the active pane");
  if (segmented(desk, "skinning.pane", std::span(kNumbers).first(panes), pane)) {
    desk.requests.active_pane = pane;
  }
}

void draw_method(deform::SkinningSettings& settings, MergeKey& merge, Desk& desk) {
  const auto methods = deform::skinning_methods();
  row_label(desk, "Method", "How a vertex follows its joints (M: next)");
  combo(desk, "skinning.method", static_cast<int>(methods.size()), settings.method,
        [&](int i) { return methods[i].label; });
  wrapped_text(methods[settings.method].help, color::kTextDim);
  draw_parameters(settings, merge, desk);
  bool any_centers = false;
  for (int pane = 0; pane < edit::pane_count(desk.document().content); ++pane) {
    const int method = edit::skinning_of(desk.document().content, pane).method;
    any_centers = any_centers || methods[method].has_centers;
  }
  if (any_centers) {
    row_label(desk, "");
    checkbox(desk, "skinning.centers", "Show the centres", desk.workspace.view.rotation_centers,
             "What each vertex turns about, through the surface, with a line to the vertex");
  }
}

void draw_normals(deform::SkinningSettings& settings, Desk& desk) {
  const deform::SkinningMethod& method = deform::skinning_methods()[settings.method];
  const auto label = [](const deform::NormalVariantInfo& variant) {
    return fmt::format("{}  {}", variant.letter, variant.label);
  };
  const auto info_of = [](deform::NormalVariant variant) {
    return *std::ranges::find(deform::kNormalVariants, variant, &deform::NormalVariantInfo::variant);
  };
  const deform::NormalVariantInfo current = info_of(settings.normals);
  const auto why_not = [&](const deform::NormalVariantInfo& variant) {
    return fmt::format("{} does not offer these; {} is shown", method.label,
                       label(info_of(deform::normals_under(method, variant.variant))));
  };
  row_label(desk, "Normals", "How normals follow the skin");
  const std::string closed = fitted_in_combo(label(current));
  if (!ImGui::BeginCombo("##skinning.normals", closed.c_str(), ImGuiComboFlags_HeightLarge)) {
    report_item(desk, "skinning.normals");
    tip(current.help);
  } else {
    for (std::size_t i = 0; i < deform::kNormalVariants.size(); ++i) {
      const deform::NormalVariantInfo& variant = deform::kNormalVariants[i];
      const bool distinct = deform::normals_under(method, variant.variant) == variant.variant;
      const bool chosen = variant.variant == settings.normals;
      if (ImGui::Selectable(label(variant).c_str(), chosen, distinct ? 0 : ImGuiSelectableFlags_Disabled)) {
        settings.normals = variant.variant;
      }
      report_item(desk, fmt::format("skinning.normals.{}", i));
      tip(distinct ? std::string(variant.help) : why_not(variant));
    }
    ImGui::EndCombo();
  }
  if (deform::normals_under(method, settings.normals) != settings.normals) {
    wrapped_text(why_not(info_of(settings.normals)), color::kTextDim);
  }
}

// When a surface is made of its control points, where the character has some.
void draw_refine(deform::SkinningSettings& settings, Desk& desk) {
  if (!deform::has_cages(desk.character())) {
    return;
  }
  row_label(desk, "Skinned",
            "What the skin moves: the mesh that was made of the control points, by weights of its own, or the control "
            "points, of which the surface is then made in each pose");
  constexpr const char* kWhen[] = {"Mesh", "Control points"};
  int when = settings.refine == deform::Refine::kAfterSkin ? 1 : 0;
  segmented(desk, "skinning.refine", kWhen, when);
  settings.refine = when == 1 ? deform::Refine::kAfterSkin : deform::Refine::kBeforeSkin;
  if (when == 1) {
    wrapped_text("The surface is made on the CPU, with normals of its posed triangles.", color::kTextDim);
  }
}

std::string length_text(double metres) {
  if (metres == 0) {
    return "0";
  }
  return metres < 1e-3 ? fmt::format("{:.2e} m", metres) : fmt::format("{:.4f} m", metres);
}

void draw_parity(Desk& desk) {
  if (!section(desk, "CPU/GPU parity")) {
    return;
  }
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  if (ImGui::Button("Measure", ImVec2(desk.theme.px(104), 0))) {
    desk.requests.measure_parity = true;
  }
  report_item(desk, "skinning.parity.measure");
  tip("Reads the GPU's result back and compares every vertex with the CPU's");
  ImGui::SameLine(0, spacing * 2);
  checkbox(desk, "skinning.parity.continuous", "Continuously", desk.workspace.parity_continuous,
           "Measures after every change of the pose; costs a read-back each time");
  if (!desk.scene.parity_error.empty()) {
    wrapped_text(desk.scene.parity_error, color::kError);
    return;
  }
  if (!desk.scene.parity) {
    dim_text("Not measured yet");
    return;
  }
  const Parity& parity = *desk.scene.parity;
  const bool stale = parity.pose_version != desk.scene.pose_version;
  const double relative = parity.diagonal > 0 ? parity.difference.max / parity.diagonal : 0;
  const bool good = relative <= 1e-5 && parity.difference.non_finite == 0;
  row_label(desk, "Verdict");
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, stale ? color::kTextDim : good ? color::kGood : color::kError);
  text(fmt::format("{}  {}", good ? icon::kCheck : icon::kWarning,
                   stale  ? "of an earlier pose"
                   : good ? "same shape"
                          : "they differ"));
  ImGui::PopStyleColor();
  const auto line = [&](const char* label, const std::string& value) {
    row_label(desk, label);
    ImGui::AlignTextToFramePadding();
    clipped_text(value, ImGui::GetContentRegionAvail().x, stale ? color::kTextDim : color::kText);
  };
  line("Largest", parity.difference.max == 0
                      ? std::string("0, bit for bit")
                      : fmt::format("{}   ({:.1e} of the diagonal)", length_text(parity.difference.max), relative));
  line("RMS", length_text(parity.difference.rms));
  if (parity.difference.worst_vertex >= 0 && parity.difference.max > 0) {
    row_label(desk, "Worst vertex");
    if (ImGui::Button(
            fmt::format("part {}, vertex {}", parity.difference.worst_part, parity.difference.worst_vertex).c_str())) {
      desk.requests.pin = glm::ivec2(parity.difference.worst_part, static_cast<int>(parity.difference.worst_vertex));
    }
    tip("Pins this vertex in the Weights tab");
  }
  if (parity.difference.non_finite > 0) {
    line("Not finite", count_text(parity.difference.non_finite));
  }
}

std::string gpu_time(const render::RenderStats& stats, double milliseconds) {
  if (!stats.has_gpu_timer) {
    return "no timer here";
  }
  if (milliseconds <= 0) {
    return kNotKnownYet;
  }
  return fmt::format("{:.2f} ms{}", milliseconds, stats.software ? "  (software rendering)" : "");
}

// How many normals the joints lose in this pose, where a drag or playback leaves time to count.
void draw_degenerate_normals(SkinningPanel& panel, Desk& desk) {
  const edit::Document& document = desk.document();
  const int pane = document.view.active_pane;
  const deform::SkinningSettings& settings = edit::skinning_of(document.content, pane);
  if (!measure::has_degenerate_normals(settings)) {
    return;
  }
  SkinningPanel::NormalCount& count = panel.normal_count;
  const bool same_question = count.character == document.character && count.pane == pane && count.settings == settings;
  const bool busy = desk.workspace.playback.playing || ImGui::IsAnyItemActive() || desk.scene.pose == nullptr ||
                    desk.scene.skin_cache == nullptr;
  const bool current = same_question && count.normals && count.pose_version == desk.scene.pose_version;
  if (!current && !busy && desk.scene.skin_cache->ready(*document.character, settings)) {
    count = {.character = document.character,
             .pose_version = desk.scene.pose_version,
             .pane = pane,
             .settings = settings,
             .normals = measure::count_degenerate_normals(*document.character, *desk.scene.pose, desk.scene.world,
                                                          settings, *desk.scene.skin_cache)};
  } else if (!same_question) {
    count.normals.reset();  // what another method lost says nothing of this one, which may still be prepared
  }
  row_label(desk, "Lost normals",
            "Vertices whose blended normal cancels out or is squashed to nothing in this pose; they show what their "
            "heaviest joint makes of it");
  const float width = ImGui::GetContentRegionAvail().x;
  if (!count.normals) {
    ImGui::AlignTextToFramePadding();
    clipped_text(kNotKnownYet, width, color::kTextDim);
  } else if (const measure::DegenerateNormals& normals = *count.normals; normals.count == 0) {
    ImGui::AlignTextToFramePadding();
    clipped_text(fmt::format("none of {}", count_text(normals.vertices)), width);
  } else {
    if (ImGui::Button(fmt::format("{} of {}", count_text(normals.count), count_text(normals.vertices)).c_str())) {
      desk.requests.pin = glm::ivec2(normals.part, normals.vertex);
    }
    tip("Pins the first of them");
  }
  report_item(desk, "skinning.lost-normals");
}

// Joint by joint against vertex by vertex, measured on request.
void draw_loop_order(SkinningPanel& panel, Desk& desk) {
  if (panel.loop_order_character != desk.document().character) {
    panel.loop_order.reset();
    panel.loop_order_character = desk.document().character;
  }
  row_label(desk, "Loop order",
            "Linear blending on one thread in two orders: each vertex sums over its joints, or each joint adds to its "
            "vertices, which writes every vertex several times");
  const std::string shown =
      panel.loop_order ? fmt::format("{:.2f} times as long by joints", panel.loop_order->ratio()) : "Measure";
  if (ImGui::Button((shown + "##loop-order").c_str(), ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    panel.loop_order = deform::measure_loop_order(desk.character(), desk.scene.world);
  }
  report_item(desk, "skinning.loop-order");
  tip(panel.loop_order ? fmt::format("{:.1f} ns per vertex vertex by vertex, {:.1f} ns joint by joint; click to "
                                     "measure again",
                                     panel.loop_order->vertex_major, panel.loop_order->bone_major)
                       : std::string("Takes a tenth of a second"));
}

// Update is what a new pose costs, whoever looks; Draw is what each picture costs.
void draw_update_and_draw(const render::RenderStats& stats, Desk& desk) {
  const bool on_cpu =
      edit::skinning_of(desk.document().content, desk.document().view.active_pane).backend == deform::Backend::kCpu;
  const double skinning = on_cpu ? desk.scene.cpu_milliseconds : stats.skinning_milliseconds;
  number_line(
      desk, "Update", skinning > 0 ? fmt::format("{:.2f} ms", skinning + stats.upload_milliseconds) : kNotKnownYet,
      "What a new pose costs, from wherever it is seen: skinning each vertex once, and what is uploaded for it");
  report_item(desk, "skinning.update");
  number_line(desk, "Draw", gpu_time(stats, stats.drawing_milliseconds),
              "What each picture costs, though nothing moves but the camera: shadows, occlusion and surfaces of this "
              "pane, by timer query");
  report_item(desk, "skinning.draw");
}

void draw_cost(SkinningPanel& panel, Desk& desk) {
  if (!section(desk, "Cost")) {
    return;
  }
  const render::RenderStats& stats = *desk.scene.stats;
  draw_update_and_draw(stats, desk);
  draw_loop_order(panel, desk);
  number_line(desk, "CPU skinning",
              desk.scene.cpu_milliseconds > 0 ? fmt::format("{:.2f} ms", desk.scene.cpu_milliseconds) : "not used",
              "The last time the CPU computed the whole character");
  number_line(desk, "Upload", fmt::format("{:.2f} ms", stats.upload_milliseconds));
  number_line(desk, "GPU skinning", gpu_time(stats, stats.skinning_milliseconds),
              "Each vertex skinned once, by timer query; measured beside the picture while this tab is open");
  number_line(desk, "GPU drawing", gpu_time(stats, stats.drawing_milliseconds),
              "Shadows, occlusion and picture of this pane, by timer query of an earlier picture");
  number_line(desk, "Picture", fmt::format("{:.1f} ms", desk.scene.frame_milliseconds),
              "Wall clock, drawing and waiting included");
  number_line(desk, "Draw calls", count_text(stats.draw_calls),
              "Of all passes of this picture, shadows and occlusion too");
  number_line(desk, "Palette", bytes_text(stats.palette_bytes), "Uploaded for this picture");
  number_line(desk, "Vertices", bytes_text(stats.vertex_bytes), "Streamed for this picture by the CPU backend");
}

void draw_batches(Desk& desk) {
  const auto& batches = desk.scene.stats->batches;
  if (!section(desk, "Palette batches")) {
    return;
  }
  for (const std::string& note : desk.scene.stats->notes) {
    wrapped_text(fmt::format("{}  {}", icon::kInfo, note), color::kWarning);
  }
  if (batches.empty()) {
    dim_text("No skinned mesh is drawn by the GPU");
    return;
  }
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingStretchSame;
  const float line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float height = line * (1.5f + static_cast<float>(std::min<std::size_t>(batches.size(), 8)));
  if (!ImGui::BeginTable("##batches", 5, kFlags, ImVec2(0, height))) {
    return;
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const char* title : {"Part", "Batch", "Joints", "Triangles", "Vertices"}) {
    ImGui::TableSetupColumn(title);
  }
  ImGui::PushFont(desk.theme.small);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(batches.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const render::BatchInfo& batch = batches[i];
      ImGui::TableNextRow();
      for (const int value : {batch.part, batch.batch, batch.joints, batch.triangles, batch.vertices}) {
        ImGui::TableNextColumn();
        text(count_text(value));
      }
    }
  }
  ImGui::PopFont();
  ImGui::EndTable();
}

}  // namespace

void draw(SkinningPanel& panel, Desk& desk) {
  const int pane = desk.document().view.active_pane;
  const deform::SkinningSettings before = edit::skinning_of(desk.document().content, pane);
  deform::SkinningSettings settings = before;
  MergeKey merge;
  draw_pane_choice(desk);
  draw_method(settings, merge, desk);
  draw_refine(settings, desk);
  row_label(desk, "Computed on", "Where the skin is computed; the picture is the same (C)");
  backend_switch(desk, "skinning.backend", settings.backend);
  draw_normals(settings, desk);
  draw_degenerate_normals(panel, desk);
  draw_fast_normals_section(panel.fast_normals, desk);
  draw_parity(desk);
  draw_surface_section(panel.surface, desk);
  draw_diet_section(panel, settings, merge, desk);
  if (!(settings == before)) {
    desk.change(edit::SetSkinning{settings, pane}, merge);
  }
  draw_cost(panel, desk);
  draw_batches(desk);
}

}  // namespace pelt::ui
