// Wavefront Technologies, "The Advanced Visualizer Manual", appendix B1 (OBJ); the corners' colours after the positions
// as many programs write them.

#include "formats/obj.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/text.h"
#include "formats/obj_materials.h"
#include "formats/obj_surface.h"
#include "formats/text_reader.h"
#include "formats/triangulate.h"
#include "formats/unrigged.h"

namespace pelt::formats {
namespace {

constexpr std::size_t kMostObjPrimitives = 16384;
constexpr std::size_t kLinesBetweenReports = 1 << 16;

class ObjImporter {
 public:
  ObjImporter(std::string_view text, const std::filesystem::path& path, const gltf::ImportOptions& options,
              const Progress& progress)
      : text_(text),
        reader_(text),
        path_(path),
        options_(options),
        progress_(progress),
        materials_(path, options, text.size(), diagnostics_) {}

  Result<rig::Character> run();

 private:
  Status read_line(std::string_view keyword);
  Status read_vertex();
  template <int N>
  Status read_vector(std::vector<glm::vec<N, float>>& out, int least);
  Status read_element(mesh::Topology topology, std::size_t least);
  Status read_corner(std::string_view word, ObjCorner& corner) const;
  Result<std::uint32_t> resolve(std::string_view word, std::size_t count, const char* what) const;
  Status collect(mesh::Topology topology, std::span<const ObjCorner> corners);
  void read_smoothing();
  void read_object();
  void read_material();
  std::string_view next_word();
  Status read_lines();
  void say_what_was_odd();
  [[nodiscard]] Error wrong(std::string_view message) const { return error("line {}: {}", reader_.line(), message); }
  [[nodiscard]] std::string place() const { return fmt::format("line {}", reader_.line()); }
  void remember(Severity severity, std::string code, std::string where, std::string message) {
    note(diagnostics_, severity, std::move(code), std::move(where), std::move(message));
  }

  std::string_view text_;
  TextReader reader_;
  std::filesystem::path path_;
  const gltf::ImportOptions& options_;
  const Progress& progress_;
  ObjLists lists_;
  std::vector<ObjCorner> element_;
  std::vector<glm::vec3> polygon_;
  std::vector<std::uint32_t> cut_;
  std::vector<std::string> objects_ = {""};
  std::size_t group_ = 0;
  std::map<std::string, std::size_t, std::less<>> group_of_name_ = {{"", 0}};
  int material_ = -1;
  std::uint32_t smoothing_ = 0;
  std::map<std::tuple<std::size_t, std::size_t, int, mesh::Topology>, std::size_t> primitive_of_;
  std::vector<ObjElements> primitives_;
  ObjElements* current_ = nullptr;  // of the last element, null where something changed since
  mesh::Topology current_topology_ = mesh::Topology::kTriangles;
  std::size_t crossed_polygons_ = 0;
  std::size_t first_crossed_ = 0;                             // line
  std::map<std::string, std::size_t, std::less<>> left_out_;  // keyword -> first line
  Diagnostics diagnostics_;
  ObjMaterials materials_;
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
  lists_.positions.emplace_back(numbers[0], numbers[1], numbers[2]);
  // x y z w is for rational curves; six and seven numbers end with a colour (and its opacity).
  const std::size_t color = count >= 6 ? 3 : 0;
  if (color != 0 || !lists_.colors.empty()) {
    lists_.colors.resize(lists_.positions.size(), glm::vec4(1.0f));
    for (std::size_t i = 0; i < 3 && color != 0; ++i) {
      lists_.colors.back()[static_cast<int>(i)] = linear_from_srgb(std::clamp(numbers[color + i], 0.0f, 1.0f));
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

Status ObjImporter::read_corner(std::string_view word, ObjCorner& corner) const {
  const std::string_view whole = word;
  const auto piece = [&word] {
    const std::size_t end = std::min(word.find('/'), word.size());
    const std::string_view found = word.substr(0, end);
    word.remove_prefix(std::min(end + 1, word.size()));
    return found;
  };
  PELT_TRY_TO(const std::uint32_t position, resolve(piece(), lists_.positions.size(), "vertex"));
  corner = {position, kNoObjIndex, kNoObjIndex, smoothing_};
  if (const std::string_view texcoord = piece(); !texcoord.empty()) {
    PELT_TRY_TO(const std::uint32_t index, resolve(texcoord, lists_.texcoords.size(), "texture vertex"));
    corner.texcoord = index;
  }
  if (const std::string_view normal = piece(); !normal.empty()) {
    PELT_TRY_TO(const std::uint32_t index, resolve(normal, lists_.normals.size(), "normal"));
    corner.normal = index;
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
    ObjCorner corner;
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

Status ObjImporter::collect(mesh::Topology topology, std::span<const ObjCorner> corners) {
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
  std::vector<ObjCorner>& out = current_->corners;
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
  for (const ObjCorner& corner : corners) {
    polygon_.push_back(lists_.positions[corner.position]);
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
  smoothing_ = number && *number > 0 && *number < kNoObjIndex ? static_cast<std::uint32_t>(*number)
               : word == "on"                                 ? 1
                                                              : 0;
}

void ObjImporter::read_object() {
  current_ = nullptr;
  std::string name = single_line(reader_.rest_of_line(), kMostObjNames);
  const bool unused = primitives_.empty() || primitives_.back().object != objects_.size() - 1;
  if (unused) {
    objects_.back() = std::move(name);
  } else {
    objects_.push_back(std::move(name));
  }
}

void ObjImporter::read_material() {
  current_ = nullptr;
  const std::string name = single_line(reader_.rest_of_line(), kMostObjNames);
  material_ = materials_.find(name);
  if (material_ < 0 && !name.empty()) {
    remember(Severity::kWarning, "material", place(),
             fmt::format("material \"{}\" is in no library that could be read; the default is used", name));
  }
}

Status ObjImporter::read_line(std::string_view keyword) {
  if (keyword == "v") {
    return read_vertex();
  }
  if (keyword == "vt") {
    Status read = read_vector(lists_.texcoords, 1);
    if (read) {
      lists_.texcoords.back().y = 1.0f - lists_.texcoords.back().y;  // upwards in OBJ, downwards in glTF
    }
    return read;
  }
  if (keyword == "vn") {
    Status read = read_vector(lists_.normals, 3);
    if (read) {
      const glm::vec3 normal = lists_.normals.back() / std::max(glm::length(lists_.normals.back()), 1e-30f);
      lists_.normals.back() = glm::length(normal) > 0.5f ? glm::normalize(normal) : glm::vec3(0, 1, 0);
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
    read_object();
  } else if (keyword == "g") {
    current_ = nullptr;
    const std::string name = single_line(reader_.rest_of_line(), kMostObjNames);
    group_ = group_of_name_.try_emplace(name, group_of_name_.size()).first->second;
  } else if (keyword == "usemtl") {
    read_material();
  } else if (keyword == "s") {
    read_smoothing();
  } else if (keyword == "mtllib") {
    materials_.read_libraries(reader_.rest_of_line(), place());
  } else {
    left_out_.try_emplace(printable(keyword, 20), reader_.line());
  }
  return {};
}

Status ObjImporter::read_lines() {
  std::size_t until_report = kLinesBetweenReports;
  do {
    const std::string_view keyword = next_word();
    if (!keyword.empty() && keyword.front() != '#') {
      if (Status read = read_line(keyword); !read) {
        return read;
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
  return {};
}

void ObjImporter::say_what_was_odd() {
  for (const auto& [keyword, line] : left_out_) {
    remember(Severity::kInfo, "statement", fmt::format("line {}", line),
             fmt::format("\"{}\" is not read, here and further on", keyword));
  }
  if (crossed_polygons_ > 0) {
    remember(Severity::kWarning, "polygon", fmt::format("line {}", first_crossed_),
             fmt::format("{} polygon(s), the first here, cross themselves or have no area; their triangles may overlap",
                         crossed_polygons_));
  }
}

Result<rig::Character> ObjImporter::run() {
  PELT_TRY(read_lines());
  if (lists_.positions.empty()) {
    return error("expected vertices (lines that begin with v), got none");
  }
  lists_.colors.resize(lists_.colors.empty() ? 0 : lists_.positions.size(), glm::vec4(1.0f));
  say_what_was_odd();
  if (primitives_.empty()) {
    // Nothing but vertices: scans are exchanged like that.
    ObjElements points{objects_.size() - 1, -1, mesh::Topology::kPoints, {}};
    for (std::uint32_t v = 0; v < lists_.positions.size(); ++v) {
      points.corners.push_back({v, kNoObjIndex, kNoObjIndex, 0});
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
    meshes[primitives_[i].object].primitives.push_back(obj_primitive(lists_, primitives_[i]));
    primitives_[i].corners = {};
  }
  ObjMaterials::Content& libraries = materials_.content();
  rig::Character character = unrigged_character(path_, std::move(meshes), std::move(libraries.materials),
                                                std::move(libraries.textures), std::move(libraries.images));
  if (options_.files != nullptr) {
    *options_.files = std::move(libraries.files);
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
