#include "render/overlay.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <optional>

#include "core/expect.h"
#include "deform/deform.h"
#include "deform/skin_cache.h"
#include "deform/skin_cor.h"
#include "deform/skinning_methods.h"
#include "deform/vertex_steps.h"
#include "render/look_colors.h"
#include "render/picking.h"
#include "render/picture_text.h"
#include "render/shader_interface.h"
#include "rig/joint_names.h"
#include "rig/kinematics.h"
#include "rig/own_bindings.h"

namespace pelt::render {
namespace {

// Colours are sRGB, as they end up in the picture.
constexpr glm::vec3 kBoneColor = {0.95f, 0.92f, 0.86f};
constexpr glm::vec3 kHelperColor = {0.55f, 0.80f, 0.95f};  // of joints that no weight uses
constexpr glm::vec3 kSelectedColor = {1.00f, 0.60f, 0.13f};
constexpr glm::vec3 kHoveredColor = {1.00f, 0.86f, 0.58f};
constexpr float kAlsoSelectedTint = 0.72f;   // likewise in selected bones beside the active one
constexpr float kBelowSelectedTint = 0.38f;  // of the selected colour in bones below it
constexpr glm::vec3 kEdgeColor = {0.13f, 0.11f, 0.10f};
constexpr std::array<glm::vec3, 3> kAxisColors = {
    {{0.93f, 0.27f, 0.32f}, {0.47f, 0.76f, 0.22f}, {0.27f, 0.53f, 0.96f}}};
constexpr glm::vec4 kNormalColor = {0.10f, 0.62f, 0.74f, 0.95f};
constexpr glm::vec3 kMarkColor = {1.0f, 1.0f, 1.0f};
constexpr glm::vec3 kChordColor = {0.98f, 0.45f, 0.36f};  // where skins collapse
constexpr glm::vec3 kArcColor = {0.45f, 0.86f, 0.55f};    // where nothing is lost
constexpr glm::vec4 kCenterColor = {0.98f, 0.36f, 0.62f, 0.9f};
constexpr glm::vec4 kCageColor = {0.10f, 0.30f, 0.62f, 0.85f};
constexpr glm::vec4 kSurfaceMarkColor = {0.95f, 0.26f, 0.10f, 0.95f};
constexpr glm::vec4 kCenterLineColor = {0.98f, 0.36f, 0.62f, 0.16f};  // there are many

constexpr float kBoneOpacity = 0.88f;
constexpr float kHiddenBone = 0.5f;  // times kBoneOpacity, where the surface covers the bone
constexpr float kHiddenMarkedBone = 0.78f;
constexpr float kHiddenEdge = 0.75f;
constexpr float kHiddenOutline = 0.85f;
constexpr float kHiddenHelper = 0.6f;
constexpr float kHiddenBall = 0.85f;
constexpr float kHiddenMark = 0.75f;  // axes and ghost points are asked for by name

constexpr float kRingAt = 0.14f;          // of the bone's length, where the octahedron is widest
constexpr float kLeastBonePixels = 2.2f;  // half the width of the thinnest bone drawn, before the pixel scale
constexpr float kEdgePixels = 0.55f;      // half widths, before the pixel scale
constexpr float kOutlinePixels = 1.5f;
constexpr float kThinnestOutline = 0.8f;
constexpr float kHelperPixels = 0.8f;
constexpr float kHelperOutlinePixels = 1.7f;
constexpr float kHelperBall = 0.6f;  // of the ball of a joint that deforms
constexpr float kAxisPixels = 0.85f;
constexpr float kGhostLinePixels = 0.75f;
constexpr float kArcPixels = 0.6f;
constexpr float kNormalPixels = 0.5f;
constexpr float kCenterLinePixels = 0.5f;
constexpr float kCenterDotPixels = 1.5f;
constexpr float kCagePixels = 0.6f;
constexpr float kCagePointPixels = 3.0f;
constexpr float kSurfaceMarkPixels = 4.0f;
constexpr float kLinePaling = 0.35f;     // towards the tip, which tells a line's direction
constexpr float kGhostDotPixels = 8.0f;  // radius of the dot of weight 1
constexpr float kVertexRingPixels = 7.0f;
constexpr float kAxisLength = 0.32f;     // of the bone's length
constexpr float kNormalLength = 0.015f;  // of the diagonal

// Layers, the lowest first.
constexpr int kBoneLayer = 0;
constexpr int kAxisLayer = 1;
constexpr int kGhostLineLayer = 2;
constexpr int kGhostLayer = 3;

/// What shape.frag makes of a triangle.
enum class Kind { kFace, kLine, kBall, kDot, kRing };

struct ShapeVertex {
  glm::vec4 clip;
  glm::vec4 color;  ///< sRGB, straight alpha
  glm::vec4 shape;  ///< lines: along, across, length, half width; round: x, y, radius, rim; all in pixels
  glm::vec3 style;  ///< Kind, opacity where hidden, opacity where visible
};

/// A run of triangles that is drawn as one, sorted by distance with the others.
struct Item {
  int layer;
  float depth;
  std::size_t first;
  std::size_t count;
};

/// Turns shapes of the world into triangles in clip space.
class Builder {
 public:
  explicit Builder(const OverlayInput& input)
      : clip_from_world_(input.clip_from_world),
        half_size_(0.5f * glm::vec2(input.frame.size)),
        scale_(input.frame.pixel_scale),
        camera_(input.frame.camera),
        eye_(input.frame.camera.eye()),
        back_(glm::normalize(input.frame.camera.eye() - input.frame.camera.pivot)) {}

  [[nodiscard]] float scale() const { return scale_; }

  /// Along the view direction from the eye, metres.
  [[nodiscard]] float depth(const glm::vec3& p) const { return glm::dot(eye_ - p, back_); }
  [[nodiscard]] float pixels_per_metre(const glm::vec3& p) const {
    const float distance = camera_.orthographic ? camera_.distance : std::max(depth(p), 1e-9f);
    return half_size_.y / (std::tan(0.5f * camera_.yfov) * distance);
  }
  [[nodiscard]] bool faces_eye(const glm::vec3& point, const glm::vec3& normal) const {
    return glm::dot(normal, camera_.orthographic ? back_ : eye_ - point) > 0.0f;
  }
  /// Brightness of a face, from a light above the eye's left shoulder.
  [[nodiscard]] float shade(const glm::vec3& normal) const {
    const glm::mat3 view(camera_.view_from_world());
    const glm::vec3 n = glm::normalize(view * normal);
    return 0.52f + 0.52f * std::max(glm::dot(n, glm::normalize(glm::vec3(-0.35f, 0.6f, 0.72f))), 0.0f);
  }

  /// All that is added until the next begin() is sorted by `depth` within its layer; higher layers lie on top.
  void begin(int layer, float depth) {
    end();
    items_.push_back({layer, depth, vertices_.size(), 0});
  }

  void triangle(const glm::vec3& a, const glm::vec3& b, const glm::vec3& c, const glm::vec4& color, float hidden) {
    for (const glm::vec3& p : {a, b, c}) {
      vertices_.push_back({clip_from_world_ * glm::vec4(p, 1.0f), color, glm::vec4(0.0f), style(Kind::kFace, hidden)});
    }
  }

  /// @param half_pixels  half width, before the pixel scale
  void line(const glm::vec3& from, const glm::vec3& to, float half_pixels, const glm::vec4& from_color,
            const glm::vec4& to_color, float hidden, float visible = 1.0f) {
    glm::vec4 a = clip_from_world_ * glm::vec4(from, 1.0f);
    glm::vec4 b = clip_from_world_ * glm::vec4(to, 1.0f);
    const float least = 1e-6f * std::max(std::abs(a.w), std::abs(b.w));
    if (!(std::max(a.w, b.w) > least)) {
      return;
    }
    if (a.w < least) {
      a = glm::mix(a, b, (least - a.w) / (b.w - a.w));
    } else if (b.w < least) {
      b = glm::mix(b, a, (least - b.w) / (a.w - b.w));
    }
    const glm::vec2 delta = (glm::vec2(b) / b.w - glm::vec2(a) / a.w) * half_size_;
    const float length = glm::length(delta);
    if (!std::isfinite(length)) {
      return;
    }
    const glm::vec2 along = length > 1e-4f ? delta / length : glm::vec2(1.0f, 0.0f);
    const glm::vec2 across(-along.y, along.x);
    const float half = std::max(half_pixels * scale_, 0.5f);
    const float reach = half + 1.0f;
    const auto corner = [&](bool tip, float side) {
      glm::vec4 clip = tip ? b : a;
      const glm::vec2 offset = (along * (tip ? reach : -reach) + across * (side * reach)) / half_size_;
      clip += glm::vec4(offset * clip.w, 0.0f, 0.0f);
      return ShapeVertex{clip, tip ? to_color : from_color,
                         glm::vec4(tip ? length + reach : -reach, side * reach, length, half),
                         style(Kind::kLine, hidden, visible)};
    };
    quad(corner(false, -1), corner(true, -1), corner(true, 1), corner(false, 1));
  }
  void line(const glm::vec3& from, const glm::vec3& to, float half_pixels, const glm::vec4& color, float hidden,
            float visible = 1.0f) {
    line(from, to, half_pixels, color, color, hidden, visible);
  }

  /// @param radius, rim  pixels, the pixel scale included
  void round(Kind kind, const glm::vec3& center, float radius, float rim, const glm::vec4& color, float hidden) {
    const glm::vec4 clip = clip_from_world_ * glm::vec4(center, 1.0f);
    if (!(clip.w > 1e-12f)) {
      return;
    }
    const float reach = radius + 1.0f;
    const auto corner = [&](float x, float y) {
      const glm::vec2 at(x * reach, y * reach);
      return ShapeVertex{clip + glm::vec4(at / half_size_ * clip.w, 0.0f, 0.0f), color, glm::vec4(at, radius, rim),
                         style(kind, hidden)};
    };
    quad(corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1));
  }

  /// The point, moved towards the eye by `metres`: marks on a surface are not hidden by it.
  [[nodiscard]] glm::vec3 nearer(const glm::vec3& p, float metres) const {
    return p + (camera_.orthographic ? back_ : glm::normalize(eye_ - p)) * metres;
  }

  /// All triangles, the farthest item first.
  std::vector<ShapeVertex> sorted() {
    end();
    std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
      return a.layer != b.layer ? a.layer < b.layer : a.depth > b.depth;
    });
    std::vector<ShapeVertex> result;
    result.reserve(vertices_.size());
    for (const Item& item : items_) {
      const auto first = vertices_.begin() + static_cast<std::ptrdiff_t>(item.first);
      result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(item.count));
    }
    return result;
  }

 private:
  static glm::vec3 style(Kind kind, float hidden, float visible = 1.0f) {
    return {static_cast<float>(kind), hidden, visible};
  }
  void quad(const ShapeVertex& a, const ShapeVertex& b, const ShapeVertex& c, const ShapeVertex& d) {
    vertices_.insert(vertices_.end(), {a, b, c, a, c, d});
  }
  void end() {
    if (!items_.empty()) {
      items_.back().count = vertices_.size() - items_.back().first;
    }
  }

  glm::mat4 clip_from_world_;
  glm::vec2 half_size_;
  float scale_;
  const Camera& camera_;
  glm::vec3 eye_;
  glm::vec3 back_;
  std::vector<ShapeVertex> vertices_;
  std::vector<Item> items_;
};

/// Two unit vectors across the bone. They follow the joint's own axes, so that twist shows.
std::array<glm::vec3, 2> across(const glm::mat4& joint, const glm::vec3& along) {
  glm::vec3 best(0.0f);
  for (int axis = 0; axis < 3; ++axis) {
    glm::vec3 side(joint[axis]);
    const float length = glm::length(side);
    if (!(length > 0.0f)) {
      continue;
    }
    side /= length;
    side -= along * glm::dot(side, along);
    if (glm::length(side) > glm::length(best) + 1e-3f) {
      best = side;
    }
  }
  if (glm::length(best) < 1e-3f) {
    best = glm::cross(along, std::abs(along.x) < 0.7f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0));
  }
  const glm::vec3 side = glm::normalize(best);
  return {side, glm::cross(along, side)};
}

/// How a bone is drawn.
struct BoneStyle {
  glm::vec3 color = kBoneColor;
  bool marked = false;  ///< selected or hovered: seen through the surface almost as well as in front of it
  bool helper = false;  ///< no weight uses it: a thin line
};

// Ends, controls and helpers lie apart from what deforms by form and colour, and never hide it.
void add_helper(Builder& out, const Bone& bone, const BoneStyle& style) {
  out.begin(kBoneLayer, out.depth(glm::mix(bone.head, bone.tail, 0.5f)));
  const float hidden = style.marked ? 1.0f : kHiddenHelper;
  out.line(bone.head, bone.tail, kHelperOutlinePixels, glm::vec4(kEdgeColor, 0.8f), hidden);
  out.line(bone.head, bone.tail, kHelperPixels, glm::vec4(style.color, 0.95f), hidden);
}

void add_bone(Builder& out, const Bone& bone, const glm::mat4& joint, const BoneStyle& bone_style) {
  const glm::vec3& color = bone_style.color;
  const glm::vec3 along = glm::normalize(bone.tail - bone.head);
  const float length = glm::distance(bone.head, bone.tail);
  const glm::vec3 middle = glm::mix(bone.head, bone.tail, 0.5f);
  const float thinnest = kLeastBonePixels * out.scale() / out.pixels_per_metre(middle);
  const float radius = std::max(bone.radius, std::min(thinnest, 0.2f * length));
  const std::array<glm::vec3, 2> sides = across(joint, along);

  std::array<glm::vec3, 4> ring;
  for (std::size_t k = 0; k < 4; ++k) {
    const glm::vec3 direction = sides[k % 2] * (k < 2 ? radius : -radius);
    ring[k] = bone.head + along * (kRingAt * length) + direction;
  }
  // Eight faces: k is around the head, 4 + k around the tail. An edge shows where one of its two faces does.
  std::array<bool, 8> shown{};
  std::array<float, 8> shade{};
  out.begin(kBoneLayer, out.depth(middle));
  for (std::size_t k = 0; k < 4; ++k) {
    const glm::vec3& a = ring[k];
    const glm::vec3& b = ring[(k + 1) % 4];
    for (const bool tail : {false, true}) {
      const glm::vec3& apex = tail ? bone.tail : bone.head;
      glm::vec3 normal = glm::cross(b - a, apex - a);
      if (glm::dot(normal, a - (bone.head + along * (kRingAt * length))) < 0.0f) {
        normal = -normal;
      }
      if (!(glm::length(normal) > 0.0f) || !out.faces_eye(a, normal)) {
        continue;
      }
      shown[tail ? 4 + k : k] = true;
      shade[tail ? 4 + k : k] = out.shade(normal);
    }
  }
  // A dark outline around a light core is seen on any skin, pale or dark.
  const auto each_edge = [&](const auto& body) {
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t before = (k + 3) % 4;
      body(bone.head, ring[k], shown[k], shown[before]);
      body(ring[k], bone.tail, shown[4 + k], shown[4 + before]);
      body(ring[k], ring[(k + 1) % 4], shown[k], shown[4 + k]);
    }
  };
  const glm::vec4 ink(glm::mix(kEdgeColor, color, 0.12f), 0.9f);
  // Thinner around the bones of fingers seen from afar, which would drown in it.
  const float outline =
      std::clamp(radius * out.pixels_per_metre(middle) / out.scale(), kThinnestOutline, kOutlinePixels);
  each_edge([&](const glm::vec3& a, const glm::vec3& b, bool one, bool other) {
    if (one != other) {
      out.line(a, b, outline, ink, bone_style.marked ? 1.0f : kHiddenOutline);
    }
  });
  for (std::size_t face = 0; face < shown.size(); ++face) {
    if (shown[face]) {
      const std::size_t k = face % 4;
      out.triangle(ring[k], ring[(k + 1) % 4], face < 4 ? bone.head : bone.tail,
                   glm::vec4(glm::min(color * shade[face], 1.0f), kBoneOpacity),
                   bone_style.marked ? kHiddenMarkedBone : kHiddenBone);
    }
  }
  // Between two faces in sight an edge is dark in front of the surface, and light behind it.
  const glm::vec4 glow(glm::mix(color, glm::vec3(1.0f), 0.35f), 1.0f);
  each_edge([&](const glm::vec3& from, const glm::vec3& to, bool one, bool other) {
    if (one && other) {
      out.line(from, to, kEdgePixels, ink, 0.0f);
    }
    if (one || other) {
      out.line(from, to, kEdgePixels, glow, bone_style.marked ? 1.0f : kHiddenEdge, 0.0f);
    }
  });
}

/// What the overlay knows of a drawn joint.
struct JointMark {
  glm::vec3 position = glm::vec3(0.0f);
  float radius = 0;  ///< of its thickest bone; 0: not drawn
  float length = 0;  ///< of its longest bone
};

std::vector<JointMark> joint_marks(const std::vector<Bone>& all, std::size_t joint_count) {
  std::vector<JointMark> marks(joint_count);
  for (const Bone& bone : all) {
    JointMark& mark = marks[bone.joint];
    mark.position = bone.head;
    mark.radius = std::max(mark.radius, bone.radius);
    mark.length = std::max(mark.length, glm::distance(bone.head, bone.tail));
  }
  return marks;
}

// Whether the bone carries a part of the skin: its joint does, and it does not only lead to a helper beside other
// bones.
std::vector<char> helper_bones(const std::vector<Bone>& all, std::span<const char> deforming) {
  std::vector<char> out(all.size(), 0);
  if (std::ranges::find(deforming, 1) == deforming.end()) {
    return out;
  }
  const auto deforms = [&](int joint) { return joint >= 0 && deforming[joint] != 0; };
  std::vector<char> carries(deforming.size(), 0);  // has a bone to a joint that deforms
  for (const Bone& bone : all) {
    if (deforms(bone.child)) {
      carries[bone.joint] = 1;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool aside = all[i].child >= 0 && !deforms(all[i].child) && carries[all[i].joint] != 0;
    out[i] = static_cast<char>(!deforms(all[i].joint) || aside);
  }
  return out;
}

void add_skeleton(Builder& out, const Frame& frame, const std::vector<Bone>& all, std::span<const char> deforming) {
  const rig::Skeleton& skeleton = frame.character->skeleton;
  const bool told = std::ranges::find(deforming, 1) != deforming.end();
  std::vector<char> selected(skeleton.size(), 0);
  for (const int joint : frame.selected_joints) {
    selected[joint] = 1;
  }
  std::vector<char> below(selected.size(), 0);
  for (std::size_t j = 0; j < below.size(); ++j) {  // parents come first
    const int parent = skeleton.parent[j];
    below[j] = static_cast<char>(parent >= 0 && (below[parent] != 0 || selected[parent] != 0));
  }
  const auto style_of = [&](int joint, bool helper) -> BoneStyle {
    const glm::vec3 plain = helper ? kHelperColor : kBoneColor;
    if (selected[joint] != 0) {
      const bool active = joint == frame.selected_joints.back();
      return {active ? kSelectedColor : glm::mix(plain, kSelectedColor, kAlsoSelectedTint), true, helper};
    }
    if (joint == frame.hovered_joint) {
      return {kHoveredColor, true, helper};
    }
    return {below[joint] != 0 ? glm::mix(plain, kSelectedColor, kBelowSelectedTint) : plain, false, helper};
  };
  const std::vector<char> helper = helper_bones(all, deforming);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const BoneStyle style = style_of(all[i].joint, helper[i] != 0);
    if (style.helper) {
      add_helper(out, all[i], style);
    } else {
      add_bone(out, all[i], frame.world[all[i].joint], style);
    }
  }
  const std::vector<JointMark> marks = joint_marks(all, frame.world.size());
  for (std::size_t j = 0; j < marks.size(); ++j) {
    if (marks[j].radius > 0.0f) {
      const JointMark& mark = marks[j];
      const bool is_helper = told && deforming[j] == 0;
      const float size = (is_helper ? kHelperBall : 1.0f) * kJointBallRadius * mark.radius;
      const float pixels = out.pixels_per_metre(mark.position);
      const float least = std::min(kLeastBonePixels * out.scale(), std::max(0.25f * mark.length * pixels, 1.0f));
      const float radius = std::max(size * pixels, least);
      const BoneStyle style = style_of(static_cast<int>(j), is_helper);
      // In front of the bones that meet here.
      out.begin(kBoneLayer, out.depth(mark.position) - 0.5f * mark.length);
      out.round(Kind::kBall, mark.position, radius, 1.2f * out.scale(), glm::vec4(style.color, 0.96f),
                style.marked ? 0.95f : kHiddenBall);
    }
  }
}

void add_axes(Builder& out, const Frame& frame, const std::vector<Bone>& all) {
  const std::vector<JointMark> marks = joint_marks(all, frame.world.size());
  for (std::size_t j = 0; j < marks.size(); ++j) {
    if (!(marks[j].radius > 0.0f)) {
      continue;
    }
    out.begin(kAxisLayer, out.depth(marks[j].position));
    // The axis that points away from the eye first.
    std::array<int, 3> order = {0, 1, 2};
    std::array<glm::vec3, 3> tips{};
    for (int axis = 0; axis < 3; ++axis) {
      const glm::vec3 direction(frame.world[j][axis]);
      const float length = glm::length(direction);
      tips[axis] =
          marks[j].position + (length > 0.0f ? direction * (kAxisLength * marks[j].length / length) : glm::vec3(0.0f));
    }
    std::sort(order.begin(), order.end(), [&](int a, int b) { return out.depth(tips[a]) > out.depth(tips[b]); });
    for (const int axis : order) {
      const std::size_t a = axis;
      out.line(marks[j].position, tips[a], kAxisPixels, glm::vec4(kAxisColors[a], 1.0f), kHiddenMark);
    }
  }
}

/// The chord on which linear blending moves a vertex of two joints, and the arc on which a turn of its joint would.
void add_chord_and_arc(Builder& out, const Frame& frame, const deform::VertexSteps& steps, float lift) {
  if (steps.joints.size() != 2) {
    return;
  }
  constexpr int kPoints = 33;
  deform::SkinCache own;
  deform::SkinCache& cache = frame.cache != nullptr ? *frame.cache : own;
  const std::vector<glm::vec3> arc =
      deform::blend_arc(*frame.character, *frame.pose, frame.world, *cache.bindings(*frame.character),
                        deform::find_method("dqs"), {}, steps, kPoints);
  const auto piece = [&](const glm::vec3& from, const glm::vec3& to, const glm::vec3& color) {
    out.line(out.nearer(from, lift), out.nearer(to, lift), kArcPixels + 0.7f, glm::vec4(kEdgeColor, 0.55f),
             kHiddenMark);
    out.line(out.nearer(from, lift), out.nearer(to, lift), kArcPixels, glm::vec4(color, 1.0f), kHiddenMark);
  };
  out.begin(kGhostLineLayer, out.depth(steps.result));
  piece(steps.joints[0].ghost, steps.joints[1].ghost, kChordColor);
  for (std::size_t i = 0; i + 1 < arc.size(); ++i) {
    piece(arc[i], arc[i + 1], kArcColor);
  }
}

/// Where the pinned vertex would go with each of its joints alone, and how it gets from there to where it is.
void add_ghosts(Builder& out, const Frame& frame) {
  const std::optional<deform::VertexSteps> steps = pinned_steps(frame);
  if (!steps) {
    return;
  }
  const float lift = 2e-3f * std::max(frame.bounds.diagonal(), 1e-6f);
  const glm::vec3 result = out.nearer(steps->result, lift);
  const float depth = out.depth(steps->result);
  const float scale = out.scale();
  add_chord_and_arc(out, frame, *steps, lift);
  for (const deform::JointStep& step : steps->joints) {
    const glm::vec3 ghost = out.nearer(step.ghost, lift);
    const glm::vec3 color = joint_color(step.joint);
    const float radius = std::max(kGhostDotPixels * std::sqrt(step.weight), 2.0f) * scale;
    out.begin(kGhostLineLayer, depth);
    out.line(ghost, result, kGhostLinePixels + 0.7f, glm::vec4(kEdgeColor, 0.55f), kHiddenMark);
    out.line(ghost, result, kGhostLinePixels, glm::vec4(color, 1.0f), kHiddenMark);
    out.begin(kGhostLayer, out.depth(ghost));
    out.round(Kind::kDot, ghost, radius, 1.2f * scale, glm::vec4(color, 1.0f), kHiddenMark);
  }
  out.begin(kGhostLayer, depth - lift);
  out.round(Kind::kRing, result, (kVertexRingPixels + 1.0f) * scale, 3.5f * scale, glm::vec4(kEdgeColor, 0.7f),
            kHiddenMark);
  out.round(Kind::kRing, result, kVertexRingPixels * scale, 1.6f * scale, glm::vec4(kMarkColor, 1.0f), kHiddenMark);
}

bool shows_ghosts(const Frame& frame) {
  return frame.view.ghost_points && frame.pinned_part >= 0 && frame.pinned_vertex >= 0;
}
bool shows_normals(const Frame& frame) {
  return frame.view.normal_lines && frame.deformed != nullptr;
}
bool draws_centers(const Frame& frame) {
  return shows_centers(frame) && frame.deformed != nullptr && frame.cache != nullptr;
}

/// The scene's depth on its unit, and a state that blends without depth test.
void prepare(const OverlayInput& input, const Program& program) {
  glUseProgram(program.id());
  glUniform2i(uniform(program, "u_origin"), input.origin.x, input.origin.y);
  glActiveTexture(GL_TEXTURE0 + kUnitSource);
  glBindTexture(GL_TEXTURE_2D, input.scene_depth);
}

const ProgramSource& shape_source() {
  static const ProgramSource kSource{"overlay/shape.vert", "overlay/shape.frag", {}, {}};
  return kSource;
}
const ProgramSource& line_source() {
  static const ProgramSource kSource{"overlay/line.vert", "overlay/line.frag", {}, {}};
  return kSource;
}
// Centres lie inside of the surface, so both are seen through it.
const ProgramSource& center_line_source() {
  static const ProgramSource kSource{"overlay/line.vert", "overlay/line.frag", {{"THROUGH_THE_SURFACE", "1"}}, {}};
  return kSource;
}
const ProgramSource& dot_source() {
  static const ProgramSource kSource{"overlay/dot.vert", "overlay/dot.frag", {}, {}};
  return kSource;
}

/// What line.vert reads of the camera.
void set_line_view(const OverlayInput& input, const Program& program, float length, float half_pixels,
                   const glm::vec4& color, float paling = kLinePaling) {
  const Frame& frame = input.frame;
  const Camera& camera = frame.camera;
  const glm::vec3 eye = camera.eye();
  const glm::vec4 towards =
      camera.orthographic ? glm::vec4(glm::normalize(eye - camera.pivot), 0.0f) : glm::vec4(eye, 1.0f);
  glUniformMatrix4fv(uniform(program, "u_clip_from_world"), 1, GL_FALSE, &input.clip_from_world[0][0]);
  glUniform4fv(uniform(program, "u_eye"), 1, &towards[0]);
  glUniform2f(uniform(program, "u_half_size"), 0.5f * static_cast<float>(frame.size.x),
              0.5f * static_cast<float>(frame.size.y));
  glUniform1f(uniform(program, "u_length"), length);
  glUniform1f(uniform(program, "u_half_width"), std::max(half_pixels * frame.pixel_scale, 0.5f));
  glUniform4fv(uniform(program, "u_color"), 1, &color[0]);
  glUniform1f(uniform(program, "u_paler"), paling);
}

void attribute(GLuint location, GLint size, GLsizei stride, std::size_t offset) {
  glEnableVertexAttribArray(location);
  glVertexAttribPointer(location, size, GL_FLOAT, GL_FALSE, stride, reinterpret_cast<const void*>(offset));
}

}  // namespace

Overlay::Overlay()
    : shape_vertices_(Buffer::make()),
      shapes_(VertexArray::make()),
      line_positions_(Buffer::make()),
      line_normals_(Buffer::make()),
      lines_(VertexArray::make()),
      dots_(VertexArray::make()) {
  glBindVertexArray(shapes_.id());
  glBindBuffer(GL_ARRAY_BUFFER, shape_vertices_.id());
  constexpr GLsizei kStride = sizeof(ShapeVertex);
  attribute(0, 4, kStride, offsetof(ShapeVertex, clip));
  attribute(1, 4, kStride, offsetof(ShapeVertex, color));
  attribute(2, 4, kStride, offsetof(ShapeVertex, shape));
  attribute(3, 3, kStride, offsetof(ShapeVertex, style));
  glBindVertexArray(lines_.id());
  glBindBuffer(GL_ARRAY_BUFFER, line_positions_.id());
  attribute(0, 3, sizeof(glm::vec3), 0);
  glVertexAttribDivisor(0, 1);
  glBindBuffer(GL_ARRAY_BUFFER, line_normals_.id());
  attribute(1, 3, sizeof(glm::vec3), 0);
  glVertexAttribDivisor(1, 1);
  glBindVertexArray(dots_.id());
  glBindBuffer(GL_ARRAY_BUFFER, line_positions_.id());
  attribute(0, 3, sizeof(glm::vec3), 0);
  glBindVertexArray(0);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
}

Result<Overlay> Overlay::create(ProgramCache& programs) {
  for (const ProgramSource& source : {shape_source(), line_source(), center_line_source(), dot_source()}) {
    PELT_TRY(programs.get(source));
  }
  return Overlay();
}

const std::vector<char>& Overlay::deforming(const Frame& frame) {
  const std::size_t joints = frame.character->skeleton->size();
  SurfaceParts now(*frame.character);
  if (deforming_.size() != joints || !(deforming_of_ == now)) {
    deforming_ = rig::deforming_joints(*frame.character);
    deforming_of_ = std::move(now);
  }
  return deforming_;
}

bool shows_centers(const Frame& frame) {
  return frame.view.rotation_centers && deform::skinning_methods()[frame.skinning.method].has_centers;
}

bool shows_overlay(const Frame& frame) {
  return frame.view.skeleton || frame.view.joint_axes || shows_ghosts(frame) || shows_normals(frame) ||
         draws_centers(frame) || !frame.cage.empty() || !frame.cage_points.empty() || !frame.surface_marks.empty();
}

void Overlay::draw_normals(const OverlayInput& input, const Program& program) {
  prepare(input, program);
  set_line_view(input, program, kNormalLength * input.frame.bounds.diagonal(), kNormalPixels, kNormalColor);
  glBindVertexArray(lines_.id());
  for (const deform::DeformedPart& part : input.frame.deformed->parts) {
    if (part.normals.empty() || part.normals.size() != part.positions.size()) {
      continue;
    }
    upload(line_positions_, std::span<const glm::vec3>(part.positions), GL_STREAM_DRAW);
    upload(line_normals_, std::span<const glm::vec3>(part.normals), GL_STREAM_DRAW);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(part.positions.size()));
  }
}

void Overlay::draw_centers(const OverlayInput& input, const Program& lines, const Program& dots) {
  const Frame& frame = input.frame;
  const rig::Character& character = *frame.character;
  if (!frame.cache->ready(character, frame.skinning) || frame.deformed->parts.size() != character.parts.size()) {
    return;
  }
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    if (!deform::is_skinned(character, part)) {
      continue;
    }
    const std::shared_ptr<const deform::SkinData> data = frame.cache->get(character, part.mesh, frame.skinning);
    const std::size_t primitive = part.primitive;
    const std::span<const glm::vec3> vertices = frame.deformed->parts[p].positions;
    matrices_.resize(character.skins[part.skin].joints.size());
    rig::posed_skin_matrices(character, *frame.pose, frame.world, part.skin, matrices_);
    centers_.resize(vertices.size());
    deform::SkinInput rows;
    rows.influences = &data->influences[primitive];
    rows.skin_matrices = matrices_;
    rows.prepared = &data->prepared[primitive];
    rows.weights_as_stored = frame.skinning.weights_as_stored;
    deform::pose_centers(rows, centers_);
    starts_.clear();
    directions_.clear();
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      if (centers_[v].w > 0.0f) {
        starts_.emplace_back(centers_[v]);
        directions_.push_back(vertices[v] - starts_.back());
      }
    }
    if (starts_.empty()) {
      continue;
    }
    upload(line_positions_, std::span<const glm::vec3>(starts_), GL_STREAM_DRAW);
    upload(line_normals_, std::span<const glm::vec3>(directions_), GL_STREAM_DRAW);
    const auto count = static_cast<GLsizei>(starts_.size());
    glBindVertexArray(lines_.id());
    prepare(input, lines);
    set_line_view(input, lines, 1.0f, kCenterLinePixels, kCenterLineColor);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, count);
    draw_dots(input, dots, count, kCenterDotPixels, kCenterColor);
  }
}

// Of what line_positions_ holds.
void Overlay::draw_dots(const OverlayInput& input, const Program& program, int count, float pixels,
                        const glm::vec4& color) {
  glBindVertexArray(dots_.id());
  glUseProgram(program.id());
  glUniformMatrix4fv(uniform(program, "u_clip_from_world"), 1, GL_FALSE, &input.clip_from_world[0][0]);
  glUniform1f(uniform(program, "u_radius"), pixels * input.frame.pixel_scale);
  glUniform4fv(uniform(program, "u_color"), 1, &color[0]);
  glEnable(GL_PROGRAM_POINT_SIZE);
  glDrawArrays(GL_POINTS, 0, count);
  glDisable(GL_PROGRAM_POINT_SIZE);
}

void Overlay::draw_cage(const OverlayInput& input, const Program& program) {
  const std::span<const glm::vec3> ends = input.frame.cage;
  starts_.clear();
  directions_.clear();
  // The unit of a direction is what lines are lifted off the surface by.
  const float unit = std::max(kNormalLength * input.frame.bounds.diagonal(), 1e-9f);
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
    starts_.push_back(ends[i]);
    directions_.push_back((ends[i + 1] - ends[i]) / unit);
  }
  upload(line_positions_, std::span<const glm::vec3>(starts_), GL_STREAM_DRAW);
  upload(line_normals_, std::span<const glm::vec3>(directions_), GL_STREAM_DRAW);
  prepare(input, program);
  set_line_view(input, program, unit, kCagePixels, kCageColor, 0.0f);
  glBindVertexArray(lines_.id());
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(starts_.size()));
}

Status Overlay::draw(const OverlayInput& input, ProgramCache& programs) {
  const Frame& frame = input.frame;
  PELT_EXPECT(frame.character != nullptr && frame.pose != nullptr, "a posed character");
  if (!shows_overlay(frame)) {
    return {};
  }
  const bool ghosts = shows_ghosts(frame);
  const bool normals = shows_normals(frame);
  const bool centers = draws_centers(frame);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_FRAMEBUFFER_SRGB);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);

  Status status;
  if (normals) {
    if (const auto program = programs.get(line_source()); program) {
      draw_normals(input, **program);
    } else {
      status = program.error();
    }
  }
  if (centers) {
    const auto lines = programs.get(center_line_source());
    const auto dots = programs.get(dot_source());
    if (lines && dots) {
      draw_centers(input, **lines, **dots);
    } else {
      status = lines ? dots.error() : lines.error();
    }
  }

  if (!frame.cage.empty()) {
    if (const auto program = programs.get(line_source()); program) {
      draw_cage(input, **program);
    } else {
      status = program.error();
    }
  }
  const auto mark = [&](std::span<const glm::vec3> points, float pixels, const glm::vec4& color) {
    if (points.empty()) {
      return;
    }
    if (const auto program = programs.get(dot_source()); program) {
      upload(line_positions_, points, GL_STREAM_DRAW);
      draw_dots(input, **program, static_cast<int>(points.size()), pixels, color);
    } else {
      status = program.error();
    }
  };
  mark(frame.cage_points, kCagePointPixels, kCageColor);
  mark(frame.surface_marks, kSurfaceMarkPixels, kSurfaceMarkColor);

  Builder builder(input);
  if (frame.view.skeleton || frame.view.joint_axes) {
    const std::vector<char>& deforms = deforming(frame);
    const std::vector<Bone> all =
        bones(*frame.character, frame.world,
              frame.view.deforming_only ? std::span<const char>(deforms) : std::span<const char>());
    if (frame.view.skeleton) {
      add_skeleton(builder, frame, all, deforms);
    }
    if (frame.view.joint_axes) {
      add_axes(builder, frame, all);
    }
  }
  if (ghosts) {
    add_ghosts(builder, frame);
  }
  if (std::vector<ShapeVertex> vertices = builder.sorted(); !vertices.empty()) {
    const auto program = programs.get(shape_source());
    if (program) {
      prepare(input, **program);
      const auto count = static_cast<GLsizei>(vertices.size());
      // As the camera turns, shapes come and go; a store that changes its size with them could not be recycled.
      shape_capacity_ = std::max(shape_capacity_, std::bit_ceil(vertices.size()));
      vertices.resize(shape_capacity_);
      upload(shape_vertices_, std::span<const ShapeVertex>(vertices), GL_STREAM_DRAW);
      glBindVertexArray(shapes_.id());
      glDrawArrays(GL_TRIANGLES, 0, count);
    } else {
      status = program.error();
    }
  }
  glBindVertexArray(0);
  glUseProgram(0);
  glDisable(GL_BLEND);
  return status;
}

std::vector<ScreenLabel> joint_labels(const Frame& frame) {
  PELT_EXPECT(frame.character != nullptr, "a character");
  const std::vector<char> only =
      frame.view.deforming_only ? rig::deforming_joints(*frame.character) : std::vector<char>();
  const std::vector<JointMark> marks = joint_marks(bones(*frame.character, frame.world, only), frame.world.size());
  std::vector<ScreenLabel> labels;
  for (std::size_t j = 0; j < marks.size(); ++j) {
    if (!(marks[j].radius > 0.0f)) {
      continue;
    }
    if (const std::optional<glm::vec3> at = on_screen(frame, marks[j].position)) {
      labels.push_back({static_cast<int>(j), glm::vec2(*at), at->z});
    }
  }
  std::stable_sort(labels.begin(), labels.end(),
                   [](const ScreenLabel& a, const ScreenLabel& b) { return a.depth < b.depth; });
  return labels;
}

}  // namespace pelt::render
