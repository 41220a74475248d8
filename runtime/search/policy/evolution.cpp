#include "runtime/search/policy/evolution.hpp"

#include "runtime/core/node_number.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/search/policy/cells.hpp"
#include "runtime/search/policy/new_starts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ke {

namespace {

constexpr std::uint32_t most_cells = 256; ///< of an island's archive
/// On a stalled island this share of the parents comes from the archive, every cell alike. Before the stall
/// the share grows with the wait.
constexpr double cell_share = 0.4;
/// With this many open children the best one is the parent of only half of the next children, even if the
/// island gains.
constexpr double crowded = 32;

bool is_worse(const evolution::island& a, const evolution::island& b) {
  return a.waiting.level() < b.waiting.level();
}

} // namespace

evolution::evolution(const search_settings& s) {
  set(s);
  islands_.emplace_back().patience = patience();
}

void evolution::set(const search_settings& s) {
  settings_ = s;
  settings_.drafts = std::clamp<std::int64_t>(s.drafts, 1, 1 << 20);
  settings_.islands = std::clamp<std::int64_t>(s.islands, 1, 64);
  settings_.population = std::clamp<std::int64_t>(s.population, 2, 1024);
  settings_.restart = std::clamp<std::int64_t>(s.restart, 0, 1 << 30);
  settings_.crossover = std::clamp(s.crossover, 0.0, 1.0);
}

void evolution::configure(const search_settings& s, const tree_index& tree) {
  auto others = s.cells != settings_.cells;
  set(s);
  if (others)
    for (auto& i : islands_)
      for (const auto& [cell, node] : std::exchange(i.cells, {}))
        keep_in_cell(tree, i, node);
}

// -- which island, and what on it -----------------------------------------------------------------

std::uint32_t evolution::leader() const {
  auto best = std::max_element(islands_.begin(), islands_.end(), is_worse);
  return static_cast<std::uint32_t>(best - islands_.begin());
}

std::vector<bool> evolution::climbing() const {
  const auto best = leader();
  std::vector<bool> all;
  for (std::uint32_t n = 0; n < islands_.size(); ++n) {
    const auto& i = islands_[n];
    auto least = n == best ? least_wait : least_wait_of_start;
    all.push_back(settings_.restart == 0 || i.drafts < settings_.drafts ||
                  !i.waiting.is_over(least, i.patience));
  }
  return all;
}

std::uint32_t evolution::choose_island(random_source& random) const {
  std::vector<double> shares;
  double sum = 0;
  for (auto climbs : climbing())
    sum += shares.emplace_back(climbs ? 1.0 : 0.1);
  auto at = random.uniform() * sum;
  for (std::uint32_t i = 0; i < shares.size(); ++i)
    if ((at -= shares[i]) < 0)
      return i;
  return static_cast<std::uint32_t>(shares.size() - 1);
}

/// Where no island climbs any more: crossings once, then a new island, by turns.
void evolution::go_on_from_standstill(const tree_index& tree) {
  if (auto all = climbing(); std::find(all.begin(), all.end(), true) != all.end())
    return;
  if (is_untried_ && settings_.crossover > 0)
    crossings_ = crossings_of_start;
  else
    open_island(tree);
  is_untried_ = !is_untried_;
}

std::optional<selection> evolution::select(const tree_index& tree, random_source& random) {
  auto draft = next_draft(tree);
  if (islands_.front().drafts < settings_.drafts) {
    going_to_ = 0;
    return draft;
  }
  auto anything = std::any_of(islands_.begin(), islands_.end(), [&](const auto& i) {
    return !i.members.empty() || i.drafts < settings_.drafts || i.broken.next(tree);
  });
  if (!anything) {
    if (tree[0].in_flight > 0)
      return std::nullopt;
    going_to_ = 0; // nothing works and nothing can be mended
    return draft;
  }
  auto after_opening = crossings_ > 0;
  if (after_opening)
    --crossings_;
  else
    go_on_from_standstill(tree);
  for (int tries = 0; tries < 64; ++tries) {
    going_to_ = after_opening && random.uniform() < share_of_crossings ? leader() : choose_island(random);
    auto& here = islands_[going_to_];
    if (here.drafts < settings_.drafts)
      return draft;
    if (!here.members.empty())
      return parents_on(tree, after_opening, random);
    if (auto node = here.broken.next(tree))
      return selection{.parent = *node, .operation = operation_kind::fix};
  }
  for (going_to_ = 0; going_to_ < islands_.size(); ++going_to_)
    if (!islands_[going_to_].members.empty())
      return parents_on(tree, after_opening, random);
  going_to_ = 0;
  return draft;
}

/// All islands have stalled: first their best ones travel, then a new island is settled by drafts, in place
/// of the worst one when there are as many as there may be.
void evolution::open_island(const tree_index& tree) {
  migrate(tree);
  ++opened_;
  if (islands_.size() < static_cast<std::size_t>(settings_.islands)) {
    newest_ = static_cast<std::uint32_t>(islands_.size());
    islands_.emplace_back();
  } else {
    auto worst = std::min_element(islands_.begin(), islands_.end(), is_worse);
    newest_ = static_cast<std::uint32_t>(worst - islands_.begin());
    auto generation = worst->generation + 1;
    *worst = {};
    worst->generation = generation;
  }
  islands_[newest_].patience = patience();
  islands_[newest_].waiting.begin(tree.size());
}

std::uint32_t evolution::patience() const {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(settings_.restart * (opened_ + 1), 1 << 30));
}

/// Along the ring each settled island sends its best native to the next one, unless that has it already.
/// Migrants don't travel on. Whoever receives one gets time to make something of it.
void evolution::migrate(const tree_index& tree) {
  auto count = static_cast<std::uint32_t>(islands_.size());
  if (count < 2)
    return;
  std::vector<std::uint32_t> travellers(count, no_node);
  for (std::uint32_t i = 0; i < count; ++i)
    for (auto m : islands_[i].members)
      if (home_of(m) == i) {
        travellers[i] = m;
        break;
      }
  for (std::uint32_t i = 0; i < count; ++i) {
    auto& next = islands_[(i + 1) % count];
    if (travellers[i] == no_node ||
        std::find(next.members.begin(), next.members.end(), travellers[i]) != next.members.end())
      continue;
    settle(tree, next, travellers[i]);
    next.waiting.begin(tree.size());
  }
}

// -- parents --------------------------------------------------------------------------------------

/// Weighted as published for ShinkaEvolve (features.md E3): a sigmoid of the distance from the median, in
/// units of the median absolute deviation, times 1 / (1 + children). Scores enter by their logarithm.
std::uint32_t evolution::weighted(const tree_index& tree, const std::vector<std::uint32_t>& among,
                                  random_source& random) const {
  std::vector<double> height;
  height.reserve(among.size());
  for (auto m : among)
    height.push_back(std::log(std::max(puct_rules::priority_of(tree, m), 1e-12)));
  auto middle_of = [](std::vector<double> all) {
    auto mid = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), mid, all.end());
    return *mid;
  };
  auto median = middle_of(height);
  auto away = height;
  for (auto& x : away)
    x = std::abs(x - median);
  auto spread = std::max(middle_of(away), 1e-6);
  double sum = 0;
  std::vector<double> weight;
  for (std::size_t i = 0; i < among.size(); ++i) {
    auto steep = std::clamp(10 * (height[i] - median) / spread, -60.0, 60.0);
    sum += weight.emplace_back(1 / (1 + std::exp(-steep)) / (1.0 + tree[among[i]].children));
  }
  auto at = random.uniform() * sum;
  for (std::size_t i = 0; i < among.size(); ++i)
    if ((at -= weight[i]) < 0)
      return among[i];
  return among.front();
}

std::uint32_t evolution::first_parent(const tree_index& tree, const island& here,
                                      random_source& random) const {
  auto best = here.members.front();
  auto stalled = std::min(1.0, static_cast<double>(here.waiting.correct()) / least_wait);
  if (random.uniform() >= std::max(stalled, tree[best].in_flight / (tree[best].in_flight + crowded)))
    return best;
  if (random.uniform() < cell_share * stalled && !here.cells.empty())
    return std::next(here.cells.begin(), static_cast<std::ptrdiff_t>(random.below(here.cells.size())))
        ->second;
  return weighted(tree, here.members, random);
}

/// Any island but this one; there are two at least.
std::uint32_t evolution::another_than(std::uint32_t island, random_source& random) const {
  auto other = static_cast<std::uint32_t>(random.below(islands_.size() - 1));
  return other < island ? other : other + 1;
}

std::uint32_t evolution::second_parent(const island& here, bool after_opening, random_source& random) const {
  if (islands_.size() > 1 && (after_opening || random.uniform() < 0.5)) {
    auto from = after_opening && newest_ != going_to_ ? newest_ : another_than(going_to_, random);
    if (const auto& there = islands_[from].members; !there.empty())
      return there.front();
  }
  auto pool = here.members;
  for (const auto& [cell, node] : here.cells)
    pool.push_back(node);
  return pool[random.below(pool.size())];
}

/// On the island that was chosen.
selection evolution::parents_on(const tree_index& tree, bool after_opening, random_source& random) const {
  const auto& here = islands_[going_to_];
  selection s{.parent = first_parent(tree, here, random), .operation = operation_kind::improve};
  if (random.uniform() < crossing_share(settings_.crossover, after_opening))
    if (auto other = second_parent(here, after_opening, random); other != s.parent)
      s.parent2 = other;
  return s;
}

// -- what comes back ------------------------------------------------------------------------------

void evolution::added(const tree_index& tree, std::uint32_t node) {
  homes_.resize(std::size_t{node} + 1);
  // A tuned point is at home with its template; nobody has chosen an island for it.
  auto home = tree[node].operation == operation_kind::tune ? home_of(tree[node].parent) : no_node;
  auto at = home == no_node ? going_to_ : home;
  auto& here = islands_[at];
  homes_[node] = {static_cast<std::uint8_t>(at), here.generation};
  if (tree[node].operation == operation_kind::draft)
    ++here.drafts;
}

std::uint32_t evolution::home_of(std::uint32_t node) const {
  const auto& h = homes_[node];
  return h.island < islands_.size() && islands_[h.island].generation == h.generation ? h.island : no_node;
}

namespace {

/// Of equals the younger: a population on a plateau must be able to drift.
bool is_better(const tree_index& tree, std::uint32_t a, std::uint32_t b) {
  auto x = puct_rules::priority_of(tree, a), y = puct_rules::priority_of(tree, b);
  return x != y ? x > y : a > b;
}

} // namespace

void evolution::settle(const tree_index& tree, island& here, std::uint32_t node) {
  auto better = [&](std::uint32_t a, std::uint32_t b) { return is_better(tree, a, b); };
  here.members.insert(std::lower_bound(here.members.begin(), here.members.end(), node, better), node);
  while (here.members.size() > static_cast<std::size_t>(settings_.population))
    here.members.pop_back();
  keep_in_cell(tree, here, node);
}

void evolution::keep_in_cell(const tree_index& tree, island& here, std::uint32_t node) const {
  auto place = cell_of(tree, node, settings_.cells);
  if (!place)
    return;
  auto [cell, is_new] = here.cells.emplace(*place, node);
  if (!is_new && is_better(tree, node, cell->second))
    cell->second = node;
  if (here.cells.size() > most_cells)
    here.cells.erase(
        std::min_element(here.cells.begin(), here.cells.end(),
                         [&](const auto& a, const auto& b) { return is_better(tree, b.second, a.second); }));
}

void evolution::ended(const tree_index& tree, std::uint32_t node) {
  auto home = home_of(node);
  if (home == no_node)
    return; // its island has been given up
  auto& here = islands_[home];
  const auto& row = tree[node];
  if (is_usable(row.state) && !row.duplicate)
    settle(tree, here, node);
  else
    here.broken.offer(tree, node);
  if (!has_verdict(row.state))
    return;
  // What works but was not timed is waited for as well, though it can be no gain: where nothing is timed, the
  // wait must end, too.
  auto works = is_usable(row.state) && !row.duplicate;
  here.waiting.ended({.score = row.state == node_state::correct ? row.score : 0,
                      .correct = works,
                      .node = node,
                      .tree_size = tree.size()});
}

// -- image ----------------------------------------------------------------------------------------

void evolution::save(image_writer& out) const {
  for (auto n : {opened_, newest_, crossings_})
    out.value(n);
  out.value(is_untried_);
  out.value<std::uint64_t>(going_to_); // further candidates of an answer go there, too
  homes_.save(out);
  out.value<std::uint64_t>(islands_.size());
  for (const auto& i : islands_) {
    out.list(i.members);
    std::vector<std::uint32_t> cells;
    for (const auto& [cell, node] : i.cells) {
      cells.push_back(cell);
      cells.push_back(node);
    }
    out.list(cells);
    i.broken.save(out);
    out.value(i.drafts);
    out.value(i.patience);
    out.value(i.generation);
    i.waiting.save(out);
  }
}

void evolution::load(image_reader& in) {
  for (auto* n : {&opened_, &newest_, &crossings_})
    in.values(n, 1);
  is_untried_ = in.value<bool>();
  going_to_ = static_cast<decltype(going_to_)>(in.value<std::uint64_t>());
  homes_.load(in);
  auto count = in.value<std::uint64_t>();
  if (count == 0 || count > 64 || going_to_ >= count || newest_ >= count)
    return in.fail();
  islands_.assign(count, {});
  for (auto& i : islands_) {
    i.members = in.list<std::uint32_t>();
    auto cells = in.list<std::uint32_t>();
    for (std::size_t c = 0; c + 1 < cells.size(); c += 2)
      i.cells.emplace_hint(i.cells.end(), cells[c], cells[c + 1]);
    i.broken.load(in);
    i.drafts = in.value<std::uint32_t>();
    i.patience = in.value<std::uint32_t>();
    i.generation = in.value<std::uint8_t>();
    i.waiting.load(in);
  }
}

std::size_t evolution::bytes() const {
  auto sum = homes_.bytes();
  for (const auto& i : islands_)
    sum += sizeof i + i.members.capacity() * 4 + i.cells.size() * 48;
  return sum;
}

std::unique_ptr<policy> make_evolution(const search_settings& settings) {
  return std::make_unique<evolution>(settings);
}

} // namespace ke
