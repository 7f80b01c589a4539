#include "gltf/source_form.h"

#include <array>
#include <utility>

#include "core/index.h"
#include "gltf/reader.h"

namespace pelt::gltf {
namespace {

class FormReader {
 public:
  explicit FormReader(Reader& reader) : reader_(reader) {}

  void read() {
    keep_made_unit();
    if (!reader_.model.asset.minVersion.empty()) {
      keep("/asset/minVersion", reader_.model.asset.minVersion);
    }
    for (std::size_t s = 0; s < reader_.model.samplers.size(); ++s) {
      read_sampler(reader_.model.samplers[s], fmt::format("/samplers/{}", s));
    }
    const auto& accessors = reader_.model.accessors;
    has_names_ = std::any_of(accessors.begin(), accessors.end(), [](const auto& one) { return !one.name.empty(); });
    for (std::size_t m = 0; m < reader_.model.meshes.size(); ++m) {
      for (std::size_t p = 0; p < reader_.model.meshes[m].primitives.size(); ++p) {
        read_primitive(reader_.model.meshes[m].primitives[p], fmt::format("/meshes/{}/primitives/{}", m, p));
      }
    }
    for (std::size_t s = 0; has_names_ && s < reader_.model.skins.size(); ++s) {
      read_name(reader_.model.skins[s].inverseBindMatrices, fmt::format("/skins/{}/inverseBindMatrices", s));
    }
    for (std::size_t a = 0; has_names_ && a < reader_.model.animations.size(); ++a) {
      const auto& samplers = reader_.model.animations[a].samplers;
      for (std::size_t s = 0; s < samplers.size(); ++s) {
        read_name(samplers[s].input, fmt::format("/animations/{}/samplers/{}/input", a, s));
        read_name(samplers[s].output, fmt::format("/animations/{}/samplers/{}/output", a, s));
      }
    }
  }

 private:
  void keep_json(const std::string& place, const Json& value) {
    rig::KeptJson kept{std::string(kFormPlace) + place, {}, json_text(value)};
    if (reader_.kept_budget.take(1, sizeof(kept) + kept.place.size() + kept.extras.size())) {
      reader_.character.kept.push_back(std::move(kept));
    }
  }
  void keep(const std::string& place, const std::string& text) { keep_json(place, single_line(text, kNameLimit)); }

  void keep_made_unit() {
    Json out = Json::object();
    const MadeUnit& made = reader_.made_unit;
    for (const auto& [name, count] : {std::pair{"normals", made.normals}, std::pair{"tangents", made.tangents},
                                      std::pair{"rotations", made.rotations}, std::pair{"keys", made.keys}}) {
      if (count > 0) {
        out[name] = count;
      }
    }
    if (!out.empty()) {
      keep_json("/made-unit", out);
    }
  }

  void read_name(int accessor, const std::string& place) {
    if (has_index(reader_.model.accessors, accessor) && !reader_.model.accessors[accessor].name.empty()) {
      keep(place, reader_.model.accessors[accessor].name);
    }
  }

  void read_sampler(const tinygltf::Sampler& sampler, const std::string& place) {
    Json out = Json::object();
    if (!sampler.name.empty()) {
      out["name"] = single_line(sampler.name, kNameLimit);
    }
    constexpr std::array kFilters = {9728, 9729, 9984, 9985, 9986, 9987};  // the first two enlarge, too
    for (const auto& [member, value, count] : {std::tuple{"magFilter", sampler.magFilter, std::size_t{2}},
                                               std::tuple{"minFilter", sampler.minFilter, kFilters.size()}}) {
      const auto end = kFilters.begin() + static_cast<std::ptrdiff_t>(count);
      if (std::find(kFilters.begin(), end, value) != end) {
        out[member] = value;
      }
    }
    keep_json(place, out);
  }

  void read_primitive(const tinygltf::Primitive& primitive, const std::string& place) {
    const auto color = primitive.attributes.find("COLOR_0");
    if (color != primitive.attributes.end() && color->second >= 0 &&
        has_index(reader_.model.accessors, color->second) &&
        reader_.model.accessors[color->second].type == TINYGLTF_TYPE_VEC3) {
      keep(place + "/colors", "VEC3");
    }
    if (!has_names_) {
      return;
    }
    read_name(primitive.indices, place + "/indices");
    for (const auto& [name, accessor] : primitive.attributes) {
      read_name(accessor, fmt::format("{}/attributes/{}", place, name));
    }
    for (std::size_t t = 0; t < primitive.targets.size(); ++t) {
      for (const auto& [name, accessor] : primitive.targets[t]) {
        read_name(accessor, fmt::format("{}/targets/{}/{}", place, t, name));
      }
    }
  }

  Reader& reader_;
  bool has_names_ = false;
};

}  // namespace

void read_source_form(Reader& reader) {
  FormReader(reader).read();
}

SourceForm::SourceForm(const std::vector<rig::KeptJson>& kept) {
  for (const rig::KeptJson& one : kept) {
    if (one.place.starts_with(kFormPlace)) {
      at_.emplace(std::string_view(one.place).substr(kFormPlace.size()), &one);
    }
  }
}

std::string SourceForm::string_at(const std::string& place) const {
  const auto found = at_.find(place);
  const Json value = found == at_.end() ? Json() : Json::parse(found->second->extras, nullptr, false);
  return value.is_string() ? value.get<std::string>() : std::string();
}

Json SourceForm::object_at(const std::string& place) const {
  const auto found = at_.find(place);
  Json value = found == at_.end() ? Json() : Json::parse(found->second->extras, nullptr, false);
  return value.is_object() ? value : Json();
}

}  // namespace pelt::gltf
