#include "cli/bind_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bind/character_binding.h"
#include "bind/deforming_joints.h"
#include "cli/bind_benchmark.h"

namespace pelt::cli {
namespace {

constexpr double kSamePlace = 1e-3;  // of the diagonal

// From the space of one problem to that of another, by the first bone that both have.
std::optional<glm::dmat4> other_from_ours(const bind::CharacterProblem& from, const bind::CharacterProblem& to) {
  for (std::size_t b = 0; b < from.names.size(); ++b) {
    const auto same = std::ranges::find(to.names, from.names[b]);
    if (same != to.names.end()) {
      const std::size_t other = static_cast<std::size_t>(same - to.names.begin());
      return to.bind_from_joint[to.problem.bones[other].joint] *
             glm::inverse(from.bind_from_joint[from.problem.bones[b].joint]);
    }
  }
  return std::nullopt;
}

// [places of `at`] the nearest of the positions, -1 where none is near.
std::vector<int> nearest_places(const std::vector<glm::dvec3>& positions, const bind::Problem& at) {
  std::vector<std::size_t> order(positions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t w) { return positions[w].x; });
  const double reach = kSamePlace * at.diagonal;
  std::vector<int> nearest;
  for (const glm::dvec3& p : at.positions) {
    const auto begin = std::ranges::lower_bound(order, p.x - reach, {}, [&](std::size_t w) { return positions[w].x; });
    int found = -1;
    double least = reach;
    for (auto it = begin; it != order.end() && positions[*it].x <= p.x + reach; ++it) {
      const double distance = glm::distance(positions[*it], p);
      if (distance <= least) {
        least = distance;
        found = static_cast<int>(*it);
      }
    }
    nearest.push_back(found);
  }
  return nearest;
}

constexpr std::array<const char*, bind::kCauseCount> kCauseIds = {"solved", "nearest", "geodesic",
                                                                  "rigid",  "body",    "proxy"};

}  // namespace

Result<TruthScore> score_against(const rig::Character& truth, const bind::CharacterProblem& problem,
                                 const bind::Rows& rows) {
  bind::Request request;
  request.joints = bind::proposed_joints(truth);
  for (const std::string& name : problem.names) {
    for (int j = 0; j < truth.skeleton->size(); ++j) {
      if (truth.skeleton->is_joint[j] != 0 && truth.skeleton->label(j) == name) {
        request.joints.push_back(j);
        break;
      }
    }
  }
  PELT_TRY_TO(const bind::CharacterProblem other, bind::make_problem(truth, request));
  const std::optional<glm::dmat4> to_other = other_from_ours(problem, other);
  if (!to_other) {
    return error("no joint has the name of one that was bound to");
  }
  std::vector<glm::dvec3> positions;
  for (const glm::dvec3& p : problem.problem.positions) {
    positions.emplace_back(*to_other * glm::dvec4(p, 1.0));
  }
  const std::vector<int> nearest = nearest_places(positions, other.problem);
  TruthScore out;
  std::vector<int> bone;  // of the other, by ours
  for (const std::string& name : problem.names) {
    const auto same = std::ranges::find(other.names, name);
    bone.push_back(same == other.names.end() ? -1 : static_cast<int>(same - other.names.begin()));
    out.unmatched_bones += bone.back() < 0 ? 1 : 0;
  }
  const bind::Rows artist = bind::rows_of(truth, other);
  bind::Rows candidate;
  bind::Rows wanted;
  std::size_t compared = 0;
  for (std::size_t w = 0; w < nearest.size(); ++w) {
    std::vector<bind::Share> row;
    if (nearest[w] >= 0) {
      for (const bind::Share& share : rows[static_cast<std::size_t>(nearest[w])]) {
        if (bone[share.bone] >= 0) {
          row.push_back({static_cast<std::uint16_t>(bone[share.bone]), share.weight});
        }
      }
    }
    candidate.push(row);
    wanted.push(nearest[w] >= 0 ? artist[w] : std::span<const bind::Share>());
    out.unmatched += nearest[w] < 0 ? 1 : 0;
    compared += nearest[w] >= 0 && !artist[w].empty() ? 1 : 0;
  }
  if (compared == 0) {
    return error("no weighted vertex is where the mesh has one");
  }
  out.score = *measure::score_binding(other, candidate, wanted, measure::benchmark_poses(truth, other), {}, 0);
  return out;
}

std::string bind_json(const BindReport& report) {
  const bind::CharacterProblem& problem = *report.problem;
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (std::size_t f = 0; f < report.choice.values.size(); ++f) {
    const bind::Field& field = report.choice.binder->fields[f];
    const double value = report.choice.values[f];
    values[std::string(field.id)] = field.choices.empty()
                                        ? nlohmann::ordered_json(value)
                                        : nlohmann::ordered_json(field.choices[static_cast<std::size_t>(value)]);
  }
  nlohmann::ordered_json causes = nlohmann::ordered_json::object();
  for (std::size_t cause = 0; cause < kCauseIds.size(); ++cause) {
    causes[kCauseIds[cause]] = std::ranges::count(report.binding->cause, static_cast<bind::Cause>(cause));
  }
  nlohmann::ordered_json remarks = nlohmann::ordered_json::array();
  for (const bind::Remark& remark : report.binding->remarks) {
    remarks.push_back(
        {{"text", bind::sentence(remark, problem.names)},
         {"joint", remark.bone >= 0 ? nlohmann::ordered_json(problem.names[remark.bone]) : nlohmann::ordered_json("")},
         {"island", remark.island},
         {"places", remark.places},
         {"instead", kCauseIds[static_cast<std::size_t>(remark.instead)]},
         {"where", {remark.where.x, remark.where.y, remark.where.z}}});
  }
  nlohmann::ordered_json out = {{"file", report.file},
                                {"skeleton", report.skeleton},
                                {"binder", report.choice.binder->id},
                                {"values", std::move(values)},
                                {"limit", report.limit},
                                {"vertices", problem.place.size()},
                                {"places", problem.problem.place_count()},
                                {"triangles", problem.problem.triangles.size()},
                                {"islands", problem.problem.island_count()},
                                {"joints", problem.names},
                                {"seconds", report.seconds},
                                {"causes", std::move(causes)},
                                {"remarks", std::move(remarks)}};
  if (report.truth) {
    nlohmann::ordered_json score = {{"vertices", report.truth->score.vertices},
                                    {"poses", report.truth->score.poses},
                                    {"unbound", report.truth->score.unbound},
                                    {"unmatched_places", report.truth->unmatched},
                                    {"unmatched_joints", report.truth->unmatched_bones}};
    for (const measure::ScoreColumn& column : measure::score_columns()) {
      score[column.id] = report.truth->score.*column.member;
    }
    out["score"] = std::move(score);
  }
  return out.dump(2) + "\n";
}

std::string bind_text(const BindReport& report) {
  if (!report.truth) {
    return "";
  }
  const TruthScore& truth = *report.truth;
  const std::vector<BindingRow> rows = {{.file = report.file,
                                         .input = "clean",
                                         .binder = report.choice.label,
                                         .places = report.problem->problem.place_count(),
                                         .bones = report.problem->problem.bone_count(),
                                         .seconds = report.seconds,
                                         .score = truth.score,
                                         .remarks = {}}};
  std::string out = binding_table(rows);
  if (truth.unmatched > 0) {
    out += fmt::format("left out: {} places of the other file lie where this mesh has no vertex\n", truth.unmatched);
  }
  return out;
}

}  // namespace pelt::cli
