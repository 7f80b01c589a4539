#include "edit/skin_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "deform/skinning_methods.h"
#include "edit/commands.h"
#include "edit/csv.h"
#include "edit/pose_battery.h"
#include "edit/sweep.h"
#include "math/angle.h"
#include "measure/surface.h"
#include "rig/kinematics.h"
#include "rig/own_bindings.h"

namespace pelt::edit {
namespace {

constexpr double kTie = 1e-5;  // edges of a symmetric shape differ by rounding: the first of them is named
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<SkinQuantity, 11> kQuantities = {{
    {"volume_ratio", "Volume", "%", "Enclosed volume, of the bind shape's; holes are closed by fans", 1, 100,
     [](const SkinNumbers& n) { return n.collapse.volume_ratio; }},
    {"area_ratio", "Area", "%", "Surface area, of the bind shape's", 1, 100,
     [](const SkinNumbers& n) { return n.collapse.area_ratio; }},
    {"max_edge_stretch", "Longest edge", "%", "Length of the edge stretched most, of its length in the bind shape", 0,
     100, [](const SkinNumbers& n) { return n.collapse.max_edge_stretch; }},
    {"min_edge_stretch", "Shortest edge", "%", "Length of the edge shortened most, of its length in the bind shape", 0,
     100, [](const SkinNumbers& n) { return n.collapse.min_edge_stretch; }},
    {"flipped_triangles", "Flipped triangles", "",
     "Triangles that face away from where their strongest joint turns them", 0, 1,
     [](const SkinNumbers& n) { return static_cast<double>(n.flipped_triangles); }},
    {"ring_radius", "Ring radius", "%", "Mean radius of the ring of skin around the joint, of the bind shape's", 1, 100,
     [](const SkinNumbers& n) { return n.ring && n.bind_ring.mean > 0 ? n.ring->mean / n.bind_ring.mean : kNoNumber; }},
    {"ring_smallest", "Ring, smallest", "%", "Smallest radius of that ring, of the bind shape's mean", 1, 100,
     [](const SkinNumbers& n) { return n.ring && n.bind_ring.mean > 0 ? n.ring->min / n.bind_ring.mean : kNoNumber; }},
    {"bone_distance_min", "Pinch", "mm", "Smallest distance of the skin to the posed bones", 1, 1000,
     [](const SkinNumbers& n) { return n.bones.min; }},
    {"bone_distance_max", "Bulge", "mm", "Largest distance of the skin to the posed bones", 1, 1000,
     [](const SkinNumbers& n) { return n.bones.max; }},
    {"pinned_distance", "Pinned vertex", "%",
     "Distance of the pinned vertex from the selected joint, of that in the bind pose: 100 % on an arc, less on a "
     "chord",
     1, 100,
     [](const SkinNumbers& n) { return n.pinned && n.bind_pinned > 0 ? *n.pinned / n.bind_pinned : kNoNumber; }},
    {"refine_distance", "Two refinements", "mm",
     "Largest distance between the surface made of skinned control points and the skinned mesh that was made of them "
     "before",
     1, 1000, [](const SkinNumbers& n) { return n.refine_distance.value_or(kNoNumber); }},
}};
static_assert(kQuantities[kPinnedQuantity].id == "pinned_distance" && kQuantities[kRingQuantity].id == "ring_radius" &&
              kQuantities[kRefineQuantity].id == "refine_distance" && kRefineQuantity + 1 == kQuantities.size());

// Where theory knows a pane's number at most samples of the series; equal formulas of several panes once. At single
// samples it does not know it, such as half a turn, which is no twist.
void add_closed_forms(SkinSeries& series) {
  for (const std::vector<SkinNumbers>& samples : series.numbers) {
    for (const SkinQuantity& quantity : kQuantities) {
      ClosedForm form{std::string(quantity.id), {}, {}};
      std::size_t known = 0;
      for (const SkinNumbers& sample : samples) {
        const auto row = std::ranges::find(sample.teaching, quantity.id, &TeachingRow::quantity);
        const bool found = row != sample.teaching.end() && row->closed_form;
        form.values.push_back(found ? *row->closed_form / row->rest : kNoNumber);
        form.label = found ? row->formula : form.label;
        known += found ? 1 : 0;
      }
      const bool new_one = std::ranges::none_of(series.closed_forms, [&](const ClosedForm& other) {
        return other.quantity == form.quantity && other.label == form.label;
      });
      if (2 * known > samples.size() && new_one) {
        series.closed_forms.push_back(std::move(form));
      }
    }
  }
}

// Between vertices of the same number. @pre  both are of one character
double largest_distance(const deform::DeformedCharacter& a, const deform::DeformedCharacter& b) {
  double largest = 0;
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    for (std::size_t v = 0; v < a.parts[p].positions.size(); ++v) {
      largest =
          std::max(largest, glm::distance(glm::dvec3(a.parts[p].positions[v]), glm::dvec3(b.parts[p].positions[v])));
    }
  }
  return largest;
}

// How far the pinned vertex is from the joint, now and as it was bound to it.
void measure_pinned(SkinNumbers& row, const Document& document, const deform::DeformedCharacter& shape,
                    const rig::Pose& pose, std::span<const glm::mat4> world, int joint) {
  const rig::Character& character = *document.character;
  const std::size_t part = document.view.pinned_part;  // -1 is none of them
  const std::size_t vertex = document.view.pinned_vertex;
  if (joint < 0 || part >= character.parts.size() || character.parts[part].skin < 0 ||
      vertex >= shape.parts[part].positions.size()) {
    return;
  }
  const int s = character.parts[part].skin;
  const rig::Skin& skin = character.skins[s];
  const auto listed = std::ranges::find(skin.joints, joint);
  if (listed == skin.joints.end()) {
    return;
  }
  const std::size_t k = listed - skin.joints.begin();
  const glm::dmat4 joint_from_mesh(skin.joint_from_mesh[k]);
  const glm::dvec4 bound(glm::dvec3(character.primitive(character.parts[part]).positions[vertex]), 1.0);
  const glm::dvec3 pivot(rig::posed_world_from_joint(character, pose, world, s, k)[3]);
  row.bind_pinned = glm::distance(glm::dvec3(bound), glm::dvec3(glm::inverse(joint_from_mesh)[3]));
  row.pinned = glm::distance(glm::dvec3(shape.parts[part].positions[vertex]), pivot);
}

}  // namespace

std::span<const SkinQuantity> skin_quantities() {
  return kQuantities;
}

std::size_t quantity_count(const rig::Character& character) {
  return kQuantities.size() - (deform::has_cages(character) ? 0 : 1);
}

SkinNumberMeter::SkinNumberMeter(std::shared_ptr<const rig::Character> character,
                                 std::shared_ptr<deform::SkinCache> cache)
    : character_(std::move(character)), cache_(std::move(cache)), meter_(*character_) {
  PELT_EXPECT(cache_ != nullptr, "a meter needs a cache");
  const deform::DeformedCharacter bound = measure::bind_shape(*character_);
  for (const measure::Surface& surface : meter_.surfaces()) {
    bind_.push_back(surface.positions(bound));
  }
}

std::vector<SkinNumbers> SkinNumberMeter::measure(const Document& document,
                                                  std::span<const deform::SkinningSettings> settings, int ring_joint) {
  PELT_EXPECT(document.character == character_, "the document's character is the meter's");
  if (ring_joint != ring_joint_) {
    ring_joint_ = ring_joint;
    ring_.reset();
    ring_error_.clear();
    if (ring_joint >= 0) {
      Result<measure::Ring> ring = meter_.ring(ring_joint);
      if (ring) {
        ring_ = *std::move(ring);
      } else {
        ring_error_ = ring.error().message;
      }
    }
  }
  const rig::Pose pose = deformed_pose(document, evaluate_pose(document));
  rig::WorldMatrices world;
  world.evaluate(character_->skeleton, pose);
  while (panes_.size() < settings.size()) {
    panes_.push_back({deform::CpuDeformer(cache_), {}, deform::CpuDeformer(cache_)});
  }
  const bool has_cages = deform::has_cages(*character_);
  std::vector<SkinNumbers> rows;
  Document lean = without_history(document);
  for (std::size_t i = 0; i < settings.size(); ++i) {
    Pane& pane = panes_[i];
    pane.deformer.deform(*character_, pose, world.world(), in_effect(document, settings[i]), pane.shape);
    SkinNumbers row;
    row.collapse = meter_.collapse(pane.shape);
    row.flipped_triangles = meter_.flipped_triangles(pane.shape, pose, world.world());
    row.bones = meter_.bone_distance(pane.shape, pose, world.world());
    if (ring_) {
      row.ring = meter_.radius(*ring_, pane.shape);
      row.bind_ring = meter_.bind_radius(*ring_);
    }
    if (has_cages) {
      deform::SkinningSettings other = in_effect(document, settings[i]);
      other.refine =
          other.refine == deform::Refine::kAfterSkin ? deform::Refine::kBeforeSkin : deform::Refine::kAfterSkin;
      pane.other_deformer.deform(*character_, pose, world.world(), other, pane.other_shape);
      row.refine_distance = largest_distance(pane.shape, pane.other_shape);
    }
    measure_pinned(row, document, pane.shape, pose, world.world(), ring_joint);
    row.worst_edge = worst_edge(pane.shape);
    lean.content.skinning = settings[i];
    row.teaching = teaching_rows(lean, pane.shape);
    rows.push_back(std::move(row));
  }
  return rows;
}

glm::ivec2 SkinNumberMeter::worst_edge(const deform::DeformedCharacter& shape) const {
  glm::ivec2 worst(-1);
  double largest = 0;
  for (std::size_t s = 0; s < bind_.size(); ++s) {
    const measure::Surface& surface = meter_.surfaces()[s];
    const std::vector<glm::vec3> posed = surface.positions(shape);
    std::int64_t found = -1;
    for (std::size_t i = 0; i < surface.indices.size(); ++i) {
      const std::uint32_t a = surface.indices[i];
      const std::uint32_t b = surface.indices[i % 3 == 2 ? i - 2 : i + 1];
      const double before = glm::distance(glm::dvec3(bind_[s][a]), glm::dvec3(bind_[s][b]));
      const double after = glm::distance(glm::dvec3(posed[a]), glm::dvec3(posed[b]));
      if (before > 0 && after > largest * (1 + kTie) * before) {
        largest = after / before;
        found = a;
      }
    }
    if (found >= 0) {
      const auto above =
          std::upper_bound(surface.pieces.begin(), surface.pieces.end(), found,
                           [](std::int64_t v, const measure::Surface::Piece& piece) { return v < piece.first_vertex; });
      const measure::Surface::Piece& piece = *std::prev(above);
      worst = {piece.part, static_cast<int>(found - piece.first_vertex)};
    }
  }
  return worst;
}

SeriesAxis sweep_of(const Document& document, int joint, int dof) {
  const rig::JointDofs dofs = joint_dofs(document, joint);
  PELT_EXPECT(has_index(dofs.dofs, dof), "DOF index out of range");
  const rig::Dof& of = dofs.dofs[dof];
  return {.kind = SeriesAxis::Kind::kSweep, .joint = joint, .dof = dof, .from = of.lower, .to = of.upper};
}

std::optional<SkinSeries> measure_series(SkinNumberMeter& meter, const Document& document, const SeriesAxis& axis,
                                         const Progress& progress) {
  PELT_EXPECT(axis.samples >= 2, "at least two samples");
  const rig::Character& character = *document.character;
  SkinSeries series;
  series.axis = axis;
  series.character = document.character;
  series.pinned = {document.view.pinned_part, document.view.pinned_vertex};
  double shown_per_unit = 1;
  const bool sweep = axis.kind == SeriesAxis::Kind::kSweep;
  if (sweep) {
    const rig::JointDofs dofs = joint_dofs(document, axis.joint);
    PELT_EXPECT(has_index(dofs.dofs, axis.dof), "DOF index out of range");
    const rig::Dof& dof = dofs.dofs[axis.dof];
    series.axis_id = character.skeleton->label(axis.joint) + "." + dof.name;
    series.axis_unit = dof.kind == rig::DofKind::kRotation ? "deg" : dof.kind == rig::DofKind::kTranslation ? "m" : "1";
    shown_per_unit = dof.kind == rig::DofKind::kRotation ? 1 / kDegree : 1.0;
  } else {
    PELT_EXPECT(has_index(character.clips, axis.clip), "clip out of range");
    const std::string& name = character.clips[axis.clip].name;
    series.axis_id = name.empty() ? fmt::format("clip {}", axis.clip) : name;
    series.axis_unit = "s";
  }
  for (int pane = 0; pane < pane_count(document.content); ++pane) {
    series.panes.push_back(skinning_of(document.content, pane));
  }
  series.numbers.resize(series.panes.size());
  std::vector<TrialPose> poses;
  if (sweep) {
    poses = make_sweep(document, {axis.joint, axis.dof, axis.from, axis.to, axis.samples});
  } else {
    for (int i = 0; i < axis.samples; ++i) {
      const double fraction = static_cast<double>(i) / (axis.samples - 1);
      poses.push_back({{}, ClipMoment{axis.clip, static_cast<float>(axis.from + (axis.to - axis.from) * fraction)}});
    }
  }
  const Document lean = without_history(document);  // copied for each pose
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (!report(progress, static_cast<float>(i) / static_cast<float>(poses.size()), "measuring")) {
      return std::nullopt;
    }
    const TrialPose& pose = poses[i];
    const double value = sweep ? std::get<SetDof>(pose.what).value : std::get<ClipMoment>(pose.what).time;
    series.x.push_back(static_cast<float>(value * shown_per_unit));
    std::vector<SkinNumbers> rows = meter.measure(posed(lean, pose), series.panes, axis.joint);
    for (std::size_t pane = 0; pane < rows.size(); ++pane) {
      series.numbers[pane].push_back(std::move(rows[pane]));
    }
  }
  series.ring_error = meter.ring_error();
  add_closed_forms(series);
  return series;
}

std::string to_csv(const SkinSeries& series) {
  std::string text = csv_cell(fmt::format("{} ({})", series.axis_id, series.axis_unit)) +
                     ",pane,method,backend,normals,influence_limit";
  for (const SkinQuantity& quantity : kQuantities) {
    text += fmt::format(",{}", quantity.id);
  }
  for (const ClosedForm& form : series.closed_forms) {
    text += "," + csv_cell(fmt::format("{}: {}", form.quantity, form.label));
  }
  text += "\n";
  const auto methods = deform::skinning_methods();
  for (std::size_t pane = 0; pane < series.numbers.size(); ++pane) {
    const deform::SkinningSettings& settings = series.panes[pane];
    const char letter = deform::letter_of(deform::normals_under(methods[settings.method], settings.normals));
    for (std::size_t i = 0; i < series.numbers[pane].size(); ++i) {
      text += fmt::format("{},{},{},{},{},{}", csv_cell(double{series.x[i]}), pane + 1, methods[settings.method].id,
                          "cpu", letter, settings.influence_limit);
      for (const SkinQuantity& quantity : kQuantities) {
        text += "," + csv_cell(quantity.value(series.numbers[pane][i]));
      }
      for (const ClosedForm& form : series.closed_forms) {
        text += "," + csv_cell(form.values[i]);
      }
      text += "\n";
    }
  }
  return text;
}

std::string pane_label(const deform::SkinningSettings& settings) {
  std::string label(deform::skinning_methods()[settings.method].label);
  if (settings.refine == deform::Refine::kAfterSkin) {
    label += ", control points";
  }
  if (settings.influence_limit > 0) {
    label += fmt::format(", {} influence{}", settings.influence_limit, settings.influence_limit == 1 ? "" : "s");
  }
  return label;
}

}  // namespace pelt::edit
