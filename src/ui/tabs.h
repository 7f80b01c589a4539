#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/diagnostic.h"

namespace pelt::ui {

struct Desk;

/// One of the tabs on the right: a panel with its name. How the window, the menu View > Panel, `--tab` and the widget
/// report know it.
struct Tab {
  std::string_view id;  ///< stable: "pose" of --tab, "tab.pose" in the report
  const char* label;
  void (*draw)(Desk&);
  std::string_view modes;  ///< ids of the modes that it stands in, with a space between
  /// How grave what a dot beside the label warns of is; nothing: no dot.
  std::optional<Severity> (*warning)(const Desk&) = nullptr;
};

/// In the order of the window, one row each.
std::span<const Tab> tabs();
/// The tab of that id, null where there is none.
const Tab* find_tab(std::string_view id);

}  // namespace pelt::ui
