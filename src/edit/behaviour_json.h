#pragma once

#include "edit/session_json.h"
#include "motion/behaviour.h"

// Behaviours as JSON, in the one form that sessions and `extras.pelt.behaviour` have. Only session*.cpp and
// file_behaviour.cpp include this.

namespace pelt::edit {

/// Angles in radians where they are not part of an expression or a row, whose numbers are degrees.
SessionJson behaviour_json(const motion::Behaviour& behaviour);

/// Fails (SessionFault) where a value is none that a behaviour can have, or where there are too many.
motion::Behaviour read_behaviour(const Place& place);

}  // namespace pelt::edit
