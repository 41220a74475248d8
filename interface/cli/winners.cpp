#include "interface/cli/winners.hpp"

#include "backends/evaluation/backend.hpp"
#include "interface/cli/claim_text.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/output_file.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/core/verdict.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>

namespace ke::cli {

namespace fs = std::filesystem;

namespace {

struct judged_node {
  std::uint64_t ms, id;
  double score; ///< -1: not a candidate for the best
  bool proven;
};

/// In the order of their verdicts.
result<std::vector<judged_node>> judged_in_order(const campaign_view& c, bool timed) {
  std::vector<judged_node> all;
  auto read = c.each(0, [&](const node_view& n) {
    if (!n.is_root() && has_verdict(n.state))
      all.push_back({n.row.judged_ms, n.id, n.state == node_state::correct ? n.score.value_or(0) : -1,
                     n.state == node_state::correct && (!timed || n.decision == timing_decision::faster)});
    return true;
  });
  if (!read)
    return read.error();
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return std::tie(a.ms, a.id) < std::tie(b.ms, b.id); });
  return all;
}

} // namespace

result<std::vector<winner>> winners_of(const campaign_view& c) {
  auto timed = c.settings().goal.timed;
  auto all = judged_in_order(c, timed);
  if (!all)
    return all.error();
  std::vector<winner> winners;
  std::uint64_t candidates = 0;
  bool proving = false; // the last of them was called faster: what is not comes after it no more
  const auto* champion = c.fold().books().claims().champion(timed);
  auto best = champion ? c.public_id(champion->who.first, champion->who.second) : 0;
  for (const auto& n : *all) {
    ++candidates;
    if (n.score < 0)
      continue;
    auto key = c.key_of_id(n.id);
    const auto* claim = c.claim_on(key);
    auto refuted = claim && !claim->confirmed(timed);
    if (champion && n.id == best) {
      // Whoever the search liked better before or after it was refuted, or not claimed.
      std::erase_if(winners, [&](const winner& w) { return w.score >= n.score; });
      winners.push_back({n.id, n.score, n.ms, candidates, true, true});
      break;
    }
    if (winners.empty() || (n.proven != proving ? n.proven : n.score > winners.back().score)) {
      winners.push_back({n.id, n.score, n.ms, candidates, n.proven && !refuted, false});
      proving = n.proven;
    }
  }
  return winners;
}

std::vector<winner> proven_of(std::vector<winner> all) {
  std::erase_if(all, [](const winner& w) { return !w.proven; });
  return all;
}

std::string below_floor_of(const campaign_view& c, const node_view& n) {
  const auto& goal = c.settings().goal;
  if (auto again = c.claimed_verdict(n.key))
    return floor_text(again, goal, measure_plan::claim);
  return floor_text(c.verdict_of(n), goal, measure_plan::rank);
}

std::string source_suffix(const campaign_view& c, const node_view& n) {
  // A worker's word: no more than the end of a file's name.
  auto is_suffix = [](const std::string& s) {
    return s.size() > 1 && s.size() <= 16 && s[0] == '.' &&
           std::all_of(s.begin() + 1, s.end(), [](unsigned char x) { return std::isalnum(x); });
  };
  if (auto v = c.verdict_of(n))
    if (auto told = v->provenance.find(provenance_keys::suffix);
        told != v->provenance.end() && is_suffix(told->second))
      return told->second;
  if (auto all = load_backends(built_in_backends(), {}))
    if (auto b = find_backend(*all, c.fold().trees()[n.key.tree].backend()))
      return b->language.suffix;
  return usual_language(c.problem().reference_language).suffix;
}

namespace {

result<std::string> placed(const fs::path& folder, const std::string& name, const std::string& text) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return failure{failure_kind::invalid, "cannot make " + folder.string() + ": " + error.message()};
  auto path = folder / name;
  std::ifstream present{path, std::ios::binary};
  if (present && std::string{std::istreambuf_iterator<char>{present}, {}} == text)
    return path.string();
  if (auto done = write_output(path.string(), text); !done)
    return done.error();
  return path.string();
}

} // namespace

result<std::string> source_file(const campaign_view& c, const node_view& n) {
  auto source = c.source_of(n);
  if (!source)
    return source.error();
  auto name = digest_of(*source) + source_suffix(c, n);
  auto at = placed(fs::path{c.store().dir()} / "exports" / "sources", name, *source);
  if (at)
    return at;
  fs::path cache;
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg == '/')
    cache = fs::path{xdg} / "ke-runtime";
  else if (const char* home = std::getenv("HOME"); home && *home == '/')
    cache = fs::path{home} / ".cache" / "ke-runtime";
  else
    return at;
  return placed(cache / "sources", name, *source);
}

} // namespace ke::cli
