#include "runtime/search/campaign/ledger.hpp"

#include "runtime/core/settings.hpp"

#include <algorithm>
#include <cmath>

namespace ke {

namespace {

std::uint64_t scaled(double x, double unit) {
  if (!(x > 0))
    return 0;
  auto y = std::ceil(x * unit * (1 - 1e-12)); // 0.1 * 1e9 is 100000000.00000001: not a unit more
  return y < 1e19 ? static_cast<std::uint64_t>(y) : static_cast<std::uint64_t>(1e19);
}

std::uint64_t count(std::int64_t n) {
  return n > 0 ? static_cast<std::uint64_t>(n) : 0;
}

/// The parts of an amount, in the order of `resource`.
std::array<std::uint64_t, 5> parts(const amounts& a) {
  return {a.candidates, a.tokens, a.nano_usd, a.device_us, a.requests};
}

void add(std::uint64_t& to, std::uint64_t x) {
  to = to + x < to ? ~0ull : to + x;
}
void take(std::uint64_t& from, std::uint64_t x) {
  from -= std::min(from, x);
}

} // namespace

std::uint64_t amounts::nano(double usd) {
  return scaled(usd, 1e9);
}
std::uint64_t amounts::micro(double seconds) {
  return scaled(seconds, 1e6);
}

void ledger::caps(const budget_settings& b) {
  cap_.candidates = std::max<std::uint64_t>(count(b.candidates), 1); // always limited
  cap_.tokens = count(b.tokens);
  cap_.nano_usd = amounts::nano(b.usd);
  cap_.device_us = amounts::micro(b.device_hours * 3600);
  cap_.requests = count(b.requests);
  wall_cap_ms_ = scaled(b.wall_hours, 3.6e6);
}

std::optional<resource> ledger::lacking(const amounts& a) const {
  auto want = parts(a), cap = parts(cap_), spent = parts(spent_), held = parts(reserved_);
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!cap[i] || !want[i])
      continue;
    auto used = spent[i];
    add(used, held[i]);
    if (used >= cap[i] || want[i] > cap[i] - used)
      return static_cast<resource>(i);
  }
  if (wall_cap_ms_ && wall_ms_ >= wall_cap_ms_)
    return resource::wall;
  return std::nullopt;
}

std::optional<resource> ledger::overdrawn() const {
  auto cap = parts(cap_), spent = parts(spent_), held = parts(reserved_);
  for (auto what : {resource::tokens, resource::usd, resource::requests}) {
    auto i = static_cast<std::size_t>(what);
    add(spent[i], held[i]);
    if (cap[i] && spent[i] > cap[i])
      return what;
  }
  return std::nullopt;
}

std::optional<resource> ledger::exhausted() const {
  auto cap = parts(cap_), spent = parts(spent_);
  for (std::size_t i = 0; i < cap.size(); ++i)
    if (cap[i] && spent[i] >= cap[i])
      return static_cast<resource>(i);
  if (wall_cap_ms_ && wall_ms_ >= wall_cap_ms_)
    return resource::wall;
  return std::nullopt;
}

std::uint64_t ledger::candidates_left() const {
  auto used = spent_.candidates + reserved_.candidates;
  return used < cap_.candidates ? cap_.candidates - used : 0;
}

bool ledger::reserve(const amounts& a) {
  if (lacking(a))
    return false;
  force(a);
  return true;
}

void ledger::force(const amounts& a) {
  add(reserved_.candidates, a.candidates);
  add(reserved_.tokens, a.tokens);
  add(reserved_.nano_usd, a.nano_usd);
  add(reserved_.device_us, a.device_us);
  add(reserved_.requests, a.requests);
}

void ledger::settle(const amounts& reserved, const amounts& spent) {
  take(reserved_.candidates, reserved.candidates);
  take(reserved_.tokens, reserved.tokens);
  take(reserved_.nano_usd, reserved.nano_usd);
  take(reserved_.device_us, reserved.device_us);
  take(reserved_.requests, reserved.requests);
  add(spent_.candidates, spent.candidates);
  add(spent_.tokens, spent.tokens);
  add(spent_.nano_usd, spent.nano_usd);
  add(spent_.device_us, spent.device_us);
  add(spent_.requests, spent.requests);
}

} // namespace ke
