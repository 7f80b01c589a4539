#include "gltf/uri.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <system_error>

#include "core/large_memory.h"
#include "core/parallel.h"
#include "core/text.h"

namespace pelt::gltf {
namespace {

constexpr std::uint32_t kInvalid = 0x80000000U;
using Table = std::array<std::uint32_t, 256>;

/// Four tables, one per place in a group of four characters, so that a group costs four look-ups and three ors.
constexpr std::array<Table, 4> make_tables() {
  std::array<Table, 4> tables{};
  for (Table& table : tables) {
    table.fill(kInvalid);
  }
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::uint32_t value = 0; value < 64; ++value) {
    const auto c = static_cast<unsigned char>(kAlphabet[value]);
    for (std::uint32_t place = 0; place < 4; ++place) {
      tables[place][c] = value << (18 - 6 * place);
    }
  }
  return tables;
}
constexpr std::array<Table, 4> kTables = make_tables();

/// Whole groups of four characters to three bytes each. @return  the tables' entries, all ors
std::uint32_t decode_groups(std::string_view text, std::uint8_t* to) {
  std::uint32_t seen = 0;
  for (std::size_t at = 0; at + 4 <= text.size(); at += 4) {
    const auto look_up = [&](std::size_t place) {
      return kTables[place][static_cast<unsigned char>(text[at + place])];
    };
    const std::uint32_t group = look_up(0) | look_up(1) | look_up(2) | look_up(3);
    seen |= group;
    to[0] = static_cast<std::uint8_t>(group >> 16);
    to[1] = static_cast<std::uint8_t>(group >> 8);
    to[2] = static_cast<std::uint8_t>(group);
    to += 3;
  }
  return seen;
}

bool decode_base64(std::string_view text, std::vector<std::uint8_t>& out) {
  while (!text.empty() && text.back() == '=') {
    text.remove_suffix(1);
  }
  if (text.size() % 4 == 1) {
    return false;
  }
  out = large_vector<std::uint8_t>(text.size() / 4 * 3 + (text.size() % 4 == 0 ? 0 : text.size() % 4 - 1));
  constexpr std::size_t kGroupsAtOnce = std::size_t{1} << 18;
  std::atomic<std::uint32_t> seen{0};
  const std::size_t groups = text.size() / 4;
  parallel_for(groups, kGroupsAtOnce, [&](std::size_t begin, std::size_t end) {
    seen.fetch_or(decode_groups(text.substr(4 * begin, 4 * (end - begin)), out.data() + 3 * begin));
  });
  const std::string_view rest = text.substr(4 * groups);
  std::uint32_t group = 0;
  for (std::size_t place = 0; place < rest.size(); ++place) {
    group |= kTables[place][static_cast<unsigned char>(rest[place])];
  }
  for (std::size_t i = 0; i + 1 < rest.size(); ++i) {
    out[3 * groups + i] = static_cast<std::uint8_t>(group >> (16 - 8 * i));
  }
  return ((seen.load() | group) & kInvalid) == 0;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(16 * hex_value(text[i + 1]) + hex_value(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  // A decoded NUL or line break is never part of a name that a person gave.
  const bool clean = std::none_of(out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  return clean ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

Result<std::vector<std::uint8_t>> decode_data_uri(std::string_view uri) {
  const std::size_t comma = uri.find(',');
  constexpr std::string_view kMarker = ";base64";
  if (uri.substr(0, 5) != "data:" || comma == std::string_view::npos || comma < 5 + kMarker.size() ||
      uri.substr(comma - kMarker.size(), kMarker.size()) != kMarker) {
    return error("expected a base64 data URI, got '{}'", printable(uri.substr(0, comma), 60));
  }
  std::string_view text = uri.substr(comma + 1);
  std::string plain;
  // Two searches for one character are far faster than one for either.
  if (text.find('\\') != std::string_view::npos || text.find('%') != std::string_view::npos) {
    plain.reserve(text.size());  // some writers escape every slash: \/
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\' || i + 1 >= text.size() || text[i + 1] != '/') {
        plain.push_back(text[i]);
      }
    }
    plain = percent_decoded(plain).value_or(std::string("\\"));
    text = plain;
  }
  std::vector<std::uint8_t> out;
  if (!decode_base64(text, out)) {
    return error("its data URI is not valid base64");
  }
  return out;
}

Result<std::filesystem::path> resolve_uri(std::string_view uri, const std::filesystem::path& base_folder,
                                          bool allow_outside) {
  namespace fs = std::filesystem;
  const std::string shown = printable(uri, 80);
  if (base_folder.empty()) {
    return error("external file '{}' cannot be opened for data that has no folder", shown);
  }
  const std::size_t colon = uri.find(':');
  if (colon != std::string_view::npos && colon < uri.find('/')) {
    return error("URI '{}' has a scheme, only files beside the model are opened", shown);
  }
  const std::optional<std::string> decoded = percent_decoded(uri);
  if (uri.empty() || !decoded) {
    return error("URI '{}' is not a file name", shown);
  }
  const fs::path relative(*decoded);
  if (allow_outside) {
    return base_folder / relative;
  }
  if (relative.is_absolute() || std::find(relative.begin(), relative.end(), "..") != relative.end()) {
    return error("URI '{}' leaves the folder of the model", shown);
  }
  std::error_code failure;
  const fs::path base = fs::canonical(base_folder, failure);
  const fs::path full = failure ? fs::path() : fs::weakly_canonical(base / relative, failure);
  if (failure) {
    return error("URI '{}' cannot be resolved: {}", shown, failure.message());
  }
  const auto [base_end, full_at] = std::mismatch(base.begin(), base.end(), full.begin(), full.end());
  if (base_end != base.end()) {
    return error("URI '{}' is a link that leaves the folder of the model", shown);
  }
  return full;
}

std::filesystem::path spelled_uri(std::string_view uri, const std::filesystem::path& base_folder) {
  std::filesystem::path out = base_folder;
  for (const std::filesystem::path& part : std::filesystem::path(percent_decoded(uri).value_or(std::string()))) {
    if (!part.empty() && part != ".") {
      out /= part;
    }
  }
  return out;
}

std::string data_uri(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "data:application/octet-stream;base64,";
  out.reserve(out.size() + (bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? bytes[i + k] : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? kDigits[group >> (18 - 6 * k) & 0x3f] : '=';
    }
  }
  return out;
}

std::string percent_encoded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace pelt::gltf
