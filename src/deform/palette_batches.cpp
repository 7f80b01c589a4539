// Greedy splitting, ALGORITHMS.md §10. Elements with the same joints are always taken together, so the greedy choice is
// made among distinct joint sets, each standing for its elements under the lowest of their indices.
#include "deform/palette_batches.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/expect.h"

namespace pelt::deform {
namespace {

struct JointSet {
  std::vector<std::uint16_t> joints;    // ascending, distinct
  std::vector<std::uint32_t> elements;  // ascending
};

struct JointsHash {
  std::size_t operator()(const std::vector<std::uint16_t>& joints) const {
    std::size_t hash = 14695981039346656037ull;
    for (const std::uint16_t joint : joints) {
      hash = (hash ^ joint) * 1099511628211ull;
    }
    return hash;
  }
};

// The distinct joint sets in the order of their first elements.
std::vector<JointSet> joint_sets(std::span<const std::uint32_t> indices, std::size_t corners,
                                 const mesh::Influences& influences) {
  std::vector<JointSet> sets;
  std::unordered_map<std::vector<std::uint16_t>, std::size_t, JointsHash> set_of;
  std::vector<std::uint16_t> joints;
  for (std::size_t element = 0; element * corners < indices.size(); ++element) {
    joints.clear();
    for (std::size_t corner = 0; corner < corners; ++corner) {
      const std::uint32_t v = indices[element * corners + corner];
      const std::span<const std::uint16_t> of_vertex = influences.joints(v);
      joints.insert(joints.end(), of_vertex.begin(), of_vertex.end());
    }
    std::sort(joints.begin(), joints.end());
    joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
    const auto [found, is_new] = set_of.try_emplace(joints, sets.size());
    if (is_new) {
      sets.push_back({joints, {}});
    }
    sets[found->second].elements.push_back(static_cast<std::uint32_t>(element));
  }
  return sets;
}

// Which sets make up each batch, and each batch's joints.
struct Group {
  std::vector<std::uint16_t> palette;
  std::vector<std::uint32_t> elements;
};

std::vector<Group> greedy_groups(const std::vector<JointSet>& sets, std::size_t cap) {
  std::size_t joint_count = 0;
  for (const JointSet& set : sets) {
    for (const std::uint16_t joint : set.joints) {
      joint_count = std::max<std::size_t>(joint_count, joint + std::size_t{1});
    }
  }
  std::vector<std::vector<std::uint32_t>> sets_with(joint_count);
  for (std::uint32_t s = 0; s < sets.size(); ++s) {
    for (const std::uint16_t joint : sets[s].joints) {
      sets_with[joint].push_back(s);
    }
  }

  // Sets no joint of which is in the palette yet wait in `untouched`, the others in `touched`; both give the set that
  // brings fewest new joints, then the one of the lowest element, first. `touched` keeps outdated entries, recognised
  // by their count.
  using Choice =
      std::pair<std::size_t, std::uint32_t>;  // new joints, set; sets are in the order of their first element
  std::set<Choice> untouched;
  std::vector<std::size_t> missing(sets.size());
  for (std::uint32_t s = 0; s < sets.size(); ++s) {
    missing[s] = sets[s].joints.size();
    untouched.emplace(missing[s], s);
  }
  std::vector<char> taken(sets.size(), 0);
  std::size_t left = sets.size();

  std::vector<Group> groups;
  while (left > 0) {
    Group group;
    std::priority_queue<Choice, std::vector<Choice>, std::greater<>> touched;
    std::vector<std::uint32_t> changed;
    std::vector<char> in_palette(joint_count, 0);
    while (true) {
      while (!touched.empty() &&
             (taken[touched.top().second] != 0 || missing[touched.top().second] != touched.top().first)) {
        touched.pop();
      }
      const bool from_touched = !touched.empty() && (untouched.empty() || touched.top() < *untouched.begin());
      if (!from_touched && untouched.empty()) {
        break;
      }
      const Choice choice = from_touched ? touched.top() : *untouched.begin();
      if (group.palette.size() + choice.first > cap) {
        break;  // no other set brings fewer
      }
      const std::uint32_t chosen = choice.second;
      if (!from_touched) {
        untouched.erase(untouched.begin());
      }
      taken[chosen] = 1;
      --left;
      group.elements.insert(group.elements.end(), sets[chosen].elements.begin(), sets[chosen].elements.end());
      for (const std::uint16_t joint : sets[chosen].joints) {
        if (in_palette[joint] != 0) {
          continue;
        }
        in_palette[joint] = 1;
        group.palette.push_back(joint);
        for (const std::uint32_t s : sets_with[joint]) {
          if (taken[s] != 0) {
            continue;
          }
          if (missing[s] == sets[s].joints.size()) {
            untouched.erase({missing[s], s});
            changed.push_back(s);
          }
          --missing[s];
          touched.emplace(missing[s], s);
        }
      }
    }
    for (const std::uint32_t s : changed) {
      if (taken[s] == 0) {
        missing[s] = sets[s].joints.size();
        untouched.emplace(missing[s], s);
      }
    }
    std::sort(group.palette.begin(), group.palette.end());
    std::sort(group.elements.begin(), group.elements.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

Result<std::vector<PaletteBatch>> split_into_batches(std::span<const std::uint32_t> indices, int corners,
                                                     const mesh::Influences& influences, int cap) {
  PELT_EXPECT(corners >= 1 && corners <= 3, "points, lines or triangles");
  PELT_EXPECT(indices.size() % static_cast<std::size_t>(corners) == 0, "whole elements");
  PELT_EXPECT(cap >= 0, "a number of joints");
  const std::size_t corner_count = corners;
  const std::size_t element_count = indices.size() / corner_count;
  const std::size_t vertex_count = influences.vertex_count();
  if (element_count == 0) {
    return std::vector<PaletteBatch>();
  }

  // All joints in one palette is the common case and needs no look at single elements.
  std::vector<char> vertex_used(vertex_count, 0);
  for (const std::uint32_t v : indices) {
    PELT_EXPECT(v < vertex_count, "one influence row per vertex");
    vertex_used[v] = 1;
  }
  std::vector<char> joint_used;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    if (vertex_used[v] == 0) {
      continue;
    }
    for (const std::uint16_t joint : influences.joints(v)) {
      if (joint >= joint_used.size()) {
        joint_used.resize(joint + std::size_t{1}, 0);
      }
      joint_used[joint] = 1;
    }
  }
  const std::size_t used_joints = std::count(joint_used.begin(), joint_used.end(), 1);

  std::vector<Group> groups;
  if (cap == 0 || used_joints <= static_cast<std::size_t>(cap)) {
    Group all;
    for (std::size_t joint = 0; joint < joint_used.size(); ++joint) {
      if (joint_used[joint] != 0) {
        all.palette.push_back(static_cast<std::uint16_t>(joint));
      }
    }
    all.elements.resize(element_count);
    std::iota(all.elements.begin(), all.elements.end(), 0u);
    groups.push_back(std::move(all));
  } else {
    const std::vector<JointSet> sets = joint_sets(indices, corner_count, influences);
    const JointSet* widest = &sets.front();
    for (const JointSet& set : sets) {
      if (set.joints.size() > widest->joints.size()) {
        widest = &set;
      }
    }
    if (widest->joints.size() > static_cast<std::size_t>(cap)) {
      return error("element {} needs {} joints, but a palette holds {}: the smallest palette that would do has {}",
                   widest->elements.front(), widest->joints.size(), cap, widest->joints.size());
    }
    groups = greedy_groups(sets, static_cast<std::size_t>(cap));
  }

  std::vector<PaletteBatch> batches(groups.size());
  std::vector<std::uint32_t> batch_vertex(vertex_count, UINT32_MAX);
  for (std::size_t b = 0; b < groups.size(); ++b) {
    PaletteBatch& batch = batches[b];
    batch.palette = std::move(groups[b].palette);
    batch.elements = std::move(groups[b].elements);
    for (const std::uint32_t element : batch.elements) {
      for (std::size_t corner = 0; corner < corner_count; ++corner) {
        const std::uint32_t v = indices[element * corner_count + corner];
        if (batch_vertex[v] == UINT32_MAX) {
          batch_vertex[v] = 0;
          batch.vertices.push_back(v);
        }
      }
    }
    // In the order of the source, so a mesh of one batch keeps its order.
    std::sort(batch.vertices.begin(), batch.vertices.end());
    for (std::uint32_t i = 0; i < batch.vertices.size(); ++i) {
      batch_vertex[batch.vertices[i]] = i;
    }
    batch.indices.reserve(batch.elements.size() * corner_count);
    for (const std::uint32_t element : batch.elements) {
      for (std::size_t corner = 0; corner < corner_count; ++corner) {
        batch.indices.push_back(batch_vertex[indices[element * corner_count + corner]]);
      }
    }
    for (const std::uint32_t v : batch.vertices) {
      batch_vertex[v] = UINT32_MAX;
    }
  }
  return batches;
}

}  // namespace pelt::deform
