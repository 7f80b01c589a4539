#include "cli/write_character.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/shape.h"
#include "core/text.h"

namespace pelt::cli {
namespace {

Status write_glb(const rig::Character& character, const gltf::ExportOptions& how, Diagnostics& notes) {
  PELT_TRY_TO(const gltf::Exported exported, gltf::export_character(character, how));
  notes = exported.notes;
  const std::vector<std::uint8_t>& bytes = exported.files.front().bytes;
  return print_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Status write_files(const rig::Character& character, const std::string& output, gltf::ExportOptions how,
                   Diagnostics& notes) {
  for (const ReadFile& file : noted_files()) {
    how.keep.push_back(file.path);
  }
  PELT_TRY(check_output(output));
  return gltf::export_file(character, output, how, &notes);
}

}  // namespace

gltf::FileForm form_of_output(const std::string& output, bool embed) {
  const std::string extension = output == "-" ? "glb" : extension_of(output);
  require(extension == "glb" || extension == "gltf", "--output",
          fmt::format("expected a name that ends in .glb or .gltf, got \"{}\"", printable(output)));
  require(!embed || extension == "gltf", "--embed", "needs a name that ends in .gltf; a .glb is one file in any case");
  return extension == "glb" ? gltf::FileForm::kBinary : embed ? gltf::FileForm::kEmbedded : gltf::FileForm::kSeparate;
}

Status write_character(const rig::Character& read, const rig::Character& character, const std::string& output,
                       gltf::ExportOptions how) {
  Diagnostics notes;
  PELT_TRY(output == "-" ? write_glb(character, how, notes) : write_files(character, output, std::move(how), notes));
  // What reading left out is not in the new file either.
  const auto count =
      std::ranges::count_if(read.diagnostics, [](const Diagnostic& one) { return one.severity != Severity::kInfo; });
  if (count > 0) {
    print_note(fmt::format("{} finding(s) on reading; `pelt lint` lists them", count));
  }
  for (const Diagnostic& note : notes) {
    print_note(fmt::format("{}: {}", note.place, note.message));
  }
  return {};
}

}  // namespace pelt::cli
