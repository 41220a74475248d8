#include "backends/judge/python_profile.hpp"

#include "backends/judge/python_payload.hpp"
#include "backends/judge/timing.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <sstream>

namespace ke {
namespace {

constexpr std::size_t summary_bytes = 16u << 10; ///< at the end of the shared memory: a length, then the text
constexpr std::size_t most_operators = 10;

bool is_plain(const std::string& name) {
  return !name.empty() && name.size() <= 80 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == ':' || c == '.';
  });
}

} // namespace

std::map<std::string, double> read_profile(std::string_view text) {
  std::map<std::string, double> counters;
  std::istringstream lines{std::string{text.substr(0, summary_bytes)}};
  double total = 0;
  std::size_t taken = 0;
  for (std::string line; taken < most_operators && std::getline(lines, line);) {
    std::istringstream words{line};
    std::string name;
    double self = 0, calls = 0;
    if (line.starts_with("total ")) {
      words >> name >> total;
      if (!words || !std::isfinite(total) || total <= 0)
        return {};
      counters["torch.self_us"] = total;
      continue;
    }
    words >> self >> calls >> name;
    if (!words || !is_plain(name) || !std::isfinite(self) || !std::isfinite(calls) || self < 0 || total <= 0)
      continue;
    ++taken;
    counters["torch.op." + name + ".self_us"] = self;
    counters["torch.op." + name + ".calls"] = calls;
    counters["torch.op." + name + ".share"] = std::min(1.0, self / total);
  }
  return counters;
}

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
  std::string text(reinterpret_cast<const char*>(memory + bytes + sizeof length), length);
  for (auto& [name, value] : read_profile(text))
    found.counters[name] = value;
}

} // namespace ke
