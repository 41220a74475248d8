#include "backends/judge/truth.hpp"

#include "backends/shim.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ke {
namespace {

constexpr std::size_t distributions = names_of<distribution>::value.size();

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

truth_source::truth_source(const judge_task& task, std::size_t memory, std::size_t wide_memory, std::vector<int> cpus)
    : task_{task}, memory_{memory}, wide_memory_{wide_memory}, cpus_{std::move(cpus)}, random_{secret_key()}, wide_{!task.truth.empty()} {}

status truth_source::start(bool wide) {
  driver_start how;
  how.driver = task_.driver;
  how.object = wide ? task_.truth : task_.reference;
  how.sandbox = task_.sandbox;
  how.memory = wide ? wide_memory_ : memory_;
  how.cpus = cpus_;
  how.threads = task_.what.policy.threads;
  how.memory_bytes = task_.limits.memory_bytes;
  how.processes = task_.limits.processes;
  call_outcome loading;
  auto process = driver_process::start(how, loading);
  if (!process)
    return process.error();
  if (loading.end != call_end::done) {
    if (!wide)
      return failure{failure_kind::device, "the reference could not be loaded: " + loading.why, true};
    wide_ = false; // a truth that does not load is no truth; the reference stands in, and the record says so
    return ok;
  }
  (wide ? truth_ : reference_) = std::make_unique<caller>(*std::move(process), task_.what, wide, random_.next());
  return ok;
}

status truth_source::use(const bound_shapes& shapes) {
  shapes_ = shapes;
  yardstick_.assign(distributions, std::vector<double>(task_.what.tensors.size(), 0.0));
  reference_ns_ = 0;
  unfit_.clear();
  if (!reference_)
    if (auto s = start(false); !s)
      return s;
  if (wide_ && !truth_)
    if (auto s = start(true); !s)
      return s;
  if (!reference_->bind(shapes_, 1) || (wide_ && !truth_->bind(shapes_, 1)))
    return failure{failure_kind::internal, "the shared memory is too small for " + shapes_.name};
  return ok;
}

result<bool> truth_source::compute(const std::vector<std::string>& inputs) {
  if (!reference_) // died on an earlier input of these shapes
    return false;
  bank_slot slot;
  slot.inputs = inputs;
  const bank_slot* one[] = {&slot};
  auto said = reference_->run(one, nullptr, false, task_.limits.run_s);
  if (said.call.end != call_end::done || !said.red_zone.empty() || !said.inputs_changed.empty()) {
    unfit_ = said.call.end != call_end::done ? said.call.why
             : said.red_zone.empty()         ? "it writes its input " + said.inputs_changed
                                             : "it writes outside of " + said.red_zone;
    if (said.call.end != call_end::done)
      reference_.reset();
    return false;
  }
  reference_ns_ = reference_ns_ > 0 ? std::min(reference_ns_, said.call.ns) : said.call.ns;
  outputs_.assign(task_.what.tensors.size(), {});
  for (std::size_t t = 0; t < outputs_.size(); ++t)
    outputs_[t] = reference_->output(0, t);
  if (!wide_)
    return true;
  auto wide = truth_->run(one, nullptr, false, task_.limits.run_s);
  if (wide.call.end != call_end::done) {
    unfit_ = "in wider arithmetic: " + wide.call.why;
    truth_.reset();
    wide_ = false;
    return true;
  }
  wide_outputs_.assign(task_.what.tensors.size(), {});
  for (std::size_t t = 0; t < outputs_.size(); ++t)
    wide_outputs_[t] = truth_->output(0, t);
  return true;
}

comparison_rule truth_source::rule_of(std::size_t tensor, distribution d) const {
  auto rule = rule_for(task_.what, task_.what.tensors[tensor].dtype, wide_);
  if (rule.larger)
    rule.absolute = 32 * yardstick_[static_cast<std::size_t>(d)][tensor];
  return rule;
}

result<bool> truth_source::calibrate(distribution d, int samples) {
  for (int i = 0; i < samples; ++i) {
    auto slot = make(d);
    if (!slot)
      return slot.error();
    if (!*slot)
      return false;
  }
  return true;
}

result<std::optional<bank_slot>> truth_source::make(distribution d) {
  std::vector<std::string> inputs(task_.what.tensors.size());
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    const auto& spec = task_.what.tensors[t];
    if (spec.role == tensor_role::out)
      continue;
    std::size_t last = shapes_.shapes[t].empty() ? 1 : static_cast<std::size_t>(shapes_.shapes[t].back());
    auto drawn = draw_tensor(task_.what, spec, shapes_.elements[t], last, d, random_);
    if (!drawn)
      return drawn.error();
    inputs[t] = *std::move(drawn);
  }
  return complete(std::move(inputs), d);
}

result<std::optional<bank_slot>> truth_source::complete(std::vector<std::string> inputs, distribution d) {
  auto start = std::chrono::steady_clock::now();
  auto computed = compute(inputs);
  if (!computed)
    return computed.error();
  if (!*computed)
    return std::optional<bank_slot>{};
  bank_slot slot;
  slot.inputs = std::move(inputs);
  slot.outputs.resize(slot.inputs.size());
  slot.distribution = to_text(d);
  for (std::size_t t = 0; t < slot.inputs.size(); ++t) {
    const auto& spec = task_.what.tensors[t];
    if (spec.role == tensor_role::in)
      continue;
    if (wide_ && is_floating(spec.dtype)) {
      double error = reference_error(spec.dtype, wide_outputs_[t].data(), true, outputs_[t].data(), shapes_.elements[t]);
      if (error < 0) {
        unfit_ = "the reference and its wider form disagree on which elements of " + spec.name + " are finite";
        return std::optional<bank_slot>{};
      }
      // A wider form that says something else altogether (a reference that plays with bits) is no truth.
      double largest = 0;
      for (std::size_t i = 0; i < shapes_.elements[t]; ++i) {
        double v = std::fabs(element(spec.dtype, outputs_[t].data(), i));
        largest = std::isfinite(v) ? std::max(largest, v) : largest;
      }
      if (d == distribution::init && !shapes_.secret && error > 0.01 * largest && error > 0.01) {
        wide_ = false;
        truth_.reset();
        return complete(std::move(slot.inputs), d);
      }
      auto& yard = yardstick_[static_cast<std::size_t>(d)][t];
      yard = std::max(yard, error);
    }
  }
  for (std::size_t t = 0; t < slot.inputs.size(); ++t) {
    const auto& spec = task_.what.tensors[t];
    if (spec.role == tensor_role::in)
      continue;
    auto rule = rule_of(t, d);
    bool from_wide = wide_ && is_floating(spec.dtype) && !rule.exact;
    slot.outputs[t] = expect(spec.dtype, from_wide ? wide_outputs_[t].data() : outputs_[t].data(), from_wide, shapes_.elements[t], rule);
  }
  slot_s_ = seconds_since(start);
  return std::optional<bank_slot>{std::move(slot)};
}

result<std::optional<bank_slot>> truth_source::perturbed(const bank_slot& slot, distribution d) {
  auto inputs = slot.inputs;
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < inputs.size(); ++t)
    if (task_.what.tensors[t].role != tensor_role::out)
      order.push_back(t);
  for (std::size_t tries = 0; tries < 4 && !order.empty(); ++tries) {
    std::size_t t = order[random_.below(order.size())];
    if (perturb_one(task_.what.tensors[t], inputs[t], random_))
      return complete(std::move(inputs), d);
  }
  return std::optional<bank_slot>{};
}

} // namespace ke
