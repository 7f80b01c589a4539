#include "formats/open.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/file.h"
#include "core/text.h"
#include "formats/bvh.h"
#include "formats/obj.h"
#include "formats/ply.h"
#include "formats/text_reader.h"
#include "gltf/bundled.h"

namespace pelt::formats {
namespace {

constexpr std::size_t kTellingBytes = 256;

std::string lowered_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;  // what some editors put before UTF-8
}

// A statement that OBJ files begin with, after comments.
bool begins_like_obj(std::string_view text) {
  TextReader reader(text);
  do {
    const std::string_view word = reader.word_in_line();
    if (!word.empty() && word.front() != '#') {
      constexpr std::array<std::string_view, 7> kStatements = {"v", "vt", "vn", "o", "g", "mtllib", "usemtl"};
      return std::ranges::find(kStatements, word) != kStatements.end();
    }
  } while (reader.next_line());
  return false;
}

// Files of other programs, and how they become what is read here.
struct ForeignFormat {
  std::string_view extension;
  std::string_view beginning;  ///< of the content; empty: the extension alone tells
  const char* name;
  const char* remedy;
};
constexpr const char* kByBlender = "open it in Blender and export it with File, Export, glTF 2.0";
constexpr std::array<ForeignFormat, 8> kForeign = {{
    {".fbx", "Kaydara FBX Binary", "an FBX file", "import it into Blender and export it with File, Export, glTF 2.0"},
    {".blend", "BLENDER", "a Blender file", kByBlender},
    {".dae", "", "a COLLADA file", "import it into Blender and export it with File, Export, glTF 2.0"},
    {".usd", "PXR-USDC", "a USD file", "import it into Blender and export it with File, Export, glTF 2.0"},
    {".usdz", "", "a USD file", "import it into Blender and export it with File, Export, glTF 2.0"},
    {".ma", "", "a Maya file", "export it from Maya as FBX or USD, and from Blender as glTF 2.0"},
    {".mb", "", "a Maya file", "export it from Maya as FBX or USD, and from Blender as glTF 2.0"},
    {".max", "", "a 3ds Max file", "export it from 3ds Max with File, Export, glTF"},
}};

// Why a file of another program is not read; nothing where it may be one of ours.
Status check_not_foreign(std::string_view content, const std::filesystem::path& path) {
  const std::string extension = lowered_extension(path);
  for (const ForeignFormat& foreign : kForeign) {
    if ((!foreign.beginning.empty() && content.starts_with(foreign.beginning)) || extension == foreign.extension) {
      return error("{}: {} is not read here; {}", printable(path.filename().string(), 200), foreign.name,
                   foreign.remedy);
    }
  }
  return {};
}

Result<rig::Character> import_bytes(Format format, std::span<const std::uint8_t> bytes,
                                    const std::filesystem::path& path, const gltf::ImportOptions& options,
                                    const Progress& progress) {
  switch (format) {
    case Format::kObj:
      return import_obj(as_text(bytes), path, options, progress);
    case Format::kPly:
      return import_ply(bytes, path, progress);
    case Format::kBvh:
      return import_bvh(as_text(bytes), path, {}, progress);
    case Format::kGltf:
      break;
  }
  return gltf::import_memory(bytes, path.parent_path(), options, progress);
}

}  // namespace

Format format_of(std::span<const std::uint8_t> bytes, const std::filesystem::path& path) {
  const std::string_view text = as_text(bytes);
  if (text.starts_with("glTF")) {
    return Format::kGltf;
  }
  if (text.starts_with("ply\n") || text.starts_with("ply\r")) {
    return Format::kPly;
  }
  const std::string_view first = TextReader(text.substr(0, kTellingBytes)).word();
  if (first == "HIERARCHY") {
    return Format::kBvh;
  }
  if (first.starts_with('{')) {
    return Format::kGltf;
  }
  const std::string extension = lowered_extension(path);
  if (extension == ".obj") {
    return Format::kObj;
  }
  if (extension == ".ply") {
    return Format::kPly;
  }
  if (extension == ".bvh") {
    return Format::kBvh;
  }
  return extension.empty() && begins_like_obj(text) ? Format::kObj : Format::kGltf;
}

Result<rig::Character> open_character(const std::string& name, const gltf::ImportOptions& options,
                                      const Progress& progress) {
  if (name.starts_with('@')) {
    return gltf::open_character(name, options, progress);
  }
  const std::filesystem::path path(name);
  const std::string extension = lowered_extension(path);
  if (extension == ".glb" || extension == ".gltf") {
    return gltf::import_file(path, options, progress);
  }
  if (!report(progress, 0.0f, "reading")) {
    return error("cancelled");
  }
  PELT_TRY_TO(const std::string text, read_file(path));
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  PELT_TRY(check_not_foreign(text, path));
  const Format format = format_of(bytes, path);
  if (format == Format::kGltf) {
    return gltf::import_file(path, options, progress);
  }
  Result<rig::Character> character = import_bytes(format, bytes, path, options, progress);
  return character ? std::move(character) : character.error().in(printable(name, 200));
}

Result<rig::Character> import_memory(std::span<const std::uint8_t> bytes, const gltf::ImportOptions& options,
                                     const Progress& progress) {
  return import_bytes(format_of(bytes, {}), bytes, {}, options, progress);
}

}  // namespace pelt::formats
