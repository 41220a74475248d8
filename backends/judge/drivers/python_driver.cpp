#include "backends/judge/drivers/python_driver.hpp"

#include "backends/judge/arena_layout.hpp"
#include "backends/judge/compiled_baseline.hpp"
#include "backends/judge/drivers/host_driver.hpp"
#include "backends/judge/input_maker.hpp"
#include "backends/judge/python_payload.hpp"
#include "backends/judge/python_profile.hpp"
#include "backends/judge/result_history.hpp"
#include "backends/judge/result_marks.hpp"
#include "backends/judge/secret_random.hpp"
#include "backends/judge/sentinel.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace ke {
namespace {

struct python_state : host_state {
  using host_state::host_state;
  result_marks marks;
  result_history history;
  random_source random{secret_key()};
  order_form form;
  bool may_stay = false;  ///< of the order that was begun
  std::uint64_t stay = 0; ///< its table of addresses: per call, an entry per tensor

  bool is_out(const result_part& part) const {
    return form.what->tensors[part.tensor].role == tensor_role::out;
  }
  /// Of the whole result: where the driver says that it stayed, or its place in the arena.
  std::uint64_t place_of(const result_part& part) const {
    auto place = part.offset;
    if (may_stay)
      std::memcpy(&place, at(stay + (part.call * form.what->tensors.size() + part.tensor) * sizeof place),
                  sizeof place);
    return place;
  }
};

python_state& of_python(driver_state& s) {
  return static_cast<python_state&>(s);
}

driver_start python_limits(const judge_task& task, const std::string& object, std::size_t memory,
                           const std::vector<int>& cpus) {
  auto how = host::limits(task, object, memory, cpus);
  how.warm_parent = task.warm_parent;
  auto role = object == "-"              ? python_role::nothing
              : object == task.candidate ? python_role::candidate
              : object == task.truth     ? python_role::truth
              : object == task.baseline  ? python_role::baseline
                                         : python_role::reference;
  bool compiles = role == python_role::baseline    ? is_compiling(task, task.baseline_source)
                  : role == python_role::candidate ? is_compiling(task, task.source)
                                                   : false;
  if (compiles) // the first that it loads is the compiler itself
    how.load_s = std::max(how.load_s, baseline_limits(task).call_s);
  if (!object.empty())
    how.payload = python_payload(task, role, task.weights, cpus);
  return how;
}

truth_form python_truth(const judge_task& task) {
  truth_form form{.object = task.truth, .traps_overflow = false, .compiled = false};
  for (const auto& t : task.what.tensors)
    form.wider.push_back(is_wider_in_python(t));
  return form;
}

std::uint32_t python_most_timed_calls(std::size_t) {
  // Results of one call are read where they were made. More in one order would have to be copied in between,
  // which a candidate could save by writing to the judge's memory.
  return 1;
}

driver_bands python_bands() {
  return {.unwritten_ns = copied_pages_ns};
}

result<std::unique_ptr<driver_state>> python_arena(const driver_start& how) {
  auto memory = host_memory::make(how.memory);
  if (!memory)
    return memory.error();
  return std::unique_ptr<driver_state>{std::make_unique<python_state>(*std::move(memory))};
}

bool python_begin(driver_state& s, const order_form& form) {
  auto& own = of_python(s);
  own.form = form;
  // Of several calls each may return the same memory, so only the last result could stay.
  own.may_stay = form.calls == 1 && own.process->readable();
  if (own.may_stay && !form.trusted && own.history.wants_look())
    own.history.look(own.process->own_pages());
  return own.may_stay;
}

call_outcome python_go(driver_state& s, const call_order& what, double limit_s, const call_watch& watch) {
  of_python(s).stay = what.stay;
  return host::go(s, what, limit_s, watch);
}

void python_sample(driver_state& s, const result_part& part) {
  auto& own = of_python(s);
  auto place = own.place_of(part);
  if (place == part.offset || !own.process->read_memory(place + part.from, part.to, part.bytes))
    std::memcpy(part.to, own.at(part.offset + part.from), part.bytes);
}

void python_close(driver_state& s, std::span<const result_part> samples, call_outcome& call) {
  for (const auto& part : samples) // its memory may still change
    python_sample(s, part);
  of_python(s).process->close(call);
}

std::uint64_t python_snapshot(driver_state& s, std::span<const result_part> results) {
  auto& own = of_python(s);
  std::uint64_t unwritten = 0;
  for (const auto& part : results) {
    auto place = own.place_of(part);
    if (own.is_out(part) && place != part.offset) {
      unwritten += own.process->unwritten(place, part.bytes); // before we read them
      if (own.process->read_memory(place, part.to, part.bytes))
        continue;
    }
    std::memcpy(part.to, own.at(part.offset), part.bytes);
  }
  return unwritten;
}

std::uint64_t python_settle(driver_state& s, std::span<const result_part> results) {
  auto& own = of_python(s);
  if (!own.may_stay || own.form.trusted)
    return 0;
  marked_memory memory{[&](std::uint64_t address) { return own.process->owns_page(address); },
                       [&](std::uint64_t address, const char* from, std::size_t bytes) {
                         return own.process->write_memory(address, from, bytes);
                       }};
  std::uint64_t found = 0;
  for (const auto& part : results) {
    auto place = own.place_of(part);
    if (!own.is_out(part) || place == part.offset)
      continue;
    std::span<char> copy{part.to, part.bytes};
    found += own.history.filled_before(place, part.bytes) + own.marks.unwritten(place, copy);
    own.marks.place(memory, own.form.what->tensors[part.tensor].dtype, place, copy, own.random);
  }
  return found;
}

} // namespace

const driver_seam python_driver{
    .takes_extents = true, // Python has no C ABI to tell them
    .complete = python_task,
    .limits = python_limits,
    .truth = python_truth,
    .most_timed_calls = python_most_timed_calls,
    .bands = python_bands,
    .clocks = host_clocks,
    .others = host_others,
    .sentinel = host_sentinel,
    .layout = scattered_layout,
    .arena = python_arena,
    .open = host::open,
    .load = host::load,
    .log = host::log,
    .begin = python_begin,
    .fill = host::fill,
    .poison = host::poison,
    .flush = host::flush,
    .fence = host::fence,
    .prime = host::prime,
    .patch = host::patch,
    .go = python_go,
    .sample = python_sample,
    .close = python_close,
    .snapshot = python_snapshot,
    .compare = host::compare,
    .settle = python_settle,
    .read = host::read,
    .profile = [](const judge_task& task, const profiled_inputs& with, const std::vector<int>& cpus,
                  evidence& found) { profile_python(python_driver, task, with, cpus, found); },
};

} // namespace ke
