#include "cli/session_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/session_file.h"
#include "core/index.h"
#include "deform/skinning_methods.h"
#include "edit/session_json.h"
#include "edit/skeleton_edits.h"

namespace pelt::cli {
namespace {

using edit::Place;

struct Switch {
  const char* id;
  bool render::ViewSettings::*member;
};
constexpr auto kSwitches = std::to_array<Switch>({
    {"wipe", &render::ViewSettings::wipe},
    {"ghost_points", &render::ViewSettings::ghost_points},
    {"skeleton", &render::ViewSettings::skeleton},
    {"deforming_only", &render::ViewSettings::deforming_only},
    {"joint_names", &render::ViewSettings::joint_names},
    {"joint_axes", &render::ViewSettings::joint_axes},
    {"wireframe", &render::ViewSettings::wireframe},
    {"normal_lines", &render::ViewSettings::normal_lines},
    {"rotation_centers", &render::ViewSettings::rotation_centers},
    {"isolines", &render::ViewSettings::isolines},
    {"cage", &render::ViewSettings::cage},
    {"t_junctions", &render::ViewSettings::t_junctions},
    {"grid", &render::ViewSettings::grid},
    {"ground", &render::ViewSettings::ground},
    {"shadow", &render::ViewSettings::shadow},
    {"turntable", &render::ViewSettings::turntable},
    {"occlusion", &render::ViewSettings::occlusion},
    {"lights", &render::ViewSettings::lights},
});

constexpr std::array<const char*, 5> kReferences = {"backend", "bind", "pane", "method", "full"};

edit::SessionJson camera_json(const render::Camera& camera) {
  return {{"pivot", edit::session_numbers(camera.pivot)},
          {"azimuth", edit::session_number(camera.azimuth)},
          {"elevation", edit::session_number(camera.elevation)},
          {"roll", edit::session_number(camera.roll)},
          {"distance", edit::session_number(camera.distance)},
          {"yfov", edit::session_number(camera.yfov)},
          {"orthographic", camera.orthographic}};
}

render::Camera read_camera(const Place& place) {
  constexpr float kWidest = 3.0f;
  render::Camera camera;
  camera.pivot = place.at("pivot").vector();
  camera.azimuth = place.at("azimuth").number();
  constexpr float kPole = std::numbers::pi_v<float> / 2;
  camera.elevation = std::clamp(place.at("elevation").number(), -kPole, kPole);
  camera.roll = place.at("roll").number();
  camera.distance = place.at("distance").number();
  camera.yfov = place.at("yfov").number();
  camera.orthographic = place.at("orthographic").flag();
  if (!(camera.distance > 0)) {
    place.at("distance").fail("a distance above 0");
  }
  if (!(camera.yfov > 0 && camera.yfov < kWidest)) {
    place.at("yfov").fail("an angle of view above 0 and below 3");
  }
  camera.near_far_radius = std::max(camera.near_far_radius, camera.distance);
  return camera;
}

edit::SessionJson compare_json(const render::Compare& compare) {
  const auto methods = deform::skinning_methods();
  return {{"measure", std::string(measure::info(compare.measure).id)},
          {"reference", kReferences[static_cast<std::size_t>(compare.reference)]},
          {"pane", compare.pane},
          {"method", std::string(methods[compare.method].id)},
          {"range", edit::session_number(compare.range)}};
}

render::Compare read_compare(const Place& place) {
  render::Compare compare;
  const auto measure = std::ranges::find(measure::kMeasures, place.at("measure").text(), &measure::MeasureInfo::id);
  if (measure != measure::kMeasures.end()) {
    compare.measure = measure->measure;
  }
  const auto reference =
      std::ranges::find(kReferences, place.at("reference").text(), [](const char* id) { return std::string(id); });
  if (reference == kReferences.end()) {
    place.at("reference").fail(fmt::format("one of {}", fmt::join(kReferences, ", ")));
  }
  compare.reference = static_cast<render::Reference>(reference - kReferences.begin());
  compare.pane = place.at("pane").integer(0, edit::kPaneLimit - 1);
  const auto methods = deform::skinning_methods();
  const auto method = std::ranges::find(methods, place.at("method").text(), &deform::SkinningMethod::id);
  compare.method = method == methods.end() ? 0 : static_cast<int>(method - methods.begin());
  compare.range = std::max(0.0f, place.at("range").number());
  return compare;
}

edit::SessionJson ghosts_json(const render::GhostSettings& ghosts) {
  return {{"shown", ghosts.shown}, {"before", ghosts.before},   {"after", ghosts.after},
          {"step", ghosts.step},   {"on_keys", ghosts.on_keys}, {"opacity", edit::session_number(ghosts.opacity)}};
}

render::GhostSettings read_ghosts(const Place& place) {
  render::GhostSettings ghosts;
  ghosts.shown = place.at("shown").flag();
  ghosts.before = place.at("before").integer(0, render::kMostGhosts);
  ghosts.after = place.at("after").integer(0, render::kMostGhosts);
  ghosts.step = place.at("step").integer(1, render::kMostGhostStep);
  ghosts.on_keys = place.at("on_keys").flag();
  ghosts.opacity = std::clamp(place.at("opacity").number(), 0.0f, 1.0f);
  return ghosts;
}

template <typename Infos, typename Member>
void read_choice(const Place& place, const char* id, const Infos& infos, Member member) {
  if (!place.has(id)) {
    return;
  }
  const std::string word = place.at(id).text();
  for (const auto& info : infos) {
    if (info.id == word) {
      member(info);
    }
  }
}

void read_settings(const Place& place, const edit::Document& document, render::ViewSettings& view) {
  const edit::JointKeys keys(edit::file_with_new_joints(document)->skeleton);
  read_choice(place, "look", render::kLooks, [&](const auto& info) { view.look = info.look; });
  read_choice(place, "environment", render::kEnvironments,
              [&](const auto& info) { view.environment = info.environment; });
  read_choice(place, "tone", render::kToneMappings, [&](const auto& info) { view.tone = info.tone; });
  for (const Switch& one : kSwitches) {
    if (place.has(one.id)) {
      view.*one.member = place.at(one.id).flag();
    }
  }
  if (place.has("weight_joint")) {
    view.weight_joint = keys.find(place.at("weight_joint").text());
  }
  if (place.has("compare")) {
    view.compare = read_compare(place.at("compare"));
  }
  if (place.has("ghosts")) {
    view.ghosts = read_ghosts(place.at("ghosts"));
  }
  if (place.has("wipe_position")) {
    view.wipe_position = std::clamp(place.at("wipe_position").number(), 0.0f, 1.0f);
  }
  if (place.has("exposure")) {
    view.exposure = std::clamp(place.at("exposure").number(), -4.0f, 4.0f);
  }
  if (place.has("background")) {
    const std::vector<float> v = place.at("background").numbers(4);
    view.background = glm::vec4(v[0], v[1], v[2], v[3]);
  }
  if (place.has("variant")) {
    view.variant = edit::referred(place.at("variant"), document.file->variants.get());
  }
  if (place.has("toggled_nodes")) {
    std::vector<char> is_toggled(edit::own_character(document)->skeleton->name.size(), 0);
    place.at("toggled_nodes").each([&](const Place& key) {
      if (const int node = keys.find(key.text()); node >= 0 && std::exchange(is_toggled[node], char{1}) == 0) {
        view.toggled_nodes.push_back(node);
      }
    });
  }
}

/// {"parts": [1], "vertices": [{"part": 0, "of": 8, "vertices": [0, 4]}]}; what is about another surface than the
/// file's own is left out.
edit::SessionJson hiding_json(const rig::SharedHiding& shown, const rig::Character& character) {
  edit::SessionJson json = edit::SessionJson::object();
  const rig::SharedHiding hiding = rig::fitting(shown, character);
  if (hiding == nullptr) {
    return json;
  }
  if (!hiding->parts.empty()) {
    json["parts"] = hiding->parts;
  }
  for (const auto& [part, vertices] : hiding->vertices) {
    std::vector<std::uint32_t> hidden;
    for (std::uint32_t v = 0; v < vertices.hidden.size(); ++v) {
      if (vertices.hidden[v] != 0) {
        hidden.push_back(v);
      }
    }
    json["vertices"].push_back(
        {{"part", part}, {"of", vertices.hidden.size()}, {"vertices", edit::vertex_runs(hidden)}});
  }
  return json;
}

rig::SharedHiding read_hiding(const Place& place, const rig::Character& character, std::vector<std::string>& notes) {
  constexpr int kMost = std::numeric_limits<int>::max();
  rig::Hiding hiding;
  int lost = 0;
  if (place.has("parts")) {
    place.at("parts").each([&](const Place& number) {
      if (const int part = number.integer(0, kMost); has_index(character.parts, part)) {
        rig::hide_part(hiding, character, part, true);
      } else {
        ++lost;
      }
    });
  }
  if (place.has("vertices")) {
    place.at("vertices").each([&](const Place& of_part) {
      const int part = of_part.at("part").integer(0, kMost);
      const std::size_t of = of_part.at("of").size_up_to(std::numeric_limits<std::uint32_t>::max());
      const std::size_t count =
          has_index(character.parts, part) ? character.primitive(character.parts[part]).vertex_count() : 0;
      if (count != of) {
        ++lost;
        return;
      }
      std::vector<char> marks(count, 0);
      for (const std::uint32_t v : edit::read_vertex_runs(of_part.at("vertices"), count)) {
        marks[v] = 1;
      }
      rig::hide_vertices(hiding, character, part, marks);
    });
  }
  if (lost > 0) {
    notes.push_back(fmt::format("What was hidden of {} is shown: the surface is another one",
                                lost == 1 ? "one part" : fmt::format("{} parts", lost)));
  }
  return hiding.empty() ? nullptr : std::make_shared<const rig::Hiding>(std::move(hiding));
}

edit::SessionJson behind_json(const render::Behind& behind, const std::filesystem::path& session) {
  return {{"file", source_from(session, behind.picture->path)},
          {"hash", behind.picture->hash},
          {"shown", behind.shown},
          {"opacity", edit::session_number(behind.opacity)},
          {"scale", edit::session_number(behind.scale)},
          {"offset",
           edit::SessionJson::array({edit::session_number(behind.offset.x), edit::session_number(behind.offset.y)})},
          {"without_background", behind.without_background}};
}

render::Behind read_behind(const Place& place, const std::filesystem::path& session) {
  render::Behind behind;
  const std::filesystem::path folder = session.has_parent_path() ? session.parent_path() : std::filesystem::path(".");
  render::BackPicture picture;
  picture.path = (folder / place.at("file").text()).lexically_normal().string();
  picture.hash = place.at("hash").text();
  behind.picture = std::make_shared<const render::BackPicture>(std::move(picture));
  behind.shown = place.at("shown").flag();
  behind.opacity = std::clamp(place.at("opacity").number(), 0.0f, 1.0f);
  behind.scale = std::clamp(place.at("scale").number(), render::kLeastBehindScale, render::kMostBehindScale);
  const std::vector<float> offset = place.at("offset").numbers(2);
  behind.offset = glm::clamp(glm::vec2(offset[0], offset[1]), -render::kMostBehindOffset, render::kMostBehindOffset);
  behind.without_background = place.at("without_background").flag();
  return behind;
}

}  // namespace

std::string to_json(const SessionView& session, const edit::Document& document,
                    const std::filesystem::path& session_file) {
  const render::ViewSettings& view = session.view;
  const edit::JointKeys keys(edit::file_with_new_joints(document)->skeleton);
  edit::SessionJson json = edit::SessionJson::object();
  json["look"] = std::string(std::ranges::find(render::kLooks, view.look, &render::LookInfo::look)->id);
  if (view.weight_joint >= 0) {
    json["weight_joint"] = keys.key(view.weight_joint);
  }
  json["compare"] = compare_json(view.compare);
  json["wipe_position"] = edit::session_number(view.wipe_position);
  if (view.ghosts != render::GhostSettings{}) {
    json["ghosts"] = ghosts_json(view.ghosts);
  }
  for (const Switch& one : kSwitches) {
    json[one.id] = view.*one.member;
  }
  if (view.environment != render::Environment::kImage) {
    json["environment"] = std::string(
        std::ranges::find(render::kEnvironments, view.environment, &render::EnvironmentInfo::environment)->id);
  }
  json["tone"] = std::string(render::kToneMappings[static_cast<std::size_t>(view.tone)].id);
  json["exposure"] = edit::session_number(view.exposure);
  if (view.background) {
    json["background"] = edit::session_numbers(*view.background);
  }
  if (view.variant >= 0) {
    const std::size_t v = view.variant;
    json["variant"] = edit::session_reference(view.variant, document.file->variants[v]);
  }
  edit::SessionJson nodes = edit::SessionJson::array();
  for (const int node : view.toggled_nodes) {
    nodes.push_back(keys.key(node));
  }
  if (!nodes.empty()) {
    json["toggled_nodes"] = std::move(nodes);
  }
  if (edit::SessionJson hidden = hiding_json(view.hiding, *document.content.character); !hidden.empty()) {
    json["hidden"] = std::move(hidden);
  }
  if (view.behind.picture != nullptr) {
    json["behind"] = behind_json(view.behind, session_file);
  }
  if (session.camera) {
    json["camera"] = camera_json(*session.camera);
  }
  if (!session.tab.empty()) {
    json["tab"] = session.tab;
  }
  if (!session.mode.empty()) {
    json["mode"] = session.mode;
  }
  return json.dump(-1, ' ', false, edit::SessionJson::error_handler_t::replace);
}

Result<SessionView> session_view(const edit::Document& document) {
  SessionView out;
  if (document.origin.window.empty()) {
    return out;
  }
  try {
    const edit::SessionJson json = edit::SessionJson::parse(document.origin.window);
    const Place place(json, "session, window");
    read_settings(place, document, out.view);
    if (place.has("hidden")) {
      out.view.hiding = read_hiding(place.at("hidden"), *document.content.character, out.notes);
    }
    if (place.has("behind")) {
      out.view.behind = read_behind(place.at("behind"), document.origin.path);
    }
    // What is about panes that there are not.
    const int panes = edit::pane_count(document.content);
    out.view.wipe = out.view.wipe && panes > 1;
    if (out.view.compare.pane >= panes) {
      out.view.compare.pane = 0;
      out.view.compare.reference = render::Compare{}.reference;
    }
    if (place.has("camera")) {
      out.camera = read_camera(place.at("camera"));
    }
    if (place.has("tab")) {
      out.tab = place.at("tab").text();
    }
    if (place.has("mode")) {
      out.mode = place.at("mode").text();
    }
  } catch (const edit::SessionFault& fault) {
    return error("{}", fault.message);
  } catch (const edit::SessionJson::exception&) {
    return error("session, window: it is not JSON");
  }
  return out;
}

}  // namespace pelt::cli
