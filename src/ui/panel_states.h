#pragma once

#include <map>
#include <memory>
#include <typeindex>

namespace pelt::ui {

/// What each panel keeps from one picture to the next, by its type and made when first asked for: a new panel is known
/// to its own files and its row of tabs() alone. Copies keep the same states.
class PanelStates {
 public:
  template <typename Panel>
  [[nodiscard]] Panel& get() const {
    std::shared_ptr<void>& state = states_[std::type_index(typeid(Panel))];
    if (state == nullptr) {
      state = std::make_shared<Panel>();
    }
    return *static_cast<Panel*>(state.get());
  }

 private:
  mutable std::map<std::type_index, std::shared_ptr<void>> states_;
};

}  // namespace pelt::ui
