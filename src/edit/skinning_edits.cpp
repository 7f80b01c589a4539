#include "edit/skinning_edits.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/expect.h"
#include "deform/skinning_methods.h"

namespace pelt::edit {
namespace {

// What a new pane shows beside those that are there: dual quaternions, linear blending, then whatever no pane shows
// yet; what must prepare first, rigid parts and what looks like linear blending come last.
int contrasting(const Content& content) {
  const auto methods = deform::skinning_methods();
  std::vector<int> order = {deform::find_method("dqs"), deform::find_method("lbs")};
  for (const bool late : {false, true}) {
    for (std::size_t m = 0; m < methods.size(); ++m) {
      if (late == (methods[m].prepare != nullptr || methods[m].id == "rigid" || methods[m].id == "lbs-sum")) {
        order.push_back(static_cast<int>(m));
      }
    }
  }
  const auto shown = [&](int method) {
    return content.skinning.method == method ||
           std::ranges::find(content.panes, method, &deform::SkinningSettings::method) != content.panes.end();
  };
  const auto found = std::ranges::find_if_not(order, shown);
  return found == order.end() ? content.skinning.method : *found;
}

std::string skinning_label(const deform::SkinningSettings& a, const deform::SkinningSettings& b) {
  const deform::SkinningMethod& method = deform::skinning_methods()[b.method];
  if (a.method != b.method) {
    return fmt::format("Skin by {}", method.label);
  }
  if (a.backend != b.backend) {
    return b.backend == deform::Backend::kCpu ? "Skin on the CPU" : "Skin on the GPU";
  }
  if (a.normals != b.normals) {
    return "Change normals";
  }
  if (a.palette_limit != b.palette_limit) {
    return "Change palette limit";
  }
  if (a.influence_limit != b.influence_limit) {
    return "Limit influences";
  }
  if (a.prune_threshold != b.prune_threshold) {
    return "Prune weights";
  }
  if (a.weight_format != b.weight_format) {
    return "Change how weights are stored";
  }
  if (a.partition != b.partition) {
    return b.partition ? "Draw rigid triangles apart" : "Draw all triangles together";
  }
  if (a.refine != b.refine) {
    return b.refine == deform::Refine::kAfterSkin ? "Skin control points" : "Skin the refined mesh";
  }
  for (const deform::MethodParameter& parameter : method.parameters) {
    if (parameter.get(a.parameters) != parameter.get(b.parameters)) {
      return fmt::format("Change {} of {}", parameter.label, method.label);
    }
  }
  return b.weights_as_stored ? "Use weights as stored" : "Normalise weights";
}

}  // namespace

void carry_out(const Document&, const SetSkinning& change, Content& content, View&) {
  PELT_EXPECT(change.pane >= 0 && change.pane < pane_count(content), "pane index out of range");
  deform::SkinningSettings settings = change.settings;
  settings.layers = {};  // the document's layers say what takes effect
  if (change.pane == 0) {
    content.skinning = settings;
  } else {
    content.panes.edit()[static_cast<std::size_t>(change.pane) - 1] = settings;
  }
}

void carry_out(const Document& document, const SetPanes& change, Content& content, View&) {
  const std::size_t beyond = std::clamp(change.count, 1, kPaneLimit) - 1;
  content.panes.resize(std::min(beyond, content.panes.size()));
  while (content.panes.size() < beyond) {
    deform::SkinningSettings settings = skinning_of(document.content, document.view.active_pane);
    settings.method = contrasting(content);
    content.panes.push_back(settings);
  }
}

std::string label(const Document& document, const SetSkinning& change) {
  return skinning_label(skinning_of(document.content, change.pane), change.settings);
}

std::string label(const Document&, const SetPanes& change) {
  return change.count <= 1 ? std::string("Show one pane") : fmt::format("Show {} panes", change.count);
}

}  // namespace pelt::edit
