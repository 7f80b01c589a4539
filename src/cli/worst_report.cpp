#include "cli/worst_report.h"

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "edit/worst_spots.h"

namespace pelt::cli {
namespace {

using SpotJson = nlohmann::ordered_json;

SpotJson to_json(const edit::WorstSpots& found, const edit::WorstSpot& spot) {
  const rig::Character& character = *found.character;
  const rig::Part& part = character.parts[static_cast<std::size_t>(spot.part)];
  SpotJson out = {{"part", spot.part}, {"mesh", part.mesh}, {"primitive", part.primitive}, {"vertex", spot.vertex}};
  if (spot.joint >= 0) {
    out["node"] = character.skeleton->source_node[static_cast<std::size_t>(spot.joint)];
    out["joint"] = character.skeleton->label(spot.joint);
  }
  out["pose"] = found.poses[static_cast<std::size_t>(spot.pose)].label;
  out["strain"] = spot.strain;
  out["jump"] = spot.jump;
  out["flipped"] = spot.flipped;
  out["badness"] = spot.badness;
  return out;
}

}  // namespace

std::string worst_report(const edit::Document& document, std::string_view file, int most,
                         const edit::BatteryOptions& battery, bool json) {
  if (document.character->skins.empty()) {
    print_note("--worst: the character has no skin; nothing deforms");
  }
  // Nothing stops it, so there is a result.
  const edit::WorstSpots found = *edit::find_worst_spots(document, battery, static_cast<std::size_t>(most),
                                                         std::make_shared<deform::SkinCache>(), {});
  if (json) {
    const edit::BatteryRanges& ranges = found.ranges;
    SpotJson out = {{"file", file},
                    {"poses", found.poses.size()},
                    {"ranges", {{"own", ranges.own}, {"body", ranges.body}, {"free", ranges.free}}},
                    {"spots", SpotJson::array()}};
    for (const edit::WorstSpot& spot : found.spots) {
      out["spots"].push_back(to_json(found, spot));
    }
    return out.dump(2, ' ', false, SpotJson::error_handler_t::replace) + "\n";
  }
  std::string text;
  for (const edit::WorstSpot& spot : found.spots) {
    text += edit::sentence(found, spot) + "\n";
  }
  return text + fmt::format("{} pose(s) tried{}\n{}\n", found.poses.size(),
                            found.spots.empty() ? ", and no place deforms badly in any" : "",
                            edit::sentence(found.ranges));
}

}  // namespace pelt::cli
