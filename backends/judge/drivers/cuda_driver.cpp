#include "backends/judge/drivers/cuda_driver.hpp"

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/arena_layout.hpp"
#include "backends/judge/drivers/c_abi_driver.hpp"
#include "backends/judge/drivers/device_conditions.hpp"
#include "backends/judge/drivers/device_energy.hpp"
#include "backends/judge/drivers/device_state.hpp"
#include "backends/judge/drivers/host_driver.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

namespace ke {
namespace {

constexpr std::uint32_t most_calls = 128, most_launches = 16;
constexpr auto program = "ke-cuda-driver";

/// The state of a process on a device; null: the object runs on the host.
device_state* device_of(driver_state& s) {
  return dynamic_cast<device_state*>(&s);
}

/// References are objects of the host.
bool runs_on_host(const std::string& object) {
  constexpr std::array<char, 4> elf{'\x7f', 'E', 'L', 'F'};
  std::array<char, 4> begin{};
  std::ifstream in{object, std::ios::binary};
  return in.read(begin.data(), begin.size()) && begin == elf;
}

result<judge_task> cuda_complete(const judge_task& task) {
  if (auto s = on_device::claim(task); !s)
    return s.error();
  return task;
}

driver_start cuda_limits(const judge_task& task, const std::string& object, std::size_t memory,
                         const std::vector<int>& cpus) {
  auto how = c_abi_driver.limits(task, object, memory, cpus);
  if (object.empty() || runs_on_host(object))
    return how;
  how.driver = (std::filesystem::path{task.driver}.parent_path() / program).string();
  how.device = on_device::access_of(task);
  return how;
}

truth_form cuda_truth(const judge_task& task) {
  auto form = c_abi_driver.truth(task);
  form.flushes_sums = true;
  return form;
}

std::uint32_t cuda_most_timed_calls(std::size_t args) {
  auto in_page = wire::most_words / (args + most_launches * wire::values_per_launch);
  return std::min({most_calls, static_cast<std::uint32_t>(in_page), c_abi_driver.most_timed_calls(args)});
}

driver_bands cuda_bands() {
  return on_device::bands(1e6);
}

result<std::unique_ptr<driver_state>> cuda_arena(const driver_start& how) {
  if (!how.device)
    return c_abi_driver.arena(how);
  auto made = std::make_unique<device_state>();
  if (auto s = on_device::arena(*made, how); !s)
    return s.error();
  return std::unique_ptr<driver_state>{std::move(made)};
}

status cuda_open(driver_state& s, const driver_start& how) {
  auto* d = device_of(s);
  return d ? on_device::open(*d, how) : c_abi_driver.open(s, how);
}

call_outcome cuda_load(driver_state& s) {
  auto* d = device_of(s);
  return d ? on_device::load(*d) : c_abi_driver.load(s);
}

std::string cuda_log(const driver_state& s) {
  const auto* d = dynamic_cast<const device_state*>(&s);
  return d ? d->process->log() : c_abi_driver.log(s);
}

bool cuda_begin(driver_state& s, const order_form& form) {
  if (auto* d = device_of(s))
    d->what = form.what;
  return false;
}

void cuda_fill(driver_state& s, std::span<const arena_bytes> what) {
  auto* d = device_of(s);
  d ? on_device::fill(*d, what) : c_abi_driver.fill(s, what);
}

void cuda_poison(driver_state& s, const arena_rubbish& what, random_source& random) {
  auto* d = device_of(s);
  d ? on_device::poison(*d, what, random) : c_abi_driver.poison(s, what, random);
}

void cuda_flush(driver_state& s, std::span<const arena_bytes> where) {
  if (auto* d = device_of(s))
    d->cold = true; // the whole cache, once all is written
  else
    c_abi_driver.flush(s, where);
}

void cuda_hand(driver_state& s, const call_order& what, double limit_s) {
  if (auto* d = device_of(s))
    on_device::hand(*d, what, limit_s);
}

fence_reading cuda_fence(driver_state& s) {
  auto* d = device_of(s);
  return d ? on_device::fence(*d) : c_abi_driver.fence(s);
}

double cuda_prime(driver_state& s) {
  auto* d = device_of(s);
  return d ? on_device::prime(*d) : c_abi_driver.prime(s);
}

double cuda_patch(driver_state& s, std::span<const arena_bytes> rows) {
  return c_abi_driver.patch(s, rows); // never asked for on a device: no code of a candidate takes its turn
}

call_outcome cuda_go(driver_state& s, const call_order& what, double limit_s, const call_watch& watch) {
  auto* d = device_of(s);
  return d ? on_device::go(*d, limit_s) : c_abi_driver.go(s, what, limit_s, watch);
}

void cuda_sample(driver_state& s, const result_part& part) {
  auto* d = device_of(s);
  d ? on_device::sample(*d, part) : c_abi_driver.sample(s, part);
}

void cuda_close(driver_state& s, std::span<const result_part> samples, call_outcome& call) {
  auto* d = device_of(s);
  d ? on_device::close(*d, samples, call) : c_abi_driver.close(s, samples, call);
}

std::uint64_t cuda_snapshot(driver_state& s, std::span<const result_part> results) {
  auto* d = device_of(s);
  if (!d)
    return c_abi_driver.snapshot(s, results);
  on_device::copy_results(*d, results);
  return 0;
}

std::vector<bool> cuda_compare(driver_state& s, std::span<const arena_bytes> with) {
  auto* d = device_of(s);
  return d ? on_device::compare(*d, with) : c_abi_driver.compare(s, with);
}

void cuda_read(driver_state& s, std::uint64_t offset, std::span<char> to) {
  auto* d = device_of(s);
  d ? on_device::read(*d, offset, to) : c_abi_driver.read(s, offset, to);
}

} // namespace

const driver_seam cuda_driver{
    .ends_slowly = true,
    .complete = cuda_complete,
    .limits = cuda_limits,
    .truth = cuda_truth,
    .most_timed_calls = cuda_most_timed_calls,
    .bands = cuda_bands,
    .clocks = host_clocks,
    .others = host_others,
    .sentinel = on_device::sentinel,
    .conditions = on_device::conditions,
    .layout = scattered_layout,
    .arena = cuda_arena,
    .open = cuda_open,
    .load = cuda_load,
    .log = cuda_log,
    .begin = cuda_begin,
    .fill = cuda_fill,
    .poison = cuda_poison,
    .flush = cuda_flush,
    .hand = cuda_hand,
    .fence = cuda_fence,
    .prime = cuda_prime,
    .patch = cuda_patch,
    .go = cuda_go,
    .sample = cuda_sample,
    .energy =
        [](driver_state& s, double seconds) {
          auto* d = device_of(s); // null: the reference, on the host
          return d ? on_device::energy(*d, seconds) : 0.0;
        },
    .close = cuda_close,
    .snapshot = cuda_snapshot,
    .compare = cuda_compare,
    .settle = [](driver_state&, std::span<const result_part>) -> std::uint64_t {
      return 0; // every result was poisoned before the call
    },
    .read = cuda_read,
};

} // namespace ke
