// glTF 2.0, section 3.7.2 "Meshes", KHR_mesh_quantization.

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/parallel.h"
#include "gltf/reader.h"
#include "gltf/unit_vectors.h"
#include "mesh/row_divisor.h"

namespace pelt::gltf {
namespace {

/// What the nodes make of a mesh.
struct Use {
  int skin = -1;  ///< of all skins it hangs on, the one with the fewest joints
  std::set<int> skins;
};

/// A set of joint indices that costs what is in it.
struct JointSet {
  std::vector<char> has = std::vector<char>(std::numeric_limits<std::uint16_t>::max() + std::size_t{1}, 0);
  std::vector<std::uint16_t> members;

  void add(std::uint16_t joint) {
    if (has[joint] == 0) {
      has[joint] = 1;
      members.push_back(joint);
    }
  }
  void clear() {
    for (const std::uint16_t joint : members) {
      has[joint] = 0;
    }
    members.clear();
  }
};

struct Context {
  Reader& reader;
  const Use& use;
  JointSet& used;
  std::string place;  ///< "mesh 2, primitive 0"
};

/// Vertices with one fault.
struct OddVertices {
  std::size_t count = 0;
  std::vector<std::uint32_t> listed;  ///< ascending, the first kMostListedVertices
  std::size_t last = std::numeric_limits<std::size_t>::max();

  void add(std::size_t v) {
    if (last == v) {
      return;
    }
    last = v;
    ++count;
    if (listed.size() < kMostListedVertices) {
      listed.push_back(static_cast<std::uint32_t>(v));
    }
  }
  /// Those of vertices that come after these.
  void add(const OddVertices& later) {
    count += later.count;
    const std::size_t some = std::min(later.listed.size(), kMostListedVertices - listed.size());
    listed.insert(listed.end(), later.listed.begin(), later.listed.begin() + static_cast<std::ptrdiff_t>(some));
  }
};

/// Where a primitive's attribute is stored, -1 where it has none.
int find_attribute(const std::map<std::string, int>& attributes, const std::string& name) {
  const auto entry = attributes.find(name);
  return entry == attributes.end() ? -1 : entry->second;
}

Status check_count(std::size_t count, std::size_t vertex_count) {
  if (count != vertex_count) {
    return error("expected {} elements, one per vertex, got {}", vertex_count, count);
  }
  return {};
}

/// An attribute that only affects looks: where it cannot be read the character still opens, without it.
template <int N>
std::vector<glm::vec<N, float>> read_optional(Context& context, const tinygltf::Primitive& from,
                                              const std::string& name, std::size_t vertex_count) {
  const int accessor = find_attribute(from.attributes, name);
  if (accessor < 0) {
    return {};
  }
  auto values = context.reader.read_vectors<N>(accessor);
  context.reader.finish_read(accessor);
  const Status status = values ? check_count(values->size(), vertex_count) : Status(values.error());
  if (!status) {
    context.reader.warn("attribute", context.place, fmt::format("{}: {}; left out", name, status.error().message));
    return {};
  }
  return *std::move(values);
}

// These ask of all elements at once, without a branch, which compilers turn into vectors; only files that have
// something to tell are looked at one by one.
template <typename V>
bool all_reasonable(const std::vector<V>& values) {
  const float* const from = values.empty() ? nullptr : &values[0].x;
  std::uint32_t odd = 0;
  for (std::size_t i = 0; i < values.size() * static_cast<std::size_t>(V::length()); ++i) {
    odd |= std::abs(from[i]) <= kLargest ? 0U : 1U;
  }
  return odd == 0;
}

/// Whether tidy_normals() would certainly leave all as they are: it lets squares be off by 1e-6, of which rounding here
/// may hide 3e-7.
bool all_unit(const std::vector<glm::vec3>& normals) {
  constexpr float kOff = 5e-7f;
  std::uint32_t odd = 0;
  for (const glm::vec3& normal : normals) {
    const float square = normal.x * normal.x + normal.y * normal.y + normal.z * normal.z;
    odd |= std::abs(square - 1) <= kOff ? 0U : 1U;
  }
  return odd == 0;
}

void tidy_normals(Context& context, std::vector<glm::vec3>& normals) {
  if (all_unit(normals)) {
    return;
  }
  OddVertices odd;
  for (std::size_t v = 0; v < normals.size(); ++v) {
    glm::vec3& normal = normals[v];
    const double square = glm::dot(glm::dvec3(normal), glm::dvec3(normal));
    if (!(std::abs(square - 1) <= 0.02)) {
      odd.add(v);
    }
    if (!(square > 1e-30) || !reasonable(normal)) {
      normal = glm::vec3(0, 1, 0);
    } else {
      normal = unit_as_read(normal);
    }
  }
  if (odd.count > 0) {
    context.reader.warn("normal-length", context.place,
                        fmt::format("{} of {} normals do not have length 1; normalised", odd.count, normals.size()),
                        std::move(odd.listed));
  }
}

void tidy_tangents(Context& context, std::vector<glm::vec4>& tangents) {
  OddVertices odd;
  for (std::size_t v = 0; v < tangents.size(); ++v) {
    glm::vec4& tangent = tangents[v];
    const glm::dvec3 direction(tangent);
    const double square = glm::dot(direction, direction);
    if (!(std::abs(square - 1) <= 0.02 && std::abs(std::abs(tangent.w) - 1) <= 0.02f)) {
      odd.add(v);
    }
    const float sign = tangent.w < 0 ? -1.0f : 1.0f;
    if (!(square > 1e-30) || !reasonable(tangent)) {
      tangent = glm::vec4(1, 0, 0, sign);
    } else {
      tangent = glm::vec4(unit_as_read(glm::vec3(tangent)), sign);
    }
  }
  if (odd.count > 0) {
    context.reader.warn(
        "tangent", context.place,
        fmt::format("{} of {} tangents lack length 1 or a sign; normalised", odd.count, tangents.size()),
        std::move(odd.listed));
  }
}

template <typename V>
void replace_unreasonable(Context& context, std::vector<V>& values, const char* name, const V& otherwise) {
  if (all_reasonable(values)) {
    return;
  }
  std::size_t odd = 0;
  for (V& value : values) {
    if (!reasonable(value)) {
      value = otherwise;
      ++odd;
    }
  }
  if (odd > 0) {
    context.reader.warn("not-finite", context.place,
                        fmt::format("{}: {} of {} values are not finite; replaced", name, odd, values.size()));
  }
}

std::vector<glm::vec4> read_colors(Context& context, const tinygltf::Primitive& from, std::size_t vertex_count) {
  const int accessor = find_attribute(from.attributes, "COLOR_0");
  const auto view = accessor >= 0 ? context.reader.view_accessor(accessor) : Result<AccessorView>(Error{});
  std::vector<glm::vec4> colors;
  if (view && view->rows == 3 && view->columns == 1) {
    for (const glm::vec3& color : read_optional<3>(context, from, "COLOR_0", vertex_count)) {
      colors.emplace_back(color, 1.0f);
    }
  } else {
    colors = read_optional<4>(context, from, "COLOR_0", vertex_count);
  }
  replace_unreasonable(context, colors, "COLOR_0", glm::vec4(1.0f));
  return colors;
}

/// The number of a set, "TEXCOORD_2" with "TEXCOORD_"; -1 where the name is none of these.
int set_number(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) {
    return -1;
  }
  const auto number = parse_integer(name.substr(prefix.size()));
  return number && *number >= 0 && fmt::format("{}{}", prefix, *number) == name ? *number : -1;
}

/// Whether glTF (3.7.2), with KHR_mesh_quantization, lets an attribute have this form; what a file's makers named
/// themselves may have any.
/// @param is_delta  it is a morph target's
Status check_form(const mesh::KeptAttribute& kept, bool is_delta) {
  const bool uv = kept.name.starts_with("TEXCOORD_");
  const bool color = kept.name.starts_with("COLOR_");
  const bool tangent = kept.name == "TANGENT";
  const bool joints = kept.name.starts_with("JOINTS_");
  if (!uv && !color && !tangent && !joints && !kept.name.starts_with("WEIGHTS_")) {
    return {};
  }
  const int rows = uv ? 2 : tangent && is_delta ? 3 : 4;
  if (kept.columns != 1 || (kept.rows != rows && !(color && kept.rows == 3))) {
    return error("expected {}VEC{}, got {}", color ? "VEC3 or " : "", rows, mesh::shape_name(kept));
  }
  const bool is_signed = kept.type == mesh::NumberType::kByte || kept.type == mesh::NumberType::kShort;
  const bool may_be = kept.type == mesh::NumberType::kFloat ? !joints
                      : mesh::size_of(kept.type) == 4       ? false
                      : joints                              ? !is_signed && !kept.normalized
                      : uv                                  ? kept.normalized || is_signed || !is_delta
                      : tangent                             ? kept.normalized && is_signed
                                                            : kept.normalized && (!is_signed || (color && is_delta));
  if (!may_be) {
    return error("glTF allows no {} here", mesh::form_name(kept));
  }
  return {};
}

/// Keeps an attribute for writing. @returns false where it is not sound, with a diagnostic
/// @param target  the morph target whose it is, none: the primitive's
bool keep_attribute(Context& context, int accessor, const std::string& name, std::size_t vertex_count,
                    std::optional<std::size_t> target, std::vector<mesh::KeptAttribute>& out) {
  auto kept = context.reader.read_kept(accessor, name);
  context.reader.finish_read(accessor);
  Status status = kept ? check_count(kept->count(), vertex_count) : Status(kept.error());
  if (status) {
    status = check_form(*kept, target.has_value());
    status = status ? status : Status(status.error().in(fmt::format("accessor {}", accessor)));
  }
  if (!status) {
    context.reader.warn("attribute", context.place,
                        fmt::format("{}{}: {}; left out", target ? fmt::format("morph target {}: ", *target) : "",
                                    printable(name, 40), status.error().message));
    return false;
  }
  out.push_back(*std::move(kept));
  return true;
}

/// Whether a name is one that a file's makers chose: those of their own begin with an underscore, those of an
/// extension ("KHR_gaussian_splatting:SCALE") with its name.
bool is_free_name(const Reader& reader, std::string_view name) {
  const std::vector<std::string>& used = reader.model.extensionsUsed;
  const std::size_t colon = name.find(':');
  return name.starts_with('_') ||
         (colon != std::string_view::npos && std::find(used.begin(), used.end(), name.substr(0, colon)) != used.end());
}

/// Remarks on sets from `next` on. They are numbered without gaps, also where they are written.
void report_gap(Context& context, const tinygltf::Primitive& from, std::string_view prefix, int next) {
  for (const auto& [name, accessor] : from.attributes) {
    if (set_number(name, prefix) > next) {
      context.reader.warn("attribute", context.place,
                          fmt::format("{}: set {} of the same is missing; left out", name, next));
    }
  }
}

/// Joints and weights that no skin gives a meaning.
void keep_influences(Context& context, const tinygltf::Primitive& from, mesh::Primitive& out) {
  int next = 0;
  for (;; ++next) {
    const std::string names[] = {fmt::format("JOINTS_{}", next), fmt::format("WEIGHTS_{}", next)};
    const int accessors[] = {find_attribute(from.attributes, names[0]), find_attribute(from.attributes, names[1])};
    if (accessors[0] < 0 && accessors[1] < 0) {
      break;
    }
    // One means nothing without the other.
    std::vector<mesh::KeptAttribute> pair;
    bool is_kept[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
      is_kept[i] =
          accessors[i] >= 0 && keep_attribute(context, accessors[i], names[i], out.vertex_count(), std::nullopt, pair);
    }
    if (!is_kept[0] || !is_kept[1]) {
      for (std::size_t i = 0; i < 2; ++i) {
        if (is_kept[i]) {
          context.reader.warn("attribute", context.place,
                              fmt::format("{}: {} is missing; left out", names[i], names[1 - i]));
        }
      }
      break;
    }
    std::move(pair.begin(), pair.end(), std::back_inserter(out.kept));
  }
  report_gap(context, from, "JOINTS_", next);
  report_gap(context, from, "WEIGHTS_", next);
}

/// What the file's makers alone understand, sets that nothing here shows, and what has no meaning without something
/// else that is not there.
/// @pre positions, normals, tangents and colours are read
void keep_attributes(Context& context, const tinygltf::Primitive& from, mesh::Primitive& out) {
  const auto& attributes = from.attributes;
  const std::size_t vertex_count = out.vertex_count();
  const auto keep = [&](const std::string& name, int accessor) {
    return keep_attribute(context, accessor, name, vertex_count, std::nullopt, out.kept);
  };
  for (const auto& [prefix, first] : {std::pair{"TEXCOORD_", 2}, std::pair{"COLOR_", 1}}) {
    int next = first;
    for (auto entry = attributes.find(fmt::format("{}{}", prefix, next)); entry != attributes.end();
         entry = attributes.find(fmt::format("{}{}", prefix, ++next))) {
      if (!keep(entry->first, entry->second)) {
        break;
      }
    }
    report_gap(context, from, prefix, next);
  }
  if (context.use.skin < 0) {
    keep_influences(context, from, out);
  }
  if (const auto tangent = attributes.find("TANGENT"); tangent != attributes.end() && out.normals.empty()) {
    keep(tangent->first, tangent->second);
  }
  for (const auto& [name, accessor] : attributes) {
    if (is_free_name(context.reader, name)) {
      keep(name, accessor);
      continue;
    }
    const bool is_known = name == "POSITION" || name == "NORMAL" || name == "TANGENT" ||
                          set_number(name, "TEXCOORD_") >= 0 || set_number(name, "COLOR_") >= 0 ||
                          set_number(name, "JOINTS_") >= 0 || set_number(name, "WEIGHTS_") >= 0;
    if (!is_known) {
      context.reader.warn("attribute", context.place,
                          fmt::format("{}: glTF has no attribute of that name, and others begin with an underscore; "
                                      "left out",
                                      printable(name, 40)));
    }
  }
}

/// The indices of strips, fans and loops written out. @param modes of glTF: 2 loop, 3 line strip, 5 triangle strip, 6
/// fan
std::vector<std::uint32_t> unrolled(const std::vector<std::uint32_t>& in, int mode) {
  std::vector<std::uint32_t> out;
  const std::size_t count = in.size();
  if ((mode == 2 || mode == 3) && count >= 2) {
    out.reserve(2 * count);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      out.insert(out.end(), {in[i], in[i + 1]});
    }
    if (mode == 2) {
      out.insert(out.end(), {in[count - 1], in[0]});
    }
  } else if ((mode == 5 || mode == 6) && count >= 3) {
    out.reserve(3 * (count - 2));
    for (std::size_t i = 0; i + 2 < count; ++i) {
      if (mode == 6) {
        out.insert(out.end(), {in[i + 1], in[i + 2], in[0]});
      } else {
        out.insert(out.end(), {in[i], in[i + 1 + i % 2], in[i + 2 - i % 2]});  // every other triangle turns round
      }
    }
  }
  return out;
}

Status read_topology(Context& context, const tinygltf::Primitive& from, mesh::Primitive& out) {
  // Draco stores triangles, even those of a primitive that is a strip where it is not compressed.
  const bool decoded = from.indices >= 0 && context.reader.decoded_accessors.count(from.indices) != 0;
  const int mode = decoded ? TINYGLTF_MODE_TRIANGLES : from.mode;
  if (mode < 0 || mode > 6) {
    return error("mode: expected 0 to 6, got {}", mode);
  }
  out.topology = mode == 0 ? mesh::Topology::kPoints : mode <= 3 ? mesh::Topology::kLines : mesh::Topology::kTriangles;
  const std::size_t vertex_count = out.vertex_count();
  if (from.indices >= 0) {
    auto indices = context.reader.read_indices(from.indices, 1);
    context.reader.finish_read(from.indices);
    if (!indices) {
      return indices.error().in("indices");
    }
    std::uint32_t largest = 0;
    for (const std::uint32_t at : *indices) {
      largest = std::max(largest, at);
    }
    for (std::size_t i = 0; largest >= vertex_count && i < indices->size(); ++i) {
      if ((*indices)[i] >= vertex_count) {
        return error("index {} is {}, expected less than {}", i, (*indices)[i], vertex_count);
      }
    }
    out.indices = *std::move(indices);
  } else {
    if (const Status status = context.reader.budget.take(vertex_count, sizeof(std::uint32_t)); !status) {
      return status;
    }
    out.indices.resize(vertex_count);
    for (std::size_t v = 0; v < vertex_count; ++v) {
      out.indices[v] = static_cast<std::uint32_t>(v);
    }
  }
  if (mode == 2 || mode == 3 || mode == 5 || mode == 6) {
    if (const Status status = context.reader.budget.take(out.indices.size(), 3 * sizeof(std::uint32_t)); !status) {
      return status;
    }
    out.indices = unrolled(out.indices, mode);
  }
  const std::size_t corners = out.topology == mesh::Topology::kTriangles ? 3
                              : out.topology == mesh::Topology::kLines   ? 2
                                                                         : 1;
  if (const std::size_t rest = out.indices.size() % corners; rest != 0) {
    context.reader.warn(
        "index-count", context.place,
        fmt::format("{} indices are no multiple of {}; the last {} are left out", out.indices.size(), corners, rest));
    out.indices.resize(out.indices.size() - rest);
  }
  if (out.indices.empty() && vertex_count > 0) {
    context.reader.warn("index-count", context.place, "it has vertices but nothing to draw");
  }
  return {};
}

/// One pair of JOINTS_n and WEIGHTS_n. What is sparse, and joints that are floats, is decoded at once; everything else
/// in blocks, when its turn comes.
struct InfluenceSet {
  AccessorView joints;
  AccessorView weights;
  std::vector<std::uint32_t> decoded_joints;  ///< [V][4] or empty
  std::vector<float> decoded_weights;         ///< [V][4] or empty
  float step = 0;                             ///< of weights stored as integers, 0 where they are floats
};

/// The faults of one primitive's influences, each told once.
struct InfluenceFaults {
  OddVertices not_finite, negative, stray, padding, sum, integer_sum, empty, duplicate, order;
  float most_negative = 0;
  float least_sum = std::numeric_limits<float>::max();
  float most_sum = 0;
  float largest_step_off = 0;
  std::uint32_t largest_index = 0;  ///< that names no joint

  /// Those of vertices that come after these.
  void add(const InfluenceFaults& later) {
    for (OddVertices InfluenceFaults::*const of :
         {&InfluenceFaults::not_finite, &InfluenceFaults::negative, &InfluenceFaults::stray, &InfluenceFaults::padding,
          &InfluenceFaults::sum, &InfluenceFaults::integer_sum, &InfluenceFaults::empty, &InfluenceFaults::duplicate,
          &InfluenceFaults::order}) {
      (this->*of).add(later.*of);
    }
    most_negative = std::min(most_negative, later.most_negative);
    least_sum = std::min(least_sum, later.least_sum);
    most_sum = std::max(most_sum, later.most_sum);
    largest_step_off = std::max(largest_step_off, later.largest_step_off);
    largest_index = std::max(largest_index, later.largest_index);
  }
};

Result<InfluenceSet> open_influence_set(Context& context, const tinygltf::Primitive& from, std::size_t set,
                                        std::size_t vertex_count) {
  Reader& reader = context.reader;
  InfluenceSet out;
  const std::string joints_name = fmt::format("JOINTS_{}", set);
  const std::string weights_name = fmt::format("WEIGHTS_{}", set);
  const int joints_accessor = find_attribute(from.attributes, joints_name);
  const int weights_accessor = find_attribute(from.attributes, weights_name);
  if (joints_accessor < 0 || weights_accessor < 0) {
    return error("{} without {}", joints_accessor < 0 ? weights_name : joints_name,
                 joints_accessor < 0 ? joints_name : weights_name);
  }
  const auto joints = reader.view_accessor(joints_accessor);
  if (!joints) {
    return joints.error().in(joints_name);
  }
  out.joints = *joints;
  if (joints->component_type == TINYGLTF_COMPONENT_TYPE_FLOAT) {
    const auto values = reader.read_vectors<4>(joints_accessor);
    if (!values) {
      return values.error().in(joints_name);
    }
    out.decoded_joints.reserve(4 * values->size());
    for (std::size_t v = 0; v < values->size(); ++v) {
      for (int k = 0; k < 4; ++k) {
        const float joint = (*values)[v][k];
        if (!(joint >= 0 && joint <= 65535) || joint != std::floor(joint)) {
          return error("{}: vertex {}: expected a joint index, got {}", joints_name, v, joint);
        }
        out.decoded_joints.push_back(static_cast<std::uint32_t>(joint));
      }
    }
  } else if (const Status status = reader.check_indices(*joints, 4); !status) {
    return status.error().in(joints_name);
  } else if (joints->sparse_count > 0) {
    auto values = reader.read_indices(joints_accessor, 4);
    if (!values) {
      return values.error().in(joints_name);
    }
    out.decoded_joints = *std::move(values);
  }
  const auto weights = reader.view_accessor(weights_accessor);
  if (!weights) {
    return weights.error().in(weights_name);
  }
  out.weights = *weights;
  if (weights->rows != 4 || weights->columns != 1) {
    return error("{}: accessor {}: expected VEC4, got {}", weights_name, weights_accessor, type_label(*weights));
  }
  if (weights->component_type != TINYGLTF_COMPONENT_TYPE_FLOAT && !weights->normalized) {
    reader.warn("weight-type", context.place,
                fmt::format("{}: integers are not marked as normalised; taken as normalised", weights_name));
    out.weights.normalized = true;
  }
  out.step = weights->component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE    ? 1.0f / 255
             : weights->component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT ? 1.0f / 65535
                                                                                 : 0.0f;
  for (const auto& [name, count] : {std::pair{&joints_name, joints->count}, std::pair{&weights_name, weights->count}}) {
    if (const Status status = check_count(count, vertex_count); !status) {
      return status.error().in(*name);
    }
  }
  if (weights->sparse_count > 0) {
    if (const Status status = reader.budget.take(vertex_count, 4 * sizeof(float)); !status) {
      return status.error();
    }
    out.decoded_weights.resize(4 * vertex_count);
    reader.read_floats(out.weights, out.decoded_weights);
  }
  return out;
}

Result<std::vector<InfluenceSet>> open_influence_sets(Context& context, const tinygltf::Primitive& from,
                                                      std::size_t vertex_count) {
  std::vector<InfluenceSet> sets;
  for (std::size_t set = 0; from.attributes.count(fmt::format("JOINTS_{}", set)) != 0 ||
                            from.attributes.count(fmt::format("WEIGHTS_{}", set)) != 0;
       ++set) {
    auto opened = open_influence_set(context, from, set, vertex_count);
    if (!opened) {
      return opened.error();
    }
    sets.push_back(*std::move(opened));
  }
  return sets;
}

void report_faults(Context& context, InfluenceFaults& faults, std::size_t vertex_count, std::size_t joint_count) {
  Reader& reader = context.reader;
  const auto tell = [&](Severity severity, const char* code, OddVertices& vertices, const std::string& what) {
    if (vertices.count > 0) {
      reader.note(severity, code, context.place, what, std::move(vertices.listed));
    }
  };
  const auto some = [&](const OddVertices& vertices) { return fmt::format("{} of {}", vertices.count, vertex_count); };
  tell(Severity::kError, "weight-not-finite", faults.not_finite,
       fmt::format("{} vertices have a weight that is no finite number, expected 0 to 1; taken as 0",
                   some(faults.not_finite)));
  tell(Severity::kError, "weight-negative", faults.negative,
       fmt::format("{} vertices have a weight below 0, down to {:.3g}, expected 0 to 1; taken as 0",
                   some(faults.negative), faults.most_negative));
  tell(Severity::kError, "weight-on-no-joint", faults.stray,
       fmt::format("{} vertices have weight on a joint that skin {} does not have: it has {}, the largest index is {}; "
                   "that weight is dropped",
                   some(faults.stray), context.use.skin, joint_count, faults.largest_index));
  tell(Severity::kInfo, "padding-joint", faults.padding,
       fmt::format("{} vertices name a joint that skin {} does not have, where the weight is 0; software that reads "
                   "its matrix all the same reads beyond the {} there are",
                   some(faults.padding), context.use.skin, joint_count));
  tell(Severity::kWarning, "weight-sum", faults.sum,
       fmt::format("the weights of {} vertices sum to {:.3g} to {:.3g}, expected 1; renormalised", some(faults.sum),
                   faults.least_sum, faults.most_sum));
  tell(Severity::kWarning, "weight-integer-sum", faults.integer_sum,
       fmt::format("the integer weights of {} vertices miss 1 by up to {:.0f} steps, expected none; renormalised",
                   some(faults.integer_sum), faults.largest_step_off));
  tell(Severity::kWarning, "weight-zero", faults.empty,
       fmt::format("{} vertices have no weight at all; they follow no joint", some(faults.empty)));
  tell(Severity::kWarning, "duplicate-joint", faults.duplicate,
       fmt::format("{} vertices list a joint twice; the weights are added", some(faults.duplicate)));
  tell(Severity::kInfo, "influence-order", faults.order,
       fmt::format("{} vertices have heavier weights behind the first four; software that reads one set keeps the "
                   "lighter ones; sorted",
                   some(faults.order)));
}

/// Rows of consecutive vertices, read without knowing of the others.
struct InfluenceBlock {
  mesh::Influences rows;
  InfluenceFaults faults;
  std::vector<char> used;  ///< [joints that a row can name]; empty for blocks shorter than that

  // Scratch.
  std::vector<std::uint32_t> file_joints;  ///< [sets][vertices][4]
  std::vector<float> file_weights;
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
  mesh::Influences one;
};

/// A row of four as nearly all are: joints that exist, none twice, weights of 0 or more. What mesh::append_row() makes
/// of it, bit by bit.
/// @returns its length; 5 where it is no such row
std::size_t plain_row(const std::uint32_t* joints, const float* weights, std::size_t joint_count,
                      std::uint16_t* out_joints, float* out_weights, double& sum) {
  constexpr std::size_t kNone = 5;
  // Sorted as whole numbers, heaviest first and then by joint: floats above zero are in the order of their bits.
  std::array<std::uint64_t, 4> key{};
  bool plain = true;
  for (std::size_t k = 0; k < 4; ++k) {
    plain = plain && joints[k] < joint_count && weights[k] >= 0 && weights[k] <= kLargest;
    const float weight = weights[k] + 0.0f;  // -0 becomes 0
    key[k] = std::uint64_t{std::bit_cast<std::uint32_t>(weight)} << 16 | (0xffffU - (joints[k] & 0xffffU));
  }
  if (!plain) {
    return kNone;
  }
  constexpr std::array<std::array<std::size_t, 2>, 5> kNetwork = {{{0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 2}}};
  for (const auto& [a, b] : kNetwork) {
    const std::uint64_t larger = std::max(key[a], key[b]);
    key[b] = std::min(key[a], key[b]);
    key[a] = larger;
  }
  sum = mesh::row_divisor(static_cast<double>(weights[0]) + static_cast<double>(weights[1]) +
                          static_cast<double>(weights[2]) + static_cast<double>(weights[3]));
  std::size_t count = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const float weight = std::bit_cast<float>(static_cast<std::uint32_t>(key[k] >> 16));
    count += weight > 0 ? 1 : 0;
    out_joints[k] = static_cast<std::uint16_t>(0xffffU - (key[k] & 0xffffU));
    out_weights[k] = static_cast<float>(static_cast<double>(weight) / sum);
  }
  for (std::size_t a = 1; a < count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (out_joints[a] == out_joints[b]) {
        return kNone;
      }
    }
  }
  return count > 0 && !(out_weights[count - 1] > 0) ? kNone : count;
}

/// Reads the rows of vertices [begin, end).
/// @param step         the smallest of all sets
/// @param joint_count  those of the skin that a row can name
void read_influence_rows(Reader& reader, std::span<const InfluenceSet> sets, float step, std::size_t joint_count,
                         std::size_t begin, std::size_t end, InfluenceBlock& out) {
  constexpr float kSumTolerance = 1e-3f;
  constexpr float kNoise = 1e-5f;  // below zero, from writers that subtract to make the sum right
  const std::size_t width = 4 * sets.size();
  const std::size_t some = end - begin;
  out.rows.joint.resize(width * some);
  out.rows.weight.resize(width * some);
  out.rows.offset.resize(some + 1);
  out.rows.offset[0] = 0;
  out.rows.stored_sum.resize(some);
  std::size_t filled = 0;
  out.faults = {};
  out.used.assign(width * some >= joint_count ? joint_count : 0, 0);
  out.file_joints.resize(width * some);
  out.file_weights.resize(width * some);
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const InfluenceSet& opened = sets[set];
    const std::size_t at = 4 * some * set;
    if (opened.decoded_joints.empty()) {
      reader.read_indices(opened.joints, begin, some, out.file_joints.data() + at);
    } else {
      std::copy_n(opened.decoded_joints.data() + 4 * begin, 4 * some, out.file_joints.data() + at);
    }
    if (opened.decoded_weights.empty()) {
      reader.read_floats(opened.weights, begin, some, out.file_weights.data() + at);
    } else {
      std::copy_n(opened.decoded_weights.data() + 4 * begin, 4 * some, out.file_weights.data() + at);
    }
  }
  InfluenceFaults& faults = out.faults;
  for (std::size_t v = begin; v < end; ++v) {
    double double_sum = 0;
    // Rows never grow, so four slots are left.
    std::uint16_t* const row_joints = out.rows.joint.data() + filled;
    float* const row_weights = out.rows.weight.data() + filled;
    std::size_t count =
        width != 4 ? 5
                   : plain_row(out.file_joints.data() + 4 * (v - begin), out.file_weights.data() + 4 * (v - begin),
                               joint_count, row_joints, row_weights, double_sum);
    float sum = static_cast<float>(double_sum);
    if (count > 4) {
      out.joints.clear();
      out.weights.clear();
      float lightest_of_first = std::numeric_limits<float>::max();
      for (std::size_t k = 0; k < width; ++k) {
        const std::size_t at = 4 * some * (k / 4) + 4 * (v - begin) + k % 4;
        const std::uint32_t joint = out.file_joints[at];
        const float weight = out.file_weights[at];
        lightest_of_first = k < 4 ? std::min(lightest_of_first, weight) : lightest_of_first;
        const bool exists = joint < joint_count;
        if (!std::isfinite(weight) || weight > kLargest) {
          faults.not_finite.add(v);
          continue;
        }
        if (weight <= 0) {
          if (weight < -kNoise) {
            faults.negative.add(v);
            faults.most_negative = std::min(faults.most_negative, weight);
          } else if (!exists) {
            faults.padding.add(v);
          }
          continue;
        }
        if (!exists) {
          faults.stray.add(v);
          faults.largest_index = std::max(faults.largest_index, joint);
          continue;
        }
        if (std::find(out.joints.begin(), out.joints.end(), joint) != out.joints.end()) {
          faults.duplicate.add(v);
        }
        if (k >= 4 && weight > lightest_of_first) {
          faults.order.add(v);
        }
        out.joints.push_back(static_cast<std::uint16_t>(joint));
        out.weights.push_back(weight);
      }
      mesh::Influences& one = out.one;
      one.joint.clear();
      one.weight.clear();
      mesh::append_row(one, out.joints, out.weights);
      count = one.joint.size();
      std::copy_n(one.joint.begin(), count, row_joints);
      std::copy_n(one.weight.begin(), count, row_weights);
      sum = one.stored_sum.back();
      one.offset.resize(1);
      one.stored_sum.clear();
    }
    for (std::size_t k = 0; k < count && !out.used.empty(); ++k) {
      out.used[row_joints[k]] = 1;
    }
    filled += count;
    out.rows.offset[v - begin + 1] = static_cast<std::uint32_t>(filled);
    out.rows.stored_sum[v - begin] = sum;
    const float off = std::abs(sum - 1);
    // Integers that were each rounded alone miss by half a step each.
    const float rounding = 0.5f * step * static_cast<float>(width);
    if (sum == 0) {
      faults.empty.add(v);
    } else if (off > std::max(kSumTolerance, rounding)) {
      faults.sum.add(v);
      faults.least_sum = std::min(faults.least_sum, sum);
      faults.most_sum = std::max(faults.most_sum, sum);
    } else if (step > 0 && off > 0.5f * step) {
      faults.integer_sum.add(v);
      faults.largest_step_off = std::max(faults.largest_step_off, off / step);
    }
  }
  out.rows.joint.resize(filled);
  out.rows.weight.resize(filled);
}

Status read_influences(Context& context, const tinygltf::Primitive& from, mesh::Primitive& out) {
  Reader& reader = context.reader;
  const bool present = std::any_of(from.attributes.begin(), from.attributes.end(), [](const auto& attribute) {
    return set_number(attribute.first, "JOINTS_") >= 0 || set_number(attribute.first, "WEIGHTS_") >= 0;
  });
  if (!present) {
    return {};
  }
  if (context.use.skin < 0) {
    reader.note(Severity::kInfo, "unused-influences", context.place,
                "it has joints and weights but no node gives it a skin");
    return {};
  }
  const std::size_t vertex_count = out.vertex_count();
  const auto sets = open_influence_sets(context, from, vertex_count);
  if (!sets) {
    return sets.error();
  }
  report_gap(context, from, "JOINTS_", static_cast<int>(sets->size()));
  report_gap(context, from, "WEIGHTS_", static_cast<int>(sets->size()));
  if (sets->empty()) {
    return {};
  }
  const std::size_t width = 4 * sets->size();
  constexpr std::size_t kSlotBytes = sizeof(std::uint16_t) + sizeof(float);
  constexpr std::size_t kRowBytes = sizeof(std::uint32_t) + sizeof(float);
  if (const Status status = reader.budget.take(vertex_count, width * kSlotBytes + kRowBytes); !status) {
    return status;
  }
  float step = 1;  // the smallest of all sets
  for (const InfluenceSet& set : *sets) {
    step = std::min(step, set.step);
  }
  const std::size_t joint_count = reader.model.skins[index(context.use.skin)].joints.size();
  // Rows name joints by 16 bits.
  const std::size_t nameable = std::min(joint_count, std::numeric_limits<std::uint16_t>::max() + std::size_t{1});
  mesh::Influences& all = out.influences;
  all.offset.reserve(vertex_count + 1);
  all.stored_sum.reserve(vertex_count);
  if (constexpr std::size_t kMany = std::size_t{1} << 16; vertex_count >= kMany) {
    // Asked for at once, since growing copies; what is not filled is never touched and costs no memory.
    all.joint.reserve(vertex_count * width);
    all.weight.reserve(vertex_count * width);
    prefer_large_pages(all.joint.data(), vertex_count * width * sizeof(std::uint16_t));
    prefer_large_pages(all.weight.data(), vertex_count * width * sizeof(float));
  }
  // Blocks are read on all threads, some at a time so that they stay in the caches, and joined in order.
  constexpr std::size_t kSlotsPerBlock = std::size_t{1} << 14;
  constexpr std::size_t kBlocksAtOnce = 16;
  const std::size_t rows_per_block = std::max<std::size_t>(kSlotsPerBlock / width, 1);
  const std::size_t block_count = (vertex_count + rows_per_block - 1) / rows_per_block;
  std::vector<InfluenceBlock> blocks(std::min(block_count, kBlocksAtOnce));
  InfluenceFaults faults;
  for (std::size_t first = 0; first < block_count; first += kBlocksAtOnce) {
    const std::size_t some = std::min(kBlocksAtOnce, block_count - first);
    parallel_for(some, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        const std::size_t row = (first + b) * rows_per_block;
        read_influence_rows(reader, *sets, step, nameable, row, std::min(row + rows_per_block, vertex_count),
                            blocks[b]);
      }
    });
    for (const InfluenceSet& set : *sets) {
      const std::size_t last = std::min((first + some) * rows_per_block, vertex_count);
      reader.give_back(set.joints, first * rows_per_block, last);
      reader.give_back(set.weights, first * rows_per_block, last);
    }
    for (const InfluenceBlock& block : std::span(blocks).first(some)) {
      const auto before = static_cast<std::uint32_t>(all.joint.size());
      all.joint.insert(all.joint.end(), block.rows.joint.begin(), block.rows.joint.end());
      all.weight.insert(all.weight.end(), block.rows.weight.begin(), block.rows.weight.end());
      all.stored_sum.insert(all.stored_sum.end(), block.rows.stored_sum.begin(), block.rows.stored_sum.end());
      for (const std::uint32_t end : std::span(block.rows.offset).subspan(1)) {
        all.offset.push_back(before + end);
      }
      faults.add(block.faults);
      if (block.used.empty()) {
        for (const std::uint16_t joint : block.rows.joint) {
          context.used.add(joint);
        }
      }
      for (std::size_t joint = 0; joint < block.used.size(); ++joint) {
        if (block.used[joint] != 0) {
          context.used.add(static_cast<std::uint16_t>(joint));
        }
      }
    }
  }
  for (const InfluenceSet& set : *sets) {
    reader.finish_read(set.joints.accessor);
    reader.finish_read(set.weights.accessor);
  }
  report_faults(context, faults, vertex_count, joint_count);
  return {};
}

/// Whether a primitive has an attribute that a morph target can move.
bool has_attribute(const mesh::Primitive& primitive, std::string_view name) {
  return name == "NORMAL"       ? !primitive.normals.empty()
         : name == "TANGENT"    ? !primitive.tangents.empty()
         : name == "TEXCOORD_0" ? !primitive.texcoords[0].empty()
         : name == "TEXCOORD_1" ? !primitive.texcoords[1].empty()
         : name == "COLOR_0"    ? !primitive.colors.empty()
                                : name == "POSITION";
}

/// Keeps what a morph target moves that nothing here does.
/// @param lost  receives the targets of each attribute that nothing can move
void keep_deltas(Context& context, const tinygltf::Primitive& from, std::size_t i, const mesh::Primitive& primitive,
                 mesh::MorphTarget& out, std::map<std::string, std::vector<std::size_t>>& lost) {
  for (const auto& [name, accessor] : from.targets[i]) {
    const bool is_vector = name == "POSITION" || name == "NORMAL" || name == "TANGENT";
    const bool base_is_kept = std::any_of(primitive.kept.begin(), primitive.kept.end(),
                                          [&name = name](const auto& kept) { return kept.name == name; });
    const bool has_base = base_is_kept || has_attribute(primitive, name);
    if (is_vector && has_base && !base_is_kept) {
      continue;
    }
    if (has_base && !name.starts_with("JOINTS_") && !name.starts_with("WEIGHTS_")) {
      keep_attribute(context, accessor, name, primitive.vertex_count(), i, out.kept);
    } else {
      lost[name].push_back(i);
    }
  }
}

Status read_targets(Context& context, const tinygltf::Primitive& from, mesh::Primitive& out) {
  const std::size_t vertex_count = out.vertex_count();
  std::map<std::string, std::vector<std::size_t>> lost;
  for (std::size_t i = 0; i < from.targets.size(); ++i) {
    mesh::MorphTarget target;
    for (const auto& [name, member] :
         {std::pair{"POSITION", &target.position_deltas}, std::pair{"NORMAL", &target.normal_deltas},
          std::pair{"TANGENT", &target.tangent_deltas}}) {
      const int accessor = find_attribute(from.targets[i], name);
      if (accessor < 0 || !has_attribute(out, name)) {
        continue;
      }
      const auto where = [&, name = name] { return fmt::format("morph target {}: {}", i, name); };
      auto values = context.reader.read_vectors<3>(accessor);
      context.reader.finish_read(accessor);
      if (!values) {
        return values.error().in(where());
      }
      if (const Status status = check_count(values->size(), vertex_count); !status) {
        return status.error().in(where());
      }
      const bool all = all_reasonable(*values);
      for (std::size_t v = 0; !all && v < vertex_count; ++v) {
        if (!reasonable((*values)[v])) {
          return error("{}: vertex {} is not finite or beyond {}", where(), v, kLargest);
        }
      }
      *member = *std::move(values);
    }
    keep_deltas(context, from, i, out, target, lost);
    out.morph_targets.push_back(std::move(target));
  }
  for (const auto& [name, targets] : lost) {
    const bool can_move = is_free_name(context.reader, name) || name == "NORMAL" || name == "TANGENT" ||
                          set_number(name, "TEXCOORD_") >= 0 || set_number(name, "COLOR_") >= 0;
    context.reader.warn(
        "attribute", context.place,
        fmt::format(
            "morph target {}{}: {}: {}; left out", targets.front(),
            targets.size() > 1 ? fmt::format(" and {} more", targets.size() - 1) : "", printable(name, 40),
            can_move ? "the primitive has no such attribute to be moved" : "glTF moves no attribute of that name"));
  }
  return {};
}

/// Whether a primitive whose data are compressed can be read without decoding them.
bool has_uncompressed_copy(Reader& reader, const tinygltf::Primitive& from) {
  const auto is_stored = [&](int accessor) {
    if (accessor < 0 || index(accessor) >= reader.model.accessors.size()) {
      return false;
    }
    const tinygltf::Accessor& entry = reader.model.accessors[index(accessor)];
    return (entry.bufferView >= 0 || entry.sparse.isSparse) && reader.view_accessor(accessor).has_value();
  };
  return is_stored(find_attribute(from.attributes, "POSITION")) && (from.indices < 0 || is_stored(from.indices));
}

Status read_primitive(Context& context, const tinygltf::Primitive& from, mesh::Primitive& out) {
  Reader& reader = context.reader;
  if (from.material >= 0 && index(from.material) < reader.model.materials.size()) {
    out.material = from.material;
  } else if (from.material >= 0) {
    reader.warn("material", context.place,
                fmt::format("material {} does not exist, there are {}; the default is used", from.material,
                            reader.model.materials.size()));
  }
  read_variant_materials(reader, from, context.place, out);
  const int position_accessor = find_attribute(from.attributes, "POSITION");
  if (from.extensions.count("KHR_draco_mesh_compression") != 0) {
    if (has_uncompressed_copy(reader, from)) {
      reader.note(Severity::kInfo, "fallback", context.place,
                  "the uncompressed copy is used, not that of KHR_draco_mesh_compression");
    } else if (const Status status = decode_draco_primitive(reader, from); !status) {
      return status.error().in("KHR_draco_mesh_compression");
    }
  }
  if (position_accessor < 0) {
    reader.warn("no-position", context.place, "it has no positions; left empty");
    return {};
  }
  auto positions = reader.read_vectors<3>(position_accessor);
  reader.finish_read(position_accessor);
  if (!positions) {
    return positions.error().in("POSITION");
  }
  const bool all = all_reasonable(*positions);
  for (std::size_t v = 0; !all && v < positions->size(); ++v) {
    if (!reasonable((*positions)[v])) {
      const glm::vec3& p = (*positions)[v];
      return error("POSITION: vertex {} is ({}, {}, {}), expected finite numbers within {}", v, p.x, p.y, p.z,
                   kLargest);
    }
  }
  out.positions = *std::move(positions);
  const std::size_t vertex_count = out.vertex_count();
  if (vertex_count == 0) {
    reader.warn("no-position", context.place, "it has no vertices");
    return {};
  }
  if (const Status status = read_topology(context, from, out); !status) {
    return status;
  }
  out.normals = read_optional<3>(context, from, "NORMAL", vertex_count);
  tidy_normals(context, out.normals);
  if (!out.normals.empty()) {
    out.tangents = read_optional<4>(context, from, "TANGENT", vertex_count);
    tidy_tangents(context, out.tangents);
  }
  for (std::size_t set = 0; set < 2; ++set) {
    const std::string name = fmt::format("TEXCOORD_{}", set);
    out.texcoords[set] = read_optional<2>(context, from, name, vertex_count);
    replace_unreasonable(context, out.texcoords[set], name.c_str(), glm::vec2(0.0f));
  }
  out.colors = read_colors(context, from, vertex_count);
  keep_attributes(context, from, out);
  if (const Status status = read_influences(context, from, out); !status) {
    return status;
  }
  return read_targets(context, from, out);
}

/// Default weights for `target_count` targets.
std::vector<float> tidy_weights(Reader& reader, const std::vector<double>& from, std::size_t target_count,
                                const std::string& place) {
  if (!from.empty() && from.size() != target_count) {
    reader.warn("morph-weights", place,
                fmt::format("expected {} morph weights, got {}; cut or filled with zeros", target_count, from.size()));
  }
  std::vector<float> out(target_count, 0.0f);
  for (std::size_t i = 0; i < std::min(target_count, from.size()); ++i) {
    const auto weight = static_cast<float>(from[i]);
    if (std::abs(weight) <= kLargest) {
      out[i] = weight;
    } else {
      reader.warn("morph-weights", place, fmt::format("morph weight {} is {}; 0 is used", i, from[i]));
    }
  }
  return out;
}

std::vector<std::string> target_names(const tinygltf::Mesh& from, std::size_t target_count) {
  std::vector<std::string> names;
  const tinygltf::Value* given = from.extras.Has("targetNames") ? &from.extras.Get("targetNames") : nullptr;
  for (std::size_t i = 0; i < target_count; ++i) {
    std::string name;
    if (given != nullptr && given->IsArray() && i < given->ArrayLen() && given->Get(static_cast<int>(i)).IsString()) {
      name = printable(given->Get(static_cast<int>(i)).Get<std::string>(), kNameLimit);
    }
    names.push_back(name.empty() ? fmt::format("morph {}", i) : std::move(name));
  }
  return names;
}

}  // namespace

Status read_meshes(Reader& reader) {
  const tinygltf::Model& model = reader.model;
  rig::Character& character = reader.character;
  std::vector<Use> uses(model.meshes.size());
  for (const tinygltf::Node& node : model.nodes) {
    if (node.mesh >= 0 && node.skin >= 0) {
      Use& use = uses[index(node.mesh)];
      use.skins.insert(node.skin);
      if (use.skin < 0 || model.skins[index(node.skin)].joints.size() < model.skins[index(use.skin)].joints.size()) {
        use.skin = node.skin;
      }
    }
  }
  for (const tinygltf::Skin& skin : model.skins) {
    reader.joint_is_used.emplace_back(skin.joints.size(), 0);
  }
  JointSet used;
  for (std::size_t m = 0; m < model.meshes.size(); ++m) {
    const tinygltf::Mesh& from = model.meshes[m];
    if (!report(reader.progress, 0.2f + 0.5f * static_cast<float>(m) / static_cast<float>(model.meshes.size()),
                "Reading meshes")) {
      return error("cancelled");
    }
    mesh::Mesh mesh;
    mesh.name = printable(from.name, kNameLimit);
    std::size_t target_count = 0;
    for (std::size_t p = 0; p < from.primitives.size(); ++p) {
      Context context{reader, uses[m], used, fmt::format("mesh {}, primitive {}", m, p)};
      mesh::Primitive primitive;
      const Status status = read_primitive(context, from.primitives[p], primitive);
      reader.decoded_accessors.clear();
      if (!status) {
        return status.error().in(context.place);
      }
      target_count = std::max(target_count, primitive.morph_targets.size());
      mesh.primitives.push_back(std::move(primitive));
    }
    for (const int skin : uses[m].skins) {
      for (const std::uint16_t joint : used.members) {
        reader.joint_is_used[index(skin)][joint] = 1;
      }
    }
    used.clear();
    mesh.morph_names = target_names(from, target_count);
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      mesh::Primitive& primitive = mesh.primitives[p];
      if (primitive.morph_targets.size() != target_count) {
        if (primitive.vertex_count() > 0) {
          reader.warn(
              "morph-count", fmt::format("mesh {}, primitive {}", m, p),
              fmt::format("it has {} morph targets, another primitive of the mesh has {}; the missing ones do nothing",
                          primitive.morph_targets.size(), target_count));
        }
        primitive.morph_targets.resize(target_count);
      }
      for (std::size_t i = 0; i < target_count; ++i) {
        primitive.morph_targets[i].name = mesh.morph_names[i];
      }
    }
    mesh.morph_weights = tidy_weights(reader, from.weights, target_count, fmt::format("mesh {}", m));
    character.meshes.push_back(std::move(mesh));
  }
  for (std::size_t j = 0; j < reader.joint_of_node.size(); ++j) {
    const int n = character.skeleton.source_node[j];
    const tinygltf::Node& node = model.nodes[index(n)];
    if (node.mesh < 0) {
      if (node.skin >= 0) {
        reader.warn("skin-without-mesh", fmt::format("node {}", n),
                    "it has a skin but no mesh; the skin is not used there");
      }
      continue;
    }
    const mesh::Mesh& mesh = character.meshes[index(node.mesh)];
    rig::MeshNode mesh_node;
    mesh_node.joint = static_cast<int>(j);
    mesh_node.mesh = node.mesh;
    mesh_node.skin = node.skin;
    const bool follows = std::any_of(mesh.primitives.begin(), mesh.primitives.end(),
                                     [](const mesh::Primitive& primitive) { return !primitive.influences.empty(); });
    if (node.skin >= 0 && !follows) {
      reader.warn("skin-without-weights", fmt::format("node {}", n),
                  fmt::format("it has skin {}, but mesh {} has no joints and weights; placed by the node", node.skin,
                              node.mesh));
      mesh_node.skin = -1;
    }
    mesh_node.morph_weights =
        node.weights.empty() ? mesh.morph_weights
                             : tidy_weights(reader, node.weights, mesh.morph_names.size(), fmt::format("node {}", n));
    character.mesh_nodes.push_back(std::move(mesh_node));
  }
  return {};
}

}  // namespace pelt::gltf
