#include "backends/judge/sentinel.hpp"

#include "backends/judge/stopwatch.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <thread>

namespace ke {
namespace {

constexpr std::size_t words_of_a_thread = 1u << 20; ///< 8 MiB
constexpr int looks = 4;
constexpr int steps = 100'000; ///< of all chains: about half a millisecond

thread_local volatile double kept; ///< or nothing would be computed

/// As many independent chains as keep the units busy: who shares the core, by a second thread that no account here shows,
/// takes from that at once.
void arithmetic(const std::vector<std::uint64_t>&) {
  using lanes = double __attribute__((vector_size(16)));
  lanes chain[10];
  for (int k = 0; k < 10; ++k)
    chain[k] = lanes{1.1 + k, 1.2 + k};
  for (int i = 0; i < steps; ++i)
    for (auto& c : chain)
      c = c * 0.999 + 1e-3;
  kept = std::accumulate(std::begin(chain), std::end(chain), lanes{})[0];
}

void memory(const std::vector<std::uint64_t>& buffer) {
  kept = static_cast<double>(std::accumulate(buffer.begin(), buffer.end(), std::uint64_t{0}));
}

using kernel = void (*)(const std::vector<std::uint64_t>&);

void pin_to(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  (void)pthread_setaffinity_np(pthread_self(), sizeof one, &one); // where it may not: it runs as it is put
}

/// From the moment at which all threads begin to the one at which the last has ended.
double together_ns(kernel what, const std::vector<int>& cpus) {
  std::barrier line{static_cast<std::ptrdiff_t>(cpus.size())};
  double best = std::numeric_limits<double>::infinity();
  auto work = [&](std::size_t i) {
    pin_to(cpus[i]);
    const std::vector<std::uint64_t> buffer(words_of_a_thread, i + 1);
    for (int look = 0; look < looks; ++look) {
      line.arrive_and_wait();
      auto begun = steady::now();
      what(buffer);
      line.arrive_and_wait();
      if (i == 0)
        best = std::min(best, seconds_since(begun) * 1e9);
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(cpus.size());
  for (std::size_t i = 0; i < cpus.size(); ++i)
    threads.emplace_back(work, i);
  for (auto& t : threads)
    t.join();
  return best;
}

} // namespace

std::map<std::string, double> host_sentinel(const std::vector<int>& cpus) {
  std::map<std::string, double> ns;
  if (cpus.empty())
    return ns;
  for (auto threads : std::set<std::size_t>{1, cpus.size()}) { // on one processor these are one
    const std::vector<int> some(cpus.begin(), cpus.begin() + static_cast<std::ptrdiff_t>(threads));
    auto suffix = "." + std::to_string(threads);
    ns["arithmetic" + suffix] = together_ns(arithmetic, some);
    ns["memory" + suffix] = together_ns(memory, some);
  }
  return ns;
}

} // namespace ke
