#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/kernel_benchmark.h"
#include "core/result.h"
#include "edit/document.h"

namespace pelt::cli {

/// One line of `pelt bench`.
struct BenchRow {
  std::string path;  ///< "lbs:cpu"
  int runs = 0;
  double milliseconds = 0;  ///< median of one whole character
  double vertices_per_second = 0;
};

/// @param times  seconds of each run, at least one; reordered
BenchRow bench_row(std::string path, std::size_t vertices, std::vector<double>& times);

/// The joint that most of the skin follows, itself or by those below: turning it leaves hardly anything as it was.
int busiest_joint(const rig::Character& character);

/// Another library's kernel, loaded at run time.
struct Peer {
  std::shared_ptr<void> library;
  PeerSkin skin = nullptr;                    ///< null: there is no peer
  PeerLocalToWorld local_to_world = nullptr;  ///< null: it has none
  std::string name;
};

Result<Peer> load_peer(const std::string& path);

/// A frame of the CPU path: world matrices, palette, two morph targets where there are some, linear blend skinning of
/// positions and normals, parts without a skin placed as if by one joint; and its first two steps alone, morphing by
/// the plain loop as well. Given a peer, the same with its kernel in turn, all on one thread since peers have no more;
/// the peer gets our matrices and a morphed shape that is kept as ours is.
/// @param vertices  of the whole character
/// @param threads   limit that is set afterwards
Result<std::vector<BenchRow>> measure_frames(const edit::Document& document, std::size_t vertices, double seconds,
                                             int threads, const Peer& peer);

}  // namespace pelt::cli
