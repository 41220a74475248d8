#include "backends/judge/session.hpp"

#include "backends/judge/call_notes.hpp"
#include "backends/judge/checked_sizes.hpp"
#include "backends/judge/compiled_baseline.hpp"
#include "backends/judge/fake_answers.hpp"
#include "backends/judge/left_out.hpp"
#include "backends/judge/processors.hpp"
#include "backends/judge/python_payload.hpp"
#include "backends/judge/spoiled_answers.hpp"
#include "backends/judge/stopwatch.hpp"
#include "backends/judge/timing.hpp"
#include "backends/judge/truth.hpp"
#include "backends/verdict/statistics.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ke {
namespace {

class session {
public:
  session(judge_task task, const driver_seam& seam)
      : task_{std::move(task)}, seam_{seam}, what_{task_.what}, plan_{plan_of(task_.plan)},
        bank_{std::make_shared<truth_bank>(task_.bank)}, random_{secret_key()}, of_bank_{bank_->key()},
        sizes_{task_.most_elements} {
    if (task_.weights != 0 && bank_->keeps())
      task_.weights = bank_->key() | 1;
  }
  evidence run();

private:
  status correctness();
  /// Before anything is checked: whether the check is worth it at each workload's own sizes.
  status admit_workloads();
  status check_shapes(const bound_shapes& shapes, bool thorough);
  /// Edge inputs and misaligned tensors on the smallest workload, then edge shapes.
  status edges();
  /// As many of the kinds as `limit_s` pays for; the first three in any case, unless the time of the whole
  /// measurement runs short.
  status edge_inputs(const bound_shapes& shapes, const std::vector<edge_kind>& kinds, double limit_s = 1e9);
  /// What is tried where it costs much must leave time for the measurement, however slow the machine is.
  bool in_time() const { return seconds_since(start_) < 0.25 * task_.limits.run_s; }
  status misaligned(const bound_shapes& shapes);
  /// What is tried on the smallest workload, at the largest one's size, as far as time allows.
  status at_full_size();
  status beside(const bound_shapes& shapes);
  /// In processes of their own whose inputs are views of other strides, where the problem allows them.
  status strided(const bound_shapes& shapes);
  bool sound() const {
    return found_.ending == ending::finished && !found_.failed && !found_.nondeterministic &&
           found_.flags.empty() && found_.unfit.empty();
  }
  /// Gives the candidate one order over `slots` and checks it. False: what follows is pointless.
  bool call(std::span<const bank_slot> slots, const bound_shapes& shapes);
  void repeat(std::span<const bank_slot> slots, const bound_shapes& shapes, int times);
  /// False: what follows is pointless.
  bool usual_row(std::span<const bank_slot> slots, const bound_shapes& shapes, usual_rows& rows);
  /// Seconds of a call and what the judge does for it: by the fastest one, which no load on the machine moves.
  double call_s() const { return std::max(candidate_ns_ * 1e-9 + 1e-3, order_s_); }
  /// For an interlude, where calls are timed.
  void keep(const bound_shapes& shapes, const bank_slot& slot, bool misaligned = false) {
    if (task_.timed)
      unusual_.keep(shapes, rubbish_, slot, misaligned);
  }
  status start_candidate();
  /// By the driver, of a candidate that was right.
  status profile();
  /// As often as a process is called that is timed, within two seconds.
  std::uint32_t calls_of_a_launch(const timed_workload& w) const;
  std::size_t memory_for_all(bool wide) const;

  judge_task task_;
  const driver_seam& seam_;
  const problem& what_;
  sampling_plan plan_;
  std::shared_ptr<truth_bank> bank_;
  random_source random_, of_bank_; ///< of_bank_: what is the same in all judgements with this bank, shapes
  checked_sizes sizes_;
  evidence found_;
  std::vector<timed_workload> timed_;
  std::vector<bound_shapes> shapes_, secret_, edge_;
  std::optional<bound_shapes> beside_; ///< the largest workload: as large, but of odd extents
  std::size_t smallest_ = 0;           ///< of shapes_, but for those of few elements, where there are others
  std::size_t survived_ = 0;           ///< secret shapes that are shapes of the problem
  std::vector<int> cpus_;
  std::optional<truth_source> truths_;
  std::unique_ptr<caller> candidate_;
  std::shared_ptr<const poison> rubbish_;
  interludes unusual_; ///< what it was right on, for unasked calls while it is timed
  double candidate_ns_ = 0;
  double order_s_ = 0;     ///< of the fastest call on these shapes, with all that the judge did for it
  double candidate_s_ = 0; ///< all its calls while it is checked: what else takes time is not its fault
  admission admission_{what_};
  std::string accepted_; ///< of work left out, by a workload's own check: the first; empty: none
  steady::time_point start_ = steady::now();
  bool admitted_ = false; ///< all that the admission needs has been tried
};

std::size_t session::memory_for_all(bool wide) const {
  std::size_t most = 0;
  for (const auto* list : {&shapes_, &secret_, &edge_})
    for (const auto& s : *list)
      most = std::max(most, caller::memory_for(what_, s, truth_source::batch_of(what_, s), wide));
  if (beside_)
    most = std::max(most, caller::memory_for(what_, *beside_, truth_source::batch_of(what_, *beside_), wide));
  return most;
}

status session::start_candidate() {
  call_outcome loading;
  auto process =
      open_driver::start(seam_, seam_.limits(task_, task_.candidate, memory_for_all(false), cpus_), loading);
  if (!process)
    return process.error();
  if (loading.end != call_end::done) {
    note_ending(found_, loading, loading.why);
    found_.log += process->log();
    return ok;
  }
  if (loading.left != 0)
    found_.provenance[provenance_keys::left_changed] = text_of_left(loading.left) + ", while it was loaded";
  candidate_ = std::make_unique<caller>(*std::move(process), what_, false, random_.next());
  return ok;
}

bool session::call(std::span<const bank_slot> slots, const bound_shapes& shapes) {
  // The first call of a shape goes alone: as long as nobody knows what one takes, a hang would be given the
  // limit of each call of the order.
  if (candidate_ns_ <= 0 && slots.size() > 1)
    return call(slots.first(1), shapes) && call(slots.subspan(1), shapes);
  std::vector<const bank_slot*> order;
  for (const auto& slot : slots)
    order.push_back(&slot);
  double limit = order_limit(task_.limits, order.size(), candidate_ns_);
  auto begun = steady::now();
  auto said = candidate_->run(order, rubbish_.get(), false, limit);
  if (said.call.end == call_end::done)
    for (auto [fastest, all] : {std::pair{&candidate_ns_, said.call.ns}, {&order_s_, seconds_since(begun)}})
      *fastest = std::min(*fastest > 0 ? *fastest : 1e300, all / static_cast<double>(order.size()));
  candidate_s_ += said.call.ns * 1e-9;
  if (!note_call(found_, what_, *candidate_, said, order, shapes, found_.cases))
    return false;
  return within_time(found_, task_.limits, candidate_s_, shapes.name);
}

void session::repeat(std::span<const bank_slot> slots, const bound_shapes& shapes, int times) {
  bool was_wrong = found_.failed > 0;
  auto before = found_;
  for (int i = 0; i < times; ++i) {
    auto failed = found_.failed;
    auto flags = found_.flags.size();
    bool alive = call(slots, shapes);
    // No answer, neither right nor wrong.
    if (found_.ending != ending::finished || found_.flags.size() > flags)
      break;
    if (was_wrong != (found_.failed > failed)) {
      found_.nondeterministic = true;
      break;
    }
    if (!alive && !was_wrong)
      break;
  }
  if (was_wrong) { // the repetitions are a diagnosis, not further failures
    bool differs = found_.nondeterministic;
    auto flags = std::move(found_.flags);
    found_ = std::move(before);
    found_.nondeterministic = differs;
    found_.flags = std::move(flags);
  }
}

bool session::usual_row(std::span<const bank_slot> slots, const bound_shapes& shapes, usual_rows& rows) {
  for (auto calls = rows.next(random_, call_s()); calls > 0; --calls)
    if (!call(slots.subspan(random_.below(slots.size()), 1), shapes))
      return false;
  return true;
}

status session::check_shapes(const bound_shapes& shapes, bool thorough) {
  if (auto s = truths_->use(shapes); !s)
    return s;
  // Few outputs say little about the reference's error, so more inputs are looked at.
  std::size_t outputs = 0;
  for (std::size_t t = 0; t < what_.tensors.size(); ++t)
    if (what_.tensors[t].role != tensor_role::in)
      outputs += shapes.elements[t];
  std::size_t usual = outputs <= 4096 ? 6 : outputs <= (1u << 18) ? 2 : 1;
  auto samples = sizes_.samples(std::min<std::size_t>(truth_source::batch_of(what_, shapes), usual));
  if (!candidate_->bind(shapes, static_cast<std::uint32_t>(samples)))
    return failure{failure_kind::internal, "the shared memory is too small for " + shapes.name};
  rubbish_.reset();
  candidate_ns_ = order_s_ = 0;

  std::vector<bank_slot> first;
  auto list = shapes.secret ? std::vector{distribution::init, distribution::large, distribution::mostly_zero}
                            : std::vector{distribution::init, distribution::uniform, distribution::large,
                                          distribution::small, distribution::mostly_zero};
  if (goes_beyond(what_))
    list.push_back(distribution::beyond);
  for (auto d : list) {
    auto slots = truths_->make(d, samples);
    if (!slots)
      return slots.error();
    if (d == distribution::init && !slots->empty() && !shapes.secret && !truths_->repeatable(*slots)) {
      found_.unfit = truths_->why_unfit();
      return ok;
    }
    if (shapes.secret && d == distribution::init && !slots->empty()) {
      if (!truths_->stands_by(*slots))
        return ok; // what it reads beside its tensors is no truth
      ++survived_;
    }
    if (slots->empty()) {
      if (d == distribution::init) {
        if (!shapes.secret)
          found_.unfit = truths_->failed_on_workload();
        return ok; // a secret shape that the reference does not survive is no shape of the problem
      }
      if (auto s = truths_->use(shapes); !s) // the reference may have died of it
        return s;
      continue;
    }
    if (!rubbish_)
      rubbish_ = std::make_shared<const poison>(what_, truths_->reference_outputs(), random_);
    if (!shapes.secret)
      admission_.add(slots->back(), shapes, truths_->reference_outputs());
    if (&shapes == &shapes_[smallest_]) { // after the first distribution, what has passed by luck
      auto spoiled = admission_.spoil(slots->back(), shapes);
      if (auto done = enter_spoiled_answers(admission_, *truths_, slots->back(), spoiled, shapes); !done)
        return done.error();
    }
    if (!call(*slots, shapes)) {
      if (found_.ending == ending::finished && found_.failed > 0)
        repeat(*slots, shapes, 4);
      return ok;
    }
    if (d != distribution::init || shapes.secret)
      keep(shapes, slots->front());
    if (d == distribution::init)
      first = *std::move(slots);
  }
  admitted_ = admitted_ || &shapes == &shapes_[smallest_];
  if (!thorough || first.empty())
    return ok;
  first.resize(1);
  auto changed = truths_->perturbed(first[0], distribution::init);
  if (!changed)
    return changed.error();
  if (!changed->empty() && (!call(first, shapes) || !call(*changed, shapes)))
    return ok;
  double most_s = task_.plan == measure_plan::rank ? 0.1 : 1.0;
  repeat(first, shapes, static_cast<int>(std::clamp(most_s / call_s(), 3.0, 20.0)));
  return ok;
}

status session::admit_workloads() {
  for (const auto& shapes : shapes_) {
    if (auto s = truths_->use(shapes); !s)
      return s;
    auto seen = try_left_out_work(*truths_, what_, shapes, 0.02 * task_.limits.run_s);
    if (!seen)
      return seen.error();
    if (!*seen) {
      found_.unfit = truths_->failed_on_workload();
      return ok;
    }
    accepted_ = (*seen)->verdict();
    if (!accepted_.empty())
      return ok;
  }
  return ok;
}

status session::correctness() {
  if (auto s = admit_workloads(); !s || !found_.unfit.empty())
    return s;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    if (auto s = check_shapes(shapes_[i], true); !s)
      return s;
    if (found_.ending != ending::finished || found_.failed || found_.nondeterministic ||
        !found_.flags.empty() || !found_.unfit.empty())
      return ok;
    timed_[i].reference_ns = truths_->reference_ns();
    timed_[i].candidate_ns = candidate_ns_;
    timed_[i].call_s = call_s();
    timed_[i].rubbish = std::move(rubbish_);
    if (timed_[i].rubbish == nullptr)
      return ok;
  }
  for (const auto& s : secret_) {
    if (auto st = check_shapes(s, false); !st)
      return st;
    if (found_.ending != ending::finished || found_.failed || !found_.flags.empty())
      return ok;
  }
  return edges();
}

status session::edge_inputs(const bound_shapes& shapes, const std::vector<edge_kind>& kinds, double limit_s) {
  if (auto s = truths_->use(shapes); !s)
    return s;
  if (!candidate_->bind(shapes, 1))
    return failure{failure_kind::internal, "the shared memory is too small for " + shapes.name};
  auto usual = truths_->make(distribution::init, 2);
  if (!usual)
    return usual.error();
  if (usual->empty())
    return ok; // a shape that the reference does not survive is none of the problem
  if (shapes.secret && !truths_->stands_by(*usual))
    return ok; // nor is one where it answers by what lies beside its inputs: a row of nothing
  rubbish_ = std::make_shared<const poison>(what_, truths_->reference_outputs(), random_);
  order_s_ = 0;
  usual_rows rows{task_.timed && task_.plan != measure_plan::rank ? 1.0 : 0.3};
  const auto begun = steady::now();
  const bool limited = limit_s < task_.limits.run_s;
  for (std::size_t tried = 0; auto kind : kinds) {
    if (limited && (!in_time() || (++tried > 3 && seconds_since(begun) > limit_s)))
      return ok;
    auto slots = truths_->edge(kind);
    if (!slots)
      return slots.error();
    if (slots->empty())
      if (auto s = truths_->use(shapes); !s)
        return s;
    for (const auto& slot : *slots) {
      found_.counters[counter_keys::edge_cases] += 1;
      if (!usual_row(*usual, shapes, rows))
        return ok;
      if (!call({&slot, 1}, shapes)) {
        if (found_.ending != ending::finished)
          found_.reason += " (inputs: " + slot.distribution + ")";
        return ok;
      }
      keep(shapes, slot);
    }
  }
  return ok;
}

status session::misaligned(const bound_shapes& shapes) {
  auto slots = truths_->make(distribution::init, 1);
  if (!slots || slots->empty())
    return slots ? ok : status{slots.error()};
  if (!candidate_->bind(shapes, 1, true))
    return failure{failure_kind::internal, "the shared memory is too small for " + shapes.name};
  slots->front().distribution = "misaligned";
  if (!call(*slots, shapes) && found_.ending != ending::finished)
    found_.reason += " (tensors are aligned to their elements only)";
  keep(shapes, slots->front(), true);
  return ok;
}

status session::strided(const bound_shapes& shapes) {
  constexpr int kinds = 3; // of views, as layouts.py has them
  if (std::none_of(what_.tensors.begin(), what_.tensors.end(), [](const auto& t) { return t.any_strides; }))
    return ok;
  if (auto s = truths_->use(shapes); !s)
    return s;
  auto slots = truths_->make(distribution::init, kinds);
  if (!slots)
    return slots.error();
  for (std::size_t kind = 0; kind < slots->size(); ++kind) {
    auto& slot = (*slots)[kind];
    slot.distribution = "strided";
    auto how = seam_.limits(task_, task_.candidate, caller::memory_for(what_, shapes, 1, false), cpus_);
    how.payload = "strides " + std::to_string(kind) + '\n' + how.payload;
    call_outcome loading;
    auto process = open_driver::start(seam_, how, loading);
    if (!process)
      return process.error();
    if (loading.end != call_end::done) {
      note_ending(found_, loading, loading.why);
      return ok;
    }
    caller by{*std::move(process), what_, false, random_.next()};
    if (!by.bind(shapes, 1))
      return failure{failure_kind::internal, "the shared memory is too small for " + shapes.name};
    const bank_slot* order[] = {&slot};
    found_.counters[counter_keys::strided_cases] += 1;
    if (!note_call(found_, what_, by, by.run(order, nullptr, false, task_.limits.call_s), order, shapes,
                   found_.cases)) {
      if (found_.ending != ending::finished)
        found_.reason += " (inputs are views that are not contiguous)";
      return ok;
    }
  }
  return ok;
}

status session::beside(const bound_shapes& shapes) {
  if (auto s = truths_->use(shapes); !s)
    return s;
  auto slots = truths_->make(distribution::init, 1);
  if (!slots)
    return slots.error();
  if (slots->empty() || !truths_->stands_by(*slots))
    return ok; // no shape of the problem
  ++survived_;
  rubbish_ = std::make_shared<const poison>(what_, truths_->reference_outputs(), random_);
  candidate_ns_ = order_s_ = 0;
  for (bool misaligned : {false, true}) {
    if (!candidate_->bind(shapes, 1, misaligned))
      return failure{failure_kind::internal, "the shared memory is too small for " + shapes.name};
    if (misaligned)
      slots->front().distribution = "misaligned";
    if (!call(*slots, shapes)) {
      if (misaligned && found_.ending != ending::finished)
        found_.reason += " (tensors are aligned to their elements only)";
      return ok;
    }
    keep(shapes, slots->front(), misaligned);
  }
  return ok;
}

status session::at_full_size() {
  auto largest = *largest_where(shapes_);
  // A shape beside it: a draw, some four calls of the reference in both of its forms. By its fastest call,
  // which no load on the machine moves.
  const double most_s = 0.05 * task_.limits.run_s;
  if (beside_ && in_time() && 16e-9 * timed_[largest].reference_ns <= most_s)
    if (auto s = beside(*beside_); !s || !sound())
      return s;
  auto kinds = edges_of(what_);
  if (is_kernelbench(what_) && shapes_.size() == 1)
    return ok;
  auto cheap = largest_where(shapes_, [&](std::size_t i) { // all kinds
    return i != smallest_ && elements_of(shapes_[i]) <= (std::size_t{1} << 20) &&
           8e-9 * static_cast<double>(kinds.size()) * timed_[i].reference_ns <= 0.02 * task_.limits.run_s;
  });
  if (cheap)
    if (auto s = edge_inputs(shapes_[*cheap], kinds); !s || !sound())
      return s;
  if (largest == smallest_ || largest == cheap || !in_time() ||
      3 * 16e-9 * timed_[largest].reference_ns > 2 * most_s)
    return ok;
  of_bank_.shuffle(kinds);
  // What most kernels that look at a part of their inputs only, or at none, get wrong.
  std::partition(kinds.begin(), kinds.end(), [](edge_kind k) {
    return k == edge_kind::one_huge || k == edge_kind::nan || k == edge_kind::infinity;
  });
  return edge_inputs(shapes_[largest], kinds, most_s / 2);
}

status session::edges() {
  const auto& smallest = shapes_[smallest_];
  auto kinds = edges_of(what_);
  double cost_s = 8e-9 * static_cast<double>(kinds.size()) * timed_[smallest_].reference_ns;
  // A reference of seconds, as KernelBench has them: what all of the edges cost would be the candidate's
  // time. By its fastest call, which no load on the machine moves.
  if (is_kernelbench(what_) && cost_s > 0.1 * task_.limits.run_s)
    kinds.resize(std::min<std::size_t>(kinds.size(), 1));
  if (auto s = edge_inputs(smallest, kinds); !s || !sound())
    return s;
  if (auto s = misaligned(smallest); !s || !sound())
    return s;
  if (auto s = strided(smallest); !s || !sound())
    return s;
  // What is right at the edges of a small size need not be so at the usual one, where other blocks are taken.
  if (auto s = at_full_size(); !s || !sound())
    return s;
  for (const auto& e : edge_)
    if (auto s = edge_inputs(e, {edge_kind::plain}); !s || !sound())
      return s;
  return ok;
}

std::uint32_t session::calls_of_a_launch(const timed_workload& w) const {
  constexpr double most_s = 2, untimed_calls = 40, beside_the_pairs = 1.25;
  double calls = w.pairs > 0 ? beside_the_pairs * w.calls * (w.pairs + w.warm) : untimed_calls;
  return static_cast<std::uint32_t>(std::clamp(most_s / w.call_s, 1.0, calls));
}

status session::profile() {
  auto& first = timed_.front();
  auto before = calls_of_a_launch(first);
  if (!first.bank.empty()) {
    if (auto s = truths_->restore(first.bank.front(), first.shapes); !s)
      return s;
    seam_.profile(task_, first.shapes, first.bank.front(), cpus_, before, found_);
    return ok;
  }
  if (task_.timed || what_.policy.vendor_libraries || !sound()) // nobody asks how it was made
    return ok;
  if (auto s = truths_->use(first.shapes); !s)
    return s;
  auto slots = truths_->make(distribution::init, 1);
  if (slots && !slots->empty())
    seam_.profile(task_, first.shapes, slots->front(), cpus_, before, found_);
  return slots ? ok : status{slots.error()};
}

evidence session::run() {
  start_ = steady::now();
  found_.timed = task_.timed;
  found_.provenance = task_.provenance;
  found_.aa_width = task_.aa_width;
  auto machine = [&](const failure& f) {
    note_failure(found_, f);
    return found_;
  };
  for (std::uint32_t i = 0; i < what_.workloads.size(); ++i) {
    const auto& w = what_.workloads[i];
    if (w.held_out && !plan_.held_out)
      continue;
    auto bound = bind_shapes(what_, w.name, w.dims);
    if (!bound)
      return machine(bound.error());
    timed_workload t;
    t.index = i;
    t.shapes = sizes_.of(what_, *std::move(bound));
    shapes_.push_back(t.shapes);
    timed_.push_back(std::move(t));
  }
  if (shapes_.empty())
    return machine({failure_kind::invalid, "problem " + what_.name + " has no workload to judge"});
  smallest_ = smallest_of(shapes_);
  secret_ = secret_shapes(what_, of_bank_, sizes_.of_secrets());
  edge_ = edge_shapes(what_, shapes_[smallest_].dims);
  beside_ = shape_beside(what_, shapes_[*largest_where(shapes_)], of_bank_);
  if (is_compiling(task_, task_.source)) { // as a baseline it is called on the workloads' shapes alone
    secret_.clear();
    edge_.clear();
    beside_.reset();
  }
  cpus_ = cpus_for(what_.policy.threads);
  truths_.emplace(task_, seam_, memory_for_all(false), memory_for_all(true), cpus_, bank_);
  if (auto s = start_candidate(); !s)
    return machine(s.error());
  const bool loaded = candidate_ != nullptr;
  if (candidate_) {
    if (auto s = correctness(); !s)
      return machine(s.error());
    if (auto s = truths_->trouble(); !s) {
      found_.unfit.clear(); // it was not the reference that failed
      return machine(s.error());
    }
    found_.log += candidate_->log();
    if (seam_.files && sound())
      task_.candidate_files = candidate_->files();
    if (found_.unfit.empty() && admitted_) // zeros and the like are told before what is subtler
      found_.unfit = admission_.verdict();
    if (found_.unfit.empty())
      found_.unfit = accepted_;
  }
  const bool real = std::any_of(what_.tensors.begin(), what_.tensors.end(), [](const tensor_spec& t) {
    return t.role != tensor_role::in && is_floating(t.dtype);
  }); // whole numbers are compared with the reference's own
  found_.provenance[provenance_keys::truth] =
      real && truths_->wide() ? "the reference in wider arithmetic" : "the reference itself";
  found_.provenance[provenance_keys::secret_shapes] = std::to_string(survived_);
  sizes_.tell(found_.provenance);
  candidate_.reset();
  found_.check_s = seconds_since(start_);
  if (sound() && task_.timed) {
    auto timing_start = steady::now();
    timing t{task_, seam_, timed_, unusual_, *truths_, cpus_, random_.next()};
    if (auto s = t.run(found_); !s)
      return machine(s.error());
    found_.time_s = seconds_since(timing_start);
  }
  if (seam_.profile && loaded && found_.ending == ending::finished && !found_.failed)
    if (auto s = profile(); !s)
      return machine(s.error());
  return found_;
}

evidence not_judged(const judge_task& task, const failure& why) {
  evidence found;
  found.provenance = task.provenance;
  found.timed = task.timed;
  note_failure(found, why);
  return found;
}

} // namespace

evidence judge(const judge_task& task) {
  auto seam = wanted_driver(task.driver_kind);
  return seam ? judge(task, **seam) : not_judged(task, seam.error());
}

evidence judge(const judge_task& task, const driver_seam& seam) {
  auto told = seam.complete(task);
  return told ? session{*std::move(told), seam}.run() : not_judged(task, told.error());
}

} // namespace ke
