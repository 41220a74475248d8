#include "backends/judge/drivers/device_state.hpp"

#include "backends/device/cuda_api.hpp"
#include "backends/device/device_list.hpp"
#include "backends/device/device_lock.hpp"
#include "backends/device/side_by_side.hpp"
#include "backends/evidence/judge_task.hpp"
#include "backends/judge/driver_wire.hpp"
#include "backends/judge/drivers/device_conditions.hpp"
#include "backends/judge/drivers/launch_values.hpp"
#include "backends/judge/poison.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/process/free_memory.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace ke::on_device {
namespace {

constexpr double primer_limit_s = 10; ///< a device that others use, a first launch
constexpr double files_limit_s = 20;  ///< to pack them
/// Of the device's memory that was free when its process started: a candidate may take so much.
constexpr double most_of_memory = 0.5;

/// Measured on an H100 with what is now: host memory to pinned memory, to the device, back, and compared by all processors
/// that no driver has.
constexpr double copy_ns = 0.4;
/// Of both sides: written and rubbished twice, results copied and compared, at one or two TB/s.
constexpr double mix_ns = 0.02;
/// A short kernel's order has a hundred inputs, so a launch of few pairs holds gigabytes of them.
constexpr std::size_t least_bank = std::size_t{3} << 30, most_bank = std::size_t{16} << 30, share_of_host = 8;

std::size_t bank_bytes() {
  return std::clamp<std::size_t>(free_host_memory() / share_of_host, least_bank, most_bank);
}

/// Long orders of many calls hide what a single one of a process costs that was just woken: a guest's processor varies.
std::size_t slot_memory() {
  constexpr std::size_t least = std::size_t{512} << 20, most = std::size_t{2} << 30, share_of_device = 64;
  return std::clamp(free_memory() / share_of_device, least, most);
}

/// The judge spins while a driver runs: not on the driver's processors.
void leave_processors(const std::vector<int>& to_driver) {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0)
    return;
  auto all = own;
  for (int cpu : to_driver)
    CPU_CLR(cpu, &own);
  if (CPU_COUNT(&own) == 0 || CPU_EQUAL(&own, &all) || sched_setaffinity(0, sizeof own, &own) != 0)
    return;
  constexpr int most_threads = 16;
  allow_threads(static_cast<std::size_t>(std::min(CPU_COUNT(&own), most_threads)));
}

/// One for all processes that are measured there, as long as there is any. Null: they have several processors.
std::shared_ptr<awake_processor> awake_on(const std::vector<int>& cpus) {
  static std::weak_ptr<awake_processor> known; // a judge measures on the same ones always
  auto awake = known.lock();
  if (!awake && cpus.size() == 1)
    known = awake = std::make_shared<awake_processor>(cpus.front());
  return awake;
}

device_object object_in(const std::string& path) {
  if (path == "-")
    return {};
  std::ifstream in{path, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  auto object = unpack<device_object>(bytes, {std::size_t{1} << 30, 1u << 20, 16});
  return object ? *std::move(object) : device_object{};
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
  words.tensors = d.tensors = static_cast<std::uint32_t>(what.tensors.size());
  d.places.assign(d.makes_results ? std::size_t{order.calls} * d.tensors : 0, 0);
  words.others = order.args - words.tensors;
  words.launches = static_cast<std::uint32_t>(d.object.launches.size());
  words.graph = order.graph ? 1 : 0;
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

void note(device_state& d, const status& s) {
  if (s || d.trouble.end != call_end::done)
    return;
  d.trouble.end = call_end::machine;
  d.trouble.why = s.error().text;
}

std::uint64_t place_of(const device_state& d, const result_part& part) {
  auto at = std::size_t{part.call} * d.tensors + part.tensor;
  if (at >= d.places.size())
    return part.offset;
  auto place = d.places[at];
  auto end = part.from + part.bytes;
  return place >= d.arena->judged() && end <= d.arena->size() && place <= d.arena->size() - end ? place
                                                                                                : part.offset;
}

status claim(const judge_task& task) {
  auto device = find_device(task.device);
  if (!device)
    return device.error();
  static const auto alone = lock_device(device->uuid);
  watch_conditions(*device);
  return ok;
}

device_access access_of(const judge_task& task) {
  device_access access;
  const auto& cu = cuda::driver();
  auto found = find_device(task.device);
  if (!cu || !found)
    return access;
  access.number = static_cast<int>(found->number);
  access.uuid = found->uuid;
  access.library = cu->library;
  access.nodes = {"/dev/nvidiactl", "/dev/nvidia-uvm", found->node};
  access.folders = {std::filesystem::path{cu->library}.parent_path().string()};
  return access;
}

driver_bands bands(double least_order_ns) {
  // A wait spins here, so nothing of the driver idles; `late_s` has its own band (`charged_ns`).
  return {.idle_floors = 0,
          .idle_s = 0,
          .least_order_ns = least_order_ns,
          .fewest_pairs_ns = 1e6,
          .slot_memory = slot_memory(),
          .bank_bytes = bank_bytes(),
          .copy_ns = copy_ns,
          .mix_ns = mix_ns,
          .spread = {0.01, 0.003},
          .beside_others = {0.03, 0.03},
          .by_graph = {0.004, 0.0015},
          .cpu_tells = false, // it spins
          .sampling_hides_late_work = false};
}

status arena(device_state& d, const driver_start& how) {
  auto device = judge_device::of(how.device->number);
  if (!device)
    return device.error();
  leave_processors(how.cpus);
  d.device = *device;
  d.awake = awake_on(how.cpus);
  d.memory.at_start = d.device->free_bytes();
  auto memory = device_arena::make(**device, how.memory, how.device->pool_bytes);
  if (!memory)
    return memory.error();
  d.arena = *std::move(memory);
  d.numbers.resize(std::min(device_state::numbers_bytes, d.arena->judged()));
  return ok;
}

status open(device_state& d, const driver_start& how) {
  d.object = object_in(how.object);
  auto start = how;
  start.device->arena_bytes = d.arena->size();
  start.device->number = 0; // the only one that it sees
  d.foreign = start.device->foreign;
  d.memory.wakes(*d.device);
  if (d.awake)
    d.awake->rest(); // it loads there
  auto process = driver_process::start(start, d.arena->descriptor());
  if (!process)
    return process.error();
  d.process = *std::move(process);
  d.process->follows(d.awake);
  return ok;
}

call_outcome load(device_state& d) {
  auto loading = d.process->load();
  d.memory.sleeps(*d.device);
  return loading;
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
  // Work that was armed to begin when the inputs came: its process stands still, its queue does not.
  d.armed_ns = d.foreign ? not_still_ns(out.ns, d.bands) : 0;
  return out;
}

/// Ends the process for what its device showed, if that was its doing: without it the device stands still.
call_outcome blamed(device_state& d, const std::string& why) {
  auto out = d.process->end(call_end::forged, why);
  if (stands_still(*d.device, d.bands))
    return out;
  out.end = call_end::machine;
  out.why = "somebody else works on the device (" + why +
            ", and without it the device goes on); measure where nobody does";
  return out;
}

/// Its process was stopped, and will be continued soon.
void keep_awake(device_state& d) {
  if (d.awake)
    d.awake->spin();
}

void hand(device_state& d, const call_order& what, double limit_s) {
  if (d.trouble.end != call_end::done)
    return;
  if (auto written = write_values(d, what, d.process->words()); !written) {
    d.trouble.end = call_end::crashed;
    d.trouble.why = written.error().text;
    return;
  }
  d.calls = what.calls;
  if (!std::exchange(d.calibrated, true))
    d.bands = turn_bands_of(*d.device, *d.process, d.foreign);
  d.memory.wakes(*d.device);
  auto prepared = d.process->ask(wire::device_request::prepare, std::max(limit_s, primer_limit_s));
  if (prepared.end == call_end::done)
    d.process->close(prepared); // the inputs come next: nothing of it may run
  keep_awake(d);
  d.awake_s = prepared.awake_s;
  if (prepared.end == call_end::done && d.foreign && !wait_until_still(*d.device, d.bands).still)
    prepared = blamed(d, "its work runs on the device between two orders, while it is stopped");
  if (prepared.end != call_end::done)
    d.trouble = prepared;
}

double prime(device_state& d) {
  d.primer_ns = 0;
  if (d.trouble.end != call_end::done)
    return 0;
  auto said = d.process->ask(wire::device_request::prime, primer_limit_s);
  if (said.end != call_end::done)
    d.trouble = said;
  else if (d.foreign && is_no_turn(said.ns, d.bands))
    d.trouble = blamed(d, "an empty kernel came back before the device could have run it");
  d.primer_ns = said.ns;
  return said.ns;
}

call_outcome go(device_state& d, double limit_s) {
  auto trouble = std::exchange(d.trouble, {});
  if (trouble.end != call_end::done)
    return trouble;
  auto said = d.process->ask(wire::device_request::run, limit_s);
  if (said.end == call_end::done && d.makes_results) {
    const auto* from = d.process->words().values;
    d.places.assign(from, from + d.places.size());
  }
  return said;
}

/// What is wrong with how a candidate leaves the device; nothing: it stands still and has room.
std::optional<call_outcome> left_behind(device_state& d, const stillness& after) {
  if (!after.still)
    return blamed(d, "its work went on on the device after it had answered and was stopped");
  if (d.memory.taken() > most_of_memory * static_cast<double>(d.memory.at_start))
    return d.process->end(call_end::resource_exceeded,
                          "the candidate took " +
                              std::to_string(static_cast<std::int64_t>(d.memory.taken()) >> 20) +
                              " MiB of the device's memory, more than half of what was free");
  return std::nullopt;
}

/// What an order left to do or had done before its clock ran, beyond what that differs by itself, and the floor that
/// leaving out a wait saves; or by how much this process's orders do so on the whole.
double charged_ns(device_state& d, double fence_ns) {
  // Of all processes without foreign code, so also of the same orders' other side: by calls of an order.
  static std::map<std::uint32_t, turn_readings> of_references;
  static std::uint64_t orders = 0;
  const turn_reading now{fence_ns, d.primer_ns, ++orders};
  auto& of_reference = of_references[d.calls];
  double single = of_reference.fence_over_ns(fence_ns, d.bands);
  if (!d.foreign) { // its waits are our own
    of_reference.add(now);
    charges_so_far().others.add(fence_ns, d.primer_ns);
    return single;
  }
  auto& shifts = d.shifts[d.calls];
  shifts.add(now, of_reference);
  double shift = shifts.usual_ns();
  single += of_reference.primer_over_ns(d.primer_ns);
  double turns = single > 0 ? single + d.bands.still_ns : 0;
  auto& all = charges_so_far();
  ++all.orders;
  all.armed += d.armed_ns;
  all.candidate.add(fence_ns, d.primer_ns);
  (shift > turns ? all.shift : all.turns) += std::max(turns, shift);
  return std::max(turns, shift) + d.armed_ns;
}

void close(device_state& d, std::span<const result_part> samples, call_outcome& call) {
  double charged = charged_ns(d, d.device->fence());
  for (const auto& part : samples)
    sample(d, part);
  d.process->close(call);
  keep_awake(d);
  call.awake_s += std::exchange(d.awake_s, 0) + (d.awake ? d.awake->taken_s() : 0);
  call.cpu_s = 0; // it spins from one request to the next: that says nothing about threads
  if (d.foreign && call.end == call_end::done) { // it was awake until now: what it began since the fence
    auto after = wait_until_still(*d.device, d.bands);
    d.memory.sleeps(*d.device);
    charged += after.ns;
    charges_so_far().behind += after.ns;
    if (auto wrong = left_behind(d, after))
      call = *std::move(wrong);
  }
  call.late_s = charged * 1e-9;
}

void copy_results(device_state& d, std::span<const result_part> results) {
  std::vector<device_arena::range> from;
  std::vector<char*> to;
  for (const auto& part : results) {
    from.push_back({place_of(d, part) + part.from, part.bytes});
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

void soil_results(device_state& d, std::span<const result_part> results, random_source& random) {
  auto rubbish = static_cast<unsigned char>(64 + random.below(128)); // of either sign, and no zero
  for (const auto& part : results)
    if (auto place = place_of(d, part); place >= d.arena->judged())
      note(d, d.arena->soil(place + part.from, part.bytes, rubbish));
}

std::string files(device_state& d, std::uint64_t at, std::size_t room) {
  if (d.trouble.end != call_end::done)
    return {};
  d.process->words().values[0] = at;
  auto packed = d.process->ask(wire::device_request::files, files_limit_s);
  if (packed.end == call_end::done)
    d.process->close(packed);
  std::uint64_t length = 0;
  if (packed.end != call_end::done || !d.arena->read(at, &length, sizeof length) ||
      length > room - sizeof length)
    return {};
  std::string bytes(length, '\0');
  return d.arena->read(at + sizeof length, bytes.data(), length) ? bytes : std::string{};
}

void sample(device_state& d, const result_part& part) {
  read(d, place_of(d, part) + part.from, {part.to, part.bytes});
}

void read(device_state& d, std::uint64_t offset, std::span<char> to) {
  note(d, d.arena->read(offset, to.data(), to.size()));
}

} // namespace ke::on_device
