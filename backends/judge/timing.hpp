#pragma once

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/call_notes.hpp"
#include "backends/judge/caller.hpp"
#include "backends/judge/foreign_load.hpp"
#include "backends/judge/interludes.hpp"
#include "backends/judge/launch_pair.hpp"
#include "backends/judge/noise_gate.hpp"
#include "backends/judge/single_calls.hpp"
#include "backends/judge/truth.hpp"
#include "backends/verdict/statistics.hpp"
#include "runtime/core/evidence.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ke {

/// A workload to time: `calls` slots per order, `pairs` per launch.
struct timed_workload {
  std::uint32_t index = 0; ///< into problem.workloads
  bound_shapes shapes;
  std::shared_ptr<const poison> rubbish;
  double reference_ns = 0; ///< one call of the baseline with the path's overhead
  double candidate_ns = 0;
  double call_s = 1e-3; ///< one call while it was checked, with all that the judge did for it
  std::uint32_t calls = 1;
  std::uint32_t pairs = 0;
  std::uint32_t interludes = 1;   ///< certain ones per launch
  std::uint32_t warm = 0;         ///< slots for the warm-up: pairs at most
  std::vector<bank_slot> bank;    ///< of this launch
  std::vector<result_rule> rules; ///< per tensor, beside the reference's answer of the same pair; or empty
  /// Per tensor what its elements are picked from, where the driver mixes; or empty.
  std::vector<std::string> picks;
  mixture mixed; ///< the same, with the driver
  bool is_mixed() const { return !picks.empty(); }
  /// The bank has no room for all inputs: it keeps keys and truths, and an order's inputs are drawn again.
  bool redraws = false;
  std::vector<std::size_t> order; ///< of the bank, in which slots are taken
  std::size_t next = 0;           ///< into order
  std::vector<bank_slot> filler;  ///< usual inputs unknown to this launch's processes: for interludes
};

/// What a call is worth at least, ns, that has not written a share of its results: another has filled those
/// pages before, at the reference's cost of this pair. The price of a copy alone can be too low where fresh
/// memory costs the reference several times as much in one launch as in another (decision 0039).
double with_unwritten(double own_ns, double share, double reference_ns);

/// The timed part: interleaved pairs over fresh processes, every timed call checked.
class timing {
public:
  /// `bank_bytes`: memory for inputs and truths of all workloads together; 0: as the driver says.
  timing(const judge_task& task, const driver_seam& seam, std::vector<timed_workload>& workloads,
         const interludes& unusual, truth_source& truths, std::vector<int> cpus, std::uint64_t key,
         std::size_t bank_bytes = 0);
  /// Fails only for the machine's reasons.
  status run(evidence& found);

private:
  status measure_floor();
  double calls_per_order(const timed_workload& w, double shorter, std::size_t slot_bytes) const;
  std::uint32_t pairs_of(double in_time, double in_memory) const;
  status prepare(timed_workload& w);
  /// Two slots of this workload, with their truths.
  result<std::vector<bank_slot>> sampled(timed_workload& w);
  /// Calls of an order, pairs of a launch.
  void plan_orders(timed_workload& w, double most_slots, double slot_s);
  /// The workload's slots are drawn or mixed as they are needed, and held against the reference's answers.
  status set_rules(timed_workload& w, const bank_slot& like);
  status pick_pools(timed_workload& w);
  /// Lets both processes mix this workload's slots, if they are.
  static status mix_for(timed_workload& w, caller& a, caller& b);
  /// Seconds that the judge needs by itself for a slot that is drawn, and held against an answer, on the host.
  result<double> own_slot_s(const timed_workload& w);
  /// How many slots one launch may use, for memory and time. May set `redraws` and `redraw_s`.
  double most_slots(timed_workload& w, const bank_slot& like, double& redraw_s);
  /// Fresh inputs for one launch: what it learns of them is not true in the next.
  status refill(timed_workload& w);
  /// Fills the bank up to so many slots.
  status draw_bank(timed_workload& w, std::size_t wanted);
  /// Where they have been let go of, or never were drawn.
  status draw_inputs(std::span<bank_slot* const> slots, const bound_shapes& shapes);
  /// The next slots of this launch, with their inputs.
  result<std::vector<const bank_slot*>> take(timed_workload& w, std::size_t n);
  /// The inputs of these slots are not needed any more.
  void used(timed_workload& w);
  failure lost(const timed_workload& w) const;
  std::size_t memory_of_a_launch() const;
  result<std::optional<launch_pair>> start_launch(evidence& found);
  status launch(evidence& found);
  static bool is_sound(const evidence& found) {
    return found.ending == ending::finished && !found.failed && found.flags.empty();
  }
  bool is_calm() const; ///< of others during the last launch
  status calm_launch(evidence& found);
  usual_spread spread_of(bool loud) const;
  /// How many cores were at work while the candidate's calls ran, the way there and back not counted; 0: too few calls.
  double cores_busy() const;
  /// The workload's places in both arenas, and what it is mixed from.
  status place(timed_workload& w, caller& a, caller& b);
  /// What an order of the baseline and one of the candidate share.
  struct side_by_side {
    caller& reference;
    caller& candidate;
  };
  /// What the calls of an order may answer, by the reference's answers to the same inputs; of slots that have a truth of
  /// their own: that. Where the driver finds that they agree (`own.agreed`): nothing.
  allowed_results allowed_by(const side_by_side& sides, caller::outcome& own,
                             std::span<const bank_slot* const> slots, const timed_workload& w) const;
  /// Gives both sides the same call, in random order; checks only the candidate's answers. False: no further
  /// call makes sense.
  bool interlude(evidence& found, const side_by_side& sides, const timed_workload& w);
  /// The same, with its time.
  bool interlude_now(evidence& found, const side_by_side& sides, const timed_workload& w,
                     interlude_turn& turn);
  bool uncounted(evidence& found, const side_by_side& sides, std::span<const bank_slot* const> slots,
                 const timed_workload& w, double limit);
  /// The same in another form than the workload's. A baseline that compiles itself is not asked.
  bool in_another_form(evidence& found, const side_by_side& sides, std::span<const bank_slot* const> slots,
                       const interludes::scene& scene, const timed_workload& w, double limit);
  static void baseline_failed(evidence& found, const caller::outcome& said);
  /// One order of each side, in random order.
  struct both_said {
    caller::outcome baseline, candidate;
  };
  /// Nothing: one of them has ended, which is in the evidence.
  std::optional<both_said> ask_both(evidence& found, const side_by_side& sides,
                                    std::span<const bank_slot* const> slots, const bound_shapes& shapes,
                                    const poison* rubbish, const double (&limits)[2], std::int64_t& counter);
  /// The same, with a look at the candidate's answers. Nothing: no further call makes sense.
  std::optional<both_said> right_pair(evidence& found, const side_by_side& sides,
                                      std::span<const bank_slot* const> slots, const timed_workload& w,
                                      const double (&limits)[2], std::int64_t& counter);
  /// False, as of the next two: no further call makes sense.
  result<bool> measure(evidence& found, const side_by_side& sides, timed_workload& w, single_calls& alone);
  result<bool> warm_up(evidence& found, const side_by_side& sides, timed_workload& w);
  /// Whether calls are also timed alone, beside each pair, because who sees all calls of an order may answer them by one
  /// batch.
  bool calls_alone(const timed_workload& w) const { return bands_.sees_orders && w.calls > 1; }
  /// Slots for that.
  std::uint32_t singles(const timed_workload& w) const;
  static std::uint32_t alone_beside_a_pair(const timed_workload& w);
  result<bool> single_pairs(evidence& found, const side_by_side& sides, timed_workload& w,
                            single_calls& alone);
  /// One order of one call of each side, as timed_pair does.
  result<bool> single_pair(evidence& found, const side_by_side& sides, timed_workload& w,
                           single_calls& alone);
  /// The same by replay of a graph, for orders that are not: the device's work without the host's. Last of a launch,
  /// and outside of the evidence: who can't be captured is none the worse for it, and may not survive the attempt.
  status replay_alone(const side_by_side& sides, timed_workload& w, single_calls& replayed);
  /// Energy of a call, of both sides, last of the first launch of a plan that is more than a ranking's: the processes may be
  /// dead then, and what they answered is not looked at.
  status note_energy(evidence& found, const side_by_side& sides);
  /// Charges what orders of this launch save beyond what their calls save alone.
  status charge_savings(evidence& found, const side_by_side& sides, std::vector<calls_alone_of>& alone);
  static void limit_savings(evidence& found, const timed_workload& w, const calls_alone_of& alone,
                            launch_samples& samples);
  bool timed_pair(evidence& found, const side_by_side& sides, const timed_workload& w,
                  std::span<const bank_slot* const> slots, double (&ns)[2]);
  double limit_of(const timed_workload& w, bool of_candidate) const;
  /// Seconds of one launch for one workload.
  double launch_s() const {
    return budget_s_ / static_cast<double>(plan_.looks.front().launches) /
           static_cast<double>(workloads_.size());
  }
  void charge(const caller::outcome& said);
  /// Whether its `late_s` is partly the judge's own time.
  bool hides_late_work(const caller::outcome& said) const {
    return said.looked_at && bands_.sampling_hides_late_work;
  }
  double charged_ns(const caller::outcome& said) const;
  /// Pages of a workload's results, as a share of all.
  double share_of_results(std::uint64_t pages, const timed_workload& w) const;
  /// Enters the gate's facts into the evidence; returns their meaning for a decision.
  machine_noise note_noise(evidence& found) const;
  void note_work(evidence& found) const;
  void note_sentinel(evidence& found, const char* when) const;
  void flag_integrity(evidence& found) const;

  const judge_task& task_;
  const driver_seam& seam_;
  /// The baseline is the reference: it is asked in each pair anyway, so nobody else is about the same inputs.
  bool by_reference_;
  std::vector<timed_workload>& workloads_;
  const interludes& unusual_;
  truth_source& truths_;
  std::vector<int> cpus_;
  random_source random_;
  interlude_deck deck_;
  sampling_plan plan_;
  double budget_s_ = 0;
  std::size_t bank_bytes_;
  double floor_ns_ = 0, floor_gap_s_ = 0;
  driver_bands bands_;
  std::uint64_t unwritten_ = 0; ///< pages, of the candidate's timed results
  noise_gate gate_;
  foreign_load others_;
  double others_seen_ = 0;                         ///< processors that they kept busy during the last launch
  double held_s_ = 0;                              ///< waited until they were calm
  std::uint32_t beside_others_ = 0, repeated_ = 0; ///< launches: that count nevertheless, and that do not
  double candidate_s_ = 0;                         ///< of its timed calls, by the clock
  double own_cpu_s_ = 0; ///< of the baseline's and the candidate's processes, in orders
  std::int64_t discarded_ = 0;
  double bank_s_ = 0, interludes_s_ = 0;
  std::int64_t interludes_ = 0;
  /// Of the last launch, where its end takes long: it ends while the next one loads.
  std::optional<launch_pair> ended_;
  const timed_workload* drawn_for_ = nullptr; ///< the truths are of its shapes
  std::vector<std::vector<double>> control_;  ///< A/A log ratios of each launch
  double wall_s_ = 0, cpu_s_ = 0;
  std::vector<double> gaps_, usual_gaps_; ///< s of work between answer and stop: candidate, baseline
  /// Ns of an order that the driver's clock did not see: candidate, baseline.
  std::vector<double> hidden_, path_;
  std::vector<double> order_ns_; ///< the candidate's orders
  std::uint64_t orders_ = 0;
};

} // namespace ke
