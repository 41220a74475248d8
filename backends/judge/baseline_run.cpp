#include "backends/judge/baseline_run.hpp"

#include "backends/judge/compiled_baseline.hpp"
#include "backends/judge/timing.hpp"

#include <algorithm>

namespace ke {

result<double> baseline_ns(const judge_task& task, const driver_seam& seam, const bound_shapes& shapes,
                           const bank_slot& slot, const std::vector<int>& cpus, std::uint64_t key) {
  auto failed = [&](const std::string& why) {
    return failure{failure_kind::device,
                   "the baseline failed on workload " + shapes.name + ": " + why + "; is it right?", true};
  };
  call_outcome loading;
  auto memory = caller::memory_for(task.what, shapes, 1, false);
  auto process = open_driver::start(seam, seam.limits(task, timed_against(task), memory, cpus), loading);
  if (!process)
    return process.error();
  if (loading.end != call_end::done)
    return failed("it did not load: " + loading.why);
  caller one{*std::move(process), task.what, false, key};
  if (!one.bind(shapes, 1))
    return failure{failure_kind::internal, "the shared memory is too small for " + shapes.name};
  double fastest = 0;
  for (int i = 0; i < 3; ++i) {
    const bank_slot* slots[] = {&slot};
    auto said = one.run(slots, nullptr, false, order_limit(baseline_limits(task), 1, 0));
    if (said.call.end != call_end::done)
      return failed(said.call.why);
    fastest = fastest > 0 ? std::min(fastest, said.call.ns) : said.call.ns;
  }
  return fastest;
}

} // namespace ke
