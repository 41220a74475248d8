#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/result.hpp"

#include <msgpack.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Applied before anything is decoded: bytes of a peer or a damaged file must not make us allocate or
/// recurse.
struct decode_limits {
  std::size_t bytes = 64u << 20;
  std::size_t elements = 1u << 22;
  std::size_t depth = 32;
  /// Memory for lists, in bytes per encoded byte, plus 64 KiB: one encoded byte can stand for a whole default
  /// struct. 0: no limit, for bytes that this program wrote.
  std::size_t expansion = 0;
};

namespace detail {

using packer = msgpack::packer<msgpack::sbuffer>;

template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};
template <class T>
struct is_map : std::false_type {};
template <class T>
struct is_map<std::map<std::string, T>> : std::true_type {};
template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_pair : std::false_type {};
template <class A, class B>
struct is_pair<std::pair<A, B>> : std::true_type {};

/// Number of fields written: trailing optional ones that equal those of a fresh T are left out.
template <described T>
std::size_t packed_fields(const T& x) {
  constexpr std::size_t all = std::tuple_size_v<decltype(fields(x))>;
  if constexpr (optional_tail<T> == 0)
    return all;
  else
    return []<std::size_t... k>(const auto& have, const auto& fresh, std::index_sequence<k...>) {
      std::size_t written = all - optional_tail<T>;
      ((std::get<all - optional_tail<T> + k>(have) == std::get<all - optional_tail<T> + k>(fresh)
            ? void()
            : void(written = all - optional_tail<T> + k + 1)),
       ...);
      return written;
    }(fields(x), fields(T{}), std::make_index_sequence<optional_tail<T>>{});
}

template <class T>
void put(packer& out, const T& x) {
  if constexpr (std::is_same_v<T, bool> || std::is_arithmetic_v<T>) {
    out.pack(x);
  } else if constexpr (std::is_enum_v<T>) {
    out.pack(static_cast<std::uint64_t>(x));
  } else if constexpr (std::is_same_v<T, std::string>) {
    out.pack_bin(static_cast<std::uint32_t>(x.size()));
    out.pack_bin_body(x.data(), static_cast<std::uint32_t>(x.size()));
  } else if constexpr (is_vector<T>::value) {
    out.pack_array(static_cast<std::uint32_t>(x.size()));
    for (const auto& e : x)
      put<typename T::value_type>(out, e);
  } else if constexpr (is_map<T>::value) {
    out.pack_map(static_cast<std::uint32_t>(x.size()));
    for (const auto& [k, v] : x) {
      put(out, k);
      put(out, v);
    }
  } else if constexpr (is_optional<T>::value) {
    if (x)
      put(out, *x);
    else
      out.pack_nil();
  } else if constexpr (is_pair<T>::value) {
    out.pack_array(2);
    put(out, x.first);
    put(out, x.second);
  } else {
    static_assert(described<T>, "give the struct a KE_FIELDS list");
    auto members = fields(x);
    std::size_t count = packed_fields(x), i = 0;
    out.pack_array(static_cast<std::uint32_t>(count));
    auto member = [&](const auto& m) {
      if (i++ < count)
        put(out, m);
    };
    std::apply([&](const auto&... m) { (member(m), ...); }, members);
  }
}

struct bad_encoding {};

/// Bytes that the elements of all lists of one value may still take.
struct room {
  std::size_t left = static_cast<std::size_t>(-1);
  void take(std::size_t count, std::size_t each) {
    if (count > left / each)
      throw bad_encoding{};
    left -= count * each;
  }
};
inline constexpr std::size_t map_node_bytes = 48; ///< of a std::map, beside its value

template <class T>
void get(const msgpack::object& in, T& x, room& r);

template <class T>
void get_number(const msgpack::object& in, T& x) {
  try {
    in.convert(x);
  } catch (const msgpack::type_error&) {
    throw bad_encoding{};
  }
}

template <class T>
void get_elements(const msgpack::object& in, T& x, room& r) {
  if (in.type != msgpack::type::ARRAY)
    throw bad_encoding{};
  x.clear();
  r.take(in.via.array.size, sizeof(typename T::value_type));
  x.reserve(in.via.array.size);
  for (std::uint32_t i = 0; i < in.via.array.size; ++i) {
    typename T::value_type e{};
    get(in.via.array.ptr[i], e, r);
    x.push_back(std::move(e));
  }
}

template <class T>
void get_entries(const msgpack::object& in, T& x, room& r) {
  if (in.type != msgpack::type::MAP)
    throw bad_encoding{};
  x.clear();
  r.take(in.via.map.size, sizeof(typename T::value_type) + map_node_bytes);
  for (std::uint32_t i = 0; i < in.via.map.size; ++i) {
    std::string k;
    get(in.via.map.ptr[i].key, k, r);
    get(in.via.map.ptr[i].val, x[k], r);
  }
}

template <class T>
void get_members(const msgpack::object& in, T& x, room& r) {
  if (in.type != msgpack::type::ARRAY)
    throw bad_encoding{};
  std::uint32_t i = 0;
  auto member = [&](auto& m) {
    if (i < in.via.array.size)
      get(in.via.array.ptr[i], m, r);
    ++i;
  };
  auto members = fields(x);
  std::apply([&](auto&... m) { (member(m), ...); }, members);
}

template <class T>
void get(const msgpack::object& in, T& x, room& r) {
  namespace mt = msgpack::type;
  if constexpr (std::is_same_v<T, bool>) {
    if (in.type != mt::BOOLEAN)
      throw bad_encoding{};
    x = in.via.boolean;
  } else if constexpr (std::is_arithmetic_v<T>) {
    get_number(in, x);
  } else if constexpr (std::is_enum_v<T>) {
    if (in.type != mt::POSITIVE_INTEGER)
      throw bad_encoding{};
    if constexpr (named<T>)
      if (in.via.u64 >= names_of<T>::value.size())
        throw bad_encoding{};
    x = static_cast<T>(in.via.u64);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (in.type != mt::BIN && in.type != mt::STR)
      throw bad_encoding{};
    x.assign(in.via.bin.ptr, in.via.bin.size);
  } else if constexpr (is_vector<T>::value) {
    get_elements(in, x, r);
  } else if constexpr (is_map<T>::value) {
    get_entries(in, x, r);
  } else if constexpr (is_optional<T>::value) {
    if (in.type == mt::NIL)
      x.reset();
    else
      get(in, x.emplace(), r);
  } else if constexpr (is_pair<T>::value) {
    if (in.type != mt::ARRAY || in.via.array.size != 2)
      throw bad_encoding{};
    get(in.via.array.ptr[0], x.first, r);
    get(in.via.array.ptr[1], x.second, r);
  } else {
    static_assert(described<T>, "give the struct a KE_FIELDS list");
    get_members(in, x, r);
  }
}

} // namespace detail

/// The msgpack array of x's fields. Deterministic: equal values give equal bytes.
template <class T>
std::string pack(const T& x) {
  msgpack::sbuffer buffer;
  detail::packer out{buffer};
  detail::put(out, x);
  return {buffer.data(), buffer.size()};
}

/// Decodes what `pack` wrote. `corrupt`: over a limit, truncated, followed by more bytes, or of another
/// shape.
template <class T>
result<T> unpack(std::string_view bytes, decode_limits limits = {}) {
  if (bytes.size() > limits.bytes)
    return failure{failure_kind::corrupt,
                   "encoded value of " + std::to_string(bytes.size()) + " bytes is over the limit"};
  try {
    msgpack::unpack_limit bounds(limits.elements, limits.elements, limits.bytes, limits.bytes, limits.bytes,
                                 limits.depth);
    std::size_t end = 0;
    auto handle = msgpack::unpack(bytes.data(), bytes.size(), end, nullptr, nullptr, bounds);
    if (end != bytes.size())
      return failure{failure_kind::corrupt, "bytes follow the encoded value"};
    T x{};
    detail::room r;
    if (limits.expansion)
      r.left = bytes.size() * limits.expansion + (64u << 10);
    detail::get(handle.get(), x, r);
    return x;
  } catch (const msgpack::unpack_error& e) {
    return failure{failure_kind::corrupt, std::string{"not msgpack within limits: "} + e.what()};
  } catch (const detail::bad_encoding&) {
    return failure{failure_kind::corrupt, "encoded value has another shape than expected"};
  }
}

} // namespace ke
