#include "backends/judge/launch_pair.hpp"

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/baseline_run.hpp"
#include "backends/judge/call_notes.hpp"
#include "backends/judge/secret_random.hpp"

#include <string>
#include <utility>

namespace ke {

result<std::optional<launch_pair>> start_pair(const judge_task& task, const driver_seam& seam,
                                              std::size_t memory, const std::vector<int>& cpus,
                                              random_source& random, evidence& found) {
  const std::string objects[] = {timed_against(task), task.candidate};
  std::optional<open_driver> processes[2];
  auto first = random.below(2); // who starts first may be faster by a hair
  for (auto side : {first, 1 - first}) {
    auto begun = open_driver::begin(seam, seam.limits(task, objects[side], memory, cpus));
    if (!begun)
      return begun.error();
    processes[side].emplace(*std::move(begun));
  }
  std::optional<launch_pair> none;
  if (auto loading = processes[0]->load(); loading.end != call_end::done)
    return failure{failure_kind::device, "the baseline did not load: " + loading.why, true};
  if (auto loading = processes[1]->load(); loading.end != call_end::done) {
    note_ending(found, loading, loading.why);
    return none;
  }
  return std::optional{launch_pair{{*std::move(processes[0]), task.what, false, random.next()},
                                   {*std::move(processes[1]), task.what, false, random.next()}}};
}

} // namespace ke
