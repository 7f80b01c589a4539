#include "cli/lint_benchmark.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "core/index.h"
#include "edit/weight_repairs.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "measure/planted_faults.h"
#include "rig/bound_bones.h"
#include "rig/lint.h"
#include "rig/lint_fix.h"

namespace pelt::cli {
namespace {

using LintBenchJson = nlohmann::ordered_json;
using Vertices = std::vector<std::uint32_t>;

/// One fault in one character.
struct LintRow {
  std::string file;
  std::string code;
  std::size_t strength = 0;  ///< from 0
  std::size_t planted = 0;   ///< vertices
  std::size_t named = 0;     ///< those that lint names
  std::size_t beside = 0;    ///< named by the same rules, but neither planted nor named of the sound character
  std::size_t left = 0;      ///< planted ones that lint names after the mend
  bool is_mendable = false;  ///< something mends findings of this code
};

/// The vertices of a character as it is that lint names.
struct SoundRow {
  std::string file;
  std::size_t vertices = 0;
  std::size_t named = 0;  ///< any of the rules that faults are planted for counts
};

/// A fault that only a file can hold, written over the weights of its first set of influences.
struct RawKind {
  std::string_view code;
  mesh::WeightFormat format;
  std::array<std::size_t, measure::kFaultStrengths> count;  ///< vertices
  void (*change)(std::span<double> weights, std::size_t strength);
};

constexpr std::array<RawKind, 4> kRawKinds = {{
    {"weight-sum",
     mesh::WeightFormat::kFloat,
     {5, 40, 200},
     [](std::span<double> weights, std::size_t strength) {
       constexpr std::array<double, measure::kFaultStrengths> kFactor = {0.98, 0.8, 1.5};
       for (double& weight : weights) {
         weight *= kFactor[strength];
       }
     }},
    {"weight-integer-sum",
     mesh::WeightFormat::kUnorm8,
     {5, 40, 200},
     [](std::span<double> weights, std::size_t strength) { weights.front() -= strength == 2 ? 2 : 1; }},
    {"weight-negative",
     mesh::WeightFormat::kFloat,
     {1, 10, 60},
     [](std::span<double> weights, std::size_t strength) {
       constexpr std::array<double, measure::kFaultStrengths> kBelow = {0.02, 0.2, 0.6};
       weights[1] = -kBelow[strength];
       weights[0] = 1 + kBelow[strength];
     }},
    {"weight-zero",
     mesh::WeightFormat::kFloat,
     {1, 10, 100},
     [](std::span<double> weights, std::size_t) { std::ranges::fill(weights, 0.0); }},
}};

/// The weights in the bytes of a .glb.
class RawWeights {
 public:
  explicit RawWeights(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + 12, 4);
    json_ = LintBenchJson::parse(bytes.begin() + 20, bytes.begin() + 20 + length);
    begin_ = 20 + length + 8;
  }

  // Changes the first set of a vertex. @param change  of its four numbers as they are stored
  template <typename Change>
  void change(std::size_t mesh, std::size_t primitive, std::size_t vertex, Change change) {
    const LintBenchJson& attributes = json_["meshes"][mesh]["primitives"][primitive]["attributes"];
    const LintBenchJson& accessor = json_["accessors"][attributes["WEIGHTS_0"].get<std::size_t>()];
    const LintBenchJson& view = json_["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    constexpr int kFloat = 5126;
    const bool is_float = accessor["componentType"].get<int>() == kFloat;
    const std::size_t stride = view.value("byteStride", is_float ? std::size_t{16} : std::size_t{4});
    std::uint8_t* const at = bytes_.data() + begin_ + view.value("byteOffset", std::size_t{0}) +
                             accessor.value("byteOffset", std::size_t{0}) + vertex * stride;
    std::array<double, 4> weights{};
    for (std::size_t i = 0; i < 4; ++i) {
      float stored = 0;
      std::memcpy(&stored, at + 4 * i, is_float ? 4 : 0);
      weights[i] = is_float ? static_cast<double>(stored) : at[i];
    }
    change(std::span<double>(weights));
    for (std::size_t i = 0; i < 4; ++i) {
      const auto stored = static_cast<float>(weights[i]);
      if (is_float) {
        std::memcpy(at + 4 * i, &stored, 4);
      } else {
        at[i] = static_cast<std::uint8_t>(weights[i]);
      }
    }
  }

 private:
  std::vector<std::uint8_t>& bytes_;
  LintBenchJson json_;
  std::size_t begin_ = 0;
};

/// The character as it comes back from a file. @param raw  vertices of a mesh whose weights are written over
Result<std::shared_ptr<const rig::Character>> through_file(const rig::Character& character,
                                                           const RawKind* raw = nullptr, std::size_t strength = 0,
                                                           int mesh = -1,
                                                           std::span<const std::uint32_t> vertices = {}) {
  gltf::ExportOptions options;
  options.weights = raw != nullptr ? raw->format : options.weights;
  PELT_TRY_TO(gltf::Exported written, gltf::export_character(character, options));
  std::vector<std::uint8_t>& bytes = written.files.front().bytes;
  if (!vertices.empty()) {
    RawWeights weights(bytes);
    const std::vector<std::uint32_t> first = mesh::first_vertices(character.meshes[static_cast<std::size_t>(mesh)]);
    for (const std::uint32_t v : vertices) {
      const auto p = static_cast<std::size_t>(std::ranges::upper_bound(first, v) - first.begin() - 1);
      weights.change(static_cast<std::size_t>(mesh), p, v - first[p],
                     [&](std::span<double> four) { raw->change(four, strength); });
    }
  }
  gltf::ImportOptions import;
  import.decode_images = false;
  PELT_TRY_TO(rig::Character back, gltf::import_memory(bytes, {}, import));
  return std::make_shared<const rig::Character>(std::move(back));
}

/// The vertices of a mesh that a finding is about. A wrong matrix names the joint: those that follow it.
Vertices vertices_of(const rig::Character& character, const rig::Finding& finding, int mesh_index) {
  const mesh::Mesh& mesh = character.meshes[static_cast<std::size_t>(mesh_index)];
  const std::vector<std::uint32_t> first = mesh::first_vertices(mesh);
  Vertices out;
  if (finding.code == "inverse-bind-mismatch") {
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      const mesh::Influences& rows = mesh.primitives[p].influences;
      for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
        if (std::ranges::find(rows.joints(v), finding.place.joint) != rows.joints(v).end()) {
          out.push_back(first[p] + static_cast<std::uint32_t>(v));
        }
      }
    }
    return out;
  }
  if (finding.place.mesh != mesh_index) {
    return {};
  }
  if (const std::optional<edit::UseWeightTool> repair = edit::repair_of(character, finding)) {
    return repair->vertices;
  }
  if (!finding.mesh_vertices.empty() || !has_index(mesh.primitives, finding.place.primitive)) {
    return finding.mesh_vertices;
  }
  for (const std::uint32_t v : finding.place.vertices) {
    out.push_back(first[static_cast<std::size_t>(finding.place.primitive)] + v);
  }
  return out;
}

/// The rules that may tell of a fault: what is far away is not told again where it is an island or on the wrong side.
std::vector<std::string> rules_for(std::string_view code) {
  return code == "far-joint-weight" ? std::vector<std::string>{"wrong-side-weight", "rogue-weight", "far-joint-weight"}
                                    : std::vector<std::string>{std::string(code)};
}

/// All that findings of a fault name, ascending.
Vertices named_by(const rig::Character& character, const rig::Findings& findings, std::string_view code, int mesh) {
  Vertices out;
  const std::vector<std::string> rules = rules_for(code);
  for (const rig::Finding& finding : findings) {
    if (std::ranges::find(rules, finding.code) != rules.end()) {
      const Vertices more = vertices_of(character, finding, mesh);
      out.insert(out.end(), more.begin(), more.end());
    }
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Vertices common(const Vertices& a, const Vertices& b) {
  Vertices out;
  std::ranges::set_intersection(a, b, std::back_inserter(out));
  return out;
}

/// A character with findings of one fault mended; null where nothing mends them.
Result<std::shared_ptr<const rig::Character>> mended(const std::shared_ptr<const rig::Character>& character,
                                                     const std::string& code) {
  const std::vector<std::string> codes = rules_for(code);
  const std::vector<std::string_view> repairable = edit::repairable_codes();
  if (std::ranges::find(repairable, code) != repairable.end()) {
    PELT_TRY_TO(auto repaired, edit::with_repaired_weights(character, codes));
    return std::move(repaired.first);
  }
  const rig::LintRule* const rule = rig::find_lint_rule(code);
  return rule != nullptr && rule->fixable ? std::make_shared<const rig::Character>(rig::fixed(*character, codes))
                                          : std::shared_ptr<const rig::Character>();
}

/// Lints a character with a fault. @param before  vertices that the rules name in the sound one
Result<LintRow> row_of(const std::shared_ptr<const rig::Character>& broken, std::string_view code, int mesh,
                       const Vertices& planted, const Vertices& before) {
  LintRow row;
  row.code = code;
  row.planted = planted.size();
  PELT_TRY_TO(const rig::Findings findings, rig::lint(*broken));
  const Vertices named = named_by(*broken, findings, code, mesh);
  row.named = common(named, planted).size();
  row.beside = named.size() - row.named;
  Vertices old;
  std::ranges::set_difference(common(named, before), planted, std::back_inserter(old));
  row.beside -= old.size();
  PELT_TRY_TO(const std::shared_ptr<const rig::Character> after, mended(broken, row.code));
  row.is_mendable = after != nullptr;
  if (after != nullptr) {
    PELT_TRY_TO(const rig::Findings still, rig::lint(*after));
    row.left = common(named_by(*after, still, code, mesh), planted).size();
  }
  return row;
}

/// Vertices of a mesh, evenly spread.
Vertices spread_vertices(const rig::Character& character, int mesh, std::size_t count) {
  const std::uint32_t most = mesh::first_vertices(character.meshes[static_cast<std::size_t>(mesh)]).back();
  Vertices out;
  count = std::min<std::size_t>(count, most);
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(static_cast<std::uint32_t>((2 * i + 1) * most / (2 * count)));
  }
  return out;
}

/// The rows of one character, and what is named of it as it is.
struct CharacterRows {
  SoundRow sound;
  std::vector<LintRow> rows;
};

Result<CharacterRows> rows_of(const BenchmarkedCharacter& one, const Progress& progress) {
  CharacterRows out;
  PELT_TRY_TO(const std::shared_ptr<const rig::Character> sound, through_file(*one.character));
  PELT_TRY_TO(const rig::Findings said, rig::lint(*sound));
  const auto add = [&](Result<LintRow> row, std::size_t strength) -> Status {
    PELT_TRY(row);
    row->file = one.name;
    row->strength = strength;
    out.rows.push_back(*std::move(row));
    return {};
  };
  const std::optional<rig::SkinnedMesh> skin = measure::largest_skin(*sound);
  if (!skin) {
    return error("expected a skin, got none");
  }
  const int mesh = skin->mesh;
  Vertices named;
  for (const measure::FaultKind& kind : measure::fault_kinds()) {
    const Vertices before = named_by(*sound, said, kind.code, mesh);
    named.insert(named.end(), before.begin(), before.end());
    for (std::size_t strength = 0; strength < measure::kFaultStrengths; ++strength) {
      report(progress, 0.1f, fmt::format("{}: {}", one.name, kind.code));
      if (const std::optional<measure::PlantedFault> fault = kind.plant(*sound, strength)) {
        PELT_TRY_TO(const std::shared_ptr<const rig::Character> broken, through_file(fault->character));
        PELT_TRY(add(row_of(broken, kind.code, mesh, fault->vertices, before), strength));
      }
    }
  }
  for (const RawKind& kind : kRawKinds) {
    const Vertices before = named_by(*sound, said, kind.code, mesh);
    named.insert(named.end(), before.begin(), before.end());
    for (std::size_t strength = 0; strength < measure::kFaultStrengths; ++strength) {
      report(progress, 0.9f, fmt::format("{}: {}", one.name, kind.code));
      const Vertices planted = spread_vertices(*sound, mesh, kind.count[strength]);
      PELT_TRY_TO(const std::shared_ptr<const rig::Character> broken,
                  through_file(*sound, &kind, strength, mesh, planted));
      PELT_TRY(add(row_of(broken, kind.code, mesh, planted, before), strength));
    }
  }
  std::ranges::sort(named);
  named.erase(std::unique(named.begin(), named.end()), named.end());
  out.sound = {one.name, mesh::first_vertices(sound->meshes[static_cast<std::size_t>(mesh)]).back(), named.size()};
  return out;
}

double percent_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string lint_table(std::span<const CharacterRows> all) {
  std::string out = fmt::format("{:<22}  {:<24}  {:>8}  {:>7}  {:>7}  {:>7}  {:>10}\n", "fault", "file", "strength",
                                "planted", "named", "beside", "left");
  for (const CharacterRows& one : all) {
    for (const LintRow& row : one.rows) {
      out += fmt::format("{:<22}  {:<24}  {:>8}  {:>7}  {:>5.1f} %  {:>7}  {:>10}\n", row.code, row.file,
                         row.strength + 1, row.planted, percent_of(row.named, row.planted), row.beside,
                         row.is_mendable ? fmt::format("{}", row.left) : "no mend");
    }
  }
  for (const CharacterRows& one : all) {
    out += fmt::format("{:<22}  {:<24}  {} of {} vertices named, {:.2f} %\n", "as it is", one.sound.file,
                       one.sound.named, one.sound.vertices, percent_of(one.sound.named, one.sound.vertices));
  }
  return out;
}

std::string lint_json(std::span<const CharacterRows> all) {
  LintBenchJson faults = LintBenchJson::array();
  LintBenchJson sound = LintBenchJson::array();
  for (const CharacterRows& one : all) {
    for (const LintRow& row : one.rows) {
      LintBenchJson json = {{"file", row.file},       {"fault", row.code},  {"strength", row.strength + 1},
                            {"planted", row.planted}, {"named", row.named}, {"beside", row.beside}};
      json["left"] = row.is_mendable ? LintBenchJson(row.left) : LintBenchJson();
      faults.push_back(std::move(json));
    }
    sound.push_back({{"file", one.sound.file}, {"vertices", one.sound.vertices}, {"named", one.sound.named}});
  }
  return LintBenchJson{{"lint", std::move(faults)}, {"sound", std::move(sound)}}.dump(2) + "\n";
}

}  // namespace

Result<std::string> benchmark_lint(std::span<const BenchmarkedCharacter> characters, bool json) {
  ProgressLine line;
  std::vector<CharacterRows> all;
  for (const BenchmarkedCharacter& one : characters) {
    const Progress progress = [&](float fraction, std::string_view what) {
      line.show((static_cast<float>(all.size()) + fraction) / static_cast<float>(characters.size()), what);
      return true;
    };
    Result<CharacterRows> rows = rows_of(one, progress);
    if (!rows) {
      return rows.error().in(one.name);
    }
    all.push_back(*std::move(rows));
  }
  line.clear();
  return json ? lint_json(all) : lint_table(all);
}

}  // namespace pelt::cli
