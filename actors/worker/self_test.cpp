#include "actors/worker/self_test.hpp"

#include "actors/worker/steps.hpp"
#include "backends/evaluation/step_rules.hpp"
#include "backends/evidence/driver_traits.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"

namespace ke {

std::shared_ptr<evaluation> self_test_of(const backend& with, const device_info& target,
                                         evaluate_options options) {
  problem p;
  p.name = "self-test";
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::i32, {"N"}, "ints"},
               {"y", tensor_role::out, dtype::i32, {"N"}, "ints"}};
  p.workloads = {{"small", {{"N", 64}}, 1.0, false}};
  p.reference_language = with.reference_language;
  std::string source;
  if (const auto* driver = traits_of_driver(with.driver)) { // without one the evaluation says what is missing
    p.reference = driver->right_reference;
    source = driver->right_kernel;
  }
  options.timed = false;
  options.cache.clear(); // a compiler that is gone must not be hidden by what it built before
  options.limits = with.limits;
  auto judged_only = with;
  std::erase_if(judged_only.jobs, comes_after);
  return std::make_shared<evaluation>(std::move(p), std::move(source), std::move(judged_only), target,
                                      measure_plan::rank, std::move(options));
}

std::string complaint_of(const result<evidence>& found) {
  if (!found)
    return found.error().text;
  if (found->ending != ending::finished || found->failed != 0)
    return "a kernel that is known to be right ended as " + std::string{to_text(found->ending)} +
           (found->reason.empty() ? "" : ": " + found->reason);
  return found->unfit;
}

caf::behavior self_test(caf::event_based_actor* self, caf::actor parent, process_port* processes,
                        std::string device, std::shared_ptr<evaluation> steps) {
  keep_exception_text(self);
  auto item = std::make_shared<assignment>();
  item->device = std::move(device);
  item->steps = std::move(steps);
  auto crew = std::make_shared<step_crew>(self, processes);
  self->attach_functor([crew](const caf::error&) { crew->cancel_all(); });
  self->set_down_handler([=](caf::down_msg& msg) {
    if (crew->lost(msg))
      self->quit(std::move(msg.reason));
  });
  auto go_on = [=] {
    for (auto place : {job_place::shared, job_place::device})
      if (auto jobs = item->steps->ready(place, 1); !jobs.empty())
        return crew->spawn(item, std::move(jobs[0]));
    self->send(parent, self_tested{item->device, complaint_of(item->steps->finish())});
    self->quit();
  };
  self->send(self, begin_steps{});
  return {
      [=](const begin_steps&) { go_on(); },
      [=](const step_process_ended& e) {
        if (crew->ended(e))
          go_on();
      },
  };
}

} // namespace ke
