#include "ui/export_choices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <imgui.h>

#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {

std::string influences_written(const measure::InfluenceHistogram& histogram, int limit) {
  constexpr int kEverywhere = 4;  // JOINTS_0 and WEIGHTS_0
  const auto above = [&](int count) {
    std::int64_t vertices = 0;
    for (std::size_t k = static_cast<std::size_t>(count) + 1; k < histogram.vertices.size(); ++k) {
      vertices += histogram.vertices[k];
    }
    return vertices;
  };
  const auto have = [](std::int64_t n) { return n == 1 ? "1 vertex has" : count_text(n) + " vertices have"; };
  const int kept = limit == 0 ? kEverywhere : std::min(limit, kEverywhere);
  const std::int64_t more = above(kept);
  if (more == 0) {
    return {};
  }
  std::string text = fmt::format("{} more than {}", have(more), count_of(kept, "influence", "influences"));
  if (limit != 0 && limit <= kEverywhere) {
    return text +
           (limit == 1 ? ": only the heaviest is written" : fmt::format(": only the heaviest {} are written", limit));
  }
  const int most = static_cast<int>(histogram.vertices.size()) - 1;
  text += limit != 0 && most > limit ? fmt::format(": the heaviest {} are written, those after four", limit)
                                     : fmt::format(", up to {}: all are written, those after four", most);
  return text + " as JOINTS_1, which some programs leave out";
}

namespace {

// What of the character the file will not have, or not as other programs read it. Tells how many rows that takes.
int draw_written(const rig::Conversion& conversion, CountedInfluences& counted, Desk& desk) {
  if (counted.of != desk.document().character) {
    counted.of = desk.document().character;
    counted.histogram = measure::influence_histogram(*counted.of, {});
  }
  const std::string written = influences_written(counted.histogram, conversion.influence_limit);
  const bool cuts = !written.empty() && (conversion.influence_limit == 0 || conversion.influence_limit > 4);
  const edit::Content& content = desk.document().content;
  const bool is_posed = !content.overrides->empty() || !content.morph_overrides->empty();
  const bool leaves_pose = is_posed && !conversion.bake_pose;
  std::string text =
      leaves_pose ? "The pose set by hand is not written (\"Pose as rest\" does, or keys in a clip)." : "";
  text += written.empty() ? "" : (text.empty() ? "" : " ") + written + ".";
  ImGui::BeginGroup();
  wrapped_text(text.empty() ? "No vertex has more influences than are written" : text,
               cuts || leaves_pose ? color::kWarning : color::kTextDim);
  ImGui::EndGroup();
  report_item(desk, leaves_pose ? "export.pose-left" : "export.written");
  const float height = ImGui::GetItemRectSize().y + ImGui::GetStyle().ItemSpacing.y;
  return static_cast<int>(std::ceil(height / ImGui::GetFrameHeightWithSpacing()));
}

}  // namespace

int draw_export_choices(ExportRequest& choices, CountedInfluences& counted, Desk& desk) {
  int rows = 0;
  const ImGuiStyle& style = ImGui::GetStyle();
  float room = 0;
  const auto begin = [&](float width) {
    if (rows > 0 && width + style.ItemSpacing.x <= room) {
      ImGui::SameLine();
      room -= width + style.ItemSpacing.x;
    } else {
      room = ImGui::GetContentRegionAvail().x - width;
      ++rows;
    }
  };
  const auto check = [&](const char* label, bool& value, const char* help, const char* id) {
    begin(ImGui::GetFrameHeight() + style.ItemInnerSpacing.x + ImGui::CalcTextSize(label).x);
    checkbox(desk, id, label, value, help);
  };
  const auto choose_from = [&](const char* label, std::span<const char* const> names, int& chosen, const char* id) {
    begin(desk.theme.px(110) + style.ItemSpacing.x + ImGui::CalcTextSize(label).x);
    ImGui::AlignTextToFramePadding();
    dim_text(label);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(desk.theme.px(110));
    combo(desk, id, static_cast<int>(names.size()), chosen, [&](int i) { return names[i]; });
  };
  constexpr std::array kFormats = {"32-bit float", "16 bit", "8 bit"};  // as in WeightFormat
  constexpr std::array kLimits = {"all", "8", "4", "2", "1"};
  constexpr std::array kCounts = {0, 8, 4, 2, 1};
  int format = static_cast<int>(choices.weights);
  choose_from("Weights", kFormats, format, "export.weights");
  choices.weights = static_cast<mesh::WeightFormat>(format);
  rig::Conversion& conversion = choices.conversion;
  const auto known = std::find(kCounts.begin(), kCounts.end(), conversion.influence_limit);
  int limit = static_cast<int>(known - kCounts.begin());
  choose_from("Limit influences", kLimits, limit, "export.influences");
  conversion.influence_limit = kCounts[limit];
  check("Quantise", choices.quantize, "Positions in 16 bits of their box, normals in 8 (KHR_mesh_quantization)",
        "export.quantize");
  check("Compress", choices.meshopt, "Without loss, where readers know EXT_meshopt_compression", "export.meshopt");
  check("Pose as rest", conversion.bake_pose, "The pose shown becomes the rest pose", "export.bake-pose");
  check("Rebind", conversion.rebuild_binds,
        "Rebuild inverse bind matrices, so that the skin is bound in the shape it has at rest", "export.rebuild-binds");
  check("Strip joints", conversion.strip_joints,
        "Take joints that no vertex follows out of the skins; they stay as nodes", "export.strip-joints");
  bool alone = choices.only_clip >= 0;
  check("This clip alone", alone, "Of the clips only the one that plays; else all", "export.only-clip");
  choices.only_clip = alone ? desk.document().content.clip : -1;
  check("Embed in .gltf", choices.embed, "No files beside the .gltf; a .glb is one file in any case", "export.embed");
  return rows + draw_written(conversion, counted, desk);
}

}  // namespace pelt::ui
