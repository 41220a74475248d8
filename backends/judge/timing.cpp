#include "backends/judge/timing.hpp"

#include "backends/device/side_by_side.hpp"
#include "backends/judge/baseline_run.hpp"
#include "backends/judge/compiled_baseline.hpp"
#include "backends/judge/stopwatch.hpp"
#include "backends/verdict/roofline.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/measure_plan.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>

namespace ke {
namespace {

/// A short kernel is called until a sample lasts `floors_per_sample` floors.
constexpr double short_in_floors = 20, floors_per_sample = 50;
constexpr std::uint32_t least_warm = 3, most_warm = 10;
constexpr double fewest_pairs = 3;
constexpr double overtime = 1.5;              ///< of a launch's time, for the pairs that it has at least
constexpr std::uint64_t looked_at_one_in = 8; ///< timed orders whose results are read before the stop, too
constexpr double bank_share = 0.9; ///< of the time for measuring, as much again may go into inputs and truths
constexpr double steady_within = 0.02,
                 warm_s = 1; ///< the warm-up ends when pairs move less, or after a second

} // namespace

timing::timing(const judge_task& task, const driver_seam& seam, std::vector<timed_workload>& workloads,
               const interludes& unusual, truth_source& truths, std::vector<int> cpus, std::uint64_t key,
               std::size_t bank_bytes)
    : task_{task}, seam_{seam}, by_reference_{task.baseline.empty() && task.compile_s == 0},
      workloads_{workloads}, unusual_{unusual}, truths_{truths}, cpus_{std::move(cpus)},
      random_{key ^ task.seed}, deck_{unusual, random_}, plan_{plan_of(task.plan)},
      budget_s_{task.budget_s > 0 ? task.budget_s : plan_.budget_s}, bank_bytes_{bank_bytes},
      gate_{cpus_, seam.clocks, seam.others}, others_{cpus_.size()} {
  // The sandboxes' start and the correctness phase have spent some of the job's time; what is left bounds the
  // plan.
  budget_s_ = std::min(budget_s_, 0.4 * task.limits.run_s);
}

status timing::measure_floor() {
  call_outcome loading;
  const auto& smallest = workloads_.front().shapes;
  auto process = open_driver::start(
      seam_, seam_.limits(task_, "-", caller::memory_for(task_.what, smallest, 1, false), cpus_), loading);
  if (!process)
    return process.error();
  if (loading.end != call_end::done)
    return failure{failure_kind::device, "the empty kernel did not start: " + loading.why, true};
  caller nothing{*std::move(process), task_.what, false, random_.next()};
  nothing.bind(smallest, 1);
  std::vector<double> samples, gaps;
  for (int i = 0; i < 14; ++i) {
    auto said = nothing.run({}, nullptr, false, 5);
    if (said.call.end != call_end::done)
      return failure{failure_kind::device, "the empty kernel did not answer: " + said.call.why, true};
    if (i < 3)
      continue;
    samples.push_back(said.call.ns);
    gaps.push_back(said.call.late_s);
  }
  floor_ns_ = median_of(samples);
  bands_ = seam_.bands();
  if (bank_bytes_ == 0)
    bank_bytes_ = bands_.bank_bytes;
  floor_gap_s_ = median_of(gaps);
  return ok;
}

double timing::most_slots(timed_workload& w, const bank_slot& like, double& redraw_s) {
  double share = 1.0 / static_cast<double>(workloads_.size()),
         memory = share * static_cast<double>(bank_bytes_),
         seconds = share * budget_s_ * bank_share / static_cast<double>(plan_.looks.front().launches);
  auto in_time = [&](double slot_s) { return std::min(1 + seconds / std::max(slot_s, 1e-6), 4096.0); };
  if (by_reference_)
    return in_time(redraw_s);
  double whole = memory / static_cast<double>(like.bytes()), drawn = in_time(truths_.slot_s());
  if (whole >= drawn)
    return drawn;
  auto again_s = truths_.redraw_s(like, w.shapes);
  if (!again_s)
    return whole;
  double truths = memory / static_cast<double>(std::max<std::size_t>(like.truth_bytes(), 1)),
         redrawn = std::min(truths, in_time(truths_.slot_s() + *again_s));
  if (redrawn <= whole)
    return whole;
  w.redraws = true;
  redraw_s = *again_s;
  return redrawn;
}

failure timing::lost(const timed_workload& w) const {
  return {failure_kind::device,
          "the reference failed on workload " + w.shapes.name +
              " while slots were made: " + truths_.why_unfit(),
          true};
}

/// `shorter`: of a call of the two, beyond the floor, ns.
double timing::calls_per_order(const timed_workload& w, double shorter, std::size_t slot_bytes) const {
  auto args = w.shapes.shapes.size() + task_.what.scalars.size() + task_.what.dims.size();
  double calls = 1;
  if (shorter < std::max(short_in_floors * floor_ns_, bands_.least_order_ns))
    calls = std::ceil(std::max(floors_per_sample * floor_ns_, bands_.least_order_ns) / shorter);
  calls =
      std::min(calls, std::floor(static_cast<double>(bands_.slot_memory) / static_cast<double>(slot_bytes)));
  calls = std::min(calls, static_cast<double>(seam_.most_timed_calls(args)));
  return std::clamp(calls, 1.0, task_.plan == measure_plan::rank ? 64.0 : 128.0);
}

/// As many pairs of a launch as its time and its inputs are enough for.
std::uint32_t timing::pairs_of(double in_time, double in_memory) const {
  double pairs =
      std::clamp(in_time, static_cast<double>(plan_.least_pairs), static_cast<double>(plan_.pairs));
  return static_cast<std::uint32_t>(std::max(fewest_pairs, std::min(pairs, in_memory)));
}

/// Decides calls per order, pairs per launch and the size of the bank from what the kernels cost.
result<std::vector<bank_slot>> timing::sampled(timed_workload& w) {
  if (auto used = truths_.use(w.shapes); !used)
    return used.error();
  auto sample = truths_.make(distribution::init, by_reference_ ? 1 : 2); // else they are part of the bank
  if (!sample)
    return sample.error();
  drawn_for_ = &w;
  if (sample->empty())
    return lost(w);
  if (!task_.baseline.empty()) {
    auto ns = baseline_ns(task_, seam_, w.shapes, sample->front(), cpus_, random_.next());
    if (!ns)
      return ns.error();
    w.reference_ns = *ns;
  }
  return sample;
}

status timing::prepare(timed_workload& w) {
  auto sample = sampled(w);
  if (!sample)
    return sample.error();
  double slot_s = 0; // of one whose inputs are drawn for an order
  if (by_reference_) {
    if (auto s = set_rules(w, sample->front()); !s)
      return s;
    auto own_s = own_slot_s(w);
    if (!own_s)
      return own_s.error();
    slot_s = *own_s;
  }
  double most_slots = this->most_slots(w, sample->front(), slot_s);
  plan_orders(w, most_slots, slot_s);
  auto bytes = (std::size_t{w.calls} * (w.pairs + 1) + w.warm) * sample->front().bytes(); // few need few
  double room = static_cast<double>(bank_bytes_) / static_cast<double>(workloads_.size());
  w.redraws = by_reference_ || (w.redraws && static_cast<double>(bytes) > room);
  if (!by_reference_)
    w.bank = *std::move(sample); // the first launch's, as far as it goes
  return ok;
}

void timing::plan_orders(timed_workload& w, double most_slots, double slot_s) {
  double share = 1.0 / static_cast<double>(workloads_.size()),
         reference = std::max(w.reference_ns - floor_ns_, 200.0),
         candidate = std::max(w.candidate_ns - floor_ns_, 200.0);
  auto slot_bytes = caller::memory_for(task_.what, w.shapes, 1, false);
  double calls = calls_per_order(w, std::min(reference, candidate), slot_bytes),
         copy_ns = static_cast<double>(slot_bytes) * (w.is_mixed() ? bands_.mix_ns : bands_.copy_ns);
  if (calls > 1)
    copy_ns *= 2; // and what lies at the places that no call is given
  double launches = static_cast<double>(plan_.looks.front().launches), least = plan_.least_pairs,
         launch_ns = launch_s() * 1e9, call_ns = reference + candidate + copy_ns + 1e9 * slot_s;
  most_slots = std::min(most_slots, 1 + overtime * launch_ns / call_ns);
  if (calls * (least + 1) > most_slots) { // a device's short orders say little, however many there are
    double enough = bands_.fewest_pairs_ns / std::min(reference, candidate),
           few = std::min(enough, std::floor(most_slots / (fewest_pairs + 1)));
    calls = std::max({1.0, std::floor(most_slots / (least + 1)), std::min(calls, std::floor(few))});
  }
  double pair_ns = calls * call_ns + 10 * floor_ns_ + 4e5;
  if (!deck_.empty())
    pair_ns *= 1 + interlude_turn::certain_share(static_cast<std::uint32_t>(calls));
  w.calls = static_cast<std::uint32_t>(calls);
  w.warm = task_.plan == measure_plan::rank ? least_warm : most_warm;
  w.pairs = pairs_of(launch_ns / pair_ns, std::floor(most_slots / calls) - 1);
  w.interludes =
      static_cast<std::uint32_t>(std::min(std::ceil(static_cast<double>(deck_.kinds()) * share / launches),
                                          std::ceil(interlude_turn::certain_share(w.calls) * w.pairs)));
}

status timing::refill(timed_workload& w) {
  auto start = steady::now();
  // One order beside those that are timed, for the first launch; later ones take what the launch before had.
  bool first = w.filler.empty();
  std::size_t wanted = std::size_t{w.calls} * w.pairs + singles(w) + w.warm + (first ? w.calls : 0),
              kept = std::min<std::size_t>(2 * std::size_t{w.calls}, w.bank.size());
  if (!first) {
    w.filler.assign(std::make_move_iterator(w.bank.end() - static_cast<std::ptrdiff_t>(kept)),
                    std::make_move_iterator(w.bank.end()));
    w.bank.clear();
  }
  if (auto s = draw_bank(w, wanted); !s)
    return s;
  if (first) {
    auto from = w.bank.end() - static_cast<std::ptrdiff_t>(w.calls);
    w.filler.assign(std::make_move_iterator(from), std::make_move_iterator(w.bank.end()));
    w.bank.erase(from, w.bank.end());
  }
  std::vector<bank_slot*> fillers;
  fillers.reserve(w.filler.size());
  for (auto& slot : w.filler)
    fillers.push_back(&slot);
  if (auto s = w.is_mixed() ? ok : draw_inputs(fillers, w.shapes); !s)
    return s;
  w.order.resize(w.bank.size());
  std::iota(w.order.begin(), w.order.end(), std::size_t{0});
  random_.shuffle(w.order);
  w.next = 0;
  bank_s_ += seconds_since(start);
  return ok;
}

status timing::draw_bank(timed_workload& w, std::size_t wanted) {
  if (by_reference_ && w.bank.size() < wanted) {
    auto more = truths_.undrawn(wanted - w.bank.size());
    for (auto& slot : more)
      truths_.draw_scalars(slot);
    std::move(more.begin(), more.end(), std::back_inserter(w.bank));
  }
  while (w.bank.size() < wanted) {
    if (drawn_for_ != &w)
      if (auto s = truths_.use(w.shapes); !s)
        return s;
    drawn_for_ = &w;
    auto count = wanted - w.bank.size();
    if (w.redraws) // or all of their inputs would be there at once
      count = std::min<std::size_t>(count, truth_source::batch_of(task_.what, w.shapes));
    auto more = truths_.make(distribution::init, count);
    if (!more)
      return more.error();
    if (more->empty())
      return lost(w);
    std::move(more->begin(), more->end(), std::back_inserter(w.bank));
    used(w);
  }
  return ok;
}

void timing::used(timed_workload& w) {
  for (auto& slot : w.bank)
    if (w.redraws && !slot.inputs.empty()) {
      if (by_reference_)
        slot.inputs = {}; // nobody draws it again
      else
        truth_source::let_go(slot);
    }
}

status timing::draw_inputs(std::span<bank_slot* const> slots, const bound_shapes& shapes) {
  std::vector<status> drawn(slots.size(), ok);
  ke::side_by_side(slots.size(), truths_.draws_apart() ? 1 : slots.size(),
                   [&](std::size_t from, std::size_t to) {
                     for (auto i = from; i < to; ++i)
                       drawn[i] = truths_.restore(*slots[i], shapes);
                   });
  for (const auto& s : drawn)
    if (!s)
      return s;
  return ok;
}

result<std::vector<const bank_slot*>> timing::take(timed_workload& w, std::size_t n) {
  auto start = steady::now();
  used(w);
  std::vector<const bank_slot*> slots;
  auto first = w.next;
  w.next += n;
  std::vector<bank_slot*> taken;
  taken.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    taken.push_back(&w.bank[w.order[first + i]]);
  if (auto s = w.is_mixed() ? ok : draw_inputs(taken, w.shapes); !s)
    return s.error();
  slots.assign(taken.begin(), taken.end());
  bank_s_ += seconds_since(start);
  return slots;
}

/// What it still worked after its answer, beyond what the empty kernel's process does, belongs to its time.
/// So does a result in memory that nobody has written (fresh pages of zeros, the input's own pages under
/// another address): who reads it would pay, and so it is paid for as a copy.
double timing::charged_ns(const caller::outcome& said) const {
  double idle_s = bands_.idle_floors * floor_gap_s_ + bands_.idle_s;
  double late_s = hides_late_work(said) ? 0 : std::max(0.0, said.call.late_s - idle_s);
  bool priced = said.unwritten > 0 && bands_.unwritten_ns != nullptr;
  return late_s * 1e9 + (priced ? bands_.unwritten_ns(said.unwritten) : 0);
}

double with_unwritten(double own_ns, double share, double reference_ns) {
  return own_ns + share * reference_ns;
}

void timing::charge(const caller::outcome& said) {
  ++orders_;
  wall_s_ += said.call.ns * 1e-9;
  cpu_s_ += said.call.cpu_s;
  if (!hides_late_work(said))
    gaps_.push_back(said.call.late_s);
  hidden_.push_back(said.call.ns - said.call.driver_ns);
  order_ns_.push_back(said.call.ns);
}

/// The baseline failed while it was timed: not the candidate's fault.
void timing::baseline_failed(evidence& found, const caller::outcome& said) {
  found.ending = ending::harness_error;
  found.reason = "the baseline failed while it was timed: " + said.call.why;
}

std::optional<timing::both_said> timing::ask_both(evidence& found, const side_by_side& sides,
                                                  std::span<const bank_slot* const> slots,
                                                  const bound_shapes& shapes, const poison* rubbish,
                                                  const double (&limits)[2], std::int64_t& counter) {
  both_said said;
  int first = static_cast<int>(random_.below(2));
  for (int side : {first, 1 - first}) {
    bool is_candidate = side == 1;
    bool look = is_candidate && random_.below(looked_at_one_in) == 0;
    auto& by = is_candidate ? sides.candidate : sides.reference;
    auto& one = is_candidate ? said.candidate : said.baseline;
    one = by.run(slots, rubbish, task_.what.policy.cold_cache, limits[side], look);
    if (one.call.end != call_end::done) {
      if (is_candidate)
        (void)note_call(found, task_.what, by, one, slots, shapes, counter);
      else
        baseline_failed(found, one);
      return std::nullopt;
    }
    own_cpu_s_ += one.call.awake_s;
  }
  return said;
}

std::optional<timing::both_said> timing::right_pair(evidence& found, const side_by_side& sides,
                                                    std::span<const bank_slot* const> slots,
                                                    const timed_workload& w, const double (&limits)[2],
                                                    std::int64_t& counter) {
  auto said = ask_both(found, sides, slots, w.shapes, w.rubbish.get(), limits, counter);
  if (!said)
    return std::nullopt;
  auto allowed = allowed_by(sides, said->candidate, slots, w);
  bool right =
      note_call(found, task_.what, sides.candidate, said->candidate, slots, w.shapes, counter, allowed);
  return right ? said : std::nullopt;
}

bool timing::uncounted(evidence& found, const side_by_side& sides, std::span<const bank_slot* const> slots,
                       const timed_workload& w, double limit) {
  return right_pair(found, sides, slots, w, {limit, limit}, found.cases).has_value();
}

bool timing::in_another_form(evidence& found, const side_by_side& sides,
                             std::span<const bank_slot* const> slots, const interludes::scene& scene,
                             const timed_workload& w, double limit) {
  auto calls = static_cast<std::uint32_t>(slots.size());
  if (!sides.reference.bind(scene.shapes, calls, scene.misaligned) ||
      !sides.candidate.bind(scene.shapes, calls, scene.misaligned))
    return true; // no room for it
  const auto* rubbish = scene.rubbish.get();
  // A baseline that compiles itself would do so for shapes that nobody is timed on.
  if (task_.compile_s > 0 && scene.shapes.dims != w.shapes.dims) {
    auto said = sides.candidate.run(slots, rubbish, task_.what.policy.cold_cache, limit);
    own_cpu_s_ += said.call.awake_s;
    return note_call(found, task_.what, sides.candidate, said, slots, scene.shapes, found.cases);
  }
  auto said = ask_both(found, sides, slots, scene.shapes, rubbish, {limit, limit}, found.cases);
  return said &&
         note_call(found, task_.what, sides.candidate, said->candidate, slots, scene.shapes, found.cases);
}

bool timing::interlude(evidence& found, const side_by_side& sides, const timed_workload& w) {
  ++interludes_;
  auto [scene, slots] = deck_.deal(w.shapes, 1 + random_.below(std::min(w.calls, interludes::most_calls)));
  bool usual_form = !scene.misaligned && scene.shapes.dims == w.shapes.dims;
  if (usual_form) { // an order like those that are timed, some of whose inputs are not
    for (const auto& f : w.filler)
      if (slots.size() < w.calls)
        slots.push_back(&f);
    random_.shuffle(slots);
  }
  double limit = order_limit(task_.limits, slots.size(), std::max(w.reference_ns, w.candidate_ns));
  if (usual_form)
    return uncounted(found, sides, slots, w, limit);
  if (!in_another_form(found, sides, slots, scene, w, limit))
    return false;
  // Other shapes leave other data and other code in the caches: a usual call, which does not count, comes
  // before the next that does.
  const bank_slot* usual[] = {&w.filler[random_.below(w.filler.size())]};
  (void)sides.reference.bind(w.shapes, w.calls);
  (void)sides.candidate.bind(w.shapes, w.calls);
  return uncounted(found, sides, usual, w, limit);
}

result<bool> timing::warm_up(evidence& found, const side_by_side& sides, timed_workload& w) {
  auto warm_start = steady::now();
  std::uint32_t calm = 0;
  double before = 0;
  bool cold = task_.what.policy.cold_cache;
  for (std::uint32_t i = 0;
       i < w.warm && !(i >= least_warm && (calm >= 5 || seconds_since(warm_start) > warm_s)); ++i) {
    auto slots = take(w, 1);
    if (!slots)
      return slots.error();
    auto a = sides.reference.run(*slots, w.rubbish.get(), cold, limit_of(w, false));
    if (a.call.end != call_end::done)
      return baseline_failed(found, a), false;
    auto b = sides.candidate.run(*slots, w.rubbish.get(), cold, limit_of(w, true));
    auto allowed = allowed_by(sides, b, *slots, w);
    if (!note_call(found, task_.what, sides.candidate, b, *slots, w.shapes, found.cases, allowed))
      return false;
    own_cpu_s_ += a.call.awake_s + b.call.awake_s;
    double both = a.call.ns + b.call.ns;
    calm = std::fabs(both - before) < steady_within * before ? calm + 1 : 0;
    before = both;
  }
  return true;
}

double timing::limit_of(const timed_workload& w, bool of_candidate) const {
  return of_candidate ? order_limit(task_.limits, w.calls, w.candidate_ns)
                      : order_limit(baseline_limits(task_), w.calls, w.reference_ns);
}

bool timing::timed_pair(evidence& found, const side_by_side& sides, const timed_workload& w,
                        std::span<const bank_slot* const> slots, double (&ns)[2]) {
  found.timed_calls += w.calls;
  auto said =
      right_pair(found, sides, slots, w, {limit_of(w, false), limit_of(w, true)}, found.timed_calls_checked);
  if (!said)
    return false;
  const auto& [usual, own] = *said;
  candidate_s_ += own.call.ns * 1e-9;
  if (!within_time(found, task_.limits, candidate_s_, w.shapes.name))
    return false;
  charge(own);
  unwritten_ += own.unwritten;
  path_.push_back(usual.call.ns - usual.call.driver_ns);
  usual_gaps_.push_back(usual.call.late_s);
  ns[0] = (usual.call.ns + charged_ns(usual)) / w.calls;
  ns[1] = std::max((own.call.ns + charged_ns(own)) / w.calls,
                   with_unwritten(own.call.ns / w.calls, share_of_results(own.unwritten, w), ns[0]));
  return true;
}

double timing::share_of_results(std::uint64_t pages, const timed_workload& w) const {
  double bytes = 0;
  for (std::size_t t = 0; t < w.shapes.elements.size(); ++t)
    if (const auto& tensor = task_.what.tensors[t]; tensor.role != tensor_role::in)
      bytes +=
          static_cast<double>(w.calls) * static_cast<double>(w.shapes.elements[t] * bytes_of(tensor.dtype));
  auto unwritten = static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return std::clamp(unwritten / std::max(bytes, 1.0), 0.0, 1.0);
}

bool timing::interlude_now(evidence& found, const side_by_side& sides, const timed_workload& w,
                           interlude_turn& turn) {
  auto start = steady::now();
  if (!interlude(found, sides, w))
    return false;
  turn.spent_on_interlude(seconds_since(start));
  interludes_s_ += seconds_since(start);
  (void)gate_.disturbed();
  return true;
}

result<bool> timing::measure(evidence& found, const side_by_side& sides, timed_workload& w,
                             single_calls& alone) {
  if (auto warm = warm_up(found, sides, w); !warm || !*warm)
    return warm;
  launch_samples samples;
  samples.workload = w.index;
  interlude_turn turn{w.pairs, w.interludes, random_};
  (void)gate_.disturbed();
  const auto begun = steady::now();
  for (std::uint32_t i = 0; i < w.pairs; ++i) {
    if (samples.reference_ns.size() >= plan_.least_pairs && seconds_since(begun) > overtime * launch_s())
      break; // its orders take longer than they should
    if (!deck_.empty() && turn.due(i) && !interlude_now(found, sides, w, turn))
      return false;
    auto pair_start = steady::now();
    auto slots = take(w, w.calls);
    if (!slots)
      return slots.error();
    double ns[2] = {0, 0}; // baseline, candidate
    if (!timed_pair(found, sides, w, *slots, ns))
      return false;
    turn.spent_on_pair(seconds_since(pair_start));
    // The host took the processor away, or the heat its speed: not a sample of these kernels. As many as a
    // launch needs are kept in any case.
    if (gate_.disturbed() && samples.reference_ns.size() + (w.pairs - i - 1) >= plan_.least_pairs) {
      ++discarded_;
      continue;
    }
    samples.reference_ns.push_back(ns[0]);
    samples.candidate_ns.push_back(ns[1]);
    if (auto one = calls_alone(w) ? single_pairs(found, sides, w, alone) : result<bool>{true}; !one || !*one)
      return one;
  }
  auto control = control_ratios(samples.reference_ns);
  control_.back().insert(control_.back().end(), control.begin(), control.end());
  found.launches.push_back(std::move(samples));
  return true;
}

status timing::run(evidence& found) {
  auto start = steady::now();
  if (auto s = measure_floor(); !s)
    return s;
  found.floor_ns = floor_ns_;
  for (auto& w : workloads_) {
    if (auto s = prepare(w); !s)
      return s;
    found.counters[counter_keys::calls_per_order_of + w.shapes.name] = w.calls;
    found.counters[counter_keys::bank_slots_of + w.shapes.name] =
        static_cast<double>(w.calls) * w.pairs + singles(w) + w.warm;
  }
  bank_s_ = seconds_since(start);
  note_sentinel(found, counter_keys::sentinel_before_of);
  std::uint32_t last = plan_.looks.back().launches;
  for (std::uint32_t l = 0; l < last; ++l) {
    if (auto s = calm_launch(found); !s)
      return s;
    if (!is_sound(found))
      break;
    found.aa_width = std::max(task_.aa_width, control_width(control_, task_.plan));
    auto so_far =
        compare(found.launches, task_.what, task_.plan, found.aa_width, floor_ns_, note_noise(found));
    if (so_far.final || seconds_since(start) > 0.7 * task_.limits.run_s)
      break;
  }
  note_sentinel(found, counter_keys::sentinel_after_of);
  note_work(found);
  flag_integrity(found);
  return ok;
}

} // namespace ke
