#include "deform/skinning_methods.h"

#include "core/expect.h"
#include "core/parallel.h"
#include "deform/delta_mush.h"
#include "deform/direct_delta_mush.h"
#include "deform/dual_quaternion_row.h"
#include "deform/skin_cor.h"
#include "deform/skin_dqs.h"
#include "deform/skin_dqs_exact.h"
#include "deform/skin_lbs.h"
#include "deform/skin_lbs_dqs.h"
#include "deform/skin_rigid.h"

namespace pelt::deform {
namespace {

// Fixed, so that chunk borders never depend on the machine; large enough to hide the cost of handing out a chunk.
constexpr std::size_t kPlainPerChunk = 2048;

/// Affine matrices as their first three rows.
void pack_affine_3x4(const SkinBinding& /*binding*/, std::span<const glm::mat4> skin_matrices,
                     std::span<glm::vec4> out) {
  PELT_EXPECT(out.size() == 3 * skin_matrices.size(), "three vec4 per joint");
  for (std::size_t j = 0; j < skin_matrices.size(); ++j) {
    const glm::mat4& m = skin_matrices[j];
    for (int r = 0; r < 3; ++r) {
      out[3 * j + static_cast<std::size_t>(r)] = glm::vec4(m[0][r], m[1][r], m[2][r], m[3][r]);
    }
  }
}

constexpr MethodParameter kMushParameters[] = {
    {.id = "iterations",
     .label = "Iterations",
     .help = "Smoothing steps; 0 leaves the linear blend.",
     .kind = MethodParameter::Kind::kInteger,
     .minimum = 0,
     .maximum = 100,
     .get = [](const MethodParameters& p) { return static_cast<float>(p.mush_iterations); },
     .set = [](MethodParameters& p, float value) { p.mush_iterations = static_cast<int>(value); },
     .prepares = true},
    {.id = "lambda",
     .label = "Lambda",
     .help = "How far each step moves a vertex towards the mean of its neighbours.",
     .kind = MethodParameter::Kind::kReal,
     .minimum = 0,
     .maximum = 1,
     .get = [](const MethodParameters& p) { return p.mush_lambda; },
     .set = [](MethodParameters& p, float value) { p.mush_lambda = value; },
     .prepares = true},
    {.id = "deltas",
     .label = "Deltas",
     .help = "Put back the detail that smoothing took away.",
     .kind = MethodParameter::Kind::kSwitch,
     .minimum = 0,
     .maximum = 1,
     .get = [](const MethodParameters& p) { return p.mush_deltas ? 1.0f : 0.0f; },
     .set = [](MethodParameters& p, float value) { p.mush_deltas = value != 0; }},
};
constexpr MethodParameter kAntipodality = {
    .id = "antipodality",
    .label = "Shortest way",
    .help =
        "Of the two quaternions of each rotation takes the one nearer to the heaviest joint's; off shows the artefact.",
    .kind = MethodParameter::Kind::kSwitch,
    .minimum = 0.0f,
    .maximum = 1.0f,
    .get = [](const MethodParameters& p) { return p.antipodality ? 1.0f : 0.0f; },
    .set = [](MethodParameters& p, float value) { p.antipodality = value > 0.5f; }};
constexpr MethodParameter kDualQuaternionShare = {
    .id = "share",
    .label = "Dual quaternion share",
    .help = "0 is all linear, 1 all dual quaternion.",
    .kind = MethodParameter::Kind::kReal,
    .minimum = 0.0f,
    .maximum = 1.0f,
    .get = [](const MethodParameters& p) { return p.dual_quaternion_share; },
    .set = [](MethodParameters& p, float value) { p.dual_quaternion_share = value; }};
constexpr MethodParameter kCenterSigma = {
    .id = "sigma",
    .label = "Similarity width",
    .help = "How unlike weights may be for a part of the surface to count for a vertex's centre.",
    .kind = MethodParameter::Kind::kReal,
    .minimum = 0.01f,
    .maximum = 1.0f,
    .get = [](const MethodParameters& p) { return p.center_sigma; },
    .set = [](MethodParameters& p, float value) { p.center_sigma = value; },
    .prepares = true};
constexpr std::array kCorParameters = {kCenterSigma, kAntipodality};
constexpr std::array kDqsParameters = {kAntipodality};
constexpr std::array kLbsDqsParameters = {kDualQuaternionShare, kAntipodality};

glm::vec4 dual_quat_uniform(const MethodParameters& p) {
  return {p.antipodality ? 1.0f : 0.0f, p.dual_quaternion_share, 0.0f, 0.0f};
}

// Under methods that blend rotations there is no sum over the joints' own normals, as b and c are.
constexpr NormalVariants kDualQuatNormals =
    one_of(NormalVariant::kBlend) | one_of(NormalVariant::kInverseTransposeOfBlend) |
    one_of(NormalVariant::kLargestWeight) | one_of(NormalVariant::kExact) | one_of(NormalVariant::kRecomputed) |
    one_of(NormalVariant::kFastRenormalised);

constexpr MethodParameter kDirectParameters[] = {
    {.id = "iterations",
     .label = "Iterations",
     .help = "How often what follows each joint is smoothed.",
     .kind = MethodParameter::Kind::kInteger,
     .minimum = 0,
     .maximum = 50,
     .get = [](const MethodParameters& p) { return static_cast<float>(p.direct_iterations); },
     .set = [](MethodParameters& p, float value) { p.direct_iterations = static_cast<int>(value); },
     .prepares = true},
    {.id = "lambda",
     .label = "Lambda",
     .help = "How much each iteration smooths.",
     .kind = MethodParameter::Kind::kReal,
     .minimum = 0.1f,
     .maximum = 10,
     .get = [](const MethodParameters& p) { return p.direct_lambda; },
     .set = [](MethodParameters& p, float value) { p.direct_lambda = value; },
     .prepares = true},
    {.id = "kappa",
     .label = "Kappa",
     .help = "The same for the weights that places follow; always below lambda.",
     .kind = MethodParameter::Kind::kReal,
     .minimum = 0,
     .maximum = 10,
     .get = [](const MethodParameters& p) { return p.direct_kappa; },
     .set = [](MethodParameters& p, float value) { p.direct_kappa = value; },
     .prepares = true},
    {.id = "alpha",
     .label = "Alpha",
     .help = "0 smooths most; towards 1 places follow the weights that kappa smooths.",
     .kind = MethodParameter::Kind::kReal,
     .minimum = 0,
     .maximum = 1,
     .get = [](const MethodParameters& p) { return p.direct_alpha; },
     .set = [](MethodParameters& p, float value) { p.direct_alpha = value; }},
};

glm::vec4 direct_uniform(const MethodParameters& p) {
  return {p.direct_alpha, 0.0f, 0.0f, 0.0f};
}

constexpr std::array kMethods = {
    SkinningMethod{.id = "rigid",
                   .label = "Rigid",
                   .help = "Each vertex follows its strongest joint alone.",
                   .shader = "skinning/rigid.glsl",
                   .vec4s_per_joint = 3,
                   .laws = Law::kAll,
                   .skin = skin_rigid,
                   .pack = pack_affine_3x4,
                   .fast = FastMethod::kHeaviest,
                   .normals = kAllNormalVariants & ~one_of(NormalVariant::kExact)},
    SkinningMethod{.id = "lbs",
                   .label = "Linear blend",
                   .help = "Joint matrices are averaged by weight: fast, but bends and twists lose volume.",
                   .shader = "skinning/lbs.glsl",
                   .vec4s_per_joint = 3,
                   .laws = Law::kAll,
                   .skin = skin_lbs,
                   .pack = pack_affine_3x4,
                   .fast = FastMethod::kLinear},
    SkinningMethod{
        .id = "lbs-sum",
        .label = "Linear blend, sum of points",
        .help = "The same as a weighted sum of where each joint takes the point: one more product per joint.",
        .shader = "skinning/lbs_sum.glsl",
        .vec4s_per_joint = 3,
        .laws = Law::kAll,
        .skin = skin_lbs_sum_of_points,
        .pack = pack_affine_3x4},
    SkinningMethod{.id = "dqs",
                   .label = "Dual quaternion",
                   .help = "Rotations are averaged as dual quaternions: twists keep their volume, bends bulge.",
                   .shader = "skinning/dqs.glsl",
                   .vec4s_per_joint = static_cast<int>(kDualQuatVec4s),
                   .laws = Law::kAll,
                   .skin = skin_dqs,
                   .pack = pack_dual_quats,
                   .reads_palette = true,
                   .fast = FastMethod::kDualQuaternion,
                   .normals = kDualQuatNormals,
                   .parameters = kDqsParameters,
                   .shader_parameters = dual_quat_uniform},
    SkinningMethod{.id = "dqs-exact",
                   .label = "Dual quaternion, exact",
                   .help = "Dual quaternions are averaged by iteration: joints take over at constant speed.",
                   .shader = "skinning/dqs_exact.glsl",
                   .vec4s_per_joint = static_cast<int>(kDualQuatVec4s),
                   .laws = Law::kAll,
                   .skin = skin_dqs_exact,
                   .pack = pack_dual_quats,
                   .reads_palette = true,
                   .normals = kDualQuatNormals,
                   .parameters = kDqsParameters,
                   .shader_parameters = dual_quat_uniform},
    SkinningMethod{.id = "lbs-dqs",
                   .label = "Linear and dual quaternion",
                   .help = "A mix of the two by a slider: less collapse than the one, less bulge than the other.",
                   .shader = "skinning/lbs_dqs.glsl",
                   .vec4s_per_joint = static_cast<int>(kDualQuatVec4s),
                   .laws = Law::kAll,
                   .skin = skin_lbs_dqs,
                   .pack = pack_dual_quats,
                   .reads_palette = true,
                   .normals = kDualQuatNormals,
                   .parameters = kLbsDqsParameters,
                   .shader_parameters = dual_quat_uniform},
    SkinningMethod{
        .id = "cor",
        .label = "Centres of rotation",
        .help = "Each vertex turns about a centre found in the mesh: twists keep their volume, bends bulge less.",
        .shader = "skinning/cor.glsl",
        .vec4s_per_joint = static_cast<int>(kDualQuatVec4s),
        .laws = Law::kAll,
        .skin = skin_cor,
        .pack = pack_dual_quats,
        .reads_palette = true,
        .normals = kDualQuatNormals,
        .vec4s_per_vertex = 1,
        .prepare = prepare_cor,
        .has_centers = true,
        .parameters = kCorParameters,
        .shader_parameters = dual_quat_uniform},
    SkinningMethod{.id = "delta-mush",
                   .label = "Delta mush",
                   .help = "The linear blend is smoothed and its detail put back: soft even with weights of 0 and 1.",
                   .shader = "",
                   .vec4s_per_joint = 3,
                   .laws = without(without(Law::kAll, Law::kOneHotIsRigid), Law::kCpuEqualsGpu),
                   .skin = skin_lbs,
                   .pack = pack_affine_3x4,
                   .normals = one_of(NormalVariant::kRecomputed),
                   .default_normals = NormalVariant::kRecomputed,
                   .prepare = prepare_delta_mush,
                   .finish = finish_delta_mush,
                   .smooths = "lbs",
                   .parameters = kMushParameters},
    SkinningMethod{
        .id = "ddm",
        .label = "Direct delta mush",
        .help = "Delta mush without neighbours at run time: smoothed rotations from what follows each joint.",
        .shader = "skinning/ddm.glsl",
        .vec4s_per_joint = 5,
        .laws = without(Law::kAll, Law::kOneHotIsRigid),
        .skin = skin_direct_delta_mush,
        .pack = pack_direct_delta_mush,
        .reads_palette = true,
        .normals = one_of(NormalVariant::kInverseTransposeOfBlend) | one_of(NormalVariant::kRecomputed),
        .vec4s_per_vertex = 1,
        .vec4s_per_row = 3,
        .prepare = prepare_direct_delta_mush,
        .parameters = kDirectParameters,
        .shader_parameters = direct_uniform},
};

}  // namespace

std::span<const SkinningMethod> skinning_methods() {
  return kMethods;
}

int find_method(std::string_view id) {
  for (std::size_t m = 0; m < kMethods.size(); ++m) {
    if (kMethods[m].id == id) {
      return static_cast<int>(m);
    }
  }
  return -1;
}

MethodParameters preparing_parameters(const SkinningMethod& method, const MethodParameters& parameters) {
  MethodParameters out;
  for (const MethodParameter& parameter : method.parameters) {
    if (parameter.prepares) {
      parameter.set(out, parameter.get(parameters));
    }
  }
  return out;
}

void pack_palette(const SkinningMethod& method, const SkinBinding& binding, std::span<const glm::mat4> skin_matrices,
                  std::vector<glm::vec4>& out) {
  PELT_EXPECT(skin_matrices.size() == binding.joint_count(), "the matrices of this skin");
  out.resize(skin_matrices.size() * static_cast<std::size_t>(method.vec4s_per_joint));
  method.pack(binding, skin_matrices, out);
}

void skin_all(const SkinningMethod& method, const SkinInput& input, const SkinOutput& output) {
  const std::size_t vertex_count = input.positions.size();
  PELT_EXPECT(input.influences->vertex_count() == vertex_count, "one influence row per vertex");
  PELT_EXPECT(input.normals.empty() || input.normals.size() == vertex_count, "one normal per vertex or none");
  PELT_EXPECT(input.tangents.empty() || input.tangents.size() == vertex_count, "one tangent per vertex or none");
  PELT_EXPECT(output.positions.size() == vertex_count, "one output position per vertex");
  PELT_EXPECT(output.normals.size() == input.normals.size(), "as many normals out as in");
  PELT_EXPECT(output.tangents.size() == input.tangents.size(), "as many tangents out as in");
  PELT_EXPECT((method.prepare != nullptr) == (input.prepared != nullptr), "what the method's prepare function made");
  PELT_EXPECT(!method.reads_palette ||
                  input.palette.size() == input.skin_matrices.size() * static_cast<std::size_t>(method.vec4s_per_joint),
              "a packed palette for a method that reads it");
  PELT_EXPECT(input.normal_variant != NormalVariant::kExact || input.weight_gradients != nullptr,
              "weight gradients for exact normals");
  parallel_for(vertex_count, kPlainPerChunk,
               [&](std::size_t begin, std::size_t end) { method.skin(input, output, begin, end); });
}

}  // namespace pelt::deform
