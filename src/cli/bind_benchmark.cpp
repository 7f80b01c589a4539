#include "cli/bind_benchmark.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bind/character_binding.h"
#include "cli/output.h"
#include "core/text.h"
#include "measure/hard_inputs.h"

namespace pelt::cli {
namespace {

using BindJson = nlohmann::ordered_json;

double median_value(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n == 0 ? 0 : (values[(n - 1) / 2] + values[n / 2]) / 2;
}

// The median and the worst of a number over characters.
struct ScoreSummary {
  double median = 0;
  double worst = 0;
};

ScoreSummary score_summary(std::span<const BindingRow> rows, const std::string& binder, const std::string& input,
                           const measure::ScoreColumn& column) {
  std::vector<double> values;
  for (const BindingRow& row : rows) {
    if (row.binder == binder && row.input == input) {
      values.push_back(row.score.*column.member);
    }
  }
  const auto [least, most] = std::ranges::minmax(values);
  return {median_value(values), column.more_is_better ? least : most};
}

// Binders and inputs in the order in which they appear.
std::vector<std::pair<std::string, std::string>> kinds_of(std::span<const BindingRow> rows) {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const BindingRow& row : rows) {
    const std::pair kind(row.binder, row.input);
    if (std::ranges::find(kinds, kind) == kinds.end()) {
      kinds.push_back(kind);
    }
  }
  return kinds;
}

std::size_t unbound_of(std::span<const BindingRow> rows, const std::string& binder, const std::string& input) {
  std::size_t unbound = 0;
  for (const BindingRow& row : rows) {
    unbound += row.binder == binder && row.input == input ? row.score.unbound : 0;
  }
  return unbound;
}

std::string binding_json(std::span<const BindingRow> rows) {
  BindJson table = BindJson::array();
  for (const BindingRow& row : rows) {
    BindJson out = {{"file", row.file},
                    {"input", row.input},
                    {"binder", row.binder},
                    {"vertices", row.score.vertices},
                    {"places", row.places},
                    {"bones", row.bones},
                    {"poses", row.score.poses},
                    {"seconds", row.seconds},
                    {"unbound", row.score.unbound}};
    for (const measure::ScoreColumn& column : measure::score_columns()) {
      out[column.id] = row.score.*column.member;
    }
    out["remarks"] = row.remarks;
    table.push_back(std::move(out));
  }
  BindJson binders = BindJson::array();
  for (const auto& [binder, input] : kinds_of(rows)) {
    BindJson out = {{"binder", binder}, {"input", input}, {"unbound", unbound_of(rows, binder, input)}};
    for (const measure::ScoreColumn& column : measure::score_columns()) {
      const ScoreSummary summary = score_summary(rows, binder, input, column);
      out[column.id] = {{"median", summary.median}, {"worst", summary.worst}};
    }
    binders.push_back(std::move(out));
  }
  return BindJson{{"bind", std::move(table)}, {"binders", std::move(binders)}}.dump(2) + "\n";
}

std::size_t widest(std::span<const BindingRow> rows, std::string BindingRow::*member, std::size_t least) {
  for (const BindingRow& row : rows) {
    least = std::max(least, (row.*member).size());
  }
  return least;
}

// How wide the columns of words are.
struct WordColumns {
  std::size_t file = 6;
  std::size_t input = 5;
  std::size_t binder = 6;
};

WordColumns word_columns(std::span<const BindingRow> rows) {
  const WordColumns least;
  return {widest(rows, &BindingRow::file, least.file), widest(rows, &BindingRow::input, least.input),
          widest(rows, &BindingRow::binder, least.binder)};
}

std::string binding_text(std::span<const BindingRow> rows) {
  const WordColumns width = word_columns(rows);
  std::string out = binding_table(rows) + "\n";
  for (const auto& [name, kind] : kinds_of(rows)) {
    for (const bool worst : {false, true}) {
      out += fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>8}  {:>5}", worst ? "worst" : "median", width.file, kind,
                         width.input, name, width.binder, "", "");
      for (const measure::ScoreColumn& column : measure::score_columns()) {
        const ScoreSummary summary = score_summary(rows, name, kind, column);
        out += fmt::format("  {:>6.3f}", worst ? summary.worst : summary.median);
      }
      out += worst ? fmt::format("  {:>7}\n", unbound_of(rows, name, kind)) : "\n";
    }
  }
  return out;
}

Result<std::vector<BindingRow>> rows_of_character(const BenchmarkedCharacter& one, const std::string& input,
                                                  std::span<const BinderChoice> binders, const Progress& progress) {
  bind::Request request;
  request.mean_tails = true;
  Result<bind::CharacterProblem> problem = bind::make_problem(*one.character, request);
  if (!problem) {
    return problem.error().in(one.name);
  }
  const bind::Rows truth = bind::rows_of(*one.character, *problem);
  if (truth.share_count() == 0) {
    return error("{}: expected vertices with weights, which a binding is held against, got none", one.name);
  }
  const std::vector<measure::BenchmarkPose> poses = measure::benchmark_poses(*one.character, *problem);
  std::vector<BindingRow> rows;
  for (const BinderChoice& choice : binders) {
    report(progress, static_cast<float>(rows.size()) / static_cast<float>(binders.size()),
           fmt::format("{}: {}", one.name, choice.label));
    const auto start = std::chrono::steady_clock::now();
    const std::optional<bind::Binding> binding = bind::run(*choice.binder, problem->problem, choice.values);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (!binding) {
      return error("{}: {} stopped", one.name, choice.label);
    }
    BindingRow& row = rows.emplace_back();
    row.file = one.name;
    row.input = input;
    row.binder = choice.label;
    row.places = problem->problem.place_count();
    row.bones = problem->problem.bone_count();
    row.seconds = spent.count();
    row.score = *measure::score_binding(*problem, binding->rows, truth, poses);
    for (const bind::Remark& remark : binding->remarks) {
      row.remarks.push_back(bind::sentence(remark, problem->names));
    }
  }
  return rows;
}

}  // namespace

std::string binding_table(std::span<const BindingRow> rows) {
  const WordColumns width = word_columns(rows);
  std::string out = fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>8}  {:>5}", "file", width.file, "input", width.input,
                                "binder", width.binder, "vertices", "poses");
  for (const measure::ScoreColumn& column : measure::score_columns()) {
    out += fmt::format("  {:>6}", column.heading);
  }
  out += fmt::format("  {:>7}  {:>7}\n", "unbound", "seconds");
  for (const BindingRow& row : rows) {
    out += fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>8}  {:>5}", row.file, width.file, row.input, width.input, row.binder,
                       width.binder, row.score.vertices, row.score.poses);
    for (const measure::ScoreColumn& column : measure::score_columns()) {
      out += fmt::format("  {:>6.3f}", row.score.*column.member);
    }
    out += fmt::format("  {:>7}  {:>7.2f}\n", row.score.unbound, row.seconds);
  }
  return out;
}

Result<std::string> benchmark_binders(std::span<const BenchmarkedCharacter> characters,
                                      std::span<const BinderChoice> binders, bool hard, bool json) {
  ProgressLine line;
  std::vector<BindingRow> rows;
  const std::size_t inputs = 1 + (hard ? measure::hard_inputs().size() : 0);
  for (std::size_t i = 0; i < characters.size() * inputs; ++i) {
    const Progress progress = [&](float fraction, std::string_view what) {
      line.show((static_cast<float>(i) + fraction) / static_cast<float>(characters.size() * inputs), what);
      return true;
    };
    BenchmarkedCharacter one = characters[i / inputs];
    std::string input = "clean";
    if (i % inputs > 0) {
      const measure::HardInput& damage = measure::hard_inputs()[i % inputs - 1];
      input = damage.id;
      Result<rig::Character> made = damage.make(*one.character);
      if (!made) {
        return made.error().in(fmt::format("{}, {}", one.name, damage.id));
      }
      one.character = std::make_shared<const rig::Character>(*std::move(made));
    }
    PELT_TRY_TO(std::vector<BindingRow> more, rows_of_character(one, input, binders, progress));
    std::ranges::move(more, std::back_inserter(rows));
  }
  line.clear();
  return json ? binding_json(rows) : binding_text(rows);
}

}  // namespace pelt::cli
