#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace pelt::soak {

/// Counts the files in a session's folder of data that the session does not name. 0 where there is no folder.
inline std::size_t unnamed_data(const std::filesystem::path& session) {
  std::ifstream file(session, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string said = text.str();
  std::size_t count = 0;
  std::error_code none;
  for (auto at = std::filesystem::directory_iterator(session.string() + ".d", none);
       !none && at != std::filesystem::directory_iterator(); ++at) {
    count += said.find(at->path().filename().string()) == std::string::npos ? 1U : 0U;
  }
  return count;
}

}  // namespace pelt::soak
