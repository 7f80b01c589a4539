#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "core/jobs.h"
#include "deform/skin_cache.h"
#include "edit/commands.h"
#include "edit/document.h"
#include "edit/remap.h"
#include "measure/compare.h"
#include "measure/posed_cracks.h"
#include "render/renderer.h"
#include "ui/export_request.h"
#include "ui/file_browser.h"
#include "ui/handle_options.h"
#include "ui/layout.h"
#include "ui/measurements.h"
#include "ui/panel_states.h"
#include "ui/playback.h"
#include "ui/selecting.h"
#include "ui/tabs.h"
#include "ui/theme.h"
#include "ui/tools.h"
#include "ui/viewport.h"
#include "ui/widget_report.h"

namespace pelt::ui {

/// The GPU's result against the CPU's, for one pose.
struct Parity {
  measure::Difference difference;
  double diagonal = 0;             ///< of the posed shape, metres
  std::uint64_t pose_version = 0;  ///< of the pose it was measured on
};

/// Work going on in the background.
struct Loading {
  bool active = false;
  std::string name;
  std::string what;
  float fraction = 0;
};

/// What panels read besides the document. Made anew for each frame; nothing is owned.
struct Scene {
  const edit::Document* document = nullptr;
  const rig::Pose* pose = nullptr;
  std::span<const glm::mat4> world;
  std::uint64_t pose_version = 0;
  Bounds bounds;                                                  ///< of the posed shape
  std::function<const deform::DeformedCharacter&(int)> deformed;  ///< a pane's CPU result, computed when asked for
  const render::RenderStats* stats = nullptr;
  std::string device;
  std::optional<Parity> parity;
  std::string parity_error;
  Loading loading;
  std::shared_ptr<deform::SkinCache> skin_cache;  ///< what methods have prepared; null: nobody keeps it
  const Measurements* measurements = nullptr;
  /// T-junctions of the shown surface in a pane's pose; nothing until they have been looked for.
  std::function<std::optional<std::span<const measure::PosedCrack>>(int)> cracks;
  /// A texture for ImGui with the picture of a stored pose; 0 as long as there is none. Null: nobody makes them.
  std::function<std::uint64_t(const Shared<edit::StoredPose>&)> pose_picture;
  std::optional<rig::SurfaceChoice> surface_to_come;            ///< being made in the background
  std::function<const render::DifferenceMap*(int)> difference;  ///< what a pane shows of the look, null: nothing
  /// What the GPU finds at a place of a pane's picture (0..1 from its upper left corner); null: the CPU's shape is
  /// asked.
  std::function<std::optional<render::VertexHit>(int, glm::vec2)> vertex_at;
  double cpu_milliseconds = 0;       ///< last CPU deformation
  double frame_milliseconds = 0;     ///< last picture, wall clock
  float frames_per_second = 0;       ///< 0: idle
  double now = 0;                    ///< seconds, any origin
  bool unsaved = false;              ///< leaving would lose work
  std::string exported = {};         ///< the last export and what it does not hold; empty: there was none
  bool given_up = false;             ///< the user has agreed to that for the session that a question is about
  std::vector<std::string> bundled;  ///< "@mannequin" ...

  [[nodiscard]] const rig::Character& character() const { return *document->character; }
};

enum class MouseScheme { kPelt, kBlender };

/// The light of the picture, as far as it is a matter of taste.
struct LightPreferences {
  render::Environment environment = render::Environment::kStudio;
  std::string environment_file = {};  ///< of render::Environment::kImage
  render::ToneMapping tone = render::ToneMapping::kKhronos;
  float exposure = 0;  ///< stops
  bool occlusion = true;
  bool operator==(const LightPreferences&) const = default;
};
LightPreferences light_of(const render::ViewSettings& view);

/// The brush as it was left.
struct BrushPreferences {
  float radius = 40;
  float strength = 0.4f;
  bool operator==(const BrushPreferences&) const = default;
};

/// What is kept between sessions.
struct Preferences {
  PanelSizes panels;
  float ui_scale = 0;  ///< 0: the monitor's
  MouseScheme mouse = MouseScheme::kPelt;
  LightPreferences light = {};
  HandleOptions handles = {};
  BrushPreferences brush = {};
  std::vector<std::string> recent_files;                    ///< newest first
  std::map<std::string, std::string, std::less<>> folders;  ///< last used, by kind of file: kFileKinds
  bool operator==(const Preferences&) const = default;
};

/// A line for the user; errors stay until they are closed.
struct Notice {
  Severity severity = Severity::kInfo;
  std::string text;
  double shown_since = 0;
  std::string details = {};  ///< shown where the mouse points at it, and the reason to stay longer

  [[nodiscard]] double seconds() const { return details.empty() ? 6 : 20; }
};

/// The rigs on which theory is checked.
enum class TeachingRig { kElbow, kCandyWrapper, kControlPoints };

/// Work that a program left behind which could not end as it should.
struct Recoverable {
  std::string file;
  std::string label;  ///< "fox.glb, 14:32"
  std::string session =
      {};  ///< a sentence: how the session that it would be saved to stands to it; empty: there is none
};

/// A session that is opened once the user has answered a question about its character.
struct PendingSession {
  std::string file;          ///< empty: none
  std::string located = {};  ///< where its character lies, as far as that was answered
  bool agreed = false;       ///< to a character outside of its folder, likewise
  std::string why = {};      ///< what is wrong, without a full stop
};

/// What would lose work, held back until the user has answered.
struct Leaving {
  std::string open_file = {};
  std::string located = {};  ///< as Requests has these two, for that file
  bool agreed = false;
  std::optional<TeachingRig> teach = {};
  bool quit = false;
  bool saving = false;  ///< the answer was to save first
};

/// Members of render::Camera that a hand moves, see escape.cpp.
inline constexpr std::size_t kCameraMembers = 7;

/// How things were when the button went down, and what the drag has changed since: Esc takes that back and leaves alone
/// what went on meanwhile, such as a turntable or a clip.
struct BeforeDrag {
  render::Camera camera;  ///< with what others have moved since
  render::ViewSettings view;
  PanelSizes panels;
  Playback playback;
  float time = 0;  ///< the playhead
  rig::SurfaceChoice surface = {};
  bool follows_camera = false;  ///< it looked through one of the file's

  std::bitset<kCameraMembers> moved_camera = {};
  bool changed_view = false;
  bool changed_playback = false;
  bool moved_playhead = false;
  bool changed_document = false;
  render::Camera seen = {};  ///< the camera when it was looked at last
};

/// What a framed character has to fill.
struct FramingRoom {
  glm::vec2 pane = glm::vec2(0.0f);  ///< size of each pane, pixels
  float covered = 0;                 ///< share of its height that toolbar or banner take from above
  bool operator==(const FramingRoom&) const = default;
};

/// How a camera projects.
struct Lens {
  float yfov = render::Camera{}.yfov;  ///< radians
  bool orthographic = false;
  bool operator==(const Lens&) const = default;
};

/// The window's own state: how things are shown, not what they are. The document is elsewhere.
struct Workspace {
  std::shared_ptr<Jobs> jobs = std::make_shared<Jobs>();  ///< where everything runs that takes long; never null
  Preferences preferences;
  render::ViewSettings view;
  render::Camera camera;
  std::optional<render::Camera> framed;               ///< as frame_all() left it: still so, it follows the panes' shape
  FramingRoom framed_room = {};                       ///< what there was for it then
  int scene_camera = -1;                              ///< of the file, last looked through
  std::optional<render::Camera> looked_through = {};  ///< as it was then: still so, it follows clip and pose
  glm::vec2 panes_seen = glm::vec2(0.0f);             ///< size of each pane in the last picture, pixels
  int panes_counted = 0;                              ///< how many there were
  std::optional<Lens> own_lens = {};                  ///< the user's, from before one lent its own
  Lens lent_lens = {};                                ///< of the camera last looked through
  int presses = 0;                                    ///< of the left button; a double or triple click counts once
  Playback playback;
  render::Look look_before_weights = render::Look::kShaded;
  render::Look look_before_difference = render::Look::kShaded;

  std::string_view tab = "pose";                                ///< the id of the one in front, of a row of tabs()
  std::string_view mode = "pose";                               ///< the id of a row of modes() that has the tab
  std::map<std::string_view, std::string_view> mode_tabs = {};  ///< which was in front in modes that were left
  std::string_view tool = kSelectTool;                          ///< the id of a row of tools(); see current_tool()
  std::optional<HeldTool> held_tool = {};
  bool tool_taken = false;  ///< until it has been followed by what it brings along
  SliderDrag slider_drag = {};
  bool select_through = false;  ///< a box takes vertices that the surface hides
  bool opens_context_menu = false;
  int context_part = -1;                         ///< that the context menu was opened over, while it is open
  bool context_is_part = false;                  ///< and is about that part alone
  bool context_of_vertices = false;              ///< the context menu was opened over vertices, else over joints
  std::optional<bool> menu_about_vertices = {};  ///< while an entry of the context menu is carried out
  bool escape = false;                           ///< Esc went down in this picture and nothing has used it yet
  std::optional<BeforeDrag> before_drag = {};
  std::string previewed = {};      ///< subject of the preview in the last picture
  std::string preview_ended = {};  ///< the subject that Esc ended, until nobody asks for it
  bool panels_hidden = false;
  bool help_open = false;
  bool about_open = false;
  bool history_open = false;
  std::size_t history_followed = 0;  ///< the place that its list has scrolled to
  bool parity_continuous = false;
  bool watch = false;  ///< reload the file when it changes
  bool weights_follow_selection = true;
  std::optional<Notice> error;           ///< the banner
  std::optional<Notice> notice;          ///< the status line
  std::string pose_path;                 ///< where the pose was last opened from or saved to
  std::string session_path;              ///< where the session was last opened from or saved to
  std::optional<Leaving> leaving;        ///< the question is open
  PendingSession outside = {};           ///< whose character lies elsewhere; the question is open
  PendingSession missing = {};           ///< whose character is not there; the question is open
  PendingSession locating = {};          ///< whose character is being looked for
  std::vector<Recoverable> recoverable;  ///< the question about the first one is open
  bool offers_held = false;              ///< the question about edits of another version of the file is open

  WindowLayout layout;
  ViewportState viewport;
  PanelStates panel_states;
  edit::BatteryOptions battery = edit::kStandardBattery;  ///< of poses that methods and diets are tried in
  FileBrowser browser;

  /// What a panel keeps between pictures, for example panel<PosePanel>().
  template <typename Panel>
  [[nodiscard]] Panel& panel() {
    return panel_states.get<Panel>();
  }
  template <typename Panel>
  [[nodiscard]] const Panel& panel() const {
    return panel_states.get<Panel>();
  }
};

/// What the picture shows as if it had been done, as long as every frame asks for it. Nothing of the document changes.
struct Preview {
  std::string subject = {};  ///< what the user points at: Esc ends the preview of it; empty: none is asked for
  std::string key = {};      ///< equal keys, equal changes
  std::vector<edit::Change> changes = {};
  std::optional<float> time = {};  ///< of the clip that is shown then
  bool moves = false;              ///< there is another one in the next frame
  /// [panes] as edit::Document::stand_ins; none of them is shown where one does not fit.
  std::vector<std::shared_ptr<const rig::Character>> stand_ins = {};
};

/// What a frame asked for. Changes of the document are commands; the rest is for the owner of files and windows.
struct Requests {
  edit::Commands commands;
  bool end_merge = false;     ///< a drag ended
  bool next_picture = false;  ///< something goes on although nothing moves
  std::string cancel_merge;   ///< the drag with this merge key is taken back
  bool undo = false;
  bool redo = false;
  std::optional<std::size_t> travel;              ///< to this place of the history
  std::optional<float> playhead;                  ///< where a drag that is taken back found it
  std::optional<std::vector<int>> select_joints;  ///< the last becomes the active one
  std::optional<edit::VertexSelection> select_vertices;
  std::optional<glm::ivec2> pin;  ///< part, vertex; -1, -1 to unpin
  std::optional<int> active_pane;
  std::optional<int> stop_after;  ///< layer behind which what is seen stops, -1: none
  std::optional<int> show_scene;
  std::optional<edit::TimeSettings> timing;
  std::optional<bool> symmetric_posing;
  std::string open_file;  ///< path, or "@mannequin"
  std::string located;    ///< where the character of the session lies that is to be opened
  bool agreed = false;    ///< to a session's character outside of its folder
  std::string discard;    ///< a file of Workspace::recoverable, to be removed
  /// Whether edits of another version of the file are carried over by position (SessionOrigin::held) or left out.
  std::optional<bool> carry_over_held;
  bool reload = false;  ///< the open character's file again
  std::string open_pose;
  std::string open_environment;
  std::string open_behind;  ///< a picture
  std::string open_motion;  ///< of another skeleton
  std::string open_poses;   ///< into the library
  std::string save_poses;   ///< the library
  std::string open_joint_map;
  std::string save_joint_map;
  std::string open_weights_from;  ///< a character that gives its weights, or "@mannequin"
  std::string open_weight_text;
  std::string open_volume;  ///< a mesh round a joint
  std::string save_weight_text;
  Preview preview = {};
  std::string save_pose;
  std::string save_session;
  std::string pack_session;  ///< into one file with its character
  std::optional<ExportRequest> export_character;
  bool screenshot = false;  ///< into a file of a free name, where pictures were saved last
  std::string picture;      ///< file for the picture
  bool cancel_loading = false;
  std::optional<Jobs::SlotId> cancel_job;  ///< of the list in the status bar
  bool measure_parity = false;
  bool measure_numbers = false;                           ///< of the pose shown, while someone looks at them
  std::optional<edit::SeriesAxis> measure_series;         ///< a plot
  std::optional<std::vector<int>> run_battery;            ///< under these methods
  edit::BatteryOptions battery = edit::kStandardBattery;  ///< what run_battery tries
  bool cancel_measuring = false;                          ///< plot and battery
  std::string save_table;                                 ///< file for the plot's numbers
  bool lint = false;                  ///< of the open character, while someone looks at the findings
  std::vector<std::string> fix = {};  ///< codes of findings that rig::fixed() mends, as one undoable step
  std::optional<TeachingRig> teach;
  std::optional<rig::SurfaceChoice> surface;  ///< to be shown from now on
  bool find_t_junctions = false;              ///< while someone looks at their number, or at the marks
  bool quit = false;
};

/// Everything a panel or an action gets.
struct Desk {
  const Scene& scene;
  Workspace& workspace;
  Requests& requests;
  WidgetReport& report;
  const Theme& theme;

  [[nodiscard]] const edit::Document& document() const { return *scene.document; }
  [[nodiscard]] const rig::Character& character() const { return *scene.document->character; }
  /// @param merge_key  changes with the same one, from one press of the mouse to the next, are one undo step
  /// @param label  of the step, where the change does not have the words that the user clicked on
  void change(edit::Change what, const std::string& merge_key = {}, std::string label = {}) const {
    requests.commands.push_back(
        {std::move(what), merge_key.empty() ? "" : key_of_press(merge_key), true, std::move(label)});
  }
  [[nodiscard]] std::string key_of_press(const std::string& merge_key) const {
    return merge_key + "#" + std::to_string(workspace.presses);
  }
};

/// What carrying out requests has to say to the user.
struct Outcome {
  std::string notice;  ///< which step was undone or redone, or what else a change touches; empty for nothing
  std::string error;   ///< why a change was refused; empty where none was
};
/// Carries out what concerns the document: commands, undo, redo, selection, pins.
Outcome apply(const Requests& requests, edit::Document& document);

/// Brings a tab to the front, in a mode that has it, also where panels are put away or help stands in their place.
/// @pre  id is of a row of tabs()
void show_tab(Workspace& workspace, std::string_view id);

/// Pixels of what the camera of each pane sees.
glm::vec2 pane_size(const Workspace& workspace, const edit::Document& document);
FramingRoom framing_room(const Workspace& workspace, const edit::Document& document);

/// Forgets what is about the character shown, for which another one comes: finding, hovering, a drag in progress, the
/// file's camera, joint, variant and nodes of the view.
void forget_character(Workspace& workspace);
/// Goes over to a newer version of the character: what is about a joint, node or variant stays where that is still
/// there.
/// @param now  the newer version
/// @returns a sentence about what is no longer hidden; empty where all of it is
std::string follow_newer_version(Workspace& workspace, const edit::Remap& numbers, const rig::Character& now);
/// Joints, nodes, the variant of the view and what is hidden. @returns as follow_newer_version()
std::string remap(render::ViewSettings& view, const edit::Remap& numbers, const rig::Character& now);

/// Looks through one of the file's cameras, as the clip shown has it now; nothing where its node has no direction.
void look_through(Desk& desk, int camera);

/// Ends it for good, as for another file: upright, and with the user's own lens again unless it was changed since.
void leave_scene_camera(Workspace& workspace);

/// Goes on looking through it while clip and pose move it, until the user moves the camera.
void follow_scene_camera(Desk& desk);

/// Keeps in every pane what was in the picture before panes came or went, also where the user has moved the camera.
void keep_in_panes(Workspace& workspace, const edit::Document& document);

/// Frames the posed shape.
void frame_all(Workspace& workspace, const Scene& scene);
/// Frames a box of it.
void frame_box(Workspace& workspace, const edit::Document& document, const Bounds& bounds);

}  // namespace pelt::ui
