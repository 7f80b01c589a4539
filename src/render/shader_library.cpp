#include "render/shader_library.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <span>

#include <fmt/format.h>

#include "core/embedded.h"
#include "core/file.h"
#include "render/shader_interface.h"

namespace pelt::embedded {
std::span<const EmbeddedFile> shaders();
}  // namespace pelt::embedded

namespace pelt::render {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

bool is_quoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"';
}

/// The path of an #include line, or nothing where the line is something else. Malformed ones give an empty path.
std::optional<std::string_view> included_path(std::string_view line, const std::vector<Define>& defines) {
  line = trimmed(line);
  constexpr std::string_view kDirective = "#include";
  if (!line.starts_with(kDirective)) {
    return std::nullopt;
  }
  std::string_view operand = trimmed(line.substr(kDirective.size()));
  for (const auto& [name, value] : defines) {
    if (name == operand) {
      operand = value;
      break;
    }
  }
  return is_quoted(operand) ? operand.substr(1, operand.size() - 2) : std::string_view();
}

/// INCLUDED_common_part_glsl and so on.
std::string guard_of(std::string_view path) {
  std::string guard = "INCLUDED_";
  for (const char c : path) {
    guard.push_back(std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_');
  }
  return guard;
}

/// Appends file `path` and what it includes to `out`. The compiler's preprocessor sees to it that a file counts once,
/// since only it knows which includes stand in a branch that is taken.
/// @param open  files that are being included right now, outermost first
Status append_file(const ShaderLibrary& library, std::string_view path, const std::vector<Define>& defines,
                   std::vector<std::string_view>& open, ShaderText& out) {
  PELT_TRY_TO(const std::string content, library.file(path));
  const auto known = std::find(out.files.begin(), out.files.end(), path);
  const std::size_t number = known - out.files.begin();
  if (known == out.files.end()) {
    out.files.emplace_back(path);
  }
  const std::string guard = guard_of(path);
  out.text += fmt::format("#ifndef {0}\n#define {0}\n#line 1 {1}\n", guard, number);
  open.push_back(path);

  std::size_t line_number = 1;
  for (std::size_t begin = 0; begin < content.size(); ++line_number) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    const std::string_view line = std::string_view(content).substr(begin, end - begin);
    begin = end + 1;
    const std::optional<std::string_view> include = included_path(line, defines);
    if (!include) {
      out.text.append(line).push_back('\n');
      continue;
    }
    if (include->empty()) {
      return error("shader {}:{}: expected #include \"path\" or the name of a define that holds one, got {}", path,
                   line_number, trimmed(line));
    }
    if (std::find(open.begin(), open.end(), *include) != open.end()) {
      return error("shader {}:{}: includes {}, which includes it", path, line_number, *include);
    }
    if (Status included = append_file(library, *include, defines, open, out); !included) {
      return included.error().in(fmt::format("included from {}:{}", path, line_number));
    }
    out.text += fmt::format("#line {} {}\n", line_number + 1, number);
  }
  out.text += "#endif\n";
  open.pop_back();
  return {};
}

/// Drivers start a message with the source-string number ("1:12(5): error" or "1(12) : error"); people want the file.
std::string with_file_names(std::string_view log, const std::vector<std::string>& files) {
  std::string out;
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    std::string_view line = log.substr(begin, end - begin);
    begin = end + 1;
    // Some drivers put "ERROR: " first.
    for (const std::string_view prefix : {"ERROR: ", "WARNING: "}) {
      if (line.starts_with(prefix)) {
        out += prefix;
        line.remove_prefix(prefix.size());
      }
    }
    std::size_t digits = 0;
    std::size_t number = 0;
    while (digits < line.size() && digits < 6 && line[digits] >= '0' && line[digits] <= '9') {
      number = number * 10 + static_cast<std::size_t>(line[digits] - '0');
      ++digits;
    }
    if (digits > 0 && digits < line.size() && (line[digits] == ':' || line[digits] == '(') && number < files.size()) {
      out += files[number];
      line.remove_prefix(digits);
    }
    out.append(line).push_back('\n');
  }
  return std::string(trimmed(out));
}

struct Shader {
  explicit Shader(GLenum stage) : id(glCreateShader(stage)) {}
  ~Shader() { glDeleteShader(id); }
  Shader(const Shader&) = delete;
  Shader& operator=(const Shader&) = delete;
  GLuint id;
};

Status compile(const ShaderLibrary& library, std::string_view path, const std::vector<Define>& defines,
               const Shader& shader) {
  PELT_TRY_TO(const ShaderText assembled, library.assemble(path, defines));
  const char* text = assembled.text.c_str();
  glShaderSource(shader.id, 1, &text, nullptr);
  glCompileShader(shader.id);
  GLint ok = GL_FALSE;
  glGetShaderiv(shader.id, GL_COMPILE_STATUS, &ok);
  if (ok == GL_TRUE) {
    return {};
  }
  GLint length = 0;
  glGetShaderiv(shader.id, GL_INFO_LOG_LENGTH, &length);
  std::string log(std::max(length, 1), '\0');
  glGetShaderInfoLog(shader.id, length, &length, log.data());
  log.resize(length);
  return error("shader {} does not compile: {}", path, with_file_names(log, assembled.files));
}

void connect_interface(const Program& program) {
  for (const BlockRow& row : kBlocks) {
    const GLuint index = glGetUniformBlockIndex(program.id(), std::string(row.name).c_str());
    if (index != GL_INVALID_INDEX) {
      glUniformBlockBinding(program.id(), index, row.binding);
    }
  }
  GLint current = 0;
  glGetIntegerv(GL_CURRENT_PROGRAM, &current);
  glUseProgram(program.id());
  for (const SamplerRow& row : kSamplers) {
    const GLint location = uniform(program, std::string(row.name).c_str());
    if (location >= 0) {
      glUniform1i(location, row.unit);
    }
  }
  // One that was deleted while it was current is gone by now.
  const auto before = static_cast<GLuint>(current);
  glUseProgram(glIsProgram(before) == GL_TRUE ? before : 0);
}

}  // namespace

ShaderLibrary ShaderLibrary::from_environment() {
  if (const char* folder = std::getenv("PELT_SHADERS"); folder != nullptr && *folder != '\0') {
    return ShaderLibrary(std::filesystem::path(folder));
  }
  std::map<std::string, std::string, std::less<>> files;
  for (const EmbeddedFile& file : embedded::shaders()) {
    files.emplace(file.name, file.bytes);
  }
  return ShaderLibrary(std::move(files));
}

Result<std::string> ShaderLibrary::file(std::string_view path) const {
  if (is_live()) {
    Result<std::string> content = read_file(folder_ / path);
    return content ? content : content.error().in(fmt::format("shader {}", path));
  }
  const auto found = files_.find(path);
  if (found == files_.end()) {
    return error("shader {}: no such file among the {} built in", path, files_.size());
  }
  return found->second;
}

Result<ShaderText> ShaderLibrary::assemble(std::string_view path, const std::vector<Define>& defines) const {
  ShaderText out;
  out.text = "#version 330 core\n";
  for (const auto& [name, value] : defines) {
    if (!is_quoted(value)) {
      out.text += fmt::format("#define {} {}\n", name, value);
    }
  }
  std::vector<std::string_view> open;
  PELT_TRY(append_file(*this, path, defines, open, out));
  return out;
}

std::filesystem::file_time_type ShaderLibrary::newest() const {
  auto newest = std::filesystem::file_time_type::min();
  std::error_code ignored;  // a file that an editor is just replacing counts next time
  if (is_live()) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_, ignored)) {
      if (entry.is_regular_file(ignored)) {
        newest = std::max(newest, entry.last_write_time(ignored));
      }
    }
  }
  return newest;
}

Result<Program> make_program(const ShaderLibrary& library, const ProgramSource& source) {
  Program program = Program::make();
  const Shader vertex(GL_VERTEX_SHADER);
  PELT_TRY(compile(library, source.vertex, source.defines, vertex));
  glAttachShader(program.id(), vertex.id);
  const Shader fragment(GL_FRAGMENT_SHADER);
  if (!source.fragment.empty()) {
    PELT_TRY(compile(library, source.fragment, source.defines, fragment));
    glAttachShader(program.id(), fragment.id);
  }
  if (!source.feedback.empty()) {
    std::vector<const char*> names;
    for (const std::string& name : source.feedback) {
      names.push_back(name.c_str());
    }
    glTransformFeedbackVaryings(program.id(), static_cast<GLsizei>(names.size()), names.data(), GL_INTERLEAVED_ATTRIBS);
  }
  glLinkProgram(program.id());
  GLint ok = GL_FALSE;
  glGetProgramiv(program.id(), GL_LINK_STATUS, &ok);
  if (ok != GL_TRUE) {
    GLint length = 0;
    glGetProgramiv(program.id(), GL_INFO_LOG_LENGTH, &length);
    std::string log(std::max(length, 1), '\0');
    glGetProgramInfoLog(program.id(), length, &length, log.data());
    log.resize(length);
    return error("shaders {} and {} do not link: {}", source.vertex,
                 source.fragment.empty() ? "(no fragment shader)" : source.fragment, trimmed(log));
  }
  connect_interface(program);
  return program;
}

}  // namespace pelt::render
