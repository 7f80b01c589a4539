#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <glm/glm.hpp>

#include "core/diagnostic.h"
#include "rig/character.h"
#include "ui/finding_details.h"
#include "ui/fix_popup.h"

namespace pelt::ui {

/// Of its row of tabs().
inline constexpr std::string_view kInfoTab = "info";

struct Desk;

/// What is inside the file. The numbers are counted once per character.
struct InfoPanel {
  std::shared_ptr<const rig::Character> character;  ///< that they were counted of
  std::vector<std::pair<std::string, std::string>> file;
  std::vector<std::pair<std::string, std::string>> counts;
  std::vector<std::pair<std::string, std::string>> memory;

  std::array<bool, 3> shown = {true, true, true};  ///< findings by severity
  int finding = -1;                                ///< the one that is marked, index into ListedFindings
  std::shared_ptr<const rig::Character> reported;  ///< the file that it is about, as ListedFindings::file
  FixPopup fix = {};
  FindingDetails details = {};  ///< the area below the list
  bool reveals = false;         ///< the section of findings opens in the next picture
  bool lists_findings = true;   ///< the section was open in the last picture
};

void draw(InfoPanel& panel, Desk& desk);

/// The gravest of what is known of the character: what was repaired on reading until lint() has looked, then its
/// findings.
std::optional<Severity> worst_finding(const Desk& desk);

/// Opens the tab with the list of findings.
void show_findings(Desk& desk);

/// Where the vertices of the marked finding are in a pane, world; the joint's place where it names no vertices. Empty
/// while another tab is in front.
std::vector<glm::vec3> marked_points(const Desk& desk, int pane);
/// Marks a finding of the report: selects its joint and brings the camera there, also where it is marked already.
/// @param finding  index into ListedFindings; any other number: nothing is marked any more
void mark_finding(Desk& desk, int finding);

}  // namespace pelt::ui
