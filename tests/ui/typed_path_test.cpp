#include "ui/typed_path.h"
#include "support/output_folder.h"

#include <fstream>

#include <gtest/gtest.h>

namespace pelt::ui {
namespace {

namespace fs = std::filesystem;

TEST(TypedPath, IsAbsoluteBelowHomeOrInTheFolderShown) {
  const auto path = [](std::string_view text) { return typed_path(text, "/shown/here", "/home/ada"); };
  EXPECT_EQ(path("/models/hero.glb"), "/models/hero.glb");
  EXPECT_EQ(path("~"), "/home/ada");
  EXPECT_EQ(path("~/hero.glb"), "/home/ada/hero.glb");
  EXPECT_EQ(path("~ada"), "/shown/here/~ada") << "a name like any other";
  EXPECT_EQ(path("hero.glb"), "/shown/here/hero.glb");
  EXPECT_EQ(path("../hero.glb"), "/shown/hero.glb");
  EXPECT_EQ(path(".."), "/shown");
  EXPECT_EQ(path("./rigs/"), "/shown/here/rigs");
  EXPECT_EQ(path("/"), "/");
  EXPECT_EQ(path("../../../.."), "/");
}

TEST(TypedPath, WhatIsPastedMayCarryBlanksQuotesOrAnAddress) {
  const auto path = [](std::string_view text) { return typed_path(text, "/shown", "/home/ada"); };
  EXPECT_EQ(path("  /models/hero.glb\n"), "/models/hero.glb");
  EXPECT_EQ(path("'/my models/hero.glb'"), "/my models/hero.glb");
  EXPECT_EQ(path("\"~/hero.glb\""), "/home/ada/hero.glb");
  EXPECT_EQ(path("file:///my%20models/100%25.glb"), "/my models/100%.glb");
  EXPECT_EQ(path("file://desk/models/hero.glb"), "/models/hero.glb");
  EXPECT_EQ(path("file:///odd%2"), "/odd%2");
  EXPECT_EQ(path("file:///odd%zz"), "/odd%zz");
  EXPECT_EQ(path("/odd%20.glb"), "/odd%20.glb") << "only an address is encoded";
}

TEST(TypedPath, APartOfANameIsNone) {
  for (const char* path : {"/", "~", "~/x", "..", "../x", "./x", "a/b", "file:///x", " '~' "}) {
    EXPECT_TRUE(looks_like_path(path)) << path;
  }
  for (const char* name : {"", "hero", "hero.glb", "~hero", "..hero", ".", "a b"}) {
    EXPECT_FALSE(looks_like_path(name)) << name;
  }
}

TEST(TypedPath, IsCompletedAsFarAsAllAgree) {
  const fs::path folder = test::output_folder() / "completed";
  fs::remove_all(folder);
  fs::create_directories(folder / "rigs" / "old");
  fs::create_directories(folder / "sub");
  for (const char* name : {"hero.glb", "hero_high.glb", "heron.txt", ".hidden.glb", "rigs/one.glb"}) {
    std::ofstream(folder / name) << "1";
  }
  const auto complete = [&](std::string_view text) {
    return completed_path(text, folder, folder / "rigs", [](const fs::path& f) { return f.extension() == ".glb"; });
  };
  EXPECT_EQ(complete("h"), "hero") << "what cannot be opened does not count";
  EXPECT_EQ(complete("hero_"), "hero_high.glb");
  EXPECT_EQ(complete("ri"), "rigs/");
  EXPECT_EQ(complete("rigs/"), "rigs/o");
  EXPECT_EQ(complete("rigs/on"), "rigs/one.glb");
  EXPECT_EQ(complete("~/on"), "~/one.glb");
  EXPECT_EQ(complete((folder / "su").string()), (folder / "sub/").string());
  EXPECT_EQ(complete("."), ".hidden.glb");
  EXPECT_EQ(complete("nobody"), "nobody");
  EXPECT_EQ(complete("nowhere/x"), "nowhere/x");
}

}  // namespace
}  // namespace pelt::ui
