// Joint maps as JSON.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/guarded_json.h"
#include "core/text.h"
#include "motion/joint_map.h"

namespace pelt::motion {
namespace {

using MapJson = nlohmann::ordered_json;

constexpr int kMapVersion = 1;
constexpr double kMapDigits = 1e4;  // shares and confidences are written to four digits

double rounded(double value) {
  return std::round(value * kMapDigits) / kMapDigits;
}

// A joint by what map_reference() says of it.
Result<int> joint_of(const rig::Skeleton& skeleton, const std::string& reference, std::string_view whose) {
  int found = -1;
  for (int j = 0; j < skeleton.size(); ++j) {
    if (skeleton.name[j] == reference) {
      if (found >= 0) {
        return error("the {} has several joints \"{}\"; expected \"node N\" for one of them", whose,
                     printable(reference));
      }
      found = j;
    }
  }
  if (found < 0 && reference.starts_with("node ")) {
    const std::optional<int> node = parse_integer(std::string_view(reference).substr(5));
    found = node ? skeleton.from_source_node(*node) : -1;
  }
  if (found < 0) {
    return error("the {} has no joint \"{}\"{}", whose, printable(reference), suggestion(reference, skeleton.name));
  }
  return found;
}

Result<int> joint_member(const MapJson& row, const char* member, const rig::Skeleton& skeleton,
                         std::string_view whose) {
  const auto found = row.find(member);
  if (found == row.end() || !found->is_string()) {
    return error("expected a text \"{}\", got {}", member, found == row.end() ? "none" : found->type_name());
  }
  return joint_of(skeleton, found->get<std::string>(), whose);
}

Result<double> share_member(const MapJson& row, const char* member, double without) {
  const auto found = row.find(member);
  if (found == row.end()) {
    return without;
  }
  const double value = found->is_number() ? found->get<double>() : -1;
  if (!(value >= 0 && value <= 1)) {
    return error("\"{}\": expected a number from 0 to 1, got {}", member,
                 printable(found->dump(-1, ' ', true, MapJson::error_handler_t::replace), 24));
  }
  return value;
}

std::string text_member(const MapJson& row, const char* member) {
  const auto found = row.find(member);
  return found != row.end() && found->is_string() ? single_line(found->get<std::string>(), 200) : std::string();
}

Result<MappedJoint> read_row(const MapJson& json, const rig::Skeleton& source, const rig::Skeleton& target) {
  if (!json.is_object()) {
    return error("expected an object, got {}", json.type_name());
  }
  MappedJoint row;
  PELT_TRY_TO(row.target, joint_member(json, "target", target, "character"));
  if (const auto found = json.find("source"); found != json.end() && found->is_null()) {
    return row;  // left out by hand
  }
  PELT_TRY_TO(row.source, joint_member(json, "source", source, "motion"));
  if (json.contains("other")) {
    PELT_TRY_TO(row.other, joint_member(json, "other", source, "motion"));
  }
  PELT_TRY_TO(row.share, share_member(json, "share", 1));
  PELT_TRY_TO(row.confidence, share_member(json, "confidence", 1));
  row.role = text_member(json, "role");
  row.reason = text_member(json, "reason");
  return row;
}

}  // namespace

std::string map_reference(const rig::Skeleton& skeleton, int j) {
  const std::string& name = skeleton.name[j];
  const bool unique = !name.empty() && std::ranges::count(skeleton.name, name) == 1;
  return unique ? name : fmt::format("node {}", skeleton.source_node[j]);
}

std::string to_json(const JointMap& map, const rig::Skeleton& source, const rig::Skeleton& target) {
  std::string out = fmt::format("{{\n  \"pelt\": \"joint-map\",\n  \"version\": {},\n  \"rows\": [", kMapVersion);
  for (std::size_t n = 0; n < map.rows.size(); ++n) {
    const MappedJoint& row = map.rows[n];
    MapJson json = {{"target", map_reference(target, row.target)}, {"source", map_reference(source, row.source)}};
    if (row.other >= 0) {
      json["other"] = map_reference(source, row.other);
      json["share"] = rounded(row.share);
    }
    json["role"] = row.role;
    json["confidence"] = rounded(row.confidence);
    json["reason"] = row.reason;
    out += fmt::format("{}\n    {}", n > 0 ? "," : "", json.dump(-1, ' ', false, MapJson::error_handler_t::replace));
  }
  return out + "\n  ]\n}\n";
}

Result<JointMap> read_joint_map(std::string_view text, const rig::Skeleton& source, const rig::Skeleton& target) {
  PELT_TRY_TO(const MapJson json, parse_json<MapJson>(text));
  if (!json.is_object() || text_member(json, "pelt") != "joint-map") {
    return error("expected a joint map, {{\"pelt\": \"joint-map\", ...}}");
  }
  const auto version = json.find("version");
  if (version == json.end() || !version->is_number_integer() || version->get<std::int64_t>() != kMapVersion) {
    return error("expected version {} of joint maps, got {}", kMapVersion,
                 version == json.end()
                     ? "none"
                     : printable(version->dump(-1, ' ', true, MapJson::error_handler_t::replace), 24));
  }
  const auto rows = json.find("rows");
  if (rows == json.end() || !rows->is_array()) {
    return error("expected an array \"rows\", got {}", rows == json.end() ? "none" : rows->type_name());
  }
  JointMap map;
  std::vector<char> seen(static_cast<std::size_t>(target.size()), 0);
  for (std::size_t n = 0; n < rows->size(); ++n) {
    Result<MappedJoint> row = read_row((*rows)[n], source, target);
    if (!row) {
      return row.error().in(fmt::format("row {}", n));
    }
    if (seen[row->target] != 0) {
      return error("row {}: the joint \"{}\" has a row already", n, printable(map_reference(target, row->target)));
    }
    seen[row->target] = 1;
    if (row->source >= 0) {
      map.rows.push_back(*std::move(row));
    }
  }
  std::ranges::sort(map.rows, {}, &MappedJoint::target);
  return map;
}

}  // namespace pelt::motion
