#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/session.h"
#include "edit/library_edits.h"
#include "render/image_texture.h"

namespace pelt::app {

/// Small pictures of the character in stored poses: made when a pose is stored, and again for those that came without
/// one. On the thread of the context.
class PosePictures {
 public:
  /// A texture of the picture, 0 where it has yet to be made by make_next(). A few are read per picture of the window.
  std::uint64_t texture(const Shared<edit::StoredPose>& pose);
  /// Makes one of those that were asked for. Tells whether there is more to do.
  bool make_next(const Session& session, render::Renderer& renderer);
  /// A PNG of the character in the pose.
  Result<std::string> png(const Session& session, render::Renderer& renderer, const edit::StoredPose& pose);
  /// Puts pictures to the poses that these commands store, as long as they are few.
  void add_pictures(const Session& session, render::Renderer& renderer, edit::Commands& commands);

 private:
  struct Shown {
    Shared<edit::StoredPose> pose;  ///< held, so that no other pose gets its address
    render::ImageTexture texture;
    std::uint64_t used = 0;
  };
  Result<render::ImageRgba> draw(const Session& session, render::Renderer& renderer, const edit::StoredPose& pose);
  std::uint64_t keep(const Shared<edit::StoredPose>& pose, const render::ImageRgba& image);

  edit::Evaluation evaluation_;
  std::map<const void*, Shown> shown_;  ///< by the address of the pose
  std::vector<Shared<edit::StoredPose>> wanted_;
  std::uint64_t clock_ = 0;
  std::uint64_t drawn_ = 0;  ///< how many, for versions of what is drawn
  int read_ = 0;             ///< since the last make_next()
};

}  // namespace pelt::app
