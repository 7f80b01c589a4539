// Any bytes as a file beside a character: a pose, weights, an environment, the preferences.
#include <cmath>

#include "edit/edit_fixtures.h"
#include "edit/pose_file.h"
#include "edit/random_changes.h"
#include "edit/session.h"
#include "edit/weight_text.h"
#include "edit/weight_tools.h"
#include "fuzz/targets.h"
#include "render/environment.h"
#include "rig/kinematics.h"
#ifdef PELT_WINDOW
#include "app/preferences.h"
#endif

namespace pelt::fuzz {
namespace {

std::string_view words_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

edit::Document arm_document() {
  return edit::make_document(std::make_shared<const rig::Character>(test::arm()));
}

}  // namespace

// A pose that was read is finite, and reads as the same when it is written.
void read_pose(std::span<const std::uint8_t> bytes) {
  static const edit::Document kArm = arm_document();
  edit::Document document = kArm;
  const Result<edit::ReplacePose> pose = edit::pose_from_json(document, words_of(bytes));
  if (!pose) {
    demand_sentence(pose.error().message);
    return;
  }
  edit::apply(document, {*pose, "", false});
  for (const auto& [joint, local] : *document.content.overrides) {
    demand(joint >= 0 && joint < document.character->skeleton->size(), "a pose is of joints that there are");
    for (int i = 0; i < 3; ++i) {
      demand(std::isfinite(local.local.translation[i]) && std::isfinite(local.local.scale[i]), "a pose is finite");
    }
  }
  const Result<edit::ReplacePose> again = edit::pose_from_json(kArm, edit::pose_to_json(document));
  demand(again.has_value() || document.content.overrides->empty(), "a pose that is written can be read");
}

std::vector<std::string> pose_seeds() {
  edit::Document document = arm_document();
  edit::apply(document, {edit::SetDof{2, 0, 0.5f}, "", false});
  edit::apply(document, {edit::SetMorph{0, 0.5f}, "", false});
  return {edit::pose_to_json(document),
          R"({"pelt": "pose", "version": 1, "joints": {"shoulder_l": {"rotation": [0, 0, 0.6, 0.8]}},
              "nodes": {"7": {"scale": [1, 2, 1], "translation": [0, 0, 1]}}, "morphs": {"smile": 1}})",
          "{\"pelt\": \"pose\", \"version\": 1, \"joints\": " + std::string(70, '[') + std::string(70, ']') + "}"};
}

// Weights that are taken sum to one, of joints that there are; and what comes of them is written and read again.
void read_weights(std::span<const std::uint8_t> bytes) {
  static const edit::Document kArm = arm_document();
  Result<edit::WeightTable> table = edit::read_weights_text(words_of(bytes));
  if (!table) {
    demand_sentence(table.error().message);
    return;
  }
  const edit::UseWeightTool change{.tool = "load",
                                   .table = std::make_shared<const edit::WeightTable>(*std::move(table))};
  if (const std::string why = edit::why_refused(kArm, change); !why.empty()) {
    demand_sentence(why);
    return;
  }
  const auto loaded = edit::with_weight_tool(*kArm.content.character, change);
  demand(loaded.has_value(), "what is not refused is carried out");
  if (*loaded == nullptr) {
    return;  // the same weights
  }
  const mesh::Influences& rows = (*loaded)->meshes[0].primitives[0].influences;
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    float sum = 0;
    for (std::size_t k = 0; k < rows.count(v); ++k) {
      demand(rows.joints(v)[k] < (*loaded)->skins[0].joints.size(), "weights are of joints that the skin lists");
      demand(rows.weights(v)[k] > 0, "no weight is stored that is none");
      sum += rows.weights(v)[k];
    }
    demand(rows.count(v) == 0 || std::abs(sum - 1) < 1e-4f, "weights sum to one");
  }
  demand(edit::read_weights_text(edit::weights_as_text(**loaded)).has_value(), "weights that are written can be read");
}

std::vector<std::string> weights_seeds() {
  const rig::Character arm = test::arm();
  const auto name = [&](std::size_t slot) { return arm.skeleton->label(arm.skins[0].joints[slot]); };
  // Others than the arm has, in lines enough that damage mostly leaves a text.
  const std::size_t count = arm.meshes[0].primitives[0].vertex_count();
  std::string others = "{\"pelt\": \"weights\", \"version\": 1}\n{\"mesh\": 0, \"primitive\": 0, \"name\": \"arm\", ";
  others += "\"vertices\": " + std::to_string(count) + "}\n";
  for (std::size_t v = 0; v < count; ++v) {
    others += "[" + std::to_string(v) + ", {\"" + name(0) + "\": 0.25, \"" + name(1) + "\": 0.75}]\n";
  }
  return {edit::weights_as_text(arm), others,
          "{\"pelt\": \"weights\", \"version\": 1}\n" + std::string(70, '[') + std::string(70, ']') + "\n"};
}

namespace {

// A document to which much was done, and its session.
const edit::SessionText& arm_session() {
  static const edit::SessionText kText = [] {
    test::Random random(5);
    edit::Document document = arm_document();
    for (int i = 0; i < 80; ++i) {
      edit::apply(document, {test::random_change(document, random), "", false});
    }
    const Result<edit::SessionText> text = edit::session_to_text(document, {"arm.glb", "sha256:0"}, "{}");
    demand(text.has_value(), "a document has a session");
    return *text;
  }();
  return kText;
}

}  // namespace

namespace {

const edit::SessionText kBareSession = {R"({"pelt": "session", "version": 1, "source": {"file": "a", "hash": ""}})",
                                        {}};

}  // namespace

// What is read of a session can be shown, and written and read again as the same.
void read_session(std::span<const std::uint8_t> bytes) {
  static const std::shared_ptr<const rig::Character> kArm = std::make_shared<const rig::Character>(test::arm());
  const edit::SessionFiles files = [](const std::string& name) -> Result<std::string> {
    for (const edit::SessionFile& file : arm_session().files) {
      if (file.name == name) {
        return file.bytes;
      }
    }
    return error("there is no such file");
  };
  const Result<edit::SessionHead> head = edit::session_head(words_of(bytes));
  if (!head) {
    demand_sentence(head.error().message);
  } else {
    const Result<std::string> whole = edit::packed_session(kBareSession, head->packed, head->packed_data);
    demand(whole.has_value(), "what was packed can be packed");
    const Result<edit::SessionHead> again = edit::session_head(*whole);
    demand(again && again->packed == head->packed && again->packed_data == head->packed_data,
           "what was packed reads back exactly");
  }
  const Result<edit::OpenedSession> opened = edit::session_from_text(words_of(bytes), kArm, files);
  if (!opened) {
    demand_sentence(opened.error().message);
    return;
  }
  const edit::Document& document = opened->document;
  for (const Transform& local : edit::evaluate_pose(document).local) {
    demand(local.translation == local.translation && local.rotation == local.rotation, "a pose has numbers");
  }
  const Result<edit::SessionText> text = edit::session_to_text(document, {"arm.glb", "sha256:0"});
  demand(text.has_value(), "what was read can be written");
  const Result<edit::OpenedSession> again =
      edit::session_from_text(text->json, document.file, [&](const std::string& name) -> Result<std::string> {
        for (const edit::SessionFile& file : text->files) {
          if (file.name == name) {
            return file.bytes;
          }
        }
        return error("there is no such file");
      });
  demand(again && edit::content_hash(again->document.content) == edit::content_hash(document.content),
         "a session reads back exactly");
}

std::vector<std::string> session_seeds() {
  std::string plain = edit::session_to_text(arm_document(), {"@mannequin", "sha256:0"})->json;
  std::string packed =
      *edit::packed_session(kBareSession, {{"a", "data:;base64,AAAA"}, {"\xff/%41", "data:\"x\\\";base64,AAAA"}},
                            {{"d41d8cd98f00b204e9800998ecf8427e.bin", "data:;base64,"}});
  return {
      arm_session().json, std::move(plain), std::move(packed),
      R"({"pelt": "session", "version": 1, "source": {"file": "a.glb", "hash": "x"}, "springs": [1, 2, {"a": 0.1}]})"};
}

void read_environment(std::span<const std::uint8_t> bytes) {
  const Result<render::EnvironmentImage> image = render::read_radiance_hdr(std::as_bytes(bytes));
  if (!image) {
    demand_sentence(image.error().message);
    return;
  }
  demand(image->width > 0 && image->height > 0 &&
             image->pixels.size() == static_cast<std::size_t>(image->width) * static_cast<std::size_t>(image->height),
         "an environment has the pixels of its size");
  for (const glm::vec3& pixel : image->pixels) {
    demand(std::isfinite(pixel.x + pixel.y + pixel.z) && pixel.x >= 0 && pixel.y >= 0 && pixel.z >= 0,
           "light is finite and not negative");
  }
}

std::vector<std::string> environment_seeds() {
  const std::string head = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n";
  const std::string pixel("\x80\x40\x20\x81", 4);
  std::string runs = head + "-Y 2 +X 8\n";
  for (int y = 0; y < 2; ++y) {
    runs += std::string("\2\2\0\x8", 4);
    for (int c = 0; c < 4; ++c) {
      runs += c % 2 == 0 ? std::string("\x88\x80", 2) : std::string("\x4") + "abcd" + "\x84" + "e";
    }
  }
  return {head + "-Y 2 +X 2\n" + pixel + pixel + pixel + pixel,
          head + "-Y 1 +X 4\n" + pixel + std::string("\1\1\1\3", 4), runs};
}

#ifdef PELT_WINDOW
// What is kept of a file reads as the same when it is written.
void read_preferences(std::span<const std::uint8_t> bytes) {
  const std::optional<ui::Preferences> read = app::preferences_from_json(words_of(bytes));
  if (read) {
    const std::string text = app::to_json(*read);
    const std::optional<ui::Preferences> again = app::preferences_from_json(text);
    demand(again.has_value() && app::to_json(*again) == text, "preferences that are written can be read");
  }
}

std::vector<std::string> preferences_seeds() {
  ui::Preferences preferences;
  preferences.recent_files = {"/home/a/fox.glb", "@mannequin"};
  preferences.folders["character"] = "/home/a";
  preferences.light.environment = render::Environment::kImage;
  preferences.light.environment_file = "/home/a/sky.hdr";
  return {app::to_json(preferences), app::to_json({})};
}
#endif

}  // namespace pelt::fuzz
