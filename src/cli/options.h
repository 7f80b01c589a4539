#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "deform/settings.h"
#include "render/view_settings.h"

namespace pelt::cli {

class Command;

/// `--set JOINT.DOF=VALUE`: split at the last equals sign and the last dot before it, since joint names may contain
/// both.
struct SetFlag {
  std::string joint;
  std::string dof;
  double value = 0;  ///< degrees, metres or factor as typed
};

/// `--morph NAME=WEIGHT`, split at the last equals sign.
struct MorphFlag {
  std::string name;
  double weight = 0;
};

/// `--drive TARGET=EXPRESSION`.
struct DriveFlag {
  std::string target;
  std::string expression;
};

/// `--slider NAME=VALUE`: a slider that means something, of the character or proposed for it.
struct SliderFlag {
  std::string name;
  float value = 0;
};

/// `--weights WORD[,WORD]`: how weights are stored, and whether they are normalised.
struct WeightsFlag {
  std::optional<deform::WeightFormat> format;
  std::optional<bool> as_stored;
};

/// `--parameter ID=VALUE`.
struct ParameterFlag {
  std::string id;
  float value = 0;
};

/// `--layer ID=on|off|WEIGHT` or `--layer ID.FIELD=VALUE`. Numbers switch the layer on.
struct LayerFlag {
  std::string kind;
  std::string field;  ///< empty: the switch
  bool on = true;
  float value = 0;  ///< of the field
};

/// What is evaluated: one meaning in `view`, `render`, `bake` and `compare`.
struct EvaluationOptions {
  std::string file;  ///< path, "@mannequin", or "-" for standard input; empty: none given
  std::optional<std::string> clip;
  std::optional<double> time;
  std::optional<std::string> pose;
  bool strict = false;  ///< a pose file must find all its joints and shapes
  std::vector<SetFlag> sets;
  std::vector<MorphFlag> morphs;
  std::vector<DriveFlag> drives;
  std::vector<SliderFlag> sliders;
  std::vector<LayerFlag> layers;
  std::optional<std::string> stop_after;  ///< id of a layer
  bool bind_pose = false;
  bool zero_pose = false;
  deform::SkinningSettings skinning;  ///< as the flags say, and the standard ones where they say nothing
  /// The same flags one by one, for a document that has settings of its own.
  std::vector<std::function<void(deform::SkinningSettings&)>> skinning_flags;
  std::vector<std::string> parameters;  ///< ids that `--parameter` named
  bool backend_given = false;
  bool allow_outside_uris = false;
  bool allow_loss = false;           ///< a session may be written over by less than it holds
  bool transfer = false;             ///< edits of another version of the session's character go over by position
  std::optional<std::string> scene;  ///< name or index
  bool split_t_junctions = false;
  int lod = 0;                     ///< 0: the file's surface; level n has 1 / 2^n of its triangles
  int subdivide = 0;               ///< steps of subdivision, after the level of detail
  float explode = 0;               ///< rigid parts pulled apart, 0 to rig::kMostExploded
  bool decode_images = true;       ///< set by the verb: what draws nothing need not decode textures
  bool check_conformance = false;  ///< set by the verb
};

/// `--vertex PART,V`, split at the last comma, since names may contain some.
struct VertexFlag {
  std::string part;  ///< its name or index
  int vertex = 0;
};

/// METHOD[:BACKEND[:NORMALS[:INFLUENCES[:REFINE]]]]: a pane of `--pane`, a side of `pelt compare`. What is not said is
/// as the other flags say.
struct PaneFlag {
  int method = 1;
  std::optional<deform::Backend> backend;
  std::optional<deform::NormalVariant> normals;
  std::optional<int> influences;  ///< limit, 0 for all
  std::optional<deform::Refine> refine = {};
};

/// These settings with what the flag says.
deform::SkinningSettings with_pane(deform::SkinningSettings settings, const PaneFlag& flag);

/// `--against bind|backend|full|PANE|METHOD`.
struct AgainstFlag {
  render::Reference reference = render::Reference::kOtherBackend;
  int pane = 0;    ///< counted from 0
  int method = 0;  ///< row
};

/// `--environment NAME|FILE.hdr`.
struct EnvironmentFlag {
  render::Environment environment = render::Environment::kStudio;
  std::string file;  ///< of kImage
};

/// What is drawn: one meaning in `view` and `render`. Angles in radians.
struct DrawingOptions {
  glm::ivec2 size = glm::ivec2(1280, 720);
  bool size_given = false;
  int samples = 4;
  struct Orbit {
    float azimuth = 0;
    float elevation = 0;
    std::optional<float> distance;
  };
  std::optional<Orbit> camera;
  std::optional<int> scene_camera;
  std::optional<std::string> variant;  ///< of the materials, name or index
  bool ortho = false;
  std::optional<glm::vec4> background;  ///< linear RGBA
  std::string behind;                   ///< file of the picture behind the character; empty: none, or a session's
  std::optional<float> behind_opacity;
  std::vector<std::string> hide;  ///< parts, by name or index
  std::vector<std::string> only;
  std::optional<render::Look> look;  ///< none: shaded, or as a session says
  std::optional<EnvironmentFlag> environment;
  std::optional<render::ToneMapping> tone;
  std::optional<float> exposure;  ///< stops
  std::optional<bool> occlusion;
  std::string joint;                 ///< for weights
  std::optional<VertexFlag> vertex;  ///< pinned
  std::vector<PaneFlag> panes;       ///< beyond the first
  std::optional<float> wipe;         ///< share of the width
  std::optional<measure::Measure> measure;
  std::optional<AgainstFlag> against;
  std::optional<double> range;  ///< in the unit that the measure is shown in
  bool skeleton = false;
  bool deforming_only = false;  ///< of its bones
  bool joint_names = false;
  bool wireframe = false;
  bool normals = false;
  bool centers = false;
  bool isolines = false;
  bool cage = false;
  bool mark_t_junctions = false;
  bool grid = true;
  std::optional<render::GhostSettings> ghosts;
  int instances = 0;  ///< of a crowd; 0: the character itself
  bool ui = false;
  std::string tab;   ///< of the panels in front; empty: by what is shown
  std::string plot;  ///< JOINT.DOF of the plot in the Compare tab; empty: none
};

/// Which moments of a clip: `N` evenly spread ones, the end left out since in a loop it is the start again; frames A to
/// B (inclusive) at FPS from the clip's start; or `all` frames that the window would play, at the document's own rate.
struct FrameRange {
  bool all = false;
  int count = 0;  ///< > 0: evenly spread; otherwise the range below
  int first = 0;
  int last = 0;
  double fps = 30;
};
inline constexpr int kMostFrames = 100'000;

void add_file_argument(Command& command, EvaluationOptions& options, bool required);
/// The same for a verb that takes several files.
void add_files_argument(Command& command, std::vector<std::string>& files, EvaluationOptions& options);
/// `--allow-loss`, for verbs that may write over the session that they read; see check_keeps_session().
void add_loss_flag(Command& verb, EvaluationOptions& options);
void add_evaluation_flags(Command& command, EvaluationOptions& options);
/// Those of a pose alone.
void add_pose_flags(Command& group, EvaluationOptions& options);
void add_drawing_flags(Command& command, DrawingOptions& options);

// What flags of one group may not say together; throw UsageError.
void check_evaluation(const EvaluationOptions& options);
/// --time without a clip would say nothing. Not for `view`, which plays the first clip by itself.
void check_time(const EvaluationOptions& options);
void check_drawing(const DrawingOptions& options);
/// A crowd plays clips by linear blend; what would be dropped without a word is refused.
void check_crowd(const DrawingOptions& drawing, const EvaluationOptions& evaluation);

// The values of flags; errors say what was expected and what was given, without the flag's name.
Result<SetFlag> parse_set(std::string_view text);
Result<MorphFlag> parse_morph(std::string_view text);
Result<DriveFlag> parse_drive(std::string_view text);
Result<SliderFlag> parse_slider(std::string_view text);
/// A layer of a kind that there is, its switch or a field of it; within the field's range.
Result<LayerFlag> parse_layer(std::string_view text);
/// The id of a kind of layers.
Result<std::string> parse_layer_id(std::string_view text);
/// "Switch a layer ..." with all that can be set.
std::string layer_help();
/// Of all kinds, pose layers first.
std::vector<std::string> layer_ids();
Result<int> parse_method(std::string_view text);
Result<deform::Backend> parse_backend(std::string_view text);
Result<deform::Refine> parse_refine(std::string_view text);
Result<deform::NormalVariant> parse_normals(std::string_view text);
Result<int> parse_palette(std::string_view text);
Result<int> parse_influences(std::string_view text);
Result<WeightsFlag> parse_weights(std::string_view text);
Result<float> parse_prune(std::string_view text);
/// The id and value of a parameter that some method has; within its range.
Result<ParameterFlag> parse_parameter(std::string_view text);
Result<VertexFlag> parse_vertex(std::string_view text);
Result<glm::ivec2> parse_size(std::string_view text);
Result<DrawingOptions::Orbit> parse_camera(std::string_view text);
/// `transparent`, a name, or #rgb, #rrggbb, #rrggbbaa. Colours are sRGB; the result is linear with straight alpha.
Result<glm::vec4> parse_color(std::string_view text);
Result<render::Look> parse_look(std::string_view text);
Result<EnvironmentFlag> parse_environment(std::string_view text);
Result<render::ToneMapping> parse_tone(std::string_view text);
Result<PaneFlag> parse_pane(std::string_view text);
Result<measure::Measure> parse_measure(std::string_view text);
Result<AgainstFlag> parse_against(std::string_view text);
Result<FrameRange> parse_frames(std::string_view text);

}  // namespace pelt::cli
