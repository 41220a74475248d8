#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/names.hpp"

#include <cstdint>
#include <string>

namespace ke {

enum class journal_kind : std::uint8_t {
  configured,
  session,
  stepped,
  asked,
  replied,
  judged,
  ended,
  steered,
  finished,
  failed_request,
  claimed,
  seeded,
  consulted,
  advised,
  admitted,
  validated,
  retrieved,
};
KE_NAMES(journal_kind, 17, "configured", "session", "stepped", "asked", "replied", "judged", "ended",
         "steered", "finished", "failed_request", "claimed", "seeded", "consulted", "advised", "admitted",
         "validated", "retrieved")

/// A line of a campaign's journal as the store holds it. What the bodies say is in journal*.hpp: who only
/// carries records does not compile them.
struct journal_record {
  journal_kind kind = journal_kind::configured;
  std::uint64_t wall_ms = 0; ///< campaign time: sum over its sessions, steady clock
  std::uint64_t unix_ms = 0; ///< for people; decides nothing
  std::string body;          ///< pack() of the struct named by kind
};
KE_FIELDS(journal_record, x.kind, x.wall_ms, x.unix_ms, x.body)

} // namespace ke
