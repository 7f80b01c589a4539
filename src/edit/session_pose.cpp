// Pose, clip and what is looked at, in a session.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "edit/layer_edits.h"
#include "edit/pose_reader.h"
#include "edit/session_parts.h"
#include "rig/character_parts.h"
#include "rig/surface_variants.h"

namespace pelt::edit {
namespace {

constexpr std::array<const char*, 3> kBasePoses = {"rest", "bind", "zero"};

template <typename List>
std::vector<std::string> session_names(const List& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) {
    names.push_back(thing.name);
  }
  return names;
}

SessionJson sliders_of(const rig::JointDofs& dofs, const std::vector<float>& values) {
  SessionJson out = SessionJson::object();
  for (std::size_t d = 0; d < dofs.dofs.size() && d < values.size(); ++d) {
    out[dofs.dofs[d].name] = session_number(values[d]);
  }
  return out;
}

// The sliders as they were where the joint has the very same ones, else those that come closest.
std::vector<float> read_sliders(const Place& sliders, const rig::JointDofs& dofs, const Transform& local) {
  std::vector<float> values;
  sliders.each_member([&](const std::string& name, const Place& value) {
    const std::size_t d = values.size();
    if (d < dofs.dofs.size() && dofs.dofs[d].name == name) {
      values.push_back(value.number());
    }
  });
  const bool has_all = values.size() == dofs.dofs.size() && values.size() == sliders.json().size();
  return has_all ? values : rig::dofs_from_local(dofs, local);
}

void read_joint(SessionReader& from, const std::string& key, const Place& value) {
  const int joint = from.joint(key, "the pose of");
  if (joint < 0) {
    return;
  }
  Content& content = from.document.content;
  if (value.has("order")) {
    const auto order = euler_order_from_name(value.at("order").text());
    if (!order) {
      value.at("order").fail("an order of axes such as XYZ");
    }
    if (rig::euler_order(content.character->skeleton->dofs[joint])) {
      content.euler_orders.edit().insert_or_assign(joint, *order);
    } else {
      from.lost.push_back(fmt::format("the rotation order of {}", printable(key)));
    }
  }
  if (value.has("local")) {
    JointOverride override{value.at("local").transform(), {}};
    override.dof_values = read_sliders(value.at("sliders"), joint_dofs(from.document, joint), override.local);
    content.overrides.edit().insert_or_assign(joint, std::move(override));
  }
}

void read_pin(SessionReader& from, std::map<int, motion::Pin>& pins, const Place& value) {
  const int joint = from.joint(value.at("joint").text(), "the pin of");
  const int root = joint < 0 ? -1 : from.joint(value.at("root").text(), "the pin that hangs on");
  const Transform place = value.at("place").transform();
  const bool slides = value.at("slides").flag();
  if (joint < 0 || root < 0) {
    return;
  }
  if (!from.document.content.character->skeleton->is_within(joint, root)) {
    from.lost.push_back(fmt::format("the pin of {}", printable(value.at("joint").text())));
    return;
  }
  pins[joint] = {joint, {root, slides}, place.translation, place.rotation};
}

SessionJson timing_json(const TimeSettings& timing) {
  SessionJson json = SessionJson::object();
  if (timing.frame_rate > 0) {
    json["frame_rate"] = session_number(timing.frame_rate);
  }
  json["in_seconds"] = timing.in_seconds;
  json["snaps"] = timing.snaps;
  json["auto_key"] = timing.auto_key;
  if (timing.has_work_range()) {
    json["work_range"] = SessionJson::array({session_number(timing.work_start), session_number(timing.work_end)});
  }
  return json;
}

TimeSettings read_timing(const Place& place) {
  TimeSettings timing;
  if (place.has("frame_rate")) {
    timing.frame_rate = std::clamp(place.at("frame_rate").number(), kSlowestFrames, kFastestFrames);
  }
  timing.in_seconds = place.has("in_seconds") && place.at("in_seconds").flag();
  timing.snaps = !place.has("snaps") || place.at("snaps").flag();
  timing.auto_key = place.has("auto_key") && place.at("auto_key").flag();
  if (place.has("work_range") && !place.has("work_clip")) {  // else the room of that clip, which read_clips() reads
    const std::vector<float> range = place.at("work_range").numbers(2);
    timing.work_start = range[0];
    timing.work_end = range[1];
    if (!(range[0] >= 0 && range[1] > range[0])) {
      place.at("work_range").fail("two times, the earlier one first");
    }
  }
  return timing;
}

}  // namespace

void SessionReader::report(float fraction) const {
  if (!pelt::report(progress, fraction, "Reading the session")) {
    throw SessionFault{"cancelled"};
  }
}

int SessionReader::joint(const std::string& key, const char* what) {
  const int joint = keys.find(key);
  if (joint < 0) {
    lost.push_back(fmt::format("{} {}", what, printable(key)));
  }
  return joint;
}

SessionJson shapes_json(const SessionWriter& to, const std::map<int, float>& weights) {
  SessionJson shapes = SessionJson::array();
  const rig::Character& character = *to.document.content.character;
  std::vector<MorphSlot> slots = morph_slots(character);
  std::ranges::sort(slots, {}, &MorphSlot::index);
  for (const auto& [index, weight] : weights) {
    const auto slot = std::ranges::lower_bound(slots, index, {}, &MorphSlot::index);
    if (slot != slots.end() && slot->index == index) {
      const int first = character.morph_offset[slot->joint];
      shapes.push_back({{"node", to.keys.key(slot->joint)},
                        {"shape", session_reference(index - first, slot->name)},
                        {"weight", session_number(weight)}});
    }
  }
  return shapes;
}

ShapeNames::ShapeNames(const rig::Character& character) {
  std::map<int, std::pair<int, std::vector<std::string>>> names;
  for (const MorphSlot& slot : morph_slots(character)) {
    names.try_emplace(slot.joint, slot.index, std::vector<std::string>()).first->second.second.push_back(slot.name);
  }
  for (auto& [joint, shapes] : names) {
    nodes_.emplace(joint, OfNode{shapes.first, ReferredNames(std::move(shapes.second))});
  }
}

void ShapeNames::read(SessionReader& from, const Place& value, std::map<int, float>& weights) const {
  const std::string node = value.at("node").text();
  const Place target = value.at("shape");
  const auto of_node = nodes_.find(from.keys.find(node));
  const int index = of_node == nodes_.end() ? -1 : of_node->second.names.find(target);
  const float weight = value.at("weight").number();
  if (index < 0) {
    from.lost.push_back(fmt::format("the shape {}", target.has("name") ? printable(target.at("name").text())
                                                                       : fmt::format("of {}", printable(node))));
    return;
  }
  weights.insert_or_assign(of_node->second.first + index, weight);
}

void write_pose(SessionWriter& to) {
  const Content& content = to.document.content;
  const rig::Character& character = *content.character;
  SessionJson pose = {{"base", kBasePoses[static_cast<std::size_t>(content.base)]}};
  if (content.clip >= 0) {
    pose["clip"] = session_reference(content.clip, character.clips[content.clip].name);
  }
  SessionJson joints = SessionJson::object();
  for (const auto& [joint, order] : *content.euler_orders) {
    joints[to.keys.key(joint)]["order"] = std::string(name_of(order));
  }
  for (const auto& [joint, override] : *content.overrides) {
    SessionJson& line = joints[to.keys.key(joint)];
    line["local"] = session_transform(override.local);
    line["sliders"] = sliders_of(joint_dofs(to.document, joint), override.dof_values);
  }
  if (!joints.empty()) {
    pose["joints"] = std::move(joints);
  }
  for (const motion::Pin& pin : content.pins) {
    const Transform place{.translation = pin.position, .rotation = pin.rotation};
    SessionJson line = {{"joint", to.keys.key(pin.joint)}, {"root", to.keys.key(pin.chain.root)}};
    line["slides"] = pin.chain.root_slides;
    line["place"] = session_transform(place);
    pose["pins"].push_back(std::move(line));
  }
  SessionJson shapes = shapes_json(to, *content.morph_overrides);
  if (!shapes.empty()) {
    pose["shapes"] = std::move(shapes);
  }
  to.json["pose"] = std::move(pose);
}

void read_pose_section(SessionReader& from) {
  if (!from.root.has("pose")) {
    return;
  }
  const Place pose = from.root.at("pose");
  Content& content = from.document.content;
  if (pose.has("base")) {
    const auto base =
        std::ranges::find(kBasePoses, pose.at("base").text(), [](const char* id) { return std::string(id); });
    if (base == kBasePoses.end()) {
      pose.at("base").fail("rest, bind or zero");
    }
    content.base = static_cast<BasePose>(base - kBasePoses.begin());
  }
  if (pose.has("clip")) {
    content.clip = referred(pose.at("clip"), session_names(content.character->clips));
    if (content.clip < 0) {
      from.lost.push_back(fmt::format("the clip {}", pose.at("clip").has("name")
                                                         ? printable(pose.at("clip").at("name").text())
                                                         : pose.at("clip").at("index").json().dump()));
    }
  }
  if (pose.has("joints")) {
    pose.at("joints").each_member([&](const std::string& key, const Place& value) { read_joint(from, key, value); });
  }
  if (pose.has("pins")) {
    std::map<int, motion::Pin> pins;
    pose.at("pins").each([&](const Place& value) { read_pin(from, pins, value); });
    for (const auto& [joint, pin] : pins) {
      content.pins.push_back(pin);
    }
  }
  if (pose.has("shapes")) {
    const ShapeNames names(*content.character);
    std::map<int, float> weights;
    pose.at("shapes").each([&](const Place& value) { names.read(from, value, weights); });
    if (!weights.empty()) {
      content.morph_overrides = std::move(weights);
    }
  }
}

void write_view(SessionWriter& to) {
  const Document& document = to.document;
  const View& view = document.view;
  SessionJson json = SessionJson::object();
  const rig::Character& character = *document.content.character;
  if (character.scenes.size() > 1) {
    json["scene"] = session_reference(character.scene, character.scenes[character.scene].name);
  }
  if (view.selected_joints.size() == 1) {
    json["selected"] = to.keys.key(view.selected_joint());
  } else if (!view.selected_joints.empty()) {
    json["selected"] = SessionJson::array();
    for (const int joint : view.selected_joints) {
      json["selected"].push_back(to.keys.key(joint));
    }
  }
  if (view.pinned_part >= 0 && view.pinned_vertex >= 0 && shows_own_surface(document)) {
    json["pinned"] = {{"part", view.pinned_part}, {"vertex", view.pinned_vertex}};
  }
  json["pane"] = view.active_pane;
  json["time"] = session_number(view.time);
  if (view.layer_limit >= 0) {
    json["layers"] = view.layer_limit;
  }
  if (view.timing != TimeSettings()) {
    json["timing"] = timing_json(view.timing);
  }
  if (view.symmetric_posing) {
    json["symmetric_posing"] = true;
  }
  const rig::SurfaceChoice& surface = document.surface;
  if (surface != rig::SurfaceChoice{}) {
    json["surface"] = {{"split_t_junctions", surface.split_t_junctions},
                       {"detail", surface.detail},
                       {"subdivisions", surface.subdivisions},
                       {"explode", session_number(surface.explode)}};
  }
  to.json["view"] = std::move(json);
}

void read_view(SessionReader& from) {
  if (!from.root.has("view")) {
    return;
  }
  const Place place = from.root.at("view");
  Document& document = from.document;
  View& view = document.view;
  constexpr int kMost = std::numeric_limits<int>::max();
  if (place.has("selected")) {
    const Place selected = place.at("selected");
    std::vector<int> joints;
    const auto read = [&](const Place& key) { joints.push_back(from.keys.find(key.text())); };
    selected.json().is_array() ? selected.each(read) : read(selected);
    std::erase(joints, -1);
    view.selected_joints = combined({}, joints, SelectBy::kReplace);
  }
  if (place.has("pinned")) {
    view.pinned_part = place.at("pinned").at("part").integer(0, kMost);
    view.pinned_vertex = place.at("pinned").at("vertex").integer(0, kMost);
  }
  view.active_pane = place.has("pane") ? place.at("pane").integer(0, kPaneLimit - 1) : 0;
  view.time = place.has("time") ? place.at("time").number() : 0;
  const int layers = static_cast<int>(layer_count(document.content));
  view.layer_limit = place.has("layers") ? std::min(place.at("layers").integer(0, kMost), layers) : -1;
  if (place.has("timing")) {
    view.timing = read_timing(place.at("timing"));
  }
  view.symmetric_posing = place.has("symmetric_posing") && place.at("symmetric_posing").flag();
  if (place.has("surface")) {
    const Place surface = place.at("surface");
    from.surface.split_t_junctions = surface.at("split_t_junctions").flag();
    from.surface.detail = surface.at("detail").integer(0, rig::kDetailLevels - 1);
    from.surface.subdivisions = surface.at("subdivisions").integer(0, rig::kMostSubdivisions);
    from.surface.explode = std::clamp(surface.at("explode").number(), 0.0f, rig::kMostExploded);
  }
  keep_valid(view, document);
}

}  // namespace pelt::edit
