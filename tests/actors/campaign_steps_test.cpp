#include "runtime/core/journal_retrieved.hpp"
#include "tests/actors/search_fixture.hpp"
#include "tests/actors/step_order.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke::test;

// Every candidate takes the same six steps, and the journal shows them in their order, the choice of documents
// among them.

namespace {

document page(std::string id, std::vector<std::string> bottlenecks, std::vector<std::string> failures) {
  document d;
  d.id = std::move(id);
  d.title = "Advice";
  d.targets = {"*"};
  d.signals.bottleneck = std::move(bottlenecks);
  d.signals.failure = std::move(failures);
  d.body = std::string(900, 'x') + "\n";
  return d;
}

struct steps_fixture : search_fixture {
  steps_fixture() {
    std::vector<document> all;
    for (int i = 0; i < 20; ++i)
      all.push_back(page("guidance/memory/page-" + std::to_string(10 + i), {"memory"}, {}));
    all.push_back(page("guidance/debugging/wrong", {}, {"incorrect"}));
    shelf = std::make_shared<library>(std::make_shared<const corpus>(std::move(all)));
    claims = true;
  }
  ~steps_fixture() { close_library(); }

  /// Right ones are limited by memory, some are wrong.
  static verdict diagnosed(const std::string& source) {
    auto v = verdict_of_source(source);
    if (v.state == verdict_state::correct)
      v.diagnosis = diagnosis{"memory", 0.9, 0.5, {{"memory", "40 GB/s of 50"}}};
    return v;
  }

  /// A campaign to its end; the fifth answer is a template, the seventh holds two candidates.
  void run(const campaign_settings& s) {
    launch(s);
    for (int rounds = 0, answers = 0; rounds < 4000 && !outcomes.contains(1); ++rounds) {
      settle();
      if (!waiting.empty())
        judge_as(diagnosed(*waiting.front().source));
      else if (models.open.empty())
        pass(500ms);
      else if (++answers == 5)
        answer_with(
            "Tile.\n```cpp\n// ke-param: TILE = 4 | 8\nextern \"C\" void kernel() { int t = TILE; }\n```\n");
      else if (answers == 7)
        answer_with("### Candidate: one\n```cpp\nextern \"C\" void kernel() { int a = 1; }\n```\n"
                    "### Candidate: two\n```cpp\nextern \"C\" void kernel() { int b = 2; }\n```\n");
      else
        answer();
    }
    REQUIRE(outcomes.contains(1));
  }

  std::vector<std::string> faults_in(const std::vector<journal_record>& journal) const {
    return step_order::faults(journal, [&](const std::string& digest) -> std::optional<verdict> {
      auto v = store->row<verdict>(table::verdicts, digest);
      return v ? std::optional{*v} : std::nullopt;
    });
  }
  std::vector<journal_retrieved> found() const {
    std::vector<journal_retrieved> all;
    for (const auto& r : store->journal_of(1))
      if (r.kind == journal_kind::retrieved)
        all.push_back(*unpack<journal_retrieved>(r.body));
    return all;
  }
};

} // namespace

TEST_CASE_METHOD(steps_fixture, "each candidate of a campaign takes the six steps in their order") {
  auto s = settings(24, 3);
  s.search.policy = GENERATE(policy_kind::mcts, policy_kind::evolution, policy_kind::beam,
                             policy_kind::best_of_n, policy_kind::greedy);
  INFO(to_text(s.search.policy));
  run(s);
  auto faults = faults_in(store->journal_of(1));
  CAPTURE(faults);
  CHECK(faults.empty());
  CHECK(store->count(1, journal_kind::retrieved) == store->count(1, journal_kind::asked));
  CHECK(store->count(1, journal_kind::claimed) > 0);
  CHECK(crashes.empty());
}

TEST_CASE_METHOD(steps_fixture, "a journal with a step left out, or in another place, is not in order") {
  run(settings(12, 2));
  const auto& journal = store->journal_of(1);
  REQUIRE(faults_in(journal).empty());
  using enum journal_kind;
  std::size_t left_out = 0, moved = 0;
  for (std::size_t i = 0; i < journal.size(); ++i) {
    auto kind = journal[i].kind;
    if (kind != stepped && kind != retrieved && kind != asked && kind != replied && kind != judged &&
        kind != finished)
      continue;
    INFO("record " << i << " " << to_text(kind));
    auto without = journal;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_FALSE(faults_in(without).empty());
    ++left_out;
    if (kind != retrieved)
      continue;
    REQUIRE(journal[i + 1].kind == asked); // of one transaction
    auto swapped = journal;
    std::swap(swapped[i], swapped[i + 1]);
    CHECK_FALSE(faults_in(swapped).empty());
    auto late = journal;
    auto record = late[i];
    late.erase(late.begin() + static_cast<std::ptrdiff_t>(i));
    late.insert(late.end() - 1, record);
    CHECK_FALSE(faults_in(late).empty());
    ++moved;
  }
  CHECK(left_out > 50);
  CHECK(moved > 8);
}

TEST_CASE_METHOD(steps_fixture, "a query that is not the parent's diagnosis is a fault") {
  run(settings(12, 2));
  auto journal = store->journal_of(1);
  std::size_t changed = 0;
  for (auto& r : journal) {
    if (r.kind != journal_kind::retrieved)
      continue;
    auto kept = r.body;
    auto what = *unpack<journal_retrieved>(r.body);
    what.bottleneck = "latency";
    r.body = pack(what);
    CHECK_FALSE(faults_in(journal).empty());
    r.body = kept;
    ++changed;
  }
  CHECK(changed > 8);
}

TEST_CASE_METHOD(steps_fixture, "what was found, shown and left out is in the record, small") {
  auto s = settings(40, 1);
  s.models[0].context_tokens = 3000; // room for one page or two
  run(s);
  bool by_bottleneck = false, by_failure = false, no_room = false;
  for (const auto& r : found()) {
    CHECK(r.looked_up);
    CHECK_FALSE(r.by_meaning);
    CHECK(r.documents == 21);
    CHECK(r.candidates.size() <= most_candidate_documents);
    CHECK(pack(r).size() < 900);
    auto row = store->row<node_row>(table::nodes, key_of(1, r.tree, r.node));
    REQUIRE(row);
    std::vector<std::string> shown;
    auto last = 1'000'000;
    for (const auto& c : r.candidates) {
      CHECK(c.score <= last);
      last = c.score;
      if (c.fate == document_fate::shown)
        shown.push_back(c.id);
      no_room |= c.fate == document_fate::no_room;
    }
    if (row->attempts == r.attempt)
      CHECK(shown == row->shown);
    if (!r.bottleneck.empty()) {
      by_bottleneck = true;
      CHECK(r.bottleneck == "memory");
      CHECK(r.message.ends_with("memory: 40 GB/s of 50 "));
      REQUIRE(r.candidates.size() == most_candidate_documents);
      CHECK(r.candidates.front().id == "guidance/memory/page-10");
      CHECK(r.candidates.back().fate == document_fate::lower);
    }
    if (!r.failure.empty()) {
      by_failure = true;
      REQUIRE_FALSE(r.candidates.empty());
      CHECK(r.candidates.front().id == "guidance/debugging/wrong");
    }
  }
  CHECK(by_bottleneck);
  CHECK(by_failure);
  CHECK(no_room);
}

TEST_CASE_METHOD(steps_fixture, "a killed campaign goes on with one record of documents for each request") {
  auto s = settings(8, 2);
  launch(s);
  answer();
  kill();
  start(1, s);
  for (int rounds = 0; rounds < 2000 && !outcomes.contains(1); ++rounds) {
    settle();
    if (!waiting.empty())
      judge_as(diagnosed(*waiting.front().source));
    else if (!models.open.empty())
      answer();
    else
      pass(500ms);
  }
  REQUIRE(outcomes.contains(1));
  CHECK(store->count(1, journal_kind::retrieved) == store->count(1, journal_kind::asked));
  auto faults = faults_in(store->journal_of(1));
  CAPTURE(faults);
  CHECK(faults.empty());
}

TEST_CASE_METHOD(search_fixture, "a model that is shown no documents has a record that says so") {
  launch(settings(4));
  REQUIRE(drive());
  std::size_t all = 0;
  for (const auto& r : store->journal_of(1))
    if (r.kind == journal_kind::retrieved) {
      auto what = *unpack<journal_retrieved>(r.body);
      CHECK_FALSE(what.looked_up);
      CHECK(what.candidates.empty());
      CHECK(pack(what).size() < 120);
      ++all;
    }
  CHECK(all == store->count(1, journal_kind::asked));
}
