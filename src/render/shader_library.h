#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "render/gl_objects.h"

namespace pelt::render {

/// `#define NAME VALUE`. A value in double quotes is a path and serves `#include NAME` only.
using Define = std::pair<std::string, std::string>;

/// A shader stage ready for the compiler.
struct ShaderText {
  std::string text;                ///< with #version, defines and #line directives
  std::vector<std::string> files;  ///< by the source-string number that #line gave them; 0 is the stage's own file
};

/// The shader files below shaders/: those built into the program, or a folder read at each use while developing.
class ShaderLibrary {
 public:
  /// The built-in files, or the folder named by the environment variable PELT_SHADERS where that is set.
  static ShaderLibrary from_environment();
  /// A folder, read anew at each use.
  explicit ShaderLibrary(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// Files given by name, for tests and generated shaders.
  explicit ShaderLibrary(std::map<std::string, std::string, std::less<>> files) : files_(std::move(files)) {}

  /// One file as it is. Fails where there is none of that name.
  [[nodiscard]] Result<std::string> file(std::string_view path) const;

  /// Adds `#version 330 core` and the defines, and resolves `#include "path"` (below shaders/) and `#include NAME` for
  /// a define whose value is a quoted path. A file is included once, however often it is named.
  [[nodiscard]] Result<ShaderText> assemble(std::string_view path, const std::vector<Define>& defines) const;

  /// True where files are read at each use, so that a change on disk should lead to new programs.
  [[nodiscard]] bool is_live() const { return !folder_.empty(); }
  /// Newest modification among the folder's files; min() for built-in ones.
  [[nodiscard]] std::filesystem::file_time_type newest() const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::string, std::less<>> files_;
};

/// What a program is linked from.
struct ProgramSource {
  std::string vertex;    ///< path below shaders/
  std::string fragment;  ///< empty: none, for transform feedback
  std::vector<Define> defines;
  std::vector<std::string> feedback;  ///< varyings captured interleaved, in this order
};

/// Compiles and links, connects the uniform blocks and samplers of shader_interface.h by name. The error holds the
/// driver's log with file names in place of source-string numbers.
Result<Program> make_program(const ShaderLibrary& library, const ProgramSource& source);

}  // namespace pelt::render
