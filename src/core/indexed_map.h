#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace pelt {

/// Members of an object in the order in which they came, each found in O(log N): the object type of a
/// nlohmann::basic_json whose text a stranger may have written. nlohmann::ordered_map searches its members one after
/// the other, so that an object of a million keys takes hours; a hash table can be filled with keys that collide.
/// @tparam Key  text
template <class Key, class T, class = std::less<Key>, class Allocator = std::allocator<std::pair<const Key, T>>>
class IndexedMap {
  using Members = std::list<std::pair<const Key, T>, Allocator>;

 public:
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<const Key, T>;
  using key_compare = std::equal_to<>;
  using allocator_type = Allocator;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = typename Members::iterator;
  using const_iterator = typename Members::const_iterator;

  IndexedMap() = default;
  template <class It>
  IndexedMap(It first, It last) {
    insert(first, last);
  }
  IndexedMap(std::initializer_list<value_type> members) : IndexedMap(members.begin(), members.end()) {}
  ~IndexedMap() = default;
  IndexedMap(const IndexedMap& other) : members_(other.members_) { make_index(); }
  IndexedMap(IndexedMap&& other) noexcept : members_(std::move(other.members_)), index_(std::move(other.index_)) {
    other.clear();
  }
  IndexedMap& operator=(IndexedMap other) noexcept {
    members_.swap(other.members_);
    index_.swap(other.index_);
    return *this;
  }

  iterator begin() { return members_.begin(); }
  iterator end() { return members_.end(); }
  const_iterator begin() const { return members_.begin(); }
  const_iterator end() const { return members_.end(); }
  const_iterator cbegin() const { return members_.begin(); }
  const_iterator cend() const { return members_.end(); }
  [[nodiscard]] bool empty() const { return members_.empty(); }
  [[nodiscard]] size_type size() const { return members_.size(); }
  [[nodiscard]] size_type max_size() const { return members_.max_size(); }
  void clear() {
    index_.reset();
    members_.clear();
  }

  iterator find(std::string_view key) {
    if (index_ != nullptr) {
      const auto found = index_->find(key);
      return found == index_->end() ? members_.end() : found->second;
    }
    iterator at = members_.begin();
    while (at != members_.end() && at->first != key) {
      ++at;
    }
    return at;
  }
  // Nothing is changed through it: a const_iterator is all that leaves.
  const_iterator find(std::string_view key) const { return const_cast<IndexedMap*>(this)->find(key); }
  [[nodiscard]] size_type count(std::string_view key) const { return find(key) == end() ? 0 : 1; }

  T& at(std::string_view key) {
    const iterator found = find(key);
    if (found == end()) {
      throw std::out_of_range("key not found");
    }
    return found->second;
  }
  const T& at(std::string_view key) const { return const_cast<IndexedMap*>(this)->at(key); }
  template <class K>
  T& operator[](K&& key) {
    return emplace(std::forward<K>(key), T{}).first->second;
  }

  /// Puts a member last; one of that key stays as it is.
  template <class K, class V>
  std::pair<iterator, bool> emplace(K&& key, V&& value) {
    if (const iterator known = find(key); known != end()) {
      return {known, false};
    }
    members_.emplace_back(std::forward<K>(key), std::forward<V>(value));
    const iterator made = std::prev(members_.end());
    if (index_ != nullptr) {
      index_->emplace(made->first, made);
    } else {
      make_index();
    }
    return {made, true};
  }
  std::pair<iterator, bool> insert(const value_type& member) { return emplace(member.first, member.second); }
  template <class It>
  void insert(It first, It last) {
    for (; first != last; ++first) {
      emplace(first->first, first->second);
    }
  }

  iterator erase(const_iterator member) {
    if (index_ != nullptr) {
      index_->erase(member->first);
    }
    return members_.erase(member);
  }
  iterator erase(const_iterator first, const_iterator last) {
    while (first != last) {
      first = erase(first);
    }
    return members_.erase(last, last);  // an iterator of the same place that is not const
  }
  size_type erase(std::string_view key) {
    const iterator found = find(key);
    if (found == end()) {
      return 0;
    }
    erase(found);
    return 1;
  }

  friend bool operator==(const IndexedMap& a, const IndexedMap& b) { return a.members_ == b.members_; }
  friend bool operator<(const IndexedMap& a, const IndexedMap& b) { return a.members_ < b.members_; }

 private:
  static constexpr size_type kFew = 16;  // as many are searched one after the other

  void make_index() {
    if (members_.size() <= kFew) {
      return;
    }
    index_ = std::make_unique<std::map<std::string_view, iterator>>();
    for (iterator at = members_.begin(); at != members_.end(); ++at) {
      index_->emplace(at->first, at);
    }
  }

  Members members_;  ///< a list: keys and iterators of the index stay where they are
  std::unique_ptr<std::map<std::string_view, iterator>> index_;  ///< of all, or null
};

}  // namespace pelt
