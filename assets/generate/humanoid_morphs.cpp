#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>

#include "humanoid.h"
#include "humanoid_features.h"
#include "mesh/normals.h"

namespace pelt::assets {
namespace {

using glm::dvec3;

double bump(const dvec3& p, const dvec3& center, const dvec3& radii) {
  const dvec3 q = (p - center) / radii;
  return std::exp(-glm::dot(q, q));
}

// Displacements below this are none: most of the mesh does not take part.
constexpr double kSmallestOffset = 2e-5;

enum class Side { kBoth, kLeft, kRight };

// Of a symmetric target what lies on one side alone. Nothing of it may lie in the middle.
void keep_side(Side side, const SymmetricMesh& mesh, mesh::MorphTarget& target) {
  for (std::size_t v = 0; side != Side::kBoth && v < mesh.mesh.positions.size(); ++v) {
    if ((mesh.mesh.positions[v].x > 0) != (side == Side::kLeft)) {
      target.position_deltas.edit()[v] = glm::vec3(0.0f);
      target.normal_deltas.edit()[v] = glm::vec3(0.0f);
    }
  }
}

}  // namespace

std::vector<mesh::MorphTarget> humanoid_morphs(const RigBuilder& rig, const SymmetricMesh& mesh,
                                               const std::vector<glm::vec3>& normals,
                                               const mesh::Influences& influences) {
  const std::size_t vertex_count = normals.size();
  const auto share = [&](std::size_t v, auto&& counts) {
    double sum = 0;
    const mesh::InfluenceRow row = influences.row(v);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      if (counts(rig.skeleton().name[row.joints[k]])) {
        sum += static_cast<double>(row.weights[k]);
      }
    }
    return sum;
  };
  const auto of_trunk = [](const std::string& name) {
    return name.starts_with("spine") || name == "hips" || name == "chest" || name.starts_with("clavicle");
  };

  // Displacements on the left side and in the middle; n is the normal.
  using Field = std::function<dvec3(std::size_t v, const dvec3& p, const dvec3& n)>;
  const Field breathe = [&](std::size_t v, const dvec3& p, const dvec3& n) {
    const double ribs = bump(p, {0.075, 1.285, 0.060}, {0.130, 0.110, 0.100});
    const double flanks = bump(p, {0.150, 1.240, -0.01}, {0.060, 0.090, 0.090});
    const double belly = bump(p, {0, 1.095, 0.095}, {0.110, 0.085, 0.090});
    return share(v, of_trunk) * (dvec3(0, 0.006, 0.011) * ribs + n * (0.006 * flanks + 0.009 * belly));
  };
  const dvec3 upper_arm = rig.bind_position(rig.find("shoulder_l"));
  const glm::dmat3 arm_axes(rig.bind_world(rig.find("shoulder_l")));
  const Field biceps = [&](std::size_t v, const dvec3& p, const dvec3& n) {
    const dvec3 q = glm::transpose(arm_axes) * (p - upper_arm);
    const double facing = std::max(0.0, 0.15 + 0.85 * glm::dot(n, arm_axes[1]));
    const double belly = std::exp(-std::pow((q.x - 0.145) / 0.064, 2.0));
    return n * (0.018 * facing * belly * share(v, [](const std::string& name) { return name == "shoulder_l"; }));
  };
  const Field smile = [&](std::size_t v, const dvec3& p, const dvec3& n) {
    using namespace features;
    // The corners go out and up and take the line between them along; cheeks rise and narrow the eyes from below.
    const double corner = bump(p, {kMouthHalfWidth, mouth_height(kMouthHalfWidth), 0.095}, {0.0155, 0.0140, 0.030});
    const double middle = bump(p, {0, kMouthHeight, 0.100}, {0.0140, 0.0120, 0.030});
    const double cheek = bump(p, {0.0520, 1.6080, 0.085}, {0.0240, 0.0160, 0.030});
    const double below_eye = bump(p, {kEye.x, kEye.y - kEyeRadii.y, 0.095}, {0.0200, 0.0130, 0.030});
    return share(v, [](const std::string& name) { return name == "head"; }) *
           (dvec3(0.0080, 0.0085, -0.0035) * corner + dvec3(0, -0.0030, 0) * middle +
            (n * 0.0045 + dvec3(0, 0.0020, 0)) * cheek + dvec3(0, 0.0070, 0) * below_eye);
  };

  std::vector<std::uint32_t> indices;
  for (const auto& t : mesh.mesh.triangles) {
    for (const int v : t) {
      indices.push_back(static_cast<std::uint32_t>(v));
    }
  }
  std::vector<glm::vec3> base;
  for (const dvec3& p : mesh.mesh.positions) {
    base.emplace_back(p);
  }
  std::vector<glm::vec3> base_normals(vertex_count);
  mesh::compute_vertex_normals(base, {}, indices, base_normals);

  std::vector<mesh::MorphTarget> targets;
  const std::tuple<const char*, const Field*, Side> fields[] = {{"breathe", &breathe, Side::kBoth},
                                                                {"biceps_bulge_l", &biceps, Side::kLeft},
                                                                {"biceps_bulge_r", &biceps, Side::kRight},
                                                                {"smile", &smile, Side::kBoth}};
  for (const auto& [name, field, side] : fields) {
    mesh::MorphTarget target;
    target.name = name;
    target.position_deltas.assign(vertex_count, glm::vec3(0.0f));
    target.normal_deltas.assign(vertex_count, glm::vec3(0.0f));
    const auto mirrored = [&](std::size_t v, std::vector<glm::vec3>& deltas) {
      const glm::vec3& d = deltas[static_cast<std::size_t>(mesh.mirror[v])];
      deltas[v] = {-d.x, d.y, d.z};
    };
    for (std::size_t v = 0; v < vertex_count; ++v) {
      const dvec3& p = mesh.mesh.positions[v];
      if (p.x >= 0) {
        dvec3 d = (*field)(v, p, dvec3(normals[v]));
        d.x = p.x > 0 ? d.x : 0.0;
        target.position_deltas.edit()[v] = glm::length(d) > kSmallestOffset ? glm::vec3(d) : glm::vec3(0.0f);
      }
    }
    for (std::size_t v = 0; v < vertex_count; ++v) {
      if (mesh.mesh.positions[v].x < 0) {
        mirrored(v, target.position_deltas.edit());
      }
    }
    // How the triangles' normals turn is how the smooth ones turn.
    std::vector<glm::vec3> moved = base;
    std::vector<glm::vec3> moved_normals(vertex_count);
    for (std::size_t v = 0; v < vertex_count; ++v) {
      moved[v] += target.position_deltas[v];
    }
    mesh::compute_vertex_normals(moved, {}, indices, moved_normals);
    for (std::size_t v = 0; v < vertex_count; ++v) {
      const glm::vec3 turn = moved_normals[v] - base_normals[v];
      if (mesh.mesh.positions[v].x >= 0 && glm::length(turn) > 1e-4f) {
        target.normal_deltas.edit()[v] = glm::normalize(normals[v] + turn) - normals[v];
        if (mesh.mesh.positions[v].x == 0) {
          target.normal_deltas.edit()[v].x = 0;
        }
      }
    }
    for (std::size_t v = 0; v < vertex_count; ++v) {
      if (mesh.mesh.positions[v].x < 0) {
        mirrored(v, target.normal_deltas.edit());
      }
    }
    keep_side(side, mesh, target);
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace pelt::assets
