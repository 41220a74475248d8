#include "runtime/observe/failpoint.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

namespace ke::failpoint {
namespace detail {

std::atomic<bool> armed{false};

} // namespace detail

namespace {

struct countdown {
  std::mutex guard;
  std::map<std::string, std::uint64_t, std::less<>> passes_left;
};

countdown& state() {
  static countdown c;
  return c;
}

/// Reads KE_FAILPOINT before main, so that a pass needs no "first time" check.
const bool from_environment = [] {
  const char* text = std::getenv("KE_FAILPOINT");
  return text && *text && arm(text);
}();

} // namespace

void detail::hit(std::string_view name) {
  auto& s = state();
  std::lock_guard lock{s.guard};
  auto found = s.passes_left.find(name);
  if (found != s.passes_left.end() && --found->second == 0)
    ::_exit(exit_code);
}

bool arm(std::string_view text) {
  auto& s = state();
  std::lock_guard lock{s.guard};
  s.passes_left.clear();
  detail::armed = false;
  while (!text.empty()) {
    auto item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    auto colon = item.rfind(':');
    std::uint64_t n = 0;
    auto digits = colon == item.npos ? std::string_view{} : item.substr(colon + 1);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (colon == 0 || digits.empty() || error != std::errc{} || end != digits.data() + digits.size() ||
        n == 0) {
      s.passes_left.clear();
      return false;
    }
    s.passes_left[std::string{item.substr(0, colon)}] = n;
  }
  detail::armed = !s.passes_left.empty();
  return true;
}

} // namespace ke::failpoint
