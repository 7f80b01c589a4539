#include "edit/behaviour_readings.h"

#include "edit/pose_sources.h"

namespace pelt::edit {
std::vector<DriverState> driver_states(const Document& document) {
  const std::vector<motion::Driver>& drivers = document.content.behaviour->drivers;
  std::vector<DriverState> out(drivers.size());
  if (drivers.empty()) {
    return out;
  }
  const motion::DriverRig rig = motion::make_driver_rig(*document.character, drivers);
  for (std::size_t d = 0; d < drivers.size(); ++d) {
    out[d].fault = rig.faults[d];
  }
  rig::Pose pose = pose_before(document, "drivers");
  rig::PoseBuilder builder(document.character->skeleton, pose);
  const motion::PoseSources sources = pose_sources(document);
  // One row after the other, so that each reads what those before it wrote.
  for (const motion::DriverRig::Row& row : rig.rows) {
    const motion::DriverReading reading = motion::read_driver(row, sources, builder);
    DriverState& state = out[static_cast<std::size_t>(row.driver)];
    state.value = reading.value;
    state.inputs = reading.inputs;
    const motion::DriverRig one{.rows = {row}, .faults = {}};
    motion::apply_driver_rig(
        one, sources, [](std::size_t) { return 0.0; }, builder);
  }
  return out;
}

std::vector<std::string> held_back(const Document& document) {
  const std::vector<motion::SemanticSlider>& sliders = document.content.behaviour->sliders;
  if (sliders.empty()) {
    return {};
  }
  rig::Pose pose = pose_before(document, "sliders");
  rig::PoseBuilder builder(document.character->skeleton, pose);
  return motion::apply_sliders(motion::make_slider_rig(*document.character, sliders), pose_sources(document), builder);
}

}  // namespace pelt::edit
