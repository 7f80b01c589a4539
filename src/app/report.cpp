#include "app/report.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include <fmt/format.h>
#include <imgui.h>
#include <nlohmann/json.hpp>

#include "deform/skinning_methods.h"
#include "edit/layer_edits.h"
#include "ui/key_editor.h"
#include "ui/skinning_panel.h"

namespace pelt::app {
namespace {

// Tells weights from others: FNV-1a over the rows of all meshes, bit for bit.
std::string hash_of_weights(const rig::Character& character) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint32_t value) { hash = (hash ^ value) * 0x100000001b3; };
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      for (std::uint32_t v = 0; v < primitive.influences->vertex_count(); ++v) {
        const mesh::InfluenceRow row = primitive.influences->row(v);
        add(static_cast<std::uint32_t>(row.joints.size()));
        for (std::size_t k = 0; k < row.joints.size(); ++k) {
          add(row.joints[k]);
          add(std::bit_cast<std::uint32_t>(row.weights[k]));
        }
      }
    }
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace

std::string window_report(const Session& session, const ui::Scene& scene, const ui::WidgetReport& widgets,
                          glm::ivec2 size, float scale) {
  const edit::Document& document = session.document;
  const ui::Workspace& workspace = session.workspace;
  const rig::Character& character = *document.character;
  nlohmann::ordered_json json;
  json["size"] = {size.x, size.y};
  json["scale"] = scale;
  nlohmann::ordered_json& state = json["state"];
  state["character"] = character.name;
  state["file"] = character.source.string();
  state["session"] = workspace.session_path;
  state["unsaved"] = scene.unsaved;
  state["loading"] = scene.loading.active;
  state["watching"] = workspace.watch;
  state["selected_joint"] =
      document.view.selected_joint() < 0 ? "" : character.skeleton->label(document.view.selected_joint());
  state["selected_joints"] = nlohmann::ordered_json::array();
  for (const int joint : document.view.selected_joints) {
    state["selected_joints"].push_back(character.skeleton->label(joint));
  }
  state["selected_vertices"] = edit::vertex_count(document.view.selected_vertices);
  state["mode"] = workspace.mode;
  state["tool"] = ui::current_tool(workspace).id;
  state["pinned"] = {document.view.pinned_part, document.view.pinned_vertex};
  const deform::SkinningSettings& skinning = document.content.skinning;
  state["backend"] = skinning.backend == deform::Backend::kCpu ? "cpu" : "gpu";
  state["method"] = deform::skinning_methods()[skinning.method].id;
  for (int pane = 0; pane < edit::pane_count(document.content); ++pane) {
    const deform::SkinningSettings& shown = edit::skinning_of(document.content, pane);
    state["panes"].push_back({{"method", deform::skinning_methods()[shown.method].id},
                              {"backend", shown.backend == deform::Backend::kCpu ? "cpu" : "gpu"},
                              {"influence_limit", shown.influence_limit}});
  }
  state["active_pane"] = document.view.active_pane;
  for (std::size_t k = 0; k < edit::layer_count(document.content); ++k) {
    state["layers"][edit::layer_at(document.content, k).kind] = edit::layer_works(document, k);
  }
  state["surface"] = {{"triangles", rig::triangle_count(character)},
                      {"subdivisions", document.surface.subdivisions},
                      {"detail", document.surface.detail},
                      {"split", document.surface.split_t_junctions}};
  if (const auto cracks = scene.cracks ? scene.cracks(document.view.active_pane) : std::nullopt) {
    state["surface"]["t_junctions"] = cracks->size();
  }
  state["wipe"] = workspace.view.wipe ? workspace.view.wipe_position : -1.0f;
  state["measure"] = measure::info(workspace.view.compare.measure).id;
  const ui::Measurements& measured = session.measurements;
  if (measured.numbers) {
    for (const edit::SkinNumbers& numbers : measured.numbers->panes) {
      state["numbers"]["volume"].push_back(numbers.collapse.volume_ratio);
    }
    state["numbers"]["current"] = measured.numbers->pose_version == session.evaluation.version();
  }
  if (measured.series) {
    state["plot"] = {{"over", measured.series->axis_id},
                     {"samples", measured.series->x.size()},
                     {"curves", measured.series->numbers.size()}};
  }
  state["measuring"] = measured.series_work.active || measured.battery_work.active;
  if (measured.battery) {
    state["battery"] = {{"joints", measured.battery->joints.size()}, {"poses", measured.battery->poses.size()}};
  }
  const deform::SkinningSettings& active = edit::skinning_of(document.content, document.view.active_pane);
  nlohmann::ordered_json& diet = state["diet"];
  diet = {{"influence_limit", active.influence_limit},
          {"prune_threshold", active.prune_threshold},
          {"format",
           std::ranges::find(deform::kWeightFormats, active.weight_format, &deform::WeightFormatInfo::format)->id},
          {"palette_limit", active.palette_limit},
          {"partition", active.partition}};
  if (const std::optional<ui::DietFigures>& figures = workspace.panel<ui::SkinningPanel>().figures) {
    diet["current"] = figures->character == document.character && figures->settings == active &&
                      figures->pose_version == scene.pose_version;
    diet["bytes_per_vertex"] = figures->now.bytes_per_vertex;
    diet["batches"] = figures->now.batches;
    diet["draw_calls"] = figures->now.draw_calls;
    diet["upload_bytes"] = figures->now.upload_bytes;
    diet["rigid_triangles"] = figures->now.rigid_triangles;
    diet["skinned_triangles"] = figures->now.skinned_triangles;
    diet["max_error"] = figures->error ? figures->error->max : -1.0;
  }
  if (workspace.panel<ui::SkinningPanel>().run != nullptr &&
      workspace.panel<ui::SkinningPanel>().run->result() != nullptr) {
    const ui::DietRun::Result& result = *workspace.panel<ui::SkinningPanel>().run->result();
    diet["run"] = {{"poses", result.poses}, {"max_error", result.error.max}};
  }
  for (const render::LookInfo& look : render::kLooks) {
    if (look.look == workspace.view.look) {
      state["look"] = look.id;
    }
  }
  state["weight_joint"] = workspace.view.weight_joint;
  state["skeleton"] = workspace.view.skeleton;
  state["tab"] = workspace.tab;
  if (workspace.browser.visible) {
    state["browser"] = {{"folder", workspace.browser.folder.string()}, {"error", workspace.browser.error}};
  }
  state["panels_hidden"] = workspace.panels_hidden;
  state["clip"] = document.content.clip;
  state["time"] = document.view.time;
  state["clips"] = character.clips.size();
  if (document.content.clip >= 0) {
    std::size_t keys = 0;
    for (const rig::Channel& channel : character.clips[document.content.clip].channels) {
      keys += channel.times.size();
    }
    state["keys"] = keys;
    state["selected_keys"] = edit::key_count(workspace.panel<ui::KeyEditor>().selected);
  }
  state["auto_key"] = document.view.timing.auto_key;
  state["symmetric_posing"] = document.view.symmetric_posing;
  state["playing"] = workspace.playback.playing;
  state["overrides"] = document.content.overrides->size();
  state["pins"] = document.content.pins.size();
  state["weights"] = hash_of_weights(*edit::own_character(document));
  state["undo_steps"] = document.history.cursor();
  state["undo_label"] = document.history.can_undo() ? document.history.undo_label() : std::string();
  state["error"] = workspace.error ? workspace.error->text : "";
  state["notice"] = workspace.notice ? workspace.notice->text : "";
  const ImGuiIO& io = ImGui::GetIO();
  state["mouse"] = {{"x", io.MousePos.x}, {"y", io.MousePos.y}, {"down", io.MouseDown[0]}};
  state["camera"] = {workspace.camera.azimuth, workspace.camera.elevation, workspace.camera.distance,
                     workspace.camera.roll};
  state["orthographic"] = workspace.camera.orthographic;
  if (document.view.selected_joint() >= 0) {
    const rig::JointDofs dofs = edit::joint_dofs(document, document.view.selected_joint());
    const std::vector<float> values = edit::dof_values(document, document.view.selected_joint());
    for (std::size_t i = 0; i < values.size(); ++i) {
      state["dofs"][dofs.dofs[i].name] = values[i];
    }
  }
  if (scene.parity) {
    state["parity"] = {{"max", scene.parity->difference.max},
                       {"rms", scene.parity->difference.rms},
                       {"worst_vertex", scene.parity->difference.worst_vertex},
                       {"current", scene.parity->pose_version == scene.pose_version}};
  }
  nlohmann::ordered_json& rectangles = json["widgets"];
  for (const auto& [name, rect] : widgets) {
    rectangles[name] = {rect.x, rect.y, rect.w, rect.h};
  }
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace pelt::app
