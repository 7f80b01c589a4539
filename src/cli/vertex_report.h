#pragma once

#include <optional>
#include <string>

#include <glm/glm.hpp>

#include "cli/options.h"
#include "core/result.h"
#include "edit/document.h"

namespace pelt::cli {

/// The part that a name of its node or mesh means where one part alone has it, else one by its index.
Result<int> resolve_part(const rig::Character& character, const std::string& name);

/// Part and vertex that `--vertex` names: a part by the name of its node or mesh where one part alone has it, else by
/// its index. Errors say what the character has.
Result<glm::ivec2> resolve_vertex(const rig::Character& character, const VertexFlag& flag);

/// Pins what `--vertex` names, if anything.
Status pin_vertex(edit::Document& document, const std::optional<VertexFlag>& flag);

/// The vertex step by step in the document's pose, computed by the CPU: `pelt info --vertex`. As lines for people, or
/// as JSON whose keys machine_output.md lists.
Result<std::string> vertex_report(const edit::Document& document, const VertexFlag& flag, const std::string& file,
                                  bool json);

}  // namespace pelt::cli
