#include "edit/weight_tools.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "core/text.h"
#include "edit/weight_foresight.h"
#include "edit/weight_tool_run.h"
#include "mesh/rogues.h"
#include "mesh/surface_checks.h"

namespace pelt::edit {
namespace {

using bind::Field;
using Patches = std::vector<mesh::InfluencesPatch>;

constexpr Field kTolerance = {.id = "tolerance",
                              .label = "Tolerance",
                              .unit = "of the diagonal",
                              .help = "How far a vertex may be from the mirror image of its partner",
                              .kind = Field::Kind::kReal,
                              .minimum = 1e-6,
                              .maximum = 0.1,
                              .standard = 1e-3};

constexpr std::array kRoguesFields = {
    Field{.id = "epsilon",
          .label = "Counts from",
          .unit = "",
          .help = "Smaller weights are not looked at",
          .kind = Field::Kind::kReal,
          .minimum = 0,
          .maximum = 0.5,
          .standard = mesh::kStrays.epsilon},
    Field{.id = "share",
          .label = "Largest share",
          .unit = "",
          .help = "Patches with more of a joint's weights than this are no strays",
          .kind = Field::Kind::kReal,
          .minimum = 0,
          .maximum = 1,
          .standard = mesh::kStrays.largest_share},
    Field{.id = "islands",
          .label = "Whole islands",
          .unit = "",
          .help = "Mend patches that are a shell of their own, too: buttons, buckles",
          .kind = Field::Kind::kSwitch},
    Field{.id = "reach",
          .label = "Beyond",
          .unit = "times",
          .help =
              "Patches that come nearer to the bone than so many times the reach of the joint's own vertices are no "
              "strays; 0 for any distance",
          .kind = Field::Kind::kReal,
          .minimum = 0,
          .maximum = 100,
          .standard = mesh::kStrays.reach},
    Field{.id = "fading",
          .label = "Fading patches",
          .unit = "",
          .help = "Mend patches at whose border the weight falls off smoothly, too: somebody painted those",
          .kind = Field::Kind::kSwitch},
};

constexpr std::array kWeldFields = {
    Field{.id = "tolerance",
          .label = "Tolerance",
          .unit = "of a weight",
          .help = "Vertices at one place whose weights differ by less stay as they are: nobody sees that they part",
          .kind = Field::Kind::kReal,
          .minimum = 0,
          .maximum = 1,
          .standard = static_cast<double>(mesh::kEqualWeights)},
};

constexpr std::array kPruneFields = {
    Field{.id = "threshold",
          .label = "Threshold",
          .unit = "",
          .help = "Weights below it go; the heaviest of a vertex stays",
          .kind = Field::Kind::kReal,
          .minimum = 0,
          .maximum = 1,
          .standard = 0.001},
};

constexpr std::array kLimitFields = {
    Field{.id = "count",
          .label = "Count",
          .unit = "influences",
          .help = "Influences that a vertex keeps, the heaviest and the locked ones",
          .kind = Field::Kind::kInteger,
          .minimum = 1,
          .maximum = 64,
          .standard = 4},
};

constexpr std::array kQuantiseFields = {
    Field{.id = "steps",
          .label = "Steps",
          .unit = "",
          .help = "Weights become multiples of one over this: 100 for two decimals, 255 for bytes",
          .kind = Field::Kind::kInteger,
          .minimum = 1,
          .maximum = 65535,
          .standard = 1000},
};

constexpr std::array kMirrorFields = {
    Field{.id = "to-left",
          .label = "From right to left",
          .unit = "",
          .help = "The right side is the one that stays",
          .kind = Field::Kind::kSwitch},
    kTolerance,
};

constexpr std::array kExchangeFields = {kTolerance};

constexpr std::array kTransferFields = {
    Field{.id = "distance",
          .label = "Distance",
          .unit = "of the diagonal",
          .help = "How far the closest point may be",
          .kind = Field::Kind::kReal,
          .minimum = 0,
          .maximum = 1,
          .standard = 0.05},
    Field{.id = "angle",
          .label = "Angle",
          .unit = "degrees",
          .help = "How far the surface there may be turned away",
          .kind = Field::Kind::kReal,
          .minimum = 0,
          .maximum = 180,
          .standard = 60},
    Field{.id = "nearest",
          .label = "Nearest for the rest",
          .unit = "",
          .help =
              "What has no match takes the closest point all the same, instead of going smoothly between those that "
              "have one",
          .kind = Field::Kind::kSwitch},
};

constexpr std::array kMoveFields = {
    Field{.id = "share",
          .label = "Share",
          .unit = "",
          .help = "How much of the first joint's weight the second one gets",
          .kind = Field::Kind::kReal,
          .minimum = 0,
          .maximum = 1,
          .standard = 0.5},
};

constexpr std::array kSetFields = {
    Field{.id = "value",
          .label = "Value",
          .unit = "",
          .help = "The weight that the joint gets; the others scale to the rest",
          .kind = Field::Kind::kReal,
          .minimum = 0,
          .maximum = 1,
          .standard = 1},
};

constexpr std::array kAddFields = {
    Field{.id = "value",
          .label = "Value",
          .unit = "",
          .help = "What is added to the joint's weight; below 0 it is taken",
          .kind = Field::Kind::kReal,
          .minimum = -1,
          .maximum = 1,
          .standard = 0.05},
};

constexpr std::array kScaleFields = {
    Field{.id = "factor",
          .label = "Factor",
          .unit = "",
          .help = "What the joint's weight is multiplied by; the others scale to the rest",
          .kind = Field::Kind::kReal,
          .minimum = 0,
          .maximum = 10,
          .standard = 0.5},
};

// Each copy of a place by itself: a row of its own may stay one.
template <typename F>
Patches each_row(const WeightToolRun& run, F edit) {
  return edited_rows(run, mesh::Copies::kEach, [&](std::size_t, mesh::WeightRow& row) { edit(row); });
}

Patches averaged(const WeightToolRun& run) {
  const std::vector<mesh::WeightEntry> mean = mesh::mean_row(*run.surface, run.influences, run.area.places);
  return edited_rows(run, mesh::Copies::kTogether, [&](std::size_t, mesh::WeightRow& row) { row.towards(mean, 1); });
}

std::string refuses_whole(const WeightToolRun& run) {
  return run.change.vertices.empty() ? "expected chosen vertices: all of them have nothing round them to take from"
                                     : "";
}

// The first of them keeps what locked joints of others cannot give.
Patches merged(const WeightToolRun& run, double share) {
  return each_row(run, [&](mesh::WeightRow& row) {
    for (std::size_t k = 0; k + 1 < run.joints.size(); ++k) {
      row.move(run.joints[k], run.joints.back(), share);
    }
  });
}

constexpr std::array kTools = {
    WeightTool{.id = "rogues",
               .label = "Remove rogues",
               .help = "Give what strays follow of a joint to the joints round them: patches that no way over the "
                       "surface joins to the joint's own vertices",
               .joints = ToolJoints::kAny,
               .fields = kRoguesFields,
               .make = without_rogues},
    WeightTool{.id = "hammer",
               .label = "Hammer",
               .help = "Replace the weights of the chosen vertices by those round them, ring by ring",
               .refusal = refuses_whole,
               .make = hammered},
    WeightTool{.id = "inpaint",
               .label = "Inpaint",
               .help =
                   "Let the weights of the chosen vertices go evenly from those on one side of them to those on the "
                   "other: a falloff as wide as what is chosen",
               .refusal = refuses_whole,
               .make = inpainted},
    WeightTool{.id = "average",
               .label = "Average",
               .help = "Give all of the chosen vertices the mean of their weights",
               .refusal = refuses_whole,
               .make = averaged},
    WeightTool{.id = "weld",
               .label = "Weld seams",
               .help = "Give vertices at one place the mean of their weights, so that a seam cannot open",
               .fields = kWeldFields,
               .make = welded},
    WeightTool{.id = "prune",
               .label = "Prune",
               .help = "Drop small weights and give the others what those had",
               .fields = kPruneFields,
               .make =
                   [](const WeightToolRun& run) {
                     return each_row(run, [&](mesh::WeightRow& row) { row.prune(run.values[0]); });
                   }},
    WeightTool{.id = "limit",
               .label = "Limit",
               .help = "Keep the heaviest weights of each vertex, up to a count",
               .fields = kLimitFields,
               .make =
                   [](const WeightToolRun& run) {
                     return each_row(run,
                                     [&](mesh::WeightRow& row) { row.limit(static_cast<std::size_t>(run.values[0])); });
                   }},
    WeightTool{
        .id = "normalise",
        .label = "Normalise",
        .help = "Bring the weights of each vertex to a sum of 1, in the file as well",
        .make = [](const WeightToolRun& run) { return each_row(run, [](mesh::WeightRow& row) { row.normalise(); }); }},
    WeightTool{.id = "quantise",
               .label = "Quantise",
               .help = "Round weights to steps that sum to 1",
               .fields = kQuantiseFields,
               .make =
                   [](const WeightToolRun& run) {
                     return each_row(run, [&](mesh::WeightRow& row) { row.quantise(static_cast<int>(run.values[0])); });
                   }},
    WeightTool{.id = "mirror",
               .label = "Mirror",
               .help = "Give each vertex of the right side the weights of its mirror image on the left, by position, "
                       "joints by their names; vertices without an image stay",
               .fields = kMirrorFields,
               .refusal = refuses_sides,
               .make = mirrored_sides},
    WeightTool{.id = "exchange-sides",
               .label = "Exchange sides",
               .help = "Exchange the weights of both sides, by position, joints by their names",
               .fields = kExchangeFields,
               .refusal = refuses_sides,
               .make = exchanged_sides},
    WeightTool{.id = "transfer",
               .label = "Transfer",
               .help =
                   "Take the weights of another character by the closest point of its surface, both as bound, joints "
                   "by their names and parts of the body",
               .fields = kTransferFields,
               .needs_source = true,
               .refusal = refuses_source,
               .make = transferred},
    WeightTool{.id = "load",
               .label = "Load",
               .help =
                   "Take the weights that a text says, as `pelt weights ... save` writes it; vertices that it leaves "
                   "out keep theirs",
               .needs_table = true,
               .refusal = refuses_table,
               .make = loaded},
    WeightTool{.id = "replace",
               .label = "Replace",
               .help = "Give all weight of the first joint to the second",
               .joints = ToolJoints::kTwo,
               .make = [](const WeightToolRun& run) { return merged(run, 1); }},
    WeightTool{.id = "swap",
               .label = "Swap",
               .help = "Exchange the weights of two joints",
               .joints = ToolJoints::kTwo,
               .make =
                   [](const WeightToolRun& run) {
                     return each_row(run, [&](mesh::WeightRow& row) { row.swap(run.joints[0], run.joints[1]); });
                   }},
    WeightTool{.id = "merge",
               .label = "Merge",
               .help = "Give all weight of several joints to the last of them",
               .joints = ToolJoints::kSeveral,
               .make = [](const WeightToolRun& run) { return merged(run, 1); }},
    WeightTool{.id = "move",
               .label = "Move",
               .help = "Give a share of the first joint's weight to the second",
               .joints = ToolJoints::kTwo,
               .fields = kMoveFields,
               .make = [](const WeightToolRun& run) { return merged(run, run.values[0]); }},
    WeightTool{.id = "set",
               .label = "Set",
               .help = "Give a joint this weight; the others scale to the rest",
               .joints = ToolJoints::kOne,
               .fields = kSetFields,
               .make =
                   [](const WeightToolRun& run) {
                     return each_row(run, [&](mesh::WeightRow& row) { row.set(run.joints[0], run.values[0]); });
                   }},
    WeightTool{.id = "add",
               .label = "Add",
               .help = "Add to a joint's weight; the others scale to the rest",
               .joints = ToolJoints::kOne,
               .fields = kAddFields,
               .make =
                   [](const WeightToolRun& run) {
                     return each_row(run, [&](mesh::WeightRow& row) { row.add(run.joints[0], run.values[0]); });
                   }},
    WeightTool{.id = "scale",
               .label = "Scale",
               .help = "Multiply a joint's weight; the others scale to the rest",
               .joints = ToolJoints::kOne,
               .fields = kScaleFields,
               .make =
                   [](const WeightToolRun& run) {
                     return each_row(run, [&](mesh::WeightRow& row) { row.scale(run.joints[0], run.values[0]); });
                   }},
};

std::string refuses_joints(const WeightTool& tool, std::size_t given) {
  switch (tool.joints) {
    case ToolJoints::kNone:
    case ToolJoints::kAny:
      return "";
    case ToolJoints::kOne:
      return given == 1 ? "" : fmt::format("expected one joint, got {}", given);
    case ToolJoints::kTwo:
      return given == 2 ? "" : fmt::format("expected two joints, the one that gives first, got {}", given);
    case ToolJoints::kSeveral:
      return given >= 2 ? "" : fmt::format("expected two joints or more, the one that gets last, got {}", given);
  }
  return "";
}

// All but the surface. Fails with why the tool is refused.
Result<WeightToolRun> prepared(const rig::Character& character, const WeightTool& tool, const UseWeightTool& change) {
  PELT_EXPECT(has_index(character.meshes, change.mesh), "a mesh there is");
  WeightToolRun run{.character = character, .change = change};
  run.skin = rig::first_skin_of(character, change.mesh);
  if (run.skin < 0) {
    return error("{} hangs on no skin, so it has no weights", printable(mesh_name(character, change.mesh)));
  }
  if (std::string why = refuses_joints(tool, change.joints.size()); !why.empty()) {
    return error("{}", why);
  }
  if (tool.needs_source && change.source == nullptr) {
    return error("expected a character to take weights from");
  }
  if (tool.needs_table && change.table == nullptr) {
    return error("expected a text of weights");
  }
  const std::vector<int>& listed = character.skins[run.skin].joints;
  for (const int joint : tool.joints == ToolJoints::kNone ? std::vector<int>() : change.joints) {
    const auto at = std::ranges::find(listed, joint);
    if (at == listed.end()) {
      return error("{} is none of the joints that {} can follow", printable(character.skeleton->label(joint)),
                   printable(mesh_name(character, change.mesh)));
    }
    run.joints.push_back(static_cast<std::uint16_t>(at - listed.begin()));
  }
  run.locked = slots_of(character, change.mesh, change.locked);
  run.values = standard_values(tool);
  for (std::size_t f = 0; f < std::min(run.values.size(), change.values.size()); ++f) {
    const Field& field = tool.fields[f];
    if (!std::isfinite(change.values[f])) {
      return error("{}: expected a number, got {}", field.id, change.values[f]);
    }
    run.values[f] = std::clamp(change.values[f], field.minimum, field.maximum);
  }
  if (tool.refusal != nullptr) {
    if (std::string why = tool.refusal(run); !why.empty()) {
      return error("{}", why);
    }
  }
  return run;
}

Patches only_chosen(const WeightToolRun& run, Patches patches) {
  std::vector<std::uint32_t> chosen(run.change.vertices.begin(), run.change.vertices.end());
  std::ranges::sort(chosen);
  const std::size_t first = run.change.primitive < 0 ? 0 : run.surface->first[run.change.primitive];
  return only_where(run, std::move(patches), [&](std::size_t p, std::size_t v) {
    const std::size_t in_mesh = run.surface->first[p] + v;
    return in_mesh >= first && std::ranges::binary_search(chosen, static_cast<std::uint32_t>(in_mesh - first));
  });
}

}  // namespace

std::span<const WeightTool> weight_tools() {
  return kTools;
}

const WeightTool* find_weight_tool(std::string_view id) {
  const auto at = std::ranges::find(kTools, id, &WeightTool::id);
  return at == kTools.end() ? nullptr : &*at;
}

std::vector<double> standard_values(const WeightTool& tool) {
  std::vector<double> values;
  for (const Field& field : tool.fields) {
    values.push_back(field.standard);
  }
  return values;
}

Result<std::shared_ptr<const rig::Character>> with_weight_tool(const rig::Character& character,
                                                               const UseWeightTool& change, TransferMatch* out_match,
                                                               const Progress& progress, WeightCuts* out_cuts) {
  PELT_EXPECT(change.strengths.empty() || change.strengths.size() == change.vertices.size(), "one per vertex");
  const WeightTool* tool = find_weight_tool(change.tool);
  if (tool == nullptr) {
    return error("there is no weight tool \"{}\"", printable(change.tool));
  }
  PELT_TRY_TO(WeightToolRun run, prepared(character, *tool, change));
  run.surface = surface_for(run.own_mesh(), change.surface);
  run.influences = influences_of(run.own_mesh());
  run.out_match = out_match;
  run.progress = progress;
  run.area = area_of(*run.surface, change.primitive, change.vertices, change.strengths);
  const Patches patches = change.only_chosen ? only_chosen(run, tool->make(run)) : tool->make(run);
  if (out_cuts != nullptr) {
    *out_cuts = cuts_in(patches);
  }
  return with_patches(character, change.mesh, patches);
}

WeightCuts cuts_in(std::span<const mesh::InfluencesPatch> patches) {
  WeightCuts out;
  for (const mesh::InfluencesPatch& patch : patches) {
    out.vertices += patch.cuts.size();
    for (const mesh::InfluencesPatch::Cut& cut : patch.cuts) {
      out.largest = std::max(out.largest, static_cast<double>(cut.lost));
    }
  }
  return out;
}

std::string sentence(const WeightCuts& cuts) {
  return cuts.vertices == 0 ? std::string()
                            : fmt::format(
                                  "{} of them lost influences for which there is no place, {:.3g} of the "
                                  "weight at most",
                                  cuts.vertices, cuts.largest);
}

WeightDifference weight_difference(const rig::Character& before, const rig::Character& after, int mesh) {
  WeightDifference out;
  double sum = 0;
  const mesh::Mesh& now = after.meshes[mesh];
  for (std::size_t p = 0; p < now.primitives.size(); ++p) {
    const mesh::Influences& from = before.meshes[mesh].primitives[p].influences;
    const mesh::Influences& to = now.primitives[p].influences;
    mesh::for_changed_rows(from, to, [&](std::size_t v) {
      std::map<std::uint16_t, double> by_joint;
      for (std::size_t k = 0; k < from.joints(v).size(); ++k) {
        by_joint[from.joints(v)[k]] -= static_cast<double>(from.weights(v)[k]);
      }
      for (std::size_t k = 0; k < to.joints(v).size(); ++k) {
        by_joint[to.joints(v)[k]] += static_cast<double>(to.weights(v)[k]);
      }
      double gained = 0;
      double lost = 0;
      for (const auto& [joint, weight] : by_joint) {
        (weight > 0 ? gained : lost) += std::abs(weight);
      }
      const double difference = std::max(gained, lost);
      ++out.vertices;
      sum += difference;
      if (difference > out.largest) {
        out.largest = difference;
        out.part = p;
        out.vertex = v;
      }
    });
    out.most_joints = std::max<std::size_t>(out.most_joints, to.max_count());
  }
  out.mean = out.vertices > 0 ? sum / static_cast<double>(out.vertices) : 0;
  return out;
}

std::string sentence(const WeightDifference& difference) {
  if (difference.vertices == 0) {
    return "nothing changes";
  }
  const std::string text =
      fmt::format("{} {}, by {:.3g} of the weight at most and {:.3g} on average", difference.vertices,
                  difference.vertices == 1 ? "vertex" : "vertices", difference.largest, difference.mean);
  const std::string cuts = sentence(difference.cuts);
  return cuts.empty() ? text : text + "; " + cuts;
}

std::string label(const Document& document, const UseWeightTool& change) {
  const WeightTool* tool = find_weight_tool(change.tool);
  return fmt::format("{}, weights of {}", tool == nullptr ? "Weight tool" : tool->label,
                     mesh_name(*own_character(document), change.mesh));
}

void carry_out(const Document& document, const UseWeightTool& change, Content& content, View&) {
  if (change.made != nullptr && change.made->from == own_character(document)) {
    content.character = change.made->result != nullptr ? change.made->result : content.character;
    return;
  }
  if (auto character = with_weight_tool(*own_character(document), with_locks_of(document, change));
      character && *character != nullptr) {
    content.character = std::move(*character);
  }
}

std::string remark(const Document& document, const UseWeightTool& change) {
  std::string text = remark_on_weights(document, change.mesh);
  const WeightTool* tool = find_weight_tool(change.tool);
  if (tool == nullptr || !tool->needs_source || change.source == nullptr) {
    return text;
  }
  std::vector<int> lost;
  for (const JointPartner& partner : joint_partners(*change.source, *own_character(document))) {
    if (partner.to < 0) {
      lost.push_back(partner.from);
    }
  }
  if (!lost.empty()) {
    text += fmt::format(
        "{}{} of the other character's joints have no partner here, and what they give is lost, the "
        "first {}",
        text.empty() ? "" : "; ", lost.size(), printable(change.source->skeleton->label(lost.front())));
  }
  return text;
}

std::string refusal(const Document& document, const UseWeightTool& change) {
  const WeightTool* tool = find_weight_tool(change.tool);
  if (tool == nullptr) {
    return fmt::format("there is no weight tool \"{}\"", printable(change.tool));
  }
  const Result<WeightToolRun> run = prepared(*own_character(document), *tool, with_locks_of(document, change));
  return run ? "" : run.error().message;
}

}  // namespace pelt::edit
