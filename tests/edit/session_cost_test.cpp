// What reading a session costs grows with its text, not with its square, whoever wrote it.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/session.h"
#include "edit_fixtures.h"
#include "rig/dofs.h"
#include "support/effort.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;
using testing::HasSubstr;

const SessionSource kCostSource = {"arm.glb", "sha256:0"};

// What four times the text takes, in times of what the text takes: 4 where cost grows with the text, 16 where with its
// square. A ratio holds on machines of any speed.
double growth(int n, const auto& cost) {
  const auto least = [&](int lines) {
    double seconds = test::processor_seconds([&] { cost(lines); });
    for (int again = 0; again < 2; ++again) {
      seconds = std::min(seconds, test::processor_seconds([&] { cost(lines); }));
    }
    return seconds;
  };
  const int text = test::sanitized() ? n / 4 : n;
  const double few = least(text);
  return least(4 * text) / few;
}
constexpr double kMostGrowth = 8;

// A list of lines, written n times.
std::string repeated(int n, const auto& line) {
  std::string out;
  for (int i = 0; i < n; ++i) {
    out += i == 0 ? "" : ",";
    out += line(i);
  }
  return out;
}
std::string session_with(const std::string& sections) {
  return R"({"pelt": "session", "version": 1, "source": {"file": "a.glb", "hash": "x"}, )" + sections + "}";
}
Result<OpenedSession> opened(const std::string& text, const Document& document) {
  return session_from_text(text, document.file,
                           [](const std::string&) -> Result<std::string> { return std::string(); });
}

// A chain of joints with one vertex that takes every shape; all joints and shapes are posed.
Document document_of(int joint_count, int shape_count) {
  rig::Character character;
  for (int j = 0; j < joint_count; ++j) {
    test::add_node(character, "joint_" + std::to_string(j), j - 1, {});
  }
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kPoints;
  primitive.positions = {{0, 1, 0}};
  primitive.indices = {0};
  const std::uint16_t joints[] = {0};
  const float weights[] = {1.0f};
  mesh::append_row(primitive.influences.edit(), joints, weights);
  std::vector<std::string> names;
  for (int s = 0; s < shape_count; ++s) {
    names.push_back("shape_" + std::to_string(s));
    primitive.morph_targets.push_back({names.back(), {{0, 0, 0.1f}}, {}, {}});
  }
  test::add_skinned_mesh(character, "body", {0, 1}, std::move(primitive));
  character.meshes.edit(0).morph_names = names;
  character.meshes.edit(0).morph_weights.assign(names.size(), 0);
  rig::finish(character);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  for (int j = 0; j < joint_count; ++j) {
    const Transform local = {.translation = {0, 1, 0}};
    document.content.overrides.edit()[j] = {local, rig::dofs_from_local(joint_dofs(document, j), local)};
  }
  for (int s = 0; s < shape_count; ++s) {
    document.content.morph_overrides.edit()[s] = 0.5f;
  }
  return document;
}

TEST(SessionCost, OfMembersOfOneObject) {
  const Document document = arm_document();
  for (const char* section : {"springs", "pose"}) {
    const auto cost = [&](int n) {
      const std::string text =
          session_with('"' + std::string(section) + "\": {" +
                       repeated(n, [](int i) { return "\"k" + std::to_string(i) + "\": 1"; }) + '}');
      const Result<OpenedSession> session = opened(text, document);
      ASSERT_TRUE(session) << session.error().message;
      EXPECT_TRUE(session_head(text));
      EXPECT_TRUE(session_to_text(session->document, kCostSource));
    };
    EXPECT_LT(growth(2000, cost), kMostGrowth) << section;
  }
}

TEST(SessionCost, OfSections) {
  const Document document = arm_document();
  const auto cost = [&](int n) {
    EXPECT_TRUE(opened(session_with(repeated(n, [](int i) { return "\"k" + std::to_string(i) + "\": 1"; })), document));
  };
  EXPECT_LT(growth(2500, cost), kMostGrowth);
}

// A rig of thousands of joints and shapes, all of them posed.
TEST(SessionCost, OfALargeRig) {
  const auto cost = [&](int n) {
    const Document document = document_of(n, n);
    const Result<SessionText> text = session_to_text(document, kCostSource);
    ASSERT_TRUE(text) << text.error().message;
    const Result<OpenedSession> session = opened(text->json, document);
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ(session->document.content.morph_overrides->size(), static_cast<std::size_t>(n));
  };
  EXPECT_LT(growth(300, cost), kMostGrowth);
}

// The same place named over and over costs what it costs once.
TEST(SessionCost, OfWhatIsNamedAgain) {
  const Document document = make_document(std::make_shared<const rig::Character>(test::cylinder()));
  const std::string mesh = R"({"mesh": {"index": 0, "name": "cylinder"}, "primitive": 0, "vertices": )" +
                           std::to_string(document.file->meshes[0].primitives[0].vertex_count()) +
                           R"(, "places": "0", "data": ")";
  const auto data = [](int i) {
    std::string name = std::to_string(i);
    return std::string(32 - name.size(), '0') + name + ".bin\"}";
  };
  const auto cost = [&](int n) {
    const std::string meshes = session_with("\"meshes\": [" + repeated(n, [&](int i) { return mesh + data(i); }) + "]");
    EXPECT_TRUE(session_head(meshes));
    const Result<OpenedSession> session = opened(meshes, document);
    ASSERT_FALSE(session);
    EXPECT_THAT(session.error().message, HasSubstr("meshes 1, mesh: expected each primitive once"));
  };
  EXPECT_LT(growth(800, cost), kMostGrowth);
  const Result<OpenedSession> skins =
      opened(session_with("\"skins\": [" +
                          repeated(2, [](int) { return R"({"skin": {"index": 0, "name": "cylinder"}})"; }) + "]"),
             document);
  ASSERT_FALSE(skins);
  EXPECT_THAT(skins.error().message, HasSubstr("skins 1, skin: expected each skin once"));
}

TEST(SessionCost, OfSelections) {
  const Document document = make_document(std::make_shared<const rig::Character>(test::cylinder()));
  const auto selections = [](int n) {
    return session_with(
        "\"selections\": {" +
        repeated(n,
                 [](int i) {
                   return "\"s" + std::to_string(i) +
                          R"(": {"joints": [], "vertices": [{"part": 0, "vertices": [0, 4000000000]}]})";
                 }) +
        "}");
  };
  EXPECT_LT(growth(500, [&](int n) { EXPECT_TRUE(opened(selections(n), document)); }), kMostGrowth);
  // A short text may not ask for more vertices than there is memory.
  const std::size_t vertices = document.file->meshes[0].primitives[0].vertex_count();
  const Result<OpenedSession> session =
      opened(selections(static_cast<int>((std::size_t{1} << 26) / vertices) + 1), document);
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().message, HasSubstr("at most 67108864 vertices in all selections"));
}

// Who waits may stop waiting.
TEST(SessionCost, IsCancellable) {
  const Document document = arm_document();
  const Result<SessionText> text = session_to_text(document, kCostSource);
  const Result<SessionHead> head = session_head(text->json);
  ASSERT_TRUE(head);
  int calls = 0;
  const Progress progress = [&](float fraction, std::string_view what) {
    EXPECT_GE(fraction, 0.0f);
    EXPECT_LE(fraction, 1.0f);
    EXPECT_FALSE(what.empty());
    return ++calls < 2;
  };
  const Result<OpenedSession> session = session_of(*head, document.file, {}, progress);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().message, "cancelled");
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(session_of(*head, document.file, {}));
}

}  // namespace
}  // namespace pelt::edit
