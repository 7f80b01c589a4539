#include "app/pose_pictures.h"

#include <algorithm>
#include <span>
#include <utility>

#include "cli/draw.h"
#include "core/index.h"
#include "gltf/image_codec.h"

namespace pelt::app {
namespace {

constexpr int kPictureSide = 192;  // pixels: twice that of a thumbnail
constexpr std::size_t kMostTextures = 400;
constexpr int kReadAtOnce = 6;           // pictures that are decoded for one picture of the window
constexpr std::size_t kDrawnAtOnce = 4;  // that a command waits for
/// Versions of what is drawn here, which no evaluation of the window reaches.
constexpr std::uint64_t kFirstVersion = std::uint64_t{1} << 62;

std::optional<render::ImageRgba> decoded(const std::string& png) {
  const auto bytes = std::span(reinterpret_cast<const std::uint8_t*>(png.data()), png.size());
  constexpr int kLargestSide = 1024;
  const auto size = gltf::image_size(bytes, kLargestSide);
  if (!size) {
    return std::nullopt;
  }
  auto pixels = gltf::decode_image(bytes, *size);
  if (!pixels) {
    return std::nullopt;
  }
  return render::ImageRgba{size->width, size->height, *std::move(pixels)};
}

// What a picture of a part of the character shows: its joints with what hangs on them.
Bounds bounds_of_part(const rig::Skeleton& skeleton, std::span<const glm::mat4> world, const edit::StoredPose& pose,
                      const Bounds& all) {
  Bounds part;
  for (const auto& [joint, local] : pose.joints) {
    if (!has_index(world, joint)) {
      continue;  // it may be of a version of the character that had more
    }
    part.add(glm::vec3(world[joint][3]));
    for (const int child : skeleton.children(joint)) {
      part.add(glm::vec3(world[child][3]));
    }
  }
  const float air = std::max(0.2f * part.diagonal(), 0.04f * all.diagonal());
  const glm::vec3 low = part.lower - air;
  const glm::vec3 high = part.upper + air;
  part.add(low);
  part.add(high);
  return part;
}

}  // namespace

std::uint64_t PosePictures::texture(const Shared<edit::StoredPose>& pose) {
  if (const auto found = shown_.find(&*pose); found != shown_.end()) {
    found->second.used = ++clock_;
    return found->second.texture.name();
  }
  if (!pose->picture->empty() && read_ < kReadAtOnce) {
    ++read_;
    if (const std::optional<render::ImageRgba> image = decoded(*pose->picture)) {
      return keep(pose, *image);
    }
  }
  wanted_.push_back(pose);
  return 0;
}

std::uint64_t PosePictures::keep(const Shared<edit::StoredPose>& pose, const render::ImageRgba& image) {
  if (shown_.size() >= kMostTextures) {
    shown_.erase(std::ranges::min_element(shown_, {}, [](const auto& entry) { return entry.second.used; }));
  }
  return shown_.insert_or_assign(&*pose, Shown{pose, render::ImageTexture(image), ++clock_})
      .first->second.texture.name();
}

bool PosePictures::make_next(const Session& session, render::Renderer& renderer) {
  read_ = 0;
  const std::vector<Shared<edit::StoredPose>> wanted = std::exchange(wanted_, {});
  if (wanted.empty()) {
    return false;
  }
  for (const Shared<edit::StoredPose>& pose : wanted) {
    if (!pose->picture->empty() && decoded(*pose->picture)) {
      continue;  // its turn to be read comes with the next picture
    }
    const Result<render::ImageRgba> image = draw(session, renderer, pose);
    keep(pose, image ? *image : render::ImageRgba{1, 1, {0, 0, 0, 0}});
    break;
  }
  return true;
}

Result<render::ImageRgba> PosePictures::draw(const Session& session, render::Renderer& renderer,
                                             const edit::StoredPose& pose) {
  edit::Document document = edit::without_history(session.document);
  edit::Content& content = document.content;
  content.base = edit::BasePose::kRest;
  content.clip = -1;
  content.overrides = {};
  content.morph_overrides = {};
  content.pins = {};
  content.behaviour = {};
  content.panes = {};
  content.skinning = {};
  document.view = {};
  edit::apply(document, {edit::ApplyPose{pose}, {}, false});
  document.state_version = kFirstVersion + ++drawn_;
  evaluation_.update(document);
  const Bounds all = session.posed_bounds.evaluate(*document.character, evaluation_.pose(), evaluation_.world(),
                                                   evaluation_.skinning(0));
  const bool is_part = pose.shapes.empty() && 2 * pose.joints.size() < document.character->skeleton->rest.size();
  const Bounds seen = is_part ? bounds_of_part(document.character->skeleton, evaluation_.world(), pose, all) : all;
  const render::ViewSettings& window = session.workspace.view;
  cli::FrameRequest request{.size = glm::ivec2(kPictureSide), .bounds = all};
  request.view.grid = false;
  request.view.ground = false;
  request.view.shadow = false;
  request.view.occlusion = false;
  request.view.environment = window.environment;
  request.view.environment_image = window.environment_image;
  request.view.exposure = window.exposure;
  request.view.variant = window.variant;
  request.view.toggled_nodes = window.toggled_nodes;
  request.view.skeleton = document.character->parts.empty();
  request.camera.azimuth = 0.35f;
  request.camera.elevation = 0.1f;
  render::frame(request.camera, seen, 1);
  request.camera.near_far_radius =
      std::max(1e-3f, 1.1f * (glm::length(all.center() - request.camera.pivot) + 0.5f * all.diagonal()));
  render::Frame frame = cli::make_frame(document, evaluation_, std::move(request), 0, nullptr,
                                        [&renderer](const render::Frame& made) { return renderer.needs_cpu(made); });
  frame.pose_version = kFirstVersion + drawn_;
  return renderer.render_image(frame);
}

Result<std::string> PosePictures::png(const Session& session, render::Renderer& renderer,
                                      const edit::StoredPose& pose) {
  PELT_TRY_TO(const render::ImageRgba image, draw(session, renderer, pose));
  const std::vector<std::uint8_t> bytes = gltf::encode_png(image.pixels, {image.width, image.height});
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void PosePictures::add_pictures(const Session& session, render::Renderer& renderer, edit::Commands& commands) {
  const auto add = [&](Shared<edit::StoredPose>& pose) {
    if (!pose->picture->empty()) {
      return;
    }
    if (Result<std::string> made = png(session, renderer, pose)) {
      pose.edit().picture = *std::move(made);
    }
  };
  for (edit::Command& command : commands) {
    if (auto* const stored = command.change.edit_if<edit::StorePoses>();
        stored != nullptr && stored->poses.size() <= kDrawnAtOnce) {
      std::ranges::for_each(stored->poses, add);
    } else if (auto* const replaced = command.change.edit_if<edit::ReplaceStoredPose>(); replaced != nullptr) {
      add(replaced->pose);
    }
  }
}

}  // namespace pelt::app
