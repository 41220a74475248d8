#include "backends/judge/call_notes.hpp"

#include "backends/judge/driver_wire.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <cmath>

namespace ke {
namespace {

std::vector<std::int64_t> index_of(std::size_t flat, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    auto size = static_cast<std::size_t>(std::max<std::int64_t>(1, shape[d]));
    index[d] = static_cast<std::int64_t>(flat % size);
    flat /= size;
  }
  return index;
}

} // namespace

std::string text_of_left(std::uint32_t left) {
  std::string text;
  if (left & wire::left_float_mode)
    text = "the floating-point mode (put back after each call)";
  if (left & wire::left_signal_handler)
    text += std::string{text.empty() ? "" : ", "} + "a signal's handler";
  return text;
}

void note_failure(evidence& found, const failure& why) {
  if (why.kind == failure_kind::invalid) {
    found.unfit = why.text;
  } else {
    found.ending = ending::harness_error;
    found.reason = why.text;
  }
}

double order_limit(const job_limits& limits, std::size_t calls, double each_ns) {
  double most = each_ns > 0 ? std::min(limits.call_s, 50 * each_ns * 1e-9 + 0.02) : limits.call_s;
  return limits.call_s + (static_cast<double>(calls) - 1) * most;
}

bool within_time(evidence& found, const job_limits& limits, double candidate_s, const std::string& workload) {
  if (candidate_s <= limits.run_s)
    return true;
  found.ending = ending::timeout;
  found.reason = "its calls took more than " + std::to_string(std::lround(limits.run_s)) +
                 " s together, the last one on workload " + workload;
  return false;
}

void note_ending(evidence& found, const call_outcome& call, const std::string& why) {
  switch (call.end) {
  case call_end::done:
    return;
  case call_end::crashed:
    found.ending = ending::crashed;
    break;
  case call_end::timeout:
    found.ending = ending::timeout;
    break;
  case call_end::resource_exceeded:
    found.ending = ending::resource_exceeded;
    break;
  case call_end::load_failed:
    found.ending = ending::build_failed;
    break;
  case call_end::forged:
    found.flags.push_back({"forged_channel", call.why});
    break;
  case call_end::forbidden:
    found.ending = ending::policy_violation;
    break;
  case call_end::machine:
    found.ending = ending::harness_error;
    break;
  }
  found.reason = why;
}

namespace {

/// What a candidate did that no honest one does.
std::optional<integrity_flag> flag_of(const caller::outcome& said, const std::string& place) {
  if (said.woke)
    return integrity_flag{"ran_while_stopped", "it ran while its memory was read, " + place};
  if (!said.inputs_changed.empty())
    return integrity_flag{"inputs_changed", "the input " + said.inputs_changed + " was written, " + place};
  if (!said.late.empty())
    return integrity_flag{"late_write",
                          "the result " + said.late + " was written after the answer, " + place};
  if (!said.ahead.empty())
    return integrity_flag{"read_ahead",
                          "the result " + said.ahead + " was written after a later call had begun, " + place};
  return std::nullopt;
}

/// Checks the results of one call of an order. False: some are wrong.
bool note_results(evidence& found, const problem& what, const caller& by, std::size_t call,
                  const bank_slot& slot, const std::vector<expectation>& allowed, const bound_shapes& shapes,
                  std::int64_t& counter) {
  bool right = true;
  for (std::size_t t = 0; t < what.tensors.size(); ++t) {
    if (what.tensors[t].role == tensor_role::in)
      continue;
    auto checked = check(allowed[t], by.output(call, t).data());
    found.worst_scaled_error = std::max(found.worst_scaled_error, checked.worst);
    if (checked.failed == 0)
      continue;
    right = false;
    if (!found.first_failure)
      found.first_failure =
          mismatch{shapes.name,      what.tensors[t].name, index_of(checked.first, shapes.shapes[t]),
                   checked.expected, checked.got,          checked.bound,
                   counter + 1,      slot.distribution};
  }
  ++counter;
  if (!right)
    ++found.failed;
  return right;
}

} // namespace

bool note_call(evidence& found, const problem& what, const caller& by, const caller::outcome& said,
               std::span<const bank_slot* const> slots, const bound_shapes& shapes, std::int64_t& counter,
               const allowed_results& allowed) {
  std::string place =
      "call " + std::to_string(found.cases + found.timed_calls_checked + 1) + " on workload " + shapes.name;
  if (said.call.end != call_end::done) {
    note_ending(found, said.call, place + ": " + said.call.why);
    if (said.call.end == call_end::crashed) { // for who looks closer: the shapes that it was called with
      found.findings[finding_keys::case_dims] = dims_text(shapes.dims);
      found.findings[finding_keys::case_distribution] = slots.empty() ? "init" : slots.front()->distribution;
    }
    return false;
  }
  if (said.call.left != 0)
    found.provenance[provenance_keys::left_changed] = text_of_left(said.call.left);
  if (auto flag = flag_of(said, place)) {
    found.flags.push_back(*std::move(flag));
    return false;
  }
  bool right = true;
  if (!said.red_zone.empty()) {
    found.flags.push_back({"red_zone", "memory beside " + said.red_zone + " was written, " + place});
    found.reason = "writes outside of tensor " + said.red_zone + ", " + place;
    ++found.failed;
    right = false;
  }
  for (std::size_t s = 0; s < slots.size(); ++s)
    if (s < said.agreed.size() && said.agreed[s])
      ++counter;
    else
      right = note_results(found, what, by, s, *slots[s],
                           s < allowed.size() && !allowed[s].empty() ? allowed[s] : slots[s]->outputs, shapes,
                           counter) &&
              right;
  if (!said.call.why.empty()) { // the form of a result, as the driver says: wrong even if the bytes are right
    found.failed += right ? 1 : 0;
    right = false;
    if (found.reason.empty())
      found.reason = place + ": " + said.call.why;
  }
  return right;
}

} // namespace ke
