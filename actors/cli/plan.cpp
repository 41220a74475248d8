#include "actors/cli/plan.hpp"

#include "actors/campaign_status.hpp"
#include "actors/exit_codes.hpp"
#include "config/campaign_file.hpp"
#include "knowledge/answer_form.hpp"
#include "knowledge/consult.hpp"
#include "knowledge/prompt.hpp"
#include "runtime/llm/price.hpp"
#include "runtime/llm/prompt.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/search/campaign_fold.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace ke::cli {

int print_plan(const campaign_settings& settings, const problem& what, const std::vector<backend>& backends) {
  campaign_fold fold;
  std::vector<std::string> trees;
  for (const auto& t : settings.targets)
    if (std::find(trees.begin(), trees.end(), t.backend) == trees.end())
      trees.push_back(t.backend);
  if (auto fine = fold.apply(journal_configured{settings, "", trees, KE_VERSION}); !fine) {
    std::cerr << "ke-runtime: " << fine.error().text << '\n';
    return exit_code_of(fine.error());
  }
  auto first = fold.step(0, 1);
  if (!first || first->first.empty()) {
    std::cerr << "ke-runtime: the budget holds no candidate\n";
    return exit_usage;
  }
  device_info target;
  process_service processes;
  if (auto b = find_backend(backends, trees[0])) {
    if (auto probed = probe_target(*b, processes))
      target = *probed;
    else
      std::cout << "# note: " << probed.error().text << "\n";
  }
  prompt_request r;
  r.problem = &what;
  r.target = &target;
  r.language = answer_form_of(what).language;
  r.seed = first->first[0].seed;
  r.budget_tokens = prompt_budget(settings, first->first[0].model);
  if (r.budget_tokens > 0)
    if (auto documents = load_corpus())
      consult(**documents, r, false);
  auto prompt = build_prompt(r);
  auto bytes = bytes_of(prompt);

  std::cout << "# Plan: campaign " << settings.name << ", problem " << what.name << "\n"
            << settings_text(settings);
  std::cout << "\n# Workloads\n";
  for (const auto& w : what.workloads)
    std::cout << "#   " << w.name << (w.held_out ? " (held out)" : "") << "\n";
  std::cout << "\n# Worst case: every request at its longest answer, prompts twice as long as the first\n";
  double usd = 0, tokens = 0;
  for (const auto& m : settings.models) {
    auto one = worst_case(m, bytes * 2);
    std::printf("#   model %s: %llu tokens, %.4f USD a request\n", m.name.c_str(),
                static_cast<unsigned long long>(one.tokens), one.usd);
    usd = std::max(usd, one.usd);
    tokens = std::max(tokens, static_cast<double>(one.tokens));
  }
  auto n = static_cast<double>(settings.budget.candidates);
  auto capped_usd = settings.budget.usd > 0 ? std::min(settings.budget.usd, usd * n) : usd * n;
  auto capped_tokens = settings.budget.tokens > 0
                           ? std::min(static_cast<double>(settings.budget.tokens), tokens * n)
                           : tokens * n;
  std::printf("#   %lld candidates: at most %.2f USD and %.0f tokens",
              static_cast<long long>(settings.budget.candidates), capped_usd, capped_tokens);
  if (settings.budget.wall_hours > 0)
    std::printf(", at most %.2f h", settings.budget.wall_hours);
  if (const auto& a = settings.agents; !a.memory.empty() || !a.research.empty())
    std::printf("; of these at most %.0f%% for sub-agents", 100 * a.share);
  std::printf("\n\n# First prompt (%zu bytes, to model %s)\n", bytes, first->first[0].model.c_str());
  std::fflush(stdout);
  std::cout << text_of(prompt) << std::endl;
  return exit_done;
}

} // namespace ke::cli
