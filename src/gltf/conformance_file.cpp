// The container, what the file says of itself, and what lies in buffers and images.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/index.h"
#include "core/text.h"
#include "gltf/conformance_checks.h"
#include "gltf/container.h"

namespace pelt::gltf {
namespace {

std::uint32_t big_word(std::span<const std::uint8_t> bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 | std::uint32_t{bytes[at + 2]} << 8 |
         std::uint32_t{bytes[at + 3]};
}

/// "2.0" as two numbers; nothing where it is no version.
std::optional<std::array<int, 2>> version_of(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) {
    return std::nullopt;
  }
  const auto is_digits = [](std::string_view part) {
    return !part.empty() && part.size() < 9 && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!is_digits(text.substr(0, dot)) || !is_digits(text.substr(dot + 1))) {
    return std::nullopt;
  }
  return std::array{parse_integer(text.substr(0, dot)).value_or(0), parse_integer(text.substr(dot + 1)).value_or(0)};
}

void check_asset(Conformance& check) {
  const FileJson* asset = object_member(&check.file, "asset");
  const std::optional<std::array<int, 2>> version = version_of(text_member(asset, "version"));
  for (const char* name : {"version", "minVersion"}) {
    const FileJson* found = member(asset, name);
    if (found != nullptr && found->is_string() && !version_of(found->get<std::string>())) {
      check.tell("schema", "file",
                 fmt::format("asset.{}: expected a version such as 2.0, got {}", name,
                             printable(found->get<std::string>(), 20)));
    }
  }
  const std::optional<std::array<int, 2>> least = version_of(text_member(asset, "minVersion"));
  if (version && least && *least > *version) {
    check.tell("schema", "file",
               fmt::format("asset.minVersion: expected at most the version {}.{}, got {}.{}", (*version)[0],
                           (*version)[1], (*least)[0], (*least)[1]));
  }
}

void check_extension_lists(Conformance& check) {
  if (check.file.contains("extensionsRequired") && !check.file.contains("extensionsUsed")) {
    check.tell("extension-undeclared", "file", "extensionsRequired is given, but extensionsUsed is missing");
  }
  bool requires_quantization = false;
  for (const FileJson& name : list_member(&check.file, "extensionsRequired")) {
    if (name.is_string() && !check.uses(name.get<std::string>())) {
      check.tell(
          "extension-undeclared", "file",
          fmt::format("{} is required, but not listed in extensionsUsed", printable(name.get<std::string>(), 80)));
    }
    requires_quantization = requires_quantization || name == "KHR_mesh_quantization";
  }
  if (check.uses("KHR_mesh_quantization") && !requires_quantization) {
    check.tell("extension-undeclared", "file", "KHR_mesh_quantization is used, but not listed in extensionsRequired");
  }
}

void check_cameras(Conformance& check) {
  for (std::size_t i = 0; i < check.count("cameras"); ++i) {
    const FileJson* camera = check.item("cameras", static_cast<std::int64_t>(i));
    const std::string place = place_in("cameras", i);
    if (member(camera, "perspective") != nullptr && member(camera, "orthographic") != nullptr) {
      check.tell("schema", place, "expected either perspective or orthographic, got both");
    }
    const std::string type = text_member(camera, "type");
    const FileJson* lens = type == "perspective" || type == "orthographic" ? object_member(camera, type) : nullptr;
    const double near = number_member(lens, "znear");
    const double far = number_member(lens, "zfar");
    if (far > 0 && near >= 0 && far <= near) {
      check.tell("camera", place, fmt::format("expected zfar beyond znear {:g}, got {:g}", near, far));
    }
    for (const char* name : {"xmag", "ymag"}) {
      if (type == "orthographic" && number_member(lens, name) == 0) {
        check.tell("camera", place, fmt::format("{}: expected another number than 0", name));
      }
    }
  }
}

void check_lights(Conformance& check) {
  if (!check.uses("KHR_lights_punctual")) {
    return;
  }
  const FileJson* extension = object_member(object_member(&check.file, "extensions"), "KHR_lights_punctual");
  const std::span<const FileJson> lights = list_member(extension, "lights");
  for (std::size_t i = 0; i < lights.size(); ++i) {
    const FileJson* spot = text_member(&lights[i], "type") == "spot" ? object_member(&lights[i], "spot") : nullptr;
    const auto angle = [&](const char* name, double usual) {
      return member(spot, name) == nullptr ? usual : number_member(spot, name);
    };
    const double inner = angle("innerConeAngle", 0);
    const double outer = angle("outerConeAngle", 0.785398163397448);
    if (spot != nullptr && outer <= inner) {
      check.tell(
          "light", place_in("lights", i),
          fmt::format("expected an outer cone wider than the inner one of {:.4g} radians, got {:.4g}", inner, outer));
    }
  }
  for (std::size_t n = 0; n < check.count("nodes"); ++n) {
    const FileJson* node = check.item("nodes", static_cast<std::int64_t>(n));
    const FileJson* shines = object_member(object_member(node, "extensions"), "KHR_lights_punctual");
    const std::int64_t light = whole_member(shines, "light");
    if (shines != nullptr && extension == nullptr) {
      check.tell("reference", place_in("nodes", n), "it has a light, but the file has no list of lights");
    } else if (light >= 0 && !has_index(lights, light)) {
      check.tell("reference", place_in("nodes", n), fmt::format("there is no light {}", light));
    }
  }
}

/// Whether what stands before the comma of a data URI is a type, parameters with values, and perhaps "base64".
bool is_data_header(std::string_view uri) {
  const std::size_t comma = uri.find(',');
  std::size_t at = uri.find(';');
  while (at != std::string_view::npos && at < comma) {
    const std::size_t end = std::min(uri.find(';', at + 1), comma);
    const std::string_view part = uri.substr(at + 1, end - at - 1);
    if (part.find('=') == std::string_view::npos && !(part == "base64" && end == comma)) {
      return false;
    }
    at = end == comma ? std::string_view::npos : end;
  }
  return true;
}

/// The first bytes of a URI: enough to tell of data what they are.
std::string beginning_of(const FileJson* uri) {
  return uri != nullptr && uri->is_string() ? uri->get_ref<const std::string&>().substr(0, 256) : std::string();
}

void check_buffers(Conformance& check) {
  for (std::size_t b = 0; b < check.count("buffers"); ++b) {
    const FileJson* buffer = check.item("buffers", static_cast<std::int64_t>(b));
    const std::string place = place_in("buffers", b);
    const std::int64_t length = whole_member(buffer, "byteLength");
    const FileJson* uri = member(buffer, "uri");
    if (length < 1) {
      continue;
    }
    if (uri == nullptr && b == 0 && check.input.is_binary && !check.input.has_bin) {
      check.tell("buffer", place, "it stands for the BIN chunk, but the file has none");
      continue;
    }
    if (b >= check.input.buffers.size()) {
      continue;
    }
    if (const std::string text = beginning_of(uri); text.starts_with("data:")) {
      const std::string type = text.substr(0, text.find_first_of(",;"));
      if (!is_data_header(text)) {
        check.tell("data-uri", place, fmt::format("its URI cannot be read: {}", printable(text, 60)));
      } else if (type != "data:application/octet-stream" && type != "data:application/gltf-buffer") {
        check.tell("data-uri", place,
                   fmt::format("expected data of the type application/octet-stream or application/gltf-buffer, got {}",
                               printable(type.substr(5), 60)));
      }
    }
    if (!check.input.buffer_problems[b].empty()) {
      if (uri != nullptr) {
        check.tell("buffer", place, check.input.buffer_problems[b]);
      }
    } else if (static_cast<std::size_t>(length) > check.input.buffers[b].size()) {
      check.tell("buffer-length", place,
                 fmt::format("expected {} bytes, got {}", length, check.input.buffers[b].size()));
    }
  }
}

enum class ImageHeader { kUnknown, kPng, kJpeg, kWebp, kKtx };

/// What an image is by its first bytes.
ImageHeader header_of(std::span<const std::uint8_t> bytes) {
  const auto begins = [&](std::size_t at, std::string_view text) {
    return bytes.size() >= 14 && std::equal(text.begin(), text.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                            [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
  };
  return begins(0, "\xff\xd8\xff")                  ? ImageHeader::kJpeg
         : begins(0, "\x89PNG\r\n\x1a\n")           ? ImageHeader::kPng
         : begins(0, "RIFF") && begins(8, "WEBPVP") ? ImageHeader::kWebp
         : begins(0, "\xabKTX 20\xbb\r\n\x1a\n")    ? ImageHeader::kKtx
                                                    : ImageHeader::kUnknown;
}

std::string_view mime_of(ImageHeader header) {
  switch (header) {
    case ImageHeader::kPng:
      return "image/png";
    case ImageHeader::kJpeg:
      return "image/jpeg";
    case ImageHeader::kWebp:
      return "image/webp";
    case ImageHeader::kKtx:
      return "image/ktx2";
    case ImageHeader::kUnknown:
      return "";
  }
  return "";
}

/// What is wrong with a PNG's chunks up to its first pixels; empty where nothing is.
std::string png_fault(std::span<const std::uint8_t> bytes) {
  constexpr std::array<std::pair<std::string_view, std::uint32_t>, 5> kLengths = {
      {{"IHDR", 13}, {"cHRM", 32}, {"sRGB", 1}, {"pHYs", 9}, {"gAMA", 4}}};
  bool has_header = false;
  for (std::size_t at = 8; bytes.size() >= at + 8;) {
    const std::uint32_t length = big_word(bytes, at);
    const std::string_view type(reinterpret_cast<const char*>(bytes.data() + at + 4), 4);
    const auto* known = std::ranges::find(kLengths, type, &std::pair<std::string_view, std::uint32_t>::first);
    if (known != kLengths.end() && known->second != length) {
      return fmt::format("PNG: expected {} bytes in the chunk {}, got {}", known->second, type, length);
    }
    has_header = has_header || type == "IHDR";
    if (type == "IDAT") {
      return has_header ? "" : "PNG: its pixels come before its header";
    }
    at += 12 + std::size_t{length};
  }
  return "PNG: it ends before its pixels";
}

/// The same of a JPEG's segments up to its frame's size.
std::string jpeg_fault(std::span<const std::uint8_t> bytes) {
  for (std::size_t at = 1; at < bytes.size();) {
    const std::uint8_t marker = bytes[at++];
    const bool has_segment =
        marker != 0x01 && (marker & 0xF8) != 0xD0 && marker != 0xD8 && marker != 0xD9 && marker != 0xFF;
    if (!has_segment) {
      continue;
    }
    if (at + 2 > bytes.size()) {
      break;
    }
    const std::size_t length = std::size_t{bytes[at]} << 8 | bytes[at + 1];
    if (length < 2) {
      return fmt::format("JPEG: expected a segment of 2 bytes or more, got {}", length);
    }
    const bool is_frame =
        ((marker & 0xF0) == 0xC0 && marker != 0xC4 && marker != 0xC8 && marker != 0xCC) || marker == 0xDE;
    if (is_frame) {
      if (at + length > bytes.size() || length < 8) {
        break;
      }
      const int channels = bytes[at + 7];
      return channels == 1 || channels == 3 ? ""
                                            : fmt::format("JPEG: expected 1 or 3 colour channels, got {}", channels);
    }
    at += length;
  }
  return "JPEG: it ends before its size";
}

void check_image(Conformance& check, std::size_t i, std::vector<ImageHeader>& headers) {
  const FileJson* image = check.item("images", static_cast<std::int64_t>(i));
  const std::string place = place_in("images", i);
  const FileJson* uri = member(image, "uri");
  const FileJson* view = member(image, "bufferView");
  const std::string declared = text_member(image, "mimeType");
  if (image == nullptr) {
    return;
  }
  if (view != nullptr && member(image, "mimeType") == nullptr) {
    check.tell("schema", place, "it lies in a buffer view, but mimeType is missing");
  }
  if ((view != nullptr) == (uri != nullptr)) {
    check.tell("schema", place,
               fmt::format("expected either uri or bufferView, got {}", uri == nullptr ? "none" : "both"));
  }
  if (i >= check.input.images.size() || member(image, "extensions") != nullptr) {
    return;
  }
  if (!check.input.image_problems[i].empty() && uri != nullptr && view == nullptr) {
    check.tell("image", place, check.input.image_problems[i]);
    return;
  }
  const std::span<const std::uint8_t> bytes = check.input.images[i];
  const ImageHeader header = header_of(bytes);
  headers[i] = header;
  const std::string text = beginning_of(uri);
  if (text.starts_with("data:")) {
    const std::string type = text.substr(5, text.find_first_of(",;") - 5);
    if (header == ImageHeader::kUnknown || type != mime_of(header)) {
      check.tell("image-type", place,
                 fmt::format("its data URI says {}, but it is {}", type.empty() ? "nothing" : printable(type, 40),
                             header == ImageHeader::kUnknown ? "no image" : mime_of(header)));
      return;
    }
  }
  if (bytes.empty() || header == ImageHeader::kUnknown || header == ImageHeader::kKtx) {
    return;
  }
  const std::string fault = header == ImageHeader::kPng    ? png_fault(bytes)
                            : header == ImageHeader::kJpeg ? jpeg_fault(bytes)
                                                           : "";
  if (!fault.empty()) {
    check.tell("image", place, fault);
  }
  if (header == ImageHeader::kWebp && !check.uses("EXT_texture_webp")) {
    check.tell("image-type", place, "it is image/webp, which needs the extension EXT_texture_webp");
  }
  if (!declared.empty() && declared != mime_of(header)) {
    check.tell("image-type", place, fmt::format("it says {}, but it is {}", printable(declared, 40), mime_of(header)));
  }
}

void check_textures(Conformance& check, const std::vector<ImageHeader>& headers) {
  for (std::size_t t = 0; t < check.count("textures"); ++t) {
    const FileJson* texture = check.item("textures", static_cast<std::int64_t>(t));
    const FileJson* webp = check.uses("EXT_texture_webp")
                               ? object_member(object_member(texture, "extensions"), "EXT_texture_webp")
                               : nullptr;
    for (const FileJson* from : {texture, webp}) {
      const std::int64_t source = whole_member(from, "source");
      const FileJson* image = check.item("images", source);
      if (image == nullptr) {
        continue;
      }
      const std::string declared = text_member(image, "mimeType");
      const std::string type = declared.empty() ? std::string(mime_of(headers[source])) : declared;
      const bool fits = from == webp ? type == "image/webp" : type == "image/png" || type == "image/jpeg";
      if (!type.empty() && !fits) {
        check.tell("image-type", place_in("textures", t),
                   fmt::format("expected an image of type {}, got {}",
                               from == webp ? "image/webp" : "image/png or image/jpeg", printable(type, 40)));
      }
    }
  }
}

}  // namespace

void check_container(Conformance& check) {
  const std::span<const std::uint8_t> bytes = check.input.bytes;
  if (!check.input.is_binary) {
    if (bytes.size() >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF) {
      check.tell("schema", "file", "the text begins with a byte order mark, expected none");
    }
    return;
  }
  const std::size_t length = std::min<std::size_t>(little_word(bytes, 8), bytes.size());
  std::array<std::size_t, 2> seen{};  // JSON and BIN chunks
  std::size_t number = 0;
  for (std::size_t at = 12; at + 8 <= length; ++number) {
    const std::size_t size = little_word(bytes, at);
    const std::uint32_t type = little_word(bytes, at + 4);
    if (size % 4 != 0) {
      check.tell("glb-chunk", "file", fmt::format("chunk {}: expected a multiple of 4 bytes, got {}", number, size));
    }
    if (type == kJsonChunk || type == kBinChunk) {
      const bool is_bin = type == kBinChunk;
      if (seen[is_bin ? 1 : 0]++ > 0) {
        check.tell("glb-chunk", "file",
                   fmt::format("chunk {}: expected one {} chunk, got another", number, is_bin ? "BIN" : "JSON"));
      } else if (is_bin && number > 1) {
        check.tell("glb-chunk", "file", fmt::format("chunk {}: expected BIN as the second chunk", number));
      }
    }
    at += 8 + size;
  }
}

void check_file_members(Conformance& check) {
  check_asset(check);
  check_extension_lists(check);
  check_cameras(check);
  check_lights(check);
}

void check_resources(Conformance& check) {
  check_buffers(check);
  std::vector<ImageHeader> headers(check.count("images"), ImageHeader::kUnknown);
  for (std::size_t i = 0; i < headers.size(); ++i) {
    check_image(check, i, headers);
  }
  check_textures(check, headers);
}

}  // namespace pelt::gltf
