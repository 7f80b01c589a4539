#include "gltf/export_files.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "core/file.h"
#include "core/text.h"
#include "gltf/export.h"

namespace pelt::gltf {
namespace {

constexpr std::size_t kLongestStem =
    120;  // bytes; with a label of 60 a name stays below the 255 that file systems take
constexpr std::size_t kHashDigits = 16;
constexpr std::uintmax_t kMostSearched = std::uintmax_t{256} << 20;  // bytes of one document
constexpr std::array<std::string_view, 6> kContentEndings = {".bin", ".png", ".jpg", ".jpeg", ".webp", ".ktx2"};
constexpr std::array<std::string_view, 3> kOtherPictures = {".hdr", ".exr", ".tga"};

// Fowler, Noll, Vo: FNV-1a, 64 bits.
std::uint64_t fnv1a(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::uint8_t byte : bytes) {
    hash = (hash ^ byte) * 0x100000001b3ULL;
  }
  return hash;
}

// Not in the middle of a UTF-8 character.
std::string_view cut_stem(std::string_view stem) {
  std::size_t end = std::min(stem.size(), kLongestStem);
  while (end > 0 && end < stem.size() && (static_cast<unsigned char>(stem[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return stem.substr(0, end);
}

// The digits of a name as content_name() makes it for this stem.
std::optional<std::string> digits_of(const std::filesystem::path& name, std::string_view stem) {
  const std::string text = name.stem().string();
  if (std::ranges::find(kContentEndings, name.extension().string()) == kContentEndings.end() ||
      text.size() < stem.size() + 1 + kHashDigits || !text.starts_with(stem)) {
    return std::nullopt;
  }
  const std::string digits = text.substr(text.size() - kHashDigits);
  const std::string label = text.substr(stem.size(), text.size() - stem.size() - kHashDigits);
  const bool fits = label == "-" || (label.starts_with('_') && label.ends_with('-'));
  const bool hex = digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  return fits && hex ? std::optional(digits) : std::nullopt;
}

struct ContentFile {
  std::string name;
  std::string digits;
  bool used = false;
};

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The part of a file that may name others: of a .glb its JSON. Nothing where that cannot be looked through.
std::optional<std::string> searchable_text(const std::filesystem::path& path) {
  constexpr std::size_t kGlbHeader = 20;
  std::ifstream file(path, std::ios::binary);
  std::string text(kGlbHeader, '\0');
  file.read(text.data(), kGlbHeader);
  text.resize(file.gcount());
  std::uintmax_t size = kMostSearched + 1;
  const bool binary = text.starts_with("glTF") && text.size() == kGlbHeader;
  if (binary) {
    const auto byte = [&](std::size_t at) { return std::uintmax_t{static_cast<unsigned char>(text[at])}; };
    size = byte(12) | byte(13) << 8U | byte(14) << 16U | byte(15) << 24U;
    text.clear();
  } else {
    file.clear();
    file.seekg(0);
    std::error_code failure;
    size = std::filesystem::file_size(path, failure);
    size = failure ? kMostSearched + 1 : size;
  }
  if (!file || size > kMostSearched) {
    return std::nullopt;
  }
  text.resize(size);
  file.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(file.gcount());
  const bool readable = !file.bad() && (binary || text.find('\0') == std::string::npos);
  return readable ? std::optional(std::move(text)) : std::nullopt;
}

bool cannot_name_others(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  return std::ranges::find(kContentEndings, ending) != kContentEndings.end() ||
         std::ranges::find(kOtherPictures, ending) != kOtherPictures.end() || path.filename().string().starts_with('.');
}

}  // namespace

std::string content_name(std::string_view stem, std::string_view label, std::span<const std::uint8_t> bytes,
                         std::string_view ending) {
  return fmt::format("{}{}{}-{:016x}.{}", cut_stem(stem), label.empty() ? "" : "_", label, fnv1a(bytes), ending);
}

std::vector<std::string> unused_content_names(const std::filesystem::path& folder, std::string_view stem,
                                              std::span<const std::filesystem::path> keep) {
  std::vector<ContentFile> found;
  std::vector<std::filesystem::path> documents;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::filesystem::path& path = entry->path();
    std::error_code ignored;
    if (std::filesystem::symlink_status(path, ignored).type() != std::filesystem::file_type::regular) {
      continue;
    }
    if (const std::optional<std::string> digits = digits_of(path.filename(), cut_stem(stem))) {
      const bool kept = std::ranges::any_of(
          keep, [&](const auto& other) { return std::filesystem::equivalent(path, other, ignored); });
      if (!kept) {
        found.push_back({path.filename().string(), *digits});
      }
    } else if (!cannot_name_others(path)) {
      documents.push_back(path);
    }
  }
  if (failure || found.empty()) {
    return {};
  }
  for (const std::filesystem::path& document : documents) {
    const std::optional<std::string> text = searchable_text(document);
    if (!text) {
      return {};
    }
    for (ContentFile& one : found) {
      one.used = one.used || text->find(one.digits) != std::string::npos;
    }
  }
  std::vector<std::string> unused;
  for (const ContentFile& one : found) {
    const Result<FileBytes> bytes = one.used ? Result<FileBytes>(error("used")) : read_file_bytes(folder / one.name);
    if (bytes && fmt::format("{:016x}", fnv1a(bytes->bytes())) == one.digits) {
      unused.push_back(one.name);
    }
  }
  return unused;
}

Status export_file(const rig::Character& character, const std::filesystem::path& path, const ExportOptions& options,
                   Diagnostics* notes, const Progress& progress) {
  std::vector<ReadFile> read = {{character.source, "the input"}};
  for (const std::filesystem::path& file : options.keep) {
    read.push_back({file, "a file of the input"});
  }
  if (const Status free = check_not_read(path, read); !free) {
    return free;
  }
  ExportOptions named = options;
  named.stem = path.stem().string();
  Result<Exported> exported = export_character(character, named, progress);
  if (!exported) {
    return exported.error().in(path.filename().string());
  }
  std::vector<NewFile> files;
  for (const ExportedFile& file : exported->files) {
    // The one to open has the name that was asked for, whatever its ending.
    files.push_back({files.empty() ? path : path.parent_path() / file.name, as_text(file.bytes)});
  }
  if (notes != nullptr) {
    notes->insert(notes->end(), exported->notes.begin(), exported->notes.end());
  }
  if (!report(progress, 0.9f, "Writing")) {
    return error("{}: cancelled", path.filename().string());
  }
  return write_files_atomically(files, [&](const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> keep = options.keep;
    for (const NewFile& file : files) {
      keep.push_back(file.path);
    }
    return unused_content_names(folder, named.stem, keep);
  });
}

}  // namespace pelt::gltf
