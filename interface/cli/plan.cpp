#include "interface/cli/plan.hpp"

#include "config/campaign_file.hpp"
#include "knowledge/advisors/consult.hpp"
#include "knowledge/prompt/prompt_budget.hpp"
#include "knowledge/prompt/prompt_builder.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/llm/price.hpp"
#include "runtime/llm/prompt.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/search/campaign/campaign_fold.hpp"
#include "runtime/search/campaign/campaign_status.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace ke::cli {
namespace {

struct worst_candidate {
  reservation request; ///< one
  unsigned requests;   ///< a broken answer is repaired once, or repetitions are asked for again
};

/// The worst case of one candidate by this model: prompts as long as the context allows, answers as long as
/// `max_tokens` allows.
worst_candidate worst_of(const campaign_settings& settings, const model_settings& m,
                         std::size_t first_prompt) {
  auto budget = prompt_budget(settings, m.name);
  auto longest = std::max(budget * bytes_of_token_estimate,
                          2 * first_prompt); // no limit: the first says how long they are
  auto again = std::max<std::int64_t>(1, settings.search.resample);
  return {worst_case(m, longest), traits_of(m.provider).may_repair ? static_cast<unsigned>(1 + again) : 1u};
}

void print_worst_case(const campaign_settings& s, std::size_t first_prompt) {
  std::cout << "\n# Worst case: prompts as long as the models' contexts, every answer at its longest and "
               "repaired once, or asked for again as often as [search] resample allows\n";
  double usd = 0, tokens = 0;
  for (const auto& m : s.models) {
    auto [one, requests] = worst_of(s, m, first_prompt);
    std::printf("#   model %s: %llu tokens, %.4f USD a request\n", m.name.c_str(),
                static_cast<unsigned long long>(one.tokens), one.usd);
    if (m.weight > 0) {
      usd = std::max(usd, requests * one.usd);
      tokens = std::max(tokens, requests * static_cast<double>(one.tokens));
    }
  }
  auto capped = [](double cap, double x) { return cap > 0 ? std::min(cap, x) : x; };
  auto n = static_cast<double>(s.budget.candidates);
  unsigned each = 0;
  for (const auto& m : s.models)
    if (m.weight > 0)
      each = std::max(each, worst_of(s, m, first_prompt).requests);
  if (auto cap = static_cast<double>(s.budget.requests); cap > 0 && each > 0)
    n = std::min(n, cap / each); // so many candidates' worth of requests
  std::printf("#   %lld candidates: at most %.2f USD and %.0f tokens",
              static_cast<long long>(s.budget.candidates), capped(s.budget.usd, usd * n),
              capped(static_cast<double>(s.budget.tokens), tokens * n));
  if (s.budget.requests > 0)
    std::printf(", at most %lld requests", static_cast<long long>(s.budget.requests));
  if (s.budget.wall_hours > 0)
    std::printf(", at most %.2f h", s.budget.wall_hours);
  if (s.budget.tune_candidates > 0)
    std::printf("; at most %lld points of templates besides, without a model",
                static_cast<long long>(s.budget.tune_candidates));
  if (const auto& a = s.agents; !a.memory.empty() || !a.research.empty())
    std::printf("; sub-agents: at most %.0f%% of all tokens%s", 100 * a.share,
                s.budget.usd > 0 || s.budget.tokens > 0 ? ", within the budget" : ", beside these");
  std::printf("\n");
}

/// What the first request's model would be told on this machine.
prompt first_prompt(const expansion& first, const std::string& backend_name,
                    const campaign_settings& settings, const problem& what,
                    const std::vector<backend>& backends, const std::vector<std::string>& backend_paths) {
  device_info target;
  auto language = usual_language(what.reference_language);
  process_service processes;
  if (auto b = find_backend(backends, backend_name)) {
    language = b->language;
    if (auto probed = probe_target(*b, processes))
      target = *probed;
    else
      std::cout << "# note: " << probed.error().text << "\n";
  }
  prompt_request r;
  r.problem = &what;
  r.target = &target;
  r.language = &language;
  r.seed = first.seed;
  r.floor = settings.goal.timed ? settings.goal.floor : 0;
  r.budget_tokens = prompt_budget(settings, first.model);
  if (r.budget_tokens > 0)
    if (auto documents = load_corpus(knowledge_folders(backend_paths)))
      consult(**documents, r, false);
  return build_prompt(r);
}

void print_first_prompt(const prompt& text, const std::string& model, const campaign_settings& settings) {
  std::printf("\n# First prompt (%zu bytes, to model %s)\n", bytes_of(text), model.c_str());
  if (!text.dropped.empty()) {
    std::string names;
    for (const auto& d : text.dropped)
      names += (names.empty() ? "" : ", ") + d;
    std::printf("# left out, as a prompt may have %llu tokens: %s\n",
                static_cast<unsigned long long>(prompt_budget(settings, model)), names.c_str());
  }
  std::fflush(stdout);
  std::cout << text_of(text) << std::endl;
}

} // namespace

int print_plan(const campaign_settings& settings, const std::string& origins, const problem& what,
               const std::vector<backend>& backends, const std::vector<std::string>& backend_paths) {
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
  const auto& e = first->first[0];
  auto prompt = first_prompt(e, trees[0], settings, what, backends, backend_paths);

  std::cout << "# Plan: campaign " << settings.name << ", problem " << what.name << "\n"
            << settings_text(settings) << "\n"
            << origins;
  std::cout << "\n# Workloads\n";
  for (const auto& w : what.workloads)
    std::cout << "#   " << w.name << (w.held_out ? " (held out)" : "") << "\n";
  print_worst_case(settings, bytes_of(prompt));
  print_first_prompt(prompt, e.model, settings);
  return exit_done;
}

} // namespace ke::cli
