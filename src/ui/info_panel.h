#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pelt::ui {

struct Desk;

/// What is inside the file. The numbers are counted once per character.
struct InfoPanel {
  std::uint64_t character_version = 0;
  std::vector<std::pair<std::string, std::string>> file;
  std::vector<std::pair<std::string, std::string>> counts;
  std::vector<std::pair<std::string, std::string>> memory;
};

void draw(InfoPanel& panel, Desk& desk);

}  // namespace pelt::ui
