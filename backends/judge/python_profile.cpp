#include "backends/judge/python_profile.hpp"

#include "backends/judge/python_payload.hpp"
#include "backends/judge/timing.hpp"
#include "backends/torch_profile.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>

namespace ke {
namespace {

constexpr std::size_t summary_bytes = 48u << 10; ///< at the end of the shared memory: a length, then the text
constexpr std::size_t names_bytes = 512u << 10;

/// The operators that PyTorch has, from a process that has run nobody's source.
std::set<std::string, std::less<>> operator_names(const judge_task& task, const std::vector<int>& cpus) {
  auto how = driver_for(task, "", names_bytes, cpus);
  how.payload = python_payload(task, python_role::operators, 0, cpus);
  call_outcome loading;
  auto process = driver_process::start(how, loading);
  std::set<std::string, std::less<>> names;
  if (!process || loading.end != call_end::done)
    return names;
  const auto* text = reinterpret_cast<const char*>((*process)->memory());
  std::istringstream lines{std::string{text, std::find(text, text + names_bytes, '\0')}};
  for (std::string line; std::getline(lines, line);)
    names.insert(line);
  return names;
}

} // namespace

void profile_python(const judge_task& task, const bound_shapes& shapes, const bank_slot& slot,
                    const std::vector<int>& cpus, evidence& found) {
  auto bytes = caller::memory_for(task.what, shapes, 1, false);
  auto how = driver_for(task, task.candidate, bytes + summary_bytes, cpus);
  how.payload = "profile " + std::to_string(bytes) + '\n' + how.payload;
  call_outcome loading;
  auto process = driver_process::start(how, loading);
  if (!process || loading.end != call_end::done)
    return;
  const auto* memory = (*process)->memory();
  caller by{*std::move(process), task.what, false, secret_key()};
  if (!by.bind(shapes, 1))
    return;
  const bank_slot* slots[] = {&slot};
  for (int order = 0; order < 2; ++order) // the first one warms up, the second is profiled
    if (by.run(slots, nullptr, false, task.limits.call_s).call.end != call_end::done)
      return;
  std::uint32_t length = 0;
  std::memcpy(&length, memory + bytes, sizeof length);
  length = std::min<std::uint32_t>(length, summary_bytes - sizeof length);
  std::string text{reinterpret_cast<const char*>(memory + bytes + sizeof length), length};
  found.findings["profiler"] = with_known_names(text, operator_names(task, cpus));
}

} // namespace ke
