#pragma once

#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

namespace pelt {

/// A value that copies share until one of them is edited.
///
/// Copying costs a pointer. Reading is as from a `const T`. edit() clones the value unless this is its only owner, so
/// that no copy ever sees another's edit. Whether two hold the very same value is one comparison of pointers: what was
/// computed from one then holds for the other, however either came to it. A cache keeps the Shared itself, not its
/// address, since an address may be used again.
///
/// Copies may be read, copied and let go on several threads at once; one Shared is one thread's, as any value is.
template <typename T>
class Shared {
 public:
  Shared() = default;  ///< a default T, which all such share and nobody allocates
  Shared(T value) : value_(std::make_shared<T>(std::move(value))) {}  // NOLINT: a T is as good as a Shared of it

  const T& operator*() const { return value_ ? *value_ : none(); }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }  // NOLINT: passes as what it holds

  /// The value to be changed; a clone where others share it. Not to be kept: after this was copied, writing through it
  /// would change the copy too, and after something was assigned to this or to what owns it, it is gone.
  T& edit() {
    if (!value_) {
      value_ = std::make_shared<T>();
    } else if (value_.use_count() != 1) {
      value_ = std::make_shared<T>(*value_);
    } else {
      // The count alone orders nothing: whoever let go on another thread has finished reading before we write.
      std::atomic_thread_fence(std::memory_order_acquire);
    }
    return *value_;
  }

  /// Whether both hold the very same value; equal values that came about apart do not count.
  [[nodiscard]] bool is(const Shared& other) const { return value_ == other.value_; }

  friend bool operator==(const Shared& a, const Shared& b) { return a.is(b) || *a == *b; }

 private:
  static const T& none() {
    static const T value{};
    return value;
  }

  std::shared_ptr<T> value_;
};

/// An array that copies share until one of them is edited: reads like a `const std::vector<T>`, and what only builds it
/// up may be said to it directly. There is no writing operator[]: where elements change in place, edit() is asked once.
template <typename T>
class SharedArray {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using const_reference = const T&;
  using reference = const T&;
  using const_iterator = const T*;
  using iterator = const T*;

  SharedArray() = default;
  SharedArray(std::vector<T> elements) : elements_(std::move(elements)) {}  // NOLINT
  SharedArray(std::initializer_list<T> elements) : elements_(std::vector<T>(elements)) {}
  explicit SharedArray(std::size_t count, const T& value = T()) : elements_(std::vector<T>(count, value)) {}
  template <std::input_iterator I>
  SharedArray(I first, I last) : elements_(std::vector<T>(first, last)) {}

  [[nodiscard]] const std::vector<T>& get() const { return *elements_; }
  operator const std::vector<T>&() const { return *elements_; }  // NOLINT
  [[nodiscard]] std::size_t size() const { return elements_->size(); }
  [[nodiscard]] bool empty() const { return elements_->empty(); }
  [[nodiscard]] const T* data() const { return elements_->data(); }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size(); }
  [[nodiscard]] const T& operator[](std::size_t i) const { return (*elements_)[i]; }
  [[nodiscard]] const T& at(std::size_t i) const { return elements_->at(i); }
  [[nodiscard]] const T& front() const { return elements_->front(); }
  [[nodiscard]] const T& back() const { return elements_->back(); }

  std::vector<T>& edit() { return elements_.edit(); }
  void push_back(T element) { edit().push_back(std::move(element)); }
  void resize(std::size_t count) { edit().resize(count); }
  void resize(std::size_t count, const T& value) { edit().resize(count, value); }
  void reserve(std::size_t count) { edit().reserve(count); }
  void assign(std::size_t count, const T& value) { *this = SharedArray(count, value); }
  template <std::input_iterator I>
  void assign(I first, I last) {
    *this = SharedArray(first, last);
  }
  template <typename... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    return edit().emplace_back(std::forward<Arguments>(arguments)...);
  }
  void append(std::initializer_list<T> more) { edit().insert(elements_.edit().end(), more); }
  void append(std::span<const T> more) { edit().insert(elements_.edit().end(), more.begin(), more.end()); }
  void clear() { elements_ = {}; }

  [[nodiscard]] bool is(const SharedArray& other) const { return elements_.is(other.elements_); }
  friend bool operator==(const SharedArray& a, const SharedArray& b) { return a.elements_ == b.elements_; }
  friend bool operator==(const SharedArray& a, const std::vector<T>& b) { return a.get() == b; }

 private:
  Shared<std::vector<T>> elements_;
};

/// A list whose items are shared each: a copy that edits one item shares all others with where it came from.
template <typename T>
class SharedList {
 public:
  class const_iterator {  // NOLINT: named as the containers of the standard library name theirs
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = const T&;
    using pointer = const T*;
    using iterator_category = std::random_access_iterator_tag;

    const_iterator() = default;
    explicit const_iterator(const Shared<T>* item) : item_(item) {}
    reference operator*() const { return **item_; }
    pointer operator->() const { return &**item_; }
    reference operator[](difference_type n) const { return *item_[n]; }
    const_iterator& operator++() { return *this += 1; }
    const_iterator& operator--() { return *this += -1; }
    const_iterator operator++(int) { return std::exchange(*this, *this + 1); }
    const_iterator operator--(int) { return std::exchange(*this, *this - 1); }
    const_iterator& operator+=(difference_type n) {
      item_ += n;
      return *this;
    }
    const_iterator& operator-=(difference_type n) { return *this += -n; }
    friend const_iterator operator+(const_iterator i, difference_type n) { return i += n; }
    friend const_iterator operator+(difference_type n, const_iterator i) { return i += n; }
    friend const_iterator operator-(const_iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(const_iterator a, const_iterator b) { return a.item_ - b.item_; }
    friend auto operator<=>(const_iterator, const_iterator) = default;

   private:
    const Shared<T>* item_ = nullptr;
  };
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using const_reference = const T&;
  using reference = const T&;
  using iterator = const_iterator;

  SharedList() = default;
  SharedList(std::vector<T> items)  // NOLINT: as good as a list of them
      : items_(std::vector<Shared<T>>(std::move_iterator(items.begin()), std::move_iterator(items.end()))) {}
  SharedList(std::initializer_list<T> items) : items_(std::vector<Shared<T>>(items.begin(), items.end())) {}
  template <std::input_iterator I>
  SharedList(I first, I last) : items_(std::vector<Shared<T>>(first, last)) {}
  explicit SharedList(std::size_t count) : items_(std::vector<Shared<T>>(count)) {}

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] const T& operator[](std::size_t i) const { return *items_[i]; }
  [[nodiscard]] const T& at(std::size_t i) const { return *items_.at(i); }
  [[nodiscard]] const T& front() const { return *items_.front(); }
  [[nodiscard]] const T& back() const { return *items_.back(); }
  [[nodiscard]] const_iterator begin() const { return const_iterator(items_.data()); }
  [[nodiscard]] const_iterator end() const { return const_iterator(items_.data() + items_.size()); }
  /// The item as it is shared, for whoever keeps or compares it.
  [[nodiscard]] const Shared<T>& shared(std::size_t i) const { return items_[i]; }

  /// @pre i < size()
  T& edit(std::size_t i) { return items_.edit()[i].edit(); }
  /// @pre not empty
  T& edit_back() { return edit(size() - 1); }
  /// Each item to be changed, for `for (T& item : list.edit_each())`; all of them are cloned where others share them.
  auto edit_each() {
    return std::span<Shared<T>>(items_.edit()) |
           std::views::transform([](Shared<T>& item) -> T& { return item.edit(); });
  }
  /// The items themselves, to be put in, taken out or into another order.
  std::vector<Shared<T>>& edit_items() { return items_.edit(); }
  void push_back(T item) { items_.push_back(std::move(item)); }
  void push_back(const Shared<T>& item) { items_.push_back(item); }
  T& emplace_back(T item = T()) {
    push_back(std::move(item));
    return edit_back();
  }
  void resize(std::size_t count) { items_.resize(count); }
  void reserve(std::size_t count) { items_.reserve(count); }
  void clear() { items_.clear(); }

  [[nodiscard]] bool is(const SharedList& other) const { return items_.is(other.items_); }
  friend bool operator==(const SharedList& a, const SharedList& b) { return a.items_ == b.items_; }

 private:
  SharedArray<Shared<T>> items_;
};

}  // namespace pelt
