// Wavefront Technologies, "The Advanced Visualizer Manual", appendix B2 (MTL); Pm, Pr, norm: "PBR extension to the MTL
// file format", Clara.io, 2014.

#include "formats/obj_materials.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/text.h"
#include "formats/text_reader.h"
#include "formats/unrigged.h"
#include "gltf/uri.h"

namespace pelt::formats {
namespace {

constexpr std::size_t kLargestLibrary = std::size_t{64} << 20;   // bytes of a file of materials
constexpr std::size_t kLargestPicture = std::size_t{256} << 20;  // bytes of a picture as it is stored

// Back-slashed paths come from one system and are read on all; what URIs escape stands for itself here.
std::string obj_uri(std::string_view file) {
  std::string uri;
  for (const char c : file) {
    uri += c == '\\' ? "/" : c == '%' ? "%25" : std::string(1, c);
  }
  return uri;
}

// Where the names in a file lead from.
std::filesystem::path folder_of(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.parent_path();
  return path.empty() || !parent.empty() ? parent : std::filesystem::path(".");
}

float share_in(TextReader& reader, float otherwise) {
  const std::optional<float> value = float_of(reader.word_in_line());
  return value ? std::clamp(*value, 0.0f, 1.0f) : otherwise;
}

// One number stands for all three.
glm::vec3 color_in(TextReader& reader, glm::vec3 otherwise) {
  const float red = share_in(reader, otherwise.x);
  const std::optional<float> green = float_of(reader.word_in_line());
  const std::optional<float> blue = float_of(reader.word_in_line());
  return glm::clamp(glm::vec3(red, green.value_or(red), blue.value_or(green.value_or(red))), 0.0f, 1.0f);
}

}  // namespace

// Goes through the text of one library.
class ObjMaterials::LibraryReader {
 public:
  explicit LibraryReader(std::string_view text) : reader_(text) {}

  // Calls `finish` with each material when all its lines are read.
  template <typename Finish>
  void read(const Finish& finish) {
    std::optional<Unopened> open;
    do {
      const std::string_view keyword = reader_.word_in_line();
      if (keyword == "newmtl") {
        if (open) {
          finish(*std::move(open));
        }
        open = begun(single_line(reader_.rest_of_line(), kMostObjNames));
      } else if (open && !keyword.empty() && keyword.front() != '#') {
        read_factor(keyword, open->material);
        read_picture(keyword, *open);
      }
    } while (reader_.next_line());
    if (open) {
      finish(*std::move(open));
    }
  }

 private:
  static Unopened begun(std::string name) {
    Unopened out;
    out.material.name = std::move(name);
    out.material.metallic = 0;
    out.material.roughness = 0.8f;
    out.material.double_sided = true;
    return out;
  }

  void read_factor(std::string_view keyword, rig::Material& material) {
    if (keyword == "Kd") {
      material.base_color = glm::vec4(color_in(reader_, glm::vec3(1.0f)), material.base_color.a);
    } else if (keyword == "Ke") {
      material.emissive = color_in(reader_, glm::vec3(0.0f));
    } else if (keyword == "d") {
      material.base_color.a = share_in(reader_, 1);
    } else if (keyword == "Tr") {
      material.base_color.a = 1 - share_in(reader_, 0);
    } else if (keyword == "Ns") {
      // The Blinn-Phong exponent of the same width of highlight: alpha^2 = 2 / (Ns + 2), roughness = sqrt(alpha).
      const float exponent = std::max(float_of(reader_.word_in_line()).value_or(0.0f), 0.0f);
      material.roughness = std::pow(2.0f / (exponent + 2.0f), 0.25f);
    } else if (keyword == "Pr") {
      material.roughness = share_in(reader_, material.roughness);
    } else if (keyword == "Pm") {
      material.metallic = share_in(reader_, 0);
    }
  }

  void read_picture(std::string_view keyword, Unopened& open) {
    PictureName* picture = keyword == "map_Kd"   ? &open.base_color
                           : keyword == "map_Ke" ? &open.emissive
                           : keyword == "norm"   ? &open.normal
                           : keyword == "map_d"  ? &open.opacity
                                                 : nullptr;
    if (picture != nullptr) {
      *picture = read_picture_name();
    }
  }

  // Options stand before the file's name, which may hold blanks.
  PictureName read_picture_name() {
    PictureName out;
    std::string_view line = reader_.rest_of_line();
    TextReader words(line);
    while (line.starts_with('-')) {
      const std::string_view option = words.word_in_line();
      const bool vector = option == "-o" || option == "-s" || option == "-t";
      const int values = option == "-mm" ? 2 : vector ? 3 : 1;
      for (int i = 0; i < values; ++i) {
        TextReader ahead = words;
        const std::string_view word = ahead.word_in_line();
        if (vector && i > 0 && !float_of(word)) {
          break;  // the second and third are optional
        }
        if (option == "-bm") {
          out.strength = float_of(word).value_or(1.0f);
        }
        words = ahead;
      }
      line = words.rest_of_line();
      words = TextReader(line);
      if (option.empty()) {
        break;
      }
    }
    out.file = std::string(line);
    return out;
  }

  TextReader reader_;
};

ObjMaterials::ObjMaterials(const std::filesystem::path& path, const gltf::ImportOptions& options,
                           std::size_t source_bytes, Diagnostics& diagnostics)
    : folder_(folder_of(path)), options_(options), diagnostics_(diagnostics), pictures_(source_bytes) {}

int ObjMaterials::find(std::string_view name) const {
  const auto found = index_of_name_.find(name);
  return found != index_of_name_.end() ? found->second : -1;
}

Result<std::filesystem::path> ObjMaterials::resolved(std::string_view file) const {
  return gltf::resolve_uri(obj_uri(file), folder_, options_.allow_outside_uris);
}

void ObjMaterials::note_file(std::string_view name, const std::filesystem::path& path) {
  std::filesystem::path spelled = gltf::spelled_uri(obj_uri(name), folder_);
  if (noted_.insert(spelled).second) {
    content_.files.push_back({std::move(spelled), file_stamp(path)});
  }
}

// Names may hold blanks; several libraries in a line are rare. So: the whole line, and where that is no file, its
// words.
void ObjMaterials::read_libraries(std::string_view line, const std::string& place) {
  const auto whole = resolved(line);
  std::error_code failure;
  if (line.find(' ') == std::string_view::npos || (whole && std::filesystem::exists(*whole, failure))) {
    read_library(line, place);
    return;
  }
  for (const std::string_view name : split(line, ' ')) {
    if (!name.empty()) {
      read_library(name, place);
    }
  }
}

void ObjMaterials::read_library(std::string_view name, const std::string& place) {
  const auto complain = [&](const std::string& message) {
    note(diagnostics_, Severity::kWarning, "material-library", place,
         fmt::format("{}: {}; left out", printable(name, 80), message));
  };
  const auto file = resolved(name);
  if (!file) {
    complain(file.error().message);
    return;
  }
  note_file(name, *file);
  if (!libraries_.insert(file->lexically_normal()).second) {
    return;  // read already
  }
  const Result<std::string> text = read_file(*file, kLargestLibrary);
  if (!text) {
    complain(text.error().message);
    return;
  }
  LibraryReader(*text).read([this](Unopened&& material) { finish(std::move(material)); });
}

int ObjMaterials::open_image(const std::string& file, const std::string& place) {
  const auto complain = [&](const std::string& message) {
    note(diagnostics_, Severity::kWarning, "image", place,
         fmt::format("{}: {}; left out", printable(file, 80), message));
    return -1;
  };
  const auto path = resolved(file);
  if (!path) {
    return complain(path.error().message);
  }
  note_file(file, *path);
  const auto [known, is_new] = image_of_file_.try_emplace(path->lexically_normal(), -1);
  if (!is_new) {
    return known->second;
  }
  const Result<std::string> bytes = read_file(*path, kLargestPicture);
  if (!bytes) {
    return complain(bytes.error().message);
  }
  Result<rig::Image> image = read_image(file, *bytes);
  if (!image) {
    return complain(image.error().message);
  }
  known->second = static_cast<int>(content_.images.size());
  content_.images.push_back(*std::move(image));
  return known->second;
}

Result<rig::Image> ObjMaterials::read_image(const std::string& name, const std::string& bytes) {
  pictures_.add(bytes.size());
  rig::Image image;
  image.name = single_line(name, kMostObjNames);
  image.encoded.assign(bytes.begin(), bytes.end());
  image.mime_type = gltf::sniff_mime_type(image.encoded);
  PELT_TRY_TO(const gltf::ImageSize size, gltf::image_size(image.encoded, options_.max_image_size));
  if (options_.decode_images) {
    PELT_TRY(pictures_.take(image.encoded, size));
    PELT_TRY_TO(std::vector<std::uint8_t> pixels, gltf::decode_image(image.encoded, size));
    image.pixels = std::move(pixels);
  }
  image.width = size.width;
  image.height = size.height;
  return image;
}

rig::TextureRef ObjMaterials::open_texture(const PictureName& from, const std::string& place) {
  rig::TextureRef out;
  if (from.file.empty()) {
    return out;
  }
  const int image = open_image(from.file, place);
  if (image >= 0) {
    out.texture = static_cast<int>(content_.textures.size());
    out.strength = from.strength;
    content_.textures.push_back({.image = image});
  }
  return out;
}

void ObjMaterials::finish(Unopened&& from) {
  rig::Material& material = from.material;
  const std::string place = fmt::format("material \"{}\"", material.name);
  material.base_color_texture = open_texture(from.base_color, place);
  material.emissive_texture = open_texture(from.emissive, place);
  material.normal_texture = open_texture(from.normal, place);
  if (material.emissive_texture.texture >= 0 && material.emissive == glm::vec3(0.0f)) {
    material.emissive = glm::vec3(1.0f);
  }
  // Opacity is the alpha channel of the colour where both come from one picture; elsewhere glTF has no place for it.
  const bool own_alpha = !from.opacity.file.empty() && from.opacity.file == from.base_color.file;
  if (!from.opacity.file.empty() && !own_alpha) {
    note(diagnostics_, Severity::kInfo, "opacity", place, "map_d names another picture than map_Kd and is left out");
  }
  if (material.base_color.a < 1 || own_alpha) {
    material.alpha_mode = rig::AlphaMode::kBlend;
  }
  index_of_name_.insert_or_assign(material.name, static_cast<int>(content_.materials.size()));
  content_.materials.push_back(std::move(material));
}

}  // namespace pelt::formats
