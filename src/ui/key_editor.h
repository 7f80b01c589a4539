#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "edit/key_edits.h"
#include "ui/layout.h"

namespace pelt::ui {

struct Desk;

/// What the bottom of the Animate mode shows.
enum class KeyView { kDopeSheet, kCurves };

/// A drag in the tracks.
struct KeyDrag {
  enum class Kind { kKeys, kScaleFromStart, kScaleFromEnd, kBox, kValue, kTangent };
  Kind kind = Kind::kKeys;
  glm::vec2 from = glm::vec2(0.0f);  ///< where the button went down, pixels
  float time = 0;                    ///< of the key that was taken, or of the end that is scaled
  edit::KeySelection keys = {};      ///< that move, as they were then
  std::shared_ptr<const rig::Clip> begun = nullptr;
  bool has_moved = false;
  edit::KeySelection before = {};  ///< what was selected before it
  edit::ChannelId channel = {};    ///< of a value or tangent
  int curve = 0;                   ///< of the curves that are shown
  rig::KeySide side = rig::KeySide::kIn;
};

/// The dope sheet and the curves: what is shown, and which keys are selected. Both have one axis of time.
struct KeyEditor {
  KeyView view = KeyView::kDopeSheet;
  float height = 190;                ///< layout units
  double first = 0;                  ///< seconds at the left edge of the tracks
  double per_second = 0;             ///< pixels; 0: the clip is to be fitted
  float scroll = 0;                  ///< pixels that the rows are moved up
  bool only_selected = false;        ///< rows of selected joints alone
  bool shows_sliders = true;         ///< curves of rotations as the joint's sliders, else as they are stored
  std::set<int> open = {};           ///< joints whose channels have rows
  edit::KeySelection selected = {};  ///< keys of the clip that plays
  std::vector<edit::KeyValue> copied = {};
  std::optional<KeyDrag> drag = {};
  int clip = -1;                      ///< that all this is about
  std::size_t clip_count = 0;         ///< of how many: where one came or went, another may have its number
  double lowest = 0, highest = 0;     ///< values at the lower and upper edge of the curves; equal: to be fitted
  int curves_of = -1;                 ///< joint that they were fitted to
  std::set<std::string> hidden = {};  ///< curves by their label
  float rate = 0;    ///< frames per second that the keys suggested when the clip was chosen; 0: nobody has asked
  int rate_of = -1;  ///< that clip
  std::size_t rate_among = 0;                          ///< of how many
  std::shared_ptr<const rig::Character> rate_in = {};  ///< the file that was open then
};

/// What the axis of time needs of the tracks.
struct TrackArea {
  Rect rect;
  double first = 0;
  double per_second = 1;
  [[nodiscard]] float x(double time) const { return rect.x + static_cast<float>((time - first) * per_second); }
  [[nodiscard]] double time(float px) const {
    return first + (static_cast<double>(px) - static_cast<double>(rect.x)) / per_second;
  }
};

/// Whether the window edits keys: in the Animate mode, with a clip.
bool edits_keys(const Desk& desk);
/// What it takes of the timeline, pixels, with its border that can be dragged.
float key_editor_height(const Desk& desk);
void draw(KeyEditor& editor, Desk& desk);

/// Lets go of keys that the clip has not any more, and of all for another clip.
void follow_clip(KeyEditor& editor, const Desk& desk);
/// The whole clip, and the work range, from edge to edge.
void fit_time(KeyEditor& editor);

/// edit::frame_rate(), but read off the keys only when the clip is chosen: an edit does not give frames other numbers.
float frame_rate(const Desk& desk);
/// "12", or "0.40 s": a time as the document counts it.
std::string time_text(const Desk& desk, double time);
/// The nearest frame where keys go to whole frames.
double snapped(const Desk& desk, double time);

// Selecting keys.
bool is_selected(const edit::KeySelection& keys, const edit::ChannelId& channel, float time);
/// `picked` instead of, beside, or turned around in the selection, as Shift and Ctrl say.
void select_keys(KeyEditor& editor, const edit::KeySelection& picked);
/// Earliest and latest of the selected keys; nothing where there are not two.
std::optional<std::pair<float, float>> selected_span(const edit::KeySelection& keys);
edit::KeySelection mapped(const edit::KeySelection& keys, const rig::TimeMap& map);

}  // namespace pelt::ui
