#include "backends/judge/launch_pair.hpp"

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/baseline_run.hpp"
#include "backends/judge/call_notes.hpp"
#include "backends/judge/secret_random.hpp"

#include <string>
#include <utility>

namespace ke {

result<begun_pair> begin_pair(const judge_task& task, const driver_seam& seam, std::size_t memory,
                              const std::vector<int>& cpus, random_source& random) {
  const std::string objects[] = {timed_against(task), task.candidate};
  std::optional<open_driver> processes[2];
  auto first = random.below(2); // who starts first may be faster by a hair
  for (auto side : {first, 1 - first}) {
    auto begun = open_driver::begin(seam, seam.limits(task, objects[side], memory, cpus));
    if (!begun)
      return begun.error();
    processes[side].emplace(*std::move(begun));
  }
  return begun_pair{*std::move(processes[0]), *std::move(processes[1])};
}

result<std::optional<launch_pair>> load_pair(begun_pair begun, const judge_task& task, random_source& random,
                                             evidence& found) {
  if (auto loading = begun.baseline.load(); loading.end != call_end::done)
    return failure{failure_kind::device, "the baseline did not load: " + loading.why, true};
  if (auto loading = begun.candidate.load(); loading.end != call_end::done) {
    note_ending(found, loading, loading.why);
    return std::optional<launch_pair>{};
  }
  return std::optional{launch_pair{{std::move(begun.baseline), task.what, false, random.next()},
                                   {std::move(begun.candidate), task.what, false, random.next()}}};
}

} // namespace ke
