#include "ui/actions.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "ui/modes.h"
#include "ui/tools.h"

namespace pelt::ui {
namespace {

TEST(Actions, IdsAndKeysAreUnique) {
  std::set<std::string_view> ids;
  std::set<std::string> keys;
  for (const Action& action : actions()) {
    EXPECT_TRUE(ids.insert(action.id).second) << action.id;
    EXPECT_NE(action.run, nullptr) << action.id;
    if (action.key.key != kNoKey) {
      EXPECT_TRUE(keys.insert(name_of(action.key) + std::string(action.mode)).second) << name_of(action.key);
    }
  }
}

TEST(Actions, KeysOfToolsAreNobodyElses) {
  std::set<std::string> keys;  // in each mode
  for (const Tool& tool : tools()) {
    for (const Mode& mode : modes()) {
      if (std::ranges::count(tools_of(mode), &tool) > 0) {
        EXPECT_TRUE(keys.insert(std::string(mode.id) + name_of(tool.key)).second) << tool.id << " in " << mode.id;
      }
    }
    EXPECT_EQ(find_action(tool.key), nullptr) << tool.id;
    for (const Mode& mode : modes()) {
      EXPECT_EQ(find_action(tool.key, mode.id), nullptr) << tool.id;
    }
  }
}

TEST(Actions, AModeMayGiveAKeyAnotherMeaning) {
  EXPECT_EQ(find_action(Chord{kKeyUp}, "weights")->id, "select.grow");
  EXPECT_EQ(find_action(Chord{kKeyUp}, "pose")->id, "select.above");
  EXPECT_EQ(find_action(Chord{kKeyUp})->id, "select.above");
  EXPECT_EQ(find_action(Chord{'S', true}, "weights")->id, "file.save") << "what no mode changes holds in all";
  EXPECT_EQ(name_of(Chord{'X', true, true, true}), "Ctrl+Alt+Shift+X");
}

TEST(Actions, EveryActionIsInAMenu) {
  for (const Action& action : actions()) {
    const std::string menu = std::string(action.menu).substr(0, std::string(action.menu).find('/'));
    const auto known = menus();
    EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const char* name) { return menu == name; })) << action.id;
  }
}

TEST(Actions, KeysAreThoseTheProductPromises) {
  const std::pair<const char*, const char*> expected[] = {
      {"Space", "playback.play"},    {"\u2190", "playback.previous"},
      {"\u2192", "playback.next"},   {"1", "view.front"},
      {"3", "view.right"},           {"7", "view.top"},
      {"5", "view.orthographic"},    {"F", "view.frame"},
      {"Home", "view.home"},         {"G", "view.grid"},
      {"E", "view.edges"},           {"A", "view.axes"},
      {"B", "view.skeleton"},        {"N", "view.names"},
      {"W", "view.weights"},         {"M", "skinning.next-method"},
      {"C", "skinning.backend"},     {"H", "help.keys"},
      {"F12", "file.screenshot"},    {"Ctrl+O", "file.open"},
      {"Ctrl+S", "file.save"},       {"Ctrl+Z", "edit.undo"},
      {"Ctrl+Shift+Z", "edit.redo"}, {"Ctrl+Q", "file.quit"},
      {"Tab", "view.panels"},        {"Shift+W", "view.isolines"}};
  for (const auto& [key, id] : expected) {
    const Action* action = find_action(id);
    ASSERT_NE(action, nullptr) << id;
    EXPECT_EQ(name_of(action->key), key) << id;
    EXPECT_EQ(find_action(action->key), action);
  }
}

TEST(Actions, AKeyWithoutActionFindsNone) {
  EXPECT_EQ(find_action(Chord{}), nullptr);
  EXPECT_EQ(find_action(Chord{'Y', true, true}), nullptr);
  EXPECT_EQ(find_action("no.such"), nullptr);
}

}  // namespace
}  // namespace pelt::ui
