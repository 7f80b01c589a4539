#include "app/opened_file.h"

#include <algorithm>

namespace pelt::app {

OpenedFile opened_file(const cli::ViewRequest& request, const edit::Document& document) {
  const edit::SessionOrigin& origin = document.origin;
  const bool is_session = !origin.path.empty();
  return {.name = !is_session                ? request.file
                  : origin.packed != nullptr ? std::string()
                                             : origin.file,
          .allow_outside_uris = is_session ? origin.outside_uris : request.allow_outside_uris,
          .stamp = request.stamp,
          .beside = request.files_beside,
          // What the session did to the character is not in its file.
          .character = is_session ? document.file : edit::own_character(document)};
}

bool is_unchanged(const OpenedFile& file) {
  return file_stamp(file.name) == file.stamp && std::ranges::all_of(file.beside, [](const StampedFile& other) {
           return file_stamp(other.path) == other.stamp;
         });
}

}  // namespace pelt::app
