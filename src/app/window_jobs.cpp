// What the running window has done in the background.
#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "app/window_state.h"
#include "core/index.h"
#include "measure/diet.h"

namespace pelt::app {
namespace {

// Settings for which a method has to prepare before they can take effect, and the character that the pane shows.
struct Unprepared {
  deform::SkinningSettings settings;
  std::shared_ptr<const rig::Character> character;
};

std::shared_ptr<const rig::Character> character_of_pane(const edit::Document& document, int pane) {
  const auto& others = document.stand_ins;
  return has_index(others, pane) && others[pane] != nullptr ? others[pane] : document.character;
}

// Of a pane, or of what panes are compared with.
std::optional<Unprepared> unprepared(const Session& session) {
  const edit::Document& document = shown_document(session);
  const int panes = edit::pane_count(document.content);
  for (int pane = 0; pane < panes; ++pane) {
    if (session.evaluation.waits(pane) || session.evaluation.outdated(pane)) {
      return Unprepared{edit::in_effect(document, edit::skinning_of(document.content, pane)),
                        character_of_pane(document, pane)};
    }
  }
  const render::ViewSettings& view = session.workspace.view;
  const bool full_precision = view.compare.reference == render::Reference::kFullPrecision;
  if (view.look == render::Look::kDifference &&
      (full_precision || view.compare.reference == render::Reference::kMethod)) {
    for (int pane = 0; pane < panes; ++pane) {
      deform::SkinningSettings settings = session.evaluation.skinning(pane);
      if (full_precision) {
        settings = measure::full_precision(settings);
      } else {
        settings.method = view.compare.method;
      }
      if (!session.evaluation.prepared(document, settings, pane)) {
        return Unprepared{settings, character_of_pane(document, pane)};
      }
    }
  }
  return std::nullopt;
}

// Panes go back to what they show, since what they wait for will not come.
void stop_preparing(Window& app) {
  Session& session = app.session;
  app.preparer.cancel();
  for (int pane = 0; pane < edit::pane_count(session.document.content); ++pane) {
    deform::SkinningSettings settings = edit::skinning_of(session.document.content, pane);
    if (session.evaluation.waits(pane)) {
      const deform::Backend backend = settings.backend;
      settings = session.evaluation.skinning(pane);
      settings.backend = backend;
    } else if (session.evaluation.outdated(pane)) {
      // Nothing is prepared for these weights: what asks for it goes, and all else stays.
      const deform::SkinningSettings plain;
      settings.method = plain.method;
      settings.parameters = plain.parameters;
      settings.normals = plain.normals;
    } else {
      continue;
    }
    edit::apply(session.document, {edit::SetSkinning{settings, pane}, {}, true});
  }
  update(session);            // takes back what panes wait for
  if (unprepared(session)) {  // what is compared with
    session.workspace.view.compare.reference = render::Reference::kOtherBackend;
  }
}

void cancel_opening(Window& app) {
  app.opening.loader.cancel();
  app.opening.recovered.reset();
}
void cancel_export(Window& app) {
  app.exporter.cancel();
}
void cancel_weight_text(Window& app) {
  app.weight_text.cancel();
}
void cancel_saving(Window& app) {
  app.saving.source.cancel();
  app.saving.waiting.reset();
}
void cancel_surface(Window& app) {
  app.surfaces.cancel(app.session);
}

ui::Loading loading_of_row(const std::optional<Jobs::Row>& row) {
  return row ? ui::Loading{true, row->name, row->what, row->fraction} : ui::Loading{};
}

/// Work that somebody waits for: to end it takes back what was begun with it, and is said.
struct AwaitedWork {
  Jobs::SlotId (*id)(const Window&);
  ui::Loading (*loading)(const Window&);
  void (*cancel)(Window&);
  const char* cancelled;  // in words
};

// Of several that go on, the first has the card in the middle of the window.
constexpr std::array kAwaited = {
    AwaitedWork{[](const Window& app) { return app.opening.loader.slot().id(); },
                [](const Window& app) { return loading_of_row(app.opening.loader.slot().row()); }, cancel_opening,
                "Opening cancelled"},
    AwaitedWork{[](const Window& app) { return app.exporter.id(); },
                [](const Window& app) { return loading_of_row(app.exporter.row()); }, cancel_export,
                "Export cancelled"},
    AwaitedWork{[](const Window& app) { return app.weight_text.id(); },
                [](const Window& app) { return loading_of_row(app.weight_text.row()); }, cancel_weight_text,
                "The weights are not saved"},
    AwaitedWork{
        [](const Window& app) { return app.saving.source.slot().id(); },
        [](const Window& app) {
          // Also between its end and the picture that takes the result: a window that is being left waits for it.
          const ui::Loading loading = loading_of_row(app.saving.source.slot().row());
          return !app.saving.waiting ? ui::Loading{} : loading.active ? loading : ui::Loading{true, "Saving", "", 1};
        },
        cancel_saving, "The session is not saved"},
    AwaitedWork{[](const Window& app) { return app.surfaces.id(); },
                [](const Window& app) { return app.surfaces.loading(); }, cancel_surface, "The surface stays as it is"},
    AwaitedWork{[](const Window& app) { return app.preparer.id(); },
                [](const Window& app) {
                  return unprepared(app.session) ? loading_of_row(app.jobs->row(app.preparer.id())) : ui::Loading{};
                },
                stop_preparing, "Preparing cancelled"},
};

void cancel(Window& app, const AwaitedWork& work) {
  work.cancel(app);
  show_notice(app, work.cancelled);
}

}  // namespace

void keep_preparing(Window& app) {
  const std::optional<Unprepared> wanted = unprepared(app.session);
  if (app.preparer.failed()) {
    stop_preparing(app);
    show_error(app, "not enough memory to prepare the skinning method");
  } else if (wanted) {
    app.preparer.start(app.session.evaluation.cache(), wanted->character, wanted->settings);
  } else if (app.preparer.active()) {
    app.preparer.cancel();
  }
}

void collect_exported(Window& app) {
  const std::optional<Result<ExportReport>> exported = app.exporter.take();
  if (!exported) {
    return;
  }
  if (const std::optional<BeingExported> what = std::exchange(app.being_exported, std::nullopt); *exported) {
    show_notice(app, (*exported)->line);
    if (what) {
      note_export(app.session, what->content, what->file, what->is_shown && (*exported)->is_whole, glfwGetTime());
    }
  } else {
    app.is_leaving = false;  // else nobody would read why there is no file
    show_error(app, exported->error().message);
  }
}

ui::Loading loading_of(const Window& app) {
  for (const AwaitedWork& work : kAwaited) {
    if (ui::Loading loading = work.loading(app); loading.active) {
      return loading;
    }
  }
  return {};
}

void cancel_job(Window& app, Jobs::SlotId job) {
  for (const AwaitedWork& work : kAwaited) {
    if (work.id(app) == job) {
      cancel(app, work);
      return;
    }
  }
  app.jobs->cancel(job);
}

void cancel_shown_job(Window& app) {
  for (const AwaitedWork& work : kAwaited) {
    if (work.loading(app).active) {
      cancel(app, work);
      return;
    }
  }
}

}  // namespace pelt::app
