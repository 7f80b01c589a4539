#pragma once

#include <memory>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "edit/document.h"
#include "rig/new_joints.h"

namespace pelt::edit {

/// Nodes behind those that the character has, to be bound. They hang on each other alone, and every number of joints
/// that anybody has stays.
struct AddJoints {
  std::vector<rig::NewJoint> joints;
  std::string what = {};  ///< "a humanoid", for the sentence; empty: how many
};

/// Other places of joints that were added and that no skin lists. All others stay where they are in the world, those
/// that hang on them, too. What was posed by hand of joints that were added and are not bound is let go, and of bound
/// ones whose rest transform becomes another.
struct PlaceJoints {
  std::vector<int> joints;
  std::vector<glm::vec3> places;  ///< one each: in the world, at rest
};

/// All joints that were added go again, with what was done to them. Refused where a skin lists one or a clip moves one.
struct RemoveNewJoints {};

/// The number of the first joint that was added; that of all joints where none was.
int first_new_joint(const Document& document);
/// The character of the document's file, with joints that were added: what names of joints in a session are about.
std::shared_ptr<const rig::Character> file_with_new_joints(const Document& document);

/// At most so many can be added at once, and in all: a session is read back with them.
inline constexpr std::size_t kMostNewJoints = 1000;
inline constexpr std::size_t kMostAddedJoints = 100'000;

std::string label(const Document& document, const AddJoints& change);
void carry_out(const Document& document, const AddJoints& change, Content& content, View& view);
std::string refusal(const Document& document, const AddJoints& change);
std::string label(const Document& document, const PlaceJoints& change);
void carry_out(const Document& document, const PlaceJoints& change, Content& content, View& view);
std::string refusal(const Document& document, const PlaceJoints& change);
std::string label(const Document& document, const RemoveNewJoints& change);
void carry_out(const Document& document, const RemoveNewJoints& change, Content& content, View& view);
std::string refusal(const Document& document, const RemoveNewJoints& change);

}  // namespace pelt::edit
