#include "edit/session_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/index.h"
#include "core/text.h"

namespace pelt::edit {
namespace {

void put_inline(const SessionJson& json, std::string& out) {
  if (!json.is_structured()) {
    out += json.dump();
    return;
  }
  out += json.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& item : json.items()) {
    out += first ? "" : ", ";
    first = false;
    if (json.is_object()) {
      out += SessionJson(item.key()).dump() + ": ";
    }
    put_inline(item.value(), out);
  }
  out += json.is_object() ? '}' : ']';
}

// Sections, and lists of entities in them, stand on lines of their own; an entity is one line.
bool has_lines(const SessionJson& json, int depth) {
  constexpr int kDeepest = 4;
  const auto is_structured = [](const SessionJson& one) { return one.is_structured(); };
  switch (depth) {
    case 0:
      return true;
    case 1:
      return json.is_structured() && std::ranges::any_of(json, is_structured);
    case 2:
      return json.is_structured() && !json.empty() && std::ranges::all_of(json, is_structured);
    default:
      return depth < kDeepest && json.is_array() && !json.empty() && std::ranges::all_of(json, is_structured);
  }
}

void put_lines(const SessionJson& json, int depth, std::string& out) {
  if (!has_lines(json, depth)) {
    put_inline(json, out);
    return;
  }
  const std::string indent(2 * depth, ' ');
  out += json.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& item : json.items()) {
    out += (first ? "\n" : ",\n") + indent + "  ";
    first = false;
    if (json.is_object()) {
      out += SessionJson(item.key()).dump() + ": ";
    }
    put_lines(item.value(), depth + 1, out);
  }
  out += "\n" + indent + (json.is_object() ? "}" : "]");
}

}  // namespace

std::string laid_out(const SessionJson& json) {
  std::string out;
  put_lines(json, 0, out);
  return out + "\n";
}

SessionJson session_number(float value) {
  // The shortest decimal of the float, as the double that stands for it: JSON then writes that decimal.
  const double shortest = std::strtod(fmt::format("{}", value).c_str(), nullptr);
  return static_cast<float>(shortest) == value && std::signbit(shortest) == std::signbit(value) ? shortest
                                                                                                : double{value};
}

SessionJson session_numbers(std::span<const float> values) {
  SessionJson out = SessionJson::array();
  for (const float value : values) {
    out.push_back(session_number(value));
  }
  return out;
}

SessionJson session_numbers(const glm::vec3& v) {
  return session_numbers(std::span<const float>(&v[0], 3));
}

SessionJson session_numbers(const glm::vec4& v) {
  return session_numbers(std::span<const float>(&v[0], 4));
}

SessionJson session_numbers(const glm::quat& q) {
  return session_numbers(glm::vec4(q.x, q.y, q.z, q.w));
}

SessionJson session_transform(const Transform& transform) {
  return {{"translation", session_numbers(transform.translation)},
          {"rotation", session_numbers(transform.rotation)},
          {"scale", session_numbers(transform.scale)}};
}

void Place::fail(std::string_view expected) const {
  constexpr std::size_t kMost = 40;
  throw SessionFault{fmt::format(
      "{}: expected {}, got {}", path_, expected,
      value_->is_structured() ? fmt::format("an {} of {}", value_->is_array() ? "array" : "object", value_->size())
                              : printable(value_->dump(-1, ' ', true, SessionJson::error_handler_t::replace), kMost))};
}

void Place::expect(bool condition, std::string_view what) const {
  if (!condition) {
    fail(what);
  }
}

std::string Place::shown(std::string_view key) {
  return printable(key);
}

void Place::each_member(const std::function<void(const std::string&, const Place&)>& call) const {
  expect(value_->is_object(), "an object");
  for (const auto& item : value_->items()) {
    call(item.key(), Place(item.value(), path_ + ", " + shown(item.key())));
  }
}

void Place::each(const std::function<void(const Place&)>& call) const {
  expect(value_->is_array(), "an array");
  for (std::size_t i = 0; i < value_->size(); ++i) {
    call(Place((*value_)[i], path_ + " " + std::to_string(i)));
  }
}

bool Place::has(const char* member) const {
  expect(value_->is_object(), "an object");
  return value_->contains(member);
}

Place Place::at(const char* member) const {
  expect(value_->is_object(), "an object");
  const auto found = value_->find(member);
  expect(found != value_->end(), fmt::format("an object with \"{}\"", member));
  return {*found, path_ + ", " + member};
}

std::string Place::text() const {
  expect(value_->is_string(), "text");
  return value_->get<std::string>();
}

bool Place::flag() const {
  expect(value_->is_boolean(), "true or false");
  return value_->get<bool>();
}

int Place::integer(int lowest, int highest) const {
  const bool is_whole = value_->is_number_integer() &&
                        !(value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t{1} << 62);
  const std::int64_t value = is_whole ? value_->get<std::int64_t>() : 0;
  expect(is_whole && value >= lowest && value <= highest, fmt::format("a number from {} to {}", lowest, highest));
  return static_cast<int>(value);
}

std::size_t Place::size_up_to(std::size_t most) const {
  expect(value_->is_number_unsigned() && value_->get<std::uint64_t>() <= most,
         fmt::format("a number from 0 to {}", most));
  return static_cast<std::size_t>(value_->get<std::uint64_t>());
}

float Place::number() const {
  const double value = value_->is_number() ? value_->get<double>() : std::numeric_limits<double>::infinity();
  const bool fits = std::abs(value) <= double{std::numeric_limits<float>::max()};
  expect(fits, "a finite number");
  return static_cast<float>(value);
}

std::vector<float> Place::numbers(std::size_t count) const {
  expect(value_->is_array() && value_->size() == count, fmt::format("{} numbers", count));
  std::vector<float> out;
  each([&](const Place& one) { out.push_back(one.number()); });
  return out;
}

glm::vec3 Place::vector() const {
  const std::vector<float> v = numbers(3);
  return {v[0], v[1], v[2]};
}

glm::quat Place::rotation() const {
  constexpr double kRounding = 1e-6;
  const std::vector<float> v = numbers(4);
  const glm::quat q = quat_xyzw(v[0], v[1], v[2], v[3]);
  const double squared = glm::dot(glm::dquat(q), glm::dquat(q));
  expect(squared > 1e-12 && std::isfinite(squared), "a quaternion of length 1");
  return std::abs(squared - 1) <= kRounding ? q : glm::quat(glm::dquat(q) / std::sqrt(squared));
}

Transform Place::transform() const {
  return {at("translation").vector(), at("rotation").rotation(), at("scale").vector()};
}

bool is_utf8(const std::string& text) {
  try {
    return !SessionJson(text).dump().empty();
  } catch (const SessionJson::exception&) {
    return false;
  }
}

JointKeys::JointKeys(const rig::Skeleton& file) {
  std::map<std::string, int> uses;
  std::map<int, int> nodes;
  for (std::size_t j = 0; j < file.name.size(); ++j) {
    ++uses[file.name[j]];
    ++nodes[file.source_node[j]];
  }
  for (std::size_t j = 0; j < file.name.size(); ++j) {
    const std::string& name = file.name[j];
    const bool is_own = !name.empty() && uses[name] == 1 && !name.starts_with("node ") && !name.starts_with("joint ");
    const int node = file.source_node[j];
    std::string key = is_own && is_utf8(name)         ? name
                      : node >= 0 && nodes[node] == 1 ? fmt::format("node {}", node)
                                                      : fmt::format("joint {}", j);
    joints_.emplace(key, static_cast<int>(j));
    keys_.push_back(std::move(key));
  }
}

int JointKeys::find(const std::string& key) const {
  const auto found = joints_.find(key);
  return found == joints_.end() ? -1 : found->second;
}

SessionJson session_reference(int index, const std::string& name) {
  SessionJson out = {{"index", index}};
  if (!name.empty() && is_utf8(name)) {
    out["name"] = name;
  }
  return out;
}

ReferredNames::ReferredNames(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto [known, is_new] = only_.emplace(names_[i], static_cast<int>(i));
    known->second = is_new ? known->second : -1;
  }
}

int ReferredNames::find(const Place& reference) const {
  const int index = reference.at("index").integer(0, std::numeric_limits<int>::max());
  const bool is_there = has_index(names_, index);
  if (!reference.has("name")) {
    const bool is_unnamed = is_there && (names_[index].empty() || !is_utf8(names_[index]));
    return is_unnamed ? index : -1;
  }
  const std::string name = reference.at("name").text();
  if (is_there && names_[index] == name) {
    return index;
  }
  const auto found = only_.find(name);
  return found == only_.end() ? -1 : found->second;
}

int referred(const Place& reference, std::span<const std::string> names) {
  return ReferredNames({names.begin(), names.end()}).find(reference);
}

namespace {

constexpr std::string_view kPercent = "percent:";

int hexadecimal(char c) {
  const std::size_t digit = std::string_view("0123456789ABCDEF").find(c);
  return digit == std::string_view::npos ? -1 : static_cast<int>(digit);
}

}  // namespace

std::string written_name(const std::string& name) {
  if (is_utf8(name) && !name.starts_with(kPercent)) {
    return name;
  }
  std::string out(kPercent);
  for (const char c : name) {
    const bool is_plain = c > ' ' && c < 0x7f && c != '%';  // folders stay folders
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string name_written(const std::string& text) {
  if (!text.starts_with(kPercent)) {
    return text;
  }
  std::string out;
  for (std::size_t i = kPercent.size(); i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hexadecimal(text[i + 1]) : -1;
    const int low = high >= 0 ? hexadecimal(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(16 * high + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace pelt::edit
