#include "runtime/search/lab/search_simulation.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/node_state.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ke {

namespace {

std::uint32_t branch_of(const tree_index& tree, std::uint32_t node) {
  while (tree[node].parent != 0)
    node = tree[node].parent;
  return node;
}

} // namespace

landscape hills(std::uint64_t seed, double top, double failure_rate) {
  return [=](const search_tree& core, std::uint32_t node, random_source& random) -> simulated_outcome {
    const auto& tree = core.tree();
    const auto& row = tree[node];
    auto failing = row.operation == operation_kind::fix ? failure_rate / 2 : failure_rate;
    if (random.uniform() < failing)
      return {random.uniform() < 0.5 ? verdict_state::build_failed : verdict_state::incorrect, 0};
    auto from = row.parent;
    while (tree[from].state != node_state::correct)
      from = tree[from].parent;
    // Drafts scatter around a half; a branch's ceiling is a property of its draft alone.
    auto start = from == 0 ? 0.5 : tree[from].score;
    auto spread = from == 0 ? 0.5 : 0.15;
    random_source own{seed, branch_of(tree, node)};
    auto ceiling = std::max(0.3, top * std::sqrt(own.uniform()));
    return {verdict_state::correct, std::min(ceiling, start * std::exp(-0.03 + spread * random.normal()))};
  };
}

search_simulation::search_simulation(campaign_settings settings, landscape world, simulation_settings how)
    : search_simulation{std::move(world), how} {
  journal_configured c;
  for (const auto& t : settings.targets)
    if (std::find(c.trees.begin(), c.trees.end(), t.backend) == c.trees.end())
      c.trees.push_back(t.backend);
  c.settings = std::move(settings);
  c.problem_digest = digest_of("simulated");
  c.version = "simulation";
  commit(journal_kind::configured, c);
  commit(journal_kind::session, journal_session{1});
}

template <class Record>
void search_simulation::commit(journal_kind kind, const Record& r) {
  journal_record record{kind, ++clock_ms_, 0, pack(r)};
  if (auto done = fold_.apply(record); !done)
    throw std::invalid_argument{done.error().text};
  journal_.push_back(std::move(record));
}

bool search_simulation::step() {
  auto parallel =
      static_cast<std::uint64_t>(std::max<std::int64_t>(fold_.books().settings().search.parallel, 1));
  if (flights_.size() >= parallel)
    return false;
  // Credit comes in lumps of any size, to the trees in turn; the record is written for an empty step, too.
  auto trees = static_cast<std::uint32_t>(fold_.trees().size());
  for (std::uint32_t tried = 0; tried < trees; ++tried) {
    auto tree = next_tree_++ % trees;
    auto room = std::min<std::uint64_t>(parallel - flights_.size(), fold_.books().money().candidates_left());
    if (room == 0)
      return false;
    const auto& core = fold_.trees()[tree];
    auto first = core.tree().size();
    commit(journal_kind::stepped,
           journal_stepped{tree, static_cast<std::uint32_t>(1 + random_.below(room)), first, no_limit,
                           static_cast<std::uint32_t>(fold_.books().tune_left())});
    for (auto node = first; node < core.tree().size(); ++node)
      flights_.push_back({.tree = tree, .node = node});
    if (core.tree().size() > first)
      return true;
  }
  return false;
}

void search_simulation::happen(std::size_t which) {
  switch (flights_[which].at) {
  case flight::planned:
    return ask(which);
  case flight::asked:
    return reply(which);
  case flight::answered:
    return judge(which);
  }
}

/// The node has ended.
void search_simulation::land(std::size_t which) {
  flights_[which] = flights_.back();
  flights_.pop_back();
}

void search_simulation::ask(std::size_t which) {
  auto f = flights_[which];
  auto& core = fold_.trees()[f.tree];
  if (random_.uniform() < how_.cancelled) {
    commit(journal_kind::ended,
           journal_ended{f.tree, f.node, node_state::cancelled, "cancelled by the simulation"});
    return land(which);
  }
  if (!core.expansion_of(f.node).given.empty()) { // an earlier answer holds it
    journal_replied r{f.tree, f.node, 0};
    r.source_digest = r.normalised_digest = digest_of(std::to_string(f.tree) + "/" + std::to_string(f.node));
    return answer(which, r);
  }
  commit(
      journal_kind::asked,
      journal_asked{
          f.tree, f.node, f.attempt, core.model_of(f.node), digest_of(std::to_string(f.node)), {4000, 0.02}});
  flights_[which].at = flight::asked;
}

void search_simulation::reply(std::size_t which) {
  auto f = flights_[which];
  if (random_.uniform() < how_.failed_requests)
    return commit(journal_kind::failed_request, journal_failed_request{f.tree,
                                                                       f.node,
                                                                       f.attempt,
                                                                       failure_kind::timeout,
                                                                       "stall",
                                                                       {900, 300, 0, 0.005},
                                                                       {0, 300, 0, 0.004},
                                                                       {3000, 900, 900, true}});
  journal_replied r{f.tree, f.node, f.attempt};
  r.usage = {1000 + random_.below(1000), 500 + random_.below(500), 0, 0.01};
  if (random_.uniform() < how_.useless_answers) {
    r.kind = failure_kind::no_code;
    commit(journal_kind::replied, r);
    if (f.attempt > 0) {
      commit(journal_kind::ended, journal_ended{f.tree, f.node, node_state::unanswered, "no code twice"});
      return land(which);
    }
    flights_[which].at = flight::planned;
    ++flights_[which].attempt;
    return;
  }
  auto tried = fold_.trees()[f.tree].tried();
  auto repeats = !tried.empty() && random_.uniform() < how_.duplicates;
  r.normalised_digest = repeats ? tried[random_.below(tried.size())]
                                : digest_of(std::to_string(f.tree) + "/" + std::to_string(f.node));
  r.source_digest = r.reply_digest = r.normalised_digest;
  if (random_.uniform() < how_.several)
    r.more = {{digest_of(r.source_digest + "b"), "second"}, {digest_of(r.source_digest + "c"), "third"}};
  if (random_.uniform() < how_.templates) {
    r.space = {4, 4};
    r.point = {0, 0};
  }
  answer(which, r);
}

/// A verdict on its next target.
void search_simulation::judge(std::size_t which) {
  auto f = flights_[which];
  auto& core = fold_.trees()[f.tree];
  core.progress(f.node, node_state::measuring);
  journal_judged j{f.tree, f.node, f.target, f.outcome.state};
  j.duplicate_of = f.duplicate_of;
  j.device_s = f.duplicate_of == no_node ? 0.25 : 0;
  if (j.state == verdict_state::correct) {
    j.score = f.outcome.score * (f.target ? 0.9 + 0.2 * random_.uniform() : 1.0);
    j.decision = *j.score > 1 ? timing_decision::faster : timing_decision::slower;
  } else {
    j.score = 0;
  }
  commit(journal_kind::judged, j);
  if (!is_open(core.tree()[f.node].state))
    return land(which);
  ++flights_[which].target;
}

void search_simulation::answer(std::size_t which, const journal_replied& r) {
  auto& core = fold_.trees()[r.tree];
  commit(journal_kind::replied, r);
  auto& now = flights_[which];
  now.at = flight::answered;
  auto first = core.first_with(r.normalised_digest).value_or(r.node);
  now.duplicate_of = first == r.node ? no_node : first;
  now.outcome = world_(core, r.node, random_);
}

bool search_simulation::advance() {
  if ((flights_.empty() || random_.uniform() < 0.3) && step())
    return true;
  if (flights_.empty())
    return false;
  happen(random_.below(flights_.size()));
  return true;
}

std::string search_simulation::run() {
  for (;;) {
    if (auto reason = fold_.books().stop({.candidates = 1})) {
      commit(journal_kind::finished, journal_finished{std::string{*reason}});
      return std::string{*reason};
    }
    if (!advance())
      return "";
  }
}

search_simulation search_simulation::resume(std::vector<journal_record> journal, landscape world,
                                            simulation_settings how) {
  search_simulation s{std::move(world), how};
  for (const auto& record : journal)
    if (auto done = s.fold_.apply(record); !done)
      throw std::invalid_argument{done.error().text};
  if (!journal.empty())
    s.clock_ms_ = journal.back().wall_ms;
  s.journal_ = std::move(journal);
  s.commit(journal_kind::session, journal_session{s.fold_.books().epoch() + 1});
  for (const auto& [tree, call] : s.fold_.open_calls()) {
    journal_replied r{tree, call.node, call.attempt};
    r.unknown = true;
    s.commit(journal_kind::replied, r);
  }
  for (const auto& core : s.fold_.trees())
    for (auto node : core.open_nodes()) {
      flight f{.tree = core.number(), .node = node, .attempt = core.tree()[node].attempts};
      if (core.tree()[node].state == node_state::answered ||
          core.tree()[node].state == node_state::measuring) {
        f.at = flight::answered;
        f.outcome = s.world_(core, node, s.random_);
        while (core.tree().judged(node, f.target))
          ++f.target;
      }
      s.flights_.push_back(f);
    }
  return s;
}

namespace {

/// Of a campaign with one target and one model.
result<search_tree> tree_of(const search_settings& search, std::uint64_t seed) {
  campaign_settings settings;
  settings.search = search;
  settings.seed = seed;
  settings.targets = {target_settings{}};
  settings.models = {model_settings{}};
  return search_tree::make(0, settings.targets[0].backend, settings);
}

double thread_cpu_us() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

} // namespace

result<step_timing> time_steps(const search_settings& search, std::vector<std::uint32_t> sizes,
                               std::uint64_t seed) {
  auto made = tree_of(search, seed);
  if (!made)
    return made.error();
  auto& core = *made;
  auto world = hills(seed);
  random_source random{seed, 1};
  std::sort(sizes.begin(), sizes.end());
  step_timing out;
  double levels = 0;
  auto cycle = [&] {
    auto before = thread_cpu_us();
    auto batch = core.step(64);
    auto spent = thread_cpu_us() - before;
    for (const auto& e : batch) {
      auto o = world(core, e.node, random);
      core.apply(journal_judged{0, e.node, 0, o.state, timing_decision::none,
                                o.state == verdict_state::correct ? o.score : 0});
      levels += core.tree()[e.node].depth;
      out.deepest = std::max<std::uint32_t>(out.deepest, core.tree()[e.node].depth);
    }
    return std::pair{spent, batch.size()};
  };
  for (auto size : sizes) {
    while (core.tree().size() < size)
      cycle();
    double sum = levels = 0;
    std::size_t steps = 0;
    while (steps < 1024) {
      auto [spent, n] = cycle();
      sum += spent;
      steps += n;
    }
    out.select_us[size] = sum / static_cast<double>(steps);
    out.depth[size] = levels / static_cast<double>(steps);
  }
  out.bytes = core.bytes();
  out.nodes = core.tree().size();
  return out;
}

} // namespace ke
