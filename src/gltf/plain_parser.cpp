#include "gltf/plain_parser.h"

#include <tiny_gltf.h>

#include "core/text.h"

namespace pelt::gltf {

Status parse_with_tinygltf(const std::filesystem::path& path) {
  tinygltf::TinyGLTF parser;
  tinygltf::Model model;
  std::string problems;
  std::string warnings;
  const bool parsed = path.extension() == ".glb"
                          ? parser.LoadBinaryFromFile(&model, &problems, &warnings, path.string())
                          : parser.LoadASCIIFromFile(&model, &problems, &warnings, path.string());
  if (!parsed) {
    return error("tinygltf: {}", printable(problems, 200));
  }
  return {};
}

}  // namespace pelt::gltf
