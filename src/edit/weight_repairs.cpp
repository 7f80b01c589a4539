#include "edit/weight_repairs.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace pelt::edit {
namespace {

// Code of the finding, id of the tool.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kRepairs = {{
    {"weight-sum", "normalise"},
    {"weight-integer-sum", "normalise"},
    {"many-influences", "limit"},
    {"rogue-weight", "rogues"},
    {"weight-asymmetry", "mirror"},
    {"open-seam", "weld"},
}};

}  // namespace

std::optional<UseWeightTool> repair_of(const rig::Finding& finding) {
  const auto at = std::ranges::find(kRepairs, std::string_view(finding.code), &decltype(kRepairs)::value_type::first);
  if (at == kRepairs.end() || finding.place.mesh < 0) {
    return std::nullopt;
  }
  return UseWeightTool{.tool = std::string(at->second), .mesh = finding.place.mesh};
}

}  // namespace pelt::edit
