#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "core/shared.h"
#include "edit/content.h"
#include "rig/character.h"
#include "rig/layers.h"

// Layers in a character's own file, as gltf/extras_pelt.md describes them: they travel as JSON in what is kept of the
// file's extras, so that readers and writers of files need not know any kind of layers.

namespace pelt::edit {

/// What a file says of layers.
struct FileLayers {
  SharedArray<rig::Layer> pose_layers = motion::standard_pose_layers();
  SharedArray<rig::Layer> deformer_layers = deform::standard_deformer_layers();
  std::vector<std::string> remarks;  ///< what cannot be used, or not as it stands: one sentence each
  bool refused = false;              ///< nothing of it could be used, and the stacks are the standard ones
};

/// The stacks of the character's file; the standard ones where it says nothing of them.
/// @cost O(extras of the file) where they name Pelt, else O(1)
FileLayers file_layers(const rig::Character& character);

/// Adds the remarks, those on behaviours too, to the character's diagnostics, unless reading the file has said that its
/// layers cannot be used.
void note_file_layers(rig::Character& character);

/// Makes the character's file say these layers, and the content's behaviour (file_behaviour.h): what is written from it
/// opens with them. Standard stacks are taken out and leave nothing behind; what could not be used stays as it was
/// while the stacks are standard. Other members stay. Fails, and changes nothing, where the file's extras have no room
/// for layers since they are no object.
Status put_layers(rig::Character& character, const Content& content);

/// The content as put_layers() wants it for a file that has no clips but these: clip layers have the new numbers, and
/// layers of clips that are left out are left out, too. Its character stays.
/// @param clips  numbers, in any order. @param lost  is told one phrase for each layer that is left out
Content with_layers_of_clips(Content content, const std::vector<int>& clips, std::vector<std::string>& lost);

}  // namespace pelt::edit
