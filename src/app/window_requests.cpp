// What panels ask of the owner of files and windows.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/exporter.h"
#include "app/window_state.h"
#include "core/file.h"
#include "core/text.h"
#include "edit/file_layers.h"
#include "edit/pose_file.h"
#include "gltf/image_codec.h"

namespace pelt::app {
namespace {

// The names behind the sentence stand where the mouse points at it.
void show_pose_report(Window& app, const std::string& file, const edit::PoseReport& report) {
  const std::string found = edit::summary(report);
  show_notice(app, found.empty() ? fmt::format("Pose opened from {}", file) : fmt::format("Pose opened: {}", found));
  if (!found.empty()) {
    constexpr std::size_t kMostNames = 40;
    app.session.workspace.notice->severity = report.missing() > 0 ? Severity::kWarning : Severity::kInfo;
    app.session.workspace.notice->details = fmt::format("{}: {}", file, edit::details(report, kMostNames));
  }
}

// A name that is free, where pictures were saved last: pelt-mannequin-1.png and so on.
std::filesystem::path free_picture_name(const Window& app) {
  std::error_code failure;
  std::string name = app.session.document.character->name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '-');
  const auto& folders = app.session.workspace.preferences.folders;
  const auto last = folders.find("picture");
  const std::filesystem::path folder = last != folders.end() && std::filesystem::is_directory(last->second, failure)
                                           ? std::filesystem::path(last->second)
                                           : std::filesystem::current_path(failure);
  for (int i = 1;; ++i) {
    std::filesystem::path path = folder / fmt::format("pelt-{}-{}.png", name, i);
    if (!std::filesystem::exists(path, failure)) {
      return path;
    }
  }
}

}  // namespace

Status check_not_shown(const Window& app, const std::string& path) {
  const std::vector<ReadFile> read = {{app.session.document.character->source, "the open file"},
                                      {app.session.workspace.preferences.light.environment_file, "the environment"}};
  return check_not_read(path, read);
}

namespace {

void open_pose(Window& app, const ui::Requests& requests) {
  Session& session = app.session;
  edit::PoseReport report;
  Result<edit::ReplacePose> pose = app.pose_on_disk.open(session.document, requests.open_pose, report);
  if (!pose) {
    show_error(app, pose.error().message);
    return;
  }
  edit::apply(session.document, {*std::move(pose), {}, true});
  session.workspace.pose_path = app.pose_on_disk.path().string();
  session.workspace.playback.playing = false;
  session.workspace.error.reset();  // perhaps of a pose that could not be opened
  keep_pose(session);
  show_pose_report(app, requests.open_pose, report);
}

void save_pose(Window& app, const ui::Requests& requests) {
  Session& session = app.session;
  const Status free = check_not_shown(app, requests.save_pose);
  if (const Status saved = free ? app.pose_on_disk.save(session.document, requests.save_pose) : free; !saved) {
    show_error(app, saved.error().message);
    return;
  }
  session.workspace.pose_path = requests.save_pose;
  session.workspace.error.reset();  // perhaps of the attempt before
  keep_pose(session);
  show_notice(app, fmt::format("Pose saved to {}", requests.save_pose));
}

void export_to_file(Window& app, const ui::Requests& requests) {
  const edit::Document& document = app.session.document;
  const ui::ExportRequest& request = *requests.export_character;
  rig::Character character = *document.character;
  std::vector<std::string> lost;
  const edit::Content content = request.only_clip < 0
                                    ? document.content
                                    : edit::with_layers_of_clips(document.content, {request.only_clip}, lost);
  const Status layers = edit::put_layers(character, content);
  if (!layers) {
    show_error(app, layers.error().message);
  }
  app.being_exported = {document.content, request.file, edit::shows_own_surface(document) && layers.has_value()};
  app.exporter.start([character = std::move(character), pose = edit::evaluate_pose(document), request,
                      lost](const Progress& progress) {
    std::optional<Result<ExportReport>> report = export_character(character, pose, request, progress);
    if (report && *report && !lost.empty()) {
      (*report)->line += fmt::format("; left out with their clips: {}", fmt::join(lost, ", "));
    }
    return report;
  });
}

void save_table(Window& app, const ui::Requests& requests) {
  if (!app.session.measurements.series) {
    return;
  }
  const Status free = check_not_shown(app, requests.save_table);
  const std::string table = edit::to_csv(*app.session.measurements.series);
  if (const Status saved = free ? write_file_atomically(requests.save_table, table) : free; !saved) {
    show_error(app, saved.error().message);
    return;
  }
  show_notice(app, fmt::format("Numbers saved to {}", requests.save_table));
}

void open_file(Window& app, const ui::Requests& requests) {
  app.opening.lesson.reset();  // one that never came
  cli::SessionOpening session;
  session.located = requests.located;
  session.allow_outside = requests.agreed;
  start_opening(app, requests.open_file, session);
}

void reload(Window& app, const ui::Requests&) {
  reload_file(app);
}

void teach(Window& app, const ui::Requests& requests) {
  app.opening.lesson = requests.teach;
  start_opening(app, std::string(lesson_file(*requests.teach)));
}

/// What is asked for beside changes of the document.
struct Handler {
  bool (*asked)(const ui::Requests&);
  void (*carry_out)(Window&, const ui::Requests&);
};

constexpr std::array kHandlers = {
    Handler{[](const ui::Requests& r) { return r.cancel_loading; },
            [](Window& app, const ui::Requests&) { cancel_shown_job(app); }},
    Handler{[](const ui::Requests& r) { return r.cancel_job.has_value(); },
            [](Window& app, const ui::Requests& r) { cancel_job(app, *r.cancel_job); }},
    Handler{[](const ui::Requests& r) { return !r.open_file.empty(); }, open_file},
    Handler{[](const ui::Requests& r) { return r.reload; }, reload},
    Handler{[](const ui::Requests& r) { return !r.open_pose.empty(); }, open_pose},
    Handler{[](const ui::Requests& r) { return !r.open_environment.empty(); },
            [](Window& app, const ui::Requests& r) { open_environment(app, r.open_environment); }},
    Handler{[](const ui::Requests& r) { return !r.open_behind.empty(); },
            [](Window& app, const ui::Requests& r) { open_behind(app, r.open_behind); }},
    Handler{[](const ui::Requests& r) { return !r.open_motion.empty(); },
            [](Window& app, const ui::Requests& r) { open_motion(app, r.open_motion); }},
    Handler{[](const ui::Requests& r) { return !r.open_poses.empty(); },
            [](Window& app, const ui::Requests& r) { open_poses(app, r.open_poses); }},
    Handler{[](const ui::Requests& r) { return !r.save_poses.empty(); },
            [](Window& app, const ui::Requests& r) { save_poses(app, r.save_poses); }},
    Handler{[](const ui::Requests& r) { return !r.open_joint_map.empty(); },
            [](Window& app, const ui::Requests& r) { open_joint_map(app, r.open_joint_map); }},
    Handler{[](const ui::Requests& r) { return !r.save_joint_map.empty(); },
            [](Window& app, const ui::Requests& r) { save_joint_map(app, r.save_joint_map); }},
    Handler{[](const ui::Requests& r) { return !r.open_weights_from.empty(); },
            [](Window& app, const ui::Requests& r) { open_weights_from(app, r.open_weights_from); }},
    Handler{[](const ui::Requests& r) { return !r.open_weight_text.empty(); },
            [](Window& app, const ui::Requests& r) { open_weight_text(app, r.open_weight_text); }},
    Handler{[](const ui::Requests& r) { return !r.open_volume.empty(); },
            [](Window& app, const ui::Requests& r) { open_volume(app, r.open_volume); }},
    Handler{[](const ui::Requests& r) { return !r.save_weight_text.empty(); },
            [](Window& app, const ui::Requests& r) { save_weight_text(app, r.save_weight_text); }},
    Handler{[](const ui::Requests& r) { return !r.save_pose.empty(); }, save_pose},
    Handler{[](const ui::Requests& r) { return !r.save_session.empty(); }, save_session},
    Handler{[](const ui::Requests& r) { return !r.pack_session.empty(); }, pack_session},
    Handler{[](const ui::Requests& r) { return !r.discard.empty(); }, discard_recovery},
    Handler{[](const ui::Requests& r) { return r.carry_over_held.has_value(); }, answer_held},
    Handler{[](const ui::Requests& r) { return r.export_character.has_value(); }, export_to_file},
    Handler{[](const ui::Requests& r) { return !r.save_table.empty(); }, save_table},
    Handler{[](const ui::Requests& r) { return r.teach.has_value(); }, teach},
};

// Undo may take joints away that were added: what the window keeps about them goes with them.
void forget_joints_that_went(Session& session, const rig::Character& before) {
  const std::shared_ptr<const rig::Character>& now = edit::own_character(session.document);
  if (now->skeleton->size() >= before.skeleton->size()) {
    return;
  }
  edit::Remap numbers = edit::identity(before);
  std::fill(numbers.joints.begin() + now->skeleton->size(), numbers.joints.end(), -1);
  ui::follow_newer_version(session.workspace, numbers, *now);
}

}  // namespace

void carry_out(Window& app, const ui::Requests& requests) {
  Session& session = app.session;
  const bool was_as_read = is_as_read(session);
  const std::shared_ptr<const rig::Character> before = edit::own_character(session.document);
  const ui::Outcome outcome = ui::apply(requests, session.document);
  forget_joints_that_went(session, *before);
  if (!outcome.notice.empty()) {
    show_notice(app, outcome.notice);
  }
  if (!outcome.error.empty()) {
    show_error(app, outcome.error);
  }
  if (requests.show_scene && was_as_read) {
    session.opened.character = edit::own_character(session.document);  // the same file, in other parts
  }
  if (requests.show_scene) {
    keep_in_scene(session, before);
  }
  for (const Handler& handler : kHandlers) {
    if (handler.asked(requests)) {
      handler.carry_out(app, requests);
    }
  }
  app.is_leaving |= requests.quit;
  // What has ended since the picture began may have failed.
  collect_exported(app);
  collect_weight_text(app);
  // Files that somebody asked for are written first; what they wait for can be cancelled.
  app.quit = app.is_leaving && !app.exporter.active() && !app.weight_text.active();
}

void save_screenshot(Window& app, std::span<const render::Frame> panes, const render::PaneLayout& layout,
                     const std::string& wanted) {
  const Result<render::ImageRgba> image = app.renderer->render_image(panes, layout);
  if (!image) {
    show_error(app, image.error().in("screenshot").message);
    return;
  }
  const std::vector<std::uint8_t> png = gltf::encode_png(image->pixels, {image->width, image->height});
  const std::filesystem::path path = wanted.empty() ? free_picture_name(app) : std::filesystem::path(wanted);
  const std::string_view bytes(reinterpret_cast<const char*>(png.data()), png.size());
  const Status free = check_not_shown(app, path.string());
  if (const Status written = free ? write_file_atomically(path, bytes) : free; !written) {
    show_error(app, written.error().in("screenshot").message);
    return;
  }
  show_notice(app, fmt::format("Picture saved as {}", path.string()));
}

}  // namespace pelt::app
