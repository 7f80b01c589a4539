#include "gltf/export.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/index.h"
#include "core/text.h"
#include "gltf/container.h"
#include "gltf/export_files.h"
#include "gltf/export_materials.h"
#include "gltf/export_writer.h"
#include "gltf/image_codec.h"
#include "gltf/uri.h"
#include "rig/conversions.h"

namespace pelt::gltf {
namespace {

static_assert(std::endian::native == std::endian::little,
              "glTF is little-endian and attributes are copied as they are");

/// Part of a file's name that every system takes.
std::string safe_file_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool safe =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    out += safe ? c : '_';
  }
  return out.substr(0, 60);
}

bool moves_nothing(const rig::Clip& clip) {
  return clip.channels.empty() && clip.properties.empty();
}

bool is_empty(const mesh::Primitive& primitive) {
  return primitive.vertex_count() == 0 || primitive.indices.empty();
}

bool is_writable(const rig::Image& image) {
  return !sniff_mime_type(image.encoded).empty() ||
         (image.width > 0 && image.height > 0 &&
          image.pixels.size() == 4 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
}

constexpr float kMostEmissiveStrength = 1e6f;

/// Large enough for a factor of at most 1, also while clips move it; no larger than the importer takes, lest one absurd
/// key make everything else black.
std::vector<float> emissive_strengths(const rig::Character& character) {
  std::vector<float> out;
  for (const rig::Material& material : character.materials) {
    out.push_back(std::max({1.0f, material.emissive.x, material.emissive.y, material.emissive.z}));
  }
  for (const rig::Clip& clip : character.clips) {
    for (const rig::PropertyChannel& channel : clip.properties) {
      if (channel.owner != rig::PropertyOwner::kMaterial || channel.property != "emissiveFactor" ||
          !has_index(out, channel.index)) {
        continue;
      }
      float& strength = out[channel.index];
      const bool cubic = channel.keys.interpolation == rig::Interpolation::kCubicSpline;
      for (std::size_t i = 0; i < channel.keys.values.size(); ++i) {
        if (!cubic || i / 3 % 3 == 1) {  // between the tangents
          strength = std::max(strength, channel.keys.values[i]);
        }
      }
      strength = std::min(strength, kMostEmissiveStrength);
    }
  }
  return out;
}

}  // namespace

Writer::Writer(const rig::Character& character, const ExportOptions& options, std::vector<char> on_grid,
               const Progress& progress)
    : character_(character),
      options_(options),
      progress_(progress),
      on_grid_(std::move(on_grid)),
      form_(character.kept),
      buffers_(options.meshopt),
      primitives_(options, form_, buffers_, extensions_),
      emissive_strength_(emissive_strengths(character)) {
  // The source's numbers, where they number all nodes: what is kept refers to nodes by them, and so do pose files.
  const std::size_t count = character.skeleton->size();
  node_of_ = character.skeleton->source_node;
  std::vector<char> taken(count, 0);
  for (const int n : node_of_) {
    renumbered_.nodes =
        renumbered_.nodes || n < 0 || static_cast<std::size_t>(n) >= count || std::exchange(taken[n], 1) != 0;
  }
  if (renumbered_.nodes || node_of_.size() != count) {
    renumbered_.nodes = true;
    node_of_.resize(count);
    std::iota(node_of_.begin(), node_of_.end(), 0);
  }
  take_out_instances();
  int meshes = 0;
  for (const mesh::Mesh& mesh : character.meshes) {
    const bool dropped = std::all_of(mesh.primitives.begin(), mesh.primitives.end(), is_empty);
    mesh_index_.push_back(dropped ? -1 : meshes++);
    renumbered_.meshes = renumbered_.meshes || dropped;
  }
  int images = 0;
  for (const rig::Image& image : character.images) {
    image_index_.push_back(is_writable(image) ? images++ : -1);
    renumbered_.images = renumbered_.images || image_index_.back() < 0;
  }
  renumbered_.clips = std::any_of(character.clips.begin(), character.clips.end(), moves_nothing);
  int lights = 0;
  for (const rig::Light* light : by_source(character.lights, character.spare_lights)) {
    // Nodes may share one, then it keeps the number it got.
    renumbered_.lights = renumbered_.lights || light->source > lights;
    lights = std::max(lights, light->source + 1);
  }
  for (const rig::KeptJson& kept : character.kept) {
    if (!kept.place.starts_with(kFormPlace)) {
      kept_.emplace(kept.place, &kept);
    }
  }
}

void Writer::restore(Json& object, const std::string& place) {
  for (auto entry = kept_.lower_bound(place); entry != kept_.end() && entry->first.starts_with(place);) {
    Json* target = object_at(object, entry->first.substr(place.size()), place.starts_with("/materials/"));
    if (target == nullptr) {
      ++entry;
      continue;
    }
    restore_one(*target, *entry->second);
    entry = kept_.erase(entry);
  }
}

Json* Writer::object_at(Json& object, std::string_view pointer, bool of_material) {
  if (!pointer.empty() && pointer.front() != '/') {
    return nullptr;  // another place that begins with the same letters
  }
  constexpr std::array<std::string_view, 7> kMayBeEmpty = {
      "KHR_materials_clearcoat", "KHR_materials_emissive_strength", "KHR_materials_ior",    "KHR_materials_sheen",
      "KHR_materials_specular",  "KHR_materials_transmission",      "KHR_texture_transform"};
  const auto may_be_empty = [&](std::string_view name) {
    return std::find(kMayBeEmpty.begin(), kMayBeEmpty.end(), name) != kMayBeEmpty.end();
  };
  const std::vector<std::string_view> names =
      pointer.empty() ? std::vector<std::string_view>() : split(pointer.substr(1), '/');
  Json* at = &object;
  for (std::size_t i = 0; i < names.size() && at->is_object(); ++i) {
    const std::string name(names[i]);
    if (!at->contains(name)) {
      const std::size_t left = names.size() - i;
      const bool is_extension = i > 0 && names[i - 1] == "extensions";
      const bool makes = of_material && ((left == 1 && name == "pbrMetallicRoughness") ||
                                         (left == 1 && is_extension && may_be_empty(name)) ||
                                         (left == 2 && name == "extensions" && may_be_empty(names[i + 1])));
      if (!makes) {
        return nullptr;
      }
      (*at)[name] = Json::object();
      if (is_extension) {
        extensions_.used.insert(name);
      }
    }
    at = &(*at)[name];
  }
  return at->is_object() ? at : nullptr;
}

void Writer::restore_one(Json& object, const rig::KeptJson& kept) {
  for (const KeptMember& member : kept_extensions(
           kept, renumbered_, [this](int image) { return image_of(image); }, extensions_.used, exported_.notes)) {
    Json& extensions = object["extensions"];
    if (!extensions.contains(member.name)) {
      extensions[member.name] = raw_json(member.text);
    }
  }
  if (!kept.extras.empty() && !object.contains("extras")) {
    object["extras"] = raw_json(kept.extras);
  } else if (!kept.extras.empty() && (kept.extras.front() != '{' || !object["extras"].is_object())) {
    exported_.notes.push_back(kept_nowhere(kept, 1));  // what stands there has no room for it
  } else if (!kept.extras.empty()) {
    Json& extras = object["extras"];
    for (const KeptMember& member : members_of(kept.extras)) {
      if (!extras.contains(member.name)) {
        extras[member.name] = raw_json(member.text);
      }
    }
  }
}

std::size_t Writer::add_shared(Json& list, Json value, int source, const char* list_place,
                               std::map<int, std::size_t>& index_of_source) {
  if (const auto known = index_of_source.find(source); known != index_of_source.end()) {
    return known->second;
  }
  const auto same = source < 0 ? std::find(list.begin(), list.end(), value) : list.end();
  const std::size_t index = same - list.begin();
  if (same == list.end()) {
    list.push_back(std::move(value));
  }
  if (source >= 0) {
    restore(list[index], fmt::format("{}/{}", list_place, source));
    index_of_source.emplace(source, index);
  }
  return index;
}

Status Writer::write_meshes() {
  Json meshes = Json::array();
  for (std::size_t m = 0; m < character_.meshes.size(); ++m) {
    const mesh::Mesh& mesh = character_.meshes[m];
    Json primitives = Json::array();
    const std::size_t target_count = mesh.primitives.empty() ? 0 : mesh.primitives.front().morph_targets.size();
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      if (is_empty(mesh.primitives[p])) {
        continue;  // glTF has no empty accessors
      }
      if (!report(progress_, 0.5f + 0.3f * static_cast<float>(m) / static_cast<float>(character_.meshes.size()),
                  "Encoding")) {
        return error("cancelled");
      }
      Json out = Json::object();
      const bool on_grid = m < on_grid_.size() && on_grid_[m] != 0;
      const std::string place = fmt::format("/meshes/{}/primitives/{}", m, p);
      if (const Status status = primitives_.write(mesh.primitives[p], place, target_count, on_grid, out); !status) {
        return status.error().in(fmt::format("mesh {}, primitive {}", m, p));
      }
      restore(out, place);
      primitives.push_back(std::move(out));
    }
    if (primitives.empty()) {
      continue;
    }
    Json out = Json::object();
    if (!mesh.name.empty()) {
      out["name"] = mesh.name;
    }
    out["primitives"] = std::move(primitives);
    if (target_count > 0 && mesh.morph_weights.size() == target_count) {
      out["weights"] = mesh.morph_weights;
    }
    if (target_count > 0 && mesh.morph_names.size() == target_count) {
      out["extras"] = {{"targetNames", mesh.morph_names}};
    }
    restore(out, fmt::format("/meshes/{}", m));
    meshes.push_back(std::move(out));
  }
  if (!meshes.empty()) {
    root_["meshes"] = std::move(meshes);
  }
  return {};
}

void Writer::write_materials() {
  for (std::size_t m = 0; m < character_.materials.size(); ++m) {
    Json out = material_json(character_.materials[m], emissive_strength_[m], extensions_.used);
    for (auto moved = moved_.lower_bound({static_cast<int>(m), ""});
         moved != moved_.end() && moved->first == static_cast<int>(m); ++moved) {
      object_at(out, moved->second, true);
    }
    restore(out, fmt::format("/materials/{}", m));
    root_["materials"].push_back(std::move(out));
  }
}

Status Writer::write_images() {
  for (std::size_t i = 0; i < character_.images.size(); ++i) {
    const rig::Image& image = character_.images[i];
    if (!report(progress_, 0.8f + 0.1f * static_cast<float>(i) / static_cast<float>(character_.images.size()),
                "Encoding")) {
      return error("cancelled");
    }
    if (image_index_[i] < 0) {
      exported_.notes.push_back({Severity::kWarning, "image-lost", fmt::format("image {}", i),
                                 "it could not be read and is not written; its textures have no image"});
      continue;
    }
    std::string type(sniff_mime_type(image.encoded));
    std::vector<std::uint8_t> made;
    if (type.empty()) {
      made = encode_png(image.pixels, {image.width, image.height});
      type = "image/png";
    }
    const std::vector<std::uint8_t>& bytes = made.empty() ? image.encoded : made;
    Json out = Json::object();
    if (!image.name.empty()) {
      out["name"] = image.name;
    }
    if (options_.form == FileForm::kSeparate) {
      const std::string extension = type == "image/jpeg" ? "jpg" : type.substr(type.find('/') + 1);
      const std::string label =
          image.name.empty() ? fmt::format("{}", i) : safe_file_name(std::filesystem::path(image.name).stem().string());
      const std::string name = content_name(options_.stem, label, bytes, extension);
      out["uri"] = percent_encoded(name);
      // Pictures of one name and content are one file.
      if (std::ranges::find(exported_.files, name, &ExportedFile::name) == exported_.files.end()) {
        exported_.files.push_back({name, bytes});
      }
    } else {
      out["bufferView"] = buffers_.add_view(bytes);
      out["mimeType"] = type;
    }
    restore(out, fmt::format("/images/{}", i));
    root_["images"].push_back(std::move(out));
  }
  return {};
}

void Writer::write_textures() {
  Json samplers = Json::array();
  std::map<int, std::size_t> index_of_source;
  for (std::size_t t = 0; t < character_.textures.size(); ++t) {
    const rig::Texture& texture = character_.textures[t];
    Json out = Json::object();
    if (!texture.name.empty()) {
      out["name"] = texture.name;
    }
    if (needs_sampler(texture)) {
      Json sampler = sampler_json(texture, form_.object_at(fmt::format("/samplers/{}", texture.sampler)));
      out["sampler"] = add_shared(samplers, std::move(sampler), texture.sampler, "/samplers", index_of_source);
    }
    const int image = image_of(texture.image);
    const int fallback = image_of(texture.fallback);
    const std::string_view type = image < 0 ? "" : sniff_mime_type(character_.images[texture.image].encoded);
    if (type == "image/webp" || type == "image/ktx2") {
      const char* extension = type == "image/webp" ? "EXT_texture_webp" : "KHR_texture_basisu";
      out["extensions"][extension] = {{"source", image}};
      extensions_.used.insert(extension);
      if (fallback >= 0) {
        out["source"] = fallback;
      } else {
        extensions_.required.insert(extension);
      }
    } else if (image >= 0) {
      out["source"] = image;
    }
    restore(out, fmt::format("/textures/{}", t));
    root_["textures"].push_back(std::move(out));
  }
  if (!samplers.empty()) {
    root_["samplers"] = std::move(samplers);
  }
}

void Writer::write_extensions() {
  restore(root_, "");
  if (!kept_.empty()) {
    exported_.notes.push_back(kept_nowhere(*kept_.begin()->second, kept_.size()));
  }
  if (buffers_.compressed()) {
    extensions_.require("EXT_meshopt_compression");
  }
  for (const std::string& name : character_.extensions_required) {
    if (extensions_.used.count(name) != 0) {
      extensions_.required.insert(name);
    }
  }
  if (!extensions_.used.empty()) {
    root_["extensionsUsed"] = extensions_.used;
  }
  if (!extensions_.required.empty()) {
    root_["extensionsRequired"] = extensions_.required;
  }
}

Result<Exported> Writer::pack() {
  const bool binary = options_.form == FileForm::kBinary;
  std::string uri;
  if (options_.form != FileForm::kBinary) {
    buffers_.bin().resize((buffers_.bin().size() + 3) / 4 * 4, 0);
  }
  if (options_.form == FileForm::kSeparate && !buffers_.bin().empty()) {
    const std::string name = content_name(options_.stem, "", buffers_.bin(), "bin");
    exported_.files.insert(exported_.files.begin(), {name, buffers_.bin()});
    uri = percent_encoded(name);
  } else if (options_.form == FileForm::kEmbedded) {
    uri = data_uri(buffers_.bin());
  }
  buffers_.finish(root_, uri);
  std::string json = json_text(root_);
  std::vector<std::uint8_t> out;
  if (!binary) {
    json += '\n';
    out.assign(json.begin(), json.end());
  } else {
    const std::vector<std::uint8_t>& bin = buffers_.bin();
    json.resize((json.size() + 3) / 4 * 4, ' ');
    const std::size_t total = 12 + 8 + json.size() + (bin.empty() ? 0 : 8 + bin.size());
    if (total > std::numeric_limits<std::uint32_t>::max()) {
      return error("the character takes {} bytes, a .glb file holds at most 4294967295", total);
    }
    out.reserve(total);
    const auto put = [&](std::size_t value) {
      const auto narrow = static_cast<std::uint32_t>(value);
      const auto bytes = bytes_of(std::span(&narrow, 1));
      out.insert(out.end(), bytes.begin(), bytes.end());
    };
    for (const std::size_t word :
         {std::size_t{kGlbMagic}, std::size_t{2}, total, json.size(), std::size_t{kJsonChunk}}) {
      put(word);
    }
    out.insert(out.end(), json.begin(), json.end());
    if (!bin.empty()) {
      put(bin.size());
      put(kBinChunk);
      out.insert(out.end(), bin.begin(), bin.end());
    }
  }
  exported_.files.insert(exported_.files.begin(), {options_.stem + (binary ? ".glb" : ".gltf"), std::move(out)});
  return std::move(exported_);
}

void Writer::note_unasked_changes() {
  constexpr float kRoundedSum = 1e-5f;  // a sum this far from 1 is one that rounding left
  const Json made = form_.object_at("/made-unit");
  std::vector<std::string> parts;
  for (const auto& [name, one, many] :
       {std::tuple{"normals", "normal", "normals"}, std::tuple{"tangents", "tangent", "tangents"},
        std::tuple{"rotations", "rotation of a node", "rotations of nodes"},
        std::tuple{"keys", "rotation key", "rotation keys"}}) {
    if (made.is_object() && made.contains(name) && made[name].is_number_unsigned()) {
      parts.push_back(counted(made[name].get<std::size_t>(), one, many));
    }
  }
  if (!parts.empty()) {
    exported_.notes.push_back(
        {Severity::kInfo, "made-unit", "file",
         fmt::format("renormalised: {}, which the source has at another length than 1", fmt::join(parts, ", "))});
  }
  std::size_t sums = 0;
  for (const mesh::Mesh& mesh : character_.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      const mesh::Influences& rows = primitive.influences;
      for (std::size_t v = 0; v < rows.vertex_count() && !options_.sums_as_stored; ++v) {
        const float sum = rows.stored_sum(v);
        sums += sum > 0 && std::abs(sum - 1) > kRoundedSum ? 1 : 0;
      }
    }
  }
  if (sums > 0 && options_.weights == mesh::WeightFormat::kFloat) {
    exported_.notes.push_back({Severity::kInfo, "weights-to-one", "file",
                               fmt::format("the weights of {} are written with a sum of 1, as the file has another",
                                           counted(sums, "vertex", "vertices"))});
  }
}

Result<Exported> Writer::write() {
  root_["asset"] = {{"version", "2.0"}, {"generator", "Pelt"}};
  if (const std::string least = form_.string_at("/asset/minVersion"); !least.empty()) {
    root_["asset"]["minVersion"] = least;
  }
  if (!character_.copyright.empty()) {
    root_["asset"]["copyright"] = character_.copyright;
  }
  restore(root_["asset"], "/asset");
  write_scenes();
  PELT_TRY(write_meshes());
  for (const auto step : {&Writer::write_nodes, &Writer::write_skins, &Writer::write_clips}) {
    PELT_TRY((this->*step)());
  }
  write_materials();
  PELT_TRY(write_images());
  write_textures();
  buffers_.lay_out();
  write_extensions();
  note_unasked_changes();
  return pack();
}

Result<Exported> export_character(const rig::Character& character, const ExportOptions& options,
                                  const Progress& progress) {
  if (!options.quantize) {
    return Writer(character, options, {}, progress).write();
  }
  const rig::OnUnitGrid grid = rig::on_unit_grid(character);
  return Writer(grid.character, options, grid.mesh_is_on_it, progress).write();
}

Result<std::vector<std::uint8_t>> export_glb(const rig::Character& character) {
  Result<Exported> exported = export_character(character, {});
  if (!exported) {
    return exported.error();
  }
  return std::move(exported->files.front().bytes);
}

}  // namespace pelt::gltf
