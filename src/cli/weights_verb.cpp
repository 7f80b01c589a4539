#include <algorithm>
#include <functional>
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

namespace pelt::cli {
namespace {

using edit::WeightSmoothingField;
using Field = WeightSmoothingField::Kind;

/// Vertices from `first` to `last`, both included.
struct VertexRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// The flags of one `smooth`.
struct SmoothFlags {
  edit::SmoothWeights smoothing;  ///< numbers alone
  std::optional<std::string> part;
  std::vector<VertexRange> vertices;
  std::vector<std::string> joints;
  std::vector<std::string> locks;
};

/// One operation of the command line, carried out on what those before it made.
using Operation = std::function<Status(edit::Document&)>;

struct WeightsOptions {
  EvaluationOptions evaluation;
  std::string output;
  bool embed = false;
  SmoothFlags smooth;  ///< while its flags are read
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

Status choose_vertices(const rig::Character& character, const SmoothFlags& flags, edit::SmoothWeights& smoothing) {
  const std::size_t count = character.meshes[smoothing.mesh].primitives[smoothing.primitive].vertex_count();
  std::vector<std::uint32_t> vertices;
  for (const VertexRange& range : flags.vertices) {
    if (range.last >= count) {
      return error("--vertices: the part has vertices 0 to {}, got {}", count - 1, range.last);
    }
    for (std::uint32_t v = range.first; v <= range.last; ++v) {
      vertices.push_back(v);
    }
  }
  smoothing.vertices = std::move(vertices);
  return {};
}

// What the flags mean for this character: one edit for each mesh concerned.
Result<std::vector<edit::SmoothWeights>> edits_of(const rig::Character& character, const SmoothFlags& flags) {
  edit::SmoothWeights smoothing = flags.smoothing;
  const Result<std::vector<int>> across = resolve_joints(character.skeleton, "--joints", flags.joints);
  const Result<std::vector<int>> locked = resolve_joints(character.skeleton, "--lock", flags.locks);
  if (!across || !locked) {
    return !across ? across.error() : locked.error();
  }
  smoothing.across = *across;
  smoothing.locked = *locked;
  std::vector<edit::SmoothWeights> edits;
  if (!flags.part && flags.vertices.empty()) {
    for (const int mesh : skinned_meshes(character)) {
      smoothing.mesh = mesh;
      edits.push_back(smoothing);
    }
    return edits;
  }
  if (!flags.part && character.parts.size() != 1) {
    return error("--vertices: the character has {} parts; say which by --part", character.parts.size());
  }
  const Result<int> part = resolve_part(character, flags.part.value_or("0"));
  if (!part) {
    return error("--part: {}", part.error().message);
  }
  smoothing.mesh = character.parts[*part].mesh;
  smoothing.primitive = character.parts[*part].primitive;
  PELT_TRY(choose_vertices(character, flags, smoothing));
  edits.push_back(smoothing);
  return edits;
}

std::size_t changed_vertices(const mesh::Mesh& before, const mesh::Mesh& now) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < now.primitives.size(); ++p) {
    mesh::for_changed_rows(before.primitives[p].influences, now.primitives[p].influences,
                           [&](std::size_t) { ++count; });
  }
  return count;
}

Status smooth(edit::Document& document, const SmoothFlags& flags) {
  PELT_TRY_TO(const std::vector<edit::SmoothWeights> edits, edits_of(*document.character, flags));
  if (edits.empty()) {
    print_note("smooth: no mesh of the character hangs on a skin, so there are no weights");
  }
  for (const edit::SmoothWeights& smoothing : edits) {
    const auto before = document.character;
    const std::size_t m = smoothing.mesh;
    if (const std::string remark = edit::notice(document, smoothing); !remark.empty()) {
      print_note(fmt::format("smooth: {}", remark));
    }
    edit::apply(document, {smoothing, "", false});
    const std::string& name = before->meshes[m].name;
    print_note(fmt::format("smooth: {} vertices of {} changed",
                           changed_vertices(before->meshes[m], document.character->meshes[m]),
                           name.empty() ? fmt::format("mesh {}", m) : printable(name)));
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
  operation.add_option("--joints", flags.joints, "Only these joints exchange weights; others keep theirs bit for bit")
      ->type_name("JOINT,...");
  operation.add_option("--lock", flags.locks, "Joints that keep their weights bit for bit")->type_name("JOINT,...");
  operation.add_option("--part", flags.part, "Only this part, by its name or index (default: every skinned mesh)")
      ->type_name("PART");
  add_parsed(operation, "--vertices", parse_vertices, flags.vertices, "LIST",
             "Only these vertices of the part, such as 0-99,205");
}

void check_weights(WeightsOptions& options) {
  require(!options.operations.empty(), "OPERATION", "expected what to do: smooth");
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
  for (const Operation& operation : options.operations) {
    PELT_TRY(operation(document));
  }
  if (extension_of(options.output) == "pelt") {
    const Result<edit::SessionSource> source = source_of(document, options.evaluation);
    const Status saved =
        source ? save_session_file(document, *source, options.output, document.origin.window) : Status(source.error());
    return saved ? Result<int>(0) : saved.error();
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
  verb.footer(
      "Operations come last and are carried out in the order given; flags behind one belong to it, see\n"
      "`pelt weights FILE -o OUT.glb smooth --help`.\n"
      "Examples:\n"
      "  pelt weights fox.glb -o smoother.glb smooth --strength 0.3 --iterations 5 --limit 4\n"
      "  pelt weights fox.glb -o knee.glb smooth --joints b_LeftLeg01_015,b_LeftLeg02_016 --iterations 3");
  return {[options] { check_weights(*options); }, [options](const Surroundings&) { return run_weights(*options); }};
}

}  // namespace pelt::cli
