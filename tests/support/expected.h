#pragma once

// Reference positions of corpus/expected: gzipped JSON made by an independent reader in double precision, see the
// README there. Needs zlib and nlohmann-json.

#include <cstdlib>
#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

#include <nlohmann/json.hpp>

#include "rig/character.h"
#include "rig/clip.h"

namespace pelt::test {

/// A file of corpus/expected.
struct ExpectedFile {
  std::string_view name;  ///< without .json.gz
};
inline void PrintTo(const ExpectedFile& file, std::ostream* out) {
  *out << file.name;
}

inline constexpr ExpectedFile kExpectedFiles[] = {
    {"cesium_man"},
    {"cesium_man_weights_as_stored"},
    {"dragon_100_joints"},
    {"fox"},
    {"fox_draco"},
    {"hand_flat_skeleton"},
    {"human_66_joints"},
    {"human_8_influences"},
    {"human_meshopt"},
    {"interpolations"},
    {"knight"},
    {"mannequiny"},
    {"morph_and_skin_cubicspline"},
    {"morph_stress"},
    {"quad_skin_10_influences"},
    {"rigged_mesh_25_skins"},
    {"robot_player"},
    {"robot_quantized"},
    {"simple_skin"},
    {"sintel_morph_skin_sparse"},
    {"skin_02_transformed_parent"},
    {"skin_04_no_ibm"},
    {"skin_08_two_skins"},
    {"skin_10_non_joint_between"},
};

inline std::filesystem::path corpus_dir() {
  return PELT_CORPUS_DIR;
}

/// The parsed reference; null where the file is absent or unreadable.
inline nlohmann::json load_expected(std::string_view name) {
  const std::filesystem::path path = corpus_dir() / "expected" / (std::string(name) + ".json.gz");
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    return nullptr;
  }
  std::string text;
  std::vector<char> buffer(1 << 16);
  int count = 0;
  while ((count = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  gzclose(file);
  return count < 0 ? nlohmann::json() : nlohmann::json::parse(text, nullptr, false);
}

/// The pose that an entry of the reference's "poses" describes.
inline rig::Pose expected_pose(const rig::Character& character, const nlohmann::json& entry) {
  rig::Pose pose = rig::rest_pose(character);
  if (entry["animation"].get<int>() >= 0) {
    rig::apply(character.clips[entry["animation"].get<std::size_t>()], entry["time"].get<float>(),
               character.morph_offset, pose);
  }
  for (const auto& [node, override_] : entry["overrides"].items()) {
    const std::size_t j = character.skeleton->from_source_node(std::atoi(node.c_str()));
    if (override_.contains("rotation")) {
      const std::vector<double> q = override_["rotation"];
      pose.local.at(j).rotation = glm::quat(normalized_or_identity(quat_xyzw(q.at(0), q.at(1), q.at(2), q.at(3))));
    }
    if (override_.contains("weights")) {
      const std::vector<float> weights = override_["weights"];
      std::copy(weights.begin(), weights.end(), pose.morph_weights.begin() + character.morph_offset.get().at(j));
    }
  }
  return pose;
}

}  // namespace pelt::test
