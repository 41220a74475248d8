#include "runtime/core/baseline.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/records/best_known_baseline.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/solution.hpp"
#include "tests/actors/small_store.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

/// A store in which campaigns have claimed kernels of one problem.
struct claimed_store {
  temp_dir dir;
  std::unique_ptr<store_service> store = open_store(dir.path());
  campaign_settings settings;
  std::uint32_t nodes = 0;

  claimed_store() {
    settings.goal.baseline = baseline_kind::best_known;
    settings.targets = {{"cpu-cpp", "cpu:*"}};
  }
  std::string solved(const problem& what, const std::string& source, double low, bool claimed = true,
                     const std::string& device = "cpu:here") {
    store_batch b;
    solution_row r;
    r.place = place_of(what, "cpu-cpp", device);
    r.problem = what.name;
    r.problem_digest = b.blob(pack(what));
    r.source_digest = b.blob(source);
    r.score = r.low = low;
    r.claimed = claimed;
    r.store = store->id();
    r.node = {1, 0, ++nodes};
    if (auto over = baseline_of(what)) {
      r.baseline = over->name;
      r.baseline_digest = digest_of(over->source);
    }
    b.put(table::solutions, key_of(r), pack(r));
    REQUIRE(ke::write(*store, std::move(b)));
    return r.problem_digest;
  }
  status complete(problem& what, const std::optional<std::string>& own = {}) {
    auto view = store_reader::open(dir.path());
    REQUIRE(view);
    return complete_baseline(*view, settings, own, what);
  }
};

problem wider(problem p) {
  for (auto& w : p.workloads)
    w.dims["N"] *= 2;
  return p;
}

} // namespace

TEST_CASE("best-known is the best proven solution for this very problem and a device of the targets") {
  claimed_store s;
  auto what = small_problem();
  s.solved(what, "two", 2);
  s.solved(what, "three", 3);
  s.solved(what, "luck", 9, false);
  s.solved(wider(what), "another shape", 8);
  s.solved(what, "elsewhere", 7, true, "gpu:there");
  REQUIRE(s.complete(what));
  REQUIRE(baseline_of(what));
  CHECK(baseline_of(what)->name == "best-known");
  CHECK(baseline_of(what)->source == "three");
  // What beat it since is better, though its own speedup is smaller; what goes on keeps what it began with.
  auto begun = s.solved(what, "better than three", 1.5);
  auto next = small_problem();
  REQUIRE(s.complete(next));
  CHECK(baseline_of(next)->source == "better than three");
  auto resumed = small_problem();
  REQUIRE(s.complete(resumed, begun));
  CHECK(baseline_of(resumed)->source == "three");
  CHECK(digest_of(pack(resumed)) == begun);
}

TEST_CASE("best-known in a store that knows none is refused with what to do") {
  claimed_store s;
  auto what = small_problem();
  s.solved(what, "luck", 9, false);
  auto done = s.complete(what);
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == failure_kind::invalid);
  CHECK(done.error().text.find("[goal] baseline = \"best-known\": the store holds no proven solution") == 0);
  CHECK(done.error().text.find("baseline = \"reference\"") != std::string::npos);
}

TEST_CASE("a campaign's file and its problem must agree on the baseline, whoever hands it in") {
  claimed_store s;
  auto what = small_problem();
  set_baseline(what, {"file:mine.cpp", "void kernel() {}"});
  s.settings.goal.baseline = baseline_kind::reference;
  CHECK_FALSE(s.complete(what));
  s.settings.goal.baseline = baseline_kind::file;
  CHECK(s.complete(what));
  s.settings.goal.baseline = baseline_kind::eager;
  auto why = s.complete(what);
  REQUIRE_FALSE(why);
  CHECK(why.error().text.find("as PyTorch runs it") != std::string::npos);
}
