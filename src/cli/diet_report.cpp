#include "cli/diet_report.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "deform/skinning_methods.h"
#include "edit/pose_battery.h"
#include "measure/diet.h"

namespace pelt::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Answer : DietQuestion {
  measure::DietCost cost;
  measure::DietError error;
};

std::string_view id_of(deform::WeightFormat format) {
  for (const deform::WeightFormatInfo& info : deform::kWeightFormats) {
    if (info.format == format) {
      return info.id;
    }
  }
  return "";
}

}  // namespace

std::vector<DietQuestion> diet_questions(const deform::SkinningSettings& settings) {
  const deform::SkinningSettings full = measure::full_precision(settings);
  std::vector<DietQuestion> rows;
  const auto add = [&](std::string what, const deform::SkinningSettings& asked) {
    rows.push_back({std::move(what), asked});
  };
  for (int limit = 1; limit <= 8; ++limit) {
    deform::SkinningSettings asked = full;
    asked.influence_limit = limit;
    add(fmt::format("influences {}", limit), asked);
  }
  for (const deform::WeightFormatInfo& info : deform::kWeightFormats) {
    deform::SkinningSettings asked = full;
    asked.weight_format = info.format;
    add(fmt::format("weights {}", info.id), asked);
  }
  for (const int joints : {24, 64, 85, 256}) {
    deform::SkinningSettings asked = full;
    asked.palette_limit = joints;
    add(fmt::format("palette {}", joints), asked);
  }
  deform::SkinningSettings parted = full;
  parted.partition = true;
  add("partition", parted);
  if (!(settings == full)) {
    add("as asked", settings);
  }
  return rows;
}

namespace {

Json row_json(const Answer& row, const std::vector<edit::TrialPose>& poses) {
  Json json = {{"what", row.what},
               {"influences", row.settings.influence_limit},
               {"prune", row.settings.prune_threshold},
               {"weights", id_of(row.settings.weight_format)},
               {"palette", row.settings.palette_limit},
               {"partition", row.settings.partition},
               {"bytes_per_vertex", row.cost.bytes_per_vertex},
               {"influence_bytes", row.cost.influence_bytes},
               {"resident_bytes", row.cost.resident_bytes},
               {"batches", row.cost.batches},
               {"draw_calls", row.cost.draw_calls},
               {"upload_bytes", row.cost.upload_bytes},
               {"rigid_triangles", row.cost.rigid_triangles},
               {"skinned_triangles", row.cost.skinned_triangles},
               {"reduced_vertices", row.cost.reduced_vertices},
               {"max_error", row.error.max},
               {"rms_error", row.error.rms}};
  if (row.error.worst_pose >= 0) {
    json["worst_pose"] = poses[row.error.worst_pose].label;
    json["worst_part"] = row.error.worst_part;
    json["worst_vertex"] = row.error.worst_vertex;
  }
  return json;
}

int most_influences(const measure::InfluenceHistogram& histogram) {
  int most = 0;
  for (std::size_t k = 0; k < histogram.vertices.size(); ++k) {
    most = histogram.vertices[k] > 0 ? static_cast<int>(k) : most;
  }
  return most;
}

}  // namespace

std::string diet_report(const edit::Document& document, std::string_view file, const edit::BatteryOptions& battery,
                        bool json) {
  const rig::Character& character = *document.character;
  if (character.skins.empty()) {
    print_note("--diet: the character has no skin; there are no weights to save");
  }
  const std::vector<edit::TrialPose> trials = edit::make_battery(document, battery);
  std::vector<rig::Pose> poses;
  for (const edit::TrialPose& trial : trials) {
    poses.push_back(edit::evaluate_pose(edit::posed(document, trial)));
  }
  const deform::SkinningSettings& settings = document.content.skinning;
  const deform::SkinningMethod& method = deform::skinning_methods()[settings.method];
  std::vector<Answer> rows;
  for (DietQuestion& question : diet_questions(settings)) {
    rows.push_back({std::move(question), {}, {}});
  }
  measure::DietMeter meter;
  ProgressLine line;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Answer& row = rows[i];
    line.show(static_cast<float>(i) / static_cast<float>(rows.size()), "simulating storage");
    row.cost = measure::diet_cost(character, row.settings);
    row.error = *meter.measure(character, row.settings, poses);
  }
  line.clear();
  const measure::InfluenceHistogram histogram =
      measure::influence_histogram(character, measure::full_precision(settings));

  if (json) {
    Json shares = Json::array();
    for (std::size_t k = 0; k < histogram.vertices.size(); ++k) {
      shares.push_back(histogram.share(k));
    }
    Json out = {{"file", file},
                {"method", method.id},
                {"poses", poses.size()},
                {"histogram",
                 {{"shares", shares},
                  {"mean", histogram.mean()},
                  {"reference_shares", measure::kReferenceShares},
                  {"reference_mean", measure::kReferenceMean}}},
                {"rows", Json::array()}};
    for (const Answer& row : rows) {
      out["rows"].push_back(row_json(row, trials));
    }
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  std::string text = fmt::format("{}, {}, {} poses\n\n", file, method.label, poses.size());
  text += "influences per vertex    1     2     3  mean\n";
  text += fmt::format("  this character     {:3.0f}%  {:3.0f}%  {:3.0f}%  {:.2f}\n", 100 * histogram.share(1),
                      100 * histogram.share(2), 100 * histogram.share(3), histogram.mean());
  text +=
      fmt::format("  production skins   {:3.0f}%  {:3.0f}%  {:3.0f}%  {:.2f}\n\n", 100 * measure::kReferenceShares[0],
                  100 * measure::kReferenceShares[1], 100 * measure::kReferenceShares[2], measure::kReferenceMean);
  const auto millimetres = [](double metres) { return fmt::format("{:.4f} mm", 1e3 * metres); };
  std::vector<std::array<std::string, 9>> table = {
      {"what if", "B/vertex", "influences", "resident", "batches", "draws", "upload", "max error", "rms error"}};
  for (const Answer& row : rows) {
    // A limit that no vertex exceeds changes nothing.
    if (row.settings.influence_limit > std::max(1, most_influences(histogram)) && row.what != "as asked") {
      continue;
    }
    table.push_back({row.what, fmt::format("{:.3g}", row.cost.bytes_per_vertex),
                     fmt::format("{}", row.cost.influence_bytes), fmt::format("{}", row.cost.resident_bytes),
                     fmt::format("{}", row.cost.batches), fmt::format("{}", row.cost.draw_calls),
                     fmt::format("{}", row.cost.upload_bytes), millimetres(row.error.max), millimetres(row.error.rms)});
  }
  std::array<std::size_t, 9> widths = {};
  for (const auto& row : table) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], row[c].size());
    }
  }
  for (const auto& row : table) {
    text += fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t c = 1; c < row.size(); ++c) {
      text += fmt::format("  {:>{}}", row[c], widths[c]);
    }
    text += "\n";
  }
  return text;
}

}  // namespace pelt::cli
