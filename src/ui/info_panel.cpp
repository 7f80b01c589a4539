#include "ui/info_panel.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "core/text.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

template <typename T>
std::int64_t bytes_of(const std::vector<T>& array) {
  return static_cast<std::int64_t>(array.size() * sizeof(T));
}

std::string joined(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) {
    result += (result.empty() ? "" : ", ") + printable(name);
  }
  return result;
}

void count(InfoPanel& panel, const rig::Character& character) {
  std::int64_t vertices = 0;
  std::int64_t triangles = 0;
  std::int64_t primitives = 0;
  std::int64_t targets = 0;
  std::int64_t mesh_bytes = 0;
  std::int64_t influence_bytes = 0;
  std::int64_t target_bytes = 0;
  std::uint32_t most_influences = 0;
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      ++primitives;
      vertices += static_cast<std::int64_t>(primitive.vertex_count());
      triangles += static_cast<std::int64_t>(primitive.triangle_count());
      most_influences = std::max(most_influences, primitive.influences.empty() ? 0 : primitive.influences.max_count());
      mesh_bytes += bytes_of(primitive.indices) + bytes_of(primitive.positions) + bytes_of(primitive.normals) +
                    bytes_of(primitive.tangents) + bytes_of(primitive.texcoords[0]) + bytes_of(primitive.texcoords[1]) +
                    bytes_of(primitive.colors);
      influence_bytes += bytes_of(primitive.influences.offset) + bytes_of(primitive.influences.joint) +
                         bytes_of(primitive.influences.weight) + bytes_of(primitive.influences.stored_sum);
      targets = std::max(targets, static_cast<std::int64_t>(primitive.morph_targets.size()));
      for (const mesh::MorphTarget& target : primitive.morph_targets) {
        target_bytes +=
            bytes_of(target.position_deltas) + bytes_of(target.normal_deltas) + bytes_of(target.tangent_deltas);
      }
    }
  }
  std::int64_t clip_bytes = 0;
  for (const rig::Clip& clip : character.clips) {
    for (const rig::Channel& channel : clip.channels) {
      clip_bytes += bytes_of(channel.times) + bytes_of(channel.values);
    }
  }
  std::int64_t image_bytes = 0;
  for (const rig::Image& image : character.images) {
    image_bytes += bytes_of(image.pixels) + bytes_of(image.encoded);
  }
  const auto joints = std::count_if(character.skeleton.is_joint.begin(), character.skeleton.is_joint.end(),
                                    [](char joint) { return joint != 0; });
  const auto number = [](auto value) { return count_text(static_cast<std::int64_t>(value)); };
  panel.file = {{"Name", printable(character.name)}};
  if (!character.source.empty()) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(character.source, failure);
    panel.file.emplace_back("File", printable(character.source.string(), 400));
    if (!failure) {
      panel.file.emplace_back("Size", bytes_text(static_cast<std::int64_t>(size)));
    }
  }
  if (!character.generator.empty()) {
    panel.file.emplace_back("Made by", printable(character.generator));
  }
  panel.counts = {{"Vertices", number(vertices)},
                  {"Triangles", number(triangles)},
                  {"Meshes", fmt::format("{} with {} primitives", number(character.meshes.size()), number(primitives))},
                  {"Joints", fmt::format("{} of {} nodes", number(joints), number(character.skeleton.size()))},
                  {"Skins", number(character.skins.size())},
                  {"Influences", fmt::format("up to {} per vertex", most_influences)},
                  {"Morph targets", number(targets)},
                  {"Clips", number(character.clips.size())},
                  {"Materials", number(character.materials.size())},
                  {"Images", number(character.images.size())},
                  {"Cameras", number(character.cameras.size())},
                  {"Scenes", number(character.scenes.size())}};
  panel.memory = {{"Attributes", bytes_text(mesh_bytes)},
                  {"Influences", bytes_text(influence_bytes)},
                  {"Morph targets", bytes_text(target_bytes)},
                  {"Clips", bytes_text(clip_bytes)},
                  {"Images", bytes_text(image_bytes)},
                  {"Together", bytes_text(mesh_bytes + influence_bytes + target_bytes + clip_bytes + image_bytes)}};
}

void rows(const std::vector<std::pair<std::string, std::string>>& lines, Desk& desk) {
  for (const auto& [label, value] : lines) {
    row_label(desk, label.c_str());
    ImGui::AlignTextToFramePadding();
    clipped_text(value, ImGui::GetContentRegionAvail().x);
    tip(value.size() > 28 ? value : std::string());
  }
}

}  // namespace

void draw(InfoPanel& panel, Desk& desk) {
  const rig::Character& character = desk.character();
  if (panel.character_version != desk.document().character_version) {
    panel.character_version = desk.document().character_version;
    count(panel, character);
  }
  constexpr std::array kIcons = {icon::kInfo, icon::kWarning, icon::kError};
  const Diagnostics& diagnostics = character.diagnostics;
  rows(panel.file, desk);
  const std::string title =
      diagnostics.empty() ? "Findings" : fmt::format("Findings ({})###findings", diagnostics.size());
  if (section(desk, title.c_str())) {
    if (diagnostics.empty()) {
      ImGui::PushStyleColor(ImGuiCol_Text, color::kGood);
      text(fmt::format("{}  Nothing odd was found", icon::kCheck));
      ImGui::PopStyleColor();
    }
    constexpr std::size_t kShown = 200;
    for (std::size_t i = 0; i < std::min(diagnostics.size(), kShown); ++i) {
      const Diagnostic& diagnostic = diagnostics[i];
      const auto severity = static_cast<std::size_t>(diagnostic.severity);
      ImGui::PushStyleColor(ImGuiCol_Text, severity_color(static_cast<int>(diagnostic.severity)));
      text(kIcons[severity]);
      ImGui::PopStyleColor();
      ImGui::SameLine(0, desk.theme.px(6));
      ImGui::BeginGroup();
      text(printable(diagnostic.place.empty() ? diagnostic.code : diagnostic.place));
      wrapped_text(printable(diagnostic.message, 600), color::kTextDim);
      ImGui::EndGroup();
      tip(diagnostic.code);
    }
    if (diagnostics.size() > kShown) {
      dim_text(fmt::format("and {} more", diagnostics.size() - kShown));
    }
  }
  if (section(desk, "Contents")) {
    rows(panel.counts, desk);
  }
  if (section(desk, "Memory", false)) {
    rows(panel.memory, desk);
  }
  if (section(desk, "Extensions", false)) {
    if (character.extensions_used.empty()) {
      dim_text("none");
    } else {
      wrapped_text(joined(character.extensions_used));
    }
    if (!character.extensions_required.empty()) {
      wrapped_text("Required: " + joined(character.extensions_required), color::kTextDim);
    }
  }
  if (section(desk, "Machine", false)) {
    wrapped_text(desk.scene.device);
  }
}

}  // namespace pelt::ui
