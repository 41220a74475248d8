#pragma once

#include "runtime/search/campaign/machine_weather.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ke {

enum class node_state : std::uint8_t;
enum class timing_decision : std::uint8_t;
struct campaign_row;
struct campaign_settings;

/// Public node ids: with T trees, node n of tree t is n * T + t.
std::uint64_t public_id(std::size_t trees, std::uint32_t tree, std::uint32_t node);

/// A target that its tree waits for; the other trees go on.
struct waiting_target {
  std::string backend;
  std::string device; ///< pattern
  std::string text;   ///< "waiting for nvidia-h200"
};

struct status_facts {
  bool live = false;
  std::uint64_t in_flight = 0;
  std::string trouble{}; ///< what a running campaign waits for; shown as paused, with this text
  std::vector<waiting_target> waiting{};
  std::set<std::string> set_aside{}; ///< models that gave no candidate too often in a row
  machine_weather machine{};
};

/// One element of `status --json`'s `campaigns` (product.md), without `workers`.
std::string campaign_status_json(const campaign_row& row, const campaign_settings& settings,
                                 status_facts facts);

// -- lines of `--ui json` -------------------------------------------------------------------------

/// {"event": KIND, "campaign": NAME, ...fields as strings}
std::string event_json(const char* kind, const std::string& campaign,
                       std::initializer_list<std::pair<const char*, std::string>> fields);

/// The acknowledgement of a node's end: {"event": "node", "node": ID, "state": STATE, "score": S}. `reason`:
/// why it has no verdict; else empty.
std::string node_event_json(const std::string& campaign, std::uint64_t id, node_state state,
                            timing_decision decision, std::optional<double> score, const std::string& reason);

/// {"event": "progress", ...the status}
std::string progress_event_json(const campaign_row& row, const campaign_settings& settings,
                                status_facts facts);

} // namespace ke
