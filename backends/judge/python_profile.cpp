#include "backends/judge/python_profile.hpp"

#include "backends/evidence/kernel_launches.hpp"
#include "backends/evidence/torch_profile.hpp"
#include "backends/judge/compiled_baseline.hpp"
#include "backends/judge/drivers/python_driver.hpp"
#include "backends/judge/library_calls.hpp"
#include "backends/judge/python_payload.hpp"
#include "backends/judge/timing.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>

namespace ke {
namespace {

constexpr std::size_t summary_bytes = 48u << 10; ///< at the end of the shared memory: a length, then the text
constexpr std::size_t names_bytes = 512u << 10;

/// The operators that PyTorch has, from a process that has run nobody's source.
library_operators operators_here(const judge_task& task, const std::vector<int>& cpus) {
  auto how = python_driver.limits(task, "", names_bytes, cpus);
  how.payload = python_payload(task, python_role::operators, 0, cpus);
  call_outcome loading;
  auto process = open_driver::start(python_driver, how, loading);
  if (!process || loading.end != call_end::done)
    return {};
  std::string text(names_bytes, '\0');
  python_driver.read(process->state(), 0, text);
  text.resize(std::min(text.find('\0'), text.size()));
  return operators_of(text);
}

/// A process whose calls are profiled, once it has been called as often as one that is timed: who counts his
/// calls, the time or how often his inputs move learns nothing.
class profiled_process {
public:
  profiled_process(const driver_seam& seam, const judge_task& task, const std::string& object,
                   const profiled_inputs& with, const std::vector<int>& cpus)
      : task_{task}, slot_{with.slot}, bytes_{caller::memory_for(task.what, with.shapes, 1, false)} {
    auto how = seam.limits(task, object, bytes_ + summary_bytes, cpus);
    how.payload = "profile " + std::to_string(bytes_) + "\nquiet " + std::to_string(with.usual_calls) + '\n' +
                  how.payload;
    call_outcome loading;
    auto process = open_driver::start(seam, how, loading);
    if (!process || loading.end != call_end::done)
      return;
    by_ = std::make_unique<caller>(*std::move(process), task.what, false, secret_key());
    by_->move_between_orders();
    by_->mix_from(with.pools);
    bool alive = by_->bind(with.shapes, 1);
    for (std::uint32_t i = 0; alive && i < with.usual_calls; ++i)
      alive = call();
    if (!alive)
      by_.reset();
  }

  /// What the profiler said of the fastest of so many calls; empty if one of them fails.
  std::string fastest(int calls) {
    std::string best;
    for (int i = 0; i < calls; ++i) {
      if (!by_ || !call())
        return {};
      std::uint32_t length = 0;
      std::memcpy(&length, by_->read(bytes_, sizeof length).data(), sizeof length);
      length = std::min<std::uint32_t>(length, summary_bytes - sizeof length);
      auto text = by_->read(bytes_ + sizeof length, length);
      if (best.empty() || call_us(text) < call_us(best))
        best = std::move(text);
    }
    return best;
  }

private:
  bool call() {
    slot_.key = keys_.next(); // where inputs are mixed: others each time, as while it is timed
    const bank_slot* slots[] = {&slot_};
    return by_->run(slots, nullptr, false, task_.limits.call_s).call.end == call_end::done;
  }

  const judge_task& task_;
  bank_slot slot_;
  std::size_t bytes_;
  random_source keys_{secret_key()};
  std::unique_ptr<caller> by_;
};

std::string sentence(const handed_over& fused) {
  std::string names;
  for (std::size_t i = 0; i < fused.names.size() && i < 3; ++i)
    names += (i ? ", " : "") + fused.names[i];
  char text[400];
  std::snprintf(
      text, sizeof text,
      "the operator is handed to PyTorch's own %.200s, which the reference does not call: %.0f%% of "
      "the time of all operators, and policy.vendor_libraries = false",
      names.c_str(), 100 * std::min(1.0, fused.of_operators));
  return text;
}

} // namespace

void profile_python(const driver_seam& seam, const judge_task& task, const profiled_inputs& with,
                    const std::vector<int>& cpus, evidence& found) {
  constexpr int again = 4; // calls of whom is suspected: one that was interrupted says little
  constexpr int looks = 4; // with these as many as driver.py has profilers
  constexpr double hint = 0.1;
  profiled_process candidate{seam, task, task.candidate, with, cpus};
  auto text = candidate.fastest(1);
  if (text.empty())
    return;
  if (auto launches = launches_in(text); !launches.empty())
    found.provenance[provenance_keys::launches] = launches;
  auto known = operators_here(task, cpus);
  // The reference through torch.compile is what was asked for, whatever PyTorch makes of it.
  bool bound = !task.what.policy.vendor_libraries && !is_compiling(task, task.source);
  for (int i = 1; i < looks && bound; ++i) {
    if (fused_calls(text, {}, known).of_operators > hint)
      break;
    if (auto other = candidate.fastest(1); !other.empty()) // it may do so in some of its calls
      text = std::move(other);
  }
  if (bound && fused_calls(text, {}, known).of_operators > hint) {
    auto once = with;
    once.usual_calls = 1;
    auto reference = profiled_process{seam, task, task.reference, once, cpus}.fastest(1);
    auto calm = fused_calls(text, reference, known).names.empty() ? std::string{} : candidate.fastest(again);
    if (auto fused = fused_calls(calm, reference, known); !reference.empty() && fused.all()) {
      found.ending = ending::policy_violation;
      found.reason = sentence(fused);
    }
  }
  std::set<std::string, std::less<>> names;
  for (const auto& [name, families] : known)
    names.insert(name);
  found.findings[finding_keys::profiler] = with_known_names(text, names);
}

} // namespace ke
