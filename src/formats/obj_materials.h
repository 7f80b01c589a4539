#pragma once

// Internal to the module: the material libraries of an OBJ file, with their pictures.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "core/file.h"
#include "gltf/image_codec.h"
#include "gltf/import.h"
#include "rig/character.h"

namespace pelt::formats {

inline constexpr std::size_t kMostObjNames = 200;  ///< bytes kept of a name

/// What the libraries of one file say, gathered while the file is read.
class ObjMaterials {
 public:
  /// What could be read. Filled by read_libraries().
  struct Content {
    std::vector<rig::Material> materials;
    std::vector<rig::Texture> textures;
    SharedList<rig::Image> images;
    std::vector<StampedFile> files;  ///< libraries and pictures, from before they were read
  };

  /// @param path          of the OBJ file; empty where there is no folder to read from
  /// @param source_bytes  of the OBJ file
  /// @param diagnostics   receives what is left out; it and `options` outlive this
  ObjMaterials(const std::filesystem::path& path, const gltf::ImportOptions& options, std::size_t source_bytes,
               Diagnostics& diagnostics);

  /// The libraries that a line of the file names. Each is read once.
  void read_libraries(std::string_view line, const std::string& place);
  /// The index of the material that was last read under that name, -1 where there is none.
  [[nodiscard]] int find(std::string_view name) const;
  [[nodiscard]] Content& content() { return content_; }

 private:
  struct PictureName {
    std::string file;
    float strength = 1;
  };
  // A material as the library has it, before its pictures are opened.
  struct Unopened {
    rig::Material material;
    PictureName base_color, emissive, normal, opacity;
  };
  class LibraryReader;

  void read_library(std::string_view name, const std::string& place);
  void finish(Unopened&& from);
  rig::TextureRef open_texture(const PictureName& from, const std::string& place);
  int open_image(const std::string& file, const std::string& place);
  Result<rig::Image> read_image(const std::string& name, const std::string& bytes);
  // Lists what is read, under the name that it is given.
  void note_file(std::string_view name, const std::filesystem::path& path);
  [[nodiscard]] Result<std::filesystem::path> resolved(std::string_view file) const;

  std::filesystem::path folder_;  // where the file's own names lead from; empty: nowhere
  const gltf::ImportOptions& options_;
  Diagnostics& diagnostics_;
  gltf::PictureBudget pictures_;
  Content content_;
  std::map<std::string, int, std::less<>> index_of_name_;
  std::set<std::filesystem::path> libraries_;  // read so far
  std::set<std::filesystem::path> noted_;      // that content_.files has
  std::map<std::filesystem::path, int> image_of_file_;
};

}  // namespace pelt::formats
