#include "backends/judge/drivers/device_state.hpp"

#include "backends/device/device_list.hpp"
#include "backends/judge/driver_wire.hpp"
#include "backends/judge/drivers/launch_values.hpp"
#include "backends/judge/poison.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/problem.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace ke::on_device {
namespace {

constexpr double primer_limit_s = 10; ///< a device that others use, a first launch
constexpr int calibrations = 40;      ///< orders of nothing, after which the fence is timed
constexpr double band_margin_ns = 2000;

/// The judge spins while a driver runs: not on the driver's processors.
void leave_processors(const std::vector<int>& to_driver) {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0)
    return;
  auto all = own;
  for (int cpu : to_driver)
    CPU_CLR(cpu, &own);
  if (CPU_COUNT(&own) > 0 && !CPU_EQUAL(&own, &all))
    sched_setaffinity(0, sizeof own, &own);
}

void note(device_state& d, const status& s) {
  if (s || d.trouble.end != call_end::done)
    return;
  d.trouble.end = call_end::machine;
  d.trouble.why = s.error().text;
}

device_object object_in(const std::string& path) {
  if (path == "-")
    return {};
  std::ifstream in{path, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  auto object = unpack<device_object>(bytes, {std::size_t{1} << 30, 1u << 20, 16});
  return object ? *std::move(object) : device_object{};
}

/// What fences read when nothing is left to do: of orders of nothing, before any code of a candidate has run.
void calibrate(device_state& d) {
  std::vector<double> fences;
  for (int i = 0; i < calibrations; ++i) {
    if (d.process->ask(wire::device_request::prime, primer_limit_s).end != call_end::done)
      return;
    fences.push_back(d.device->fence());
  }
  std::sort(fences.begin(), fences.end());
  d.usual_fence_ns = fences[fences.size() / 2];
  d.fence_band_ns = fences[fences.size() * 19 / 20] - d.usual_fence_ns + band_margin_ns;
  call_outcome nothing;
  d.process->close(nothing);
}

std::uint64_t number_at(const device_state& d, std::uint64_t offset) {
  std::uint64_t bits = 0;
  if (offset + sizeof bits <= d.numbers.size())
    std::memcpy(&bits, d.numbers.data() + offset, sizeof bits);
  return bits;
}

/// Names of a call's dims and whole scalars, with its values.
std::map<std::string, std::int64_t> symbols_of(const problem& what, const std::uint64_t* numbers) {
  std::map<std::string, std::int64_t> symbols;
  std::size_t n = 0;
  for (const auto& s : what.scalars) {
    if (s.integer)
      symbols[s.name] = static_cast<std::int64_t>(numbers[n]);
    ++n;
  }
  for (const auto& dim : what.dims)
    symbols[dim] = static_cast<std::int64_t>(numbers[n++]);
  return symbols;
}

/// An order as the page has it: offsets, numbers, launches.
status write_values(device_state& d, const call_order& order, wire::device_words& words) {
  const auto& what = *d.what;
  words.calls = order.calls;
  words.tensors = static_cast<std::uint32_t>(what.tensors.size());
  words.others = order.args - words.tensors;
  words.launches = static_cast<std::uint32_t>(d.object.launches.size());
  words.graph = what.policy.graph_launch ? 1 : 0;
  auto stride = order.args + words.launches * wire::values_per_launch;
  if (std::uint64_t{order.calls} * stride > wire::most_words)
    return failure{failure_kind::internal, "an order of more calls than its page holds", false};
  auto* to = words.values;
  std::map<std::string, std::int64_t> symbols;
  std::vector<std::uint64_t> launches;
  for (std::uint32_t c = 0; c < order.calls; ++c) {
    const auto* from = order.offsets.data() + std::size_t{c} * order.args;
    to = std::copy(from, from + words.tensors, to);
    auto* numbers = to;
    for (std::uint32_t a = words.tensors; a < order.args; ++a)
      *to++ = number_at(d, from[a]);
    if (auto now = symbols_of(what, numbers); c == 0 || now != symbols) {
      auto made = launch_values(d.object.launches, now);
      if (!made)
        return made.error();
      launches = *std::move(made);
      symbols = std::move(now);
    }
    to = std::copy(launches.begin(), launches.end(), to);
  }
  return ok;
}

} // namespace

result<std::unique_ptr<driver_state>> arena(const driver_start& how) {
  auto device = judge_device::of(how.device->number);
  if (!device)
    return device.error();
  leave_processors(how.cpus);
  auto made = std::make_unique<device_state>();
  made->device = *device;
  auto memory = device_arena::make(**device, how.memory);
  if (!memory)
    return memory.error();
  made->arena = *std::move(memory);
  made->numbers.resize(std::min(device_state::numbers_bytes, made->arena->size()));
  return std::unique_ptr<driver_state>{std::move(made)};
}

status open(device_state& d, const driver_start& how, call_outcome& loading) {
  d.object = object_in(how.object);
  auto start = how;
  start.device->arena_bytes = d.arena->size();
  start.device->number = 0; // the only one that it sees
  auto process = driver_process::start(start, d.arena->descriptor(), loading);
  if (!process)
    return process.error();
  d.process = *std::move(process);
  if (loading.end == call_end::done)
    calibrate(d);
  return ok;
}

void fill(device_state& d, std::span<const arena_bytes> what) {
  for (const auto& w : what) {
    if (w.offset + w.bytes <= d.numbers.size())
      std::memcpy(d.numbers.data() + w.offset, w.from, w.bytes);
    note(d, d.arena->write(w.offset, w.from, w.bytes));
  }
}

void poison(device_state& d, const arena_rubbish& what, random_source& random) {
  auto to = d.arena->place(what.offset, what.bytes);
  if (!to)
    return note(d, to.error());
  what.of->write(what.tensor, what.turn, what.at, what.whole, reinterpret_cast<std::byte*>(*to), what.bytes,
                 random);
}

fence_reading fence(device_state& d) {
  note(d, d.arena->settle());
  if (std::exchange(d.cold, false))
    note(d, d.device->flush(++d.flushes));
  fence_reading out;
  out.ns = d.device->fence();
  out.still = d.process->held();
  return out;
}

double prime(device_state& d) {
  auto said = d.process->ask(wire::device_request::prime, primer_limit_s);
  if (said.end != call_end::done && d.trouble.end == call_end::done)
    d.trouble = said;
  return said.ns;
}

call_outcome go(device_state& d, const call_order& what, double limit_s) {
  auto trouble = std::exchange(d.trouble, {});
  if (trouble.end != call_end::done)
    return trouble;
  if (auto written = write_values(d, what, d.process->words()); !written) {
    trouble.end = call_end::crashed;
    trouble.why = written.error().text;
    return trouble;
  }
  auto prepared = d.process->ask(wire::device_request::prepare, primer_limit_s);
  if (prepared.end != call_end::done ||
      d.process->words().answer != static_cast<std::uint32_t>(wire::answer::done)) {
    d.process->close(prepared);
    return prepared;
  }
  return d.process->ask(wire::device_request::run, limit_s);
}

void close(device_state& d, std::span<const result_part> samples, call_outcome& call) {
  double over_ns = d.device->fence() - d.usual_fence_ns;
  for (const auto& part : samples)
    note(d, d.arena->read(part.offset + part.from, part.to, part.bytes));
  d.process->close(call);
  call.cpu_s = 0; // it spins from one request to the next: that says nothing about threads
  // What an order leaves to do is charged, beyond what fences differ by themselves.
  call.late_s = over_ns > d.fence_band_ns ? over_ns * 1e-9 : 0;
}

void copy_results(device_state& d, std::span<const result_part> results) {
  std::vector<device_arena::range> from;
  std::vector<char*> to;
  for (const auto& part : results) {
    from.push_back({part.offset + part.from, part.bytes});
    to.push_back(part.to);
  }
  note(d, d.arena->copy_out(from, to));
}

std::vector<bool> compare(device_state& d, std::span<const arena_bytes> with) {
  std::vector<device_arena::range> ranges;
  for (const auto& w : with)
    ranges.push_back({w.offset, w.bytes});
  auto same = d.arena->unchanged(ranges);
  if (!same)
    note(d, same.error());
  return same ? *std::move(same) : std::vector<bool>(with.size(), true);
}

void read(device_state& d, std::uint64_t offset, std::span<char> to) {
  note(d, d.arena->read(offset, to.data(), to.size()));
}

} // namespace ke::on_device
