#include "render/gpu_skinner.h"

#include <utility>

#include "render/gl_objects.h"
#include "render/gpu_character.h"
#include "render/gpu_plan.h"
#include "render/offscreen_context.h"
#include "render/program_cache.h"

namespace pelt::render {

struct GpuSkinner::Impl {
  std::unique_ptr<OffscreenContext> context;  // first, so that it outlives the rest
  ProgramCache programs;
  GpuCharacter character;
  std::uint64_t pose_version = 0;

  explicit Impl(std::unique_ptr<OffscreenContext> made)
      : context(std::move(made)), programs(ShaderLibrary::from_environment()), character(device_limits()) {}
};

GpuSkinner::GpuSkinner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GpuSkinner::~GpuSkinner() = default;

Result<std::unique_ptr<GpuSkinner>> GpuSkinner::create() {
  PELT_TRY_TO(auto context, OffscreenContext::create());
  return std::unique_ptr<GpuSkinner>(new GpuSkinner(std::make_unique<Impl>(std::move(context))));
}

bool GpuSkinner::needs_cpu(const rig::Character& character, const deform::SkinningSettings& settings) {
  return render::needs_cpu(character, settings);
}

Result<deform::DeformedCharacter> GpuSkinner::skin(const rig::Character& character, const rig::Pose& pose,
                                                   std::span<const glm::mat4> world,
                                                   const deform::SkinningSettings& settings,
                                                   const deform::DeformedCharacter* deformed) {
  const GpuInput input = {.character = &character,
                          .pose = &pose,
                          .world = world,
                          .pose_version = ++impl_->pose_version,
                          .skinning = settings,
                          .cache = nullptr,
                          .deformed = deformed};
  PELT_TRY(impl_->character.update(input));
  return impl_->character.read_back(impl_->programs);
}

std::string GpuSkinner::device() const {
  return device_name();
}

}  // namespace pelt::render
