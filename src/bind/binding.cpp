#include "bind/binding.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/text.h"

namespace pelt::bind {

double Rows::weight(std::size_t w, std::size_t bone) const {
  for (const Share& share : (*this)[w]) {
    if (share.bone == bone) {
      return share.weight;
    }
  }
  return 0;
}

std::size_t Rows::strongest(std::size_t w) const {
  const std::span<const Share> row = (*this)[w];
  return std::ranges::max_element(row, {}, &Share::weight)->bone;
}

void Rows::push(std::span<const Share> shares) {
  const std::size_t begin = shares_.size();
  for (const Share& share : shares) {
    if (std::isfinite(share.weight) && share.weight > 0) {
      shares_.push_back(share);
    }
  }
  const auto row = shares_.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(row, shares_.end(), [](const Share& a, const Share& b) { return a.bone < b.bone; });
  auto last = row;
  double sum = 0;
  for (auto it = row; it != shares_.end(); ++it) {
    sum += it->weight;
    if (last != row && (last - 1)->bone == it->bone) {
      (last - 1)->weight += it->weight;
    } else {
      *last++ = *it;
    }
  }
  shares_.erase(last, shares_.end());
  for (std::size_t k = begin; k < shares_.size(); ++k) {
    shares_[k].weight /= sum;
  }
  offset_.push_back(shares_.size());
}

void Rows::reserve(std::size_t rows, std::size_t shares) {
  offset_.reserve(rows + 1);
  shares_.reserve(shares);
}

void Rows::append(const Rows& from, std::size_t begin, std::size_t end) {
  const std::size_t before = shares_.size();
  const std::size_t first = from.offset_[begin];
  shares_.insert(shares_.end(), from.shares_.begin() + static_cast<std::ptrdiff_t>(first),
                 from.shares_.begin() + static_cast<std::ptrdiff_t>(from.offset_[end]));
  for (std::size_t w = begin; w < end; ++w) {
    offset_.push_back(before + from.offset_[w + 1] - first);
  }
}

namespace {

void push_limited(std::span<const Share> from, int limit, double threshold, std::vector<Share>& row, Rows& out) {
  row.assign(from.begin(), from.end());
  std::ranges::stable_sort(row, std::ranges::greater{}, &Share::weight);
  if (limit > 0 && row.size() > static_cast<std::size_t>(limit)) {
    row.resize(static_cast<std::size_t>(limit));
  }
  while (row.size() > 1 && row.back().weight < threshold) {
    row.pop_back();
  }
  out.push(row);
}

}  // namespace

Rows limited(const Rows& rows, int limit, double threshold) {
  Rows out;
  std::vector<Share> row;
  if (limit <= 0 && threshold <= 0) {
    return rows;
  }
  for (std::size_t w = 0; w < rows.size(); ++w) {
    push_limited(rows[w], limit, threshold, row, out);
  }
  return out;
}

Rows limited(const Rows& rows, std::span<const std::uint32_t> places, int limit, double threshold) {
  Rows out;
  std::vector<Share> row;
  for (const std::uint32_t w : places) {
    if (limit <= 0 && threshold <= 0) {
      out.append(rows, w, w + 1);
    } else {
      push_limited(rows[w], limit, threshold, row, out);
    }
  }
  return out;
}

namespace {

std::string_view done_instead(Cause cause) {
  switch (cause) {
    case Cause::kSolved:
      return "";
    case Cause::kNearest:
      return ": bound to the nearest bone instead";
    case Cause::kGeodesic:
      return ": bound by ways within the volume instead";
    case Cause::kRigid:
      return ": moves rigidly";
    case Cause::kBody:
      return ": follows the surface below";
    case Cause::kProxy:
      return ": takes its weights from a coarser surface";
  }
  return "";
}

std::string places(std::size_t count) {
  return counted(count, "vertex", "vertices");
}

// @param island  what the sentence calls the island or islands
std::string sentence_about(const Remark& remark, std::span<const std::string> names, const std::string& island) {
  const std::string bone =
      remark.bone >= 0 && static_cast<std::size_t>(remark.bone) < names.size() ? names[remark.bone] : "a bone";
  const bool several = remark.islands > 0;
  const std::string_view instead = done_instead(remark.instead);
  switch (remark.kind) {
    case RemarkKind::kVolumeOpen:
      return "the volume of " + bone + ": " + remark.text;
    case RemarkKind::kMeshLeftOut:
      return remark.text + ": it stays as it is";
    case RemarkKind::kSkeletonShifted:
      return fmt::format("the skeleton lies beside its surface and was moved by {:.3g} for as long as it was bound",
                         remark.amount);
    case RemarkKind::kIslandSeesNoBone:
      return several ? fmt::format("{} see no bone{}", island, instead)
                     : fmt::format("{} sees no bone{}", island, instead);
    case RemarkKind::kIslandRigid:
      return several ? fmt::format("{} are small and move rigidly", island)
                     : fmt::format("{} is small and moves rigidly with {}", island, bone);
    case RemarkKind::kIslandFromBody:
      return fmt::format("{} {} weights from the surface below", island, several ? "take their" : "takes its");
    case RemarkKind::kBoneUnused:
      return fmt::format("no vertex follows {}", bone);
    case RemarkKind::kBoneOutside:
      return fmt::format("{} lies outside of the volume, by {:.3g}{}", bone, remark.amount, instead);
    case RemarkKind::kBoneWithoutLength:
      return fmt::format("{} has no length", bone);
    case RemarkKind::kGapCloses:
      return fmt::format("{} comes so near to island {} that the gap closes at voxels of {:.3g}", island, remark.other,
                         remark.amount);
    case RemarkKind::kCoarseSurface:
      return fmt::format("{} were solved on a coarser surface of {:.0f} vertices", places(remark.places),
                         remark.amount);
    case RemarkKind::kCoarseVolume:
      return fmt::format("the volume was solved at {:.0f} voxels along its longest side, since it has too many cubes",
                         remark.amount);
    case RemarkKind::kInsideOut:
      return fmt::format("the faces of {} point inwards", island);
    case RemarkKind::kNegative:
      return fmt::format("{} had weights below 0 (down to {:.2g}), which were cut off", places(remark.places),
                         remark.amount);
    case RemarkKind::kFallback:
      return fmt::format("{} could not be bound as asked{}", places(remark.places), instead);
  }
  return "";
}

}  // namespace

std::string sentence(const Remark& remark, std::span<const std::string> names) {
  const std::string island = remark.islands == 0 ? fmt::format("island {} ({})", remark.island, places(remark.places))
                             : remark.islands == 1
                                 ? fmt::format("1 more island ({})", places(remark.places))
                                 : fmt::format("{} more islands ({})", remark.islands, places(remark.places));
  return sentence_about(remark, names, island);
}

std::size_t end_of_run(std::span<const Remark> remarks, std::size_t first) {
  constexpr std::size_t kReadOneByOne = 3;
  const RemarkKind kind = remarks[first].kind;
  if (kind != RemarkKind::kIslandSeesNoBone && kind != RemarkKind::kIslandRigid &&
      kind != RemarkKind::kIslandFromBody && kind != RemarkKind::kInsideOut) {
    return first + 1;
  }
  std::size_t end = first + 1;
  while (end < remarks.size() && remarks[end].kind == kind) {
    ++end;
  }
  const bool begins = first == 0 || remarks[first - 1].kind != kind;
  return begins && end - first > kReadOneByOne ? end : first + 1;
}

std::string sentence_of_run(std::span<const Remark> run) {
  PELT_EXPECT(run.size() > 1, "one remark is said by sentence()");
  Remark all{.kind = run.front().kind, .instead = run.front().instead};
  for (const Remark& remark : run) {
    all.instead = remark.islands > 0 || remark.instead == all.instead ? all.instead : Cause::kSolved;
    all.places += remark.places;
    all.islands += std::max<std::size_t>(remark.islands, 1);
  }
  return sentence_about(all, {}, fmt::format("{} islands ({})", all.islands, places(all.places)));
}

void remark_on_unreached(const Problem& problem, Binding& binding) {
  std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> unreached;  // the first place and how many, by island
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    if (binding.cause[w] == Cause::kNearest) {
      ++unreached.try_emplace(problem.island[w], w, 0).first->second.second;
    }
  }
  for (const auto& [island, places] : unreached) {
    binding.remarks.push_back({.kind = RemarkKind::kIslandSeesNoBone,
                               .island = static_cast<int>(island),
                               .places = places.second,
                               .where = problem.positions[places.first],
                               .instead = Cause::kNearest});
  }
}

void remark_on_bones(const Problem& problem, Binding& binding) {
  std::vector<char> used(problem.bone_count(), 0);
  for (std::size_t w = 0; w < binding.rows.size(); ++w) {
    for (const Share& share : binding.rows[w]) {
      used[share.bone] = 1;
    }
  }
  for (std::size_t b = 0; b < problem.bone_count(); ++b) {
    const Bone& bone = problem.bones[b];
    if (std::ranges::all_of(bone.tails, [&](const glm::dvec3& tail) { return tail == bone.head; })) {
      binding.remarks.push_back(
          {.kind = RemarkKind::kBoneWithoutLength, .bone = static_cast<int>(b), .where = bone.head});
    }
    if (used[b] == 0) {
      binding.remarks.push_back({.kind = RemarkKind::kBoneUnused, .bone = static_cast<int>(b), .where = bone.head});
    }
  }
}

}  // namespace pelt::bind
