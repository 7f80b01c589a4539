#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "edit/content.h"
#include "motion/memory.h"

namespace pelt::edit {

/// What follows from a content before any pose is made: behaviours found in the character, and what springs and drivers
/// have computed of moments of the clip. Keeps that of the last few contents, which it knows again by pointers. Copies
/// of a document share one; may be used on several threads.
class MotionCache {
 public:
  /// Stays valid while it is held.
  struct Prepared {
    std::shared_ptr<const motion::SliderRig> sliders;
    std::shared_ptr<const motion::DriverRig> drivers;
    std::shared_ptr<const motion::SpringRig> springs;
    std::shared_ptr<const motion::ConstraintRig> constraints;
    std::shared_ptr<const motion::ClipLayerRig> clip_layers;
    std::shared_ptr<motion::MotionMemory> memory;
  };
  /// @param shown  the character with the surface that is shown
  Prepared prepared(const Content& content, const rig::Character& shown);

 private:
  /// All that decides what a layer finds at another moment of the clip.
  struct Key {
    Shared<rig::Skeleton> skeleton;
    SharedArray<rig::MeshNode> mesh_nodes;
    SharedArray<int> morph_offset;
    SharedList<mesh::Mesh> meshes;
    SharedList<rig::Clip> clips;
    SharedArray<rig::NodeConstraint> constraints;
    Shared<motion::Behaviour> behaviour;
    BasePose base = BasePose::kRest;
    int clip = -1;
    Shared<std::map<int, JointOverride>> overrides;
    Shared<std::map<int, float>> morph_overrides;
    SharedArray<motion::Pin> pins;
    Shared<std::map<int, EulerOrder>> euler_orders;
    SharedArray<rig::Layer> pose_layers;
  };
  struct Entry {
    Key key;
    Prepared prepared;
  };
  static bool same_rigs(const Key& a, const Key& b);
  static bool same(const Key& a, const Key& b);

  std::mutex mutex_;
  std::list<Entry> entries_;  ///< the last one first
};

}  // namespace pelt::edit
