#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>

namespace ke {

/// A struct of the vocabulary lists its members once: a free function `fields(x)`, found by ADL, returns a
/// tuple of references. Equality, the codec of wire and store, and log text all derive from it. Fields are
/// appended, never reordered: readers ignore a surplus and default what is missing.
template <class T>
concept described = requires(T& x) { fields(x); };

template <described T>
bool operator==(const T& a, const T& b) {
  return fields(a) == fields(b);
}

/// Declares `fields` for T: KE_FIELDS(point, x.a, x.b)
#define KE_FIELDS(T, ...)                                                                                    \
  inline auto fields(T& x) {                                                                                 \
    return std::tie(__VA_ARGS__);                                                                            \
  }                                                                                                          \
  inline auto fields(const T& x) {                                                                           \
    return std::tie(__VA_ARGS__);                                                                            \
  }

/// How many of T's last fields are left out of its bytes while they equal those of a fresh T. A field added
/// later changes neither bytes nor digest of a value that does not use it.
template <class T>
inline constexpr std::size_t optional_tail = 0;
#define KE_OPTIONAL_TAIL(T, count)                                                                           \
  template <>                                                                                                \
  inline constexpr std::size_t optional_tail<T> = count;

} // namespace ke
