#include "edit/behaviour_json.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"

namespace pelt::edit {
namespace {

constexpr std::size_t kLongestWord = 4096;
constexpr std::size_t kMostSemanticSliders = 1000;
constexpr std::size_t kMostMaskJoints = 100000;

struct ShapeName {
  rig::ColliderShape shape;
  const char* id;
};
constexpr std::array kShapeNames = {ShapeName{rig::ColliderShape::kSphere, "sphere"},
                                    ShapeName{rig::ColliderShape::kCapsule, "capsule"},
                                    ShapeName{rig::ColliderShape::kPlane, "plane"}};

// Numbers of a spring joint by their names.
struct JointNumber {
  const char* id;
  float motion::SpringJoint::*number;
};
constexpr std::array kJointNumbers = {
    JointNumber{"mass", &motion::SpringJoint::mass},       JointNumber{"stiffness", &motion::SpringJoint::stiffness},
    JointNumber{"damping", &motion::SpringJoint::damping}, JointNumber{"drag", &motion::SpringJoint::drag},
    JointNumber{"wind", &motion::SpringJoint::wind},       JointNumber{"cone", &motion::SpringJoint::cone},
    JointNumber{"radius", &motion::SpringJoint::radius}};

SessionJson chain_json(const motion::SpringChain& chain) {
  SessionJson joints = SessionJson::array();
  for (const motion::SpringJoint& joint : chain.joints) {
    SessionJson& out = joints.emplace_back(SessionJson{{"joint", joint.joint}});
    for (const JointNumber& row : kJointNumbers) {
      out[row.id] = session_number(joint.*row.number);
    }
    out["gravity"] = session_numbers(joint.gravity);
  }
  return {{"name", chain.name}, {"on", chain.on},         {"joints", std::move(joints)},
          {"end", chain.end},   {"center", chain.center}, {"colliders", chain.colliders}};
}

SessionJson collider_json(const motion::SpringCollider& collider) {
  const auto shape = std::ranges::find(kShapeNames, collider.shape, &ShapeName::shape);
  return {{"name", collider.name},
          {"joint", collider.joint},
          {"shape", shape->id},
          {"offset", session_numbers(collider.offset)},
          {"tail", session_numbers(collider.tail)},
          {"normal", session_numbers(collider.normal)},
          {"radius", session_number(collider.radius)},
          {"inside", collider.inside}};
}

SessionJson springs_json(const motion::SpringSet& springs) {
  SessionJson chains = SessionJson::array();
  for (const motion::SpringChain& chain : springs.chains) {
    chains.push_back(chain_json(chain));
  }
  SessionJson colliders = SessionJson::array();
  for (const motion::SpringCollider& collider : springs.colliders) {
    colliders.push_back(collider_json(collider));
  }
  return {{"chains", std::move(chains)},
          {"colliders", std::move(colliders)},
          {"wind",
           {{"acceleration", session_numbers(springs.wind.acceleration)},
            {"gusts", session_number(springs.wind.gusts)},
            {"period", session_number(springs.wind.period)}}}};
}

SessionJson constraint_json(const motion::Constraint& constraint) {
  const motion::ConstraintKindInfo& kind = motion::constraint_kinds()[static_cast<std::size_t>(constraint.kind)];
  SessionJson out = {{"kind", std::string(kind.id)}, {"joint", constraint.joint}};
  if (!constraint.target.empty()) {
    out["target"] = constraint.target;
  }
  out["on"] = constraint.on;
  out["weight"] = session_number(constraint.weight);
  const motion::Constraint standard;
  if (constraint.axis != standard.axis) {
    out["axis"] = session_numbers(constraint.axis);
  }
  if (constraint.axes != standard.axes) {
    out["axes"] = constraint.axes;
  }
  if (constraint.offset != standard.offset) {
    out["offset"] = session_transform(constraint.offset);
  }
  if (constraint.height != standard.height) {
    out["height"] = session_number(constraint.height);
  }
  return out;
}

// Seconds of a clip layer and more of its numbers, by their names.
struct ClipLayerNumber {
  const char* id;
  float motion::ClipLayer::*number;
  float lowest;
  float highest;
};
constexpr std::array kClipLayerNumbers = {
    ClipLayerNumber{"weight", &motion::ClipLayer::weight, 0, 1},
    ClipLayerNumber{"speed", &motion::ClipLayer::speed, -motion::kFastestClipLayer, motion::kFastestClipLayer},
    ClipLayerNumber{"start", &motion::ClipLayer::start, 0, motion::kLongestClipLayer},
    ClipLayerNumber{"offset", &motion::ClipLayer::offset, -motion::kLongestClipLayer, motion::kLongestClipLayer},
    ClipLayerNumber{"length", &motion::ClipLayer::length, 0, motion::kLongestClipLayer},
    ClipLayerNumber{"fade_in", &motion::ClipLayer::fade_in, 0, motion::kLongestClipLayer},
    ClipLayerNumber{"fade_out", &motion::ClipLayer::fade_out, 0, motion::kLongestClipLayer}};

SessionJson clip_layer_json(const motion::ClipLayer& layer) {
  SessionJson out = {{"clip", layer.clip},
                     {"on", layer.on},
                     {"mode", layer.mode == motion::ClipLayerMode::kAdditive ? "additive" : "override"}};
  if (layer.reference != motion::AdditiveReference::kFirstFrame) {
    out["reference"] = "rest";
  }
  const motion::ClipLayer standard;
  for (const ClipLayerNumber& row : kClipLayerNumbers) {
    if (layer.*row.number != standard.*row.number) {
      out[row.id] = session_number(layer.*row.number);
    }
  }
  out["loops"] = layer.loops;
  if (!layer.joints.empty()) {
    out["joints"] = layer.joints;
    out["below"] = layer.below;
  }
  return out;
}

SessionJson slider_json(const motion::SemanticSlider& slider) {
  SessionJson rows = SessionJson::array();
  for (const motion::SliderRow& row : slider.rows) {
    SessionJson& out = rows.emplace_back(SessionJson{{"target", row.target}, {"amount", session_number(row.amount)}});
    if (row.curve != 0) {
      out["curve"] = session_number(row.curve);
    }
  }
  return {{"name", slider.name},
          {"lower", session_number(slider.lower)},
          {"upper", session_number(slider.upper)},
          {"value", session_number(slider.value)},
          {"rows", std::move(rows)}};
}

std::string word(const Place& place) {
  std::string text = place.text();
  if (text.size() > kLongestWord) {
    place.fail(fmt::format("at most {} bytes", kLongestWord));
  }
  return text;
}

std::string word_or_nothing(const Place& place, const char* member) {
  return place.has(member) ? word(place.at(member)) : std::string();
}

// Calls it for each element of a list that may be missing.
template <typename Read>
void each_of(const Place& place, const char* member, std::size_t most, const Read& read) {
  std::size_t count = 0;
  if (place.has(member)) {
    place.at(member).each([&](const Place& one) {
      if (++count > most) {
        one.fail(fmt::format("at most {}", most));
      }
      read(one);
    });
  }
}

void read_number(const Place& place, const char* member, float lowest, float& out) {
  if (place.has(member)) {
    out = place.at(member).number();
    if (out < lowest) {
      place.at(member).fail(fmt::format("a number of {:g} or more", lowest));
    }
  }
}

motion::SpringJoint read_joint_of_chain(const Place& place) {
  motion::SpringJoint out{.joint = word(place.at("joint"))};
  for (const JointNumber& row : kJointNumbers) {
    read_number(place, row.id, 0, out.*row.number);
  }
  if (place.has("gravity")) {
    out.gravity = place.at("gravity").vector();
  }
  return out;
}

motion::SpringChain read_chain(const Place& place) {
  motion::SpringChain out{.name = word_or_nothing(place, "name")};
  out.on = !place.has("on") || place.at("on").flag();
  each_of(place, "joints", motion::kMostSpringJoints,
          [&](const Place& joint) { out.joints.push_back(read_joint_of_chain(joint)); });
  out.end = word_or_nothing(place, "end");
  out.center = word_or_nothing(place, "center");
  each_of(place, "colliders", motion::kMostSpringColliders,
          [&](const Place& collider) { out.colliders.push_back(word(collider)); });
  return out;
}

motion::SpringCollider read_collider(const Place& place) {
  motion::SpringCollider out{.name = word(place.at("name")), .joint = word(place.at("joint"))};
  const std::string id = place.at("shape").text();
  const auto shape = std::ranges::find(kShapeNames, id, &ShapeName::id);
  if (shape == kShapeNames.end()) {
    place.at("shape").fail("sphere, capsule or plane");
  }
  out.shape = shape->shape;
  for (const auto& [member, vector] :
       {std::pair("offset", &out.offset), std::pair("tail", &out.tail), std::pair("normal", &out.normal)}) {
    if (place.has(member)) {
      *vector = place.at(member).vector();
    }
  }
  read_number(place, "radius", 0, out.radius);
  out.inside = place.has("inside") && place.at("inside").flag();
  return out;
}

motion::SpringSet read_spring_set(const Place& place) {
  motion::SpringSet out;
  each_of(place, "chains", motion::kMostSpringJoints,
          [&](const Place& chain) { out.chains.push_back(read_chain(chain)); });
  each_of(place, "colliders", motion::kMostSpringColliders,
          [&](const Place& collider) { out.colliders.push_back(read_collider(collider)); });
  if (place.has("wind")) {
    const Place wind = place.at("wind");
    if (wind.has("acceleration")) {
      out.wind.acceleration = wind.at("acceleration").vector();
    }
    read_number(wind, "gusts", 0, out.wind.gusts);
    read_number(wind, "period", 1e-3f, out.wind.period);
  }
  return out;
}

motion::Constraint read_document_constraint(const Place& place) {
  motion::Constraint out;
  const std::string id = place.at("kind").text();
  const auto kind = std::ranges::find(motion::constraint_kinds(), id, &motion::ConstraintKindInfo::id);
  if (kind == motion::constraint_kinds().end()) {
    place.at("kind").fail("position, parent, rotation, roll, aim or floor");
  }
  out.kind = kind->kind;
  out.joint = word(place.at("joint"));
  out.target = word_or_nothing(place, "target");
  out.on = !place.has("on") || place.at("on").flag();
  out.weight = place.has("weight") ? std::clamp(place.at("weight").number(), 0.0f, 1.0f) : 1;
  if (place.has("axis")) {
    out.axis = place.at("axis").vector();
    const float length = glm::length(out.axis);
    if (!(length > 1e-6f && length < 1e6f)) {
      place.at("axis").fail("a direction");
    }
    out.axis = std::abs(length - 1) < 1e-6f ? out.axis : out.axis / length;
  }
  if (place.has("axes")) {
    std::size_t i = 0;
    place.at("axes").each([&](const Place& axis) {
      if (i == out.axes.size()) {
        axis.fail("three axes");
      }
      out.axes[i++] = axis.flag();
    });
  }
  if (place.has("offset")) {
    out.offset = place.at("offset").transform();
  }
  out.height = place.has("height") ? place.at("height").number() : 0;
  return out;
}

// One of two words; the first where the member is missing.
bool second_of(const Place& place, const char* member, const char* first, const char* second) {
  if (!place.has(member)) {
    return false;
  }
  const std::string id = place.at(member).text();
  if (id != first && id != second) {
    place.at(member).fail(fmt::format("{} or {}", first, second));
  }
  return id == second;
}

motion::ClipLayer read_clip_layer(const Place& place) {
  motion::ClipLayer out{.clip = word(place.at("clip"))};
  out.on = !place.has("on") || place.at("on").flag();
  out.mode = second_of(place, "mode", "override", "additive") ? motion::ClipLayerMode::kAdditive
                                                              : motion::ClipLayerMode::kOverride;
  out.reference = second_of(place, "reference", "first", "rest") ? motion::AdditiveReference::kRest
                                                                 : motion::AdditiveReference::kFirstFrame;
  for (const ClipLayerNumber& row : kClipLayerNumbers) {
    if (place.has(row.id)) {
      out.*row.number = std::clamp(place.at(row.id).number(), row.lowest, row.highest);
    }
  }
  out.loops = !place.has("loops") || place.at("loops").flag();
  each_of(place, "joints", kMostMaskJoints, [&](const Place& joint) { out.joints.push_back(word(joint)); });
  out.below = !out.joints.empty() && place.has("below") && place.at("below").flag();
  return out;
}

motion::SemanticSlider read_slider(const Place& place) {
  motion::SemanticSlider out{.name = single_line(word(place.at("name")), kLongestWord)};
  out.lower = place.has("lower") ? std::min(place.at("lower").number(), 0.0f) : 0.0f;
  out.upper = place.has("upper") ? std::max(place.at("upper").number(), 0.0f) : 1.0f;
  out.value = place.has("value") ? std::clamp(place.at("value").number(), out.lower, out.upper) : 0.0f;
  each_of(place, "rows", motion::kMostSliderRows, [&](const Place& row) {
    out.rows.push_back(
        {word(row.at("target")), row.at("amount").number(), row.has("curve") ? row.at("curve").number() : 0.0f});
  });
  return out;
}

}  // namespace

SessionJson behaviour_json(const motion::Behaviour& behaviour) {
  SessionJson out = SessionJson::object();
  if (!behaviour.sliders.empty()) {
    SessionJson& sliders = out["sliders"] = SessionJson::array();
    for (const motion::SemanticSlider& slider : behaviour.sliders) {
      sliders.push_back(slider_json(slider));
    }
  }
  if (!behaviour.drivers.empty()) {
    SessionJson& drivers = out["drivers"] = SessionJson::array();
    for (const motion::Driver& driver : behaviour.drivers) {
      drivers.push_back({{"target", driver.target}, {"expression", driver.expression}, {"on", driver.on}});
    }
  }
  if (behaviour.springs != motion::SpringSet()) {
    out["springs"] = springs_json(behaviour.springs);
  }
  if (!behaviour.constraints.empty()) {
    SessionJson& constraints = out["constraints"] = SessionJson::array();
    for (const motion::Constraint& constraint : behaviour.constraints) {
      constraints.push_back(constraint_json(constraint));
    }
  }
  if (!behaviour.clip_layers.empty()) {
    SessionJson& layers = out["clip_layers"] = SessionJson::array();
    for (const motion::ClipLayer& layer : behaviour.clip_layers) {
      layers.push_back(clip_layer_json(layer));
    }
  }
  return out;
}

motion::Behaviour read_behaviour(const Place& place) {
  motion::Behaviour out;
  place.each_member([](const std::string&, const Place&) {});  // it must be an object
  each_of(place, "sliders", kMostSemanticSliders,
          [&](const Place& slider) { out.sliders.push_back(read_slider(slider)); });
  each_of(place, "drivers", motion::kMostDrivers, [&](const Place& driver) {
    out.drivers.push_back(
        {word(driver.at("target")), word(driver.at("expression")), !driver.has("on") || driver.at("on").flag()});
  });
  if (place.has("springs")) {
    out.springs = read_spring_set(place.at("springs"));
  }
  each_of(place, "constraints", motion::kMostDocumentConstraints,
          [&](const Place& constraint) { out.constraints.push_back(read_document_constraint(constraint)); });
  each_of(place, "clip_layers", motion::kMostClipLayers,
          [&](const Place& layer) { out.clip_layers.push_back(read_clip_layer(layer)); });
  return out;
}

}  // namespace pelt::edit
