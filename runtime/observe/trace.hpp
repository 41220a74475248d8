#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace ke::trace {

/// Starts writing Chrome-trace JSON (opens in Perfetto) to `file`; before it every call is one branch. Valid
/// JSON after every flush: a killed process leaves a loadable trace. Thread-safe.
void start(const std::string& file);
void stop();
bool on();

using time_point = std::chrono::steady_clock::time_point;

/// One finished span on a lane ("worker local", "llm", "node 12"). Spans of one lane must nest in time.
void span(std::string_view lane, std::string_view name, time_point begin, time_point end,
          std::string_view args_json = "{}");
void counter(std::string_view name, double value);

} // namespace ke::trace
