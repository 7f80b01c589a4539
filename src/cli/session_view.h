#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "edit/document.h"
#include "render/camera.h"
#include "render/view_settings.h"

namespace pelt::cli {

/// How a session is drawn: what stands under "window" in its text.
struct SessionView {
  render::ViewSettings view = {};
  std::optional<render::Camera> camera = {};
  std::string tab = {};                 ///< of the panel in front
  std::string mode = {};                ///< that the window was in, since several have the same panel
  std::vector<std::string> notes = {};  ///< sentences about what no longer applies
};

/// As JSON. An environment that is a picture is a matter of the machine, and is not in it.
/// @param session  the session's file, from which the picture behind is named
std::string to_json(const SessionView& view, const edit::Document& document, const std::filesystem::path& session);

/// What the session that a document was opened from says; the standard where it was opened from none, or says nothing.
/// What is about a joint, node, variant, part or surface that the character does not have is left out; notes says what
/// is shown again for that. The picture behind is named and not yet opened, see open_session_picture().
Result<SessionView> session_view(const edit::Document& document);

}  // namespace pelt::cli
