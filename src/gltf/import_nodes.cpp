// glTF 2.0, sections 3.5 "Scenes" and 3.7.3 "Skins".

#include <algorithm>
#include <numeric>

#include "core/index.h"
#include "gltf/reader.h"
#include "gltf/unit_vectors.h"

namespace pelt::gltf {
namespace {

/// Numbers of a node's member as floats. An absent member leaves `out` alone and gives false.
template <int N>
Result<bool> read_member(const std::vector<double>& values, int node, const char* name, float* out) {
  if (values.empty()) {
    return false;
  }
  if (values.size() != N) {
    return error("node {}: {}: expected {} numbers, got {}", node, name, N, values.size());
  }
  for (int i = 0; i < N; ++i) {
    out[i] = static_cast<float>(values[i]);
    if (!(std::abs(out[i]) <= kLargest)) {
      return error("node {}: {}: element {} is {}, expected at most {}", node, name, i, values[i], kLargest);
    }
  }
  return true;
}

Status read_transform(Reader& reader, int n, int j) {
  const tinygltf::Node& node = reader.model.nodes[n];
  rig::Skeleton& skeleton = reader.character.skeleton.edit();
  Transform& rest = skeleton.rest[j];
  float values[16];
  if (const auto given = read_member<16>(node.matrix, n, "matrix", values); !given) {
    return given.error();
  } else if (*given) {
    glm::mat4 matrix;
    for (int i = 0; i < 16; ++i) {
      matrix[i / 4][i % 4] = values[i];
    }
    const glm::vec4 row(matrix[0][3], matrix[1][3], matrix[2][3], matrix[3][3]);
    if (glm::length(row - glm::vec4(0, 0, 0, 1)) > 1e-3f) {
      reader.warn("matrix-row", reader.node_place(n),
                  fmt::format("the last row of its matrix is ({}, {}, {}, {}), expected (0, 0, 0, 1), which is used",
                              row.x, row.y, row.z, row.w));
    }
    for (int column = 0; column < 4; ++column) {
      matrix[column][3] = column == 3 ? 1.0f : 0.0f;
    }
    const Decomposition parts = decompose(matrix);
    rest = parts.transform;
    if (parts.has_residual) {
      skeleton.rest_residual.resize(skeleton.parent.size(), glm::mat4(1.0f));
      skeleton.rest_residual[j] = parts.residual;
    }
    return {};
  }
  for (const auto& [member, name, out] : {std::tuple{&node.translation, "translation", &rest.translation},
                                          std::tuple{&node.scale, "scale", &rest.scale}}) {
    if (const auto given = read_member<3>(*member, n, name, values); !given) {
      return given.error();
    } else if (*given) {
      *out = {values[0], values[1], values[2]};
    }
  }
  if (const auto given = read_member<4>(node.rotation, n, "rotation", values); !given) {
    return given.error();
  } else if (*given) {
    const glm::dquat q = quat_xyzw<double>(values[0], values[1], values[2], values[3]);
    const double length = glm::length(q);
    if (std::abs(length - 1) > 1e-3) {
      reader.warn("rotation-length", reader.node_place(n),
                  length > 0 ? fmt::format("its rotation has length {:.4g}, expected 1; normalised", length)
                             : "its rotation is zero, expected length 1; no rotation is used");
    }
    rest.rotation = unit_as_read(q);
    reader.made_unit.rotations += rest.rotation != glm::quat(q) ? 1U : 0U;
  }
  return {};
}

/// Nodes with parents before children: roots as the default scene lists them, then the others; children as listed.
Result<std::vector<int>> file_order(const Reader& reader, const std::vector<int>& parent) {
  const tinygltf::Model& model = reader.model;
  const std::size_t count = model.nodes.size();
  std::vector<int> order;
  order.reserve(count);
  std::vector<char> seen(count, 0);
  std::vector<int> waiting;
  const auto visit = [&](int root) {
    if (!reader.has_node(root) || parent[root] >= 0 || seen[root] != 0) {
      return;
    }
    waiting.push_back(root);
    while (!waiting.empty()) {
      const int n = waiting.back();
      waiting.pop_back();
      seen[n] = 1;
      order.push_back(n);
      const std::vector<int>& children = model.nodes[n].children;
      waiting.insert(waiting.end(), children.rbegin(), children.rend());
    }
  };
  if (!model.scenes.empty()) {
    const int scene = std::clamp(model.defaultScene, 0, static_cast<int>(model.scenes.size()) - 1);
    for (const int root : model.scenes[scene].nodes) {
      visit(root);
    }
  }
  for (std::size_t n = 0; n < count; ++n) {
    visit(static_cast<int>(n));
  }
  if (order.size() != count) {
    // What no root reaches hangs below a cycle; walking up from any of it ends in the cycle.
    const std::size_t lost = std::find(seen.begin(), seen.end(), 0) - seen.begin();
    auto on_cycle = static_cast<int>(lost);
    for (std::size_t step = 0; step < count; ++step) {
      on_cycle = parent[on_cycle];
    }
    for (int n = parent[on_cycle], start = on_cycle; n != start; n = parent[n]) {
      on_cycle = std::min(on_cycle, n);
    }
    return error("node {} is its own ancestor", on_cycle);
  }
  return order;
}

rig::Camera read_camera(const tinygltf::Camera& from, int source) {
  rig::Camera camera;
  camera.name = single_line(from.name, kNameLimit);
  camera.source = source;
  camera.perspective = from.type != "orthographic";
  const auto positive = [](double value, float otherwise) {
    return value > 0 && value <= static_cast<double>(kLargest) ? static_cast<float>(value) : otherwise;
  };
  if (camera.perspective) {
    camera.yfov = std::min(positive(from.perspective.yfov, camera.yfov), 3.1f);
    camera.aspect = positive(from.perspective.aspectRatio, 0);
    camera.znear = positive(from.perspective.znear, camera.znear);
    camera.zfar = positive(from.perspective.zfar, 0);
  } else {
    camera.xmag = positive(std::abs(from.orthographic.xmag), 1);
    camera.ymag = positive(std::abs(from.orthographic.ymag), 1);
    camera.znear = positive(from.orthographic.znear, 0);
    camera.zfar = positive(from.orthographic.zfar, camera.znear + 100);
  }
  return camera;
}

}  // namespace

Status read_nodes(Reader& reader) {
  tinygltf::Model& model = reader.model;
  const std::size_t count = model.nodes.size();
  std::vector<int> parent(count, -1);
  for (std::size_t n = 0; n < reader.node_count; ++n) {
    for (const int child : model.nodes[n].children) {
      if (!reader.has_node(child)) {
        return error("node {}: child node {} does not exist, there are {}", n, child, reader.node_count);
      }
      if (parent[child] >= 0) {
        return error("node {} has two parents, node {} and node {}", child, parent[child], n);
      }
      parent[child] = static_cast<int>(n);
    }
  }
  for (const auto& [n, made] : reader.instances) {
    std::vector<int>& children = model.nodes[n].children;
    children.insert(children.end(), made.begin(), made.end());
    for (const int child : made) {
      parent[child] = n;
    }
  }
  PELT_TRY_TO(const std::vector<int> order, file_order(reader, parent));
  rig::Skeleton& skeleton = reader.character.skeleton.edit();
  skeleton.parent.resize(count);
  skeleton.name.resize(count);
  skeleton.rest.resize(count);
  skeleton.source_node = order;
  skeleton.dofs.resize(count);
  reader.joint_of_node.assign(count, -1);
  std::vector<char> carried(model.cameras.size(), 0);
  for (std::size_t j = 0; j < count; ++j) {
    const int n = order[j];
    const tinygltf::Node& node = model.nodes[n];
    reader.joint_of_node[n] = static_cast<int>(j);
    skeleton.parent[j] = parent[n] < 0 ? -1 : reader.joint_of_node[parent[n]];
    skeleton.name[j] = single_line(node.name, kNameLimit);
    if (const Status status = read_transform(reader, n, static_cast<int>(j)); !status) {
      return status;
    }
    read_dofs(reader, node.extras, static_cast<int>(j));
    if (node.mesh >= 0 && !has_index(model.meshes, node.mesh)) {
      return error("node {}: mesh {} does not exist, there are {}", n, node.mesh, model.meshes.size());
    }
    if (node.skin >= 0 && !has_index(model.skins, node.skin)) {
      return error("node {}: skin {} does not exist, there are {}", n, node.skin, model.skins.size());
    }
    if (node.camera >= 0) {
      if (!has_index(model.cameras, node.camera)) {
        return error("node {}: camera {} does not exist, there are {}", n, node.camera, model.cameras.size());
      }
      rig::Camera camera = read_camera(model.cameras[node.camera], node.camera);
      camera.joint = static_cast<int>(j);
      carried[node.camera] = 1;
      reader.character.cameras.push_back(std::move(camera));
    }
  }
  for (std::size_t c = 0; c < carried.size(); ++c) {
    if (carried[c] == 0) {
      reader.character.spare_cameras.push_back(read_camera(model.cameras[c], static_cast<int>(c)));
    }
  }
  if (!skeleton.rest_residual.empty()) {
    skeleton.rest_residual.resize(count, glm::mat4(1.0f));
  }
  return {};
}

void read_scenes(Reader& reader) {
  const tinygltf::Model& model = reader.model;
  rig::Character& character = reader.character;
  const rig::Skeleton& skeleton = character.skeleton;
  for (std::size_t s = 0; s < model.scenes.size(); ++s) {
    rig::Scene scene;
    scene.name = single_line(model.scenes[s].name, kNameLimit);
    std::vector<char> listed(skeleton.size(), 0);
    for (const int n : model.scenes[s].nodes) {
      if (!reader.has_node(n)) {
        reader.warn("scene-root", fmt::format("scene {}", s),
                    fmt::format("root node {} does not exist, there are {}; left out", n, reader.node_count));
        continue;
      }
      const int j = reader.joint_of_node[n];
      if (listed[j] != 0) {
        reader.warn("scene-root", fmt::format("scene {}", s), fmt::format("node {} is listed twice; shown once", n));
        continue;
      }
      listed[j] = 1;
      scene.roots.push_back(j);
    }
    // A root that hangs below another one is shown with it. One pass down finds all: parents come first.
    std::vector<char> covered(skeleton.size(), 0);
    for (std::size_t j = 0; j < covered.size(); ++j) {
      const int up = skeleton.parent[j];
      covered[j] = up >= 0 && (listed[up] != 0 || covered[up] != 0) ? 1 : 0;
    }
    for (const int j : scene.roots) {
      if (skeleton.parent[j] >= 0) {
        reader.warn("scene-root", fmt::format("scene {}", s),
                    fmt::format("node {} is listed as a root but has a parent", skeleton.source_node[j]));
      }
    }
    std::erase_if(scene.roots, [&](int j) { return covered[j] != 0; });
    character.scenes.push_back(std::move(scene));
  }
  if (character.scenes.empty()) {
    rig::Scene scene;
    for (int j = 0; j < skeleton.size(); ++j) {
      if (skeleton.parent[j] < 0) {
        scene.roots.push_back(j);
      }
    }
    character.scenes.push_back(std::move(scene));
  }
  character.scene = std::max(model.defaultScene, 0);
  if (!has_index(character.scenes, character.scene)) {
    reader.warn(
        "default-scene", "file",
        fmt::format("scene {} does not exist, there are {}; the first is shown", character.scene, model.scenes.size()));
    character.scene = 0;
  }
}

Status read_skins(Reader& reader) {
  for (std::size_t s = 0; s < reader.model.skins.size(); ++s) {
    const tinygltf::Skin& from = reader.model.skins[s];
    const std::vector<char>& used = reader.joint_is_used[s];
    const std::string place = fmt::format("skin {}", s);
    rig::Skin skin;
    skin.name = single_line(from.name, kNameLimit);
    if (from.joints.empty()) {
      return error("skin {}: expected at least one joint, got none", s);
    }
    for (std::size_t k = 0; k < from.joints.size(); ++k) {
      const int n = from.joints[k];
      if (!reader.has_node(n)) {
        return error("skin {}: joint {} is node {}, which does not exist, there are {}", s, k, n, reader.node_count);
      }
      skin.joints.push_back(reader.joint_of_node[n]);
    }
    if (reader.has_node(from.skeleton)) {
      skin.skeleton_root = reader.joint_of_node[from.skeleton];
    } else if (from.skeleton >= 0) {
      reader.warn("skeleton-root", place, fmt::format("its skeleton node {} does not exist; ignored", from.skeleton));
    }
    skin.joint_from_mesh.assign(skin.joints.size(), glm::mat4(1.0f));
    skin.has_inverse_binds = from.inverseBindMatrices >= 0;
    if (skin.has_inverse_binds) {
      const Result<AccessorView> view = reader.view_accessor(from.inverseBindMatrices);
      if (!view) {
        return view.error().in(fmt::format("skin {}: inverse bind matrices", s));
      }
      if (view->columns != 4 || view->component_type != TINYGLTF_COMPONENT_TYPE_FLOAT) {
        return error("skin {}: inverse bind matrices: expected MAT4 of floats, got {} of component type {}", s,
                     type_label(*view), view->component_type);
      }
      if (view->count < skin.joints.size()) {
        return error("skin {}: inverse bind matrices: expected {}, got {}", s, skin.joints.size(), view->count);
      }
      const auto values = reader.read_scalars(from.inverseBindMatrices, true);
      if (!values) {
        return values.error().in(fmt::format("skin {}: inverse bind matrices", s));
      }
      for (std::size_t k = 0; k < skin.joints.size(); ++k) {
        glm::mat4& matrix = skin.joint_from_mesh[k];
        for (int i = 0; i < 16; ++i) {
          matrix[i / 4][i % 4] = (*values)[16 * k + i];
        }
        const bool sound =
            reasonable(matrix[0]) && reasonable(matrix[1]) && reasonable(matrix[2]) && reasonable(matrix[3]);
        if (!sound && used[k] != 0) {
          return error("skin {}: inverse bind matrix {} has an element that is not finite or beyond {}", s, k,
                       kLargest);
        }
        if (!sound) {
          reader.warn(
              "inverse-bind", place,
              fmt::format("inverse bind matrix {} is not usable; no vertex follows its joint, identity is used", k));
          matrix = glm::mat4(1.0f);
          continue;
        }
        const glm::vec4 row(matrix[0][3], matrix[1][3], matrix[2][3], matrix[3][3]);
        if (glm::length(row - glm::vec4(0, 0, 0, 1)) > 1e-3f && used[k] != 0) {
          reader.warn("inverse-bind-row", place,
                      fmt::format("the last row of inverse bind matrix {} is ({}, {}, {}, {}), expected (0, 0, 0, 1), "
                                  "which is used",
                                  k, row.x, row.y, row.z, row.w));
        }
        for (int column = 0; column < 4; ++column) {
          matrix[column][3] = column == 3 ? 1.0f : 0.0f;
        }
        bool singular = false;
        affine_inverse(matrix, &singular);
        if (singular && used[k] != 0) {
          reader.warn("inverse-bind-singular", place,
                      fmt::format("inverse bind matrix {} is singular; its vertices collapse", k));
        }
      }
    }
    reader.character.skins.push_back(std::move(skin));
  }
  return {};
}

}  // namespace pelt::gltf
