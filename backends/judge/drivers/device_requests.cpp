// A device's driver, as driver_process has it: requests by a shared page instead of orders by a pipe.
#include "backends/judge/drivers/awake_processor.hpp"
#include "backends/judge/drivers/driver_process_state.hpp"

#include <memory>
#include <utility>

namespace ke {
namespace {

constexpr double spin_ns = 200e3; ///< between two looks at what else may have happened

} // namespace

call_outcome driver_process::state::wait_spinning(std::uint32_t number, double until_ns) {
  in_use.clear();
  for (;;) {
    if (page->answered(number, spin_ns))
      return {};
    if (auto ended = over_limits((until_ns - driver_now_ns()) / 1e6))
      return *std::move(ended);
    pollfd end{process.pidfd.get(), POLLIN, 0};
    if (poll(&end, 1, 0) == 1 && (end.revents & POLLIN) != 0)
      return died();
    drain();
  }
}

wire::device_words& driver_process::words() {
  return state_->page->words();
}

call_outcome driver_process::end(call_end how, std::string why) {
  return state_->killed(how, std::move(why));
}

void driver_process::follows(std::shared_ptr<awake_processor> before) {
  state_->before = std::move(before);
}

call_outcome driver_process::ask(wire::device_request what, double limit_s) {
  auto& s = *state_;
  call_outcome out;
  if (s.dead) {
    out.end = call_end::crashed;
    out.why = "the process had ended before the call";
    return out;
  }
  if (!s.awake) {
    ++s.sequence;
    if (!s.group->held())
      return s.killed(call_end::forged, "it ran between two calls although it was stopped");
    s.open.cpu_before = s.group->cpu_seconds();
    s.group->resume();
    if (s.before)
      s.before->rest();
    s.awake = true;
  }
  s.open.start = driver_now_ns();
  auto number = s.page->ask(what);
  out = s.wait_spinning(number, s.open.start + limit_s * 1e9);
  s.open.end = driver_now_ns();
  if (out.end == call_end::timeout)
    out.why = "a call did not end within " + std::to_string(limit_s).substr(0, 5) + " s";
  if (out.end != call_end::done)
    return out;
  auto& words = s.page->words();
  s.open.message = {s.sequence, static_cast<wire::answer>(words.answer), 0, words.took_ns};
  out.ns = s.open.end - s.open.start;
  return out;
}

} // namespace ke
