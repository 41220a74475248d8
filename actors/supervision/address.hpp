#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ke {

/// What an actor is for, "fleet": a literal, so that names need not own their text.
class actor_role {
public:
  consteval actor_role(const char* literal) : text_{literal} {}
  constexpr std::string_view text() const { return text_; }
  friend constexpr auto operator<=>(const actor_role&, const actor_role&) = default;

private:
  std::string_view text_;
};

/// Name of a long-lived actor: its role and, where there are several, which one (a campaign's id, a tree's
/// number in it). A value; names nobody in particular: whoever has it now (directory.hpp).
class actor_name {
public:
  template <std::convertible_to<std::uint32_t>... Numbers>
    requires(sizeof...(Numbers) <= 2)
  constexpr explicit actor_name(actor_role role, Numbers... numbers)
      : role_{role}, numbers_{static_cast<std::uint32_t>(numbers)...}, count_{sizeof...(Numbers)} {}

  /// For people, and for supervisors: "tree/1/0".
  std::string text() const {
    std::string all{role_.text()};
    for (std::size_t i = 0; i < count_; ++i)
      all += "/" + std::to_string(numbers_.at(i));
    return all;
  }
  friend constexpr auto operator<=>(const actor_name&, const actor_name&) = default;

private:
  actor_role role_;
  std::array<std::uint32_t, 2> numbers_;
  std::size_t count_;
};

/// The name of an actor, with the messages that may be sent to that name. Not listed: what the actor tells
/// itself, and what children and ports tell its handle. Messages may be incomplete types. A value that owns
/// nothing; any thread.
///
/// An address converts to one that lists less: `address<capacity>` is anybody who takes `capacity`, and
/// `address<>` anybody at all.
template <class... Messages>
class address {
public:
  template <class Message>
  static constexpr bool lists = (std::same_as<Message, Messages> || ...);

  template <class... Numbers>
    requires std::constructible_from<actor_name, actor_role, Numbers...>
  constexpr explicit address(actor_role role, Numbers... numbers) : name_{role, numbers...} {}

  template <class... Wider>
    requires(address<Wider...>::template lists<Messages> && ...)
  constexpr address(const address<Wider...>& other) : name_{other.name()} {} // NOLINT: meant to convert

  constexpr const actor_name& name() const { return name_; }
  friend constexpr auto operator<=>(const address&, const address&) = default;

private:
  actor_name name_;
};

} // namespace ke
