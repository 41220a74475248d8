#include "backends/judge/drivers/python_cuda_driver.hpp"

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/arena_layout.hpp"
#include "backends/judge/compiled_baseline.hpp"
#include "backends/judge/drivers/device_conditions.hpp"
#include "backends/judge/drivers/device_energy.hpp"
#include "backends/judge/drivers/device_state.hpp"
#include "backends/judge/drivers/host_driver.hpp"
#include "backends/judge/drivers/python_driver.hpp"
#include "backends/judge/python_profile.hpp"
#include "backends/judge/secret_random.hpp"
#include "backends/judge/warm_fork.hpp"

#include <algorithm>
#include <memory>
#include <string>

namespace ke {
namespace {

constexpr std::uint32_t most_order_calls = 128;
/// PyTorch's libraries, which are mapped as they are needed, and its context.
constexpr std::uint64_t address_bytes = 64ull << 30;
/// Of the arena, for results and what calls allocate besides: PyTorch asks for 20 MiB at once.
constexpr std::size_t least_pool = 256u << 20, most_pool = std::size_t{16} << 30;

struct python_cuda_state : device_state {
  random_source random{secret_key()};
  std::uint64_t files_at = 0; ///< room for packed files, behind the tensors
  bool trusted = false;       ///< of the order: of the truth's process
};

python_cuda_state& of_device(driver_state& s) {
  return static_cast<python_cuda_state&>(s);
}

result<judge_task> complete(const judge_task& task) {
  // First what needs no device: nobody else waits for it while PyTorch is imported.
  auto told = python_driver.complete(task);
  if (!told)
    return told;
  if (task.warm_parent >= 0)
    if (auto s = warm_fork::ready(task.warm_parent); !s)
      return s.error();
  if (auto s = on_device::claim(task); !s)
    return s.error();
  return told;
}

driver_start limits(const judge_task& task, const std::string& object, std::size_t memory,
                    const std::vector<int>& cpus) {
  auto how = python_driver.limits(task, object, memory, cpus);
  auto& access = how.device.emplace(on_device::access_of(task));
  access.address_bytes = address_bytes;
  access.foreign = object == task.candidate;
  access.pool_bytes = std::clamp(3 * memory, least_pool, most_pool);
  how.load_s = std::max(how.load_s, 60.0); // a context, and what a class compiles as it is made
  return how;
}

truth_form truth(const judge_task& task) {
  auto form = python_driver.truth(task);
  form.flushes_sums = true;
  return form;
}

std::uint32_t most_timed_calls(std::size_t args) {
  return std::min(most_order_calls,
                  static_cast<std::uint32_t>(wire::most_words / std::max<std::size_t>(args, 1)));
}

driver_bands bands() {
  // The first calls of an order go through cold caches: by one call's time an order seems longer than it is.
  auto bands = on_device::bands(4e6);
  bands.sees_orders = true; // its code runs where the arguments of all calls lie
  return bands;
}

result<std::unique_ptr<driver_state>> arena(const driver_start& how) {
  auto made = std::make_unique<python_cuda_state>();
  made->makes_results = true;
  made->files_at = how.memory;
  auto larger = how;
  larger.memory += most_compiled;
  if (auto s = on_device::arena(*made, larger); !s)
    return s.error();
  return std::unique_ptr<driver_state>{std::move(made)};
}

status open(driver_state& s, const driver_start& how) {
  auto& d = of_device(s);
  auto told = how;
  told.payload = "arena " + std::to_string(d.arena->judged()) + ' ' + std::to_string(d.arena->size()) + '\n' +
                 how.payload;
  return on_device::open(d, told);
}

std::string log(const driver_state& s) {
  const auto& process = static_cast<const device_state&>(s).process;
  return process ? process->log() : std::string{};
}

bool begin(driver_state& s, const order_form& form) {
  auto& d = of_device(s);
  d.what = form.what;
  d.trusted = form.trusted;
  return false;
}

std::uint64_t snapshot(driver_state& s, std::span<const result_part> results) {
  on_device::copy_results(of_device(s), results);
  return 0;
}

std::uint64_t settle(driver_state& s, std::span<const result_part> results) {
  auto& d = of_device(s);
  if (!d.trusted)
    on_device::soil_results(d, results, d.random);
  return 0;
}

} // namespace

const driver_seam python_cuda_driver{
    .takes_extents = true,
    .ends_slowly = true,
    .complete = complete,
    .limits = limits,
    .truth = truth,
    .most_timed_calls = most_timed_calls,
    .bands = bands,
    .clocks = host_clocks,
    .others = host_others,
    .sentinel = on_device::sentinel,
    .conditions = on_device::conditions,
    .layout = scattered_layout,
    .arena = arena,
    .open = open,
    .load = [](driver_state& s) { return on_device::load(of_device(s)); },
    .log = log,
    .begin = begin,
    .fill = [](driver_state& s, std::span<const arena_bytes> what) { on_device::fill(of_device(s), what); },
    .poison = [](driver_state& s, const arena_rubbish& what,
                 random_source& random) { on_device::poison(of_device(s), what, random); },
    .pool = [](driver_state& s, std::string_view bytes) { return on_device::pool(of_device(s), bytes); },
    .mix = [](driver_state& s, const arena_mix& what) { on_device::mix(of_device(s), what); },
    .flush = [](driver_state& s, std::span<const arena_bytes>) { of_device(s).cold = true; },
    .hand = [](driver_state& s, const call_order& what,
               double limit_s) { on_device::hand(of_device(s), what, limit_s); },
    .fence = [](driver_state& s) { return on_device::fence(of_device(s)); },
    .prime = [](driver_state& s) { return on_device::prime(of_device(s)); },
    .patch = [](driver_state&,
                std::span<const arena_bytes>) { return 0.0; }, // never asked for: no patch_rows
    .go = [](driver_state& s, const call_order&, double limit_s,
             const call_watch&) { return on_device::go(of_device(s), limit_s); },
    .sample = [](driver_state& s, const result_part& part) { on_device::sample(of_device(s), part); },
    .energy = [](driver_state& s, double seconds) { return on_device::energy(of_device(s), seconds); },
    .close = [](driver_state& s, std::span<const result_part> samples,
                call_outcome& call) { on_device::close(of_device(s), samples, call); },
    .snapshot = snapshot,
    .keep = [](driver_state& s,
               std::span<const result_part> results) { return on_device::keep(of_device(s), results); },
    .kept = [](driver_state& s, const result_part& part) { on_device::kept(of_device(s), part); },
    .agree =
        [](driver_state& usual, driver_state& own, std::span<const result_rule> rules) {
          return on_device::agree(of_device(usual), of_device(own), rules);
        },
    .compare = [](driver_state& s,
                  std::span<const arena_bytes> with) { return on_device::compare(of_device(s), with); },
    .settle = settle,
    .files =
        [](driver_state& s) { return on_device::files(of_device(s), of_device(s).files_at, most_compiled); },
    .read = [](driver_state& s, std::uint64_t offset,
               std::span<char> to) { on_device::read(of_device(s), offset, to); },
    .profile = [](const judge_task& task, const profiled_inputs& with, const std::vector<int>& cpus,
                  evidence& found) { profile_python(python_cuda_driver, task, with, cpus, found); },
};

} // namespace ke
