#include "cli/open_benchmark.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/goals.h"
#include "core/file.h"
#include "gltf/import.h"
#include "gltf/plain_parser.h"

namespace pelt::cli {
namespace {

constexpr int kJointCount = 64;

/// The parts of a glTF file of a wavy sheet of side x side vertices over a chain of joints: positions, normals, texture
/// coordinates and weights as floats, joints as bytes, indices of 32 bits; 76 bytes per vertex.
struct Sheet {
  std::string json;  ///< with BUFFER in place of the first buffer's object
  std::string bin;
};

// The arrays of the sheet, as they lie in the file.
struct SheetArrays {
  std::vector<float> positions;
  std::vector<float> normals;
  std::vector<float> texcoords;
  std::vector<std::uint8_t> joints;
  std::vector<float> weights;
  std::vector<std::uint32_t> indices;
};

SheetArrays sheet_arrays(std::uint32_t side) {
  SheetArrays out;
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x) {
      const float u = static_cast<float>(x) / static_cast<float>(side - 1);
      const float v = static_cast<float>(y) / static_cast<float>(side - 1);
      const float slope = 0.3f * std::cos(20 * u);
      const float length = std::sqrt(1 + slope * slope);
      out.positions.insert(out.positions.end(), {u, v, 0.015f * std::sin(20 * u)});
      out.normals.insert(out.normals.end(), {-slope / length, 0.0f, 1 / length});
      out.texcoords.insert(out.texcoords.end(), {u, v});
      const float along = v * (kJointCount - 4);
      const auto first = static_cast<std::uint8_t>(along);
      const float share = along - std::floor(along);
      for (std::uint8_t k = 0; k < 4; ++k) {
        out.joints.push_back(static_cast<std::uint8_t>(first + k));
      }
      out.weights.insert(out.weights.end(), {0.5f * (1 - share), 0.25f, 0.25f, 0.5f * share});
    }
  }
  for (std::uint32_t y = 0; y + 1 < side; ++y) {
    for (std::uint32_t x = 0; x + 1 < side; ++x) {
      const std::uint32_t at = y * side + x;
      out.indices.insert(out.indices.end(), {at, at + 1, at + side, at + side, at + 1, at + side + 1});
    }
  }
  return out;
}

// The chain of joints, the node with the mesh, the skin and the scene.
void add_chain(nlohmann::json& root) {
  for (int j = 0; j < kJointCount; ++j) {
    nlohmann::json node = {{"name", fmt::format("joint {}", j)}, {"translation", {0, 1.0 / kJointCount, 0}}};
    if (j + 1 < kJointCount) {
      node["children"] = {j + 1};
    }
    root["nodes"].push_back(std::move(node));
    root["skins"][0]["joints"].push_back(j);
  }
  root["nodes"].push_back({{"mesh", 0}, {"skin", 0}});
  root["scenes"] = {{{"nodes", {0, kJointCount}}}};
}

Sheet make_sheet(std::uint32_t side) {
  const SheetArrays arrays = sheet_arrays(side);
  Sheet sheet;
  nlohmann::json root;
  root["asset"]["version"] = "2.0";
  const auto add = [&](const auto& values, int component, const char* type, std::size_t width) {
    const std::size_t length = values.size() * sizeof(values[0]);
    root["accessors"].push_back({{"bufferView", root["accessors"].size()},
                                 {"componentType", component},
                                 {"count", values.size() / width},
                                 {"type", type}});
    root["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", sheet.bin.size()}, {"byteLength", length}});
    sheet.bin.append(reinterpret_cast<const char*>(values.data()), length);
  };
  add(arrays.positions, 5126, "VEC3", 3);
  add(arrays.normals, 5126, "VEC3", 3);
  add(arrays.texcoords, 5126, "VEC2", 2);
  add(arrays.joints, 5121, "VEC4", 4);
  add(arrays.weights, 5126, "VEC4", 4);
  add(arrays.indices, 5125, "SCALAR", 1);
  root["accessors"][0]["min"] = {0, 0, -0.015};
  root["accessors"][0]["max"] = {1, 1, 0.015};
  root["meshes"] = {
      {{"primitives",
        {{{"attributes", {{"POSITION", 0}, {"NORMAL", 1}, {"TEXCOORD_0", 2}, {"JOINTS_0", 3}, {"WEIGHTS_0", 4}}},
          {"indices", 5}}}}}};
  add_chain(root);
  root["buffers"] = {"BUFFER"};
  sheet.json = root.dump();
  return sheet;
}

std::string with_buffer(const Sheet& sheet, const std::string& uri) {
  std::string text = sheet.json;
  const std::string buffer = fmt::format("{{\"byteLength\":{}{}}}", sheet.bin.size(), uri);
  constexpr std::string_view kMark = "\"BUFFER\"";
  return text.replace(text.find(kMark), kMark.size(), buffer);
}

std::string glb_of(const Sheet& sheet) {
  std::string json = with_buffer(sheet, "");
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::string out;
  const auto put = [&out](std::size_t word) {
    for (int i = 0; i < 4; ++i) {
      out.push_back(static_cast<char>(word >> (8 * i) & 0xff));
    }
  };
  put(0x46546C67);
  put(2);
  put(28 + json.size() + sheet.bin.size());
  put(json.size());
  put(0x4E4F534A);
  out += json;
  put(sheet.bin.size());
  put(0x004E4942);
  return out + sheet.bin;
}

std::string gltf_of(const Sheet& sheet) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string uri = ",\"uri\":\"data:application/octet-stream;base64,";
  for (std::size_t i = 0; i < sheet.bin.size(); i += 3) {
    std::uint32_t word = 0;
    const std::size_t there = std::min<std::size_t>(3, sheet.bin.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8 | (k < there ? static_cast<std::uint8_t>(sheet.bin[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      uri.push_back(k <= there ? kDigits[word >> (18 - 6 * k) & 63] : '=');
    }
  }
  return with_buffer(sheet, uri + "\"");
}

/// A line of /proc/self/status in bytes, 0 where there is none.
std::size_t process_memory(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) {
      return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) * 1024;
    }
  }
  return 0;
}

/// What `once` adds to the memory of the process at its highest.
std::size_t peak_memory(const std::function<Status()>& once, Status& status) {
  malloc_trim(0);
  {
    std::ofstream reset("/proc/self/clear_refs");  // 5: the highest so far becomes what is held now
    reset << "5" << std::flush;
    if (!reset) {
      return 0;
    }
  }
  const std::size_t before = process_memory("VmRSS:");
  status = once();
  const std::size_t highest = process_memory("VmHWM:");
  return highest > before ? highest - before : 0;
}

struct Opening {
  std::string reader;
  std::function<Status()> run;
  std::vector<double> times = {};
  double milliseconds = 0;
  std::size_t peak = 0;
};

struct OpenedFile {
  std::string name;
  std::size_t bytes = 0;
  std::size_t vertices = 0;
  std::vector<Opening> openings;  ///< plain read, ours, tinygltf
};

/// Removes its folder when done.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make() {
    std::error_code failure;
    std::string path = (std::filesystem::temp_directory_path(failure) / "pelt-open-XXXXXX").string();
    if (failure || mkdtemp(path.data()) == nullptr) {
      return error("cannot make a temporary folder: {}", std::strerror(errno));
    }
    return TemporaryFolder(path);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) {
      std::filesystem::remove_all(path_, ignored);
    }
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

Result<OpenedFile> measure_opening(const std::filesystem::path& folder, std::uint32_t side, bool binary,
                                   double seconds) {
  OpenedFile file;
  file.vertices = std::size_t{side} * side;
  file.name = binary ? "sheet.glb" : "sheet.gltf";
  const std::filesystem::path path = folder / file.name;
  {
    const Sheet sheet = make_sheet(side);
    const std::string content = binary ? glb_of(sheet) : gltf_of(sheet);
    file.bytes = content.size();
    PELT_TRY(write_file_atomically(path, content));
  }
  file.openings = {{"plain read",
                    [path]() -> Status {
                      const Result<std::string> bytes = read_file(path);
                      return bytes ? Status() : Status(bytes.error());
                    }},
                   {"pelt",
                    [path]() -> Status {
                      const auto character = gltf::import_file(path);
                      return character ? Status() : Status(character.error());
                    }},
                   {"tinygltf", [path] { return gltf::parse_with_tinygltf(path); }}};
  for (Opening& opening : file.openings) {
    Status status;
    opening.peak = peak_memory(opening.run, status);
    if (!status) {
      return status.error();
    }
  }
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration<double>(seconds * static_cast<double>(file.openings.size()));
  for (int run = 0; run < 5 || std::chrono::steady_clock::now() < end; ++run) {
    for (Opening& opening : file.openings) {
      const auto start = std::chrono::steady_clock::now();
      PELT_TRY(opening.run());
      opening.times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  }
  for (Opening& opening : file.openings) {
    const auto middle = opening.times.begin() + static_cast<std::ptrdiff_t>(opening.times.size() / 2);
    std::nth_element(opening.times.begin(), middle, opening.times.end());
    opening.milliseconds = *middle * 1e3;
  }
  return file;
}

}  // namespace

Result<std::string> benchmark_opening(double seconds, bool json) {
  PELT_TRY_TO(const TemporaryFolder folder, TemporaryFolder::make());
  std::vector<OpenedFile> files;
  for (const auto& [side, binary] : {std::pair{1000U, true}, std::pair{570U, false}}) {
    PELT_TRY_TO(OpenedFile file, measure_opening(folder.path(), side, binary, seconds));
    files.push_back(std::move(file));
  }
  const auto times = [](const OpenedFile& file, std::size_t a, std::size_t b) {
    return file.openings[a].milliseconds / file.openings[b].milliseconds;
  };
  std::vector<BenchmarkGoal> goals = {
      {"a million vertices, .glb: times as fast as tinygltf alone", 2.0, times(files[0], 2, 1)},
      {"a .gltf with base64: times as fast as tinygltf alone", 8.0, times(files[1], 2, 1)}};
  if (files[0].openings[1].peak > 0) {
    goals.push_back({"a million vertices, .glb: peak memory over file size", 1.3,
                     static_cast<double>(files[0].openings[1].peak) / static_cast<double>(files[0].bytes), true});
  }
  if (json) {
    nlohmann::ordered_json root;
    root["files"] = nlohmann::ordered_json::array();
    for (const OpenedFile& file : files) {
      nlohmann::ordered_json entry = {{"file", file.name}, {"bytes", file.bytes}, {"vertices", file.vertices}};
      for (const Opening& opening : file.openings) {
        entry["rows"].push_back({{"reader", opening.reader},
                                 {"runs", opening.times.size()},
                                 {"milliseconds", opening.milliseconds},
                                 {"times_read", opening.milliseconds / file.openings[0].milliseconds},
                                 {"peak_bytes", opening.peak},
                                 {"times_size", static_cast<double>(opening.peak) / static_cast<double>(file.bytes)}});
      }
      root["files"].push_back(std::move(entry));
    }
    root["goals"] = goal_json(goals);
    return root.dump(2) + "\n";
  }
  std::string text = fmt::format("{:<12} {:>9} {:>9} {:<12} {:>9} {:>7} {:>9} {:>7} {:>5}\n", "file", "vertices",
                                 "size, MB", "reader", "ms", "x read", "peak, MB", "x size", "runs");
  for (const OpenedFile& file : files) {
    for (const Opening& opening : file.openings) {
      text += fmt::format("{:<12} {:>9} {:>9.1f} {:<12} {:>9.1f} {:>7.2f} {:>9.1f} {:>7.2f} {:>5}\n", file.name,
                          file.vertices, static_cast<double>(file.bytes) / 1e6, opening.reader, opening.milliseconds,
                          opening.milliseconds / file.openings[0].milliseconds, static_cast<double>(opening.peak) / 1e6,
                          static_cast<double>(opening.peak) / static_cast<double>(file.bytes), opening.times.size());
    }
  }
  text += goal_table(goals);
  text +=
      "Medians of interleaved runs. Peak: what one opening adds to the process at its highest, before anything is "
      "drawn.\n";
  return text;
}

}  // namespace pelt::cli
