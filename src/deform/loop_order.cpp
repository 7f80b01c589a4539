#include "deform/loop_order.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "deform/deform.h"
#include "deform/skin_lbs.h"

namespace pelt::deform {
namespace {

constexpr std::size_t kLeastRounds = 3;

struct LoopSubject {
  const mesh::Primitive* primitive = nullptr;
  std::vector<glm::mat4> matrices;
  JointVertices joints;
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
};

std::vector<LoopSubject> skinned_subjects(const rig::Character& character, std::span<const glm::mat4> world) {
  std::vector<LoopSubject> out;
  for (const rig::Part& part : character.parts) {
    if (!is_skinned(character, part)) {
      continue;
    }
    const rig::Skin& skin = character.skins[part.skin];
    LoopSubject subject;
    subject.primitive = &character.primitive(part);
    subject.matrices.resize(skin.joints.size());
    rig::skin_matrices(skin, world, subject.matrices);
    subject.joints = make_joint_vertices(subject.primitive->influences, skin.joints.size());
    subject.positions.resize(subject.primitive->positions.size());
    subject.normals.resize(subject.primitive->normals.size());
    out.push_back(std::move(subject));
  }
  return out;
}

void skin_subject(LoopSubject& subject, bool by_vertex) {
  SkinInput input;
  input.positions = subject.primitive->positions;
  input.normals = subject.primitive->normals;
  input.influences = &*subject.primitive->influences;
  input.skin_matrices = subject.matrices;
  input.normal_variant = NormalVariant::kBlend;
  if (by_vertex) {
    skin_lbs(input, {subject.positions, subject.normals, {}}, 0, subject.positions.size());
  } else {
    skin_lbs_bone_major(input, subject.joints, subject.positions, subject.normals);
  }
}

double median_time(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

std::optional<LoopOrder> measure_loop_order(const rig::Character& character, std::span<const glm::mat4> world,
                                            double seconds) {
  using Clock = std::chrono::steady_clock;
  std::vector<LoopSubject> subjects = skinned_subjects(character, world);
  std::size_t vertices = 0;
  for (const LoopSubject& subject : subjects) {
    vertices += subject.positions.size();
  }
  if (vertices == 0) {
    return std::nullopt;
  }
  std::vector<double> by_vertex;
  std::vector<double> by_joint;
  const Clock::time_point begin = Clock::now();
  const auto once = [&](bool vertex_major) {
    const Clock::time_point start = Clock::now();
    for (LoopSubject& subject : subjects) {
      skin_subject(subject, vertex_major);
    }
    const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
    return spent.count() / static_cast<double>(vertices);
  };
  once(true);  // memory is touched for the first time
  do {
    by_vertex.push_back(once(true));
    by_joint.push_back(once(false));
  } while (by_vertex.size() < kLeastRounds || std::chrono::duration<double>(Clock::now() - begin).count() < seconds);
  return LoopOrder{median_time(std::move(by_vertex)), median_time(std::move(by_joint))};
}

}  // namespace pelt::deform
