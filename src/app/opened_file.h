#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "core/file.h"
#include "edit/document.h"
#include "rig/character.h"

namespace pelt::app {

/// Where the open character is from.
struct OpenedFile {
  std::string name;  ///< path or "@mannequin"; empty: nowhere that can be read again
  bool allow_outside_uris = false;
  std::optional<FileStamp> stamp = {};                 ///< from before it was read
  std::vector<StampedFile> beside = {};                ///< that were read with it
  std::weak_ptr<const rig::Character> character = {};  ///< with its own surface, as it was read
};

/// Of what the command line has opened: the file that it named, or that of the session that it named.
/// @param document  the one of the request
OpenedFile opened_file(const cli::ViewRequest& request, const edit::Document& document);

/// Whether the file, and all that was read with it, is still as it was then.
bool is_unchanged(const OpenedFile& file);

}  // namespace pelt::app
