#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/open.h"
#include "cli/output.h"
#include "cli/shape.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "deform/compare.h"
#include "deform/skin_meter.h"
#include "deform/skinning_methods.h"
#include "edit/commands.h"

namespace pelt::cli {
namespace {

using Json = nlohmann::ordered_json;

struct PoseResult {
  std::string label;
  deform::Difference difference;
  deform::CollapseMeasures a;
  deform::CollapseMeasures b;
};

std::string_view method_id(const MethodAndBackend& which) {
  return deform::skinning_methods()[static_cast<std::size_t>(which.method)].id;
}

std::string_view backend_id(const MethodAndBackend& which) {
  return which.backend == deform::Backend::kGpu ? "gpu" : "cpu";
}

std::string id_of(const MethodAndBackend& which) {
  return fmt::format("{}:{}", method_id(which), backend_id(which));
}

// Every rotation slider of every joint somewhere within its limits. Raw engine values only, since distributions differ
// between standard libraries.
void randomize(edit::Document& document, std::mt19937& engine) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  const bool has_joints = std::ranges::any_of(skeleton.is_joint, [](char c) { return c != 0; });
  for (int j = 0; j < skeleton.size(); ++j) {
    if (has_joints && skeleton.is_joint[static_cast<std::size_t>(j)] == 0) {
      continue;
    }
    const std::vector<rig::Dof> dofs = edit::joint_dofs(document, j).dofs;
    for (std::size_t d = 0; d < dofs.size(); ++d) {
      if (dofs[d].kind == rig::DofKind::kRotation) {
        const auto fraction = static_cast<float>(static_cast<double>(engine()) / 4294967296.0);
        const float value = dofs[d].lower + (dofs[d].upper - dofs[d].lower) * fraction;
        edit::apply(document, {edit::SetDof{j, static_cast<int>(d), value}, "", false});
      }
    }
  }
}

Json json_of(const deform::Difference& difference, double diagonal) {
  return {{"max", difference.max},
          {"rms", difference.rms},
          {"worst_vertex", difference.worst_vertex},
          {"worst_part", difference.worst_part},
          {"max_over_diagonal", diagonal > 0 ? difference.max / diagonal : 0.0},
          {"max_normal_angle", difference.max_normal_angle}};
}

Json json_of(const MethodAndBackend& which, const deform::CollapseMeasures& measures) {
  return {{"method", method_id(which)},
          {"backend", backend_id(which)},
          {"volume_ratio", measures.volume_ratio},
          {"area_ratio", measures.area_ratio},
          {"max_edge_stretch", measures.max_edge_stretch}};
}

class Comparison {
 public:
  Comparison(const CompareOptions& options, render::GpuSkinner* gpu) : options_(options), a_(gpu), b_(gpu) {}

  Status add(edit::Document document, std::string label) {
    const auto shaped = [&](Shaper& shaper, const MethodAndBackend& which) {
      document.state.skinning.method = which.method;
      document.state.skinning.backend = which.backend;
      ++version_;
      document.state_version = version_;
      return shaper.shape(document);
    };
    const auto a = shaped(a_, options_.a);
    if (!a) {
      return a.error().in(label);
    }
    const auto b = shaped(b_, options_.b);
    if (!b) {
      return b.error().in(label);
    }
    results_.push_back({std::move(label), deform::difference(*a, *b),
                        deform::collapse_measures(*document.character, *a),
                        deform::collapse_measures(*document.character, *b)});
    return {};
  }

  [[nodiscard]] const std::vector<PoseResult>& results() const { return results_; }

 private:
  const CompareOptions& options_;
  Shaper a_;
  Shaper b_;
  std::uint64_t version_ = 1;
  std::vector<PoseResult> results_;
};

Status compare_all(const CompareOptions& options, const edit::Document& document, Comparison& comparison) {
  if (options.random > 0) {
    std::mt19937 engine(static_cast<std::uint32_t>(options.seed));
    for (int i = 0; i < options.random; ++i) {
      edit::Document posed = document;
      randomize(posed, engine);
      if (Status status = comparison.add(std::move(posed), fmt::format("random {}", i)); !status) {
        return status;
      }
    }
    return {};
  }
  if (options.frames) {
    const rig::Clip& clip = document.character->clips[static_cast<std::size_t>(document.state.clip)];
    for (const float time : frame_times(clip, *options.frames)) {
      edit::Document posed = document;
      edit::apply(posed, {edit::SetTime{time}, "", false});
      if (Status status = comparison.add(std::move(posed), fmt::format("{:g} s", time)); !status) {
        return status;
      }
    }
    return {};
  }
  return comparison.add(document, "pose");
}

}  // namespace

Result<MethodAndBackend> parse_method_and_backend(std::string_view text) {
  MethodAndBackend which;
  const std::size_t colon = text.find(':');
  const Result<int> method = parse_method(text.substr(0, colon));
  if (!method) {
    return method.error();
  }
  which.method = *method;
  if (colon != std::string_view::npos) {
    const Result<deform::Backend> backend = parse_backend(text.substr(colon + 1));
    if (!backend) {
      return backend.error();
    }
    which.backend = *backend;
  }
  return which;
}

Result<int> run_compare(const CompareOptions& options) {
  const Result<edit::Document> document = open_document(options.evaluation);
  if (!document) {
    return document.error();
  }
  CompareOptions effective = options;
  if (document->state.clip >= 0 && !options.evaluation.time && !options.frames && options.random == 0) {
    const rig::Clip& clip = document->character->clips[static_cast<std::size_t>(document->state.clip)];
    // All of a clip with its end, at 30 frames per second unless that is very many.
    const double steps = std::clamp(std::ceil(static_cast<double>(clip.duration()) * 30), 1.0, 1000.0);
    effective.frames = FrameRange{.last = clip.duration() > 0 ? static_cast<int>(steps) : 0,
                                  .fps = clip.duration() > 0 ? steps / static_cast<double>(clip.duration()) : 30};
  }
  if (effective.frames && document->state.clip < 0) {
    return error("--frames: needs a clip; choose one with --clip");
  }
  std::unique_ptr<render::GpuSkinner> gpu;
  if (options.a.backend == deform::Backend::kGpu || options.b.backend == deform::Backend::kGpu) {
    auto made = render::GpuSkinner::create();
    if (!made) {
      return made.error().in("OpenGL");
    }
    gpu = *std::move(made);
  }
  Comparison comparison(options, gpu.get());
  if (Status status = compare_all(effective, *document, comparison); !status) {
    return status.error();
  }
  const std::vector<PoseResult>& results = comparison.results();
  const auto worst = std::ranges::max_element(results, {}, [](const PoseResult& r) { return r.difference.max; });
  const double diagonal = rest_diagonal(*document->character);
  std::string text;
  if (options.json) {
    Json json;
    json["poses"] = results.size();
    json["worst_pose"] = worst->label;
    json["difference"] = json_of(worst->difference, diagonal);
    json["a"] = json_of(options.a, worst->a);
    json["b"] = json_of(options.b, worst->b);
    json["per_pose"] = Json::array();
    for (const PoseResult& r : results) {
      json["per_pose"].push_back({{"label", r.label},
                                  {"difference", json_of(r.difference, diagonal)},
                                  {"a", json_of(options.a, r.a)},
                                  {"b", json_of(options.b, r.b)}});
    }
    text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  } else {
    const deform::Difference& d = worst->difference;
    text = fmt::format("{} against {}, {} pose(s); worst: {}\n", id_of(options.a), id_of(options.b), results.size(),
                       worst->label);
    text += fmt::format("  largest distance  {:.6g} m = {:.3g} of the diagonal (part {}, vertex {})\n", d.max,
                        diagonal > 0 ? d.max / diagonal : 0.0, d.worst_part, d.worst_vertex);
    text += fmt::format("  RMS distance      {:.6g} m\n", d.rms);
    text += fmt::format("  {:<18}{:>10} {:>10} {:>14}\n", "against bind", "volume", "area", "edge stretch");
    for (const auto& [which, measures] : {std::pair{&options.a, &worst->a}, std::pair{&options.b, &worst->b}}) {
      text += fmt::format("  {:<18}{:>10.4f} {:>10.4f} {:>14.4f}\n", id_of(*which), measures->volume_ratio,
                          measures->area_ratio, measures->max_edge_stretch);
    }
  }
  if (Status printed = print_result(text); !printed) {
    return printed.error();
  }
  return 0;
}

}  // namespace pelt::cli
