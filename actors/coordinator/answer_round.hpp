#pragma once

#include "actors/supervision/directory.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace ke {

struct round_options {
  std::size_t parts = 0; ///< awaited answers
  std::chrono::nanoseconds patience{std::chrono::seconds{2}};
  /// Asked twice a second: true ends the round early.
  std::function<bool()> give_up;
  /// Once, on the round's thread; must not block. `all`: every part has come.
  std::function<void(bool all)> done;
};

/// One part has come; `take`, on the round's thread, puts it where `done` finds it.
struct round_part {
  std::function<void()> take;
};

/// Collects answers for an actor that must not wait: `control` asks the fleet and the campaigns, each of
/// which may be slow, and goes on.
///
///   <- round_part   from each that answers (`part_of`)
///
/// Nobody's child: linked to whoever has the address `ends_with` (if anybody), it ends after `done`.
caf::behavior answer_round(caf::event_based_actor* self, std::shared_ptr<directory> names,
                           address<> ends_with, round_options options);

/// Delivers one part to a round that may be over; any thread.
inline void part_of(const weak_actor& round, std::function<void()> take) {
  send_weak(round, round_part{std::move(take)});
}

} // namespace ke

KE_MESSAGE(ke::round_part)
