#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ui/volume_handles.h"

namespace pelt::ui {

struct Workspace;

/// By hand in the document, or what is about to be.
const std::vector<bind::JointVolume>& volumes_by_hand(const VolumeHandles& handles, const Desk& desk);
/// What is still to come is none any more.
void forget_wish(VolumeHandles& handles);
/// Of another character, or another version of it, all is made anew.
void forget_volume_work(VolumeHandles& handles);
/// Prepares what is shown, and puts the weights of the newest volumes into the document; in every picture.
void follow_volumes(VolumeHandles& handles, Desk& desk);

/// Other volumes in place of some of those shown, and of their partners where both sides are alike.
/// @param changes  by their place among shown_volumes()
void change_volumes(VolumeHandles& handles, const std::map<std::size_t, bind::Volume>& changes,
                    const std::string& merge_key, const Desk& desk);
/// A mesh as it lies at rest becomes the only volume of a joint, and in the mirror that of its partner where both sides
/// are alike. What is wrong with it, or to be said of it, stands in `error` when it is made.
/// @param open  gets the mesh, in the background  @param mesh  of what it opens; -1: all of it
void take_mesh_as_volume(Workspace& workspace, std::function<VolumeHandles::Opened(const Progress&)> open, int mesh,
                         const std::string& name, int joint);
/// The same with all of a file, for the joint `opened_for`.
void open_volume(Workspace& workspace, const std::string& file,
                 std::function<VolumeHandles::Opened(const Progress&)> open);
/// Those of a joint fit the surface again, of -1: all do.
void fit_volumes_again(VolumeHandles& handles, int joint, const Desk& desk);

}  // namespace pelt::ui
