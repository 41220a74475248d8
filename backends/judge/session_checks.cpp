#include "backends/judge/call_notes.hpp"
#include "backends/judge/left_out.hpp"
#include "backends/judge/python_payload.hpp"
#include "backends/judge/session_state.hpp"
#include "backends/judge/spoiled_answers.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ke {
namespace {

constexpr const char* misaligned_inputs = "misaligned"; ///< name of a distribution

/// Few outputs say little about the reference's error, so more inputs are looked at.
std::size_t usual_samples(const problem& what, const bound_shapes& shapes) {
  std::size_t outputs = 0;
  for (std::size_t t = 0; t < what.tensors.size(); ++t)
    if (what.tensors[t].role != tensor_role::in)
      outputs += shapes.elements[t];
  return outputs <= 4096 ? 6 : outputs <= (1u << 18) ? 2 : 1;
}

std::vector<distribution> distributions_for(const problem& what, bool few) {
  auto list = few ? std::vector{distribution::init, distribution::large, distribution::mostly_zero}
                  : std::vector{distribution::init, distribution::uniform, distribution::large,
                                distribution::small, distribution::mostly_zero};
  if (goes_beyond(what))
    list.push_back(distribution::beyond);
  return list;
}

} // namespace

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
  if (said.call.end == call_end::done) {
    auto calls = static_cast<double>(order.size());
    for (auto [fastest, all] : {std::pair{&candidate_ns_, said.call.ns}, {&order_s_, seconds_since(begun)}})
      *fastest = std::min(*fastest > 0 ? *fastest : 1e300, all / calls);
    const bool aligned = order.front()->distribution != misaligned_inputs;
    times_.note_call(aligned ? shapes.name : shapes.name + ' ' + misaligned_inputs, said.asked_s / calls);
  }
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

double session::usual_rows_s(bool limited) const {
  if (task_.plan == measure_plan::rank)
    return limited ? 0.06 : 0.15; // as many again come unasked among the timed calls
  return task_.timed ? 1.0 : 0.3;
}

bool session::usual_row(std::span<const bank_slot> slots, const bound_shapes& shapes, usual_rows& rows) {
  for (auto calls = rows.next(random_, call_s()); calls > 0; --calls)
    if (!call(slots.subspan(random_.below(slots.size()), 1), shapes))
      return false;
  return true;
}

/// Whether what the reference answers to usual inputs is a truth.
bool session::holds(const std::vector<bank_slot>& slots, const bound_shapes& shapes) {
  if (shapes.secret) {
    // One that it does not survive is no shape of the problem, and what it reads beside its tensors no truth.
    bool is_shape = !slots.empty() && truths_->stands_by(slots);
    survived_ += is_shape;
    return is_shape;
  }
  if (slots.empty())
    found_.unfit = truths_->failed_on_workload();
  else if (!truths_->repeatable(slots))
    found_.unfit = truths_->why_unfit();
  else
    return true;
  return false;
}

std::vector<distribution> session::distributions_at(const bound_shapes& shapes) const {
  if (seen_smaller_ && !shapes.secret)
    return {distribution::init};
  return distributions_for(what_, shapes.secret && !(reduced_ && &shapes == &*reduced_));
}

status session::check_smaller() {
  if (!reduced_ || !admission_known_)
    return ok;
  auto survived = std::exchange(survived_, 0);
  auto s = check_shapes(*reduced_, false);
  seen_smaller_ = std::exchange(survived_, survived) > 0;
  return s;
}

status session::check_shapes(const bound_shapes& shapes, bool thorough) {
  if (auto s = truths_->use(shapes); !s)
    return s;
  auto samples = sizes_.samples(
      std::min<std::size_t>(truth_source::batch_of(what_, shapes), usual_samples(what_, shapes)));
  if (!candidate_->bind(shapes, static_cast<std::uint32_t>(samples)))
    return failure{failure_kind::internal, "the shared memory is too small for " + shapes.name};
  rubbish_.reset();
  candidate_ns_ = order_s_ = 0;

  std::vector<bank_slot> first;
  for (auto d : distributions_at(shapes)) {
    auto slots = truths_->make(d, samples);
    if (!slots)
      return slots.error();
    if (d == distribution::init && !holds(*slots, shapes))
      return ok;
    if (slots->empty()) {
      if (auto s = truths_->use(shapes); !s) // the reference may have died of it
        return s;
      continue;
    }
    if (auto s = admit(slots->back(), shapes); !s)
      return s;
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
  if (auto s = end_admission(shapes, first); !s)
    return s;
  if (!thorough || first.empty())
    return ok;
  return check_again(shapes, std::move(first));
}

status session::admit(const bank_slot& slot, const bound_shapes& shapes) {
  if (!rubbish_)
    rubbish_ = std::make_shared<const poison>(what_, truths_->reference_outputs(), random_);
  if (admission_known_)
    return ok;
  if (!shapes.secret)
    admission_.add(slot, shapes, truths_->reference_outputs());
  if (&shapes != &shapes_[smallest_])
    return ok;
  // After the first distribution, what has passed by luck.
  truth_bank::answers_for_once for_once{*bank_};
  auto done = enter_spoiled_answers(admission_, *truths_, slot, admission_.spoil(slot, shapes), shapes);
  return done ? ok : status{done.error()};
}

/// The smallest workload has shown all that an admission looks at, at the usual inputs `drawn` and the others.
status session::end_admission(const bound_shapes& shapes, const std::vector<bank_slot>& drawn) {
  if (&shapes != &shapes_[smallest_])
    return ok;
  admitted_ = true;
  return admission_known_ ? ok : enter_another_draw(admission_, *truths_, drawn, shapes);
}

/// What is asked of one workload alone: a little of the inputs changed, and the same inputs again and again.
status session::check_again(const bound_shapes& shapes, std::vector<bank_slot> first) {
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
  truth_bank::answers_for_once for_once{*bank_};
  for (const auto& shapes : shapes_) {
    if (auto known = truths_->recall_admission(shapes)) {
      accepted_ = *std::move(known);
      if (!accepted_.empty())
        return ok;
      continue;
    }
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
    truths_->keep_admission(accepted_);
    if (!accepted_.empty())
      return ok;
  }
  return ok;
}

std::string session::name_of_admission() const {
  std::vector<std::string_view> parts{"admission of all"};
  for (const auto& shapes : shapes_)
    parts.push_back(shapes.name);
  return content_name(parts);
}

status session::check_workloads() {
  auto time = times_.of("workloads");
  admission_known_ = bank_->find(name_of_admission());
  if (auto s = admit_workloads(); !s || !found_.unfit.empty())
    return s;
  if (auto s = check_smaller(); !s || !sound())
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
  if (admitted_ && !admission_known_)
    bank_->keep(name_of_admission(), admission_.verdict());
  return ok;
}

status session::check_secret_shapes() {
  auto time = times_.of("secret_shapes");
  for (const auto& s : secret_) {
    if (auto st = check_shapes(s, false); !st)
      return st;
    if (found_.ending != ending::finished || found_.failed || !found_.flags.empty())
      return ok;
  }
  return ok;
}

status session::correctness() {
  if (auto s = check_workloads(); !s || !sound() || timed_.back().rubbish == nullptr)
    return s;
  if (auto s = check_secret_shapes();
      !s || found_.ending != ending::finished || found_.failed || !found_.flags.empty())
    return s;
  auto time = times_.of("edges");
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
  const bool limited = limit_s < task_.limits.run_s;
  usual_rows rows{usual_rows_s(limited)};
  const auto begun = steady::now();
  for (std::size_t tried = 0; auto kind : kinds) {
    if (limited && (!in_time() || (++tried > 3 && seconds_since(begun) > limit_s)))
      return ok;
    auto slots = kind == edge_kind::plain ? truths_->edge(kind) : truths_->edge(kind, usual->front());
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

bool session::asks_misaligned(const bank_slot& slot) {
  if (what_.reference_language != "python" || truths_->stands_misaligned(slot))
    return true;
  found_.counters[counter_keys::misaligned_unasked] += 1;
  return false;
}

status session::misaligned(const bound_shapes& shapes) {
  if (auto s = truths_->use(shapes); !s)
    return s;
  auto slots = truths_->make(distribution::init, 1);
  if (!slots || slots->empty())
    return slots ? ok : status{slots.error()};
  if (!asks_misaligned(slots->front()))
    return ok;
  if (!candidate_->bind(shapes, 1, true))
    return failure{failure_kind::internal, "the shared memory is too small for " + shapes.name};
  slots->front().distribution = misaligned_inputs;
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
    if (misaligned && !asks_misaligned(slots->front()))
      break;
    if (!candidate_->bind(shapes, 1, misaligned))
      return failure{failure_kind::internal, "the shared memory is too small for " + shapes.name};
    if (misaligned)
      slots->front().distribution = misaligned_inputs;
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
    return i != smallest_ && elements_of(shapes_[i]) <= most_elements_of_all_edges &&
           8e-9 * static_cast<double>(kinds.size()) * timed_[i].reference_ns <= 0.02 * task_.limits.run_s;
  });
  if (cheap)
    if (auto s = edge_inputs(shapes_[*cheap], kinds); !s || !sound())
      return s;
  if (largest == smallest_ || largest == cheap || !in_time() ||
      3 * 16e-9 * timed_[largest].reference_ns > 2 * most_s)
    return ok;
  return some_edges(shapes_[largest],
                    reduced_ ? 0 : most_s / 2); // of large ones the three that most get wrong
}

status session::some_edges(const bound_shapes& shapes, double limit_s) {
  auto kinds = edges_of(what_);
  of_bank_.shuffle(kinds);
  std::partition(kinds.begin(), kinds.end(), [](edge_kind k) {
    return k == edge_kind::one_huge || k == edge_kind::nan || k == edge_kind::infinity;
  });
  return edge_inputs(shapes, kinds, limit_s);
}

status session::edges_of_smallest() {
  const auto& smallest = shapes_[smallest_];
  auto kinds = edges_of(what_);
  double cost_s = 8e-9 * static_cast<double>(kinds.size()) * timed_[smallest_].reference_ns;
  // A reference of seconds, as KernelBench has them: what all of the edges cost would be the candidate's
  // time. By its fastest call, which no load on the machine moves.
  if (is_kernelbench(what_) && cost_s > 0.1 * task_.limits.run_s)
    kinds.resize(std::min<std::size_t>(kinds.size(), 1));
  if (reduced_) {
    auto before = found_.counters[counter_keys::edge_cases];
    if (auto s = edge_inputs(*reduced_, kinds); !s || !sound())
      return s;
    if (found_.counters[counter_keys::edge_cases] > before) // the reference has answers of its own there
      return some_edges(smallest, 0);
  }
  return edge_inputs(smallest, kinds);
}

status session::edges() {
  const auto& smallest = shapes_[smallest_];
  if (auto s = edges_of_smallest(); !s || !sound())
    return s;
  if (auto s = misaligned(reduced_ && seen_smaller_ ? *reduced_ : smallest); !s || !sound())
    return s; // of a ranked large one at the size beside it alone
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

} // namespace ke
