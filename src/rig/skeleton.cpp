#include "rig/skeleton.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "core/expect.h"

namespace pelt::rig {
namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_upper(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}
bool is_lower(char c) {
  return std::islower(static_cast<unsigned char>(c)) != 0;
}
char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}
char upper(char c) {
  return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
}

// A word of a name that tells a side: "left", "right", "l" or "r" in any case.
struct SideWord {
  std::size_t begin = 0;
  std::size_t length = 0;
};

// Where `word` (lower case) starts at `begin`, ignoring case.
bool starts_at(std::string_view name, std::size_t begin, std::string_view word) {
  if (begin + word.size() > name.size()) {
    return false;
  }
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (lower(name[begin + i]) != word[i]) {
      return false;
    }
  }
  return true;
}

// "left" and "right" as words: bounded by non-letters, by the ends or by a change from lower to upper case.
std::vector<SideWord> long_side_words(std::string_view name) {
  std::vector<SideWord> found;
  for (std::size_t begin = 0; begin < name.size(); ++begin) {
    for (const std::string_view word : {std::string_view("left"), std::string_view("right")}) {
      if (!starts_at(name, begin, word)) {
        continue;
      }
      const std::size_t end = begin + word.size();
      const bool opens =
          begin == 0 || !is_letter(name[begin - 1]) || (is_upper(name[begin]) && is_lower(name[begin - 1]));
      const bool closes =
          end == name.size() || !is_letter(name[end]) || (is_upper(name[end]) && is_lower(name[end - 1]));
      if (opens && closes) {
        found.push_back({begin, word.size()});
      }
    }
  }
  return found;
}

// "l" and "r" that stand alone between separators or ends. A digit is no separator: "l3" is not a left. FBX exporters
// write characters they cannot keep as FBXASC and three digits: "armFBXASC046L" was "arm.L".
std::vector<SideWord> short_side_words(std::string_view name) {
  const auto separates = [&](std::size_t i) {
    return !is_letter(name[i]) && std::isdigit(static_cast<unsigned char>(name[i])) == 0;
  };
  constexpr std::string_view kEscape = "FBXASC";
  constexpr std::size_t kEscaped = kEscape.size() + 3;
  std::vector<SideWord> found;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (lower(name[i]) != 'l' && lower(name[i]) != 'r') {
      continue;
    }
    const bool opens =
        i == 0 || separates(i - 1) || (i >= kEscaped && name.substr(i - kEscaped, kEscape.size()) == kEscape);
    const bool closes = i + 1 == name.size() || separates(i + 1) || name.substr(i + 1, kEscape.size()) == kEscape;
    if (opens && closes) {
      found.push_back({i, 1});
    }
  }
  return found;
}

// The opposite of one side word, in the same case.
std::string opposite(std::string_view word) {
  const bool left = lower(word[0]) == 'l';
  if (word.size() == 1) {
    return std::string(1, is_upper(word[0]) ? (left ? 'R' : 'L') : (left ? 'r' : 'l'));
  }
  std::string out = left ? "right" : "left";
  const bool all_upper = is_upper(word[0]) && is_upper(word[1]);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = all_upper || (i == 0 && is_upper(word[0])) ? upper(out[i]) : out[i];
  }
  return out;
}

std::string exchanged(std::string_view name, std::span<const SideWord> words) {
  std::string out;
  std::size_t from = 0;
  for (const SideWord& word : words) {
    out += name.substr(from, word.begin - from);
    out += opposite(name.substr(word.begin, word.length));
    from = word.begin + word.length;
  }
  out += name.substr(from);
  return out;
}

// Names that the partner of `name` may have, likeliest first. `certain` tells whether the name has a side at all;
// without it the candidates are guesses that count only where such a joint exists.
struct Candidates {
  std::vector<std::string> names;
  bool certain = false;
};

Candidates partner_names(std::string_view full_name) {
  // A namespace ("mixamorig:") never tells a side.
  const std::size_t colon = full_name.rfind(':');
  const std::string_view prefix = colon == std::string_view::npos ? std::string_view() : full_name.substr(0, colon + 1);
  const std::string_view name = full_name.substr(prefix.size());
  Candidates out;
  const auto add = [&](std::span<const SideWord> words) {
    out.names.push_back(std::string(prefix) + exchanged(name, words));
  };
  for (const std::vector<SideWord>& words : {long_side_words(name), short_side_words(name)}) {
    if (words.empty()) {
      continue;
    }
    out.certain = true;
    add(words);
    if (words.size() > 1) {
      for (std::size_t i = words.size(); i-- > 0;) {
        add(std::span(words).subspan(i, 1));
      }
    }
  }
  // "LThigh", "lefthand": only the existence of a partner tells them from "LOD" and "leftover".
  if (name.size() > 2 && (name[0] == 'L' || name[0] == 'R') && is_upper(name[1])) {
    add(std::array{SideWord{0, 1}});
  }
  for (const std::string_view word : {std::string_view("left"), std::string_view("right")}) {
    if (starts_at(name, 0, word)) {
      add(std::array{SideWord{0, word.size()}});
    }
  }
  return out;
}

// Some exporters make every node name unique by a number at its end ("LeftArm_09", "RightArm_012").
std::string_view without_serial(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0 && std::isdigit(static_cast<unsigned char>(name[end - 1])) != 0) {
    --end;
  }
  const bool separated = end < name.size() && end > 0 && (name[end - 1] == '_' || name[end - 1] == '.');
  return separated ? name.substr(0, end - 1) : name;
}

}  // namespace

int Skeleton::find(std::string_view joint_name) const {
  const auto found = std::find(name.begin(), name.end(), joint_name);
  return found == name.end() ? -1 : static_cast<int>(found - name.begin());
}

int Skeleton::from_source_node(int node) const {
  const auto found = std::find(source_node.begin(), source_node.end(), node);
  return found == source_node.end() ? -1 : static_cast<int>(found - source_node.begin());
}

std::string Skeleton::label(int j) const {
  PELT_EXPECT(j >= 0 && j < size(), "joint index in range");
  const auto at = static_cast<std::size_t>(j);
  if (at < name.size() && !name[at].empty()) {
    return name[at];
  }
  return fmt::format("node {}", at < source_node.size() ? source_node[at] : j);
}

std::vector<int> Skeleton::children(int j) const {
  PELT_EXPECT(j >= 0 && j < size(), "joint index in range");
  if (child_offset.size() == parent.size() + 1) {
    const auto at = static_cast<std::size_t>(j);
    return {child.begin() + child_offset[at], child.begin() + child_offset[at + 1]};
  }
  std::vector<int> out;
  for (int other = j + 1; other < size(); ++other) {
    if (parent[static_cast<std::size_t>(other)] == j) {
      out.push_back(other);
    }
  }
  return out;
}

std::vector<int> Skeleton::subtree(int j) const {
  PELT_EXPECT(j >= 0 && j < size(), "joint index in range");
  std::vector<int> out = {j};
  if (child_offset.size() == parent.size() + 1) {
    for (std::size_t next = 0; next < out.size(); ++next) {
      const auto at = static_cast<std::size_t>(out[next]);
      out.insert(out.end(), child.begin() + child_offset[at], child.begin() + child_offset[at + 1]);
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  std::vector<char> inside(parent.size(), 0);
  inside[static_cast<std::size_t>(j)] = 1;
  for (int other = j + 1; other < size(); ++other) {
    const int above = parent[static_cast<std::size_t>(other)];
    if (above >= 0 && inside[static_cast<std::size_t>(above)] != 0) {
      inside[static_cast<std::size_t>(other)] = 1;
      out.push_back(other);
    }
  }
  return out;
}

bool Skeleton::is_within(int j, int ancestor) const {
  PELT_EXPECT(j >= 0 && j < size(), "joint index in range");
  // Parents stand before their children, so the walk ends as soon as it has passed the ancestor.
  while (j > ancestor) {
    j = parent[static_cast<std::size_t>(j)];
  }
  return j == ancestor && j >= 0;
}

void Skeleton::link_children() {
  child_offset.assign(parent.size() + 1, 0);
  for (const int above : parent) {
    if (above >= 0) {
      ++child_offset[static_cast<std::size_t>(above) + 1];
    }
  }
  for (std::size_t j = 0; j < parent.size(); ++j) {
    child_offset[j + 1] += child_offset[j];
  }
  child.assign(static_cast<std::size_t>(child_offset.back()), 0);
  std::vector<int> next(child_offset.begin(), child_offset.end() - 1);
  for (std::size_t j = 0; j < parent.size(); ++j) {
    if (parent[j] >= 0) {
      child[static_cast<std::size_t>(next[static_cast<std::size_t>(parent[j])]++)] = static_cast<int>(j);
    }
  }
}

Result<std::vector<int>> parents_first_order(std::span<const int> parents, std::span<const int> sequence) {
  PELT_EXPECT(sequence.empty() || sequence.size() == parents.size(), "the sequence names every node once");
  const int count = static_cast<int>(parents.size());
  // Children as linked lists: filled from the back, they run forward.
  std::vector<int> first_child(parents.size(), -1);
  std::vector<int> next_sibling(parents.size(), -1);
  int first_root = -1;
  for (std::size_t i = parents.size(); i-- > 0;) {
    const int node = sequence.empty() ? static_cast<int>(i) : sequence[i];
    const int parent = parents[static_cast<std::size_t>(node)];
    if (parent < -1 || parent >= count) {
      return error("node {}: parent: expected -1 to {}, got {}", node, count - 1, parent);
    }
    int& head = parent < 0 ? first_root : first_child[static_cast<std::size_t>(parent)];
    next_sibling[static_cast<std::size_t>(node)] = head;
    head = node;
  }
  std::vector<int> order;
  order.reserve(parents.size());
  // A preorder walk without a stack: down to the first child, else to the next sibling of the nearest node that has
  // one.
  int node = first_root;
  while (node >= 0) {
    order.push_back(node);
    int next = first_child[static_cast<std::size_t>(node)];
    while (next < 0 && node >= 0) {
      next = next_sibling[static_cast<std::size_t>(node)];
      node = parents[static_cast<std::size_t>(node)];
    }
    node = next;
  }
  if (order.size() != parents.size()) {
    // What no root reaches hangs on a cycle; walking up from any such node ends in it.
    std::vector<char> reached(parents.size(), 0);
    for (const int n : order) {
      reached[static_cast<std::size_t>(n)] = 1;
    }
    auto at = static_cast<std::size_t>(std::find(reached.begin(), reached.end(), 0) - reached.begin());
    while (reached[at] == 0) {
      reached[at] = 1;
      at = static_cast<std::size_t>(parents[at]);
    }
    return error("node {}: is its own ancestor: expected a tree, got a cycle through node {}", at, parents[at]);
  }
  return order;
}

std::vector<int> mirrored_joints(const Skeleton& skeleton) {
  std::unordered_map<std::string_view, int> by_name;
  std::unordered_map<std::string_view, int> by_stem;  // -2: several
  for (int j = 0; j < skeleton.size(); ++j) {
    const std::string_view name = skeleton.name[static_cast<std::size_t>(j)];
    by_name.try_emplace(name, j);
    const auto [entry, inserted] = by_stem.try_emplace(without_serial(name), j);
    if (!inserted) {
      entry->second = -2;
    }
  }
  std::vector<int> out(skeleton.parent.size());
  for (int j = 0; j < skeleton.size(); ++j) {
    const std::string& name = skeleton.name[static_cast<std::size_t>(j)];
    const Candidates candidates = partner_names(name);
    int partner = -1;
    for (const std::string& candidate : candidates.names) {
      const auto found = by_name.find(candidate);
      if (found != by_name.end() && found->second != j) {
        partner = found->second;
        break;
      }
    }
    if (partner < 0) {
      for (const std::string& candidate : candidates.names) {
        const auto found = by_stem.find(without_serial(candidate));
        if (found != by_stem.end() && found->second >= 0 && found->second != j) {
          partner = found->second;
          break;
        }
      }
    }
    out[static_cast<std::size_t>(j)] = partner >= 0 ? partner : candidates.certain ? -1 : j;
  }
  return out;
}

int mirrored_joint(const Skeleton& skeleton, int j) {
  PELT_EXPECT(j >= 0 && j < skeleton.size(), "joint index in range");
  return mirrored_joints(skeleton)[static_cast<std::size_t>(j)];
}

}  // namespace pelt::rig
