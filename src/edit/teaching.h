#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deform/deform.h"
#include "edit/document.h"

namespace pelt::edit {

/// A number of which theory tells the value, beside what the program makes of it.
struct TeachingRow {
  std::string name;                   ///< for example "ring radius at the joint"
  std::string unit;                   ///< "m" or empty for a ratio
  std::optional<double> closed_form;  ///< nothing where theory has no short answer for the method
  double measured = 0;
  std::string formula = {};   ///< of closed_form, theta the turn of the joint
  std::string quantity = {};  ///< id of the SkinQuantity that is the same number over `rest`; empty where none is
  double rest = 1;            ///< closed_form in the rest pose
};

/// The rows of the three teaching rigs in the pose and with the method of the document; empty for any other character
/// and for poses that are neither a pure twist nor a pure bend; the rest pose is both.
///
/// The tube (`@cylinder`, fixture F-CYL): ring radii under twist, widths under bend (checks C7.3, C7.5, C53.2),
/// enclosed volume against the continuum (§53). The elbow (`@elbow`, fixture F-ELBOW): the place of its vertex A and
/// its distance to the hinge (checks C7.1, C22.2). The NURBS tube (`@tube`): how far its two refinements are apart, and
/// the ring at the joint (check C52.6).
/// @param shape  the document's pose deformed by the document's method
std::vector<TeachingRow> teaching_rows(const Document& document, const deform::DeformedCharacter& shape);

/// Part and vertex that the elbow's formulas are about, its vertex A; nothing for any other character.
std::optional<glm::ivec2> teaching_vertex(const rig::Character& character);

/// Angles worth a mark on a slider of a teaching rig, radians: up to 60 degrees linear blending does well, towards 180
/// it collapses (ALGORITHMS.md §7). Empty for other characters and for sliders that are no turn.
std::vector<float> teaching_marks(const rig::Character& character, const rig::Dof& dof);

}  // namespace pelt::edit
