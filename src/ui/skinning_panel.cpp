#include "ui/skinning_panel.h"

#include <array>

#include <fmt/format.h>

#include "deform/skinning_methods.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

void draw_method(deform::SkinningSettings& settings, Desk& desk) {
  const auto methods = deform::skinning_methods();
  row_label(desk, "Method", "How a vertex follows its joints (M: next)");
  combo(desk, "skinning.method", static_cast<int>(methods.size()), settings.method,
        [&](int i) { return methods[static_cast<std::size_t>(i)].label; });
  const auto row = static_cast<std::size_t>(settings.method);
  if (row < methods.size()) {
    wrapped_text(methods[row].help, color::kTextDim);
  }
}

void draw_normals(deform::SkinningSettings& settings, Desk& desk) {
  const auto& variants = deform::kNormalVariants;
  int current = 0;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (variants[i].variant == settings.normals) {
      current = static_cast<int>(i);
    }
  }
  row_label(desk, "Normals", "How normals follow the skin");
  const auto label = [&](int i) {
    const deform::NormalVariantInfo& variant = variants[static_cast<std::size_t>(i)];
    return fmt::format("{}  {}", variant.letter, variant.label);
  };
  if (combo(desk, "skinning.normals", static_cast<int>(variants.size()), current, label)) {
    settings.normals = variants[static_cast<std::size_t>(current)].variant;
  }
  tip(variants[static_cast<std::size_t>(current)].help);
}

void draw_limits(deform::SkinningSettings& settings, Desk& desk) {
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
    const int joints =
        i < static_cast<int>(kPalettes.size()) ? kPalettes[static_cast<std::size_t>(i)] : settings.palette_limit;
    return joints == 0 ? std::string("Unlimited") : fmt::format("{} joints", joints);
  };
  if (combo(desk, "skinning.palette", count, current, palette_label) && current < static_cast<int>(kPalettes.size())) {
    settings.palette_limit = kPalettes[static_cast<std::size_t>(current)];
  }
  row_label(desk, "Influences", "Keeps the heaviest weights of each vertex and renormalises them");
  combo(desk, "skinning.influences", 9, settings.influence_limit,
        [](int i) { return i == 0 ? std::string("All") : fmt::format("At most {}", i); });
  row_label(desk, "");
  checkbox(desk, "skinning.as-stored", "Weights as stored", settings.weights_as_stored,
           "Uses the file's weights as they are instead of dividing by their sum");
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

void draw_cost(Desk& desk) {
  if (!section(desk, "Cost")) {
    return;
  }
  const render::RenderStats& stats = *desk.scene.stats;
  const auto line = [&](const char* label, const std::string& value, std::string_view help = {}) {
    row_label(desk, label, help);
    ImGui::AlignTextToFramePadding();
    clipped_text(value, ImGui::GetContentRegionAvail().x);
  };
  line("CPU skinning",
       desk.scene.cpu_milliseconds > 0 ? fmt::format("{:.2f} ms", desk.scene.cpu_milliseconds) : "not used",
       "The last time the CPU computed the whole character");
  line("Upload", fmt::format("{:.2f} ms", stats.upload_milliseconds));
  line("GPU", stats.gpu_milliseconds > 0 ? fmt::format("{:.2f} ms", stats.gpu_milliseconds) : "no timer here",
       "By timer query, of an earlier picture");
  line("Picture", fmt::format("{:.1f} ms", desk.scene.frame_milliseconds), "Wall clock, drawing and waiting included");
  line("Draw calls", count_text(stats.draw_calls));
  line("Palette", bytes_text(stats.palette_bytes), "Uploaded for this picture");
  line("Vertices", bytes_text(stats.vertex_bytes), "Streamed for this picture by the CPU backend");
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
      const render::BatchInfo& batch = batches[static_cast<std::size_t>(i)];
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

void draw(SkinningPanel&, Desk& desk) {
  const deform::SkinningSettings before = desk.document().state.skinning;
  deform::SkinningSettings settings = before;
  draw_method(settings, desk);
  row_label(desk, "Backend", "Where the skin is computed; the picture is the same");
  bool on_cpu = settings.backend == deform::Backend::kCpu;
  if (checkbox(desk, "skinning.cpu", "Skin on the CPU  (C)", on_cpu)) {
    settings.backend = on_cpu ? deform::Backend::kCpu : deform::Backend::kGpu;
  }
  draw_normals(settings, desk);
  draw_limits(settings, desk);
  if (!(settings == before)) {
    desk.change(edit::SetSkinning{settings});
  }
  draw_parity(desk);
  draw_cost(desk);
  draw_batches(desk);
}

}  // namespace pelt::ui
