#include "app/laboratory.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "formats/open.h"
#include "rig/lint.h"
#include "rig/lint_fix.h"
#include "rig/merge.h"
#include "ui/compare_panel.h"

namespace pelt::app {
namespace {

/// What measuring needs of a session, as a copy that another thread may keep.
struct Sample {
  edit::Document document;  ///< without history
  std::shared_ptr<deform::SkinCache> cache;
  std::vector<deform::SkinningSettings> panes;  ///< in effect
  std::uint64_t pose_version = 0;
};

Sample sample_of(const Session& session) {
  Sample sample;
  sample.document = edit::without_history(session.document);
  sample.cache = session.evaluation.cache();
  for (int pane = 0; pane < edit::pane_count(sample.document.content); ++pane) {
    sample.panes.push_back(session.evaluation.skinning(pane));
  }
  sample.pose_version = session.evaluation.version();
  return sample;
}

ui::PoseNumbers numbers_of(edit::SkinNumberMeter& meter, const Sample& sample) {
  ui::PoseNumbers numbers;
  numbers.ring_joint = sample.document.view.selected_joint();
  numbers.panes = meter.measure(sample.document, sample.panes, numbers.ring_joint);
  numbers.ring_error = meter.ring_error();
  numbers.pose_version = sample.pose_version;
  return numbers;
}

std::optional<edit::SkinSeries> series_of(edit::SkinNumberMeter& meter, const Sample& sample,
                                          const edit::SeriesAxis& axis, const Progress& progress) {
  for (int pane = 0; pane < edit::pane_count(sample.document.content); ++pane) {
    const deform::SkinningSettings settings =
        edit::in_effect(sample.document, edit::skinning_of(sample.document.content, pane));
    if (!sample.cache->prepare(*sample.document.character, settings, progress)) {
      return std::nullopt;
    }
  }
  return edit::measure_series(meter, sample.document, axis, progress);
}

using Delivery = std::function<void(ui::Measurements&)>;

// A character too large to measure must not take the window with it.
constexpr const char* kNoMemory = "not enough memory to measure this";
std::optional<Delivery> guarded(
    const std::function<std::optional<Delivery>()>& measure,
    Delivery failed = [](ui::Measurements& out) { out.error = kNoMemory; }) {
  try {
    return measure();
  } catch (const std::bad_alloc&) {
    return failed;
  }
}

// What mending does away with, by kind of finding. The way back comes first: a narrow window cuts the end.
std::string mended_of(const Session& session, const std::vector<std::string>& codes) {
  std::vector<std::pair<std::string, int>> kinds;
  int count = 0;
  if (const auto& lint = session.measurements.lint) {
    for (const rig::Finding& finding : lint->findings) {
      if (std::ranges::find(codes, finding.code) == codes.end()) {
        continue;
      }
      ++count;
      const auto known = std::ranges::find(kinds, finding.code, &std::pair<std::string, int>::first);
      if (known == kinds.end()) {
        kinds.emplace_back(finding.code, 1);
      } else {
        ++known->second;
      }
    }
  }
  std::string text = fmt::format("Fixed {} {}, Ctrl+Z takes it back", count, count == 1 ? "finding" : "findings");
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto& [code, times] = kinds[i];
    text += (i == 0 ? ": " : ", ") + (times == 1 ? code : fmt::format("{} {}", times, code));
  }
  return text;
}

// The file that has more to say than the character keeps, if it is still the one that was read.
std::optional<OpenedFile> file_to_ask(const Session& session) {
  const bool can_be_read_again = !session.opened.name.empty() && session.opened.name != "-";
  return can_be_read_again && is_as_read(session) ? std::optional(session.opened) : std::nullopt;
}

// What `pelt lint` says of the file: what the specification forbids is looked for on reading, for which the window does
// not take the time when it opens one.
Result<rig::Findings> findings_of(const rig::Character& character, const std::optional<OpenedFile>& opened,
                                  const Progress& progress) {
  if (opened && is_unchanged(*opened)) {
    gltf::ImportOptions options;
    options.allow_outside_uris = opened->allow_outside_uris;
    options.check_conformance = true;
    if (const Result<rig::Character> checked = formats::open_character(opened->name, options, progress)) {
      return rig::lint(character, checked->diagnostics, progress);
    }
  }
  return rig::lint(character, progress);
}

ui::Measurements::Work work_of(const std::optional<Jobs::Row>& row) {
  return row ? ui::Measurements::Work{true, row->fraction, row->what} : ui::Measurements::Work{};
}

}  // namespace

/// Kept from one measurement to the next as long as the character stays.
struct Laboratory::Meter {
  std::unique_ptr<edit::SkinNumberMeter> meter;

  edit::SkinNumberMeter& of(const Sample& sample) {
    if (meter == nullptr || meter->character() != sample.document.character) {
      meter = std::make_unique<edit::SkinNumberMeter>(sample.document.character, sample.cache);
    }
    return *meter;
  }
};

Laboratory::Laboratory(std::shared_ptr<Jobs> jobs)
    : numbers_meter_(std::make_shared<Meter>()),
      series_meter_(std::make_shared<Meter>()),
      numbers_(jobs, Jobs::Kind::kLive, "Numbers of the pose"),
      long_work_(jobs, Jobs::Kind::kLong, "Measuring"),
      lint_(jobs, Jobs::Kind::kLong, "Looking for faults"),
      mending_(jobs, Jobs::Kind::kAsked, "Fixing") {}

Laboratory::~Laboratory() = default;

void Laboratory::start_numbers(const Session& session) {
  numbers_pinned_ = {session.document.view.pinned_part, session.document.view.pinned_vertex};
  numbers_.start([sample = sample_of(session), meter = numbers_meter_](const Progress&) {
    // What failed is an answer, too: asked again in every picture, it would fail without end.
    const ui::PoseNumbers none{{}, sample.document.view.selected_joint(), kNoMemory, sample.pose_version};
    return guarded(
        [&]() -> std::optional<Delivery> {
          ui::PoseNumbers numbers = numbers_of(meter->of(sample), sample);
          return [numbers = std::move(numbers)](ui::Measurements& out) { out.numbers = numbers; };
        },
        [none](ui::Measurements& out) { out.numbers = none; });
  });
}

void Laboratory::start_series(const Session& session, const edit::SeriesAxis& axis) {
  battery_runs_ = false;
  long_of_ = session.document.character;
  long_work_.start("Measuring a plot",
                   [sample = sample_of(session), meter = series_meter_, axis](const Progress& progress) {
                     return guarded([&]() -> std::optional<Delivery> {
                       std::optional<edit::SkinSeries> series = series_of(meter->of(sample), sample, axis, progress);
                       if (!series) {
                         return std::nullopt;
                       }
                       return [series = *std::move(series)](ui::Measurements& out) { out.series = series; };
                     });
                   });
}

void Laboratory::start_battery(const Session& session, const std::vector<int>& methods,
                               const edit::BatteryOptions& options) {
  battery_runs_ = true;
  long_of_ = session.document.character;
  long_work_.start("Measuring a battery", [sample = sample_of(session), methods, options](const Progress& progress) {
    return guarded([&]() -> std::optional<Delivery> {
      std::optional<edit::MethodBattery> battery =
          edit::run_battery(sample.document, methods, options, sample.cache, progress);
      if (!battery) {
        return std::nullopt;
      }
      return [battery = *std::move(battery)](ui::Measurements& out) {
        out.battery = battery;
        ++out.battery_serial;
      };
    });
  });
}

void Laboratory::start_lint(const Session& session) {
  lint_.start(
      [character = edit::own_character(session.document), opened = file_to_ask(session)](const Progress& progress) {
        return guarded([&]() -> std::optional<Delivery> {
          Result<rig::Findings> findings = findings_of(*character, opened, progress);
          if (!findings) {
            return std::nullopt;
          }
          return [character, findings = *std::move(findings)](ui::Measurements& out) {
            out.lint = ui::LintReport{character, findings};
          };
        });
      });
}

void Laboratory::start_fix(const Session& session, const std::vector<std::string>& codes) {
  mending_.start([character = edit::own_character(session.document), codes,
                  what = mended_of(session, codes)](const Progress&) -> std::optional<Mended> {
    try {
      std::vector<rig::RenumberedVertices> renumbered;
      auto sound = std::make_shared<const rig::Character>(rig::fixed(*character, codes, &renumbered));
      return Mended{character, std::move(sound), std::move(renumbered), what, edit::label_of_fix(codes)};
    } catch (const std::bad_alloc&) {
      return Mended{character, nullptr, {}, {}, {}};
    }
  });
}

std::string Laboratory::update(Session& session, const ui::Requests& requests) {
  std::string notice;
  ui::Measurements& measured = session.measurements;
  if (std::optional<Mended> mended = mending_.take()) {
    if (mended->character == nullptr) {
      measured.error = "not enough memory to mend this";
    } else if (Result<rig::Character> both =
                   rig::merged(*mended->from, *mended->character, *edit::own_character(session.document))) {
      auto character = std::make_shared<const rig::Character>(*std::move(both));
      const edit::ReplaceCharacter change{std::move(character), std::move(mended->renumbered),
                                          std::move(mended->label)};
      const std::string remark = edit::notice(session.document, change);
      edit::apply(session.document, {change, {}, true});
      notice = remark.empty() ? std::move(mended->what) : fmt::format("{}; {}", mended->what, printable(remark, 400));
    } else {
      notice = fmt::format("Nothing was fixed, since the character changed meanwhile: {}", both.error().message);
    }
  }
  if (!requests.fix.empty()) {
    start_fix(session, requests.fix);
  }
  const std::shared_ptr<const rig::Character>& shown = session.document.character;
  if (long_work_.active() && long_of_ != shown) {
    long_work_.cancel();  // it measures what is no longer shown
  }
  if (const auto& own = edit::own_character(session.document); requests.lint && lint_of_ != own) {
    lint_of_ = own;
    start_lint(session);
  }
  for (JobSlot<Delivery>* work : {&numbers_, &long_work_, &lint_}) {
    if (const std::optional<Delivery> deliver = work->take()) {
      (*deliver)(measured);
    }
  }
  if (requests.measure_series || requests.run_battery) {
    measured.error.clear();
  }
  if (requests.cancel_measuring) {
    long_work_.cancel();
  }
  if (requests.measure_series) {
    start_series(session, *requests.measure_series);
  } else if (requests.run_battery) {
    start_battery(session, *requests.run_battery, requests.battery);
  }
  const bool current =
      measured.numbers && measured.numbers->pose_version == session.evaluation.version() &&
      measured.numbers->ring_joint == session.document.view.selected_joint() &&
      numbers_pinned_ == glm::ivec2(session.document.view.pinned_part, session.document.view.pinned_vertex);
  if (requests.measure_numbers && !current && !numbers_.active()) {
    start_numbers(session);
  }
  const ui::Measurements::Work long_work = work_of(long_work_.row());
  measured.lint_work = work_of(lint_.row());
  measured.series_work = battery_runs_ ? ui::Measurements::Work{} : long_work;
  measured.battery_work = battery_runs_ ? long_work : ui::Measurements::Work{};
  return notice;
}

void Laboratory::forget(Session& session) {
  numbers_.cancel();
  long_work_.cancel();
  lint_.cancel();
  mending_.cancel();
  lint_of_ = nullptr;
  const int serial = session.measurements.battery_serial;  // the next battery is another one
  session.measurements = {};
  session.measurements.battery_serial = serial;
}

std::string_view lesson_file(ui::TeachingRig rig) {
  switch (rig) {
    case ui::TeachingRig::kElbow:
      return "@elbow";
    case ui::TeachingRig::kCandyWrapper:
      return "@cylinder";
    case ui::TeachingRig::kControlPoints:
      return "@tube";
  }
  return {};
}

namespace {

/// What a lesson shows.
struct Stage {
  const char* joint;
  const char* dof;
  float degrees;
  std::array<const char*, 2> methods;  ///< of the two panes
  bool control_points;                 ///< the first pane skins them
  int quantity;                        ///< that is plotted
};

Stage stage_of(ui::TeachingRig rig) {
  switch (rig) {
    case ui::TeachingRig::kElbow:  // the angles are those of the figures of §7
      return {"forearm", "bend", -90, {"lbs", "dqs"}, false, edit::kPinnedQuantity};
    case ui::TeachingRig::kCandyWrapper:
      return {"tip", "twist", 120, {"lbs", "dqs"}, false, edit::kRingQuantity};
    case ui::TeachingRig::kControlPoints:
      break;
  }
  return {"tip", "bend", 100, {"lbs", "lbs"}, true, edit::kRefineQuantity};
}

}  // namespace

edit::SeriesAxis begin_lesson(Session& session, ui::TeachingRig rig) {
  edit::Document& document = session.document;
  const Stage stage = stage_of(rig);
  const int joint = document.character->skeleton->find(stage.joint);
  PELT_EXPECT(joint >= 0, "the character is the rig");
  const rig::JointDofs dofs = edit::joint_dofs(document, joint);
  const int dof = dofs.find(stage.dof);
  PELT_EXPECT(dof >= 0, "the character is the rig");

  const auto apply = [&](edit::Change change) { edit::apply(document, {std::move(change), {}, false}); };
  apply(edit::SetPanes{1});  // whatever panes showed before
  apply(edit::SetPanes{2});
  for (int pane = 0; pane < 2; ++pane) {
    deform::SkinningSettings settings;
    settings.method = deform::find_method(stage.methods[static_cast<std::size_t>(pane)]);
    if (stage.control_points && pane == 0) {
      settings.refine = deform::Refine::kAfterSkin;
    }
    apply(edit::SetSkinning{settings, pane});
  }
  apply(edit::SetClip{-1});
  apply(edit::SetDof{joint, dof, glm::radians(stage.degrees)});
  document.view.select_only(joint);

  ui::Workspace& workspace = session.workspace;
  workspace.playback.playing = false;
  if (workspace.view.look != render::Look::kClay) {
    workspace.view.look = render::Look::kShaded;  // colours were about the other character
  }
  workspace.view.compare = {};
  workspace.view.wipe = false;
  workspace.panel<ui::ComparePanel>().dof = dof;
  workspace.panel<ui::ComparePanel>().over_clip = false;
  workspace.panel<ui::ComparePanel>().quantity = stage.quantity;
  workspace.view.cage = stage.control_points;
  if (const std::optional<glm::ivec2> a = edit::teaching_vertex(*document.character)) {
    document.view.pinned_part = a->x;
    document.view.pinned_vertex = a->y;
    workspace.view.ghost_points = true;  // with the chord and the arc between them
  }
  ui::reveal_plot(workspace.panel<ui::ComparePanel>());
  workspace.tab = ui::kCompareTab;
  workspace.panels_hidden = false;
  workspace.help_open = false;  // it stands where the tabs are
  return edit::sweep_of(document, joint, dof);
}

void lint_now(Session& session) {
  const std::shared_ptr<const rig::Character>& own = edit::own_character(session.document);
  if (Result<rig::Findings> findings = findings_of(*own, file_to_ask(session), {}); findings) {
    session.measurements.lint = ui::LintReport{own, *std::move(findings)};
  }
}

void measure_now(Session& session, const std::optional<edit::SeriesAxis>& axis) {
  const Sample sample = sample_of(session);
  edit::SkinNumberMeter meter(sample.document.character, sample.cache);
  session.measurements.numbers = numbers_of(meter, sample);
  if (axis) {
    session.measurements.series = series_of(meter, sample, *axis, {});
  }
}

}  // namespace pelt::app
