#include "backends/judge/session.hpp"

#include "backends/judge/call_notes.hpp"
#include "backends/judge/compiled_baseline.hpp"
#include "backends/judge/processors.hpp"
#include "backends/judge/python_payload.hpp"
#include "backends/judge/session_state.hpp"
#include "backends/verdict/statistics.hpp"
#include "runtime/core/evidence_keys.hpp"

namespace ke {

std::size_t session::memory_for_all(bool wide) const {
  std::size_t most = 0;
  for (const auto* list : {&shapes_, &secret_, &edge_})
    for (const auto& s : *list)
      most = std::max(most, caller::memory_for(what_, s, truth_source::batch_of(what_, s), wide));
  for (const auto* one : {&beside_, &reduced_})
    if (*one)
      most = std::max(most, caller::memory_for(what_, **one, truth_source::batch_of(what_, **one), wide));
  return most;
}

status session::start_candidate() {
  auto time = times_.of("start");
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

std::uint32_t session::calls_of_a_launch(const timed_workload& w) const {
  constexpr double most_s = 2, untimed_calls = 40, beside_the_pairs = 1.25;
  double calls = w.pairs > 0 ? beside_the_pairs * w.calls * (w.pairs + w.warm) : untimed_calls;
  return static_cast<std::uint32_t>(std::clamp(most_s / w.call_s, 1.0, calls));
}

status session::profile() {
  auto time = times_.of("profile");
  auto& first = timed_.front();
  auto before = calls_of_a_launch(first);
  if (!first.bank.empty()) {
    const auto* pools = first.mixed.pools.empty() ? nullptr : &first.mixed;
    if (auto s = pools ? ok : truths_->restore(first.bank.front(), first.shapes); !s)
      return s;
    seam_.profile(task_, {first.shapes, first.bank.front(), pools, before}, cpus_, found_);
    return ok;
  }
  if (task_.timed || what_.policy.vendor_libraries || !sound()) // nobody asks how it was made
    return ok;
  if (auto s = truths_->use(first.shapes); !s)
    return s;
  auto slots = truths_->make(distribution::init, 1);
  if (slots && !slots->empty())
    seam_.profile(task_, {first.shapes, slots->front(), nullptr, before}, cpus_, found_);
  return slots ? ok : status{slots.error()};
}

status session::draw_shapes() {
  for (std::uint32_t i = 0; i < what_.workloads.size(); ++i) {
    const auto& w = what_.workloads[i];
    if (w.held_out && !plan_.held_out)
      continue;
    auto bound = bind_shapes(what_, w.name, w.dims);
    if (!bound)
      return bound.error();
    timed_workload t;
    t.index = i;
    t.shapes = sizes_.of(what_, *std::move(bound));
    shapes_.push_back(t.shapes);
    timed_.push_back(std::move(t));
  }
  if (shapes_.empty())
    return failure{failure_kind::invalid, "problem " + what_.name + " has no workload to judge"};
  smallest_ = smallest_of(shapes_);
  secret_ = secret_shapes(what_, of_bank_, sizes_.of_secrets());
  edge_ = edge_shapes(what_, shapes_[smallest_].dims);
  if (task_.plan == measure_plan::rank && elements_of(shapes_[smallest_]) > most_elements_of_all_edges)
    reduced_ = smaller_shape(what_, shapes_[smallest_], most_elements_of_all_edges / 4);
  if (reduced_)
    reduced_->secret = true; // a shape that the reference may not survive
  beside_ = shape_beside(what_, shapes_[*largest_where(shapes_)], of_bank_);
  if (is_compiling(task_, task_.source)) { // as a baseline it is called on the workloads' shapes alone
    secret_.clear();
    edge_.clear();
    beside_.reset();
  }
  return ok;
}

/// Correctness, and whether the problem is fit to tell it.
status session::judged() {
  if (auto s = correctness(); !s)
    return s;
  if (auto s = truths_->trouble(); !s) {
    found_.unfit.clear(); // it was not the reference that failed
    return s;
  }
  found_.log += candidate_->log();
  if (seam_.files && sound())
    task_.candidate_files = candidate_->files();
  if (found_.unfit.empty() && admitted_) // zeros and the like are told before what is subtler
    found_.unfit = admission_known_ ? *admission_known_ : admission_.verdict();
  if (found_.unfit.empty())
    found_.unfit = accepted_;
  return ok;
}

void session::note_truth() {
  const bool real = std::any_of(what_.tensors.begin(), what_.tensors.end(), [](const tensor_spec& t) {
    return t.role != tensor_role::in && is_floating(t.dtype);
  }); // whole numbers are compared with the reference's own
  found_.provenance[provenance_keys::truth] = real ? truths_->in_words() : "the reference itself";
  found_.provenance[provenance_keys::secret_shapes] = std::to_string(survived_);
  sizes_.tell(found_.provenance);
}

void session::note_times() {
  for (const auto& [stage, s] : times_.seconds())
    found_.counters[counter_keys::stage_s_of + stage] = s;
  if (double s = times_.beyond_usual_s(); s > 0)
    found_.counters[counter_keys::first_calls_s] = s;
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
  if (auto s = draw_shapes(); !s)
    return machine(s.error());
  cpus_ = cpus_for(what_.policy.threads);
  truths_.emplace(task_, seam_, memory_for_all(false), memory_for_all(true), cpus_, bank_);
  if (auto s = start_candidate(); !s)
    return machine(s.error());
  const bool loaded = candidate_ != nullptr;
  if (auto s = loaded ? judged() : ok; !s)
    return machine(s.error());
  note_truth();
  candidate_.reset();
  found_.check_s = seconds_since(start_);
  if (auto s = seam_.conditions ? seam_.conditions(task_, found_) : ok; !s)
    return machine(s.error());
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
  note_times();
  return found_;
}

namespace {

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
