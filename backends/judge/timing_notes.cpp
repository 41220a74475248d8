// What a measurement says of itself beside times: integrity, noise, what it cost.
#include "backends/judge/timing.hpp"
#include "backends/verdict/roofline.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace ke {

double timing::cores_busy() const {
  double busy_wall = wall_s_ - static_cast<double>(orders_) * floor_ns_ * 1e-9;
  return busy_wall > 0.2 * wall_s_ && orders_ >= 6 ? cpu_s_ / busy_wall : 0;
}

void timing::flag_integrity(evidence& found) const {
  auto milliseconds = [](double s) { return std::to_string(s * 1e3).substr(0, 6) + " ms"; };
  // Whatever it works after its answer is charged, so that it gains nothing. A pool that spins for a while
  // before it parks does so, too, and so does a process that frees a result: a stop takes tens of
  // microseconds, on a busy machine hundreds, and all of that time such a pool may spin. Only one that works
  // on for longer than any spinning lasts, in nearly every order and beyond what the baseline does in any
  // usual one, is called a liar.
  double after = quantile_of(gaps_, 0.2),
         usual = std::max({bands_.longest_spin_s, 5 * floor_gap_s_, 2 * quantile_of(usual_gaps_, 0.8)});
  if (gaps_.size() >= 20 && after > usual && after > 0.05e-9 * median_of(order_ns_))
    found.flags.push_back({"gap_cpu_time", milliseconds(after) +
                                               " of work after the answer in four of five orders, of " +
                                               milliseconds(median_of(order_ns_) * 1e-9) + " each"});
  double threads = static_cast<double>(std::max<std::int64_t>(1, task_.what.policy.threads));
  if (cpu_s_ > 0.05 && cpu_s_ > (threads + 0.5) * wall_s_)
    found.flags.push_back({"threads", milliseconds(cpu_s_) + " of CPU time in " + milliseconds(wall_s_) +
                                          ": more threads than the " +
                                          std::to_string(task_.what.policy.threads) + " of the policy"});
  // What the driver's clock does not see is the way there and back, which is as long for the baseline: on a
  // loaded machine it is long for both, and for some of either much longer than for others. Only a candidate
  // whose clock hides far more in nearly every order than the baseline's does in any usual one is called a
  // liar.
  double hidden = quantile_of(hidden_, 0.2), whole = median_of(order_ns_);
  if (hidden_.size() >= 12 && hidden > 2 * quantile_of(path_, 0.8) + 4 * floor_ns_ + 0.4 * whole)
    found.flags.push_back(
        {"clock_mismatch", "a clock inside the candidate's process saw " +
                               std::to_string(static_cast<int>(100 * (1 - hidden / whole))) +
                               "% of the time that passed outside"});
  for (auto& f : below_floor(task_.what, found.launches, task_.peaks))
    found.flags.push_back(std::move(f));
  if (double cores = cores_busy(); cores > 0) // for the diagnosis
    found.counters[counter_keys::cores_busy] = cores;
  for (const auto& [name, value] : task_.peaks)
    found.counters[counter_keys::peak_of + name] = value;
}

machine_noise timing::note_noise(evidence& found) const {
  auto facts = gate_.facts(own_cpu_s_);
  for (const auto& [name, value] : facts)
    found.counters[name] = value;
  found.counters[counter_keys::gate_discarded] = static_cast<double>(discarded_);
  auto& loud = found.counters[device_facts::gate_loud];
  if (found.counters.contains(counter_keys::device_slowed))
    loud = 1;
  if (3 * beside_others_ > control_.size())
    loud = 1;
  found.counters[counter_keys::gate_beside_others] = beside_others_;
  found.counters[counter_keys::gate_repeated] = repeated_;
  found.counters[counter_keys::gate_held_s] = held_s_;
  auto spread = spread_of(loud > 0);
  found.counters[counter_keys::spread_launch] = spread.launch;
  found.counters[counter_keys::spread_run] = spread.run;
  return {loud > 0, discarded_, spread};
}

/// While no process is there that is measured.
void timing::note_sentinel(evidence& found, const char* when) const {
  if (seam_.sentinel)
    for (const auto& [name, ns] : seam_.sentinel(cpus_))
      found.counters[when + name] = ns;
}

void timing::note_work(evidence& found) const {
  (void)note_noise(found);
  found.counters[counter_keys::bank_s] = bank_s_;
  found.counters[counter_keys::interludes] = static_cast<double>(interludes_);
  found.counters[counter_keys::interludes_s] = interludes_s_;
  if (unwritten_ > 0)
    found.counters[counter_keys::unwritten_pages] =
        static_cast<double>(unwritten_) / static_cast<double>(std::max<std::int64_t>(1, found.timed_calls));
  std::size_t control = 0;
  for (const auto& launch : control_)
    control += launch.size();
  found.provenance[provenance_keys::aa_control] = std::to_string(control) +
                                                  " pairs of the baseline with itself, " +
                                                  std::to_string(control_.size()) + " launches";
}

} // namespace ke
