// `pelt bind` and `pelt bench --bind` as a user meets them.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bind/binders.h"
#include "cli/run_pelt.h"
#include "core/file.h"
#include "gltf/import.h"
#include "rig/kinematics.h"

namespace pelt::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

class BindVerb : public PeltTest {
 protected:
  [[nodiscard]] rig::Character strictly_read(const std::string& name) const {
    gltf::ImportOptions strict;
    strict.check_conformance = true;
    const auto character = gltf::import_file(folder_ / name, strict);
    EXPECT_TRUE(character) << (character ? "" : character.error().message);
    if (!character) {
      return {};
    }
    for (const Diagnostic& one : character->diagnostics) {
      EXPECT_NE(one.severity, Severity::kError) << one.place << ": " << one.message;
    }
    return *character;
  }

  // World positions of all skinned vertices in the rest pose.
  static std::vector<glm::vec3> at_rest(const rig::Character& character) {
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, rig::rest_pose(character));
    std::vector<glm::vec3> positions;
    for (const rig::MeshNode& node : character.mesh_nodes) {
      for (const mesh::Primitive& primitive : character.meshes[node.mesh].primitives) {
        for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
          const mesh::InfluenceRow row = primitive.influences->row(v);
          glm::vec3 sum(0.0f);
          for (std::size_t k = 0; k < row.joints.size(); ++k) {
            const glm::mat4 matrix = rig::skin_matrix(character.skins[node.skin], world.world(), row.joints[k]);
            sum += row.weights[k] * glm::vec3(matrix * glm::vec4(primitive.positions[v], 1.0f));
          }
          positions.push_back(sum);
        }
      }
    }
    return positions;
  }
};

TEST_F(BindVerb, BindsAFileAnewAndKeepsItsMesh) {
  const Outcome outcome = pelt({"bind", cylinder_, "-o", "bound.glb", "--binder", "point-to-line", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const rig::Character before = *gltf::import_file(cylinder_);
  const rig::Character after = strictly_read("bound.glb");
  ASSERT_EQ(after.meshes.size(), before.meshes.size());
  const mesh::Primitive& old = before.meshes[0].primitives[0];
  const mesh::Primitive& now = after.meshes[0].primitives[0];
  EXPECT_EQ(now.positions, old.positions);
  EXPECT_EQ(now.indices, old.indices);
  EXPECT_NE(*now.influences, *old.influences);
  for (std::size_t v = 0; v < now.vertex_count(); ++v) {
    ASSERT_GE(now.influences->count(v), 1u) << v;
    ASSERT_LE(now.influences->count(v), 4u) << v;
  }
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["binder"], "point-to-line");
  EXPECT_EQ(report["skeleton"], "");
  EXPECT_EQ(report["limit"], 4);
  EXPECT_EQ(report["values"]["power"], 4);
  EXPECT_EQ(report["vertices"], old.vertex_count());
  EXPECT_EQ(report["joints"].size(), 2u);
  EXPECT_EQ(report["causes"]["solved"], report["places"]);
  EXPECT_FALSE(report.contains("score"));
}

TEST_F(BindVerb, FieldsAreFlags) {
  const auto rows = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> call = {"bind", cylinder_, "-o", "bound.glb"};
    call.insert(call.end(), flags.begin(), flags.end());
    const Outcome outcome = pelt(call);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return *strictly_read("bound.glb").meshes[0].primitives[0].influences;
  };
  const mesh::Influences usual = rows({"--binder", "point-to-line"});
  const mesh::Influences sharp = rows({"--binder", "point-to-line", "--power", "12"});
  EXPECT_NE(usual, sharp);
  EXPECT_EQ(sharp, rows({"--binder", "point-to-line:power=12"}));
  const mesh::Influences hard = rows({"--binder", "point-to-line", "--bones", "1"});
  EXPECT_EQ(hard.max_count(), 1u);
  EXPECT_EQ(rows({"--binder", "point-to-line", "--limit", "1"}).max_count(), 1u);
  const mesh::Influences tip = rows({"--binder", "point-to-line", "--deforming", "tip"});
  EXPECT_EQ(tip.max_count(), 1u) << "one joint has it all";
}

TEST_F(BindVerb, AMeshOfAFileIsTheVolumeOfAJoint) {
  // A box from x = -0.2 to 0.2 round the cylinder's upper end, by its outward triangles.
  const rig::Character before = *gltf::import_file(cylinder_);
  glm::vec3 lower(1e9f);
  glm::vec3 upper(-1e9f);
  for (const glm::vec3& p : at_rest(before)) {
    lower = glm::min(lower, p);
    upper = glm::max(upper, p);
  }
  const glm::vec3 size = upper - lower;
  const auto write_box = [&](const char* name, bool closed) {
    std::ofstream file(folder_ / name);
    for (int i = 0; i < 8; ++i) {
      const glm::vec3 at = lower + size * glm::vec3(i & 1 ? 1.1f : -0.1f, i & 2 ? 1.1f : -0.1f, i & 4 ? 1.1f : -0.1f);
      file << "v " << at.x << ' ' << at.y << ' ' << at.z << '\n';
    }
    file << "f 1 5 7\nf 1 7 3\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\n";
    if (closed) {
      file << "f 2 4 8\nf 2 8 6\n";
    }
  };
  write_box("hull.obj", true);
  write_box("open.obj", false);
  const std::string joint = before.skeleton->name[static_cast<std::size_t>(before.skins[0].joints.back())];
  const std::vector<std::string> hard = {"--binder", "containment", "--soft", "off", "--passes", "0"};
  const auto bind = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"bind", cylinder_, "-o", "bound.glb"};
    words.insert(words.end(), hard.begin(), hard.end());
    words.insert(words.end(), more.begin(), more.end());
    return pelt(words);
  };
  const auto followers = [&] {
    const rig::Character after = strictly_read("bound.glb");
    const std::size_t slot = before.skins[0].joints.size() - 1;
    std::size_t count = 0;
    after.meshes[0].primitives[0].influences->for_each_entry(
        [&](std::uint16_t k, float weight) { count += k == slot && weight > 0.99f ? 1 : 0; });
    return count;
  };
  ASSERT_EQ(bind({}).code, 0);
  const std::size_t fitted = followers();
  const Outcome closed = bind({"--volume", joint + "=" + (folder_ / "hull.obj").string()});
  ASSERT_EQ(closed.code, 0) << closed.err;
  EXPECT_THAT(closed.err, testing::Not(HasSubstr("is not closed")));
  EXPECT_NE(followers(), fitted);
  const Outcome open = bind({"--volume", joint + "=" + (folder_ / "open.obj").string()});
  ASSERT_EQ(open.code, 0) << open.err;
  EXPECT_THAT(open.err, HasSubstr("open.obj is not closed: inside is where its surface goes round"));
  EXPECT_THAT(bind({"--volume", "nobody=" + (folder_ / "hull.obj").string()}).err, HasSubstr("--volume: "));
  EXPECT_THAT(bind({"--volume", "hull.obj"}).err, HasSubstr("expected JOINT=FILE, got hull.obj"));
  const Outcome other = pelt({"bind", cylinder_, "-o", "bound.glb", "--volume", joint + "=hull.obj"});
  EXPECT_NE(other.code, 0);
  EXPECT_THAT(other.err, HasSubstr("needs --binder containment"));
}

TEST_F(BindVerb, BindsInAPose) {
  const auto bind = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"bind", "@mannequin", "--binder", "point-to-line"};
    words.insert(words.end(), more.begin(), more.end());
    return pelt(words);
  };
  ASSERT_EQ(bind({"-o", "as_bound.glb"}).code, 0);
  const Outcome at_rest = bind({"-o", "at_rest.glb", "--bind-pose"});
  ASSERT_EQ(at_rest.code, 0) << at_rest.err;
  EXPECT_THAT(at_rest.err, HasSubstr("the pose bends nothing: bound as without one"));
  EXPECT_TRUE(*read_file(folder_ / "at_rest.glb") == *read_file(folder_ / "as_bound.glb"));
  const Outcome posed = bind({"-o", "posed.glb", "--set", "elbow_l.bend=100", "--truth", "@mannequin"});
  ASSERT_EQ(posed.code, 0) << posed.err;
  EXPECT_THAT(posed.err, HasSubstr("bound in the pose: weights alone change, inverse bind matrices and vertices stay"));
  const rig::Character before = strictly_read("as_bound.glb");
  const rig::Character after = strictly_read("posed.glb");
  EXPECT_EQ(before.skins[0].joint_from_mesh, after.skins[0].joint_from_mesh);
  EXPECT_EQ(before.meshes[0].primitives[0].positions, after.meshes[0].primitives[0].positions);
  EXPECT_NE(*before.meshes[0].primitives[0].influences, *after.meshes[0].primitives[0].influences);
}

TEST_F(BindVerb, PutsATemplateIntoAMeshWithoutASkeleton) {
  ASSERT_EQ(pelt({"bake", "@mannequin", "-o", "plain.obj"}).code, 0);
  const auto bound = [&](const char* choice) {
    const Outcome outcome =
        pelt({"bind", "plain.obj", "--template", choice, "-o", "body.glb", "--binder", "point-to-line"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    rig::Character character = strictly_read("body.glb");
    for (const mesh::Mesh& mesh : character.meshes) {
      for (const mesh::Primitive& primitive : mesh.primitives) {
        EXPECT_EQ(primitive.influences->vertex_count(), primitive.vertex_count());
        for (std::size_t v = 0; v < primitive.influences->vertex_count(); ++v) {
          EXPECT_GE(primitive.influences->count(v), 1u) << v;
        }
      }
    }
    return character;
  };
  const rig::Character body = bound("humanoid");
  ASSERT_FALSE(body.skins.empty());
  EXPECT_EQ(body.skins[0].joints.size(), 21u);
  EXPECT_GE(body.skeleton->find("upper_arm.L"), 0);
  EXPECT_EQ(bound("chain:3").skins[0].joints.size(), 3u);
}

TEST_F(BindVerb, SaysWhereATemplateCannotBeUsed) {
  const Outcome wrong = pelt({"bind", cylinder_, "--template", "horse", "-o", "out.glb"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("expected humanoid or chain:N with 1 to 200 joints, got \"horse\""));
  const Outcome both = pelt({"bind", cylinder_, "@mannequin", "--template", "humanoid", "-o", "out.glb"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("SKELETON says already what to bind to"));
  const Outcome rigged = pelt({"bind", cylinder_, "--template", "humanoid", "-o", "out.glb"});
  EXPECT_EQ(rigged.code, 1);
  EXPECT_THAT(rigged.err, HasSubstr("--template: expected a file without a skin, got one with 2 joints"));
}

TEST_F(BindVerb, BindsAMeshToTheSkeletonOfAnotherFile) {
  // The mannequin's surface at rest without a rig, as a person gets it.
  ASSERT_EQ(pelt({"bake", "@mannequin", "-o", "plain.obj"}).code, 0);
  const Outcome outcome = pelt({"bind", "plain.obj", "@mannequin", "-o", "bound.glb", "--binder", "point-to-line",
                                "--truth", "@mannequin", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const rig::Character bound = strictly_read("bound.glb");
  EXPECT_FALSE(bound.clips.empty()) << "of the skeleton's file";
  ASSERT_FALSE(bound.skins.empty());
  // Binding moves nothing.
  ASSERT_EQ(pelt({"bake", "bound.glb", "-o", "again.obj"}).code, 0);
  const rig::Character plain = [&] {
    EXPECT_EQ(pelt({"convert", "plain.obj", "-o", "plain.glb"}).code, 0);
    return *gltf::import_file(folder_ / "plain.glb");
  }();
  const std::vector<glm::vec3> posed = at_rest(bound);
  std::vector<glm::vec3> own;
  for (const rig::MeshNode& node : plain.mesh_nodes) {
    for (const mesh::Primitive& primitive : plain.meshes[node.mesh].primitives) {
      own.insert(own.end(), primitive.positions.begin(), primitive.positions.end());
    }
  }
  ASSERT_EQ(posed.size(), own.size());
  for (std::size_t v = 0; v < own.size(); ++v) {
    ASSERT_LT(glm::distance(posed[v], own[v]), 1e-5f) << v;
  }
  // As good as binding the mannequin itself.
  const json score = json::parse(outcome.out)["score"];
  EXPECT_EQ(score["unbound"], 0);
  EXPECT_EQ(score["unmatched_joints"], 0);
  const Outcome direct =
      pelt({"bind", "@mannequin", "-o", "direct.glb", "--binder", "point-to-line", "--truth", "@mannequin", "--json"});
  ASSERT_EQ(direct.code, 0) << direct.err;
  EXPECT_NEAR(score["rms_percent"].get<double>(), json::parse(direct.out)["score"]["rms_percent"].get<double>(), 0.01);
}

TEST_F(BindVerb, TheScoreIsThatOfTheBenchmark) {
  const Outcome bound = pelt({"bind", "@mannequin", "-o", "bound.glb", "--binder", "point-to-line", "--tails", "mean",
                              "--truth", "@mannequin", "--json"});
  ASSERT_EQ(bound.code, 0) << bound.err;
  const Outcome bench = pelt({"bench", "--bind", "@mannequin", "--binder", "point-to-line", "--json"});
  ASSERT_EQ(bench.code, 0) << bench.err;
  const json table = json::parse(bench.out);
  ASSERT_EQ(table["bind"].size(), 1u);
  const json& row = table["bind"][0];
  EXPECT_EQ(row["file"], "@mannequin");
  EXPECT_EQ(row["input"], "clean");
  EXPECT_EQ(row["binder"], "point-to-line");
  EXPECT_GT(row["rms_percent"].get<double>(), 0);
  for (const char* member : {"rms_percent", "p95_percent", "max_percent", "l1_mean", "l1_p95", "agreement", "precision",
                             "recall", "strain_ratio"}) {
    EXPECT_NEAR(row[member].get<double>(), json::parse(bound.out)["score"][member].get<double>(), 1e-6) << member;
    EXPECT_EQ(table["binders"][0][member]["median"], row[member]);
    EXPECT_EQ(table["binders"][0][member]["worst"], row[member]);
  }
  // The written weights score the same, but for four influences and floats.
  const Outcome text =
      pelt({"bind", "bound.glb", "-o", "b.glb", "--binder", "point-to-line:bones=1", "--truth", "bound.glb"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("RMS %"));
}

TEST_F(BindVerb, BothVerbsPrintTheSameTable) {
  const Outcome bound = pelt({"bind", "@mannequin", "-o", "bound.glb", "--tails", "mean", "--truth", "@mannequin",
                              "--binder", "point-to-line:power=3"});
  ASSERT_EQ(bound.code, 0) << bound.err;
  const Outcome bench = pelt({"bench", "--bind", "@mannequin", "--binder", "point-to-line:power=3"});
  ASSERT_EQ(bench.code, 0) << bench.err;
  // The headings, and the row but for its seconds.
  const auto table = [](const std::string& text) {
    const std::size_t row = text.find('\n') + 1;
    return text.substr(0, text.rfind("  ", text.find('\n', row)));
  };
  EXPECT_THAT(table(bound.out), HasSubstr("max %"));
  EXPECT_THAT(table(bound.out), HasSubstr("point-to-line:power=3"));
  EXPECT_EQ(table(bound.out).substr(0, table(bound.out).find_last_not_of(' ')),
            table(bench.out).substr(0, table(bench.out).find_last_not_of(' ')));
}

// What is scored is what is written.
TEST_F(BindVerb, TheScoreIsThatOfTheInfluencesThatAreWritten) {
  const auto score = [&](const std::string& binder, const std::string& limit) {
    const Outcome outcome = pelt({"bind", "@mannequin", "-o", "bound.glb", "--binder", binder, "--limit", limit,
                                  "--truth", "@mannequin", "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out)["score"];
  };
  const json one = score("point-to-line:bones=16", "1");
  EXPECT_EQ(one, score("point-to-line:bones=1", "4"));
  const json four = score("point-to-line:bones=16", "4");
  EXPECT_LT(one["recall"].get<double>(), four["recall"].get<double>());
  EXPECT_LT(four["recall"].get<double>(), score("point-to-line:bones=16", "0")["recall"].get<double>());
}

// A triangle beside two nodes, which could be bound but has no weights to hold that against.
TEST_F(BindVerb, TheBenchmarkNeedsWeights) {
  std::ofstream(folder_ / "plain.gltf") << R"({
    "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 2]}],
    "nodes": [{"name": "a", "children": [1]}, {"name": "b", "translation": [1, 0, 0]}, {"name": "m", "mesh": 0}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}]
  })";
  const Outcome outcome = pelt({"bench", "--bind", "plain.gltf", "--binder", "point-to-line"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("plain.gltf: expected vertices with weights"));
}

TEST_F(BindVerb, TheBenchmarkRunsEveryBinderAndEveryFile) {
  const Outcome outcome = pelt({"bench", "--bind", "@elbow", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json table = json::parse(outcome.out);
  std::set<std::string> binders;
  for (const json& row : table["bind"]) {
    binders.insert(row["binder"].get<std::string>());
    EXPECT_EQ(row["unbound"], 0) << row["binder"];
  }
  EXPECT_EQ(table["bind"].size(), bind::binders().size() + 1);
  EXPECT_EQ(binders.size(), bind::binders().size() + 1);
  const Outcome two = pelt({"bench", "--bind", cylinder_, "@elbow", "--binder", "point-to-line", "--json"});
  ASSERT_EQ(two.code, 0) << two.err;
  EXPECT_EQ(json::parse(two.out)["bind"].size(), 2u);
  const Outcome hard = pelt({"bench", "--bind", "@elbow", "--hard", "--binder", "point-to-line:bones=1", "--json"});
  ASSERT_EQ(hard.code, 0) << hard.err;
  EXPECT_EQ(json::parse(hard.out)["bind"].size(), 14u);
  EXPECT_THAT(pelt({"bench", "--bind", cylinder_, "--binder", "point-to-line"}).out, HasSubstr("median"));
}

TEST_F(BindVerb, RefusesWhatItDoesNotKnow) {
  const auto complaint = [&](std::vector<std::string> arguments, int code) {
    const Outcome outcome = pelt(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_THAT(outcome.out, IsEmpty());
    return outcome.err;
  };
  const std::string& f = cylinder_;
  EXPECT_THAT(complaint({"bind", f}, 2), HasSubstr("--output"));
  EXPECT_THAT(complaint({"bind", f, "-o", "a.obj"}, 2), HasSubstr("ends in .glb or .gltf"));
  EXPECT_THAT(complaint({"bind", f, "-o", "a.glb", "--binder", "point-to-lime"}, 2),
              HasSubstr("there is no binder \"point-to-lime\" (did you mean \"point-to-line\"?)"));
  EXPECT_THAT(complaint({"bind", f, "-o", "a.glb", "--binder", "point-to-line", "--power", "99"}, 2),
              HasSubstr("power: expected a number from 1 to 16, got \"99\""));
  EXPECT_THAT(complaint({"bind", f, "-o", "a.glb", "--binder", "point-to-line:bones=1.5"}, 2),
              HasSubstr("bones: expected a whole number from 1 to 16, got \"1.5\""));
  EXPECT_THAT(complaint({"bind", f, "-o", "a.glb", "--binder", "point-to-line:bons=1"}, 2),
              HasSubstr("did you mean \"bones\"?"));
  EXPECT_THAT(complaint({"bind", f, "-o", "a.glb", "--limit", "-1"}, 2), HasSubstr("--limit"));
  EXPECT_THAT(complaint({"bind", f, "-o", "a.glb", "--deforming", "tipp"}, 1), HasSubstr("did you mean \"tip\"?"));
  EXPECT_THAT(complaint({"bind", f, "-o", "-", "--json"}, 2), HasSubstr("leaves no standard output"));
  EXPECT_THAT(complaint({"bench", f, "--binder", "point-to-line"}, 2), HasSubstr("--binder: needs --bind"));
  EXPECT_THAT(complaint({"bench", f, "--hard"}, 2), HasSubstr("--hard: needs --bind"));
  EXPECT_THAT(complaint({"bench", f, f}, 2), HasSubstr("expected one; --bind and --lint take several"));
  EXPECT_THAT(complaint({"bench", "--bind"}, 2), HasSubstr("--bind: needs a FILE with weights"));
  std::ofstream(folder_ / "plain.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  EXPECT_THAT(complaint({"bind", f, "plain.obj", "-o", "a.glb"}, 1), HasSubstr("the skeleton has no joints"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.glb"));
}

}  // namespace
}  // namespace pelt::test
