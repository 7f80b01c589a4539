#pragma once

// The list of the corpus's faulty files.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/text.h"

namespace pelt::test {

struct InvalidFile {
  std::string path;      ///< in the folder "invalid" of the corpus
  std::string expected;  ///< "malformed": it must be refused; "odd": it must open
};

inline std::vector<InvalidFile> invalid_files() {
  std::vector<InvalidFile> files;
  std::ifstream list(std::filesystem::path(PELT_CORPUS_DIR) / "invalid" / "EXPECTED.tsv");
  for (std::string line; std::getline(list, line);) {
    const auto fields = split(line, '\t');
    if (fields.size() >= 2 && line[0] != '#') {
      files.push_back({std::string(fields[0]), std::string(fields[1])});
    }
  }
  return files;
}

}  // namespace pelt::test
