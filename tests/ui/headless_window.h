#pragma once

// The whole window drawn without a display: ImGui with no backend, its input written by hand.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <imgui.h>

#include "edit/evaluation.h"
#include "support/fixtures.h"
#include "ui/actions.h"
#include "ui/compare_panel.h"
#include "ui/joints_panel.h"
#include "ui/skinning_panel.h"
#include "ui/window.h"
#include "ui/workspace.h"

namespace pelt::ui {

/// A window with nobody looking.
class HeadlessWindow : public testing::Test {
 protected:
  void SetUp() override {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DeltaTime = 1.0f / 60;
    io.MousePos = ImVec2(-1000, -1000);
    resize({1440, 900}, 1);
    workspace_.panel<SkinningPanel>().patient = true;
    workspace_.panel<JointsPanel>().learning.patient = true;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as that of the program
    open(test::elbow());
  }
  void TearDown() override { ImGui::DestroyContext(); }

  void open(rig::Character character) {
    auto shared = std::make_shared<rig::Character>(std::move(character));
    if (document_.character) {
      edit::open_character(document_, shared);
    } else {
      document_ = edit::make_document(shared);
    }
    frames(2);
  }
  void resize(glm::vec2 size, float scale) {
    ImGui::GetIO().DisplaySize = ImVec2(size.x, size.y);
    theme_ = apply_theme(scale);
  }
  /// Draws one picture and carries out what it asked for.
  Requests frame(const Action* action = nullptr, const Chord& chord = {}) {
    evaluation_.update(document_);
    Scene scene;
    scene.document = &document_;
    scene.pose = &evaluation_.pose();
    scene.world = evaluation_.world();
    scene.pose_version = evaluation_.version();
    scene.bounds = evaluation_.deformed(document_).bounds;
    scene.deformed = [this](int pane) -> const deform::DeformedCharacter& {
      ++deformed_asked_;
      return evaluation_.deformed(document_, pane);
    };
    scene.skin_cache = evaluation_.cache();
    scene.surface_to_come = surface_to_come_;
    scene.now = now_;
    scene.stats = &stats_;
    scene.device = "none";
    scene.measurements = &measurements_;
    scene.unsaved = unsaved_;
    scene.given_up = given_up_;
    scene.exported = exported_;
    Requests requests;
    report_.clear();
    Desk desk{scene, workspace_, requests, report_, theme_};
    ImGui::NewFrame();
    if (listens_) {
      ImGui::LogToClipboard(0);
    }
    if (action != nullptr) {
      run(*action, desk);
    }
    if (chord.key != kNoKey) {
      ui::press(chord, desk);
    }
    draw_window(desk);
    if (listens_) {
      ImGui::LogFinish();
    }
    ImGui::Render();
    if (!framed_) {
      frame_all(workspace_, scene);
      framed_ = true;
    }
    apply(requests, document_);
    forget_lost_panes(workspace_, document_);
    unsaved_ = unsaved_ && requests.save_session.empty();  // the owner of files has written it
    for (std::string Requests::*member :
         {&Requests::open_file, &Requests::located, &Requests::discard, &Requests::open_weights_from,
          &Requests::open_weight_text, &Requests::save_weight_text}) {
      asked_.*member += requests.*member;
    }
    asked_.agreed = asked_.agreed || requests.agreed;
    asked_.carry_over_held = requests.carry_over_held ? requests.carry_over_held : asked_.carry_over_held;
    quit_ = quit_ || requests.quit;
    taught_ = taught_ || requests.teach;
    return requests;
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) {
      frame();
    }
  }
  /// What the next picture says, as it is drawn; a tooltip is the end of it.
  std::string words() {
    listens_ = true;
    frame();
    listens_ = false;
    return ImGui::GetClipboardText();
  }
  void act(const char* id) {
    const Action* action = find_action(id);
    ASSERT_NE(action, nullptr) << id;
    frame(action);
    frame();
  }
  /// Esc as the window passes it on.
  void press_escape() {
    frame(nullptr, Chord{kKeyEscape});
    frame();
  }
  void move(glm::vec2 to) {
    ImGui::GetIO().MousePos = ImVec2(to.x, to.y);
    frames(2);
  }
  void button(bool down) {
    ImGui::GetIO().MouseDown[0] = down;
    frames(2);
  }
  void press(int key) {
    for (const bool down : {true, false}) {
      ImGui::GetIO().KeysDown[key] = down;
      frames(2);
    }
  }
  void click(const std::string& widget) {
    ASSERT_TRUE(report_.contains(widget)) << widget;
    move(report_[widget].center());
    button(true);
    button(false);
  }
  void drag(glm::vec2 from, glm::vec2 to) {
    move(from);
    button(true);
    for (int i = 1; i <= 4; ++i) {
      move(glm::mix(from, to, static_cast<float>(i) / 4));
    }
    button(false);
  }

  edit::Document document_;
  edit::Evaluation evaluation_;
  Workspace workspace_;
  render::RenderStats stats_;
  Measurements measurements_;
  WidgetReport report_;
  Theme theme_;
  std::optional<rig::SurfaceChoice> surface_to_come_;
  double now_ = 0;          ///< seconds
  int deformed_asked_ = 0;  ///< how often panels wanted a shape of the CPU
  bool listens_ = false;
  bool framed_ = false;
  std::string exported_ = {};
  bool unsaved_ = false;
  bool given_up_ = false;  ///< the user has agreed to lose what is not saved
  Requests asked_;         ///< files of sessions that frames asked for
  bool quit_ = false;      ///< some frame asked for it
  bool taught_ = false;    ///< a teaching rig was asked for
};

}  // namespace pelt::ui
