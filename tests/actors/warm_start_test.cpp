#include "runtime/core/journal.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/records/warm_start.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/core/solution.hpp"
#include "tests/actors/search_fixture.hpp"
#include "tests/actors/small_store.hpp"

using namespace ke;
using namespace ke::test;

namespace {

/// A store that knows some solutions, and a campaign that is about to begin in it.
struct warm_store {
  temp_dir dir;
  std::unique_ptr<store_service> store = open_store(dir.path());
  campaign_settings settings;
  std::uint32_t nodes = 0;

  /// `worth` is its score; the source says it.
  void solved(const problem& what, double worth, const std::string& backend = "cpu-cpp", bool kept = true) {
    store_batch b;
    solution_row r;
    r.place = place_of(what, backend, "cpu:here");
    r.problem = what.name;
    r.problem_digest = b.blob(pack(what));
    auto source = "worth " + std::to_string(worth);
    r.source_digest = kept ? b.blob(source) : digest_of(source);
    r.score = r.low = worth;
    r.speedup = r.high = worth + 0.5;
    r.store = store->id();
    r.campaign = "earlier";
    r.node = {1, 0, ++nodes};
    b.put(table::solutions, key_of(r), pack(r));
    REQUIRE(ke::write(*store, std::move(b)));
  }
  std::vector<journal_seeded> seeds(const problem& what,
                                    const std::vector<std::string>& trees = {"cpu-cpp"}) {
    auto view = store_reader::open(dir.path());
    REQUIRE(view);
    auto found = seeds_for(*view, settings, trees, what);
    REQUIRE(found);
    return *found;
  }
};

problem of_width(std::int64_t n) {
  auto p = small_problem();
  for (auto& w : p.workloads)
    w.dims["N"] = n;
  return p;
}

} // namespace

TEST_CASE("a new campaign begins with the nearest solutions that it could call") {
  warm_store s;
  s.solved(of_width(1 << 20), 9);
  s.solved(of_width(4096), 2);
  s.solved(of_width(2048), 3);
  auto other = small_problem();
  other.family = "matmul";
  s.solved(other, 20);
  auto halves = of_width(4096);
  for (auto& t : halves.tensors)
    t.dtype = dtype::f16;
  s.solved(halves, 21);
  auto with_bias = of_width(4096);
  with_bias.tensors.push_back(with_bias.tensors[0]);
  s.solved(with_bias, 22);
  s.solved(of_width(4096), 23, "triton");
  s.solved(of_width(4096), 24, "cpu-cpp", false);

  auto seeds = s.seeds(of_width(4000));
  REQUIRE(seeds.size() == 1);
  REQUIRE(seeds[0].seeds.size() == 2); // [search] warm_start
  CHECK(seeds[0].seeds[0].source_digest == digest_of("worth " + std::to_string(2.0)));
  CHECK(seeds[0].seeds[1].source_digest == digest_of("worth " + std::to_string(3.0)));
  CHECK(seeds[0].seeds[0].plan.find("campaign earlier, node 2") != std::string::npos);
  CHECK(seeds[0].seeds[0].plan.find("2.50x [2.00, 2.50] there") != std::string::npos);

  auto both = s.seeds(of_width(4000), {"torch-cpu", "triton"});
  REQUIRE(both.size() == 1); // nothing for the first tree
  CHECK(both[0].tree == 1);
  CHECK(both[0].seeds.size() == 1);
}

TEST_CASE("a campaign that wants no earlier solutions, or replays recorded answers, begins with none") {
  warm_store s;
  s.solved(of_width(4096), 2);
  CHECK(s.seeds(of_width(4096)).size() == 1);
  auto unlike = small_problem();
  unlike.family = "scan";
  CHECK(s.seeds(unlike).empty());
  s.settings.search.warm_start = 0;
  CHECK(s.seeds(of_width(4096)).empty());
  s.settings.search.warm_start = 2;
  s.settings.models.resize(1);
  s.settings.models[0].provider = provider_kind::replay;
  CHECK(s.seeds(of_width(4096)).empty());
}

TEST_CASE_METHOD(search_fixture, "seeds are judged first, without asking, and are there again after a kill") {
  auto s = settings(4, 1);
  create(1, s);
  store_batch more;
  journal_seeded seeded{
      0, {{more.blob("int first();"), "an earlier solution"}, {more.blob("int second();"), "another"}}};
  more.journal.emplace_back(1, journal_record{journal_kind::seeded, 0, 0, pack(seeded)});
  store->write(std::move(more));
  start(1, s);
  REQUIRE(waiting.size() == 1);
  CHECK(*waiting[0].source == "int first();");
  CHECK(models.asked.empty());
  judge_as(correct(2.5));
  kill();
  start(1, s);
  REQUIRE(waiting.size() == 1);
  CHECK(*waiting[0].source == "int second();");
  judge_as(correct(1.5));
  REQUIRE(drive());
  CHECK(models.asked.size() == 2); // of four candidates
  auto now = stored();
  const auto& core = now->fold.trees().at(0);
  const auto& tree = core.tree();
  CHECK(tree[1].operation == operation_kind::seed);
  CHECK(tree[1].parent == 0);
  CHECK(core.model_of(1).empty());
  CHECK(tree[1].score == 2.5);
  CHECK(core.model_of(3) == "m");
}

TEST_CASE_METHOD(search_fixture, "no skill comes from a seed, but one from what was made of it") {
  claims = true;
  auto s = settings(2, 1);
  s.goal.target_speedup = 100;
  s.search.drafts = 1;
  create(1, s);
  store_batch more;
  journal_seeded seeded{0,
                        {{more.blob("void kernel() { first(); }"), "an earlier solution: problem row_sum"}}};
  more.journal.emplace_back(1, journal_record{journal_kind::seeded, 0, 0, pack(seeded)});
  store->write(std::move(more));
  start(1, s);
  shelf = std::make_shared<library>(std::make_shared<const corpus>(std::vector<document>{}));
  open_library();
  REQUIRE(waiting.size() == 1);
  judge_as(timed(1.5));
  answer_with(reply(1));
  judge_as(timed(3));
  confirm(timed(3));
  REQUIRE(outcomes.contains(1));
  for (const auto& d : shelf->now()->documents()) {
    INFO(d.title);
    CHECK(d.title.find("an earlier solution") == std::string::npos);
    CHECK(d.sources == std::vector<std::string>{"store-1/campaign/0:2"});
  }
  CHECK(shelf->now()->documents().size() == 1);
}
