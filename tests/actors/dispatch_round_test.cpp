#include "actors/campaign/dispatch_round.hpp"
#include "backends/evaluation/dispatcher.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/search/campaign/dispatchers.hpp"
#include "runtime/text/source_text.hpp"

#include "tests/actors/parts_fixture.hpp"

#include <cmath>

using namespace ke;
using namespace ke::test;

namespace {

class shapes_fixture : public parts_fixture {
public:
  std::vector<shapes_read> shapes; ///< read, not yet heard
  std::vector<parts_read> parts;
  dispatch_round round = next_session();

  shapes_fixture() {
    what.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
                    {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
    what.workloads = {{"big", {{"N", 100000}}, 1.0, false},
                      {"small", {{"N", 10}}, 1.0, false},
                      {"secret", {{"N", 3000}}, 1.0, true}};
    what.reference = "extern \"C\" void kernel() {}\n";
  }
  dispatch_round next_session() {
    return dispatch_round{journal,
                          rows,
                          {[this](shapes_read s) { shapes.push_back(std::move(s)); },
                           [this](parts_read p) { parts.push_back(std::move(p)); }}};
  }

  static verdict timed(double big, double small) {
    verdict v;
    v.state = verdict_state::correct;
    v.score = std::sqrt(big * small);
    v.decision = timing_decision::faster;
    v.timing = timing_summary{};
    v.timing->workloads = {{"big", big, big * 0.99, big * 1.01},
                           {"small", small, small * 0.99, small * 1.01}};
    return v;
  }
  /// A candidate with these speedups; `stored`: its verdict can be read.
  node_key kernel(double big, double small, std::uint32_t tree = 0, const std::string& first_line = {},
                  bool stored = true) {
    auto n = step(1, tree).at(0);
    ask(n);
    has_source(n, 1,
               first_line + "extern \"C\" void kernel() { int node = " + std::to_string(n.node) + "; }\n");
    end(n, timed(big, small), stored);
    return n;
  }
  void end(const node_key& n, const verdict& v, bool stored = true) {
    store_batch batch;
    auto digest = "verdict of " + journal.id(n);
    if (stored)
      batch.put(table::verdicts, digest, pack(v));
    journal_judged r{n.tree, n.node, 0, v.state, v.decision, v.score, digest};
    journal.record(batch, journal_kind::judged, r);
    rows.judged(n, r);
    rows.close(batch, n);
    journal.commit(std::move(batch));
  }
  /// One round of the newest reads.
  std::optional<node_key> assemble(dispatch_round& who) {
    auto made = std::optional<node_key>{};
    for (const auto& s : std::exchange(shapes, {}))
      who.plan(s, true);
    for (const auto& p : std::exchange(parts, {}))
      if (auto n = who.assemble(p, true))
        made = n;
    return made;
  }
  std::string source_of(const node_key& n) const {
    auto seeded = bodies<journal_seeded>(journal_kind::seeded).back();
    CHECK(seeded.tree == n.tree);
    return *store->blob(seeded.seeds.front().source_digest);
  }
  /// A dispatcher's node takes up its source, as its actor does.
  void take_up(const node_key& n) { has_source(n, 0, source_of(n)); }
  /// The source of a dispatcher names its parts by the digest that campaigns give them.
  void has_source(const node_key& n, std::uint32_t attempt, const std::string& source) {
    store_batch batch;
    journal_replied r{n.tree, n.node, attempt};
    r.source_digest = batch.blob(source);
    r.normalised_digest = source_digest(source, cpp_language().syntax);
    journal.record(batch, journal_kind::replied, r);
    rows.has_source(batch, n, r);
    journal.commit(std::move(batch));
  }
  void claim(const node_key& n, const verdict& v) {
    store_batch batch;
    auto digest = "claim of " + journal.id(n);
    batch.put(table::verdicts, digest, pack(v));
    journal.record(batch, journal_kind::claimed,
                   journal_claimed{n.tree, n.node, 0, v.state, v.decision, v.score, digest});
    journal.commit(std::move(batch));
  }
  /// Better on the whole, and below the floor on a held-out workload.
  static verdict below_floor(double big, double small) {
    auto v = timed(big, small);
    v.decision = timing_decision::slower;
    v.timing->workloads.push_back({"secret", 0.5, 0.49, 0.51, true});
    return v;
  }
};

} // namespace

TEST_CASE_METHOD(shapes_fixture, "dispatch: the best of each shape become one node with both as parents") {
  start(settings());
  auto big = kernel(16.7, 0.33), small = kernel(1.2, 3);
  CHECK(round.is_possible());
  CHECK(round.go_on());
  REQUIRE(shapes.size() == 1);
  CHECK(shapes[0].contenders->size() == 2);
  CHECK_FALSE(shapes[0].exact);
  round.plan(shapes[0], true);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].sources->size() == 2);
  CHECK(round.go_on()); // its sources are read
  auto n = round.assemble(parts[0], true);
  REQUIRE(n);
  CHECK(journal.state_of(*n) == node_state::planned);
  CHECK(is_dispatcher(journal.tree(0).tree()[n->node]));
  CHECK(journal.tree(0).tree().parents(n->node) == std::vector<std::uint32_t>{big.node, small.node});
  auto row = *store->row<node_row>(table::nodes, key_of(1u, 0u, n->node));
  CHECK(row.parents == std::vector<std::uint32_t>{big.node, small.node});
  CHECK(row.note == "dispatcher: node " + journal.id(big) + " for big, node " + journal.id(small) +
                        " for small, the reference for every other shape");
  CHECK(source_of(*n).starts_with(dispatcher_mark));
  CHECK(source_of(*n).find("N 50000..200000 (workload big)") != std::string::npos);
  CHECK(round.go_on()); // it has no verdict yet
  take_up(*n);
  end(*n, timed(16, 2.9));
  CHECK_FALSE(round.go_on());
  CHECK(shapes.size() == 1); // one try
}

TEST_CASE_METHOD(shapes_fixture, "dispatch: nothing is read where no dispatcher can be") {
  auto s = settings();
  SECTION("one workload that is shown") {
    what.workloads[1].held_out = true;
  }
  SECTION("nothing is timed") {
    s.goal.timed = false;
  }
  SECTION("no extent to choose by") {
    what.dims.clear();
  }
  SECTION("candidates in another language than the reference") {
    what.reference_language = "python";
  }
  SECTION("two targets share the tree") {
    s.targets = {{"cpu-cpp", "cpu:a"}, {"cpu-cpp", "cpu:z"}};
  }
  start(s);
  if (s.targets.size() == 1)
    kernel(16.7, 0.33), kernel(1.2, 3);
  CHECK_FALSE(round.is_possible());
  CHECK_FALSE(round.go_on());
  CHECK(shapes.empty());
}

TEST_CASE_METHOD(shapes_fixture, "dispatch: without a correct candidate there is nothing to read") {
  start(settings());
  verdict wrong;
  wrong.state = verdict_state::incorrect;
  auto n = step(1).at(0);
  ask(n);
  give(n, "void kernel() {}");
  end(n, wrong);
  CHECK(round.is_possible());
  CHECK_FALSE(round.go_on());
  CHECK(shapes.empty());
}

TEST_CASE_METHOD(shapes_fixture, "dispatch: what is no longer wanted is dropped at each step") {
  start(settings());
  kernel(16.7, 0.33), kernel(1.2, 3);
  auto nodes = journal.tree(0).tree().size();
  SECTION("once the shapes are read") {
    round.go_on();
    round.plan(shapes.at(0), false);
    CHECK(parts.empty());
  }
  SECTION("once the sources are read") {
    round.go_on();
    round.plan(shapes.at(0), true);
    CHECK_FALSE(round.assemble(parts.at(0), false));
  }
  CHECK_FALSE(round.go_on());
  CHECK(journal.tree(0).tree().size() == nodes);
  CHECK(store->count(1, journal_kind::seeded) == 0);
}

TEST_CASE_METHOD(shapes_fixture, "dispatch: a candidate that nobody beats anywhere stays alone") {
  start(settings());
  kernel(2, 3), kernel(2.05, 2.9); // what counts as the same
  CHECK(round.go_on());
  CHECK_FALSE(assemble(round));
  CHECK_FALSE(round.go_on());
}

TEST_CASE_METHOD(shapes_fixture, "dispatch: a verdict that can't be read leaves its candidate out") {
  start(settings());
  kernel(20, 0.9, 0, {}, false); // the best of them, which is read first
  auto kept = kernel(16.7, 0.33);
  CHECK(round.go_on());
  REQUIRE(shapes.size() == 1); // all reads have ended
  REQUIRE(shapes[0].contenders->size() == 1);
  CHECK(shapes[0].contenders->front().node == kept.node);
  auto n = assemble(round); // it lies below the floor on one: the reference computes that
  REQUIRE(n);
  CHECK(journal.tree(0).tree().parents(n->node) == std::vector<std::uint32_t>{kept.node});
}

TEST_CASE_METHOD(shapes_fixture, "dispatch: a source that can't be read makes no node") {
  start(settings());
  kernel(16.7, 0.33), kernel(1.2, 3);
  round.go_on();
  auto read = shapes.at(0);
  auto sources = *read.sources;
  sources.begin()->second = "no such blob";
  read.sources = std::make_shared<const std::map<std::uint32_t, std::string>>(sources);
  round.plan(read, true);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].sources->size() == 1);
  CHECK_FALSE(round.assemble(parts[0], true));
  CHECK_FALSE(round.go_on());
  CHECK(store->count(1, journal_kind::seeded) == 0);
}

TEST_CASE_METHOD(shapes_fixture, "dispatch: kernels that can't stand in one source make no node") {
  start(settings());
  kernel(16.7, 0.33, 0, "#pragma pack(1)\n"), kernel(1.2, 3);
  round.go_on();
  CHECK_FALSE(assemble(round));
  CHECK_FALSE(round.go_on());
  CHECK(store->count(1, journal_kind::seeded) == 0);
}

TEST_CASE_METHOD(shapes_fixture, "dispatch: a resumed session makes none that an earlier one has judged") {
  start(settings());
  kernel(16.7, 0.33), kernel(1.2, 3);
  round.go_on();
  auto n = assemble(round);
  REQUIRE(n);
  take_up(*n);
  SECTION("it was judged") {
    end(*n, timed(16, 2.9));
    load();
    auto next = next_session();
    CHECK(next.go_on());
    CHECK_FALSE(assemble(next));
    CHECK_FALSE(next.go_on());
    CHECK(store->count(1, journal_kind::seeded) == 1);
  }
  SECTION("it is open: there is something to wait for") {
    load();
    auto next = next_session();
    next.go_on();
    CHECK_FALSE(assemble(next));
    CHECK(next.go_on());
  }
  SECTION("it was cancelled with its session") {
    store_batch batch;
    journal.record(batch, journal_kind::ended,
                   journal_ended{n->tree, n->node, node_state::cancelled, "stopped"});
    rows.close(batch, *n);
    journal.commit(std::move(batch));
    load();
    auto next = next_session();
    next.go_on();
    auto again = assemble(next);
    REQUIRE(again);
    CHECK(again->node != n->node);
  }
}

TEST_CASE_METHOD(shapes_fixture, "dispatch: each of two trees has its own") {
  auto s = settings();
  s.targets = {{"cpu-cpp", "*"}, {"other", "*"}};
  start(s);
  kernel(16.7, 0.33, 0), kernel(1.2, 3, 0);
  auto big = kernel(12, 0.5, 1), small = kernel(1.1, 4, 1);
  CHECK(round.go_on());
  REQUIRE(shapes.size() == 2);
  CHECK(shapes[1].tree == 1);
  round.plan(shapes[0], false); // the first one's is not wanted
  round.plan(shapes[1], true);
  REQUIRE(parts.size() == 1);
  auto n = round.assemble(parts[0], true);
  REQUIRE(n);
  CHECK(n->tree == 1);
  CHECK(journal.tree(1).tree().parents(n->node) == std::vector<std::uint32_t>{big.node, small.node});
  CHECK(journal.tree(0).tree().size() == 3);
}

TEST_CASE_METHOD(shapes_fixture, "dispatch: a claim below the floor leaves the winner its own shapes alone") {
  start(settings());
  auto n = kernel(4, 3);
  round.go_on();
  CHECK_FALSE(assemble(round)); // it is the best everywhere
  claim(n, below_floor(4, 2.8));
  CHECK(round.go_on());
  REQUIRE(shapes.size() == 1);
  CHECK(shapes[0].exact);
  REQUIRE(shapes[0].contenders->size() == 1);
  CHECK(shapes[0].contenders->front().workloads.size() == 3); // the claim's evidence, not the search's
  auto made = assemble(round);
  REQUIRE(made);
  CHECK(store->row<node_row>(table::nodes, key_of(1u, 0u, made->node))->note ==
        "dispatcher: node " + journal.id(n) + " for big alone, node " + journal.id(n) +
            " for small alone, the reference for every other shape");
  CHECK(source_of(*made).find("N 100000 (workload big)") != std::string::npos);
  CHECK(source_of(*made).find("3000") == std::string::npos); // nothing tells the held-out shape
  take_up(*made);
  end(*made, timed(3.9, 2.7));
  claim(*made, below_floor(3.9, 2.7));
  CHECK_FALSE(round.go_on()); // there is no second try
  CHECK(shapes.empty());
}

TEST_CASE_METHOD(shapes_fixture, "dispatch: a claim that is slower on the whole gets no exact try") {
  start(settings());
  auto n = kernel(4, 3);
  round.go_on();
  assemble(round);
  auto v = below_floor(0.9, 0.9);
  SECTION("its mean is below 1") {}
  SECTION("it is not even right") {
    v = below_floor(4, 3);
    v.state = verdict_state::incorrect;
  }
  SECTION("it is confirmed") {
    v = timed(4, 3);
  }
  claim(n, v);
  CHECK_FALSE(round.go_on());
  CHECK(shapes.empty());
}
