#include "gltf/kept.h"

#include <algorithm>
#include <array>
#include <span>

#include <nlohmann/json.hpp>

#include "core/text.h"

namespace pelt::gltf {
namespace {

using KeptValue = nlohmann::ordered_json;

/// What the writer makes from the character, so that a copy of the text would only contradict it.
constexpr std::array<std::string_view, 15> kWrittenAnew = {
    "EXT_mesh_gpu_instancing",         "EXT_meshopt_compression",    "KHR_animation_pointer",
    "KHR_draco_mesh_compression",      "KHR_lights_punctual",        "KHR_materials_clearcoat",
    "KHR_materials_emissive_strength", "KHR_materials_ior",          "KHR_materials_sheen",
    "KHR_materials_specular",          "KHR_materials_transmission", "KHR_materials_unlit",
    "KHR_mesh_quantization",           "KHR_meshopt_compression",    "KHR_texture_transform"};

/// "mesh 2, primitive 0" for "/meshes/2/primitives/0": the objects of a JSON pointer that have a number.
std::string place_of(std::string_view pointer) {
  std::string out;
  const std::vector<std::string_view> tokens = split(pointer.substr(pointer.empty() ? 0 : 1), '/');
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (parse_integer(tokens[i + 1])) {
      const std::string_view list = tokens[i];
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", list.substr(0, list.size() - (list == "meshes" ? 2 : 1)),
                         tokens[i + 1]);
    }
  }
  return out.empty() ? "file" : out;
}

/// True where a member of one of these names lies anywhere in the value.
bool mentions(const KeptValue& value, std::span<const std::string_view> names) {
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      if (std::find(names.begin(), names.end(), name) != names.end() || mentions(member, names)) {
        return true;
      }
    }
  } else if (value.is_array()) {
    return std::any_of(value.begin(), value.end(), [&](const KeptValue& element) { return mentions(element, names); });
  }
  return false;
}

/// Names of the extensions inside a value, for extensionsUsed.
void collect_extensions(const KeptValue& value, std::set<std::string>& names) {
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      if (name == "extras") {
        continue;
      }
      if (name == "extensions" && member.is_object()) {
        for (const auto& [extension, unused] : member.items()) {
          names.insert(extension);
        }
      }
      collect_extensions(member, names);
    }
  } else if (value.is_array()) {
    for (const KeptValue& element : value) {
      collect_extensions(element, names);
    }
  }
}

std::string kept_text(const KeptValue& value) {
  return value.dump(-1, ' ', false, KeptValue::error_handler_t::replace);
}

/// Gathers extras and unknown extensions, also those inside the objects of known extensions.
struct KeptReader {
  std::vector<rig::KeptJson> out;

  rig::KeptJson& at(const std::string& place) {
    // The members of one object follow each other, apart from those that lie in objects between them.
    if (out.empty() || out.back().place != place) {
      out.push_back({place, {}, {}});
    }
    return out.back();
  }

  void take_extras(const KeptValue& value, const std::string& place) {
    if (!value.is_null()) {
      at(place).extras = kept_text(value);
    }
  }

  void take_extensions(const KeptValue& value, const std::string& place) {
    if (!value.is_object()) {
      return;
    }
    KeptValue unknown = KeptValue::object();
    for (const auto& [name, member] : value.items()) {
      if (std::find(kWrittenAnew.begin(), kWrittenAnew.end(), name) == kWrittenAnew.end()) {
        unknown[name] = member;
      }
    }
    if (!unknown.empty()) {
      at(place).extensions = kept_text(unknown);
    }
    for (const auto& [name, member] : value.items()) {
      if (!unknown.contains(name)) {
        look_into(member, fmt::format("{}/extensions/{}", place, name));
      }
    }
  }

  void look_into(const KeptValue& value, const std::string& place) {
    if (place.size() > kLongestPlace) {
      return;  // nothing that is written lies there
    }
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i].is_structured()) {
          look_into(value[i], fmt::format("{}/{}", place, i));
        }
      }
      return;
    }
    for (const auto& [name, member] : value.items()) {
      if (name == "extras") {
        take_extras(member, place);
      } else if (name == "extensions") {
        take_extensions(member, place);
      } else if (member.is_structured()) {
        look_into(member, fmt::format("{}/{}", place, name));
      }
    }
  }
};

}  // namespace

std::vector<rig::KeptJson> read_kept(const Outline& outline) {
  KeptReader reader;
  for (const ExtraText& extra : outline.extras) {
    const KeptValue value = KeptValue::parse(extra.text, nullptr, false);
    if (extra.extension) {
      reader.take_extensions(value, extra.place);
    } else if (!value.is_discarded()) {
      reader.take_extras(value, extra.place);
    }
  }
  return std::move(reader.out);
}

std::vector<KeptMember> kept_extensions(const rig::KeptJson& kept, const Renumbered& renumbered,
                                        const std::function<int(int)>& image_of, std::set<std::string>& extensions,
                                        Diagnostics& notes) {
  constexpr std::array<std::string_view, 9> kAnew = {"accessor",   "accessors",   "attributes", "buffer", "buffers",
                                                     "bufferView", "bufferViews", "sampler",    "indices"};
  constexpr std::array<std::string_view, 2> kMeshes = {"mesh", "meshes"};
  constexpr std::array<std::string_view, 4> kImages = {"image", "images", "source", "thumbnailImage"};
  constexpr std::array<std::string_view, 2> kClips = {"animation", "animations"};
  constexpr std::array<std::string_view, 2> kLights = {"light", "lights"};
  std::vector<KeptMember> out;
  const KeptValue all = KeptValue::parse(kept.extensions, nullptr, false);
  if (!all.is_object()) {
    return out;
  }
  const bool of_texture = kept.place.starts_with("/textures/");
  for (const auto& [name, original] : all.items()) {
    KeptValue value = original;
    std::string reason;
    if (mentions(value, kAnew)) {
      reason = "it refers to accessors, buffer views or samplers, which are numbered anew";
    } else if (renumbered.nodes && !kept.place.starts_with("/materials/") && !of_texture) {
      reason = "the nodes are numbered anew";
    } else if (renumbered.meshes && mentions(value, kMeshes)) {
      reason = "the meshes are numbered anew";
    } else if (renumbered.clips && mentions(value, kClips)) {
      reason = "the animations are numbered anew";
    } else if (renumbered.lights && mentions(value, kLights)) {
      reason = "the lights are numbered anew";
    } else if (of_texture && value.is_object() && value.contains("source") && value["source"].is_number_integer()) {
      const int image = image_of(value["source"].get<int>());
      reason = image < 0 ? "its image could not be read" : "";
      value["source"] = image;
    } else if (renumbered.images && name != "VRMC_node_constraint" &&
               mentions(value, kImages)) {  // its source is a node
      reason = "the images are numbered anew";
    }
    if (!reason.empty()) {
      notes.push_back({Severity::kWarning, "extension-lost", place_of(kept.place),
                       fmt::format("{} is not understood and cannot be kept: {}", printable(name), reason)});
      continue;
    }
    extensions.insert(name);
    collect_extensions(value, extensions);
    out.push_back({name, kept_text(value)});
  }
  return out;
}

Diagnostic kept_nowhere(const rig::KeptJson& first, std::size_t count) {
  return {Severity::kWarning, "extras-lost", place_of(first.place),
          fmt::format("its extras or unknown extensions cannot be kept; {} objects have such", count)};
}

int set_number(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) {
    return -1;
  }
  const auto number = parse_integer(name.substr(prefix.size()));
  return number && *number >= 0 && fmt::format("{}{}", prefix, *number) == name ? *number : -1;
}

void drop_kept_extras(SharedArray<rig::KeptJson>& kept, std::string_view pointer, const std::string& member) {
  const auto at = std::ranges::find(kept, pointer, &rig::KeptJson::place);
  if (at == kept.end()) {
    return;
  }
  const auto place = at - kept.begin();
  KeptValue extras = KeptValue::parse(at->extras, nullptr, false);
  if (!extras.is_object() || !extras.contains("pelt") || !extras["pelt"].is_object()) {
    return;
  }
  extras["pelt"].erase(member);
  if (extras["pelt"].empty()) {
    extras.erase("pelt");
  }
  std::vector<rig::KeptJson>& all = kept.edit();
  rig::KeptJson& entry = all[static_cast<std::size_t>(place)];
  entry.extras = extras.empty() ? std::string() : kept_text(extras);
  if (entry.extras.empty() && entry.extensions.empty()) {
    all.erase(all.begin() + place);
  }
}

std::vector<KeptMember> members_of(std::string_view text) {
  std::vector<KeptMember> out;
  const KeptValue value = KeptValue::parse(text, nullptr, false);
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      out.push_back({name, kept_text(member)});
    }
  }
  return out;
}

}  // namespace pelt::gltf
