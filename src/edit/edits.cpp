#include "edit/edits.h"

#include <array>
#include <cstddef>
#include <type_traits>

namespace pelt::edit {
namespace {

template <typename Parameters>
struct Row {
  Edit edit;
};

// label(), carry_out() and, where there are, remark() and refusal() are found by the type of the parameters.
template <typename Parameters>
constexpr Row<Parameters> row(std::string_view id, bool is_step = true) {
  return {{.id = id,
           .label = [](const Document& document,
                       const Change& change) { return label(document, *change.get_if<Parameters>()); },
           .carry_out = [](const Document& document, const Change& change, Content& content,
                           View& view) { carry_out(document, *change.get_if<Parameters>(), content, view); },
           .notice =
               [](const Document& document, const Change& change) {
                 if constexpr (requires(const Parameters& parameters) { remark(document, parameters); }) {
                   return remark(document, *change.get_if<Parameters>());
                 } else {
                   return std::string();
                 }
               },
           .refusal =
               [](const Document& document, const Change& change) {
                 if constexpr (requires(const Parameters& parameters) { refusal(document, parameters); }) {
                   return refusal(document, *change.get_if<Parameters>());
                 } else {
                   return std::string();
                 }
               },
           .is_step = is_step}};
}

// A row that stands where Change has another alternative does not compile.
template <typename... Parameters>
requires std::is_base_of_v<OneOf<Parameters...>, Change>
constexpr std::array<Edit, sizeof...(Parameters)> table(const Row<Parameters>&... rows) {
  return {rows.edit...};
}

constexpr auto kEdits = table(  //
    row<SetDof>("set-slider"), row<SetDofs>("set-sliders"), row<SetJointLocal>("pose-joint"),
    row<ResetDof>("reset-slider"), row<ResetDofs>("reset-sliders"), row<ResetJoints>("reset-joints"),
    row<SetBasePose>("base-pose"), row<MirrorPose>("mirror"), row<SetMorph>("set-shape"),
    row<ResetMorphs>("reset-shapes"), row<SetClip>("clip"), row<SetTime>("time", false),
    row<SetEulerOrder>("rotation-order"), row<SetSkinning>("skinning"), row<SetPanes>("panes"),
    row<ReplacePose>("replace-pose"), row<ReplaceCharacter>("replace-character"), row<RebindSkin>("rebind-skin"),
    row<SetLayer>("set-layer"), row<RenameJoint>("rename-joint"), row<SmoothWeights>("smooth-weights"),
    row<NameSelection>("name-selection"), row<RemoveSelection>("forget-selection"),
    row<SetJointSliders>("set-joint-sliders"), row<SetSlidersOfJoints>("set-sliders-of-joints"),
    row<SetKeys>("set-keys"), row<KeyJoints>("key-joints"), row<RemoveKeys>("remove-keys"), row<MoveKeys>("move-keys"),
    row<SetInterpolation>("interpolation"), row<SetTangents>("tangents"), row<SetTangent>("tangent"),
    row<AddClip>("add-clip"), row<RenameClip>("rename-clip"), row<RemoveClip>("remove-clip"),
    row<ChangeClip>("change-clip"), row<InsertClip>("insert-clip"), row<DragJoint>("drag-joint"),
    row<PinJoints>("pin-joints"), row<BreakDownPose>("break-down"), row<SetDrivers>("set-drivers"),
    row<SetSemanticSliders>("set-semantic-sliders"), row<SetSemanticValue>("set-semantic-value"),
    row<SetSprings>("set-springs"), row<SetJointLocals>("pose-joints"), row<StorePoses>("store-poses"),
    row<ReplaceStoredPose>("replace-stored-pose"), row<RenameStoredPose>("rename-stored-pose"),
    row<RemoveStoredPose>("remove-stored-pose"), row<MoveStoredPose>("move-stored-pose"), row<ApplyPose>("apply-pose"),
    row<SetClipLayers>("set-clip-layers"), row<BakeClipLayers>("bake-clip-layers"), row<BakeSprings>("bake-springs"),
    row<BakePins>("bake-pins"), row<SetConstraints>("set-constraints"),
    row<SetFileConstraintWeight>("file-constraint-weight"), row<BindSkin>("bind-skin"), row<LockJoints>("lock-joints"),
    row<PaintWeights>("paint-weights"), row<PullWeights>("pull-weights"), row<UseWeightTool>("weight-tool"),
    row<UseFileWeights>("file-weights"), row<AddJoints>("add-joints"), row<PlaceJoints>("place-joints"),
    row<RemoveNewJoints>("remove-new-joints"), row<KeepPose>("keep-pose"), row<ForgetPose>("forget-kept-pose"),
    row<RelaxWeights>("relax-weights"));

}  // namespace

std::span<const Edit> edits() {
  return kEdits;
}

const Edit& edit_of(const Change& change) {
  return kEdits[change.index()];
}

std::string label(const Document& document, const Change& change) {
  return edit_of(change).label(document, change);
}

std::string notice(const Document& document, const Change& change) {
  return edit_of(change).notice(document, change);
}

std::string why_refused(const Document& document, const Change& change) {
  return edit_of(change).refusal(document, change);
}

}  // namespace pelt::edit
