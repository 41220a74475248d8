// The job of a Python baseline that compiles itself (torch.compile): ke-judge calls it once on each workload,
// and what its compiler left goes to this worker's cache, as a built object of another backend does.
#include "backends/evaluation/evaluation_state.hpp"
#include "backends/evidence/driver_traits.hpp"
#include "backends/evidence/judge_task.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <fstream>

namespace ke {
namespace {

constexpr auto role = static_cast<std::size_t>(build_role::baseline);
constexpr double to_start_s = 60; ///< sandboxes and inputs, before and between what is compiled

} // namespace

bool evaluation::state::compiles_baseline() const {
  const auto* driver_kind = traits_of_driver(with.driver);
  return driver_kind && driver_kind->baseline_compiles && found.timed && is_compiled(baseline_of(what));
}

std::optional<process_spec> evaluation::state::start_preparation(std::size_t job) {
  // PyTorch's own keys decide what it takes from the files; this one need only tell problems and machines
  // apart.
  keys[role] = digest_of_parts({"compiled baseline", problem_digest_of(what), fact(device_facts::toolchain),
                                fact(device_facts::isa), fact(device_facts::cores), target.name, KE_VERSION});
  if (auto hit = cache.find(keys[role]))
    place(build_role::baseline, *hit);
  if (!objects[role].empty()) {
    graph.end(job, true);
    return std::nullopt;
  }
  auto task = task_of_judge();
  task.prepares = true;
  task.limits.call_s = task.compile_s;
  auto spec = judge_spec_of(task);
  spec.deadline = std::chrono::nanoseconds{static_cast<std::int64_t>((task.compile_s + to_start_s) * 1e9)};
  spec.output_limit = 128u << 20;
  return spec;
}

bool evaluation::state::baseline_prepared(const process_exit& exit) {
  if (exit.why.kind != failure_kind::none)
    return fail(exit.why.kind, exit.why.text, true), false;
  if (exit.cancelled)
    return fail(failure_kind::cancelled, "the preparation of the baseline was cancelled"), false;
  if (exit.timed_out) {
    found.unfit = "torch.compile did not end with the reference within " +
                  std::to_string(static_cast<long>(options.limits.build_s)) +
                  " s (build_s of the backend): use baseline = \"eager\"";
    return false;
  }
  auto said = unpack<prepared_baseline>(exit.out, {std::size_t{1} << 28});
  if (exit.code != 0 || !said)
    return fail(failure_kind::internal,
                "ke-judge ended with code " + std::to_string(exit.code) + ", signal " +
                    std::to_string(exit.signal) +
                    " while it prepared the baseline: " + exit.err.substr(0, 400),
                true),
           false;
  if (!said->broken.empty())
    return fail(failure_kind::device, "the baseline can't be prepared: " + said->broken, true), false;
  if (!said->unfit.empty()) {
    found.unfit = said->unfit;
    return false;
  }
  found.build_s = exit.seconds;
  auto file = folder / "prepared";
  std::ofstream out{file, std::ios::binary};
  out << said->compiled;
  if (!out.flush())
    return fail(failure_kind::disk_full, file.string() + " can't be written", true), false;
  place(build_role::baseline, file);
  if (!options.cache.empty())
    (void)cache.put(keys[role], file); // a full cache costs time, not verdicts
  return true;
}

} // namespace ke
