#include "gltf/import.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <map>
#include <set>
#include <new>
#include <system_error>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/index.h"
#include "core/parallel.h"
#include "gltf/conformance.h"
#include "gltf/image_codec.h"
#include "gltf/kept.h"
#include "gltf/outline.h"
#include "gltf/reader.h"
#include "gltf/source_form.h"
#include "gltf/uri.h"
#include "rig/kinematics.h"

namespace pelt::gltf {
namespace {

using Json = nlohmann::json;

// What a file may make the importer allocate: a fixed sum that any small file may use, and a multiple of its size with
// that of the files beside it, each counted once however often it is named, since primitives may share accessors and
// quantised ones grow fourfold.
constexpr std::size_t kFreeBytes = std::size_t{256} << 20;
constexpr std::size_t kBytesPerByte = 32;

Error cancelled() {
  return error("cancelled");
}

/// A parser's complaint as the tail of one sentence.
std::string tidy_complaint(std::string text) {
  if (const std::size_t end = text.find("] "); text.rfind("[json.", 0) == 0 && end != std::string::npos) {
    text.erase(0, end + 2);
  }
  text.resize(std::min(text.find('\n'), text.size()));
  text.resize(text.find_last_not_of(". ") + 1);  // it becomes part of a sentence
  return printable(text, 200);
}

/// A buffer that only gives compressed views their length.
bool is_meshopt_fallback(const Json& buffer) {
  for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
    const Json::json_pointer fallback = Json::json_pointer("/extensions") / name / "fallback";
    if (buffer.contains(fallback) && buffer.at(fallback) == true) {
      return true;
    }
  }
  return false;
}

class Importer {
 public:
  /// @param file  what `bytes` lie in and may be given back as they are read; null: they stay
  Importer(std::span<const std::uint8_t> bytes, const std::filesystem::path& folder, const ImportOptions& options,
           const Progress& progress, FileBytes* file)
      : bytes_(bytes), folder_(folder), options_(options), file_(file), reader_{options, progress} {}

  Result<rig::Character> run();

 private:
  Status parse();
  Status read_asset();
  Status open_buffers(const Json& buffers);
  Result<std::span<const std::uint8_t>> open_uri(const std::string& uri);
  Status open_images(const Json& images);
  Status decode_images();
  Status check_finite();
  void add_nonconformities();

  std::span<const std::uint8_t> bytes_;
  const std::filesystem::path& folder_;
  const ImportOptions& options_;
  FileBytes* file_;
  Reader reader_;
  Container container_;
  Outline outline_;
  std::map<std::filesystem::path, FileBytes> files_;          ///< bytes that buffers and images point into
  std::map<std::string, std::vector<std::uint8_t>> decoded_;  ///< the same for data URIs
  std::set<std::filesystem::path> noted_;                     ///< that options_.files has
  std::size_t source_bytes_ = 0;                              ///< of the file and of those in files_
  std::vector<std::string> image_problems_;                   ///< of each image why it could not be opened
};

Status Importer::parse() {
  PELT_TRY_TO(Container container, split_container(bytes_));
  container_ = container;
  if (container_.extra_chunks) {
    reader_.note(Severity::kInfo, "glb-chunk", "file", "chunks after JSON and BIN are ignored");
  }
  PELT_TRY_TO(Outline outline, outline_json(container_.json));
  outline_ = std::move(outline);
  if (outline_.ignored_extras > 0) {
    reader_.warn("extras", "file", fmt::format("{} large extras or extensions are ignored", outline_.ignored_extras));
  }
  reader_.character.kept = read_kept(outline_);
  if (outline_.text.size() > std::numeric_limits<unsigned int>::max()) {
    return error("JSON: {} bytes of text are too many", outline_.text.size());
  }
  tinygltf::TinyGLTF parser;
  // The outline left nothing to open; should the parser try all the same, it finds no files and no decoder.
  parser.SetFsCallbacks(
      {[](const std::string&, void*) { return false; }, [](const std::string& path, void*) { return path; },
       [](std::vector<unsigned char>*, std::string* problem, const std::string&, void*) {
         *problem = "files are not opened here";
         return false;
       },
       [](std::string*, const std::string&, const std::vector<unsigned char>&, void*) { return false; }, nullptr});
  parser.SetImageLoader([](tinygltf::Image*, const int, std::string*, std::string*, int, int, const unsigned char*, int,
                           void*) { return true; },
                        nullptr);
  std::string problems;
  std::string warnings;
  const bool parsed =
      parser.LoadASCIIFromString(&reader_.model, &problems, &warnings, outline_.text.data(),
                                 static_cast<unsigned int>(outline_.text.size()), "", tinygltf::REQUIRE_VERSION);
  if (!parsed) {
    if (problems.empty()) {  // the parser's one silent refusal
      return error("skin {}: expected a list of joints, got none", reader_.model.skins.size());
    }
    if (problems.rfind("\"asset\" object not found", 0) == 0) {
      return error("asset: expected version 2.0, got none");
    }
    return error("glTF: {}", tidy_complaint(problems));
  }
  for (const std::size_t a : outline_.accessors_without_view) {
    if (a < reader_.model.accessors.size()) {
      reader_.model.accessors[a].bufferView = -1;
    }
  }
  // The parser wants inverse bind matrices, the specification does not.
  constexpr std::string_view kHarmless = "'inverseBindMatrices' property is missing in Skin.\n";
  for (std::size_t at = problems.find(kHarmless); at != std::string::npos; at = problems.find(kHarmless, at)) {
    problems.erase(at, kHarmless.size());
  }
  if (!problems.empty()) {
    reader_.warn("schema", "file", tidy_complaint(problems));
  }
  return {};
}

Status Importer::read_asset() {
  const tinygltf::Model& model = reader_.model;
  rig::Character& character = reader_.character;
  if (model.asset.version.rfind("2.", 0) != 0) {
    return error("asset: expected version 2.0, got '{}'", printable(model.asset.version, 20));
  }
  if (!model.asset.minVersion.empty() && model.asset.minVersion != "2.0" && !model.asset.minVersion.starts_with("1.")) {
    return error("asset: expected minVersion 2.0 or none, got '{}'", printable(model.asset.minVersion, 20));
  }
  check_layers(reader_);
  character.generator = single_line(model.asset.generator, kNameLimit);
  character.copyright = single_line(model.asset.copyright, kNameLimit);
  for (const std::string& name : model.extensionsUsed) {
    character.extensions_used.push_back(single_line(name, kNameLimit));
    reader_.extensions_used.insert(name);
  }
  constexpr auto kUnderstood = std::to_array<std::string_view>({
      "KHR_mesh_quantization",
      "KHR_materials_unlit",
      "KHR_materials_emissive_strength",
      "KHR_materials_ior",
      "KHR_materials_specular",
      "KHR_materials_clearcoat",
      "KHR_materials_sheen",
      "KHR_materials_transmission",
      "KHR_lights_punctual",
      "KHR_materials_variants",
      "KHR_node_visibility",
      "KHR_animation_pointer",
      "EXT_mesh_gpu_instancing",
      "VRM",
      "VRMC_vrm",
      "VRMC_vrm_animation",
      "VRMC_node_constraint",
      "VRMC_springBone",
      "VRMC_springBone_extended_collider",
      "KHR_draco_mesh_compression",
      "EXT_meshopt_compression",
      "KHR_meshopt_compression",
      "EXT_texture_webp",
      "KHR_texture_transform",
  });
  const auto understood = [&](const std::string& name) {
    return std::find(kUnderstood.begin(), kUnderstood.end(), name) != kUnderstood.end();
  };
  std::string unknown;
  for (const std::string& name : model.extensionsUsed) {
    const auto& required = model.extensionsRequired;
    if (!understood(name) && std::find(required.begin(), required.end(), name) == required.end()) {
      unknown += (unknown.empty() ? "" : ", ") + printable(name, 80);
    }
  }
  if (!unknown.empty()) {
    reader_.note(Severity::kInfo, "extension-unknown", "file",
                 "not known here and not shown: " + printable(unknown, 400));
  }
  for (const std::string& name : model.extensionsRequired) {
    character.extensions_required.push_back(single_line(name, kNameLimit));
    if (!understood(name)) {
      reader_.warn(
          "extension-required", "file",
          fmt::format("the file requires {}, which is not supported; it may look different", printable(name, 80)));
    }
  }
  return {};
}

/// Bytes behind a data URI or a file name; one that is named again is neither read nor held again.
Result<std::span<const std::uint8_t>> Importer::open_uri(const std::string& uri) {
  if (uri.rfind("data:", 0) == 0) {
    std::string_view content = uri;
    if (uri.rfind("data:#", 0) == 0) {
      const std::optional<int> number = parse_integer(std::string_view(uri).substr(6));
      if (!number || !has_index(outline_.data_uris, *number)) {
        return error("expected a base64 data URI, got '{}'", printable(uri, 60));
      }
      content = outline_.data_uris[*number];
    }
    if (const auto known = decoded_.find(uri); known != decoded_.end()) {
      return std::span<const std::uint8_t>(known->second);
    }
    PELT_TRY_TO(auto bytes, decode_data_uri(content));
    return std::span<const std::uint8_t>(decoded_.emplace(uri, std::move(bytes)).first->second);
  }
  PELT_TRY_TO(const auto path, resolve_uri(uri, folder_, options_.allow_outside_uris));
  const std::optional<FileStamp> stamp = options_.files != nullptr ? file_stamp(path) : std::nullopt;
  const auto note_file = [&] {  // each name of a file that has several
    std::filesystem::path spelled = spelled_uri(uri, folder_);
    if (options_.files != nullptr && noted_.insert(spelled).second) {
      options_.files->push_back({std::move(spelled), stamp});
    }
  };
  if (const auto known = files_.find(path); known != files_.end()) {
    note_file();
    return known->second.bytes();
  }
  Result<FileBytes> content = read_file_bytes(path);
  if (!content) {
    return error("cannot read '{}': {}", printable(uri, 80),
                 std::filesystem::exists(path) ? "it is not a readable file" : "no such file");
  }
  const std::span<const std::uint8_t> bytes = content->bytes();
  source_bytes_ += bytes.size();
  reader_.budget.add(kBytesPerByte * bytes.size());
  reader_.kept_budget.add(kBytesPerByte * bytes.size());
  note_file();
  files_.emplace(path, *std::move(content));
  return bytes;
}

Status Importer::open_buffers(const Json& buffers) {
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const Json& entry = buffers[b];
    if (!entry.is_object()) {
      return error("buffer {}: expected an object, got {}", b, entry.type_name());
    }
    BufferData data;
    const auto uri = entry.find("uri");
    bool is_fallback = false;
    if (uri == entry.end()) {
      if (b == 0 && container_.binary) {
        data.bytes = container_.bin;
      } else if (is_meshopt_fallback(entry)) {
        is_fallback = true;
        data.problem = "it stands for decoded data and holds none";
      } else {
        data.problem = "it has no URI";
      }
    } else if (!uri->is_string()) {
      data.problem = fmt::format("its URI is no text but {}", uri->type_name());
    } else if (const auto bytes = open_uri(uri->get_ref<const std::string&>()); bytes) {
      data.bytes = *bytes;
    } else {
      data.problem = bytes.error().message;
    }
    const auto length = entry.find("byteLength");
    if (data.problem.empty() && length != entry.end() && length->is_number_unsigned()) {
      const auto declared = length->get<std::uint64_t>();
      if (declared > data.bytes.size()) {
        reader_.warn("buffer-length", fmt::format("buffer {}", b),
                     fmt::format("expected {} bytes, got {}", declared, data.bytes.size()));
      } else {
        data.bytes = data.bytes.first(declared);
      }
    } else if (data.problem.empty()) {
      reader_.warn("buffer-length", fmt::format("buffer {}", b), "its byteLength is missing");
    }
    if (!data.problem.empty() && !is_fallback) {
      reader_.warn("buffer", fmt::format("buffer {}", b), data.problem);
    }
    reader_.buffers.push_back(std::move(data));
  }
  return {};
}

Status Importer::open_images(const Json& images) {
  Budget encoded;  // images may share bytes, but each keeps a copy
  encoded.add(kFreeBytes + 2 * source_bytes_);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Json& entry = images[i];
    if (!entry.is_object()) {
      return error("image {}: expected an object, got {}", i, entry.type_name());
    }
    rig::Image image;
    const auto text = [&](const char* member) {
      const auto found = entry.find(member);
      return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const std::string uri = text("uri");
    image.name = single_line(text("name"), kNameLimit);
    if (image.name.empty() && uri.rfind("data:", 0) != 0) {
      image.name = single_line(uri, kNameLimit);
    }
    Result<std::span<const std::uint8_t>> bytes = error("it has neither a URI nor a buffer view");
    if (const auto view = entry.find("bufferView"); view != entry.end() && view->is_number_unsigned()) {
      const auto number = view->get<std::uint64_t>();
      bytes = reader_.view_bytes(static_cast<int>(std::min<std::uint64_t>(number, std::numeric_limits<int>::max())));
    } else if (!uri.empty()) {
      const std::size_t before = source_bytes_;
      bytes = open_uri(uri);
      encoded.add(2 * (source_bytes_ - before));
    }
    image_problems_.push_back(bytes ? "" : bytes.error().message);
    if (const Status status = bytes ? encoded.take(bytes->size(), 1) : Status(bytes.error()); !status) {
      reader_.warn("image", fmt::format("image {}", i), status.error().message + "; shown without it");
    } else {
      image.encoded.assign(bytes->begin(), bytes->end());
      image.mime_type = sniff_mime_type(image.encoded);
      if (image.mime_type.empty()) {
        image.mime_type = single_line(text("mimeType"), 40);
      }
    }
    reader_.character.images.push_back(std::move(image));
  }
  return {};
}

Status Importer::decode_images() {
  std::vector<Shared<rig::Image>>& images = reader_.character.images.edit_items();
  std::vector<std::string> problems(images.size());
  std::vector<ImageSize> sizes(images.size());
  PictureBudget budget(source_bytes_);
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (images[i]->encoded.empty() || images[i]->mime_type == "image/ktx2") {  // the textures that show it say so
      continue;
    }
    const Result<ImageSize> size = image_size(images[i]->encoded, options_.max_image_size);
    if (const Status fits = size ? budget.take(images[i]->encoded, *size) : Status(size.error()); fits) {
      sizes[i] = *size;
    } else {
      problems[i] = fits.error().message;
    }
  }
  std::atomic<std::size_t> done{0};
  std::atomic<bool> stop{false};
  const auto decode = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (sizes[i].width == 0 || stop.load()) {
        continue;
      }
      if (!report(reader_.progress,
                  0.8f + 0.2f * static_cast<float>(done.fetch_add(1)) / static_cast<float>(images.size()),
                  "Decoding images")) {
        stop.store(true);
        continue;
      }
      try {
        Result<std::vector<std::uint8_t>> pixels = decode_image(images[i]->encoded, sizes[i]);
        if (pixels) {
          rig::Image& image = images[i].edit();
          image.width = sizes[i].width;
          image.height = sizes[i].height;
          image.pixels = *std::move(pixels);
        } else {
          problems[i] = pixels.error().message;
        }
      } catch (const std::bad_alloc&) {
        problems[i] = "there is not enough memory for its pixels";
      }
    }
  };
  for (std::size_t first = 0; first < images.size();) {
    std::size_t last = first;
    for (std::size_t bytes = 0; last < images.size(); ++last) {
      bytes += sizes[last].width == 0 ? 0 : decoding_bytes(images[last]->encoded, sizes[last]);
      if (last > first && bytes > kDecodedTogether) {
        break;
      }
    }
    parallel_for(last - first, 1, [&](std::size_t begin, std::size_t end) { decode(first + begin, first + end); });
    first = last;
  }
  if (stop.load()) {
    return cancelled();
  }
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (!problems[i].empty()) {
      reader_.warn("image", fmt::format("image {}", i), problems[i] + "; shown without it");
    }
  }
  return {};
}

/// Sound numbers can still multiply to infinity down a chain of nodes.
Status Importer::check_finite() {
  const rig::Character& character = reader_.character;
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, rig::rest_pose(character));
  const auto sound = [](const glm::mat4& matrix) {
    return reasonable(matrix[0]) && reasonable(matrix[1]) && reasonable(matrix[2]) && reasonable(matrix[3]);
  };
  for (int j = 0; j < character.skeleton->size(); ++j) {
    if (!sound(world[j])) {
      return error("{}: its world matrix is not finite or beyond {}",
                   reader_.node_place(character.skeleton->source_node[j]), kLargest);
    }
  }
  std::vector<glm::mat4> matrices;
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    matrices.resize(character.skins[s].joints.size());
    rig::skin_matrices(character.skins[s], world.world(), matrices);
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      if (reader_.joint_is_used[s][k] != 0 && !sound(matrices[k])) {
        return error("skin {}: the skin matrix of joint {} is not finite or beyond {}", s, k, kLargest);
      }
    }
  }
  return {};
}

void Importer::add_nonconformities() {
  ConformanceInput input{.bytes = bytes_,
                         .json = container_.json,
                         .is_binary = container_.binary,
                         .has_bin = !container_.bin.empty(),
                         .buffers = {},
                         .buffer_problems = {},
                         .image_problems = image_problems_,
                         .images = {}};
  for (const BufferData& buffer : reader_.buffers) {
    input.buffers.push_back(buffer.bytes);
    input.buffer_problems.push_back(buffer.problem);
  }
  for (const rig::Image& image : reader_.character.images) {
    input.images.emplace_back(image.encoded);
  }
  // What was noted on reading keeps its words and weighs more.
  Diagnostics& known = reader_.character.diagnostics;
  for (Diagnostic& found : check_conformance(input)) {
    const auto same = std::ranges::find_if(
        known, [&](const Diagnostic& one) { return one.code == found.code && one.place == found.place; });
    if (same != known.end() && same->severity != Severity::kError) {
      same->severity = Severity::kError;
    } else {
      known.push_back(std::move(found));
    }
  }
}

Result<rig::Character> Importer::run() {
  const auto go_on = [&](float fraction, std::string_view what) {
    return report(reader_.progress, fraction, what) ? Status() : Status(cancelled());
  };
  Status status = go_on(0.05f, "Parsing");
  if (status) {
    status = parse();
  }
  if (status) {
    status = read_asset();
  }
  if (status) {
    status = go_on(0.1f, "Opening buffers");
  }
  if (!status) {
    return status.error();
  }
  const auto section = [](const std::string& text) { return text.empty() ? Json::array() : Json::parse(text); };
  const Json buffers = section(outline_.buffers);
  const Json images = section(outline_.images);
  source_bytes_ = bytes_.size();
  reader_.budget.add(kFreeBytes + kBytesPerByte * source_bytes_);
  reader_.kept_budget.add(kFreeBytes + kBytesPerByte * source_bytes_);
  status = open_buffers(buffers);
  if (!status) {
    return status.error();
  }
  decode_meshopt_views(reader_);
  expand_instances(reader_);
  // Bytes that are looked at once more stay.
  if (file_ != nullptr && !options_.check_conformance && container_.binary && !buffers.empty() &&
      !buffers[0].contains("uri")) {
    std::vector<int> image_views;
    for (const Json& image : images) {
      const auto view = image.is_object() ? image.find("bufferView") : image.end();
      if (image.is_object() && view != image.end() && view->is_number_unsigned()) {
        image_views.push_back(static_cast<int>(std::min<std::uint64_t>(view->get<std::uint64_t>(), INT_MAX)));
      }
    }
    reader_.file = file_;
    count_reads(reader_, image_views);
  }
  for (const auto step : {&read_nodes, &read_meshes, &read_skins}) {
    status = step(reader_);
    if (!status) {
      return status.error();
    }
  }
  read_scenes(reader_);
  read_lights(reader_);
  read_instances(reader_);
  read_visibility(reader_);
  read_vrm(reader_);
  read_springs(reader_);
  read_variants(reader_);
  status = go_on(0.7f, "Reading clips");
  if (!status) {
    return status.error();
  }
  read_clips(reader_);
  read_source_form(reader_);
  status = open_images(images);
  if (!status) {
    return status.error();
  }
  read_materials(reader_);
  rig::finish(reader_.character);
  status = check_finite();
  if (status && options_.check_conformance) {
    add_nonconformities();
  }
  if (status && options_.decode_images) {
    status = decode_images();
  }
  if (status) {
    status = go_on(1, "Done");
  }
  if (!status) {
    return status.error();
  }
  return std::move(reader_.character);
}

}  // namespace

namespace {

Result<rig::Character> import_bytes(std::span<const std::uint8_t> bytes, const std::filesystem::path& folder,
                                    const ImportOptions& options, const Progress& progress, FileBytes* file) {
  // The parsers throw; nothing of that leaves this module.
  try {
    return Importer(bytes, folder, options, progress, file).run();
  } catch (const std::bad_alloc&) {
    return error("there is not enough memory to read it");
  } catch (const std::exception& exception) {
    return error("JSON: {}", tidy_complaint(exception.what()));
  }
}

}  // namespace

Result<rig::Character> import_memory(std::span<const std::uint8_t> bytes, const std::filesystem::path& base_folder,
                                     const ImportOptions& options, const Progress& progress) {
  return import_bytes(bytes, base_folder, options, progress, nullptr);
}

Result<rig::Character> import_file(const std::filesystem::path& path, const ImportOptions& options,
                                   const Progress& progress) {
  if (!report(progress, 0, "Reading the file")) {
    return cancelled();
  }
  PELT_TRY_TO(FileBytes file, read_file_bytes(path));
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  Result<rig::Character> character = import_bytes(file.bytes(), folder, options, progress, &file);
  if (!character) {
    return character.error().in(printable(path.filename().string(), 80));
  }
  character->name = single_line(path.stem().string(), kNameLimit);
  character->source = path;
  return character;
}

}  // namespace pelt::gltf
