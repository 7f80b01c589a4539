#include "deform/followed_joints.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "core/expect.h"

namespace pelt::deform {
namespace {

void add(std::span<const std::uint16_t> joints, std::vector<std::uint32_t>& entries) {
  for (const std::uint16_t joint : joints) {
    if (joint >= entries.size()) {
      entries.resize(std::size_t{joint} + 1, 0);
    }
    ++entries[joint];
  }
}

// What two arrays do not have in common at their ends: the entries of rows that changed, and those between them.
std::pair<std::span<const std::uint16_t>, std::span<const std::uint16_t>> middles(std::span<const std::uint16_t> a,
                                                                                  std::span<const std::uint16_t> b) {
  const std::size_t first = std::ranges::mismatch(a, b).in1 - a.begin();
  a = a.subspan(first);
  b = b.subspan(first);
  std::size_t last = 0;
  while (last < std::min(a.size(), b.size()) && a[a.size() - 1 - last] == b[b.size() - 1 - last]) {
    ++last;
  }
  return {a.first(a.size() - last), b.first(b.size() - last)};
}

}  // namespace

void FollowedJoints::follow(const SharedList<mesh::Mesh>& meshes) {
  meshes_.resize(meshes.size());
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    meshes_[m].resize(meshes[m].primitives.size());
    for (std::size_t p = 0; p < meshes_[m].size(); ++p) {
      follow_rows(meshes[m].primitives[p].influences, meshes_[m][p]);
    }
  }
}

void FollowedJoints::follow_rows(const Shared<mesh::Influences>& now, Counts& counts) {
  if (counts.rows.is(now)) {
    return;
  }
  if (counts.rows->vertex_count() != now->vertex_count()) {
    counts = {};
  }
  const mesh::Influences& before = *counts.rows;
  mesh::for_changed_blocks(before, *now, [&](std::size_t b, std::size_t, std::size_t) {
    ++blocks_read_;
    if (b >= before.block_count()) {
      add(now->block(b).joint, counts.entries);
      return;
    }
    const auto [gone, come] = middles(before.block(b).joint, now->block(b).joint);
    for (const std::uint16_t joint : gone) {
      --counts.entries[joint];
    }
    add(come, counts.entries);
  });
  counts.rows = now;
}

std::vector<std::vector<char>> FollowedJoints::of_skins(const rig::Character& character) const {
  std::vector<std::vector<char>> follows;
  for (const rig::Skin& skin : character.skins) {
    follows.emplace_back(skin.joints.size(), 0);
  }
  std::set<std::pair<int, int>> seen;  // skin and mesh, which many nodes may show
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.skin < 0 || node.mesh < 0 || !seen.emplace(node.skin, node.mesh).second) {
      continue;
    }
    std::vector<char>& of_skin = follows[node.skin];
    for (const Counts& counts : meshes_[node.mesh]) {
      for (std::size_t joint = 0; joint < counts.entries.size(); ++joint) {
        PELT_EXPECT(joint < of_skin.size() || counts.entries[joint] == 0, "influences name joints of the skin");
        if (counts.entries[joint] != 0) {
          of_skin[joint] = 1;
        }
      }
    }
  }
  return follows;
}

}  // namespace pelt::deform
