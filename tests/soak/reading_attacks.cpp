// Files that are damaged in every way: the program says in a sentence what is wrong with them, or does its work.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/file.h"
#include "core/text.h"
#include "soak/soak.h"
#include "support/mutations.h"
#include "support/program.h"

namespace pelt::soak {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::size_t kReadingRounds = 4000;
constexpr double kMostProcessorSeconds = 30;  // limit of one run, far above what any run took
constexpr std::uintmax_t kLargestVictim = 300'000;

/// A sound file, and the calls that read it by its name.
struct Victim {
  std::string name;
  std::string bytes;
  std::vector<Words> calls;
};

// What opens characters, and takes them apart in different ways.
std::vector<Words> character_calls(const std::string& name) {
  return {{"info", name, "--joints", "--json"},
          {"lint", name, "--fail-on", "never"},
          {"bake", name, "-o", "out.obj"},
          {"convert", name, "-o", "out.glb", "--quantize", "--meshopt"},
          {"compare", name, "--methods", "lbs,dqs", "--random", "1", "--csv", "-"}};
}

// `bake` refuses what has no geometry, however sound.
std::vector<Words> motion_calls(const std::string& name) {
  std::vector<Words> calls = character_calls(name);
  std::erase_if(calls, [](const Words& call) { return call.front() == "bake"; });
  return calls;
}

std::vector<Words> pose_calls(const std::string& name) {
  return {{"bake", "@elbow", "--pose", name, "-o", "out.ply"},
          {"compare", "@elbow", "--methods", "lbs,dqs", "--pose", name, "--json"}};
}

// A PNG of two by two pixels.
constexpr auto kPicture = std::to_array<unsigned char>(
    {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
     0x02, 0x00, 0x00, 0x00, 0x02, 0x08, 0x06, 0x00, 0x00, 0x00, 0x72, 0xb6, 0x0d, 0x24, 0x00, 0x00, 0x00, 0x10, 0x49,
     0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0xf0, 0x1f, 0x0a, 0x21, 0x14, 0x00, 0x45, 0xcc, 0x07, 0xf9,
     0x66, 0xcb, 0xff, 0x39, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82});

// Pictures stand beside a document that shows them.
const std::string kTextured =
    R"({"asset": {"version": "2.0"}, "images": [{"uri": "picture"}], "textures": [{"source": 0}],
"materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}], "nodes": [{}], "scenes": [{"nodes": [0]}]})";

std::vector<Victim> written_victims(const fs::path& folder) {
  const std::string obj =
      "mtllib box.mtl\no box\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl red\nf 1/1/1 2/1/1 3/1/1 "
      "4/1/1\nl 1 2\np 3\n";
  const std::string bvh =
      "HIERARCHY\nROOT hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
      "Yrotation\n End Site\n {\n OFFSET 0 40 0\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.03\n0 0 0 1 2 3\n0 0 0 4 5 "
      "6\n";
  const std::string pose =
      R"({"pelt": "pose", "version": 1, "joints": {"upper": {"rotation": [0, 0, 0.6, 0.8]}}, "nodes": {"1": {"scale": [1, 2, 1]}}})";
  std::string sky = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 8 +X 8\n";
  for (int y = 0; y < 8; ++y) {
    sky += std::string("\2\2\0\x8", 4) + "\x88\x80\x88\x40\x88\x20\x88\x81";
  }
  std::ofstream(folder / "box.mtl") << "newmtl red\nKd 1 0 0\n";
  std::ofstream(folder / "textured.gltf") << kTextured;
  return {{"victim.obj", obj, character_calls("victim.obj")},
          {"victim.bvh", bvh, motion_calls("victim.bvh")},
          {"pose.json", pose, pose_calls("pose.json")},
          {"box.mtl", "newmtl red\nKd 1 0 0\nd 0.5\nmap_Kd -s 1 1 1 picture\n", {{"info", "sound.obj", "--json"}}},
          {"picture",
           std::string(kPicture.begin(), kPicture.end()),
           {{"info", "textured.gltf", "--json"}, {"convert", "textured.gltf", "-o", "out.glb"}}},
          {"sky.hdr", sky, {{"render", "@elbow", "-o", "out.png", "--size", "16x16", "--environment", "sky.hdr"}}}};
}

// What the program writes itself: every form of glTF, and what `bake` makes.
std::vector<Victim> baked_victims(const fs::path& folder) {
  RunOptions calm;
  calm.folder = folder;
  std::vector<Victim> victims;
  for (const Words& how :
       {Words{"convert", "@elbow", "-o", "victim.glb"}, Words{"convert", "@elbow", "-o", "embedded.gltf", "--embed"},
        Words{"convert", "@robot", "-o", "small.glb", "--quantize", "--meshopt"},
        Words{"bake", "@elbow", "-o", "victim.ply"}, Words{"bake", "@elbow", "-o", "sound.obj"}}) {
    const std::string& name = how[3];
    const Ran ran = run_pelt(how, calm);
    const Result<std::string> bytes = read_file(folder / name);
    if (ran.code == 0 && bytes && name != "sound.obj") {
      victims.push_back({name, *bytes, character_calls(name)});
    }
  }
  return victims;
}

// Small real files, in the order of their names.
std::vector<Victim> real_victims() {
  std::vector<fs::path> paths;
  std::error_code failure;
  for (auto at = fs::recursive_directory_iterator(PELT_CORPUS_DIR, failure);
       !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    constexpr std::array<std::string_view, 7> kRead = {".glb", ".gltf", ".vrm", ".obj", ".ply", ".bvh", ".png"};
    const std::string extension = at->path().extension().string();
    if (at->is_regular_file() && at->file_size() <= kLargestVictim &&
        std::ranges::find(kRead, extension) != kRead.end()) {
      paths.push_back(at->path());
    }
  }
  std::ranges::sort(paths);
  std::vector<Victim> victims;
  for (const fs::path& path : paths) {
    const Result<std::string> bytes = read_file(path);
    if (bytes && !bytes->empty() && path.extension() == ".png") {
      victims.push_back({"picture", *bytes, {{"info", "textured.gltf", "--json"}}});
    } else if (bytes && !bytes->empty()) {
      const std::string name = "real" + path.extension().string();
      victims.push_back({name, *bytes, character_calls(name)});
    }
  }
  return victims;
}

// What is wrong with how the program ended; empty: nothing.
std::string complaint(const Ran& ran) {
  if (!ran.orderly()) {
    return "ends badly";
  }
  if (ran.processor_seconds > kMostProcessorSeconds) {
    return fmt::format("takes {:.0f} s of processor time", ran.processor_seconds);
  }
  if (ran.err.find("out of memory") != std::string::npos) {
    return "asks for too much memory";
  }
  if (ran.err != printable_lines(ran.err) || ran.out != printable_lines(ran.out)) {
    return "prints what misleads a terminal";
  }
  std::size_t sentences = 0;
  for (const std::string_view line : split(ran.err, '\n')) {
    sentences += line.starts_with("pelt: ") && !line.starts_with("pelt: note: ") ? 1 : 0;
    if (!line.empty() && !line.starts_with("pelt: ")) {
      return fmt::format("says \"{}\", which is no sentence of its own", printable(line));
    }
  }
  return sentences == (ran.code == 0 ? 0 : 1) ? std::string() : fmt::format("says {} sentences", sentences);
}

}  // namespace

void read_damaged_files(Attack& attack) {
  std::vector<Victim> victims = baked_victims(attack.folder());
  const std::vector<Victim> written = written_victims(attack.folder());
  const std::vector<Victim> real = real_victims();
  victims.insert(victims.end(), written.begin(), written.end());
  RunOptions limited;
  limited.folder = attack.folder();
  limited.most_memory = attack.most_memory();
  const std::size_t own = victims.size();
  victims.insert(victims.end(), real.begin(), real.end());
  while (attack.next(kReadingRounds)) {
    // Those that are written here are few, and every kind must have its turn.
    const std::size_t v = attack.below(attack.below(2) == 0 ? own : victims.size());
    const Victim& victim = victims[v];
    const Words& call = victim.calls[attack.below(victim.calls.size())];
    const bool sound = v < own && attack.below(16) == 0;
    const std::string damaged = sound ? victim.bytes : test::mutated(victim.bytes, attack.random());
    const fs::path path = attack.folder() / victim.name;
    std::ofstream(path, std::ios::binary) << damaged;
    const Ran ran = run_pelt(call, limited);
    attack.count(ran.code == 0 ? "read" : "refused");
    const std::string why = sound && ran.code != 0 ? "refuses what is sound" : complaint(ran);
    if (!why.empty()) {
      const fs::path kept = fs::temp_directory_path() / fmt::format("pelt-soak-{}-{}", attack.round(), victim.name);
      std::ofstream(kept, std::ios::binary) << damaged;
      attack.fail(
          fmt::format("pelt {}: {}: {}; the file is kept as {}", fmt::join(call, " "), why, ran.text(), kept.string()));
    }
    // What others read beside it is sound again.
    std::ofstream(path, std::ios::binary) << victim.bytes;
  }
}

}  // namespace pelt::soak
