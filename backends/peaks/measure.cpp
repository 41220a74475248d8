#include "backends/peaks/kernels.hpp"
#include "backends/peaks/peaks.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/process/free_memory.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace ke {
namespace {

using steady = std::chrono::steady_clock;
using namespace peaks;

constexpr double window_s = 150e-6; ///< of one sample: long against the clock, short against a time slice
constexpr double shortest_s = 1e-6; ///< a sample below it met a clock that stood still
constexpr int samples_of_one = 10, samples_of_all = 6;
constexpr std::size_t most_memory = 512u << 20;
constexpr double fastest_clock =
    10e9; ///< Hz: no core is faster; a higher reading comes from a clock that stood still

double seconds_since(steady::time_point start) {
  return std::chrono::duration<double>(steady::now() - start).count();
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int c = 0; c < CPU_SETSIZE; ++c)
      if (CPU_ISSET(c, &set))
        cpus.push_back(c);
  return cpus;
}

void stay_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

/// "32K", "1024K", "36M" of sysfs.
double bytes_of(const std::string& text) {
  char* end = nullptr;
  double n = std::strtod(text.c_str(), &end);
  if (end && (*end == 'K' || *end == 'k'))
    n *= 1024;
  if (end && *end == 'M')
    n *= 1024.0 * 1024;
  return n;
}

/// Anonymous memory, touched, in huge pages where the system gives them.
class buffer {
public:
  explicit buffer(std::size_t bytes) : bytes_{bytes} {
    void* at =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
      return;
    at_ = static_cast<char*>(at);
    madvise(at_, bytes_, MADV_HUGEPAGE);
    for (std::size_t i = 0; i < bytes_; i += 4096)
      at_[i] = 1;
  }
  ~buffer() {
    if (at_)
      munmap(at_, bytes_);
  }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  char* data() const { return at_; }
  std::size_t size() const { return at_ ? bytes_ : 0; }

private:
  char* at_ = nullptr;
  std::size_t bytes_;
};

/// Rates of one thread, best first.
struct samples {
  std::vector<double> rates;
  double best() const { return rates.empty() ? 0 : *std::max_element(rates.begin(), rates.end()); }
  double noise() const {
    if (rates.size() < 3)
      return 0;
    auto sorted = rates;
    std::sort(sorted.begin(), sorted.end());
    return 1 - sorted[sorted.size() / 2] / sorted.back();
  }
};

/// A piece of work that says how much it did, repeated: operations or bytes per second.
using work = std::function<double()>;

samples repeat(const work& once, int times) {
  samples s;
  once(); // warm: page faults, caches, the wide units' clock
  for (int i = 0; i < times; ++i) {
    auto start = steady::now();
    double done = once();
    auto took = seconds_since(start);
    if (took > shortest_s)
      s.rates.push_back(done / took);
  }
  return s;
}

/// All threads at once. `joint`: they share what is measured (a cache, the memory bus), so only what they
/// move in the same window counts; otherwise each has its own and their best windows add up.
double together(const std::vector<int>& cpus, bool joint, const std::function<work(std::size_t)>& work_of) {
  std::size_t n = cpus.size();
  std::vector<double> best(n);
  std::vector<std::vector<double>> done(samples_of_all, std::vector<double>(n));
  std::vector<std::vector<steady::time_point>> from(samples_of_all, std::vector<steady::time_point>(n)),
      to = from;
  std::barrier gate{static_cast<std::ptrdiff_t>(n)};
  std::vector<std::thread> threads;
  threads.reserve(n);
  for (std::size_t t = 0; t < n; ++t)
    threads.emplace_back([&, t] {
      stay_on(cpus[t]);
      auto once = work_of(t);
      once();
      for (std::size_t i = 0; i < samples_of_all; ++i) {
        gate.arrive_and_wait();
        from[i][t] = steady::now();
        done[i][t] = once();
        to[i][t] = steady::now();
        auto took = std::chrono::duration<double>(to[i][t] - from[i][t]).count();
        if (took > shortest_s)
          best[t] = std::max(best[t], done[i][t] / took);
      }
    });
  for (auto& t : threads)
    t.join();
  double sum = 0, most = 0;
  for (double b : best)
    sum += b;
  for (std::size_t i = 0; i < samples_of_all; ++i) {
    double all = 0;
    for (double d : done[i])
      all += d;
    auto first = *std::min_element(from[i].begin(), from[i].end());
    auto last = *std::max_element(to[i].begin(), to[i].end());
    most = std::max(most, all / std::chrono::duration<double>(last - first).count());
  }
  return joint ? most : sum;
}

struct level {
  const char* name;
  std::size_t bytes;  ///< of the buffer that lives in it
  std::size_t window; ///< bytes of one sample
  bool shared;        ///< by all cores
};

/// Walks a buffer window by window, so that the next sample touches what the last one did not.
work stream_work(const stream_kernel& kernel, const buffer& memory, std::size_t bytes, std::size_t window) {
  return [&kernel, &memory, bytes, window, at = std::size_t{0}]() mutable {
    std::size_t done = 0, moved = 0;
    std::size_t piece = std::min(bytes, window);
    while (done < window) {
      if (at + piece > bytes)
        at = 0;
      moved += kernel.run(memory.data() + at, piece);
      at += piece;
      done += piece;
    }
    return static_cast<double>(moved);
  };
}

/// A random cycle through a buffer, one pointer per cache line.
void thread_pointers(char* at, std::size_t bytes) {
  std::size_t lines = bytes / 64;
  std::vector<std::uint32_t> order(lines);
  for (std::size_t i = 0; i < lines; ++i)
    order[i] = static_cast<std::uint32_t>(i);
  std::minstd_rand random{7};
  for (std::size_t i = lines; i > 1; --i)
    std::swap(order[i - 1], order[random() % i]);
  for (std::size_t i = 0; i < lines; ++i)
    *reinterpret_cast<void**>(at + std::size_t{order[i]} * 64) =
        at + std::size_t{order[(i + 1) % lines]} * 64;
}

void keep_best(peak_map& into, const std::string& key, double value) {
  auto& x = into[key];
  x = std::max(x, value);
}

std::size_t blocks(double bytes) {
  return std::max<std::size_t>(2, static_cast<std::size_t>(bytes) / (2 * stream_block) * 2) * stream_block;
}

/// Measures, on a thread that it binds to a core. One use.
class peak_measurement {
public:
  peak_measurement(const device_info& cpu, const std::vector<int>& cpus) : cpus_{cpus} {
    auto fact = [&](const char* key) {
      auto at = cpu.facts.find(key);
      return at == cpu.facts.end() ? 0.0 : bytes_of(at->second);
    };
    l1_ = std::max(fact(device_facts::l1d), 16.0 * 1024);
    l2_ = fact(device_facts::l2);
    l3_ = fact(device_facts::l3);
  }

  peak_map run() {
    choose_levels();
    found_["threads"] = static_cast<double>(cpus_.size());
    buffer memory{levels_.back().bytes};
    if (memory.size() == 0)
      return found_;
    stay_on(cpus_.front());
    auto cycles = clock_rate();
    if (cycles == 0)
      return found_;
    found_["clock"] = cycles;
    rates(cycles);
    if (!lend_buffers()) // no memory: nothing to walk through
      return found_;
    for (const auto& l : levels_)
      for (const auto& k : stream_kernels())
        stream(l, k, memory);
    for (const auto& l : levels_)
      latency(l, memory);
    if (!noise_.empty()) {
      std::nth_element(noise_.begin(), noise_.begin() + static_cast<std::ptrdiff_t>(noise_.size() / 2),
                       noise_.end());
      found_["noise"] = noise_[noise_.size() / 2];
    }
    return found_;
  }

private:
  void choose_levels() {
    found_["size.l1"] = l1_;
    if (l2_ > 0)
      found_["size.l2"] = l2_;
    if (l3_ > 0)
      found_["size.l3"] = l3_;
    double free_bytes = static_cast<double>(free_host_memory());
    big_ = std::clamp(4 * std::max(l2_, l3_), 64.0 * (1u << 20), static_cast<double>(most_memory));
    big_ = std::min(big_, free_bytes / 4);
    levels_ = {{"l1", blocks(l1_ / 2), 1u << 20, false}};
    if (l2_ > 0)
      levels_.push_back({"l2", blocks(l2_ / 2), 1u << 20, false});
    if (l3_ > 0)
      // Half way between the levels: a cache that other machines of the host share is seldom ours as a whole.
      levels_.push_back({"l3", blocks(std::max(2 * l2_, std::sqrt(l2_ * l3_ / 2))), 4u << 20, true});
    levels_.push_back({"dram", blocks(big_), 16u << 20, true});
  }

  /// Cycles a second, by a chain of known length; 0: nothing that can be a clock.
  static double clock_rate() {
    double cycles = 0;
    for (int i = 0; i < 2 * samples_of_one; ++i) {
      constexpr std::uint64_t turns = 30'000;
      auto start = steady::now();
      chain(turns);
      if (auto rate = static_cast<double>(turns) * chain_per_iteration / seconds_since(start);
          rate < fastest_clock) // the windows below follow from it: a wrong one could last for hours
        cycles = std::max(cycles, rate);
    }
    return cycles;
  }

  void rates(double cycles) {
    for (const auto& k : rate_kernels()) {
      if (!k.here())
        continue;
      // Twelve independent instructions retire in six cycles or more: the loop lasts about one window.
      auto turns = static_cast<std::uint64_t>(window_s * cycles / 12);
      work once = [&k, turns] {
        k.run(turns);
        return k.per_iteration * static_cast<double>(turns);
      };
      auto one = repeat(once, samples_of_one);
      noise_.push_back(one.noise());
      keep_best(found_, std::string{k.key} + ".1", one.best());
      keep_best(found_, std::string{k.key} + ".all",
                cpus_.size() == 1 ? one.best() : together(cpus_, false, [&](std::size_t) { return once; }));
    }
  }

  /// To the other threads. False: there is no memory for one.
  bool lend_buffers() {
    for (std::size_t t = 1; t < cpus_.size(); ++t) {
      own_.push_back(std::make_unique<buffer>(
          std::max(blocks(2 * std::max(l1_, l2_)), blocks(big_ / static_cast<double>(cpus_.size())))));
      if (own_.back()->size() == 0)
        return false;
    }
    return true;
  }

  void stream(const level& l, const stream_kernel& k, buffer& memory) {
    bool past_caches = k.key == std::string{"store"} || k.key == std::string{"past"};
    if (!k.here() || (past_caches && l.name != std::string{"dram"}))
      return;
    auto once = stream_work(k, memory, l.bytes, l.window);
    if (l.bytes > l.window) // one whole pass brings it in
      k.run(memory.data(), l.bytes);
    auto one = repeat(once, l.shared ? samples_of_one / 2 + 3 : samples_of_one);
    noise_.push_back(one.noise());
    keep_best(found_, std::string{"bytes."} + l.name + ".1", one.best());
    if (cpus_.size() == 1)
      return keep_best(found_, std::string{"bytes."} + l.name + ".all", one.best());
    auto n = static_cast<double>(cpus_.size());
    double part = static_cast<double>(l.bytes) / n;
    if (l.name == std::string{"l3"}) // each part must not fit one level below
      part = std::max(part, std::min(2 * l2_, l3_ / n));
    auto each = l.shared ? blocks(part) : l.bytes;
    keep_best(found_, std::string{"bytes."} + l.name + ".all",
              together(cpus_, l.shared, [&, each](std::size_t t) {
                const auto& mine = t == 0 ? memory : *own_[t - 1];
                return stream_work(k, mine, std::min(each, mine.size()), l.window);
              }));
  }

  void latency(const level& l, buffer& memory) {
    // Half of the largest is far beyond the caches, too, and sooner ready.
    auto bytes = l.name == std::string{"dram"} ? std::max(l.bytes / 2, std::size_t{32} << 20) : l.bytes;
    thread_pointers(memory.data(), std::min(bytes, memory.size()));
    // Every sample goes on where the last one ended: what it touches was last used a whole cycle ago.
    void* at = chase(memory.data(), std::min<std::uint64_t>(bytes / 64, 100'000));
    double best = 0;
    for (int i = 0; i < 12; ++i) {
      constexpr std::uint64_t steps = 20'000;
      auto start = steady::now();
      at = chase(at, steps);
      double each = seconds_since(start) / static_cast<double>(steps);
      best = best > 0 ? std::min(best, each) : each;
    }
    found_[std::string{"latency."} + l.name] = best;
  }

  const std::vector<int>& cpus_;
  double l1_ = 0, l2_ = 0, l3_ = 0, big_ = 0; ///< bytes; `big_`: far beyond the caches
  std::vector<level> levels_;
  std::vector<std::unique_ptr<buffer>> own_; ///< of the other threads
  std::vector<double> noise_;
  peak_map found_;
};

} // namespace

peak_map measure_peaks(const device_info& cpu) {
  auto cpus = allowed_cpus();
  if (rate_kernels().empty() || cpus.empty())
    return {};
  peak_map found;
  std::thread{[&] {
    found = peak_measurement{cpu, cpus}.run();
  }}.join(); // binds itself to a core: not the caller's thread
  return found;
}

} // namespace ke
