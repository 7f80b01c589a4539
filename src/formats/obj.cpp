// Wavefront Technologies, "The Advanced Visualizer Manual", appendix B1 (OBJ) and B2 (MTL); the corners' colours after
// the positions as many programs write them; Pm, Pr, norm: "PBR extension to the MTL file format", Clara.io, 2014.

#include "formats/obj.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/text.h"
#include "formats/text_reader.h"
#include "formats/triangulate.h"
#include "formats/unrigged.h"
#include "gltf/image_codec.h"
#include "gltf/uri.h"

namespace pelt::formats {
namespace {

constexpr std::size_t kMostObjPrimitives = 16384;
constexpr std::size_t kLargestLibrary = std::size_t{64} << 20;   // bytes of a file of materials
constexpr std::size_t kLargestPicture = std::size_t{256} << 20;  // bytes of a picture as it is stored
constexpr std::size_t kMostObjNames = 200;                       // bytes kept of a name
constexpr std::size_t kLinesBetweenReports = 1 << 16;
constexpr std::uint32_t kNone = UINT32_MAX;

// A corner by what the file says of it.
struct Corner {
  std::uint32_t position = 0;
  std::uint32_t texcoord = kNone;
  std::uint32_t normal = kNone;  // into vn; kNone: see smoothing
  std::uint32_t smoothing = 0;   // group; 0: flat
  auto operator<=>(const Corner&) const = default;
};

// Elements of one object, group, material and topology.
struct Collected {
  std::size_t object = 0;
  int material = -1;
  mesh::Topology topology = mesh::Topology::kTriangles;
  std::vector<Corner> corners;  // 3, 2 or 1 per element
};

struct MaterialTexture {
  std::string file;
  float strength = 1;
};

// A material as the library has it, before its pictures are opened.
struct ObjMaterial {
  rig::Material material;
  MaterialTexture base_color, emissive, normal, opacity;
};

// Back-slashed paths come from one system and are read on all; what URIs escape stands for itself here.
std::string obj_uri(std::string_view file) {
  std::string uri;
  for (const char c : file) {
    uri += c == '\\' ? "/" : c == '%' ? "%25" : std::string(1, c);
  }
  return uri;
}

class ObjImporter {
 public:
  ObjImporter(std::string_view text, const std::filesystem::path& path, const gltf::ImportOptions& options,
              const Progress& progress)
      : text_(text), reader_(text), path_(path), options_(options), progress_(progress), pictures_(text.size()) {}

  Result<rig::Character> run();

 private:
  Status read_line(std::string_view keyword);
  Status read_vertex();
  template <int N>
  Status read_vector(std::vector<glm::vec<N, float>>& out, int least);
  Status read_element(mesh::Topology topology, std::size_t least);
  Status read_corner(std::string_view word, Corner& corner) const;
  Result<std::uint32_t> resolve(std::string_view word, std::size_t count, const char* what) const;
  Status collect(mesh::Topology topology, std::span<const Corner> corners);
  void read_smoothing();
  void read_libraries();
  void read_library(std::string_view name);
  void finish_material(const std::string& name, ObjMaterial&& material);
  MaterialTexture read_texture(TextReader& reader) const;
  rig::TextureRef open_texture(const MaterialTexture& from, const std::string& place);
  int open_image(const std::string& file, const std::string& place);
  std::string_view next_word();
  mesh::Primitive make_primitive(const Collected& collected);
  [[nodiscard]] Error wrong(std::string_view message) const { return error("line {}: {}", reader_.line(), message); }
  // Where the file's own names lead from; empty: nowhere.
  [[nodiscard]] std::filesystem::path folder() const {
    const std::filesystem::path parent = path_.parent_path();
    return path_.empty() || !parent.empty() ? parent : std::filesystem::path(".");
  }
  [[nodiscard]] std::string place() const { return fmt::format("line {}", reader_.line()); }
  void remember(Severity severity, std::string code, std::string where, std::string message) {
    note(diagnostics_, severity, std::move(code), std::move(where), std::move(message));
  }

  std::string_view text_;
  TextReader reader_;
  std::filesystem::path path_;
  const gltf::ImportOptions& options_;
  const Progress& progress_;
  std::vector<glm::vec3> positions_;
  std::vector<glm::vec4> colors_;  // [positions] or empty
  std::vector<glm::vec2> texcoords_;
  std::vector<glm::vec3> normals_;
  std::vector<Corner> element_;
  std::vector<glm::vec3> polygon_;
  std::vector<std::uint32_t> cut_;
  std::vector<std::string> objects_ = {""};
  std::size_t group_ = 0;
  std::map<std::string, std::size_t, std::less<>> group_of_name_ = {{"", 0}};
  int material_ = -1;
  std::uint32_t smoothing_ = 0;
  std::map<std::tuple<std::size_t, std::size_t, int, mesh::Topology>, std::size_t> primitive_of_;
  std::vector<Collected> primitives_;
  Collected* current_ = nullptr;  // of the last element, null where something changed since
  mesh::Topology current_topology_ = mesh::Topology::kTriangles;
  std::map<std::string, int, std::less<>> material_of_name_;
  std::vector<rig::Material> materials_;
  std::vector<rig::Texture> textures_;
  SharedList<rig::Image> images_;
  std::set<std::filesystem::path> libraries_;  // read so far
  std::vector<StampedFile> files_;             // libraries and pictures, from before they were read
  std::map<std::filesystem::path, int> image_of_file_;
  gltf::PictureBudget pictures_;
  std::size_t crossed_polygons_ = 0;
  std::size_t first_crossed_ = 0;                             // line
  std::map<std::string, std::size_t, std::less<>> left_out_;  // keyword -> first line
  Diagnostics diagnostics_;
};

// The next word of a statement; a backslash at the end of a line goes on in the next one.
std::string_view ObjImporter::next_word() {
  for (;;) {
    const std::string_view word = reader_.word_in_line();
    if (word != "\\") {
      return word;
    }
    if (!reader_.next_line()) {
      return {};
    }
  }
}

template <int N>
Status ObjImporter::read_vector(std::vector<glm::vec<N, float>>& out, int least) {
  glm::vec<N, float> value(0.0f);
  for (int i = 0; i < N; ++i) {
    const std::string_view word = next_word();
    if (word.empty() && i >= least) {
      break;
    }
    const std::optional<float> number = float_of(word);
    if (!number) {
      return wrong(fmt::format("expected {} numbers, got \"{}\" as number {}", N, printable(word, 40), i + 1));
    }
    value[i] = *number;
  }
  out.push_back(value);
  return {};
}

Status ObjImporter::read_vertex() {
  std::array<float, 7> numbers = {};
  std::size_t count = 0;
  for (std::string_view word = next_word(); !word.empty() && count < numbers.size(); word = next_word()) {
    const std::optional<float> number = float_of(word);
    if (!number) {
      return wrong(fmt::format("expected a coordinate, got \"{}\"", printable(word, 40)));
    }
    numbers[count++] = *number;
  }
  if (count < 3) {
    return wrong(fmt::format("expected at least 3 coordinates, got {}", count));
  }
  positions_.emplace_back(numbers[0], numbers[1], numbers[2]);
  // x y z w is for rational curves; six and seven numbers end with a colour (and its opacity).
  const std::size_t color = count >= 6 ? 3 : 0;
  if (color != 0 || !colors_.empty()) {
    colors_.resize(positions_.size(), glm::vec4(1.0f));
    for (std::size_t i = 0; i < 3 && color != 0; ++i) {
      colors_.back()[static_cast<int>(i)] = linear_from_srgb(std::clamp(numbers[color + i], 0.0f, 1.0f));
    }
  }
  return {};
}

// Indices count from one, negative ones from the last.
Result<std::uint32_t> ObjImporter::resolve(std::string_view word, std::size_t count, const char* what) const {
  const std::optional<std::int64_t> number = whole_number_of(word);
  if (!number || *number == 0) {
    return wrong(fmt::format("expected the number of a {}, got \"{}\"", what, printable(word, 40)));
  }
  const auto size = static_cast<std::int64_t>(count);
  const std::int64_t index = *number > 0 ? *number - 1 : size + *number;
  if (index < 0 || index >= size) {
    return wrong(fmt::format("{} {} does not exist, there are {} so far", what, *number, count));
  }
  return static_cast<std::uint32_t>(index);
}

Status ObjImporter::read_corner(std::string_view word, Corner& corner) const {
  const std::string_view whole = word;
  const auto piece = [&word] {
    const std::size_t end = std::min(word.find('/'), word.size());
    const std::string_view found = word.substr(0, end);
    word.remove_prefix(std::min(end + 1, word.size()));
    return found;
  };
  const Result<std::uint32_t> position = resolve(piece(), positions_.size(), "vertex");
  if (!position) {
    return position.error();
  }
  corner = {*position, kNone, kNone, smoothing_};
  if (const std::string_view texcoord = piece(); !texcoord.empty()) {
    const Result<std::uint32_t> index = resolve(texcoord, texcoords_.size(), "texture vertex");
    if (!index) {
      return index.error();
    }
    corner.texcoord = *index;
  }
  if (const std::string_view normal = piece(); !normal.empty()) {
    const Result<std::uint32_t> index = resolve(normal, normals_.size(), "normal");
    if (!index) {
      return index.error();
    }
    corner.normal = *index;
    corner.smoothing = 0;
  }
  if (!word.empty()) {
    return wrong(fmt::format("expected vertex/texture/normal, got \"{}\"", printable(whole, 40)));
  }
  return {};
}

Status ObjImporter::read_element(mesh::Topology topology, std::size_t least) {
  element_.clear();
  for (std::string_view word = next_word(); !word.empty(); word = next_word()) {
    Corner corner;
    if (Status read = read_corner(word, corner); !read) {
      return read;
    }
    element_.push_back(corner);
  }
  if (element_.size() < least) {
    return wrong(fmt::format("expected at least {} vertices, got {}", least, element_.size()));
  }
  return collect(topology, element_);
}

Status ObjImporter::collect(mesh::Topology topology, std::span<const Corner> corners) {
  if (current_ == nullptr || current_topology_ != topology) {
    const auto key = std::tuple(objects_.size() - 1, group_, material_, topology);
    const auto [found, is_new] = primitive_of_.try_emplace(key, primitives_.size());
    if (is_new) {
      if (primitives_.size() == kMostObjPrimitives) {
        return wrong(fmt::format("more than {} combinations of object, group and material", kMostObjPrimitives));
      }
      primitives_.push_back({objects_.size() - 1, material_, topology, {}});
    }
    current_ = &primitives_[found->second];
    current_topology_ = topology;
  }
  std::vector<Corner>& out = current_->corners;
  switch (topology) {
    case mesh::Topology::kPoints:
      out.insert(out.end(), corners.begin(), corners.end());
      return {};
    case mesh::Topology::kLines:
      for (std::size_t i = 1; i < corners.size(); ++i) {
        out.push_back(corners[i - 1]);
        out.push_back(corners[i]);
      }
      return {};
    case mesh::Topology::kTriangles:
      break;
  }
  polygon_.clear();
  for (const Corner& corner : corners) {
    polygon_.push_back(positions_[corner.position]);
  }
  cut_.clear();
  if (!triangulate(polygon_, cut_)) {
    first_crossed_ = crossed_polygons_ == 0 ? reader_.line() : first_crossed_;
    ++crossed_polygons_;
  }
  for (const std::uint32_t i : cut_) {
    out.push_back(corners[i]);
  }
  return {};
}

void ObjImporter::read_smoothing() {
  const std::string_view word = next_word();
  const std::optional<std::int64_t> number = whole_number_of(word);
  smoothing_ = number && *number > 0 && *number < kNone ? static_cast<std::uint32_t>(*number) : word == "on" ? 1 : 0;
}

Status ObjImporter::read_line(std::string_view keyword) {
  if (keyword == "v") {
    return read_vertex();
  }
  if (keyword == "vt") {
    Status read = read_vector(texcoords_, 1);
    if (read) {
      texcoords_.back().y = 1.0f - texcoords_.back().y;  // upwards in OBJ, downwards in glTF
    }
    return read;
  }
  if (keyword == "vn") {
    Status read = read_vector(normals_, 3);
    if (read) {
      const glm::vec3 normal = normals_.back() / std::max(glm::length(normals_.back()), 1e-30f);
      normals_.back() = glm::length(normal) > 0.5f ? glm::normalize(normal) : glm::vec3(0, 1, 0);
    }
    return read;
  }
  if (keyword == "f" || keyword == "fo") {
    return read_element(mesh::Topology::kTriangles, 3);
  }
  if (keyword == "l") {
    return read_element(mesh::Topology::kLines, 2);
  }
  if (keyword == "p") {
    return read_element(mesh::Topology::kPoints, 1);
  }
  if (keyword == "o") {
    current_ = nullptr;
    std::string name = single_line(reader_.rest_of_line(), kMostObjNames);
    const bool unused = primitives_.empty() || primitives_.back().object != objects_.size() - 1;
    if (unused) {
      objects_.back() = std::move(name);
    } else {
      objects_.push_back(std::move(name));
    }
  } else if (keyword == "g") {
    current_ = nullptr;
    const std::string name = single_line(reader_.rest_of_line(), kMostObjNames);
    group_ = group_of_name_.try_emplace(name, group_of_name_.size()).first->second;
  } else if (keyword == "usemtl") {
    current_ = nullptr;
    const std::string name = single_line(reader_.rest_of_line(), kMostObjNames);
    const auto found = material_of_name_.find(name);
    material_ = found != material_of_name_.end() ? found->second : -1;
    if (material_ < 0 && !name.empty()) {
      remember(Severity::kWarning, "material", place(),
               fmt::format("material \"{}\" is in no library that could be read; the default is used", name));
    }
  } else if (keyword == "s") {
    read_smoothing();
  } else if (keyword == "mtllib") {
    read_libraries();
  } else {
    left_out_.try_emplace(printable(keyword, 20), reader_.line());
  }
  return {};
}

// Names may hold blanks; several libraries in a line are rare. So: the whole line, and where that is no file, its
// words.
void ObjImporter::read_libraries() {
  const std::string_view line = reader_.rest_of_line();
  const auto whole = gltf::resolve_uri(obj_uri(line), folder(), options_.allow_outside_uris);
  std::error_code failure;
  if (line.find(' ') == std::string_view::npos || (whole && std::filesystem::exists(*whole, failure))) {
    read_library(line);
    return;
  }
  for (const std::string_view name : split(line, ' ')) {
    if (!name.empty()) {
      read_library(name);
    }
  }
}

void ObjImporter::read_library(std::string_view name) {
  const std::string shown = printable(name, 80);
  const auto complain = [&](const std::string& message) {
    remember(Severity::kWarning, "material-library", place(), fmt::format("{}: {}; left out", shown, message));
  };
  const auto file = gltf::resolve_uri(obj_uri(name), folder(), options_.allow_outside_uris);
  if (!file) {
    complain(file.error().message);
    return;
  }
  if (!libraries_.insert(file->lexically_normal()).second) {
    return;  // read already
  }
  files_.push_back({file->lexically_normal(), file_stamp(*file)});
  const Result<std::string> text = read_file(*file, kLargestLibrary);
  if (!text) {
    complain(text.error().message);
    return;
  }
  TextReader reader(*text);
  std::string material_name;
  ObjMaterial open;
  bool is_open = false;
  const auto close = [&] {
    if (is_open) {
      finish_material(material_name, std::exchange(open, {}));
    }
    is_open = false;
  };
  const auto number = [&](float otherwise) {
    const std::optional<float> value = float_of(reader.word_in_line());
    return value ? std::clamp(*value, 0.0f, 1.0f) : otherwise;
  };
  const auto color = [&](glm::vec3 otherwise) {
    const float red = number(otherwise.x);
    const std::optional<float> green = float_of(reader.word_in_line());
    const std::optional<float> blue = float_of(reader.word_in_line());
    // One number stands for all three.
    return glm::clamp(glm::vec3(red, green.value_or(red), blue.value_or(green.value_or(red))), 0.0f, 1.0f);
  };
  do {
    const std::string_view keyword = reader.word_in_line();
    if (keyword == "newmtl") {
      close();
      material_name = single_line(reader.rest_of_line(), kMostObjNames);
      is_open = true;
      open.material.name = material_name;
      open.material.metallic = 0;
      open.material.roughness = 0.8f;
      open.material.double_sided = true;
      continue;
    }
    if (!is_open || keyword.empty() || keyword.front() == '#') {
      continue;
    }
    rig::Material& material = open.material;
    if (keyword == "Kd") {
      material.base_color = glm::vec4(color(glm::vec3(1.0f)), material.base_color.a);
    } else if (keyword == "Ke") {
      material.emissive = color(glm::vec3(0.0f));
    } else if (keyword == "d") {
      material.base_color.a = number(1);
    } else if (keyword == "Tr") {
      material.base_color.a = 1 - number(0);
    } else if (keyword == "Ns") {
      // The Blinn-Phong exponent of the same width of highlight: alpha^2 = 2 / (Ns + 2), roughness = sqrt(alpha).
      const float exponent = std::max(float_of(reader.word_in_line()).value_or(0.0f), 0.0f);
      material.roughness = std::pow(2.0f / (exponent + 2.0f), 0.25f);
    } else if (keyword == "Pr") {
      material.roughness = number(material.roughness);
    } else if (keyword == "Pm") {
      material.metallic = number(0);
    } else if (keyword == "map_Kd") {
      open.base_color = read_texture(reader);
    } else if (keyword == "map_Ke") {
      open.emissive = read_texture(reader);
    } else if (keyword == "norm") {
      open.normal = read_texture(reader);
    } else if (keyword == "map_d") {
      open.opacity = read_texture(reader);
    }
  } while (reader.next_line());
  close();
}

// Options stand before the file's name, which may hold blanks.
MaterialTexture ObjImporter::read_texture(TextReader& reader) const {
  MaterialTexture out;
  std::string_view line = reader.rest_of_line();
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

int ObjImporter::open_image(const std::string& file, const std::string& where) {
  const auto complain = [&](const std::string& message) {
    remember(Severity::kWarning, "image", where, fmt::format("{}: {}; left out", printable(file, 80), message));
    return -1;
  };
  const auto path = gltf::resolve_uri(obj_uri(file), folder(), options_.allow_outside_uris);
  if (!path) {
    return complain(path.error().message);
  }
  const auto [known, is_new] = image_of_file_.try_emplace(path->lexically_normal(), -1);
  if (!is_new) {
    return known->second;
  }
  files_.push_back({path->lexically_normal(), file_stamp(*path)});
  const Result<std::string> bytes = read_file(*path, kLargestPicture);
  if (!bytes) {
    return complain(bytes.error().message);
  }
  pictures_.add(bytes->size());
  rig::Image image;
  image.name = single_line(file, kMostObjNames);
  image.encoded.assign(bytes->begin(), bytes->end());
  image.mime_type = gltf::sniff_mime_type(image.encoded);
  const Result<gltf::ImageSize> size = gltf::image_size(image.encoded, options_.max_image_size);
  if (!size) {
    return complain(size.error().message);
  }
  if (options_.decode_images) {
    if (const Status fits = pictures_.take(image.encoded, *size); !fits) {
      return complain(fits.error().message);
    }
    Result<std::vector<std::uint8_t>> pixels = gltf::decode_image(image.encoded, *size);
    if (!pixels) {
      return complain(pixels.error().message);
    }
    image.pixels = *std::move(pixels);
  }
  image.width = size->width;
  image.height = size->height;
  known->second = static_cast<int>(images_.size());
  images_.push_back(std::move(image));
  return known->second;
}

rig::TextureRef ObjImporter::open_texture(const MaterialTexture& from, const std::string& where) {
  rig::TextureRef out;
  if (from.file.empty()) {
    return out;
  }
  const int image = open_image(from.file, where);
  if (image >= 0) {
    out.texture = static_cast<int>(textures_.size());
    out.strength = from.strength;
    textures_.push_back({.image = image});
  }
  return out;
}

void ObjImporter::finish_material(const std::string& name, ObjMaterial&& from) {
  const std::string where = fmt::format("material \"{}\"", name);
  rig::Material& material = from.material;
  material.base_color_texture = open_texture(from.base_color, where);
  material.emissive_texture = open_texture(from.emissive, where);
  material.normal_texture = open_texture(from.normal, where);
  if (material.emissive_texture.texture >= 0 && material.emissive == glm::vec3(0.0f)) {
    material.emissive = glm::vec3(1.0f);
  }
  // Opacity is the alpha channel of the colour where both come from one picture; elsewhere glTF has no place for it.
  const bool own_alpha = !from.opacity.file.empty() && from.opacity.file == from.base_color.file;
  if (!from.opacity.file.empty() && !own_alpha) {
    remember(Severity::kInfo, "opacity", where, "map_d names another picture than map_Kd and is left out");
  }
  if (material.base_color.a < 1 || own_alpha) {
    material.alpha_mode = rig::AlphaMode::kBlend;
  }
  material_of_name_.insert_or_assign(name, static_cast<int>(materials_.size()));
  materials_.push_back(std::move(material));
}

mesh::Primitive ObjImporter::make_primitive(const Collected& collected) {
  mesh::Primitive out;
  out.topology = collected.topology;
  out.material = collected.material;
  std::vector<Corner> corners = collected.corners;
  const bool triangles = collected.topology == mesh::Topology::kTriangles;
  const auto has = [&](auto member, std::uint32_t none) {
    return std::ranges::any_of(corners, [&](const Corner& corner) { return corner.*member != none; });
  };
  const bool with_texcoords = has(&Corner::texcoord, kNone);
  const bool with_normals = triangles && (has(&Corner::normal, kNone) || has(&Corner::smoothing, 0));
  if (with_normals) {
    // Flat triangles among others keep their edges: each is a smoothing group of its own.
    std::uint32_t flat_group = kNone;
    for (std::size_t i = 0; i < corners.size(); i += 3) {
      const bool flat = std::any_of(&corners[i], &corners[i] + 3, [](const Corner& corner) {
        return corner.normal == kNone && corner.smoothing == 0;
      });
      for (std::size_t c = i; flat && c < i + 3; ++c) {
        corners[c].smoothing = corners[c].normal == kNone ? flat_group : 0;
      }
      flat_group -= flat ? 1 : 0;
    }
  } else {
    for (Corner& corner : corners) {
      corner.smoothing = 0;
    }
  }
  // Equal corners become one vertex, numbered by first appearance.
  std::vector<std::uint32_t> order(corners.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return corners[a] < corners[b]; });
  std::vector<std::uint32_t> first(corners.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && corners[order[i]] == corners[order[i - 1]];
    first[order[i]] = same ? first[order[i - 1]] : order[i];
  }
  std::vector<std::uint32_t> number(corners.size());
  std::vector<Corner> vertices;
  for (std::uint32_t i = 0; i < corners.size(); ++i) {
    if (first[i] == i) {
      number[i] = static_cast<std::uint32_t>(vertices.size());
      vertices.push_back(corners[i]);
    }
    out.indices.push_back(number[first[i]]);
  }
  for (const Corner& vertex : vertices) {
    out.positions.push_back(positions_[vertex.position]);
    if (with_texcoords) {
      out.texcoords[0].push_back(vertex.texcoord == kNone ? glm::vec2(0.0f) : texcoords_[vertex.texcoord]);
    }
    if (!colors_.empty()) {
      out.colors.push_back(colors_[vertex.position]);
    }
  }
  if (with_normals) {
    // Summed at the points of one position and smoothing group. Weighted by angle, since that does not depend on how
    // polygons were cut: G. Thuermer, C. A. Wuethrich, "Computing Vertex Normals from Polygonal Facets", 1998.
    std::map<std::pair<std::uint32_t, std::uint32_t>, glm::dvec3> sums;
    for (std::size_t i = 0; i < corners.size(); i += 3) {
      const auto at = [&](std::size_t c) { return glm::dvec3(positions_[corners[i + c % 3].position]); };
      const glm::dvec3 area = glm::cross(at(1) - at(0), at(2) - at(0));
      for (std::size_t c = 0; c < 3; ++c) {
        const Corner& corner = corners[i + c];
        if (corner.normal == kNone && glm::length(area) > 0) {
          const glm::dvec3 a = at(c + 1) - at(c);
          const glm::dvec3 b = at(c + 2) - at(c);
          const double angle = std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b));
          sums[{corner.position, corner.smoothing}] += angle * glm::normalize(area);
        }
      }
    }
    for (const Corner& vertex : vertices) {
      glm::dvec3 normal(0, 1, 0);
      if (vertex.normal != kNone) {
        normal = glm::dvec3(normals_[vertex.normal]);
      } else if (const glm::dvec3& sum = sums[{vertex.position, vertex.smoothing}]; glm::length(sum) > 0) {
        normal = glm::normalize(sum);
      }
      out.normals.emplace_back(normal);
    }
  }
  return out;
}

Result<rig::Character> ObjImporter::run() {
  std::size_t until_report = kLinesBetweenReports;
  do {
    const std::string_view keyword = next_word();
    if (!keyword.empty() && keyword.front() != '#') {
      if (Status read = read_line(keyword); !read) {
        return read.error();
      }
    }
    if (--until_report == 0) {
      until_report = kLinesBetweenReports;
      const double done = 1 - static_cast<double>(reader_.bytes_left()) / static_cast<double>(text_.size());
      if (!report(progress_, static_cast<float>(0.8 * done), "reading")) {
        return error("cancelled");
      }
    }
  } while (reader_.next_line());
  if (positions_.empty()) {
    return error("expected vertices (lines that begin with v), got none");
  }
  colors_.resize(colors_.empty() ? 0 : positions_.size(), glm::vec4(1.0f));
  for (const auto& [keyword, line] : left_out_) {
    remember(Severity::kInfo, "statement", fmt::format("line {}", line),
             fmt::format("\"{}\" is not read, here and further on", keyword));
  }
  if (crossed_polygons_ > 0) {
    remember(Severity::kWarning, "polygon", fmt::format("line {}", first_crossed_),
             fmt::format("{} polygon(s), the first here, cross themselves or have no area; their triangles may overlap",
                         crossed_polygons_));
  }
  if (primitives_.empty()) {
    // Nothing but vertices: scans are exchanged like that.
    Collected points{objects_.size() - 1, -1, mesh::Topology::kPoints, {}};
    for (std::uint32_t v = 0; v < positions_.size(); ++v) {
      points.corners.push_back({v, kNone, kNone, 0});
    }
    primitives_.push_back(std::move(points));
  }
  std::vector<mesh::Mesh> meshes(objects_.size());
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    meshes[i].name = objects_[i].empty() ? single_line(path_.stem().string(), kMostObjNames) : objects_[i];
  }
  for (std::size_t i = 0; i < primitives_.size(); ++i) {
    if (!report(progress_, 0.8f + 0.2f * static_cast<float>(i) / static_cast<float>(primitives_.size()), "building")) {
      return error("cancelled");
    }
    meshes[primitives_[i].object].primitives.push_back(make_primitive(primitives_[i]));
    primitives_[i].corners = {};
  }
  rig::Character character =
      unrigged_character(path_, std::move(meshes), std::move(materials_), std::move(textures_), std::move(images_));
  if (options_.files != nullptr) {
    *options_.files = std::move(files_);
  }
  character.diagnostics = std::move(diagnostics_);
  return character;
}

}  // namespace

Result<rig::Character> import_obj(std::string_view text, const std::filesystem::path& path,
                                  const gltf::ImportOptions& options, const Progress& progress) {
  return ObjImporter(text, path, options, progress).run();
}

}  // namespace pelt::formats
