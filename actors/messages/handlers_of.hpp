#pragma once

#include "actors/supervision/address.hpp"
#include "actors/supervision/caf.hpp"

#include <concepts>
#include <type_traits>
#include <utility>

namespace ke {
namespace detail {

template <class Function>
struct taken_by;
template <class Handler, class Result, class Argument>
struct taken_by<Result (Handler::*)(Argument) const> {
  using type = std::remove_cvref_t<Argument>;
};
template <class Handler, class Result, class Argument>
struct taken_by<Result (Handler::*)(Argument)> {
  using type = std::remove_cvref_t<Argument>;
};

template <class Message, class... Handlers>
constexpr void require_handler() {
  static_assert((std::same_as<Message, typename taken_by<decltype(&Handlers::operator())>::type> || ...),
                "the address lists a message that the actor's behavior does not handle");
}
template <class... Handlers, class... Messages>
constexpr void require_handlers(const address<Messages...>& /*at*/) {
  (require_handler<Messages, Handlers...>(), ...);
}

} // namespace detail

/// The handlers of the actor with the address `at`. Does not compile unless there is a lambda of one argument
/// for each listed message. Further lambdas take what the actor hears otherwise, from itself, say.
template <class Address, class... Handlers>
class handlers_of {
public:
  explicit handlers_of(const Address& at, Handlers... handlers) : behavior_{std::move(handlers)...} {
    detail::require_handlers<Handlers...>(at);
  }
  /// Shares the handlers.
  caf::behavior behavior() const { return behavior_; }

private:
  caf::behavior behavior_;
};

} // namespace ke
