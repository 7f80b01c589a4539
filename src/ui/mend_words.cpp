#include "ui/mend_words.h"

#include <fmt/format.h>

#include "rig/lint_checks.h"
#include "ui/widgets.h"

namespace pelt::ui {
namespace {

std::string vertices_in_words(std::size_t count) {
  return count_of(static_cast<std::int64_t>(count), "vertex", "vertices");
}

}  // namespace

std::string mend_in_words(const edit::MendedParts& parts) {
  std::string what;
  const auto add = [&](std::size_t count, const std::string& words) {
    what += count == 0 ? "" : (what.empty() ? "Would " : ", ") + words;
  };
  add(parts.removed, "take out " + vertices_in_words(parts.removed));
  add(parts.reweighted, "change the weights of " + vertices_in_words(parts.reweighted));
  add(parts.turned,
      fmt::format("turn {} round", count_of(static_cast<std::int64_t>(parts.turned), "triangle", "triangles")));
  add(parts.matrices, fmt::format("change {}", count_of(static_cast<std::int64_t>(parts.matrices),
                                                        "inverse bind matrix", "inverse bind matrices")));
  add(parts.removed_joints, fmt::format("take {} out of the skins' lists",
                                        count_of(static_cast<std::int64_t>(parts.removed_joints), "joint", "joints")));
  what += what.empty() ? "" : ". ";
  return what + (parts.moved == 0 ? std::string("Moves no vertex.")
                                  : fmt::format("Moves {} by up to {} in the rest pose.",
                                                vertices_in_words(parts.moved), rig::length_text(parts.farthest)));
}

std::string done_in_words(const edit::MendedParts& parts) {
  std::string out;
  const auto add = [&](std::size_t count, const char* one, const char* many, const char* what) {
    out += count == 0 ? std::string()
                      : fmt::format("{}{} {}", out.empty() ? "" : ", ",
                                    count_of(static_cast<std::int64_t>(count), one, many), what);
  };
  add(parts.vertices(), "vertex", "vertices", "changed");
  add(parts.turned, "triangle", "triangles", "turned");
  add(parts.matrices, "inverse bind matrix", "inverse bind matrices", "changed");
  add(parts.removed_joints, "joint", "joints", "taken out");
  return out;
}

std::string foreseen_in_words(const edit::ForeseenWeights& weights) {
  const edit::WeightDifference& total = weights.difference;
  return total.vertices == 0 ? std::string("Nothing would change.")
         : total.largest == 0
             ? fmt::format("Would change {} as they are stored, and no weight.", vertices_in_words(total.vertices))
             : fmt::format("Would change {}.", edit::sentence(total));
}

}  // namespace pelt::ui
