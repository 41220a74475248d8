#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace ke::log {

enum class level { debug, info, warn, error };

struct options {
  level least = level::info;
  bool human = true;     ///< lines for people on stderr; false: JSON lines on stderr
  std::string json_file; ///< also JSON lines here, rotated; empty: off
};

/// Once, at start. Thread-safe afterwards. Before it, warnings and errors go to stderr.
void start(const options& o);
void stop(); ///< flushes

/// From now on every log line shows this secret as "***". Values of less than 8 bytes are not masked: people
/// give "x" or "EMPTY" to a server without a key, and masking them would eat words. Thread-safe.
void mask(std::string secret);
/// The key that this environment variable holds, masked from now on; empty if it is not set.
std::string masked_key(const std::string& variable);
/// The text as log lines show it. For all that leaves the program and may hold what a model, a server or a
/// tool repeated.
std::string masked(std::string_view text);

using field = std::pair<std::string_view, std::string>;

/// One event: a fixed text and its data. Never build the text from data; secrets are masked in both.
void write(level l, std::string_view where, std::string_view text, std::initializer_list<field> fields = {});

inline void debug(std::string_view where, std::string_view text, std::initializer_list<field> f = {}) {
  write(level::debug, where, text, f);
}
inline void info(std::string_view where, std::string_view text, std::initializer_list<field> f = {}) {
  write(level::info, where, text, f);
}
inline void warn(std::string_view where, std::string_view text, std::initializer_list<field> f = {}) {
  write(level::warn, where, text, f);
}
inline void error(std::string_view where, std::string_view text, std::initializer_list<field> f = {}) {
  write(level::error, where, text, f);
}

} // namespace ke::log
