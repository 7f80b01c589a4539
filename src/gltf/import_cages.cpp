// The schema of extras.pelt is in extras_pelt.md.

#include <algorithm>
#include <cmath>

#include "gltf/import_meshes.h"
#include "gltf/kept.h"
#include "mesh/nurbs.h"
#include "mesh/stencils.h"

namespace pelt::gltf {
namespace {

using tinygltf::Value;

constexpr int kMostDegree = 16;          // evaluating a point costs its square
constexpr int kMostCageSteps = 1 << 12;  // largest subdivision of a span
constexpr float kOffSurface = 1e-3f;     // share of the diagonal; quantised positions are the same surface

std::optional<std::vector<double>> read_numbers(const Value& from, std::size_t most) {
  if (!from.IsArray() || from.ArrayLen() > most) {
    return std::nullopt;
  }
  std::vector<double> out;
  out.reserve(from.ArrayLen());
  for (std::size_t i = 0; i < from.ArrayLen(); ++i) {
    const Value& value = from.Get(static_cast<int>(i));
    if (!value.IsNumber() || !(std::abs(value.GetNumberAsDouble()) <= static_cast<double>(kLargest))) {
      return std::nullopt;
    }
    out.push_back(value.GetNumberAsDouble());
  }
  return out;
}

// @param points  how many there are, of which a direction has no more
Status read_direction(const Value& from, const char* name, std::size_t points, mesh::NurbsDirection& out, int& steps) {
  out.degree = whole_number(from, "degree");
  steps = whole_number(from, "steps");
  const std::optional<std::vector<double>> knots = read_numbers(from.Get("knots"), points + kMostDegree + 1);
  if (!from.IsObject() || out.degree < 1 || out.degree > kMostDegree || steps < 1 || steps > kMostCageSteps || !knots ||
      knots->size() < static_cast<std::size_t>(out.degree) + 2) {
    return error("{}: expected a degree from 1 to {}, steps from 1 to {} and a list of knots", name, kMostDegree,
                 kMostCageSteps);
  }
  out.knots = *knots;
  out.count = static_cast<int>(knots->size()) - out.degree - 1;
  return {};
}

Status read_points(const Value& from, mesh::NurbsSurface& out) {
  for (std::size_t c = 0; c < from.ArrayLen(); ++c) {
    const std::optional<std::vector<double>> point = read_numbers(from.Get(static_cast<int>(c)), 4);
    if (!point || point->size() != 4) {
      return error("point {}: expected three coordinates and a weight", c);
    }
    out.cage.positions.emplace_back((*point)[0], (*point)[1], (*point)[2]);
    out.weights.push_back((*point)[3]);
  }
  return {};
}

// Joints and weights of each point, joints below `joint_count`.
Status read_rows(const Value& joints, const Value& weights, std::size_t count, std::size_t joint_count,
                 mesh::Influences& out) {
  constexpr std::size_t kMostInfluences = 64;
  if (!joints.IsArray() || !weights.IsArray() || joints.ArrayLen() != count || weights.ArrayLen() != count) {
    return error("expected joints and weights of {} points", count);
  }
  for (std::size_t c = 0; c < count; ++c) {
    const auto numbers = read_numbers(joints.Get(static_cast<int>(c)), kMostInfluences);
    const auto shares = read_numbers(weights.Get(static_cast<int>(c)), kMostInfluences);
    if (!numbers || !shares || numbers->size() != shares->size() || numbers->empty()) {
      return error("point {}: expected as many joints as weights", c);
    }
    std::vector<std::uint16_t> row;
    for (const double number : *numbers) {
      if (!(number >= 0) || !(number < static_cast<double>(joint_count)) || number != std::floor(number)) {
        return error("point {}: expected joints below {}, got {}", c, joint_count, number);
      }
      row.push_back(static_cast<std::uint16_t>(number));
    }
    const std::vector<float> given(shares->begin(), shares->end());
    if (!std::ranges::all_of(given, [](float weight) { return weight >= 0; }) ||
        std::ranges::all_of(given, [](float weight) { return weight == 0; })) {
      return error("point {}: expected weights of 0 or more, not all 0", c);
    }
    mesh::append_row(out, row, given);
  }
  return {};
}

Status read_shapes(const Value& from, std::size_t count, std::size_t target_count, mesh::NurbsSurface& out) {
  if (target_count == 0 && from.Type() == tinygltf::NULL_TYPE) {
    return {};
  }
  if (!from.IsArray() || from.ArrayLen() != target_count) {
    return error("expected the shapes of {} morph targets", target_count);
  }
  for (std::size_t t = 0; t < target_count; ++t) {
    const Value& shape = from.Get(static_cast<int>(t));
    std::vector<glm::vec3> deltas;
    for (std::size_t c = 0; shape.IsArray() && c < shape.ArrayLen() && c < count; ++c) {
      if (const auto delta = read_numbers(shape.Get(static_cast<int>(c)), 3); delta && delta->size() == 3) {
        deltas.emplace_back((*delta)[0], (*delta)[1], (*delta)[2]);
      }
    }
    if (!shape.IsArray() || shape.ArrayLen() != deltas.size() || (!deltas.empty() && deltas.size() != count)) {
      return error("shape {}: expected differences of {} points", t, count);
    }
    out.cage.morph_targets.emplace_back().position_deltas = std::move(deltas);
  }
  return {};
}

// Whether the surface has the vertices that the file gives.
Status compare(const mesh::Primitive& made, const mesh::Primitive& file) {
  const Bounds bounds = bounds_of(file.positions);
  const float allowed = kOffSurface * glm::length(bounds.upper - bounds.lower);
  for (std::size_t v = 0; v < file.vertex_count(); ++v) {
    if (const float off = glm::distance(made.positions[v], file.positions[v]); !(off <= allowed)) {
      return error("vertex {} lies {} m from the surface of the control points, expected at most {}", v, off, allowed);
    }
  }
  return {};
}

Status read_nurbs(const Value& from, std::size_t joint_count, mesh::Primitive& out) {
  const Value& points = from.Get("points");
  if (out.topology != mesh::Topology::kTriangles || out.influences->empty() || !points.IsArray() ||
      points.ArrayLen() > out.vertex_count() * kMostDegree + kMostDegree) {
    return error("expected control points of skinned triangles");
  }
  mesh::NurbsSurface surface;
  int u_steps = 0;
  int v_steps = 0;
  PELT_TRY(read_direction(from.Get("u"), "u", points.ArrayLen(), surface.u, u_steps));
  PELT_TRY(read_direction(from.Get("v"), "v", points.ArrayLen(), surface.v, v_steps));
  PELT_TRY(read_points(points, surface));
  PELT_TRY(mesh::check(surface));
  const std::size_t count = points.ArrayLen();
  PELT_TRY(read_rows(from.Get("joints"), from.Get("weights"), count, joint_count, surface.cage.influences.edit()));
  PELT_TRY(read_shapes(from.Get("shapes"), count, out.morph_targets.size(), surface));
  // Before anything is made: a file makes no more of its control points than it has vertices.
  if (const std::size_t made = mesh::tessellated_count(surface, u_steps, v_steps); made != out.vertex_count()) {
    return error("the control points make {} vertices, the file has {}", made, out.vertex_count());
  }
  mesh::Primitive made = mesh::with_control_points(surface, u_steps, v_steps);
  PELT_TRY(compare(made, out));
  out.cage = std::move(made.cage);
  out.cage_rows = std::move(made.cage_rows);
  return {};
}

}  // namespace

void read_cage(PrimitiveContext& context, const tinygltf::Primitive& from, const std::string& pointer,
               mesh::Primitive& out) {
  if (!from.extras.Has("pelt") || !from.extras.Get("pelt").Has("nurbs")) {
    return;
  }
  const int skin = context.use.skin;
  const std::size_t joint_count = skin < 0 ? 0 : context.reader.model.skins[skin].joints.size();
  if (const Status status = read_nurbs(from.extras.Get("pelt").Get("nurbs"), joint_count, out); !status) {
    context.reader.warn(
        "control-points", context.place,
        fmt::format("extras.pelt.nurbs: {}; it is a mesh without control points", status.error().message));
    return;
  }
  out.cage->influences->for_each_entry([&](std::uint16_t joint, float) { context.used.add(joint); });
  drop_kept_extras(context.reader.character.kept, pointer, "nurbs");
}

}  // namespace pelt::gltf
