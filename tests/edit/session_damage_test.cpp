// Sessions whose JSON is sound and whose content is not: values of other kinds, numbers at the ends of their ranges,
// parts that come twice or stand elsewhere. Each is opened or refused in one sentence, and what is opened can be saved.
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "edit/session.h"
#include "edit_fixtures.h"
#include "random_changes.h"
#include "rig/character_parts.h"
#include "support/effort.h"
#include "support/mutations.h"

namespace pelt::edit {
namespace {

using Json = nlohmann::ordered_json;

// All places of a text, the whole first.
void list_places(Json& json, std::vector<Json*>& places) {
  places.push_back(&json);
  if (json.is_structured()) {
    for (auto& item : json.items()) {
      list_places(item.value(), places);
    }
  }
}

class Damage {
 public:
  explicit Damage(std::uint32_t seed) : random_(seed) {}

  Json odd_value() {
    constexpr double kLargest = 3.4e38;
    const std::vector<Json> values = {nullptr,
                                      true,
                                      false,
                                      0,
                                      1,
                                      -1,
                                      2,
                                      65535,
                                      65536,
                                      1u << 31,
                                      -0.0,
                                      1e-45,
                                      kLargest,
                                      1e300,
                                      -1e300,
                                      "",
                                      "percent:%00",
                                      "joint 0",
                                      "node 3",
                                      "@elbow",
                                      Json::array(),
                                      Json::object(),
                                      std::uint64_t{1} << 63,
                                      INT64_MIN,
                                      Json::array({0, 0, 0}),
                                      Json::array({0, 0, 0, 0}),
                                      std::string(300, 'x')};
    return values[below(values.size())];
  }

  void strike(Json& root) {
    std::vector<Json*> places;
    list_places(root, places);
    Json& at = *places[below(places.size())];
    const Json other = *places[below(places.size())];
    switch (below(6)) {
      case 0:
        at = odd_value();
        break;
      case 1:
        at = other;
        break;
      case 2:  // twice
        if (at.is_array() && !at.empty()) {
          const Json again = at[below(at.size())];
          for (std::size_t left = 1 + below(3); left > 0; --left) {
            at.insert(at.begin() + static_cast<std::ptrdiff_t>(below(at.size() + 1)), again);
          }
        }
        break;
      case 3:
        if (at.is_structured() && !at.empty()) {
          at.erase(std::next(at.begin(), static_cast<std::ptrdiff_t>(below(at.size()))));
        }
        break;
      case 4:
        if (at.is_object()) {
          at[at.empty() ? "new" : std::next(at.begin(), static_cast<std::ptrdiff_t>(below(at.size()))).key() + "x"] =
              other;
        } else if (at.is_number()) {
          at = at.get<double>() * (below(2) == 0 ? -1.0 : 1e6);
        }
        break;
      default:
        if (at.is_array() && at.size() > 1) {
          std::swap(at[below(at.size())], at[below(at.size())]);
        } else if (at.is_number_integer()) {
          at = at.get<std::int64_t>() % 1000000 + (below(2) == 0 ? 1 : -1);
        }
    }
  }
  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  std::mt19937 random_;
};

// A repair and weights of a cylinder, and one of each kind of change to an arm.
std::vector<std::pair<Document, SessionText>> sound_sessions() {
  std::vector<std::pair<Document, SessionText>> out;
  Document cylinder = make_document(std::make_shared<const rig::Character>(test::cylinder()));
  test::apply(cylinder, SmoothWeights{});
  auto mended = std::make_shared<rig::Character>(*cylinder.content.character);
  mended->meshes.edit(0).primitives.edit(0).positions.edit()[0].x += 1;
  mended->skins.edit(0).joint_from_mesh[1][3].x += 1;
  test::apply(cylinder, ReplaceCharacter{mended});
  out.emplace_back(cylinder, *session_to_text(cylinder, {"a.glb", "h"}, R"({"look": "clay"})"));
  test::Random random(5);
  Document arm = test::arm_document();
  for (int i = 0; i < 80; ++i) {
    test::apply(arm, test::random_change(arm, random));
  }
  out.emplace_back(arm, *session_to_text(arm, {"a.glb", "h"}, "{}"));
  return out;
}

TEST(SessionDamage, IsRefusedOrReadsBackExactly) {
  const char* const wanted = std::getenv("PELT_DAMAGE_ROUNDS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : test::rounds(400);
  for (const auto& [document, text] : sound_sessions()) {
    const Json sound = Json::parse(text.json);
    const SessionFiles files = [&](const std::string& name) -> Result<std::string> {
      const auto file = std::ranges::find(text.files, name, &SessionFile::name);
      return file == text.files.end() ? Result<std::string>(error("none")) : file->bytes;
    };
    int opened = 0;
    for (int round = 0; round < rounds; ++round) {
      Damage damage(static_cast<std::uint32_t>(round));
      Json json = sound;
      for (std::size_t left = 1 + damage.below(3); left > 0; --left) {
        damage.strike(json);
      }
      const std::string struck = json.dump();
      const Result<OpenedSession> session = session_from_text(struck, document.file, files);
      if (!session) {
        ASSERT_FALSE(session.error().message.empty());
        ASSERT_EQ(session.error().message.find('\n'), std::string::npos) << session.error().message;
        ASSERT_EQ(session.error().message.find("json.exception"), std::string::npos) << session.error().message;
        continue;
      }
      ++opened;
      static_cast<void>(evaluate_pose(session->document));
      const Result<SessionText> again = session_to_text(session->document, {"a.glb", "h"}, {});
      ASSERT_TRUE(again) << round << ": " << again.error().message << '\n' << struck;
    }
    EXPECT_GT(opened, rounds / 10) << "else nothing behind the first check is tried";
  }
}

}  // namespace
}  // namespace pelt::edit
