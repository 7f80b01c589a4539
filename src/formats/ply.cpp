// G. Turk, "The PLY Polygon File Format", 1994; names of properties as Stanford's scans, VCGlib, Blender and Open3D
// write them.

#include "formats/ply.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"
#include "formats/ply_header.h"
#include "formats/text_reader.h"
#include "formats/triangulate.h"
#include "formats/unrigged.h"

namespace pelt::formats {
namespace {

constexpr std::size_t kRowsBetweenReports = 1 << 16;

class PlyImporter {
 public:
  PlyImporter(std::span<const std::uint8_t> bytes, const std::filesystem::path& path, const Progress& progress)
      : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
        body_(std::string_view()),
        path_(path),
        progress_(progress) {}

  Result<rig::Character> run();

 private:
  Status check_count(const PlyElement& element) const;
  Status read_element(const PlyElement& element);
  Status read_vertices(const PlyElement& element);
  Status read_faces(const PlyElement& element);
  Status read_strips(const PlyElement& element);
  Status read_edges(const PlyElement& element);
  void say_what_was_odd();
  mesh::Mesh make_mesh();
  template <typename Row>
  Status read_rows(const PlyElement& element, const Row& row);
  Result<double> read_scalar(PlyScalar type, std::string_view name);
  Status read_list(const PlyProperty& property, std::vector<double>& out);
  Result<std::uint32_t> vertex_index(double value) const;
  [[nodiscard]] std::string where() const;
  [[nodiscard]] Error wrong(std::string_view message) const { return error("{}: {}", where(), message); }

  std::string_view text_;
  PlyHeader header_;
  TextReader body_;          // of an ascii file
  std::string_view binary_;  // what is left of a binary one
  std::filesystem::path path_;
  const Progress& progress_;
  const PlyElement* element_ = nullptr;  // being read
  std::size_t row_ = 0;
  bool any_vertices_ = false;
  std::vector<glm::vec3> polygon_;
  std::vector<std::uint32_t> corners_;
  std::vector<std::uint32_t> cut_;
  mesh::Primitive surface_;
  std::vector<std::uint32_t> edges_;
  std::size_t crossed_ = 0;
  std::size_t first_crossed_ = 0;
  std::size_t short_faces_ = 0;
  Diagnostics diagnostics_;
};

std::string PlyImporter::where() const {
  const std::string row = element_ != nullptr ? fmt::format("{} {}", printable(element_->name, 40), row_) : "header";
  return header_.encoding == PlyEncoding::kAscii && element_ != nullptr
             ? fmt::format("line {}: {}", header_.lines + body_.line(), row)
             : row;
}

// A file cannot promise more than it has bytes for.
Status PlyImporter::check_count(const PlyElement& element) const {
  std::size_t least = 0;  // bytes of a row
  for (const PlyProperty& property : element.properties) {
    const PlyScalar fixed = property.count_type.value_or(property.type);
    least += header_.encoding == PlyEncoding::kAscii ? 2 : size_of(fixed);
  }
  const std::size_t left = header_.encoding == PlyEncoding::kAscii ? body_.bytes_left() + 1 : binary_.size();
  if (least > 0 && element.count > left / least) {
    return error("{}: expected {} of them, at least {} bytes each, got {} bytes for all", printable(element.name, 40),
                 element.count, least, left);
  }
  return {};
}

template <typename T>
T value_at(const char* from, bool swap) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if (swap) {
    std::ranges::reverse(bytes);
  }
  return std::bit_cast<T>(bytes);
}

Result<double> PlyImporter::read_scalar(PlyScalar type, std::string_view name) {
  if (header_.encoding == PlyEncoding::kAscii) {
    const std::string_view word = body_.word();
    if (is_real(type)) {
      const std::optional<float> value = float_of(word);
      if (!value) {
        return wrong(fmt::format("{}: expected a number, got \"{}\"", printable(name, 40), printable(word, 40)));
      }
      return static_cast<double>(*value);
    }
    // Some writers give whole numbers a decimal point.
    const std::optional<std::int64_t> whole = whole_number_of(word);
    const std::optional<float> real = whole ? std::nullopt : float_of(word);
    if (!whole && (!real || std::trunc(*real) != *real)) {
      return wrong(fmt::format("{}: expected a whole number, got \"{}\"", printable(name, 40), printable(word, 40)));
    }
    return whole ? static_cast<double>(*whole) : static_cast<double>(*real);
  }
  const std::size_t size = size_of(type);
  if (binary_.size() < size) {
    return wrong(
        fmt::format("{}: the file ends here, {} more bytes are missing", printable(name, 40), size - binary_.size()));
  }
  constexpr bool kNativeLittle = std::endian::native == std::endian::little;
  const bool swap = (header_.encoding == PlyEncoding::kLittleEndian) != kNativeLittle;
  const char* from = binary_.data();
  binary_.remove_prefix(size);
  double value = 0;
  switch (type) {
    case PlyScalar::kInt8:
      value = value_at<std::int8_t>(from, swap);
      break;
    case PlyScalar::kUint8:
      value = value_at<std::uint8_t>(from, swap);
      break;
    case PlyScalar::kInt16:
      value = value_at<std::int16_t>(from, swap);
      break;
    case PlyScalar::kUint16:
      value = value_at<std::uint16_t>(from, swap);
      break;
    case PlyScalar::kInt32:
      value = value_at<std::int32_t>(from, swap);
      break;
    case PlyScalar::kUint32:
      value = value_at<std::uint32_t>(from, swap);
      break;
    case PlyScalar::kFloat32:
      value = static_cast<double>(value_at<float>(from, swap));
      break;
    case PlyScalar::kFloat64:
      value = value_at<double>(from, swap);
      break;
  }
  if (!(std::abs(value) <= static_cast<double>(kLargestCoordinate))) {
    return wrong(fmt::format("{}: expected a finite number, got {}", printable(name, 40), value));
  }
  return value;
}

Status PlyImporter::read_list(const PlyProperty& property, std::vector<double>& out) {
  PELT_TRY_TO(const double count, read_scalar(*property.count_type, property.name));
  const std::size_t left =
      header_.encoding == PlyEncoding::kAscii ? (body_.bytes_left() + 1) / 2 : binary_.size() / size_of(property.type);
  if (count < 0 || count > static_cast<double>(left)) {
    return wrong(fmt::format("{}: expected at most the {} entries that the file has bytes for, got {}",
                             printable(property.name, 40), left, count));
  }
  out.clear();
  for (auto n = static_cast<std::size_t>(count); n > 0; --n) {
    PELT_TRY_TO(const double value, read_scalar(property.type, property.name));
    out.push_back(value);
  }
  return {};
}

// Calls `row.use(values, list)` for each row: one value per property (0 for lists), and the list of the property that
// `row.list` names.
template <typename Row>
Status PlyImporter::read_rows(const PlyElement& element, const Row& row) {
  std::vector<double> values(element.properties.size());
  std::vector<double> wanted;
  std::vector<double> skipped;
  for (row_ = 0; row_ < element.count; ++row_) {
    if (row_ % kRowsBetweenReports == 0) {
      const std::size_t left = header_.encoding == PlyEncoding::kAscii ? body_.bytes_left() : binary_.size();
      const double done = 1 - static_cast<double>(left) / static_cast<double>(std::max<std::size_t>(text_.size(), 1));
      if (!report(progress_, static_cast<float>(done), "reading")) {
        return error("cancelled");
      }
    }
    wanted.clear();
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const PlyProperty& property = element.properties[p];
      if (property.count_type) {
        const bool is_wanted = row.list == static_cast<int>(p);
        if (Status read = read_list(property, is_wanted ? wanted : skipped); !read) {
          return read;
        }
      } else {
        PELT_TRY_TO(const double value, read_scalar(property.type, property.name));
        values[p] = value;
      }
    }
    if (Status used = row.use(std::span<const double>(values), std::span<const double>(wanted)); !used) {
      return used;
    }
  }
  return {};
}

// What read_rows() calls for each row.
template <typename Use>
struct RowUse {
  int list = -1;  // the property whose list is of use
  Use use;
};
template <typename Use>
RowUse(int, Use) -> RowUse<Use>;

int find_property(const PlyElement& element, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(element.properties, name, &PlyProperty::name);
    if (found != element.properties.end()) {
      return static_cast<int>(found - element.properties.begin());
    }
  }
  return -1;
}

Status PlyImporter::read_vertices(const PlyElement& element) {
  any_vertices_ = true;
  const std::array position = {find_property(element, {"x"}), find_property(element, {"y"}),
                               find_property(element, {"z"})};
  const std::array normal = {find_property(element, {"nx"}), find_property(element, {"ny"}),
                             find_property(element, {"nz"})};
  const std::array texcoord = {find_property(element, {"s", "u", "texture_u", "texture_s"}),
                               find_property(element, {"t", "v", "texture_v", "texture_t"})};
  const std::array color = {
      find_property(element, {"red", "r", "diffuse_red"}), find_property(element, {"green", "g", "diffuse_green"}),
      find_property(element, {"blue", "b", "diffuse_blue"}), find_property(element, {"alpha", "a"})};
  const auto usable = [&](int property) { return property >= 0 && !element.properties[property].count_type; };
  if (!std::ranges::all_of(position, usable)) {
    return wrong("expected the properties x, y and z");
  }
  const bool has_normals = std::ranges::all_of(normal, usable);
  const bool has_texcoords = std::ranges::all_of(texcoord, usable);
  const bool has_colors = usable(color[0]) && usable(color[1]) && usable(color[2]);
  mesh::Primitive& out = surface_;
  const auto use = [&](std::span<const double> values, std::span<const double>) -> Status {
    const auto at = [&](int property) { return static_cast<float>(values[property]); };
    out.positions.emplace_back(at(position[0]), at(position[1]), at(position[2]));
    if (has_normals) {
      const glm::dvec3 n(at(normal[0]), at(normal[1]), at(normal[2]));
      out.normals.emplace_back(glm::length(n) > 1e-30 ? glm::vec3(glm::normalize(n)) : glm::vec3(0, 1, 0));
    }
    if (has_texcoords) {
      out.texcoords[0].emplace_back(at(texcoord[0]), 1.0f - at(texcoord[1]));
    }
    if (has_colors) {
      glm::vec4 shade(1.0f);
      for (int c = 0; c < 4; ++c) {
        const int property = color[c];
        if (usable(property)) {
          const PlyScalar type = element.properties[property].type;
          const float share = std::clamp(at(property) / static_cast<float>(largest_of(type)), 0.0f, 1.0f);
          shade[c] = c < 3 ? linear_from_srgb(share) : share;
        }
      }
      out.colors.push_back(shade);
    }
    return {};
  };
  return read_rows(element, RowUse{-1, use});
}

Result<std::uint32_t> PlyImporter::vertex_index(double value) const {
  if (!(value >= 0) || value >= static_cast<double>(surface_.positions.size())) {
    return wrong(fmt::format("vertex {} does not exist, there are {}", value, surface_.positions.size()));
  }
  return static_cast<std::uint32_t>(value);
}

Status PlyImporter::read_faces(const PlyElement& element) {
  const int list = find_property(element, {"vertex_indices", "vertex_index"});
  if (list < 0 || !element.properties[list].count_type) {
    return wrong("expected the list property vertex_indices");
  }
  const auto use = [&](std::span<const double>, std::span<const double> indices) -> Status {
    polygon_.clear();
    corners_.clear();
    for (const double value : indices) {
      PELT_TRY_TO(const std::uint32_t v, vertex_index(value));
      corners_.push_back(v);
      polygon_.push_back(surface_.positions[v]);
    }
    if (corners_.size() < 3) {
      ++short_faces_;
      return {};
    }
    cut_.clear();
    if (!triangulate(polygon_, cut_)) {
      first_crossed_ = crossed_ == 0 ? row_ : first_crossed_;
      ++crossed_;
    }
    for (const std::uint32_t i : cut_) {
      surface_.indices.push_back(corners_[i]);
    }
    return {};
  };
  return read_rows(element, RowUse{list, use});
}

Status PlyImporter::read_strips(const PlyElement& element) {
  const int list = find_property(element, {"vertex_indices", "vertex_index"});
  if (list < 0 || !element.properties[list].count_type) {
    return wrong("expected the list property vertex_indices");
  }
  const auto use = [&](std::span<const double>, std::span<const double> indices) -> Status {
    corners_.clear();  // of the strip so far; -1 begins another
    for (const double value : indices) {
      if (value == -1) {
        corners_.clear();
        continue;
      }
      PELT_TRY_TO(const std::uint32_t v, vertex_index(value));
      corners_.push_back(v);
      if (const std::size_t n = corners_.size(); n >= 3) {
        const std::uint32_t a = corners_[n - 3];
        const std::uint32_t b = corners_[n - 2];
        const std::uint32_t c = corners_[n - 1];
        if (a != b && b != c && c != a) {
          const bool even = n % 2 == 1;
          surface_.indices.append({even ? a : b, even ? b : a, c});
        }
      }
    }
    return {};
  };
  return read_rows(element, RowUse{list, use});
}

Status PlyImporter::read_edges(const PlyElement& element) {
  const std::array ends = {find_property(element, {"vertex1"}), find_property(element, {"vertex2"})};
  const auto use = [&](std::span<const double> values, std::span<const double>) -> Status {
    for (const int end : ends) {
      PELT_TRY_TO(const std::uint32_t v, vertex_index(values[end]));
      edges_.push_back(v);
    }
    return {};
  };
  return read_rows(element, RowUse{-1, use});
}

Status PlyImporter::read_element(const PlyElement& element) {
  element_ = &element;
  row_ = 0;
  if (Status possible = check_count(element); !possible) {
    return possible;
  }
  if (element.properties.empty()) {
    return {};
  }
  const bool has_edges = find_property(element, {"vertex1"}) >= 0 && find_property(element, {"vertex2"}) >= 0;
  if (element.name == "vertex" && !any_vertices_) {
    return read_vertices(element);
  }
  if (element.name == "face") {
    return read_faces(element);
  }
  if (element.name == "tristrips") {
    return read_strips(element);
  }
  if (element.name == "edge" && has_edges) {
    return read_edges(element);
  }
  note(diagnostics_, Severity::kInfo, "element", printable(element.name, 40), "elements of this name are left out");
  const auto use = [](std::span<const double>, std::span<const double>) -> Status { return {}; };
  return read_rows(element, RowUse{-1, use});
}

void PlyImporter::say_what_was_odd() {
  if (short_faces_ > 0) {
    note(diagnostics_, Severity::kWarning, "polygon", "face",
         fmt::format("{} face(s) have fewer than three corners; left out", short_faces_));
  }
  if (crossed_ > 0) {
    note(diagnostics_, Severity::kWarning, "polygon", fmt::format("face {}", first_crossed_),
         fmt::format("{} polygon(s), the first here, cross themselves or have no area; their triangles may overlap",
                     crossed_));
  }
}

// The surface, and its edges beside or instead of it.
mesh::Mesh PlyImporter::make_mesh() {
  mesh::Mesh mesh;
  mesh.name = single_line(path_.stem().string(), 200);
  const auto add = [&](mesh::Topology topology, std::vector<std::uint32_t> indices) {
    mesh::Primitive primitive = surface_;
    primitive.topology = topology;
    primitive.indices = std::move(indices);
    mesh.primitives.push_back(std::move(primitive));
  };
  if (!edges_.empty() && !surface_.indices.empty()) {
    add(mesh::Topology::kLines, std::move(edges_));
  } else if (!edges_.empty()) {
    surface_.topology = mesh::Topology::kLines;
    surface_.indices = std::move(edges_);
  } else if (surface_.indices.empty()) {
    surface_.topology = mesh::Topology::kPoints;
    for (std::uint32_t v = 0; v < surface_.positions.size(); ++v) {
      surface_.indices.push_back(v);
    }
  }
  std::vector<Shared<mesh::Primitive>>& primitives = mesh.primitives.edit_items();
  primitives.insert(primitives.begin(), std::move(surface_));
  return mesh;
}

Result<rig::Character> PlyImporter::run() {
  PELT_TRY_TO(PlyHeader header, read_ply_header(text_));
  header_ = std::move(header);
  body_ = TextReader(header_.body);
  binary_ = header_.body;
  for (const PlyElement& element : header_.elements) {
    PELT_TRY(read_element(element));
  }
  if (surface_.positions.empty()) {
    return error("expected vertices, got none");
  }
  say_what_was_odd();
  std::vector<mesh::Mesh> meshes;
  meshes.push_back(make_mesh());
  rig::Character character = unrigged_character(path_, std::move(meshes));
  character.diagnostics = std::move(diagnostics_);
  return character;
}

}  // namespace

Result<rig::Character> import_ply(std::span<const std::uint8_t> bytes, const std::filesystem::path& path,
                                  const Progress& progress) {
  return PlyImporter(bytes, path, progress).run();
}

}  // namespace pelt::formats
