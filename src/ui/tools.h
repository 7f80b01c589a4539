#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "render/view_settings.h"
#include "ui/actions.h"
#include "ui/layout.h"

namespace pelt::ui {

struct Workspace;

inline constexpr std::string_view kSelectTool = "select";
inline constexpr std::string_view kBoxTool = "box";
inline constexpr std::string_view kChainTool = "chain";
inline constexpr std::string_view kMoveTool = "move";
inline constexpr std::string_view kScaleTool = "scale";
inline constexpr std::string_view kReachTool = "reach";
inline constexpr std::string_view kPaintTool = "paint";
inline constexpr std::string_view kPullTool = "pull";
inline constexpr std::string_view kPlaceTool = "place";

/// What the left button does in the viewport. Alt with it always moves the camera.
struct Tool {
  std::string_view id;
  const char* label;
  const char* icon;
  Chord key;                  ///< held down, it is the tool for as long
  std::string_view modes;     ///< ids of the modes that have it, with a space between
  const char* help;           ///< of the status line, what each gesture does
  std::string_view tab = {};  ///< that has its settings: comes to the front with it
};
/// One row each.
std::span<const Tool> tools();
/// The tool of the current mode.
const Tool& current_tool(const Workspace& workspace);
/// @pre  id is of a row of tools()
void take_tool(Workspace& workspace, std::string_view id);

/// A tool that was taken by a key that is still down.
struct HeldTool {
  Chord key;
  std::string_view before;
  double since = 0;                           ///< seconds, Scene::now
  std::string_view tab = {};                  ///< that was in front before
  render::Look look = render::Look::kShaded;  ///< of then
  bool used = false;  ///< the mouse was pressed meanwhile: when the key is released, the tool before comes back
};
/// Takes the tool of a key, for as long as it is held; tells whether the current mode has one.
bool press_tool(const Chord& chord, Desk& desk);
void release_tool(int key, Desk& desk);

/// The strip at the viewport's left edge; empty where there is no room for it.
Rect tool_strip_rect(const Desk& desk);
void draw_tool_strip(Desk& desk);

}  // namespace pelt::ui
