#include "rig/joint_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"

namespace pelt::rig {
namespace {

std::size_t slot_in(int i) {
  return static_cast<std::size_t>(i);
}
bool is_digit_character(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_upper_character(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}
bool is_word_character(char c) {
  // Bytes beyond ASCII belong to words: names in other scripts stay whole.
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

// FBX exporters write characters they cannot keep as FBXASC and three digits: "armFBXASC046L" was "arm.L".
std::string without_escapes(std::string_view name) {
  constexpr std::string_view kEscape = "FBXASC";
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    const bool escape = name.substr(i, kEscape.size()) == kEscape && i + kEscape.size() + 3 <= name.size() &&
                        std::ranges::all_of(name.substr(i + kEscape.size(), 3), is_digit_character);
    out += escape ? ' ' : name[i];
    i += escape ? kEscape.size() + 3 : 1;
  }
  return out;
}

// Words and numbers in their order: "LeftHandIndex1" is Left, Hand, Index, 1.
std::vector<std::string> pieces_of(std::string_view name) {
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < name.size();) {
    std::size_t end = i;
    if (is_digit_character(name[i])) {
      while (end < name.size() && is_digit_character(name[end])) {
        ++end;
      }
    } else if (is_word_character(name[i])) {
      ++end;
      // A word ends before the next capital, and a run of capitals before its last one: "LThigh" is L, Thigh.
      while (end < name.size() && is_word_character(name[end])) {
        const bool capital = is_upper_character(name[end]);
        const bool after_small = !is_upper_character(name[end - 1]);
        const bool before_small =
            end + 1 < name.size() && is_word_character(name[end + 1]) && !is_upper_character(name[end + 1]);
        if (capital && (after_small || before_small)) {
          break;
        }
        ++end;
      }
    }
    if (end > i) {
      std::string piece(name.substr(i, end - i));
      std::ranges::transform(piece, piece.begin(),
                             [](unsigned char c) { return static_cast<char>(c < 0x80 ? std::tolower(c) : c); });
      pieces.push_back(std::move(piece));
    }
    i = std::max(end, i + 1);
  }
  return pieces;
}

constexpr std::array kPrograms = {"mixamorig", "bip", "biped", "valvebiped", "character"};  // a number belongs to them
constexpr std::array kFiller = {"def", "jnt", "joint", "jt", "bone",   "bind",   "skin", "sk",       "skel",    "b",
                                "j",   "cc",  "base",  "c",  "center", "centre", "rig",  "armature", "skeleton"};

template <std::size_t N>
bool is_one_of(const std::array<const char*, N>& words, std::string_view word) {
  return std::ranges::any_of(words, [&](const char* one) { return word == one; });
}

std::optional<Side> side_word(std::string_view word) {
  if (word == "l" || word == "left" || word == "lft" || word == "lf") {
    return Side::kLeft;
  }
  if (word == "r" || word == "right" || word == "rgt" || word == "rt") {
    return Side::kRight;
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    out += word;
  }
  return out;
}

/// What names of joints say of human bodies, all words run together. Finer distinctions are made in role_of().
struct RoleWord {
  const char* words;
  const char* role;
};
constexpr RoleWord kRoleWords[] = {
    {"hips", "hips"},
    {"hip", "hip"},
    {"pelvis", "hips"},
    {"neck", "neck"},
    {"head", "head"},
    {"jaw", "jaw"},
    {"eye", "eye"},
    {"clavicle", "shoulder"},
    {"collar", "shoulder"},
    {"collarbone", "shoulder"},
    {"shoulder", "shoulder?"},
    {"upperarm", "upperArm"},
    {"uparm", "upperArm"},
    {"armupper", "upperArm"},
    {"shldr", "upperArm"},
    {"arm", "arm?"},
    {"forearm", "lowerArm"},
    {"lowerarm", "lowerArm"},
    {"lowarm", "lowerArm"},
    {"armlower", "lowerArm"},
    {"elbow", "lowerArm"},
    {"hand", "hand"},
    {"wrist", "hand"},
    {"thigh", "upperLeg"},
    {"upperleg", "upperLeg"},
    {"upleg", "upperLeg"},
    {"legupper", "upperLeg"},
    {"leg", "leg?"},
    {"calf", "lowerLeg"},
    {"shin", "lowerLeg"},
    {"knee", "lowerLeg"},
    {"lowerleg", "lowerLeg"},
    {"lowleg", "lowerLeg"},
    {"leglower", "lowerLeg"},
    {"foot", "foot"},
    {"ankle", "foot"},
    {"toe", "toes"},
    {"toes", "toes"},
    {"toebase", "toes"},
    {"ball", "toes"},
};
constexpr std::array kTorsoWords = {"spine",   "chest",      "torso",      "abdomen",   "waist",
                                    "stomach", "upperchest", "spinelower", "spineupper"};

// "Thumb", "Index" ... and which bone of it: VRM counts from the palm.
std::string finger_role(const JointName& name) {
  static constexpr std::array<std::pair<const char*, const char*>, 6> kFingers = {{{"thumb", "Thumb"},
                                                                                   {"index", "Index"},
                                                                                   {"middle", "Middle"},
                                                                                   {"ring", "Ring"},
                                                                                   {"pinky", "Little"},
                                                                                   {"little", "Little"}}};
  const char* finger = nullptr;
  int bone = name.numbers.size() == 1 ? name.numbers.front() : -1;
  for (const std::string& word : name.words) {
    const auto found = std::ranges::find_if(kFingers, [&](const auto& one) { return word == one.first; });
    if (found != kFingers.end() && finger == nullptr) {
      finger = found->second;
    } else if (word == "metacarpal") {
      bone = 0;
    } else if (word == "proximal") {
      bone = 1;
    } else if (word == "intermediate") {
      bone = 2;
    } else if (word == "distal") {
      bone = 3;
    } else if (word != "hand" && word != "finger" && word != "f" && word != "phalanx") {
      return {};
    }
  }
  if (finger == nullptr || bone < 0 || bone > 3) {
    return {};
  }
  // Words count a thumb's bones from its metacarpal, which numbers call the first.
  if (std::string_view(finger) == "Thumb" && name.numbers.empty()) {
    bone = bone == 0 ? 1 : std::max(bone, 2);
  }
  return fmt::format("{}{}", finger, bone);
}

std::string_view side_prefix(Side side) {
  return side == Side::kLeft ? "left" : side == Side::kRight ? "right" : "";
}

std::string with_side(Side side, std::string_view role) {
  if (side == Side::kNone) {
    return std::string(role);
  }
  std::string out(side_prefix(side));
  out += static_cast<char>(std::toupper(static_cast<unsigned char>(role[0])));
  out += role.substr(1);
  return out;
}

// What one name says; '?' at its end where the rest of the rig decides.
std::string role_of(const JointName& name) {
  if (const std::string finger = finger_role(name); !finger.empty()) {
    return name.side == Side::kNone ? std::string() : finger;
  }
  const std::string words = joined(name.words);
  const auto found = std::ranges::find_if(kRoleWords, [&](const RoleWord& one) { return words == one.words; });
  if (found == std::end(kRoleWords)) {
    return name.side == Side::kNone && std::ranges::any_of(kTorsoWords, [&](const char* one) { return words == one; })
               ? "spine"
               : "";
  }
  const std::string role = found->role;
  const bool middle = role == "hips" || role == "neck" || role == "head" || role == "jaw";
  if (role == "hip") {
    return name.side == Side::kNone ? "hips" : "upperLeg";
  }
  return middle == (name.side == Side::kNone) ? role : std::string();
}

bool is_above(const NamedJoints& joints, int above, int i) {
  while (i > above) {
    i = joints.parent[slot_in(i)];
  }
  return i == above;
}

// Of several joints for one purpose the one that all others hang below, or nothing.
std::optional<int> topmost(const NamedJoints& joints, const std::vector<int>& several) {
  if (several.size() == 1) {
    return several.front();
  }
  constexpr std::size_t kMostClaimants = 16;  // no body has more, and each walks up the tree
  if (joints.parent.empty() || several.size() > kMostClaimants) {
    return std::nullopt;
  }
  const int top = *std::ranges::min_element(several);
  const bool all = std::ranges::all_of(several, [&](int i) { return is_above(joints, top, i); });
  return all ? std::optional(top) : std::nullopt;
}

std::vector<int> preferred_of(const NamedJoints& joints, const std::vector<int>& several) {
  std::vector<int> out;
  std::ranges::copy_if(several, std::back_inserter(out),
                       [&](int i) { return !joints.preferred.empty() && joints.preferred[slot_in(i)] != 0; });
  return out.empty() ? several : out;
}

// Some exporters make every node name unique by a number at its end ("LeftArm_09"): then it says nothing.
std::vector<JointName> parsed_names(const NamedJoints& joints) {
  const auto serial = [](std::string_view name) {
    const std::size_t end = name.find_last_not_of("0123456789");
    const bool numbered = end != std::string_view::npos && end + 1 < name.size() && name[end] == '_' && end > 0;
    return numbered ? end : name.size();
  };
  const auto numbered = std::ranges::count_if(joints.name, [&](const std::string& n) { return serial(n) < n.size(); });
  const bool serials = joints.name.size() >= 4 && static_cast<std::size_t>(numbered) * 5 >= joints.name.size() * 4;
  std::string prefix = common_joint_prefix(joints.name);
  if (parse_joint_name(prefix).side != Side::kNone) {
    prefix.clear();  // a hand alone: the side belongs to the names
  }
  std::vector<JointName> out;
  for (const std::string& name : joints.name) {
    const std::string_view whole = serials ? std::string_view(name).substr(0, serial(name)) : std::string_view(name);
    out.push_back(parse_joint_name(whole.starts_with(prefix) ? whole.substr(prefix.size()) : whole));
  }
  return out;
}

// From the hips upwards; without knowing what hangs on what, by words and numbers.
void sort_torso(const NamedJoints& joints, const std::vector<JointName>& names, std::vector<int>& torso) {
  if (!joints.parent.empty()) {
    std::ranges::sort(torso);
    return;
  }
  const auto rank = [&](int i) {
    const std::string words = joined(names[slot_in(i)].words);
    const int number = names[slot_in(i)].numbers.empty() ? 0 : names[slot_in(i)].numbers.front();
    return std::pair(words == "upperchest" || words == "spineupper" ? 2 : words == "chest" ? 1 : 0, number);
  };
  std::ranges::sort(torso, [&](int a, int b) { return rank(a) < rank(b); });
}

bool in_a_chain(const NamedJoints& joints, const std::vector<int>& torso) {
  for (std::size_t n = 1; n < torso.size() && !joints.parent.empty(); ++n) {
    if (!is_above(joints, torso[n - 1], torso[n])) {
      return false;
    }
  }
  return true;
}

bool is_torso_role(std::string_view role) {
  return role == "spine" || role == "chest" || role == "upperChest" || role.starts_with("spine ");
}

// VRM's own words as those used here.
std::string spelled(std::string_view vrm_role) {
  std::string role(vrm_role);
  for (const auto& [bone, number] : {std::pair("Metacarpal", "1"), std::pair("Proximal", "1"),
                                     std::pair("Intermediate", "2"), std::pair("Distal", "3")}) {
    if (role.ends_with(bone)) {
      const bool thumb = role.find("Thumb") != std::string::npos;
      role.erase(role.rfind(bone));
      const bool second = thumb && std::string_view(bone) == "Proximal";
      return role + (second ? "2" : number);
    }
  }
  return is_torso_role(role) ? "spine" : role;
}

std::vector<int> torso_of(const std::vector<std::string>& roles) {
  std::vector<int> torso;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i].starts_with("spine ")) {
      torso.push_back(static_cast<int>(i));
    }
  }
  std::ranges::sort(torso, {},
                    [&](int i) { return parse_integer(std::string_view(roles[slot_in(i)]).substr(6)).value_or(0); });
  return torso;
}

// Both ends of one torso meet both ends of the other, those between the nearest share of its length. One joint alone
// stands for where all turns have added up, and turns all there is.
std::vector<std::pair<int, int>> torso_pairs(const std::vector<int>& from, const std::vector<int>& to) {
  std::vector<std::pair<int, int>> pairs;
  const std::size_t few = std::min(from.size(), to.size());
  if (few == 0) {
    return pairs;
  }
  if (few == 1) {
    return {{from.back(), to.front()}};
  }
  const auto place = [&](std::size_t n, std::size_t count) {
    return (n * (count - 1) * 2 + (few - 1)) / (2 * (few - 1));
  };
  for (std::size_t n = 0; n < few; ++n) {
    pairs.emplace_back(from[place(n, from.size())], to[place(n, to.size())]);
  }
  return pairs;
}

// One text for all spellings of a name; empty where no word is left.
std::string key_of(const JointName& name) {
  return name.words.empty()
             ? std::string()
             : fmt::format("{} {} {}", static_cast<int>(name.side), joined(name.words), fmt::join(name.numbers, "."));
}

using Places = std::map<std::string, std::vector<int>>;

Places places_of(const std::vector<std::string>& texts) {
  Places out;
  for (std::size_t j = 0; j < texts.size(); ++j) {
    if (!texts[j].empty()) {
      out[texts[j]].push_back(static_cast<int>(j));
    }
  }
  return out;
}

const std::vector<int>& found_in(const Places& places, const std::string& text) {
  static const std::vector<int> kNone;
  const auto found = places.find(text);
  return found == places.end() ? kNone : found->second;
}

/// Gives joints of `to` away, each once.
class Matcher {
 public:
  Matcher(const NamedJoints& from, const Character& character)
      : from_(from), to_(named_joints(character)), out_(from.name.size()), taken_(to_.name.size(), 0) {}

  std::vector<JointMatch> match() {
    by_name();
    const std::vector<std::string> theirs = keys_of(from_);
    const Places ours = places_of(keys_of(to_));
    const std::vector<std::string> their_roles = human_roles(from_);
    const std::vector<std::string> our_roles = human_roles(to_);
    guess([&](int i) {
      // One rig's "shoulder" is another's upper arm, its "Spine1" another's second.
      std::vector<int> found;
      std::ranges::copy_if(found_in(ours, theirs[slot_in(i)]), std::back_inserter(found), [&](int j) {
        return their_roles[slot_in(i)].empty() || our_roles[slot_in(j)].empty() ||
               their_roles[slot_in(i)] == our_roles[slot_in(j)];
      });
      return found;
    });
    const Places bodies = places_of(our_roles);
    const auto pairs = torso_pairs(torso_of(their_roles), torso_of(our_roles));
    guess([&](int i) {
      const std::string& role = their_roles[slot_in(i)];
      if (role.starts_with("spine ")) {
        const auto pair = std::ranges::find(pairs, i, &std::pair<int, int>::first);
        return pair == pairs.end() ? std::vector<int>() : std::vector<int>{pair->second};
      }
      return found_in(bodies, role);
    });
    return out_;
  }

 private:
  static std::vector<std::string> keys_of(const NamedJoints& joints) {
    std::vector<std::string> keys;
    for (const JointName& name : parsed_names(joints)) {
      keys.push_back(key_of(name));
    }
    return keys;
  }

  void by_name() {
    const Places places = places_of(to_.name);
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const std::vector<int>& found = found_in(places, from_.name[i]);
      if (found.size() > 1) {
        out_[i].ambiguous = found;
      } else if (found.size() == 1 && taken_[slot_in(found.front())] == 0) {
        out_[i] = {found.front(), true, {}};
        taken_[slot_in(found.front())] = 1;
      }
    }
  }

  template <typename Find>
  void guess(const Find& candidates) {
    std::map<int, std::vector<std::size_t>> claims;
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (out_[i].joint >= 0 || !out_[i].ambiguous.empty()) {
        continue;
      }
      std::vector<int> found;
      std::ranges::copy_if(candidates(static_cast<int>(i)), std::back_inserter(found),
                           [&](int j) { return taken_[slot_in(j)] == 0; });
      found = preferred_of(to_, found);
      if (found.size() == 1) {
        claims[found.front()].push_back(i);
      } else if (found.size() > 1) {
        out_[i].ambiguous = found;
      }
    }
    for (const auto& [j, claimants] : claims) {
      for (const std::size_t i : claimants) {
        if (claimants.size() == 1) {
          out_[i].joint = j;
          taken_[slot_in(j)] = 1;
        } else {
          out_[i].ambiguous = {j};
        }
      }
    }
  }

  const NamedJoints& from_;
  NamedJoints to_;
  std::vector<JointMatch> out_;
  std::vector<char> taken_;
};

}  // namespace

JointName parse_joint_name(std::string_view full_name) {
  const std::size_t name_space = full_name.find_last_of(":|");
  const std::string plain =
      without_escapes(name_space == std::string_view::npos ? full_name : full_name.substr(name_space + 1));
  JointName out;
  bool after_program = false;
  for (std::string& piece : pieces_of(plain)) {
    if (is_digit_character(piece[0])) {
      if (!after_program) {
        const std::size_t first = piece.find_first_not_of('0');
        out.numbers.push_back(first == std::string::npos || piece.size() - first > 6 ? 0 : std::stoi(piece));
      }
      after_program = false;
      continue;
    }
    after_program = is_one_of(kPrograms, piece);
    const std::optional<Side> side = side_word(piece);
    if (side && out.side == Side::kNone) {
      out.side = *side;
    } else if (!after_program && !is_one_of(kFiller, piece)) {
      out.words.push_back(std::move(piece));
    }
  }
  // "lefthand": the side is part of the word.
  if (out.side == Side::kNone && !out.words.empty()) {
    for (const auto& [word, side] : {std::pair("left", Side::kLeft), std::pair("right", Side::kRight)}) {
      JointName apart = out;
      if (out.words.front().starts_with(word) && out.words.front().size() > std::string_view(word).size()) {
        apart.words.front().erase(0, std::string_view(word).size());
        apart.side = side;
        if (!role_of(apart).empty()) {
          return apart;
        }
      }
    }
  }
  return out;
}

std::string common_joint_prefix(std::span<const std::string> names) {
  constexpr std::string_view kSeparators = ":|_.- ";
  std::map<std::string, std::size_t> uses;
  std::size_t named = 0;
  for (const std::string& name : names) {
    named += name.empty() ? 0u : 1u;
    for (std::size_t end = name.find_first_of(kSeparators); end != std::string::npos && end + 1 < name.size();
         end = name.find_first_of(kSeparators, end + 1)) {
      ++uses[name.substr(0, end + 1)];
    }
  }
  std::string best;
  for (const auto& [prefix, count] : uses) {
    if (count < 4 || count * 5 < named * 4 || prefix.size() <= best.size()) {
      continue;
    }
    const bool leaves_words = std::ranges::all_of(names, [&](const std::string& name) {
      return !name.starts_with(prefix) || (name.size() > prefix.size() && is_word_character(name[prefix.size()]));
    });
    if (leaves_words) {
      best = prefix;
    }
  }
  return best;
}

std::vector<std::string> human_roles(const NamedJoints& joints) {
  const std::vector<JointName> names = parsed_names(joints);
  std::vector<std::string> raw(names.size());
  const bool given = std::ranges::any_of(joints.role, [](const std::string& role) { return !role.empty(); });
  std::vector<std::string> said;
  std::set<std::pair<Side, std::string>> all;
  for (const JointName& name : names) {
    said.push_back(role_of(name));
    all.emplace(name.side, said.back());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (given) {
      raw[i] = spelled(joints.role[i]);
      continue;
    }
    const Side side = names[i].side;
    const auto has = [&](const char* role) { return all.contains({side, role}); };
    std::string role = said[i];
    // "Shoulder", "arm" and "leg" mean what the other names of that side leave over.
    if (role == "shoulder?") {
      role = has("upperArm") || has("arm?") ? "shoulder" : "upperArm";
    } else if (role == "arm?") {
      role = has("upperArm") ? "" : "upperArm";
    } else if (role == "leg?") {
      role = !has("upperLeg") ? "upperLeg" : has("lowerLeg") ? "" : "lowerLeg";
    }
    raw[i] = role.empty() ? "" : with_side(side, role);
  }
  std::map<std::string, std::vector<int>> claims;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (!raw[i].empty()) {
      claims[raw[i]].push_back(static_cast<int>(i));
    }
  }
  std::vector<std::string> out(names.size());
  for (auto& [role, several] : claims) {
    std::vector<int> best = preferred_of(joints, several);
    if (role == "spine") {
      sort_torso(joints, names, best);
      for (std::size_t n = 0; n < best.size() && in_a_chain(joints, best); ++n) {
        out[slot_in(best[n])] = fmt::format("spine {}", n);
      }
    } else if (const std::optional<int> top = topmost(joints, best)) {
      out[slot_in(*top)] = role;
    }
  }
  return out;
}

std::vector<char> deforming_joints(const Character& character) {
  std::vector<char> out(character.skeleton.parent.size(), 0);
  for (const MeshNode& node : character.mesh_nodes) {
    if (node.skin < 0) {
      continue;
    }
    const Skin& skin = character.skins[slot_in(node.skin)];
    for (const mesh::Primitive& primitive : character.meshes[slot_in(node.mesh)].primitives) {
      for (std::size_t k = 0; k < primitive.influences.joint.size(); ++k) {
        const std::size_t slot = primitive.influences.joint[k];
        if (primitive.influences.weight[k] > 0 && slot < skin.joints.size()) {
          out[slot_in(skin.joints[slot])] = 1;
        }
      }
    }
  }
  return out;
}

NamedJoints named_joints(const Character& character) {
  NamedJoints out;
  out.name = character.skeleton.name;
  out.parent = character.skeleton.parent;
  out.preferred = deforming_joints(character);
  if (!character.humanoid.empty()) {
    out.role.resize(out.name.size());
    for (const HumanBone& bone : character.humanoid) {
      out.role[slot_in(bone.joint)] = bone.role;
    }
  }
  return out;
}

std::vector<JointMatch> match_joints(const NamedJoints& from, const Character& to) {
  return Matcher(from, to).match();
}

}  // namespace pelt::rig
