# pelt_embed(TARGET NAME BASE dir FILES a b ...): puts files into a library as
# `std::span<const pelt::EmbeddedFile> pelt::embedded::NAME()`, which the including module declares itself.
# The assembler's .incbin copies megabytes in no time, where generated C arrays take seconds to compile.
function(pelt_embed target name)
  cmake_parse_arguments(arg "" "BASE" "FILES" ${ARGN})
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/embedded)
  set(assembly ".section .rodata\n")
  set(declarations "")
  set(rows "")
  set(index 0)
  foreach(file IN LISTS arg_FILES)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${arg_BASE} OUTPUT_VARIABLE relative)
    set(symbol pelt_embedded_${name}_${index})
    string(APPEND assembly
      ".global ${symbol}\n.global ${symbol}_end\n.balign 16\n${symbol}:\n.incbin \"${file}\"\n${symbol}_end:\n.byte 0\n")
    string(APPEND declarations "extern \"C\" const char ${symbol}[];\nextern \"C\" const char ${symbol}_end[];\n")
    string(APPEND rows "      {\"${relative}\", {${symbol}, static_cast<std::size_t>(${symbol}_end - ${symbol})}},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  string(APPEND assembly ".section .note.GNU-stack,\"\",@progbits\n")
  file(CONFIGURE OUTPUT ${dir}/${name}.S CONTENT "${assembly}" @ONLY)
  file(CONFIGURE OUTPUT ${dir}/${name}.cpp CONTENT
"#include <array>
#include <cstddef>

#include \"core/embedded.h\"

${declarations}
namespace pelt::embedded {

std::span<const EmbeddedFile> ${name}() {
  static const std::array<EmbeddedFile, ${index}> files = {{
${rows}  }};
  return files;
}

}  // namespace pelt::embedded
" @ONLY)
  set_source_files_properties(${dir}/${name}.S PROPERTIES OBJECT_DEPENDS "${arg_FILES}")
  target_sources(${target} PRIVATE ${dir}/${name}.S ${dir}/${name}.cpp)
endfunction()
