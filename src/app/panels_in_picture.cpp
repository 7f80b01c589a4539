#include "app/panels_in_picture.h"

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include "app/laboratory.h"
#include "app/pose_pictures.h"
#include "app/session.h"
#include "render/picture.h"
#include "ui/compare_panel.h"
#include "ui/info_panel.h"
#include "ui/joints_panel.h"
#include "ui/picture_text.h"
#include "ui/pose_panel.h"
#include "ui/skinning_panel.h"
#include "ui/volume_handles.h"
#include "ui/weight_tools_panel.h"
#include "ui/weights_panel.h"
#include "ui/widgets.h"
#include "ui/window.h"

namespace pelt::app {
namespace {

struct ImGuiOffscreen {
  explicit ImGuiOffscreen(glm::ivec2 size) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = ImVec2(static_cast<float>(size.x), static_cast<float>(size.y));
    io.DeltaTime = 1.0f / 60.0f;
    io.MousePos = ImVec2(-1e5f, -1e5f);
    ImGui_ImplOpenGL3_Init("#version 330 core");
  }
  ~ImGuiOffscreen() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
  }
  ImGuiOffscreen(const ImGuiOffscreen&) = delete;
  ImGuiOffscreen& operator=(const ImGuiOffscreen&) = delete;
};

std::string_view tab_for(const cli::ViewRequest& request, const render::ViewSettings& view) {
  if (const ui::Tab* tab = ui::find_tab(request.tab)) {
    return tab->id;
  }
  if (edit::pane_count(request.document.content) > 1 || request.plot) {
    return ui::kCompareTab;
  }
  if (request.document.view.pinned_vertex >= 0) {
    return ui::kWeightsTab;
  }
  switch (view.look) {
    case render::Look::kWeights:
    case render::Look::kMask:
    case render::Look::kInfluences:
    case render::Look::kWeightSum:
      return ui::kWeightsTab;
    case render::Look::kDifference:
      return ui::kCompareTab;
    case render::Look::kBatches:
      return ui::kSkinningTab;
    default:
      return ui::kPoseTab;
  }
}

// The joint the picture is about: whose weights are shown, else the first that was posed.
int selection_for(const edit::Document& document, const render::Frame& frame) {
  if (!frame.selected_joints.empty()) {
    return frame.selected_joints.back();
  }
  if (render::is_weight_look(frame.view.look) && frame.view.weight_joint >= 0) {
    return frame.view.weight_joint;
  }
  return document.content.overrides->empty() ? -1 : document.content.overrides->begin()->first;
}

}  // namespace

void write_texts(std::span<const render::PictureText> texts, glm::ivec2 size) {
  const ImGuiOffscreen imgui(size);
  const ui::Theme theme = ui::apply_theme(1);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  ImGui::PushFont(theme.small);
  std::vector<ui::Rect> taken;
  for (const render::PictureText& text : texts) {
    ui::draw_picture_text(*ImGui::GetBackgroundDrawList(), theme, text.pixel, text.text, ui::packed(text.color), taken,
                          text.optional ? ui::WhereTaken::kLeaveOut : ui::WhereTaken::kMoveDown);
  }
  ImGui::PopFont();
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

Result<render::ImageRgba> render_with_panels(render::Renderer& renderer, const cli::ViewRequest& request,
                                             render::Frame frame) {
  Session session;
  session.document = request.document;
  keep_all(session, session.document.content);
  session.opened = opened_file(request, session.document);
  session.opened.stamp = file_stamp(session.opened.name);
  session.document.view.select_only(selection_for(session.document, frame));
  session.device = renderer.device();
  session.workspace.view = frame.view;
  session.workspace.camera = frame.camera;
  session.workspace.tab = tab_for(request, frame.view);
  session.workspace.panel<ui::SkinningPanel>().patient = true;
  session.workspace.panel<ui::JointsPanel>().learning.patient = true;
  session.workspace.panel<ui::WeightToolsPanel>().patient = true;
  session.workspace.panel<ui::VolumeHandles>().patient = true;
  update(session);
  if (session.workspace.tab == ui::kSkinningTab || frame.view.t_junctions) {
    session.surface_marks.set_t_junctions(session.document.character->meshes,
                                          edit::t_junction_lists(*session.document.character));
  }
  if (request.plot) {
    session.document.view.select_only(request.plot->joint);
  }
  if (session.workspace.tab == ui::kInfoTab) {
    lint_now(session);
  }
  if (session.workspace.tab == ui::kCompareTab) {
    measure_now(session, request.plot);
    session.workspace.panel<ui::ComparePanel>().dof = request.plot ? request.plot->dof : 0;
    session.workspace.panel<ui::ComparePanel>().quantity = !request.plot ? edit::kVolumeQuantity
                                                           : session.document.view.pinned_vertex >= 0
                                                               ? edit::kPinnedQuantity
                                                               : edit::kRingQuantity;
    if (request.plot) {
      ui::reveal_plot(session.workspace.panel<ui::ComparePanel>());
    }
  }

  const ImGuiOffscreen imgui(frame.size);
  const ui::Theme theme = ui::apply_theme(frame.pixel_scale);
  PosePictures pose_pictures;
  const auto draw_panels = [&] {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    ui::Scene scene = make_scene(session, {}, 0);
    scene.difference = [&renderer](int pane) { return renderer.difference(pane); };
    scene.pose_picture = [&](const Shared<edit::StoredPose>& pose) { return pose_pictures.texture(pose); };
    ui::Requests requests;
    ui::WidgetReport widgets;
    ui::Desk desk{scene, session.workspace, requests, widgets, theme};
    ui::draw_window(desk);
    ImGui::Render();
    if (!request.camera_given) {
      ui::frame_all(session.workspace, scene);
    }
  };
  draw_panels();
  while (pose_pictures.make_next(session, renderer)) {  // those in sight
    draw_panels();
  }

  const ui::Rect view = session.workspace.layout.viewport;
  const glm::ivec2 size(static_cast<int>(view.w), static_cast<int>(view.h));
  const glm::ivec2 origin(static_cast<int>(view.x), frame.size.y - static_cast<int>(view.y + view.h));
  PELT_TRY_TO(render::Picture whole, render::Picture::make(frame.size));
  const render::PaneLayout layout = pane_layout(session, size, frame.pixel_scale);
  const std::vector<render::Frame> panes = make_frames(session, renderer, layout, frame.pixel_scale);
  PELT_TRY(renderer.draw(panes, layout, whole.framebuffer(), origin));
  session.stats = renderer.stats(session.document.view.active_pane);
  // Twice: the first pass lays out what the second draws.
  draw_panels();
  draw_panels();
  whole.bind();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  Result<render::ImageRgba> image = whole.read();
  if (image) {
    // Panels blend into the picture's alpha as well; the window's picture is opaque.
    for (std::size_t i = 3; i < image->pixels.size(); i += 4) {
      image->pixels[i] = 255;
    }
  }
  return image;
}

}  // namespace pelt::app
