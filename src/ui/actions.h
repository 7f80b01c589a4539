#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pelt::ui {

struct Desk;

/// Keys that are not characters. Letters and digits are their upper-case ASCII code, as in GLFW.
enum : int {
  kNoKey = 0,
  kKeySpace = ' ',
  kKeyTab = 256,
  kKeyHome,
  kKeyLeft,
  kKeyRight,
  kKeyUp,
  kKeyDown,
  kKeyEscape,
  kKeyF1,
  kKeyF2,
  kKeyF5,
  kKeyF12,
  kKeyDelete
};

struct Chord {
  int key = kNoKey;
  bool ctrl = false;
  bool shift = false;
  bool alt = false;
  bool operator==(const Chord&) const = default;
};

/// "Ctrl+Shift+Z"; empty without a key.
std::string name_of(const Chord& chord);

/// Something the user can do. Menus, keys, toolbar and key help are drawn from this one table.
struct Action {
  std::string_view id;  ///< stable, for tests and the widget report: "view.grid"
  const char* label;
  const char* menu;  ///< "File", "View", or with one sub-menu "View/Look"; "" in no menu
  Chord key;
  void (*run)(Desk&);
  bool (*checked)(const Desk&) = nullptr;  ///< of a toggle
  bool (*enabled)(const Desk&) = nullptr;
  bool separated = false;      ///< a line above it in the menu
  std::string_view mode = {};  ///< where its key counts: the id of a row of modes(); empty: in all that have no own
};

/// In menu order.
std::span<const Action> actions();
/// Null where there is none.
const Action* find_action(std::string_view id);
/// What a key does in a mode: what only that mode does with it, else what all do.
const Action* find_action(const Chord& chord, std::string_view mode = {});
bool enabled(const Action& action, const Desk& desk);
/// Runs the action if it is enabled.
void run(const Action& action, Desk& desk);
/// The name of its key, empty where another action has that in the present mode.
std::string key_here(const Action& action, const Desk& desk);
/// Takes the tool or runs the action of a key. Tells whether there is one. Esc is no action of the menus: it closes
/// what is open, else it lets go of what is selected.
bool press(const Chord& chord, Desk& desk);

/// The menus in the order of the bar.
std::span<const char* const> menus();

}  // namespace pelt::ui
