#include "cli/edit_benchmark.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/goals.h"
#include "cli/output.h"
#include "cli/timed_runs.h"
#include "edit/commands.h"
#include "edit/evaluation.h"
#include "mesh/surface_disc.h"
#include "render/offscreen_context.h"
#include "render/renderer.h"
#include "rig/kinematics.h"

namespace pelt::cli {
namespace {

using Json = nlohmann::ordered_json;
using EditClock = std::chrono::steady_clock;

constexpr float kLength = 2;  // metres, along x
constexpr float kRadius = 0.25f;
constexpr int kSliders = 200;
constexpr float kOrbitStep = 0.02f;  // radians
constexpr glm::ivec2 kPictureSize = {1280, 720};

// ---------------------------------------------------------------------------------------------------------------------
// The character

// A chain of joints along x, with a mesh node behind them.
rig::Character chain(int joints) {
  rig::Character character;
  character.name = "tube";
  rig::Skeleton& skeleton = character.skeleton.edit();
  rig::Skin skin;
  const float step = kLength / static_cast<float>(joints);
  for (int j = 0; j <= joints; ++j) {
    const bool is_mesh = j == joints;
    skeleton.parent.push_back(is_mesh ? -1 : j - 1);
    skeleton.name.push_back(is_mesh ? "tube" : fmt::format("joint {}", j));
    skeleton.rest.push_back({.translation = {is_mesh || j == 0 ? 0.0f : step, 0, 0}});
    if (!is_mesh) {
      glm::mat4 inverse(1.0f);
      inverse[3] = glm::vec4(-step * static_cast<float>(j), 0, 0, 1);
      skin.joints.push_back(j);
      skin.joint_from_mesh.push_back(inverse);
    }
  }
  character.skins.push_back(std::move(skin));
  character.mesh_nodes.push_back({.joint = joints, .mesh = 0, .skin = 0, .morph_weights = {}});
  character.scenes.push_back({.name = "", .roots = {0, joints}});
  return character;
}

// Four joints near x with weights that fall to nothing a joint's length away: cubic B-splines.
void push_row(mesh::Influences& rows, float x, int joints) {
  const float at = x / kLength * static_cast<float>(joints - 3);
  const int first = std::clamp(static_cast<int>(at), 0, joints - 4);
  const float t = std::clamp(at - static_cast<float>(first), 0.0f, 1.0f);
  const float s = 1 - t;
  const std::array<float, 4> weights = {s * s * s / 6, (3 * t * t * t - 6 * t * t + 4) / 6,
                                        (3 * s * s * s - 6 * s * s + 4) / 6, t * t * t / 6};
  std::array<std::uint16_t, 4> slots = {};
  for (int k = 0; k < 4; ++k) {
    slots[k] = static_cast<std::uint16_t>(first + k);
  }
  mesh::append_row(rows, slots, weights);
}

std::vector<std::uint32_t> vertex_order(std::size_t count, bool random) {
  std::vector<std::uint32_t> order(count);  // [vertex] = its number on the tube
  std::iota(order.begin(), order.end(), 0u);
  if (random) {
    std::mt19937 engine(16);
    for (std::size_t k = count - 1; k > 0; --k) {
      std::swap(order[k], order[engine() % (k + 1)]);
    }
  }
  return order;
}

std::shared_ptr<const rig::Character> tube(const EditBenchmark& options, bool random) {
  const auto around = static_cast<std::uint32_t>(options.around);
  const auto rings = static_cast<std::uint32_t>(options.rings);
  const std::vector<std::uint32_t> order = vertex_order(std::size_t{around} * rings, random);
  std::vector<std::uint32_t> vertex(order.size());  // [number on the tube]
  mesh::Primitive primitive;
  std::vector<glm::vec3>& positions = primitive.positions.edit();
  std::vector<glm::vec3>& normals = primitive.normals.edit();
  mesh::Influences rows;
  for (std::uint32_t v = 0; v < order.size(); ++v) {
    vertex[order[v]] = v;
    const float angle =
        2 * std::numbers::pi_v<float> * static_cast<float>(order[v] % around) / static_cast<float>(around);
    const float x = kLength * static_cast<float>(order[v] / around) / static_cast<float>(rings - 1);
    normals.emplace_back(0, std::cos(angle), std::sin(angle));
    positions.push_back(glm::vec3(x, 0, 0) + kRadius * normals.back());
    push_row(rows, x, options.joints);
  }
  primitive.influences = std::move(rows);
  std::vector<std::uint32_t>& indices = primitive.indices.edit();
  for (std::uint32_t r = 0; r + 1 < rings; ++r) {
    for (std::uint32_t k = 0; k < around; ++k) {
      const std::uint32_t next = (k + 1) % around;
      const std::array<std::uint32_t, 4> corners = {vertex[r * around + k], vertex[r * around + next],
                                                    vertex[(r + 1) * around + next], vertex[(r + 1) * around + k]};
      indices.insert(indices.end(), {corners[0], corners[2], corners[1], corners[0], corners[3], corners[2]});
    }
  }
  rig::Character character = chain(options.joints);
  mesh::Mesh mesh;
  mesh.name = "tube";
  mesh.primitives.push_back(std::move(primitive));
  character.meshes.push_back(std::move(mesh));
  rig::finish(character);
  return std::make_shared<const rig::Character>(std::move(character));
}

// ---------------------------------------------------------------------------------------------------------------------
// The dabs

// One part of a dab and what it took each time, seconds.
struct Stage {
  const char* name;
  std::vector<double> seconds = {};
};

struct DabFigures {
  double prepare = 0;  ///< seconds until the first dab, once for a mesh
  std::vector<Stage> stages;
  std::vector<double> uploaded = {};  ///< bytes of buffer ranges that each dab wrote
  double milliseconds = 0;            ///< median of a whole dab
  double painting = 0;                ///< milliseconds of a picture with a dab; 0 where there is no OpenGL
  double orbiting = 0;                ///< and of one with another camera, in turn with it
  std::vector<double> touched = {};   ///< bytes of the rows that each dab changed
  std::vector<double> steps = {};     ///< bytes that the history keeps of each
  std::vector<double> vertices = {};
  std::size_t history_bytes = 0;
  std::size_t history_steps = 0;
};

double median(std::vector<double> values) {
  return values.empty() ? 0 : median_of(values);
}

// Bytes of the rows of `now` that are others than before, and how many there are.
std::pair<std::size_t, std::size_t> changed_rows(const rig::Character& before, const rig::Character& now) {
  const mesh::Influences& rows = now.meshes[0].primitives[0].influences;
  std::size_t bytes = 0;
  std::size_t count = 0;
  mesh::for_changed_rows(before.meshes[0].primitives[0].influences, rows, [&](std::size_t v) {
    bytes += rows.count(v) * (sizeof(std::uint16_t) + sizeof(float)) + sizeof(std::uint32_t) + sizeof(float);
    ++count;
  });
  return {bytes, count};
}

class Stopwatch {
 public:
  /// Seconds since the last call, or since this began.
  double lap() {
    const EditClock::time_point now = EditClock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  EditClock::time_point last_ = EditClock::now();
};

// What the window has of a pane in which weights are painted: it finds the vertex under the cursor, and takes the rows
// that changed.
class PaintedPane {
 public:
  static Result<std::unique_ptr<PaintedPane>> create() {
    auto pane = std::unique_ptr<PaintedPane>(new PaintedPane());
    PELT_TRY_TO(auto context, render::OffscreenContext::create());
    pane->context_ = std::move(context);
    PELT_TRY_TO(auto renderer, render::Renderer::create());
    pane->renderer_ = std::move(renderer);
    pane->frame_.paint = true;
    pane->frame_.hold_shadows = true;  // as the window does while a stroke lasts
    pane->frame_.size = kPictureSize;
    pane->frame_.skinning.backend = deform::Backend::kGpu;
    pane->frame_.view.look = render::Look::kWeights;
    return pane;
  }

  /// Points the camera at the whole character, from the front.
  void look_at(const Bounds& bounds) {
    frame_.bounds = bounds;
    frame_.camera.azimuth = 0;
    frame_.camera.elevation = 0;
    render::frame(frame_.camera, bounds, aspect());
  }
  Status upload(const edit::Document& document, const edit::Evaluation& evaluation) {
    frame_.character = document.character.get();
    frame_.pose = &evaluation.pose();
    frame_.world = evaluation.world();
    frame_.pose_version = evaluation.version();
    middle_joint_ = static_cast<int>(document.character->skeleton->parent.size()) / 2;
    frame_.selected_joints = std::span(&middle_joint_, 1);
    frame_.cache = evaluation.cache().get();
    return renderer_->upload_character(frame_);
  }
  /// The vertex that is seen where this one is; itself where nothing is seen there. Where the CPU rasterises, a ray
  /// through its own shape finds it in a hundredth of the time that drawing two million triangles takes.
  /// @pre  upload()
  Result<std::uint32_t> vertex_at(const deform::DeformedCharacter& deformed, std::uint32_t vertex) {
    const glm::vec3& position = deformed.parts[0].positions[vertex];
    const glm::vec4 clip =
        frame_.camera.clip_from_view(aspect()) * frame_.camera.view_from_world() * glm::vec4(position, 1.0f);
    const glm::vec2 cursor = glm::vec2(clip) / clip.w;
    if (by_ray()) {
      const auto hit = render::pick_vertex(*frame_.character, deformed, pick_ray(frame_.camera, cursor, aspect()));
      return hit ? static_cast<std::uint32_t>(hit->vertex) : vertex;
    }
    const glm::vec2 pixel = (glm::vec2(cursor.x, -cursor.y) * 0.5f + 0.5f) * glm::vec2(kPictureSize);
    PELT_TRY_TO(const auto hit,
                renderer_->pick(frame_, glm::clamp(glm::ivec2(pixel), glm::ivec2(0), kPictureSize - 1)));
    return hit ? static_cast<std::uint32_t>(hit->vertex) : vertex;
  }
  /// Draws the weights of the joint in the middle and waits for the picture. @pre  upload()
  Status draw() {
    PELT_TRY(renderer_->render_image(frame_));
    return {};
  }
  void orbit() { frame_.camera.azimuth += kOrbitStep; }
  [[nodiscard]] bool by_ray() const { return renderer_->stats().software; }
  [[nodiscard]] std::int64_t row_bytes() const { return renderer_->stats().row_bytes; }
  [[nodiscard]] std::string device() const { return renderer_->device(); }

 private:
  PaintedPane() = default;
  static float aspect() { return static_cast<float>(kPictureSize.x) / static_cast<float>(kPictureSize.y); }

  std::unique_ptr<render::OffscreenContext> context_;  // outlives the renderer
  std::unique_ptr<render::Renderer> renderer_;
  int middle_joint_ = 0;  ///< selected
  render::Frame frame_;
};

// What is kept from one dab to the next.
struct Bench {
  std::unique_ptr<PaintedPane> pane;  ///< null where there is no OpenGL
  edit::Document document;
  edit::Evaluation evaluation;
  std::shared_ptr<const mesh::WeldedSurface> surface;
  mesh::DiscSearch search;
  float radius = 0;
};

edit::SmoothWeights dab_at(Bench& bench, std::uint32_t vertex) {
  const mesh::WeldedSurface& surface = *bench.surface;
  const mesh::SurfaceDisc disc = bench.search.find(
      surface.adjacency, [&](std::uint32_t place) { return surface.position(place); }, surface.place[vertex],
      bench.radius);
  std::vector<std::uint32_t> vertices;
  std::vector<float> strengths;
  for (std::size_t k = 0; k < disc.place.size(); ++k) {
    vertices.push_back(surface.copies(disc.place[k]).front());
    strengths.push_back(mesh::brush_falloff(disc.distance[k], bench.radius));
  }
  edit::SmoothWeights change;
  change.surface = bench.surface;
  change.vertices = std::move(vertices);
  change.strengths = std::move(strengths);
  return change;
}

// Radius of a disc that holds so many vertices; distances along the edges of a grid are longer than across it.
float radius_for(Bench& bench, std::size_t vertices, std::uint32_t middle) {
  float radius = std::sqrt(2 * kLength * kRadius * static_cast<float>(vertices) /
                           static_cast<float>(bench.surface->vertex_count()));
  for (int i = 0; i < 20; ++i) {
    bench.radius = radius;
    const auto found = static_cast<float>(dab_at(bench, middle).vertices.size());
    radius *= std::sqrt(static_cast<float>(vertices) / found);
  }
  return radius;
}

// Vertices away from the ends of the tube, the same places in any order.
std::vector<std::uint32_t> middles(const EditBenchmark& options, bool random) {
  const auto around = static_cast<std::uint32_t>(options.around);
  const auto rings = static_cast<std::uint32_t>(options.rings);
  const std::vector<std::uint32_t> order = vertex_order(std::size_t{around} * rings, random);
  std::vector<std::uint32_t> vertex(order.size());
  for (std::uint32_t v = 0; v < order.size(); ++v) {
    vertex[order[v]] = v;
  }
  std::mt19937 engine(39);
  std::vector<std::uint32_t> out;
  for (int i = 0; i < options.dabs; ++i) {
    const std::uint32_t ring = rings / 10 + static_cast<std::uint32_t>(engine()) % (rings - rings / 5);
    out.push_back(vertex[ring * around + static_cast<std::uint32_t>(engine()) % around]);
  }
  return out;
}

enum StageIndex { kPick, kDisc, kWeights, kRows, kUpload, kStageCount };

// One dab, from the cursor to the buffers; seconds of each stage.
Result<std::array<double, kStageCount>> time_dab(Bench& bench, std::uint32_t vertex) {
  std::array<double, kStageCount> laps = {};
  Stopwatch watch;
  if (bench.pane != nullptr) {
    PELT_TRY_TO(const std::uint32_t seen, bench.pane->vertex_at(bench.evaluation.deformed(bench.document), vertex));
    vertex = seen;
  }
  laps[kPick] = watch.lap();
  edit::SmoothWeights change = dab_at(bench, vertex);
  laps[kDisc] = watch.lap();
  edit::apply(bench.document, {std::move(change), "", true});
  laps[kWeights] = watch.lap();
  bench.evaluation.deformed(bench.document);
  laps[kRows] = watch.lap();
  if (bench.pane != nullptr) {
    PELT_TRY(bench.pane->upload(bench.document, bench.evaluation));
  }
  laps[kUpload] = watch.lap();
  return laps;
}

// Welds the surface, finds the radius of a dab and fills every cache, as the first picture does.
Status prepare(Bench& bench, DabFigures& figures, const EditBenchmark& options, std::uint32_t middle) {
  Stopwatch watch;
  bench.surface = mesh::welded_surface(bench.document.character->meshes[0]);
  figures.prepare = watch.lap();
  bench.radius = radius_for(bench, options.dab_vertices, middle);
  const deform::DeformedCharacter& deformed = bench.evaluation.deformed(bench.document);
  if (bench.pane == nullptr) {
    return {};
  }
  bench.pane->look_at(deformed.bounds);
  return bench.pane->upload(bench.document, bench.evaluation);
}

// Pictures of an orbit and pictures with a dab, in turn.
Status time_pictures(Bench& bench, int pictures, const std::vector<std::uint32_t>& places, DabFigures& figures) {
  std::vector<double> orbiting;
  std::vector<double> painting;
  for (int i = 0; i <= pictures; ++i) {
    Stopwatch watch;
    bench.pane->orbit();
    PELT_TRY(bench.pane->draw());
    const double orbit = watch.lap();
    PELT_TRY(time_dab(bench, places[static_cast<std::size_t>(i) % places.size()]));
    PELT_TRY(bench.pane->draw());
    const double dab = watch.lap();
    if (i > 0) {  // the first ones fill caches
      orbiting.push_back(orbit);
      painting.push_back(dab);
    }
  }
  figures.orbiting = 1e3 * median(std::move(orbiting));
  figures.painting = 1e3 * median(std::move(painting));
  return {};
}

Result<DabFigures> time_dabs(Bench& bench, const EditBenchmark& options, bool random) {
  DabFigures figures;
  bench.document = edit::make_document(tube(options, random));
  const std::vector<std::uint32_t> places = middles(options, random);
  PELT_TRY(prepare(bench, figures, options, places.front()));
  figures.stages = {{"picking"}, {"disc"}, {"weights and history"}, {"rows, windows and shape"}, {"buffer ranges"}};
  std::vector<double> whole;
  for (const std::uint32_t vertex : places) {
    const std::shared_ptr<const rig::Character> before = bench.document.character;
    PELT_TRY_TO(const auto laps, time_dab(bench, vertex));
    for (std::size_t s = 0; s < laps.size(); ++s) {
      figures.stages[s].seconds.push_back(laps[s]);
    }
    whole.push_back(std::accumulate(laps.begin(), laps.end(), 0.0));
    const auto [bytes, count] = changed_rows(*before, *bench.document.character);
    const edit::History& history = bench.document.history;
    figures.touched.push_back(static_cast<double>(bytes));
    figures.vertices.push_back(static_cast<double>(count));
    figures.steps.push_back(static_cast<double>(history.step(history.cursor() - 1).bytes));
    if (bench.pane != nullptr) {
      figures.uploaded.push_back(static_cast<double>(bench.pane->row_bytes()));
    }
  }
  figures.milliseconds = 1e3 * median(whole);
  figures.history_bytes = bench.document.history.bytes();
  figures.history_steps = bench.document.history.size() - 1;
  if (bench.pane != nullptr) {
    PELT_TRY(time_pictures(bench, options.pictures, places, figures));
  }
  return figures;
}

// A slider of a joint in the middle, up to the world matrices.
double slider_milliseconds(Bench& bench, int joints) {
  std::vector<double> seconds;
  for (int i = 0; i < kSliders; ++i) {
    Stopwatch watch;
    edit::apply(bench.document, {edit::SetDof{joints / 2, 0, 0.001f * static_cast<float>(i)}, "slider", true});
    bench.evaluation.update(bench.document);
    seconds.push_back(watch.lap());
  }
  return 1e3 * median(std::move(seconds));
}

/// Of keys of one joint in a long capture that moves all of them.
struct KeyFigures {
  double milliseconds = 0;  ///< of a posed key with its step
  double step_bytes = 0;
};

KeyFigures time_keys(const EditBenchmark& options) {
  constexpr int kFrames = 2752;
  constexpr float kRate = 120;
  constexpr int kKeys = 100;
  rig::Character character = *tube({.around = 8, .rings = 8, .joints = options.joints}, false);
  rig::Clip clip;
  clip.name = "capture";
  for (int j = 0; j < options.joints; ++j) {
    rig::Channel turn{.joint = j, .path = rig::ChannelPath::kRotation, .times = {}, .values = {}, .width = 4};
    for (int f = 0; f < kFrames; ++f) {
      const float half = 0.1f * std::sin(0.01f * static_cast<float>(f + j));
      turn.times.push_back(static_cast<float>(f) / kRate);
      turn.values.insert(turn.values.end(), {std::sin(half), 0, 0, std::cos(half)});
    }
    clip.channels.push_back(std::move(turn));
  }
  clip.end = (kFrames - 1) / kRate;
  character.clips.push_back(std::move(clip));
  edit::Document document = edit::make_document(std::make_shared<const rig::Character>(std::move(character)));
  edit::apply(document, {edit::SetClip{0}, {}, false});
  document.view.timing.auto_key = true;
  std::vector<double> seconds;
  std::vector<double> bytes;
  for (int i = 0; i < kKeys; ++i) {
    edit::apply(document, {edit::SetTime{0.2f * static_cast<float>(i) + 0.003f}, {}, false});
    Stopwatch watch;
    edit::apply(document, {edit::SetDof{options.joints / 2, 0, 0.001f * static_cast<float>(i + 1)}, {}, true});
    seconds.push_back(watch.lap());
    bytes.push_back(static_cast<double>(document.history.step(document.history.cursor() - 1).bytes));
  }
  return {1e3 * median(std::move(seconds)), median(std::move(bytes))};
}

// ---------------------------------------------------------------------------------------------------------------------
// What is said of them

struct EditFigures {
  DabFigures in_order;
  DabFigures random;
  double slider = 0;
  KeyFigures keys = {};
  std::optional<std::string> device;  ///< that picks and takes rows; nothing where there is no OpenGL
  bool picks_by_ray = false;
};

std::vector<BenchmarkGoal> goals_of(const EditFigures& figures) {
  const double orbiting = figures.in_order.orbiting;
  const auto share = [](const DabFigures& of) { return median(of.steps) / std::max(1.0, median(of.touched)); };
  constexpr double kMegabyte = 1 << 20;
  std::vector<BenchmarkGoal> goals = {
      {"milliseconds of a dab", 16, figures.in_order.milliseconds, true},
      {"random order against mesh order", 4, figures.random.milliseconds / figures.in_order.milliseconds, true},
      {"bytes of a step against its changed rows", 2, share(figures.in_order), true},
      {"the same in random order", 2, share(figures.random), true},
      {"MiB of all steps", static_cast<double>(edit::kHistoryBytes) / kMegabyte,
       static_cast<double>(figures.in_order.history_bytes) / kMegabyte, true},
      {"MiB of all steps in random order", static_cast<double>(edit::kHistoryBytes) / kMegabyte,
       static_cast<double>(figures.random.history_bytes) / kMegabyte, true},
      {"milliseconds of a key in a capture", 5, figures.keys.milliseconds, true}};
  if (orbiting > 0) {
    goals.push_back({"a painting picture against an orbiting one", 1.2, figures.in_order.painting / orbiting, true});
  }
  return goals;
}

Json json_of(const DabFigures& figures) {
  Json stages = Json::array();
  for (const Stage& stage : figures.stages) {
    stages.push_back({{"stage", stage.name}, {"milliseconds", 1e3 * median(stage.seconds)}});
  }
  return {{"dab_ms", figures.milliseconds},
          {"dab_vertices", median(figures.vertices)},
          {"dab_bytes_touched", median(figures.touched)},
          {"step_bytes", median(figures.steps)},
          {"steps", figures.history_steps},
          {"steps_bytes", figures.history_bytes},
          {"uploaded_bytes", median(figures.uploaded)},
          {"prepare_ms", 1e3 * figures.prepare},
          {"stages", stages},
          {"painting_picture_ms", figures.painting},
          {"orbiting_picture_ms", figures.orbiting}};
}

std::string json_report(const EditBenchmark& options, const EditFigures& figures) {
  Json edit = json_of(figures.in_order);
  edit["slider_ms"] = figures.slider;
  edit["key_ms"] = figures.keys.milliseconds;
  edit["key_step_bytes"] = figures.keys.step_bytes;
  edit["vertices"] = options.around * options.rings;
  edit["joints"] = options.joints;
  edit["random_order"] = json_of(figures.random);
  edit["device"] = figures.device ? Json(*figures.device) : Json();
  edit["picking"] = !figures.device ? Json() : Json(figures.picks_by_ray ? "ray" : "ids");
  edit["goals"] = goal_json(goals_of(figures));
  return Json{{"edit", edit}}.dump(2) + "\n";
}

std::string text_report(const EditBenchmark& options, const EditFigures& figures) {
  std::string text =
      fmt::format("{} vertices, {} joints, {} dabs of {:.0f} vertices, medians\n\n{:<40} {:>12} {:>12}\n",
                  options.around * options.rings, options.joints, options.dabs, median(figures.in_order.vertices), "",
                  "mesh order", "random order");
  const auto line = [&](const char* what, double in_order, double random, const char* unit) {
    text += fmt::format("{:<40} {:>12.3f} {:>12.3f} {}\n", what, in_order, random, unit);
  };
  for (std::size_t s = 0; s < figures.in_order.stages.size(); ++s) {
    line(figures.in_order.stages[s].name, 1e3 * median(figures.in_order.stages[s].seconds),
         1e3 * median(figures.random.stages[s].seconds), "ms");
  }
  constexpr double kKilobyte = 1024;
  line("a dab", figures.in_order.milliseconds, figures.random.milliseconds, "ms");
  line("rows changed", median(figures.in_order.touched) / kKilobyte, median(figures.random.touched) / kKilobyte, "KiB");
  line("its step", median(figures.in_order.steps) / kKilobyte, median(figures.random.steps) / kKilobyte, "KiB");
  line("written to buffers", median(figures.in_order.uploaded) / kKilobyte, median(figures.random.uploaded) / kKilobyte,
       "KiB");
  if (figures.device) {
    line("a picture with a dab", figures.in_order.painting, figures.random.painting, "ms");
    line("a picture of an orbit", figures.in_order.orbiting, figures.random.orbiting, "ms");
  }
  line("welded surface, once", 1e3 * figures.in_order.prepare, 1e3 * figures.random.prepare, "ms");
  text += fmt::format("{:<40} {:>12.3f} {:>12} ms\n", "a slider, to world matrices", figures.slider, "");
  text += fmt::format("{:<40} {:>12.3f} {:>12} ms, {:.0f} KiB a step\n", "a key in a capture of 2752 frames",
                      figures.keys.milliseconds, "", figures.keys.step_bytes / kKilobyte);
  if (figures.device) {
    text +=
        fmt::format("picking by {}, buffers by {}\n", figures.picks_by_ray ? "a ray" : "an id buffer", *figures.device);
  }
  return text + goal_table(goals_of(figures));
}

}  // namespace

Result<std::string> benchmark_edits(const EditBenchmark& options, bool json) {
  EditFigures figures;
  for (const bool random : {false, true}) {
    Bench bench;
    auto pane = PaintedPane::create();
    if (pane) {
      bench.pane = std::move(*pane);
    } else if (!random) {
      print_note(fmt::format("picking and buffer ranges are left out: {}", pane.error().message));
    }
    PELT_TRY_TO(DabFigures dabs, time_dabs(bench, options, random));
    (random ? figures.random : figures.in_order) = std::move(dabs);
    if (bench.pane != nullptr) {
      figures.device = bench.pane->device();
      figures.picks_by_ray = bench.pane->by_ray();
    }
    if (!random) {
      figures.slider = slider_milliseconds(bench, options.joints);
    }
  }
  figures.keys = time_keys(options);
  return json ? json_report(options, figures) : text_report(options, figures);
}

}  // namespace pelt::cli
