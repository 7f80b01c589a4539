#include "edit/file_behaviour.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "edit/behaviour_json.h"
#include "edit/file_extras.h"
#include "motion/vrm_springs.h"

namespace pelt::edit {
namespace {

constexpr int kBehaviourVersion = 1;
constexpr const char* kBehaviourMember = "behaviour";

motion::Behaviour without_extras(const rig::Character& character) {
  motion::Behaviour out;
  if (!character.spring_bones.empty()) {
    out.springs = motion::springs_of_file(character);
  }
  return out;
}

FileBehaviour read_file_behaviour(const rig::Character& character, const SessionJson& json) {
  FileBehaviour out;
  try {
    const Place root(json, "extras.pelt.behaviour");
    out.behaviour = read_behaviour(root);
    const int version = root.has("version") ? root.at("version").integer(1, 1'000'000) : 1;
    if (version <= kBehaviourVersion) {
      return out;
    }
    out.remarks.push_back(
        fmt::format("{}: made by a newer version of Pelt (its form is {}, this program reads up to {}); left out",
                    root.path(), version, kBehaviourVersion));
  } catch (const SessionFault& fault) {
    out.remarks.push_back(fault.message + "; left out");
  }
  out.behaviour = without_extras(character);
  out.refused = true;
  return out;
}

}  // namespace

FileBehaviour file_behaviour(const rig::Character& character) {
  if (may_name(character, kBehaviourMember)) {
    const SessionJson extras = extras_of(character);
    if (const SessionJson* const written = pelt_member(extras, kBehaviourMember); written != nullptr) {
      return read_file_behaviour(character, *written);
    }
  }
  return {.behaviour = without_extras(character), .remarks = {}};
}

Status put_behaviour(rig::Character& character, const motion::Behaviour& behaviour) {
  const bool is_plain = behaviour == without_extras(character);
  if (is_plain && !may_name(character, kBehaviourMember)) {
    return {};
  }
  SessionJson extras = extras_of(character);
  const SessionJson* const written = pelt_member(extras, kBehaviourMember);
  if (is_plain && (written == nullptr || read_file_behaviour(character, *written).refused)) {
    return {};
  }
  if (!extras.is_object() || (extras.contains("pelt") && !extras["pelt"].is_object())) {
    return error("the file's extras are no object, and its drivers, springs and sliders are not written");
  }
  SessionJson& pelt = extras["pelt"];
  if (is_plain) {
    pelt.erase(kBehaviourMember);
  } else {
    SessionJson out = {{"version", kBehaviourVersion}};
    out.update(behaviour_json(behaviour));
    pelt[kBehaviourMember] = std::move(out);
  }
  if (pelt.empty()) {
    extras.erase("pelt");
  }
  keep_extras(character, extras);
  return {};
}

}  // namespace pelt::edit
