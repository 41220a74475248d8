#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ke {

/// Plain values one after the other, in this machine's own layout. For caches that can be made anew and are
/// read by the same program on the same kind of machine only; all else goes through codec.hpp.
class image_writer {
public:
  template <class T>
  void value(const T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  template <class T>
  void values(const T* first, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(first), count * sizeof(T));
  }
  template <class T>
  void list(const std::vector<T>& all) {
    value<std::uint64_t>(all.size());
    values(all.data(), all.size());
  }
  template <class T>
  void packed(const T& x); ///< anything that codec.hpp encodes; its body is in image_codec.hpp
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

/// Reads the same values in the same order. After a missing value everything reads as zero and `good` is
/// false: check once, at the end. Does not own the bytes.
class image_reader {
public:
  explicit image_reader(std::string_view bytes) : rest_{bytes} {}

  template <class T>
  T value() {
    T x{};
    values(&x, 1);
    return x;
  }
  template <class T>
  void values(T* first, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (auto bytes = take(count, sizeof(T)); !bytes.empty())
      std::memcpy(static_cast<void*>(first), bytes.data(), bytes.size());
  }
  template <class T>
  std::vector<T> list() {
    std::vector<T> all;
    auto bytes = take(value<std::uint64_t>(), sizeof(T));
    all.resize(bytes.size() / sizeof(T));
    if (!all.empty())
      std::memcpy(static_cast<void*>(all.data()), bytes.data(), bytes.size());
    return all;
  }
  template <class T>
  T packed(); ///< its body is in image_codec.hpp
  /// For a caller that finds a value without sense.
  void fail() { good_ = false; }
  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }

private:
  std::string_view take(std::uint64_t count, std::size_t each) {
    if (!good_ || count > rest_.size() / each) {
      good_ = false;
      return {};
    }
    auto bytes = rest_.substr(0, count * each);
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  std::string_view rest_;
  bool good_ = true;
};

} // namespace ke
