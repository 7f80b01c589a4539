#include "app/surfaces.h"

#include <new>
#include <utility>

namespace pelt::app {

Surfaces::Surfaces(std::shared_ptr<Jobs> jobs)
    : maker_(jobs, Jobs::Kind::kAsked, "Making another surface"),
      searcher_(jobs, Jobs::Kind::kLong, "Looking for T-junctions") {}

Status Surfaces::update(Session& session, const ui::Requests& requests) {
  edit::Document& document = session.document;
  if (making_of_ != nullptr && making_of_ != edit::own_character(document)) {
    cancel(session);  // another character came meanwhile
  }
  Status status = take_made(session);
  if (requests.surface) {
    make(session, *requests.surface);
  }
  if (std::optional<Found> found = searcher_.take()) {
    session.surface_marks.set_t_junctions(found->meshes, std::move(found->lists));
  }
  const bool wanted = requests.find_t_junctions || session.workspace.view.t_junctions;
  if (wanted && searched_ != document.character_version) {
    searched_ = document.character_version;
    searcher_.start([character = document.character](const Progress&) -> std::optional<Found> {
      try {
        return Found{character->meshes, edit::t_junction_lists(*character)};
      } catch (const std::bad_alloc&) {
        return std::nullopt;  // shown as still being looked for
      }
    });
  }
  return status;
}

Status Surfaces::take_made(Session& session) {
  std::optional<Made> made = maker_.take();
  if (!made) {
    return {};
  }
  making_of_ = nullptr;
  session.surface_to_come.reset();
  if (!made->character) {
    return made->character.error();
  }
  edit::show_surface(session.document, *std::move(made->character), made->choice, made->detail_error);
  session.workspace.viewport.hovered_vertex.reset();
  return {};
}

void Surfaces::make(Session& session, const rig::SurfaceChoice& choice) {
  edit::Document& document = session.document;
  const std::shared_ptr<const rig::Character> own = edit::own_character(document);
  cancel(session);
  if (choice == document.surface) {
    return;
  }
  if (choice == rig::SurfaceChoice{}) {
    edit::show_surface(document, own, choice, 0);
    session.workspace.viewport.hovered_vertex.reset();
    return;
  }
  rig::SurfaceChoice shown = document.surface;
  shown.explode = choice.explode;
  quiet_ = shown == choice;
  making_of_ = own;
  session.surface_to_come = choice;
  maker_.start([own, choice](const Progress& progress) -> std::optional<Made> {
    Made made{choice, error("not enough memory for this surface"), 0};
    try {
      Result<rig::Character> character = rig::with_surface(*own, choice, &made.detail_error, progress);
      if (character) {
        made.character = std::make_shared<const rig::Character>(*std::move(character));
      } else {
        made.character = character.error();
      }
    } catch (const std::bad_alloc&) {
      // as it was set
    }
    return made;
  });
}

bool Surfaces::cancel(Session& session) {
  session.surface_to_come.reset();
  if (making_of_ == nullptr) {
    return false;
  }
  maker_.cancel();
  making_of_ = nullptr;
  return true;
}

ui::Loading Surfaces::loading() const {
  const std::optional<Jobs::Row> row = maker_.row();
  return row && !quiet_ ? ui::Loading{true, row->name, row->what, row->fraction} : ui::Loading{};
}

}  // namespace pelt::app
