#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ke {

/// What a campaign knows of its supply and demand, now.
struct credit_facts {
  std::uint32_t slots = 0;           ///< device slots of usable workers
  std::uint32_t busy = 0;            ///< jobs on slots
  std::uint32_t queued = 0;          ///< answered, no slot yet
  std::uint32_t asking = 0;          ///< planned and asked: waiting for a model
  double model_latency_s = 0;        ///< measured mean; 0: not yet known
  double evaluations_per_s = 0;      ///< measured, all slots busy; 0: not yet known
  std::uint32_t parallel = 1;        ///< [search] parallel: upper bound of everything in flight
  std::uint64_t candidates_left = 0; ///< of the budget
};

/// How many more candidates to begin, so that no slot idles and no answer goes stale in a queue:
///   wanted = free slots + one queued job per slot + the evaluations that will end while a model thinks
///   credit = wanted - queued - asking
/// bounded by `parallel` and the budget. `parallel` alone decides while latency or rate is unknown: waiting
/// teaches nothing. 0 without a slot: no request is paid for what nobody can run.
inline std::uint32_t credit(const credit_facts& f) {
  if (f.slots == 0)
    return 0;
  std::uint64_t in_flight = std::uint64_t{f.busy} + f.queued + f.asking;
  std::uint64_t room = f.parallel > in_flight ? f.parallel - in_flight : 0;
  room = std::min(room, f.candidates_left);
  if (f.model_latency_s > 0 && f.evaluations_per_s > 0) {
    double expected = std::min(std::ceil(f.model_latency_s * f.evaluations_per_s), 1e9);
    std::uint64_t free = f.slots > f.busy ? f.slots - f.busy : 0;
    std::uint64_t wanted = free + f.slots + static_cast<std::uint64_t>(expected);
    std::uint64_t under_way = std::uint64_t{f.queued} + f.asking;
    room = std::min(room, wanted > under_way ? wanted - under_way : 0);
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(room, 0xffffffff));
}

} // namespace ke
