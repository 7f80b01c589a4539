#include "cli/info_report.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/shape.h"
#include "core/text.h"
#include "deform/draw_batches.h"
#include "deform/skin_cache.h"

namespace pelt::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Summary {
  std::size_t vertices = 0;
  std::size_t triangles = 0;
  std::size_t morph_targets = 0;
  std::uint32_t influences = 0;
  std::size_t geometry_bytes = 0;
  std::size_t image_bytes = 0;
  std::size_t clip_bytes = 0;
  std::vector<std::size_t> histogram;  ///< vertices of skinned parts by influence count
};

template <typename Array>
std::size_t bytes_of(const Array& values) {
  return values.size() * sizeof(typename Array::value_type);
}

std::size_t bytes_of(const SharedArray<mesh::KeptAttribute>& all) {
  std::size_t sum = 0;
  for (const mesh::KeptAttribute& kept : all) {
    sum += kept.bytes.size();
  }
  return sum;
}

/// Attributes that nothing here reads.
std::vector<std::string> kept_labels(const std::vector<mesh::KeptAttribute>& all) {
  std::vector<std::string> out;
  for (const mesh::KeptAttribute& kept : all) {
    out.push_back(mesh::label(kept));
  }
  return out;
}

Summary summarize(const rig::Character& character) {
  Summary sum;
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& p : mesh.primitives) {
      sum.vertices += p.vertex_count();
      sum.triangles += p.triangle_count();
      sum.influences = std::max(sum.influences, p.influences->max_count());
      sum.geometry_bytes += bytes_of(p.indices) + bytes_of(p.positions) + bytes_of(p.normals) + bytes_of(p.tangents) +
                            bytes_of(p.texcoords[0]) + bytes_of(p.texcoords[1]) + bytes_of(p.colors) +
                            p.influences->bytes() + bytes_of(p.kept);
      for (const mesh::MorphTarget& target : p.morph_targets) {
        sum.geometry_bytes += bytes_of(target.position_deltas) + bytes_of(target.normal_deltas) +
                              bytes_of(target.tangent_deltas) + bytes_of(target.kept);
      }
      if (!p.influences->empty()) {
        for (std::size_t v = 0; v < p.vertex_count(); ++v) {
          const std::size_t count = p.influences->count(v);
          sum.histogram.resize(std::max(sum.histogram.size(), count + 1));
          ++sum.histogram[count];
        }
      }
    }
    sum.morph_targets += mesh.morph_names.size();
  }
  for (const rig::Clip& clip : character.clips) {
    for (const rig::Channel& channel : clip.channels) {
      sum.clip_bytes += bytes_of(channel.times) + bytes_of(channel.values);
    }
    for (const rig::PropertyChannel& property : clip.properties) {
      sum.clip_bytes += bytes_of(property.keys.times) + bytes_of(property.keys.values);
    }
  }
  for (const rig::Image& image : character.images) {
    sum.image_bytes += bytes_of(image.pixels) + bytes_of(image.encoded);
  }
  return sum;
}

/// Vertices by influence count, from 0; empty where the part is not skinned.
std::vector<std::size_t> influence_histogram(const mesh::Primitive& primitive) {
  std::vector<std::size_t> histogram;
  for (std::size_t v = 0; v < primitive.influences->vertex_count(); ++v) {
    const std::size_t count = primitive.influences->count(v);
    histogram.resize(std::max(histogram.size(), count + 1));
    ++histogram[count];
  }
  return histogram;
}

/// What a material has beyond glTF's core, by the names of the extensions.
std::vector<std::string_view> material_extensions(const rig::Material& material) {
  std::vector<std::string_view> names;
  const auto add = [&names](bool has, std::string_view name) {
    if (has) {
      names.push_back(name);
    }
  };
  const auto black = [](const glm::vec3& color) { return color == glm::vec3(0.0f); };
  add(material.unlit, "KHR_materials_unlit");
  add(material.ior != 1.5f, "KHR_materials_ior");
  add(material.specular.factor != 1 || material.specular.color != glm::vec3(1.0f) ||
          material.specular.texture.texture >= 0 || material.specular.color_texture.texture >= 0,
      "KHR_materials_specular");
  add(material.clearcoat.factor > 0, "KHR_materials_clearcoat");
  add(!black(material.sheen.color), "KHR_materials_sheen");
  add(material.transmission.factor > 0, "KHR_materials_transmission");
  add(std::max({material.emissive.r, material.emissive.g, material.emissive.b}) > 1, "KHR_materials_emissive_strength");
  return names;
}

std::string_view name_of(rig::AlphaMode mode) {
  return mode == rig::AlphaMode::kOpaque ? "opaque" : mode == rig::AlphaMode::kMask ? "mask" : "blend";
}

std::string_view name_of(rig::LightKind kind) {
  return kind == rig::LightKind::kDirectional ? "directional" : kind == rig::LightKind::kPoint ? "point" : "spot";
}

// How many textures a material reads.
std::size_t texture_count(const rig::Material& m) {
  const auto refs = {m.base_color_texture,       m.metallic_roughness_texture, m.normal_texture,
                     m.occlusion_texture,        m.emissive_texture,           m.specular.texture,
                     m.specular.color_texture,   m.clearcoat.texture,          m.clearcoat.roughness_texture,
                     m.clearcoat.normal_texture, m.sheen.color_texture,        m.sheen.roughness_texture,
                     m.transmission.texture};
  return static_cast<std::size_t>(
      std::ranges::count_if(refs, [](const rig::TextureRef& ref) { return ref.texture >= 0; }));
}

// Palette batches that are drawn under the settings, 0 where the primitive has no weights.
std::size_t batch_count(const mesh::Primitive& primitive, const deform::SkinningSettings& settings) {
  if (primitive.influences->empty()) {
    return 0;
  }
  const mesh::Influences influences = deform::effective_influences(primitive, settings);
  const int limit = settings.palette_limit;
  const int cap = limit > 0 ? std::max(limit, deform::widest_element(primitive, influences)) : limit;
  const auto batches = deform::make_draw_batches(primitive, influences, cap,
                                                 settings.partition && deform::can_partition(primitive, settings));
  return batches ? static_cast<std::size_t>(std::ranges::count_if(
                       *batches, [](const deform::DrawBatch& batch) { return !batch.indices.empty(); }))
                 : 0;
}

std::string_view name_of(mesh::Topology topology) {
  return topology == mesh::Topology::kTriangles ? "triangles" : topology == mesh::Topology::kLines ? "lines" : "points";
}

int file_node(const rig::Character& character, int joint) {
  return joint < 0 ? -1 : character.skeleton->source_node[joint];
}

Json scenes_json(const rig::Character& character) {
  Json out = Json::array();
  for (const rig::Scene& scene : character.scenes) {
    out.push_back({{"name", scene.name}, {"roots", scene.roots.size()}});
  }
  return out;
}

Json meshes_json(const rig::Character& character, const deform::SkinningSettings& settings) {
  Json out = Json::array();
  for (const mesh::Mesh& mesh : character.meshes) {
    Json primitives = Json::array();
    for (const mesh::Primitive& p : mesh.primitives) {
      primitives.push_back({{"topology", name_of(p.topology)},
                            {"vertices", p.vertex_count()},
                            {"triangles", p.triangle_count()},
                            {"material", p.material},
                            {"skinned", !p.influences->empty()},
                            {"max_influences", p.influences->max_count()},
                            {"influence_histogram", influence_histogram(p)},
                            {"palette_batches", batch_count(p, settings)},
                            {"normals", !p.normals.empty()},
                            {"tangents", !p.tangents.empty()},
                            {"texcoords", !p.texcoords[0].empty()},
                            {"colors", !p.colors.empty()},
                            {"kept", kept_labels(p.kept)}});
    }
    out.push_back({{"name", mesh.name}, {"morph_targets", mesh.morph_names}, {"primitives", primitives}});
  }
  return out;
}

Json instances_json(const rig::Character& character) {
  Json out = Json::array();
  for (const rig::Instances& instances : character.instances) {
    out.push_back({{"node", file_node(character, instances.joint)},
                   {"count", instances.joints.size()},
                   {"unshown", instances.unshown.size()},
                   {"kept", kept_labels(instances.kept)}});
  }
  return out;
}

Json skins_json(const rig::Character& character) {
  Json out = Json::array();
  for (const rig::Skin& skin : character.skins) {
    out.push_back({{"name", skin.name},
                   {"joints", skin.joints.size()},
                   {"inverse_bind_matrices", skin.has_inverse_binds},
                   {"skeleton", file_node(character, skin.skeleton_root)}});
  }
  return out;
}

Json clips_json(const rig::Character& character) {
  Json out = Json::array();
  for (const rig::Clip& clip : character.clips) {
    out.push_back({{"name", clip.name},
                   {"start", clip.start},
                   {"end", clip.end},
                   {"channels", clip.channels.size() + clip.properties.size()},
                   {"properties", clip.properties.size()}});
  }
  return out;
}

Json materials_json(const rig::Character& character) {
  Json out = Json::array();
  for (const rig::Material& material : character.materials) {
    out.push_back({{"name", material.name},
                   {"base_color_texture", material.base_color_texture.texture},
                   {"textures", texture_count(material)},
                   {"alpha_mode", name_of(material.alpha_mode)},
                   {"double_sided", material.double_sided},
                   {"unlit", material.unlit},
                   {"extensions", material_extensions(material)}});
  }
  return out;
}

Json images_json(const rig::Character& character) {
  Json out = Json::array();
  for (const rig::Image& image : character.images) {
    out.push_back({{"name", image.name}, {"type", image.mime_type}, {"width", image.width}, {"height", image.height}});
  }
  return out;
}

Json humanoid_json(const rig::Character& character) {
  Json out = Json::object();
  for (const rig::HumanBone& bone : character.humanoid) {
    out[bone.role] = character.skeleton->label(bone.joint);
  }
  return out;
}

Json cameras_json(const rig::Character& character) {
  Json out = Json::array();
  for (const rig::Camera& camera : character.cameras) {
    out.push_back(
        {{"name", camera.name}, {"node", file_node(character, camera.joint)}, {"perspective", camera.perspective}});
  }
  return out;
}

Json lights_json(const rig::Character& character) {
  Json out = Json::array();
  for (const rig::Light& light : character.lights) {
    out.push_back({{"name", light.name},
                   {"node", file_node(character, light.joint)},
                   {"kind", name_of(light.kind)},
                   {"intensity", light.intensity}});
  }
  return out;
}

std::string named(const std::string& name, std::string_view kind, std::size_t index) {
  return name.empty() ? fmt::format("{} {}", kind, index) : printable(name, 40);
}

std::string megabytes(std::size_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string file_text(const rig::Character& character, const std::string& file,
                      const std::optional<measure::DegenerateNormals>& lost) {
  const Summary sum = summarize(character);
  std::string out;
  const auto line = [&](std::string_view what, const std::string& value) {
    out += fmt::format("{:<12} {}\n", what, value);
  };
  line("file", file);
  if (!character.generator.empty()) {
    line("made by", printable(character.generator));
  }
  if (!character.extensions_used.empty()) {
    line("extensions", fmt::format("{}", fmt::join(character.extensions_used, ", ")));
  }
  if (!character.extensions_required.empty()) {
    line("required", fmt::format("{}", fmt::join(character.extensions_required, ", ")));
  }
  line("nodes", fmt::format("{}, {} of them joints", character.skeleton->size(),
                            std::ranges::count_if(character.skeleton->is_joint, [](char c) { return c != 0; })));
  line("geometry", fmt::format("{} vertices, {} triangles, diagonal {:.4g} m", sum.vertices, sum.triangles,
                               rest_diagonal(character)));
  const float difference = rig::rest_bind_difference(character);
  if (!character.skins.empty()) {
    std::string histogram;
    for (std::size_t n = 0; n < sum.histogram.size(); ++n) {
      if (sum.histogram[n] > 0) {
        histogram += fmt::format("{}{}: {}", histogram.empty() ? "" : ", ", n, sum.histogram[n]);
      }
    }
    line("influences", fmt::format("at most {} per vertex (vertices by count: {})", sum.influences, histogram));
    line("rest pose", difference > 1e-4f ? fmt::format("differs from the bind pose (by {:.3g})", difference)
                                         : std::string("is the bind pose"));
  }
  if (lost && lost->count > 0) {
    line("normals", fmt::format("{} of {} are lost in this pose, the first at vertex {} of part {}", lost->count,
                                lost->vertices, lost->vertex, lost->part));
  }
  line("memory", fmt::format("{} geometry, {} clips, {} images", megabytes(sum.geometry_bytes),
                             megabytes(sum.clip_bytes), megabytes(sum.image_bytes)));
  return out;
}

std::string mesh_text(const mesh::Mesh& mesh, std::size_t m, const deform::SkinningSettings& settings) {
  std::size_t vertices = 0;
  std::size_t triangles = 0;
  std::size_t batches = 0;
  std::set<std::string> kept;
  for (const mesh::Primitive& p : mesh.primitives) {
    for (std::string& label : kept_labels(p.kept)) {
      kept.insert(std::move(label));
    }
    vertices += p.vertex_count();
    triangles += p.triangle_count();
    batches += batch_count(p, settings);
  }
  std::string out = fmt::format("  {:<24} {} primitives, {} vertices, {} triangles", named(mesh.name, "mesh", m),
                                mesh.primitives.size(), vertices, triangles);
  out += batches > 0 ? fmt::format(", {} palette batches", batches) : std::string();
  if (!mesh.morph_names.empty()) {
    std::vector<std::string> names;
    for (std::size_t t = 0; t < mesh.morph_names.size(); ++t) {
      names.push_back(named(mesh.morph_names[t], "target", t));
    }
    out += fmt::format("\n  {:<24} morph targets: {}", "", fmt::join(names, ", "));
  }
  if (!kept.empty()) {
    out += fmt::format("\n  {:<24} kept unread: {}", "", fmt::join(kept, ", "));
  }
  out += '\n';
  return out;
}

std::string meshes_text(const rig::Character& character, const deform::SkinningSettings& settings) {
  std::string out = character.meshes.empty() ? "" : "\nmeshes\n";
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    out += mesh_text(character.meshes[m], m, settings);
  }
  return out;
}

std::string instances_text(const rig::Character& character) {
  std::string out;
  if (!character.instances.empty()) {
    out += "\ninstances\n";
  }
  for (const rig::Instances& instances : character.instances) {
    out += fmt::format("  {:<24} {}{}{}{}\n", printable(character.skeleton->label(instances.joint), 40),
                       instances.joints.size(),
                       instances.unshown.empty() ? "" : fmt::format(" and {} not shown", instances.unshown.size()),
                       instances.kept.empty() ? "" : ", kept unread: ", fmt::join(kept_labels(instances.kept), ", "));
  }
  return out;
}

std::string skins_text(const rig::Character& character) {
  std::string out;
  if (!character.skins.empty()) {
    out += "\nskins\n";
  }
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    const rig::Skin& skin = character.skins[s];
    out += fmt::format("  {:<24} {} joints{}\n", named(skin.name, "skin", s), skin.joints.size(),
                       skin.has_inverse_binds ? "" : ", no inverse bind matrices");
  }
  return out;
}

std::string humanoid_text(const rig::Character& character) {
  std::string out;
  if (character.vrm >= 0) {
    out += fmt::format("\nhumanoid of VRM {}, {} constraints\n", character.vrm, character.constraints.size());
  }
  for (const rig::HumanBone& bone : character.humanoid) {
    out += fmt::format("  {:<24} {}\n", printable(bone.role, 40), printable(character.skeleton->label(bone.joint), 40));
  }
  return out;
}

std::string variants_text(const rig::Character& character) {
  std::string out;
  if (!character.variants.empty()) {
    out += "\nvariants\n";
  }
  for (std::size_t v = 0; v < character.variants.size(); ++v) {
    out += fmt::format("  {}\n", named(character.variants[v], "variant", v));
  }
  return out;
}

std::string clips_text(const rig::Character& character) {
  std::string out;
  if (!character.clips.empty()) {
    out += "\nclips\n";
  }
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    const rig::Clip& clip = character.clips[c];
    out += fmt::format("  {:<24} {:.3g} s ({:g} to {:g}), {} channels\n", named(clip.name, "clip", c), clip.duration(),
                       clip.start, clip.end, clip.channels.size() + clip.properties.size());
  }
  return out;
}

std::string materials_text(const rig::Character& character) {
  std::string out;
  if (!character.materials.empty()) {
    out += "\nmaterials\n";
  }
  for (std::size_t m = 0; m < character.materials.size(); ++m) {
    const rig::Material& material = character.materials[m];
    const std::vector<std::string_view> extensions = material_extensions(material);
    out += fmt::format("  {:<24} {} textures, {}{}{}\n", named(material.name, "material", m), texture_count(material),
                       name_of(material.alpha_mode), material.double_sided ? ", double-sided" : "",
                       extensions.empty() ? "" : fmt::format(", {}", fmt::join(extensions, ", ")));
  }
  return out;
}

std::string images_text(const rig::Character& character) {
  std::string out;
  if (!character.images.empty()) {
    out += "\nimages\n";
  }
  for (std::size_t i = 0; i < character.images.size(); ++i) {
    const rig::Image& image = character.images[i];
    out += fmt::format("  {:<24} {}, {}\n", named(image.name, "image", i),
                       image.mime_type.empty() ? "unknown" : printable(image.mime_type, 40),
                       megabytes(image.encoded.size()));
  }
  return out;
}

std::string cameras_and_lights_text(const rig::Character& character) {
  std::string out;
  if (!character.cameras.empty()) {
    out += "\ncameras\n";
  }
  for (std::size_t c = 0; c < character.cameras.size(); ++c) {
    const rig::Camera& camera = character.cameras[c];
    out += fmt::format("  {:<24} {} on {}\n", named(camera.name, "camera", c),
                       camera.perspective ? "perspective" : "orthographic",
                       printable(character.skeleton->label(camera.joint), 40));
  }
  if (!character.lights.empty()) {
    out += "\nlights\n";
  }
  for (std::size_t i = 0; i < character.lights.size(); ++i) {
    const rig::Light& light = character.lights[i];
    out += fmt::format("  {:<24} {} on {}\n", named(light.name, "light", i), name_of(light.kind),
                       printable(character.skeleton->label(light.joint), 40));
  }
  return out;
}

std::string scenes_text(const rig::Character& character) {
  std::string out;
  if (character.scenes.size() > 1) {
    out += "\nscenes\n";
    for (std::size_t i = 0; i < character.scenes.size(); ++i) {
      out += fmt::format("  {:<24} {} roots{}\n", named(character.scenes[i].name, "scene", i),
                         character.scenes[i].roots.size(), static_cast<int>(i) == character.scene ? ", shown" : "");
    }
  }
  return out;
}

}  // namespace

Json info_json(const rig::Character& character, const std::string& file, const deform::SkinningSettings& settings) {
  const Summary sum = summarize(character);
  Json out;
  out["file"] = file;
  out["generator"] = character.generator;
  out["extensions_used"] = character.extensions_used;
  out["extensions_required"] = character.extensions_required;
  out["nodes"] = character.skeleton->size();
  out["joints"] = std::ranges::count_if(character.skeleton->is_joint, [](char c) { return c != 0; });
  out["vertices"] = sum.vertices;
  out["triangles"] = sum.triangles;
  out["max_influences"] = sum.influences;
  out["influence_histogram"] = sum.histogram;
  out["diagonal"] = rest_diagonal(character);
  out["rest_bind_difference"] = rig::rest_bind_difference(character);
  out["memory"] = {
      {"geometry_bytes", sum.geometry_bytes}, {"image_bytes", sum.image_bytes}, {"clip_bytes", sum.clip_bytes}};
  out["scenes"] = scenes_json(character);
  out["scene"] = character.scene;
  out["meshes"] = meshes_json(character, settings);
  out["instances"] = instances_json(character);
  out["skins"] = skins_json(character);
  out["clips"] = clips_json(character);
  out["materials"] = materials_json(character);
  out["images"] = images_json(character);
  out["cameras"] = character.cameras.size();
  out["lights"] = character.lights.size();
  out["variants"] = character.variants;
  out["humanoid"] = humanoid_json(character);
  out["constraints"] = character.constraints.size();
  out["camera_list"] = cameras_json(character);
  out["light_list"] = lights_json(character);
  out["diagnostics"] = character.diagnostics.size();
  return out;
}

std::string info_text(const rig::Character& character, const std::string& file,
                      const deform::SkinningSettings& settings, const std::optional<measure::DegenerateNormals>& lost) {
  std::string out = file_text(character, file, lost);
  out += meshes_text(character, settings);
  for (const auto section : {instances_text, skins_text, humanoid_text, variants_text, clips_text, materials_text,
                             images_text, cameras_and_lights_text, scenes_text}) {
    out += section(character);
  }
  if (!character.diagnostics.empty()) {
    out += fmt::format("\n{} finding(s); `pelt lint` lists them\n", character.diagnostics.size());
  }
  return out;
}

}  // namespace pelt::cli
