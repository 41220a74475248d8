#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

namespace ke::counters {

/// A monotone count or a gauge, made at first use and kept for the life of the process. Cheap enough for
/// every message. Names are dotted: "store.queue", "llm.in_flight".
std::atomic<std::int64_t>& get(const std::string& name);

/// All of them now, by name.
std::map<std::string, std::int64_t> snapshot();

} // namespace ke::counters
