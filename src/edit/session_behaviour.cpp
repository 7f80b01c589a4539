// Drivers, springs and semantic sliders, in a session.
#include <nlohmann/json.hpp>

#include "edit/behaviour_json.h"
#include "edit/file_behaviour.h"
#include "edit/session_parts.h"

namespace pelt::edit {

void write_behaviour(SessionWriter& to) {
  const motion::Behaviour& behaviour = to.document.content.behaviour;
  if (behaviour != motion::Behaviour() || file_behaviour(*to.document.file).behaviour != motion::Behaviour()) {
    to.json["behaviour"] = behaviour_json(behaviour);
  }
}

void read_behaviour(SessionReader& from) {
  if (from.root.has("behaviour")) {
    motion::Behaviour behaviour = read_behaviour(from.root.at("behaviour"));
    if (behaviour != *from.document.content.behaviour) {
      from.document.content.behaviour = std::move(behaviour);
    }
  }
}

}  // namespace pelt::edit
