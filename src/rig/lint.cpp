#include "rig/lint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "core/text.h"
#include "mesh/surface_checks.h"
#include "rig/lint_checks.h"

namespace pelt::rig {
namespace {

constexpr Severity kInfo = Severity::kInfo;
constexpr Severity kWarning = Severity::kWarning;
constexpr Severity kError = Severity::kError;
constexpr bool kFixable = true;
constexpr bool kOnlyNamed = true;

constexpr LintRule kRules[] = {
    // Influences.
    {"weight-sum", kError,
     "A vertex's weights do not sum to 1; software that does not normalise pulls it to the origin.",
     "Normalise the weights.", kFixable},
    {"weight-integer-sum", kWarning, "Integer weights were rounded one by one, so that they miss 1 by a step or two.",
     "Give the heaviest weight what rounding left over.", kFixable},
    {"weight-negative", kError, "A weight is below 0, which glTF forbids; the vertex moves against its joint.",
     "Clamp weights to 0 and normalise.", kFixable},
    {"weight-not-finite", kError, "A weight is infinite or not a number; the vertex vanishes in most software.",
     "Write finite weights.", kFixable},
    {"weight-on-no-joint", kError, "A vertex has weight on an index beyond the skin's joints.",
     "Bind the vertex to joints that the skin lists.", kFixable},
    {"weight-type", kError, "Integer weights are not marked as normalised.", "Set `normalized` on the accessor.",
     kFixable},
    {"weight-zero", kWarning,
     "A vertex has no weight at all and stays behind; Blender's exporter hangs such vertices on a bone of its own, the "
     "neutral_bone.",
     "Give the vertex weights, or remove it."},
    {"neutral-bone", kInfo, "A joint named neutral_bone holds the vertices that had no weights when the file was made.",
     "Give these vertices weights in the program they come from and export again."},
    {"duplicate-joint", kError,
     "A vertex lists one joint twice; software that takes the first loses the second weight.", "Merge the slots.",
     kFixable},
    {"padding-joint", kInfo, "A slot without weight names a joint beyond the skin's; some software reads its matrix.",
     "Write 0 as the joint of slots without weight.", kFixable},
    {"influence-order", kInfo, "Behind the first four slots of a vertex there are heavier weights than among them.",
     "Sort influences, the heaviest first.", kFixable},
    {"many-influences", kWarning,
     "A vertex follows more than four joints; software that reads one set of four drops the rest.",
     "Limit the influences to four where the file must look the same everywhere."},
    {"unused-influences", kInfo, "A mesh has joints and weights, but no node gives it a skin.",
     "Give its node a skin, or leave joints and weights out."},
    {"unused-joint", kInfo, "A skin lists a joint that no vertex follows, nor any below it.",
     "Remove it from the skin's list; its node may stay. Not where other files share the skeleton.", kFixable,
     kOnlyNamed},
    {"attachment-joint", kInfo,
     "No vertex follows a joint, but things hang on it, or its name says that they are to be hung there.",
     "Nothing to do: it stays in the skin's list."},
    {"joint-without-weight", kInfo, "No vertex follows a joint, but some follow joints below it.",
     "Nothing to do if it only carries others; otherwise its weights are missing."},
    {"rogue-weight", kWarning, "An island of weight lies far from its joint and apart from the joint's other vertices.",
     "Remove the joint's weight from these vertices."},
    {"wrong-side-weight", kWarning, "Vertices at the mirror image of a joint follow the joint itself.",
     "Give their weight to the joint on their own side."},
    {"far-joint-weight", kWarning,
     "Vertices follow a joint far away along the body, past joints between that they do not follow.",
     "Remove the joint's weight from these vertices."},
    {"hard-edge-weight", kWarning,
     "The weights change at once along a row of edges, while the rest of the skin is soft.",
     "Let the weights go evenly across the edge."},
    {"weight-asymmetry", kInfo, "Mirrored vertices of a symmetric mesh follow mirrored joints by different weights.",
     "Mirror the weights of the better side, unless it is meant (pelt lint --fix-weights --fix-only weight-asymmetry "
     "mirrors left to right)."},
    // Skeleton and skins.
    {"inverse-bind-missing", kInfo, "A skin has no inverse bind matrices; identity counts, which is rarely meant.",
     "Write them.", kFixable},
    {"inverse-bind", kWarning, "An inverse bind matrix is not usable; no vertex follows its joint.",
     "Write the matrix anew or remove the joint from the skin.", kFixable},
    {"inverse-bind-row", kError, "The last row of an inverse bind matrix is not (0, 0, 0, 1).", "Write (0, 0, 0, 1).",
     kFixable},
    {"inverse-bind-singular", kWarning, "An inverse bind matrix flattens what follows its joint.",
     "Bind the mesh again without a scale of 0."},
    {"inverse-bind-inconsistent", kWarning, "Two skins bind the same joints in different poses.",
     "Bind both meshes in one pose."},
    {"inverse-bind-mismatch", kWarning,
     "A joint's inverse bind matrix does not fit where the joint stands, while those of the joints around it do.",
     "Give it the matrix that those of the other joints imply; binding in another pose would keep the fault.", kFixable,
     kOnlyNamed},
    {"rest-not-bind", kInfo, "The nodes' own pose is not the pose in which the mesh was bound.",
     "Nothing to do if it is meant; otherwise save the nodes in the bind pose."},
    {"bind-shear", kWarning,
     "The bind pose shears a joint against the one above, which no pose of the joints can reach.",
     "Apply scales of bones before binding."},
    {"joint-scale", kWarning, "A joint above others has a scale that differs by axis; what turns below it is sheared.",
     "Apply the scale to mesh and skeleton, or scale by the same factor along all axes."},
    {"joint-mirrored", kWarning, "A joint has a negative scale, which turns surfaces inside out in many programs.",
     "Mirror the mesh instead of the joint."},
    {"mesh-node-transform", kInfo,
     "The node of a skinned mesh is transformed, which glTF ignores; software that applies it shows the mesh "
     "elsewhere.",
     "Put skinned meshes on nodes at the root that are not transformed."},
    {"joint-listed-twice", kError, "A skin lists a node more than once, which glTF forbids.",
     "List it once, and let weights name that."},
    {"skeleton-outside-scene", kError, "Joints of a mesh that is shown are not part of the scene.",
     "Add the skeleton's root to the scene."},
    {"skeleton-root", kError, "A skin's `skeleton` names a node that does not exist.", "Leave `skeleton` out.",
     kFixable},
    {"skeleton-root-not-common", kError, "A skin's `skeleton` names a node that is not above all of its joints.",
     "Name a common ancestor, or leave `skeleton` out."},
    {"several-roots", kError, "The joints of a skin hang on several roots; glTF wants one node above all of them.",
     "Put one node above the roots."},
    {"zero-length-bone", kInfo, "A joint stands exactly where the joint above it stands.",
     "Nothing to do for helper joints; otherwise move the joint or merge the two."},
    {"skin-without-mesh", kError, "A node has a skin but no mesh.", "Leave the skin out.", kFixable},
    {"skin-without-weights", kError, "A node has a skin, but its mesh has no joints and weights.",
     "Bind the mesh or leave the skin out.", kFixable},
    {"matrix-row", kWarning, "The last row of a node's matrix is not (0, 0, 0, 1).", "Write (0, 0, 0, 1).", kFixable},
    {"rotation-length", kError, "A rotation is no unit quaternion.", "Normalise it.", kFixable},
    {"constraint-cycle", kWarning, "A constraint follows itself by way of others.", "Break the circle."},
    {"dofs", kWarning, "The degrees of freedom in a node's extras cannot be used.", "Correct extras.pelt."},
    {"layers", kWarning, "The layers in the file's extras cannot be used, or not as they stand.",
     "Correct extras.pelt.layers."},
    {"control-points", kWarning, "The control points in a primitive's extras are not those of its surface.",
     "Correct extras.pelt.nurbs, or leave it out: the surface is a mesh without it."},
    // Surfaces.
    {"t-junction", kWarning, "A vertex stands on an edge that does not use it; the surface cracks there in a pose.",
     "Split the edge there (--split-t-junctions)."},
    {"open-seam", kWarning, "Vertices at one position have different weights; the surface tears there in a pose.",
     "Give both the same weights."},
    {"non-manifold-edge", kInfo, "An edge has more than two triangles; subdivision takes it for a crease.",
     "Separate the sheets or remove the inner one."},
    {"zero-area-triangle", kInfo, "A triangle has no area, hence no normal, and costs as much as others.",
     "Remove it."},
    {"duplicate-vertex", kInfo, "Vertices are copies of others in everything; they cost memory and time.", "Weld them.",
     kFixable},
    {"unused-vertex", kInfo, "No triangle, line or point uses a vertex.", "Remove it.", kFixable},
    {"winding", kWarning, "Triangles are wound against their vertices' normals; they are dark or not drawn at all.",
     "Turn the triangles round, or their normals.", kFixable},
    {"normal-length", kError, "Normals do not have length 1.", "Normalise them.", kFixable},
    {"tangent", kError, "Tangents do not have length 1 or a sign of +1 or -1.", "Normalise them.", kFixable},
    {"not-finite", kError, "Values of an attribute are infinite or not numbers.", "Write finite values.", kFixable},
    {"attribute", kWarning, "An attribute cannot be read; the mesh is shown without it.", "Write it anew.", kFixable},
    {"index-count", kWarning, "Indices do not make whole triangles or lines, or there are none.",
     "Remove what is left over."},
    {"no-position", kWarning, "A primitive has no positions and cannot be shown.", "Remove it."},
    {"morph-count", kError, "Primitives of one mesh have different numbers of morph targets.",
     "Give all primitives the same targets.", kFixable},
    {"morph-weights", kError, "Morph weights are missing, too many or not finite.", "Write one per target.", kFixable},
    // Clips.
    {"clip-jump", kWarning, "A node leaps between two keys that follow each other closely, and not before or after.",
     "Correct the key, or use STEP interpolation where a leap is meant."},
    {"track-constant", kInfo, "A track keeps one value over three keys or more.",
     "Leave out all but the first and the last key (pelt convert --fold-keys)."},
    {"track-redundant", kInfo, "Most keys of a track lie where interpolation between their neighbours puts them.",
     "Leave them out (pelt convert --fold-keys)."},
    {"clip-empty", kInfo, "A clip moves nothing.", "Remove it."},
    {"key-order", kError, "Key times do not grow.", "Sort the keys.", kFixable},
    {"channel", kError, "A channel cannot be played.", "Correct or remove it.", kFixable},
    {"channel-target", kInfo, "A channel has no target node.", "Remove it.", kFixable},
    // Practical advice: nothing is wrong, but work is easier otherwise.
    {"off-ground", kInfo, "The skin does not stand on the ground, y = 0.", "Move the character up or down."},
    {"off-centre", kInfo, "The character does not stand in the middle, x = 0.", "Move it sideways."},
    {"straight-elbow", kInfo, "An elbow was bound straight; solvers cannot tell which way it bends.",
     "Bind the mesh with elbows a little bent."},
    {"closed-fingers", kInfo, "The fingers were bound side by side; weights are hard to tell apart there.",
     "Bind the mesh with fingers spread."},
    {"many-joints", kInfo, "A skin has more than 64 joints, which does not fit into one palette everywhere.",
     "Remove joints that nobody sees, or divide the mesh."},
    {"rigid-binding", kInfo, "Every vertex of a large mesh follows one joint alone; the skin breaks at the joints.",
     "Smooth the weights; rigid binding suits meshes of up to 1000 triangles."},
    {"wide-turn", kInfo,
     "A clip turns a joint far from its bind pose; linear blending looks good to about 60 degrees and collapses "
     "towards "
     "180.",
     "Spread the turn over several joints, or use dual quaternions."},
    // Materials and images.
    {"material", kError, "A primitive names a material that does not exist.", "Name one that exists.", kFixable},
    {"alpha-mode", kWarning, "A material's alpha mode is unknown.", "Use OPAQUE, MASK or BLEND.", kFixable},
    {"texture", kError, "A material names a texture that does not exist.", "Name one that exists.", kFixable},
    {"texcoord", kError, "A texture wants coordinates of a set that no mesh of its material has.",
     "Use a set that there is.", kFixable},
    {"texcoord-unshown", kWarning, "A texture wants coordinates of a set beyond the second, which is not shown.",
     "Use set 0 or 1."},
    {"texture-transform", kWarning, "A texture transform cannot be used; the texture is shown without it.",
     "Correct the numbers.", kFixable},
    {"sampler", kError, "A texture names a sampler that does not exist.", "Name one that exists.", kFixable},
    {"image", kWarning, "An image is missing or cannot be decoded; materials are shown without it.",
     "Put the image where the file says, as PNG or JPEG."},
    {"image-format", kWarning, "A texture is of a format that is not read.", "Offer PNG or JPEG beside it."},
    // What only the file has, not the character: conformance to the specification.
    {"reference", kError, "An index names something that the file does not have.", "Name something that exists.",
     kFixable},
    {"accessor-bounds", kError,
     "`min` and `max` of an accessor are missing where glTF wants them, or are not those of its elements.",
     "Write the least and the greatest of the elements.", kFixable},
    {"accessor-format", kError, "An accessor's type is not allowed for what it is used for.",
     "Store the elements in a type that is allowed.", kFixable},
    {"accessor-range", kError, "An accessor reaches beyond its buffer view, or that beyond its buffer.",
     "Correct count, byteOffset or byteLength."},
    {"accessor-use", kError, "One accessor or buffer view is used for different kinds of data.",
     "Give each kind a buffer view of its own.", kFixable},
    {"alignment", kError, "Data do not begin at multiples of their size, or vertices at multiples of four bytes.",
     "Align the data.", kFixable},
    {"byte-stride", kError,
     "byteStride is given for data other than vertices, missing where vertices share a buffer view, or no stride that "
     "fits.",
     "Give buffer views of vertices, and no others, a stride that fits.", kFixable},
    {"attribute-name", kError, "A primitive has an attribute that glTF does not know, or sets of them with gaps.",
     "Begin names of one's own with an underscore, and number sets from 0.", kFixable},
    {"attribute-count", kError, "Attributes or morph targets of a primitive do not belong to the same vertices.",
     "Give each as many elements as there are vertices."},
    {"index-value", kError, "An index names a vertex that does not exist, or the value that starts primitives anew.",
     "Correct the indices, or store them in a larger type."},
    {"joint-index", kError, "A vertex names a joint beyond the skin's, with or without weight.",
     "Write 0 as the joint of slots without weight, and bind the others to joints that the skin lists.", kFixable},
    {"sparse", kError, "Sparse elements do not grow in order, or lie beyond their accessor.", "Sort them, each once.",
     kFixable},
    {"color-range", kError, "A vertex colour is not between 0 and 1.", "Clamp the colours."},
    {"inverse-bind-count", kError, "A skin has fewer inverse bind matrices than joints.", "Write one per joint."},
    {"tangent-space", kError, "A material needs tangents, and neither the primitive nor a normal texture gives them.",
     "Give the primitive normals and tangents."},
    {"node-transform", kError, "A node's matrix is no translation, rotation and scale, or stands beside them.",
     "Give the node one transform without shear."},
    {"node-tree", kError, "A node has two parents, or is its own descendant.", "Give each node one parent."},
    {"camera", kError, "A camera's numbers contradict each other.", "Correct znear, zfar, xmag and ymag."},
    {"light", kError, "A light's cones contradict each other.", "Make the outer cone wider than the inner one."},
    {"variant", kError, "A primitive maps a variant to two materials.", "Map it to one."},
    {"image-type", kError, "An image is of another type than the file says, or of one that needs an extension.",
     "Correct mimeType, or list the extension.", kFixable},
    {"data-uri", kError, "Data of a buffer are marked as something else.", "Mark them as application/octet-stream.",
     kFixable},
    {"extension-undeclared", kError, "An extension is used or required, but not listed as it must be.",
     "List it in extensionsUsed, and in extensionsRequired where it must be read.", kFixable},
    {"extension-place", kError, "An extension stands where it does not belong.", "Remove it there."},
    // The file.
    {"scene-root", kError, "A scene lists a root that is missing, repeated or not a root.", "List each root once.",
     kFixable},
    {"default-scene", kError, "The default scene does not exist.", "Name one that exists.", kFixable},
    {"unused-data", kInfo, "Nothing refers to some of the file's content.", "Remove it."},
    {"extension-required", kWarning, "The file requires an extension that is not supported.",
     "Export without the extension."},
    {"extension-unknown", kInfo, "The file uses an extension that is not known here.",
     "Nothing to do if it looks right."},
    {"instances-unshown", kWarning, "Not all instances of a mesh are shown.",
     "Nothing to do: they are written back, unless a clip moves those shown, something hangs on one, or memory is "
     "short."},
    {"extension-value", kWarning, "A value of an extension cannot be used; the default counts.", "Correct it.",
     kFixable},
    {"fallback", kInfo, "Of a compressed and a plain copy the plain one is read.", "Leave one of them out."},
    {"draco-count", kWarning, "Compressed data hold another number of elements than their accessor says.",
     "Compress the file anew.", kFixable},
    {"schema", kError, "The JSON breaks glTF's schema in a way that can be passed over.", "Export the file anew.",
     kFixable},
    {"extras", kWarning, "Extras or extensions are too large to be kept.", "Make them smaller."},
    {"buffer", kError, "A buffer cannot be read.", "Put the file where its URI says."},
    {"buffer-length", kError, "A buffer's length is missing or larger than what there is.", "Correct byteLength.",
     kFixable},
    {"glb-chunk", kInfo, "A binary file has chunks besides one JSON and one BIN, or of a length that is not allowed.",
     "Remove them, and fill up the others to multiples of four bytes.", kFixable},
    {"unchecked", kWarning, "The file is so much larger than its bytes that not all of it was checked.",
     "Leave out what repeats itself: accessors over the same bytes, sparse ones without data."},
    {"more-diagnostics", kWarning, "There is more to say of the file than is kept.", "Mend what is listed first."},
};

struct PlaceWord {
  std::string_view word;
  int LintPlace::*member;
};
// Outermost first, as places are written. A clip is an "animation" in a file.
constexpr PlaceWord kPlaceWords[] = {
    {"scene", &LintPlace::scene},     {"mesh", &LintPlace::mesh},   {"primitive", &LintPlace::primitive},
    {"skin", &LintPlace::skin},       {"joint", &LintPlace::joint}, {"animation", &LintPlace::clip},
    {"channel", &LintPlace::channel}, {"node", &LintPlace::node},   {"material", &LintPlace::material},
    {"texture", &LintPlace::texture}, {"image", &LintPlace::image}, {"buffer", &LintPlace::buffer},
};

template <typename List>
std::string_view name_in(const List& all, int i) {
  return has_index(all, i) ? std::string_view(all[i].name) : std::string_view();
}

std::string_view name_at(const Character& character, const PlaceWord& word, int i) {
  if (word.member == &LintPlace::mesh) {
    return name_in(character.meshes, i);
  }
  if (word.member == &LintPlace::skin) {
    return name_in(character.skins, i);
  }
  if (word.member == &LintPlace::clip) {
    return name_in(character.clips, i);
  }
  if (word.member == &LintPlace::material) {
    return name_in(character.materials, i);
  }
  if (word.member == &LintPlace::node) {
    const int j = character.skeleton->from_source_node(i);
    return j >= 0 ? std::string_view(character.skeleton->name[j]) : std::string_view();
  }
  return {};
}

std::string in_words(const Character& character, const LintPlace& place) {
  std::string out;
  for (const PlaceWord& word : kPlaceWords) {
    if (const int i = place.*word.member; i >= 0) {
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", word.word, i);
      if (const std::string_view name = name_at(character, word, i); !name.empty()) {
        out += fmt::format(" (\"{}\")", name);
      }
    }
  }
  return out.empty() ? "file" : out;
}

}  // namespace

std::span<const LintRule> lint_rules() {
  return kRules;
}

const LintRule* find_lint_rule(std::string_view code) {
  const auto* found = std::ranges::find(kRules, code, &LintRule::code);
  return found == std::end(kRules) ? nullptr : found;
}

LintPlace place_of(const Diagnostic& diagnostic) {
  LintPlace place;
  for (const std::string_view part : split(diagnostic.place, ',')) {
    const std::size_t begin = part.find_first_not_of(' ');
    const std::size_t space = part.rfind(' ');
    if (begin == std::string_view::npos || space == std::string_view::npos || space <= begin) {
      continue;
    }
    const std::string_view word = part.substr(begin, space - begin);
    const auto* known = std::ranges::find(kPlaceWords, word, &PlaceWord::word);
    const std::optional<int> number = parse_integer(part.substr(space + 1));
    if (known != std::end(kPlaceWords) && number && *number >= 0) {
      place.*known->member = *number;
    }
  }
  place.vertices = diagnostic.vertices;
  return place;
}

void add_finding(Findings& findings, const Character& character, std::string_view code, Severity severity,
                 LintPlace place, std::string message) {
  PELT_EXPECT(find_lint_rule(code) != nullptr, "findings are of rules in the table");
  if (place.vertices.size() > kMostListedVertices) {
    place.vertices.resize(kMostListedVertices);
  }
  std::string where = in_words(character, place);
  findings.push_back({.code = std::string(code),
                      .severity = severity,
                      .place = std::move(place),
                      .where = std::move(where),
                      .message = std::move(message)});
}

LintPlace joint_place(const Character& character, int skin, std::size_t k, int mesh) {
  const int j = character.skins[skin].joints[k];
  return {.node = character.skeleton->source_node[j], .mesh = mesh, .skin = skin, .joint = static_cast<int>(k)};
}

void add_finding(Findings& findings, const Character& character, std::string_view code, LintPlace place,
                 std::string message) {
  const LintRule* rule = find_lint_rule(code);
  add_finding(findings, character, code, rule != nullptr ? rule->severity : kWarning, std::move(place),
              std::move(message));
}

void add_finding(Findings& findings, const Character& character, std::string_view code, Severity severity,
                 LintPlace place, std::string message, std::vector<std::uint32_t> mesh_vertices) {
  PELT_EXPECT(!mesh_vertices.empty() && has_index(character.meshes, place.mesh), "vertices of a mesh");
  const std::vector<std::uint32_t> first = mesh::first_vertices(character.meshes[static_cast<std::size_t>(place.mesh)]);
  const auto end = std::ranges::upper_bound(first, mesh_vertices.front());
  place.primitive = static_cast<int>(end - first.begin()) - 1;
  place.vertices.clear();
  for (auto v = mesh_vertices.begin(); v != mesh_vertices.end() && *v < *end; ++v) {
    place.vertices.push_back(*v - *(end - 1));
  }
  add_finding(findings, character, code, severity, std::move(place), std::move(message));
  findings.back().mesh_vertices = std::move(mesh_vertices);
}

void add_finding(Findings& findings, const Character& character, std::string_view code, LintPlace place,
                 std::string message, std::vector<std::uint32_t> mesh_vertices) {
  const LintRule* rule = find_lint_rule(code);
  add_finding(findings, character, code, rule != nullptr ? rule->severity : kWarning, std::move(place),
              std::move(message), std::move(mesh_vertices));
}

std::string counted(std::size_t count, std::string_view thing, std::size_t most) {
  const std::string_view plural = count == 1 ? "" : thing.ends_with("tex") ? "ices" : "s";
  const std::string_view stem = plural == "ices" ? thing.substr(0, thing.size() - 2) : thing;
  return fmt::format("{}{} {}{}", most > 0 && count == most ? "at least " : "", count, stem, plural);
}

std::string length_text(double metres) {
  return std::abs(metres) < 0.1 ? fmt::format("{:.3g} mm", 1000 * metres) : fmt::format("{:.3g} m", metres);
}

namespace {

// Merges findings that say the same of several places. Those that name vertices stay apart: they are looked at and
// mended one by one.
void say_once(Findings& findings) {
  std::map<std::tuple<std::string, Severity, std::string>, std::size_t> first;
  Findings out;
  for (Finding& finding : findings) {
    if (!finding.mesh_vertices.empty() || !finding.place.vertices.empty()) {
      out.push_back(std::move(finding));
      continue;
    }
    const auto [at, is_new] = first.try_emplace({finding.code, finding.severity, finding.message}, out.size());
    if (is_new) {
      out.push_back(std::move(finding));
    } else {
      out[at->second].others.push_back(std::move(finding.place));
    }
  }
  for (Finding& finding : out) {
    if (const std::size_t count = finding.others.size(); count > 0) {
      finding.where += fmt::format(" and {} {} like it", count, count == 1 ? "other" : "others");
    }
  }
  findings = std::move(out);
}

// An island of weight, or weight on the wrong side, is far from its joint as well: that is not said again.
void drop_covered(Findings& findings) {
  const auto covers = [](const Finding& one, const Finding& other) {
    return (one.code == "wrong-side-weight" || one.code == "rogue-weight") && one.place.mesh == other.place.mesh &&
           one.place.skin == other.place.skin && one.place.joint == other.place.joint &&
           std::ranges::includes(one.mesh_vertices, other.mesh_vertices);
  };
  Findings out;
  for (const Finding& finding : findings) {
    if (finding.code != "far-joint-weight" ||
        std::ranges::none_of(findings, [&](const Finding& one) { return covers(one, finding); })) {
      out.push_back(finding);
    }
  }
  findings = std::move(out);
}

}  // namespace

std::optional<std::vector<std::uint32_t>> vertices_still_so(const Character& character, std::string_view code,
                                                            const LintPlace& place) {
  const bool is_of_sums = code == "weight-sum" || code == "weight-integer-sum";
  if (!has_index(character.meshes, place.mesh) || (code != "weight-zero" && !is_of_sums)) {
    return std::nullopt;
  }
  // Where it lists no vertices, it was told of their rounding.
  const float tolerance = code == "weight-sum" && !place.vertices.empty() ? mesh::kSumTolerance : 0.0f;
  const mesh::Mesh& mesh = character.meshes[static_cast<std::size_t>(place.mesh)];
  const std::vector<std::uint32_t> first = mesh::first_vertices(mesh);
  std::vector<std::uint32_t> out;
  for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
    const mesh::Influences& rows = mesh.primitives[p].influences;
    for (std::size_t v = 0; (place.primitive < 0 || std::cmp_equal(p, place.primitive)) && v < rows.vertex_count();
         ++v) {
      const bool is_empty = rows.count(v) == 0;
      if (is_of_sums ? !is_empty && std::abs(rows.stored_sum(v) - 1) > tolerance : is_empty) {
        out.push_back(first[p] + static_cast<std::uint32_t>(v));
      }
    }
  }
  return out;
}

Result<Findings> lint(const Character& character, const Progress& progress) {
  return lint(character, character.diagnostics, progress);
}

Result<Findings> lint(const Character& character, std::span<const Diagnostic> said, const Progress& progress) {
  Findings findings;
  for (const Diagnostic& diagnostic : said) {
    LintPlace place = place_of(diagnostic);
    if (const auto so = vertices_still_so(character, diagnostic.code, place); so && so->empty()) {
      continue;  // they were mended since they were read
    }
    std::string where = in_words(character, place);
    if (where == "file") {
      where = diagnostic.place.empty() ? "file" : diagnostic.place;
    }
    findings.push_back({.code = diagnostic.code,
                        .severity = diagnostic.severity,
                        .place = std::move(place),
                        .where = std::move(where),
                        .message = diagnostic.message});
  }
  constexpr std::pair<std::string_view, void (*)(const Character&, Findings&)> kChecks[] = {
      {"Checking weights", check_weights},   {"Checking the skeleton", check_skeleton},
      {"Checking clips", check_clips},       {"Checking content", check_data},
      {"Checking surfaces", check_surfaces}, {"Checking practice", check_advice},
  };
  for (std::size_t i = 0; i < std::size(kChecks); ++i) {
    if (!report(progress, static_cast<float>(i) / static_cast<float>(std::size(kChecks)), kChecks[i].first)) {
      return error("cancelled");
    }
    kChecks[i].second(character, findings);
  }
  // What the reader said of a skin is not said again in other words.
  constexpr std::array<std::string_view, 4> kSaidOnce = {"several-roots", "skeleton-root-not-common",
                                                         "skeleton-outside-scene", "joint-listed-twice"};
  std::set<std::pair<std::string, int>> told;
  std::erase_if(findings, [&](const Finding& finding) {
    return std::ranges::find(kSaidOnce, finding.code) != kSaidOnce.end() &&
           !told.insert({finding.code, finding.place.skin}).second;
  });
  drop_covered(findings);
  say_once(findings);
  std::ranges::stable_sort(findings, std::ranges::greater(), &Finding::severity);
  return findings;
}

}  // namespace pelt::rig
