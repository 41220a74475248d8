#pragma once

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/arena_layout.hpp"
#include "backends/judge/driver_seam.hpp"
#include "backends/judge/poison.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ke_test {

/// A kernel of the fake device: y = f(x) over `n` floats, and how it behaves.
struct device_kernel {
  void (*body)(float* x, float* y, std::int64_t n) = nullptr; ///< null: does nothing
  double call_ns = 0;                                         ///< until its call returns
  double late_ns = 0;                                         ///< what its work takes beyond that
  bool waits = true;      ///< for its work, before the order is answered: else the answer comes too early
  bool own_place = false; ///< its results lie in memory of its own
  double first_ns = 0;    ///< what an order's first call takes beyond that, unless it is replayed
  bool captured = true;   ///< else an order by a graph ends it
  bool merges = false;    ///< answers all calls of an order by its first: they take the time of one
  bool from_turn = false; ///< computes in its turn on the device, from what lies there, before it is asked to
};

/// A device whose clock is a number: nothing here waits, and every run reads the same times. Its memory is a
/// buffer that only this file reaches. Copies to it and work on it are queued and happen at the next fence:
/// who looks earlier sees what lay there before.
struct device_state : ke::driver_state {
  static constexpr double floor_ns = 8800;            ///< of an empty call
  static constexpr std::uint64_t own_at = 1ull << 40; ///< addresses of the candidate's own memory

  explicit device_state(std::size_t bytes) : memory(bytes) {}

  struct call_places {
    std::uint64_t x = 0, y = 0, n = 0;
    auto operator<=>(const call_places&) const = default;
  };
  struct work {
    call_places places;
    std::uint64_t to = 0; ///< of the result
    double ns = 0;
  };

  float* at(std::uint64_t address) {
    auto* from = address >= own_at ? own.data() + (address - own_at) : memory.data() + address;
    return reinterpret_cast<float*>(from);
  }
  std::int64_t length(const call_places& p) {
    std::int64_t n = 0;
    std::memcpy(&n, memory.data() + p.n, sizeof n);
    return n;
  }
  /// All that is queued. Ns of the work.
  double drain() {
    for (auto& [offset, bytes] : copies)
      std::copy(bytes.begin(), bytes.end(), memory.begin() + static_cast<std::ptrdiff_t>(offset));
    copies.clear();
    double ns = 0;
    for (; !queue.empty(); queue.pop_front()) {
      const auto& w = queue.front();
      auto early = early_results.find(w.places);
      if (early != early_results.end())
        std::copy(early->second.begin(), early->second.end(), at(w.to)); // of an empty one, nothing
      else if (kernel.body)
        kernel.body(at(w.places.x), at(w.to), length(w.places));
      ns += w.ns;
    }
    return ns;
  }

  std::vector<char> memory, own; ///< the arena; the candidate's
  std::vector<std::pair<std::uint64_t, std::string>> copies;
  std::deque<work> queue;
  device_kernel kernel;
  std::vector<call_places> last;                           ///< of the last order
  std::map<call_places, std::vector<float>> early_results; ///< made in its turn, for calls at the same places
  std::map<std::uint64_t, std::string> mixed;              ///< by place, the last ones
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> kept; ///< by call and tensor
  std::size_t tensors = 0;
  std::uint64_t stay = 0; ///< where the driver publishes the addresses of results
};

inline std::map<std::string, device_kernel>& device_kernels() {
  static std::map<std::string, device_kernel> all;
  return all;
}

namespace device {

inline device_state& of(ke::driver_state& s) {
  return static_cast<device_state&>(s);
}

inline ke::driver_start limits(const ke::judge_task&, const std::string& object, std::size_t memory,
                               const std::vector<int>&) {
  ke::driver_start how;
  how.object = object;
  how.memory = memory;
  return how;
}

inline ke::result<std::unique_ptr<ke::driver_state>> arena(const ke::driver_start& how) {
  return std::unique_ptr<ke::driver_state>{std::make_unique<device_state>(how.memory)};
}

inline ke::status open(ke::driver_state& s, const ke::driver_start& how) {
  of(s).kernel = how.object == "-" ? device_kernel{} : device_kernels().at(how.object);
  return ke::ok;
}

inline ke::call_outcome load(ke::driver_state&) {
  return {};
}

inline bool begin(ke::driver_state& s, const ke::order_form& form) {
  of(s).tensors = form.what->tensors.size();
  return true;
}

inline void fill(ke::driver_state& s, std::span<const ke::arena_bytes> what) {
  for (const auto& w : what)
    of(s).copies.emplace_back(w.offset, std::string{w.from, w.bytes});
}

inline void poison(ke::driver_state& s, const ke::arena_rubbish& what, ke::random_source& random) {
  std::string bytes(what.bytes, '\0');
  what.of->write(what.tensor, what.turn, what.at, what.whole, reinterpret_cast<std::byte*>(bytes.data()),
                 what.bytes, random);
  of(s).copies.emplace_back(what.offset, std::move(bytes));
}

inline ke::fence_reading fence(ke::driver_state& s) {
  bool still = of(s).queue.empty();
  return {still, device_state::floor_ns + of(s).drain()};
}

/// The driver's turn: a candidate's code may do what it likes with what lies there.
inline double prime(ke::driver_state& s) {
  auto& d = of(s);
  d.early_results.clear();
  for (const auto& places : d.last)
    if (auto n = d.length(places);
        d.kernel.from_turn && places.x + static_cast<std::uint64_t>(n) * sizeof(float) <= d.memory.size()) {
      std::vector<float> y(static_cast<std::size_t>(n));
      d.kernel.body(d.at(places.x), y.data(), n);
      d.early_results[places] = std::move(y);
    }
  return device_state::floor_ns;
}

/// By the copy engine, at once.
inline double patch(ke::driver_state& s, std::span<const ke::arena_bytes> rows) {
  for (const auto& r : rows)
    std::memcpy(of(s).memory.data() + r.offset, r.from, r.bytes);
  return 0;
}

inline ke::call_outcome go(ke::driver_state& s, const ke::call_order& what, double, const ke::call_watch&) {
  auto& d = of(s);
  ke::call_outcome out;
  if (!d.copies.empty()) {
    out.end = ke::call_end::machine;
    out.why = "an order began before its inputs lay there";
    return out;
  }
  if (what.graph && !d.kernel.captured) {
    out.end = ke::call_end::crashed;
    out.why = "it can't be captured";
    return out;
  }
  out.ns = device_state::floor_ns + (what.graph ? 0 : d.kernel.first_ns);
  d.last.clear();
  d.stay = what.stay;
  for (std::uint32_t c = 0; c < what.calls; ++c) {
    const auto* args = what.offsets.data() + std::size_t{c} * what.args;
    device_state::call_places places{args[0], args[1], args[2]};
    std::uint64_t to = places.y;
    if (d.kernel.own_place && what.stay != 0) {
      auto bytes = static_cast<std::size_t>(d.length(places)) * sizeof(float);
      d.own.resize(std::max(d.own.size(), bytes * what.calls));
      to = device_state::own_at + bytes * c;
    }
    if (what.stay != 0)
      std::memcpy(d.memory.data() + what.stay + (c * d.tensors + 1) * sizeof to, &to, sizeof to);
    d.queue.push_back({places, to, d.kernel.merges && c > 0 ? 0 : d.kernel.late_ns});
    d.last.push_back(places);
    out.ns += d.kernel.call_ns;
  }
  if (d.kernel.waits)
    out.ns += d.drain();
  out.driver_ns = out.ns - 1000;
  out.cpu_s = out.ns * 1e-9;
  return out;
}

/// One whole result, or a part: where the driver says that it lies.
inline void sample(ke::driver_state& s, const ke::result_part& part) {
  auto& d = of(s);
  auto place = part.offset;
  if (d.stay != 0)
    std::memcpy(&place, d.memory.data() + d.stay + (part.call * d.tensors + part.tensor) * sizeof place,
                sizeof place);
  std::memcpy(part.to, reinterpret_cast<const char*>(d.at(place)) + part.from, part.bytes);
}

inline void close(ke::driver_state& s, std::span<const ke::result_part> samples, ke::call_outcome& call) {
  call.late_s = (fence(s).ns - device_state::floor_ns) * 1e-9;
  for (const auto& part : samples)
    sample(s, part);
}

struct pool_of_bytes : ke::driver_pool {
  explicit pool_of_bytes(std::string_view all) : bytes{all} {}
  std::string bytes;
};

inline ke::result<std::shared_ptr<const ke::driver_pool>> pool(ke::driver_state&, std::string_view bytes) {
  return std::shared_ptr<const ke::driver_pool>{std::make_shared<pool_of_bytes>(bytes)};
}

inline void mix(ke::driver_state& s, const ke::arena_mix& what) {
  const auto& from = static_cast<const pool_of_bytes&>(*what.of).bytes;
  ke::random_source random{what.key};
  std::string bytes(what.bytes, '\0');
  auto size = std::size_t{what.element_bytes};
  for (std::size_t at = 0; at < bytes.size(); at += size)
    from.copy(bytes.data() + at, std::min(size, bytes.size() - at), random.below(from.size() / size) * size);
  of(s).mixed[what.offset] = bytes;
  of(s).copies.emplace_back(what.offset, std::move(bytes));
}

inline ke::status keep(ke::driver_state& s, std::span<const ke::result_part> results) {
  of(s).kept.clear();
  for (auto part : results) {
    auto& copy = of(s).kept[{part.call, part.tensor}];
    copy.resize(part.bytes);
    part.to = copy.data();
    sample(s, part);
  }
  return ke::ok;
}

inline void kept(ke::driver_state& s, const ke::result_part& part) {
  of(s).kept.at({part.call, part.tensor}).copy(part.to, part.bytes, part.from);
}

inline std::vector<bool> agree(ke::driver_state& usual, ke::driver_state& own,
                               std::span<const ke::result_rule> rules) {
  std::vector<bool> all;
  for (const auto& [at, said] : of(own).kept) {
    const auto& [type, rule] = rules[at.second];
    auto allowed =
        ke::expect(type, of(usual).kept.at(at).data(), false, said.size() / ke::bytes_of(type), rule);
    all.resize(std::max<std::size_t>(all.size(), at.first + 1), true);
    all[at.first] = all[at.first] && ke::check(allowed, said.data()).failed == 0;
  }
  return all;
}

inline std::uint64_t snapshot(ke::driver_state& s, std::span<const ke::result_part> results) {
  for (const auto& part : results)
    sample(s, part);
  return 0;
}

inline std::vector<bool> compare(ke::driver_state& s, std::span<const ke::arena_bytes> with) {
  std::vector<bool> same;
  for (const auto& w : with)
    same.push_back(std::memcmp(of(s).memory.data() + w.offset,
                               w.from ? w.from : of(s).mixed.at(w.offset).data(), w.bytes) == 0);
  return same;
}

inline void read(ke::driver_state& s, std::uint64_t offset, std::span<char> to) {
  std::memcpy(to.data(), of(s).memory.data() + offset, to.size());
}

} // namespace device

/// The whole driver, as the judge has it.
inline ke::driver_seam fake_device() {
  ke::driver_seam seam;
  seam.patch_rows = 4;
  seam.complete = [](const ke::judge_task& task) { return ke::result<ke::judge_task>{task}; };
  seam.limits = device::limits;
  seam.truth = [](const ke::judge_task&) { return ke::truth_form{.traps_overflow = false}; };
  seam.most_timed_calls = [](std::size_t) { return std::uint32_t{16}; };
  seam.bands = [] {
    return ke::driver_bands{.idle_s = 0, .least_order_ns = 500e3, .sampling_hides_late_work = false};
  };
  seam.clocks = [](const std::vector<int>&) { return ke::clock_reading{}; };
  seam.others = [](const std::vector<int>&) { return ke::others_reading{}; };
  seam.layout = ke::scattered_layout;
  seam.arena = device::arena;
  seam.open = device::open;
  seam.load = device::load;
  seam.log = [](const ke::driver_state&) { return std::string{}; };
  seam.begin = device::begin;
  seam.fill = device::fill;
  seam.poison = device::poison;
  seam.flush = [](ke::driver_state&, std::span<const ke::arena_bytes>) {};
  seam.fence = device::fence;
  seam.prime = device::prime;
  seam.patch = device::patch;
  seam.go = device::go;
  seam.sample = device::sample;
  seam.close = device::close;
  seam.snapshot = device::snapshot;
  seam.compare = device::compare;
  seam.settle = [](ke::driver_state&, std::span<const ke::result_part>) { return std::uint64_t{0}; };
  seam.read = device::read;
  return seam;
}

/// A device with these two kernels, "reference" and the truth of a problem of one input and one output in f64.
inline ke::driver_seam device_with_truth(decltype(device_kernel::body) reference,
                                         decltype(device_kernel::body) truth) {
  device_kernels() = {{"reference", {.body = reference}}, {"truth", {.body = truth}}};
  auto seam = fake_device();
  seam.truth = [](const ke::judge_task&) {
    return ke::truth_form{.object = "truth", .wider = {true, true}, .traps_overflow = false};
  };
  return seam;
}

/// The same as fake_device, with pools that fresh inputs are mixed from, and results that stay there.
inline ke::driver_seam mixing_device() {
  auto seam = fake_device();
  seam.patch_rows = 0;
  seam.bands = [] {
    return ke::driver_bands{
        .idle_s = 0, .least_order_ns = 500e3, .sees_orders = true, .sampling_hides_late_work = false};
  };
  seam.pool = device::pool;
  seam.mix = device::mix;
  seam.keep = device::keep;
  seam.kept = device::kept;
  seam.agree = device::agree;
  return seam;
}

} // namespace ke_test
