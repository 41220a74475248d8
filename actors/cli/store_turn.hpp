#pragma once

#include "runtime/core/result.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace ke::cli {

/// Waits a moment; false: it has been long enough.
using moment = std::function<bool()>;

/// Short sleeps until `patience` is over; the first one says on stderr that the store `dir` is waited for.
moment moments_within(std::chrono::seconds patience, const std::string& dir);

/// May a command that owns a store for a moment only try again after `why`? Yes if another such command holds
/// the store `dir`: nobody else holds it without a socket, and whoever has one can be asked instead.
bool passes_soon(const failure& why, const std::string& dir);

failure still_held(const std::string& dir);

/// What `open` gives, called again after each `wait` as long as another short command has the store.
template <class Open>
auto in_turn(const std::string& dir, const Open& open, const moment& wait) -> decltype(open()) {
  for (;;) {
    auto got = open();
    if (got || !passes_soon(got.error(), dir))
      return got;
    if (!wait())
      return still_held(dir);
  }
}

} // namespace ke::cli
