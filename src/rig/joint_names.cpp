#include "rig/joint_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace pelt::rig {
namespace {

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
std::vector<std::string_view> pieces_of(std::string_view name) {
  std::vector<std::string_view> pieces;
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
      pieces.push_back(name.substr(i, end - i));
    }
    i = std::max(end, i + 1);
  }
  return pieces;
}

std::string in_small_letters(std::string_view piece) {
  std::string out(piece);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(c < 0x80 ? std::tolower(c) : c); });
  return out;
}

// A namespace ("mixamorig:", "Armature|") says nothing of a joint.
std::size_t end_of_name_space(std::string_view full_name) {
  const std::size_t separator = full_name.find_last_of(":|");
  return separator == std::string_view::npos ? 0 : separator + 1;
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

/// What names of joints say of human bodies, all words run together. Finer distinctions are made in body_word().
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

constexpr char kSidePlace = '\1';

/// Part of a name: a word that tells a side, or another word or number.
struct SidedPiece {
  std::string_view text;
  Side side = Side::kNone;
  bool certain = false;  ///< "left" of "lefthand" is a side only where there is a "righthand", unlike in "leftover"
};

std::vector<SidedPiece> sided_pieces(std::string_view plain_name) {
  std::vector<SidedPiece> out;
  for (const std::string_view piece : pieces_of(plain_name)) {
    const std::string small = in_small_letters(piece);
    if (const std::optional<Side> side = side_word(small)) {
      out.push_back({piece, *side, true});
      continue;
    }
    const std::size_t front = !out.empty() ? 0 : small.starts_with("left") ? 4 : small.starts_with("right") ? 5 : 0;
    if (front > 0) {
      out.push_back({piece.substr(0, front), front == 4 ? Side::kLeft : Side::kRight, false});
    }
    out.push_back({piece.substr(front), Side::kNone, false});
  }
  return out;
}

/// A name without what tells its side, for finding the one on the other side.
struct SidedName {
  std::string text;             ///< as it stands
  std::string words;            ///< its words and numbers alone, in small letters
  std::vector<Side> sides;      ///< in their order
  std::vector<char> is_letter;  ///< of each side: "l" rather than "left"
  bool certain = false;         ///< it has a side, whether or not there is another joint
};

SidedName sided_name(std::string_view full_name) {
  const std::size_t begin = end_of_name_space(full_name);
  const std::string plain = without_escapes(full_name.substr(begin));
  SidedName out;
  out.text = out.words = full_name.substr(0, begin);
  std::size_t done = 0;  // of `plain`
  bool certain_side = false;
  bool other_words = false;
  for (const SidedPiece& piece : sided_pieces(plain)) {
    if (piece.side == Side::kNone) {
      out.words += in_small_letters(piece.text) + ' ';
      other_words = other_words || !is_digit_character(piece.text[0]);
      continue;
    }
    const std::size_t at = piece.text.data() - plain.data();
    out.text += plain.substr(done, at - done) + kSidePlace;
    out.words += kSidePlace;
    done = at + piece.text.size();
    out.sides.push_back(piece.side);
    out.is_letter.push_back(piece.text.size() == 1 ? 1 : 0);
    certain_side = certain_side || piece.certain;
  }
  out.text += plain.substr(done);
  out.certain = certain_side && other_words;  // "l3" is the third l
  return out;
}

/// The sides that the partner of a name may have, likeliest first: where a name says "left" or "right", letters may
/// mean something else.
std::vector<std::vector<Side>> exchanged_sides(const SidedName& name) {
  std::vector<std::vector<Side>> out;
  const auto exchange = [&](const std::vector<std::size_t>& places) {
    std::vector<Side>& sides = out.emplace_back(name.sides);
    for (const std::size_t i : places) {
      sides[i] = sides[i] == Side::kLeft ? Side::kRight : Side::kLeft;
    }
  };
  for (const bool letters : {false, true}) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < name.sides.size(); ++i) {
      if ((name.is_letter[i] != 0) == letters) {
        places.push_back(i);
      }
    }
    if (!places.empty()) {
      exchange(places);
    }
    for (std::size_t n = places.size(); n-- > 0 && places.size() > 1;) {
      exchange({places[n]});
    }
  }
  return out;
}

/// Names by what they are without their sides, and by these.
using SidedKey = std::pair<std::string, std::vector<Side>>;

}  // namespace

std::string_view without_serial(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0 && is_digit_character(name[end - 1])) {
    --end;
  }
  const bool separated = end < name.size() && end > 0 && (name[end - 1] == '_' || name[end - 1] == '.');
  return separated ? name.substr(0, end - 1) : name;
}

std::string JointName::joined_words() const {
  std::string out;
  for (const std::string& word : words) {
    out += word;
  }
  return out;
}

JointName parse_joint_name(std::string_view full_name) {
  const std::string plain = without_escapes(full_name.substr(end_of_name_space(full_name)));
  JointName out;
  bool after_program = false;
  for (const std::string_view raw : pieces_of(plain)) {
    std::string piece = in_small_letters(raw);
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
        if (!body_word(apart).empty()) {
          return apart;
        }
      }
    }
  }
  return out;
}

std::string body_word(const JointName& name) {
  if (const std::string finger = finger_role(name); !finger.empty()) {
    return name.side == Side::kNone ? std::string() : finger;
  }
  const std::string words = name.joined_words();
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

std::vector<int> mirrored_names(std::span<const std::string> names) {
  constexpr int kSeveral = -2;
  std::map<SidedKey, int> by_text;
  std::map<SidedKey, int> by_words;
  std::map<SidedKey, int> by_stem;
  std::vector<SidedName> sided;
  std::vector<std::string> stems;
  const auto add_unique = [](std::map<SidedKey, int>& to, SidedKey key, int i) {
    const auto [entry, is_new] = to.try_emplace(std::move(key), i);
    entry->second = is_new ? i : kSeveral;
  };
  for (const std::string& name : names) {
    const int i = static_cast<int>(sided.size());
    const SidedName& own = sided.emplace_back(sided_name(name));
    stems.push_back(sided_name(without_serial(name)).words);
    by_text.try_emplace({own.text, own.sides}, i);
    add_unique(by_words, {own.words, own.sides}, i);
    add_unique(by_stem, {stems.back(), own.sides}, i);
  }
  std::vector<int> out(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::vector<std::vector<Side>> partners = exchanged_sides(sided[i]);
    const auto find = [&](const std::map<SidedKey, int>& in, const std::string& without_sides) {
      for (const std::vector<Side>& sides : partners) {
        if (const auto found = in.find({without_sides, sides}); found != in.end() && found->second != kSeveral) {
          return found->second;
        }
      }
      return -1;
    };
    int partner = find(by_text, sided[i].text);
    partner = partner >= 0 ? partner : find(by_words, sided[i].words);
    partner = partner >= 0 ? partner : find(by_stem, stems[i]);
    out[i] = partner >= 0 ? partner : sided[i].certain ? -1 : static_cast<int>(i);
  }
  return out;
}

std::vector<char> deforming_joints(const Character& character) {
  std::vector<char> out(character.skeleton->parent.size(), 0);
  for (const MeshNode& node : character.mesh_nodes) {
    if (node.skin < 0) {
      continue;
    }
    const Skin& skin = character.skins[node.skin];
    for (const mesh::Primitive& primitive : character.meshes[node.mesh].primitives) {
      primitive.influences->for_each_entry([&](std::size_t slot, float weight) {
        if (weight > 0 && slot < skin.joints.size()) {
          out[skin.joints[slot]] = 1;
        }
      });
    }
  }
  return out;
}

}  // namespace pelt::rig
