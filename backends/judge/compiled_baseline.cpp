#include "backends/judge/compiled_baseline.hpp"

#include "backends/judge/baseline_run.hpp"
#include "backends/judge/caller.hpp"
#include "backends/judge/driver_seam.hpp"
#include "backends/judge/input_maker.hpp"
#include "backends/judge/processors.hpp"
#include "backends/judge/python_payload.hpp"
#include "backends/judge/stopwatch.hpp"
#include "backends/judge/timing.hpp"
#include "backends/judge/truth.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

namespace ke {
namespace {

constexpr std::uint64_t does_not_fit = UINT64_MAX;

struct visit {
  const bound_shapes* shapes;
  const std::vector<bank_slot>* slots;
};

class preparation {
public:
  preparation(const judge_task& task, const driver_seam& seam)
      : task_{task}, seam_{seam}, cpus_{cpus_for(task.what.policy.threads)}, begun_{steady::now()} {}

  prepared_baseline run() {
    auto bound = bind_workloads(task_.what);
    if (!bound)
      return unfit(bound.error().text);
    const auto& all = *bound;
    for (const auto& shapes : all) {
      auto slots = inputs_of(shapes);
      if (!said_.unfit.empty() || !said_.broken.empty() || !compile({{&shapes, &slots}}))
        return said_;
    }
    if (all.size() < 2)
      return said_;
    std::vector<std::vector<bank_slot>> inputs;
    std::vector<visit> visits;
    inputs.reserve(all.size());
    for (const auto& shapes : all) {
      inputs.push_back(inputs_of(shapes));
      visits.push_back({&shapes, &inputs.back()});
    }
    if (said_.unfit.empty() && said_.broken.empty())
      compile(visits);
    return said_;
  }

private:
  prepared_baseline& unfit(std::string why) {
    said_.unfit = std::move(why);
    return said_;
  }
  double left_s() const {
    return task_.compile_s - std::chrono::duration<double>(steady::now() - begun_).count();
  }
  std::size_t memory_for(const bound_shapes& shapes, bool wide) const {
    return caller::memory_for(task_.what, shapes, truth_source::batch_of(task_.what, shapes), wide);
  }

  /// Two, as numbers among the arguments may make another case of the second.
  std::vector<bank_slot> inputs_of(const bound_shapes& shapes) {
    auto wide = task_.truth.empty() ? 0 : memory_for(shapes, true);
    truth_source truths{task_, seam_, memory_for(shapes, false), wide, cpus_};
    if (auto s = truths.use(shapes); !s) {
      said_.broken = s.error().text;
      return {};
    }
    auto slots = truths.make(distribution::init, 2);
    if (!slots)
      said_.broken = slots.error().text;
    else if (slots->empty())
      said_.unfit = truths.failed_on_workload();
    return slots ? *std::move(slots) : std::vector<bank_slot>{};
  }

  /// One process on all of these; false: it failed.
  bool compile(const std::vector<visit>& visits) {
    std::size_t bytes = 0;
    for (const auto& v : visits)
      bytes = std::max(bytes, caller::memory_for(task_.what, *v.shapes, 1, false));
    auto how = seam_.limits(task_, timed_against(task_), bytes + most_compiled, cpus_);
    how.payload = "pack " + std::to_string(bytes) + '\n' + how.payload;
    call_outcome loading;
    auto process = open_driver::start(seam_, how, loading);
    if (!process) {
      said_.broken = process.error().text;
      return false;
    }
    if (loading.end != call_end::done)
      return failed(loading);
    caller one{*std::move(process), task_.what, false, secret_key()};
    for (const auto& v : visits) {
      if (!one.bind(*v.shapes, 1)) {
        said_.broken = "the shared memory is too small for " + v.shapes->name;
        return false;
      }
      for (const auto& slot : *v.slots) {
        const bank_slot* order[] = {&slot};
        auto said = one.run(order, nullptr, false, std::max(1.0, left_s()));
        if (said.call.end != call_end::done)
          return failed(said.call);
      }
    }
    return keep(one, bytes);
  }

  /// What the process packed behind the tensors.
  bool keep(const caller& by, std::size_t at) {
    std::uint64_t length = 0;
    std::memcpy(&length, by.read(at, sizeof length).data(), sizeof length);
    if (length > most_compiled - sizeof length) {
      unfit(length == does_not_fit ? "torch.compile makes more than " + std::to_string(most_compiled >> 20) +
                                         " MiB of this reference: use baseline = \"eager\""
                                   : "what torch.compile made could not be read");
      return false;
    }
    task_.compiled = by.read(at + sizeof length, length);
    said_.compiled = task_.compiled;
    return true;
  }

  bool failed(const call_outcome& call) {
    if (call.end == call_end::machine)
      said_.broken = call.why;
    else if (call.end == call_end::timeout)
      unfit("torch.compile did not end with the reference within " +
            std::to_string(static_cast<long>(task_.compile_s)) +
            " s (build_s of the backend): use baseline = \"eager\"");
    else
      unfit("torch.compile can't compile the reference here: " + call.why +
            "; it needs g++ and Python's headers, else use baseline = \"eager\"");
    return false;
  }

  judge_task task_;
  const driver_seam& seam_;
  std::vector<int> cpus_;
  steady::time_point begun_;
  prepared_baseline said_;
};

} // namespace

prepared_baseline prepare_baseline(const judge_task& task) {
  prepared_baseline said;
  auto seam = wanted_driver(task.driver_kind);
  auto told = seam ? (*seam)->complete(task) : seam.error();
  if (told)
    return preparation{*told, **seam}.run();
  (told.error().kind == failure_kind::invalid ? said.unfit : said.broken) = told.error().text;
  return said;
}

result<std::string> read_compiled(const std::string& file) {
  if (file.empty())
    return std::string{};
  std::ifstream in{file, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  if (!in.is_open() || bytes.empty())
    return failure{failure_kind::device, "what torch.compile made of the baseline can't be read", true};
  return bytes;
}

bool is_compiling(const judge_task& task, const std::string& source) {
  return task.compile_s > 0 && source == task.baseline_source;
}

job_limits baseline_limits(const judge_task& task) {
  auto limits = task.limits;
  if (task.compile_s > 0)
    limits.call_s = std::max(limits.call_s, limits.run_s / 2);
  return limits;
}

} // namespace ke
