#pragma once

#include "runtime/core/result.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace ke::cli {

/// Waits a moment; false: it has been long enough.
using moment = std::function<bool()>;

/// Short sleeps until `patience` is over; the first one says on stderr that it waits for the store `dir`.
moment moments_within(std::chrono::seconds patience, const std::string& dir);

/// Whether a command that needs ownership briefly may try again after `why`: yes if another such command
/// holds the store `dir`. Only these hold it without a socket; an owner with one can be asked instead.
bool passes_soon(const failure& why, const std::string& dir);

failure still_held(const std::string& dir);

/// The result of `open`, tried again after each `wait` while another short command has the store.
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
