#include <algorithm>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/parsed_option.h"
#include "cli/session_file.h"
#include "cli/verbs.h"
#include "cli/vertex_report.h"
#include "cli/write_character.h"
#include "core/text.h"
#include "edit/commands.h"
#include "edit/file_layers.h"
#include "edit/weight_foresight.h"
#include "edit/weight_text.h"

namespace pelt::cli {
namespace {

using edit::WeightSmoothingField;
using Field = WeightSmoothingField::Kind;

/// Vertices from `first` to `last`, both included.
struct VertexRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// Where an operation works and with which joints.
struct AreaFlags {
  std::optional<std::string> part;
  std::vector<VertexRange> vertices;
  std::vector<std::string> joints;
  std::vector<std::string> locks;
};

/// The flags of one `smooth`.
struct SmoothFlags {
  edit::SmoothWeights smoothing;  ///< numbers alone
  AreaFlags area;
};

/// The flags of one tool.
struct ToolFlags {
  const edit::WeightTool* tool = nullptr;
  std::vector<double> values;
  std::string source;  ///< file of the character or text that gives
  AreaFlags area;
};

/// One operation of the command line, carried out on what those before it made.
using Operation = std::function<Status(edit::Document&)>;

struct WeightsOptions {
  EvaluationOptions evaluation;
  std::string output;
  bool embed = false;
  SmoothFlags smooth;          ///< while its flags are read
  std::list<ToolFlags> tools;  ///< so, too, one per tool
  std::string text;            ///< so, too, of one `save`
  std::vector<Operation> operations;
};

// "0-99,205" as ranges.
Result<std::vector<VertexRange>> parse_vertices(std::string_view text) {
  std::vector<VertexRange> ranges;
  for (const std::string_view piece : split(text, ',')) {
    const std::size_t dash = piece.find('-');
    const std::optional<int> first = parse_integer(piece.substr(0, dash));
    const std::optional<int> last = dash == std::string_view::npos ? first : parse_integer(piece.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first) {
      return error("expected vertices such as 0-99,205, got \"{}\"", printable(text));
    }
    ranges.push_back({static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last)});
  }
  if (ranges.empty()) {
    return error("expected vertices such as 0-99,205, got \"\"");
  }
  return ranges;
}

// Names between commas; a name that has one itself is given alone.
Result<std::vector<int>> resolve_joints(const rig::Skeleton& skeleton, const char* flag,
                                        std::span<const std::string> texts) {
  std::vector<int> joints;
  for (const std::string& text : texts) {
    if (const Result<int> whole = resolve_joint(skeleton, text)) {
      joints.push_back(*whole);
      continue;
    }
    for (const std::string_view name : split(text, ',')) {
      const Result<int> joint = resolve_joint(skeleton, std::string(name));
      if (!joint) {
        return error("{}: {}", flag, joint.error().message);
      }
      joints.push_back(*joint);
    }
  }
  return joints;
}

// The meshes that hang on a skin.
std::vector<int> skinned_meshes(const rig::Character& character) {
  std::vector<int> meshes;
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.skin >= 0 && std::ranges::find(meshes, node.mesh) == meshes.end()) {
      meshes.push_back(node.mesh);
    }
  }
  std::ranges::sort(meshes);
  return meshes;
}

/// One mesh, part of it or some of its vertices.
struct Area {
  int mesh = 0;
  int primitive = -1;
  SharedArray<std::uint32_t> vertices = {};
};

Result<SharedArray<std::uint32_t>> chosen_vertices(const rig::Character& character, const Area& area,
                                                   std::span<const VertexRange> ranges) {
  const std::size_t count = character.meshes[area.mesh].primitives[area.primitive].vertex_count();
  std::vector<std::uint32_t> vertices;
  for (const VertexRange& range : ranges) {
    if (range.last >= count) {
      return error("--vertices: the part has vertices 0 to {}, got {}", count - 1, range.last);
    }
    for (std::uint32_t v = range.first; v <= range.last; ++v) {
      vertices.push_back(v);
    }
  }
  return SharedArray<std::uint32_t>(std::move(vertices));
}

// What the flags mean for this character.
Result<std::vector<Area>> areas_of(const rig::Character& character, const AreaFlags& flags) {
  std::vector<Area> areas;
  if (!flags.part && flags.vertices.empty()) {
    for (const int mesh : skinned_meshes(character)) {
      areas.push_back({.mesh = mesh});
    }
    return areas;
  }
  if (!flags.part && character.parts.size() != 1) {
    return error("--vertices: the character has {} parts; say which by --part", character.parts.size());
  }
  const Result<int> part = resolve_part(character, flags.part.value_or("0"));
  if (!part) {
    return error("--part: {}", part.error().message);
  }
  Area area = {character.parts[*part].mesh, character.parts[*part].primitive};
  PELT_TRY_TO(area.vertices, chosen_vertices(character, area, flags.vertices));
  areas.push_back(std::move(area));
  return areas;
}

// One edit for each mesh concerned.
Result<std::vector<edit::SmoothWeights>> edits_of(const rig::Character& character, const SmoothFlags& flags) {
  edit::SmoothWeights smoothing = flags.smoothing;
  PELT_TRY_TO(smoothing.across, resolve_joints(character.skeleton, "--joints", flags.area.joints));
  PELT_TRY_TO(smoothing.locked, resolve_joints(character.skeleton, "--lock", flags.area.locks));
  PELT_TRY_TO(const std::vector<Area> areas, areas_of(character, flags.area));
  std::vector<edit::SmoothWeights> edits;
  for (const Area& area : areas) {
    smoothing.mesh = area.mesh;
    smoothing.primitive = area.primitive;
    smoothing.vertices = area.vertices;
    edits.push_back(smoothing);
  }
  return edits;
}

Result<std::vector<edit::UseWeightTool>> edits_of(const rig::Character& character, const ToolFlags& flags) {
  edit::UseWeightTool change{.tool = std::string(flags.tool->id), .values = flags.values};
  PELT_TRY_TO(change.joints, resolve_joints(character.skeleton, "--joints", flags.area.joints));
  PELT_TRY_TO(change.locked, resolve_joints(character.skeleton, "--lock", flags.area.locks));
  PELT_TRY_TO(const std::vector<Area> areas, areas_of(character, flags.area));
  std::vector<edit::UseWeightTool> edits;
  for (const Area& area : areas) {
    change.mesh = area.mesh;
    change.primitive = area.primitive;
    change.vertices = area.vertices;
    edits.push_back(change);
  }
  return edits;
}

std::string name_of_mesh(const rig::Character& character, int mesh) {
  const std::string& name = character.meshes[mesh].name;
  return name.empty() ? fmt::format("mesh {}", mesh) : printable(name);
}

Status smooth(edit::Document& document, const SmoothFlags& flags) {
  PELT_TRY_TO(std::vector<edit::SmoothWeights> edits, edits_of(*document.character, flags));
  if (edits.empty()) {
    print_note("smooth: no mesh of the character hangs on a skin, so there are no weights");
  }
  for (edit::SmoothWeights& smoothing : edits) {
    const auto before = document.character;
    const std::vector<int>& locked = document.content.locked_joints.get();
    smoothing.locked.insert(smoothing.locked.end(), locked.begin(), locked.end());
    if (const std::string remark = edit::notice(document, smoothing); !remark.empty()) {
      print_note(fmt::format("smooth: {}", remark));
    }
    // Not the edit itself, which tells nobody what it cut.
    edit::WeightCuts cuts;
    if (auto after = edit::with_smoothed_weights(*edit::own_character(document), smoothing, &cuts)) {
      edit::apply(document, {edit::ReplaceCharacter{std::move(after)}, "", false});
    }
    const std::string cut = edit::sentence(cuts);
    print_note(fmt::format("smooth: {} vertices of {} changed{}{}",
                           edit::weight_difference(*before, *document.character, smoothing.mesh).vertices,
                           name_of_mesh(*before, smoothing.mesh), cut.empty() ? "" : "; ", cut));
  }
  return {};
}

// The character that gives weights, opened as the one that gets them is, but for what flags do to its pose.
Result<std::shared_ptr<const rig::Character>> source_character(const std::string& file,
                                                               const EvaluationOptions& evaluation) {
  EvaluationOptions options;
  options.file = file;
  options.decode_images = false;
  options.allow_outside_uris = evaluation.allow_outside_uris;
  return open_character_file(options);
}

// On every mesh where it is not refused: a joint of one mesh is none of another's. Fails where it is refused on all.
Status use_tool(edit::Document& document, const ToolFlags& flags, const EvaluationOptions& evaluation) {
  const std::string_view id = flags.tool->id;
  PELT_TRY_TO(std::vector<edit::UseWeightTool> edits, edits_of(*document.character, flags));
  if (flags.tool->needs_source) {
    PELT_TRY_TO(const auto source, source_character(flags.source, evaluation));
    for (edit::UseWeightTool& change : edits) {
      change.source = source;
    }
  }
  if (flags.tool->needs_table) {
    PELT_TRY_TO(const std::string text, read_file(flags.source));
    note_read(flags.source, "the weights");
    Result<edit::WeightTable> table = edit::read_weights_text(text);
    if (!table) {
      return error("{}: {}: {}", id, flags.source, table.error().message);
    }
    const auto shared = std::make_shared<const edit::WeightTable>(*std::move(table));
    for (edit::UseWeightTool& change : edits) {
      change.table = shared;
    }
  }
  std::string why = "no mesh of the character hangs on a skin, so there are no weights";
  bool used = false;
  for (edit::UseWeightTool& change : edits) {
    if (std::string refused = edit::why_refused(document, change); !refused.empty()) {
      why = std::move(refused);
      continue;
    }
    used = true;
    const auto before = document.character;
    if (const std::string remark = edit::notice(document, change); !remark.empty()) {
      print_note(fmt::format("{}: {}", id, remark));
    }
    const std::vector<int>& locked = document.content.locked_joints.get();
    change.locked.insert(change.locked.end(), locked.begin(), locked.end());
    const std::optional<edit::ForeseenWeights> made =
        edit::foreseen_weights(edit::own_character(document), {change});  // never asked to stop
    edit::apply(document, {made->edits.front(), "", false});
    print_note(fmt::format("{}: {}: {}", id, name_of_mesh(*before, change.mesh), edit::sentence(made->difference)));
  }
  if (!used) {
    return error("{}: {}", id, why);
  }
  return {};
}

// A flag for each number that the window has a slider for.
void add_field_flag(Command& operation, const WeightSmoothingField& field, edit::SmoothWeights& target) {
  const std::string flag = fmt::format("--{}", field.id);
  const float standard = edit::standard_value(field);
  if (field.kind == Field::kSwitch) {
    operation.add_flag_callback(
        flag, [&field, &target] { field.set(target, 1); }, std::string(field.help));
    return;
  }
  const bool whole = field.kind == Field::kInteger;
  const std::string help =
      fmt::format("{} ({:g} to {:g}, default {:g})", field.help, field.minimum, field.maximum, standard);
  Option* option = operation.add_text_option(
      flag,
      [&field, &target](const std::string& text) -> Status {
        field.set(target, static_cast<float>(parse_number(text).value_or(0)));  // the check below has seen the text
        return {};
      },
      help);
  option->type_name(whole ? "N" : "X");
  if (whole) {
    option->between(static_cast<int>(field.minimum), static_cast<int>(field.maximum));
  } else {
    option->between(static_cast<double>(field.minimum), static_cast<double>(field.maximum));
  }
}

// Where an operation works, and what it leaves alone.
void add_area(Command& operation, AreaFlags& area) {
  operation.add_option("--lock", area.locks, "Joints that keep their weights bit for bit")->type_name("JOINT,...");
  operation.add_option("--part", area.part, "Only this part, by its name or index (default: every skinned mesh)")
      ->type_name("PART");
  add_parsed(operation, "--vertices", parse_vertices, area.vertices, "LIST",
             "Only these vertices of the part, such as 0-99,205");
}

void add_smooth(Command& verb, WeightsOptions& options) {
  SmoothFlags& flags = options.smooth;
  Command& operation = verb.add_operation(
      "smooth", "Bring each vertex's weights towards the mean of its neighbours'", [&flags] { flags = {}; },
      [&options] {
        options.operations.emplace_back(
            [given = options.smooth](edit::Document& document) { return smooth(document, given); });
      });
  for (const WeightSmoothingField& field : edit::weight_smoothing_fields()) {
    add_field_flag(operation, field, flags.smoothing);
  }
  operation
      .add_option("--joints", flags.area.joints, "Only these joints exchange weights; others keep theirs bit for bit")
      ->type_name("JOINT,...");
  add_area(operation, flags.area);
}

void add_tool_flag(Command& operation, const bind::Field& field, double& value) {
  const std::string flag = fmt::format("--{}", field.id);
  if (field.kind == bind::Field::Kind::kSwitch) {
    operation.add_flag_callback(
        flag, [&value] { value = 1; }, std::string(field.help));
    return;
  }
  const bool whole = field.kind == bind::Field::Kind::kInteger;
  const std::string help =
      fmt::format("{} ({:g} to {:g}, default {:g})", field.help, field.minimum, field.maximum, field.standard);
  Option* option = operation.add_text_option(
      flag,
      [&value](const std::string& text) -> Status {
        value = parse_number(text).value_or(0);  // the check below has seen the text
        return {};
      },
      help);
  option->type_name(whole ? "N" : "X");
  if (whole) {
    option->between(static_cast<int>(field.minimum), static_cast<int>(field.maximum));
  } else {
    option->between(field.minimum, field.maximum);
  }
}

// What the flag says of the joints that a tool asks for.
std::string_view joints_help(edit::ToolJoints joints) {
  switch (joints) {
    case edit::ToolJoints::kTwo:
      return "The joint that gives and the one that gets";
    case edit::ToolJoints::kSeveral:
      return "The joints that give, and last the one that gets";
    case edit::ToolJoints::kAny:
      return "Only strays of these joints";
    default:
      return "The joint whose weight changes";
  }
}

void add_tools(Command& verb, WeightsOptions& options) {
  for (const edit::WeightTool& tool : edit::weight_tools()) {
    ToolFlags& flags = options.tools.emplace_back(ToolFlags{&tool, edit::standard_values(tool), {}, {}});
    Command& operation = verb.add_operation(
        std::string(tool.id), std::string(tool.help),
        [&flags] {
          std::ranges::copy(edit::standard_values(*flags.tool), flags.values.begin());  // flags refer to these
          flags.source.clear();
          flags.area = {};
        },
        [&options, &flags] {
          options.operations.emplace_back([&options, given = flags](edit::Document& document) {
            return use_tool(document, given, options.evaluation);
          });
        });
    for (std::size_t f = 0; f < tool.fields.size(); ++f) {
      add_tool_flag(operation, tool.fields[f], flags.values[f]);
    }
    if (tool.needs_source) {
      operation.add_option("--from", flags.source, "Character that gives its weights: a file, @name or session")
          ->type_name("FILE")
          ->required();
    }
    if (tool.needs_table) {
      operation.add_option("--from", flags.source, "Text of weights, as `save` writes it")
          ->type_name("TEXT")
          ->required();
    }
    if (tool.joints != edit::ToolJoints::kNone) {
      operation.add_option("--joints", flags.area.joints, std::string(joints_help(tool.joints)))
          ->type_name("JOINT,...")
          ->required(tool.joints != edit::ToolJoints::kAny);
    }
    add_area(operation, flags.area);
  }
}

// What stands at this point of the row of operations, as a text.
void add_save(Command& verb, WeightsOptions& options) {
  Command& operation = verb.add_operation(
      "save", "Write the weights as a text, one vertex a line, that can be compared line by line and loaded again",
      [&options] { options.text.clear(); },
      [&options] {
        options.operations.emplace_back([to = options.text, &options](edit::Document& document) -> Status {
          PELT_TRY(check_output(to, options.evaluation));
          return write_output(to, edit::weights_as_text(*edit::own_character(document)));
        });
      });
  operation.add_option("--to", options.text, "File to write")->type_name("TEXT")->required();
}

void check_weights(WeightsOptions& options) {
  require(!options.operations.empty(), "OPERATION", "expected what to do, such as smooth or prune");
  if (extension_of(options.output) == "pelt") {
    require(options.evaluation.file != "-", "FILE", "a session names its character's file, got standard input");
    require(!options.embed, "--embed", "is about .gltf files");
    return;
  }
  form_of_output(options.output, options.embed);
}

Result<int> run_weights(const WeightsOptions& options) {
  // A session may be written over: it is no input that could be lost.
  const bool is_over = names_session(options.evaluation) && extension_of(options.output) == "pelt";
  PELT_TRY(is_over ? check_output(options.output) : check_output(options.output, options.evaluation));
  PELT_TRY_TO(edit::Document document, open_document(options.evaluation));
  if (!options.evaluation.allow_loss) {
    PELT_TRY(check_keeps_session(document, options.output));
  }
  const std::shared_ptr<const rig::Character> read = document.character;
  const bool saves_session = extension_of(options.output) == "pelt";
  edit::SessionSource source;  // before operations read other characters
  if (saves_session) {
    PELT_TRY_TO(source, source_of(document, options.evaluation));
  }
  for (const Operation& operation : options.operations) {
    PELT_TRY(operation(document));
  }
  if (saves_session) {
    PELT_TRY(save_session_file(document, source, options.output, document.origin.window));
    return 0;
  }
  gltf::ExportOptions how;
  how.form = form_of_output(options.output, options.embed);
  rig::Character character = *document.character;
  if (const Status layers = edit::put_layers(character, document.content); !layers) {
    print_note(layers.error().message);
  }
  PELT_TRY(write_character(*read, character, options.output, std::move(how)));
  return 0;
}

}  // namespace

Verb add_weights_verb(Command& verb) {
  const auto options = std::make_shared<WeightsOptions>();
  options->evaluation.decode_images = false;
  add_file_argument(verb, options->evaluation, true);
  verb.add_option("-o,--output", options->output,
                  "File to write; its ending chooses the form, a session (.pelt) among them; - for a .glb on standard "
                  "output")
      ->type_name("OUT.{glb,gltf,pelt}")
      ->required();
  verb.add_flag("--embed", options->embed, "Everything in one .gltf instead of files beside it");
  add_loss_flag(verb, options->evaluation);
  add_smooth(verb, *options);
  add_tools(verb, *options);
  add_save(verb, *options);
  verb.footer(
      "Operations come last and are carried out in the order given; flags behind one belong to it, see\n"
      "`pelt weights FILE -o OUT.glb smooth --help`.\n"
      "Examples:\n"
      "  pelt weights fox.glb -o smoother.glb smooth --strength 0.3 --iterations 5 --limit 4\n"
      "  pelt weights fox.glb -o knee.glb smooth --joints b_LeftLeg01_015,b_LeftLeg02_016 --iterations 3\n"
      "  pelt weights fox.glb -o tidy.glb rogues limit --count 4 prune --threshold 0.02\n"
      "  pelt weights fox.glb -o even.glb mirror");
  return {[options] { check_weights(*options); }, [options](const Surroundings&) { return run_weights(*options); }};
}

}  // namespace pelt::cli
