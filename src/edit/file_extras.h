#pragma once

#include <string_view>

#include "edit/session_json.h"
#include "rig/character.h"

// What a character's own file says in `extras.pelt` of the file itself: it travels as JSON in what is kept of the
// file's extras, so that readers and writers of files need not know it. Only file_*.cpp include this.

namespace pelt::edit {

/// The extras of the file; an empty object where it has none, null where they are no JSON.
SessionJson extras_of(const rig::Character& character);
/// Cheap: most files say nothing of the kind, and what they say of other things may be long.
bool may_name(const rig::Character& character, std::string_view member);
/// A member of `extras.pelt`; null where there is none.
const SessionJson* pelt_member(const SessionJson& extras, const char* member);
/// Makes these the extras of the file; empty ones leave nothing behind.
void keep_extras(rig::Character& character, const SessionJson& extras);

}  // namespace pelt::edit
