#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ke {

/// libcurl resolves each new host name on a thread of its own and shares only finished results: a burst of
/// requests to a fresh name would start as many threads. So one request leads, and the others wait until the
/// name is known. Pure.
class resolve_gate {
public:
  using time_point = std::chrono::steady_clock::time_point;
  enum class place { go, lead, wait };

  explicit resolve_gate(std::chrono::seconds keep = std::chrono::seconds{50}) : keep_{keep} {}

  /// `go`: the name is known; `lead`: go and report; `wait`: until `known` or `failed` returns the id.
  place enter(const std::string& host, std::uint64_t id, time_point now);
  /// The leader got past the name: all waiting ones may go.
  std::vector<std::uint64_t> known(const std::string& host, time_point now);
  /// The leader failed before that: a waiting one leads now (empty: none waits).
  std::vector<std::uint64_t> failed(const std::string& host);
  /// A waiting request ended otherwise.
  void leave(const std::string& host, std::uint64_t id);

  /// Addresses and localhost need no resolver thread.
  static bool needs_resolver(const std::string& host);

private:
  struct name {
    bool led = false;
    time_point fresh_until{};
    std::deque<std::uint64_t> waiting;
  };
  std::chrono::seconds keep_;
  std::map<std::string, name> names_;
};

} // namespace ke
