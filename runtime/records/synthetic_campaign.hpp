#pragma once

#include "runtime/core/settings.hpp"
#include "runtime/store/store_service.hpp"

#include <cstdint>

namespace ke {
struct problem;
} // namespace ke

namespace ke::cli {

/// A problem small enough for benchmarks: y = x + 1.
problem synthetic_problem();

/// Settings of a benchmark's campaign: one openai model at `llm`, one cpu-cpp target.
campaign_settings synthetic_settings(const std::string& store, const std::string& llm,
                                     std::int64_t candidates, std::int64_t parallel);

/// Writes campaign `id` with `nodes` evaluated candidates, record by record as a live one would (journal,
/// rows, `payload` bytes of source each), `in_flight` at a time. Blocks until all is queued; the caller
/// flushes.
void write_synthetic_campaign(store_service& store, std::uint32_t id, const campaign_settings& settings,
                              std::uint32_t nodes, std::size_t payload, std::uint32_t in_flight);

} // namespace ke::cli
