#include "interface/cli/dry_admission.hpp"

#include "backends/evaluation/problem_lint.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "interface/cli/access.hpp"
#include "interface/cli/foreground.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/device_name.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/records/best_known_baseline.hpp"
#include "runtime/search/campaign/admission.hpp"

#include <iostream>
#include <set>

namespace ke::cli {
namespace {

/// Why the problem is unfit; empty: it is fit, or this machine could not tell, which `said` then says.
struct finding {
  std::string unfit, said;
};

std::string line_of(const verdict& v) {
  return std::string{to_text(v.state)} + (v.reason.empty() ? "" : ": " + v.reason);
}

/// Of a device of this machine. A failure: interrupted, or the backend is not what it should be.
result<finding> tried(const campaign_settings& settings, const problem& what, foreground& judging) {
  finding f;
  auto linted = lint_problem(what, judging.with(), judging.options, judging.processes());
  if (judging.interrupted())
    return interrupted_failure();
  if (!linted)
    return linted.error().kind == failure_kind::invalid ? result<finding>{linted.error()}
                                                        : finding{{}, "not checked: " + linted.error().text};
  for (const auto& w : linted->warnings)
    std::cout << "#   warning: " << w << '\n';
  if (!linted->reasons.empty())
    return finding{linted->reasons.front(), {}};
  judging.options.timed = settings.goal.timed;
  auto subject = admission_subject_of(what, settings.goal.timed);
  for (unsigned tries = 1; tries <= admission_tries; ++tries) {
    auto plan = tries > 1 ? measure_plan::eval : measure_plan::rank;
    auto found = evaluate(what, subject.source, judging.with(), plan, judging.options, judging.processes());
    if (judging.interrupted())
      return interrupted_failure();
    if (!found)
      return finding{{}, "not checked: " + found.error().text};
    auto v = verdict_of(*found, what, plan);
    f = {v.state == verdict_state::unfit_problem
             ? v.reason
             : "its " + subject.name + ", measured as a candidate, is " + line_of(v),
         line_of(v)};
    if (admission_of(v.state, subject.is_baseline) != admission_fate::refused) {
      f.unfit.clear();
      break;
    }
  }
  return f;
}

} // namespace

int try_admission(const campaign_settings& settings, const problem& what,
                  const std::vector<backend>& backends, const std::string& sandbox,
                  const std::vector<std::string>& backend_paths) {
  auto subject = admission_subject_of(what, settings.goal.timed).name;
  std::cout << "\n# Admission: before the first paid call the " << subject << " is measured as a candidate\n";
  std::set<std::string> done;
  process_service probing;
  for (const auto& t : settings.targets) {
    auto with = find_backend(backends, t.backend);
    auto here = with ? probe_target(*with, probing) : result<device_info>{with.error()};
    std::cout << "#   " << t.backend << ", " << t.device << ": ";
    if (!here || !names_device(t.device, here->name)) {
      std::cout << "not tried here: no such device" << (here ? "" : " (" + here.error().text + ")") << '\n';
      continue;
    }
    if (!done.insert(t.backend).second) {
      std::cout << "as above\n";
      continue;
    }
    std::cout << std::endl;
    auto judging = foreground::open(sandbox, t.backend, backend_paths);
    if (!judging)
      return complain(judging.error());
    auto found = tried(settings, what, **judging);
    if (!found)
      return complain(found.error());
    if (!found->unfit.empty())
      return complain({failure_kind::invalid, refusal_text(settings.problem_path, found->unfit), false});
    std::cout << "#   the " << subject << " as a candidate: " << found->said << '\n';
  }
  return exit_done;
}

} // namespace ke::cli
