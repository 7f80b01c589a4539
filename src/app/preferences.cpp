#include "app/preferences.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/guarded_json.h"
#include "ui/brush_tool.h"

namespace pelt::app {
namespace {

constexpr std::size_t kMostRecent = 10;
constexpr JsonLimits kStateLimits = {.bytes = std::size_t{1} << 20, .depth = 32, .values = 10'000};

float number(const nlohmann::json& object, const char* key, float otherwise, float lower, float upper) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) {
    return otherwise;
  }
  const auto value = found->get<double>();
  return std::isfinite(value) ? static_cast<float>(std::clamp<double>(value, lower, upper)) : otherwise;
}

std::string string(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

ui::LightPreferences light_from_json(const nlohmann::json& json) {
  ui::LightPreferences light;
  const std::string environment = string(json, "environment");
  for (const render::EnvironmentInfo& info : render::kEnvironments) {
    light.environment = environment == info.id ? info.environment : light.environment;
  }
  light.environment_file = string(json, "environment_file");
  if (!light.environment_file.empty()) {
    light.environment = render::Environment::kImage;
  }
  const std::string tone = string(json, "tone");
  for (const render::ToneMappingInfo& info : render::kToneMappings) {
    light.tone = tone == info.id ? info.tone : light.tone;
  }
  light.exposure = number(json, "exposure", 0, -4, 4);
  if (const auto occlusion = json.find("occlusion"); occlusion != json.end() && occlusion->is_boolean()) {
    light.occlusion = occlusion->get<bool>();
  }
  return light;
}

ui::HandleOptions handles_from_json(const nlohmann::json& json) {
  ui::HandleOptions handles;
  const std::string axes = string(json, "axes");
  for (const ui::HandleAxesInfo& info : ui::kHandleAxes) {
    handles.axes = axes == info.id ? info.axes : handles.axes;
  }
  const std::string pivot = string(json, "pivot");
  for (const ui::HandlePivotInfo& info : ui::kHandlePivots) {
    handles.pivot = pivot == info.id ? info.pivot : handles.pivot;
  }
  return handles;
}

// The name, or the name with the first number that makes it one that nothing has.
std::filesystem::path free_name(const std::string& name) {
  std::filesystem::path path = name;
  std::error_code failure;
  for (int i = 2; std::filesystem::exists(std::filesystem::symlink_status(path, failure)); ++i) {
    path = fmt::format("{}-{}", name, i);
  }
  return path;
}

}  // namespace

std::filesystem::path preferences_path() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config != '\0') {
    return std::filesystem::path(config) / "pelt" / "state.json";
  }
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') {
    return std::filesystem::path(home) / ".config" / "pelt" / "state.json";
  }
  return {};
}

std::string to_json(const ui::Preferences& preferences) {
  nlohmann::ordered_json json;
  json["pelt"] = "state";
  json["version"] = 1;
  json["panels"]["left"] = preferences.panels.left;
  json["panels"]["right"] = preferences.panels.right;
  json["ui_scale"] = preferences.ui_scale;
  json["mouse"] = preferences.mouse == ui::MouseScheme::kBlender ? "blender" : "pelt";
  for (const render::EnvironmentInfo& info : render::kEnvironments) {
    if (info.environment == preferences.light.environment) {
      json["light"]["environment"] = info.id;
    }
  }
  if (preferences.light.environment == render::Environment::kImage) {
    json["light"]["environment_file"] = preferences.light.environment_file;
  }
  json["light"]["tone"] =
      render::kToneMappings[static_cast<std::size_t>(static_cast<std::size_t>(preferences.light.tone))].id;
  json["light"]["exposure"] = preferences.light.exposure;
  json["light"]["occlusion"] = preferences.light.occlusion;
  json["handles"]["axes"] = ui::kHandleAxes[static_cast<std::size_t>(preferences.handles.axes)].id;
  json["handles"]["pivot"] = ui::kHandlePivots[static_cast<std::size_t>(preferences.handles.pivot)].id;
  json["brush"]["radius"] = preferences.brush.radius;
  json["brush"]["strength"] = preferences.brush.strength;
  json["recent_files"] = preferences.recent_files;
  for (const auto& [kind, folder] : preferences.folders) {
    json["folders"][kind] = folder;
  }
  // Paths need not be UTF-8; what is not is not worth losing the rest for.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::optional<ui::Preferences> preferences_from_json(std::string_view text) {
  const Result<nlohmann::json> parsed = parse_json<nlohmann::json>(text, kStateLimits);
  if (!parsed || !parsed->is_object() || string(*parsed, "pelt") != "state") {
    return std::nullopt;
  }
  const nlohmann::json& json = *parsed;
  ui::Preferences preferences;
  if (const auto panels = json.find("panels"); panels != json.end() && panels->is_object()) {
    preferences.panels.left = number(*panels, "left", preferences.panels.left, ui::kMinLeft, ui::kMaxPanel);
    preferences.panels.right = number(*panels, "right", preferences.panels.right, ui::kMinRight, ui::kMaxPanel);
  }
  preferences.ui_scale = number(json, "ui_scale", 0, 0, 4);
  preferences.mouse = string(json, "mouse") == "blender" ? ui::MouseScheme::kBlender : ui::MouseScheme::kPelt;
  if (const auto light = json.find("light"); light != json.end() && light->is_object()) {
    preferences.light = light_from_json(*light);
  }
  if (const auto handles = json.find("handles"); handles != json.end() && handles->is_object()) {
    preferences.handles = handles_from_json(*handles);
  }
  if (const auto brush = json.find("brush"); brush != json.end() && brush->is_object()) {
    preferences.brush.radius =
        number(*brush, "radius", preferences.brush.radius, ui::kSmallestBrush, ui::kLargestBrush);
    preferences.brush.strength = number(*brush, "strength", preferences.brush.strength, 0, 1);
  }
  if (const auto folders = json.find("folders"); folders != json.end() && folders->is_object()) {
    for (const std::string_view kind : ui::kFileKinds) {
      if (const std::string folder = string(*folders, std::string(kind).c_str()); !folder.empty()) {
        preferences.folders.emplace(kind, folder);
      }
    }
  }
  if (const auto files = json.find("recent_files"); files != json.end() && files->is_array()) {
    for (const auto& file : *files) {
      if (file.is_string() && preferences.recent_files.size() < kMostRecent) {
        preferences.recent_files.push_back(file.get<std::string>());
      }
    }
  }
  return preferences;
}

LoadedPreferences load_preferences(const std::filesystem::path& path) {
  LoadedPreferences out{.preferences = {}, .file = path, .note = {}};
  std::error_code failure;
  if (path.empty() || !std::filesystem::exists(path, failure)) {
    return out;
  }
  const Result<std::string> text = read_file(path, kStateLimits.bytes);
  if (!text) {
    out.file.clear();
    out.note = fmt::format("preferences: {}; changes to them are not kept", text.error().message);
    return out;
  }
  if (const std::optional<ui::Preferences> read = preferences_from_json(*text)) {
    out.preferences = *read;
  } else if (!text->empty()) {
    const std::filesystem::path aside = free_name(path.string() + ".damaged");
    std::filesystem::rename(path, aside, failure);
    out.file = failure ? std::filesystem::path() : path;
    out.note = failure ? fmt::format(
                             "preferences: '{}' is damaged and could not be set aside: {}; changes to them are "
                             "not kept",
                             path.string(), failure.message())
                       : fmt::format("The preferences were damaged; they are set aside as '{}' and begin anew",
                                     aside.string());
  }
  return out;
}

Status save_preferences(const std::filesystem::path& path, const ui::Preferences& preferences) {
  if (path.empty()) {
    return {};
  }
  std::error_code failure;
  std::filesystem::create_directories(path.parent_path(), failure);
  if (failure) {
    return error("{}: {}", path.parent_path().string(), failure.message());
  }
  return write_file_atomically(path, to_json(preferences));
}

void remember_file(ui::Preferences& preferences, const std::string& file) {
  auto& recent = preferences.recent_files;
  recent.erase(std::remove(recent.begin(), recent.end(), file), recent.end());
  recent.insert(recent.begin(), file);
  recent.resize(std::min(recent.size(), kMostRecent));
}

}  // namespace pelt::app
