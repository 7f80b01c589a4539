#include "rig/joint_matching.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"

namespace pelt::rig {
namespace {

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

bool is_above(const NamedJoints& joints, int above, int i) {
  while (i > above) {
    i = joints.parent[i];
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
                       [&](int i) { return !joints.preferred.empty() && joints.preferred[i] != 0; });
  return out.empty() ? several : out;
}

// Whether an exporter made every name unique by a number at its end: then it says nothing. Numbers of fingers and
// spines begin anew.
bool has_serials(std::span<const std::string> names) {
  std::set<std::string_view> serials;
  std::size_t numbered = 0;
  for (const std::string& name : names) {
    if (const std::string_view stem = without_serial(name); stem.size() < name.size()) {
      serials.insert(std::string_view(name).substr(stem.size()));
      ++numbered;
    }
  }
  return names.size() >= 4 && numbered * 5 >= names.size() * 4 && serials.size() == numbered;
}

std::vector<JointName> parsed_names(const NamedJoints& joints) {
  const bool serials = has_serials(joints.name);
  std::string prefix = common_joint_prefix(joints.name);
  if (parse_joint_name(prefix).side != Side::kNone) {
    prefix.clear();  // a hand alone: the side belongs to the names
  }
  std::vector<JointName> out;
  for (const std::string& name : joints.name) {
    const std::string_view whole = serials ? without_serial(name) : std::string_view(name);
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
    const std::string words = names[i].joined_words();
    const int number = names[i].numbers.empty() ? 0 : names[i].numbers.front();
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
  std::ranges::sort(torso, {}, [&](int i) { return parse_integer(std::string_view(roles[i]).substr(6)).value_or(0); });
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
             : fmt::format("{} {} {}", static_cast<int>(name.side), name.joined_words(), fmt::join(name.numbers, "."));
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
      std::ranges::copy_if(found_in(ours, theirs[i]), std::back_inserter(found), [&](int j) {
        return their_roles[i].empty() || our_roles[j].empty() || their_roles[i] == our_roles[j];
      });
      return found;
    });
    const Places bodies = places_of(our_roles);
    const auto pairs = torso_pairs(torso_of(their_roles), torso_of(our_roles));
    guess([&](int i) {
      const std::string& role = their_roles[i];
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
      const std::vector<int> found = preferred_of(to_, found_in(places, from_.name[i]));
      if (found.size() > 1) {
        out_[i].ambiguous = found;
      } else if (found.size() == 1 && taken_[found.front()] == 0) {
        out_[i] = {found.front(), true, {}};
        taken_[found.front()] = 1;
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
                           [&](int j) { return taken_[j] == 0; });
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
          taken_[j] = 1;
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

std::vector<std::string> human_roles(const NamedJoints& joints) {
  const std::vector<JointName> names = parsed_names(joints);
  std::vector<std::string> raw(names.size());
  const bool given = std::ranges::any_of(joints.role, [](const std::string& role) { return !role.empty(); });
  std::vector<std::string> said;
  std::set<std::pair<Side, std::string>> all;
  for (const JointName& name : names) {
    said.push_back(body_word(name));
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
      const bool numbered = in_a_chain(joints, best);
      for (std::size_t n = 0; n < best.size() && numbered; ++n) {
        out[best[n]] = fmt::format("spine {}", n);
      }
    } else if (const std::optional<int> top = topmost(joints, best)) {
      out[*top] = role;
    }
  }
  return out;
}

NamedJoints named_joints(const Character& character) {
  NamedJoints out;
  out.name = character.skeleton->name;
  out.parent = character.skeleton->parent;
  out.preferred = deforming_joints(character);
  if (!character.humanoid.empty()) {
    out.role.resize(out.name.size());
    for (const HumanBone& bone : character.humanoid) {
      out.role[bone.joint] = bone.role;
    }
  }
  return out;
}

std::vector<JointMatch> match_joints(const NamedJoints& from, const Character& to) {
  return Matcher(from, to).match();
}

}  // namespace pelt::rig
