#include "deform/crowd.h"

#include <algorithm>
#include <cmath>

#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/packing.hpp>

#include "core/expect.h"
#include "core/parallel.h"
#include "deform/deform.h"
#include "rig/constraints.h"
#include "rig/kinematics.h"

namespace pelt::deform {
namespace {

// Rows compared by largest_distance() times vertices, about a second of work.
constexpr std::size_t kMostPlacements = 50'000'000;

void write(const glm::mat4& m, glm::vec4* out) {
  for (int r = 0; r < 3; ++r) {
    out[r] = glm::vec4(m[0][r], m[1][r], m[2][r], m[3][r]);
  }
}

glm::mat4 matrix_at(const BakedPalettes& baked, int row, int matrix) {
  const glm::vec4* rows = &baked.texels[(static_cast<std::size_t>(row) * static_cast<std::size_t>(baked.matrices) +
                                         static_cast<std::size_t>(matrix)) *
                                        3];
  return glm::transpose(glm::mat4(rows[0], rows[1], rows[2], glm::vec4(0, 0, 0, 1)));
}

// A number in 0..1 that depends on the index alone (Weyl sequence).
float spread(int index, double step) {
  const double x = index * step;
  return static_cast<float>(x - std::floor(x));
}

}  // namespace

BakedPalettes bake_palettes(const rig::Character& character, std::span<const int> clips, float rate) {
  PELT_EXPECT(rate > 0, "a positive rate");
  BakedPalettes baked;
  for (const rig::Skin& skin : character.skins) {
    baked.skin_offset.push_back(baked.matrices);
    baked.matrices += static_cast<int>(skin.joints.size());
  }
  for (const rig::Part& part : character.parts) {
    baked.part_matrix.push_back(is_skinned(character, part) ? -1 : baked.matrices++);
  }
  for (const int c : clips) {
    BakedClip clip;
    clip.first_row = baked.rows;
    if (c >= 0) {
      clip.duration = character.clips[c].duration();
      clip.steps = static_cast<int>(std::ceil(static_cast<double>(clip.duration) * static_cast<double>(rate) - 1e-6));
    }
    baked.rows += clip.steps + 1;
    baked.clips.push_back(clip);
  }
  baked.texels.resize(static_cast<std::size_t>(baked.rows) * static_cast<std::size_t>(baked.matrices) * 3);

  const rig::Pose rest = rig::rest_pose(character);
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const BakedClip& clip = baked.clips[i];
    parallel_for(static_cast<std::size_t>(clip.steps) + 1, 8, [&](std::size_t begin, std::size_t end) {
      rig::WorldMatrices world;
      std::vector<glm::mat4> matrices;
      for (std::size_t step = begin; step < end; ++step) {
        rig::Pose pose = rest;
        if (clips[i] >= 0) {
          const rig::Clip& source = character.clips[clips[i]];
          const double share = clip.steps > 0 ? static_cast<double>(step) / clip.steps : 0.0;
          rig::apply(source, source.start + static_cast<float>(share * static_cast<double>(clip.duration)),
                     character.morph_offset, pose);
          rig::apply_constraints(character.skeleton, character.constraints, pose);
        }
        world.evaluate(character.skeleton, pose);
        glm::vec4* out = &baked.texels[(static_cast<std::size_t>(clip.first_row) + step) *
                                       static_cast<std::size_t>(baked.matrices) * 3];
        for (const rig::Skin& skin : character.skins) {
          matrices.resize(skin.joints.size());
          rig::skin_matrices(skin, world.world(), matrices);
          for (const glm::mat4& m : matrices) {
            write(m, out);
            out += 3;
          }
        }
        for (std::size_t p = 0; p < character.parts.size(); ++p) {
          if (baked.part_matrix[p] >= 0) {
            write(world[character.parts[p].joint], out);
            out += 3;
          }
        }
      }
    });
  }
  return baked;
}

BakedMoment moment_of(const BakedClip& clip, float phase) {
  if (clip.steps == 0) {
    return {clip.first_row, clip.first_row, 0};
  }
  const float within = (phase - std::floor(phase)) * static_cast<float>(clip.steps);
  const int step = std::min(static_cast<int>(within), clip.steps - 1);
  return {clip.first_row + step, clip.first_row + step + 1, within - static_cast<float>(step)};
}

void sample_palettes(const BakedPalettes& baked, int clip, float phase, std::span<glm::mat4> out) {
  PELT_EXPECT(out.size() == static_cast<std::size_t>(baked.matrices), "one matrix per column");
  const BakedMoment moment = moment_of(baked.clips[clip], phase);
  for (int m = 0; m < baked.matrices; ++m) {
    const glm::mat4 a = matrix_at(baked, moment.row0, m);
    const glm::mat4 b = matrix_at(baked, moment.row1, m);
    out[m] = a + (b - a) * moment.share;
  }
}

BakedPalettes in_half_precision(const BakedPalettes& baked) {
  BakedPalettes half = baked;
  for (glm::vec4& texel : half.texels) {
    texel = glm::unpackHalf4x16(glm::packHalf4x16(texel));
  }
  return half;
}

double largest_distance(const rig::Character& character, const BakedPalettes& a, const BakedPalettes& b) {
  PELT_EXPECT(a.rows == b.rows && a.matrices == b.matrices, "two bakes of one character");
  std::size_t vertices = 0;
  for (const rig::Part& part : character.parts) {
    vertices += character.primitive(part).vertex_count();
  }
  const std::size_t every = 1 + static_cast<std::size_t>(a.rows) * vertices / kMostPlacements;
  double largest = 0;
  std::vector<glm::mat4> difference(a.matrices);
  for (int row = 0; row < a.rows; row += static_cast<int>(every)) {
    for (int m = 0; m < a.matrices; ++m) {
      difference[m] = matrix_at(a, row, m) - matrix_at(b, row, m);
    }
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      const rig::Part& part = character.parts[p];
      const mesh::Primitive& primitive = character.primitive(part);
      const mesh::Influences& influences = primitive.influences;
      for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
        const glm::vec4 position(primitive.positions[v], 1.0f);
        glm::dvec3 sum(0.0);
        if (a.part_matrix[p] >= 0) {
          sum = glm::dvec3(difference[a.part_matrix[p]] * position);
        } else {
          const std::size_t offset = a.skin_offset[part.skin];
          const mesh::InfluenceRow follows = influences.row(v);
          for (std::size_t k = 0; k < follows.joints.size(); ++k) {
            sum +=
                glm::dvec3(difference[offset + follows.joints[k]] * position) * static_cast<double>(follows.weights[k]);
          }
        }
        largest = std::max(largest, glm::length(sum));
      }
    }
  }
  return largest;
}

std::vector<CrowdInstance> arrange_crowd(int count, int clip_count, const Bounds& bounds) {
  PELT_EXPECT(count >= 0 && clip_count >= 1, "at least one clip");
  const glm::vec3 size = bounds.empty() ? glm::vec3(1.0f) : bounds.upper - bounds.lower;
  const float spacing = 1.2f * std::max({size.x, size.z, 0.35f * size.y});
  const int columns = std::max(1, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count)))));
  std::vector<CrowdInstance> instances(count);
  for (int i = 1; i < count; ++i) {
    CrowdInstance& instance = instances[i];
    // From the front row, in which the first one stands in the middle, away from the viewer.
    const int row = i / columns;
    const int column = i % columns;
    const int side = (column + 1) / 2 * (column % 2 == 0 ? -1 : 1);
    const float turn = (spread(i, 0.7548776662466927) - 0.5f) * 0.6f;
    instance.world =
        glm::translate(glm::mat4(1.0f), glm::vec3(static_cast<float>(side), 0.0f, -static_cast<float>(row)) * spacing);
    instance.world = glm::rotate(instance.world, turn, glm::vec3(0, 1, 0));
    instance.clip = i % clip_count;
    instance.phase = spread(i, 0.6180339887498949);
    instance.tint = glm::vec3(0.75f) + 0.25f * glm::vec3(spread(i, 0.8191725133961645), spread(i, 0.6710436067037893),
                                                         spread(i, 0.5497004779019703));
  }
  return instances;
}

Bounds crowd_bounds(const rig::Character& character, int count) {
  const Bounds bounds = deform_once(character, rig::rest_pose(character), {}).bounds;
  Bounds all;
  for (const CrowdInstance& instance : arrange_crowd(count, 1, bounds)) {
    if (!bounds.empty()) {
      all.add(bounds.lower + glm::vec3(instance.world[3]));
      all.add(bounds.upper + glm::vec3(instance.world[3]));
    }
  }
  return all;
}

float phase_at(const CrowdInstance& instance, const BakedClip& clip, double time) {
  if (!(clip.duration > 0)) {
    return 0;
  }
  const double phase = static_cast<double>(instance.phase) +
                       time * static_cast<double>(instance.speed) / static_cast<double>(clip.duration);
  return static_cast<float>(phase - std::floor(phase));
}

std::vector<int> visible_instances(std::span<const CrowdInstance> instances, const glm::vec4& ball,
                                   const glm::mat4& clip_from_world) {
  // Gribb, Hartmann 2001: the planes of the view volume are sums and differences of the matrix's rows. Near and far are
  // left out: they are fitted to what is drawn.
  const glm::mat4 rows = glm::transpose(clip_from_world);
  glm::vec4 planes[4] = {rows[3] + rows[0], rows[3] - rows[0], rows[3] + rows[1], rows[3] - rows[1]};
  for (glm::vec4& plane : planes) {
    plane /= glm::length(glm::vec3(plane));
  }
  std::vector<int> visible;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const glm::vec4 center = instances[i].world * glm::vec4(glm::vec3(ball), 1.0f);
    if (std::ranges::all_of(planes, [&](const glm::vec4& plane) { return glm::dot(plane, center) >= -ball.w; })) {
      visible.push_back(static_cast<int>(i));
    }
  }
  return visible;
}

int detail_level(const CrowdInstance& instance, const glm::vec3& eye, std::span<const float> limits) {
  const float distance = glm::distance(glm::vec3(instance.world[3]), eye);
  return static_cast<int>(std::ranges::upper_bound(limits, distance) - limits.begin());
}

}  // namespace pelt::deform
