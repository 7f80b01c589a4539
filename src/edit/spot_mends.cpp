#include "edit/spot_mends.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/text.h"
#include "edit/paint_edits.h"
#include "edit/spot_area.h"
#include "edit/spot_labels.h"
#include "edit/weight_area.h"
#include "edit/weight_edits.h"
#include "edit/weight_repairs.h"
#include "mesh/weight_rows.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

constexpr int kSmoothingPasses = 4;    // each reaches one ring further
constexpr double kMendedShare = 0.95;  // of its badness is left of a place that counts as mended, at most
constexpr std::array kStrengths = {1.0f, 0.5f, 0.25f};
constexpr double kNoticedGrowth = 0.05;  // of badness
constexpr double kNoticedShare = 0.1;    // of what it was

constexpr std::array kMends = {
    SpotMend{.id = "smooth",
             .label = "Smooth",
             .help = "Brings the weights there nearer to those round them",
             .nothing = "the weights there are as even as those round them, or locked"},
    SpotMend{.id = "relax",
             .label = "Relax",
             .help = "Finds weights of the joints there with which the skin stretches and shortens least in all poses "
                     "that turn these joints; the skin round it holds its rim",
             .nothing = "the joints of these vertices cannot put them anywhere better, or are locked"},
    SpotMend{.id = "rebind",
             .label = "Re-bind",
             .help = "Makes the weights there anew by the binder of the tab Bind",
             .nothing = "the binder makes the weights that are there, or they are locked"},
    SpotMend{
        .id = "pull",
        .label = "Pull",
        .help = "Pulls the vertex to where its neighbours have it as it was bound, and those round it with it, "
                "by their weights",
        .nothing = "the vertex lies among its neighbours already, or its joints cannot take it there in this pose"},
};

std::vector<std::uint32_t> vertices_of(const SpotArea& area) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t w : area.places) {
    out.push_back(area.surface->copies(w).front());
  }
  return out;
}

SmoothWeights smoothing_of(const Document& document, const SpotArea& area) {
  SmoothWeights change;
  change.mesh = area.mesh;
  change.vertices = vertices_of(area);
  change.strengths = area.amounts;
  change.iterations = kSmoothingPasses;
  change.locked.assign(document.content.locked_joints.begin(), document.content.locked_joints.end());
  change.surface = area.surface;
  return change;
}

// All copies of each place.
std::vector<std::uint32_t> all_vertices_of(const SpotArea& area) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t w : area.places) {
    const auto copies = area.surface->copies(w);
    out.insert(out.end(), copies.begin(), copies.end());
  }
  return out;
}

// Joints that have some of these below them, or are one of them, and others not: any other joint turns the area as a
// whole, or not at all.
std::set<int> turning_joints(const rig::Skeleton& skeleton, const std::set<int>& followed) {
  std::map<int, std::size_t> below;  // how many of them
  for (const int joint : followed) {
    for (int at = joint; at >= 0; at = skeleton.parent[at]) {
      ++below[at];
    }
  }
  std::set<int> out;
  for (const auto& [joint, count] : below) {
    if (count < followed.size()) {
      out.insert(joint);
    }
  }
  return out;
}

std::set<int> followed_joints(const rig::Character& character, const SpotArea& area) {
  const rig::Skin& skin = character.skins[rig::first_skin_of(character, area.mesh)];
  const std::vector<const mesh::Influences*> influences = influences_of(character.meshes[area.mesh]);
  std::set<int> out;
  for (const std::vector<std::uint32_t>* places : {&area.places, &area.rim}) {
    for (const std::uint32_t w : *places) {
      const mesh::InfluenceRow row = mesh::row_at(*area.surface, influences, w);
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        if (row.weights[k] > 0) {
          out.insert(skin.joints[row.joints[k]]);
        }
      }
    }
  }
  return out;
}

// Those that turn one of these joints or many at once, and the one of the spot.
std::vector<int> poses_of(const WorstSpots& found, const std::set<int>& joints, int of_spot) {
  std::vector<int> out;
  for (std::size_t i = 0; i < found.poses.size(); ++i) {
    const int joint = joint_of(found.poses[i]);
    if (std::cmp_equal(i, of_spot) || joint < 0 || joints.contains(joint)) {
      out.push_back(static_cast<int>(i));
    }
  }
  return out;
}

std::vector<glm::mat4> world_in(const Document& document, const WorstSpots& found, int pose) {
  Document there = without_history(document);
  for (Change& change : changes_of(document, found, WorstSpot{.pose = pose})) {
    apply(there, {std::move(change), "", false});
  }
  rig::WorldMatrices world;
  world.evaluate(own_character(document)->skeleton, evaluate_pose(there));
  return {world.world().begin(), world.world().end()};
}

PullWeights pull_of(const rig::Character& character, const SpotArea& area, std::vector<glm::mat4> world) {
  PullWeights change{.mesh = area.mesh, .places = area.places, .amounts = area.amounts};
  PullTo& to = change.poses.emplace_back();
  to.displacement = way_among_neighbors(character, area, world);
  to.world = std::move(world);
  change.more = joints_of(character, area);
  change.surface = area.surface;
  return change;
}

// All at once in all poses: what suits one may be wrong in another.
RelaxWeights relaxing_of(const Document& document, const WorstSpots& found, const SpotArea& area,
                         std::span<const int> poses) {
  RelaxWeights change{.mesh = area.mesh, .places = area.places, .amounts = area.amounts};
  // All alike: what lies round the area holds its rim.
  std::ranges::fill(change.amounts, area.amounts[0]);
  for (const int pose : poses) {
    change.worlds.push_back(world_in(document, found, pose));
  }
  change.more = joints_of(*own_character(document), area);
  change.surface = area.surface;
  return change;
}

// The change of a mend, before anybody knows what it does. Fails with why there is none.
Result<Change> change_of(const Document& document, const WorstSpots& found, const WorstSpot& spot, const SpotArea& area,
                         std::string_view id, const BindSkin& binding, const Progress& progress) {
  const std::shared_ptr<const rig::Character>& character = own_character(document);
  if (id == "smooth") {
    return Change(smoothing_of(document, area));
  }
  if (id == "pull") {
    return Change(pull_of(*character, area, world_in(document, found, spot.pose)));
  }
  if (id == "relax") {
    const std::set<int> joints = turning_joints(*character->skeleton, followed_joints(*character, area));
    return Change(relaxing_of(document, found, area, poses_of(found, joints, spot.pose)));
  }
  BindSkin change = binding;
  change.vertices = selection_of(*character, area.mesh, all_vertices_of(area));
  change.joints.clear();
  change.request.meshes = {area.mesh};
  PELT_TRY_TO(change.made, make_binding(character, change, {.progress = progress}));
  return Change(std::move(change));
}

// Places of the area, its rim and what lies beside that, as the parts count them; the spot first. Farther off no edge
// changes, nor do the edges of a neighbour.
std::vector<PartVertex> judged_vertices(const rig::Character& character, const SpotArea& area, int part) {
  std::vector<PartVertex> out;
  const int node = character.parts[part].mesh_node;
  for (const std::vector<std::uint32_t>* places : {&area.places, &area.rim, &area.beside}) {
    for (const std::uint32_t w : *places) {
      const std::uint32_t v = area.surface->copies(w).front();
      const std::size_t p = area.surface->primitive_of(v);
      const auto at = std::ranges::find_if(character.parts, [&](const rig::Part& other) {
        return other.mesh_node == node && other.mesh == area.mesh && std::cmp_equal(other.primitive, p);
      });
      if (at != character.parts.end()) {
        out.push_back({static_cast<int>(at - character.parts.begin()), v - area.surface->first[p]});
      }
    }
  }
  return out;
}

// The mean of fourth powers, so that one bad place cannot be bought by many that are a little better.
double mean_badness(std::span<const WorstSpot> places) {
  double sum = 0;
  for (const WorstSpot& place : places) {
    sum += std::pow(place.badness, 4) / static_cast<double>(places.size());
  }
  return std::pow(sum, 0.25);
}

std::size_t flipped(std::span<const WorstSpot> places) {
  return static_cast<std::size_t>(std::ranges::count_if(places, &WorstSpot::flipped));
}

// Tries changes of one place, and says what each does there.
class MendTrial {
 public:
  MendTrial(const Document& document, const WorstSpots& found, std::size_t spot,
            const std::shared_ptr<deform::SkinCache>& cache)
      : document_(document),
        found_(found),
        spot_(spot),
        cache_(cache),
        area_(area_round(*own_character(document), found.spots[spot])),
        followed_(followed_joints(*own_character(document), area_)),
        vertices_(judged_vertices(*own_character(document), area_, found.spots[spot].part)) {}

  [[nodiscard]] const SpotArea& area() const { return area_; }
  // A measured spot as the list has it.
  [[nodiscard]] WorstSpot told(WorstSpot measured) const {
    measured.joint = found_.spots[spot_].joint;
    measured.pose = found_.spots[spot_].pose;
    return measured;
  }

  // The area in the pose of the spot, which comes first. Nothing where `progress` asked to stop.
  [[nodiscard]] std::optional<std::vector<WorstSpot>> in_pose(const Document& document,
                                                              const Progress& progress) const {
    const std::array pose = {found_.spots[spot_].pose};
    return measure_vertices(document, found_, vertices_, pose, cache_, progress);
  }

  // Nothing where `progress` asked to stop.
  [[nodiscard]] std::optional<MendedSpot> judge(Change change, const Progress& progress) {
    Document after = without_history(document_);
    apply(after, {change, "", false});
    MendedSpot out;
    const rig::Character& before = *own_character(document_);
    if (same_weights(*own_character(after), before)) {
      return out;
    }
    out.difference = weight_difference(before, *own_character(after), area_.mesh);
    std::set<int> joints = followed_joints(*own_character(after), area_);
    std::ranges::set_difference(joints, followed_, std::back_inserter(out.gained));
    joints.insert(followed_.begin(), followed_.end());
    const std::vector<int> poses =
        poses_of(found_, turning_joints(*document_.character->skeleton, joints), found_.spots[spot_].pose);
    out.poses = poses.size();
    if (poses != poses_ || before_.empty()) {
      const auto measured = measure_vertices(document_, found_, vertices_, poses, cache_, progress);
      if (!measured) {
        return std::nullopt;
      }
      poses_ = poses;
      before_ = *measured;
    }
    const auto now = measure_vertices(after, found_, vertices_, poses, cache_, progress);
    const auto there = in_pose(after, progress);
    if (!now || !there) {
      return std::nullopt;
    }
    out.now = told(there->front());
    out.flips_now = flipped(*there);
    if (const auto* const relax = change.get_if<RelaxWeights>()) {
      RelaxWeights solved = *relax;  // need not be solved again
      solved.from = own_character(document_);
      solved.locked = document_.content.locked_joints;
      solved.made = own_character(after);
      change = std::move(solved);
    }
    out.change = std::move(change);
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      const double more = (*now)[i].badness - before_[i].badness;
      if (more < -std::max(kNoticedGrowth, kNoticedShare * before_[i].badness)) {
        ++out.better;
      } else if (more > std::max(kNoticedGrowth, kNoticedShare * before_[i].badness)) {
        ++out.worse;
        if (out.worst.now.part < 0 || more > out.worst.now.badness - out.worst.before.badness) {
          out.worst = {before_[i], (*now)[i]};
        }
      }
    }
    out.area_before = mean_badness(before_);
    out.area_now = mean_badness(*now);
    return out;
  }

 private:
  const Document& document_;
  const WorstSpots& found_;
  std::size_t spot_;
  std::shared_ptr<deform::SkinCache> cache_;
  SpotArea area_;
  std::set<int> followed_;
  std::vector<PartVertex> vertices_;
  std::vector<int> poses_;         // in which before_ was measured
  std::vector<WorstSpot> before_;  // by vertex
};

// Whether the spot is better, and all of the area taken together, without more of it flipped in the pose of the spot.
bool mends(const MendedSpot& result, double badness) {
  return result.now.badness <= kMendedShare * badness && result.area_now < result.area_before &&
         result.flips_now <= result.flips_before;
}

bool is_better(const MendedSpot& a, const MendedSpot& b, double badness) {
  const bool mends_a = mends(a, badness);
  return mends_a != mends(b, badness) ? mends_a : mends_a ? area_left(a) < area_left(b) : a.now.badness < b.now.badness;
}

// Why a mesh cannot be mended at one place, a clause; empty where it can.
std::string_view why_not(const Document& document, int part) {
  if (!shows_own_surface(document)) {
    return "needs the file's own surface: set subdivision, detail and explosion back in the Skinning tab";
  }
  const rig::Character& character = *own_character(document);
  const rig::Part& of = character.parts[part];
  const bool is_shared = std::ranges::any_of(
      character.parts, [&](const rig::Part& other) { return other.mesh == of.mesh && other.skin != of.skin; });
  return is_shared ? "would change the mesh under each of the skins that it hangs on, of which only one was looked at"
                   : "";
}

void explain(const SpotMend& mend, const std::optional<MendedSpot>& best, MendedSpot& out) {
  if (!best) {
    out.verdict = "changes nothing";
    out.why = fmt::format("{} changes nothing: {}", mend.label, mend.nothing);
  } else if (best->now.badness > kMendedShare * out.before.badness) {
    out.verdict = best->now.badness < out.before.badness ? "hardly better" : "no better";
    out.why = fmt::format("{} makes it {}: {:.2f} at best instead of {:.2f}", mend.label, out.verdict,
                          best->now.badness, out.before.badness);
  } else if (best->flips_now > best->flips_before) {
    out.verdict = "flips more";
    out.why = fmt::format(
        "{} makes this vertex better, {:.2f} instead of {:.2f}, and flips the skin at {} instead of {} "
        "in this pose",
        mend.label, best->now.badness, out.before.badness, counted(best->flips_now, "place", "places"),
        best->flips_before);
  } else {
    out.verdict = "worse round it";
    out.why = fmt::format("{} makes this vertex better, {:.2f} instead of {:.2f}, and the place as a whole worse",
                          mend.label, best->now.badness, out.before.badness);
  }
}

}  // namespace

std::span<const SpotMend> spot_mends() {
  return kMends;
}

std::optional<MendedSpot> mend_spot(const Document& document, const WorstSpots& found, std::size_t spot,
                                    std::string_view id, const BindSkin& binding,
                                    const std::shared_ptr<deform::SkinCache>& cache, const Progress& progress) {
  const auto row = std::ranges::find(kMends, id, &SpotMend::id);
  PELT_EXPECT(row != kMends.end() && spot < found.spots.size(), "a mend and a spot that there are");
  MendedSpot out{.before = found.spots[spot], .now = found.spots[spot]};
  if (const std::string_view why = why_not(document, found.spots[spot].part); !why.empty()) {
    out.verdict = "not here";
    out.why = fmt::format("{} {}", row->label, why);
    return out;
  }
  MendTrial trial(document, found, spot, cache);
  const auto area_before = trial.in_pose(document, progress);
  if (!area_before) {
    return std::nullopt;
  }
  const WorstSpot present = trial.told(area_before->front());
  out.before = out.now = present;
  std::optional<MendedSpot> best;
  for (const float strength : std::span(kStrengths).first(id == "rebind" ? 1 : kStrengths.size())) {
    SpotArea area = trial.area();
    for (float& amount : area.amounts) {
      amount *= strength;
    }
    Result<Change> change = change_of(document, found, found.spots[spot], area, id, binding, progress);
    if (!change) {
      out.verdict = "cannot be done";
      out.why = fmt::format("{}: {}", row->label, change.error().message);
      return out;
    }
    std::optional<MendedSpot> result = trial.judge(*std::move(change), progress);
    if (!result) {
      return std::nullopt;
    }
    result->flips_before = flipped(*area_before);
    if (result->change && (!best || is_better(*result, *best, present.badness))) {
      best = std::move(result);
    }
  }
  if (!best || !mends(*best, present.badness)) {
    explain(*row, best, out);
    return out;
  }
  best->before = present;
  best->label = mend_label(row->label, found, found.spots[spot]);
  return best;
}

double area_left(const MendedSpot& mended) {
  return mended.area_before > 0 ? mended.area_now / mended.area_before : 1;
}

std::string difference_in_words(const WorstSpots& spots, const MendedSpot& mended) {
  const rig::Skeleton& skeleton = *spots.character->skeleton;
  std::string out = sentence(mended.difference);
  for (std::size_t k = 0; k < mended.gained.size(); ++k) {
    out += fmt::format("{}{}", k == 0 ? "; new joints there: " : ", ", printable(skeleton.label(mended.gained[k]), 60));
  }
  if (mended.flips_before > 0) {
    out += fmt::format(
        "; flipped in this pose: {}",
        mended.flips_now == mended.flips_before
            ? counted(mended.flips_now, "place", "places") + " as before"
            : fmt::format("{} instead of {}", counted(mended.flips_now, "place", "places"), mended.flips_before));
  }
  out += fmt::format(". In {} that turn joints of this place {} better", counted(mended.poses, "pose", "poses"),
                     counted(mended.better, "place becomes", "places become"));
  if (mended.worse == 0) {
    return out + ", and none worse";
  }
  const SpotChange& worst = mended.worst;
  return fmt::format("{}, and {} worse, most of all vertex {}: {:.2f} \u2192 {:.2f} at {}", out,
                     counted(mended.worse, "place", "places"), worst.now.vertex, worst.before.badness,
                     worst.now.badness, printable(spots.poses[static_cast<std::size_t>(worst.now.pose)].label, 80));
}

}  // namespace pelt::edit
