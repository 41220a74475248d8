#include "backends/judge/drivers/c_abi_driver.hpp"

#include "backends/evaluation/harness.hpp"
#include "backends/evidence/judge_task.hpp"
#include "backends/judge/arena_layout.hpp"
#include "backends/judge/driver_wire.hpp"
#include "backends/judge/drivers/host_driver.hpp"
#include "backends/judge/sentinel.hpp"

#include <cstring>

namespace ke {
namespace {

result<judge_task> c_abi_complete(const judge_task& task) {
  return task;
}

truth_form c_abi_truth(const judge_task& task) {
  truth_form form{.object = task.truth};
  auto as = task.truth_keeps_carried ? widening::all_but_carried : widening::all;
  for (const auto& t : task.what.tensors)
    form.wider.push_back(is_wider(task.what, t.dtype, as));
  return form;
}

std::uint32_t c_abi_most_timed_calls(std::size_t args) {
  return wire::most_calls(args);
}

driver_bands c_abi_bands() {
  return {};
}

bool c_abi_begin(driver_state&, const order_form&) {
  return false; // there is no place but the arena
}

void c_abi_sample(driver_state& s, const result_part& part) {
  std::memcpy(part.to, static_cast<host_state&>(s).at(part.offset + part.from), part.bytes);
}

void c_abi_close(driver_state& s, std::span<const result_part> samples, call_outcome& call) {
  for (const auto& part : samples) // its memory may still change
    c_abi_sample(s, part);
  static_cast<host_state&>(s).process->close(call);
}

std::uint64_t c_abi_snapshot(driver_state& s, std::span<const result_part> results) {
  for (const auto& part : results)
    c_abi_sample(s, part);
  return 0;
}

std::uint64_t c_abi_settle(driver_state&, std::span<const result_part>) {
  return 0; // every result was poisoned before the call: none can have stayed from an earlier one
}

} // namespace

const driver_seam c_abi_driver{
    .complete = c_abi_complete,
    .limits = host::limits,
    .truth = c_abi_truth,
    .most_timed_calls = c_abi_most_timed_calls,
    .bands = c_abi_bands,
    .clocks = host_clocks,
    .others = host_others,
    .sentinel = host_sentinel,
    .layout = scattered_layout,
    .arena = host::arena,
    .open = host::open,
    .load = host::load,
    .log = host::log,
    .begin = c_abi_begin,
    .fill = host::fill,
    .poison = host::poison,
    .flush = host::flush,
    .fence = host::fence,
    .prime = host::prime,
    .patch = host::patch,
    .go = host::go,
    .sample = c_abi_sample,
    .close = c_abi_close,
    .snapshot = c_abi_snapshot,
    .compare = host::compare,
    .settle = c_abi_settle,
    .read = host::read,
};

} // namespace ke
