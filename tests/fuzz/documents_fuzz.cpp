#include "actors/coordinator/control.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "knowledge/skills/shared_files.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/search/campaign/campaign_status.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace {

void must_read(const std::string& document) {
  if (!nlohmann::json::accept(document))
    std::abort();
}

} // namespace

/// Any bytes as what a worker, a model or a client wrote: every document that shows it is JSON.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string text{reinterpret_cast<const char*>(data), size};
  ke::campaign_row row;
  row.name = row.stop_reason = row.state = text;
  row.states[text] = row.failures[text] = 1;
  ke::campaign_settings settings;
  must_read(ke::campaign_status_json(row, settings, {.live = true, .trouble = text, .set_aside = {text}}));
  must_read(ke::progress_event_json(row, settings, {.live = true, .trouble = text, .set_aside = {text}}));
  must_read(ke::event_json("trouble", text, {{"text", text}}));
  must_read(ke::node_event_json(text, 1, ke::node_state::building, ke::timing_decision::none, {}, text));
  must_read(ke::refusal(text, 2).json);
  ke::merge_report merged;
  merged.from.from.store = merged.from.from.program = text;
  merged.added[text] = 1;
  must_read(ke::merge_json(merged));
  ke::verdict v;
  v.reason = text;
  v.provenance[text] = text;
  must_read(ke::verdict_json(v));
  return 0;
}
