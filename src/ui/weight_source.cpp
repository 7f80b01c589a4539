#include "ui/weight_source.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "ui/icons.h"
#include "ui/selecting.h"
#include "ui/weight_tools_panel.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr std::chrono::seconds kSourcePatience(60);  // for pictures, of machines that are busy

// Something else is to be opened: the tool that takes it is in the hand from now on.
WeightSource& begin_opening(Workspace& workspace, const std::string& file, std::string_view tool,
                            WeightSource::Coming WeightSource::*coming) {
  WeightToolsPanel& panel = workspace.panel<WeightToolsPanel>();
  panel.tool = tool;
  panel.scroll_up = true;  // Apply stands above what asked for the file
  panel.source.*coming = {.name = std::filesystem::path(file).filename().string(), .error = {}};
  show_tab(workspace, kWeightToolsTab);
  return panel.source;
}

// Into `taken` with its name, or why not into `error`.
template <typename T>
void take_source(std::unique_ptr<JobSlot<Result<T>>>& slot, T& taken, std::string& name, WeightSource::Coming& coming,
                 bool patient) {
  if (slot == nullptr) {
    return;
  }
  if (patient) {
    slot->wait(kSourcePatience);
  }
  if (slot->failed()) {
    coming.error = fmt::format("{}: not enough memory to open it", printable(coming.name, 120));
    slot->cancel();
  }
  std::optional<Result<T>> opened = slot->take();
  if (!opened) {
    return;
  }
  if (!*opened) {
    coming.error = opened->error().message;
    return;
  }
  taken = **std::move(opened);
  name = coming.name;
}

void match_partners(WeightSource& source, const rig::Character& character) {
  if (source.partners_of == source.character && source.partners_in.is(character.skeleton)) {
    return;
  }
  source.partners_of = source.character;
  source.partners_in = character.skeleton;
  source.partners = edit::joint_partners(*source.character, character);
  std::ranges::stable_sort(source.partners, {}, [](const edit::JointPartner& partner) {
    return partner.to < 0 ? 0 : partner.own ? 2 : 1;
  });
}

std::string partner_in_words(const edit::JointPartner& partner, const rig::Skeleton& theirs,
                             const rig::Skeleton& ours) {
  const std::string from = printable(theirs.label(partner.from), 60);
  return partner.to < 0 ? fmt::format("{} \u2192 nobody", from)
         : partner.own  ? fmt::format("{} \u2192 {}", from, printable(ours.label(partner.to), 60))
                        : fmt::format("{} \u2192 {}, of the joint above", from, printable(ours.label(partner.to), 60));
}

// The vertices of all edits that have no match, by part of the character.
edit::VertexSelection unmatched_vertices(const edit::ForeseenWeights& foreseen, const rig::Character& character) {
  edit::VertexSelection out;
  for (std::size_t e = 0; e < foreseen.edits.size(); ++e) {
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      const rig::Part& part = character.parts[p];
      if (part.mesh != foreseen.edits[e].mesh) {
        continue;
      }
      std::uint32_t first = 0;
      const mesh::Mesh& mesh = character.meshes[static_cast<std::size_t>(part.mesh)];
      for (std::size_t before = 0; std::cmp_less(before, part.primitive); ++before) {
        first += static_cast<std::uint32_t>(mesh.primitives[before].vertex_count());
      }
      const auto end = first + static_cast<std::uint32_t>(character.primitive(part).vertex_count());
      edit::PartVertices of_part{static_cast<int>(p), {}};
      for (const std::uint32_t v : foreseen.matches[e].unmatched) {
        if (v >= first && v < end) {
          of_part.vertices.push_back(v - first);
        }
      }
      if (!of_part.vertices.empty()) {
        out.push_back(std::move(of_part));
      }
    }
  }
  return out;
}

}  // namespace

void open_weights_from(Workspace& workspace, const std::string& file,
                       std::function<WeightSource::Opened(const Progress&)> open) {
  WeightSource& source = begin_opening(workspace, file, "transfer", &WeightSource::next_character);
  if (source.opening == nullptr) {
    source.opening = std::make_unique<JobSlot<WeightSource::Opened>>(workspace.jobs, Jobs::Kind::kAsked,
                                                                     "Opening the other character");
  }
  source.opening->start([open = std::move(open)](const Progress& progress) -> std::optional<WeightSource::Opened> {
    return open(progress);
  });
}

void open_weight_text(Workspace& workspace, const std::string& file,
                      std::function<WeightSource::Read(const Progress&)> read) {
  WeightSource& source = begin_opening(workspace, file, "load", &WeightSource::next_table);
  if (source.reading == nullptr) {
    source.reading =
        std::make_unique<JobSlot<WeightSource::Read>>(workspace.jobs, Jobs::Kind::kAsked, "Reading weights");
  }
  source.reading->start([read = std::move(read)](const Progress& progress) -> std::optional<WeightSource::Read> {
    return read(progress);
  });
}

void follow_weight_source(WeightSource& source, bool patient) {
  take_source(source.opening, source.character, source.character_name, source.next_character, patient);
  take_source(source.reading, source.table, source.table_name, source.next_table, patient);
}

void draw_weight_source(WeightSource& source, const edit::WeightTool& tool, Desk& desk) {
  const bool busy = tool.needs_source ? source.opening != nullptr && source.opening->active()
                                      : source.reading != nullptr && source.reading->active();
  const std::string& name = tool.needs_source ? source.character_name : source.table_name;
  const WeightSource::Coming& coming = tool.needs_source ? source.next_character : source.next_table;
  row_label(desk, "From",
            tool.needs_source ? "The character that gives its weights" : "The text of weights, as it was saved below");
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string words = busy           ? fmt::format("Opening {}\u2026", printable(coming.name, 120))
                            : name.empty() ? std::string("Open\u2026")
                                           : printable(name, 120);
  const std::string label =
      fitted(fmt::format("{}  {}", icon::kFolderOpen, words), width - 2 * ImGui::GetStyle().FramePadding.x);
  if (ImGui::Button((label + "###tools.from").c_str(), ImVec2(width, 0))) {
    open(desk.workspace.browser, tool.needs_source ? BrowserPurpose::kOpenWeightsFrom : BrowserPurpose::kOpenWeightText,
         desk);
  }
  report_item(desk, "tools.from");
  tip(name.empty() ? "Choose a file" : fmt::format("{}\nA click chooses another one", printable(name, 300)));
  if (!coming.error.empty()) {
    wrapped_text(printable(coming.error, 400), severity_color(static_cast<int>(Severity::kError)));
  }
}

void draw_joint_partners(WeightSource& source, Desk& desk) {
  if (source.character == nullptr) {
    return;
  }
  match_partners(source, *edit::own_character(desk.document()));
  const auto own = std::ranges::count_if(source.partners, [](const auto& p) { return p.to >= 0 && p.own; });
  const bool all = std::cmp_equal(own, source.partners.size());
  number_line(desk, "Joints", fmt::format("{} of {} matched", own, source.partners.size()),
              "Of the other character's joints, by their names and parts of the body; where one has no partner, its "
              "weights go to the partner of the joint above it");
  if (!section(desk, "Joint map###tools.map", !all)) {
    return;
  }
  const rig::Skeleton& ours = edit::own_character(desk.document())->skeleton;
  for (std::size_t i = 0; i < source.partners.size(); ++i) {
    const edit::JointPartner& partner = source.partners[i];
    const std::string words = partner_in_words(partner, source.character->skeleton, ours);
    ImGui::PushID(static_cast<int>(i));
    ImGui::PushStyleColor(ImGuiCol_Text, partner.to >= 0 && partner.own ? color::kText : color::kWarning);
    const bool clicked =
        clickable_sentence(desk, fmt::format("tools.map.{}", source.character->skeleton->label(partner.from)), words,
                           partner.to >= 0 && partner.to == desk.document().view.selected_joint());
    ImGui::PopStyleColor();
    tip(partner.to < 0 ? "The weights of this joint are lost" : "");
    if (clicked && partner.to >= 0) {
      select(desk, partner.to);
    }
    ImGui::PopID();
  }
}

void draw_unmatched(const edit::ForeseenWeights& foreseen, const edit::WeightTool& tool, Desk& desk) {
  edit::TransferMatch total;
  for (const edit::TransferMatch& match : foreseen.matches) {
    total.places += match.places;
    total.inpainted += match.inpainted;
    total.nearest += match.nearest;
    total.kept += match.kept;
  }
  if (total.places == 0) {
    return;
  }
  const std::size_t unmatched = total.inpainted + total.nearest + total.kept;
  number_line(
      desk, tool.needs_source ? "No match" : "No image",
      unmatched == 0 ? fmt::format("none of {}", count_of(static_cast<std::int64_t>(total.places), "place", "places"))
                     : fmt::format("{} of {}", count_text(static_cast<std::int64_t>(unmatched)),
                                   count_of(static_cast<std::int64_t>(total.places), "place", "places")),
      !tool.needs_source
          ? std::string("No vertex is at their mirror image: they keep their weights. A larger tolerance "
                        "finds more. Vertices at one place count once")
          : fmt::format("Too far from the other surface, or turned away from it: {} between the weights round them, {} "
                        "from the closest point all the same, {} keep theirs. Vertices at one place count once",
                        total.inpainted, total.nearest, total.kept));
  if (unmatched == 0) {
    return;
  }
  row_label(desk, "");
  ImGui::BeginDisabled(!edit::shows_own_surface(desk.document()));
  if (ImGui::Button("Select them###tools.unmatched", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    select_vertices(desk, unmatched_vertices(foreseen, *edit::own_character(desk.document())),
                    edit::SelectBy::kReplace);
  }
  ImGui::EndDisabled();
  report_item(desk, "tools.unmatched");
  tip(tool.needs_source ? "The vertices without a match" : "The vertices without a mirror image");
}

void draw_weight_text(Desk& desk) {
  if (!section(desk, "Weights as text###tools.text")) {
    return;
  }
  const float width = ImGui::GetContentRegionAvail().x;
  if (ImGui::Button(fmt::format("{}  Load, then apply\u2026", icon::kFolderOpen).c_str(), ImVec2(width, 0))) {
    open(desk.workspace.browser, BrowserPurpose::kOpenWeightText, desk);
  }
  report_item(desk, "tools.text.load");
  tip("Opens a text for the tool Load above, which shows the difference; Apply puts it into the character");
  if (ImGui::Button(fmt::format("{}  Save\u2026", icon::kSave).c_str(), ImVec2(width, 0))) {
    open(desk.workspace.browser, BrowserPurpose::kSaveWeightText, desk);
  }
  report_item(desk, "tools.text.save");
  tip("All weights, one vertex a line: two such files can be compared line by line");
}

}  // namespace pelt::ui
