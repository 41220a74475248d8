#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

namespace ke {

/// The texts of an enum, in the order of its values: specialise `names_of<E>` with a constexpr array. Users
/// see these texts in JSON and files: they are part of the contract.
template <class E>
struct names_of;

template <class E>
concept named = std::is_enum_v<E> && requires { names_of<E>::value.size(); };

template <named E>
constexpr std::string_view to_text(E e) {
  auto i = static_cast<std::size_t>(e);
  return i < names_of<E>::value.size() ? names_of<E>::value[i] : std::string_view{"?"};
}

template <named E>
constexpr std::optional<E> parse_name(std::string_view text) {
  for (std::size_t i = 0; i < names_of<E>::value.size(); ++i)
    if (names_of<E>::value[i] == text)
      return static_cast<E>(i);
  return std::nullopt;
}

#define KE_NAMES(E, N, ...)                                                                                  \
  template <>                                                                                                \
  struct names_of<E> {                                                                                       \
    static constexpr std::array<std::string_view, N> value{__VA_ARGS__};                                     \
  };

} // namespace ke
