#include "edit/weight_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/index.h"
#include "core/text.h"

namespace pelt::edit {
namespace {

using WeightJson = nlohmann::json;

constexpr std::string_view kTextKind = "weights";
constexpr int kTextVersion = 1;
constexpr double kOffOne = 1e-3;  // sums that are farther off are a mistake and no rounding
constexpr std::size_t kMostOfARow = 65536;

std::string json_text(std::string_view text) {
  return WeightJson(text).dump(-1, ' ', false, WeightJson::error_handler_t::replace);
}

// What a joint is called in the text.
std::vector<std::string> names_in_text(const rig::Skeleton& skeleton) {
  std::map<std::string, int> times;
  for (const std::string& name : skeleton.name) {
    ++times[name];
  }
  std::vector<std::string> out;
  for (std::size_t j = 0; j < skeleton.name.size(); ++j) {
    const std::string& name = skeleton.name[j];
    const bool plain = !name.empty() && name.front() != '#' && times[name] == 1;
    out.push_back(plain ? name : fmt::format("#{}", j));
  }
  return out;
}

// Reads the lines of a text one by one.
class TableReader {
 public:
  // @param number  of the line in the text, from 1
  Status line(const WeightJson& json, std::size_t number) {
    line_ = static_cast<std::uint32_t>(number);
    if (json.is_object()) {
      return table_.parts.empty() && !has_head_ ? head(json) : part(json);
    }
    if (json.is_array()) {
      return row(json);
    }
    return error("expected an object or a row such as [0, {{\"hip\": 1}}]");
  }
  [[nodiscard]] bool has_head() const { return has_head_; }
  WeightTable finish() { return std::move(table_); }

 private:
  Status head(const WeightJson& json) {
    if (json.value("pelt", WeightJson()) != kTextKind) {
      return error("expected {{\"pelt\": \"weights\", \"version\": 1}}");
    }
    const WeightJson version = json.value("version", WeightJson());
    if (version != kTextVersion) {
      return error("expected version {}, got {}", kTextVersion,
                   printable(version.dump(-1, ' ', false, WeightJson::error_handler_t::replace)));
    }
    has_head_ = true;
    return {};
  }

  static std::optional<std::uint32_t> whole(const WeightJson& json) {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > 0x7FFFFFFFU) {
      return std::nullopt;
    }
    return json.get<std::uint32_t>();
  }

  Status part(const WeightJson& json) {
    WeightTable::Part part;
    const auto mesh = whole(json.value("mesh", WeightJson()));
    const auto primitive = whole(json.value("primitive", WeightJson()));
    const auto vertices = whole(json.value("vertices", WeightJson()));
    if (!mesh || !primitive || !vertices) {
      return error("expected whole numbers as \"mesh\", \"primitive\" and \"vertices\"");
    }
    part.mesh = static_cast<int>(*mesh);
    part.primitive = static_cast<int>(*primitive);
    part.vertex_count = *vertices;
    const WeightJson name = json.value("name", WeightJson(""));
    part.name = name.is_string() ? name.get<std::string>() : "";
    table_.parts.push_back(std::move(part));
    return {};
  }

  Status row(const WeightJson& json) {
    if (table_.parts.empty()) {
      return error("expected the line of a mesh before its vertices");
    }
    WeightTable::Part& part = table_.parts.back();
    const auto vertex = json.size() == 2 ? whole(json[0]) : std::nullopt;
    if (!vertex || !json[1].is_object()) {
      return error("expected a row such as [0, {{\"hip\": 1}}]");
    }
    if (*vertex >= part.vertex_count) {
      return error("the part has vertices 0 to {}, got {}", static_cast<std::int64_t>(part.vertex_count) - 1, *vertex);
    }
    if (!part.vertices.empty() && *vertex <= part.vertices.back()) {
      return error("expected a vertex above {}, got {}", part.vertices.back(), *vertex);
    }
    std::vector<std::uint16_t> joints;
    std::vector<float> weights;
    double sum = 0;
    for (const auto& [name, weight] : json[1].items()) {
      if (!weight.is_number() || !(weight.get<double>() > 0) || !(weight.get<double>() <= 1 + kOffOne)) {
        return error("vertex {}: expected a weight above 0 and up to 1 for {}", *vertex, printable(name));
      }
      const auto [at, is_new] = number_.emplace(name, table_.joints.size());
      if (is_new) {
        table_.joints.push_back(name);
      }
      if (at->second >= kMostOfARow) {
        return error("expected at most {} joints", kMostOfARow);
      }
      joints.push_back(static_cast<std::uint16_t>(at->second));
      weights.push_back(static_cast<float>(weight.get<double>()));
      sum += weight.get<double>();
    }
    if (std::abs(sum - 1) > kOffOne) {
      return error("vertex {}: expected weights that sum to 1, got {:g}", *vertex, sum);
    }
    part.vertices.push_back(*vertex);
    part.lines.push_back(line_);
    if (std::abs(sum - 1) <= 1e-6) {  // rounding alone: the floats of the text are those of the row
      part.rows.push_row({joints, weights, 1.0f});
    } else {
      mesh::append_row(part.rows, joints, weights);
    }
    return {};
  }

  WeightTable table_;
  std::map<std::string, std::size_t, std::less<>> number_;
  bool has_head_ = false;
  std::uint32_t line_ = 0;
};

}  // namespace

std::string weights_as_text(const rig::Character& character, const Progress& progress) {
  const std::vector<std::string> names = names_in_text(character.skeleton);
  std::string text = fmt::format("{{\"pelt\": \"{}\", \"version\": {}}}\n", kTextKind, kTextVersion);
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    const int skin = rig::first_skin_of(character, static_cast<int>(m));
    const mesh::Mesh& mesh = character.meshes[m];
    for (std::size_t p = 0; skin >= 0 && p < mesh.primitives.size(); ++p) {
      const mesh::Influences& rows = mesh.primitives[p].influences;
      if (rows.empty()) {
        continue;
      }
      text += fmt::format("{{\"mesh\": {}, \"primitive\": {}, \"name\": {}, \"vertices\": {}}}\n", m, p,
                          json_text(mesh.name), rows.vertex_count());
      for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
        constexpr std::size_t kBetweenReports = 4096;
        if (v % kBetweenReports == 0 &&
            !report(progress, static_cast<float>(v) / static_cast<float>(rows.vertex_count()), mesh.name)) {
          return {};
        }
        const mesh::InfluenceRow row = rows.row(v);
        for (std::size_t k = 0; k < row.joints.size(); ++k) {
          text += fmt::format("{}{}: {}", k == 0 ? fmt::format("[{}, {{", v) : ", ",
                              json_text(names[character.skins[skin].joints[row.joints[k]]]), row.weights[k]);
        }
        text += row.joints.empty() ? "" : "}]\n";
      }
    }
  }
  return text;
}

Result<WeightTable> read_weights_text(std::string_view text) {
  TableReader reader;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
      continue;
    }
    constexpr std::size_t kLongestLine = 1 << 22;
    const WeightJson json = line.size() <= kLongestLine ? WeightJson::parse(line, nullptr, false)
                                                        : WeightJson(WeightJson::value_t::discarded);
    if (json.is_discarded()) {
      return error("line {}: expected JSON, got \"{}\"", number + 1, printable(line.substr(0, 40)));
    }
    if (const Status read = reader.line(json, number + 1); !read) {
      return error("line {}: {}", number + 1, read.error().message);
    }
  }
  if (!reader.has_head()) {
    return error("expected {{\"pelt\": \"weights\", \"version\": 1}} in the first line");
  }
  return reader.finish();
}

Result<std::vector<std::uint16_t>> slots_in(const WeightTable& table, const rig::Character& character, int mesh,
                                            int skin) {
  const std::vector<std::string> names = names_in_text(character.skeleton);
  std::map<std::string_view, std::uint16_t> slot;
  const std::vector<int>& joints = character.skins[skin].joints;
  for (std::size_t k = joints.size(); k-- > 0;) {
    slot[names[joints[k]]] = static_cast<std::uint16_t>(k);
  }
  // A text of several meshes names joints that only some of them follow.
  std::vector<std::uint32_t> line_of(table.joints.size(), 0);  // the first one that names it
  for (const WeightTable::Part& part : table.parts) {
    for (std::size_t r = 0; part.mesh == mesh && r < part.vertices.size(); ++r) {
      for (const std::uint16_t joint : part.rows.joints(r)) {
        line_of[joint] = line_of[joint] == 0 ? part.lines[r] : line_of[joint];
      }
    }
  }
  std::vector<std::uint16_t> out(table.joints.size(), 0);
  for (std::size_t j = 0; j < table.joints.size(); ++j) {
    const auto at = slot.find(table.joints[j]);
    if (at != slot.end()) {
      out[j] = at->second;
    } else if (line_of[j] != 0) {
      return error("line {}: the mesh follows no joint \"{}\"", line_of[j], printable(table.joints[j]));
    }
  }
  return out;
}

}  // namespace pelt::edit
