#pragma once

#include <string>
#include <vector>

namespace pelt::ui {

struct Desk;

/// A package that the program is made of.
struct UsedPackage {
  std::string name;
  std::string purpose;
  std::string licence;
};
/// Those of third_party/README.md, without what only tests and benchmarks need.
std::vector<UsedPackage> used_packages();

/// Version, licence, packages and the OpenGL in use, while Workspace::about_open.
void draw_about(Desk& desk);

}  // namespace pelt::ui
