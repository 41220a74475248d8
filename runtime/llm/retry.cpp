#include "runtime/llm/retry.hpp"

#include <algorithm>
#include <cmath>

namespace ke {
namespace {

bool is_transport(failure_kind kind) {
  return kind == failure_kind::rate_limited || kind == failure_kind::server_error ||
         kind == failure_kind::connection || kind == failure_kind::timeout;
}

bool is_answer_fault(failure_kind kind) {
  return kind == failure_kind::malformed || kind == failure_kind::empty || kind == failure_kind::truncated;
}

} // namespace

std::optional<std::chrono::milliseconds>
retry_history::fail(const failure& why, std::optional<std::chrono::milliseconds> hint, double chance) {
  bool transport = is_transport(why.kind);
  if (transport)
    ++transport_;
  else
    ++answer_;
  if (!why.retryable || (!transport && !is_answer_fault(why.kind)))
    return std::nullopt;
  if (transport ? transport_ >= policy_.transport_tries : answer_ >= policy_.answer_tries)
    return std::nullopt;
  auto doublings = std::min(transport_ + answer_ - 1, 30);
  auto step = std::min(static_cast<double>(policy_.floor.count()) * std::exp2(doublings),
                       static_cast<double>(policy_.ceiling.count()));
  if (hint) {
    if (*hint > policy_.longest_hint)
      return std::nullopt;
    // Not sooner than asked for, and not all at the same instant.
    return *hint + std::chrono::milliseconds{static_cast<std::int64_t>(step * 0.5 * chance)};
  }
  return std::chrono::milliseconds{static_cast<std::int64_t>(step * (0.5 + 0.5 * chance))};
}

} // namespace ke
