#pragma once

#include "runtime/search/campaign/claim_book.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ke {
enum class measure_plan : std::uint8_t;
struct goal_settings;
struct verdict;
} // namespace ke

namespace ke::cli {

/// "over the reference", "over best-known": what a speedup is against. Pure, like floor_text.
std::string over_text(const std::optional<verdict>& v);

/// "tall: 0.33x [0.32, 0.34] lies below the floor of 0.95"; empty: no workload does.
std::string floor_text(const std::optional<verdict>& v, const goal_settings& goal, measure_plan plan);

/// "the claim holds on a second device, too"; empty: none has been asked. Pure, like second_device_text.
std::string second_device_words(second_look said);

/// The same, with the device and its worker; empty: none has been asked.
std::string second_device_text(const claim_book::entry& e, bool timed);

} // namespace ke::cli
