#include "gltf/outline.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <optional>

#include "core/text.h"
#include "gltf/container.h"

namespace pelt::gltf {
namespace {

constexpr std::size_t kMaxDepth = 500;
// A tree of N values takes about 100 bytes each in the parser, elements of the top-level arrays up to 1.3 KB each, and
// values below `extras` and `extensions` 150 to 450: these limits bound each share to a few hundred megabytes.
constexpr std::size_t kMaxValues = 4'000'000;
constexpr std::size_t kMaxElements = 400'000;
constexpr std::size_t kMaxExtraValues = 500'000;
// What is kept in the file's order, and attributes, are looked up one by one: no object of them may have more members.
constexpr std::size_t kMaxMembers = 1024;
constexpr std::size_t kLongUri = 256;

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Members whose value, where it is a number, counts or names something.
bool is_index_key(std::string_view key) {
  static constexpr std::array<std::string_view, 21> kKeys = {
      "bufferView", "buffer",   "indices",    "material",   "mesh",       "skin",  "camera",
      "source",     "sampler",  "input",      "output",     "node",       "scene", "index",
      "texCoord",   "skeleton", "byteOffset", "byteLength", "byteStride", "count", "inverseBindMatrices"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

enum class Role : std::uint8_t { kNone, kSection, kExtra, kTarget };

struct Frame {
  bool object = false;
  bool expects_key = false;
  bool names_view = false;  ///< a member is called bufferView
  Role role = Role::kNone;
  std::string_view key;  ///< as the parser will know it, without escapes
  std::size_t index = 0;
  std::size_t start = 0;
  std::size_t values_before = 0;
  std::size_t members = 0;
  std::size_t written = 0;  ///< how much of the text stands before it
  bool names_node = false;  ///< kTarget: it has a member "node"
};

/// Four hexadecimal digits at a place; nothing where they are not there.
std::optional<std::uint32_t> escaped_unit(std::string_view text, std::size_t at) {
  std::uint32_t unit = 0;
  const std::string_view digits = text.substr(std::min(at, text.size()), 4);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  return digits.size() == 4 && read.ec == std::errc() && read.ptr == digits.data() + 4 ? std::optional(unit)
                                                                                       : std::nullopt;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::array<std::uint32_t, 4> kFirst = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kFirst[more] | code >> (6 * more));
  for (int left = more - 1; left >= 0; --left) {
    out += static_cast<char>(0x80 | (code >> (6 * left) & 0x3F));
  }
}

/// What a text between quotes means. Escapes that JSON does not know stay: the parser refuses them.
std::string without_escapes(std::string_view written) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  std::string out;
  for (std::size_t at = 0; at < written.size(); ++at) {
    if (written[at] != '\\' || at + 1 == written.size()) {
      out += written[at];
      continue;
    }
    const char letter = written[++at];
    const std::optional<std::uint32_t> unit = letter == 'u' ? escaped_unit(written, at + 1) : std::nullopt;
    if (unit) {
      at += 4;
      const bool is_high = *unit >= 0xD800 && *unit < 0xDC00 && written.substr(at + 1, 2) == "\\u";
      const std::optional<std::uint32_t> low = is_high ? escaped_unit(written, at + 3) : std::nullopt;
      const bool is_pair = low && *low >= 0xDC00 && *low < 0xE000;
      append_utf8(out, is_pair ? 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00) : *unit);
      at += is_pair ? 6 : 0;
    } else if (const std::size_t known = kLetters.find(letter); known != std::string_view::npos) {
      out += kMeanings[known];
    } else {
      out += '\\';
      out += letter;
    }
  }
  return out;
}

class Scanner {
 public:
  explicit Scanner(std::string_view json) : json_(json), target_(&outline_.text) {}
  Result<Outline> run();

 private:
  [[nodiscard]] std::size_t string_end(std::size_t at) const;
  Status open(std::size_t at);
  Status close(std::size_t at);
  Status text_value(std::size_t begin, std::size_t end);
  Status scalar_value(std::size_t begin, std::size_t end);
  Status count_value();
  void flush(std::size_t end, std::string_view instead, std::size_t next) {
    target_->append(json_.substr(copied_, end - copied_));
    target_->append(instead);
    copied_ = next;
  }
  /// What the frame that many levels above the innermost one is a member of; empty in lists.
  [[nodiscard]] std::string_view key_above(std::size_t levels) const {
    return stack_.size() > levels ? stack_[stack_.size() - 1 - levels].key : std::string_view();
  }
  /// Whether the innermost frame lists what a primitive or one of its targets has.
  [[nodiscard]] bool lists_attributes() const {
    return !in_extra_ && !stack_.empty() && stack_.back().object && stack_[0].key == "meshes" &&
           (key_above(1) == "attributes" ||
            (key_above(2) == "targets" && stack_.back().key != "extras" && stack_.back().key != "extensions"));
  }
  /// Whether the innermost frame lists a primitive's targets.
  [[nodiscard]] bool lists_targets() const {
    return !in_extra_ && !stack_.empty() && !stack_.back().object && stack_[0].key == "meshes" &&
           key_above(1) == "targets";
  }
  [[nodiscard]] Error odd_target(std::string_view value) const {
    return error("JSON: {}: targets: expected objects, got {}", place(), value);
  }
  [[nodiscard]] Error odd_attribute(std::string_view value) const {
    return error("JSON: {}: {}: expected the number of an accessor, got {}", place(), printable(stack_.back().key, 40),
                 value);
  }
  /// A member's name for what it means: names are compared with those of glTF, and letters may be written as \\u006e.
  std::string_view member_name(std::string_view written);
  void record_extra(std::string_view text);
  /// The same of a text, a number or a word.
  void record_single_extra(std::string_view text);
  [[nodiscard]] std::string place() const {
    return stack_.size() > 2 ? fmt::format("{} {}", printable(stack_[0].key, 40), stack_[1].index) : "the root object";
  }

  std::string_view json_;
  std::deque<std::string> unescaped_;  ///< of each open object whose member is written with escapes: its name
  Outline outline_;
  std::string* target_;
  std::size_t copied_ = 0;
  std::vector<Frame> stack_;
  std::size_t values_ = 0;
  std::size_t elements_ = 0;
  std::size_t extra_values_ = 0;
  bool in_extra_ = false;
  bool wide_extra_ = false;  ///< an object of it has more than kMaxMembers
};

std::size_t Scanner::string_end(std::size_t at) const {
  for (std::size_t from = at + 1;;) {
    const std::size_t quote = json_.find('"', from);
    if (quote == std::string_view::npos) {
      return quote;
    }
    std::size_t slashes = 0;
    while (json_[quote - 1 - slashes] == '\\') {
      ++slashes;  // the opening quote ends the run at the latest
    }
    if (slashes % 2 == 0) {
      return quote;
    }
    from = quote + 1;
  }
}

std::string_view Scanner::member_name(std::string_view written) {
  if (written.find('\\') == std::string_view::npos) {
    return written;
  }
  // A level holds one name at a time: its object's member.
  unescaped_.resize(std::max(unescaped_.size(), stack_.size()));
  std::string& name = unescaped_[stack_.size() - 1];
  name = without_escapes(written);
  return name;
}

Status Scanner::count_value() {
  if (++values_ > kMaxValues) {
    return error("JSON: more than {} values", kMaxValues);
  }
  if (stack_.size() == 2 && !stack_[1].object && !in_extra_ && ++elements_ > kMaxElements) {
    return error("JSON: more than {} elements in the arrays of the root object", kMaxElements);
  }
  return {};
}

Status Scanner::open(std::size_t at) {
  if (const Status status = count_value(); !status) {
    return status;
  }
  if (stack_.size() >= kMaxDepth) {
    return error("JSON: nested deeper than {} levels", kMaxDepth);
  }
  // The parser would pass over all of them for one that is no number.
  if (lists_attributes()) {
    return odd_attribute(json_[at] == '{' ? "an object" : "an array");
  }
  if (json_[at] == '[' && lists_targets()) {
    return odd_target("an array");
  }
  Frame frame;
  frame.object = json_[at] == '{';
  frame.expects_key = frame.object;
  frame.start = at;
  frame.values_before = values_;
  frame.written = target_->size() + at - copied_;
  if (!stack_.empty() && stack_.back().object && !in_extra_) {
    const std::string_view key = stack_.back().key;
    if (stack_.size() == 1 && (key == "buffers" || key == "images") && target_ == &outline_.text) {
      frame.role = Role::kSection;
      flush(at, "null", at);
      target_ = key == "buffers" ? &outline_.buffers : &outline_.images;
      target_->clear();  // the last of repeated members counts, as in the parser
    } else if (stack_.size() == 1 && key == "accessors") {
      outline_.accessors_without_view.clear();
    } else if (key == "extras" || key == "extensions") {
      frame.role = Role::kExtra;
      in_extra_ = true;
      wide_extra_ = false;
    } else if (stack_.size() == 5 && stack_[0].key == "animations" && key == "target") {
      frame.role = Role::kTarget;
    }
  }
  stack_.push_back(frame);
  return {};
}

/// @pre  the top of the stack is the object that has the member
void Scanner::record_extra(std::string_view text) {
  std::string pointer;
  for (std::size_t i = 0; i + 1 < stack_.size(); ++i) {
    // Many short values under one long name would otherwise ask for their product.
    if (pointer.size() + (stack_[i].object ? stack_[i].key.size() : 20) > kLongestPlace) {
      ++outline_.ignored_extras;
      return;
    }
    pointer += stack_[i].object ? fmt::format("/{}", stack_[i].key) : fmt::format("/{}", stack_[i].index);
  }
  outline_.extras.push_back({std::move(pointer), stack_.back().key == "extensions", text});
}

void Scanner::record_single_extra(std::string_view text) {
  if (extra_values_ >= kMaxExtraValues) {
    ++outline_.ignored_extras;
    return;
  }
  ++extra_values_;
  record_extra(text);
}

Status Scanner::close(std::size_t at) {
  if (stack_.empty()) {
    return error("JSON: unexpected '{}' at byte {}", json_[at], at);
  }
  const Frame frame = stack_.back();
  stack_.pop_back();
  const bool is_element = frame.object && stack_.size() == 2 && stack_[0].object && !stack_[1].object;
  if (is_element && stack_[0].key == "accessors" && !frame.names_view) {
    outline_.accessors_without_view.push_back(stack_[1].index);
    flush(at, frame.key.empty() ? R"("bufferView":0)" : R"(,"bufferView":0)", at);
  }
  if (frame.role == Role::kSection) {
    flush(at + 1, "", at + 1);
    target_ = &outline_.text;
  } else if (frame.role == Role::kExtra) {
    in_extra_ = false;
    const std::size_t count = values_ - frame.values_before + 1;
    if (wide_extra_ || extra_values_ > kMaxExtraValues || count > kMaxExtraValues - extra_values_) {
      target_->resize(std::min(target_->size(), frame.written));
      flush(std::max(frame.start, copied_), "null", at + 1);
      ++outline_.ignored_extras;
    } else {
      extra_values_ += count;
      record_extra(json_.substr(frame.start, at + 1 - frame.start));
    }
  } else if (frame.role == Role::kTarget && !frame.names_node && frame.object) {
    flush(at, frame.expects_key ? R"("node":-1)" : R"(,"node":-1)", at);
  }
  return {};
}

Status Scanner::text_value(std::size_t begin, std::size_t end) {
  if (const Status status = count_value(); !status) {
    return status;
  }
  const Frame& frame = stack_.back();
  const std::string_view content = json_.substr(begin + 1, end - begin - 1);
  if (lists_attributes() || lists_targets()) {
    const std::string got = fmt::format("the text '{}'", printable(content, 40));
    return frame.object ? odd_attribute(got) : odd_target(got);
  }
  if (!frame.object || in_extra_) {
    return {};
  }
  if (frame.key == "extras") {
    record_single_extra(json_.substr(begin, end + 1 - begin));
    return {};
  }
  if (is_index_key(frame.key)) {
    return error("JSON: {}: {}: expected a whole number of 0 or more, got the text '{}'", place(), frame.key,
                 printable(content, 40));
  }
  if (target_ != &outline_.text && stack_.size() == 3 && frame.key == "uri" && content.size() > kLongUri &&
      content.substr(0, 5) == "data:") {
    flush(begin, fmt::format("\"data:#{}\"", outline_.data_uris.size()), end + 1);
    outline_.data_uris.push_back(content);
  }
  return {};
}

Status Scanner::scalar_value(std::size_t begin, std::size_t end) {
  if (const Status status = count_value(); !status) {
    return status;
  }
  if (stack_.empty() || in_extra_) {
    return {};
  }
  const std::string_view token = json_.substr(begin, end - begin);
  const bool in_object = stack_.back().object;
  if (in_object && stack_.back().key == "extras" && !lists_attributes()) {
    record_single_extra(token);
    return {};
  }
  const std::string_view key = in_object ? stack_.back().key : key_above(1);
  const bool counts = in_object && is_index_key(key);
  if (counts && !std::all_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return error("JSON: {}: {}: expected a whole number of 0 or more, got {}", place(), key, printable(token, 40));
  }
  const std::size_t sign = token.starts_with('-') ? 1 : 0;
  if (lists_attributes() && !std::all_of(token.begin() + static_cast<std::ptrdiff_t>(sign), token.end(),
                                         [](char c) { return c >= '0' && c <= '9'; })) {
    return odd_attribute(printable(token, 40));
  }
  if (lists_targets()) {
    return odd_target(printable(token, 40));
  }
  // The parser narrows indices to int, and one too large would come out as another or as "none".
  const bool names = in_object ? (counts && !key.starts_with("byte") && key != "count") ||
                                     key_above(1) == "attributes" || key_above(2) == "targets"
                               : key == "children" || key == "joints" || key == "nodes";
  int narrow = 0;
  if (names &&
      std::from_chars(token.data(), token.data() + token.size(), narrow).ec == std::errc::result_out_of_range) {
    return error("JSON: {}: {}: expected an index, got {}", place(), key, printable(token, 40));
  }
  return {};
}

Result<Outline> Scanner::run() {
  std::size_t at = json_.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos || json_[at] != '{') {
    return error("neither a binary glTF nor a JSON object");
  }
  for (; at < json_.size(); ++at) {
    Status status;
    switch (json_[at]) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
      case ':':
        break;
      case ',':
        if (!stack_.empty()) {
          ++stack_.back().index;
          stack_.back().expects_key = stack_.back().object;
        }
        break;
      case '{':
      case '[':
        status = open(at);
        break;
      case '}':
      case ']':
        status = close(at);
        break;
      case '"': {
        const std::size_t end = string_end(at);
        if (end == std::string_view::npos) {
          return error("JSON: the text that begins at byte {} has no end", at);
        }
        if (stack_.empty()) {
          return error("JSON: unexpected text at byte {}", at);
        }
        if (stack_.back().expects_key) {
          const std::string_view key = member_name(json_.substr(at + 1, end - at - 1));
          stack_.back().key = key;
          stack_.back().expects_key = false;
          if (++stack_.back().members > kMaxMembers) {
            wide_extra_ = true;
            status = lists_attributes()
                         ? Status(error("JSON: {}: more than {} attributes in one object", place(), kMaxMembers))
                         : Status();
          }
          stack_.back().names_node = stack_.back().names_node || key == "node";
          if (stack_.size() == 2 && stack_[0].key == "extensions" && key == "KHR_lights_punctual") {
            flush(at + 1, kLightsKey, end);
          }
          stack_.back().names_view = stack_.back().names_view || key == "bufferView";
        } else {
          status = text_value(at, end);
        }
        at = end;
        break;
      }
      default: {
        const std::size_t end = std::min(json_.find_first_of(" \t\r\n,:{}[]\"", at), json_.size());
        status = scalar_value(at, end);
        at = end - 1;
      }
    }
    if (!status) {
      return status.error();
    }
  }
  if (!stack_.empty()) {
    return error("JSON: the text ends inside {} open brackets", stack_.size());
  }
  flush(json_.size(), "", json_.size());
  outline_.text.append(4, ' ');  // the parser refuses texts shorter than four characters, valid or not
  return std::move(outline_);
}

}  // namespace

Result<Container> split_container(std::span<const std::uint8_t> bytes) {
  Container out;
  if (bytes.empty()) {
    return error("the file is empty");
  }
  if (bytes.size() < 4 || little_word(bytes, 0) != kGlbMagic) {
    out.json = text_of(bytes);
    if (out.json.substr(0, 3) == "\xef\xbb\xbf") {
      out.json.remove_prefix(3);
    }
    return out;
  }
  out.binary = true;
  if (bytes.size() < 12) {
    return error("binary glTF: expected a header of 12 bytes, got {}", bytes.size());
  }
  if (little_word(bytes, 4) != 2) {
    return error("binary glTF: expected version 2, got {}", little_word(bytes, 4));
  }
  const std::size_t length = little_word(bytes, 8);
  if (length > bytes.size()) {
    return error("binary glTF: the header says {} bytes, the file has {}", length, bytes.size());
  }
  bool has_json = false;
  bool has_bin = false;
  for (std::size_t at = 12; at < length;) {
    if (length - at < 8) {
      return error("binary glTF: chunk at byte {}: expected a header of 8 bytes, got {}", at, length - at);
    }
    const std::size_t size = little_word(bytes, at);
    const std::uint32_t type = little_word(bytes, at + 4);
    if (size > length - at - 8) {
      return error("binary glTF: chunk at byte {}: expected {} bytes, got {}", at, size, length - at - 8);
    }
    const auto content = bytes.subspan(at + 8, size);
    if (!has_json) {
      if (type != kJsonChunk || size == 0) {
        return error("binary glTF: expected the first chunk to be JSON text, got type {:#010x} of {} bytes", type,
                     size);
      }
      has_json = true;
      out.json = text_of(content);
    } else if (type == kBinChunk && !has_bin) {
      has_bin = true;
      out.bin = content;
    } else {
      out.extra_chunks = true;
    }
    at += 8 + size;
  }
  if (!has_json) {
    return error("binary glTF: expected a chunk of JSON text, got none");
  }
  return out;
}

Result<Outline> outline_json(std::string_view json) {
  return Scanner(json).run();
}

}  // namespace pelt::gltf
