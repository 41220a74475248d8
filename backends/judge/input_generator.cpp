#include "backends/judge/input_generator.hpp"

#include "backends/judge/drivers/python_driver.hpp"
#include "backends/judge/inputs.hpp"
#include "backends/judge/processors.hpp"
#include "backends/judge/python_payload.hpp"
#include "backends/judge/timing.hpp"

#include <algorithm>
#include <span>

namespace ke {
namespace {

constexpr std::size_t key_at = 0, dims_at = 1, extents_at = 2, made_at = 3; ///< tensors of what_
constexpr std::size_t elements_that_tell = 8;                               ///< fewer may be equal by chance
constexpr int more_keys = 6;                     ///< before all are said to give the same
constexpr double most_share_of_judgement = 0.01; ///< of a judgement's time, for one draw

std::string bytes_of_all(const std::vector<std::int64_t>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]};
}

std::string seconds(double s) {
  return std::to_string(s).substr(0, 4) + " s";
}

} // namespace

input_generator::input_generator(const judge_task& task)
    : task_{task}, alike_(task.what.tensors.size()), varied_(task.what.tensors.size()) {
  for (auto name : {"key", "dims", "extents"})
    what_.tensors.push_back({name, tensor_role::in, dtype::i64, {"1"}, "ints"});
  what_.name = task.what.name;
  what_.policy = task.what.policy;
  what_.reference_language = "python";
  what_.generator = task.what.generator;
  for (std::size_t t = 0; t < task.what.tensors.size(); ++t)
    if (task.what.tensors[t].role != tensor_role::out) {
      tensors_.push_back(t);
      what_.tensors.push_back(task.what.tensors[t]);
      what_.tensors.back().role = tensor_role::out;
      what_.tensors.back().any_strides = false;
    }
}

failure input_generator::unfit(const std::string& why) const {
  std::string where = "workload " + asked_.name;
  if (asked_.secret) {
    where.clear();
    for (const auto& [dim, value] : asked_.dims)
      where += (where.empty() ? "" : ", ") + dim + " = " + std::to_string(value);
  }
  return {failure_kind::invalid, "make() of the generator inputs.py, on " + where + ": " + why};
}

status input_generator::start(std::size_t memory) {
  judge_task own;
  own.what = what_;
  auto how = python_driver.limits(task_, "", memory, {});
  std::string names, dims;
  for (auto t : tensors_)
    names += ' ' + task_.what.tensors[t].name;
  for (const auto& d : task_.what.dims)
    dims += ' ' + d;
  how.payload = "names" + names + "\ndims" + dims + '\n' +
                python_payload(own, python_role::generator, 0, cpus_for(what_.policy.threads));
  how.load_s = task_.limits.run_s / 2;
  call_outcome loading;
  auto process = open_driver::start(python_driver, how, loading);
  if (!process)
    return process.error();
  if (loading.end == call_end::machine)
    return failure{failure_kind::device, loading.why, true};
  if (loading.end != call_end::done)
    return failure{failure_kind::invalid, "the generator inputs.py cannot be loaded: " + loading.why};
  process_ = std::make_unique<caller>(*std::move(process), what_, false, secret_key());
  memory_ = memory;
  return ok;
}

status input_generator::bind(const bound_shapes& shapes) {
  if (process_ && asked_.dims == shapes.dims)
    return ok;
  asked_ = shapes;
  draw_s_ = work_s_ = 0;
  auto dims = static_cast<std::int64_t>(task_.what.dims.size());
  std::int64_t extents = 0;
  for (auto t : tensors_)
    extents += static_cast<std::int64_t>(shapes.shapes[t].size());
  shapes_ = {};
  shapes_.name = shapes.name;
  for (auto n : {std::int64_t{1}, dims, extents}) {
    shapes_.shapes.push_back({n});
    shapes_.elements.push_back(static_cast<std::size_t>(n));
  }
  for (auto t : tensors_) {
    shapes_.shapes.push_back(shapes.shapes[t]);
    shapes_.elements.push_back(shapes.elements[t]);
  }
  auto memory = caller::memory_for(what_, shapes_, 1, false);
  if (!process_ || memory > memory_)
    if (auto s = start(memory); !s)
      return s;
  if (!process_->bind(shapes_, 1))
    return failure{failure_kind::internal, "the shared memory is too small for " + shapes.name};
  return ok;
}

result<input_generator::inputs> input_generator::one(std::uint64_t key) {
  bank_slot request;
  request.inputs.resize(what_.tensors.size());
  request.inputs[key_at].assign(reinterpret_cast<const char*>(&key), sizeof key);
  std::vector<std::int64_t> dims, extents;
  for (const auto& d : task_.what.dims)
    dims.push_back(asked_.dims.at(d));
  for (auto t : tensors_)
    extents.insert(extents.end(), asked_.shapes[t].begin(), asked_.shapes[t].end());
  request.inputs[dims_at] = bytes_of_all(dims);
  request.inputs[extents_at] = bytes_of_all(extents);
  const bank_slot* slot = &request;
  auto limit = task_.limits.run_s / 2;
  auto said = process_->run(std::span{&slot, 1}, nullptr, false, limit);
  if (said.call.end != call_end::done)
    process_.reset();
  if (said.call.end == call_end::machine)
    return failure{failure_kind::device, said.call.why, true};
  if (said.call.end == call_end::timeout)
    return unfit("it does not return within " + seconds(limit));
  if (said.call.end != call_end::done || !said.call.why.empty())
    return unfit(said.call.why);
  auto least = [](double& known, double now) { known = known > 0 ? std::min(known, now) : now; };
  least(draw_s_, said.call.ns * 1e-9);
  least(work_s_, std::min(said.call.ns * 1e-9, said.call.cpu_s)); // whatever else the machine does
  inputs made(task_.what.tensors.size());
  for (std::size_t k = 0; k < tensors_.size(); ++k)
    made[tensors_[k]] = process_->output(0, k + made_at);
  return made;
}

status input_generator::tried() {
  if (asked_.secret || !tried_.insert(asked_.dims).second)
    return ok;
  auto key = random_.next() >> 2;
  auto first = one(key), other = first ? one(random_.next() >> 2) : first, again = other ? one(key) : other;
  if (!again)
    return again.error();
  for (auto t : tensors_)
    if ((*first)[t] != (*again)[t])
      return unfit("asked again with the same key it returns another " + task_.what.tensors[t].name +
                   "; whatever it draws must come of the key");
  if (work_s_ > most_share_of_judgement * task_.limits.run_s)
    return unfit("it takes " + seconds(work_s_) + ", and a judgement of " + seconds(task_.limits.run_s) +
                 " draws dozens of inputs: draw by whole tensors, or make the workload smaller");
  bool differs = false;
  for (int more = 0; more <= more_keys && !differs; ++more) {
    if (more > 0) {
      other = one(random_.next() >> 2);
      if (!other)
        return other.error();
    }
    bool empty = true;
    for (auto t : tensors_) {
      differs = differs || (*first)[t] != (*other)[t];
      empty = empty && (*first)[t].empty();
    }
    if (empty)
      return ok;
  }
  if (!differs)
    return unfit("it returns the same inputs for every key, so that a kernel may have the results built in; "
                 "draw them by the key");
  for (auto t : tensors_)
    if (asked_.elements[t] >= elements_that_tell)
      ((*first)[t] == (*other)[t] ? alike_ : varied_)[t] = 1;
  return ok;
}

result<std::vector<std::string>> input_generator::draw(const bound_shapes& shapes, std::uint64_t key) {
  if (auto s = bind(shapes); !s)
    return s.error();
  if (auto s = tried(); !s)
    return s.error();
  return one(key >> 2); // whole numbers of every language
}

std::vector<std::string> input_generator::same_for_all_keys() const {
  std::vector<std::string> names;
  for (auto t : tensors_)
    if (alike_[t] && !varied_[t])
      names.push_back(task_.what.tensors[t].name);
  return names;
}

} // namespace ke
