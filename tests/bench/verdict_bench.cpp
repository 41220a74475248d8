// What does one verdict cost, by stage? Each job of the evaluation runs alone, one after the other, and its
// process's time is noted: wall, and processor time with all of its descendants. The judge's own job is split
// by what it says of itself: checks (truth and correctness), timing, and the rest (start, admission,
// hand-over). Three times for each problem and plan: cold (empty cache of built objects; for Python also a
// parent that has yet to import torch), next (another candidate of the same problem: what a campaign pays for
// each) and again (the same candidate: nothing is built).
//
//   verdict_bench [rank|eval|claim, default: rank and eval]
//                 [PROBLEM CANDIDATE BACKEND, default: a softmax in C++ and in PyTorch]

#include "backends/evaluation/backend.hpp"
#include "backends/evaluation/evaluate.hpp"
#include "backends/peaks/peaks.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "config/problem_file.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/private_folder.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "runtime/process/spawn.hpp"
#include "tests/bench/cpu_time.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

using namespace ke;
namespace fs = std::filesystem;

namespace {

struct cost {
  double wall_s = 0, cpu_s = 0;
};

/// A stage of one verdict, in the order in which they came; three costs, as far as it was run.
struct stage {
  std::string name;
  std::optional<cost> of[3];
};

void must(bool well, const std::string& why) {
  if (well)
    return;
  std::fprintf(stderr, "verdict_bench: %s\n", why.c_str());
  std::exit(1);
}

std::string text_of(const fs::path& file) {
  std::ifstream in{file};
  must(bool{in}, file.string() + " can't be read");
  return {std::istreambuf_iterator<char>{in}, {}};
}

constexpr auto torch_softmax = R"(import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=1)

def get_inputs():
    return [torch.randn(512, 1024)]

def get_init_inputs():
    return []
)";

constexpr auto torch_candidate = R"(import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def forward(self, x):
        e = torch.exp(x - x.amax(dim=1, keepdim=True))
        return e / e.sum(dim=1, keepdim=True)
)";

class cost_table {
public:
  cost_table() {
    auto own = private_folder::make({}, "verdict_bench.");
    must(bool{own}, own ? "" : own.error().text);
    own_ = std::move(*own);
    own_.let_others_read();
    auto all = load_backends(built_in_backends(), {});
    must(bool{all}, all ? "" : all.error().text);
    backends_ = *all;
    // Measured once and kept with the machine, so no part of a verdict's cost.
    peaks_ = peaks_of_machine(folder() / "peaks", cpu_facts());
  }
  const fs::path& folder() const { return own_.path(); }

  void table(const fs::path& problem_path, const std::string& source, const std::string& backend_name,
             measure_plan plan) {
    auto with = find_backend(backends_, backend_name);
    must(bool{with}, with ? "" : with.error().text);
    auto target = probe_target(*with, processes_);
    if (!target) {
      std::printf("%s not measured: %s\n\n", backend_name.c_str(), target.error().text.c_str());
      return;
    }
    auto loaded = load_problem(problem_path.string());
    must(loaded.errors.empty(), problem_path.string() + " is no problem");
    std::vector<stage> stages;
    evaluate_options options;
    auto beside = fs::read_symlink("/proc/self/exe").parent_path().parent_path().parent_path();
    options.judge = beside / "ke-judge";
    options.driver = beside / "ke-driver";
    options.scratch = folder();
    options.cache = folder() / ("cache-" + std::to_string(caches_++));
    options.limits = with->limits;
    options.peaks = peaks_;
    options.python = std::make_shared<python_parents>();
    const std::string comment = with->language.syntax.comments.front() + " another\n";
    std::string state[3];
    for (int time = 0; time < 3; ++time) {
      evaluation e{loaded.problem, time == 0 ? source : source + comment, *with, *target, plan, options};
      auto found = drive(e, stages, time);
      state[time] = !found ? found.error().text : to_text(verdict_of(*found, loaded.problem, plan).state);
    }
    print(stages, state, loaded.problem.name, backend_name, plan);
  }

private:
  static std::optional<cost>& at(std::vector<stage>& stages, const std::string& name, int time) {
    auto s = std::find_if(stages.begin(), stages.end(), [&](const stage& x) { return x.name == name; });
    if (s == stages.end())
      s = stages.insert(stages.end(), stage{name, {}});
    return s->of[time];
  }

  result<evidence> drive(evaluation& e, std::vector<stage>& stages, int time) {
    while (!e.complete())
      for (auto place : {job_place::shared, job_place::device})
        for (auto& job : e.ready(place, 1)) {
          auto before = ke::bench::cpu_seconds(RUSAGE_CHILDREN);
          auto how = run_and_wait(processes_, std::move(job.spec));
          sweep_orphans(); // bwrap does not wait for what it started, so its time comes to us
          at(stages, job.name, time) = cost{how.seconds, ke::bench::cpu_seconds(RUSAGE_CHILDREN) - before};
          e.ended(job.id, how);
          if (job.kind != job_kind::measure)
            continue;
          if (auto found = e.finish()) {
            at(stages, "  of it checks", time) = cost{found->check_s, -1};
            at(stages, "  of it timing", time) = cost{found->time_s, -1};
          }
        }
    return e.finish();
  }

  static void print(const std::vector<stage>& stages, const std::string (&state)[3], const std::string& name,
                    const std::string& backend, measure_plan plan) {
    std::printf("%s, %s, plan %s\n%-18s %21s %21s %21s\n%-18s", name.c_str(), backend.c_str(),
                std::string{to_text(plan)}.c_str(), "", "cold", "next", "again", "stage");
    for (int i = 0; i < 3; ++i)
      std::printf(" %10s %10s", "CPU s", "wall s");
    cost sum[3];
    for (const auto& s : stages) {
      std::printf("\n%-18s", s.name.c_str());
      for (int i = 0; i < 3; ++i) {
        const auto& c = s.of[i];
        if (!c) {
          std::printf(" %10s %10s", "-", "-");
          continue;
        }
        c->cpu_s < 0 ? std::printf(" %10s", "") : std::printf(" %10.3f", c->cpu_s);
        std::printf(" %10.3f", c->wall_s);
        if (c->cpu_s >= 0)
          sum[i] = {sum[i].wall_s + c->wall_s, sum[i].cpu_s + c->cpu_s};
      }
    }
    std::printf("\n%-18s", "all");
    for (const auto& c : sum)
      std::printf(" %10.3f %10.3f", c.cpu_s, c.wall_s);
    std::printf("\n%-18s", "verdict");
    for (const auto& s : state)
      std::printf(" %21s", s.c_str());
    std::printf("\n\n");
  }

  private_folder own_;
  std::vector<backend> backends_;
  peak_map peaks_;
  process_service processes_;
  int caches_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (auto venv = fs::path{KE_SOURCE_DIR} / ".venv/bin/python"; fs::exists(venv))
    ::setenv("KE_PYTHON", venv.c_str(), 0);
  std::vector<measure_plan> plans{measure_plan::rank, measure_plan::eval};
  if (argc > 1) {
    auto plan = parse_name<measure_plan>(argv[1]);
    must(plan.has_value(), "the plan is rank, eval or claim, not " + std::string{argv[1]});
    plans = {*plan};
  }
  must(argc <= 2 || argc == 5, "after the plan come a problem, a candidate and a backend, or nothing");
  cost_table b;
  for (auto plan : plans) {
    if (argc == 5) {
      b.table(argv[2], text_of(argv[3]), argv[4], plan);
      continue;
    }
    fs::path softmax = fs::path{KE_SOURCE_DIR} / "config/problems/softmax";
    b.table(softmax / "problem.toml", text_of(softmax / "reference.cpp"), "cpu-cpp", plan);
    std::ofstream{b.folder() / "torch_softmax.py"} << torch_softmax;
    b.table(b.folder() / "torch_softmax.py", torch_candidate, "torch-cpu", plan);
  }
}
