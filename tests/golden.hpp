#pragma once

#include "runtime/core/codec.hpp"
#include "runtime/core/hex.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace ke {
enum class dtype : std::uint8_t;
enum class failure_kind : std::uint8_t;
} // namespace ke

namespace ke::test {

/// How many names an enum had when the golden files were written: one that has grown since is filled as it was.
template <class T>
inline constexpr std::size_t names_then = names_of<T>::value.size();
template <>
inline constexpr std::size_t names_then<dtype> = 9;
template <>
inline constexpr std::size_t names_then<failure_kind> = 24;

/// Gives every field of a described struct a value of its own: two elements for a list or a map, a value for
/// an optional. The same type is always filled alike.
class field_filler {
public:
  template <class T>
  void fill(T& x) {
    namespace d = ke::detail;
    if constexpr (std::is_same_v<T, bool>) {
      x = true;
    } else if constexpr (std::is_floating_point_v<T>) {
      x = static_cast<T>(next()) + T{0.25};
    } else if constexpr (std::is_integral_v<T>) {
      x = static_cast<T>(next() * (sizeof(T) > 4 ? 1'000'003 : sizeof(T) > 2 ? 1009 : 1));
    } else if constexpr (named<T>) {
      x = static_cast<T>(next() % names_then<T>);
    } else if constexpr (std::is_enum_v<T>) {
      x = static_cast<T>(1);
    } else if constexpr (std::is_same_v<T, std::string>) {
      x = "text " + std::to_string(next());
    } else if constexpr (d::is_vector<T>::value) {
      x.clear();
      for (int i = 0; i < 2; ++i)
        fill_copy(x.emplace_back());
    } else if constexpr (d::is_map<T>::value) {
      x.clear();
      for (int i = 0; i < 2; ++i)
        fill(x["key " + std::to_string(next())]);
    } else if constexpr (d::is_optional<T>::value) {
      fill(x.emplace());
    } else if constexpr (d::is_pair<T>::value) {
      fill(x.first);
      fill(x.second);
    } else {
      std::apply([&](auto&... member) { (fill(member), ...); }, fields(x));
    }
  }

private:
  template <class T>
  void fill_copy(T&& x) {
    fill(x);
  }
  std::uint64_t next() { return ++last_; }

  std::uint64_t last_ = 0;
};

inline std::string text_of_file(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Compares the text with a file below tests/, byte for byte. KE_WRITE_GOLDEN=1 writes the file anew: only
/// where a decision changes the format, and its document says so.
inline void check_golden(const std::string& file, const std::string& text) {
  const auto path = std::string{source_dir()} + "/tests/" + file;
  if (std::getenv("KE_WRITE_GOLDEN"))
    std::ofstream{path, std::ios::binary} << text;
  CHECK(text_of_file(path) == text);
}

/// A described struct's bytes as a program writes them that knows `count` of its fields, older or newer.
inline std::string with_fields(const std::string& bytes, std::size_t count) {
  auto handle = msgpack::unpack(bytes.data(), bytes.size());
  const auto& array = handle.get().via.array;
  msgpack::sbuffer out;
  msgpack::packer<msgpack::sbuffer> packer{out};
  packer.pack_array(static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i)
    if (i < array.size)
      packer.pack(array.ptr[i]);
    else
      packer.pack(true);
  return {out.data(), out.size()};
}

/// Checks that `bytes`, of a T with all fields filled, are read without their last fields and with more.
template <class T>
void check_other_programs(const std::string& bytes) {
  constexpr auto all = std::tuple_size_v<decltype(fields(std::declval<T&>()))>;
  auto newer = unpack<T>(with_fields(bytes, all + 2));
  REQUIRE(newer);
  CHECK(pack(*newer) == bytes);
  for (std::size_t count = 0; count < all; ++count) {
    auto older = unpack<T>(with_fields(bytes, count));
    REQUIRE(older);
    CHECK(with_fields(pack(*older), count) == with_fields(bytes, count));
  }
}

/// Lines "name, bytes in hexadecimal" of stored or sent structs.
class golden_bytes {
public:
  /// A fresh T and one with all fields filled, and that the filled one is read back as it was, also from
  /// programs that know fewer or more fields.
  template <class T>
  void add(const std::string& name) {
    T fresh{}, filled{};
    field_filler{}.fill(filled);
    auto bytes = pack(filled);
    INFO(name);
    auto again = unpack<T>(bytes);
    REQUIRE(again);
    CHECK(pack(*again) == bytes);
    check_other_programs<T>(bytes);
    text_ += name + " fresh " + to_hex(pack(fresh)) + "\n" + name + " filled " + to_hex(bytes) + "\n";
  }
  /// The values' numbers are stored, their texts are shown and read: both are the format.
  template <named E>
  void names(const std::string& name) {
    text_ += name;
    for (std::size_t i = 0; i < names_of<E>::value.size(); ++i)
      text_ += " " + std::to_string(i) + "=" + std::string{names_of<E>::value[i]};
    text_ += "\n";
  }
  void line(const std::string& text) { text_ += text + "\n"; }
  const std::string& text() const { return text_; }

private:
  std::string text_;
};

} // namespace ke::test
