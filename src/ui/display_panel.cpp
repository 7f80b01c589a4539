#include "ui/display_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "render/environment.h"
#include "ui/actions.h"
#include "ui/behind_section.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

void draw_overlays(render::ViewSettings& view, Desk& desk) {
  struct Row {
    const char* name;
    const char* label;
    bool render::ViewSettings::*member;
  };
  constexpr std::array kRows = {
      Row{"display.skeleton", "Skeleton", &render::ViewSettings::skeleton},
      Row{"display.names", "Joint names", &render::ViewSettings::joint_names},
      Row{"display.axes", "Joint axes", &render::ViewSettings::joint_axes},
      Row{"display.edges", "Edges", &render::ViewSettings::wireframe},
      Row{"display.normals", "Normal lines", &render::ViewSettings::normal_lines},
      Row{"display.grid", "Grid", &render::ViewSettings::grid},
      Row{"display.ground", "Ground", &render::ViewSettings::ground},
      Row{"display.shadow", "Shadow", &render::ViewSettings::shadow},
      Row{"display.occlusion", "Occlusion", &render::ViewSettings::occlusion},
      Row{"display.lights", "File's lights", &render::ViewSettings::lights},
  };
  const float column = ImGui::GetContentRegionAvail().x * 0.5f;
  const float start = ImGui::GetCursorPosX();
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (i % 2 == 1) {
      ImGui::SameLine(start + column, 0);
    }
    checkbox(desk, kRows[i].name, kRows[i].label, view.*kRows[i].member);
  }
  row_label(desk, "Bones",
            "Deforming: those of joints that some weight uses; ends, controls and helpers are thin blue lines");
  constexpr const char* kBones[] = {"All", "Deforming"};
  int bones = view.deforming_only ? 1 : 0;
  if (segmented(desk, "display.bones", kBones, bones)) {
    view.deforming_only = bones == 1;
  }
}

// Colours are edited as people see them and kept linear.
float to_srgb(float linear) {
  return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}
float to_linear(float srgb) {
  return srgb <= 0.04045f ? srgb / 12.92f : std::pow((srgb + 0.055f) / 1.055f, 2.4f);
}

void draw_background(render::ViewSettings& view, Desk& desk) {
  constexpr const char* kKinds[] = {"Studio", "Colour", "Clear"};
  int kind = !view.background ? 0 : view.background->a > 0 ? 1 : 2;
  row_label(desk, "Background");
  if (segmented(desk, "display.background", kKinds, kind)) {
    constexpr glm::vec4 kGrey(0.05f, 0.055f, 0.065f, 1.0f);
    view.background = kind == 0 ? std::nullopt : std::optional(kind == 1 ? kGrey : glm::vec4(0.0f));
  }
  if (kind == 1 && view.background) {
    float shown[3];
    for (int i = 0; i < 3; ++i) {
      shown[i] = to_srgb((*view.background)[i]);
    }
    row_label(desk, "");
    if (ImGui::ColorEdit3("##background", shown)) {
      for (int i = 0; i < 3; ++i) {
        (*view.background)[i] = to_linear(shown[i]);
      }
    }
  }
}

void draw_environment(render::ViewSettings& view, Desk& desk) {
  const auto computed = static_cast<int>(render::kEnvironments.size());
  const std::string file = view.environment_image == nullptr
                               ? std::string()
                               : std::filesystem::path(view.environment_image->name).filename().string();
  int chosen = computed;
  for (int i = 0; i < computed; ++i) {
    if (render::kEnvironments[i].environment == view.environment) {
      chosen = i;
    }
  }
  // After those that are computed the image that was opened last, then a way to another one.
  const int open_row = computed + (file.empty() ? 0 : 1);
  row_label(desk, "Environment", "What shines from all around; a .hdr picture of a whole sphere will do");
  if (combo(desk, "display.environment", open_row + 1, chosen, [&](int i) -> std::string {
        return i < computed ? std::string(render::kEnvironments[i].label) : i < open_row ? file : "Open .hdr \u2026";
      })) {
    if (chosen == open_row) {
      open(desk.workspace.browser, BrowserPurpose::kOpenEnvironment, desk);
    } else {
      view.environment = chosen < computed ? render::kEnvironments[chosen].environment : render::Environment::kImage;
    }
  }
}

void draw_camera(Desk& desk) {
  render::Camera& camera = desk.workspace.camera;
  constexpr const char* kProjections[] = {"Perspective", "Orthographic"};
  int projection = camera.orthographic ? 1 : 0;
  row_label(desk, "Projection", "5");
  if (segmented(desk, "display.projection", kProjections, projection)) {
    camera.orthographic = projection == 1;
  }
  row_label(desk, "Field of view", "Vertical");
  bool ended = false;
  value_slider(
      desk, "display.fov", camera.yfov,
      {10 / kDegreesPerRadian, 100 / kDegreesPerRadian, kDegreesPerRadian, "%.0f\u00b0", 0, render::Camera{}.yfov},
      ImGui::GetContentRegionAvail().x, ended);
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = std::floor((ImGui::GetContentRegionAvail().x - 3 * spacing) / 4);
  bool first = true;
  for (const char* id : {"view.front", "view.right", "view.top", "view.home"}) {
    const Action* action = find_action(id);
    if (!first) {
      ImGui::SameLine(0, spacing);
    }
    first = false;
    const char* label = std::string_view(id) == "view.home" ? "Reset" : action->label;
    if (ImGui::Button(label, ImVec2(width, 0))) {
      run(*action, desk);
    }
    report_item(desk, fmt::format("display.{}", id));
    tip(fmt::format("{} ({})", action->label, name_of(action->key)));
  }
  checkbox(desk, "display.turntable", "Turntable", desk.workspace.view.turntable,
           "Turns the camera slowly around the character");
}

}  // namespace

void draw(DisplayPanel&, Desk& desk) {
  render::ViewSettings& view = desk.workspace.view;
  int look = 0;
  for (std::size_t i = 0; i < render::kLooks.size(); ++i) {
    if (render::kLooks[i].look == view.look) {
      look = static_cast<int>(i);
    }
  }
  row_label(desk, "Look");
  if (combo(desk, "display.look", static_cast<int>(render::kLooks.size()), look,
            [](int i) { return render::kLooks[i].label; })) {
    view.look = render::kLooks[look].look;
  }
  row_label(desk, "Crowd", "Instances of the character at different moments of its clips, drawn from baked matrices");
  constexpr std::array kInstances = {0, 16, 100, 1000, 10000};
  constexpr const char* kInstanceLabels[] = {"Off", "16", "100", "1000", "10k"};
  int crowd = 0;
  for (std::size_t i = 0; i < kInstances.size(); ++i) {
    crowd = view.instances >= kInstances[i] ? static_cast<int>(i) : crowd;
  }
  if (segmented(desk, "display.instances", kInstanceLabels, crowd)) {
    view.instances = kInstances[crowd];
  }
  if (const auto& crowd_stats = desk.scene.stats->crowd; crowd_stats && view.instances > 0) {
    if (crowd_stats->refused.empty()) {
      row_label(desk, "", "");
      dim_text(fmt::format("{} of {} in sight, {} vertices", crowd_stats->visible, crowd_stats->instances,
                           count_text(crowd_stats->vertices))
                   .c_str());
    } else {
      wrapped_text(fmt::format("{}  One is shown: {}", icon::kInfo, crowd_stats->refused), color::kWarning);
    }
  }
  if (section(desk, "Overlays")) {
    draw_overlays(view, desk);
  }
  if (section(desk, "Light and picture")) {
    draw_environment(view, desk);
    row_label(desk, "Tone", "How light becomes display colours");
    constexpr const char* kToneLabels[] = {"Khronos", "ACES", "None"};
    static_assert(std::size(kToneLabels) == render::kToneMappings.size());
    int tone = static_cast<int>(view.tone);
    if (segmented(desk, "display.tone", kToneLabels, tone)) {
      view.tone = static_cast<render::ToneMapping>(tone);
    }
    row_label(desk, "Exposure", "In stops: one more is twice as bright. A double click on the slider goes back to 0");
    bool ended = false;
    value_slider(desk, "display.exposure", view.exposure, {-4, 4, 1, "%+.2f", 0, 0}, ImGui::GetContentRegionAvail().x,
                 ended);
    row_label(desk, "Antialiasing", "Samples per pixel, as far as the driver has them");
    constexpr std::array kSamples = {1, 2, 4, 8};
    constexpr const char* kSampleLabels[] = {"Off", "2\u00d7", "4\u00d7", "8\u00d7"};
    int samples = 0;
    for (std::size_t i = 0; i < kSamples.size(); ++i) {
      samples = view.samples >= kSamples[i] ? static_cast<int>(i) : samples;
    }
    if (segmented(desk, "display.samples", kSampleLabels, samples)) {
      view.samples = kSamples[samples];
    }
    draw_background(view, desk);
  }
  draw_behind_section(desk);
  if (section(desk, "Camera")) {
    draw_camera(desk);
  }
  if (section(desk, "Window")) {
    row_label(desk, "Size of text", "Auto: the monitor's");
    constexpr const char* kScaleLabels[] = {"Auto", "100", "125", "150", "200"};
    Preferences& preferences = desk.workspace.preferences;
    int scale = 0;
    for (std::size_t i = 0; i < std::size(kScales); ++i) {
      scale = preferences.ui_scale == kScales[i] ? static_cast<int>(i) + 1 : scale;
    }
    if (segmented(desk, "display.scale", kScaleLabels, scale)) {
      preferences.ui_scale = scale == 0 ? 0 : kScales[scale - 1];
    }
    row_label(desk, "Mouse",
              "Pelt: left drag orbits. Blender: middle drag orbits, left drag does nothing on the ground");
    constexpr const char* kSchemes[] = {"Pelt", "Blender"};
    int scheme = static_cast<int>(preferences.mouse);
    if (segmented(desk, "display.mouse", kSchemes, scheme)) {
      preferences.mouse = static_cast<MouseScheme>(scheme);
    }
  }
}

}  // namespace pelt::ui
