// One launch: its two processes, and what is measured with them.
#include "backends/judge/launch_pair.hpp"
#include "backends/judge/timing.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ke {

status timing::place(timed_workload& w, caller& a, caller& b) {
  if (!a.bind(w.shapes, w.calls) || !b.bind(w.shapes, w.calls))
    return failure{failure_kind::internal, "the shared memory is too small for " + w.shapes.name};
  return mix_for(w, a, b);
}

std::size_t timing::memory_of_a_launch() const {
  std::size_t memory = unusual_.memory(task_.what);
  for (const auto& w : workloads_) {
    auto places = w.calls + caller::spare_places(task_.what, w.shapes, w.calls);
    memory = std::max(memory, caller::memory_for(task_.what, w.shapes, places, false));
  }
  return memory;
}

/// Both processes, with fresh inputs for them to come. Nothing: the candidate did not load.
result<std::optional<launch_pair>> timing::start_launch(evidence& found) {
  for (auto& w : workloads_)
    if (auto s = refill(w); !s)
      return s.error();
  const auto memory = memory_of_a_launch();
  // Of large tensors: the device may have no room for four arenas.
  if (memory > bands_.slot_memory + bands_.slot_memory / 4)
    ended_.reset();
  auto begun = begin_pair(task_, seam_, memory, cpus_, random_);
  if (!begun)
    return begun.error();
  ended_.reset(); // while these load
  return load_pair(*std::move(begun), task_, random_, found);
}

status timing::launch(evidence& found) {
  auto pair = start_launch(found);
  if (!pair || !*pair)
    return pair ? ok : status{pair.error()};
  auto& [a, b] = **pair;
  a.move_between_orders();
  b.move_between_orders();
  control_.emplace_back();
  others_.begin(own_cpu_s_);
  gate_.resume();
  std::vector<calls_alone_of> alone(workloads_.size());
  bool sound = true;
  for (std::size_t i = 0; sound && i < workloads_.size(); ++i) {
    auto& w = workloads_[i];
    if (auto s = place(w, a, b); !s)
      return s;
    auto measured = measure(found, {a, b}, w, alone[i].as_timed);
    if (!measured)
      return measured.error();
    sound = *measured;
  }
  others_seen_ = others_.seen(own_cpu_s_);
  gate_.pause();
  if (auto s = sound ? charge_savings(found, {a, b}, alone) : ok; !s)
    return s;
  if (auto s = sound ? note_energy(found, {a, b}) : ok; !s)
    return s;
  if (seam_.ends_slowly)
    ended_ = *std::move(pair);
  return seam_.conditions ? seam_.conditions(task_, found) : ok;
}

} // namespace ke
